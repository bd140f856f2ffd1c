"""Whether two files look as if they were given the wrong way round: the protected one first.

Protection takes away: columns, records, cells, categories, digits. Signs of that are looked for in both directions, in counts and kinds of
columns alone. Only where every sign points the wrong way are the files called swapped; noise, for one, leaves no sign at all.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import NOTHING, Text, from_locale
from tarnkappe.vocab import Kind

_SWAPPED = Text(
    "These files look swapped: the second one {signs}. The original comes first, the protected file second.",
    "Diese Dateien sehen vertauscht aus: Die zweite {signs}. Das Original steht vorn, die geschützte Datei danach.",
)
_COLUMNS = Text("has columns that the first one lacks", "hat Spalten, die der ersten fehlen")
_RECORDS = Text("has more records", "hat mehr Datensätze")
_FILLED = Text("has values where the first one has none", "hat Werte, wo der ersten welche fehlen")
_FINER = Text("tells more categories apart", "unterscheidet mehr Kategorien")
_NUMBERS = Text("has numbers where the first one has classes", "hat Zahlen, wo die erste Klassen hat")
_SINGLE = Text(
    "has single values where those of the first stand for groups",
    "hat einzelne Werte, wo die der ersten für Gruppen stehen",
)


def looks_swapped(before: Microdata, after: Microdata) -> Text:
    """Why the first file is probably the protected one; nothing where it is not."""
    forward, backward = set(_signs(before, after)), list(_signs(after, before))
    if forward or not backward:
        return NOTHING
    signs = Text(", ".join(sign.en for sign in backward), ", ".join(sign.de for sign in backward))
    return _SWAPPED.filled(signs=signs)


def warn_if_swapped(before: Microdata, after: Microdata) -> None:
    """Warn in Python; the command line says it on the screen."""
    if notice := looks_swapped(before, after):
        warnings.warn(notice.in_(from_locale()), stacklevel=3)


def _signs(original: Microdata, protected: Microdata) -> Iterator[Text]:
    """Signs that the second file is a protected one of the first, said of the first."""
    shared = [name for name in original.names if name in protected.columns]
    if set(protected.names) < set(original.names):
        yield _COLUMNS
    if len(protected) < len(original):
        yield _RECORDS
    pairs = [(original.column(name), protected.column(name)) for name in shared]
    if any(_share(a) > _share(b) for a, b in pairs) and all(_share(a) >= _share(b) for a, b in pairs):
        yield _FILLED
    if any(
        a.kind.is_number and b.kind is Kind.CATEGORY and 0 < _distinct(b) < _distinct(a) for a, b in pairs
    ):
        yield _NUMBERS
    if any(_coarser(b, a) for a, b in pairs) and not any(_coarser(a, b) for a, b in pairs):
        yield _FINER
    if any(_averaged(b) and not _averaged(a) for a, b in pairs if a.kind.is_number and b.kind.is_number):
        yield _SINGLE


def _share(column: Column) -> float:
    """Share of the cells that show a value."""
    return float(column.observed.mean()) if len(column) else 0.0


def _distinct(column: Column) -> int:
    return len(column.distinct())


def _coarser(one: Column, other: Column) -> bool:
    """Fewer categories, and not merely some of those of the other."""
    if not one.kind is other.kind is Kind.CATEGORY:
        return False
    fewer, more = set(one.distinct().tolist()), set(other.distinct().tolist())
    return len(fewer) < len(more) and not fewer <= more


def _averaged(column: Column) -> bool:
    """Broken numbers none of which stands alone, as averages of groups are."""
    shown = column.numbers()[column.observed]
    found, counts = np.unique(shown, return_counts=True)
    return len(found) > 1 and int(counts.min()) > 1 and bool((found != np.round(found)).any())
