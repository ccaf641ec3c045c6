// A panel for each translation: its words, its n-best list and its heatmap.
import {differences} from "./diff.js";
import {heatmap, heatmapScene} from "./heatmap.js";
import {listenForLight, wordLine} from "./links.js";
import {answers, beginWith, bodyOf, changeLine, kindsOf, keptSettings, lineOf, modelNamed} from "./requests.js";
import {pressable, rove} from "./roving.js";
import {exportButtons, saveJson} from "./save.js";
import {change, state} from "./state.js";
import {piecesOf, spoken, viewOf} from "./view.js";
import {whyPart} from "./why.js";

const byId = (id) => document.getElementById(id);
const kNames = {before: "Kept", now: "Now", other: "Compared"};
const kOrder = ["before", "now", "other"];
let chosenWord = null;  // index of the target word whose actions are shown
let edited = null;      // index of the source word that is being edited

/** The answers in display order. */
export const shownAnswers = () => kOrder.map((role) => answers.get(role)).filter(Boolean);

/** The displayed hypothesis of an answer. */
export function hypothesisOf(answer) {
  const all = answer?.translation?.hypotheses ?? [];
  return all[Math.min(state.shown, all.length - 1)];
}

function panelDataOf(answer) {
  const hypothesis = hypothesisOf(answer);
  if (!hypothesis) return {answer, role: answer.role};
  const source = answer.translation.source;
  const view = viewOf(source, hypothesis, state.level, state.kind, state.layer);
  const head = Math.min(state.head, Math.max(view.tables.length - 1, 0));
  const words = viewOf(source, hypothesis, "words", state.kind, state.layer);
  return {answer, role: answer.role, hypothesis, view, head, table: view.tables[head],
    pair: viewOf(source, hypothesis, "words"), lit: {table: words.tables[head], columns: words.from.words.length}};
}

function factsOf({log_prob: sum, score, pieces}) {
  return `score ${score.toFixed(3)} · log-probability ${sum.toFixed(3)}, ${(sum / Math.max(pieces.length, 1)).toFixed(3)} per piece`;
}

function titleOf(panel, several) {
  const title = make("h2", {}, make("b", {}, visible(panel.answer.of.model)));
  if (several) title.append(` · ${kNames[panel.role]}`);
  if (panel.hypothesis) title.append(make("span", {}, factsOf(panel.hypothesis)));
  return title;
}

/** A text field in place of a word. Enter applies the change and keeps the old translation beside the new one. */
function editor(panel, i) {
  const word = panel.pair.from.words[i];
  const field = make("input", {value: word, className: "edit", size: Math.max(word.length, 4), ariaLabel: `Replacement for ${word}`});
  field.dataset.key = "edit";
  let done = false;
  const close = (take) => {
    if (done) return;
    done = true;
    edited = null;
    if (take && field.value !== word) replaceWord(panel, i, field.value);
    drawPanels(`${panel.role}:source:${i}`);
  };
  field.addEventListener("keydown", (event) => {
    if (["Enter", "Escape"].includes(event.key)) close(event.key === "Enter");
  });
  field.addEventListener("blur", () => close(false));
  return field;
}

/** Replaces a word of the typed sentence, or of the tokenizer's words if these are more or fewer. */
function replaceWord(panel, i, word) {
  const own = spoken(panel.pair.from);
  const typed = lineOf(state).split(/\s+/);
  const words = typed.length === own.length ? typed : own;
  changeLine(words.map((one, k) => k === i ? word : one).filter(Boolean).join(" "), {before: keptSettings()});
}

/** True if the model reads translations beside their terms, so that its source differs from the text. */
const showsTerms = (panel) => panel.answer.translation.source.pieces.includes("⟦<⟧");

