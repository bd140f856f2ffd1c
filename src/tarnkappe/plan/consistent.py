"""Is the result consistent? The rules of the plan, the granularity its users need, and what can be seen without being told.

A hard rule that is broken, or cannot be checked, refuses the release. What is found without being told is only reported: noise may
make a number negative and still be what was wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

import numpy as np

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.io.paths import inside
from tarnkappe.language import NOTHING, Text, listed, number
from tarnkappe.plan.agreement import agreement, earlier_data
from tarnkappe.plan.combinations import Common, common, new_combinations, new_in_pair, perturbed
from tarnkappe.plan.consistency import ConsistencyDescription
from tarnkappe.plan.dependencies import dependencies
from tarnkappe.plan.guess import amount, percent
from tarnkappe.plan.ledger import ConsistencyEntry, GateEntry
from tarnkappe.plan.model import Plan
from tarnkappe.plan.naming import topic_of
from tarnkappe.plan.process import Granularity, Level
from tarnkappe.vocab import Kind, Role

AGES = (0, 120)
_MOST_CATEGORIES = 50
_AGE = "an age"
Found = tuple[bool | None, Text]
"""Whether a rule holds (None: it cannot be checked), and what was found."""
_NOT_RELEASED = Text("not in the release", "nicht in der Freigabe")
_OTHER_CODES = Text(
    "the release shows other codes than the original and no hierarchy relates them",
    "die Freigabe zeigt andere Codes als das Original, und keine Hierarchie verbindet sie",
)

_BROKEN = Text(
    "Change the step that breaks this rule, or the rule in the plan; a rule under consistency with hard: false only reports.",
    "Ändern Sie den Schritt, der diese Regel verletzt, oder die Regel im Plan; eine Regel unter consistency mit hard: false "
    "berichtet nur.",
)


def consistency_of(plan: Plan, before: Microdata, after: Microdata) -> tuple[ConsistencyEntry, ...]:
    """Every rule with what was found; none where only tables are released."""
    if not plan.releases_data or len(after) == 0:
        return ()
    declared = [_declared(rule, plan, before, after) for rule in plan.consistency]
    wanted = plan.process.use.granularity if plan.process else {}
    needed = [_granular(name, g, before, after) for name, g in wanted.items() if g.needed]
    return (*declared, *needed, *_unasked(plan, before, after))


def consistency_gates(found: tuple[ConsistencyEntry, ...]) -> Iterator[GateEntry]:
    """Hard rules are conditions of the release; nobody outside needs to know them."""
    for entry in found:
        if entry.hard:
            yield GateEntry(entry.says, entry.held is True, entry.because, public=False, helps=_BROKEN)


# -- declared rules ---------------------------------------------------------------------------------------------


def _declared(
    rule: ConsistencyDescription, plan: Plan, before: Microdata, after: Microdata
) -> ConsistencyEntry:
    gone = [name for name in rule.named if name not in after.names]
    if gone and rule.kind != "release":
        found: Found = (True, _NOT_RELEASED)
    else:
        found = _JUDGES[rule.kind](rule, plan, before, after)
    return ConsistencyEntry(_says(rule), *found, rule.hard, declared=True)


def _says(rule: ConsistencyDescription) -> Text:
    if rule.kind == "range":
        signs = (("≥", rule.at_least), ("≤", rule.at_most))
        en, de = (
            " ".join(f"{sign} {number(bound, lang)}" for sign, bound in signs if bound is not None)
            for lang in ("en", "de")
        )
        return Text(f"{rule.column} {en}", f"{rule.column} {de}")
    if rule.kind == "follows":
        return Text(f"{rule.column} follows from {rule.follows}", f"{rule.column} folgt aus {rule.follows}")
    if rule.kind == "combinations":
        names = listed(rule.combinations)
        return Text(f"no new combination of {names}", f"keine neue Kombination von {names}")
    return Text(
        f"agrees with the release {rule.release}, within {percent(rule.within).en}",
        f"passt zur Freigabe {rule.release}, Abweichung höchstens {percent(rule.within).de}",
    )


def _range(rule: ConsistencyDescription, plan: Plan, before: Microdata, after: Microdata) -> Found:
    del plan, before
    column = after.column(str(rule.column))
    if not column.kind.is_number:
        return None, Text("the release shows no numbers", "die Freigabe zeigt keine Zahlen")
    values = column.numbers()[column.observed]
    outside = np.zeros(len(values), dtype=np.bool_)
    if rule.at_least is not None:
        outside |= values < rule.at_least
    if rule.at_most is not None:
        outside |= values > rule.at_most
    return _counted(int(outside.sum()), _OUTSIDE)


_OUTSIDE = Text("records outside: {n}", "Datensätze außerhalb: {n}")
_NEW = Text(
    "records with combinations that the original does not have: {n}",
    "Datensätze mit Kombinationen, die es im Original nicht gibt: {n}",
)


def _counted(count: int | None, says: Text) -> Found:
    if count is None:
        return None, _OTHER_CODES
    return count == 0, says.filled(n=amount(count)) if count else NOTHING


def _combined(rule: ConsistencyDescription, plan: Plan, before: Microdata, after: Microdata) -> Found:
    """A dependency is kept if no pair is new: a coarser column need not tell the other any more."""
    del plan
    names = rule.combinations or (str(rule.follows), str(rule.column))
    if any(name not in before.names for name in names):
        return None, Text("the original does not have the column", "das Original hat die Spalte nicht")
    return _counted(new_combinations(before, after, names), _NEW)


def _agrees(rule: ConsistencyDescription, plan: Plan, before: Microdata, after: Microdata) -> Found:
    del before
    earlier = earlier_data(inside(plan.folder, str(rule.release)))
    gone = [n for n in (*rule.by, *rule.columns) if n not in earlier.names or n not in after.names]
    unfit = [n for n in rule.columns if n not in gone and not _numeric(n, earlier, after)]
    if gone or unfit:
        says = Text("not comparable in both: {names}", "nicht in beiden vergleichbar: {names}")
        return None, says.filled(names=listed([*gone, *unfit]))
    found = agreement(earlier, after, rule.by, rule.columns, rule.within)
    if found is None:
        return None, Text("the two have no common stratum", "beide haben keine gemeinsame Schicht")
    says = Text(
        "figures that differ by more: {apart} of {compared}; common strata: {strata}; largest difference: {largest}",
        "stärker abweichende Zahlen: {apart} von {compared}; gemeinsame Schichten: {strata}; größte Abweichung: {largest}",
    )
    facts = {"apart": amount(found.apart), "compared": amount(found.compared), "strata": amount(found.strata)}
    return found.apart == 0, says.filled(**facts, largest=percent(found.largest))


def _numeric(name: str, *data: Microdata) -> bool:
    return all(d.column(name).kind.is_number for d in data)


_JUDGES: dict[str, Callable[[ConsistencyDescription, Plan, Microdata, Microdata], Found]] = {
    "range": _range,
    "follows": _combined,
    "combinations": _combined,
    "release": _agrees,
}


# -- granularity ------------------------------------------------------------------------------------------------


def _granular(name: str, wanted: Granularity, before: Microdata, after: Microdata) -> ConsistencyEntry:
    says = Text("{name} is as fine as its users need it", "{name} ist so fein, wie die Nutzung es braucht")
    held, because = True, NOTHING
    if name not in after.names:
        held, because = False, _NOT_RELEASED
    elif wanted.least is not None and name in before.names:
        coarse = _beyond(before, after, name, wanted.least)
        if coarse:
            said = Text("coarser records: {n}", "gröbere Datensätze: {n}")
            held, because = False, said.filled(n=amount(coarse))
    return ConsistencyEntry(says.filled(name=name), held, because, hard=True, declared=True)


def _beyond(before: Microdata, after: Microdata, name: str, least: Level) -> int:
    """Records whose code was taken above the level; codes that lay there before do not count."""
    new = after.column(name)
    tree = new.hierarchy or before.column(name).hierarchy
    if tree is None or new.kind is not Kind.CATEGORY:
        return 0
    old, now = before.paired(after)
    was, is_now = (_levels(tree, data, name) for data in (old, now))
    floor = tree.level_number(least)
    shown = now.column(name).observed & (was >= 0) & (is_now >= 0)
    return int((shown & (is_now < floor) & (is_now < was)).sum())


def _levels(tree: Hierarchy, data: Microdata, name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The level of every cell; -1 where its code is not known."""
    placed = tree.place(data.column(name))
    nodes = np.append(placed.nodes, -1)[placed.cells]
    return np.where(nodes >= 0, tree.level[nodes], -1).astype(np.int64)


