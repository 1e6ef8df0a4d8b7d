// Label: what the model is least sure of, labelled by people; and the model that learns from it.
import { get, post } from "./api.js";
import { make, percent, say, table } from "./parts.js";

const DOUBTFUL = 0.8;

function viewer() {
  const key = "croft-viewer";
  if (!sessionStorage.getItem(key)) sessionStorage.setItem(key, crypto.randomUUID());
  return sessionStorage.getItem(key);
}

// What can be given to a stretch of words: labels, or the types of chunks, whose first word is marked.
function choices(labels) {
  const chunks = labels.some((label) => /^B-/.test(label)) && labels.every((label) => label === "O" || /^[BIES]-/.test(label));
  if (!chunks) return { names: labels, apply: (name, length) => Array(length).fill(name) };
  const whole = labels.some((label) => /^S-/.test(label));
  const names = [...new Set(labels.map((label) => label.replace(/^[BIES]-/, "")))];
  const mark = (k, length) => whole && length === 1 ? "S-" : k === 0 ? "B-" : whole && k === length - 1 ? "E-" : "I-";
  return {
    names,
    apply: (name, length) => Array.from({ length }, (_, k) => name === "O" ? "O" : mark(k, length) + name),
  };
}

class Queue {
  constructor(main, model) {
    this.model = model;
    this.choices = choices(model.labels);
    this.skipped = [];
    this.done = [];  // ids, the last one last
    this.item = null;
    this.head = make("p", { id: "counts" });
    this.by = make("select", { id: "by", change: () => this.next() },
      ["margin", "entropy", "errors"].map((name) => make("option", { value: name }, name)));
    this.out = make("div", { id: "item", keydown: (event) => this.key(event) });
    this.palette = make("div", { class: "tools", role: "group", "aria-label": "Labels" },
      this.choices.names.map((name, k) => make("button", { type: "button", "data-label": name, click: () => this.give(name) },
        k < 9 ? `${k + 1} ${name}` : name)));
    const button = (id, text, click) => make("button", { type: "button", id, click }, text);
    main.append(this.head, make("p", {}, make("label", { for: "by" }, "The least sure first, by "), this.by), this.out,
      this.palette, make("div", { class: "tools" }, button("accept", "Accept (Enter)", () => this.accept()),
        button("skip", "Skip (s)", () => this.skip()), button("undo", "Undo (u)", () => this.undo())),
      make("p", { class: "quiet" }, "Arrows move, with Shift they select more words; drag over words to select them. "
        + "A digit gives the selected words its label."));
  }

  counts(answer) {
    this.head.textContent = `${answer.labelled} of ${answer.all} labelled`;
  }

  async next() {
    const answer = await post("/v1/queue", { viewer: viewer(), by: this.by.value, skip: this.skipped });
    this.counts(answer);
    await this.take(answer.items[0] ?? null);
  }

  async take(item) {
    this.item = item;
    if (item === null) {
      this.out.replaceChildren(make("p", {}, this.skipped.length
        ? "Only what you have skipped is left." : "All of the queue is labelled."));
      return;
    }
    const text = this.model.format === "text";
    const body = text ? { texts: item.rows } : { sequences: [item.rows] };
    if (this.model.probabilities) body.marginals = "predicted";
    const answer = await post(text ? "/v1/classify" : "/v1/tag", { model: this.model.name, ...body });
    this.found = answer.results[0];
    this.labels = item.labels.length ? [...item.labels] : this.found.labels ?? item.rows.map(() => this.model.labels[0]);
    this.from = this.to = 0;
    this.show();
    this.focus();
  }

  word(row, t) {
    const sure = this.found.marginals?.[t];
    const p = this.labels[t] === this.found.labels?.[t] ? (typeof sure === "object" ? sure?.[this.labels[t]] : sure) : undefined;
    const selected = t >= Math.min(this.from, this.to) && t <= Math.max(this.from, this.to);
    const label = this.labels[t];
    return make("li", {}, make("button", {
      type: "button", class: `word kind-${Math.max(0, this.model.labels.indexOf(label)) % 8}${p < DOUBTFUL ? " doubtful" : ""}`,
      "aria-pressed": String(selected), "data-at": t,
      pointerdown: (event) => this.begin(event, t), pointerenter: (event) => { if (event.buttons === 1) this.select(this.from, t); },
    }, make("span", {}, row), make("strong", {}, label), make("small", {}, p === undefined ? "" : percent(p))));
  }

  begin(event, t) {
    const button = event.currentTarget;
    if (button.hasPointerCapture(event.pointerId)) button.releasePointerCapture(event.pointerId);
    this.select(event.shiftKey ? this.from : t, t);
  }

  select(from, to) {
    const last = this.item.rows.length - 1;
    this.from = Math.max(0, Math.min(from, last));
    this.to = Math.max(0, Math.min(to, last));
    for (const button of this.out.querySelectorAll("[data-at]")) {
      const t = Number(button.dataset.at);
      const inside = t >= Math.min(this.from, this.to) && t <= Math.max(this.from, this.to);
      button.setAttribute("aria-pressed", String(inside));
    }
    this.focus();
  }

