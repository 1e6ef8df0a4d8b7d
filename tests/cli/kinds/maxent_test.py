"""Models of kind maxent and memm: positions by themselves, and each given the one before."""

import json

from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, main

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"

# x is 1 twice with label 4, and 2 once with label 5: the maximum-likelihood p(4|1) = p(5|2) = 1 is
# kept finite by the penalty.
TABLE = "4\tx=1\n\n4\tx=1\n\n5\tx=2\n\n"


class MaxentTest(CliTest):
    def weights(self, model):
        """By kind, attribute and label."""
        rows = [line.split("\t") for line in
                self.run_ok("inspect", "-m", model, "--weights").splitlines()]
        return {tuple(row[:-1]): float(row[-1]) for row in rows}

    def test_positions_of_a_sequence_are_examples_of_their_own(self):
        sequence = "A\tx\ty\nB\tx\nA\ty\tz\n\n"
        together = self.train("a.croft", "--model", "maxent", "--format", "attributes",
                              self.file("together", sequence))
        apart = self.train("b.croft", "--model", "maxent", "--format", "attributes",
                           self.file("apart", sequence.replace("\n", "\n\n")))
        self.assertEqual(self.weights(together), self.weights(apart))

    def test_it_is_the_chain_of_sequences_of_one_position(self):
        data = self.file("data", TABLE)
        maxent = self.train("m.croft", "--model", "maxent", "--format", "attributes",
                            "--no-intercept", "--optimizer", "lbfgs", data)
        chain = self.train("c.croft", "--format", "attributes", "--optimizer", "lbfgs", data)
        self.assertEqual(self.weights(maxent), self.weights(chain))
        # By the methods that each takes by itself: the same minimum, up to where they stop.
        exact = ["--tolerance", 0, "--gradient-tolerance", 1e-6, "--precision", "double"]
        maxent = self.weights(self.train("m.croft", "--model", "maxent", "--format", "attributes",
                                         "--no-intercept", *exact, data))
        chain = self.weights(self.train("c.croft", "--format", "attributes", *exact, data))
        self.assertEqual(set(maxent), set(chain))
        for feature, weight in maxent.items():
            self.assertAlmostEqual(weight, chain[feature], delta=1e-5)

    def test_its_labels_do_not_depend_on_their_neighbours(self):
        model = self.train("m.croft", "--model", "maxent", TRAIN)
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        self.assertEqual(summary["kind"], "maxent")
        viterbi = self.run_ok("predict", "-m", model, TEST)
        self.assertEqual(self.run_ok("predict", "-m", model, "--decode", "marginal", TEST), viterbi)

    def test_a_weight_of_two_is_the_example_twice(self):
        twice = self.train("a.croft", "--model", "maxent", "--format", "attributes",
                           self.file("twice", TABLE))
        once = self.file("once", TABLE[TABLE.index("\n\n") + 2:])
        weighted = self.train("b.croft", "--model", "maxent", "--format", "attributes",
                              "--weights", self.file("weights", "2\n1\n"), once)
        expected, found = self.weights(twice), self.weights(weighted)
        self.assertEqual(expected.keys(), found.keys())
        for feature, weight in expected.items():
            self.assertAlmostEqual(weight, found[feature], places=4)

    # Of data without attributes it knows the labels' shares: with l2 the weights are 0 in sum, and
    # differ by the logarithm of their ratio less what the penalty takes.
    def test_the_intercept_is_a_weight_for_each_label_whatever_is_seen(self):
        data = self.file("data", 6 * "A\tx\n" + 2 * "B\ty\n")
        model = self.train("m.croft", "--model", "maxent", "--format", "attributes", "--l2", 1e-6,
                           "--tolerance", 1e-12, data)
        line = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all",
                           self.file("new", "\tz\n\n"))
        self.assertGreater(json.loads(line)["marginals"][0]["A"], 0.5)
        without = self.train("n.croft", "--model", "maxent", "--format", "attributes",
                             "--no-intercept", data)
        line = self.run_ok("predict", "-m", without, "--to", "json", "--marginals=all",
                           self.file("new", "\tz\n\n"))
        self.assertEqual(json.loads(line)["marginals"][0]["A"], 0.5)
        again = self.train("again.croft", "--model", "maxent", "--format", "attributes", "--init",
                           model, data)
        names = {row[1] for row in self.weights(again)}
        self.assertIn("(intercept)", names)

    # With a penalty that leaves no other weight, it alone says how frequent the labels are.
    def test_an_unpenalised_intercept_knows_the_shares_of_the_labels(self):
        data = self.file("data", 6 * "A\tx\n" + 2 * "B\ty\n")
        new = self.file("new", "\tx\n\n")
        for kind in ("maxent", "chain"):
            for option, share in (("--intercept=unpenalised", 0.75), ("--intercept", 0.5),
                                  ("--intercept=penalised", 0.5)):
                model = self.train("m.croft", "--model", kind, "--format", "attributes", "--l2", 1e7,
                                   "--tolerance", 0, "--gradient-tolerance", 1e-9, option, data)
                line = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", new)
                self.assertAlmostEqual(json.loads(line)["marginals"][0]["A"], share, places=4)
                record = json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]
                self.assertEqual(record["intercept"],
                                 "unpenalised" if share == 0.75 else "penalised")
                self.assertIn(record["intercept"], self.run_ok("inspect", "-m", model))

    def test_optimizers_that_penalise_every_weight_are_refused_an_unpenalised_intercept(self):
        data = self.file("data", TABLE)
        for optimizer in ("sgd", "sdca", "gis", "sgd-lbfgs"):
            self.refuses_to_train(WRONG_USAGE, "--model", "maxent", "--format", "attributes",
                                  "--intercept=unpenalised", "--optimizer", optimizer, data,
                                  mentions=["intercept", "lbfgs", "owlqn", "truncated-newton"])
        self.refuses_to_train(WRONG_USAGE, "--model", "maxent", "--format", "attributes",
                              "--intercept=free", data, mentions=["--intercept", "unpenalised"])

    def test_an_attribute_of_the_intercepts_name_is_an_error_that_says_where(self):
        data = self.file("data", "A\tx\n\nB\ty\t(intercept)\n\n")
        self.refuses_to_train(BAD_INPUT, "--model", "maxent", "--format", "attributes", data,
                              mentions=["data:3", "(intercept)", "rename"])
        model = self.train("m.croft", "--model", "maxent", "--format", "attributes",
                           self.file("good", "A\tx\n\nB\ty\n\n"))
        self.fails(BAD_INPUT, "predict", "-m", model, self.file("bad", "\ty\t(intercept)\n\n"),
                   mentions=["bad:1", "(intercept)"])
        self.train("n.croft", "--model", "maxent", "--format", "attributes", "--no-intercept", data)

    def test_what_needs_neighbours_is_refused(self):
        template = self.file("template", "U00:%x[0,0]\nB\n")
        for options, said in ((("--order", 2), "--order"), (("--template", template), "pairs of")):
            self.refuses_to_train(WRONG_USAGE, "--model", "maxent", *options, TRAIN,
                                  mentions=[said])

    def test_objectives_that_leave_out_neighbours_are_refused(self):
        self.refuses_to_train(WRONG_USAGE, "--model", "maxent", "--objective", "piecewise", TRAIN,
                              mentions=["it is the likelihood"])

    def test_the_intercept_is_that_of_the_model_to_go_on_from(self):
        data = self.file("data", TABLE)
        model = self.train("m.croft", "--model", "maxent", "--format", "attributes", data)
        self.refuses_to_train(WRONG_USAGE, "--model", "maxent", "--format", "attributes",
                              "--no-intercept", "--init", model, data, mentions=["has intercept"])

    def test_a_chain_cannot_go_on_from_it(self):
        model = self.train("m.croft", "--model", "maxent", TRAIN)
        self.refuses_to_train(WRONG_USAGE, "--init", model, TRAIN, mentions=["--model maxent"])


