"""Attack the tables of a release again, from its files alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from tarnkappe.attack.foreign import audit
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_pairs
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.tables import NotExact
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import inside
from tarnkappe.io.published import PublishedFile
from tarnkappe.language import Text, same
from tarnkappe.vocab import Kind


class _Code(BaseModel):
    code: str
    parent: str | None


class _Dimension(BaseModel):
    name: str
    codes: tuple[_Code, ...]

    @property
    def hierarchy(self) -> Hierarchy:
        return from_pairs(self.name, [c.code for c in self.codes], [c.parent for c in self.codes])


class _Table(BaseModel):
    name: str
    file: str
    signed: bool = False
    dimensions: tuple[_Dimension, ...]


class _About(BaseModel):
    tables: tuple[_Table, ...] = ()


def attacked(folder: Path, about: Any, computable: Mapping[str, int]) -> Iterator[tuple[Text, bool, Text]]:
    """For every table that has suppressed cells or ranges: what was looked at, whether it held, and why not.

    `computable` says by table how many suppressed cells the certificate admits can be computed: cells that were hidden
    only to protect others, and that hold nothing to protect.
    """
    try:
        tables = _About.model_validate(about).tables
    except ValidationError:
        yield (
            Text("about.json describes the tables", "about.json beschreibt die Tabellen"),
            False,
            Text("", ""),
        )
        return
    for table in tables:
        says = Text(
            f"{table.file}: no protected cell can be computed",
            f"{table.file}: keine geschützte Zelle ist errechenbar",
        )
        try:
            yield says, *_judged(folder, table, computable.get(table.name, 0))
        except NotExact:  # rounded or changed: other audits, done by the run, are for these
            continue
        except TarnkappeError as problem:
            yield says, False, problem.what


def _judged(folder: Path, table: _Table, computable: int) -> tuple[bool, Text]:
    hierarchies = {d.name: d.hierarchy for d in table.dimensions}
    options = ReadOptions(types={"value": Kind.NUMBER}, missing=("",), separator=",", decimal=".")
    file = PublishedFile(inside(folder, table.file), tuple(hierarchies), signed=table.signed, options=options)
    found = audit(file.system(file.read(), hierarchies), quick=True)
    disclosed = np.flatnonzero(found.disclosed)
    cells = ", ".join(found.system.spelt(int(cell)) for cell in disclosed[:5])
    return len(disclosed) <= computable, same(cells)
