"""The risk, measured where the data lies: on the original, after the steps, and by further attacks on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import InputWrong
from tarnkappe.language import NOTHING, Text
from tarnkappe.plan.exposed import exposed
from tarnkappe.plan.implied import steps_of
from tarnkappe.plan.ledger import Exposed, MeasureEntry, Unmeasured
from tarnkappe.plan.measuring import Routine
from tarnkappe.plan.model import Plan
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.registers import Registers, read_registers
from tarnkappe.plan.routine import Occasion, Usual, fitted, usual
from tarnkappe.plan.run import apply_steps
from tarnkappe.randomness import fresh, look_up
from tarnkappe.report.exposure import Assault, exposure
from tarnkappe.report.headline import Tile
from tarnkappe.report.numbers import percent, shown
from tarnkappe.studio.desk import Desk, checked
from tarnkappe.vocab import Attacker, Role

QUICK = (
    "risk.k-anonymity", "risk.class-sizes", "risk.uniques", "risk.reidentification", "risk.l-diversity",
)  # fmt: skip
"""What is measured as soon as the page opens, in the routine form of a run."""
DRIVES = "risk.attribution"
_BEFORE = Text("before: {was}", "vorher: {was}")
_OF_ALL = Text("{share} of all records", "{share} aller Datensätze")
_CHANCE = Text("found with a chance above {limit}", "mit mehr als {limit} Wahrscheinlichkeit zu finden")


@dataclass(frozen=True, slots=True)
class Bands:
    """Shares of the records by the size of their class."""

    names: tuple[str, ...]
    before: tuple[float, ...]
    """Empty where only one side is shown."""
    after: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Sight:
    """What one sees of the risk at once."""

    keys: tuple[str, ...]
    tiles: tuple[Tile, ...]
    assaults: tuple[Assault, ...]
    learns: tuple[Text, ...]
    bands: Bands | None
    left: tuple[tuple[Text, tuple[Text, ...]], ...]
    """Reason, and the titles of the measures that were not taken for it."""


@dataclass(frozen=True, slots=True)
class Drivers:
    """What every key adds to the chance of being found, the largest first."""

    names: tuple[str, ...]
    before: tuple[float, ...]
    """Empty where only one side is shown."""
    after: tuple[float, ...]
    says: tuple[Text, ...]
    because: Text = NOTHING
    """Why there are none."""


@dataclass(frozen=True, slots=True)
class Riskiest:
    """The records that are found most surely: places in the file, no values."""

    records: tuple[Exposed, ...]
    as_many: Text


@dataclass(frozen=True, slots=True)
class Protected:
    """The risk after the steps, beside that of the original."""

    sight: Sight
    drivers: Drivers
    riskiest: Riskiest


# -- the original -------------------------------------------------------------------------------------------------


def original(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], attackers: Sequence[str]
) -> Sight:
    """The risk of the file as it is, with the roles that were given."""
    found = desk.described(folder, data)
    taken = _alone([one for one in usual(_named(attackers)) if one.cls.id in QUICK], found, progress)
    return _sight(taken, found.keys(()))


def drivers(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], attackers: Sequence[str]
) -> Drivers:
    """Which keys drive the risk of the original."""
    found = desk.described(folder, data)
    return _drivers(
        _alone([one for one in usual(_named(attackers)) if one.cls.id == DRIVES], found, progress)
    )


def riskiest(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], attackers: Sequence[str]
) -> Riskiest:
    """The records of the original that are found most surely."""
    found = desk.described(folder, data)
    needed = ("risk.reidentification", "risk.l-diversity")
    taken = _alone([one for one in usual(_named(attackers)) if one.cls.id in needed], found, progress)
    return _riskiest(taken.taken, found, found)


def values(
    desk: Desk, progress: Progress, folder: Path, data: Mapping[str, Any], records: Sequence[int]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The names of the keys and what stands in them for some records, counted from 1. Shown on request, never kept."""
    del progress
    found = desk.described(folder, data)
    keys = found.role(Role.KEY)
    rows = found.take(np.asarray(records, dtype=np.int64) - 1)
    texts = [[str(text) for text in rows.column(name).texts()] for name in keys]
    return tuple(keys), tuple(zip(*texts, strict=True))


def _alone(measures: Sequence[Usual], data: Microdata, progress: Progress) -> Routine:
    """Routine measures of one file; what it has nothing for is left out with the reason."""
    occasion, done = Occasion(data, data), Routine(measures)
    progress.expect_also(len(measures))
    for one in measures:
        progress.next(one.cls.title)
        left = one.left_out(occasion)
        if left:
            done.left.append(left)
            continue
        measure = fitted(one.cls, one.attacker, occasion).measure
        try:
            finding = measure.measure(data, before=data if measure.compares else None)
        except InputWrong as problem:
            done.left.append(Unmeasured(one.cls, problem.what))
        else:
            done.taken.append(MeasureEntry(measure, None, finding, 0.0))
    return done


# -- after the steps ----------------------------------------------------------------------------------------------