function sourceLine(panel) {
  const {from} = panel.pair;
  const now = panel.role === "now" && !showsTerms(panel);
  const line = wordLine(from.words, from.end, "source", {
    key: panel.role, label: "Source", says: now ? "Replace this word" : "Show the words that attend to this word"});
  line.lang = modelNamed(panel.answer.of.model)?.source ?? "";
  rove(line, () => [[...line.querySelectorAll("[data-side]")]]);
  if (!now) return line;
  pressable(line, "[data-side]");
  line.addEventListener("click", (event) => {
    const token = event.target.closest("[data-side]");
    if (!token || token.classList.contains("end")) return;
    edited = Number(token.dataset.i);
    drawPanels("edit");
  });
  if (edited !== null && edited < from.words.length)
    line.querySelector(`[data-i="${edited}"]`).replaceWith(editor(panel, edited));
  return line;
}

function targetLine(panel) {
  const {to} = panel.pair;
  const now = panel.role === "now";
  const line = wordLine(to.words, to.end, "target", {
    key: panel.role, label: "Translation", says: now ? "Pin or forbid this word" : "Show the words that this word attends to"});
  line.classList.add("target");
  markUnsure(panel, line);
  line.lang = modelNamed(panel.answer.of.model)?.target ?? "";
  rove(line, () => [[...line.querySelectorAll("[data-side]")]]);
  if (!now) return line;
  pressable(line, "[data-side]");
  line.addEventListener("click", (event) => {
    const token = event.target.closest("[data-side]");
    if (!token) return;
    const i = Number(token.dataset.i);
    chosenWord = chosenWord === i ? null : i;
    drawPanels();
  });
  for (const token of line.querySelectorAll("[data-side]"))
    token.setAttribute("aria-expanded", Number(token.dataset.i) === chosenWord);
  return line;
}

/** Underlines the words to which the model gives a probability below one half. */
function markUnsure({hypothesis, pair: {to}}, line) {
  if (!hypothesis.log_probs || hypothesis.log_probs.length !== hypothesis.pieces.length) return;
  for (const token of line.querySelectorAll("[data-side]")) {
    const {first, last} = piecesOf(to, Number(token.dataset.i));
    const probability = Math.exp(hypothesis.log_probs.slice(first, last).reduce((sum, one) => sum + one, 0));
    token.classList.toggle("unsure", probability < .5);
    token.title += ` (probability ${probability.toFixed(2)})`;
  }
}

/** Buttons for actions on the selected target word, and its explanation. */
function wordActions(panel) {
  const {to} = panel.pair;
  if (chosenWord === null || chosenWord >= to.words.length || panel.role !== "now") return [];
  const word = to.words[chosenWord];
  const upTo = panel.hypothesis.pieces.slice(0, piecesOf(to, chosenWord).last);
  const button = (key, text, act) => {
    const element = make("button", {type: "button", onclick: act}, text);
    element.dataset.key = `word:${key}`;
    return element;
  };
  const end = to.end && chosenWord === to.words.length - 1;
  const actions = [button("pin", "Keep everything up to here", () => { chosenWord = null; beginWith(upTo); })];
  if (!end) actions.push(button("place", `Pin “${visible(word)}” here`, () => pinWord(panel, chosenWord)));
  if (!end) actions.push(button("forbid", `Forbid “${visible(word)}”`, () => {
    chosenWord = null;
    change({forbid: [...new Set([...state.forbid, word])]});
  }));
  actions.push(button("look", "Alternatives", () => showPosition(piecesOf(to, chosenWord).first)));
  return [make("div", {className: "actions", role: "group", ariaLabel: `Actions on ${word}`}, ...actions),
    ...(showsTerms(panel) ? [] : whyPart(panel, piecesOf(to, chosenWord), drawPanels))];
}

/** Pins the pieces of a word to their positions. */
function pinWord(panel, word) {
  const {first, last} = piecesOf(panel.pair.to, word);
  const pinned = panel.hypothesis.pieces.slice(first, last).map((piece, i) => [first + i, piece]);
  const others = state.pins.filter(([position]) => position < first || position >= last);
  chosenWord = null;
  change({pins: [...others, ...pinned].sort((a, b) => a[0] - b[0])});
}

