(() => {
  const model = document.getElementById("tools");
  const figures = [...document.querySelectorAll(".drawing")];
  if (!model || !figures.length) return;
  const add = (parent, tag, name, text) => {
    const made = parent.appendChild(document.createElement(tag));
    if (name) made.className = name;
    if (text) made.textContent = text;
    return made;
  };

  /* ---- read-out: what the mark under the pointer, or reached by key, says ---- */
  const tip = add(document.body, "div", "tip readout");
  const spoken = add(document.body, "div", "unseen");
  spoken.setAttribute("aria-live", "polite");
  tip.hidden = true;
  let lit = [];
  const hide = () => {
    tip.hidden = true;
    lit.forEach(mark => mark.classList.remove("lit"));
    lit = [];
  };
  const cells = line => line.split(":\u2002");
  const show = (svg, says, x, y) => {
    hide();
    lit = svg.marks.get(says);
    lit.forEach(mark => mark.classList.add("lit"));
    const [name, ...lines] = says.split("\n");
    tip.replaceChildren();
    add(tip, "b", "", name);
    lines.map(cells).forEach(([word, value]) => {
      const row = add(tip, "span", "figure");
      add(row, "span", "", word);
      add(row, "span", "value", value);
    });
    (svg.closest("dialog") ?? document.body).append(tip);
    tip.hidden = false;
    const [w, h] = [tip.offsetWidth, tip.offsetHeight];
    tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - w - 8))}px`;
    tip.style.top = `${y - h - 12 > 8 ? y - h - 12 : Math.min(y + 18, innerHeight - h - 8)}px`;
  };
  const middle = mark => {
    const box = mark.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const near = (svg, x, y) => {
    let best = 24, found = null;
    svg.marks.forEach(marks => marks.forEach(mark => {
      const [a, b] = middle(mark), away = Math.hypot(a - x, b - y);
      if (away < best) [best, found] = [away, mark];
    }));
    return found;
  };
  const point = event => {
    const svg = event.currentTarget;
    if (svg.brushing) return;
    const mark = event.target.closest("[data-says]") ?? near(svg, event.clientX, event.clientY);
    if (mark) show(svg, mark.dataset.says, event.clientX, event.clientY); else hide();
  };
  const step = event => {
    const svg = event.currentTarget, all = [...svg.marks.keys()];
    const to = {ArrowRight: svg.at + 1, ArrowDown: svg.at + 1, ArrowLeft: svg.at - 1, ArrowUp: svg.at - 1,
      Home: 0, End: all.length - 1}[event.key];
    if (event.key === "Escape" && !tip.hidden) { hide(); event.stopPropagation(); event.preventDefault(); }
    if (to === undefined || !all.length) return;
    event.preventDefault();
    svg.at = Math.max(0, Math.min(all.length - 1, to));
    show(svg, all[svg.at], ...middle(svg.marks.get(all[svg.at])[0]));
    spoken.textContent = all[svg.at].replaceAll("\n", ", ");
  };
  const attach = svg => {
    svg.querySelectorAll("title").forEach(title => {
      title.parentNode.dataset.says = title.textContent;
      title.remove();
    });
    svg.marks = new Map();
    svg.at = -1;
    svg.querySelectorAll("[data-says]").forEach(mark => {
      const says = mark.dataset.says;
      svg.marks.set(says, [...(svg.marks.get(says) ?? []), mark]);
    });
    if (!svg.marks.size) return;
    svg.tabIndex = 0;
    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerdown", point);
    svg.addEventListener("pointerleave", event => { if (event.pointerType !== "touch") hide(); });
    svg.addEventListener("keydown", step);
    svg.addEventListener("blur", hide);
  };
  document.addEventListener("pointerdown", event => { if (!event.target.closest(".drawing svg, dialog svg")) hide(); });
  addEventListener("scroll", hide, {passive: true});

  /* ---- before and after can be switched off in the legend ---- */
  document.querySelectorAll(".legend [data-shows]").forEach(word => {
    const scope = word.closest("figure, .chart"), side = word.dataset.shows;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...word.childNodes);
    button.setAttribute("aria-pressed", "true");
    word.replaceChildren(button);
    button.addEventListener("click", () => {
      const gone = scope.classList.toggle(`without-${side}`);
      button.setAttribute("aria-pressed", String(!gone));
    });
  });

  /* ---- data as a table: every reading once ---- */
  const tabled = svg => {
    const kinds = new Map();
    svg.marks.forEach((_, says) => {
      const [name, ...lines] = says.split("\n"), pairs = lines.map(cells), key = pairs.map(pair => pair[0]).join("\n");
      kinds.set(key, [...(kinds.get(key) ?? []), [name, ...pairs.map(pair => pair[1])]]);
    });
    const box = document.createElement("div");
    box.className = "scroll data";
    box.tabIndex = 0;
    kinds.forEach((rows, key) => {
      const table = add(box, "table");
      add(table, "caption", "", svg.getAttribute("aria-label"));
      const head = add(add(table, "thead"), "tr");
      add(head, "td");
      key.split("\n").forEach(word => { add(head, "th", "num", word).scope = "col"; });
      const body = add(table, "tbody");
      rows.forEach(([name, ...values]) => {
        const row = add(body, "tr");
        add(row, "th", "", name).scope = "row";
        values.forEach(value => add(row, "td", "num", value));
      });
    });
    return box;
  };

  /* ---- to take along ---- */
  const named = place => {
    const title = place.closest("figure, article, section")?.querySelector("h3, h2");
    const word = [...title?.querySelectorAll(`[lang="${document.documentElement.lang}"]`) ?? []][0] ?? title;
    return (word?.textContent ?? "").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase() || "picture";
  };
  const save = (text, type, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const painted = svg => {
    const root = document.documentElement, theme = root.dataset.theme, copy = svg.cloneNode(true);
    root.dataset.theme = "light";
    const style = getComputedStyle(root);
    copy.querySelectorAll("*").forEach(part => ["fill", "stroke"].forEach(name => {
      const variable = part.getAttribute(name)?.match(/^var\((.*)\)$/)?.[1];
      if (variable) part.setAttribute(name, style.getPropertyValue(variable).trim());
    }));
    const paper = document.createElementNS(svg.namespaceURI, "rect");
    Object.entries({width: "100%", height: "100%", fill: style.getPropertyValue("--paper").trim()})
      .forEach(([name, value]) => paper.setAttribute(name, value));
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    copy.prepend(paper);
    copy.querySelectorAll("[data-says]").forEach(mark => {
      mark.prepend(document.createElementNS(svg.namespaceURI, "title"));
      mark.firstChild.textContent = mark.dataset.says;
      ["data-says", "data-side", "class"].forEach(name => mark.removeAttribute(name));
    });
    copy.removeAttribute("tabindex");
    copy.setAttribute("font-family", "Liberation Sans, Arial, sans-serif");
    return new XMLSerializer().serializeToString(copy);
  };

  /* ---- enlarged: the whole window for one picture; drag a frame to look closer ---- */
  const dialog = add(document.body, "dialog", "large");
  const closer = svg => {
    const whole = svg.getAttribute("viewBox"), frame = document.createElementNS(svg.namespaceURI, "rect");
    frame.setAttribute("class", "frame-drawn");
    const at = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let from = null;
    svg.addEventListener("pointerdown", event => { from = at(event); svg.setPointerCapture(event.pointerId); });
    svg.addEventListener("pointermove", event => {
      if (!from) return;
      const to = at(event), [w, h] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
      svg.brushing = svg.brushing || w + h > 12;
      if (!svg.brushing) return;
      hide();
      Object.entries({x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), width: w, height: h})
        .forEach(([name, value]) => frame.setAttribute(name, value));
      svg.append(frame);
    });
    svg.addEventListener("pointerup", () => {
      if (svg.brushing && +frame.getAttribute("width") > 8 && +frame.getAttribute("height") > 8)
        svg.setAttribute("viewBox", ["x", "y", "width", "height"].map(name => frame.getAttribute(name)).join(" "));
      frame.remove();
      from = null;
      svg.brushing = false;
    });
    const back = () => svg.setAttribute("viewBox", whole);
    svg.addEventListener("dblclick", back);
    return back;
  };
  const enlarge = drawing => {
    const svg = drawing.querySelector("svg").cloneNode(true), bar = model.content.querySelector(".bar").cloneNode(true);
    const legend = drawing.closest("figure, .chart")?.querySelector(".legend")?.cloneNode(true);
    legend?.querySelectorAll("button").forEach(button => button.replaceWith(...button.childNodes));
    const off = [...drawing.closest("figure, .chart")?.classList ?? []].filter(name => name.startsWith("without-"));
    dialog.className = ["large", ...off].join(" ");
    dialog.replaceChildren(bar, ...(legend ? [legend] : []), svg);
    dialog.setAttribute("aria-label", svg.getAttribute("aria-label"));
    attach(svg);
    const back = closer(svg);
    bar.querySelector("[data-do=close]").addEventListener("click", () => dialog.close());
    bar.querySelector("[data-do=whole]").addEventListener("click", back);
    dialog.showModal();
    bar.querySelector("[data-do=close]").focus();
  };
  dialog.addEventListener("close", hide);
  dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });

  figures.forEach(drawing => {
    const svg = drawing.querySelector("svg"), bar = model.content.querySelector(".tools").cloneNode(true);
    attach(svg);
    drawing.append(bar);
    const act = {
      enlarge: () => enlarge(drawing),
      table: button => {
        const there = drawing.querySelector(".data");
        if (there) there.remove(); else drawing.append(tabled(svg));
        button.setAttribute("aria-expanded", String(!there));
      },
      svg: () => save(painted(svg), "image/svg+xml", `${named(drawing)}.svg`),
      vega: () => {
        const schema = {$schema: "https:" + "//vega.github.io/schema/vega-lite/v6.json"};
        const spec = JSON.parse(drawing.querySelector("template").content.textContent);
        save(JSON.stringify({...schema, ...spec}, null, 1), "application/json", `${named(drawing)}.vl.json`);
      },
    };
    bar.querySelectorAll("button").forEach(button => {
      if (button.dataset.do === "table" && !svg.marks.size) button.remove();
      button.addEventListener("click", () => act[button.dataset.do](button));
    });
  });
})();
