"""Check the register of releases that a plan names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.release import SecretName
from tarnkappe.io.paths import inside
from tarnkappe.language import Text
from tarnkappe.plan.document import Place
from tarnkappe.plan.model import PlanDescription
from tarnkappe.plan.problems import Problem
from tarnkappe.randomness import is_name
from tarnkappe.spec import Declared
from tarnkappe.vocab import Role

MEASURE = "risk.earlier-releases"


def register_problems(
    plan: PlanDescription, folder: Path, taken: Mapping[Place, Declared]
) -> Iterator[Problem]:
    """A register needs records with keys, a place and a secret; what is measured with it needs a register."""
    if plan.releases is None:
        for place, thing in taken.items():
            if thing.id == MEASURE:
                says = Text(
                    "needs a register of releases: name one under register",
                    "braucht ein Freigaberegister: Nennen Sie eines unter register",
                )
                yield Problem(place, says)
        return
    try:
        inside(folder, plan.releases.file)
    except TarnkappeError as problem:
        yield Problem(("register",), problem.what)
    if not is_name(plan.releases.secret_name):
        yield Problem(("register",), SecretName().what)
    if plan.data is None:
        says = Text("is for plans that read data", "gehört zu Plänen, die Daten lesen")
        yield Problem(("register",), says)
    elif (plan.steps or not plan.tables) and not plan.data.roles.get(Role.KEY):
        says = Text("needs columns with the role key", "braucht Spalten mit der Rolle key")
        yield Problem(("register",), says)
