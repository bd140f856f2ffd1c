"""The solver port: methods and audits describe a problem, an adapter solves it. One module per solver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Polytope:
    """All x with matrix · x = right and low ≤ x ≤ high."""

    matrix: csc_array
    low: Floats
    high: Floats
    whole: bool | Bools = False
    """Only whole numbers, everywhere or in some coordinates."""
    right: Floats | None = None
    """What every row comes to; None: 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """How often to choose what: all x with low ≤ matrix · x ≤ high and 0 ≤ x ≤ most; the least price · x is wanted."""

    price: Floats
    matrix: csc_array
    low: Floats
    high: Floats
    most: Floats
    whole: Bools
    """Which must be whole numbers."""


class Optimum(NamedTuple):
    """The best value of a coordinate and a point where it is taken."""

    value: float
    """±inf where nothing bounds it."""
    point: Floats | None
    """None where nothing bounds it."""
    proven: bool = True
    """False where a search among whole numbers was cut short: there may be a better one."""


class Session(Protocol):
    """One polytope, many questions; each answer starts from the last."""

    def largest(self, coordinate: int) -> Optimum: ...

    def smallest(self, coordinate: int) -> Optimum: ...

    def hold(self, coordinates: Ints) -> None:
        """Keep these at 0 until the next call; all others are free again."""
        ...

    def farthest(self, direction: Floats) -> Optimum:
        """The largest value of direction · x."""
        ...

    def inside(self) -> Floats | None:
        """A point as far from all bounds as the method of interior points leads; None where it finds none."""
        ...

    def cheapest(self, price: Floats) -> Floats | None:
        """The point with the least price · x, prices being positive and x not negative; None where there is no point at all."""
        ...


class Solver(Protocol):
    """What an adapter offers."""

    name: str
    integers: bool
    """Declared, so that who needs whole numbers can refuse early."""

    def open(self, polytope: Polytope) -> Session: ...

    def choose(self, choice: Choice) -> Optimum | None:
        """The cheapest x; None where there is none, or none was found."""
        ...
