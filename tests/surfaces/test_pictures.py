"""Pictures of shapes and pairs: right in number, drawn from aggregates, and no single record in any of them."""

from __future__ import annotations

import json
import re
from functools import partial
from xml.etree import ElementTree

import altair
import numpy as np
import pytest
import vl_convert
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import gaussian_kde, norm

from drawn_once import honest
from plans.workshop import SECRET, VARIABLE, as_csv, lay_out, people
from surfaces.command import command
from surfaces.report_runs import Shift, made, make_run, persons
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.language import same
from tarnkappe.report import bias_charts, pair_charts, shape_charts
from tarnkappe.report.axes import SMALLEST, Axis
from tarnkappe.report.columns import Story, stories
from tarnkappe.report.density import GRID, shapes
from tarnkappe.report.drawing import VARIABLES, draw, embedded, png_file, svg_file
from tarnkappe.report.gallery import compared, gallery, write_pictures
from tarnkappe.report.lorenz import PARTS, lorenz
from tarnkappe.report.numbers import error
from tarnkappe.report.pages import report_page
from tarnkappe.report.pairs import OTHER, changed_pairs, corners, heat_map, mosaic, strongest_pair
from tarnkappe.report.pictures import DETAILED, pictures_of
from tarnkappe.report.places import grows, place
from tarnkappe.report.readings import BEFORE_WORD, reading
from tarnkappe.report.release import release
from tarnkappe.report.steps import moves_of

NASTY = '</svg><script>alert("x")</script> & \u2028 \\ \x0b'


def numbers(values):
    return Column.numbers_of(np.asarray(values, dtype=float))


def random(seed=0):
    return np.random.default_rng(seed)


def two(**columns):
    return Microdata({name: c if isinstance(c, Column) else numbers(c) for name, c in columns.items()})


# -- places -------------------------------------------------------------------------------------------------------


def test_places_follow_the_bins():
    even = Axis(np.array([0.0, 10.0, 20.0]), ())
    assert place(np.array([0.0, 5.0, 20.0, -1.0, 99.0]), even).tolist() == [1, 1.5, 3, 0.5, 3.5]
    ratio = Axis(np.array([1.0, 10.0, 100.0]), ())
    assert grows(ratio)
    assert not grows(even)
    assert place(np.array([1.0, 10.0**0.5, 100.0, 0.0, -3.0]), ratio) == pytest.approx([1, 1.5, 3, 0.5, 0.5])


# -- density and quantiles ----------------------------------------------------------------------------------------


def test_the_curve_is_the_kernel_density_estimate_of_scipy():
    x = random().normal(50, 10, 4000)
    found = shapes(numbers(x), numbers(x))
    step = float(np.diff(found.axis.edges[:2])[0])
    inside = x[(x >= found.axis.edges[0]) & (x <= found.axis.edges[-1])]
    h = found.before.bandwidth * step
    second = gaussian_kde(inside, h / inside.std(ddof=1))
    at = found.axis.edges[0] + (found.places - 1) * step
    middle = (at > 30) & (at < 70)
    expected = second(at) * step * len(inside) / len(x)
    assert found.before.curve[middle] == pytest.approx(expected[middle], abs=0.002)


def test_the_bandwidth_is_that_of_silverman():
    x = random(3).normal(0, 1, 2000)
    found = shapes(numbers(x), numbers(x))
    step = float(np.diff(found.axis.edges[:2])[0])
    inside = x[(x >= found.axis.edges[0]) & (x <= found.axis.edges[-1])]
    quartiles = np.subtract(*np.quantile(inside, (0.75, 0.25))) / 1.34
    assert found.before.bandwidth * step == pytest.approx(
        max(0.2 * step, 0.9 * min(inside.std(), quartiles) * len(inside) ** -0.2), rel=1e-6
    )


