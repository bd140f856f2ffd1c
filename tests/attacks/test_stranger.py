"""The frame of attacks on a finished release: guesses are worth what is right beyond chance, and nothing counts that the release shows."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.guess import Attempt, CellGuess, Guess
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.seen import Seen
from tarnkappe.data.tabulate import tabulate
from tarnkappe.language import Text
from tarnkappe.plan.ledger import Colour
from tarnkappe.plan.policy import AttacksDescription
from tarnkappe.plan.scoring import Score, Truth
from tarnkappe.plan.strangers import colour_of
from tarnkappe.plan.unlinked_truth import UnlinkedTruth
from tarnkappe.risk.own_records import still_fits
from tarnkappe.spec import catalogue

HOW = Text("so", "so")
CLOSE = 0.01


def file(**columns):
    made = {
        n: Column.texts_of(v) if isinstance(v[0], str) else Column.numbers_of(np.asarray(v, dtype=float))
        for n, v in columns.items()
    }
    return Microdata(made)


def guess(rows, low, high=None, sure=True, column="income"):
    low = np.asarray(low, dtype=float)
    high = low if high is None else np.asarray(high, dtype=float)
    return Attempt(len(rows), (Guess(column, np.asarray(rows), low, high, np.full(len(rows), sure), HOW),))


INCOME = np.random.default_rng(3).lognormal(8, 1, 200).round()
BEFORE, AFTER = file(income=INCOME), file(income=INCOME * 1.3)
ROWS = np.arange(200)


def test_exact_guesses_are_right_and_others_are_not():
    truth = Truth(BEFORE, AFTER, {})
    good = truth.score(guess(ROWS, INCOME), CLOSE)
    bad = truth.score(guess(ROWS, INCOME * 1.2), CLOSE)
    assert (good.answers, good.right, good.sure_right) == (200, 200, 200)
    assert bad.right <= bad.by_chance + 3 * bad.by_chance**0.5
    assert colour_of(good, AttacksDescription()) is Colour.REFUSED
    assert colour_of(bad, AttacksDescription()) is Colour.CLEAR


def test_an_interval_is_right_only_where_it_is_narrow():
    truth = Truth(BEFORE, AFTER, {})
    assert truth.score(guess(ROWS, INCOME * 0.9, INCOME * 1.1), CLOSE).right == 0
    assert truth.score(guess(ROWS, INCOME * 0.999, INCOME * 1.001), CLOSE).right == 200


def test_what_the_release_shows_is_not_given_back():
    half = np.where(ROWS < 100, INCOME, INCOME * 1.3)
    score = Truth(BEFORE, file(income=half), {}).score(guess(ROWS, INCOME), CLOSE)
    assert (score.answers, score.right) == (100, 100)


def test_a_column_that_was_dropped_can_be_guessed():
    assert Truth(BEFORE, file(other=INCOME), {}).score(guess(ROWS, INCOME), CLOSE).right == 200


def test_chance_is_counted_where_values_are_few():
    few = np.repeat([1.0, 2.0], 100)
    truth = Truth(file(income=few), file(income=few + 5), {})
    score = truth.score(guess(ROWS, np.random.default_rng(1).permutation(few)), CLOSE)
    assert score.by_chance > 50
    assert score.share < 0.3
    assert colour_of(truth.score(guess(ROWS, few), CLOSE), AttacksDescription()) is Colour.REFUSED


def test_made_records_belong_to_nobody():
    after = BEFORE.with_made(np.arange(5)).with_columns({"income": Column.numbers_of(np.ones(205))})
    score = Truth(BEFORE, after, {}).score(guess(np.arange(205), np.append(INCOME, INCOME[:5])), CLOSE)
    assert score.answers == 200


def test_words_are_scored_too():
    words = np.array(["a", "b"], dtype=object)[ROWS % 2]
    before, after = file(status=list(words)), file(other=INCOME)
    said = Attempt(200, (Guess.of_texts("status", ROWS, words, np.ones(200, dtype=bool), HOW),))
    score = Truth(before, after, {}).score(said, CLOSE)
    assert score.right == 200
    assert score.by_chance < 150


def test_a_cell_is_given_back_where_its_interval_is_narrower_than_its_protection():
    table = tabulate(file(branch=["a", "b", "c"], x=[10.0, 20.0, 30.0]), ["branch"], "x")
    pattern = Pattern(table)
    cell = int(np.flatnonzero(table.inner)[0])
    status = np.zeros(len(table), dtype=np.uint8)
    status[cell] = Status.PRIMARY
    wide = np.zeros(len(table))
    wide[cell] = 5.0
    pattern = Pattern(table, status, lower=wide, upper=wide)
    value = table.value[cell]

    def said(width):
        return Attempt(
            1,
            (
                CellGuess(
                    "t",
                    np.array([cell]),
                    np.array([value - width]),
                    np.array([value + width]),
                    np.array([True]),
                    HOW,
                ),
            ),
        )

    truth = Truth(BEFORE, AFTER, {"t": pattern})
    assert truth.score(said(1.0), CLOSE).right == 1
    assert truth.score(said(6.0), CLOSE).right == 0


def test_without_names_an_original_that_agrees_must_have_the_value():
    """Two regions; the guesses are those of the own region, and then those of the other."""
    region = ["n" if i % 2 else "s" for i in range(200)]
    other = np.where(np.arange(200) % 2, 1e6, 0) + np.arange(200) * 7.0 + 1
    before = file(region=region, income=other)
    order = np.random.default_rng(5).permutation(200)
    after = file(region=[region[i] for i in order], income=np.full(200, -9.0))
    truth = UnlinkedTruth(before, after, ("region",))
    right = truth.score(guess(ROWS, other[order]), CLOSE / 10)
    wrong = truth.score(guess(ROWS, other[order] + 1e6), CLOSE / 10)
    assert right.right == 200
    assert wrong.right <= wrong.by_chance + 3 * wrong.by_chance**0.5


@pytest.mark.parametrize("seed", range(3))
def test_pure_noise_hits_nobody(seed):
    """Every column permuted by itself: many records are alone with their keys, and none belongs to who is looked for."""
    rng = np.random.default_rng(seed)
    n = 400
    columns = {
        name: [f"{name}{c}" for c in rng.integers(0, k, n)]
        for name, k in (("region", 8), ("job", 9), ("age", 12))
    }
    before = file(**columns)
    noise = file(**{name: list(rng.permutation(np.array(v, dtype=object))) for name, v in columns.items()})
    measure = catalogue["risk.reidentification"](keys=("region", "job", "age"), summary="average")
    said, alone = measure(before, noise), measure(noise)
    same = np.all([noise.columns[c].texts() == before.columns[c].texts() for c in columns], axis=0)
    assert alone.per_record.sum() > 100, "many are alone in the noise"
    assert said.per_record.sum() <= same.sum(), "a person whose keys are elsewhere is not found"
    assert said.per_record[~same].max(initial=0) == 0


def test_coarser_and_suppressed_keys_still_fit():
    age = [str(a) for a in range(20, 60)]
    band = [f"{a[0]}0-{a[0]}9" for a in age]
    before, after = file(age=age), file(age=band)
    assert still_fits(before, after, ("age",)).all()
    hidden = before.with_columns({"age": before.column("age").suppress(np.arange(40) % 2 == 0)})
    assert still_fits(before, hidden, ("age",)).all()
    moved = before.take(np.roll(np.arange(40), 1))
    assert not still_fits(before, file(age=list(moved.column("age").texts())), ("age",)).any()


def test_household_noise_is_averaged():
    rng = np.random.default_rng(2)
    home = np.repeat(np.arange(60), 6)
    income = np.repeat(rng.lognormal(8, 0.6, 60), 6)
    shown = income * rng.uniform(0.97, 1.03, 360)
    data = Microdata(
        {"home": Column.texts_of([f"h{h}" for h in home]), "income": Column.numbers_of(shown)},
        {"household": ("home",)},
    )
    attempt = catalogue["attack.averages-out"]().attempt(Seen(data))
    assert attempt.tried == 360
    found = attempt.guesses[0]
    mean = np.abs(found.low - income) / income
    assert mean.mean() < np.abs(shown - income).mean() / income.mean()


def test_scores_add_up():
    assert Score(1, 1, 0.5) + Score(2, 0, 0.5) == Score(3, 1, 1.0)


def test_the_words_of_the_command_are_plain_json(tmp_path, monkeypatch):
    from tarnkappe.cli.stranger import as_json
    from tarnkappe.plan.stranger_files import StrangerAttack

    assert json.loads(as_json("x", StrangerAttack((), (), scored=False)))["verdict"] == "clear"


def two_versions(hide, noise=(0.0, 0.0)):
    rng = np.random.default_rng(8)
    job = [f"j{i}" for i in range(120)]
    income = rng.lognormal(8, 0.5, 120)
    order = rng.permutation(120)
    first = Microdata({"job": Column.texts_of(job), "income": Column.numbers_of(income * (1 + noise[0]))})
    second = Microdata({"job": Column.texts_of(job), "income": Column.numbers_of(income * (1 + noise[1]))})
    first = first.with_columns({"income": first.column("income").suppress(hide)}).sealed()
    return income, first, second.take(order)


def test_what_another_release_shows_is_known():
    hide = np.arange(120) % 4 == 0
    income, here, there = two_versions(hide)
    attempt = catalogue["attack.shown-elsewhere"]().attempt(Seen(here, earlier=(Seen(there),)))
    found = attempt.guesses[0]
    assert np.array_equal(np.sort(found.rows), np.flatnonzero(hide))
    assert np.allclose(found.low, income[found.rows])
    assert found.sure.all()


def test_noise_of_two_releases_is_averaged():
    income, here, there = two_versions(np.zeros(120, dtype=bool), (0.1, -0.1))
    attempt = catalogue["attack.shown-elsewhere"]().attempt(Seen(here, earlier=(Seen(there),)))
    found = attempt.guesses[0]
    assert np.allclose(found.low, income[found.rows])
    assert not found.sure.any()


@pytest.mark.parametrize(
    ("colour", "word"), [(Colour.CLEAR, "gives originals back"), (Colour.SIGNED, "was signed")]
)
def test_the_gate_says_no_more_than_the_attacks_leave_true(colour, word):
    from tarnkappe.plan.ledger import AttackEntry
    from tarnkappe.plan.strangers import attack_gates

    entry = AttackEntry(catalogue["attack.averages-out"](), colour, 9, Score(9, 1), (), Text("", ""), 0.0)
    (gate,) = attack_gates([entry])
    assert gate.held
    assert word in gate.says.en


SIGNED = """
tarnkappe: 1
title: Regions
data: {file: f.csv, roles: {key: [region]}}
steps:
  - {use: microdata.suppress-records, below: 3, budget: 0.5}
