"""Singling out: how often a predicate made from the release fits exactly one person of the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.kernels.excess import Rate
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.legal_criteria import OnHoldout, Outcome, Sides, rate, some
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Maturity, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats, Ints
    from tarnkappe.kernels.predicates import Predicates
    from tarnkappe.risk.guessed_predicates import Guesser

_NO_PREDICATE = Text(
    "No predicate was found that fits exactly one released record, so this attack cannot be made; another one may.",
    "Es fand sich kein Prädikat, auf das genau ein freigegebener Datensatz passt; dieser Angriff ist nicht möglich, ein anderer vielleicht.",
)


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

    The same predicates are tried on the hold-out; `against` takes one. In a part of m out of n persons a person singled out is found with chance
    m/n. So where the hold-out is smaller than the original, success is compared in random parts of its size and the difference raised by
    n/m; where it is larger, in random parts of the hold-out. A hold-out as large as the original gives the narrowest interval.
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
        control = _control(counts[0], counts[1], between) if len(counts) > 1 else None
        outcome = Outcome(rate(counts[0] == 1), control, guess)
        return outcome.finding(between, details, doubt_of(between.release, names) or NOTHING)

    def _predicates(self, guesser: Guesser) -> tuple[Predicates, int]:
        if self.mode == "univariate":
            return guesser.extremes(self.attacks)
        return guesser.conjunctions(self.attacks, self.subsets)


def _control(inside: Ints, outside: Ints, between: Sides) -> Rate:
    """How often the predicates would single out a person if nobody of the original had been used.

    What is compared are the chances that a predicate fits exactly one person of a random part, as large as the smaller file. The number
    of attacks that the rate counts for is chosen so that its error is that of the comparison.
    """
    assert between.outside is not None
    n, size = len(between.members), len(between.outside)
    if n == size:
        return rate(outside == 1)
    expected = _expected(inside, outside, n, size)
    share = float(np.clip(expected.mean(), 0.0, 1.0))
    attacks, raised = float(len(inside)), max(n / size, 1.0)
    variance = float(expected.var()) / attacks
    worth = share * (1 - share) / variance if variance > 0 and 0 < share < 1 else attacks / raised
    worth = min(max(worth, attacks / raised**2), attacks / raised)
    return Rate(share * worth, worth)


def _expected(inside: Ints, outside: Ints, n: int, size: int) -> Floats:
    """For every predicate an unbiased, not a sensible, estimate: success, less what it owes to the data of this very person."""
    from tarnkappe.kernels.predicates import alone_in_part  # noqa: PLC0415 - numba is loaded when first used

    part = min(n, size)
    less = alone_in_part(inside, n, part) - alone_in_part(outside, size, part)
    out: Floats = (inside == 1) - less * (n / part)
    return out
