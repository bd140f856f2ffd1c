"""What measures on the keys share: counting the records an attacker cannot tell apart, by named policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.contributors import units_counted
from tarnkappe.data.fill_in import filled_in
from tarnkappe.errors.data import EmptyData, MissingKeys
from tarnkappe.kernels.candidate_units import candidate_units
from tarnkappe.kernels.coding import compact, dense_codes
from tarnkappe.kernels.compatible import Candidates, Key, candidates
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.shared import shared
from tarnkappe.spec import Json, Measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Missing, Role, Suppressed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tarnkappe.data.column import Column
    from tarnkappe.data.microdata import Microdata

Ints = NDArray[np.int64]

BANDS = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 49), (50, None))
"""Class sizes shown together, from and to."""
BELOW = (2, 3, 5, 10)
COUNTED, UNITS = "counted", "units"
"""What a report says where units are counted in place of records."""
NO_KEY = Text(
    "No key has a single observed value, so nothing is known of who can be found.",
    "Kein Schlüssel hat einen einzigen vorhandenen Wert; wer gefunden werden kann, ist also nicht bekannt.",
)
_OPTIMISTIC = Text(
    "Suppressed keys were counted as wildcards on both sides, which is too optimistic: an attacker knows the "
    "true value of the person sought. Use suppressed: attacker.",
    "Unterdrückte Schlüssel zählten auf beiden Seiten als Joker; das ist zu günstig, denn ein Angreifer "
    "kennt den wahren Wert der gesuchten Person. Verwenden Sie suppressed: attacker.",
)


class OnKeys(Measure):
    """A measure that counts, for every person, the released records that could be that person's."""

    needs_roles = needs(keys=Role.KEY)
    in_units: ClassVar[Text] = NOTHING
    """What `reads` says where units are counted, if that is something else."""

    keys: tuple[str, ...] = ()
    """Columns an attacker may know; without them, those with the role key. | Spalten, die ein Angreifer
    kennen kann; ohne Angabe die mit der Rolle key."""
    missing: Missing = Missing.CATEGORY
    """How a missing key counts: as a category of its own, as a wildcard, or as an error (refuse). | Wie ein
    fehlender Schlüssel zählt: als eigene Kategorie (category), als Joker (wildcard) oder als Fehler
    (refuse)."""
    suppressed: Suppressed = Suppressed.ATTACKER
    """How a suppressed key counts: as an attacker who knows the person sees it (attacker), as a wildcard on
    both sides (too optimistic), or as a category of its own. | Wie ein unterdrückter Schlüssel zählt: so, wie
    ihn ein Angreifer sieht, der die Person kennt (attacker), als Joker auf beiden Seiten (wildcard, zu
    günstig) oder als eigene Kategorie (category)."""

    def counts(self, data: Microdata) -> Ints:
        """Compatible released records of every person, the own one included; units where several records are one unit's."""
        return counted(data, self.candidates(data))

    def candidates(self, data: Microdata, more: tuple[str, ...] = ()) -> Candidates:
        """Which records could be whose; found once for all measures with the same keys, `more` of them, and policies."""
        names = (*checked(data, self.keys, self.missing), *more)
        data = as_filled(data)
        columns = [data.column(name) for name in names]
        arrays = [array for column in columns for array in (column.values, column.state)]
        facts = ("candidates", self.missing, self.suppressed)
        return shared(
            arrays, facts, lambda: candidates(list(_as_stored(data, names)), self.missing, self.suppressed)
        )

    def policy(self, data: Microdata) -> dict[str, Json]:
        """Name what was counted and how; a report must."""
        names = data.keys(self.keys)
        told = {"keys": names, "missing": self.missing.value, "suppressed": self.suppressed.value}
        return told if units_of_classes(data) is None else {**told, COUNTED: UNITS}

    def reading(self, data: Microdata) -> Text:
        """The sentence for the value where units are counted, or nothing: then that of the measure holds."""
        return NOTHING if units_of_classes(data) is None else self.in_units

    def doubt(self, data: Microdata) -> Text:
        """Why the count is not to be trusted, or nothing."""
        columns = [data.column(name) for name in data.keys(self.keys)]
        if nothing_known(data, self.keys):
            return NO_KEY
        optimistic = self.suppressed is Suppressed.WILDCARD
        return _OPTIMISTIC if optimistic and any(column.suppressed.any() for column in columns) else NOTHING


