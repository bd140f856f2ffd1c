"""The page of `tarnkappe compare`: risk and utility of any pair of files."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from tarnkappe.language import Lang
from tarnkappe.plan.ledger import MeasureEntry
from tarnkappe.report.pages import measures_page


def compare_page(title: str, measures: Sequence[MeasureEntry], lang: Lang) -> str:
    """One page with every measure, before and after."""
    return measures_page(title, measures, version("tarnkappe"), lang)
