"""Names that belong to nobody: invented families and firms, common first names by generation."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.column import Ints, Strings

FIRST_NAMES: Strings = np.array(
    [  # born before 1960, 1960 to 1989, later; men and women in turn
        ["Hans", "Peter", "Klaus", "Günter", "Werner", "Horst", "Manfred", "Dieter", "Heinz", "Gerhard"],
        ["Ursula", "Ingrid", "Helga", "Renate", "Karin", "Monika", "Erika", "Gisela", "Elke", "Christa"],
        ["Thomas", "Michael", "Andreas", "Stefan", "Frank", "Markus", "Sven", "Mehmet", "Jan", "Igor"],
        ["Sabine", "Susanne", "Petra", "Andrea", "Nicole", "Julia", "Katrin", "Ayşe", "Anja", "Olga"],
        ["Lukas", "Finn", "Leon", "Paul", "Jonas", "Felix", "Noah", "Emre", "Ben", "Milan"],
        ["Lea", "Anna", "Laura", "Emma", "Mia", "Lena", "Marie", "Zeynep", "Hannah", "Amira"],
    ],
    dtype=object,
)
GENERATIONS = (1960, 1990)
"""First year of birth of the second and of the third generation."""

_FAMILY_FRONT = (
    "Ahlen", "Amsel", "Birken", "Brom", "Buchen", "Dorn", "Eber", "Eichen", "Elster", "Erlen", "Falken",
    "Fichten", "Ginster", "Grün", "Hagen", "Hasel", "Heide", "Hirsch", "Kiefer", "Korn", "Lerchen",
    "Linden", "Moor", "Nuss", "Ober", "Quell", "Reb", "Sand", "Schleh", "Silber", "Stein", "Tannen",
    "Ulmen", "Wachol", "Weiden", "Winter",
)  # fmt: skip
_FAMILY_BACK = (
    "acker", "bach", "berger", "born", "brink", "feld", "garten", "grund", "hauser", "hofer", "horst",
    "kamp", "lohe", "mann", "moser", "rieder", "roth", "see", "stetter", "tal", "thaler", "wald",
    "wiese", "winkel",
)  # fmt: skip
_SPREAD = 385
"""Has no divisor in common with the number of families, so that steps of it reach them all."""
_IN_ORDER = [front + back for front in _FAMILY_FRONT for back in _FAMILY_BACK]
FAMILIES: Strings = np.array(
    [_IN_ORDER[i * _SPREAD % len(_IN_ORDER)] for i in range(len(_IN_ORDER))], dtype=object
)
"""In no alphabetical order, for the first ones are the most common."""

_FIRM_FRONT = (
    "Alster", "Arkona", "Baltik", "Delta", "Elb", "Fjord", "Havel", "Isar", "Krypton", "Lech",
    "Meridian", "Mosel", "Neckar", "Nordstern", "Oder", "Orion", "Polar", "Quarz", "Rhön", "Saale",
    "Spree", "Taurus", "Weser", "Zenit",
)  # fmt: skip
_FIRM_BACK = (
    "bau", "chemie", "dienste", "druck", "fracht", "glas", "guss", "handel", "holz", "kraft", "metall",
    "mühlen", "optik", "pharma", "soft", "technik", "textil", "werke",
)  # fmt: skip
_FIRM_FORM = ("GmbH", "AG", "KG", "SE", "e. K.")
FIRMS: Strings = np.array(
    [f"{front}{back} {form}" for front in _FIRM_FRONT for back in _FIRM_BACK for form in _FIRM_FORM],
    dtype=object,
)


def numbered(numbers: Ints, prefix: str = "", width: int = 1) -> Strings:
    """``prefix`` followed by the number, filled with zeros to a width."""
    digits = max(width, len(str(int(numbers.max(initial=0)))))
    padded = np.char.zfill(numbers.astype(f"U{digits}"), digits)
    return np.char.add(prefix, padded).astype(object)
