"""A soak: an agent writes ten times a second, a person presses keys, both are killed over and over.

    python -m tests.benchmarks.soak [--minutes 10] [--seed 0] [--screens 2]

The writer is a process of its own that adds, changes, finishes, reverts and deletes. The screens
are real ones without a terminal, that follow the store over one index and get random keys. At the
end the writer stops, one pass catches up, and what is live in the index must equal what a fresh
index has of the same store, document by document. Anything else, and every screen that ended by
itself, is told, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from random import Random

import apsw

from store.hits import Documents
from store.library import Library
from store.model import KINDS
from tests.makers import opencode_db, two_talks

MODULE = "tests.benchmarks.soak"
PACE_S = 0.1
LIVES_S = (4.0, 25.0)
"""A process lives so long before it is killed, at least and at most."""
KEYS = "j k j k down up enter escape slash a e r g G n N space z t d 1 2 tab plus question_mark s"
MORE_KEYS = "left_square_bracket right_square_bracket f5 F u U pagedown pageup p v"
LIVE = """
SELECT d.id, d.kind FROM doc d JOIN session s ON s.id = d.session
    LEFT JOIN message m ON m.id = d.message LEFT JOIN part p ON p.id = d.part
WHERE s.fate = 'live' AND coalesce(m.fate, 'live') IN ('live', 'reverted')
    AND coalesce(p.fate, 'live') IN ('live', 'reverted')
