// A statistical table that scrolls. Rows and columns are trees in preorder (text, depth, number of codes below); headers and first
// column stay. Only what is seen has elements, and these are used again and again: what leaves the screen comes back on its other
// side with other text. While it scrolls, texts and attributes change and no class or element does: Tailwind would search the whole
// page each time. All content is set as text, never as HTML. Why it is so: docs/decisions/0013-table-grid.md.
import { toRaw } from "vue";

const ROW = 30, LINE = 36, OVER = [6, 2], REST = 300;

export default {
  template: `<div class="tkg" tabindex="0" role="grid"></div>`,
  props: { rows: Object, cols: Object, values: String, kinds: String, texts: Object, corner: Array, signs: Object, words: Object, says: Object, decimals: Number, lang: String, open: Array, wide: Number },
  mounted() {
    const bare = (object) => Object.fromEntries(Object.entries(toRaw(object)).map(([name, value]) => [name, toRaw(value)]));
    this.grid = new Grid(this.$el, { ...bare(this.$props), trees: [bare(this.rows), bare(this.cols)] }, (row, col) => this.$emit("cell", { row, col }));
  },
  unmounted() { this.grid.close(); },
  methods: {
    level(which, level) { this.grid.level(which, level); },
    look(row, col) { this.grid.look(row, col); },
  },
};

