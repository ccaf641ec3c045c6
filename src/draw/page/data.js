"use strict";
// The data of the page: sentences as attention_page.cpp wrote them. Weights are decoded when they are shown.

/** Decodes the weights of pack_weights() (page_weights.h): base64 of LEB128 numbers in units of 0.00001. */
function unpackWeights(packed, count) {
  const bytes = atob(packed);
  const weights = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < count; ++i) {
    let byte = 0;
    let value = 0;
    let scale = 1;
    do {
      byte = bytes.charCodeAt(at++);
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte & 128);
    weights[i] = value / 1e5;
  }
  return weights;
}

/** The weights of words: summed over the pieces of a source word, averaged over the pieces of a target word. */
function mergeToWords(weights, source, target) {
  const columns = source.words.length;
  const merged = new Float64Array(target.words.length * columns);
  const piecesOf = new Uint32Array(target.words.length);
  for (const word of target.wordOf) ++piecesOf[word];
  target.wordOf.forEach((row, t) => source.wordOf.forEach((column, s) => {
    merged[row * columns + column] += weights[t * source.wordOf.length + s] / piecesOf[row];
  }));
  return merged;
}

const hasWords = (reading) => reading.source.words !== undefined;

/** The kinds of attention in the order of the control, with their names and the sides of a reading that are their
    columns and rows. "" is the attention that the model returns by default and extracts its links from. */
const kinds = {
  "": {name: "attention", columns: "source", rows: "target", above: "source", left: "target"},
  cross: {name: "cross-attention by layer", columns: "source", rows: "target", above: "source", left: "target"},
  encoder: {name: "encoder self-attention", columns: "source", rows: "source", above: "source", left: "source"},
  decoder: {name: "decoder self-attention", columns: "input", rows: "target", above: "target so far", left: "target"},
  encoder_memory: {name: "encoder memory", columns: "encoder_memory_slots", rows: "source", above: "slot", left: "source"},
  decoder_memory: {name: "decoder memory", columns: "decoder_memory_slots", rows: "target", above: "slot", left: "target"},
};

/** True if a reading has attention of this kind. */
const hasKind = (reading, kind) => kind === "" ? reading.weights !== undefined || reading.kinds === undefined
  : reading.kinds?.[kind] !== undefined;

/** `wanted`, or the first kind that the reading has if `wanted` is "" and its model returns no attention by itself. */
function kindOf(reading, wanted) {
  if (wanted !== "" || hasKind(reading, "")) return wanted;
  return Object.keys(kinds).find((kind) => hasKind(reading, kind)) ?? "";
}

/** Number of layers of a kind, and whether it has a rollout. */
function layersOf(reading, kind) {
  const there = reading.kinds?.[kindOf(reading, kind)];
  return {count: there?.layers.length ?? 0, rollout: there?.rollout !== undefined};
}

/** The existing layer nearest to `wanted` (from 1; 0 is the rollout). */
function layerOf(reading, kind, wanted) {
  const {count, rollout} = layersOf(reading, kind);
  return wanted === 0 && rollout ? 0 : Math.min(Math.max(wanted, 1), count);
}

function meanOf(tables) {
  const mean = new Float64Array(tables[0].length);
  for (const table of tables) table.forEach((weight, i) => { mean[i] += weight / tables.length; });
  return mean;
}

/** Tables of heads in display order: if there are several, their mean comes first. Heads of a memory have no mean, because
    reading and writing differ; the read heads come before the write head. */
function offered(heads, what) {
  if (what.above === "slot") return [...heads.slice(1), heads[0]];
  return heads.length > 1 ? [meanOf(heads), ...heads] : heads;
}

/** Names of `count` tables in the order of offered(). */
function namesOffered(count, what) {
  const names = Array.from({length: count}, (_, i) => i ? `head ${i}` : "mean");
  if (what.above !== "slot") return names;
  return [...names.slice(1).map((_, i) => count > 2 ? `read ${i + 1}` : "read"), "write"];
}

/** The tables of the selected kind and layer, in the order of offered(). */
function tablesOf(reading, kind, layer, count) {
  const unpacked = (packed) => packed.map((one) => unpackWeights(one, count));
  if (kind === "") return reading.weights === undefined ? [] : unpacked([reading.weights, ...(reading.heads ?? [])]);
  if (!hasKind(reading, kind)) return [];
  const {layers, rollout} = reading.kinds[kind];
  const chosen = layerOf(reading, kind, layer);
  const heads = unpacked(chosen === 0 ? [rollout] : layers[chosen - 1]);
  return offered(heads, kinds[kind]);
}

