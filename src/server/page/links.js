// The words of a panel, and what lights up when one is pointed at or has the focus.

const kWorthShading = .05;

// Above this share white is easier to read than black in the light theme, and black than white in the dark one.
const kStrong = {light: .62, dark: .49};

/** Gives a shaded element the ink that has the larger contrast (WCAG 2.1). */
export function chooseInk(element) {
  const share = Number(element.style.getPropertyValue("--w"));
  element.classList.toggle("strong", share > kStrong[document.documentElement.dataset.theme]);
}

/** Shades the words that the one at `place` ({t}, {s} or both) attends to or is attended by, and marks
    its row and column; null lets go. */
export function light(panel, place) {
  for (const element of panel.element.querySelectorAll(".here")) element.classList.remove("here");
  for (const token of panel.element.querySelectorAll(".text [data-side]")) lightToken(panel, token, place);
  if (!place || !panel.matrix) return;
  const {row, column} = inTable(panel.view, place);
  const body = panel.matrix.querySelector("tbody");
  for (const t of row) body.rows[t]?.cells[0].classList.add("here");
  for (const s of column) panel.matrix.querySelector("thead tr").cells[s + 1]?.classList.add("here");
  for (const t of row) for (const s of column) body.rows[t]?.cells[s + 1]?.classList.add("here");
}

/** Rows and columns of the table at the level shown; `place` counts words. */
function inTable(view, {t, s}) {
  const all = (wordOf, word) => [...wordOf.keys()].filter((i) => wordOf[i] === word);
  return {row: all(view.targetWord, t), column: all(view.sourceWord, s)};
}

function lightToken(panel, token, place) {
  const {side, i} = token.dataset;
  clearShade(token);
  if (!place) return;
  const own = side === "source" ? place.s : place.t;
  token.classList.toggle("here", Number(i) === own);
  const weight = own === undefined ? weightOf(panel.words, side, Number(i), place) : 0;
  if (weight < kWorthShading) return;
  setShade(token, weight);
  chooseInk(token);
}

/** The weight between word `i` of one side and the place on the other. */
function weightOf({table, columns}, side, i, place) {
  if (!table) return 0;
  return side === "source" ? table[place.t * columns + i] : table[i * columns + place.s];
}

/** The word that an element stands for: {t} or {s}, {t, s} for a cell, null for others. */
export function placeOf(element, view) {
  const token = element.closest(".text [data-side]");
  if (token) return token.dataset.side === "source" ? {s: Number(token.dataset.i)} : {t: Number(token.dataset.i)};
  const cell = element.closest(".matrix td, .matrix th");
  if (!cell || cell.matches(".corner, .edge")) return null;
  const s = view.sourceWord[cell.cellIndex - 1];
  if (cell.matches("thead th")) return {s};
  const t = view.targetWord[cell.parentElement.sectionRowIndex];
  return cell.matches("th") ? {t} : {t, s};
}

/** A line of words that can have the focus. `says` gives what a press of a word does, for its label. */
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
  const lit = (event) => light(panel, placeOf(event.target, panel.view));
  const rest = () => light(panel, focused(panel));
  panel.element.addEventListener("mouseover", lit);
  panel.element.addEventListener("focusin", lit);
  panel.element.addEventListener("mouseleave", rest);
  panel.element.addEventListener("focusout", () => light(panel, null));
}

function focused(panel) {
  const element = document.activeElement;
  return panel.element.contains(element) ? placeOf(element, panel.view) : null;
}
