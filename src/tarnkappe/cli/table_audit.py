"""table audit: attack a table file, ours or another program's."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.attack.foreign import MOST_PROOFS, Disclosed, Found
from tarnkappe.attack.foreign import audit as attack
from tarnkappe.attack.foreign_insiders import Seen, seen_inside
from tarnkappe.attack.progress import heard_by
from tarnkappe.cli.screen import language, out, progress, say
from tarnkappe.cli.table_source import (
    Cells,
    columns_of_codes,
    each_file,
    refuse_dimensions,
    with_dimensions,
)
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.system import System, system_of
from tarnkappe.data.system_set import linked_system
from tarnkappe.data.table import TOLERANCE, Table
from tarnkappe.errors.files import FormatUnknown
from tarnkappe.errors.release import FileExists
from tarnkappe.errors.tables import OptionWrong
from tarnkappe.errors.unsafe_tables import CellsDisclosed, CellsTooNarrow, SeenInside
from tarnkappe.io.argus import ENDING, read_argus
from tarnkappe.io.cells import CellColumns, nodes_of
from tarnkappe.io.jj import read_jj
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.prior_knowledge import known_within
from tarnkappe.io.published import HIDDEN, PublishedFile
from tarnkappe.io.staging import write_new
from tarnkappe.io.write import write
from tarnkappe.language import Lang, Text


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command was asked for."""

    file: Path
    by: tuple[str, ...] = ()
    hierarchies: tuple[str, ...] = ()
    value: str = "value"
    status: str | None = None
    hidden: tuple[str, ...] = ()
    signed: bool = False
    whole: bool = False
    quick: bool = False
    tolerance: float = TOLERANCE
    options: ReadOptions = field(default_factory=ReadOptions)
    meta: Path | None = None
    also: tuple[Path, ...] = ()
    """Further files that share cells."""
    prior: float | None = None
    """The attacker knows every suppressed cell up to so many percent."""
    count: str | None = None
    """Column of the number of contributors."""
    insiders: bool = False
    """Sole contributors attack too."""

    @property
    def cells(self) -> Cells:
        """The file and its dimensions."""
        return Cells(
            self.file, self.by, self.hierarchies, CellColumns(self.value, status=self.status), meta=self.meta,
            tolerance=self.tolerance, options=self.options, also=self.also,
        )  # fmt: skip


def audit(asked: Asked, report: Path | None, lang: str | None) -> None:
    """Audit and tell; refuse when a suppressed cell is disclosed exactly, or has less protection than the file requires."""
    if report and report.suffix not in (".csv", ".json"):
        raise FormatUnknown(format=report.suffix, file=str(report), known=".csv, .json")
    if report and report.exists():
        raise FileExists(file=str(report))
    spoken = language(lang)
    with progress(spoken, quiet=False) as doing:
        doing.expect_also(1)
        with heard_by(doing.within):
            found = attack(
                system_of_files(asked), quick=asked.quick, whole=asked.whole, tolerance=asked.tolerance
            )
            proofs = list(found.proofs())
            seen = _seen(asked, found) if asked.insiders else ()
    _tell(found, proofs, spoken, quick=asked.quick)
    if asked.insiders:
        _tell_inside(seen, spoken)
    if report:
        write_new(report, _csv(found) if report.suffix == ".csv" else _json(found, proofs, seen))
    if found.disclosed.any():
        raise CellsDisclosed(name=asked.file.name, count=int(found.disclosed.sum()))
    if found.narrow.any():
        raise CellsTooNarrow(name=asked.file.name, count=int(found.narrow.sum()))
    if seen:
        raise SeenInside(name=asked.file.name, count=len(seen))


def _seen(asked: Asked, found: Found) -> tuple[Seen, ...]:
    """What sole contributors can compute of others."""
    if asked.count is None or asked.also or asked.cells.ending in (".jj", ENDING):
        raise OptionWrong(option="--insiders", given=str(asked.file), why=_COUNTS)
    file, system = _file(asked), found.system
    cells, trees = with_dimensions(asked.cells, file.read())
    told = cells.numbers([asked.count], asked.file.stem)[:, 0]
    words = file.words(cells)
    assert system.nodes is not None, "a file of cells has codes"
    place = Table(system.name, system.trees, system.nodes, system.value, tolerance=1.0).find(
        nodes_of(cells, trees)
    )
    count, sensitive = np.zeros(len(system), np.int64), np.zeros(len(system), np.bool_)
    count[place] = np.nan_to_num(told).astype(np.int64)
    sensitive[place] = np.isin(words, SENSITIVE)
    return seen_inside(found, count, sensitive)


def _tell_inside(seen: tuple[Seen, ...], lang: Lang) -> None:
    says = Text(
        "{count} cells can be computed exactly by somebody inside.",
        "{count} Zellen kann jemand von innen genau errechnen.",
    )
    say(says, lang, count=len(seen))
    for one in seen[:MOST_PROOFS]:
        out.print(f"  ✗ {one.cell} ← {one.who.in_(lang)}", markup=False, soft_wrap=True)


SENSITIVE = ("primary", "u")
"""Words of the status of a cell that a rule marks."""
_COUNTS = Text(
    "it needs one file of cells with a column of the number of contributors (--count). --insiders none leaves insiders out.",
    "nötig ist eine Datei von Zellen mit einer Spalte der Zahl der Beitragenden (--count). --insiders none lässt Beteiligte außer Betracht.",
)


