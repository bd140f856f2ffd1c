"""Compiled code is kept where nobody else can put any."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from tarnkappe import kernels


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A user's folder for caches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def mode(folder):
    return stat.S_IMODE(folder.stat().st_mode)


def test_code_is_kept_in_a_folder_of_the_user_alone(cache):
    folder = kernels._folder()
    assert folder.parent.parent == cache
    assert (mode(folder), mode(folder.parent)) == (0o700, 0o700)
    assert kernels._folder() == folder


@pytest.mark.parametrize("others", [0o777, 0o770, 0o720, 0o702])
def test_a_folder_into_which_others_may_write_is_not_used(cache, others):
    folder = kernels._folder()
    folder.chmod(others)
    used = kernels._folder()
    assert not used.is_relative_to(cache)
    assert mode(used) == 0o700


def test_a_folder_above_that_is_open_is_closed(cache):
    (cache / "tarnkappe").mkdir()
    (cache / "tarnkappe").chmod(0o777)
    assert kernels._folder().is_relative_to(cache)
    assert mode(cache / "tarnkappe") == 0o700


def test_a_link_in_place_of_the_folder_is_not_followed(cache, tmp_path_factory):
    folder = kernels._folder()
    folder.rmdir()
    folder.symlink_to(tmp_path_factory.mktemp("elsewhere"))
    assert not kernels._folder().is_relative_to(cache)


def test_a_folder_of_somebody_else_is_not_used(cache, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: cache.stat().st_uid + 1)
    assert not kernels._folder().is_relative_to(cache)


def test_folders_of_older_versions_go_except_the_newest_and_those_in_use(cache):
    home = cache / "tarnkappe"
    home.mkdir(mode=0o700)
    for age in range(1, 8):
        folder = home / f"kernels-{age}"
        folder.mkdir(mode=0o700)
        (folder / "code.nbi").write_text("old")
        os.utime(folder, (1e9 - age, 1e9 - age))
    user = subprocess.Popen(
        [sys.executable, "-c", "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], 0), fcntl.LOCK_SH); print(flush=True); input()",
         str(home / "kernels-6")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        user.stdout.readline()
        made = kernels._folder()
    finally:
        user.communicate(b"\n")
    assert {one.name for one in home.iterdir()} == {made.name, "kernels-1", "kernels-2", "kernels-6"}


def test_a_link_among_old_folders_is_not_followed(cache, tmp_path):
    (tmp_path / "precious").write_text("kept")
    home = cache / "tarnkappe"
    home.mkdir(mode=0o700)
    for number in range(5):
        (home / f"kernels-{number}").symlink_to(tmp_path)
    kernels._folder()
    assert (tmp_path / "precious").read_text() == "kept"


def test_a_changed_source_in_a_room_below_is_other_code(tmp_path, monkeypatch):
    (tmp_path / "noise").mkdir()
    (tmp_path / "noise" / "added.py").write_text("a = 1")
    monkeypatch.setattr(kernels, "__file__", str(tmp_path / "__init__.py"))
    first = kernels._hash()
    (tmp_path / "noise" / "added.py").write_text("a = 2")
    changed = kernels._hash()
    (tmp_path / "noise").rename(tmp_path / "moved")
    assert len({first, changed, kernels._hash()}) == 3
