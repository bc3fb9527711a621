"""One part alone on the whole screen, all of its text whatever its size."""

from __future__ import annotations

from typing import ClassVar, Literal

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from store.model import Part
from tui.attached import Attached
from tui.keys import named_keys
from tui.picture import Picture
from tui.render.blocks import code_blocks
from tui.render.lines import sides
from tui.render.part import copied, heading
from tui.render.row import Marker
from tui.render.words import many, size
from tui.widgets.field import Field
from tui.widgets.pictureview import PictureView
from tui.widgets.statusline import StatusLine
from tui.widgets.textview import TextView
from tui.widgets.transcript import PART_KEYS, Transcript

Asking = Literal["find", "line"]
Side = tuple[str, str | Picture]
"""A name, and what there is to see under it."""
ASKS: dict[Asking, str] = {"find": "find in this part", "line": "go to line"}
DIGITS = 12
"""Of the number of a line that are read; with more of them it lies behind every text."""
HINTS = (
    ("viewer.find", "find"),
    ("part.copy", "copy"),
    ("part.save", "save"),
    ("viewer.next_match", "match"),
    ("viewer.side", "side"),
    ("viewer.wrap", "wrap"),
    ("viewer.line", "line"),
    ("viewer.numbers", "numbers"),
)
"""The keys that the last line names, by their ids, as far as there is room."""
LAST = (("viewer.back", "back"), ("help", "keys"))
"""Those that it always names."""


