"""Local suppression that reaches k-anonymity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Discriminator, Field, Tag, model_validator

from tarnkappe.data.column import Floats, Ints
from tarnkappe.data.comparison import same_states, same_values
from tarnkappe.data.contributors import units_counted
from tarnkappe.data.fill_in import filled_in
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.strata import strata_of
from tarnkappe.errors.release import ParameterWrong, Unattainable
from tarnkappe.kernels.candidate_units import candidate_units, class_units
from tarnkappe.kernels.classes import Classes
from tarnkappe.kernels.compatible import Key, candidates
from tarnkappe.kernels.sorted_classes import sorted_classes
from tarnkappe.language import Text
from tarnkappe.methods.microdata.advice import EMPTIED
from tarnkappe.methods.microdata.cells_lost import cells_lost
from tarnkappe.methods.microdata.limits import only_treated, refuse_few
from tarnkappe.methods.microdata.step_remarks import (
    lone_cells,
    many_keys,
    rare_shown,
    shown_elsewhere,
)
from tarnkappe.methods.microdata.suppressed_as_one import (
    also_suppressed,
    as_one,
    gone_with,
    kept_columns,
    told_by_order,
)
from tarnkappe.methods.microdata.suppressed_cells import least_cells, strict_cells
from tarnkappe.methods.microdata.suppression_task import Task, most_of_a_unit, one_of_each
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Json, Leaves, Mark, Maturity, Method, Reach, Source, Trace, method
from tarnkappe.spec.conditions import given, where
from tarnkappe.spec.fields import Names
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Missing, Role, Suppressed

Cost = Annotated[float, Field(gt=0)]
Importance = Annotated[
    Annotated[Mapping[str, Cost], Tag("tagged-costs")] | Annotated[Names, Tag("tagged-order")],
    Discriminator(lambda given: "tagged-costs" if isinstance(given, Mapping) else "tagged-order"),
]
MOST_COST = 2.0**43
"""All keys of one record together: a thousand times that is still a whole number to the last digit."""
HUGE_COST = 1e150
DEAR = 1000.0
"""So much more costs a cell that comes back unless all records with that value lose it."""


def _only_suppressed(m: LocalSuppression, before: Microdata, after: Microdata) -> bool:
    """Values stay; keys, what goes along and what tells them may have changed their state, and only from observed to suppressed."""
    for name in m.reach(before).changed:
        was, now = before.columns[name], after.columns[name]
        if not same_values(was, now) or not same_states(was.suppress(now.suppressed), now):
            return False
    return True


def _gone_along(m: LocalSuppression, before: Microdata, after: Microdata) -> bool:
    """No companion is shown where its key is suppressed."""
    del before
    pairs = ((key, name) for key, names in m.along.items() for name in names)
    return not any((after.column(key).suppressed & after.column(name).observed).any() for key, name in pairs)


def _combinations_shared(m: LocalSuppression, before: Microdata, after: Microdata) -> bool:
    """As the table is printed: marks count as values; records without missing keys."""
    keys = before.keys(m.keys)
    found = sorted_classes((after.column(n).codes() for n in (*keys, *m.within)), len(after))
    gaps = np.any([after.column(n).missing for n in keys], axis=0)
    sizes = class_units(Classes(found.ids, found.sizes), units_counted(after))
    return bool(np.all(sizes[found.ids[~gaps]] >= m.k))


def _persons_hidden(m: LocalSuppression, before: Microdata, after: Microdata) -> bool:
    """For every person and every set of keys that counts, k released records fit the true values."""
    seen = after.with_columns(filled_in(after))
    return all(m.fitting(seen, keys).min(initial=m.k) >= m.k for keys in m.key_sets(before))


def _within_budget(m: LocalSuppression, before: Microdata, after: Microdata) -> bool:
    keys = before.keys(m.keys)
    new = sum(int(np.count_nonzero(after.column(n).suppressed & ~before.column(n).suppressed)) for n in keys)
    return new <= m.budget * len(keys) * len(before) + 1e-9


@method(
    "microdata.local-suppression",
    family=Family.SUPPRESS,
    leaves=Leaves.GAPS,
    title=Text("Suppress cells until nobody stands out", "Werte unterdrücken, bis niemand auffällt"),
    does=Text(
        "Single values of rare records were suppressed and marked as suppressed.",
        "Einzelne Werte seltener Datensätze wurden unterdrückt und als unterdrückt gekennzeichnet.",
    ),
    sources=(
        Source("gottschalk2002", "4.2, local suppression (G-M06)"),
        Source("dav2025", "section 3.2.2, cell suppression (D-M06)"),
        Source("hoehne2010", "section 2.1.2, local suppression (T08)"),
        Source("templ2015", "localSuppression and kAnon with importance, combinations and strata; ghost variables"),
        Source("bredereck2013", "k-anonymity as an integer linear program"),
        Source("gionis2008", "(1,k)-anonymity, which mode: least reaches, and its weakness"),
    ),
    preserves=(
        Claim(
            Text(
                "every value that is still shown, and which ones were suppressed",
                "jeden noch gezeigten Wert und welche unterdrückt wurden",
            ),
            _only_suppressed,
        ),
        Claim(Text("all cells but the budget", "alle Zellen bis auf das Budget"), _within_budget),
    ),
    protects=(
        Claim(
            Text(
                "every combination of keys as it is shown, marks included and none missing, stands in at least k records of its "
                "stratum",
                "jede gezeigte Kombination der Schlüssel, Kennzeichen eingeschlossen und ohne fehlende, steht in mindestens k "
                "Datensätzen ihrer Schicht",
            ),
            _combinations_shared,
            when=where("mode", "strict"),
        ),
        Claim(
            Text(
                "for every person at least k released records fit the true values of the keys",
                "zu jeder Person passen mindestens k freigegebene Datensätze zu den wahren Werten der Schlüssel",
            ),
            _persons_hidden,
        ),
        Claim(
            Text(
                "a column that goes along with a key is suppressed wherever the key is",
                "eine Spalte, die mit einem Schlüssel geht, ist unterdrückt, wo er es ist",
            ),
            _gone_along,
            when=given("along"),
        ),
    ),
    does_not=(
        ForAnalysis(
            "keep frequencies of the keys: rare values are the ones that go",
            "Häufigkeiten der Schlüssel erhalten: es gehen die seltenen Werte",
        ),
        Text(
            "hide what all records of a class have in common",
            "verbergen, was alle Datensätze einer Klasse gemeinsam haben",
        ),
        Text(
            "hide that a cell had to go: whoever has the program knows that with it shown somebody would have been fitted by fewer than k records",
            "verbergen, dass eine Zelle gehen musste: Wer das Programm hat, weiß, dass sonst zu jemandem weniger als k Datensätze gepasst hätten",
        ),
        Text(
            "hide, with mode: least, a record that is shown whole from somebody who knows that nobody else has its keys",
            "bei mode: least einen ganz gezeigten Datensatz vor denen verbergen, die wissen, dass niemand sonst diese Schlüssel hat",
        ),
    ),
    advice=EMPTIED,
    words={
        "": Text("suppressed cells", "unterdrückte Zellen"),
    },
    example={
        "keys": ["sex", "region", "occupation"], "k": 2, "importance": {"sex": 5.0}, "mode": "least", "subsets": 2,
        "along": {"region": ["postcode"]}, "within": ["year"], "budget": 0.9,
    },
    maturity=Maturity.REPLICATED,
    revision=5,
)  # fmt: skip
class LocalSuppression(Method):
    """Suppress cells of the keys until every person is hidden among k records, at the least cost or near it.

    `strict`, the default: each combination of keys that the file shows, marks of suppression included, stands in k records or more. Then
    every way of counting agrees that the file is k-anonymous. Rare records are taken together where they agree on all but a few keys;
    where too few do, records of large classes join them.

    `least`: few cells, so that for every person k released records fit what an attacker knows. A few suppressed records of a group cover
    everybody in it, so that often a tenth of the cells is enough; but rare records are shown whole, and somebody who knows that nobody
    else in the population has that combination recognises them. The goal is a weak one: k - 1 records without any keys fit everybody and
    meet it in nearly every file. That is computed in every stratum, however large, and taken where it costs less than what the search finds,
    which is often so: the search fits everybody by two records near the rare ones first, and then by a third and so on.
    A larger k never costs less. Use it for samples of large populations only, and read how many rare records it shows.

    `subsets: m` asks less: the attacker knows any m of the keys, not all of them. It goes with `least`.

    The cost of a cell is the importance of its column (1 where none is given): dear columns are spared. In small strata (or a small
    file) an integer program finds the least cost: no other choice of cells that reaches the goal is cheaper. Small are strata of up to
    about a hundred records, the smallest first and 1,000 records in all; the program may have 1,500 choices (4,000 with `least`) and 500
    branches. Larger strata are searched, with `strict` until no small change lowers the cost or the steps are used up: that came to 6 % above the
    least cost in made files of 150 to 300 records, and to 0 to 7 % in the public files where it is known. Where several choices cost
    the same, a new version of the solver may take another.

    A list of columns is an order. In strata that are solved exactly it is strict: no cell of a column goes where any number of cells of less
    important ones would do. In others a cell costs more than those of all less important columns in k records (in fewer than k where
    such numbers would lose digits; eight columns with k = 50 do not). Columns that are not in the list are the least important, and alike.

    Missing cells stay missing and count as a value of their own; a record that is alone with what it lacks is covered by k others
    whose cells are suppressed there. Cells that were suppressed before stay so, cost nothing, and are marks like others.

    Suppressed cells must not come back. Keys that are the same for all members of a household or all records of a unit (roles `household` and
    `unit`; found in the data) are suppressed for all of them, and a column that tells a key, such as the county its land or the name of a region its code, loses
    its cells where the key has lost them. A key that the number of members of a household, a weight or a stratum tells is suppressed last, and then in all records
    with that value. Then the goal is looked at again, until nothing can be filled in. A column named under `along` goes with a key
    in any case (ghost variables of sdcMicro). Whatever was found is checked by exact counting, after filling in. If the budget or
    the number of records does not allow it, the step is refused and says what was reached; the budget counts cells, not costs.

    Where several records are one unit's (role `unit`; in a panel also owners and identifiers that repeat), k counts units: records of a unit with the same
    keys are treated as one, and where its keys change, more are suppressed until records of k units fit. Costs are then those of one record for each unit and
    combination. A key that changes from period to period can be suppressed in one and shown in another. The office is told of such cells.

    Zero, negative, constant and tied values are values of a key like others.
    """

    needs_roles = needs(keys=Role.KEY)

    keys: tuple[str, ...] = ()
    """Columns an attacker knows; without them, those with the role key. | Spalten, die ein Angreifer kennt; ohne sie die mit der Rolle key."""
    k: Annotated[int, Field(ge=2)] = 3
    """Records, or units, among which everybody is hidden. | Datensätze oder Einheiten, unter denen jeder verborgen ist."""
    importance: Importance = Field(default_factory=dict)
    """What a suppressed cell of a column costs, 1 where nothing is said; or a list of columns, the most important first. | Was eine
    unterdrückte Zelle einer Spalte kostet, 1, wo nichts gesagt ist; oder eine Liste von Spalten, die wichtigste zuerst."""
    mode: Literal["strict", "least"] = "strict"
    """Every shown combination k times, or few cells. | Jede gezeigte Kombination k-mal oder wenige Zellen."""
    subsets: Annotated[int, Field(ge=1)] | None = None
    """The attacker knows any so many of the keys. | Der Angreifer kennt beliebige so viele der Schlüssel."""
    along: Mapping[str, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Key -> further columns that are suppressed where it is. | Schlüssel -> weitere Spalten, die unterdrückt werden, wo er es ist."""
    within: tuple[str, ...] = ()
    """Columns whose combinations are treated apart (strata); they are never suppressed. | Spalten, deren Kombinationen getrennt behandelt
    werden (Schichten); in ihnen wird nichts unterdrückt."""
    budget: Annotated[float, Field(gt=0, le=1)] = 1
    """Largest share of the cells of the keys that may be suppressed. | Größter Anteil der Schlüsselzellen, der unterdrückt werden darf."""

    @model_validator(mode="after")
    def _fitting_parameters(self) -> Self:
        if self.subsets is not None and self.mode == "strict":
            raise ValueError(Text("subsets go with mode: least", "subsets gehört zu mode: least"))
        if self.keys and set(self.within) & set(self.keys):
            raise ValueError(
                Text("a key cannot be a stratum too", "ein Schlüssel kann nicht zugleich Schicht sein")
            )
        if self.keys:
            self._refuse_ignored(self.keys)
        return self

    def _refuse_ignored(self, keys: tuple[str, ...]) -> None:
        """An importance that counts for nothing, and subsets that are no subsets."""
        only_treated("importance", self.importance, keys)
        only_treated("along", self.along, keys)
        if set(self.companions()) & {*keys, *self.within}:
            raise ValueError(
                Text(
                    "what goes along must be neither key nor stratum",
                    "was mitgeht, darf weder Schlüssel noch Schicht sein",
                )
            )
        if (self.subsets or 1) > len(keys):
            raise ValueError(
                Text(
                    f"subsets must be at most {len(keys)}, the number of keys",
                    f"subsets darf höchstens {len(keys)} sein, die Zahl der Schlüssel",
                )
            )

    def named_columns(self) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys((*self.keys, *self.within, *self.importance, *self.along, *self.companions()))
        )

    def companions(self) -> tuple[str, ...]:
        """The columns that go along with keys."""
        return tuple(dict.fromkeys(name for names in self.along.values() for name in names))

    def key_sets(self, data: Microdata) -> Iterator[tuple[str, ...]]:
        """The sets of keys an attacker may know."""
        keys = data.keys(self.keys)
        return combinations(keys, min(self.subsets or len(keys), len(keys)))

    def fitting(self, data: Microdata, keys: tuple[str, ...]) -> Ints:
        """For every person the released records of its stratum that fit its true values, or the units of these where several records are one unit's."""
        told = [_key(data, name) for name in keys]
        strata = strata_of(data, self.within)
        among = candidates(
            [Key(strata.of, None, max(len(strata), 1)), *told], Missing.CATEGORY, Suppressed.ATTACKER
        )
        return candidate_units(among, units_counted(data))

    def reach(self, data: Microdata) -> Reach:
        """Any column that is not kept for a reason may tell a key, and then loses cells; none may change a value."""
        kept = kept_columns(data, (*data.keys(self.keys), *self.companions()), self.within)
        return Reach(changed=tuple(name for name in data.names if name not in kept))

    def leaves_behind(self, roles: Roles) -> tuple[Trace, ...]:
        return (Trace(Mark.COUNTED, self.keys or roles.get(Role.KEY, ())),)

    def hides(self, roles: Roles) -> tuple[str, ...]:
        return (*(self.keys or roles.get(Role.KEY, ())), *self.companions())

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        if not len(data):
            return data
        refuse_few(data, self.k, self.id)
        keys = data.keys(self.keys)
        try:
            self._refuse_ignored(keys)
        except ValueError as ignored:
            raise ParameterWrong(id=self.id, problems=ignored.args[0]) from None
        after = self._reached(data)
        self._refuse(data, after)
        return after

    def _reached(self, data: Microdata) -> Microdata:
        """Cells that reach the goal, then those that would tell them, and again until neither asks for more."""
        keys, after = data.keys(self.keys), data
        while True:
            found = self._with_companions(self._suppressed(after))
            after = as_one(found, (*keys, *self.companions()), self.within)
            if all(after.column(n) is found.column(n) for n in keys):
                return after

    def _with_companions(self, data: Microdata) -> Microdata:
        for key, names in self.along.items():
            hidden = data.column(key).suppressed
            if hidden.any():
                data = data.with_columns({name: data.column(name).suppress(hidden) for name in names})
        return data

    def _suppressed(self, data: Microdata) -> Microdata:
        keys = data.keys(self.keys)
        told = told_by_order(data, keys)
        dear = np.array([DEAR if name in told else 1.0 for name in keys])
        task = Task(
            np.column_stack([data.column(name).true_codes()[0] for name in keys]),
            np.column_stack([data.column(name).suppressed for name in keys]),
            strata_of(data, self.within), self.k,
            lambda k: self._costs(keys, k) * dear, tuple(level * dear for level in self._levels(keys)),
        )  # fmt: skip
        known = [tuple(keys.index(name) for name in names) for names in self.key_sets(data)]
        units = units_counted(data)
        one, of = (None, None) if units is None else one_of_each(task, units)
        part = task if one is None else task.among(one)
        most = self.k if units is None else self.k * most_of_a_unit(part, units[one])
        for k in range(self.k, most + 1):
            asked = replace(part, k=k)
            found = strict_cells(asked) if self.mode == "strict" else least_cells(asked, known)
            hidden = found if of is None else found[of]
            after = data.with_columns(
                {n: data.column(n).suppress(hidden[:, j]) for j, n in enumerate(keys) if hidden[:, j].any()}
            )
            if units is None or self._holds(data, after):
                break
        return after

    def _holds(self, data: Microdata, after: Microdata) -> bool:
        """Whether k units are reached, before anything is filled in."""
        shared = self.mode == "least" or _combinations_shared(self, data, after)
        return shared and all(self.fitting(after, keys).min() >= self.k for keys in self.key_sets(data))

    def _costs(self, keys: tuple[str, ...], k: int) -> Floats:
        """What a suppressed cell of each key costs."""
        if not isinstance(self.importance, Mapping):
            by_name = in_order(self.importance, keys, k)
            return np.array([by_name[name] for name in keys])
        costs = np.array([self.importance.get(name, 1.0) for name in keys])
        return costs / costs.max() if costs.max() > HUGE_COST else costs

    def _levels(self, keys: tuple[str, ...]) -> tuple[Floats, ...]:
        """The same as costs of which the later count only where the earlier are equal."""
        if isinstance(self.importance, Mapping):
            return (self._costs(keys, self.k),)
        levels = [*((name,) for name in self.importance), tuple(n for n in keys if n not in self.importance)]
        return tuple(np.array([float(n in names) for n in keys]) for names in levels if names)

    def _refuse(self, data: Microdata, after: Microdata) -> None:
        seen = after.with_columns(filled_in(after))
        reached = min(int(self.fitting(seen, keys).min()) for keys in self.key_sets(data))
        if self.mode == "strict" and not _combinations_shared(self, data, after):
            reached = min(reached, self.k - 1)
        budget = _within_budget(self, data, after)
        if reached >= self.k and budget:
            return
        goal = Text(f"k = {self.k} within the budget", f"k = {self.k} im Rahmen des Budgets")
        best = (
            Text("k, with more cells than the budget", "k, mit mehr Zellen als das Budget")
            if reached >= self.k
            else Text(f"k = {reached}", f"k = {reached}")
        )
        hint = Text(
            "Generalise the keys first, lower k, raise the budget, or form larger strata.",
            "Vergröbern Sie zuerst die Schlüssel, senken Sie k, erhöhen Sie das Budget oder bilden Sie größere Schichten.",
        )
        raise Unattainable(who=self.id, goal=goal, best=best, hint=hint)

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        keys = before.keys(self.keys)
        rare = rare_shown(before, after, keys, self.within, self.k) if self.mode == "least" else ()
        return (
            *many_keys(keys),
            *lone_cells(before, after, (*keys, *self.companions()), self.within),
            *shown_elsewhere(before, after, (*keys, *self.companions())),
            *also_suppressed(before, after, (*keys, *self.companions())),
            *rare,
        )

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, Json]:
        """How many cells each key and what goes along has lost in all, where they are not of one or two contributors."""
        named = (*before.keys(self.keys), *self.companions())
        return cells_lost(before, after, (*named, *gone_with(before, after, named)))


def in_order(importance: tuple[str, ...], keys: tuple[str, ...], k: int) -> dict[str, float]:
    """Costs that follow an order: a cell of a column costs more than the cells of all less important ones in k records together.

    In half as many, a quarter and so on where sums of such costs would lose their last digits.
    """
    records = k
    while True:
        costs = {name: 1.0 for name in keys if name not in importance}
        for name in reversed(importance):
            if name in keys:
                costs[name] = records * sum(costs.values()) + 1
        if records == 1 or sum(costs.values()) <= MOST_COST:
            return costs
        records //= 2


def _key(data: Microdata, name: str) -> Key:
    column = data.column(name)
    codes, count = column.true_codes()
    return Key(codes, column.state, max(count, 1))
