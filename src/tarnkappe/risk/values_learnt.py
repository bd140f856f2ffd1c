"""What attacks on numbers share: true and released values side by side, and how many of them the attacker learns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import in_both, original
from tarnkappe.data.sampling_weights import weights_of
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.data import EmptyData
from tarnkappe.kernels.proportions import share_interval, share_of
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import NOTHING, Text, listed
from tarnkappe.risk.populations import LEVEL, MOST_STRATA
from tarnkappe.spec import Finding, Json, Measure
from tarnkappe.spec.needs import Needs
from tarnkappe.vocab import Role

LEAST = 10
"""With fewer records than this a share tells nothing."""
Useful = Annotated[float, Field(gt=0, lt=1)]
"""Relative error up to which a value is useful to an attacker (hoehne2010, 4.2.2: 5 % for example)."""
_TOO_FEW = Text(
    f"Fewer than {LEAST} records have values to be learnt: the share says little.",
    f"Weniger als {LEAST} Datensätze haben Werte, die man erfahren könnte: Der Anteil sagt wenig.",
)
_INTERVAL = Text(
    "The interval covers 95% of what other records of this kind would give; the values of a record hang together.",
    "Das Intervall deckt 95 % dessen, was andere Datensätze dieser Art ergäben; die Werte eines Datensatzes hängen zusammen.",
)
_CONSTANT = Text(
    "Left out, because all values are alike: {names}.",
    "Nicht untersucht, weil alle Werte gleich sind: {names}.",
)


@dataclass(frozen=True)
class Sides:
    """The records that both files have: what is true and what was released, column by column on a common scale."""

    names: tuple[str, ...]
    varies: Bools
    """Columns whose true values are not all the same: in the others nothing can be learnt."""
    x: Floats
    """True values; NaN where there is none to be learnt."""
    shown: Floats
    """Released values of all records of the release; NaN where none is shown."""
    scale: Floats
    """By this the values of a column were divided."""
    place: Ints
    """Where the records of x stand in the release."""
    weights: Floats

    @cached_property
    def y(self) -> Floats:
        """The released values beside the true ones."""
        return self.shown[self.place]

    @cached_property
    def there(self) -> Bools:
        """True values that could be learnt, whether or not anything is shown of them."""
        return ~np.isnan(self.x) & self.varies

    @property
    def alike(self) -> tuple[str, ...]:
        """Columns in which nothing can be learnt."""
        return tuple(n for n, v in zip(self.names, self.varies, strict=True) if not v)


class OnValues(Measure):
    """A measure of how many true numbers an attacker learns from the released ones."""

    columns: tuple[str, ...] = ()
    """Numeric columns; without them, all that hold quantities in both files. | Numerische Spalten; ohne Angabe alle, die in beiden
    Dateien Größen enthalten."""
    within: tuple[str, ...] = ()
    """Strata: figures are given for each. | Schichten: Die Zahlen werden für jede angegeben."""
    weighted: bool = False
    """Whether records count with their weights. | Ob Datensätze mit ihrem Gewicht zählen."""

    def needed_roles(self) -> Needs:
        return {**super().needed_roles(), **({"": (Role.WEIGHT,)} if self.weighted else {})}

    def sides(self, after: Microdata, before: Microdata | None, needed: int = 1) -> Sides:
        """Both files side by side."""
        before = original(before, self.id)
        return self.beside(after, before, in_both(after, before, self.columns, self.id, needed))

    def beside(self, after: Microdata, before: Microdata, names: tuple[str, ...]) -> Sides:
        """Some columns of both files side by side."""
        if len(after) == 0:
            raise EmptyData
        old, new = before.paired(after)
        x, shown = old.numbers(names, self.id), after.numbers(names, self.id)
        scale = power_scale(np.vstack([x, shown]))
        return Sides(
            names=names,
            varies=_varies(x),
            x=x / scale,
            shown=shown / scale,
            scale=scale,
            place=np.flatnonzero(np.isin(after.rows, new.rows)),
            weights=self._weights(new),
        )

    def finding(
        self,
        after: Microdata,
        sides: Sides,
        learnt: tuple[Floats, Floats],
        baseline: float,
        details: Mapping[str, Json],
        said: Text = NOTHING,
    ) -> Finding:
        """The share learnt with its interval, by record and by stratum; `learnt` tells hits and cases per record of `sides`."""
        hits, cases = learnt
        interval = share_interval(hits, cases, sides.weights, LEVEL)
        doubt = _TOO_FEW if np.count_nonzero(cases) < LEAST else NOTHING
        constant = _CONSTANT.filled(names=listed(sides.alike)) if sides.alike else NOTHING
        each = np.full(len(after), np.nan)
        each[sides.place[cases > 0]] = (hits / np.maximum(cases, 1))[cases > 0]
        return Finding(
            value=share_of(hits, cases, sides.weights),
            low=interval[0] if interval else None,
            high=interval[1] if interval else None,
            baseline=None if np.isnan(baseline) else baseline,
            trusted=doubt == NOTHING,
            because=_side_by_side(doubt or _INTERVAL, said, constant),
            details={
                "records": int(np.count_nonzero(cases)), "values_at_stake": int(sides.there.sum()), "level": LEVEL, "weighted": self.weighted,
                **details, **self._strata(after, sides, learnt),
            },
            per_record=each,
        )  # fmt: skip

    def _weights(self, data: Microdata) -> Floats:
        """Against the largest, so that sums of squares do not overflow."""
        if not self.weighted:
            return np.ones(len(data))
        weights = weights_of(data, self.id)
        return np.asarray(weights / weights.max(initial=0.0))

    def _strata(self, after: Microdata, sides: Sides, learnt: tuple[Floats, Floats]) -> dict[str, Json]:
        """The share in every stratum, the worst first; strata are numbered as they first appear."""
        if not self.within:
            return {}
        hits, cases = learnt
        blocks = strata_of(after.take(sides.place), self.within)
        rows: list[dict[str, Json]] = [
            {"stratum": number + 1, "records": len(b), "share": share_of(hits[b], cases[b], sides.weights[b])}
            for number, b in enumerate(blocks.blocks())
        ]
        rows.sort(key=lambda row: (-np.nan_to_num(row["share"], nan=-1.0), row["stratum"]))
        return {"strata": len(blocks), "worst_strata": rows[:MOST_STRATA]}


def counted(hit: Bools, there: Bools) -> tuple[Floats, Floats]:
    """Hits and cases of every record, from cells."""
    return (hit & there).sum(axis=1).astype(np.float64), there.sum(axis=1).astype(np.float64)


def near(guess: Floats, x: Floats, f: float) -> Bools:
    """Whether a guess is useful: |guess - x| ≤ f·|x| (hoehne2010, 4.2.2). A zero is learnt by guessing zero only."""
    return np.asarray(np.abs(guess - x) <= f * np.abs(x))


def by_column(sides: Sides, hit: Bools, there: Bools, naive: Bools | Floats) -> dict[str, Json]:
    """Per column: how many values, the share learnt, that of the naive attacker, and how many are zeros, which are easily kept."""
    out = {}
    for j, name in enumerate(sides.names):
        case = there[:, j].astype(np.float64)
        shares = [share_of(found[:, j] * case, case, sides.weights) for found in (hit, naive)]
        if case.any():
            zeros = float(np.mean(sides.x[there[:, j], j] == 0))
            out[name] = {
                "values_at_stake": int(case.sum()), "share": shares[0], "naive": shares[1], "share_of_zeros": zeros,
            }  # fmt: skip
    return out


def _varies(x: Floats) -> Bools:
    low = np.where(np.isnan(x), np.inf, x).min(axis=0, initial=np.inf)
    high = np.where(np.isnan(x), -np.inf, x).max(axis=0, initial=-np.inf)
    return np.asarray(high > low)


def _side_by_side(*texts: Text) -> Text:
    return Text(" ".join(t.en for t in texts if t), " ".join(t.de for t in texts if t))
