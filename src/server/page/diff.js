// Differences between two lists of words: all words outside a longest common subsequence.

function commonLengths(a, b) {
  const length = Array.from({length: a.length + 1}, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  return length;
}

/** The indices of `a` and of `b` outside the common subsequence, as two sets. */
export function differences(a, b) {
  const length = commonLengths(a, b);
  const onlyA = new Set(a.keys());
  const onlyB = new Set(b.keys());
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      onlyA.delete(i++);
      onlyB.delete(j++);
    } else if (length[i + 1][j] >= length[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return [onlyA, onlyB];
}