function showPosition(t) {
  document.querySelector("#inside details")?.setAttribute("open", "");
  document.querySelector(`[data-key="alternative:${t}:0"]`)?.focus();
}

function bestList(panel) {
  const list = make("ol", {className: "best", ariaLabel: "Best translations"});
  panel.answer.translation.hypotheses.forEach((hypothesis, i) => {
    const button = make("button", {type: "button", onclick: () => change({shown: i})},
      make("span", {className: "number"}, hypothesis.score.toFixed(3)), " ",
      make("span", {dir: "auto"}, visible(hypothesis.text) || "(empty)"), hypothesis.finished ? "" : " (truncated)");
    button.dataset.key = `${panel.role}:best:${i}`;
    button.setAttribute("aria-pressed", hypothesis === panel.hypothesis);
    list.append(make("li", {}, button));
  });
  return list;
}

function levelButtons(role) {
  const buttons = ["words", "pieces"].map((level) => {
    const button = make("button", {type: "button", className: "small", onclick: () => change({level})}, level);
    button.dataset.key = `${role}:level:${level}`;
    button.setAttribute("aria-pressed", state.level === level);
    return button;
  });
  return make("span", {className: "buttons", role: "group", ariaLabel: "Tokens"}, ...buttons);
}

function attentionPart(panel, width, top) {
  const fields = kindFields(panel);
  if (!panel.table) {
    const none = fields.length ? "Choose a kind of attention." : "This model has no attention.";
    return [make("p", {className: "none"}, none),
      make("div", {className: "bar"}, jsonButton(panel.answer), make("span", {className: "bar"}, ...fields))];
  }
  const name = `attention-${panel.answer.of.model}`;
  const parts = [make("div", {className: "bar"}, levelButtons(panel.role),
    exportButtons(() => heatmapScene(panel, top), name, "the attention"), jsonButton(panel.answer))];
  if (fields.length) parts[0].append(make("span", {className: "bar"}, ...fields));
  panel.matrix = heatmap(panel, width, top);
  const legend = make("p", {className: "legend"}, ...legendOf(top, {gold: undefined, readings: []}));
  if (panel.role === "now" && panel.view.kind === "") legend.append(make("span", {},
    make("span", {className: "mark sure"}), "forced: click a cell, or drag along a row"));
  const strip = panel.view.tables.length > 1 ? [heads(panel, top)] : [];
  return [...parts, make("div", {className: "weights"}, ...strip, panel.matrix, legend)];
}

function choice(key, label, options, chosen, act) {
  const field = make("select", {ariaLabel: label, onchange: () => act(field.value)}, ...options);
  field.dataset.key = key;
  field.value = chosen;
  return field;
}

/** Controls for the kind and layer of attention, for a model with several. */
function kindFields({answer, role, hypothesis, view}) {
  const names = kindsOf(answer.of.model);
  if (!names.length) return [];
  const kind = choice(`${role}:kind`, "Kind of attention", ["", ...names].map((name) => new Option(kinds[name].name, name)),
    view.kind, (chosen) => change({kind: chosen, layer: 1, head: 0}));
  if (state.force.length && role === "now")
    Object.assign(kind, {disabled: true, title: "Layers are only available without forced attention"});
  if (!view.kind) return [kind];
  const {count, rollout} = layersOf(hypothesis.attention, view.kind);
  const layers = Array.from({length: count}, (_, i) => new Option(`layer ${i + 1}`, i + 1));
  if (rollout) layers.push(new Option("rollout", 0));
  return [kind, choice(`${role}:layer`, "Layer", layers, layerOf(hypothesis.attention, view.kind, state.layer),
    (chosen) => change({layer: Number(chosen), head: 0}))];
}

function heads(panel, top) {
  const strip = headsOf(panel.view, panel.head, top);
  for (const button of strip.children) {
    button.type = "button";
    button.dataset.key = `${panel.role}:head:${button.dataset.head}`;
    button.addEventListener("click", () => change({head: Number(button.dataset.head)}));
  }
  return strip;
}

