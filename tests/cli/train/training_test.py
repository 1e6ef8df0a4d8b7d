"""What training options do: stopping, hold-out, warm start, feature sets, threads, the log."""

import json
import math
import random
import re

from support import INGREDIENTS, WRONG_USAGE, CliTest, croft, main, read_log

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"
TOKENS, LABELS = 3356, 6  # of train.txt

# Edge observations, a plain transition, and a word by several rows.
TEMPLATE = "U0:%x[-1,0]\nU1:%x[0,0]\nU2:%x[1,0]\nB\nB1:%x[0,0]\n"


def real_valued_data():
    """Attributes with values of both signs that say something about the label."""
    lines = []
    for n in range(400):
        for t in range(1 + n % 9):
            x, y = math.sin(7.0 * n + t), math.cos(3.0 * n * t)
            label = "ABC"[(x > 0) + (y > 0.3)]
            lines.append(f"{label}\tx:{x:.6f}\ty:{y:.6f}\tk={n % 13}\n")
        lines.append("\n")
    return "".join(lines)


class TrainingTest(CliTest):
    def train_logged(self, model, *arguments):
        """The iterations and the last line of the log."""
        log = self.folder / "log.jsonl"
        self.train(model, "--log", log, *arguments)
        return read_log(log)

    def weights(self, *arguments):
        """The number of weights that training reports."""
        done = croft("train", "-o", self.folder / "count.croft", "--max-iterations", 0, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(re.search(rb"(\d+) weights?", done.stderr).group(1))


class LongSequenceTest(TrainingTest):
    def test_one_sequence_of_tens_of_thousands_of_positions_is_trained_on(self):
        """As a genome has them, or a file that has lost its empty lines: what double precision makes of them."""
        rng = random.Random(1)
        rows = []
        for _ in range(25_000):
            word = rng.randrange(2000)
            rows.append(f"w{word} {'ABCD'[(word % 3 + (rng.random() < 0.2)) % 4]}\n")
        data = self.file("long.txt", "".join(rows))
        for kind in ["--order", "1"], ["--model", "segment"]:
            said = {}
            for precision in "auto", "double":
                done = croft("train", data, "-o", self.folder / "m.croft", *kind, "--precision", precision,
                             "--log", self.folder / "log.jsonl")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(b"1 sequence of 25000 positions: are empty lines missing?", done.stderr)
                said[precision] = read_log(self.folder / "log.jsonl")[1]["objective"]
            self.assertAlmostEqual(said["auto"] / said["double"], 1, 3)


class LogTest(TrainingTest):
    def test_each_line_is_a_json_object_with_the_promised_fields(self):
        iterations, end = self.train_logged("m.croft", TRAIN)
        self.assertEqual([x["iteration"] for x in iterations], list(range(len(iterations))))
        for line in iterations:
            self.assertEqual(line["event"], "iteration")
            for field in ("objective", "gradient_norm", "seconds"):
                self.assertTrue(math.isfinite(line[field]) and line[field] >= 0, field)
            self.assertIsInstance(line["active_features"], int)
        self.assertEqual(end["event"], "done")
        self.assertEqual(end["reason"], "converged_objective")
        self.assertEqual(end["objective"], iterations[-1]["objective"])
        seconds = [x["seconds"] for x in [*iterations, end]]
        self.assertEqual(seconds, sorted(seconds))
        objectives = [x["objective"] for x in iterations]
        self.assertEqual(objectives, sorted(objectives, reverse=True))

    def test_progress_is_plain_lines_without_a_terminal_and_nothing_when_quiet(self):
        model = self.folder / "m.croft"
        done = croft("train", "-o", model, TRAIN)
        self.assertEqual(done.stdout, b"")
        self.assertNotIn(b"\r", done.stderr)
        self.assertRegex(done.stderr, rb"(?m)^iteration 10  objective ")
        self.assertIn(b"default features for words", done.stderr)
        self.assertTrue(done.stderr.endswith(f"wrote {model}\n".encode()))
        self.assertEqual(croft("train", "--quiet", "-o", model, TRAIN).stderr, b"")


class StoppingTest(TrainingTest):
    def test_no_iterations_give_the_model_that_knows_nothing(self):
        iterations, end = self.train_logged("m.croft", "--max-iterations", 0, TRAIN)
        self.assertEqual(len(iterations), 1)
        self.assertAlmostEqual(iterations[0]["objective"], TOKENS * math.log(LABELS), places=6)
        self.assertEqual(end["reason"], "max_iterations")
        text = self.run_ok("predict", "-m", self.folder / "m.croft", "--to", "json",
                           "--marginals=all", TEST)
        for document in map(json.loads, text.splitlines()):
            for row in document["marginals"]:
                for probability in row.values():
                    self.assertAlmostEqual(probability, 1 / LABELS, places=6)

    def test_training_stops_after_max_iterations(self):
        iterations, end = self.train_logged("m.croft", "--max-iterations", 7, TRAIN)
        self.assertEqual(len(iterations), 8)
        self.assertEqual((end["reason"], end["iterations"]), ("max_iterations", 7))

    def test_a_tighter_tolerance_goes_on_longer_and_lower(self):
        loose = self.train_logged("m.croft", "--tolerance", 1e-2, TRAIN)[1]
        tight = self.train_logged("m.croft", "--tolerance", 1e-7, TRAIN)[1]
        self.assertLess(loose["iterations"], tight["iterations"])
        self.assertLess(tight["objective"], loose["objective"])

    def test_the_gradient_alone_can_decide(self):
        iterations, end = self.train_logged("m.croft", "--tolerance", 0, "--gradient-tolerance",
                                            0.1, TRAIN)
        self.assertEqual(end["reason"], "converged_gradient")
        self.assertLess(iterations[-1]["gradient_norm"], iterations[0]["gradient_norm"] / 100)


class RegulariserTest(TrainingTest):
    def test_l1_leaves_few_weights_and_a_smaller_model(self):
        end = self.train_logged("l1.croft", "--l1", 1, "--l2", 0, TRAIN)[1]
        self.train("l2.croft", TRAIN)
        self.assertLess(end["active_features"], self.weights(TRAIN) / 10)
        self.assertLess((self.folder / "l1.croft").stat().st_size,
                        (self.folder / "l2.croft").stat().st_size / 3)
        score = json.loads(self.run_ok("evaluate", "--json", "-m", self.folder / "l1.croft", TEST))
        self.assertGreater(score["tokens"]["accuracy"], 0.85)

    def test_more_penalty_is_a_worse_fit_and_a_better_penalty_term_is_not_free(self):
        ends = [self.train_logged("m.croft", "--l1", l1, "--l2", l2, TRAIN)[1]["objective"]
                for l1, l2 in ((0, 1), (0, 2), (0.5, 1), (1, 1))]
        self.assertLess(ends[0], ends[1])
        self.assertLess(ends[0], ends[2])
        self.assertLess(ends[2], ends[3])


class FeatureSetTest(TrainingTest):
    # Pairs of attribute and label: a-X 3 times, a-Y once, b-Y twice, c-Y once; transitions: X-X,
    # X-Y twice, Y-Y.
    DATA = "X\ta\nX\ta\nY\tb\n\nX\ta\nY\ta\tb\nY\tc\n"

    def count(self, *options):
        data = self.file("data.attributes", self.DATA)
        return self.weights("--format", "attributes", *options, data)

    def test_observed_features_are_the_pairs_that_occur(self):
        self.assertEqual(self.count(), 4 + 3)
        self.assertEqual(self.count("--features", "observed"), 4 + 3)

    def test_all_features_are_every_pair(self):
        self.assertEqual(self.count("--features", "all"), 3 * 2 + 2 * 2)

    def test_min_count_counts_pairs_where_features_are_observed(self):
        self.assertEqual(self.count("--min-count", 2), 2 + 1)
        self.assertEqual(self.count("--min-count", 3), 1)

    def test_min_count_counts_attributes_where_all_features_are_taken(self):
        self.assertEqual(self.count("--features", "all", "--min-count", 2), 2 * 2 + 2 * 2)
        self.assertEqual(self.count("--features", "all", "--min-count", 3), 1 * 2 + 2 * 2)

    def test_min_count_counts_occurrences_not_values(self):
        data = self.file("valued.attributes", "X\ta:100\nY\tb:0.001\n\nY\tb:0.001\n")
        self.assertEqual(self.weights("--format", "attributes", "--min-count", 2, data), 1)

    def test_all_is_the_default_with_a_template(self):
        template = self.file("t", TEMPLATE)
        default = self.weights("--template", template, TRAIN)
        self.assertEqual(default, self.weights("--template", template, "--features", "all", TRAIN))
        observed = self.weights("--template", template, "--features", "observed", TRAIN)
        self.assertLess(observed, default)
        self.assertEqual(default % LABELS, 0)

    def test_boundaries_add_features_of_the_ends(self):
        # START and STOP with the plain transition: first labels X, last ones Y.
        self.assertEqual(self.count("--boundaries"), self.count() + 2)
        self.assertEqual(self.count("--boundaries", "--features", "all"),
                         self.count("--features", "all") + 2 * 2)


class DeterminismTest(TrainingTest):
    def same_for_all_threads(self, *arguments):
        expected = self.train("1.croft", "--threads", 1, *arguments).read_bytes()
        for threads in (2, 3, 7):
            model = self.train(f"{threads}.croft", "--threads", threads, *arguments)
            self.assertTrue(model.read_bytes() == expected, (threads, arguments))

    def test_default_features(self):
        self.same_for_all_threads("--max-iterations", 25, TRAIN)

    def test_double_precision(self):
        self.same_for_all_threads("--max-iterations", 10, "--precision", "double", TRAIN)

    def test_l1(self):
        self.same_for_all_threads("--max-iterations", 25, "--l1", 0.5, "--l2", 0.1, TRAIN)

    def test_a_template_with_edge_observations(self):
        self.same_for_all_threads("--max-iterations", 10, "--template", self.file("t", TEMPLATE),
                                  TRAIN)

    def test_boundaries_with_edge_observations(self):
        self.same_for_all_threads("--max-iterations", 10, "--boundaries", "--features", "observed",
                                  "--template", self.file("t", TEMPLATE), TRAIN)

    def test_real_values(self):
        data = self.file("real.attributes", real_valued_data())
        self.same_for_all_threads("--max-iterations", 25, "--format", "attributes", data)

    def test_a_fraction_held_out(self):
        self.same_for_all_threads("--holdout", 0.2, "--early-stop", 4, "--seed", 5, TRAIN)

    def test_another_seed_holds_out_other_sequences(self):
        models = [self.train(f"{seed}.croft", "--holdout", 0.2, "--max-iterations", 3, "--seed",
                             seed, TRAIN).read_bytes() for seed in (1, 1, 2)]
        self.assertEqual(models[0], models[1])
        self.assertNotEqual(models[0], models[2])


class WarmStartTest(TrainingTest):
    def labels(self, model, words):
        """The labels that the model knows."""
        text = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all",
                           stdin=words.encode())
        return set(json.loads(text.splitlines()[0])["marginals"][0])

    def test_the_same_data_goes_on_where_it_stopped(self):
        for options in ((), ("--l1", 0.5), ("--boundaries",)):
            with self.subTest(options=options):
                end = self.train_logged("a.croft", *options, TRAIN)[1]
                iterations, last = self.train_logged("b.croft", "--init",
                                                     self.folder / "a.croft", *options, TRAIN)
                self.assertAlmostEqual(iterations[0]["objective"] / end["objective"], 1, delta=1e-5)
                self.assertLess(last["iterations"], end["iterations"] / 2)
                self.assertLessEqual(last["objective"], iterations[0]["objective"])

    def test_new_labels_and_features_join_the_old_ones(self):
        old = self.train("old.croft", self.file("old.txt", "red COLOUR\nthree NUMBER\n" * 5))
        new_data = self.file("new.txt", "three NUMBER\ncats ANIMAL\n\ncats ANIMAL\n" * 5)
        self.assertEqual(self.labels(old, "red\n"), {"COLOUR", "NUMBER"})
        start = self.train("start.croft", "--init", old, "--max-iterations", 0, new_data)
        self.assertEqual(self.labels(start, "red\n"), {"COLOUR", "NUMBER", "ANIMAL"})
        self.assertEqual(self.run_ok("predict", "-m", start, stdin=b"red\n"), "red COLOUR\n\n")
        new = self.train("new.croft", "--init", old, new_data)
        self.assertEqual(self.labels(new, "red\n"), {"COLOUR", "NUMBER", "ANIMAL"})
        self.assertEqual(self.run_ok("predict", "-m", new, stdin=b"cats\n"), "cats ANIMAL\n\n")

    def test_before_the_first_iteration_it_is_the_old_model(self):
        for options in ((), ("--template", self.file("t", TEMPLATE)), ("--boundaries",)):
            with self.subTest(options=options):
                old = self.train("old.croft", *options, "--max-iterations", 10, TRAIN)
                other = self.file("other.txt", "unseen NAME\nwords PREP\n")
                new = self.train("new.croft", *options, "--init", old, "--max-iterations", 0, other)
                marginals = [self.run_ok("predict", "-m", m, "--marginals=all", TEST)
                             for m in (old, new)]
                self.assertEqual(*marginals)

    def test_the_template_of_the_old_model_is_used_when_none_is_given(self):
        options = ("--template", self.file("t", TEMPLATE), "--features", "observed")
        old = self.train("old.croft", *options, "--max-iterations", 10, TRAIN)
        given = self.train("a.croft", *options, "--init", old, "--max-iterations", 2, TRAIN)
        inherited = self.train("b.croft", "--features", "observed", "--init", old,
                               "--max-iterations", 2, TRAIN)
        marginals = [self.run_ok("predict", "-m", m, "--marginals", TEST) for m in (given, inherited)]
        self.assertEqual(*marginals)


