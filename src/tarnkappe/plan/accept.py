"""Less than the default policy, with a written reason that goes into both documents of a release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tarnkappe.errors import did_you_mean
from tarnkappe.language import Text
from tarnkappe.plan.part import Names, Part
from tarnkappe.plan.problems import Problem
from tarnkappe.spec import Attack, catalogue

if TYPE_CHECKING:
    from tarnkappe.plan.policy import Policy, ReasonDescription


class AcceptDescription(Part):
    """Something that the default policy does not let pass, accepted for a reason."""

    what: str
    """What is accepted: a measure of the policy, an attack, or roles, keys, rules, editions, computed. | Was hingenommen wird: ein Maß der Richtlinie, ein
    Angriff oder roles, keys, rules, editions, computed."""
    columns: Names = ()
    """With roles: the columns that stay without one; with computed: dropped ones that others give back. | Bei roles: die Spalten, die keine
    bekommen; bei computed: entfernte, die andere wiedergeben."""
    tables: Names = ()
    """With rules: the tables. | Bei rules: die Tabellen."""
    at_least: float | None = None
    """With a measure: the smallest value that is still accepted. | Bei einem Maß: der kleinste noch hingenommene Wert."""
    at_most: float | None = None
    """With a measure: the largest value that is still accepted; with an attack: the largest share of right guesses. | Bei einem Maß: der größte
    noch hingenommene Wert; bei einem Angriff: der größte Anteil richtiger Vermutungen."""
    reason: str
    """Why, for recipients and for the office; no data. | Warum, für Empfänger und für das Haus; keine Daten."""

    @property
    def bounded(self) -> bool:
        return self.at_least is not None or self.at_most is not None


def accept_problems(accepted: Sequence[AcceptDescription], policy: Policy) -> Iterator[Problem]:
    """What is wrong with the part `accept` of a plan."""
    for number, one in enumerate(accepted):
        if one.what not in policy.acceptable and not _is_attack(one.what):
            says = Text(
                "is nothing that the policy asks for. {hint}",
                "ist nichts, was die Richtlinie verlangt. {hint}",
            )
            hint = did_you_mean(one.what, policy.acceptable)
            yield Problem(("accept", number, "what"), says.filled(hint=hint))
        if is_trivial(one.reason, policy.reason):
            says = Text(
                "is no reason yet: write a sentence of {words} words or more that others can follow",
                "ist noch keine Begründung: Schreiben Sie einen nachvollziehbaren Satz aus mindestens {words} Wörtern",
            )
            yield Problem(("accept", number, "reason"), says.filled(words=policy.reason.words))
        yield from _misplaced(number, one)


def _is_attack(what: str) -> bool:
    """Whether an attack of the catalogue is meant; that it stands out can be signed, a refusal cannot."""
    return what.startswith("attack.") and what in catalogue and issubclass(catalogue[what], Attack)


def is_trivial(reason: str, asked: ReasonDescription) -> bool:
    """Whether a text is too short, or too repetitive, to be a reason."""
    words = {word.casefold() for word in re.findall(r"\w*[^\W\d_]\w*", reason)}
    return len(reason.strip()) < asked.signs or len(words) < asked.words


def _misplaced(number: int, one: AcceptDescription) -> Iterator[Problem]:
    """Columns belong to roles, tables to rules, limits to measures, and to attacks an upper one."""
    needed = {"roles": "columns", "computed": "columns", "rules": "tables"}.get(one.what)
    if needed and not getattr(one, needed):
        says = Text("needs {part}: which ones?", "braucht {part}: welche?")
        yield Problem(("accept", number), says.filled(part=needed))
    for part in ("columns", "tables"):
        if getattr(one, part) and part != needed:
            says = Text("does not go with {what}", "passt nicht zu {what}")
            yield Problem(("accept", number, part), says.filled(what=one.what))
    if one.bounded and ("." not in one.what or (_is_attack(one.what) and one.at_least is not None)):
        part = "at_least" if one.at_least is not None else "at_most"
        says = Text("does not go with {what}", "passt nicht zu {what}")
        yield Problem(("accept", number, part), says.filled(what=one.what))
