"""Value disclosure: what an attacker learns who has found a record and knows one true value of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tarnkappe.kernels.one_known import by_typical_ratio, factors, medians, scaled_back, shifted_back
from tarnkappe.kernels.proportions import share_of
from tarnkappe.language import Text
from tarnkappe.risk.one_known import NOT_FOUND, Attack, OneKnown, worst
from tarnkappe.risk.values_learnt import Sides, by_column, counted, near
from tarnkappe.spec import Finding, Goal, Json, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.microdata import Microdata


@measure(
    "risk.value-disclosure",
    title=Text("Value disclosure with one known value", "Wertoffenlegung bei einem bekannten Wert"),
    does=Text(
        "Counts the values an attacker learns closely enough to be useful when he knows one true value of the record.",
        "Zählt die Werte, die ein Angreifer genau genug erfährt, wenn er einen wahren Wert des Datensatzes kennt.",
    ),
    sources=(
        Source("hoehne2010", "4.2.2, equation 4.2-4 (R15), usefulness of a value (R06), share of values hardly changed (R18)"),
        Source("gottschalk2002", "section 2.2 of the specification, G-R08"),
    ),
    reads=Text(
        "An attacker who knows one true value learns a share of {value} of the others.",
        "Ein Angreifer, der einen wahren Wert kennt, erfährt von den anderen einen Anteil von {value}.",
    ),
    knows=Text(
        "The attacker knows which released record is whose, one true value of it, and the kind of the method.",
        "Der Angreifer weiß, welcher freigegebene Datensatz wem gehört, kennt einen wahren Wert daraus und die Art des Verfahrens.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        NOT_FOUND,
        Text(
            "consider an attacker who knows several true values, or other records",
            "einen Angreifer betrachten, der mehrere wahre Werte oder andere Datensätze kennt",
        ),
    ),
    words={
        "as_released": Text("as released", "wie freigegeben"),
        "by_regression": Text("by regression on the known value", "durch Regression auf den bekannten Wert"),
    },
    example={
        "columns": ["income", "wealth", "employees"], "within": ["region"], "weighted": True, "known": ["income", "employees"],
        "f": 0.1,
    },
)  # fmt: skip
class ValueDisclosure(OneKnown):
    """The share of the values of a record that come out with a relative error of at most f, one other value being known.

    Three ways are tried: the value as it was *released*; the released value times true over released of the known one (*ratio*, which
    undoes a common factor); the released value plus the error of the known one times the slope of a regression of the released columns
    (*regression*, which takes back what correlated noise has in common). What counts is the way and the known column with which most is
    learnt: the attacker may know the kind of the method.

    The naive attacker knows the same value and the released file, but not which record it is: he guesses the median, or the known
    value times the median ratio. A value that is not shown is not learnt; a zero is learnt where the guess is zero.
    """

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        sides = self.sides(after, before, needed=2)
        attacks = [self._attack(sides, known) for known in self.known_among(sides)]
        most = worst(attacks, sides)
        details: dict[str, Json] = {
            "f": self.f, "known": {sides.names[a.known]: a.share(sides) for a in attacks},
            "best_way": _best(most.ways), "ways": most.ways, "columns": by_column(sides, most.hit, most.there, most.naive),
        }  # fmt: skip
        return self.finding(after, sides, counted(most.hit, most.there), most.baseline(sides), details)

    def _attack(self, sides: Sides, known: int) -> Attack:
        x, y = sides.x, sides.y
        there = sides.there.copy()
        there[:, known] = False
        guesses = {
            "as_released": y,
            "by_ratio": scaled_back(y, factors(x[:, known], y[:, known])),
            "by_regression": shifted_back(y, x, known),
        }
        ways = {way: near(guess, x, self.f) for way, guess in guesses.items()}
        shares = {way: share_of(*counted(hit, there), sides.weights) for way, hit in ways.items()}
        blind = [near(np.broadcast_to(medians(sides.shown), x.shape), x, self.f)]
        blind.append(near(by_typical_ratio(sides.shown, x, known), x, self.f))
        naive = max(blind, key=lambda hit: int((hit & there).sum()))
        return Attack(known, ways[_best(shares)], naive, there, shares)


def _best(ways: Mapping[str, float]) -> str:
    return max(ways, key=lambda way: np.nan_to_num(ways[way], nan=-1.0))
