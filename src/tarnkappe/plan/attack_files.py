"""From two files, or a file and a release, to what is attacked: roles, types, hierarchies, and who is who."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ValidationError

from tarnkappe.data.column import Column
from tarnkappe.data.identity import identified
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.swapped import looks_swapped
from tarnkappe.errors.release import NotOurRelease
from tarnkappe.io.documents import read_json
from tarnkappe.io.options import ReadOptions
from tarnkappe.io.read import read_telling
from tarnkappe.io.released_data import ReleasedColumn, released_data
from tarnkappe.io.second_file import options_for_second
from tarnkappe.io.staging import MARK
from tarnkappe.language import Text, listed
from tarnkappe.plan.attack import Sides
from tarnkappe.plan.model import Plan, RegisterDescription
from tarnkappe.plan.prepare import with_hierarchies
from tarnkappe.plan.propose import propose
from tarnkappe.plan.registers import read_register
from tarnkappe.vocab import Kind, Role

SHUFFLED = "microdata.shuffle-rows"
Roles = Mapping[Role, tuple[str, ...]]
_SAME_ORDER = Text(
    "No column tells who is who. Record n of the second file is taken for record n of the first, because they have equally many; if the "
    "order was changed, attacks that are counted as right or wrong are not to be believed: give --id.",
    "Keine Spalte sagt, wer wer ist. Datensatz n der zweiten Datei gilt als Datensatz n der ersten, weil es gleich viele sind; wurde die "
    "Reihenfolge verändert, ist Angriffen, deren Treffer gezählt werden, nicht zu glauben: Geben Sie --id an.",
)
_UNKNOWN = Text(
    "Which record of the release is whose is not known, so attacks that are counted as right or wrong say nothing: give --id.",
    "Welcher Datensatz der Freigabe zu wem gehört, ist nicht bekannt; Angriffe, deren Treffer gezählt werden, sagen daher nichts aus: Geben "
    "Sie --id an.",
)
_KNOWN = Text(
    "Column {name!r} tells who is who in both files; attackers do not have it.",
    "Die Spalte {name!r} sagt in beiden Dateien, wer wer ist; Angreifer haben sie nicht.",
)
_KNOWN_TOGETHER = Text(
    "The columns {names} together tell who is who in both files; attackers have those of them that are keys or tell the period.",
    "Die Spalten {names} sagen in beiden Dateien zusammen, wer wer ist; Angreifer haben davon nur Schlüssel und die Periode.",
)
_ALSO_KNOWN = (Role.KEY, Role.PERIOD, Role.STRATUM)
"""Roles of columns that attackers have, also where they help to tell who is who."""
_PROPOSED = Text(
    "No roles were given; by their names and contents keys are: {keys}; sensitive: {sensitive}.",
    "Rollen waren nicht angegeben; nach Namen und Inhalt sind Schlüssel: {keys}; sensibel: {sensitive}.",
)
_TAKEN = Text("Keys: {keys}; sensitive: {sensitive}.", "Schlüssel: {keys}; sensibel: {sensitive}.")
_SEALED = Text(
    "What stood in the suppressed cells is not in the release: a suppressed key counts as a value of its own, which is cautious.",
    "Was in unterdrückten Zellen stand, ist nicht in der Freigabe: Ein unterdrückter Schlüssel zählt als eigener Wert, was vorsichtig ist.",
)
_KNOWLEDGE = Text(
    "An attacker has {file} with {persons} persons.", "Ein Angreifer hat {file} mit {persons} Personen."
)
_HOLDOUT = Text(
    "The hold-out is {file} with {persons} persons, whose data must not have entered the release.",
    "Die Vergleichsgruppe ist {file} mit {persons} Personen; deren Daten dürfen nicht in die Freigabe eingegangen sein.",
)


@dataclass(frozen=True, slots=True)
class Named:
    """What the caller says of the files."""

    roles: Roles = field(default_factory=dict)
    identity: tuple[str, ...] = ()
    """Columns that together tell in both files who is who."""
    plan: Plan | None = None
    knowledge: Path | None = None
    holdout: Path | None = None
    """Persons like those of the original whose data did not enter the release."""
    options: ReadOptions = field(default_factory=ReadOptions)
    """How the files are read; a plan says that of the original."""


class _Method(BaseModel):
    id: str


class _Certificate(BaseModel):
    columns: dict[str, ReleasedColumn]
    files: dict[str, str]
    methods: tuple[_Method, ...] = ()


def read_sides(before: Path, after: Path, named: Named) -> Sides:
    """Read what is attacked. `after` is a file, or the folder of a release."""
    described = named.plan.data if named.plan else None
    options = described.options if described else named.options
    old, how = read_telling(before, options)
    read = [how.notice(before.name)] if how and how.assumed else []
    if after.is_dir():
        new, shuffled = _release(after)
    else:
        (new, how), shuffled = (
            read_telling(after, options_for_second(after, replace(options, types={}))),
            False,
        )
        read += [how.notice(after.name)] if how and how.assumed else []
    if notice := looks_swapped(old, new):
        read.insert(0, notice)
    roles, proposed = chosen_roles(named, old, new)
    if described and named.plan:
        old = with_hierarchies(old, described.hierarchies, named.plan.folder)
    new = aligned_columns(old, new)
    new, who = who_is_who(old, new, named.identity, roles, shuffled=shuffled)
    old, new = with_roles(old, roles), with_roles(new, roles)
    said = words_of(roles, proposed=proposed)
    return told(Sides(old, new, (*read, said, who), _knowledge(named, old, roles), _holdout(named, old)))


def words_of(roles: Roles, *, proposed: bool) -> Text:
    """Which columns are keys and which are sensitive."""
    said = _PROPOSED if proposed else _TAKEN
    return said.filled(keys=_names(roles, Role.KEY), sensitive=_names(roles, Role.SENSITIVE))


def told(sides: Sides) -> Sides:
    """With words on the files beside the two."""
    said = [_KNOWLEDGE.filled(file=f.file, persons=len(d)) for f, d in filter(None, [sides.knowledge])]
    said += [_HOLDOUT.filled(file=f.file, persons=len(d)) for f, d in filter(None, [sides.holdout])]
    return replace(sides, basis=(*sides.basis, *said, *([_SEALED] if sides.sealed else [])))


def _release(folder: Path) -> tuple[Microdata, bool]:
    """The data of a release as its certificate describes it, and whether its records were shuffled."""
    try:
        told = _Certificate.model_validate(read_json(folder / MARK))
    except (OSError, ValueError, RecursionError, ValidationError):
        raise NotOurRelease(folder=str(folder), why=MARK) from None
    for name in sorted(told.files, key=lambda name: not name.endswith(".parquet")):
        if name.startswith("data.") and (data := released_data(folder / name, told.columns)) is not None:
            return data, any(method.id == SHUFFLED for method in told.methods)
    raise NotOurRelease(folder=str(folder), why="data.*")


def chosen_roles(named: Named, old: Microdata, new: Microdata) -> tuple[dict[Role, tuple[str, ...]], bool]:
    """Those that are given, else those of the plan, else those of the release, else what columns look like."""
    given = {role: names for role, names in named.roles.items() if names}
    if named.plan and named.plan.data:
        return {**named.plan.data.roles, **given}, False
    if new.roles:
        return {**new.roles, **given}, False
    for name in (n for names in given.values() for n in names):
        old.column(name), new.column(name)
    if Role.KEY in given:
        return given, False
    found: dict[Role, tuple[str, ...]] = {}
    for column in propose(old, "").columns:
        for role in column.roles:
            found[role] = (*found.get(role, ()), column.name)
    return {**found, **given}, True


def with_roles(data: Microdata, roles: Roles) -> Microdata:
    """The roles of columns that are there; a column that is no number any more has lost those that need one."""
    return data.with_roles(
        {role: tuple(_fitting(data, role, names)) for role, names in roles.items() if role is not Role.OTHER}
    )


def _fitting(data: Microdata, role: Role, names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        if name in data.columns and (
            role not in (Role.NUMERIC, Role.WEIGHT) or data.column(name).kind.is_number
        ):
            yield name


def aligned_columns(old: Microdata, new: Microdata) -> Microdata:
    """The released columns with the types of the originals of the same name."""
    return new.with_columns({n: _alike(old.column(n), c) for n, c in new.columns.items() if n in old.columns})


def _alike(old: Column, new: Column) -> Column:
    """A released column with the type of the original where it shows codes, and with its hierarchy where all its codes are in it."""
    from tarnkappe.io.retyping import as_kind  # noqa: PLC0415 - loads polars

    if new.empty and new.kind is not old.kind:
        new = new.empty_as(old.kind)
    if old.kind is Kind.CATEGORY and new.kind.is_number:
        new = as_kind(new, "", Kind.CATEGORY)
    tree = old.hierarchy
    if tree is None or new.hierarchy is not None or (tree.positions(new.distinct()) < 0).any():
        return new
    return replace(new, hierarchy=tree)


def who_is_who(
    old: Microdata, new: Microdata, identity: tuple[str, ...], roles: Roles, *, shuffled: bool
) -> tuple[Microdata, Text]:
    """The release with the places of its records in the original, where these are known."""
    if identity:
        said = _KNOWN.filled(name=identity[0])
        if len(identity) > 1:
            said = _KNOWN_TOGETHER.filled(names=listed(list(identity)))
        return by_identity(new, old, identity, roles), said
    if len(old) == len(new) and not shuffled:
        return new, _SAME_ORDER
    return replace(new, rows=-1 - np.arange(len(new), dtype=np.int64)), _UNKNOWN


def by_identity(file: Microdata, old: Microdata, identity: tuple[str, ...], roles: Roles) -> Microdata:
    """A file whose persons are told by columns; those that attackers do not have go."""
    known = {name for role in _ALSO_KNOWN for name in roles.get(role, ())} if len(identity) > 1 else set()
    return identified(file, old, identity).without(tuple(name for name in identity if name not in known))


def _knowledge(named: Named, old: Microdata, roles: Roles) -> tuple[RegisterDescription, Microdata] | None:
    if named.knowledge is None:
        return None
    said = _described(named.knowledge, named.options)
    data = read_register(said, named.knowledge, old)
    if named.identity and set(named.identity) <= set(data.columns):
        data = by_identity(data, old, named.identity, roles)
    return said, data


def _described(file: Path, options: ReadOptions) -> RegisterDescription:
    """A further file, read as the others are where it is written in the same way."""
    how = options_for_second(file, options)
    return RegisterDescription(
        file=file.name, missing=how.missing, encoding=how.encoding, separator=how.separator, decimal=_sign(how.decimal),
        sheet=how.sheet if isinstance(how.sheet, str) else None,
    )  # fmt: skip


def _sign(decimal: str | None) -> Literal[".", ","] | None:
    """The decimal sign as a plan may say it; any other is refused where the file is read first."""
    return "." if decimal == "." else "," if decimal == "," else None


def _holdout(named: Named, old: Microdata) -> tuple[RegisterDescription, Microdata] | None:
    if named.holdout is None:
        return None
    said = _described(named.holdout, named.options)
    return said, read_register(said, named.holdout, old)


def _names(roles: Roles, role: Role) -> str:
    return listed(list(roles.get(role, ()))) or "–"
