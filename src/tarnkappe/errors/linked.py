"""Errors about tables that share cells."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class CodesDisagree(InputWrong):
    code = "linked.codes-disagree"
    says = Text(
        "Dimension {name!r}: {count} codes stand for different things in the hierarchies of linked tables: {codes}.",
        "Dimension {name!r}: {count} Codes bedeuten in den Hierarchien verknüpfter Tabellen Verschiedenes: {codes}.",
    )
    fix = Text(
        "Give the tables hierarchies in which a code covers the same codes of the lowest level, or name the codes apart.",
        "Geben Sie den Tabellen Hierarchien, in denen ein Code dieselben Codes der untersten Ebene umfasst, oder benennen Sie "
        "die Codes verschieden.",
    )


class SharedValuesDiffer(InputWrong):
    code = "linked.values-differ"
    says = Text(
        "The tables {names} share cells, and {count} of them have different values: {cells}.",
        "Die Tabellen {names} haben gemeinsame Zellen, und {count} davon haben verschiedene Werte: {cells}.",
    )
    fix = Text(
        "Correct the tables. If they add up different things or different populations, say so: give one of them another measure.",
        "Berichtigen Sie die Tabellen. Summieren sie Verschiedenes oder über verschiedene Gesamtheiten, geben Sie einer mit "
        "measure ein anderes Merkmal.",
    )


class SharedMarksContradict(InputWrong):
    code = "linked.marks-contradict"
    says = Text(
        "The tables {names} share cells, and {count} of them must stay open for one table and be hidden for another: {cells}.",
        "Die Tabellen {names} haben gemeinsame Zellen, und {count} davon müssen für eine Tabelle offen bleiben und für eine andere "
        "verborgen werden: {cells}.",
    )
    fix = Text(
        "Take back the mark of these cells, or the rule.",
        "Nehmen Sie die Kennzeichnung dieser Zellen zurück oder die Regel.",
    )


class PublishedAlready(Refused):
    code = "linked.published-already"
    says = Text(
        "{count} cells of the linked tables {names} need protection, and an earlier table shows them: {cells}.",
        "{count} Zellen der verknüpften Tabellen {names} brauchen Schutz, und eine frühere Tabelle zeigt sie: {cells}.",
    )
    fix = Text(
        "What is published cannot be protected any more: change the rule, or leave the new table out.",
        "Veröffentlichtes lässt sich nicht mehr schützen: Ändern Sie die Regel oder lassen Sie die neue Tabelle weg.",
    )


class SharedCellsDiffer(Refused):
    code = "linked.cells-differ"
    says = Text(
        "The tables {names} share cells, and {count} of them would not look the same in all tables: {cells}.",
        "Die Tabellen {names} haben gemeinsame Zellen, und {count} davon sähen nicht in allen Tabellen gleich aus: {cells}.",
    )
    fix = Text(
        "Protect all of them with one method that suppresses, publish the shared cells in one table only, or say under unlinked "
        "why the tables need not be protected together.",
        "Schützen Sie alle mit einem sperrenden Verfahren, veröffentlichen Sie die gemeinsamen Zellen nur in einer Tabelle oder "
        "nennen Sie unter unlinked, warum die Tabellen nicht gemeinsam geschützt werden müssen.",
    )


class LinkedUnprotectable(Refused):
    code = "linked.unprotectable"
    says = Text(
        "{count} cells of the linked tables {names} cannot get the required protection, even with every cell suppressed that "
        "may be: {cells}. {why}",
        "{count} Zellen der verknüpften Tabellen {names} können den verlangten Schutz nicht bekommen, auch wenn alle erlaubten "
        "Zellen gesperrt werden: {cells}. {why}",
    )
    fix = Text(
        "Let more cells be suppressed, ask for less protection, make a table coarser, or leave one of the tables out.",
        "Lassen Sie mehr Zellen sperren, verlangen Sie weniger Schutz, vergröbern Sie eine Tabelle oder lassen Sie eine weg.",
    )


class ToldTogether(Refused):
    code = "linked.told-together"
    says = Text(
        "{count} confidential values that no table shows follow from the tables {names} together: {cells}.",
        "{count} vertrauliche Werte, die keine Tabelle zeigt, folgen aus den Tabellen {names} zusammen: {cells}.",
    )
    fix = Text(
        "Merge the same categories in all tables of a dimension, protect the tables with a method that suppresses, tabulate the "
        "same records that are released (from: result), or leave one of the tables out.",
        "Fassen Sie in allen Tabellen einer Dimension dieselben Kategorien zusammen, schützen Sie die Tabellen mit einem sperrenden "
        "Verfahren, tabellieren Sie dieselben Datensätze, die freigegeben werden (from: result), oder lassen Sie eine Tabelle weg.",
    )


class NothingPublished(InputWrong):
    code = "linked.nothing-published"
    says = Text(
        "{folder!r} is not a release with tables that can be read.",
        "{folder!r} ist keine Freigabe mit lesbaren Tabellen.",
    )
    fix = Text(
        "Name the folder of a release of Tarnkappe, or a file of cells with by.",
        "Nennen Sie den Ordner einer Freigabe von Tarnkappe oder eine Datei von Zellen mit by.",
    )


class PublishedShareNothing(InputWrong):
    code = "linked.published-shares-nothing"
    says = Text(
        "The table {name!r} named under published (measure {measure!r}, by {by}) shares nothing with the tables of the plan, or has the codes of a dimension under another name: it would protect nothing.",
        "Die unter published genannte Tabelle {name!r} (Maß {measure!r}, nach {by}) hat mit den Tabellen des Plans nichts gemeinsam oder die Codes einer Dimension unter anderem Namen: Sie schützte nichts.",
    )
    fix = Text(
        "If a column was renamed, give it the old name, or say measure: under published and under the table; if the table really has nothing to do with these, leave it out.",
        "Wurde eine Spalte umbenannt, geben Sie ihr den alten Namen, oder nennen Sie measure: unter published und bei der Tabelle; hat die Tabelle wirklich nichts "
        "mit diesen zu tun, lassen Sie sie weg.",
    )
