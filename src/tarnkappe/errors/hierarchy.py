"""Errors about hierarchies (code lists) and classes of numbers."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
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
        "Die Spalte {name!r} hat {count} Codes, die ihre Hierarchie nicht kennt "
        "(zuerst in Datensatz {first}).",
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
        "Verwenden Sie eine .hrc-Datei von τ-ARGUS, eine Hierarchie-CSV von ARX oder eine CSV mit den "
        "Spalten code, parent, label.",
    )


class HierarchyKind(InputWrong):
    code = "hierarchy.kind"
    says = Text(
        "A hierarchy by {how} does not fit column {name!r}, which holds {found}.",
        "Eine Hierarchie nach {how} passt nicht zur Spalte {name!r}, die {found} enthält.",
    )
    fix = Text(
        "Use digits for codes, bands and cuts for numbers, dates for dates; numbers that are codes need the "
        "type category under data: types, and their leading zeros.",
        "Nehmen Sie digits für Codes, bands und cuts für Zahlen, dates für Datumsangaben; Zahlen, die Codes "
        "sind, brauchen den Typ category unter data: types und ihre führenden Nullen.",
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


class HierarchyParent(InputWrong):
    code = "hierarchy.parent-unknown"
    says = Text(
        "The hierarchy {name!r} names {count} parents that are no codes of it: {codes}.",
        "Die Hierarchie {name!r} nennt {count} Obercodes, die sie nicht enthält: {codes}.",
    )
    fix = Text(
        "Give every parent a line of its own; the total has no parent.",
        "Geben Sie jedem Obercode eine eigene Zeile; die Summe hat keinen Obercode.",
    )


class HierarchyUnknown(InputWrong):
    code = "hierarchy.unknown-code"
    says = Text(
        "The hierarchy {name!r} does not know the code that was asked for.",
        "Die Hierarchie {name!r} kennt den erfragten Code nicht.",
    )
    fix = Text("Codes are compared letter by letter.", "Codes werden Zeichen für Zeichen verglichen.")


class HierarchyLevelNames(InputWrong):
    code = "hierarchy.level-names"
    says = Text(
        "The hierarchy {name!r} has {levels} levels below the total, {given} are named.",
        "Die Hierarchie {name!r} hat {levels} Ebenen unter der Summe, benannt sind {given}.",
    )
    fix = Text(
        "Name the levels below the total, coarse to fine, each name once.",
        "Benennen Sie die Ebenen unter der Summe, von grob nach fein, jeden Namen nur einmal.",
    )


class HierarchyTree(InputWrong):
    code = "hierarchy.tree"
    says = Text(
        "The tree of the hierarchy {name!r} holds {found!r} under {place}, where a code is expected.",
        "Der Baum der Hierarchie {name!r} enthält unter {place} {found!r}, wo ein Code erwartet wird.",
    )
    fix = Text(
        "Write codes as text or whole numbers; put codes such as 'no', '01' and '1.10' in quotes.",
        "Schreiben Sie Codes als Text oder ganze Zahl; setzen Sie Codes wie 'no', '01' und '1.10' in "
        "Anführungszeichen.",
    )


class HierarchyNotWritable(InputWrong):
    code = "hierarchy.not-writable"
    says = Text(
        "The hierarchy {name!r} cannot be written as {format}: {why}",
        "Die Hierarchie {name!r} lässt sich nicht als {format} schreiben: {why}",
    )
    fix = Text(
        "Write it as an ARX hierarchy CSV, which holds every hierarchy.",
        "Schreiben Sie sie als Hierarchie-CSV von ARX, die jede Hierarchie aufnimmt.",
    )


class ClassesTooNarrow(InputWrong):
    code = "classes.too-narrow"
    says = Text(
        "Column {name!r} has {count} values so large that classes of this width cannot be told apart "
        "(first in record {first}).",
        "Die Spalte {name!r} hat {count} Werte, die so groß sind, dass Klassen dieser Breite nicht zu "
        "unterscheiden sind (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Take wider classes, or top and bottom code the column before.",
        "Nehmen Sie breitere Klassen oder schneiden Sie die Spalte vorher oben und unten ab.",
    )


class ClassOpen(InputWrong):
    code = "classes.open"
    says = Text(
        "Column {name!r} has {count} values below the first or above the last cut point; such a class has no "
        "midpoint.",
        "Die Spalte {name!r} hat {count} Werte unter der ersten oder über der letzten Grenze; eine solche "
        "Klasse hat keine Mitte.",
    )
    fix = Text(
        "Add cut points at both ends, top and bottom code first, or show the class or its mean.",
        "Ergänzen Sie Grenzen an beiden Enden, schneiden Sie vorher ab oder zeigen Sie die Klasse oder ihren "
        "Mittelwert.",
    )


class ClassesNone(InputWrong):
    code = "classes.none"
    says = Text(
        "Column {name!r} has too few different values or contributors for two classes.",
        "Die Spalte {name!r} hat zu wenige verschiedene Werte oder Beitragende für zwei Klassen.",
    )
    fix = Text(
        "Give a width or cut points, ask for fewer contributors in a class, or take larger strata under within. Records of one owner are one contributor.",
        "Geben Sie eine Breite oder Grenzen an, verlangen Sie weniger Beitragende je Klasse, oder nehmen Sie größere Schichten unter within. "
        "Datensätze eines Eigentümers sind ein Beitragender.",
    )


class ClassTooSmall(Refused):
    code = "classes.too-small"
    says = Text(
        "Column {name!r}: {count} classes hold fewer than {needed} contributors; their {what} would tell values.",
        "Spalte {name!r}: {count} Klassen enthalten weniger als {needed} Beitragende; ihre {what} würden "
        "Werte verraten.",
    )
    fix = Text(
        "Take fewer or wider classes, let at_least merge neighbours, or take larger strata under within. Records of one owner are one contributor.",
        "Nehmen Sie weniger oder breitere Klassen, lassen Sie at_least Nachbarn vereinigen, oder nehmen Sie größere Schichten unter "
        "within. Datensätze eines Eigentümers sind ein Beitragender.",
    )


class LevelColumnsWrong(InputWrong):
    code = "hierarchy.level-columns"
    says = Text(
        "Row {row} has no place in the dimension {name!r}: in the columns {columns}, finest first, a code is empty or stands below a "
        "total ({zero}).",
        "Zeile {row} hat keinen Platz in der Dimension {name!r}: In den Spalten {columns}, die feinste zuerst, ist ein Code leer oder "
        "steht unter einer Summe ({zero}).",
    )
    fix = Text(
        "Give every level a code, and {zero} from the level on over which the row adds up; name the finest column first.",
        "Geben Sie jeder Ebene einen Code, und {zero} ab der Ebene, über die die Zeile summiert; nennen Sie die feinste Spalte zuerst.",
    )


class LevelColumnsElsewhere(InputWrong):
    code = "hierarchy.level-columns-elsewhere"
    says = Text(
        "The dimension {name!r} is made of a column per level, which only tables read from files of cells know.",
        "Die Dimension {name!r} besteht aus einer Spalte je Ebene; das kennen nur Tabellen aus Zelldateien.",
    )
    fix = Text(
        "Describe the hierarchy in another way: file, tree or digits.",
        "Beschreiben Sie die Hierarchie anders: file, tree oder digits.",
    )
