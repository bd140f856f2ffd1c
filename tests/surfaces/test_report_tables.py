"""Protected tables on the pages: everything for the office, the published view for the world, no suppressed value anywhere."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from surfaces.report_runs import SECRET, made, make_run, persons, table_entry, tables_run
from surfaces.test_report_pages import NASTY, Page, numbers_in
from tarnkappe.data.hierarchy_builders import from_tree
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.data.table import Contributions, Table
from tarnkappe.language import Text
from tarnkappe.plan.ledger import ClaimEntry
from tarnkappe.report.about import about
from tarnkappe.report.certificate import certificate
from tarnkappe.report.grids import MOST_CELLS, MOST_COLUMNS, grid
from tarnkappe.report.grids import Cell as Shown
from tarnkappe.report.pages import about_page, report_page
from tarnkappe.report.protected import office_view, public_view
from tarnkappe.spec import Holds

REGION = from_tree("region", {"north": ["n1", "n2"], "south": ["s1", "s2"]})
BRANCH = from_tree("branch", {"A": ["A1", "A2"], "B": ["B1"]})
HIDDEN = 987654
BECAUSE = Text("to shield others", "um andere abzuschirmen")


def table(dimensions, leaf, name="turnover", counts=None):
    """All sums over the leaves; `leaf` gives the value of every combination of leaves."""
    leaves = [np.flatnonzero(h.is_leaf) for h in dimensions]
    cells = {}
    for nodes in itertools.product(*leaves):
        ups = [[n, *_above(h, n)] for h, n in zip(dimensions, nodes, strict=True)]
        value = leaf(nodes)
        for up in itertools.product(*ups):
            cells[up] = cells.get(up, 0) + value
    nodes = np.array(list(cells), dtype=np.int32).reshape(-1, len(dimensions))
    value = np.array(list(cells.values()), dtype=float)
    kept = None
    if counts:
        count = np.array([counts(tuple(n)) for n in nodes.tolist()])
        kept = Contributions(count, np.zeros((len(count), 0)), np.zeros((len(count), 0), dtype=np.int64))
    return Table(name, dimensions, nodes, value, kept)


def _above(hierarchy, node):
    while node:
        node = int(hierarchy.parent[node])
        yield node


def at(dimensions, *codes):
    return tuple(int(h.positions([c])[0]) for h, c in zip(dimensions, codes, strict=True))


def pattern():
    """A small table with one sensitive cell and the three that protect it."""
    dimensions = (REGION, BRANCH)
    secret = at(dimensions, "n1", "A1")
    made_of = table(
        dimensions,
        lambda n: HIDDEN if n == secret else 1_200_345 + 13 * sum(n),
        counts=lambda n: 2 if n == secret else 9,
    )
    marked = Pattern(made_of).marked(made("rule.minimum-frequency", n=3).mark(made_of))
    others = [at(dimensions, *c) for c in (("n1", "A2"), ("n2", "A1"), ("n2", "A2"))]
    cells = made_of.find(np.array(others, dtype=np.int32))
    return marked.with_secondary(np.isin(np.arange(len(made_of)), cells), BECAUSE)


@pytest.fixture(scope="module")
def entry():
    claims = (ClaimEntry("protects", Text("every cell", "jede Zelle"), Holds.ALWAYS, True),)
    return table_entry(pattern(), made("rule.minimum-frequency", n=3, safety=7.25), claims=claims)


@pytest.fixture(scope="module")
def run(entry):
    return tables_run(entry)


@pytest.fixture(scope="module")
def pages(run):
    return {
        "report": report_page(run, "en"), "bericht": report_page(run, "de"),
        "about": about_page(run, "en"), "über": about_page(run, "de"),
    }  # fmt: skip


NAMES = ("report", "bericht", "about", "über")


def body(text):
    return re.sub(r"<(style|script)>.*?</\1>", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_pages_with_tables_are_well_formed_and_closed(pages, name):
    page = Page(pages[name])
    assert all(b - a <= 1 for a, b in itertools.pairwise(page.headings))
    ids = [value for _, key, value in page.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    assert {value[1:] for _, key, value in page.attributes if key == "href"} <= set(ids)
    scopes = [value for tag, key, value in page.attributes if tag == "th" and key == "scope"]
    assert len(scopes) == page.tags.count("th")
    assert not [a for a in page.attributes if a[1] == "style" or a[1].startswith("on")]
    spans = [value for tag, key, value in page.attributes if (tag, key) == ("span", "lang")]
    assert spans.count("en") == spans.count("de") > 20
    assert "://" not in pages[name]


def test_the_default_language_is_all_that_differs(pages):
    def plain(text):
        return re.sub(r"<title>.*?</title>", "", re.sub(r'<html lang="..">', "", text))

    assert plain(pages["report"]) == plain(pages["bericht"])
    assert plain(pages["about"]) == plain(pages["über"])


@pytest.mark.parametrize("name", NAMES)
def test_no_page_shows_a_suppressed_value(pages, entry, name):
    found = numbers_in(body(pages[name]))
    hidden = entry.pattern.table.value[entry.pattern.suppressed].astype(int)
    assert HIDDEN in hidden
    assert not {str(v) for v in hidden} & found
    assert {str(v) for v in entry.pattern.table.value[~entry.pattern.suppressed].astype(int)} <= found


@pytest.mark.parametrize("name", ["about", "über"])
def test_the_published_view_has_one_sign_and_no_reason(pages, name):
    text = body(pages[name])
    assert text.count('<td class="hidden">×</td>') == 4
    for word in ("■", "□", "primary", "primär", "secondary", "sekundär", 'class="why"', "attacker", "minimum frequency",
                 "shield", "abzuschirmen", "7.25", "safety", "Mindest"):  # fmt: skip
        assert word not in text, word


def test_the_report_tells_kind_reason_need_and_interval(pages):
    text = body(pages["report"])
    assert text.count('<td class="primary">■') == 1
    assert text.count('<td class="secondary">□') == 3
    for word in ("secondary: to shield others", "sekundär: um andere abzuschirmen", "7.25", "an attacker finds",
                 "ein Angreifer findet", "needs 10% below, 10% above", "The audit holds", "every cell", ">✓<",
                 "Information loss by level", "inner cells", "The tables may be released"):  # fmt: skip
        assert word in text, word


def test_figures_are_written_in_both_languages(pages, entry):
    total = int(entry.pattern.table.value[0])
    for text in pages.values():
        assert f"{total:,}" in text
        assert f"{total:,}".replace(",", ".") in text


def test_headline_figures_are_those_of_the_tables(pages):
    texts = [said for _, said in Page(pages["report"]).texts]
    tile = texts.index("Suppressed cells")
    assert "4" in texts[tile : tile + 4]
    assert "Records" not in texts
    assert "Columns changed" not in texts


def test_the_share_of_value_never_stands_for_one_or_two_cells(entry):
    inner, first, second = office_view(entry).levels
    assert inner.value is not None
    assert inner.primary == pytest.approx(1 / 12)
    assert inner.secondary == pytest.approx(3 / 12)
    assert (first.suppressed, second.suppressed) == (0, 0)
    alone = pattern()
    one = replace(alone, status=np.where(alone.primary, alone.status, 0).astype(np.uint8))
    assert office_view(table_entry(one)).levels[0].value is None


def test_a_table_that_leaks_says_how_and_still_hides_the_value():
    whole = pattern()
    bare = replace(whole, status=np.where(whole.primary, whole.status, 0).astype(np.uint8))
    run = tables_run(table_entry(bare))
    text = body(report_page(run, "en"))
    assert "The audit does not hold" in text
    assert "n1 × A1: known by subtracting" in text
    assert "an attacker finds out too much" in text
    assert "primary leak" in text
    assert str(HIDDEN) not in numbers_in(text)
    assert "The tables must not be released" in text


def test_a_run_with_data_for_its_tables_alone_tells_nothing_of_the_data(entry):
    run = tables_run(entry, data=persons())
    for text in (about_page(run, "en"), json.dumps(about(run)), json.dumps(certificate(run, {}))):
        for secret in ("Person ", "astronaut", "income", SECRET):
            assert secret not in text, secret
    assert about(run)["columns"] == []
    Page(report_page(run, "de"))


def test_tables_stand_beside_data(entry):
    run = replace(make_run(persons(), made("microdata.drop", columns=["name"]), measures=()), tables=(entry,))
    run = replace(run, plan=replace(run.plan, tables=(entry.plan,)))
    text = report_page(run, "en")
    assert "Columns changed" in text
    assert "Suppressed cells" in text
    Page(text)
    assert "Data dictionary" in about_page(run, "en")
    assert 'id="tables"' in about_page(run, "en")


def test_codes_labels_and_names_are_only_text():
    bad = from_tree(NASTY, [f"{NASTY}1", f"{NASTY}2"]).worded(("0", "1"), {f"{NASTY}1": NASTY})
    found = table((bad, REGION), lambda _: 5)
    entry = table_entry(Pattern(found).with_secondary(found.inner, Text(NASTY, NASTY)), value=NASTY)
    run = tables_run(entry)
    for text in (report_page(run, "en"), about_page(run, "de")):
        page = Page(text)
        assert page.tags.count("script") == 1
        assert "alert(1)</script>" not in text
        assert any(NASTY in said for _, said in page.texts)


def test_an_empty_table_says_so():
    nothing = Table("none", (REGION, BRANCH), np.zeros((0, 2), dtype=np.int32), np.zeros(0))
    run = tables_run(table_entry(Pattern(nothing)))
    for text in (report_page(run, "en"), about_page(run, "de")):
        Page(text)
        assert "The table has no cells." in text


def plain(cell):
    return Shown(Text(str(cell), str(cell)))


def test_one_dimension_is_one_column():
    found = grid(table((REGION,), sum), plain)
    (sheet,) = found.sheets
    assert sheet.heads == ()
    assert [row.code for row in sheet.rows] == REGION.codes.tolist()
    assert [row.depth for row in sheet.rows] == [0, 1, 2, 2, 1, 2, 2]
    assert [row.inner for row in sheet.rows] == [True, True, False, False, True, False, False]
    Page(about_page(tables_run(table_entry(Pattern(table((REGION,), sum)), value=None)), "en"))


def test_groups_of_columns_span_their_parts():
    (sheet,) = grid(table((REGION, BRANCH), sum), plain).sheets
    first, second = sheet.heads
    assert [(h.code, h.across, h.down) for h in first] == [("Total", 1, 2), ("A", 3, 1), ("B", 2, 1)]
    assert [(h.code, h.own) for h in second] == [
        ("A", True),
        ("A1", False),
        ("A2", False),
        ("B", True),
        ("B1", False),
    ]
    assert sum(h.across for h in first) == len(sheet.rows[0].cells) == len(BRANCH)


def test_every_cell_stands_in_its_place():
    made_of = table((REGION, BRANCH), sum)
    (sheet,) = grid(made_of, plain).sheets
    for i, row in enumerate(sheet.rows):
        for j, cell in enumerate(row.cells):
            assert made_of.cells[int(cell.says.en)].tolist() == [i, j]


def test_further_dimensions_are_layers_totals_first():
    sex = from_tree("sex", ["f", "m"])
    found = grid(table((REGION, BRANCH, sex), sum), plain)
    assert [sheet.title for sheet in found.sheets] == ["sex: Total", "sex: f", "sex: m"]
    assert found.shown == found.cells
    run = tables_run(table_entry(Pattern(table((REGION, BRANCH, sex), sum))))
    assert Page(about_page(run, "en")).tags.count("details") == 2


def test_wide_tables_are_split_by_the_upper_columns():
    wide = from_tree("wide", {c: [f"{c}{i}" for i in range(5)] for c in "ABCD"})
    found = grid(table((REGION, wide), sum), plain)
    assert [sheet.title for sheet in found.sheets] == ["", "wide: A", "wide: B", "wide: C", "wide: D"]
    assert all(len(sheet.rows[0].cells) <= MOST_COLUMNS for sheet in found.sheets)
    assert found.shown == found.cells


def test_large_tables_are_cut_from_below_and_say_so():
    tall = from_tree("tall", {f"g{i}": [f"g{i}-{k}" for k in range(40)] for i in range(30)})
    large = table((tall, BRANCH), lambda _: 7)
    found = grid(large, plain)
    assert found.shown <= MOST_CELLS < found.cells == len(large)
    assert {row.code for row in found.sheets[0].rows} == {"Total", *(f"g{i}" for i in range(30))}
    text = about_page(tables_run(table_entry(Pattern(large))), "en")
    assert "upper levels first" in text
    assert f"{len(large):,}" in text
    assert body(text).count("<td") <= MOST_CELLS


def test_a_flat_table_beyond_the_cap_is_cut_too():
    flat = from_tree("flat", [f"c{i:05d}" for i in range(MOST_CELLS + 500)])
    found = grid(table((flat,), lambda _: 1), plain)
    assert found.shown == MOST_CELLS
    turned = grid(table((BRANCH, flat), lambda _: 1), plain)
    assert 0 < turned.shown <= MOST_CELLS


def test_ranges_and_rounded_values_are_told_in_words():
    base = Pattern(table((REGION, BRANCH), sum))
    status = np.zeros(len(base.table), dtype=np.uint8)
    status[3], status[4] = Status.RANGE, Status.ROUNDED
    low = np.full(len(status), 1.0)
    mixed = replace(base, status=status, shown=np.full(len(status), 50.0), shown_low=low, shown_high=3 * low)
    text = body(about_page(tables_run(table_entry(mixed)), "en"))
    assert '<td class="range">1–3</td>' in text
    assert '<td class="rounded">≈50</td>' in text
    assert "rounded value" in text
    assert "der Wert liegt in dieser Spanne" in text
    every = replace(
        base, status=np.full(len(status), Status.ROUNDED, dtype=np.uint8), shown=np.full(len(status), 50.0)
    )
    assert public_view(table_entry(every)).signs == (
        ("", Text("all values are rounded", "alle Werte sind gerundet")),
    )


def test_cells_that_are_not_there_stay_empty():
    full = table((REGION, BRANCH), lambda n: 0 if n == at((REGION, BRANCH), "n1", "A1") else 4)
    keep = full.value > 0
    sparse = Table("sparse", full.dimensions, full.cells[keep], full.value[keep])
    text = body(about_page(tables_run(table_entry(Pattern(sparse))), "en"))
    assert text.count('<td class="none"></td>') == 1


def test_a_run_without_any_table_or_data_still_makes_pages():
    run = make_run(Microdata({}), measures=())
    Page(report_page(run, "en"))
    Page(about_page(run, "de"))
