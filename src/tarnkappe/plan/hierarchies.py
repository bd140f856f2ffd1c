"""How a plan describes the hierarchy of a column, and how it is built when the column is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from tarnkappe.data.calendar import Dates
from tarnkappe.data.class_codes import in_order_of_size
from tarnkappe.data.column import Column, Strings
from tarnkappe.data.hierarchy import TOTAL, Hierarchy
from tarnkappe.data.hierarchy_builders import from_digits, from_tree, refuse_lengths
from tarnkappe.data.intervals import Bands, Cuts, distinct_values, leaves, refuse_points, refuse_widths
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.tabulate import below_total
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.hierarchy import HierarchyKind, HierarchyLevelNames, LevelColumnsElsewhere
from tarnkappe.io.hierarchies import LEADING, read_hierarchy
from tarnkappe.io.level_columns import LevelColumns, joined
from tarnkappe.io.paths import inside
from tarnkappe.language import Text
from tarnkappe.vocab import Kind

WAYS = ("digits", "file", "bands", "cuts", "dates", "tree", "order", "columns")
"""The ways to describe a hierarchy, of which a description uses one."""
KINDS: Mapping[str, set[Kind]] = {
    "digits": {Kind.CATEGORY, Kind.INTEGER},
    "file": set(Kind) - {Kind.NUMBER},
    "bands": {Kind.INTEGER, Kind.NUMBER},
    "cuts": {Kind.INTEGER, Kind.NUMBER},
    "dates": {Kind.DATE, Kind.DATETIME},
    "tree": set(Kind) - {Kind.NUMBER},
    "order": set(Kind) - {Kind.NUMBER},
    "columns": set(Kind),
    "total": set(Kind) - {Kind.NUMBER},
}
"""The kinds of columns that each way fits."""


def _several(given: Any) -> Any:
    """One entry stands for a list of one."""
    return (given,) if isinstance(given, str | int | float) else given


def _levels_of_points(given: Any) -> Any:
    """One list of cut points stands for one level."""
    flat = isinstance(given, list | tuple) and not any(isinstance(part, list | tuple) for part in given)
    return (given,) if flat else given


def _starred(given: Any) -> Any:
    """`quartier*kreis` stands for the list of these columns, the finest first."""
    return tuple(part.strip() for part in given.split("*")) if isinstance(given, str) else given


def _code(given: Any) -> Any:
    """A code that YAML has read as a whole number."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


def _sound(check: Callable[[Any], object]) -> AfterValidator:
    """A check that needs no data, so that a wrong description is found before data is read."""

    def checked(value: Any) -> Any:
        try:
            check(value)
        except TarnkappeError as problem:
            raise ValueError(problem.what) from None
        return value

    return AfterValidator(checked)


def _name_of_level(name: str) -> str:
    if name.isdigit() or name == "total":
        says = "must not be a number or 'total' | darf keine Zahl und nicht 'total' sein"
        raise ValueError(says)
    return name


Code = Annotated[str, BeforeValidator(_code)]
Digits = Annotated[
    tuple[int, ...], BeforeValidator(_several), _sound(lambda lengths: refuse_lengths("digits", lengths))
]
Widths = Annotated[
    tuple[float, ...], BeforeValidator(_several), _sound(lambda widths: refuse_widths("bands", widths))
]
Points = Annotated[
    tuple[tuple[float, ...], ...],
    BeforeValidator(_levels_of_points),
    _sound(lambda points: refuse_points("cuts", points)),
]
Periods = Annotated[
    tuple[Literal["decade", "year", "quarter", "month", "day"], ...],
    BeforeValidator(_several),
    Field(min_length=1),
]
Codes = Annotated[
    tuple[Code, ...], Field(min_length=1), _sound(lambda codes: below_total("order", codes, ""))
]
LevelName = Annotated[str, Field(min_length=1), AfterValidator(_name_of_level)]


