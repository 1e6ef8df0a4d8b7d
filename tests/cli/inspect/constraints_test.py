"""croft inspect --constraints: what the data shows and what the model expects, feature by feature."""

import itertools
import json
import math

from support import BAD_INPUT, WRONG_USAGE, CliTest, main

EXACT = ("--tolerance", 0, "--gradient-tolerance", 1e-7, "--precision", "double", "--max-iterations",
         5000)
# Attributes that say something of the labels, but decide none.
SEQUENCES = """A\tx\ty:2
B\tx\tz
A\ty

B\tx
B\tz:0.5
A\tz

C\tx\tz
A\ty

A\tx
C\ty
B\tz
C\tz\tx

"""
# Every attribute occurs with every label: without a penalty the optimum is finite.
TABLE = "".join(f"{y}\t{x}\n\n" for y, x in
                [("A", "u"), ("B", "u"), ("C", "u"), ("A", "v"), ("A", "v"), ("B", "v"), ("C", "v"),
                 ("A", "u\tv"), ("C", "u\tv"), ("C", "w"), ("B", "w"), ("A", "w"), ("B", "w\tu")])


class ConstraintsTest(CliTest):
    def report(self, model, data, *options):
        return json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", 100000, *options,
                                      "--constraints", data))

    def trained(self, data, *options):
        return self.train("m.croft", "--format", "attributes", *EXACT, *options, data)

    def test_with_l2_the_difference_is_l2_times_the_weight(self):
        data = self.file("data", SEQUENCES)
        for kind in ("chain", "maxent", "memm"):
            for l2 in (0.3, 2):
                model = self.trained(data, "--model", kind, "--l2", l2)
                report = self.report(model, data)
                self.assertTrue(report["training_data"], kind)
                self.assertEqual(report["condition"], {"l1": 0, "l2": l2})
                self.assertGreater(len(report["rows"]), 8)
                self.assertEqual(len(report["rows"]), report["features"])
                for row in report["rows"]:
                    self.assertAlmostEqual(row["empirical"] - row["expected"], l2 * row["weight"],
                                           delta=1e-5)
                    self.assertAlmostEqual(row["difference"], row["empirical"] - row["expected"])
                self.assertLess(report["largest_violation"], 1e-5)

    def test_with_l1_the_difference_is_l1_at_most_and_l1_where_there_is_a_weight(self):
        data = self.file("data", SEQUENCES)
        for kind, l1, l2 in (("chain", 0.6, 0), ("maxent", 0.6, 0), ("maxent", 0.4, 0.5)):
            model = self.trained(data, "--model", kind, "--l1", l1, "--l2", l2)
            report = self.report(model, data)
            self.assertTrue(report["training_data"], kind)
            zero = 0
            for row in report["rows"]:
                if row["weight"] == 0:
                    zero += 1
                    self.assertLessEqual(abs(row["difference"]), l1 + 1e-5)
                else:
                    pull = math.copysign(l1, row["weight"]) + l2 * row["weight"]
                    self.assertAlmostEqual(row["difference"], pull, delta=1e-4)
                    self.assertAlmostEqual(row["penalty"], pull, places=6)
            self.assertGreater(zero, 0)  # those that the file does not have are there, too
            self.assertLess(report["largest_violation"], 1e-4)

    # Entropy, of p(y|x) over the data's x, and likelihood: primal and dual.
    def test_without_a_penalty_the_constraints_hold_and_the_entropy_is_the_likelihood_negated(self):
        data = self.file("data", TABLE)
        model = self.trained(data, "--model", "maxent", "--l2", 0)
        report = self.report(model, data)
        for row in report["rows"]:
            self.assertAlmostEqual(row["empirical"], row["expected"], delta=1e-5)
        entropy = 0
        for line in self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all",
                                data).splitlines():
            for marginals in json.loads(line)["marginals"]:
                entropy -= sum(p * math.log(p) for p in marginals.values())
        self.assertAlmostEqual(entropy, report["log_loss"], delta=1e-5)
        penalised = self.trained(data, "--model", "maxent", "--l2", 1)
        loss = self.report(penalised, data)["log_loss"]
        self.assertGreater(loss, report["log_loss"] + 0.01)  # the optimum is no more of this problem

    def test_the_intercept_that_is_not_penalised_has_its_count_exactly(self):
        data = self.file("data", TABLE)
        model = self.trained(data, "--model", "maxent", "--l2", 5, "--intercept=unpenalised")
        report = self.report(model, data)
        counted = {row["labels"][0]: row for row in report["rows"]
                   if row["attribute"] == "(intercept)"}
        self.assertEqual(sorted(counted), ["A", "B", "C"])
        for row in counted.values():
            self.assertAlmostEqual(row["difference"], 0, delta=1e-5)
            self.assertEqual(row["penalty"], 0)
        self.assertLess(report["largest_violation"], 1e-5)

    # A chain's expectations, from the weights by every labelling of every sequence.
    def test_expectations_are_those_of_all_labellings(self):
        data = self.file("data", SEQUENCES)
        model = self.train("m.croft", "--format", "attributes", "--optimizer", "lbfgs", data,
                           "--max-iterations", 3)  # any weights will do
        node, edge = {}, {}
        for line in self.run_ok("inspect", "-m", model, "--weights").splitlines():
            kind, attribute, *labels, weight = line.split("\t")
            (node if kind == "node" else edge)[(attribute, *labels)] = float(weight)
        expected, empirical = {}, {}
        for block in SEQUENCES.strip().split("\n\n"):
            rows = [line.split("\t") for line in block.split("\n")]
            positions = [[(a.split(":")[0], float((a + ":1").split(":")[1])) for a in row[1:]]
                         for row in rows]

            def counts(y):
                found = {}
                for t, attributes in enumerate(positions):
                    for a, v in attributes:
                        found[(a, y[t])] = found.get((a, y[t]), 0) + v
                    if t > 0:
                        found[("", y[t - 1], y[t])] = found.get(("", y[t - 1], y[t]), 0) + 1
                return found

            def score(found):
                return sum(v * (node if len(k) == 2 else edge).get(k, 0) for k, v in found.items())

            labellings = [counts(y) for y in itertools.product("ABC", repeat=len(rows))]
            weights = [math.exp(score(found)) for found in labellings]
            for found, weight in zip(labellings, weights):
                for k, v in found.items():
                    expected[k] = expected.get(k, 0) + v * weight / sum(weights)
            for k, v in counts([row[0] for row in rows]).items():
                empirical[k] = empirical.get(k, 0) + v
        report = self.report(model, data)
        for row in report["rows"]:
            key = (row["attribute"], *row["labels"])
            self.assertAlmostEqual(row["expected"], expected[key], delta=1e-5)
            self.assertAlmostEqual(row["empirical"], empirical.get(key, 0), places=9)
        self.assertGreater(report["largest_violation"], 0.01)  # three iterations are not enough
        violations = [row["violation"] for row in report["rows"]]
        self.assertEqual(violations, sorted(violations, reverse=True))

    def test_on_other_data_the_differences_are_of_the_models_features(self):
        model = self.trained(self.file("data", SEQUENCES), "--model", "maxent")
        other = self.file("other", "A\tx\tnew\nA\tx\nA\tx\n\n")
        report = self.report(model, other)
        self.assertFalse(report["training_data"])
        self.assertIsNone(report["condition"])
        self.assertIn("not the data", report["no_condition"])
        self.assertNotIn("new", {row["attribute"] for row in report["rows"]})
        first = report["rows"][0]  # x has never been so often with A
        self.assertGreater(first["difference"], 0.5)
        self.assertEqual(first["labels"], ["A"])
        differences = [abs(row["difference"]) for row in report["rows"]]
        self.assertEqual(differences, sorted(differences, reverse=True))

    def test_higher_orders_and_boundaries_meet_their_conditions(self):
        data = self.file("data", SEQUENCES)
        model = self.trained(data, "--order", 2, "--boundaries", "--l2", 0.5)
        report = self.report(model, data)
        self.assertTrue(report["training_data"])
        self.assertIn("gram", {row["kind"] for row in report["rows"]})
        self.assertIn({"boundary": "start"}, [row["labels"][0] for row in report["rows"]])
        self.assertLess(report["largest_violation"], 1e-5)

    def test_where_the_record_does_not_say_the_penalty_there_is_no_condition(self):
        data = self.file("data", SEQUENCES)
        variances = self.file("variances", "x* 3\n")
        for options, reason in ((("--variances", variances), "--variances"),
                                (("--objective", "softmax-margin"), "softmax-margin")):
            report = self.report(self.trained(data, *options), data)
            self.assertIsNone(report["condition"])
            self.assertIn(reason, report["no_condition"])

    def test_weights_of_classes_are_applied_or_are_the_reason(self):
        data = self.file("data", TABLE)
        model = self.trained(data, "--model", "maxent", "--l2", 0.5, "--class-weights", "balanced")
        report = self.report(model, data)
        self.assertTrue(report["training_data"])
        self.assertEqual(report["condition"], {"l1": 0, "l2": 0.5})
        self.assertLess(report["largest_violation"], 1e-5)
        weights = self.file("weights", "A\t2\nB\t3\nC\t0.5\n")
        model = self.trained(data, "--model", "maxent", "--l2", 0.5, "--class-weights", weights)
        self.assertIn("--class-weights", self.report(model, data)["no_condition"])

    def test_weights_of_sequences_are_the_reason(self):
        data = self.file("data", TABLE)
        weights = self.file("weights", "2\n" * TABLE.count("\n\n"))
        model = self.trained(data, "--model", "maxent", "--l2", 0.5, "--weights", weights)
        self.assertIn("--weights", self.report(model, data)["no_condition"])

    def test_the_table_names_features_and_their_figures(self):
        data = self.file("data", SEQUENCES)
        text = self.run_ok("inspect", "-m", self.trained(data, "--l1", 0.5, "--l2", 1), "--top", 3,
                           "--constraints", data)
        lines = text.splitlines()
        self.assertIn("condition     empirical - model = 1 w + 0.5 sign(w), and at most 0.5 where "
                      "w = 0", lines)
        self.assertEqual(len(lines), 10)
        self.assertIn(" → ", lines[-1])

    def test_what_cannot_be_compared_is_refused(self):
        data = self.file("data", SEQUENCES)
        model = self.trained(data)
        other = self.file("other", "A\tx\n\nB\tx\nE\tx\n")
        self.fails(BAD_INPUT, "inspect", "-m", model, "--constraints", other, mentions=[
            f'{other}:3: a label in the sequence from here on that the model does not have: "E"'])
        self.fails(WRONG_USAGE, "inspect", "-m", model, "--weights", "--constraints", data,
                   mentions=["--weights"])
        hmm = self.train("h.croft", "--model", "hmm", self.file("words", "a\tA\nb\tB\n"))
        self.fails(WRONG_USAGE, "inspect", "-m", hmm, "--constraints", data, mentions=["hmm"])
        vote = self.train("v.croft", "--format", "attributes", "--objective", "perceptron",
                          "--optimizer", "voted-perceptron", data)
        self.fails(WRONG_USAGE, "inspect", "-m", vote, "--constraints", data, mentions=["vote"])


if __name__ == "__main__":
    main()
