// Turns the settings of the page into requests, which are sent again only when they have changed.
import {ServerError, translate} from "./api.js";
import {change, state} from "./state.js";

const kLongText = 160;  // characters; the search for a longer text is streamed
const kBest = 3;        // default number of translations
const kAsked = ["q", "line", "model", "beam", "penalty", "best", "temperature", "seed", "prefix", "forbid", "force",
  "pins", "require", "form", "glossary", "terms", "copy"];

let models = [];

export const setModels = (all) => { models = all; };
export const allModels = () => models;
export const modelNamed = (name) => models.find((model) => model.name === name);

/** The kinds of attention to choose from. A single layer of cross-attention is left out, because it is shown anyway. */
export function kindsOf(name) {
  const layers = modelNamed(name)?.attention_layers ?? {};
  return Object.keys(kinds).filter((kind) => layers[kind] && (kind !== "cross" || layers[kind].length > 1));
}

/** The part of the state that determines a translation. */
export const settings = () => structuredClone(Object.fromEntries(kAsked.map((name) => [name, state[name]])));

export const textOfPieces = (pieces) => pieces.filter((piece) => piece !== "</s>").join("").replaceAll("▁", " ").trim();

/** The sentences of a text, one a line. Empty lines do not count. */
export const linesOf = (q) => q.split("\n").map((line) => line.trim()).filter(Boolean);

/** The sentences of the typed text: its lines, or what the server has cut it into so far. */
export const sentencesOf = ({q, form}) => form ? ofLines?.translations.map((one) => one.source) ?? [] : linesOf(q);

/** The sentence that is shown in detail. */
export function lineOf(of) {
  const all = sentencesOf(of);
  return all[Math.min(of.line, all.length - 1)] ?? "";
}

/** The terms of a glossary as the server expects them. Lines without a translation do not count. */
function termsOf(glossary) {
  const terms = Object.create(null);  // "constructor" is a term like others
  for (const line of glossary.split("\n")) {
    const [source, targets] = line.split(/[=\t]/, 2).map((text) => text.trim());
    const all = (targets ?? "").split("|").map((text) => text.trim()).filter(Boolean);
    if (source && all.length) terms[source] = [...(terms[source] ?? []), ...all];
  }
  return terms;
}

/** The glossary of a request, and how it is used. Sampling does not search for terms. */
function termsAskedIn(of) {
  const asked = {}, terms = termsOf(of.glossary ?? "");
  if (of.temperature > 0) return asked;
  if (Object.keys(terms).length) asked.glossary = terms;
  if (of.terms !== "hard" && modelNamed(of.model)?.reads_terms) asked.glossary_mode = of.terms;
  return asked;
}

/** The glossary of a request whose terms the model reads. */
export function termsReadIn(of) {
  const asked = termsAskedIn(of);
  return asked.glossary_mode ? asked : {};
}

/** The terms, phrases and words of a request. The search must find terms and phrases, but sampling does not search. */
function wishesOf(of) {
  const wishes = {};
  if (of.forbid.length) wishes.forbid = of.forbid;
  if (of.copy && modelNamed(of.model)?.attends) wishes.copy_unknown = true;
  if (of.temperature > 0) return wishes;
  Object.assign(wishes, termsAskedIn(of));
  if (of.require?.length && !of.form) wishes.constraints = of.require.map((text) => text.split("|").map((one) => one.trim()).filter(Boolean));
  return wishes;
}

/** The translations that are shown side by side. A second model has other pieces, so it gets the prefix as text, but
    neither forced attention nor pinned pieces. */
export function variants() {
  const now = settings();
  const all = [{role: "now", of: now}];
  if (state.before) all.unshift({role: "before", of: {...now, line: 0, form: "", ...state.before}});
  if (state.other) {
    const prefix = Array.isArray(now.prefix) ? textOfPieces(now.prefix) : now.prefix;
    all.push({role: "other", of: {...now, model: state.other, prefix, force: [], pins: []}});
  }
  for (const {of} of all) of.kind = state.kind;
  return all;
}

/** Beam, number of translations and length penalty of a request; by default the model's. */
export const beamOf = (of) => of.beam || (modelNamed(of.model)?.beam ?? 5);
export const bestOf = (of) => of.best || (of.temperature > 0 ? kBest : Math.min(kBest, beamOf(of)));
export const penaltyOf = (of) => of.penalty >= 0 ? of.penalty : (modelNamed(of.model)?.length_penalty ?? 1);

/** The body of POST /v1/translate. Sampling has no beam, so only one of the two is sent. */
export function bodyOf(of) {
  const body = {model: of.model, q: lineOf(of), n_best: bestOf(of), alternatives: 8};
  if (of.temperature > 0) body.sample = {temperature: of.temperature, seed: of.seed};
  else Object.assign(body, {beam: beamOf(of), length_penalty: penaltyOf(of), tree: true});
  if (Array.isArray(of.prefix)) body.prefix_pieces = of.prefix;
  else if (of.prefix && !of.form) body.prefix = of.prefix;
  Object.assign(body, wishesOf(of));
  if (of.force.length) body.force_attention = of.force.map(([position, source]) => ({position, source}));
  if (of.pins?.length) body.force_pieces = of.pins.map(([position, piece]) => ({position, piece}));
  const ofKind = !of.force.length && kindsOf(of.model).includes(of.kind);
  if (modelNamed(of.model)?.attends || ofKind) body.attention = "piece";
  if (ofKind) body.attention_kinds = [of.kind];
  return body;
}

/** role -> {key, of, body, translation, error, partial, busy}. */
export const answers = new Map();
let tell = () => {};
export const onAnswer = (listener) => { tell = listener; };

