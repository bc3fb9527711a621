"""The command line over the real library and real stores, from finding them to the last byte."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from store.lock import writing
from store.paths import index_path
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    SessionSpec,
    empty_file,
    fingerprint,
    folder_in_place,
    garbage,
    half,
    live_writer,
    open_folder,
    opencode_db,
    set_data,
    text,
    tool,
    two_talks,
    unprivileged,
    unrelated_tables,
)
from tests.makers.harness import LogSpec, harness_home, small_talk
from tests.tui.cli.conftest import Ran, Run
from tui.__main__ import main

ROOT = Path(__file__).parents[3]
OUTPUT = "LISTEN 127.0.0.1:5433\r\n\x1b[31mrefused\x1b[0m 连接\ttail"
TALKS = (
    *two_talks(),
    SessionSpec(
        "The long way",
        (
            MessageSpec("user", [text("Is the gateway up?")], id="msg_ask"),
            MessageSpec(
                "assistant",
                [
                    PartSpec(tool("bash", {"command": "ss"}, OUTPUT, exit=0), id="prt_listen"),
                    PartSpec(text("It is refused."), id="prt_end"),
                ],
                id="msg_done",
            ),
        ),
        id="ses_long",
    ),
)


@pytest.fixture
def real(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the program as a person of whom nothing is on this machine."""

    def go(*arguments: str) -> Ran:
        code = main(arguments)
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return go


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "theirs"
    folder.mkdir()
    return opencode_db(folder / "opencode.db", sessions=TALKS)


def counted(store: Path, table: str) -> int:
    with closing(sqlite3.connect(f"{store.as_uri()}?immutable=1", uri=True)) as db:
        [count] = db.execute(f"select count(*) from {table}").fetchone()
    assert isinstance(count, int)
    return count


def test_index_counts_what_the_store_holds(real: Run, store: Path) -> None:
    ran = real("index", "--source", str(store), "--json")
    assert (ran.code, ran.err) == (0, "")
    [source] = ran.answer["sources"]
    assert source["source"] == "opencode"
    assert source["path"] == str(store)
    for table in ("session", "message", "part"):
        assert source[f"{table}s"] == counted(store, table)
    assert (source["skipped"], source["behind"]) == ([], 0)


def test_sessions_are_listed_newest_first_with_their_counts(real: Run, store: Path) -> None:
    ran = real("sessions", "--source", str(store), "--json")
    assert ran.code == 0
    found = [(one["title"], one["messages"], one["parts"]) for one in ran.answer["sessions"]]
    assert found == [("The long way", 2, 3), ("查端口", 3, 3), ("Find the port", 2, 5)]


def test_from_a_word_to_the_last_byte(
    store: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    given = ["--source", str(store)]
    assert main(["search", "refused", "kind:tool_output", *given, "--json"]) == 0
    [hit] = Ran(0, capfdbinary.readouterr().out.decode(), "").answer["hits"]
    assert hit["id"] == "opencode:prt_listen"
    [[start, end]] = hit["spans"]
    assert hit["snippet"][start:end] == "refused"
    assert main(["show", hit["id"], "--output", *given]) == 0
    assert capfdbinary.readouterr().out == OUTPUT.encode()


def test_around_a_hit(real: Run, store: Path) -> None:
    ran = real("around", "prt_listen", "--source", str(store), "--json")
    assert ran.code == 0
    answer = ran.answer
    assert (answer["anchor"], answer["part"]) == ("msg_done", "prt_listen")
    assert [one["message"] for one in answer["messages"]] == ["msg_ask", "msg_done"]
    assert answer["messages"][1]["parts"][0]["output"] == OUTPUT
    assert (answer["more_before"], answer["more_after"]) == (False, False)


def test_a_window_of_one_message_says_that_there_is_more(real: Run, store: Path) -> None:
    ran = real("around", "msg_ask", "--after", "0", "--source", str(store), "--json")
    assert [one["message"] for one in ran.answer["messages"]] == ["msg_ask"]
    assert ran.answer["more_after"] is True


def test_a_message_shows_all_its_parts(real: Run, store: Path) -> None:
    answer = real("show", "msg_done", "--source", str(store), "--json").answer
    assert [part["part"] for part in answer["parts"]] == ["prt_listen", "prt_end"]


def test_raw_is_what_the_store_holds(real: Run, store: Path) -> None:
    with closing(sqlite3.connect(f"{store.as_uri()}?immutable=1", uri=True)) as db:
        [stored] = db.execute("select data from part where id = 'prt_listen'").fetchone()
    assert real("show", "prt_listen", "--raw", "--source", str(store)).out == stored + "\n"


def test_chinese_is_found_inside_a_run(real: Run, store: Path) -> None:
    ran = real("search", "连接池", "--source", str(store), "--json")
    assert {hit["session_title"] for hit in ran.answer["hits"]} == {"查端口"}
    assert len(ran.answer["hits"]) == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["search", "kind:foo"], "INVALID_FILTER"),
        (["search", "since:soon"], "INVALID_FILTER"),
        (["search", "--cursor", "nonsense"], "INVALID_CURSOR"),
        (["sessions", "--cursor", "nonsense"], "INVALID_CURSOR"),
        (["sessions", "is:foo"], "INVALID_FILTER"),
        (["around", "ses_nobody"], "SESSION_NOT_FOUND"),
        (["around", "msg_nobody"], "MESSAGE_NOT_FOUND"),
        (["show", "prt_nobody"], "PART_NOT_FOUND"),
        (["show", "ses_"], "AMBIGUOUS_ID"),
        (["show", "msg_"], "AMBIGUOUS_ID"),
    ],
)
def test_what_cannot_be_answered_has_a_code(
    real: Run, store: Path, arguments: list[str], code: str
) -> None:
    ran = real(*arguments, "--source", str(store))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"backscroll: {code}: ")


