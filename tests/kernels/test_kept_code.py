"""Compiled code is kept where nobody else can put any."""

from __future__ import annotations

import stat

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
