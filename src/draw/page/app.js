// The state of the page, kept in the address after "#", and the functions that draw it.

const byId = (id) => document.getElementById(id);
const about = JSON.parse(byId("about").textContent);
const sentences = readSentences();
const dark = matchMedia("(prefers-color-scheme: dark)");

/** What is shown. `cell` is the selected cell {t, s} or null, `kind` a key of `kinds`, and `head` an index into the
    tables of offered(). `layer` 0 is the rollout. */
const state = {
  s: "", view: about.level, kind: "", layer: 1, head: 0, q: "", sort: "line", cell: null, theme: "", values: true, zoom: 1,
};
let listed = [];  // sentences of the list, in its order
let shown = [];   // {view, table, element, matrix} of each panel

/** The selected sentence; undefined if the list is empty. */
const current = () => listed.find((sentence) => sentence.key === state.s);

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const cell = /^(\d+),(\d+)$/.exec(given.get("cell") ?? "");
  Object.assign(state, {
    s: given.get("s") ?? state.s,
    view: ["pieces", "words"].includes(given.get("view")) ? given.get("view") : about.level,
    kind: Object.hasOwn(kinds, given.get("kind") ?? "") ? given.get("kind") ?? "" : "",
    layer: given.get("layer") === "rollout" ? 0 : Number.parseInt(given.get("layer") ?? "1", 10) || 1,
    head: Number.parseInt(given.get("head") ?? "0", 10) || 0,
    q: given.get("q") ?? "",
    sort: given.get("sort") in orders ? given.get("sort") : "line",
    cell: cell ? {t: Number(cell[1]), s: Number(cell[2])} : null,
    theme: ["light", "dark"].includes(given.get("theme")) ? given.get("theme") : "",
    values: given.get("values") !== "0",
    zoom: Number(given.get("zoom")) || 1,
  });
}

function writeAddress() {
  const address = new URLSearchParams({s: state.s, view: state.view});
  if (state.kind) address.set("kind", state.kind);
  if (state.kind || state.layer !== 1) address.set("layer", state.layer || "rollout");
  if (state.head) address.set("head", state.head);
  if (state.q) address.set("q", state.q);
  if (state.sort !== "line") address.set("sort", state.sort);
  if (state.cell) address.set("cell", `${state.cell.t},${state.cell.s}`);
  if (state.theme) address.set("theme", state.theme);
  if (!state.values) address.set("values", "0");
  if (state.zoom !== 1) address.set("zoom", state.zoom);
  history.replaceState(null, "", `#${address}`);
}

function listItem(sentence) {
  const item = make("li", {tabIndex: -1});
  item.dataset.key = sentence.key;
  const score = perToken(sentence.readings[0]);
  item.append(
    make("div", {className: "key"}, make("span", {}, `#${sentence.key}`),
      make("span", {title: "log-probability per token"}, score === undefined ? "" : score.toFixed(2))),
    make("p", {dir: "auto", textContent: visible(sentence.source)}),
    make("p", {dir: "auto", className: "target", textContent: visible(sentence.target)}));
  return item;
}

function drawList() {
  listed = sentences.filter((sentence) => matches(sentence, state.q)).sort(orders[state.sort]);
  byId("count").textContent = listed.length === sentences.length
    ? `${sentences.length} sentences` : `${listed.length} of ${sentences.length} sentences`;
  byId("list").replaceChildren(...listed.map((sentence) => sentence.item ??= listItem(sentence)));
  if (listed.length && !current()) state.s = listed[0].key;
}

function markCurrent() {
  byId("list").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = current()?.item;
  item?.setAttribute("aria-current", "true");
  item?.scrollIntoView({block: "nearest"});
}

/** Agreement of the model's links with the gold links, as text. */
function agreement(sentence, reading) {
  if (!sentence.gold || !reading.links) return "";
  const pairs = (links) => new Set(links.map(String));
  const possible = pairs([...sentence.gold.possible, ...sentence.gold.sure]);
  const own = pairs(reading.links);
  const right = [...own].filter((link) => possible.has(link)).length;
  const found = sentence.gold.sure.filter((link) => own.has(String(link))).length;
  return `${right} of ${own.size} links are gold, ${found} of ${sentence.gold.sure.length} sure links found`;
}

function scoreText(reading) {
  if (reading.score === undefined) return "";
  return `log-probability ${reading.score.toFixed(3)}, ${perToken(reading).toFixed(3)} per token`;
}

function panelOf(sentence, reading, index, view, top) {
  const head = Math.min(state.head, view.tables.length - 1);
  const name = about.models[index] ?? (sentence.readings.length > 1 ? `model ${index + 1}` : "");
  const facts = [scoreText(reading), agreement(sentence, reading)].filter(Boolean).join(" · ");
  const element = make("section", {className: "panel"});
  if (name || facts) element.append(make("h2", {}, name ? make("b", {}, visible(name)) : "", make("span", {}, facts)));
  const [above, left] = view.ofPair ? ["", ""] : ["columns", "rows"];
  element.append(textOf(view.source, view.sourceEnd, "source", view.sourceWord, above),
    textOf(view.target, view.targetEnd, "target", view.targetWord, left));
  element.dataset.panel = index;
  const table = view.tables[head];
  if (table === undefined) {
    const none = state.kind ? "No attention of this kind." : "No attention to show.";
    element.append(make("p", {className: "none"}, none));
    return {view, element};
  }
  if (view.tables.length > 1) element.append(headsOf(view, head, top));
  const panels = byId("panels");
  const room = {width: panels.clientWidth / sentence.readings.length, height: panels.clientHeight};
  const sizes = sizesOf(view, room, state.zoom);
  if (!state.values) sizes.bare = true;
  const matrix = matrixOf(view, table, sizes, top, marksOf(view, sentence, reading, state.kind));
  element.append(matrix);
  return {view, table, element, matrix};
}

