"""Which method suits a table? The rating matrix as data (ratings.yaml), and an adviser that orders the methods by what an office prefers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tarnkappe.errors import did_you_mean
from tarnkappe.errors.need import CriterionUnknown
from tarnkappe.errors.tables import NeedWrong
from tarnkappe.language import Text
from tarnkappe.plan.document import Document, load, parse
from tarnkappe.plan.need import Said
from tarnkappe.spec.parameters import fit, spelt

Rating = Literal["high", "medium", "moderate", "moderate to low", "low"]
WORTH: dict[str, float] = {"high": 3, "medium": 2, "moderate": 2, "moderate to low": 1.5, "low": 1}
WORDS: dict[str, Text] = {
    "high": Text("high", "hoch"), "medium": Text("medium", "mittel"), "moderate": Text("moderate", "mäßig"),
    "moderate to low": Text("moderate to low", "mäßig bis gering"), "low": Text("low", "gering"),
}  # fmt: skip


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Criterion(_Part):
    """One of the criteria by which methods are rated."""

    name: str
    title: Said
    low_is_good: bool = False

    def worth(self, rating: Rating) -> float:
        """From 1 to 3, more being better."""
        return 4 - WORTH[rating] if self.low_is_good else WORTH[rating]


class Rated(_Part):
    """A kind of method with its ratings."""

    name: str
    title: Said
    use: tuple[str, ...] = ()
    exact: bool
    partial: Said
    ratings: dict[str, Rating]


class Ratings(_Part):
    """The whole matrix."""

    tarnkappe_ratings: Literal[1]
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1)]
    methods: Annotated[tuple[Rated, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _every_method_has_every_rating(self) -> Self:
        names = {criterion.name for criterion in self.criteria}
        for method in self.methods:
            if set(method.ratings) != names:
                says = "{name}: needs a rating for each of {criteria} | {name}: braucht eine Bewertung für jedes von {criteria}"
                raise ValueError(says.format(name=method.name, criteria=", ".join(sorted(names))))
        return self


@dataclass(frozen=True, slots=True)
class Advice:
    """A method in its place, and why it stands there."""

    method: Rated
    points: float
    because: Text


def standard_ratings() -> Ratings:
    """The matrix that comes with Tarnkappe."""
    return _checked(
        parse(files("tarnkappe.plan").joinpath("ratings.yaml").read_text("utf-8"), "ratings.yaml")
    )


def read_ratings(path: Path) -> Ratings:
    """The matrix of an office."""
    return _checked(load(path))


def _checked(document: Document) -> Ratings:
    ratings, misfits = fit(Ratings, document.content if isinstance(document.content, dict) else {})
    if ratings is None:
        said = [Text(f"{spelt(m.place)} {m.says.en}", f"{spelt(m.place)} {m.says.de}") for m in misfits]
        raise NeedWrong(
            file=document.name, problems=Text("; ".join(t.en for t in said), "; ".join(t.de for t in said))
        )
    return ratings


def advised(
    prefer: Sequence[str] = (), ratings: Ratings | None = None, *, confidential: bool = True
) -> tuple[Advice, ...]:
    """The methods that Tarnkappe has, the best first: all criteria count, those preferred three times.

    Where cells are confidential, a method that lets values be disclosed exactly comes last whatever its points.
    """
    used = ratings or standard_ratings()
    names = [criterion.name for criterion in used.criteria]
    for name in prefer:
        if name not in names:
            raise CriterionUnknown(name=name, known=", ".join(names), hint=did_you_mean(name, names))
    weight = {name: 3 if name in prefer else 1 for name in names}
    total = sum(weight.values())
    found = [
        Advice(
            m,
            sum(weight[c.name] * c.worth(m.ratings[c.name]) for c in used.criteria) / total,
            _because(m, used, prefer),
        )
        for m in used.methods
        if m.use
    ]
    return tuple(sorted(found, key=lambda a: (confidential and a.method.exact, -a.points)))


def _because(method: Rated, ratings: Ratings, prefer: Sequence[str]) -> Text:
    shown = [c for c in ratings.criteria if not prefer or c.name in prefer]
    en = ", ".join(f"{c.name} {WORDS[method.ratings[c.name]].en}" for c in shown)
    de = ", ".join(f"{_GERMAN.get(c.name, c.name)} {WORDS[method.ratings[c.name]].de}" for c in shown)
    exact = (
        ("; values can be disclosed exactly", "; Werte sind genau aufdeckbar") if method.exact else ("", "")
    )
    return Text(en + exact[0], de + exact[1])


_GERMAN = {
    "security": "Sicherheit", "robustness": "Robustheit", "flexibility": "Flexibilität", "information": "Information", "cost": "Kosten",
}  # fmt: skip
