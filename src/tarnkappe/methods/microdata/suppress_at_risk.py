"""Suppression of keys in records that are found too surely."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Bools, Floats
from tarnkappe.data.comparison import same_states, same_values
from tarnkappe.data.microdata import Microdata, Roles
from tarnkappe.data.sampling_weights import weights_of
from tarnkappe.errors.data import LoneCell
from tarnkappe.errors.risk import RegisterTooSmall
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.posterior import mean_risk
from tarnkappe.language import Text
from tarnkappe.methods.microdata.advice import EMPTIED
from tarnkappe.methods.microdata.cells_lost import cells_lost
from tarnkappe.methods.microdata.step_remarks import lone_cells, shown_elsewhere
from tarnkappe.methods.microdata.suppressed_as_one import in_whole_units, with_units
from tarnkappe.randomness import Stream
from tarnkappe.spec import Claim, Family, Leaves, Method, Reach, Source, method
from tarnkappe.spec.conditions import where
from tarnkappe.spec.fields import Columns
from tarnkappe.spec.limits import ForAnalysis
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

_LEFT = Text(
    "{count} records are above the threshold still: other keys alone tell them apart.",
    "{count} Datensätze liegen noch über der Schwelle: schon andere Schlüssel unterscheiden sie.",
)


def _rest_kept(m: SuppressAtRisk, before: Microdata, after: Microdata) -> bool:
    """Values stay; only cells of records at risk and of their units may have changed their state, and only from observed to suppressed."""
    risky = with_units(before, m.at_risk(before))
    return all(
        same_values(before.columns[n], after.columns[n])
        and same_states(before.columns[n].suppress(after.columns[n].suppressed & risky), after.columns[n])
        for n in m.columns
    )


def _none_shown(m: SuppressAtRisk, before: Microdata, after: Microdata) -> bool:
    """Records are counted anew, one by one, by what they show."""
    keys = before.keys(m.keys)
    shown = list(zip(*(before.columns[k].codes()[0].tolist() for k in keys), strict=True))
    weight = m.persons_per_record(before)
    records, persons = dict[tuple[int, ...], int](), dict[tuple[int, ...], float]()
    for row, w in zip(shown, weight.tolist(), strict=True):
        records[row], persons[row] = records.get(row, 0) + 1, persons.get(row, 0.0) + w
    f = np.array(list(records.values()), dtype=np.int64)
    risk = dict(zip(records, mean_risk(f, f / np.maximum(list(persons.values()), f)).tolist(), strict=True))
    risky = np.array([risk[row] > m.threshold * (1 + 1e-9) for row in shown], dtype=np.bool_)
    return not any((after.columns[n].observed & risky).any() for n in m.columns)


def _none_alone(m: SuppressAtRisk, before: Microdata, after: Microdata) -> bool:
    hidden = {n: (before.columns[n].suppressed, after.columns[n].suppressed) for n in m.columns}
    return all(now.sum() != 1 or np.array_equal(was, now) for was, now in hidden.values())


@method(
    "microdata.suppress-at-risk",
    family=Family.SUPPRESS,
    leaves=Leaves.GAPS,
    title=Text("Suppress where the risk is high", "Bei hohem Risiko unterdrücken"),
    does=Text(
        "Keys of records that could be found too surely were suppressed and marked as suppressed.",
        "Schlüssel von Datensätzen, die zu sicher zu finden wären, wurden unterdrückt und als unterdrückt gekennzeichnet.",
    ),
    sources=(
        Source("templ2015", "local suppression by a threshold of the individual risk (localSupp)"),
        Source("benedettifranconi1998", "individual risk with sampling weights"),
    ),
    preserves=(
        Claim(
            Text(
                "every cell of the records at or below the threshold, other than those of a household or unit with one above",
                "jede Zelle der Datensätze, die nicht über der Schwelle liegen, außer denen eines Haushalts oder einer Einheit mit einem darüber",
            ),
            _rest_kept,
        ),
    ),
    protects=(
        Claim(
            Text(
                "no record whose risk was above the threshold shows one of the columns",
                "kein Datensatz, dessen Risiko über der Schwelle lag, zeigt eine der Spalten",
            ),
            _none_shown,
        ),
        Claim(
            Text(
                "no column has exactly one suppressed value: a single gap would point at its unit",
                "keine Spalte hat genau einen unterdrückten Wert: eine einzelne Lücke zeigte auf ihren Träger",
            ),
            _none_alone,
            when=where("lone", "refuse"),
        ),
    ),
    does_not=(
        Text(
            "bring every risk below the threshold: the keys that stay may tell a record apart; the report says how many it leaves, "
            "microdata.local-suppression reaches a goal",
            "jedes Risiko unter die Schwelle bringen: die übrigen Schlüssel können einen Datensatz unterscheiden; wie viele bleiben, sagt der "
            "Bericht, ein Ziel erreicht microdata.local-suppression",
        ),
        Text(
            "choose the columns that cost least",
            "die Spalten wählen, deren Unterdrückung am wenigsten kostet",
        ),
        ForAnalysis(
            "keep frequencies of the columns: rare combinations are the ones that go",
            "Häufigkeiten der Spalten erhalten: es gehen die seltenen Kombinationen",
        ),
    ),
    advice=EMPTIED,
    words={"": Text("suppressed cells", "unterdrückte Zellen")},
    example={
        "columns": ["occupation"], "keys": ["sex", "occupation"], "threshold": 0.05, "population": 200, "lone": "allow",
    },
    revision=2,
)  # fmt: skip
class SuppressAtRisk(Method):
    """Suppress columns in the records whose individual risk lies above a threshold.

    The risk of a record is the chance that who finds its keys in a register takes the right one of the persons that fit: the mean of 1/F, where F
    is the number of persons of the population that share the keys of f records, negative binomial given f. With `population: release` the
    file is the population and the risk is 1/f; with `weights` a record stands for as many persons as its weight, with a number every record
    for as many. Counted is what the release shows: missing equals missing, suppressed equals suppressed, which is the cautious count.

    All chosen columns of a record at risk are suppressed, whatever they hold; missing cells stay missing. Name keys of which little is lost: one
    that is rare in itself, such as an occupation. A single gap in a column points at its unit and is refused unless `lone: allow` is said.
    Where no record is at risk nothing changes.

    Where a column is the same for all members of a household or all records of a unit (roles `household` and `unit`), it is suppressed for all of
    them. A value that changes from period to period can be shown in another one: the office is told of such cells.

    Zero, negative, constant and tied values are values like others.
    """

    needs_roles = needs(keys=Role.KEY)

    columns: Columns
    """Columns suppressed in records at risk. | Spalten, die in gefährdeten Datensätzen unterdrückt werden."""
    keys: tuple[str, ...] = ()
    """Columns an attacker knows; without them, those with the role key. | Spalten, die ein Angreifer kennt; ohne sie die mit der Rolle
    key."""
    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.1
    """A record is at risk above this. | Darüber gilt ein Datensatz als gefährdet."""
    population: Literal["weights", "release"] | Annotated[int, Field(ge=1)] = "release"
    """The weights of the records, the release itself, or the number of persons. | Die Gewichte der Datensätze (weights), die Freigabe
    selbst (release) oder die Zahl der Personen."""
    lone: Literal["refuse", "allow"] = "refuse"
    """Refuse or allow a single suppressed value in a column. | Einen einzelnen unterdrückten Wert in einer Spalte verweigern (refuse)
    oder zulassen (allow)."""

    def named_columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns, *self.keys)))

    def treated_columns(self) -> tuple[str, ...]:
        return ()

    def risks(self, data: Microdata) -> Floats:
        """The posterior mean of 1/F of every record (benedettifranconi1998)."""
        found = classes(data.column(k).codes() for k in data.keys(self.keys))
        f = found.sizes.astype(np.int64)
        persons = np.bincount(found.ids, self.persons_per_record(data), len(f))
        return np.asarray(mean_risk(f, f / np.maximum(persons, f))[found.ids])

    def persons_per_record(self, data: Microdata) -> Floats:
        """For how many persons a record stands."""
        if self.population == "weights":
            return weights_of(data, self.id)
        size = len(data) if self.population == "release" else self.population
        if size < len(data):
            raise RegisterTooSmall(found=size, needed=len(data))
        return np.full(len(data), size / max(len(data), 1))

    def at_risk(self, data: Microdata) -> Bools:
        """Records above the threshold; what equals it up to rounding is not above."""
        return np.asarray(self.risks(data) > self.threshold * (1 + 1e-9))

    def reach(self, data: Microdata) -> Reach:
        del data
        return Reach(changed=self.columns)

    def hides(self, roles: Roles) -> tuple[str, ...]:
        del roles
        return self.columns

    def apply(self, data: Microdata, stream: Stream) -> Microdata:
        del stream
        risky = self.at_risk(data)
        named = data.with_columns({name: data.column(name).suppress(risky) for name in self.columns})
        after = in_whole_units(named, self.columns)
        for name in self.columns if self.lone == "refuse" else ():
            hidden = after.column(name).suppressed
            if np.count_nonzero(hidden) == 1 and not np.array_equal(hidden, data.column(name).suppressed):
                raise LoneCell(name=name, count=1)
        return after

    def remarks(self, before: Microdata, after: Microdata) -> tuple[Text, ...]:
        left = int(np.count_nonzero(self.at_risk(after)))
        told = (_LEFT.filled(count=left),) if left else ()
        return (
            *told,
            *lone_cells(before, after, self.columns),
            *shown_elsewhere(before, after, self.columns),
        )

    def tells(self, before: Microdata, after: Microdata) -> Mapping[str, int]:
        """How many cells each column lost, where they are not of one or two contributors."""
        return cells_lost(before, after, self.columns)
