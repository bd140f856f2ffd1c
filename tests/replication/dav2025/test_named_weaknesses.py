"""The named weaknesses on the tables of the report (specification, sections 2.7 and 6.1 to 6.4)."""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.release_signature import Earlier, Signer, signature
from tarnkappe.risk.background_knowledge import BackgroundKnowledge
from tarnkappe.risk.earlier_releases import EarlierReleases
from tarnkappe.risk.elimination import Elimination
from tarnkappe.risk.homogeneity import Homogeneity
from tarnkappe.risk.similarity import Similarity
from tarnkappe.risk.skewness import Skewness, most_classes
from tarnkappe.vocab import Role

H, V, K = "Herzkrankheit", "Virusinfektion", "Krebs"
POSTCODE = [
    "13053",
    "13068",
    "13068",
    "13053",
    "14853",
    "14853",
    "14850",
    "14850",
    "13053",
    "13053",
    "13068",
    "13068",
]
AGE = [28, 29, 21, 23, 50, 55, 47, 49, 31, 37, 36, 35]
WORK = [
    "Kaufmann",
    "Lehrer",
    "Arzt",
    "Lehrer",
    "Mechaniker",
    "Kaufmann",
    "Lehrer",
    "Lehrer",
    "Lehrer",
    "Mechaniker",
    "Arzt",
    "Lehrer",
]
ILL = [H, H, V, V, K, H, V, V, K, K, K, K]
ROLES = {Role.KEY: ("plz", "alter", "beruf"), Role.SENSITIVE: ("krankheit",)}
SIGNER = Signer(b"k" * 32)


def table(**columns):
    return {name: Column.texts_of(list(map(str, texts))) for name, texts in columns.items()}


ORIGINAL = Microdata(table(plz=POSTCODE, alter=AGE, beruf=WORK, krankheit=ILL), ROLES)
PLZ_A = ["130**"] * 4 + ["1485*"] * 4 + ["130**"] * 4
ALTER_A = ["<30"] * 4 + [">40"] * 4 + ["3*"] * 4
A = Microdata(table(plz=PLZ_A, alter=ALTER_A, beruf=["*"] * 12, krankheit=ILL), ROLES)
P = ORIGINAL.without(["alter", "beruf"])
J = ORIGINAL.without(["plz", "alter"])


def of_counts(*counts):
    """One class beside a second one that makes the file more than one class."""
    values = [chr(97 + i) for i, n in enumerate(counts) for _ in range(n)]
    return Microdata(
        table(key=["one"] * len(values), told=values), {Role.KEY: ("key",), Role.SENSITIVE: ("told",)}
    )


def test_homogeneity_flags_class_three_with_its_four_persons():
    found = Homogeneity().measure(A)
    assert found.details["exposed"] == 4
    assert found.value == pytest.approx(4 / 12)
    assert np.flatnonzero(found.per_record == 1).tolist() == [8, 9, 10, 11]
    assert found.details["sensitive"]["krankheit"]["classes"] == 1


def test_background_knowledge_takes_class_one_from_a_half_to_certainty():
    before = BackgroundKnowledge(excluded=0).measure(A)
    after = BackgroundKnowledge(excluded=1).measure(A)
    assert before.per_record[:4] == pytest.approx([0.5] * 4)
    assert after.per_record[:4] == pytest.approx([1.0] * 4)
    assert after.per_record[4:8] == pytest.approx([2 / 3] * 4)
    weighed = BackgroundKnowledge(excluded=0, odds={"krankheit": {H: 0}}).measure(A)
    assert weighed.per_record[:4] == pytest.approx([1.0] * 4)


def test_the_rare_test_result_allows_ten_classes():
    assert most_classes(np.array([990, 10]), 2) == 10
    found = Skewness().measure(of_counts(990, 10))
    assert found.details["sensitive"]["told"]["classes_possible"]["2"] == 10


def test_a_class_of_fifty_percent_positives_is_skewed():
    key = ["a"] * 20 + ["b"] * 980
    told = ["+"] * 10 + ["-"] * 10 + ["-"] * 980
    data = Microdata(table(key=key, told=told), {Role.KEY: ("key",), Role.SENSITIVE: ("told",)})
    found = Skewness().measure(data)
    assert found.details["exposed"] == 20
    assert found.per_record[0] == pytest.approx(50)


def test_two_identified_persons_expose_a_hundred():
    found = Elimination().measure(of_counts(98, 1, 1))
    assert found.details["sensitive"]["told"]["persons_to_identify"] == 2
    assert found.details["exposed"] == 100
    assert Elimination(identified=1).measure(of_counts(98, 1, 1)).details["exposed"] == 0


def test_three_mental_disorders_are_alike():
    tree = from_tree("told", {"mental": ["Schizophrenie", "Depression", "ADHS"], "body": ["Krebs", "Asthma"]})
    told = ["Schizophrenie", "Depression", "ADHS", "Krebs", "Depression", "Asthma"]
    columns = table(key=list("aaabbb"), told=told)
    columns["told"] = Column.texts_of(told, hierarchy=tree)
    data = Microdata(columns, {Role.KEY: ("key",), Role.SENSITIVE: ("told",)})
    found = Similarity().measure(data)
    assert found.per_record.tolist() == [1, 1, 1, 0, 0, 0]
    assert found.details["sensitive"]["told"]["l_by_level"] == {"1": 1, "2": 3}
    assert Homogeneity().measure(data).value == 0


@pytest.mark.parametrize(
    ("releases", "k", "uniques", "classes"),
    [
        ([A], 4, 0, 3), ([P], 2, 0, 4), ([J], 2, 0, 4), ([A, P], 2, 0, 6), ([A, J], 1, 6, 9), ([P, J], 1, 4, 8),
        ([A, P, J], 1, 10, 11),
    ],
)  # fmt: skip
def test_complementary_releases(releases, k, uniques, classes):
    for new in range(len(releases)):  # whichever of them comes last
        earlier = [r for i, r in enumerate(releases) if i != new]
        held = tuple(signature(ORIGINAL, r, SIGNER, "", "") for r in earlier)
        found = EarlierReleases().held_against(Earlier(held, SIGNER), releases[new], ORIGINAL)
        assert found.value == k
        assert np.sum(found.per_record == 1) == uniques
        assert np.sum(1 / found.per_record) == pytest.approx(classes)
