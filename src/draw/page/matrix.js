// Draws the parts of a panel: the sentence as text, thumbnails of the heads, the table of weights and the legend.

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Replaces control characters by their symbols, so that every name is visible. */
function visible(text) {
  return text.replace(/[\0-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/\x7f/g, "\u2421").replace(/[\u0085\u2028\u2029]/g, "\u21b5");
}

/** ".87" or "1"; empty for a weight that rounds to ".00". */
function shortWeight(weight) {
  const text = weight.toFixed(2);
  return text === "0.00" ? "" : text === "1.00" ? "1" : text.replace(/^0/, "");
}

function setShade(element, share) {
  element.classList.add("shade");
  element.style.setProperty("--w", Math.min(share, 1).toFixed(3));
  element.classList.toggle("strong", share > .5);
}

function clearShade(element) {
  element.classList.remove("shade", "strong");
  element.style.removeProperty("--w");
}

const isEnd = (names, end, i) => end && i === names.length - 1;
// Scripts written upright in vertical text.
const kStacked = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef▁]+$/u;

/** The tokens of one side as running text, the pieces of a word joined, after `label`. The attributes `data-side` and
    `data-i` identify each token. */
function textOf(names, end, side, wordOf, label = "") {
  const line = make("p", {className: "text", dir: "auto"});
  if (label) line.dataset.label = label;
  names.forEach((name, i) => {
    const text = visible(name);
    const token = make("span", {textContent: text.length > 1 ? text.replace(/^▁/, "") : text});
    const joined = i > 0 && wordOf[i] === wordOf[i - 1];
    token.classList.toggle("joined", joined);
    token.classList.toggle("end", isEnd(names, end, i));
    Object.assign(token.dataset, {side, i});
    line.append(joined || i === 0 ? "" : " ", token);
  });
  return line;
}

function headerRow(view) {
  const row = make("tr");
  row.append(make("th", {className: "corner"}, `${view.what.above} →`, make("br"), `${view.what.left} ↓`));
  view.source.forEach((name, s) => {
    const label = make("span", {textContent: visible(name), dir: "auto"});
    label.classList.toggle("stacked", kStacked.test(name));
    const cell = make("th", {title: visible(name), scope: "col"}, label);
    cell.classList.toggle("end", isEnd(view.source, view.sourceEnd, s));
    row.append(cell);
  });
  row.append(make("th", {className: "edge"}));  // room for the last slanted label
  return make("thead", {}, row);
}

/** Returns a function (t, s) that gives the CSS classes of a cell: gold link, link of the model. */
function marksOf(view, sentence, reading, kind) {
  if (!view.ofPair) return () => "";
  const has = (links) => new Set((links ?? []).map(([s, t]) => `${s} ${t}`));
  const sure = has(sentence.gold?.sure);
  const possible = has(sentence.gold?.possible);
  const links = has(view.ofWords && kind === "" ? reading.links : []);
  return (t, s) => {
    const pair = `${view.sourceWord[s]} ${view.targetWord[t]}`;
    const gold = sure.has(pair) ? "sure" : possible.has(pair) ? "possible" : "";
    return `${gold} ${links.has(pair) ? "link" : ""}`.trim();
  };
}

function bodyRows(view, table, top, marks) {
  const body = make("tbody");
  view.target.forEach((name, t) => {
    const label = make("th", {textContent: visible(name), title: visible(name), dir: "auto", scope: "row"});
    label.classList.toggle("end", isEnd(view.target, view.targetEnd, t));
    const row = make("tr", {}, label);
    for (let s = 0; s < view.source.length; ++s) {
      const weight = table[t * view.source.length + s];
      const cell = make("td", {textContent: shortWeight(weight), className: marks(t, s)});
      setShade(cell, weight / top);
      row.append(cell);
    }
    body.append(row);
  });
  return body;
}

