"""The contract: what a method, measure, rule or synthesiser must say about itself, and the catalogue of all of them."""

from tarnkappe.spec.catalogue import (
    Catalogue,
    catalogue,
    measure,
    method,
    rule,
    synthesiser,
    table_measure,
    table_method,
)
from tarnkappe.spec.claims import Claim, Holds
from tarnkappe.spec.contract import (
    Declared,
    Goal,
    Maturity,
    Measure,
    Method,
    Rule,
    Source,
    Synthesiser,
    TableMeasure,
    TableMethod,
)
from tarnkappe.spec.family import Family
from tarnkappe.spec.finding import Finding, Json, plain
from tarnkappe.spec.leaves import Leaves

__all__ = [
    "Catalogue", "Claim", "Declared", "Family", "Finding", "Goal", "Holds", "Json", "Leaves", "Maturity", "Measure", "Method", "Rule",
    "Source", "Synthesiser", "TableMeasure", "TableMethod", "catalogue", "measure", "method", "plain", "rule",
    "synthesiser", "table_measure", "table_method",
]  # fmt: skip
