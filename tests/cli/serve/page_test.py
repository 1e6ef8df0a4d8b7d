#!/usr/bin/env python3
"""The page of croft serve in Chromium: typing, explaining, pinning, observing, by mouse and by keyboard.

With a folder as CROFT_SCREENSHOTS, screenshots of every view are written into it.
"""

import json
import os
import pathlib
import shutil
import sys
import unittest

import browser
import serve_test
import support
from serve_test import SPRINKLER
from support import INGREDIENTS, croft

FRIENDS = support.SOURCE / "examples" / "friends"
HARBOUR = support.SOURCE / "examples" / "graphs" / "harbour.bif"
SIZES = [(1280, 800), (390, 844)]
SCHEMES = ["light", "dark"]
# axe-core, where scripts/install_dependencies.sh --developer has put it.
AXE = next(iter(support.SOURCE.glob("build/axe/node_modules/axe-core/axe.min.js")), None)
AXE_RUN = ("axe.run().then((r) => r.violations.map((v) =>"
           "`${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3).join(' ')}`))")
QUEUE = "".join("".join(word + "\n" for word in line.split()) + "\n" for line in (
    "2 cups sifted flour", "1 large leek , sliced", "a handful of tarragon", "salt to taste", "3 eggs", "1 cup milk"))

# What axe-core's rules ask for, as far as these pages can break them: names of controls, one h1, labels, ids that are
# unique, lang and title, roles that are there, contrast of text, no page that scrolls sideways.
RULES = r"""
const wrong = [];
const shown = (e) => e.getClientRects().length > 0;
const name = (e) => (e.getAttribute("aria-label") || e.textContent || e.title || "").trim()
  || [...(e.labels ?? [])].map((l) => l.textContent.trim()).join("");
for (const e of document.querySelectorAll("a, button, [role=button], summary")) {
  if (shown(e) && !name(e)) wrong.push("no name: " + e.outerHTML.slice(0, 80));
}
for (const e of document.querySelectorAll("input, select, textarea")) {
  const labelled = e.labels.length || e.getAttribute("aria-label");
  if (shown(e) && !labelled) wrong.push("no label: " + e.outerHTML.slice(0, 80));
}
for (const e of document.querySelectorAll("svg[role=img], [role=group]")) {
  if (!e.getAttribute("aria-label")) wrong.push("no label: " + e.tagName);
}
if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
if (!document.documentElement.lang || !document.title) wrong.push("no lang or title");
const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
if (new Set(ids).size !== ids.length) wrong.push("an id twice");
let level = 1;
for (const h of document.querySelectorAll("h2, h3, h4")) {
  const now = Number(h.tagName[1]);
  if (shown(h) && now > level + 1) wrong.push("a heading is skipped: " + h.textContent);
  level = now;
}
for (const li of document.querySelectorAll("li")) {
  if (!/^(OL|UL)$/.test(li.parentElement.tagName)) wrong.push("an li outside a list");
}
const channels = (c) => (c.match(/[\d.]+/g) ?? []).map(Number);
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
  .map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
  .reduce((sum, v, k) => sum + v * [.2126, .7152, .0722][k], 0);
const ground = (e) => {
  for (; e; e = e.parentElement) {
    const c = channels(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] > 0) return c;
  }
  return [255, 255, 255];
};
for (const e of document.querySelectorAll("body *:not(svg *)")) {
  if (!shown(e) || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || e.disabled) continue;
  const a = light(channels(getComputedStyle(e).color)), b = light(ground(e));
  const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (contrast < 4.5) wrong.push(`contrast ${contrast.toFixed(2)}: ${e.textContent.slice(0, 40)}`);
}
const { scrollWidth } = document.documentElement;
if (scrollWidth > innerWidth) wrong.push("it scrolls sideways: " + scrollWidth);
return wrong;
"""


