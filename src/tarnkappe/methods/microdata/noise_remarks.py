"""What the office should know of noise that was added or multiplied: when it is averaged away, found by trying, or gives ratios away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.units import units_of
from tarnkappe.language import Text
from tarnkappe.methods.microdata.factor_laws import Law
from tarnkappe.methods.microdata.step_remarks import many_noisy, neighbouring_periods


def of_additive_noise(
    before: Microdata, after: Microdata, names: Sequence[str], unit: Sequence[str]
) -> tuple[Text, ...]:
    """Many columns, periods in which a unit got noise drawn anew, and values that cannot be."""
    return (*many_noisy(names), *averaged_away(before, unit), *below_zero(before, after, names))


def below_zero(before: Microdata, after: Microdata, names: Sequence[str]) -> Iterator[Text]:
    """Values below zero in columns that had none, such as negative wages (DAV 3.3.1, impossible values)."""
    x, y = before.aligned_to(after).numbers(names), after.numbers(names)
    new = np.count_nonzero(y < 0, axis=0) * ~(x < 0).any(axis=0)
    for name, count in zip(names, new.tolist(), strict=True):
        if count:
            yield Text(
                "{count} values of {name} fell below zero, where none had been: they may be impossible.",
                "{count} Werte von {name} sind unter null gefallen, wo zuvor keiner lag: Sie können unmöglich sein.",
            ).filled(count=count, name=name)


def averaged_away(before: Microdata, unit: Sequence[str]) -> Iterator[Text]:
    """Units of a panel that got other noise in every period (Gottschalk 4.3, factors per unit or per unit and wave)."""
    a, b = neighbouring_periods(before)
    ids = units_of(before, unit)[0]
    if (ids[a] != ids[b]).any():
        yield Text(
            "Units got noise drawn anew in every period: its mean over the periods comes near the truth. Name the unit under unit, and "
            "its records get noise in common, or move alike.",
            "Einheiten wurden in jeder Periode neu überlagert: Das Mittel über die Perioden nähert sich der Wahrheit. Nennen Sie die Einheit "
            "unter unit: ihre Datensätze werden dann gemeinsam überlagert oder gleich bewegt.",
        )


def ratios_given_away(before: Microdata, unit: Sequence[str], columns: int) -> Iterator[Text]:
    """One factor for several columns or periods (Höhne 4.2.2, row-constant noise; Gottschalk 5.1)."""
    a, b = neighbouring_periods(before)
    ids = units_of(before, unit)[0]
    if (ids[a] == ids[b]).any():
        yield Text(
            "Units have one factor in all periods: growth rates are nearly exact, and one known value gives the other periods away to a few per cent.",
            "Einheiten haben in allen Perioden denselben Faktor: Wachstumsraten sind fast genau, und ein bekannter Wert verrät die anderen Perioden auf wenige Prozent.",
        )
    if columns > 1:
        yield Text(
            "The columns of a record have one factor: ratios are nearly exact and identify units, and one known value gives all others away to a few per cent. Measure "
            "risk.ratio-attack before you release them.",
            "Die Spalten eines Datensatzes haben einen gemeinsamen Faktor: Verhältnisse sind fast genau und identifizieren Einheiten, und ein bekannter "
            "Wert verrät alle anderen auf wenige Prozent. Messen Sie risk.ratio-attack, bevor Sie sie herausgeben.",
        )


def found_by_trying(law: Law) -> Iterator[Text]:
    """Factors so few that all can be tried."""
    if law.different is not None:
        yield Text(
            "Only {count} different factors were drawn. Whoever tries them all has as many guesses for every value, and whole or rounded "
            "numbers give themselves away.",
            "Nur {count} verschiedene Faktoren wurden gezogen. Wer alle probiert, hat für jeden Wert ebenso viele Vermutungen, und ganze oder "
            "gerundete Zahlen verraten sich.",
        ).filled(count=law.different)
