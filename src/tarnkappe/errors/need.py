"""Errors about the question whether a table must be protected."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
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


class CriterionUnknown(InputWrong):
    code = "need.criterion-unknown"
    says = Text(
        "{name!r} is no criterion by which methods are rated. Known: {known}.",
        "{name!r} ist kein Merkmal, nach dem Verfahren bewertet werden. Bekannt: {known}.",
    )
    fix = Text("{hint}", "{hint}")
