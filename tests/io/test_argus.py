"""Files of τ-ARGUS: tables, metadata, records; read, written and read again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from table_samples import full_table, patterns, same, tree

from tarnkappe.attack.foreign import audit
from tarnkappe.data.hierarchy import Hierarchy
from tarnkappe.data.pattern import Mark, Pattern, Status
from tarnkappe.data.system import system_of
from tarnkappe.errors import InputWrong
from tarnkappe.errors import table_files as wrong
from tarnkappe.errors import tables as wrong_table
from tarnkappe.errors.files import FileMissing, QuotesWrong, Ragged
from tarnkappe.errors.hierarchy import HierarchyNotWritable
from tarnkappe.io.argus import ArgusFile, dimensions_of, read_argus
from tarnkappe.io.argus_write import argus_files
from tarnkappe.io.read import read
from tarnkappe.io.read import read as read_records
from tarnkappe.vocab import Role

RDA = """   // as τ-ARGUS writes it
   <SEPARATOR> ";"
   <SAFE> "S"
   <UNSAFE> "U"
   <PROTECT> "P"
Size "99"
    <RECODEABLE>
    <TOTCODE> "Total"
Region "99"
    <RECODEABLE>
    <TOTCODE> "Total"
    <DISTANCE> 2 4 4 4 4
    <CODELIST> "REGION.CDL"
    <HIERARCHICAL>
    <HIERCODELIST> "C:\\data\\Region.hrc"
    <HIERLEADSTRING> "@"
Var2
    <NUMERIC>
    <DECIMALS> 2
FreqVar
    <FREQUENCY>
Var2_Shadow
    <NUMERIC> <SHADOW>
Var2_Cost
    <NUMERIC> <COSTVAR>
Top1
    <MAXSCORE>
Top2
    <MAXSCORE>
StatusVar
    <STATUS>
LowerProtLevel
    <NUMERIC> <LOWERPL>
UpperProtLevel
    <NUMERIC> <UPPERPL>
