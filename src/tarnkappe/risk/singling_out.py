"""Singling out: how often a predicate made from the release fits exactly one person of the original."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.kernels.excess import Rate
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.legal_criteria import OnHoldout, Outcome, Sides, rate, some
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Maturity, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.column import Ints
    from tarnkappe.kernels.predicates import Predicates
    from tarnkappe.risk.guessed_predicates import Guesser

_NO_PREDICATE = Text(
    "No predicate was found that fits exactly one released record, so this attack cannot be made; another one may.",
    "Es fand sich kein Prädikat, auf das genau ein freigegebener Datensatz passt; dieser Angriff ist nicht möglich, ein anderer vielleicht.",
)
_TOO_SMALL = Text(
    "The hold-out has {count} records, the original {records}: it is too small to tell what as many others would show.",
    "Die Vergleichsgruppe hat {count} Datensätze, das Original {records}: Sie ist zu klein, um zu sagen, was ebenso viele andere zeigen würden.",
)
FAR = 5
"""So many times as large as the hold-out the original may be."""


@measure(
    "risk.singling-out",
    title=Text("Singling out", "Herausgreifen"),
    does=Text(
        "Makes predicates from the release and counts how many fit exactly one person of the original, beyond how many would fit one of others.",
        "Bildet Prädikate aus der Freigabe und zählt, wie viele auf genau eine Person des Originals passen, und zwar mehr, als auf eine von "
        "anderen passen würden.",
    ),
    sources=(
        Source("wp216", "section 3: singling out"),
        Source("giomi2023", "univariate and multivariate singling-out attack, excess over a control"),
        Source("dav2025", "section 2.4: the three risks"),
        Source("koopman1984", "interval of a ratio of two shares"),
        Source("laird1978", "likeliest distribution of the weights of predicates, for a hold-out smaller than the original"),
    ),
    reads=Text(
        "Of the predicates made from the release, {value} single out a person because that person's data was used.",
        "Von den Prädikaten aus der Freigabe greift der Anteil {value} eine Person heraus, weil deren Daten verwendet wurden.",
    ),
    knows=Text(
        "The attacker has the release only, and finds conditions that fit exactly one of its records. To use them he must know the person's "
        "values from elsewhere.",
        "Der Angreifer hat nur die Freigabe und findet Bedingungen, auf die genau einer ihrer Datensätze passt. Um sie zu nutzen, muss er die "
        "Werte der Person anderswoher kennen.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "show that nobody can be singled out: it tries random predicates of one form, and a clever attacker chooses",
            "zeigen, dass niemand herausgegriffen werden kann: Es probiert zufällige Prädikate einer Form, ein kluger Angreifer wählt aus",
        ),
        Text(
            "say who is found or what is learnt: see risk.reidentification and risk.inference",
            "sagen, wer gefunden oder was erfahren wird: siehe risk.reidentification und risk.inference",
        ),
        Text(
            "separate what the release tells of its persons from what holds for everybody without a hold-out: then it is not trusted",
            "ohne Vergleichsgruppe trennen, was die Freigabe über ihre Personen verrät und was für alle gilt: Dann wird ihm nicht getraut",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "predicates_tried": Text("predicates tried", "probierte Prädikate"),
    },
    example={
        "columns": ["age", "sex", "income", "wealth", "birth", "diagnosis"], "mode": "univariate", "subsets": 2, "attacks": 500,
        "holdout": "left-out",
    },
)  # fmt: skip
class SinglingOut(OnHoldout):
    """The share of predicates that single out one person because of the release, with an interval of 95 %.

    Univariate predicates ask for a value that occurs once in the release, for at most its smallest or at least its largest, or for its only
    missing value. Multivariate ones take random columns of a random released record: its categories as they are, a number above the median
    as a lower limit, others as an upper one. Only those count that fit exactly one released record, one for each such record; what is
    suppressed fits none. A predicate succeeds if it fits exactly one record of the original that entered the release. Guessing means
    conditions of the same form drawn column by column.

    The same predicates are tried on the hold-out; `against` takes one. How many fit exactly one person depends on how many persons there are.
    So where the hold-out is larger than the original, success in random parts of that size is expected; where it is smaller, it is estimated
    what as many persons as the original has would show, from how many of the hold-out each predicate fits (laird1978). A hold-out as large
    as the original gives the narrowest interval; one below a fifth of it is not trusted.
    """

    columns: tuple[str, ...] = ()
    """Columns that conditions are made of; without them, all that say something about a person. | Spalten, aus denen Bedingungen gebildet
    werden; ohne Angabe alle, die etwas über eine Person sagen."""
    mode: Literal["multivariate", "univariate"] = "multivariate"
    """Conditions on several columns at once, or on one that has rare values. | Bedingungen an mehrere Spalten zugleich (multivariate) oder an
    eine mit seltenen Werten (univariate)."""
    subsets: Annotated[int, Field(ge=1)] = 3
    """How many columns a multivariate predicate has. | Wie viele Spalten ein Prädikat mit mehreren Spalten hat."""

    def attack(self, between: Sides) -> Finding:
        from tarnkappe.kernels.predicates import index, matches  # noqa: PLC0415 - numba is loaded when first used
        from tarnkappe.risk.guessed_predicates import Guesser  # noqa: PLC0415

        names = some(between.chosen(self.columns))
        columns = between.columns(names)
        guesser = Guesser.of(columns, self.draw(between))
        asked, tried = self._predicates(guesser)
        blind = guesser.blind(self.attacks, self.subsets if self.mode == "multivariate" else 1)
        others = [index(np.array([c.codes[f] for c in columns])) for f in range(1, len(between.files))]
        counts = [matches(file, asked, file.codes.shape[1])[0] for file in others]
        guess = float(np.mean(matches(others[0], blind, 1)[0] == 1)) if len(blind.columns) else 0.0
        details = {"columns": names, "mode": self.mode, "predicates_tried": tried}
        if not len(asked.columns):
            return Finding(0.0, baseline=guess, trusted=False, because=_NO_PREDICATE, details=details)
        control = _control(counts[1], between, guesser.draw) if len(counts) > 1 else None
        outcome = Outcome(rate(counts[0] == 1), control, guess)
        return outcome.finding(between, details, doubt_of(between.release, names) or _doubt(between))

    def _predicates(self, guesser: Guesser) -> tuple[Predicates, int]:
        if self.mode == "univariate":
            return guesser.extremes(self.attacks)
        return guesser.conjunctions(self.attacks, self.subsets)


def _control(counts: Ints, between: Sides, draw: np.random.Generator) -> Rate:
    """How often the predicates would single out a person of as many others as the original has.

    The number of attacks that the rate counts for is chosen so that its error is that of the estimate.
    """
    from tarnkappe.kernels.larger_sample import alone_in_larger  # noqa: PLC0415 - scipy is loaded when first used
    from tarnkappe.kernels.predicates import alone_in_part  # noqa: PLC0415 - numba is loaded when first used

    assert between.outside is not None
    n, size, attacks = len(between.members), len(between.outside), float(len(counts))
    if n == size:
        return rate(counts == 1)
    if n < size:
        chance = alone_in_part(counts, size, n)
        share, error = float(chance.mean()), float(chance.std()) / math.sqrt(attacks)
    else:
        share, error = alone_in_larger(counts, size, n, draw)
    most = attacks * min(size / n, 1.0)
    worth = min(share * (1 - share) / error**2, most) if error > 0 else most
    return Rate(share * worth, worth)


def _doubt(between: Sides) -> Text:
    """Why the hold-out is too small, or nothing."""
    n, size = len(between.members), len(between.outside or between.members)
    return _TOO_SMALL.filled(count=size, records=n) if n > FAR * size else NOTHING
