"""A reader of tables, names of columns and documents who looks for people: by name, whatever way it is written."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.errors import TarnkappeError
from tarnkappe.io.read import read
from tarnkappe.plan.check import check_file
from tarnkappe.plan.run import run
from tarnkappe.plan.sought_names import SoughtNames

FIRST = ["Anna", "Bernd", "Çigdem", "Jürgen", "Zoë", "Ute", "Olaf", "Ilse", "Kai", "Pia"]
LAST = ["Möller", "Weiß", "Özdemir", "Maier", "Roth", "Brandt"]
PEOPLE = [f"{f} {n}" for f in FIRST for n in LAST]

PLAN = """
tarnkappe: 1
title: {title}
data:
  file: data.csv
  roles: {{identifier: [name], key: [region]}}
tables:
  - name: t
    by: [{by}]
    rules: [{{use: rule.minimum-frequency, n: 3}}]
    protect: {{use: table.quader}}
"""


def swapped(name):
    first, last = name.split()
    return f"{last}, {first}"


HIDDEN = {
    "as it is": lambda n: n,
    "capitals": str.upper,
    "family name first": swapped,
    "in a sentence": lambda n: f"Herr/Frau {n} (verzogen)",
    "with signs": lambda n: n.replace(" ", "_-_"),
    "wide letters": lambda n: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in n),
    "in one word": lambda n: n.replace(" ", ""),
}


def gates(folder, by, columns, title="A table"):
    header = ["name", "region", *columns]
    region = [f"r{i % 3}" for i in range(len(PEOPLE))]
    rows = zip(PEOPLE, region, *columns.values(), strict=True)
    lines = [";".join(header), *(";".join(row) for row in rows)]
    (folder / "data.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "plan.yaml").write_text(PLAN.format(by=by, title=title), "utf-8")
    return run(check_file(folder / "plan.yaml"))


def refused(folder, by, columns, **more):
    try:
        return not gates(folder, by, columns, **more).released
    except TarnkappeError as problem:
        return problem.code


@pytest.mark.parametrize("way", HIDDEN)
def test_a_table_by_a_look_alike_column_is_refused(tmp_path, way):
    found = refused(tmp_path, "contact", {"contact": [HIDDEN[way](n) for n in PEOPLE]})
    assert found in (True, "table.codes-name-contributors", "policy.roles-needed")


@pytest.mark.parametrize("way", HIDDEN)
def test_one_name_among_harmless_codes_is_found(tmp_path, way):
    kinds = [f"kind {'abc'[i % 3]}" for i in range(len(PEOPLE))]
    kinds[6:9] = [HIDDEN[way](PEOPLE[2])] * 3
    assert refused(tmp_path, "kind", {"kind": kinds}) is True


def test_free_text_of_one_record_each_is_no_dimension(tmp_path):
    words = [f"note {a} about {b}" for a in ("rent", "heat", "road") for b in range(20)]
    assert refused(tmp_path, "remark", {"remark": words}) == "table.codes-name-contributors"


def test_a_title_that_names_somebody_is_found(tmp_path):
    kinds = {"kind": [f"kind {'abc'[i % 3]}" for i in range(len(PEOPLE))]}
    assert refused(tmp_path, "kind", kinds, title="Complaint of Olaf Roth") is True


def test_tables_without_names_are_released_and_the_sentence_says_where_was_looked(tmp_path):
    done = gates(tmp_path, "kind", {"kind": [f"kind {'abc'[i % 3]}" for i in range(len(PEOPLE))]})
    assert done.released
    (said,) = [gate for gate in done.gates if "identifier" in gate.says.en]
    assert "in the tables" in said.says.en


def test_numbers_and_words_that_coincide_are_no_leak():
    towns = ["Essen", "Hagen", "Halle", "Köln"]
    assert not SoughtNames.of(Column.texts_of(["Halle", "Ahrens", "Boehm", "Conrad"])).found_in(towns)
    ids = Column.texts_of([str(i) for i in range(10_000, 10_500)])
    assert not SoughtNames.of(ids).found_in([str(i) for i in range(10_100, 10_140)])


def test_sparse_numbers_in_codes_are_found():
    ids = [str(730_000_000 + 7919 * i) for i in range(50)]
    assert SoughtNames.of(Column.texts_of(ids)).found_in(ids[:20])
    assert SoughtNames.of(Column.texts_of(ids)).found_in([f"contract {i} of 2019" for i in ids[:5]])


# -- a file without names of columns ------------------------------------------------------------------------------------

RECORDS = [
    (f"F{i:05d}", PEOPLE[i % 60], ["Bonn", "Kiel", "Ulm"][i % 3], str(1000 + 37 * i), f"19{i % 60 + 30}-03-{i % 28 + 1:02d}")
    for i in range(90)
]  # fmt: skip


@pytest.mark.parametrize("columns", [(0, 1, 2, 3, 4), (1, 2), (2, 3), (0, 1), (4,), (1, 2, 3)])
def test_a_record_is_not_published_as_names_of_columns(tmp_path, columns):
    file = tmp_path / "data.csv"
    file.write_text("\n".join(";".join(r[c] for c in columns) for r in RECORDS) + "\n", "utf-8")
    with pytest.raises(TarnkappeError) as refusal:
        read(file, separator=";")
    assert refusal.value.code == "file.header-missing"
    assert not any(RECORDS[0][c] in str(refusal.value) for c in columns)
    data = read(file, separator=";", header=False)
    assert len(data) == len(RECORDS)
    assert data.names == tuple(f"column_{i}" for i in range(1, len(columns) + 1))


@pytest.mark.parametrize(
    "header",
    ["id;name;town;turnover;born", "v1;v2;v3;v4;v5", "2019;2020;2021;2022;2023", "1;2;3;4;5"],
)
def test_names_are_names(tmp_path, header):
    file = tmp_path / "data.csv"
    file.write_text("\n".join([header, *(";".join(r) for r in RECORDS)]) + "\n", "utf-8")
    assert read(file).names == tuple(header.split(";"))


def test_years_as_names_of_columns_of_numbers(tmp_path):
    file = tmp_path / "data.csv"
    x = np.random.default_rng(1).integers(1000, 9999, (50, 4))
    lines = ["unit;2019;2020;2021;2022", *(f"u{i};" + ";".join(map(str, row)) for i, row in enumerate(x))]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    assert read(file).names == ("unit", "2019", "2020", "2021", "2022")
