"""What a declared thing needs of roles is declared: whatever refuses data without roles says so before data is read."""

import pytest

import tarnkappe as tk
from tarnkappe.errors import TarnkappeError
from tarnkappe.randomness import public_stream
from tarnkappe.spec import Measure, Method, catalogue
from tarnkappe.testing import example_data
from tarnkappe.vocab import Role

LACKING = {
    "data.no-keys", "risk.no-sensitive", "risk.population-needed", "risk.columns-missing", "risk.series-needed", "risk.no-amounts",
    "risk.weight-needed", "utility.groups-needed", "masking.weights-needed",
}  # fmt: skip
"""Codes of errors about roles that no column has."""
DATA = example_data()
THINGS = [
    (cls, parameters)
    for cls in (*catalogue.measures(), *catalogue.methods())
    if issubclass(cls, Measure | Method)
    for parameters in ({}, dict(cls.example))
    if not any(field.is_required() for name, field in cls.model_fields.items() if name not in parameters)
]


def done(thing, data):
    """The code of the error that ends it, or nothing."""
    try:
        thing.measure(data, before=data) if isinstance(thing, Measure) else thing.apply(
            data, public_stream("roles")
        )
    except TarnkappeError as problem:
        return problem.code
    return ""


@pytest.mark.parametrize(
    ("cls", "parameters"), THINGS, ids=[f"{cls.id}-{'example' if p else 'default'}" for cls, p in THINGS]
)
def test_what_lacks_a_role_is_known_without_data(cls, parameters):
    try:
        thing = cls(**parameters)
    except TarnkappeError:
        pytest.skip("needs parameters")
    code = done(thing, DATA.with_roles({}))
    assert (code in LACKING) is bool(thing.needed_roles()), (code, thing.needed_roles())
    for roles in thing.needed_roles().values():
        rest = {role: names for role, names in DATA.roles.items() if role not in roles}
        assert done(thing, DATA.with_roles(rest)), roles


def test_a_parameter_takes_the_place_of_a_role():
    measure = tk.catalogue["risk.k-anonymity"]
    assert measure().needed_roles() == {"keys": (Role.KEY,)}
    assert measure(keys=("sex",)).needed_roles() == {}
    individual = tk.catalogue["risk.individual"]
    assert individual(keys=("sex",)).needed_roles() == {"population": (Role.WEIGHT,)}
    assert individual(keys=("sex",), population=1000).needed_roles() == {}
