"use strict";
// Scenes: pictures as lists of shapes, so that they can be shown as SVG and saved as SVG or PNG.
//   {path: "M…", fill, stroke, width, dash, opacity}   or   {text, x, y, anchor, fill, size, bold, turn}
// Colours are names of CSS variables ("ink"), or "shade:0.4", the shade of a weight.

const kNamespace = "http://www.w3.org/2000/svg";
const kFont = "system-ui, sans-serif";

function svgElement(name, attributes = {}, ...children) {
  const element = document.createElementNS(kNamespace, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const box = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;

/** Returns a function that gives colours of the current theme as #rrggbb, which every program can read. */
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

/** The colour of the class .shade in page.css. */
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

/** {width, height, label, shapes} as an <svg> element. A shape with a `group`, a <g> element, goes into that. */
function svgOf(scene) {
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
