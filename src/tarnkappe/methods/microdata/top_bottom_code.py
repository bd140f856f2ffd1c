"""Censoring: top and bottom coding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from tarnkappe.data.column import Column, Floats
from tarnkappe.data.contributors import contributors, contributors_by
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.data import LimitsCross, NameTaken, NotFinite, NothingToUse, TooFewBeyond, WrongKind
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Method, Source, method
from tarnkappe.spec.fields import Columns
from tarnkappe.vocab import Kind

NONE, LOWER, UPPER = 0, 1, 2
FLAGS = np.array(["none", "lower", "upper"], dtype=object)
_SIDES = {LOWER: Text("lower", "unteren"), UPPER: Text("upper", "oberen")}
_NUMBERS = Text("numbers", "Zahlen")


class Share(BaseModel):
    """A limit by the share of records that lie beyond it."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, hide_input_in_errors=True
    )

    share: Annotated[float, Field(gt=0, lt=0.5)]
    """At most this share of the observed values is changed. | Höchstens dieser Anteil der vorhandenen Werte
    ändert sich."""


def _form(given: Any) -> str:
    return "tagged-share" if isinstance(given, Mapping | Share) else "tagged-number"


Limit = Annotated[
    Annotated[float, Tag("tagged-number")] | Annotated[Share, Tag("tagged-share")], Discriminator(_form)
]


def _sides(m: TopBottomCode, after: Microdata, name: str) -> Any:
    """The flags of the observed cells of a column; none where there is no flag column."""
    shown = after.columns[name].observed
    flags = after.columns.get(name + m.flag)
    return np.full(np.count_nonzero(shown), NONE) if flags is None else flags.values[shown]


def _observed(data: Microdata, name: str) -> Floats:
    column = data.columns[name]
    return column.values[column.observed].astype(np.float64)


def _between_kept(m: TopBottomCode, before: Microdata, after: Microdata) -> bool:
    for name in m.columns:
        inside = _sides(m, after, name) == NONE
        if not np.array_equal(_observed(before, name)[inside], _observed(after, name)[inside]):
            return False
    return True


def _flags_true(m: TopBottomCode, before: Microdata, after: Microdata) -> bool:
    for name in m.columns:
        if name + m.flag not in after.names:
            return False
        was, now = _observed(before, name), _observed(after, name)
        side = _sides(m, after, name)
        if not np.array_equal(side, np.where(was > now, UPPER, np.where(was < now, LOWER, NONE))):
            return False
    return True


def _nothing_beyond(m: TopBottomCode, before: Microdata, after: Microdata) -> bool:
    """All coded cells of a tail share one value, and no cell lies beyond it."""
    del before
    for name in m.columns:
        now, side = _observed(after, name), _sides(m, after, name)
        if (isinstance(m.upper, float) and np.any(now > m.upper)) or (
            isinstance(m.lower, float) and np.any(now < m.lower)
        ):
            return False
        if np.any(side == UPPER) and not np.all(now[side == UPPER] == now.max()):
            return False
        if np.any(side == LOWER) and not np.all(now[side == LOWER] == now.min()):
            return False
    return True


def _enough(m: TopBottomCode, before: Microdata, after: Microdata) -> bool:
    for name in m.columns:
        coded = np.zeros(len(after), dtype=np.uint8)
        coded[after.columns[name].observed] = _sides(m, after, name)
        for rows in strata_of(before, m.within).blocks():
            part = before.take(rows)
            if any(0 < contributors(part, coded[rows] == side) < m.at_least for side in (LOWER, UPPER)):
                return False
    return True


