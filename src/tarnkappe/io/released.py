"""Tables of an earlier release, from its files: about.json tells their dimensions, tables/ what was published."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ValidationError

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_pairs
from tarnkappe.data.pattern import Pattern
from tarnkappe.data.system import System
from tarnkappe.errors.linked import NothingPublished
from tarnkappe.io.cells import CellColumns, CellFile, read_cells
from tarnkappe.io.documents import read_json
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.paths import inside
from tarnkappe.io.patterns import REQUIRED, pattern_of
from tarnkappe.io.published import PublishedFile
from tarnkappe.vocab import Kind

ABOUT = "about.json"
OPTIONS = ReadOptions(types={"value": Kind.NUMBER}, missing=("",), separator=",", decimal=".")
"""How the tables of a release are written."""
INTERNAL = replace(OPTIONS, types=dict.fromkeys(("value", *REQUIRED[:2]), Kind.NUMBER))


class Code(BaseModel):
    """A code of a dimension and the one above it."""

    code: str
    parent: str | None


class Dimension(BaseModel):
    """A dimension of a released table."""

    name: str
    codes: tuple[Code, ...]

    @property
    def hierarchy(self) -> Hierarchy:
        return from_pairs(self.name, [c.code for c in self.codes], [c.parent for c in self.codes])


class ReleasedTable(BaseModel):
    """A table as about.json describes it."""

    name: str
    file: str
    signed: bool = False
    measure: str | None = None
    unlinked: bool = False
    dimensions: tuple[Dimension, ...]

    @property
    def trees(self) -> dict[str, Hierarchy]:
        return {d.name: d.hierarchy for d in self.dimensions}

    def system(self, folder: Path) -> System:
        """What its readers see."""
        trees = self.trees
        file = PublishedFile(inside(folder, self.file), tuple(trees), signed=self.signed, options=OPTIONS)
        return file.system(file.read(), trees)

    def pattern(self, folder: Path) -> Pattern | None:
        """The table with its true values and required protection, where the office still has them."""
        path = inside(folder, f"internal/{self.file}")
        if not path.is_file():
            return None
        trees = self.trees
        rows = read_cells(CellFile(path, tuple(trees), CellColumns(), INTERNAL))
        found = pattern_of(rows, trees, CellColumns(), self.name)
        return replace(found, low=np.full(len(found.table), -np.inf)) if self.signed else found


class About(BaseModel):
    """The part of about.json that tells of tables."""

    tables: tuple[ReleasedTable, ...] = ()


def released_tables(folder: Path) -> tuple[ReleasedTable, ...]:
    """The tables of a release."""
    try:
        found = About.model_validate(read_json(folder / ABOUT)).tables
    except (OSError, ValueError, RecursionError, ValidationError):
        raise NothingPublished(folder=folder.name) from None
    if not found:
        raise NothingPublished(folder=folder.name)
    return found
