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
  document.addEventListener("mouseover", event => {
    const cell = event.target.closest(".grid td"), why = cell && cell.querySelector(".why");
    tip.hidden = !why;
    if (!why) return;
    tip.replaceChildren(...why.cloneNode(true).childNodes);
    const place = cell.getBoundingClientRect();
    const below = place.bottom + tip.offsetHeight + 8 < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(place.left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${below ? place.bottom + 4 : place.top - tip.offsetHeight - 4}px`;
  });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));
  root.classList.add("js");
  mark();
})();
