"""Every declared thing, no exceptions: parametrised over the catalogue, never over a list."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tarnkappe.spec import TableMethod, catalogue
from tarnkappe.testing import checks_for
from tarnkappe.testing.measures import variants_give_an_answer_or_an_error  # noqa: F401 - the module must import
from tarnkappe.testing.methods import claims_hold_on
from tarnkappe.testing.strategies import microdata
from tarnkappe.testing.table_methods import on_random_tables

DOCS = Path(__file__).parents[2] / "docs"
ALL = list(catalogue)


@pytest.mark.parametrize(
    ("cls", "check"),
    [(cls, check) for cls in ALL for check in checks_for(cls)],
    ids=[f"{cls.id}-{check.__name__}" for cls in ALL for check in checks_for(cls)],
)
def test_contract(cls, check):
    check(cls)


@given(data=microdata())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_claims_hold_on_any_data(data):
    """Data takes longer to draw than to protect: every method gets the same."""
    for cls in catalogue.methods():
        claims_hold_on(cls, data)


@pytest.mark.long
@pytest.mark.parametrize("cls", catalogue.methods(), ids=lambda cls: cls.id)
@given(data=microdata())
@settings(deadline=None, suppress_health_check=list(HealthCheck))
def test_claims_hold_on_data_of_its_own(cls, data):
    claims_hold_on(cls, data)


@pytest.mark.long
@pytest.mark.parametrize("cls", [cls for cls in ALL if issubclass(cls, TableMethod)], ids=lambda cls: cls.id)
def test_thousands_of_tables(cls):
    """Every claim and the audit hold, or the table is refused with a code; most methods protect some of them."""
    assert on_random_tables(cls, range(1000, 3000)) > 0


def test_there_is_something_to_check():
    ids = {cls.id for cls in ALL}
    assert {"microdata.drop", "microdata.round"} <= ids
    assert len(ids) == len(ALL) == len(catalogue)


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.id)
def test_every_source_is_in_the_bibliography(cls):
    known = set(re.findall(r"^@\w+\{\s*([^,\s]+)\s*,", (DOCS / "references.bib").read_text(), re.MULTILINE))
    for source in cls.sources:
        assert source.key in known, f"{cls.id}: docs/references.bib does not know {source.key!r}"
        assert source.where.strip(), f"{cls.id}: {source.key} without the place in that work"


def test_parameters_that_several_have_are_words_of_the_glossary():
    """One word means one thing; what one declared thing alone asks for stands on its card."""
    known = set(re.findall(r"^- `([^`]+)`", (DOCS / "reference" / "glossary.md").read_text(), re.MULTILINE))
    used = Counter(name for cls in ALL for name in cls.__pydantic_fields__)
    unknown = {name for name, times in used.items() if times > 1} - known
    assert not unknown, f"docs/reference/glossary.md does not own {sorted(unknown)}"
