"""The words of the command line to one `Options`; wrong usage is a StoreError."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn, cast

from store.door import Sort
from store.errors import Code, StoreError
from tui.export.files import FORMS, Form

Command = Literal[
    "",
    "index",
    "search",
    "around",
    "show",
    "sessions",
    "leftovers",
    "trace",
    "stats",
    "export",
    "forget",
    "doctor",
]

MOST_HITS = 1000
MOST_NEIGHBOURS = 50

_DESCRIPTION = "Browse, search and recall what coding agents kept on this machine."
_EPILOG = (
    "Without a command it opens the screen. An ID is what a hit shows: [source:]native id, or a "
    "beginning of it that is unique. Exit code: 0; 1 when nothing was found; 2 for wrong usage "
    "or an error."
)
_COMMANDS: dict[Command, str] = {
    "index": "bring the index up to date now",
    "search": "find what was said and what tools printed",
    "around": "read the conversation around a message or part",
    "show": "show one part, or all parts of a message, whole",
    "sessions": "list sessions, newest first",
    "leftovers": "list what reverts, deletions and edits left behind, newest first",
    "trace": "show what a session comes from and what came of it",
    "stats": "count sessions, tools, models, tokens and cost",
    "export": "write a session as Markdown, text, JSON or a trajectory",
    "forget": "take sessions, messages or parts out of backscroll's own copy for good",
    "doctor": "say what was looked for and found, and how the index does",
}

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


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise StoreError("INVALID_ARGUMENT", f"{message}; `{self.prog} --help` says what it takes")


def parse(arguments: Sequence[str]) -> Options:
    """Reads the arguments behind the program's name.

    Raises StoreError (INVALID_ARGUMENT, INVALID_QUERY, INVALID_LIMIT, INVALID_WINDOW), and
    SystemExit(0) after `--help` and `--version`.
    """
    options, behind = _split(arguments)
    parser = _parser()
    found, extra = parser.parse_known_args(options)
    words = _words(parser, found, extra, behind)
    _refuse_contradictions(parser, found)
    return Options(
        command=cast(Command, found.command or ""),
        sources=tuple(_path("--source", text) for text in found.source + found.more_sources),
        index=_path("--index", found.index) if found.index is not None else None,
        config=_path("--config", found.config) if found.config is not None else None,
        demo=found.demo,
        json=found.json,
        query=_query(found, words),
        ident=_ident(parser, words) if _takes_id(parser, found, words) else "",
        limit=_whole("--limit", found.limit, 1, MOST_HITS, "INVALID_LIMIT"),
        sort=cast(Sort, found.sort),
        literal=found.literal,
        cursor=_plain("INVALID_CURSOR", found.cursor) if found.cursor is not None else None,
        catch_up=not found.no_index,
        before=_whole("--before", found.before, 0, MOST_NEIGHBOURS, "INVALID_WINDOW"),
        after=_whole("--after", found.after, 0, MOST_NEIGHBOURS, "INVALID_WINDOW"),
        slice=_plain("INVALID_ARGUMENT", found.slice),
        rebuild=found.rebuild,
        raw=found.raw,
        output=found.output,
        form=cast(Form, found.form),
        out=_path("--out", found.out) if found.out is not None else None,
        leftovers=found.leftovers,
        force=found.force,
        versions=found.versions,
        everything=found.all,
        yes=found.yes,
    )


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether `--json` is among the options, however wrong the rest may be."""
    return "--json" in _split(arguments)[0]


def version() -> str:
    """The version that is installed; `unknown` where the program runs from its folder alone."""
    from importlib import metadata

    try:
        return metadata.version("backscroll")
    except metadata.PackageNotFoundError:
        return "unknown"


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    words = list(arguments)
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _parser() -> _Parser:
    parser = _Parser(
        prog="backscroll",
        usage="%(prog)s [options] [COMMAND] ...",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version")
    _add_common(parser, first=True)
    commands = parser.add_subparsers(
        prog="backscroll", dest="command", metavar="COMMAND", title="commands"
    )
    made = {
        name: commands.add_parser(
            name, help=text, description=f"{_sentence(text)}.", allow_abbrev=False
        )
        for name, text in _COMMANDS.items()
    }
    for command in made.values():
        _add_common(command, first=False)
    made["index"].add_argument(
        "--rebuild", action="store_true", help="derive everything anew from stores and archive"
    )
    _add_search(made["search"])
    _add_reading(made["around"], made["show"])
    _add_sessions(made["sessions"], "sessions")
    _add_sessions(made["leftovers"], "leftovers")
    _add_forget(made["forget"])
    made["trace"].add_argument("words", nargs="*", metavar="SESSION", help="its id")
    made["stats"].add_argument("words", nargs="*", metavar="FILTER", help="as in a query")
    _add_export(made["export"])
    parser.set_defaults(
        words=[],
        more_sources=[],
        limit="20",
        sort="newest",
        literal=False,
        cursor=None,
        no_index=False,
        before="5",
        after="5",
        slice="",
        rebuild=False,
        raw=False,
        output=False,
        form="markdown",
        out=None,
        leftovers=False,
        force=False,
        versions=False,
        query=None,
        all=False,
        yes=False,
    )
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"backscroll {version()}")
        parser.exit()


