"""Sessions, messages and parts in the shape of `opencode export`, where nobody keeps the original.

Keys are those of opencode 1.18. What the model does not hold is left out; bytes of attached files
are not kept, so their `url` is empty.
"""

from __future__ import annotations

from typing import Any

from store.model import (
    Agent,
    Checkpoint,
    Compaction,
    Content,
    File,
    Json,
    Message,
    Part,
    Patch,
    Reasoning,
    Retry,
    Session,
    Snapshot,
    StepFinish,
    StepStart,
    Subtask,
    Text,
    Todos,
    Tool,
    Unknown,
    type_name,
)

Fields = dict[str, Json]
_FLAGGED = ("synthetic", "ignored")


def session(one: Session) -> Fields:
    """The info of a session."""
    return _given(
        id=one.id,
        directory=one.directory,
        parentID=one.parent,
        title=one.title,
        version=one.version,
        time={"created": one.created, "updated": one.updated},
    )


def message(one: Message) -> Fields:
    """The info of a message."""
    provider, _, model = one.model.rpartition("/")
    times = _given(created=one.time, completed=one.completed)
    error = {"name": "UnknownError", "data": {"message": one.error}} if one.error else None
    if one.role == "user":
        chosen = {"providerID": provider, "modelID": model} if one.model else None
        told = _given(role=one.role, time=times, agent=one.agent, model=chosen)
    else:
        told = _given(
            parentID=one.parent,
            role=one.role,
            mode=one.agent,
            agent=one.agent,
            cost=one.cost,
            tokens=one.tokens,
            modelID=model,
            providerID=provider,
            time=times,
            error=error,
        )
    return {**told, "id": one.id, "sessionID": one.session}


def part(one: Part) -> Fields:
    """A part."""
    held = one.content
    told: Fields = {"type": type_name(held), **_fields(held)}
    for flag in _FLAGGED:
        if flag in one.flags:
            told[flag] = True
    return {**told, "id": one.id, "sessionID": one.session, "messageID": one.message}


def _fields(held: Content) -> Fields:
    match held:
        case Text(text) | Reasoning(text):
            return {"text": text}
        case Tool():
            return {"tool": held.name, "callID": held.call, "state": _state(held)}
        case File():
            return _file(held)
        case Patch():
            return {"hash": held.hash, "files": list(held.files)}
        case StepStart(snapshot):
            return _given(snapshot=snapshot)
        case StepFinish():
            return {
                "reason": held.reason,
                **_given(snapshot=held.snapshot),
                "cost": held.cost,
                "tokens": held.tokens,
            }
        case Snapshot(snapshot):
            return {"snapshot": snapshot}
        case Compaction():
            projection = {"summary": held.text} if held.text else None
            return _given(auto=held.auto, overflow=held.overflow or None, projection=projection)
        case Subtask():
            return {
                "prompt": held.prompt,
                "description": held.description,
                "agent": held.agent,
                **_given(command=held.command),
            }
        case Agent():
            return _given(name=held.name, source={"value": held.text} if held.text else None)
        case Retry():
            error = {"name": "UnknownError", "data": {"message": held.error}}
            return {"attempt": held.attempt, "error": error}
        case Checkpoint():
            return {
                "checkpointDir": held.directory,
                "checkpointNumber": held.number,
                "coveredUpTo": held.covered,
            }
        case Todos():
            return {"todos": [{"content": what, "status": how} for how, what in held.items]}
        case Unknown():
            return held.fields


def _state(tool: Tool) -> Fields:
    attached = [
        {"type": "file", "mime": one.mime, "filename": one.filename, "url": ""}
        for one in tool.attachments
    ]
    return _given(
        status=tool.status,
        input=tool.input,
        output=tool.output,
        error=tool.error,
        title=tool.title,
        metadata={**tool.meta, **_given(diff=tool.diff)},
        time=_given(start=tool.started, end=tool.ended),
        attachments=attached or None,
    )


def _file(held: File) -> Fields:
    text = {"value": held.text} if held.text else None
    source = {"type": "file", **_given(path=held.path, text=text)} if held.path or text else None
    return {
        "mime": held.mime,
        **_given(filename=held.filename),
        "url": held.url,
        **_given(source=source),
    }


def _given(**fields: Any) -> Fields:
    """Fields without those that hold nothing."""
    return {key: value for key, value in fields.items() if value is not None and value != ""}
