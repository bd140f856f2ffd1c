"""Errors about the files of τ-ARGUS and about converting tables."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class ArgusWrong(InputWrong):
    code = "argus.wrong"
    says = Text(
        "{file!r} cannot be used as a file of τ-ARGUS: line {line}: {why}.",
        "{file!r} ist als Datei von τ-ARGUS nicht verwendbar: Zeile {line}: {why}.",
    )
    fix = Text(
        "Correct the line; the formats are those of chapter 5 of the manual of τ-ARGUS.",
        "Berichtigen Sie die Zeile; die Formate stehen im 5. Kapitel des Handbuchs von τ-ARGUS.",
    )


class MetadataMissing(InputWrong):
    code = "argus.metadata-missing"
    says = Text(
        "{file!r} needs a file that describes its columns, and there is no {wanted!r}.",
        "{file!r} braucht eine Datei, die ihre Spalten beschreibt, und {wanted!r} gibt es nicht.",
    )
    fix = Text(
        "Put the .rda file beside it, with the same name, or name it with --meta.",
        "Legen Sie die .rda-Datei mit gleichem Namen daneben oder nennen Sie sie mit --meta.",
    )


class MetadataMisfit(InputWrong):
    code = "argus.metadata-misfit"
    says = Text(
        "The metadata {file!r} do not describe a table: {why}.",
        "Die Metadaten {file!r} beschreiben keine Tabelle: {why}.",
    )
    fix = Text(
        "A table has dimensions (<RECODEABLE>) and one value (<NUMERIC>) or count (<FREQUENCY>).",
        "Eine Tabelle hat Dimensionen (<RECODEABLE>) und einen Wert (<NUMERIC>) oder eine Anzahl (<FREQUENCY>).",
    )


class StatusUnknown(InputWrong):
    code = "table.status-unknown"
    says = Text(
        "The table {name!r} has {count} cells with a status that is not known (first in row {first}).",
        "Die Tabelle {name!r} hat {count} Zellen mit einem unbekannten Status (zuerst in Zeile {first}).",
    )
    fix = Text(
        "Known are open, primary, secondary, published, suppressed and the letters of τ-ARGUS: s, u, m, p, z.",
        "Bekannt sind open, primary, secondary, published, suppressed und die Buchstaben von τ-ARGUS: s, u, m, p, z.",
    )


class ProtectionNegative(InputWrong):
    code = "table.protection-negative"
    says = Text(
        "{count} cells of the table {name!r} have a required protection or a cost that is negative or no number: {cells}.",
        "Bei {count} Zellen der Tabelle {name!r} ist der verlangte Schutz oder sind die Kosten negativ oder keine Zahl: {cells}.",
    )
    fix = Text(
        "Required protections and costs are 0 or more.", "Verlangter Schutz und Kosten sind 0 oder größer."
    )


class CellsUnnamed(InputWrong):
    code = "table.cells-unnamed"
    says = Text(
        "{file!r} numbers its {cells} cells and the hierarchies make up {expected}: no code can be told from a number.",
        "{file!r} zählt {cells} Zellen, die Hierarchien ergeben {expected}: Aus den Nummern folgen keine Codes.",
    )
    fix = Text(
        "Give the hierarchies from which the file was made, in their order; or convert without --by, then cells keep their numbers.",
        "Geben Sie die Hierarchien an, aus denen die Datei entstand, in ihrer Reihenfolge; ohne --by behalten die Zellen ihre Nummern.",
    )


class NoTables(InputWrong):
    code = "plan.no-tables"
    says = Text("The plan {file!r} has no tables.", "Der Plan {file!r} hat keine Tabellen.")
    fix = Text(
        "Give a plan with tables, or a file of cells with --by.",
        "Geben Sie einen Plan mit Tabellen an oder eine Datei von Zellen mit --by.",
    )


class StatusMissing(InputWrong):
    code = "table.status-missing"
    says = Text(
        "The file {file!r} of the last period does not say which cells were hidden: it has no column 'status'.",
        "Die Datei {file!r} des letzten Zeitraums sagt nicht, welche Zellen verborgen waren: Sie hat keine Spalte 'status'.",
    )
    fix = Text(
        "Name the folder of its release, tables/NAME.csv in it, or a .hst file.",
        "Nennen Sie den Ordner ihrer Freigabe, tables/NAME.csv darin oder eine .hst-Datei.",
    )
