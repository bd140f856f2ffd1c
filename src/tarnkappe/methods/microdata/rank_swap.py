"""Rank swapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.exchange import WindowTooWide
from tarnkappe.errors.masking import NoSpread
from tarnkappe.kernels.exchange import at_random
from tarnkappe.kernels.rank_swap import BEYOND, FREE, NEXT, rank_partners
from tarnkappe.kernels.ranks import ascending, rank_distances
from tarnkappe.language import Text
from tarnkappe.methods.microdata.exchange import (
    LARGEST_STAYS,
    STATES_KEPT,
    VALUES_KEPT,
    Alone,
    Blocks,
    moved,
    owners_of,
    shown_cells,
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
from tarnkappe.methods.microdata.exchange_units import units_of
from tarnkappe.methods.microdata.limits import only_treated
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Declared, Family, Json, Leaves, Method, Source, method
from tarnkappe.spec.conditions import not_given, unless
from tarnkappe.spec.fields import Order
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import of_many

FEW = 50
"""With fewer contributors an agreement could tell of a single one."""
LARGEST_SHARE = 0.1
"""With a larger share of the variance the value that the largest got could be read from the agreement."""
NARROWEST = 2
"""With a window of one record the largest exchanges with the second, the third with the fourth: that is no secret."""


class Window(BaseModel):
    """How many ranks away a partner may be: one of four ways to say it."""

    model_config = Declared.model_config

    percent: Annotated[float, Field(gt=0, le=100)] | None = None
    """Percent of the records of the stratum: 5 means five in a hundred. | Prozent der Datensätze der Schicht: 5 heißt fünf von hundert."""
    records: Annotated[int, Field(ge=2)] | None = None
    """Number of records; with one, everybody would know who exchanged with whom. | Anzahl der Datensätze; bei einem wüsste jeder, wer mit wem
    getauscht hat."""
    correlation: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Share of the correlation of two columns treated so that is to remain (Moore). | Anteil der Korrelation zweier so behandelter
    Spalten, der bleiben soll (Moore)."""
    change: Annotated[float, Field(gt=0)] | None = None
    """Mean relative change wanted: 0.1 is ten percent (Moore). | Gewünschte mittlere relative Änderung: 0.1 sind zehn Prozent (Moore)."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(way is not None for way in (self.percent, self.records, self.correlation, self.change)) != 1:
            ways = "percent, records, correlation, change"
            raise ValueError(Text(f"needs exactly one of {ways}", f"braucht genau eines von {ways}"))
        return self

    @property
    def by_values(self) -> bool:
        """Whether the window depends on the values."""
        return self.correlation is not None or self.change is not None


def moore_percent(window: Window, x: Floats) -> float:
    """The window in percent of the records from what is wanted of the values: Höhne (2010), 2.2.3, after Moore (1996).

    Both formulas take the values inside a window as evenly spread. On skewed data they are not, and the correlation suffers
    more, small values change less, than was asked for.
    """
    span = float(x.max() - x.min()) if len(x) else 0.0
    if span == 0.0:
        return 0.0
    if window.correlation is not None:
        return 100 * float(np.sqrt(2 * (1 - window.correlation)) * np.std(x / span))
    return 100 * float(np.sqrt(8 / 3)) * (window.change or 0.0) * abs(float(np.mean(x / span)))


def _ranks_near(m: RankSwap, before: Microdata, after: Microdata) -> bool:
    for cells in shown_cells(m, before, after):
        old, new = (sortable(cells.name, column, m.order, m.id) for column in (cells.old, cells.new))
        blocks = Blocks(cells.strata.order, cells.strata.starts)
        windows = m.windows(cells.name, old, blocks)
        if (rank_distances(old, new, blocks.order, blocks.starts) > windows[cells.strata.of]).any():
            return False
    return True


@method(
    "microdata.rank-swap",
    family=Family.SWAP,
    title=Text("Rank swapping", "Rangtausch"),
    does=Text(
        "Values were exchanged between records whose values have similar ranks.",
        "Werte wurden zwischen Datensätzen getauscht, deren Werte ähnliche Ränge haben.",
    ),
    sources=(
        Source("hoehne2010", "2.2.3, rank swapping (S02) and the windows after Moore"),
        Source("gottschalk2002", "4.3, swapping of neighbouring values (G-M13b)"),
        Source("dav2025", "3.3.3, rank swapping (D-M10b)"),
        Source("moore1996", "controlled data-swapping techniques"),
    ),
    preserves=(
        VALUES_KEPT,
        Claim(
            Text(
                "ranks up to the window: no value moves farther inside its stratum",
                "Ränge bis auf das Fenster: kein Wert wandert in seiner Schicht weiter",
            ),
            _ranks_near,
            when=unless("partner", "beyond") & unless("too_small", "suppress") & not_given("unit"),
        ),
        SERIES_KEPT,
        STATES_KEPT,
    ),
    protects=(MOVED_ALONE, UNITS_MOVED, AMONG_MANY),
    does_not=(
        ForAnalysis(
            "keep correlations: that of two columns shrinks by the factor of each, its correlation with itself before",
            "Korrelationen erhalten: die zweier Spalten schrumpft um den Faktor jeder der beiden, ihre Korrelation mit sich selbst zuvor",
        ),
        Text(
            "stand an attacker who knows a record in many columns: few records lie in the windows of all of them",
            "einem Angreifer standhalten, der einen Datensatz in vielen Spalten kennt: nur wenige liegen in den Fenstern aller",
        ),
        Text(
            "protect small values of very skewed data: neighbours in rank are nearly equal there; top code such data first",
            "kleine Werte sehr schiefer Daten schützen: Rangnachbarn sind dort fast gleich; schneiden Sie solche Daten zuvor oben ab",
        ),
        LARGEST_STAYS,
    ),
    words={
        "correlation_with_the_original": Text(
            "correlation with the original", "Korrelation mit dem Original"
        ),
    },
    example={
        "columns": {"income": {"percent": 20}, "diagnosis": {"records": 8}, "wealth": {"correlation": 0.9}},
        "within": ["sex"],
        "partner": "next",
        "order": {"diagnosis": ["none", "asthma", "injury", "diabetes", "cancer"]},
        "unit": "household",
        "too_small": "leave",
    },
    leaves=Leaves.EXCHANGED,
    random=True,
    revision=3,
)
class RankSwap(Method):
    """Sort by a column, and let every record exchange its value with one of a nearby rank.

    Each column has its own window: percent of the records of the stratum, a number of records, or what is wanted of the values
    (a correlation that remains, a mean relative change). A window reaches two records at least: with one,
    everybody would know who exchanged with whom. Records are taken from the
    largest value down; each exchanges once. `partner` says with whom: `free` is any record of the window that has not exchanged
    yet, all equally likely (the window then is at most P percent of n away). `next` draws a place in the window, less than P
    percent of n away, and goes to the first record from there on that has not exchanged, and back where there is none in the
    window. `beyond` is the same without the limit of the window, the literal reading of the source.

    With `unit` whole units exchange, for example the years of a firm in a panel: name the year under `within`, and a firm gets all values of one
    other firm that is there in the same years, each in its year. Units are sorted by their
    mean, and the window counts units. Entries and exits stay what they are.

    At most one record per stratum stays without partner, the smallest that is left. Of one record, which has none, and of two, of which everybody knows that
    they have exchanged, `too_small` says what happens (`leave` lets two exchange). Records of one owner count once: an owner
    who exchanges with himself shows what he has. Equal values stand in random order, so ties are
    no pattern; exchanges between them change nothing. Missing and suppressed cells keep their state and take no part. Categories
    need an order (`order`). Infinite values are refused where the window depends on the values. Zeros and negative values are
    values like others; a constant column stays, or is refused where the window is to follow from its values.
    """

    columns: Annotated[Mapping[str, Window], Field(min_length=1)]
    """Column -> its window: percent, records, correlation or change. | Spalte -> ihr Fenster: percent, records, correlation oder change."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    partner: Literal["free", "next", "beyond"] = "free"
    """How a partner is found. | Wie ein Partner gefunden wird."""
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
        return tuple(self.columns)

    def named_columns(self) -> tuple[str, ...]:
        units = (self.unit,) if self.unit else ()
        return tuple(dict.fromkeys((*self.columns, *self.within, *units, *self.order)))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        sources: dict[str, Ints] = {}
        lone: dict[str, Ints] = {}
        for name in self.columns:
            movers, column = movers_of(data, self.unit_columns(), self.within, (name,)), data.column(name)
            values, blocks = movers.level(sortable(name, column, self.order, self.id), column), movers.blocks
            if self.columns[name].by_values and data.column(name).kind.is_number:
                data.numbers((name,), self.id)  # refuses infinite values
            windows = self.windows(name, values, blocks)
            mixed = at_random(blocks.order, blocks.starts, stream.generator)
            by_rank = Blocks(ascending(values, mixed, blocks.starts), blocks.starts)
            sources[name] = movers.records(self._sources(movers.size, by_rank, windows, stream))
            lone[name] = movers.left(data, name)
        return treat_alone(moved(data, sources), self, lone)

    def _sources(self, size: int, by_rank: Blocks, windows: Ints, stream: Stream) -> Ints:
        rule = {"free": FREE, "next": NEXT, "beyond": BEYOND}[self.partner]
        mirrored = by_rank.starts[-1] - by_rank.starts[::-1]  # the last place, the largest value, comes first
        partners = rank_partners(mirrored, windows[::-1].copy(), rule, stream.generator)
        partners = len(partners) - 1 - partners[::-1]

        def give(order: Ints, starts: Ints) -> Ints:
            del starts
            source = np.empty(len(order), dtype=np.int64)
            source[order] = order[partners]
            return source

        return sources_in(size, by_rank, give)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """How far every column still agrees with itself: a correlation of two columns, divided by both, is about the original one (Moore).

        It tells how strong the exchange was, as a noise variance would, and nothing of a record. It is not told of few contributors, nor where
        one of them, or one unit, makes up so much of the variance that it would tell with whom he exchanged.
        """
        told, who = {}, self._who(before.aligned_to(after))
        for cells in shown_cells(self, before, after):
            if cells.new.kind.is_number and np.isfinite(cells.old.values).all():
                here = None if who is None else who[after.column(cells.name).observed]
                people = len(cells.old.values) if here is None else len(np.unique(here))
                if people >= FEW and _largest_share(cells.old.values, here) <= LARGEST_SHARE:
                    told[cells.name] = _agreement(cells.old.values, cells.new.values)
        return {"correlation_with_the_original": of_many(told)}

    def _who(self, data: Microdata) -> Ints | None:
        """Whose every record is: an owner's, or where none is known that of a unit that moves as a whole; None for each its own."""
        owners = owners_of(data)
        return units_of(data, self.unit_columns()).of if owners is None and self.unit else owners

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        del after
        return without_partner(self, before)

    def windows(self, name: str, values: NDArray[Any], blocks: Blocks) -> Ints:
        """How many ranks away a partner may be in every block, at least two where there are so many."""
        window, sizes = self.columns[name], blocks.sizes
        if window.records is not None:
            farthest = int(sizes.max(initial=2)) - 1
            if window.records > farthest:
                raise WindowTooWide(name=name, window=window.records, found=farthest)
            return np.minimum(window.records, np.maximum(sizes - 1, 1))
        if window.percent is not None:
            percent = np.full(len(sizes), window.percent)
        else:
            percent = _moore(name, window, values, blocks)
        reach = percent * sizes / 100
        ranks = np.floor(reach + 1e-9) if self.partner == "free" else np.ceil(reach - 1e-9) - 1
        out: Ints = np.minimum(np.maximum(ranks.astype(np.int64), NARROWEST), np.maximum(sizes - 1, 1))
        return out


