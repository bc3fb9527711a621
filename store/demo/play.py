"""Plays one talk as opencode 1.18 would have, into a ledger of rows and events.

What a revert or a deletion takes away leaves the rows and stays in the events.
"""

from __future__ import annotations

from typing import Any

from store.demo.ids import Ids
from store.demo.ledger import Ledger
from store.demo.script import (
    Act,
    Archive,
    Ask,
    Block,
    Data,
    Drop,
    Project,
    Revert,
    Rewrite,
    Step,
    Talk,
)

PROVIDER = "northwind"
VERSION = "1.18.33"
_NO_TOKENS = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}


def play(
    talk: Talk,
    project: Project,
    ids: Ids,
    names: dict[str, str],
    start: int,
    origin: Ledger | None = None,
) -> Ledger:
    """The rows and events of a talk that began at `start` (ms).

    `names` gives what the marks of the script stand for, `origin` the talk this is a fork of.
    """
    player = _Player(talk, project, ids, names, start)
    if origin is not None:
        player.fork(origin)
    for act in talk.acts:
        player.act(act)
    return player.book


class _Player:
    def __init__(
        self, talk: Talk, project: Project, ids: Ids, names: dict[str, str], start: int
    ) -> None:
        self._talk = talk
        self._ids = ids
        self._names = names
        self._root = project.worktree
        self._directory = talk.directory or project.worktree
        self._hash = ids.digest() if project.vcs else ""
        self._mark = {"snapshot": self._hash} if self._hash else {}
        self._prompt = ""
        self._written = 0
        header = _header(talk, project, self._directory, names, start)
        self.book = Ledger(header["id"], ids, start, header)
        self.book.log("session.created.1", {"info": dict(header)})
        if talk.acts:
            header["title"] = talk.title

    def act(self, act: Act) -> None:
        """Plays one act."""
        book = self.book
        match act:
            case Ask():
                self._ask(act)
            case Step():
                self._step(act)
            case Revert():
                self._revert(act)
            case Drop():
                book.drop(book.labels[act.label])
            case Rewrite():
                book.clock += 90_000
                row = book.parts[book.labels[act.label]]
                book.put_part(row.id, row.owner, {**row.data, "text": act.text})
            case Archive():
                book.clock += 60_000
                book.header["time"] = {**book.header["time"], "archived": book.clock}
                book.touch()

    def fork(self, origin: Ledger) -> None:
        """Copies messages of another talk under fresh ids; their times stay, those of parts not."""
        book = self.book
        fresh: dict[str, str] = {}
        for message in origin.in_order():
            if message.id == origin.labels.get(self._talk.fork_until):
                break
            fresh[message.id] = self._ids.new("msg", book.clock)
            data = dict(message.data)
            if data.get("parentID") in fresh:
                data["parentID"] = fresh[data["parentID"]]
            book.put_message(fresh[message.id], data)
            for part in origin.parts_of(message.id):
                self._add(fresh[message.id], part.data, 1)
        book.header.update(cost=origin.header["cost"], tokens=origin.header["tokens"])

    # Acts ------------------------------------------------------------------------------------

    def _ask(self, act: Ask) -> None:
        book, talk = self.book, self._talk
        book.clock += act.after * 1000
        self._commit()
        model = {"id": talk.model, "providerID": PROVIDER}
        book.header.update(agent=talk.agent, model=model)
        book.touch()
        self._prompt = book.labels[act.label] = self._ids.new("msg", book.clock)
        data: Data = {
            "role": "user",
            "time": {"created": book.clock},
            "agent": talk.agent,
            "model": {"providerID": PROVIDER, "modelID": talk.model},
        }
        book.put_message(self._prompt, data)
        for block in act.blocks:
            book.labels[block.label] = self._add(self._prompt, self._fill(block.data), 2)
        book.put_message(self._prompt, {**data, "summary": {"diffs": []}})

    def _step(self, act: Step) -> None:
        book = self.book
        book.clock += 1400
        ident = book.labels[act.label] = self._ids.new("msg", book.clock)
        data = self._assistant(act)
        book.put_message(ident, data)
        if act.error is not None:
            book.clock += 900
            data.update(error=act.error, time={**data["time"], "completed": book.clock})
            book.put_message(ident, data)
            return
        if act.framed:
            self._add(ident, {"type": "step-start", **self._mark})
        for block in act.blocks:
            self._block(ident, block)
        if act.finish:
            self._finish(ident, act, data)

    def _assistant(self, act: Step) -> Data:
        agent = act.agent or self._talk.agent
        data: Data = {
            "role": "assistant",
            "parentID": self._prompt,
            "mode": agent,
            "agent": agent,
            "path": {"cwd": self._directory, "root": self._root},
            "cost": 0,
            "tokens": _NO_TOKENS,
            "modelID": self._talk.model,
            "providerID": PROVIDER,
            "time": {"created": self.book.clock},
        }
        if act.summary:
            data["summary"] = True
        return data

    def _finish(self, ident: str, act: Step, data: Data) -> None:
        """Closes a model call: its sums, the files it changed, the time it was done."""
        book = self.book
        written = sum(len(str(block.data)) for block in act.blocks)
        self._written += written
        tokens = {
            "total": 700 + written // 3 + self._written // 4,
            "input": 700,
            "output": written // 3,
            "reasoning": 0,
            "cache": {"read": self._written // 4, "write": 0},
        }
        cost = round(written * 0.000004 + 0.0021, 6)
        tools = any(block.data["type"] == "tool" for block in act.blocks)
        reason = "tool-calls" if tools and act.finish == "stop" else act.finish
        if act.framed:
            closing = {"type": "step-finish", "reason": reason, "cost": cost, "tokens": tokens}
            self._add(ident, {**closing, **self._mark})
            data.update(finish=reason, cost=cost, tokens=tokens)
            book.spend(cost, tokens)
        if act.files and self._hash:
            self._add(ident, {"type": "patch", "hash": self._hash, "files": list(act.files)})
        data["time"] = {**data["time"], "completed": book.clock}
        book.put_message(ident, data)
        book.touch()

    def _revert(self, act: Revert) -> None:
        book = self.book
        book.clock += 20_000
        revert: Data = {"messageID": book.labels[act.label]}
        if act.part:
            revert["partID"] = book.labels[act.part]
        book.header["revert"] = {**revert, **self._mark, "diff": act.diff}
        added = sum(row.startswith("+") and row[:3] != "+++" for row in act.diff.splitlines())
        files = act.diff.count("\n+++ ")
        book.header["summary"] = {"additions": added, "deletions": 0, "files": files}
        book.touch()

    def _commit(self) -> None:
        """Removes what a pending revert hides, as the next prompt does."""
        book = self.book
        revert = book.header.pop("revert", None)
        if revert is None:
            return
        part = revert.get("partID", "")
        order = [row.id for row in book.in_order()]
        tail = [row.id for row in book.parts_of(revert["messageID"])]
        for ident in order[order.index(revert["messageID"]) + bool(part) :]:
            book.drop(ident)
        for ident in tail[tail.index(part) :] if part else []:
            book.drop(ident)

    # Parts -----------------------------------------------------------------------------------

    def _block(self, message: str, block: Block) -> None:
        """Writes a part of a model call as often as the program does: begun, running, done."""
        book = self.book
        book.clock += 60
        ident = book.labels[block.label] = self._ids.new("prt", book.clock)
        data = self._fill(block.data)
        if block.spill:
            data = self._spill(data, block.spill)
        if data["type"] == "tool":
            self._tool(ident, message, data, block.ms)
        elif data["type"] in ("text", "reasoning"):
            start = book.clock
            book.put_part(ident, message, {**data, "text": "", "time": {"start": start}})
            book.clock += block.ms
            book.put_part(ident, message, {**data, "time": {"start": start, "end": book.clock}})
        else:
            book.put_part(ident, message, data)

    def _tool(self, ident: str, message: str, data: Data, ms: int) -> None:
        book = self.book
        data = {**data, "callID": f"call_{ident[-14:]}"}
        state: Data = data["state"]
        waiting = {"status": "pending", "input": {}, "raw": ""}
        book.put_part(ident, message, {**data, "state": waiting})
        if state["status"] == "pending":
            return
        book.clock += 45
        start = book.clock
        begun = {"status": "running", "input": state["input"], "time": {"start": start}}
        if state["status"] == "running":
            book.put_part(ident, message, {**data, "state": {**state, **begun}})
            return
        book.put_part(ident, message, {**data, "state": begun})
        book.clock += ms
        state = {**state, "time": {"start": start, "end": book.clock}}
        book.put_part(ident, message, {**data, "state": state})
        if data["tool"] == "todowrite" and state["status"] == "completed":
            book.todos = state["input"]["todos"]
            book.todo_time = book.clock

    def _spill(self, data: Data, whole: str) -> Data:
        name = self._ids.new("tool", self.book.clock)
        self.book.spills[name] = whole
        filled: Data = _replace(data, {"spill": f"{self._names['store']}/tool-output/{name}"})
        return filled

    def _add(self, message: str, data: Data, ms: int = 15) -> str:
        self.book.clock += ms
        ident = self._ids.new("prt", self.book.clock)
        self.book.put_part(ident, message, data)
        return ident

    def _fill(self, data: Data) -> Data:
        filled: Data = _replace(data, self._names)
        return filled


def _header(
    talk: Talk, project: Project, directory: str, names: dict[str, str], start: int
) -> Data:
    """The session as it was created."""
    header: Data = {
        "id": names[f"session:{talk.key}"],
        "slug": talk.slug,
        "projectID": names[f"project:{project.key}"],
        "directory": directory,
        "path": "" if project.vcs else directory.lstrip("/"),
        "cost": 0.0,
        "tokens": _NO_TOKENS,
        "title": "New session" if talk.acts else talk.title,
        "version": VERSION,
        "time": {"created": start, "updated": start},
    }
    if talk.parent:
        header["parentID"] = names[f"session:{talk.parent}"]
        header["permission"] = [{"permission": "task", "pattern": "*", "action": "deny"}]
    return header


def _replace(value: Any, names: dict[str, str]) -> Any:
    """The value with every `«name»` in its strings replaced."""
    if isinstance(value, dict):
        return {key: _replace(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_replace(item, names) for item in value]
    if isinstance(value, str) and "«" in value:
        for name, meant in names.items():
            value = value.replace(f"«{name}»", meant)
    return value
