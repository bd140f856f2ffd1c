"""Microdata: coded columns, what each means for disclosure, and where every record came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.errors import did_you_mean
from tarnkappe.errors.data import (
    ColumnMissing,
    LengthsDiffer,
    NoKeys,
    NotFinite,
    RoleKind,
    RolesClash,
    RoleTwice,
    WrongKind,
)
from tarnkappe.language import Text
from tarnkappe.vocab import Kind, Role

Roles = Mapping[Role, tuple[str, ...]]
NEEDS_NUMBERS = (Role.NUMERIC, Role.WEIGHT)
_NUMBERS = Text("numbers", "Zahlen")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Microdata:
    """Records of persons, households or firms. Frozen: every step returns a new one and shares what it left alone."""

    columns: Mapping[str, Column]
    roles: Roles = field(default_factory=dict)
    rows: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Position of every record in the original file: before and after can always be compared. A record that a method made
    up has a number below 0."""
    origin: str = "polars"
    """The kind of frame the data came from; `to_frame` gives the same kind back."""
    reported: int = -1
    """How many records the original file had: a plan may name each of them, also after some were left out."""
    behind: Ints | None = None
    """The real unit that stands behind every record, by the number of its first record: what a method has made up, and the years of a unit
    whose name is gone, still belong to somebody. None: nothing is written down, see `data.contributors`."""
    marks: NDArray[np.uint64] | None = None
    """A number for every record by who it is, where tables with noise are made of them: see `data.record_marks`."""

    def __post_init__(self) -> None:
        if len(self.rows) == 0 and self.columns:
            object.__setattr__(
                self, "rows", np.arange(len(next(iter(self.columns.values()))), dtype=np.int64)
            )
        self.rows.flags.writeable = False
        if self.reported < 0:
            object.__setattr__(self, "reported", int(self.rows.max(initial=-1)) + 1)
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        object.__setattr__(
            self, "roles", MappingProxyType({Role(r): tuple(n) for r, n in self.roles.items() if n})
        )
        self._check()

    def _check(self) -> None:
        for name, column in self.columns.items():
            if len(column) != len(self.rows):
                raise LengthsDiffer(name=name, found=len(column), expected=len(self.rows))
        for role, names in self.roles.items():
            if role.single and len(names) > 1:
                raise RoleTwice(role=role.value, count=len(names))
            for name in names:
                kind = self.column(name).kind
                if role in NEEDS_NUMBERS and not kind.is_number:
                    raise RoleKind(name=name, role=role.value, found=kind.text)
        others = {n for r, names in self.roles.items() if r is not Role.IDENTIFIER for n in names}
        for name in self.role(Role.IDENTIFIER):
            if name in others:
                raise RolesClash(name=name)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Microdata({len(self):,} records, {len(self.columns)} columns)"

    def _repr_html_(self) -> str:
        """For notebooks: what the columns are; no value is shown."""
        cells = (
            (n, c.kind.value, ", ".join(r.value for r in self.roles_of(n)), c.label)
            for n, c in self.columns.items()
        )
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in cells
        )
        head = "<tr><th>column</th><th>type</th><th>roles</th><th>label</th></tr>"
        return f"<table><caption>{len(self):,} records</caption>{head}{rows}</table>"

    # -- reading ----------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def column(self, name: str) -> Column:
        try:
            return self.columns[name]
        except KeyError:
            raise ColumnMissing(name=name, hint=did_you_mean(name, self.columns)) from None

    def role(self, role: Role) -> tuple[str, ...]:
        return self.roles.get(role, ())

    def roles_of(self, name: str) -> tuple[Role, ...]:
        return tuple(role for role, names in self.roles.items() if name in names) or (Role.OTHER,)

    def keys(self, names: Sequence[str] = ()) -> tuple[str, ...]:
        """The named columns, or those with the role `key`."""
        chosen = tuple(names) or self.role(Role.KEY)
        if not chosen:
            raise NoKeys
        for name in chosen:
            self.column(name)
        return chosen

    def numbers(self, names: Sequence[str], who: str = "this step", *, by_column: bool = False) -> Floats:
        """Numeric columns side by side as floats, NaN where missing or suppressed; infinities are refused.

        `by_column` lays every column out in one piece, for those who go through them one by one.
        """
        out = np.empty((len(self), len(names)), order="F" if by_column else "C")
        for j, name in enumerate(names):
            column = self.column(name)
            if not column.kind.is_number:
                raise WrongKind(name=name, found=column.kind.text, who=who, needed=_NUMBERS)
            out[:, j] = x = column.numbers()
            infinite = np.flatnonzero(np.isinf(x))
            if len(infinite):
                raise NotFinite(name=name, count=len(infinite), first=self.record(infinite[0]))
        return out

    def record(self, position: int | np.integer[Any]) -> int:
        """The number of a record in the file it was read from, counted from 1, for messages; a record that a method made has only its place here."""
        row = int(self.rows[position])
        return (row if row >= 0 else int(position)) + 1

    # -- changing (a new one each time) -------------------------------------------------------------------------

    def with_columns(self, columns: Mapping[str, Column]) -> Microdata:
        """Replace columns, or add them at the end."""
        return replace(self, columns={**self.columns, **columns})

    def with_numbers(self, names: Sequence[str], values: Floats) -> Microdata:
        """New numbers in the observed cells of some columns."""
        return self.with_columns({n: self.column(n).with_numbers(values[:, j]) for j, n in enumerate(names)})

    def with_roles(self, roles: Roles) -> Microdata:
        """With other roles; a column without any value becomes a number where its role needs one."""
        named = {n for role, names in roles.items() if role in NEEDS_NUMBERS for n in names}
        needed = {n for n in named if n not in self.columns or not self.columns[n].kind.is_number}
        return replace(self.empty_as(dict.fromkeys(needed, Kind.NUMBER)), roles=roles)

    def empty_as(self, kinds: Mapping[str, Kind]) -> Microdata:
        """With columns of these kinds where they have no value that says otherwise."""
        blank = {
            name: self.columns[name].empty_as(kind)
            for name, kind in kinds.items()
            if name in self.columns and self.columns[name].empty and self.columns[name].kind is not kind
        }
        return replace(self, columns={**self.columns, **blank}) if blank else self

    def told(self, roles: Roles) -> Microdata:
        """With these roles; what the file itself told stays for columns and single roles of which nothing else is said."""
        said = {name for names in roles.values() for name in names}
        out = {Role(role): tuple(names) for role, names in roles.items()}
        for role, names in self.roles.items():
            rest = () if role.single and out.get(role) else tuple(n for n in names if n not in said)
            out[role] = (*out.get(role, ()), *rest)
        return self.with_roles(out)

    def without(self, names: Iterable[str]) -> Microdata:
        """Drop columns, and with them their roles."""
        gone = set(names)
        for name in gone:
            self.column(name)
        return replace(
            self,
            columns={n: c for n, c in self.columns.items() if n not in gone},
            roles={r: tuple(n for n in names if n not in gone) for r, names in self.roles.items()},
        )

    def take(self, positions: Ints | Bools) -> Microdata:
        """Some records, in the given order."""
        return replace(
            self,
            columns={n: c.take(positions) for n, c in self.columns.items()},
            rows=self.rows[positions],
            behind=None if self.behind is None else self.behind[positions],
            marks=None if self.marks is None else self.marks[positions],
        )

    def sealed(self) -> Microdata:
        """Without the true values under suppressed cells: what may be written."""
        return replace(self, columns={n: c.sealed() for n, c in self.columns.items()})

    def flags_following(self) -> Microdata:
        """With the cells suppressed that tell something of suppressed cells of other columns."""
        new = {}
        for name, column in self.columns.items():
            told = [self.columns[other].suppressed for other in column.describes if other in self.columns]
            hidden = np.logical_or.reduce(told) & column.observed if told else np.zeros(0, dtype=np.bool_)
            if hidden.any():
                new[name] = column.suppress(hidden)
        return self.with_columns(new) if new else self

    def aligned_to(self, after: Microdata) -> Microdata:
        """The records of this data that `after` still has, in the order of `after`."""
        if np.array_equal(self.rows, after.rows):
            return self
        both = (self.rows, after.rows)
        first = min(int(rows.min(initial=0)) for rows in both)
        last = max(int(rows.max(initial=-1)) for rows in both)
        place = np.full(last - first + 1, -1, dtype=np.int64)
        place[self.rows - first] = np.arange(len(self.rows))
        found = place[after.rows - first]
        return self.take(found[found >= 0])

    def paired(self, after: Microdata) -> tuple[Microdata, Microdata]:
        """Both restricted to the records they share, in the order of `after`."""
        old = self.aligned_to(after)
        return old, after if len(old) == len(after) else after.aligned_to(old)

    def with_made(self, templates: Ints) -> Microdata:
        """With further records, copies of others, at the end; as records nobody reported they have numbers below 0.

        Whoever stands behind a record stands behind its copies.
        """
        lowest = int(self.rows.min(initial=0))
        behind = self.rows if self.behind is None else self.behind
        made = replace(self.take(templates), rows=lowest - 1 - np.arange(len(templates), dtype=np.int64))
        columns = {n: c.followed_by(made.columns[n]) for n, c in self.columns.items()}
        return replace(
            self,
            columns=columns,
            rows=np.concatenate([self.rows, made.rows]),
            behind=np.concatenate([behind, behind[templates]]),
        )

    def is_category(self, name: str) -> bool:
        return self.column(name).kind in (Kind.CATEGORY, Kind.BOOLEAN)
