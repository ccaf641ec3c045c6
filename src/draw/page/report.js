// Draws the curves of report.html. The element "curves" holds them as JSON:
//   [{title, series: [{name, points: [[x, y], …]}, …]}, …]

function figureOf({title, series}) {
  const figure = document.createElement("figure");
  const values = document.createElement("figcaption");
  const curves = series.map(({name, points}, index) => ({name, index, points: points.map(([x, y]) => ({x, y}))}));
  const scene = chartScene(curves, title, 540);
  figure.append(chartElement(scene, (text) => { values.textContent = text; }), values);
  return figure;
}

const curves = JSON.parse(document.getElementById("curves").textContent);
document.getElementById("charts").append(...curves.map(figureOf));
