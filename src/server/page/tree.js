// The beam as a tree: a column for each step with the most probable prefixes at the top, and an edge from each piece to
// the pieces that were tried after it.
import {beginWith} from "./requests.js";
import {rove} from "./roving.js";
import {exportButtons} from "./save.js";

const kRow = 24;
const kGap = 34;  // between columns
const kMostNodes = 3000;  // more take a browser seconds per key press
const kLetter = 7.2;

/** Isolates right-to-left text, so that the number beside it keeps its place. */
const isolated = (text) => /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(text) ? `\u2068${text}\u2069` : text;
const labelOf = (node) => `${isolated(visible(node.piece))} ${shortWeight(node.own) || "0"}`;

/** Nodes with positions, `own` (probability given the parent) and `best` (true on the path of the best hypothesis). */
function layOut(nodes) {
  const byId = new Map(nodes.map((node) => [node.id, {...node, children: []}]));
  for (const node of byId.values()) {
    node.parent = byId.get(node.parent);
    node.parent?.children.push(node);
    node.own = node.parent ? Math.exp(node.log_prob - node.parent.log_prob) : 1;
  }
  markBest([...byId.values()]);
  const columns = [];
  for (const node of byId.values()) (columns[node.step] ??= []).push(node);
  let x = 8;
  for (const column of columns.filter(Boolean)) {
    column.sort((a, b) => b.log_prob - a.log_prob);
    const width = Math.max(...column.map((node) => [...labelOf(node)].length)) * kLetter + 12;
    column.forEach((node, row) => Object.assign(node, {x, y: 8 + row * kRow, width}));
    x += width + kGap;
  }
  return {nodes: [...byId.values()], columns, width: x - kGap + 8};
}

/** Marks the path of the ended node with the best log-probability per piece, the default ranking of the search. */
function markBest(nodes) {
  const ended = nodes.filter((node) => node.state === "ended");
  const score = (node) => node.log_prob / Math.max(node.step, 1);
  ended.sort((a, b) => score(b) - score(a));
  for (let node = ended[0]; node; node = node.parent) node.best = true;
}

function edge(node) {
  const [x, y] = [node.parent.x + node.parent.width, node.parent.y + kRow / 2 - 3];
  const [toX, toY] = [node.x, node.y + kRow / 2 - 3];
  const middle = (x + toX) / 2;
  return {path: `M${x} ${y}C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`, stroke: node.best ? "accent" : "faint",
    width: node.best ? 2.5 : 1, opacity: node.state === "pruned" ? .45 : 1, dash: node.state === "pruned" ? "3 3" : undefined};
}

function nodeShapes(node) {
  const pruned = node.state === "pruned";
  const group = node.group;
  return [
    {group, path: box(node.x, node.y, node.width, kRow - 6), fill: pruned ? "background" : node.best ? "chosen" : "panel",
      stroke: node.best ? "accent" : pruned ? "line" : "faint", dash: pruned ? "3 3" : undefined,
      width: node.state === "ended" ? 2.5 : 1},
    {group, text: labelOf(node), x: node.x + 6, y: node.y + 13, size: 12, fill: pruned ? "faint" : "ink", bold: Boolean(node.best)},
  ];
}

const pathOf = (node) => node.parent ? [...pathOf(node.parent), node.piece] : [];

function describe(node) {
  const fate = {pruned: ", pruned from the beam", ended: ", a complete translation"}[node.state] ?? "";
  return `${labelOf(node)} at step ${node.step}: probability ${node.own.toFixed(3)}, log-probability ${node.log_prob.toFixed(2)}${fate}`;
}

/** A node as a button that searches again from it. */
function groupOf(node) {
  const group = svgElement("g", {role: "button", class: `node ${node.state}`});
  group.dataset.key = `node:${node.id}`;
  const title = svgElement("title");
  title.textContent = describe(node);
  group.append(title);
  const act = () => beginWith(pathOf(node));
  group.addEventListener("click", act);
  group.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    act();
  });
  return group;
}

function sceneOf({nodes, columns, width}) {
  const rows = Math.max(...columns.filter(Boolean).map((column) => column.length));
  const label = `The beam: ${nodes.length - 1} pieces tried in ${columns.length - 1} steps, `
    + `${nodes.filter((node) => node.state === "pruned").length} pruned`;
  const shapes = [...nodes.filter((node) => node.parent).map(edge), ...nodes.flatMap(nodeShapes)];
  return {width, height: rows * kRow + 12, label, shapes};
}

/** Contents of the part "Beam". */
export function treeOf(tree) {
  if (!tree?.nodes?.length) return [make("p", {className: "none"}, "Sampled translations have no beam.")];
  if (tree.nodes.length > kMostNodes) return [make("p", {className: "none"},
    `The beam has ${tree.nodes.length} pieces, too many to draw. Use a smaller beam or a shorter sentence.`)];
  const laid = layOut(tree.nodes);
  for (const node of laid.nodes) if (node.parent) node.group = groupOf(node);
  const svg = svgOf(sceneOf(laid));
  svg.setAttribute("role", "group");
  const groups = laid.columns.map((column) => column.map((node) => node.group).filter(Boolean));
  rove(svg, () => groups.filter((column) => column?.length), {columns: true});
  const scroll = make("div", {className: "scroll"}, svg);
  const plain = () => sceneOf({...laid, nodes: laid.nodes.map((node) => ({...node, group: undefined}))});
  return [make("div", {className: "bar"}, exportButtons(plain, "beam", "the beam"),
    make("span", {className: "faint"}, "blue: best translation; dashed: pruned; click a piece to search again from it")), scroll];
}
