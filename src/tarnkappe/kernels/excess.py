"""How much better an attack does than it would against anybody: rates, excess, and their intervals.

Of the attacks that fail against people whose data was not used, an excess risk R says which share succeeds because it was: with success
rates a of the attack and c of the control, R = (a - c)/(1 - c). So 1 - R = (1 - a)/(1 - c) is a ratio of two shares of failures.

Sources: giomi2023 (rates after Wilson, excess, its error); wilson1927; koopman1984 (score interval of a ratio of two shares, which needs no
correction where all attacks succeed or none, and does not leave the range that is possible).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

_FAR = 60.0
"""e^60: beyond any ratio of shares that data can tell from infinity."""
_HALVINGS = 80


class Rate(NamedTuple):
    """Hits among so many attacks; the numbers need not be whole."""

    hits: float
    attacks: float

    def point(self, z: float) -> float:
        """Wilson's centre (wilson1927)."""
        return (self.hits + z * z / 2) / (self.attacks + z * z)

    def error(self, z: float) -> float:
        """Half the width of Wilson's interval."""
        if not self.attacks:
            return 0.5
        s, n = self.hits, self.attacks
        return z / (n + z * z) * math.sqrt(max(s * (n - s), 0.0) / n + z * z / 4)

    def interval(self, z: float) -> tuple[float, float]:
        point, error = self.point(z), self.error(z)
        return max(point - error, 0.0), min(point + error, 1.0)


def excess(attack: Rate, control: Rate, z: float) -> float:
    """R from Wilson's centres; negative where the control does better. Wilson's centre is below 1, so there is always a result."""
    c = control.point(z)
    return (attack.point(z) - c) / (1 - c)


def excess_error(attack: Rate, control: Rate, z: float) -> float:
    """The error of R by propagation of both errors (giomi2023)."""
    a, c = attack.point(z), control.point(z)
    return math.hypot(attack.error(z) / (1 - c), control.error(z) * (a - 1) / (1 - c) ** 2)


def excess_interval(attack: Rate, control: Rate, z: float) -> tuple[float, float]:
    """The interval of R between 0 and 1, from Koopman's for the ratio of failures; it always holds `excess`, cut to 0 and 1."""
    failures = attack.attacks - attack.hits, control.attacks - control.hits
    low, high = ratio_interval((failures[0], attack.attacks), (failures[1], control.attacks), z)
    point = min(max(excess(attack, control, z), 0.0), 1.0)
    return min(max(1 - high, 0.0), point), max(min(1 - low, 1.0), point)


def ratio_interval(first: tuple[float, float], second: tuple[float, float], z: float) -> tuple[float, float]:
    """Koopman's interval of the ratio of two shares x/n; infinite above where the second share is 0."""
    (x1, n1), (x0, n0) = first, second
    if not n1 or not n0:
        return 0.0, math.inf
    beyond = lambda log: _score(first, second, math.exp(log)) > z * z  # noqa: E731
    middle = math.log((x1 + 0.5) / (n1 + 1)) - math.log((x0 + 0.5) / (n0 + 1))
    if x1 and x0:
        middle = math.log(x1 * n0) - math.log(x0 * n1)
    low = math.exp(_edge(beyond, middle, -_FAR)) if x1 else 0.0
    high = math.exp(_edge(beyond, middle, _FAR)) if x0 else math.inf
    return low, high


def _score(first: tuple[float, float], second: tuple[float, float], ratio: float) -> float:
    """Koopman's statistic: how far both shares are from the likeliest ones with that ratio."""
    (x1, n1), (x0, n0) = first, second
    n = n1 + n0
    half = ratio * (n1 + x0) + x1 + n0
    p1 = 2 * ratio * (x1 + x0) / (half + math.sqrt(max(half * half - 4 * ratio * n * (x1 + x0), 0.0)))
    p0 = min(p1 / ratio, 1.0)
    return _part(x1, n1, p1) + _part(x0, n0, p0)


def _part(x: float, n: float, p: float) -> float:
    off, spread = x - n * p, n * p * (1 - p)
    if abs(off) < 1e-9 * n:
        return 0.0
    return off * off / spread if spread > 0 else math.inf


def _edge(beyond: Callable[[float], bool], inside: float, outside: float) -> float:
    """Where a value stops being inside, by halving."""
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if beyond(middle):
            outside = middle
        else:
            inside = middle
    return inside