@method(
    "microdata.top-bottom-code",
    family=Family.RECODE,
    title=Text("Top and bottom code", "Oben und unten abschneiden (Censoring)"),
    does=Text(
        "Values beyond a limit were set to the limit; a flag column says which.",
        "Werte jenseits einer Grenze wurden auf die Grenze gesetzt; eine Merkerspalte sagt, welche.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.3, censoring (top and bottom coding)"),
        Source("gottschalk2002", "4.1 and 5.1, truncation and censoring with an indicator (G-M02)"),
        Source("hundepool2012", "chapter 3, non-perturbative masking: top and bottom coding"),
    ),
    preserves=(
        Claim(
            Text("every value between the limits, exactly", "jeden Wert zwischen den Grenzen, genau"),
            _between_kept,
        ),
        Claim(
            Text(
                "which values were changed: the flags say none, lower or upper",
                "welche Werte geändert wurden: die Merker sagen none, lower oder upper",
            ),
            _flags_true,
        ),
    ),
    protects=(
        Claim(
            Text(
                "the size of extreme values: none lies beyond the limits",
                "die Größe extremer Werte: keiner liegt jenseits der Grenzen",
            ),
            _nothing_beyond,
        ),
        Claim(
            Text(
                "against subtraction from a known total: three contributors or more of a stratum lie beyond a limit, or "
                "none",
                "gegen das Abziehen von einer bekannten Summe: jenseits einer Grenze liegen mindestens drei "
                "Beitragende einer Schicht oder keiner",
            ),
            _enough,
        ),
    ),
    does_not=(
        Text(
            "keep means, totals, variance and range: use the flags and limits in censored estimators",
            "Mittelwerte, Summen, Varianz und Spannweite erhalten: nutzen Sie Merker und Grenzen in "
            "zensierten Schätzern",
        ),
        Text(
            "look into sub-populations that within does not name: a unit can be the only coded one of its region or branch",
            "Teilmassen prüfen, die within nicht nennt: ein Träger kann in seiner Region oder Branche der einzige geänderte sein",
        ),
        Text(
            "hide that a unit is among the largest or smallest",
            "verbergen, dass ein Träger zu den größten oder kleinsten gehört",
        ),
    ),
    advice=Text(
        "Extreme values are shown as a limit and flagged. Treat the column as censored: `tarnkappe correct` fits a Tobit model.",
        "Extreme Werte sind durch eine Grenze ersetzt und gekennzeichnet. Die Spalte ist zensiert: `tarnkappe correct` schätzt ein Tobit-Modell.",
    ),
    words={
        "flag": Text("flagged in the column", "gekennzeichnet in der Spalte"),
    },
    example={
        "columns": ["income"],
        "lower": 1300,
        "upper": {"share": 0.2},
        "within": ["sex"],
        "at_least": 4,
        "flag": "_coded",
    },
)
class TopBottomCode(Method):
    """Set values beyond a limit to the limit and flag them: x becomes min(max(x, lower), upper).

    A limit is a number, or a share of the observed values: ``upper: {share: 0.01}`` sets the limit to the
    largest value that leaves at most one hundredth of them above it. Values equal to a limit are not changed
    and not flagged. When values are tied at the limit, fewer than the share are changed.

    Three contributors or more (`at_least`) must lie beyond each limit, because a total published elsewhere
    gives the values of one or two away; records of one owner count once. With fewer the step is refused. Where totals of regions or
    branches are published, name them in `within`: then it takes as many in every one that has any; the limits are the same in all. A
    limit given as a number with nobody beyond it changes nothing and is accepted; a share is not.

    The flag column takes the name of the column and a suffix. Where the value is missing or suppressed the flag is so too. Infinite
    values are coded like others; a share whose limit would be infinite is refused. Whole numbers stay whole if the limits are
    whole. Zeros and negative values are values like others and equal values are coded alike; limits that meet, as in a constant
    column, are refused.
    """

    columns: Columns
    """Numeric columns to code. | Numerische Spalten, die abgeschnitten werden."""
    lower: Limit | None = None
    """Lower limit: a number, or {share: s}. | Untere Grenze: eine Zahl oder {share: s}."""
    upper: Limit | None = None
    """Upper limit: a number, or {share: s}. | Obere Grenze: eine Zahl oder {share: s}."""
    within: tuple[str, ...] = ()
    """Columns that form the strata in which enough must lie beyond a limit, or none. | Spalten, die die Schichten bilden, in denen
    genügend jenseits einer Grenze liegen müssen oder keiner."""
    at_least: Annotated[int, Field(ge=3)] = 3
    """Smallest number of contributors beyond a limit. | Kleinste Zahl von Beitragenden jenseits einer
    Grenze."""
    flag: Annotated[str, Field(min_length=1)] = "_limit"
    """Ending of the name of the flag column. | Endung des Namens der Merkerspalte."""

    @model_validator(mode="after")
    def _limits_make_sense(self) -> Self:
        if self.lower is None and self.upper is None:
            raise ValueError(Text("needs lower, upper or both", "braucht lower, upper oder beide"))
        if isinstance(self.lower, float) and isinstance(self.upper, float) and self.lower >= self.upper:
            raise ValueError(Text("lower must be less than upper", "lower muss kleiner als upper sein"))
        return self

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.within)))

    def adds(self) -> tuple[str, ...]:
        return tuple(name + self.flag for name in self.columns)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        new: dict[str, Column] = {}
        for name in self.columns:
            if name + self.flag in data.names:
                raise NameTaken(who=self.id, name=name + self.flag, parameter="flag")
            column = self._numeric(data, name)
            limits = self._limits(name, column)
            flags = _flags(column, limits)
            self._refuse_few(data, name, flags)
            new[name] = _coded(column, flags, limits)
            new[name + self.flag] = Column.coded(flags, FLAGS, column.state)
        return data.with_columns(new)

    def _numeric(self, data: Microdata, name: str) -> Column:
        column = data.column(name)
        if not column.kind.is_number:
            raise WrongKind(name=name, found=column.kind.text, who=self.id, needed=_NUMBERS)
        return column

    def _limits(self, name: str, column: Column) -> dict[int, float]:
        """The limit on every treated side, as a number."""
        given = {LOWER: self.lower, UPPER: self.upper}
        limits = {s: _as_number(name, column, s, g) for s, g in given.items() if g is not None}
        if limits.get(LOWER, -np.inf) > limits.get(UPPER, np.inf):
            raise LimitsCross(name=name)
        return limits

    def _refuse_few(self, data: Microdata, name: str, flags: Any) -> None:
        shown = data.column(name).observed
        for side, given in ((LOWER, self.lower), (UPPER, self.upper)):
            if given is None:
                continue
            counts = contributors_by(data, shown & (flags == side), strata_of(data, self.within).of)
            count = int(counts.min(initial=self.at_least)) if len(counts) else 0
            if count < self.at_least and (count or isinstance(given, Share)):
                raise TooFewBeyond(name=name, count=count, side=_SIDES[side], needed=self.at_least)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        told: dict[str, Json] = {}
        for name in self.columns:
            sides = _sides(self, after, name)
            told[name] = {"flag": name + self.flag}
            for side, limit in self._limits(name, before.column(name)).items():
                count = int(np.count_nonzero(sides == side))
                told[name][str(FLAGS[side])] = {"limit": limit, "coded": count or None}
        return told


