"""What documents tell, attacked: every number of about.json and certificate.json is compared with the original values, contributor by contributor."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.release import GateClosed
from tarnkappe.plan.check import check
from tarnkappe.plan.document import parse, to_yaml
from tarnkappe.randomness import public_stream as stream
from tarnkappe.report.release import release
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step
from tarnkappe.spec.told_figures import bare_figures, counted, of_many

REASON = "Made-up firms of which nothing can become known."


def numbers(tree):
    if isinstance(tree, dict):
        tree = tree.values()
    elif not isinstance(tree, list):
        return [] if isinstance(tree, bool) or not isinstance(tree, int | float) else [tree]
    return [one for part in tree for one in numbers(part)]


def people_behind(figure, values, who, closeness):
    near = [w for v, w in zip(values, who, strict=True) if abs(v - figure) <= closeness * abs(v)]
    return len(set(near))


def told_of_few(figures, values, who):
    """Figures that are a value of one or two contributors, or lie within one hundredth of the values of so few."""
    return [f for f in figures if any(people_behind(f, values, who, c) in (1, 2) for c in (0.0, 0.01))]


def firms(seed, n=600, whole=True, owners=None):
    g = np.random.default_rng(seed)
    turnover = g.lognormal(8, 1.2, n)
    owner = [f"o{i}" for i in (g.integers(0, owners, n) if owners else range(n))]
    return {
        "branch": g.choice(["a", "b", "c"], n).tolist(),
        "owner": owner,
        "turnover": np.rint(turnover) if whole else np.round(turnover, 2),
        "employees": np.rint(turnover / 100) + 1,
    }


def released(folder, columns, steps, owner=False, **more):
    lines = [
        ",".join(columns),
        *(",".join(str(v) for v in row) for row in zip(*columns.values(), strict=True)),
    ]
    (folder / "firms.csv").write_text("\n".join(lines) + "\n")
    roles = {"key": ["branch"], "numeric": ["turnover", "employees"], **({"owner": "owner"} if owner else {})}
    accept = [
        {"what": what, "reason": REASON}
        for what in ("roles", "risk.k-anonymity", *(f"risk.{n}" for n in ("interval-disclosure", "linkage", "further-keys", "l-diversity")))
    ]  # fmt: skip
    plan = {
        "tarnkappe": 1, "title": "Firms", "data": {"file": "firms.csv", "roles": roles},
        "release": {"formats": ["csv"]}, "steps": [{"use": "microdata.drop", "columns": ["owner"]}, *steps] if not owner else steps,
        "accept": [{**one, **({"columns": ["owner"]} if one["what"] == "roles" else {})} for one in accept],
        **more,
    }  # fmt: skip
    release(check(parse(to_yaml(plan), "plan.yaml"), folder), folder / "out")
    return [json.loads((folder / "out" / name).read_text()) for name in ("about.json", "certificate.json")]


def facts(about, method):
    return [one["facts"] for one in about["corrections"] if one["method"] == method]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("upper", [{"share": 0.02}, {"share": 0.1}, {"beyond": 4}])
def test_a_limit_by_share_is_nobodys_value(tmp_path, whole, upper):
    for seed in range(3):
        (folder := tmp_path / str(seed)).mkdir()
        made = firms(seed, whole=whole)
        step = {"use": "microdata.top-bottom-code", "columns": ["turnover", "employees"], "upper": upper}
        about, _ = released(folder, made, [step])
        (told,) = facts(about, "microdata.top-bottom-code")
        for name in ("turnover", "employees"):
            limit = told[name]["upper"]["limit"]
            assert told_of_few([limit], made[name], made["owner"]) == []
            assert told[name]["upper"]["coded"] <= max(600 * upper.get("share", 0.014), 3)


def test_owners_are_counted_not_records():
    """Forty owners with many records each: their records near a limit count once."""
    for seed in range(6):
        made = firms(seed, owners=40)
        data = Microdata(
            {"x": Column.numbers_of(made["turnover"]), "o": Column.texts_of(made["owner"])}, {"owner": ("o",)}
        )
        step = catalogue["microdata.top-bottom-code"](
            columns=("x",), upper={"share": 0.1}, lower={"share": 0.1}
        )
        after = apply_step(step, data, stream("told"))
        limits = [one["limit"] for one in step.tells(data, after)["x"].values() if isinstance(one, dict)]
        assert len(limits) == 2
        assert told_of_few(limits, made["turnover"], made["owner"]) == []


def test_limits_of_strata_that_cells_show_are_nobodys_value():
    for seed in range(4):
        made = firms(seed)
        data = Microdata({"x": Column.numbers_of(made["turnover"]), "s": Column.texts_of(made["branch"])})
        step = catalogue["microdata.top-bottom-code"](columns=("x",), upper={"share": 0.05}, within=("s",))
        after = apply_step(step, data, stream("told"))
        flagged = after.column("x_limit").texts() == "upper"
        for branch in "abc":
            here = np.array(made["branch"]) == branch
            (limit,) = np.unique(after.column("x").values[here & flagged])
            assert told_of_few([limit], made["turnover"][here], np.flatnonzero(here)) == []


def test_classes_of_quantiles_have_limits_of_nobody(tmp_path):
    made = firms(9)
    step = {"use": "microdata.band", "columns": ["turnover"], "into": {"quantiles": 8}}
    about, _ = released(tmp_path, made, [step])
    limits = facts(about, "microdata.band")[0]["classes"]["turnover"]["limits"]
    assert len(limits) >= 5
    assert told_of_few(limits, made["turnover"], made["owner"]) == []


def test_no_number_in_a_document_is_somebodys_value(tmp_path):
    """Whatever is told: each number is a value of nobody, or of many, or a count, or stands in the plan."""
    made = firms(3)
    steps = [
        {"use": "microdata.top-bottom-code", "columns": ["turnover"], "upper": {"share": 0.03}},
        {"use": "microdata.mdav", "columns": ["employees"], "k": 5},
        {"use": "microdata.round", "columns": ["turnover"], "base": 50.0},
    ]
    figures = [f for document in released(tmp_path, made, steps) for f in numbers(document)]
    large = [f for f in figures if f > 1000]
    assert len(large) == 1, "the limit"
    assert told_of_few(large, made["turnover"], made["owner"]) == []


@pytest.mark.parametrize(
    "figure", [lambda x: x.max(), lambda x: np.sort(x)[-3] * 1.004, lambda x: {"deep": [[{"here": x.min()}]]}]
)
def test_a_method_that_tells_a_value_is_stopped(tmp_path, monkeypatch, figure):
    """Planted: the gate knows no key and no place, it looks at every number."""
    made = firms(4)
    monkeypatch.setattr(
        catalogue["microdata.round"],
        "tells",
        lambda self, before, after: {"any": figure(np.array(made["turnover"]))},
    )
    with pytest.raises(GateClosed, match="fewer than 3 contributors"):
        released(tmp_path, made, [{"use": "microdata.round", "columns": ["turnover"], "base": 50.0}])
    assert not (tmp_path / "out").exists()


def test_a_document_that_tells_a_value_is_stopped(tmp_path, monkeypatch):
    """Planted outside of what methods tell."""
    made = firms(4)
    monkeypatch.setattr("tarnkappe.report.about.FORMAT", 1)
    monkeypatch.setattr(
        "tarnkappe.report.about.guide", lambda run: [{"largest": float(made["turnover"].max())}]
    )
    with pytest.raises(GateClosed, match="about.json"):
        released(tmp_path, made, [{"use": "microdata.round", "columns": ["turnover"], "base": 50.0}])


def test_limits_that_the_plan_states_are_the_offices_own(tmp_path):
    made = firms(5)
    limit = float(np.sort(made["turnover"])[-10])
    step = {"use": "microdata.top-bottom-code", "columns": ["turnover"], "upper": limit}
    about, _ = released(tmp_path, made, [step])
    assert facts(about, "microdata.top-bottom-code")[0]["turnover"]["upper"]["limit"] == limit


def test_marks_are_kept_in_trees_and_everything_else_is_found():
    told = {"a": counted(3), "b": [1.5, of_many({"c": 2, "d": [0.25]})], "e": {"f": (7, "8", True, None)}}
    assert list(bare_figures(told)) == [1.5, 7]
    assert json.loads(json.dumps(told)) == {
        "a": 3,
        "b": [1.5, {"c": 2, "d": [0.25]}],
        "e": {"f": [7, "8", True, None]},
    }
