"""A session that `opencode export` wrote: `{info, messages: [{info, parts}]}` in one file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from store.errors import StoreError
from store.model import Message, Part, Producer
from store.read_only import file_state, unreadable
from store.source import Bodies, Found, Listing, NoTraces, Outline, Place, Ref, Wanted
from store.sources import content, json_session
from store.sources.content import Fields, as_list, as_object, as_string
from store.sources.heads import session as session_of
from store.sources.opencode_files import OPENED

_BEGINNING = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"(info|messages)"\s*:')


class OpencodeExport(NoTraces):
    """One exported session. The file is read whole, and anew when it changed."""

    tells_stamps = False

    producer: Producer = "opencode"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: tuple[str, Fields] = ("", {})

    def state(self) -> str:
        """The present state of the file. Raises SOURCE_NOT_FOUND."""
        return str(file_state(self.path))

    def _document(self) -> Fields:
        """Raises SOURCE_UNREADABLE where it is no such export, or not whole."""
        state = self.state()
        if self._held[0] != state:
            self._held = (state, read_export(self.path))
        return self._held[1]

    def _messages(self) -> Iterator[tuple[Ref, Fields, list[tuple[Ref, Fields]]]]:
        """Messages and parts with their refs, in reading order."""
        document = self._document()
        changed = file_state(self.path).modified // 1_000_000
        session = as_string(as_object(document, "info"), "id")
        found = []
        for one in as_list(document, "messages"):
            info = as_object(one, "info") if isinstance(one, dict) else {}
            ident = as_string(info, "id")
            if not ident:
                continue
            said = json_session.message_time(info) or 0
            ref = Ref(ident, session, said, said, changed, _size(info), 0)
            parts = [part for part in as_list(one, "parts") if isinstance(part, dict)]
            refs = [
                Ref(as_string(part, "id"), ident, said, place, changed, _size(part), 0)
                for place, part in enumerate(parts)
            ]
            found.append((ref, info, list(zip(refs, parts, strict=True))))
        yield from sorted(found, key=lambda one: (one[0].time, one[0].id))

    def listing(self, name: str) -> Listing:
        """The one session."""
        state = self.state()
        head = json_session.head(as_object(self._document(), "info"), {})
        held = list(self._messages())
        head.messages = len(held)
        head.parts = sum(len(parts) for _, _, parts in held)
        return Listing((session_of(name, head, ()),), state, OPENED)

    def stamps(self, sessions: Sequence[str]) -> dict[str, str]:
        """The state of the file."""
        return dict.fromkeys(sessions, self.state())

    def outlines(self, sessions: Sequence[str]) -> list[Outline]:
        """Refs of all messages and parts, messages in reading order."""
        return [self._outline(session) for session in sessions]

    def _outline(self, session: str) -> Outline:
        held = list(self._messages()) if session == self._session() else []
        parts = tuple(ref for _, _, parts in held for ref, _ in parts)
        return Outline(session, tuple(ref for ref, _, _ in held), parts)

    def _session(self) -> str:
        return as_string(as_object(self._document(), "info"), "id")

    def order(self, session: str) -> list[Place]:
        """All messages in reading order."""
        return [Place(0, ref.time, ref.id) for ref in self._outline(session).messages]

    def bodies(self, session: str, messages: Sequence[Ref], parts: Sequence[Ref]) -> Bodies:
        """Messages and parts by ref."""
        heads, wanted = {ref.id for ref in messages}, {(ref.parent, ref.id) for ref in parts}
        found: list[Message] = []
        held: list[Part] = []
        for ref, info, mine in self._messages():
            if ref.id in heads:
                found.append(json_session.message(info, session, ref))
            held += [
                json_session.part(fields, session, one)
                for one, fields in mine
                if (one.parent, one.id) in wanted
            ]
        return Bodies(tuple(found), tuple(held))

    def bodies_of(self, wanted: Sequence[Wanted]) -> list[Bodies]:
        """The same for several sessions, one after the other."""
        return [self.bodies(*one) for one in wanted]

    def window(self, session: str, messages: Sequence[str]) -> Bodies:
        """These messages with their parts, in reading order."""
        wanted = set(messages)
        outline = self._outline(session)
        return self.bodies(
            session,
            [ref for ref in outline.messages if ref.id in wanted],
            [ref for ref in outline.parts if ref.parent in wanted],
        )

    def find(self, beginning: str, limit: int) -> list[Found]:
        """What begins so, at most `limit` of each kind."""
        session = self._session()
        outline = self._outline(session)
        found = [Found("session", session, "", session)]
        found += [Found("message", ref.id, ref.id, session) for ref in outline.messages]
        found += [Found("part", ref.id, ref.parent, session) for ref in outline.parts]
        matching = [one for one in found if one.id.startswith(beginning)]
        return [
            one
            for kind in ("session", "message", "part")
            for one in [row for row in matching if row.kind == kind][:limit]
        ]

    def raw(self, found: Found) -> str | None:
        """The object of a message or part, laid out like the file."""
        for ref, info, parts in self._messages():
            if found.kind == "message" and ref.id == found.id:
                return json.dumps(info, ensure_ascii=False, indent=2)
            for one, fields in parts:
                if found.kind == "part" and (one.parent, one.id) == (found.message, found.id):
                    return json.dumps(fields, ensure_ascii=False, indent=2)
        return None


def _size(fields: Fields) -> int:
    return len(json.dumps(fields))


def is_export(path: Path) -> bool:
    """Whether a file begins as an export does."""
    try:
        with path.open("rb") as file:
            return _BEGINNING.match(file.read(256)) is not None
    except OSError:
        return False


def read_export(path: Path) -> Fields:
    """The whole export. Raises SOURCE_UNREADABLE where it is none."""
    try:
        document = content.decode(path.read_bytes())
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from error
    except ValueError as error:
        raise unreadable(path, f"its JSON is broken: {error}") from error
    named = as_string(as_object(document, "info"), "id")
    if not named or not isinstance(document.get("messages"), list):
        words = f"{path} is JSON, but no session that opencode exported (info, messages)"
        raise StoreError("SOURCE_UNSUPPORTED", words, str(path))
    return document
