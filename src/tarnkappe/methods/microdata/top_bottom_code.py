"""Censoring: top and bottom coding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from tarnkappe.data.column import Column, Ints
from tarnkappe.data.contributors import contributor_codes, contributors_by
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.strata import Strata, strata_of
from tarnkappe.data.tellable import Shown, upper_limit
from tarnkappe.errors.data import (
    LimitsCross,
    LimitTells,
    NameTaken,
    NotFinite,
    NothingToUse,
    StrataWithoutTail,
    TooFewBeyond,
    WrongKind,
)
from tarnkappe.kernels.tail_limits import upper_limits
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Mark, Method, Source, Trace, method
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import counted, of_many
from tarnkappe.vocab import Kind

NONE, LOWER, UPPER = 0, 1, 2
FLAGS = np.array(["none", "lower", "upper"], dtype=object)
_SIDES = {LOWER: Text("lower", "unteren"), UPPER: Text("upper", "oberen")}
_NUMBERS = Text("numbers", "Zahlen")
_MOVED = Text(
    "{name}: in {count} strata the {side} limit moved inwards, so that {needed} contributors lie beyond it.",
    "{name}: in {count} Schichten rückte die Grenze am {side} Ende nach innen, damit {needed} Beitragende jenseits liegen.",
)
Limits = NDArray[Any]
"""A limit for every stratum, in the type of the values."""


class Share(BaseModel):
    """A limit by the share of records that lie beyond it."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, hide_input_in_errors=True
    )

    share: Annotated[float, Field(gt=0, lt=0.5)]
    """At most this share of the observed values is changed; in a stratum of within as many as at_least asks for, if that is more. |
    Höchstens dieser Anteil der vorhandenen Werte ändert sich; in einer Schicht aus within so viele, wie at_least verlangt, wenn das mehr ist."""


