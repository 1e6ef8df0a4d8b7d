"""croft train --model boosted-chain and boosted-maxent, and what the other verbs make of them."""

import json
import random
import signal
import subprocess
import time
import unittest

from support import BAD_INPUT, CROFT, DATA, INTERRUPTED, WRONG_USAGE, CliTest, croft, read_log


def chunks(sequences, seed):
    """Columns word, tag, chunk: the chunk follows from word and tag together, and from the one before."""
    draw = random.Random(seed)
    lines = []
    for _ in range(sequences):
        before = "O"
        for _ in range(draw.randint(2, 8)):
            word, tag = draw.choice("abcdef"), draw.choice("NVD")
            inside = (word in "abc") == (tag == "N")
            label = ("I-X" if before != "O" else "B-X") if inside else "O"
            if draw.random() < 0.05:
                label = "O"
            lines.append(f"{word} {tag} {label}")
            before = label
        lines.append("")
    return "\n".join(lines) + "\n"


def table(rows, seed, missing=0.2):
    """A table with numbers, some of them missing, and a label that follows from two of them."""
    draw = random.Random(seed)
    lines = ["size,colour,noise,label"]
    for _ in range(rows):
        size, colour = draw.uniform(0, 10), draw.choice(["red", "blue", "green"])
        label = "yes" if (size > 4) != (colour == "red") else "no"
        cell = "" if draw.random() < missing else f"{size:.3f}"
        lines.append(f"{cell},{colour},{draw.random():.3f},{label}")
    return "\n".join(lines) + "\n"


