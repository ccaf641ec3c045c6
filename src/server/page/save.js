// Buttons that save a scene as SVG or PNG, and data as JSON.

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

/** The scene on a canvas at twice its size. Drawing an SVG image instead would need a wider content security policy. */
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
  // Groups are only for the picture on the screen.
  const shapes = onGround(scene).shapes.map((shape) => ({...shape, group: undefined}));
  const text = new XMLSerializer().serializeToString(svgOf({...scene, shapes}));
  save(new Blob([text], {type: "image/svg+xml"}), `${name}.svg`);
}

/** Buttons that save the scene that `sceneOf()` returns. */
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
