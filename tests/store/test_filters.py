"""Every filter key, what is typed as data, and what a hit says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.errors import StoreError
from store.filters import share_of_all
from store.library import Library
from store.query import parse
from store.schema import open_reader
from store.sqlite import one
from tests.makers import (
    BASE,
    MessageSpec,
    PartSpec,
    mimocode_db,
    opencode_db,
    reasoning,
    text,
    tool,
    tool_error,
)
from tests.store.shelf import (
    edit,
    found,
    library,
    sync,
    talk,
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """One document of each sort, in two stores."""
    folder = tmp_path_factory.mktemp("shelf")
    shot = tool("Shot", {"of": "it"}, "taken")
    shot["state"]["attachments"] = [{"mime": "image/png", "filename": "a.png", "url": "file:///a"}]
    running = {"type": "tool", "tool": "wait", "state": {"status": "running", "input": {}}}
    parts = {
        "prt_a1": text("w answer", time={"start": BASE + 1}),
        "prt_a2": reasoning("w thought"),
        "prt_a3": tool("bash", {"w": "ls"}, "w out", diff="+w"),
        "prt_a4": tool_error("read", {"w": "/x"}, "w failed"),
        "prt_a5": shot,
        "prt_a6": running,
        "prt_a7": {"type": "file", "mime": "image/png", "filename": "w.png"},
        "prt_a8": {"type": "patch", "hash": "h", "files": ["/w/a.py"]},
        "prt_a9": {"type": "retry", "attempt": 1, "error": {"name": "w", "data": {}}},
    }
    first = [
        talk(
            "a",
            MessageSpec("user", [PartSpec(text("w question"), id="prt_q")], id="msg_q"),
            MessageSpec(
                "assistant",
                [PartSpec(data, id=name) for name, data in parts.items()],
                id="msg_a",
                extra={"agent": "Plan", "providerID": "acme", "modelID": "big-1"},
            ),
            title="First w",
            directory="/home/mia/src/Alpha",
        ),
        talk(
            "child",
            MessageSpec("user", [PartSpec(text("w sub"), id="prt_s")], id="msg_s"),
            MessageSpec(
                "assistant", id="msg_e", extra={"error": {"name": "w", "data": {"message": "m"}}}
            ),
            parent="ses_a",
            title="Child",
            directory="/home/mia/src/Béta",
            columns={"time_archived": BASE},
        ),
    ]
    second = [
        talk(
            "m",
            MessageSpec("user", [PartSpec(text("w mimo"), id="prt_m")], slice="explore-1"),
            title="",
        )
    ]
    stores = (
        opencode_db(folder / "opencode.db", sessions=first),
        mimocode_db(folder / "mimocode.db", sessions=second, imported={"ses_m": "cc"}),
    )
    held = library(folder / "index.db", *stores)
    sync(held)
    edit(stores[0], ("delete from part where id = 'prt_a1'", ()))
    sync(held)
    yield held
    held.close()


ALL_W = "ses_a prt_q prt_a1 prt_a2 prt_a3 prt_a4 prt_a7 prt_a8 prt_a9 prt_s msg_e prt_m"


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("w", ALL_W),
        ("w kind:user_text", "prt_q prt_s prt_m"),
        ("w kind:title,reasoning", "ses_a prt_a2"),
        ("w kind:title kind:reasoning", "ses_a prt_a2"),
        ("kind:error", "prt_a9 msg_e"),
        (
            "w -kind:user_text,assistant_text",
            "ses_a prt_a2 prt_a3 prt_a4 prt_a7 prt_a8 prt_a9 msg_e",
        ),
        ("w tool:bash", "prt_a3"),
        ("w tool:BASH", "prt_a3"),
        ("w tool:bas", ""),
        ("w -tool:bash kind:tool_input", "prt_a4"),
        ("status:error", "prt_a4"),
        ("status:running", "prt_a6"),
        ("status:completed -tool:shot", "prt_a3"),
        ("w role:user", "prt_q prt_s prt_m"),
        ("w agent:plan -kind:reasoning is:live", "prt_a3 prt_a4 prt_a7 prt_a8 prt_a9"),
        ("w slice:explore-1", "prt_m"),
        ("w -slice:main", "ses_a prt_m"),
        ("w model:ACME kind:reasoning", "prt_a2"),
        ("w model:big", "prt_a1 prt_a2 prt_a3 prt_a4 prt_a7 prt_a8 prt_a9"),
        ("w source:mimocode", "prt_m"),
        ("w -source:opencode", "prt_m"),
        ("w project:beta", "prt_s msg_e"),
        ("w dir:src/béta", "prt_s msg_e"),
        ("w -dir:alpha", "prt_s msg_e"),
        ("w title:child", "prt_s msg_e"),
        ("w session:ses_c", "prt_s msg_e"),
        ("w session:mimocode:ses_m", "prt_m"),
        ("w session:ses_m,ses_child", "prt_s msg_e prt_m"),
        ("w is:removed", "prt_a1"),
        ("w is:leftover", "prt_a1"),
        ("w is:live kind:assistant_text", ""),
        ("w is:subagent", "prt_s msg_e"),
        ("w is:archived", "prt_s msg_e"),
        ("w is:imported", "prt_m"),
        ("w is:imported,archived", "prt_s msg_e prt_m"),
        ("w -is:live", "prt_a1"),
        ("has:error", "prt_a4 prt_a9 msg_e"),
        ("has:image", "prt_a5 prt_a7"),
        ("has:file", "prt_a5 prt_a7"),
        ("has:diff", "prt_a3"),
        ("has:output -has:diff", "prt_a5"),
        ("w has:diff,image", "prt_a3 prt_a7"),
        ("w before:2026-11-29", ""),
        ("w since:2026-11-30 before:2026-12-01 kind:user_text", "prt_q prt_s prt_m"),
        ("w on:2026-11-30 kind:title", "ses_a"),
        ("w -on:2026-11-30", ""),
    ],
)
def test_filters(shelf: Library, query: str, ids: str) -> None:
    assert set(found(shelf, query)) == set(ids.split())


MANY = ",".join(f"v{number}" for number in range(2_000))
DAYS = ",".join(f"20{year}-{month:02}-01" for year in range(30, 99) for month in range(1, 13))


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        (f"w tool:{MANY},bash", "prt_a3"),
        (f"kind:user_text slice:{MANY},explore-1", "prt_m"),
        (f"w -role:{MANY},user kind:user_text", ""),
        (f"w kind:tool_output model:{MANY},big-1", "prt_a3"),
        (f"w kind:tool_output agent:{MANY},plan", "prt_a3"),
        (f"w kind:tool_output session:{MANY},ses_a", "prt_a3"),
        (f"w kind:tool_output project:{MANY},alpha", "prt_a3"),
        (f"w kind:tool_output on:{DAYS}", ""),
        (f"w kind:tool_output -on:{DAYS}", "prt_a3"),
    ],
)
def test_as_many_values_as_anybody_types(shelf: Library, query: str, ids: str) -> None:
    assert set(found(shelf, query)) == set(ids.split())


@pytest.mark.parametrize(
    "query", ["kind:foo", "since:soon", "is:dead", "has:hat", "status:good", "-kind:foo", "on:1"]
)
def test_a_value_that_cannot_be_is_an_error(shelf: Library, query: str) -> None:
    with pytest.raises(StoreError, match="INVALID_FILTER"):
        shelf.search(query)


def test_a_hit_says_where_it_is(shelf: Library) -> None:
    (hit,) = shelf.search("kind:tool_error").hits
    assert (hit.source, hit.session, hit.message, hit.part) == (
        "opencode",
        "ses_a",
        "msg_a",
        "prt_a4",
    )
    assert (hit.kind, hit.tool, hit.status, hit.role) == (
        "tool_error",
        "read",
        "error",
        "assistant",
    )
    assert (hit.agent, hit.slice, hit.model) == ("Plan", "main", "acme/big-1")
    assert (hit.session_title, hit.project, hit.directory) == (
        "First w",
        "Alpha",
        "/home/mia/src/Alpha",
    )
    assert (hit.time, hit.fate, hit.evidence, hit.flags) == (BASE, "live", "source", ())
    assert (hit.snippet, hit.spans, hit.id) == ("w failed", (), "opencode:prt_a4")


@pytest.mark.parametrize(
    "query",
    ["OR", "NEAR(a b)", "*", '"', 'a"b', "(", "w*", "a AND", "NOT", "^w", "body:w", "{a b}", "-"],
)
def test_whatever_is_typed_is_data(shelf: Library, query: str) -> None:
    assert isinstance(shelf.search(query).total_at_least, int)


@pytest.mark.parametrize("query", ["a\0b", "\ud800", 'kind:"\udfff"'])
def test_what_is_no_text_is_an_error(shelf: Library, query: str) -> None:
    for call in (shelf.search, shelf.sessions):
        with pytest.raises(StoreError, match="INVALID_QUERY"):
            call(query)


@pytest.mark.parametrize(
    ("query", "share"),
    [
        ("", 1.0),
        ("since:2020-01-01 session:ses_one", 1.0),
        ("kind:tool_output", 0.25),
        ("-kind:tool_output", 0.75),
        ("tool:bash since:2020-01-01", 0.5),
        ("tool:nothing", 0.002),
    ],
)
def test_about_which_share_of_the_documents_passes(
    tmp_path: Path, query: str, share: float
) -> None:
    """Dates and sessions aside, which are looked up by themselves."""
    spoken = [
        MessageSpec("assistant", [tool("bash", {"command": f"ls {n}"}, f"out {n}"), text(f"w{n}")])
        for n in range(200)
    ]
    asked = [MessageSpec("user", [text(f"q{n}")]) for n in range(200)]
    store = opencode_db(tmp_path / "opencode.db", sessions=[talk("one", *spoken, *asked)])
    held = library(tmp_path / "index.db", store)
    sync(held)
    held.close()
    connection = open_reader(tmp_path / "index.db")
    assert connection is not None
    last = one(connection, "SELECT max(hi) FROM run")
    assert share_of_all(connection, parse(query, 0), last) == pytest.approx(share, abs=0.06)
