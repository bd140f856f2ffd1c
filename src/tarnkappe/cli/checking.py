"""check. It stands alone, so that it does not wait for what only a run needs."""

from __future__ import annotations

from pathlib import Path

from tarnkappe.cli.screen import err, language, say
from tarnkappe.language import Lang, Text
from tarnkappe.plan.check import check_file
from tarnkappe.plan.model import Plan
from tarnkappe.plan.policy_gates import default_gates, refuse_less
from tarnkappe.plan.table_warnings import warnings_of


def warn(plan: Plan, lang: Lang) -> None:
    """What the methods for the tables of a plan warn of, with or without other output."""
    for table in plan.tables:
        for warning in warnings_of(table):
            err.print(f"! {table.described.name}: {warning.in_(lang)}", markup=False, soft_wrap=True)


def check(plan: Path, lang: str | None) -> None:
    """Say that a plan is sound, or raise with all its problems."""
    checked, spoken = check_file(plan), language(lang)
    refuse_less(checked)
    says = Text(
        "{file}: no problems. Steps: {steps}, gates: {gates}.",
        "{file}: keine Fehler. Schritte: {steps}, Bedingungen: {gates}.",
    )
    say(says, spoken, file=plan.name, steps=len(checked.steps), gates=len(checked.gates))
    for gate in default_gates(checked):
        said = Text("  by the default policy also: {says}", "  nach der Standardrichtlinie auch: {says}")
        say(said, spoken, says=gate.says)
    warn(checked, spoken)
