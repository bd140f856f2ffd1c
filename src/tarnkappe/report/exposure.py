"""The summary a person decides from: attackers, what they learn, what drives it, the riskiest records, what was not measured."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from tarnkappe.language import NOTHING, Text, same
from tarnkappe.plan.exposed import strongest
from tarnkappe.plan.ledger import Exposed, MeasureEntry, Run, Unmeasured
from tarnkappe.report.exposure_charts import at_least, chances, contributions
from tarnkappe.report.numbers import NONE, percent, shown
from tarnkappe.report.pictures import Drawing, drawn
from tarnkappe.report.sentences import ATTRIBUTION, attacker_of, drives, finds, learns
from tarnkappe.report.tables import Table
from tarnkappe.vocab import Attacker

_CHANCES = Text(
    "Share of records that are found with certainty, with a chance of 1 in 2, and so on, before and after",
    "Anteil der Datensätze, die mit Sicherheit, mit einer Wahrscheinlichkeit von 1 zu 2 und so weiter gefunden werden, vorher und nachher",
)
_KEYS = Text(
    "What every key adds to the chance of being found, before and after",
    "Was jeder Schlüssel zur Wahrscheinlichkeit beiträgt, gefunden zu werden, vorher und nachher",
)
_NO_SENSITIVE = Text(
    "What attackers would learn of people was not measured: {because}.",
    "Was Angreifer über Menschen erfahren würden, wurde nicht gemessen: {because}.",
)
_DOUBT = Text("Not to be trusted: {why}", "Nicht verlässlich: {why}")
_AS_MANY = Text(
    "{n} records are found as surely as the first of these.",
    "{n} Datensätze werden ebenso sicher gefunden wie der erste von diesen.",
)
_HEADS = (
    Text("Record", "Datensatz"),
    Text("chance before", "Wahrscheinlichkeit vorher"),
    Text("after", "nachher"),
    Text("records that fit", "passende Datensätze"),
    Text("stands out by", "fällt auf durch"),
    Text("sensitive value certain", "sensibler Wert sicher"),
)
_YES = {True: Text("yes", "ja"), False: Text("no", "nein"), None: NONE}


@dataclass(frozen=True, slots=True)
class Assault:
    """One attacker: who, and what is reached."""

    attacker: Attacker
    says: tuple[Text, ...]
    doubt: Text

    @property
    def doubts(self) -> tuple[Text, ...]:
        """The doubt as a sentence, if there is any."""
        return (_DOUBT.filled(why=self.doubt),) if self.doubt else ()


@dataclass(frozen=True, slots=True)
class Exposure:
    """Everything that the summary shows."""

    assaults: tuple[Assault, ...]
    learns: tuple[Text, ...]
    drives: tuple[Text, ...]
    chances: Drawing | None
    keys: Drawing | None
    riskiest: Table | None
    as_many: Text
    unmeasured: tuple[tuple[Text, tuple[Text, ...]], ...]
    """Reason, and the titles of the measures that were not taken for it."""

    def __bool__(self) -> bool:
        return bool(self.assaults or self.learns or self.drives)

    def sentences(self) -> tuple[Text, ...]:
        """All that is said, in order, with what speaks against it."""
        finds = (says for one in self.assaults for says in (*one.says, *one.doubts))
        return (*finds, *self.learns, *self.drives)


def exposure(
    entries: Sequence[MeasureEntry],
    riskiest: Sequence[Exposed] = (),
    left: Sequence[Unmeasured] = (),
    changed: Collection[str] = (),
) -> Exposure:
    """The summary of some measures; `changed` names the columns that do not hold the original values any more."""
    first = strongest(entries)
    attribution = next((e for e in entries if e.measure.id == ATTRIBUTION), None)
    return Exposure(
        assaults=tuple(_assaults(entries)),
        learns=tuple(said for e in entries for said in learns(e, changed)) or tuple(_not_learnt(left)),
        drives=tuple(drives(attribution)) if attribution else (),
        chances=_chances(first) if first else None,
        keys=_keys(attribution) if attribution else None,
        riskiest=_riskiest(riskiest),
        as_many=_as_many(first, len(riskiest)) if first else NOTHING,
        unmeasured=_by_reason(left),
    )


def exposure_of(run: Run) -> Exposure:
    """The summary of a run."""
    changed = {name for step in run.steps for name, change in step.changes.items() if change.changed}
    return exposure(run.measures, run.exposed, run.unmeasured, changed)


def _assaults(entries: Sequence[MeasureEntry]) -> Iterator[Assault]:
    """Every attacker once, with all keys where that was measured; one with keys of its own is among the measures below."""
    seen: set[Attacker] = set()
    for entry in sorted(entries, key=lambda entry: bool(getattr(entry.measure, "keys", ()))):
        who = attacker_of(entry)
        if who is not None and who not in seen:
            seen.add(who)
            yield Assault(
                who, tuple(finds(entry, who)), NOTHING if entry.after.trusted else entry.after.because
            )


def _not_learnt(left: Sequence[Unmeasured]) -> Iterator[Text]:
    """That nothing is said of what is learnt must not pass for a good sign."""
    for one in left:
        if one.measure.id == "risk.l-diversity":
            because = Text(one.because.en.rstrip("."), one.because.de.rstrip("."))
            yield _NO_SENSITIVE.filled(because=because)


def _chances(entry: MeasureEntry) -> Drawing:
    assert entry.after.per_record is not None
    was = entry.before.per_record if entry.before else None
    before = at_least(was) if was is not None and len(was) else None
    return drawn(partial(chances, before, at_least(entry.after.per_record)), _CHANCES)


def _keys(entry: MeasureEntry) -> Drawing | None:
    adds = entry.after.details["adds"]
    was = entry.before.details["adds"] if entry.before else None
    return drawn(partial(contributions, was, adds), _KEYS) if len(adds) > 1 else None


def _riskiest(found: Sequence[Exposed]) -> Table | None:
    title = Text(
        "The records that are found most surely, by their place in the original file",
        "Die am sichersten gefundenen Datensätze, nach ihrem Platz in der Originaldatei",
    )
    known = any(one.learnt is not None for one in found)
    rows = [
        (same(str(one.record)), percent(one.before), percent(one.after), shown(one.fitting), same(one.key or "–"), _YES[one.learnt])
        for one in found
    ]  # fmt: skip
    last = len(_HEADS) if known else -1
    return Table(title, _HEADS[:last], tuple(row[:last] for row in rows)) if rows else None


def _as_many(entry: MeasureEntry, listed: int) -> Text:
    risk = entry.after.per_record
    assert risk is not None
    alike = int(np.sum(risk >= risk.max() - 1e-12)) if len(risk) else 0
    return _AS_MANY.filled(n=shown(alike)) if alike > listed > 0 else NOTHING


def _by_reason(left: Sequence[Unmeasured]) -> tuple[tuple[Text, tuple[Text, ...]], ...]:
    out: dict[Text, list[Text]] = {}
    for one in left:
        out.setdefault(one.because, []).append(one.measure.title)
    return tuple((because, tuple(titles)) for because, titles in out.items())
