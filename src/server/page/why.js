// Why the model wrote a word: attention beside other importances of the source words, and what it writes if it looks elsewhere.
import {explain, ServerError} from "./api.js";
import {bar} from "./parts.js";
import {beginWith, lineOf, modelNamed, termsReadIn, textOfPieces} from "./requests.js";
import {state} from "./state.js";

let asked = {};   // {key, body, answer, error} of the last request
let chosen = 0;   // index of the explained piece in its word

const kColumns = [
  ["attention", "attention", "Weight of the word, mean over layers and heads"],
  ["leave_one_out", "leave-one-out", "Total variation of the prediction when the word is deleted"],
  ["saliency", "saliency", "Share of the absolute gradient times embedding"]];

/** Redraws only this part when an answer arrives. */
function tell() {
  document.getElementById("why")?.replaceChildren(...contents());
}

async function ask(mine) {
  try {
    mine.answer = await explain(mine.body);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    mine.error = error.message;
  }
  if (asked === mine) tell();
}

function askFor(body) {
  const key = JSON.stringify(body);
  if (asked.key === key) return;
  asked = {key, body};
  ask(asked);
}

function measured(value) {
  if (value === null) return make("td", {className: "faint"}, "–");
  return make("td", {}, make("span", {className: "number"}, value.toFixed(3)), bar(value));
}

/** A button that searches again with what the model writes if it looks at a word. */
function elsewhere({pieces, probability}, {body, answer}, i) {
  const text = visible(textOfPieces(pieces)) || "(end)";
  const button = make("button", {type: "button", className: "small", dir: "auto", title: `Search again from here with ${text}`,
    onclick: () => beginWith([...body.pieces.slice(0, body.position), ...pieces])}, text);
  button.dataset.key = `word:elsewhere:${i}`;
  if (pieces[0] === answer.piece) button.setAttribute("aria-current", "true");
  return make("td", {}, button, " ", make("span", {className: "number"}, probability.toFixed(2)));
}

function tableOf(mine) {
  const heads = [["", "source word", ""], ...kColumns, ["", "attention only here", "What the model writes if all attention is on the word, with its probability"]]
    .map(([, name, title]) => make("th", {scope: "col", title}, name));
  const rows = mine.answer.words.map((word, i) => make("tr", {}, make("th", {scope: "row", dir: "auto"}, visible(word.word)),
    ...kColumns.map(([field]) => measured(word[field])), elsewhere(word.elsewhere, mine, i)));
  return make("div", {className: "scroll"}, make("table", {ariaLabel: `Why ${visible(mine.answer.piece)}`},
    make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
}

function contents() {
  if (asked.error) return [make("p", {className: "error", role: "alert"}, visible(asked.error))];
  if (!asked.answer) return [make("p", {role: "status"}, "explaining …")];
  const {piece, probability} = asked.answer;
  const free = state.force.length ? ", without forced attention" : "";
  return [make("p", {className: "faint"}, `Why ${visible(piece)} (p ${probability.toFixed(3)}${free}):`), tableOf(asked)];
}

/** Buttons for the pieces of the word, if it has several. */
function pieceButtons(pieces, draw) {
  if (pieces.length < 2) return [];
  const buttons = pieces.map((piece, i) => {
    const button = make("button", {type: "button", className: "small", dir: "auto", onclick: () => { chosen = i; draw(); }}, visible(piece));
    button.dataset.key = `word:piece:${i}`;
    button.setAttribute("aria-pressed", i === chosen);
    return button;
  });
  return [make("span", {className: "buttons", role: "group", ariaLabel: "Explained piece"}, ...buttons)];
}

/** The part of a panel for its target pieces `first` to `last`, which are a word. Nothing for a model without attention. */
export function whyPart({answer, hypothesis}, {first, last}, draw) {
  if (!modelNamed(answer.of.model)?.attends || answer.busy) return [];
  const pieces = hypothesis.pieces.slice(first, last);
  chosen = Math.min(chosen, pieces.length - 1);
  askFor({model: answer.of.model, source: lineOf(answer.of), pieces: hypothesis.pieces.slice(0, last), position: first + chosen,
    ...termsReadIn(answer.of)});
  return [...pieceButtons(pieces, draw), make("div", {id: "why"}, ...contents())];
}
