"""Plans with tables: from the data and from files of cells, refused and released."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tarnkappe as tk
from tarnkappe.data.pattern import Pattern, Status
from tarnkappe.errors import InputWrong, Refused
from tarnkappe.errors.release import GateClosed
from tarnkappe.io.jj import jj_bytes, jj_of
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.plan.tables import started
from tarnkappe.report.release import release

CELLS = """region,sector,value,n,x1,x2
Total,Total,1000,40,200,100
N,Total,400,15,200,60
S,Total,600,25,100,90
Total,a,300,4,200,60
N,a,250,2,200,50
S,a,50,2,30,20
Total,b,700,36,90,80
N,b,150,13,60,30
S,b,550,23,90,80
"""
TABLE: dict[str, Any] = {
    "name": "t", "file": "t.csv", "by": ["region", "sector"],
    "columns": {"count": "n", "largest": ["x1", "x2"]},
    "rules": [{"use": "rule.p-percent", "p": 10}],
    "protect": {"use": "table.quader"},
}  # fmt: skip


def run(folder: Path, tables: list[dict[str, Any]], text: str = CELLS, **parts: Any):
    (folder / "t.csv").write_text(text)
    content = {"tarnkappe": 1, "title": "T", "tables": tables, **parts}
    return release(check(Document(content), folder), folder / "out")


def firms(folder: Path, n: int = 60) -> None:
    rng = np.random.default_rng(5)
    rows = [
        f"F{i},G{i // 2},{rng.choice(['N', 'S'])},{rng.choice(['a', 'b'])},{rng.integers(1, 99)}"
        for i in range(n)
    ]
    (folder / "firms.csv").write_text("id,group,region,sector,turnover\n" + "\n".join(rows) + "\n")


DATA = {"file": "firms.csv", "roles": {"identifier": ["id"], "owner": "group"}}


def test_a_cell_file_is_protected_and_no_data_is_released(tmp_path):
    run(tmp_path, [TABLE])
    assert not list((tmp_path / "out").glob("data.*"))
    lines = (tmp_path / "out/tables/t.csv").read_text().splitlines()
    assert "N,a,,suppressed" in lines
    assert "Total,Total,1000,published" in lines
    tk.verify(tmp_path / "out")


def test_an_unprotected_table_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(Refused) as told:
        run(tmp_path, [{k: v for k, v in TABLE.items() if k != "protect"}])
    assert told.value.exit_code == 3
    assert not (tmp_path / "out").exists()


def test_verify_finds_a_table_that_gives_cells_away(tmp_path):
    from tarnkappe.report.verify_tables import attacked

    run(tmp_path, [TABLE])
    file = tmp_path / "out/tables/t.csv"
    file.write_text(file.read_text().replace("N,b,,suppressed", "N,b,150,published"))
    about = json.loads((tmp_path / "out/about.json").read_text())
    ((_, held, because),) = attacked(tmp_path / "out", about, {})
    assert not held
    assert "N × a" in because.en
    assert [held for _, held, _ in attacked(tmp_path / "out", {"tables": 3}, {})] == [False]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("Total,Total,1000", "Total,Total,1001", "table.not-additive"),
        ("N,a,250", "N,a,", "table.value-missing"),
        ("N,a,250,2", "N,a,250,-2", "table.count-negative"),
        ("N,a,250,2", "N,a,250,1", "table.more-than-counted"),
        ("N,a,250,2", "N,a,250,", "table.count-wrong"),
        ("N,a,250,2,200,50", "N,a,250,0,0,0", "table.nobody-counted"),
        ("S,b,550,23,90,80\n", "S,b,550,23,90,80\nS,b,550,23,90,80\n", "table.cell-twice"),
        ("Total,", "All,", "table.total-missing"),
    ],
)
def test_bad_cells_are_told_and_nothing_is_written(tmp_path, old, new, code):
    with pytest.raises(InputWrong) as told:
        run(tmp_path, [TABLE], CELLS.replace(old, new))
    assert told.value.code == code
    assert told.value.exit_code == 2
    assert not (tmp_path / "out").exists()


def test_codes_missing_from_a_hierarchy_and_two_totals(tmp_path):
    for tree in ({"tree": {"Total": ["N"]}}, {"tree": {"All": ["N", "S"]}}):
        with pytest.raises(InputWrong):
            run(tmp_path, [TABLE | {"hierarchies": {"region": tree}}])
    (tmp_path / "r.csv").write_text("code,parent\nTotal,\nAll,\nN,Total\nS,All\n")
    with pytest.raises(InputWrong) as told:
        run(tmp_path, [TABLE | {"hierarchies": {"region": {"file": "r.csv"}}}])
    assert told.value.code == "hierarchy.roots"
    assert not (tmp_path / "out").exists()


def test_another_code_of_the_total_can_be_named(tmp_path):
    named = TABLE | {"hierarchies": {"region": {"total": "All"}}}
    text = "\n".join("All" + line[5:] if line.startswith("Total,") else line for line in CELLS.splitlines())
    run(tmp_path, [named], text)
    assert "All,Total,1000,published" in (tmp_path / "out/tables/t.csv").read_text()


def test_a_cell_that_nothing_may_protect_is_refused(tmp_path):
    open_cells = "\n".join(
        f"{r},{s},keep" for r, s in (("S", "a"), ("N", "b"), ("S", "b"), ("Total", "a"), ("N", "Total"))
    )
    (tmp_path / "m.csv").write_text("region,sector,mark\n" + open_cells + "\n")
    rules = [{"use": "rule.minimum-frequency", "n": 3}]
    text = CELLS.replace("S,a,50,2", "S,a,50,3")
    with pytest.raises(Refused):
        run(tmp_path, [TABLE | {"marks": "m.csv", "rules": rules}], text)
    assert not (tmp_path / "out").exists()


def test_marks_suppress_keep_and_contradict(tmp_path):
    (tmp_path / "m.csv").write_text("region,sector,mark\nS,b,suppress\n")
    done = run(tmp_path, [TABLE | {"marks": "m.csv", "rules": []}])
    assert "S,b,,suppressed" in (tmp_path / "out/tables/t.csv").read_text()
    assert "t.csv" in done.inputs
    assert "m.csv" in done.inputs
    (tmp_path / "m.csv").write_text("region,sector,mark\nN,a,keep\n")
    with pytest.raises(InputWrong) as told:
        release(
            check(Document({"tarnkappe": 1, "title": "T", "tables": [TABLE | {"marks": "m.csv"}]}), tmp_path),
            tmp_path / "out2",
        )
    assert told.value.code == "table.marks-contradict"


def saying(head: str, **said: str) -> str:
    """The cells with further columns; `said` by the codes of a cell, empty elsewhere."""
    first, *rest = CELLS.split()
    nothing = "," * head.count(",")
    lines = [f"{line},{said.get('_'.join(line.split(',')[:2]), nothing)}" for line in rest]
    return "\n".join([f"{first},{head}", *lines]) + "\n"


def test_what_a_file_of_cells_says_of_them_counts(tmp_path):
    """Status, mark and cost beside the values: without them the table would be left open."""
    text = saying("status,mark,cost", N_a="primary,,", S_b=",keep,7")
    (done,) = run(tmp_path, [TABLE | {"rules": []}], text).tables
    assert done.pattern.primary.sum() == 1
    assert done.pattern.suppressed.sum() == 4
    assert not done.pattern.suppressed[-1]  # S × b
    assert done.pattern.cost[-1] == 7


def test_a_status_that_is_none_is_told(tmp_path):
    with pytest.raises(InputWrong) as told:
        run(tmp_path, [TABLE], saying("status", N_a="nonsense"))
    assert told.value.code == "table.status-unknown"


def test_the_status_may_stand_in_another_column(tmp_path):
    columns = {"count": "n", "status": "flag"}
    (done,) = run(tmp_path, [TABLE | {"rules": [], "columns": columns}], saying("flag", N_a="U")).tables
    assert done.pattern.primary.sum() == 1


def test_a_dimension_may_be_called_status_and_the_values_cost(tmp_path):
    text = CELLS.replace("region,", "status,").replace(",value,", ",cost,")
    (done,) = run(tmp_path, [TABLE | {"by": ["status", "sector"], "value": "cost"}], text).tables
    assert done.pattern.cost is None
    assert done.pattern.suppressed.sum() == 4


def test_a_missing_file_of_marks_is_a_problem_of_the_plan(tmp_path):
    with pytest.raises(InputWrong) as told:
        run(tmp_path, [TABLE | {"marks": "none.csv"}])
    assert told.value.code == "plan.wrong"


def test_tables_from_data_use_owners_that_the_release_drops(tmp_path):
    firms(tmp_path)
    table = {"name": "turnover", "by": ["region", "sector"], "value": "turnover"}
    reason = "The cells belong to made-up firms only."
    accept = [
        {"what": "rules", "tables": ["turnover", "before"]},
        {"what": "keys"},
        {"what": "risk.interval-disclosure"},
    ]
    done = run(
        tmp_path, [table, table | {"name": "before", "from": "original"}], data=DATA, release={"formats": ["csv"]},
        accept=[one | {"reason": reason} for one in accept],
        steps=[{"use": "microdata.mdav", "columns": ["turnover"], "k": 3}],
    )  # fmt: skip
    header = (tmp_path / "out/data.csv").read_text().splitlines()[0]
    assert "group" not in header.split(",")
    result, original = (entry.pattern.table for entry in done.tables)
    assert result.owners is not None
    assert original.owners is not None
    assert original.owners.count[0] == 30
    assert not np.array_equal(original.contributions.largest, result.contributions.largest)


def test_as_many_contributions_are_kept_as_the_rules_look_at(tmp_path):
    firms(tmp_path)
    rules = [{"use": "rule.dominance", "n": 5, "k": 99}, {"use": "rule.p-percent", "coalition": 6}]
    (done,) = run(
        tmp_path, [{"name": "t", "by": ["region"], "value": "turnover", "rules": rules}], data=DATA
    ).tables
    assert done.pattern.table.contributions.largest.shape[1] == 7


def test_tables_alone_release_no_data(tmp_path):
    firms(tmp_path)
    rules = [{"use": "rule.minimum-frequency", "n": 3}]
    run(tmp_path, [{"name": "turnover", "by": ["region"], "value": "turnover", "rules": rules}], data=DATA)
    assert not list((tmp_path / "out").glob("data.*"))
    assert (tmp_path / "out/tables/turnover.csv").exists()


# -- Python ---------------------------------------------------------------------------------------------------


def test_the_python_door(tmp_path):
    firms(tmp_path, 12)
    data = tk.read(tmp_path / "firms.csv", roles={"owner": "group"})
    table = tk.tabulate(data, by=["region", "sector"], value="turnover")
    rules = [tk.rule.MinimumFrequency(n=4)]
    done = tk.protect(table, rules=rules, method=tk.table.Quader())
    assert done.pattern.suppressed.any()
    found = done.audit()
    assert len(found) == int(done.pattern.suppressed.sum())
    assert {"region", "sector", "low", "high"} <= set(found.names)
    low, high, value = (found.numbers([n])[:, 0] for n in ("low", "high", "value"))
    assert np.all(np.isnan(high) | (high >= value))
    assert np.all(low <= value)
    hidden = {f"<td>{v:g}</td>" for v in table.value[done.pattern.suppressed]} - {
        f"<td>{v:g}</td>" for v in table.value[~done.pattern.suppressed]
    }
    assert hidden
    assert not any(text in done._repr_html_() for text in hidden)
    with pytest.raises(GateClosed):
        tk.protect(table, rules=rules)


def test_the_python_door_says_what_it_takes(tmp_path):
    """A rule without brackets, a class in place of a rule or method, a name, records in place of a table, no table."""
    firms(tmp_path, 12)
    data = tk.read(tmp_path / "firms.csv")
    table = tk.tabulate(data, "region", "turnover")
    assert table.dimensions[0].name == "region"
    rule, method = tk.rule.PPercent(p=10), tk.table.Quader()
    for given in (
        (table, rule, method), (table, [tk.rule.PPercent], method), (table, [rule], tk.table.Quader), (table, [rule], "table.quader"),
        (data, [rule], method), ([], [rule], method),
    ):  # fmt: skip
        with pytest.raises(InputWrong, match=r"table\.not-asked"):
            tk.protect(*given)
    for largest in (-1, 2.5):
        with pytest.raises(InputWrong, match=r"table\.not-asked"):
            tk.tabulate(data, ["region"], "turnover", largest=largest)
    with pytest.raises(InputWrong, match=r"table\.not-asked"):
        tk.tabulate(tk.to_frame(data, "polars"), ["region"], "turnover")


def test_names_of_rules_and_methods_come_from_the_catalogue():
    assert tk.rule.PPercent is tk.catalogue["rule.p-percent"]
    assert tk.table.Quader is tk.catalogue["table.quader"]
    assert {"PPercent", "MinimumFrequency"} <= set(dir(tk.rule))
    with pytest.raises(AttributeError, match="PPercent"):
        _ = tk.rule.PPercnt


def test_a_jj_file_is_the_file_of_a_table_and_comes_with_its_statuses(tmp_path):
    (tmp_path / "cells.csv").write_text(CELLS)
    plan = {
        "tarnkappe": 1,
        "title": "t",
        "tables": [{"name": "cells", "file": "cells.csv", "by": ["region", "sector"]}],
    }
    (entry,) = started_tables(plan, tmp_path)
    status = np.zeros(len(entry.table), np.uint8)
    status[-1] = Status.PRIMARY
    (tmp_path / "cells.jj").write_bytes(jj_bytes(jj_of(Pattern(entry.table, status=status))))
    trees = {"region": {"tree": {"Total": ["N", "S"]}}, "sector": {"tree": {"Total": ["a", "b"]}}}
    plan["tables"] = [{"name": "again", "file": "cells.jj", "by": ["region", "sector"], "hierarchies": trees}]
    (again,) = started_tables(plan, tmp_path)
    assert again.table.name == "again"
    assert again.table.value.tolist() == entry.table.value.tolist()
    assert np.count_nonzero(again.status == Status.PRIMARY) == 1
    plan["tables"][0].pop("hierarchies")
    with pytest.raises(InputWrong, match=r"table\.cells-unnamed|cells"):
        list(started_tables(plan, tmp_path))


def started_tables(plan, folder):
    """The tables of a plan as they are before anything is done to them."""
    checked = check(Document(dict(plan)), folder)
    return [started(one.described, tk.Microdata({}), folder) for one in checked.tables]


def test_a_share_of_nothing_is_found_where_empty_cells_are_listed(tmp_path):
    """Nobody of N is ill: as a cell that is left out it would be known, as a zero it is hidden."""
    rows = [
        f"{r},{s}"
        for r, s, n in (("N", "ok", 6), ("S", "ok", 5), ("S", "ill", 7), ("W", "ok", 4), ("W", "ill", 9))
        for _ in range(n)
    ]
    (tmp_path / "p.csv").write_text("region,state\n" + "\n".join(rows) + "\n")
    table = {
        "name": "t", "by": ["region", "state"], "rules": [{"use": "rule.shares", "along": ["state"]}],
        "protect": {"use": "table.quader", "zeros": "one-parity"}, "empty": "listed",
    }  # fmt: skip
    done = run(
        tmp_path, [table], data={"file": "p.csv", "roles": {"key": ["region", "state"]}}, seed={"secret": "t"}
    )
    assert done
    shown = (tmp_path / "out" / "tables" / "t.csv").read_text().splitlines()
    assert "N,ill,,suppressed" in [line.rstrip(",") for line in shown]


def weighted_firms(folder: Path) -> None:
    firms(folder)
    head, *rows = (folder / "firms.csv").read_text().splitlines()
    weights = [f"{row},{1 + number % 40}" for number, row in enumerate(rows)]
    (folder / "firms.csv").write_text("\n".join([f"{head},w", *weights]) + "\n")


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("inside", [True, False])
def test_weighted_or_not_stands_in_head_report_and_documents(tmp_path, weighted, inside):
    weighted_firms(tmp_path)
    table = {
        "name": "t", "by": ["region", "sector"], "value": "turnover", "weighted": weighted, "protect": {"use": "table.quader"},
        "rules": [{"use": "rule.p-percent", "p": 10, "weighted": inside}],
    }  # fmt: skip
    run(tmp_path, [table], data={**DATA, "roles": {**DATA["roles"], "weight": "w"}})
    about, page = (tmp_path / "out/about.json").read_text(), (tmp_path / "out/about.html").read_text()
    report = (tmp_path / "out/internal/report.html").read_text()
    assert json.loads(about)["tables"][0]["weighted"] is weighted
    assert ("adds up weight × value" in page) is weighted
    assert ("Not weighted: every record counts once." in report) is not weighted
    assert ("rules count respondents" in report) is (weighted and not inside)
    assert ("By choice these rules take the weights in" in report) is (weighted and inside)


def test_tables_with_and_without_weights_are_two_measures(tmp_path):
    """Their cells have other values: linked as one measure they would contradict each other."""
    weighted_firms(tmp_path)
    table = {"by": ["region"], "value": "turnover", "rules": [{"use": "rule.minimum-frequency", "n": 3}]}
    done = run(
        tmp_path,
        [{"name": "a", **table}, {"name": "b", **table, "weighted": False}],
        data={**DATA, "roles": {**DATA["roles"], "weight": "w"}},
    )
    measures = {entry.pattern.table.measure for entry in done.tables}
    assert measures == {"turnover", "turnover (without weights)"}


def office_rows(folder: Path, name: str = "t") -> list[dict[str, str]]:
    lines = (folder / f"out/internal/tables/{name}.csv").read_text().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith(("region", '"region')))
    return list(csv.DictReader(lines[head:]))


@pytest.mark.parametrize("span", [30, 500])
def test_a_span_is_required_recorded_and_held(tmp_path, span):
    run(tmp_path, [{**TABLE, "protect": {"use": "table.quader", "span": span}}])
    rows = [row for row in office_rows(tmp_path) if row["status"] == "primary"]
    assert rows
    for row in rows:
        assert float(row["required_span"]) == pytest.approx(span / 100 * float(row["value"]))
        assert float(row["required_high"]) > 0


def test_a_span_beyond_prior_knowledge_is_refused(tmp_path):
    with pytest.raises(Refused):
        run(tmp_path, [{**TABLE, "protect": {"use": "table.quader", "span": 118}, "audit": {"prior": 5}}])
    assert not (tmp_path / "out").exists()


def test_required_span_and_prior_percent_come_with_a_file(tmp_path):
    head, *rows = CELLS.splitlines()
    said = {"N,a": ("120", "", "primary")}
    lines = [f"{r},{','.join(said.get(','.join(r.split(',')[:2]), ('', '', '')))}" for r in rows]
    text = "\n".join([f"{head},required_span,prior_percent,status", *lines]) + "\n"
    table = {**TABLE, "rules": []}
    run(tmp_path, [table], text)
    (row,) = [row for row in office_rows(tmp_path) if row["status"] == "primary"]
    assert row["required_span"] == "120"
    narrow = text.replace("120,,primary", "120,10,primary")
    assert narrow != text
    with pytest.raises(Refused):
        (tmp_path / "second").mkdir()
        run(tmp_path / "second", [table], narrow)


def test_all_rules_that_mark_a_cell_are_its_reason(tmp_path):
    rules = [{"use": "rule.minimum-frequency", "n": 3}, {"use": "rule.p-percent", "p": 10}]
    run(tmp_path, [{**TABLE, "rules": rules}])
    reasons = {(r["region"], r["sector"]): r["reason"] for r in office_rows(tmp_path)}
    assert reasons["N", "a"] == "minimum frequency rule; p % rule"


INNER = "\n".join(line for line in CELLS.splitlines() if "Total" not in line) + "\n"


def test_sums_that_a_file_does_not_have_are_computed_and_that_is_said(tmp_path):
    whole = {(r["region"], r["sector"]): r for r in _rows(tmp_path / "whole", CELLS)}
    bare = {(r["region"], r["sector"]): r for r in _rows(tmp_path / "bare", INNER)}
    assert bare.keys() == whole.keys()
    for cell, row in bare.items():
        assert (row["value"], row["count"], row["status"]) == tuple(
            whole[cell][n] for n in ("value", "count", "status")
        )
    for page in ("about.html", "internal/report.html"):
        assert "has no sums along region, sector" in (tmp_path / "bare/out" / page).read_text()
        assert "has no sums along" not in (tmp_path / "whole/out" / page).read_text()


def _rows(folder: Path, text: str) -> list[dict[str, str]]:
    folder.mkdir()
    run(folder, [TABLE], text)
    return office_rows(folder)


def test_sums_of_codes_between_are_computed_too(tmp_path):
    tree = {"region": {"tree": {"Total": {"N": ["N1", "N2"], "S": []}}}}
    text = "region,sector,value,n,x1,x2\n" + "".join(
        f"{r},{s},{v},9,{v // 5},{v // 6}\n" for r, s, v in
        [("N1", "a", 50), ("N2", "a", 70), ("S", "a", 90), ("N1", "b", 40), ("N2", "b", 80), ("S", "b", 60)]
    )  # fmt: skip
    run(
        tmp_path, [{**TABLE, "hierarchies": tree, "rules": [{"use": "rule.minimum-frequency", "n": 3}]}], text
    )
    rows = {(r["region"], r["sector"]): r for r in office_rows(tmp_path)}
    assert rows["N", "a"]["value"] == "120"
    assert rows["Total", "Total"]["value"] == "390"
    assert rows["Total", "Total"]["count"] == "54"


def test_owners_who_cannot_be_added_up_are_told(tmp_path):
    text = INNER.replace("x1,x2", "x1,x2,o").replace("200,50", "200,50,2").replace("30,20", "30,20,2")
    text = text.replace("60,30", "60,30,9").replace("90,80", "90,80,9")
    with pytest.raises(InputWrong) as told:
        run(tmp_path, [{**TABLE, "columns": {**TABLE["columns"], "owner_count": "o"}}], text)
    assert told.value.code == "table.total-missing"
