"""Several plans to compare: files as they are, or one plan with a grid of values."""

from __future__ import annotations

import pytest
import yaml

from plans.workshop import lay_out
from tarnkappe.errors.files import PathEscapes
from tarnkappe.errors.mapping import GridWrong
from tarnkappe.plan.variants import MOST, grid_from, variants


@pytest.fixture
def plan(tmp_path):
    return lay_out(tmp_path)


def grid(plan, content):
    path = plan.parent / "grid.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    return path


def test_a_plan_alone_is_itself(plan):
    (one,) = variants([plan])
    assert (one.name, one.changed) == ("plan", {})
    assert one.document.content["steps"][2]["k"] == 3


def test_a_grid_is_unfolded_in_order_and_leaves_the_plan_alone(plan):
    path = grid(plan, {"plan": "plan.yaml", "vary": {"steps.3.k": [3, 5], "steps.2.below": [2, 4]}})
    found = variants([path])
    assert [v.name for v in found] == [
        "k = 3, below = 2",
        "k = 3, below = 4",
        "k = 5, below = 2",
        "k = 5, below = 4",
    ]
    assert [v.document.content["steps"][2]["k"] for v in found] == [3, 3, 5, 5]
    assert [v.document.content["steps"][1]["below"] for v in found] == [2, 4, 2, 4]
    assert found[2].changed == {"steps.3.k": 5, "steps.2.below": 2}
    assert yaml.safe_load(plan.read_text())["steps"][2]["k"] == 3


def test_a_parameter_at_its_default_and_whole_steps_can_be_varied(plan):
    drop = {"use": "microdata.drop", "columns": ["note"]}
    found = variants([plan], {"steps.3.within": [["region"], []], "steps.1": [drop]})
    assert [v.document.content["steps"][2]["within"] for v in found] == [["region"], []]
    assert found[0].document.content["steps"][0] == drop


def test_paths_that_end_alike_are_told_apart(plan):
    names = [
        v.name
        for v in variants([plan], {"steps.1.columns.age": [1], "data.hierarchies.age": [{"bands": [5]}]})
    ]
    assert names == ["steps.1.columns.age = 1, data.hierarchies.age = bands 5"]


def test_equal_names_are_numbered(plan):
    other = plan.parent / "more" / "plan.yaml"
    other.parent.mkdir()
    other.write_text(plan.read_text())
    assert [v.name for v in variants([plan, other])] == ["plan (1)", "plan (2)"]


def test_words_of_the_command_line():
    assert grid_from(["steps.2.k=3, 5", "a.b=north,[x, y]"]) == {
        "steps.2.k": [3, 5],
        "a.b": ["north", ["x", "y"]],
    }
    assert grid_from(["steps.2.k="]) == {"steps.2.k": []}


@pytest.mark.parametrize(
    "vary",
    [
        {"steps.4.k": [1]},
        {"steps.0.k": [1]},
        {"steps.x.k": [1]},
        {"nowhere.k": [1]},
        {"steps.9": [1]},
        {"steps.3.k.deep": [1]},
        {"steps.3.k": []},
        {"steps.3.k": 5},
        {},
        [],
        {"steps.3.k": list(range(3, MOST + 4))},
    ],
)
def test_grids_that_name_nothing(plan, vary):
    with pytest.raises(GridWrong) as found:
        variants([grid(plan, {"plan": "plan.yaml", "vary": vary})])
    assert found.value.exit_code == 2
    assert found.value.what.de != found.value.what.en


def test_a_grid_of_another_form(plan):
    with pytest.raises(GridWrong):
        variants([grid(plan, {"plan": "plan.yaml", "vary": {"steps.3.k": [3]}, "more": 1})])
    with pytest.raises(PathEscapes):
        variants([grid(plan, {"plan": "../plan.yaml", "vary": {"steps.3.k": [3]}})])