def _as_number(name: str, column: Column, side: int, given: float | Share) -> float:
    if not isinstance(given, Share):
        return given
    shown = column.values[column.observed]
    if not len(shown):
        raise NothingToUse(name=name)
    beyond = int(given.share * len(shown) + 1e-9)  # the fuzz lets a share of 0.29 of 100 be 29
    place = beyond if side == LOWER else len(shown) - 1 - beyond
    limit = float(np.partition(shown, place)[place])
    if not np.isfinite(limit):
        infinite = np.flatnonzero(column.observed & np.isinf(column.values))
        raise NotFinite(name=name, count=len(infinite), first=int(infinite[0]) + 1)
    return limit


def _flags(column: Column, limits: Mapping[int, float]) -> Any:
    flags = np.full(len(column), NONE, dtype=np.uint8)
    flags[column.values < limits.get(LOWER, -np.inf)] = LOWER
    flags[column.values > limits.get(UPPER, np.inf)] = UPPER
    flags[column.missing] = NONE
    return flags


def _coded(column: Column, flags: Any, limits: Mapping[int, float]) -> Column:
    """Code what is observed and what lies under suppressed cells: both are compared later."""
    whole = column.kind is Kind.INTEGER and all(limit.is_integer() for limit in limits.values())
    values = column.values.copy() if whole else column.values.astype(np.float64)
    for side, limit in limits.items():
        cells = flags == side
        if cells.any():  # a limit beyond all whole numbers concerns none of them
            values[cells] = limit
    return replace(column, kind=column.kind if whole else Kind.NUMBER, values=values)
