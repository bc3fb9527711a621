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
        for width, height in ((200, 100), (1, 1), (200, 100)):
            view.extend_to(width, height)
            await pilot.pause()
            assert (view.vertical_scrollbar.position, view.horizontal_scrollbar.position) == (0, 0)
            view.scroll_to(30, 50, animate=False)
            await pilot.pause()
        assert (view.vertical_scrollbar.position, view.horizontal_scrollbar.position) == (50, 30)