class Grid {
  constructor(element, given, chosen) {
    const { trees, says, open } = Object.assign(this, given, { element, chosen });
    this.numbers = numbers(given.values);
    this.format = new Intl.NumberFormat(this.lang === "de" ? "de-DE" : "en-GB", { minimumFractionDigits: this.decimals, maximumFractionDigits: this.decimals });
    this.axes = open.map((level, which) => this.axis(which, level));
    this.unit = [ROW, this.widest()];
    this.at = this.on = null;
    this.pool = [];
    this.spare = [];
    this.titles = new Map();
    this.inner = made("div", "tkg-inner");
    this.inner.style.setProperty("--wide", `${this.unit[1]}px`);
    this.head = made("div", "tkg-head", { role: "row", "aria-rowindex": 1 });
    this.side = made("div", "tkg-side");
    this.body = made("div", "tkg-body");
    this.inner.append(this.head, this.side, this.body);
    element.append(this.inner);
    set(element, { "aria-label": says.label, "aria-rowcount": trees[0].text.length + 1, "aria-colcount": trees[1].text.length + 1 });
    element.addEventListener("scroll", () => this.ask(), { passive: true });
    element.addEventListener("click", (event) => this.clicked(event));
    element.addEventListener("keydown", (event) => this.pressed(event));
    this.watcher = new ResizeObserver(() => { this.layout(); if (this.at) this.reveal(); });
    this.watcher.observe(element);
  }
  close() {
    this.watcher.disconnect();
    clearTimeout(this.settling);
    cancelAnimationFrame(this.asked);
  }
  // -- trees ----------------------------------------------------------------------------------------------------
  axis(which, level) {
    const axis = { ...this.trees[which], closed: new Set(), seen: [], place: new Map() };
    axis.depth.forEach((depth, i) => { if (axis.size[i] && depth >= level) axis.closed.add(i); });
    return this.unfold(axis);
  }
  unfold(axis) {
    axis.seen = [];
    axis.place.clear();
    for (let i = 0; i < axis.text.length; i += axis.closed.has(i) ? axis.size[i] + 1 : 1) {
      axis.place.set(i, axis.seen.length);
      axis.seen.push(i);
    }
    return axis;
  }
  toggle(which, i) {
    const axis = this.axes[which];
    if (!axis.size[i]) return;
    if (!axis.closed.delete(i)) axis.closed.add(i);
    this.unfold(axis);
    this.folded();
  }
  level(which, level) {
    this.axes[which] = this.axis(which, level);
    this.folded();
  }
  folded() {
    this.at &&= this.at.map((i, which) => { // what is folded away is found at the code above it
      while (i > 0 && !this.axes[which].place.has(i)) i--;
      return i;
    });
    this.layout();
  }
  // -- drawing --------------------------------------------------------------------------------------------------
  widest() {
    let least = 0, most = 0, long = 0;
    for (const value of this.numbers) if (value > most) most = value; else if (value < least) least = value;
    for (const text of Object.values(this.texts)) long = Math.max(long, text.length);
    const digits = Math.max(this.format.format(most).length, this.format.format(least).length + 1, long);
    const title = this.trees[1].text.reduce((long, text) => Math.max(long, text.length), 0); // it has two lines
    return Math.max(92, digits * 8 + 40, Math.min(160, Math.ceil(title / 2) * 8 + 44));
  }
  layout() { // after folding or a change of size everything is written anew
    const counts = this.axes.map((axis) => axis.seen.length);
    this.lines = this.axes[1].seen.reduce((deep, j) => Math.max(deep, this.axes[1].depth[j]), 1);
    this.headHeight = this.lines * LINE;
    this.first = Math.min(this.wide, Math.round(this.element.clientWidth * 0.38));
    this.inner.style.setProperty("--first", `${this.first}px`);
    this.room = [this.element.clientHeight - this.headHeight, this.element.clientWidth - this.first];
    this.slots = counts.map((count, which) => Math.min(count, Math.max(0, Math.ceil(this.room[which] / this.unit[which])) + 1 + 2 * OVER[which]));
    this.inner.style.width = `${this.first + counts[1] * this.unit[1]}px`;
    this.inner.style.height = `${this.headHeight + counts[0] * ROW}px`;
    this.inner.style.setProperty("--head", `${this.headHeight}px`);
    this.drawCorner();
    this.stock();
    this.settle();
  }
  settle() { // elements stand in the order in which they are read aloud; while it scrolls they go round
    clearTimeout(this.settling);
    for (const j of [...this.titles.keys()]) this.dropTitle(j);
    this.spare.sort((one, other) => other.number - one.number);
    this.window = null;
    this.draw();
  }
  stock() { // as many rows and cells as there is room for
    for (const row of this.pool.splice(this.slots[0])) { row.element.remove(); row.line.remove(); }
    while (this.pool.length < this.slots[0]) {
      const row = line(`${this.element.id}-r${this.pool.length}`);
      this.pool.push(row);
      this.body.append(row.element);
      this.side.append(row.line);
    }
    for (const row of this.pool) {
      for (const cell of row.cells.splice(this.slots[1])) cell.element.remove();
      while (row.cells.length < this.slots[1]) {
        row.cells.push(cell());
        row.element.append(row.cells.at(-1).element);
      }
    }
  }
  ask() {
    this.asked ??= requestAnimationFrame(() => { this.asked = null; this.draw(); });
  }
  from(which, scrolled) { // the first row or column that has elements
    const from = Math.floor(scrolled / this.unit[which]) - OVER[which];
    return Math.max(0, Math.min(from, this.axes[which].seen.length - this.slots[which]));
  }
  draw() {
    const now = [this.from(0, this.element.scrollTop), this.from(1, this.element.scrollLeft)], before = this.window;
    if (before && now[0] === before[0] && now[1] === before[1]) return;
    this.window = now;
    if (!before) this.start = now;
    else {
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.settle(), REST);
    }
    if (!before || now[1] !== before[1]) {
      this.drawHead();
      for (const row of this.pool) row.element.style.paddingLeft = `${now[1] * this.unit[1]}px`;
    }
    const [rows, cols] = this.slots;
    for (let slot = 0; slot < rows; slot++) {
      const k = turned(slot + this.start[0], now[0], rows), row = this.pool[slot], fresh = !before || row.k !== k;
      if (fresh) this.fillRow(row, k);
      for (let at = 0; at < cols; at++) {
        const n = turned(at + this.start[1], now[1], cols);
        if (fresh || row.cells[at].n !== n) this.fillCell(row.cells[at], row.i, n);
      }
    }
    this.showActive();
  }
  fillRow(row, k) {
    const axis = this.axes[0], i = axis.seen[k];
    row.k = k;
    row.i = row.title.i = i;
    row.element.style.transform = row.line.style.transform = `translateY(${k * ROW}px)`;
    set(row.line, { "aria-rowindex": i + 2 });
    row.element.toggleAttribute("data-top", !axis.depth[i]);
    this.fillTitle(row.title, 0, i);
    row.title.element.style.paddingLeft = `${10 + 16 * Math.min(axis.depth[i], 8)}px`;
  }
  fillCell(cell, i, n) {
    const j = this.axes[1].seen[n], at = i * this.trees[1].text.length + j, value = this.numbers[at], kind = this.kinds[at];
    if (cell.n !== n) cell.element.style.order = n;
    if (cell.j !== j) set(cell.element, { "aria-colindex": j + 2 });
    cell.i = i;
    cell.j = j;
    cell.n = n;
    const text = this.texts[at] ?? (Number.isNaN(value) ? "" : this.format.format(value));
    if (cell.text.data !== text) cell.text.data = text;
    if (kind !== cell.kind) this.setKind(cell, kind);
    if (this.words[kind]) set(cell.element, { "aria-label": `${text} ${this.words[kind]}`.trim() });
  }
  setKind(cell, kind) {
    const plain = kind.toLowerCase(), leaks = kind !== plain;
    cell.kind = kind;
    set(cell.element, { "data-kind": plain, "data-leak": leaks ? "" : null, "data-sign": (leaks ? "!" : "") + (this.signs[plain] ?? "") || null, "aria-label": null });
  }
  fillTitle({ element, button, sign, text }, which, i) {
    const axis = this.axes[which], sum = axis.size[i] > 0, closed = axis.closed.has(i);
    text.data = axis.text[i];
    sign.data = sum ? (closed ? "▸" : "▾") : "";
    set(element, { title: axis.text[i], "data-sum": sum ? "" : null, "aria-expanded": sum ? !closed : null });
    set(button, { "aria-label": sum ? `${closed ? this.says.open : this.says.close}: ${axis.text[i]}` : null, "aria-hidden": sum ? null : true });
  }
  // -- the head -------------------------------------------------------------------------------------------------
  drawCorner() {
    this.cornerHead ??= this.head.appendChild(made("div", "tkg-corner", { role: "columnheader", "aria-colindex": 1 }));
    this.cornerHead.replaceChildren(...this.corner.map((word) => { const line = made("span", ""); line.textContent = word; return line; }));
    this.cornerHead.classList.toggle("tkg-flat", this.lines === 1);
  }
  drawHead() { // titles of columns that came into sight, without those that left it
    const axis = this.axes[1], from = this.window[1], to = from + this.slots[1], gone = new Set(this.titles.keys());
    for (let n = 0; n < to; n++) {
      const j = axis.seen[n], group = axis.size[j] > 0 && !axis.closed.has(j) && axis.depth[j] > 0;
      let across = 1;
      if (group) while (n + across < axis.seen.length && axis.seen[n + across] <= j + axis.size[j]) across++;
      if (n + across > from && !gone.delete(j)) this.addTitle(j, n, group ? across : 0);
    }
    gone.forEach((j) => this.dropTitle(j));
  }
  addTitle(j, n, group) { // an open group has a title above its columns and a column of its own
    const line = Math.max(this.axes[1].depth[j] - 1, 0), one = this.takeTitle("columnheader", n, line, group ? 1 : this.lines - line, group || 1);
    one.j = j;
    this.fillTitle(one, 1, j);
    set(one.element, { "aria-colindex": j + 2, "data-group": group ? "" : null });
    this.titles.set(j, [one]);
    if (!group) return;
    const own = this.takeTitle("presentation", n, line + 1, this.lines - line - 1, 1);
    own.j = -1;
    own.sign.data = "";
    own.text.data = this.says.sum;
    set(own.element, { "data-own": "" });
    this.titles.get(j).push(own);
  }
  takeTitle(role, n, line, lines, across) {
    const one = this.spare.pop() ?? Object.assign(title("columnheader"), { number: this.head.childElementCount });
    if (!one.element.parentNode) this.head.append(one.element);
    set(one.element, { role, "data-own": null, "data-group": null, "data-sum": null, title: null, "aria-expanded": null });
    Object.assign(one.element.style, { display: "", left: `${this.first + n * this.unit[1]}px`, top: `${line * LINE}px`, width: `${across * this.unit[1]}px`, height: `${lines * LINE}px` });
    one.element.style.setProperty("--lines", 2 * lines);
    return one;
  }
  dropTitle(j) {
    for (const one of this.titles.get(j)) one.element.style.display = "none";
    this.spare.push(...this.titles.get(j));
    this.titles.delete(j);
  }
  // -- choosing -------------------------------------------------------------------------------------------------
  clicked(event) {
    const spot = event.target.closest(".tkg-cell, .tkg-title")?.spot;
    if (!spot || (spot.i < 0 && spot.j < 0)) return;
    this.element.focus({ preventScroll: true }); // the button that was clicked will stand for another row
    this.at = [spot.i, spot.j];
    if (event.target.closest("button") || !this.at.includes(-1)) this.choose();
    this.showActive();
  }
  choose() {
    const [i, j] = this.at;
    if (i < 0) this.toggle(1, j);
    else if (j < 0) this.toggle(0, i);
    else if (this.kinds[i * this.trees[1].text.length + j] !== "-") this.chosen(i, j);
  }
  pressed(event) {
    const page = Math.max(1, Math.floor(this.room[0] / ROW) - 1), all = event.ctrlKey || event.metaKey ? Infinity : 0;
    const moves = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [page, 0], PageUp: [-page, 0], Home: [-all, -Infinity], End: [all, Infinity] };
    if (event.key in moves) this.move(...moves[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && this.at) this.choose();
    else return;
    event.preventDefault();
  }
  move(...by) {
    const go = (i, which) => {
      const axis = this.axes[which], next = Math.min((i < 0 ? -1 : axis.place.get(i)) + by[which], axis.seen.length - 1);
      return next < 0 ? -1 : axis.seen[next];
    };
    this.at = this.at ? this.at.map(go) : [0, 0];
    if (this.at[0] < 0 && this.at[1] < 0) this.at[by[0] ? 0 : 1] = 0;
    this.reveal();
  }
  look(...at) { // show a cell that is looked at, whatever is folded above it
    at.forEach((to, which) => {
      const axis = this.axes[which];
      for (const i of [...axis.closed]) if (i < to && to <= i + axis.size[i]) axis.closed.delete(i);
      this.unfold(axis);
    });
    this.at = at;
    this.layout();
    this.reveal();
  }
  reveal() {
    this.at.forEach((i, which) => {
      if (i < 0) return;
      const unit = this.unit[which], start = this.axes[which].place.get(i) * unit, side = which ? "scrollLeft" : "scrollTop", room = this.room[which];
      if (start < this.element[side]) this.element[side] = start;
      else if (start + unit > this.element[side] + room) this.element[side] = start + unit - room + 12;
    });
    this.draw();
    this.showActive();
  }
  showActive() {
    const found = (this.at && this.activeElement()) ?? null, id = found && `${this.element.id}-${this.at.join("-")}`;
    if (found === this.on && (!found || found.id === id)) return;
    if (this.on) set(this.on, { id: null, "data-on": null, "aria-selected": false });
    if (found) set(found, { id, "data-on": "", "aria-selected": true });
    set(this.element, { "aria-activedescendant": id });
    this.on = found;
  }
  activeElement() { // none where it is scrolled out of sight
    const [i, j] = this.at;
    if (i < 0) return this.titles.get(j)?.[0].element;
    const row = this.pool.find((row) => row.i === i);
    return j < 0 ? row?.title.element : row?.cells.find((cell) => cell.j === j)?.element;
  }
}

