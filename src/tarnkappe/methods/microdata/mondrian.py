"""Local recoding by Mondrian."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import MISSING_CODE, Bools, Column, Ints, Strings
from tarnkappe.data.contributors import units_counted
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.strata import strata_of
from tarnkappe.data.telling import lasting
from tarnkappe.errors.masking import UnitsApart
from tarnkappe.errors.risk import OrderNeeded
from tarnkappe.kernels.candidate_units import class_units
from tarnkappe.kernels.classes import Classes, classes
from tarnkappe.language import Text, listed
from tarnkappe.methods.microdata.limits import too_few
from tarnkappe.methods.microdata.step_remarks import lone_cells
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Mark, Maturity, Method, Reach, Source, Trace, method
from tarnkappe.spec.conditions import above, below
from tarnkappe.spec.fields import Order
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Kind, Role

DASH, BAR = " – ", " | "


def _groups_of_k(m: Mondrian, before: Microdata, after: Microdata) -> bool:
    """Every shown combination of keys stands in k records of its stratum, or in those of k units where units are counted."""
    keys, units = before.keys(m.keys), units_counted(after)
    who = range(len(after)) if units is None else units.tolist()
    behind: dict[tuple[int, ...], set[int]] = {}
    rows = zip(*(after.column(n).codes()[0].tolist() for n in (*keys, *m.within)), strict=True)
    for row, unit in zip(rows, who, strict=True):
        behind.setdefault(row, set()).add(unit)
    return all(len(one) >= m.k for row, one in behind.items() if any(code >= 0 for code in row[: len(keys)]))


def _shown_values(m: Mondrian, before: Microdata, after: Microdata) -> list[Counter[int]]:
    """How often every sensitive value occurs beside each shown combination."""
    keys = before.keys(m.keys)
    seen: dict[tuple[int, ...], Counter[int]] = {}
    columns = [after.column(n).codes()[0].tolist() for n in (*keys, *m.within)]
    for *row, kind in zip(*columns, m.sensitive_kinds(after).tolist(), strict=True):
        if any(code >= 0 for code in row[: len(keys)]):
            counts = seen.setdefault(tuple(row), Counter())
            counts.update([kind] if kind >= 0 else [])
    return list(seen.values())


def _varied(m: Mondrian, before: Microdata, after: Microdata) -> bool:
    """Every shown combination has enough different sensitive values, or values as mixed as so many."""
    seen = _shown_values(m, before, after)
    if m.kind == "distinct":
        return all(len(counts) >= m.variety for counts in seen)
    return all(_as_mixed_as(counts) >= m.variety - 1e-9 for counts in seen)


def _as_mixed_as(counts: Counter[int]) -> float:
    """exp(H): so many equally frequent values are as mixed (entropy l-diversity)."""
    shares = [count / counts.total() for count in counts.values()]
    return math.exp(-sum(share * math.log(share) for share in shares))


def _close(m: Mondrian, before: Microdata, after: Microdata) -> bool:
    """The sensitive values beside every shown combination are near those of the whole file (earth mover's distance)."""
    whole = Counter(kind for kind in m.sensitive_kinds(before).tolist() if kind >= 0)
    kinds = sorted(whole)
    own = np.array([whole[kind] / whole.total() for kind in kinds])
    for counts in filter(None, _shown_values(m, before, after)):
        gap = np.array([counts[kind] / counts.total() for kind in kinds]) - own
        far = np.abs(gap).sum() / 2
        if m.ground == "ordered":
            far = np.abs(np.cumsum(gap)).sum() / max(len(kinds) - 1, 1)
        if far > m.closeness + 1e-9:
            return False
    return True


def _true(m: Mondrian, before: Microdata, after: Microdata) -> bool:
    """What is shown covers the true value: interval, list of values, or code above it in the hierarchy."""
    return all(_covers(before.column(n), after.column(n)) for n in before.keys(m.keys))


def _covers(old: Column, new: Column) -> bool:
    pairs = {(a, b) for a, b in zip(old.texts().tolist(), new.texts().tolist(), strict=True) if b is not None}
    for was, now in pairs:
        if was == now:
            continue
        if old.hierarchy is not None and old.kind is Kind.CATEGORY:
            tree, at = old.hierarchy, int(old.hierarchy.positions([was])[0])
            while at >= 0 and tree.codes[at] != now:
                at = int(tree.parent[at])
            if at < 0:
                return False
        elif old.kind in (Kind.CATEGORY, Kind.BOOLEAN):
            if BAR + was + BAR not in BAR + now + BAR:  # a value may hold the bar itself
                return False
        else:
            low, high = now.split(DASH)
            inside = float(low) <= float(was) <= float(high) if old.kind.is_number else low <= was <= high
            if not inside:
                return False
    return True


@method(
    "microdata.mondrian",
    family=Family.RECODE,
    leaves=Leaves.COARSER,
    title=Text("Local recoding (Mondrian)", "Lokales Vergröbern (Mondrian)"),
    does=Text(
        "Keys were replaced by intervals or groups of values, finer where records are many and coarser where they are few.",
        "Schlüssel wurden durch Intervalle oder Wertegruppen ersetzt, feiner, wo viele Datensätze sind, gröber, wo es wenige sind.",
    ),
    sources=(
        Source("dav2025", "section 3.2.1, generalisation, local recoding (D-M03)"),
        Source("lefevre2006", "greedy strict multidimensional partitioning"),
        Source("machanavajjhala2007", "section 4: entropy l-diversity"),
        Source("li2007", "section 4: t-closeness"),
    ),
    preserves=(
        Claim(
            Text(
                "the truth: what is shown covers the original value",
                "die Wahrheit: was gezeigt wird, umfasst den ursprünglichen Wert",
            ),
            _true,
        ),
    ),
    protects=(
        Claim(
            Text(
                "every shown combination of keys stands in at least k records of its stratum, or in those of k units where several records are one unit's",
                "jede gezeigte Kombination der Schlüssel steht in mindestens k Datensätzen ihrer Schicht oder in denen von k Einheiten, wo mehrere Datensätze zu "
                "einer gehören",
            ),
            _groups_of_k,
        ),
        Claim(
            Text(
                "every shown combination has as many different sensitive values as required",
                "jede gezeigte Kombination hat so viele verschiedene sensible Werte wie verlangt",
            ),
            _varied,
            when=above("variety", 1),
        ),
        Claim(
            Text(
                "the sensitive values of every shown combination are as near to those of the whole file as required",
                "die sensiblen Werte jeder gezeigten Kombination liegen so nahe an denen der ganzen Datei wie verlangt",
            ),
            _close,
            when=below("closeness", 1),
        ),
    ),
    does_not=(
        ForAnalysis(
            "give all records the same classes: intervals differ and overlap, which makes tables harder",
            "allen Datensätzen dieselben Klassen geben: Intervalle unterscheiden und überschneiden sich, was Auswertungen erschwert",
        ),
        Text("protect columns that are no keys", "Spalten schützen, die keine Schlüssel sind"),
        Text(
            "hide that a class could not be split: whoever has the program and knows all keys can exclude some values of a sensitive column, and "
            "in 40 small files became certain of none",
            "verbergen, dass eine Klasse nicht zu teilen war: Wer das Programm hat und alle Schlüssel kennt, kann Werte einer sensiblen Spalte "
            "ausschließen und war sich in 40 kleinen Dateien bei keinem sicher",
        ),
        Text(
            "stay the same from one release to the next: two releases of the same persons can be crossed",
            "von einer Freigabe zur nächsten gleich bleiben: zwei Freigaben derselben Personen lassen sich kreuzen",
        ),
    ),
    words={
        "intervals": Text("intervals are", "Intervalle sind"),
        "smallest and largest value, both included": Text("smallest and largest value, both included", "kleinster und größter Wert, beide eingeschlossen"),
    },
    example={
        "keys": ["age", "postcode", "sex"], "k": 4, "sensitive": "diagnosis", "variety": 2, "kind": "entropy", "closeness": 0.9, "ground": "ordered",
        "order": ["none", "injury", "asthma", "diabetes", "cancer"], "within": ["region"],
        "too_small": "suppress",
    },
    maturity=Maturity.REVIEWED,
    revision=4,
    changes_kinds=True,
)  # fmt: skip
class Mondrian(Method):
    """Split the records into blocks of neighbours on the keys and show each block's range instead of its values.

    Blocks are halved at the median of the key with the largest relative range as long as both halves have k records and, if asked for,
    `variety` different sensitive values (`kind: entropy`: values as mixed as so many equally frequent ones, exp(H)) whose shares are
    no further than `closeness` from those of the whole file (t-closeness; `ground` as in `risk.t-closeness`). Numbers and dates become intervals from the smallest to the largest value of the block; codes with a
    hierarchy become the lowest code above all of them, others a list of values. So detail is lost only where records are few. A key whose values
    are all equal in a block keeps its value. A suppressed sensitive value counts for nothing; a missing one is a value of its own, and counts
    for nothing with `ground: ordered`.

    Keys that all members of a household or all records of a unit share (roles `household` and `unit`) are split first and by themselves, so that
    these records show the same range. Where strata or keys do not allow that, the step is refused. Keys that change from period to period have
    another range in every one: measure the risk over all periods together. Where several records are one unit's (role `unit`; in a panel also owners and
    identifiers that repeat), k counts units: a block needs records of k of them.

    Missing and suppressed keys stay so; records with the same gaps are treated together. Where a stratum or such a set has fewer than k
    records, or too few different sensitive values, the step is refused or its keys are suppressed (`too_small`).

    Zero and negative numbers are ordered like others, tied values go to the same side of a split, and a constant key is never split.
    """

    needs_roles = needs(keys=Role.KEY)

    keys: tuple[str, ...] = ()
    """Columns an attacker knows; without them, those with the role key. | Spalten, die ein Angreifer kennt; ohne sie die mit der Rolle key."""
    k: Annotated[int, Field(ge=2)] = 3
    """Records, or units, of the smallest block. | Datensätze oder Einheiten des kleinsten Blocks."""
    sensitive: str | None = None
    """Column whose values must differ within a block. | Spalte, deren Werte sich in einem Block unterscheiden müssen."""
    variety: Annotated[int, Field(ge=1)] = 1
    """Least number of different sensitive values in a block. | Kleinste Zahl verschiedener sensibler Werte in einem Block."""
    kind: Literal["distinct", "entropy"] = "distinct"
    """How different values are counted. | Wie verschiedene Werte gezählt werden."""
    closeness: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Largest distance of a block's sensitive values from those of the whole file. | Größter Abstand der sensiblen Werte eines Blocks von
    denen der ganzen Datei."""
    ground: Literal["equal", "ordered"] = "equal"
    """How far two sensitive values are from each other. | Wie weit zwei sensible Werte voneinander entfernt sind."""
    order: Order = ()
    """For ordered: the values of a category from the lowest to the highest. | Für ordered: die Werte einer Kategorie vom niedrigsten zum
    höchsten."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
    too_small: Literal["refuse", "suppress"] = "refuse"
    """What happens where fewer records come together. | Was geschieht, wo weniger Datensätze zusammenkommen."""

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if (self.sensitive is None) != (self.variety == 1 and self.closeness == 1):
            raise ValueError(
                Text(
                    "sensitive goes together with variety or closeness",
                    "sensitive gehört zu variety oder closeness",
                )
            )
        if self.sensitive in self.keys:
            raise ValueError(
                Text(
                    "a key cannot be the sensitive column",
                    "ein Schlüssel kann nicht die sensible Spalte sein",
                )
            )
        return self

    def named_columns(self) -> tuple[str, ...]:
        more = () if self.sensitive is None else (self.sensitive,)
        return tuple(dict.fromkeys((*self.keys, *self.within, *more)))

    def reach(self, data: Microdata) -> Reach:
        return Reach(changed=data.keys(self.keys))

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        return (Trace(Mark.COUNTED, self.keys or roles.get(Role.KEY, ())),)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        keys = data.keys(self.keys)
        ordered = {name: _ordered(data.column(name), name) for name in keys}
        labels: dict[str, Ints] = {}
        label, few = np.zeros(len(data), dtype=np.int64), np.zeros(len(data), dtype=np.bool_)
        for stage in self._stages(data, keys):
            places = np.column_stack([ordered[name].place for name in stage])
            label, lacking = self._blocks(data, (*labels, *stage), places, label)
            few, labels = few | lacking, {**labels, **dict.fromkeys(stage, label)}
        if few.any() and self.too_small == "refuse":
            where = Text(
                "a stratum or set of records with the same gaps",
                "eine Schicht oder Menge mit gleichen Lücken",
            )
            raise too_few(self.id, self.k, where, owners=units_counted(data) is not None)
        new = {n: _shown(data.column(n), ordered[n], labels[n]).suppress(few) for n in keys}
        return data.with_columns(new)

    def _stages(self, data: Microdata, keys: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Keys that are split one set after the other: first those that all records of a household or unit share.

        Such records are then in one block, and show one range; with ranges of their own, what these have in common would be narrower.
        """
        shared = {name: {r.by for r in lasting(data, keys) if r.tells == name} for name in keys}
        linked = set().union(*shared.values())
        sets = sorted({frozenset(s) for s in shared.values()}, key=len, reverse=True)
        nested = all(inner <= outer for outer, inner in pairwise(sets))
        same = {name: {r.by for r in lasting(data, self.within) if r.tells == name} for name in self.within}
        if not nested or not all(linked <= units for units in same.values()):
            raise UnitsApart(who=self.id, names=listed(sorted({n for by in linked for n in by})))
        return [tuple(n for n in keys if shared[n] == s) for s in sets]

    def _blocks(
        self, data: Microdata, keys: tuple[str, ...], places: Ints, above: Ints
    ) -> tuple[Ints, Bools]:
        """The block of every record inside those of an earlier stage, and the records whose block is not large or varied enough."""
        from tarnkappe.kernels.mondrian import (  # noqa: PLC0415 - numba is loaded when first used
            blocks,
            fulfilled,
            sensitive,
        )

        strata, units = strata_of(data, self.within, keys), units_counted(data)
        asked = sensitive(
            self.sensitive_kinds(data),
            self.variety,
            self.closeness,
            entropy=self.kind == "entropy",
            ordered=self.ground == "ordered",
            units=units,
        )
        apart = classes([(strata.of, len(strata)), (above, int(above.max(initial=0)) + 1)]).ids
        label = blocks(places, apart.astype(np.int64), self.k, asked)
        enough = class_units(Classes(label, np.bincount(label, minlength=1)), units) >= self.k
        return label, ~(enough & fulfilled(label, len(enough), asked))[label]

    def sensitive_kinds(self, data: Microdata) -> Ints:
        """A number per record for its sensitive value, -1 where it tells nothing."""
        if self.sensitive is None:
            return np.zeros(len(data), dtype=np.int64)
        column = data.column(self.sensitive)
        codes, count = column.codes()
        if self.ground == "equal":
            return np.where(codes == MISSING_CODE, count, np.maximum(codes, -1))
        occur, kinds = np.unique(np.maximum(codes, -1), return_inverse=True)
        places = self._places(column, occur[occur >= 0])
        return np.append(places, -1)[kinds - int(occur[:1].min(initial=0) < 0)]

    def _places(self, column: Column, occur: Ints) -> Ints:
        """The place of every value that occurs in the order that counts."""
        if column.kind is not Kind.CATEGORY:
            return np.arange(len(occur))
        rank = {value: place for place, value in enumerate(self.order)}
        places = np.array([rank.get(value, -1) for value in column.distinct()[occur]], dtype=np.int64)
        if (places < 0).any():
            raise OrderNeeded(name=self.sensitive, count=int((places < 0).sum()))
        return np.argsort(np.argsort(places))

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        return tuple(lone_cells(before, after, before.keys(self.keys), self.within))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """How intervals are to be read."""
        del after
        return {
            "columns": list(before.keys(self.keys)),
            "intervals": "smallest and largest value, both included",
        }


class Ordered(NamedTuple):
    """The values of a key in an order in which neighbours are alike."""

    place: Ints
    """For every record the place of its value; 0 where there is none."""
    texts: Strings
    """The value at every place."""
    nodes: Ints | None
    """Its position in the hierarchy, where the key has one."""


def _ordered(column: Column, name: str) -> Ordered:
    """Numbers and dates by size, codes in the order of their hierarchy, or of the alphabet."""
    codes, _ = column.true_codes()
    texts = column.distinct()
    tree = column.hierarchy if column.kind is Kind.CATEGORY else None
    if tree is None:
        return Ordered(np.maximum(codes, 0), texts, None)
    placed = tree.place(column)
    placed.refuse_unknown(name)
    by_node = np.argsort(placed.nodes, kind="stable")
    rank = np.empty(len(by_node), dtype=np.int64)
    rank[by_node] = np.arange(len(by_node))
    return Ordered(
        np.append(rank, 0)[codes] if len(rank) else np.zeros(len(codes), np.int64),
        texts[by_node],
        placed.nodes[by_node],
    )


def _shown(column: Column, ordered: Ordered, label: Ints) -> Column:
    """The column with the range of every block in place of its values."""
    size = int(label.max(initial=-1)) + 1
    if not len(ordered.texts):
        return column
    low, high = np.full(size, np.iinfo(np.int64).max), np.full(size, -1, dtype=np.int64)
    np.minimum.at(low, label, ordered.place)
    np.maximum.at(high, label, ordered.place)
    tree = column.hierarchy if ordered.nodes is not None else None
    if column.kind in (Kind.CATEGORY, Kind.BOOLEAN) and tree is None:
        texts = _lists(ordered, label, size)
    elif tree is not None and ordered.nodes is not None:
        texts = tree.codes[_lowest_above(tree, ordered.nodes[low], ordered.nodes[high])]
    else:
        ends = zip(ordered.texts[low], ordered.texts[high], strict=True)
        texts = np.array([a if a == b else a + DASH + b for a, b in ends], dtype=object)
    categories, codes = np.unique(texts.astype(str), return_inverse=True) if size else (texts, label)
    return replace(column.with_codes(codes[label], categories.astype(object)), hierarchy=tree)


def _lists(ordered: Ordered, label: Ints, size: int) -> Strings:
    """The different values of every block, in their order."""
    pairs = np.unique(np.column_stack([label, ordered.place]), axis=0)
    ends = np.searchsorted(pairs[:, 0], np.arange(size + 1))
    return np.array(
        [BAR.join(ordered.texts[pairs[a:b, 1]]) for a, b in pairwise(ends)],
        dtype=object,
    )


def _lowest_above(tree: Hierarchy, a: Ints, b: Ints) -> Ints:
    """The lowest code that is above, or is, both codes of every pair."""
    a, b = a.copy(), b.copy()
    while (apart := a != b).any():
        deeper = apart & (tree.level[a] >= tree.level[b])
        b = np.where(apart & ~deeper, tree.parent[b], b)
        a = np.where(deeper, tree.parent[a], a)
    return a
