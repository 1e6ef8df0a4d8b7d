"""Voted perceptrons and kernels from training to prediction: what they answer and refuse."""

import json

from support import INGREDIENTS, WRONG_USAGE, CliTest, main

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"


class VotedTest(CliTest):
    def voted(self, *options):
        return self.train("v.croft", "--objective", "perceptron", "--optimizer",
                          "voted-perceptron", "--max-iterations", 4, *options, TRAIN)

    def test_its_weights_are_those_of_the_plain_perceptron(self):
        plain = self.train("p.croft", "--objective", "perceptron", "--optimizer", "perceptron",
                           "--max-iterations", 4, TRAIN)
        self.assertEqual(self.run_ok("inspect", "-m", self.voted(), "--weights"),
                         self.run_ok("inspect", "-m", plain, "--weights"))

    def test_the_number_of_threads_changes_no_label(self):
        model = self.voted()
        one = self.run_ok("predict", "-m", model, "--threads", 1, TEST)
        self.assertEqual(self.run_ok("predict", "-m", model, "--threads", 3, TEST), one)

    def test_evaluation_counts_the_labels_that_predict_writes(self):
        model = self.voted()
        labelled = self.file("labelled", self.run_ok("predict", "-m", model, TEST))
        of_file = json.loads(self.run_ok("evaluate", "--json", labelled))
        of_model = json.loads(self.run_ok("evaluate", "--json", "-m", model, TEST))
        self.assertEqual(of_model["tokens"], of_file["tokens"])
        self.assertGreater(of_model["tokens"]["accuracy"], 0.8)
        self.assertIsNone(of_model["log_loss"])
        self.assertNotIn("calibration", of_model)

    def test_inspect_counts_the_vectors(self):
        summary = json.loads(self.run_ok("inspect", "-m", self.voted(), "--json", "--verify"))
        self.assertGreater(summary["votes"]["vectors"], 100)
        self.assertIn("votes", [section["name"] for section in summary["sections"]])

    def test_a_constraint_holds_for_the_vote(self):
        allowed = self.file("rules", "! NAME -> QTY\n")
        model = self.voted()
        with_limit = self.run_ok("predict", "-m", model, "--constrain", allowed,
                                 "--to", "labels", TEST).split("\n")
        free = self.run_ok("predict", "-m", model, "--to", "labels", TEST).split("\n")
        pairs = list(zip(free, free[1:]))
        self.assertIn(("NAME", "QTY"), pairs)
        self.assertNotIn(("NAME", "QTY"), list(zip(with_limit, with_limit[1:])))

    def test_what_needs_a_probability_is_refused(self):
        model = self.voted()
        for question in ("--marginals", "--probability", "--entropy", "--k-best=2", "--samples=1",
                         "--expected-counts"):
            self.fails(WRONG_USAGE, "predict", "-m", model, question, TEST,
                       mentions=["v.croft is a voted perceptron", "a vote has no probabilities"])
        self.fails(WRONG_USAGE, "predict", "-m", model, "--decode", "risk", TEST,
                   mentions=["--decode", "voted perceptron"])
        self.fails(WRONG_USAGE, "predict", "-m", model, "--rule", "occurs NAME", TEST,
                   mentions=["--rule", "--constrain goes with it"])
        self.fails(WRONG_USAGE, "explain", "-m", model, TEST, mentions=["voted perceptron"])


class KernelTest(CliTest):
    def smo(self, name, *options):
        return self.train(name, "--objective", "max-margin", "--optimizer", "smo", "--features",
                          "all", "--max-iterations", 100, "--gap", 1e-6, *options, TEST)

    def test_a_linear_kernel_labels_as_weights_do(self):
        kernel = self.smo("k.croft", "--kernel", "linear")
        weights = self.smo("w.croft")
        self.assertEqual(self.run_ok("predict", "-m", kernel, TEST),
                         self.run_ok("predict", "-m", weights, TEST))
        summaries = [json.loads(self.run_ok("inspect", "-m", model, "--json"))
                     for model in (kernel, weights)]
        self.assertEqual(summaries[0]["node"]["weights"], 0)
        values = [summary["training"]["objective_value"] for summary in summaries]
        self.assertAlmostEqual(values[0] / values[1], 1, places=3)

    def test_it_answers_what_scores_answer(self):
        model = self.smo("k.croft", "--kernel", "poly:2")
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        self.assertEqual(summary["kernel"]["type"], "polynomial")
        self.assertEqual(summary["kernel"]["degree"], 2)
        self.assertGreater(summary["kernel"]["support_vectors"], 0)
        lines = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all",
                            "--k-best", 2, TEST).splitlines()
        for line in lines:
            answer = json.loads(line)
            for marginals in answer["marginals"]:
                self.assertAlmostEqual(sum(marginals.values()), 1, places=9)
            self.assertEqual(answer["k_best"][0]["labels"], answer["labels"])

    def test_there_is_no_explanation(self):
        model = self.smo("k.croft", "--kernel", "rbf:0.1")
        self.fails(WRONG_USAGE, "explain", "-m", model, TEST, mentions=["k.croft has a kernel"])


if __name__ == "__main__":
    main()
