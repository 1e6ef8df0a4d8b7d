"""Chains of order 2 and more: trained, shown, used; probabilities checked by brute force."""

import itertools
import json
import math

from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, main

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"
TINY = "X\ta:0.5\nY\tc\nX\ta\nX\tb\n\nY\tb\nY\tc:3\nX\tb\n\nX\tb:0.25\nY\ta\nX\tc\n"


def read_dump(text):
    """Weights of `inspect --weights` by what they belong to: labels of a run, or attribute and label."""
    runs, node = {}, {}
    for line in text.splitlines():
        kind, *fields, weight = line.split("\t")
        if kind == "node":
            node[tuple(fields)] = float(weight)
        else:
            run = tuple(fields[1:] if kind == "transition" else fields)
            runs[run] = runs.get(run, 0) + float(weight)
    return runs, node


class OrderTest(CliTest):
    def test_probabilities_are_those_of_the_weights_that_are_shown(self):
        data = self.file("tiny.attr", TINY)
        for order in (2, 3):
            model = self.train("m.croft", "--format", "attributes", "--order", order,
                               "--histories", "allowed", "--l2", 0.1, data)
            runs, node = read_dump(self.run_ok("inspect", "-m", model, "--weights"))
            self.assertEqual({len(run) for run in runs}, set(range(2, order + 2)) & {2, 3, 4})
            attributes = [("c", 1.0), ("a", 2.0), ("b", 1.0), ("c", 0.5), ("a", 1.0)]
            scores = {}
            for y in itertools.product("XY", repeat=len(attributes)):
                score = sum(value * node.get((name, label), 0)
                            for (name, value), label in zip(attributes, y))
                for length in range(2, order + 2):
                    score += sum(runs.get(y[t:t + length], 0) for t in range(len(y) - length + 1))
                scores[y] = score
            log_z = math.log(sum(map(math.exp, scores.values())))
            text = "".join(f"\t{name}:{value}\n" for name, value in attributes)
            document = json.loads(self.run_ok(
                "predict", "-m", model, "--to", "json", "--k-best", 100, "-",
                stdin=text.encode()))
            self.assertEqual(len(document["k_best"]), 2 ** len(attributes))
            for each in document["k_best"]:
                self.assertAlmostEqual(each["log_probability"],
                                       scores[tuple(each["labels"])] - log_z, places=4)

    def test_order_1_is_the_model_that_it_was(self):
        plain = self.train("plain.croft", "--max-iterations", 5, TRAIN)
        named = self.train("named.croft", "--max-iterations", 5, "--order", 1, TRAIN)
        self.assertEqual(plain.read_bytes(), named.read_bytes())
        self.assertNotIn(b'"order"', plain.read_bytes())

    def test_threads_change_no_byte(self):
        models = [self.train(f"{n}.croft", "--max-iterations", 5, "--order", 2, "--threads", n,
                             TRAIN).read_bytes() for n in (1, 3)]
        self.assertEqual(*models)

    def test_inspect_shows_order_histories_and_runs(self):
        model = self.train("m.croft", "--max-iterations", 30, "--order", 2, TRAIN)
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", 3))
        self.assertEqual(summary["order"], 2)
        self.assertEqual((summary["training"]["order"], summary["training"]["histories"]),
                         (2, "seen"))
        self.assertGreater(summary["histories"], len(summary["labels"]))
        self.assertGreater(summary["grams"]["weights"], 10)
        largest = summary["top"]["grams"]["largest"]
        self.assertEqual([len(each["labels"]) for each in largest], [3, 3, 3])
        self.assertGreaterEqual(largest[0]["weight"], largest[1]["weight"])
        text = self.run_ok("inspect", "-m", model, "--top", 3)
        self.assertIn("order         2\n", text)
        self.assertIn(f"histories     {summary['histories']}\n", text)
        self.assertIn("runs of labels\n", text)
        self.assertIn(" → ".join(largest[0]["labels"]), text)

    def test_it_labels_and_is_evaluated(self):
        model = self.train("m.croft", "--order", 2, TRAIN)
        document = json.loads(self.run_ok("evaluate", "-m", model, "--json", TEST))
        self.assertGreater(document["tokens"]["accuracy"], 0.85)
        lines = self.run_ok("predict", "-m", model, "--to", "json", "--probability",
                            "--marginals=all", "--rule", "occurs QTY", TEST).splitlines()
        for line in lines:
            each = json.loads(line)
            self.assertIn("QTY", each["labels"])
            for marginals in each["marginals"]:
                self.assertAlmostEqual(sum(marginals.values()), 1, places=5)

    def test_training_goes_on_from_a_model_of_its_order(self):
        model = self.train("m.croft", "--order", 2, "--max-iterations", 20, TRAIN)
        self.train("more.croft", "--order", 2, "--init", model, "--max-iterations", 5, TRAIN)
        self.refuses_to_train(WRONG_USAGE, "--init", model, TRAIN, mentions=[
            model, "this model is of order 2; go on from it with --order 2"])

    def test_orders_and_histories_that_make_no_sense_are_usage_errors(self):
        for order in (0, 9, "two"):
            self.refuses_to_train(WRONG_USAGE, "--order", order, TRAIN, mentions=["--order"])
        self.refuses_to_train(WRONG_USAGE, "--histories", "seen", TRAIN,
                              mentions=["--histories goes with --order 2 or more"])
        self.refuses_to_train(WRONG_USAGE, "--order", 2, "--histories", "some", TRAIN,
                              mentions=["--histories"])

    def test_partial_labels_without_a_run_that_fits_are_an_error_with_file_and_line(self):
        data = self.file("part.txt", "a A\nb B\na A\n\na A\nb ?\nb B\n")
        self.refuses_to_train(BAD_INPUT, "--order", 2, "--partial", data,
                              mentions=[f"{data}:5: no labelling that fits"])
        self.train("m.croft", "--order", 2, "--partial", "--histories", "allowed", data)


if __name__ == "__main__":
    main()
