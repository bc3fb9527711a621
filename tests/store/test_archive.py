"""Records and blocks give back what they took, base64 excepted."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import apsw
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from store.archive import BLOCK_BYTES, Blocks, open_block, pack, unpack, without_base64
from store.model import TYPE_NAMES, Attachment, Content, File, Text, Tool, Unknown
from store.records import KEPT, Records

PNG = "data:image/png;base64," + "iVBORw0KGgo" * 20

# Any text at all: NUL, line breaks, half characters, long enough to lie behind the line.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=20) | st.builds(
    lambda piece, times: piece * times, st.text(min_size=1, max_size=9), st.integers(1, 30)
)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
JSON = st.recursive(
    LEAVES | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=9,
)
BYTES = st.integers(0, 2**60)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "str": TEXTS,
    "str | None": st.none() | TEXTS,
    "int": BYTES,
    "int | None": st.none() | BYTES,
    "float": st.floats(0, 1e9),
    "bool": st.booleans(),
    "Json": JSON,
    "dict[str, Json]": st.dictionaries(TEXTS, JSON, max_size=3),
    "tuple[str, ...]": st.lists(TEXTS, max_size=4).map(tuple),
    "tuple[tuple[str, str], ...]": st.lists(st.tuples(TEXTS, TEXTS), max_size=3).map(tuple),
    "tuple[Attachment, ...]": st.lists(
        st.builds(Attachment, mime=TEXTS, filename=TEXTS, bytes=BYTES), max_size=3
    ).map(tuple),
}


def any_of(kind: type[Content]) -> st.SearchStrategy[Content]:
    values = {one.name: VALUES[str(one.type)] for one in fields(kind)}
    if kind is Unknown:
        values["type"] = TEXTS.filter(lambda name: name not in TYPE_NAMES.values())
    return st.builds(kind, **values)


@given(st.one_of([any_of(kind) for kind in (*TYPE_NAMES, Unknown)]))
def test_every_content_comes_back(content: Content) -> None:
    assert unpack(pack(content)) == content


def test_a_text_lies_in_its_record_as_it_is() -> None:
    said = 'Zeile "eins"\nzwei\t\\ 你好' + "." * 50
    assert said.encode() in pack(Text(said))


def test_inline_bytes_stay_in_the_source() -> None:
    tool = Tool(input={"url": PNG}, output=f"before {PNG}== after", meta={"shot": [PNG]})
    assert unpack(pack(tool)) == Tool(
        input={"url": "[data image/png]"},
        output="before [data image/png] after",
        meta={"shot": ["[data image/png]"]},
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (PNG, "[data image/png]"),
        (f'<img src="{PNG}=">', '<img src="[data image/png]">'),
        (PNG.replace("image/png", "text/plain;charset=utf-8"), "[data text/plain]"),
        (PNG.replace("image/png", 'text/x;name="a b.txt";q=1'), "[data text/x]"),
        (PNG.replace("image/png", ""), "[data ]"),
        ("data:ordinary text;base64, no", "data:ordinary text;base64, no"),
        ("data:text/plain,a%20b", "data:text/plain,a%20b"),
        (PNG.partition(",")[2], PNG.partition(",")[2]),
    ],
    ids=["plain", "quoted", "charset", "parameters", "no mime", "words", "percent", "no prefix"],
)
def test_what_counts_as_inline_bytes(text: str, left: str) -> None:
    assert without_base64(text) == left


def test_records_are_found_over_the_border_of_blocks() -> None:
    contents = [Text(f"{number} " + "word " * (BLOCK_BYTES // 20 + 10)) for number in range(12)]
    blocks = Blocks(7)
    places = [blocks.add(pack(content)) for content in contents]
    opened = {ident: open_block(data) for ident, data in blocks.take()}
    assert list(opened) == [7, 8, 9]
    assert all(len(opened[ident]) >= BLOCK_BYTES for ident in (7, 8))
    read = [unpack(opened[ident][at : at + length]) for ident, at, length in places]
    assert read == contents


def test_blocks_that_were_taken_do_not_come_again() -> None:
    blocks = Blocks(1)
    first = blocks.add(pack(Text("one")))
    assert [ident for ident, _ in blocks.take()] == [1]
    second = blocks.add(pack(Text("two")))
    ((ident, data),) = blocks.take()
    assert (first[0], second[0], ident) == (1, 2, 2)
    assert unpack(open_block(data)) == Text("two")
    assert blocks.take() == []


def test_blocks_stay_open_up_to_a_number_of_bytes() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE block(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
    places = []
    for number in (1, 2, 3):
        blocks = Blocks(number)
        places.append(blocks.add(pack(Text("x" * (KEPT // 2 - 1000)))))
        for row in blocks.take():
            connection.execute("INSERT INTO block VALUES(?, ?)", row)
    records = Records(connection)
    assert all(records.record(*place) for place in places)
    connection.execute("DELETE FROM block")
    assert [bool(records.record(*place)) for place in places] == [False, True, True]


def test_a_block_larger_than_all_that_stays_is_read() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE block(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
    blocks = Blocks(1)
    place = blocks.add(pack(Text("x" * 2 * KEPT)))
    for row in blocks.take():
        connection.execute("INSERT INTO block VALUES(?, ?)", row)
    records = Records(connection)
    assert records.content(*place) == Text("x" * 2 * KEPT)
    assert len(records.lowered(place[0])) > 2 * KEPT


def test_a_damaged_block_says_so() -> None:
    blocks = Blocks(1)
    blocks.add(pack(File(path="/a", text="x" * 500)))
    ((_, data),) = blocks.take()
    with pytest.raises(zstandard.ZstdError):
        open_block(data[: len(data) // 2])
    with pytest.raises(zstandard.ZstdError):
        open_block(b"no block")
