"""Published totals: the difference to the release gives away who was removed, moved, hidden or changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tarnkappe.data.quantities import in_both, original
from tarnkappe.errors.data import EmptyData
from tarnkappe.errors.risk import TotalUnknown
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.proportions import share_interval, share_of
from tarnkappe.kernels.shortfall import Contributions, attacked, dominated
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text, listed
from tarnkappe.risk.populations import LEVEL
from tarnkappe.risk.register import stacked
from tarnkappe.risk.values_learnt import LEAST, Useful, near
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.column import Bools, Floats, Ints
    from tarnkappe.data.microdata import Microdata

_TOO_FEW = Text(
    f"Fewer than {LEAST} values are looked for: the share says little.",
    f"Gesucht werden weniger als {LEAST} Werte: Der Anteil sagt wenig.",
)
_INTERVAL = Text(
    "The interval covers 95% of what other records of this kind would give.",
    "Das Intervall deckt 95 % dessen, was andere Datensätze dieser Art ergäben.",
)


class _Cells(NamedTuple):
    """Cells of the totals: that of every true record, of every released one, and where the released ones stand."""

    true: Ints
    released: Ints
    number: int
    place: Ints
    """Where a true record stands in the release; -1 where it is gone."""

    @property
    def stays(self) -> Bools:
        """True records that the release shows in their cell."""
        return np.asarray((self.place >= 0) & (self.released[self.place] == self.true))


class _Part(NamedTuple):
    """The attack on one column: who is looked for, who comes out, and who would without the totals."""

    cells: _Cells
    given: Contributions
    target: Bools
    hit: Bools
    alone: Bools

    def reason(self, name: str) -> Bools:
        """Contributors that are shown in their cell, or not for one of three reasons."""
        gone, shown = self.cells.place < 0, ~np.isnan(self.given.y)
        stays = self.cells.stays
        found = {"removed": gone, "moved": ~gone & ~stays, "not_shown": stays & ~shown, "shown": shown}
        return np.asarray(found[name])


@measure(
    "risk.published-totals",
    title=Text("Difference to published totals", "Differenz zu veröffentlichten Summen"),
    does=Text(
        "Subtracts the released values from published totals and counts whose true value comes out.",
        "Zieht die freigegebenen Werte von veröffentlichten Summen ab und zählt, wessen wahrer Wert dabei herauskommt.",
    ),
    sources=(
        Source(
            "hoehne2010",
            "1.3, attacks across tables: removed and moved large units (R13); p per cent rule (R12)",
        ),
        Source("hundepool2012", "section 4.2.2: p per cent rule"),
    ),
    reads=Text(
        "A share of {value} of the largest and of the hidden contributors comes out.",
        "Ein Anteil von {value} der größten und der verborgenen Beitragenden kommt heraus.",
    ),
    knows=Text(
        "The attacker knows the true totals and numbers of contributors of all groups, and the released file.",
        "Der Angreifer kennt die wahren Summen und Anzahlen der Beitragenden aller Gruppen sowie die freigegebene Datei.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "use weights: totals of a population that was only sampled tell less",
            "Gewichte verwenden: Summen einer Grundgesamtheit, aus der nur eine Stichprobe vorliegt, verraten weniger",
        ),
        Text(
            "audit the published tables themselves: see risk.table-audit",
            "die veröffentlichten Tabellen selbst prüfen: siehe risk.table-audit",
        ),
    ),
    words={
        "dominated": Text(
            "totals that give the largest away to the second largest",
            "Summen, die dem zweitgrößten Beitragenden den größten verraten",
        ),
        "not_shown": Text("value not shown", "Wert nicht gezeigt"),
        "totals": Text("totals", "Summen"),
        "totals_changed": Text("totals that the release misses", "Summen, die die Freigabe verfehlt"),
    },
    example={
        "columns": ["income", "wealth"],
        "within": ["region"],
        "published": {"wealth": 2_000_000},
        "f": 0.1,
    },
)
class PublishedTotals(Measure):
    """The share of contributors whose true value comes out within f when the released values are subtracted from the true totals.

    In every cell (the groups of `within`, or the whole file) two kinds of contributors are looked for: those that the release hides there,
    because the record is gone, was moved into another cell, or does not show the value; and the largest one. Whoever is hidden is taken for
    the whole shortfall, total less released sum. Where nobody is hidden, the largest is taken for its released value plus the
    difference: if it was changed most, that undoes the change. Zeros are not looked for.

    The totals are those of the original; of the columns named under `published`, that of the whole file as it was published. The baseline is what the release
    gives away without them. The details tell how many totals changed by more than f, and how many are *dominated*: already the published
    total gives the largest contributor away to the second largest (p per cent rule with p = 100 f), whatever is released.
    """

    columns: tuple[str, ...] = ()
    """Numeric columns; without them, all that hold quantities in both files. | Numerische Spalten; ohne Angabe alle, die in beiden
    Dateien Größen enthalten."""
    within: tuple[str, ...] = ()
    """Columns whose groups have published totals; without them, the whole file has. | Spalten, zu deren Gruppen Summen veröffentlicht sind;
    ohne Angabe zur ganzen Datei."""
    published: Mapping[str, float] = {}
    """Columns of which only the total of the whole file is published, and that total; the others have those of the original. | Spalten,
    von denen nur die Summe der ganzen Datei veröffentlicht ist, und diese Summe; die übrigen haben die des Originals."""
    f: Useful = 0.05
    """Relative error up to which a value is useful. | Relativer Fehler, bis zu dem ein Wert brauchbar ist."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        names = in_both(after, before, self.columns, self.id, needed=1)
        strange = [name for name in self.published if name not in names]
        if strange:
            raise TotalUnknown(name=listed(strange))
        if min(len(after), len(before)) == 0:
            raise EmptyData
        x, shown = before.numbers(names, self.id), after.numbers(names, self.id)
        scale, n = (
            power_scale(np.vstack([x, shown])),
            len(x),
        )  # divided one after the other: their product can overflow
        grouped = _cells(after, before, self.within)
        whole = _cells(after, before, ()) if self.published else grouped
        parts = []
        for j, name in enumerate(names):
            given, cells = self.published.get(name), whole if name in self.published else grouped
            known = None if given is None else given / scale[j] / n
            parts.append(_attacked(cells, x[:, j] / scale[j] / n, shown[:, j] / scale[j] / n, known, self.f))
        return self._finding(after, names, parts)

    def _finding(self, after: Microdata, names: tuple[str, ...], parts: list[_Part]) -> Finding:
        target, hit = (
            np.column_stack(cells) for cells in ([p.target for p in parts], [p.hit for p in parts])
        )
        cases, hits = target.sum(axis=1).astype(np.float64), hit.sum(axis=1).astype(np.float64)
        one = np.ones(len(target))
        interval = share_interval(hits, cases, one, LEVEL)
        few = target.sum() < LEAST
        sizes = [dominated(p.given, self.f) for p in parts]
        details: dict[str, Json] = {
            "f": self.f, "within": self.within, "totals": sum(p.cells.number for p in parts), "values_at_stake": int(target.sum()),
            "level": LEVEL, **_by_reason(parts),
            "dominated": _ratio(sum(d for d, _ in sizes), sum(n for _, n in sizes)),
            "totals_changed": float(np.mean([_changed(p.given, self.f) for p in parts])),
            "columns": {name: _shares(p) for name, p in zip(names, parts, strict=True)},
        }  # fmt: skip
        return Finding(
            value=share_of(hits, cases, one),
            low=interval[0] if interval else None,
            high=interval[1] if interval else None,
            baseline=_ratio(sum(p.alone.sum() for p in parts), target.sum()),
            trusted=not few,
            because=_TOO_FEW if few else _INTERVAL,
            details=details,
            per_record=_each(parts[0].cells.place, hits, cases, len(after)),
        )


