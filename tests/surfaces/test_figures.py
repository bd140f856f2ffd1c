"""Pictures answer in a real browser: read-out by pointer and by key, legend, table, enlarging, files to take along."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import sync_playwright

from in_a_browser import CHROMIUM, FLAGS, PATIENCE, expect, resting_box
from surfaces.report_runs import made, make_run, persons
from tarnkappe.report import terms
from tarnkappe.report.pages import about_page, report_page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser here")


@pytest.fixture(scope="module")
def run():
    return make_run(
        persons(),
        made("microdata.mdav", columns=["income", "rent"], k=20),
        made("microdata.generalise", columns={"town": 1}),
    )


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def file(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report_page(run, "en"), encoding="utf-8")
    return path


@pytest.fixture
def page(browser, file):
    shown = browser.new_page(viewport={"width": 1280, "height": 900})
    shown.set_default_timeout(PATIENCE)
    said = []
    shown.on("console", lambda message: said.append(message.text))
    shown.on("pageerror", lambda error: said.append(str(error)))
    shown.goto(file.as_uri())
    yield shown
    assert said == [], "no error, and nothing against the policy of the page"
    shown.close()


def drawing(page, column="rent"):
    """The histogram of a column, scrolled to."""
    found = (
        page.locator("#columns figure", has=page.get_by_role("heading", name=column))
        .locator(".drawing[lang=en]")
        .first
    )
    resting_box(found)  # a page that still scrolls closes what was read out
    return found


def test_the_pointer_reads_values_and_leaves_nothing_behind(page):
    svg = drawing(page).locator("svg")
    box = svg.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    lines = page.locator(".readout").inner_text().split("\n")
    assert "to below" in lines[0]
    assert lines[1::2] == ["before", "after"]
    expect(svg.locator(".lit")).to_have_count(1)
    page.mouse.move(5, 5)
    expect(page.locator(".readout")).to_be_hidden()
    expect(svg.locator(".lit")).to_have_count(0)


def test_keys_go_from_mark_to_mark_and_are_spoken(page):
    svg = drawing(page).locator("svg")
    svg.focus()
    resting_box(svg)
    page.keyboard.press("End")
    last = page.locator(".readout b").inner_text()
    page.keyboard.press("Home")
    first = page.locator(".readout b").inner_text()
    page.keyboard.press("ArrowRight")
    assert len({first, last, page.locator(".readout b").inner_text()}) == 3
    assert page.locator("[aria-live]").text_content().startswith(page.locator(".readout b").inner_text())
    page.keyboard.press("Escape")
    expect(page.locator(".readout")).to_be_hidden()


def test_both_sides_of_a_pair_light_up_together(page):
    svg = page.locator("#relations .drawing[lang=en] svg").first
    svg.focus()
    resting_box(svg)
    counts = set()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        counts.add(svg.locator(".lit").count())
    assert counts <= {1, 2}
    assert 2 in counts


def test_the_legend_switches_a_side_off_on_screen_but_not_on_paper(page):
    found = drawing(page)
    figure = found.locator("xpath=ancestor::figure")
    before = found.locator("svg [data-side=before]")
    button = figure.get_by_role("button", name="before", exact=True)
    expect(before.first).to_be_visible()
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(before.first).to_be_hidden()
    expect(found.locator("svg [data-side=after]").first).to_be_visible()
    page.emulate_media(media="print")
    expect(before.first).to_be_visible()
    expect(page.locator(".tools").first).to_be_hidden()
    page.emulate_media(media="screen")
    button.click()
    expect(before.first).to_be_visible()


def test_the_table_holds_what_the_picture_says(page):
    found = drawing(page)
    button = found.get_by_role("button", name="Table")
    button.click()
    table = found.locator("table")
    assert table.locator("thead").inner_text().split() == ["before", "after"]
    shares = [
        float(cell.rstrip("%"))
        for cell in table.locator("td.num:nth-of-type(1)").all_inner_texts()
        if cell.endswith("%")
    ]
    assert sum(shares) == pytest.approx(100, abs=8), "all bins but those of fewer than three records"
    assert table.locator("tbody tr").count() == found.locator("svg [data-says]").count()
    button.click()
    expect(table).to_have_count(0)


def test_a_picture_fills_the_window_and_a_frame_looks_closer(page):
    found = drawing(page)
    small = found.locator("svg").bounding_box()["width"]
    found.get_by_role("button", name="Enlarge").click()
    svg = page.locator("dialog svg")
    box = svg.bounding_box()
    assert box["width"] > 1.5 * small
    whole = svg.get_attribute("viewBox")
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    expect(page.locator("dialog .readout")).to_be_visible()
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.6 * box["height"], steps=3)
    page.mouse.up()
    assert float(svg.get_attribute("viewBox").split()[2]) < 0.4 * float(whole.split()[2])
    page.get_by_role("button", name="Whole picture").click()
    expect(svg).to_have_attribute("viewBox", whole)
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_pictures_can_be_taken_along(page, tmp_path):
    found = drawing(page)
    page.get_by_role("button", name="Dark").click()
    kept = {}
    for name in ("SVG", "Vega-Lite"):
        with page.expect_download() as taken:
            found.get_by_role("button", name=name, exact=True).click()
        kept[name] = tmp_path / taken.value.suggested_filename
        taken.value.save_as(kept[name])
    assert [path.name for path in kept.values()] == ["rent.svg", "rent.vl.json"]
    picture = kept["SVG"].read_text(encoding="utf-8")
    root = ElementTree.fromstring(picture)
    assert root.tag.endswith("}svg")
    assert "var(" not in picture
    assert "#0072b2" in picture, "the colours of paper, whatever the theme"
    assert any(e.tag.endswith("}title") for e in root.iter())
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    spec = json.loads(kept["Vega-Lite"].read_text(encoding="utf-8"))
    assert spec["$schema"].endswith("/vega-lite/v6.json")
    assert spec["layer"][0]["data"]["values"]


def test_german_pictures_have_german_tools(page):
    page.get_by_role("button", name="Deutsch").click()
    found = page.locator("#columns .drawing[lang=de]").first
    resting_box(found)  # a page that still scrolls closes what was read out
    assert found.locator(".tools").inner_text().split() == ["Vergrößern", "Tabelle", "SVG", "Vega-Lite"]
    found.locator("svg").focus()
    resting_box(found)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".readout")).to_contain_text("vorher")


def test_words_of_the_trade_say_what_they_mean(page):
    word = page.locator(".tile dfn", has_text="Smallest class, k").first
    resting_box(word)
    word.hover()
    tip = page.locator(".tip:not(.readout)")
    expect(tip).to_contain_text("hidden among at least k")
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()
    word.focus()
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    assert page.locator("dfn").count() > 20
    expect(page.locator("dfn[title]"), "one explanation, not two").to_have_count(0)


def test_every_explained_word_is_one_that_pages_use():
    package = Path(terms.__file__).parents[1]
    files = [*package.glob("report/*.py"), *package.glob("report/templates/*.html"), package / "vocab.py"]
    text = "".join(file.read_text(encoding="utf-8") for file in files if file.name != "terms.py")
    assert [word for word in terms.TERMS if f'"{word}"' not in text] == []


def test_without_script_pictures_are_whole_and_nothing_is_dead(browser, file):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.locator("#columns .drawing[lang=en] svg").first).to_be_visible()
    assert page.locator("#columns .drawing[lang=en] svg title").count() > 5
    expect(page.locator("main button:visible")).to_have_count(0)
    assert page.locator("dfn[title]").count() > 20
    context.close()


def test_the_external_page_has_neither_pictures_nor_their_script(run):
    text = about_page(run, "en")
    assert "readout" not in text.split("<script>")[1]
    assert 'class="drawing"' not in text
    assert 'id="tools"' not in text
