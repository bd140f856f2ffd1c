"""All ways to merge the categories of a dimension, every one tabulated anew from the records."""

from __future__ import annotations

import itertools

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.tabulate import tabulate


def partitions(items):
    """All ways to put items into groups."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(len(rest) + 1):
        for others in itertools.combinations(rest, size):
            left = [i for i in rest if i not in others]
            for more in partitions(left):
                yield [(first, *others), *more]


def neighbours(groups, order):
    """Does every group consist of neighbours?"""
    place = {code: i for i, code in enumerate(order)}
    return all(max(map(place.get, g)) - min(map(place.get, g)) == len(g) - 1 for g in groups)


def entropy_lost(data, column, value, groups):
    """Σ (V ln V - Σ v ln v) over the groups; v the sizes of their categories."""
    sizes = {}
    texts = data.columns[column].texts()
    amounts = np.ones(len(data)) if value is None else np.abs(data.numbers([value])[:, 0])
    for text, amount in zip(texts, amounts, strict=True):
        sizes[text] = sizes.get(text, 0.0) + amount

    def weight(v):
        return v * np.log(v) if v > 0 else 0.0

    return sum(weight(sum(sizes[c] for c in g)) - sum(weight(sizes[c]) for c in g) for g in groups)


def cheapest_merge(data, by, column, value, rules, *, ordered):
    """(cells lost, entropy lost) of the best safe way among all; None where none is safe."""
    fine = tabulate(data, by, value, largest=50)
    codes = [str(c) for c in fine.dimensions[by.index(column)].codes[1:]]
    best = None
    for groups in partitions(codes):
        if ordered and not neighbours(groups, codes):
            continue
        names = {code: "+".join(g) for g in groups for code in g}
        texts = [names[t] for t in data.columns[column].texts()]
        coarse = tabulate(data.with_columns({column: Column.texts_of(texts)}), by, value, largest=50)
        if any(rule.mark(coarse).cells.any() for rule in rules):
            continue
        price = len(fine) - len(coarse), round(entropy_lost(data, column, value, groups), 6)
        best = price if best is None else min(best, price)
    return best