"""
HRC = "Nr\n@ 1\n@ 2\nZd\n@11"
CDL = " 1,Groningen\n 2,Friesland\nNr,North\n"
TAB = """"Total";"Total";20,50;9;20,50;20,50;8,00;4,50;S;0,01;0,01
"Total";"Nr";12,50;5;12,50;12,50;8,00;4,50;S;0,01;0,01
"Total";" 1";8,00;1;8,00;8,00;8,00;0,00;U;1,50;2,00
"Total";" 2";4,50;4;4,50;4,50;4,50;0,00;M;0,01;0,01
"Total";"Zd";8,00;4;8,00;8,00;2,00;2,00;P;0,01;0,01
"Total";"11";8,00;4;8,00;3,00;2,00;2,00;S;0,01;0,01
"Total";"99";0,00;0;0,00;0,00;0,00;0,00;E;0,00;0,00
" 2";"Total";20,50;9;20,50;20,50;8,00;4,50;S;0,01;0,01
" 2";"Nr";12,50;5;12,50;12,50;8,00;4,50;s;0,01;0,01
" 2";" 1";8,00;1;8,00;8,00;8,00;0,00;u;1,50;2,00
" 2";" 2";4,50;4;4,50;4,50;4,50;0,00;M;0,01;0,01
" 2";"Zd";8,00;4;8,00;8,00;2,00;2,00;P;0,01;0,01
" 2";"11";8,00;4;8,00;3,00;2,00;2,00;S;0,01;0,01
" 2";"99";-;0;;;;;;;
"""


def written(folder, tab=TAB, rda=RDA, hrc=HRC):
    (folder / "pp.tab").write_text(tab)
    (folder / "pp.rda").write_text(rda)
    (folder / "region.HRC").write_text(hrc)
    (folder / "region.cdl").write_text(CDL)
    return folder / "pp.tab"


def at(pattern, *codes):
    nodes = [h.positions([c])[0] for h, c in zip(pattern.table.dimensions, codes, strict=True)]
    return int(pattern.table.find(np.array([nodes], dtype=np.int32))[0])


# -- tables ---------------------------------------------------------------------------------------------------------


def test_a_table_with_all_its_parts(tmp_path):
    found = read_argus(ArgusFile(written(tmp_path)))
    table = found.table
    assert list(table.dimensions[1].codes) == ["Total", "Nr", "1", "2", "Zd", "11", "99"]
    assert table.dimensions[1].labels[2] == "Groningen"
    assert table.value[at(found, "Total", "Total")] == 20.5
    assert table.contributions is not None
    assert table.contributions.count[at(found, "Total", "2")] == 4
    assert table.contributions.largest[at(found, "Total", "Nr")].tolist() == [8, 4.5]
    for size in ("Total", "2"):
        unsafe, second, kept, empty = (at(found, size, c) for c in ("1", "2", "Zd", "99"))
        assert (found.status[unsafe], found.status[second]) == (Status.PRIMARY, Status.SECONDARY)
        assert (found.lower[unsafe], found.upper[unsafe]) == (1.5, 2.0)
        assert (found.mark[kept], found.mark[empty]) == (Mark.KEEP, Mark.ZERO)
    assert found.lower[at(found, "Total", "Total")] == 0, "a safe cell needs no protection"
    assert found.cost is not None
    assert found.cost[at(found, "2", "11")] == 3
    assert (found.low == 0).all()


def test_the_audit_attacks_it(tmp_path):
    result = audit(system_of(read_argus(ArgusFile(written(tmp_path)))))
    assert not result.disclosed.any()
    leaking = TAB.replace("0,00;M;", "0,00;S;")
    assert audit(system_of(read_argus(ArgusFile(written(tmp_path, leaking))))).disclosed.sum() == 2


def test_a_table_without_status_and_frequency(tmp_path):
    rda = "<SEPARATOR> ,\nr\n  <RECODABLE>\n  <TOTCODE> T\nv\n\t<NUMERIC>\nlow\n  <NUMERIC>\n  <LOWERPL>\n"
    found = read_argus(ArgusFile(written(tmp_path, "T,3.5,\na,1,\nb,2.5,\n", rda)))
    assert found.table.contributions is None
    assert not found.hidden.any()
    assert found.table.value.tolist() == [3.5, 1, 2.5]


def test_a_table_of_counts(tmp_path):
    rda = '<SEPARATOR> ";"\nr\n<RECODEABLE>\nn\n<FREQUENCY>\n'
    found = read_argus(ArgusFile(written(tmp_path, "Total;3\na;1\nb;2\n", rda)))
    assert found.table.counts
    assert found.table.value.tolist() == [3, 1, 2]


def test_levels_from_the_signs_of_a_code(tmp_path):
    rda = "<SEPARATOR> ;\nnace\n<RECODEABLE>\n<HIERARCHICAL>\n<HIERLEVELS> 1 1 0 0\nv\n<NUMERIC>\n"
    found = read_argus(ArgusFile(written(tmp_path, ";6\n1;3\n11;1\n12;2\n2;3\n21;3\n", rda)))
    assert list(found.table.dimensions[0].codes) == ["Total", "1", "11", "12", "2", "21"]
    assert found.table.dimensions[0].depth == 2


def test_several_values_need_a_name(tmp_path):
    rda = "<SEPARATOR> ;\nr\n<RECODEABLE>\nv\n<NUMERIC>\nw\n<NUMERIC>\n"
    path = written(tmp_path, "Total;3;30\na;3;30\n", rda)
    with pytest.raises(wrong.MetadataMisfit):
        read_argus(ArgusFile(path))
    assert read_argus(ArgusFile(path, value="w")).table.value.tolist() == [30, 30]


def test_metadata_elsewhere(tmp_path):
    path = written(tmp_path)
    (tmp_path / "pp.rda").rename(tmp_path / "other.rda")
    with pytest.raises(wrong.MetadataMissing):
        read_argus(ArgusFile(path))
    assert len(read_argus(ArgusFile(path, tmp_path / "other.rda")).table) == 14
    assert dimensions_of(path, tmp_path / "other.rda") == ("Size", "Region")


def test_files_that_metadata_name_lie_beside_them(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "region.hrc").write_text(HRC)
    path = written(tmp_path / "in", rda=RDA.replace("C:\\data\\Region.hrc", "../region.hrc"))
    (tmp_path / "in" / "region.HRC").unlink()
    with pytest.raises(FileMissing):
        read_argus(ArgusFile(path))


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('"Total";"Nr";12,50', '"Total";"Nr";12,60', wrong_table.NotAdditive),
        ('"Total";"Nr";12,50', '"Total";"Nr";x', wrong.ArgusWrong),
        ('"Total";"Nr";12,50', '"Total";"Nr";nan', wrong.ArgusWrong),
        ('"Total";"Nr";12,50', '"Total";"Nr";inf', wrong.ArgusWrong),
        ('"Total";"Nr"', '"Total";"Nord"', wrong_table.CodeUnknown),
        ('"Total";"Nr"', '"Total";"Total"', wrong_table.CellTwice),
        ('" 2";"Nr";12,50;5', '" 2";"Nr";12,50;-5', wrong_table.CountNegative),
        ('" 2";"Nr";12,50;5', '" 2";"Nr";12,50;1', wrong_table.MoreThanCounted),
        ('" 2";"Nr";12,50;5', '" 2";"Nr";12,50;', wrong_table.CountWrong),
        ('" 2";"Nr";12,50;5', '" 2";"Nr";12,50;0', wrong_table.NobodyCounted),
        ('" 2";"Nr";12,50;5', '" 2";"Nr";12,50;5.5', wrong_table.CountWrong),
        ('" 2";"Nr";12,50;5', '" 2";"Nr";12,50;5,5', wrong_table.CountWrong),
        ("4,50;s;", "4,50;?;", wrong.ArgusWrong),
        ('"99";-;', '"99";1,00;', wrong.ArgusWrong),
        ('" 2";" 1";8,00', '" 2";" 1";', wrong.ArgusWrong),
        ("1,50;2,00", "-1,50;2,00", wrong.ProtectionNegative),
        ("0,01;0,01\n", "0,01\n", Ragged),
        ('"Total"', '"All"', wrong_table.TotalMissing),
    ],
)
def test_bad_tables(tmp_path, old, new, error):
    assert old in TAB
    with pytest.raises(error) as told:
        read_argus(ArgusFile(written(tmp_path, TAB.replace(old, new))))
    assert not any(value in told.value.text("en") for value in ("12,5", "12.5", "12,6", "20,5"))
    assert told.value.exit_code == 2


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("<MAXSCORE>", "<MAXIMUM>", wrong.ArgusWrong),
        ("Top2\n    <MAXSCORE>\n", "", wrong.ArgusWrong),
        ('<SEPARATOR> ";"', '<SEPARATOR> ";;"', wrong.ArgusWrong),
        ('<SEPARATOR> ";"', "<SEPARATOR>", wrong.ArgusWrong),
        ('<SEPARATOR> ";"', "<SPSS>", wrong.ArgusWrong),
        ("Top1", "Top2", wrong.ArgusWrong),
        ('   <SAFE> "S"', "<STATUS>", wrong.ArgusWrong),
        ("    <RECODEABLE>\n", "", wrong.MetadataMisfit),
        ("<FREQUENCY>", "<STATUS>", wrong.MetadataMisfit),
        ('<TOTCODE> "Total"', "<TOTCODE>", wrong.ArgusWrong),
        ('<HIERLEADSTRING> "@"', "<HIERLEVELS> x", wrong.ArgusWrong),
        ('<SEPARATOR> ";"', '"<SEPARATOR> ";"', QuotesWrong),
        (RDA, "// nothing\n", wrong.ArgusWrong),
    ],
)
def test_bad_metadata(tmp_path, old, new, error):
    assert old in RDA
    with pytest.raises(error):
        read_argus(ArgusFile(written(tmp_path, rda=RDA.replace(old, new))))


# -- there and back -------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(pattern=patterns())
def test_what_is_written_comes_back(tmp_path_factory, pattern):
    folder = tmp_path_factory.mktemp("argus")
    for name, content in argus_files(pattern, "t").items():
        (folder / name).write_bytes(content)
    again = read_argus(ArgusFile(folder / "t.tab"))
    same(pattern, again, "status", "mark", "lower", "upper", "low", "high", "cost")
    kept, read_back = pattern.table.contributions, again.table.contributions
    assert (kept is None) == (read_back is None)
    if kept is not None:
        assert np.array_equal(kept.count, read_back.count)
        assert np.array_equal(kept.largest, read_back.largest)
    assert argus_files(again, "t") == argus_files(pattern, "t")


@pytest.mark.parametrize("code", ["a;b", 'a"b', " a", "", "a\nb"])
def test_codes_that_the_format_cannot_hold(code):
    odd = Hierarchy("r", np.array(["Total", code], dtype=object), np.array([-1, 0]))
    with pytest.raises(HierarchyNotWritable):
        argus_files(Pattern(full_table((odd, tree("flat", "s")), np.ones((1, 3)))), "t")


def test_names_of_dimensions_do_not_collide(tmp_path):
    pattern = Pattern(full_table((tree("flat", "value"), tree("flat", "status")), np.ones((3, 3))))
    for name, content in argus_files(pattern, "t").items():
        (tmp_path / name).write_bytes(content)
    same(pattern, read_argus(ArgusFile(tmp_path / "t.tab")), "status")


# -- records --------------------------------------------------------------------------------------------------------

FIXED = """Year 1 2 99
  <RECODEABLE>
