"""A proposal how to merge categories: the cheapest way that leaves no cell a rule would mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.recode_table import united
from tarnkappe.data.table import Table
from tarnkappe.errors.recoding import NotMergeable
from tarnkappe.kernels.recoding import Group, Price, cheapest_runs, cheapest_sets
from tarnkappe.spec import Rule


def propose_merge(
    table: Table, dimension: int, rules: Sequence[Rule], *, ordered: bool = False
) -> dict[str, str] | None:
    """Groups of siblings on the lowest level of a dimension (code -> new code) that make all their cells safe.

    Fewest cells are lost, then least entropy. With `ordered` only neighbours are merged, and the result is the best there is; so it is
    for up to nine siblings without order, beyond that it is found step by step. None: no way of merging these is safe.
    """
    hierarchy = table.dimensions[dimension]
    groups: dict[str, str] = {}
    for parent in np.unique(hierarchy.parent[hierarchy.is_leaf & (hierarchy.parent >= 0)]):
        leaves = np.flatnonzero(hierarchy.is_leaf & (hierarchy.parent == parent))
        siblings = _Siblings(table, dimension, leaves, tuple(rules))
        search = cheapest_runs if ordered else cheapest_sets
        found = search(len(leaves), siblings.price)
        if found is None:
            if siblings.refused:
                raise siblings.refused[0]
            return None
        for group in (g for g in found if len(g) > 1):
            codes = [str(hierarchy.codes[leaves[i]]) for i in group]
            groups |= dict.fromkeys(codes, _name(codes, ordered=ordered))
    return groups


def _name(codes: list[str], *, ordered: bool) -> str:
    return f"{codes[0]} - {codes[-1]}" if ordered else " + ".join(codes)


@dataclass(frozen=True, slots=True, eq=False)
class _Siblings:
    table: Table
    dimension: int
    leaves: Ints
    rules: tuple[Rule, ...]
    refused: list[NotMergeable] = field(default_factory=list)
    """Groups of which nobody knows who contributes to several parts."""

    def price(self, group: Group) -> Price:
        """What merging a group costs: cells that rules would still mark, cells lost, entropy lost."""
        nodes = self.table.cells[:, self.dimension].astype(np.int64)
        cells = np.flatnonzero(np.isin(nodes, self.leaves[list(group)]))
        others = np.delete(self.table.cells[cells], self.dimension, axis=1)
        distinct, into = np.unique(others, axis=0, return_inverse=True)
        lost = float(len(cells) - len(distinct)), self._entropy(nodes[cells], cells)
        try:
            sums = united(self.table, cells, into.reshape(-1), len(distinct))
        except NotMergeable as problem:
            self.refused.append(problem)
            return np.inf, *lost
        marked = np.zeros(len(distinct), dtype=np.bool_)
        for rule in self.rules:
            marked |= rule.sensitive(sums)
        return float(marked.sum()), *lost

    def _entropy(self, node: Ints, cells: Ints) -> float:
        inner = self.table.inner[cells]
        size = np.bincount(node[inner], np.abs(self.table.value[cells][inner])).astype(np.float64)
        return round(_weight(size.sum(keepdims=True)) - _weight(size), 9)


def _weight(size: Floats) -> float:
    """Σ v ln v."""
    positive = size[size > 0]
    return float((positive * np.log(positive)).sum())
