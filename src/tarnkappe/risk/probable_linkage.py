"""Probabilistic linkage: whom an attacker finds who learns by himself how much each agreement is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from tarnkappe.kernels.proportions import share_interval
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.key_scales import Scale, placed
from tarnkappe.risk.outside import OnOutside, Outside
from tarnkappe.risk.populations import LEVEL
from tarnkappe.risk.present import present
from tarnkappe.risk.size_profile import by_size
from tarnkappe.spec import Finding, Goal, Json, Source, measure

if TYPE_CHECKING:
    from tarnkappe.data.column import Floats
    from tarnkappe.kernels.latent_matches import Model
    from tarnkappe.risk.learnt_weights import Compared

FAR = 0.1
"""If so much more would be found with the true weights, those of EM say little about the risk."""
LITTLE = 0.01
"""Or if twice as much would be found, and this on top."""
Tolerance = Annotated[float, Field(ge=0)]
Rate = Annotated[float, Field(gt=0, lt=1)]
NO_PAIR = Text(
    "No record of the attacker has a released one in its block: nothing could be compared.",
    "Kein Datensatz des Angreifers hat in seinem Block einen freigegebenen: Es gab nichts zu vergleichen.",
)
_MISLED = Text(
    "EM was misled, as it is where keys depend on each other: with the true weights far more would be found (see the details). Use learns: "
    "truth.",
    "EM wurde in die Irre geführt, wie es bei voneinander abhängigen Schlüsseln geschieht: Mit den wahren Gewichten würden weit mehr gefunden "
    "(siehe Einzelheiten). Verwenden Sie learns: truth.",
)


@dataclass(frozen=True, slots=True, eq=False)
class _Links:
    """What the attacker decides about his records."""

    right: Floats
    """The chance that the link of a record is the right one; ties are shared out."""
    linked: Floats
    """The chance that it gets any."""
    greedy: int = 0
    """Blocks assigned greedily."""

    def figures(self, outside: Outside) -> dict[str, Json]:
        linked, right = float(self.linked.sum()), float(self.right.sum())
        return {
            "linked": linked, "hits": right, "precision": right / linked if linked > 0 else None,
            "recall": right / max(int(outside.there.sum()), 1), "greedy_blocks": self.greedy,
        }  # fmt: skip


@measure(
    "risk.probable-linkage",
    title=Text("Probabilistic linkage", "Probabilistische Zuordnung"),
    does=Text(
        "Links the records of an attacker to released ones by weights of agreement that he learns from the two files alone, and counts the "
        "right links.",
        "Ordnet Datensätze eines Angreifers freigegebenen zu, nach Gewichten der Übereinstimmung, die er allein aus den beiden Dateien lernt, "
        "und zählt die richtigen Zuordnungen.",
    ),
    sources=(
        Source("fellegisunter1969", "weights log(m/u); two thresholds and the region between them"),
        Source("winkler1988", "EM for m and u over patterns of agreement"),
        Source("jaro1989", "one-to-one assignment by the weights"),
        Source("domingoferrer2001", "the share of right links as a measure of disclosure risk"),
        Source("gottschalk2002", "section on re-identification: matching by overlap variables"),
    ),
    reads=Text(
        "The attacker links {value} of his records to the right released one.",
        "Der Angreifer ordnet {value} seiner Datensätze dem richtigen freigegebenen zu.",
    ),
    knows=Text(
        "The attacker has a file with the keys of persons, made from the original with the stated errors or a real one. He knows neither how "
        "far the release was changed nor a single true pair.",
        "Der Angreifer hat eine Datei mit den Schlüsseln von Personen, aus dem Original mit den angegebenen Fehlern gebildet oder eine echte. "
        "Er weiß weder, wie stark die Freigabe verändert wurde, noch kennt er ein einziges wahres Paar.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "see that keys depend on each other: what two of them say twice is counted twice",
            "erkennen, dass Schlüssel voneinander abhängen: Was zwei von ihnen doppelt sagen, zählt doppelt",
        ),
        Text(
            "weigh rare values more than frequent ones that agree: see risk.bayes-linkage",
            "seltene übereinstimmende Werte höher gewichten als häufige: siehe risk.bayes-linkage",
        ),
        Text(
            "say whether the values found are of use: they may have been changed as well",
            "sagen, ob die gefundenen Werte nützen: Auch sie können verändert sein",
        ),
    ),
    example={
        "keys": ["sex", "age", "occupation", "income"], "within": ["region"], "known_share": 0.9, "number_error": 0.05,
        "category_error": 0.03, "gaps": 0.02, "scale": "value", "tolerances": [0.02, 0.1], "by": "employees", "top": 2, "learns": "truth", "match": "heaviest",
        "presence_known": False,
        "false_links": 0.4, "missed_links": 0.2,
    },
)  # fmt: skip
class ProbableLinkage(OnOutside):
    """The share of the attacker's records that he links to the right released one.

    Within blocks all pairs are compared. Categories agree or do not, numbers agree in levels: equal, or apart by no more than each of the
    `tolerances` on the `scale`. What is unknown on either side tells nothing. A level has the probability m among pairs that belong together
    and u among others; a pair weighs Σ log2(m/u). The attacker learns m and u by EM from how often each pattern of levels occurs; he knows
    that no more pairs belong together than one to one (with `presence_known`, that all his persons have one), and that a closer agreement
    never speaks against a pair. Where EM does not come to rest, u is fixed at the agreement of all pairs, of which nearly none belong
    together. `learns: truth` gives him the weights that fit the true pairs: the strongest attacker of this kind.

    With `match: one-to-one` the total weight of all links in a block is as high as possible (a block of more than 4 million pairs is assigned
    greedily), else every record gets the heaviest. Ties are shared out: of t released records that fit equally each counts 1/t.
    `false_links` and `missed_links` state error rates: he links only above the weight from which on at most that share of links is expected
    to be wrong, and gives up below the one that at most that share of the true pairs is expected to miss; what lies between is left
    undecided. Fellegi and Sunter state the first rate among pairs that do not belong together; among links it can be compared.

    Compared with `baseline`, the chance of pointing at any record of the block. Per record: the chance that it is found, not a number where
    nobody looks for it. The figure is not to be trusted where the keys have too few levels to determine two classes, where EM does not
    separate them, or where far more would be found with the true weights.
    """

    scale: Scale = "rank"
    """How far numbers lie apart: by ranks in the release, in standard deviations, or relative to the value. | Wie weit Zahlen auseinander
    liegen: nach Rängen in der Freigabe (rank), in Standardabweichungen (sd) oder im Verhältnis zum Wert (value)."""
    tolerances: Annotated[tuple[Tolerance, ...], Field(min_length=1, max_length=8)] = (0.0, 0.01, 0.05, 0.2)
    """Levels of agreement of numbers: differences up to which each holds. | Stufen der Übereinstimmung von Zahlen: Unterschiede, bis zu denen
    jede gilt."""
    learns: Literal["em", "truth"] = "em"
    """How the attacker gets his weights: by EM from the files, or from the true pairs, as the strongest attacker. | Woher der Angreifer seine
    Gewichte hat: durch EM aus den Dateien (em) oder aus den wahren Paaren, als stärkster Angreifer (truth)."""
    match: Literal["one-to-one", "heaviest"] = "one-to-one"
    """All at once, each released record at most once (one-to-one), or every person on its own with the heaviest. | Alle zugleich, jeder
    freigegebene Datensatz höchstens einmal (one-to-one), oder jede Person für sich mit dem höchsten Gewicht (heaviest)."""
    presence_known: bool = True
    """The attacker knows who is in the release, and searches only those. | Der Angreifer weiß, wer in der Freigabe ist, und sucht nur diese."""
    false_links: Rate | None = None
    """He links only as long as at most this share of the links is expected to be wrong; without it always. | Er ordnet nur zu, solange
    höchstens dieser Anteil der Zuordnungen voraussichtlich falsch ist; ohne Angabe immer."""
    missed_links: Rate | None = None
    """Below the weight that this share of the true pairs does not reach, he gives a pair up; above it undecided pairs are counted. | Unter dem
    Gewicht, das dieser Anteil der wahren Paare nicht erreicht, verwirft er ein Paar; darüber werden unentschiedene gezählt."""

    def attack(self, outside: Outside) -> Finding:
        from tarnkappe.risk.learnt_weights import compared  # noqa: PLC0415 - numba is loaded when first used

        outside = present(outside) if self.presence_known else outside
        steps = tuple(sorted(set(self.tolerances)))
        pairs = compared(outside, placed(outside, self.scale), steps)
        if not pairs.pairs:
            return Finding(0.0, baseline=0.0, trusted=False, because=NO_PAIR, details=self.knowledge(outside))
        counted = False
        if self.learns == "truth":
            model, doubt = pairs.known_weights(), NOTHING
        else:
            model, counted = pairs.learnt(all_there=self.presence_known)
            doubt = pairs.doubt(model)
        return self._finding(pairs, model, doubt, {"u_counted": counted, "steps": model.steps})

    def _finding(self, pairs: Compared, model: Model, doubt: Text, found: dict[str, Json]) -> Finding:
        outside, weights = pairs.outside, pairs.weights(model)
        limits = self._limits(pairs, model, weights)
        links = (_assigned if self.match == "one-to-one" else _heaviest)(
            pairs, weights, limits.get("upper", -np.inf)
        )
        known = float(_heaviest(pairs, pairs.weights(pairs.known_weights()), -np.inf).right.mean())
        ones = np.ones(len(links.right))
        low, high = share_interval(links.right, ones, ones, LEVEL) or (None, None)
        value = float(links.right.mean())
        misled = self.learns == "em" and self.false_links is None and known > min(value + FAR, 2 * value + LITTLE)  # fmt: skip
        doubt = outside.doubt() or doubt or (_MISLED if misled else NOTHING)
        details: dict[str, Json] = {
            **self.knowledge(outside), "level": LEVEL, "scale": self.scale, "learns": self.learns, **found, "match": self.match,
            "presence_known": self.presence_known,
            "pairs_compared": pairs.pairs, "patterns": len(pairs.patterns), "expected_pairs": model.p * pairs.pairs,
            **links.figures(outside), "right_with_known_weights": known, **limits, "agreement": _told(pairs, model),
            **by_size(outside, np.ones(len(links.right), dtype=np.bool_), links.right, self.by, self.top),
        }  # fmt: skip
        if "lower" in limits:
            details["undecided"] = _undecided(pairs, weights, limits)
        baseline = float(outside.by_chance.mean())
        return Finding(value, low, high, baseline, doubt == NOTHING, doubt, details, outside.of_released(links.right))  # fmt: skip

    def _limits(self, pairs: Compared, model: Model, weights: Floats) -> dict[str, float]:
        """The weights that follow from the stated error rates."""
        from tarnkappe.kernels.latent_matches import posterior  # noqa: PLC0415
        from tarnkappe.risk.learnt_weights import lower, upper  # noqa: PLC0415

        chance, counts = posterior(weights, model.p), pairs.shown.counts
        limits = {}
        if self.false_links is not None:
            limits["upper"] = upper(weights, counts, chance, self.false_links)
        if self.missed_links is not None:
            limits["lower"] = lower(weights, counts, chance, self.missed_links)
        return limits


def _assigned(pairs: Compared, weights: Floats, limit: float) -> _Links:
    """One to one; of the links only those that reach the limit are kept."""
    outside, known, released = pairs.outside, pairs.known, pairs.released
    found = pairs.assigned(weights, limit)
    right, rows = np.zeros(len(outside.known)), np.flatnonzero(outside.findable)
    right[rows] = found.share(known.of[rows], released.of[outside.truth[rows]], (known.times, released.times))
    linked = np.bincount(found.one, weights=found.times, minlength=len(known.times)) / known.times
    return _Links(right, linked[known.of], found.greedy)


def _heaviest(pairs: Compared, weights: Floats, limit: float) -> _Links:
    """Every record takes the heaviest pair, if it reaches the limit; ties are shared out."""
    outside, best = pairs.outside, pairs.best(weights)
    highest, ties = best.weight[pairs.known.of], best.ties[pairs.known.of]
    linked = (ties > 0) & (highest >= limit)
    rows = np.flatnonzero(outside.findable)
    right = np.zeros(len(outside.known))
    right[rows] = np.where(weights[pairs.true_pairs] == highest[rows], 1 / np.maximum(ties[rows], 1), 0.0)
    return _Links(np.where(linked, right, 0.0), linked.astype(np.float64))


def _undecided(pairs: Compared, weights: Floats, limits: dict[str, float]) -> int:
    """Records whose heaviest pair lies between the two limits."""
    best = pairs.best(weights).weight[pairs.known.of]
    return int(((best >= limits["lower"]) & (best < limits.get("upper", -np.inf))).sum())


def _told(pairs: Compared, model: Model) -> list[dict[str, Json]]:
    """The weights of the levels of every key, the closest agreement first."""
    return [
        {"key": key.name, "m": model.m[j, :size].tolist(), "u": model.u[j, :size].tolist()}
        for j, (key, size) in enumerate(zip(pairs.outside.keys, pairs.shown.sizes, strict=True))
    ]
