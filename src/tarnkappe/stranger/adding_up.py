"""Columns that add up: what was masked in one follows from the others, and what was masked in all of them fits only the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

import numpy as np

from tarnkappe.data.column import Bools, Floats, Ints
from tarnkappe.data.guess import Attempt, Guess
from tarnkappe.data.seen import Seen
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Attack, Source, attack
from tarnkappe.stranger.mutual_exchanges import undone

MOST_COLUMNS = 40
"""With more columns of numbers, triples are too many to be tried in every run."""
ENOUGH = 30
"""Records that are needed to believe in an equation."""
TENTH = 0.1
"""An equation that holds exactly in so many records, or more, is no chance."""
ERRORS = 4.0
SHARP = 0.05
"""Coefficients lie within so many standard errors, or so little, of one; and the errors are as small."""
GLANCE = 2000
"""Records at which equations are looked for, evenly from the file."""
RESIDUAL = 1e-3
"""Hidden weights that fit a group of records to so little are the right ones."""
_COMPUTED = Text("{column!r} as {formula}", "{column!r} als {formula}")
_EXCHANGED = Text(
    "exchanges of {names} that fit windows, the sum and each other",
    "Vertauschungen von {names}, die zu Fenstern, Summe und zueinander passen",
)
_MIXED = Text(
    "weights of {names} with which the columns add up",
    "Gewichte von {names}, mit denen sich die Spalten addieren",
)
_TOO_MANY = Text(
    "Triples of more than {most} columns of numbers were not tried.",
    "Tripel von mehr als {most} Zahlenspalten wurden nicht versucht.",
)


_TOO_LARGE = Text(
    "Exchanges of columns that add up were not undone: the file is too large for every run, or they fit no window.",
    "Vertauschungen von Spalten, die sich addieren, wurden nicht rückgängig gemacht: Die Datei ist für jeden Lauf zu groß, oder sie passen zu keinem Fenster.",
)


@attack(
    "attack.adding-up",
    title=Text("Columns that add up", "Spalten, die sich addieren"),
    does=Text(
        "Looks for sums and differences between columns and computes from them what was masked, suppressed or exchanged.",
        "Sucht Summen und Differenzen zwischen Spalten und errechnet daraus, was verändert, unterdrückt oder vertauscht wurde.",
    ),
    sources=(
        Source(
            "hoehne2010", "section 2.1.1: the suppressed information must not follow from the other variables"
        ),
    ),
    knows=Text(
        "The stranger sees which columns steps have touched, and tries which columns of the release may have added up.",
        "Der Fremde sieht, welche Spalten von Schritten berührt wurden, und probiert, welche Spalten der Freigabe sich addiert haben könnten.",
    ),
    helps=Text(
        "Mask all columns that add up in one step, or declare under relations what adds up, so that one column follows from the others.",
        "Verändern Sie alle Spalten, die sich addieren, in einem Schritt, oder geben Sie unter relations an, was sich addiert, sodass eine Spalte aus den anderen folgt.",
    ),
    does_not=(
        Text(
            "try sums of more than two columns, other coefficients than one, or exchanges within strata",
            "Summen aus mehr als zwei Spalten, andere Koeffizienten als eins oder Vertauschungen in Schichten versuchen",
        ),
        Text(
            "say which record of a stratum a rebuilt triple of shuffled values belongs to",
            "sagen, zu welchem Datensatz einer Schicht ein wiederhergestelltes Tripel vertauschter Werte gehört",
        ),
    ),
    example={},
)
class AddingUp(Attack):
    """Turnover is domestic plus foreign: who masks one of the three, or each by itself, masks nothing.

    Three ways are tried. Where a column that a step touched, or in which cells are suppressed, is the sum or difference of two others in a tenth of the
    records exactly, or on average in all of them while the others are as they were, it is computed from them; in the first case the stranger is sure. Where three columns were
    exchanged, so that their totals add up and their records do not, partners are sought that lie near by in rank, add up and name each other; where one triple of values is
    left he is sure. Where columns stand as several vectors with hidden weights, weights are fitted with which the columns of a group add up.
    """

    def attempt(self, seen: Seen) -> Attempt:
        if seen.records < ENOUGH:
            return Attempt(0)
        with np.errstate(all="ignore"):  # what is infinite or too large to be added fits nothing
            return self._tried(seen)

    def _tried(self, seen: Seen) -> Attempt:
        names = [n for n in seen.numeric if np.isfinite(seen.columns[n].numbers()).sum() >= ENOUGH]
        guesses = list(_mixed(seen))
        if len(names) > MOST_COLUMNS:
            return Attempt(_answers(guesses), tuple(guesses), _TOO_MANY.filled(most=MOST_COLUMNS))
        x = {n: seen.columns[n].numbers() for n in names}
        touched = {n for fact in seen.facts for n in fact.columns}
        guesses += _computed(seen, x, touched)
        back, could_not = _exchanged(x, touched)
        return Attempt(_answers([*guesses, *back]), (*guesses, *back), could_not)


def _answers(guesses: Sequence[Guess]) -> int:
    return sum(len(guess.rows) for guess in guesses)


# -- one of them is masked ---------------------------------------------------------------------------------------

Signs = tuple[float, float]
_SIGNS: tuple[Signs, ...] = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0))


def _computed(seen: Seen, x: dict[str, Floats], touched: set[str]) -> Iterator[Guess]:
    """Columns that are, in some records exactly or on average, the sum or difference of two others."""
    rows = np.linspace(0, seen.records - 1, min(seen.records, GLANCE)).astype(np.int64)
    part = {n: v[rows] for n, v in x.items()}
    for name, y in x.items():
        gaps = bool(seen.columns[name].suppressed.any())
        if name not in touched and not gaps:
            continue
        hits, a, b, signs = _best(name, part)
        if hits >= max(ENOUGH, TENTH * len(rows)):
            yield from _filled(name, y, (a, b), signs, x, sure=gaps or hits > len(rows) / 2)
        elif name in touched and (found := _on_average(name, part, touched)):
            yield from _filled(name, y, found[:2], found[2], x, sure=False)


def _best(name: str, x: dict[str, Floats]) -> tuple[int, str, str, Signs]:
    """The sum or difference that is equal to a column in the most records, and in how many."""
    best = (0, "", "", _SIGNS[0])
    for a, b in combinations([n for n in x if n != name], 2):
        full = (x[a] != 0) & (x[b] != 0)
        for signs in _SIGNS:
            hits = int(np.count_nonzero(_same(signs[0] * x[a] + signs[1] * x[b], x[name]) & full))
            best = max(best, (hits, a, b, signs))
    return best


def _same(made: Floats, y: Floats) -> Bools:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(made - y) <= 1e-9 * np.abs(y) + 1e-9)


def _filled(
    name: str, y: Floats, of: tuple[str, str], signs: Signs, x: dict[str, Floats], *, sure: bool
) -> Iterator[Guess]:
    """What the equation says where the column shows something else, or nothing."""
    values = signs[0] * x[of[0]] + signs[1] * x[of[1]]
    rows = np.flatnonzero(np.isfinite(values) & ~_same(values, y))
    if len(rows):
        words = f"{'-' if signs[0] < 0 else ''}{of[0]} {'-' if signs[1] < 0 else '+'} {of[1]}"
        how = _COMPUTED.filled(column=name, formula=words)
        yield Guess(name, rows, values[rows], values[rows], np.full(len(rows), sure), how)


def _on_average(name: str, x: dict[str, Floats], touched: set[str]) -> tuple[str, str, Signs] | None:
    """Columns left as they were that give a masked one on average: coefficients of one, and nearer than any others."""
    found: list[tuple[float, str, str, Signs]] = []
    for a, b in combinations([n for n in x if n not in touched], 2):
        there = np.isfinite(x[name]) & np.isfinite(x[a]) & np.isfinite(x[b])
        if np.count_nonzero(there) < ENOUGH:
            continue
        y, parts = x[name][there], np.column_stack([x[a], x[b]])[there]
        size = np.maximum(np.abs(parts).sum(axis=1), 1e-300)
        for weighting in (np.ones(len(y)), 1 / size):  # errors of one size, or in proportion to the values
            weights, errors = _regressed(y, parts, weighting)
            near = np.maximum(ERRORS * errors, SHARP)
            fits = [s for s in _SIGNS if errors.max() < SHARP and (np.abs(weights - s) <= near).all()]
            found += [(float(np.median(np.abs(y - parts @ s))), a, b, s) for s in fits]
    return min(found)[1:] if found else None


def _regressed(y: Floats, x: Floats, weighting: Floats) -> tuple[Floats, Floats]:
    """Coefficients with their standard errors."""
    size = np.maximum(np.abs(x).max(axis=0), 1e-300)
    design = np.column_stack([np.ones(len(y)), x / size]) * weighting[:, None]
    if not (np.isfinite(design).all() and np.isfinite(y * weighting).all()):
        return np.full(2, np.nan), np.full(2, np.inf)
    weights, _, rank, _ = np.linalg.lstsq(design, y * weighting, rcond=None)
    if rank < design.shape[1]:
        return weights[1:] / size, np.full(2, np.inf)
    left = float(np.var(y * weighting - design @ weights))
    spread = left * np.diag(np.linalg.inv(design.T @ design))
    return weights[1:] / size, np.sqrt(np.maximum(spread[1:], 0)) / size


# -- all of them are exchanged -----------------------------------------------------------------------------------


def _exchanged(x: dict[str, Floats], touched: set[str]) -> tuple[list[Guess], Text]:
    """Three columns whose totals add up and whose records do not."""
    whole = {n: float(v.sum()) for n, v in x.items() if n in touched and np.isfinite(v).all()}
    guesses: list[Guess] = []
    could_not = NOTHING
    for a, b in combinations(whole, 2):
        for c in (n for n in whole if n not in (a, b)):
            off = abs(whole[a] + whole[b] - whole[c])
            if off > 1e-9 * np.abs(x[c]).sum() or np.mean(_same(x[a] + x[b], x[c])) > TENTH:
                continue
            values = undone(np.column_stack([x[a], x[b], x[c]]))
            if values is None:
                could_not = _TOO_LARGE
                continue
            how, rows = _EXCHANGED.filled(names=f"{a}, {b}, {c}"), np.flatnonzero(np.isfinite(values[:, 0]))
            guesses += [_certain(n, rows, values[rows, j], how) for j, n in enumerate((a, b, c)) if len(rows)]
    return guesses, could_not


def _certain(name: str, rows: Ints, values: Floats, how: Text) -> Guess:
    return Guess(name, rows, values, values, np.ones(len(rows), dtype=np.bool_), how)


# -- vectors with hidden weights ---------------------------------------------------------------------------------


def _mixed(seen: Seen) -> Iterator[Guess]:
    """Columns that stand as vectors: the weights of a group with which two add up to a third."""
    for fact in seen.of_method("microdata.camouflage"):
        group = fact.told.get("group")
        if not isinstance(group, str) or group not in seen.columns:
            continue
        stems: dict[str, list[str]] = {}
        for name in seen.numeric:
            stem, _, number = name.rpartition("_")
            if name in fact.columns and stem and number.isdigit():
                stems.setdefault(stem, []).append(name)
        groups = seen.columns[group].codes()[0]
        vectors = {
            s: np.column_stack([seen.columns[n].numbers() for n in ns])
            for s, ns in stems.items()
            if len(ns) > 1
        }
        for a, b, c in permutations(vectors, 3):
            if a < b:
                yield from _weighed((a, b, c), [vectors[n] for n in (a, b, c)], groups)


def _weighed(names: tuple[str, str, str], vectors: list[Floats], groups: Ints) -> Iterator[Guess]:
    rows, values = [], []
    free = sum(v.shape[1] for v in vectors) - 3
    for g in np.unique(groups[groups >= 0]):
        at = np.flatnonzero((groups == g) & np.isfinite(np.hstack(vectors)).all(axis=1))
        if len(at) > free and (fitted := _weights(vectors, at)) is not None:
            rows.append(at)
            values.append(fitted)
    if rows:
        at, found = np.concatenate(rows), np.concatenate(values)
        sure = np.zeros(len(at), dtype=np.bool_)
        how = _MIXED.filled(names=", ".join(names))
        yield from (Guess(n, at, found[:, j], found[:, j], sure, how) for j, n in enumerate(names))


def _weights(vectors: list[Floats], at: Ints) -> Floats | None:
    """Values of a group by the weights that fit best to the sum; None where none fit."""
    first, second, third = (v[at] for v in vectors)
    if not np.isfinite(np.abs(third).sum()):
        return None
    size = np.maximum(np.abs(third).mean(axis=1, keepdims=True), 1e-300)
    sums = np.hstack([first, second, -third]) / size
    counts = [first.shape[1], second.shape[1], third.shape[1]]
    heavy = 1e4 * np.repeat(np.eye(3), counts, axis=1)
    right = np.concatenate([np.zeros(len(at)), np.full(3, 1e4)])
    weights, *_ = np.linalg.lstsq(np.vstack([sums, heavy]), right, rcond=None)
    if np.median(np.abs(sums @ weights)) > RESIDUAL:
        return None
    ends = np.cumsum([0, *counts])
    return np.column_stack(
        [v @ weights[i:j] for v, i, j in zip((first, second, third), ends, ends[1:], strict=False)]
    )
