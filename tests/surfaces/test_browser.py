"""The pages in a real browser: at no width and in neither language does anything stick out of the page."""

from __future__ import annotations

import json
import re
import subprocess
from html import unescape

import pytest

from in_a_browser import CHROMIUM, PATIENCE
from surfaces.test_report_process import run  # noqa: F401 - a fixture
from tarnkappe.report.pages import about_page, report_page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser here")
WIDTHS = (380, 768, 1280)
LOOK = """
const out = [];
const seen = frame => {
  const page = frame.contentDocument, root = page.documentElement;
  for (const lang of ["en", "de"]) {
    root.lang = lang;
    root.dataset.theme = lang === "de" ? "dark" : "light";
    page.querySelectorAll("details").forEach(d => { d.open = true; });
    const wide = [...page.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > root.clientWidth + 1
      && !e.closest(".scroll, .sheet, pre, .chart"));
    out.push({page: frame.name, width: root.clientWidth, lang, over: root.scrollWidth - root.clientWidth,
      sticking: wide.slice(0, 3).map(e => e.tagName + "." + e.className), scripts: root.classList.contains("js"),
      anchors: [...page.querySelectorAll("a[href^='#']")].filter(a => !page.querySelector(a.getAttribute("href"))).length,
      shown: page.querySelector("h2").innerText});
  }
};
addEventListener("load", () => {
  document.querySelectorAll("iframe").forEach(seen);
  const pre = document.body.appendChild(document.createElement("pre"));
  pre.id = "seen";
  pre.textContent = JSON.stringify(out);
});
"""


def looked(folder, pages):
    """Open every page in frames of several widths and tell what sticks out."""
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    frames = "".join(
        f'<iframe name="{name}" src="{name}.html" style="border:0;width:{width}px;height:900px"></iframe>'
        for name in pages
        for width in WIDTHS
    )
    (folder / "all.html").write_text(f"<!doctype html><body>{frames}<script>{LOOK}</script></body>")
    words = [
        CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
        f"--user-data-dir={folder / 'profile'}", "--window-size=1400,900", "--dump-dom", (folder / "all.html").as_uri(),
    ]  # fmt: skip
    dumped = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE / 1000, check=True).stdout
    found = re.search(r'<pre id="seen">(.*?)</pre>', dumped, re.DOTALL)
    assert found, dumped[:500]
    return json.loads(unescape(found.group(1)))


def test_nothing_sticks_out_at_any_width_in_either_language(run, tmp_path):  # noqa: F811
    seen = looked(tmp_path, {"report": report_page(run, "en"), "about": about_page(run, "de")})
    assert len(seen) == 2 * 2 * len(WIDTHS)
    assert [one for one in seen if one["over"] > 0 or one["sticking"]] == []
    assert all(one["scripts"] for one in seen), "the page's own policy lets its script run"
    assert all(one["anchors"] == 0 for one in seen), "every entry of the contents leads somewhere"
    assert {one["shown"] for one in seen if one["page"] == "about"} == {
        "What this file is",
        "Was diese Datei ist",
    }


def test_what_sticks_out_would_be_seen(tmp_path):
    wide = '<!doctype html><html lang="en"><main><h2>x</h2><div style="width:2000px">wide</div></main></html>'
    seen = looked(tmp_path, {"wide": wide})
    assert all(one["over"] > 0 and one["sticking"] for one in seen)