def units_of_classes(data: Microdata) -> Ints | None:
    """The unit of every record where classes are counted by units; None where records count."""
    if not data.role(Role.UNIT) and not data.role(Role.PERIOD):
        return None
    names = [n for role in (Role.UNIT, Role.OWNER, Role.IDENTIFIER, Role.PERIOD) for n in data.role(role)]
    cells = [array for n in names for array in (data.columns[n].values, data.columns[n].state)]
    facts = ("units", tuple((role, data.role(role)) for role in Role))
    return shared([data.rows, data.behind, *cells], facts, lambda: units_counted(data))


def counted(data: Microdata, among: Candidates) -> Ints:
    """For every record the released records that could be this person's, or the units of these where several records are one unit's."""
    return candidate_units(among, units_of_classes(data))


def nothing_known(data: Microdata, keys: tuple[str, ...]) -> bool:
    """Whether all keys of all records were missing from the start; what we suppressed is another matter."""
    return len(data) > 0 and all(data.column(name).missing.all() for name in data.keys(keys))


def as_filled(data: Microdata) -> Microdata:
    """With the suppressed cells filled in that households, units and dependencies tell: an attacker counts after that."""
    hidden = [column for column in data.columns.values() if column.suppressed.any()]
    if not hidden:
        return data
    arrays = [array for column in data.columns.values() for array in (column.values, column.state)]
    roles = tuple(sorted((role.value, names) for role, names in data.roles.items()))
    return data.with_columns(shared(arrays, ("filled in", roles), lambda: filled_in(data)))


def stored(data: Microdata, names: tuple[str, ...]) -> Iterator[Key]:
    """Key columns for the kernel, filled in; categories are handed over as they are stored, without a copy."""
    return _as_stored(as_filled(data), names)


def _as_stored(data: Microdata, names: tuple[str, ...]) -> Iterator[Key]:
    return (_stored(data.column(name)) for name in names)


def printed(data: Microdata, names: tuple[str, ...]) -> Iterator[tuple[Ints, int]]:
    """Key columns as somebody sees them who has filled in what others tell, coded one at a time."""
    names, seen = _checked(data, names), as_filled(data)
    return (seen.column(name).codes() for name in names)


def banded(counts: Ints, of: str = "records") -> list[dict[str, Json]]:
    """How many of the counts fall into each band."""
    return [
        {"from": low, "to": high, of: int(np.sum((counts >= low) & (counts <= (high or np.inf))))}
        for low, high in BANDS
    ]


def checked(data: Microdata, names: tuple[str, ...], missing: Missing) -> tuple[str, ...]:
    """The keys of data that has records; none of them missing where the policy is to refuse that."""
    names = _checked(data, names)
    if missing is Missing.REFUSE:
        _refuse_missing(data, names)
    return names


def _checked(data: Microdata, names: tuple[str, ...]) -> tuple[str, ...]:
    names = data.keys(names)
    if len(data) == 0:
        raise EmptyData
    return names


def _refuse_missing(data: Microdata, names: tuple[str, ...]) -> None:
    without = np.zeros(len(data), dtype=np.bool_)
    for name in names:
        without |= data.column(name).missing
    if without.any():
        raise MissingKeys(count=int(without.sum()), first=data.record(np.argmax(without)))


def _stored(column: Column) -> Key:
    if column.categories is not None:
        return Key(column.values, column.state, len(column.categories))
    codes, count = dense_codes(column.values)
    return Key(compact(codes), column.state, count)
