"""An invented classification of occupations, shaped like a national one: area, group, occupation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_tree

EDUCATION = ("none", "basic", "vocational", "upper secondary", "bachelor", "master", "doctorate")
EDUCATION_BANDS = {
    "low": ("none", "basic"),
    "middle": ("vocational", "upper secondary"),
    "high": ("bachelor", "master", "doctorate"),
}

AREAS = {
    "1": "Agriculture and forestry",
    "2": "Production and crafts",
    "3": "Construction",
    "4": "Science and computing",
    "5": "Transport and security",
    "6": "Trade and hospitality",
    "7": "Business and administration",
    "8": "Health and education",
    "9": "Not in paid work",
}
GROUPS = {
    "11": "Farming", "12": "Forestry and gardening",
    "21": "Metal and machines", "22": "Electrical work", "23": "Food production", "24": "Wood and textiles",
    "31": "Building shells", "32": "Fitting out",
    "41": "Natural sciences", "42": "Computing",
    "51": "Transport of goods", "52": "Transport of people", "53": "Security",
    "61": "Selling", "62": "Hotels and restaurants",
    "71": "Office work", "72": "Finance and law", "73": "Management",
    "81": "Medicine and nursing", "82": "Schools and universities", "83": "Social work",
    "91": "In education", "92": "Retired", "93": "At home or seeking work",
}  # fmt: skip


class Occupation(NamedTuple):
    """An occupation: how common it is, who has it and what it pays in a year (median, full time)."""

    code: str
    label: str
    weight: float
    women: float
    education: int
    """Least usual education, a position in EDUCATION."""
    pay: float


PAID = (
    Occupation("1110", "farmer", 1.2, 0.3, 2, 31_000),
    Occupation("1120", "farm worker", 0.8, 0.4, 1, 24_000),
    Occupation("1210", "gardener", 1.1, 0.3, 2, 27_000),
    Occupation("1220", "forester", 0.2, 0.15, 4, 43_000),
    Occupation("2110", "machine operator", 3.5, 0.2, 1, 34_000),
    Occupation("2120", "mechanic", 3.8, 0.05, 2, 38_000),
    Occupation("2130", "toolmaker", 1.0, 0.05, 2, 42_000),
    Occupation("2210", "electrician", 2.6, 0.04, 2, 39_000),
    Occupation("2220", "electronics technician", 1.2, 0.1, 3, 45_000),
    Occupation("2310", "baker", 0.8, 0.4, 2, 27_000),
    Occupation("2320", "butcher", 0.5, 0.15, 2, 28_000),
    Occupation("2410", "carpenter", 1.4, 0.08, 2, 33_000),
    Occupation("2420", "tailor", 0.3, 0.8, 2, 24_000),
    Occupation("3110", "bricklayer", 1.6, 0.02, 2, 35_000),
    Occupation("3120", "roofer", 0.6, 0.02, 2, 34_000),
    Occupation("3210", "painter", 1.1, 0.1, 2, 31_000),
    Occupation("3220", "plumber", 1.3, 0.02, 2, 36_000),
    Occupation("4110", "chemist", 0.5, 0.4, 5, 66_000),
    Occupation("4120", "laboratory assistant", 0.7, 0.65, 3, 39_000),
    Occupation("4210", "software developer", 2.3, 0.18, 4, 62_000),
    Occupation("4220", "system administrator", 1.2, 0.12, 3, 51_000),
    Occupation("5110", "warehouse worker", 3.6, 0.3, 1, 28_000),
    Occupation("5120", "lorry driver", 2.4, 0.03, 1, 31_000),
    Occupation("5210", "train driver", 0.4, 0.06, 2, 43_000),
    Occupation("5220", "pilot", 0.06, 0.08, 3, 98_000),
    Occupation("5310", "police officer", 1.1, 0.32, 3, 46_000),
    Occupation("5320", "security guard", 0.9, 0.22, 1, 26_000),
    Occupation("6110", "shop assistant", 6.0, 0.75, 1, 25_000),
    Occupation("6120", "sales representative", 2.2, 0.4, 2, 44_000),
    Occupation("6210", "cook", 1.6, 0.45, 2, 25_000),
    Occupation("6220", "waiter", 1.5, 0.65, 1, 22_000),
    Occupation("7110", "office clerk", 7.5, 0.75, 2, 37_000),
    Occupation("7120", "secretary", 2.1, 0.93, 2, 34_000),
    Occupation("7210", "bank clerk", 1.6, 0.57, 3, 49_000),
    Occupation("7220", "actuary", 0.12, 0.35, 5, 84_000),
    Occupation("7230", "lawyer", 0.5, 0.45, 5, 78_000),
    Occupation("7240", "tax adviser", 0.5, 0.5, 4, 68_000),
    Occupation("7310", "managing director", 1.1, 0.2, 4, 96_000),
    Occupation("7320", "human resources manager", 0.7, 0.6, 4, 61_000),
    Occupation("8110", "physician", 1.1, 0.48, 5, 92_000),
    Occupation("8120", "nurse", 4.2, 0.82, 2, 37_000),
    Occupation("8130", "pharmacist", 0.3, 0.7, 5, 59_000),
    Occupation("8140", "midwife", 0.1, 0.995, 3, 38_000),
    Occupation("8210", "school teacher", 3.1, 0.7, 5, 56_000),
    Occupation("8220", "university professor", 0.2, 0.27, 6, 81_000),
    Occupation("8230", "nursery teacher", 2.4, 0.92, 3, 35_000),
    Occupation("8310", "social worker", 1.5, 0.75, 4, 41_000),
    Occupation("8320", "priest", 0.1, 0.2, 5, 52_000),
)
UNPAID = (
    Occupation("9110", "child below school age", 0, 0.5, 0, 0),
    Occupation("9120", "pupil", 0, 0.5, 0, 0),
    Occupation("9130", "student", 0, 0.5, 3, 7_000),
    Occupation("9210", "pensioner", 0, 0.5, 0, 19_000),
    Occupation("9310", "seeking work", 0, 0.45, 0, 11_500),
    Occupation("9320", "at home", 0, 0.85, 0, 3_000),
)
OCCUPATIONS = PAID + UNPAID
CHILD, PUPIL, STUDENT, PENSIONER, SEEKING, AT_HOME = range(len(PAID), len(OCCUPATIONS))


def chances() -> Floats:
    """Weight of each paid occupation (columns) by sex and education (rows: sex × education, men first).

    Few work far below what they learnt, and very few above it.
    """
    table = np.zeros((2 * len(EDUCATION), len(PAID)))
    for j, job in enumerate(PAID):
        above = np.arange(len(EDUCATION)) - job.education
        fit = job.weight * np.where(above >= 0, 0.35 ** np.abs(above), 0.02 ** np.abs(above))
        table[:, j] = np.concatenate([fit * (1 - job.women), fit * job.women])
    return table


def hierarchy() -> Hierarchy:
    """Areas, groups and occupations, with labels."""
    tree = {
        area: {
            group: tuple(o.code for o in OCCUPATIONS if o.code.startswith(group))
            for group in GROUPS
            if group.startswith(area)
        }
        for area in AREAS
    }
    labels = {**AREAS, **GROUPS, **{o.code: o.label for o in OCCUPATIONS}}
    return from_tree("occupation", tree).worded(("total", "area", "group", "occupation"), labels)


def education_levels() -> Hierarchy:
    return from_tree("education", EDUCATION_BANDS).worded(("total", "band", "education"), {})
