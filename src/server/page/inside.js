// Below the translations: alternatives at each position, the beam, coverage of the source, nearest sentences.
import {hypothesisOf, keepingFocus} from "./panels.js";
import {answers, beginWith} from "./requests.js";
import {rove} from "./roving.js";
import {nearestPart} from "./nearest.js";
import {bar, part} from "./parts.js";
import {treeOf} from "./tree.js";
import {viewOf} from "./view.js";

/** The entropy that fills a bar: the largest of the hypothesis, but at least one bit. */
const topEntropy = (hypothesis) => Math.max(Math.LN2, ...hypothesis.entropy ?? []);

function alternativeButton(hypothesis, t, {piece, probability}, k) {
  const chosen = piece === hypothesis.pieces[t];
  const act = () => beginWith([...hypothesis.pieces.slice(0, t), piece]);
  const button = make("button", {type: "button", className: "alternative", onclick: act},
    bar(probability), make("span", {className: "piece", dir: "auto"}, visible(piece)),
    make("span", {className: "number"}, probability.toFixed(2)));
  button.dataset.key = `alternative:${t}:${k}`;
  if (chosen) button.setAttribute("aria-current", "true");
  button.title = chosen ? "Keep everything up to here" : `Search again from here with ${visible(piece)}`;
  return button;
}

function position(hypothesis, t) {
  const piece = visible(hypothesis.pieces[t]);
  const column = make("li", {}, make("h3", {dir: "auto"}, piece));
  if (hypothesis.log_probs)
    column.append(make("p", {className: "number"}, `p ${Math.exp(hypothesis.log_probs[t]).toFixed(3)}`));
  if (hypothesis.entropy) column.append(make("p", {className: "number"},
    `H ${hypothesis.entropy[t].toFixed(2)}`, bar(hypothesis.entropy[t] / topEntropy(hypothesis), "warm")));
  const alternatives = hypothesis.alternatives?.[t] ?? [];
  column.append(make("div", {className: "alternatives", role: "group", ariaLabel: `Position ${t + 1}, ${piece}`},
    ...alternatives.map((one, k) => alternativeButton(hypothesis, t, one, k))));
  return column;
}

function positionsPart(hypothesis) {
  const list = make("ol", {className: "positions scroll"}, ...hypothesis.pieces.map((_, t) => position(hypothesis, t)));
  const columns = [...list.children].map((column) => [...column.querySelectorAll("button")]).filter((one) => one.length);
  rove(list, () => columns, {columns: true});
  return part("positions", "Alternatives at each position", make("p", {className: "faint"},
    "p: probability of the piece; H: entropy of its distribution in nats. Click a piece to search again from there."), list);
}

/** Shows the total attention that each source word received from all target words. */
function coveragePart(source, hypothesis, head) {
  const {from, tables} = viewOf(source, hypothesis, "words");
  if (!tables.length) return [];
  const table = tables[Math.min(head, tables.length - 1)];
  const sums = from.words.map((_, s) => table.reduce((sum, weight, i) => i % from.words.length === s ? sum + weight : sum, 0));
  const top = Math.max(1, ...sums);
  const rows = from.words.map((word, s) => make("li", {}, make("bdi", {}, visible(word)), bar(sums[s] / top),
    make("span", {className: "number"}, sums[s].toFixed(2))));
  return [part("coverage", "Coverage: total attention to each source word", make("ul", {className: "coverage"}, ...rows))];
}

export function drawInside(state) {
  const container = document.getElementById("inside");
  const answer = answers.get("now");
  const hypothesis = hypothesisOf(answer);
  container.hidden = !hypothesis;
  if (!hypothesis) return;
  keepingFocus(container, () => container.replaceChildren(
    positionsPart(hypothesis), part("beam", "The beam", ...treeOf(answer.translation.tree)),
    ...coveragePart(answer.translation.source, hypothesis, state.kind ? 0 : state.head), ...nearestPart(answer)));
}
