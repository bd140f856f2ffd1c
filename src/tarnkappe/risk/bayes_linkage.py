"""Bayesian linkage: whom an attacker identifies surely who knows how far both files may be wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from tarnkappe.data.column import Floats
from tarnkappe.kernels.proportions import share_interval
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.key_scales import Placed, Scale, placed
from tarnkappe.risk.outside import OnOutside, Outside, Part, Spread
from tarnkappe.risk.populations import LEVEL
from tarnkappe.risk.present import present
from tarnkappe.risk.probable_linkage import NO_PAIR
from tarnkappe.risk.size_profile import by_size
from tarnkappe.spec import Finding, Goal, Json, Source, measure

if TYPE_CHECKING:
    from tarnkappe.kernels.hit_miss import Errors
    from tarnkappe.risk.sought import Sought

FEW = 10
_FEW = Text(
    f"The errors of some keys are estimated from fewer than {FEW} true pairs; state them under known_noise and known_misses.",
    f"Die Fehler einiger Schlüssel sind aus weniger als {FEW} wahren Paaren geschätzt; nennen Sie sie unter known_noise und known_misses.",
)


@measure(
    "risk.bayes-linkage",
    title=Text("Bayesian linkage", "Bayesianische Zuordnung"),
    does=Text(
        "Computes for every person of an attacker's file the probability of each released record, and counts the persons who are rightly "
        "identified with the stated certainty.",
        "Berechnet zu jeder Person aus der Datei eines Angreifers die Wahrscheinlichkeit jedes freigegebenen Datensatzes und zählt die "
        "Personen, die mit der angegebenen Sicherheit richtig erkannt werden.",
    ),
    sources=(
        Source("paass1988", "posterior probabilities by discriminant analysis; surety of an identification"),
        Source("paasswauschkuhn1984", "Bayesian re-identification of anonymised records"),
        Source("copas1990", "hit-miss model of the errors"),
        Source("gottschalk2002", "section on re-identification: Bayesian approach"),
        Source("hoehne2010", "section 1.2: quality of what the attacker knows"),
    ),
    reads=Text(
        "{value} of the persons searched are rightly identified with the stated certainty.",
        "{value} der gesuchten Personen werden mit der angegebenen Sicherheit richtig erkannt.",
    ),
    knows=Text(
        "The attacker has a file with the keys of persons, and knows how large the errors in both files are and how surely a person is in the "
        "release.",
        "Der Angreifer hat eine Datei mit den Schlüsseln von Personen und weiß, wie groß die Fehler in beiden Dateien sind und wie sicher eine "
        "Person in der Freigabe ist.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "count what an attacker believes who is less sure: a lower certainty gives more hits and more errors",
            "zählen, was ein Angreifer mit geringeren Ansprüchen glaubt: Weniger Sicherheit ergibt mehr Treffer und mehr Fehler",
        ),
        Text(
            "see that the errors of keys depend on each other, as with a factor that is common to all values of a record",
            "erkennen, dass die Fehler der Schlüssel voneinander abhängen, wie bei einem gemeinsamen Faktor für alle Werte eines Datensatzes",
        ),
        Text(
            "say whether the values found are of use: they may have been changed as well",
            "sagen, ob die gefundenen Werte nützen: Auch sie können verändert sein",
        ),
    ),
    words={
        "participation": Text("how surely a person is in the release", "wie sicher eine Person in der Freigabe ist"),
        "right_if_participation_known": Text("share found if it is known who took part", "Anteil der Gefundenen, wenn die Teilnahme bekannt ist"),
        "wrong_links": Text("wrong links", "falsche Zuordnungen"),
    },
    example={
        "keys": ["sex", "age", "occupation", "income"], "within": ["region"], "known_share": 0.9, "number_error": 0.05,
        "category_error": 0.03, "gaps": 0.02, "scale": "sd", "by": "employees", "top": 2, "certainty": 0.7, "participation": 0.8, "known_noise": {"income": 0.1},
        "known_misses": {"sex": 0.03},
    },
)  # fmt: skip
class BayesLinkage(OnOutside):
    """The share of the persons searched whom the attacker identifies rightly and surely.

    He takes the released record with the highest posterior probability if that reaches `certainty`; of t equally probable ones each
    counts 1/t. A value he knows is a *hit*, which differs from the released one by a normal error (not at all, for a category), or with
    some probability a *miss*, which tells nothing; the errors are those of his file and of the masking together. Values that anybody has
    are worth less than rare ones. The standard deviations and the shares of misses are those stated, in units of the `scale`, and where none
    are stated the ones that fit the true pairs best: the attacker knows how well the data was protected, but not whose record is whose.
    All released records of a block are equally probable beforehand; with 1 - `participation` the person is in none. Where that is 0, he
    searches only those who are in the release.

    The details give wrong identifications, how sure the attacker was on average beside how often he was right, and what he would find if he
    knew who took part. Compared with `baseline`, the chance of pointing at any record of the block. Per record: the chance that it is
    identified, not a number where nobody looks for it.
    """

    scale: Scale = "value"
    """On what scale errors of numbers are normal: relative to the value, in standard deviations, or by ranks in the release. | Auf welcher
    Skala Fehler von Zahlen normalverteilt sind: im Verhältnis zum Wert (value), in Standardabweichungen (sd) oder nach Rängen in der
    Freigabe (rank)."""
    certainty: Annotated[float, Field(gt=0, le=1)] = 0.5
    """From this probability on, the attacker takes a person as identified. | Ab dieser Wahrscheinlichkeit hält der Angreifer eine Person für
    erkannt."""
    participation: Annotated[float, Field(gt=0, le=1)] = 1.0
    """How surely a person searched is in the release. | Wie sicher eine gesuchte Person in der Freigabe ist."""
    known_noise: Mapping[str, Spread] = {}
    """Standard deviation of the differences between the files by column of numbers, where it is known. | Standardabweichung der Unterschiede
    zwischen den Dateien je Spalte mit Zahlen, soweit bekannt."""
    known_misses: Mapping[str, Part] = {}
    """Share of values that tell nothing about the person by column, where it is known. | Anteil der Werte, die nichts über die Person sagen,
    je Spalte, soweit bekannt."""

    def attack(self, outside: Outside) -> Finding:
        from tarnkappe.risk.sought import sought  # noqa: PLC0415 - numba is loaded when first used

        outside = present(outside) if self.participation >= 1 else outside
        keys = placed(outside, self.scale)
        for name in (*self.known_noise, *self.known_misses):
            outside.released.column(name)
        found = sought(outside, keys, [self._errors(outside, key) for key in keys])
        if not found.compared:
            return Finding(0.0, baseline=0.0, trusted=False, because=NO_PAIR, details=self.knowledge(outside))
        return self._finding(found, keys)

    def _errors(self, outside: Outside, key: Placed) -> Errors:
        """Stated, or estimated from the true pairs."""
        from tarnkappe.kernels.hit_miss import Errors, category_errors, frequency, number_errors  # noqa: PLC0415

        y, x = key.known[outside.there], key.released[outside.truth[outside.there]]
        if key.count:
            fitted = category_errors(y, x, frequency(y, key.released, key.count))
        else:
            fitted = number_errors(y, x, key.released, self.known_noise.get(key.name))
        return Errors(fitted.noise, self.known_misses.get(key.name, fitted.miss))

    def _finding(self, found: Sought, keys: tuple[Placed, ...]) -> Finding:
        outside = found.outside
        believed = found.believed(1 - self.participation)
        sure = believed >= self.certainty - 1e-12
        right: Floats = np.where(sure, found.right, 0.0)
        ones = np.ones(len(right))
        low, high = share_interval(right, ones, ones, LEVEL) or (None, None)
        doubt = outside.doubt() or (_FEW if self._estimated(keys) and outside.there.sum() < FEW else NOTHING)
        told = found.believed(0.0) >= self.certainty - 1e-12
        details: dict[str, Json] = {
            **self.knowledge(outside), "level": LEVEL, "scale": self.scale, "certainty": self.certainty, "participation": self.participation,
            "identified": int(sure.sum()), "hits": float(right.sum()), "wrong_links": float(sure.sum() - right.sum()),
            "unsure": int((~sure).sum()), "precision": float(right.sum() / sure.sum()) if sure.any() else None,
            "believed": float(believed[sure].mean()) if sure.any() else None,
            "recall": float(right.sum() / max(int(outside.there.sum()), 1)),
            "right_if_participation_known": float(np.where(told, found.right, 0.0).mean()),
            "errors": [{"key": key.name, **error._asdict()} for key, error in zip(keys, found.errors, strict=True)],
            **by_size(outside, np.ones(len(right), dtype=np.bool_), right, self.by, self.top),
        }  # fmt: skip
        baseline = float(outside.by_chance.mean())
        return Finding(float(right.mean()), low, high, baseline, doubt == NOTHING, doubt, details, outside.of_released(right))  # fmt: skip

    def _estimated(self, keys: tuple[Placed, ...]) -> bool:
        return any(
            key.name not in self.known_misses or (not key.count and key.name not in self.known_noise) for key in keys
        )  # fmt: skip
