"""Data shuffling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.contributors import contributor_codes
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NotFinite, TooFewRecords
from tarnkappe.errors.exchange import Determined
from tarnkappe.kernels.category_draw import sources as category_sources
from tarnkappe.kernels.coding import dense_codes
from tarnkappe.kernels.exchange import at_random
from tarnkappe.kernels.ranks import mid_ranks
from tarnkappe.kernels.shuffling import (
    SMALLEST_FREEDOM,
    by_rank,
    conditional,
    correlations,
    dependent,
    drawn,
    scores,
)
from tarnkappe.language import Text, listed
from tarnkappe.methods.microdata.exchange import (
    LARGEST_STAYS,
    STATES_KEPT,
    VALUES_KEPT,
    Alone,
    Blocks,
    moved,
    moved_but,
    sortable,
    treat_alone,
)
from tarnkappe.methods.microdata.exchange_movers import (
    SERIES_KEPT,
    UNITS_MOVED,
    Movers,
    movers_of,
    units_moved,
)
from tarnkappe.methods.microdata.limits import only_treated, refuse_few
from tarnkappe.methods.microdata.step_remarks import unrelated
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Holds, Leaves, Method, Source, method
from tarnkappe.spec.conditions import not_given, unless
from tarnkappe.spec.fields import Columns, Order
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.vocab import Kind

CERTAIN = 0.99
"""A category that the given columns foretell more surely is determined by them."""
MOST_CATEGORIES = 100
"""Rarer categories of a given column count together."""


def _all_moved(m: Shuffle, before: Microdata, after: Microdata) -> bool:
    return moved_but(m, *_large_enough(m, before, after), lambda sizes: sizes, m.columns)


def _units_moved(m: Shuffle, before: Microdata, after: Microdata) -> bool:
    return units_moved(m, *_large_enough(m, before, after), gaps=m.columns)


def _of_many(m: Shuffle, before: Microdata, after: Microdata) -> bool:
    large, _ = _large_enough(m, before, after)
    shown = np.any([after.column(n).observed for n in m.columns], axis=0)
    return bool(np.isin(after.rows[shown], large.rows).all())


def _large_enough(m: Shuffle, before: Microdata, after: Microdata) -> tuple[Microdata, Microdata]:
    """The records of strata with k contributors or more, who are counted anew, one by one."""
    was = before.aligned_to(after)
    movers = movers_of(was, m.unit_columns(), m.within, m.columns)
    who = contributor_codes(movers.one_each(was)).tolist()
    strata = np.split(movers.blocks.order, movers.blocks.starts[1:-1])
    large = [members for members in strata if len({who[i] for i in members.tolist()}) >= m.k]
    kept = np.sort(movers.members(np.concatenate([np.zeros(0, dtype=np.int64), *large])))
    return was.take(kept), after.take(kept)


def _ranks_kept(m: Shuffle, before: Microdata, after: Microdata) -> bool:
    """Spearman's correlations of the chosen columns with each other and with ranked given ones, to within seven standard errors."""
    was = before.aligned_to(after)
    ranked = [n for n in m.given if n in m.order or was.column(n).kind is not Kind.CATEGORY]
    names = (*(n for n in m.columns if not m.is_plain(n, was.column(n))), *ranked)
    shown = np.all([after.column(n).observed for n in names or m.columns], axis=0)
    old, new = (_rank_correlations(m, d.take(np.flatnonzero(shown)), names) for d in (was, after))
    return bool(np.all(np.abs(old - new) < 7 / np.sqrt(max(int(shown.sum()), 1))))


def _rank_correlations(m: Shuffle, data: Microdata, names: tuple[str, ...]) -> Floats:
    ranks = [mid_ranks(sortable(n, data.column(n), m.order, m.id)) for n in names] or [np.zeros(len(data))]
    with np.errstate(invalid="ignore"):
        out: Floats = np.nan_to_num(np.corrcoef(np.stack(ranks)))
    return out


