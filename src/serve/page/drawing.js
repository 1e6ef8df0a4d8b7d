// A drawing of a graph: nodes with a bar for each state, which can be dragged and zoomed.
import { draw, make, percent } from "./parts.js";

const WIDTH = 180, LINE = 20, HEAD = 24;

// shape: {"directed", "variables": [{"name", "states", "x", "y"}], "factors": [[variable, …]]}
// choose(variable, state) is called for the state that is clicked.
export class Drawing {
  constructor(shape, choose, name) {
    this.shape = shape;
    this.choose = choose;
    this.view = { x: 0, y: 0, scale: 1 };
    this.places();
    this.svg = draw("svg", { class: "network", role: "group", "aria-label": name });
    this.layer = draw("g");
    this.svg.append(this.layer);
    this.build();
    this.moveable();
  }

  // Zooms, for a bar of tools.
  buttons() {
    const button = (text, click) => make("button", { type: "button", click }, text);
    return [button("Zoom in", () => this.zoom(1.25)), button("Zoom out", () => this.zoom(0.8)),
      button("Fit", () => this.fit())];
  }

  // Those that the server has found; of a large undirected graph a grid.
  places() {
    const side = Math.ceil(Math.sqrt(this.shape.variables.length));
    const known = this.shape.variables.every((v) => v.x !== undefined);
    const xs = this.shape.variables.map((v) => v.x), ys = this.shape.variables.map((v) => v.y);
    const spread = known ? Math.max(1, ...this.spacing(xs, ys)) : 1;
    this.at = this.shape.variables.map((v, k) => known
      ? { x: v.x * spread, y: v.y * spread }
      : { x: (k % side) * (WIDTH + 60), y: Math.floor(k / side) * 170 });
  }

  // How much wider places must be so that no two nodes lie on each other.
  spacing(xs, ys) {
    const needed = [];
    for (let a = 0; a < xs.length; ++a) {
      for (let b = 0; b < a; ++b) {
        const dx = Math.abs(xs[a] - xs[b]), dy = Math.abs(ys[a] - ys[b]);
        const high = Math.max(this.height(a), this.height(b)) + 30;
        const need = Math.min(dx > 0 ? (WIDTH + 30) / dx : Infinity, dy > 0 ? high / dy : Infinity);
        if (Number.isFinite(need)) needed.push(Math.min(need, 20));
      }
    }
    return needed;
  }

  height(v) {
    return HEAD + LINE * this.shape.variables[v].states.length + 6;
  }

  build() {
    const edges = draw("g");
    this.edges = [];
    for (const scope of this.shape.factors) {
      const pairs = this.shape.directed
        ? scope.slice(0, -1).map((parent) => [parent, scope[scope.length - 1]])
        : scope.flatMap((a, k) => scope.slice(k + 1).map((b) => [a, b]));
      for (const [from, to] of pairs) {
        const line = draw("line", { class: "edge" });
        const tip = this.shape.directed ? draw("polygon", { class: "tip", points: "0,0 -11,-5 -11,5" }) : null;
        edges.append(line, ...(tip ? [tip] : []));
        this.edges.push({ from, to, line, tip });
      }
    }
    this.layer.append(edges);
    this.nodes = this.shape.variables.map((variable, v) => this.node(variable, v));
    this.layer.append(...this.nodes.map((n) => n.group));
  }

  node(variable, v) {
    const states = variable.states.map((state, s) => {
      const y = HEAD + LINE * s;
      const bar = draw("rect", { class: "bar", x: 6, y: y + 2, height: LINE - 4, width: 0, rx: 2 });
      const before = draw("rect", { class: "before", x: 6, y: y + 2, height: LINE - 4, width: 0, visibility: "hidden" });
      const number = draw("tspan", { x: WIDTH - 8, y: y + 15, "text-anchor": "end" });
      const row = draw("g", {
        class: "state", role: "button", tabindex: "0", "aria-pressed": "false",
        click: () => this.choose(v, state),
        keydown: (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          this.choose(v, state);
        },
      }, draw("rect", { x: 2, y, width: WIDTH - 4, height: LINE, fill: "transparent" }), bar, before,
      draw("text", { x: 10, y: y + 15 }, `${state.slice(0, 16)} `, number));
      return { row, bar, before, number };
    });
    const group = draw("g", { "data-variable": v },
      draw("rect", { class: "box", width: WIDTH, height: this.height(v), rx: 6 }),
      draw("text", { class: "title", x: 10, y: 17 }, variable.name.slice(0, 24)), states.map((s) => s.row));
    return { group, states };
  }

