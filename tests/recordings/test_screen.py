"""Every string that a recorded store keeps of a part can be reached on the screen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.library import Library
from store.model import Json, Part, StepFinish, Tool
from tests.recordings.conftest import Recording
from tests.recordings.stores import STORES
from tests.recordings.test_library import open_library
from tui.about import about_lines
from tui.render.lines import sides
from tui.render.part import copied, heading, render_part
from tui.render.safe import clean
from tui.stored import readable

SHORT = 3
NOTED = "metadata"
BLANKS = re.compile(r"\s+")
SHOWN = ("text", "output", "error", "command", "filePath", "pattern", "query", "url", "prompt")


@pytest.fixture(params=STORES)
def library(
    recording: Recording, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Library]:
    found = open_library(recording(str(request.param)), tmp_path)
    yield found
    found.close()


def leaves(value: Json, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string longer than three characters, with the key it stands under.

    Below `metadata` it is that: there the agent keeps copies, cut short.
    """
    if isinstance(value, str) and len(value) > SHORT:
        yield key, value
    for inner, held in value.items() if isinstance(value, dict) else ():
        noted = key == NOTED or inner == "metadata"
        yield from leaves(held, NOTED if noted else inner)
    for held in value if isinstance(value, list) else ():
        yield from leaves(held, key)


def bare(text: str) -> str:
    return BLANKS.sub("", clean(text))


def on_screen(part: Part) -> str:
    """The part unfolded with nothing left out, and each of its texts alone."""
    rows = render_part(part, width=400, folded=False, expanded=True)
    shown = [row.text for row in rows] + [text for _, text in sides(part)]
    return bare("".join([heading(part), *shown]))


def test_every_string_is_on_the_screen_or_in_the_stored_json(library: Library) -> None:
    checked = 0
    for session in library.sessions(limit=None).sessions:
        window = library.page(f"{session.source}:{session.id}", 0, 1000)
        for item in window.messages:
            steps = [p.content for p in item.parts if isinstance(p.content, StepFinish)]
            for part in item.parts:
                if part.evidence != "source":
                    continue
                stored = library.raw(f"{session.source}:{part.id}")
                page = bare(readable(stored))
                screen = on_screen(part)
                assert about_lines(part, item.message, steps)
                for key, text in leaves(json.loads(stored)):
                    checked += 1
                    assert bare(json.dumps(text, ensure_ascii=False)[1:-1]) in page
                    if key in SHOWN and isinstance(part.content, Tool) and "base64" not in text:
                        assert bare(text) in screen, (part.id, key, text[:80])
    assert checked


def test_copying_an_output_gives_the_stored_bytes(library: Library) -> None:
    for session in library.sessions(limit=None).sessions:
        for item in library.page(f"{session.source}:{session.id}", 0, 1000).messages:
            for part in item.parts:
                if not isinstance(part.content, Tool) or part.content.output is None:
                    continue
                stored = json.loads(library.raw(f"{session.source}:{part.id}"))
                state = stored.get("state") if isinstance(stored, dict) else None
                if isinstance(state, dict) and isinstance(state.get("output"), str):
                    assert copied(part, "text")[0] == state["output"]
