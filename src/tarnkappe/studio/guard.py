"""The gate of the studio: who may come in, from where, with how much; and what browsers are told not to do."""

from __future__ import annotations

import hashlib
import hmac
import html
import secrets
from collections.abc import Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tarnkappe.language import Lang, Text
from tarnkappe.studio.settings import Settings

SESSION = "tarnkappe.session"
"""Where the secret of the session stands in the scope of a request."""
_SLACK = 2**20
"""Bytes that the form around a file may add to it."""
_POLICY = b"content-security-policy"
_LOCAL = ("localhost", "127.0.0.1", "[::1]")
_HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    # The pages are drawn by Vue, which compiles templates; everything comes from this server and nothing goes elsewhere.
    "content-security-policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-src 'self' blob:; "
        "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
    ),
}
_TITLE = Text("This studio asks for its token", "Dieses Studio fragt nach seinem Kennwort")
_ASK = Text(
    "It stands in the terminal in which the studio was started.",
    "Es steht im Terminal, in dem das Studio gestartet wurde.",
)
_WRONG = Text("That is not it.", "Das ist es nicht.")
_COME_IN = Text("Come in", "Eintreten")
_DOORSTEP = Text("To the studio", "Zum Studio")


class Guard:
    """Stands before every request, web sockets included."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._cookie = f"tarnkappe-session-{settings.port}"
        self._pass_cookie = f"tarnkappe-pass-{settings.port}"
        self._pass = _digest(settings.token) if settings.token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        asked = Asked(scope)
        refusal = self._refusal(asked)
        if refusal:
            await refuse(scope, send, *refusal)
        elif self._pass and asked.query.get("token") is not None:
            await self._exchange(asked, send)
        elif self._pass and not self._admitted(asked):
            await refuse(scope, send, 401, _door(asked, wrong=False), "text/html; charset=utf-8")
        elif asked.from_elsewhere and not self._shown(asked):
            await refuse(scope, send, 200, _doorstep(asked), "text/html; charset=utf-8")
        else:
            await self._admit(asked, receive, send)

    # -- who and from where ---------------------------------------------------------------------------------------

    def _refusal(self, asked: Asked) -> tuple[int, str] | None:
        if not self._known_host(asked.host):
            return 421, "unknown host"
        if asked.foreign:
            return 403, "cross-site requests are refused"
        if asked.length is not None and asked.length > self._settings.largest + _SLACK:
            return 413, "too large"
        return None

    def _known_host(self, host: str) -> bool:
        """Without a token, only under the names of this machine: a foreign name that leads here is a trick."""
        if self._pass and not self._settings.hosts:
            return True
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        return name in (*_LOCAL, self._settings.host, *self._settings.hosts)

    def _admitted(self, asked: Asked) -> bool:
        shown = asked.cookies.get(self._pass_cookie, "")
        bearer = asked.header("authorization").removeprefix("Bearer ")
        return _same(shown, self._pass or "") or (bool(bearer) and _same(_digest(bearer), self._pass or ""))

    async def _exchange(self, asked: Asked, send: Send) -> None:
        """A token in the address becomes a cookie, and leaves the address."""
        if not _same(_digest(asked.query["token"]), self._pass or ""):
            await refuse(asked.scope, send, 401, _door(asked, wrong=True), "text/html; charset=utf-8")
            return
        rest = urlencode([(name, value) for name, value in asked.query.items() if name != "token"])
        where = asked.path + (f"?{rest}" if rest else "")
        headers = [("location", where), ("set-cookie", _cookie(self._pass_cookie, self._pass or ""))]
        await _answer(send, 303, b"", [*headers, *_HEADERS.items()])

    # -- coming in ------------------------------------------------------------------------------------------------

    def _shown(self, asked: Asked) -> str:
        """The secret of a session that the browser shows; nothing where it has none."""
        shown = asked.cookies.get(self._cookie, "")
        known = len(shown) == 64 and all(sign in "0123456789abcdef" for sign in shown)
        return shown if known else ""

    async def _admit(self, asked: Asked, receive: Receive, send: Send) -> None:
        known = self._shown(asked)
        secret = known or secrets.token_hex(32)
        asked.scope[SESSION] = secret
        extra = dict(_HEADERS)
        if not asked.path.startswith("/_nicegui"):
            extra["cache-control"] = "no-store"
        if not known:
            extra["set-cookie"] = _cookie(self._cookie, secret)

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with(message.get("headers", ()), extra)
            await send(message)

        await self._app(asked.scope, _limited(receive, self._settings.largest + _SLACK), send_on)


class Asked:
    """What a request says of itself."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.path: str = scope.get("path", "/")
        self._headers: dict[str, str] = {
            name.decode("latin-1").lower(): v.decode("latin-1") for name, v in scope["headers"]
        }
        self.query = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True))

    def header(self, name: str) -> str:
        return self._headers.get(name, "")

    @property
    def host(self) -> str:
        return self.header("host")

    @property
    def length(self) -> int | None:
        given = self.header("content-length")
        return int(given) if given.isdigit() else None

    @property
    def cookies(self) -> dict[str, str]:
        try:
            return {name: morsel.value for name, morsel in SimpleCookie(self.header("cookie")).items()}
        except CookieError:
            return {}

    @property
    def lang(self) -> Lang:
        return "de" if self.header("accept-language").lower().startswith("de") else "en"

    @property
    def from_elsewhere(self) -> bool:
        """Caused by a page of another site, as browsers say."""
        return self.header("sec-fetch-site") in ("cross-site", "same-site")

    @property
    def foreign(self) -> bool:
        """Sent by a page of another site; links that lead here are allowed, in a window of their own and not in a frame."""
        arriving = self.scope["type"] == "http" and self.scope["method"] in ("GET", "HEAD")
        framed = self.header("sec-fetch-dest") not in ("", "document")
        if self.from_elsewhere and not (
            arriving and not framed and self.header("sec-fetch-mode") == "navigate"
        ):
            return True
        origin = self.header("origin")
        return bool(origin) and urlsplit(origin).netloc != self.host


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _same(first: str, second: str) -> bool:
    """Compare without telling by the time it takes how much agreed."""
    return hmac.compare_digest(first.encode(), second.encode())


