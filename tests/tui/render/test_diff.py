"""A change is shown line by line, with numbers, signs and a count."""

from __future__ import annotations

from tests.tui.samples import DIFF, marked, said
from tui.render.diff import Change, changes, compare, counts, diff_rows, with_words
from tui.render.excerpt import Look
from tui.render.row import Marker

LOOK = Look(80)


def shown(diff: str, look: Look = LOOK) -> list[str]:
    return said(diff_rows(changes(diff), look, indent=0))


def test_lines_have_the_numbers_of_their_file() -> None:
    diff = "--- a\n+++ b\n@@ -41,3 +41,4 @@ def f():\n     a\n-    b\n+    c\n+    d\n     e\n"
    assert shown(diff) == [
        "41       a",
        "42 -     b",
        "42 +     c",
        "43 +     d",
        "44       e",
    ]
    assert counts(changes(diff)) == "+2 −1"


def test_a_hunk_of_impossible_numbers_is_text() -> None:
    long = "9" * 5000
    assert shown(f"@@ -{long},1 +1,{long} @@\n-a\n+b\n")[-2:] == ["- a", "+ b"]


def test_a_gap_between_hunks_is_named() -> None:
    assert shown(DIFF)[9:12] == [
        "⋯ class Pool:",
        "72       def take(self, timeout=1.0):",
        "72 -         if not self.free:",
    ]


def test_several_files_are_named_and_one_is_not() -> None:
    one = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    assert shown(one) == ["1 - a", "1 + b"]
    assert shown(one + "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n") == [
        "b/x  +1 −1",
        "1 - a",
        "1 + b",
        "b/y  +1 −1",
        "1 - c",
        "1 + d",
    ]


def test_a_removed_line_of_dashes_is_no_file_name() -> None:
    assert shown("--- a\n+++ b\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n x\n") == [
        "1 - -- old",
        "1 + ++ new",
        "2   x",
    ]


def test_a_patch_without_numbers() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@ def f():\n-    a\n+    b\n*** End Patch"
    assert shown(patch) == ["⋯ def f():", "-     a", "+     b"]


def test_two_texts_are_compared_where_there_is_no_diff() -> None:
    made = compare("a\nb\nc", "a\nB\nc")
    assert shown(made) == ["  a", "- b", "+ B", "  c"]
    assert counts(changes(compare("", "x\ny"))) == "+2"


def test_signs_are_coloured_and_matches_marked() -> None:
    rows = diff_rows(changes("@@ -1 +1 @@\n-old pool\n+new\n"), Look(80, marker=Marker(("pool",))))
    assert [str(span.style) for span in rows[0].spans] == [
        "$text-muted",
        "$error",
        "reverse $warning",
    ]
    assert str(rows[1].spans[1].style) == "$success"
    assert marked(rows) == ["pool"]


def test_a_long_diff_shows_its_ends_and_its_matches() -> None:
    diff = "@@ -1,200 +1,200 @@\n" + "\n".join(f" line {n}" for n in range(1, 201))
    rows = shown(diff, Look(80, marker=Marker(("line 100",))))
    assert rows[40].startswith("⋯ 56 lines hidden")
    assert rows[41:48] == [f"{n:>3}   line {n}" for n in range(97, 104)]
    assert rows[48].startswith("⋯ 77 lines hidden")
    assert len(rows) == 40 + 1 + 7 + 1 + 20
    assert len(shown(diff, Look(80, expanded=True))) == 200


def test_the_words_that_differ_are_marked() -> None:
    old, new = with_words([Change("-", "size = size"), Change("+", "size = max(size, workers)")])
    assert [new.text[first:last] for first, last in new.words] == ["max(", ", workers)"]
    assert old.words == ()


def test_lines_that_share_little_are_new_ones() -> None:
    found = with_words([Change("-", "import os"), Change("+", "x = compute(y, z) + 12")])
    assert [change.words for change in found] == [(), ()]
