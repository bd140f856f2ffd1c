"""The interface for programs: the way of a plan through it, what it refuses, and everything its document promises."""

from __future__ import annotations

import asyncio
import io
import zipfile

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tarnkappe.spec import catalogue

PLAN = """
tarnkappe: 1
title: Through the interface
data: {file: people.csv, roles: {key: [sex, region], numeric: [income]}}
seed: {secret: api}
steps:
- {use: microdata.mdav, columns: [income], k: 3}
release: {formats: [csv]}
release_if:
- {measure: risk.k-anonymity, at_least: BOUND}
accept:
- {what: risk.further-keys, reason: Made-up people of whom nothing can become known.}
"""
ROWS = "sex;region;income\n" + "".join(f"{'mf'[i % 2]};{'AB'[i // 20]};{1000 + i},5\n" for i in range(40))


@pytest.fixture
async def client(visitor):
    return visitor.user.http_client


async def put(client):
    assert (await client.put("/api/files/people.csv", content=ROWS.encode())).status_code == 201


async def ended(client, id):
    for _ in range(3000):
        run = (await client.get(f"/api/runs/{id}")).json()
        if run["state"] not in ("waiting", "running"):
            return run
        await asyncio.sleep(0.02)
    raise AssertionError(run)


@pytest.mark.anyio
async def test_the_catalogue_is_told_whole_and_one_by_one(client):
    cards = (await client.get("/api/catalogue")).json()
    assert [card["id"] for card in cards] == [cls.id for cls in catalogue]
    mdav = (await client.get("/api/catalogue/microdata.mdav")).json()
    assert next(p for p in mdav["parameters"] if p["name"] == "k")["schema"]["minimum"] == 3
    unknown = await client.get("/api/catalogue/microdata.mdva")
    assert unknown.status_code == 404
    assert unknown.json()["code"] == "plan.unknown"
    assert "microdata.mdav" in unknown.json()["what"]["de"] + unknown.json()["remedy"]["de"]


@pytest.mark.anyio
async def test_a_plan_is_checked_run_and_fetched(client):
    await put(client)
    good = PLAN.replace("BOUND", "5")
    assert (await client.post("/api/check", json={"plan": good})).json()["sound"]
    bad = (await client.post("/api/check", json={"plan": good.replace("k: 3", "k: 0")})).json()
    assert not bad["sound"]
    assert bad["wrong"]["code"] == "plan.wrong"
    begun = await client.post("/api/runs", json={"plan": good, "name": "mine"})
    assert begun.status_code == 202
    run = await ended(client, begun.json()["id"])
    assert run["released"], run
    found = (await client.get(f"/api/runs/{run['id']}/findings")).json()
    assert next(m for m in found["measures"] if m["measure"] == "risk.k-anonymity")["after"] == 10
    assert all(gate["held"] for gate in found["gates"])
    assert (found["verdict"], [one["what"] for one in found["standing"]]) == ("signed", ["risk.further-keys"])
    outside = zipfile.ZipFile(io.BytesIO((await client.get(f"/api/runs/{run['id']}/release")).content))
    assert "mine/data.csv" in outside.namelist()
    assert not any("/internal/" in name for name in outside.namelist())
    inside = await client.get(f"/api/runs/{run['id']}/release", params={"part": "internal"})
    assert all(n.startswith("mine/internal/") for n in zipfile.ZipFile(io.BytesIO(inside.content)).namelist())


@pytest.mark.anyio
async def test_a_refused_run_gives_findings_and_no_release(client):
    await put(client)
    begun = await client.post("/api/runs", json={"plan": PLAN.replace("BOUND", "999")})
    run = await ended(client, begun.json()["id"])
    assert run["state"] == "done"
    assert not run["released"]
    found = (await client.get(f"/api/runs/{run['id']}/findings")).json()
    assert [gate["held"] for gate in found["gates"]].count(False) == 1
    refused = await client.get(f"/api/runs/{run['id']}/release")
    assert refused.status_code == 409
    assert refused.json()["code"] == "studio.not-released"


@pytest.mark.anyio
async def test_a_plan_that_is_wrong_is_not_even_begun(client):
    refused = await client.post("/api/runs", json={"plan": PLAN.replace("BOUND", "5")})
    assert refused.status_code == 400
    assert "data.file" in refused.json()["what"]["de"]


@pytest.mark.anyio
async def test_names_that_climb_out_are_refused(client):
    for name in ("..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", ".bashrc"):
        assert (await client.put(f"/api/files/{name}", content=b"x")).status_code in (400, 404)
    plan = PLAN.replace("BOUND", "5").replace("people.csv", "../../people.csv")
    assert (await client.post("/api/runs", json={"plan": plan})).status_code == 400


@pytest.mark.anyio
async def test_nobody_sees_the_files_and_runs_of_another(visit):
    async with visit() as first, visit() as second:
        one, two = first.user.http_client, second.user.http_client
        await put(one)
        begun = (await one.post("/api/runs", json={"plan": PLAN.replace("BOUND", "5")})).json()
        await ended(one, begun["id"])
        assert (await two.get("/api/files")).json() == []
        assert (await two.get("/api/runs")).json() == []
        for path in ("", "/findings", "/release"):
            assert (await two.get(f"/api/runs/{begun['id']}{path}")).status_code == 404
        assert (await two.delete(f"/api/runs/{begun['id']}")).status_code == 404
        assert (await two.delete("/api/files/people.csv")).status_code == 404
        assert (await two.post("/api/runs", json={"plan": PLAN.replace("BOUND", "5")})).status_code == 400
        assert (await one.delete("/api/files/people.csv")).status_code == 204


@pytest.mark.anyio
async def test_people_can_read_what_programs_can_do(client):
    page = await client.get("/api/docs")
    assert page.status_code == 200
    assert "/runs/{id}/findings" in page.text
    assert "<script" not in page.text


# -- everything that the document promises ------------------------------------------------------------------------


SESSION = {"cookie": f"tarnkappe-session-8765={'ab' * 32}", "host": "127.0.0.1:8765"}


def test_it_does_what_its_document_promises(studio):
    """What fits the document can still be wrong, as a plan that names a file that is not there: that is refused in words."""
    _, app = studio
    promised = schemathesis.openapi.from_asgi("/api/openapi.json", app, headers=SESSION)
    tried = 0
    for operation in promised.get_all_operations():

        @given(case=operation.ok().as_strategy())
        @settings(max_examples=12, suppress_health_check=list(HealthCheck), database=None)
        def kept(case):
            case.call_and_validate(headers=SESSION, timeout=300, excluded_checks=[positive_data_acceptance])

        kept()
        tried += 1
    assert tried >= 11
