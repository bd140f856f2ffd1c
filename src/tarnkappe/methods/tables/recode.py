"""Recoding and rolling up a dimension of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.data.column import Bools
from tarnkappe.data.pattern import Mark, Pattern
from tarnkappe.data.recode_table import merged, rolled_up
from tarnkappe.data.table import Table
from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.recoding import RulesMissing
from tarnkappe.errors.release import Unattainable
from tarnkappe.errors.tables import AlreadyProtected
from tarnkappe.language import Text, listed
from tarnkappe.methods.tables.dimensions import along
from tarnkappe.methods.tables.merging import propose_merge
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Maturity, Rule, Source, TableMethod, catalogue, table_method
from tarnkappe.spec.fields import Spelt
from tarnkappe.spec.parameters import build


def _common(before: Table, after: Table) -> tuple[Any, Any]:
    """Rows of the cells whose codes are in both tables."""
    nodes = np.stack([h.positions(after.codes(j)) for j, h in enumerate(before.dimensions)], axis=1)
    there = np.flatnonzero((nodes >= 0).all(axis=1))
    rows = before.find(nodes[there].astype(np.int32))
    return rows[rows >= 0], there[rows >= 0]


def _rest_unchanged(m: Recode, before: Pattern, after: Pattern) -> bool:
    """Cells with a code that stays keep their values; a new code may be called like one that was merged."""
    if len(before.table.dimensions) != len(after.table.dimensions):
        return False
    was, now = _common(before.table, after.table)
    at = along(before.table, m.dimension)
    kept = ~np.isin(before.table.codes(at)[was], list(m.groups))
    same = np.isclose(before.table.value[was], after.table.value[now], rtol=1e-9, atol=1e-9)
    return bool(np.all(same | ~kept)) and len(now) > 0


def _coarser(m: Recode, before: Pattern, after: Pattern) -> bool:
    at = along(before.table, m.dimension)
    codes = set(after.table.dimensions[at].codes)
    gone = {old for old, new in m.groups.items() if new != old}
    return not (gone & codes - set(m.groups.values())) and len(after.table) <= len(before.table)


def _nothing_marked(m: Recode, before: Pattern, after: Pattern) -> bool:
    del before
    return not m.marked(after).any() and not after.primary.any()


@table_method(
    "table.recode",
    title=Text("Merge categories", "Kategorien zusammenfassen"),
    does=Text(
        "Categories of a dimension were merged so that confidential cells are part of larger ones.",
        "Kategorien einer Dimension wurden zusammengefasst, sodass vertrauliche Zellen in größeren aufgehen.",
    ),
    sources=(
        Source("wettig2002", "2.3.2 rolling-up and 2.3.3 recoding (L735-804)"),
        Source("hundepool2012", "ch. 4, table redesign"),
    ),
    preserves=(
        Claim(
            Text(
                "every cell with categories that were not merged exactly, all totals among them",
                "jede Zelle mit nicht zusammengefassten Kategorien genau, darunter alle Summen",
            ),
            _rest_unchanged,
        ),
    ),
    protects=(
        Claim(
            Text(
                "the rules mark no cell of the new table",
                "die Regeln markieren keine Zelle der neuen Tabelle",
            ),
            _nothing_marked,
        ),
        Claim(
            Text("merged categories are gone", "zusammengefasste Kategorien sind verschwunden"),
            _coarser,
        ),
    ),
    does_not=(
        Text(
            "protect when the finer table is published elsewhere",
            "schützen, wenn die feinere Tabelle anderswo veröffentlicht wird",
        ),
        Text(
            "hide that merging was needed: whoever has the program knows that one step less left a cell that a rule marks",
            "verbergen, dass das Zusammenfassen nötig war: Wer das Programm hat, weiß, dass ein Schritt weniger eine Zelle ließ, die eine Regel markiert",
        ),
        Text(
            "know which categories mean anything together: look at what it proposes",
            "wissen, welche Kategorien zusammen einen Sinn ergeben: prüfen Sie den Vorschlag",
        ),
        Text(
            "merge owners who are not all listed: build such tables from the data",
            "zusammenfassen, wo nicht alle Eigentümer genannt sind: bilden Sie solche Tabellen aus den Daten",
        ),
    ),
    example={
        "dimension": "occupation", "level": 1, "groups": {"health": "services", "office": "services"}, "propose": True,
        "ordered": True, "rules": [{"use": "rule.minimum-frequency", "n": 3}],
    },
    maturity=Maturity.REPLICATED,
)  # fmt: skip
class Recode(TableMethod):
    """Make a dimension of a table coarser until no cell is confidential any more.

    Rolling up (`level`) leaves out all categories below a level; recoding (`groups`) merges categories under one sum into a new
    one; with `propose` the cheapest merges of what is still confidential are found: fewest cells lost, then least entropy,
    neighbours only where the dimension is `ordered`. They come in this order. Nothing is changed, and nothing is suppressed
    unless another table merges the categories differently and the difference would tell what was merged. All readers see coarser
    data, and comparisons with tables in the old categories break.

    The new cells are judged by `rules`, written as in a plan; give the rules of the table. Contributions are merged exactly: records lie in
    one category each, so their lists can be joined; owners must all be listed. If cells remain that a rule marks, the
    table is refused and they are named.
    """

    hides: ClassVar[bool] = False

    dimension: Annotated[str, Field(min_length=1)]
    """The dimension whose categories are merged. | Die Dimension, deren Kategorien zusammengefasst werden."""
    level: int | str | None = None
    """Categories below this level are left out. | Kategorien unter dieser Ebene entfallen."""
    groups: Mapping[Spelt, Spelt] = Field(default_factory=dict)
    """Code to new code: categories with the same new code are merged. | Code zu neuem Code: Kategorien mit gleichem neuen Code werden
    zusammengefasst."""
    propose: bool = False
    """Find the cheapest merges that make the table safe. | Die billigsten Zusammenfassungen finden, die die Tabelle sicher machen."""
    ordered: bool = False
    """Categories have an order: only neighbours are proposed. | Kategorien sind geordnet: nur Nachbarn werden vorgeschlagen."""
    rules: tuple[Mapping[str, Any], ...] = ()
    """The rules of the table, as in a plan. | Die Regeln der Tabelle, wie in einem Plan."""

    @model_validator(mode="after")
    def _something_to_do(self) -> Self:
        if self.level is None and not self.groups and not self.propose:
            raise ValueError(Text("give level, groups or propose", "geben Sie level, groups oder propose an"))
        if self.propose and not self.rules:
            raise ValueError(Text("propose needs rules", "propose braucht rules"))
        try:
            self.built()
        except TarnkappeError as problem:
            raise ValueError(_RULE_UNFIT) from problem
        return self

    def built(self) -> tuple[Rule, ...]:
        """The rules as objects."""
        return tuple(_rule(step) for step in self.rules)

    def marked(self, pattern: Pattern) -> Bools:
        """The cells that the rules mark and that the office does not call safe."""
        blank = Pattern(pattern.table, mark=pattern.mark)
        for rule in self.built():
            blank = blank.marked(rule.mark(pattern.table))
        return blank.primary

    def confidential(self, pattern: Pattern) -> Pattern:
        """What the rules of the method mark, beside those of the table."""
        for rule in self.built():
            pattern = pattern.marked(rule.mark(pattern.table))
        return pattern

    @property
    def needs_marks(self) -> bool:
        return not self.rules

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        del stream
        table = pattern.table
        at = along(table, self.dimension)
        if (changed := pattern.status > 1).any():
            raise AlreadyProtected(who=self.id, name=table.name, count=int(changed.sum()))
        if pattern.primary.any() and not self.rules:
            raise RulesMissing(who=self.id, name=table.name)
        done = pattern if self.level is None else rolled_up(pattern, at, self.level)
        done = merged(done, at, self.groups)
        if self.propose:
            done = self._proposed(done, at)
        self._refuse(done)
        return self._with_reason(pattern, done)

    def _proposed(self, pattern: Pattern, at: int) -> Pattern:
        groups = propose_merge(pattern.table, at, self.built(), ordered=self.ordered)
        if groups is None:
            best = Text(
                "merging all categories under one sum is not enough",
                "auch alle Kategorien unter einer Summe zusammengefasst genügen nicht",
            )
            raise Unattainable(who=self.id, goal=_GOAL, best=best, hint=_HINT)
        return merged(pattern, at, groups)

    def _refuse(self, pattern: Pattern) -> None:
        cells = self.marked(pattern) | pattern.primary | (pattern.mark == Mark.SUPPRESS)
        if cells.any():
            names = listed([pattern.table.spelt(int(i)) for i in np.flatnonzero(cells)[:13]])
            best = Text(
                "{count} cells are still confidential: {names}",
                "{count} Zellen sind immer noch vertraulich: {names}",
            ).filled(count=int(cells.sum()), names=names)
            raise Unattainable(who=self.id, goal=_GOAL, best=best, hint=_HINT)

    def _with_reason(self, before: Pattern, after: Pattern) -> Pattern:
        """New categories tell how many cells went."""
        at = along(after.table, self.dimension)
        new = ~np.isin(after.table.codes(at), before.table.dimensions[at].codes)
        because = Text("merged; {lost} cells fewer", "zusammengefasst; {lost} Zellen weniger")
        reasons = (*before.reasons, because.filled(lost=len(before.table) - len(after.table)))
        return replace(
            after, reason=np.where(new, np.int32(len(before.reasons)), np.int32(0)), reasons=reasons
        )


def _rule(step: Mapping[str, Any]) -> Rule:
    made = build(
        catalogue[str(step.get("use"))], {name: value for name, value in step.items() if name != "use"}
    )
    if isinstance(made, Rule):
        return made
    raise ValueError(_RULE_UNFIT)


_RULE_UNFIT = Text(
    "every entry of rules must be a rule of the catalogue (use) with its parameters",
    "jeder Eintrag von rules muss eine Regel des Katalogs (use) mit ihren Parametern sein",
)
_GOAL = Text(
    "categories so coarse that no rule marks a cell",
    "so grobe Kategorien, dass keine Regel eine Zelle markiert",
)
_HINT = Text(
    "Merge more, along this dimension or another one, or suppress the rest, for example with table.quader.",
    "Fassen Sie mehr zusammen, in dieser oder einer anderen Dimension, oder sperren Sie den Rest, zum Beispiel mit table.quader.",
)