@unittest.skipUnless(all(browser.TOOLS), "chromium and chromedriver are not there")
class PageTest(support.CliTest):

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(support.tempfile.mkdtemp(prefix="croft-page-"))
        model, texts = cls.shared / "ingredients.croft", cls.shared / "weather.croft"
        cls.model = model
        (cls.shared / "texts").write_text("good\tnice day\nbad\tawful rain\ngood\tnice sun\nbad\train <b>x</b>\n")
        for arguments in (["-o", model, INGREDIENTS / "train.txt"],
                          ["-o", texts, "--model", "maxent", "--format", "text", cls.shared / "texts"]):
            made = croft("train", *arguments)
            assert made.returncode == 0, made.stderr
        (cls.shared / "queue.txt").write_text(QUEUE)
        cls.labelled = cls.shared / "labelled.txt"
        cls.server = serve_test.Server(model, texts, SPRINKLER, HARBOUR, FRIENDS / "friends.mln",
                                       "--evidence", FRIENDS / "friends.db", "--query", "Cancer, Smokes",
                                       "--queue", cls.shared / "queue.txt",
                                       "--labelled", cls.labelled, "--train", INGREDIENTS / "train.txt",
                                       "--holdout", INGREDIENTS / "test.txt", "--data", INGREDIENTS / "test.txt")
        cls.browser = browser.Browser()
        cls.browser.look_as(1280, 800, "light")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.server.end()
        shutil.rmtree(cls.shared)

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def show(self, view, model=None):
        self.browser.open("about:blank")
        self.browser.open(f"{self.server.address}#{view}")
        ready = {"try": ".word", "look": "table", "label": ".word", "networks": ".state[data-probability]",
                 "around": ".state[data-probability]"}[view]
        self.browser.wait(f"return document.querySelector('{ready}') !== null")
        if model:
            self.browser.run("const s = document.getElementById('model'); s.value = arguments[0];"
                             "s.dispatchEvent(new Event('change'))", model)
            self.browser.wait(f"return document.getElementById('model').value === arguments[0] &&"
                              f" document.querySelector('{ready}') !== null", model)

    def type(self, text):
        self.browser.run("const t = document.getElementById('text'); t.value = arguments[0];"
                         "t.dispatchEvent(new Event('input'))", text)

    def labels(self):
        return self.browser.run("return [...document.querySelectorAll('.word strong')].map((e) => e.textContent)")

    def test_typing_tags_as_the_command_line_does(self):
        self.show("try")
        self.browser.run("document.getElementById('text').value = ''; document.getElementById('text').focus()")
        self.browser.keys("1 pinch salt")
        self.browser.wait("return document.querySelectorAll('.word').length === 3")
        path = self.file("data", "1\npinch\nsalt\n")
        expected = json.loads(croft("predict", "-m", self.model, "--to", "json", path).stdout)["labels"]
        self.browser.wait("return [...document.querySelectorAll('.word')].at(-1).textContent.startsWith('salt')")
        self.assertEqual(self.labels(), expected)

    def test_a_click_explains_and_a_pinned_label_changes_the_rest(self):
        self.show("try")
        self.browser.click("[data-at='0,1']")
        self.browser.wait("return document.querySelector('.panel table') !== null")
        self.assertIn("the runner-up", self.browser.run("return document.querySelector('.panel').innerText"))
        self.browser.run("const s = document.getElementById('pin'); s.value = 'NAME';"
                         "s.dispatchEvent(new Event('change'))")
        self.browser.wait("return document.querySelector(\"[data-at='0,1'] strong\").textContent === 'NAME (pinned)'")

    def test_text_of_data_is_never_html(self):
        self.show("try", "weather")
        self.type("rain <b>x</b><img src=x onerror=alert(1)>")
        self.browser.wait("return document.querySelector('.word span')?.textContent.includes('<img')")
        self.browser.click(".word")
        self.browser.wait("return document.querySelector('.panel').hidden === false")
        self.assertEqual(self.browser.run("return document.querySelectorAll('main b, main img').length"), 0)

    def test_a_click_observes_and_the_posterior_is_that_of_infer(self):
        self.show("networks", "sprinkler")
        self.browser.click("[aria-label^='grass soaked']")
        self.browser.wait("return document.querySelector(\"[aria-label^='grass soaked']\").ariaPressed === 'true' &&"
                          " document.querySelector(\"[aria-label^='grass soaked']\").dataset.probability === '1'")
        found = self.browser.run("return [...document.querySelectorAll('[data-variable]')].map((n) =>"
                                 "[...n.querySelectorAll('.state')].map((s) => Number(s.dataset.probability)))")
        expected = json.loads(croft("infer", SPRINKLER, "--task", "marginals", "--observe", "grass=soaked", "--json",
                                    "--quiet").stdout)["marginals"]
        self.assertEqual(found, expected)
        self.assertIn("Exact, by", self.browser.run("return document.getElementById('answer').textContent"))

    def test_a_node_is_dragged(self):
        self.show("networks", "sprinkler")
        before = self.browser.run("return document.querySelector('[data-variable]').getBoundingClientRect().x")
        self.browser.drag("[data-variable] .title", 60, 20)
        after = self.browser.run("return document.querySelector('[data-variable]').getBoundingClientRect().x")
        self.assertAlmostEqual(after - before, 60, delta=2)

    def test_the_keyboard_alone_works(self):
        tab, enter = "\ue004", "\ue007"
        self.show("networks", "sprinkler")
        self.browser.run("document.querySelector('nav a').focus()")
        for _ in range(40):
            self.browser.keys(tab)
            if (self.browser.run("return document.activeElement.getAttribute('aria-label') ?? ''")
                    .startswith("rain yes")):
                break
        self.browser.keys(enter)
        self.browser.wait("return document.activeElement.ariaPressed === 'true'")
        self.show("try")
        self.browser.run("document.querySelector('nav a').focus()")
        self.browser.keys(tab * 8 + enter)  # Look, Label, Networks, Around, model, text, constraints, the first word
        self.browser.wait("return document.querySelector('.panel').hidden === false")

    def test_a_click_goes_to_a_neighbour_and_says_why_it_has_its_label(self):
        self.show("around")
        heading = "return [...document.querySelectorAll('h2')].map((h) => h.textContent)"
        self.browser.run("const q = document.getElementById('variable'); q.value = 'Cancer(Bob)';"
                         "q.dispatchEvent(new Event('change'))")
        self.browser.wait(heading + ".includes('Why: Cancer(Bob)')")
        self.assertIn("Smokes(x) => Cancer(x)", self.browser.run("return document.querySelector('main').innerText"))
        self.browser.click("[aria-label^='Smokes(Bob) true']")
        self.browser.wait(heading + ".includes('Why: Smokes(Bob)')")
        # Its friend, who is a clique away.
        near = self.browser.run("return document.querySelectorAll(\"[aria-label^='Smokes(Carl) true']\").length")
        self.assertEqual(near, 1)

    def test_a_rule_and_a_ruled_out_label_change_the_labelling(self):
        self.show("try")
        self.type("2 large eggs")
        self.browser.wait("return document.querySelectorAll('.word').length === 3")
        before = self.labels()
        self.browser.click("[data-at='0,0']")
        self.browser.wait("return document.getElementById('pin') !== null")
        self.browser.run("const p = document.getElementById('pin'); p.selectedIndex = 1;"
                         "p.dispatchEvent(new Event('change'))")
        self.browser.wait("return document.querySelector('.word strong').textContent.includes('restricted')")
        self.assertNotIn(before[0], self.labels()[0])
        self.type("2 large eggs")
        self.browser.wait("return !document.querySelector('.word strong').textContent.includes('restricted')")
        self.browser.run("document.querySelector('details').open = true; const r = document.getElementById('rules');"
                         "r.value = 'exactly 2 label QTY'; r.dispatchEvent(new Event('change'))")
        self.browser.wait("return [...document.querySelectorAll('.word strong')]"
                          ".filter((e) => e.textContent === 'QTY').length === 2")

    def test_the_curve_of_the_training_is_drawn(self):
        self.show("look", "ingredients")
        self.browser.wait("return document.querySelector('.curve .objective') !== null")
        points = self.browser.run("return document.querySelector('.curve .objective').getAttribute('points')"
                                  ".split(' ').length")
        training = json.loads(croft("inspect", "-m", self.model, "--json").stdout)["training"]
        self.assertEqual(points, len(training["curve"]["iteration"]))
        self.assertEqual(training["curve"]["iteration"][-1], training["iterations"])
        self.assertEqual(training["curve"]["objective"][-1], training["objective_value"])

    def words(self):
        return self.browser.run("return [...document.querySelectorAll('#item .word span')].map((e) => e.textContent)")

    def labelled_blocks(self):
        text = self.labelled.read_text("utf-8") if self.labelled.exists() else ""
        return [block.splitlines() for block in text.strip().split("\n\n") if block]

    def accept(self):
        before = self.browser.run("return document.getElementById('counts').textContent")
        self.browser.keys("\ue007")
        self.browser.wait("return document.getElementById('counts').textContent !== arguments[0]", before)

    def test_labels_are_given_by_keys_and_by_mouse_and_taken_back(self):
        self.show("label")
        self.browser.wait("return document.querySelector('#item .word strong') !== null")
        words, before = self.words(), self.labelled_blocks()
        self.browser.run("document.querySelector('#item .word').focus()")
        self.browser.keys("2")  # the second label, of the first word
        names = self.browser.run("return [...document.querySelectorAll('[data-label]')].map((e) => e.dataset.label)")
        x, y = self.browser.run("const [a, b] = [1, 2].map((k) => document.querySelectorAll('#item .word')[k]"
                                ".getBoundingClientRect());"
                                "const middle = (r) => [r.x + r.width / 2, r.y + r.height / 2];"
                                "return [0, 1].map((k) => Math.round(middle(b)[k] - middle(a)[k]))")
        self.browser.drag("#item li:nth-child(2) .word", x, y)
        self.browser.click(f"[data-label='{names[4]}']")
        given = self.labels()
        self.assertEqual([given[0], given[1], given[2]], [names[1], names[4], names[4]])
        self.browser.keys("\ue014")  # to the right
        self.accept()
        self.assertEqual(self.labelled_blocks(), before + [[f"{word} {label}" for word, label in zip(words, given)]])
        self.browser.wait("return [...document.querySelectorAll('#item .word span')].map((e) => e.textContent)"
                          ".join(' ') !== arguments[0]", " ".join(words))
        self.browser.keys("u")
        self.browser.wait("return [...document.querySelectorAll('#item .word span')].map((e) => e.textContent)"
                          ".join(' ') === arguments[0]", " ".join(words))
        self.assertEqual(self.labels(), given)
        self.assertEqual(self.labelled_blocks(), before)

    def test_what_somebody_else_has_labelled_is_not_overwritten(self):
        self.show("label")
        self.browser.wait("return document.querySelector('#item .word strong') !== null")
        words = self.words()
        queue = [block.split() for block in QUEUE.strip().split("\n\n")]
        item = self.server.post("/v1/queue", id=queue.index(words))["items"][0]
        self.server.post("/v1/label", id=item["id"], version=item["version"], labels=["OTHER"] * len(words))
        self.browser.keys("\ue007")
        self.browser.wait("return document.getElementById('status').textContent.includes('somebody else')")
        self.assertIn([f"{word} OTHER" for word in words], self.labelled_blocks())
        self.assertIn("409", self.browser.complaints()[0])
        self.browser.wait("return [...document.querySelectorAll('#item .word span')].map((e) => e.textContent)"
                          ".join(' ') !== arguments[0]", " ".join(words))

    def test_the_model_learns_and_the_new_one_is_taken_and_left(self):
        self.show("label")
        self.browser.wait("return document.querySelector('#item .word strong') !== null")
        self.browser.run("document.querySelector('#item .word').focus()")
        self.accept()
        old = self.model.read_bytes()
        self.browser.click("[data-action='start']")
        self.browser.wait("return document.querySelector('[data-action=accept]') !== null")
        self.assertIn("labels that are right",
                      self.browser.run("return document.getElementById('learning').innerText"))
        self.browser.click("[data-action='accept']")
        self.browser.wait("return document.querySelector('[data-action=restore]') !== null")
        self.assertNotEqual(self.model.read_bytes(), old)
        self.browser.click("[data-action='restore']")
        self.browser.wait("return document.getElementById('learning').innerText.includes('is back')")
        self.assertEqual(self.model.read_bytes(), old)
        self.browser.wait("return document.querySelector('[data-action=restore]') !== null")  # to undo it

    def test_confusions_have_examples_behind_them(self):
        self.show("look", "ingredients")
        self.browser.click("#own")
        self.browser.wait("return document.querySelector('#confusion button') !== null")
        done = croft("evaluate", "-m", self.model, "--confusion", "--json", INGREDIENTS / "test.txt")
        cells = [(count, gold, predicted) for gold, row in json.loads(done.stdout)["confusion"].items()
                 for predicted, count in row.items() if gold != predicted]
        count, gold, predicted = max(cells)
        self.browser.click(f"[aria-label='{gold} called {predicted}: {count}']")
        self.browser.wait("return document.querySelectorAll('#examples mark').length > 0")
        self.assertIn(f"{gold}, called {predicted}: {count} times",
                      self.browser.run("return document.getElementById('examples').innerText"))
        shown = self.browser.run("return [...document.querySelectorAll('#confusion button')].map((e) => e.ariaLabel)")
        self.assertEqual(len(shown), len(cells))

    def look_at(self, folder, view, width, scheme):
        self.assertEqual(self.browser.run(RULES), [], (view, width, scheme))
        if AXE:
            # By the DevTools protocol, as the page lets no other script in.
            self.browser.devtools("Runtime.evaluate", expression=AXE.read_text("utf-8"))
            found = self.browser.devtools("Runtime.evaluate", expression=AXE_RUN, awaitPromise=True, returnByValue=True)
            self.assertEqual(found["result"]["value"], [], (view, width, scheme))
        if folder:
            pathlib.Path(folder, f"{view}-{width}-{scheme}.png").write_bytes(self.browser.screenshot())

    def test_every_view_keeps_the_rules_at_every_width_and_colour(self):
        folder = os.environ.get("CROFT_SCREENSHOTS")
        for view, model in [("try", "ingredients"), ("look", "ingredients"), ("label", "ingredients"),
                            ("networks", "harbour"),
                            ("around", "friends")]:
            for width, height in SIZES:
                for scheme in SCHEMES:
                    self.browser.look_as(width, height, scheme)
                    self.show(view, model)
                    if view == "try":
                        self.browser.click("[data-at='0,1']")
                        self.browser.wait("return document.querySelector('.panel table') !== null")
                    if view == "around":
                        self.browser.run("const d = document.getElementById('distance'); d.value = '2';"
                                         "d.dispatchEvent(new Event('change'))")
                        self.browser.wait("return document.querySelectorAll('[data-variable]').length > 3")
                    self.look_at(folder, view, width, scheme)
                    if view == "look":
                        self.browser.click("#own")
                        self.browser.wait("return document.querySelector('.calibration') !== null")
                        self.browser.click("#confusion button")
                        self.browser.run("document.querySelector('.drop').scrollIntoView()")
                        self.look_at(folder, "wrong", width, scheme)
        self.browser.look_as(1280, 800, "light")


if __name__ == "__main__":
    sys.exit(unittest.main())
