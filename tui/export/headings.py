"""What stands above a turn or a tool in an export for people: who, when, with what, how it went."""

from __future__ import annotations

from datetime import UTC, datetime

from store.model import Attachment, File, Message, Part, Session, Tool


def utc(time: int) -> str:
    """Milliseconds since 1970 as `2026-09-01 10:00 UTC`, "" where the calendar has none."""
    try:
        return f"{datetime.fromtimestamp(time / 1000, UTC):%Y-%m-%d %H:%M UTC}"
    except (OverflowError, ValueError, OSError):
        return ""


def title(session: Session) -> str:
    """The session's title, or that it has none."""
    return session.title or "(no title)"


def about(session: Session) -> list[tuple[str, str]]:
    """Facts about a session, each with its name."""
    facts = [
        ("session", f"{session.source}:{session.id}"),
        ("folder", session.directory),
        ("project", session.project),
        ("began", utc(session.created)),
        ("last active", utc(session.updated)),
        ("state", notes(session.fate, *session.flags)),
    ]
    return [(name, value) for name, value in facts if value]


def speaker(message: Message) -> str:
    """Who speaks: the person, or the agent by its name and slice."""
    name = message.agent or message.role or "agent"
    if message.role == "user":
        name = "You" if message.slice == "main" else "Task"
    return name if message.slice == "main" else f"{name} ({message.slice})"


def same_turn(one: Message, before: Message | None) -> bool:
    """Whether a message goes on with what the one before it began: a step of the same answer."""
    return (
        before is not None
        and before.role == one.role != "user"
        and (speaker(before), before.model, before.fate) == (speaker(one), one.model, one.fate)
    )


def tool(held: Tool) -> list[str]:
    """Facts about a call: name, how it ended, how long it took, its title."""
    took = ""
    if held.started is not None and held.ended is not None and held.ended >= held.started:
        took = f"{(held.ended - held.started) / 1000:.1f} s"
    exit_code = "" if held.exit is None else f"exit {held.exit}"
    vain = "failed" if held.failed and not held.exit else ""
    status = vain if held.status == "completed" else held.status
    facts = (held.name or "tool", status, exit_code, took, held.title)
    return [fact for fact in facts if fact]


def file(held: File | Attachment) -> str:
    """An attached file by name, type and size."""
    path = held.path or held.url if isinstance(held, File) else ""
    size = f"{held.bytes:,} bytes" if held.bytes else ""
    return ", ".join(fact for fact in (held.filename, path, held.mime, size) if fact) or "a file"


def part_notes(part: Part) -> str:
    """What is unusual about a part, in words."""
    return notes(part.fate, *part.flags)


def notes(fate: str, *flags: str) -> str:
    """A fate other than live and flags, in words."""
    return ", ".join(flags if fate == "live" else (fate, *flags))
