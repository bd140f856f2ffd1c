"""The page Tables of the studio in headless Chromium: what a frame costs while a table scrolls, beside the same cells as a plain HTML table.

    python benchmarks/studio.py [CELLS …]

The table is opened in a running studio as anybody would, and unfolded. Then the wheel is turned 60 times by 100 pixels, and the processor
time of the page's main thread is read from Chromium's trace, split into script, style, layout and paint. The baseline is a page with nothing
but a `<table>` of the same cells, whose headers stay: it has no framework around it and needs no script to scroll. Above 300,000 cells the
studio leaves out the finest level on the screen. A frame must be done within 16.7 ms to be shown at 60 frames a second.
"""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from runner import RESULTS

SIZES = (1_000, 10_000, 100_000, 250_000, 1_000_000)
COLUMNS = 100
LARGEST = 100_000
"""The baseline is run up to this size: it takes minutes beyond."""
SCREEN = {"width": 1920, "height": 1080}
TURNS, BY = 60, 100
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
)
CATEGORIES = ("devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel", "cc", "v8")
PARTS = {
    "script": ("FunctionCall", "FireAnimationFrame", "EventDispatch", "TimerFire", "RunMicrotasks", "v8.callFunction", "V8.GC"),
    "style": ("UpdateLayoutTree",),
    "layout": ("Layout", "LocalFrameView::performLayout", "LocalFrameView::layout"),
    "paint": ("Paint", "PrePaint", "Layerize", "Commit", "CullRectUpdate", "UpdateLayer", "LocalFrameView::Run"),
}  # fmt: skip
FRAME = "ProxyMain::BeginMainFrame"
PAINTED = "await new Promise(done => requestAnimationFrame(() => setTimeout(done)));"
GRID, TABLE = ".tkg", "#all"
FOLD = {
    GRID: "const grid = getElement(Number(document.querySelector('.tkg').id.slice(1))); grid.level(0, deep ? 9 : 1);",
    TABLE: "for (const row of document.querySelectorAll('[data-deep]')) row.hidden = !deep;",
}
HEADER = ("table", "cells", "elements", "shown after s", "frames", "script", "style", "layout", "paint", "ms a frame: median / 95 % / most", "fold / unfold all ms")  # fmt: skip


@dataclass(frozen=True)
class Scrolled:
    """Milliseconds of the main thread."""

    parts: dict[str, float]
    frames: list[float]

    def cells(self) -> list[str]:
        busy = [f"{self.parts[part] / TURNS:.1f}" for part in PARTS]
        ordered = sorted(self.frames)
        most = (
            f"{statistics.median(ordered):.1f} / {ordered[int(len(ordered) * 0.95)]:.1f} / {ordered[-1]:.1f}"
        )
        return [str(len(ordered)), *busy, most]


# -- the table --------------------------------------------------------------------------------------------------------


def codes(leaves, digits):
    """Codes of so many leaves with those above them, in preorder, and what each weighs."""
    ends = [f"{i:0{digits[-1]}d}" for i in range(leaves)]
    weight = Counter({"Total": 0})
    for i, end in enumerate(ends):
        for code in ("Total", *(end[:n] for n in digits)):
            weight[code] += i + 1
    below = sorted(code for code in weight if code != "Total")
    return {code: weight[code] for code in ("Total", *below)}


