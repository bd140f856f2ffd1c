"""Columns that add up or are proportional are masked as one: all but one by their steps, and that one follows from the others.

Three columns that add up and are masked each by itself give the originals back: of the values from which each may have come, few add up. What is released
must therefore be a function of masked columns that are free of each other. A step that treats all columns of a relation together (means of groups,
exchange of whole records) does so by itself; for all others the column that is the sum is left out of the step and computed behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tarnkappe.data.found_relations import found_relations, nearly_holds
from tarnkappe.data.linear_relations import LinearRelation, unit_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.relations import CannotFollow, MaskedInPart
from tarnkappe.language import listed, same
from tarnkappe.spec import Leaves, Method, catalogue
from tarnkappe.spec.fewer_columns import without_columns
from tarnkappe.spec.parameters import build

Steps = list[tuple[Method, bool]]
"""Steps, each with whether it is implied."""
NEGLIGIBLE = 1e-12


@dataclass(slots=True)
class _Followers:
    """Columns that are computed, and from which."""

    relations: dict[str, LinearRelation] = field(default_factory=dict)
    """Column -> the equation that gives it from columns that are free."""

    def freed(self, relation: LinearRelation) -> LinearRelation:
        """A relation without the columns that follow: what it says of the others."""
        for name, known in self.relations.items():
            relation = _eliminated(relation, known, name)
        return relation

    def add(self, name: str, relation: LinearRelation) -> None:
        self.relations = {n: _eliminated(r, relation, name, n) for n, r in self.relations.items()}
        self.relations[name] = LinearRelation(relation.coefficients, relation.constant, "=", name)


def _eliminated(relation: LinearRelation, by: LinearRelation, name: str, left: str = "") -> LinearRelation:
    """A relation in which a column is replaced by what another relation says of it."""
    if name not in relation.coefficients:
        return relation
    factor = relation.coefficients[name] / by.coefficients[name]
    names = dict.fromkeys((*relation.coefficients, *by.coefficients))
    both = {
        n: (relation.coefficients.get(n, 0.0), factor * by.coefficients.get(n, 0.0))
        for n in names
        if n != name
    }
    coefficients = {n: a - b for n, (a, b) in both.items() if abs(a - b) > NEGLIGIBLE * max(abs(a), abs(b))}
    return LinearRelation(
        coefficients, relation.constant - factor * by.constant, relation.sense, left or relation.left
    )


def treated_as_one(
    steps: Sequence[tuple[Method, bool]], data: Microdata, declared: Sequence[LinearRelation] = ()
) -> Steps:
    """The steps, with columns that follow from others left out of those that mask and computed behind them.

    Refused are plans that mask some columns of a relation and show another as it is, unless the plan declares the relation: then the column that is shown
    follows from the masked ones.
    """
    masked = _masked(steps)
    shown = [n for n in data.names if n not in _unseen(steps)]
    if not masked & set(shown):
        return list(steps)
    known = _relations(data, shown, declared)
    followers = _followers(steps, masked, known, set(declared), data)
    if not followers.relations:
        return list(steps)
    return [new for step in steps for new in _rewritten(step, followers, data)]


def _masked(steps: Iterable[tuple[Method, bool]]) -> set[str]:
    return {name for step, _ in steps for name in step.masks()}


def _unseen(steps: Iterable[tuple[Method, bool]]) -> set[str]:
    """Columns of which the release shows no number that stands for the original: dropped, in classes, or replaced by others."""
    out: set[str] = set()
    for step, _ in steps:
        out |= set(step.drops()) - set(step.masks())
        means_something_else = step.leaves in (Leaves.COARSER, Leaves.DERIVED)
        if means_something_else or (step.leaves is Leaves.OTHER_VALUES and not step.masks()):
            out |= set(step.treated_columns())
    return out


def _relations(
    data: Microdata, shown: Sequence[str], declared: Sequence[LinearRelation]
) -> tuple[LinearRelation, ...]:
    """Equations between columns that are shown: declared ones first, then those that are found and say more."""
    given = [r for r in declared if r.sense == "=" and set(r.columns) <= set(shown) and nearly_holds(r, data)]
    names = [n for n in shown if data.column(n).kind.is_number]
    out = list(given)
    for relation in found_relations(data, names):
        rows = [[r.coefficients.get(n, 0.0) for n in names] for r in (*out, relation)]
        if np.linalg.matrix_rank(np.array(rows), tol=1e-6) == len(rows):
            out.append(relation)
    return tuple(out)


# -- which columns follow ----------------------------------------------------------------------------------------


def _followers(
    steps: Sequence[tuple[Method, bool]],
    masked: set[str],
    known: Sequence[LinearRelation],
    declared: set[LinearRelation],
    data: Microdata,
) -> _Followers:
    out = _Followers()
    for relation in known:
        freed = out.freed(relation)
        if len(freed.coefficients) < 2 or not masked & set(freed.columns) or _together(steps, freed.columns):
            continue
        out.add(_follower(freed, relation, masked, data, declared=relation in declared), freed)
    return out


def _together(steps: Iterable[tuple[Method, bool]], columns: Sequence[str]) -> bool:
    """Whether every step that masks one of the columns masks all of them as one."""
    touching = [step for step, _ in steps if set(step.masks()) & set(columns)]
    return all(any(set(columns) <= set(one) for one in step.as_one()) for step in touching)


def _follower(
    freed: LinearRelation, relation: LinearRelation, masked: set[str], data: Microdata, *, declared: bool
) -> str:
    """The column that follows: the sum where all are masked, else one that is shown, where the plan declares the relation."""
    shown = [n for n in freed.columns if n not in masked]
    if not shown:
        return relation.left if relation.left in freed.coefficients else _largest(freed.columns, data)
    if declared and relation.left in shown:
        return relation.left
    if declared and len(shown) == 1:
        return shown[0]
    follows = relation.left if relation.left in shown else _largest(shown, data)
    written = str(LinearRelation(freed.coefficients, freed.constant, "=", follows))
    hidden = [n for n in freed.columns if n in masked]
    raise MaskedInPart(
        relation=same(str(relation)),
        masked=listed(hidden),
        shown=listed(shown),
        written=written,
        follows=follows,
    )


def _largest(names: Sequence[str], data: Microdata) -> str:
    return max(names, key=lambda n: float(np.nansum(np.abs(data.column(n).numbers()))))


# -- the steps anew ----------------------------------------------------------------------------------------------


def _rewritten(
    step: tuple[Method, bool], followers: _Followers, data: Microdata
) -> Iterator[tuple[Method, bool]]:
    """A step without the columns that follow, and what computes them; a step that has no other column is replaced by it."""
    method, implied = step
    touched = set(method.masks())
    left_out = touched & set(followers.relations)
    fewer = without_columns(method, left_out) if left_out else method
    if fewer is not None:
        _refuse_named(fewer, left_out, followers)
        yield fewer, implied
    moved = {n: r for n, r in followers.relations.items() if touched & set(r.columns)}
    if not moved:
        return
    gone = (
        {n for n, r in moved.items() if set(r.columns) & set(method.drops())} if fewer is not None else set()
    )
    computed = {n: r for n, r in moved.items() if n not in gone}
    if computed:
        yield _add_up(computed, data), implied or fewer is not None
    if gone:
        yield _step("microdata.drop", {"columns": sorted(gone)}), True


def _refuse_named(fewer: Method, left_out: set[str], followers: _Followers) -> None:
    for name in left_out & set(fewer.masks()):
        raise CannotFollow(name=name, relation=same(str(followers.relations[name])), id=fewer.id)


def _add_up(relations: Mapping[str, LinearRelation], data: Microdata) -> Method:
    """The step that computes columns; those that are no plain sum are rounded as the column was."""
    base = {n: unit_of(data.column(n).numbers()) for n, r in relations.items() if not _plain(r)}
    written = {
        "relations": [str(r) for r in relations.values()],
        "base": {n: u for n, u in base.items() if u},
    }
    return _step("microdata.add-up", {k: v for k, v in written.items() if v})


def _plain(relation: LinearRelation) -> bool:
    weights, constant = relation.solved_for(relation.left)
    return all(w == round(w) for w in weights.values()) and constant == round(constant)


def _step(id: str, parameters: Mapping[str, object]) -> Method:
    made = build(catalogue[id], parameters)
    assert isinstance(made, Method)
    return made
