"""What all methods of microaggregation share: groups of k or more records, and one value for each group."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.contributors import contributor_codes, several_records
from tarnkappe.data.masked import Whole, rounded, whole_alike
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.data.units import units_of
from tarnkappe.errors.masking import WeightsNeeded
from tarnkappe.kernels.averages import group_averages, group_medians
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.moments import moments
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.kernels.standard import power_scale, standardised_within
from tarnkappe.language import Text
from tarnkappe.methods.microdata.calibrating import positive
from tarnkappe.methods.microdata.limits import refuse_few, too_few
from tarnkappe.methods.microdata.step_remarks import alike_together, hardly_correlated, periods_counted_apart
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Json, Mark, Method, Trace
from tarnkappe.spec.conditions import given, not_given, where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.needs import Needs
from tarnkappe.spec.told_figures import of_many
from tarnkappe.vocab import Role

_WHERE = Text("a stratum or set of records with the same gaps", "eine Schicht oder Menge mit gleichen Lücken")
SIGNED = Text(
    "a set of values of one sign in a stratum", "eine Menge von Werten eines Vorzeichens in einer Schicht"
)
ENOUGH = 30
"""With fewer contributors the share of the variance that is left is not told."""
MOST = 0.1
"""Nor where one contributor has more than this part of the squared changes: what the variance lost would tell how large his value was."""


@dataclass(frozen=True)
class Cloud:
    """The records as points."""

    values: Floats
    """The values; 0 where there is none."""
    raw: Floats
    """The values, divided by a power of two per column; 0 where there is none."""
    there: Bools
    """Where there is a value."""
    blocks: Strata
    """Records that may come together: of one stratum, with the same gaps."""
    who: Ints
    """The contributor of every record, 0, 1, …"""
    owned: bool
    """Whether contributors may have several records."""
    strata: Strata
    """Records that are treated apart from all others, whatever their gaps."""
    weights: Floats | None = None
    """The weights of the records, where they count."""

    @cached_property
    def x(self) -> Floats:
        """Columns standardised in every stratum; 0 where there is no value."""
        return standardised_within(self.raw, self.there, self.strata.of, len(self.strata))

    @property
    def leading(self) -> Floats:
        """The first column."""
        first: Floats = self.values[:, 0]
        return first

    def sorted_by(self, axis: Floats) -> Ints:
        """The records, those of a block together and by rising axis; ties in the order of the file."""
        return self.blocks.sorted_by(axis)

    def within(self, blocks: Strata) -> Cloud:
        """The same records in other blocks."""
        return replace(self, blocks=blocks)


class Grouping(Method):
    """Columns whose values are replaced within groups of k or more contributors."""

    columns: Columns
    """Numeric columns to treat. | Numerische Spalten, die behandelt werden."""
    k: Annotated[int, Field(ge=3)] = 3
    """Smallest group size; with two, each would know the other. | Kleinste Gruppengröße; bei zweien wüsste jeder vom anderen."""
    by: Literal["owners", "records"] = "owners"
    """What k counts: owners, where a column has that role, or records. | Was k zählt: Eigentümer, wo eine Spalte diese Rolle hat,
    oder Datensätze."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    too_small: Literal["refuse", "suppress"] = "refuse"
    """What happens where fewer than k come together. | Was geschieht, wo weniger als k zusammenkommen."""
    whole: Whole = "decimals"
    """In columns of whole numbers: leave decimals, round, or round so that totals hardly move. | In Spalten ganzer Zahlen:
    Nachkommastellen lassen, runden, oder so runden, dass Summen kaum abweichen."""

    def named_columns(self) -> tuple[str, ...]:
        return (*self.columns, *self.within)

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        del roles
        return (Trace(Mark.GROUPS, self.columns),)

    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The columns that are treated together, set by set."""
        return (self.columns,)

    def counted(self, after: Microdata, names: tuple[str, ...]) -> Bools:
        """The records whose values must be those of k contributors."""
        shown: Bools = np.logical_or.reduce([after.column(n).observed for n in names])
        return shown

    def record_weights(self, data: Microdata) -> Floats | None:
        """The weights of the records, where they count."""
        del data
        return None

    def refuse_few(self, data: Microdata) -> None:
        refuse_few(data, self.k, self.id)

    def together(self) -> Text:
        """Who comes together, in words."""
        return _WHERE

    def without(self, data: Microdata, names: tuple[str, ...], alone: Bools) -> Microdata:
        """Suppress, or refuse, cells that found no group."""
        if not alone.any():
            return data
        if self.too_small == "refuse":
            raise too_few(self.id, self.k, self.together(), owners=self.counts_contributors(data))
        return data.with_columns({n: data.column(n).suppress(alone) for n in names})

    def counts_contributors(self, data: Microdata) -> bool:
        """Whether k counts contributors who may have several records; records that a step has made never count for themselves."""
        return several_records(data) if self.by == "owners" else bool((data.rows < 0).any())

    def contributors(self, data: Microdata) -> tuple[Ints, bool]:
        """The contributor of every record, and whether one may have several."""
        unit = self.unit_columns()
        if self.counts_contributors(data):
            codes = contributor_codes(data, unit)
        elif unit:
            codes, _ = units_of(data, unit)
        else:
            return np.arange(len(data), dtype=np.int64), False
        return classes([(codes, int(codes.max(initial=0)) + 1)]).ids.astype(np.int64), True

    def cloud(self, data: Microdata, names: tuple[str, ...], blocks: Strata) -> Cloud:
        x = data.numbers(names, self.id)
        gaps = np.isnan(x)
        z = np.where(gaps, 0.0, x)
        raw = z / power_scale(z)
        return Cloud(z, raw, ~gaps, blocks, *self.contributors(data), strata_of(data, self.within))

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        """Whether units of a panel are counted, and where columns are treated apart, how many records are alike in all of them."""
        apart = alike_together(after, self.columns) if len(self.sets()) > 1 else ()
        return (*periods_counted_apart(before, self.within, self.unit_columns()), *apart)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Which columns were rounded, and what share of the variance of each is left: a figure of many contributors, needed to correct for its loss."""
        aligned = before.aligned_to(after)
        was, now = aligned.numbers(self.columns), after.numbers(self.columns)
        who = contributor_codes(aligned, self.unit_columns())
        kept: dict[str, Json] = {}
        for j, name in enumerate(self.columns):
            shown = ~np.isnan(now[:, j]) & ~np.isnan(was[:, j])
            old, new = moments(was[shown, j]).sd, moments(now[shown, j]).sd
            told = len(np.unique(who[shown])) >= ENOUGH and 0 < old < np.inf
            told = told and not _one_stands_out(who[shown], was[shown, j], now[shown, j])
            kept[name] = round((new / old) ** 2, 3) if told else None
        return {"variance_kept": of_many(kept), "rounded": rounded(before, self.columns, self.whole)}


