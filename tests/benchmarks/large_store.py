"""A large store in the tables of opencode, to measure with.

    python -m tests.benchmarks.large_store --parts 200000 --out FILE [--seed 1] [--zh DIR]

The same arguments make the same rows. Chinese comes from a few built-in words, or from the plain
texts below DIR. One session has a tenth of all messages; about one output in 1,500 has 1 MB.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from store.demo import schema
from tests.benchmarks.texts import Texts

MODULE = "tests.benchmarks.large_store"
BEGIN = 1_767_225_600_000
"""2026-01-01 in ms."""
MINUTE = 60_000
LONG_SHARE = 0.1
CHINESE_SHARE = 0.25
MEGABYTE = 1_000_000
ROWS = 2_000
INDEXES = (
    "create index message_session_time_created_id_idx on message (session_id, time_created, id)",
    "create index part_session_idx on part (session_id)",
    "create index part_message_id_id_idx on part (message_id, id)",
)
KINDS = {
    "tool": 34, "step-start": 16, "step-finish": 16, "text": 14, "reasoning": 12, "patch": 4,
    "file": 1, "snapshot": 1, "retry": 0.5, "compaction": 0.3, "agent": 0.3, "subtask": 0.4,
}  # fmt: skip
TOOLS = {"bash": 34, "read": 29, "edit": 16, "grep": 9, "write": 4, "glob": 4, "webfetch": 3}

Row = tuple[Any, ...]


class Maker:
    """Sessions, messages and parts, one after the other."""

    def __init__(self, parts: int, seed: int, chinese: Path | None) -> None:
        self.texts = Texts(seed, chinese)
        self.random = self.texts.random
        self.wanted = parts
        self.made = 0
        self._now = BEGIN
        self._count = 0
        noise = self.random.randbytes(120_000)
        self._base64 = base64.b64encode(noise).decode("ascii")

    def ident(self, kind: str) -> str:
        """An id that comes after all earlier ones."""
        self._count += 1
        value = (self._now << 12 | self._count & 0xFFF) & 0xFFFFFFFFFFFF
        return f"{kind}_{value:012x}{self.texts.hexadecimal(14)}"

    def size(self, median: int, spread: float, most: int) -> int:
        """A length with a long tail."""
        return min(most, 1 + int(median * math.exp(self.random.gauss(0, spread))))

    def said(self, size: int) -> str:
        """Something said, in English or Chinese."""
        chinese = self.random.random() < CHINESE_SHARE
        return self.texts.chinese(size) if chinese else self.texts.prose(size)

    # Rows ------------------------------------------------------------------------------------

    def sessions(self) -> Iterator[tuple[Row, list[Row], list[Row]]]:
        """Sessions with their messages and parts until there are enough."""
        long = int(self.wanted * LONG_SHARE)
        yield self._session(long)
        while self.made < self.wanted:
            yield self._session(min(self.wanted - self.made, self.size(70, 1.0, 2_000)))

    def _session(self, parts: int) -> tuple[Row, list[Row], list[Row]]:
        ident, began = self.ident("ses"), self._now
        messages: list[Row] = []
        rows: list[Row] = []
        while len(rows) < parts:
            role = "user" if len(messages) % 3 == 0 else "assistant"
            messages.append(self._message(ident, role, messages))
            count = 1 if role == "user" else min(parts - len(rows), self.random.randint(2, 8))
            rows += [self._part(ident, messages[-1][0], role) for _ in range(count)]
        self.made += len(rows)
        title = self.said(40).replace("\n", " ")
        row = (ident, "p1", "slug", "/home/dev/work", title, "1.18.33", began, self._now)
        self._now += self.random.randrange(120 * MINUTE)
        return row, messages, rows

    def _message(self, session: str, role: str, earlier: list[Row]) -> Row:
        self._now += self.random.randrange(200, MINUTE)
        data: dict[str, Any] = {"role": role, "time": {"created": self._now}, "agent": "build"}
        if role == "user":
            data["model"] = {"providerID": "example", "modelID": "large-1"}
        else:
            data["time"]["completed"] = self._now + 4_000
            data |= {"parentID": earlier[-1][0], "providerID": "example", "modelID": "large-1"}
            data["tokens"] = {"input": self.random.randrange(9_000), "output": 200}
        return (self.ident("msg"), session, self._now, self._now, _json(data))

    def _part(self, session: str, message: str, role: str) -> Row:
        self._now += self.random.randrange(10, 900)
        kind = "text" if role == "user" else self._one_of(KINDS)
        data = {"type": kind, **self._fields(kind)}
        return (self.ident("prt"), message, session, self._now, self._now, _json(data))

    def _one_of(self, shares: dict[str, Any]) -> str:
        return self.random.choices(list(shares), list(shares.values()))[0]

    # Kinds -----------------------------------------------------------------------------------

    def _fields(self, kind: str) -> dict[str, Any]:
        digest = self.texts.hexadecimal(40)
        match kind:
            case "tool":
                return self._tool()
            case "text" | "reasoning":
                text = self.said(self.size(450, 1.2, 60_000))
                return {"text": text, "time": {"start": self._now, "end": self._now + 500}}
            case "step-start" | "snapshot":
                return {"snapshot": digest}
            case "step-finish":
                tokens = {"input": self.random.randrange(9_000), "output": 300, "reasoning": 0}
                return {"reason": "tool-calls", "snapshot": digest, "cost": 0.01, "tokens": tokens}
            case "patch":
                return {"hash": digest, "files": [self.texts.path() for _ in range(3)]}
            case "file":
                some = self._base64[self.random.randrange(1_000) : self.size(100_000, 0.4, 160_000)]
                url = "data:image/png;base64," + some
                return {"mime": "image/png", "filename": f"{self.texts.name()}.png", "url": url}
            case "retry":
                error = {"name": "APIError", "data": {"message": self.texts.log(60, self._now)}}
                return {"attempt": 1, "error": error}
            case "subtask":
                return {"prompt": self.said(400), "description": "look", "agent": "general"}
            case "agent":
                return {"name": "explore"}
        return {"auto": True}

    def _tool(self) -> dict[str, Any]:
        name = self._one_of(TOOLS)
        huge = self.random.random() < 1 / 1_500
        size = MEGABYTE if huge else self.size(1_100, 1.6, 300_000)
        given, output, metadata = self._call(name, size)
        state: dict[str, Any] = {"status": "completed", "input": given, "title": name}
        state["time"] = {"start": self._now, "end": self._now + self.random.randrange(9_000)}
        if self.random.random() < 0.06:
            state |= {"status": "error", "error": f"Error: {self.texts.log(80, self._now)}"}
        else:
            state |= {"output": output, "metadata": metadata}
        return {"tool": name, "callID": f"call_{self.texts.hexadecimal(24)}", "state": state}

    def _call(self, name: str, size: int) -> tuple[dict[str, Any], str, dict[str, Any]]:
        """A tool's input, its output of about that size, its metadata."""
        texts, path = self.texts, self.texts.path()
        match name:
            case "bash":
                given = {"command": f"make {texts.name()} && tail -n 50 {path}"}
                output = texts.log(size, self._now)
                return given, output, {"exit": 0, "output": output[:30_000]}
            case "read":
                output = texts.listing(size)
                return {"filePath": path, "limit": 2_000}, output, {"preview": output[:600]}
            case "edit":
                diff, file = texts.diff(self.size(400, 1.0, 9_000)), texts.code(9_000)
                given = {"filePath": path, "oldString": texts.code(150), "newString": diff[-200:]}
                change = {"file": path, "patch": diff, "before": file, "after": file + diff}
                return given, "Edit applied.", {"diff": diff, "filediff": change}
            case "grep":
                lines = texts.code(size).split("\n")
                output = "\n".join(f"{path}:{place}: {line}" for place, line in enumerate(lines))
                return {"pattern": texts.name()}, output, {"matches": len(lines)}
            case "write":
                content = texts.code(self.size(2_500, 1.0, 60_000))
                return {"filePath": path, "content": content}, "Wrote file.", {}
            case "glob":
                output = "\n".join(texts.path() for _ in range(min(100, 1 + size // 40)))
                return {"pattern": f"**/*{texts.name()}*"}, output, {}
        return {"url": f"https://example.org/{path}"}, self.said(size), {}


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def build(out: Path, parts: int, seed: int, chinese: Path | None) -> None:
    """Writes the store into a new file."""
    connection = sqlite3.connect(out, isolation_level=None)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    for table in (schema.PROJECT, schema.SESSION, schema.MESSAGE, schema.PART):
        connection.execute(table)
    connection.execute("BEGIN")
    connection.execute(
        "INSERT INTO project(id, worktree, name, time_created, time_updated, sandboxes)"
        " VALUES('p1', '/home/dev/work', 'work', ?, ?, '[]')",
        (BEGIN, BEGIN),
    )
    for session, messages, rows in Maker(parts, seed, chinese).sessions():
        connection.execute(
            "INSERT INTO session(id, project_id, slug, directory, title, version, time_created,"
            " time_updated) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            session,
        )
        connection.executemany("INSERT INTO message VALUES(?, ?, ?, ?, ?)", messages)
        connection.executemany("INSERT INTO part VALUES(?, ?, ?, ?, ?, ?)", rows)
    for index in INDEXES:
        connection.execute(index)
    connection.execute("COMMIT")
    connection.close()


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("--parts", type=int, default=20_000, help="how many parts (20,000)")
    parser.add_argument("--seed", type=int, default=1, help="other seeds make other stores (1)")
    parser.add_argument("--zh", type=Path, metavar="DIR", help="a folder of Chinese documents")
    parser.add_argument("--out", type=Path, required=True, help="the file to make")
    given = parser.parse_args()
    if given.out.exists():
        parser.error(f"{given.out} is there already")
    build(given.out, given.parts, given.seed, given.zh)
    print(f"{given.out}: {given.parts:,} parts, {given.out.stat().st_size / MEGABYTE:,.0f} MB")


if __name__ == "__main__":
    main()
