"""What recoding and suppression took away: the loss functions of k-anonymity."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.quantities import LEAST, original
from tarnkappe.data.spelling import canonical
from tarnkappe.kernels.behind import Behind, behind, discernibility, spans
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.standard import power_scale
from tarnkappe.language import NOTHING, Text
from tarnkappe.spec import Finding, Goal, Json, Measure, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.utility.comparing import NOT_THE_SAME, joined, left_out
from tarnkappe.vocab import Role

Loss = Literal["certainty", "precision", "entropy", "ambiguity", "discernibility", "class-size"]
_NO_TREE = Text("recoded without a hierarchy", "ohne Hierarchie umkodiert")
_GONE = Text("not in the release", "nicht in der Freigabe")


@dataclass(frozen=True, slots=True)
class _Sides:
    """The records that both files have."""

    before: Microdata
    after: Microdata
    old: Microdata
    new: Microdata
    names: tuple[str, ...]
    gone: tuple[str, ...]
    k: int

    @property
    def lost(self) -> int:
        """Records that were removed."""
        return len(self.before) - len(self.old)


@measure(
    "utility.recoding",
    title=Text("Loss by recoding", "Verlust durch Umkodierung"),
    compares=True,
    does=Text(
        "Measures how much detail of the keys was given up by generalisation and suppression, by one of six loss functions.",
        "Misst mit einer von sechs Verlustfunktionen, wie viel Detail der Schlüssel durch Vergröberung und Unterdrückung aufgegeben wurde.",
    ),
    sources=(
        Source("dav2025", "section 6.2: general measures (specification, D-U15)"),
        Source("xu2006", "normalised certainty penalty"),
        Source("sweeney2002generalization", "precision metric Prec"),
        Source("gionistassa2009", "non-uniform entropy measure"),
        Source("goldbergertassa2010", "ambiguity metric"),
        Source("bayardoagrawal2005", "discernibility metric"),
        Source("lefevre2006", "normalised average equivalence class size"),
    ),
    reads=Text(
        "The loss is {value} on a scale from 0 (as the original) to 1 (nothing left).",
        "Der Verlust beträgt {value} auf einer Skala von 0 (wie das Original) bis 1 (nichts übrig).",
    ),
    knows=Text(
        "The keys of the records that both files have; a released value stands for the original values of all records that show it.",
        "Die Schlüssel der Datensätze, die beide Dateien haben; ein freigegebener Wert steht für die ursprünglichen Werte aller Datensätze, "
        "die ihn zeigen.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    does_not=(
        Text(
            "look at what an analysis needs: a band of five years may cost it nothing, or everything",
            "betrachten, was eine Auswertung braucht: Eine Klasse von fünf Jahren kann sie nichts kosten oder alles",
        ),
        Text(
            "fit data that was perturbed or drawn anew",
            "zu Daten passen, die gestört oder neu gezogen wurden",
        ),
    ),
    words={
        "ambiguity": Text("original combinations that a record can stand for, on average", "ursprüngliche Kombinationen, für die ein Datensatz stehen kann, im Mittel"),
        "loss": Text("loss function", "Verlustfunktion"),
        "of_k": Text("class size as a multiple of k", "Klassengröße als Vielfaches von k"),
    },
    example={"keys": ["postcode", "age", "sex"], "loss": "precision", "k": 3},
)  # fmt: skip
class Recoding(Measure):
    """The loss of detail in the keys, between 0 (as in the original) and 1.

    *certainty* (normalised certainty penalty): per cell (number of original values behind the released one - 1)/(number of all - 1), for
    numbers the range behind it as a part of the whole range; the mean over all cells. *precision*: levels of the hierarchy that a cell went up,
    as a part of all above it; the mean, that is 1 - Prec. *entropy* (non-uniform): -log₂ of the share of the own value among the records that show
    the same, as a part of -log₂ of its share in the file. *ambiguity*: the number of original combinations that a record can stand for, on average;
    log₂ of it as a part of log₂ of all combinations. *discernibility*: Σ f² over the classes of equal keys, with n for a record that is gone or
    has no key left. *class-size*: records per class; both as a part of the way from the original to one single class.

    What was suppressed, and every cell of a removed record, is lost as a whole. The unscaled figure is told beside the value, and for class sizes also the
    figure divided by `k`. Original values that were missing are values of their own.
    """

    needs_roles = needs(keys=Role.KEY)

    keys: tuple[str, ...] = ()
    """Columns to look at; without them, those with the role key. | Betrachtete Spalten; ohne Angabe die mit der Rolle key."""
    loss: Loss = "certainty"
    """Which loss function. | Welche Verlustfunktion."""
    k: Annotated[int, Field(ge=1)] = 1
    """Class size that was asked for. | Verlangte Klassengröße."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        before = original(before, self.id)
        keys = before.keys(self.keys)
        names = tuple(n for n in keys if n in after.columns)
        old, new = before.paired(after)
        sides = _Sides(before, after, old, new, names, tuple(n for n in keys if n not in names), self.k)
        gone = left_out(sides.gone, _GONE)
        if len(old) < LEAST or not names:
            return Finding(math.nan, trusted=False, because=joined(NOT_THE_SAME if names else _NO_KEY, gone))
        value, details, said = _LOSSES[self.loss](sides)
        details = {"loss": self.loss, "keys": names, "removed": sides.lost, **details}
        if math.isnan(value):
            return Finding(value, trusted=False, because=joined(said, gone), details=details)
        return Finding(min(max(value, 0.0), 1.0), because=joined(said, gone), details=details)


