"""Ratios, shares and intensities in place of amounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, Field, model_validator

from tarnkappe.data.column import MISSING, OBSERVED, Column
from tarnkappe.data.derived import states_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.substitutes import multiplied_back, recoverable, refuse
from tarnkappe.errors.data import NameTaken
from tarnkappe.errors.masking import ResultTooLarge
from tarnkappe.errors.selection import ShareAboveOne
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Declared, Family, Json, Leaves, Method, Source, method
from tarnkappe.spec.conditions import Condition, where

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


def _is_the_ratio(m: Ratio, before: Microdata, after: Microdata) -> bool:
    """Multiplied back with the denominator of the same record, the shown ratio gives the amount; halves never overflow."""
    old = before.aligned_to(after)
    for name, q in m.into.items():
        shown = after.columns[name].numbers()
        of, over = old.column(q.of).numbers(), old.column(q.over).numbers()
        there = ~np.isnan(shown)
        shown, of, over = shown[there], of[there], over[there]
        slack = (
            1e-9 * np.abs(of) + 1e-300 * np.abs(over) + 1e-322
        )  # near the smallest float there are few digits
        if not np.all(np.abs(shown / 2 * over - of / 2) <= slack):
            return False
    return True


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
        Claim(Text("the ratio, record by record", "das Verhältnis, Datensatz für Datensatz"), _is_the_ratio),
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
)
class Ratio(Method):
    """Replace amounts by their ratio to another column: R&D expenditure by its share of turnover.

    The ratio is computed from true values; the amount is dropped, the denominator stays. As long as the denominator stands
    unmasked in the file, the product gives the amount back and the step is refused. In the recipe of the ZEW a later step multiplies
    the denominator by a random factor: say `leak: masked-later` then, and receivers can rebuild amounts that carry the same factor. It is looked at again
    before the release, which is refused where no step did.

    Where numerator or denominator is missing, or the denominator is 0, the ratio is missing; where one is suppressed it is
    suppressed, whatever stands there. A `flag` tells ratios that are missing because the denominator is 0 (``zero``) from those of which a part is
    (``missing``); all others have ``none``. Negative values are allowed. A ratio above `at_most` is an error of the data and is refused. Cut extreme
    ratios with microdata.top-bottom-code, which also sets the flag.

    An amount of zero gives 0. Constant and tied values are divided like others.
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

    def adds(self) -> tuple[str, ...]:
        return (*self.into, *self.reasons)

    def treated_columns(self) -> tuple[str, ...]:
        return self.named_columns()

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        data.numbers(self.named_columns(), self.id)
        for name in self.adds():
            if name in data.names:
                raise NameTaken(who=self.id, name=name, parameter="into")
        made = {name: self._made(data, name, q) for name, q in self.into.items()}
        made |= {q.flag: _flag(data, q) for q in self.into.values() if q.flag is not None}
        after = data.without(self.amounts).with_columns(made)
        if self.leak == "refuse":
            refuse(self.given_back(data, after))
        return after

    def given_back(self, before: Microdata, after: Microdata) -> Mapping[str, Text]:
        """By the denominator, which also holds for few records, or as the columns that stay show it."""
        quotients = {name: (q.of, q.over) for name, q in self.into.items()}
        amounts = [amount for amount in self.amounts if amount in before.names]
        return multiplied_back(before, after, quotients) or recoverable(before, after, amounts)

    def _made(self, data: Microdata, name: str, q: Quotient) -> Column:
        of, over = data.column(q.of), data.column(q.over)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratio = of.values.astype(np.float64) / over.values.astype(np.float64)
        state = states_of([of, over])
        if too_large := int(np.count_nonzero((state != MISSING) & (over.values != 0) & np.isinf(ratio))):
            raise ResultTooLarge(who=self.id, count=too_large, name=name)
        ratio[(state == MISSING) | ~np.isfinite(ratio)] = np.nan
        state[np.isnan(ratio) & (state == OBSERVED)] = MISSING  # a suppressed 0 must not be told from others
        if q.at_most is not None:
            above = np.flatnonzero(ratio > q.at_most)
            if len(above):
                raise ShareAboveOne(name=name, count=len(above), first=data.record(above[0]))
        return Column.numbers_of(ratio, state)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        """Ratios that are not there because the denominator is 0, and ratios above 1, which a share must not be (Gottschalk 2002, 5.1)."""
        was = before.aligned_to(after)
        said = []
        for name, q in self.into.items():
            over = was.column(q.over)
            no_base = int(np.count_nonzero(over.observed & (over.values == 0) & was.column(q.of).observed))
            above = int(np.count_nonzero(after.column(name).numbers() > 1))
            said += [_NO_BASE.filled(name=name, count=no_base, over=q.over)] if no_base else []
            said += [_ABOVE_ONE.filled(name=name, count=above)] if above and q.at_most is None else []
        return tuple(said)

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """How each ratio is made: its meaning."""
        del before, after
        return {name: {"of": q.of, "over": q.over, "flag": q.flag} for name, q in self.into.items()}


def _flag(data: Microdata, q: Quotient) -> Column:
    """Why there is no ratio; suppressed where a part is."""
    of, over = data.column(q.of), data.column(q.over)
    state = states_of([of, over])
    why = np.where(state == MISSING, _MISSING, np.where(over.values == 0, _ZERO, _NONE))
    return Column.coded(why, np.array(_WHY, dtype=object), np.where(state == MISSING, OBSERVED, state))