release_if:
  - {measure: risk.k-anonymity, at_least: 3}
accept:
  - {what: attack.averages-out, LIMIT, reason: Households are known to be alike in this region}
"""


@pytest.mark.parametrize(("limit", "signed"), [("at_most: 0.3", True), ("at_most: 0.1", False)])
def test_a_signature_goes_as_far_as_it_says(tmp_path, limit, signed):
    from tarnkappe.plan.check import check
    from tarnkappe.plan.document import parse
    from tarnkappe.plan.ledger import AttackEntry
    from tarnkappe.plan.strangers import attacks_standing

    (tmp_path / "f.csv").write_text("region\n" + "a\n" * 9)
    plan = check(parse(SIGNED.replace("LIMIT", limit)), tmp_path)
    found = Score(10, 2)  # one of five is right
    entry = AttackEntry(catalogue["attack.averages-out"](), Colour.SIGNED, 9, found, (), Text("", ""), 0.0)
    (standing,) = attacks_standing(plan, [entry])
    assert bool(standing.reason) is signed


def test_of_an_attack_only_an_upper_limit_can_be_signed(tmp_path):
    from tarnkappe.errors import InputWrong
    from tarnkappe.plan.check import check
    from tarnkappe.plan.document import parse

    (tmp_path / "f.csv").write_text("region\n" + "a\n" * 9)
    with pytest.raises(InputWrong, match="does not go with"):
        check(parse(SIGNED.replace("LIMIT", "at_least: 0.3")), tmp_path)
