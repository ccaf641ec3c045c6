// The runs below the server's folder: their curves in one chart, updated while they train.
import {getJson, ServerError} from "./api.js";
import {keepingFocus} from "./panels.js";
import {exportButtons, saveJson} from "./save.js";
import {change, state} from "./state.js";

const byId = (id) => document.getElementById(id);
const kEvery = 2000;  // milliseconds between updates
const kFirst = 4;     // runs shown by default

let runs = [];
const known = new Map();  // name -> data of GET /v1/runs/NAME so far
let timer = 0;
let looking = 0;          // counts updates, so that a late answer to an earlier update is dropped

const chosen = () => state.runs.length ? state.runs.filter((name) => runs.some((run) => run.name === name))
  : runs.slice(0, kFirst).map((run) => run.name);
const indexOf = (name) => runs.findIndex((run) => run.name === name);

/** Records sorted by update; if several have the same update, the newest is kept. */
function merged(old, more) {
  const all = new Map([...old, ...more].map((record) => [record.update, record]));
  return [...all.values()].sort((a, b) => a.update - b.update);
}

/** The update up to which both lists are complete: a validation is written after the training record of its update. */
const seenOf = (run) => Math.min(run.train.at(-1)?.update ?? -1, run.validation.at(-1)?.update ?? -1);

async function look(name) {
  const old = known.get(name);
  const seen = old ? seenOf(old) : -1;
  const news = await getJson(`/v1/runs/${encodeURIComponent(name)}${seen >= 0 ? `?after=${seen}` : ""}`);
  const [train, validation] = ["train", "validation"].map((list) => merged(old?.[list] ?? [], news[list] ?? []));
  known.set(name, {config: news.config ?? old?.config ?? {}, train, validation});
}

const isLive = (name) => !known.has(name) || runs[indexOf(name)]?.state === "training";

async function lookAtAll() {
  const mine = ++looking;
  let trouble = "";
  try {
    // A run that trained at the last update may have ended since, so it is read once more.
    const training = new Set(runs.filter((run) => run.state === "training").map((run) => run.name));
    runs = (await getJson("/v1/runs")).runs;
    await Promise.all(chosen().filter((name) => isLive(name) || training.has(name)).map(look));
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    trouble = error.message;
  }
  if (mine !== looking || state.tab !== "runs") return;
  drawRuns(trouble);
  clearTimeout(timer);
  timer = setTimeout(lookAtAll, kEvery);
}

export function startRuns() {
  lookAtAll();
}

export function stopRuns() {
  ++looking;
  clearTimeout(timer);
}

/** Names of the curves of the chosen runs, "LIST FIELD". */
function curves() {
  const names = new Set();
  for (const name of chosen())
    for (const list of ["validation", "train"])
      for (const record of known.get(name)?.[list] ?? [])
        for (const [field, value] of Object.entries(record))
          if (field !== "update" && typeof value === "number") names.add(`${list} ${field}`);
  return [...names].sort((a, b) => rank(a) - rank(b));
}

const kUsual = ["validation bleu", "validation loss", "train loss", "train learning_rate", "train tokens_per_second"];
const rank = (name) => kUsual.includes(name) ? kUsual.indexOf(name) : kUsual.length;
const shownCurve = () => curves().includes(state.curve) ? state.curve : curves()[0] ?? "";
const titleOf = (curve) => visible(curve.replaceAll("_", " "));

function seriesOf(curve) {
  const [list, ...field] = curve.split(" ");
  return chosen().map((name) => ({
    name: visible(name), index: indexOf(name),
    points: (known.get(name)?.[list] ?? []).map((record) => ({x: record.update, y: record[field.join(" ")]}))
      .filter(({y}) => Number.isFinite(y)),
  }));
}

function toggle(name) {
  const names = chosen();
  change({runs: names.includes(name) ? names.filter((one) => one !== name) : [...names, name]});
  if (!known.has(name)) lookAtAll();
}

function runBox(run) {
  const field = make("input", {type: "checkbox", checked: chosen().includes(run.name), onchange: () => toggle(run.name)});
  field.dataset.key = `run:${run.name}`;
  const line = {path: "M1 5H25", width: 3, ...lookOf(indexOf(run.name))};
  const swatch = svgOf({width: 26, height: 10, label: "", shapes: [line]});
  swatch.setAttribute("aria-hidden", "true");
  const best = run.best && run.best.value !== null ? `, best ${visible(run.best.metric)} ${Number(run.best.value.toPrecision(4))} at ${run.best.update}` : "";
  return make("label", {className: `run ${run.state === "training" ? "live" : ""}`}, field, swatch,
    make("span", {}, make("b", {}, visible(run.name)), make("span", {className: "faint"}, ` ${visible(run.state)}, ${run.updates} ${run.updates === 1 ? "update" : "updates"}${best}`)));
}