/** The view of a reading: names of rows (`target`) and columns (`source`), which may be of either side of the pair; the
    tables [row][column] in the order of offered() with their names, `heads`; and the word of each token, `sourceWord` and
    `targetWord`. */
function viewOf(reading, level, wanted = "", layer = 1) {
  const kind = kindOf(reading, wanted);
  const merge = level === "words" && hasWords(reading);
  const name = merge ? "words" : "tokens";
  const what = hasKind(reading, kind) ? kinds[kind] : kinds[""];
  const columns = reading[what.columns];
  const rows = reading[what.rows];
  const view = {
    source: columns[name], target: rows[name], sourceEnd: columns.end, targetEnd: rows.end,
    ofWords: merge || !hasWords(reading), ofPair: what.columns === "source" && what.rows === "target", what,
  };
  const itself = (names) => names.map((_, i) => i);
  view.sourceWord = view.ofWords ? itself(view.source) : columns.wordOf;
  view.targetWord = view.ofWords ? itself(view.target) : rows.wordOf;
  const tables = tablesOf(reading, kind, layer, columns.tokens.length * rows.tokens.length);
  view.tables = merge ? tables.map((table) => mergeToWords(table, columns, rows)) : tables;
  view.heads = namesOffered(tables.length, what);
  return view;
}

/** The weight of the strongest shade: the least of 0.1, 0.2, 0.5 and 1 that no weight exceeds. */
function topOf(tables) {
  let largest = 0;
  for (const table of tables) for (const weight of table) largest = Math.max(largest, weight);
  return [.1, .2, .5, 1].find((top) => largest <= top + 1e-4) ?? largest;
}

/** Difference of two models: half the absolute difference of their rows, averaged over the target words. */
function differenceOf(sentence) {
  if (sentence.readings.length < 2) return 0;
  const [a, b] = sentence.readings.map((reading) => viewOf(reading, "words"));
  if (!a.tables.length || !b.tables.length || a.tables[0].length !== b.tables[0].length) return 0;
  let sum = 0;
  a.tables[0].forEach((weight, i) => { sum += Math.abs(weight - b.tables[0][i]) / 2; });
  return sum / Math.max(a.target.length, 1);
}

/** The text of a side, from its words or pieces. */
function lineOf(side) {
  const names = side.words ?? side.tokens;
  return names.slice(0, side.end ? -1 : undefined).join(" ");
}

const keyOf = (sentence) => sentence.rank ? `${sentence.id}.${sentence.rank}` : `${sentence.id}`;
const tokensOf = (side) => side.tokens.length - (side.end ? 1 : 0);

/** All sentences of the page, in order. */
function readSentences() {
  return Array.from(document.querySelectorAll("script.sentence"), (element) => {
    const sentence = JSON.parse(element.textContent);
    const first = sentence.readings[0];
    sentence.key = keyOf(sentence);
    sentence.source = lineOf(first.source);
    sentence.target = lineOf(first.target);
    sentence.folded = `${sentence.source}\n${sentence.target}`.normalize("NFC").toLowerCase();
    sentence.length = tokensOf(first.source) + tokensOf(first.target);
    element.remove();
    return sentence;
  });
}

/** True if a sentence contains all words of a query; "#12" matches line 12. */
function matches(sentence, query) {
  const terms = query.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);
  return terms.every((term) => /^#\d+$/.test(term) ? sentence.id === Number(term.slice(1))
    : sentence.folded.includes(term));
}

/** Log-probability per target token, including the end symbol. */
const perToken = ({score, target}) => score === undefined ? undefined : score / Math.max(target.tokens.length, 1);

/** Orders of the list, the most interesting sentences first. */
const orders = {
  line: () => 0,
  score: (a, b) => (perToken(a.readings[0]) ?? 0) - (perToken(b.readings[0]) ?? 0),
  length: (a, b) => b.length - a.length,
  difference: (a, b) => (b.difference ??= differenceOf(b)) - (a.difference ??= differenceOf(a)),
};
