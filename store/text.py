"""How text becomes tokens of the full-text index, the same for what is indexed and what is asked.

The index is an FTS5 table with `unicode61 remove_diacritics 2`: runs of letters and digits are
tokens, case and accents of Latin letters are folded. Scripts written without spaces would give one
token per sentence there, so `spaced` sets their characters apart before text goes in.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache

# One token a character: Han with radicals, extensions and compatibility forms, kana with its
# halfwidth forms, bopomofo, hangul syllables, Thai, Lao, Myanmar, Khmer.
_SINGLE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035"
    "\u3038-\u303c\u3041-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\uff66-\uff9f\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
# The tables of unicode61 are those of Unicode 6: it takes newer signs (emoji, arrows, currency,
# bidi isolates, box drawing of the supplements) for letters that would stick to the word beside
# them. They separate here. The last line it takes for marks where Python sees letters.
_SIGNS = (
    "\u061c\u20ba-\u20cf\u2065-\u2069\u218a-\u218f\u23f4-\u23ff\u2700\u2b4d-\u2bff\u2e3c-\u2e7f"
    "\u32ff\ufe27-\ufe2f\U0001cc00-\U0001cebf\U0001f000-\U0001fbef"
    "\u19b0-\u19c0\u19c8\u19c9\u1cf2\u1cf3"
)
_LONE = "\ud800-\udfff"
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
# Combining marks that unicode61 drops inside a token; any other mark separates.
_MARKS = "\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331"
_LATIN = ((0xC0, 0x250), (0x1E00, 0x1F00))
_GREEK = (0x370, 0x400)

# What a terminal is told between characters: colours and erasing, which stand inside words too,
# and the rest (moving the cursor, titles), which separates.
ESCAPE = (
    r"\x1b(?:\[[0-9;:]*(?P<inside>[mK])|\[[0-?]*[ -/]*[@-~]"
    r"|\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\))"
)
_ESCAPE = re.compile(ESCAPE)
_ASCII = bytes(range(128))
_ASCII_KEPT = bytes(range(1, 128))
# Punctuation, arrows, boxes, Han and their neighbours have no large letters.
_MAY_FOLD = re.compile("[^\u2000-\u2125\u2190-\u24b5\u24d0-\u2bff\u2e80-\ua63f]")
_ASCII_TOKEN = re.compile("[0-9A-Za-z]+")

_LETTER = f"[^\\W_{_SINGLE}{_SIGNS}]|[{_PRIVATE}]"
_SEPARATOR = f"[\0{_SIGNS}{_LONE}]+"
_RUN = f"([{_SINGLE}]+)"
_TOKEN = f"(?=[^\\W_])[{_SINGLE}]|(?:{_LETTER})(?:{_LETTER}|[{_MARKS}])*"
_JOINED = f"(?:{_LETTER})(?:{_LETTER}|[{_MARKS}])"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """These large sets take milliseconds to compile, which ascii text never has to wait for."""
    return re.compile(pattern)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as the index has it (folded), and its [start, end) in the text it came from."""

    text: str
    start: int
    end: int


def spaced(text: str) -> str:
    """The text as it is given to FTS5; always encodable as UTF-8, and without NUL.

    Ascii text comes back as it is. NUL, half characters and signs that FTS5 would take for letters
    separate; colours of a terminal are gone.
    """
    if "\x1b" in text:
        text = _ESCAPE.sub(_escape, text)
    if text.isascii() or _is_latin(text):
        return text.replace("\0", " ") if "\0" in text else text
    # Most characters of most texts are ascii, and need no look at a large set.
    others = text.encode("utf-8", "surrogatepass").translate(None, _ASCII_KEPT)
    found = others.decode("utf-8", "surrogatepass")
    separated = _compiled(_SEPARATOR).search(found) is not None
    if not separated and _compiled(_RUN).search(found) is None:
        return text
    pieces: list[str] = []
    for piece in _compiled(_SEPARATOR).split(text) if separated else (text,):
        between = _compiled(_RUN).split(piece)
        between[1::2] = map(" ".join, between[1::2])
        pieces += filter(None, between)
    return " ".join(pieces)


def indexed(text: str) -> bytes:
    """The spaced text as it goes into the full text."""
    return spaced(text).encode()


