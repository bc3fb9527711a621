"""Statistics as tables with small bars, for people."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from store.model import Count, Stats
from tui.cli.tables import table
from tui.plain import cut, one_line, width

MOST_ROWS = 20
"""Rows of a table; JSON has all of them."""
BAR = 16
"""Cells of the longest bar."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_BUSY_HEAD = ("sessions", "prompts", "messages", "tool calls", "cost")
_TOOL_HEAD = ("calls", "failed", "rate")
_MODEL_HEAD = ("messages", "input", "output", "cache", "cost")


def stats(one: Stats, room: int | None = None) -> str:
    """Totals in a few lines, then a table for each sort of count.

    A table wider than `room` cells goes without its bars, then becomes a list: nothing is cut off.
    """
    blocks = [
        _total(one),
        _table(room, "day", one.days, _BUSY_HEAD, _busy, lambda each: each.messages),
        _table(room, "project", one.projects, _BUSY_HEAD, _busy, lambda each: each.messages),
        _table(room, "tool", one.tools, _TOOL_HEAD, _tool, lambda each: each.calls),
        _table(room, "model", one.models, _MODEL_HEAD, _model, lambda each: each.messages),
    ]
    return "\n\n".join(block for block in blocks if block)


def _busy(one: Count) -> list[str]:
    counts = (one.sessions, one.prompts, one.messages, one.calls)
    return [*(f"{count:,}" for count in counts), dollars(one.cost)]


def _tool(one: Count) -> list[str]:
    rate = f"{one.failed / one.calls:.1%}" if one.failed and one.calls else ""
    return [f"{one.calls:,}", f"{one.failed:,}" if one.failed else "", rate]


def _model(one: Count) -> list[str]:
    return [f"{one.messages:,}", *_tokens(one), dollars(one.cost)]


def _tokens(one: Count) -> list[str]:
    cache = one.tokens.get("read", 0) + one.tokens.get("write", 0)
    return [short(count) for count in (one.tokens.get("input"), one.tokens.get("output"), cache)]


def _total(one: Stats) -> str:
    count = one.total
    words = [
        f"{count.sessions:,} sessions in which something was said",
        f"{count.prompts:,} prompts",
        f"{count.messages:,} messages",
        f"{count.parts:,} parts",
        f"{count.calls:,} tool calls, {count.failed:,} failed",
    ]
    if any(count.tokens.values()) or count.cost:
        names = ("input", "output", "cache")
        spent = [f"{n} {name}" for n, name in zip(_tokens(count), names, strict=True) if n]
        words.append(f"tokens: {', '.join(spent) or 'unknown'}; cost {dollars(count.cost) or '0'}")
    if one.copies:
        words.append(
            f"{one.copies:,} messages that are copies are left out,"
            " and the sessions that hold nothing else"
        )
    if one.gone:
        words.append(f"{one.gone:,} messages that are no longer in the stores count too")
    if held := one.held:
        words.insert(0, f"in the stores now: {_amount(held)}")
        words.insert(1, "counted, each message once:")
    return "\n".join(words)


def _amount(one: Count) -> str:
    return f"{one.sessions:,} sessions, {one.messages:,} messages, {one.parts:,} parts"


def _table(
    room: int | None,
    name: str,
    counts: Sequence[Count],
    head: Sequence[str],
    cells: Callable[[Count], list[str]],
    number: Callable[[Count], int],
) -> str:
    """A row for each count, a bar behind it; "" where there is none."""
    if not counts:
        return ""
    shown = counts[:MOST_ROWS]
    most = max(number(each) for each in shown)
    rows = [[name, *head]] + [[each.name or "(none)", *cells(each)] for each in shown]
    bars = ["", *(bar(number(each), most) for each in shown)]
    right = frozenset(range(1, len(head) + 1))
    forms = [table([[*row, bar] for row, bar in zip(rows, bars, strict=True)], right)]
    if room is not None:
        forms += [table(rows, right), _list(rows, room)]
    fitting = (form for form in forms[:-1] if max(map(width, form.split("\n"))) <= (room or 0))
    left_out = len(counts) - len(shown)
    more = f"\n... {left_out:,} more; --json has all of them" if left_out else ""
    return next(fitting, forms[-1]) + more


def _list(rows: Sequence[Sequence[str]], room: int) -> str:
    """The rows of a table one below the other: a name, and its figures with their heads."""
    (title, *head), *others = rows
    lines = [title]
    for name, *cells in others:
        lines.append(f"  {cut(one_line(name), room - 2)}")
        said = [_figure(*pair) for pair in zip(cells, head, strict=True) if pair[0]]
        lines += textwrap.wrap(
            " · ".join(figure.replace(" ", "\u00a0") for figure in said),
            room,
            initial_indent="    ",
            subsequent_indent="    ",
        )
    return "\n".join(lines).replace("\u00a0", " ")


def _figure(cell: str, head: str) -> str:
    if head in ("cost", "rate"):
        return cell
    return f"{cell} {head.removesuffix('s') if cell == '1' else head}"


def bar(number: int, most: int) -> str:
    """A bar that is BAR cells for the largest number, and at least a sliver for any."""
    if number <= 0 or most <= 0:
        return ""
    eighths = max(1, round(BAR * 8 * number / most))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def dollars(cost: float) -> str:
    """A cost in US dollars, "" for none."""
    if not cost:
        return ""
    return f"${cost:,.2f}" if cost >= 0.1 else f"${cost:.4f}"


def short(number: int | None) -> str:
    """A number of tokens in four characters or so: `812`, `1.2k`, `43M`; "" for none."""
    if not number:
        return ""
    for size, letter in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.{0 if number >= 10 * size else 1}f}{letter}"
    return str(number)