def test_no_index_is_an_empty_answer_with_no_coverage(real: Run, store: Path) -> None:
    ran = real("search", "refused", "--no-index", "--source", str(store), "--json")
    assert (ran.code, ran.answer["hits"], ran.answer["coverage"]["indexed"]) == (1, [], 0)
    assert ran.answer["coverage"]["complete"] is False
    assert "backscroll: nothing is indexed yet; `backscroll index` does that\n" in ran.err


def test_pages_of_hits_follow_each_other(real: Run, store: Path) -> None:
    seen: list[str] = []
    cursor: list[str] = []
    for _ in range(20):
        ran = real("search", "--limit", "4", *cursor, "--source", str(store), "--json")
        seen += [f"{hit['id']} {hit['kind']}" for hit in ran.answer["hits"]]
        if not ran.answer["more"]:
            break
        cursor = ["--cursor", ran.answer["cursor"]]
    assert len(seen) == len(set(seen)) == ran.answer["total"]


def test_nothing_is_left_in_their_folder(real: Run, store: Path) -> None:
    before = fingerprint(store.parent)
    given = ["--source", str(store)]
    real("index", *given)
    real("search", "refused", *given)
    real("around", "prt_listen", *given)
    real("show", "prt_listen", *given)
    real("sessions", *given)
    real("doctor", *given)
    assert fingerprint(store.parent) == before


BAD: dict[str, Callable[[Path], object]] = {
    "empty": empty_file,
    "garbage": garbage,
    "half": lambda path: half(opencode_db(path, sessions=TALKS)),
    "folder": folder_in_place,
    "unrelated": unrelated_tables,
    "absent": lambda _: None,
}
CODES = {
    "empty": "SOURCE_UNREADABLE",
    "garbage": "SOURCE_UNREADABLE",
    "half": "SOURCE_UNREADABLE",
    "folder": "SOURCE_UNREADABLE",
    "unrelated": "SOURCE_UNSUPPORTED",
    "absent": "SOURCE_NOT_FOUND",
}
COMMANDS = [
    ["index"],
    ["search", "x"],
    ["sessions"],
    ["around", "prt_x"],
    ["show", "prt_x"],
    ["doctor"],
]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_file_that_is_no_store_has_a_code(
    real: Run, tmp_path: Path, bad: str, command: list[str]
) -> None:
    path = tmp_path / "bad.db"
    BAD[bad](path)
    ran = real(*command, "--source", str(path))
    assert ran.code == 2
    assert ran.err.startswith(f"backscroll: {CODES[bad]}: ")
    assert str(path) in ran.err
    assert ran.err.count("\n") == 1


def test_a_store_that_may_not_be_looked_at_has_a_code(real: Run) -> None:
    with open_folder() as folder:
        closed = folder / "closed"
        closed.mkdir()
        opencode_db(closed / "opencode.db", sessions=TALKS)
        closed.chmod(0)
        index = folder / "own"
        index.mkdir()
        index.chmod(0o777)
        with unprivileged():
            ran = real("index", "--source", f"{closed}/opencode.db", "--index", f"{index}/index.db")
        closed.chmod(0o700)
    assert ran.code == 2
    assert ran.err.startswith("backscroll: SOURCE_UNREADABLE: ")


def test_a_name_that_no_file_can_have_has_a_code(real: Run) -> None:
    ran = real("index", "--source", "/" + "a" * 5000)
    assert ran.code == 2
    assert ran.err.startswith("backscroll: SOURCE_UNREADABLE: ")


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_store_beside_a_good_one(real: Run, store: Path, tmp_path: Path, bad: str) -> None:
    path = tmp_path / "bad.db"
    BAD[bad](path)
    ran = real("search", "refused", "--source", str(path), "--source", str(store), "--json")
    assert ran.code == 0
    assert len(ran.answer["hits"]) == 2
    assert [fault["code"] for fault in ran.answer["faults"]] == [CODES[bad]]
    assert ran.err.startswith(f"backscroll: {CODES[bad]}: ")


