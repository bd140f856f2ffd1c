"""t-closeness: how far the sensitive values of a class are from those of the whole file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Column, Floats
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.errors.risk import OrderNeeded, TreeNeeded
from tarnkappe.kernels.class_profiles import Counts
from tarnkappe.language import Text
from tarnkappe.risk.profiles import OnSensitive, Score, Told, told_by
from tarnkappe.spec import Goal, Json, Maturity, Source, measure
from tarnkappe.spec.fields import Values
from tarnkappe.vocab import Kind


@measure(
    "risk.t-closeness",
    title=Text("t-closeness", "t-Ähnlichkeit"),
    does=Text(
        "Measures how far the sensitive values of those who look alike are from those of the whole file; t is the largest distance.",
        "Misst, wie weit die sensiblen Werte derer, die gleich aussehen, von denen der ganzen Datei abweichen; t ist der größte Abstand.",
    ),
    sources=(
        Source("li2007", "earth mover's distance with equal, ordered and hierarchical distance"),
        Source("dav2025", "section 4.4"),
    ),
    reads=Text(
        "The keys tell at most a distance of {value} about sensitive values.",
        "Die Schlüssel verraten über sensible Werte höchstens einen Abstand von {value}.",
    ),
    knows=Text(
        "The attacker knows that the person is in the data, the true values of all keys, and the distribution in the whole file.",
        "Der Angreifer weiß, dass die Person in den Daten ist, und kennt die wahren Werte aller Schlüssel und die Verteilung in der "
        "ganzen Datei.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    alone=True,
    does_not=(
        Text(
            "say which t is small enough: that is unsolved, and a small t costs much of what the keys explain",
            "sagen, welches t klein genug ist: Das ist ungelöst, und ein kleines t kostet viel von dem, was die Schlüssel erklären",
        ),
        Text(
            "protect a value that is frequent in the whole file already",
            "einen Wert schützen, der schon in der ganzen Datei häufig ist",
        ),
    ),
    maturity=Maturity.REPLICATED,
    example={
        "keys": ["sex", "year"], "missing": "wildcard", "suppressed": "category", "sensitive": ["diagnosis", "income"],
        "others_known": True, "unknown": "skip", "ground": "ordered",
        "order": {"diagnosis": ["none", "injury", "asthma", "diabetes", "cancer"]},
    },
)  # fmt: skip
class TCloseness(OnSensitive):
    """The largest earth mover's distance between the sensitive values of a class and those of the whole release.

    `ground` says how far two values are from each other. `equal`: all alike, so that the distance is half the sum of the differences of
    the shares. `ordered`: by how many values lie between them, for numbers, dates and yes/no by themselves, for categories in the
    order given under `order`. `hierarchical`: by how high in the hierarchy of the column they meet, so that a class of
    related diagnoses is as bad as it is.

    A file satisfies t-closeness if its value is at most t. Keys count as in `risk.k-anonymity`, with all its policies. Suppressed
    sensitive values tell nothing; missing ones are a value of their own or tell nothing, as `unknown` says, and have no place in an order
    or a hierarchy, so with these they tell nothing.
    """

    ground: Literal["equal", "ordered", "hierarchical"] = "equal"
    """How far two sensitive values are from each other. | Wie weit zwei sensible Werte voneinander entfernt sind."""
    order: Values = Field(default_factory=dict)
    """For ordered: the values of a category from the lowest to the highest. | Für ordered: die Werte einer Kategorie vom niedrigsten zum
    höchsten."""

    def told(self, data: Microdata, name: str) -> Told:
        if self.ground == "equal":
            return super().told(data, name)
        told = told_by(data, name, skip_missing=True)
        column, order = data.column(name), self.order.get(name, ())
        if self.ground == "hierarchical" or (column.kind is not Kind.CATEGORY and not order):
            return told
        return _arranged(column, told, order)

    def policy(self, data: Microdata) -> dict[str, Json]:
        said = super().policy(data)
        return said if self.ground == "equal" else said | {"missing_sensitive": "skip"}

    def knows_nearness(self) -> bool:
        return self.ground == "ordered"

    def score(self, data: Microdata, told: Told) -> Score:
        from tarnkappe.kernels import profile_scores as scores  # noqa: PLC0415 - numba is loaded when first used

        if self.ground == "hierarchical":
            return _on_tree(data.column(told.name), told)
        distance = scores.ordered_distance if self.ground == "ordered" else scores.equal_distance
        return lambda shown: np.minimum(distance(*shown, told.shares), 1.0)


def _arranged(column: Column, told: Told, order: Sequence[str]) -> Told:
    """The values in the order that was given."""
    rank = {value: place for place, value in enumerate(order)}
    spelt = canonical(column)[told.kinds]
    without = sum(value not in rank for value in spelt)
    if without:
        raise OrderNeeded(name=told.name, count=without)
    by_rank = np.argsort([rank[value] for value in spelt], kind="stable")
    place = np.append(np.argsort(by_rank), -1).astype(told.codes.dtype)
    return replace(told, codes=place[told.codes], kinds=told.kinds[by_rank], shares=told.shares[by_rank])


def _on_tree(column: Column, told: Told) -> Score:
    """Two values are as far apart as the height at which they meet, over the height of the tree."""
    from tarnkappe.kernels import profile_scores as scores  # noqa: PLC0415

    if column.hierarchy is None:
        raise TreeNeeded(name=told.name)
    tree, placed = column.hierarchy.fitted(column)
    placed.refuse_unknown(told.name)
    node = placed.nodes[told.kinds]
    own: Floats = np.bincount(node, weights=told.shares, minlength=len(tree)).astype(np.float64)
    height = (tree.depth - tree.level) / max(tree.depth, 1)

    def distance(shown: Counts) -> Floats:
        return np.minimum(scores.tree_distance(*shown, own, node, tree.parent, height), 1.0)

    return distance
