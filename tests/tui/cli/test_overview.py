"""`trace` and `stats`: the JSON, the lines for people, and the exit codes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import pairwise

import pytest

from store.model import Child, Count, Coverage, Lineage
from tests.tui.cli.conftest import Run
from tests.tui.cli.fake import CHILD, COUNTED, LINEAGE, NOON, SESSION, Fake
from tests.tui.cli.test_sessions import POOL
from tui.cli import counts, shapes, trees

WHEN = f"{datetime.fromtimestamp(NOON / 1000):%Y-%m-%d %H:%M}"


def test_a_lineage_as_json(run: Run, door: Fake) -> None:
    ran = run("trace", "--json", "ses_pool")
    assert (ran.code, ran.err, door.calls[-1]) == (0, "", ("trace", "ses_pool"))
    child = {**POOL, "session": "ses_child", "title": "Look it up", "flags": ["subagent"]}
    child["revert"] = None
    twin = {**POOL, "session": "ses_twin", "title": "Fix pool timeout (fork #1)", "revert": None}
    assert ran.answer == {
        "session": POOL,
        "parents": [],
        "children": [{**child, "depth": 1}, {**child, "session": "ses_deep", "depth": 2}],
        "forks": [{**twin, "relation": "fork", "shared": 2}],
        "complete": False,
        "missing": "ses_gone",
        "faults": [],
    }


def test_a_lineage_for_people(run: Run) -> None:
    ran = run("trace", "ses_pool")
    said = f"{WHEN}  2 messages"
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "ses_gone  (the parent, which is not here)\n"
        f"  > Fix pool timeout  opencode:ses_pool  {said}  (archived)\n"
        f"    Look it up  opencode:ses_child  {said}  (subagent)\n"
        f"      Look it up  opencode:ses_deep  {said}  (subagent)\n"
        "\n"
        "shared history\n"
        "  copied as  Fix pool timeout (fork #1)  opencode:ses_twin  "
        f"{said}  (archived)  2 messages in common\n"
    )


def test_parents_stand_above_from_the_root_down() -> None:
    root, middle = replace(SESSION, id="ses_root"), replace(SESSION, id="ses_middle")
    lines = trees.lineage(Lineage(SESSION, (middle, root))).split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines]
    assert margins == [0, 2, 4]
    assert "ses_root" in lines[0]
    assert lines[2].startswith("    > Fix")


def test_great_depth_does_not_widen_the_tree() -> None:
    deep = tuple(Child(replace(CHILD, id=f"ses_{n}"), n) for n in range(1, 3000))
    lines = trees.lineage(Lineage(SESSION, children=deep)).split("\n")
    assert len(lines) == 3000
    assert lines[-1].startswith(" " * 24 + "[2999] Look it up")


def test_a_title_cannot_break_its_line() -> None:
    odd = replace(SESSION, title="a\nb\x1b[31m")
    assert trees.lineage(Lineage(odd)).startswith("> a b␛[31m  opencode")


def test_trace_without_a_store(run: Run, door: Fake) -> None:
    door.found = ()
    ran = run("trace", "ses_pool", "--json")
    assert (ran.code, ran.answer) == (1, shapes.NO_LINEAGE)


def test_statistics_as_json(run: Run, door: Fake) -> None:
    ran = run("stats", "project:api", "since:7d", "--json")
    assert (ran.code, ran.err, door.calls[-1]) == (0, "", ("stats", "project:api since:7d"))
    tokens = {"input": 12_345, "read": 800}
    total = {
        "sessions": 2,
        "messages": 1200,
        "prompts": 7,
        "parts": 3000,
        "calls": 40,
        "failed": 4,
        "cost": 1.25,
        "tokens": tokens,
    }
    answer = ran.answer
    assert answer["total"] == total
    assert [(one["day"], one["messages"]) for one in answer["days"]] == [
        ("2026-09-02", 1100),
        ("2026-09-01", 100),
    ]
    assert answer["projects"] == [{"project": "api", **total, "tokens": {}}]
    assert answer["tools"] == [
        {"tool": "bash", "sessions": 2, "calls": 32, "failed": 4, "failure_rate": 0.125},
        {"tool": "read", "sessions": 1, "calls": 8, "failed": 0, "failure_rate": 0.0},
    ]
    assert answer["models"] == [
        {"model": "gpt-5.2", "sessions": 2, "messages": 1193, "cost": 1.25, "tokens": tokens}
    ]
    assert (answer["copies"], answer["coverage"]["complete"], answer["faults"]) == (3, True, [])


def test_statistics_for_people(run: Run) -> None:
    assert run("stats").out == (
        "2 sessions in which something was said\n"
        "7 prompts\n"
        "1,200 messages\n"
        "3,000 parts\n"
        "40 tool calls, 4 failed\n"
        "tokens: 12k input, 800 cache; cost $1.25\n"
        "3 messages that are copies are left out, and the sessions that hold nothing else\n"
        "\n"
        "day         sessions  prompts  messages  tool calls  cost\n"
        "2026-09-02         1        5     1,100          32        ████████████████\n"
        "2026-09-01         1        2       100           8        █▌\n"
        "\n"
        "project  sessions  prompts  messages  tool calls   cost\n"
        "api             2        7     1,200          40  $1.25  ████████████████\n"
        "\n"
        "tool  calls  failed   rate\n"
        "bash     32       4  12.5%  ████████████████\n"
        "read      8                 ████\n"
        "\n"
        "model    messages  input  output  cache   cost\n"
        "gpt-5.2     1,193    12k            800  $1.25  ████████████████\n"
    )


def test_statistics_say_what_the_stores_hold_and_why_they_count_otherwise() -> None:
    now = Count(sessions=3, messages=1198, parts=2990)
    told = replace(COUNTED, held=now, gone=5)
    lines = counts.stats(told).split("\n\n")[0].split("\n")
    assert lines[:2] == [
        "in the stores now: 3 sessions, 1,198 messages, 2,990 parts",
        "counted, each message once:",
    ]
    assert lines[-1] == "5 messages that are no longer in the stores count too"
    shape = shapes.stats(told, ())
    assert shape["held"] == {"sessions": 3, "messages": 1198, "parts": 2990}
    assert shape["gone"] == 5


def test_long_tables_are_cut_and_say_so() -> None:
    days = tuple(Count(f"2026-{n:02}", messages=1) for n in range(30))
    lines = counts.stats(replace(COUNTED, days=days)).split("\n\n")[1].split("\n")
    assert len(lines) == 22
    assert lines[-1] == "... 10 more; --json has all of them"


def test_a_table_without_room_goes_without_bars_then_becomes_a_list() -> None:
    wide, bare, narrow = (counts.stats(COUNTED, room).split("\n\n") for room in (80, 62, 45))
    assert wide == counts.stats(COUNTED).split("\n\n")
    assert bare[1].split("\n")[1] == "2026-09-02         1        5     1,100          32"
    assert narrow[1].split("\n")[:3] == [
        "day",
        "  2026-09-02",
        "    1 session · 5 prompts · 1,100 messages ·",
    ]
    assert narrow[1].split("\n")[3] == "    32 tool calls"
    assert narrow[4].split("\n")[2] == "    1,193 messages · 12k input · 800 cache ·"
    assert narrow[4].split("\n")[3] == "    $1.25"
    assert all(len(line) <= 45 for block in narrow[1:] for line in block.split("\n"))


def test_nothing_to_count_is_one(run: Run, door: Fake) -> None:
    door.counted = replace(COUNTED, total=Count())
    ran = run("stats", "project:none")
    assert (ran.code, ran.out, ran.err) == (1, "", "backscroll: nothing to count\n")


def test_an_index_that_is_behind_says_so(run: Run, door: Fake) -> None:
    door.counted = replace(COUNTED, coverage=Coverage(1, 3, 0, 2))
    assert "1 of 3 parts" in run("stats").err


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, ""), (812, "812"), (1200, "1.2k"), (43_400, "43k"), (43_000_000, "43M"), (None, "")],
)
def test_short_numbers(number: int | None, shown: str) -> None:
    assert counts.short(number) == shown


def test_bars_grow_with_their_number() -> None:
    bars = [counts.bar(number, 1000) for number in (0, 1, 500, 1000)]
    assert bars == ["", "▏", "████████", "████████████████"]
    lengths = [len(counts.bar(number, 100)) for number in range(101)]
    assert all(one <= other for one, other in pairwise(lengths))


def test_the_lineage_of_the_fake_is_incomplete() -> None:
    assert (LINEAGE.complete, Lineage(SESSION).complete) == (False, True)
