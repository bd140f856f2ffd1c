"""Plans whose tables share cells: one publication, protected and audited together."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.errors.linked import (
    LinkedUnprotectable,
    PublishedAlready,
    SharedCellsDiffer,
    SharedValuesDiffer,
)
from tarnkappe.plan.check import check
from tarnkappe.plan.document import Document
from tarnkappe.report.release import release
from tarnkappe.report.verify import verify

DATA = {"file": "firms.csv", "roles": {"identifier": ["id"], "owner": "group"}}
RULES = [{"use": "rule.minimum-frequency", "n": 3}, {"use": "rule.p-percent", "p": 10}]


def firms(folder: Path, n: int = 130, seed: int = 3) -> None:
    rng = np.random.default_rng(seed)
    rows = [
        f"F{i},G{i // 2},{rng.choice(list('NSOW'))},{rng.choice(list('abcd'))},{rng.choice(list('123'))},"
        f"{int(rng.lognormal(3, 1)) + 1}"
        for i in range(n)
    ]
    (folder / "firms.csv").write_text("id,group,region,sector,size,turnover\n" + "\n".join(rows) + "\n")


def table(name: str, by: list[str], **parts: Any) -> dict[str, Any]:
    return {
        "name": name, "by": by, "value": "turnover", "rules": RULES, "protect": {"use": "table.quader"}, **parts
    }  # fmt: skip


def run(folder: Path, tables: list[dict[str, Any]], out: str = "out", **parts: Any):
    content = {"tarnkappe": 1, "title": "T", "data": DATA, "tables": tables, **parts}
    return release(check(Document(content), folder), folder / out)


def unruled(*tables: str) -> list[dict[str, Any]]:
    """Tables that are published without a rule of their own, for a reason."""
    return [{"what": "rules", "tables": list(tables), "reason": "The cells belong to made-up firms only."}]


def rows(folder: Path, name: str) -> dict[tuple[str, ...], tuple[str, str]]:
    lines = (folder / f"tables/{name}.csv").read_text().splitlines()[1:]
    return {tuple(parts[:-2]): (parts[-2], parts[-1]) for parts in (line.split(",") for line in lines)}


def test_tables_of_one_measure_are_protected_together(tmp_path):
    firms(tmp_path)
    done = run(tmp_path, [table("one", ["region", "sector"]), table("two", ["sector", "size"])])
    first, second = rows(tmp_path / "out", "one"), rows(tmp_path / "out", "two")
    for sector in "abcd":
        assert first["Total", sector] == second[sector, "Total"]
    assert [e.audit.details["linked"] for e in done.tables] == [
        [{"table": "two", "shared": 5}], [{"table": "one", "shared": 5}]
    ]  # fmt: skip
    about = json.loads((tmp_path / "out/about.json").read_text())
    assert [t["shares_cells_with"] for t in about["tables"]] == [["two"], ["one"]]
    assert any("together" in check.says.en for check in verify(tmp_path / "out"))
    ledger = json.loads((tmp_path / "out/internal/ledger.json").read_text())
    assert ledger["tables"][0]["audit"]["details"]["linked"] == [{"table": "two", "shared": 5}]
    assert "audited together with two: 5 cells shared" in (tmp_path / "out/internal/report.html").read_text()


def test_another_measure_shares_nothing(tmp_path):
    firms(tmp_path)
    counted = {"name": "n", "by": ["sector"], "rules": RULES[:1], "protect": None}
    done = run(tmp_path, [table("one", ["region", "sector"]), counted])
    assert all("linked" not in e.audit.details for e in done.tables)


def test_a_table_without_method_takes_over_what_others_hide(tmp_path):
    firms(tmp_path, 60)
    done = run(
        tmp_path,
        [table("one", ["region", "sector"]), table("margin", ["sector"], protect=None, rules=[])],
        accept=unruled("margin"),
    )
    hidden = {
        k[1] for k, (_, s) in rows(tmp_path / "out", "one").items() if k[0] == "Total" and s == "suppressed"
    }
    assert hidden == {k[0] for k, (_, s) in rows(tmp_path / "out", "margin").items() if s == "suppressed"}
    assert all(e.audit.value for e in done.tables)


def test_shared_cells_must_look_the_same(tmp_path):
    firms(tmp_path)
    rounded = table("two", ["sector", "size"], rules=[], protect={"use": "table.round-conventional"})
    with pytest.raises(SharedCellsDiffer):
        run(tmp_path, [table("one", ["region", "sector"]), rounded])
    assert not (tmp_path / "out").exists()


def test_a_table_can_stand_alone_for_a_stated_reason(tmp_path):
    firms(tmp_path)
    rounded = table(
        "two", ["sector", "size"], rules=[], protect={"use": "table.round-conventional"},
        unlinked="rounded values of another year are shown",
    )  # fmt: skip
    run(tmp_path, [table("one", ["region", "sector"]), rounded])
    assert "rounded values of another year" in (tmp_path / "out/internal/report.html").read_text()
    assert "another year" not in (tmp_path / "out/about.html").read_text()
    assert "another year" not in (tmp_path / "out/about.json").read_text()


@pytest.mark.parametrize("word", ["", "no", False, True])
def test_a_reason_must_be_a_sentence(tmp_path, word):
    firms(tmp_path)
    with pytest.raises(InputWrong):
        run(tmp_path, [table("one", ["region", "sector"], unlinked=word)])


def test_cell_files_that_contradict_each_other_are_refused(tmp_path):
    firms(tmp_path)
    (tmp_path / "a.csv").write_text("region,value\nTotal,30\nN,10\nS,20\n")
    (tmp_path / "b.csv").write_text(
        "region,size,value\nTotal,Total,30\nN,Total,11\nS,Total,19\nTotal,1,30\nN,1,11\nS,1,19\n"
    )
    files = [
        {"name": "a", "file": "a.csv", "by": ["region"]},
        {"name": "b", "file": "b.csv", "by": ["region", "size"]},
    ]
    with pytest.raises(SharedValuesDiffer) as told:
        run(tmp_path, files, accept=unruled("a", "b"))
    assert "a: N" in told.value.text("en")
    assert "11" not in told.value.text("en")
    run(tmp_path, [files[0], {**files[1], "measure": "employees"}], accept=unruled("a", "b"))


def released(folder: Path, *, internal: bool = True) -> None:
    """An earlier release in the folder of the plan."""
    run(folder, [table("one", ["region", "sector"])], "earlier")
    if not internal:
        shutil.rmtree(folder / "earlier/internal")


@pytest.mark.parametrize("internal", [True, False])
def test_a_late_table_keeps_to_what_is_published(tmp_path, internal):
    firms(tmp_path, 400)
    released(tmp_path, internal=internal)
    done = run(tmp_path, [table("two", ["sector", "size"])], published=[{"release": "earlier"}])
    first, second = rows(tmp_path / "earlier", "one"), rows(tmp_path / "out", "two")
    assert [first["Total", s] for s in "abcd"] == [second[s, "Total"] for s in "abcd"]
    assert done.tables[0].audit.details["linked"] == [{"table": "one", "shared": 5}]
    assert "earlier/tables/one.csv" in done.inputs


def test_a_file_of_published_cells_is_an_earlier_table_too(tmp_path):
    firms(tmp_path, 400)
    released(tmp_path)
    shutil.copy(tmp_path / "earlier/tables/one.csv", tmp_path / "old.csv")
    earlier = {
        "file": "old.csv", "by": ["region", "sector"], "measure": "turnover",
        "hierarchies": {"region": {"total": "Total"}, "sector": {"total": "Total"}},
    }  # fmt: skip
    bare = {name: said for name, said in earlier.items() if name != "hierarchies"}
    for number, described in enumerate((earlier, bare)):
        done = run(tmp_path, [table("two", ["sector", "size"])], f"out{number}", published=[described])
        assert done.tables[0].audit.details["linked"] == [{"table": "old", "shared": 5}]


def test_a_late_table_that_cannot_be_protected_is_refused_with_the_cells_in_the_way(tmp_path):
    firms(tmp_path, 60, seed=1)
    open_table = table("one", ["region", "sector"], rules=[], protect=None)
    run(tmp_path, [open_table], "earlier", accept=unruled("one"))
    late = table("two", ["region", "sector", "size"])
    with pytest.raises(Refused) as told:
        run(tmp_path, [late], published=[{"release": "earlier"}])
    assert isinstance(told.value, PublishedAlready | LinkedUnprotectable)
    assert "two, one" in told.value.text("en")
    assert "two: S × d × Total" in told.value.text("en")
    assert not (tmp_path / "out").exists()


def test_an_earlier_file_without_its_total_is_told(tmp_path):
    firms(tmp_path)
    (tmp_path / "old.csv").write_text("sector,value\na,1\nb,2\n")
    with pytest.raises(InputWrong) as told:
        run(
            tmp_path,
            [table("one", ["region", "sector"])],
            published=[{"file": "old.csv", "by": ["sector"], "measure": "turnover"}],
        )
    assert told.value.code == "table.total-missing"


@pytest.mark.parametrize(
    "earlier",
    [
        {},
        {"release": "x", "file": "y", "by": ["a"]},
        {"file": "firms.csv"},
        {"release": "none"},
        {"release": "../x"},
        3,
    ],
)
def test_bad_descriptions_of_earlier_tables_are_told(tmp_path, earlier):
    firms(tmp_path)
    with pytest.raises(InputWrong):
        run(tmp_path, [table("one", ["region", "sector"])], published=[earlier])


def test_a_folder_that_is_no_release_is_told(tmp_path):
    firms(tmp_path)
    (tmp_path / "earlier").mkdir()
    (tmp_path / "earlier/about.json").write_text("[]")
    with pytest.raises(InputWrong) as told:
        run(tmp_path, [table("one", ["region", "sector"])], published=[{"release": "earlier"}])
    assert told.value.code == "linked.nothing-published"
