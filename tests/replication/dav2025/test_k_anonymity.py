"""k-anonymity in the results report of the German Association of Actuaries (dav2025).

The tables of section 4.2 and table 2 are as printed; the vector on suppressed cells is derived by hand from their
definition (section 3.2.2). Tolerance: none, these are counts.
"""

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.risk.class_sizes import ClassSizes
from tarnkappe.risk.k_anonymity import KAnonymity
from tarnkappe.risk.uniques import Uniques
from tarnkappe.vocab import Role, Suppressed

# -- suppressed cells: originals (a,x), (a,x), (a,y), (b,y) ---------------------------------------------------------

ORIGINALS = (["a", "a", "a", "b"], ["x", "x", "y", "y"])


def released(first_hidden, second_hidden):
    columns = [Column.texts_of(texts) for texts in ORIGINALS]
    hidden = [np.array(h, dtype=bool) for h in (first_hidden, second_hidden)]
    return Microdata(
        {name: c.suppress(h) for name, c, h in zip(("p", "q"), columns, hidden, strict=True)},
        {Role.KEY: ("p", "q")},
    )


NOTHING_HIDDEN = released([0, 0, 0, 0], [0, 0, 0, 0])
SAFE = released([0, 0, 1, 1], [0, 0, 0, 0])  # (a,x), (a,x), (*,y), (*,y)
UNSAFE = released([0, 0, 0, 1], [0, 0, 1, 0])  # (a,x), (a,x), (a,*), (*,y)


def counts(data, policy):
    return KAnonymity(suppressed=policy).measure(data).per_record.tolist()


@pytest.mark.parametrize("policy", Suppressed)
def test_originals(policy):
    assert counts(NOTHING_HIDDEN, policy) == [2, 2, 1, 1]


@pytest.mark.parametrize("policy", Suppressed)
def test_a_release_that_is_2_anonymous_by_every_policy(policy):
    assert counts(SAFE, policy) == [2, 2, 2, 2]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (Suppressed.WILDCARD, [3, 3, 4, 2]),
        (Suppressed.CATEGORY, [2, 2, 1, 1]),
        (Suppressed.ATTACKER, [3, 3, 2, 1]),
    ],
)
def test_a_release_that_only_looks_2_anonymous(policy, expected):
    assert counts(UNSAFE, policy) == expected


def test_the_attackers_view_is_what_counts_unless_told_otherwise():
    found = KAnonymity().measure(UNSAFE, before=NOTHING_HIDDEN)
    assert (found.value, found.baseline, found.trusted) == (1, 1, True)
    assert Uniques().measure(UNSAFE).value == 0.25


def test_the_optimistic_policy_is_not_trusted_where_it_matters():
    assert not KAnonymity(suppressed=Suppressed.WILDCARD).measure(UNSAFE).trusted
    assert not Uniques(suppressed=Suppressed.WILDCARD).measure(UNSAFE).trusted
    assert KAnonymity(suppressed=Suppressed.WILDCARD).measure(NOTHING_HIDDEN).trusted


# -- section 4.2: the original table, and the one printed as 4-anonymous with three classes ---------------------------

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
AGE = ["28", "29", "21", "23", "50", "55", "47", "49", "31", "37", "36", "35"]
OCCUPATION = [
    "Kaufmann/-frau",
    "Lehrer/in",
    "Arzt/Ärztin",
    "Lehrer/in",
    "Mechaniker/in",
    "Kaufmann/-frau",
    "Lehrer/in",
    "Lehrer/in",
    "Lehrer/in",
    "Mechaniker/in",
    "Arzt/Ärztin",
    "Lehrer/in",
]
TABLE = Microdata(
    {"plz": Column.texts_of(POSTCODE), "alter": Column.texts_of(AGE), "beruf": Column.texts_of(OCCUPATION)},
    {Role.KEY: ("plz", "alter", "beruf")},
)


@pytest.mark.parametrize(
    ("keys", "k", "classes", "uniques"),
    [
        ((), 1, 12, 12),
        (("plz",), 2, 4, 0),
        (("beruf",), 2, 4, 0),
        (("plz", "beruf"), 1, 8, 4),
        (("alter",), 1, 12, 12),
    ],
)
def test_original_table(keys, k, classes, uniques):
    found = KAnonymity(keys=keys).measure(TABLE)
    assert (found.value, found.details["classes"], found.details["below"]["2"]) == (k, classes, uniques)
    assert Uniques(keys=keys).measure(TABLE).details["once"] == uniques


def four_anonymous():
    """Postcode and age recoded as printed; the occupation, printed as an asterisk, is suppressed everywhere."""
    plz = ["1485*" if p.startswith("148") else "130**" for p in POSTCODE]
    age = ["<30" if int(a) < 30 else ">40" if int(a) > 40 else "3*" for a in AGE]
    return TABLE.with_columns(
        {
            "plz": Column.texts_of(plz),
            "alter": Column.texts_of(age),
            "beruf": TABLE.column("beruf").suppress(np.ones(12, dtype=bool)),
        }
    )


@pytest.mark.parametrize("policy", Suppressed)
def test_table_printed_as_4_anonymous_with_three_classes(policy):
    found = KAnonymity(suppressed=policy).measure(four_anonymous(), before=TABLE)
    assert (found.value, found.baseline, found.details["classes"]) == (4, 1, 3)
    assert found.details["in_smallest"] == 12


def test_table_2():
    data = Microdata(
        {
            "plz": Column.texts_of(["130**"] * 8 + ["1485*"] * 4),
            "alter": Column.texts_of(["<40"] * 8 + [">40"] * 4),
        },
        {Role.KEY: ("plz", "alter")},
    )
    assert KAnonymity().measure(data).value == 4
    assert (
        ClassSizes().measure(data).value == 6
    )  # the mean prosecutor risk, printed as 1/6, is its reciprocal
