// What the page shows before a sentence is typed, and the help dialog.
import {changeSentence, modelNamed} from "./requests.js";
import {state} from "./state.js";

const byId = (id) => document.getElementById(id);
const kExamples = {
  cs: "Muž jede na kole.", de: "Ein Mann fährt Fahrrad.", en: "A man rides a bicycle.", es: "Un hombre monta en bicicleta.",
  fr: "Un homme fait du vélo.", it: "Un uomo va in bicicletta.", ja: "男の人が自転車に乗っています。", nl: "Een man fietst.",
  pl: "Mężczyzna jedzie na rowerze.", pt: "Um homem anda de bicicleta.", ru: "Мужчина едет на велосипеде.", zh: "一个男人在骑自行车。",
};

/** Shows an example in the model's source language until there is a sentence. */
export function drawStart() {
  const language = modelNamed(state.model)?.source ?? "";
  const example = kExamples[language];
  byId("start").hidden = state.q.trim() !== "" || !modelNamed(state.model);
  byId("example-line").hidden = !example;
  Object.assign(byId("example"), {textContent: example ?? "", lang: language});
}

const isTyping = (element) => ["INPUT", "TEXTAREA", "SELECT"].includes(element.tagName);

export function listenToStart() {
  byId("example").addEventListener("click", () => { changeSentence(byId("example").textContent); byId("q").focus(); });
  byId("help-button").addEventListener("click", () => byId("help").showModal());
  addEventListener("keydown", (event) => {
    if (event.key === "?" && !isTyping(event.target) && !byId("help").open) byId("help").showModal();
  });
}
