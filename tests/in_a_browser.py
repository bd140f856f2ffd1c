"""A real browser in tests: what is waited for is a state of the page, never a length of time, so that slow and busy machines agree.

`expect` asks until a state is there. Menus that close, rows that move and boxes that are laid out are waited for by the helpers.
"""

from __future__ import annotations

import re
import shutil

from playwright.sync_api import expect

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE = 360_000
"""Milliseconds until a state counts as missing: kernels may have to be compiled, on a machine that is busy."""

RESTS = """async element => {
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const at = () => JSON.stringify(element.getBoundingClientRect());
  for (let before = at(), still = 0; still < 5; ) {
    await frame();
    still = before === (before = at()) ? still + 1 : 0;
  }
}"""

expect.set_options(timeout=PATIENCE)


def choose(page, label: str, option: str) -> None:
    """Choose what begins with a word from a menu, and wait until its list is gone: while it fades, its options are still found."""
    page.get_by_label(label).click()
    beginning = re.compile(rf"^\s*{re.escape(option)}\b")
    page.get_by_role("listbox").get_by_role("option", name=beginning).click()
    expect(page.get_by_role("listbox")).to_have_count(0)


def resting_box(locator) -> dict[str, float]:
    """Where something stands once it does not move any more."""
    locator.scroll_into_view_if_needed()
    locator.evaluate(RESTS)
    return locator.bounding_box()


def drag(page, grip, end: tuple[float, float], there) -> None:
    """Take `grip` to a point of the screen and let go when its ghost is where `there` looks for it.

    What is dragged over may be moving itself and not take the ghost yet, so the pointer goes on moving a little.
    """
    start = resting_box(grip)
    x, y = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 6, y + 6, steps=4)
    page.locator(".tk-ghost").wait_for()
    page.mouse.move(*end, steps=12)
    for nudge in range(2000):
        if there.count():
            break
        page.mouse.move(end[0] + nudge % 3, end[1] + nudge % 2)
    expect(there).to_have_count(1)
    page.mouse.up()