def test_boxes_and_quantiles_stand_where_the_distribution_has_them():
    x = norm.ppf((np.arange(20_000) + 0.5) / 20_000, 100, 15)
    found = shapes(numbers(x), numbers(x + 3))
    step = float(np.diff(found.axis.edges[:2])[0])
    back = found.axis.edges[0] + (np.asarray(found.before.quantiles) - 1) * step
    assert back == pytest.approx(norm.ppf(GRID, 100, 15), abs=0.05)
    moved = (np.asarray(found.after.box) - np.asarray(found.before.box)) * step
    assert moved == pytest.approx(np.full(5, 3.0), abs=0.05)


@given(
    arrays(np.float64, st.integers(40, 90), elements=st.floats(-1e6, 1e6).map(lambda v: round(v, 3))),
    st.floats(1e8, 1e12),
    st.floats(1e8, 1e12),
)
@settings(max_examples=60, deadline=None)
def test_shapes_do_not_depend_on_the_largest_record(x, one, other):
    pictures = []
    for beyond in (one, other):
        found = shapes(numbers(np.append(x, x.max() + beyond)), numbers(np.append(x, 0.0)))
        pictures.append(
            found
            and (
                found.before.curve.tolist(),
                found.before.box,
                str(found.before.quantiles),
                found.axis.edges.tolist(),
            )
        )
    assert pictures[0] == pictures[1]


def test_a_lonely_record_leaves_no_bump():
    x = np.append(random().normal(0, 1, 2000), random(1).normal(40, 1, 2000))
    found = shapes(numbers(np.append(x, 20.0)), numbers(x))
    step = np.diff(found.axis.edges[:2])[0]
    near = np.abs(found.axis.edges[0] + (found.places - 1) * step - 20) < 2
    assert near.any()
    assert found.before.curve[near] == pytest.approx(found.after.curve[near], abs=1e-6)


@pytest.mark.parametrize(
    "x",
    [
        np.full(50, 7.0),
        np.arange(9.0),
        np.full(30, np.nan),
        np.tile([1.0, 2.0], 30),
        np.zeros(40),
        np.full(20, 1e308),
    ],
)
def test_little_to_show_gives_no_shape_or_a_sound_one(x):
    found = shapes(numbers(x), numbers(x))
    if found is not None:
        assert np.isfinite(found.before.curve).all()
        draw(shape_charts.density(found, "de"), "de", "x")


# -- Lorenz -------------------------------------------------------------------------------------------------------


