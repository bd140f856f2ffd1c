"""The pages: whole, well formed, closed to the outside, in both languages, and true to who may read them."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

from surfaces.report_runs import SECRET, STRENGTH, Shift, made, make_run, persons
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import Text
from tarnkappe.plan.ledger import GateEntry, MeasureEntry
from tarnkappe.plan.model import Gate
from tarnkappe.report.compare import compare_page
from tarnkappe.report.drawing import VARIABLES
from tarnkappe.report.pages import about_page, prose, report_page
from tarnkappe.spec import Finding
from tarnkappe.vocab import Role

NASTY = "<script>alert(1)</script>\"'&{{7*7}}"
OUTLIER = 8765432109.0
VOID = {"meta", "br", "img", "input", "link", "hr"}


class Page(HTMLParser):
    """Reads a page and refuses what is not balanced."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.headings, self.texts, self.attributes = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *a) for a in attributes]
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *a) for a in attributes]

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> without beginning"
        assert self.open.pop() == tag, f"</{tag}> is not the innermost"

    def handle_data(self, data):
        if data.strip() and self.open[-1:] not in (["style"], ["script"]):
            self.texts.append((self.open[-1] if self.open else "", data.strip()))


@pytest.fixture(scope="module")
def run():
    data = persons(400)
    rent = data.column("rent").values.copy()
    rent[17] = OUTLIER
    steps = (
        made("microdata.drop", columns=["name"]),
        made("microdata.generalise", columns={"town": 1}),
        made("microdata.suppress-cells", values={"job": ["astronaut"]}, lone="allow"),
        Shift(columns=("income", "rent")),
        made("microdata.suppress-records", records=[3, 4, 5]),
    )
    gates = (Gate(made("risk.k-anonymity"), at_least=3.0),)
    return make_run(
        data.with_columns({"rent": Column.numbers_of(rent)}), *steps, gates=gates, title="Persons"
    )


@pytest.fixture(scope="module")
def pages(run):
    return {
        "report": report_page(run, "en"),
        "bericht": report_page(run, "de"),
        "about": about_page(run, "en"),
        "über": about_page(run, "de"),
        "compare": compare_page("before and after", run.measures, "en"),
    }


NAMES = ("report", "bericht", "about", "über", "compare")


