"""Zero patterns: records that are found by which of their amounts are zero, because noise keeps every zero."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import amounts
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.data import EmptyData
from tarnkappe.kernels.classes import classes
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

_UNKNOWN = Text(
    "The original is not given: every pattern that is shown counts as preserved.",
    "Das Original ist nicht gegeben: Jedes gezeigte Muster zählt als erhalten.",
)


@measure(
    "risk.zero-pattern",
    title=Text("Unique by their zeros", "Einzigartig durch ihre Nullen"),
    does=Text(
        "Counts released records that are alone, among those with the same keys, in which of their amounts are zero, where these zeros are those of "
        "the original.",
        "Zählt freigegebene Datensätze, die unter denen mit gleichen Schlüsseln darin allein sind, welche ihrer Beträge null sind, wo diese Nullen "
        "die des Originals sind.",
    ),
    sources=(
        Source("hoehne2010", "section 4.2.1: zeros are preserved by multiplicative noise (R14)"),
    ),
    reads=Text(
        "A share of {value} of the records is unique by its zeros and shows them unchanged.",
        "Ein Anteil von {value} der Datensätze ist durch seine Nullen einzigartig und zeigt sie unverändert.",
    ),
    knows=Text(
        "The attacker knows the keys of a unit, and what it does not have: no exports, no research, no employees abroad.",
        "Der Angreifer kennt die Schlüssel einer Einheit und weiß, was sie nicht hat: keine Ausfuhren, keine Forschung, keine Beschäftigten im Ausland.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "count records that are rare by their keys alone: see risk.k-anonymity",
            "Datensätze zählen, die schon nach ihren Schlüsseln selten sind: siehe risk.k-anonymity",
        ),
        Text(
            "look at signs, gaps or ratios: see risk.structural-outliers",
            "auf Vorzeichen, Lücken oder Verhältnisse sehen: siehe risk.structural-outliers",
        ),
    ),
    words={
        "unique_in_original": Text("unique in the original", "im Original einzigartig"),
        "unique_in_release": Text("unique in the release", "in der Freigabe einzigartig"),
        "patterns": Text("patterns of zeros", "Muster von Nullen"),
        "zeros_kept": Text("share of zeros that are kept", "Anteil erhaltener Nullen"),
    },
    example={"columns": ["income", "wealth", "employees"], "keys": ["sex"], "k": 3},
)  # fmt: skip
class ZeroPattern(Measure):
    """The share of records that are unique by which amounts are zero, and show this pattern as it was.

    Multiplicative noise keeps every zero, and so do most other methods. In a record every amount is zero, not zero, or not shown. A record is
    exposed if at least `k` records share its keys, fewer than `k` of them share its pattern as well, and the pattern is the one that the
    record had in the original: then an attacker who knows what the unit does not have finds it, whatever the noise. Without an original every
    pattern counts as preserved. The value before protection is the baseline. Without `keys` those with the role key count, if there are any;
    without `columns`, those with the role numeric. Per record: 1 for those that are exposed, else 0.
    """

    needs_roles = needs(columns=Role.NUMERIC)

    columns: tuple[str, ...] = ()
    """Amounts whose zeros are looked at; without them, those with the role numeric. | Beträge, deren Nullen betrachtet werden; ohne Angabe die
    mit der Rolle numeric."""
    keys: tuple[str, ...] = ()
    """Columns an attacker may know; without them, those with the role key. | Spalten, die ein Angreifer kennen kann; ohne Angabe die mit
    der Rolle key."""
    k: Annotated[int, Field(ge=2)] = 2
    """A pattern with fewer records stands out. | Ein Muster mit weniger Datensätzen fällt auf."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        names = amounts(after, self.columns, self.id)
        if not len(after):
            raise EmptyData
        alone, kept = self._alone(after, names), np.ones(len(after), dtype=np.bool_)
        details: dict[str, Json] = {
            "columns": names, "records": len(after), "unique_in_release": int(alone.sum()),
            "patterns": len(np.unique(_zeros(after, names), axis=0)),
        }  # fmt: skip
        baseline = None
        if before is not None:
            was = self._alone(before, names)
            baseline = float(was.mean())
            kept, share = _preserved(before, after, names)
            details |= {"unique_in_original": int(was.sum()), "zeros_kept": share}
        exposed = alone & kept
        return Finding(
            value=float(exposed.mean()),
            baseline=baseline,
            because=_UNKNOWN if before is None else NOTHING,
            details={**details, "exposed": int(exposed.sum())},
            per_record=exposed.astype(np.float64),
        )

    def _alone(self, data: Microdata, names: tuple[str, ...]) -> Bools:
        """Fewer than k share keys and pattern, and k or more the keys alone."""
        cells = strata_of(data, tuple(n for n in (self.keys or data.role(Role.KEY)) if n in data.names))
        found = classes([(cells.of, len(cells)), *((codes, 3) for codes in _zeros(data, names).T)])
        return np.asarray((cells.sizes[cells.of] >= self.k) & (found.sizes[found.ids] < self.k))


def _zeros(data: Microdata, names: tuple[str, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Records × amounts: 0 not zero, 1 zero, 2 not shown."""
    columns = (data.column(n) for n in names)
    return np.column_stack([np.where(c.observed, (c.values == 0).astype(np.int64), 2) for c in columns])


def _preserved(before: Microdata, after: Microdata, names: tuple[str, ...]) -> tuple[Bools, float | None]:
    """Records of the release whose pattern is that of the original, and the share of zeros that are still shown."""
    old, new = before.paired(after)
    same = np.zeros(len(after), dtype=np.bool_)
    was, now = _zeros(old, names), _zeros(new, names)
    same[np.isin(after.rows, new.rows)] = np.all(was == now, axis=1)
    zeros = int(np.count_nonzero(was == 1))
    return same, float(np.count_nonzero((was == 1) & (now == 1)) / zeros) if zeros else None
