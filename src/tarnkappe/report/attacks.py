"""What a stranger reached with a release, in words for the report, the page of an attack and the terminal."""

from __future__ import annotations

from tarnkappe.language import Text, number
from tarnkappe.plan.ledger import AttackEntry, Colour
from tarnkappe.plan.stranger_files import StrangerAttack
from tarnkappe.plan.strangers import found_by

VERDICTS = {
    Colour.REFUSED: Text("Originals come back: do not give this release away.", "Originale kommen zurück: Geben Sie diese Freigabe nicht weiter."),
    Colour.SIGNED: Text("Something stands out; nobody gets most values back.", "Etwas fällt auf; die meisten Werte holt niemand zurück."),
    Colour.CLEAR: Text("Nothing was found.", "Nichts wurde gefunden."),
}  # fmt: skip
UNSCORED = Text(
    "The stranger is sure of some values; give --original to know whether he is right.",
    "Der Fremde ist sich einiger Werte sicher; mit --original erfahren Sie, ob zu Recht.",
)
_SURE = Text("He is sure of {sure} values: {how}.", "Er ist sich bei {sure} Werten sicher: {how}.")


def said_of(entry: AttackEntry, *, scored: bool) -> Text:
    """What an attack reached: what is right where the truth is known, of what he is sure where not."""
    if scored:
        return found_by(entry)
    sure = Text(*(number(entry.score.sure, lang) for lang in ("en", "de")))
    how = Text(*("; ".join(way.in_(lang) for way in entry.how[:4]) for lang in ("en", "de")))
    return _SURE.filled(sure=sure, how=how)


def verdict(found: StrangerAttack) -> Text:
    """The verdict over all attacks in one sentence."""
    return VERDICTS[found.colour] if found.scored or found.colour is Colour.CLEAR else UNSCORED
