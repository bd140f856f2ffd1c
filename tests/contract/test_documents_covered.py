"""Whoever knows one of the five documents finds its things: every number once, every name of ours there, nothing forgotten that is cited."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from documents import LEFT_OUT, TITLES, documents, documents_page, replications  # noqa: E402

from tarnkappe.spec import catalogue  # noqa: E402


def numbered(stem, first, last, width=2):
    return [f"{stem}{number:0{width}d}" for number in range(first, last + 1)]


NUMBERS = {
    "hoehne2010": [
        *numbered("T", 1, 15), *(f"C-{c}" for c in "abcdef"), *numbered("N", 1, 18), *numbered("P", 1, 5), *numbered("S", 1, 4),
        *numbered("Y", 1, 5), *numbered("M", 1, 17), *numbered("F", 1, 4), "X01", "X02", *numbered("R", 1, 20), *numbered("U", 1, 17),
        *numbered("TV-", 1, 20), *numbered("5.", 1, 12, 0), "0.2", "7.1", "10.8", "10.9", "10.10",
    ],
    "gottschalk2002": [
        *numbered("G-M", 1, 21), *numbered("G-C", 1, 5), "G-C01b", *numbered("G-R", 1, 14), *numbered("A", 1, 5, 0), "2.4",
        *numbered("G-U", 1, 10), *numbered("TV-G", 1, 5, 0), "6.2", "6.3", "6.4", "5", "7",
    ],
    "wettig2002": [
        *["PR-F", "PR-1K", "PR-2K", "PR-NK", "PR-P", "PR-PQ", "PR-GEN", "PR-EXT", "SU-UNION", "SU-CYC", "SU-DIFF", "AU-LP", "AU-PRI", "IL-V", "IL-N", "IL-LOG", "IL-1", "IL-W", "digits", "OPT"],
        *["H1", "H2", "H3", "CS", "RD-ROLL", "RD-REC", "RO-CONV", "RO-RAND", "RO-CTRL", "PE-ADD", "HC", "HC-NOINT", "HC-INT", "HC-SINGLE", "HC-ZERO", "HC-NOISE", "SUB", "OUT", "IN", "LINK"],
        *["LATE", "EXTDIM", "2STAGE", "3.6", "4", "5.5", "9", "range_base", "two_sided", "max_sweeps", "protect.mode", "loss-report", "14", "20", "GHQUAR", "GHMITER", "CIF"],
        *["tau-ARGUS", "USBCSUP", "CONFID", "ACSSuprs", "TV-00", "TV-01a", "TV-01b", "TV-02", "TV-02b", "TV-03", "TV-04", "TV-05q", "TV-06f", "TV-07s", "TV-05", "TV-06", "TV-07"],
        *["TV-08", "TV-09", "TV-10", "TV-11", "TV-12", "TV-14", "TV-15", "TV-16", "TV-16b", "TV-17", "TV-18", "TV-19", "TV-20", "TV-21", "TV-22", "TV-22b", "TV-22c", "TV-23", "TV-23b"],
        *["TV-23c", "TV-24", "22.2", "22.4", "22.8"],
    ],
    "schenker2019": [*numbered("", 1, 13, 0), "9.3", *numbered("SV-", 1, 6), *numbered("14.", 1, 7, 0)],
    "dav2025": [
        *numbered("D-M", 1, 20), "table1", *numbered("D-R", 1, 15), *numbered("D-R", 20, 26), *numbered("D-P", 1, 9), "Ledger", "TopDown",
        *numbered("D-U", 1, 16), *numbered("D-S", 1, 10), "4.2", "4.3", *numbered("step", 1, 12, 0), "docs", "6.1", "6.2", "6.3", "6.4",
        "0.2", "0.3", "2.6vectors", "2.8", "7legal",
    ],
}  # fmt: skip
ITEMS = [(key, item) for key, items in documents().items() for item in items]


@pytest.mark.parametrize("key", NUMBERS)
def test_every_number_of_a_document_is_there_once(key):
    assert sorted(item.number for item in documents()[key]) == sorted(NUMBERS[key])
    assert key in TITLES


@pytest.mark.parametrize(("key", "item"), ITEMS, ids=lambda x: getattr(x, "number", x))
def test_every_thing_is_somewhere_or_says_why_not(key, item):
    assert item.called
    assert item.here or item.also
    missing = [id for id in item.here if id not in catalogue]
    assert not missing, missing
    for said in item.also:
        assert not said.startswith(LEFT_OUT) or len(said) > len(LEFT_OUT) + 5
        for page in re.findall(r"page ((?:[\w-]+/)+[\w-]+\.md)", said):
            assert (ROOT / "docs" / page).is_file() or page == "reference/effects.md", page
        for test in re.findall(r"tests? (\S+\.py)", said):
            assert (ROOT / "tests" / test).is_file(), test


@pytest.mark.parametrize("key", NUMBERS)
def test_whatever_cites_a_document_is_found_from_it(key):
    named = {id for item in documents()[key] for id in item.here}
    citing = {cls.id for cls in catalogue if any(source.key == key for source in cls.sources)}
    assert not {id for id in citing if f"`{id}`" not in documents_page().partition(TITLES[key])[2]}
    assert named


def test_the_page_leads_to_cards_pages_and_tests():
    page = documents_page()
    assert (
        "| D-M12 | Shuffling | [Data shuffling](catalogue/microdata.shuffle.md) (`microdata.shuffle`) | `tests/replication/dav2025/test_shuffling_of_dav.py` |"
        in page
    )
    assert "*left out: SAFE is not part of this version*" in page
    assert "[analyse-a-release](/how-to/analyse-a-release.md)" in page


def test_tests_that_repeat_numbers_are_found():
    assert "replication/hoehne2010/test_rank_swap_windows.py" in list(
        replications(("microdata.rank-swap",), "hoehne2010")
    )