class Beyond(BaseModel):
    """The outermost limit beyond which enough contributors lie (Gottschalk 2002, G-M02)."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, hide_input_in_errors=True
    )

    beyond: Annotated[int, Field(ge=3)]
    """At least so many contributors lie beyond the limit, and no more than ties make necessary. | Mindestens so viele Beitragende liegen jenseits
    der Grenze, und nicht mehr, als Bindungen nötig machen."""


def _form(given: Any) -> str:
    if isinstance(given, Beyond) or (isinstance(given, Mapping) and "beyond" in given):
        return "tagged-beyond"
    return "tagged-share" if isinstance(given, Mapping | Share) else "tagged-number"


Limit = Annotated[
    Annotated[float, Tag("tagged-number")]
    | Annotated[Share, Tag("tagged-share")]
    | Annotated[Beyond, Tag("tagged-beyond")],
    Discriminator(_form),
]


def _sides(m: TopBottomCode, after: Microdata, name: str) -> Any:
    """The flags of the observed cells of a column; none where there is no flag column."""
    shown = after.columns[name].observed
    flags = after.columns.get(name + m.flag)
    return np.full(np.count_nonzero(shown), NONE) if flags is None else flags.values[shown]


def _observed(data: Microdata, name: str) -> Limits:
    column = data.columns[name]
    return column.values[column.observed]


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
    """All coded cells of a tail share one value in their stratum, and no cell of it lies beyond."""
    del before
    strata = strata_of(after, m.within)
    for name in m.columns:
        now, side = _observed(after, name), _sides(m, after, name)
        of = strata.of[after.columns[name].observed]
        if (isinstance(m.upper, float) and np.any(now > _number(m.upper, now))) or (
            isinstance(m.lower, float) and np.any(now < _number(m.lower, now))
        ):
            return False
        for end, further, begin in ((UPPER, np.maximum, np.min), (LOWER, np.minimum, np.max)):
            coded = side == end
            if coded.any():
                ends = np.full(len(strata), begin(now))
                further.at(ends, of, now)
                if np.any(now[coded] != ends[of[coded]]):
                    return False
    return True


def _enough(m: TopBottomCode, before: Microdata, after: Microdata) -> bool:
    of = strata_of(before, m.within).of
    for name in m.columns:
        coded = np.zeros(len(after), dtype=np.uint8)
        coded[after.columns[name].observed] = _sides(m, after, name)
        for side in (LOWER, UPPER):
            if contributors_by(before, coded == side, of).min(initial=m.at_least) < m.at_least:
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
                "the size of extreme values: none lies beyond the limits of its stratum",
                "die Größe extremer Werte: keiner liegt jenseits der Grenzen seiner Schicht",
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
        ForAnalysis(
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
        "": Text("set to a limit", "auf eine Grenze gesetzt"),
        "lower": Text("from below", "von unten"),
        "upper": Text("from above", "von oben"),
        "limit": Text("limit", "Grenze"),
        "coded": Text("coded values", "ersetzte Werte"),
        "flag": Text("flagged in the column", "gekennzeichnet in der Spalte"),
        "within": Text(
            "limits by share, which the flagged cells show, for every stratum of",
            "Grenzen nach Anteil, die in den gekennzeichneten Zellen stehen, für jede Schicht aus",
        ),
    },
    example={
        "columns": ["income"],
        "lower": 1300,
        "upper": {"share": 0.2},
        "within": ["region"],
        "at_least": 4,
        "flag": "_coded",
    },
    revision=3,
)
class TopBottomCode(Method):
    """Set values beyond a limit to the limit and flag them: x becomes min(max(x, lower), upper).

    A limit is a number, or a share of the observed values: ``upper: {share: 0.01}`` sets the limit to the
    largest value that leaves at most one hundredth of them above it. Values equal to a limit are not changed
    and not flagged. When values are tied at the limit, fewer than the share are changed. ``upper: {beyond: 5}`` sets it to the
    largest value beyond which five contributors lie: as little is changed as a tail of that size allows.

    The limit is told and stands in the coded cells, so it must not be the value of one or two contributors. Where it would be, it becomes the shortest number
    near the mean of four neighbouring values that is no value of so few and does not lie within one hundredth of them: as many values are coded as by the share, or
    a few less; where too few would then lie beyond it, a few more. In columns where all whole numbers are taken it has decimals. A limit that the plan states as a
    number is the office's own and stays.

    Three contributors or more (`at_least`) must lie beyond each limit, because a total published elsewhere
    gives the values of one or two away; records of one owner count once. With fewer the step is refused. A
    limit given as a number with nobody beyond it changes nothing and is accepted; a share is not.

    Where totals of regions or branches are published, or their sizes differ, name them in `within`: every stratum is treated alone. A limit
    by share is then that of the stratum's own values. Where the share leaves fewer than `at_least` contributors beyond it, the limit moves
    inwards until so many do (Gottschalk 2002, G-M02); a largest value that so many share stays. Strata in which half of the values or more would be
    changed are refused. A limit given as a number is the same in all strata, and each must have enough beyond it, or none.

    The flag column takes the name of the column and a suffix. Where the value is missing or suppressed the flag is so too. Infinite
    values are coded like others; a share whose limit would be infinite is refused. Whole numbers stay whole if the limits are
    whole. Zeros and negative values are values like others and equal values are coded alike; limits that meet, as in a constant
    column, are refused.
    """

    columns: Columns
    """Numeric columns to code. | Numerische Spalten, die abgeschnitten werden."""
    lower: Limit | None = None
    """Lower limit: a number, {share: s} or {beyond: r}. | Untere Grenze: eine Zahl, {share: s} oder {beyond: r}."""
    upper: Limit | None = None
    """Upper limit: a number, {share: s} or {beyond: r}. | Obere Grenze: eine Zahl, {share: s} oder {beyond: r}."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata). | Spalten, deren Kombinationen getrennt behandelt werden (Schichten)."""
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

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        del roles
        return (Trace(Mark.TOLD_LIMIT, self.treated_columns()),)

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        new: dict[str, Column] = {}
        strata = strata_of(data, self.within)
        for name in self.columns:
            if name + self.flag in data.names:
                raise NameTaken(who=self.id, name=name + self.flag, parameter="flag")
            column = self._numeric(data, name)
            limits = self._limits(data, name, strata)
            flags = _flags(column, limits, strata.of)
            self._refuse_few(data, name, flags, strata)
            new[name] = _coded(column, flags, limits, strata.of)
            new[name + self.flag] = Column.coded(flags, FLAGS, column.state, describes=(name,))
        return data.with_columns(new)

    def _numeric(self, data: Microdata, name: str) -> Column:
        column = data.column(name)
        if not column.kind.is_number:
            raise WrongKind(name=name, found=column.kind.text, who=self.id, needed=_NUMBERS)
        return column

    def _limits(self, data: Microdata, name: str, strata: Strata) -> dict[int, Limits]:
        """The limit of every stratum on every treated side, as a number."""
        limits: dict[int, Limits] = {}
        for side, given in self._given():
            if not isinstance(given, float):
                limits[side] = self._by_values(data, name, strata, side, given)[0]
            else:
                limits[side] = np.full(len(strata), _number(given, data.column(name).values))
        if len(limits) == 2 and np.any(limits[LOWER] > limits[UPPER]):
            raise LimitsCross(name=name)
        return limits

    def _by_values(
        self, data: Microdata, name: str, strata: Strata, side: int, given: Share | Beyond
    ) -> tuple[Limits, int]:
        """The limit of every stratum by the share or the number beyond it, and in how many one by share had to move inwards."""
        column = data.column(name)
        shown = column.observed
        values, rank = np.unique(column.values[shown], return_inverse=True)
        if not len(values):
            raise NothingToUse(name=name)
        turned = len(values) - 1 - rank if side == LOWER else rank
        who = contributor_codes(data)[shown]
        of = strata.of[shown].astype(np.int64)
        by_share = isinstance(given, Share)
        needed = self.at_least if isinstance(given, Share) else max(given.beyond, self.at_least)
        share = given.share if isinstance(given, Share) else 0.0
        tails = upper_limits(turned, of, who, len(strata), share, needed)
        short = (tails.limit >= 0) & (tails.people < needed)
        short &= (tails.people > 0) | (tails.at_top < self.at_least) | (not by_share)
        if short.any() and by_share and not self.within:
            raise TooFewBeyond(name=name, count=int(tails.people[0]), side=_SIDES[side], needed=self.at_least)
        lost = int(np.count_nonzero(short & (tails.further_in < 0)))
        if lost:
            raise StrataWithoutTail(name=name, count=lost, side=_SIDES[side], needed=needed)
        place = np.where(short, tails.further_in, tails.limit)
        at = np.maximum(place, 0)
        limits = values[at if side == UPPER else len(values) - 1 - at]
        self._refuse_infinite(data, name, limits[place >= 0])
        limits = self._tellable(data, name, strata, limits, side, needed)
        return np.where(place < 0, _nowhere(values, side), limits), int(np.count_nonzero(short))

    def _tellable(
        self, data: Microdata, name: str, strata: Strata, limits: Limits, side: int, needed: int
    ) -> Limits:
        """The limits that are shown and told in place of values of one or two contributors, in every stratum that has values."""
        column, who, sign = data.column(name), contributor_codes(data), 1 if side == UPPER else -1
        rows = np.flatnonzero(column.observed)
        rows = rows[np.argsort(strata.of[rows], kind="stable")]
        starts = np.searchsorted(strata.of[rows], np.arange(len(strata) + 1))
        found = limits.tolist()
        for stratum in np.flatnonzero(np.diff(starts)).tolist():
            here = rows[starts[stratum] : starts[stratum + 1]]
            shown = Shown.of(sign * column.values[here], who[here])
            limit = upper_limit(shown, sign * found[stratum], needed)
            if limit is None:
                raise LimitTells(name=name, side=_SIDES[side])
            found[stratum] = sign * limit + 0  # zero has no sign
        return np.array(found)

    def _refuse_infinite(self, data: Microdata, name: str, limits: Limits) -> None:
        column = data.column(name)
        if not np.isfinite(limits).all():
            infinite = np.flatnonzero(column.observed & np.isinf(column.values))
            raise NotFinite(name=name, count=len(infinite), first=data.record(infinite[0]))

    def _refuse_few(self, data: Microdata, name: str, flags: Any, strata: Strata) -> None:
        shown = data.column(name).observed
        for side, given in self._given():
            counts = contributors_by(data, shown & (flags == side), strata.of)
            count = int(counts.min(initial=self.at_least)) if len(counts) else 0
            if count < self.at_least and (count or not isinstance(given, float)):
                raise TooFewBeyond(name=name, count=count, side=_SIDES[side], needed=self.at_least)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        """In how many strata more than the share was changed."""
        del after
        if not self.within:
            return ()
        strata = strata_of(before, self.within)
        shares = [(side, given) for side, given in self._given() if isinstance(given, Share)]
        found = [
            (name, side, self._by_values(before, name, strata, side, share)[1])
            for name in self.columns
            for side, share in shares
        ]
        return tuple(
            _MOVED.filled(name=name, side=_SIDES[side], count=count, needed=self.at_least)
            for name, side, count in found
            if count
        )

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """The limits (Höhne 2010, L572); those by share of strata stand in the flagged cells."""
        told: dict[str, Json] = {}
        for name in self.columns:
            sides = _sides(self, after, name)
            told[name] = {"flag": name + self.flag}
            for side, _ in self._given():
                count = int(np.count_nonzero(sides == side))
                told[name][str(FLAGS[side])] = {
                    "limit": self._told(before, name, side),
                    "coded": counted(count) or None,
                }
            if self.within and any(not isinstance(given, float) for _, given in self._given()):
                told[name]["within"] = list(self.within)
        return told

    def _told(self, before: Microdata, name: str, side: int) -> float | None:
        given = dict(self._given())[side]
        if isinstance(given, float):
            return given
        if self.within:
            return None
        limit: float = self._by_values(before, name, strata_of(before, ()), side, given)[0][0].item()
        column = before.column(name)
        shown = Shown.of(column.values[column.observed], contributor_codes(before)[column.observed])
        told: float = (
            of_many(limit) if shown.tells_few(limit) else limit
        )  # near values of few it is a mean of four
        return told

    def _given(self) -> list[tuple[int, float | Share | Beyond]]:
        """The sides that are treated, with their limits as they are given."""
        return [(s, given) for s, given in ((LOWER, self.lower), (UPPER, self.upper)) if given is not None]


