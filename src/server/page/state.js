// The state of the page, which the address holds after "#".

const defaults = {
  tab: "translate", q: "", line: 0, model: "", other: "", beam: 0, penalty: -1, best: 0, temperature: 0, seed: 1,
  prefix: null,  // prefix of the output: a text, or an array of pieces
  forbid: [], force: [],  // forbid: words; force: [position of a target piece, position of a source piece]
  pins: [],  // [position, target piece at that position]
  require: [],  // texts that translations contain; "|" separates alternatives
  form: "",  // "": one sentence per line; "text": a document; "html", "xml", "markdown": one with this markup
  glossary: "", terms: "hard", copy: 0,  // glossary: a term per line; copy: 1: copy unknown characters
  // line: index of the line of q that is shown in detail; empty lines do not count
  before: null,  // the kept request to compare with
  level: "words", kind: "", layer: 1, head: 0, shown: 0,  // shown: index of the displayed hypothesis
  near: 0,  // 1: the nearest training sentences are shown
  runs: [], curve: "", theme: "",
};

/** The state. Modify it with change(), which updates the page and the address. */
export const state = structuredClone(defaults);

const listeners = [];

/** Calls `listener(set of changed names)` after each change. */
export function onChange(listener) {
  listeners.push(listener);
}

export function change(changes) {
  const changed = new Set(Object.keys(changes).filter((name) => (
    JSON.stringify(state[name]) !== JSON.stringify(changes[name]))));
  if (changed.size === 0) return;
  Object.assign(state, changes);
  writeAddress();
  for (const listener of listeners) listener(changed);
}

const wholes = new Set(["line", "layer", "head", "shown"]);  // count from 0
const plain = (name) => ["string", "number"].includes(typeof defaults[name]);

/** Anyone can write an address, so only values of the right type are taken from it. */
function valueOf(name, text) {
  if (typeof defaults[name] === "string") return text;
  if (wholes.has(name)) return /^\d{1,4}$/.test(text) ? Number(text) : defaults[name];
  if (typeof defaults[name] === "number") return Number.isFinite(Number(text)) ? Number(text) : defaults[name];
  try {
    return checks[name](JSON.parse(text)) ? JSON.parse(text) : defaults[name];
  } catch {
    return defaults[name];
  }
}

const isTexts = (value) => Array.isArray(value) && value.every((one) => typeof one === "string");
const isForce = (value) => Array.isArray(value) && value.every((pair) => (
  Array.isArray(pair) && pair.length === 2 && pair.every(Number.isInteger)));
const isPins = (value) => Array.isArray(value) && value.every((pair) => (
  Array.isArray(pair) && pair.length === 2 && Number.isInteger(pair[0]) && typeof pair[1] === "string"));
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const checks = {
  prefix: (value) => typeof value === "string" || isTexts(value),
  forbid: isTexts, require: isTexts, runs: isTexts, force: isForce, pins: isPins,
  before: (value) => isObject(value) && typeof value.q === "string" && typeof value.model === "string"
    && [value.form, value.glossary, value.terms].every((text) => text === undefined || typeof text === "string")
    && [value.forbid, value.require].every((list) => list === undefined || isTexts(list))
    && [value.force, value.pins].every((list) => list === undefined || Array.isArray(list)),
};

export function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(defaults))
    state[name] = given.has(name) ? valueOf(name, given.get(name)) : structuredClone(defaults[name]);
}

function writeAddress() {
  const address = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (JSON.stringify(value) === JSON.stringify(defaults[name])) continue;
    address.set(name, plain(name) ? value : JSON.stringify(value));
  }
  history.replaceState(null, "", `#${address}`);
}
