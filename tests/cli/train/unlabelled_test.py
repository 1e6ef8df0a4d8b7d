#!/usr/bin/env python3
"""croft train --unlabelled: entropy, expectations, bounds, self-training and co-training."""

import json
import random
import unittest

from support import BAD_INPUT, CliTest, WRONG_USAGE, croft, sequences_of


def pairs(count, seed, labelled=True):
    """Attribute lines of one label, of whose two words either says what it is, but for one in forty."""
    draw = random.Random(seed)
    lines = []
    for _ in range(count):
        label = draw.choice("AB")
        words = [label if draw.random() < 0.95 else draw.choice("AB") for _ in range(2)]
        first, second = (f"{place}={word.lower()}{draw.randrange(12)}" for place, word in zip(("one", "two"), words))
        lines.append(f"{label if labelled else ''}\t{first}\t{second}\n\n")
    return "".join(lines)


def chains(count, seed):
    draw = random.Random(seed)
    blocks = []
    for _ in range(count):
        label, rows = draw.choice("AB"), []
        for _ in range(draw.randint(3, 7)):
            label = label if draw.random() < 0.8 else "AB"["BA".index(label)]
            word = label.lower() if draw.random() < 0.8 else "ab"[draw.randrange(2)]
            rows.append(f"{word}{draw.randrange(9)} {label}")
        blocks.append("\n".join(rows) + "\n")
    return "\n".join(blocks) + "\n"


def chunks(count, seed):
    """Sentences of noun phrases and verbs, of words that their places tell."""
    draw = random.Random(seed)
    blocks = []
    for _ in range(count):
        rows = []
        for _ in range(draw.randint(1, 3)):
            rows += ["the B-N"] if draw.random() < 0.8 else [f"{draw.choice('xyz')} B-N"]
            rows += [f"{draw.choice('klmnopq')} I-N" for _ in range(draw.randint(1, 2))]
            rows += [f"{draw.choice('abcdefg')} O"]
        blocks.append("\n".join(rows) + "\n")
    return "\n".join(blocks) + "\n"


