"""What the report says of a leak: enough for a person to check it, in both languages, without a value."""

from __future__ import annotations

from tarnkappe.report.audits import leaks


def test_subtractions_are_told_one_after_the_other():
    steps = [
        {"cell": "a × x", "sum": "a × Total", "along": "column"},
        {"cell": "b × x", "sum": "Total × x", "along": "row"},
    ]
    (said,) = leaks({"leaks": [{"cell": "b × x", "proof": "subtraction", "steps": steps}]})
    assert said.en == (
        "b × x: known by subtracting; step 1: a × x is what is left of the sum a × Total along column; "
        "step 2: b × x is what is left of the sum Total × x along row"
    )
    assert said.de.startswith(
        "b × x: durch Abziehen bekannt; Schritt 1: a × x bleibt von der Summe a × Total"
    )


def test_a_combination_of_sums_is_told_with_its_weights_and_limits():
    sums = [
        {"sum": "a × Total", "along": "column", "times": 1.0},
        {"sum": "Total × x", "along": "row", "times": -0.5},
    ]
    leak = {"cell": "a × x", "proof": "component", "side": "high", "sums": sums, "limits": ["b × y", "b × z"]}
    (said,) = leaks({"leaks": [leak]})
    assert said.en == (
        "a × x: solved over everything it is tied to; its upper bound follows from 1 × the sum a × Total along column, "
        "−0.5 × the sum Total × x along row; and from prior knowledge of b × y, b × z"
    )
    assert "die obere Grenze folgt aus 1 × Summe a × Total entlang column, −0,5 × Summe" in said.de


def test_a_leak_without_a_proof_is_told_all_the_same():
    assert [said.en for said in leaks({"leaks": [{"cell": "a"}]})] == ["a: an attacker finds out too much"]


def test_one_sum_alone_is_told_as_one_step():
    (said,) = leaks(
        {"leaks": [{"cell": "a × x", "proof": "subtraction", "sum": "a × Total", "along": "column"}]}
    )
    assert said.en.endswith("step 1: a × x is what is left of the sum a × Total along column")


def test_insiders_follow():
    (said,) = leaks({"insiders": [{"cell": "a", "together": 2}]})
    assert said.en == "a: 2 contributor(s) from inside"
