// Around: of a graph that is too large to draw, what is around one variable.
import { post } from "./api.js";
import { Drawing } from "./drawing.js";
import { count, make, percent, say, signed, table } from "./parts.js";

const weight = (x) => ["number", x === null ? "demanded" : signed(x)];

class Around {
  constructor(main, model) {
    this.model = model;
    this.name = undefined;
    this.out = make("div", { class: "around" });
    this.says = make("p", { class: "quiet" }, `${count(model.variables, "variable")}. ${model.method}.`);
    main.append(this.tools(), this.says, this.out);
  }

  tools() {
    this.query = make("input", { id: "variable", type: "search", list: "names", autocomplete: "off",
      input: () => this.later(), change: () => this.show(this.query.value) });
    this.names = make("datalist", { id: "names" });
    this.distance = make("select", { id: "distance", change: () => this.show(this.name) },
      [1, 2, 3].map((d) => make("option", { value: d }, String(d))));
    return make("div", { class: "tools" }, make("label", { for: "variable" }, "Variable"), this.query, this.names,
      make("label", { for: "distance" }, "Cliques away"), this.distance);
  }

  // Names to choose from, as one types.
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      try {
        const { names } = await post("/v1/neighbourhood", { model: this.model.name, names: this.query.value, most: 20 });
        this.names.replaceChildren(...names.map((name) => make("option", { value: name })));
      } catch (error) {
        say(error.message, true);
      }
    }, 120);
  }

  async show(name) {
    const body = { model: this.model.name, distance: Number(this.distance.value), most: 30 };
    if (name) body.variable = name;
    try {
      const found = await post("/v1/neighbourhood", body);
      this.name = found.variables[0].name;
      this.query.value = this.name;
      this.draw(found);
      say(`${count(found.variables.length, "variable")}, ${count(found.cliques.length, "clique")}; a click on a state goes there`);
    } catch (error) {
      say(error.message, true);
    }
  }

  draw({ variables, cliques, why }) {
    const shape = { directed: false, variables, factors: cliques.map((c) => c.variables) };
    const drawing = new Drawing(shape, (v) => this.show(variables[v].name), `Around ${this.name}`);
    this.out.replaceChildren(make("div", { class: "tools" }, drawing.buttons()), drawing.svg,
      ...this.why(why), ...this.cliques(variables, cliques));
    drawing.fit();
    variables.forEach((variable, v) => {
      drawing.nodes[v].group.classList.toggle("known", variable.known || v === 0);
      variable.states.forEach((state, s) =>
        drawing.showState(v, s, variable.probabilities[s], { best: variable.label === state }));
    });
  }

  // What speaks for the label, and what against it.
  why(why) {
    const reasons = why.reasons ?? [];
    const parts = [make("h2", {}, `Why: ${this.name}`)];
    if (why.label !== undefined) {
      parts.push(make("p", {}, make("strong", {}, why.label), ` has ${percent(why.probability)}`,
        why.other ? `; ${why.other} has ${percent(why.other_probability)}.` : "."));
      if (reasons.length) {
        const others = (r) => r.variables.filter((u) => u.id !== this.name).map((u) => `${u.id} = ${u.label}`).join(", ");
        parts.push(table(["clique", "with", "feature", ["number", `for ${why.label}`], ["number", `for ${why.other}`]],
          reasons.map((r) => [r.template, others(r), r.feature ?? "", weight(r.label), weight(r.other)]),
          "The largest differences first"));
      }
    } else {
      parts.push(make("p", {}, why.true ? "True" : "False", " in the best world",
        why.log_odds === undefined ? "." : `; all others given, its log-odds are ${signed(why.log_odds)}.`));
      if (reasons.length) {
        parts.push(table(["clause", "rule", ["number", "speaks for it"]],
          reasons.map((r) => [r.clause, r.rule, ["number", r.hard ?? signed(r.amount)]]), "The largest first"));
      }
    }
    return parts;
  }

  cliques(variables, cliques) {
    const rows = cliques.map((c) => [c.name,
      c.variables.map((k) => `${variables[k].name} = ${variables[k].label}`).join(", "),
      c.parts.map((p) => `${p.name || "(always)"} ${p.weight === null ? "demanded" : signed(p.weight)}`).join(" · "),
      weight(c.score)]);
    return [make("h2", {}, "Cliques"), table(["clique", "with these labels", "weights", ["number", "score"]], rows,
      "All cliques among the variables that are drawn")];
  }
}

export async function showAround(main, model) {
  await new Around(main, model).show();
}