class HierarchyDescription(BaseModel):
    """The hierarchy of a column: one of `digits`, `file`, `bands`, `cuts`, `dates`, `tree`, `order`, `columns`, or only `total`."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
    )

    digits: Digits | None = None
    """Leading digits on each level, coarse to fine. | Führende Stellen je Ebene, von grob nach fein."""
    file: Annotated[str, Field(min_length=1)] | None = None
    """A file: .hrc, ARX, or code, parent, label. | Eine Datei: .hrc, ARX oder code, parent, label."""
    bands: Widths | None = None
    """Width of classes, or several nested ones. | Breite der Klassen, oder mehrere ineinander passende."""
    cuts: Points | None = None
    """Limits of classes, or a list of them per level. | Grenzen der Klassen, oder eine Liste je Ebene."""
    dates: Periods | None = None
    """Levels of a date: decade, year, quarter, month, day. | Ebenen: decade, year, quarter, month, day."""
    tree: Annotated[Any, _sound(lambda tree: tree is None or from_tree("tree", tree))] = None
    """The codes as nested lists. | Die Codes als verschachtelte Listen."""
    order: Codes | None = None
    """The codes right below the total, in their order. | Die Codes gleich unter der Summe, in ihrer Reihenfolge."""
    columns: (
        Annotated[
            tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_starred), Field(min_length=1)
        ]
        | None
    ) = None
    """In a file of cells: a column per level, the finest first (quarter*district). | In einer Zelldatei: eine Spalte je Ebene, die
    feinste zuerst (quartier*kreis)."""
    zero: Annotated[Code, Field(min_length=1)] = "0"
    """What stands in these columns for the total over a level. | Was in diesen Spalten für die Summe über eine Ebene steht."""
    total: Annotated[Code, Field(min_length=1)] | None = None
    """Code of the total. | Code der Summe."""
    origin: float = 0.0
    """Where a band begins. | Wo eine Klasse fester Breite beginnt."""
    levels: tuple[LevelName, ...] = ()
    """Names of the levels below the total, in order. | Namen der Ebenen unter der Summe, der Reihe nach."""
    leading: Annotated[str, Field(min_length=1)] = LEADING
    """The sign of the levels in a .hrc file. | Das Zeichen der Ebenen in einer .hrc-Datei."""
    labels: dict[Code, str] = {}
    """Code -> label. | Code -> Bezeichnung."""

    @property
    def way(self) -> str:
        """The one way that is used; ``total`` where all codes lie right below it."""
        return next((way for way in WAYS if getattr(self, way) is not None), "total")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = sum(getattr(self, way) is not None for way in WAYS)
        if ways > 1 or (ways == 0 and self.total is None):
            raise ValueError(
                Text(f"needs exactly one of {', '.join(WAYS)}", f"braucht genau eines von {', '.join(WAYS)}")
            )
        if len(set(self.levels)) < len(self.levels):
            raise ValueError(Text("two levels have the same name", "zwei Ebenen haben denselben Namen"))
        for word, way in (("origin", "bands"), ("leading", "file"), ("zero", "columns")):
            if word in self.model_fields_set and self.way != way:
                raise ValueError(Text(f"{word} goes with {way} only", f"{word} gehört nur zu {way}"))
        return self


def build_hierarchy(description: HierarchyDescription, name: str, column: Column, folder: Path) -> Hierarchy:
    """Build the hierarchy of a column; every code of the column has its place in it."""
    hierarchy = tree_of(description, name, column, folder)
    hierarchy.place(column).refuse_unknown(name)
    return hierarchy


def tree_of(description: HierarchyDescription, name: str, column: Column, folder: Path) -> Hierarchy:
    """The hierarchy as it is described, whether or not it has a place for every code of the column."""
    way = description.way
    if column.kind not in KINDS[way]:
        raise HierarchyKind(how=way, name=name, found=column.kind.text)
    hierarchy = _built(description, name, column, folder)
    if not description.levels and not description.labels:
        return hierarchy
    return hierarchy.worded(_named(hierarchy, description.levels), description.labels)


def _built(description: HierarchyDescription, name: str, column: Column, folder: Path) -> Hierarchy:
    total = description.total or TOTAL
    if description.columns is not None:
        raise LevelColumnsElsewhere(name=name)
    if description.digits is not None:
        return from_digits(name, _codes(column, name), description.digits, total)
    if description.file is not None:
        return read_hierarchy(inside(folder, description.file), name, description.leading, description.total)
    if description.bands is not None:
        return Bands(description.bands, description.origin, total).build(name, column)
    if description.cuts is not None:
        return Cuts(description.cuts, total).build(name, column)
    if description.dates is not None:
        return Dates(description.dates, total).build(name, column)
    return _listed(description, name, column)


def _listed(description: HierarchyDescription, name: str, column: Column) -> Hierarchy:
    """The codes as the plan lists them, or else those of the column right below the total."""
    if description.tree is not None:
        return from_tree(name, description.tree, description.total)
    codes = description.order or in_order_of_size([str(code) for code in column.distinct()])
    return below_total(name, codes, description.total or TOTAL)


def dimension(described: HierarchyDescription | None, name: str, cells: Microdata, folder: Path) -> Hierarchy:
    """The hierarchy of a dimension of a cell file; without a description all codes lie below the total."""
    column = cells.column(name)
    return build_hierarchy(_as_in_file(described, column), name, column, folder)


def placed(
    described: HierarchyDescription | None, name: str, cells: Microdata, folder: Path
) -> tuple[Microdata, Hierarchy]:
    """The rows of a cell file with a column for the dimension, and its hierarchy; levels in columns of their own become one."""
    if described is None or described.columns is None:
        return cells, dimension(described, name, cells, folder)
    levels = LevelColumns(name, described.columns, described.zero, described.total or TOTAL)
    cells, tree = joined(cells, levels)
    return cells, tree.worded(_named(tree, described.levels), described.labels)


def code_columns(described: Mapping[str, HierarchyDescription], by: Sequence[str]) -> tuple[str, ...]:
    """The columns of a cell file that hold codes: the dimensions, or the columns of their levels."""
    own = {name: said.columns for name, said in described.items() if said.columns is not None}
    return tuple(column for name in by for column in own.get(name, (name,)))


def _as_in_file(description: HierarchyDescription | None, column: Column) -> HierarchyDescription:
    """A flat list of codes in the order in which a file of cells has them, unless the description gives one."""
    said = description or HierarchyDescription(total=TOTAL)
    return said if said.way != "total" else said.model_copy(update={"order": column.in_file_order()})


def _codes(column: Column, name: str) -> Strings:
    """The codes of a column. Whole numbers are codes if all have equally many digits, so no zero is lost."""
    values = distinct_values(column)
    if column.categories is not None:
        codes: Strings = column.categories[values] if len(column.categories) else column.categories
        return codes
    codes = leaves(column, values)[1]
    if np.any(values < 0) or len({len(code) for code in codes}) > 1:
        raise HierarchyKind(how="digits", name=name, found=column.kind.text)
    return codes


def _named(hierarchy: Hierarchy, levels: tuple[str, ...]) -> tuple[str, ...]:
    """The total, the names given, and the old names of the levels that got none."""
    if not levels:
        return hierarchy.level_names
    if len(levels) > hierarchy.depth:
        raise HierarchyLevelNames(name=hierarchy.name, levels=hierarchy.depth, given=len(levels))
    return ("total", *levels, *hierarchy.level_names[len(levels) + 1 :])
