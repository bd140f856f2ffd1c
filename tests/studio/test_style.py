"""The style sheets of the pages are loaded together: no page may restyle what another defines."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

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


def tokens(selector: str) -> dict[str, str]:
    rule = re.search(re.escape(selector) + r"\s*\{([^}]*)\}", SHEETS["frame.css"])
    assert rule
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", rule.group(1)))


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [":root", "body.body--dark"])
def test_text_stands_out_from_what_lies_below_it(theme):
    """WCAG AA: 4.5 to 1."""
    colours = {**tokens(":root"), **tokens(theme)}
    grounds = dict.fromkeys(("ink", "soft", "accent"), ("paper", "page", "tint"))
    grounds |= {"accent": ("paper", "page", "accent-tint"), "on-accent": ("accent",)}
    grounds |= {name: ("paper", f"{name}-tint") for name in ("good", "warn", "bad")}
    for text, below in grounds.items():
        for ground in below:
            light, dark = sorted((luminance(colours[text]), luminance(colours[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{text} on {ground}"