def _largest_share(values: NDArray[Any], who: Ints | None) -> float:
    """The largest part of the sum of squares around the mean that one contributor has; 0 where nothing varies."""
    x = values / (float(np.abs(values).max(initial=0.0)) or 1.0)
    squares = (x - x.mean()) ** 2
    squares = squares if who is None else np.bincount(who, weights=squares)
    total = float(squares.sum())
    return float(squares.max()) / total if total > 0 else 0.0


def _agreement(old: NDArray[Any], new: NDArray[Any]) -> float | None:
    scale = float(np.abs(old).max(initial=0.0)) or 1.0
    x, y = old / scale, new / scale
    spread = float(np.var(x))
    return round(float(np.mean((x - x.mean()) * (y - y.mean()))) / spread, 4) if spread > 0 else None


def _moore(name: str, window: Window, values: NDArray[Any], blocks: Blocks) -> Floats:
    x = values[blocks.order].astype(np.float64)
    if len(x) > 1 and (x == x[0]).all():
        raise NoSpread(who=RankSwap.id, name=name, where=Text("the file", "der Datei"))
    scale = float(np.abs(x).max(initial=0.0)) or 1.0
    parts = np.split(x / scale, blocks.starts[1:-1])
    percent = np.array([moore_percent(window, part) for part in parts if len(part)], dtype=np.float64)
    if (percent > 100).any():
        raise WindowTooWide(name=name, window=f"{percent.max():.1f} %", found="100 %")
    return percent