"""

# The writer --------------------------------------------------------------------------------------


class Agent:
    """Commits one change after another to a store."""

    def __init__(self, path: Path, seed: int) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, timeout=10)
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma foreign_keys = on")
        self._chance = Random(seed)
        self._number = seed * 1_000_000

    def _new(self, kind: str) -> str:
        self._number += 1
        return f"{kind}_soak_{self._number:012}"

    def _some(self, table: str) -> tuple[str, str]:
        columns = "id, id" if table == "session" else "id, session_id"
        rows = self._db.execute(
            f"select {columns} from {table} order by rowid desc limit 60"
        ).fetchall()
        row = self._chance.choice(rows)
        return str(row[0]), str(row[1])

    def step(self) -> None:
        """One transaction."""
        steps = [self._say, self._say, self._say, self._change, self._run, self._run]
        steps += [self._title, self._session, self._delete, self._revert, self._archive]
        self._db.execute("begin immediate")
        self._chance.choice(steps)()
        self._db.execute("commit")

    def _words(self) -> str:
        word = self._chance.choice(["port", "pool", "连接池", "retry", "socket", "the", "error"])
        return " ".join([word, *(f"w{self._chance.randrange(5_000)}" for _ in range(20))])

    def _touch(self, session: str, now: int) -> None:
        self._db.execute("update session set time_updated = ? where id = ?", (now, session))
        self._db.execute(
            "insert into event_sequence(aggregate_id, seq) values(?, 1)"
            " on conflict(aggregate_id) do update set seq = seq + 1",
            (session,),
        )

    def _put_part(self, message: str, session: str, data: object) -> None:
        now = time.time_ns() // 1_000_000
        self._db.execute(
            "insert into part values(?, ?, ?, ?, ?, ?)",
            (self._new("prt"), message, session, now, now, json.dumps(data)),
        )
        self._touch(session, now)

    def _say(self) -> None:
        session = self._some("session")[0]
        now, ident = time.time_ns() // 1_000_000, self._new("msg")
        data = json.dumps({"role": "user", "time": {"created": now}, "agent": "build"})
        self._db.execute("insert into message values(?,?,?,?,?)", (ident, session, now, now, data))
        for _ in range(self._chance.randrange(1, 4)):
            self._put_part(ident, session, {"type": "text", "text": self._words()})

    def _run(self) -> None:
        part, session = self._some("part")
        now = time.time_ns() // 1_000_000
        state = {"status": "running", "input": {"command": self._words()}, "time": {"start": now}}
        if self._chance.random() < 0.5:
            state |= {"status": "completed", "output": self._words(), "title": "ran"}
            state["time"] = {"start": now - 5, "end": now}
        data = json.dumps({"type": "tool", "tool": "bash", "callID": part, "state": state})
        sql = "update part set data = ?, time_updated = ? where id = ?"
        self._db.execute(sql, (data, now, part))
        self._touch(session, now)

    def _change(self) -> None:
        part, session = self._some("part")
        now = time.time_ns() // 1_000_000
        data = json.dumps({"type": "text", "text": self._words()})
        sql = "update part set data = ?, time_updated = ? where id = ?"
        self._db.execute(sql, (data, now, part))
        self._touch(session, now)

    def _title(self) -> None:
        session = self._some("session")[0]
        self._db.execute("update session set title = ? where id = ?", (self._words(), session))
        self._touch(session, time.time_ns() // 1_000_000)

    def _session(self) -> None:
        if self._chance.random() < 0.8:
            return
        now = time.time_ns() // 1_000_000
        self._db.execute(
            "insert into session(id, project_id, slug, directory, title, version, time_created,"
            " time_updated) select ?, project_id, 'soak', directory, 'Soaked', version, ?, ?"
            " from session limit 1",
            (self._new("ses"), now, now),
        )

    def _delete(self) -> None:
        table = self._chance.choice(["part", "part", "part", "message", "message", "session"])
        ident, session = self._some(table)
        if table == "session" and self._chance.random() < 0.9:
            return
        self._db.execute(f"delete from {table} where id = ?", (ident,))
        if table == "session":
            self._db.execute("delete from event_sequence where aggregate_id = ?", (ident,))
        else:
            self._touch(session, time.time_ns() // 1_000_000)

    def _revert(self) -> None:
        message, session = self._some("message")
        told = json.dumps({"messageID": message}) if self._chance.random() < 0.5 else None
        self._db.execute("update session set revert = ? where id = ?", (told, session))
        self._touch(session, time.time_ns() // 1_000_000)

    def _archive(self) -> None:
        session = self._some("session")[0]
        moment = self._chance.choice([None, time.time_ns() // 1_000_000])
        self._db.execute("update session set time_archived = ? where id = ?", (moment, session))


def write(path: Path, seed: int) -> None:
    """Commits until it is killed."""
    agent = Agent(path, seed)
    while True:
        agent.step()
        time.sleep(PACE_S)


# The screens -------------------------------------------------------------------------------------


async def press(store: Path, index: Path, seed: int) -> None:
    """Presses random keys on a screen until it is killed."""
    from tests.tui.helpers import shell

    store, index = store.resolve(), index.resolve()
    os.chdir(tempfile.mkdtemp(dir=index.parent.parent))  # keys that save files save them there
    chance = Random(seed)
    keys = [*KEYS.split(), *MORE_KEYS.split()]
    async with shell(Library.open(sources=[store], index=index), rest=False) as opened:
        while True:
            await opened.pilot.press(chance.choice(keys))
            await asyncio.sleep(chance.choice([0, 0.02, 0.2]))
            if opened.app._exception is not None:
                raise opened.app._exception


# All together ------------------------------------------------------------------------------------


class Lives:
    """A process that is started anew each time it was killed."""

    def __init__(self, name: str, chance: Random, *arguments: object) -> None:
        self._name = name
        self._chance = chance
        self._arguments = arguments
        self._started = 0
        self.killed = 0
        self.findings: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._started += 1
        command = [sys.executable, "-m", MODULE, f"--{self._name}", *map(str, self._arguments)]
        command += ["--seed", str(self._chance.randrange(1, 1_000_000))]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self._end = time.monotonic() + self._chance.uniform(*LIVES_S)

    def tick(self) -> None:
        """Kills it when its time has come; notes where it ended by itself."""
        if self._process.poll() is not None:
            assert self._process.stderr is not None
            words = self._process.stderr.read()[-3_000:]
            self.findings.append(f"a {self._name} ended by itself: {words}")
            self._begin()
        elif time.monotonic() > self._end:
            self.kill()
            self._begin()

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._process.communicate()
        self.killed += 1


def live(index: Path) -> set[tuple[object, ...]]:
    """All documents of what is live, by names and text."""
    with closing(apsw.Connection(str(index))) as db:
        idents = [row[0] for row in db.execute(LIVE)]
        return {
            (one.row[4], one.row[8], one.row[14], KINDS[one.row[1]], one.body.text)
            for one in Documents(db).found(idents)
        }


def compared(store: Path, index: Path, fresh: Path) -> list[str]:
    """Catches up, makes a fresh index, and says how they differ."""
    for path in (index, fresh):
        held = Library.open(sources=[store], index=path)
        held.sync(threading.Event())
        held.close()
    mine, theirs = live(index), live(fresh)
    print(f"{len(theirs):,} live documents in a fresh index, {len(mine):,} in the one that soaked")
    told = [f"too many: {one}" for one in sorted(mine - theirs, key=repr)[:5]]
    told += [f"missing: {one}" for one in sorted(theirs - mine, key=repr)[:5]]
    return told + [f"integrity: {row}" for row in broken(index)]


def broken(index: Path) -> list[str]:
    """What SQLite finds wrong with an index."""
    with closing(apsw.Connection(str(index))) as db:
        rows = [str(row[0]) for row in db.execute("pragma integrity_check")]
        db.execute("insert into fts(fts) values('integrity-check')")
    return [row for row in rows if row != "ok"]


def soak(folder: Path, minutes: float, seed: int, screens: int) -> list[str]:
    """Runs it and returns the findings."""
    chance = Random(seed)
    store = opencode_db(folder / "opencode.db", sessions=two_talks())
    index = folder / "ours" / "index.db"
    all_lives = [Lives("writer", chance, store)]
    all_lives += [Lives("screen", chance, store, index) for _ in range(screens)]
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        time.sleep(0.2)
        for one in all_lives:
            one.tick()
    for one in all_lives:
        one.kill()
    print(f"{sum(one.killed for one in all_lives)} kills in {minutes:g} minutes")
    findings = [words for one in all_lives for words in one.findings]
    findings += [str(path) for path in index.parent.glob("*.damaged*")]
    return findings + compared(store, index, folder / "fresh.db")


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}")
    parser.add_argument("--minutes", type=float, default=10, help="how long (default 10)")
    parser.add_argument("--seed", type=int, default=0, help="of all that is random (default 0)")
    parser.add_argument("--screens", type=int, default=2, help="how many (default 2)")
    parser.add_argument("--writer", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--screen", type=Path, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.writer:
        write(given.writer, given.seed)
    elif given.screen:
        store, index = given.screen
        asyncio.run(press(store, index, given.seed))
    else:
        with tempfile.TemporaryDirectory() as name:
            findings = soak(Path(name), given.minutes, given.seed, max(1, given.screens))
        print("\n".join(findings) or "nothing was found")
        raise SystemExit(bool(findings))


if __name__ == "__main__":
    main()
