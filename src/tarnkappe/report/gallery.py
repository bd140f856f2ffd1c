"""All pictures of two files: the most changed columns first, then how columns hang together; on a page or as files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.io.staging import write_new
from tarnkappe.language import NOTHING, Lang, Text
from tarnkappe.plan.propose import propose
from tarnkappe.report import pair_charts
from tarnkappe.report.columns import Story
from tarnkappe.report.drawing import png_file, specification, svg_file
from tarnkappe.report.pairs import changed_pairs, heat_map, mosaic, strongest_pair
from tarnkappe.report.pictures import Drawing, Picture, drawn, pictures_of
from tarnkappe.vocab import Role

OPEN = 6
"""Columns shown at once; the others are folded."""
_PAIRS = 2
_SCATTER = Text(
    "Records by {x} and {y}, before and after: the deeper the colour, the more",
    "Datensätze nach {x} und {y}, vorher und nachher: je kräftiger, desto mehr",
)
_MOSAIC = Text(
    "Shares of {x} and, within, of {y}, before and after",
    "Anteile von {x} und darin von {y}, vorher und nachher",
)
_HEAT_NOTE = Text(
    "The deeper the colour, the more records. Cells of fewer than 3 records are left out.",
    "Je kräftiger die Farbe, desto mehr Datensätze. Felder von weniger als 3 Datensätzen entfallen.",
)
_MOSAIC_NOTE = Text(
    "Widths: shares of the one column; heights: shares of the other within. Cells of fewer than 3 records are left out; … stands for "
    "all rarer categories.",
    "Breiten: Anteile der einen Spalte; Höhen: Anteile der anderen darin. Felder von weniger als 3 Datensätzen entfallen; … steht für "
    "alle selteneren Ausprägungen.",
)


@dataclass(frozen=True, slots=True)
class Gallery:
    """Pictures in the order in which they are shown."""

    columns: tuple[Picture, ...] = ()
    relations: tuple[Picture, ...] = ()
    further: int = 0
    """Changed columns without a picture."""

    def __bool__(self) -> bool:
        return bool(self.columns or self.relations)

    @property
    def shown(self) -> tuple[Picture, ...]:
        return self.columns[:OPEN]

    @property
    def folded(self) -> tuple[Picture, ...]:
        return self.columns[OPEN:]

    def files(self) -> Iterator[tuple[str, Drawing]]:
        """Every drawing with the name of its file, numbered in this order."""
        number = 0
        for picture in (*self.columns, *self.relations):
            for drawing in (*picture.drawings, *picture.more):
                number += 1
                yield f"{number:02d}-{_file_name(picture.name, drawing)}", drawing


def gallery(before: Microdata, after: Microdata, stories: Sequence[Story]) -> Gallery:
    """The pictures of the changed columns and of pairs of columns."""
    columns, further = pictures_of(stories)
    numbers = [name for name in before.columns if Role.WEIGHT not in before.roles_of(name)]
    numbers = [
        name
        for name in numbers
        if not set(before.roles_of(name)) & {Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT}
    ]
    return Gallery(columns, tuple(_relations(before, after, numbers)), further)


def compared(before: Microdata, after: Microdata) -> Gallery:
    """The pictures of any two files: columns that both have, without those that look like names or numbers of units."""
    roles = {c.name: c.roles for c in propose(before, "").columns}
    named = {Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER}
    kept = [n for n in before.names if n in after.columns and not named & set(roles.get(n, ()))]
    told = [Story(n, before.column(n), after.column(n), tuple(roles.get(n, ())), ()) for n in kept]
    columns, further = pictures_of(told)
    old, new = (Microdata({n: data.column(n) for n in kept}, {}) for data in (before, after))
    return Gallery(columns, tuple(_relations(old, new, kept)), further) if kept else Gallery()


def write_pictures(found: Gallery, folder: Path, lang: Lang) -> list[Path]:
    """Every drawing as SVG, as PNG and as Vega-Lite; a file that is there already is not replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, drawing in found.files():
        spec = drawing.chart(lang)
        contents = {
            ".svg": svg_file(spec, lang).encode(),
            ".png": png_file(spec, lang),
            ".vl.json": specification(spec).encode(),
        }
        for ending, content in contents.items():
            write_new(folder / f"{name}{ending}", content)
            written.append(folder / f"{name}{ending}")
    return written


def _relations(before: Microdata, after: Microdata, numbers: Sequence[str]) -> Iterator[Picture]:
    for x, y in changed_pairs(before, after, numbers, _PAIRS):
        found = heat_map(before, after, x, y)
        if found is not None and not np.array_equal(found.before, found.after):
            says = _SCATTER.filled(x=x, y=y)
            drawing = drawn(partial(pair_charts.scatter, found), says)
            yield Picture(f"{x} × {y}", "", (drawing,), _HEAT_NOTE, wide=True)
    pair = strongest_pair(before, after)
    if pair is None:
        return
    old, new = mosaic(before, *pair), mosaic(after, *pair)
    if old and new and not (old.up == new.up and np.array_equal(old.shares, new.shares)):
        says = _MOSAIC.filled(x=pair[0], y=pair[1])
        drawing = drawn(partial(pair_charts.mosaics, pair, old, new), says)
        yield Picture(f"{pair[0]} × {pair[1]}", "", (drawing,), _MOSAIC_NOTE, wide=True)


def _file_name(name: str, drawing: Drawing) -> str:
    """Letters, digits and hyphens only: names of columns can hold anything."""
    words = f"{name} {drawing.title.en if drawing.title is not NOTHING else ''}"
    return re.sub(r"[^A-Za-z0-9]+", "-", words).strip("-").lower()[:60] or "picture"
