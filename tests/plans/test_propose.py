"""Proposals: roles by name, looks and type, hierarchies, what is at risk, and a first plan that runs."""

import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.data import EmptyData, NothingLeft
from tarnkappe.examples import EXAMPLES, make_enterprises, make_municipal, make_persons
from tarnkappe.io.read import read
from tarnkappe.io.write import write
from tarnkappe.kernels.classes import classes
from tarnkappe.plan.check import check
from tarnkappe.plan.coarsen import coarsen, make_key
from tarnkappe.plan.document import parse, to_yaml
from tarnkappe.plan.hierarchies import HierarchyDescription, build_hierarchy
from tarnkappe.plan.model import PlanDescription
from tarnkappe.plan.naming import topic_of
from tarnkappe.plan.propose import Wishes, propose
from tarnkappe.plan.run import run as run_plan
from tarnkappe.plan.words import TOPICS
from tarnkappe.randomness import _NAME
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec import catalogue
from tarnkappe.spec.step import apply_step
from tarnkappe.vocab import Kind, Role

STEPS = {
    "microdata.drop",
    "microdata.generalise",
    "microdata.band",
    "microdata.top-bottom-code",
    "microdata.suppress-records",
    "microdata.mdav",
}


def texts(*values):
    return Column.texts_of(list(values))


def numbers(values):
    return Column.numbers_of(np.asarray(values))


def bare(data):
    """As a file would give it: without roles, labels and hierarchies."""
    plain = {
        n: Column(c.kind, c.values.copy(), c.state, None if c.categories is None else c.categories.copy())
        for n, c in data.columns.items()
    }
    return Microdata(plain)


def roles_of(proposal):
    found = {}
    for column in proposal.columns:
        for role in column.roles:
            found.setdefault(role, []).append(column.name)
    return {role: set(names) for role, names in found.items()}


def run(plan, data):
    """Do what the plan says, as the runner will: roles, hierarchies, steps, measures, gates."""
    described = PlanDescription.model_validate(plan)
    trees = {
        name: build_hierarchy(HierarchyDescription(**h), name, data.column(name), Path())
        for name, h in plan["data"].get("hierarchies", {}).items()
    }
    columns = {
        n: Column(c.kind, c.values, c.state, c.categories, hierarchy=trees.get(n))
        for n, c in data.columns.items()
    }
    before = after = Microdata(columns, described.data.roles)
    for step in plan.get("steps", []):
        assert step["use"] in STEPS
        method = catalogue[step["use"]](**{k: v for k, v in step.items() if k != "use"})
        after = apply_step(method, after, stream("a secret for tests", method.id))
    for measure in plan.get("measures", []):
        catalogue[measure]().measure(after, before=before)
    for gate in plan.get("release_if", []):
        keys = {"keys": gate["keys"]} if "keys" in gate else {}
        assert catalogue[gate["measure"]](**keys).measure(after, before=before).value >= gate["at_least"]
    assert not set(before.role(Role.IDENTIFIER)) & set(after.names)
    assert len(after) >= 0.95 * len(before) - 1e-9
    return after


# -- names ----------------------------------------------------------------------------------------------------------