_NO_KEY = Text("The release has none of the keys.", "Die Freigabe hat keinen der Schlüssel.")
_Found = tuple[float, dict[str, Json], Text]


def _cells(sides: _Sides, per_column: dict[str, Floats], said: Text = NOTHING) -> _Found:
    """The mean over the cells of all columns; those of removed records count 1."""
    if not per_column:
        return math.nan, {}, said
    total = len(sides.before)
    columns = {name: (float(cells.sum()) + sides.lost) / total for name, cells in per_column.items()}
    return float(np.mean(list(columns.values()))), {"columns": columns}, said


def _certainty(sides: _Sides) -> _Found:
    return _cells(sides, {n: _penalty(sides.old.column(n), sides.new.column(n)) for n in sides.names})


def _penalty(old: Column, new: Column) -> Floats:
    was, shown, hidden = _codes(old, new)
    out: Floats
    if old.kind.is_number and not (was < 0).any() and np.isfinite(old.values).all():
        x = old.numbers()
        x = np.where(np.isnan(x), 0.0, x) / power_scale(x)
        whole = float(x.max(initial=0.0) - x.min(initial=0.0))
        out = spans(shown, x) / whole if whole > 0 else np.zeros(len(x))
    else:
        every = len(np.unique(was))
        out = (behind(shown, was - was.min(initial=0)).values - 1) / max(every - 1, 1)
    return np.where(hidden, 1.0 if len(np.unique(was)) > 1 else 0.0, out)


def _codes(old: Column, new: Column) -> tuple[Ints, Ints, Bools]:
    """Original codes, released codes from 0, and which cells show nothing any more; what the original itself hides is a value of its own."""
    was = np.where(old.suppressed, -1, old.true_codes()[0])
    shown, _ = new.codes()
    hidden = (shown < 0) & (was >= 0)
    return was, np.unique(shown, return_inverse=True)[1].ravel().astype(np.int64), hidden


def _precision(sides: _Sides) -> _Found:
    found = {n: _climbed(sides.old.column(n), sides.new.column(n)) for n in sides.names}
    without = [n for n, cells in found.items() if cells is None]
    return _cells(sides, {n: c for n, c in found.items() if c is not None}, left_out(without, _NO_TREE))


