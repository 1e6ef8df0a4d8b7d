// Pieces of the page.  What comes from data is text, never HTML.

// make("p", { class: "x", click: f }, "text", child, …): functions are listeners, false leaves out.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== false && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null));
  return node;
}

export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

export function say(text, bad = false) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.classList.toggle("bad", bad);
}

export function percent(p) {
  if (p >= 0.9995 && p < 1) return ">99.9 %";
  if (p > 0 && p < 0.0005) return "<0.1 %";
  return `${(100 * p).toFixed(1)} %`;
}

export function count(n, what) {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

export function signed(x) {
  return typeof x === "number" ? (x < 0 ? "−" : "+") + Math.abs(x).toFixed(3) : "never";
}

// A table with a line of heads; cells are texts, or numbers that are already texts: ["number", "1.0"].
export function table(heads, rows, caption) {
  const cell = (tag, value) => Array.isArray(value)
    ? make(tag, { class: value[0], scope: tag === "th" && "col" }, value[1])
    : make(tag, { scope: tag === "th" && "col" }, value);
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    make("table", {},
      make("caption", { class: "quiet" }, caption),
      make("thead", {}, make("tr", {}, heads.map((h) => cell("th", h)))),
      make("tbody", {}, rows.map((row) => make("tr", {}, row.map((c) => cell("td", c)))))));
}
