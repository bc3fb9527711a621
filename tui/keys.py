"""Every binding of the screen by its id, the keymap of the settings laid over them, the help."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.dom import DOMNode
from textual.keys import key_to_character
from textual.screen import Screen

from store.errors import StoreError

KEY_WORDS = {"escape": "esc", "plus": "+", "minus": "-", "slash": "/"}
"""Keys that are not written as Textual names them, nor by a sign that it knows."""

WIDE = 92
"""Cells from which on the help has room for the ids of keys."""
SHORT = 9
"""Cells for the keys where the help is narrow."""


OPENING = ("rows.open", "context.open")
"""The ids of the keys that are named first."""
ALWAYS = ("back", "search.leave", "find.leave", "filter.leave", "help")
"""The ids of the keys that are named however little room there is: the way out, and to the rest."""


@dataclass(frozen=True)
class Group:
    """The bindings of one place of the screen, under one heading of the help.

    `below` are places whose keys work here too; the help lists them under their own heading.
    """

    title: str
    owners: tuple[type[DOMNode], ...]
    below: tuple[type[DOMNode], ...] = ()

    def bindings(self) -> list[Binding]:
        """The bindings of the owners that have an id, in their order."""
        return _bindings_of(self.owners)

    def together(self) -> list[Binding]:
        """All bindings that work here."""
        return _bindings_of((*self.owners, *self.below))


def _bindings_of(owners: tuple[type[DOMNode], ...]) -> list[Binding]:
    found: dict[str, Binding] = {}
    for owner in owners:
        for binding in owner.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding) and binding.id:
                found.setdefault(binding.id, binding)
    return list(found.values())


def groups() -> list[Group]:
    """Every place of the screen that has keys."""
    from tui.app import BackscrollApp
    from tui.browse import BrowseScreen
    from tui.exporter import SessionApp
    from tui.pages import PageScreen
    from tui.places import PaneScreen
    from tui.preferences import PreferringApp
    from tui.review import ReviewScreen
    from tui.searching import SearchScreen
    from tui.widgets.blockview import BlockView
    from tui.widgets.hits import HitList
    from tui.widgets.kin import KinPane
    from tui.widgets.nothing import Nothing
    from tui.widgets.page import Page
    from tui.widgets.panes import HitsPane
    from tui.widgets.picker import Narrowing, Picker
    from tui.widgets.reader import FindInput, Reader
    from tui.widgets.rowlist import RowList
    from tui.widgets.searchbar import QueryInput
    from tui.widgets.sessions import SessionList
    from tui.widgets.sessionspane import FilterInput, SessionsPane
    from tui.widgets.themepicker import ThemePicker
    from tui.widgets.transcript import Transcript
    from tui.widgets.viewer import PartViewer

    return [
        Group("Sessions", (SessionList, SessionsPane), (RowList,)),
        Group("The line to narrow the sessions with", (FilterInput,)),
        Group("Hits", (HitList, HitsPane), (RowList,)),
        Group("Lists", (RowList,)),
        Group("Reading", (Transcript, BlockView, Reader, KinPane)),
        Group("The line to find with", (FindInput,)),
        Group("Choosing", (Picker,), (RowList,)),
        Group("Choosing a theme", (ThemePicker,), (RowList,)),
        Group("The line to narrow with", (Narrowing,)),
        Group("Search bar", (QueryInput,)),
        Group(
            "Anywhere",
            (PaneScreen, SearchScreen, BrowseScreen, BackscrollApp, SessionApp, PreferringApp),
        ),
        Group("Leftovers", (ReviewScreen,), (RowList,)),
        Group("A part alone", (PartViewer,)),
        Group("Pages like this one", (PageScreen, Page)),
        Group("When there is nothing yet", (Nothing,), (Page,)),
    ]


def keys_of(binding: Binding, keymap: Mapping[str, str]) -> list[str]:
    """The keys that trigger a binding, the keymap considered."""
    keys = keymap.get(binding.id or "", binding.key)
    return [key.strip() for key in keys.split(",") if key.strip()]


def shown(key: str) -> str:
    """A key as the screen writes it: the sign on it where it has one, else its name."""
    sign = key_to_character(key) or ""
    return KEY_WORDS.get(key) or (sign if sign.isprintable() and sign.strip() else key)


def check_keymap(keymap: Mapping[str, str]) -> tuple[dict[str, str], list[StoreError]]:
    """The entries of a keymap that apply, and what is wrong with the others or among them."""
    places = groups()
    known = {binding.id for place in places for binding in place.bindings()}
    applied: dict[str, str] = {}
    problems: list[StoreError] = []
    for ident, keys in keymap.items():
        if ident not in known:
            problems.append(_problem(f"keymap: no key has the id {ident!r}; ? lists them", ident))
        elif not keys.strip():
            problems.append(_problem(f"keymap: {ident} has no key; it keeps its own", ident))
        else:
            applied[ident] = ",".join(key.strip() for key in keys.split(",") if key.strip())
    problems += [problem for place in places for problem in _clashes(place.together(), applied)]
    return applied, list({str(problem): problem for problem in problems}.values())


def _clashes(bindings: Iterable[Binding], keymap: Mapping[str, str]) -> list[StoreError]:
    users: dict[str, list[str]] = defaultdict(list)
    for binding in bindings:
        for key in keys_of(binding, keymap):
            users[shown(key)].append(binding.id or "")
    return [
        _problem(f"keymap: {key} is both {' and '.join(ids)}", key)
        for key, ids in users.items()
        if len(ids) > 1 and any(ident in keymap for ident in ids)
    ]


def _problem(message: str, about: str) -> StoreError:
    return StoreError("INVALID_CONFIG", message, about)


Hints = list[tuple[str, str]]
"""Keys with their words."""


def hints(screen: Screen[Any], keymap: Mapping[str, str]) -> tuple[Hints, Hints]:
    """The keys to show for the place where the person is, and those that are always named.

    What opens comes first, then what is nearest to the person.
    """
    first_keys = _first_keys(keymap)
    found: dict[str, tuple[str, tuple[str, str]]] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.show and binding.id in first_keys and active.enabled:
            key = shown(first_keys[binding.id])
            found.setdefault(binding.action, (binding.id, (key, binding.description.lower())))
    named = sorted(found.values(), key=lambda one: one[0] not in OPENING)
    last = [hint for ident in ALWAYS for known, hint in named if known == ident]
    return [hint for ident, hint in named if ident not in ALWAYS], last


def named_keys(app: App[Any], named: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The first keys of bindings given as (id, word), with their words; by the app's `keymap`."""
    first = _first_keys(getattr(app, "keymap", {}))
    return [(shown(first[ident]), word) for ident, word in named]


