"""Text that tries to be markup, a link, a control or a bidi override only shows, wherever it is."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import replace

import pytest

from store.errors import StoreError
from store.model import (
    Facets,
    Fault,
    Glance,
    Happening,
    HappeningPage,
    Leftover,
    LeftoverPage,
    Message,
    Part,
    Text,
    Tool,
    Window,
    WindowMessage,
)
from tests.tui.fake import SESSIONS, SOURCE, FakeLibrary, ago, hit, part
from tests.tui.helpers import Shell, shell
from tui.widgets.field import Field

PIECES = (
    "[@click=app.quit()]press[/]", "[bold red]loud[/bold red]", "[/foo]", "\x1b]0;title\x07",
    "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "\x1b[2J\x1b[H", "\x1b[31mred\x1b[0m",
    "\x9b5m", "\u202eesrever\u202c", "\u2066", "\x07\x08\x0b\x0c\x0d", "\x00", "\x1b",
    "\x1bP1$r\x1b\\",
    "```\n\x1b[5mcode\n```", "| a | \x1b[1m |\n|---|---|\n| [@click] | b |", "https://example.org",
    "连接🙂", "\ud800", "plain words",
)  # fmt: skip
FORBIDDEN = {"Cc", "Cs"}
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
ROUNDS = 8


class Hostile(FakeLibrary):
    """A library in which every string tries something."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__()
        self.dice = dice
        first = replace(SESSIONS[0], title=self.text(), directory=self.text(), project=self.text(),
                        fate="removed", flags=("archived",))  # fmt: skip
        self.all_sessions = (first, *SESSIONS[1:])
        self.glances = {first.id: Glance(self.text(), self.text())}
        self.all_hits = tuple(
            replace(hit(n), session_title=self.text(), project=self.text(), tool=self.text(),
                    snippet=f"connection {self.text()}", spans=((0, 10),))
            for n in range(3)
        )  # fmt: skip
        fault = Fault("CORRUPT_PART", self.text(), self.text())
        self.all_sources = (replace(SOURCE, path=self.text(), faults=(fault,)),)
        self.counted_facets = Facets({"tool": ((self.text(), 3),)}, 3, True)
        self.all_values = {"tool": [(self.text(), 3)]}

    def text(self) -> str:
        return "".join(self.dice.choices(PIECES, k=4))

    def raw(self, ident: str) -> str:
        return self.text()

    def happenings(
        self, text: str = "", *, limit: int = 100, cursor: str | None = None
    ) -> HappeningPage:
        one = Happening(self.all_sessions[0], "part_deleted", "removed", ("event_log",), ago(0),
                        ago(0), None, 1, 1, (self.text(),), "m", self.text())  # fmt: skip
        return HappeningPage((one,), False, None)

    def leftovers(
        self, text: str = "", *, limit: int = 100, cursor: str | None = None
    ) -> LeftoverPage:
        one = self.all_sessions[0]
        gone = Leftover(one.source, one.id, one.title, one.project, one.directory, "m", "p",
                        "tool", "tool_output", ago(0), "removed", "event_log", "part_deleted",
                        tool=self.text(), role="assistant", agent=self.text(), removed_at=ago(0),
                        text=self.text())  # fmt: skip
        return LeftoverPage((gone,), 1, False, None)

    def versions(self, ident: str) -> tuple[Part, ...]:
        made = (part("p", "m", Text(self.text())) for _ in range(2))
        return tuple(replace(one, version=place) for place, one in enumerate(made))

    def _window(self, session_id: str, first: int, count: int) -> Window:
        of = next(one for one in self.all_sessions if one.id == session_id)
        message = Message("m", session_id, "assistant", ago(0), agent=self.text(),
                          model=self.text(), error=self.text())  # fmt: skip
        names = ("bash", "read", "grep", "webfetch", "question", "todowrite", "x\x1b[2J")
        contents = [Text(self.text())]
        tools = [
            Tool(name, status="completed", title=self.text(), output=self.text(), error=self.text(),
                 input={"command": self.text(), "pattern": self.text(), "filePath": self.text(),
                        "todos": [{"content": self.text(), "status": self.text()}],
                        "questions": [{"question": self.text(), "options": [self.text()]}]},
                 meta={"answers": [[self.text()]]})
            for name in names
        ]  # fmt: skip
        parts = tuple(
            part(f"p{n}_{self.dice.random()}", "m", one, session_id)
            for n, one in enumerate([*contents, *tools])
        )
        return Window(of, (WindowMessage(message, parts),), 0, 1)


