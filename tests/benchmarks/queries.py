"""A fixed mix of queries from a store's own words, the same for the same index."""

from __future__ import annotations

import re
from collections.abc import Sequence

import apsw

from store.dates import iso
from store.hits import Documents
from store.sqlite import one, rows_of

EACH = 12
_WORD = re.compile("[a-z]{4,14}")
_HAN = re.compile("[\u4e00-\u9fff]+")


def groups(connection: apsw.Connection) -> dict[str, list[str]]:
    """Typed queries by the name of their group; a group that the store has no words for is left
    out."""
    connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'fts', 'row')")
    words = rows_of(
        connection, "SELECT term, doc FROM temp.vocabulary WHERE doc > 1 ORDER BY doc DESC, term"
    )
    connection.execute("DROP TABLE temp.vocabulary")
    plain = [word for word, _ in words if _WORD.fullmatch(word)]
    han = [word for word, _ in words if _HAN.fullmatch(word)]
    common, middle = plain[:EACH], _spread(plain[200:5000])
    bodies = _bodies(connection)
    found = {
        "common words": common,
        "middle words": middle,
        "rare words": _spread(plain[len(plain) // 2 :]),
        "beginnings of 3 letters": _spread([word[:3] for word in plain[:300]]),
        "beginnings of 4 and more": _spread([word[:-1] for word in plain[:3000] if len(word) > 4]),
        "pieces of words": _spread([word[2:] for word in plain[:4000] if len(word) > 7]),
        "two words": [f"{a} {b}" for a, b in zip(common, middle, strict=False)],
        "phrases": _phrases(bodies),
        "Chinese, 1 character": _spread(han[: 20 * EACH]),
        "Chinese, 2 characters": _runs(bodies, 2),
        "Chinese, 4 characters": _runs(bodies, 4),
        "with filters": _filtered(connection, [*common[:3], *middle[:3]]),
    }
    return {name: queries for name, queries in found.items() if queries}


def _spread(values: Sequence[str]) -> list[str]:
    """EACH of the values, each once, at even distances."""
    values = list(dict.fromkeys(values))
    return values[:: max(1, len(values) // EACH)][:EACH]


def _bodies(connection: apsw.Connection) -> list[str]:
    """Texts of documents at even distances through the whole index."""
    last = int(one(connection, "SELECT coalesce(max(id), 0) FROM doc"))
    ids = list(range(1, last + 1, max(1, last // 400)))
    return [found.body.text for found in Documents(connection).found(ids)]


def _phrases(bodies: Sequence[str]) -> list[str]:
    pairs = (re.search(r"[a-z]{3,} [a-z]{3,}(?: [a-z]{3,})?", body) for body in bodies)
    return _spread([f'"{found[0]}"' for found in pairs if found])


def _runs(bodies: Sequence[str], length: int) -> list[str]:
    """Han text of that length, from the middle of a longer run."""
    found: list[str] = []
    for body in bodies:
        longest = max(_HAN.findall(body[:20_000]), key=len, default="")
        start = max(0, (len(longest) - length) // 2)
        found += [longest[start : start + length]] if len(longest) >= length else []
    return _spread(found)


def _filtered(connection: apsw.Connection, words: Sequence[str]) -> list[str]:
    """Words with each filter, and the filters alone."""
    longest = one(connection, "SELECT native FROM session ORDER BY parts DESC LIMIT 1")
    middle = int(one(connection, "SELECT coalesce(avg(time), 0) FROM doc"))
    filters = [
        "kind:tool_output",
        "kind:user_text",
        "tool:bash",
        "tool:webfetch",
        f"session:{longest}",
        f"since:{iso(middle)[:10]}",
        f"before:{iso(middle)[:10]}",
    ]
    return [*filters, *(f"{word} {one}" for one in filters for word in words)]
