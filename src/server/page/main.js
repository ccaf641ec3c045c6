// Starts the page: tabs, theme, link, and redrawing after changes of the state.
import {getJson, onTokenWanted, setToken} from "./api.js";
import {drawControls, fillModels, listenToControls} from "./controls.js";
import {drawInside} from "./inside.js";
import {drawLines, listenToWhole} from "./lines.js";
import {drawPanels} from "./panels.js";
import {allModels, answers, modelNamed, onAnswer, refresh, refreshSoon, setModels} from "./requests.js";
import {rove} from "./roving.js";
import {drawRuns, startRuns, stopRuns} from "./runs.js";
import {drawStart, listenToStart} from "./start.js";
import {change, onChange, readAddress, state} from "./state.js";

const byId = (id) => document.getElementById(id);
const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 500px)");
const kTyping = 220;  // milliseconds without a key press before a sentence is requested
const kTabs = ["translate", "runs"];

function applyTheme() {
  document.documentElement.dataset.theme = ["light", "dark"].includes(state.theme) ? state.theme
    : dark.matches ? "dark" : "light";
  byId("theme").textContent = document.documentElement.dataset.theme === "dark" ? "Light" : "Dark";
}

function drawTabs() {
  for (const name of kTabs) {
    byId(name).hidden = name !== state.tab;
    byId(`tab-${name}`).setAttribute("aria-selected", name === state.tab);
  }
}

function say(text) {
  if (byId("status").textContent !== text) byId("status").textContent = text;
}

function summary() {
  const now = answers.get("now");
  if (!now) return "";
  if (now.busy) return "translating …";
  if (!now.translation) return now.error ? "" : "Type a sentence above.";
  const count = now.translation.hypotheses.length;
  return `${count} ${count === 1 ? "translation" : "translations"} by ${visible(now.of.model)}`;
}

function drawTranslate() {
  const hypothesis = answers.get("now")?.translation?.hypotheses[0];
  drawControls(hypothesis?.attention ?? null);
  drawStart();
  drawLines();
  drawPanels();
  drawInside(state);
  say(summary());
}

function onAnswered(answer) {
  // While a new answer is pending, the old one stays as it is and keeps the focus.
  if (answer === null || !answer.busy) return drawTranslate();
  drawPanels();
  return say(summary());
}

function show() {
  if (!kTabs.includes(state.tab)) state.tab = "translate";
  applyTheme();
  drawTabs();
  if (state.tab === "runs") return startRuns();
  stopRuns();
  return refresh();
}

function follow(changed) {
  if (changed.has("theme")) return show();
  if (changed.has("tab")) return show();
  if (state.tab === "runs") return drawRuns();
  const typed = ["q", "prefix", "glossary"].some((name) => changed.has(name) && document.activeElement === byId(name));
  if (typed) return refreshSoon(kTyping);
  return refresh();
}

async function copyLink() {
  const button = byId("link");
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    // The clipboard is available only in secure contexts.
    button.textContent = "Use the address bar";
  }
  setTimeout(() => { button.textContent = "Copy link"; }, 2500);
}

/** Closes the settings on a narrow screen, where they would push the translation off the screen. */
function fitSettings() {
  byId("settings").open = !narrow.matches;
}

function listen() {
  fitSettings();
  narrow.addEventListener("change", fitSettings);
  listenToStart();
  listenToWhole();
  for (const name of kTabs) byId(`tab-${name}`).addEventListener("click", () => change({tab: name}));
  rove(document.querySelector('[role="tablist"]'), () => [kTabs.map((name) => byId(`tab-${name}`))]);
  byId("theme").addEventListener("click", () => (
    change({theme: document.documentElement.dataset.theme === "dark" ? "light" : "dark"})));
  byId("link").addEventListener("click", copyLink);
  dark.addEventListener("change", show);
  addEventListener("hashchange", () => { readAddress(); chooseModel(); show(); });
  addEventListener("resize", () => { if (state.tab === "translate") drawPanels(); else drawRuns(); });
  onChange(follow);
  onAnswer(onAnswered);
}

/** Replaces models that a link names but this server does not have. */
function chooseModel() {
  if (!modelNamed(state.model)) state.model = allModels()[0]?.name ?? "";
  if (state.other && !modelNamed(state.other)) state.other = "";
}

/** Loads the list of models and draws the page. */
async function load() {
  let trouble = "";
  try {
    setModels((await getJson("/v1/models")).models);
  } catch (error) {
    trouble = error.message;
  }
  fillModels();
  chooseModel();
  show();
  if (trouble) say(trouble);
}

function askForToken() {
  byId("token-form").hidden = false;
  byId("token").focus();
}

function takeToken(event) {
  event.preventDefault();
  setToken(byId("token").value.trim());
  byId("token").value = "";
  byId("token-form").hidden = true;
  load();
}

async function start() {
  readAddress();
  applyTheme();
  listenToControls();
  listen();
  onTokenWanted(askForToken);
  byId("token-form").addEventListener("submit", takeToken);
  await load();
  if (!state.q && state.tab === "translate" && byId("token-form").hidden) byId("q").focus();
}

start();