def make(cells, folder):
    """A file of cells with its plan; every cell is the product of the weights of its codes."""
    down, across = codes(max(cells // COLUMNS, 2), (2, 3, 4)), codes(COLUMNS - 10, (1, 2))
    lines = (f"{i},{j},{v * w},{v * w // 40}" for i, v in down.items() for j, w in across.items())
    (folder / "cells.csv").write_text("\n".join(["industry,region,value,firms", *lines]))
    (folder / "plan.yaml").write_text(
        "tarnkappe: 1\ntitle: cells\ntables:\n- name: cells\n  file: cells.csv\n  by: [industry, region]\n"
        "  columns: {value: value, count: firms}\n  rules: [{use: rule.minimum-frequency, n: 3}]\n"
        "  hierarchies: {industry: {digits: [2, 3, 4]}, region: {digits: [1, 2]}}\n"
    )
    return down, across


def plain(down, across, folder):
    """The same cells as a table of HTML."""
    head = "".join(f"<th>{code}</th>" for code in across)
    rows = (
        f"<tr{' data-deep' if len(i) > 2 and i != 'Total' else ''}><th>{i}</th>"
        + "".join(f"<td>{v * w:,}</td>" for w in across.values())
        + "</tr>"
        for i, v in down.items()
    )
    style = (
        "div {height: 680px; overflow: auto} table {border-spacing: 0; table-layout: fixed} th, td {width: 110px; height: 29px; padding: 0 8px; "
        "border-bottom: 1px solid #ddd; text-align: right} thead th {position: sticky; top: 0; background: #eee; z-index: 2} "
        "tbody th {position: sticky; left: 0; background: #fff}"
    )
    page = f"<!doctype html><style>{style}</style><div id=all><table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}"
    (folder / "plain.html").write_text(page)


# -- the browser ------------------------------------------------------------------------------------------------------


def traced(page, act):
    """What the browser tells of an act."""
    talk, events, over = page.context.new_cdp_session(page), [], []
    talk.on("Tracing.dataCollected", lambda told: events.extend(told["value"]))
    talk.on("Tracing.tracingComplete", lambda _: over.append(True))
    talk.send(
        "Tracing.start",
        {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": list(CATEGORIES)}},
    )
    act()
    talk.send("Tracing.end")
    while not over:
        page.wait_for_timeout(50)
    return events


def split(events):
    """Time of the busiest main thread by kind of work, each event without what lies inside it."""
    threads = [
        (e["pid"], e["tid"])
        for e in events
        if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    ]
    spans = {
        key: [e for e in events if e.get("ph") == "X" and (e["pid"], e["tid"]) == key] for key in threads
    }
    main = max(spans.values(), key=lambda found: sum(e["name"] == FRAME for e in found))
    alone: Counter = Counter()
    above: list[tuple[float, str]] = []
    for e in sorted(main, key=lambda e: (e["ts"], -e.get("dur", 0))):
        while above and above[-1][0] <= e["ts"]:
            above.pop()
        if above:
            alone[above[-1][1]] -= e.get("tdur", 0)
        alone[e["name"]] += e.get("tdur", 0)
        above.append((e["ts"] + e.get("dur", 0), e["name"]))
    parts = {part: sum(t for n, t in alone.items() if n.startswith(names)) / 1000 for part, names in PARTS.items()}  # fmt: skip
    return Scrolled(parts, [e.get("tdur", 0) / 1000 for e in main if e["name"] == FRAME])


def wheel(page, what, across=0):
    box = page.locator(what).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + min(box["height"], 500) / 2)

    def turn():
        for _ in range(TURNS):
            page.mouse.wheel(BY * across, BY * (1 - across))
            page.wait_for_timeout(16)

    return split(traced(page, turn))


def folded(page, what):
    """Median milliseconds until all rows are folded, and unfolded, and painted."""
    code = f"async deep => {{ const began = performance.now(); {FOLD[what]} {PAINTED} return performance.now() - began; }}"
    took = [[page.evaluate(code, deep) for deep in (False, True)] for _ in range(3)]
    return " / ".join(f"{statistics.median(one):.0f}" for one in zip(*took, strict=True))


def line(page, what, name, cells, shown):
    fold = folded(page, what)
    elements = page.evaluate(f"document.querySelectorAll('{what} *').length")
    rows = []
    for across, way in enumerate(("down", "across")):
        page.evaluate(f"() => {{ document.querySelector('{what}').scrollTo(0, 0); }}")
        page.wait_for_timeout(500)
        told = wheel(page, what, across)
        rows.append([f"{name}, {way}", f"{cells:,}", f"{elements:,}", f"{shown:.1f}", *told.cells(), fold])
    return rows


def ours(browser, address, folder, cells):
    page = browser.new_context(base_url=address, viewport=SCREEN).new_page()
    page.goto("/open")
    page.wait_for_timeout(1500)
    page.locator("input[type=file]").first.set_input_files([folder / "plan.yaml", folder / "cells.csv"])
    page.locator(".tkg-cell").first.wait_for(timeout=300_000)
    began = time.perf_counter()
    page.goto("/tables")
    page.locator(".tkg-cell").first.wait_for(timeout=300_000)
    shown = time.perf_counter() - began
    page.evaluate(f"() => {{ {FOLD[GRID].replace('deep ?', 'true ?')} grid.level(1, 9); }}")
    found = line(page, GRID, "studio", cells, shown)
    page.context.close()
    return found


def baseline(browser, folder, cells):
    page = browser.new_context(viewport=SCREEN).new_page()
    began = time.perf_counter()
    page.goto((folder / "plain.html").as_uri(), timeout=300_000)
    page.evaluate(f"async () => {{ {PAINTED} }}")
    found = line(page, TABLE, "plain HTML", cells, time.perf_counter() - began)
    page.context.close()
    return found


# -- the studio -------------------------------------------------------------------------------------------------------


def started(home):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tarnkappe", "studio", "--no-show", "--port", str(port)]
    process = subprocess.Popen(
        command,
        env={**os.environ, "XDG_RUNTIME_DIR": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    while process.poll() is None:
        try:
            urllib.request.urlopen(address + "/open", timeout=5).read()
        except OSError:
            time.sleep(0.2)
        else:
            return process, address
    raise RuntimeError("the studio did not start")


@contextmanager
def studio(home):
    process, address = started(home)
    try:
        yield address
    finally:
        process.terminate()
        process.wait(30)


def both(browser, address, folder, size):
    folder.mkdir()
    down, across = make(size, folder)
    cells = len(down) * len(across)
    found = ours(browser, address, folder, cells)
    if size > LARGEST:
        return found
    plain(down, across, folder)
    return found + baseline(browser, folder, cells)


def run(sizes, chromium):
    from playwright.sync_api import sync_playwright

    rows = []
    with (
        tempfile.TemporaryDirectory() as home,
        sync_playwright() as play,
        studio(home) as address,
        play.chromium.launch(executable_path=chromium, args=list(FLAGS)) as browser,
    ):
        for size in sizes:
            found = both(browser, address, Path(home) / f"cells-{size}", size)
            print(*(" | ".join(row) for row in found), sep="\n", flush=True)
            rows += found
    return rows


def write(rows):
    lines = [f"| {' | '.join(cells)} |" for cells in (HEADER, ["---"] * len(HEADER), *rows)]
    notes = (
        f"- {os.cpu_count()} processors, load {os.getloadavg()[0]:.0f} at the end; milliseconds of the main thread, tracing included: its parts per turn of the wheel, the whole per frame",
        f"- {TURNS} turns of the wheel by {BY} pixels, {SCREEN['width']} × {SCREEN['height']}, Chromium without a graphics card",
    )
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "studio.md").write_text("\n".join([*lines, "", *notes, ""]), encoding="utf-8")


if __name__ == "__main__":
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        print("  no Chromium here: the studio is not measured")
    else:
        write(run([int(size) for size in sys.argv[1:]] or SIZES, found))