@method(
    "microdata.shuffle",
    family=Family.SWAP,
    title=Text("Data shuffling", "Data Shuffling"),
    does=Text(
        "Values were given to other records by drawing new ranks that depend on other columns as the old ones did.",
        "Werte wurden anderen Datensätzen gegeben: neue Ränge wurden gezogen, die von anderen Spalten abhängen wie die alten.",
    ),
    sources=(
        Source("muralidharsarathy2006", "data shuffling, with the conditional draw"),
        Source("dav2025", "3.3.5, shuffling (D-M12); its literal wording lacks the random part"),
        Source("templ2015", "shuffle, method ds"),
    ),
    preserves=(
        VALUES_KEPT,
        Claim(
            Text(
                "rank correlations of the chosen columns with each other and with the given ones, in large strata",
                "Rangkorrelationen der gewählten Spalten untereinander und mit den gegebenen, in großen Schichten",
            ),
            _ranks_kept,
            Holds.ON_AVERAGE,
            when=not_given("unit"),
        ),
        SERIES_KEPT,
        STATES_KEPT,
    ),
    protects=(
        Claim(
            Text(
                "every value that no other record of its stratum has stands at another record",
                "jeder Wert, den kein anderer Datensatz seiner Schicht hat, steht bei einem anderen Datensatz",
            ),
            _all_moved,
            when=not_given("unit"),
        ),
        replace(UNITS_MOVED, check=_units_moved),
        Claim(
            Text(
                "what is shown of a stratum was exchanged among k contributors or more",
                "was von einer Schicht gezeigt wird, wurde unter k oder mehr Beitragenden getauscht",
            ),
            _of_many,
            when=unless("too_small", "leave"),
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep relations that are not monotone, nor those with columns that were not taken into account",
            "Zusammenhänge erhalten, die nicht monoton sind, noch die mit Spalten, die nicht berücksichtigt wurden",
        ),
        LARGEST_STAYS,
        Text(
            "hide what the given columns tell by themselves: a close relation stays close",
            "verbergen, was die gegebenen Spalten von sich aus verraten: ein enger Zusammenhang bleibt eng",
        ),
    ),
    example={
        "columns": ["income", "wealth", "diagnosis"],
        "given": ["age"],
        "within": ["sex"],
        "order": {"diagnosis": ["none", "asthma", "injury", "diabetes", "cancer"]},
        "k": 7,
        "unit": "household",
        "too_small": "leave",
    },
    leaves=Leaves.EXCHANGED,
    random=True,
    revision=3,
)
class Shuffle(Method):
    """Give the values of some columns to other records, so that ranks depend on the other columns as before.

    For every stratum: ranks become normal scores; the correlations of the scores follow from Spearman's (2 sin(π ρ/6)); new scores
    are drawn from the normal distribution of the chosen columns given the others; the record with the r-th smallest new score gets
    the r-th smallest original value. The chosen columns are drawn jointly. Given the other columns, a new value is independent of the
    old one, which is the strongest protection an exchange can give.

    The draw matters: ranking the plain prediction instead, as the method is sometimes described, makes the released column a function of
    the given ones (a correlation of 0.6 becomes 1.0); sdcMicro's `mlm` is that plain prediction and is not offered. About one record per stratum would get its own value back by chance; it
    exchanges with its neighbour.

    A category without an order is drawn after the others, by its probabilities in a multinomial logit on the given and on the new values; each
    category comes up exactly as often as before.

    With `unit` whole units exchange, for example the years of a firm in a panel: name the year under `within`, and a firm gets, column by column,
    all values of one other firm that is there in the same years, each in its year. Ranks and relations are those of the units' means;
    of a category that of their first record counts. Entries and exits stay what they are.

    Given columns may be numbers, dates, ordered categories (`order`) or plain ones, which count by indicators; a gap in a given
    column counts as its mean, or as a category of its own. Missing and suppressed cells keep their state; records exchange with
    records that have the same of the columns missing. Strata with fewer than k contributors are too small, since an owner who exchanges with himself shows
    his total; records of one owner count once. One with hardly more records
    than there are columns and indicators is refused. A column that the given ones determine is refused, and so are given ones that
    determine each other. Zeros, negative and tied values are values like others, ties in random order; a constant column stays;
    infinite values are refused.
    """

    columns: Columns
    """Columns whose values are shuffled together. | Spalten, deren Werte gemeinsam gemischt werden."""
    given: tuple[str, ...] = ()
    """Columns that stay in place and whose relations to the shuffled ones are kept. | Spalten, die stehen bleiben und deren
    Zusammenhang mit den gemischten erhalten wird."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    order: Mapping[str, Order] = {}
    """Column -> its values in ascending order, for categories. | Spalte -> ihre Werte in aufsteigender Reihenfolge, für Kategorien."""
    k: Annotated[int, Field(ge=3)] = 10
    """Smallest number of contributors of a stratum. | Kleinste Zahl von Beitragenden einer Schicht."""
    unit: str | None = None
    """Column that tells which records exchange with those of one other unit, for example over the years. | Spalte, die sagt, welche Datensätze
    mit denen einer anderen Einheit tauschen, zum Beispiel über die Jahre."""
    too_small: Alone = "refuse"
    """What happens to smaller strata. | Was mit kleineren Schichten geschieht."""

    @model_validator(mode="after")
    def _orders_are_used(self) -> Self:
        only_treated("order", self.order, (*self.columns, *self.given))
        return self

    def named(self) -> tuple[str, ...]:
        return self.columns

    def named_columns(self) -> tuple[str, ...]:
        units = (self.unit,) if self.unit else ()
        return tuple(dict.fromkeys((*self.columns, *self.given, *self.within, *units, *self.order)))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        if len(data):
            refuse_few(data, self.k, self.id)
        for name in self.columns:
            _refuse_infinite(data, name, data.column(name).values)
        movers = movers_of(data, self.unit_columns(), self.within, self.columns)
        told, blocks = movers.one_each(data), movers.blocks
        who = contributor_codes(told)
        values = {n: self._levels(n, data.column(n), told.column(n), movers) for n in self.columns}
        mixed = Blocks(at_random(blocks.order, blocks.starts, stream.generator), blocks.starts)
        sources = {n: np.arange(movers.size) for n in self.columns}
        lone = [np.zeros(0, dtype=np.int64)]
        for first, last in zip(mixed.starts[:-1], mixed.starts[1:], strict=True):
            records = mixed.order[first:last]
            if len(np.unique(who[records])) < self.k:
                lone.append(records)
                continue
            for name, source in self._shuffled(told, values, records, stream).items():
                sources[name][records] = records[source]
        left = movers.members(np.concatenate(lone))
        shown = {n: left[data.column(n).observed[left]] for n in self.columns}
        return treat_alone(moved(data, {n: movers.records(s) for n, s in sources.items()}), self, shown)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        del after
        numbers = tuple(n for n in self.columns if before.column(n).kind.is_number)
        return tuple(unrelated(before, numbers, self.given))

    def _shuffled(
        self, data: Microdata, values: Mapping[str, NDArray[Any]], records: Ints, stream: Stream
    ) -> dict[str, Ints]:
        """For one stratum and every column: whose value each record gets, by place among `records`."""
        shown = [n for n in self.columns if data.column(n).observed[records[0]]]
        names = [n for n in shown if not self.is_plain(n, data.column(n))]
        ends = np.array([0, len(records)])
        orders = [np.argsort(values[n][records]) for n in names]
        pairs = [scores(values[n][records], order) for n, order in zip(names, orders, strict=True)]
        given, given_ranks, ranked, origin = self._given_scores(data, records)
        empty = np.zeros((0, len(records)))
        z = np.vstack([empty, *(z for z, _ in pairs), *given])
        ranks = np.vstack([empty, *(r for _, r in pairs), *given_ranks])
        if len(records) < len(z) + 2:
            where = Text("a stratum", "eine Schicht")
            raise TooFewRecords(who=self.id, needed=len(z) + 2, where=where, found=len(records))
        r = correlations(z, ranks, np.concatenate([np.ones(len(names), dtype=np.bool_), ranked]))
        q = len(names)
        _refuse_dependent(r[q:, q:], origin)
        b, rest = conditional(r, q)
        closed = [
            n
            for n, free, (score, _) in zip(names, np.diag(rest), pairs, strict=True)
            if free < SMALLEST_FREEDOM and score.any()
        ]
        if closed:
            raise Determined(names=listed([*closed, *self.given]))
        y = drawn(z[q:], b, rest, stream.generator)
        out = {n: by_rank(orders[j], np.argsort(y[j]), ends) for j, n in enumerate(names)}
        plain = {n: dense_codes(values[n][records])[0].astype(np.int64) for n in shown if n not in out}
        if not plain:
            return out
        moved_scores = [z[j][out[n]] for j, n in enumerate(names)]
        return out | self._drawn_categories(plain, z, np.vstack([empty, *moved_scores, *given]), stream)

    def _drawn_categories(
        self, plain: Mapping[str, Ints], old: Floats, new: Floats, stream: Stream
    ) -> dict[str, Ints]:
        """Categories without an order, one after the other, given all that has its new place already."""
        out = {}
        for name, labels in plain.items():
            out[name], known = category_sources(labels, old, new, stream.generator)
            if known > CERTAIN:
                raise Determined(names=listed([name, *self.given]))
            there = [marks for marks in _indicators(labels) if marks.any()]
            old = np.vstack([old, *there])
            new = np.vstack([new, *(marks[out[name]] for marks in there)])
        return out

    def is_plain(self, name: str, column: Column) -> bool:
        """A category without an order."""
        return column.kind is Kind.CATEGORY and name not in self.order

    def _levels(self, name: str, column: Column, told: Column, movers: Movers) -> NDArray[Any]:
        """What movers are sorted by; the codes of a category without an order."""
        if self.is_plain(name, column):
            return told.true_codes()[0]
        return movers.level(sortable(name, column, self.order, self.id), column)

    def _given_scores(
        self, data: Microdata, records: Ints
    ) -> tuple[list[Floats], list[Floats], Bools, list[str]]:
        """Scores and ranks of the given columns, whether each is ranked, and the column it comes from."""
        z: list[Floats] = []
        ranks: list[Floats] = []
        ranked: list[bool] = []
        origin: list[str] = []
        for name in self.given:
            column = data.column(name).take(records)
            by_order = name in self.order or column.kind is not Kind.CATEGORY
            codes = dense_codes(column.codes()[0])[0]
            made = [self._ranked(name, column)] if by_order else [(i, i) for i in _indicators(codes)]
            made = [(score, rank) for score, rank in made if score.any()]
            z += [score for score, _ in made]
            ranks += [rank for _, rank in made]
            ranked += [by_order] * len(made)
            origin += [name] * len(made)
        return z, ranks, np.array(ranked, dtype=np.bool_), origin

    def _ranked(self, name: str, column: Column) -> tuple[Floats, Floats]:
        shown = column.observed
        z, ranks = np.zeros(len(column)), np.zeros(len(column))
        if shown.any():
            z[shown], ranks[shown] = scores(sortable(name, column, self.order, self.id)[shown])
        return z, ranks


def _indicators(codes: Ints) -> list[Floats]:
    """One standardised column per category but the most frequent; the rarest beyond a hundred count together."""
    counts = np.bincount(codes)
    by_size = np.argsort(-counts, kind="stable")
    out = []
    for number in by_size[1 : MOST_CATEGORIES + 1]:
        there = (codes == number).astype(np.float64)
        out.append((there - there.mean()) / there.std())
    return out


def _refuse_infinite(data: Microdata, name: str, values: NDArray[Any]) -> None:
    if values.dtype.kind != "f":
        return
    infinite = np.flatnonzero(np.isinf(values) & data.column(name).observed)
    if len(infinite):
        raise NotFinite(name=name, count=len(infinite), first=data.record(infinite[0]))


def _refuse_dependent(r: Floats, origin: list[str]) -> None:
    found = dependent(r)
    if len(found):
        raise Determined(names=listed(list(dict.fromkeys(origin[i] for i in found))))
