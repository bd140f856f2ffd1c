"""What users may choose about corrected estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from tarnkappe.errors.correct import OptionWrong
from tarnkappe.language import Text

Family = Literal["linear", "logit"]
FAMILIES: tuple[Family, ...] = ("linear", "logit")
FEWEST_DRAWS, MOST_DRAWS = 100, 100_000


class Options(TypedDict, total=False):
    """The choices as keywords."""

    family: Family | None
    weight: str | None
    level: float
    bootstrap: int
    as_is: Sequence[str]
    seed: int


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices, checked."""

    family: Family | None = None
    """Least squares or logistic regression; without it, what fits the outcome."""
    weight: str | None = None
    """Column of weights."""
    level: float = 0.95
    """Probability with which intervals cover."""
    bootstrap: int = 0
    """Draws for intervals by the bootstrap; with 0 they are from standard errors."""
    as_is: Sequence[str] = ()
    """Columns that are taken as they are."""
    seed: int = 1
    """Where the random numbers of bootstrap and SIMEX begin."""

    def __post_init__(self) -> None:
        if self.family not in (None, *FAMILIES):
            _refuse("family", self.family, Text("linear or logit", "linear oder logit"))
        if not 0.5 <= self.level < 1:
            _refuse("level", self.level, Text("between 0.5 and 1", "zwischen 0,5 und 1"))
        if self.bootstrap and not FEWEST_DRAWS <= self.bootstrap <= MOST_DRAWS:
            must = Text(
                f"0 or between {FEWEST_DRAWS} and {MOST_DRAWS}",
                f"0 oder zwischen {FEWEST_DRAWS} und {MOST_DRAWS}",
            )
            _refuse("bootstrap", self.bootstrap, must)
        if self.seed < 0:
            _refuse("seed", self.seed, Text("0 or more", "0 oder mehr"))


def _refuse(option: str, given: object, must: Text) -> None:
    raise OptionWrong(option=option, given=given, must=must)
