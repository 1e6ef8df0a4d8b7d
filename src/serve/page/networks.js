// Networks: a drawing with the probability of each state; a click observes it.
import { get, post } from "./api.js";
import { Drawing } from "./drawing.js";
import { make, say } from "./parts.js";

class Network {
  constructor(main, model, shape) {
    this.model = model;
    this.shape = shape;
    this.observed = new Map();
    this.before = null;
    this.best = null;
    this.drawing = new Drawing(shape, (v, state) => this.observe(v, state), `Network ${model.name}`);
    this.says = make("p", { id: "answer" });
    main.append(this.tools(), this.says, this.drawing.svg, this.independence());
    this.drawing.fit();
    this.ask();
  }

  tools() {
    const button = (text, click) => make("button", { type: "button", click }, text);
    return make("div", { class: "tools" },
      button("Forget all", () => { this.observed.clear(); this.best = null; this.ask(); }),
      button("Most probable explanation", () => this.explain()),
      button("Compare with now", () => { this.before = this.before ? null : this.marginals; this.show(); }),
      this.drawing.buttons());
  }

  observe(v, state) {
    const { name } = this.shape.variables[v];
    if (this.observed.get(name) === state) this.observed.delete(name);
    else this.observed.set(name, state);
    this.best = null;
    this.ask();
  }

  question(more) {
    return { model: this.model.name, observe: Object.fromEntries(this.observed), ...more };
  }

  async ask() {
    try {
      const { result } = await post("/v1/infer", this.question({ task: "marginals" }));
      this.marginals = result.marginals;
      this.says.textContent = `${result.kind === "exact" ? "Exact" : `Not exact (${result.kind})`}, by ${result.method}.`;
      say("");
      this.show();
    } catch (error) {
      say(error.message, true);
    }
  }

  async explain() {
    try {
      const { result } = await post("/v1/infer", this.question({ task: "map" }));
      this.best = result.assignment;
      this.show();
      say("The most probable states of all variables together are underlined.");
    } catch (error) {
      say(error.message, true);
    }
  }

  show() {
    this.shape.variables.forEach(({ name, states }, v) => {
      this.drawing.nodes[v].group.classList.toggle("known", this.observed.has(name));
      states.forEach((state, s) => {
        this.drawing.showState(v, s, this.marginals[v][s],
          { pressed: this.observed.get(name) === state, best: this.best?.[v] === state });
        this.drawing.showBefore(v, s, this.before ? this.before[v][s] : null);
      });
    });
  }

  independence() {
    const names = this.shape.variables.map((v) => v.name);
    const select = (id) => make("select", { id }, names.map((n) => make("option", { value: n }, n)));
    const a = select("first"), b = select("second");
    if (names.length > 1) b.value = names[1];
    const out = make("span", { role: "status", id: "independent" });
    const ask = async () => {
      try {
        const { result } = await post("/v1/infer", this.question({ independent: `${a.value};${b.value}` }));
        out.textContent = result.independent ? "Independent, given what is observed." : "They may depend on each other.";
      } catch (error) {
        out.textContent = error.message;
      }
    };
    return make("div", { class: "tools" }, make("label", { for: "first" }, "Is"), a,
      make("label", { for: "second" }, "independent of"), b,
      make("button", { type: "button", click: ask }, "Ask"), out);
  }
}

export async function showNetworks(main, model) {
  new Network(main, model, await get(`/v1/network?model=${encodeURIComponent(model.name)}`));
}
