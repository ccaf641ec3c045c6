// The translations of all lines of a text with several. A click shows a line in detail.
import {keepingFocus} from "./panels.js";
import {changeSentence, linesOf, ofLines} from "./requests.js";
import {state} from "./state.js";

function lineItem(line, i, shown) {
  const translation = ofLines.translations[i];
  const button = make("button", {type: "button", onclick: () => changeSentence(state.q, {line: i})},
    make("span", {className: "faint", dir: "auto"}, visible(line)),
    make("span", {dir: "auto"}, translation ? visible(translation.hypotheses[0].text) || "(empty)" : "…"));
  if (translation?.source.dropped) button.append(make("span", {className: "faint"}, "too long: its end was dropped"));
  button.dataset.key = `line:${i}`;
  button.setAttribute("aria-pressed", i === shown);
  return make("li", {}, button);
}

export function drawLines() {
  const list = document.getElementById("lines");
  list.hidden = !ofLines;
  if (!ofLines) return list.replaceChildren();
  const lines = linesOf(state.q);
  const shown = Math.min(state.line, lines.length - 1);
  list.setAttribute("aria-busy", ofLines.busy);
  return keepingFocus(list, () => list.replaceChildren(...(ofLines.error
    ? [make("li", {className: "error", role: "alert"}, visible(ofLines.error))]
    : lines.map((line, i) => lineItem(line, i, shown)))));
}
