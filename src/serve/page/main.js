// Which view is shown, of which model.
import { get, keepToken } from "./api.js";
import { make, say } from "./parts.js";
import { showTry } from "./try.js";
import { showLook } from "./look.js";
import { showLabel } from "./annotate.js";
import { showNetworks } from "./networks.js";
import { showAround } from "./around.js";

const VIEWS = {
  try: { show: showTry, takes: (m) => Boolean(m.format), title: "Try" },
  look: { show: showLook, takes: (m) => Boolean(m.format), title: "Look" },
  label: { show: showLabel, takes: (m) => Boolean(m.queue), title: "Label" },
  networks: { show: showNetworks, takes: (m) => !m.format && !m.method, title: "Networks" },
  around: { show: showAround, takes: (m) => Boolean(m.method), title: "Around" },
};

const chosen = {};
let models = [];

async function show() {
  const first = Object.keys(VIEWS).find((name) => VIEWS[name].takes(models[0]));
  const name = location.hash.slice(1) in VIEWS ? location.hash.slice(1) : first;
  const view = VIEWS[name];
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${view.title} – croft serve`;
  const fitting = models.filter(view.takes);
  const select = document.getElementById("model");
  select.replaceChildren(...fitting.map((m) => make("option", { value: m.name }, m.name)));
  select.disabled = fitting.length === 0;
  const main = document.getElementById("view");
  main.replaceChildren();
  say("");
  if (fitting.length === 0) {
    main.append(make("p", {}, "No model that is served has this view."));
    return;
  }
  const model = fitting.find((m) => m.name === chosen[name]) ?? fitting[0];
  select.value = model.name;
  select.onchange = () => {
    chosen[name] = select.value;
    show();
  };
  try {
    await view.show(main, model);
  } catch (error) {
    say(error.message, true);
  }
}

async function start() {
  keepToken();
  try {
    models = (await get("/v1/models")).models;
  } catch (error) {
    say(error.message, true);
    return;
  }
  await show();
  addEventListener("hashchange", async () => {
    await show();
    document.getElementById("view").focus();
  });
}

start();
