// Building blocks of the parts below the translations.

const open = new Set(["positions", "beam", "coverage"]);  // parts that are open

export function part(name, title, ...children) {
  const details = make("details", {open: open.has(name)}, make("summary", {}, make("h2", {}, title)), ...children);
  details.addEventListener("toggle", () => open[details.open ? "add" : "delete"](name));
  details.id = name;
  details.firstChild.dataset.key = `part:${name}`;
  return details;
}

/** A number as a bar; `share` is relative to the longest bar. */
export function bar(share, className = "") {
  const element = make("span", {className: `length ${className}`, ariaHidden: "true"});
  element.style.setProperty("--share", Math.min(Math.max(share, 0), 1).toFixed(3));
  return element;
}
