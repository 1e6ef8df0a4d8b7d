// Try: text that is labelled as one types, why a word has its label, and labels that are pinned.
import { post } from "./api.js";
import { make, percent, say, signed, table } from "./parts.js";

const DOUBTFUL = 0.8;
const EXAMPLE = { columns: "2 cups all-purpose flour , sifted", text: "a text to be classified" };

// Words and marks, with where they begin and end in the text.
function words(text) {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}]+(?:[-'’/.][\p{L}\p{N}\p{M}]+)*|[^\s]/gu)]
    .map((m) => ({ text: m[0], begin: m.index, end: m.index + m[0].length }));
}

// [sequences][words] of what was typed: lines of text, or rows as a file has them.
function read(text, model, asRows) {
  if (model.format === "text") return text.split("\n").filter((l) => l.trim()).map((l) => [{ text: l }]);
  if (asRows) {
    return text.split(/\n\s*\n/).map((block) => block.split("\n").filter((l) => l.trim())
      .map((row) => ({ text: row }))).filter((rows) => rows.length);
  }
  const sequences = [];
  let begin = 0;
  for (const line of text.split("\n")) {
    const found = words(line).map((w) => ({ ...w, begin: w.begin + begin, end: w.end + begin }));
    if (found.length) sequences.push(found);
    begin += line.length + 1;
  }
  return sequences;
}

function labelNumber(model, label) {
  return model.labels.indexOf(label) % 8;
}

class Try {
  constructor(main, model) {
    this.model = model;
    this.asRows = model.format !== "text" && model.columns !== 1;
    this.pins = new Map();  // "sequence,word" to a label
    this.sequences = [];
    this.results = [];
    this.chosen = null;
    this.text = make("textarea", { id: "text", spellcheck: "false", input: () => this.later() });
    this.text.value = this.asRows ? "" : EXAMPLE[model.format] ?? "";
    const hint = model.format === "text" ? "A text a line"
      : this.asRows ? `Rows as the model's data has them (${model.format}), an empty line between sequences`
        : "Text, a sequence a line";
    this.out = make("div", { id: "tagged" });
    this.rules = this.model.format === "text" ? null : this.constraints();
    this.why = make("section", { class: "panel", "aria-label": "Why", hidden: "" });
    main.append(make("label", { for: "text" }, hint), this.text, ...(this.rules ? [this.rules] : []),
      this.out, this.why);
  }

  later() {
    this.pins.clear();
    this.chosen = null;
    this.why.hidden = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.label(), 120);
  }

  // What every labelling has to obey.
  constraints() {
    const scheme = make("select", { id: "scheme", change: () => this.label() },
      [["", "any"], ["bio", "BIO"], ["bioes", "BIOES"]].map(([value, text]) => make("option", { value }, text)));
    const rules = make("textarea", { id: "rules", spellcheck: "false", rows: "2",
      placeholder: `at-most 1 label ${this.model.labels[0]}`, change: () => this.label() });
    this.scheme = () => scheme.value;
    this.ruleLines = () => rules.value.split("\n").map((l) => l.trim()).filter(Boolean);
    return make("details", {}, make("summary", {}, "Constraints"), make("div", { class: "rules" },
      make("span", {}, make("label", { for: "scheme" }, "Labels that may follow each other: "), scheme),
      make("label", { for: "rules" }, "Rules that each sequence obeys as a whole, one a line, as croft predict --rule: "),
      rules));
  }

  // Lines of a sequence; with pins they have a label column that says what is known.
  lines(s, pinned) {
    return this.sequences[s].map((word, t) =>
      pinned ? `${word.text} ${this.pins.get(`${s},${t}`) ?? "?"}` : word.text);
  }

  async label() {
    this.sequences = read(this.text.value, this.model, this.asRows);
    this.abort?.abort();
    this.abort = new AbortController();
    if (this.sequences.length === 0) {
      this.results = [];
      return this.show();
    }
    const pinned = this.pins.size > 0;
    const body = { model: this.model.name };
    if (this.model.probabilities) body.marginals = "all";
    if (this.model.format === "text") {
      body.texts = this.sequences.map((s) => s[0].text);
    } else {
      // A search for what rules allow finds one labelling.
      if (this.model.probabilities) Object.assign(body, { probability: true }, this.ruleLines().length ? {} : { k_best: 3 });
      if (pinned) body.partial = true;
      if (this.scheme()) body.constrain = this.scheme();
      if (this.ruleLines().length) body.rules = this.ruleLines();
      body.sequences = this.sequences.map((_, s) => this.lines(s, pinned));
    }
    try {
      const begin = performance.now();
      const answer = await post(this.model.format === "text" ? "/v1/classify" : "/v1/tag", body, this.abort.signal);
      this.results = answer.results;
      say(`version ${answer.version}, answered in ${(performance.now() - begin).toFixed(0)} ms`);
      this.show();
    } catch (error) {
      if (error.name !== "AbortError") say(error.message, true);
    }
  }

  word(result, s, t) {
    const label = result.labels[t];
    const p = result.marginals?.[t]?.[label];
    const doubtful = p !== undefined && p < DOUBTFUL;
    const pin = this.pins.has(`${s},${t}`);
    const where = this.sequences[s][t];
    const pressed = this.chosen === `${s},${t}`;
    return make("li", {}, make("button", {
      type: "button", class: `word kind-${labelNumber(this.model, label)}${doubtful ? " doubtful" : ""}`,
      "aria-pressed": String(pressed), "data-at": `${s},${t}`,
      title: where.begin === undefined ? false : `characters ${where.begin} to ${where.end}`,
      click: () => this.explain(s, t),
    }, make("span", {}, where.text), make("strong", {}, pin ? `${label} (${this.pins.get(`${s},${t}`) === label ? "pinned" : "restricted"})` : label),
    make("small", {}, p === undefined ? "" : `${percent(p)}${doubtful ? " – uncertain" : ""}`)));
  }

  alternatives(result, s) {
    if (!result.k_best || result.k_best.length < 2) return null;
    return make("details", {}, make("summary", {}, "Other labellings"),
      table(["labelling", ["number", "probability"]], result.k_best.map((each) => [
        each.labels.map((label, t) => `${this.sequences[s][t].text} ${label}`).join(" · "),
        ["number", percent(each.probability)]]), `The ${result.k_best.length} most probable`));
  }

  show() {
    const focused = document.activeElement?.dataset?.at;
    this.out.replaceChildren(...this.results.flatMap((result, s) => [
      result.labels && result.labels.length
        ? make("ol", { class: "sequence", "aria-label": `Sequence ${s + 1}` },
          result.labels.map((_, t) => this.word(result, s, t)))
        : make("p", { class: "warn" }, "No labelling is allowed."),
      this.alternatives(result, s)].filter(Boolean)));
    if (focused) this.out.querySelector(`[data-at="${focused}"]`)?.focus();
  }

  async explain(s, t) {
    this.chosen = `${s},${t}`;
    this.show();
    const body = { model: this.model.name, positions: [t], top: 8, unknown: true };
    if (this.model.format === "text") body.texts = [this.sequences[s][0].text];
    else body.sequences = [this.lines(s, false)];
    const parts = [make("h2", {}, `Why: ${this.sequences[s][t].text}`)];
    try {
      const found = (await post("/v1/explain", body)).results[0].positions?.[0];
      if (found) parts.push(...this.reasons(found));
    } catch (error) {
      parts.push(make("p", { class: "quiet" }, error.message));
    }
    if (this.model.format !== "text") parts.push(this.pinning(s, t));
    this.why.replaceChildren(...parts);
    this.why.hidden = false;
  }

  reasons(found) {
    const name = (r) => r.attribute ?? (r.labels ? `${r.kind} ${r.labels.join(" → ")}` : r.kind);
    const parts = [make("p", {}, make("strong", {}, found.label), ` has ${percent(found.probability)}`,
      found.other ? `; the runner-up ${found.other} has ${percent(found.other_probability)}.` : ".")];
    if (found.reasons?.length) {
      parts.push(table(["what speaks", ["number", `for ${found.label}`], ["number", `for ${found.other}`],
        ["number", "difference"]], found.reasons.map((r) => [name(r), ["number", signed(r.label)],
        ["number", signed(r.other)], ["number", signed(r.difference)]]), "Without pins, the largest first"));
    }
    const unknown = found.unknown_attributes ?? found.unknown;
    if (Array.isArray(unknown) && unknown.length) {
      parts.push(make("p", {}, `The model has never seen: ${unknown.join(", ")}`));
    } else if (typeof unknown === "number") {
      parts.push(make("p", { class: "quiet" }, `${unknown} of ${found.attributes} attributes are unknown to the model.`));
    }
    return parts;
  }

  pinning(s, t) {
    const key = `${s},${t}`;
    // Where the word is restricted already, to what was ruled out by that.
    const restricted = this.pins.get(key)?.includes("|");
    const label = restricted ? this.model.labels.find((l) => !this.pins.get(key).split("|").includes(l))
      : this.results[s].labels[t];
    const others = this.model.labels.filter((l) => l !== label);
    const select = make("select", { id: "pin", change: () => {
      if (select.value) this.pins.set(key, select.value);
      else this.pins.delete(key);
      this.label();
    } }, make("option", { value: "" }, "as inferred"),
    make("option", { value: others.join("|") }, `anything but ${label}`),
    this.model.labels.map((label) => make("option", { value: label }, label)));
    select.value = this.pins.get(key) ?? "";
    return make("p", {}, make("label", { for: "pin" }, "Pin its label, and infer the rest again: "), select);
  }
}

export async function showTry(main, model) {
  await new Try(main, model).label();
}
