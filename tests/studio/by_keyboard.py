"""A person at the keyboard of a real browser, and an eye for what others could not use."""

from __future__ import annotations

import pytest

REACHED = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const around = e.tabIndex < 0; // a dialog that has just opened has the focus itself: what stands in it is not its name
  const name = e.getAttribute("aria-label") || [...(e.labels || [])].map(l => l.innerText).join(" ") || (around ? "" : e.innerText) || "";
  const style = getComputedStyle(e), box = e.getBoundingClientRect();
  return {
    name: [...name.matchAll(/[^\\n]+/g)].map(m => m[0]).join(" / "), tag: e.tagName, page: e.tagName === "A" && !!e.closest("nav"),
    ring: around || style.outlineStyle !== "none" || !!e.closest(".q-field--focused") || !!e.closest(".ag-root-wrapper") || e.tagName === "IFRAME",
    seen: box.bottom > 0 && box.top < innerHeight && box.width > 0,
  };
}"""
PAGES = ("Open", "Describe", "Hierarchies", "Risk", "Protect", "Compare", "Tables", "Release")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
AUDIT = """async ([part, only, dark, contrast]) => {
  Quasar.Dark.set(dark);
  await new Promise(done => setTimeout(done, 20));
  const over = document.getAnimations().map(a => a.finished.catch(() => 0));
  await Promise.race([Promise.all(over), new Promise(done => setTimeout(done, 800))]);
  const found = await axe.run({include: part, exclude: ".q-loading-bar"}, {runOnly: only, resultTypes: ["violations"], rules: {"color-contrast": {enabled: contrast}}});
  const ours = v => n => v.id !== "color-contrast" || !document.querySelector(n.target[0]).closest(".q-btn.bg-primary");
  return found.violations.filter(v => ["serious", "critical"].includes(v.impact))
    .map(v => [v.id, v.nodes.filter(ours(v)).map(n => n.html.slice(0, 160) + ": " + (n.any[0] || {}).message)])
    .filter(v => v[1].length);
}"""
"""The line at the top while a page loads is Quasar's and has no name. Of buttons in the accent colour axe misses the background where a part is fixed; test_style knows their contrast."""


class Keyboard:
    """Goes through a page by Tab and acts by Enter, Space and Escape; every place it comes to must be seen."""

    def __init__(self, tab):
        self.tab = tab

    def press(self, *keys: str) -> None:
        for key in keys:
            self.tab.keyboard.press(key)

    def at(self):
        """Where the focus is."""
        return self.tab.evaluate(REACHED)

    def to(self, name: str, *, back: bool = False, most: int = 120, page: bool = False) -> None:
        """Tab until the element of that name, or whose name begins so, has the focus.

        Links to pages count only where a `page` is looked for: they have icons whose names begin like other things, and a page that is drawn
        anew lets go of the focus, so that one comes past them again.
        """
        passed = []
        for _ in range(most):
            self.press("Shift+Tab" if back else "Tab")
            reached = self.at()
            if reached is None:
                continue
            assert reached["ring"], f"nobody sees that the focus is here: {reached}"
            words = reached["name"].split(" / ")
            passed.append(reached["name"][:40])
            if reached["page"] == page and any(word.startswith(name) for word in words):
                assert reached["seen"], reached
                return
        raise AssertionError((name, passed))

    def use(self, name: str, key: str = "Enter", **how) -> None:
        self.to(name, **how)
        self.press(key)

    def turn_to(self, title: str) -> None:
        """Open a page by its link, and go on behind the links."""
        self.use(title, page=True)
        self.tab.get_by_role("heading", name=title, level=1).wait_for()
        self.tab.locator(".q-skeleton").first.wait_for(state="detached")
        self.press("Tab")
        assert self.at()["name"] == "Skip to content"
        self.press("Enter")


class Eye:
    """axe, the engine of browsers' own accessibility checks, over what is on the page."""

    def __init__(self, tab):
        base = pytest.importorskip("axe_playwright_python.base")
        self.tab, self._script = tab, base.AXE_SCRIPT
        tab.emulate_media(reduced_motion="reduce")  # no colour is on its way to another

    def look(self, where: str) -> None:
        """Nothing serious in the light, and enough contrast in the dark; the page is looked at unscrolled."""
        was = self.tab.viewport_size
        self.tab.set_viewport_size({"width": was["width"], "height": 2400})
        self._audit(where, "body", RULES)
        self._audit(f"{where}, dark", "body", {"type": "rule", "values": ["color-contrast"]}, dark=True)
        self.tab.evaluate("Quasar.Dark.set(false)")
        self.tab.set_viewport_size(was)

    def look_at_dialog(self, where: str) -> None:
        """The dialog that is open; of what lies over something else axe takes the background from below."""
        self._audit(where, "[role=dialog]", RULES, contrast=False)

    def _audit(self, where, part, rules, *, dark=False, contrast=True) -> None:
        if not self.tab.evaluate("'axe' in window"):
            self.tab.evaluate(self._script)
        found = self.tab.evaluate(AUDIT, [part, rules, dark, contrast])
        assert not found, f"{where}: {found}"
