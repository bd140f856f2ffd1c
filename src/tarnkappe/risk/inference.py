"""Inference: how often the release tells a secret of somebody whose other values are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tarnkappe.data.column import SUPPRESSED_CODE
from tarnkappe.errors.risk import NoSensitive, SensitiveIsKey
from tarnkappe.language import NOTHING, Text
from tarnkappe.risk.guessed_secrets import Category, Number
from tarnkappe.risk.legal_criteria import LEVEL, OnHoldout, Outcome, Sides, rate, some
from tarnkappe.risk.profiles import doubt_of
from tarnkappe.spec import Finding, Goal, Json, Maturity, Source, measure
from tarnkappe.spec.needs import needs
from tarnkappe.vocab import Role

if TYPE_CHECKING:
    from tarnkappe.data.column import Ints
    from tarnkappe.kernels.gower_tree import Tree

_CONSTANT = Text(
    "A sensitive column has one value only in the original: there is nothing to infer.",
    "Eine sensible Spalte hat im Original nur einen Wert: Es gibt nichts zu erschließen.",
)


@measure(
    "risk.inference",
    title=Text("Inference", "Inferenz"),
    does=Text(
        "Guesses the secrets of persons from the released records most like them, and counts how often that is right, beyond how often it is for "
        "others.",
        "Errät die Geheimnisse von Personen aus den freigegebenen Datensätzen, die ihnen am ähnlichsten sind, und zählt, wie oft das stimmt, und "
        "zwar öfter als bei anderen.",
    ),
    sources=(
        Source("wp216", "section 3: inference"),
        Source("giomi2023", "attribute inference attack, excess over a control"),
        Source("dav2025", "section 2.4: the three risks"),
        Source("gower1971", "distance of records with numbers and categories"),
        Source("koopman1984", "interval of a ratio of two shares"),
    ),
    reads=Text(
        "For the share {value} of persons the secret is guessed right because their data was used.",
        "Für den Anteil {value} der Personen wird das Geheimnis richtig erraten, weil ihre Daten verwendet wurden.",
    ),
    knows=Text(
        "The attacker knows the true values of all keys of a person, and has the release.",
        "Der Angreifer kennt die wahren Werte aller Schlüssel einer Person und hat die Freigabe.",
    ),
    goal=Goal.LOW,
    bounds=(0, 1),
    compares=True,
    does_not=(
        Text(
            "count what anybody learns of anybody from the release, such as that smokers fall ill: that is what data is for, and the rate on the "
            "hold-out shows it",
            "zählen, was jeder über jeden aus der Freigabe lernt, etwa dass Raucher erkranken: Dafür sind Daten da, und die Quote der "
            "Vergleichsgruppe zeigt es",
        ),
        Text(
            "find the best guess: a model that knows more than the nearest records may guess better",
            "die beste Vorhersage finden: Ein Modell, das mehr nutzt als die nächsten Datensätze, kann besser raten",
        ),
        Text(
            "separate what the release tells of its persons from what holds for everybody without a hold-out: then it is not trusted",
            "ohne Vergleichsgruppe trennen, was die Freigabe über ihre Personen verrät und was für alle gilt: Dann wird ihm nicht getraut",
        ),
    ),
    maturity=Maturity.REPLICATED,
    words={
        "worst_secret": Text("secret guessed best", "am besten erratenes Geheimnis"),
    },
    example={
        "keys": ["age", "sex", "postcode"], "sensitive": ["diagnosis", "income"], "nearest": 3, "tolerance": 0.1, "attacks": 500,
        "holdout": "left-out",
    },
)  # fmt: skip
class Inference(OnHoldout):
    """The share of persons whose secret is guessed right because their data was used; of several secrets the worst counts.

    The guess is the most frequent value, for numbers the median, among the nearest released records and all others just as near. Distances
    are Gower's: numbers and dates by their difference in parts of the range that the release shows, categories by being equal or not;
    missing equals missing only; a suppressed value counts as half a difference. A suppressed secret has no vote; a missing one is a value, and
    guessing that a secret is missing is right where it is. A number is guessed right if it differs from the true one by at most `tolerance`
    times the true amount; amounts near zero (below a hundredth of the median amount) count as that hundredth. Persons whose secret is
    suppressed in the original are not attacked. Who only guesses takes the most frequent value, or the median, of the release.

    The details have every secret. Intervals are of 95 % for all of them together (Bonferroni). The hold-out, which `against` takes, consists of
    persons whose data did not enter the release.
    """

    needs_roles = needs(keys=Role.KEY, sensitive=Role.SENSITIVE)

    keys: tuple[str, ...] = ()
    """Columns the attacker knows; without them, those with the role key. | Spalten, die der Angreifer kennt; ohne Angabe die mit der Rolle
    key."""
    sensitive: tuple[str, ...] = ()
    """Columns he wants to learn; without them, those with the role sensitive. | Spalten, die er erfahren will; ohne Angabe die mit der Rolle
    sensitive."""
    nearest: Annotated[int, Field(ge=1)] = 1
    """So many nearest records have a vote, and all just as near. | So viele nächste Datensätze stimmen ab und alle, die ebenso nahe sind."""
    tolerance: Annotated[float, Field(ge=0, lt=1)] = 0.05
    """Largest relative error of a number that is guessed right. | Größter relativer Fehler einer richtig erratenen Zahl."""

    def attack(self, between: Sides) -> Finding:
        keys = some(between.chosen(self.keys, (Role.KEY,)))
        secrets = self._secrets(between, keys)
        attacker = _Attacker(between.cells(keys), self.nearest)
        draw = self.draw(between)
        level = 1 - (1 - LEVEL) / len(secrets)
        doubt = doubt_of(between.release, keys)
        found = {}
        for name in secrets:
            secret = self._secret(between, name)
            outcome = self._outcome(secret, attacker, draw)
            found[name] = outcome.finding(between, {}, doubt or _doubt_of(secret), level)
        told = {"keys": keys, "nearest": self.nearest, "tolerance": self.tolerance}
        return _worst(found, told)

    def _secrets(self, between: Sides, keys: tuple[str, ...]) -> tuple[str, ...]:
        secrets = between.chosen(self.sensitive, (Role.SENSITIVE,))
        if not secrets:
            raise NoSensitive
        for name in secrets:
            if name in keys:
                raise SensitiveIsKey(name=name)
        return secrets

    def _secret(self, between: Sides, name: str) -> Category | Number:
        """Numbers are guessed nearly; all else, dates too, exactly."""
        column = between.columns((name,))[0]
        numeric = column.ordered and between.release.column(name).kind.is_number
        return Number(column, self.tolerance) if numeric else Category(column)

    def _outcome(self, secret: Category | Number, attacker: _Attacker, draw: np.random.Generator) -> Outcome:
        """Attack members and, where there is one, the hold-out."""
        rates, guesses = [], []
        for file, truth in enumerate(secret.column.codes[1:]):
            known = np.flatnonzero(truth != SUPPRESSED_CODE)
            chosen = known[self.targets(len(known), draw)]
            rates.append(rate(secret.right(attacker.guess(secret, file, chosen), truth[chosen])))
            guesses.append(rate(secret.right(secret.usual(len(chosen)), truth[chosen])))
        guessed = guesses[0].hits / guesses[0].attacks if guesses[0].attacks else 0.0
        return Outcome(rates[0], rates[1] if len(rates) > 1 else None, guessed)


class _Attacker:
    """Finds the released records that are nearest to what is known of a person."""

    def __init__(self, cells: list[Ints], nearest: int) -> None:
        from tarnkappe.kernels.gower_tree import grow  # noqa: PLC0415 - numba is loaded when first used

        self._tree: Tree = grow(cells[0])
        self._others = cells[1:]
        self._k = min(nearest, len(cells[0]))

    def guess(self, secret: Category | Number, file: int, chosen: Ints) -> NDArray[Any]:
        return secret.nearest(self._tree, self._others[file][chosen], self._k)


def _doubt_of(secret: Category | Number) -> Text:
    """Why a secret cannot be inferred, or nothing."""
    truth = secret.column.codes[1]
    return _CONSTANT if len(np.unique(truth[truth != SUPPRESSED_CODE])) < 2 else NOTHING


def _worst(found: dict[str, Finding], told: dict[str, Json]) -> Finding:
    """The largest risk of all secrets; intervals that hold together give one of the largest. All must be trusted."""
    name = max(found, key=lambda secret: found[secret].value)
    doubted = next((finding for finding in found.values() if not finding.trusted), None)
    worst = found[name]
    return Finding(
        worst.value,
        max(finding.low or 0.0 for finding in found.values()),
        max(finding.high or 0.0 for finding in found.values()),
        worst.baseline,
        trusted=doubted is None,
        because=(doubted or worst).because,
        details={**told, "worst_secret": name, "sensitive": {n: _told(f) for n, f in found.items()}},
    )


def _told(finding: Finding) -> dict[str, Json]:
    return {"value": finding.value, "low": finding.low, "high": finding.high, **finding.details}