def test_the_lorenz_curve_by_hand():
    equal = lorenz(numbers(np.full(100, 4.0)), numbers(np.arange(100.0)))
    assert equal.before == pytest.approx([i / PARTS for i in range(PARTS + 1)])
    assert equal.gini[0] == pytest.approx(0, abs=1e-12)
    x = np.arange(100.0)
    apart = np.abs(x[:, None] - x[None]).sum() / (2 * 100**2 * x.mean())
    assert equal.gini[1] == pytest.approx(apart)
    assert equal.after[PARTS // 2] == pytest.approx(x[:50].sum() / x.sum())


@pytest.mark.parametrize(
    "x", [np.arange(59.0), np.zeros(80), np.append(np.arange(80.0), -1), np.full(80, np.nan)]
)
def test_no_lorenz_curve_without_amounts(x):
    assert lorenz(numbers(x), numbers(np.arange(100.0))) is None
    assert lorenz(numbers(np.arange(100.0)), numbers(x)) is None


# -- pairs --------------------------------------------------------------------------------------------------------


@given(arrays(np.float64, (40, 2), elements=st.floats(-1e5, 1e5)), st.integers(0, 39))
@settings(max_examples=60, deadline=None)
def test_no_cell_stands_for_fewer_than_three_records(xy, hidden):
    state = np.zeros(40, dtype=np.uint8)
    state[hidden] = 1
    data = two(x=xy[:, 0], y=Column.numbers_of(xy[:, 1], state))
    found = heat_map(data, data, "x", "y")
    for cells in (found.before, found.after):
        counted = cells * 39
        assert np.allclose(counted, np.rint(counted))
        assert not np.any((counted > 0.5) & (counted < SMALLEST - 0.5))


def test_cells_by_hand():
    x, y = np.repeat([1.0, 2.0, 3.0], [30, 20, 2]), np.repeat([10.0, 20.0, 10.0], [30, 20, 2])
    data = two(x=Column.numbers_of(x.astype(int)), y=Column.numbers_of(y.astype(int)))
    found = heat_map(data, data, "x", "y")
    assert sorted(found.before[found.before > 0].tolist()) == pytest.approx([20 / 52, 30 / 52])


def test_the_pair_whose_relation_moved_most_comes_first():
    r = random()
    a = r.normal(size=500)
    b, c = a + r.normal(size=500), a + r.normal(size=500)
    before = two(a=a, b=b, c=c)
    after = two(a=a, b=r.permutation(b), c=c)
    first, second = changed_pairs(before, after, ["a", "b", "c"], 2)
    assert "b" in first
    assert "b" in second
    assert changed_pairs(before, after, ["a"], 2) == []
    assert changed_pairs(two(a=a[:5], b=b[:5]), two(a=a[:5], b=b[:5]), ["a", "b"], 2) == []


def categories(*texts):
    return Column.texts_of(list(texts))


def test_a_mosaic_by_hand():
    a = categories(*["u"] * 60, *["v"] * 40)
    b = categories(*["x"] * 30, *["y"] * 30, *["x"] * 38, *["y"] * 2)
    found = mosaic(Microdata({"a": a, "b": b}), "a", "b")
    assert (found.across, found.up) == (("u", "v"), ("x", "y"))
    assert found.shares.tolist() == [[0.3, 0.3], [0.38, 0]]  # two records are not shown
    cells = {(i, j): edges for i, j, edges in corners(found, gap=0)}
    assert cells[0, 0] == pytest.approx((0, 60 / 98, 0, 0.5))
    assert cells[1, 0] == pytest.approx((60 / 98, 1, 0, 1))
    assert (1, 1) not in cells


def test_rare_categories_are_one():
    a = categories(*(f"c{i}" for i in range(9) for _ in range(20 - i)), "lonely", "lonely")
    b = categories(*["x", "y"] * (len(a) // 2), *["x"] * (len(a) % 2))
    found = mosaic(Microdata({"a": a, "b": b}), "a", "b")
    assert found.across == ("c0", "c1", "c2", "c3", "c4", OTHER)
    assert mosaic(Microdata({"a": a.suppress(np.ones(len(a), bool)), "b": b}), "a", "b") is None


def test_the_strongest_pair_is_found():
    r = random()
    a = r.choice(["u", "v"], 300)
    columns = {"a": categories(*a), "noise": categories(*r.choice(["m", "n"], 300)), "b": categories(*a)}
    assert strongest_pair(Microdata(columns), Microdata(columns)) == ("a", "b")
    assert strongest_pair(Microdata({"a": columns["a"]}), Microdata({"a": columns["a"]})) is None


# -- specifications -----------------------------------------------------------------------------------------------


def specifications():
    r = random()
    x, y = r.lognormal(8, 1.2, 900), r.normal(50, 9, 900)
    found = shapes(numbers(x), numbers(x * 1.3))
    data, later = two(x=x, y=y), two(x=x * 1.3, y=y + r.normal(0, 9, 900))
    nasty = categories(*r.choice([NASTY, "b", "c"], 900))
    kinds = Microdata({"a": nasty, "b": categories(*r.choice(["u", "v"], 900))})
    error = {"error": {"mean": 0.02, "sd": -0.3}, "guarded": []}
    return {
        "density": partial(shape_charts.density, found),
        "quantiles": partial(shape_charts.quantiles, found),
        "lorenz": partial(shape_charts.lorenz, lorenz(numbers(x), numbers(x * x))),
        "scatter": partial(pair_charts.scatter, heat_map(data, later, "x", "y")),
        "mosaic": partial(pair_charts.mosaics, (NASTY, "b"), *(mosaic(kinds, "a", "b"),) * 2),
        "bias": partial(
            bias_charts.bias, {NASTY: error, "b": {"error": {"mean": 0, "sd": None}, "guarded": []}}
        ),
    }


@pytest.mark.parametrize("name", specifications())
@pytest.mark.parametrize("lang", ["en", "de"])
def test_specifications_are_valid_and_drawings_small_and_safe(name, lang):
    spec = specifications()[name](lang)
    whole = {"vconcat": altair.VConcatChart, "hconcat": altair.HConcatChart, "layer": altair.LayerChart}
    next(cls for key, cls in whole.items() if key in spec).from_dict(spec)
    picture = draw(spec, lang, "says")
    assert len(picture.encode()) < 120_000
    root = ElementTree.fromstring(picture)
    assert {e.tag for e in root.iter()} <= {"svg", "g", "path", "line", "rect", "text", "title"}
    assert not {a for e in root.iter() for a in e.attrib} & {
        "id",
        "style",
        "class",
        "href",
        "role2",
        "aria-roledescription",
    }
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', picture)) <= {
        *VARIABLES.values(),
        "none",
        "transparent",
    }
    assert "<script" not in picture
    assert not any(colour in picture for colour in VARIABLES)


def told(name, lang):
    """What the marks of a picture say, line by line."""
    root = ElementTree.fromstring(draw(specifications()[name](lang), lang, "x"))
    return [e.text.split("\n") for e in root.iter("title")]


def test_marks_say_what_they_are_when_pointed_at():
    marks = told("bias", "de")
    assert len(marks) == 3  # one per figure; what has no words of its own says nothing
    assert ["Mittelwert:\u2002+2,00\u00a0%", "Standardabweichung:\u2002−30,00\u00a0%"] in [
        m[1:] for m in marks
    ]
    curve = told("lorenz", "en")
    assert len(curve) == PARTS - 1
    assert curve[9][0] == "the smallest 50% hold"
    assert [line.split(":")[0] for line in curve[9][1:]] == ["before", "after"]


def test_what_a_mark_says_is_the_figure_it_stands_for():
    x, y = random().lognormal(8, 1.2, 900), random(1).normal(50, 9, 900)
    data = two(x=x, y=y)
    found = heat_map(data, data, "x", "y")
    root = ElementTree.fromstring(draw(pair_charts.scatter(found, "en"), "en", "x"))
    said = [e.text for e in root.iter("title")]
    assert sorted(set(said)) == sorted(said)[::2], "both sides of a cell say the same"
    name, before, after = max(
        said, key=lambda text: float(re.search(r"before:\u2002([\d.]+)%", text)[1])
    ).split("\n")
    across, up = name.split(" × ")
    inside = np.ones(900, dtype=bool)
    for values, part in ((x, across), (y, up)):
        low, high = (float(word.replace(",", "")) for word in part.split(" to below "))
        inside &= (values >= low * 0.999) & (values < high * 1.001)
    assert float(before.split("\u2002")[1][:-1]) == pytest.approx(100 * inside.mean(), abs=0.2)
    assert before.split("\u2002")[1] == after.split("\u2002")[1]


def test_empty_cells_do_not_say_whether_there_was_a_record():
    data = two(
        x=np.append(np.repeat([1.0, 5.0], 30), [3.0, 3.0]), y=np.append(np.repeat([1.0, 5.0], 30), [3.0, 3.0])
    )
    later = two(x=np.repeat([1.0, 3.0, 5.0], 20), y=np.repeat([1.0, 3.0, 5.0], 20))
    picture = draw(pair_charts.scatter(heat_map(data, later, "x", "y"), "de"), "de", "x")
    assert "vorher:\u2002weniger als 3 Datensätze" in picture


def test_quantiles_and_boxes_tell_values_in_the_unit_of_the_column():
    x = norm.ppf((np.arange(20_000) + 0.5) / 20_000, 100, 15)
    found = shapes(numbers(x), numbers(x + 3))
    root = ElementTree.fromstring(draw(shape_charts.quantiles(found, "en"), "en", "x"))
    said = {t.text.split("\n")[0]: t.text.split("\n")[1:] for t in root.iter("title")}
    before, after = (float(line.split("\u2002")[1]) for line in said["quantile 25%"])
    assert before == pytest.approx(norm.ppf(0.25, 100, 15), abs=0.1)
    assert after == pytest.approx(before + 3, abs=0.1)
    boxes = [
        t.text
        for t in ElementTree.fromstring(draw(shape_charts.density(found, "en"), "en", "x")).iter("title")
    ]
    assert any(text.startswith("before\n") and "median:\u2002100" in text for text in boxes)
    dense = next(text for text in boxes if text.startswith("100 to below"))
    assert float(re.search(r"before:\u2002([\d.]+)%", dense)[1]) == pytest.approx(
        100 * np.mean((x >= 100) & (x < 100 + np.diff(found.axis.edges[:2])[0])), abs=0.5
    )


@pytest.mark.parametrize("name", specifications())
def test_specifications_for_other_programs_are_whole_and_safe_in_a_page(name):
    spec = specifications()[name]("de")
    text = str(embedded(spec))
    assert not set(text) & set("<>&\u241e\u241f")
    content = json.loads(text)
    assert not any(colour in text for colour in VARIABLES)
    vl_convert.vegalite_to_svg(content, allowed_base_urls=[])
    assert '"tooltip"' in text
    assert len(text) < 80_000


@pytest.mark.parametrize("name", ["scatter", "density"])
def test_a_chart_is_drawn_alike_every_time(name):
    """What lets tests draw a chart only once."""
    spec, how = specifications()[name]("de"), {"format_locale": "de-DE", "allowed_base_urls": []}
    drawn = honest(spec, **how)
    assert len(drawn) > 1000
    assert drawn == honest(spec, **how) == vl_convert.vegalite_to_svg(spec, **how)
    assert drawn != vl_convert.vegalite_to_svg(specifications()[name]("en"), **how)


def test_separators_inside_a_name_do_not_make_further_lines():
    assert reading("a\u241eb\u241fc", [(BEFORE_WORD, same("1"))], "en").count("\u241e") == 1


def test_files_have_real_colours_on_white():
    spec = specifications()["scatter"]("de")
    svg = svg_file(spec, "de")
    assert "var(" not in svg
    assert not any(colour in svg for colour in VARIABLES)
    assert "#0072b2" in svg
    assert png_file(spec, "de").startswith(b"\x89PNG")


def test_bias_by_method_tells_what_each_step_did_by_itself():
    run = make_run(
        persons(),
        Shift(columns=("income",)),
        made("microdata.mdav", columns=["income", "rent"], k=20),
        measures=(),
    )
    (first, second) = run.steps
    income = persons().column("income").numbers()
    shift = 1 / np.nanmean(income)
    assert first.moves["income"]["mean"] == pytest.approx(shift)
    assert first.moves["income"]["sd"] == pytest.approx(0, abs=1e-12)
    assert "rent" not in first.moves, "a column that a step left alone has no bias by it"
    assert abs(second.moves["income"]["mean"]) < 1e-9, "means of groups keep the mean"
    assert second.moves["rent"]["sd"] < -0.01, "and make the spread smaller"
    root = ElementTree.fromstring(moves_of(run.steps).shown["de"].svg)
    said = [e.text.split("\n") for e in root.iter("title")]
    assert [
        "1 Verschieben · income",
        f"Mittelwert:\u2002{error(shift).de}",
        "Standardabweichung:\u20020,00\u00a0%",
    ] in said
    assert len({tuple(lines) for lines in said}) == 3
    assert "Verzerrung nach Verfahren" in report_page(run, "de")
    assert moves_of(make_run(persons(), made("microdata.drop", columns=["name"]), measures=()).steps) is None


# -- the gallery --------------------------------------------------------------------------------------------------


def story(name, before, after):
    return Story(name, before, after, (), ())


def test_the_most_changed_column_comes_first_and_few_have_details():
    x = random().normal(50, 10, 400)
    told = [story(f"c{i}", numbers(x), numbers(x + i)) for i in range(6)]
    pictures, further = pictures_of(told)
    assert [p.name for p in pictures] == ["c5", "c4", "c3", "c2", "c1", "c0"]
    assert [bool(p.more) for p in pictures] == [True] * DETAILED + [False] * 3
    assert further == 0


def test_the_report_shows_columns_and_pairs():
    run = make_run(
        persons(),
        made("microdata.mdav", columns=["income", "rent"], k=20),
        made("microdata.generalise", columns={"town": 1}),
    )
    text = report_page(run, "de")
    assert '<section id="relations">' in text
    assert "income × rent" in text
    assert "Silverman" in text
    found = gallery(run.before, run.after, [s for s in stories(run) if s.changed])
    assert {p.name for p in found.columns} == {"income", "rent", "town"}


def test_nothing_changed_gives_no_pictures_of_pairs():
    data = persons()
    assert gallery(data, data, []).relations == ()
    assert not gallery(data, data, [])


def test_two_files_with_nothing_in_common():
    assert not compared(two(a=np.arange(30.0)), two(b=np.arange(30.0)))


def test_pictures_become_files(tmp_path):
    x = random().normal(50, 10, 400)
    found = compared(two(a=x, b=2 * x), two(a=x + 5, b=random(1).permutation(x)))
    written = write_pictures(found, tmp_path / "pictures", "de")
    assert {p.suffix for p in written} == {".svg", ".png", ".json"}
    assert len(written) == 3 * len(list(found.files()))
    assert all(re.fullmatch(r"[0-9]{2}-[a-z0-9-]+\.(svg|png|vl\.json)", p.name) for p in written)
    spec = json.loads(next(p for p in written if p.suffix == ".json").read_text(encoding="utf-8"))
    assert altair.Chart.from_dict(spec)


# -- the command and the attacker ---------------------------------------------------------------------------------

UNIQUE = "987654.32"
NAME = "Zebedaeus Quixmann"


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """One person with a name, an income and a note that nobody else has."""
    monkeypatch.setenv(VARIABLE, SECRET)
    data = people(200)
    data["income"][7], data["name"][7], data["note"][7] = UNIQUE, NAME, "astronaut"
    return lay_out(tmp_path, None, as_csv(data))


def test_no_external_file_holds_the_planted_record(planted, tmp_path):
    from tarnkappe.plan.check import check_file

    release(check_file(planted), tmp_path / "out")
    external = [p for p in (tmp_path / "out").rglob("*") if p.is_file() and "internal" not in p.parts]
    for path in external:
        held = path.read_bytes()
        assert b"<figure" not in held
        for value in (UNIQUE, "987,654", "987.654", NAME):
            assert value.encode() not in held, path.name
    report = (tmp_path / "out" / "internal" / "report.html").read_text()
    for value in (UNIQUE, "987,654", "987.654", "987654", NAME):
        assert value not in report


def test_pictures_of_a_comparison_do_not_show_the_planted_record(planted, tmp_path, capsys):
    folder = tmp_path / "pictures"
    original = planted.parent / "people.csv"
    masked = tmp_path / "masked.csv"
    data = people(200, seed=4)
    masked.write_text(as_csv(data))
    said = command(
        capsys,
        "compare",
        original,
        masked,
        "--number",
        "income",
        "--pictures",
        folder,
        "--out",
        tmp_path / "c.html",
        "--lang",
        "de",
    )
    assert said.code == 0, said.err
    assert "Bilder in" in said.err
    texts = [p.read_text() for kind in ("*.svg", "*.json") for p in folder.glob(kind)] + [
        (tmp_path / "c.html").read_text()
    ]
    assert len(texts) > 3
    assert "relations" in texts[-1]
    for text in texts:
        for value in (UNIQUE, "987,654", "987.654", NAME, "astronaut"):
            assert value not in text


def test_files_that_are_there_are_not_replaced(planted, tmp_path, capsys):
    folder = tmp_path / "pictures"
    original = planted.parent / "people.csv"
    masked = tmp_path / "masked.csv"
    masked.write_text(as_csv(people(200, seed=4)))
    assert command(capsys, "compare", original, masked, "--pictures", folder).code == 0
    masked.write_text(as_csv(people(200, seed=9)))
    again = command(capsys, "compare", original, masked, "--pictures", folder)
    assert again.code == 2
    assert "release.file-exists" in again.err
