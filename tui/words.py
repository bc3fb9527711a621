"""How the screen writes numbers, sizes, ages and the names of things; all pure."""

from __future__ import annotations

from datetime import datetime

from store.model import Fate, Forgotten, Hit, Session
from tui.render.words import moment as local

MINUTE, HOUR, DAY = 60, 3600, 86400

_PICTURES = {code: 0x2400 + code for code in range(0x20)}
_DIRECTION = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
_FLAT = {
    **_PICTURES,
    0x09: 0x20,
    0x0A: 0x20,
    0x0D: 0x20,
    0x7F: 0x2421,
    0x2028: 0x20,
    0x2029: 0x20,
    **dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000), *_DIRECTION], 0xFFFD),
}

KIND_WORDS: dict[str, str] = {
    "user_text": "you",
    "assistant_text": "agent",
    "reasoning": "thinking",
    "tool_input": "input",
    "tool_output": "output",
    "tool_error": "error",
}
STATUS_SIGNS: dict[str, str] = {"completed": "✓", "error": "✗", "running": "…", "pending": "…"}
FATE_SIGNS: dict[Fate, str] = {
    "live": "",
    "reverted": "↶",
    "replaced": "✎",
    "removed": "✂",
    "deleted": "✖",
}


def flat(text: str) -> str:
    """Stored text as one harmless line: one character for each of the input.

    Line ends become spaces; control and direction characters become visible stand-ins, so that
    offsets into the text stay right and no terminal obeys it.
    """
    return text.translate(_FLAT)


def number(value: int) -> str:
    """12345 as `12,345`."""
    return f"{value:,}"


def percent(done: int, known: int) -> int:
    """How far, in whole percent; 100 only when nothing is left, or nothing is known."""
    if done >= known:
        return 100
    return min(99, done * 100 // known)


def age(then_ms: int, now: float) -> str:
    """How long ago: `12m`, `5h`, `3d`, then `28 Nov`, in another year `2025-11-28`.

    `then_ms` in ms, `now` in seconds, both since 1970 UTC; dates are local. "" without a time.
    """
    if then_ms <= 0:
        return ""
    past = now - then_ms / 1000
    if past < MINUTE:
        return "now"
    for unit, limit, letter in ((MINUTE, HOUR, "m"), (HOUR, DAY, "h"), (DAY, 7 * DAY, "d")):
        if past < limit:
            return f"{int(past // unit)}{letter}"
    return _date(then_ms, now, "")


def moment(then_ms: int, now: float) -> str:
    """A date and time: `28 Nov 14:02`, in another year `2025-11-28 14:02`."""
    return _date(then_ms, now, " %H:%M")


def _date(then_ms: int, now: float, clock: str) -> str:
    then = local(then_ms)
    if then_ms <= 0 or then is None:
        return ""
    if then.year == datetime.fromtimestamp(now).year:
        return f"{then.day} {then.strftime('%b' + clock)}"
    return then.strftime("%Y-%m-%d" + clock)


def session_title(session: Session) -> str:
    """The title to show for a session."""
    if session.unread:
        return "Not read yet"
    return flat(session.title).strip() or "Session without a title"


def session_signs(session: Session, children: int = 0) -> str:
    """What is special about a session, one sign at most of each kind: ⚠ ↶ ✂ ▪ ▫, its fate, ≡ ↳.

    `children` are the sessions of its sub-agents.
    """
    signs = "⚠" if session.faults else ""
    signs += "↶" if session.revert else ""
    signs += "✂" if session.gone and session.fate == "live" else ""
    signs += "▪" if session.unfinished else ""
    signs += "▫" if "archived" in session.flags else ""
    signs += FATE_SIGNS[session.fate]
    return signs + ("≡" if session.copies else "") + ("↳" if children else "")


def session_left(session: Session) -> str:
    """What is no longer live of a session, for its heading: `✂ 7 gone`; "" where all is."""
    if session.fate != "live":
        return f"{FATE_SIGNS[session.fate]} {session.fate}"
    pending = "↶ revert pending" if session.revert else ""
    gone = f"✂ {number(session.gone)} gone" if session.gone else ""
    return "  ".join(piece for piece in (pending, gone) if piece)


def forgotten(told: Forgotten) -> str:
    """What goes, and what goes with it: `2 parts, with 1 earlier text and 1 copy elsewhere`."""
    what = [
        _many(told.sessions, "session", "sessions"),
        _many(told.messages, "message", "messages"),
        _many(told.parts, "part", "parts"),
    ]
    more = [
        "the present text" if told.present == 1 else _many(told.present, "", "present texts"),
        _many(told.versions, "earlier text", "earlier texts"),
        _many(told.copies, "copy elsewhere", "copies elsewhere"),
    ]
    also = " and ".join(filter(None, more))
    return ", ".join(filter(None, what)) + (f", with {also}" if also else "")


def _many(count: int, one: str, several: str) -> str:
    return f"{number(count)} {one if count == 1 else several}" if count else ""


def hit_words(hit: Hit) -> str:
    """What a hit is: `you`, `bash output`, `thinking`."""
    word = KIND_WORDS.get(hit.kind, hit.kind)
    return f"{flat(hit.tool)} {word}" if hit.tool else word


def hit_signs(hit: Hit) -> str:
    """The status of a hit's tool and the fate of its text."""
    sign = "✗" if hit.failed else STATUS_SIGNS.get(hit.status or "", "")
    return sign + FATE_SIGNS[hit.fate]


def home_short(path: str, home: str) -> str:
    """A path with the home folder as `~`."""
    path = flat(path)
    if home and (path == home or path.startswith(home.rstrip("/") + "/")):
        return "~" + path[len(home.rstrip("/")) :]
    return path
