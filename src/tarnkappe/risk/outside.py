"""A release beside the file of an attacker: whom he searches, what can be compared, and who is who.

`Outside` is what every attack by linkage reads. It has two sides, *known* (the attacker's records) and *released*; the keys of both as
arrays in common codes; the blocks in which records are compared; and the truth, which only the office has.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.identity import identified
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData, NotFinite, NothingToUse
from tarnkappe.errors.risk import AttackerFileNeeded
from tarnkappe.kernels.classes import classes
from tarnkappe.language import NOTHING, Text, same
from tarnkappe.risk.attacker_file import Incompatible
from tarnkappe.risk.register import stacked
from tarnkappe.spec import Finding, Json, Measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Kind, Role

Part = Annotated[float, Field(ge=0, le=1)]
Spread = Annotated[float, Field(ge=0)]
NOBODY = -1

_NO_TRUTH = Text(
    "No released record belongs to a person of the attacker's file, as with synthetic data: whether a link is right is not defined. "
    "Ask instead what can be learnt of a person.",
    "Kein freigegebener Datensatz gehört zu einer Person aus der Datei des Angreifers, wie bei synthetischen Daten: Ob eine Zuordnung "
    "richtig ist, ist dann nicht erklärt. Fragen Sie stattdessen, was über eine Person zu erfahren ist.",
)
_CONSTANT = Text(
    "No key tells the released records apart, so there is nothing to link by.",
    "Kein Schlüssel unterscheidet die freigegebenen Datensätze; es gibt also nichts, wonach zuzuordnen wäre.",
)


@dataclass(frozen=True, slots=True, eq=False)
class NumberKey:
    """A key that is a number or a date in both files; NaN where it is missing or suppressed."""

    name: str
    known: Floats
    released: Floats


@dataclass(frozen=True, slots=True, eq=False)
class CategoryKey:
    """A key in codes 0 … count - 1 common to both files; -1 where it is missing or suppressed."""

    name: str
    known: Ints
    released: Ints
    count: int


@dataclass(frozen=True, eq=False)
class Outside:
    """The attacker's records and the released ones, ready to be linked."""

    known: Microdata
    """The attacker's records: whom he searches."""
    released: Microdata
    truth: Ints
    """For every known record the position of the released record of the same person; -1 where there is none."""
    keys: tuple[NumberKey | CategoryKey, ...]
    known_block: Ints
    released_block: Ints
    """The block of every record, numbered 0, 1, … in both files alike: only records of one block are compared."""
    blocks: int
    made: Incompatible | None = None
    """How the attacker's file was made from the original; None for a real one."""
    original: Microdata | None = None
    """What the office has, where it was given: the true values an attacker wants to learn."""

    @cached_property
    def there(self) -> Bools:
        """Known records whose person is in the release."""
        return np.asarray(self.truth >= 0)

    @cached_property
    def block_sizes(self) -> Ints:
        """Released records in every block."""
        return np.bincount(self.released_block, minlength=self.blocks)

    @cached_property
    def findable(self) -> Bools:
        """Known records whose own released record lies in their block."""
        own = self.released_block[np.maximum(self.truth, 0)] if len(self.released) else self.truth
        return np.asarray(self.there & (own == self.known_block))

    @cached_property
    def by_chance(self) -> Floats:
        """For every known record the chance to hit its own by pointing at any record of the block."""
        sizes = np.maximum(self.block_sizes[self.known_block], 1)
        return np.where(self.findable, 1 / sizes, 0.0)

    def of_released(self, values: Floats) -> Floats:
        """Values of known records at the places of their released ones; NaN where nobody searches."""
        out = np.full(len(self.released), np.nan)
        out[self.truth[self.there]] = values[self.there]
        return out

    def doubt(self) -> Text:
        """Why no figure of this attack is to be trusted, or nothing."""
        if not self.there.any():
            return _NO_TRUTH
        if all(_one_value(key) for key in self.keys) and self.blocks < 2:
            return _CONSTANT
        for key in self.keys:
            if isinstance(key, CategoryKey) and _foreign(key):
                return _coded_otherwise(key.name)
        return NOTHING


