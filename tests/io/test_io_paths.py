import os
import sys

import pytest

from tarnkappe.errors.files import FileMissing, FileUnreadable, PathEscapes
from tarnkappe.io.paths import existing, inside


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plan" / "sub").mkdir(parents=True)
    (tmp_path / "plan" / "sub" / "firms.csv").write_text("a\n1\n")
    (tmp_path / "outside.csv").write_text("a\n1\n")
    return tmp_path / "plan"


@pytest.mark.parametrize(
    "name", ["sub/firms.csv", "./sub/firms.csv", "not-there.csv", "sub", "...csv", "a..b/c"]
)
def test_what_lies_in_the_folder_is_found(folder, name):
    assert inside(folder, name) == (folder / name).resolve()


@pytest.mark.parametrize(
    "name",
    [
        "../outside.csv", "sub/../../outside.csv", "sub/../sub/firms.csv", "..", "/etc/passwd", "\\etc\\passwd",
        "..\\outside.csv", "sub\\..\\..\\outside.csv", "C:\\data.csv", "C:data.csv", "\\\\host\\share\\x.csv", "a\0b",
    ],
)  # fmt: skip
def test_what_leads_out_is_refused(folder, name):
    with pytest.raises(PathEscapes):
        inside(folder, name)


def test_the_absolute_path_of_a_file_inside_is_refused_too(folder):
    with pytest.raises(PathEscapes):
        inside(folder, str(folder / "sub" / "firms.csv"))


def test_links_may_stay_inside_but_not_lead_out(folder):
    (folder / "in.csv").symlink_to(folder / "sub" / "firms.csv")
    (folder / "out.csv").symlink_to("../outside.csv")
    (folder / "up").symlink_to("..")
    (folder / "loop").symlink_to("loop")
    assert inside(folder, "in.csv") == folder / "sub" / "firms.csv"
    for name in ("out.csv", "up/outside.csv", "loop/x"):
        with pytest.raises(PathEscapes):
            inside(folder, name)


def test_a_folder_that_is_itself_a_link_is_followed(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    assert inside(tmp_path / "link", "sub/firms.csv") == folder / "sub" / "firms.csv"


def test_a_missing_file_names_its_neighbour(folder):
    with pytest.raises(FileMissing, match="Did you mean 'firms.csv'"):
        existing(folder / "sub" / "firm.csv")
    with pytest.raises(FileMissing, match="no such folder"):
        existing(folder / "nowhere" / "firms.csv")
    with pytest.raises(FileMissing):
        existing(folder / "a\0b")


def test_a_folder_is_not_a_file(folder):
    with pytest.raises(FileUnreadable, match="folder"):
        existing(folder / "sub")


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes with names")
def test_a_pipe_is_not_a_file(folder):
    os.mkfifo(folder / "pipe.csv")
    with pytest.raises(FileUnreadable, match="not a file"):
        existing(folder / "pipe.csv")