NAMES = {
    Role.IDENTIFIER: """Name Vorname Nachname Familienname first_name lastName surname fullname Straße strasse Hausnummer
        address e-mail EMail email_address Telefon Telefonnummer phone mobile IBAN Kontonummer Kundennummer Kunden_ID
        kundenNr customerId customer_no Versicherungsnummer policy_number VertragsNr Schadennummer claim_id Steuernummer
        Steuer-ID tax_id ssn SozVersNr_id Sozialversicherungsnummer Personalnummer employee_id PatientID patient_no
        Matrikelnr id ID Nr lfd_nr unit_id Betriebsnummer Firmenname company_name Bemerkung comment Kfz-Kennzeichen
        latitude ip_address url Handelsregisternummer""",
    Role.KEY: """PLZ Postleitzahl postcode zip zip_code Wohnort Gemeinde Gemeindeschlüssel Kreis Bundesland Kanton region
        region_name country city Geburtsdatum geburtsjahr birth_date dob birthYear year_of_birth Alter age Altersgruppe
        age_group Geschlecht sex gender Familienstand marital-status Nationalität Staatsangehörigkeit nationality Beruf
        Berufsgruppe occupation job_title Stellung_im_Beruf Bildung Schulabschluss education Haushaltsgröße household_size
        Kinderzahl nace NACE2 WZ WZ2008 wz_08 Branche Wirtschaftszweig Größenklasse size_class Rechtsform legal_form
        Eintrittsdatum Schadendatum""",
    Role.SENSITIVE: """Diagnose diagnosis Hauptdiagnose ICD10 Krankheit disease HIV_Status Behinderung religion Konfession
        Gewerkschaft Gewerkschaftsmitglied union_member Parteimitglied ethnicity race Migrationshintergrund
        sexual_orientation genotype Vorstrafen unemployed Schulden""",
    Role.NUMERIC: """Einkommen income household_income Haushaltseinkommen Jahreseinkommen_netto Gehalt salary Umsatz
        Auslandsumsatz turnover foreign_turnover revenue Gewinn profit Beschäftigte employees number_of_employees Mitarbeiterzahl
        Investitionen investment Kosten claims claims_amount claims_count Schadenhöhe Prämie count Anzahl hours-per-week Betrag""",
    Role.WEIGHT: "Gewicht weight Hochrechnungsfaktor survey_weight fnlwgt",
    Role.HOUSEHOLD: "Haushalt household household_id HaushaltsNr Haushaltsnummer hhid",
    Role.OWNER: "Konzern Konzernnummer owner owner_id Eigentümer enterprise_group group_id Unternehmensgruppe",
    Role.PERIOD: "Jahr Berichtsjahr year reporting_year Periode period Monat Quartal wave Welle",
    Role.STRATUM: "Schicht stratum",
}


@pytest.mark.parametrize(
    ("role", "name"), [(role, name) for role, names in NAMES.items() for name in names.split()]
)
def test_names_in_german_and_english(role, name):
    topic = topic_of(name)
    assert topic is not None
    assert topic.roles[0] is role


@pytest.mark.parametrize(
    "name", ["x", "v1", "col_17", "Verwalter", "alternative", "Walter", "Produkt", "", "  ", "42", "Σ"]
)
def test_names_that_say_nothing(name):
    assert topic_of(name) is None


def test_every_word_of_the_vocabulary_finds_its_own_topic():
    for topic in TOPICS:
        for word in topic.words.split(","):
            found = topic_of(word.strip())
            assert found is not None
            assert found.roles[0] is topic.roles[0], word


@pytest.mark.parametrize(
    ("name", "article"),
    [
        ("Diagnose", 9),
        ("religion", 9),
        ("Gewerkschaft", 9),
        ("race", 9),
        ("Vorstrafen", 10),
        ("income", 0),
        ("sex", 0),
    ],
)
def test_special_categories(name, article):
    proposal = propose(Microdata({name: texts(*"aabbccddee"), "x": texts(*"aabbccddee")}), "f.csv")
    assert proposal.column(name).article == article
    assert ("DSGVO" in proposal.column(name).why.de) is bool(article)
    assert any("GDPR" in remark.en for remark in proposal.remarks) is bool(article)


# -- the examples ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_examples_get_exactly_the_roles_their_makers_give(name):
    data = EXAMPLES[name](5000)
    assert roles_of(propose(bare(data), "f.csv")) == {role: set(names) for role, names in data.roles.items()}


def test_hierarchies_of_the_examples():
    def hierarchies(data):
        return {c.name: c.hierarchy for c in propose(bare(data), "f.csv").columns if c.hierarchy}

    assert hierarchies(make_persons(5000)) == {
        "postcode": {"digits": [1, 2, 3, 5]},
        "birth_date": {"dates": ["decade", "year", "month"]},
        "occupation": {"digits": [1, 2, 4]},
        "diagnosis": {"digits": [1, 2, 3]},
    }
    assert hierarchies(make_enterprises(5000)) == {
        "nace": {"digits": [1, 3, 4, 5]},
        "region": {"digits": [3, 4, 5]},
    }
    assert hierarchies(make_municipal(5000)) == {
        "district": {"digits": [2, 4]},
        "quarter": {"digits": [2, 4, 5]},
    }


@pytest.mark.parametrize("name", list(EXAMPLES))
@pytest.mark.parametrize("size", [3, 20, 700, 6000])
def test_first_plans_of_the_examples_run(name, size):
    data = bare(EXAMPLES[name](size))
    proposal = propose(data, f"{name}.parquet")
    after = run(proposal.plan, data)
    assert len(after.names) > 1
    assert proposal.plan["data"]["file"] == f"{name}.parquet"
    assert proposal.plan["seed"] == {"secret": name}


