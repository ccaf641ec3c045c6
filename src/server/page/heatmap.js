// The table of weights of a panel, drawn by matrix.js. Its cells can be focused, and a click on one forces attention.
import {chooseInk} from "./links.js";
import {pressable, rove} from "./roving.js";
import {change, state} from "./state.js";
import {piecesOf} from "./view.js";

const kRoom = 640;  // height in pixels above which a table gets smaller cells

/** Returns a function (t, s) that gives the class "sure" for cells with forced attention. */
function forcedIn(view) {
  if (view.kind) return () => "";
  const forced = new Set(state.force.map(String));
  return (t, s) => cellPairs(view, t, s).some((pair) => forced.has(String(pair))) ? "sure" : "";
}

/** The [target piece, source piece] pairs of a cell. For words, each target piece is paired with the first source piece. */
function cellPairs(view, t, s) {
  if (!view.ofWords) return [[t, s]];
  const target = piecesOf(view.to, t);
  const source = piecesOf(view.from, s).first;
  return Array.from({length: target.last - target.first}, (_, i) => [target.first + i, source]);
}

/** Forces the attention of row t to column s, or stops forcing it. */
export function force(view, t, s) {
  const pairs = cellPairs(view, t, s);
  const taken = new Set(pairs.map(([position]) => position));
  const had = forcedIn(view)(t, s) !== "";
  const kept = state.force.filter(([position]) => !taken.has(position));
  change({force: (had ? kept : [...kept, ...pairs]).sort((a, b) => a[0] - b[0])});
}

export function heatmap(panel, width, top) {
  const {view, table} = panel;
  const what = view.what.name[0].toUpperCase() + view.what.name.slice(1);
  const sizes = sizesOf(view, {width, height: kRoom}, 1);
  const own = panel.role === "now" && view.kind === "";
  const matrix = matrixOf(view, table, sizes, top, own ? forcedIn(view) : () => "");
  const rows = [...matrix.querySelector("tbody").rows].map((row) => [...row.querySelectorAll("td")]);
  const grid = matrix.querySelector("table");
  grid.setAttribute("role", "grid");
  grid.setAttribute("aria-label", `${what}${own ? "; press Enter to force the row to attend to the column" : ""}`);
  grid.querySelector(".edge").setAttribute("role", "presentation");  // only spacing
  rows.forEach((row, t) => row.forEach((cell, s) => {
    chooseInk(cell);
    cell.dataset.key = `${panel.role}:cell:${t}:${s}`;
    cell.title = `${visible(view.target[t])} ← ${visible(view.source[s])} ${table[t * view.source.length + s].toFixed(4)}`;
  }));
  rove(grid, () => rows);
  if (own) listenForForce(matrix, view);
  return matrix;
}

/** A click forces the cell; a drag along a row forces the cell where it ends. */
function listenForForce(matrix, view) {
  let from = null;
  const cellOf = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".matrix td");
  const rowOf = (cell) => cell.parentElement.sectionRowIndex;
  const unmark = () => matrix.querySelector(".aimed")?.classList.remove("aimed");
  const aim = (event) => {
    const cell = cellOf(event);
    return cell && from && matrix.contains(cell) && rowOf(cell) === rowOf(from) ? cell : null;
  };
  const end = () => { unmark(); from = null; };
  matrix.addEventListener("pointerdown", (event) => {
    from = event.button === 0 ? event.target.closest("td") : null;
  });
  matrix.addEventListener("pointermove", (event) => {
    unmark();
    aim(event)?.classList.add("aimed");
  });
  matrix.addEventListener("pointerup", (event) => {
    const cell = aim(event);
    end();
    if (cell) force(view, rowOf(cell), cell.cellIndex - 1);
  });
  matrix.addEventListener("pointercancel", end);
  matrix.addEventListener("pointerleave", end);
  // The keyboard and screen readers click without pointer events.
  pressable(matrix, "td");
  matrix.addEventListener("click", (event) => {
    const cell = event.target.closest("td");
    if (cell && event.detail === 0) force(view, rowOf(cell), cell.cellIndex - 1);
  });
}

/** The table as a scene, for saving. */
export function heatmapScene({view, table}, top) {
  const [cell, left, head] = [26, longest(view.target) * 7 + 20, longest(view.source) * 5 + 30];
  const shapes = [];
  view.source.forEach((name, s) => shapes.push(
    {text: visible(name), x: left + (s + .55) * cell, y: head - 6, turn: -45, fill: "ink"}));
  view.target.forEach((name, t) => {
    const y = head + t * cell;
    shapes.push({text: visible(name), x: left - 7, y: y + cell * .66, anchor: "end", fill: "ink"});
    view.source.forEach((_, s) => shapes.push(...cellShapes(table[t * view.source.length + s], top, left + s * cell, y, cell)));
  });
  const width = left + view.source.length * cell + longest(view.source.slice(-1)) * 5 + 20;
  return {width, height: head + view.target.length * cell + 10, label: "Attention", shapes};
}

const longest = (names) => Math.max(...names.map((name) => [...name].length), 1);

function cellShapes(weight, top, x, y, size) {
  const share = Math.min(weight / top, 1);
  return [{path: box(x, y, size, size), fill: `shade:${share.toFixed(2)}`, stroke: "grid"},
    {text: shortWeight(weight), x: x + size / 2, y: y + size * .62, anchor: "middle", size: 9,
      fill: share > .5 ? "strong-ink" : "ink"}];
}