/** Sizes like those of draw_heatmap(), limited by the room in the window. */
function sizesOf(view, room, zoom) {
  const across = Math.floor((room.width - 150) / Math.max(view.source.length, 1));
  const down = Math.floor((room.height - 210) / Math.max(view.target.length, 1));
  // Fit the whole table if that stays legible, else its width, else let it scroll.
  const base = Math.min(Math.max(Math.min(across, Math.max(down, 23)), 15), 34);
  const cell = Math.min(Math.max(Math.round(base * zoom), 6), 80);
  const label = Math.min(Math.max(cell * .55, 9), 13);
  return {cell, label, slanted: cell * Math.SQRT1_2 >= label * 1.25, bare: cell < 22};
}

function matrixOf(view, table, sizes, top, marks) {
  const grid = make("table", {}, headerRow(view), bodyRows(view, table, top, marks));
  const matrix = make("div", {className: `matrix ${sizes.slanted ? "slanted" : "upright"}`, tabIndex: -1}, grid);
  matrix.classList.toggle("bare", sizes.bare);
  matrix.style.setProperty("--cell", `${sizes.cell}px`);
  matrix.style.setProperty("--label", `${sizes.label}px`);
  return matrix;
}

/** Sets the height of the header to that of its labels. The matrix must be in the document to be measured. */
function fitHeader(matrix) {
  let longest = 30;
  for (const label of matrix.querySelectorAll("thead span"))
    longest = Math.max(longest, label.offsetWidth, label.offsetHeight);
  const slanted = matrix.classList.contains("slanted");
  const last = matrix.querySelector("thead th:nth-last-child(2) span");
  matrix.style.setProperty("--head", `${Math.ceil(slanted ? longest * Math.SQRT1_2 + 18 : longest + 12)}px`);
  matrix.style.setProperty("--edge", `${slanted && last ? Math.ceil(last.offsetWidth * Math.SQRT1_2) : 0}px`);
}

/** A thumbnail of one table, one to six pixels per cell. */
function thumbnail(view, table, top) {
  const canvas = make("canvas", {width: view.source.length, height: view.target.length});
  const scale = Math.min(6, Math.max(1, 84 / Math.max(canvas.width, canvas.height)));
  canvas.style.width = `${canvas.width * scale}px`;
  canvas.style.height = `${canvas.height * scale}px`;
  const context = canvas.getContext("2d");
  const dark = document.documentElement.dataset.theme === "dark";
  table.forEach((weight, i) => {
    const w = Math.min(weight / top, 1);
    const l = dark ? .215 + .715 * w : 1 - .7 * w;
    context.fillStyle = `oklch(${l} ${dark ? .012 + .5 * l * (1 - l) * w : .5 * l * (1 - l)} 255)`;
    context.fillRect(i % canvas.width, Math.floor(i / canvas.width), 1, 1);
  });
  return canvas;
}

/** Buttons with thumbnails of all tables; `data-head` is the index of the table. */
function headsOf(view, chosen, top) {
  const strip = make("div", {className: "heads", role: "group", ariaLabel: "Heads"});
  view.tables.forEach((table, head) => {
    const button = make("button", {type: "button"}, thumbnail(view, table, top), view.heads[head]);
    button.dataset.head = head;
    button.setAttribute("aria-pressed", head === chosen);
    strip.append(button);
  });
  return strip;
}

function legendOf(top, sentence, views, kind) {
  const bar = make("span", {className: "bar"});
  for (let i = 0; i <= 10; ++i) setShade(bar.appendChild(make("span")), i / 10);
  const most = Number(top.toPrecision(3));
  const parts = [make("span", {}, "weight 0", bar, `${most}`)];
  if (top < 1) parts.push(make("span", {className: "scale"}, `the darkest shade is ${most}, because no weight here is larger`));
  const mark = (name, meaning) => parts.push(make("span", {}, make("span", {className: `mark ${name}`}), meaning));
  if (sentence.gold && views.some((view) => view.ofPair)) {
    mark("sure", "gold, sure");
    if (sentence.gold.possible.length > sentence.gold.sure.length) mark("possible", "gold, possible");
  }
  if (kind === "" && sentence.readings.some((reading) => reading.links)) mark("dot", "link of the model");
  return parts;
}
