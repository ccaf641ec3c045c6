"use strict";
// A chart of several curves with a cursor, which the mouse and the arrow keys move.

const kHeight = 360;
const [kLeft, kRight, kTop, kBottom] = [72, 16, 14, 40];
const kColors = 6;  // CSS variables --series-1, --series-2, …
const kDashes = [undefined, "7 4", "2 3"];

/** About five round numbers that cover `low` to `high`; only these two if floating-point steps between them fail. */
function ticks(low, high) {
  if (low === high) {
    const margin = Math.abs(low) * .1 || 1;
    return ticks(low - margin, high + margin);
  }
  const span = high - low;
  const power = 10 ** Math.floor(Math.log10(span / 5));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= span / 5 * .999);
  const first = Math.floor(low / step + 1e-9);
  if (!(Math.abs(first) < 1e15 && Number.isFinite(step))) return [low, high];
  const last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  return Array.from({length: last - first + 1}, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

const written = (value) => Math.abs(value) >= 1e7 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(1) : String(Number(value.toPrecision(5)));

function scalesOf(series, width, top) {
  const points = series.flatMap((one) => one.points);
  const extent = (values) => [values.reduce((a, b) => Math.min(a, b), Infinity), values.reduce((a, b) => Math.max(a, b), -Infinity)];
  const [first, last] = extent(points.map((point) => point.x));
  const x = ticks(first, last).filter((value) => value >= first && value <= last);
  const y = ticks(...extent(points.map((point) => point.y)));
  const place = (low, high, from, to) => (value) => from + (value - low) / (high - low || 1) * (to - from);
  return {x, y, toX: place(first, last, kLeft, width - kRight), toY: place(y[0], y.at(-1), kHeight - kBottom, top)};
}

function axes(scales, width, name) {
  const shapes = [];
  for (const value of scales.y) shapes.push(
    {path: `M${kLeft} ${scales.toY(value)}H${width - kRight}`, stroke: "grid"},
    {text: written(value), x: kLeft - 8, y: scales.toY(value) + 4, anchor: "end", size: 11, fill: "faint"});
  const every = Math.ceil(scales.x.length / Math.max(Math.floor(width / 90), 2));
  scales.x.forEach((value, i) => {
    if (i % every === 0) shapes.push({text: written(value), x: scales.toX(value), y: kHeight - kBottom + 18, anchor: "middle", size: 11, fill: "faint"});
  });
  shapes.push({text: "update", x: width - kRight, y: kHeight - 4, anchor: "end", size: 11, fill: "faint"},
    {text: name, x: 14, y: (kTop + kHeight - kBottom) / 2, anchor: "middle", turn: -90, size: 11, fill: "faint"});
  return shapes;
}

const lookOf = (i) => ({stroke: `series-${i % kColors + 1}`, dash: kDashes[Math.floor(i / kColors) % kDashes.length]});

function curve({points, index}, scales) {
  const at = ({x, y}) => `${scales.toX(x).toFixed(1)} ${scales.toY(y).toFixed(1)}`;
  const line = {path: `M${points.map(at).join("L")}`, width: 2, ...lookOf(index)};
  if (points.length > 60) return [line];
  const dots = points.map((point) => `M${at(point)}m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0`).join("");
  return [line, {path: dots, fill: line.stroke}];
}

/** Names of the curves above the plot, wrapped to its width; `top` is where the plot begins. */
function legendShapes(drawn, width) {
  const legend = [];
  let [x, y] = [kLeft, kTop];
  for (const one of drawn) {
    const room = 48 + [...one.name].length * 7;
    if (x > kLeft && x + room > width) [x, y] = [kLeft, y + 18];
    legend.push({path: `M${x} ${y}h22`, width: 2.5, ...lookOf(one.index)}, {text: one.name, x: x + 28, y: y + 4, size: 12});
    x += room;
  }
  return {legend, top: y + 20};
}

/** The chart as a scene. `series`: [{name, index, points: [{x, y}]}]; `index` selects colour and dashes. */
function chartScene(series, name, width) {
  const drawn = series.filter((one) => one.points.length);
  const label = `${name} over updates of ${drawn.map((one) => one.name).join(", ") || "no curves"}`;
  if (!drawn.length) return {width, height: 80, label, shapes: [{text: name ? `${name}: no values yet` : "no values yet", x: 12, y: 40, fill: "faint"}]};
  const {legend, top} = legendShapes(drawn, width);
  const scales = scalesOf(drawn, width, top);
  const shapes = [...legend, ...axes(scales, width, name), ...drawn.flatMap((one) => curve(one, scales))];
  return {width, height: kHeight, label, shapes, scales, drawn, top};
}

/** The point closest to an update. */
function nearest(points, x) {
  return points.reduce((best, point) => Math.abs(point.x - x) < Math.abs(best.x - x) ? point : best);
}

let held = Infinity;  // update at the cursor, kept when the chart is redrawn

/** The chart as an element. Calls `say` with a text of the values at the cursor. */
function chartElement(scene, say) {
  const svg = svgOf(scene);
  if (!scene.scales) return svg;
  const cursor = svgElement("path", {class: "cursor", fill: "none", "stroke-width": 1});
  svg.append(cursor);
  const all = [...new Set(scene.drawn.flatMap((one) => one.points.map((point) => point.x)))].sort((a, b) => a - b);
  let at = indexNear(all, held, (x) => x);
  const show = () => {
    held = at === all.length - 1 ? Infinity : all[at];
    const x = scene.scales.toX(all[at]);
    cursor.setAttribute("d", `M${x} ${scene.top}V${kHeight - kBottom}`);
    say(`update ${all[at]}: ${scene.drawn.map((one) => `${one.name} ${written(nearest(one.points, all[at]).y)}`).join(", ")}`);
  };
  const step = (by) => { at = Math.min(Math.max(at + by, 0), all.length - 1); show(); };
  listen(svg, {step, show, moveTo: (x) => { at = indexNear(all, x, scene.scales.toX); show(); }, last: all.length});
  return svg;
}

/** Index of the element of `all`, which is sorted, with placeOf() closest to `place`. */
function indexNear(all, place, placeOf) {
  const after = all.findIndex((x) => placeOf(x) >= place);
  if (after <= 0) return after === 0 ? 0 : all.length - 1;
  return placeOf(all[after]) - place < place - placeOf(all[after - 1]) ? after : after - 1;
}

function listen(svg, {step, show, moveTo, last}) {
  svg.setAttribute("tabindex", "0");
  svg.dataset.key = "chart";
  svg.addEventListener("focus", show);
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    moveTo((event.clientX - box.left) * svg.viewBox.baseVal.width / box.width);
  });
  svg.addEventListener("keydown", (event) => {
    const by = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -last, End: last}[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by);
  });
}
