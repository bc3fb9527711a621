"""Columns for people: stores, places, the index and the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from store.model import Fault, Health, Looked, Memory, Report, SourceInfo
from tui.plain import one_line, pad, width


def table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """Rows as aligned columns two spaces apart; the columns in `right` end together."""
    if not rows:
        return ""
    safe = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(width(cell) for cell in column) for column in zip(*safe, strict=True)]
    lines = []
    for row in safe:
        cells = [
            " " * (widths[at] - width(cell)) + cell if at in right else pad(cell, widths[at])
            for at, cell in enumerate(row)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def report(one: Report) -> str:
    """What bringing the index up to date came to: a row per store, what was skipped, seconds."""
    head = ["source", "sessions", "messages", "parts", "documents", "leftovers", "skipped"]
    rows = [head]
    for source in one.sources:
        counts = (
            source.sessions,
            source.messages,
            source.parts,
            source.documents,
            source.leftovers,
            len(source.faults),
        )
        rows.append([source.name, *(f"{count:,}" for count in counts)])
    lines = [table(rows, frozenset(range(1, 7)))]
    lines += _skipped([source for source in one.sources if source.opened != "failed"])
    lines.append(f"{one.elapsed_s:.1f} seconds")
    return "\n".join(lines)


def sources(found: Sequence[SourceInfo]) -> str:
    """The stores that answer, how each was opened, and what is wrong with them."""
    if not found:
        return "sources: none"
    rows = [
        [
            f"  {one.name}",
            one.producer,
            one.opened or "not opened yet",
            f"{one.sessions:,} sessions",
            f"{one.messages:,} messages",
            f"{one.parts:,} parts",
            f"{one.behind:,} behind",
            one.path,
        ]
        for one in found
    ]
    return "\n".join(["sources", table(rows, frozenset({3, 4, 5, 6})), *_skipped(found)])


def places(looked: Sequence[Looked]) -> str:
    """Where stores were looked for."""
    if not looked:
        return "looked for: only the stores named by --source"
    rows = [
        [f"  {one.producer}", "found" if one.found else "not there", one.path, one.why]
        for one in looked
    ]
    return "looked for\n" + table(rows)


def health(one: Health, *, busy: bool, keeps: bool) -> str:
    """The state of our index; whether it `keeps` a copy of what its stores drop."""
    covered = one.coverage
    kept = "outlives its store" if keeps else "off: what its store drops goes here too"
    rows = [
        ["  path", one.path],
        ["  size", f"{one.bytes:,} bytes, version {one.version}"],
        ["  documents", f"{one.documents:,}"],
        ["  archive", f"{one.archived_parts:,} parts, {one.archive_bytes:,} bytes; {kept}"],
        [
            "  coverage",
            f"{covered.indexed:,} of {covered.known:,} parts indexed, "
            f"{covered.skipped:,} skipped, {covered.behind:,} behind",
        ],
        ["  health", one.problem or "sound"],
    ]
    if busy:
        rows.append(["  writer", "another program is bringing it up to date"])
    return "index\n" + table(rows)


_TRACES = {
    "source": ("its old tables", ""),
    "event_log": ("its event log", ""),
    "history_fts": ("its index of texts", ""),
    "storage_files": ("files of its old storage", "whatever reverts left in them"),
}


def memory(found: Sequence[Memory], *, keeps: bool) -> str:
    """How far back leftovers can be seen, a line a source and kind of evidence."""
    rows = []
    for one in found:
        kept = _since(one.kept) or "nothing yet: it was never indexed to its end"
        rows.append(["  " + one.source, "our archive", kept if keeps else "off in the settings"])
        for name, since in one.evidence.items():
            words, without = _TRACES.get(name, (name.replace("_", " "), ""))
            rows.append(["", words, _since(since) or without or "as far as it goes"])
        if not one.evidence:
            rows.append(["", "the store itself", "nothing but what a pending revert hides"])
    return "leftovers can be seen\n" + table(rows)


def _since(time: int | None) -> str:
    return "" if time is None else f"since {datetime.fromtimestamp(time / 1000):%Y-%m-%d %H:%M}"


def settings(path: str, exists: bool, values: Mapping[str, Any]) -> str:
    """The settings file and what is in force."""
    file = path if exists else f"{path} (not there: defaults; the key , on the screen makes it)"
    rows = [["  file", file], *([f"  {key}", _value(value)] for key, value in values.items())]
    return "settings\n" + table(rows)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_value(each)}" for key, each in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value) if value != "" else "none"


def _skipped(found: Sequence[SourceInfo]) -> list[str]:
    return [
        one_line(f"  {one.name}: {fault.code}: {_named(fault)}")
        for one in found
        for fault in one.faults
    ]


def _named(fault: Fault) -> str:
    """A fault's sentence with what it is about, where the sentence does not say it."""
    known = not fault.about or fault.about in fault.message
    return fault.message if known else f"{fault.about}: {fault.message}"
