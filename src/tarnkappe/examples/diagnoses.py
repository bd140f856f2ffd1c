"""Main diagnoses: codes in the form of the ICD-10 with short labels of our own, in chapters and blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarnkappe.data.column import Floats
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.hierarchy_builders import from_tree

AGES = (10, 20, 40, 60, 75)
"""Where the age bands of the weights below begin, after the first."""

CHAPTERS = {
    "I": ("Infections", ("A00-A09", "B15-B24")),
    "II": ("Tumours", ("C00-C75", "D10-D36")),
    "IV": ("Metabolism", ("E00-E07", "E10-E14", "E65-E68")),
    "V": ("Mind", ("F10-F19", "F20-F29", "F30-F39", "F40-F48")),
    "VI": ("Nerves", ("G30-G32", "G35-G37", "G40-G47")),
    "IX": ("Circulation", ("I10-I15", "I20-I25", "I30-I52", "I60-I69")),
    "X": ("Breathing", ("J00-J06", "J09-J18", "J40-J47")),
    "XI": ("Digestion", ("K20-K31", "K35-K38", "K50-K52")),
    "XIII": ("Bones and muscles", ("M15-M19", "M50-M54")),
    "XIV": ("Kidneys and urine", ("N17-N19", "N30-N39")),
    "XV": ("Pregnancy and birth", ("O20-O29", "O80-O84")),
    "XIX": ("Injuries", ("S00-S09", "S60-S69", "S70-S79")),
    "XXI": ("No illness", ("Z00-Z13",)),
}


class Diagnosis(NamedTuple):
    """A diagnosis: how common it is in each age band, whom it meets and what it costs."""

    code: str
    block: str
    label: str
    weights: tuple[float, float, float, float, float, float]
    women: float
    """Share of women among as many women as men; 1 is for women only."""
    cost: float
    """Claims relative to the average."""


DIAGNOSES = (
    Diagnosis("A08", "A00-A09", "stomach flu", (6, 3, 2, 1, 1, 2), 0.5, 0.4),
    Diagnosis("B18", "B15-B24", "chronic hepatitis", (0, 0.05, 0.2, 0.4, 0.3, 0.2), 0.41, 3.0),
    Diagnosis("B20", "B15-B24", "HIV disease", (0, 0.02, 0.15, 0.2, 0.05, 0.01), 0.2, 4.0),
    Diagnosis("C18", "C00-C75", "bowel cancer", (0, 0, 0.05, 0.5, 1.4, 1.6), 0.44, 7.0),
    Diagnosis("C34", "C00-C75", "lung cancer", (0, 0, 0.03, 0.5, 1.2, 1.0), 0.37, 7.0),
    Diagnosis("C50", "C00-C75", "breast cancer", (0, 0, 0.2, 1.2, 1.5, 1.3), 0.984, 6.0),
    Diagnosis("D22", "D10-D36", "mole", (1, 1.5, 2, 2, 1.5, 1), 0.55, 0.5),
    Diagnosis("E03", "E00-E07", "thyroid gland too slow", (0.1, 0.5, 2, 3, 4, 4), 0.78, 0.6),
    Diagnosis("E10", "E10-E14", "diabetes, type 1", (0.3, 0.6, 0.4, 0.3, 0.2, 0.1), 0.47, 2.5),
    Diagnosis("E11", "E10-E14", "diabetes, type 2", (0, 0.05, 0.6, 4, 8, 10), 0.44, 1.6),
    Diagnosis("E66", "E65-E68", "obesity", (0.5, 1.2, 2, 3, 3, 1.5), 0.52, 0.8),
    Diagnosis("F10", "F10-F19", "alcohol dependence", (0, 0.2, 1, 1.6, 0.9, 0.3), 0.29, 1.8),
    Diagnosis("F20", "F20-F29", "schizophrenia", (0, 0.1, 0.5, 0.4, 0.2, 0.1), 0.44, 3.0),
    Diagnosis("F32", "F30-F39", "depression", (0.1, 1.6, 4, 5, 3, 2.5), 0.66, 1.4),
    Diagnosis("F41", "F40-F48", "anxiety", (0.2, 1.5, 3, 2.5, 1.5, 1), 0.67, 1.0),
    Diagnosis("G30", "G30-G32", "Alzheimer's disease", (0, 0, 0, 0.05, 0.6, 4), 0.58, 2.8),
    Diagnosis("G35", "G35-G37", "multiple sclerosis", (0, 0.05, 0.3, 0.3, 0.1, 0.03), 0.71, 5.0),
    Diagnosis("G40", "G40-G47", "epilepsy", (0.5, 0.5, 0.4, 0.4, 0.5, 0.6), 0.49, 1.8),
    Diagnosis("G43", "G40-G47", "migraine", (0.2, 1.5, 3, 2, 0.8, 0.3), 0.74, 0.6),
    Diagnosis("I10", "I10-I15", "high blood pressure", (0, 0.1, 2, 10, 18, 20), 0.49, 0.6),
    Diagnosis("I21", "I20-I25", "heart attack", (0, 0, 0.1, 0.8, 1.3, 1.5), 0.31, 6.0),
    Diagnosis("I25", "I20-I25", "narrow heart arteries", (0, 0, 0.1, 1.5, 5, 8), 0.35, 2.2),
    Diagnosis("I48", "I30-I52", "irregular heartbeat", (0, 0, 0.1, 0.6, 2.5, 5), 0.44, 2.0),
    Diagnosis("I63", "I60-I69", "stroke", (0, 0, 0.1, 0.4, 1.1, 2.5), 0.46, 5.0),
    Diagnosis("J06", "J00-J06", "cold", (20, 14, 9, 6, 3, 2), 0.51, 0.2),
    Diagnosis("J18", "J09-J18", "pneumonia", (1.5, 0.4, 0.4, 0.7, 1.2, 3), 0.46, 2.6),
    Diagnosis("J44", "J40-J47", "chronic bronchitis", (0, 0, 0.3, 1.8, 3.5, 4), 0.44, 2.0),
    Diagnosis("J45", "J40-J47", "asthma", (3.5, 3.5, 2.5, 2, 1.5, 1.2), 0.52, 0.9),
    Diagnosis("K21", "K20-K31", "heartburn", (0.2, 0.4, 1.5, 2.5, 2.5, 2), 0.52, 0.5),
    Diagnosis("K35", "K35-K38", "appendicitis", (1, 1.6, 0.7, 0.3, 0.2, 0.1), 0.47, 2.0),
    Diagnosis("K50", "K50-K52", "Crohn's disease", (0.05, 0.3, 0.5, 0.3, 0.2, 0.1), 0.52, 3.5),
    Diagnosis("M17", "M15-M19", "worn knee", (0, 0, 0.4, 3, 6, 7), 0.58, 1.8),
    Diagnosis("M54", "M50-M54", "back pain", (0.2, 3, 9, 12, 10, 8), 0.52, 0.6),
    Diagnosis("N18", "N17-N19", "weak kidneys", (0.05, 0.05, 0.2, 0.7, 2, 5), 0.47, 6.0),
    Diagnosis("N39", "N30-N39", "bladder infection", (0.8, 1.2, 1.8, 1.6, 2, 3), 0.8, 0.4),
    Diagnosis("O26", "O20-O29", "trouble in pregnancy", (0, 0.3, 2, 0.05, 0, 0), 1.0, 1.5),
    Diagnosis("O80", "O80-O84", "birth", (0, 0.4, 3.5, 0.05, 0, 0), 1.0, 3.0),
    Diagnosis("S06", "S00-S09", "concussion", (3, 2, 0.8, 0.5, 0.6, 1.5), 0.44, 1.6),
    Diagnosis("S62", "S60-S69", "broken hand", (1, 2.5, 1.2, 0.8, 0.7, 0.6), 0.41, 1.0),
    Diagnosis("S72", "S70-S79", "broken thigh", (0.2, 0.1, 0.1, 0.2, 0.6, 3.5), 0.64, 6.5),
    Diagnosis("Z00", "Z00-Z13", "check-up without findings", (55, 50, 40, 22, 10, 5), 0.5, 0.1),
)


def chances() -> Floats:
    """Weight of each diagnosis (columns) by sex and age band (rows: sex × band, men first)."""
    by_age = np.array([d.weights for d in DIAGNOSES]).T
    women = np.array([d.women for d in DIAGNOSES])
    return np.vstack([by_age * (1 - women), by_age * women])


def hierarchy() -> Hierarchy:
    """Chapters, blocks and diagnoses, with labels for chapters and diagnoses."""
    tree = {
        chapter: {block: tuple(d.code for d in DIAGNOSES if d.block == block) for block in blocks}
        for chapter, (_, blocks) in CHAPTERS.items()
    }
    labels = {**{c: label for c, (label, _) in CHAPTERS.items()}, **{d.code: d.label for d in DIAGNOSES}}
    return from_tree("diagnosis", tree).worded(("total", "chapter", "block", "diagnosis"), labels)