def test_a_rebuilt_index_answers_as_before(real: Run, store: Path) -> None:
    given = ["search", "refused", "--source", str(store), "--json"]
    before = real(*given).answer["hits"]
    assert real("index", "--rebuild", "--source", str(store)).code == 0
    assert real(*given, "--no-index").answer["hits"] == before


def test_a_broken_row_costs_only_itself(real: Run, store: Path) -> None:
    set_data(store, "prt_end", '{"type":"text","tex')
    ran = real("index", "--source", str(store), "--json")
    assert ran.code == 0
    [skipped] = ran.answer["sources"][0]["skipped"]
    assert skipped["code"] == "CORRUPT_PART"
    assert "prt_end" in skipped["about"]
    assert real("search", "refused", "--source", str(store), "--json").answer["total"] == 1


def test_a_machine_without_a_store(real: Run) -> None:
    ran = real("search", "x")
    assert (ran.code, ran.out) == (1, "")
    assert f"{os.environ['XDG_DATA_HOME']}/opencode" in ran.err
    assert real("doctor").code == 1


def test_a_store_is_found_where_its_program_puts_it(real: Run) -> None:
    folder = Path(os.environ["XDG_DATA_HOME"]) / "opencode"
    folder.mkdir(parents=True)
    opencode_db(folder / "opencode.db", sessions=TALKS)
    assert real("search", "refused", "--json").answer["total"] == 2


def test_what_a_live_writer_adds_is_found_by_the_next_search(real: Run, store: Path) -> None:
    given = ["search", "afterwards", "--source", str(store), "--json"]
    assert real(*given).code == 1
    with live_writer(store) as writer:
        writer.add_texts("msg_done", "ses_long", ["and afterwards?"])
        assert real(*given).answer["total"] == 1


def test_another_writer_of_the_index_does_not_keep_from_searching(real: Run, store: Path) -> None:
    given = ["--source", str(store), "--json"]
    real("index", *given)
    with writing(index_path()):
        ran = real("search", "refused", *given)
        assert (ran.code, ran.answer["total"]) == (0, 2)
        assert "another program is writing the index" in ran.err
        ran = real("index", *given)
        assert (ran.code, ran.out) == (2, "")
        assert '"code": "INDEX_BUSY"' in ran.err


def test_searching_imports_no_screen_library(store: Path) -> None:
    script = (
        "import sys; from tui.__main__ import main; code = main(sys.argv[1:]); "
        "heavy = {'textual', 'rich', 'pydantic', 'pygments', 'markdown_it'}; "
        "sys.exit(f'{code} {sorted(heavy & set(sys.modules))}')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, "search", "refused", "--json", "--source", str(store)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == "0 []\n"


def test_a_file_that_is_not_our_index_is_left_alone(real: Run, store: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("mine\n" * 1000)
    ran = real("search", "x", "--source", str(store), "--index", str(precious))
    assert ran.code == 2
    assert ran.err.startswith("backscroll: INDEX_FAILED: ")
    assert precious.read_text() == "mine\n" * 1000


def test_the_demo_answers(real: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    ran = real("--demo", "sessions", "--json")
    assert ran.code == 0
    assert len(ran.answer["sessions"]) > 3
    assert real("--demo", "search", "rate", "limiter", "--json").answer["total"] > 0
    assert list(folder.iterdir()) == []
    assert list(Path(os.environ["HOME"]).rglob("*")) == []


def test_logs_that_were_never_indexed_are_listed_as_they_are(real: Run, tmp_path: Path) -> None:
    later = [{**one, "time": BASE + 9_000 + place} for place, one in enumerate(small_talk())]
    home = harness_home(tmp_path / "home", [LogSpec("b", small_talk()), LogSpec("a", later)])
    for _ in range(2):
        told = real("sessions", "--source", str(home), "--json").answer
        rows = [(one["session"], one["title"], one["messages"]) for one in told["sessions"]]
        assert rows == [("a", "Find the port", 3), ("b", "Find the port", 3)]
        assert (told["sessions"][0]["parts"], told["unread"]) == (4, 0)


def test_relatives_that_were_never_indexed_are_told_as_they_are(real: Run, tmp_path: Path) -> None:
    logs = [LogSpec("parent", small_talk()), LogSpec("child", small_talk(), parent="parent")]
    home = harness_home(tmp_path / "home", logs)
    told = real("trace", "parent", "--source", str(home), "--json").answer
    assert [(one["title"], one["messages"]) for one in (told["session"], *told["children"])] == [
        ("Find the port", 3)
    ] * 2
