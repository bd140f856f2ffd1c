"""What no masking method can work with, refused in the same words everywhere."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.contributors import contributors_by, several_records, units_counted
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import TooFewContributors, TooFewRecords
from tarnkappe.errors.masking import NoSpread, TooFewComplete
from tarnkappe.language import Text, listed

FILE = Text("the file", "die Datei")
STRATUM = Text("a stratum", "eine Schicht")


def only_treated(parameter: str, named: Iterable[str], treated: Iterable[str]) -> None:
    """What is said of a column that is not treated would be ignored."""
    if ignored := [name for name in named if name not in set(treated)]:
        said = Text(
            "{parameter} names columns that are not treated: {names}",
            "{parameter} nennt Spalten, die nicht behandelt werden: {names}",
        )
        raise ValueError(said.filled(parameter=parameter, names=listed(ignored)))


def refuse_few(data: Microdata, k: int, who: str) -> None:
    """A file with fewer than k records, or units where these are counted, has no group of k, whatever is done."""
    units = units_counted(data)
    found = len(data) if units is None else int(units.max(initial=-1)) + 1
    if found < k:
        kind = TooFewRecords if units is None else TooFewContributors
        raise kind(who=who, needed=k, where=FILE, found=found)


def too_few(who: str, needed: int, where: Text, *, owners: bool) -> TooFewRecords:
    """The error for a group that is too small, by what was counted; how many it has is not told."""
    kind = TooFewContributors if owners else TooFewRecords
    found = Text(f"{needed - 1} or fewer", f"{needed - 1} oder weniger")
    return kind(who=who, needed=needed, where=where, found=found)


def refuse_few_in_strata(data: Microdata, records: Bools, of: Ints, needed: int, who: str) -> None:
    """Every stratum that has some of the records must have those of enough contributors: a figure of fewer tells of each."""
    fewest = int(contributors_by(data, records, of).min(initial=needed))
    if fewest < needed and several_records(data):
        raise TooFewContributors(who=who, needed=needed, where=STRATUM, found=fewest)
    if fewest < needed:
        raise TooFewComplete(who=who, needed=needed, found=fewest)


def refuse_constants(data: Microdata, names: tuple[str, ...], who: str) -> None:
    """Columns of which several values are shown must vary; one value is a matter of too few records."""
    for name in names:
        column = data.column(name)
        shown = column.values[column.observed]
        if len(shown) > 1 and np.all(shown == shown[0]):
            raise NoSpread(who=who, name=name, where=Text("the file", "der Datei"))
