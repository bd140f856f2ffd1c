(() => {
  const root = document.documentElement;
  const buttons = document.querySelectorAll("[data-lang], [data-to]");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const mark = () => buttons.forEach(b => b.setAttribute("aria-pressed",
    b.dataset.lang ? b.dataset.lang === root.lang : (b.dataset.to === "dark") === dark()));
  buttons.forEach(b => b.addEventListener("click", () => {
    if (b.dataset.lang) root.lang = b.dataset.lang; else root.dataset.theme = b.dataset.to;
    mark();
  }));
  const depth = row => +row.dataset.depth;
  const fold = (button, open) => {
    const row = button.closest("tr");
    button.setAttribute("aria-expanded", open);
    for (let r = row.nextElementSibling; r && depth(r) > depth(row); r = r.nextElementSibling) {
      r.hidden = !open;
      r.querySelector("button")?.setAttribute("aria-expanded", open);
    }
  };
  document.querySelectorAll(".grid button").forEach(b => {
    b.addEventListener("click", () => fold(b, b.getAttribute("aria-expanded") === "false"));
    if (b.closest(".folded") && depth(b.closest("tr")) === 1) fold(b, false);
  });
  const tip = document.body.appendChild(document.createElement("div"));
  tip.className = "tip";
  tip.hidden = true;
  const terms = document.querySelectorAll("dfn[title]");
  terms.forEach(term => {
    term.tabIndex = 0;
    term.dataset.means = term.title;
    term.setAttribute("aria-description", term.title);
    term.removeAttribute("title");
  });
  const tell = event => {
    const place = event.target.closest?.(".grid td, dfn[data-means]"), why = place?.querySelector(".why");
    tip.hidden = !(why || place?.dataset.means);
    if (tip.hidden) return;
    if (why) tip.replaceChildren(...why.cloneNode(true).childNodes); else tip.textContent = place.dataset.means;
    const box = place.getBoundingClientRect();
    const below = box.bottom + tip.offsetHeight + 8 < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(box.left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${below ? box.bottom + 4 : box.top - tip.offsetHeight - 4}px`;
  };
  document.addEventListener("mouseover", tell);
  document.addEventListener("focusin", tell);
  document.addEventListener("focusout", () => { tip.hidden = true; });
  addEventListener("keydown", event => { if (event.key === "Escape") tip.hidden = true; });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));
  root.classList.add("js");
  mark();
})();
