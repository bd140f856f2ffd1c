"""Calibration of weights."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.comparison import same_cells
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.spelling import canonical
from tarnkappe.errors.calibration import TotalsApart, TotalsOutOfReach, TotalUnknown, WeightsTooFar
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text, listed
from tarnkappe.methods.microdata.calibrating import Controls, met, positive
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Mark, Method, Reach, Source, Trace, method
from tarnkappe.spec.conditions import given
from tarnkappe.spec.fields import Spelt
from tarnkappe.spec.limits import ForAnalysis

Total = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Sum = Annotated[float, Field(allow_inf_nan=False)]
GAP = ""
"""The value under which the total of records without a value is given."""
_MET = 1e-6


def _totals_met(m: Calibrate, before: Microdata, after: Microdata) -> bool:
    """Added up value by value, without the solver's arrays."""
    del before
    weights = positive(after, m.weight, m.id)
    return all(_one_met(after, weights, name, total) for name, total in m.totals.items())


def _one_met(data: Microdata, weights: Floats, name: str, total: Mapping[Spelt, Total] | Sum) -> bool:
    column = data.column(name)
    if not isinstance(total, Mapping):
        values = np.nan_to_num(column.numbers())
        x, w = values / power_scale(values), weights / power_scale(weights)  # nothing overflows
        wanted = total / power_scale(values) / power_scale(weights)
        return bool(abs(x @ w - wanted) <= _MET * (np.abs(x) @ w + abs(wanted)))
    codes, different = column.codes()
    counted = np.bincount(np.maximum(codes, -1) + 1, weights, different + 1)
    got: dict[str, float] = defaultdict(float)
    for value, count in zip((GAP, *canonical(column)), counted, strict=True):
        got[value] += count  # an empty text is a gap, and a value may be spelt in several ways
    slack = _MET * sum(total.values())
    return all(abs(got[value] - want) <= slack for value, want in total.items())


def _rest_kept(m: Calibrate, before: Microdata, after: Microdata) -> bool:
    others = (n for n in before.names if n != m.weight)
    return all(same_cells(before.columns[n], after.columns[n]) for n in others)


def _near(m: Calibrate, before: Microdata, after: Microdata) -> bool:
    old, new = positive(before, m.weight, m.id), positive(after, m.weight, m.id)
    return m.at_most is None or bool(_farthest(old, new) <= m.at_most * (1 + 1e-12))


def _farthest(old: Floats, new: Floats) -> float:
    return float(np.max(np.maximum(new / old, old / new), initial=1.0))


