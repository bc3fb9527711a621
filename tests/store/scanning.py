"""A plain scan of everything that is indexed, to hold searches against."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import apsw

from store.hits import Documents
from store.library import Library
from store.model import KINDS
from store.text import fold
from tests.store.shelf import every_hit

WORD = re.compile(r"[^\W_]{3,40}")
HAN = re.compile("[\u3400-\u9fff]+")
Key = tuple[str, str, str | None, str | None, str]


def texts_of(index: Path) -> dict[Key, str]:
    """The folded text of every document by source, session, message, part and kind."""
    found: dict[Key, str] = {}
    with closing(apsw.Connection(str(index))) as db:
        ids = [int(str(row[0])) for row in db.execute("select id from doc").fetchall()]
        for one in Documents(db).found(ids):
            row = one.row
            key = (row[3], row[4], row[8], row[14], KINDS[row[1]])
            found[key] = found.get(key, "") + "\n" + fold(one.body.text)
    return found


def found_by(library: Library, query: str, limit: int = 1000) -> set[Key]:
    """All pages of a search, the copies of each hit among them, synthetic text too."""
    found: set[Key] = set()
    for asked in (query, f"{query} is:synthetic"):
        for hit in every_hit(library, asked, limit=limit):
            found.add((hit.source, hit.session, hit.message, hit.part, hit.kind))
            for one in hit.copies:
                found.add((one.source, one.session, one.message, one.part, hit.kind))
    return found


def drawn(texts: Mapping[Key, str], chance: random.Random, count: int) -> Iterator[str]:
    """Words, pieces from inside of words, and Han text of one to five characters."""
    held = [text for text in texts.values() if text.strip()]
    for number in range(count):
        text = chance.choice(held)
        words = HAN.findall(text) if number % 3 == 2 else WORD.findall(text)
        if not words:
            continue
        word = chance.choice(words)
        if number % 3 == 2:
            start = chance.randrange(len(word))
            yield word[start : start + chance.randint(1, 5)]
        elif number % 3 == 1 and len(word) > 4:
            start = chance.randrange(len(word) - 2)
            yield word[start : start + chance.randint(3, 8)]
        else:
            yield word


def holding(texts: Mapping[Key, str], word: str) -> set[Key]:
    """The documents with a word: what a plain scan for the letters finds."""
    return {key for key, text in texts.items() if word in text}
