"""Ratios, shares and intensities in place of amounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from tarnkappe.data.column import MISSING, Column
from tarnkappe.data.derived import states_of
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.substitutes import recoverable, refuse_recoverable
from tarnkappe.errors.data import NameTaken
from tarnkappe.errors.masking import ResultTooLarge
from tarnkappe.errors.selection import ShareAboveOne
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Method, Source, method

_NO_BASE = Text(
    "{name} is missing in {count} records because {over} is 0 there.",
    "{name} fehlt in {count} Datensätzen, weil {over} dort 0 ist.",
)
_ABOVE_ONE = Text(
    "{name} is above 1 in {count} records. If it is a share, that is an error of the data: say at_most: 1 to be told where.",
    "{name} liegt in {count} Datensätzen über 1. Ist es ein Anteil, sind die Daten fehlerhaft: at_most: 1 sagt, wo.",
)


class Quotient(BaseModel):
    """One column over another."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, hide_input_in_errors=True
    )

    of: str
    """Column above the line; it is dropped. | Spalte über dem Bruchstrich; sie wird entfernt."""
    over: str
    """Column below the line; it stays. | Spalte unter dem Bruchstrich; sie bleibt."""
    at_most: float | None = None
    """Largest value that can be true: 1 for a share. | Größter möglicher Wert: 1 für einen Anteil."""


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


def _amounts_gone(m: Ratio, before: Microdata, after: Microdata) -> bool:
    del before
    return not set(m.amounts) & set(after.names)


def _not_computable(m: Ratio, before: Microdata, after: Microdata) -> bool:
    return not recoverable(before, after, m.amounts)


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
    ),
    protects=(
        Claim(Text("the amounts are not in the file", "die Beträge fehlen in der Datei"), _amounts_gone),
        Claim(
            Text(
                "no amount can be computed from the columns that stay, linearly or as product or quotient of two",
                "kein Betrag lässt sich aus den verbliebenen Spalten errechnen, linear oder als Produkt oder Quotient zweier",
            ),
            _not_computable,
            when=lambda m: m.leak == "refuse",
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
    },
    example={
        "into": {"per_head": {"of": "income", "over": "employees", "at_most": 1e9}},
        "leak": "masked-later",
    },
)
class Ratio(Method):
    """Replace amounts by their ratio to another column: R&D expenditure by its share of turnover.

    The ratio is computed from true values; the amount is dropped, the denominator stays. As long as the denominator stands
    unmasked in the file, the product gives the amount back and the step is refused. In the recipe of the ZEW a later step multiplies
    the denominator by a random factor: say `leak: masked-later` then, and receivers can rebuild amounts that carry the same factor.

    Where numerator or denominator is missing, or the denominator is 0, the ratio is missing; where one is suppressed it is
    suppressed. Negative values are allowed. A ratio above `at_most` is an error of the data and is refused. Cut extreme
    ratios with microdata.top-bottom-code, which also sets the flag.
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

    def adds(self) -> tuple[str, ...]:
        return tuple(self.into)

    def treated_columns(self) -> tuple[str, ...]:
        return self.named_columns()

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        data.numbers(self.named_columns(), self.id)
        for name in self.into:
            if name in data.names:
                raise NameTaken(who=self.id, name=name, parameter="into")
        made = {name: self._made(data, name, q) for name, q in self.into.items()}
        after = data.without(self.amounts).with_columns(made)
        if self.leak == "refuse":
            refuse_recoverable(data, after, self.amounts)
        return after

    def _made(self, data: Microdata, name: str, q: Quotient) -> Column:
        of, over = data.column(q.of), data.column(q.over)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratio = of.values.astype(np.float64) / over.values.astype(np.float64)
        state = states_of([of, over])
        if too_large := int(np.count_nonzero((state != MISSING) & (over.values != 0) & np.isinf(ratio))):
            raise ResultTooLarge(who=self.id, count=too_large, name=name)
        state[~np.isfinite(ratio)] = MISSING
        ratio = np.where(state == MISSING, np.nan, ratio)
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
        return {name: {"of": q.of, "over": q.over} for name, q in self.into.items()}
