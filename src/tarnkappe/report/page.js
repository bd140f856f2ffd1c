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
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));
  root.classList.add("js");
  mark();
})();
