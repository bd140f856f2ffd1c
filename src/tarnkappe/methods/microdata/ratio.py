"""Ratios, shares and intensities in place of amounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, Field, model_validator

from tarnkappe.data.blurred import DIGITS, REACH, moved, reach_of_amounts, slack, with_few_digits
from tarnkappe.data.column import MISSING, OBSERVED, Bools, Column, Floats
from tarnkappe.data.derived import states_of
from tarnkappe.data.made_of_keys import roles_of_made
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.substitutes import multiplied_back, recoverable, refuse
from tarnkappe.errors.data import NameTaken
from tarnkappe.errors.masking import ResultTooLarge
from tarnkappe.errors.selection import ShareAboveOne
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Declared, Family, Json, Leaves, Mark, Method, Source, Trace, method
from tarnkappe.spec.conditions import Condition, where
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.told_figures import stated
from tarnkappe.vocab import Role

_NO_BASE = Text(
    "{name} is missing in {count} records because {over} is 0 there.",
    "{name} fehlt in {count} Datensätzen, weil {over} dort 0 ist.",
)
_ABOVE_ONE = Text(
    "{name} is above 1 in {count} records. If it is a share, that is an error of the data: say at_most: 1 to be told where.",
    "{name} liegt in {count} Datensätzen über 1. Ist es ein Anteil, sind die Daten fehlerhaft: at_most: 1 sagt, wo.",
)
_WHY = ("none", "zero", "missing")
_NONE, _ZERO, _MISSING = range(3)


class Quotient(BaseModel):
    """One column over another."""

    model_config = Declared.model_config

    of: str
    """Column above the line; it is dropped. | Spalte über dem Bruchstrich; sie wird entfernt."""
    over: str
    """Column below the line; it stays. | Spalte unter dem Bruchstrich; sie bleibt."""
    at_most: float | None = None
    """Largest value that can be true: 1 for a share. | Größter möglicher Wert: 1 für einen Anteil."""
    flag: Annotated[str, Field(min_length=1)] | None = None
    """New column that tells why there is no ratio: none, zero or missing. | Neue Spalte, die sagt, warum ein Verhältnis fehlt: none, zero oder
    missing."""


def _nearly_the_ratio(m: Ratio, before: Microdata, after: Microdata) -> bool:
    """Multiplied back with the denominator of the same record, the shown ratio gives the amount up to what it was moved and the last digit."""
    old = before.aligned_to(after)
    return all(
        np.all(_near(old, q, after.columns[name].numbers()) | ~after.columns[name].observed)
        for name, q in m.into.items()
    )


def _near(old: Microdata, q: Quotient, shown: Floats) -> Bools:
    """Where a shown number is the ratio of the true values as this step tells it; halves never overflow."""
    of, over = old.column(q.of).numbers(), old.column(q.over).numbers()
    far = slack(of, reach_of_amounts(of)) + 1e-300 * np.abs(over) + 1e-322
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.abs(shown / 2 * over - of / 2) <= far / 2 + 1e-322)


def _flags_true(m: Ratio, before: Microdata, after: Microdata) -> bool:
    """A flag is none where there is a ratio, and zero where both values are there and the lower one is 0."""
    old = before.aligned_to(after)
    for name, q in m.into.items():
        if q.flag is None:
            continue
        said, known = after.column(q.flag).texts(), after.column(q.flag).observed
        both, base = old.column(q.of).observed & old.column(q.over).observed, old.column(q.over).numbers()
        if not np.array_equal((said == "none")[known], after.column(name).observed[known]):
            return False
        if not np.array_equal((said == "zero")[known], (both & (base == 0))[known]):
            return False
    return True


def _amounts_gone(m: Ratio, before: Microdata, after: Microdata) -> bool:
    del before
    return not set(m.amounts) & set(after.names)


def _not_computable(m: Ratio, before: Microdata, after: Microdata) -> bool:
    return not m.given_back(before, after)


_FLAGGED = Condition(Text("with a `flag` in `into`", "mit einem `flag` in `into`"), lambda m: bool(m.reasons))


@method(
    "microdata.ratio",
    family=Family.RECODE,
    leaves=Leaves.DERIVED,
    title=Text("Ratios instead of amounts", "Verhältniszahlen statt Beträgen"),
    does=Text(
        "Amounts were replaced by their ratio to another column.",
        "Beträge wurden durch ihr Verhältnis zu einer anderen Spalte ersetzt.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.1, ratios and shares (T03)"),
        Source("gottschalk2002", "5.1, intensities and quotas (G-M05)"),
    ),
    preserves=(
        Claim(
            Text(
                "the ratio, record by record, to five digits and one and a half of the units in which the amount is counted (one tenth of it where "
                "people have rounded it)",
                "das Verhältnis, Datensatz für Datensatz, auf fünf Stellen und anderthalb der Einheiten, in denen der Betrag gezählt ist (ein Zehntel "
                "von ihm, wo Menschen ihn gerundet haben)",
            ),
            _nearly_the_ratio,
        ),
        Claim(
            Text("why a ratio is missing, in its flag", "warum ein Verhältnis fehlt, im Merker"),
            _flags_true,
            when=_FLAGGED,
        ),
    ),
    protects=(
        Claim(Text("the amounts are not in the file", "die Beträge fehlen in der Datei"), _amounts_gone),
        Claim(
            Text(
                "no amount can be computed from the columns that stay, linearly or as product or quotient of two",
                "kein Betrag lässt sich aus den verbliebenen Spalten errechnen, linear oder als Produkt oder Quotient zweier",
            ),
            _not_computable,
            when=where("leak", "refuse"),
        ),
    ),
    does_not=(
        Text(
            "hide an unusual structure: a unit that exports everything is still seen",
            "eine ungewöhnliche Struktur verbergen: wer alles ausführt, fällt weiter auf",
        ),
        Text(
            "protect amounts from those who know the denominator: mask it, or drop it",
            "Beträge vor denen schützen, die den Nenner kennen: verändern oder entfernen Sie ihn",
        ),
        ForAnalysis(
            "keep ratios of few units: an amount of ten pieces may count as 8.5 or 11.5",
            "Verhältnisse weniger Einheiten erhalten: Ein Betrag von zehn Stück kann für 8,5 oder 11,5 zählen",
        ),
    ),
    words={
        "": Text("made of", "gebildet aus"),
        "of": Text("numerator", "Zähler"),
        "over": Text("denominator", "Nenner"),
        "flag": Text("why it is missing says", "warum es fehlt, sagt"),
    },
    example={
        "into": {"per_head": {"of": "income", "over": "employees", "at_most": 1e9, "flag": "per_head_why"}},
        "leak": "masked-later",
    },
    random=True,
    revision=2,
)
class Ratio(Method):
    """Replace amounts by their ratio to another column: R&D expenditure by its share of turnover.

    The ratio is computed from true values; the amount is dropped, the denominator stays. A ratio of two whole numbers that is told with all its digits
    gives both numbers away, as the simplest fraction near it; whether the denominator was masked or dropped does not matter. So the amount is first moved at
    random by at most one and a half of the units in which its column is counted (whole numbers, cents, hundreds), values on which people have rounded by up to a tenth, and the ratio is told with five digits:
    whatever denominator somebody tries, several amounts fit. Amounts of many units hardly change.

    As long as the denominator stands
    unmasked in the file, the product gives the amount back and the step is refused. In the recipe of the ZEW a later step multiplies
    the denominator by a random factor: say `leak: masked-later` then, and receivers can rebuild amounts that carry the same factor. It is looked at again
    before the release, which is refused where no step did.

    Where numerator or denominator is missing, or the denominator is 0, the ratio is missing; where one is suppressed it is
    suppressed, whatever stands there. A ratio of keys is a key. A `flag` tells ratios that are missing because the denominator is 0 (``zero``) from those of which a part is
    (``missing``); all others have ``none``. Negative values are allowed. A ratio above `at_most` is an error of the data and is refused. Cut extreme
    ratios with microdata.top-bottom-code, which also sets the flag.

    An amount of zero gives 0, no other amount does, and none changes its sign. Constant and tied values are divided like others. What members of a household have in
    common they have in common afterwards. Columns of decimals that are not counted in any unit down to thousandths only lose their later digits.
    """

    into: Annotated[Mapping[str, Quotient], Field(min_length=1)]
    """New column to what it is made of. | Neue Spalte zu dem, woraus sie besteht."""
    leak: Literal["refuse", "masked-later"] = "refuse"
    """What happens when a dropped column can be computed from others. | Was geschieht, wenn sich eine entfernte Spalte aus anderen
    errechnen lässt."""

    @property
    def amounts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(q.of for q in self.into.values()))

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.amounts, *(q.over for q in self.into.values()))))

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(q.flag for q in self.into.values() if q.flag is not None)

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        if len(set(self.adds())) < len(self.adds()):
            raise ValueError(Text("two new columns have one name", "zwei neue Spalten haben einen Namen"))
        return self

    def drops(self) -> tuple[str, ...]:
        return tuple(self.amounts)

    def adds(self) -> tuple[str, ...]:
        return (*self.into, *self.reasons)

    def roles_after(self, roles: Mapping[Role, tuple[str, ...]]) -> Mapping[Role, tuple[str, ...]]:
        """What is made of keys only is a key, and so is the reason why it is missing."""
        ratios = {name: (q.of, q.over) for name, q in self.into.items()}
        reasons = {q.flag: (q.of, q.over) for q in self.into.values() if q.flag is not None}
        return super().roles_after(roles_of_made(roles, ratios | reasons))

    def treated_columns(self) -> tuple[str, ...]:
        return self.named_columns()

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        del roles
        if self.leak == "refuse":
            return ()
        return tuple(Trace(Mark.PROMISED, (name, q.over)) for name, q in self.into.items())

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        data.numbers(self.named_columns(), self.id)
        for name in self.adds():
            if name in data.names:
                raise NameTaken(who=self.id, name=name, parameter="into")
        amounts = data.numbers(self.amounts, self.id)
        reach = np.column_stack([reach_of_amounts(amount) for amount in amounts.T])
        near = dict(zip(self.amounts, moved(data, self.amounts, reach, stream.generator).T, strict=True))
        made = {name: self._made(data, name, q, near[q.of]) for name, q in self.into.items()}
        made |= {q.flag: _flag(data, n, q) for n, q in self.into.items() if q.flag is not None}
        after = data.without(self.amounts).with_columns(made)
        after = after.with_roles(self.roles_after(data.roles))
        if self.leak == "refuse":
            refuse(self.given_back(data, after))
        return after

    def given_back(self, before: Microdata, after: Microdata) -> Mapping[str, Text]:
        """By the denominator, which also holds for few records, or as the columns that stay show it; nearly the amount is the amount."""
        old, new = before.paired(after)
        quotients = {name: (q.of, q.over) for name, q in self.into.items()}
        amounts = [amount for amount in self.amounts if amount in old.names]
        new = new.with_columns(
            {
                name: _as_divided(old, q, new.column(name))
                for name, q in self.into.items()
                if name in new.names and new.column(name).kind.is_number and {q.of, q.over} <= set(old.names)
            }
        )
        return multiplied_back(old, new, quotients) or recoverable(old, new, amounts)

    def _made(self, data: Microdata, name: str, q: Quotient, near: Floats) -> Column:
        of, over = data.column(q.of), data.column(q.over)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratio = of.values.astype(np.float64) / over.values.astype(np.float64)
            shown = with_few_digits(near / over.values.astype(np.float64))
        state = states_of([of, over])
        beyond = np.isinf(ratio) | np.isinf(shown)
        if too_large := int(np.count_nonzero((state != MISSING) & (over.values != 0) & beyond)):
            raise ResultTooLarge(who=self.id, count=too_large, name=name)
        shown[(state == MISSING) | ~np.isfinite(shown)] = np.nan
        state[np.isnan(shown) & (state == OBSERVED)] = MISSING  # a suppressed 0 must not be told from others
        if q.at_most is not None:
            above = np.flatnonzero((ratio > q.at_most) & ~np.isnan(shown))
            if len(above):
                raise ShareAboveOne(name=name, count=len(above), first=data.record(above[0]))
            shown = np.minimum(shown, q.at_most)
        return Column.numbers_of(shown, state)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        """Ratios that are not there because the denominator is 0, and ratios above 1, which a share must not be (Gottschalk 2002, 5.1)."""
        was = before.aligned_to(after)
        said = []
        for name, q in self.into.items():
            over = was.column(q.over)
            no_base = int(np.count_nonzero(over.observed & (over.values == 0) & was.column(q.of).observed))
            above = int(np.count_nonzero(_exact(was, q) > 1))
            said += [_NO_BASE.filled(name=name, count=no_base, over=q.over)] if no_base else []
            said += [_ABOVE_ONE.filled(name=name, count=above)] if above and q.at_most is None else []
        return tuple(said)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """How each ratio is made: its meaning, and how exact it is."""
        del before, after
        return {
            name: {
                "of": q.of,
                "over": q.over,
                "flag": q.flag,
                "digits": stated(DIGITS),
                "moved_by_units": stated(REACH),
            }
            for name, q in self.into.items()
        }


def _exact(data: Microdata, q: Quotient) -> Floats:
    """The ratio of the true values; NaN where there is none."""
    of, over = data.column(q.of).numbers(), data.column(q.over).numbers()
    out = np.full(len(of), np.nan)
    with np.errstate(over="ignore"):
        np.divide(of, over, out=out, where=~np.isnan(of) & ~np.isnan(over) & (over != 0))
    return out


def _as_divided(old: Microdata, q: Quotient, shown: Column) -> Column:
    """The ratio with all its digits where it is still shown; what came of it where a later step changed it."""
    numbers = shown.numbers()
    return Column.numbers_of(np.where(_near(old, q, numbers), _exact(old, q), numbers), shown.state)


def _flag(data: Microdata, name: str, q: Quotient) -> Column:
    """Why there is no ratio; suppressed where a part is."""
    of, over = data.column(q.of), data.column(q.over)
    state = states_of([of, over])
    why = np.where(state == MISSING, _MISSING, np.where(over.values == 0, _ZERO, _NONE))
    shown = np.where(state == MISSING, OBSERVED, state)
    return Column.coded(why, np.array(_WHY, dtype=object), shown, describes=(name, q.of, q.over))
