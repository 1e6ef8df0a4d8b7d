"""croft train --induce, --unsupported and --select: features that change as training goes on."""

import json
import random
import signal
import subprocess
import unittest

from support import CROFT, INTERRUPTED, WRONG_USAGE, CliTest, croft, read_log


def exclusive_or(count=300, seed=1):
    draw = random.Random(seed)
    lines = []
    for _ in range(count):
        a, b = draw.random() < 0.5, draw.random() < 0.5
        label = "odd" if (a != b) != (draw.random() < 0.05) else "even"
        lines.append(f"{label}\ta={int(a)}\tb={int(b)}\tc={draw.randrange(3)}\n\n")
    return "".join(lines)


class FeatureRoundsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("train.attributes", exclusive_or())
        self.model = self.folder / "m.croft"

    def train(self, *arguments, model=None):
        return self.run_ok("train", "-o", model or self.model, "--quiet", "--format", "attributes",
                           "--model", "maxent", *arguments, self.data)

    def accuracy(self, model=None):
        report = self.run_ok("evaluate", "-m", model or self.model, "--json", self.data)
        return json.loads(report)["tokens"]["accuracy"]

    def test_induction_finds_exclusive_or_and_predict_computes_it(self):
        self.train()
        self.assertLess(self.accuracy(), 0.65)
        log = self.folder / "log"
        self.train("--induce", "--log", log)
        self.assertGreater(self.accuracy(), 0.9)
        shown = json.loads(self.run_ok("inspect", "-m", self.model, "--json"))
        self.assertIn(["a=0", "b=1"], shown["extraction"]["conjunctions"])
        text = self.run_ok("inspect", "-m", self.model)
        self.assertIn("a=0 & b=1", text)
        self.assertIn("a=1 & b=1", self.run_ok("inspect", "-m", self.model, "--weights"))
        lines, done = read_log(log)
        rounds = [line for line in lines if line["event"] == "features"]
        self.assertEqual(rounds[0]["what"], "induction")
        self.assertGreater(rounds[0]["best_gain"], 10)
        self.assertGreater(rounds[0]["errors"], rounds[-1]["errors"])
        self.assertEqual(rounds[-1]["added"], 0)
        numbers = [line["iteration"] for line in lines if line["event"] == "iteration"]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(done["iterations"], numbers[-1])

    def test_columns_with_default_features_are_induced_too(self):
        draw = random.Random(2)
        rows = []
        for _ in range(300):
            a, b = draw.choice("xy"), draw.choice("uv")
            rows.append(f"{a} O\n{b} {'T' if (a == 'x') != (b == 'u') else 'F'}\n")
        data = self.file("train.conll", "\n".join(rows))
        self.run_ok("train", "-o", self.model, "--quiet", "--induce", "--model", "maxent", data)
        report = json.loads(self.run_ok("evaluate", "-m", self.model, "--json", data))
        self.assertEqual(report["tokens"]["accuracy"], 1)
        self.run_ok("explain", "-m", self.model, data)

    def test_an_induced_model_can_be_trained_on(self):
        self.train("--induce")
        again = self.folder / "again.croft"
        self.train("--init", self.model, model=again)
        self.assertGreater(self.accuracy(again), 0.9)

    def test_threads_do_not_change_the_model(self):
        self.train("--induce", "--induce-size", "3", "--induce-gain", "0.1")
        other = self.folder / "other.croft"
        self.train("--induce", "--induce-size", "3", "--induce-gain", "0.1", "--threads", "3",
                   model=other)
        self.assertEqual(self.model.read_bytes(), other.read_bytes())

    def test_selection_and_unsupported_features_are_in_the_training_record(self):
        self.train("--select", "l1:2")
        record = json.loads(self.run_ok("inspect", "-m", self.model, "--json"))["training"]
        self.assertEqual(record["rounds"]["kind"], "selection")
        self.assertGreater(record["rounds"]["dropped"], 0)
        self.assertEqual(record["l1"], 0)
        self.train("--unsupported", "0.01")
        record = json.loads(self.run_ok("inspect", "-m", self.model, "--json"))["training"]
        self.assertEqual(record["rounds"]["kind"], "unsupported")

    def test_features_of_two_labels_are_found_and_predicted_with(self):
        draw = random.Random(3)
        blocks = []
        for _ in range(250):
            on, rows = draw.random() < 0.5, []
            for t in range(6):
                flip = draw.random() < 0.3
                on = not on if t and flip != (draw.random() < 0.02) else on
                word = ("up" if on else "down") if t == 0 else "flip" if flip else "stay"
                rows.append(f"{word}\t{'ON' if on else 'OFF'}\n")
            blocks.append("".join(rows))
        data = self.file("flips.conll", "\n".join(blocks))
        template = self.file("template", "U:%x[0,0]\nB\n")
        found = {}
        for name, more in [("without", []), ("with", ["--induce-pairs"])]:
            model = self.folder / f"{name}.croft"
            self.run_ok("train", "-o", model, "--quiet", "--template", template, "--induce", *more,
                        data)
            report = json.loads(self.run_ok("evaluate", "-m", model, "--json", data))
            found[name] = report["tokens"]["accuracy"]
        self.assertLess(found["without"], 0.85)
        self.assertGreater(found["with"], 0.9)
        self.assertIn("U:flip, with two labels", self.run_ok("inspect", "-m", model))
        shown = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        self.assertIn(["U:flip"], shown["extraction"]["pair_conjunctions"])
        self.assertTrue(shown["training"]["rounds"]["pairs"])
        self.assertIn("U:flip", self.run_ok("inspect", "-m", model, "--weights"))
        self.run_ok("inspect", "-m", model, "--verify")
        self.run_ok("explain", "-m", model, data)
        again = self.folder / "again.croft"
        self.run_ok("train", "-o", again, "--quiet", "--init", model, "--holdout", "0.1",
                    "--induce", "--induce-pairs", data)
        report = json.loads(self.run_ok("evaluate", "-m", again, "--json", data))
        self.assertGreater(report["tokens"]["accuracy"], 0.9)

    def test_ctrl_c_keeps_the_model_of_the_features_so_far(self):
        data = self.file("large.attributes", exclusive_or(20000))
        process = subprocess.Popen(
            [CROFT, "train", "-o", str(self.model), "--format", "attributes", "--induce",
             "--induce-size", "3", "--induce-batch", "1", "--induce-gain", "0",
             "--induce-count", "1", "--induce-rounds", "10000", str(data)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in process.stderr:
            if line.startswith(b"induction, round 3"):
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.run_ok("evaluate", "-m", self.model, self.data)

    def test_wrong_pairs_are_refused(self):
        cases = [
            (["--induce", "--select", "l1:1"], b"take one"),
            (["--induce", "--optimizer", "sgd"], b"--optimizer"),
            (["--induce", "--l2", "0"], b"--l2"),
            (["--induce", "--checkpoint", "state"], b"--checkpoint"),
            (["--induce-size", "3"], b"--induce"),
            (["--induce-pairs"], b"--induce"),
            (["--induce", "--induce-pairs", "--model", "maxent"], b"--induce-pairs has no meaning for --model maxent"),
            (["--induce", "--induce-size", "4"], b"whole number"),
            (["--induce", "--objective", "max-margin"], b"likelihood"),
            (["--unsupported", "2"], b"probability"),
            (["--unsupported", "0.1", "--features", "all"], b"--features observed"),
            (["--unsupported-after", "3"], b"--unsupported"),
            (["--select", "l2:1"], b"l1:NUMBER"),
            (["--select", "l1:0"], b"above 0"),
            (["--select", "l1:1", "--l1", "1"], b"--l1"),
            (["--select", "l1:1e9"], b"no feature"),
            (["--induce", "--model", "hmm"], b"no meaning"),
            (["--induce", "--partial"], None),
        ]
        for arguments, message in cases:
            with self.subTest(arguments=arguments):
                done = croft("train", "-o", self.model, "--quiet", "--format", "attributes",
                             *arguments, self.data)
                if message is None:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    continue
                self.assertEqual(done.returncode, WRONG_USAGE, done.stderr)
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
