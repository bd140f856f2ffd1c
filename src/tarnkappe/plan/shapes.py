"""What texts look like: e-mail addresses, account numbers, codes of well-known classifications.

Only the shape is judged and kept, never a value. Where a number carries check digits, they are checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import StrEnum

from tarnkappe.language import Text

ENOUGH = 0.95
"""A column has a shape if at least this share of its different values has it."""


class Shape(StrEnum):
    """The shape of the values of a column."""

    EMAIL = "e-mail"
    IBAN = "iban"
    TAX_ID = "tax-id"
    DATE = "date"
    PHONE = "phone"
    POSTCODE = "postcode"
    NACE = "nace"
    ICD = "icd"
    CASE_NUMBER = "case-number"

    @property
    def text(self) -> Text:
        return _TEXTS[self]


_TEXTS = {
    Shape.EMAIL: Text("e-mail addresses", "E-Mail-Adressen"),
    Shape.IBAN: Text("bank accounts (IBAN)", "Bankverbindungen (IBAN)"),
    Shape.TAX_ID: Text("tax numbers", "Steuernummern"),
    Shape.DATE: Text("dates", "Datumsangaben"),
    Shape.PHONE: Text("telephone numbers", "Telefonnummern"),
    Shape.POSTCODE: Text("postcodes", "Postleitzahlen"),
    Shape.NACE: Text("codes of industries (NACE)", "Codes von Wirtschaftszweigen (NACE, WZ)"),
    Shape.ICD: Text("codes of diagnoses (ICD)", "Codes von Diagnosen (ICD)"),
    Shape.CASE_NUMBER: Text("policy, claim or case numbers", "Policen-, Schaden- oder Fallnummern"),
}
_DIVISIONS = {
    "A": (1, 3), "B": (5, 9), "C": (10, 33), "D": (35, 35), "E": (36, 39), "F": (41, 43), "G": (45, 47),
    "H": (49, 53), "I": (55, 56), "J": (58, 63), "K": (64, 66), "L": (68, 68), "M": (69, 75), "N": (77, 82),
    "O": (84, 84), "P": (85, 85), "Q": (86, 88), "R": (90, 93), "S": (94, 96), "T": (97, 98), "U": (99, 99),
}  # fmt: skip
"""First and last division of every section of the NACE, revision 2."""


def shape_of(texts: Sequence[str]) -> Shape | None:
    """The first shape that nearly all texts have."""
    if not texts:
        return None
    for shape, fits in _RECOGNISERS:
        if sum(map(fits, texts)) >= ENOUGH * len(texts):
            return shape
    return None


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text.strip()) is not None


def _is_iban(text: str) -> bool:
    """ISO 13616: moved to the end and read as digits, country and check digits give the remainder 1 by 97."""
    bare = text.replace(" ", "").upper()
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", bare):
        return False
    return int("".join(str(int(sign, 36)) for sign in bare[4:] + bare[:4])) % 97 == 1


def _is_tax_id(text: str) -> bool:
    """The German tax number of a person: eleven digits, the last a check digit by ISO 7064, MOD 11,10."""
    bare = text.replace(" ", "")
    if not re.fullmatch(r"[1-9][0-9]{10}", bare):
        return False
    rest = 10
    for digit in bare[:10]:
        rest = ((int(digit) + rest) % 10 or 10) * 2 % 11
    return (11 - rest) % 10 == int(bare[10])


def _is_nace(text: str) -> bool:
    """A section with a division that belongs to it, then group and class: C, C25, C25.1, C2511."""
    found = re.fullmatch(r"([A-U])(?:([0-9]{2})(?:\.?[0-9]{1,2})?(?:\.?[0-9]{1,2})?)?", text.strip())
    if not found:
        return False
    first, last = _DIVISIONS[found[1]]
    return found[2] is None or first <= int(found[2]) <= last


_RECOGNISERS: tuple[tuple[Shape, Callable[[str], bool]], ...] = (
    (Shape.EMAIL, _matches(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    (Shape.IBAN, _is_iban),
    (Shape.TAX_ID, _is_tax_id),
    (
        Shape.DATE,
        _matches(r"(?:1[89]|20)[0-9]{2}-[01][0-9]-[0-3][0-9].*|[0-3]?[0-9]\.[01]?[0-9]\.(?:[0-9]{2}){1,2}"),
    ),
    (Shape.PHONE, _matches(r"(?:\+|00?)[1-9][0-9]{0,4}(?:[ ()/-]{1,2}[0-9]{1,8}){1,5}|\+[1-9][0-9]{7,14}")),
    (Shape.POSTCODE, _matches(r"(?:D-)?(?:0[1-9]|[1-9][0-9])[0-9]{3}")),
    (Shape.NACE, _is_nace),
    (Shape.ICD, _matches(r"[A-Z][0-9]{2}(?:\.?[0-9]{1,2})?[*+!]?")),
    (Shape.CASE_NUMBER, _matches(r"(?=(?:.*[0-9]){5})[A-Z]{1,4}[-/ .]?[0-9][0-9A-Z]*(?:[-/ .][0-9A-Z]+)*")),
)
