"""Who is who in two files: by a column that names the persons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarnkappe.data.column import Strings
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.spelling import canonical
from tarnkappe.errors.risk import IdentityUnclear


def identified(file: Microdata, original: Microdata, identity: str) -> Microdata:
    """A real file with the row numbers of the original: persons are the same where the column `identity` says so.

    Who is not in the original gets a number below 0. A name that stands twice in either file does not tell who is meant.
    """
    names = _names(original, identity)
    place = dict(zip(names.tolist(), original.rows.tolist(), strict=True))
    rows = [place.get(name, -1 - i) for i, name in enumerate(_names(file, identity).tolist())]
    return replace(file, rows=np.array(rows, dtype=np.int64))


def _names(data: Microdata, identity: str) -> Strings:
    column = data.column(identity)
    codes = column.true_codes()[0]
    unclear = int((codes < 0).sum()) + int((np.bincount(codes[codes >= 0], minlength=1) > 1).sum())
    if unclear:
        raise IdentityUnclear(name=identity, count=unclear)
    return np.asarray(canonical(column)[codes], dtype=object)
