"""What the issue names as bad input, tried on every method it can happen to: a coded error of the input, whichever method it is."""

import numpy as np
import pytest

from plans.workshop import SECRET, VARIABLE, as_csv, changed, everything_in, lay_out, people
from surfaces.command import command
from tarnkappe.data.column import MISSING, SUPPRESSED, Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import NothingToUse, TooFewRecords, WrongKind
from tarnkappe.errors.exchange import Determined
from tarnkappe.errors.masking import Collinear, NoSpread, NothingFits
from tarnkappe.errors.release import ParameterWrong
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import Method, catalogue
from tarnkappe.spec.parameters import build
from tarnkappe.spec.step import apply_step
from tarnkappe.testing import example_data
from tarnkappe.vocab import Role

N = 60
ABC = ("a", "b", "c")
STEPS = {
    "age": {"release": "2030-01-01", "lag": 1, "column": "year"},
    "axis-average": {"columns": ABC},
    "band": {"columns": ("a",), "into": {"width": 1.0}},
    "camouflage": {"columns": ABC},
    "category-average": {"columns": ("a", "h")},
    "cluster-average": {"columns": ABC},
    "clone": {"keys": ("g", "h"), "columns": ("a",)},
    "combine": {"into": {"s": {"a": 1, "b": 1}}, "leak": "masked-later"},
    "controlled-noise": {"columns": ABC},
    "correlated-noise": {"columns": ABC},
    "covariance-swap": {"columns": ABC, "tolerance": 0.3},
    "cut-off": {"column": "a", "lower": 0.5},
    "factor-noise": {"columns": ABC},
    "half-swap": {"columns": ABC},
    "impute": {"column": "a", "predictors": ("b", "c"), "lower": 0.5},
    "index-numbers": {"columns": ABC, "unit": ("u",), "period": "year", "base": "2020"},
    "log-noise": {"columns": ABC},
    "mdav": {"columns": ABC},
    "mixture-noise": {"columns": ABC},
    "noise": {"columns": ABC},
    "number-categories": {
        "columns": {"h": ("h0", "h1", "h2", "h3")},
        "step": {"use": "microdata.mdav", "columns": ("h",)},
    },
    "pram": {"columns": ("h",), "alpha": 0.3},
    "pull-in": {"columns": ABC},
    "random-average": {"columns": ABC},
    "rank-average": {"columns": ABC},
    "rank-swap": {"columns": {n: {"percent": 10} for n in ABC}},
    "ratio": {"into": {"q": {"of": "a", "over": "b"}}, "leak": "masked-later"},
    "record-swap": {"columns": ("r", "d"), "keys": ("g", "h"), "too_small": "leave"},
    "redraw": {"columns": ABC},
    "replace-tails": {"columns": ("a",), "upper": 2.0},
    "resample-average": {"columns": ABC},
    "restore-variance": {"columns": ABC, "step": {"use": "microdata.rank-average", "columns": ABC}},
    "rotate": {"columns": ABC},
    "round": {"columns": ("a",), "base": 1.0},
    "safe-average": {"columns": ABC},
    "shuffle": {"columns": ("a", "b"), "given": ("c",)},
    "split": {"columns": ("a",), "above": 2.0, "keys": ("g",)},
    "spread-average": {"columns": ABC, "signs": "free"},
    "sullivan": {"columns": ABC, "unprotected": "suppress"},
    "swap": {"columns": ABC},
    "swap-unprotected": {"columns": ABC},
    "top-bottom-code": {"columns": ("a",), "upper": 2.0},
    "uniform-categories": {
        "columns": ("h",),
        "step": {"use": "microdata.mdav", "columns": ("h",)},
    },
}
"""Parameters that work on `firms`, of every method that works on the values of columns."""
OTHERS = {
    "add-up", "calibrate", "drop", "generalise", "local-suppression", "massc", "mondrian", "pseudonymise", "renumber", "sample",
    "shuffle-rows", "suppress-at-risk", "suppress-cells", "suppress-records", "tell-states",
}  # fmt: skip
"""They hide, rename, choose or add up: a column without a value, or of any type, is no obstacle (calibrate and generalise have tests of their own)."""
ANY_TYPE = {"category-average", "record-swap", "shuffle", "sullivan", "swap"}
NEED_SPREAD = {
    "correlated-noise": NoSpread, "log-noise": NoSpread, "mixture-noise": NoSpread, "noise": NoSpread, "pull-in": NoSpread,
    "redraw": NothingFits, "rotate": NoSpread, "sullivan": NoSpread, "swap-unprotected": NoSpread,
}  # fmt: skip
"""They take the size of the change from the variation; what others do with a constant is their stated rule."""