function drawSentence() {
  const sentence = current();
  const reading = sentence?.readings ?? [];
  const views = reading.map((one) => viewOf(one, state.view, state.kind, state.layer));
  // All panels and heads share one scale, so that their shades are comparable.
  const top = topOf(views.flatMap((view) => view.tables));
  shown = reading.map((one, i) => panelOf(sentence, one, i, views[i], top));
  byId("panels").replaceChildren(...shown.map((panel) => panel.element));
  for (const panel of shown) if (panel.matrix) fitHeader(panel.matrix);
  byId("legend").replaceChildren(...(views.some((view) => view.tables.length) ? legendOf(top, sentence, views, state.kind) : []));
  drawFacts(sentence);
  drawKinds(reading);
  point(state.cell, null);
}

/** Fills the controls with the available kinds and the layers of the selected kind. */
function drawKinds(readings) {
  const has = (kind) => readings.some((reading) => hasKind(reading, kind));
  const names = Object.keys(kinds).filter(has);
  byId("kind").replaceChildren(...names.map((kind) => new Option(kinds[kind].name, kind, false, kind === state.kind)));
  const layers = readings.map((reading) => layersOf(reading, state.kind));
  const count = Math.max(...layers.map((one) => one.count), 0);
  const options = Array.from({length: count}, (_, i) => new Option(`layer ${i + 1}`, i + 1));
  if (layers.some((one) => one.rollout)) options.push(new Option("rollout", 0));
  byId("kinds").hidden = names.length < 2 && options.length < 2;
  byId("layer").hidden = options.length === 0;
  byId("layer").replaceChildren(...options);
  const first = readings.find((reading) => hasKind(reading, kindOf(reading, state.kind)));
  if (first && options.length) byId("layer").value = layerOf(first, state.kind, state.layer);
}

function drawFacts(sentence) {
  const facts = byId("facts");
  if (!sentence) {
    facts.replaceChildren(sentences.length ? "No sentence contains all these words." : "There are no sentences.");
    return;
  }
  const place = listed.indexOf(sentence) + 1;
  const pair = viewOf({...sentence.readings[0], weights: undefined, kinds: undefined}, state.view);
  const rank = sentence.rank ? `, hypothesis ${sentence.rank + 1}` : "";
  facts.replaceChildren(
    make("b", {}, `Sentence #${sentence.id}${rank}`), make("span", {}, `${place} of ${listed.length}`),
    make("span", {}, `${pair.source.length} source × ${pair.target.length} target ${pair.ofWords ? "words" : "pieces"}`));
}

function applyTheme() {
  document.documentElement.dataset.theme = state.theme || (dark.matches ? "dark" : "light");
  byId("theme").textContent = document.documentElement.dataset.theme === "dark" ? "Light" : "Dark";
}

function drawControls() {
  const pieces = sentences.some((sentence) => sentence.readings.some(hasWords));
  byId("levels").hidden = !pieces;
  for (const button of byId("levels").children)
    button.setAttribute("aria-pressed", button.dataset.level === state.view);
  byId("values").setAttribute("aria-pressed", state.values);
  byId("sort").value = state.sort;
  if (byId("search") !== document.activeElement) byId("search").value = state.q;
}

/** Draws the state and writes it into the address. */
function update({list = false} = {}) {
  applyTheme();
  if (list) drawList();
  drawControls();
  drawSentence();
  markCurrent();
  writeAddress();
}

function change(changes) {
  Object.assign(state, changes);
  update({list: "q" in changes || "sort" in changes});
}

function select(key) {
  if (key !== state.s) change({s: key, cell: null});
}

function step(by) {
  const place = listed.indexOf(current());
  const next = listed[Math.min(Math.max(place + by, 0), listed.length - 1)];
  if (next) select(next.key);
}

/** Selects the next kind of attention; the first follows the last. */
function stepKind() {
  const names = Array.from(byId("kind").options, (option) => option.value);
  if (names.length > 1) change({kind: names[(names.indexOf(byId("kind").value) + 1) % names.length], head: 0, cell: null});
}

/** Selects the next layer; the rollout follows the last. */
function stepLayer(by) {
  const layers = Array.from(byId("layer").options, (option) => Number(option.value));
  const place = layers.indexOf(Number(byId("layer").value));
  if (layers.length > 1) change({layer: layers[(place + by + layers.length) % layers.length]});
}

function stepHead(by) {
  const heads = Math.max(...shown.map((panel) => panel.view.tables.length), 1);
  if (heads > 1) change({head: (state.head + by + heads) % heads});
}