def protected(desk: Desk, progress: Progress, folder: Path, content: Mapping[str, Any]) -> Protected:
    """The risk after the steps of the plan; its tables and conditions are left to the release."""
    done = stepped(desk, progress, folder, content)
    chosen = [one for one in usual(done.plan.release.attackers) if one.cls.id in (*QUICK, DRIVES)]
    progress.expect_also(len(chosen))
    taken = Routine(chosen)
    register = next(iter(done.plan.registers), None)
    taken.take(Occasion(done.before, done.after, register), progress, (), done.registers)
    return Protected(
        _sight(taken, tuple(done.after.role(Role.KEY)), done.changed),
        _drivers(taken),
        _riskiest(taken.taken, done.before, done.after),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Stepped:
    """A plan, and its data before and after the steps."""

    plan: Plan
    before: Microdata
    after: Microdata
    changed: tuple[str, ...]
    """Columns that do not hold the original values any more."""
    registers: Registers
    """What attackers have."""


def stepped(desk: Desk, progress: Progress, folder: Path, content: Mapping[str, Any]) -> Stepped:
    """Take the steps of a draft; tables are left out."""
    plan = replace(checked(folder, content), tables=(), published=())
    steps = steps_of(plan)
    progress.expect_also(1 + len(steps))
    progress.next(Text("reading the data", "Daten werden gelesen"))
    before = desk.planned(plan)
    registers = read_registers(plan.registers, plan.folder, before)
    secret = look_up(plan.secret, plan.folder) if plan.secret else fresh()
    after, entries, *_ = apply_steps(steps, before, secret, progress, plan.relations)
    changed = {name for step in entries for name, change in step.changes.items() if change.changed}
    return Stepped(plan, before, after, tuple(sorted(changed)), registers)


# -- what is shown of it ------------------------------------------------------------------------------------------


def _named(attackers: Sequence[str]) -> tuple[Attacker, ...]:
    return tuple(Attacker(name) for name in attackers) or (Attacker.PROSECUTOR,)


def _sight(taken: Routine, keys: tuple[str, ...], changed: tuple[str, ...] = ()) -> Sight:
    told = exposure(taken.taken, (), taken.left, changed)
    found = {entry.measure.id: entry for entry in reversed(taken.taken)}
    return Sight(
        keys=keys,
        tiles=_tiles(found),
        assaults=told.assaults,
        learns=told.learns,
        bands=_bands(found.get("risk.class-sizes")),
        left=tuple((because, tuple(dict.fromkeys(titles))) for because, titles in told.unmeasured),
    )


def _tiles(found: Mapping[str, MeasureEntry]) -> tuple[Tile, ...]:
    """The smallest class, unique records, records at risk, the average chance."""
    smallest, unique = found.get("risk.k-anonymity"), found.get("risk.uniques")
    chance = found.get("risk.reidentification")
    out = []
    if smallest:
        was = _was(smallest, lambda entry: shown(entry.value))
        out.append(Tile(Text("Smallest class, k", "Kleinste Klasse, k"), shown(smallest.after.value), was))
    if unique:
        was = _was(unique, lambda entry: shown(entry.details["once"]))
        share = _OF_ALL.filled(share=percent(unique.after.value))
        name = Text("Unique records", "Einzigartige Datensätze")
        out.append(Tile(name, shown(unique.after.details["once"]), was or share))
    if chance:
        was = _was(chance, lambda entry: percent(entry.details["share-at-risk"]))
        limit = _CHANCE.filled(limit=percent(chance.after.details["threshold"]))
        name = Text("Records at risk", "Gefährdete Datensätze")
        out.append(Tile(name, percent(chance.after.details["share-at-risk"]), was or limit))
        was = _was(chance, lambda entry: percent(entry.details["average"]))
        name = Text("Average chance of a hit", "Mittlere Trefferwahrscheinlichkeit")
        out.append(Tile(name, percent(chance.after.details["average"]), was))
    return tuple(out)


def _was(entry: MeasureEntry, figure: Any) -> Text:
    return _BEFORE.filled(was=figure(entry.before)) if entry.before else NOTHING


def _bands(entry: MeasureEntry | None) -> Bands | None:
    if entry is None:
        return None
    names = tuple(_band(band["from"], band["to"]) for band in entry.after.details["bands"])
    sides = [
        tuple(band["records"] / side.details["records"] for band in side.details["bands"]) if side else ()
        for side in (entry.before, entry.after)
    ]
    return Bands(names, *sides)


def _band(low: int, high: int | None) -> str:
    return f"{low}" if low == high else f"{low}+" if high is None else f"{low}–{high}"


def _drivers(taken: Routine) -> Drivers:
    entry = next((one for one in taken.taken if one.measure.id == DRIVES), None)
    if entry is None:
        because = next((one.because for one in taken.left if one.measure.id == DRIVES), NOTHING)
        return Drivers((), (), (), (), because)
    adds = entry.after.details["adds"]
    was = entry.before.details["adds"] if entry.before else {}
    names = tuple(sorted(adds, key=lambda name: -max(was.get(name, 0.0), adds[name])))
    before = tuple(float(was.get(name, 0.0)) for name in names) if was else ()
    says = exposure([entry]).drives[1:]  # the bars tell what the first sentence does
    return Drivers(names, before, tuple(float(adds[name]) for name in names), says)


def _riskiest(entries: Sequence[MeasureEntry], before: Microdata, after: Microdata) -> Riskiest:
    found = exposed(before, after, entries)
    return Riskiest(found, exposure(entries, found).as_many)
