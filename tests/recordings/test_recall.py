"""Words drawn from the recorded stores are found wherever a plain scan finds them, and only there.

A word of three letters and more, a piece from inside of one, Han text of any length.
"""

from __future__ import annotations

import random
from pathlib import Path
from threading import Event

from store.library import Library
from tests.recordings.conftest import copy_store
from tests.recordings.stores import STORES
from tests.store.scanning import drawn, found_by, holding, texts_of


def test_recall_over_all_recorded_stores_is_whole(recordings: Path, tmp_path: Path) -> None:
    stores = [copy_store(recordings / name, tmp_path / str(n)) for n, name in enumerate(STORES)]
    index = tmp_path / "index.db"
    library = Library.open(sources=stores, index=index)
    library.sync(Event())
    texts = texts_of(index)
    assert len(texts) > 500
    asked = 0
    for word in dict.fromkeys(drawn(texts, random.Random(7), 240)):
        if not word.isalnum():
            continue
        wanted = holding(texts, word)
        answer = library.search(word, limit=1)
        assert answer.widened is None
        assert found_by(library, word) == wanted, word
        asked += 1
    library.close()
    assert asked > 100
