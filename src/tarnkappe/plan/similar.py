"""Columns that carry nearly the same information: one of them can go, and both together betray more than either.

Two codes say the same if each follows from the other; numbers if they are correlated almost perfectly (DAV 2025, step 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.plan.dependencies import Dependency

CORRELATED = 0.99
_LOOKED_AT = 100_000
"""So many records are enough to judge a correlation."""


@dataclass(frozen=True, slots=True)
class Similar:
    """Two columns and how alike they are."""

    one: str
    other: str
    correlation: float | None
    """Of numbers; None where each column follows from the other."""

    @property
    def text(self) -> Text:
        if self.correlation is None:
            said = Text("{one} and {other} say the same", "{one} und {other} sagen dasselbe")
        else:
            said = Text(
                "{one} and {other} are correlated with {r}", "{one} und {other} sind mit {r_de} korreliert"
            )
        r = "" if self.correlation is None else f"{self.correlation:.3f}"
        return said.filled(one=self.one, other=self.other, r=r, r_de=r.replace(".", ","))


def similar(data: Microdata, follows: Iterable[Dependency]) -> tuple[Similar, ...]:
    """Pairs of columns of which one is enough."""
    known = {(d.of, d.on) for d in follows}
    alike = [
        Similar(b, a, None) for a, b in known if (b, a) in known and data.names.index(b) < data.names.index(a)
    ]
    return (*sorted(alike, key=lambda s: (s.one, s.other)), *_correlated(data))


def _correlated(data: Microdata) -> Iterator[Similar]:
    names = [n for n in data.names if data.column(n).kind.is_number]
    step = max(1, -(-len(data) // _LOOKED_AT))
    values = {n: data.column(n).numbers()[::step] for n in names}
    for one, other in combinations(names, 2):
        a, b = values[one], values[other]
        both = np.isfinite(a) & np.isfinite(b)
        if both.sum() < 10 or np.ptp(a[both]) == 0 or np.ptp(b[both]) == 0:
            continue
        scaled = [x[both] / np.abs(x[both]).max() for x in (a, b)]
        r = float(np.corrcoef(*scaled)[0, 1])
        if abs(r) >= CORRELATED:
            yield Similar(one, other, r)
