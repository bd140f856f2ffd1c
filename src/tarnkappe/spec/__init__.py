"""The contract: what a method, measure, rule or synthesiser must say about itself, and the catalogue of all of them."""

from tarnkappe.spec.catalogue import Catalogue, catalogue, measure, method, rule, synthesiser
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
)
from tarnkappe.spec.finding import Finding, Json, plain

__all__ = [
    "Catalogue", "Claim", "Declared", "Finding", "Goal", "Holds", "Json", "Maturity", "Measure", "Method", "Rule",
    "Source", "Synthesiser", "catalogue", "measure", "method", "plain", "rule", "synthesiser",
]  # fmt: skip
