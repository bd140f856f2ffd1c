"""Files that end the process which opens them: told in words, and the work goes on."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from io_samples import written

from surfaces.command import command
from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.files import FileUnreadable, ReaderEnded
from tarnkappe.io import foreign_process
from tarnkappe.io.read import read

SMALL = Microdata({"a": Column.numbers_of(np.arange(3.0))})
DEADLY = """
import os, resource, signal, sys
def read_sav(path, **how):
    print("a line in between the answers", file=sys.stdout, flush=True)
    content = open(path).read()
    if content == "kill":
        os.kill(os.getpid(), signal.SIGSEGV)
    if content == "memory":
        return bytearray(2**50)
    if content == "limits":
        core, memory = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_CORE, resource.RLIMIT_AS))
        raise ValueError if core == 0 and memory > 0 else os._exit(1)
    raise ValueError(content)
read_dta = read_sav
"""


@pytest.fixture
def deadly(tmp_path, monkeypatch):
    """A library that ends its process, in place of the one for SPSS and Stata."""
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "pyreadstat.py").write_text(DEADLY)
    foreign_process._forget()
    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(tmp_path / "library"))
        patch.delitem(sys.modules, "pyreadstat", raising=False)
        yield tmp_path
    foreign_process._forget()


def through(folder, form):
    """Write a small file and read it."""
    (folder / f"data.{form}").write_bytes(written(SMALL, form))
    return read(folder / f"data.{form}")


def put(folder, content, name="a.sav"):
    (folder / name).write_text(content)
    return folder / name


def test_a_file_that_kills_its_reader_ends_in_words(deadly):
    for _ in range(2):
        with pytest.raises(ReaderEnded):
            read(put(deadly, "kill"))
    with pytest.raises(FileUnreadable, match="damaged"):
        read(put(deadly, "damaged"))


def test_on_the_command_line_the_exit_code_is_2(deadly, capsys):
    said = command(capsys, "inspect", put(deadly, "kill", "a.dta"))
    assert said.code == 2
    assert "[file.reader-ended]" in said.err


def test_a_file_that_needs_more_memory_than_there_is(deadly):
    with pytest.raises(FileUnreadable, match="memory"):
        read(put(deadly, "memory"))


def test_the_process_has_limits(deadly):
    with pytest.raises(FileUnreadable):
        read(put(deadly, "limits"))


def test_nothing_that_a_library_says_is_shown(deadly, capfd):
    with pytest.raises(FileUnreadable) as refused:
        read(put(deadly, "Petra Muster"))
    assert "Petra" not in str(refused.value)
    assert capfd.readouterr() == ("", "")


def test_one_process_serves_many_files_and_a_new_one_comes_after_a_large_one(tmp_path):
    for form in ("sav", "xlsx", "dta"):
        through(tmp_path, form)
    first = foreign_process._kept[0]
    through(tmp_path, "sav")
    assert foreign_process._kept[0] is first
    first._child.kill()  # as after a large file, when it goes by itself
    first._child.wait()
    assert through(tmp_path, "sav").names == ("a",)


def test_a_copy_of_this_process_does_not_share_its_reader(tmp_path):
    through(tmp_path, "sav")
    foreign_process._kept[0].owner = os.getpid() + 1
    child = foreign_process._kept[0]._child
    through(tmp_path, "sav")
    assert foreign_process._kept[0]._child is not child
    assert child.wait() == 0, "nobody asks it any more; it was not killed"