def is_plain(text: bytes) -> bool:
    """Whether a text (UTF-8) goes into the full text as it is."""
    return text.isascii() and b"\x1b" not in text and b"\0" not in text


def _is_latin(text: str) -> bool:
    """Whether all characters are of Latin-1, none of which stands alone."""
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def tokens(text: str) -> list[Token]:
    """The tokens that the index makes of `spaced(text)`, with their places in `text`."""
    if "\x1b" in text:
        plain = _without_escapes(text)
        return [
            Token(t.text, plain.place(t.start), plain.place(t.end - 1) + 1)
            for t in tokens(plain.text.replace("\x1b", " "))
        ]
    pattern = _ASCII_TOKEN if text.isascii() else _compiled(_TOKEN)
    return [Token(fold(m.group()), m.start(), m.end()) for m in pattern.finditer(text)]


def stands_alone(character: str) -> bool:
    """Whether the character is of a script where each one is a token of its own."""
    return (
        not character.isascii()
        and _compiled(f"(?=[^\\W_])[{_SINGLE}]").match(character) is not None
    )


def is_joined(text: str, at: int) -> bool:
    """Whether a token runs on across place `at`, that is, the characters beside it are of one."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():
        return before.isalnum() and after.isalnum()
    return _compiled(_JOINED).fullmatch(before + after) is not None


def has_lone_surrogate(text: str) -> bool:
    """Whether the text has half a character (bytes that were no UTF-8) in it."""
    return not text.isascii() and _compiled(f"[{_LONE}]").search(text) is not None


def encodable(text: str) -> str:
    """The text as SQLite takes it: half characters become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


# Folding -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Folded:
    """A text made comparable: small letters, no accents. `dropped`: places where a mark went."""

    text: str
    dropped: tuple[int, ...] = ()

    def place(self, at: int) -> int:
        """Where the character at `at` of the folded text is in the original."""
        return at + bisect_right(self.dropped, at) if self.dropped else at


def fold(text: str) -> str:
    """The text in small letters, without accents and escape sequences, for comparing."""
    return folded(text).text


def folded(text: str) -> Folded:
    """As `fold`, with the way back to places in the original."""
    plain = _without_escapes(text) if "\x1b" in text else Folded(text)
    if plain.text.isascii():
        return Folded(plain.text.lower(), plain.dropped)
    table, marks = _folding()
    raw = plain.text.encode("utf-8", "surrogatepass")
    others = raw.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    low = raw.lower().decode("utf-8", "surrogatepass")
    for letter in set(_MAY_FOLD.findall(others)):
        small = table.get(letter) or letter.lower()
        small = table.get(small, small)
        if small != letter:
            low = low.replace(letter, small)
    gone = [m.start() for m in marks.finditer(low)] if marks.search(others) else []
    if not gone:
        return Folded(low, plain.dropped)
    places = {plain.place(at) for at in gone}.union(d + i for i, d in enumerate(plain.dropped))
    return Folded(marks.sub("", low), tuple(p - i for i, p in enumerate(sorted(places))))


def _without_escapes(text: str) -> Folded:
    """The text as the index sees it, escape sequences gone."""
    parts: list[str] = []
    dropped: list[int] = []
    at = kept = 0
    for found in _ESCAPE.finditer(text):
        space = _escape(found)
        parts += (text[at : found.start()], space)
        kept += found.start() - at + len(space)
        dropped += [kept] * (found.end() - found.start() - len(space))
        at = found.end()
    return Folded("".join([*parts, text[at:]]), tuple(dropped))


def _escape(found: re.Match[str]) -> str:
    return "" if found["inside"] else " "


@cache
def _folding() -> tuple[dict[str, str], re.Pattern[str]]:
    """Letters that fold further than to small ones, and a pattern of the marks to drop."""
    table = {"µ": "μ", "ſ": "s", "ẛ": "s", "\u1fbe": "ι", "İ": "i"}
    for first, last in _LATIN:
        for letter in map(chr, range(first, last)):
            base = unicodedata.normalize("NFD", letter)[0]
            if base.isascii() and letter not in "ǡǠ":
                table[letter] = base.lower()
    for letter in map(chr, range(*_GREEK)):
        if letter.islower() and letter.casefold() != letter and len(letter.casefold()) == 1:
            table[letter] = letter.casefold()
    return table, re.compile(f"[{_MARKS}]")
