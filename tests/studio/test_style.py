"""The style sheets of the pages are loaded together: no page may restyle what another defines."""

from __future__ import annotations

import re
from importlib.resources import files

from tarnkappe.studio.frame import all_pages

SHEETS = {
    part.name: part.read_text("utf-8") for part in files("tarnkappe.studio").joinpath("style").iterdir()
}


def defined(sheet: str) -> set[str]:
    """Classes that a rule of the sheet begins with."""
    bare = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    selectors = [one.strip() for rule in re.findall(r"([^{}]+)\{", bare) for one in rule.split(",")]
    return {one[1:] for one in selectors if re.fullmatch(r"\.tk-[\w-]+", one)}


def test_every_class_is_defined_by_one_sheet():
    seen: dict[str, str] = {}
    for name, sheet in sorted(SHEETS.items()):
        for one in defined(sheet):
            assert one not in seen, f"{one} is defined in {seen[one]} and {name}"
            seen[one] = name
    assert len(seen) > 50


def test_colours_are_those_of_the_frame():
    for name, sheet in SHEETS.items():
        if name != "frame.css":
            assert (
                re.findall(r"#[0-9a-fA-F]{3,8}\b", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)) == []
            ), name


def test_the_pages_are_the_eight_steps():
    assert [page.order for page in all_pages()] == list(range(1, 9))
