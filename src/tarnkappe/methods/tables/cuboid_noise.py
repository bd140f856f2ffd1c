"""Noise on the corners of cuboids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarnkappe.attack.rounded import CLOSE, is_whole
from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.relations import relations_of
from tarnkappe.errors.release import Unattainable
from tarnkappe.kernels.lattice import strides_of
from tarnkappe.kernels.noise_cuboids import Cuboid, Grid, Room
from tarnkappe.kernels.rounding import loss
from tarnkappe.language import Text, listed
from tarnkappe.methods.tables.changed import changeable, changed, told, too_near, unchanged_elsewhere
from tarnkappe.methods.tables.drawing import draws
from tarnkappe.randomness import Stream, public_stream
from tarnkappe.spec import Claim, Holds, Maturity, Source, TableMethod, table_method

ROUNDS = 20
"""Times that cells are gone through whose noise others have undone."""
SEEDS = 200


@dataclass(frozen=True, slots=True)
class _Need:
    """How far every marked cell must be moved, at least."""

    up: Floats
    down: Floats

    def lacking(self, cells: Bools, moved: Floats) -> Bools:
        nearly = 1 - CLOSE
        return np.asarray(cells & (moved < nearly * self.up) & (moved > -nearly * self.down))


def _need(pattern: Pattern) -> _Need:
    """The required protection; at least 1 in tables of whole numbers, a hundredth of the value in others, of 0 one of the mean size."""
    size = np.abs(pattern.table.value)
    if is_whole(pattern.table):
        return _Need(*(np.maximum(np.ceil(n - CLOSE), 1.0) for n in (pattern.upper, pattern.lower)))
    usual = float(size[size > 0].mean()) if size.any() else 1.0
    least = np.where(size > 0, size, usual) / 100
    return _Need(*(np.maximum(n, least) for n in (pattern.upper, pattern.lower)))


def _shown(pattern: Pattern) -> Floats:
    return pattern.table.value if pattern.shown is None else pattern.shown


def _additive(m: CuboidNoise, before: Pattern, after: Pattern) -> bool:
    del m, before
    off = np.abs(relations_of(after.table).matrix() @ _shown(after))
    return bool(np.all(off <= 1e-9 * max(1.0, float(np.abs(_shown(after)).max(initial=0.0))) * 10))


def _others_open(m: CuboidNoise, before: Pattern, after: Pattern) -> bool:
    del m
    altered = (after.status == Status.PERTURBED) & ~before.forced_open
    within = (_shown(after) >= before.low - CLOSE) & (_shown(after) <= before.high + CLOSE)
    return unchanged_elsewhere(before, after, altered) and bool(np.all(within[altered]))


def _right_on_average(m: CuboidNoise, before: Pattern, after: Pattern) -> bool:
    """The mean over many secrets, against what chance allows."""
    del after
    runs = np.array(
        [_shown(m.protect(before, public_stream(f"secret number {i}", m.id))) for i in range(SEEDS)]
    )
    off = np.abs(runs.mean(axis=0) - before.table.value)
    return bool(np.all(off <= 5 * runs.std(axis=0) / np.sqrt(SEEDS) + 1e-9))


def _moved_enough(m: CuboidNoise, before: Pattern, after: Pattern) -> bool:
    del m
    return not _need(before).lacking(before.primary, _shown(after) - before.table.value).any()


def _withstands(m: CuboidNoise, before: Pattern, after: Pattern) -> bool:
    del m
    return not too_near(before, after.status == Status.PERTURBED).any()


@table_method(
    "table.cuboid-noise",
    title=Text("Noise on cuboids", "Überlagerung von Quadern"),
    does=Text(
        "Confidential cells and some others were changed at random so that all sums of the table still hold.",
        "Vertrauliche und einige weitere Zellen wurden zufällig so verändert, dass alle Summen der Tabelle weiter stimmen.",
    ),
    sources=(
        Source(
            "wettig2002",
            "2.4, kinds of protection: falsification by random fields (L1305-1315); cuboids L1096-1217",
        ),
    ),
    preserves=(
        Claim(Text("every sum: the table adds up", "jede Summe: die Tabelle geht auf"), _additive),
        Claim(
            Text(
                "every cell that is not shown as perturbed, and the sign of all values",
                "jede nicht als überlagert gezeigte Zelle und das Vorzeichen aller Werte",
            ),
            _others_open,
        ),
        Claim(Text("every value on average", "jeden Wert im Mittel"), _right_on_average, Holds.ON_AVERAGE),
    ),
    protects=(
        Claim(
            Text(
                "every marked cell is shown at least so far from its value as its protection requires",
                "jede markierte Zelle wird mindestens so weit von ihrem Wert gezeigt, wie ihr Schutz verlangt",
            ),
            _moved_enough,
        ),
        Claim(
            Text(
                "an attacker who takes all perturbed cells as unknown finds intervals as wide as required",
                "ein Angreifer, der alle überlagerten Zellen als unbekannt nimmt, findet so breite Intervalle wie verlangt",
            ),
            _withstands,
        ),
    ),
    does_not=(
        Text(
            "hide which cells were changed: they are shown as perturbed",
            "verbergen, welche Zellen verändert wurden: sie sind als überlagert gezeigt",
        ),
        Text(
            "protect marked cells that are empty, or that no others can balance",
            "markierte Zellen schützen, die leer sind oder sich nicht durch andere ausgleichen lassen",
        ),
        Text(
            "reckon with contributors who know cells of their own",
            "mit Beteiligten rechnen, die eigene Zellen kennen",
        ),
        Text(
            "give a cell the same noise in a table with other cells: publish it in one table, or use table.perturb",
            "einer Zelle in einer Tabelle mit anderen Zellen dasselbe Rauschen geben: veröffentlichen Sie sie in einer Tabelle oder "
            "nehmen Sie table.perturb",
        ),
    ),
    example={"lasting": False, "series": "persons"},
    maturity=Maturity.REPLICATED,
    random=True,
    revision=4,
)
class CuboidNoise(TableMethod):
    """Change the corners of a cuboid through every marked cell by +ε and -ε in turn, so that the table stays additive.

    Use it where users need a complete table that adds up and can live with some changed cells. For every marked cell the
    cuboid is chosen that changes fewest further cells, then smallest ones. ε is random with mean 0 and moves the marked cell by at least
    its required protection and at most about twice as far; no cell leaves the bounds known beforehand, so nothing becomes negative
    that was not. Where a later cuboid undoes the noise of an earlier cell, it is moved again. Cells that must stay open are not
    touched. If a cell cannot be protected the table is refused.
    """

    lasting: bool = True
    """The same table is changed alike in every run with this secret. | Dieselbe Tabelle wird in jedem Lauf mit diesem Geheimnis gleich
    verändert."""
    series: str = ""
    """What is measured: tables with the same word draw alike, others apart. | Was gemessen wird: Tabellen mit demselben Wort ziehen
    gleich, andere getrennt."""

    @property
    def needs_marks(self) -> bool:
        return True

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        free = changeable(pattern, self.id, inner=False)
        work = _Work(pattern, free)
        lacking = work.lacking()
        for turn in range(ROUNDS):
            if not lacking.any():
                break
            size, side = (
                draws(
                    pattern.table,
                    stream,
                    f"{self.id} {what} {turn}",
                    lasting=self.lasting,
                    series=self.series,
                )
                for what in ("size", "side")
            )
            found = [work.move(int(c), float(size[c]), float(side[c])) for c in np.flatnonzero(lacking)]
            lacking = work.lacking()
            if not any(found):
                break
        self._refuse(pattern, lacking | (pattern.mark == Mark.SUPPRESS))
        because = Text(
            "changed so that all sums hold; information loss {lost}",
            "so verändert, dass alle Summen stimmen; Informationsverlust {lost}",
        ).filled(lost=told(loss(pattern.table.value, work.shown)))
        return changed(pattern, work.altered, work.shown, Status.PERTURBED, because)

    def _refuse(self, pattern: Pattern, cells: Bools) -> None:
        if cells.any():
            names = listed([pattern.table.spelt(int(i)) for i in np.flatnonzero(cells)[:13]])
            best = _BEST.filled(count=int(cells.sum()), names=names)
            raise Unattainable(who=self.id, goal=_GOAL, best=best, hint=_HINT)


class _Work:
    """The table while it is changed."""

    def __init__(self, pattern: Pattern, free: Bools) -> None:
        table = pattern.table
        strides = strides_of([len(h) for h in table.dimensions])
        assert strides is not None  # the table has keys
        self.pattern, self.free, self.need = pattern, free, _need(pattern)
        self.grid = Grid(table.key, strides, [h.parent for h in table.dimensions])
        self.shown = table.value.copy()
        self.altered = np.zeros(len(table), dtype=np.bool_)

    def lacking(self) -> Bools:
        """Marked cells not moved enough; if all are, those that would come out too closely."""
        moved = self.need.lacking(self.pattern.primary, self.shown - self.pattern.table.value)
        return moved if moved.any() else too_near(self.pattern, self.altered)

    def move(self, cell: int, size: float, side: float) -> bool:
        """Draw ε for a cell: up by m₊ with probability m₋/(m₊+m₋), else down by m₋; its mean is 0. False if nothing balances it."""
        moved = self.shown[cell] - self.pattern.table.value[cell]
        need = np.array([self.need.up[cell], self.need.down[cell]])
        least = need - (moved, -moved)
        if min(least) <= 0:  # moved enough, only its surroundings are too narrow
            least = need
        found = self._cuboid(cell, *np.maximum(least, need))
        if found is None:
            return False
        up, down = self._between(least, np.minimum((found.up, found.down), np.add(least, need)), size)
        step = up if side * (up + down) < down else -down
        self.shown[found.row] += found.sign * step
        self.altered[found.row] = True
        return True

    def _between(self, least: Floats, most: Floats, u: float) -> Floats:
        if is_whole(self.pattern.table):
            out: Floats = least + np.floor(u * (np.floor(most + CLOSE) - least + 1))
            return out
        return least + u * (most - least)

    def _cuboid(self, cell: int, up: float, down: float) -> Cuboid | None:
        """Through cells whose own noise stays as it is, if there is such a cuboid."""
        done = self.pattern.primary & ~self.need.lacking(
            self.pattern.primary, self.shown - self.pattern.table.value
        )
        done[cell] = False
        for barred in (done | ~self.free, ~self.free):
            found = self.grid.cheapest(cell, up, down, self._room(barred))
            if found is not None:
                return found
        return None

    def _room(self, barred: Bools) -> Room:
        """Within what is known beforehand, seen from the true values and from those shown so far."""
        value, low, high = self.pattern.table.value, self.pattern.low, self.pattern.high
        up = np.minimum(high - value, high - self.shown)
        down = np.minimum(value - low, self.shown - low)
        return Room(up, down, barred, ~self.altered, np.abs(value))


_GOAL = Text(
    "noise on every marked cell that others balance",
    "Rauschen auf jeder markierten Zelle, das andere ausgleichen",
)
_BEST = Text(
    "{count} cells cannot be protected so: {names}", "{count} Zellen lassen sich so nicht schützen: {names}"
)
_HINT = Text(
    "Let more cells be changed, merge categories (table.recode), or suppress instead, for example with table.quader.",
    "Lassen Sie mehr Zellen verändern, fassen Sie Kategorien zusammen (table.recode) oder sperren Sie, zum Beispiel mit table.quader.",
)
