// From an answer of the server to what the drawing code of the attention page takes (data.js, matrix.js).

/** Pieces as words: a piece that begins with "▁" begins a word, and the end symbol stands alone. */
export function wordsOf(pieces) {
  const words = [];
  const wordOf = pieces.map((piece) => {
    const begins = piece.startsWith("▁") || piece === "</s>" || words.length === 0;
    if (begins) words.push("");
    words[words.length - 1] += piece.replaceAll("▁", "");
    return words.length - 1;
  });
  return {tokens: pieces, words: words.map((word) => word || "▁"), wordOf, end: pieces.at(-1) === "</s>"};
}

const flat = (rows) => Float64Array.from(rows.flat());

/** All tables of a hypothesis, the mean first, then the heads; none without attention. */
function tablesOf(attention) {
  if (!attention?.weights?.length) return [];
  return [attention.weights, ...(attention.heads ?? [])].map(flat);
}

/** What matrix.js draws of a hypothesis at the level "words" or "pieces". */
export function viewOf(source, hypothesis, level) {
  const from = wordsOf(hypothesis.attention?.source ?? source.pieces);
  const to = wordsOf(hypothesis.attention?.target ?? hypothesis.pieces);
  const ofWords = level === "words";
  const itself = (names) => names.map((_, i) => i);
  const tables = tablesOf(hypothesis.attention);
  const name = ofWords ? "words" : "tokens";
  return {
    from, to, source: from[name], target: to[name], sourceEnd: from.end, targetEnd: to.end, ofWords,
    sourceWord: ofWords ? itself(from.words) : from.wordOf, targetWord: ofWords ? itself(to.words) : to.wordOf,
    tables: ofWords ? tables.map((table) => mergeToWords(table, from, to)) : tables,
  };
}

/** The words of a text without the end symbol. */
export const spoken = (side) => side.words.slice(0, side.end ? -1 : undefined);

/** The first and last + 1 piece of a word. */
export function piecesOf(side, word) {
  return {first: side.wordOf.indexOf(word), last: side.wordOf.lastIndexOf(word) + 1};
}
