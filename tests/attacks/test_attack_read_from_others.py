"""Categories changed at random and numbers that were masked, read off what stands beside them in the release."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.guess import Attempt, Guess
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors import TarnkappeError
from tarnkappe.language import Text
from tarnkappe.plan.check import check_file
from tarnkappe.plan.ledger import Colour
from tarnkappe.plan.policy import AttacksDescription
from tarnkappe.plan.scoring import Truth
from tarnkappe.plan.strangers import judged
from tarnkappe.report.release import release

SIGNED = [
    {"what": what, "reason": "Only attacks on the release are tested here."}
    for what in ("risk.k-anonymity", "risk.l-diversity", "risk.interval-disclosure", "risk.further-keys",
                 "risk.linkage", "risk.weight-leakage", "risk.row-order")
]  # fmt: skip
REFUSED = "gate.closed"


def run(folder, columns, roles, steps, **more):
    """Released data by column, or the code of the refusal with its words."""
    folder.mkdir(exist_ok=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (folder / "data.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    texts = [name for name in ("land", "county") if name in columns]
    plan = {
        "tarnkappe": 1,
        "title": "attacked",
        "data": {"file": "data.csv", "roles": roles, "types": dict.fromkeys(texts, "category")},
        "release": {"kind": "scientific-use", "formats": ["csv"]},
        "seed": {"secret": "attacked"},
        "steps": steps,
        "accept": [*SIGNED, *more.get("accept", ())],
    }
    (folder / "plan.yaml").write_text(json.dumps(plan), encoding="utf-8")
    secret = folder / ".tarnkappe" / "secrets" / "attacked"
    secret.parent.mkdir(parents=True, mode=0o700)
    secret.write_text("7f3a9c51d2e8b6044e1d93aa5c7720f17f3a9c51d2e8b6044e1d93aa5c7720f1", encoding="utf-8")
    secret.chmod(0o600)
    try:
        release(check_file(folder / "plan.yaml"), folder / "out")
    except TarnkappeError as error:
        return error.code, error.what.en
    return "released", ""


def persons(homes=500, seed=4):
    g = np.random.default_rng(seed)
    size = g.choice([1, 2, 3, 4], homes, p=[0.4, 0.3, 0.2, 0.1])
    home = np.repeat(np.arange(homes), size)
    county = np.repeat(g.integers(0, 12, homes), size)
    income = (g.lognormal(7.5, 0.7, len(home)) // 10 * 10).astype(int)
    together = np.bincount(home, income).astype(int)[home]
    return {
        "home": [f"H{h}" for h in home],
        "land": [f"L{c // 3}" for c in county],
        "county": [f"C{c:02d}" for c in county],
        "sex": g.choice(["m", "f"], len(home)).tolist(),
        "income": income.tolist(),
        "home_income": together.tolist(),
    }


def only(columns, *names):
    return {name: columns[name] for name in names}


PRAM = {"use": "microdata.pram", "columns": ["land"], "alpha": 0.6}


def test_a_land_is_not_changed_while_its_county_is_shown(tmp_path):
    data = only(persons(), "land", "county", "sex")
    code, why = run(tmp_path / "both", data, {"key": ["land", "sex"]}, [PRAM])
    assert code == "exchange.companion-open", "the step itself refuses"
    assert "county" in why
    code, why = run(tmp_path / "alone", only(data, "land", "sex"), {"key": ["land", "sex"]}, [PRAM])
    assert code == "released", why


def test_weights_by_land_tell_the_land(tmp_path):
    data = only(persons(), "land", "sex")
    weight = {"L0": 41.5, "L1": 52.25, "L2": 63.0, "L3": 74.75}
    data["weight"] = [weight[land] for land in data["land"]]
    code, why = run(tmp_path, data, {"key": ["land", "sex"], "weight": "weight"}, [PRAM])
    assert code == REFUSED
    assert "'weight'" in why


def test_gaps_tell_what_was_changed(tmp_path):
    g, data = np.random.default_rng(3), only(persons(), "sex", "income")
    status = g.choice(["job", "pension", "none"], len(data["sex"])).tolist()
    amounts = data.pop("income")
    for name in ("job", "pension"):
        data[f"from_{name}"] = [x if s == name else "" for x, s in zip(amounts, status, strict=True)]
    data["status"] = status
    roles = {"key": ["sex", "status"], "numeric": ["from_job", "from_pension"]}
    code, why = run(tmp_path, data, roles, [{**PRAM, "columns": ["status"]}])
    assert code == "exchange.gaps-tell", "the step itself refuses"
    assert "from_job" in why


@pytest.mark.parametrize("agree", [0.0, 0.5, 0.7])
def test_columns_that_go_together_loosely_are_no_leak(tmp_path, agree):
    """Most persons of a trade have its usual schooling; who is the exception stays open, and the release is made."""
    g = np.random.default_rng(8)
    trade, school = g.integers(0, 15, 4_000), g.integers(0, 4, 4_000)
    school = np.where(g.random(4_000) < agree, trade % 4, school)
    data = {"trade": [f"t{t:02d}" for t in trade], "school": [f"s{s}" for s in school]}
    step = {**PRAM, "columns": ["school"]}
    code, why = run(tmp_path, data, {"key": ["trade", "school"]}, [step])
    assert code == "released", why


MASKS = [
    {"use": "microdata.noise", "columns": ["income"]},
    {"use": "microdata.factor-noise", "columns": ["income"]},
    {"use": "microdata.mdav", "columns": ["income"], "k": 5},
    {"use": "microdata.rank-swap", "columns": {"income": {"percent": 5}}},
    {"use": "microdata.drop", "columns": ["income"]},
]


@pytest.mark.parametrize("step", MASKS, ids=lambda step: step["use"])
def test_the_total_of_a_home_is_the_value_of_who_lives_alone(tmp_path, step):
    data = only(persons(), "home", "sex", "income", "home_income")
    alone = [home for home, count in Counter(data["home"]).items() if count == 1]
    assert len(alone) > 100
    roles = {"key": ["sex"], "numeric": ["income", "home_income"], "household": "home"}
    code, why = run(tmp_path / "both", data, roles, [step])
    assert code == REFUSED
    assert "'home_income'" in why
    without = {"use": "microdata.drop", "columns": ["home_income"]}
    code, why = run(tmp_path / "without", data, roles, [without, step])
    assert code == "released", why


def test_a_dropped_column_that_is_redundant_can_be_signed(tmp_path):
    data = only(persons(), "home", "sex", "income", "home_income")
    roles = {"key": ["sex"], "numeric": ["income", "home_income"], "household": "home"}
    signed = {
        "what": "computed",
        "columns": ["income"],
        "reason": "Incomes of homes are shown as they are; those of persons are not needed.",
    }
    code, why = run(tmp_path, data, roles, [MASKS[-1]], accept=[signed])
    assert code == "released", why


def guessed(column, values, how):
    sure = np.zeros(len(values), dtype=bool)
    return Guess(column, np.arange(len(values)), values, values, sure, Text(how, how))


def test_many_wrong_ways_do_not_hide_a_right_one():
    g = np.random.default_rng(2)
    truth = g.lognormal(8, 1, 300)
    before = Microdata({"income": Column.numbers_of(truth)})
    after = Microdata({"income": Column.numbers_of(truth * 1.3)})
    wrong = [guessed("income", truth * g.uniform(2, 9, 300), f"way {i}") for i in range(40)]
    attempt = Attempt(1, (*wrong, guessed("income", truth, "the right way")))
    score, colour, how = judged(attempt, Truth(before, after, {}), AttacksDescription())
    assert colour is Colour.REFUSED
    assert score.right == score.answers == 300
    assert [one.en for one in how] == ["the right way"]


def test_one_lucky_guess_refuses_nothing():
    truth = np.linspace(1_000, 9_000, 200)
    before = Microdata({"income": Column.numbers_of(truth)})
    after = Microdata({"income": Column.numbers_of(truth * 1.3)})
    lucky = Guess(
        "income", np.array([7]), truth[[7]], truth[[7]], np.zeros(1, dtype=bool), Text("lucky", "Glück")
    )
    attempt = Attempt(1, (guessed("income", truth * 3, "wrong"), lucky))
    assert judged(attempt, Truth(before, after, {}), AttacksDescription())[1] is Colour.CLEAR


def test_words_that_all_guessed_records_have_are_not_chance():
    words = np.array(["a", "b"], dtype=object)[np.arange(200) % 2]
    before = Microdata({"status": Column.texts_of(words.tolist())})
    after = Microdata({"status": Column.texts_of(["b"] * 200)})
    rows = np.arange(0, 200, 2)
    said = Guess.of_texts("status", rows, words[rows], np.ones(100, dtype=bool), Text("how", "wie"))
    score = Truth(before, after, {}).score(Attempt(1, (said,)), 0.01)
    assert score.right == 100
    assert score.by_chance < 80


def test_who_takes_true_words_for_changed_is_wrong():
    words = np.array(["a", "b"], dtype=object)[np.arange(200) % 2]
    data = Microdata({"status": Column.texts_of(words.tolist())})
    said = Guess.of_texts(
        "status",
        np.arange(200),
        np.full(200, "a", dtype=object),
        np.ones(200, dtype=bool),
        Text("how", "wie"),
    )
    score = Truth(data, data, {}).score(Attempt(1, (said,)), 0.01)
    assert (score.answers, score.right) == (100, 0)
