"""Computing a column anew from others: what adds up or is proportional stays so when the others were masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import MISSING, OBSERVED, SUPPRESSED, Column, Floats
from tarnkappe.data.linear_relations import LinearRelation, parse_relation
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.masking import ResultTooLarge
from tarnkappe.errors.relations import RelationWrong
from tarnkappe.language import Text, listed
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Method, Source, method
from tarnkappe.spec.limits import ForAnalysis


def _adds_up(m: AddUp, before: Microdata, after: Microdata) -> bool:
    """Computed again, record by record, where all columns are shown."""
    del before
    for name, relation in m.parsed().items():
        weights, constant = relation.solved_for(name)
        shown = after.column(name).numbers()
        parts = [weight * after.column(n).numbers() for n, weight in weights.items()]
        off = np.abs(sum(parts) + constant - shown)
        size = np.maximum.reduce([np.abs(part) for part in parts]) + abs(constant)
        allowed = 1e-9 * size + m.base.get(name, 0.0) * 0.500001
        known = ~np.isnan(off)
        if not np.all(off[known] <= allowed[known]):
            return False
    return True


def _nothing_of_its_own(m: AddUp, before: Microdata, after: Microdata) -> bool:
    """Shown only where all it is made of is shown."""
    del before
    return all(
        not (after.column(name).observed & ~after.column(n).observed).any()
        for name, relation in m.parsed().items()
        for n in relation.columns
    )


@method(
    "microdata.add-up",
    family=Family.RECODE,
    leaves=Leaves.DERIVED,
    title=Text("Add up anew", "Neu zusammenrechnen"),
    does=Text(
        "Columns that follow from others were computed anew from them, so that they still add up.",
        "Spalten, die aus anderen folgen, wurden aus diesen neu errechnet, sodass sie weiterhin zusammenpassen.",
    ),
    sources=(
        Source(
            "hoehne2010", "section 2.1.1: the suppressed information must not follow from the other variables"
        ),
    ),
    preserves=(
        Claim(Text("the relations, record by record", "die Beziehungen, Datensatz für Datensatz"), _adds_up),
    ),
    protects=(
        Claim(
            Text(
                "the computed columns show nothing that the others do not",
                "die errechneten Spalten zeigen nichts, was die anderen nicht zeigen",
            ),
            _nothing_of_its_own,
        ),
    ),
    does_not=(
        Text("mask the columns it computes from", "die Spalten verändern, aus denen es rechnet"),
        ForAnalysis(
            "keep the distribution of the computed columns: their errors are the sum of those of the others",
            "die Verteilung der errechneten Spalten erhalten: ihre Fehler sind die Summe der Fehler der anderen",
        ),
    ),
    words={"": Text("made of", "gebildet aus")},
    example={"relations": ["wealth = 3 * income + 0.5 * employees"], "base": {"wealth": 10.0}},
)
class AddUp(Method):
    """Compute columns anew from others by linear relations: turnover from domestic and foreign turnover that were masked.

    Three columns that add up and are masked each by itself tell more than two: the sum fits only some of the values from which the others may have come, and often
    only the true ones. So two are masked and the third follows. A run puts this step behind every step that masks columns which add up or are proportional, as far as
    `relations` of the plan declare it or the data shows it; it may also be named in a plan.

    The column that stands alone on the left of a relation is computed. Where one of the others has no value it is suppressed, where it was missing it stays
    missing. Relations are computed in the order in which they are named. With `base` a result is rounded to its multiples. Zero, negative, constant and tied
    values are added up like others, in a panel every record by itself; infinite ones are refused.
    """

    relations: Annotated[tuple[str, ...], Field(min_length=1)]
    """Equations, each with the column to be computed alone on the left. | Gleichungen, jeweils mit der zu errechnenden Spalte allein
    links."""
    base: Mapping[str, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    """Column -> results are rounded to multiples of it. | Spalte -> Ergebnisse werden auf Vielfache davon gerundet."""

    @model_validator(mode="after")
    def _can_be_computed(self) -> Self:
        try:
            parsed = [parse_relation(words) for words in self.relations]
        except RelationWrong as problem:
            raise ValueError(problem.what) from None
        for relation in parsed:
            if relation.sense != "=" or not relation.left:
                raise ValueError(
                    Text(
                        "needs an equation with one column alone",
                        "braucht eine Gleichung mit einer Spalte allein",
                    )
                )
        if len({relation.left for relation in parsed}) < len(parsed):
            raise ValueError(Text("computes a column twice", "errechnet eine Spalte zweimal"))
        if set(self.base) - {relation.left for relation in parsed}:
            raise ValueError(
                Text(
                    "base names a column that is not computed",
                    "base nennt eine Spalte, die nicht errechnet wird",
                )
            )
        return self

    def parsed(self) -> dict[str, LinearRelation]:
        """Column -> the relation from which it is computed."""
        return {relation.left: relation for relation in map(parse_relation, self.relations)}

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(n for relation in self.parsed().values() for n in relation.columns))

    def treated_columns(self) -> tuple[str, ...]:
        return tuple(self.parsed())

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        data.numbers(self.named_columns(), self.id)
        for name, relation in self.parsed().items():
            data = data.with_columns({name: self._computed(data, name, relation)})
        return data

    def _computed(self, data: Microdata, name: str, relation: LinearRelation) -> Column:
        weights, constant = relation.solved_for(name)
        old = data.column(name)
        total: Floats = np.full(len(data), constant)
        with np.errstate(over="ignore", invalid="ignore"):  # looked at below
            for part, weight in weights.items():
                total = total + weight * data.column(part).numbers()
            if name in self.base:
                total = np.round(total / self.base[name]) * self.base[name]
        there = np.logical_and.reduce([data.column(part).observed for part in weights])
        if too_large := int(np.count_nonzero(there & ~np.isfinite(total))):
            raise ResultTooLarge(who=self.id, count=too_large, name=name)
        state = np.where(there, OBSERVED, SUPPRESSED).astype(np.uint8)
        state[old.missing] = MISSING
        state[old.suppressed] = SUPPRESSED
        return replace(old, state=state).with_numbers(np.where(there, total, 0.0))

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """How each column is computed: its meaning."""
        del before, after
        return {name: relation.solved_for(name)[0] for name, relation in self.parsed().items()}

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        del before, after
        said = Text(
            "{name} was computed from {parts}, because it follows from them: masked by itself it would tell what they were.",
            "{name} wurde aus {parts} errechnet, weil es daraus folgt: für sich verändert verriete es, was diese waren.",
        )
        return tuple(
            said.filled(name=name, parts=listed([n for n in relation.columns if n != name]))
            for name, relation in self.parsed().items()
        )
