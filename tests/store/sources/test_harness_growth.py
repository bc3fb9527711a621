"""A log that grows is read on from its last whole frame or line, and told as if read anew."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store.sources.harness import HarnessSource, open_store
from store.sources.harness_reading import GROWING
from store.sources.harness_talk import Talk
from tests.makers import BASE
from tests.makers.harness import (
    LogSpec,
    assistant,
    call,
    frame,
    harness_home,
    small_talk,
    text,
    title,
    to_line,
    todos,
    tool_result,
    turn_end,
    turn_start,
    user,
)

NOISE = [user(os.urandom(3000).hex(), f"n{number}") for number in range(40)]
"""What no compression makes small: 120 KB at least."""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each read of a file gave, from now on."""
    told: list[int] = []
    real = Path.open

    class Counting:
        def __init__(self, file: Any) -> None:
            self._file = file

        def __enter__(self) -> Counting:
            return self

        def __exit__(self, *_: object) -> None:
            self._file.close()

        def read(self, size: int) -> bytes:
            data: bytes = self._file.read(size)
            told.append(len(data))
            return data

        def seek(self, place: int) -> int:
            return int(self._file.seek(place))

    def counted(self: Path, *given: Any, **more: Any) -> Any:
        file = real(self, *given, **more)
        return Counting(file) if "session" in self.name and given == ("rb", 0) else file

    monkeypatch.setattr(Path, "open", counted)
    return told


def log_of(home: Path, ident: str = "session-one") -> Path:
    (path,) = home.glob(f"sessions/*/{ident}/session*.jsonl*")
    return path


def source_of(home: Path) -> HarnessSource:
    return open_store(home / "sessions")


def talk_of(source: HarnessSource, ident: str = "session-one") -> Talk:
    source.listing("dsh")
    return source._talk(ident)


def numbered(seq: int, *events: dict[str, Any]) -> list[bytes]:
    return [
        to_line({**one, "seq": seq + place, "time": BASE + 10 * (seq + place)})
        for place, one in enumerate(events)
    ]


def grow(path: Path, data: bytes) -> None:
    """Appends as dsh does; what is written is new enough to be followed."""
    with open(path, "ab") as file:
        file.write(data)
    os.utime(path, ns=(time.time_ns(), time.time_ns() + len(data)))


@pytest.mark.parametrize("packed", [True, False])
def test_only_what_is_new_is_read(tmp_path: Path, read: list[int], packed: bool) -> None:
    home = harness_home(tmp_path, [LogSpec(events=NOISE)], packed=packed)
    log, source = log_of(home), source_of(home)
    assert len(talk_of(source).messages) == 40
    assert sum(read) > 100_000
    for seq in (40, 41):
        read.clear()
        (line,) = numbered(seq, user("quartz", f"q{seq}"))
        grow(log, frame(line) if packed else line)
        assert talk_of(source).messages[-1].id == f"q{seq}"
        assert sum(read) < 2_500, "the header again, a check of the place, the new row"


def steps() -> list[dict[str, Any]]:
    """A talk in which much depends on what was before."""
    return [
        *small_talk(),
        turn_start(2),
        user("again", "u2"),
        assistant(call("bash", '{"command":"make"}', "call_2"), ident="a3", turn=2),
        todos(("pending", "ship it")),
        tool_result("built", "call_2"),
        title("Build it"),
        assistant(text("done"), ident="a4", turn=2),
        turn_end("error", 2, error={"message": "overloaded"}),
    ]


@pytest.mark.parametrize("packed", [True, False])
def test_a_log_read_step_by_step_is_the_log_read_at_once(tmp_path: Path, packed: bool) -> None:
    home = harness_home(tmp_path, [LogSpec()], packed=packed)
    log, growing = log_of(home), source_of(home)
    for line in numbered(0, *steps()):
        grow(log, frame(line) if packed else line)
        assert talk_of(growing) == talk_of(source_of(home))
    assert talk_of(growing).title == "Build it"


