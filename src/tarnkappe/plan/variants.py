"""Several plans to compare: plan files as they are, or one plan with a grid of values.

A grid is a file beside the plan:

    plan: persons.yaml
    vary:
      steps.2.k: [3, 5, 10]
      steps.3.below: [3, 5]

A path is written as the parts stand in the plan, positions counted from 1 as everywhere; every combination is one variant.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from tarnkappe.errors.mapping import GridWrong
from tarnkappe.io.paths import inside
from tarnkappe.language import Text
from tarnkappe.plan.document import Document, Place, load, parse
from tarnkappe.spec import Json

MOST = 200
"""Most variants of one grid."""
Grid = Mapping[str, Sequence[Json]]
_FORM = Text("a grid has two parts, plan and vary", "ein Raster hat zwei Teile, plan und vary")
_EMPTY = Text("{path}: give a list of values", "{path}: geben Sie eine Liste von Werten an")
_NOWHERE = Text("the plan has no part {path!r}", "der Plan hat keinen Teil {path!r}")
_MANY = Text(
    f"{{count}} combinations are too many; at most {MOST}",
    f"{{count}} Kombinationen sind zu viele; höchstens {MOST}",
)


@dataclass(frozen=True, slots=True)
class Variant:
    """A plan that is not checked yet, and what makes it differ from the others."""

    name: str
    document: Document
    folder: Path
    changed: Mapping[str, Json] = field(default_factory=dict)
    outside: bool = False
    """It may name data outside its folder, where it says so: it comes from a file of the user."""


def variants(paths: Sequence[Path], grid: Grid | None = None) -> tuple[Variant, ...]:
    """All plans in order, grids unfolded; names that occur twice are numbered. `grid` varies each plan given as a file."""
    return distinct([replace(variant, outside=True) for path in paths for variant in _of(path, grid or {})])


def distinct(found: Sequence[Variant]) -> tuple[Variant, ...]:
    """With names that occur twice numbered."""
    names = [variant.name for variant in found]
    return tuple(
        v if names.count(v.name) == 1 else _renamed(v, f"{v.name} ({names[: i + 1].count(v.name)})")
        for i, v in enumerate(found)
    )


def grid_from(words: Sequence[str]) -> dict[str, list[Json]]:
    """``steps.2.k=3,5,10`` as a grid; values are read as in a plan."""
    grid = {}
    for word in words:
        path, _, values = word.partition("=")
        content = parse(f"[{values}]").content if values.strip() else []
        grid[path.strip()] = content
    return grid


def _renamed(variant: Variant, name: str) -> Variant:
    return replace(variant, name=name)


def _of(path: Path, grid: Grid) -> Iterator[Variant]:
    document, folder = load(path), path.resolve().parent
    content = document.content if isinstance(document.content, dict) else {}
    if "vary" in content:
        if set(content) != {"plan", "vary"} or not isinstance(content["plan"], str):
            raise GridWrong(file=path.name, why=_FORM)
        base = load(inside(folder, content["plan"]))
        yield from unfolded(base, folder, content["vary"], path.name)
    elif grid:
        yield from unfolded(document, folder, grid, path.name)
    else:
        yield Variant(path.stem, document, folder)


def unfolded(base: Document, folder: Path, grid: Any, file: str) -> Iterator[Variant]:
    """Every combination of the values of a grid; `file` names it in errors."""
    if not isinstance(grid, Mapping) or not grid:
        raise GridWrong(file=file, why=_FORM)
    for path, values in grid.items():
        if not isinstance(values, list) or not values:
            raise GridWrong(file=file, why=_EMPTY.filled(path=path))
    if (count := prod(len(values) for values in grid.values())) > MOST:
        raise GridWrong(file=file, why=_MANY.filled(count=count))
    short = _short_names(list(grid))
    for values in product(*grid.values()):
        chosen = dict(zip(grid, values, strict=True))
        content = copy.deepcopy(base.content)
        for path, value in chosen.items():
            _put(content, path, value, file)
        name = ", ".join(f"{short[path]} = {_said(value)}" for path, value in chosen.items())
        yield Variant(name, Document(content, base.lines, base.name), folder, chosen)


def _short_names(paths: Sequence[str]) -> dict[str, str]:
    """The last part of each path; the whole path where two end alike."""
    ends = [path.rpartition(".")[2] for path in paths]
    return {path: end if ends.count(end) == 1 else path for path, end in zip(paths, ends, strict=True)}


def _put(content: Any, path: str, value: Json, file: str) -> None:
    """Set one part of a plan; a parameter that the plan leaves at its default may be named, a step that is not there may not."""
    *way, last = _place(path)
    part = content
    for step in way:
        part = _inside(part, step)
        if part is None:
            raise GridWrong(file=file, why=_NOWHERE.filled(path=path))
    if isinstance(part, dict):
        part[str(last)] = value
    elif isinstance(part, list) and isinstance(last, int) and 1 <= last <= len(part):
        part[last - 1] = value
    else:
        raise GridWrong(file=file, why=_NOWHERE.filled(path=path))


def _place(path: str) -> Place:
    return tuple(int(word) if word.isdecimal() else word for word in path.split("."))


def _inside(part: Any, step: str | int) -> Any:
    if isinstance(part, list):
        return part[step - 1] if isinstance(step, int) and 1 <= step <= len(part) else None
    return part.get(str(step)) if isinstance(part, dict) else None


def _said(value: Json) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_said(part)}" for name, part in value.items())
    return " ".join(map(_said, value)) if isinstance(value, list) else str(value)
