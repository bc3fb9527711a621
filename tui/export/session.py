"""A session in one of the forms of an export, piece by piece."""

from __future__ import annotations

from collections.abc import Iterator

from tui.export.conversation import Conversation
from tui.export.files import Form


def pieces(conversation: Conversation, form: Form) -> Iterator[str]:
    """The text of an export; reads while it is taken. Raises what the door raises."""
    session = conversation.session
    match form:
        case "markdown":
            from tui.export.markdown import as_markdown

            yield from as_markdown(session, conversation.messages())
        case "text":
            from tui.export.plaintext import as_text

            yield from as_text(session, conversation.messages())
        case "json":
            from tui.export.jsons import as_json

            yield from as_json(conversation.info, conversation.stored())
        case "trajectory":
            from tui.export.trajectory import as_trajectory, slices

            found = slices(conversation.messages())
            yield from as_trajectory(found, conversation.stored)
