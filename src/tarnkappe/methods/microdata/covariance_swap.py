"""Swapping that keeps correlations."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.exchange import CorrelationsMissed
from tarnkappe.kernels.annealing import anneal
from tarnkappe.kernels.copula import drawn_sources
from tarnkappe.kernels.exchange import at_random, how_many
from tarnkappe.kernels.series import Series
from tarnkappe.kernels.standard import power_scale, standardised
from tarnkappe.language import Text
from tarnkappe.methods.microdata.exchange import (
    LARGEST_STAYS,
    STATES_KEPT,
    VALUES_KEPT,
    Alone,
    Blocks,
    moved,
    moved_but,
    treat_alone,
)
from tarnkappe.methods.microdata.exchange_movers import (
    AMONG_MANY,
    SERIES_KEPT,
    among_many,
    movers_of,
    units_moved,
)
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Leaves, Method, Source, method
from tarnkappe.spec.conditions import given, not_given, unless
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis

ROOM = 1e-6
"""The goal is kept this much tighter than the tolerance, so that rounding does not decide."""


def _correlations_kept(m: CovarianceSwap, before: Microdata, after: Microdata) -> bool:
    shown = [~np.isnan(after.column(n).numbers()) for n in (*m.columns, *m.keep)]
    old, new = (m.scores(data, np.stack(shown, axis=1)) for data in (before.aligned_to(after), after))
    apart = np.abs(old.T @ old - new.T @ new).sum() / max(len(old), 1)
    return bool(apart <= m.tolerance * old.shape[1] ** 2 + 1e-9)


@method(
    "microdata.covariance-swap",
    family=Family.SWAP,
    title=Text("Swapping that keeps correlations", "Tausch, der Korrelationen erhält"),
    does=Text(
        "Values were exchanged between records in such a way that the correlations stayed.",
        "Werte wurden so zwischen Datensätzen getauscht, dass die Korrelationen erhalten blieben.",
    ),
    sources=(Source("gottschalk2002", "4.3, swapping that keeps the variance-covariance matrix (G-M14)"),),
    preserves=(
        VALUES_KEPT,
        Claim(
            Text(
                "all correlations of the chosen columns, with each other and with the kept ones, to within the tolerance on average",
                "alle Korrelationen der gewählten Spalten untereinander und mit den bewahrten, im Mittel bis auf die Toleranz",
            ),
            _correlations_kept,
            when=unless("too_small", "suppress"),
        ),
        SERIES_KEPT,
        STATES_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "at least the share `share` of the records of a stratum carries the value of another record in every chosen "
                "column, as far as the values differ",
                "mindestens der Anteil `share` der Datensätze einer Schicht trägt in jeder gewählten Spalte den Wert eines anderen, "
                "soweit sich die Werte unterscheiden",
            ),
            lambda m, before, after: moved_but(
                m, before, after, lambda sizes: how_many(sizes, m.share), m.columns
            ),
            when=not_given("unit"),
        ),
        Claim(
            Text(
                "of the units that are there in the same strata, at least the share `share` carries the series of another one in every chosen "
                "column, as far as the series differ",
                "von den Einheiten, die in denselben Schichten vorkommen, trägt mindestens der Anteil `share` in jeder gewählten Spalte die Reihe "
                "einer anderen, soweit sich die Reihen unterscheiden",
            ),
            lambda m, before, after: units_moved(
                m, before, after, lambda sizes: how_many(sizes, m.share), m.columns
            ),
            when=given("unit"),
        ),
        replace(AMONG_MANY, check=lambda m, before, after: among_many(m, before, after, m.columns)),
    ),
    does_not=(
        ForAnalysis(
            "keep how the columns of one unit change together from period to period: each column takes the values of another unit",
            "erhalten, wie sich die Spalten einer Einheit von Periode zu Periode gemeinsam ändern: jede Spalte übernimmt die Werte einer anderen Einheit",
        ),
        ForAnalysis(
            "keep the series of a unit over periods",
            "die Zeitreihe einer Einheit erhalten",
            not_given("unit"),
        ),
        ForAnalysis(
            "keep what correlations do not show: curved relations, those of parts of the file, those with other columns",
            "erhalten, was Korrelationen nicht zeigen: gekrümmte Zusammenhänge, solche in Teilen der Datei und mit anderen Spalten",
        ),
        LARGEST_STAYS,
    ),
    example={
        "columns": ["income", "wealth"],
        "keep": ["employees"],
        "within": ["sex"],
        "share": 0.5,
        "unit": "household",
        "tolerance": 0.05,
        "steps": 200,
        "too_small": "leave",
    },
    leaves=Leaves.EXCHANGED,
    random=True,
    revision=3,
)
class CovarianceSwap(Method):
    """Exchange values inside groups, then go on exchanging until the correlations are the old ones.

    The records that take part first get values of others: ranks are drawn at random with about the right correlations, and each column takes
    the drawn order. Then pairs of records exchange single values, chosen by simulated annealing so that the correlations come
    back; none ever gets its own value again. It
    ends when the differences of all correlations are on average below `tolerance`, and is refused when that is not reached
    within `steps` attempts per cell. Variances and distributions are exact, as values only change places.

    With `unit` whole units exchange, for example the years of a firm in a panel: name the year under `within`, and a firm gets, column by column,
    all values of one other firm that is there in the same years, each in its year. Ranks are those of the units' means, correlations those of all
    records. Entries and exits stay what they are. A record without a unit is one of its own, one whose unit is suppressed moves with it; several
    records of a unit in one stratum exchange in the order of the file.

    Missing and suppressed cells keep their state; records exchange with records that have the same of the columns missing, and a
    gap counts as the mean for the correlations. A constant column has no correlations; its exchange changes nothing. A group of one
    record, or a unit without its like, has no partner, and of two everybody knows that they have exchanged: `too_small` says what happens to them (`leave` lets two exchange). Records of one
    owner count once: an owner who exchanges with himself shows what he has. Infinite values are refused. Zeros, negative and tied values are
    values like others.
    """

    columns: Columns
    """Numeric columns whose values are exchanged. | Numerische Spalten, deren Werte getauscht werden."""
    keep: tuple[str, ...] = ()
    """Numeric columns that stay in place and whose correlations with the others are kept. | Numerische Spalten, die stehen bleiben und
    deren Korrelationen mit den anderen erhalten werden."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (groups). | Spalten, deren Kombinationen getrennt behandelt werden (Gruppen)."""
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Share of the records of a group, or of like units, that exchange. | Anteil der Datensätze einer Gruppe, oder gleichartiger Einheiten, die
    tauschen."""
    unit: str | None = None
    """Column that tells which records exchange with those of one other unit, for example over the years. | Spalte, die sagt, welche Datensätze
    mit denen einer anderen Einheit tauschen, zum Beispiel über die Jahre."""
    tolerance: Annotated[float, Field(gt=0, le=1)] = 0.01
    """Largest mean difference of the correlations. | Größte mittlere Abweichung der Korrelationen."""
    steps: Annotated[int, Field(ge=1, le=100_000)] = 100
    """Attempts per cell. | Versuche je Zelle."""
    too_small: Alone = "refuse"
    """What happens to a group of one or two contributors. | Was mit einer Gruppe aus einem oder zwei Beitragenden geschieht."""

    @model_validator(mode="after")
    def _kept_stay(self) -> Self:
        if set(self.keep) & set(self.columns):
            raise ValueError(
                Text(
                    "a column cannot be in columns and in keep",
                    "eine Spalte kann nicht in columns und in keep stehen",
                )
            )
        return self

    def named(self) -> tuple[str, ...]:
        return self.columns

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.keep, *self.within, *self.unit_columns())))

    def scores(
        self, data: Microdata, shown: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None = None
    ) -> Floats:
        """Standardised values, 0 in the gaps."""
        x = data.numbers((*self.columns, *self.keep), self.id)
        there = ~np.isnan(x) if shown is None else shown & ~np.isnan(x)
        x = np.where(there, x, 0.0)
        return standardised(x / power_scale(x), there)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        z = self.scores(data)
        movers = movers_of(data, self.unit_columns(), self.within, self.columns)
        chosen = self._chosen(movers.blocks, stream)
        series = Series(chosen.starts, movers.places)
        local = self._brought_back(z[movers.rows(chosen.order)], len(z), series, stream)
        source = np.repeat(np.arange(movers.size)[:, None], len(self.columns), axis=1)
        source[chosen.order] = chosen.order[local]
        after = moved(data, {name: movers.records(source[:, j]) for j, name in enumerate(self.columns)})
        return treat_alone(after, self, {n: movers.left(data, n) for n in self.columns})

    def _chosen(self, blocks: Blocks, stream: Stream) -> Blocks:
        """The records or units that take part: the first of every block in random order."""
        counts = how_many(blocks.sizes, self.share)
        mixed = at_random(blocks.order, blocks.starts, stream.generator)
        place = np.arange(len(mixed)) - np.repeat(blocks.starts[:-1], blocks.sizes)
        taking_part: Ints = mixed[place < np.repeat(counts, blocks.sizes)]
        return Blocks(taking_part, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))

    def _brought_back(self, z: Floats, records: int, series: Series, stream: Stream) -> Ints:
        """Whose values those who take part get, by place; correlations are those of all records."""
        all_pairs = z.shape[1] ** 2 * records / max(len(z), 1)
        source = drawn_sources(z, len(self.columns), series, stream.generator)
        goal = self.tolerance * all_pairs * (1 - ROOM)
        most = self.steps * len(z) * source.shape[1]
        taken = anneal(z, source, series, goal, most, stream.generator)
        now = series.moved(z, source)
        reached = float(np.abs(now.T @ now - z.T @ z).sum()) / max(len(z), 1)
        if reached > goal / (1 - ROOM):
            raise CorrelationsMissed(
                who=self.id, steps=taken, reached=f"{reached / all_pairs:.4f}", wanted=f"{self.tolerance:.4f}"
            )
        return source
