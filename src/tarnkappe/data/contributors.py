"""Who stands behind records: those of one owner are one contributor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarnkappe.data.column import Bools, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import units_of
from tarnkappe.vocab import Role


def contributor_codes(data: Microdata, unit: Sequence[str] = ()) -> Ints:
    """A number for the contributor of every record: its owner, or where none is known the unit that `unit` names, or the record itself."""
    alone, _ = units_of(data, unit)
    owner = data.role(Role.OWNER)
    if not owner:
        return alone
    codes, count = data.column(owner[0]).true_codes()
    return np.where(codes >= 0, codes, count + alone)


def contributors(data: Microdata, records: Bools) -> int:
    """How many contributors stand behind some records."""
    if not data.role(Role.OWNER):
        return int(np.count_nonzero(records))
    return len(np.unique(contributor_codes(data)[records]))


def contributors_by(data: Microdata, records: Bools, stratum: Ints) -> Ints:
    """How many contributors stand behind some records, in every stratum that has any of them."""
    of = stratum[records].astype(np.int64)
    if data.role(Role.OWNER):
        who = contributor_codes(data)[records]
        radix = int(who.max(initial=0)) + 1
        of = np.unique(of * radix + who) // radix
    counts = np.bincount(of)
    return counts[counts > 0]
