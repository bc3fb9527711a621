"""The words of the command line to one `Options`; wrong usage is a StoreError."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from store.door import Sort
from tui.cli.parser import Command, Parser, make_parser
from tui.cli.values import path, plain, whole
from tui.export.files import Form

MOST_HITS = 1000
MOST_NEIGHBOURS = 50

_TAKE_QUERY: tuple[str, ...] = ("search", "sessions", "stats", "leftovers")
_TAKE_ID: tuple[str, ...] = ("around", "show", "trace", "export")


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `index` and `config` are None where nobody named them."""

    command: Command = ""
    sources: tuple[Path, ...] = ()
    index: Path | None = None
    config: Path | None = None
    demo: bool = False
    json: bool = False
    query: str = ""
    ident: str = ""
    limit: int = 20
    sort: Sort = "newest"
    literal: bool = False
    cursor: str | None = None
    catch_up: bool = True
    before: int = 5
    after: int = 5
    slice: str = ""
    rebuild: bool = False
    raw: bool = False
    output: bool = False
    form: Form = "markdown"
    out: Path | None = None
    leftovers: bool = False
    force: bool = False
    versions: bool = False
    everything: bool = False
    yes: bool = False


def parse(arguments: Sequence[str]) -> Options:
    """Reads the arguments behind the program's name.

    Raises StoreError (INVALID_ARGUMENT, INVALID_QUERY, INVALID_LIMIT, INVALID_WINDOW), and
    SystemExit(0) after `--help` and `--version`.
    """
    options, behind = _split(arguments)
    parser = make_parser()
    found, extra = parser.parse_known_args(options)
    words = _words(parser, found, extra, behind)
    _refuse_contradictions(parser, found)
    return Options(
        command=cast(Command, found.command or ""),
        sources=tuple(path("--source", text) for text in found.source + found.more_sources),
        index=path("--index", found.index) if found.index is not None else None,
        config=path("--config", found.config) if found.config is not None else None,
        demo=found.demo,
        json=found.json,
        query=_query(found, words),
        ident=_ident(parser, words) if _takes_id(parser, found, words) else "",
        limit=whole("--limit", found.limit, 1, MOST_HITS, "INVALID_LIMIT"),
        sort=cast(Sort, found.sort),
        literal=found.literal,
        cursor=plain("INVALID_CURSOR", found.cursor) if found.cursor is not None else None,
        catch_up=not found.no_index,
        before=whole("--before", found.before, 0, MOST_NEIGHBOURS, "INVALID_WINDOW"),
        after=whole("--after", found.after, 0, MOST_NEIGHBOURS, "INVALID_WINDOW"),
        slice=plain("INVALID_ARGUMENT", found.slice),
        rebuild=found.rebuild,
        raw=found.raw,
        output=found.output,
        form=cast(Form, found.form),
        out=path("--out", found.out) if found.out is not None else None,
        leftovers=found.leftovers,
        force=found.force,
        versions=found.versions,
        everything=found.all,
        yes=found.yes,
    )


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` is among the options, however wrong the rest may be."""
    return "--json" in _split(arguments)[0]


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    words = list(arguments)
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _refuse_contradictions(parser: Parser, found: argparse.Namespace) -> None:
    if found.json and not found.command:
        parser.error("--json needs a command")
    if found.json and found.output:
        parser.error("--output prints the output as it is, without --json")
    if found.json and found.command == "export":
        parser.error("export has no --json; --format json gives the session as JSON")
    if found.force and found.out is None:
        parser.error("--force needs --out")
    if found.raw + found.output + found.versions > 1:
        parser.error("--raw, --output and --versions exclude each other")
    if found.demo and (found.source or found.more_sources or found.index is not None):
        parser.error("--demo brings its own store and index, without --source and --index")


def _words(
    parser: Parser, found: argparse.Namespace, extra: list[str], behind: list[str]
) -> list[str]:
    """All words that are no options: argparse leaves those behind a second option in `extra`."""
    for word in extra:
        if word.startswith("-"):
            parser.error(f"no such option: {word} (a query that begins with - goes behind --)")
    words = [*found.words, *extra, *behind]
    if words and found.command not in (*_TAKE_QUERY, *_TAKE_ID, "forget"):
        parser.error(f"unexpected: {' '.join(words)}")
    return words


def _query(found: argparse.Namespace, words: Sequence[str]) -> str:
    if found.command == "forget":
        return plain("INVALID_QUERY", found.query or "")
    return plain("INVALID_QUERY", " ".join(words)) if found.command in _TAKE_QUERY else ""


def _takes_id(parser: Parser, found: argparse.Namespace, words: Sequence[str]) -> bool:
    if found.command != "forget":
        return found.command in _TAKE_ID
    given = [bool(words), found.query is not None, bool(found.all)]
    if given.count(True) != 1 or (found.query is not None and not found.query.strip()):
        parser.error("forget takes one ID, or --query QUERY, or --all")
    return bool(words)


def _ident(parser: Parser, words: Sequence[str]) -> str:
    if len(words) != 1 or not words[0]:
        parser.error("takes one ID")
    return plain("INVALID_ARGUMENT", words[0])
