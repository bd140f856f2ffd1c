"""Secrets and streams: found where they should be, kept to themselves, and repeatable."""

from __future__ import annotations

import base64
import os
import pickle
import random
import re
import stat
import subprocess
import sys
import textwrap
import traceback

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarnkappe.errors import TarnkappeError
from tarnkappe.errors.release import SecretName, SecretNotKept, SecretOpen, SecretUnreadable, SecretWeak
from tarnkappe.randomness import FOLDER, Secret, fresh, is_name, look_up, public_stream, stream
from tarnkappe.secret_strength import NEEDED, secret_strength

HEX = "9f3c07d1e58a4b26c7d0f9613a85e24b"
VARIABLE = "TARNKAPPE_SECRET_SURVEY_2026"


@pytest.fixture(autouse=True)
def no_secret(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


def kept(folder, name="survey-2026"):
    return folder / FOLDER / name


def keep(folder, content, mode=0o600, name="survey-2026"):
    kept(folder, name).parent.mkdir(parents=True, exist_ok=True)
    kept(folder, name).write_bytes(content)
    kept(folder, name).chmod(mode)


# -- where --------------------------------------------------------------------------------------------------------------


def test_the_environment_goes_before_the_file(tmp_path, monkeypatch):
    keep(tmp_path, b"f" * 10 + HEX.encode())
    from_file = look_up("survey-2026", tmp_path)
    monkeypatch.setenv(VARIABLE, HEX)
    from_environment = look_up("survey-2026", tmp_path)
    assert from_file.fingerprint != from_environment.fingerprint
    monkeypatch.setenv(VARIABLE, f"  {HEX}\n")
    assert look_up("survey-2026", tmp_path) == from_environment, "blanks around it do not count"


def test_with_the_environment_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, HEX)
    look_up("survey-2026", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_drawn_once_and_kept_for_the_owner_alone(tmp_path):
    one, two = look_up("survey-2026", tmp_path), look_up("survey-2026", tmp_path)
    assert one == two
    assert one.kept
    file = kept(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert re.fullmatch(rb"[0-9a-f]{64}\n", file.read_bytes()), "256 bits"
    assert [p.name for p in file.parent.iterdir()] == ["survey-2026"], "no half-written file beside it"
    assert (tmp_path / ".tarnkappe" / ".gitignore").read_text() == "*\n", "kept out of version control"


def test_two_names_two_secrets(tmp_path):
    assert look_up("a", tmp_path).fingerprint != look_up("b", tmp_path).fingerprint
    (tmp_path / "other").mkdir()
    assert look_up("a", tmp_path).fingerprint != look_up("a", tmp_path / "other").fingerprint


def test_the_name_of_the_variable(tmp_path, monkeypatch):
    for name, variable in {"a": "A", "x.y-z_1": "X_Y_Z_1", "Survey": "SURVEY"}.items():
        monkeypatch.setenv(f"TARNKAPPE_SECRET_{variable}", HEX)
        look_up(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_parallel_draws_agree(tmp_path):
    program = textwrap.dedent("""
        import sys, time
        from pathlib import Path
        from tarnkappe.randomness import look_up
        while time.time() < float(sys.argv[2]):
            pass
        print(look_up("survey-2026", Path(sys.argv[1])).fingerprint)
    """)
    import time

    start = str(time.time() + 1.5)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path), start], stdout=subprocess.PIPE, text=True
        )
        for _ in range(8)
    ]
    assert len({r.communicate()[0] for r in runs}) == 1
    assert [p.name for p in kept(tmp_path).parent.iterdir()] == ["survey-2026"]


# -- refusals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["", "../x", "a/b", "/etc/passwd", ".x", "-x", "_x", "a b", "a\n", "a\0", "ä", "x" * 101, "a\\b", "a=b"],
)
def test_names_that_are_none(tmp_path, name):
    assert not is_name(name)
    with pytest.raises(SecretName) as caught:
        look_up(name, tmp_path)
    assert len(name) < 3 or name not in str(caught.value), "somebody may have written the secret itself"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a", "9", "survey-2026", "a.b_c-d", "x" * 100, "a..b"])
def test_names_that_are(name):
    assert is_name(name)


