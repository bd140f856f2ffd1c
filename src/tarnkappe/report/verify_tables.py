"""Attack the tables of a release again, from its files alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from tarnkappe.attack.foreign import audit
from tarnkappe.data.system import System
from tarnkappe.data.system_set import linked_system, system_groups
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.tables import NotExact
from tarnkappe.io.released import About, ReleasedTable
from tarnkappe.language import Text, listed, same


def attacked(folder: Path, about: Any, computable: Mapping[str, int]) -> Iterator[tuple[Text, bool, Text]]:
    """For every table that has suppressed cells or ranges: what was looked at, whether it held, and why not.

    `computable` says by table how many suppressed cells the certificate admits can be computed: cells that were hidden
    only to protect others, and that hold nothing to protect.
    """
    try:
        tables = About.model_validate(about).tables
    except ValidationError:
        yield (
            Text("about.json describes the tables", "about.json beschreibt die Tabellen"),
            False,
            Text("", ""),
        )
        return
    systems: dict[str, tuple[ReleasedTable, System]] = {}
    for table in tables:
        says = Text(
            f"{table.file}: no protected cell can be computed",
            f"{table.file}: keine geschützte Zelle ist errechenbar",
        )
        try:
            system = table.system(folder)
            systems[table.name] = (table, system)
            yield says, *_judged(system, computable.get(table.name, 0))
        except NotExact:  # rounded or changed: other audits, done by the run, are for these
            continue
        except TarnkappeError as problem:
            yield says, False, problem.what
    yield from _together(systems, computable)


def _together(
    systems: Mapping[str, tuple[ReleasedTable, System]], computable: Mapping[str, int]
) -> Iterator[tuple[Text, bool, Text]]:
    """Tables that share cells, attacked as one."""
    linked = [(t, s, t.measure) for t, s in systems.values() if t.measure is not None and not t.unlinked]
    for group in system_groups([s for _, s, _ in linked], [m for _, _, m in linked]):
        if len(group) < 2:
            continue
        names = listed([linked[i][0].file for i in group])
        says = Text(
            f"{names} together: no protected cell can be computed",
            f"{names} zusammen: keine geschützte Zelle ist errechenbar",
        )
        try:
            system, _ = linked_system([linked[i][1] for i in group], [linked[i][2] for i in group])
            yield says, *_judged(system, sum(computable.get(linked[i][0].name, 0) for i in group))
        except TarnkappeError as problem:
            yield says, False, problem.what


def _judged(system: System, computable: int) -> tuple[bool, Text]:
    found = audit(system, quick=True)
    disclosed = np.flatnonzero(found.disclosed)
    cells = ", ".join(found.system.spelt(int(cell)) for cell in disclosed[:5])
    return len(disclosed) <= computable, same(cells)