  focus() {
    this.out.querySelector(`[data-at="${this.to}"]`)?.focus();
  }

  show() {
    this.out.replaceChildren(make("ol", { class: "sequence", "aria-label": `Sequence ${this.item.id + 1}` },
      this.item.rows.map((row, t) => this.word(row, t))));
  }

  give(name) {
    if (!this.item) return;
    const first = Math.min(this.from, this.to), length = Math.abs(this.from - this.to) + 1;
    this.labels.splice(first, length, ...this.choices.apply(name, length));
    this.show();
    this.focus();
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const digit = this.choices.names[Number(event.key) - 1];
    const keys = {
      Enter: () => this.accept(), s: () => this.skip(), u: () => this.undo(),
      ArrowRight: () => this.select(event.shiftKey ? this.from : this.to + 1, this.to + 1),
      ArrowLeft: () => this.select(event.shiftKey ? this.from : this.to - 1, this.to - 1),
    };
    const act = /^[1-9]$/.test(event.key) && digit ? () => this.give(digit) : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  async put(id, version, labels) {
    try {
      const answer = await post("/v1/label", { id, version, labels });
      this.counts(answer);
      return answer.item;
    } catch (error) {
      say(error.message, true);
      return null;
    }
  }

  async accept() {
    if (!this.item) return;
    const { id, version } = this.item;
    const put = await this.put(id, version, this.labels);
    if (put) {
      this.done.push(id);
      say(`sequence ${id + 1} is labelled`);
    }
    await this.next();
  }

  async skip() {
    if (!this.item) return;
    this.skipped.push(this.item.id);
    await this.next();
  }

  // The last one that was accepted here has no labels any more, and is shown again with them.
  async undo() {
    const id = this.done.pop();
    if (id === undefined) return say("there is nothing to undo");
    const { items } = await post("/v1/queue", { id });
    const taken = await this.put(id, items[0].version, []);
    if (!taken) return undefined;
    say(`sequence ${id + 1} has no labels any more`);
    return this.take({ ...taken, labels: items[0].labels });
  }
}

class Learning {
  constructor(main, queue) {
    this.queue = queue;
    this.out = make("div", { id: "learning" });
    main.append(make("section", { class: "panel", "aria-label": "Learning" }, make("h2", {}, "Learning"), this.out));
    this.look();
  }

  async act(action) {
    try {
      const before = this.queue.model.version;
      this.show(await post("/v1/retrain", { action }));
      if (action === "accept" || action === "restore") await this.taken(before);
    } catch (error) {
      say(error.message, true);
    }
    await this.look();
  }

  // Once the server has read the model's new file, the queue has another order.
  async taken(before) {
    for (let k = 0; k < 50; ++k) {
      const { models } = await get("/v1/models");
      const now = models.find((m) => m.name === this.queue.model.name);
      if (now && now.version > before) {
        Object.assign(this.queue.model, now);
        await this.queue.next();
        return;
      }
      await new Promise((done) => { setTimeout(done, 100); });
    }
  }

  async look() {
    if (!this.out.isConnected) return;
    const now = await get("/v1/training");
    this.show(now);
    if (now.state === "running") setTimeout(() => this.look(), 300);
  }

  scores(now) {
    if (!now.before || !now.after) return null;
    const row = (name, key) => key in now.before
      ? [[name, ["number", percent(now.before[key])], ["number", percent(now.after[key])]]] : [];
    return table(["of what is held out", ["number", "this model"], ["number", "the new one"]],
      [...row("labels that are right", "accuracy"), ...row("F1 of chunks", "chunk_f1")],
      `Both models on ${now.before.sequences} sequences that are held out`);
  }

  show(now) {
    const button = (action, text) => make("button", { type: "button", "data-action": action, click: () => this.act(action) }, text);
    const parts = [];
    if (now.state === "running") {
      parts.push(make("p", {}, make("label", { for: "progress" }, `Training on ${now.labelled} labelled sequences, iteration ${now.iteration}: `),
        make("progress", { id: "progress", max: Math.max(1, now.most), value: now.iteration })), button("discard", "Stop"));
    } else if (now.state === "done") {
      parts.push(make("p", {}, `A new model has learnt from ${now.labelled} labelled sequences (${now.message}).`), this.scores(now),
        make("div", { class: "tools" }, button("accept", "Use the new model"), button("discard", "Leave it")));
    } else {
      parts.push(make("p", { class: now.state === "failed" ? "warn" : "quiet" }, now.message || "The model can learn from what is labelled."),
        make("div", { class: "tools" }, button("start", "Train on the labels"),
          now.can_restore ? button("restore", "Go back to the model before") : null));
    }
    this.out.replaceChildren(...parts.filter(Boolean));
  }
}

export async function showLabel(main, model) {
  const queue = new Queue(main, model);
  const learning = new Learning(main, queue);
  await queue.next();
  return learning;
}
