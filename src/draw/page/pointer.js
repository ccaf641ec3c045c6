// Mouse and keyboard.

/** Highlights a cell {t, s}, a row {t} or a column {s} in every panel, or nothing if `place` is null. The readout shows its
    weights beside the element `at` or, if that is null, beside the cell. */
function point(place, at) {
  for (const panel of shown) pointInPanel(panel, place);
  const readout = byId("readout");
  const content = place ? shown.flatMap((panel, i) => describe(panel, i, place)) : [];
  readout.hidden = content.length === 0;
  if (readout.hidden) return;
  readout.replaceChildren(...content);
  const cell = at ?? shown.map((panel) => cellAt(panel, place.t, place.s)).find(Boolean);
  if (cell) putBeside(readout, cell.getBoundingClientRect());
}

function cellAt(panel, t, s) {
  return panel.matrix?.querySelector("tbody").rows[t]?.cells[s + 1];
}

function pointInPanel(panel, place) {
  for (const element of panel.element.querySelectorAll(".here")) element.classList.remove("here");
  for (const token of panel.element.querySelectorAll(".text span")) {
    const {side, i} = token.dataset;
    clearShade(token);
    if (!place) continue;
    token.classList.toggle("here", Number(i) === (side === "source" ? place.s : place.t));
    shadeToken(panel, token, side, Number(i), place);
  }
  if (!place || !panel.matrix) return;
  cellAt(panel, place.t, place.s)?.classList.add("here");
  if (place.s !== undefined) panel.matrix.querySelector("thead tr").cells[place.s + 1]?.classList.add("here");
  if (place.t !== undefined) panel.matrix.querySelector("tbody").rows[place.t]?.cells[0].classList.add("here");
}

/** Shades the source by a row's weights, or the target by a column's. */
function shadeToken(panel, token, side, i, place) {
  if (!panel.table || (side === "source") === (place.t === undefined)) return;
  if (side === "target" && place.t !== undefined) return;
  const width = panel.view.source.length;
  const weight = side === "source" ? panel.table[place.t * width + i] : panel.table[i * width + place.s];
  if (weight >= .005) setShade(token, weight);
}

function named(text) {
  return make("bdi", {textContent: visible(text)});
}

/** Lines of the readout: the exact weight of a cell, or the largest weights of a row or column. */
function describe(panel, index, {t, s}) {
  const {view, table} = panel;
  if (!table || (t ?? 0) >= view.target.length || (s ?? 0) >= view.source.length) return [];
  const model = shown.length > 1 ? [make("span", {className: "faint"}, `${visible(about.models[index] ?? `model ${index + 1}`)}: `)] : [];
  if (t !== undefined && s !== undefined) {
    const weight = table[t * view.source.length + s];
    return [make("p", {}, ...model, named(view.target[t]), " ← ", named(view.source[s]), " ", make("b", {}, weight.toFixed(5)))];
  }
  const row = t !== undefined;
  const all = (row ? view.source : view.target).map((name, i) => (
    {name, weight: row ? table[t * view.source.length + i] : table[i * view.source.length + s]}));
  const lines = all.sort((a, b) => b.weight - a.weight).slice(0, 5).filter(({weight}) => weight >= .0005)
    .map(({name, weight}) => make("p", {}, make("b", {}, weight.toFixed(3)), " ", named(name)));
  return [make("p", {}, ...model, named(row ? view.target[t] : view.source[s]), row ? " ←" : " →"), ...lines];
}

/** Moves an element to the lower right of `box`, or to where the window has room. */
function putBeside(element, box) {
  const gap = 10;
  const fits = box.right + gap + element.offsetWidth < innerWidth;
  const left = fits ? box.right + gap : Math.max(box.left - gap - element.offsetWidth, 0);
  const top = Math.min(box.bottom + gap, innerHeight - element.offsetHeight - gap);
  element.style.left = `${left}px`;
  element.style.top = `${Math.max(top, 0)}px`;
}

