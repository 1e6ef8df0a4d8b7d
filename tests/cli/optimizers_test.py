"""Every objective and optimizer from the command line: on a small real set all reach one optimum."""

import json
import pathlib
import unittest

from support import DATA, INGREDIENTS, WRONG_USAGE, CliTest, croft, main, read_log

TRAIN = INGREDIENTS / "train.txt"
TEMPLATE = "U00:%x[0,1]\nU01:%x[-1,1]\nB\n"


class Training(CliTest):
    def train(self, *arguments):
        """The last line of the log."""
        self.model, log = self.folder / "m.croft", self.folder / "log.jsonl"
        self.run_ok("train", "--quiet", "-o", self.model, "--log", log, *arguments)
        return read_log(log)[1]


@unittest.skipUnless((DATA / "conll2000").is_dir(), "CROFT_DATA names the folder of the data")
class OptimumTest(Training):
    """Short sentences of CoNLL-2000, so that iterative scaling, whose steps shrink with the number of
    features of a sequence, comes to an end, too."""

    @classmethod
    def setUpClass(cls):
        text = (DATA / "conll2000" / "train.txt").read_text("utf-8").split("\n\n")
        short = [s.strip("\n") for s in text if 0 < s.strip("\n").count("\n") < 9]
        cls.text = "\n\n".join(short[:120]) + "\n"

    def objective(self, *arguments):
        data = self.file("short.txt", self.text)
        template = self.file("short.template", TEMPLATE)
        return self.train("--template", template, "--tolerance", 0, *arguments, data)["objective"]

    def check_all(self, optimizers, reference, *arguments):
        best = self.objective("--optimizer", reference, "--max-iterations", 2000, *arguments)
        for optimizer, iterations in optimizers.items():
            with self.subTest(optimizer):
                found = self.objective("--optimizer", optimizer, "--max-iterations", iterations,
                                       *arguments)
                self.assertLess((found - best) / best, 1e-3)
                self.assertGreater((found - best) / best, -1e-6)

    def test_every_optimizer_of_the_likelihood_reaches_the_optimum_of_lbfgs(self):
        self.check_all({"sgd-lbfgs": 200, "owlqn": 200, "steepest-descent": 500, "cg": 300,
                        "preconditioned-cg": 500, "mixed-cg": 500, "bfgs": 200, "newton": 30,
                        "truncated-newton": 50, "gis": 5000, "iis": 2000, "sgd": 300,
                        "averaged-sgd": 300, "adagrad": 500, "adagrad-rda": 500, "smd": 300,
                        "sag": 200, "async-sgd": 300, "sdca": 200, "eg": 200, "batch-eg": 300},
                       "lbfgs")

    def test_with_l1_those_that_can_reach_the_optimum_of_owlqn(self):
        self.check_all({"adagrad-rda": 500}, "owlqn", "--l1", 1, "--l2", 0)
        # The cumulative penalty is exact in the limit only.
        owlqn = self.objective("--optimizer", "owlqn", "--l1", 1, "--l2", 0)
        sgd = self.objective("--optimizer", "sgd", "--l1", 1, "--l2", 0, "--max-iterations", 500)
        self.assertLess(sgd, owlqn * 1.005)

    def test_other_convex_objectives_have_one_optimum(self):
        for objective in ("pseudolikelihood", "per-edge", "composite", "piecewise",
                          "softmax-margin"):
            with self.subTest(objective):
                self.check_all({"sgd-lbfgs": 200, "cg": 300, "sgd": 300, "sag": 200}, "lbfgs",
                               "--objective", objective)

    def test_the_solvers_of_max_margin_agree(self):
        values = [self.objective("--objective", "max-margin", "--optimizer", optimizer,
                                 "--max-iterations", 2000, "--gap", 1e-3)
                  for optimizer in ("smo", "frank-wolfe", "eg")]
        for value in values[1:]:
            self.assertLess(abs(value - values[0]) / values[0], 2e-3)

    def test_a_linear_kernel_is_the_linear_model(self):
        options = ("--objective", "max-margin", "--optimizer", "smo", "--gap", 1e-4,
                   "--features", "all")
        linear = self.objective(*options)
        kernel = self.objective(*options, "--kernel", "linear")
        self.assertLess(abs(kernel - linear) / linear, 1e-3)


class OnlineTest(Training):
    def test_every_online_method_learns_its_data(self):
        for objective, optimizers in {
                "perceptron": ("perceptron", "averaged-perceptron", "voted-perceptron"),
                "passive-aggressive": ("pa", "pa-1", "pa-2", "mira"),
                "arow": ("arow",)}.items():
            for optimizer in optimizers:
                with self.subTest(optimizer):
                    self.train("--objective", objective, "--optimizer", optimizer, TRAIN)
                    scores = json.loads(self.run_ok("evaluate", "--json", "-m", self.model, TRAIN))
                    self.assertGreater(scores["tokens"]["accuracy"], 0.95)

    def test_a_prior_keeps_what_the_new_data_does_not_mention(self):
        self.train(TRAIN)
        old = self.folder / "old.croft"
        pathlib.Path(self.model).rename(old)
        new = self.file("new.txt", "qqq\tNAME\n\n")
        self.train("--prior", old, new)
        test = INGREDIENTS / "test.txt"
        accuracy = [json.loads(self.run_ok("evaluate", "--json", "-m", m, test))["tokens"]["accuracy"]
                    for m in (old, self.model)]
        self.assertAlmostEqual(accuracy[0], accuracy[1], delta=0.02)
        self.train(new)
        alone = json.loads(self.run_ok("evaluate", "--json", "-m", self.model, test))
        self.assertLess(alone["tokens"]["accuracy"], accuracy[0] - 0.2)

    def test_variances_move_weights_from_one_group_of_features_to_another(self):
        norms = []
        for variance in (1, 1e-6):
            self.train("--variances", self.file("v", f"* {variance}\nbias 1\n"), TRAIN)
            weights = self.run_ok("inspect", "--weights", "-m", self.model).split("\n")
            norms.append(sum(abs(float(w)) for line in weights[1:]
                             for w in line.split()[-1:] if w[-1:].isdigit()))
        self.assertLess(norms[1], norms[0] / 10)


class ChoiceTest(CliTest):
    def error_of(self, *arguments):
        done = croft("train", "-o", self.folder / "m.croft", *arguments, TRAIN)
        self.assertEqual(done.returncode, WRONG_USAGE)
        return done.stderr.decode()

    def test_a_pair_that_makes_no_sense_lists_those_that_do(self):
        error = self.error_of("--objective", "perceptron", "--optimizer", "lbfgs")
        self.assertIn("averaged-perceptron, pass-perceptron, voted-perceptron", error)
        self.assertIn("likelihood, pseudolikelihood", error)

    def test_names_that_are_none_list_all(self):
        self.assertIn("truncated-newton", self.error_of("--optimizer", "adam"))
        self.assertIn("passive-aggressive", self.error_of("--objective", "mle"))

    def test_settings_that_mean_nothing_are_refused(self):
        self.assertIn("it goes with sgd", self.error_of("--decay", 0.5))
        self.assertIn("owlqn", self.error_of("--optimizer", "cg", "--l1", 1))
        self.assertIn("--kernel", self.error_of("--objective", "max-margin", "--optimizer", "smo",
                                                "--kernel", "poly"))

    def test_help_names_every_objective_and_optimizer(self):
        text = self.run_ok("train", "--help")
        for name in ("pseudolikelihood", "arow", "sgd-lbfgs", "frank-wolfe", "voted-perceptron"):
            self.assertIn(f"\n  {name}", text)


if __name__ == "__main__":
    main()
