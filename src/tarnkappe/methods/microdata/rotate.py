"""Random orthogonal matrix masking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.contributors import contributors_by
from tarnkappe.data.masked import Whole, not_rounded, refuse_infinite, rounded, side_by_side, with_masked
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.kernels.rotation import rotated
from tarnkappe.kernels.standard import SMALLEST_SPREAD, power_scale
from tarnkappe.kernels.unlike import unlike
from tarnkappe.language import Text
from tarnkappe.methods.microdata.limits import refuse_constants, too_few
from tarnkappe.methods.microdata.noise_claims import no_value_as_it_was, same_covariances, same_means
from tarnkappe.methods.microdata.noise_remarks import below_zero
from tarnkappe.methods.microdata.stratum_claims import enough_in_strata
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns
from tarnkappe.vocab import Role

SMALLEST = 4
"""Two records can only be exchanged, and from the mean and the variance of three contributors each works out the two others."""


def _moments_kept(m: Rotate, before: Microdata, after: Microdata) -> bool:
    """Over the records that are shown, in every stratum and set with the same gaps."""
    names = not_rounded(before, m.columns, m.whole)
    x, y = side_by_side(before, after, names)
    for rows in strata_of(before, m.within, m.columns).blocks():
        shown = ~np.isnan(y[rows]).all(axis=0)
        one, two = (v[np.ix_(rows, np.flatnonzero(shown))] for v in (x, y))
        if shown.any() and not (same_means(one, two) and same_covariances(one, two, 1.0)):
            return False
    return True


def _of_many(m: Rotate, before: Microdata, after: Microdata) -> bool:
    was = before.aligned_to(after)
    of = strata_of(was, m.within, m.columns).of
    return all(enough_in_strata(was, after.column(n).observed, of, SMALLEST) for n in m.columns)


def _mixed(m: Rotate, before: Microdata, after: Microdata) -> bool:
    names = not_rounded(before, m.columns, m.whole)
    return no_value_as_it_was(before, after, names, lambda names: m.turning(before, names))


@method(
    "microdata.rotate",
    family=Family.NOISE,
    title=Text("Random orthogonal matrix masking", "Maskierung mit zufälligen orthogonalen Matrizen"),
    does=Text(
        "Records were mixed by a random rotation that keeps means, variances and correlations.",
        "Datensätze wurden durch eine zufällige Drehung gemischt, die Mittelwerte, Varianzen und Korrelationen erhält.",
    ),
    sources=(
        Source("ting2008", "section 3, random orthogonal matrix masking (ROMM)"),
        Source("templ2015", "function addNoise, method ROMM"),
    ),
    preserves=(
        Claim(
            Text(
                "means, variances and covariances in every stratum and set of records with the same gaps (rounded columns excepted)",
                "Mittelwerte, Varianzen und Kovarianzen in jeder Schicht und Menge mit gleichen Lücken (ausgenommen gerundete Spalten)",
            ),
            _moments_kept,
        ),
    ),
    protects=(
        Claim(
            Text(
                "no value is shown as it was, but where all that are mixed are equal (rounded whole numbers excepted)",
                "kein Wert wird gezeigt, wie er war, außer wo alle gemischten gleich sind (ausgenommen gerundete ganze Zahlen)",
            ),
            _mixed,
        ),
        Claim(
            Text(
                "every mean and variance that is kept is that of four contributors or more",
                "jeder erhaltene Mittelwert und jede erhaltene Varianz ist die von vier oder mehr Beitragenden",
            ),
            _of_many,
        ),
    ),
    does_not=(
        Text(
            "keep the shape of distributions, signs or zeros: it suits data that is roughly normal",
            "die Form von Verteilungen, Vorzeichen oder Nullen erhalten: es passt zu annähernd normalen Daten",
        ),
        Text(
            "keep means of sub-populations that are not strata",
            "Mittelwerte von Teilgesamtheiten erhalten, die keine Schichten sind",
        ),
        Text(
            "protect a giant: most of it stays where it was, and its parts are seen in the records mixed with it",
            "einen Riesen schützen: der größte Teil bleibt, wo er war, und seine Teile sind in den mit ihm gemischten Datensätzen zu sehen",
        ),
    ),
    advice=Text(
        "Means and covariances of these columns are exactly those of the original; single values, tails and subgroups are not.",
        "Mittelwerte und Kovarianzen dieser Spalten sind genau die des Originals; einzelne Werte, Ränder und Teilgruppen nicht.",
    ),
    words={
        "means_and_covariances": Text("means and covariances", "Mittelwerte und Kovarianzen"),
        "exactly as in the original": Text("exactly as in the original", "genau wie im Original"),
        "nearly as in the original": Text("nearly as in the original", "fast wie im Original"),
    },
    example={
        "columns": ("income", "wealth"),
        "variance_ratio": 0.3,
        "within": ("sex",),
        "too_small": "suppress",
        "whole": "nearest",
    },
    random=True,
    revision=3,
)
class Rotate(Method):
    """Mix records by a random rotation.

    Seen from the mean, the records are rotated: every record keeps the part 1/√(1 + d) of its deviation on average, with d the
    `variance_ratio`, and gets a part of every other instead. Means and the whole covariance matrix stay as they are, to
    the last digit, and so do all linear regressions among the columns.

    Many records are turned wave by wave, in random order, so that a million take seconds. Records are mixed within
    their stratum and with records that have the same columns missing; missing and suppressed cells stay. From the mean and
    the variance of three contributors each would work out the two others: where fewer than four come together, records of one owner counting once,
    `too_small` says what happens to them. A column that does not vary is refused; where it varies in the
    file but not among those that are mixed, it stays there. Zeros and negative values are values like others, equal ones become different; infinite values are refused.
    """

    columns: Columns
    """Numeric columns that are mixed together. | Numerische Spalten, die gemeinsam gemischt werden."""
    variance_ratio: Annotated[float, Field(gt=0)] = 0.1
    """Foreign variance in a record as part of its own. | Fremde Varianz in einem Datensatz als Teil der eigenen."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden
    (Schichten)."""
    too_small: Literal["refuse", "suppress"] = "refuse"
    """What happens where fewer than four contributors come together. | Was geschieht, wo weniger als vier Beitragende
    zusammenkommen."""
    whole: Whole = "decimals"
    """What becomes of whole numbers: decimals, nearest or total (rounded with the total of the stratum kept to one half). | Was aus ganzen Zahlen wird: Nachkommastellen (decimals), gerundet (nearest) oder gerundet mit auf ein halb erhaltener
    Schichtsumme (total)."""

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        x = data.numbers(self.columns, self.id)
        refuse_constants(data, self.columns, self.id)
        y = x.copy()
        alone = np.zeros(len(data), dtype=np.bool_)
        strata = strata_of(data, self.within, self.columns)
        people = contributors_by(data, np.ones(len(data), dtype=np.bool_), strata.of)
        for rows, count in zip(strata.blocks(), people, strict=True):
            shown = ~np.isnan(x[rows[0]])
            if not shown.any():
                continue
            if count < SMALLEST:
                alone[rows] = True
                continue
            self._turn(np.ix_(rows, np.flatnonzero(shown)), x, y, stream.generator)
        turned = self.turning(data, self.columns) & ~alone[:, None]
        y = np.where(turned, unlike(y, x), x)
        refuse_infinite(data, self.columns, y, self.id)
        return self._without(
            with_masked(data, self.columns, y, self.whole, strata_of(data, self.within)), alone
        )

    def _turn(self, cells: tuple[Any, ...], x: Floats, y: Floats, generator: np.random.Generator) -> None:
        scale = power_scale(x[cells])
        z = x[cells] / scale
        mean = z.mean(axis=0)
        with np.errstate(over="ignore"):
            y[cells] = (mean + rotated(z - mean, self.variance_ratio, generator)) * scale

    def turning(self, data: Microdata, names: tuple[str, ...]) -> Bools:
        """Cells that change: those of columns that vary among the records they are mixed with."""
        x = data.numbers(names)
        out: Bools = ~np.isnan(x)
        for rows in strata_of(data, self.within, self.columns).blocks():
            z = x[rows] / power_scale(x[rows])
            spread = np.ptp(z, axis=0)  # NaN where there is no value
            out[rows] &= spread > SMALLEST_SPREAD * np.abs(z).max(axis=0)
        return out

    def _without(self, data: Microdata, alone: Bools) -> Microdata:
        if not alone.any():
            return data
        if self.too_small == "refuse":
            where = Text("a stratum or set with the same gaps", "eine Schicht oder Menge mit gleichen Lücken")
            raise too_few(self.id, SMALLEST, where, owners=bool(data.role(Role.OWNER)))
        return data.with_columns({n: data.column(n).suppress(alone) for n in self.columns})

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.within)))

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return tuple(below_zero(before, after, self.columns))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """That moments need no correction; how much was mixed stays in the house."""
        del after
        rounded_ones = rounded(before, self.columns, self.whole)
        return {
            "columns": list(self.columns),
            "noise": "random rotation of the records",
            "means_and_covariances": "nearly as in the original"
            if rounded_ones
            else "exactly as in the original",
            "within": list(self.within),
            "rounded": rounded_ones,
        }
