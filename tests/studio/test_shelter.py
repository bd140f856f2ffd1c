"""Private folders: nobody else reads them, nothing is left of them."""

from __future__ import annotations

import stat

import pytest

from tarnkappe.errors.studio import FileNameWrong, UploadTooLarge
from tarnkappe.studio.sessions import Session
from tarnkappe.studio.settings import Settings, is_local, token_for
from tarnkappe.studio.shelter import Shelter
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
    home.mkdir()
    (home / "link").symlink_to(outside)
    Shelter.opened(home).close()
    assert (outside / "precious").exists()


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
