"""The contract: what a method, measure, rule or synthesiser must say about itself, and the catalogue of all of them."""

from tarnkappe.spec.catalogue import (
    Catalogue,
    attack,
    catalogue,
    measure,
    method,
    rule,
    synthesiser,
    table_measure,
    table_method,
)
from tarnkappe.spec.claims import Claim, Holds
from tarnkappe.spec.composition import Mark, Trace
from tarnkappe.spec.contract import (
    Attack,
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
from tarnkappe.spec.reach import Reach

__all__ = [
    "Attack", "Catalogue", "Claim", "Declared", "Family", "Finding", "Goal", "Holds", "Json", "Leaves", "Mark", "Maturity", "Measure", "Method", "Reach", "Rule",
    "Source", "Synthesiser", "TableMeasure", "TableMethod", "Trace", "attack", "catalogue", "measure", "method", "plain", "rule",
    "synthesiser", "table_measure", "table_method",
]  # fmt: skip
