"""Columns that two files share as regressors of a model on the records of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.models import NothingShared
from tarnkappe.kernels.features import Feature, category_feature, number_feature
from tarnkappe.language import Text
from tarnkappe.utility.coded import coded
from tarnkappe.utility.comparing import joined, left_out
from tarnkappe.vocab import Kind, Role

_NOT_COMPARED = {Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER, Role.WEIGHT}
_GONE = Text("not in the release", "nicht in der Freigabe")
_KIND = Text("another type in the release", "anderer Typ in der Freigabe")


class Regressors(NamedTuple):
    """Columns of the original and of the release, one below the other, as regressors."""

    names: tuple[str, ...]
    features: tuple[Feature, ...]
    left: Text


def regressors(
    after: Microdata, before: Microdata, columns: Sequence[str], who: str, but: Sequence[str] = ()
) -> Regressors:
    """Make regressors of the chosen columns, or of all that both files have in the same form, except `but`."""
    chosen = [n for n in (columns or _candidates(before)) if n not in but]
    for name in chosen:
        before.column(name)
    gone = [n for n in chosen if n not in after.columns]
    other = [n for n in chosen if n not in gone and not _alike(before.column(n), after.column(n))]
    names = tuple(n for n in chosen if n not in (*gone, *other))
    if not names:
        raise NothingShared(who=who)
    features = tuple(_feature(after, before, name, who) for name in names)
    return Regressors(names, features, joined(left_out(gone, _GONE), left_out(other, _KIND)))


def _candidates(data: Microdata) -> list[str]:
    return [n for n in data.names if not set(data.roles_of(n)) & _NOT_COMPARED]


def _alike(old: Column, new: Column) -> bool:
    """Numbers stay numbers, dates dates, and categories categories."""
    return _form(old.kind) == _form(new.kind)


def _form(kind: Kind) -> str:
    if kind.is_number:
        return "number"
    return "category" if kind in (Kind.CATEGORY, Kind.BOOLEAN) else kind.value


def _feature(after: Microdata, before: Microdata, name: str, who: str) -> Feature:
    old, new = before.column(name), after.column(name)
    if _form(old.kind) == "category":
        found = coded(old, new)
        return category_feature(np.concatenate([found.old, found.new]))
    if old.kind.is_number:
        x = np.concatenate([data.numbers([name], who)[:, 0] for data in (before, after)])
    else:
        x = np.concatenate([column.numbers() for column in (old, new)])
    states = np.concatenate([np.zeros(len(c), np.uint8) if c.state is None else c.state for c in (old, new)])
    return number_feature(x, states.astype(np.int64))
