"""Errors about the question whether a table must be protected."""

from __future__ import annotations

from tarnkappe.errors import Refused
from tarnkappe.language import Text


class NotJudged(Refused):
    code = "need.not-judged"
    says = Text(
        "It cannot be judged whether these tables may be published: {tables}.",
        "Ob diese Tabellen veröffentlicht werden dürfen, ist nicht zu beurteilen: {tables}.",
    )
    fix = Text(
        "Name what is missing and ask again, or protect the tables with rules of your own.",
        "Nennen Sie, was fehlt, und fragen Sie noch einmal, oder schützen Sie die Tabellen nach eigenen Regeln.",
    )
