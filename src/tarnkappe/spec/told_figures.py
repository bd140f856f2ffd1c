"""What a figure that receivers are told rests on.

A bare number could be the value of somebody, so the gate of a run compares it with the original values (`plan.told_gate`). Methods mark what
cannot be one: numbers of records or cells, moments and shares of many, and what the plan or the program states.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from tarnkappe.spec.finding import Json


class _Whole(int):
    """A whole number that is nobody's value."""


class _Number(float):
    """A number that is nobody's value."""


def counted(figures: Json) -> Json:
    """Numbers of records, cells, columns or steps, as they stand or in mappings and lists."""
    return _marked(figures)


def of_many(figures: Json) -> Json:
    """Moments, shares and probabilities that rest on many contributors or on a law."""
    return _marked(figures)


def stated(figures: Json) -> Json:
    """What the plan, its policy or the program itself states."""
    return _marked(figures)


def bare_figures(told: Json) -> Iterator[float | int]:
    """All numbers in what is told that nothing marks, in their order."""
    return (figure for figure, _ in placed_figures(told, ()))


def placed_figures(
    told: Json, names: Collection[str], under: str | None = None
) -> Iterator[tuple[float | int, str | None]]:
    """The same, each with the name under which it stands, the innermost of `names`; None where it stands under none."""
    if isinstance(told, Mapping):
        for key, one in told.items():
            yield from placed_figures(one, names, key if key in names else under)
    elif isinstance(told, list | tuple | np.ndarray):
        for one in told:
            yield from placed_figures(one, names, under)
    elif isinstance(told, int | float | np.number) and not isinstance(told, bool | _Whole | _Number):
        yield (told.item() if isinstance(told, np.number) else told), under


def _marked(figures: Any) -> Any:
    if isinstance(figures, Mapping):
        return {name: _marked(one) for name, one in figures.items()}
    if isinstance(figures, list | tuple | np.ndarray):
        return [_marked(one) for one in figures]
    if isinstance(figures, np.generic):
        figures = figures.item()
    if isinstance(figures, bool) or not isinstance(figures, int | float):
        return figures
    return _Whole(figures) if isinstance(figures, int) else _Number(figures)
