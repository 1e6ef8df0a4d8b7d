"""Mixtures: croft train --model mixture."""

import json
import math
import random

from support import BAD_INPUT, WRONG_USAGE, CliTest, main

WORDS = "a b c d".split()


def text(sequences, seed):
    """Sequences in which each word mostly follows from the two before it: rows WORD CLASS LABEL."""
    chance = random.Random(seed)
    lines = []
    for _ in range(sequences):
        history = [0, 1]
        for _ in range(12):
            word = (history[-1] + history[-2] + 1) % 4 if chance.random() < 0.6 else chance.randrange(4)
            lines.append(f"{WORDS[word]} {'xy'[word % 2]} {WORDS[word]}\n")
            history.append(word)
        lines.append("\n")
    return "".join(lines)


class MixtureTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("train", text(40, 1))
        self.held = self.file("held", text(20, 2))
        self.test = self.file("test", text(20, 3))
        orders = {"unigram": "u\n", "bigram": "u:%x[-1,0]\n", "trigram": "u:%x[-2,0]/%x[-1,0]\n"}
        self.models = [self.train(f"{name}.croft", "--model", "naive-bayes", "--alpha", 0.1, "--template",
                                  self.file(name, template), self.data)
                       for name, template in orders.items()]
        self.joint = self.train("joint.croft", "--model", "maxent", "--joint-template", self.file(
            "joint", "u * %y\nu1:%x[-1,0] * %y\nany %x[-2..-1,0] = a * %y\n"), self.data)

    def mix(self, name, *models, data=None, options=()):
        experts = [item for model in models for item in ("--expert", model)]
        return self.train(name, "--model", "mixture", *experts, *options, data or self.held)

    def lambdas(self, model):
        return [each["weight"] for each in
                json.loads(self.run_ok("inspect", "--json", "-m", model))["components"]]

    def marginals(self, model, data):
        said = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", data)
        return [m for line in said.splitlines() for m in json.loads(line)["marginals"]]

    def test_probabilities_are_the_weighted_sums(self):
        models = [*self.models, self.joint]
        mixture = self.mix("m.croft", *models)
        weights = self.lambdas(mixture)
        self.assertAlmostEqual(sum(weights), 1)
        parts = [self.marginals(model, self.test) for model in models]
        for n, found in enumerate(self.marginals(mixture, self.test)):
            for label, p in found.items():
                by_hand = sum(w * part[n][label] for w, part in zip(weights, parts))
                self.assertAlmostEqual(p, by_hand, places=5)

    def test_it_is_better_than_its_components_on_what_its_weights_are_learnt_from(self):
        mixture = self.mix("m.croft", *self.models)

        def loss(model, data):
            return json.loads(self.run_ok("evaluate", "--json", "-m", model, data))["log_loss"]

        for model in self.models:
            self.assertLess(loss(mixture, self.held), loss(model, self.held) + 1e-6)
        record = json.loads(self.run_ok("inspect", "--json", "-m", mixture))["training"]
        self.assertAlmostEqual(-record["log_likelihood"] / record["positions"], loss(mixture, self.held), places=5)
        self.assertLess(record["gap"], 1e-3)
        curve = record["curve"]["objective"]
        self.assertEqual(curve, sorted(curve, reverse=True))

    def test_relative_frequencies_are_naive_bayes_of_one_template(self):
        model = self.train("f.croft", "--model", "naive-bayes", "--alpha", 0, "--template",
                           self.file("t", "u:%x[-1,0]\n"), self.data)
        pairs = {}
        for block in self.data.read_text().strip().split("\n\n"):
            before = "_x-1"
            for line in block.splitlines():
                word = line.split()[0]
                pairs.setdefault(before, []).append(word)
                before = word
        found = self.marginals(model, self.file("one", "a x a\nb y b\n\n"))[1]
        for word in WORDS:
            self.assertAlmostEqual(found[word], pairs["a"].count(word) / len(pairs["a"]), places=6)

    def test_threads_and_resumption_give_the_same_bytes(self):
        one = self.mix("one.croft", *self.models)
        two = self.mix("two.croft", *self.models, options=["--threads", 3])
        kept = self.mix("kept.croft", *self.models, options=["--checkpoint", self.folder / "state",
                                                             "--checkpoint-interval", 0])
        self.assertEqual(one.read_bytes(), two.read_bytes())
        self.assertEqual(one.read_bytes(), kept.read_bytes())

    def test_inspect_shows_the_weights_and_the_components(self):
        mixture = self.mix("m.croft", *self.models, self.joint)
        shown = self.run_ok("inspect", "-m", mixture, "--top", 1)
        self.assertIn("component   kind", shown)
        self.assertIn("joint-maxent", shown)
        self.assertIn("any %x[-2..-1,0] = a", shown)
        rows = [line.split("\t") for line in self.run_ok("inspect", "-m", mixture, "--weights").splitlines()]
        self.assertEqual([row[2] for row in rows], ["naive-bayes"] * 3 + ["joint-maxent"])
        self.assertAlmostEqual(sum(float(row[3]) for row in rows), 1)

    def test_what_does_not_go_together_is_refused(self):
        chain = self.train("chain.croft", self.data)
        few = self.train("few.croft", "--model", "naive-bayes", self.file("few", "a x a\nb y b\n\n"))
        wide = self.train("wide.croft", "--model", "naive-bayes", self.file("wide", "a x z a\nb y z b\n\n"))
        first = ["--model", "mixture", "--expert", self.models[0]]
        for more, mentions in (([], ["two models or more"]),
                               (["--expert", chain], ["chain.croft", "whole sequences", "--model pool"]),
                               (["--expert", self.mix("in.croft", *self.models)], ["in.croft", "is a mixture"]),
                               (["--expert", few], ["few.croft", "labels"]),
                               (["--expert", wide], ["wide.croft"]),
                               (["--expert", self.joint, "--l2", 1], ["--l2 has no meaning"]),
                               (["--expert", self.joint, "--holdout", 0.1], ["--holdout has no meaning"]),
                               (["--expert", self.joint, "--format", "text"], ["--format"])):
            self.refuses_to_train(WRONG_USAGE, *first, *more, self.held, mentions=mentions)
        for count, row in ((3, "a x z a"), (1, "a a")):
            self.refuses_to_train(BAD_INPUT, *first, "--expert", self.joint, self.file("c", row + "\n\n"),
                                  mentions=[f"{count} columns", "trained on 2", "give it the columns"])
        self.refuses_to_train(BAD_INPUT, *first, "--expert", self.joint, self.file("n", "a x new\n\n"),
                              mentions=["no position"])
        self.fails(WRONG_USAGE, "convert", self.mix("m.croft", *self.models), "-o", self.folder / "x",
                   mentions=["mixture"])

    def test_positions_with_a_label_that_no_component_has_are_counted(self):
        held = self.file("some", text(5, 4) + "a x new\n\n")
        record = json.loads(self.run_ok("inspect", "--json", "-m", self.mix("m.croft", *self.models, data=held)))
        self.assertEqual(record["training"]["impossible_positions"], 1)
        self.assertTrue(math.isfinite(record["training"]["log_likelihood"]))


if __name__ == "__main__":
    main()
