"""Categories of two files under common codes: what a measure of categories starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.errors.models import CategoriesNeeded
from tarnkappe.language import Text
from tarnkappe.utility.comparing import joined, left_out, weights
from tarnkappe.vocab import Role

MOST = 100
"""A column with more categories is a name or a code of its own; it is compared only where it is asked for."""
_NOT_COMPARED = {Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER, Role.WEIGHT}
_GONE = Text("not in the release", "nicht in der Freigabe")
_RECODED = Text("recoded: no category is left", "umkodiert: keine Kategorie ist geblieben")
_KIND = Text("another type in the release", "anderer Typ in der Freigabe")
_MANY = Text(f"more than {MOST} categories", f"mehr als {MOST} Kategorien")


class Coded(NamedTuple):
    """One column of both files in the same codes; missing and suppressed have the last two."""

    old: Ints
    new: Ints
    values: int
    """Number of categories, without the two marks."""

    @property
    def missing(self) -> int:
        """The code of a missing value; that of a suppressed one is the next."""
        return self.values

    @property
    def size(self) -> int:
        return self.values + 2


class Chosen(NamedTuple):
    """Columns to compare, and what is said about the others."""

    names: tuple[str, ...]
    left: Text


def coded(old: Column, new: Column) -> Coded:
    """Common codes: values count as the same where they are spelt the same."""
    spelt = [canonical(c) for c in (old, new)]
    place = {word: code for code, word in enumerate(dict.fromkeys(np.concatenate(spelt).tolist()))}
    count = len(place)
    both = []
    for column, words in zip((old, new), spelt, strict=True):
        table = np.array([*(place[w] for w in words), count + 1, count], dtype=np.int64)
        codes, _ = column.codes()
        both.append(table[codes])  # -1 is missing, -2 suppressed: the last two entries
    return Coded(both[0], both[1], count)


def categories_in_both(
    after: Microdata,
    before: Microdata,
    columns: Sequence[str],
    who: str,
    *,
    needed: int = 1,
    recoding: bool = False,
) -> Chosen:
    """Name the columns to compare: the chosen ones that are still there, or all with categories in both files.

    Columns without a common value are left out unless `recoding` is what is looked at.
    """
    for name in columns:
        if name not in before.columns:
            before.column(name)
    here = [n for n in (columns or _candidates(before)) if n in after.columns]
    gone = [n for n in (columns or _candidates(before)) if n not in after.columns]
    other = [] if columns else [n for n in here if not after.is_category(n)]
    many = [] if columns else [n for n in here if n not in other and _values(before, n) > MOST]
    kept = [n for n in here if n not in (*other, *many)]
    recoded = [n for n in kept if not recoding and _recoded(before.column(n), after.column(n))]
    names = tuple(n for n in kept if n not in recoded)
    if len(names) < needed:
        raise CategoriesNeeded(who=who, needed=needed, found=len(names))
    said = joined(
        left_out(gone, _GONE), left_out(other, _KIND), left_out(many, _MANY), left_out(recoded, _RECODED)
    )
    return Chosen(names, said)


def weights_of_both(before: Microdata, after: Microdata) -> tuple[Floats | None, Floats | None]:
    """The weights of both files, on average 1 so that sums are numbers of records; none where one file has none."""
    old, new = weights(before), weights(after)
    if old is None or new is None or not (old.any() and new.any()):
        return None, None
    return _averaged(old), _averaged(new)


def _averaged(w: Floats) -> Floats:
    scaled = w / w.max()
    out: Floats = scaled / scaled.mean()
    return out


def _candidates(data: Microdata) -> list[str]:
    return [n for n in data.names if data.is_category(n) and not set(data.roles_of(n)) & _NOT_COMPARED]


def _values(data: Microdata, name: str) -> int:
    categories = data.column(name).categories
    return 0 if categories is None else len(categories)


def _recoded(old: Column, new: Column) -> bool:
    """No released value is one of the original, though both have some."""
    if not (old.observed.any() and new.observed.any()):
        return False
    shown = [set(canonical(c)[np.unique(c.codes()[0][c.observed])].tolist()) for c in (old, new)]
    return not shown[0] & shown[1]