/** The cell {t, s}, row {t} or column {s} that an element belongs to, or null. */
function placeOf(element) {
  const token = element.closest(".text span");
  if (token) return token.dataset.side === "source" ? {s: Number(token.dataset.i)} : {t: Number(token.dataset.i)};
  const cell = element.closest(".matrix td, .matrix th");
  if (!cell || cell.matches(".corner, .edge")) return null;
  if (cell.matches("thead th")) return {s: cell.cellIndex - 1};
  const t = cell.parentElement.sectionRowIndex;
  return cell.matches("th") ? {t} : {t, s: cell.cellIndex - 1};
}

/** Scrolls the matrix of the other panel to the same place. */
function scrollTogether(event) {
  for (const {matrix} of shown) {
    if (!matrix || matrix === event.target || !shown.some((panel) => panel.matrix === event.target)) continue;
    matrix.scrollTo(event.target.scrollLeft, event.target.scrollTop);
  }
}

function listenToMouse() {
  const panels = byId("panels");
  panels.addEventListener("scroll", scrollTogether, {capture: true});
  panels.addEventListener("mouseover", (event) => {
    const place = placeOf(event.target);
    point(place ?? state.cell, place ? event.target : null);
  });
  panels.addEventListener("mouseleave", () => point(state.cell, null));
  panels.addEventListener("click", (event) => {
    const head = event.target.closest("[data-head]");
    if (head) return change({head: Number(head.dataset.head)});
    const place = placeOf(event.target);
    if (place?.t === undefined || place.s === undefined) return undefined;
    const again = state.cell?.t === place.t && state.cell?.s === place.s;
    state.cell = again ? null : place;
    writeAddress();
    return point(state.cell ?? place, event.target);
  });
  byId("list").addEventListener("click", (event) => {
    const item = event.target.closest("li");
    if (item) select(item.dataset.key);
  });
}

function listenToControls() {
  byId("levels").addEventListener("click", (event) => {
    const level = event.target.dataset.level;
    if (level) change({view: level, cell: null});
  });
  byId("values").addEventListener("click", () => change({values: !state.values}));
  byId("smaller").addEventListener("click", () => change({zoom: zoomed(1 / 1.2)}));
  byId("larger").addEventListener("click", () => change({zoom: zoomed(1.2)}));
  byId("theme").addEventListener("click", toggleTheme);
  byId("help-button").addEventListener("click", () => byId("help").showModal());
  byId("sort").addEventListener("change", (event) => change({sort: event.target.value}));
  byId("kind").addEventListener("change", (event) => change({kind: event.target.value, head: 0, cell: null}));
  byId("layer").addEventListener("change", (event) => change({layer: Number(event.target.value)}));
  byId("search").addEventListener("input", (event) => change({q: event.target.value, cell: null}));
}

const zoomed = (factor) => Number((state.zoom * factor).toFixed(3));
const toggleTheme = () => change({theme: document.documentElement.dataset.theme === "dark" ? "light" : "dark"});

const keys = {
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
  PageDown: () => step(10), PageUp: () => step(-10), Home: () => step(-listed.length), End: () => step(listed.length),
  h: () => stepHead(-1), ArrowLeft: () => stepHead(-1), l: () => stepHead(1), ArrowRight: () => stepHead(1),
  w: () => change({view: state.view === "words" ? "pieces" : "words", cell: null}),
  a: stepKind, u: () => stepLayer(1), d: () => stepLayer(-1),
  v: () => change({values: !state.values}), t: toggleTheme,
  "+": () => change({zoom: zoomed(1.2)}), "-": () => change({zoom: zoomed(1 / 1.2)}),
  "/": () => { byId("search").focus(); byId("search").select(); },
  "?": () => byId("help").showModal(),
  Escape: () => change({cell: null}),
};

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const search = event.target === byId("search");
    if (search && ["Enter", "Escape"].includes(event.key)) event.target.blur();
    const typing = search && !["ArrowDown", "ArrowUp"].includes(event.key);
    if (typing || event.target.matches("select") || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
}

function start() {
  readAddress();
  const comparing = sentences.some((sentence) => sentence.readings.length > 1);
  byId("sort").querySelector('[value="difference"]').hidden = !comparing;
  listenToMouse();
  listenToControls();
  listenToKeys();
  addEventListener("hashchange", () => { readAddress(); update({list: true}); });
  addEventListener("resize", () => update());
  dark.addEventListener("change", () => update());
  update({list: true});
}

start();