@pytest.mark.parametrize("name", ["persons", "enterprises"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_from_a_file_to_a_run(name, ending, tmp_path):
    """As a user does it: write, read, inspect, keep the plan as YAML, check it, run it."""
    made = EXAMPLES[name](1500)
    file = tmp_path / f"{name}.{ending}"
    with file.open("wb") as open_file:
        write(made, open_file, ending)
    proposal = propose(read(file), file.name)
    assert roles_of(proposal) == {role: set(names) for role, names in made.roles.items()}
    done = run_plan(check(parse(to_yaml(proposal.plan)), tmp_path))
    assert all(gate.held or gate.helps for gate in done.gates), "met, or with the next change to make"
    assert {gate.says.en for gate in done.gates if gate.held} >= {"k-anonymity ≥ 3"}


def test_larger_files_keep_more_detail():
    def kept(size):
        proposal = propose(bare(make_enterprises(size)), "f.csv")
        dropped = set(proposal.plan["steps"][0]["columns"])
        return {c.name for c in proposal.columns if Role.KEY in c.roles} - dropped

    assert kept(300) < kept(20_000) == {"year", "region", "size_class", "answers_for"}


def test_keys_that_drive_uniqueness():
    risk = propose(bare(make_municipal(2700)), "f.csv").risk
    data = make_municipal(2700)
    counted = classes(data.column(n).codes() for n in risk.keys).sizes
    assert risk.k == counted.min()
    assert risk.uniques == (counted == 1).sum()
    assert risk.drivers[0].drop == max(d.drop for d in risk.drivers) > 0
    for driver in risk.drivers:
        others = [n for n in risk.keys if n != driver.name]
        without = classes(data.column(n).codes() for n in others).sizes
        assert driver.unique_share_without == pytest.approx((without == 1).sum() / 2700)


def test_the_period_of_a_panel_is_no_driver_and_stays():
    proposal = propose(bare(make_enterprises(2000)), "f.csv")
    assert "year" in proposal.risk.keys
    assert "year" not in {d.name for d in proposal.risk.drivers}
    assert "year" not in proposal.plan["steps"][0]["columns"]


def test_a_table_of_counts_is_recognised():
    assert any("table of counts" in r.en for r in propose(bare(make_municipal(2700)), "f.csv").remarks)
    assert not any("table of counts" in r.en for r in propose(bare(make_persons(2700)), "f.csv").remarks)


# -- by looks and by type ---------------------------------------------------------------------------------------------

ROWS = 200
_RNG = np.random.default_rng(5)
LOOKS = {
    "running number": (numbers(np.arange(ROWS) + 1000), Role.IDENTIFIER),
    "numeric id of equal length": (numbers(_RNG.permutation(10**6)[:ROWS] + 10_000_000), Role.IDENTIFIER),
    "e-mail": (Column.texts_of([f"a{i}@example.org" for i in range(ROWS)]), Role.IDENTIFIER),
    "phone": (Column.texts_of([f"030/{i + 100000}" for i in range(ROWS)]), Role.IDENTIFIER),
    "case number": (Column.texts_of([f"AB-{i + 20240000}" for i in range(ROWS)]), Role.IDENTIFIER),
    "single texts": (Column.texts_of([f"text {i}" for i in range(ROWS)]), Role.IDENTIFIER),
    "postcode": (Column.texts_of([f"{10115 + i % 30}" for i in range(ROWS)]), Role.KEY),
    "industry": (Column.texts_of([f"C{10 + i % 20}.1" for i in range(ROWS)]), Role.KEY),
    "diagnosis": (Column.texts_of([f"{'IJKLM'[i % 5]}{10 + i % 7}" for i in range(ROWS)]), Role.SENSITIVE),
    "words": (Column.texts_of(["red", "green"] * (ROWS // 2)), Role.KEY),
    "yes and no": (
        Column(
            Kind.BOOLEAN,
            np.array([0, 1] * (ROWS // 2), np.uint8),
            categories=np.array(["false", "true"], object),
        ),
        Role.KEY,
    ),
    "dates": (Column(Kind.DATE, np.arange(ROWS, dtype=np.int32)), Role.KEY),
    "measured": (numbers(_RNG.normal(size=ROWS)), Role.NUMERIC),
    "whole amounts": (numbers(_RNG.integers(0, 10**6, ROWS) * 7), Role.NUMERIC),
    "few whole numbers": (numbers(np.arange(ROWS) % 6), Role.KEY),
    "constant": (texts(*["same"] * ROWS), Role.OTHER),
    "all missing": (texts(*[None] * ROWS), Role.OTHER),
    "empty strings": (texts(*[""] * ROWS), Role.OTHER),
}


@pytest.mark.parametrize("case", list(LOOKS))
def test_roles_by_looks_and_type(case):
    column, role = LOOKS[case]
    assert (
        propose(Microdata({"v1": column, "other": numbers(np.arange(ROWS) % 2)}), "f.csv").column("v1").role
        is role
    )


def test_a_name_does_not_beat_the_type():
    few = numbers(np.arange(ROWS) % 2)
    classes_of_income = propose(Microdata({"income": texts(*["low", "high"] * 100), "x": few}), "f.csv")
    assert classes_of_income.column("income").roles == (Role.SENSITIVE,)
    negative = propose(Microdata({"weight": numbers(np.arange(ROWS) - 5.5), "x": few}), "f.csv")
    assert negative.column("weight").roles == (Role.NUMERIC,)
    type_of_household = propose(Microdata({"household": few, "x": few}), "f.csv")
    assert type_of_household.column("household").roles == (Role.KEY,)


def test_roles_for_one_column_only_go_to_the_first():
    year, weight = numbers(np.arange(ROWS) % 5 + 2000), numbers(np.arange(ROWS) + 1.5)
    data = Microdata(
        {"year": year, "month": numbers(np.arange(ROWS) % 12), "weight": weight, "gewicht": weight}
    )
    found = {c.name: c.roles for c in propose(data, "f.csv").columns}
    assert found["year"] == (Role.PERIOD, Role.KEY)
    assert found["month"] == (Role.KEY,)
    assert (found["weight"], found["gewicht"]) == ((Role.WEIGHT,), (Role.NUMERIC,))


# -- plans for awkward files ------------------------------------------------------------------------------------------


def test_the_table_of_the_actuaries():
    """DAV (2025), table 1: nobody shares postcode, age and occupation with anybody."""
    data = Microdata(
        {
            "PLZ": texts(
                *(
                    ["13053", "13068", "13068", "13053", "14853", "14853"]
                    + ["14850"] * 2
                    + ["13053"] * 2
                    + ["13068"] * 2
                )
            ),
            "Alter": numbers([28, 29, 21, 23, 50, 55, 47, 49, 31, 37, 36, 35]),
            "Beruf": texts(*"KLALMKLLLMAL"),
            "Krankheit": texts(*"HHVVKHVVKKKK"),
        }
    )
    proposal = propose(data, "dav.csv")
    assert [c.role for c in proposal.columns] == [Role.KEY, Role.KEY, Role.KEY, Role.SENSITIVE]
    assert (proposal.risk.k, proposal.risk.uniques) == (1, 12)
    without = {d.name: round(d.unique_share_without * 12) for d in proposal.risk.drivers}
    assert without == {"Alter": 4, "PLZ": 12, "Beruf": 12}
    after = run(proposal.plan, data)
    assert len(after) == 12
    assert "Krankheit" in after.names


def test_a_file_with_only_numbers():
    rng = np.random.default_rng(2)
    data = Microdata({f"v{i}": numbers(rng.normal(size=50)) for i in range(4)})
    proposal = propose(data, "numbers.csv")
    assert all(c.roles == (Role.NUMERIC, Role.KEY) for c in proposal.columns)
    assert "an attacker is taken to know it" in proposal.columns[0].why.en
    assert [s["use"] for s in proposal.plan["steps"]] == ["microdata.mdav"]
    assert proposal.plan["release_if"] == [{"measure": "risk.k-anonymity", "at_least": 3}]
    run(proposal.plan, data)


def test_averages_are_made_within_the_keys():
    rng = np.random.default_rng(2)
    data = Microdata({"sex": texts(*"mf" * 30), "income": numbers(rng.normal(size=60))})
    plan = propose(data, "f.csv").plan
    assert plan["steps"][-1]["within"] == ["sex"]
    assert plan["steps"][-2]["below"] == 6, (
        "two averages in every class, so that none tells a sensitive number"
    )
    after = run(plan, data)
    assert classes([after.column(n).codes() for n in after.names]).sizes.min() >= 3


def test_sensitive_codes_become_coarser_until_few_stand_alone():
    rng = np.random.default_rng(3)
    codes = [f"{'IJKF'[rng.integers(4)]}{rng.integers(10, 90)}" for _ in range(200)]
    data = Microdata({"sex": texts(*"mf" * 100), "diagnosis": texts(*codes)})
    plan = propose(data, "f.csv").plan
    assert plan["steps"][0] == {"use": "microdata.generalise", "columns": {"diagnosis": 1}}
    few = Microdata(
        {
            "sex": texts(*"mf" * 100),
            "diagnosis": texts(*[c[0] + f"{10 + i % 3}" for i, c in enumerate(codes)]),
        }
    )
    assert "diagnosis" not in str(propose(few, "f.csv").plan["steps"])


@pytest.mark.parametrize(
    "columns",
    [{"a": texts(*["x"] * 12)}, {"a": texts(*[None] * 12)}, {"name": texts(*"abcdefghijkl")}],
    ids=["constant", "empty", "identifier"],
)
def test_some_column_is_always_a_key(columns):
    proposal = propose(Microdata(columns), "f.csv")
    assert [Role.KEY in c.roles for c in proposal.columns] == [True]
    assert proposal.plan["data"]["roles"]["key"] == list(columns)


def test_roles_that_people_decided_on_stay():
    data = Microdata({"a": texts(*["x"] * 12), "v": numbers(np.arange(12) % 5)})
    proposal = propose(data, "f.csv", Wishes(roles={"v": (Role.NUMERIC,)}))
    assert proposal.column("v").roles == (Role.NUMERIC,)
    assert proposal.column("a").roles == (Role.KEY,)


def test_one_column():
    key = Microdata({"sex": texts(*"mfmfmfmfmf")})
    assert run(propose(key, "f.csv").plan, key).names == ("sex",)
    identifier = propose(Microdata({"name": texts(*"abcdefghij")}), "f.csv")
    assert "Nothing would be left" in identifier.remarks[-1].en
    with pytest.raises(NothingLeft):
        run(identifier.plan, Microdata({"name": texts(*"abcdefghij")}))


@pytest.mark.parametrize("size", [1, 2])
def test_nobody_hides_among_two(size):
    proposal = propose(bare(make_persons(size)), "f.csv")
    assert {step["use"] for step in proposal.plan["steps"]} == {"microdata.drop"}
    assert proposal.plan["release_if"][0]["at_least"] == 3
    assert "will be refused. More records" in proposal.remarks[-1].en
    assert proposal.column("postcode").role is Role.KEY


def test_no_records():
    with pytest.raises(EmptyData):
        propose(Microdata({"a": texts()}), "f.csv")


def test_infinite_numbers_are_left_out():
    turnover = np.arange(50.0)
    turnover[3] = np.inf
    data = Microdata(
        {"turnover": numbers(turnover), "profit": numbers(np.arange(50.0)), "age": numbers(turnover)}
    )
    proposal = propose(data, "f.csv")
    assert run(proposal.plan, data).names == ("profit",)
    assert any("infinite" in remark.en for remark in proposal.remarks)


def test_missing_keys_and_numbers():
    rng = np.random.default_rng(3)
    income = rng.lognormal(10, 1, 400)
    income[::9] = np.nan
    sex = [None if i % 7 == 0 else "mf"[i % 2] for i in range(400)]
    data = Microdata(
        {"sex": Column.texts_of(sex), "age": numbers(rng.integers(18, 90, 400)), "income": numbers(income)}
    )
    after = run(propose(data, "f.csv").plan, data)
    assert set(after.names) == {"sex", "age", "income"}


@pytest.mark.parametrize("file", ["Umsätze 2024.csv", "data/sub dir/a.b.parquet", "…", ".csv", "-x-.csv"])
def test_secrets_get_a_usable_name(file):
    assert _NAME.fullmatch(propose(bare(make_persons(30)), file).plan["seed"]["secret"])


def test_proposals_are_the_same_every_time():
    one, two = (propose(bare(make_persons(800)), "f.csv") for _ in range(2))
    assert one == two
    assert json.dumps(one.plan) == json.dumps(two.plan)


def test_no_value_in_any_text():
    n = 60
    data = Microdata(
        {
            "name": Column.texts_of([f"MARKER-{i}" for i in range(n)]),
            "Beruf": Column.texts_of([f"MARKER {i % 5}" for i in range(n)]),
            "plz": Column.texts_of([f"{98765 + i % 20}" for i in range(n)]),
            "Diagnose": Column.texts_of(["MARKER krank", "MARKER gesund"] * (n // 2)),
            "free": Column.texts_of([f"MARKER {'x' * i}" for i in range(n)]),
            "income": numbers(np.arange(n) * 3 + 987_654),
            "alter": numbers(np.arange(n) % 30 + 987_654),
            "ratio": numbers(np.linspace(987_654.25, 987_754.75, n)),
        }
    )
    proposal = propose(data, "f.csv")
    said = repr(proposal) + json.dumps(proposal.plan)
    for value in ("MARKER", "krank ", "98765", "987", "9876"):
        assert value not in said


def test_every_sentence_is_there_in_both_languages():
    for name in EXAMPLES:
        proposal = propose(bare(EXAMPLES[name](300)), "f.csv")
        for text in [*proposal.remarks, *(c.why for c in proposal.columns)]:
            assert text.en
            assert text.de
            assert text.en != text.de
            assert "{" not in text.en + text.de


# -- the walk -----------------------------------------------------------------------------------------------------


def records_below(data, levels, trees, k):
    coarse = [
        (trees[n].generalise(data.column(n), level, n) if n in trees else data.column(n)).codes()
        for n, level in levels.items()
        if level
    ]
    sizes = classes(coarse).sizes if coarse else np.array([len(data)])
    return int(sizes[sizes < k].sum())


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from(["a", "b", "c", None])), min_size=3, max_size=80),
    st.data(),
)
def test_the_walk_counts_what_the_methods_will_see(rows, drawn):
    data = Microdata({"age": numbers([r[0] for r in rows]), "sex": Column.texts_of([r[1] for r in rows])})
    tree = build_hierarchy(HierarchyDescription(bands=(5, 20)), "age", data.column("age"), Path())
    allowed = drawn.draw(st.integers(0, len(rows) // 3))
    keys = [make_key("age", data.column("age"), tree), make_key("sex", data.column("sex"), None)]
    found = coarsen(keys, 3, allowed)
    assert found.left == records_below(data, found.levels, {"age": tree}, 3) <= allowed
    for name, level in found.levels.items():
        if level < {"age": tree.depth, "sex": 1}[name]:
            finer = {**found.levels, name: level + 1}
            assert records_below(data, finer, {"age": tree}, 3) > allowed


COLUMNS = {
    "name": st.text(max_size=4) | st.none(),
    "plz": st.sampled_from(["01067", "10115", "10117", "20095", "99998"]) | st.none(),
    "age": st.integers(-3, 120),
    "sex": st.sampled_from(["m", "f", ""]) | st.none(),
    "income": st.floats(-1e6, 1e9) | st.none(),
    "weight": st.floats(0.1, 9),
    "jahr": st.sampled_from([2020, 2021]),
    "konzern": st.sampled_from(["k1", "k2", "k3"]),
    "diagnose": st.sampled_from(["I10", "J06", "F32"]),
    "v1": st.integers(-(2**60), 2**60),
    "v2": st.floats(allow_nan=False) | st.none(),
    "v3": st.text(alphabet="ab", max_size=2),
}


def as_column(values):
    if any(isinstance(v, float) for v in values):
        return numbers([np.nan if v is None else v for v in values])
    if all(isinstance(v, int) for v in values):
        return numbers(values)
    return Column.texts_of([None if v is None else str(v) for v in values])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_the_file_the_plan_runs(drawn):
    names = drawn.draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=6, unique=True))
    size = drawn.draw(st.integers(1, 40))
    rows = {n: drawn.draw(st.lists(COLUMNS[n], min_size=size, max_size=size)) for n in names}
    data = Microdata({n: as_column(values) for n, values in rows.items()})
    proposal = propose(data, "f.csv")
    hopeless = any("will be refused" in remark.en for remark in proposal.remarks)
    with pytest.raises((NothingLeft, AssertionError)) if hopeless else nullcontext():
        run(proposal.plan, data)
