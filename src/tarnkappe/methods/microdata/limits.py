"""What no masking method can work with, refused in the same words everywhere."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewRecords
from tarnkappe.errors.masking import NoSpread
from tarnkappe.language import Text, listed

FILE = Text("the file", "die Datei")


def only_treated(parameter: str, named: Iterable[str], treated: Iterable[str]) -> None:
    """What is said of a column that is not treated would be ignored."""
    if ignored := [name for name in named if name not in set(treated)]:
        said = Text(
            "{parameter} names columns that are not treated: {names}",
            "{parameter} nennt Spalten, die nicht behandelt werden: {names}",
        )
        raise ValueError(said.filled(parameter=parameter, names=listed(ignored)))


def fewer_than(k: int) -> Text:
    """A number that is not told."""
    return Text(f"{k - 1} or fewer", f"{k - 1} oder weniger")


def refuse_few(data: Microdata, k: int, who: str) -> None:
    """A file with fewer than k records has no group of k, whatever is done."""
    if len(data) < k:
        raise TooFewRecords(who=who, needed=k, where=FILE, found=len(data))


def refuse_constants(data: Microdata, names: tuple[str, ...], who: str) -> None:
    """Columns of which several values are shown must vary; one value is a matter of too few records."""
    for name in names:
        column = data.column(name)
        shown = column.values[column.observed]
        if len(shown) > 1 and np.all(shown == shown[0]):
            raise NoSpread(who=who, name=name, where=Text("the file", "der Datei"))