// -- elements -----------------------------------------------------------------------------------------------------
function made(tag, name, attributes = {}) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  return set(element, attributes);
}

function set(element, attributes) {
  for (const name in attributes) {
    if (attributes[name] === null) element.removeAttribute(name);
    else element.setAttribute(name, attributes[name]);
  }
  return element;
}

function line(id) { // its title stands in the column that stays, its cells in the part that moves
  const element = made("div", "tkg-row", { id }), line = made("div", "tkg-line", { role: "row", "aria-owns": id }), row = { element, line, title: title("rowheader"), cells: [] };
  line.append(row.title.element);
  return row;
}

function cell() {
  const element = made("div", "tkg-cell", { role: "gridcell", "aria-selected": false });
  return element.spot = { element, text: element.appendChild(document.createTextNode("")), i: -1, j: -1, n: -1, kind: "" };
}

function title(role) {
  const element = made("div", "tkg-title", { role }), both = made("span", "tkg-both"), button = made("button", "tkg-toggle", { tabindex: -1 }), words = made("span", "tkg-text");
  both.append(button, words);
  element.append(both);
  const [sign, text] = [button, words].map((part) => part.appendChild(document.createTextNode("")));
  return element.spot = { element, button, sign, text, i: -1, j: -1 };
}

function turned(slot, from, slots) { // the place from `from` on that a slot of a ring stands for
  return from + ((slot - from) % slots + slots) % slots;
}

function numbers(packed) { // eight bytes each
  const bytes = atob(packed), array = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) array[i] = bytes.charCodeAt(i);
  return new Float64Array(array.buffer);
}