def check(sh: Shell) -> None:
    for strip in sh.app.screen._compositor.render_strips():
        for segment in strip:
            assert segment.control is None
            for letter in segment.text:
                assert unicodedata.category(letter) not in FORBIDDEN, repr(segment.text)
                assert letter not in BIDI, repr(segment.text)
            style = segment.style
            if style is not None:
                assert style.link is None
                click = (style.meta or {}).get("@click")
                assert click is None or "quit" not in str(click)


async def test_nothing_reaches_the_terminal_but_what_shows() -> None:
    library = Hostile(random.Random(7))
    async with shell(library, (120, 50)) as sh:
        check(sh)
        for _ in range(ROUNDS):
            sh.screen.reader.ident = ""
            sh.screen.reader.open_session(library.all_sessions[0])
            await sh.press("enter", "z")
            check(sh)
            for keys in (("G",), ("enter",), ("tab", "R"), ("escape",), ("O",), ("escape",)):
                await sh.press(*keys)
                check(sh)
            for _ in range(3):
                if sh.app.screen is not sh.screen:
                    await sh.press("escape")
        await sh.press("y")
        check(sh)
        assert sh.app.is_running


PLACES = (
    (),
    ("enter", "question_mark", "escape"),
    ("F",),
    ("L",),
    ("L", "tab"),
    ("S",),
    ("c",),
    ("f", "a"),
    ("enter", "e"),
    ("enter", "O"),
    ("enter", "D"),
    ("enter", "I"),
    ("enter", "R"),
    ("enter", "Y"),
    ("F", "c"),
    ("p",),
    ("v",),
)


@pytest.mark.parametrize("keys", PLACES, ids="-".join)
async def test_wherever_it_stands_it_only_shows(keys: tuple[str, ...]) -> None:
    async with shell(Hostile(random.Random(3)), (120, 40)) as sh:
        for key in keys:
            await sh.press(key)
            check(sh)
        assert sh.app.is_running


@pytest.mark.parametrize("size", [(180, 50), (50, 15)])
async def test_in_hits_and_what_is_proposed_it_only_shows(size: tuple[int, int]) -> None:
    async with shell(Hostile(random.Random(5)), size) as sh:
        await sh.press("slash", *"tool:")
        check(sh)
        await sh.press("tab")
        check(sh)
        await sh.type("connection")
        check(sh)
        for key in ("enter", "i", "escape", "v", "enter", "n"):
            await sh.press(key)
            check(sh)


@pytest.mark.parametrize("call", ["sessions", "around", "page", "search"])
async def test_in_what_went_wrong_it_only_shows(call: str) -> None:
    library = Hostile(random.Random(11))
    library.errors[call] = StoreError("SOURCE_UNREADABLE", library.text() * 2, library.text())
    async with shell(library, (120, 40)) as sh:
        check(sh)
        await sh.type("connection")
        check(sh)
        await sh.press("enter", "enter")
        check(sh)


async def test_what_is_said_in_passing_only_shows() -> None:
    library = Hostile(random.Random(13))
    async with shell(library, (120, 40)) as sh:
        for _ in range(ROUNDS):
            sh.app.tell(library.text(), bad=True)
            await sh.pilot.pause()
            check(sh)
        await sh.press("question_mark")
        sh.app.tell(library.text())
        await sh.pilot.pause()
        check(sh)
        await sh.press("escape", "enter", "enter")
        sh.app.tell(library.text())
        await sh.pilot.pause()
        check(sh)


@pytest.mark.parametrize(
    "keys", [("slash",), ("f",), ("e", "slash"), ("enter", "f"), ("L", "slash")]
)
async def test_what_is_pasted_into_a_line_only_shows(keys: tuple[str, ...]) -> None:
    library = Hostile(random.Random(17))
    async with shell(library, (120, 40)) as sh:
        await sh.press(*keys)
        field = sh.app.screen.focused
        assert isinstance(field, Field)
        field.value = "\x1b[2J \u202e\x07 x" + library.text()
        await sh.rest()
        check(sh)
