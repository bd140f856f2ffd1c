"""One step of a run: refuse what must not be touched, apply, and check what was claimed."""

from __future__ import annotations

from tarnkappe.data.contributors import still_known, with_units_known
from tarnkappe.data.households import torn_apart
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.near_zero import refuse_near_zero
from tarnkappe.errors.data import IdentifierTouched
from tarnkappe.errors.release import ClaimBroken
from tarnkappe.language import Text, listed
from tarnkappe.randomness import Stream
from tarnkappe.spec.claims import Claim, Holds
from tarnkappe.spec.contract import Declared, Method
from tarnkappe.spec.reach import beyond_reach
from tarnkappe.vocab import Role


def apply_step(method: Method, data: Microdata, stream: Stream, number: int = 1) -> Microdata:
    """Apply a method and return data for which every claim it always makes was checked, and that nothing else changed.

    Flags follow: where a cell is suppressed, what another column tells of it is so too.
    """
    refuse_identifiers(method, data)
    refuse_near_zero(data, method.treated_columns())
    data = with_units_known(data)
    after = still_known(data, method.apply(data, stream))
    for says in beyond_reach(method, data, after):
        raise ClaimBroken(number=number, id=method.id, claim=says)
    for claim in broken_claims(method, data, after):
        raise ClaimBroken(number=number, id=method.id, claim=claim.says)
    return after.flags_following()


def drawn_for(step: Declared, read: str) -> str:
    """What the draws of a step are for: the data that was read, by its fingerprint, and the parameters."""
    return f"{read} {step.model_dump_json()}"


def refuse_identifiers(method: Method, data: Microdata) -> None:
    """Every named column must be there, and be no direct identifier unless the method takes those or only reads it."""
    identifiers = () if method.takes_identifiers else data.role(Role.IDENTIFIER)
    for name in method.named_columns():
        data.column(name)
        if name in identifiers and name not in method.unit_columns():
            raise IdentifierTouched(name=name, who=method.id)


def members_apart(before: Microdata, after: Microdata) -> tuple[Text, ...]:
    """Whether a step gave members of a household different values where they had the same."""
    names = torn_apart(before, after)
    if not names:
        return ()
    said = Text(
        "Before this step the members of a household had the same value in {names}; now they have different ones: their mean may come "
        "near the truth, and the file contradicts itself. Name the household under unit if the method has it, or treat one record of "
        "each household.",
        "Vor diesem Schritt hatten die Mitglieder eines Haushalts in {names} denselben Wert, nun verschiedene: Ihr Mittel kann der "
        "Wahrheit nahe kommen, und die Datei widerspricht sich. Nennen Sie den Haushalt unter unit, wenn das Verfahren das kennt, oder "
        "behandeln Sie einen Datensatz je Haushalt.",
    )
    return (said.filled(names=listed(names)),)


def broken_claims(method: Method, before: Microdata, after: Microdata) -> list[Claim]:
    """The claims made with these parameters for every run that do not hold."""
    made = [c for c in (*method.preserves, *method.protects) if c.holds is Holds.ALWAYS and c.applies(method)]
    return [claim for claim in made if claim.check is not None and not claim.check(method, before, after)]
