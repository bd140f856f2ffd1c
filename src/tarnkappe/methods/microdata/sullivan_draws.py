"""The draws in Sullivan's masking: noise on the scores of a stratum, drawn anew for records that are recognised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.kernels.normal_scores import Ladder, adjusted
from tarnkappe.kernels.on_cores import on_cores, slices
from tarnkappe.kernels.white_noise import Covariance, RunningCovariance, collinear, coloured
from tarnkappe.methods.microdata.sullivan_attack import Attacker, Places, Seen
from tarnkappe.methods.microdata.sullivan_scores import CategoryScores, Scores

FEW = 0.001
"""Where no larger share of the records was drawn anew, their covariance counts as unchanged."""

LEAD = 0.03
"""In standard deviations of a score, along every axis. Redraws of some move the others by about a hundredth."""

AT_ONCE = 1024
"""Where fewer records are to be drawn anew, each is drawn several times at once: to go once more through all steps for a few costs more."""

CLEARLY = 1 - 1e-6
"""Rounding must not make a movement seem smaller than it is."""

Released = list[NDArray[Any]]
"""Numbers or codes of every column; NaN and -1 where nothing is shown."""


@dataclass(frozen=True)
class InCommon:
    """White noise that the records of a stratum have in common with other records of their unit."""

    white: Floats
    own: float
    """What is left to the noise of every record: its standard deviation."""

    def added(self, own: Floats, rows: Ints | None) -> Floats:
        """Together with white noise of the records themselves, of all or of some."""
        own *= self.own
        own += self.white if rows is None else self.white[rows]
        return own


@dataclass(frozen=True)
class UnitWhite:
    """White noise of the units of a file, for every number and every category of its columns."""

    of: Ints
    """The unit of every record."""
    white: Floats
    starts: Ints
    """Where each column begins in it."""
    own: float

    def at(self, rows: Ints) -> UnitWhite:
        """Of some records."""
        return replace(self, of=self.of[rows])

    def in_common(self, scores: Sequence[Scores]) -> InCommon:
        """For the scores of a stratum, which may lack categories and leave out its most frequent one."""
        places = [
            start + (s.categories[:-1] if isinstance(s, CategoryScores) else np.zeros(1, dtype=np.int64))
            for s, start in zip(scores, self.starts, strict=False)
        ]
        return InCommon(self.white[self.of[:, None], np.concatenate(places)], self.own)


@dataclass(frozen=True)
class Part:
    """A stratum: how its columns become scores, the scores, their covariance, and what its noise has in common with that of others."""

    scores: Sequence[Scores]
    v: Floats
    covariance: Covariance
    common: InCommon | None = None


@dataclass(frozen=True)
class Aim:
    """How much noise, which values, and when a record is safe."""

    variance_ratio: float
    exact: bool
    rank_limit: int
    redraws: int

    @property
    def kim_a(self) -> float:
        return float(1 / np.sqrt(1 + self.variance_ratio))


@dataclass(frozen=True)
class Passed:
    """Where records were when they were last tested, and by what lead they passed; 0 where that was not shown."""

    points: Floats
    lead: Floats

    def note(self, rows: Ints, points: Floats, lead: Floats) -> None:
        """Where some records are now."""
        self.points[rows], self.lead[rows] = points, lead

    def elsewhere(self, places: Places, rows: Ints | None) -> Ints:
        """Which of all or of some records lie too far from where they passed to be safe without another test."""
        points, lead = (self.points, self.lead) if rows is None else (self.points[rows], self.lead[rows])
        return np.flatnonzero(2 * places.moved(points) >= CLEARLY * lead)


class Draws:
    """Masked scores of a stratum, and the map that gives them the covariance of the originals.

    A draw is tested by its scores, before there are values for them. The map depends on all records and moves when some are drawn anew; so a
    draw must pass by a lead. In the end the values are tested as they will be released, but for those that lie so near to where they passed that
    the lead cannot be lost.
    """

    def __init__(self, part: Part, attacker: Attacker, aim: Aim, generator: np.random.Generator) -> None:
        self._part, self._attacker, self._aim, self._generator = part, attacker, aim, generator
        self._gaps, unit = bool(np.isnan(part.v).any()), np.eye(part.v.shape[1])
        self._colours = aim.kim_a * coloured(unit, part.covariance, aim.variance_ratio)
        self._masked = RunningCovariance(self._noisy(None))
        self._restore, self._redraws = self._restoring(), np.zeros(len(part.v), np.int64)
        self._ladders = self._climbed()
        self._lead = LEAD * np.sqrt(max(len(attacker.free), 1))
        self._passed = self._passed_at_once()

    def released(self) -> tuple[Released, Bools]:
        """New values, and the records that are still recognised."""
        most, exact = self._aim.redraws, self._aim.exact
        self._anew(np.flatnonzero(self._passed.lead == 0), 1 + most // 5, self._lead)
        hard = np.flatnonzero(self._redraws > most // 5)
        self._anew(hard[self._doubted(hard, self._lead / 4)], 1 + most // 2, self._lead / 4)
        values, found = self._tried_all()
        while len(bad := np.flatnonzero(found & (self._redraws < most))):
            self._anew(bad, most, 0.0)
            if exact or len(bad) > FEW * len(found):
                values, found = self._tried_all()
                continue
            some, found[bad] = self._tried(bad)
            for column, new in zip(values, some, strict=True):
                column[bad] = new
        return values, found

    def _anew(self, bad: Ints, most: int, lead: float) -> None:
        """Draw records anew until they pass by a lead, or have been drawn anew so often."""
        while len(bad := bad[self._redraws[bad] < most]):
            left = most - int(self._redraws[bad].max())
            bad = bad[self._drawn(bad, min(max(AT_ONCE // len(bad), 1), left), lead)]

    def _drawn(self, rows: Ints, times: int, lead: float) -> Bools:
        """Draw records anew, each up to the first of so many draws that passes by a lead; which of them no draw lets pass."""
        each = np.repeat(rows, times)
        x = self._noisy(each)
        points, doubted = self._tested(each, x, lead)
        passes = ~doubted.reshape(-1, times)
        before = np.where(passes.any(axis=1), passes.argmax(axis=1), times - 1)
        taken = np.arange(len(rows)) * times + before
        self._masked.put(rows, x[taken])
        self._redraws[rows] += before + 1
        self._passed.note(rows, points[taken], np.where(doubted[taken], 0.0, lead))
        return doubted[taken]

    def _noisy(self, some: Ints | None) -> Floats:
        """Kim's constant times scores and noise, of all or of some records."""
        v, kim_a = self._part.v if some is None else self._part.v[some], self._aim.kim_a
        out = self._generator.standard_normal(v.shape)
        if self._part.common is not None:
            out = self._part.common.added(out, some)

        def add(rows: slice) -> None:
            out[rows] = out[rows] @ self._colours + kim_a * v[rows]

        on_cores(add, slices(len(v)), len(v))
        return out

    def _restoring(self) -> Floats:
        """The map to the covariance of the originals; none where scores do not vary enough."""
        was, now, unit = self._part.covariance, self._masked.now, np.eye(self._part.v.shape[1])
        if len(collinear(now.r)) or not now.sd.all():
            return unit
        return adjusted(unit, was.matrix, now.matrix)

    def _tried_all(self) -> tuple[Released, Bools]:
        """Values of all records with the map as it is to be, and who is recognised by them."""
        self._restore = self._restoring()
        return self._tried(None)

    def _tried(self, rows: Ints | None) -> tuple[Released, Bools]:
        """Values of all or of some records, and who is recognised by them."""
        values, seen = self._shown(rows)
        places, records = self._attacker.places(seen), np.arange(len(self._redraws)) if rows is None else rows
        unsure, found = self._passed.elsewhere(places, rows), np.zeros(len(records), dtype=np.bool_)
        at = records[unsure]
        found[unsure] = self._attacker.recognises(places.of(unsure), self._aim.rank_limit, at)
        return values, found

    def _passed_at_once(self) -> Passed:
        """Who passes with the first draw by a lead."""
        points, doubted = self._tested(None, self._masked.x, self._lead)
        return Passed(points, np.where(doubted, 0.0, self._lead))

    def _doubted(self, rows: Ints, lead: float) -> Bools:
        """Which of some records are not shown to pass by a lead; the others pass."""
        points, doubted = self._tested(rows, self._masked.x[rows], lead)
        self._passed.note(rows, points, np.where(doubted, 0.0, lead))
        return doubted

    def _tested(self, rows: Ints | None, x: Floats, lead: float) -> tuple[Floats, Bools]:
        """Where all or some records lie with masked scores, and which of them are not shown to pass by a lead."""
        places = self._attacker.places(self._guessed(rows, x))
        return places.points, self._attacker.doubts(places, self._aim.rank_limit, lead, rows)

    def _shown(self, rows: Ints | None) -> tuple[Released, Seen]:
        """Values of all or of some records, and what an attacker makes of them."""
        x = self._masked.x if rows is None else self._masked.x[rows]
        exact, columns = self._aim.exact, self._columns(rows, x)
        found = on_cores(lambda c: c[0].back(c[1], exact=exact), columns, len(columns[0][0]))
        self._ladders = [column.ladder for column in found]
        return [column.values for column in found], [column.seen for column in found]

    def _climbed(self) -> list[Ladder | None]:
        """What becomes of the scores of every column, where values are to be given by rank."""
        if not self._aim.exact:
            return [None] * len(self._part.scores)
        columns = self._columns(None, self._masked.x)
        return on_cores(lambda c: c[0].ladder(c[1]), columns, len(columns[0][0]))

    def _guessed(self, rows: Ints | None, x: Floats) -> Seen:
        """What an attacker will make of masked scores, as near as that is known without going through all."""
        pairs = zip(self._columns(rows, x), self._ladders, strict=True)
        return [scores.guessed(v, ladder) for (scores, v), ladder in pairs]

    def _columns(self, rows: Ints | None, x: Floats) -> list[tuple[Scores, Floats]]:
        """The columns of all or of some records, and the scores they are to have for masked ones."""
        part, v = self._part, np.empty(x.shape, order="F")

        def restore(some: slice) -> None:
            v[some] = (np.nan_to_num(x[some]) if self._gaps else x[some]) @ self._restore

        on_cores(restore, slices(len(x)), len(x))
        scores = part.scores if rows is None else [s.of(rows) for s in part.scores]
        ends = np.cumsum([s.width for s in scores])[:-1]
        return list(zip(scores, np.split(v, ends, axis=1), strict=True))
