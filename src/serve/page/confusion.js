// How good a model is on labelled data: the table of confusions, with examples behind each cell, and calibration.
import { post } from "./api.js";
import { draw, make, percent, say, table } from "./parts.js";

const MOST_LABELS = 40;

function example(each) {
  if (each.text !== undefined) return make("li", {}, each.text);
  const words = each.words.flatMap((word, k) => [k > 0 ? " " : "", k === each.word ? make("mark", {}, word) : word]);
  return make("li", {}, ...words, make("small", { class: "quiet" }, ` (line ${each.line + each.position})`));
}

// Rows: what the data has; columns: what the model says.
function cells(confusion) {
  const total = new Map();
  for (const { gold, predicted, count } of confusion) {
    for (const label of new Set([gold, predicted])) total.set(label, (total.get(label) ?? 0) + count);
  }
  const labels = [...total.entries()].sort((a, b) => b[1] - a[1]).slice(0, MOST_LABELS).map(([label]) => label);
  const at = new Map(confusion.map((cell) => [JSON.stringify([cell.gold, cell.predicted]), cell]));
  const most = Math.max(1, ...confusion.filter((c) => c.gold !== c.predicted).map((c) => c.count));
  const out = make("div", { id: "examples", role: "status" });
  function show(cell) {
    const listed = cell.examples ?? [];
    out.replaceChildren(make("h3", {}, `${cell.gold}, called ${cell.predicted}: ${cell.count} times`),
      make("ul", {}, listed.map(example)));
  }
  const entry = (gold, predicted) => {
    const cell = at.get(JSON.stringify([gold, predicted]));
    if (!cell) return make("td", { class: "number" }, "");
    if (gold === predicted) return make("td", { class: "number right" }, String(cell.count));
    const strength = Math.ceil(4 * cell.count / most);
    return make("td", { class: `number wrong-${strength}` }, make("button", { type: "button",
      "aria-label": `${gold} called ${predicted}: ${cell.count}`, click: () => show(cell) }, String(cell.count)));
  };
  return [make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Confusions" },
    make("table", { id: "confusion" }, make("caption", { class: "quiet" }, "Rows: the label of the data; columns: the model's"),
      make("thead", {}, make("tr", {}, make("td", {}, ""), labels.map((label) => make("th", { scope: "col" }, label)))),
      make("tbody", {}, labels.map((gold) => make("tr", {}, make("th", { scope: "row" }, gold), labels.map((p) => entry(gold, p))))))),
  out];
}

// Of each bin, how often the model was right against how sure it was.
function calibration(found) {
  const side = 240, left = 44, low = 30;
  const x = (p) => left + p * side, y = (p) => 10 + (1 - p) * side;
  const parts = [draw("line", { class: "edge", x1: x(0), y1: y(0), x2: x(1), y2: y(1), "stroke-dasharray": "4 4" })];
  for (const bin of found.bins.filter((b) => b.count > 0)) {
    parts.push(draw("circle", { class: "bin", cx: x(bin.mean_probability), cy: y(bin.accuracy),
      r: 3 + 7 * Math.sqrt(bin.count / found.count) }, draw("title", {},
      `${bin.count} labels, on average ${percent(bin.mean_probability)} sure: ${percent(bin.accuracy)} are right`)));
  }
  for (const p of [0, 0.5, 1]) {
    parts.push(draw("text", { x: x(p), y: side + 26, "text-anchor": "middle" }, `${100 * p} %`),
      draw("text", { x: left - 6, y: y(p) + 4, "text-anchor": "end" }, `${100 * p} %`));
  }
  const width = left + side + 24, height = side + low + 10;
  return [make("h3", {}, "Calibration"),
    make("p", { class: "quiet" }, `Across: how sure the model is; up: how often it is right. Below the dashed line it is too sure. `
      + `Expected calibration error ${percent(found.expected_calibration_error)}.`),
    draw("svg", { class: "calibration", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": "Calibration: accuracy against probability" }, parts)];
}

function labels(found) {
  return table(["label", ["number", "precision"], ["number", "recall"], ["number", "F1"], ["number", "in the data"]],
    Object.entries(found).map(([name, each]) => [name, ["number", percent(each.precision)], ["number", percent(each.recall)],
      ["number", percent(each.f1)], ["number", String(each.support)]]), "Each label");
}

// The part of a view that evaluates: on a file that is dropped or chosen, or on the server's own.
export function evaluation(model, hasData) {
  const out = make("div", {});
  const run = async (name, body) => {
    say(`evaluating on ${name} …`);
    try {
      const found = await post("/v1/evaluate", { model: model.name, ...body });
      const { summary } = found;
      const chunk = summary.chunk ? `, F1 of chunks ${percent(summary.chunk.f1)}` : "";
      out.replaceChildren(make("p", { id: "score" }, `${name}: ${percent(summary.tokens.accuracy)} of ${summary.tokens.count} labels are right${chunk}.`),
        ...cells(found.confusion), labels(summary.labels), ...(summary.calibration ? calibration(summary.calibration) : []));
      say("");
    } catch (error) {
      say(error.message, true);
    }
  };
  const read = async (file) => { if (file) await run(file.name, { data: await file.text() }); };
  const input = make("input", { id: "file", type: "file", change: () => read(input.files[0]) });
  const drop = make("div", {
    class: "drop", dragover: (event) => event.preventDefault(),
    drop: (event) => {
      event.preventDefault();
      read(event.dataTransfer.files[0]);
    },
  }, make("label", { for: "file" }, "Drop a file of labelled data here, or choose one: "), input,
  hasData ? make("button", { type: "button", id: "own", click: () => run("the server's data", {}) }, "Use the server's data") : null);
  return [make("h2", {}, "Where it is wrong"), drop, out];
}
