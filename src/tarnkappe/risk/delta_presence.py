"""δ-presence: how surely somebody can be known to be in the release."""

from __future__ import annotations

from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.risk import PopulationNeeded
from tarnkappe.language import Text, same
from tarnkappe.risk.counting import checked
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.risk.register import doubt_of_register, held_against
from tarnkappe.spec import Finding, Goal, Measure, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Missing, Role

_HINT = Text(
    "Measure with the original data, or against a register with DeltaPresence().against(release, register).",
    "Messen Sie mit den Originaldaten oder gegen ein Register mit DeltaPresence().against(release, register).",
)


@measure(
    "risk.delta-presence",
    title=Text("δ-presence", "δ-Präsenz"),
    does=Text(
        "Gives the largest certainty with which somebody of the population can be known to be in the release.",
        "Gibt an, mit welcher Sicherheit man von jemandem aus der Grundgesamtheit höchstens weiß, dass er in der Freigabe ist.",
    ),
    sources=(Source("nergiz2007", "δ-presence"),),
    reads=Text(
        "Somebody is known to be in the release with a certainty of {value}.",
        "Von jemandem ist mit einer Sicherheit von {value} bekannt, dass er in der Freigabe ist.",
    ),
    knows=Text(
        "The attacker has a register of the whole population with the true values of all keys, and does not know who was drawn.",
        "Der Angreifer hat ein Register der ganzen Grundgesamtheit mit den wahren Werten aller Schlüssel und weiß nicht, wer gezogen "
        "wurde.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "say what else can be learnt of somebody who is known to be in the release",
            "sagen, was man von jemandem, der in der Freigabe ist, noch erfährt",
        ),
        Text(
            "know registers other than the one it is given",
            "andere Register kennen als das angegebene",
        ),
    ),
    words={
        "persons_known_absent": Text("persons known to be absent", "Personen, deren Fehlen bekannt ist"),
        "persons_known_present": Text("persons known to be present", "Personen, deren Anwesenheit bekannt ist"),
    },
    example={"keys": ["sex", "year"], "missing": "wildcard"},
)  # fmt: skip
class DeltaPresence(Measure):
    """The largest probability that somebody is in the release, for an attacker who has a register of the population.

    The original data is the register, of which the release is a part; `against` takes any other. In a class of keys with f released
    records and F persons of the register, the probability is f/F. A suppressed key fits every person: a released record that could be
    any of F persons adds 1/F to each, and the sum counts. That nobody of a class is in the release is learnt too: the
    details give the smallest probability and how many persons are known to be absent. The share of the release in the population is the baseline: it
    is what everybody knows.

    A missing key counts as `missing` says. A register that is smaller than the release is refused; one that has too few persons for
    some released records is not trusted.
    """

    needs_roles = needs(keys=Role.KEY)

    keys: tuple[str, ...] = ()
    """Columns an attacker may know; without them, those with the role key. | Spalten, die ein Angreifer kennen kann; ohne Angabe die mit
    der Rolle key."""
    missing: Missing = Missing.CATEGORY
    """How a missing key counts: as a category of its own, as a wildcard, or as an error (refuse). | Wie ein fehlender Schlüssel zählt: als
    eigene Kategorie (category), als Joker (wildcard) oder als Fehler (refuse)."""

    def measure(self, after: Microdata, *, before: Microdata | None = None) -> Finding:
        if before is None:
            raise PopulationNeeded(who=same(self.id), hint=_HINT)
        return self.against(after, before)

    def against(self, after: Microdata, register: Microdata) -> Finding:
        """The presence of every person of a register."""
        keys = checked(after, self.keys, self.missing)
        held = held_against(after, register, keys, self.missing)
        presence = held.presence()
        of_persons = presence[held.persons > 0]
        doubt = doubt_of(after, keys) or doubt_of_register(held)
        return Finding(
            value=float(presence[(held.persons > 0) | (held.released > 0)].max()),
            baseline=len(after) / len(register),
            trusted=not doubt,
            because=doubt,
            details={
                "keys": keys,
                "missing": self.missing.value,
                "records": len(after),
                "persons": len(register),
                "least": float(of_persons.min()),
                "persons_known_absent": int(held.persons[presence == 0].sum()),
                "persons_known_present": int(held.persons[presence == 1].sum()),
            },
            per_record=presence[held.records],
        )