@method(
    "microdata.calibrate",
    family=Family.RECORDS,
    title=Text("Calibrate weights", "Gewichte anpassen"),
    does=Text(
        "The weights were changed as little as possible so that they give known totals.",
        "Die Gewichte wurden so wenig wie möglich verändert, sodass sie bekannte Summen ergeben.",
    ),
    sources=(
        Source("dav2025", "3.3.6, MASSC: calibration (D-M15)"),
        Source("devillesarndal1992", "raking ratio, the multiplicative distance"),
    ),
    preserves=(
        Claim(Text("the given totals, weighted", "die genannten Summen, gewichtet"), _totals_met),
        Claim(Text("every column but the weight", "jede Spalte außer dem Gewicht"), _rest_kept),
        Claim(
            Text("weights up to the factor `at_most`", "die Gewichte bis auf den Faktor `at_most`"),
            _near,
            when=given("at_most"),
        ),
    ),
    protects=(),
    does_not=(
        Text(
            "protect anybody: it repairs totals after sampling, suppression or swapping",
            "jemanden schützen: es stellt Summen nach Stichprobe, Unterdrückung oder Tausch wieder her",
        ),
        ForAnalysis("keep totals other than those that the weights were fitted to", "andere Summen erhalten als die, an die die Gewichte angepasst wurden"),
    ),
    advice=Text(
        "Weights were changed so that known totals come out. Use them as they are; standard errors that ignore this are mostly too "
        "large.",
        "Gewichte wurden so verändert, dass bekannte Summen herauskommen. Verwenden Sie sie, wie sie sind; Standardfehler ohne "
        "Rücksicht darauf sind meist zu groß.",
    ),
    example={"weight": "w", "totals": {"year": {"2023": 50.0, "2024": 60.0, "2025": 70.0}, "employees": 1500.0}, "at_most": 1000.0},
)  # fmt: skip
class Calibrate(Method):
    """Change the weights as little as possible so that they give known totals.

    The weight of a record is multiplied by exp(x·λ) (raking, generalised to sums): so it stays positive, and of all weights that
    meet the totals these are nearest to the old ones. Totals of a category column are weighted numbers of records by value; '' stands
    for missing and suppressed values, which otherwise count nowhere but keep their weight. The total of a numeric column is its
    weighted sum; gaps add nothing. Totals that no positive weights can give are refused. The totals are told to the receiver:
    name only such as are published or may be.

    Zero and negative numbers count as they are; a constant column asks for a weighted number of records; records that are tied on all columns are
    multiplied alike.
    """

    weight: str
    """Column of the weights. | Spalte mit den Gewichten."""
    totals: Annotated[Mapping[str, Mapping[Spelt, Total] | Sum], Field(min_length=1)]
    """Column to its totals: by value, or one sum of a numeric column. | Spalte zu ihren Summen: je Wert, oder eine Summe einer numerischen
    Spalte."""
    at_most: Annotated[float, Field(gt=1)] | None = None
    """Largest factor by which a weight may grow or shrink. | Größter Faktor, um den ein Gewicht wachsen oder schrumpfen darf."""

    @model_validator(mode="after")
    def _weight_is_no_total(self) -> Self:
        if self.weight in self.totals:
            raise ValueError(
                Text(
                    "totals must not name the weight, which changes",
                    "totals darf nicht das Gewicht nennen, das sich ändert",
                )
            )
        return self

    def named_columns(self) -> tuple[str, ...]:
        return (self.weight, *self.totals)

    def reach(self, data: Microdata) -> Reach:
        del data
        return Reach(changed=(self.weight,))

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        del roles
        return (Trace(Mark.FITTED, (self.weight, *self.totals)),)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        weights = positive(data, self.weight, self.id)
        self._one_grand_total()
        found = met(weights, self._controls(data), self._wanted())
        reached = _farthest(weights, found)
        if self.at_most is not None and reached > self.at_most:
            raise WeightsTooFar(reached=reached, allowed=self.at_most)
        after = data.with_numbers((self.weight,), found[:, None])
        if not _totals_met(self, data, after):  # sums of numbers near the largest possible
            raise TotalsOutOfReach(records=len(data), names=listed(list(self.totals)))
        return after

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """What the weights give exactly: estimates of these totals have no sampling error."""
        del before, after
        return {"totals": {n: dict(t) if isinstance(t, Mapping) else t for n, t in self.totals.items()}}

    @property
    def _by_value(self) -> dict[str, Mapping[Spelt, Total]]:
        return {name: total for name, total in self.totals.items() if isinstance(total, Mapping)}

    @property
    def _summed(self) -> dict[str, Sum]:
        return {name: total for name, total in self.totals.items() if not isinstance(total, Mapping)}

    def _one_grand_total(self) -> None:
        """Margins that count every record have the same sum."""
        grand = {n: sum(t.values()) for n, t in self._by_value.items() if GAP in t}
        if grand and max(grand.values()) - min(grand.values()) > _MET * max(grand.values()):
            raise TotalsApart(names=listed(list(grand)))

    def _controls(self, data: Microdata) -> Controls:
        counted = {name: _classes(data, name, total) for name, total in self._by_value.items()}
        sums = data.numbers(tuple(self._summed), self.id)
        return Controls(counted, dict(zip(self._summed, sums.T, strict=True)))

    def _wanted(self) -> Floats:
        counts = [float(t) for by_value in self._by_value.values() for t in by_value.values()]
        return np.array([*counts, *self._summed.values()], dtype=np.float64)


def _classes(data: Microdata, name: str, total: Mapping[Spelt, Total]) -> tuple[Ints, int]:
    """The place of every record's value among those with a total; -1 where gaps have none."""
    place = {value: i for i, value in enumerate(total)}
    column = data.column(name)
    found = np.array([place.get(value, -2) for value in canonical(column)] + [-2], dtype=np.int64)
    ids = np.where(column.observed, found[column.true_codes()[0]], place.get(GAP, -1))
    lacking = len(np.unique(column.true_codes()[0][ids == -2]))
    if lacking:
        raise TotalUnknown(name=name, count=lacking)
    return ids, len(place)
