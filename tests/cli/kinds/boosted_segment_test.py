"""croft train --model boosted-segment, and what the other verbs make of it."""

import json
import random
import unittest

from support import BAD_INPUT, WRONG_USAGE, CliTest, croft


def durations(sequences, seed, noise=0.0):
    """Columns word, chunk: runs of one word with another between, X of 2, 3, 6 or 7 and Y of 1, 4 or 5 positions,
    which no sum over positions tells apart."""
    draw = random.Random(seed)
    lines = []
    for _ in range(sequences):
        for _ in range(draw.randint(1, 4)):
            length = draw.randint(1, 7)
            label = "X" if (length % 4 > 1) != (draw.random() < noise) else "Y"
            lines += [f"w {'B' if t == 0 else 'I'}-{label}" for t in range(length)]
            lines.append("o O")
        lines.append("")
    return "\n".join(lines) + "\n"


class BoostedSegmentTest(CliTest):
    def train(self, *options, data=None, name="m.croft", kind="boosted-segment"):
        path = self.folder / name
        data = self.file("train", durations(80, 1)) if data is None else data
        template = self.file("words", "U0:%x[0,0]\n")
        self.run_ok("train", "--model", kind, "-o", path, "--quiet", "--rounds", 40, "--template", template, *options,
                    data)
        return path

    def f1(self, model, data):
        return json.loads(self.run_ok("evaluate", "-m", model, "--json", data))["chunk"]["f1"]

    def fails(self, status, *needles, options):
        done = croft("train", "--model", "boosted-segment", "-o", self.folder / "m", *options)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, status, message)
        for needle in needles:
            self.assertIn(needle, message)

    def test_durations_are_learnt_that_positions_cannot_tell(self):
        test = self.file("test", durations(40, 2))
        self.assertGreater(self.f1(self.train(), test), 0.97)
        self.assertLess(self.f1(self.train(kind="boosted-chain"), test), 0.9)
        self.assertLess(self.f1(self.train("--segment-template", "none"), test), 0.9)

    def test_every_question_is_answered(self):
        model = self.train()
        text = "w\nw\nw\nw\nw\no\nw\n\no\n"
        out = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", "--k-best", 3, "--spans",
                          "-", stdin=text.encode())
        first = json.loads(out.splitlines()[0])
        self.assertEqual(first["labels"], ["B-Y"] + ["I-Y"] * 4 + ["O", "B-Y"])
        self.assertEqual(len(first["k_best"]), 3)
        for position in first["marginals"]:
            self.assertAlmostEqual(sum(position.values()), 1, places=5)
        kept = self.run_ok("predict", "-m", model, "--constrain", "bio", "-", stdin=text.encode())
        self.assertEqual(len(kept.split("\n\n")[0].splitlines()), 7)

    def test_inspect_shows_what_trees_ask_of_segments(self):
        template = self.file("t", "U1:%value[length]\nU2:%last[0,0]\n")
        model = self.train("--segment-template", template)
        text = self.run_ok("inspect", "-m", model, "--top", 3)
        self.assertIn("segment U1:", text)
        self.assertIn("of segments X", text)
        self.assertIn("segment U1: <= ", text)
        self.assertIn("  U2:%last[0,0]", text)
        found = json.loads(self.run_ok("inspect", "-m", model, "--top", 3, "--json"))
        self.assertEqual(found["kind"], "boosted-segment")
        top = [each for each in found["top"]["importance"] if each.get("of") == "segments"][0]
        self.assertEqual(top["attribute"], "U1:")
        self.assertGreater(top["gain"], 10)
        lines = self.run_ok("inspect", "-m", model, "--weights").splitlines()
        transitions = [line.split("\t") for line in lines if line.startswith("transition")]
        self.assertEqual({(i, j) for _, i, j, _ in transitions},
                         {(i, j) for i in "XYO" for j in "XYO"})
        self.assertTrue(any(line.startswith("test") and "\tsegment U1:\t" in line for line in lines))

    def test_lists_of_names_are_looked_into(self):
        draw = random.Random(3)
        names = [f"{a} {b}" for a in ("bad", "new", "old") for b in ("ham", "sulz", "york", "berg")]
        first, second = names[::2], names[1::2]

        def data(of, seed):
            draw.seed(seed)
            lines = []
            for _ in range(60):
                town = draw.random() < 0.6
                a, b = draw.choice(of).split() if town else (draw.choice(["bad", "new", "old"]), "thing")
                lines += ["the O", f"{a} {'B-T' if town else 'O'}", f"{b} {'I-T' if town else 'O'}", ""]
            return "\n".join(lines) + "\n"

        train, test = self.file("names", data(first, 1)), self.file("test", data(second, 2))
        towns = self.file("towns", "\n".join(names) + "\n")
        template = self.file("t", "U1:%gazetteer[fold]\n")
        common = ("--min-child-weight", 0.1)
        # Of the words of a new name one model sees the list's answer, the other nothing.
        with_list = self.f1(self.train("--segment-template", template, "--gazetteer", f"town={towns}", *common,
                                       data=train), test)
        without = self.f1(self.train(*common, data=train, name="plain"), test)
        self.assertGreaterEqual(with_list, without)
        self.assertGreater(with_list, 0.95)

    def test_a_hold_out_and_weights_and_partial_labels(self):
        lines = durations(60, 4).splitlines()
        partial = [line.rsplit(" ", 1)[0] + " ?" if line and k % 7 == 0 else line for k, line in enumerate(lines)]
        data = self.file("partial", "\n".join(partial) + "\n")
        log = self.folder / "log"
        model = self.train("--partial", "--max-length", 7, "--holdout", self.file("held", durations(20, 5)),
                           "--early-stop", 10, "--log", log, data=data)
        self.assertGreater(self.f1(model, self.file("test", durations(40, 6))), 0.9)
        rounds = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertIn("holdout_f1", rounds[0])
        self.assertGreater(rounds[-2]["holdout_f1"], rounds[0]["holdout_f1"])

    def test_the_same_model_for_any_number_of_threads(self):
        options = ("--row-share", 0.6, "--feature-share", 0.7)
        one = self.train("--threads", 1, *options, name="one").read_bytes()
        self.assertEqual(self.train("--threads", 3, *options, name="three").read_bytes(), one)

    def test_a_model_can_be_calibrated(self):
        model = self.train()
        calibrated = self.folder / "calibrated"
        self.run_ok("calibrate", "-m", model, "-o", calibrated, self.file("held", durations(30, 7, 0.2)))
        self.assertIn("boosted-segment", self.run_ok("inspect", "-m", calibrated))
        self.assertIn("w B-", self.run_ok("predict", "-m", calibrated, "-", stdin=b"w\nw\nw\nw\nw\n"))

    def test_what_makes_no_sense_is_refused(self):
        data = self.file("train", durations(10, 1))
        self.fails(WRONG_USAGE, "--pair-trees", options=("--pair-trees", data))
        self.fails(WRONG_USAGE, "U in the place of B",
                   options=("--segment-template", self.file("b", "B1:%length\n"), data))
        self.fails(WRONG_USAGE, "the line P", options=("--segment-template", self.file("p", "U:%length\nP\n"), data))
        self.fails(WRONG_USAGE, "--class-weights", options=("--class-weights", "balanced", data))
        self.fails(WRONG_USAGE, "--objective", options=("--objective", "perceptron", data))
        self.fails(WRONG_USAGE, "boosted-segment goes with", options=("--format", "text", data))
        self.fails(WRONG_USAGE, "would replace the input",
                   options=("--segment-template", self.file("t", "U:%length\n"), "--log", self.folder / "t", data))
        self.fails(BAD_INPUT, "nothing: cannot open", options=("--segment-template", self.folder / "nothing", data))
        self.fails(BAD_INPUT, "raise --max-length", options=("--max-length", 2, data))
        done = croft("train", "--model", "boosted-chain", "-o", self.folder / "m", "--max-length", 3, data)
        self.assertEqual(done.returncode, WRONG_USAGE)
        self.assertIn("--max-length", done.stderr.decode())

    def test_weights_are_not_to_be_had(self):
        model = self.train()
        done = croft("explain", "-m", model, self.folder / "train")
        self.assertEqual(done.returncode, WRONG_USAGE)
        self.assertIn("has trees", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
