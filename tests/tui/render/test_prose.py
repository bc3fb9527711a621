"""Markdown becomes rows that read well; what cannot be Markdown stays readable."""

from __future__ import annotations

from tests.tui.samples import marked, said
from tui.render.prose import HUGE, prose_rows
from tui.render.row import Marker

NONE = Marker()


def shown(text: str, width: int = 60) -> list[str]:
    return said(prose_rows(text, width, NONE))


def styles(text: str) -> dict[str, str]:
    return {
        row.text[span.start : span.end]: str(span.style)
        for row in prose_rows(text, 60, NONE)
        for span in row.spans
    }


def test_blocks_stand_apart_by_one_empty_row() -> None:
    assert shown("# One\ntext\n\nmore\n\n---\n\n> said\n> so") == [
        "# One",
        "",
        "text",
        "",
        "more",
        "",
        "────────────────────────",
        "",
        "│ said so",
    ]


def test_lists_keep_their_numbers_and_nest() -> None:
    assert shown("3. three\n4. four\n   - inner\n     text\n   - other\n\nafter") == [
        "3. three",
        "4. four",
        "   • inner text",
        "   • other",
        "",
        "after",
    ]


def test_wrapped_items_hang_under_their_text() -> None:
    assert shown("- one two three four", 14) == ["• one two", "  three four"]
    assert shown("> one two three four", 14) == ["│ one two", "│ three four"]


def test_an_empty_item_is_not_lost() -> None:
    assert shown("-\n- two") == ["•", "• two"]


def test_a_link_says_where_it_leads_unless_its_text_does() -> None:
    assert shown("[notes](https://example.org/a) and <https://example.org/b>") == [
        "notes (https://example.org/a) and https://example.org/b"
    ]


def test_emphasis_and_code_have_styles() -> None:
    found = styles("**bold** *soft* ~~gone~~ `code` **`both`**")
    assert found == {
        "bold": "bold",
        "soft": "italic",
        "gone": "strike",
        "code": "$secondary",
        "both": "bold $secondary",
    }


def test_fenced_code_is_coloured_and_keeps_its_indent() -> None:
    assert shown("```python\ndef f():\n    return 1\n```") == [
        "  python",
        "  def f():",
        "      return 1",
    ]
    found = styles("```python\ndef f():\n    return 1\n```")
    assert (found["def"], found["f"], found["1"]) == ("$accent", "$primary", "$warning")


def test_code_of_an_unknown_language_is_plain() -> None:
    assert shown("```klingon\nqapla'\n```") == ["  klingon", "  qapla'"]


def test_tables_line_up_also_with_wide_letters() -> None:
    assert shown("| a | 名称 |\n|---|---|\n| 连接 | x |\n| b | `yy` |") == [
        "a     名称",
        "────  ────",
        "连接  x",
        "b     yy",
    ]


def test_a_table_too_wide_wraps_in_its_cells() -> None:
    table = "| key | what it means |\n|---|---|\n| size | how many there are |"
    assert shown(table, 20) == [
        "key   what it means",
        "────  ──────────────",
        "size  how many there",
        "      are",
    ]


def test_a_person_line_ends_are_kept() -> None:
    assert said(prose_rows("one\ntwo", 60, NONE, breaks=True)) == ["one", "two"]
    assert said(prose_rows("one\ntwo", 60, NONE)) == ["one two"]


def test_prose_is_never_wider_than_is_readable() -> None:
    rows = prose_rows("word " * 100, 400, NONE)
    assert max(len(row.text) for row in rows) == 99


def test_matches_are_marked_inside_emphasis_code_and_tables() -> None:
    text = "**pool** `pool`\n\n```python\npool()\n```\n\n| pool |\n|---|\n| x |"
    assert marked(prose_rows(text, 60, Marker(("pool",)))) == ["pool"] * 4


def test_markup_of_others_is_text() -> None:
    assert shown("[/bold] [@click=app.quit()]x <b>y</b>") == [
        "[/bold] [@click=app.quit()]x <b>y</b>"
    ]


def test_entities_bring_no_control_characters_back() -> None:
    assert shown("a&#27;[31mb `&#27;` &#x202e;c") == ["a�[31mb &#27; c"]


def test_huge_and_odd_text_falls_back_to_plain_lines() -> None:
    assert shown("# x\n" * (HUGE // 4 + 1))[:2] == ["# x", "# x"]
    assert shown("[only]: https://example.org") == ["[only]: https://example.org"]
    assert shown("> " * 60 + "deep", 200)[-1] == "> " * 10 + "deep"
