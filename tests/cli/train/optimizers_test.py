"""Every objective and optimizer from the command line: on a small real set all reach one optimum."""

import json
import pathlib
import random
import unittest

from support import (BAD_INPUT, DATA, INGREDIENTS, WRONG_USAGE, CliTest, croft, main, noise, read_log,
                     sequences_of)

TRAIN = INGREDIENTS / "train.txt"
TEMPLATE = "U00:%x[0,1]\nU01:%x[-1,1]\nB\n"


class Training(CliTest):
    def log_of(self, *arguments):
        self.model, log = self.folder / "m.croft", self.folder / "log.jsonl"
        self.run_ok("train", "--quiet", "-o", self.model, "--log", log, *arguments)
        return read_log(log)

    def train(self, *arguments):
        """The last line of the log."""
        return self.log_of(*arguments)[1]


class DefaultTest(Training):
    """What trains the likelihood where nothing is said: dual ascent, whose log has a gap, or not."""

    def has_gap(self, *options, positions=20000, value="1"):
        lines = [f"{'AB'[k % 7 % 2]}\tw{k % 600}\tx:{value}" for k in range(positions)]
        text = "\n\n".join("\n".join(lines[k:k + 100]) for k in range(0, positions, 100)) + "\n"
        data = self.file("data.attributes", text)
        model, log = self.folder / "m.croft", self.folder / "log.jsonl"
        self.run_ok("train", "--quiet", "-o", model, "--log", log, "--format", "attributes",
                    "--max-iterations", 1, *options, data)
        return "gap" in read_log(log)[0][0]

    def test_dual_ascent_from_20000_positions_on(self):
        self.assertTrue(self.has_gap())
        self.assertTrue(self.has_gap("--order", 2))
        self.assertFalse(self.has_gap(positions=19900))

    def test_with_a_constraint_too_but_not_of_higher_order(self):
        rules = self.file("rules", "A -> *\nB -> *\n")
        self.assertTrue(self.has_gap("--constrain", rules))
        self.assertFalse(self.has_gap("--constrain", rules, "--order", 2))

    def test_not_where_the_dual_is_slow_or_something_is_asked_for_that_it_does_not_have(self):
        for options in (["--l2", 0.001], ["--tolerance", 1e-6], ["--l1", 1],
                        ["--precision", "double"], ["--sgd-passes", 3],
                        ["--order", 2, "--histories", "allowed"]):
            with self.subTest(options):
                self.assertFalse(self.has_gap(*options))
        self.assertFalse(self.has_gap(value="1000"))

    def test_lbfgs_takes_over_where_the_gap_closes_slowly(self):
        data = self.file("noise.txt", noise(2000))
        lines, last = self.log_of("--threads", 2, data)
        self.assertIn("L-BFGS took over after 3 iterations", last["message"])
        self.assertEqual(last["reason"], "converged_objective")
        self.assertEqual(last["iterations"], lines[-1]["iteration"])
        model = self.model.read_bytes()
        self.assertLess(abs(last["objective"] / self.log_of(data, "--optimizer", "lbfgs")[1]["objective"] - 1), 1e-5)
        self.log_of("--threads", 1, data)
        self.assertEqual(self.model.read_bytes(), model)
        _, asked = self.log_of("--max-iterations", 6, "--optimizer", "dual-ascent", data)
        self.assertIn("gap", asked)

    def test_cutting_planes_go_on_while_their_bound_is_below_zero(self):
        last = self.train("--objective", "max-margin", "--optimizer", "cutting-plane", "--l2", 0.1, "--gap", 0.1,
                          "--max-iterations", 3000, self.file("noise.txt", noise(200)))
        self.assertEqual(last["reason"], "converged_gap", last)

    def test_columns_of_different_size_are_trained_to_the_optimum(self):
        chance = random.Random(2)
        rows = [(chance.gauss(40, 12), chance.gauss(190000, 100000), chance.randrange(1, 17)) for _ in range(2000)]
        data = self.file("a.csv", "age,size,years,label\n" + "".join(
            f"{age:.6g},{size:.6g},{years},{'no' if age / 12 + years / 4 + chance.gauss(0, 2) < 6 else 'yes'}\n"
            for age, size, years in rows))
        table = ["--format", "csv", data]
        best = self.train(*table, "--optimizer", "newton", "--tolerance", 0)["objective"]
        for options in ([], ["--optimizer", "sgd-lbfgs"]):
            self.assertAlmostEqual(self.train(*table, *options)["objective"] / best, 1, places=6)
        for optimizer, warns in (("lbfgs", True), ("truncated-newton", False)):
            done = croft("train", "--quiet", "-o", self.model, "--optimizer", optimizer, *table)
            self.assertEqual(b"values of \"size\" are of the size 2" in done.stderr, warns, done.stderr)
        # A change that is small says nothing there.
        for options in (["--optimizer", "lbfgs"], ["--l2", 0, "--optimizer", "cg"],
                        ["--l1", 1, "--optimizer", "owlqn"]):
            last = self.train(*table, *options)
            self.assertEqual(last["reason"], "no_progress", (options, last))
            self.assertGreater(last["iterations"], 0)

    def test_a_gap_asks_for_it(self):
        self.assertTrue(self.has_gap("--gap", 1e-3, positions=100))


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
                        "sag": 200, "async-sgd": 300, "dual-ascent": 200,
                        "sdca": 200, "eg": 200, "batch-eg": 300},
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

    def refused(self, *arguments, mentions, status=WRONG_USAGE):
        with self.subTest(arguments=arguments):
            self.refuses_to_train(status, *arguments, TRAIN, mentions=mentions)

    def accepted(self, *arguments):
        with self.subTest(arguments=arguments):
            self.train("m.croft", "--max-iterations", 2, *arguments, TRAIN)

    def test_a_block_is_of_the_composite_objective(self):
        for block in (2, 3):
            self.accepted("--objective", "composite", "--block", block)
            for objective in ("likelihood", "per-edge", "max-margin", "perceptron"):
                self.refused("--objective", objective, "--block", block,
                             mentions=["--block", "--objective composite", objective])

    def test_decay_is_of_the_constant_schedule(self):
        for optimizer in ("sgd", "averaged-sgd", "async-sgd"):
            options = ("--optimizer", optimizer, "--decay", 0.5)
            self.accepted(*options, "--schedule", "constant")
            self.refused(*options, mentions=["--decay", "--schedule constant"])
            self.refused(*options, "--schedule", "inverse",
                         mentions=["--decay", "--schedule constant"])

    def test_single_precision_is_of_methods_that_see_all_data_at_once(self):
        for objective, optimizer in (("likelihood", "cg"), ("perceptron", "pass-perceptron")):
            self.accepted("--objective", objective, "--optimizer", optimizer, "--precision",
                          "single")
        for objective, optimizer in (("likelihood", "sgd"), ("likelihood", "gis"),
                                     ("likelihood", "sdca"), ("max-margin", "smo"),
                                     ("max-margin", "adagrad"), ("arow", "arow")):
            options = ("--objective", objective, "--optimizer", optimizer, "--precision")
            self.accepted(*options, "double")
            self.refused(*options, "single", mentions=["--precision single", optimizer, "double"])

    def test_what_only_a_tolerance_uses_needs_one(self):
        self.accepted("--optimizer", "sdca", "--tolerance", 0)
        self.refused("--optimizer", "sdca", "--tolerance", 0.1, mentions=["--tolerance", "--gap"])
        self.refused("--objective", "max-margin", "--window", 10, mentions=["--window", "--gap"])
        self.refused("--tolerance", 0, "--window", 5, mentions=["--window", "--tolerance"])
        self.refused("--objective", "perceptron", "--window", 5,
                     mentions=["--window", "--tolerance"])
        self.accepted("--objective", "perceptron", "--tolerance", 1e-3, "--window", 5)

    def test_settings_of_passes_that_are_not_made_are_refused(self):
        for setting, value in (("--step", 0.1), ("--batch", 4)):
            self.refused("--sgd-passes", 0, setting, value, mentions=[setting, "--sgd-passes 0"])
        average = ("--optimizer", "averaged-sgd", "--average-from", 3, "--max-iterations")
        self.refused(*average, 2, mentions=["--average-from 3", "--max-iterations 2"])
        self.run_ok("train", "--quiet", "-o", self.folder / "m.croft", *average, 3, TRAIN)

    def test_a_prior_needs_a_penalty(self):
        old = self.train("old.croft", "--max-iterations", 2, TRAIN)
        self.refused("--prior", old, "--l2", 0, mentions=["--prior", "--l2 0", "--init"])
        self.accepted("--init", old, "--l2", 0)
        variances = self.file("v", "* 2\n")
        self.refused("--variances", variances, "--l2", 0, mentions=["--variances", "--l1 0"])
        self.accepted("--variances", variances, "--l2", 0, "--l1", 0.1)

    def test_a_pattern_of_variances_that_fits_nothing_is_an_error_with_its_line(self):
        variances = self.file("v", "bias 2\nbais 3\n")
        self.refused("--variances", variances, status=BAD_INPUT,
                     mentions=[f"{variances}:2:", '"bais"', "croft inspect"])
        # Nor do attributes that are too rare to have a feature.
        rare = self.file("rare.txt", "qqqq NAME\n\n" + TRAIN.read_text("utf-8"))
        self.refuses_to_train(BAD_INPUT, "--min-count", 2, "--variances",
                              self.file("r", "*qqqq* 3\n"), rare, mentions=["qqqq"])

    def test_weights_of_sequences_are_refused_where_they_change_nothing(self):
        count = len(sequences_of(TRAIN.read_text("utf-8")))
        weights = self.file("weights", "2\n" * count)
        options = ("--objective", "passive-aggressive", "--weights", weights, "--optimizer")
        self.refused(*options, "pa", mentions=["--optimizer pa", "weights", "pa-1, pa-2, mira"])
        self.accepted(*options, "pa-1")
        data = self.file("d.attributes", "@weight:3\nX\ta\n\nY\tb\n")
        self.refuses_to_train(WRONG_USAGE, "--format", "attributes", *options[:2], "--optimizer",
                              "pa", data, mentions=["weights"])

    def test_an_order_that_a_method_does_not_go_with_lists_the_methods_that_do(self):
        self.refused("--optimizer", "sdca", "--order", 2, mentions=["sgd-lbfgs, lbfgs, owlqn"])
        self.refused("--objective", "max-margin", "--optimizer", "smo", "--order", 2,
                     mentions=["these can: sgd, averaged-sgd, adagrad"])
        self.refused("--objective", "passive-aggressive", "--optimizer", "mira", "--order", 2,
                     mentions=["these can: pa, pa-1, pa-2"])

    def test_a_pair_that_makes_no_sense_is_known_before_the_data_is_read(self):
        self.refuses_to_train(WRONG_USAGE, "--optimizer", "cg", "--l1", 1, self.folder / "none",
                              mentions=["--optimizer cg"])

    def test_an_empty_value_is_no_value(self):
        for option in ("--checkpoint", "--template", "--weights", "--constrain", "--cost",
                       "--transition-groups", "--objective", "--optimizer", "--prior", "--init",
                       "--variances", "--kernel", "--holdout", "--log", "--schedule", "--l2",
                       "--precision"):
            self.refused(option, "", mentions=[option])
        self.refuses_to_train(WRONG_USAGE, "", mentions=["DATA"])

    def test_help_names_every_objective_and_optimizer(self):
        text = self.run_ok("train", "--help=all")
        for name in ("pseudolikelihood", "arow", "sgd-lbfgs", "frank-wolfe", "voted-perceptron"):
            self.assertIn(f"\n  {name}", text)


if __name__ == "__main__":
    main()