def firms():
    rng = np.random.default_rng(1)
    x = np.exp(rng.normal(size=(N, 3)))
    numbers = {name: Column.numbers_of(x[:, j].copy()) for j, name in enumerate(ABC)}
    at = np.arange(N)
    texts = {
        "g": at % 3, "h": rng.integers(0, 4, N), "u": at // 2, "r": at % 2, "d": at % 6,
    }  # fmt: skip
    coded = {name: Column.texts_of([f"{name}{i}" for i in v]) for name, v in texts.items()}
    more = {"year": Column.numbers_of(2020 + at % 2), "w": Column.numbers_of(np.ones(N))}
    return Microdata(numbers | coded | more, {Role.WEIGHT: ("w",)})


def step(id, **more):
    made = build(catalogue[f"microdata.{id}"], {**STEPS[id], **more})
    assert isinstance(made, Method)
    return made


def done(method, data):
    return apply_step(method, data, stream("bad input", method.id))


def first(id):
    return step(id).treated_columns()[0]


def test_no_method_is_forgotten():
    ids = {
        cls.id.removeprefix("microdata.") for cls in catalogue.methods() if cls.id.startswith("microdata.")
    }
    assert ids == STEPS.keys() | OTHERS


@pytest.mark.parametrize("id", sorted(STEPS.keys() - ANY_TYPE))
def test_a_column_of_the_wrong_type(id):
    data, name = firms(), first(id)
    wrong = (
        Column.texts_of([f"t{i % 7}" for i in range(N)])
        if data.column(name).kind.is_number
        else data.column("a")
    )
    with pytest.raises(WrongKind) as refused:
        done(step(id), data.with_columns({name: wrong}))
    assert refused.value.facts["name"] == name


@pytest.mark.parametrize("state", [MISSING, SUPPRESSED])
@pytest.mark.parametrize("id", sorted(STEPS))
def test_a_column_without_a_value(id, state):
    data, name = firms(), first(id)
    column = data.column(name)
    gone = Column(column.kind, column.values, np.full(N, state, dtype=np.uint8), column.categories)
    with pytest.raises(NothingToUse) as refused:
        step(id).apply(data.with_columns({name: gone}), stream("any", id))  # in Python as in a run
    assert refused.value.facts["name"] == name


@pytest.mark.parametrize("id", NEED_SPREAD)
def test_a_variance_of_zero(id):
    data = firms().with_columns({"b": Column.numbers_of(np.full(N, 5.0))})
    with pytest.raises(NEED_SPREAD[id]) as refused:
        done(step(id), data)
    assert refused.value.facts["name"] == "b"


GROUPS = sorted(id for id in STEPS if id.endswith("-average") and id != "resample-average")


@pytest.mark.parametrize("id", [*GROUPS, "record-swap", "shuffle", "restore-variance"])
def test_k_larger_than_the_data(id):
    inner = {"step": {"use": "microdata.rank-average", "columns": ABC, "k": N + 1}}
    with pytest.raises(TooFewRecords) as refused:
        done(step(id, **(inner if id == "restore-variance" else {"k": N + 1})), firms())
    assert refused.value.facts["found"] == N


@pytest.mark.parametrize(
    ("id", "parameter"), [("mondrian", "k"), ("local-suppression", "k"), ("resample-average", "at_least")]
)
def test_larger_than_the_data_under_other_names(id, parameter):
    columns = {"columns": ABC} if id == "resample-average" else {"keys": ("g", "h")}
    with pytest.raises(TooFewRecords):
        done(build(catalogue[f"microdata.{id}"], {**columns, parameter: N + 1}), firms())


@pytest.mark.parametrize("id", ["mixture-noise", "sullivan"])
def test_a_covariance_that_is_not_positive_definite(id):
    data = firms()
    data = data.with_columns({"c": Column.numbers_of(2 * data.column("a").values + 5)})
    with pytest.raises(Collinear) as refused:
        done(step(id), data)
    assert refused.value.facts["names"] == "a, c"


def test_given_columns_that_determine_each_other():
    data = firms()
    data = data.with_columns({"c": Column.numbers_of(2 * data.column("b").values + 5)})
    with pytest.raises(Determined) as refused:
        done(step("shuffle", columns=("a",), given=("b", "c")), data)
    assert refused.value.facts["names"] == "b, c"


@pytest.mark.parametrize(
    "id", sorted(id for id in STEPS if "within" in catalogue[f"microdata.{id}"].model_fields)
)
def test_a_column_that_is_its_own_stratum(id):
    """All values of a stratum would be equal: nothing changes, and every claim holds."""
    with pytest.raises(ParameterWrong, match="within must not name"):
        step(id, within=(first(id),))


@pytest.mark.parametrize(
    "id", sorted(id for id, given in STEPS.items() if isinstance(given.get("columns"), tuple))
)
def test_a_column_named_twice(id):
    columns = STEPS[id]["columns"]
    with pytest.raises(ParameterWrong, match="names a column twice"):
        step(id, columns=(*columns, columns[0]))