Industry 4 3
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERLEVELS> 1 2
Wgt 8 3
  <WEIGHT>
  <DECIMALS> 1
Var1 11 4 9999
  <NUMERIC>
Group 15 2
  <HOLDING>
Request 17 1
  <REQUEST> "1" "2"
"""


def test_records_with_fixed_places(tmp_path):
    (tmp_path / "d.rda").write_text(FIXED)
    (tmp_path / "d.asc").write_text("84 341 2.2  12g11\n99 342 1.0999 g2 \n84 2   1.5-4.5g1 \n")
    found = read_records(tmp_path / "d.asc")
    assert list(found.column("Year").texts()) == ["84", None, "84"]
    assert found.column("Wgt").numbers().tolist() == [2.2, 1.0, 1.5]
    assert found.column("Var1").numbers().tolist() == [12, 999, -4.5]
    assert found.roles[Role.OWNER] == ("Group",)
    assert found.roles[Role.WEIGHT] == ("Wgt",)
    assert found.column("Industry").hierarchy is not None
    assert list(found.column("Industry").hierarchy.codes) == ["Total", "2", "3", "341", "342"]
    assert list(found.column("Request").texts()) == ["1", None, None]
    assert list(read(tmp_path / "d.asc").columns) == ["Year", "Industry", "Wgt", "Var1", "Group", "Request"]


def test_records_with_a_separator(tmp_path):
    (tmp_path / "d.rda").write_text('<SEPARATOR> ","\nr 2 "9"\n<RECODEABLE>\nv 5\n<NUMERIC>\n')
    (tmp_path / "d.asc").write_text('"a",1.5\n9,\n')
    found = read_records(tmp_path / "d.asc")
    assert list(found.column("r").texts()) == ["a", None]
    assert np.array_equal(found.column("v").numbers(), [1.5, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("rda", "asc"),
    [
        (FIXED.replace("Year 1 2 99", "Year"), "84 341 2.2  12g11\n"),
        (FIXED.replace("Year 1 2 99", "Year 0 2"), "84 341 2.2  12g11\n"),
        (FIXED, "84 341\n"),
        (FIXED, "84 341 x.2  12g11\n"),
        (FIXED, ""),
        ('<SEPARATOR> ","\nr 2\n<RECODEABLE>\n', "a,b\n"),
    ],
)
def test_bad_records(tmp_path, rda, asc):
    (tmp_path / "d.rda").write_text(rda)
    (tmp_path / "d.asc").write_text(asc)
    with pytest.raises(InputWrong) as told:
        read_records(tmp_path / "d.asc")
    assert "341" not in told.value.text("de")
