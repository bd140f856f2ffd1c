"""Errors about masking microdata: noise, swapping, microaggregation."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class NoSpread(InputWrong):
    code = "masking.no-spread"
    says = Text(
        "Column {name!r} does not vary in {where}; {who} takes the size of the change from the variation.",
        "Die Spalte {name!r} ist in {where} konstant; {who} bemisst die Veränderung an der Streuung.",
    )
    fix = Text(
        "Leave the column out of this step, or treat strata together.",
        "Lassen Sie die Spalte in diesem Schritt weg oder behandeln Sie Schichten gemeinsam.",
    )


class ResultTooLarge(InputWrong):
    code = "masking.too-large"
    says = Text(
        "{who} would make {count} values of column {name!r} larger than a number can be.",
        "{who} machte {count} Werte der Spalte {name!r} größer, als eine Zahl sein kann.",
    )
    fix = Text(
        "Change the unit of the column, or top and bottom code it before this step.",
        "Ändern Sie die Einheit der Spalte oder schneiden Sie sie vor diesem Schritt oben und unten ab.",
    )


class Collinear(InputWrong):
    code = "masking.collinear"
    says = Text(
        "{who} needs columns none of which follows from the others; these do: {names}.",
        "{who} braucht Spalten, von denen keine aus den anderen folgt; diese hängen linear zusammen: {names}.",
    )
    fix = Text(
        "Leave one of them out and compute it again afterwards, or take microdata.correlated-noise, which keeps linear relations.",
        "Lassen Sie eine davon weg und berechnen Sie sie danach neu, oder nehmen Sie microdata.correlated-noise, das lineare "
        "Beziehungen erhält.",
    )


class TooFewComplete(InputWrong):
    code = "masking.too-few-complete"
    says = Text(
        "{who} needs at least {needed} records without gaps in every stratum; one has {found}.",
        "{who} braucht in jeder Schicht mindestens {needed} Datensätze ohne Lücken; eine hat {found}.",
    )
    fix = Text(
        "Merge strata, take fewer columns, or choose a form of the method that keeps moments on average only.",
        "Fassen Sie Schichten zusammen, nehmen Sie weniger Spalten oder eine Form des Verfahrens, die Momente nur im Mittel erhält.",
    )


class NotPositive(InputWrong):
    code = "masking.not-positive"
    says = Text(
        "{who} needs positive values; column {name!r} has {count} others (first in record {first}).",
        "{who} braucht positive Werte; die Spalte {name!r} hat {count} andere (zuerst in Datensatz {first}).",
    )
    fix = Text("{hint}", "{hint}")


class PeaksTooFarApart(InputWrong):
    code = "masking.peaks-too-far-apart"
    says = Text(
        "{who}: with separation {given} nothing of the covariance is left for the spread around the peaks; below {most} it works.",
        "{who}: Bei separation {given} bleibt von der Kovarianz nichts für die Streuung um die Gipfel; unter {most} geht es.",
    )
    fix = Text(
        "Lower separation, or give columns that are nearly alike smaller ones of their own.",
        "Verkleinern Sie separation, oder geben Sie fast gleichen Spalten kleinere eigene.",
    )


class TotalsUndo(Refused):
    code = "masking.totals-undo"
    says = Text(
        "Column {name!r}: in {count} strata one contributor makes up more than half, fewer than three have values other than zero, or all got the "
        "same factor; keeping the total there would bring the noise back to nothing.",
        "Spalte {name!r}: In {count} Schichten macht ein Beitragender mehr als die Hälfte aus, haben weniger als drei Werte ungleich null oder erhielten "
        "alle denselben Faktor; die Summe dort zu erhalten, höbe die Überlagerung auf.",
    )
    fix = Text(
        "Take larger strata under within, or do not keep totals.",
        "Nehmen Sie unter within größere Schichten oder erhalten Sie die Summen nicht.",
    )


class TotalsTell(Refused):
    code = "masking.totals-tell"
    says = Text(
        "Column {name!r}: in {count} strata fewer than three contributors have values; with the total kept, each of two could tell the value of the other "
        "more closely than rounding alone allows.",
        "Spalte {name!r}: In {count} Schichten haben weniger als drei Beitragende Werte; bei erhaltener Summe könnte jeder von zweien den Wert des anderen "
        "genauer angeben, als es die Rundung allein zulässt.",
    )
    fix = TotalsUndo.fix


class MomentsUndo(Refused):
    code = "masking.moments-undo"
    says = Text(
        "{who}: {count} records lie so far out in the file or their stratum that exact moments would take most of their noise away.",
        "{who}: {count} Datensätze liegen in der Datei oder ihrer Schicht so weit außen, dass genaue Momente den größten Teil ihrer Überlagerung aufhöben.",
    )
    fix = Text(
        "Take moments: expected, larger strata under within, or treat the giants first (microdata.top-bottom-code).",
        "Nehmen Sie moments: expected, unter within größere Schichten, oder behandeln Sie zuerst die Riesen (microdata.top-bottom-code).",
    )


class StillRecognised(Refused):
    code = "masking.still-recognised"
    says = Text(
        "{who}: after {redraws} redraws {count} records are still among the {rank_limit} nearest to their original.",
        "{who}: Nach {redraws} neuen Ziehungen gehören {count} Datensätze noch zu den {rank_limit} nächsten an ihrem Original.",
    )
    fix = Text(
        "Raise variance_ratio, take fewer columns, or suppress them with unprotected: suppress.",
        "Erhöhen Sie variance_ratio, nehmen Sie weniger Spalten oder unterdrücken Sie sie mit unprotected: suppress.",
    )


class UnitInSeveralStrata(InputWrong):
    code = "masking.unit-in-several-strata"
    says = Text(
        "{who}: {count} units have records in several strata, and one column can steer only one stratum.",
        "{who}: {count} Einheiten haben Datensätze in mehreren Schichten; eine Spalte kann nur eine Schicht steuern.",
    )
    fix = Text(
        "Take control: {{by: all-columns}}, or leave within out.",
        "Nehmen Sie control: {{by: all-columns}} oder lassen Sie within weg.",
    )


class GapsInControl(InputWrong):
    code = "masking.gaps-in-control"
    says = Text(
        "{who}: column {name!r} decides the order of all units but {count} of its values are missing or suppressed.",
        "{who}: Die Spalte {name!r} bestimmt die Reihenfolge aller Einheiten, aber {count} ihrer Werte fehlen oder sind unterdrückt.",
    )
    fix = Text(
        "Name a column without gaps, or take control: {{by: all-columns}}.",
        "Nennen Sie eine Spalte ohne Lücken oder nehmen Sie control: {{by: all-columns}}.",
    )


class NothingFits(InputWrong):
    code = "masking.nothing-fits"
    says = Text(
        "None of the named distributions can be fitted to column {name!r} in {where}.",
        "Keine der genannten Verteilungen lässt sich an die Spalte {name!r} in {where} anpassen.",
    )
    fix = Text(
        "Values that do not vary fit none; zeros and negative values fit only the normal and the Laplace distribution: add one of "
        "them to families, or treat larger strata.",
        "Konstante Werte passen zu keiner; Nullen und negative Werte nur zur Normal- und zur Laplace-Verteilung: Nehmen Sie eine "
        "davon in families auf oder behandeln Sie größere Schichten.",
    )


class SpreadTooWide(Refused):
    code = "masking.spread-too-wide"
    says = Text(
        "Column {name!r}: {count} values stand in groups so skewed that mean and variance cannot be kept without a change of sign.",
        "Spalte {name!r}: {count} Werte stehen in so schiefen Gruppen, dass Mittelwert und Varianz nur mit Vorzeichenwechsel zu "
        "erhalten sind.",
    )
    fix = Text(
        "Top code the column before this step, choose a larger k, or say signs: free.",
        "Schneiden Sie die Spalte vorher oben ab, wählen Sie ein größeres k oder setzen Sie signs: free.",
    )


class NothingChanged(Refused):
    code = "masking.nothing-changed"
    says = Text(
        "{who} left every value of column {name!r} as it was.",
        "{who} hat jeden Wert der Spalte {name!r} gelassen, wie er war.",
    )
    fix = Text(
        "The column has too few records or values for this method; choose another one.",
        "Die Spalte hat für dieses Verfahren zu wenige Datensätze oder Werte; wählen Sie ein anderes.",
    )


class StepUnfit(InputWrong):
    code = "masking.step-unfit"
    says = Text(
        "{who} needs a step that keeps all records and changes numbers; {step} does not fit: {why}.",
        "{who} braucht einen Schritt, der alle Datensätze behält und Zahlen ändert; {step} passt nicht: {why}.",
    )
    fix = Text("Name another method under step.", "Nennen Sie unter step ein anderes Verfahren.")


class MomentsTell(Refused):
    code = "masking.moments-of-whole-numbers"
    says = Text(
        "{who}: mean and variance of a few whole numbers, kept to the last digit, are those of one set of numbers only: columns {names}.",
        "{who}: Mittelwert und Varianz weniger ganzer Zahlen, bis auf die letzte Stelle erhalten, gehören meist zu nur einer Menge von Zahlen: Spalten {names}.",
    )
    fix = Text(
        "Say whole: total or whole: nearest, so that values are rounded.",
        "Sagen Sie whole: total oder whole: nearest, damit Werte gerundet werden.",
    )


class NotRestored(Refused):
    code = "masking.variance-not-restored"
    says = Text(
        "Column {name!r}: the variance cannot be restored in {count} strata. There the step left no variation, fewer than four contributors have "
        "values, it changed those of fewer than ten (of whole numbers, or where it left others alone), or restoring it would give the originals back.",
        "Spalte {name!r}: In {count} Schichten lässt sich die Varianz nicht wiederherstellen. Dort hat der Schritt keine Streuung "
        "gelassen, weniger als vier Beitragende haben Werte, er hat die von weniger als zehn verändert (bei ganzen Zahlen, oder wo andere "
        "blieben), oder das Wiederherstellen brächte die Originale zurück.",
    )
    fix = Text(
        "Take larger strata under within, leave the column out, or give a block: blocks that cannot be corrected are left alone.",
        "Nehmen Sie unter within größere Schichten, lassen Sie die Spalte weg oder geben Sie block an: Blöcke, die sich nicht "
        "korrigieren lassen, bleiben, wie sie sind.",
    )


class WeightsNeeded(InputWrong):
    code = "masking.weights-needed"
    says = Text(
        "{who} is to count records with their weights, but no column has the role 'weight'.",
        "{who} soll Datensätze mit ihrem Gewicht zählen, aber keine Spalte hat die Rolle 'weight'.",
    )
    fix = Text(
        "Name the column of the weights under roles, or set weighted: false.",
        "Nennen Sie die Spalte der Gewichte unter roles oder setzen Sie weighted: false.",
    )


class UnitsUnlike(InputWrong):
    code = "masking.units-unlike"
    says = Text(
        "{who}: {count} units have a pattern of strata, periods and gaps that fewer than {needed} contributors share, so that their series find no group.",
        "{who}: {count} Einheiten haben ein Muster von Schichten, Perioden und Lücken, das weniger als {needed} Beitragende teilen; ihre Reihen finden keine "
        "Gruppe.",
    )
    fix = Text(
        "Say too_small: suppress, leave out periods in which few units are there, name fewer columns under within, fill gaps before (microdata.impute), or "
        "lower k.",
        "Sagen Sie too_small: suppress, lassen Sie Perioden mit wenigen Einheiten weg, nennen Sie weniger Spalten unter within, füllen Sie Lücken vorher "
        "(microdata.impute), oder verkleinern Sie k.",
    )


class MembersApart(InputWrong):
    code = "masking.members-apart"
    says = Text(
        "The members of a household have the same value in {names}; {who} with these parameters would give them different ones.",
        "Die Mitglieder eines Haushalts haben in {names} denselben Wert; {who} gäbe ihnen mit diesen Parametern verschiedene.",
    )
    fix = Text(
        "Treat these columns in a step of their own and without strata that divide households, or choose a form of the method that keeps "
        "moments on average only.",
        "Behandeln Sie diese Spalten in einem eigenen Schritt und ohne Schichten, die Haushalte teilen, oder nehmen Sie eine Form des "
        "Verfahrens, die Momente nur im Mittel erhält.",
    )


class UnitsApart(Refused):
    code = "masking.units-apart"
    says = Text(
        "{who} would give records that {names} ties together different ranges of a value that they share; what the ranges have in common is narrower "
        "than each.",
        "{who} gäbe Datensätzen, die über {names} zusammengehören, verschiedene Spannen eines Werts, den sie teilen; was die Spannen gemeinsam haben, "
        "ist enger als jede.",
    )
    fix = Text(
        "Drop that column before this step, take strata that all records of a unit share, or coarsen the keys for all records alike with "
        "microdata.generalise.",
        "Entfernen Sie diese Spalte vor diesem Schritt, nehmen Sie Schichten, die alle Datensätze einer Einheit teilen, oder vergröbern Sie die Schlüssel "
        "mit microdata.generalise für alle Datensätze gleich.",
    )
