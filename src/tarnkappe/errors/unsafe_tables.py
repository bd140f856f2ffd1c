"""Tables that cannot be protected, or are not: nothing is published."""

from __future__ import annotations

from tarnkappe.errors import Refused
from tarnkappe.language import Text


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


class InTheRecords(Refused):
    code = "table.in-the-records"
    says = Text(
        "{count} protected cells of the table {name!r} follow from the records that are released with it, closer than the required "
        "protection: {cells}.",
        "{count} geschützte Zellen der Tabelle {name!r} folgen aus den Datensätzen, die mit ihr freigegeben werden, genauer als der "
        "verlangte Schutz: {cells}.",
    )
    fix = Text(
        "Mask or drop {value} in the data, coarsen or suppress {columns} there (steps that keep the sums of these cells do not help), or "
        "release the table by a plan of its own, without the records.",
        "Verändern oder entfernen Sie {value} in den Daten, vergröbern oder sperren Sie dort {columns} (Schritte, die die Summen dieser "
        "Zellen erhalten, helfen nicht), oder geben Sie die Tabelle mit einem eigenen Plan ohne die Datensätze frei.",
    )


class CodesNameContributors(Refused):
    code = "table.codes-name-contributors"
    says = Text(
        "The codes of {dimension!r} in the table {name!r} are as good as names: most of them, over all other dimensions, stand for one "
        "contributor alone. Whoever reads the codes reads who is there.",
        "Die Codes von {dimension!r} in der Tabelle {name!r} sind so gut wie Namen: Die meisten stehen, über alle anderen Dimensionen, für "
        "einen einzigen Beitragenden. Wer die Codes liest, liest, wer da ist.",
    )
    fix = Text(
        "Nothing was written. Leave the dimension out, merge its codes (microdata.generalise, microdata.band, or a coarser column), or make classes of it; "
        "free texts and numbers of records are no dimension.",
        "Es wurde nichts geschrieben. Lassen Sie die Dimension weg, fassen Sie ihre Codes zusammen (microdata.generalise, microdata.band oder "
        "eine gröbere Spalte) oder bilden Sie Klassen; freie Texte und Nummern von Datensätzen sind keine Dimension.",
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


class CellsDisclosed(Refused):
    code = "table.disclosed"
    says = Text(
        "{count} suppressed cells of {name!r} can be computed exactly.",
        "{count} gesperrte Zellen von {name!r} lassen sich genau errechnen.",
    )
    fix = Text("Suppress further cells.", "Sperren Sie weitere Zellen.")


class SeenInside(Refused):
    code = "table.seen-inside"
    says = Text(
        "{count} suppressed cells of {name!r} can be computed exactly by the sole contributor of another.",
        "{count} gesperrte Zellen von {name!r} kann der einzige Beitragende einer anderen genau errechnen.",
    )
    fix = Text(
        "Suppress further cells. --insiders none leaves insiders out.",
        "Sperren Sie weitere Zellen. --insiders none lässt Beteiligte außer Betracht.",
    )


class CellsTooNarrow(Refused):
    code = "table.too-narrow"
    says = Text(
        "{count} suppressed cells of {name!r} can be computed more closely than the file allows.",
        "{count} gesperrte Zellen von {name!r} lassen sich genauer errechnen, als die Datei erlaubt.",
    )
    fix = Text("Suppress further cells.", "Sperren Sie weitere Zellen.")