async function ask(answer) {
  const controller = new AbortController();
  answer.cancel = () => controller.abort();
  const onStep = answer.body.q.length > kLongText ? (text) => { answer.partial = text; tell(answer); } : undefined;
  try {
    const response = await translate(answer.body, {signal: controller.signal, onStep});
    answer.translation = response.translations[0];
    answer.error = null;
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof ServerError)) throw error;
    // The old translation was made with other settings.
    Object.assign(answer, {error: error.message, translation: null});
  }
  answer.busy = false;
  answer.partial = null;
  tell(answer);
}

function renew({role, of}) {
  const body = bodyOf(of);
  const key = JSON.stringify(body);
  const old = answers.get(role);
  if (old?.key === key && !old.error) {
    old.of = of;
    return;
  }
  old?.cancel?.();
  // The old translation stays until the new one arrives, so that the page does not flicker.
  const answer = {role, key, of, body, translation: old?.translation ?? null, error: null, busy: true};
  answers.set(role, answer);
  if (body.q.trim()) ask(answer);
  else Object.assign(answer, {translation: null, busy: false});
}

/** The best translation of each sentence, if there are several lines or a document:
    {key, body, translations: [{source, text, dropped}], whole, error, busy}. `whole`: the translation of a document. */
export let ofLines = null;

/** The request for all lines, without the pieces and positions of the sentence that is shown in detail. */
function linesBody() {
  const {tree, alternatives, attention, attention_kinds, force_attention, force_pieces, prefix_pieces, ...body} = bodyOf(settings());
  if (!state.form) return {...body, q: linesOf(state.q), n_best: 1};
  if (state.form !== "text") body.markup = state.form;
  return {...body, q: state.q, n_best: 1, document: true};
}

let drawing = 0;
/** Draws once for all sentences that arrive before the next frame. */
function drawSoon() {
  drawing ||= requestAnimationFrame(() => { drawing = 0; tell(null); });
}

/** Takes a sentence of a document, which the server sends as soon as it is translated. */
function takeSentence(mine, sentence) {
  if (mine !== ofLines) return;
  if (sentence.position === 0) mine.translations = [];
  mine.translations.push(sentence);
  if (sentence.position === state.line) renewVariants();
  drawSoon();
}

function takeLines(mine, {translations}) {
  if (mine.body.document) {
    mine.translations = translations[0].sentences;
    mine.whole = translations[0].hypotheses[0].text;
  } else {
    mine.translations = translations.map(({source, hypotheses}) => (
      {source: source.text, text: hypotheses[0].text, dropped: source.dropped}));
  }
}

async function askForLines(mine) {
  const controller = new AbortController();
  mine.cancel = () => controller.abort();
  try {
    const onSentence = mine.body.document ? (sentence) => takeSentence(mine, sentence) : undefined;
    takeLines(mine, await translate(mine.body, {signal: controller.signal, onSentence}));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof ServerError)) throw error;
    Object.assign(mine, {error: error.message, translations: []});
  }
  mine.busy = false;
  if (mine === ofLines && mine.body.document && !mine.error) renewVariants();
  tell(null);
}

function renewLines() {
  const body = linesBody();
  const key = JSON.stringify(body);
  if (ofLines?.key === key && !ofLines.error) return;
  ofLines?.cancel?.();
  const old = [...ofLines?.translations ?? []];
  const several = body.document ? state.q.trim() !== "" : body.q.length > 1;
  ofLines = several && modelNamed(state.model) ? {key, body, translations: old, whole: null, error: null, busy: true} : null;
  if (ofLines) askForLines(ofLines);
}

/** Requests the translations of the sentence that is shown in detail. */
function renewVariants() {
  const wanted = modelNamed(state.model) ? variants() : [];
  for (const role of [...answers.keys()]) {
    if (wanted.some((variant) => variant.role === role)) continue;
    answers.get(role).cancel?.();
    answers.delete(role);
  }
  wanted.forEach(renew);
}

/** Requests the translations that the state needs and that are not loaded. */
export function refresh() {
  renewVariants();
  renewLines();
  tell(null);
}

let timer = 0;
/** Delays refresh(). During typing, only the last of several calls has an effect. */
export function refreshSoon(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(refresh, milliseconds);
}

/** The settings of the sentence that is shown in detail, to compare it with later ones. */
export const keptSettings = () => ({...settings(), q: lineOf(state), line: 0, form: ""});

/** Makes the output begin with `pieces`. They replace other pins at their positions; after an end symbol no pin is kept. */
export const beginWith = (pieces) => change({prefix: pieces, shown: 0, pins: state.pins.filter(([position, piece]) => (
  position < pieces.length ? pieces[position] === piece : pieces.at(-1) !== "</s>"))});

/** Sets the sentence. Choices that refer to pieces of the old sentence are reset. */
export function changeSentence(q, more = {}) {
  change({q, line: 0, force: [], pins: [], prefix: Array.isArray(state.prefix) ? null : state.prefix, shown: 0, ...more});
}

/** Replaces the sentence of a document that is shown in detail, unless tags divide it. */
function changeInDocument(text, more) {
  let begin = 0, end = 0;
  for (const sentence of sentencesOf(state).slice(0, state.line + 1)) {
    begin = state.q.indexOf(sentence, end);
    if (begin < 0) return;
    end = begin + sentence.length;
  }
  changeSentence(state.q.slice(0, begin) + text + state.q.slice(end), {line: state.line, ...more});
}

/** Replaces the sentence that is shown in detail and keeps the others. */
export function changeLine(text, more = {}) {
  if (state.form) {
    changeInDocument(text, more);
    return;
  }
  let left = Math.min(state.line, linesOf(state.q).length - 1);
  const q = state.q.split("\n").map((line) => line.trim() && left-- === 0 ? text : line).join("\n");
  changeSentence(q, {line: state.line, ...more});
}
