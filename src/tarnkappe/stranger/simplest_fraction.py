"""Whole numbers behind quotients that are told with all their digits: the simplest fraction near a quotient is the pair of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.guess import Attempt, Guess
from tarnkappe.data.seen import Seen
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Attack, Source, attack
from tarnkappe.stranger.told_factors import factor_ranges
from tarnkappe.vocab import Role

WIDTH = 2e-15
"""Relative error of a quotient of two numbers that were each multiplied once: some units in the last place."""
DOUBT = 0.01
"""A fraction counts as found where its terms are so much simpler than chance would give."""
MOST_RECORDS = 4000
"""Of larger files so many records are tried, spread evenly: what holds of them holds of all."""
MOST_QUOTIENTS = 2_000_000
"""In files of many columns fewer records are tried, so that a run is not held up."""
NO_AMOUNTS = (Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD, Role.UNIT, Role.OWNER, Role.PERIOD)
_PAIR = Text("the quotient of {a!r} and {b!r}", "der Quotient von {a!r} und {b!r}")
_ITSELF = Text("{a!r}, which is a quotient of {b!r}", "{a!r}, das ein Quotient von {b!r} ist")
_PERIODS = Text(
    "the quotient of two periods of {a!r} of one unit", "der Quotient zweier Perioden von {a!r} einer Einheit"
)
_SOME = Text(
    "Only {count} records of the file were tried, spread evenly.",
    "Nur {count} Datensätze der Datei wurden versucht, gleichmäßig verteilt.",
)


class _Term(NamedTuple):
    """One side of a quotient: the original column that is looked for, where, and between which numbers the told factor puts it."""

    column: str
    rows: Ints
    low: Floats
    high: Floats


@attack(
    "attack.simplest-fraction",
    title=Text("Simplest fraction", "Einfachster Bruch"),
    does=Text(
        "Looks for whole numbers behind quotients of released numbers.",
        "Sucht ganze Zahlen hinter Quotienten freigegebener Zahlen.",
    ),
    sources=(
        Source("graham1994", "section 4.5: the simplest fraction in an interval"),
        Source("hoehne2010", "4.2.2: factors that columns or periods share (R15)"),
    ),
    knows=Text(
        "The stranger knows that the originals are whole numbers, and what the documents tell of factors and ratios.",
        "Der Fremde weiß, dass die Originale ganze Zahlen sind, und kennt, was die Dokumente über Faktoren und Verhältnisse sagen.",
    ),
    helps=Text(
        "Tell fewer digits, or let microdata.ratio, microdata.index-numbers and microdata.factor-noise make the quotients: they hide the whole numbers behind them.",
        "Teilen Sie weniger Stellen mit, oder lassen Sie microdata.ratio, microdata.index-numbers und microdata.factor-noise die Quotienten bilden: Sie verbergen die ganzen Zahlen dahinter.",
    ),
    does_not=(
        Text(
            "try quotients of numbers that were rounded or moved: these fit many fractions",
            "Quotienten gerundeter oder bewegter Zahlen versuchen: Zu ihnen passen viele Brüche",
        ),
        Text(
            "try amounts in cents or hundreds where the told range of a factor leaves several multiples",
            "Beträge in Cent oder Hundertern versuchen, wo der mitgeteilte Bereich eines Faktors mehrere Vielfache lässt",
        ),
    ),
    example={},
)
class SimplestFraction(Attack):
    """Two whole numbers that were multiplied by one factor, or divided by each other, keep their quotient to the last digit.

    The simplest fraction within the last digits is the pair in lowest terms. Tried are the quotients of any two released columns of numbers of which one was changed,
    columns that the documents call ratios or index numbers (also in per cent), and the quotients of one column in successive periods of a unit. Which
    multiple it was is told by the range of a told factor, or by other ratios over the same denominator; without either, the fraction itself is the guess. The
    stranger is sure where one multiple fits.
    """

    def attempt(self, seen: Seen) -> Attempt:
        found = [*_of_pairs(seen), *_of_ratios(seen), *_of_indices(seen), *_of_periods(seen)]
        some = len(_tried(seen))
        left_out = _SOME.filled(count=some) if some < seen.records else NOTHING
        return Attempt(some * len(_amounts(seen)), tuple(found), left_out)


def _amounts(seen: Seen) -> tuple[str, ...]:
    apart = {name for role in NO_AMOUNTS for name in seen.role(role)}
    return tuple(name for name in seen.numeric if name not in apart)


def _tried(seen: Seen) -> Ints:
    """The records that are looked at, spread over the file."""
    columns = len(_amounts(seen))
    most = max(MOST_QUOTIENTS // max(columns * (columns - 1) // 2, 1), 100)
    some = min(seen.records, MOST_RECORDS, most)
    return np.unique(np.linspace(0, max(seen.records - 1, 0), some).astype(np.int64))


def _of_pairs(seen: Seen) -> Iterator[Guess]:
    """Two columns of a record, of which one at least was changed."""
    touched = {name for fact in seen.facts for name in fact.columns}
    rows, ranges = _tried(seen), factor_ranges(seen)
    for a, b in combinations(_amounts(seen), 2):
        if {a, b} & touched:
            y, z = (np.abs(seen.columns[name].numbers()[rows]) for name in (a, b))
            terms = _term(a, rows, y, ranges), _term(b, rows, z, ranges)
            yield from _guesses(_quotient(y, z), terms, _PAIR.filled(a=a, b=b))


def _of_ratios(seen: Seen) -> Iterator[Guess]:
    """Columns that the documents call ratios; those over one denominator tell its multiple together."""
    rows, ranges = _tried(seen), factor_ranges(seen)
    made: dict[str, list[tuple[str, str]]] = {}
    for fact in seen.of_method("microdata.ratio"):
        for name, told in fact.told.items():
            if isinstance(told, Mapping) and name in seen.numeric and {"of", "over"} <= told.keys():
                made.setdefault(str(told["over"]), []).append((name, str(told["of"])))
    for over, ratios in made.items():
        fractions = [_fractions(np.abs(seen.columns[name].numbers()[rows])) for name, _ in ratios]
        common = _common([q for _, q in fractions])
        for (name, of), (p, q) in zip(ratios, fractions, strict=True):
            times = np.where(q > 0, common / np.where(q > 0, q, 1), 0.0)
            shown = seen.columns[over].numbers()[rows] if over in seen.numeric else np.full(len(rows), np.nan)
            terms = _anything(of, rows), _term(over, rows, np.abs(shown), ranges)
            yield from _scaled((p * times, q * times), terms, _ITSELF.filled(a=name, b=of))


def _of_indices(seen: Seen) -> Iterator[Guess]:
    """Index numbers in per cent of a base value."""
    rows = _tried(seen)
    for fact in seen.of_method("microdata.index-numbers"):
        for name in (n for n in fact.columns if n in seen.numeric):
            index = np.abs(seen.columns[name].numbers()[rows])
            p, q = _fractions(np.where(index == 100, np.nan, index / 100))
            yield from _scaled((p, q), (_anything(name, rows),), _ITSELF.filled(a=name, b=name))


def _of_periods(seen: Seen) -> Iterator[Guess]:
    """One column in successive records of a unit."""
    ranges = factor_ranges(seen)
    for unit in _units(seen)[:1]:
        of = seen.columns[unit].codes()[0]
        period = [seen.columns[name].codes()[0] for name in seen.role(Role.PERIOD)]
        order = np.lexsort([*period, of])
        follows = (of[order][1:] == of[order][:-1]) & (of[order][1:] >= 0)
        now, past = (part[follows][:MOST_RECORDS] for part in (order[1:], order[:-1]))
        for name in (n for n in _amounts(seen) if n in ranges):
            y = np.abs(seen.columns[name].numbers())
            terms = _term(name, now, y[now], ranges), _term(name, past, y[past], ranges)
            yield from _guesses(_quotient(y[now], y[past]), terms, _PERIODS.filled(a=name))


def _units(seen: Seen) -> tuple[str, ...]:
    """Released columns that number units: by their role, or because a step was told to move a unit as one."""
    told = [fact.told.get("unit") or () for fact in seen.facts]
    named = [name for names in told for name in ([names] if isinstance(names, str) else names)]
    return tuple(dict.fromkeys(n for n in (*seen.role(Role.UNIT), *named) if n in seen.columns))


def _term(column: str, rows: Ints, shown: Floats, ranges: Mapping[str, tuple[float, float]]) -> _Term:
    if column not in ranges:
        return _anything(column, rows)
    least, most = ranges[column]
    return _Term(column, rows, shown / most, shown / least)


def _anything(column: str, rows: Ints) -> _Term:
    nothing = np.full(len(rows), np.nan)
    return _Term(column, rows, nothing, nothing)


def _quotient(a: Floats, b: Floats) -> Floats:
    out = np.full(len(a), np.nan)
    np.divide(a, b, out=out, where=(b != 0) & np.isfinite(a) & np.isfinite(b))
    return out


def _fractions(quotients: Floats) -> tuple[Floats, Floats]:
    """Terms of the simplest fraction behind every quotient, 0 where none is simple enough; one to one and whole quotients say nothing."""
    from tarnkappe.kernels.simplest_fraction import (  # noqa: PLC0415 - numba is loaded when first used
        fractions_behind,
    )

    p, q = fractions_behind(np.where(quotients > 0, quotients, np.nan), WIDTH, DOUBT)
    told = (p > 1) & (q > 1)
    return np.where(told, p, 0.0), np.where(told, q, 0.0)


def _common(denominators: list[Floats]) -> Floats:
    """The smallest number that all denominators of a record divide; 1 where there is none."""
    out = np.ones(len(denominators[0]), dtype=np.int64)
    for one in denominators:
        both = np.lcm(out, np.maximum(one, 1).astype(np.int64))
        out = np.where((both > 0) & (both < 2**40), both, out)
    return out.astype(np.float64)


def _guesses(quotients: Floats, terms: tuple[_Term, ...], how: Text) -> Iterator[Guess]:
    yield from _scaled(_fractions(quotients), terms, how)


def _scaled(fraction: tuple[Floats, Floats], terms: tuple[_Term, ...], how: Text) -> Iterator[Guess]:
    """Both terms times the smallest multiple that the told ranges leave."""
    found = fraction[0] > 0
    if not found.any():
        return
    first, last = np.ones(len(found)), np.full(len(found), np.inf)
    for size, term in zip(fraction, terms, strict=False):
        each = np.where(found, size, 1.0)
        first = np.fmax(first, np.ceil(term.low / each * (1 - 1e-9)))
        last = np.fmin(last, np.floor(term.high / each * (1 + 1e-9)))
    fits: Bools = found & (first <= last)
    for size, term in zip(fraction, terms, strict=False):
        value = (size * first)[fits]
        if len(value):
            yield Guess(term.column, term.rows[fits], value, value, (first == last)[fits], how)
