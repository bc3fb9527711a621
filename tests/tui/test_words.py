"""Numbers, ages and names as the screen writes them."""

from __future__ import annotations

from store.model import Revert
from tests.tui.fake import DAY, HOUR, MINUTE, NOW, ago, hit, session
from tui import words


def test_recent_ages_are_counted_and_older_ones_are_dates() -> None:
    pasts = [30_000, 12 * MINUTE, 5 * HOUR, 30 * HOUR, 6 * DAY, 12 * DAY, 400 * DAY]

    ages = [words.age(ago(past), NOW) for past in pasts]

    assert ages == ["now", "12m", "5h", "1d", "6d", "16 Nov", "2025-10-24"]


def test_a_time_that_is_none_has_no_age() -> None:
    assert words.age(0, NOW) == ""
    assert words.age(-5, NOW) == ""


def test_percent_says_100_only_when_nothing_is_left() -> None:
    assert words.percent(9999, 10000) == 99
    assert words.percent(10000, 10000) == 100
    assert words.percent(0, 0) == 100


def test_flat_text_keeps_its_length_and_nothing_a_terminal_obeys() -> None:
    text = "a\x1b[31mb\x9b\u202e\nc\ud800"

    flat = words.flat(text)

    assert flat == "a␛[31mb�� c�"
    assert len(flat) == len(text)


def test_session_signs_put_what_is_wrong_first() -> None:
    plain = session("a", "A", 1)
    archived = session("a", "A", 1, unfinished=True, faults=1, flags=("archived",))

    assert words.session_signs(plain) == ""
    assert words.session_signs(archived) == "⚠▪▫"


def test_a_session_that_lost_something_has_a_sign_and_says_it_in_its_heading() -> None:
    lost = session("a", "A", 1, gone=1_234)
    pending = session("a", "A", 1, gone=2, revert=Revert("msg_x"))
    deleted = session("a", "A", 1, gone=9, fate="deleted")

    assert [words.session_signs(one) for one in (lost, pending, deleted)] == ["✂", "↶✂", "✖"]
    assert [words.session_left(one) for one in (lost, pending, deleted)] == [
        "✂ 1,234 gone",
        "↶ revert pending  ✂ 2 gone",
        "✖ deleted",
    ]
    assert words.session_left(session("a", "A", 1)) == ""


def test_a_hit_is_named_by_its_tool_and_kind() -> None:
    assert words.hit_words(hit(0)) == "bash output"
    assert words.hit_words(hit(0, tool=None, kind="reasoning")) == "thinking"
    assert words.hit_signs(hit(0, status="error", fate="reverted")) == "✗↶"


def test_the_home_folder_is_a_tilde_only_as_a_folder() -> None:
    assert words.home_short("/home/ada/src", "/home/ada") == "~/src"
    assert words.home_short("/home/adam/src", "/home/ada") == "/home/adam/src"
