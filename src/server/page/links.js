// The words of a panel and their highlighting: pointing at a word, or focusing it, shades the words it is linked to.

const kWorthShading = .05;

// Above this share, white text is easier to read than black in the light theme, and black than white in the dark theme.
const kStrong = {light: .62, dark: .49};

/** Gives a shaded element the text colour with the larger contrast (WCAG 2.1). */
export function chooseInk(element) {
  const share = Number(element.style.getPropertyValue("--w"));
  element.classList.toggle("strong", share > kStrong[document.documentElement.dataset.theme]);
}

/** Shades the words that the word at `place` attends to or that attend to it, and highlights its row and column. `place`
    is {row}, {column} or both, counted in words, or null for none. */
export function light(panel, place) {
  for (const element of panel.element.querySelectorAll(".here")) element.classList.remove("here");
  for (const token of panel.element.querySelectorAll(".text [data-side]")) lightToken(panel, token, place);
  if (!place || !panel.matrix) return;
  const {rows, columns} = inTable(panel.view, place);
  const body = panel.matrix.querySelector("tbody");
  for (const t of rows) body.rows[t]?.cells[0].classList.add("here");
  for (const s of columns) panel.matrix.querySelector("thead tr").cells[s + 1]?.classList.add("here");
  for (const t of rows) for (const s of columns) body.rows[t]?.cells[s + 1]?.classList.add("here");
}

/** The rows and columns of a place in the table, which may be of words or pieces. */
function inTable(view, {row, column}) {
  const all = (wordOf, word) => [...wordOf.keys()].filter((i) => wordOf[i] === word);
  return {rows: all(view.targetWord, row), columns: all(view.sourceWord, column)};
}

/** The row and the column of a word of the source or target line, undefined if it has none. The decoder's inputs are its
    outputs shifted by one. */
function rowAndColumn({what}, {side, i}) {
  const columns = {source: "source", input: "target"}[what.columns];
  return {row: side === what.rows ? Number(i) : undefined,
    column: side === columns ? Number(i) + (what.columns === "input" ? 1 : 0) : undefined};
}

const same = (a, b) => a !== undefined && a === b;

function lightToken(panel, token, place) {
  clearShade(token);
  if (!place) return;
  const own = rowAndColumn(panel.view, token.dataset);
  token.classList.toggle("here", same(own.row, place.row) || same(own.column, place.column));
  const weight = weightOf(panel.lit, own, place);
  if (weight < kWorthShading) return;
  setShade(token, weight);
  chooseInk(token);
}

/** The weight between a word and a place on the other line; 0 if the place is a cell. */
function weightOf({table, columns}, own, place) {
  if (!table || (place.row === undefined) === (place.column === undefined)) return 0;
  const row = place.row ?? own.row;
  const column = place.column ?? own.column;
  return row === undefined || column === undefined ? 0 : table[row * columns + column];
}

/** The place of an element in the table of words: {row} or {column}, both for a cell, null for other elements. */
export function placeOf(element, {view}) {
  const token = element.closest(".text [data-side]");
  if (token) {
    const {row, column} = rowAndColumn(view, token.dataset);
    return row !== undefined ? {row} : {column};
  }
  const cell = element.closest(".matrix td, .matrix th");
  if (!cell || cell.matches(".corner, .edge")) return null;
  const column = view.sourceWord[cell.cellIndex - 1];
  if (cell.matches("thead th")) return {column};
  const row = view.targetWord[cell.parentElement.sectionRowIndex];
  return cell.matches("th") ? {row} : {row, column};
}

/** A line of words that can have the focus. `says` describes what a click on a word does. */
export function wordLine(side, end, name, {key, label, says}) {
  const line = textOf(side, end, name, side.map((_, i) => i));
  line.setAttribute("role", "group");
  line.setAttribute("aria-label", label);
  for (const token of line.querySelectorAll("[data-side]")) {
    token.setAttribute("role", "button");
    token.dataset.key = `${key}:${name}:${token.dataset.i}`;
    token.title = says;
  }
  return line;
}

export function listenForLight(panel) {
  const lit = (event) => light(panel, placeOf(event.target, panel));
  const rest = () => light(panel, focused(panel));
  panel.element.addEventListener("mouseover", lit);
  panel.element.addEventListener("focusin", lit);
  panel.element.addEventListener("mouseleave", rest);
  panel.element.addEventListener("focusout", () => light(panel, null));
}

function focused(panel) {
  const element = document.activeElement;
  return panel.element.contains(element) ? placeOf(element, panel) : null;
}
