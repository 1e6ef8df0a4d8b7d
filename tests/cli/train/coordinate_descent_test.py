"""--optimizer coordinate-descent: one weight after the other, of models of kind maxent."""

import json

from support import INGREDIENTS, WRONG_USAGE, CliTest, main, read_log

TRAIN = INGREDIENTS / "train.txt"
EXACT = ("--tolerance", 0, "--gradient-tolerance", 1e-6, "--precision", "double")
TABLE = "".join(f"{'ABC'[k % 3]}\tx{k % 5}:{1 + k % 4}\ty{k * k % 7}\tz{k % 3 if k % 4 else 2}\n\n"
                for k in range(120))


class CoordinateDescentTest(CliTest):
    def objective(self, *arguments):
        log = self.folder / "log.jsonl"
        self.train("m.croft", "--model", "maxent", "--log", log, *arguments)
        return read_log(log)[1]["objective"]

    def test_its_optimum_is_that_of_the_other_methods(self):
        data = self.file("data", TABLE)
        for penalties, other in ((("--l2", 1), "lbfgs"), (("--l2", 0.01), "newton"),
                                 (("--l1", 0.7, "--l2", 0), "owlqn"),
                                 (("--l1", 0.2, "--l2", 0.5), "owlqn"),
                                 (("--l2", 2, "--intercept=unpenalised"), "lbfgs"),
                                 (("--l1", 2, "--l2", 0, "--intercept=unpenalised"), "owlqn"),
                                 (("--l2", 1, "--features", "all"), "lbfgs")):
            expected = self.objective("--format", "attributes", "--optimizer", other, *EXACT,
                                      *penalties, data)
            found = self.objective("--format", "attributes", "--optimizer", "coordinate-descent",
                                   "--tolerance", 0, "--gradient-tolerance", 1e-6, *penalties, data)
            self.assertAlmostEqual(found / expected, 1, delta=1e-8, msg=(penalties, other))

    def test_positions_of_sequences_are_examples(self):
        expected = self.objective("--optimizer", "lbfgs", *EXACT, TRAIN)
        found = self.objective("--optimizer", "coordinate-descent", TRAIN)
        self.assertAlmostEqual(found / expected, 1, delta=2e-4)

    def test_an_attribute_that_a_position_has_twice_counts_twice(self):
        twice = self.file("twice", TABLE.replace("\ty4", "\ty4\ty4"))
        double = self.file("double", TABLE.replace("\ty4", "\ty4:2"))
        options = ("--format", "attributes", "--optimizer", "coordinate-descent")
        self.assertAlmostEqual(self.objective(*options, twice), self.objective(*options, double))

    def test_threads_and_seeds(self):
        data = self.file("data", TABLE)
        options = ("--format", "attributes", "--model", "maxent", "--l1", 0.3, "--optimizer",
                   "coordinate-descent", data)
        one = self.train("a.croft", *options).read_bytes()
        self.assertEqual(self.train("b.croft", "--threads", 3, *options).read_bytes(), one)
        other = self.train("c.croft", "--seed", 2, *options)
        record = json.loads(self.run_ok("inspect", "-m", other, "--json"))["training"]
        self.assertEqual(record["optimizer"], "coordinate-descent")

    def test_a_run_goes_on_from_its_checkpoint(self):
        data = self.file("data", TABLE)
        options = ("--format", "attributes", "--model", "maxent", "--l2", 0.1, "--optimizer",
                   "coordinate-descent", "--tolerance", 0, "--gradient-tolerance", 0,
                   "--checkpoint", self.folder / "state", "--checkpoint-interval", 0, data)
        self.train("a.croft", "--max-iterations", 2, *options)
        resumed = self.train("b.croft", "--resume", "--max-iterations", 5, *options)
        whole = self.train("c.croft", "--max-iterations", 5, *options[:-5], data)
        weights = [self.run_ok("inspect", "-m", m, "--weights") for m in (resumed, whole)]
        self.assertEqual(*weights)

    def test_what_it_cannot_do_is_refused(self):
        model = ("--model", "maxent", "--format", "attributes")
        method = ("--optimizer", "coordinate-descent")
        data = self.file("data", TABLE)
        for options, mentions in (
                ((*method, "--format", "attributes"), "--model maxent"),
                ((*method, "--format", "attributes", "--model", "memm"), "does not minimise"),
                ((*method, *model, "--objective", "softmax-margin"), "does not minimise"),
                ((*method, *model, "--precision", "single"), "computes in double"),
                ((*method, *model, "--history", 5), "means nothing to"),
                ((*method, *model, "--variances", self.file("v", "x* 2\n")), "--variances")):
            self.refuses_to_train(WRONG_USAGE, *options, data, mentions=[mentions])
        self.refuses_to_train(WRONG_USAGE, *method, *model, "--partial",
                              self.file("some", TABLE + "A|B\tx1\n"), mentions=["label known"])


if __name__ == "__main__":
    main()
