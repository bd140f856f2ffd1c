"""The process section of a plan: what it takes, what check says to it, and what is still open."""

from __future__ import annotations

from datetime import date
from importlib.resources import files

import pytest

from plans.workshop import changed, checked, document, lay_out, with_data
from tarnkappe.errors.process import FrameWrong
from tarnkappe.errors.release import PlanWrong
from tarnkappe.plan.check import check
from tarnkappe.plan.document import parse, to_yaml
from tarnkappe.plan.frame import frame_of, standard_frame
from tarnkappe.plan.open_points import open_points
from tarnkappe.plan.process import ProcessDescription, Profile
from tarnkappe.spec import catalogue

FULL = {
    "need": {
        "why": "persons with incomes",
        "basis": "GDPR Art. 6(4)",
        "officer": "asked",
        "assessment": {
            "reference": "2026-17",
            "dated": "2026-09-30",
            "consequences": "exposure",
            "answers": {p.id: "told" for p in standard_frame().prompts},
        },
    },
    "preparation": "nothing",
    "audience": {"profile": "partner", "who": "reinsurer", "other_data": "none", "agreement": "signed"},
    "scenarios": [{"attack": "neighbour", "because": "they know each other", "attacker": "prosecutor"}],
    "use": {"analyses": ["means"], "granularity": {"age": {"least": 1}}, "cadence": "yearly"},
    "decisions": [{"what": "drop it", "because": "not needed", "step": 5}],
    "approvals": [{"who": "A", "dated": "2026-10-01"}],
    "review": "2027-01-01",
}


def problems(content, folder):
    with pytest.raises(PlanWrong) as caught:
        lay_out(folder, content)
        check(document(content), folder)
    return caught.value.text("en")


def left(process, columns=(), today=date(2026, 11, 1)):
    told = ProcessDescription.model_validate(process) if process is not None else None
    return [(p.step, p.says.en) for p in open_points(told, standard_frame(), columns, today)]


def test_a_full_process_is_read_and_leaves_nothing_open(tmp_path):
    plan = checked(tmp_path, changed(process=FULL))
    assert plan.process.need.basis == ("GDPR Art. 6(4)",)
    assert plan.process.audience.profile is Profile.PARTNER
    assert plan.process.review == date(2027, 1, 1)
    assert left(FULL) == []


def test_without_a_process_every_step_that_people_decide_is_open():
    assert {step for step, _ in left(None)} == {1, 2, 3, 4, 5, 12}


@pytest.mark.parametrize(
    ("take", "step"),
    [
        ("need", 1),
        ("preparation", 2),
        ("audience", 3),
        ("scenarios", 4),
        ("use", 5),
        ("approvals", 12),
        ("review", 12),
    ],
)
def test_each_part_left_out_is_open_in_its_step(take, step):
    rest = {name: part for name, part in FULL.items() if name != take}
    assert {s for s, _ in left(rest)} == {step}


def test_some_things_are_open_only_where_they_matter():
    assert left(FULL, columns=("diagnosis",)) == [
        (1, "the basis for special categories of data (GDPR Art. 9, 10)")
    ]
    public = FULL | {"audience": {"profile": "public"}}
    assert left(public) == []
    none_needed = FULL | {"need": FULL["need"] | {"assessment": {"not_needed": "no persons"}}}
    assert left(none_needed) == []
    unsigned = FULL | {"approvals": [{"who": "A", "dated": "2026-10-01"}, {"who": "B"}]}
    assert left(unsigned) == [(12, "approvals")]
    assert left(FULL, today=date(2027, 2, 1)) == [(12, "the review: its date has passed")]


# -- granularity --------------------------------------------------------------------------------------------------------


def use(granularity, **parts):
    return changed(process={"use": {"granularity": granularity}}, **parts)


def generalise(level):
    return [{"use": "microdata.generalise", "columns": {"age": level}}]


@pytest.mark.parametrize(
    ("least", "level", "fine"),
    [(2, 1, False), (1, 1, True), (1, 2, True), ({"least": 2}, "1", False), (0, 1, True)],
)
def test_a_level_below_the_least_is_told_by_check(tmp_path, least, level, fine):
    content = use({"age": least}, steps=generalise(level))
    if fine:
        checked(tmp_path, content)
    else:
        said = problems(content, tmp_path)
        assert "steps[1]" in said
        assert "'age' becomes coarser" in said
        assert "at least 2" in said


def test_levels_by_name_are_compared_where_the_plan_names_them(tmp_path):
    content = with_data(hierarchies={"age": {"bands": [20, 10], "levels": ["wide", "narrow"]}})
    content["process"] = {"use": {"granularity": {"age": "narrow"}}}
    content["steps"] = generalise("wide")
    assert "at least narrow" in problems(content, tmp_path)
    content["steps"] = generalise("narrow")
    checked(tmp_path, content)


def test_a_needed_column_is_not_dropped(tmp_path):
    drop = [{"use": "microdata.drop", "columns": ["age", "note"]}]
    said = problems(use({"age": 1}, steps=drop, release_if=None), tmp_path)
    assert "'age' is dropped" in said
    checked(tmp_path, use({"age": 0}, steps=drop, release_if=None))


