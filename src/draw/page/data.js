"use strict";
// What the page knows: the sentences as the writer put them, decoded when one is shown.

/** Weights in the form of packed_weights.h: base64 of LEB128 numbers in units of 0.00001. */
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

/** The weights of words: sums over the pieces of a source word, means over those of a target word. */
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

/** What is shown of a reading: names of rows and columns, and the tables [row][column], the mean
    first, then the heads. `sourceWord` and `targetWord` say which word each token belongs to. */
function viewOf(reading, level) {
  const merge = level === "words" && hasWords(reading);
  const name = merge ? "words" : "tokens";
  const view = {
    source: reading.source[name], target: reading.target[name],
    sourceEnd: reading.source.end, targetEnd: reading.target.end,
    ofWords: merge || !hasWords(reading), tables: [],
  };
  const itself = (names) => names.map((_, i) => i);
  view.sourceWord = view.ofWords ? itself(view.source) : reading.source.wordOf;
  view.targetWord = view.ofWords ? itself(view.target) : reading.target.wordOf;
  if (reading.weights === undefined) return view;
  const count = reading.source.tokens.length * reading.target.tokens.length;
  for (const packed of [reading.weights, ...(reading.heads ?? [])]) {
    const weights = unpackWeights(packed, count);
    view.tables.push(merge ? mergeToWords(weights, reading.source, reading.target) : weights);
  }
  return view;
}

/** The least of 0.1, 0.2, 0.5 and 1 that no weight exceeds: what the strongest shade stands for. */
function topOf(tables) {
  let largest = 0;
  for (const table of tables) for (const weight of table) largest = Math.max(largest, weight);
  return [.1, .2, .5, 1].find((top) => largest <= top + 1e-4) ?? largest;
}

/** Half the sum of differences between two models' rows, the mean over the target words. */
function differenceOf(sentence) {
  if (sentence.readings.length < 2) return 0;
  const [a, b] = sentence.readings.map((reading) => viewOf(reading, "words"));
  if (!a.tables.length || !b.tables.length || a.tables[0].length !== b.tables[0].length) return 0;
  let sum = 0;
  a.tables[0].forEach((weight, i) => { sum += Math.abs(weight - b.tables[0][i]) / 2; });
  return sum / Math.max(a.target.length, 1);
}

/** A line as people read it, from its words or pieces. */
function lineOf(side) {
  const names = side.words ?? side.tokens;
  return names.slice(0, side.end ? -1 : undefined).join(" ");
}

const keyOf = (sentence) => sentence.rank ? `${sentence.id}.${sentence.rank}` : `${sentence.id}`;
const tokensOf = (side) => side.tokens.length - (side.end ? 1 : 0);

/** All sentences of the page, in its order. */
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

/** Whether a sentence has all the words of a query; "#12" asks for the line 12 itself. */
function matches(sentence, query) {
  const terms = query.normalize("NFC").toLowerCase().split(/\s+/).filter(Boolean);
  return terms.every((term) => /^#\d+$/.test(term) ? sentence.id === Number(term.slice(1))
    : sentence.folded.includes(term));
}

/** The log-probability for each target token, the end symbol among them. */
const perToken = ({score, target}) => score === undefined ? undefined : score / Math.max(target.tokens.length, 1);

/** Orders of the list: what is to be looked at first comes first. */
const orders = {
  line: () => 0,
  score: (a, b) => (perToken(a.readings[0]) ?? 0) - (perToken(b.readings[0]) ?? 0),
  length: (a, b) => b.length - a.length,
  difference: (a, b) => (b.difference ??= differenceOf(b)) - (a.difference ??= differenceOf(a)),
};
