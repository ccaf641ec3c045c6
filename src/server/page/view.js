// Converts an answer of the server into views for the drawing code of the attention page (data.js, matrix.js).

/** Groups pieces into words: "▁" begins a word; the begin and end symbols are words of their own. */
export function wordsOf(pieces) {
  const words = [];
  const wordOf = pieces.map((piece, i) => {
    const begins = piece.startsWith("▁") || piece === "</s>" || words.length === 0 || pieces[i - 1] === "<s>";
    if (begins) words.push("");
    words[words.length - 1] += piece.replaceAll("▁", "");
    return words.length - 1;
  });
  return {tokens: pieces, words: words.map((word) => word || "▁"), wordOf, end: pieces.at(-1) === "</s>"};
}

const flat = (rows) => Float64Array.from(rows.flat());

/** The slots of a memory as columns. */
function slotsOf(count) {
  const tokens = Array.from({length: count}, (_, i) => `${i + 1}`);
  return {tokens, words: tokens, wordOf: tokens.map((_, i) => i), end: false};
}

/** The tables of a kind and layer in the order of offered(); none without attention. */
function tablesFrom(attention, kind, layer) {
  if (kind === "") return attention?.weights?.length ? [attention.weights, ...(attention.heads ?? [])].map(flat) : [];
  const {layers, rollout} = attention.kinds[kind];
  const chosen = layerOf(attention, kind, layer);
  const heads = (chosen === 0 ? [rollout] : layers[chosen - 1]).map(flat);
  return offered(heads, kinds[kind]);
}

/** The view of a hypothesis for matrix.js at the level "words" or "pieces". Shows a layer (0: the rollout) of the kind of
    attention `wanted` if the answer has it, else the model's default attention. `from` are the columns and `to` the rows. */
export function viewOf(source, hypothesis, level, wanted = "", layer = 1) {
  const {attention} = hypothesis;
  const kind = attention && hasKind(attention, wanted) ? wanted : "";
  const what = kinds[kind];
  const side = {source: attention?.source ?? source.pieces, target: attention?.target ?? hypothesis.pieces,
    input: attention?.target_input ?? []};
  const from = what.above === "slot" ? slotsOf(attention.kinds[kind].layers[0][0][0].length) : wordsOf(side[what.columns]);
  const to = wordsOf(side[what.rows]);
  const ofWords = level === "words";
  const itself = (names) => names.map((_, i) => i);
  const tables = tablesFrom(attention, kind, layer);
  const name = ofWords ? "words" : "tokens";
  return {
    kind, what, from, to, source: from[name], target: to[name], sourceEnd: from.end, targetEnd: to.end, ofWords,
    ofPair: what.columns === "source" && what.rows === "target",
    sourceWord: ofWords ? itself(from.words) : from.wordOf, targetWord: ofWords ? itself(to.words) : to.wordOf,
    tables: ofWords ? tables.map((table) => mergeToWords(table, from, to)) : tables,
    heads: namesOffered(tables.length, what),
  };
}

/** The words of a text without the end symbol. */
export const spoken = (side) => side.words.slice(0, side.end ? -1 : undefined);

/** The first piece of a word and the one after its last. */
export function piecesOf(side, word) {
  return {first: side.wordOf.indexOf(word), last: side.wordOf.lastIndexOf(word) + 1};
}
