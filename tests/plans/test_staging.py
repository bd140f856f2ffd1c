"""A folder is there whole or not at all, and nothing is left beside it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from plans.workshop import everything_in
from tarnkappe.errors.release import FileExists, NoRoom, NotOurRelease, NotWritable, ReleaseExists
from tarnkappe.io import staging
from tarnkappe.io.staging import MARK, Staging, refuse_existing, write_new

CERTIFICATE = json.dumps({"tarnkappe": 1, "files": {}}).encode()


def make(out, content=b"new", replace=False, commit=True):
    with Staging(out, replace=replace) as folder:
        put(folder, "data.csv", content)
        put(folder, MARK, CERTIFICATE)
        put(folder, "internal/report.html", content)
        if commit:
            folder.commit()


def put(folder, name, content=b"new"):
    with folder.file(name) as file:
        file.write(content)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


# -- making -------------------------------------------------------------------------------------------------------------


def test_whole_and_alone(tmp_path):
    make(tmp_path / "out")
    assert everything_in(tmp_path) == [
        "out",
        f"out/{MARK}",
        "out/data.csv",
        "out/internal",
        "out/internal/report.html",
    ]
    assert (tmp_path / "out" / "data.csv").read_bytes() == b"new"


def test_nothing_is_to_be_seen_before_the_end(tmp_path):
    out = tmp_path / "out"
    with Staging(out) as folder:
        put(folder, "data.csv", b"SENTINEL")
        put(folder, MARK, CERTIFICATE)
        assert not out.exists()
        beside = [p for p in tmp_path.rglob("*") if p.is_file()]
        assert beside == [], "files have no names before all are complete"
        assert mode(next(tmp_path.iterdir())) == 0o700
        folder.commit()
    assert sorted(p.name for p in out.iterdir()) == [MARK, "data.csv"]


def test_modes(tmp_path):
    was = os.umask(0o022)
    try:
        make(tmp_path / "out")
    finally:
        os.umask(was)
    assert mode(tmp_path / "out") == 0o755
    assert mode(tmp_path / "out" / "data.csv") == 0o644
    assert mode(tmp_path / "out" / "internal") == 0o700
    assert mode(tmp_path / "out" / "internal" / "report.html") == 0o600


def test_a_stricter_mask_is_kept(tmp_path):
    was = os.umask(0o077)
    try:
        make(tmp_path / "out")
    finally:
        os.umask(was)
    assert mode(tmp_path / "out") == 0o700
    assert mode(tmp_path / "out" / "data.csv") == 0o600


def test_names_and_digests_of_what_was_written(tmp_path):
    import hashlib

    with Staging(tmp_path / "out") as folder:
        put(folder, "data.csv", b"abc")
        put(folder, "internal/x", b"")
        assert folder.names() == ("data.csv", "internal/x")
        assert folder.digest("data.csv") == hashlib.sha256(b"abc").hexdigest()
        assert folder.digest("internal/x") == hashlib.sha256(b"").hexdigest()


def test_without_nameless_files_it_works_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(staging, "_nameless", lambda folder, mode: None)
    make(tmp_path / "out")
    make(tmp_path / "out", b"newer", replace=True)
    assert (tmp_path / "out" / "data.csv").read_bytes() == b"newer"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    with pytest.raises(RuntimeError), Staging(tmp_path / "two") as folder:
        put(folder, "data.csv")
        raise RuntimeError
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["out", "out[1]", "o*t", "ä ö", "-out", "out.tarnkappe-1", "."])
def test_names_of_folders(tmp_path, name):
    out = tmp_path / "inner" / name if name != "." else tmp_path / "inner" / "." / "x"
    make(out)
    make(out, b"newer", replace=True)
    assert (out / "data.csv").read_bytes() == b"newer"
    assert len(list((tmp_path / "inner").iterdir())) == 1


# -- replacing ----------------------------------------------------------------------------------------------------------


def test_what_is_there_is_not_overwritten_unasked(tmp_path):
    make(tmp_path / "out", b"old")
    with pytest.raises(ReleaseExists):
        make(tmp_path / "out")
    assert (tmp_path / "out" / "data.csv").read_bytes() == b"old"


def test_an_older_release_is_replaced_whole(tmp_path):
    make(tmp_path / "out", b"old")
    (tmp_path / "out" / "left over").write_text("from before")
    make(tmp_path / "out", replace=True)
    assert (tmp_path / "out" / "data.csv").read_bytes() == b"new"
    assert not (tmp_path / "out" / "left over").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def _folder(path):
    path.mkdir()


def _folder_with_files(path):
    path.mkdir()
    (path / "thesis.tex").write_text("years of work")


def _foreign_certificate(path):
    path.mkdir()
    (path / MARK).write_text('{"type": "service_account", "files": {}}')


def _broken_certificate(path):
    path.mkdir()
    (path / MARK).write_bytes(b"\xff{")


def _file(path):
    path.write_text("a file")


@pytest.mark.parametrize(
    "there", [_folder, _folder_with_files, _foreign_certificate, _broken_certificate, _file]
)
def test_only_releases_are_ever_replaced(tmp_path, there):
    there(tmp_path / "out")
    was = everything_in(tmp_path)
    with pytest.raises(NotOurRelease):
        make(tmp_path / "out", replace=True)
    with pytest.raises(ReleaseExists):
        make(tmp_path / "out")
    assert everything_in(tmp_path) == was


def test_a_release_that_appears_meanwhile_is_not_overwritten_unasked(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ReleaseExists), Staging(out) as folder:
        put(folder, MARK, CERTIFICATE)
        make(out, b"of another run")
        folder.commit()
    assert (out / "data.csv").read_bytes() == b"of another run"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_something_else_that_appears_meanwhile_is_not_replaced(tmp_path):
    out = tmp_path / "out"
    make(out, b"old")
    with pytest.raises(NotOurRelease), Staging(out, replace=True) as folder:
        put(folder, MARK, CERTIFICATE)
        (out / MARK).unlink()
        folder.commit()
    assert (out / "data.csv").read_bytes() == b"old"


def test_a_release_that_vanishes_meanwhile(tmp_path):
    import shutil

    out = tmp_path / "out"
    make(out, b"old")
    with Staging(out, replace=True) as folder:
        put(folder, MARK, CERTIFICATE)
        shutil.rmtree(out)
        folder.commit()
    assert (out / MARK).exists()


def test_a_link_is_followed(tmp_path):
    make(tmp_path / "real", b"old")
    (tmp_path / "out").symlink_to("real")
    make(tmp_path / "out", replace=True)
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "real" / "data.csv").read_bytes() == b"new"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "real"]


# -- failing ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [RuntimeError, KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("there", [False, True])
def test_what_is_not_committed_leaves_no_trace(tmp_path, problem, there):
    out = tmp_path / "a" / "b" / "out"
    if there:
        make(out, b"old")
    was = everything_in(tmp_path)
    with pytest.raises(problem), Staging(out, replace=True) as folder:
        put(folder, "data.csv", b"new")
        raise problem
    assert everything_in(tmp_path) == was


def test_forgetting_to_commit_leaves_no_trace(tmp_path):
    make(tmp_path / "out", commit=False)
    assert everything_in(tmp_path) == []


def test_parents_are_made_and_kept_or_taken_away_again(tmp_path):
    with pytest.raises(RuntimeError), Staging(tmp_path / "a" / "b" / "out"):
        assert (tmp_path / "a" / "b").is_dir()
        raise RuntimeError
    assert everything_in(tmp_path) == []
    make(tmp_path / "a" / "b" / "out")
    assert (tmp_path / "a" / "b" / "out" / MARK).exists()


def test_a_parent_that_somebody_uses_meanwhile_stays(tmp_path):
    with pytest.raises(RuntimeError), Staging(tmp_path / "a" / "b" / "out"):
        (tmp_path / "a" / "theirs").write_text("x")
        raise RuntimeError
    assert everything_in(tmp_path) == ["a", "a/theirs"]


@pytest.mark.parametrize("place", ["_open", "_name", "_move", "_claim", "_sweep"])
@pytest.mark.parametrize(
    ("number", "told"),
    [(errno.ENOSPC, NoRoom), (errno.EDQUOT, NoRoom), (errno.EACCES, NotWritable), (errno.EROFS, NotWritable)],
)
def test_troubles_of_the_disk_are_told_in_our_words(tmp_path, monkeypatch, place, number, told):
    def fail(self, *given):
        raise OSError(number, "…")

    monkeypatch.setattr(Staging, place, fail)
    with pytest.raises(told):
        make(tmp_path / "new" / "out")
    assert everything_in(tmp_path) == []


def test_a_disk_that_fills_while_writing(tmp_path):
    with pytest.raises(NoRoom), Staging(tmp_path / "out") as folder, folder.file("data.csv"):
        raise OSError(errno.ENOSPC, "…")
    assert everything_in(tmp_path) == []


def test_a_file_in_place_of_a_parent(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotWritable):
        make(tmp_path / "file" / "out")
    assert everything_in(tmp_path) == ["file"]


def test_a_name_that_is_too_long(tmp_path):
    for length in (250, 300):
        with pytest.raises(NotWritable):
            make(tmp_path / ("x" * length))
    assert everything_in(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_one_may_not_write_to(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(NotWritable):
        make(tmp_path / "closed" / "out")


def test_refusing_says_nothing_where_there_is_nothing(tmp_path):
    refuse_existing(tmp_path / "out", replace=False)
    refuse_existing(tmp_path / "out", replace=True)


# -- leftovers ----------------------------------------------------------------------------------------------------------


def test_folders_of_dead_runs_are_swept(tmp_path):
    left = tmp_path / ".out.tarnkappe-0123456789ab"
    (left / "release" / "internal").mkdir(parents=True)
    (left / "release" / "data.csv").write_text("from a machine that lost power")
    other = tmp_path / ".other.tarnkappe-0123456789ab"
    other.mkdir()
    make(tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == [".other.tarnkappe-0123456789ab", "out"], (
        "only of this destination"
    )


def test_folders_of_running_runs_are_not_swept(tmp_path):
    """Two runs to one destination: the second neither sweeps the first nor is swept by it."""
    out = tmp_path / "out"
    with Staging(out, replace=True) as one:
        put(one, "data.csv", b"one")
        put(one, MARK, CERTIFICATE)
        with Staging(out, replace=True) as two:
            put(two, "data.csv", b"two")
            put(two, MARK, CERTIFICATE)
            two.commit()
        assert (out / "data.csv").read_bytes() == b"two"
        one.commit()
    assert (out / "data.csv").read_bytes() == b"one"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_sweep_between_making_and_locking_does_no_harm(tmp_path, monkeypatch):
    """The folder of a run that is just starting looks like that of a dead one."""
    honest, swept = fcntl.flock, []

    def flock(descriptor, how):
        if how == fcntl.LOCK_EX and not swept:
            swept.append(True)
            for folder in tmp_path.glob(".out.tarnkappe-*"):
                folder.rmdir()
        return honest(descriptor, how)

    monkeypatch.setattr(staging.fcntl, "flock", flock)
    make(tmp_path / "out")
    assert swept
    assert (tmp_path / "out" / MARK).exists()


def test_a_leftover_that_vanishes_or_is_not_ours_does_no_harm(tmp_path, monkeypatch):
    (tmp_path / ".out.tarnkappe-000000000000").symlink_to(tmp_path / "nowhere")
    (tmp_path / ".out.tarnkappe-000000000001").write_text("a file of that name")
    make(tmp_path / "out")
    assert (tmp_path / "out" / MARK).exists()


def test_where_folders_cannot_be_locked_it_works_without(tmp_path, monkeypatch):
    def flock(descriptor, how):
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(staging.fcntl, "flock", flock)
    make(tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_many_runs_to_one_destination_at_once(tmp_path):
    """One of them is released whole; the others find it there, and nothing else is left."""
    program = textwrap.dedent("""
        import sys, time
        from pathlib import Path
        from tarnkappe.errors.release import ReleaseExists
        from tarnkappe.io.staging import MARK, Staging
        while time.time() < float(sys.argv[3]):
            pass
        try:
            with Staging(Path(sys.argv[1])) as folder:
                for name in ("a", "b"):
                    with folder.file(name) as file:
                        file.write(sys.argv[2].encode())
                with folder.file(MARK) as file:
                    file.write(b'{"tarnkappe": 1, "files": {}}')
                folder.commit()
        except ReleaseExists:
            sys.exit(2)
    """)
    start = str(time.time() + 1.5)
    runs = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "out"), str(i), start])
        for i in range(6)
    ]
    codes = sorted(r.wait(timeout=60) for r in runs)
    assert codes == [0] + [2] * 5
    assert (tmp_path / "out" / "a").read_bytes() == (tmp_path / "out" / "b").read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_nothing_stays_open(tmp_path):
    def descriptors():
        return len(list(Path("/proc/self/fd").iterdir()))

    make(tmp_path / "warm")
    was = descriptors()
    make(tmp_path / "out")
    make(tmp_path / "out", replace=True)
    make(tmp_path / "two", commit=False)
    with pytest.raises(ReleaseExists):
        make(tmp_path / "out")
    assert descriptors() == was


# -- single files -------------------------------------------------------------------------------------------------------


def test_one_new_file(tmp_path):
    write_new(tmp_path / "a", b"x")
    write_new(tmp_path / "a", b"x")
    with pytest.raises(FileExists):
        write_new(tmp_path / "a", b"y")
    with pytest.raises(FileExists):
        write_new(tmp_path, b"y")
    with pytest.raises(NotWritable):
        write_new(tmp_path / "nowhere" / "a", b"x")
    assert everything_in(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"x"


def test_a_file_that_cannot_be_finished_is_taken_away(tmp_path):
    class Full:
        def __len__(self):
            raise OSError(errno.ENOSPC, "…")

    with pytest.raises((NoRoom, TypeError)):
        write_new(tmp_path / "a", Full())
    assert everything_in(tmp_path) == []
