"""Who an insider is, told by the cells that he knows: never by a number of his, and never by a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tarnkappe.attack.circles import Circles
from tarnkappe.attack.insiders import Breach
from tarnkappe.attack.telling import MOST_PROOFS
from tarnkappe.language import Text, listed

MOST_KNOWN = 3
"""So many of the cells of an insider are named."""
LEFT_OUT = Text(
    "Insiders are left out by audit: {insiders: none} in the plan or --insiders none on the command line",
    "Beteiligte lässt audit: {insiders: none} im Plan oder --insiders none auf der Befehlszeile außer Betracht",
)


def known_cells(inside: Circles, group: Sequence[int], spelt: Callable[[int], str]) -> list[str]:
    """The cells, by their codes, that a group of insiders knows because nobody else contributes; those of most detail last."""
    cells = np.flatnonzero(inside.known(np.arange(len(inside.members)), group))
    return [spelt(int(cell)) for cell in cells[::-1][:MOST_KNOWN]]


def insider(together: int, knows: Sequence[str]) -> Text:
    """Who somebody is who knows some cells, in words."""
    if together == 1:
        says = Text("the sole contributor to {cells}", "einzige(r) Beitragende(r) zu {cells}")
    else:
        says = Text(
            f"{together} acting together, to whose cells nobody else contributes: {{cells}}",
            f"{together} gemeinsam Handelnde, zu deren Zellen sonst niemand beiträgt: {{cells}}",
        )
    return says.filled(cells=listed(list(knows)))


def named_breaches(
    found: tuple[Breach, ...], who: Circles, spelt: Callable[[int], str]
) -> list[dict[str, Any]]:
    """Cells of which insiders see too much, and by which cells of theirs."""
    return [
        {"cell": spelt(b.cell), "together": len(b.insiders), "knows": known_cells(who, b.insiders, spelt)}
        for b in found[:MOST_PROOFS]
    ]