class PartViewer(Screen[None]):
    """Shows a part from the first match of the terms on; copies are posted as `Transcript.Copy`."""

    DEFAULT_CSS = """
    PartViewer {
        background: $background;
        & > #viewer-heading { height: 1; padding: 0 1; background: $panel;
                              text-wrap: nowrap; text-overflow: ellipsis; }
        & > #viewer-text { height: 1fr; }
        & > #viewer-ask { height: 1; border: none; padding: 0 1; background: $panel; }
        & > #viewer-ask.-hidden { display: none; }
        & > #viewer-where { height: 1; padding: 0 1; color: $text-muted; background: $panel; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", id="viewer.back"),
        Binding("f,slash", "ask('find')", "Find", id="viewer.find"),
        Binding("n", "match(1)", "Next match", id="viewer.next_match", show=False),
        Binding("N", "match(-1)", "Previous match", id="viewer.previous_match", show=False),
        Binding("colon", "ask('line')", "Go to line", id="viewer.line", show=False),
        Binding("j,down", "scroll(1)", "Down", id="viewer.down", show=False),
        Binding("k,up", "scroll(-1)", "Up", id="viewer.up", show=False),
        Binding("l,right", "sideways(8)", "Right", id="viewer.right", show=False),
        Binding("h,left", "sideways(-8)", "Left", id="viewer.left", show=False),
        Binding("space,pagedown", "pages(1.0)", "Page down", id="viewer.page_down", show=False),
        Binding("pageup", "pages(-1.0)", "Page up", id="viewer.page_up", show=False),
        Binding("ctrl+d", "pages(0.5)", "Half page down", id="viewer.half_down", show=False),
        Binding("ctrl+u", "pages(-0.5)", "Half page up", id="viewer.half_up", show=False),
        Binding("g,home", "edge(False)", "Top", id="viewer.top", show=False),
        Binding("G,end", "edge(True)", "Bottom", id="viewer.bottom", show=False),
        Binding("number_sign", "numbers", "Line numbers", id="viewer.numbers", show=False),
        Binding("W", "wrap", "Wrap lines", id="viewer.wrap", show=False),
        Binding("tab", "side", "Output or input", id="viewer.side", show=False),
        *PART_KEYS,
        Binding("R", "raw", "Stored JSON", id="context.raw", show=False),
    ]

    def __init__(
        self, part: Part, terms: tuple[str, ...] = (), *, extra: tuple[str, str] | None = None
    ) -> None:
        super().__init__()
        self.part = part
        self._terms = terms
        self._sides: list[Side] = [*sides(part)]
        self._own = len(self._sides)
        self._side = self._matching()
        if extra is not None:
            self._sides.append(extra)
            self._side = self._own
        self._asking: Asking = "find"

    def _matching(self) -> int:
        """The side that holds a match, the first one where none does."""
        marker = Marker(self._terms)
        for place, (_, text) in enumerate(self._sides):
            if isinstance(text, str) and marker.found(text):
                return place
        return 0

    def compose(self) -> ComposeResult:
        """A heading, the text, a line to type in, a line that says where one is, the keys."""
        yield Static(id="viewer-heading", markup=False)
        yield TextView(id="viewer-text")
        yield PictureView(id="viewer-picture")
        yield Field(id="viewer-ask", classes="-hidden")
        yield Static(id="viewer-where", markup=False)
        yield StatusLine(id="viewer-status")

    def on_mount(self) -> None:
        """Opens the side with the first match."""
        self.query_one("#viewer-heading", Static).update(Content(heading(self.part)))
        self.query_one(StatusLine).show_keys(
            named_keys(self.app, HINTS), named_keys(self.app, LAST)
        )
        self._text.focus()
        self._open()

    def say(self, text: str, *, bad: bool = False) -> None:
        """A passing word."""
        self.query_one(StatusLine).say(text, bad=bad)

    def add_side(self, name: str, held: str | Picture, *, show: bool = True) -> None:
        """Adds a text or a picture to see of the part, and shows it unless told not to."""
        names = [known for known, _ in self._sides]
        if name not in names:
            self._sides.append((name, held))
            names.append(name)
        if show:
            self._side = names.index(name)
            self.query_one(StatusLine).hush()
        self._open()

    @property
    def shown_file(self) -> Attached | None:
        """The file whose picture is shown."""
        held = self._sides[self._side][1]
        return held.file if isinstance(held, Picture) else None

    @property
    def _text(self) -> TextView:
        return self.query_one(TextView)

    def _open(self) -> None:
        _, held = self._sides[self._side]
        picture = self.query_one(PictureView)
        picture.display, self._text.display = isinstance(held, Picture), isinstance(held, str)
        if isinstance(held, Picture):
            picture.show(held)
            picture.focus()
            wide, high = held.size
            self._say(f"{wide:,} x {high:,} pixels", size(len(held.file.data)))
        else:
            self._text.show(held, self._terms)
            self._text.focus()

    @on(TextView.Looked)
    def _say_where(self) -> None:
        view = self._text
        lines = view.lines
        top = lines.line_at(view.scroll_offset.y)
        number = next((n for n in reversed(lines.numbers[: top + 1]) if n), 0)
        total = many(lines.count, "line") if lines.whole else "counting lines…"
        if view.coming:
            total += f" then {view.coming}"
        found = many(len(lines.matches), "line") + " with a match" if self._terms else ""
        if view.counting and not lines.matches:
            found = ""
        if self.shown_file is None:
            self._say(f"line {number:,} of {total}", found)

    def _say(self, *facts: str) -> None:
        shown = self._sides[self._side][0]
        others = ", ".join(name for name, _ in self._sides if name != shown)
        said = " · ".join(filter(None, (shown, *facts)))
        where = self.query_one("#viewer-where", Static)
        room = where.size.width
        if others and cell_len(said) + cell_len(others) + 8 <= room:
            said += f" · tab: {others}"
        where.update(Content(said).truncate(room, ellipsis=True), layout=False)

    # Keys --------------------------------------------------------------------------------------

    def action_back(self) -> None:
        """Closes the line to type in, else the viewer."""
        line = self.query_one(Input)
        if line.has_focus:
            line.add_class("-hidden")
            self._text.focus()
        else:
            self.dismiss()

    def action_ask(self, what: Asking) -> None:
        """Opens the line to type what to find, or where to go."""
        self._asking = what
        line = self.query_one(Input)
        line.remove_class("-hidden")
        line.placeholder = ASKS[what]
        line.value = " ".join(self._terms) if what == "find" else ""
        line.focus()
        line.select_all()

    @on(Input.Submitted, "#viewer-ask")
    def _asked(self, event: Input.Submitted) -> None:
        event.stop()
        event.input.add_class("-hidden")
        self._text.focus()
        typed = event.value.strip()
        if self._asking == "find":
            self._terms = (event.value,) if typed else ()
            self._text.mark(self._terms)
        elif typed.isdecimal():
            self._text.go_to_line(int(typed[:DIGITS]))

    def action_match(self, step: int) -> None:
        """To the next or previous match."""
        self._text.go_to_match(step)

    def action_scroll(self, rows: int) -> None:
        """By rows."""
        self._text.go_to_row(self._text.scroll_offset.y + rows)

    def action_sideways(self, cells: int) -> None:
        """By cells, where lines are not wrapped."""
        self._text.scroll_to(x=self._text.scroll_offset.x + cells, animate=False)

    def action_pages(self, pages: float) -> None:
        """By screens."""
        self.action_scroll(round(pages * (self._text.lines_seen - 1)))

    def action_edge(self, bottom: bool) -> None:
        """To the beginning or the end."""
        if bottom:
            self._text.go_to_end()
        else:
            self._text.go_to_row(0)

    def action_numbers(self) -> None:
        """Shows or hides line numbers."""
        self._text.toggle_numbers()

    def action_wrap(self) -> None:
        """Wraps lines or not."""
        self._text.toggle_wrap()

    def action_side(self) -> None:
        """From output to input to diff, and again."""
        self._side = (self._side + 1) % len(self._sides)
        self._open()
        self.query_one(StatusLine).hush()

    def action_raw(self) -> None:
        """Asks for the stored JSON of the part."""
        self.post_message(Transcript.ShowRaw(self.part))

    def action_blocks(self) -> None:
        """Asks for one of the blocks of code in the part to be copied."""
        self.post_message(Transcript.CopyBlock(code_blocks(self.part)))

    def action_copy(self, what: str) -> None:
        """Hands text of the part to the clipboard: of the side that is shown, if not told which."""
        shown, words = self._sides[self._side]
        if what == "text" and shown == "input":
            what = "input"
        text, name = copied(self.part, what)
        if what == "text" and self._side > 0 and isinstance(words, str):
            name, text = shown, words
        if text:
            self.post_message(Transcript.Copy(text, name))