/** A table of the config keys in which the chosen runs differ. */
function configDifferences() {
  const names = chosen().filter((name) => known.has(name));
  const keys = [...new Set(names.flatMap((name) => Object.keys(known.get(name).config)))].sort();
  const values = (key) => names.map((name) => known.get(name).config[key]);
  const differing = keys.filter((key) => new Set(values(key).map((value) => JSON.stringify(value))).size > 1);
  if (names.length < 2) return [];
  if (!differing.length) return [make("h2", {}, "Configuration"), make("p", {className: "faint"}, "These runs have the same configuration.")];
  return [make("h2", {}, "Differences in configuration"), table("Configurations", ["key", ...names], differing.map((key) => (
    [key, ...values(key).map((value) => value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value))])))];
}

function table(label, head, rows) {
  const header = make("tr", {}, ...head.map((text) => make("th", {scope: "col"}, visible(text))));
  const body = rows.map(([first, ...rest]) => make("tr", {}, make("th", {scope: "row"}, visible(first)),
    ...rest.map((text) => make("td", {}, visible(text)))));
  const element = make("table", {}, make("thead", {}, header), make("tbody", {}, ...body));
  return make("div", {className: "scroll", tabIndex: 0, role: "region", ariaLabel: label}, element);
}

/** Last, lowest and highest values of the curve as a table, also for screen readers. */
function lastValues(curve) {
  const rows = seriesOf(curve).filter((one) => one.points.length).map(({name, points}) => {
    const values = points.map((point) => point.y);
    const number = (value) => String(Number(value.toPrecision(5)));
    return [name, String(points.at(-1).x), number(values.at(-1)),
      number(values.reduce((a, b) => Math.min(a, b))), number(values.reduce((a, b) => Math.max(a, b)))];
  });
  return rows.length ? [make("h2", {}, titleOf(curve)), table("Values", ["run", "last update", "last", "lowest", "highest"], rows)] : [];
}

function drawCurveChoice(curve) {
  const names = curves();
  const options = byId("curve").options;
  if (names.join() !== Array.from(options, (option) => option.value).join())
    byId("curve").replaceChildren(...names.map((name) => new Option(titleOf(name), name)));
  byId("curve").value = curve;
  byId("curve").onchange = (event) => change({curve: event.target.value});
}

function drawChart(curve) {
  const width = Math.max(Math.min(byId("chart").clientWidth, 1100), 280);
  const sceneOf = () => chartScene(seriesOf(curve), titleOf(curve), width);
  keepingFocus(byId("chart"), () => byId("chart").replaceChildren(chartElement(sceneOf(), (text) => { byId("run-status").textContent = text; })));
  keepingFocus(byId("run-exports"), () => byId("run-exports").replaceChildren(exportButtons(sceneOf, "curves", "the curves"),
    make("button", {type: "button", className: "small", ariaLabel: "Save the runs as JSON",
      onclick: () => saveJson(Object.fromEntries(chosen().map((name) => [name, known.get(name)])), "runs")}, "JSON")));
}

let drawnBoxes = "";

/** Redraws only after a change, because a click on an element that is replaced meanwhile is lost. */
function drawBoxes() {
  const now = JSON.stringify([runs, chosen(), document.documentElement.dataset.theme]);
  if (now === drawnBoxes) return;
  drawnBoxes = now;
  keepingFocus(byId("chosen-runs"), () => byId("chosen-runs").replaceChildren(...runs.map(runBox)));
}

export function drawRuns(trouble = "") {
  const nothing = trouble || (runs.length ? "" : "No runs to show. Start the server with --runs FOLDER.");
  if (nothing) byId("run-status").textContent = nothing;
  byId("run-fields").hidden = runs.length === 0;
  drawBoxes();
  const curve = shownCurve();
  drawCurveChoice(curve);
  if (runs.length) drawChart(curve);
  byId("run-tables").replaceChildren(...lastValues(curve), ...configDifferences());
}
