// Look: what is in a model.
import { get } from "./api.js";
import { evaluation } from "./confusion.js";
import { curve } from "./curve.js";
import { draw, make, signed, table } from "./parts.js";

function facts(title, object) {
  const rows = Object.entries(object).filter(([, value]) => value === null || typeof value !== "object")
    .map(([key, value]) => [key.replaceAll("_", " "), String(value)]);
  return rows.length ? [make("h2", {}, title), table(["what", "value"], rows, title)] : [];
}

// Rows: the label before; columns: the label after.
function heat(labels, scores) {
  const cell = 34, left = 110, top = 90;
  const most = Math.max(1e-9, ...scores.flat().filter((x) => x !== null).map(Math.abs));
  const parts = [];
  labels.forEach((label, k) => {
    const at = cell * k + cell / 2;
    parts.push(draw("text", { x: left - 6, y: top + at + 4, "text-anchor": "end" }, label.slice(0, 14)));
    parts.push(draw("text", { transform: `translate(${left + at + 4} ${top - 6}) rotate(-60)` }, label.slice(0, 14)));
  });
  scores.forEach((row, i) => row.forEach((x, j) => {
    const text = `${labels[i]} to ${labels[j]}: ${x === null ? "never" : signed(x)}`;
    parts.push(draw("rect", {
      x: left + cell * j, y: top + cell * i, width: cell, height: cell,
      class: x === null ? "never" : x < 0 ? "minus" : "plus",
      "fill-opacity": x === null ? 1 : (Math.abs(x) / most).toFixed(3),
    }, draw("title", {}, text)));
  }));
  const width = left + cell * labels.length + 70, height = top + cell * labels.length + 6;
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Transitions" },
    draw("svg", { class: "heat", width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": "Scores of transitions; blue for, orange against" }, parts));
}

// The lists of features of any depth, with the names of the objects that they are in.
function lists(value, names = []) {
  if (Array.isArray(value)) {
    return value.length && typeof value[0] === "object" ? [{ title: names.join(" · "), rows: value }] : [];
  }
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, each]) => lists(each, [...names, key]));
}

function features(top) {
  const query = make("input", { id: "query", type: "search", input: () => show() });
  const out = make("div", { class: "columns" });
  const all = lists(top);
  const cell = (x) => typeof x === "number" ? ["number", signed(x)] : Array.isArray(x) ? x.join(" → ") : String(x);
  function show() {
    const wanted = query.value.toLowerCase();
    out.replaceChildren(...all.flatMap(({ title, rows }) => {
      const kept = rows.filter((row) => !wanted || `${title} ${Object.values(row).join(" ")}`.toLowerCase().includes(wanted));
      if (!kept.length) return [];
      const keys = Object.keys(kept[0]);
      return [make("div", {}, make("h3", {}, title), table(keys, kept.map((row) => keys.map((k) => cell(row[k]))), title))];
    }));
  }
  show();
  return [make("h2", {}, "Strongest features"), make("p", {}, make("label", { for: "query" }, "Search: "), query), out];
}

export async function showLook(main, model) {
  const found = await get(`/v1/inspect?model=${encodeURIComponent(model.name)}`);
  const { training, ...summary } = found.summary;
  main.append(...facts(`Model ${model.name}`, summary),
    make("h2", {}, `Labels (${model.labels.length})`), make("p", {}, model.labels.join(", ")));
  if (found.transitions) {
    main.append(make("h2", {}, "Transitions"),
      make("p", { class: "quiet" }, "From the label of the row to that of the column: blue speaks for it, orange against; grey is forbidden."),
      heat(model.labels, found.transitions));
  }
  main.append(...evaluation(model, model.has_data), ...features(found.top), ...facts("Training", training ?? {}),
    ...curve(training?.curve, training?.kept_iteration));
}
