"""Camouflage: several vectors in place of a column, the truth a hidden mixture of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Column, Floats
from tarnkappe.data.masked import refuse_infinite
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.errors.data import NameTaken
from tarnkappe.kernels.camouflage import camouflaged, halves, hidden_weights, step_of
from tarnkappe.kernels.on_cores import on_cores
from tarnkappe.language import Text
from tarnkappe.methods.microdata.camouflage_claims import (
    FINE,
    SHIFT,
    SLACK,
    answers_hold,
    far_from_both_ends,
    own_patterns,
    zeros_kept,
)
from tarnkappe.methods.microdata.limits import only_treated
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import of_many
from tarnkappe.vocab import Kind, Role


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
            answers_hold,
        ),
        Claim(Text("zeros", "Nullen"), zeros_kept),
    ),
    protects=(
        Claim(
            Text(
                "every value but zero lies at least `safety` percent of itself, and one step of its column, away from both ends of its interval",
                "jeder Wert außer null liegt mindestens `safety` Prozent seiner Größe und eine Stufe seiner Spalte von beiden Enden seines Intervalls entfernt",
            ),
            far_from_both_ends,
        ),
        Claim(
            Text(
                "whoever knows one value of a group, as its respondent does, cannot narrow the interval of any other",
                "wer einen Wert einer Gruppe kennt, wie der Befragte selbst, kann das Intervall keines anderen enger machen",
            ),
            own_patterns,
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
        ForAnalysis(
            "keep the sign of values of few steps: a head count of two may get a vector below zero",
            "das Vorzeichen von Werten weniger Stufen erhalten: eine Anzahl von zwei kann einen Vektor unter null bekommen",
        ),
        ForAnalysis(
            "allow models on single vectors: none of them is the data",
            "Modelle auf einzelnen Vektoren erlauben: keiner davon ist die Datei",
        ),
        Text("protect columns that were not chosen", "nicht gewählte Spalten schützen"),
    ),
    advice=Text(
        "Each column stands there as several vectors. Any sum, mean, smallest or largest value of a selection lies for certain between "
        "bounds: `tk.correct.bounds` in Python. Models are not possible.",
        "Jede Spalte steht als mehrere Vektoren da. Jede Summe, jeder Mittelwert, kleinste oder größte Wert einer Auswahl liegt sicher "
        "zwischen Schranken: `tk.correct.bounds` in Python. Modelle sind nicht möglich.",
    ),
    words={
        "group": Text("column of the groups", "Spalte der Gruppen"),
    },
    example={
        "columns": ("income", "wealth"), "safety": 15.0, "vectors": 4, "within": ("sex",), "base": {"wealth": 10.0},
        "into": "mixture",
    },
    random=True,
    revision=2,
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

    In a panel every record counts by itself: the same value in another period has other vectors and another interval, and whoever knows that it did not
    change has both. Name the period under `within`, and take wider intervals.

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

    @model_validator(mode="after")
    def _bases_are_used(self) -> Self:
        only_treated("base", self.base, self.columns)
        return self

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.within)))

    def vector_names(self, name: str) -> tuple[str, ...]:
        return tuple(f"{name}_{j}" for j in range(1, self.vectors + 1))

    def drops(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def roles_after(self, roles: Mapping[Role, tuple[str, ...]]) -> Mapping[Role, tuple[str, ...]]:
        vectors = {name: self.vector_names(name) for name in self.columns}
        return {
            role: tuple(new for n in names for new in vectors.get(n, (n,))) for role, names in roles.items()
        }

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
        own = zip(self.columns, stream.generator.spawn(len(self.columns)), strict=True)
        vectors = on_cores(lambda one: self._vectors(data, one[0], groups, one[1]), own, len(data))
        made = dict(zip(self.columns, vectors, strict=True))
        kept = [n for n in data.names if n not in self.columns or n in self.within]
        roles = {
            role: tuple(v for n in names for v in ((n,) if n in kept else tuple(made[n])))
            for role, names in data.roles.items()
        }
        columns = {n: data.column(n) for n in kept} | {v: c for vs in made.values() for v, c in vs.items()}
        numbers = Column(Kind.INTEGER, groups.of.astype(np.int64), label="camouflage: group")
        return Microdata(
            {**columns, self.into: numbers}, roles, data.rows, data.origin, data.reported, data.behind
        )

    def _groups(self, data: Microdata, stream: Stream) -> Strata:
        """Records of one stratum by chance in groups of as many as there are patterns, numbered without regard to the values."""
        strata = strata_of(data, self.within)
        order = np.lexsort((stream.generator.random(len(data)), strata.of))
        place = np.arange(len(data)) - np.repeat(strata.starts[:-1], strata.sizes)
        new = np.flatnonzero(place % len(halves(self.vectors)) == 0)
        of = np.empty(len(data), dtype=np.int64)
        of[order] = np.repeat(np.arange(len(new)), np.diff(np.append(new, len(data))))
        return Strata(of, np.bincount(of, minlength=len(new)))

    def _vectors(
        self, data: Microdata, name: str, groups: Strata, draw: np.random.Generator
    ) -> dict[str, Column]:
        column, step = data.column(name), self.step(data, name)
        x = np.where(column.observed, column.numbers(), 0.0)
        weights = hidden_weights(draw, len(groups), self.vectors)
        y = camouflaged(
            x, groups.order, groups.starts, weights, halves(self.vectors), self._spread(step), draw
        )
        y = self._shifted(y, step, draw) if step else y
        refuse_infinite(data, (name,) * self.vectors, y.T, self.id)
        return {v: column.with_numbers(y[j]) for j, v in enumerate(self.vector_names(name))}

    @staticmethod
    def _shifted(y: Floats, step: float, draw: np.random.Generator) -> Floats:
        """All vectors of a value moved by the same part of a step, and then rounded to a fine one; zero stays."""
        zero, fine = ~y.any(axis=0), step / FINE
        y = y + draw.uniform(-SHIFT * step, SHIFT * step, y.shape[1])
        y /= fine
        np.rint(y, out=y)
        y *= fine
        y[:, zero] = 0.0
        return y

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
            n: {"vectors": list(self.vector_names(n)), "slack": of_many(SLACK * self.step(before, n))}
            for n in self.columns
        }
        return {"columns": columns, "group": self.into}
