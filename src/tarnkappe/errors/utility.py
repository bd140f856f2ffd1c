"""Errors of utility measures: what they need to know of the data."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class PeriodNeeded(InputWrong):
    code = "utility.period-needed"
    says = Text(
        "{who} follows units over time, but no column tells the period.",
        "{who} verfolgt Einheiten über die Zeit, aber keine Spalte nennt die Periode.",
    )
    fix = Text(
        "Name the column under period, or give one the role 'period'.",
        "Nennen Sie die Spalte unter period, oder geben Sie einer die Rolle 'period'.",
    )


class GroupsNeeded(InputWrong):
    code = "utility.groups-needed"
    says = Text("{who} was told no groups to look at.", "{who} kennt keine Gruppen, die zu betrachten wären.")
    fix = Text(
        "Name columns under within or fifths, or give columns the role 'key'.",
        "Nennen Sie Spalten unter within oder fifths, oder geben Sie Spalten die Rolle 'key'.",
    )
