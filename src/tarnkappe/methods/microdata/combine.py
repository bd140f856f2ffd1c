"""Linear combinations in place of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Column, Floats
from tarnkappe.data.derived import states_of
from tarnkappe.data.made_of_keys import roles_of_made
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.substitutes import recoverable, refuse, solved
from tarnkappe.errors.data import NameTaken
from tarnkappe.errors.masking import ResultTooLarge
from tarnkappe.language import Text
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Mark, Method, Source, Trace, method
from tarnkappe.spec.conditions import where
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.vocab import Role

Weights = Annotated[Mapping[str, float], Field(min_length=1)]


def _is_the_combination(m: Combine, before: Microdata, after: Microdata) -> bool:
    """Computed again, record by record."""
    old = before.aligned_to(after)
    for name, weights in m.into.items():
        shown = after.columns[name].numbers()
        there = ~np.isnan(shown)
        parts = [weight * old.column(part).numbers()[there] for part, weight in weights.items()]
        if not np.all(np.abs(sum(parts) - shown[there]) <= 1e-9 * sum(map(np.abs, parts))):
            return False
    return True


def _parts_gone(m: Combine, before: Microdata, after: Microdata) -> bool:
    del before
    return not set(m.parts) & set(after.names)


def _not_computable(m: Combine, before: Microdata, after: Microdata) -> bool:
    return not m.given_back(before, after)


@method(
    "microdata.combine",
    family=Family.RECODE,
    leaves=Leaves.DERIVED,
    title=Text("Combine columns", "Spalten zusammenfassen"),
    does=Text(
        "Columns were replaced by sums or other linear combinations of them.",
        "Spalten wurden durch Summen oder andere Linearkombinationen ersetzt.",
    ),
    sources=(
        Source("hoehne2010", "section 2.1.1, suppression with a constructed substitute (T02)"),
        Source("gottschalk2002", "4.2, construction of new variables (G-M04)"),
    ),
    preserves=(
        Claim(
            Text("the combination, record by record", "die Kombination, Datensatz für Datensatz"),
            _is_the_combination,
        ),
    ),
    protects=(
        Claim(Text("the parts are not in the file", "die Teile fehlen in der Datei"), _parts_gone),
        Claim(
            Text(
                "no part can be computed from the columns that stay, linearly or as product or quotient of two",
                "kein Teil lässt sich aus den verbliebenen Spalten errechnen, linear oder als Produkt oder Quotient zweier",
            ),
            _not_computable,
            when=where("leak", "refuse"),
        ),
    ),
    does_not=(
        ForAnalysis("keep models that need the parts", "Modelle erhalten, die die Teile brauchen"),
        Text(
            "see whether a part can be computed with data from elsewhere",
            "erkennen, ob sich ein Teil mit Daten von anderswo errechnen lässt",
        ),
        Text("hide the size of the combination", "die Größe der Kombination verbergen"),
    ),
    words={
        "": Text("made of", "gebildet aus"),
    },
    example={"into": {"means": {"income": 12.0, "wealth": 1.0}}, "leak": "masked-later"},
)
class Combine(Method):
    """Replace columns by linear combinations of them: domestic and foreign turnover by total turnover.

    Every combination is a new column; the columns it is made of are dropped. Where a part is missing the combination is missing,
    where one is suppressed it is suppressed. A combination of keys is a key.

    The parts must not come back: the step is refused when a dropped column can be computed from the columns that stay, by a linear
    formula or as product or quotient of two of them (total turnover and foreign share give foreign turnover). Say `leak: masked-later` only
    when a later step of the plan changes one of these columns: it is looked at again before the release.

    Zero, negative, constant and tied values are added up like others; infinite ones are refused.
    """

    into: Annotated[Mapping[str, Weights], Field(min_length=1)]
    """New column to its parts with their weights. | Neue Spalte zu ihren Teilen mit deren Gewichten."""
    leak: Literal["refuse", "masked-later"] = "refuse"
    """What happens when a dropped column can be computed from others. | Was geschieht, wenn sich eine entfernte Spalte aus anderen
    errechnen lässt."""

    @model_validator(mode="after")
    def _weights_not_zero(self) -> Self:
        if any(weight == 0 for weights in self.into.values() for weight in weights.values()):
            raise ValueError(Text("a weight is 0", "ein Gewicht ist 0"))
        return self

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part for weights in self.into.values() for part in weights))

    def named_columns(self) -> tuple[str, ...]:
        return self.parts

    def drops(self) -> tuple[str, ...]:
        return tuple(self.parts)

    def adds(self) -> tuple[str, ...]:
        return tuple(self.into)

    def roles_after(self, roles: Mapping[Role, tuple[str, ...]]) -> Mapping[Role, tuple[str, ...]]:
        """What is made of keys only is a key."""
        return super().roles_after(roles_of_made(roles, self.into))

    def treated_columns(self) -> tuple[str, ...]:
        return self.named_columns()

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        del roles
        return (Trace(Mark.PROMISED, ()),) if self.leak == "masked-later" else ()

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        data.numbers(self.parts, self.id)
        for name in self.into:
            if name in data.names:
                raise NameTaken(who=self.id, name=name, parameter="into")
        made = {name: self._made(data, name, weights) for name, weights in self.into.items()}
        after = data.without(self.parts).with_columns(made)
        after = after.with_roles(self.roles_after(data.roles))
        if self.leak == "refuse":
            refuse(self.given_back(data, after))
        return after

    def given_back(self, before: Microdata, after: Microdata) -> Mapping[str, Text]:
        """By solving the equations, which also holds for few records, or as the columns that stay show it."""
        parts = [part for part in self.parts if part in before.names]
        return solved(before, after, self.into) or recoverable(before, after, parts)

    def _made(self, data: Microdata, name: str, weights: Mapping[str, float]) -> Column:
        columns = [data.column(part) for part in weights]
        known = np.logical_and.reduce([~np.isnan(column.values) & ~column.missing for column in columns])
        finite = np.logical_and.reduce([np.isfinite(column.values) for column in columns])
        total: Floats = np.zeros(len(data))
        with np.errstate(over="ignore", invalid="ignore"):  # looked at below
            for column, weight in zip(columns, weights.values(), strict=True):
                total = total + weight * column.values
        too_large = int(np.sum(known & (np.isnan(total) | (finite & np.isinf(total)))))
        if too_large:
            raise ResultTooLarge(who=self.id, count=too_large, name=name)
        return Column.numbers_of(total, states_of(columns))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """How each new column is made: its meaning."""
        del before, after
        return {name: dict(weights) for name, weights in self.into.items()}