class OnOutside(Measure):
    """An attack by linkage with a file of the attacker's own.

    `measure` makes that file from the original, with the errors stated in the parameters; `against` takes a real one.
    """

    needs_roles = needs(keys=Role.KEY)

    keys: tuple[str, ...] = ()
    """Columns an attacker may know; without them, those with the role key. | Spalten, die ein Angreifer kennen kann; ohne Angabe die mit
    der Rolle key."""
    within: tuple[str, ...] = ()
    """Only records that agree on these columns are compared (blocking). | Nur Datensätze, die in diesen Spalten übereinstimmen, werden
    verglichen (Blocking)."""
    known_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of the persons whom the attacker has in his file. | Anteil der Personen, die der Angreifer in seiner Datei hat."""
    number_error: Spread | Mapping[str, Spread] = 0.0
    """Relative standard deviation of the errors in the numbers he knows; for dates, in standard deviations of the column. One number, or
    one by column. | Relative Standardabweichung der Fehler in den Zahlen, die er kennt; bei Datumsangaben in Standardabweichungen der
    Spalte. Eine Zahl oder eine je Spalte."""
    category_error: Part | Mapping[str, Part] = 0.0
    """Share of the categories he has wrong; one number, or one by column. | Anteil der Kategorien, die er falsch hat; eine Zahl oder eine
    je Spalte."""
    gaps: Part | Mapping[str, Part] = 0.0
    """Share of the values he does not have; one number, or one by column. | Anteil der Werte, die er nicht hat; eine Zahl oder eine je
    Spalte."""

    by: str = ""
    """Column whose groups or classes of size are told apart in the details. | Spalte, nach deren Gruppen oder Größenklassen die
    Einzelheiten unterscheiden."""
    top: Annotated[int, Field(ge=1)] = 3
    """So many of the largest units in every block are told on their own. | So viele der größten Einheiten jedes Blocks werden für sich
    angegeben."""

    @abstractmethod
    def attack(self, outside: Outside) -> Finding:
        """Link the attacker's records to the released ones, and count."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        if before is None:
            raise AttackerFileNeeded(who=same(self.id))
        keys = after.keys(self.keys)
        how = Incompatible(self.known_share, self.number_error, self.category_error, self.gaps)
        known = how.made(before, (*keys, *self.within))
        return self.attack(replace(beside(after, known, keys, self.within), made=how, original=before))

    def against(
        self,
        after: Microdata,
        file: Microdata,
        original: Microdata | None = None,
        identity: str | Sequence[str] = (),
    ) -> Finding:
        """Attack with a real file; the parameters that say how one is made do not count.

        `identity` names a column that tells in the file and in the original who is who, or several that do so together. Without it record n of the file is the person of
        record n of the original file.
        """
        if identity and original is None:
            raise AttackerFileNeeded(who=same(self.id))
        known = identified(file, original, identity) if identity and original is not None else file
        return self.attack(
            replace(beside(after, known, after.keys(self.keys), self.within), original=original)
        )

    def knowledge(self, outside: Outside) -> dict[str, Json]:
        """What a report must tell of the attacker: of a file that was made, how wrong it is."""
        return {
            "keys": [key.name for key in outside.keys], "within": self.within, "file": "real" if outside.made is None else "made",
            **({} if outside.made is None else asdict(outside.made)),
            "searched": len(outside.known), "in_release": int(outside.there.sum()),
            "in_another_block": int((outside.there & ~outside.findable).sum()), "blocks": outside.blocks,
        }  # fmt: skip


def beside(after: Microdata, known: Microdata, keys: tuple[str, ...], within: tuple[str, ...]) -> Outside:
    """Put a release beside the attacker's file.

    Keys are numbers where they are in both files, dates likewise; all others are compared as categories, where a known code counts as
    the released code above it in the hierarchy of the column. What is suppressed or missing in the release, and what the attacker
    does not have, is unknown. An unknown value in a column of `within` is a block of its own.
    """
    if len(after) == 0 or len(known) == 0:
        raise EmptyData
    if not any(after.column(name).observed.any() for name in keys):
        raise NothingToUse(name=keys[0])
    compared = tuple(_key(name, after.column(name), known.column(name)) for name in keys)
    for key in compared:
        if isinstance(key, NumberKey):
            _refuse_infinite(key, known, after)
    ids, blocks = _blocks(after, known, within)
    truth = places(known.rows, after.rows)
    return Outside(known, after, truth, compared, ids[len(after) :], ids[: len(after)], blocks)


def _key(name: str, released: Column, known: Column) -> NumberKey | CategoryKey:
    if _measured(released) is not None and _measured(released) == _measured(known):
        return NumberKey(name, known.numbers(), released.numbers())
    codes, count = _common(released, known)
    return CategoryKey(name, codes[len(released) :], codes[: len(released)], count)


def _measured(column: Column) -> Kind | None:
    """What kind of amount a column holds; nothing where it holds names."""
    if column.kind.is_number:
        return Kind.NUMBER
    return column.kind if column.kind in (Kind.DATE, Kind.DATETIME) else None


def _common(released: Column, known: Column) -> tuple[Ints, int]:
    """One column of both files in common codes, the release first; unknown is -1."""
    both = stacked(released, known)
    codes = both.codes.astype(np.int64)
    return codes if both.state is None else np.where(both.state == 0, codes, -1), both.categories


def _blocks(after: Microdata, known: Microdata, within: tuple[str, ...]) -> tuple[Ints, int]:
    one = (np.zeros(len(after) + len(known), dtype=np.int64), 1)
    found = classes([one, *(_common(after.column(name), known.column(name)) for name in within)])
    return found.ids.astype(np.int64), len(found.sizes)


def places(known: Ints, released: Ints) -> Ints:
    """Where the released record of every known person stands, by row numbers; numbers below 0 are nobody's."""
    order = np.argsort(released, kind="stable")
    place = np.minimum(np.searchsorted(released, known, sorter=order), len(released) - 1)
    found = order[place]
    return np.where((released[found] == known) & (known >= 0), found, NOBODY).astype(np.int64)


def _refuse_infinite(key: NumberKey, known: Microdata, after: Microdata) -> None:
    for values, data in ((key.released, after), (key.known, known)):
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise NotFinite(name=key.name, count=len(infinite), first=data.record(infinite[0]))


def _one_value(key: NumberKey | CategoryKey) -> bool:
    """Do all released records look alike in this key? A gap is a value of its own."""
    same_gap = isinstance(key, NumberKey)
    told = np.nan_to_num(key.released, nan=np.inf) if same_gap else key.released
    return bool((told == told[0]).all())


def _foreign(key: CategoryKey) -> bool:
    """Do the two files have no code in common?"""
    shown, had = (np.zeros(key.count, dtype=np.bool_) for _ in range(2))
    shown[key.released[key.released >= 0]] = True
    had[key.known[key.known >= 0]] = True
    return bool(had.any() and not (shown & had).any())


def _coded_otherwise(name: str) -> Text:
    return Text(
        f"Column {name!r} has no value in common in both files: it is coded in another way, and a hierarchy would tell what belongs together.",
        f"Die Spalte {name!r} hat in beiden Dateien keinen gemeinsamen Wert: Sie ist anders verschlüsselt; eine Hierarchie würde sagen, was "
        "zusammengehört.",
    )
