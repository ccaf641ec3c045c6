// The controls above the translations.
import {allModels, beamOf, bestOf, changeSentence, keptSettings, linesOf, modelNamed, penaltyOf, textOfPieces} from "./requests.js";
import {change, state} from "./state.js";

const byId = (id) => document.getElementById(id);

/** Fills the lists of models. */
export function fillModels() {
  const option = (model) => new Option(model.name, model.name);
  byId("model").replaceChildren(...allModels().map(option));
  byId("other").replaceChildren(new Option("none", ""), ...allModels().map(option));
}

/** Puts the number of a field into the state if it is within the field's limits. */
function listenToNumber(id, name) {
  byId(id).addEventListener("change", (event) => {
    const field = event.target;
    if (field.value !== "" && field.checkValidity()) change({[name]: Number(field.value)});
    else field.reportValidity();
  });
}

function chip(text, remove, label) {
  const button = make("button", {type: "button", ariaLabel: label, onclick: remove}, make("span", {ariaHidden: "true"}, "×"));
  return make("li", {}, make("bdi", {}, visible(text)), " ", button);
}

function forceChip([position, source], i, pieces) {
  const target = pieces?.target[position] ?? `position ${position + 1}`;
  const from = pieces?.source[source] ?? `source ${source + 1}`;
  return chip(`${target} attends to ${from}`, () => change({force: state.force.filter((_, k) => k !== i)}),
    `Stop forcing the attention of ${target}`);
}

/** Pinned pieces, grouped into words. */
function pinGroups() {
  const groups = [];
  for (const [position, piece] of state.pins) {
    const last = groups.at(-1);
    const text = piece.replaceAll("▁", "");
    if (last?.end === position && (!piece.startsWith("▁") || last.text === "")) Object.assign(last, {text: last.text + text, end: position + 1});
    else groups.push({first: position, end: position + 1, text});
  }
  return groups;
}

/** Shows the active interventions, each with a button that removes it. */
function drawChips(pieces) {
  const chips = [];
  if (Array.isArray(state.prefix) && state.prefix.length)
    chips.push(chip(`begins with ${state.prefix.join(" ")}`, () => change({prefix: null}), "Remove the prefix"));
  state.forbid.forEach((word) => chips.push(chip(`not ${word}`, () => (
    change({forbid: state.forbid.filter((one) => one !== word)})), `Allow ${word}`)));
  if (!state.form) state.require.forEach((text) => chips.push(chip(`contains ${text}`, () => (
    change({require: state.require.filter((one) => one !== text)})), `No longer require ${text}`)));
  pinGroups().forEach(({text, first, end}) => chips.push(chip(`${text || "▁"} pinned`, () => (
    change({pins: state.pins.filter(([position]) => position < first || position >= end)})), `Unpin ${text}`)));
  state.force.forEach((pair, i) => chips.push(forceChip(pair, i, pieces)));
  if (state.before) chips.push(chip("compared with the kept translation", () => change({before: null}), "Stop comparing"));
  byId("chips").replaceChildren(...chips);
  byId("chips").hidden = chips.length === 0;
}

/** Shows the state in the controls, except in a text field that has the focus. */
export function drawControls(pieces) {
  const prefix = Array.isArray(state.prefix) ? textOfPieces(state.prefix) : state.prefix ?? "";
  const values = {q: state.q, model: state.model, other: state.other, beam: beamOf(state), penalty: penaltyOf(state),
    best: bestOf(state), temperature: state.temperature, seed: state.seed, prefix, form: state.form, glossary: state.glossary, terms: state.terms};
  for (const [id, value] of Object.entries(values))
    if (byId(id) !== document.activeElement || byId(id).tagName === "SELECT") byId(id).value = value;
  const drawing = state.temperature > 0;
  for (const id of ["beam", "penalty"]) byId(id).disabled = drawing;
  byId("seed").disabled = !drawing;
  byId("glossary").disabled = drawing;
  byId("require").disabled = drawing || state.form !== "";  // of one sentence, not of each
  byId("prefix").disabled = state.form !== "";
  byId("copy").checked = Boolean(state.copy);
  byId("terms").disabled = drawing || !modelNamed(state.model)?.reads_terms;
  if (state.glossary) byId("glossary-part").open = true;
  byId("q-label").textContent = state.form ? "Text to translate" : "Sentences to translate, one per line";
  drawChips(pieces);
  byId("clear").disabled = !(state.prefix || state.forbid.length || state.force.length || state.pins.length || state.require.length || state.before);
  byId("keep").disabled = !state.q.trim();
}

function addForbidden(event) {
  event.preventDefault();
  const words = byId("forbid").value.split(/\s+/).filter(Boolean);
  byId("forbid").value = "";
  change({forbid: [...new Set([...state.forbid, ...words])]});
}

function addRequired(event) {
  event.preventDefault();
  const text = byId("require").value.trim();
  byId("require").value = "";
  if (text) change({require: [...new Set([...state.require, text])]});
}

/** The line of the text at the cursor; the first sentence of a document. */
const lineAt = ({value, selectionStart}) => state.form ? 0 : Math.max(linesOf(value.slice(0, selectionStart)).length - 1, 0);

export function listenToControls() {
  byId("q").addEventListener("input", ({target}) => changeSentence(target.value, {line: lineAt(target)}));
  byId("form").addEventListener("change", ({target}) => changeSentence(state.q, {form: target.value}));
  byId("terms").addEventListener("change", ({target}) => change({terms: target.value}));
  byId("copy").addEventListener("change", ({target}) => change({copy: target.checked ? 1 : 0}));
  byId("glossary").addEventListener("input", ({target}) => change({glossary: target.value}));
  byId("require-form").addEventListener("submit", addRequired);
  // Another model has other pieces.
  byId("model").addEventListener("change", (event) => change({
    model: event.target.value, force: [], pins: [], kind: "", prefix: Array.isArray(state.prefix) ? null : state.prefix, head: 0}));
  byId("other").addEventListener("change", (event) => change({other: event.target.value}));
  for (const [id, name] of [["beam", "beam"], ["penalty", "penalty"], ["best", "best"], ["temperature", "temperature"], ["seed", "seed"]])
    listenToNumber(id, name);
  byId("prefix").addEventListener("input", (event) => change({prefix: event.target.value.trim() || null}));
  byId("forbid-form").addEventListener("submit", addForbidden);
  byId("keep").addEventListener("click", () => change({before: keptSettings()}));
  byId("clear").addEventListener("click", () => change({
    prefix: null, forbid: [], force: [], pins: [], require: [], before: null}));
}