class HoldoutTest(TrainingTest):
    def accuracy(self, model):
        score = json.loads(self.run_ok("evaluate", "--json", "-m", model, TEST))
        return score["tokens"]["accuracy"]

    def test_a_file_is_scored_at_every_iteration_as_evaluate_scores_it(self):
        iterations, _ = self.train_logged("m.croft", "--holdout", TEST, "--max-iterations", 12,
                                          TRAIN)
        for line in iterations:
            self.assertIn("holdout_accuracy", line)
        self.assertAlmostEqual(iterations[-1]["holdout_accuracy"],
                               self.accuracy(self.folder / "m.croft"), places=12)

    def test_a_file_held_out_does_not_change_the_model_without_early_stop(self):
        iterations, _ = self.train_logged("a.croft", "--holdout", TEST, "--max-iterations", 5,
                                          TRAIN)
        plain, _ = self.train_logged("b.croft", "--max-iterations", 5, TRAIN)
        self.assertEqual([x["objective"] for x in iterations], [x["objective"] for x in plain])

    def test_early_stop_keeps_the_best_weights(self):
        iterations, end = self.train_logged("m.croft", "--holdout", TEST, "--early-stop", 4, TRAIN)
        scores = [x["holdout_accuracy"] for x in iterations]
        best = scores.index(max(scores))
        self.assertEqual(end["reason"], "stopped")
        self.assertEqual(end["kept_iteration"], best)
        self.assertEqual(end["iterations"], best + 4)
        self.assertAlmostEqual(self.accuracy(self.folder / "m.croft"), max(scores), places=12)

    def test_em_and_joint_features_stop_early_too(self):
        template = self.file("joint.template", "u1:%x[0,0] * %y\nu2:%x[-1,0] * %y\n")
        partial = self.file("partial.txt", "\n".join(
            re.sub(r"\S+$", "?", line) if n % 4 else line
            for n, line in enumerate(TRAIN.read_text("utf-8").splitlines())) + "\n")
        for data, options in ((TRAIN, ["--model", "maxent", "--joint-template", template, "--l2", 0.001]),
                              (partial, ["--model", "hmm", "--partial", "--tolerance", 0]),
                              (partial, ["--model", "naive-bayes", "--partial", "--tolerance", 0])):
            with self.subTest(options):
                iterations, end = self.train_logged("m.croft", *options, "--holdout", TEST, "--early-stop", 3, data)
                scores = [x["holdout_accuracy"] for x in iterations]
                best = iterations[scores.index(max(scores))]["iteration"]
                self.assertEqual(end["kept_iteration"], best)
                self.assertEqual(end["iterations"], best + 3)
                self.assertAlmostEqual(self.accuracy(self.folder / "m.croft"), max(scores), places=12)
                self.refuses_to_train(WRONG_USAGE, *options, "--early-stop", 3, data, mentions=["--holdout"])

    def test_a_fraction_is_set_aside(self):
        done = croft("train", "-o", self.folder / "m.croft", "--holdout", 0.25, "--max-iterations",
                     2, TRAIN)
        used, held_out = map(int, re.search(rb"(\d+) sequences.*; (\d+) held out",
                                            done.stderr).groups())
        self.assertEqual(used + held_out, 573)
        self.assertTrue(0.15 < held_out / 573 < 0.35, held_out)

    def test_chunk_labels_are_scored_by_chunk_f1(self):
        chunks = self.file("chunks.txt", re.sub(r"(?m) (QTY|UNIT|NAME|PREP|COMMENT|OTHER)$",
                                                r" B-\1", TRAIN.read_text("utf-8")))
        iterations, _ = self.train_logged("m.croft", "--holdout", chunks, "--max-iterations", 5,
                                          chunks)
        score = json.loads(self.run_ok("evaluate", "--json", "-m", self.folder / "m.croft", chunks))
        self.assertAlmostEqual(iterations[-1]["holdout_f1"], score["chunk"]["f1"], places=12)


if __name__ == "__main__":
    main()
