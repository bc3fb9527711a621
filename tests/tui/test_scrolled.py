"""A view that grows and shrinks by itself: its scroll bars say where it is."""

from __future__ import annotations

from textual.app import App, ComposeResult

from tui.widgets.scrolled import Scrolled


class Viewing(App[None]):
    """An app with nothing but such a view."""

    def compose(self) -> ComposeResult:
        """The view."""
        yield Scrolled()


async def test_a_bar_that_comes_back_stands_where_the_view_is() -> None:
    async with Viewing().run_test(size=(40, 10)) as pilot:
        view = pilot.app.query_one(Scrolled)
        view.extend_to(200, 100)
        await pilot.pause()
        view.scroll_to(30, 50, animate=False)
        view.extend_to(1, 1)
        await pilot.pause()
        view.extend_to(200, 100)
        await pilot.pause()
        assert (view.scroll_x, view.scroll_y) == (0, 0)
        assert (view.horizontal_scrollbar.position, view.vertical_scrollbar.position) == (0, 0)
