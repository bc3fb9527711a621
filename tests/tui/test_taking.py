"""Getting things out: marked parts, blocks of code, bytes of images, whole outputs, exports."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from store.model import Attachment, File, Text, Tool, Window
from tests.tui.fake import OUTPUT, FakeLibrary, hit, part
from tests.tui.helpers import shell
from tui.attached import attached, has_bytes
from tui.render.blocks import code_blocks
from tui.spilled import whole_output
from tui.widgets.transcript import Transcript
from tui.widgets.viewer import PartViewer

SAID = "First:\n\n```sh\nmake all\n```\n\nthen\n\n```python\nprint(1)\nprint(2)\n```\n"
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()
PNG = f"data:image/png;base64,{PIXEL}"


async def test_marked_parts_are_copied_together() -> None:
    async with shell(FakeLibrary(), (120, 60)) as sh:
        await sh.press("enter", "j", "m", "m", "y")

        assert sh.app.clipboard == (
            f"{OUTPUT}\n\nThe pool is created before the number of workers is known."
        )
        assert sh.status.said.startswith("copied 2 parts, 27 lines")
        assert "◆ 2 marked" in sh.text

        await sh.press("full_stop")
        assert sh.app.clipboard == "prt_ses_pool_1_a\nprt_ses_pool_1_b"

        await sh.press("M")
        assert "marked" not in sh.text


async def test_marked_parts_are_saved_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with shell(FakeLibrary(), (120, 60)) as sh:
        await sh.press("enter", "j", "m", "m", "w")

        assert sh.status.said == f"saved {tmp_path}/parts.txt"
    saved = (tmp_path / "parts.txt").read_text()
    assert saved.startswith("✗ bash  pytest -x tests/pool")
    assert OUTPUT in saved


def test_blocks_of_code_are_found_with_their_language() -> None:
    assert code_blocks(part("p", "m", Text(SAID))) == [
        ("sh", "make all"),
        ("python", "print(1)\nprint(2)"),
    ]
    assert code_blocks(part("p", "m", Tool("bash", output="    indented\n"))) == []


async def test_one_block_of_code_is_chosen_and_copied() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter")
        sh.transcript.post_message(Transcript.CopyBlock([("sh", "make all"), ("", "x\ny")]))
        await sh.rest()
        await sh.press("j", "enter")

        assert sh.app.clipboard == "x\ny"
        assert sh.status.said == "copied code, 2 lines, 3 B"


def test_the_bytes_of_an_image_come_from_the_stored_json() -> None:
    stored = json.dumps(
        {"type": "tool", "state": {"attachments": [
            {"mime": "image/png", "url": PNG, "filename": "../a b.png"},
            {"mime": "image/png", "url": PNG},
            {"url": "file:///x"}]}}
    )  # fmt: skip
    found = attached(stored)
    assert [one.name for one in found] == ["a-b.png", "attachment.png"]
    assert found[0].data == base64.b64decode(PIXEL)
    assert attached("no json") == []


def test_what_has_bytes() -> None:
    assert has_bytes(part("p", "m", File("image/png", "a.png", bytes=48)))
    assert not has_bytes(part("p", "m", File("text/plain", "a.py", text="x")))
    assert has_bytes(part("p", "m", Tool("shot", attachments=(Attachment("image/png"),))))


class Image(FakeLibrary):
    """A library whose prompts carry an image."""

    def raw(self, ident: str) -> str:
        return json.dumps({"url": PNG, "filename": "screen.png"})

    def _window(self, session_id: str, first: int, count: int) -> Window:
        window = super()._window(session_id, first, count)
        image = part("prt_image", "m", File("image/png", "screen.png", bytes=48))
        head = replace(window.messages[0], parts=(image,))
        return replace(window, messages=(head, *window.messages[1:]))


async def test_the_part_one_is_on_is_seen_among_marked_ones() -> None:
    async with shell(FakeLibrary(), (120, 60)) as sh:
        await sh.press("enter", "j", "m", "m", "k")
        view = sh.app.query_one(Transcript)
        seen = [view.render_line(y).text[:2] for y in range(view.size.height)]
        assert {one for one in seen if "◆" in one} == {"▌◆", "◆ "}


async def test_saving_an_image_saves_its_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with shell(Image()) as sh:
        await sh.press("enter", "g", "w")

        assert sh.status.said == f"saved {tmp_path}/screen.png"
    assert (tmp_path / "screen.png").read_bytes() == base64.b64decode(PIXEL)


def test_the_whole_output_is_read_while_its_file_exists(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("whole\n")
    assert whole_output(str(path)) == ("whole\n", f"the whole output, 6 B, from {path}")
    path.unlink()
    assert whole_output(str(path)) == ("", f"the file with the whole output is gone: {path}")


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    told = f"what should hold the whole output is no file: {path}"
    assert whole_output(str(path)) == ("", told)


class Spilled(FakeLibrary):
    """A library whose outputs were cut."""

    path = ""

    def _window(self, session_id: str, first: int, count: int) -> Window:
        window = super()._window(session_id, first, count)
        tool = Tool("bash", status="completed", output="cut", spilled=self.path)
        turns = [
            replace(one, parts=tuple(replace(p, content=tool) if isinstance(p.content, Tool) else p
                                     for p in one.parts))
            for one in window.messages
        ]  # fmt: skip
        return replace(window, messages=tuple(turns))


@pytest.mark.parametrize("there", [True, False])
async def test_a_cut_output_is_followed_to_its_file(tmp_path: Path, there: bool) -> None:
    library = Spilled(hits=[hit(0)])
    path = tmp_path / "tool_1"
    library.path = str(path)
    if there:
        path.write_text("all of it")
    async with shell(library) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter", "enter")
        assert isinstance(sh.app.screen, PartViewer)
        assert ("all of it" in sh.text) == there
        assert ("is gone" in sh.text) == (not there)


async def test_a_session_is_exported_into_a_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Fix-pool-timeout-under-load-ses_pool.md").write_text("mine")
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "e", "enter", "enter")

        assert "Fix-pool-timeout-under-load-ses_pool-2.md" in sh.status.said
    made = (tmp_path / "Fix-pool-timeout-under-load-ses_pool-2.md").read_text()
    assert "The pool times out" in made


async def test_what_is_loaded_is_exported_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "e", "j", "enter", "j", "j", "enter")
        window = sh.screen.reader.window
        assert window is not None
        assert 0 < len(window.messages) < window.total
        wanted = [one.message.id for one in window.messages]
    made = json.loads((tmp_path / "Fix-pool-timeout-under-load-ses_pool-excerpt.json").read_text())
    assert [one["info"]["id"] for one in made["messages"]] == wanted


async def test_marked_parts_are_exported_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "j", "m", "j", "j", "m", "e", "j", "enter", "j", "j", "enter")
        marked = list(sh.transcript.marked)
        assert len(marked) == 2
    made = json.loads((tmp_path / "Fix-pool-timeout-under-load-ses_pool-excerpt.json").read_text())
    assert [part["id"] for one in made["messages"] for part in one["parts"]] == marked


async def test_the_command_that_resumes_is_copied() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("enter", "c")

        assert sh.app.clipboard == "opencode -s ses_pool"
        assert "its folder /home/ada/src/api is gone" in sh.status.said


async def test_statistics_open_as_a_page() -> None:
    async with shell(FakeLibrary()) as sh:
        await sh.press("S")

        assert sh.text.split("\n")[0] == " Statistics"


async def test_what_is_known_of_a_part() -> None:
    async with shell(FakeLibrary(hits=[hit(0)])) as sh:
        await sh.type("connection")
        await sh.press("enter", "enter", "I")

        lines = [line.split() for line in sh.text.split("\n")]
        assert ["id", "prt_ses_pool_1_a"] in lines
        assert ["took", "8.4", "s"] in lines
        assert ["model", "openai/gpt-5.2"] in lines