# -- what can be seen without being told --------------------------------------------------------------------------


def _unasked(plan: Plan, before: Microdata, after: Microdata) -> Iterator[ConsistencyEntry]:
    """Numbers that cannot be, broken dependencies, new combinations: only what is not declared anyway."""
    told = {rule.column for rule in plan.consistency if rule.kind == "range"}
    for name in after.names:
        if name in before.names and name not in told and _numeric(name, before, after):
            yield from _impossible(name, before, after)
    yield from _pairs(plan, before, after)


def _pairs(plan: Plan, before: Microdata, after: Microdata) -> Iterator[ConsistencyEntry]:
    """Dependencies and combinations can only suffer where values were changed, not where they became coarser or fewer."""
    pointing = {
        n for role in (Role.IDENTIFIER, Role.HOUSEHOLD, Role.UNIT, Role.OWNER) for n in before.role(role)
    }
    names = [n for n in before.names if n in after.names and n not in pointing and _codes(before, n)]
    coded = {n: found for n in names if (found := common(before, after, n)) is not None}
    changed = {n for n, found in coded.items() if perturbed(before, after, found)}
    known = {frozenset(r.named) for r in plan.consistency if r.kind in ("follows", "combinations")}
    follows = dependencies(before.without(set(before.names) - set(coded))) if changed else ()
    for one in follows:
        pair = frozenset((one.of, one.on))
        if pair & changed and pair not in known:
            known.add(pair)
            held, because = _counted(new_combinations(before, after, (one.on, one.of)), _NEW)
            says = Text("{of} follows from {on} as before", "{of} folgt weiterhin aus {on}")
            yield ConsistencyEntry(
                says.filled(of=one.of, on=one.on), held, because, hard=False, declared=False
            )
    few = {n: found for n, found in coded.items() if _few(before, n)}
    yield from _new_pairs(few, changed, known)


