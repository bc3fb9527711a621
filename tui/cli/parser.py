"""What the command line takes: the commands and their options, as an argparse parser."""

from __future__ import annotations

import argparse
from typing import Literal, NoReturn

from store.errors import StoreError
from tui.cli.version import version
from tui.export.files import FORMS

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


class Parser(argparse.ArgumentParser):
    """Wrong usage is a StoreError (INVALID_ARGUMENT), never an exit."""

    def error(self, message: str) -> NoReturn:
        """Raises it."""
        raise StoreError("INVALID_ARGUMENT", f"{message}; `{self.prog} --help` says what it takes")


def make_parser() -> Parser:
    """All commands; each value that was not given is there by its default, unchecked."""
    parser = Parser(
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


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