def system_of_files(asked: Asked) -> System:
    """All files as one system; what one of them shows is known in the others."""
    if not asked.also:
        return system_of_file(asked)
    each = [
        replace(asked, file=one.file, by=one.by, hierarchies=one.hierarchies, also=())
        for one in each_file(asked.cells)
    ]
    systems = [system_of_file(one) for one in each]
    if any(system.nodes is None for system in systems):
        why = Text("a JJ file has no codes to link by.", "eine JJ-Datei hat keine Codes zum Verknüpfen.")
        raise OptionWrong(option="--also", given=str(asked.file), why=why)
    return linked_system(systems, [asked.value] * len(systems), asked.tolerance)[0]


def system_of_file(asked: Asked) -> System:
    """The cells and sums of a file."""
    if asked.cells.ending == ".jj":
        return known_within(read_jj(asked.file).system, asked.prior)
    if asked.cells.ending == ENDING:
        return known_within(system_of(read_argus(asked.cells.argus)), asked.prior)
    file = _file(asked)
    return file.system(*with_dimensions(asked.cells, file.read()))


def _file(asked: Asked) -> PublishedFile:
    refuse_dimensions(asked.by)
    return PublishedFile(
        asked.file,
        columns_of_codes(asked.cells),
        asked.value,
        asked.status,
        asked.hidden or HIDDEN,
        asked.signed,
        asked.options,
        asked.prior,
    )


def _tell(found: Found, proofs: list[Disclosed], lang: Lang, *, quick: bool) -> None:
    system = found.system
    say(
        Text(
            "{cells} cells, {suppressed} suppressed, {disclosed} of them disclosed exactly.",
            "{cells} Zellen, {suppressed} gesperrt, davon {disclosed} genau errechenbar.",
        ),
        lang, cells=len(system) if system.given is None else int(system.given.sum()),
        suppressed=int(system.suppressed.sum()), disclosed=int(found.disclosed.sum()),
    )  # fmt: skip
    if system.asked.any():
        says = Text(
            "{narrow} cells have less protection than required.",
            "{narrow} Zellen haben weniger Schutz als verlangt.",
        )
        say(says, lang, narrow=int(found.narrow.sum()))
        for cell in np.flatnonzero(found.narrow & ~found.disclosed)[:MOST_PROOFS]:
            out.print(f"  ✗ {system.spelt(int(cell))}", markup=False, soft_wrap=True)
    for proof in proofs:
        out.print(
            f"  ✗ {proof.cell} ← {' ; '.join(proof.sums) or _BOUNDS.in_(lang)}", markup=False, soft_wrap=True
        )
    width = found.width
    if not quick and not found.disclosed.any() and np.isfinite(width).any():
        cell = int(np.nanargmin(width))
        says = Text(
            "The narrowest interval is {width} of its middle, at {cell}.",
            "Das engste Intervall ist {width} seiner Mitte breit, bei {cell}.",
        )
        say(says, lang, width=f"{width[cell]:.1%}", cell=system.spelt(cell))


_BOUNDS = Text("the sums and the bounds", "Summen und Grenzen")


def _csv(found: Found) -> bytes:
    """The intervals of the suppressed cells: what an attacker knows, no more."""
    cells = np.flatnonzero(found.system.suppressed)
    low, high = found.intervals.low[cells], found.intervals.high[cells]
    columns = {
        "cell": Column.texts_of([found.system.spelt(int(c)) for c in cells]),
        "low": Column.numbers_of(np.where(np.isfinite(low), low, np.nan)),
        "high": Column.numbers_of(np.where(np.isfinite(high), high, np.nan)),
        "exact": Column.texts_of(["yes" if found.intervals.exact[c] else "no" for c in cells]),
        "disclosed": Column.texts_of(["yes" if found.disclosed[c] else "no" for c in cells]),
        "too_narrow": Column.texts_of(["yes" if found.narrow[c] else "no" for c in cells]),
    }
    file = BytesIO()
    write(Microdata(columns), file, "csv")
    return file.getvalue()


def _json(found: Found, proofs: list[Disclosed], seen: tuple[Seen, ...]) -> bytes:
    cells = [_cell(found, int(c)) for c in np.flatnonzero(found.system.suppressed)]
    told: dict[str, Any] = {
        "table": found.system.name,
        "suppressed": len(cells),
        "disclosed": int(found.disclosed.sum()),
        "too_narrow": int(found.narrow.sum()),
        "proofs": [{"cell": p.cell, "proof": p.proof, "sums": p.sums} for p in proofs],
        "inside": [{"cell": one.cell, "insider": one.who.en} for one in seen],
        "cells": cells,
    }
    return (json.dumps(told, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def _cell(found: Found, cell: int) -> dict[str, Any]:
    low, high = (float(x[cell]) for x in (found.intervals.low, found.intervals.high))
    return {
        "cell": found.system.spelt(cell),
        "low": low if np.isfinite(low) else None,
        "high": high if np.isfinite(high) else None,
        "exact": bool(found.intervals.exact[cell]),
        "disclosed": bool(found.disclosed[cell]),
        "too_narrow": bool(found.narrow[cell]),
    }
