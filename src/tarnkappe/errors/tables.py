"""Errors about tables."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class NotAdditive(InputWrong):
    code = "table.not-additive"
    says = Text(
        "The table {name!r} does not add up at: {sums}.", "Die Tabelle {name!r} geht nicht auf bei: {sums}."
    )
    fix = Text(
        "Correct the cells, give all parts of each sum, or state a tolerance if the table was rounded.",
        "Berichtigen Sie die Zellen, geben Sie alle Teile jeder Summe an oder nennen Sie bei gerundeten Tabellen eine Toleranz.",
    )


class CellTwice(InputWrong):
    code = "table.cell-twice"
    says = Text(
        "The table {name!r} has {count} cells twice, the first is {cell}.",
        "Die Tabelle {name!r} hat {count} Zellen doppelt, die erste ist {cell}.",
    )
    fix = Text("Give every cell once.", "Geben Sie jede Zelle einmal an.")


class ValueMissing(InputWrong):
    code = "table.value-missing"
    says = Text(
        "The table {name!r} has {count} cells without a value, the first is {cell}.",
        "Die Tabelle {name!r} hat {count} Zellen ohne Wert, die erste ist {cell}.",
    )
    fix = Text("Give a number for every cell.", "Geben Sie für jede Zelle eine Zahl an.")


class CountNegative(InputWrong):
    code = "table.count-negative"
    says = Text(
        "The table {name!r} has a negative count at {cell}.",
        "Die Tabelle {name!r} hat bei {cell} eine negative Anzahl.",
    )
    fix = Text("Counts are 0 or more.", "Anzahlen sind 0 oder größer.")


class MoreThanCounted(InputWrong):
    code = "table.more-than-counted"
    says = Text(
        "{count} cells of the table {name!r} have more largest contributions than contributors, the first is {cell}.",
        "{count} Zellen der Tabelle {name!r} haben mehr größte Beiträge als Beitragende, die erste ist {cell}.",
    )
    fix = Text(
        "Check the columns of counts and of contributions.",
        "Prüfen Sie die Spalten der Anzahlen und der Beiträge.",
    )


class NobodyCounted(InputWrong):
    code = "table.nobody-counted"
    says = Text(
        "{count} cells of the table {name!r} have a value and no contributor, the first is {cell}.",
        "{count} Zellen der Tabelle {name!r} haben einen Wert und keinen Beitragenden, die erste ist {cell}.",
    )
    fix = Text(
        "Check the column of counts: a rule would take these cells for empty ones.",
        "Prüfen Sie die Spalte der Anzahlen: Eine Regel hielte diese Zellen für leer.",
    )


class TableTooWide(InputWrong):
    code = "table.too-wide"
    says = Text(
        "The dimensions of the table {name!r} have too many codes together.",
        "Die Dimensionen der Tabelle {name!r} haben zusammen zu viele Codes.",
    )
    fix = Text("Use fewer dimensions or coarser ones.", "Nehmen Sie weniger oder gröbere Dimensionen.")


class NoDimension(InputWrong):
    code = "table.no-dimension"
    says = Text("A table needs at least one dimension.", "Eine Tabelle braucht mindestens eine Dimension.")
    fix = Text("Name columns under by.", "Nennen Sie Spalten unter by.")


class InnerCode(InputWrong):
    code = "table.inner-code"
    says = Text(
        "Column {name!r}: {count} records have a code that is a sum of others in its hierarchy (first in record {first}).",
        "Spalte {name!r}: {count} Datensätze haben einen Code, der in der Hierarchie Summe anderer ist (zuerst in Datensatz {first}).",
    )
    fix = Text(
        "Give these records a code of the lowest level, or add one for what is not divided further.",
        "Geben Sie diesen Datensätzen einen Code der untersten Ebene oder ergänzen Sie einen für nicht weiter Gegliedertes.",
    )


class CodeUnknown(InputWrong):
    code = "table.code-unknown"
    says = Text(
        "Dimension {name!r}: {count} cells have a code that its hierarchy does not know (first in row {first}).",
        "Dimension {name!r}: {count} Zellen haben einen Code, den ihre Hierarchie nicht kennt (zuerst in Zeile {first}).",
    )
    fix = Text(
        "Add the code to the hierarchy, or name the code of the total with total:.",
        "Ergänzen Sie den Code in der Hierarchie oder nennen Sie den Code der Summe mit total:.",
    )


class DimensionTwice(InputWrong):
    code = "table.dimension-twice"
    says = Text("The column {name!r} is named twice under by.", "Die Spalte {name!r} steht zweimal unter by.")
    fix = Text("Name every dimension once.", "Nennen Sie jede Dimension einmal.")


class NothingToAdd(InputWrong):
    code = "table.nothing-to-add"
    says = Text(
        "No record has anything to add to the table {name!r}: all values are missing or suppressed, or all weights are 0.",
        "Kein Datensatz trägt zur Tabelle {name!r} bei: Alle Werte fehlen oder sind gesperrt, oder alle Gewichte sind 0.",
    )
    fix = Text(
        "Check the column under value and the weights.", "Prüfen Sie die Spalte unter value und die Gewichte."
    )


class TooLarge(InputWrong):
    code = "table.too-large"
    says = Text(
        "The sums of the table {name!r} are too large to compute with.",
        "Die Summen der Tabelle {name!r} sind zu groß, um damit zu rechnen.",
    )
    fix = Text(
        "Use a larger unit, for example thousands.", "Nehmen Sie eine größere Einheit, zum Beispiel Tausend."
    )


class WeightMissing(InputWrong):
    code = "table.weight-missing"
    says = Text(
        "{count} records have no weight in the column {name!r} (first in record {first}).",
        "{count} Datensätze haben kein Gewicht in der Spalte {name!r} (zuerst in Datensatz {first}).",
    )
    fix = Text("Give every record its weight.", "Geben Sie jedem Datensatz sein Gewicht.")


class WeightNegative(InputWrong):
    code = "table.weight-negative"
    says = Text(
        "{count} records have a negative weight in the column {name!r} (first in record {first}).",
        "{count} Datensätze haben ein negatives Gewicht in der Spalte {name!r} (zuerst in Datensatz {first}).",
    )
    fix = Text("Weights are 0 or more.", "Gewichte sind 0 oder größer.")


class ContributionsMissing(InputWrong):
    code = "table.contributions-missing"
    says = Text(
        "{rule} looks at the contributions to every cell, and the table {name!r} comes without them.",
        "{rule} betrachtet die Beiträge zu jeder Zelle, und die Tabelle {name!r} kommt ohne sie.",
    )
    fix = Text(
        "Give the cell file columns for the number of contributors (count) and for the {needed} largest contributions "
        "(largest), or build the table from the records.",
        "Geben Sie in der Zelldatei Spalten für die Zahl der Beitragenden (count) und für die {needed} größten Beiträge "
        "(largest) an, oder bilden Sie die Tabelle aus den Datensätzen.",
    )


class CountsMissing(InputWrong):
    code = "table.counts-missing"
    says = Text(
        "{rule} needs the number of contributors to every cell, and the table {name!r} comes without it.",
        "{rule} braucht die Zahl der Beitragenden zu jeder Zelle, und die Tabelle {name!r} kommt ohne sie.",
    )
    fix = Text(
        "Give the cell file a column for the number of contributors (count), or build the table from the records.",
        "Geben Sie in der Zelldatei eine Spalte für die Zahl der Beitragenden (count) an, oder bilden Sie die Tabelle aus den "
        "Datensätzen.",
    )


class ContributionsFew(InputWrong):
    code = "table.contributions-few"
    says = Text(
        "{rule} needs the {needed} largest contributions to every cell, and the table {name!r} has {kept} of them.",
        "{rule} braucht die {needed} größten Beiträge zu jeder Zelle, und die Tabelle {name!r} hat davon {kept}.",
    )
    fix = Text(
        "Give more columns under largest in the cell file, or a larger number for largest when the table is built.",
        "Geben Sie unter largest mehr Spalten der Zelldatei an oder beim Bilden der Tabelle eine größere Zahl für largest.",
    )


class NotCounts(InputWrong):
    code = "table.not-counts"
    says = Text(
        "{rule} is for tables that count units; the table {name!r} has sums of values.",
        "{rule} ist für Tabellen, die Einheiten zählen; die Tabelle {name!r} enthält Wertsummen.",
    )
    fix = Text(
        "Use a rule for values, for example rule.p-percent, or count units (without value and weights).",
        "Nehmen Sie eine Regel für Werte, zum Beispiel rule.p-percent, oder zählen Sie Einheiten (ohne value und Gewichte).",
    )


class NotWhole(InputWrong):
    code = "table.not-whole"
    says = Text(
        "{who} works on whole numbers from 0 upward; {count} cells of the table {name!r} are none, the first is {cell}.",
        "{who} arbeitet mit ganzen Zahlen ab 0; {count} Zellen der Tabelle {name!r} sind keine, die erste ist {cell}.",
    )
    fix = Text("Use it on a table of counts.", "Verwenden Sie es für eine Tabelle mit Anzahlen.")


class AlreadyProtected(InputWrong):
    code = "table.already-protected"
    says = Text(
        "{who} starts from a table without protection; {count} cells of {name!r} are already suppressed, rounded or changed.",
        "{who} geht von einer ungeschützten Tabelle aus; {count} Zellen von {name!r} sind schon gesperrt, gerundet oder verändert.",
    )
    fix = Text("Use one method for each table.", "Verwenden Sie für jede Tabelle ein Verfahren.")


class CostsMissing(InputWrong):
    code = "table.costs-missing"
    says = Text(
        "{who} is to choose cells by priority, and the table {name!r} has no costs.",
        "{who} soll Zellen nach Vorrang wählen, und die Tabelle {name!r} hat keine Kosten.",
    )
    fix = Text(
        "Give every cell its cost: the cheapest are masked first. Or choose otherwise with pick.",
        "Geben Sie jeder Zelle ihre Kosten: die billigsten werden zuerst maskiert. Oder wählen Sie mit pick anders.",
    )


class SumsCross(InputWrong):
    code = "table.sums-cross"
    says = Text(
        "{who} in mode compat follows one hierarchy; in the table {name!r} sums run along {count} dimensions.",
        "{who} folgt in der Betriebsart compat einer Hierarchie; in der Tabelle {name!r} laufen Summen entlang {count} Dimensionen.",
    )
    fix = Text("Use the mode safe.", "Verwenden Sie die Betriebsart safe.")


class DimensionUnknown(InputWrong):
    code = "table.dimension-unknown"
    says = Text(
        "The table {name!r} has no dimension {dimension!r}.",
        "Die Tabelle {name!r} hat keine Dimension {dimension!r}.",
    )
    fix = Text("{hint}", "{hint}")


class NotYesNo(InputWrong):
    code = "table.not-yes-no"
    says = Text(
        "The dimension {dimension!r} does not have the codes {yes!r} side by side below its total.",
        "Die Dimension {dimension!r} hat die Codes {yes!r} nicht nebeneinander unter ihrer Summe.",
    )
    fix = Text(
        "Name codes of the dimension, each once, none of them the total or below another.",
        "Nennen Sie Codes der Dimension, jeden einmal, keinen davon als Summe oder unter einem anderen.",
    )


class NotFlat(InputWrong):
    code = "table.not-flat"
    says = Text(
        "Classes are merged along a dimension without levels; {dimension!r} has {levels} below its total.",
        "Klassen werden entlang einer Dimension ohne Ebenen zusammengefasst; {dimension!r} hat {levels} unter der Summe.",
    )
    fix = Text(
        "Give the classes in their order right below the total.",
        "Geben Sie die Klassen in ihrer Ordnung direkt unter der Summe an.",
    )


class LimitsMisfit(InputWrong):
    code = "table.limits-misfit"
    says = Text(
        "The dimension {dimension!r} has {classes} classes and {limits} lower limits are given.",
        "Die Dimension {dimension!r} hat {classes} Klassen, angegeben sind {limits} untere Grenzen.",
    )
    fix = Text(
        "Give the lower limit of every class, in order.",
        "Geben Sie die untere Grenze jeder Klasse an, der Reihe nach.",
    )


class ClassesUnordered(InputWrong):
    code = "table.classes-unordered"
    says = Text(
        "The classes of the dimension {dimension!r} do not stand in the order of their limits.",
        "Die Klassen der Dimension {dimension!r} stehen nicht in der Reihenfolge ihrer Grenzen.",
    )
    fix = Text(
        "List them from the lowest to the highest: hierarchies: {{{dimension}: {{order: […]}}}}, or sort the file of cells.",
        "Zählen Sie sie von der untersten bis zur obersten auf: hierarchies: {{{dimension}: {{order: […]}}}}, oder sortieren Sie die "
        "Datei der Zellen.",
    )


class NeedWrong(InputWrong):
    code = "need.wrong"
    says = Text(
        "The decision rules {file!r} cannot be used: {problems}",
        "Die Entscheidungsregeln {file!r} sind nicht verwendbar: {problems}",
    )
    fix = Text(
        "Compare with the rules that come with Tarnkappe (plan/need.yaml).",
        "Vergleichen Sie mit den mitgelieferten Regeln (plan/need.yaml).",
    )


class MarksContradict(InputWrong):
    code = "table.marks-contradict"
    says = Text(
        "{count} cells of the table {name!r} need protection and must stay open at the same time: {cells}.",
        "{count} Zellen der Tabelle {name!r} brauchen Schutz und müssen zugleich offen bleiben: {cells}.",
    )
    fix = Text(
        "Take back the mark of these cells, or the rule.",
        "Nehmen Sie die Kennzeichnung dieser Zellen zurück oder die Regel.",
    )


class CountWrong(InputWrong):
    code = "table.count-wrong"
    says = Text(
        "Column {name!r}: {count} cells have no whole number of contributors (first in row {first}).",
        "Spalte {name!r}: {count} Zellen haben keine ganze Zahl von Beitragenden (zuerst in Zeile {first}).",
    )
    fix = Text(
        "Give every cell its number of contributors, 0 where there is none.",
        "Geben Sie zu jeder Zelle die Zahl der Beitragenden an, 0, wo es keine gibt.",
    )


class LargestMissing(InputWrong):
    code = "table.largest-missing"
    says = Text(
        "{count} cells of the table {name!r} lack a largest contribution although they have enough contributors (first in row "
        "{first}).",
        "Bei {count} Zellen der Tabelle {name!r} fehlt ein größter Beitrag, obwohl sie genug Beitragende haben (zuerst in Zeile "
        "{first}).",
    )
    fix = Text(
        "Give the largest contributions of every cell; a rule would judge wrongly without them.",
        "Geben Sie die größten Beiträge jeder Zelle an; ohne sie würde eine Regel falsch urteilen.",
    )


class ContributionsExceed(InputWrong):
    code = "table.contributions-exceed"
    says = Text(
        "{count} cells of the table {name!r} have largest contributions that are negative or add up to more than the cell (first "
        "in row {first}).",
        "Bei {count} Zellen der Tabelle {name!r} sind größte Beiträge negativ oder ergeben mehr als die Zelle (zuerst in Zeile "
        "{first}).",
    )
    fix = Text(
        "Check the columns under largest. Where contributions can be negative, name the column with the sum of their sizes "
        "without sign under size.",
        "Prüfen Sie die Spalten unter largest. Können Beiträge negativ sein, nennen Sie unter size die Spalte mit der Summe ihrer "
        "Beträge.",
    )


class ContributorsMisfit(InputWrong):
    code = "table.contributors-misfit"
    says = Text(
        "The table {name!r} names {largest} columns of largest contributions and {who} columns of contributors.",
        "Die Tabelle {name!r} nennt {largest} Spalten größter Beiträge und {who} Spalten von Beitragenden.",
    )
    fix = Text(
        "Name one column of contributors for each column of contributions, and the column of their number.",
        "Nennen Sie zu jeder Spalte von Beiträgen eine Spalte der Beitragenden, und die Spalte ihrer Anzahl.",
    )


class TotalMissing(InputWrong):
    code = "table.total-missing"
    says = Text(
        "Dimension {name!r}: no cell has the code {total!r} of the total.",
        "Dimension {name!r}: keine Zelle hat den Code {total!r} der Summe.",
    )
    fix = Text(
        "Name the code of the total: hierarchies: {{{name}: {{total: …}}}}, or add the sums to the file.",
        "Nennen Sie den Code der Summe: hierarchies: {{{name}: {{total: …}}}}, oder ergänzen Sie die Summen in der Datei.",
    )


class Contradiction(InputWrong):
    code = "table.contradiction"
    says = Text(
        "The published cells of the table {name!r} contradict each other: whatever the suppressed cells hold, these sums do not "
        "come out: {sums}.",
        "Die veröffentlichten Zellen der Tabelle {name!r} widersprechen sich: was immer in den gesperrten steht, diese Summen gehen "
        "nicht auf: {sums}.",
    )
    fix = Text(
        "Check the cells and the hierarchies; state a tolerance if the table was rounded, and say so if cells can be negative.",
        "Prüfen Sie Zellen und Hierarchien; nennen Sie bei gerundeten Tabellen eine Toleranz, und sagen Sie es, wenn Zellen negativ "
        "sein können.",
    )


class NotExact(InputWrong):
    code = "table.not-exact"
    says = Text(
        "{count} cells of the table {name!r} are rounded or perturbed: its sums prove nothing.",
        "{count} Zellen der Tabelle {name!r} sind gerundet oder überlagert: ihre Summen beweisen nichts.",
    )
    fix = Text(
        "This audit is for tables with suppressed cells or ranges.",
        "Diese Prüfung gilt für Tabellen mit gesperrten Zellen oder Bereichen.",
    )


class JjWrong(InputWrong):
    code = "table.jj"
    says = Text(
        "{file!r} is not a JJ file: line {line}: {why}.", "{file!r} ist keine JJ-Datei: Zeile {line}: {why}."
    )
    fix = Text(
        "A JJ file has: 0; the number of cells; per cell: index value weight status lower upper lpl upl spl; the number of "
        "relations; per relation: rhs n : cell (coefficient) …",
        "Eine JJ-Datei hat: 0; die Zahl der Zellen; je Zelle: Index Wert Gewicht Status untere obere lpl upl spl; die Zahl der "
        "Beziehungen; je Beziehung: rechte Seite n : Zelle (Koeffizient) …",
    )


class MarkUnknown(InputWrong):
    code = "table.mark-unknown"
    says = Text(
        "The marks of the table {name!r} have {count} words that are no mark (first in row {first}).",
        "Die Kennzeichen der Tabelle {name!r} enthalten {count} Wörter, die keines sind (zuerst in Zeile {first}).",
    )
    fix = Text(
        "Marks are keep, suppress, published, zero and safe; leave it empty where only bounds or costs are given.",
        "Kennzeichen sind keep, suppress, published, zero und safe; lassen Sie es leer, wo nur Grenzen oder Kosten stehen.",
    )


class MarkedCellsMissing(InputWrong):
    code = "table.marked-cells-missing"
    says = Text(
        "{count} cells with a mark are not in the table {name!r}: {cells}.",
        "{count} gekennzeichnete Zellen gibt es in der Tabelle {name!r} nicht: {cells}.",
    )
    fix = Text(
        "Take them out of the file of marks: a cell that is not there is empty and published as such.",
        "Nehmen Sie sie aus der Datei der Kennzeichen: Eine Zelle, die es nicht gibt, ist leer und gilt als veröffentlicht.",
    )


class BoundsWrong(InputWrong):
    code = "table.bounds-wrong"
    says = Text(
        "{count} cells of the table {name!r} do not lie between their bounds low and high, are marked zero without being so, or "
        "have a negative cost or required protection: {cells}.",
        "{count} Zellen der Tabelle {name!r} liegen nicht zwischen ihren Grenzen low und high, sind als Null gekennzeichnet, ohne es "
        "zu sein, oder haben negative Kosten oder negativen verlangten Schutz: {cells}.",
    )
    fix = Text("Correct the file of marks.", "Berichtigen Sie die Datei der Kennzeichen.")


class PriorWrong(InputWrong):
    code = "table.prior-wrong"
    says = Text(
        "What is known beforehand of {count} suppressed cells of the table {name!r} cannot be: prior_low is above prior_high, or the "
        "value lies outside. The first of them is row {row}.",
        "Was von {count} gesperrten Zellen der Tabelle {name!r} vorab bekannt sein soll, kann nicht sein: prior_low liegt über prior_high, "
        "oder der Wert liegt außerhalb. Die erste ist Zeile {row}.",
    )
    fix = Text(
        "Correct the columns prior_low, prior_high and prior_percent.",
        "Berichtigen Sie die Spalten prior_low, prior_high und prior_percent.",
    )


class OptionWrong(InputWrong):
    code = "table.option"
    says = Text("{option} {given!r} cannot be used: {why}", "{option} {given!r} ist nicht verwendbar: {why}")
