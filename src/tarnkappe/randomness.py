"""Secret seeds and repeatable streams.

Whoever has the seed can subtract the noise, undo the shuffling and rebuild the pseudonyms. So the seed is a secret
of at least 128 bits that a plan names but never holds, and every step draws from a stream of its own, derived from
the secret, the id of the method, how often that method came before, and what it draws for: the data that was read and the
parameters of the step. Inserting a step leaves the draws of the others alone, but two releases never share their draws
unless they are the same: else two noise levels, or two editions, would give the originals back.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import os
import re
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tarnkappe.errors.release import SecretName, SecretNotKept, SecretOpen, SecretUnreadable, SecretWeak
from tarnkappe.secret_strength import NEEDED, secret_strength

FOLDER = Path(".tarnkappe") / "secrets"
_LARGEST = 2**16
"""Bytes of a secret."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret by name. It never shows itself."""

    name: str
    _bytes: bytes = field(repr=False)
    kept: bool = True
    """False when it was drawn for one run and forgotten."""

    def derive(self, *parts: str) -> bytes:
        """32 bytes that depend on the secret and on every part."""
        return hmac.digest(self._bytes, "\0".join(parts).encode(), hashlib.sha256)

    @property
    def fingerprint(self) -> str:
        """Tells two secrets apart without telling anything of either."""
        return self.derive("tarnkappe fingerprint").hex()[:16]


@dataclass(frozen=True, slots=True)
class Stream:
    """The randomness of one step: a generator for draws and keys for keyed hashing."""

    generator: np.random.Generator
    _secret: Secret = field(repr=False)
    _step: tuple[str, ...] = field(repr=False)

    @property
    def kept(self) -> bool:
        """Whether the next run can draw the same; not where the secret was drawn for one run and forgotten."""
        return self._secret.kept

    def key(self, purpose: str) -> bytes:
        """A key for this step, what it draws for, and this purpose."""
        return self._secret.derive("key", purpose, *self._step)

    def lasting_key(self, purpose: str) -> bytes:
        """A key that depends on the secret and the purpose only: the same in every run with this secret."""
        return self._secret.derive("lasting key", purpose)


def stream(
    secret: Secret | str | None = None, method_id: str = "", nth: int = 0, *, drawn_for: str = ""
) -> Stream:
    """The stream of the `nth` use (from 0) of a method, for one input and one choice of parameters.

    A string is taken as the secret itself, for use in notebooks, and must be as strong as every secret; a number is no
    secret. Plans look theirs up by name. Without one, a secret is drawn and forgotten.
    """
    if secret is None:
        secret = fresh()
    elif not isinstance(secret, Secret):
        name = "given in Python"
        secret = Secret(name, _strong(name, _signs(secret)))
    return _stream(secret, method_id, str(nth), *filter(None, (drawn_for,)))


def _signs(given: object) -> bytes:
    """The signs of a text; what is none, as a seed like 42, has nothing to draw from."""
    return given.encode("utf-8", "surrogateescape") if isinstance(given, str) else b""


def public_stream(words: str, method_id: str = "", nth: int = 0) -> Stream:
    """A stream that anybody can repeat, for simulations and tests: what it protects is not protected."""
    return _stream(Secret("no secret", words.encode("utf-8", "surrogateescape")), method_id, str(nth))


def _stream(secret: Secret, *step: str) -> Stream:
    seed = int.from_bytes(secret.derive("stream", *step), "big")
    return Stream(np.random.Generator(np.random.PCG64DXSM(seed)), secret, step)


def fresh() -> Secret:
    """A secret for one run, forgotten afterwards."""
    return Secret("drawn for this run", secrets.token_bytes(32), kept=False)


def is_name(name: str) -> bool:
    """Can a secret be called so? The name becomes that of a file and of an environment variable."""
    return _NAME.fullmatch(name) is not None


def look_up(name: str, folder: Path) -> Secret:
    """Find a secret in the environment, then in `folder`/.tarnkappe/secrets; draw and keep it on first use."""
    return found(name, folder) or _drawn(name, folder / FOLDER / name, _variable(name))


def _variable(name: str) -> str:
    return "TARNKAPPE_SECRET_" + re.sub(r"[^A-Z0-9]", "_", name.upper())


def found(name: str, folder: Path) -> Secret | None:
    """A secret that is there already and can be used; None where it will be drawn on first use."""
    if not is_name(name):
        raise SecretName
    variable = _variable(name)
    if variable in os.environ:
        return Secret(name, _strong(name, os.fsencode(os.environ[variable]).strip()))
    file = folder / FOLDER / name
    try:
        return Secret(name, _strong(name, _read_private(name, file)))
    except FileNotFoundError:
        return None
    except OSError as problem:
        why = os.strerror(problem.errno or 0)
        raise SecretUnreadable(name=name, file=str(FOLDER / name), why=why) from None


def _strong(name: str, given: bytes) -> bytes:
    """Refuse what can be guessed."""
    if secret_strength(given) < NEEDED:
        raise SecretWeak(name=name)
    return given


def _read_private(name: str, file: Path) -> bytes:
    """What stands in a file that only its owner may read; a pipe would let us wait for ever, a device never end."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as open_file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        if os.name == "posix" and stat.S_IMODE(found.st_mode) & 0o077:
            raise SecretOpen(name=name, file=str(FOLDER / name))
        content = open_file.read(_LARGEST + 1).strip()
    if len(content) > _LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return content


def _drawn(name: str, file: Path, variable: str) -> Secret:
    try:
        return Secret(name, _draw(file))
    except OSError as problem:
        why = os.strerror(problem.errno or 0)
        raise SecretNotKept(name=name, variable=variable, why=why) from None


def _draw(file: Path) -> bytes:
    """Draw a secret and keep it; when two processes draw at once, the first one wins for both."""
    drawn = secrets.token_hex(32).encode()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    keep_out = file.parent.parent / ".gitignore"
    if not keep_out.exists():
        keep_out.write_text("*\n")
    partial = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as open_file:
            open_file.write(drawn + b"\n")
            open_file.flush()
            os.fsync(descriptor)
        os.link(partial, file)
    except FileExistsError:
        return _read_private(file.name, file)
    finally:
        partial.unlink()
    return drawn
