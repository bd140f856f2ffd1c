"""Swapping between random halves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Self

from pydantic import model_validator

from tarnkappe.data.column import Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.kernels.exchange import half_swap
from tarnkappe.language import Text
from tarnkappe.methods.microdata.exchange import (
    LARGEST_STAYS,
    STATES_KEPT,
    VALUES_KEPT,
    Alone,
    moved,
    sortable,
    sources_in,
    treat_alone,
)
from tarnkappe.methods.microdata.exchange_movers import (
    AMONG_MANY,
    MOVED_ALONE,
    SERIES_KEPT,
    UNITS_MOVED,
    movers_of,
    without_partner,
)
from tarnkappe.methods.microdata.limits import only_treated
from tarnkappe.randomness import Stream
from tarnkappe.spec import Family, Leaves, Method, Source, method
from tarnkappe.spec.fields import Columns, Order
from tarnkappe.spec.limits import ForAnalysis


@method(
    "microdata.half-swap",
    family=Family.SWAP,
    title=Text("Swapping between random halves", "Tausch zwischen zufälligen Hälften"),
    does=Text(
        "Each column was split at random into two halves, and records of the same rank exchanged their values.",
        "Jede Spalte wurde zufällig in zwei Hälften geteilt, und Datensätze gleichen Rangs tauschten ihre Werte.",
    ),
    sources=(
        Source("hoehne2010", "2.2.3, swapping by Carlson and Salabasis (S03)"),
        Source("carlsonsalabasis2002", "a data-swapping technique using ranks"),
    ),
    preserves=(VALUES_KEPT, SERIES_KEPT, STATES_KEPT),
    protects=(MOVED_ALONE, UNITS_MOVED, AMONG_MANY),
    does_not=(
        Text(
            "change small values much: where values lie close, the partner's value is nearly one's own",
            "kleine Werte stark ändern: wo Werte dicht liegen, ist der Wert des Partners fast der eigene",
        ),
        ForAnalysis(
            "keep correlations in small groups: they come near the original ones with the number of records only",
            "Korrelationen in kleinen Gruppen erhalten: erst mit der Zahl der Datensätze nähern sie sich den ursprünglichen",
        ),
        LARGEST_STAYS,
    ),
    example={
        "columns": ["income", "diagnosis"],
        "within": ["sex"],
        "order": {"diagnosis": ["none", "asthma", "injury", "diabetes", "cancer"]},
        "unit": "household",
        "too_small": "leave",
    },
    leaves=Leaves.EXCHANGED,
    random=True,
    revision=2,
)
class HalfSwap(Method):
    """Split the records at random into halves, sort both by a column, and let equal ranks exchange their values.

    For every column the halves are drawn anew. As both are random samples of the same file they have nearly the same distribution,
    so a value is replaced by one of nearly the same rank: correlations stay up to an error that vanishes as the file grows. Large
    values, which lie apart, change most.

    With `unit` whole units exchange, for example the years of a firm in a panel: name the year under `within`, and a firm gets all values of one
    other firm that is there in the same years, each in its year. Units are sorted by their
    mean. Entries and exits stay what they are.

    In a stratum of odd size one random record sits out. Missing and suppressed cells keep their state and take no part. Tied values
    stand in random order. Categories need an order (`order`). A stratum of one record has no partner, and of two everybody knows that they
    have exchanged: `too_small` says what happens to them (`leave` lets two exchange). Records of one
    owner count once: an owner who exchanges with himself shows what he has. Zeros and negative values are values like others, infinite ones stand at their end, and a constant column stays.
    """

    columns: Columns
    """Columns whose values are exchanged, each on its own. | Spalten, deren Werte getauscht werden, jede für sich."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    order: Mapping[str, Order] = {}
    """Column -> its values in ascending order, for categories. | Spalte -> ihre Werte in aufsteigender Reihenfolge, für Kategorien."""
    unit: str | None = None
    """Column that tells which records exchange with those of one other unit, for example over the years. | Spalte, die sagt, welche Datensätze
    mit denen einer anderen Einheit tauschen, zum Beispiel über die Jahre."""
    too_small: Alone = "refuse"
    """What happens to a stratum of one or two contributors. | Was mit einer Schicht aus einem oder zwei Beitragenden geschieht."""

    @model_validator(mode="after")
    def _orders_are_used(self) -> Self:
        only_treated("order", self.order, self.columns)
        return self

    def named(self) -> tuple[str, ...]:
        return self.columns

    def named_columns(self) -> tuple[str, ...]:
        units = (self.unit,) if self.unit else ()
        return tuple(dict.fromkeys((*self.columns, *self.within, *units, *self.order)))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        sources: dict[str, Ints] = {}
        lone: dict[str, Ints] = {}
        for name in self.columns:
            movers, column = movers_of(data, self.unit_columns(), self.within, (name,)), data.column(name)
            values = movers.level(sortable(name, column, self.order, self.id), column)
            inner = values if len(movers.blocks.order) == movers.size else values[movers.blocks.order]
            give = partial(half_swap, inner, stream.generator)
            sources[name] = movers.records(sources_in(movers.size, movers.blocks, give))
            lone[name] = movers.left(data, name)
        return treat_alone(moved(data, sources), self, lone)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        del after
        return without_partner(self, before)