def _climbed(old: Column, new: Column) -> Floats | None:
    """Levels that every cell went up, as a part of those above it; nothing where no hierarchy tells."""
    was, _, hidden = _codes(old, new)
    same = _same_text(old, new) | (was < 0)
    if (same | hidden).all():
        return np.asarray(hidden, dtype=np.float64)
    if old.hierarchy is None:
        return None
    tree, placed = old.hierarchy.fitted(old)
    target = tree.positions(new.distinct())
    codes, _ = new.codes()
    to = np.append(target, [-1, -1])[codes]
    start = np.append(placed.nodes, -1)[placed.cells]
    known = (to >= 0) & (start >= 0)
    if not (known | same | hidden).all():
        return None
    level = tree.level.astype(np.float64)
    up = np.where(known, (level[start] - level[to]) / np.maximum(level[start], 1.0), 0.0)
    return np.where(hidden, 1.0, np.where(same, 0.0, np.clip(up, 0.0, 1.0)))


def _same_text(old: Column, new: Column) -> Bools:
    place = {word: code for code, word in enumerate(canonical(new).tolist())}
    table = np.array([*(place.get(word, -3) for word in canonical(old).tolist()), -1], dtype=np.int64)
    out: Bools = table[old.true_codes()[0]] == new.codes()[0]
    return out


def _entropy(sides: _Sides) -> _Found:
    """Bits lost per column over all records, as a part of the bits there were."""
    columns, lost, whole = {}, 0.0, 0.0
    for name in sides.names:
        everybody, _ = sides.before.column(name).true_codes()
        share = np.bincount(everybody + 1) / max(len(everybody), 1)
        was, shown, hidden = _codes(sides.old.column(name), sides.new.column(name))
        all_bits = float(-np.log2(share[everybody + 1]).sum())
        own = -np.log2(share[_matched(sides, name) + 1])
        cells = np.where(hidden, own, -np.log2(behind(shown, was + 1).chance))
        removed = all_bits - float(own.sum())
        here = float(cells.sum()) + removed
        columns[name] = here / all_bits if all_bits > 0 else 0.0
        lost, whole = lost + here, whole + all_bits
    return lost / whole if whole > 0 else 0.0, {"columns": columns, "bits_lost": lost}, NOTHING


def _matched(sides: _Sides, name: str) -> Ints:
    """Codes of the shared records in the coding of the whole file."""
    codes, _ = sides.before.column(name).true_codes()
    if sides.old is sides.before:
        return codes
    order = np.argsort(sides.before.rows, kind="stable")
    place = order[np.searchsorted(sides.before.rows[order], sides.old.rows)]
    return codes[place]


def _ambiguity(sides: _Sides) -> _Found:
    product, every = np.ones(len(sides.old)), 1.0
    for name in sides.names:
        was, shown, hidden = _codes(sides.old.column(name), sides.new.column(name))
        all_values = float(len(np.unique(was)))
        found: Behind = behind(shown, was + 1)
        product *= np.where(hidden, all_values, found.values)
        every *= all_values
    mean = (float(product.sum()) + sides.lost * every) / len(sides.before)
    value = math.log2(mean) / math.log2(every) if every > 1 else 0.0
    return value, {"ambiguity": mean, "combinations": every}, NOTHING


def _discernibility(sides: _Sides) -> _Found:
    n = len(sides.before)
    first = discernibility(_sizes(sides.before, sides.names), 0, n)
    blank = np.all([sides.after.column(name).suppressed for name in sides.names], axis=0)
    lost = sides.lost + int(blank.sum())
    second = discernibility(_sizes(sides.after.take(~blank), sides.names), lost, n)
    value = (second - first) / (n**2 - first) if n**2 > first else 0.0
    return value, {"before": first, "after": second}, NOTHING


def _class_size(sides: _Sides) -> _Found:
    first, second = (
        len(data) / max(len(_sizes(data, sides.names)), 1) for data in (sides.before, sides.after)
    )
    n = len(sides.before)
    value = (second - first) / (n - first) if n > first else 0.0
    return value, {"before": first, "after": second, "of_k": second / sides.k}, NOTHING


def _sizes(data: Microdata, names: tuple[str, ...]) -> Ints:
    return classes(data.column(n).codes() for n in names).sizes


_LOSSES: dict[Loss, Callable[[_Sides], _Found]] = {
    "certainty": _certainty,
    "precision": _precision,
    "entropy": _entropy,
    "ambiguity": _ambiguity,
    "discernibility": _discernibility,
    "class-size": _class_size,
}
