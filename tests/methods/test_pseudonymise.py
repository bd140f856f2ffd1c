from __future__ import annotations

import hashlib
import hmac
import unicodedata

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import RoleKind
from tarnkappe.methods.microdata.pseudonymise import Pseudonymise
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step, broken_claims
from tarnkappe.testing import example_data, variants
from tarnkappe.vocab import Kind, Role

SECRET = "a secret for the tests"


def pseudonyms(column, secret=SECRET, nth=0, **parameters):
    data = Microdata({"id": column}, {Role.IDENTIFIER: ("id",)})
    step = Pseudonymise(columns=("id",), **parameters)
    return apply_step(step, data, stream(secret, step.id, nth)).column("id")


def test_is_hmac_sha256_cut_to_128_bits():
    got = pseudonyms(Column.texts_of(["Ada", "Böhm"])).texts()
    key = stream(SECRET, "microdata.pseudonymise").key("pseudonym")
    wanted = ["p" + hmac.new(key, t.encode(), hashlib.sha256).hexdigest()[:32] for t in ("Ada", "Böhm")]
    assert got.tolist() == wanted


def test_one_spelling():
    composed, apart = "Jürgen Groß", unicodedata.normalize("NFD", "Jürgen Groß")
    assert composed != apart
    got = pseudonyms(Column.texts_of([composed, apart, f"  {composed}\t", "Jurgen Groß"])).texts()
    assert got[0] == got[1] == got[2] != got[3]


def test_numbers_are_spelt_alike_whatever_their_type():
    kinds = (
        Column.texts_of(["42", "-7", "0"]),
        Column.numbers_of(np.array([42, -7, 0])),
        Column.numbers_of(np.array([42.0, -7.0, -0.0])),
    )
    one, two, three = (pseudonyms(c).texts().tolist() for c in kinds)
    assert one == two == three
    assert (
        pseudonyms(Column.numbers_of(np.array([0.5]))).texts()[0]
        == pseudonyms(Column.texts_of(["0.5"])).texts()[0]
    )


def test_dates_and_booleans():
    day = Column(Kind.DATE, np.array([0], dtype=np.int32))
    assert pseudonyms(day).texts()[0] == pseudonyms(Column.texts_of(["1970-01-01"])).texts()[0]
    yes = Column(Kind.BOOLEAN, np.array([1], dtype=np.uint8), None, np.array(["false", "true"], dtype=object))
    assert pseudonyms(yes).texts()[0] == pseudonyms(Column.texts_of(["true"])).texts()[0]


def test_missing_stays_missing_and_suppressed_suppressed():
    column = Column.texts_of(["a", None, "b", "a"]).suppress(np.array([0, 0, 1, 0], dtype=bool))
    got = pseudonyms(column)
    assert got.missing.tolist() == [False, True, False, False]
    assert got.suppressed.tolist() == [False, False, True, False]
    assert got.texts()[0] == got.texts()[3]
    codes, _ = got.true_codes()
    assert codes[2] not in (codes[0], -1)


@pytest.mark.parametrize("texts", [[], [None, None], [""]])
def test_nothing_or_nearly_nothing(texts):
    got = pseudonyms(Column.texts_of(texts))
    assert len(got) == len(texts)
    assert [t is None for t in got.texts()] == [t is None for t in texts]


def test_key_belongs_to_the_step_unless_lasting():
    column = Column.texts_of(["Ada"])
    assert pseudonyms(column).texts() != pseudonyms(column, nth=1).texts()
    assert pseudonyms(column, lasting=True).texts() == pseudonyms(column, lasting=True, nth=1).texts()
    assert (
        pseudonyms(column, lasting=True).texts() != pseudonyms(column, secret="another", lasting=True).texts()
    )
    assert pseudonyms(column, lasting=True).texts() != pseudonyms(column).texts()


def test_columns_of_one_step_share_the_key():
    data = Microdata({"person": Column.texts_of(["a", "b"]), "partner": Column.texts_of(["b", "a"])})
    after = apply_step(Pseudonymise(columns=("person", "partner")), data, stream(SECRET))
    assert after.column("person").texts().tolist() == after.column("partner").texts()[::-1].tolist()


def test_the_order_of_categories_tells_nothing():
    """The old order of the categories (alphabetical) would go into files with coded columns."""
    names = [f"{i:04d}" for i in range(200)]
    got = pseudonyms(Column.texts_of(names))
    assert got.categories.tolist() == sorted(got.categories)
    assert np.corrcoef(np.arange(200), got.values)[0, 1] < 0.3


def test_only_the_identifier_role_goes():
    data = example_data()
    after = apply_step(Pseudonymise(columns=("name", "household", "postcode")), data, stream(SECRET))
    assert after.role(Role.IDENTIFIER) == ()
    assert after.role(Role.HOUSEHOLD) == ("household",)
    assert "postcode" in after.role(Role.KEY)
    assert after.column("postcode").hierarchy is None
    assert dict(after.column("name").value_labels) == {}


def test_a_weight_cannot_be_a_pseudonym():
    with pytest.raises(RoleKind):
        apply_step(Pseudonymise(columns=("w",)), example_data(), stream(SECRET))


def test_look_up_file_leads_back():
    data = Microdata({"id": Column.texts_of(["Ada", "Bela", None, " Ada"])}, {Role.IDENTIFIER: ("id",)})
    step = Pseudonymise(columns=("id",), look_up=True)
    after = apply_step(step, data, stream(SECRET))
    ((name, (header, rows)),) = step.keeps(data, after).items()
    assert (name, header) == ("pseudonyms.csv", ("column", "pseudonym", "id"))
    shown = after.column("id").texts()
    assert sorted(rows) == sorted(
        [("id", shown[0], "Ada"), ("id", shown[1], "Bela"), ("id", shown[0], " Ada")]
    )
    assert Pseudonymise(columns=("id",)).keeps(data, after) == {}


def test_look_up_survives_another_order_of_records():
    data = example_data()
    step = Pseudonymise(columns=("name",), look_up=True)
    after = apply_step(step, data, stream(SECRET))
    _, rows = step.keeps(data, after)["pseudonyms.csv"]
    _, turned = step.keeps(data, after.take(np.arange(60)[::-1]))["pseudonyms.csv"]
    assert rows == turned and len(rows) == 60


def test_tells_that_it_is_personal_data():
    assert (
        Pseudonymise(columns=("name",)).tells(example_data(), example_data())["still_personal_data"] is True
    )


def test_claims_see_merged_split_and_kept_ids():
    data = Microdata({"id": Column.texts_of(["a", "b", "a"])})
    step = Pseudonymise(columns=("id",))
    for wrong in (["x", "x", "x"], ["x", "y", "z"], ["a", "y", "a"], ["x", None, "x"]):
        assert broken_claims(step, data, data.with_columns({"id": Column.texts_of(wrong)})), wrong
    assert not broken_claims(step, data, data.with_columns({"id": Column.texts_of(["x", "y", "x"])}))


@pytest.mark.parametrize("name", ["duplicate records", "odd text", "constant", "all suppressed"])
def test_equality_is_kept_on_awkward_data(name):
    data = variants()[name]
    after = apply_step(Pseudonymise(columns=("name",)), data, stream(SECRET))
    assert after.column("name").distinct().tolist() == sorted(set(after.column("name").distinct()))
