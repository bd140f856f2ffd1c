"""Who is who in two files: by a column that names the persons, or by several that do so together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.errors.risk import IdentityUnclear
from tarnkappe.language import listed


def identified(file: Microdata, original: Microdata, identity: str | Sequence[str]) -> Microdata:
    """A real file with the row numbers of the original: persons are the same where the columns `identity` say so.

    Who is not in the original gets a number below 0. A name that stands twice in either file does not tell who is meant.
    """
    columns = (identity,) if isinstance(identity, str) else tuple(identity)
    place = dict(zip(_names(original, columns), original.rows.tolist(), strict=True))
    rows = [place.get(name, -1 - i) for i, name in enumerate(_names(file, columns))]
    return replace(file, rows=np.array(rows, dtype=np.int64))


def _names(data: Microdata, identity: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What names every person."""
    nameless = np.zeros(len(data), dtype=np.bool_)
    parts = []
    for name in identity:
        column = data.column(name)
        codes = column.true_codes()[0]
        nameless |= codes < 0
        spelt = canonical(column)
        parts.append([spelt[code] if code >= 0 else None for code in codes.tolist()])
    names = list(zip(*parts, strict=True))
    told = Counter(name for name, without in zip(names, nameless.tolist(), strict=True) if not without)
    unclear = int(nameless.sum()) + sum(times > 1 for times in told.values())
    if unclear:
        raise IdentityUnclear(name=listed(list(identity)), count=unclear)
    return names
