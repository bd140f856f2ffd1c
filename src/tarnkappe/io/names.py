"""Names of columns as they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tarnkappe.errors import looks_like_number
from tarnkappe.errors.data import DuplicateColumn
from tarnkappe.errors.files import NamesMissing, NamesTooLong
from tarnkappe.language import listed

LONGEST = 2_000
"""Signs of a name: whole questions of a survey fit, a file without line ends does not."""


def checked_names(header: Iterable[str | None], file: str) -> list[str]:
    """The names without blanks around them; every column has one, and no two have the same."""
    names = [(name or "").strip() for name in header]
    nameless = [i for i, name in enumerate(names, start=1) if not name]
    if nameless:
        raise NamesMissing(file=file, count=len(nameless), position=nameless[0])
    refuse_twins(names)
    return names


def refuse_twins(names: Iterable[str]) -> None:
    """Every name may occur once. A name that is a number may be a value of a file without a header: it is not told."""
    twins = [name for name, count in Counter(names).items() if count > 1]
    if twins:
        raise DuplicateColumn(names=listed(["#" if looks_like_number(name) else name for name in twins]))


def refuse_long(names: Iterable[str], file: str) -> None:
    """A name that fills pages is none."""
    long = [i for i, name in enumerate(names, start=1) if len(name) > LONGEST]
    if long:
        raise NamesTooLong(file=file, count=len(long), position=long[0], most=LONGEST)
