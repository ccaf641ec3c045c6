// Groups of elements (words, cells, alternatives) that are a single tab stop, with arrow keys inside (roving tabindex).

const steps = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]};
const turned = {ArrowRight: "ArrowDown", ArrowLeft: "ArrowUp", ArrowDown: "ArrowRight", ArrowUp: "ArrowLeft"};

/** The element that a key moves to. `rows`: arrays of elements. */
function target(rows, element, key) {
  const row = rows.findIndex((one) => one.includes(element));
  const column = rows[row].indexOf(element);
  if (key === "Home") return rows[row][0];
  if (key === "End") return rows[row].at(-1);
  const [down, right] = steps[key];
  if (rows.length === 1) return rows[0][column + down + right];
  const next = rows[row + down];
  return next?.[Math.min(column + right, right ? column + right : next.length - 1)];
}

/** Makes the elements of `rowsOf()` a single tab stop inside `container`. With `columns` the arrays are columns. */
export function rove(container, rowsOf, {columns = false} = {}) {
  const stop = (element) => {
    for (const one of rowsOf().flat()) one.tabIndex = one === element ? 0 : -1;
  };
  stop(rowsOf()[0]?.[0]);
  container.addEventListener("focusin", (event) => {
    const element = rowsOf().flat().find((one) => one.contains(event.target));
    if (element) stop(element);
  });
  container.addEventListener("keydown", (event) => {
    const rows = rowsOf();
    if (event.ctrlKey || event.metaKey || event.altKey || !rows.some((row) => row.includes(event.target))) return;
    if (!(event.key in steps) && !["Home", "End"].includes(event.key)) return;
    event.preventDefault();
    target(rows, event.target, columns ? turned[event.key] ?? event.key : event.key)?.focus();
  });
}

/** Makes Enter and Space act as a click on elements that are not buttons. */
export function pressable(container, selector) {
  container.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key) || !event.target.matches(selector)) return;
    event.preventDefault();
    event.target.click();
  });
}
