"""The manual tells the truth: its blocks run, its plans are sound, its transcripts are what the program says.

Every page is played from top to bottom in a folder of its own. A block after a line that ends in a file name and a colon
is that file. Python blocks of a page share their names; what stands after `# →` must be printed. In console blocks every
`$ tarnkappe` line is run and must end with 0, or with the code that `$ echo $?` shows; every other line must be in its
output, in order, where `…` stands for anything. A few commands of the shell are run too; others are only shown.
"""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from tarnkappe.cli import main
from tarnkappe.plan.check import check
from tarnkappe.plan.document import parse
from tarnkappe.spec import catalogue

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))

import generate  # noqa: E402 - docs/ is no package

GENERATED = (
    "_build",
    "_generated",
    "catalogue",
    "errors.md",
    "bibliography.md",
    "documents.md",
    "effects.md",
)
WRITTEN = sorted(
    [
        *(p for p in DOCS.rglob("*.md") if not set(GENERATED) & set(p.relative_to(DOCS).parts)),
        *(
            ROOT / name
            for name in ("README.md", "CONTRIBUTING.md", "examples/README.md", "changes/README.md")
        ),
    ]
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = ("cp", "ls", "rm", "sed")
"""Commands that pages use beside ours; they are run by the shell and must succeed."""
NAMED = re.compile(r"`([\w-]+\.\w+)`:\n\n\Z")


def name_of(path):
    return str(path.relative_to(ROOT))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, English, and a process that is afterwards as it was."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    catalogue.load()
    known, modules = dict(catalogue._known), set(sys.modules)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield tmp_path
    for number, handler in handlers.items():
        signal.signal(number, handler)
    catalogue._known = known
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


class Demonstrations:
    """Many pages begin with the same demonstration in an empty folder, which says nothing: it is made once and then copied."""

    def __init__(self, folder):
        self.folder, self.made = folder, {}

    def copied(self, command):
        """Whether it is there now, because it was made before."""
        if command not in self.made or any(Path().iterdir()):
            return False
        shutil.copytree(self.made[command], Path(), dirs_exist_ok=True)
        return True

    def keep(self, command, said):
        if not said.strip():
            shutil.copytree(Path(), self.made.setdefault(command, self.folder / str(len(self.made))))


@pytest.fixture(scope="module")
def demonstrations(tmp_path_factory):
    return Demonstrations(tmp_path_factory.mktemp("demonstrations"))


def pages_with_blocks():
    return [page for page in WRITTEN if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", pages_with_blocks(), ids=name_of)
def test_page_plays(page, folder, demonstrations, monkeypatch, capsys):
    text, names = page.read_text(encoding="utf-8"), {"__name__": "page"}
    for found in BLOCK.finditer(text):
        language, block = found.groups()
        where = f"{name_of(page)}:{text.count(chr(10), 0, found.start()) + 1}"
        file = NAMED.search(text, 0, found.start())
        if file:
            (folder / file[1]).write_text(block, encoding="utf-8")
        if language == "python" and not file:
            play_python(block, names, where, capsys)
        elif language == "yaml" and block.startswith("tarnkappe:"):
            check(parse(block), folder)
        elif language == "console":
            play_console(block, where, demonstrations, monkeypatch, capsys)


def play_python(block, names, where, capsys):
    capsys.readouterr()
    exec(compile(block, where, "exec"), names)
    told = [line.partition("# →")[2] for line in block.splitlines() if "# →" in line]
    assert_told(told, capsys.readouterr().out, where)


def play_console(block, where, demonstrations, monkeypatch, capsys):
    for command, told in commands(block):
        words = shlex.split(command, comments=True)
        if not told and demonstrations.copied(command):
            continue
        fresh = words[:2] == ["tarnkappe", "demo"] and not any(Path().iterdir())
        if words[0] in SHELL:
            subprocess.run(command, shell=True, check=True)
            continue
        given = {w.partition("=")[0]: w.partition("=")[2] for w in takewhile(lambda w: "=" in w, words)}
        if words[len(given)] != "tarnkappe":
            continue
        ends = told.pop() if told[-2:-1] == ["$ echo $?"] else "0"
        told = [line for line in told if line != "$ echo $?"]
        capsys.readouterr()
        with monkeypatch.context() as patch, pytest.raises(SystemExit) as ended:
            patch.setattr(sys, "argv", words[len(given) :])
            [patch.setenv(name, value) for name, value in given.items()]
            main()
        said = "\n".join(capsys.readouterr())
        assert str(ended.value.code or 0) == ends, f"{where}: {command}\n{said}"
        assert_told(told, said, where)
        if fresh:
            demonstrations.keep(command, said)


def commands(block):
    """Each `$` line with the lines below it; `$ echo $?` belongs to the command before."""
    out = []
    for line in block.splitlines():
        if line.startswith("$ ") and line != "$ echo $?":
            out.append((line[2:], []))
        elif line.strip():
            out[-1][1].append(line)
    return out


def assert_told(told, said, where):
    said, at = " ".join(said.split()), 0
    for line in told:
        for part in line.split("…"):
            words = " ".join(part.split())
            place = said.find(words, at)
            assert place >= 0, f"{where}: {words!r} is not in\n{said}"
            at = place + len(words)


def test_the_player_can_fail(folder, demonstrations, monkeypatch, capsys):
    for block in (
        "$ tarnkappe check no.yaml\n",
        "$ tarnkappe --version\n$ echo $?\n2\n",
        "$ tarnkappe --version\nno\n",
    ):
        with pytest.raises(AssertionError):
            play_console(block, "here", demonstrations, monkeypatch, capsys)
    right = "$ tarnkappe check no.yaml\n… no file 'no.yaml'\n$ echo $?\n2\n"
    play_console(right, "here", demonstrations, monkeypatch, capsys)
    with pytest.raises(AssertionError):
        play_python("print(1)  # → 2\n", {}, "here", capsys)


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=name_of)
def test_example_runs(script, folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(script), str(folder)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    generate.generate(folder)
    return folder


def test_every_entry_has_its_page(generated):
    pages = generated / generate.CARDS
    assert {p.stem for p in pages.glob("*.md")} == {"index", *(cls.id for cls in catalogue)}
    for cls in catalogue:
        text = (pages / f"{cls.id}.md").read_text(encoding="utf-8")
        for said in (cls.title, *cls.does_not):
            assert said.en in text and said.de in text, cls.id


def test_pages_of_things_that_are_gone_are_removed(generated):
    gone = generated / generate.CARDS / "microdata.gone.md"
    gone.write_text("# Gone\n")
    generate.generate(generated)
    assert not gone.exists()


def test_every_error_and_its_exit_code_are_listed(generated):
    text = (generated / "reference/errors.md").read_text(encoding="utf-8")
    codes = [cls.code for cls in generate.error_classes()]
    assert len(codes) == len(set(codes)) > 50
    assert re.findall(r"^### `(.+)`$", text, re.MULTILINE) == codes


def test_every_limit_is_among_the_weaknesses(generated):
    text = (generated / "_generated/limits.md").read_text(encoding="utf-8")
    assert all(f"- {limit.en}" in text for cls in catalogue for limit in cls.does_not)
    assert "_generated/limits.md" in (DOCS / "explanation/known-weaknesses.md").read_text(encoding="utf-8")


def test_every_source_is_in_the_bibliography(generated):
    text = (generated / "reference/bibliography.md").read_text(encoding="utf-8")
    keys = {source.key for cls in catalogue for source in cls.sources}
    assert all(f"(ref-{key})=" in text for key in keys)
    assert "*. ." not in text, "a work without a place of publication"


def test_every_command_and_field_is_in_the_reference(generated):
    line = (generated / "_generated/command-line.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^## (\w+)$", line, re.MULTILINE)) >= {"demo", "inspect", "check", "run", "verify"}
    plan = (generated / "_generated/plan.md").read_text(encoding="utf-8")
    fields = [name for _, part, _ in generate.parts_of_a_plan() for name in part["properties"]]
    assert {"title", "roles", "digits", "formats", "secret", "at_least"} <= set(fields)
    assert all(f"| `{name}` |" in plan for name in fields)


def test_decisions_are_numbered_without_gaps_and_complete():
    pages = sorted((DOCS / "decisions").glob("[0-9]*.md"))
    assert [int(p.name[:4]) for p in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        heads = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert heads == ["Context", "Choice", "Consequences", "What would change our mind"], page.name


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_links_lead_to_files(page, generated):
    """Sphinx checks the manual; this also sees the pages outside it."""
    prose = re.sub(r"`[^`\n]*`", "", BLOCK.sub("", page.read_text(encoding="utf-8")))
    for target in re.findall(r"\]\((?!https?:|#|/)([^)#\s]+)", prose):
        there = (page.parent / target).resolve()
        made = generated / there.relative_to(DOCS) if there.is_relative_to(DOCS) else there
        assert there.exists() or made.exists(), f"{name_of(page)}: {target}"


def test_changelog_fragments_have_a_known_kind():
    kinds = {"added", "fixed", "changed", "removed", "numbers"}
    fragments = [p for p in (ROOT / "changes").glob("*.md") if p.name != "README.md"]
    assert all(re.fullmatch(rf"[0-9]{{4}}(-[a-z-]+)?\.({'|'.join(kinds)})\.md", p.name) for p in fragments)