class BoostedTest(CliTest):
    def train(self, *options, data=None, name="m.croft", kind="boosted-chain"):
        path = self.folder / name
        data = self.file("train", chunks(120, 1)) if data is None else data
        rounds = () if "--rounds" in options else ("--rounds", 15)
        self.run_ok("train", "--model", kind, "-o", path, "--quiet", *rounds, *options, data)
        return path

    def accuracy(self, model, data):
        return json.loads(self.run_ok("evaluate", "-m", model, "--json", data))["tokens"]["accuracy"]

    def assert_fails(self, status, *needles, arguments):
        done = croft(*arguments)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, status, message)
        for needle in needles:
            self.assertIn(needle, message)

    # What it learns, and what is asked of it.

    def test_conjunctions_are_learnt_that_single_attributes_cannot_say(self):
        template = self.file("t", "U0:%x[0,0]\nU1:%x[0,1]\nB\n")
        test = self.file("test", chunks(60, 2))
        boosted = self.accuracy(self.train("--template", template), test)
        plain = self.folder / "plain.croft"
        self.run_ok("train", "-o", plain, "--quiet", "--template", template, self.folder / "train")
        self.assertGreater(boosted, 0.85)
        self.assertGreater(boosted, self.accuracy(plain, test) + 0.1)

    def test_every_question_is_answered(self):
        model = self.train()
        text = "a N\nb V\nc N\n\nd V\n"
        out = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", "--k-best", 3,
                          "--spans", "--constrain", "bio", "-", stdin=text.encode())
        first = json.loads(out.splitlines()[0])
        self.assertEqual(len(first["labels"]), 3)
        self.assertEqual(len(first["k_best"]), 3)
        for position in first["marginals"]:
            self.assertAlmostEqual(sum(position.values()), 1, places=4)
        self.assertIn("spans", first)

    def test_pair_trees_can_be_had(self):
        model = self.train("--pair-trees", "--depth", 3)
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        self.assertTrue(summary["pair_trees"])
        self.assertGreater(self.accuracy(model, self.folder / "train"), 0.9)

    def test_partial_labels_and_weights_are_learnt_from(self):
        text = chunks(60, 3).replace("B-X", "?", 3)
        weights = self.file("w", "1\n" * 59 + "2\n")
        model = self.train("--partial", "--weights", weights, data=self.file("partial", text))
        self.assertGreater(self.accuracy(model, self.file("test", chunks(30, 4))), 0.85)

    def test_calibration_goes_with_it(self):
        model, out = self.train(), self.folder / "c.croft"
        self.run_ok("calibrate", "-m", model, "-o", out, "--method", "temperature",
                    self.file("more", chunks(60, 20)))
        self.run_ok("evaluate", "-m", out, self.folder / "train")

    # Single labels.

    def test_tables_with_missing_numbers(self):
        model = self.train("--format", "csv", data=self.file("train.csv", table(600, 5)),
                           kind="boosted-maxent")
        found = json.loads(self.run_ok("evaluate", "-m", model, "--json",
                                       self.file("test.csv", table(300, 6, missing=0))))
        self.assertGreater(found["tokens"]["accuracy"], 0.97)

    def test_texts_and_attributes_and_svmlight(self):
        text = "".join(f"{'x' if k % 2 else 'y'}\t{'good' if k % 2 else 'bad'} word{k % 7}\n" for k in range(80))
        self.train("--format", "text", data=self.file("text", text), kind="boosted-maxent")
        rows = "".join(f"{k % 2}\tf{k % 2}\tv:{k % 5}\n" for k in range(80))
        self.train("--format", "attributes", data=self.file("attributes", rows), kind="boosted-maxent")
        rows = "".join(f"{k % 2} 1:{k % 2} 3:{k % 5}\n" for k in range(80))
        self.train("--format", "svmlight", data=self.file("svm", rows), kind="boosted-maxent")

    def test_class_weights_move_the_decision(self):
        text = "".join(f"{'x' if k % 10 == 0 else 'y'}\ta\n" for k in range(100))
        path = self.file("attributes", text)
        heavy = self.file("w", "x\t50\n")
        for options, expected in (((), "y"), (("--class-weights", heavy), "x")):
            model = self.train("--format", "attributes", *options, data=path, kind="boosted-maxent")
            out = self.run_ok("predict", "-m", model, "--to", "labels", "-", stdin=b"\ta\n")
            self.assertEqual(out.split(), [expected], options)

    # The course of the training.

    def test_log_and_holdout_and_early_stop(self):
        log = self.folder / "log"
        self.train("--holdout", "0.3", "--early-stop", 5, "--rounds", 60, "--log", log)
        rounds, done = read_log(log)
        self.assertEqual([each["iteration"] for each in rounds], list(range(len(rounds))))
        objectives = [each["objective"] for each in rounds]
        self.assertEqual(objectives, sorted(objectives, reverse=True))
        self.assertIn("holdout_f1", rounds[0])
        best = max(each["holdout_f1"] for each in rounds)
        self.assertEqual(rounds[done["iterations"]]["holdout_f1"], best)
        self.assertEqual(done["reason"], "early_stop")

    def test_a_small_gain_can_end_it(self):
        log = self.folder / "log"
        self.train("--tolerance", "0.05", "--rounds", 300, "--log", log)
        rounds, done = read_log(log)
        self.assertEqual(done["reason"], "converged")
        self.assertLess(len(rounds), 100)

    def test_threads_do_not_change_a_byte_and_seeds_do(self):
        one = self.train("--row-share", "0.6", "--feature-share", "0.5", name="1").read_bytes()
        two = self.train("--row-share", "0.6", "--feature-share", "0.5", "--threads", 2, name="2").read_bytes()
        self.assertEqual(one, two)
        other = self.train("--row-share", "0.6", "--feature-share", "0.5", "--seed", 7, name="3").read_bytes()
        self.assertNotEqual(one, other)

    def test_an_interruption_keeps_the_rounds_so_far_and_a_checkpoint_goes_on(self):
        data, state = self.file("train", chunks(1500, 8)), self.folder / "state"
        common = ("train", "--model", "boosted-chain", "--rounds", 60, "--checkpoint", state,
                  "--checkpoint-interval", 0, data)
        whole = self.folder / "whole.croft"
        self.run_ok("train", "--model", "boosted-chain", "--rounds", 60, "--quiet", "-o", whole, data)
        out, log = self.folder / "m.croft", self.folder / "log"
        process = subprocess.Popen([CROFT, *map(str, common), "-o", out, "--log", log],
                                   stderr=subprocess.DEVNULL)
        while not log.exists() or log.read_text().count("iteration") < 8:
            self.assertIsNone(process.poll(), "the training has ended before it was interrupted")
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), INTERRUPTED)
        rounds = json.loads(self.run_ok("inspect", "-m", out, "--json"))["rounds"]
        self.assertGreater(rounds, 1)
        self.assertLess(rounds, 60)
        self.run_ok(*common, "--resume", "--quiet", "-o", out)
        self.assertEqual(out.read_bytes(), whole.read_bytes())

    # Looking into it.

    def test_inspect_shows_importance_and_trees(self):
        template = self.file("t", "U0:%x[0,0]\nU1:%x[0,1]\n")
        model = self.train("--template", template)
        text = self.run_ok("inspect", "-m", model, "--top", 3)
        self.assertIn("tree 0 of ", text)
        self.assertIn("without U1:N?", text)
        top = json.loads(self.run_ok("inspect", "-m", model, "--top", 3, "--json"))["top"]
        self.assertEqual(len(top["importance"]), 3)
        gains = [each["gain"] for each in top["importance"]]
        self.assertEqual(gains, sorted(gains, reverse=True))
        self.assertTrue(top["transitions"]["largest"])

    def test_the_dump_scores_as_the_model_does(self):
        """Trees of --weights, walked by hand, give the marginals of predict."""
        model = self.train("--format", "csv", "--rounds", 4, data=self.file("train.csv", table(300, 9)),
                           kind="boosted-maxent")
        base, trees = {}, {}
        for line in self.run_ok("inspect", "-m", model, "--weights").splitlines():
            kind, *cells = line.split("\t")
            if kind == "base":
                base[cells[0]] = float(cells[1])
            elif kind == "test":
                trees.setdefault(cells[0], {})[int(cells[2])] = cells[3:]
            elif kind == "leaf":
                trees.setdefault(cells[0], {})[int(cells[2])] = [float(v) for v in cells[3:]]
        import math
        for row in ({"size": 3.0, "colour=red": 1}, {"colour=blue": 1, "noise": 0.5}):
            score = dict(base)
            for tree in trees.values():
                at = 0 if 0 in tree else -1
                while at >= 0:
                    name, threshold, absent, left, right = tree[at][:5]
                    goes_left = row[name] <= float(threshold) if name in row else absent == "left"
                    at = int(left if goes_left else right)
                for label, value in zip(base, tree[at]):
                    score[label] += value
            z = sum(map(math.exp, score.values()))
            cells = (str(row.get("size", "")), "red" if "colour=red" in row else "blue", str(row.get("noise", "")))
            out = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", "-",
                              stdin=("size,colour,noise\n" + ",".join(cells) + "\n").encode())
            for label, p in json.loads(out)["marginals"][0].items():
                self.assertAlmostEqual(p, math.exp(score[label]) / z, places=5)

    def test_what_needs_weights_says_that_there_are_none(self):
        model = self.train()
        self.assert_fails(WRONG_USAGE, "trees", arguments=("explain", "-m", model, self.folder / "train"))

    # Wrong options.

    def test_options_of_other_kinds_are_refused(self):
        data = self.file("train", chunks(10, 1))
        for option in (("--l1", "1"), ("--optimizer", "sgd"), ("--features", "all"), ("--min-count", "2"),
                       ("--order", "2"), ("--constrain", "bio"), ("--objective", "piecewise"),
                       ("--init", data), ("--max-iterations", "5"), ("--em-iterations", "3")):
            self.assert_fails(WRONG_USAGE, option[0], "boosted-chain",
                              arguments=("train", "--model", "boosted-chain", "-o", self.folder / "m", *option, data))
        for option in (("--rounds", "5"), ("--shrinkage", "0.1"), ("--depth", "3"), ("--leaves", "3"),
                       ("--min-child-weight", "1"), ("--min-child-count", "2"), ("--min-gain", "1"),
                       ("--row-share", "0.5"), ("--feature-share", "0.5"), ("--trim", "0.1"),
                       ("--bins", "9"), ("--trees", "label"), ("--pair-trees",)):
            self.assert_fails(WRONG_USAGE, option[0], "chain",
                              arguments=("train", "-o", self.folder / "m", *option, data))

    def test_values_out_of_range_are_refused(self):
        data = self.file("train", chunks(10, 1))
        for option in (("--shrinkage", "0"), ("--shrinkage", "1.5"), ("--shrinkage", "-1"), ("--leaves", "0"),
                       ("--leaves", "5000"), ("--min-child-weight", "-1"), ("--min-child-count", "0"),
                       ("--min-gain", "-1"), ("--row-share", "0"), ("--row-share", "1.1"),
                       ("--feature-share", "0"), ("--trim", "1"), ("--bins", "1"), ("--bins", "300"),
                       ("--trees", "both"), ("--rounds", "-1"), ("--depth", "x"), ("--l2", "-1"),
                       ("--tolerance", "-1")):
            self.assert_fails(WRONG_USAGE, option[0],
                              arguments=("train", "--model", "boosted-chain", "-o", self.folder / "m", *option, data))

    def test_pairs_that_make_no_sense_are_refused(self):
        data = self.file("train", chunks(10, 1))
        common = ("-o", self.folder / "m", data)
        self.assert_fails(WRONG_USAGE, "--pair-trees",
                          arguments=("train", "--model", "boosted-maxent", "--pair-trees", *common))
        self.assert_fails(WRONG_USAGE, "--early-stop needs --holdout",
                          arguments=("train", "--model", "boosted-chain", "--early-stop", "3", *common))
        self.assert_fails(WRONG_USAGE, "--class-weights",
                          arguments=("train", "--model", "boosted-chain", "--class-weights", "balanced", *common))
        self.assert_fails(WRONG_USAGE, "--resume",
                          arguments=("train", "--model", "boosted-chain", "--resume", *common))
        template = self.file("t", "U0:%x[0,0]\nB1:%x[0,1]\n")
        self.assert_fails(WRONG_USAGE, "pairs of labels",
                          arguments=("train", "--model", "boosted-chain", "--template", template, *common))
        self.assert_fails(WRONG_USAGE, "pairs of labels",
                          arguments=("train", "--model", "boosted-maxent", "--template", template, *common))

    def test_a_damaged_file_is_refused(self):
        model = self.train()
        bytes_ = bytearray(model.read_bytes())
        broken = self.file("broken.croft", bytes(bytes_[:-200]))
        self.assert_fails(BAD_INPUT, "broken.croft", arguments=("predict", "-m", broken, self.folder / "train"))


class Conll2000Test(CliTest):
    @unittest.skipUnless((DATA / "conll2000").is_dir(), "CROFT_DATA names the folder of the data")
    def test_a_few_rounds_find_most_chunks(self):
        model, folder = self.folder / "m.croft", DATA / "conll2000"
        self.run_ok("train", "--model", "boosted-chain", "-o", model, "--quiet", "--rounds", 5,
                    "--threads", 2, folder / "train.txt")
        found = json.loads(self.run_ok("evaluate", "-m", model, "--json", folder / "test.txt"))
        self.assertGreater(found["chunk"]["f1"], 0.90)


if __name__ == "__main__":
    unittest.main()
