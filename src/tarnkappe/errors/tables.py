"""Errors about tables."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
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
        "The table {name!r} has no dimension {dimension!r}.", "Die Tabelle {name!r} hat keine Dimension {dimension!r}."
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
        "{count} cells of the table {name!r} that are marked (keep, suppress, published) would vanish in others, the first is {cell}.",
        "{count} gekennzeichnete Zellen der Tabelle {name!r} (offen halten, sperren, veröffentlicht) gingen in anderen auf, die erste "
        "ist {cell}.",
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


class PriorTooNarrow(Refused):
    code = "table.prior-too-narrow"
    says = Text(
        "{count} cells of the table {name!r} cannot be protected by any method: what an attacker knows beforehand is closer "
        "than the required protection: {cells}.",
        "{count} Zellen der Tabelle {name!r} kann kein Verfahren schützen: das Vorwissen eines Angreifers ist genauer als der "
        "verlangte Schutz: {cells}.",
    )
    fix = Text(
        "Ask for less protection, assume less prior knowledge, or merge these cells with others.",
        "Verlangen Sie weniger Schutz, nehmen Sie weniger Vorwissen an oder fassen Sie diese Zellen mit anderen zusammen.",
    )


class Unprotectable(Refused):
    code = "table.unprotectable"
    says = Text(
        "{count} cells of the table {name!r} cannot get the required protection, even with every cell suppressed that may "
        "be: {cells}. {why}",
        "{count} Zellen der Tabelle {name!r} können den verlangten Schutz nicht bekommen, auch wenn alle erlaubten Zellen "
        "gesperrt werden: {cells}. {why}",
    )
    fix = Text(
        "Let more cells be suppressed (cells that must stay open, zeros), ask for less protection, or make the table coarser.",
        "Lassen Sie mehr Zellen sperren (offen zu haltende, Nullen), verlangen Sie weniger Schutz oder vergröbern Sie die Tabelle.",
    )
