"""The gate of the studio: who comes in, who does not."""

from __future__ import annotations

import httpx
import pytest

from tarnkappe.studio.guard import SESSION, Guard
from tarnkappe.studio.settings import Settings

pytestmark = pytest.mark.anyio
TOKEN = "a-token-that-nobody-guesses"


async def echo(scope, receive, send):
    """An application that tells the secret of the session and how much came in."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            size = -1
            break
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": f"{scope[SESSION]} {size}".encode()})


def client(**settings):
    guarded = Guard(echo, Settings(**settings))
    return httpx.AsyncClient(transport=httpx.ASGITransport(guarded), base_url="http://127.0.0.1:8765")


async def test_a_browser_keeps_its_session_and_another_gets_another():
    async with client() as one, client() as two:
        first = (await one.get("/")).text
        assert (await one.get("/")).text == first
        assert (await two.get("/")).text != first


async def test_a_made_up_session_is_not_taken():
    async with client() as one:
        answer = await one.get("/", headers={"cookie": "tarnkappe-session-8765=../../etc"})
        assert answer.text.split()[0] not in ("../../etc", "")
        assert "set-cookie" in answer.headers


async def test_cookies_are_not_for_scripts_and_not_for_other_sites():
    async with client() as one:
        cookie = (await one.get("/")).headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie


async def test_browsers_are_told_what_not_to_do():
    async with client() as one:
        told = (await one.get("/")).headers
        assert told["x-content-type-options"] == "nosniff"
        assert told["cache-control"] == "no-store"
        assert "default-src 'self'" in told["content-security-policy"]
        assert told["cross-origin-resource-policy"] == "same-origin"
        assert told["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("verb", "headers", "status"),
    [
        ("POST", {"origin": "http://evil.example"}, 403),
        ("POST", {"origin": "http://127.0.0.1:9999"}, 403),
        ("POST", {"origin": "null"}, 403),
        ("POST", {"origin": "http://127.0.0.1:8765"}, 200),
        ("POST", {"sec-fetch-site": "cross-site"}, 403),
        ("POST", {"sec-fetch-site": "same-origin"}, 200),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, 403),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, 200),
        ("GET", {"host": "evil.example"}, 421),
        ("GET", {"host": "evil.example:8765"}, 421),
        ("GET", {"host": "localhost:8765"}, 200),
        ("GET", {"host": "[::1]:8765"}, 200),
    ],
)
async def test_other_sites_and_other_names_are_refused(verb, headers, status):
    async with client() as one:
        assert (await one.request(verb, "/", headers=headers)).status_code == status


ELSEWHERE = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


async def test_a_page_of_another_site_begins_no_session():
    async with client() as one:
        for _ in range(3):
            step = await one.get("/open?x=1&y=%22", headers=ELSEWHERE)
            assert step.status_code == 200
            assert "set-cookie" not in step.headers
            assert 'content="0; url=/open?x=1&amp;y=%22"' in step.text, (
                "the studio leads in from its own page"
            )
        let_in = await one.get("/open", headers={"sec-fetch-site": "same-origin"})
        assert "set-cookie" in let_in.headers
        assert (await one.get("/open", headers=ELSEWHERE)).text == let_in.text, "a link into an open session"


@pytest.mark.parametrize("dest", ["iframe", "embed", "object", "image"])
async def test_a_page_of_another_site_shows_the_studio_in_no_frame(dest):
    async with client() as one:
        assert (await one.get("/", headers={**ELSEWHERE, "sec-fetch-dest": dest})).status_code == 403


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "/\\/evil.example"])
async def test_the_doorstep_leads_nowhere_else(path):
    sent = []

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:8765"), *((k.encode(), v.encode()) for k, v in ELSEWHERE.items())]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    await Guard(echo, Settings())(scope, None, send)
    assert b"url=/evil.example" in sent[1]["body"]


async def test_a_web_socket_of_another_site_is_closed():
    sent = []

    async def send(message):
        sent.append(message)

    scope = {
        "type": "websocket", "path": "/", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8765"), (b"origin", b"http://evil.example")],
    }  # fmt: skip
    await Guard(echo, Settings())(scope, None, send)
    assert sent == [{"type": "websocket.close", "code": 1008}]


async def test_without_the_token_nobody_comes_in():
    async with client(token=TOKEN, host="0.0.0.0") as one:
        refused = await one.get("/open")
        assert refused.status_code == 401
        assert TOKEN not in refused.text
        assert "set-cookie" not in refused.headers
        assert (await one.get("/", params={"token": "wrong"})).status_code == 401
        assert (await one.get("/", headers={"authorization": "Bearer wrong"})).status_code == 401
        assert (await one.get("/", headers={"cookie": f"tarnkappe-pass-8765={TOKEN}"})).status_code == 401


async def test_the_token_leaves_the_address_and_becomes_a_cookie():
    async with client(token=TOKEN, host="0.0.0.0") as one:
        let_in = await one.get("/open", params={"token": TOKEN, "x": "1"})
        assert let_in.status_code == 303
        assert let_in.headers["location"] == "/open?x=1"
        assert TOKEN not in let_in.headers["set-cookie"]
        assert (await one.get("/open")).status_code == 200


async def test_programs_show_the_token_in_a_header():
    async with client(token=TOKEN, host="0.0.0.0") as one:
        assert (await one.get("/", headers={"authorization": f"Bearer {TOKEN}"})).status_code == 200


async def test_the_door_speaks_german_where_the_browser_does():
    async with client(token=TOKEN) as one:
        assert "Kennwort" in (await one.get("/", headers={"accept-language": "de-DE,de;q=0.9"})).text


async def test_what_is_announced_as_too_large_is_refused_at_once():
    async with client(largest=10) as one:
        assert (await one.post("/", content=b"x" * (2**20 + 11))).status_code == 413


async def test_what_is_larger_than_announced_is_cut_off():
    async def endless():
        for _ in range(40):
            yield b"x" * 2**16

    async with client(largest=10) as one:
        assert (await one.post("/", content=endless())).text.split()[1] == "-1"


async def test_only_the_names_that_were_given_are_accepted_from_outside():
    async with client(host="0.0.0.0", token=TOKEN, hosts=("office.example",)) as one:
        shown = {"authorization": f"Bearer {TOKEN}"}
        assert (await one.get("/", headers={"host": "office.example:8765", **shown})).status_code == 200
        assert (await one.get("/", headers={"host": "other.example:8765", **shown})).status_code == 421
