// Pictures as lists of shapes, so that what is on the screen can be saved as SVG and as PNG:
//   {path: "M…", fill, stroke, width, dash, opacity}   or   {text, x, y, anchor, fill, size, bold, turn}
// Colours are names of variables of the style ("ink"), or "shade:0.4", the shade of a weight.

const kNamespace = "http://www.w3.org/2000/svg";
const kFont = "system-ui, sans-serif";

export function svgElement(name, attributes = {}, ...children) {
  const element = document.createElementNS(kNamespace, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export const box = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;

/** Reads colours as the page shows them now, and gives them as #rrggbb, which every program knows. */
function colorReader() {
  const style = getComputedStyle(document.documentElement);
  const context = Object.assign(document.createElement("canvas"), {width: 1, height: 1})
    .getContext("2d", {willReadFrequently: true});
  const known = new Map();
  return (name) => {
    if (name === undefined || name === "none") return "none";
    if (!known.has(name)) {
      context.fillStyle = name.startsWith("shade:") ? shadeColor(Number(name.slice(6))) : style.getPropertyValue(`--${name}`);
      context.fillRect(0, 0, 1, 1);
      const bytes = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
      known.set(name, `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`);
    }
    return known.get(name);
  };
}

/** As .shade in the style of the attention page. */
function shadeColor(w) {
  if (document.documentElement.dataset.theme !== "dark") return `oklch(${1 - .7 * w} ${.5 * (1 - .7 * w) * .7 * w} 255)`;
  const l = .215 + .715 * w;
  return `oklch(${l} ${.012 + .52 * l * (1 - l) * Math.min(1, 2.5 * w)} 255)`;
}

function shapeElement(shape, color) {
  if (shape.path !== undefined) {
    return svgElement("path", {
      d: shape.path, fill: color(shape.fill), stroke: color(shape.stroke), "stroke-width": shape.width,
      "stroke-dasharray": shape.dash, opacity: shape.opacity, "stroke-linejoin": "round"});
  }
  const place = shape.turn ? `rotate(${shape.turn} ${shape.x} ${shape.y})` : undefined;
  const element = svgElement("text", {
    x: shape.x, y: shape.y, "text-anchor": shape.anchor, fill: color(shape.fill ?? "ink"), "font-size": shape.size ?? 12,
    "font-weight": shape.bold ? "bold" : undefined, transform: place});
  element.textContent = shape.text;
  return element;
}

/** {width, height, label, shapes} as an element. A shape's `group` puts it into that <g>, which the caller made. */
export function svgOf(scene) {
  const color = colorReader();
  const svg = svgElement("svg", {
    xmlns: kNamespace, viewBox: `0 0 ${scene.width} ${scene.height}`, width: scene.width, height: scene.height,
    "font-family": kFont, role: "img", "aria-label": scene.label});
  for (const shape of scene.shapes) {
    if (shape.group && !shape.group.parentNode) svg.append(shape.group);
    (shape.group ?? svg).append(shapeElement(shape, color));
  }
  return svg;
}

function paint(context, shape, color) {
  context.save();
  context.globalAlpha = shape.opacity ?? 1;
  if (shape.path !== undefined) {
    const path = new Path2D(shape.path);
    context.setLineDash((shape.dash ?? "").split(" ").filter(Boolean).map(Number));
    context.lineJoin = "round";
    if (color(shape.fill) !== "none") { context.fillStyle = color(shape.fill); context.fill(path); }
    context.lineWidth = shape.width ?? 1;
    if (color(shape.stroke) !== "none") { context.strokeStyle = color(shape.stroke); context.stroke(path); }
  } else {
    context.translate(shape.x, shape.y);
    context.rotate((shape.turn ?? 0) * Math.PI / 180);
    context.font = `${shape.bold ? "bold " : ""}${shape.size ?? 12}px ${kFont}`;
    context.textAlign = {middle: "center", end: "right"}[shape.anchor] ?? "left";
    context.fillStyle = color(shape.fill ?? "ink");
    context.fillText(shape.text, 0, 0);
  }
  context.restore();
}

/** The scene twice as large on a canvas: images of SVG would need a wider content security policy. */
function canvasOf(scene) {
  const color = colorReader();
  const canvas = Object.assign(document.createElement("canvas"), {width: scene.width * 2, height: scene.height * 2});
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  for (const shape of onGround(scene).shapes) paint(context, shape, color);
  return canvas;
}

const onGround = (scene) => (
  {...scene, shapes: [{path: box(0, 0, scene.width, scene.height), fill: "background"}, ...scene.shapes]});

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  make("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const saveJson = (value, name) => (
  save(new Blob([JSON.stringify(value, null, 1)], {type: "application/json"}), `${name}.json`));

function saveSvg(scene, name) {
  // Groups belong to the picture on the screen.
  const shapes = onGround(scene).shapes.map((shape) => ({...shape, group: undefined}));
  const text = new XMLSerializer().serializeToString(svgOf({...scene, shapes}));
  save(new Blob([text], {type: "image/svg+xml"}), `${name}.svg`);
}

/** Buttons that save what `sceneOf()` gives. */
export function exportButtons(sceneOf, name, what) {
  const button = (text, act) => {
    const element = make("button", {type: "button", className: "small", ariaLabel: `Save ${what} as ${text}`, onclick: act}, text);
    element.dataset.key = `save:${name}:${text}`;
    return element;
  };
  return make("span", {className: "exports"},
    button("SVG", () => saveSvg(sceneOf(), name)),
    button("PNG", () => canvasOf(sceneOf()).toBlob((blob) => save(blob, `${name}.png`))));
}