@pytest.mark.parametrize(
    "step",
    [
        {"use": "microdata.round", "columns": ["income"], "base": 100},
        {"use": "microdata.band", "columns": ["income"], "into": {"width": 100}},
    ],
)
def test_classes_and_rounding_are_not_wider_than_allowed(tmp_path, step):
    said = problems(use({"income": {"width": 50}}, steps=[step], release_if=None), tmp_path)
    assert "width 100, at most 50" in said
    checked(tmp_path, use({"income": {"width": 100}}, steps=[step], release_if=None))


def test_granularity_itself_can_be_wrong(tmp_path):
    assert "wanted is coarser than least" in problems(use({"age": {"wanted": 1, "least": 2}}), tmp_path)
    assert "has no hierarchy" in problems(use({"sex": 1}), tmp_path)
    both = changed(process={"use": {"granularity": {"age": 1}, "dispensable": ["age"]}})
    assert "'age' is dispensable and has a least granularity" in problems(both, tmp_path)


# -- the frame ----------------------------------------------------------------------------------------------------------


def test_the_standard_frame_names_measures_that_exist():
    frame = standard_frame()
    known = {cls.id for cls in catalogue}
    assert all(set(c.measures) <= known for c in frame.criteria)
    assert len({p.id for p in frame.prompts}) == len(frame.prompts)
    assert "no legal advice" in frame.notice.en
    assert "keine Rechtsberatung" in frame.notice.de


def test_an_office_has_its_own_frame(tmp_path):
    text = files("tarnkappe.plan").joinpath("frame.yaml").read_text("utf-8")
    own = parse(text).content
    own["prompts"] = [{"id": "ours", "asks": {"en": "Why?", "de": "Warum?"}}]
    (tmp_path / "own.yaml").write_text(to_yaml(own))
    assert [p.id for p in frame_of("own.yaml", tmp_path).prompts] == ["ours"]
    answered = {"need": {"assessment": {"answers": {"ours": "so"}}}, "frame": "own.yaml"}
    checked(tmp_path, changed(process=answered))
    assert "is no prompt of the frame" in problems(changed(process={"need": answered["need"]}), tmp_path)


def test_a_frame_that_does_not_fit_is_told_with_the_place(tmp_path):
    (tmp_path / "own.yaml").write_text("tarnkappe_frame: 1\nnotice: {en: a}\n")
    with pytest.raises(FrameWrong, match="notice.de"):
        frame_of("own.yaml", tmp_path)
    assert "process.frame" in problems(changed(process={"frame": "own.yaml"}), tmp_path)
    assert "no such file" in problems(changed(process={"frame": "gone.yaml"}), tmp_path)


@pytest.mark.parametrize(
    ("process", "says"),
    [
        ({"review": "soon"}, "must be a date"),
        ({"audience": {"profile": "everybody"}}, "must be one of"),
        ({"scenarios": [{"attack": "x"}]}, "because: is required"),
        ({"decisions": [{"what": "x", "because": "y", "step": 13}]}, "must be at most 12"),
        ({"needs": {}}, "Did you mean 'need'"),
        ({"scenarios": [{"attack": "x", "becaus": "y", "because": "y"}]}, "Did you mean 'because'"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(tmp_path, process, says):
    assert says in problems(changed(process=process), tmp_path)


@pytest.mark.parametrize(
    ("release", "says"),
    [
        ({"kind": "public-use", "anonymity": "formal"}, "stays in the house"),
        ({"kind": "scientific-use", "anonymity": "formal", "access": "off-site"}, "stays in the house"),
        ({"kind": "scientific-use", "access": "public"}, "public access is for public-use files"),
        ({"anonymity": "total"}, "must be one of"),
    ],
)
def test_a_release_that_contradicts_itself_is_told_by_check(tmp_path, release, says):
    assert says in problems(changed(release=release), tmp_path)


@pytest.mark.parametrize(
    "release",
    [
        {"kind": "internal", "anonymity": "formal", "access": "on-site"},
        {"kind": "scientific-use", "anonymity": "factual", "access": "off-site"},
        {"kind": "public-use", "anonymity": "absolute", "access": "public"},
        {"object": "model"},
    ],
)
def test_degrees_and_ways_that_go_together(tmp_path, release):
    told = checked(tmp_path, changed(release=release)).release
    assert {k: getattr(told, k).value for k in release} == release


def test_the_table_of_the_opinion():
    """WP216, table 6: no technique meets all three criteria, and differential privacy comes nearest."""
    table = {t.name.en: (t.singling_out, t.linkability, t.inference) for t in standard_frame().techniques}
    assert table["Aggregation, k-anonymity"] == ("no", "yes", "yes")
    assert table["Noise addition"] == ("yes", "may-not", "may-not")
    assert table["Differential privacy"] == ("may-not",) * 3
    assert len(table) == 7
    assert all(row != ("no",) * 3 for row in table.values())