def _number(given: float, values: Limits) -> float | int:
    """A limit in the type of the values where it can be: whole numbers beyond 2^53 are then compared exactly."""
    whole = np.issubdtype(values.dtype, np.integer) and given.is_integer() and -(2**63) <= given < 2**63
    return int(given) if whole else given


def _nowhere(values: Limits, side: int) -> float | int:
    """A limit that nothing lies beyond, for strata without a value."""
    if np.issubdtype(values.dtype, np.integer):
        ends = np.iinfo(np.int64)
        return ends.min if side == LOWER else ends.max
    return -np.inf if side == LOWER else np.inf


def _flags(column: Column, limits: Mapping[int, Limits], of: Ints) -> Any:
    flags = np.full(len(column), NONE, dtype=np.uint8)
    for side, limit in limits.items():
        flags[column.values < limit[of] if side == LOWER else column.values > limit[of]] = side
    flags[column.missing] = NONE
    return flags


def _coded(column: Column, flags: Any, limits: Mapping[int, Limits], of: Ints) -> Column:
    """Code what is observed and what lies under suppressed cells: both are compared later."""
    shown = {side: limit[of[flags == side]] for side, limit in limits.items()}
    whole = column.kind is Kind.INTEGER and all(np.all(limit == np.rint(limit)) for limit in limits.values())
    whole &= all(np.all(np.abs(limit.astype(np.float64)) < 2.0**63) for limit in shown.values())
    values = column.values.copy() if whole else column.values.astype(np.float64)
    for side, limit in shown.items():
        values[flags == side] = limit
    return replace(column, kind=column.kind if whole else Kind.NUMBER, values=values)
