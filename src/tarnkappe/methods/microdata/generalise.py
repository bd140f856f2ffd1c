"""Generalisation by a hierarchy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import numpy as np
from pydantic import Field, StrictInt

from tarnkappe.data.column import Column, Ints
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.recode import recoded
from tarnkappe.errors.hierarchy import HierarchyNone
from tarnkappe.language import Text
from tarnkappe.methods.microdata.step_remarks import hidden_changes, twins
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Method, Source, method


def _pairs(
    m: Generalise, before: Microdata, after: Microdata
) -> Iterator[tuple[Column, Column, Hierarchy, int]]:
    """Every column before and after, its hierarchy and the level that was asked for."""
    aligned = before.aligned_to(after)
    for name, level in m.columns.items():
        tree = after.column(name).hierarchy
        if tree is None:
            raise HierarchyNone(name=name)
        yield aligned.column(name), after.column(name), tree, tree.level_number(level)


def _nodes(tree: Hierarchy, column: Column) -> Ints:
    """The position of every cell in the hierarchy; -1 where it has none."""
    placed = tree.place(column)
    nodes: Ints = np.append(placed.nodes, -1)[placed.cells]
    return nodes


def _states_kept(m: Generalise, before: Microdata, after: Microdata) -> bool:
    return all(
        np.array_equal(was.observed, now.observed) and np.array_equal(was.missing, now.missing)
        for was, now, _, _ in _pairs(m, before, after)
    )


def _truthful(m: Generalise, before: Microdata, after: Microdata) -> bool:
    """Climbing from the old code leads to the new one; so equal codes have become equal codes, too."""
    for was, now, tree, _ in _pairs(m, before, after):
        climbing, goal = _nodes(tree, was), _nodes(tree, now)
        known = climbing >= 0
        at, goal = np.unique(np.stack([climbing[known], goal[known]]), axis=1)
        while (lower := tree.level[at] > tree.level[goal]).any():
            at = np.where(lower, tree.parent[at], at)
        if (goal < 0).any() or not np.array_equal(at, goal):
            return False
    return True


def _never_split(m: Generalise, before: Microdata, after: Microdata) -> bool:
    """As many pairs of old and new codes as old codes: no code was split."""
    for was, now, _, _ in _pairs(m, before, after):
        old, new = was.true_codes()[0], now.true_codes()[0]
        known = old >= 0
        pairs = np.unique(np.stack([old[known], new[known]]), axis=1)
        if pairs.shape[1] != len(np.unique(old[known])):
            return False
    return True


def _high_enough(m: Generalise, before: Microdata, after: Microdata) -> bool:
    for _, now, tree, number in _pairs(m, before, after):
        nodes = _nodes(tree, now)[~now.missing]
        if (nodes < 0).any() or (tree.level[nodes] > number).any():
            return False
    return True


def _no_more_values(m: Generalise, before: Microdata, after: Microdata) -> bool:
    return all(
        len(np.unique(now.true_codes()[0])) <= len(np.unique(was.true_codes()[0]))
        for was, now, _, _ in _pairs(m, before, after)
    )


@method(
    "microdata.generalise",
    family=Family.RECODE,
    leaves=Leaves.COARSER,
    title=Text("Generalise by hierarchy", "Nach Hierarchie vergröbern"),
    does=Text(
        "Codes were replaced by coarser codes of their hierarchy.",
        "Codes wurden durch gröbere Codes ihrer Hierarchie ersetzt.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.3, grouping"),
        Source("gottschalk2002", "4.1, grouping (G-M01)"),
        Source("dav2025", "section 3.2.1, generalisation"),
        Source("samarati1998", "section 3, generalisation with domain hierarchies"),
    ),
    preserves=(
        Claim(
            Text(
                "the truth: every code shown stands for the original one",
                "die Wahrheit: jeder gezeigte Code steht für den ursprünglichen",
            ),
            _truthful,
        ),
        Claim(
            Text(
                "equality: records with the same code before have the same code after",
                "Gleichheit: Datensätze mit gleichem Code haben auch danach einen gleichen",
            ),
            _never_split,
        ),
        Claim(
            Text("which cells are missing or suppressed", "welche Zellen fehlen oder unterdrückt sind"),
            _states_kept,
        ),
    ),
    protects=(
        Claim(
            Text(
                "every value shown is a code of the hierarchy at the level asked for, or above it",
                "jeder gezeigte Wert ist ein Code der Hierarchie auf der verlangten Ebene oder darüber",
            ),
            _high_enough,
        ),
        Claim(
            Text(
                "there are no more different values than before",
                "es gibt nicht mehr verschiedene Werte als zuvor",
            ),
            _no_more_values,
        ),
    ),
    does_not=(
        Text(
            "make classes of a given size: measure k-anonymity afterwards",
            "Klassen einer bestimmten Größe erzeugen: messen Sie danach die k-Anonymität",
        ),
        Text(
            "hide a sensitive value that all records of a class share",
            "einen sensiblen Wert verbergen, den alle Datensätze einer Klasse haben",
        ),
        Text(
            "help when the same variable is in the file a second time in more detail",
            "helfen, wenn dasselbe Merkmal ein zweites Mal genauer in der Datei steht",
        ),
    ),
    advice=Text(
        "Codes are coarser but true: no correction is needed, and effects are those of the coarser categories.",
        "Codes sind gröber, aber richtig: Eine Korrektur ist unnötig, Effekte sind die der gröberen Kategorien.",
    ),
    example={"columns": {"postcode": 2, "birth": "year", "age": 1, "occupation": 1}},
    changes_kinds=True,
)
class Generalise(Method):
    """Replace codes by the coarser codes of their hierarchy, one level for a whole column.

    Level 0 is the total; larger numbers are finer. A code that already lies above the level stays as it is;
    a column that lies above it as a whole is refused. Missing and suppressed cells keep their state. A
    column of numbers or dates becomes a column of classes and is no longer a numeric variable.

    Choose levels that users of the file know: five-year age groups, two digits of the industry, the year of
    birth. Keep them the same from release to release, or two releases together tell more than either.

    Zero, negative, constant and tied numbers stand in their class like others.
    """

    columns: Annotated[Mapping[str, Annotated[StrictInt, Field(ge=0)] | str], Field(min_length=1)]
    """Column -> level of its hierarchy, number or name. | Spalte -> Ebene der Hierarchie (Nummer, Name)."""

    def needed_hierarchies(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        return recoded(data, {name: self._coarse(data.column(name), name) for name in self.columns})

    def _coarse(self, column: Column, name: str) -> Column:
        if column.hierarchy is None:
            raise HierarchyNone(name=name)
        return column.hierarchy.generalise(column, self.columns[name], name)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return (
            *twins(before, after, tuple(self.columns)),
            *hidden_changes(before, after, tuple(self.columns)),
        )

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The level of every column; what a code stands for is in its label."""
        pairs = zip(self.columns, _pairs(self, before, after), strict=True)
        return {"levels": {name: tree.level_names[number] for name, (_, _, tree, number) in pairs}}
