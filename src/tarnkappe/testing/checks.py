"""What every declared thing must do, whatever it is. No check knows any particular one."""

from __future__ import annotations

from collections.abc import Callable

from tarnkappe.spec import Attack, Declared, Measure, Method, Rule, TableMeasure, TableMethod
from tarnkappe.testing import (
    attacks,
    declarations,
    measures,
    methods,
    rules,
    table_measures,
    table_methods,
    wording,
)

Check = Callable[[type[Declared]], None]

CHECKS: dict[type[Declared], tuple[Check, ...]] = {
    Declared: (
        declarations.named_well,
        declarations.speaks_both_languages,
        declarations.example_shows_every_parameter,
        declarations.doors_lead_to_the_same_object,
        declarations.unknown_parameters_are_refused,
        declarations.bounds_hold,
        declarations.parameters_are_not_echoed,
        declarations.card_is_complete,
        wording.words_are_its_own,
    ),
    Method: (
        methods.claims_hold_on_the_example,
        methods.doing_nothing_breaks_a_claim,
        methods.input_is_left_alone,
        methods.result_is_frozen,
        methods.same_secret_same_result,
        methods.other_secret_other_result,
        methods.other_columns_are_left_alone,
        methods.suppressed_stays_suppressed,
        methods.identifiers_are_refused,
        methods.variants_give_an_answer_or_an_error,
        methods.numbers_without_digits_are_refused,
        methods.nothing_of_the_data_is_told,
        wording.facts_have_words,
    ),
    Measure: (
        measures.finding_is_whole,
        measures.says_how_to_read_it,
        measures.input_is_left_alone,
        measures.same_data_same_finding,
        measures.alone_needs_no_original,
        measures.variants_give_an_answer_or_an_error,
        measures.nothing_of_the_data_is_told,
        wording.figures_have_words,
    ),
    Rule: (
        rules.marks_some_cells_of_the_example,
        rules.same_table_same_marks,
        rules.table_is_left_alone,
        rules.sensitive_sums_are_marked,
        rules.variants_give_an_answer_or_an_error,
        rules.nothing_of_the_data_is_told,
    ),
    TableMethod: (
        table_methods.claims_hold_on_the_example,
        table_methods.doing_nothing_breaks_a_claim,
        table_methods.input_is_left_alone,
        table_methods.result_is_frozen,
        table_methods.same_secret_same_result,
        table_methods.other_secret_other_result,
        table_methods.any_state_gives_an_answer_or_an_error,
        table_methods.order_of_codes_does_not_matter,
        table_methods.random_tables_give_an_answer_or_an_error,
        table_methods.variants_give_an_answer_or_an_error,
        table_methods.nothing_of_the_data_is_told,
    ),
    Attack: (
        attacks.nothing_seen_nothing_guessed,
        attacks.an_unprotected_file_is_no_riddle,
        attacks.release_is_left_alone,
        attacks.variants_give_an_attempt,
        attacks.nothing_of_the_data_is_told,
    ),
    TableMeasure: (
        table_measures.finding_is_whole,
        table_measures.says_how_to_read_it,
        table_measures.nothing_hidden_is_best,
        table_measures.one_cell_alone_is_not_best,
        table_measures.input_is_left_alone,
        table_measures.same_table_same_finding,
        table_measures.any_state_gives_an_answer_or_an_error,
        table_measures.variants_give_an_answer_or_an_error,
        table_measures.nothing_of_the_data_is_told,
    ),
}
"""The checks by the kind of declared thing they apply to."""


def checks_for(cls: type[Declared]) -> list[Check]:
    """The checks that apply to a declared thing."""
    return [one for kind, checks in CHECKS.items() if issubclass(cls, kind) for one in checks]


def check(cls: type[Declared]) -> None:
    """Run every check that applies; the first that fails raises AssertionError."""
    for one in checks_for(cls):
        one(cls)
