// A statistical table that scrolls: only what is seen is drawn. Rows and columns are trees in preorder (text, depth, number of codes
// below), headers and first column stay. All content is set as text, never as HTML.
const ROW = 30, LINE = 32, OVER = 6, STEP = 4;

export default {
  template: `<div class="tkg" tabindex="0" role="grid"></div>`,
  props: { rows: Object, cols: Object, values: Array, kinds: String, texts: Object, corner: Array, signs: Object, words: Object, says: Object, decimals: Number, lang: String, open: Array, first: Number },
  mounted() {
    this.axes = [this.axis(this.rows, this.open[0]), this.axis(this.cols, this.open[1])];
    this.at = null;
    this.drawn = new Map();
    this.format = new Intl.NumberFormat(this.lang === "de" ? "de-DE" : "en-GB", { minimumFractionDigits: this.decimals, maximumFractionDigits: this.decimals });
    this.width = this.widest();
    this.$el.setAttribute("aria-label", this.says.label);
    this.$el.setAttribute("aria-colcount", this.cols.text.length + 1);
    this.$el.setAttribute("aria-rowcount", this.rows.text.length + 1);
    this.inner = this.made("div", "tkg-inner");
    this.head = this.made("div", "tkg-head", "row");
    this.inner.append(this.head);
    this.$el.append(this.inner);
    this.$el.addEventListener("scroll", () => this.ask(), { passive: true });
    this.$el.addEventListener("click", (event) => this.clicked(event));
    this.$el.addEventListener("keydown", (event) => this.pressed(event));
    this.watcher = new ResizeObserver(() => { if (this.at) this.reveal(); this.ask(); });
    this.watcher.observe(this.$el);
    this.layout();
  },
  unmounted() {
    this.watcher?.disconnect();
    cancelAnimationFrame(this.asked);
  },
  methods: {
    // Cells are named by place: "…-3-7"; heads of rows "…-3-h", of columns "…-h-7".
    // -- trees --------------------------------------------------------------------------------------------------
    axis(given, level) {
      const axis = { ...given, closed: new Set(), seen: [], place: new Map() };
      axis.depth.forEach((depth, i) => { if (axis.size[i] && depth >= level) axis.closed.add(i); });
      this.unfold(axis);
      return axis;
    },
    unfold(axis) {
      axis.seen = [];
      axis.place.clear();
      for (let i = 0; i < axis.text.length; i += axis.closed.has(i) ? axis.size[i] + 1 : 1) {
        axis.place.set(i, axis.seen.length);
        axis.seen.push(i);
      }
    },
    toggle(which, i) {
      const axis = this.axes[which];
      if (!axis.size[i]) return;
      if (!axis.closed.delete(i)) axis.closed.add(i);
      this.unfold(axis);
      this.keepActive();
      this.layout();
    },
    level(which, level) {
      this.axes[which] = this.axis(which ? this.cols : this.rows, level);
      this.keepActive();
      this.layout();
    },
    keepActive() {
      if (!this.at) return;
      this.at = this.at.map((i, which) => { // what is folded away is found at the code above it
        const axis = this.axes[which];
        while (i > 0 && !axis.place.has(i)) i--;
        return i;
      });
    },
    // -- drawing ------------------------------------------------------------------------------------------------
    made(tag, name, role) {
      const element = document.createElement(tag);
      element.className = name;
      if (role) element.setAttribute("role", role);
      return element;
    },
    widest() {
      let least = 0, most = 0;
      for (const value of this.values) if (value !== null) { if (value > most) most = value; else if (value < least) least = value; }
      const digits = Math.max(this.format.format(most).length, this.format.format(least).length + 1, ...Object.values(this.texts).map((text) => text.length));
      return Math.min(Math.max(92, digits * 8 + 40), 220);
    },
    layout() {
      const [rows, cols] = this.axes;
      this.lines = Math.max(1, ...cols.seen.map((j) => cols.depth[j]));
      this.headHeight = this.lines * LINE;
      this.inner.style.width = `${this.first + cols.seen.length * this.width}px`;
      this.inner.style.setProperty("--wide", `${this.width}px`);
      this.inner.style.height = `${this.headHeight + rows.seen.length * ROW}px`;
      this.window = null;
      this.draw();
    },
    ask() {
      this.asked ??= requestAnimationFrame(() => { this.asked = null; this.draw(); });
    },
    span(start, size, unit, count) {
      const from = Math.max(0, Math.floor(start / unit / STEP) * STEP - OVER);
      return [from, Math.min(count, Math.ceil((start + size) / unit / STEP) * STEP + OVER)];
    },
    draw() {
      const { scrollTop, scrollLeft, clientHeight, clientWidth } = this.$el, [rows, cols] = this.axes;
      const down = this.span(scrollTop, clientHeight - this.headHeight, ROW, rows.seen.length);
      const across = this.span(scrollLeft, clientWidth - this.first, this.width, cols.seen.length);
      const now = [...down, ...across];
      if (this.window && now.every((n, k) => n === this.window[k])) return;
      const before = this.window?.slice(2) ?? [0, 0];
      if (!this.window || across[0] !== before[0] || across[1] !== before[1]) this.drawHead(across);
      if (!this.window) this.clear();
      this.window = now;
      const fresh = document.createDocumentFragment();
      for (const [k, row] of this.drawn) {
        if (k >= down[0] && k < down[1]) this.widen(row, before, across);
        else { row.element.remove(); this.drawn.delete(k); }
      }
      for (let k = down[0]; k < down[1]; k++) if (!this.drawn.has(k)) fresh.append(this.drawRow(k, across));
      this.inner.append(fresh);
      this.showActive();
    },
    clear() {
      this.drawn.forEach((row) => row.element.remove());
      this.drawn.clear();
    },
    drawRow(k, across) {
      const rows = this.axes[0], i = rows.seen[k];
      const element = this.made("div", "tkg-row" + (rows.size[i] ? " tkg-sum" : "") + (rows.depth[i] ? "" : " tkg-top"), "row");
      element.style.top = `${this.headHeight + k * ROW}px`;
      element.setAttribute("aria-rowindex", i + 2);
      element.append(this.title(0, i, "rowheader"));
      const row = { i, element, cells: new Map() };
      this.drawn.set(k, row);
      this.widen(row, [0, 0], across);
      return element;
    },
    widen(row, before, [from, to]) { // cells that came into view are added, those that left it go
      if (before[0] === from && before[1] === to) return;
      for (const [n, cell] of row.cells) if (n < from || n >= to) { cell.remove(); row.cells.delete(n); }
      for (let n = from; n < to; n++) if (!row.cells.has(n)) {
        const cell = this.cell(row.i, this.axes[1].seen[n], n);
        row.cells.set(n, cell);
        row.element.append(cell);
      }
    },
    cell(i, j, n) {
      const at = i * this.cols.text.length + j, letter = this.kinds[at], kind = letter.toLowerCase();
      const cell = this.made("div", `tkg-cell tkg-${kind}${letter !== kind ? " tkg-leak" : ""}`, "gridcell");
      cell.style.left = `${this.first + n * this.width}px`;
      cell.id = `${this.$el.id}-${i}-${j}`;
      cell.setAttribute("aria-colindex", j + 2);
      const value = this.values[at], text = this.texts[at] ?? (value === null ? "" : this.format.format(value));
      const sign = (letter !== kind ? "!" : "") + (this.signs[kind] ?? "");
      if (sign) {
        const mark = this.made("span", "tkg-sign");
        mark.textContent = sign;
        cell.append(mark);
      }
      cell.append(text);
      const word = this.words[letter];
      if (word) cell.setAttribute("aria-label", `${text} ${word}`.trim());
      return cell;
    },
    title(which, i, role) {
      const axis = this.axes[which], title = this.made("div", "tkg-title", role);
      title.id = which ? `${this.$el.id}-h-${i}` : `${this.$el.id}-${i}-h`;
      title.title = axis.text[i];
      if (!which) { title.style.width = `${this.first}px`; title.style.paddingLeft = `${10 + 16 * Math.min(axis.depth[i], 8)}px`; }
      if (axis.size[i]) {
        const closed = axis.closed.has(i), button = this.made("button", "tkg-toggle");
        button.tabIndex = -1;
        button.textContent = closed ? "▸" : "▾";
        button.setAttribute("aria-label", `${closed ? this.says.open : this.says.close}: ${axis.text[i]}`);
        title.setAttribute("aria-expanded", String(!closed));
        title.append(button);
      } else if (!which) title.append(this.made("span", "tkg-toggle"));
      const text = this.made("span", "tkg-text");
      text.textContent = axis.text[i];
      title.append(text);
      return title;
    },
    drawHead([from, to]) {
      const axis = this.axes[1], parts = [];
      const corner = this.made("div", "tkg-corner" + (this.lines > 1 ? "" : " tkg-flat"), "columnheader");
      corner.style.width = `${this.first}px`;
      corner.style.height = `${this.headHeight}px`;
      for (const word of this.corner) { const line = this.made("span", ""); line.textContent = word; corner.append(line); }
      axis.seen.forEach((j, n) => {
        const depth = axis.depth[j], line = Math.max(depth - 1, 0), open = axis.size[j] && !axis.closed.has(j) && depth > 0;
        let across = 1;
        if (open) while (n + across < axis.seen.length && axis.seen[n + across] <= j + axis.size[j]) across++;
        if (n >= to || n + across <= from) return;
        const place = (element, top, lines, width) => {
          element.style.left = `${this.first + n * this.width}px`;
          element.style.top = `${top * LINE}px`;
          element.style.width = `${width * this.width}px`;
          element.style.height = `${lines * LINE}px`;
          parts.push(element);
        };
        const title = this.title(1, j, "columnheader");
        title.setAttribute("aria-colindex", j + 2);
        title.classList.add("tkg-column");
        if (!open) return place(title, line, this.lines - line, 1);
        title.classList.add("tkg-group");
        title.firstChild.style.left = `${this.first + 8}px`;
        title.lastChild.style.left = `${this.first + 30}px`;
        place(title, line, 1, across);
        const own = this.made("div", "tkg-title tkg-column tkg-own", "presentation");
        own.textContent = this.says.sum;
        place(own, line + 1, this.lines - line - 1, 1);
      });
      this.head.style.height = `${this.headHeight}px`;
      this.head.replaceChildren(corner, ...parts);
    },
    // -- choosing -----------------------------------------------------------------------------------------------
    clicked(event) {
      const place = event.target.closest(".tkg-cell, .tkg-title")?.id.split("-").slice(-2);
      if (!place?.[1]) return;
      this.at = place.map((word) => (word === "h" ? -1 : Number(word)));
      if (event.target.closest("button") || !this.at.includes(-1)) this.choose();
      this.showActive();
    },
    choose() {
      const [i, j] = this.at;
      if (i < 0 && j < 0) return;
      if (i < 0) this.toggle(1, j);
      else if (j < 0) this.toggle(0, i);
      else if (this.kinds[i * this.cols.text.length + j] !== "-") this.$emit("cell", { row: i, col: j });
    },
    pressed(event) {
      const moves = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [15, 0], PageUp: [-15, 0], Home: [0, -Infinity], End: [0, Infinity] };
      if (event.key in moves) this.move(...moves[event.key]);
      else if ((event.key === "Enter" || event.key === " ") && this.at) this.choose();
      else return;
      event.preventDefault();
    },
    move(down, across) {
      const go = (which, by) => {
        const axis = this.axes[which], now = this.at[which] < 0 ? -1 : axis.place.get(this.at[which]);
        const next = Math.min(Math.max(now + by, -1), axis.seen.length - 1);
        return next < 0 ? -1 : axis.seen[next];
      };
      this.at = this.at ? [go(0, down), go(1, across)] : [0, 0];
      if (this.at[0] < 0 && this.at[1] < 0) this.at[down ? 0 : 1] = 0;
      this.reveal();
    },
    look(i, j) { // show a cell that is looked at, whatever is folded above it
      [i, j].forEach((to, which) => {
        const axis = this.axes[which];
        for (const at of [...axis.closed]) if (at < to && to <= at + axis.size[at]) axis.closed.delete(at);
        this.unfold(axis);
      });
      this.at = [i, j];
      this.layout();
      this.reveal();
    },
    reveal() {
      const [k, n] = this.at.map((i, which) => (i < 0 ? -1 : this.axes[which].place.get(i))), el = this.$el;
      const room = [el.clientHeight - this.headHeight, el.clientWidth - this.first];
      if (k >= 0 && k * ROW < el.scrollTop) el.scrollTop = k * ROW;
      else if (k >= 0 && (k + 1) * ROW > el.scrollTop + room[0]) el.scrollTop = (k + 1) * ROW - room[0] + 12;
      if (n >= 0 && n * this.width < el.scrollLeft) el.scrollLeft = n * this.width;
      else if (n >= 0 && (n + 1) * this.width > el.scrollLeft + room[1]) el.scrollLeft = (n + 1) * this.width - room[1] + 12;
      this.draw();
      this.showActive();
    },
    showActive() {
      this.$el.querySelector(".tkg-on")?.classList.remove("tkg-on");
      if (!this.at) return;
      const [i, j] = this.at, id = `${this.$el.id}-${i < 0 ? "h" : i}-${j < 0 ? "h" : j}`;
      const element = document.getElementById(id);
      element?.classList.add("tkg-on");
      this.$el.setAttribute("aria-activedescendant", element ? id : "");
    },
  },
};