def test_the_schema_still_says_that_a_column_is_needed():
    """Forms and checks of plug-ins read it."""
    assert catalogue["microdata.noise"].model_json_schema()["properties"]["columns"]["minItems"] == 1


def test_a_column_that_is_swapped_cannot_be_kept():
    with pytest.raises(ParameterWrong, match="in columns and in keep"):
        step("covariance-swap", columns=("a", "b"), keep=("b",))


STAY = {c: {c: 1.0} for c in ("calm", "fair", "storm")}
BAD_STEPS = {
    "wrong type": ({"use": "microdata.noise", "columns": ["note"]}, ""),
    "k larger than the data": (
        {"use": "microdata.mdav", "columns": ["income"], "k": 91},
        "data.too-few-records",
    ),
    "variance of zero": ({"use": "microdata.correlated-noise", "columns": ["same"]}, "masking.no-spread"),
    "no Markov matrix": (
        {
            "use": "microdata.pram",
            "columns": ["note"],
            "mode": "given",
            "matrix": STAY | {"calm": {"fair": 0.5}},
        },
        "exchange.not-markov",
    ),
    "negative probability": (
        {
            "use": "microdata.pram",
            "columns": ["note"],
            "mode": "given",
            "matrix": STAY | {"calm": {"fair": -1}},
        },
        "plan.wrong",
    ),
    "window wider than the data": (
        {"use": "microdata.rank-swap", "columns": {"income": {"records": 90}}},
        "exchange.window-too-wide",
    ),
    "all values missing": ({"use": "microdata.rank-average", "columns": ["empty"]}, ""),
}


@pytest.mark.parametrize("fault", BAD_STEPS, ids=str)
def test_a_run_with_bad_input_writes_nothing(capsys, tmp_path, monkeypatch, fault):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, SECRET)
    wrong, code = BAD_STEPS[fault]
    held = people()
    held |= {"same": ["5"] * 90, "empty": [""] * 90, "double": [str(2 * int(v) + 1) for v in held["wealth"]]}
    lay_out(tmp_path, changed(steps=[wrong], release_if=None), as_csv(held))
    before = everything_in(tmp_path)
    said = command(capsys, "run", "plan.yaml", "--out", "out", "--lang", "en")
    assert said.code == 2, said.err
    assert f"[{code}" in said.err
    assert everything_in(tmp_path) == before


IGNORED = {
    "camouflage base": ("camouflage", {"columns": ("a",), "base": {"b": 2}}),
    "factor-noise unit": ("factor-noise", {"columns": ABC, "shared": "nothing", "unit": ("u",)}),
    "half-swap order": ("half-swap", {"columns": ("a",), "order": {"h": ("p", "q")}}),
    "importance": ("local-suppression", {"keys": ("g", "h"), "importance": {"a": 2}}),
    "rank-swap order": ("rank-swap", {"columns": {"a": {"percent": 10}}, "order": {"h": ("p", "q")}}),
    "record-swap": ("record-swap", {"columns": ("r",), "keys": ("g",), "k": 1}),
    "restore-variance": ("restore-variance", {"columns": ABC, "step": {"use": "microdata.mdav", "columns": ("a",)}}),
    "shuffle order": ("shuffle", {"columns": ("a",), "given": ("b",), "order": {"h": ("p", "q")}}),
    "subsets": ("local-suppression", {"keys": ("g", "h"), "mode": "least", "subsets": 3}),
}  # fmt: skip


@pytest.mark.parametrize("name", IGNORED)
def test_what_a_step_would_ignore_is_refused(name):
    """A parameter that changes nothing is a mistake of the plan, which nobody would see (peers: silently ignored arguments)."""
    method, parameters = IGNORED[name]
    with pytest.raises(ParameterWrong):
        build(catalogue[f"microdata.{method}"], parameters)


def test_importance_and_subsets_are_judged_by_the_keys_of_the_data():
    data = example_data()
    for parameters in ({"importance": {"income": 2.0}}, {"mode": "least", "subsets": 9}):
        with pytest.raises(ParameterWrong):
            build(catalogue["microdata.local-suppression"], parameters).apply(data, stream("s"))


def test_what_is_wrong_in_the_step_of_another_is_said():
    step = {"use": "microdata.mdav", "columns": ABC, "k": 1}
    with pytest.raises(ParameterWrong, match="step: .*k: must be at least 3"):
        build(catalogue["microdata.restore-variance"], {"columns": ABC, "step": step})
    with pytest.raises(ParameterWrong, match="step must be a method"):
        build(catalogue["microdata.restore-variance"], {"columns": ABC, "step": {"columns": ABC}})