def _first_keys(keymap: Mapping[str, str]) -> dict[str, str]:
    return {
        binding.id or "": keys_of(binding, keymap)[0]
        for place in groups()
        for binding in place.bindings()
    }


def help_lines(
    focused: DOMNode | None, keymap: Mapping[str, str], width: int = WIDE
) -> list[Content]:
    """All keys by place, nearest to where the person is first, each with its id.

    Below WIDE cells the ids are left out, and of many keys for one thing those without room.
    """
    places = groups()
    around = list(focused.ancestors_with_self) if focused is not None else []

    def far(place: Group) -> int:
        near = (n for n, node in enumerate(around) if isinstance(node, place.owners))
        return next(near, len(around))

    places.sort(key=far)
    lines: list[Content] = []
    for place in places:
        lines.append(Content.styled(place.title, "bold $accent"))
        for binding in place.bindings():
            named = [shown(key) for key in keys_of(binding, keymap)]
            lines += _help_line(named, binding, width)
        lines.append(Content(""))
    return [*lines, *_signs(width)]


def _help_line(named: list[str], binding: Binding, width: int) -> list[Content]:
    words = binding.tooltip or binding.description
    if width < WIDE:
        while len(named) > 1 and len(" ".join(named)) > SHORT:
            named = named[:-1]
        return _beside(" ".join(named), words, width)
    keys = " ".join(named)
    ident = (binding.id or "", "$text-muted")
    return [Content.assemble((f"  {keys:<20}", "bold"), f"{words:<44}  ", ident)]


def _beside(keys: str, words: str, width: int) -> list[Content]:
    """Keys, and beside them words in as many lines as they take."""
    room = max(width - SHORT - 4, 8)
    first, *others = textwrap.wrap(words, room) or [""]
    lines = [Content.assemble((f"  {keys:<{SHORT}}  ", "bold"), first)]
    return lines + [Content(" " * (SHORT + 4) + other) for other in others]


def _signs(width: int) -> list[Content]:
    signs = (
        ("▪", "the session's last answer is unfinished"),
        ("↶", "a revert is pending; the agent can bring it back"),
        ("⚠", "something in it could not be read"),
        ("▫", "archived"),
        ("↳", "it has sub-agents"),
        ("≡", "several stores have the session; r lists them"),
        ("✓ ✗ …", "a tool that is done, failed, runs or was interrupted"),
        ("✎ ✂ ✖", "an earlier text, removed, its whole session deleted"),
        ("✂", "a session that has such leftovers: d shows or hides them, L reviews them"),
    )
    lines = [Content.styled("Signs", "bold $accent")]
    for sign, word in signs:
        if width < WIDE:
            lines += _beside(sign, word, width)
        else:
            lines.append(Content.assemble((f"  {sign:<20}", "bold"), word))
    return lines