def _cells(after: Microdata, before: Microdata, within: tuple[str, ...]) -> _Cells:
    """Cells that both files have in common; missing and suppressed groups are groups of their own."""
    both = len(after) + len(before)
    keys = [stacked(after.column(name), before.column(name)) for name in within]
    codes = [(np.zeros(both, dtype=np.int64), 1)]
    for key in keys:
        state = np.zeros(both, dtype=np.int64) if key.state is None else key.state.astype(np.int64)
        codes.append((np.where(state > 0, key.categories - 1 + state, key.codes), key.categories + 2))
    found = classes(codes)
    ids = found.ids.astype(np.int64)
    rows = np.concatenate([after.rows, before.rows])
    place = np.full(int(rows.max()) - int(rows.min()) + 1, -1, dtype=np.int64)
    place[after.rows - rows.min()] = np.arange(len(after))
    return _Cells(ids[len(after) :], ids[: len(after)], len(found.sizes), place[before.rows - rows.min()])


def _attacked(cells: _Cells, x: Floats, shown: Floats, published: float | None, f: float) -> _Part:
    y = np.where(cells.stays, shown[cells.place], np.nan)
    total = _sums(cells.true, x, cells.number) if published is None else np.array([published])
    given = Contributions(x, cells.true, y, total, _sums(cells.released, shown, cells.number))
    found = attacked(given)
    hit, alone = (near(guess, x, f) & found.target for guess in (found.guess, found.without))
    return _Part(cells, given, found.target, hit, alone)


def _sums(cell: Ints, values: Floats, number: int) -> Floats:
    return np.bincount(cell, weights=np.nan_to_num(values), minlength=number).astype(np.float64)


def _by_reason(parts: list[_Part]) -> dict[str, Json]:
    """Why contributors are hidden, how many values that makes, and the share that comes out."""
    reasons: dict[str, Json] = {}
    for name in ("removed", "moved", "not_shown", "shown"):
        here = [p.target & p.reason(name) for p in parts]
        values = sum(int(cells.sum()) for cells in here)
        learnt = sum(int((p.hit & cells).sum()) for p, cells in zip(parts, here, strict=True))
        if values:
            reasons[name] = {"values_at_stake": values, "share": learnt / values}
    return reasons


def _shares(part: _Part) -> dict[str, Json]:
    values = int(part.target.sum())
    return {
        "values_at_stake": values,
        "share": _ratio(part.hit.sum(), values),
        "naive": _ratio(part.alone.sum(), values),
    }


def _changed(c: Contributions, f: float) -> float:
    """Share of the totals that the release misses by more than f."""
    return float(np.mean(np.abs(c.total - c.sums) > f * np.abs(c.total)))


def _ratio(part: float, whole: float) -> float | None:
    return float(part) / float(whole) if whole else None


def _each(place: Ints, hits: Floats, cases: Floats, count: int) -> Floats:
    out = np.full(count, np.nan)
    here = (place >= 0) & (cases > 0)
    out[place[here]] = hits[here] / cases[here]
    return out
