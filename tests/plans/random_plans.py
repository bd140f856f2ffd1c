"""Random plans over all methods of the catalogue, on made data in which things hang together.

Two files are made: persons in households, and firms over years with owners. Amounts add up (income = wage + benefits, turnover =
domestic + exports), are whole or in cents, and region, postcode and occupation are the same for all records of a household or firm.
Parameters are those of the examples of the methods, some left at their defaults, some of the choices drawn; names of columns are
exchanged for others that hold the same sort of values.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tarnkappe.errors import TarnkappeError
from tarnkappe.plan.document import to_yaml
from tarnkappe.spec import Method, Rule, TableMethod, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.testing.example import DIAGNOSES, OCCUPATIONS, POSTCODES, REGIONS

YEARS = (2023, 2024, 2025)
NUMBERS = {
    "persons": ("income", "wage", "benefits", "wealth", "employees", "rent"),
    "firms": ("turnover", "domestic", "exports", "wealth", "employees", "cost", "profit", "stocks", "debts"),
}
SUMS = {
    "persons": ({"income": 1.0, "wage": -1.0, "benefits": -1.0},),
    "firms": (
        {"turnover": 1.0, "domestic": -1.0, "exports": -1.0},
        {"profit": 1.0, "turnover": -1.0, "cost": 1.0},
    ),
}
"""What is zero in every record of the original: column -> weight."""
RELATIONS = {
    "persons": ("income = wage + benefits",),
    "firms": ("turnover = domestic + exports", "profit = turnover - cost"),
}
"""The same as plans declare it: most do, so that columns are masked as one and the release is not refused."""
FREE = {
    kind: tuple(name for name in names if not any(name in one for one in SUMS[kind]))
    for kind, names in NUMBERS.items()
}
"""Columns that add up with no others: a plan that masks one of them alone is not refused for that."""
POPULATION = 2000
"""Persons of whom the file is a part, where a step asks for a number."""
UNITS = {"persons": "household", "firms": "firm"}
ACCEPTED = (
    "risk.l-diversity", "risk.interval-disclosure", "risk.further-keys", "risk.linkage", "risk.weight-leakage", "risk.row-order",
    "risk.k-anonymity", "keys",
)  # fmt: skip
REASON = "Made-up people of whom nothing can become known."
IMPLIED = ("microdata.tell-states", "microdata.shuffle-rows")
_LEAVES = [leaf for leaves in OCCUPATIONS.values() for leaf in leaves]


def made(kind: str, seed: int, units: int = 90) -> dict[str, np.ndarray[Any, Any]]:
    """The columns of a file as texts; "" where a value is missing."""
    rng = np.random.default_rng(seed)
    if kind == "persons":
        unit = np.repeat(np.arange(units), rng.integers(1, 5, units))
    else:
        unit = np.repeat(np.arange(units), len(YEARS))
    place, job = rng.integers(0, len(POSTCODES), units)[unit], rng.integers(0, len(_LEAVES), units)[unit]
    n = len(unit)
    age = 18 + rng.integers(0, 60, n)
    year = rng.choice(YEARS, n) if kind == "persons" else np.tile(YEARS, units)
    common = {
        "name": np.array([f"Person {i:04d} of {rng.integers(10**6)}" for i in (np.arange(n) if kind == "persons" else unit)]),
        UNITS[kind]: np.array([f"H{u:04d}" for u in unit]),
        "owner": np.array([f"O{o:03d}" for o in rng.integers(0, max(units // 2, 1), units)[unit]]),
        "postcode": np.array(POSTCODES)[place],
        "region": np.array(REGIONS)[place],
        "occupation": np.array(_LEAVES)[job],
        "sex": rng.choice(["female", "male"], n),
        "age": age.astype(str),
        "birth": np.array([f"{2025 - a}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}" for a in age]),
        "diagnosis": np.array(DIAGNOSES)[rng.integers(0, len(DIAGNOSES), n)],
        "year": year.astype(str),
        "w": (1 + rng.integers(0, 16, n) / 4).astype(str),
    }  # fmt: skip
    amounts = _persons(rng, n) if kind == "persons" else _firms(rng, unit)
    amounts["wealth"] = np.where(
        rng.random(n) < 0.15, 0, np.round(np.exp(9 + 1.5 * rng.normal(size=n)) - 4000)
    )
    amounts["employees"] = np.floor(np.exp(1.5 + 1.2 * rng.normal(size=n)))
    return common | {name: _spelt(values) for name, values in amounts.items()}


def _persons(rng: np.random.Generator, n: int) -> dict[str, Any]:
    wage = np.round(np.exp(7.6 + 0.6 * rng.normal(size=n)), 2)
    benefits = np.where(rng.random(n) < 0.3, 0, np.round(np.exp(5 + rng.normal(size=n)), 2))
    rent = np.round(np.exp(6.3 + 0.4 * rng.normal(size=n)), 2)
    return {"wage": wage, "benefits": benefits, "income": np.round(wage + benefits, 2), "rent": rent}


def _firms(rng: np.random.Generator, unit: np.ndarray[Any, Any]) -> dict[str, Any]:
    size = np.exp(12 + 1.2 * rng.normal(size=int(unit.max()) + 1))[unit]
    domestic = np.round(size * np.exp(0.1 * rng.normal(size=len(unit))))
    exports = np.round(domestic * rng.beta(1, 3, len(unit)))
    cost = np.round((domestic + exports) * rng.uniform(0.7, 1.1, len(unit)))
    turnover = domestic + exports
    return {
        "domestic": domestic,
        "exports": exports,
        "turnover": turnover,
        "cost": cost,
        "profit": turnover - cost,
        "stocks": np.round(size * np.exp(0.5 * rng.normal(size=len(unit)) - 2)),
        "debts": np.where(rng.random(len(unit)) < 0.2, 0, np.round(size * rng.gamma(2, 0.3, len(unit)), 2)),
    }


def _spelt(values: Any) -> np.ndarray[Any, Any]:
    return np.array([str(int(v)) if float(v).is_integer() else repr(round(float(v), 2)) for v in values])


@dataclass(frozen=True)
class Drawn:
    """A plan that was drawn, and the file it is for."""

    number: int
    kind: str
    plan: dict[str, Any] = field(repr=False)

    @property
    def steps(self) -> list[str]:
        return [step["use"] for step in self.plan["steps"]]

    def lay_out(self, folder: Path) -> Path:
        """Write data and plan; the path of the plan."""
        folder.mkdir(parents=True, exist_ok=True)
        columns = made(self.kind, self.number % 5)
        lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
        (folder / "data.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        path = folder / "plan.yaml"
        path.write_text(to_yaml(self.plan), encoding="utf-8")
        return path


def drawn(number: int) -> Drawn:
    """The plan with this number; always the same."""
    return _Drawing(number).plan()


class _Drawing:
    def __init__(self, number: int) -> None:
        self.number = number
        self.rng = np.random.default_rng([number, 22])
        self.kind = ("persons", "firms")[number % 2]
        self.gone: set[str] = set()
        self.methods = [cls for cls in catalogue.methods() if cls.id not in IMPLIED]

    def plan(self) -> Drawn:
        steps = [self._step() for _ in range(self._whole(2, 5))]
        tables = [self._table(i) for i in range(self._whole(1, 3))] if self._chance(0.4) else []
        unit = UNITS[self.kind]
        roles: dict[str, Any] = {
            "identifier": ["name"], "owner": "owner", "period": "year", "weight": "w", "sensitive": ["diagnosis"],
            "key": self._some(["sex", "region", "occupation", "age", "postcode"], self._whole(1, 3)),
            "numeric": self._some(NUMBERS[self.kind], 3),
        }  # fmt: skip
        if self.kind == "persons":
            roles["household"] = unit
        elif self._chance(0.5):
            roles["identifier"].append(unit)
        for name in ("weight", "owner", "period"):
            if self._chance(0.3):
                del roles[name]
        content = {
            "tarnkappe": 1,
            "title": "A plan drawn at random",
            "data": {
                "file": "data.csv",
                "roles": roles,
                "types": {"postcode": "category"},
                "hierarchies": {
                    "postcode": {"digits": [1, 3, 5]},
                    "birth": {"dates": ["year", "month"]},
                    "age": {"bands": [5]},
                    "occupation": {"tree": OCCUPATIONS},
                },
            },
            "release": {"formats": ["csv"]},
            "steps": steps,
            "tables": tables,
            "relations": list(RELATIONS[self.kind]) if self._chance(0.85) else [],
            "accept": [
                *({"what": what, "reason": REASON} for what in ACCEPTED),
                *({"what": "rules", "tables": [t["name"]], "reason": REASON} for t in tables),
                {
                    "what": "roles",
                    "columns": ["birth", "postcode", "age", "diagnosis", unit],
                    "reason": REASON,
                },
            ],
        }
        return Drawn(self.number, self.kind, content)

    # -- steps ------------------------------------------------------------------------------------------------

    def _step(self) -> dict[str, Any]:
        """A step that the checks of its parameters let pass, on columns that are still there."""
        while True:
            cls = self._one(self.methods)
            given = self._parameters(cls)
            try:
                step = build(cls, given)
            except TarnkappeError:
                continue
            assert isinstance(step, Method)
            if not self.gone & set(step.named_columns()):
                self.gone |= set(step.drops())
                return {"use": cls.id, **given}

    def _parameters(self, cls: type[Method]) -> dict[str, Any]:
        """Those of the example, some left out, some of the choices drawn, with columns of this file."""
        names = self._names()
        given: dict[str, Any] = {}
        for name, info in cls.__pydantic_fields__.items():
            if name not in cls.example or (not info.is_required() and self._chance(0.5)):
                continue
            choices = _choices(info.annotation)
            drawn = self._one(choices) if choices and self._chance(0.5) else cls.example[name]
            if name == "population" and isinstance(drawn, int):
                drawn = POPULATION
            given[name] = _renamed(_plain(drawn), names)
        return given

    def _names(self) -> dict[str, str]:
        """Columns of the example -> columns of this file."""
        columns = FREE[self.kind] if self._chance(0.6) else NUMBERS[self.kind]
        pool = [name for name in columns if name not in self.gone or self._chance(0.02)]
        if len(pool) < 3:
            pool = list(NUMBERS[self.kind])
        amounts = self._some(pool, 2)
        rest = [n for n in pool if n not in amounts]
        third = "employees" if "employees" in rest else self._one(rest)
        return {"income": amounts[0], "wealth": amounts[1], "employees": third, "household": UNITS[self.kind]}

    # -- tables -----------------------------------------------------------------------------------------------

    def _table(self, number: int) -> dict[str, Any]:
        table: dict[str, Any] = {
            "name": f"t{number}",
            "by": self._some(["region", "occupation", "sex", "year"], self._whole(1, 2)),
        }
        if self._chance(0.7):
            table["value"] = self._one(NUMBERS[self.kind])
        if self._chance(0.4):
            table["from"] = "original"
        rules = [cls for cls in catalogue if issubclass(cls, Rule)]
        chosen = [catalogue["rule.minimum-frequency"]] if self._chance(0.6) else [self._one(rules)]
        table["rules"] = [self._thing(cls) for cls in chosen]
        methods = [cls for cls in catalogue if issubclass(cls, TableMethod)]
        method = catalogue["table.quader"] if self._chance(0.6) else self._one(methods)
        table["protect"] = self._thing(method)
        return table

    def _thing(self, cls: Any) -> dict[str, Any]:
        """A rule or a method for tables, with some parameters of its example."""
        fields = cls.__pydantic_fields__
        while True:
            given = {
                n: _plain(v) for n, v in cls.example.items() if fields[n].is_required() or self._chance(0.3)
            }
            try:
                build(cls, given)
            except TarnkappeError:
                continue
            return {"use": cls.id, **given}

    # -- draws ------------------------------------------------------------------------------------------------

    def _chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def _whole(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def _one(self, things: Any) -> Any:
        return things[int(self.rng.integers(len(things)))]

    def _some(self, things: Any, count: int) -> list[Any]:
        return [things[int(i)] for i in self.rng.permutation(len(things))[:count]]


def _choices(annotation: Any) -> list[Any]:
    """The words a parameter may have."""
    if typing.get_origin(annotation) is Literal:
        return list(typing.get_args(annotation))
    if annotation is bool:
        return [True, False]
    return (
        [c for part in typing.get_args(annotation) for c in _choices(part)]
        if typing.get_origin(annotation)
        else []
    )


def _plain(value: Any) -> Any:
    """As it stands in a document."""
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {names.get(k, k): _renamed(v, names) for k, v in value.items()}
    if isinstance(value, list):
        return [_renamed(v, names) for v in value]
    return names.get(value, value) if isinstance(value, str) else value
