"""Codes of a table that are as good as names: free texts, or numbers of records, of which nearly each stands for one contributor."""

from __future__ import annotations

import numpy as np

from tarnkappe.data.microdata import Microdata
from tarnkappe.data.table import Table
from tarnkappe.errors.unsafe_tables import CodesNameContributors

FEWEST = 10
"""A dimension with fewer codes is no list of names."""
MOST, MOST_OF_A_TREE = 0.5, 0.9
"""The share of codes of one contributor from which on a dimension is refused: with codes as they come, and with a hierarchy, whose codes
are a classification."""


def refuse_naming_codes(table: Table, data: Microdata) -> None:
    """Raise where the codes of a dimension name contributors, whatever is suppressed beneath them."""
    kept = table.owners or table.contributions
    if kept is None:
        return
    for j, tree in enumerate(table.dimensions):
        others = np.delete(table.cells, j, axis=1)
        margin = (others == 0).all(axis=1) & tree.is_leaf[table.cells[:, j]] & (kept.count > 0)
        codes = int(np.count_nonzero(margin))
        alone = int(np.count_nonzero(margin & (kept.count == 1)))
        column = data.columns.get(tree.name)
        given = column is not None and column.hierarchy is not None
        if codes >= FEWEST and alone > (MOST_OF_A_TREE if given else MOST) * codes:
            raise CodesNameContributors(name=table.name, dimension=tree.name)
