"""Errors about merging categories of tables."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class GroupsUnfit(InputWrong):
    code = "table.groups-unfit"
    says = Text(
        "Dimension {dimension!r}: categories cannot be merged as asked, {why}: {codes}.",
        "Dimension {dimension!r}: Kategorien lassen sich so nicht zusammenfassen, {why}: {codes}.",
    )
    fix = Text(
        "Give groups as code: new code, with codes of the dimension.",
        "Geben Sie groups als Code: neuer Code an, mit Codes der Dimension.",
    )


class NotMergeable(InputWrong):
    code = "table.not-mergeable"
    says = Text(
        "The table {name!r} does not list all contributors or owners of the cells to be merged: for {count} new cells it is not "
        "known who contributes to several parts, for the first of them to {cell}.",
        "Die Tabelle {name!r} nennt nicht alle Beitragenden oder Eigentümer der Zellen, die zusammengefasst werden sollen: Bei "
        "{count} neuen Zellen ist unbekannt, wer zu mehreren Teilen beiträgt, bei der ersten zu {cell}.",
    )
    fix = Text(
        "Recode the column in the data (microdata.generalise) and build the table from it, or build it with a larger number for largest.",
        "Fassen Sie die Spalte in den Daten zusammen (microdata.generalise) und bilden Sie die Tabelle daraus, oder bilden Sie sie mit "
        "einer größeren Zahl für largest.",
    )


class MergedMarks(InputWrong):
    code = "table.merged-marks"
    says = Text(
        "{count} cells of the table {name!r} that are marked (keep, suppress, published) would vanish or change their codes, the "
        "first is {cell}.",
        "{count} gekennzeichnete Zellen der Tabelle {name!r} (offen halten, sperren, veröffentlicht) gingen verloren oder bekämen "
        "andere Codes, die erste ist {cell}.",
    )
    fix = Text(
        "Leave their categories alone, or take the marks away.",
        "Lassen Sie ihre Kategorien, wie sie sind, oder nehmen Sie die Kennzeichen weg.",
    )


class RulesMissing(InputWrong):
    code = "table.rules-missing"
    says = Text(
        "{who} makes new cells, and they must be judged by the rules that marked cells of the table {name!r}.",
        "{who} bildet neue Zellen, und über sie müssen die Regeln urteilen, die Zellen der Tabelle {name!r} markiert haben.",
    )
    fix = Text("Name the rules of the table under rules.", "Nennen Sie die Regeln der Tabelle unter rules.")
