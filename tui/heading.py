"""The heading of the reading pane: which session it is, and where it lies."""

from __future__ import annotations

from rich.cells import cell_len

from store.model import Session, Window
from tui import words

LEAST_TITLE = 24
"""Cells of a title for which the rest of the heading gives way."""


def title_of(session: Session) -> str:
    """The title of a session, for a heading."""
    return words.session_title(session)


def also_in(session: Session) -> str:
    """The stores that a session lies in, where it is more than one; who has more of it says so."""
    if not session.copies:
        return ""
    longer = session.longer
    names = [session.source, *(f"{one.source}{'+' * (one in longer)}" for one in session.copies)]
    return "in " + " ".join(words.flat(name) for name in names)


def reading(
    session: Session, window: Window | None, now: float, home: str, width: int
) -> tuple[str, str]:
    """The heading of the reading pane: the title, what is gone, other stores that have the session,
    folder, date and model as far as they fit.

    Where the room is short the folder goes first, then the model, and at last the date; what is
    gone and the other stores stay.
    """
    models = [message.message.model for message in window.messages] if window else []
    model = next((model for model in reversed(models) if model), "")
    title = words.session_title(session)
    folder = words.home_short(session.directory, home)
    when, model = words.moment(session.updated, now), words.flat(model.rsplit("/", 1)[-1])
    about = [words.session_left(session), also_in(session), folder, when, model]
    for dropped, least in ((2, width), (4, LEAST_TITLE), (3, LEAST_TITLE // 2)):
        said = "  ".join(piece for piece in about if piece)
        if min(cell_len(title), least) + cell_len(said) + 2 <= width:
            break
        about[dropped] = ""
    return title, "  ".join(piece for piece in about if piece)