WEAK = [
    "",
    "x",
    "password",
    "a" * 64,
    "abcabcabcabcabcabcabcabcabcabcabc",
    HEX[:31],
    "12345678" * 4,
    "1" * 39,
    "short but mixed 123!",
    "0123456789abcdef" * 4,
    "1234567890" * 4,
    "abcdefghijklmnopqrstuvwxyz012345",
    "qwertzuiopasdfghjklyxcvbnm-1234567890",
    "QwErTyUiOpAsDfGhJkLzXcVbNm123456",
    "aaaaaaaabbbbbbbbccccccccdddddddd",
    "deadbeef" * 8,
    "correct horse battery staple",
    "Das Geheimnis des Statistischen Amtes",
    "Password2024Password2024Password2024",
    "ab" + HEX[:20] * 3,
]


@pytest.mark.parametrize("weak", WEAK)
def test_weak_secrets_are_refused_wherever_they_stand(tmp_path, monkeypatch, weak):
    keep(tmp_path, weak.encode())
    with pytest.raises(SecretWeak):
        look_up("survey-2026", tmp_path)
    monkeypatch.setenv(VARIABLE, weak)
    with pytest.raises(SecretWeak):
        look_up("survey-2026", tmp_path)


@pytest.mark.parametrize(
    "strong",
    [
        HEX,
        HEX.upper(),
        "zB7/k+9Q4vX0mTg2LwYc6R",
        "831209756460182937550412968371460925384",
        "geode plunk vexing tariff mosaic brisket unwound haiku stapler dodgy cactus fjord",
    ],
)
def test_strong_ones_are_taken(tmp_path, monkeypatch, strong):
    monkeypatch.setenv(VARIABLE, strong)
    look_up("survey-2026", tmp_path)


@pytest.mark.parametrize(
    "draw",
    [
        lambda bits: f"{bits:064x}",
        lambda bits: base64.urlsafe_b64encode(bits.to_bytes(32)).decode().rstrip("="),
        lambda bits: f"{bits % 2**128:032x}",
        lambda bits: f"{bits % 10**39:039d}",
    ],
)
def test_what_is_drawn_at_random_is_strong(draw):
    bits = random.Random(7)
    assert min(secret_strength(draw(bits.getrandbits(256)).encode()) for _ in range(200)) >= NEEDED


def test_strength_is_told_quickly_whatever_is_given():
    for long in (b"a" * 10**6, bytes(range(256)) * 4000, "=İß ".encode() * 10**5):
        assert secret_strength(long) >= 0


def test_a_secret_given_in_python_is_held_to_the_same():
    for weak in WEAK:
        with pytest.raises(SecretWeak) as refused:
            stream(weak)
        assert "token_hex" in refused.value.text("en"), "how to draw one"
    assert stream(HEX).key("a") == stream(HEX).key("a")


@pytest.mark.parametrize("seed", [0, 42, 2**200, b"", b"x" * 40, 1.5, False])
def test_a_seed_that_is_no_text_is_no_secret(seed):
    with pytest.raises(SecretWeak):
        stream(seed)


def test_without_a_secret_one_is_drawn_and_forgotten():
    assert stream().key("a") != stream().key("a")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o660, 0o604, 0o601, 0o610])
def test_a_file_that_others_may_read_is_refused(tmp_path, mode):
    keep(tmp_path, HEX.encode(), mode)
    with pytest.raises(SecretOpen, match="chmod 600"):
        look_up("survey-2026", tmp_path)


def test_a_file_that_cannot_be_read(tmp_path):
    kept(tmp_path).mkdir(parents=True)
    with pytest.raises(SecretUnreadable):
        look_up("survey-2026", tmp_path)


def test_a_pipe_in_place_of_a_secret_is_not_waited_for(tmp_path):
    kept(tmp_path).parent.mkdir(parents=True)
    os.mkfifo(kept(tmp_path), 0o600)
    with pytest.raises(SecretUnreadable):
        look_up("survey-2026", tmp_path)


def test_a_device_in_place_of_a_secret_is_not_read(tmp_path):
    kept(tmp_path).parent.mkdir(parents=True)
    kept(tmp_path).symlink_to("/dev/zero")
    with pytest.raises(SecretUnreadable):
        look_up("survey-2026", tmp_path)


def test_a_secret_that_never_ends_is_refused(tmp_path):
    keep(tmp_path, HEX.encode() * 4000)
    with pytest.raises(SecretUnreadable):
        look_up("survey-2026", tmp_path)


def test_a_secret_that_cannot_be_kept(tmp_path):
    (tmp_path / ".tarnkappe").write_text("a file where the folder should be")
    with pytest.raises((SecretNotKept, SecretUnreadable)):
        look_up("survey-2026", tmp_path)


