"""Hierarchies from nested mappings, from pairs of code and parent, from paths and from leading digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from tarnkappe.data.column import Ints, Strings
from tarnkappe.data.hierarchy import TOTAL, Hierarchy, Rule
from tarnkappe.errors.hierarchy import HierarchyNotNested, HierarchyParent, HierarchyTree, HierarchyTwice
from tarnkappe.language import Text, listed

Level = tuple[Ints, Strings]
"""The classes of one level: for every leaf the number of its class, and the code of every class."""


def from_tree(name: str, tree: Any, total: str | None = None) -> Hierarchy:
    """Build from nested mappings and lists, as YAML gives them: ``{A: [A1, A2], B: {B1: [B11, B12]}}``.

    A single code at the top is the total, unless `total` names another; several codes get a total above them.
    """
    growing = _Growing(name)
    growing.add(tree)
    tops = [code for code, parent in zip(growing.codes, growing.parents, strict=True) if parent is None]
    if len(tops) == 1 and total in (None, tops[0]):
        return from_pairs(name, growing.codes, growing.parents)
    return from_pairs(name, growing.codes, growing.parents, total=total or TOTAL)


@dataclass(slots=True)
class _Growing:
    """Codes and their parents, gathered from the top of a nested tree downward."""

    name: str
    codes: list[str] = field(default_factory=list)
    parents: list[str | None] = field(default_factory=list)

    def add(self, tree: Any) -> None:
        seen: set[str] = set()
        twice: list[str] = []
        waiting: list[tuple[str | None, Any]] = [(None, tree)]
        for parent, branch in _taken_from(waiting):
            for given, below in _entries(branch):
                code = self._code(given, parent)
                if code in seen:  # also where an alias of YAML makes a tree hold itself
                    twice.append(code)
                    continue
                seen.add(code)
                self.codes.append(code)
                self.parents.append(parent)
                waiting.append((code, below))
        if twice:
            raise HierarchyTwice(name=self.name, codes=listed(list(dict.fromkeys(twice))))

    def _code(self, given: Any, parent: str | None) -> str:
        if isinstance(given, str) or (isinstance(given, int) and not isinstance(given, bool)):
            return str(given)
        place = Text("the top", "der Spitze") if parent is None else repr(parent)
        raise HierarchyTree(name=self.name, found=type(given).__name__, place=place)


def _taken_from(waiting: list[tuple[str | None, Any]]) -> Iterator[tuple[str | None, Any]]:
    """Breadth first, while more is put in."""
    done = 0
    while done < len(waiting):
        yield waiting[done]
        done += 1


def _entries(branch: Any) -> Iterator[tuple[Any, Any]]:
    """What stands right below a code: (code, what stands below that)."""
    if isinstance(branch, Mapping):
        yield from branch.items()
    elif isinstance(branch, list | tuple):
        for part in branch:
            if isinstance(part, Mapping):
                yield from part.items()
            else:
                yield part, None
    elif branch is not None:
        yield branch, None


def from_pairs(
    name: str,
    codes: Sequence[str],
    parents: Sequence[str | None],
    labels: Sequence[str] = (),
    total: str | None = None,
) -> Hierarchy:
    """Build from codes and their parents, None for a code at the top.

    With `total` the codes at the top hang below it. Without, there must be one at the top; it need not have a
    pair of its own if it is the only parent that has none.
    """
    codes, parents, labels = list(codes), list(parents), list(labels)
    place = {code: i for i, code in enumerate(codes)}
    unknown = list(dict.fromkeys(p for p in parents if p is not None and p not in place and p != total))
    if len(unknown) > 1 or (unknown and None in parents):
        raise HierarchyParent(name=name, count=len(unknown), codes=listed(unknown))
    above = total if total is not None else unknown[0] if unknown else None
    if above is not None and above not in place:
        place[above] = len(codes)
        codes.append(above)
        parents = [above if p is None else p for p in parents] + [None]
        labels += [""] if labels else []
    elif above is not None:
        parents = [above if p is None and c != above else p for c, p in zip(codes, parents, strict=True)]
    parent = np.array([-1 if p is None else place[p] for p in parents], dtype=np.int32)
    return Hierarchy(name, _texts(codes), parent, _texts(labels))


def from_digits(name: str, codes: Strings, lengths: Sequence[int], total: str = TOTAL) -> Hierarchy:
    """Build from the leading parts of codes: `lengths` says how long they are on each level, coarse to fine.

    A code that is shorter than the length of a level stands on that level; codes longer than the last length
    stand on a level of their own below it. The code of the total itself may occur among the codes.
    """
    refuse_lengths(name, lengths)
    distinct = [code for code in dict.fromkeys(codes) if code != total]
    deepest = max(map(len, distinct), default=0)
    cut = [*lengths, deepest] if deepest > max(lengths) else list(lengths)
    levels = [coded([code[:length] for code in distinct]) for length in cut]
    return from_levels(name, levels, total)


def refuse_lengths(name: str, lengths: Sequence[int]) -> None:
    """Leading parts must grow from level to level."""
    if not lengths or any(a >= b for a, b in pairwise([0, *lengths])):
        why = Text(
            "the lengths of the leading parts must grow.", "die Längen der Anfangsstücke müssen wachsen."
        )
        raise HierarchyNotNested(name=name, why=why)


def from_levels(
    name: str, levels: Sequence[Level], total: str = TOTAL, rule: Rule | None = None
) -> Hierarchy:
    """Build from the classes of values on each level, coarse to fine, under a total that is none of them."""
    if any(total in classes for _, classes in levels):
        raise HierarchyTwice(name=name, codes=total)
    return from_paths(
        name, [(np.zeros_like(ids), _texts([total])) for ids, _ in levels[:1]] + list(levels), rule
    )


def from_paths(name: str, levels: Sequence[Level], rule: Rule | None = None) -> Hierarchy:
    """Build from the classes of leaves on each level, the total first.

    A class with the same code as the class above it is that class. The classes of a level must lie inside the
    classes of the level above, and no code may stand at two places. Codes come in the order of their leaves.
    """
    at, size = np.zeros_like(levels[0][0]), 1
    codes, parents, depth, leaf = [levels[0][1][:1]], [np.array([-1])], [np.array([0])], [np.array([0])]
    for number, (ids, classes) in enumerate(levels[1:], 1):
        above = np.zeros(len(classes), dtype=np.int64)
        above[ids] = at
        _refuse_crossing(name, number, classes[np.unique(ids[above[ids] != at])])
        new = classes != np.concatenate(codes)[above]
        node = np.where(new, size + np.cumsum(new) - 1, above)
        codes.append(classes[new])
        parents.append(above[new])
        depth.append(np.full(int(new.sum()), number))
        leaf.append(_first(ids, len(classes))[new])
        at, size = node[ids], size + int(new.sum())
    names = tuple(str(n) for n in range(len(levels)))
    order = np.argsort(np.concatenate(leaf), kind="stable")
    parent = np.append(np.argsort(order), -1)[np.concatenate(parents)[order]].astype(np.int32)
    level = np.concatenate(depth)[order].astype(np.int32)
    return Hierarchy(name, np.concatenate(codes)[order], parent, level=level, level_names=names, rule=rule)


def _first(ids: Ints, count: int) -> Ints:
    """Where every number occurs first."""
    first = np.zeros(count, dtype=np.int64)
    first[ids[::-1]] = np.arange(len(ids))[::-1]
    return first


def _refuse_crossing(name: str, number: int, crossing: Strings) -> None:
    if len(crossing):
        why = Text(
            "on level {number}, these codes lie in more than one code above: {codes}.",
            "auf Ebene {number} liegen diese Codes in mehr als einem Obercode: {codes}.",
        )
        raise HierarchyNotNested(name=name, why=why.filled(number=number, codes=listed(crossing.tolist())))


def coded(texts: Sequence[str]) -> Level:
    """Number texts in the order of their first appearance."""
    place: dict[str, int] = {}
    ids = np.fromiter((place.setdefault(text, len(place)) for text in texts), np.int64, len(texts))
    return ids, _texts(list(place))


def _texts(texts: Sequence[str]) -> Strings:
    out = np.empty(len(texts), dtype=object)
    out[:] = texts
    return out
