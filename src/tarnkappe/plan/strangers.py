"""A stranger attacks what is about to be released: the fast attacks of the catalogue, in every run, scored with the truth."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from tarnkappe.data.guess import Attempt
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.seen import Fact, Seen
from tarnkappe.io.cells import published
from tarnkappe.io.seen_tables import seen_table
from tarnkappe.language import NOTHING, Text, number
from tarnkappe.plan.ledger import AttackEntry, Change, Colour, GateEntry, Standing, StepEntry, TableEntry
from tarnkappe.plan.model import Plan
from tarnkappe.plan.policy import COMPUTED, AttacksDescription
from tarnkappe.plan.policy_gates import accepted
from tarnkappe.plan.scoring import Score, Truth
from tarnkappe.spec import Attack, catalogue, plain

ENOUGH = 5
"""So many right guesses in one way are no accident, however many other ways were tried."""
_GATE = Text("no stranger gets originals back: {title}", "kein Fremder holt Originale zurück: {title}")
_NONE_RIGHT = Text(
    "no attack of a stranger on the release gives originals back",
    "kein Angriff eines Fremden auf die Freigabe holt Originale zurück",
)
_SOME_RIGHT = Text(
    "no attack of a stranger on the release gives most of the originals back that it looks for; what came back was signed",
    "kein Angriff eines Fremden auf die Freigabe holt die meisten gesuchten Originale zurück; was zurückkam, wurde gezeichnet",
)
_FOUND = Text(
    "{right} of {answers} guesses are right ({chance} would be by chance): {how}.",
    "{right} von {answers} Vermutungen stimmen (durch Zufall wären es {chance}): {how}.",
)
_LIMIT = Text(
    "less than {share} of the guesses right beyond chance",
    "weniger als {share} der Vermutungen über Zufall richtig",
)
_WHY = Text(
    "Whoever receives the release can put together what it shows and tells; more of the originals that he guesses so are right than by chance.",
    "Wer die Freigabe erhält, kann zusammensetzen, was sie zeigt und sagt; von den so vermuteten Originalen stimmen mehr als durch Zufall.",
)


class Scorer(Protocol):
    """Somebody who knows the originals."""

    def score(self, attempt: Attempt, close: float) -> Score:
        """Count the guesses that are right."""


def strangers(
    plan: Plan,
    before: Microdata,
    after: Microdata,
    steps: Sequence[StepEntry],
    tables: Sequence[TableEntry],
) -> tuple[AttackEntry, ...]:
    """Every fast attack on what the release would show and tell, with what its guesses are worth."""
    seen = seen_of(plan, after, steps, tables)
    redundant = [name for one in plan.accept if one.what == COMPUTED for name in one.columns]
    truth = Truth(before, after, {entry.name: entry.pattern for entry in tables}, redundant)
    made = (cls() for cls in catalogue.attacks() if cls.fast)
    return tuple(attacked(one, seen, truth, plan.policy.attacks) for one in made)


def seen_of(plan: Plan, after: Microdata, steps: Sequence[StepEntry], tables: Sequence[TableEntry]) -> Seen:
    """What a stranger will have: sealed records, what the documents tell of the steps, published tables."""
    return Seen(
        after.sealed() if plan.releases_data else None,
        tuple(
            Fact(step.number, step.method.id, tuple(_touched(step.changes, after)), plain(step.tells))
            for step in steps
        ),
        tuple(
            seen_table(
                entry.name, entry.pattern.table.measure, entry.pattern.table.dimensions, published(entry.pattern),
                signed=bool((entry.pattern.low < 0).any()),
            )
            for entry in tables
        ),
    )  # fmt: skip


def _touched(changes: dict[str, Change], after: Microdata) -> Iterator[str]:
    for name, change in changes.items():
        if name in after.names and change != Change():
            yield name


def attacked(attack: Attack, seen: Seen, truth: Truth, limits: AttacksDescription) -> AttackEntry:
    """Make an attempt and judge it."""
    began = time.perf_counter()
    attempt = attack.attempt(seen)
    score, colour, how = judged(attempt, truth, limits)
    return AttackEntry(
        attack, colour, attempt.tried, score, how, attempt.could_not, time.perf_counter() - began
    )


def judged(
    attempt: Attempt, truth: Scorer, limits: AttacksDescription
) -> tuple[Score, Colour, tuple[Text, ...]]:
    """All guesses together, or those ways among them that give most values back: many wrong ways do not make a right one harmless."""
    by_way = {
        way: truth.score(Attempt(1, tuple(g for g in attempt.guesses if g.how == way)), limits.close)
        for way in ways(attempt)
    }
    total = sum(by_way.values(), Score())
    colour = colour_of(total, limits)
    colours = {way: colour_of(score, limits) for way, score in by_way.items()}
    open_ = [way for way in by_way if colours[way] is Colour.REFUSED and by_way[way].right >= ENOUGH]
    if open_ and colour is not Colour.REFUSED:
        together = sum((by_way[way] for way in open_), Score())
        return together, Colour.REFUSED, tuple(open_)
    reached = tuple(way for way in by_way if colours[way] is not Colour.CLEAR)
    return total, colour, () if colour is Colour.CLEAR else reached or ways(attempt)


def colour_of(score: Score, limits: AttacksDescription) -> Colour:
    """Refused where most guesses, or most of the sure ones, are right beyond chance."""
    share = _reached(score)
    if share >= limits.refused and share > 0:
        return Colour.REFUSED
    return Colour.SIGNED if share >= limits.stands_out and share > 0 else Colour.CLEAR


def _reached(score: Score) -> float:
    """The share of guesses that are right beyond chance, among all of them or among the sure ones."""
    return max(score.share, score.sure_share)


def ways(attempt: Attempt) -> tuple[Text, ...]:
    """What was put together, each way once."""
    return tuple(dict.fromkeys(guess.how for guess in attempt.guesses))


def attack_gates(entries: Iterable[AttackEntry]) -> Iterator[GateEntry]:
    """Every attack that gives originals back closes a gate; one gate holds for all others, and says no more than they leave true."""
    tried = tuple(entries)
    closed = [entry for entry in tried if entry.colour is Colour.REFUSED]
    for entry in closed:
        says = _GATE.filled(title=entry.attack.title)
        yield GateEntry(says, held=False, because=found_by(entry), public=False, helps=entry.attack.helps)
    if not closed:
        some = any(entry.colour is Colour.SIGNED for entry in tried)
        yield GateEntry(_SOME_RIGHT if some else _NONE_RIGHT, held=True, because=NOTHING)


def found_by(entry: AttackEntry) -> Text:
    """What an attack reached, in words; counts, no values."""
    score = entry.score
    sure = score.sure_share > score.share
    right, answers = (score.sure_right, score.sure) if sure else (score.right, score.answers)
    chance = score.sure_by_chance if sure else score.by_chance
    return _FOUND.filled(
        right=_count(right), answers=_count(answers), chance=_count(round(chance)), how=_listed(entry.how)
    )


def _count(value: float) -> Text:
    return Text(number(value, "en"), number(value, "de"))


def _listed(ways: Sequence[Text], most: int = 4) -> Text:
    rest = f" … ({len(ways)})" if len(ways) > most else ""
    return Text(*("; ".join(way.in_(lang) for way in ways[:most]) + rest for lang in ("en", "de")))


def attacks_standing(plan: Plan, entries: Iterable[AttackEntry]) -> Iterator[Standing]:
    """Attacks that reach something, though not most: each must be signed by a reason that goes as far."""
    limits = plan.policy.attacks
    share = Text(f"{limits.stands_out:.0%}", f"{limits.stands_out * 100:.0f} %")
    for entry in entries:
        if entry.colour is Colour.SIGNED:
            signed = accepted(plan, entry.attack.id)
            far = signed is None or signed.at_most is None or _reached(entry.score) <= signed.at_most
            yield Standing(
                entry.attack.id, entry.attack.title, _LIMIT.filled(share=share), found_by(entry), _WHY,
                entry.attack.helps, signed.reason if signed and far else "",
            )  # fmt: skip
