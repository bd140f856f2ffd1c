"""The risk in sentences that people outside of statistics can decide from: who finds whom, how surely, and what is learnt."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from tarnkappe.language import Lang, Text, same
from tarnkappe.plan.exposed import VARIETY
from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.report.numbers import percent, shown
from tarnkappe.spec import Finding
from tarnkappe.vocab import Attacker

SURE = 1 - 1e-9
"""A chance from here on is certainty."""
LEAST = 0.005
"""Keys that contribute a smaller share are not named."""
ATTRIBUTION = "risk.attribution"
_FINDS = {
    Attacker.PROSECUTOR: Text(
        "Somebody who knows {keys} of a person in the file finds that person's record with certainty in {now} of {all} cases",
        "Wer von einer Person in der Datei {keys} kennt, findet ihren Datensatz in {now} von {all} Fällen mit Sicherheit",
    ),
    Attacker.JOURNALIST: Text(
        "Somebody who has {keys} of the whole population but does not know who is in the file finds the right person with certainty for "
        "{now} of {all} records",
        "Wer {keys} der ganzen Grundgesamtheit hat, aber nicht weiß, wer in der Datei ist, findet zu {now} von {all} Datensätzen mit "
        "Sicherheit die richtige Person",
    ),
    Attacker.MARKETER: Text(
        "Somebody who assigns persons of the population to as many records as possible by {keys} is right for about {now} of {all} records",
        "Wer anhand von {keys} möglichst vielen Datensätzen Personen der Grundgesamtheit zuordnet, liegt bei etwa {now} von {all} "
        "Datensätzen richtig",
    ),
}
_BEFORE = Text("{says}; before: {was} of {were}.", "{says}; vorher: {was} von {were}.")
_ALONE = Text("{says}.", "{says}.")
_CHANCES = Text(
    "The surest hit is right with a chance of {highest}, an average one with {average}",
    "Der sicherste Treffer stimmt mit einer Wahrscheinlichkeit von {highest}, ein durchschnittlicher mit {average}",
)
_CHANCES_BEFORE = Text("{says}; before: {highest} and {average}.", "{says}; vorher: {highest} und {average}.")
_POPULATIONS = {
    "register": Text(
        "The population is the register {file}.", "Die Grundgesamtheit ist das Register {file}."
    ),
    "weights": Text(
        "The population is estimated from the weights.",
        "Die Grundgesamtheit ist aus den Gewichten geschätzt.",
    ),
    "original": Text(
        "The original file is taken for the population.", "Als Grundgesamtheit gilt die Originaldatei."
    ),
    "release": Text(
        "The released file itself is taken for the whole population: nothing else is known of it.",
        "Als ganze Grundgesamtheit gilt die freigegebene Datei selbst: mehr ist nicht bekannt.",
    ),
    "size": Text(
        "The population has {size} persons; its classes are estimated.",
        "Die Grundgesamtheit hat {size} Personen; ihre Klassen sind geschätzt.",
    ),
}
_LEARNT = Text(
    "Of {now} of {all} persons “{name}” becomes known for certain, even where the right record is not found: all records that fit show the "
    "same value",
    "Von {now} von {all} Personen wird „{name}“ mit Sicherheit bekannt, selbst wenn der richtige Datensatz nicht gefunden wird: Alle "
    "passenden Datensätze zeigen denselben Wert",
)
_NOT_LEARNT = Text(
    "Nobody's “{name}” becomes known for certain: among the records that fit a person there are at least {least} values",
    "Von niemandem wird „{name}“ mit Sicherheit bekannt: Unter den Datensätzen, die zu einer Person passen, gibt es mindestens {least} "
    "Werte",
)
_CHANGED = Text(
    "{says} The values of “{name}” were changed or coarsened before the release: what becomes known is not the exact original.",
    "{says} Die Werte von „{name}“ wurden vor der Freigabe verändert oder vergröbert: Was bekannt wird, ist nicht das genaue Original.",
)
_SHARES = Text(
    "What makes people recognisable in the release: {shares} of the chance of being found.",
    "Was Menschen in der Freigabe erkennbar macht: {shares} der Wahrscheinlichkeit, gefunden zu werden.",
)
_WITHOUT = Text(
    "Without “{name}” an average hit would be right with a chance of {less} instead of {whole}.",
    "Ohne „{name}“ stimmte ein durchschnittlicher Treffer mit einer Wahrscheinlichkeit von {less} statt {whole}.",
)


def attacker_of(entry: MeasureEntry) -> Attacker | None:
    """Who attacks in this measure, where it tells attackers apart and says something of every record."""
    who = getattr(entry.measure, "attacker", None)
    return who if isinstance(who, Attacker) and entry.after.per_record is not None else None


def finds(entry: MeasureEntry, attacker: Attacker) -> Iterator[Text]:
    """Who finds whom, and how surely."""
    keys = enumerated(_known(entry))
    now, every = _hits(entry.after, attacker)
    says = _FINDS[attacker].filled(keys=keys, now=shown(now), all=shown(every))
    yield _with_before(says, _hits(entry.before, attacker) if _told(entry.before) else None)
    if attacker is not Attacker.MARKETER:
        yield _chances(entry)
    if attacker is not Attacker.PROSECUTOR:
        yield _population(entry)


def learns(entry: MeasureEntry, changed: Collection[str] = ()) -> Iterator[Text]:
    """What becomes known of people who are not even found: one sentence for every sensitive column.

    Of the columns in `changed` only released values become known, not the original ones.
    """
    if entry.measure.id != VARIETY or getattr(entry.measure, "kind", "") != "distinct":
        return
    for name in entry.after.details["sensitive"]:
        now = _certain(entry.after, name)
        was = _certain(entry.before, name) if entry.before and _has(entry.before, name) else None
        if now[0]:
            says = _LEARNT.filled(name=name, now=shown(now[0]), all=shown(now[1]))
        else:
            least = entry.after.details["sensitive"][name]["value"]
            says = _NOT_LEARNT.filled(name=name, least=shown(least))
        told = _with_before(says, was)
        yield _CHANGED.filled(says=told, name=name) if now[0] and name in changed else told


def drives(entry: MeasureEntry, most: int = 3) -> Iterator[Text]:
    """Which keys the chance of being found comes from, and what leaving out the first would change."""
    details = entry.after.details
    rise = details["whole_risk"] - details["risk_without_keys"]
    parts = sorted(details["adds"].items(), key=lambda part: -part[1])
    named = [(name, adds / rise) for name, adds in parts[:most] if rise > 0 and adds / rise >= LEAST]
    if not named:
        return
    shares = [Text(f"“{n}” {percent(s, 2).en}", f"„{n}“ {percent(s, 2).de}") for n, s in named]
    yield _SHARES.filled(shares=joined(shares))
    if details["summary"] == "average" and len(parts) > 1:
        without = min(details["risk_without_key"].items(), key=lambda part: part[1])
        yield _WITHOUT.filled(name=without[0], less=percent(without[1]), whole=percent(details["whole_risk"]))


def enumerated(names: Sequence[str]) -> Text:
    """``age, sex and postcode``."""
    return joined([same(name) for name in names])


def joined(words: Sequence[Text]) -> Text:
    """Words with commas and an *and* before the last."""
    return Text(_joined(words, "en", " and "), _joined(words, "de", " und "))


def _joined(words: Sequence[Text], lang: Lang, last: str) -> str:
    said = [word.in_(lang) for word in words]
    return last.join([", ".join(said[:-1]), said[-1]]) if len(said) > 1 else "".join(said)


def _known(entry: MeasureEntry) -> tuple[str, ...]:
    """What the attacker knows of people: also keys that are in the original only and do not help any more."""
    sides = (entry.before, entry.after)
    return tuple(dict.fromkeys(k for side in sides if side for k in side.details.get("keys", ())))


def _told(finding: Finding | None) -> bool:
    return finding is not None and finding.per_record is not None


def _hits(finding: Finding | None, attacker: Attacker) -> tuple[int, int]:
    """Certain hits and records; for a marketer the hits to be expected."""
    assert finding is not None
    assert finding.per_record is not None
    risk = finding.per_record
    hits = risk.sum() if attacker is Attacker.MARKETER else np.sum(risk >= SURE)
    return round(float(hits)), len(risk)


def _with_before(says: Text, was: tuple[int, int] | None) -> Text:
    if was is None:
        return _ALONE.filled(says=says)
    return _BEFORE.filled(says=says, was=shown(was[0]), were=shown(was[1]))


def _chances(entry: MeasureEntry) -> Text:
    says = _CHANCES.filled(**_figures(entry.after))
    if entry.before is None or "highest" not in entry.before.details:
        return _ALONE.filled(says=says)
    return _CHANCES_BEFORE.filled(says=says, **_figures(entry.before))


def _figures(finding: Finding) -> dict[str, Text]:
    return {name: percent(finding.details[name]) for name in ("highest", "average")}


def _population(entry: MeasureEntry) -> Text:
    if entry.against is not None:
        return _POPULATIONS["register"].filled(file=entry.against.file)
    source: Any = entry.after.details.get("population", "release")
    if isinstance(source, int):
        return _POPULATIONS["size"].filled(size=shown(source))
    return _POPULATIONS[source]


def _has(finding: Finding, name: str) -> bool:
    return name in finding.details.get("sensitive", {})


def _certain(finding: Finding, name: str) -> tuple[int, int]:
    """Persons of whom one value is certain, and all."""
    found = finding.details["sensitive"][name]
    return (found["records_at_worst"] if found["value"] == 1 else 0), finding.details["records"]
