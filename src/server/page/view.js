// From an answer of the server to what the drawing code of the attention page takes (data.js, matrix.js).

/** Pieces as words: a piece that begins with "▁" begins a word, and begin and end symbol stand alone. */
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

/** The slots of a memory, which are no words. */
function slotsOf(count) {
  const tokens = Array.from({length: count}, (_, i) => `${i + 1}`);
  return {tokens, words: tokens, wordOf: tokens.map((_, i) => i), end: false};
}

/** All tables of what is chosen, as offered() has them; none without attention. */
function tablesFrom(attention, kind, layer) {
  if (kind === "") return attention?.weights?.length ? [attention.weights, ...(attention.heads ?? [])].map(flat) : [];
  const {layers, rollout} = attention.kinds[kind];
  const chosen = layerOf(attention, kind, layer);
  const heads = (chosen === 0 ? [rollout] : layers[chosen - 1]).map(flat);
  return offered(heads, kinds[kind]);
}

/** What matrix.js draws of a hypothesis at the level "words" or "pieces": of the attention that the model shows, or of
    a kind's layer (0: the rollout) where the answer has it. `from` are the columns and `to` the rows. */
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

/** The first and last + 1 piece of a word. */
export function piecesOf(side, word) {
  return {first: side.wordOf.indexOf(word), last: side.wordOf.lastIndexOf(word) + 1};
}
