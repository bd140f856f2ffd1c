"""Camouflage: several vectors in place of a column, the truth a hidden mixture of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.masked import refuse_infinite
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors.data import NameTaken
from tarnkappe.kernels.camouflage import camouflaged, halves, hidden_weights, step_of, sum_bounds
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns
from tarnkappe.vocab import Kind

ROUNDING = 1e-9
SHIFT = 0.5
"""Largest common shift of the vectors of a value, in steps: with it every mixture gives values that lie anywhere between two steps."""
FINE = 10
"""Vectors are shown to so many parts of a step."""
SLACK = SHIFT + SHIFT / FINE
"""How far the mixture may be from the truth, in steps."""
QUESTIONS = 5
"""So many sums with signs and choices by chance are asked when a claim is checked."""


@dataclass(frozen=True)
class _Shown:
    """One column where it is shown: the truth, the vectors, the groups, and the step of the values."""

    truth: Floats
    vectors: Floats
    group: Ints
    step: float

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """Least and largest of the vectors of every record."""
        return self.vectors.min(axis=1, initial=np.inf), self.vectors.max(axis=1, initial=-np.inf)

    @cached_property
    def largest(self) -> Floats:
        low, high = self.ends
        return np.maximum(-low, high)

    @cached_property
    def scale(self) -> float:
        return float(power_scale(self.largest[:, None])[0])

    @cached_property
    def scaled(self) -> tuple[Floats, Floats, Floats]:
        """Truth, vectors and what rounding and shift allow, on a scale where sums do not overflow."""
        near = SLACK * self.step / self.scale + ROUNDING * (self.largest / self.scale)
        return self.truth / self.scale, self.vectors / self.scale, near

    def each_holds(self) -> bool:
        """Whether the truth of every record lies between the ends."""
        x, _, near = self.scaled
        low, high = (end / self.scale for end in self.ends)
        return bool(np.all((low - near <= x) & (x <= high + near)))

    def asked(self, weight: Floats, cells: Ints) -> bool:
        """Whether the true sums lie between their bounds."""
        x, y, near = self.scaled
        count = int(cells.max(initial=-1)) + 1
        low, high = sum_bounds(y, self.group, weight, cells, count)
        true = np.bincount(cells, weight * x, count)
        slack = np.bincount(cells, np.abs(weight) * near, count)
        return bool(np.all((low - slack <= true) & (true <= high + slack)))


def _shown(m: Camouflage, before: Microdata, after: Microdata) -> Iterator[_Shown]:
    aligned = before.aligned_to(after)
    groups = after.column(m.into).values
    for name in m.columns:
        x = aligned.column(name).numbers()
        there = ~np.isnan(x)
        y = np.stack(
            [after.column(v).numbers()[there] for v in m.vector_names(name)]
        ).T  # each vector in one piece
        yield _Shown(x[there], y, groups[there], m.step(before, name))


def _answers_hold(m: Camouflage, before: Microdata, after: Microdata) -> bool:
    """Every record, every group, and sums of many records with signs by chance."""
    draw = np.random.default_rng(1)
    for s in _shown(m, before, after):
        ones, each = np.ones(len(s.truth)), np.arange(len(s.truth), dtype=np.int64)
        if not (s.each_holds() and s.asked(ones, s.group)):
            return False
        signs = (draw.integers(-1, 2, len(each)).astype(np.float64) for _ in range(QUESTIONS))
        if not all(s.asked(sign, 0 * each) for sign in signs):
            return False
    return True


def _far_from_both_ends(m: Camouflage, before: Microdata, after: Microdata) -> bool:
    for s in _shown(m, before, after):
        far = np.maximum(m.safety / 100 * np.abs(s.truth), s.step) * (s.truth != 0)
        near, (low, high) = far - ROUNDING * s.largest, s.ends
        if not np.all((high >= s.truth + near) & (low <= s.truth - near)):
            return False
    return True


def _own_patterns(m: Camouflage, before: Microdata, after: Microdata) -> bool:
    """Half of the vectors above the middle, and no two records of a group with the same half, or with opposite ones."""
    for s in _shown(m, before, after):
        use = s.truth != 0
        low, high = (end[use] for end in s.ends)
        upper = s.vectors[use] / 2 > ((high / 2 + low / 2) / 2)[:, None]
        if not np.all(upper.sum(axis=1) == m.vectors // 2):
            return False
        bits = (upper ^ ~upper[:, :1]) @ (1 << np.arange(m.vectors))
        found = classes([(s.group[use], int(s.group.max(initial=0)) + 1), (bits, 1 << m.vectors)])
        if len(found.sizes) < len(bits):
            return False
    return True


def _zeros_kept(m: Camouflage, before: Microdata, after: Microdata) -> bool:
    return all(np.array_equal(s.truth == 0, (s.vectors == 0).all(axis=1)) for s in _shown(m, before, after))


@method(
    "microdata.camouflage",
    family=Family.NOISE,
    title=Text("Camouflage", "Tarnung"),
    does=Text(
        "Each value was replaced by several values; the truth is a hidden mixture of them, so that answers to queries are intervals that hold for certain.",
        "Jeder Wert wurde durch mehrere Werte ersetzt; der wahre ist eine verborgene Mischung davon, sodass Antworten auf Abfragen Intervalle sind, "
        "die sicher gelten.",
    ),
    sources=(
        Source("dav2025", "3.3.6, camouflage (D-M16)"),
        Source("gopal2002", "confidentiality via camouflage: the convex hull of vectors, exact bounds of queries"),
        Source("garfinkel2006", "insiders who know a value"),
    ),
    preserves=(
        Claim(
            Text(
                "the truth of every sum and mean: it lies between the least and the largest answer of the vectors, group by group, give or take about half a step of each value",
                "die Wahrheit jeder Summe und jedes Mittelwerts: Sie liegt zwischen kleinster und größter Antwort der Vektoren, Gruppe für Gruppe, "
                "bis auf etwa eine halbe Stufe je Wert",
            ),
            _answers_hold,
        ),
        Claim(Text("zeros", "Nullen"), _zeros_kept),
    ),
    protects=(
        Claim(
            Text(
                "every value but zero lies at least `safety` percent of itself, and one step of its column, away from both ends of its interval",
                "jeder Wert außer null liegt mindestens `safety` Prozent seiner Größe und eine Stufe seiner Spalte von beiden Enden seines Intervalls entfernt",
            ),
            _far_from_both_ends,
        ),
        Claim(
            Text(
                "whoever knows one value of a group, as its respondent does, cannot narrow the interval of any other",
                "wer einen Wert einer Gruppe kennt, wie der Befragte selbst, kann das Intervall keines anderen enger machen",
            ),
            _own_patterns,
        ),
    ),
    does_not=(
        Text(
            "protect against insiders together: who knows about as many values of a group as there are vectors computes the rest",
            "vor Beteiligten schützen, die sich zusammentun: wer etwa so viele Werte einer Gruppe kennt, wie es Vektoren gibt, errechnet die übrigen",
        ),
        Text(
            "prevent a good guess: the truth is somewhere in the middle half of its interval",
            "gutes Raten verhindern: der wahre Wert liegt in der mittleren Hälfte seines Intervalls",
        ),
        Text("hide which values are zero", "verbergen, welche Werte null sind"),
        Text(
            "keep the sign of values of few steps: a head count of two may get a vector below zero",
            "das Vorzeichen von Werten weniger Stufen erhalten: eine Anzahl von zwei kann einen Vektor unter null bekommen",
        ),
        Text(
            "allow models on single vectors: none of them is the data",
            "Modelle auf einzelnen Vektoren erlauben: keiner davon ist die Datei",
        ),
        Text("protect columns that were not chosen", "nicht gewählte Spalten schützen"),
    ),
    example={
        "columns": ("income", "wealth"), "safety": 15.0, "vectors": 4, "within": ("sex",), "base": {"wealth": 10.0},
        "into": "mixture",
    },
    random=True,
)  # fmt: skip
class Camouflage(Method):
    """Replace a column by several, of which a mixture with hidden weights is the truth.

    Use it where answers must be certain rather than likely: a sum, a mean, a largest or smallest value of any selection of records lies in an interval that can be computed
    from the file, `tarnkappe.correct.bounds` does so. Sums of many records have narrow intervals, because deviations cancel in every
    vector; the interval of one record is about 4.4 times `safety` wide when that is 10 percent.

    Records come by chance into groups of as many as there are ways to halve the vectors (3 for 4 vectors, 10 for 6, 35 for 8, 126 for 10), within strata. Each group has its own hidden
    weights in every column. In every record half of the vectors lie above the middle and half below, each record of a group in
    another way: so an insider, who can compute the weight of one half, learns nothing of the halves of others. More vectors make larger groups and narrower sums, and
    a larger file. The column `into` numbers the groups: answers need it.

    Where true values are whole numbers, or mostly multiples of 100, the few hidden weights of a group could be found by looking for those with which all
    values come out so. The vectors of a value are therefore shifted together by up to half of that step, so that no mixture comes out, and bounds widened
    accordingly. The step is the largest power of ten of which more than
    half of the values are multiples, at least 1 for whole numbers; `base` sets another.

    Zero stays zero in all vectors. Missing stays missing, suppressed stays suppressed, also where only one column has a gap.
    Infinite values are refused. Negative values are treated like positive ones; equal values get different vectors, also where a
    column is constant.
    """

    columns: Columns
    """Numeric columns to treat. | Numerische Spalten, die behandelt werden."""
    safety: Annotated[float, Field(gt=0, le=30)] = 10.0
    """Least distance of a value from both ends of its interval, in percent of the value. | Mindestabstand eines Werts von beiden Enden seines
    Intervalls, in Prozent des Werts."""
    vectors: Literal[4, 6, 8, 10] = 8
    """How many columns take the place of one. | Wie viele Spalten an die Stelle einer treten."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    base: Mapping[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """Column -> step of which its values are mostly multiples; found from the values if not given. | Spalte -> Stufe, deren Vielfache
    ihre Werte meist sind; ohne Angabe aus den Werten bestimmt."""
    into: Annotated[str, Field(min_length=1)] = "camouflage"
    """New column that numbers the groups. | Neue Spalte, die die Gruppen nummeriert."""

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.within)))

    def vector_names(self, name: str) -> tuple[str, ...]:
        return tuple(f"{name}_{j}" for j in range(1, self.vectors + 1))

    def adds(self) -> tuple[str, ...]:
        return (*(v for name in self.columns for v in self.vector_names(name)), self.into)

    def step(self, data: Microdata, name: str) -> float:
        """The step of the values of a column; 0 where they have none."""
        if name in self.base:
            return self.base[name]
        x = data.column(name).numbers()
        return max(step_of(x[~np.isnan(x)]), float(data.column(name).kind is Kind.INTEGER))

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        data.numbers(self.columns, self.id)
        for name in self.adds():
            if name in data.names:
                raise NameTaken(who=self.id, name=name, parameter="into" if name == self.into else "columns")
        groups = self._groups(data, stream)
        made = {name: self._vectors(data, name, groups, stream) for name in self.columns}
        kept = [n for n in data.names if n not in self.columns or n in self.within]
        roles = {
            role: tuple(v for n in names for v in ((n,) if n in kept else tuple(made[n])))
            for role, names in data.roles.items()
        }
        columns = {n: data.column(n) for n in kept} | {v: c for vs in made.values() for v, c in vs.items()}
        numbers = Column(Kind.INTEGER, groups.of.astype(np.int64), label="camouflage: group")
        return Microdata({**columns, self.into: numbers}, roles, data.rows, data.origin)

    def _groups(self, data: Microdata, stream: Stream) -> Strata:
        """Records of one stratum by chance in groups of as many as there are patterns, numbered without regard to the values."""
        strata = strata_of(data, self.within)
        order = np.lexsort((stream.generator.random(len(data)), strata.of))
        place = np.arange(len(data)) - np.repeat(strata.starts[:-1], strata.sizes)
        new = np.flatnonzero(place % len(halves(self.vectors)) == 0)
        of = np.empty(len(data), dtype=np.int64)
        of[order] = np.repeat(np.arange(len(new)), np.diff(np.append(new, len(data))))
        return Strata(of, np.bincount(of, minlength=len(new)))

    def _vectors(self, data: Microdata, name: str, groups: Strata, stream: Stream) -> dict[str, Column]:
        column, step, draw = data.column(name), self.step(data, name), stream.generator
        x = np.where(column.observed, column.numbers(), 0.0)
        weights = hidden_weights(draw, len(groups), self.vectors)
        y = camouflaged(
            x, groups.order, groups.starts, weights, halves(self.vectors), self._spread(step), draw
        )
        y = self._shifted(y, step, draw) if step else y
        refuse_infinite(data, (name,) * self.vectors, np.where(column.observed[:, None], y, 0.0), self.id)
        return {v: column.with_numbers(y[:, j]) for j, v in enumerate(self.vector_names(name))}

    @staticmethod
    def _shifted(y: Floats, step: float, draw: np.random.Generator) -> Floats:
        """All vectors of a value moved by the same part of a step, and then rounded to a fine one; zero stays."""
        shift = draw.uniform(-SHIFT * step, SHIFT * step, len(y))[:, None]
        fine = step / FINE
        out: Floats = np.where(y.any(axis=1, keepdims=True), np.rint((y + shift) / fine) * fine, 0.0)
        return out

    def _spread(self, step: float) -> tuple[float, float]:
        """Distance of the halves for which the truth is `safety` and a step away from both ends, whatever the weights.

        A half weighs at least 1/4, so the truth is at least a quarter of the distance s from both ends. s = r·m + 4 (1 + slack) steps,
        and the truth at most m + s/4: s/4 is at least p·(m + s/4) if r = 4p/(1-p). The slack is lost by the shift.
        """
        p = self.safety / 100
        return 4 * p / (1 - p), 4 * (1 + SLACK) * step

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """Which columns belong together and how far they are rounded: without it no answer holds. Weights are never told."""
        del after
        columns = {
            n: {"vectors": list(self.vector_names(n)), "slack": SLACK * self.step(before, n)}
            for n in self.columns
        }
        return {"columns": columns, "group": self.into}