def _one_stands_out(who: Ints, was: Floats, now: Floats) -> bool:
    """Whether one contributor has too much of what was changed, as a giant has in the mean of his group."""
    scale = float(power_scale(np.maximum(np.abs(was), np.abs(now))[:, None])[0])
    change = (was / scale - now / scale) ** 2
    parts = np.bincount(np.unique(who, return_inverse=True)[1], change)
    return bool(parts.max(initial=0.0) > MOST * parts.sum())


class Weighing(Grouping):
    """Groups in which records may count with their weights."""

    weighted: bool = False
    """Whether records count with their weights in what stands for a group. | Ob Datensätze in dem, was für eine Gruppe steht, mit ihrem
    Gewicht zählen."""

    def needed_roles(self) -> Needs:
        return {**super().needed_roles(), **({"": (Role.WEIGHT,)} if self.weighted else {})}

    def record_weights(self, data: Microdata) -> Floats | None:
        if not self.weighted:
            return None
        for name in data.role(Role.WEIGHT):
            return positive(data, name, self.id)
        raise WeightsNeeded(who=self.id)


class Averaging(Weighing):
    """Groups of k or more contributors, each with one value per column."""

    aggregate: Literal["mean", "median"] = "mean"
    """What stands for a group: its mean keeps totals, its median is not drawn by outliers. | Was für eine Gruppe steht: ihr
    Mittelwert erhält Summen, ihr Median folgt keinen Ausreißern."""

    def as_one(self) -> tuple[tuple[str, ...], ...]:
        """Means over the same records add up; medians do not."""
        return self.sets() if self.aggregate == "mean" else super().as_one()

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        weak = (said for names in self.sets() for said in hardly_correlated(before, names))
        return (*super().remarks(before, after), *weak)

    @abstractmethod
    def groups(self, cloud: Cloud, stream: Stream) -> Ints:
        """The group of every record, 0, 1, … block by block; -1 where a block has fewer than k contributors.

        Sets of columns are treated at the same time: where there are several, nothing is drawn from the stream.
        """

    def drawn(self, labels: Ints, cloud: Cloud, stream: Stream) -> Ints | None:
        """The records whose values a group gets, a row for every group; None where they are its own."""
        del labels, cloud, stream
        return None

    def grouped(
        self, data: Microdata, names: tuple[str, ...], cloud: Cloud, stream: Stream
    ) -> tuple[Ints, Ints | None]:
        """The group of every record, and whose values each group gets."""
        del data, names
        labels = self.groups(cloud, stream)
        return labels, self.drawn(labels, cloud, stream)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        data.numbers(self.columns, self.id)
        self.refuse_few(data)
        weights = self.record_weights(data)

        def averaged(names: tuple[str, ...]) -> dict[str, Column]:
            cloud = self.cloud(data, names, strata_of(data, self.within, names))
            done = self._averaged(data, names, replace(cloud, weights=weights), stream)
            return {name: done.column(name) for name in names}

        sets = on_cores(averaged, self.sets(), len(data))
        return data.with_columns({name: column for done in sets for name, column in done.items()})

    def _averaged(self, data: Microdata, names: tuple[str, ...], cloud: Cloud, stream: Stream) -> Microdata:
        labels, drawn = self.grouped(data, names, cloud, stream)
        values = self._pooled(cloud, labels, drawn)
        for j, name in enumerate(names):
            values[:, j] = whole_alike(
                data.column(name), values[:, j], self.whole, cloud.blocks.of, labels, cloud.weights
            )
        return self.without(data.with_numbers(names, values), names, (labels < 0) & cloud.there.any(axis=1))

    def _pooled(self, cloud: Cloud, labels: Ints, drawn: Ints | None) -> Floats:
        """Every record with the value of its group."""
        pooled = group_averages if self.aggregate == "mean" else group_medians
        if drawn is None:
            return pooled(cloud.values, labels, cloud.weights)
        rows, size = drawn.ravel(), drawn.shape[1]
        weights = None if cloud.weights is None else cloud.weights[rows]
        one = pooled(cloud.values[rows], np.repeat(np.arange(len(drawn)), size), weights)[::size]
        return np.where((labels >= 0)[:, None], one[labels], cloud.values)


