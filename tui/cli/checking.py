"""`index` and `doctor`: what was found on this machine, and how it does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from store.door import Door
from store.model import Fault, Health, Looked, SourceInfo
from tui.cli import shapes, tables
from tui.cli.arguments import Options
from tui.cli.catchup import bring_up_to_date, note_copy
from tui.cli.opening import faults_in, faults_of, refreshed, refusal, where_looked
from tui.cli.output import Output
from tui.cli.version import version


@dataclass(frozen=True, slots=True)
class InForce:
    """The settings file and what applies of it."""

    path: str
    exists: bool
    values: dict[str, Any]
    faults: tuple[Fault, ...]


def index(door: Door, options: Options, output: Output) -> bool:
    """Brings the index up to date and prints what is there; False without a store."""
    new = door.coverage().known == 0
    report = bring_up_to_date(door, output, rebuild=options.rebuild)
    if new and not output.json:
        note_copy(door, output)
    if error := refusal(options, report.sources):
        raise error
    output.faults(fault for one in report.sources if one.opened == "failed" for fault in one.faults)
    if not report.sources:
        output.note(where_looked(door.places()))
    if output.json:
        output.object(shapes.report(report))
    elif report.sources:
        output.text(tables.report(report))
    return bool(report.sources)


def doctor(door: Door, options: Options, output: Output) -> bool:
    """Prints what was looked for and found, and the state of index and settings.

    False without a store; raises, after printing, where none can be read.
    """
    sources, busy = refreshed(door)
    places, health, settings = door.places(), door.health(), _settings(options.config)
    counts = health.documents_of
    sources = tuple(replace(one, documents=counts.get(one.name, one.documents)) for one in sources)
    if output.json:
        told = _examined(places, sources, health, busy, settings)
        output.object({**told, "leftovers": [shapes.memory(one) for one in door.memory()]})
    else:
        output.text(tables.places(places))
        output.text(tables.sources(sources))
        keeps = bool(settings.values["archive"]["on"])
        output.text(tables.health(health, busy=busy, keeps=keeps))
        if memory := door.memory():
            output.text(tables.memory(memory, keeps=keeps))
        output.text(tables.settings(settings.path, settings.exists, settings.values))
    output.faults(settings.faults)
    if error := refusal(options, sources):
        raise error
    if not sources:
        output.note(where_looked(places))
    return bool(sources)


def _examined(
    places: Sequence[Looked],
    sources: Sequence[SourceInfo],
    health: Health,
    busy: bool,
    settings: InForce,
) -> dict[str, Any]:
    return {
        "version": version(),
        "places": [shapes.place(one) for one in places],
        "sources": [shapes.source(one) for one in sources],
        "index": {**shapes.health(health), "busy": busy},
        "coverage": shapes.coverage(health.coverage),
        "faults": [shapes.fault(one) for one in faults_of(sources, settings.faults)],
        "settings": {
            "path": settings.path,
            "exists": settings.exists,
            "values": settings.values,
            "faults": [shapes.fault(one) for one in settings.faults],
        },
    }


def _settings(path: Path | None) -> InForce:
    from tui.checked import all_problems
    from tui.settings import load

    loaded = load(path)
    return InForce(
        str(loaded.path),
        os.path.isfile(loaded.path),  # False where a Path would raise
        asdict(loaded.settings),
        faults_in(all_problems(loaded)),
    )
