"""The risk–utility map: what every plan reaches, the front, the cache, and plans that cannot be compared."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import pytest

import tarnkappe as tk
from plans.workshop import PLAN, SECRET, VARIABLE, as_csv, changed, everything_in, lay_out, people, with_data
from tarnkappe.errors import InputWrong
from tarnkappe.errors.data import NumbersNeeded
from tarnkappe.errors.mapping import MapDataDiffers, MapEmpty, MapMeasure, MapRolesDiffer, MapWithoutRecords
from tarnkappe.errors.release import UnknownDeclared
from tarnkappe.plan import trial as trials
from tarnkappe.plan.check import check_file
from tarnkappe.plan.document import to_yaml
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.risk_map import RiskMap, loss, map_plans
from tarnkappe.plan.run import run
from tarnkappe.plan.trial import Trial
from tarnkappe.spec import Finding, catalogue


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


@pytest.fixture
def plan(tmp_path):
    return lay_out(tmp_path)


def beside(plan, name, content):
    path = plan.parent / name
    path.write_text(to_yaml(content))
    return path


def test_a_point_is_what_the_run_would_find(plan):
    found = map_plans(plan, risk="risk.k-anonymity", utility="utility.moments")
    (point,) = found.trials
    done = run(check_file(plan))
    measured = {entry.measure.id: entry.after.value for entry in done.measures}
    assert point.risk.value == measured["risk.k-anonymity"]
    assert point.utility.value == pytest.approx(measured["utility.moments"], rel=1e-12)
    assert point.released == done.released
    assert found.original.risk.value == 1
    assert found.original.utility.value == 0
    assert [(b.axis, b.value) for b in found.bounds] == [("risk", 3)]


def test_nothing_is_released_and_nothing_but_figures_is_kept(plan):
    map_plans(plan, vary={"steps.3.k": [3, 5]})
    left = [name for name in everything_in(plan.parent) if name not in ("plan.yaml", "people.csv")]
    assert all(name.startswith(".tarnkappe") for name in left)
    texts = [p.read_text() for p in (plan.parent / ".tarnkappe").rglob("*.json")]
    assert len(texts) == 2
    data = people()
    values = {*data["name"], *data["number"], *data["household"], *data["income"]}
    assert not any(value in text for text in texts for value in values)
    assert SECRET not in "".join(texts)
    assert (plan.parent / ".tarnkappe" / ".gitignore").read_text() == "*\n"


def test_grids_move_points_and_the_front_is_pareto(plan):
    gate = [{"measure": "risk.k-anonymity", "at_least": 5}]
    fine = beside(plan, "fine.yaml", changed(release_if=gate))
    found = map_plans(
        fine, vary={"steps.1.columns.age": [1, 2], "steps.2.below": [2, 5], "steps.3.k": [3, 6, 12]}
    )
    assert len(found.trials) == 12
    assert [t.name for t in found.trials][:2] == ["age = 1, below = 2, k = 3", "age = 1, below = 2, k = 6"]
    able = [t for t in found.trials if t.released]
    places = {t.name: (loss(found.risk, t.risk.value), loss(found.utility, t.utility.value)) for t in able}
    by_hand = {
        name
        for name, (r, u) in places.items()
        if not any((a <= r and b <= u) and (a < r or b < u) for a, b in places.values())
    }
    assert {t.name for t in found.front} == by_hand
    refused = [t for t in found.trials if not t.released]
    assert refused
    assert all("below = 2" in t.name and "k-anonymity ≥ 5" in t.closed[0].en for t in refused)
    assert not {t.name for t in refused} & by_hand
    assert len(by_hand) < len(able)


def point(name, risk, utility, *, closed=()):
    return Trial(name, risk=Finding(risk), utility=Finding(utility), closed=closed)


def test_the_front_by_hand():
    k, moments = catalogue["risk.k-anonymity"](), catalogue["utility.moments"]()
    points = (
        point("best", 5, 0.2),
        point("twin", 5, 0.2),
        point("beaten", 4, 0.3),
        point("useful", 3, 0.1),
        point("shut", 9, 0.0, closed=(tk.Finding(1).because,)),
        Trial("failed"),
        point("nan", float("nan"), 0.0),
        replace(point("doubt", 9, 0), risk=Finding(9, trusted=False, because=k.title)),
    )
    found = RiskMap(k, moments, point("original", 1, 0), points)
    assert [t.name for t in found.front] == ["best", "twin", "useful"]
    assert RiskMap(k, moments, points[0], ()).front == ()


def test_plans_that_fail_are_told_and_do_not_stop_the_others(plan):
    broken = copy.deepcopy(PLAN)
    broken["steps"][2]["k"] = 1
    strict = copy.deepcopy(PLAN)
    strict["steps"][1] |= {"below": 40, "budget": 0.01}
    found = map_plans(plan, beside(plan, "broken.yaml", broken), beside(plan, "strict.yaml", strict))
    fine, wrong, unreachable = found.trials
    assert fine.released
    assert "steps[3].k" in wrong.failed.en
    assert "cannot reach its goal" in unreachable.failed.en
    assert not wrong.measured
    assert not unreachable.measured


def test_when_nothing_can_be_measured_the_reasons_are_told(plan):
    broken = beside(
        plan, "broken.yaml", changed(steps=[{"use": "microdata.mdav", "columns": ["income"], "k": 1}])
    )
    with pytest.raises(MapEmpty, match="broken") as found:
        map_plans(broken)
    assert found.value.exit_code == 2
    strict = copy.deepcopy(PLAN)
    strict["steps"][1] |= {"below": 40, "budget": 0.01}
    with pytest.raises(MapEmpty, match="goal"):
        map_plans(beside(plan, "strict.yaml", strict))


# -- comparable --------------------------------------------------------------------------------------------------


def test_other_data_is_refused(plan, tmp_path):
    other = lay_out(tmp_path / "other", data=as_csv(people(seed=2)))
    with pytest.raises(MapDataDiffers):
        map_plans(plan, other)
    copied = lay_out(tmp_path / "copy")
    assert len(map_plans(plan, copied).trials) == 2


def test_other_roles_are_refused(plan):
    roles = PLAN["data"]["roles"] | {"key": ["region", "sex"]}
    with pytest.raises(MapRolesDiffer) as found:
        map_plans(plan, beside(plan, "other.yaml", with_data(roles=roles)))
    assert found.value.facts["role"] == "key"


def test_plans_of_tables_and_of_records_are_not_mixed(plan):
    tables = changed(steps=None, release_if=None, tables=[{"name": "t", "by": ["region", "sex"]}])
    with pytest.raises(MapWithoutRecords):
        map_plans(plan, beside(plan, "tables.yaml", tables))


# -- measures ----------------------------------------------------------------------------------------------------


def test_measures_that_cannot_stand_on_an_axis(plan):
    with pytest.raises(UnknownDeclared):
        map_plans(plan, risk="risk.nobody")
    for wrong in ({"risk": "utility.moments"}, {"utility": "risk.k-anonymity"}, {"risk": "risk.table-audit"}):
        with pytest.raises(MapMeasure) as found:
            map_plans(plan, **wrong)
        assert found.value.code == "map.measure"


def test_a_measure_of_numbers_needs_numbers(tmp_path):
    columns = {name: values for name, values in people().items() if name in ("name", "region", "sex", "note")}
    roles = {"identifier": ["name"], "key": ["region", "sex"]}
    content = changed(
        data={"file": "people.csv", "roles": roles},
        steps=[{"use": "microdata.suppress-records", "below": 3, "budget": 0.9}],
    )
    plan = lay_out(tmp_path, content, as_csv(columns))
    with pytest.raises(NumbersNeeded):
        map_plans(plan, utility="utility.moments")
    assert map_plans(plan).trials[0].measured


def test_without_keys_another_measure_of_risk_is_taken(tmp_path):
    content = with_data(
        roles={"identifier": ["name", "number"], "numeric": ["income", "wealth"]}, hierarchies=None
    )
    content |= {
        "steps": [{"use": "microdata.mdav", "columns": ["income", "wealth"], "k": 3}],
        "release_if": [],
    }
    found = map_plans(lay_out(tmp_path, content))
    assert found.risk.id == "risk.interval-disclosure"
    assert found.trials[0].measured


def test_the_parameters_of_a_plan_are_used(plan):
    content = changed(measures=[{"measure": "utility.moments", "columns": ["income"]}])
    found = map_plans(beside(plan, "own.yaml", content), utility="utility.moments")
    assert found.utility.columns == ("income",)


# -- the cache ---------------------------------------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch):
    calls = []
    genuine = trials.apply_steps
    monkeypatch.setattr(trials, "apply_steps", lambda *given: calls.append(1) or genuine(*given))
    return calls


def figures(found):
    return [(t.name, t.risk.value, t.utility.value, t.closed) for t in found.trials]


def test_what_was_measured_is_not_measured_again(plan, counted):
    first = map_plans(plan, vary={"steps.3.k": [3, 5]})
    assert len(counted) == 2
    second = map_plans(plan, vary={"steps.3.k": [3, 5, 8]})
    assert len(counted) == 3
    assert figures(first) == figures(second)[:2]
    assert [t.cached for t in second.trials] == [True, True, False]
    map_plans(plan, vary={"steps.3.k": [3]}, fresh=True)
    assert len(counted) == 4


def test_whatever_the_result_depends_on_makes_it_new(plan, counted, monkeypatch):
    map_plans(plan)
    map_plans(plan, utility="utility.moments")
    assert len(counted) == 2
    (plan.parent / "people.csv").write_text(as_csv(people(seed=3)))
    map_plans(plan)
    assert len(counted) == 3
    monkeypatch.setenv(VARIABLE, SECRET[::-1])
    map_plans(plan)
    assert len(counted) == 4
    beside(plan, "plan.yaml", changed(title="another title"))
    map_plans(plan)
    assert len(counted) == 4
    beside(plan, "plan.yaml", changed(release_if=[{"measure": "risk.k-anonymity", "at_least": 2}]))
    map_plans(plan)
    assert len(counted) == 5


def test_a_spoilt_cache_is_measured_again(plan, counted):
    first = map_plans(plan)
    (file,) = (plan.parent / ".tarnkappe" / "trials").glob("*.json")
    for spoilt in ("", "[]", "{", json.dumps({"plan": 1})):
        file.write_text(spoilt)
        assert figures(map_plans(plan)) == figures(first)
    assert len(counted) == 5


def test_the_data_is_read_once(plan, monkeypatch):
    from tarnkappe.plan import risk_map

    reads = []
    genuine = risk_map.read_raw
    monkeypatch.setattr(risk_map, "read_raw", lambda *given: reads.append(1) or genuine(*given))
    map_plans(plan, vary={"steps.3.k": [3, 4, 5, 6]})
    assert len(reads) == 1


def test_progress_counts_what_is_done(plan):
    said = []
    progress = Progress(lambda doing, done, parts: said.append((done, parts)))
    map_plans(plan, vary={"steps.3.k": [3, 5]}, progress=progress)
    assert said[-1][0] + 1 == said[-1][1]
    assert progress.done == progress.parts


def test_the_door_for_python(plan):
    assert tk.map_plans(plan).trials[0].released
    with pytest.raises(InputWrong):
        tk.map_plans(plan.parent / "nowhere.yaml")


def test_noise_of_different_strength_has_different_risk(tmp_path):
    """By keys alone all variants would look alike."""
    noise = {"use": "microdata.noise", "columns": ["income", "wealth"], "variance_ratio": 0.1}
    path = lay_out(tmp_path, changed(steps=[{"use": "microdata.drop", "columns": ["age"]}, noise]))
    found = map_plans(path, vary={"steps.2.variance_ratio": [0.0001, 0.01, 1.0]})
    risks = [trial.risk.value for trial in found.trials]
    assert found.risk.id == "risk.found-and-learnt"
    assert risks == sorted(risks, reverse=True)
    assert len(set(risks)) == 3
    assert found.original.risk.value > risks[0]