function jsonButton(answer) {
  return make("button", {type: "button", className: "small", ariaLabel: "Save the answer as JSON",
    onclick: () => saveJson({request: bodyOf(answer.of), translation: answer.translation}, `translation-${answer.of.model}`)}, "JSON");
}

function element(panel, several, width, top) {
  const section = make("section", {className: "panel", ariaLabel: `${kNames[panel.role]}: ${panel.answer.of.model}`});
  section.dataset.role = panel.role;
  section.setAttribute("aria-busy", panel.answer.busy);
  section.append(titleOf(panel, several));
  if (panel.answer.error) section.append(make("p", {className: "error", role: "alert"}, visible(panel.answer.error)));
  if (panel.answer.partial) section.append(make("p", {className: "partial", dir: "auto"}, visible(panel.answer.partial)));
  if (!panel.hypothesis) return section;
  if (panel.answer.translation.source.dropped) section.append(make("p", {className: "error"},
    `The sentence is too long: its last ${panel.answer.translation.source.dropped} pieces were dropped.`));
  section.append(sourceLine(panel), targetLine(panel), ...wordActions(panel), bestList(panel),
    ...attentionPart(panel, width, top));
  return section;
}

/** Marks the words in which the other translations differ from the current one. */
function markDifferences(panels) {
  const now = panels.find((panel) => panel.role === "now");
  if (!now?.hypothesis) return;
  for (const panel of panels) {
    if (panel === now || !panel.hypothesis) continue;
    for (const side of ["source", "target"]) {
      const words = (one) => one.pair[side === "source" ? "from" : "to"].words;
      const [here, there] = differences(words(panel), words(now));
      mark(panel, side, here);
      mark(now, side, there);
    }
  }
}

function mark(panel, side, indices) {
  for (const i of indices) {
    const token = panel.element.querySelector(`[data-side="${side}"][data-i="${i}"]`);
    token?.classList.add("differs");
    token?.setAttribute("aria-description", "differs");
  }
}

/** Redraws, then restores the focus or moves it to the element with the key `wanted`. */
export function keepingFocus(container, draw, wanted) {
  const had = container.contains(document.activeElement);
  const key = wanted ?? (had ? document.activeElement.dataset.key : undefined);
  draw();
  if (key === undefined) return;
  const again = container.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? standIn(container, key);
  again?.focus({preventScroll: !wanted});
}

/** The element that gets the focus if the old one is gone: the end of its line. */
function standIn(container, key) {
  const line = key.startsWith("word:") ? "now:target:" : key.replace(/\d+$/, "");
  return [...container.querySelectorAll("[data-key]")].filter((one) => one.dataset.key.startsWith(line)).at(-1);
}

export function drawPanels(focus) {
  const panels = shownAnswers().map(panelDataOf);
  const container = byId("panels");
  const several = panels.length > 1;
  const columns = container.clientWidth < 700 ? 1 : panels.length;
  const width = container.clientWidth / Math.max(columns, 1) - (several || container.clientWidth < 1000 ? 0 : 480);
  const top = topOf(panels.flatMap((panel) => panel.view?.tables ?? []));
  keepingFocus(container, () => {
    for (const panel of panels) panel.element = element(panel, several, width, top);
    container.replaceChildren(...panels.map((panel) => panel.element));
  }, focus);
  container.classList.toggle("single", !several);
  for (const panel of panels) {
    if (panel.matrix) fitHeader(panel.matrix);
    if (panel.hypothesis) listenForLight(panel);
  }
  markDifferences(panels);
  lightFocused(panels);
}

function lightFocused(panels) {
  const focused = panels.find((panel) => panel.element.contains(document.activeElement));
  if (!focused?.hypothesis) return;
  document.activeElement.dispatchEvent(new FocusEvent("focusin", {bubbles: true}));
}
