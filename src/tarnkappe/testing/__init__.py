"""The contract tests as plain functions, for this project and for plug-ins.

A package that declares methods, measures or rules of its own tests them in three lines::

    @pytest.mark.parametrize("cls", [TheirMethod, TheirMeasure])
    def test_contract(cls):
        check(cls)

Every check raises AssertionError with a sentence that says what is wrong. `tarnkappe.testing.strategies`
draws data with hypothesis.
"""

from tarnkappe.testing.checks import CHECKS, check, checks_for
from tarnkappe.testing.example import example_data
from tarnkappe.testing.patterns import example_patterns
from tarnkappe.testing.tables import example_table
from tarnkappe.testing.variants import MARKERS, marked, variants

__all__ = [
    "CHECKS",
    "MARKERS",
    "check",
    "checks_for",
    "example_data",
    "example_patterns",
    "example_table",
    "marked",
    "variants",
]
