"""A panel of firms over four years: very skewed, with entries, exits, owner groups and many exact zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarnkappe.data.column import Column, Floats, Ints, Strings
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.microdata import Microdata
from tarnkappe.examples.draws import Draws
from tarnkappe.examples.industries import (
    INDUSTRIES,
    REGIONS,
    SIZE_CLASS_BEGINS,
    SIZE_CLASSES,
    industries,
    regions,
    size_classes,
)
from tarnkappe.examples.names import FIRMS, numbered
from tarnkappe.examples.size import checked
from tarnkappe.examples.turnover import turnover_at
from tarnkappe.vocab import Role

YEARS = (2021, 2022, 2023, 2024)
ROLES = {
    Role.IDENTIFIER: ("unit_id", "name"),
    Role.OWNER: ("owner",),
    Role.PERIOD: ("year",),
    Role.KEY: ("year", "nace", "region", "size_class", "answers_for"),
    Role.NUMERIC: ("turnover", "foreign_turnover", "employees", "investment", "profit"),
    Role.SENSITIVE: ("profit",),
}
_ENTRY = (0.79, 0.07, 0.07, 0.07)
"""Share of the firms that enter the panel in each year."""
_EXIT = 0.05
"""Chance to leave after a year."""


@dataclass(frozen=True, slots=True)
class _Panel:
    """Which firm a record belongs to, and in which year."""

    unit: Ints
    year: Ints
    first: Ints
    """Position of the firm's first record."""

    @property
    def units(self) -> int:
        return int(self.unit[-1]) + 1


def make_enterprises(size: int, seed: int = 1) -> Microdata:
    """`size` records of firms and years, the same for a given size and seed everywhere."""
    draws = Draws(seed, "enterprises")
    panel = _panel(checked(size), draws)
    rank = _ranks(panel.units, draws)
    industry = draws.pick("industry", [i.division.weight for i in INDUSTRIES], panel.units)
    owner = _owners(rank, draws)
    turnover = _turnover(panel, rank, draws)
    employees = _employees(panel, industry, turnover, draws)
    in_class = np.searchsorted(SIZE_CLASS_BEGINS, employees, "right")
    columns = {
        "unit_id": _texts(numbered(draws.order("unit id", panel.units) + 1, "U", 7), panel.unit),
        "name": _texts(_names(panel.units, draws), panel.unit),
        "owner": _texts(owner, panel.unit),
        "answers_for": _answers_for(panel, rank, owner, draws),
        "year": Column.numbers_of(panel.year),
        "nace": _coded(industry[panel.unit], [i.code for i in INDUSTRIES], industries()),
        "region": _coded(_regions(panel.units, draws)[panel.unit], REGIONS, regions()),
        "size_class": _coded(in_class, SIZE_CLASSES, size_classes()),
        "turnover": Column.numbers_of(turnover),
        "foreign_turnover": Column.numbers_of(_foreign(panel, rank, industry, turnover, draws)),
        "employees": Column.numbers_of(employees),
        "investment": Column.numbers_of(_investment(panel, rank, turnover, draws)),
        "profit": Column.numbers_of(_profit(panel, turnover, draws)),
    }
    return Microdata(columns, ROLES)


def _panel(n: int, draws: Draws) -> _Panel:
    """Draw how long firms live until `n` records are reached; the last firm leaves when they are."""
    entry = draws.pick("entry", _ENTRY, n)
    stays = np.floor(np.log(draws.uniform("exit", n)) / np.log(1 - _EXIT)).astype(np.int64) + 1
    life = np.minimum(stays, len(YEARS) - entry)
    ends = np.cumsum(life)
    units = int(np.searchsorted(ends, n)) + 1
    life = life[:units].copy()
    life[-1] -= int(ends[units - 1]) - n
    unit = np.repeat(np.arange(units), life)
    first = (np.cumsum(life) - life)[unit]
    return _Panel(unit, YEARS[0] + entry[unit] + np.arange(n) - first, first)


def _ranks(units: int, draws: Draws) -> Floats:
    """A place between 0 and 1 in the order of turnover, spread evenly over the firms."""
    return (draws.order("rank", units) + draws.uniform("place", units)) / units