class MemmTest(CliTest):
    def test_log_z_is_zero_and_answers_go_together(self):
        model = self.train("m.croft", "--model", "memm", TRAIN)
        lines = self.run_ok("predict", "-m", model, "--to", "json", "--k-best", 3,
                            "--marginals", TEST).splitlines()
        for line in map(json.loads, lines[:20]):
            best = line["k_best"]
            self.assertLessEqual(sum(each["probability"] for each in best), 1 + 1e-9)
            self.assertEqual(best[0]["labels"], line["labels"])

    # "rib" and "rob" differ in their middle letter alone, and the labels of their r have one
    # successor each, which takes all the probability whatever is seen: the MEMM goes by which word
    # is more frequent, the CRF by the letter (Bottou 1991; Lafferty et al. 2001).
    def test_label_bias_makes_the_memm_ignore_what_it_sees_and_not_the_crf(self):
        rib, rob = "1\tr\n2\ti\n3\tb\n\n", "4\tr\n5\to\n3\tb\n\n"
        data = self.file("data", 6 * rib + 4 * rob)
        text = self.file("text", "\tr\n\to\n\tb\n\n")
        rules = self.file("rules", "1 -> 2\n2 -> 3\n4 -> 5\n5 -> 3\n")
        found = {}
        for kind in ("chain", "memm"):
            model = self.train(f"{kind}.croft", "--model", kind, "--format", "attributes", "--l2",
                               0.01, "--constrain", rules, data)
            found[kind] = self.run_ok("predict", "-m", model, "--to", "labels", text).split()
        self.assertEqual(found["chain"], ["4", "5", "3"])
        self.assertEqual(found["memm"], ["1", "2", "3"])

    def test_another_objective_is_refused(self):
        self.refuses_to_train(WRONG_USAGE, "--model", "memm", "--objective", "piecewise", TRAIN,
                              mentions=["own likelihood"])


if __name__ == "__main__":
    main()
