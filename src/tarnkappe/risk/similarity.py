"""Similarity: classes whose sensitive values differ and still mean the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.risk import MeaningNeeded
from tarnkappe.kernels.coding import distinct
from tarnkappe.language import Text, listed
from tarnkappe.risk.profiles import Apply, Codes, Score, Told, told_by
from tarnkappe.risk.weakness import KNOWS_KEYS, Weakness
from tarnkappe.spec import Goal, Json, Maturity, Source, measure
from tarnkappe.vocab import Kind

_ON_A_SCALE = (Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.DATETIME)


@measure(
    "risk.similarity",
    title=Text("Similarity", "Ähnlichkeit"),
    does=Text(
        "Finds the persons whose possible sensitive values differ but lie under one node of the hierarchy, or in a narrow interval.",
        "Findet die Personen, deren mögliche sensible Werte verschieden sind, aber unter einem Knoten der Hierarchie oder in einem engen "
        "Intervall liegen.",
    ),
    sources=(
        Source("li2007", "section 3: similarity attack on l-diversity"),
        Source("dav2025", "section 4.3: weaknesses of l-diversity, similarity"),
    ),
    reads=Text(
        "Of a share of {value} of all persons the keys tell the kind of a sensitive value, if not the value.",
        "Bei einem Anteil von {value} aller Personen verraten die Schlüssel die Art eines sensiblen Werts, wenn nicht den Wert.",
    ),
    knows=KNOWS_KEYS,
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "know what values mean beyond their hierarchy or their distance on the scale",
            "wissen, was Werte über ihre Hierarchie oder ihren Abstand auf der Skala hinaus bedeuten",
        ),
        Text(
            "judge categories without a hierarchy: they are left out and named in the details",
            "Kategorien ohne Hierarchie beurteilen: Sie bleiben weg und stehen in den Einzelheiten",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "l_by_level": Text("l on the level of the hierarchy", "l auf der Ebene der Hierarchie"),
    },
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "sensitive": ["occupation", "income"],
        "others_known": True, "unknown": "skip", "under": 2, "narrow": 0.2,
    },
)  # fmt: skip
class Similarity(Weakness):
    """The share of persons in classes whose sensitive values all lie under one node, or in a narrow interval.

    Columns of codes are judged by their hierarchy: a class is alike if all its values lie under one code of level `under` (1 is the first level
    below the total); the details give l, the number of codes, on every level. Numbers and dates are judged by their range: a
    class is alike if it spans at most `narrow` of the range of the whole release. A class with a single value is alike too. Missing
    sensitive values have no place in either and tell nothing; other policies are those of `risk.k-anonymity`. Per record: 1 where the class
    is alike, else 0.
    """

    under: Annotated[int, Field(ge=1)] = 1
    """Values under one code of this level of the hierarchy are alike. | Werte unter einem Code dieser Ebene der Hierarchie sind ähnlich."""
    narrow: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """Numbers within this share of their whole range are alike. | Zahlen in diesem Anteil ihrer ganzen Spannweite sind ähnlich."""

    def named(self, data: Microdata) -> tuple[str, ...]:
        names = super().named(data)
        judged = tuple(n for n in names if _has_meaning(data.column(n)))
        if not judged:
            raise MeaningNeeded(names=listed(names))
        return judged

    def policy(self, data: Microdata) -> dict[str, Json]:
        left = [n for n in super().named(data) if not _has_meaning(data.column(n))]
        return super().policy(data) | {"missing_sensitive": "skip", "left_out": left}

    def knows_nearness(self) -> bool:
        return True

    def told(self, data: Microdata, name: str) -> Told:
        told, column = told_by(data, name, skip_missing=True), data.column(name)
        return told if column.kind in _ON_A_SCALE else _in_preorder(column, told)

    def score(self, data: Microdata, told: Told) -> Score:
        from tarnkappe.kernels import weakness_scores as scores  # noqa: PLC0415 - numba is loaded when first used

        column = data.column(told.name)
        if column.kind in _ON_A_SCALE:
            numbers = distinct(column.values)[told.kinds].astype(np.float64)
            widest = self.narrow * (numbers[-1] - numbers[0]) if len(numbers) > 1 else 0.0
            return lambda shown: _yes(
                scores.spread(shown.starts, shown.values, numbers) <= widest * (1 + 1e-12)
            )
        tree, node = _placed(column, told)
        above = tree.ancestors(min(self.under, tree.depth))[node]
        at_total = tree.level[above] == 0
        return lambda shown: _yes(
            (scores.kinds(shown.starts, shown.values, above) == 1)
            & ~_first(shown.starts, shown.values, at_total)
        )

    def exposed(self, score: Floats) -> Bools:
        return np.asarray(score == 1)

    def figures(self, data: Microdata, told: Told, apply: Apply) -> dict[str, Json]:
        from tarnkappe.kernels import weakness_scores as scores  # noqa: PLC0415

        column = data.column(told.name)
        if column.kind in _ON_A_SCALE:
            return {}
        tree, node = _placed(column, told)

        def least(level: int) -> int:
            above = tree.ancestors(level)[node]
            return int(np.fmin.reduce(apply(lambda shown: scores.kinds(shown.starts, shown.values, above))))

        return {"l_by_level": {str(level): least(level) for level in range(1, tree.depth + 1)}}


def _has_meaning(column: Column) -> bool:
    return column.kind in _ON_A_SCALE or column.hierarchy is not None


def _placed(column: Column, told: Told) -> tuple[Hierarchy, Ints]:
    """The hierarchy, and the node of every value."""
    assert column.hierarchy is not None
    tree, placed = column.hierarchy.fitted(column)
    placed.refuse_unknown(told.name)
    return tree, placed.nodes[told.kinds]


def _in_preorder(column: Column, told: Told) -> Told:
    """The values as they follow each other in the hierarchy, so that those under one node stand side by side."""
    _, node = _placed(column, told)
    order = np.argsort(node, kind="stable")
    place = np.append(np.argsort(order), -1).astype(told.codes.dtype)
    return replace(told, codes=place[told.codes], kinds=told.kinds[order], shares=told.shares[order])


def _yes(alike: Bools) -> Floats:
    return alike.astype(np.float64)


def _first(starts: Ints, values: Codes, flags: Bools) -> Bools:
    """The flag of the first value of every row; of an empty row, none."""
    out = np.zeros(len(starts) - 1, dtype=np.bool_)
    there = np.diff(starts) > 0
    out[there] = flags[values[starts[:-1][there]]]
    return out
