"""Small counts in hierarchies, shown as ranges."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tarnkappe.attack.tree import parents_in_tree, published
from tarnkappe.data.column import Bools, Column, Floats, Ints
from tarnkappe.data.last_period import ranked
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.errors.tables import CostsMissing, SumsCross
from tarnkappe.kernels.range_mask import compat, tree_of
from tarnkappe.language import Text
from tarnkappe.methods.tables.mask_draws import at_random, mask_draws
from tarnkappe.methods.tables.mask_report import mask_steps
from tarnkappe.methods.tables.mask_simulation import NOT_TRIED, possible_values
from tarnkappe.methods.tables.masking import Masking
from tarnkappe.methods.tables.ranges import narrowed, refuse_cells, refuse_unfit, too_little
from tarnkappe.randomness import Stream, public_stream
from tarnkappe.spec import Claim, Maturity, Source, TableMethod, table_method
from tarnkappe.spec.conditions import unless


def _small_are_ranges(m: RangeMask, before: Pattern, after: Pattern) -> bool:
    low, high = published(after)
    as_asked = (after.status == Status.RANGE) & (low == m.lower) & (high == m.upper)
    return bool(np.all(as_asked[m.small(before)]))


def _ranges_hold_values(m: RangeMask, before: Pattern, after: Pattern) -> bool:
    del m
    low, high = published(after)
    return bool(np.all((low <= before.table.value) & (before.table.value <= high)))


def _others_unchanged(m: RangeMask, before: Pattern, after: Pattern) -> bool:
    del m
    same_values = np.array_equal(before.table.value, after.table.value) and after.shown is None
    return same_values and bool(np.isin(after.status, (Status.OPEN, Status.RANGE)).all())


def _attacker_learns_nothing(m: RangeMask, before: Pattern, after: Pattern) -> bool:
    return not narrowed(after, m.small(before)).any()


_COMPAT = Text(  # specification of Schenker 2019, section 8
    "mode: compat is not safe. Added ranges are centred on the true value, so a reader who knows the macro, and it is public, takes the "
    "middle of such a range and computes every masked count: of the printed example all. Even without knowing it, one small count in "
    "ten can be computed exactly and almost half can be narrowed. Use mode: safe; compat is for comparison only.",
    "mode: compat ist nicht sicher. Hinzugefügte Bereiche liegen um den wahren Wert; wer das Makro kennt, und es ist öffentlich, nimmt die "
    "Mitte eines solchen Bereichs und errechnet jede maskierte Anzahl: im gedruckten Beispiel alle. Auch ohne es zu kennen, ist eine von "
    "zehn kleinen Anzahlen genau und fast die Hälfte enger bestimmbar. Nehmen Sie mode: safe; compat dient nur zum Vergleich.",
)


_SIMULATED = Text(
    "Of {all} small counts {tried} lie in groups small enough to be attacked by somebody who knows the method and tries every possible "
    "table: he finds {one} of them exactly and excludes some values of {some} more.",
    "Von {all} kleinen Anzahlen liegen {tried} in Gruppen, die klein genug sind für jemanden, der das Verfahren kennt und alle möglichen "
    "Tabellen durchprobiert: Er findet {one} davon genau heraus und schließt bei {some} weiteren Werte aus.",
)


@table_method(
    "table.range-mask",
    title=Text("Ranges for small counts", "Wertebereiche für kleine Anzahlen"),
    does=Text(
        "Small counts, and further counts from which they could be computed, are shown as ranges.",
        "Kleine Anzahlen und weitere, aus denen sie sich errechnen ließen, sind als Wertebereiche angegeben.",
    ),
    sources=(Source("schenker2019", "algorithm in three phases, macro anon_aggregatdaten"),),
    preserves=(
        Claim(
            Text(
                "every value that is not shown as a range is published unchanged",
                "jeder nicht als Bereich gezeigte Wert bleibt unverändert",
            ),
            _others_unchanged,
        ),
        Claim(
            Text("every range holds the true value", "jeder Bereich enthält den wahren Wert"),
            _ranges_hold_values,
        ),
    ),
    protects=(
        Claim(
            Text(
                "every count from the lower to the upper limit on the lowest level is shown as this range",
                "jede Anzahl von der unteren bis zur oberen Grenze auf der untersten Ebene erscheint als dieser Bereich",
            ),
            _small_are_ranges,
        ),
        Claim(
            Text(
                "all published sums together tell an attacker no more of such a count than its range (not in the mode compat)",
                "alle veröffentlichten Summen zusammen verraten über eine solche Anzahl nicht mehr als ihren Bereich (nicht in der Betriebsart compat)",
            ),
            _attacker_learns_nothing,
            when=unless("mode", "compat"),
        ),
    ),
    does_not=(
        Text(
            "reckon with contributors who know what they contribute themselves",
            "mit Beteiligten rechnen, die ihren eigenen Beitrag kennen",
        ),
        Text(
            "protect in the mode compat, which repeats the published macro: added ranges are centred on the true value, and on "
            "random trees one small count in ten could be computed exactly and almost half could be narrowed",
            "in der Betriebsart compat schützen, die das veröffentlichte Makro wiederholt: hinzugefügte Bereiche liegen um den "
            "wahren Wert, und in zufälligen Bäumen war eine von zehn kleinen Anzahlen genau und fast die Hälfte enger bestimmbar",
        ),
        Text(
            "prove that somebody who runs the program on every possible table learns nothing: in small trees he found no value that "
            "the ranges do not show; where sums cross or groups have no room he may exclude some, and where nothing is drawn he finds "
            "about one small count in six",
            "beweisen, dass jemand, der das Programm auf alle möglichen Tabellen anwendet, nichts erfährt: in kleinen Bäumen fand er nichts, "
            "was die Bereiche nicht zeigen; wo sich Summen kreuzen oder Gruppen keinen Raum haben, kann er Werte ausschließen, und wo "
            "nichts gezogen wird, findet er etwa jede sechste kleine Anzahl",
        ),
        Text(
            "hide zeros, unless the lower limit is 0, nor cells that the table does not have",
            "Nullen verbergen, außer bei unterer Grenze 0, oder Zellen, die die Tabelle nicht hat",
        ),
        Text(
            "count in whole numbers where sums cross: the audit is one of linear programs",
            "ganzzahlig rechnen, wo sich Summen kreuzen: geprüft wird mit linearen Programmen",
        ),
        Text(
            "look at other releases of the same counts",
            "andere Veröffentlichungen derselben Anzahlen betrachten",
        ),
    ),
    example={
        "lower": 2,
        "upper": 4,
        "pick": "random",
        "mode": "linear",
        "draw": "nothing",
        "show_steps": True,
        "simulate": 40,
    },
    maturity=Maturity.REPLICATED,
    random=True,
    revision=2,
)
class RangeMask(TableMethod):
    """Show small counts as a range such as 1-3, and as few others as needed so that nobody can compute them.

    Use it for counts in a hierarchy (city, district, quarter) when readers should still see roughly how many there are. Counts on
    the lowest level from `lower` to `upper` become the range `lower`-`upper` (phase 1). Looking up, a sibling or, where
    none is large enough, the parent is masked wherever parent and siblings would tell more than the range (phase 2); looking down,
    a child of every masked sum (phase 3). Masks stay as far down as possible. The range of an added mask is the mirror image of
    what it protects, so its middle does not point to the true value. Which cell is added and where its range lies is drawn from
    the secret (`draw`), so that every table that fits what is shown could have led to it. A cell is drawn by its codes, so the
    same one is taken again in the next period where it can be.

    The result is audited: every small count has its whole range for an attacker who uses all published sums, or the
    table is refused. Where sums run along several dimensions, the further ranges come from cuboids of siblings, and from linear
    programs where no cuboid helps. Cells that a rule marks must lie within the limits. Cells marked as open stay open. Phases and reasons are for the office; never publish them.
    """

    lower: Annotated[int, Field(ge=0)] = 1
    """Smallest count that is masked. | Kleinste Anzahl, die maskiert wird."""
    upper: Annotated[int, Field(ge=1)] = 3
    """Largest count that is masked. | Größte Anzahl, die maskiert wird."""
    pick: Literal["max", "min", "random", "priority"] = "max"
    """Which further cell is masked: the largest, the smallest, a random one, or the cheapest by the costs of the table; where places are
    drawn, large (or small) cells are only likelier in proportion. | Welche weitere Zelle maskiert wird: die größte, die kleinste, eine
    zufällige oder die nach den Kosten der Tabelle billigste; wo gezogen wird, sind große (oder kleine) nur im Verhältnis wahrscheinlicher."""
    mode: Literal["safe", "linear", "compat"] = "safe"
    """safe; linear: as safe, with linear programs throughout, which often masks a little less and takes longer; compat: exactly as the
    published macro, which is not safe. | safe; linear: ebenso sicher, durchweg mit linearen Programmen, was oft etwas
    weniger maskiert und länger dauert; compat: genau wie das veröffentlichte Makro, das nicht sicher ist."""

    draw: Literal["places", "nothing"] = "places"
    """places: which further cells are masked and where their ranges lie is drawn from the secret, so that knowing the program tells nothing;
    nothing: the values decide, and in small groups whoever runs the program on all tables that fit finds about one small count in
    six; compat never draws. | places: Welche weiteren Zellen maskiert werden und wo ihre Bereiche liegen, wird aus dem Geheimnis gezogen;
    das Programm zu kennen verrät dann nichts; nothing: Die Werte entscheiden, und wer das Programm auf alle passenden Tabellen anwendet, findet
    in kleinen Gruppen etwa jede sechste kleine Anzahl; compat zieht nie."""

    show_steps: bool = False
    """The internal table also shows what every cell showed after each step. | Die interne Tabelle zeigt auch, was jede Zelle nach
    jedem Schritt zeigte."""

    simulate: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Attack the result as somebody who knows the method: in groups with at most so many possible tables, each is masked again; only where nothing is drawn. | Das
    Ergebnis angreifen wie jemand, der das Verfahren kennt: In Gruppen mit höchstens so vielen möglichen Tabellen wird jede erneut
    maskiert; nur, wo nichts gezogen wird."""

    @model_validator(mode="after")
    def _a_range_is_wide(self) -> Self:
        if self.upper <= self.lower:
            raise ValueError(Text("upper must be greater than lower", "upper muss größer als lower sein"))
        return self

    def internal_columns(self, after: Pattern) -> dict[str, Column]:
        """Step by step, as the specification prints them (Schenker 2019, L83-113)."""
        steps = mask_steps(after) if self.show_steps else {}
        out = {f"step_{label}": Column.texts_of(shown) for label, shown in steps.items()}
        if self.simulate:
            left = self.possible(after)
            out["values_possible"] = Column.numbers_of(
                np.maximum(left, 0), np.where(left < 0, np.uint8(1), np.uint8(0))
            )
        return out

    def possible(self, after: Pattern) -> Ints:
        """How many values each small count can have for somebody who knows the method (specification of Schenker 2019, 8.5)."""
        small = np.asarray(self.small(after) & (after.status == Status.RANGE))
        if self._draws or self.pick == "random":  # what was drawn is not known to anybody else
            return np.full(len(small), NOT_TRIED, dtype=np.int64)
        plain = self.model_copy(update={"simulate": 0})
        return possible_values(
            after, lambda other: plain.protect(other, public_stream("simulation")), small, self.simulate
        )

    def notes(self, after: Pattern) -> tuple[Text, ...]:
        if not self.simulate:
            return ()
        small = np.asarray(self.small(after) & (after.status == Status.RANGE))
        left = self.possible(after)[small]
        tried, whole = left[left >= 0], self.upper - self.lower + 1
        counts = {
            "tried": len(tried),
            "all": len(left),
            "one": int((tried == 1).sum()),
            "some": int(((tried > 1) & (tried < whole)).sum()),
        }
        return (_SIMULATED.filled(**counts),)

    @property
    def warnings(self) -> tuple[Text, ...]:
        return (_COMPAT,) if self.mode == "compat" else ()

    def small(self, pattern: Pattern) -> Bools:
        """The cells of phase 1: small counts on the lowest level that need not stay open."""
        return np.asarray(self._within(pattern) & pattern.table.inner)

    def _within(self, pattern: Pattern) -> Bools:
        value = pattern.table.value
        return np.asarray((value >= self.lower) & (value <= self.upper) & ~pattern.forced_open)

    def protect(self, pattern: Pattern, stream: Stream) -> Pattern:
        refuse_unfit(pattern, self.id)
        beyond = pattern.primary & ~self._within(pattern)
        refuse_cells(self.id, pattern.table, beyond | (pattern.mark == Mark.SUPPRESS))
        masking = self._masking(pattern, stream)
        if self.mode == "compat":
            return self._compat(masking)
        done = masking.done(linear=self.mode == "linear")
        refuse_cells(self.id, pattern.table, too_little(pattern, done))
        return done

    def _compat(self, masking: Masking) -> Pattern:
        table = masking.pattern.table
        parent = parents_in_tree(table)
        if parent is None:
            raise SumsCross(who=self.id, name=table.name, count=int((table.up >= 0).any(axis=0).sum()))
        masks = compat(tree_of(parent), masking.nodes(), masking.small, self.lower, self.upper)
        refuse_cells(self.id, table, masks.failed)
        return masking.shown(parent, masks)

    @property
    def _draws(self) -> bool:
        return self.draw == "places" and self.mode != "compat"

    def _masking(self, pattern: Pattern, stream: Stream) -> Masking:
        size, rank = len(pattern.table), ranked(pattern, self._rank(pattern, stream))
        # An added range that dipped into the small counts would be recognised as added.
        least = np.where(pattern.table.inner, self.upper + 1.0, 1.0)
        return Masking(
            self.id, pattern, self.small(pattern), np.full(size, float(self.lower)), np.full(size, float(self.upper)),
            np.maximum(least, np.ceil(pattern.low)), np.floor(pattern.high), pattern.table.value > 0, rank,
            mask_draws(pattern.table, stream) if self._draws else None,
        )  # fmt: skip

    def _rank(self, pattern: Pattern, stream: Stream) -> Floats:
        if self.pick == "random":
            return stream.generator.random(len(pattern.table))
        if self.pick == "priority":
            if pattern.cost is None:
                raise CostsMissing(who=self.id, name=pattern.table.name)
            return -pattern.cost
        value = pattern.table.value
        if self._draws:
            weight = np.maximum(value, 1.0)
            return at_random(pattern.table, stream, weight if self.pick == "max" else 1.0 / weight)
        return value * (1.0 if self.pick == "max" else -1.0)