def _new_pairs(
    coded: Mapping[str, Common], changed: set[str], known: set[frozenset[str]]
) -> Iterator[ConsistencyEntry]:
    """All pairs of columns with few categories together: one line."""
    pairs = [p for p in combinations(coded, 2) if frozenset(p) not in known]
    if not pairs:
        return
    looked_at = [p for p in pairs if set(p) & changed]
    broken = [f"{a} × {b}" for a, b in looked_at if new_in_pair(coded[a], coded[b])]
    says = Text("no new combination (pairs of columns: {n})", "keine neue Kombination (Spaltenpaare: {n})")
    because = (
        Text("new ones in: {pairs}", "neue bei: {pairs}").filled(pairs=listed(broken)) if broken else NOTHING
    )
    yield ConsistencyEntry(says.filled(n=amount(len(pairs))), not broken, because, hard=False, declared=False)


def _impossible(name: str, before: Microdata, after: Microdata) -> Iterator[ConsistencyEntry]:
    old, new = (d.column(name).numbers()[d.column(name).observed] for d in (before, after))
    topic = topic_of(name)
    low, high = AGES if topic and topic.text.en == _AGE else (0, np.inf)
    if not len(old) or not len(new) or old.min() < low or old.max() > high:
        return
    held, because = _counted(int(((new < low) | (new > high)).sum()), _OUTSIDE)
    says = Text("{name} has no negative values", "{name} hat keine negativen Werte")
    if high < np.inf:
        says = Text("{name} is a possible age", "{name} ist ein mögliches Alter")
    yield ConsistencyEntry(says.filled(name=name), held, because, hard=False, declared=False)


def _codes(data: Microdata, name: str) -> bool:
    """Codes, whole numbers or dates: what can depend on each other."""
    return data.column(name).kind is not Kind.NUMBER


def _few(data: Microdata, name: str) -> bool:
    column = data.column(name)
    return column.categories is not None and 1 < len(column.categories) <= _MOST_CATEGORIES
