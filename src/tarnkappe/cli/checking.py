"""check. It stands alone, so that it does not wait for what only a run needs."""

from __future__ import annotations

from pathlib import Path

from tarnkappe.cli.screen import language, say
from tarnkappe.language import Text
from tarnkappe.plan.check import check_file


def check(plan: Path, lang: str | None) -> None:
    """Say that a plan is sound, or raise with all its problems."""
    checked = check_file(plan)
    says = Text(
        "{file}: no problems. Steps: {steps}, gates: {gates}.",
        "{file}: keine Fehler. Schritte: {steps}, Bedingungen: {gates}.",
    )
    say(says, language(lang), file=plan.name, steps=len(checked.steps), gates=len(checked.gates))
