// The training sentences with the encodings nearest to the sentence's encoding.
import {nearest, ServerError} from "./api.js";
import {bar, part} from "./parts.js";
import {changeSentence, lineOf, modelNamed, settings} from "./requests.js";
import {change, state} from "./state.js";

const kWanted = 8;
const kEvery = 1000;  // milliseconds between requests while the index is being built

let asked = {};       // {key, answer, error} of the last request

/** Redraws only this part, so that the rest of the page keeps its scroll position. */
function tell() {
  const details = document.getElementById("nearest");
  details?.replaceChildren(details.firstElementChild, ...contents());
}

async function ask(mine, body) {
  try {
    while (asked === mine && !mine.answer?.nearest) {
      mine.answer = await nearest(body);
      if (asked === mine) tell();
      if (!mine.answer.nearest) await new Promise((done) => { setTimeout(done, kEvery); });
    }
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    mine.error = error.message;
    if (asked === mine) tell();
  }
}

function askFor({of}) {
  const body = {model: of.model, q: lineOf(of), n: kWanted};
  const key = JSON.stringify(body);
  if (asked.key === key) return;
  asked = {key};
  ask(asked, body);
}

function neighbor({line, similarity, source, target}, i) {
  const button = make("button", {type: "button", dir: "auto", title: "Translate this sentence and keep the current translation next to it",
    onclick: () => changeSentence(source, {before: settings()})}, visible(source));
  button.dataset.key = `nearest:${i}`;
  return make("li", {}, make("span", {className: "number"}, similarity.toFixed(3), bar(similarity)),
    make("div", {}, button, make("p", {dir: "auto"}, visible(target))),
    make("span", {className: "faint number"}, `line ${line}`));
}

const thousands = (count) => count.toLocaleString("en");

function listOf({nearest: neighbors, sentences, of}) {
  const those = sentences < of ? `${thousands(sentences)} of ${thousands(of)} training sentences, evenly spaced` : `${thousands(of)} training sentences`;
  return [make("p", {className: "faint"},
    `Cosine similarity of the mean encoder states, among ${those}. Click a sentence to translate it.`),
  make("ol", {className: "nearest"}, ...neighbors.map(neighbor))];
}

function contents() {
  if (asked.error) return [make("p", {className: "error", role: "alert"}, visible(asked.error))];
  if (asked.answer?.nearest) return listOf(asked.answer);
  if (!asked.answer) return [make("p", {role: "status"}, "searching …")];
  const {done, total} = asked.answer;
  return [make("p", {role: "status"}, `Encoding the training sentences (only once): ${thousands(done)} of ${thousands(total)} `,
    make("progress", {max: Math.max(total, 1), value: done, ariaLabel: "Sentences encoded"}))];
}

/** The part of the page; empty if the server does not show training text. */
export function nearestPart(answer) {
  if (!modelNamed(answer.of.model)?.nearest) return [];
  if (!state.near) asked = {};
  else if (!answer.busy) askFor(answer);
  const details = part("nearest", "Nearest training sentences", ...(state.near ? contents() : []));
  details.open = state.near === 1;
  details.addEventListener("toggle", () => { if (details.isConnected) change({near: details.open ? 1 : 0}); });
  return [details];
}
