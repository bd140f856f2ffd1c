"""Private folders: nobody else reads them, nothing is left of them."""

from __future__ import annotations

import os
import stat

import pytest

from tarnkappe.errors.studio import FileNameWrong, PrivateFolder, StudioFull, UploadNotKept, UploadTooLarge
from tarnkappe.studio import uploads
from tarnkappe.studio.sessions import MOST, Session, Sessions
from tarnkappe.studio.settings import Settings, is_local, token_for
from tarnkappe.studio.shelter import PRIVATE, Shelter
from tarnkappe.studio.uploads import keep


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_are_readable_by_their_owner_alone(tmp_path):
    shelter = Shelter.opened(tmp_path / "home")
    room = shelter.room()
    assert [mode(folder) for folder in (tmp_path / "home", shelter.root, room)] == [0o700] * 3
    shelter.close()
    assert not shelter.root.exists()


def test_what_a_crash_left_behind_is_wiped_and_the_living_are_left_alone(tmp_path):
    alive, dead = Shelter.opened(tmp_path), Shelter.opened(tmp_path)
    (alive.room() / "a.csv").write_text("a")
    (dead.room() / "b.csv").write_text("b")
    dead._lock.close()  # as when its process is killed
    third = Shelter.opened(tmp_path)
    assert not dead.root.exists()
    assert alive.root.exists()
    assert len(list(alive.root.glob("*/a.csv"))) == 1
    alive.close()
    third.close()


def test_a_link_among_the_folders_is_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    home = tmp_path / "home"
    home.mkdir(mode=PRIVATE)
    (home / "link").symlink_to(outside)
    Shelter.opened(home).close()
    assert (outside / "precious").exists()


def precious(folder):
    """A folder with a subfolder of somebody's files in it."""
    folder.mkdir(mode=PRIVATE)
    (folder / "work").mkdir()
    (folder / "work" / "precious").write_text("x")
    return folder


def test_a_planted_link_in_place_of_the_private_folder_is_refused_and_what_is_behind_it_stays(tmp_path):
    behind = precious(tmp_path / "behind")
    behind.chmod(0o755)
    (tmp_path / "home").symlink_to(behind)
    with pytest.raises(PrivateFolder):
        Shelter.opened(tmp_path / "home")
    assert (behind / "work" / "precious").exists()
    assert mode(behind) == 0o755, "and is not closed to others either"


def test_a_file_in_place_of_the_private_folder_is_refused(tmp_path):
    (tmp_path / "home").write_text("x")
    with pytest.raises(PrivateFolder):
        Shelter.opened(tmp_path / "home")


def test_a_private_folder_into_which_others_may_write_is_refused(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o777)
    with pytest.raises(PrivateFolder):
        Shelter.opened(home)


def test_a_private_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(PrivateFolder):
        Shelter.opened(tmp_path / "home")


@pytest.mark.parametrize("lock", [None, "another program's"])
def test_a_folder_without_a_lock_of_ours_is_not_wiped(tmp_path, lock):
    home = precious(tmp_path / "home")
    if lock is not None:
        (home / "work" / "lock").write_text(lock)
    Shelter.opened(home).close()
    assert (home / "work" / "precious").exists()


def test_a_lock_that_is_a_link_is_neither_followed_nor_emptied(tmp_path):
    home = precious(tmp_path / "home")
    (tmp_path / "note").write_text("tarnkappe studio\n")
    (home / "work" / "lock").symlink_to(tmp_path / "note")
    Shelter.opened(home).close()
    assert (home / "work" / "precious").exists()
    assert (tmp_path / "note").read_text() == "tarnkappe studio\n"


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../..", ".hidden", "a\x00b", "-rf", "a\nb", "x" * 200, "nul\u202e.csv", "…/"]
)
def test_names_that_are_no_names_are_refused(tmp_path, name):
    session = Session("s", tmp_path, Settings())
    with pytest.raises(FileNameWrong):
        session.path_for(name)


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "C:\\temp\\a.csv", "/abs/a.csv", "a.csv", "Löhne 2024.csv"]
)
def test_files_are_put_into_the_private_folder_whatever_their_name(tmp_path, name):
    assert Session("s", tmp_path, Settings()).path_for(name).parent == tmp_path


@pytest.fixture
def sessions(tmp_path):
    shelter = Shelter.opened(tmp_path / "home")
    made = Sessions(Settings(), shelter)
    yield made
    made.close()
    shelter.close()


def test_those_who_only_look_in_keep_nobody_out(tmp_path, sessions):
    busy = sessions.of("busy")
    (busy.lobby() / "a.csv").write_text("a")
    for n in range(3 * MOST):
        sessions.of(f"{n}")
    assert sessions.of("busy") is busy, "in whom something was opened stays"
    assert busy.home.exists()
    assert len(list(tmp_path.glob("home/*/*/"))) == MOST


def test_sessions_in_which_people_work_are_not_ended_for_others(sessions):
    for n in range(MOST):
        sessions.of(f"{n}").lobby()
    with pytest.raises(StudioFull):
        sessions.of("one more")


async def _parts(*parts):
    for part in parts:
        yield part


@pytest.mark.anyio
async def test_an_upload_is_private_and_whole(tmp_path):
    assert await keep(tmp_path / "a.csv", _parts(b"a;b\n", b"1;2\n"), 100) == 8
    assert (tmp_path / "a.csv").read_bytes() == b"a;b\n1;2\n"
    assert mode(tmp_path / "a.csv") == 0o600


@pytest.mark.anyio
async def test_a_file_that_is_too_large_leaves_the_one_before_as_it_was(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(UploadTooLarge):
        await keep(tmp_path / "a.csv", _parts(b"x" * 60, b"x" * 60), 100)
    assert (tmp_path / "a.csv").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.anyio
async def test_a_full_disk_is_told_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "_private", lambda path, flags: os.open("/dev/full", os.O_WRONLY))
    with pytest.raises(UploadNotKept, match="No space left"):
        await keep(tmp_path / "a.csv", _parts(b"x" * 2**20), 2**30)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.0.2.1", False),
        ("office.example", False),
    ],
)
def test_only_this_machine_needs_no_token(host, local, tmp_path):
    assert is_local(host) is local
    drawn = token_for(host, None, None)
    assert (drawn is None) is local
    assert token_for(host, tmp_path, None), "a project folder is not for every user of the machine"
    assert token_for(host, None, "given-by-the-person") == "given-by-the-person"
    assert drawn is None or len(drawn) >= 40