def _shown_sums(m: Grouping, before: Microdata, after: Microdata) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Per column of numbers, over the cells still shown: sums before and after and sums of absolute values, stratum by stratum; weighted where weights count."""
    aligned = before.aligned_to(after)
    strata = strata_of(aligned, m.within)
    weights = m.record_weights(aligned)
    w = 1.0 if weights is None else weights / weights.max(initial=0.0)
    for name in (n for n in m.columns if before.column(n).kind.is_number):
        x, y = aligned.column(name).numbers(), after.column(name).numbers()
        shown = ~np.isnan(y)
        scale = float(power_scale(np.where(shown, x, 0.0)[:, None])[0])
        x, y = w * np.where(shown, x, 0.0) / scale, w * np.where(shown, y, 0.0) / scale
        yield _sums(strata, x), _sums(strata, y), _sums(strata, np.abs(x))


def _sums(strata: Strata, x: Floats) -> Floats:
    out: Floats = np.bincount(strata.of, x, len(strata)).astype(np.float64)
    return out


def same_totals(m: Grouping, before: Microdata, after: Microdata) -> bool:
    """Totals over the cells that are still shown, up to rounding, in every stratum."""
    return all(
        bool(np.all(np.abs(x - y) <= 1e-9 * size + 1e-15)) for x, y, size in _shown_sums(m, before, after)
    )


def groups_of_k(m: Grouping, before: Microdata, after: Microdata) -> bool:
    """Within each stratum every shown value, or combination of columns treated together, has k contributors."""
    aligned = before.aligned_to(after)
    who, owned = m.contributors(aligned)

    def enough(names: tuple[str, ...]) -> bool:
        shown = m.counted(after, names)
        found = classes([after.column(n).codes() for n in (*m.within, *names)])
        count = found.sizes
        if owned:
            pairs = classes([(found.ids, len(found.sizes)), (who, len(after))])
            of = np.zeros(len(pairs.sizes), dtype=np.int64)
            of[pairs.ids] = found.ids
            count = np.bincount(of, minlength=len(found.sizes))
        return bool(np.all(count[found.ids[shown]] >= m.k))

    return all(on_cores(enough, m.sets(), len(after)))


TOTALS = Claim(
    Text(
        "the total and the mean of every chosen column over the records whose values are shown, in every stratum",
        "Summe und Mittelwert jeder gewählten Spalte über die Datensätze, deren Werte gezeigt werden, in jeder Schicht",
    ),
    same_totals,
    when=where("aggregate", "mean") & where("whole", "decimals") & not_given("weighted"),
)
WEIGHTED_TOTALS = Claim(
    Text(
        "the weighted total and mean of every chosen column over the records whose values are shown, in every stratum",
        "gewichtete Summe und gewichteten Mittelwert jeder gewählten Spalte über die Datensätze, deren Werte gezeigt werden, in jeder Schicht",
    ),
    same_totals,
    when=where("aggregate", "mean") & where("whole", "decimals") & given("weighted"),
)
COMBINATIONS = Claim(
    Text(
        "every shown combination of the chosen columns stands in records of at least k contributors of its stratum",
        "jede gezeigte Kombination der gewählten Spalten steht in Datensätzen von mindestens k Beitragenden ihrer Schicht",
    ),
    groups_of_k,
)
VALUES = Claim(
    Text(
        "every shown value of a chosen column stands in records of at least k contributors of its stratum",
        "jeder gezeigte Wert einer gewählten Spalte steht in Datensätzen von mindestens k Beitragenden ihrer Schicht",
    ),
    groups_of_k,
)
OTHER_COLUMNS = Text("protect columns that were not chosen", "nicht gewählte Spalten schützen")
SMALLER_VARIANCES = ForAnalysis(
    "preserve variances: they become smaller", "Varianzen erhalten: sie werden kleiner"
)
WEAK_RELATIONS = ForAnalysis(
    "suit columns that hardly hang together: where their mean absolute correlation is below 0.3, correlations and models suffer",
    "sich für Spalten eignen, die kaum zusammenhängen: liegt ihre mittlere absolute Korrelation unter 0,3, leiden Korrelationen und Modelle",
)
HEAVY = Text(
    "hide the values of a record that has most of the weight of its group, with weighted: true",
    "bei weighted: true die Werte eines Datensatzes verbergen, der den größten Teil des Gewichts seiner Gruppe hat",
)
SERIES = Text(
    "make the series of a unit over strata and periods alike, unless unit names it: each record is grouped by itself, and the series can be unique",
    "die Reihe einer Einheit über Schichten und Perioden angleichen, wenn unit sie nicht nennt: jeder Datensatz wird für sich gruppiert, und die Reihe kann "
    "einzigartig sein",
)
PERIODS_APART = Text(
    "make the series of a unit over the periods of a panel alike: each period is grouped by itself, and the series can be unique",
    "die Reihe einer Einheit über die Perioden eines Panels angleichen: jede Periode wird für sich gruppiert, und die Reihe kann einzigartig sein",
)
INSIDERS = Text(
    "protect against an insider whose own records make up all but one of a group, unless k counts owners",
    "vor Beteiligten schützen, denen alle bis auf einen Datensatz einer Gruppe gehören, wenn k nicht Eigentümer zählt",
)