@pytest.mark.parametrize("packed", [True, False])
def test_a_torn_end_is_told_and_read_again_once_it_is_whole(tmp_path: Path, packed: bool) -> None:
    home = harness_home(tmp_path, [LogSpec(events=NOISE[:2])], packed=packed)
    log, source = log_of(home), source_of(home)
    lines = b"".join(numbered(2, user("quartz", "q2"), user("onyx " * 30, "q3")))
    data = frame(lines) if packed else lines
    grow(log, data[:-9])
    torn = talk_of(source)
    assert (torn.whole, torn.messages[1].id) == (False, "n1")
    grow(log, data[-9:])
    whole = talk_of(source)
    assert [one.id for one in whole.messages] == ["n0", "n1", "q2", "q3"]
    assert (whole.whole, whole.faults) == (True, ())


def test_a_row_in_two_frames_is_read_from_the_first(tmp_path: Path) -> None:
    home = harness_home(tmp_path, [LogSpec(events=NOISE[:2])])
    log, source = log_of(home), source_of(home)
    (line,) = numbered(2, user("quartz", "q2"))
    grow(log, frame(line[:20]))
    assert [one.id for one in talk_of(source).messages] == ["n0", "n1"]
    grow(log, frame(line[20:]))
    talk = talk_of(source)
    assert [one.id for one in talk.messages] == ["n0", "n1", "q2"]
    assert talk.whole


def shrink(path: Path) -> None:
    """A shorter log in the same file."""
    path.write_bytes(b"".join([path.read_bytes()[:120], b"cut"]))


def rewrite(path: Path) -> None:
    """Another log of the same length, and more, in the same file."""
    other = harness_home(path.parents[4] / "other", [LogSpec(events=[*NOISE[3:6], *NOISE[:3]])])
    path.write_bytes(log_of(other).read_bytes())


@pytest.mark.parametrize("change", [shrink, rewrite])
def test_a_log_that_was_rewritten_is_read_anew(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    home = harness_home(tmp_path / "home", [LogSpec(events=NOISE[:3])])
    log, source = log_of(home), source_of(home)
    talk_of(source)
    change(log)
    grow(log, b"")
    assert talk_of(source) == talk_of(source_of(home))


def test_a_newer_generation_is_another_log(tmp_path: Path) -> None:
    home = harness_home(tmp_path, [LogSpec(events=[user("old")], version=3)])
    source = source_of(home)
    assert len(talk_of(source).messages) == 1
    harness_home(tmp_path, [LogSpec(events=[user("old"), user("new", "u2")], version=4)])
    assert [one.id for one in talk_of(source).messages] == ["u1", "u2"]


def test_several_logs_may_grow_by_turns(tmp_path: Path, read: list[int]) -> None:
    names = [f"s{number}" for number in range(GROWING)]
    home = harness_home(tmp_path, [LogSpec(name, NOISE) for name in names])
    source = source_of(home)
    for name in names:
        talk_of(source, name)
    for name in names:
        grow(log_of(home, name), frame(*numbered(40, user("quartz", "q"))))
        source.listing("dsh")
        read.clear()
        assert source._talk(name).messages[-1].id == "q"
        assert sum(read) < 500


# Ids in logs that nobody read ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("beginning", "kind", "ident"),
    [
        ("session-tw", "session", "session-two"),
        ("u7", "message", "u7"),
        ("u7#0", "part", "u7#0"),
        ("session-two#turn-1", "message", "session-two#turn-1"),
    ],
)
def test_an_id_is_found_in_whichever_log_has_it(
    tmp_path: Path, beginning: str, kind: str, ident: str
) -> None:
    failed = [turn_start(), turn_end("error", error={"message": "overloaded"})]
    home = harness_home(
        tmp_path,
        [
            LogSpec("session-one", small_talk()),
            LogSpec("session-two", [user("seven", "u7"), *failed]),
            LogSpec("session-three", small_talk(), version=3),
        ],
    )
    found = source_of(home).find(beginning, 5)
    assert (found[0].kind, found[0].id) == (kind, ident)
    assert {one.session for one in found} == {"session-two"}


def test_only_logs_that_may_have_an_id_are_folded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = [LogSpec(f"s{number}", [user("x", f"only-{number}")]) for number in range(5)]
    source = source_of(harness_home(tmp_path, logs))
    folded: list[str] = []
    real = HarnessSource._talk

    def noted(self: HarnessSource, session: str) -> Talk:
        folded.append(session)
        return real(self, session)

    monkeypatch.setattr(HarnessSource, "_talk", noted)
    assert [one.session for one in source.find("only-3", 5)] == ["s3", "s3"]
    assert source.find("nowhere", 5) == []
    assert folded == ["s3"]