@pytest.mark.parametrize("name", NAMES)
def test_pages_are_well_formed_and_headings_are_in_order(pages, name):
    page = Page(pages[name])
    assert pages[name].startswith("<!doctype html>")
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(page.headings, page.headings[1:], strict=False))
    ids = [value for _, key, value in page.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    targets = [value[1:] for _, key, value in page.attributes if key == "href"]
    assert set(targets) <= set(ids)
    scopes = [value for tag, key, value in page.attributes if tag == "th" and key == "scope"]
    assert len(scopes) == page.tags.count("th")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_comes_from_outside(pages, name):
    page = Page(pages[name])
    assert "://" not in pages[name]
    assert not [
        a for a in page.attributes if a[1] in ("src", "srcset", "action", "style") or a[1].startswith("on")
    ]
    assert not [value for _, key, value in page.attributes if key == "href" and not value.startswith("#")]
    assert not set(page.tags) & {
        "iframe",
        "object",
        "embed",
        "link",
        "base",
        "form",
        "image",
        "use",
        "foreignObject",
    }
    assert "@import" not in pages[name]
    assert "url(" not in pages[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_policy_of_the_page_allows_its_own_style_and_script_only(pages, name):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', pages[name])[1].replace("&#39;", "'")
    assert policy.startswith("default-src 'none'")
    for tag in ("style", "script"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", pages[name], re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_are_there_and_pair_up(pages, name):
    page = Page(pages[name])
    spans = [value for tag, key, value in page.attributes if (tag, key) == ("span", "lang")]
    assert spans.count("en") == spans.count("de") > 20
    drawn = [value for tag, key, value in page.attributes if (tag, key) == ("div", "lang")]
    assert drawn.count("en") == drawn.count("de")
    assert ("html", "lang", "de" if name in ("bericht", "über") else "en") in page.attributes


def test_the_default_language_is_all_that_differs(pages):
    def plain(text):
        return re.sub(r"<title>.*?</title>", "", re.sub(r'<html lang="..">', "", text))

    assert plain(pages["report"]) == plain(pages["bericht"])
    assert plain(pages["about"]) == plain(pages["über"])


def test_pages_are_the_same_every_time(run, pages):
    assert report_page(run, "en") == pages["report"]
    assert about_page(run, "de") == pages["über"]


@pytest.mark.parametrize("name", ["report", "bericht"])
def test_the_internal_report_says_first_that_it_must_stay(pages, name):
    body = pages[name].split("<body>", 1)[1]
    assert body.lstrip().startswith('<p class="keep-inside">')
    first = next(text for tag, text in Page(pages[name]).texts if tag != "title")
    assert first == "Internal. This folder must not leave the house."


def test_the_internal_report_tells_everything(run, pages):
    text = pages["report"]
    for part in ("The data may be released", "k-anonymity ≥ 3", str(STRENGTH), "How strongly.", "Wie stark.", run.secret,
                 "ab" * 32, "numpy 2.1.0", "use: microdata.generalise", "no identifier is left", "nobody2026",
                 "Every person is hidden among at least", "Moments before and after", "before: 400", "3 records removed"):  # fmt: skip
        assert part in text, part
    assert text.count('class="card step"') == len(run.steps)
    assert 'aria-label="Distribution of “income” before (grey) and after (blue)"' in text


@pytest.mark.parametrize("name", ["about", "über"])
def test_the_external_page_keeps_secrets(run, pages, name):
    text = re.sub("<style>.*?</style>", "", pages[name], flags=re.DOTALL)
    for secret in (str(STRENGTH), "strength", SECRET, run.secret, "survey", "ab" * 32, "Person ", "no identifier is left",
                   "400", "astronaut", "plan.yaml", '<svg viewBox="0 0 100 6"'):  # fmt: skip
        assert secret not in text, secret


def test_the_external_page_tells_what_is_needed(pages):
    text = pages["about"]
    for part in ("Values were shifted a little.", "Werte wurden etwas verschoben.", "keep totals", "k-anonymity ≥ 3",
                 "distribution", "tarnkappe verify", "female", "Town", "apostrophe", "397", "An empty cell is a missing one."):  # fmt: skip
        assert part in text, part


def test_what_a_method_does_not_protect_is_told_to_the_office_alone(pages):
    assert "withstand repetition" in pages["report"]
    assert "withstand repetition" not in pages["about"]
    assert "Wiederholungen standhalten" not in pages["about"]


def test_the_external_page_does_not_deny_what_it_tells(pages):
    """Whoever tells variances for corrected estimates does not say above them that they are untold."""
    assert 'id="corrections"' in pages["about"]
    assert "How strongly is not told" not in pages["about"]
    assert "How strongly is told only as far as corrected estimates need it" in pages["about"]
    assert "bleibt ungesagt" not in pages["about"]


def numbers_in(text):
    """Every number of a page, whatever the language it is written in."""
    bare = re.sub(r"<style>.*?</style>|SHA-256 \w+", "", text, flags=re.DOTALL)
    return {re.sub(r"[.,\s]", "", found) for found in re.findall(r"\d[\d.,\u00a0]*", bare)}


@pytest.mark.parametrize("name", NAMES)
def test_no_value_of_a_single_record_is_on_a_page(pages, name):
    found = numbers_in(pages[name])
    assert "8765432109" not in found
    assert "8765432110" not in found  # after the shift
    assert "877bn" not in pages[name].replace(".", "").replace(" ", "")
    assert "877Mrd" not in pages[name].replace(",", "").replace(" ", "")
    texts = [text for tag, text in Page(pages[name]).texts if tag == "text"]
    assert "astronaut" not in texts


def test_whatever_is_named_nastily_is_only_text():
    n = 60
    data = Microdata(
        {
            NASTY: Column.texts_of(["a", NASTY] * 30, label=NASTY, value_labels={"a": NASTY, NASTY: NASTY}),
            f"x{NASTY}": Column.numbers_of(np.arange(1.0, n + 1), label=NASTY),
            "y": Column.numbers_of(np.arange(n) * 2.0),
        },
        {Role.KEY: (NASTY,), Role.NUMERIC: (f"x{NASTY}", "y")},
    )
    gate = GateEntry(Text(f"a {NASTY}", f"b {NASTY}"), True, Text(NASTY, NASTY))
    run = make_run(
        data,
        made("microdata.suppress-cells", columns=[NASTY], records=[1, 2, 3, 4], lone="allow"),
        made("microdata.round", columns=[f"x{NASTY}"], base=10.0),
        title=NASTY,
    )
    run = replace(run, gates=(*run.gates, gate), inputs={NASTY: NASTY}, kept_files={NASTY: ((), [])})
    for text in (report_page(run, "en"), about_page(run, "de"), compare_page(NASTY, run.measures, "en")):
        page = Page(text)
        assert page.tags.count("script") == 1
        assert "alert(1)</script>" not in text
        assert any(NASTY in said for _, said in page.texts)
        assert "49" not in [said for _, said in page.texts]


def test_a_refused_run_says_so_in_the_report(run):
    closed = GateEntry(Text("k is enough", "k genügt"), False, Text("it is 1", "es ist 1"))
    text = report_page(replace(run, gates=(closed, *run.gates)), "en")
    assert "The data must not be released" in text
    assert "Not met: 1 of 4 conditions." in text
    assert "it is 1" in text


def test_findings_that_are_not_to_be_trusted_say_why(run):
    entry = next(e for e in run.measures if e.measure.id == "risk.k-anonymity")
    doubt = Finding(float("nan"), trusted=False, because=Text("too few records", "zu wenige Datensätze"))
    text = compare_page("x", [MeasureEntry(entry.measure, None, doubt, 0.1)], "en")
    assert "too few records" in text
    assert "zu wenige Datensätze" in text
    Page(text)


def test_measures_without_a_form_of_their_own_are_shown(run):
    entry = next(e for e in run.measures if e.measure.id == "risk.uniques")
    measure = entry.measure.model_copy()
    found = Finding(
        0.5, low=0.25, high=0.75, baseline=0.125, details={"what": {"ever": [1, 2.5]}, "list": []}
    )
    text = compare_page("x", [MeasureEntry(measure, None, found, 0.1)], "en")
    for part in ("what ever", "1, 2.5", "25% – 75%", "25\u00a0% – 75\u00a0%", "12.5%"):
        assert part in text, part


def test_many_changed_columns_are_not_all_drawn():
    r = np.random.default_rng(1)
    names = [f"c{i:02d}" for i in range(20)]
    data = Microdata(
        {name: Column.numbers_of(r.normal(size=40)) for name in names}, {Role.NUMERIC: tuple(names)}
    )
    text = report_page(make_run(data, made("microdata.round", columns=names, base=0.5), measures=()), "en")
    columns, relations = text.split('<section id="relations">')
    assert columns.count("<figure") == 12
    assert relations.split("</section>")[0].count("<figure") == 2
    assert "And 8 further changed columns." in text


def test_empty_and_tiny_data_still_make_pages():
    for n in (1, 2, 11):
        data = Microdata({"a": Column.texts_of(["x"] * n), "b": Column.numbers_of(np.arange(n) * 1.0)})
        run = make_run(data, made("microdata.round", columns=["b"], base=2.0), measures=())
        Page(report_page(run, "de"))
        Page(about_page(run, "en"))
    nobody = make_run(
        Microdata({"a": Column.texts_of([]), "b": Column.numbers_of(np.array([]))}), measures=()
    )
    Page(report_page(nobody, "de"))
    Page(about_page(nobody, "en"))


def test_identifiers_and_households_are_never_drawn():
    r = np.random.default_rng(3)
    data = Microdata(
        {
            "id": Column.texts_of([f"Zx7q {i % 9}" for i in range(90)]),
            "home": Column.numbers_of(r.integers(30, size=90)),
        },
        {Role.IDENTIFIER: ("id",), Role.HOUSEHOLD: ("home",)},
    )
    run = make_run(
        data,
        made("microdata.renumber", columns=["home"]),
        made("microdata.pseudonymise", columns=["id"]),
        measures=(),
    )
    text = report_page(run, "en")
    assert "<figure" not in text
    assert "Zx7q" not in text


# -- colours --------------------------------------------------------------------------------------------------------


def themes():
    """The colours of the style sheet: light, dark by the system, dark by the switch."""
    css = files("tarnkappe.report").joinpath("style.css").read_text("utf-8")
    blocks = re.findall(r":root[^{]*\{([^}]*)\}", css)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_text_and_charts_can_be_read_in_every_theme():
    light, system, switch = themes()
    assert system == switch
    assert set(light) == set(switch)
    for theme in (light, switch):
        for ground in ("paper", "page", "tint"):
            for text in ("ink", "soft"):
                assert contrast(theme[text], theme[ground]) >= 4.5, (text, ground)
        for text, ground in (
            ("accent", "paper"),
            ("accent", "page"),
            ("accent", "accent-tint"),
            ("bad", "bad-tint"),
            ("good", "paper"),
            ("bad", "paper"),
        ):
            assert contrast(theme[text], theme[ground]) >= 4.5, (text, ground)
        for mark in ("edge", "after", "minus", "plus"):
            assert contrast(theme[mark], theme["paper"]) >= 3, mark


def test_charts_use_only_colours_that_the_style_sheet_knows():
    seen = set(VARIABLES.values()) - {"transparent"}
    used = {re.fullmatch(r"var\(--(\w+)\)", variable)[1] for variable in seen}
    assert all(used <= set(theme) for theme in themes())


def test_what_one_types_is_set_apart_and_escaped():
    said = prose(Text("use `a <b>` now", "nehmen Sie `a <b>`"))
    typed = "<code>a &lt;b&gt;</code>"
    assert said == f'<span lang="en">use {typed} now</span><span lang="de">nehmen Sie {typed}</span>'