def _add_common(parser: argparse.ArgumentParser, *, first: bool) -> None:
    """The options that may stand before and behind the command.

    A command's own namespace overwrites the one before it, hence no defaults there, and another
    name for what adds up.
    """
    parser.add_argument(
        "--source",
        dest="source" if first else "more_sources",
        action="append",
        metavar="PATH",
        default=[] if first else argparse.SUPPRESS,
        help="a store to read instead of all that are found; may be repeated",
    )
    none = None if first else argparse.SUPPRESS
    off = False if first else argparse.SUPPRESS
    parser.add_argument(
        "--index",
        metavar="PATH",
        default=none,
        help="where backscroll keeps its index (also: BACKSCROLL_INDEX)",
    )
    parser.add_argument("--config", metavar="PATH", default=none, help="the settings file")
    parser.add_argument(
        "--demo", action="store_true", default=off, help="try it on a small built-in store"
    )
    parser.add_argument(
        "--json", action="store_true", default=off, help="print one JSON object instead of text"
    )


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        'Words, "phrases", -not, a | b, and filters such as kind:tool_output tool:bash '
        "session: project: is:reverted since:7d. A query that begins with - goes behind --."
    )
    parser.add_argument("words", nargs="*", metavar="QUERY", help="nothing lists the newest")
    parser.add_argument("--limit", metavar="N", default="20", help="hits, 1 to 1000 (20)")
    parser.add_argument(
        "--sort", choices=("newest", "relevance"), default="newest", help="which hits come first"
    )
    parser.add_argument(
        "--literal", action="store_true", help="the exact text, in any case, newest first"
    )
    parser.add_argument("--cursor", metavar="C", help="the page behind this cursor")
    parser.add_argument(
        "--no-index", action="store_true", help="do not bring the index up to date first"
    )


def _add_reading(around: argparse.ArgumentParser, show: argparse.ArgumentParser) -> None:
    around.add_argument("words", nargs="*", metavar="ID", help="of a message, part or session")
    around.add_argument("--before", metavar="N", default="5", help="messages before, 0 to 50 (5)")
    around.add_argument("--after", metavar="N", default="5", help="messages after, 0 to 50 (5)")
    around.add_argument("--slice", metavar="ID", default="", help="one agent slice only")
    show.add_argument("words", nargs="*", metavar="ID", help="of a message or part")
    show.add_argument("--raw", action="store_true", help="the stored JSON")
    show.add_argument("--versions", action="store_true", help="its earlier texts too")
    show.add_argument("--output", action="store_true", help="the tool's output alone, as it is")


def _add_sessions(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("words", nargs="*", metavar="FILTER", help="as in a query")
    parser.add_argument("--limit", metavar="N", default="100", help=f"{what}, 1 to 1000 (100)")
    parser.add_argument("--cursor", metavar="C", help="the page behind this cursor")


def _add_forget(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "The stores of the agents are left as they are; what went does not come back."
    parser.add_argument("words", nargs="*", metavar="ID", help="of a session, message or part")
    parser.add_argument("--query", metavar="QUERY", help="all that this query finds")
    parser.add_argument("--all", action="store_true", help="everything that backscroll keeps")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="SESSION", help="its id")
    parser.add_argument(
        "--format", dest="form", choices=FORMS, default="markdown", help="the form (markdown)"
    )
    parser.add_argument("--out", metavar="FILE", help="where to write it instead of to stdout")
    parser.add_argument("--force", action="store_true", help="replace the file if it is there")
    parser.add_argument(
        "--leftovers", action="store_true", help="with what was reverted, removed or deleted"
    )


def _refuse_contradictions(parser: _Parser, found: argparse.Namespace) -> None:
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
    parser: _Parser, found: argparse.Namespace, extra: list[str], behind: list[str]
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
        return _plain("INVALID_QUERY", found.query or "")
    return _plain("INVALID_QUERY", " ".join(words)) if found.command in _TAKE_QUERY else ""


def _takes_id(parser: _Parser, found: argparse.Namespace, words: Sequence[str]) -> bool:
    if found.command != "forget":
        return found.command in _TAKE_ID
    given = [bool(words), found.query is not None, bool(found.all)]
    if given.count(True) != 1 or (found.query is not None and not found.query.strip()):
        parser.error("forget takes one ID, or --query QUERY, or --all")
    return bool(words)


def _ident(parser: _Parser, words: Sequence[str]) -> str:
    if len(words) != 1 or not words[0]:
        parser.error("takes one ID")
    return _plain("INVALID_ARGUMENT", words[0])


def _whole(name: str, text: str, least: int, most: int, code: Code) -> int:
    if text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most:
        return int(text)
    raise StoreError(
        code, f"{name} takes a whole number from {least} to {most}, not {text!r}", text
    )


def _path(name: str, text: str) -> Path:
    if not text:
        raise StoreError("INVALID_ARGUMENT", f"{name} needs a path")
    try:
        return Path(_plain("INVALID_ARGUMENT", text)).expanduser()
    except RuntimeError as error:
        raise StoreError("INVALID_ARGUMENT", f"{name} {text}: {error}", text) from error


def _plain(code: Code, text: str) -> str:
    """Arguments that are not the locale's text carry surrogates; no store can hold those."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        shown = text.encode("utf-8", "backslashreplace").decode()
        raise StoreError(code, f"not readable as text: {shown}", shown) from error
    if "\0" in text:
        raise StoreError(code, "a NUL character cannot be searched for or named", "")
    return text


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
