"""Industries in the form of the NACE and regions in the form of the NUTS; what the firms are like."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_digits, from_tree

SECTIONS = {
    "B": "Mining",
    "C": "Manufacturing",
    "D": "Energy",
    "F": "Construction",
    "G": "Trade",
    "H": "Transport",
    "I": "Hotels and restaurants",
    "J": "Information",
    "M": "Professional services",
}


class Division(NamedTuple):
    """A division: how its codes branch, how common each is, turnover per head and how many firms export."""

    code: str
    label: str
    groups: int
    classes: int
    weight: float
    per_head: float
    exporters: float


DIVISIONS = (
    Division("B08", "Quarrying", 1, 2, 0.5, 210_000, 0.2),
    Division("C10", "Food", 4, 3, 9.0, 230_000, 0.45),
    Division("C13", "Textiles", 2, 2, 1.6, 160_000, 0.7),
    Division("C16", "Wood", 2, 2, 2.2, 180_000, 0.45),
    Division("C20", "Chemicals", 3, 3, 4.0, 420_000, 0.85),
    Division("C21", "Pharmaceuticals", 1, 2, 0.9, 480_000, 0.9),
    Division("C22", "Rubber and plastics", 2, 3, 6.5, 190_000, 0.7),
    Division("C24", "Basic metals", 3, 2, 2.8, 330_000, 0.75),
    Division("C25", "Metal products", 4, 3, 14.0, 160_000, 0.6),
    Division("C26", "Electronics", 3, 2, 5.0, 240_000, 0.85),
    Division("C28", "Machinery", 4, 3, 15.0, 220_000, 0.88),
    Division("C29", "Motor vehicles", 2, 2, 3.5, 430_000, 0.85),
    Division("C31", "Furniture", 1, 3, 2.6, 150_000, 0.5),
    Division("D35", "Energy supply", 2, 2, 1.5, 900_000, 0.1),
    Division("F41", "Building", 1, 2, 4.0, 190_000, 0.04),
    Division("F43", "Special building work", 3, 3, 6.0, 140_000, 0.05),
    Division("G46", "Wholesale trade", 4, 3, 7.0, 700_000, 0.45),
    Division("G47", "Retail trade", 3, 3, 5.0, 240_000, 0.08),
    Division("H49", "Transport on land", 2, 2, 3.0, 130_000, 0.3),
    Division("H52", "Storage", 1, 2, 1.5, 200_000, 0.3),
    Division("I55", "Hotels", 1, 2, 1.5, 70_000, 0.02),
    Division("J61", "Telecommunications", 1, 2, 0.4, 500_000, 0.2),
    Division("J62", "Computing", 1, 3, 3.0, 170_000, 0.35),
    Division("M71", "Engineering offices", 1, 2, 2.0, 130_000, 0.3),
)


class Industry(NamedTuple):
    """A class of the classification, for example C2511: section, division, group, class."""

    code: str
    division: Division


INDUSTRIES = tuple(
    Industry(f"{d.code}{group}{kind}", d)
    for d in DIVISIONS
    for group in range(1, d.groups + 1)
    for kind in range(1, d.classes + 1)
)
INDUSTRY_DIGITS = (1, 3, 4, 5)

REGIONS = tuple(f"DE{land}{area}{county}" for land in "123456789A" for area in "123" for county in "12345")
REGION_DIGITS = (3, 4, 5)

SIZE_CLASSES = ("1-19", "20-49", "50-99", "100-249", "250-499", "500-999", "1000+")
SIZE_CLASS_BEGINS = (20, 50, 100, 250, 500, 1000)
SIZE_CLASS_BANDS = {
    "small": ("1-19", "20-49"),
    "medium": ("50-99", "100-249"),
    "large": ("250-499", "500-999", "1000+"),
}


def industries() -> Hierarchy:
    """Sections, divisions, groups and classes; labels for sections and divisions."""
    codes = np.array([i.code for i in INDUSTRIES], dtype=object)
    labels = {**SECTIONS, **{d.code: d.label for d in DIVISIONS}}
    names = ("total", "section", "division", "group", "class")
    return from_digits("nace", codes, INDUSTRY_DIGITS).worded(names, labels)


def regions() -> Hierarchy:
    codes = np.array(REGIONS, dtype=object)
    return from_digits("region", codes, REGION_DIGITS).worded(("total", "land", "area", "county"), {})


def size_classes() -> Hierarchy:
    return from_tree("size_class", SIZE_CLASS_BANDS).worded(("total", "band", "class"), {})