def test_no_room_for_the_secret_leaves_no_half_of_it(tmp_path, monkeypatch):
    import errno

    def full(descriptor):
        raise OSError(errno.ENOSPC, "…")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SecretNotKept, match=VARIABLE):
        look_up("survey-2026", tmp_path)
    assert list(kept(tmp_path).parent.iterdir()) == []


def test_bytes_that_are_no_text(tmp_path, monkeypatch):
    monkeypatch.setitem(
        os.environb, VARIABLE.encode(), b"\xff\xfe" + bytes.fromhex("97c3b1e08fd29aa6f4bb85cddae8918cb7e9a2")
    )
    look_up("survey-2026", tmp_path)


# -- it never shows itself ----------------------------------------------------------------------------------------------


def shows(text, secret=HEX):
    return secret in text or secret.encode().hex() in text or repr(secret.encode()) in text


def test_a_secret_does_not_show_itself(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, HEX)
    secret = look_up("survey-2026", tmp_path)
    drawn = stream(secret, "a.method")
    for thing in (secret, drawn, [secret], {"a": drawn}, (secret,)):
        for said in (repr(thing), str(thing), f"{thing}"):
            assert not shows(said)
    assert secret.fingerprint not in HEX


def test_errors_do_not_show_it(tmp_path, monkeypatch):
    weak = "weak-but-not-to-be-told"[:20]
    monkeypatch.setenv(VARIABLE, weak)
    try:
        look_up("survey-2026", tmp_path)
    except TarnkappeError as refused:
        for lang in ("en", "de"):
            assert weak not in refused.text(lang)
        assert weak not in "".join(traceback.format_exception(refused))
        assert weak not in repr(refused.facts)
    else:
        pytest.fail("it was taken")


def test_the_fingerprint_tells_secrets_apart_and_is_short():
    prints = {Secret("x", bytes([i]) * 32).fingerprint for i in range(200)}
    assert len(prints) == 200
    assert all(re.fullmatch("[0-9a-f]{16}", p) for p in prints)
    assert Secret("x", b"1" * 32).fingerprint == Secret("y", b"1" * 32).fingerprint, (
        "of the secret, not of its name"
    )


def test_one_drawn_for_a_run_is_forgotten(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, two = fresh(), fresh()
    assert not one.kept
    assert one.fingerprint != two.fingerprint
    assert list(tmp_path.iterdir()) == []


# -- streams ------------------------------------------------------------------------------------------------------------


def draws(*given):
    return public_stream(*given).generator.random(4).tolist()


def test_the_same_step_draws_the_same():
    assert draws("secret", "a.b", 0) == draws("secret", "a.b", 0)


WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)


@given(st.sets(st.tuples(WORDS, WORDS, st.integers(0, 99)), min_size=2, max_size=6))
def test_another_secret_method_or_turn_draws_otherwise(steps):
    assert len({tuple(draws(*step)) for step in steps}) == len(steps)


def test_draws_are_those_they_were():
    """Changing these numbers changes every release: it needs a new revision of every random method."""
    assert public_stream("secret", "a.b", 0).generator.integers(0, 1000, 6).tolist() == [
        460,
        19,
        250,
        139,
        406,
        390,
    ]
    assert public_stream("secret", "a.b", 1).key("x").hex()[:16] == "a03d57042048116d"


def test_keys_depend_on_purpose_and_step_and_lasting_ones_on_purpose_alone():
    one, two = public_stream("secret", "a.b", 0), public_stream("secret", "a.b", 1)
    assert len({one.key("p"), one.key("q"), two.key("p"), one.lasting_key("p"), one.lasting_key("q")}) == 5
    assert one.lasting_key("p") == two.lasting_key("p") == public_stream("secret", "c.d", 7).lasting_key("p")
    assert len(one.key("p")) == 32


def test_keys_and_draws_do_not_depend_on_each_other():
    used, unused = public_stream("secret", "a.b"), public_stream("secret", "a.b")
    used.key("p")
    assert np.array_equal(used.generator.random(5), unused.generator.random(5))


def test_the_global_generator_is_left_alone():
    was = np.random.get_state()[1].copy()  # noqa: NPY002
    public_stream("secret", "a.b").generator.random(100)
    assert np.array_equal(np.random.get_state()[1], was)  # noqa: NPY002


def test_pickling_is_no_way_to_print_a_secret():
    """What a worker process gets is not what a log gets: the name is readable, the secret is not in repr."""
    again = pickle.loads(pickle.dumps(Secret("name", b"s" * 32)))
    assert again == Secret("name", b"s" * 32)
    assert "sss" not in repr(again)
