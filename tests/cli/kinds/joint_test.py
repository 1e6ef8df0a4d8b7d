"""Joint features of x and y: croft train --model maxent --joint-template."""

import json
import math

from support import BAD_INPUT, WRONG_USAGE, CliTest, main

TEXT = """the DET the
dog N dog
sleeps V sleeps
. . .

the DET the
cat N cat
runs V runs
. . .

a DET a
cat N cat
sleeps V sleeps
. . .

"""
TEMPLATE = """u * %y
u1:%x[-1,0] * %y
u2:%x[-1,1] * %y[suffix,1]
u3:%x[-1,1] * %y[class]
u4 * %y in %x[..-1,0]
"""
CLASSES = "the\tDET\na\tDET\ndog\tN\ncat\tN\nsleeps\tV\nruns\tV\n"


class JointTest(CliTest):
    def setUp(self):
        super().setUp()
        self.text = self.file("text", TEXT)
        self.template = self.file("joint.template", TEMPLATE)
        self.classes = self.file("classes", CLASSES)
        self.options = ["--model", "maxent", "--joint-template", self.template,
                        "--label-classes", self.classes]

    def weights(self, model):
        rows = [line.split("\t") for line in
                self.run_ok("inspect", "-m", model, "--weights").splitlines()]
        return {tuple(row[:-1]): float(row[-1]) for row in rows}

    def test_weights_give_the_probabilities_that_predict_shows(self):
        model = self.train("m.croft", *self.options, self.text)
        w = self.weights(model)
        self.assertIn(("joint", "%y[class]", "u3:DET", "N"), w)
        self.assertIn(("joint", "%y[suffix,1]", "u2:N", "s"), w)
        labels = ["the", "dog", "sleeps", ".", "cat", "runs", "a"]
        classes = dict(line.split("\t") for line in CLASSES.splitlines())

        def score(before, word_class, seen, y):
            total = w.get(("joint", "%y", "u", y), 0) + w.get(("joint", "%y", "u1:" + before, y), 0)
            total += w.get(("joint", "%y[suffix,1]", "u2:" + word_class, y[-1]), 0)
            total += w.get(("joint", "%y[class]", "u3:" + word_class,
                            classes.get(y, "(none)")), 0)
            return total + (w.get(("joint", "%y in %x[..-1,0]", "u4", ""), 0) if y in seen else 0)

        new = self.file("new", "a DET a\ndog N dog\nsleeps V sleeps\n\n")
        shown = json.loads(self.run_ok("predict", "-m", model, "--to", "json",
                                       "--marginals=all", new))
        history = [("_x-1", "_x-1", []), ("a", "DET", ["a"]), ("dog", "N", ["a", "dog"])]
        for t, (before, word_class, seen) in enumerate(history):
            scores = {y: math.exp(score(before, word_class, seen, y)) for y in labels}
            for y in labels:
                self.assertAlmostEqual(shown["marginals"][t][y], scores[y] / sum(scores.values()),
                                       places=5)

    def test_any_number_of_threads_gives_the_same_file(self):
        one = self.train("one.croft", *self.options, "--threads", 1, self.text)
        three = self.train("three.croft", *self.options, "--threads", 3, self.text)
        self.assertEqual(one.read_bytes(), three.read_bytes())

    def report(self, model, data, *options):
        return json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", 100000,
                                      "--constraints", data, *options))

    def test_constraints_count_what_the_definition_says(self):
        template = self.file("t", "u1:%x[-1,0] * %y[suffix,1]\nu2 * %y in %x[..-1,0]\n")
        model = self.train("m.croft", "--model", "maxent", "--joint-template", template,
                           "--max-iterations", 3, self.text)  # any weights will do
        report = self.report(model, self.text)
        rows = {(r["attribute"], r["part"], r["group"]): r for r in report["rows"]}
        self.assertTrue(all(r["kind"] == "joint" for r in report["rows"]))
        self.assertEqual(set(rows), {key[2:3] + key[1:2] + key[3:] for key in self.weights(model)})
        empirical, expected = dict.fromkeys(rows, 0.0), dict.fromkeys(rows, 0.0)
        loss = 0
        said = [json.loads(line) for line in self.run_ok(
            "predict", "-m", model, "--to", "json", "--marginals=all", self.text).splitlines()]
        for block, answer in zip(TEXT.split("\n\n"), said):
            words = [line.split()[0] for line in block.splitlines()]
            for t, truth in enumerate(words):
                before = words[t - 1] if t > 0 else "_x-1"
                loss -= math.log(answer["marginals"][t][truth])
                for y, p in answer["marginals"][t].items():
                    keys = [("u1:" + before, "%y[suffix,1]", y[-1])]
                    keys += [("u2", "%y in %x[..-1,0]", "")] if y in words[:t] else []
                    for key in keys:
                        if key in rows:
                            expected[key] += p
                            empirical[key] += y == truth
        for key, row in rows.items():
            self.assertEqual(row["empirical"], empirical[key], key)
            self.assertAlmostEqual(row["expected"], expected[key], places=4, msg=key)
        self.assertAlmostEqual(report["log_loss"], loss, places=4)

    def test_with_l2_the_difference_is_l2_times_the_weight(self):
        for l2, features in ((0.3, "observed"), (2, "all")):
            model = self.train("m.croft", *self.options, "--l2", l2, "--features", features,
                               "--tolerance", 0, "--gradient-tolerance", 1e-7, "--precision",
                               "double", "--max-iterations", 5000, self.text)
            report = self.report(model, self.text)
            self.assertTrue(report["training_data"])
            self.assertEqual(report["condition"], {"l1": 0, "l2": l2})
            self.assertEqual(report["features"], len(report["rows"]))
            self.assertGreater(max(abs(row["difference"]) for row in report["rows"]), 0.1)
            for row in report["rows"]:
                self.assertAlmostEqual(row["empirical"] - row["expected"], l2 * row["weight"],
                                       delta=1e-5)
            self.assertLess(report["largest_violation"], 1e-5)
        shown = self.run_ok("inspect", "-m", model, "--constraints", self.text, "--top", 500)
        self.assertIn("those of the training", shown)
        self.assertIn("condition     empirical - model = 2 w", shown)
        self.assertIn("  u2:N * %y[suffix,1]: s\n", shown)
        self.assertIn("  u4 * %y in %x[..-1,0]\n", shown)

    def test_with_l1_features_whose_weight_is_zero_are_compared_too(self):
        model = self.train("m.croft", *self.options, "--l1", 0.4, "--optimizer", "owlqn",
                           "--tolerance", 0, "--gradient-tolerance", 1e-7, "--precision", "double",
                           "--max-iterations", 5000, "--l2", 0.1, self.text)
        report = self.report(model, self.text)
        self.assertTrue(report["training_data"])
        zero = [row for row in report["rows"] if row["weight"] == 0]
        self.assertGreater(len(zero), 0)
        for row in zero:
            self.assertLessEqual(abs(row["difference"]), 0.4 + 1e-5)
        self.assertLess(report["largest_violation"], 1e-4)

    def test_constraints_of_other_data_have_no_condition(self):
        model = self.train("m.croft", *self.options, self.text)
        other = self.file("other", "a DET a\ncat N cat\nsleeps V sleeps\n\n")
        report = self.report(model, other)
        self.assertIsNone(report["condition"])
        self.assertIn("not the data", report["no_condition"])
        self.assertEqual(report["features"], len(self.weights(model)))
        self.fails(BAD_INPUT, "inspect", "-m", model, "--constraints", self.file("new", "x N x\n"),
                   mentions=["a label in the sequence", "does not have"])

    def test_iterative_scaling_finds_the_same_optimum(self):
        exact = ["--tolerance", 0, "--gradient-tolerance", 1e-4, "--max-iterations", 20000, "--l2"]
        weights = self.weights(self.train("b.croft", *self.options, "--optimizer", "lbfgs", *exact,
                                          1, self.text))
        scaled = self.weights(self.train("i.croft", *self.options, "--optimizer", "iis", *exact, 1,
                                         self.text))
        self.assertEqual(set(weights), set(scaled))
        for key, weight in weights.items():
            self.assertAlmostEqual(scaled[key], weight, delta=1e-3)

    def test_a_plain_template_is_plain_maximum_entropy(self):
        plain = self.file("plain.template", "u\nu1:%x[-1,0]\n")
        a = self.train("a.croft", "--model", "maxent", "--template", plain, "--no-intercept",
                       "--features", "observed", "--optimizer", "lbfgs", self.text)
        b = self.train("b.croft", "--model", "maxent", "--joint-template", plain,
                       "--optimizer", "lbfgs", self.text)
        ours = self.weights(b)
        theirs = self.weights(a)
        self.assertEqual({(k[1], k[2]) for k in theirs}, {(k[2], k[3]) for k in ours})
        for (_, attribute, label), weight in theirs.items():
            self.assertAlmostEqual(ours["joint", "%y", attribute, label], weight, places=5)

    def test_inspect_and_evaluate_know_it(self):
        model = self.train("m.croft", *self.options, self.text)
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json", "--verify"))
        self.assertEqual(summary["kind"], "joint-maxent")
        self.assertEqual(summary["joint_template"], TEMPLATE)
        self.assertEqual(len(summary["parts"]), 4)
        self.assertEqual(summary["training"]["features"], "observed")
        text = self.run_ok("inspect", "-m", model, "--top", 2)
        self.assertIn("%y[class]", text)
        top = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", 2))["top"]
        self.assertEqual([part["part"] for part in top],
                         ["%y", "%y[suffix,1]", "%y[class]", "%y in %x[..-1,0]"])
        result = json.loads(self.run_ok("evaluate", "-m", model, "--json", self.text))
        self.assertGreater(result["log_loss"], 0)
        self.assertEqual(result["tokens"]["count"], 12)

    def test_a_fault_in_the_templates_is_shown_where_it_is(self):
        for text, mention in (("u * %y[stem]\n", ":1:7: an unknown function of the label"),
                              ("u\n# x\nu:%x[-1] * %y\n", ":3:"),
                              ("b * %y\n", ":1:1: a line for pairs of labels"),
                              ("\n", "has no template"),
                              ("u\n\nu:%x[0,7] * %y\n", ":3:")):
            bad = self.file("bad.template", text)
            self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "x", "--model", "maxent",
                       "--joint-template", bad, self.text, mentions=[str(bad), mention])
        bad = self.file("bad.classes", "the DET\nthe N\n")
        self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "x", "--model", "maxent",
                   "--joint-template", self.template, "--label-classes", bad, self.text,
                   mentions=[":2: a label that has a class already"])

    def test_a_column_that_the_data_lacks_is_shown_in_the_line_that_looks_there(self):
        data = self.file("one.txt", "A X\nB Y\n\n")
        template = self.file("t", "u:%x[0,0] * %y\nu0 * %y in %x[-1,5]\n")
        self.refuses_to_train(BAD_INPUT, "--model", "maxent", "--joint-template", template, data,
                              mentions=[f"{template}:2:", "column 5", "u0 * %y in %x[-1,5]"])

    def test_classes_of_labels_that_do_not_occur_are_those_of_a_wider_tag_set(self):
        wider = self.file("wider", CLASSES + "elephants\tN\nwhales\tFISH\n")
        options = ["--model", "maxent", "--joint-template", self.template, "--label-classes"]
        self.assertEqual(self.train("a.croft", *options, wider, self.text).read_bytes(),
                         self.train("b.croft", *options, self.classes, self.text).read_bytes())
        other = self.file("other", "elephants\tN\nbears\tN\n")
        self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "x.croft", *options, other,
                   self.text, mentions=["--label-classes", '"bears"', '"the"'])
        self.assertFalse((self.folder / "x.croft").exists())

    def test_what_is_not_to_be_had_of_joint_features_says_so(self):
        data = self.file("two.txt", "A X\nB Y\n\n")
        model = self.train("j.croft", "--model", "maxent", "--joint-template",
                           self.file("t", "u:%x[0,0] * %y\n"), data)
        for arguments in (("explain", "-m", model, data),
                          ("convert", model, "-o", self.folder / "x.croft")):
            message = self.fails(WRONG_USAGE, *arguments, mentions=["joint-maxent"])
            self.assertNotIn("has none", message)
            self.assertNotIn("croft convert makes", message)

    def test_the_model_is_compared_with_a_holdout(self):
        model = self.train("h.croft", *self.options, "--holdout", self.text, self.text)
        held = json.loads(self.run_ok("inspect", "--json", "-m", model))["training"]["holdout"]
        found = json.loads(self.run_ok("evaluate", "--json", "-m", model, self.text))["tokens"]["accuracy"]
        self.assertEqual(held, {"sequences": 3, "token_accuracy": found})

    def test_a_trigger_is_the_word_before_at_any_distance(self):
        template = self.file("t", "u * %y\nany %x[..-1,0] = dog * %y\n"
                                  "any %x[-2..-1,0] = \"the\" * %y[suffix,1]  # two words\n")
        model = self.train("m.croft", "--model", "maxent", "--joint-template", template, self.text)
        w = self.weights(model)
        self.assertIn(("joint", "%y", "any %x[..-1,0] = dog", "sleeps"), w)
        self.assertIn(("joint", "%y[suffix,1]", "any %x[-2..-1,0] = the", "s"), w)
        labels = ["the", "dog", "sleeps", ".", "cat", "runs", "a"]

        def score(seen, y):
            total = w.get(("joint", "%y", "u", y), 0)
            if "dog" in seen:
                total += w.get(("joint", "%y", "any %x[..-1,0] = dog", y), 0)
            if "the" in seen[-2:]:
                total += w.get(("joint", "%y[suffix,1]", "any %x[-2..-1,0] = the", y[-1]), 0)
            return total

        words = ["cat", "dog", "the", "cat", "runs", "."]
        new = self.file("new", "".join(f"{word} N x\n" for word in words) + "\n")
        shown = json.loads(self.run_ok("predict", "-m", model, "--to", "json",
                                       "--marginals=all", new))
        for t in range(len(words)):
            scores = {y: math.exp(score(words[:t], y)) for y in labels}
            for y in labels:
                self.assertAlmostEqual(shown["marginals"][t][y], scores[y] / sum(scores.values()),
                                       places=5)
        report = self.report(model, self.text, "--threads", 2)
        self.assertLess(report["largest_violation"], 1e-2)
        self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "x", "--model", "maxent",
                   "--joint-template", self.file("bad", "u\nany %x[-1,0] = a\nany %x[-1,0]=a\n"),
                   self.text, mentions=[":3:1:", "further up already", "leave out one"])

    def test_training_goes_on_from_a_model(self):
        exact = ["--tolerance", 0, "--gradient-tolerance", 1e-7, "--precision", "double",
                 "--max-iterations", 5000]
        first = self.train("a.croft", *self.options, *exact, self.text)
        again = self.train("b.croft", *self.options, *exact, "--init", first, self.text)
        before, after = self.weights(first), self.weights(again)
        self.assertEqual(set(before), set(after))
        for key, weight in before.items():
            self.assertAlmostEqual(after[key], weight, delta=1e-5)
        iterations = [json.loads(self.run_ok("inspect", "--json", "-m", m))["training"]["iterations"]
                      for m in (first, again)]
        self.assertLess(iterations[1], iterations[0])
        # Other data, more templates in another order, another label: nothing of the first is lost.
        more = self.file("more", "any %x[..-1,0] = dog * %y\n"
                         + "".join(reversed(TEMPLATE.splitlines(True))))
        other = self.file("other", "an DET an\nelephant N elephant\n\n")
        wider = self.train("c.croft", "--model", "maxent", "--joint-template", more,
                           "--label-classes", self.classes, "--init", first, other)
        self.assertLessEqual(set(before), set(self.weights(wider)))
        self.run_ok("predict", "-m", wider, self.text)
        part = self.file("part", "u * %y\n")
        self.refuses_to_train(WRONG_USAGE, "--model", "maxent", "--joint-template", part, "--init",
                              first, self.text, mentions=["%y[suffix,1]", "no such line"])
        chain = self.train("chain.croft", self.text)
        self.refuses_to_train(BAD_INPUT, *self.options, "--init", chain, self.text,
                              mentions=["chain.croft"])

    def test_a_fraction_is_held_out_and_stops_training(self):
        text = self.file("long", TEXT * 8)
        model = self.train("h.croft", *self.options, "--holdout", 0.25, "--early-stop", 2, "--l2",
                           1e-6, text)
        training = json.loads(self.run_ok("inspect", "--json", "-m", model))["training"]
        self.assertGreater(training["holdout"]["sequences"], 0)
        self.assertEqual(training["holdout"]["sequences"] + training["sequences"], 24)
        self.assertLess(training["iterations"], 1000)
        self.refuses_to_train(WRONG_USAGE, *self.options, "--holdout", 1.5, text,
                              mentions=["--holdout"])

    def test_options_that_would_be_ignored_are_refused(self):
        start = ["train", "--quiet", "-o", self.folder / "x"]
        for more, mention in ((["--early-stop", "3"], "--early-stop needs --holdout"),
                              (["--template", self.template], "--template has no meaning"),
                              (["--no-intercept"], "--no-intercept has no meaning"),
                              (["--optimizer", "sdca"], "lbfgs"),
                              (["--objective", "max-margin"], "max-margin"),
                              (["--format", "attributes"], "--format columns")):
            self.fails(WRONG_USAGE, *start, *self.options, *more, self.text, mentions=[mention])
        self.fails(WRONG_USAGE, *start, "--joint-template", self.template, self.text,
                   mentions=["--model maxent"])
        self.fails(WRONG_USAGE, *start, "--model", "maxent", "--label-classes", self.classes,
                   self.text, mentions=["--joint-template"])
        self.fails(WRONG_USAGE, *start, "--model", "maxent", "--joint-template", self.template,
                   self.text, mentions=["--label-classes"])
        plain = self.file("plain.template", "u * %y\n")
        self.fails(WRONG_USAGE, *start, "--model", "maxent", "--joint-template", plain,
                   "--label-classes", self.classes, self.text, mentions=["%y[class]"])
        self.fails(WRONG_USAGE, "train", "--quiet", "-o", self.template, *self.options, self.text,
                   mentions=["would replace the input"])

    def test_what_needs_a_chain_of_weights_is_refused(self):
        model = self.train("m.croft", *self.options, self.text)
        self.fails(WRONG_USAGE, "explain", "-m", model, self.text, mentions=["joint-maxent"])
        self.fails(WRONG_USAGE, "convert", model, "-o", self.folder / "x",
                   mentions=["joint-maxent"])


if __name__ == "__main__":
    main()
