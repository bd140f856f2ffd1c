"""Categories turned into uniform numbers, treated as numbers and turned back (C-f), around methods of every family for numbers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from methods.averaging_data import done
from tarnkappe.data.column import SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import WrongKind
from tarnkappe.errors.masking import NothingChanged, StepUnfit
from tarnkappe.errors.release import ClaimBroken, ParameterWrong
from tarnkappe.methods.microdata.uniform_categories import UniformCategories
from tarnkappe.report.told import told
from tarnkappe.spec.step import broken_claims
from tarnkappe.testing.telling import column_bytes

N = 300
BRANCHES = ("trade", "metal", "food", "post")


def people(seed=3):
    rng = np.random.default_rng(seed)
    branch = rng.choice(4, N, p=(0.5, 0.25, 0.15, 0.1))
    texts = [BRANCHES[i] for i in branch]
    texts[7] = None
    region = rng.integers(0, 2, N)
    legal = ["ag" if r and x < 0.6 else "gmbh" for r, x in zip(branch > 1, rng.random(N), strict=True)]
    columns = {
        "branch": Column.texts_of(texts).suppress(np.arange(N) == 11),
        "legal": Column.texts_of(legal),
        "turnover": Column.numbers_of(np.exp(7 + branch / 2 + rng.normal(0, 0.4, N))),
        "region": Column.texts_of([("east", "west")[i] for i in region]),
        "staff": Column.numbers_of(rng.integers(0, 50, N)),
    }
    return Microdata(columns)


def transformed(data, *columns, step):
    return done("uniform-categories", data, columns=columns, step=step)


def averaged(*columns, **more):
    return {"use": "microdata.mdav", "columns": list(columns), "k": 3, "too_small": "suppress", **more}


@pytest.mark.parametrize(
    "step",
    [
        averaged("branch", "legal", "turnover"),
        averaged("branch", "legal", "turnover", within=["region"]),
        {
            "use": "microdata.axis-average",
            "columns": ["branch", "legal", "turnover"],
            "too_small": "suppress",
        },
        {"use": "microdata.noise", "columns": ["branch", "legal", "turnover"], "variance_ratio": 0.3},
        {
            "use": "microdata.correlated-noise",
            "columns": ["branch", "legal", "turnover"],
            "variance_ratio": 0.3,
        },
        {"use": "microdata.mixture-noise", "columns": ["branch", "legal", "turnover"], "separation": 0.3},
        {"use": "microdata.factor-noise", "columns": ["branch", "legal", "turnover"], "shared": "nothing"},
        {"use": "microdata.redraw", "columns": ["branch", "legal", "turnover"]},
    ],
    ids=lambda step: step["use"] + "-".join(step.get("within", [])),
)
def test_with_methods_for_numbers(step):
    """All records stay, both kinds of columns change, gaps and other columns do not, and no category is made up."""
    data = people()
    after = transformed(data, "branch", "legal", step=step)
    for name in ("region", "staff"):
        assert column_bytes(data, name) == column_bytes(after, name)
    assert after.names == data.names
    for name in ("branch", "legal"):
        was, now = data.column(name), after.column(name)
        assert now.missing.tolist() == was.missing.tolist()
        both = was.observed & now.observed
        assert 0 < np.mean(was.texts()[both] != now.texts()[both]) < 0.9
        assert set(now.texts()[both]) <= set(was.texts()[both])
    assert after.column("branch").suppressed[11]
    x, y = (d.numbers(("turnover",))[:, 0] for d in (data, after))
    assert np.mean(x != y) > 0.9


def test_frequencies_in_strata():
    """The frequencies are those of the stratum, so that a category which one region does not have never comes there."""
    data = people()
    east = data.column("region").texts() == "east"
    branch = [
        "post" if e and b == "food" else b for e, b in zip(east, data.column("branch").texts(), strict=True)
    ]
    data = data.with_columns({"branch": Column.texts_of(branch)})
    noise = {"use": "microdata.noise", "columns": ["branch"], "variance_ratio": 3.0, "within": ["region"]}
    after = transformed(data, "branch", step=noise)
    found = Counter(zip(east, after.column("branch").texts(), strict=True))
    assert found[True, "food"] == 0 < found[False, "food"]


def test_dependencies_stay_better_than_by_chance():
    """Branch and legal form hang together before and, after noise that is small, nearly as much."""
    data = people()
    noise = {"use": "microdata.correlated-noise", "columns": ["branch", "legal"], "variance_ratio": 0.05}
    after = transformed(data, "branch", "legal", step=noise)

    def gap(d):
        ag = d.column("legal").texts() == "ag"
        rare = np.isin(d.column("branch").texts(), ("food", "post"))
        return ag[rare].mean() - ag[~rare].mean()

    assert gap(data) > 0.4
    assert gap(after) > 0.25


def test_other_secrets_give_other_categories():
    data = people()
    one, same, two = (
        done("uniform-categories", data, secret, columns=("branch",), step=averaged("branch", "turnover"))
        for secret in ("a", "a", "b")
    )
    assert one.column("branch").texts().tolist() == same.column("branch").texts().tolist()
    assert one.column("branch").texts().tolist() != two.column("branch").texts().tolist()


def test_a_step_that_suppresses():
    data = people()
    data = data.with_columns({"region": Column.texts_of(["x", "x"] + ["y"] * (N - 2))})
    after = transformed(data, "branch", step=averaged("branch", within=["region"]))
    gone = after.column("branch").suppressed & ~data.column("branch").suppressed
    assert np.flatnonzero(gone).tolist() == [0, 1]
    assert after.column("branch").state[0] == SUPPRESSED
    assert (
        after.column("branch").values[0] == data.column("branch").values[0]
    )  # the truth stays under the mark


def test_a_column_of_one_value_stays():
    data = people().with_columns({"legal": Column.texts_of(["ag"] * N)})
    both = transformed(data, "branch", "legal", step=averaged("branch", "legal"))
    assert set(both.column("legal").texts()) == {"ag"}
    alone = transformed(data, "legal", step=averaged("legal"))
    assert set(alone.column("legal").texts()) == {"ag"}
    empty = data.take(np.zeros(0, dtype=np.int64))
    assert len(transformed(empty, "branch", step=averaged("branch"))) == 0


def test_what_changes_nothing_is_refused():
    noise = {"use": "microdata.noise", "columns": ["legal"], "variance_ratio": 1e-9}
    with pytest.raises(NothingChanged):
        transformed(people(), "legal", step=noise)


def test_columns_called_like_the_uniform_ones():
    data = people()
    data = data.with_columns({"branch [1]": data.column("staff"), "branch' [2]": data.column("region")})
    after = transformed(data, "branch", step=averaged("branch", "turnover"))
    assert after.names == data.names
    for name in ("branch [1]", "branch' [2]"):
        assert column_bytes(data, name) == column_bytes(after, name)


def test_only_categories():
    with pytest.raises(WrongKind) as refused:
        transformed(people(), "staff", step=averaged("staff"))
    assert refused.value.facts["name"] == "staff"


@pytest.mark.parametrize(
    ("step", "en", "de"),
    [
        (averaged("turnover"), "must name every column", "muss jede umgewandelte Spalte"),
        ({"use": "microdata.swap", "columns": ["branch"]}, "method for numbers", "Verfahren für Zahlen"),
        (
            {"use": "microdata.pram", "columns": ["branch"], "alpha": 0.3},
            "method for numbers",
            "Verfahren für Zahlen",
        ),
        (
            {"use": "microdata.category-average", "columns": ["branch"], "weights": {"branch": 2.0}},
            "weights",
            "weights",
        ),
        (averaged("branch", k=1), "k: must be at least 3", "k: muss mindestens 3 sein"),
        ({"columns": ["branch"]}, "method of the catalogue", "Verfahren des Katalogs"),
    ],
)
def test_steps_that_do_not_fit_are_refused_before_data_is_read(step, en, de):
    with pytest.raises(ParameterWrong) as refused:
        transformed(people(), "branch", step=step)
    assert en in refused.value.text("en")
    assert de in refused.value.text("de")


def test_a_step_that_makes_other_columns_is_refused():
    with pytest.raises(StepUnfit):
        transformed(
            people(), "branch", step={"use": "microdata.camouflage", "columns": ["branch", "turnover"]}
        )


def test_claims_of_the_step_are_checked_on_the_numbers(monkeypatch):
    from tarnkappe.methods.microdata import mdav

    real = mdav.Mdav.apply

    def shifted(self, data, stream):
        out = real(self, data, stream)
        values = out.column(self.columns[0]).numbers()
        values[20] += 0.001
        return out.with_columns({self.columns[0]: out.column(self.columns[0]).with_numbers(values)})

    monkeypatch.setattr(mdav.Mdav, "apply", shifted)
    with pytest.raises(ClaimBroken) as refused:
        transformed(people(), "branch", step=averaged("branch"))
    assert refused.value.facts["id"] == "microdata.mdav"


def test_every_claim_can_be_broken():
    data, step = people(), averaged("branch", "turnover", within=["region"])
    method = UniformCategories(columns=("branch",), step=step)
    after = transformed(data, "branch", step=step)
    assert not broken_claims(method, data, after)
    branch = after.column("branch")
    lone = data.column("branch").texts() == "post"
    east = data.column("region").texts() == "east"
    hidden = data.with_columns({"branch": data.column("branch").suppress(lone & east)})
    faults = [
        ("list", data, {"branch": Column.texts_of(["else"] * N)}),
        ("list", hidden, {"branch": data.column("branch")}),
        ("columns", data, {"staff": Column.numbers_of(np.zeros(N))}),
        ("missing", data, {"branch": Column(branch.kind, branch.values, None, branch.categories)}),
        ("given back", data, {"branch": data.column("branch")}),
    ]
    for word, before, columns in faults:
        assert any(word in c.says.en for c in broken_claims(method, before, after.with_columns(columns))), (
            word
        )


def test_receivers_are_told_the_step_in_kind():
    data = people()
    noise = {"use": "microdata.correlated-noise", "columns": ["branch", "turnover"], "variance_ratio": 0.3}
    method = UniformCategories(columns=("branch",), step=noise)
    after = transformed(data, "branch", step=noise)
    facts = method.tells(data, after)
    assert facts["transformed"] == ["branch"]
    assert facts["step"]["method"] == "microdata.correlated-noise"
    assert "variance_ratio" not in facts["step"]
    german = {name.de for name, _ in told(method.id, facts)}
    assert "wie gleichverteilte Zahlen behandelte Kategorien" in german
    said = [text.in_("de") for text in method.remarks(data, after)]
    assert any("sind, was sie waren" in text for text in said)
