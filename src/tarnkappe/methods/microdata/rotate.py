"""Random orthogonal matrix masking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.contributors import contributors_by, several_records
from tarnkappe.data.masked import Whole, not_rounded, refuse_infinite, rounded, side_by_side, with_masked
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.series import Series, places_of, series_of
from tarnkappe.data.strata import strata_of
from tarnkappe.data.units import units_of
from tarnkappe.errors.masking import UnitsUnlike
from tarnkappe.kernels.rotation import rotated
from tarnkappe.kernels.standard import SMALLEST_SPREAD, power_scale
from tarnkappe.kernels.unlike import unlike
from tarnkappe.language import Text
from tarnkappe.methods.microdata.limits import refuse_constants, too_few
from tarnkappe.methods.microdata.noise_claims import no_value_as_it_was, same_covariances, same_means
from tarnkappe.methods.microdata.noise_remarks import averaged_away, below_zero
from tarnkappe.methods.microdata.stratum_claims import enough_in_strata
from tarnkappe.methods.microdata.whole_totals import WHOLE_KEPT
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.conditions import given
from tarnkappe.spec.fields import Columns, Unit
from tarnkappe.spec.limits import ForAnalysis

SMALLEST = 4
"""Two records can only be exchanged, and from the mean and the variance of three contributors each works out the two others."""
SMALLEST_WHOLE = 10
"""Of fewer whole numbers, or cents, only few have a given mean and variance: whoever knows one could find the others."""
SPARE = 2
"""So many more records, or units, than each has values: whoever knows all values of one but one could else find of which parts it is made, and
so the last. The parts of n are n numbers, of which the mean gives one and their length another."""


def _moments_kept(m: Rotate, before: Microdata, after: Microdata) -> bool:
    """Over the records that are shown, in every stratum and set with the same gaps."""
    names = not_rounded(before, m.columns, m.whole)
    x, y = side_by_side(before, after, names)
    for block in strata_of(before, m.within, m.columns).blocks():
        rows = block[~np.isnan(y[block]).all(axis=1)]
        shown = ~np.isnan(y[rows]).any(axis=0)
        one, two = (v[np.ix_(rows, np.flatnonzero(shown))] for v in (x, y))
        if len(rows) and shown.any() and not (same_means(one, two) and same_covariances(one, two, 1.0)):
            return False
    return True


def _of_many(m: Rotate, before: Microdata, after: Microdata) -> bool:
    was = before.aligned_to(after)
    of = strata_of(was, m.within, m.columns).of
    if m.unit:
        series = m.series(was)
        of = series.pattern[series.units.of]
    return all(enough_in_strata(was, after.column(n).observed, of, SMALLEST, unit=m.unit) for n in m.columns)


def _series_kept(m: Rotate, before: Microdata, after: Microdata) -> bool:
    """Covariances between any two places of units that are there at the same places."""
    names, was = not_rounded(before, m.columns, m.whole), before.aligned_to(after)
    x, y = side_by_side(before, after, names)
    for _, records in m.series(was).by_pattern():
        one, two = (v[records].reshape(len(records), -1) for v in (x, y))
        shown = ~np.isnan(two).any(axis=0)
        if shown.any() and not same_covariances(one[:, shown], two[:, shown], 1.0):
            return False
    return True


def _mixed(m: Rotate, before: Microdata, after: Microdata) -> bool:
    names = not_rounded(before, m.columns, m.whole)
    return no_value_as_it_was(before, after, names, lambda names: m.turning(before, names))


def _not_solved(m: Rotate, before: Microdata, after: Microdata) -> bool:
    """Sets with the same gaps (and periods, of units) that show more values than they have records, less two, are suppressed."""
    was = before.aligned_to(after)
    shown = np.stack([after.column(n).observed for n in m.columns], axis=1).sum(axis=1)
    if not m.unit:
        strata = strata_of(was, m.within, m.columns)
        return bool(np.all((shown == 0) | (strata.sizes[strata.of] >= shown + SPARE)))
    series = m.series(was)
    values = np.bincount(series.units.of, shown, len(series.pattern))
    return bool(np.all((values == 0) | (np.bincount(series.pattern)[series.pattern] >= values + SPARE)))


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
        Claim(
            Text(
                "covariances between the periods of units that are there in the same periods, with the same gaps (rounded columns excepted)",
                "Kovarianzen zwischen den Perioden von Einheiten, die in denselben Perioden mit gleichen Lücken da sind (ausgenommen gerundete Spalten)",
            ),
            _series_kept,
            when=given("unit"),
        ),
        WHOLE_KEPT,
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
        Claim(
            Text(
                "whoever knows all values of a record or unit but one cannot work the last one out: more records than values, by two, are mixed",
                "wer alle Werte eines Datensatzes oder einer Einheit bis auf einen kennt, kann den letzten nicht errechnen: es werden um zwei mehr "
                "Datensätze als Werte gemischt",
            ),
            _not_solved,
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep the shape of distributions, signs or zeros: it suits data that is roughly normal",
            "die Form von Verteilungen, Vorzeichen oder Nullen erhalten: es passt zu annähernd normalen Daten",
        ),
        ForAnalysis(
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
        "unit": ("household", "occupation"),
        "within": ("sex",),
        "too_small": "suppress",
        "whole": "nearest",
    },
    random=True,
    revision=5,
)
class Rotate(Method):
    """Mix records by a random rotation.

    Seen from the mean, the records are rotated: every record keeps the part 1/√(1 + d) of its deviation on average, with d the
    `variance_ratio`, and gets a part of every other instead. Means and the whole covariance matrix stay as they are, to
    the last digit, and so do all linear regressions among the columns.

    Many records are turned wave by wave, in random order, so that a million take seconds. Records are mixed within
    their stratum and with records that have the same columns missing; missing and suppressed cells stay. From the mean and
    the variance of three contributors each would work out the two others: where fewer than four come together, records of one owner counting once, or fewer than
    two more than there are values to know of each, `too_small` says what happens to them. Of whole numbers, and of cents, only few have a given mean and variance: unless
    `whole` rounds the result, it takes ten. A column that does not vary is refused; where it varies in the
    file but not among those that are mixed, it stays there.

    In a panel, parts of other records drawn anew in every period average out. With `unit` whole units are mixed: those that are there in the same strata and
    periods (of the column with the role period, whether `within` names it or not), with as many records in each and the same gaps, are rotated with all
    their records at once. So every unit has the same parts of the same others in all periods, and covariances between periods stay too. Several records of a
    unit in one place are matched in the order of the file; a record whose unit is missing or suppressed is a unit of its own. Zeros and negative values are values like others, equal ones become different; infinite values are refused.
    """

    columns: Columns
    """Numeric columns that are mixed together. | Numerische Spalten, die gemeinsam gemischt werden."""
    variance_ratio: Annotated[float, Field(gt=0)] = 0.1
    """Foreign variance in a record as part of its own. | Fremde Varianz in einem Datensatz als Teil der eigenen."""
    unit: Unit = ()
    """Columns that name the unit whose records are mixed together; without them, each record is one. | Spalten, die die Einheit nennen, deren
    Datensätze gemeinsam gemischt werden; ohne sie ist jeder Datensatz eine."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden
    (Schichten)."""
    too_small: Literal["refuse", "suppress"] = "refuse"
    """What happens where too few come together. | Was geschieht, wo zu wenige zusammenkommen."""
    whole: Whole = "decimals"
    """What becomes of whole numbers: decimals, nearest or total (rounded with the total of the stratum kept to one half). | Was aus ganzen Zahlen wird: Nachkommastellen (decimals), gerundet (nearest) oder gerundet mit auf ein halb erhaltener
    Schichtsumme (total)."""

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        x = data.numbers(self.columns, self.id)
        refuse_constants(data, self.columns, self.id)
        y = x.copy()
        alone, needed = np.zeros(len(data), dtype=np.bool_), SMALLEST
        for records, count in self._mixed_together(data):
            shown = int(np.count_nonzero(~np.isnan(x[records[0]])))
            people = self._people_needed(x[records])
            if shown and (count < people or len(records) < shown + SPARE):
                alone[records], needed = True, max(needed, people, shown + SPARE)
            elif shown:
                self._turn(records, x, y, stream.generator)
        turned = self.turning(data, self.columns) & ~alone[:, None]
        y = np.where(turned, unlike(y, x), x)
        refuse_infinite(data, self.columns, y, self.id)
        if alone.any() and self.too_small == "refuse":
            self._refuse(data, alone, needed)
        done = with_masked(data, self.columns, y, self.whole, strata_of(data, self.within))
        return (
            done.with_columns({n: done.column(n).suppress(alone) for n in self.columns})
            if alone.any()
            else done
        )

    def _people_needed(self, x: Floats) -> int:
        """Contributors that it takes among those who are mixed: more where values are whole numbers or cents and moments are kept to the last digit."""
        with np.errstate(over="ignore"):
            cents = 100 * x.reshape(-1, x.shape[-1])
        whole = (np.isnan(cents) | ((cents == np.rint(cents)) & (np.abs(cents) < 2.0**53))).all(
            axis=0
        ) & ~np.isnan(cents).all(axis=0)
        return SMALLEST_WHOLE if whole.any() and self.whole == "decimals" else SMALLEST

    def series(self, data: Microdata) -> Series:
        """The units and their records, place by place."""
        return series_of(data, self.unit, places_of(data, self.within, self.columns), self.columns)

    def _mixed_together(self, data: Microdata) -> Iterator[tuple[Ints, int]]:
        """Sets of records that are mixed, a row for every record or unit, and how many contributors each has."""
        if not self.unit:
            strata = strata_of(data, self.within, self.columns)
            people = contributors_by(data, np.ones(len(data), dtype=np.bool_), strata.of)
            for rows, count in zip(strata.blocks(), people, strict=True):
                yield rows[:, None], int(count)
            return
        series = self.series(data)
        owned = several_records(data)
        people = series.shared_by(series.owners(data) if owned else np.arange(len(series.pattern)))
        for units, records in series.by_pattern():
            yield records, int(people[units[0]])

    def _turn(self, records: Ints, x: Floats, y: Floats, generator: np.random.Generator) -> None:
        side_by_side = x[records].reshape(len(records), -1)
        shown = ~np.isnan(side_by_side[0])
        scale = power_scale(side_by_side[:, shown])
        z = side_by_side[:, shown] / scale
        mean = z.mean(axis=0)
        with np.errstate(over="ignore"):
            side_by_side[:, shown] = (mean + rotated(z - mean, self.variance_ratio, generator)) * scale
        y[records] = side_by_side.reshape(*records.shape, -1)

    def turning(self, data: Microdata, names: tuple[str, ...]) -> Bools:
        """Cells that change: those of columns that vary among the records they are mixed with."""
        x = data.numbers(names)
        out: Bools = ~np.isnan(x)
        for records, _ in self._mixed_together(data):
            some = x[records]
            z = some / power_scale(some.reshape(records.size, x.shape[1]))
            spread = np.ptp(z, axis=0)  # NaN where there is no value
            out[records] &= spread > SMALLEST_SPREAD * np.abs(z).max(axis=0)
        return out

    def _refuse(self, data: Microdata, alone: Bools, needed: int) -> None:
        if self.unit:
            count = len(np.unique(units_of(data, self.unit)[0][alone]))
            raise UnitsUnlike(who=self.id, count=count, needed=needed)
        where = Text("a stratum or set with the same gaps", "eine Schicht oder Menge mit gleichen Lücken")
        raise too_few(self.id, needed, where, owners=several_records(data))

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.unit, *self.within)))

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return (*averaged_away(before, self.unit), *below_zero(before, after, self.columns))

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
            **({"unit": list(self.unit)} if self.unit else {}),
            "rounded": rounded_ones,
        }
