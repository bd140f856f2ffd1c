"""The plan while it is built: undo and redo, and nothing changed behind its back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.language import Text
from tarnkappe.plan.document import parse
from tarnkappe.studio.draft import Draft

SAYS = Text("something", "etwas")


def test_what_is_put_can_be_undone_and_done_again():
    draft = Draft()
    draft.put(Text("title", "Titel"), "title", value="A")
    draft.put(Text("roles", "Rollen"), "data", "roles", "key", value=["age"])
    assert draft.get("data", "roles") == {"key": ["age"]}
    assert draft.undoes == Text("roles", "Rollen")
    draft.undo()
    assert draft.content == {"title": "A"}
    assert draft.redoes == Text("roles", "Rollen")
    draft.redo()
    assert draft.get("data", "roles", "key") == ["age"]
    assert not draft.redoes


def test_a_new_change_ends_what_could_be_done_again():
    draft = Draft()
    for title in "AB":
        draft.put(SAYS, "title", value=title)
    draft.undo()
    draft.put(SAYS, "title", value="C")
    assert not draft.redoes
    draft.undo()
    assert draft.get("title") == "A"


def test_undo_at_the_beginning_and_redo_at_the_end_do_nothing():
    draft = Draft()
    draft.undo()
    draft.redo()
    assert draft.content == {}
    assert not draft.undoes


def test_what_changes_nothing_is_no_version():
    draft = Draft()
    draft.put(SAYS, "title", value="A")
    draft.put(SAYS, "title", value="A")
    draft.undo()
    assert draft.content == {}


def test_an_empty_part_goes_and_takes_the_empty_mapping_with_it():
    draft = Draft()
    draft.put(SAYS, "data", "roles", "key", value=["age"])
    draft.put(SAYS, "data", "roles", "key", value=[])
    assert draft.content == {}


def test_what_is_got_is_a_copy():
    draft = Draft()
    draft.put(SAYS, "data", "roles", value={"key": ["age"]})
    draft.get("data", "roles")["key"].append("sex")
    assert draft.get("data", "roles", "key") == ["age"]


def test_steps_in_a_list_are_set_and_taken_out_by_their_place():
    draft = Draft()
    draft.put(SAYS, "steps", value=[{"use": "a"}, {"use": "b"}])
    draft.put(SAYS, "steps", 1, "k", value=3)
    assert draft.get("steps") == [{"use": "a"}, {"use": "b", "k": 3}]
    draft.put(SAYS, "steps", 0, value=None)
    assert draft.get("steps") == [{"use": "b", "k": 3}]


names = st.sampled_from(["title", "data", "steps"])
values = st.recursive(
    st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=4
)


@given(st.lists(st.tuples(names, values), max_size=12))
def test_undoing_everything_leads_back_through_every_version(edits):
    draft = Draft()
    seen = [dict(draft.content)]
    for name, value in edits:
        before = draft.number
        draft.put(SAYS, name, value=value)
        if draft.number > before:
            seen.append(dict(draft.content))
    for expected in reversed(seen[:-1]):
        draft.undo()
        assert draft.content == expected
    for expected in seen[1:]:
        draft.redo()
        assert draft.content == expected


def test_the_text_is_the_plan_in_the_usual_order():
    draft = Draft()
    draft.put(SAYS, "steps", value=[{"use": "microdata.drop", "columns": ["name"]}])
    draft.put(SAYS, "tarnkappe", value=1)
    assert draft.text().splitlines()[0] == "tarnkappe: 1"
    assert parse(draft.text()).content == draft.content


def test_a_step_that_is_switched_off_is_no_part_of_the_plan_and_comes_back_to_its_place():
    draft = Draft()
    draft.put(SAYS, "steps", value=["a", "b", "c"])
    draft.switch_off(SAYS, 1)
    assert draft.get("steps") == ["a", "c"]
    assert "b" not in draft.text()
    draft.put(SAYS, "title", value="kept through other changes")
    assert [one.step for one in draft.off] == ["b"]
    assert draft.switch_on(SAYS, 0) == 1
    assert (draft.get("steps"), draft.off) == (["a", "b", "c"], ())
    for _ in range(3):
        draft.undo()
    assert (draft.get("steps"), draft.off) == (["a", "b", "c"], ())
    draft.redo()
    assert [one.step for one in draft.off] == ["b"]


def test_the_only_step_can_be_switched_off_and_returns_when_others_have_gone():
    draft = Draft()
    draft.put(SAYS, "steps", value=["a", "b", "c"])
    draft.switch_off(SAYS, 2)
    draft.put(SAYS, "steps", value=["a"])
    draft.switch_off(SAYS, 0)
    assert "steps" not in draft.content
    assert draft.switch_on(SAYS, 0) == 0
    assert draft.switch_on(SAYS, 0) == 0
    assert draft.get("steps") == ["a", "c"]
