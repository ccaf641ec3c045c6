// page_test.py appends this to the page. Presses keys, moves the mouse and records what the page
// shows, as JSON in <pre id="observed">.
"use strict";
{
  const observed = {};
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const texts = (selector, from) => all(selector, from).map((element) => element.textContent);
  const rows = (panel) => all("tbody tr", panel).map((row) => texts("td", row));
  const classes = (panel) => all("tbody tr", panel).map((row) => all("td", row).map((cell) => (
    [...cell.classList].filter((name) => ["sure", "possible", "link"].includes(name)).join(" "))));

  const choices = (id) => texts(`#${id} option`);
  const chosen = (id) => document.getElementById(id).selectedOptions[0]?.textContent;

  const snapshot = () => ({
    kinds: choices("kind"), kind: chosen("kind"), layers: choices("layer"), layer: chosen("layer"),
    offered: !document.getElementById("kinds").hidden,
    current: texts("#list [aria-current] .key span")[0],
    listed: all("#list li").length,
    count: document.getElementById("count").textContent,
    facts: document.getElementById("facts").textContent,
    panels: all(".panel").map((panel) => ({
      name: texts("h2 b", panel)[0], columns: texts("thead span", panel), rows: texts("tbody th", panel),
      cells: rows(panel), marks: classes(panel), heads: texts(".heads button", panel),
      head: texts('.heads [aria-pressed="true"]', panel)[0],
    })),
    readout: document.getElementById("readout").hidden ? [] : texts("#readout p"),
    theme: document.documentElement.dataset.theme,
    scale: texts("#legend .scale"),
    hash: location.hash,
    focus: document.activeElement.id,
  });
  const note = (name) => { observed[name] = snapshot(); };
  const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const type = (text) => {
    const search = document.getElementById("search");
    search.value = text;
    search.dispatchEvent(new Event("input", {bubbles: true}));
  };

  note("opened");
  press("Escape");
  note("deselected");
  press("w");
  note("words");
  all(".panel tbody td")[4].dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
  note("pointed");
  all(".panel tbody th")[1].dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
  note("row pointed");
  press("ArrowRight");
  note("head 1");
  press("h");
  press("h");
  note("head 2");
  press("a");
  note("encoder");
  all(".panel tbody td")[3].dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
  note("source pointed");
  press("ArrowRight");
  note("encoder head 1");
  press("u");
  note("encoder layer 2");
  document.getElementById("layer").value = "0";
  document.getElementById("layer").dispatchEvent(new Event("change"));
  note("rollout");
  press("a");
  note("decoder");
  press("w");
  note("decoder pieces");
  press("w");
  press("a");
  note("attention again");
  press("j");
  note("odd names");
  press("ArrowDown");
  note("scripts");
  press("j");
  note("no attention");
  press("k");
  note("back");
  press("/");
  note("searching");
  type("WORD4321");
  press("Enter");
  note("found");
  type("#17");
  note("by line");
  type("house nowhere");
  note("not found");
  type("");
  press("Home");
  type("#4");
  note("memory");
  press("ArrowLeft");
  note("memory written");
  press("a");
  note("decoder memory");
  type("");
  press("Home");
  const theme = document.documentElement.dataset.theme;
  press("t");
  note("other theme");
  observed.changedTheme = theme !== document.documentElement.dataset.theme;
  press("?");
  observed.help = document.getElementById("help").open;

  const result = document.createElement("pre");
  result.id = "observed";
  result.textContent = JSON.stringify(observed);
  document.body.append(result);
}