  place() {
    this.nodes.forEach(({ group }, v) => group.setAttribute("transform", `translate(${this.at[v].x} ${this.at[v].y})`));
    for (const { from, to, line, tip } of this.edges) {
      const centre = (v) => ({ x: this.at[v].x + WIDTH / 2, y: this.at[v].y + this.height(v) / 2 });
      const a = centre(from), b = centre(to);
      const end = this.border(b, a, to), begin = this.border(a, b, from);
      line.setAttribute("x1", begin.x);
      line.setAttribute("y1", begin.y);
      line.setAttribute("x2", end.x);
      line.setAttribute("y2", end.y);
      const angle = Math.atan2(b.y - a.y, b.x - a.x) * 180 / Math.PI;
      tip?.setAttribute("transform", `translate(${end.x} ${end.y}) rotate(${angle})`);
    }
  }

  // Where the line from a node's centre to another point leaves the node.
  border(centre, other, v) {
    const dx = other.x - centre.x, dy = other.y - centre.y;
    const part = Math.min(WIDTH / 2 / Math.max(Math.abs(dx), 1e-9), this.height(v) / 2 / Math.max(Math.abs(dy), 1e-9), 1);
    return { x: centre.x + dx * part, y: centre.y + dy * part };
  }

  fit() {
    const wide = Math.max(...this.at.map((p) => p.x)) + WIDTH, left = Math.min(...this.at.map((p) => p.x));
    const low = Math.max(...this.at.map((p, v) => p.y + this.height(v))), high = Math.min(...this.at.map((p) => p.y));
    const frame = this.svg.getBoundingClientRect();
    const scale = Math.min(1.2, (frame.width - 24) / (wide - left), (frame.height - 24) / (low - high));
    this.view = { scale, x: (frame.width - scale * (wide + left)) / 2, y: (frame.height - scale * (low + high)) / 2 };
    this.place();
    this.look();
  }

  look() {
    const { x, y, scale } = this.view;
    this.layer.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  }

  zoom(by, at) {
    const frame = this.svg.getBoundingClientRect();
    const { x, y } = at ?? { x: frame.width / 2, y: frame.height / 2 };
    this.view = { scale: this.view.scale * by, x: x - (x - this.view.x) * by, y: y - (y - this.view.y) * by };
    this.look();
  }

  // Nodes by their titles; the whole by its ground.
  moveable() {
    let moved = null;
    this.svg.addEventListener("pointerdown", (event) => {
      if (event.target.closest(".state")) return;
      const node = event.target.closest("[data-variable]");
      moved = { node: node ? Number(node.dataset.variable) : null, x: event.clientX, y: event.clientY };
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (!moved) return;
      const dx = event.clientX - moved.x, dy = event.clientY - moved.y;
      Object.assign(moved, { x: event.clientX, y: event.clientY });
      if (moved.node === null) {
        this.view.x += dx;
        this.view.y += dy;
        this.look();
      } else {
        this.at[moved.node].x += dx / this.view.scale;
        this.at[moved.node].y += dy / this.view.scale;
        this.place();
      }
    });
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, () => { moved = null; });
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const frame = this.svg.getBoundingClientRect();
      this.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1, { x: event.clientX - frame.left, y: event.clientY - frame.top });
    }, { passive: false });
  }

  // A state's bar, number and what a reader of screens hears.
  showState(v, s, p, { pressed = false, best = false } = {}) {
    const { name, states } = this.shape.variables[v];
    const { row, bar, number } = this.nodes[v].states[s];
    bar.setAttribute("width", Math.max(0, p * (WIDTH - 12)));
    number.textContent = percent(p);
    row.classList.toggle("best", best);
    row.setAttribute("aria-pressed", String(pressed));
    row.setAttribute("aria-label", `${name} ${states[s]} ${percent(p)}${best ? ", in the most probable explanation" : ""}`);
    row.dataset.probability = p;
  }

  // A dashed bar, to compare with; null: none.
  showBefore(v, s, p) {
    const { before } = this.nodes[v].states[s];
    before.setAttribute("visibility", p === null ? "hidden" : "visible");
    if (p !== null) before.setAttribute("width", p * (WIDTH - 12));
  }
}
