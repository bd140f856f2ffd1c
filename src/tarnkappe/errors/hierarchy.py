"""Errors about hierarchies (code lists)."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class HierarchyCycle(InputWrong):
    code = "hierarchy.cycle"
    says = Text(
        "The hierarchy {name!r} has a cycle through the codes {codes}.",
        "Die Hierarchie {name!r} hat einen Kreis über die Codes {codes}.",
    )
    fix = Text("Give every code one parent above it.", "Jeder Code braucht genau einen Obercode über sich.")


class HierarchyRoots(InputWrong):
    code = "hierarchy.roots"
    says = Text(
        "The hierarchy {name!r} has {count} codes without a parent: {codes}.",
        "Die Hierarchie {name!r} hat {count} Codes ohne Obercode: {codes}.",
    )
    fix = Text("Exactly one code, the total, is the root.", "Genau ein Code, die Summe, ist die Wurzel.")


class HierarchyTwice(InputWrong):
    code = "hierarchy.duplicate-code"
    says = Text(
        "The hierarchy {name!r} places codes more than once: {codes}.",
        "Die Hierarchie {name!r} ordnet Codes mehrfach ein: {codes}.",
    )
    fix = Text("Place every code once.", "Ordnen Sie jeden Code nur einmal ein.")


class HierarchyUncovered(InputWrong):
    code = "hierarchy.code-missing"
    says = Text(
        "Column {name!r} has {count} codes that its hierarchy does not know (first in record {first}).",
        "Die Spalte {name!r} hat {count} Codes, die ihre Hierarchie nicht kennt (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Add the codes to the hierarchy, or correct them in the data; codes are compared letter by letter.",
        "Ergänzen Sie die Codes in der Hierarchie oder berichtigen Sie sie in den Daten; verglichen wird "
        "Zeichen für Zeichen.",
    )


class HierarchyLevel(InputWrong):
    code = "hierarchy.level"
    says = Text(
        "Column {name!r} has no level {level!r}; its levels are {levels}.",
        "Die Spalte {name!r} hat keine Ebene {level!r}; ihre Ebenen sind {levels}.",
    )
    fix = Text("Level 0 is the total; larger is finer.", "Ebene 0 ist die Summe; größer ist feiner.")


class HierarchyFiner(InputWrong):
    code = "hierarchy.finer"
    says = Text(
        "Column {name!r} is already coarser than level {level!r}.",
        "Die Spalte {name!r} ist schon gröber als Ebene {level!r}.",
    )
    fix = Text("A generalisation cannot be undone.", "Eine Vergröberung lässt sich nicht rückgängig machen.")


class HierarchyNone(InputWrong):
    code = "hierarchy.none"
    says = Text("Column {name!r} has no hierarchy.", "Die Spalte {name!r} hat keine Hierarchie.")
    fix = Text(
        "Describe one under data: hierarchies, for example {{digits: [1, 2]}} or {{bands: 5}}.",
        "Beschreiben Sie eine unter data: hierarchies, etwa {{digits: [1, 2]}} oder {{bands: 5}}.",
    )


class HierarchyFile(InputWrong):
    code = "hierarchy.file"
    says = Text(
        "The hierarchy file {file!r} cannot be used, line {line}: {why}",
        "Die Hierarchiedatei {file!r} ist nicht brauchbar, Zeile {line}: {why}",
    )
    fix = Text(
        "Use a τ-ARGUS .hrc file, an ARX hierarchy CSV or a CSV with the columns code, parent, label.",
        "Verwenden Sie eine .hrc-Datei von τ-ARGUS, eine Hierarchie-CSV von ARX oder eine CSV mit den Spalten "
        "code, parent, label.",
    )


class HierarchyKind(InputWrong):
    code = "hierarchy.kind"
    says = Text(
        "A hierarchy by {how} does not fit column {name!r}, which holds {found}.",
        "Eine Hierarchie nach {how} passt nicht zur Spalte {name!r}, die {found} enthält.",
    )
    fix = Text(
        "Use digits for codes, bands and cuts for numbers, dates for dates.",
        "Nehmen Sie digits für Codes, bands und cuts für Zahlen, dates für Datumsangaben.",
    )


class HierarchyNotNested(InputWrong):
    code = "hierarchy.not-nested"
    says = Text(
        "The levels of the hierarchy {name!r} are not nested: {why}",
        "Die Ebenen der Hierarchie {name!r} sind nicht verschachtelt: {why}",
    )
    fix = Text(
        "Every class of a level must lie inside one class of the level above.",
        "Jede Klasse einer Ebene muss in einer Klasse der Ebene darüber liegen.",
    )
