// The translations of all lines or sentences of a text, and the whole of a document. A click shows a sentence in detail.
import {keepingFocus} from "./panels.js";
import {changeSentence, ofLines, sentencesOf} from "./requests.js";
import {state} from "./state.js";

function lineItem(line, i, shown) {
  const translation = ofLines.translations[i];
  const button = make("button", {type: "button", onclick: () => changeSentence(state.q, {line: i})},
    make("span", {className: "faint", dir: "auto"}, visible(line)),
    make("span", {dir: "auto"}, translation ? visible(translation.text) || "(empty)" : "…"));
  if (translation?.dropped) button.append(make("span", {className: "faint"}, "too long: its end was dropped"));
  button.dataset.key = `line:${i}`;
  button.setAttribute("aria-pressed", i === shown);
  return make("li", {}, button);
}

function drawWhole() {
  const whole = document.getElementById("whole");
  whole.hidden = typeof ofLines?.whole !== "string";
  if (!whole.hidden) whole.querySelector("pre").textContent = ofLines.whole.split("\n").map(visible).join("\n");
}

export function listenToWhole() {
  document.getElementById("copy-whole").addEventListener("click", async ({target}) => {
    try {
      await navigator.clipboard.writeText(ofLines.whole);
      target.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(document.querySelector("#whole pre"));  // to copy by hand: no secure context
    }
    setTimeout(() => { target.textContent = "Copy translation"; }, 2500);
  });
}

export function drawLines() {
  drawWhole();
  const list = document.getElementById("lines");
  list.hidden = !ofLines;
  if (!ofLines) return list.replaceChildren();
  const lines = sentencesOf(state);
  const shown = Math.min(state.line, lines.length - 1);
  list.setAttribute("aria-busy", ofLines.busy);
  return keepingFocus(list, () => list.replaceChildren(...(ofLines.error
    ? [make("li", {className: "error", role: "alert"}, visible(ofLines.error))]
    : lines.map((line, i) => lineItem(line, i, shown)))));
}