class Unlabelled(CliTest):
    def train(self, *options, data, name="m", quiet=True):
        model = self.folder / name
        self.run_ok("train", *(["--quiet"] if quiet else []), *options, "-o", model, data)
        return model

    def evaluated(self, model, test):
        return json.loads(self.run_ok("evaluate", "-m", model, "--json", "--chunks", "none", test))

    def record(self, model):
        return json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]["unlabelled"]

    def shares(self, model, attribute, data):
        """How often the model expects each label where an attribute is; None: at all positions."""
        lines = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", data).splitlines()
        with open(data, encoding="utf-8") as file:
            sequences = sequences_of(file.read())
        sums, count = {}, 0
        for line, rows in zip(lines, sequences):
            for row, position in zip(rows, json.loads(line)["marginals"]):
                if attribute is None or attribute in row.split("\t"):
                    count += 1
                    for label, p in position.items():
                        sums[label] = sums.get(label, 0) + p
        return {label: total / count for label, total in sums.items()}

    def maxent(self, *options, **more):
        return self.train("--model", "maxent", "--format", "attributes", "--features", "all", *options, **more)

    def test_entropy_makes_a_model_surer_of_what_has_no_labels(self):
        data, more = self.file("data", chains(10, 1)), self.file("more", chains(60, 2))
        plain = self.train("--features", "all", data=data)
        surer = self.train("--features", "all", "--unlabelled", more, "--entropy", "1", data=data, name="s")

        def sureness(model):
            lines = self.run_ok("predict", "-m", model, "--to", "json", "--marginals", more).splitlines()
            return [p for line in lines for p in json.loads(line)["marginals"]]
        self.assertGreater(sum(sureness(surer)), sum(sureness(plain)))
        self.assertEqual(self.record(surer), {"sequences": 60, "entropy": 1.0})

    def test_expectations_are_met_where_they_weigh_much(self):
        data, more = self.file("data", pairs(20, 1)), self.file("more", pairs(300, 2, labelled=False))
        expectations = self.file("e", "one=a3 A=0.8\ntwo=b5 A=0.25 B=0.75\n")
        model = self.maxent("--unlabelled", more, "--expectations", expectations, "--expectations-weight", "1000",
                            data=data)
        self.assertAlmostEqual(self.shares(model, "one=a3", more)["A"], 0.8, delta=0.01)
        self.assertAlmostEqual(self.shares(model, "two=b5", more)["A"], 0.25, delta=0.01)
        self.assertEqual(self.record(model)["expectations"], "file")

    def test_bounds_are_kept_where_they_weigh_much(self):
        data, more = self.file("data", pairs(20, 1)), self.file("more", pairs(300, 2, labelled=False))
        bounds = self.file("b", "(intercept) A>=0.7\none=a3 B<=0.05\n")
        model = self.maxent("--unlabelled", more, "--expectations", bounds, "--expectations-weight", "1000", data=data)
        self.assertGreater(self.shares(model, None, more)["A"], 0.68)
        self.assertLess(self.shares(model, "one=a3", more)["B"], 0.06)

    def test_labels_from_expectations_beat_those_of_few_examples(self):
        data, test = self.file("data", pairs(8, 4)), self.file("test", pairs(400, 3))
        more = self.file("more", pairs(600, 2, labelled=False))
        expectations = self.file("e", "".join(f"{place}={word}{k} {word.upper()}=0.9\n" for place in ("one", "two")
                                              for word in "ab" for k in range(4)))
        plain = self.maxent(data=data)
        model = self.maxent("--unlabelled", more, "--expectations", expectations, data=data, name="e.croft")
        better, before = (self.evaluated(each, test)["tokens"]["accuracy"] for each in (model, plain))
        self.assertGreater(better, before + 0.05)
        of_data = self.maxent("--unlabelled", more, "--expectations", "labelled:5", data=data, name="l.croft")
        self.assertEqual(self.record(of_data), {"sequences": 600, "expectations": 5, "expectations_weight": 1.0})

    def test_a_model_learns_from_what_it_is_sure_of(self):
        data, test = self.file("data", pairs(20, 1)), self.file("test", pairs(400, 3))
        more = self.file("more", pairs(600, 2, labelled=False))
        plain = self.evaluated(self.maxent("--no-intercept", "--l2", "0.1", data=data), test)["tokens"]["accuracy"]
        common = ("--no-intercept", "--l2", "0.1", "--unlabelled", more, "--confidence", "0.8", "--self-training", "8")
        one = self.maxent(*common, data=data, name="one")
        two = self.maxent(*common, "--view", "one=*", data=data, name="two")
        self.assertGreater(self.evaluated(one, test)["tokens"]["accuracy"], plain + 0.1)
        self.assertGreater(self.evaluated(two, test)["tokens"]["accuracy"], plain + 0.1)
        self.assertGreater(self.record(one)["positions"], 300)
        self.assertEqual(self.record(two)["view"], "one=*")

    def test_segments_learn_from_data_without_labels(self):
        data, more = self.file("data", chunks(4, 1)), self.file("more", chunks(40, 2))
        segment = ("--model", "segment", "--unlabelled", more)

        def sureness(model):
            lines = self.run_ok("predict", "-m", model, "--to", "json", "--marginals", more).splitlines()
            return sum(p for line in lines for p in json.loads(line)["marginals"])
        plain = sureness(self.train("--model", "segment", data=data))
        for options, record in ((["--entropy", "0.3"], {"sequences": 40, "entropy": 0.3}),
                                (["--expectations", "labelled:5"],
                                 {"sequences": 40, "expectations": 5, "expectations_weight": 1.0})):
            model = self.train(*segment, *options, data=data, name="u.croft")
            self.assertEqual(self.record(model), record)
            self.assertGreater(sureness(model), plain)
            other = self.train(*segment, *options, "--threads", "2", data=data, name="v.croft")
            self.assertEqual(model.read_bytes(), other.read_bytes())
        taught = self.train(*segment, "--self-training", "2", "--confidence", "0.8", data=data, name="t.croft")
        self.assertEqual(self.record(taught)["confidence"], 0.8)
        self.assertGreater(self.record(taught)["positions"], 20)

    def test_expectations_of_segments_are_met_where_they_weigh_much(self):
        data, more = self.file("data", chunks(12, 1)), self.file("more", chunks(40, 2))
        for line, met in (("l[0]=the B-N=0.6\n", 0.6), ("l[0]=the B-N<=0.3\n", 0.3)):
            model = self.train("--model", "segment", "--unlabelled", more, "--expectations", self.file("e", line),
                               "--expectations-weight", "2000", data=data)
            lines = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", more).splitlines()
            words = [[row.split()[0] for row in block.splitlines()]
                     for block in more.read_text().strip().split("\n\n")]
            found = [position["B-N"] for line, sequence in zip(lines, words)
                     for word, position in zip(sequence, json.loads(line)["marginals"]) if word == "the"]
            self.assertAlmostEqual(sum(found) / len(found), met, delta=0.02)

    def test_neither_labels_of_the_file_nor_the_number_of_threads_change_a_byte(self):
        data, more = self.file("data", chains(10, 1)), chains(30, 2)
        with_labels, wrong = self.file("with", more), self.file("wrong", more.replace(" A", " B"))
        for options in (["--entropy", "0.5"], ["--expectations", "labelled:3"], ["--self-training", "2"]):
            models = [self.train("--unlabelled", file, *options, "--threads", threads, data=data, name=name)
                      for file, threads, name in ((with_labels, 1, "a"), (wrong, 2, "b"))]
            self.assertEqual(models[0].read_bytes(), models[1].read_bytes())

    def test_a_stopped_training_goes_on_to_the_same_bytes(self):
        data, more = self.file("data", chains(10, 1)), self.file("more", chains(30, 2))
        options = ("--unlabelled", more, "--entropy", "0.5", "--expectations", "labelled:4")
        whole = self.train(*options, data=data).read_bytes()
        kept = ("--checkpoint", self.folder / "kept", "--checkpoint-interval", "0")
        self.train(*options, *kept, "--max-iterations", "4", data=data, name="part")
        self.assertEqual(self.train(*options, *kept, "--resume", data=data, name="rest").read_bytes(), whole)

    def test_misuses_are_errors(self):
        data, more = self.file("data", pairs(20, 1)), self.file("more", pairs(30, 2, labelled=False))

        def fails(status, problem, *options, kind="maxent", data=data):
            done = croft("train", "--model", kind, "--format", "attributes", "-o", self.folder / "m", *options,
                                  data)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(problem, done.stderr.decode())
            self.assertFalse((self.folder / "m").exists())
        fails(WRONG_USAGE, "are of data without labels: give --unlabelled", "--entropy", "1")
        fails(WRONG_USAGE, "is data for --entropy above 0, --expectations or --self-training", "--unlabelled", more)
        both = ("--unlabelled", more, "--entropy", "1")
        fails(WRONG_USAGE, "these can: lbfgs", *both, "--optimizer", "sgd")
        fails(WRONG_USAGE, "goes with --objective likelihood", *both, "--objective", "softmax-margin")
        fails(WRONG_USAGE, "no meaning for --model memm", *both, kind="memm")
        fails(WRONG_USAGE, "--self-training goes without", *both, "--self-training", "2")
        fails(WRONG_USAGE, "--confidence", *both, "--confidence", "0.9")
        fails(WRONG_USAGE, "fits the names of no attributes", "--unlabelled", more, "--self-training", "1", "--view",
              "x*")
        for line, problem in (("nothing A=0.5", "e:1: an attribute that no position without a label has"),
                              ("one=a4 C=0.5", "e:1: a label that the data does not have"),
                              ("one=a4 A=0.5 B=0.4", "e:1: shares of all labels that add up to less than 1"),
                              ("one=a4 A>=0.7 B>=0.4", "e:1: lower bounds that add up to more than 1"),
                              ("one=a4 A<=0.7 B<=0.2", "e:1: upper bounds of all labels that add up to less than 1"),
                              ("one=a4 A>=0.7 A<=0.2", "e:1: a lower bound above the upper bound of the same label")):
            fails(BAD_INPUT, problem, "--unlabelled", more, "--expectations", self.file("e", line + "\n"))
        fails(BAD_INPUT, "is there with --intercept", "--unlabelled", more, "--no-intercept", "--expectations",
              self.file("e", "(intercept) A=0.5\n"))
        for count in ("", "0", "1.5", "x", "-3", "1e10"):
            fails(WRONG_USAGE, "is not a whole number from 1", "--unlabelled", more, "--expectations",
                  f"labelled:{count}")
        few, other = self.file("few", "A\tone=a4\n\nB\ttwo=b4\n\n"), self.file("other", "\tthree\n\n")
        fails(BAD_INPUT, "no attribute is both at a known label", "--unlabelled", other, "--expectations", "labelled",
              "--no-intercept", data=few)
        either = self.file("either", "A|B\tone=a4\n\n?\ttwo=b4\n\n")
        fails(BAD_INPUT, "no position of the labelled data has one known label", "--unlabelled", more,
              "--expectations", "labelled:3", "--partial", data=either)
        negative = self.file("negative", "\tone=a4:-0.5\ttwo=b4\n\n")
        fails(BAD_INPUT, "e:1: an attribute with values below 0", "--unlabelled", negative, "--expectations",
              self.file("e", "one=a4 A=0.5\n"), data=few)
        fails(BAD_INPUT, "labelled: an attribute with values below 0", "--unlabelled", negative, "--expectations",
              "labelled", data=few)

    def test_attributes_with_values_below_0_are_not_among_those_of_labelled(self):
        data = self.file("data", "A\tx:-1\ta\n\nB\tx:1\tb\n\n")
        more = self.file("more", "\tx:-1\ta\n\n\tx:1\tb\n\n")
        self.maxent("--unlabelled", more, "--expectations", "labelled", data=data)

    def test_bounds_that_contradict_each_other_are_warned_of(self):
        data = self.file("data", "A\tx\ta\n\nB\tx\tb\n\n")
        more = self.file("more", "\tx\ta\n\n\tx\tb\n\n")
        for bounds, warned in (("(intercept) A>=0.9\nx A<=0.2\n", True), ("(intercept) A>=0.9\nx B<=0.2\n", False)):
            done = croft("train", "--model", "maxent", "--format", "attributes", "--unlabelled", more,
                         "--expectations", self.file("e", bounds), "-o", self.folder / "m", data)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("bounds of labels contradict each other: " in done.stderr.decode(), warned, done.stderr)


if __name__ == "__main__":
    unittest.main()
