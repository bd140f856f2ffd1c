"""Noise of which the records of a unit have a part in common: over a panel its mean does not come near the truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.households import alike_in_homes, first_members, shared_in_homes
from tarnkappe.data.masked import Whole, not_rounded, side_by_side
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.data.units import units_of
from tarnkappe.errors.masking import MembersApart
from tarnkappe.kernels.unit_noise import White, drawn_when_asked, white_of_units
from tarnkappe.language import Text, listed
from tarnkappe.spec import Claim, Holds, Json, Method
from tarnkappe.spec.conditions import given
from tarnkappe.spec.fields import Columns, Unit

COMMON = 0.5
"""With half in common, the mean over any number of periods keeps half of the noise, and whoever knows one period exactly has three quarters
of the noise of another still before him."""
ROUNDING = 1e-9
FAR = 6.0
"""Standard errors: a fair draw lies farther out once in five hundred million."""


class NoiseInUnits(Method):
    """Noise that is drawn for records, or partly for all records of a unit together."""

    columns: Columns
    """Numeric columns that get noise. | Numerische Spalten, die überlagert werden."""
    unit: Unit = ()
    """Columns that name the unit whose records get noise in common; without them, each record has its own. | Spalten, die die Einheit
    nennen, deren Datensätze teils gemeinsam überlagert werden; ohne sie jeder Datensatz für sich."""
    common: Annotated[float, Field(gt=0, lt=1)] = COMMON
    """Part of the variance of the noise that the records of a unit have in common. | Teil der Varianz der Überlagerung, den die Datensätze
    einer Einheit gemeinsam haben."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden
    (Schichten)."""

    @model_validator(mode="after")
    def _common_to_a_unit(self) -> Self:
        if self.common != COMMON and not self.unit:
            raise ValueError(Text("common goes with unit", "common gehört zu unit"))
        return self

    def shares_draws(self) -> bool:
        return bool(self.unit)

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.unit, *self.within)))

    def told_of_units(self) -> Mapping[str, Json]:
        """What a receiver needs for standard errors: whose errors belong together, and how closely."""
        return {"unit": list(self.unit), "common": self.common} if self.unit else {}


def told_of_homes(before: Microdata, names: tuple[str, ...]) -> Mapping[str, Json]:
    """Which columns the members of a household had, and have, in common."""
    shared = shared_in_homes(before, names)
    return {"same_in_household": list(shared)} if shared else {}


def one_for_all(m: Method, data: Microdata, y: Floats, *, exact: bool = False) -> Floats:
    """New numbers of the treated columns that members of a household have in common where they had one before."""
    names = m.treated_columns()
    out = alike_in_homes(data, names, y)
    if exact and out is not y and not np.allclose(out, y, rtol=ROUNDING, atol=0, equal_nan=True):
        raise MembersApart(who=m.id, names=listed(shared_in_homes(data, names)))
    return out


class UnitNoise(NoiseInUnits):
    """Noise on numeric columns themselves."""

    whole: Whole = "decimals"
    """What becomes of whole numbers: decimals, nearest or total (rounded with the total of the stratum kept to one half). | Was aus ganzen Zahlen wird: Nachkommastellen (decimals), gerundet (nearest) oder gerundet mit auf ein halb erhaltener
    Schichtsumme (total)."""

    def white(self, data: Microdata, generator: np.random.Generator) -> White:
        """Standard normal numbers for the columns of some records; those of a unit are correlated."""
        normal, columns = generator.standard_normal, len(self.columns)
        if self.unit:
            of, units = units_of(data, self.unit)
            white = white_of_units(of, units, columns, self.common, normal)
        else:
            white = drawn_when_asked(normal, columns)
        shared = shared_in_homes(data, self.columns)
        if not shared:
            return white
        drawn, first = white(np.arange(len(data))), first_members(data)
        for j in (self.columns.index(n) for n in shared):
            drawn[:, j] = drawn[first, j]
        return drawn.__getitem__

    def one_for_all(self, data: Microdata, y: Floats, *, exact: bool = False) -> Floats:
        """New numbers that members of a household have in common where they had one before; refused where exact moments would be lost."""
        return one_for_all(self, data, y, exact=exact)


_ALIKE = Text(
    "the records of a unit have the part `common` of the variance of their noise in common, a little less where the noise is not normal: its mean "
    "over periods does not come near the truth (rounded columns excepted)",
    "die Datensätze einer Einheit haben den Teil `common` der Varianz ihrer Überlagerung gemeinsam, etwas weniger, wo sie nicht normalverteilt ist: "
    "ihr Mittel über Perioden nähert sich nicht der Wahrheit (ausgenommen gerundete Spalten)",
)


def alike(m: UnitNoise, before: Microdata, after: Microdata, least: float | None = None) -> bool:
    """The noise of the records of a unit has this correlation, or the one that is asked for."""
    x, y = side_by_side(before, after, not_rounded(before, m.columns, m.whole))
    was = before.aligned_to(after)
    ids, strata = units_of(was, m.unit)[0], strata_of(was, m.within)
    return alike_in_units(x, y, ids, strata, m.common if least is None else least)


def alike_in_units(x: Floats, y: Floats, of: Ints, strata: Strata, least: float) -> bool:
    """The noise of two records of a unit has at least this correlation, but for six standard errors.

    Noise is what a line through old and new values leaves in a stratum, so that Kim's transformation does not count as noise.
    """
    for j in range(x.shape[1]):
        rows = np.flatnonzero(~np.isnan(x[:, j]) & ~np.isnan(y[:, j]))
        e = _left_by_lines(x[rows, j], y[rows, j], strata.of[rows], len(strata))
        sums, squares = np.bincount(of[rows], e), np.bincount(of[rows], e**2)
        count = np.bincount(of[rows])
        pairs, products = count * (count - 1), sums**2 - squares  # over all pairs of records of a unit
        if (total := pairs.sum()) > 0:
            found = products.sum() / total
            error = np.sqrt(((products - found * pairs) ** 2).sum()) / total
            if found < least - FAR * error:
                return False
    return True


def _left_by_lines(x: Floats, y: Floats, of: Ints, strata: int) -> Floats:
    """What is left of y by a line on x in every stratum, over its standard deviation there."""

    def mean(values: Floats) -> Floats:
        size = np.maximum(np.bincount(of, minlength=strata), 1)
        out: Floats = (np.bincount(of, values, strata) / size)[of]
        return out

    x, y = x - mean(x), y - mean(y)
    spread = mean(x**2)
    left = y - np.divide(mean(x * y), spread, out=np.zeros_like(x), where=spread > 0) * x
    size = np.sqrt(mean(left**2))
    return np.divide(left, size, out=np.zeros_like(left), where=size > 0)


ALIKE = Claim(_ALIKE, alike, Holds.ON_AVERAGE, when=given("unit"))