def _cookie(name: str, value: str) -> str:
    return f"{name}={value}; Path=/; HttpOnly; SameSite=Lax"


def _with(headers: Iterable[tuple[bytes, bytes]], extra: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Headers with ours; a cookie is added, a policy of its own kept, anything else of the same name replaced."""
    headers = list(headers)
    own = {n for n, _ in headers} & {_POLICY}
    kept = [
        (n, v)
        for n, v in headers
        if n.decode("latin-1").lower() not in extra or n in (b"set-cookie", _POLICY)
    ]
    ours = ((name.encode(), value.encode()) for name, value in extra.items())
    return [*kept, *((name, value) for name, value in ours if name not in own)]


def _limited(receive: Receive, most: int) -> Receive:
    """Count what really comes: a length that was announced need not be true."""
    got = 0

    async def counted() -> Message:
        nonlocal got
        message = await receive()
        if message["type"] == "http.request":
            got += len(message.get("body", b""))
            if got > most:
                return {"type": "http.disconnect"}
        return message

    return counted


async def refuse(scope: Scope, send: Send, status: int, says: str, kind: str = "text/plain") -> None:
    """Answer that this is not for them."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    await _answer(send, status, says.encode(), [("content-type", kind), *_HEADERS.items()])


async def _answer(send: Send, status: int, body: bytes, headers: Iterable[tuple[str, str]]) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def _doorstep(asked: Asked) -> str:
    """A page that goes on to the address asked for: only from here, not from a page of another site, a session is begun."""
    query = asked.scope.get("query_string", b"").decode("latin-1")
    # one slash in front, whatever was asked: two would lead to another host
    where = html.escape(quote("/" + asked.path.lstrip("/\\")) + (f"?{query}" if query else ""))
    return (
        f'<!doctype html><html lang="{asked.lang}"><meta charset="utf-8"><title>Tarnkappe</title>'
        f'<meta http-equiv="refresh" content="0; url={where}">'
        f'<p><a href="{where}">{_DOORSTEP.in_(asked.lang)}</a></p></html>'
    )


def _door(asked: Asked, *, wrong: bool) -> str:
    """The page that asks for the token."""
    lang = asked.lang
    said = f"<p><strong>{_WRONG.in_(lang)}</strong></p>" if wrong else ""
    return (
        f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><title>Tarnkappe</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<style>body{font:1rem/1.6 system-ui,sans-serif;max-width:26rem;margin:20vh auto;padding:0 1.5rem;"
        "color-scheme:light dark}input,button{font:inherit;padding:.5rem .8rem}input{width:100%;margin-bottom:.8rem;"
        "box-sizing:border-box}</style>"
        f"<h1>{html.escape(_TITLE.in_(lang))}</h1>{said}<p>{html.escape(_ASK.in_(lang))}</p>"
        f'<form action="/"><label for="token">Token</label><input id="token" name="token" type="password" '
        f'autocomplete="off" autofocus><button>{_COME_IN.in_(lang)}</button></form></html>'
    )
