"""Markdown: a heading a turn, tools folded, and nothing stored that ends what it stands in."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from store.model import (
    Attachment,
    Compaction,
    Content,
    File,
    Message,
    Part,
    Patch,
    Reasoning,
    Retry,
    Session,
    StepStart,
    Subtask,
    Text,
    Todos,
    Tool,
    Unknown,
    WindowMessage,
)
from tui.export.markdown import as_markdown, fenced, folded, said

NOON = 1_788_264_000_123
SESSION = Session(
    "opencode", "ses_pool", "Fix *pool* <timeout>", "/src/api", "api", created=NOON, updated=NOON
)
ASKED = Message("msg_1", "ses_pool", "user", NOON)
ANSWERED = Message("msg_2", "ses_pool", "assistant", NOON, agent="build", model="acme/opus")


def turn(message: Message, *contents: Content) -> WindowMessage:
    parts = tuple(
        Part(f"prt_{n}", message.id, "ses_pool", NOON, NOON, one) for n, one in enumerate(contents)
    )
    return WindowMessage(message, parts)


def body(*messages: WindowMessage) -> str:
    """The Markdown behind the head."""
    return "".join(as_markdown(SESSION, messages)).split("\n\n", 2)[2]


def test_the_head_says_what_it_is() -> None:
    assert "".join(as_markdown(SESSION, ())) == (
        "# Fix \\*pool\\* \\<timeout\\>\n"
        "\n"
        "- session: opencode:ses\\_pool\n"
        "- folder: /src/api\n"
        "- project: api\n"
        "- began: 2026-09-01 12:00 UTC\n"
        "- last active: 2026-09-01 12:00 UTC\n"
    )


def test_a_turn_with_a_tool() -> None:
    call = Tool(
        name="bash",
        status="completed",
        title="Run the tests",
        input={"command": "pytest -x", "description": "tests"},
        output="\x1b[31m1 failed\x1b[0m\r\n",
        started=NOON,
        ended=NOON + 8_400,
        exit=1,
        attachments=(Attachment("image/png", "plot.png", 77),),
    )
    turns = turn(ASKED, Text("Does it pass?")), turn(ANSWERED, StepStart("abc"), call, Text("No."))
    assert body(*turns) == (
        "## You · 2026-09-01 12:00 UTC\n"
        "\n"
        "Does it pass?\n"
        "\n"
        "## build · 2026-09-01 12:00 UTC · acme/opus\n"
        "\n"
        "<details>\n"
        "<summary>bash · exit 1 · 8.4 s · Run the tests</summary>\n"
        "\n"
        "```sh\npytest -x\n```\n"
        "\n"
        "Input\n\n```text\ndescription: tests\n```\n"
        "\n"
        "Output\n\n```text\n1 failed\n```\n"
        "\n"
        "Attached: plot.png, image/png, 77 bytes\n"
        "\n"
        "</details>\n"
        "\n"
        "No.\n"
    )


def test_steps_of_one_answer_share_a_heading() -> None:
    again = replace(ANSWERED, id="msg_3", time=NOON + 60_000)
    other = replace(ANSWERED, id="msg_4", agent="plan")
    shown = body(turn(ANSWERED, Text("one")), turn(again, Text("two")), turn(other, Text("three")))
    assert shown.count("## build") == 1
    assert shown.count("## plan") == 1


def test_thoughts_are_folded_to_their_first_line() -> None:
    assert body(turn(ANSWERED, Reasoning("Ask <it>.\nThen tell."))) == (
        "## build · 2026-09-01 12:00 UTC · acme/opus\n"
        "\n"
        "<details>\n<summary>thinking: Ask &lt;it&gt;.</summary>\n\n"
        "Ask \\<it>.\nThen tell.\n\n</details>\n"
    )


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (Tool("edit", status="completed", diff="-a\n+b\n"), "Diff\n\n```diff\n-a\n+b\n```"),
        (Tool("read", status="error", error="gone"), "Error\n\n```text\ngone\n```"),
        (File("image/png", "a_b.png", bytes=1234), "Attached: a\\_b.png, image/png, 1,234 bytes"),
        (Patch("abc", ("/src/a.py",)), "```text\n/src/a.py\n```"),
        (Compaction(auto=True, text="In short"), "by itself.*\n\nIn short"),
        (Subtask("Look", "Find it", "explore"), "task · explore · Find it</summary>\n\nLook"),
        (
            Todos((("completed", "a"), ("in_progress", "b"), ("pending", "c"))),
            "- [x] a\n- [ ] b · in progress\n- [ ] c",
        ),
        (Retry(2, "429"), "**Attempt 2 failed**\n\n```text\n429\n```"),
        (Unknown("hologram", {"depth": 3}), "hologram</summary>\n\n```text\ndepth: 3\n```"),
    ],
)
def test_other_parts(content: Content, shown: str) -> None:
    assert shown in body(turn(ANSWERED, content))


def test_what_is_not_live_says_so() -> None:
    gone = turn(replace(ANSWERED, fate="removed"), Text("Old"))
    put_in = turn(ASKED, Text("skills"))
    put_in = replace(put_in, parts=(replace(put_in.parts[0], flags=("synthetic",)),))
    assert "acme/opus · removed\n\nOld\n" in body(gone)
    assert "<summary>text · synthetic</summary>\n\nskills\n" in body(put_in)


def test_a_failed_answer_shows_its_error() -> None:
    failed = turn(replace(ANSWERED, error="APIError: 500"))
    assert body(failed).endswith("\n\n**Error**\n\n```text\nAPIError: 500\n```\n")


@pytest.mark.parametrize(
    ("text", "fence"), [("a", "```"), ("```\nx\n```", "````"), ("a`````b", "``````")]
)
def test_a_fence_is_longer_than_any_inside(text: str, fence: str) -> None:
    assert fenced(text) == f"{fence}text\n{text}\n{fence}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("```py\nx = 1", "```py\nx = 1\n```"),
        ("~~~~\n~~~\n<b>", "~~~~\n~~~\n<b>\n~~~~"),
        ("```\n<b>\n```\n<b>", "```\n<b>\n```\n\\<b>"),
        ("<!-- never closed", "\\<!-- never closed"),
        ("a `<b>` and <b>", "a `<b>` and \\<b>"),
        ("</details>", "\\</details>"),
        ("<https://a.b> 1 < 2", "<https://a.b> 1 < 2"),
        ("a\tb", "a\tb"),
    ],
)
def test_said_text_ends_where_it_ends(text: str, shown: str) -> None:
    assert said(text) == shown


@pytest.mark.parametrize(
    "text",
    ["</summary></details>", "```", "~~~", "<!--", "<script>", "<pre>", "<![CDATA[", "    <div>"],
)
@pytest.mark.parametrize("make", [Text, Reasoning, lambda text: Tool("t", "c", output=text)])
def test_the_heading_behind_any_text_is_a_heading(text: str, make: type[Text]) -> None:
    shown = body(turn(ANSWERED, make(text)), turn(ASKED, Text("next")))
    tokens = MarkdownIt("commonmark").parse(shown)
    headings = [tokens[n + 1].content for n, one in enumerate(tokens) if one.type == "heading_open"]
    assert headings[-1] == "You · 2026-09-01 12:00 UTC"
    html = "".join(one.content for one in tokens if one.type == "html_block")
    assert html.count("<details>") == html.count("</details>")


def test_a_label_cannot_leave_its_summary() -> None:
    assert folded("</summary><b>\nx", "y").split("\n")[1] == (
        "<summary>&lt;/summary&gt;&lt;b&gt; x</summary>"
    )
