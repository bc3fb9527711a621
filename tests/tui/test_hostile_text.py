"""Text that tries to be markup, a link, a control or a bidi override only shows, wherever it is."""

from __future__ import annotations

import random
import unicodedata
from dataclasses import replace

from store.model import Message, Text, Tool, Window, WindowMessage
from tests.tui.fake import SESSIONS, FakeLibrary, ago, part
from tests.tui.helpers import Shell, shell

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
        first = replace(SESSIONS[0], title=self.text(), directory=self.text(), project=self.text())
        self.all_sessions = (first, *SESSIONS[1:])

    def text(self) -> str:
        return "".join(self.dice.choices(PIECES, k=4))

    def raw(self, ident: str) -> str:
        return self.text()

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
