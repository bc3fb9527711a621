"""The kinds that are indexed: none is no search, a change touches the documents of its kinds."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from store.errors import StoreError
from store.library import Library
from store.model import KINDS, Kind
from store.rules import Rules
from tests.store.shelf import documents, one_talk


def synced(tmp_path: Path, kinds: Sequence[Kind] | None) -> Library:
    store = tmp_path / "opencode.db"
    if not store.exists():
        one_talk(store)
    rules = Rules(kinds=None if kinds is None else tuple(kinds))
    held = Library.open(sources=[store], index=tmp_path / "index.db", rules=rules)
    held.sync(threading.Event())
    return held


def ids(tmp_path: Path) -> dict[int, int]:
    with closing(apsw.Connection(str(tmp_path / "index.db"))) as db:
        rows = db.execute("select id, kind from doc").fetchall()
    return {int(str(row[0])): int(str(row[1])) for row in rows}


def test_a_change_of_kinds_makes_and_drops_exactly_theirs(tmp_path: Path) -> None:
    synced(tmp_path, None).close()
    whole = [(one.kind, one.body, one.words) for one in documents(tmp_path / "index.db")]
    before = ids(tmp_path)
    fewer = [kind for kind in KINDS if kind not in ("tool_output", "title")]
    held = synced(tmp_path, fewer)
    assert sorted(hit.kind for hit in held.search("").hits) == [
        "assistant_text",
        "tool_input",
        "user_text",
    ]
    assert not held.search("bravo").hits
    assert any(one["check"] == "kinds" for one in held.diagnose("bravo"))
    assert held.show("prt_tool").parts
    held.close()
    kept = ids(tmp_path)
    assert kept == {one: kind for one, kind in before.items() if KINDS[kind] in fewer}
    synced(tmp_path, None).close()
    assert ids(tmp_path) == kept
    held = synced(tmp_path, KINDS)
    assert held.search("bravo").hits[0].kind == "tool_output"
    assert held.search("bra").total == 1
    held.close()
    told = [(one.kind, one.body, one.words) for one in documents(tmp_path / "index.db")]
    assert sorted(told) == sorted(whole)
    assert {one: kind for one, kind in ids(tmp_path).items() if one in kept} == kept


def test_no_kinds_is_no_search_and_browsing_goes_on(tmp_path: Path) -> None:
    held = synced(tmp_path, [])
    for call in (held.search, held.scan, held.facets, held.diagnose):
        with pytest.raises(StoreError, match="SEARCH_DISABLED"):
            call("bravo")
    assert [one.title for one in held.sessions().sessions] == ["delta title"]
    assert held.around("prt_tool").messages
    assert held.coverage().complete


def test_a_filling_that_was_broken_off_is_made_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced(tmp_path, ["user_text"]).close()
    with monkeypatch.context() as patch:
        patch.setattr("store.rekind._filled", lambda *_: False)
        synced(tmp_path, KINDS).close()
    held = synced(tmp_path, KINDS)
    assert len(held.search("").hits) == 5
