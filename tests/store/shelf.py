"""What tests of the store core share: libraries over made stores, edits, the index laid bare."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from store.hits import Documents
from store.library import Library
from store.model import KINDS, Hit, Report, Window
from store.tags import MARK
from tests.makers import BASE, MessageSpec, PartSpec, SessionSpec, opencode_db, text, tool
from tests.makers.rows import to_json


class Document(NamedTuple):
    """A document by what it is about; `words` are its tokens in their order in the full text."""

    source: str
    session: str
    message: str | None
    part: str | None
    kind: str
    body: str
    words: tuple[str, ...]


def library(index: Path, *stores: Path) -> Library:
    """A library over these stores with its index there."""
    return Library.open(sources=stores, index=index)


def synced(index: Path, *stores: Path, rebuild: bool = False) -> Report:
    """Brings an index up to date once."""
    held = library(index, *stores)
    try:
        return held.sync(threading.Event(), rebuild=rebuild)
    finally:
        held.close()


def sync(held: Library) -> Report:
    """Brings a library up to date."""
    return held.sync(threading.Event())


def edit(path: Path, *statements: tuple[str, Sequence[Any]]) -> None:
    """Changes a store as its producer would, foreign keys on."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma foreign_keys = on")
        for sql, values in statements:
            db.execute(sql, values)
        db.commit()


def say(path: Path, part: str, words: str, moment: int) -> None:
    """Gives a text part another text."""
    data = to_json({"type": "text", "text": words})
    edit(path, ("update part set data = ?, time_updated = ? where id = ?", (data, moment, part)))


def add_part(path: Path, part: str, message: str, session: str, data: Any, moment: int) -> None:
    """Adds a part, whether or not its message is there."""
    sql = (
        "insert into part(id, message_id, session_id, time_created, time_updated, data)"
        " values(?, ?, ?, ?, ?, ?)"
    )
    off = ("pragma foreign_keys = off", ())
    edit(path, off, (sql, (part, message, session, moment, moment, to_json(data))))


def talk(name: str, *messages: MessageSpec, **more: Any) -> SessionSpec:
    """A session with the id `ses_<name>` and that title."""
    return SessionSpec(more.pop("title", name), messages, id=f"ses_{name}", **more)


def one_talk(path: Path) -> Path:
    """A store with one session: a question and an answer of two parts."""
    spec = talk(
        "one",
        MessageSpec("user", [PartSpec(text("alpha question"), id="prt_ask")], id="msg_ask"),
        MessageSpec(
            "assistant",
            [
                PartSpec(tool("bash", {"command": "ls"}, "bravo output"), id="prt_tool"),
                PartSpec(text("charlie answer"), id="prt_say"),
            ],
            id="msg_say",
        ),
        title="delta title",
    )
    return opencode_db(path, sessions=[spec])


LATER = BASE + 90_000_000
DELETE = {
    "part": ("delete from part where id = 'prt_say'", ()),
    "message": ("delete from message where id = 'msg_say'", ()),
    "session": ("delete from session where id = 'ses_one'", ()),
}


def documents(index: Path) -> list[Document]:
    """All that can be found, sorted, without tags; fails where the full text holds more."""
    with closing(apsw.Connection(str(index))) as db:
        words: dict[int, list[tuple[int, str]]] = {}
        db.execute("create virtual table temp.words using fts5vocab(main, fts, instance)")
        for term, ident, place in db.execute("select term, doc, offset from temp.words"):
            words.setdefault(ident, []).append((place, term))
        found = []
        idents = [row[0] for row in db.execute("select id from doc order by id")]
        for one in Documents(db).found(idents):
            row = one.row
            put = sorted(words.pop(row[0], []))
            said = tuple(word for _, word in put if not word.startswith(MARK))
            about = (row[3], row[4], row[8], row[14], KINDS[row[1]])
            found.append(Document(*about, one.body.text, said))
    assert not words, "the full text has documents that nothing knows"
    return sorted(found, key=repr)


def fates(index: Path, table: str) -> dict[Any, tuple[Any, ...]]:
    """The fate and cause of every message, the evidence as well of every part, by native id."""
    more = ", evidence" if table == "part" else ""
    with closing(apsw.Connection(str(index))) as db:
        rows = db.execute(f"select native, fate, cause{more} from {table}").fetchall()
    return {row[0]: tuple(row[1:]) for row in rows}


def found(held: Library, text: str, **more: Any) -> list[str]:
    """The native ids of all hits, in their order, through all pages."""
    return [hit.part or hit.message or hit.session for hit in every_hit(held, text, **more)]


def every_hit(held: Library, text: str, **more: Any) -> list[Hit]:
    """All hits of a query through all of its pages."""
    hits: list[Hit] = []
    cursor = None
    while True:
        answer = held.search(text, cursor=cursor, **more)
        hits += answer.hits
        cursor = answer.cursor
        if cursor is None:
            return hits


def bytes_of(paths: Iterable[Path]) -> dict[str, bytes]:
    """The bytes of files by name."""
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def opened(tmp_path: Path, *specs: SessionSpec) -> Library:
    """A library over one store with these sessions, brought up to date."""
    held = library(tmp_path / "index.db", opencode_db(tmp_path / "opencode.db", sessions=specs))
    sync(held)
    return held


def ids(window: Window) -> list[str]:
    """The messages of a window by id."""
    return [one.message.id for one in window.messages]


def ten(tmp_path: Path, count: int = 10) -> Library:
    """One session of messages msg_0000 and on, each with a part of the same number."""
    messages = [
        MessageSpec("user", [PartSpec(text(f"said {n}"), id=f"prt_{n:04}")], id=f"msg_{n:04}")
        for n in range(count)
    ]
    return opened(tmp_path, talk("one", *messages))


def numbers(window: Window) -> list[int]:
    """The messages of a window of `ten` by number."""
    return [int(one.message.id[4:]) for one in window.messages]
