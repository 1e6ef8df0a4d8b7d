"""Segments: croft train --model segment, and what its models answer."""

import itertools
import json

from people_and_towns import TEMPLATE, sentences
from support import BAD_INPUT, WRONG_USAGE, CliTest, croft, main


class SegmentTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("train", sentences(60, 1))
        self.test = self.file("test", sentences(20, 2))
        self.template = self.file("whole.template", TEMPLATE)

    def chunk_f1(self, model, data):
        return json.loads(self.run_ok("evaluate", "-m", model, "--json", data))["chunk"]["f1"]

    def predictions(self, model, data, *options):
        out = self.run_ok("predict", "-m", model, "--to", "json", *options, data)
        return [json.loads(line) for line in out.splitlines()]

    def test_trains_predicts_and_finds_segments(self):
        model = self.train("m.croft", "--model", "segment", "--segment-template", self.template,
                           self.data)
        self.assertGreater(self.chunk_f1(model, self.test), 0.95)
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        self.assertEqual(summary["kind"], "segment")
        longest = {each["name"]: each["longest"] for each in summary["segments"]}
        self.assertEqual(longest, {"PER": 2, "LOC": 4, "O": 1})
        text = self.run_ok("inspect", "-m", model)
        self.assertIn("B-LOC I-LOC", text)
        rows = [line.split("\t") for line in
                self.run_ok("inspect", "-m", model, "--weights").splitlines()]
        self.assertIn(["segment", "U1:4", "LOC"], [row[:-1] for row in rows])
        self.assertIn(["segment", "U4:PER", "PER"], [row[:-1] for row in rows])
        self.assertIn(["transition", "O", "PER"], [row[:-1] for row in rows])
        self.assertIn("segment", self.run_ok("inspect", "-m", model, "--top", 2))

    def test_answers_agree_with_each_other(self):
        model = self.train("m.croft", "--model", "segment", "--segment-template", self.template,
                           "--max-iterations", 5, self.data)
        for one in self.predictions(model, self.test, "--k-best", 3, "--marginals=all", "--spans"):
            self.assertEqual(one["k_best"][0]["labels"], one["labels"])
            probabilities = [each["probability"] for each in one["k_best"]]
            self.assertEqual(probabilities, sorted(probabilities, reverse=True))
            for position in one["marginals"]:
                self.assertAlmostEqual(sum(position.values()), 1, places=4)
            for span in one["spans"]:
                first = one["marginals"][span["start"]]["B-" + span["label"]]
                self.assertLessEqual(span["probability"], first + 1e-6)

    def test_limits_hold(self):
        model = self.train("m.croft", "--model", "segment", self.data)
        rows = "Anna B-LOC\nBerg ?\nsaw O|B-PER\nUlm ?\n"
        known = self.predictions(model, self.file("partial", rows), "--partial")[0]["labels"]
        self.assertEqual(known[0], "B-LOC")
        self.assertIn(known[2], ["O", "B-PER"])
        rules = self.file("rules", "start *\n* -> O\nO -> B-*\nB-{same} I-{same} -> I-{same}\n")
        for one in self.predictions(model, self.test, "--constrain", rules):
            for before, after in itertools.pairwise(one["labels"]):
                if after.startswith("B-"):
                    self.assertEqual(before, "O")

    def test_threads_do_not_change_the_model(self):
        options = ["--model", "segment", "--segment-template", self.template, self.data]
        one = self.train("1.croft", "--threads", 1, *options).read_bytes()
        self.assertEqual(one, self.train("2.croft", "--threads", 2, *options).read_bytes())

    def test_the_method_is_the_one_that_is_named(self):
        data = self.file("many", sentences(6000, 3))  # enough for a default other than lbfgs
        done = croft("train", "--model", "segment", data, "-o", self.folder / "m.croft")
        self.assertRegex(done.stderr.decode("utf-8"), "optimizer dual-ascent: its dual variables take [1-9].* MB of ")
        for method in "sgd-lbfgs", "dual-ascent":
            model = self.train(f"{method}.croft", "--model", "segment", "--optimizer", method, data)
            training = json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]
            self.assertEqual(training["optimizer"], method)

    def test_segments_of_length_one_are_the_chain(self):
        text = sentences(60, 3).replace("B-", "").replace("I-", "")
        data = self.file("plain", text)
        options = ["--optimizer", "lbfgs", "--precision", "double", "--gradient-tolerance", "1e-8",
                   "--tolerance", 0, data]
        segments = self.train("s.croft", "--model", "segment", "--max-length", 1, *options)
        chain = self.train("c.croft", *options)
        values = [json.loads(self.run_ok("inspect", "-m", m, "--json"))["training"]
                  for m in (segments, chain)]
        self.assertEqual(values[0]["weights"], values[1]["weights"])
        self.assertAlmostEqual(values[0]["objective_value"], values[1]["objective_value"], places=6)
        self.assertEqual(self.run_ok("predict", "-m", segments, data),
                         self.run_ok("predict", "-m", chain, data))

    def test_other_spellings_of_segments(self):
        def bioes(kind, k, d):
            return ("S-" if d == 1 else "B-" if k == 0 else "E-" if k == d - 1 else "I-") + kind
        data, test = (self.file(str(seed), sentences(60, seed, bioes)) for seed in (1, 2))
        model = self.train("m.croft", "--model", "segment", "--segment-template", self.template, data)
        self.assertGreater(self.chunk_f1(model, test), 0.95)
        labels = {label for one in self.predictions(model, test) for label in one["labels"]}
        self.assertIn("E-LOC", labels)

    def test_gazetteers(self):
        names = self.file("names", "new ham\nBad Sulz am See\tspa\nUlm\n")
        template = self.file("g.template", "U1:%gazetteer[fold]\nU2:%gazetteer[edit]\n"
                                           "U3:%gazetteer[overlap]\n")
        model = self.train("m.croft", "--model", "segment", "--segment-template", template,
                           "--gazetteer", f"town={names}", self.data)
        strings = {tuple(line.split("\t")[1:3]) for line in
                   self.run_ok("inspect", "-m", model, "--weights").splitlines()
                   if line.startswith("segment")}
        self.assertIn(("U1:town", "LOC"), strings)
        self.assertIn(("U1:spa", "LOC"), strings)
        found = self.predictions(model, self.file("x", "in\nNew\nHam\nsaw\n"))[0]["labels"]
        self.assertEqual(found, ["O", "B-LOC", "I-LOC", "O"])

    def test_attributes_have_words_too(self):
        lines = []
        for row in sentences(60, 1).split("\n"):
            word, _, label = row.partition(" ")
            lines.append(f"{label}\tw={word}\tlow={word.lower()}" if label else "")
        data = self.file("attributes", "\n".join(lines) + "\n")
        model = self.train("m.croft", "--model", "segment", "--format", "attributes",
                           "--segment-template", self.file("lower.template", "U:%lower\n"),
                           "--text-attribute", "w=", data)
        weights = self.run_ok("inspect", "-m", model, "--weights")
        self.assertIn("segment\tU:bad sulz am see\tLOC", weights)
        self.assertGreater(self.chunk_f1(model, data), 0.95)

    def test_a_checkpoint_goes_on_to_the_same_model(self):
        options = ["--model", "segment", "--optimizer", "lbfgs", self.data]
        whole = self.train("w.croft", *options).read_bytes()
        folder = self.folder / "state"
        self.train("p.croft", "--checkpoint", folder, "--checkpoint-interval", 0,
                   "--max-iterations", 4, *options)
        done = self.train("r.croft", "--checkpoint", folder, *options)
        self.assertEqual(done.read_bytes(), whole)

    def test_hold_out_and_objectives(self):
        for objective in ("pseudolikelihood", "per-edge", "composite", "marginal", "piecewise",
                          "softmax-margin", "max-margin", "perceptron", "passive-aggressive"):
            model = self.train("m.croft", "--model", "segment", "--objective", objective,
                               "--max-iterations", 15, "--holdout", self.test, self.data)
            record = json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]
            self.assertGreater(record["holdout"]["chunk_f1"], 0.6, objective)

    def test_messages_name_only_optimizers_that_segments_have(self):
        segment = ["train", "--quiet", "-o", self.folder / "m.croft", "--model", "segment"]
        dual = ("frank-wolfe", "smo", "gis", "newton", "preconditioned-cg", "eg", "span-lbfgs",
                "dual-ascent", "mira")
        for options in (["--objective", "max-margin", "--optimizer", "lbfgs"],
                        ["--objective", "softmax-margin", "--optimizer", "arow"],
                        ["--optimizer", "sgd", "--precision", "single"],
                        ["--optimizer", "lbfgs", "--l1", 1],
                        ["--optimizer", "sgd", "--history", 3],
                        ["--optimizer", "lbfgs", "--step", 1]):
            done = self.fails(WRONG_USAGE, *segment, *options, self.data, mentions=["--optimizer"])
            names = set(done.replace(",", " ").replace(";", " ").split())
            self.assertFalse(names & set(dual), done)
        self.fails(WRONG_USAGE, *segment, "--objective", "max-margin", "--history", 3, self.data,
                   mentions=["--optimizer sgd, which is the default here"])
        self.fails(WRONG_USAGE, *segment, "--gap", 1, "--optimizer", "lbfgs", self.data,
                   mentions=["--gap", "lbfgs", "dual-ascent"])
        self.fails(WRONG_USAGE, *segment, "--kernel", "poly:2", self.data,
                   mentions=["--kernel", "segment"])
        self.fails(WRONG_USAGE, *segment, "--objective", "max-margin", "--optimizer", "frank-wolfe",
                   self.data, mentions=["sgd, averaged-sgd, adagrad"])

    def longest(self, model):
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        return {each["name"]: each["longest"] for each in summary["segments"]}

    def test_lengths_are_what_partial_labels_need(self):
        def lengths(rows, *options):
            data = self.file("partial", "".join(f"{row}\n" for row in rows.split("; ")))
            return self.longest(self.train("m.croft", "--model", "segment", "--partial", *options, data))
        self.assertEqual(lengths("a O; b B-PER; c ?; d I-PER; e O"), {"O": 1, "PER": 3})
        self.assertEqual(lengths("a O; b B-PER; c ?; d ?; e O"), {"O": 1, "PER": 1})
        self.assertEqual(lengths("a B-PER; b ?; c ?; d I-PER; ; a B-PER; b ?; c I-PER; d O"),
                         {"PER": 4, "O": 1})
        self.assertEqual(lengths("a B-PER; b O|I-PER; c B-PER|I-PER; d I-PER; e O"),
                         {"PER": 4, "O": 1})
        self.assertEqual(lengths("a O; b B-PER; c O; d ?; e I-PER; f ?"), {"O": 1, "PER": 2})
        self.assertEqual(lengths("a x; b ?; c y; d x; e x; f ?; g y", "--label-scheme", "none"),
                         {"x": 3, "y": 1})
        data = self.file("partial", "a O\nb B-PER\nc ?\nd I-PER\n")
        self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "m.croft", "--model",
                   "segment", "--partial", "--max-length", "PER=1", data, mentions=["--max-length"])

    def test_lengths_end_where_the_longest_sequence_does(self):
        data = self.file("short", "a B-PER\nb I-PER\nc O\n\nd O\n")
        model = self.train("m.croft", "--model", "segment", "--max-length", 10000, data)
        self.assertEqual(self.longest(model), {"PER": 3, "O": 1})

    def test_templates_that_mean_nothing_are_refused(self):
        segment = ["train", "--quiet", "-o", self.folder / "m.croft", "--model", "segment"]
        whole = ["--segment-template", self.template]
        self.fails(WRONG_USAGE, *segment, "--label-scheme", "raw", *whole, self.data,
                   mentions=["--segment-template", "one position"])
        self.train("m.croft", "--model", "segment", "--label-scheme", "raw", "--segment-template",
                   "none", self.data)
        for text, mentions in (("", ["bad.template:1", "no line"]),
                               ("\n# U1:%length\n", ["bad.template:1", "no line"]),
                               ("P\nU1:%length\nP\n", ["bad.template:3", "line 1"]),
                               ("U1:%lower\n\nU1:%lower \n", ["bad.template:3", "line 1"])):
            bad = self.file("bad.template", text)
            self.fails(BAD_INPUT, *segment, "--segment-template", bad, self.data, mentions=mentions)

    def test_what_positions_share_needs_positions_of_different_labels(self):
        data = self.file("plain", "a X\nb X\nc Y\n\na Y\nb X\n")
        template = self.file("shared.template", "U1:%length\nP\n")
        self.fails(WRONG_USAGE, "train", "--quiet", "-o", self.folder / "m.croft", "--model",
                   "segment", "--segment-template", template, data, mentions=["line P", "delete"])

    def test_inspect_shows_the_strongest_of_each_label(self):
        model = self.train("m.croft", "--model", "segment", self.data)
        top = json.loads(self.run_ok("inspect", "-m", model, "--top", 2, "--json"))["top"]
        parts = {each["part"]: each for each in top}
        labels = [each["label"] for each in parts["node"]["largest"]]
        self.assertEqual({label: labels.count(label) for label in labels},
                         {"B-LOC": 2, "B-PER": 2, "I-LOC": 2, "I-PER": 2, "O": 2})
        self.assertEqual(len(parts["transition"]["largest"]), 2)

    def test_what_is_wrong_is_said(self):
        train = ["train", "--quiet", "-o", self.folder / "m.croft"]
        segment = [*train, "--model", "segment"]
        self.fails(WRONG_USAGE, *train, "--max-length", 3, self.data, mentions=["--max-length"])
        self.fails(WRONG_USAGE, *segment, "--order", 2, self.data, mentions=["--order"])
        self.fails(WRONG_USAGE, *segment, "--optimizer", "sdca", self.data, mentions=["sdca"])
        self.fails(WRONG_USAGE, *segment, "--max-length", "TOWN=3", self.data,
                   mentions=["TOWN", "PER, "])
        for twice in (["PER=4", "PER=9"], ["4", "9"]):
            options = [word for n in twice for word in ("--max-length", n)]
            self.fails(WRONG_USAGE, *segment, *options, self.data, mentions=["--max-length", "twice"])
        self.fails(WRONG_USAGE, *segment, "--max-length", 0, self.data, mentions=["LABEL=NUMBER"])
        self.fails(BAD_INPUT, *segment, "--max-length", "LOC=2", self.data,
                   mentions=["train:", "4 positions", "raise --max-length"])
        bad = self.file("bad.template", "U1:%length\nU2:%size\n")
        self.fails(BAD_INPUT, *segment, "--segment-template", bad, self.data,
                   mentions=["bad.template:2:4", "%lower"])
        self.fails(BAD_INPUT, *segment, "--segment-template",
                   self.file("c.template", "U:%lower[3]\n"), self.data, mentions=["column 3"])
        self.fails(WRONG_USAGE, *segment, "--segment-template",
                   self.file("g.template", "U:%gazetteer[fold]\n"), self.data,
                   mentions=["--gazetteer"])
        self.fails(WRONG_USAGE, *segment, "--gazetteer", self.data, self.data,
                   mentions=["%gazetteer"])
        self.fails(BAD_INPUT, *segment, "--segment-template", self.folder / "g.template",
                   "--gazetteer", self.file("empty", "\n"), self.data, mentions=["empty", "no name"])


if __name__ == "__main__":
    main()
