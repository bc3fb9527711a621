"""Images are drawn where Pillow is there, and can be saved as they are wherever it is not."""

from __future__ import annotations

import base64
import json
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from store.model import Attachment, File, Tool, Window
from tests.tui.fake import FakeLibrary, part
from tests.tui.helpers import Shell, shell
from tui.attached import Attached, has_image
from tui.picture import NO_PILLOW, Picture, decode
from tui.widgets.pictureview import PictureView
from tui.widgets.viewer import PartViewer

Image = pytest.importorskip("PIL.Image")
RED, BLUE = (255, 0, 0), (0, 0, 255)


def image(wide: int, high: int, form: str = "PNG", mode: str = "RGB") -> bytes:
    """Red above, blue below."""
    made = Image.new(mode, (wide, high), RED)
    made.paste(BLUE, (0, high // 2, wide, high))
    held = BytesIO()
    made.save(held, form)
    return held.getvalue()


def decoded(data: bytes) -> Picture:
    found = decode(Attached("a.png", "image/png", data))
    assert isinstance(found, Picture)
    return found


def test_two_pixels_are_a_cell() -> None:
    assert decoded(image(3, 4)).cells(80, 24) == [[(RED, RED)] * 3, [(BLUE, BLUE)] * 3]
    assert decoded(image(2, 2)).cells(80, 24) == [[(RED, BLUE)] * 2]
    assert decoded(image(1, 1)).cells(80, 24) == [[(BLUE, BLUE)]]


@pytest.mark.parametrize(
    ("room", "columns", "lines"), [((80, 24), 80, 20), ((40, 24), 40, 10), ((400, 10), 40, 10)]
)
def test_it_fits_the_room_and_keeps_its_shape(
    room: tuple[int, int], columns: int, lines: int
) -> None:
    cells = decoded(image(400, 200)).cells(*room)
    assert (len(cells[0]), len(cells)) == (columns, lines)


def test_a_large_one_is_kept_small_and_says_how_large_it_was() -> None:
    found = decoded(image(2000, 1000, "JPEG"))
    assert (found.size, found.shown) == ((2000, 1000), (640, 320))


def test_what_is_no_image_or_too_large_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = image(30, 30)[:50]
    for data in (b"", b"no image", broken):
        assert decode(Attached("a", "image/png", data)) == (
            "this image cannot be decoded; w saves it"
        )
    monkeypatch.setattr("tui.picture.MOST_PIXELS", 99)
    assert decode(Attached("a", "image/png", image(10, 10))) == (
        "10 x 10 pixels are too many to draw; w saves it"
    )


def test_which_parts_have_one() -> None:
    shot = Tool("shot", output="done", attachments=(Attachment("image/png"),))
    assert has_image(part("p", "m", shot))
    assert has_image(part("p", "m", File("image/png", "a.png")))
    assert not has_image(part("p", "m", File("application/pdf", "a.pdf")))
    assert not has_image(part("p", "m", Tool("shot", output="done")))


class Shots(FakeLibrary):
    """A library whose first prompt carries an image, as a file or beside a tool's output."""

    def __init__(self, content: File | Tool, data: bytes) -> None:
        super().__init__()
        self.content, self.data = content, data

    def raw(self, ident: str) -> str:
        url = "data:image/png;base64," + base64.b64encode(self.data).decode()
        return json.dumps({"url": url, "filename": "screen.png"})

    def _window(self, session_id: str, first: int, count: int) -> Window:
        window = super()._window(session_id, first, count)
        head = replace(window.messages[0], parts=(part("prt_image", "m", self.content),))
        return replace(window, messages=(head, *window.messages[1:]))


FILE = File("image/png", "screen.png", bytes=48)
TOOL = Tool("shot", status="completed", output="done", attachments=(Attachment("image/png"),))


async def alone(sh: Shell) -> PartViewer:
    await sh.press("enter", "enter")
    assert isinstance(sh.app.screen, PartViewer)
    return sh.app.screen


async def test_an_image_alone_is_drawn() -> None:
    async with shell(Shots(FILE, image(20, 20))) as sh:
        viewer = await alone(sh)
        strip = viewer.query_one(PictureView).render_line(0)
        first = next(iter(strip))
        assert (first.text, strip.text.strip()) == ("▀", "▀" * 20)
        assert first.style is not None
        assert first.style.color is not None
        assert first.style.color.triplet == RED
        assert "screen.png · 20 x 20 pixels" in sh.text


async def test_beside_an_output_it_is_a_side_of_its_own_and_saved_exactly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = image(20, 20)
    async with shell(Shots(TOOL, data)) as sh:
        viewer = await alone(sh)
        assert not viewer.query_one(PictureView).display
        await sh.press("tab", "w")
        assert viewer.query_one(PictureView).display
    assert [path.name for path in tmp_path.iterdir()] == ["screen.png"]
    assert (tmp_path / "screen.png").read_bytes() == data


async def test_without_pillow_it_says_so_and_still_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = image(20, 20)
    monkeypatch.setitem(sys.modules, "PIL", None)
    async with shell(Shots(FILE, data)) as sh:
        await alone(sh)
        assert NO_PILLOW in sh.text
        await sh.press("w")
    assert (tmp_path / "screen.png").read_bytes() == data
