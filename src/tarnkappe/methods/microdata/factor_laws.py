"""Distributions of random factors with mean 1: parameters, draws and moments."""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import BaseModel, Field, model_validator

from tarnkappe.data.column import Floats
from tarnkappe.kernels.expectation import FAR, Nodes, nodes
from tarnkappe.kernels.symmetric_laws import bounded_normal, least_sd
from tarnkappe.language import Text
from tarnkappe.spec import Declared

SUMS = 1e-9
"""Probabilities may miss 1 by so much, and so may the mean of factors."""


class Useless(BaseModel):
    """Protection by uselessness: a risk-averse attacker needs many values that are nearly right."""

    model_config = Declared.model_config

    tolerance: Annotated[float, Field(ge=1e-9, lt=1)]
    """A value is useful when it is off by at most this part. | Nutzbar ist ein Wert, der höchstens um diesen Teil abweicht."""
    useful_share: Annotated[float, Field(gt=0, lt=1)]
    """Largest share of useful values. | Größter Anteil nutzbarer Werte."""


class Law(BaseModel):
    """What all laws tell."""

    model_config = Declared.model_config

    @property
    def least(self) -> float:
        """Smallest relative change."""
        return 0.0

    @property
    def most(self) -> float:
        """Largest relative change."""
        return np.inf

    @property
    def symmetric(self) -> bool:
        """As probable above 1 as below, so that the direction can be drawn apart."""
        return True

    @property
    def keeps_direction(self) -> bool:
        """Whether a factor whose direction is up is never below 1."""
        return self.symmetric

    @property
    def different(self) -> int | None:
        """How many different factors there are, where they can be counted."""
        return None

    @abstractmethod
    def nodes(self) -> Nodes:
        """Factors and their weights, for expectations by quadrature."""

    @abstractmethod
    def sizes(self, generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Relative changes where the direction is up; they may be below 0 where the law allows it."""

    @property
    def variance(self) -> float:
        return self.nodes().mean(lambda w: (w - 1) ** 2)

    def up(self) -> Nodes:
        """The factors of those that go up; of a symmetric law, half of all."""
        law = self.nodes()
        above = law.points > 1
        return Nodes(law.points[above], law.weights[above] / law.weights[above].sum())

    def covariances(self, shared: str) -> dict[str, float]:
        """Of the factors of two values of one record, and of their logarithms: what products of two masked columns need."""
        told = self.moments()
        if shared == "nothing":
            return {"covariance": 0.0, "covariance_of_logarithms": 0.0}
        if shared == "factor":
            own = {"covariance": told["variance"]}
            logs = told.get("variance_of_logarithm")
            return own if logs is None else {**own, "covariance_of_logarithms": logs}
        up = self.up()  # by symmetry, those that go down are 2 - w
        own = {"covariance": up.mean(lambda w: w - 1) ** 2}
        if "variance_of_logarithm" in told:
            own["covariance_of_logarithms"] = ((up.mean(np.log) - up.mean(lambda w: np.log(2 - w))) / 2) ** 2
        return {name: round(value, 10) for name, value in own.items()}

    def moments(self) -> dict[str, float]:
        """What corrected estimates need; those of 1/w and ln w only where factors stay away from 0."""
        law = self.nodes()
        told = {
            "mean": 1.0,
            "variance": self.variance,
            **{f"raw_moment_{k}": law.mean(lambda w, k=k: w**k) for k in (2, 3, 4)},  # type: ignore[misc]
        }
        if law.points.min() >= 0.01:
            told["mean_of_inverse"] = law.mean(lambda w: 1 / w)
            told["mean_of_logarithm"] = law.mean(np.log)
            told["variance_of_logarithm"] = law.mean(lambda w: np.log(w) ** 2) - law.mean(np.log) ** 2
        return {name: round(value, 10) for name, value in told.items()}


class MixtureFactors(Law):
    """1 ± f with a normal spread around both: few factors near 1, none far out (Höhne)."""

    law: Literal["mixture"] = "mixture"
    """Mixture of two normal distributions. | Mischung zweier Normalverteilungen."""
    f: Annotated[float, Field(gt=0, lt=1)] = 0.11
    """Shift up or down. | Verschiebung nach oben oder unten."""
    s: Annotated[float, Field(ge=0, lt=1)] = 0.03
    """Standard deviation around the shift. | Standardabweichung um die Verschiebung."""
    smallest: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Smallest relative change. | Kleinste relative Änderung."""

    @model_validator(mode="after")
    def _factors_are_positive(self) -> Self:
        if 1 - self.f - 4 * self.s <= 0:
            raise ValueError(Text("needs f + 4 s below 1", "braucht f + 4 s unter 1"))
        if self.smallest and self.smallest >= self.f:
            raise ValueError(Text("needs smallest below f", "braucht smallest unter f"))
        return self

    @property
    def keeps_direction(self) -> bool:
        return not self.s or self.smallest > 0

    @property
    def different(self) -> int | None:
        return None if self.s else 2

    @property
    def cut(self) -> float:
        """Largest spread: so that factors stay positive and changes at least the smallest."""
        return min(self.f - self.smallest, 1 - self.f) if self.smallest else 1 - self.f

    @property
    def least(self) -> float:
        return self.smallest

    @property
    def most(self) -> float:
        return self.f + (self.cut if self.s else 0.0)

    def spreads(self, generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """w*, the part that every value has of its own."""
        if not self.s:
            return np.zeros(shape)
        if not self.smallest and self.cut > FAR * self.s:
            return self.s * generator.standard_normal(shape)
        u, sign = generator.random(shape), generator.random(shape) - 0.5
        return self.s * bounded_normal(u, sign, 0.0, self.cut / self.s)

    def sizes(self, generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return self.f + self.spreads(generator, shape)

    def up(self) -> Nodes:
        both = self.nodes()
        half = len(both.points) // 2
        return Nodes(both.points[half:], 2 * both.weights[half:])

    def nodes(self) -> Nodes:
        if not self.s:
            return Nodes(np.array([1 - self.f, 1 + self.f]), np.array([0.5, 0.5]))
        reach = min(self.cut, FAR * self.s)
        one = nodes([(-reach, reach)], lambda v: np.exp(-((v / self.s) ** 2) / 2))
        points = np.concatenate([1 - self.f + one.points, 1 + self.f + one.points])
        return Nodes(points, np.concatenate([one.weights, one.weights]) / 2)


class NormalFactors(Law):
    """Normal around 1, where asked without its middle and its ends (Kim and Winkler); never negative."""

    law: Literal["normal"]
    """Normal distribution. | Normalverteilung."""
    s: Annotated[float, Field(ge=1e-9, lt=1)] | Useless
    """Standard deviation, or what must be useless. | Standardabweichung, oder was unbrauchbar sein soll."""
    smallest: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Smallest relative change. | Kleinste relative Änderung."""
    largest: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Largest relative change. | Größte relative Änderung."""

    @model_validator(mode="after")
    def _there_is_room(self) -> Self:
        if self.smallest >= self.largest:
            raise ValueError(Text("needs smallest below largest", "braucht smallest unter largest"))
        if not np.isfinite(self.sd):
            raise ValueError(
                Text(
                    "cannot leave so few values useful with changes up to largest",
                    "kann mit Änderungen bis largest nicht so wenige Werte nutzbar lassen",
                )
            )
        return self

    @property
    def sd(self) -> float:
        if isinstance(self.s, Useless):
            return least_sd(self.s.tolerance, self.s.useful_share, self.smallest, self.largest)
        return self.s

    @property
    def least(self) -> float:
        return self.smallest

    @property
    def most(self) -> float:
        return self.largest

    def sizes(self, generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
        u = generator.random(shape)
        return self.sd * bounded_normal(u, np.ones(shape), self.smallest / self.sd, self.largest / self.sd)

    def nodes(self) -> Nodes:
        end = min(self.largest, np.hypot(self.smallest, FAR * self.sd))  # beyond, there is nothing
        pieces = [(1 - end, 1 - self.smallest), (1 + self.smallest, 1 + end)]
        return nodes(pieces, lambda w: np.exp(-(((np.abs(w - 1)) ** 2 - self.smallest**2) / self.sd**2) / 2))


class UniformFactors(Law):
    """Uniform between 1 - width and 1 + width, where asked without the middle (ZEW: 0.5 to 1.5)."""

    law: Literal["uniform"]
    """Uniform distribution. | Gleichverteilung."""
    width: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Largest relative change. | Größte relative Änderung."""
    smallest: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Smallest relative change. | Kleinste relative Änderung."""

    @model_validator(mode="after")
    def _there_is_room(self) -> Self:
        if self.smallest >= self.width:
            raise ValueError(Text("needs smallest below width", "braucht smallest unter width"))
        return self

    @property
    def least(self) -> float:
        return self.smallest

    @property
    def most(self) -> float:
        return self.width

    def sizes(self, generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return generator.uniform(self.smallest, self.width, shape)

    def nodes(self) -> Nodes:
        pieces = [(1 - self.width, 1 - self.smallest), (1 + self.smallest, 1 + self.width)]
        return nodes(pieces, np.ones_like)


class LogNormalFactors(Law):
    """Log-normal with mean 1."""

    law: Literal["log-normal"]
    """Log-normal distribution. | Logarithmische Normalverteilung."""
    s: Annotated[float, Field(gt=0, lt=1)]
    """Standard deviation of the logarithm. | Standardabweichung des Logarithmus."""

    @property
    def symmetric(self) -> bool:
        return False

    def sizes(self, generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return np.expm1(self.s * generator.standard_normal(shape) - self.s**2 / 2)

    def nodes(self) -> Nodes:
        one = nodes([(-FAR, FAR)], lambda z: np.exp(-(z**2) / 2))
        return Nodes(np.exp(self.s * one.points - self.s**2 / 2), one.weights)


class TableFactors(Law):
    """Factors of one's own choice, each with its probability (Gottschalk 2002, 4.3: any law with mean 1)."""

    law: Literal["table"]
    """Factors that are listed. | Aufgezählte Faktoren."""
    values: Annotated[
        tuple[Annotated[float, Field(gt=0, le=1000)], ...], Field(min_length=2, max_length=1000)
    ]
    """The factors. | Die Faktoren."""
    shares: tuple[Annotated[float, Field(gt=0, lt=1)], ...]
    """Their probabilities. | Ihre Wahrscheinlichkeiten."""

    @model_validator(mode="after")
    def _is_a_law_with_mean_1(self) -> Self:
        if len(self.values) != len(self.shares) or abs(sum(self.shares) - 1) > SUMS:
            raise ValueError(
                Text(
                    "needs one of shares for each of values, adding up to 1",
                    "braucht zu jedem von values einen von shares, zusammen 1",
                )
            )
        if abs(self.nodes().mean(lambda w: w) - 1) > SUMS:
            raise ValueError(Text("needs factors with mean 1", "braucht Faktoren mit Mittelwert 1"))
        if 1.0 in self.values:
            raise ValueError(
                Text("a factor of 1 would leave values as they are", "ein Faktor 1 ließe Werte, wie sie sind")
            )
        return self

    @property
    def symmetric(self) -> bool:
        return False

    @property
    def different(self) -> int | None:
        return len(set(self.values))

    @property
    def least(self) -> float:
        return float(np.abs(np.array(self.values) - 1).min())

    @property
    def most(self) -> float:
        return float(np.abs(np.array(self.values) - 1).max())

    def sizes(self, generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
        up = np.cumsum(self.shares)
        drawn = np.searchsorted(up, generator.random(shape) * up[-1], side="right")
        out: Floats = np.array(self.values)[np.minimum(drawn, len(up) - 1)] - 1
        return out

    def nodes(self) -> Nodes:
        return Nodes(np.array(self.values), np.array(self.shares))


Factors = Annotated[
    MixtureFactors | NormalFactors | UniformFactors | LogNormalFactors | TableFactors,
    Field(discriminator="law"),
]
