"""Linked files that tell amounts but not whose they are: a firm is not reckoned with as an attacker upon itself."""

from __future__ import annotations

import pytest
from command import command

# 09 has two firms, 32,242 and 51.5, of different size and the same legal form. Who knows 09 x tr2 is the larger one of 09 x LL.
BY_SIZE = """act,size,value,n,most
Total,Total,104293.5,24,32242
Total,tr1,20051.5,11,3000
Total,tr2,84242,13,32242
08,Total,72000,22,9000
08,tr1,20000,10,3000
08,tr2,52000,12,9000
09,Total,32293.5,2,32242
09,tr1,51.5,1,51.5
09,tr2,32242,1,32242
"""
BY_FORM = """act,form,value,n,most
Total,Total,104293.5,24,32242
Total,LL,92293.5,17,32242
Total,OT,12000,7,2500
08,Total,72000,22,9000
08,LL,60000,15,9000
08,OT,12000,7,2500
09,Total,32293.5,2,32242
09,LL,32293.5,2,32242
"""
OPTIONS = (
    *("--by", "act", "--by", "size", "--by", "form", "--count", "n", "--largest", "most"),
    *("--rule", "rule.minimum-frequency: {n: 3}", "--rule", "rule.dominance: {n: 1, k: 85}", "--quiet"),
)


@pytest.fixture
def files(tmp_path):
    size, form = tmp_path / "size.csv", tmp_path / "form.csv"
    size.write_text(BY_SIZE)
    form.write_text(BY_FORM)
    return size, form


def test_the_largest_firm_of_a_shared_cell_is_one_firm_in_all_files(capsys, files, tmp_path):
    size, form = files
    out = tmp_path / "out"
    said = command(capsys, "table", "protect", size, "--also", form, *OPTIONS, "--out", out)
    assert said.code == 0, said.all
    assert command(capsys, "verify", out).code == 0


def test_a_table_that_is_out_already_asks_for_doubt_only(capsys, files, tmp_path):
    """Cells that an earlier file hides need no width of their own, and its firms do not attack themselves."""
    size, form = files
    out = tmp_path / "out"
    by_size = [*OPTIONS[:4], *OPTIONS[6:]]
    assert command(capsys, "table", "protect", size, *by_size, "--out", out).code == 0
    late = tmp_path / "late"
    earlier = out / "tables" / "size.csv"
    said = command(capsys, "table", "protect", form, "--published", earlier, *OPTIONS, "--out", late)
    assert said.code == 0, said.all
    assert command(capsys, "verify", late).code == 0