def _turnover(panel: _Panel, rank: Floats, draws: Draws) -> Ints:
    """As skewed as the cost structure survey in the first year, then growing by a little more or less."""
    growth = np.cumsum(0.02 + 0.11 * draws.normal("growth", len(panel.unit)))
    return np.rint(turnover_at(rank)[panel.unit] * np.exp(growth - growth[panel.first])).astype(np.int64)


def _employees(panel: _Panel, industry: Ints, turnover: Ints, draws: Draws) -> Ints:
    per_head = np.array([i.division.per_head for i in INDUSTRIES])[industry][panel.unit]
    of_firm = draws.normal("employees", panel.units)[panel.unit]
    spread = 0.4 * of_firm + 0.04 * draws.normal("employees of the year", len(turnover))
    return np.asarray(np.maximum(1, np.rint(turnover / per_head * np.exp(spread)).astype(np.int64)))


def _foreign(panel: _Panel, rank: Floats, industry: Ints, turnover: Ints, draws: Draws) -> Ints:
    """Exactly zero for firms that sell at home only; who exports mostly keeps doing so."""
    common = np.array([i.division.exporters for i in INDUSTRIES])[industry]
    exporter = draws.chance("exporter", common * (0.35 + 0.75 * rank), panel.units)[panel.unit]
    exporter &= ~draws.chance("no order from abroad", 0.03, len(turnover))
    share = 0.9 * draws.uniform("export share", panel.units)[panel.unit] ** 1.3
    return np.where(exporter, np.floor(share * turnover), 0).astype(np.int64)


def _investment(panel: _Panel, rank: Floats, turnover: Ints, draws: Draws) -> Ints:
    """Small firms do not invest every year."""
    invests = draws.chance("invests", 0.55 + 0.44 * rank[panel.unit], len(turnover))
    share = 0.025 * np.exp(0.9 * draws.normal("investment", len(turnover)))
    return np.where(invests, np.rint(share * turnover), 0).astype(np.int64)


def _profit(panel: _Panel, turnover: Ints, draws: Draws) -> Ints:
    """About every fifth firm loses money."""
    margin = 0.055 + 0.04 * draws.normal("margin", panel.units)[panel.unit]
    return np.rint((margin + 0.05 * draws.normal("profit", len(turnover))) * turnover).astype(np.int64)


def _owners(rank: Floats, draws: Draws) -> Strings:
    """Most firms own themselves; large ones more often belong to a group, and a few groups own very many."""
    units = len(rank)
    groups = max(1, units // 9)
    group = np.floor(groups * draws.uniform("group", units) ** 2.5).astype(np.int64)
    grouped = draws.chance("in a group", 0.15 + 0.35 * rank, units)
    own = groups + draws.order("own", units)
    return numbered(np.where(grouped, group, own) + 1, "G", 6)


def _answers_for(panel: _Panel, rank: Floats, owner: Strings, draws: Draws) -> Column:
    """Some enterprises of groups, rather the large ones, answer for all of their group, though not in every year.

    A few have no other enterprise of their group in the panel.
    """
    _, group, members = np.unique(owner, return_inverse=True, return_counts=True)
    chance = np.where(members[group] > 1, 0.2 * rank, 0.004)
    speaks = draws.chance("speaks for the group", chance, panel.units)[panel.unit]
    alone = draws.chance("answers for itself this year", 0.15, len(panel.unit))
    return Column.coded((speaks & ~alone).astype(np.int64), np.array(["enterprise", "group"], dtype=object))


def _regions(units: int, draws: Draws) -> Ints:
    weights = np.exp(0.9 * Draws(1, "enterprises").normal("size of regions", len(REGIONS)))
    return draws.pick("region", weights, units)


def _names(units: int, draws: Draws) -> Strings:
    """Invented firms; where an invented name is used again, it gets a number."""
    pick = draws.whole("firm", 0, len(FIRMS) - 1, units)
    place = np.arange(units) // len(FIRMS) + 1
    names: Strings = FIRMS[pick] + " " + numbered(place + draws.whole("firm number", 0, 89, units), width=2)
    return names


def _texts(of_unit: Strings, unit: Ints) -> Column:
    """A text of each firm, repeated for its records."""
    categories, codes = np.unique(of_unit, return_inverse=True)
    return Column.coded(codes[unit], categories)


def _coded(codes: Ints, categories: Sequence[str], tree: Hierarchy) -> Column:
    return Column.coded(codes, np.array(categories, dtype=object), hierarchy=tree)
