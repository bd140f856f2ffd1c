"""Suppressed cells that stand elsewhere in the release: in the record of a co-member, in another period, or behind another column.

The attackers read released records as texts, with dictionaries and loops; the originals are for counting only.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict

import numpy as np
import pytest

from plans.workshop import ANYTHING, SECRET, VARIABLE, as_csv, checked
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.seen import Seen
from tarnkappe.errors import Refused
from tarnkappe.plan.progress import Progress
from tarnkappe.plan.run import apply_steps, run
from tarnkappe.randomness import Secret
from tarnkappe.report.release import release
from tarnkappe.report.verify import verify
from tarnkappe.spec import catalogue

KEYS = ("region", "size", "sex", "edu")


def households(seed, n=500):
    """Persons in households: region and size belong to the household, sex and education to the person."""
    rng = np.random.default_rng(seed)
    out = defaultdict(list)
    home = 0
    while len(out["home"]) < n:
        home += 1
        size = int(rng.choice(4, p=[0.3, 0.35, 0.2, 0.15])) + 1
        region = str(rng.choice(list("ABCDEFGH"), p=[0.3, 0.2, 0.15, 0.12, 0.1, 0.06, 0.04, 0.03]))
        for _ in range(size):
            out["home"].append(f"H{home:04d}")
            out["region"].append(region)
            out["size"].append(
                f"{size + int(rng.integers(2)) if size > 2 else size} rooms" if _ == 0 else out["size"][-1]
            )
            out["sex"].append(str(rng.choice(["f", "m"])))
            out["edu"].append(str(rng.choice(["low", "mid", "high"], p=[0.4, 0.4, 0.2])))
    return dict(out)


def panel(seed, firms=150, years=4):
    """Firms over years: branch and region last, the size class changes."""
    rng = np.random.default_rng(seed)
    out = defaultdict(list)
    for firm in range(firms):
        region, branch = (
            str(rng.choice(list("ABCDEF"), p=[0.4, 0.25, 0.15, 0.1, 0.06, 0.04])),
            str(rng.choice(list("uvwxyz"))),
        )
        for year in range(years):
            out["firm"].append(f"F{firm:04d}")
            out["year"].append(str(2020 + year))
            out["region"].append(region)
            out["branch"].append(branch)
            out["class"].append(str(rng.choice(["small", "large"])))
    return dict(out)


def counties(seed, n=500):
    """Persons with a county and the land it lies in."""
    rng = np.random.default_rng(seed)
    county = rng.choice(30, n, p=np.arange(1, 31) / 465)
    return {
        "county": [f"{c // 6}{c % 6:02d}" for c in county],
        "land": [f"L{c // 6}" for c in county],
        "sex": rng.choice(["f", "m"], n).tolist(),
        "edu": rng.choice(["low", "mid", "high"], n, p=[0.4, 0.4, 0.2]).tolist(),
    }  # fmt: skip


def by_size(seed, n=400):
    """Households whose number of members is a key: whoever counts the records of a number knows it."""
    columns = households(seed, n)
    many = Counter(columns["home"])
    return {**columns, "size": [str(many[home]) for home in columns["home"]]}


def data_of(columns, **roles):
    return Microdata({n: Column.texts_of(v) for n, v in columns.items()}, roles)


def after_steps(data, *steps):
    made = [(catalogue[id](**parameters), False) for id, parameters in steps]
    return apply_steps(made, data, Secret("one", bytes(range(32))), Progress())[0]


def as_rows(data):
    texts = {n: data.column(n).texts() for n in data.names}
    return [{n: texts[n][i] for n in texts} for i in range(len(data))]


def fill(rows, by, names):
    """Where records agree in some columns and those that show a value all show one, the others have it too."""
    shown = defaultdict(set)
    for row in rows:
        for name in names:
            if row[name] is not None and all(row[b] is not None for b in by):
                shown[(name, *(row[b] for b in by))].add(row[name])
    filled = 0
    for row in rows:
        for name in names:
            found = shown.get((name, *(row[b] for b in by)), set())
            if row[name] is None and len(found) == 1 and all(row[b] is not None for b in by):
                row[name] = next(iter(found))
                filled += 1
    return filled


def fewest(rows, truth, keys):
    """The smallest number of released records that fit the true keys of a person."""
    persons = Counter(tuple(t[k] for k in keys) for t in truth)
    shown = Counter(tuple(r[k] for k in keys) for r in rows)
    return min(
        sum(many for row, many in shown.items() if all(a is None or a == b for a, b in zip(row, person, strict=True)))
        for person in persons
    )  # fmt: skip


@pytest.mark.parametrize("mode", ["strict", "least"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_members_of_a_household_do_not_give_keys_back(seed, mode):
    data = data_of(households(seed), household=("home",), key=KEYS)
    after = after_steps(data, ("microdata.local-suppression", {"k": 3, "mode": mode}))
    rows = as_rows(after)
    hidden = sum(row[k] is None for row in rows for k in KEYS)
    assert hidden, "something was suppressed"
    assert fill(rows, ("home",), ("region", "size")) == 0
    assert fewest(rows, as_rows(data), KEYS) >= 3


@pytest.mark.parametrize("mode", ["strict", "least"])
def test_counting_members_does_not_give_the_size_back(mode):
    data = data_of(by_size(12), household=("home",), key=KEYS)
    after = after_steps(data, ("microdata.local-suppression", {"k": 3, "mode": mode}))
    rows = as_rows(after)
    many = Counter(row["home"] for row in rows)
    rows = [{**row, "many": str(many[row["home"]])} for row in rows]
    fill(rows, ("many",), ("size",))
    fill(rows, ("home",), ("region", "size"))
    assert fewest(rows, as_rows(data), KEYS) >= 3
    assert sum(row["size"] is not None for row in rows) > len(rows) / 2, "the size is not given up"


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("names", ["role", "pseudonym", "pseudonym without period"])
def test_other_periods_of_a_unit_do_not_give_keys_back(seed, names):
    keys = ("region", "branch", "class", "year")
    unit = {"unit": ("firm",)} if names == "role" else {"identifier": ("firm",)}
    period = {} if names == "pseudonym without period" else {"period": ("year",)}
    data = data_of(panel(seed), key=keys, **unit, **period)
    first = [] if names == "role" else [("microdata.pseudonymise", {"columns": ("firm",)})]
    after = after_steps(data, *first, ("microdata.local-suppression", {"k": 3}))
    rows = as_rows(after)
    assert any(row[k] is None for row in rows for k in keys)
    fill(rows, ("firm",), ("region", "branch"))
    assert fewest(rows, as_rows(data), keys) >= 3


@pytest.mark.parametrize("keys", [("county", "land", "sex", "edu"), ("land", "sex", "edu")])
def test_an_open_county_does_not_tell_a_suppressed_land(keys):
    """Also where the county is no key at all."""
    rare = counties(5, 200)
    rare["land"] = [v if i % 37 else "L9" for i, v in enumerate(rare["land"])]
    rare["county"] = [v if i % 37 else f"9{i % 2:02d}" for i, v in enumerate(rare["county"])]
    data = data_of(rare, key=keys)
    after = after_steps(data, ("microdata.local-suppression", {"k": 4, "keys": keys}))
    rows = as_rows(after)
    assert any(row["land"] is None for row in rows)
    assert fill(rows, ("county",), ("land",)) == 0
    assert fewest(rows, as_rows(data), keys) >= 4


def test_a_suppressed_cell_goes_for_the_whole_household():
    data = data_of(households(4), household=("home",), key=KEYS)
    after = after_steps(
        data, ("microdata.suppress-cells", {"columns": ("region", "sex"), "records": (5, 40, 77)})
    )
    rows = as_rows(after)
    assert fill(rows, ("home",), ("region",)) == 0
    assert sum(row["sex"] is None for row in rows) == 3, "what differs between members goes for one"


def test_without_ties_the_same_cells_go_as_ever():
    """A number that ties no records together changes nothing."""
    columns = households(6)
    alone = {**columns, "home": [f"N{i}" for i in range(len(columns["home"]))]}
    step = ("microdata.local-suppression", {"k": 3, "keys": KEYS})
    numbered = after_steps(data_of(alone, household=("home",), key=KEYS), step)
    bare = after_steps(data_of({n: columns[n] for n in KEYS}, key=KEYS), step)
    assert all(np.array_equal(numbered.column(n).suppressed, bare.column(n).suppressed) for n in KEYS)


def plan_for(data_roles, steps, at_least=3):
    return {
        "tarnkappe": 1, "title": "Persons in households", "data": {"file": "people.csv", "roles": data_roles},
        "release": {"formats": ["csv"]}, "seed": {"secret": "survey"}, "steps": steps,
        "release_if": [{"measure": "risk.k-anonymity", "at_least": at_least}], "accept": ANYTHING,
    }  # fmt: skip


@pytest.fixture
def secret(monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET)


def test_certificate_and_verify_say_the_true_number(tmp_path, secret):
    columns = households(7)
    roles = {"household": "home", "key": list(KEYS)}
    plan = plan_for(roles, [{"use": "microdata.local-suppression", "k": 3}])
    release(checked(tmp_path / "in", plan, as_csv(columns)), tmp_path / "out")
    verify(tmp_path / "out")
    certified = next(
        gate["value"]
        for gate in json.loads((tmp_path / "out" / "certificate.json").read_text())["gates"]
        if gate.get("measure") == "risk.k-anonymity"
    )
    rows = [
        {n: v or None for n, v in row.items()}
        for row in csv.DictReader((tmp_path / "out" / "data.csv").read_text().splitlines())
    ]
    truth = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    fill(rows, ("home",), ("region", "size"))
    assert fewest(rows, truth, KEYS) == certified


def test_cells_that_come_back_close_the_gate(tmp_path, secret):
    """A step that does not know of the county leaves it open: k is counted after the land was filled in."""
    columns, keys = counties(8, 300), ("land", "sex", "edu")
    suppress = {"use": "microdata.suppress-cells", "columns": ["land"], "records": list(range(1, 101))}
    found = run(checked(tmp_path, plan_for({"key": list(keys)}, [suppress], 12), as_csv(columns)))
    rows, truth = as_rows(found.after), as_rows(found.before)
    open_, filled = fewest(rows, truth, keys), fill(rows, ("county",), ("land",))
    entry = next(m for m in found.measures if m.measure.id == "risk.k-anonymity")
    assert filled > 80
    assert entry.after.value == fewest(rows, truth, keys) < open_
    assert not all(gate.held for gate in found.gates)


def test_ranges_of_a_household_are_one(tmp_path):
    """With ranges of their own, members would narrow the region of the household together."""
    data = data_of(households(9), household=("home",), key=KEYS)
    rows = as_rows(after_steps(data, ("microdata.mondrian", {"k": 3})))
    shown = defaultdict(set)
    for row in rows:
        shown[row["home"]].add((row["region"], row["size"]))
    assert all(len(ranges) == 1 for ranges in shown.values())
    assert min(Counter(tuple(row[k] for k in KEYS) for row in rows).values()) >= 3


def test_ranges_that_periods_divide_are_refused():
    data = data_of(panel(3), unit=("firm",), period=("year",), key=("region", "branch", "class"))
    with pytest.raises(Refused):
        after_steps(data, ("microdata.mondrian", {"k": 3, "within": ("year",)}))


def test_the_stranger_reads_off_what_a_simple_suppression_leaves():
    """Cells taken away one by one, by no method of ours: the stranger has them back and is sure; with all of the household gone he has none."""
    data = data_of(households(10), household=("home",), key=KEYS)
    some = np.arange(len(data)) % 9 == 0
    homes = data.column("home").values
    whole = np.isin(homes, homes[some])
    for cells, many in ((some, True), (whole, False)):
        seen = Seen(data.with_columns({"region": data.column("region").suppress(cells)}).sealed())
        found = catalogue["attack.fill-in"]().attempt(seen)
        truth = data.column("region").texts()
        right = [np.asarray(g.texts == truth[g.rows]) for g in found.guesses if g.column == "region"]
        assert found.tried == cells.sum()
        assert (sum(int(r.sum()) for r in right) > 30) == many
        assert all(r.all() for r in right)


def test_a_release_whose_cells_come_back_is_refused(tmp_path, secret):
    """Nothing gates k here: the stranger alone closes the release."""
    columns = counties(11, 300)
    step = {"use": "microdata.suppress-cells", "columns": ["land"], "records": list(range(1, 61))}
    plan = plan_for({"key": ["sex"]}, [step]) | {"release_if": []}
    found = run(checked(tmp_path, plan, as_csv(columns)))
    closed = [gate for gate in found.gates if not gate.held]
    assert any("land" in gate.because.en for gate in closed)
