"""Values at a told limit under noise: what is shown over the limit is the secret factor, and other values have it too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.guess import Attempt, Guess
from tarnkappe.data.seen import Fact, Seen
from tarnkappe.language import Text
from tarnkappe.spec import Attack, Source, attack
from tarnkappe.stranger.told_factors import factor_range
from tarnkappe.vocab import Role

SIDES = ("lower", "upper")
_HOW = Text(
    "records of which {flag!r} says that {column!r} stood at the told limit: what is shown over the limit is the factor of {other!r}",
    "Datensätze, von denen {flag!r} sagt, dass {column!r} an der mitgeteilten Grenze stand: Gezeigtes durch Grenze ist der Faktor von {other!r}",
)


@attack(
    "attack.told-constants",
    title=Text("Limits under noise", "Grenzen unter der Überlagerung"),
    does=Text(
        "Divides what is shown by a told limit where a flag says that the value stood at it, and undoes the factor in other columns and periods.",
        "Teilt das Gezeigte durch eine mitgeteilte Grenze, wo ein Merker sagt, dass der Wert an ihr stand, und nimmt den Faktor aus anderen Spalten und Perioden.",
    ),
    sources=(
        Source("hoehne2010", "4.2.2, equation 4.2-4: one known value gives the factor (R15)"),
        Source("gottschalk2002", "5.1: limits told with a flag, and one factor per enterprise"),
    ),
    knows=Text(
        "The stranger reads limits, flags and which columns share factors or directions in the documents.",
        "Der Fremde liest in den Dokumenten Grenzen, Merker und welche Spalten Faktoren oder Richtungen gemeinsam haben.",
    ),
    helps=Text(
        "Put the noise first and the limits after it: then they cut values that were changed already.",
        "Überlagern Sie zuerst und schneiden Sie dann ab: Dann treffen die Grenzen Werte, die schon verändert sind.",
    ),
    does_not=(
        Text(
            "undo noise that was added, which correlated columns have partly in common",
            "addierte Überlagerungen zurücknehmen, die korrelierte Spalten zum Teil gemeinsam haben",
        ),
    ),
    example={},
)
class ToldConstants(Attack):
    """A limit that is told and a flag that says who stood at it are a known value; noise that comes after them is known, too.

    For every step that tells limits with flags, and every later step that multiplied the same column by factors that values share, the factor of the flagged records is what
    they show over the limit. It is taken out of the other columns of that step, and with a unit number out of the other records of the unit. The
    stranger is sure where the factor is the same for all values, and only guesses where they share no more than its direction.
    """

    def attempt(self, seen: Seen) -> Attempt:
        found = [
            guess
            for coded in seen.facts
            for column, told in _with_flags(coded, seen)
            for noise in seen.facts
            if noise.step > coded.step and column in noise.columns and factor_range(noise) is not None
            for guess in _undone(seen, column, told, noise)
        ]
        return Attempt(sum(len(guess.rows) for guess in found), tuple(found))


def _with_flags(fact: Fact, seen: Seen) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Columns of which a step tells limits and which records stood at them."""
    for name, told in fact.told.items():
        if isinstance(told, Mapping) and name in seen.numeric and told.get("flag") in seen.columns:
            yield name, told


def _undone(seen: Seen, column: str, told: Mapping[str, Any], noise: Fact) -> Iterator[Guess]:
    flag = str(told["flag"])
    factor = _factors(seen, column, told)
    by_unit = _of_units(seen, factor)
    shared = noise.told.get("shared")
    if shared not in ("factor", "sign"):
        return
    for other in (name for name in noise.columns if name in seen.numeric):
        w = by_unit if other == column else np.where(np.isnan(factor), by_unit, factor)
        w = np.where(np.isnan(factor), w, np.nan) if other == column else w
        rows: Ints = np.flatnonzero(np.isfinite(w) & np.isfinite(seen.columns[other].numbers()))
        if len(rows):
            value = seen.columns[other].numbers()[rows] / w[rows]
            sure = np.full(len(rows), shared == "factor" and not noise.told.get("own"))
            yield Guess(other, rows, value, value, sure, _HOW.filled(flag=flag, column=column, other=other))


def _factors(seen: Seen, column: str, told: Mapping[str, Any]) -> Floats:
    """What flagged records show over the limit at which they stood; NaN elsewhere."""
    shown, said = seen.columns[column].numbers(), seen.columns[str(told["flag"])].texts()
    out = np.full(len(shown), np.nan)
    for side in SIDES:
        about = told.get(side)
        limit = about.get("limit") if isinstance(about, Mapping) else None
        if limit:
            at = said == side
            out[at] = shown[at] / float(limit)
    return np.where(out > 0, out, np.nan)


def _of_units(seen: Seen, factor: Floats) -> Floats:
    """For every record the factor of the first flagged record of its unit; NaN without a unit number."""
    out = np.full(len(factor), np.nan)
    for unit in seen.role(Role.UNIT)[:1]:
        of, count = seen.columns[unit].codes()
        known = np.flatnonzero(np.isfinite(factor) & (of >= 0))[::-1]
        each = np.full(max(count, 1), np.nan)
        each[of[known]] = factor[known]
        out = np.where(of >= 0, each[np.maximum(of, 0)], np.nan)
    return out
