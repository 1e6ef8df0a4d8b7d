"""Why a label: the sums checked against the probabilities of all labellings, the parts against the
weights of the model, and what makes no sense refused."""

import json
import math

from people_and_towns import TEMPLATE as SEGMENT_TEMPLATE
from people_and_towns import sentences
from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, croft, main

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"
LABELS = {"QTY", "UNIT", "NAME", "PREP", "COMMENT", "OTHER"}
TEMPLATE = "U0:%x[-1,0]\nU1:%x[0,0]\nB\nB1:%x[0,0]\n"
WORDS = "2\ncups\nwhole-wheat\n\n1\nleek\n,\n"


class ExplainTest(CliTest):
    def setUp(self):
        super().setUp()
        self.words = self.file("words.txt", WORDS)

    def explain(self, model, *arguments, **options):
        """The documents of --json."""
        lines = self.run_ok("explain", "-m", model, "--json", *arguments, **options).splitlines()
        return [json.loads(line) for line in lines]


class SumsTest(ExplainTest):
    def log_probabilities(self, model, data):
        """Of every labelling that is allowed, a dict for each sequence."""
        lines = self.run_ok("predict", "-m", model, "--k-best", 1000, "--to", "json",
                            data).splitlines()
        return [{tuple(y["labels"]): y["log_probability"] for y in json.loads(line)["k_best"]}
                for line in lines]

    def check(self, *options):
        """Differences are those of log-probabilities, and the reasons sum to them.

        Returns how many changes are forbidden, and the kinds of reasons that there are.
        """
        model = self.train("m.croft", "--max-iterations", 20, *options, TRAIN)
        forbidden, kinds = 0, set()
        for against in LABELS:
            found = self.explain(model, "--against", against, "--top", 3, self.words)
            for document, log_p in zip(found, self.log_probabilities(model, self.words),
                                       strict=True):
                y = document["labels"]
                for t, position in enumerate(document["positions"]):
                    changed = (*y[:t], position["other"], *y[t + 1:])
                    parts = [*position["reasons"], position["rest"]]
                    kinds.update(reason["kind"] for reason in position["reasons"])
                    if position["difference"] is None:
                        self.assertNotIn(changed, log_p)
                        self.assertIn(None, [part["difference"] for part in parts])
                        forbidden += 1
                        continue
                    expected = log_p[tuple(y)] - log_p[changed]
                    self.assertAlmostEqual(position["difference"], expected, places=8)
                    self.assertAlmostEqual(sum(part["difference"] for part in parts), expected,
                                           places=8)
                    for part in parts:
                        self.assertAlmostEqual(part["label"] - part["other"], part["difference"])
                    attributes = [part for part in parts if part.get("kind") == "attribute"]
                    self.assertLessEqual(len(attributes), 3)
        return forbidden, kinds

    def test_words(self):
        self.assertEqual(self.check(), (0, {"attribute", "transition"}))

    def test_start_and_stop(self):
        self.assertEqual(self.check("--boundaries"),
                         (0, {"attribute", "transition", "start", "stop"}))

    def test_edge_attributes(self):
        template = self.file("template", TEMPLATE)
        self.assertEqual(self.check("--template", template, "--boundaries"),
                         (0, {"attribute", "transition", "edge", "start", "stop"}))

    def test_runs_of_three_labels_and_histories_that_were_not_seen(self):
        forbidden, kinds = self.check("--order", 2)
        self.assertGreater(forbidden, 0)
        self.assertEqual(kinds, {"attribute", "transition", "run", "history"})

    def test_a_constraint_of_the_model(self):
        rules = self.file("rules", "! start UNIT\n! NAME PREP -> QTY\n! end QTY\n")
        forbidden, kinds = self.check("--constrain", rules)
        self.assertGreater(forbidden, 0)
        self.assertEqual(kinds, {"attribute", "transition", "limit"})


class WrongStretchTest(ExplainTest):
    # Gold, and what the model says: a name that is none, a longer one, and one after another.
    WRONG = ("saw O\nAnna O\nBerg O\nand O\n\nIda B-PER\nFeld O\nmet O\n\n"
             "Max B-LOC\nStein I-LOC\nUlm B-PER\nKiel B-LOC\n\nnear O\nUlm B-LOC\n")
    STRETCHES = [[(1, 3, ["B-PER", "I-PER"], ["O", "O"])], [(0, 2, ["B-PER", "I-PER"], ["B-PER", "O"])],
                 [(0, 3, ["B-PER", "I-PER", "B-LOC"], ["B-LOC", "I-LOC", "B-PER"])]]

    def setUp(self):
        super().setUp()
        self.data = self.file("people.conll", sentences(80, 1))
        self.test = self.file("wrong.conll", self.WRONG)

    def check(self, model, labels_of):
        """Each difference is that of the log-probabilities of two labellings, and its parts sum to it."""
        documents = self.explain(model, "--wrong", "--top", 2, self.test)
        self.assertEqual([[(s["start"], s["end"], *labels_of(s)) for s in d["stretches"]] for d in documents],
                         self.STRETCHES)
        lines = self.run_ok("predict", "-m", model, "--k-best", 1000, "--to", "json", self.test).splitlines()
        for document, line in zip(documents, lines):
            log_p = {tuple(y["labels"]): y["log_probability"] for y in json.loads(line)["k_best"]}
            y = json.loads(line)["labels"]
            for stretch in document["stretches"]:
                labels, other = labels_of(stretch)
                self.assertEqual(y[stretch["start"]:stretch["end"]], labels)
                changed = (*y[:stretch["start"]], *other, *y[stretch["end"]:])
                if stretch["difference"] is None:
                    self.assertNotIn(changed, log_p)
                    continue
                self.assertAlmostEqual(stretch["difference"], log_p[tuple(y)] - log_p[changed], places=8)
                parts = [*stretch["reasons"], stretch["rest"]]
                self.assertAlmostEqual(sum(part["difference"] for part in parts), stretch["difference"], places=9)
        return documents

    def test_of_chains_of_any_order(self):
        for options in ([], ["--boundaries"], ["--order", 2]):
            documents = self.check(self.train("m.croft", *options, self.data), lambda s: (s["labels"], s["other"]))
            self.assertEqual(documents[0]["stretches"][0]["rows"], ["Anna", "Berg"])

    def test_of_segments(self):
        template = self.file("template", SEGMENT_TEMPLATE + "B1:%length\n")
        model = self.train("s.croft", "--model", "segment", "--segment-template", template, self.data)

        def spelled(segments):
            return [label if label == "O" else ("B-" if t == begin else "I-") + label
                    for begin, end, label in segments for t in range(begin, end)]
        self.check(model, lambda s: (spelled(s["segments"]), spelled(s["other"])))
        text = self.run_ok("explain", "-m", model, "--wrong", self.test)
        self.assertIn("\n1-2  Anna Berg\n  PER ", text)
        self.assertIn("difference       PER:2         O O\n", text)

    def test_what_the_model_cannot_have_is_said(self):
        chain = self.train("m.croft", self.data)
        segment = self.train("s.croft", "--model", "segment", self.data)
        new = self.file("new.conll", "saw O\nAnna B-NEW\nBerg I-NEW\n")
        long = self.file("long.conll", "Anna B-PER\nBerg I-PER\nsaw I-PER\n")
        message = 'the model does not know the label "B-NEW"'
        for model in (chain, segment):
            ((stretch,),) = [d["stretches"] for d in self.explain(model, "--wrong", new)]
            self.assertEqual((stretch["start"], stretch["end"]), (1, 3))
            self.assertIn("the model does not know the label", stretch["error"])
            self.assertNotIn("reasons", stretch)
        self.assertIn(f"\n  {message}\n", self.run_ok("explain", "-m", chain, "--wrong", new))
        ((stretch,),) = [d["stretches"] for d in self.explain(segment, "--wrong", long)]
        self.assertEqual(stretch["error"],
                         'the model has no segment "PER" of 3 positions: none is longer than 2')
        self.fails(WRONG_USAGE, "explain", "-m", segment, "--wrong", self.words, mentions=["--wrong", "words.txt"])


class PartsTest(ExplainTest):
    DATA = "X\ta:0.5\tb:-2\nY\tc\nZ\ta\n\nY\ta:-1.5\tc:3\nX\tb\n\nZ\tb:0.25\nZ\ta:2\nX\tc\n"

    def test_reasons_are_values_times_the_weights_that_inspect_shows(self):
        data = self.file("train.attributes", self.DATA)
        model = self.train("m.croft", "--format", "attributes", "--l2", 0.1, data)
        weight = {}
        for line in self.run_ok("inspect", "-m", model, "--weights").splitlines():
            kind, attribute, *labels, w = line.split("\t")
            weight[kind, attribute, *labels] = float(w)
        seen = set()
        for document in self.explain(model, "--top", 99, data):
            y = document["labels"]
            for t, position in enumerate(document["positions"]):
                self.assertEqual((position["position"], position["label"]), (t, y[t]))
                changed = [*y[:t], position["other"], *y[t + 1:]]
                self.assertEqual(position["rest"]["attributes"], 0)
                sizes = [abs(reason["difference"]) for reason in position["reasons"]]
                self.assertEqual(sizes, sorted(sizes, reverse=True))
                for reason in position["reasons"]:
                    seen.add(reason["kind"])
                    for labelling, found in ((y, reason["label"]), (changed, reason["other"])):
                        if reason["kind"] == "attribute":
                            key = ("node", reason["attribute"], labelling[t])
                            value = reason["value"]
                        else:
                            start = reason["start"]
                            self.assertEqual(reason["labels"], y[start:start + 2])
                            key, value = ("transition", "", *labelling[start:start + 2]), 1
                        self.assertAlmostEqual(found, value * weight.get(key, 0), places=5)
        self.assertEqual(seen, {"attribute", "transition"})

    def test_labels_and_probabilities_are_those_of_predict_and_the_other_is_the_runner_up(self):
        model = self.train("m.croft", TRAIN)
        options = ("--to", "json", "--probability", "--marginals=all")
        predicted = map(json.loads,
                        self.run_ok("predict", "-m", model, *options, TEST).splitlines())
        for found, expected in zip(self.explain(model, TEST), predicted, strict=True):
            self.assertEqual(found["labels"], expected["labels"])
            self.assertAlmostEqual(found["probability"], expected["probability"])
            for position, marginals in zip(found["positions"], expected["marginals"], strict=True):
                label, other = position["label"], position["other"]
                self.assertAlmostEqual(position["probability"], marginals[label])
                self.assertAlmostEqual(position["other_probability"], marginals[other])
                self.assertAlmostEqual(marginals[other],
                                       max(p for y, p in marginals.items() if y != label))
                self.assertGreaterEqual(position["difference"], -1e-9)

    def test_unknown_attributes_are_those_without_a_weight(self):
        train = self.file("train", "A\tx\ty\nB\tz\n")
        model = self.train("m.croft", "--format", "attributes", "--boundaries", train)
        data = self.file("data", "A\tx\tnew\tz\nB\tnever\tnew:0.5\n")
        (document,) = self.explain(model, "--unknown", data)
        first, last = document["positions"]
        self.assertEqual((first["attributes"], first["unknown"]), (3, 1))
        self.assertEqual(first["unknown_attributes"], ["new"])
        self.assertEqual((last["attributes"], last["unknown"]), (2, 2))
        self.assertEqual(last["unknown_attributes"], ["never", "new"])
        self.assertEqual({reason["kind"] for reason in last["reasons"]} - {"transition"}, {"stop"})
        (document,) = self.explain(model, data)
        self.assertNotIn("unknown_attributes", document["positions"][0])


class ChoiceTest(ExplainTest):
    def setUp(self):
        super().setUp()
        self.model = self.train("m.croft", "--max-iterations", 10, TRAIN)

    def test_positions_are_those_of_the_list_in_each_sequence(self):
        data = self.file("data", "2\ncups\nflour\n\nleek\n\n1\nleek\n")
        found = self.explain(self.model, "--positions", "2,0,1-2", data)
        self.assertEqual([[p["position"] for p in d["positions"]] for d in found],
                         [[0, 1, 2], [0], [0, 1]])
        found = self.explain(self.model, "--positions", "1", data)
        self.assertEqual([d["line"] for d in found], [1, 7])  # the one of one word is left out
        self.fails(BAD_INPUT, "explain", "-m", self.model, "--positions", "3-9", "--json",
                   self.file("short", ""), mentions=["short"])
        done = croft("explain", "-m", self.model, "--positions", "1,3-9", data)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assert_one_message(done.stderr.decode(), ["position 3", "longest has 3"])

    def test_wrong_and_unsure_positions_can_be_explained_alone(self):
        model = self.train("m.croft", "--max-iterations", 5, TRAIN)
        whole = self.explain(model, TEST)
        name = self.explain(model, "--against", "NAME", TEST)
        gold = [[line.split()[-1] for line in block.splitlines()] for block in TEST.read_text().strip().split("\n\n")]
        for options, all_of, keep in (
                (["--wrong", "--against", "NAME"], name, lambda p, label: p["label"] != label),
                (["--below", "0.7"], whole, lambda p, label: p["probability"] < 0.7),
                (["--wrong", "--against", "NAME", "--below", "0.6"], name,
                 lambda p, label: p["label"] != label and p["probability"] < 0.6)):
            wanted = [[p for p in one["positions"] if keep(p, labels[p["position"]])]
                      for one, labels in zip(all_of, gold)]
            self.assertGreater(sum(map(len, wanted)), 3)
            self.assertEqual([one["positions"] for one in self.explain(model, *options, TEST)],
                             [each for each in wanted if each])
        # These labels spell no chunks: each wrong position is one by itself, against its gold label.
        for options, keep in (([], lambda p: True), (["--below", "0.6"], lambda p: p < 0.6)):
            wanted = [[(p["position"], p["label"], label) for p, label in zip(one["positions"], labels)
                       if p["label"] != label and keep(p["probability"])] for one, labels in zip(whole, gold)]
            found = [[(s["start"], *s["labels"], *s["other"]) for s in one["stretches"]]
                     for one in self.explain(model, "--wrong", *options, TEST)]
            self.assertEqual(found, [each for each in wanted if each])
        self.fails(WRONG_USAGE, "explain", "-m", model, "--wrong", self.words, mentions=["--wrong", "words.txt"])
        self.fails(WRONG_USAGE, "explain", "-m", model, "--below", "2", TEST, mentions=["--below"])

    def test_against_is_the_other_label_but_where_it_is_predicted(self):
        plain = self.explain(self.model, self.words)
        for found, expected in zip(self.explain(self.model, "--against", "QTY", self.words), plain):
            for position, before in zip(found["positions"], expected["positions"]):
                predicted = position["label"] == "QTY"
                self.assertEqual(position["other"], before["other"] if predicted else "QTY")

    def test_several_files_and_standard_input_with_and_without_labels(self):
        labelled = self.file("labelled", "2 QTY\ncups NAME\n")
        documents = self.explain(self.model, self.words, labelled, "-", stdin=b"leek\n")
        self.assertEqual([d["file"] for d in documents],
                         [str(self.words)] * 2 + [str(labelled), "<stdin>"])
        self.assertEqual([p["given"] for p in documents[2]["positions"]], ["QTY", "NAME"])
        self.assertEqual([p["row"] for p in documents[2]["positions"]], ["2", "cups"])
        self.assertNotIn("given", documents[0]["positions"][0])
        text = self.run_ok("explain", "-m", self.model, labelled)
        self.assertEqual(text.count("the data has"), 1)
        self.assertIn("the data has NAME\n", text)

    def test_limits_are_those_of_predict(self):
        rules = self.file("rules", "! start QTY\n")
        penalties = self.file("penalties", "* PREP -20\n")
        (document,) = self.explain(self.model, "--constrain", rules, "--against", "QTY",
                                   "--positions", 0, stdin=b"2\ncups\n")
        first = document["positions"][0]
        self.assertNotEqual(first["label"], "QTY")
        self.assertIsNone(first["difference"])
        self.assertEqual(first["other_probability"], 0)
        self.assertIsNone(first["reasons"][0]["other"])
        self.assertEqual(first["reasons"][0]["kind"], "limit")
        (document,) = self.explain(self.model, "--penalties", penalties, stdin=b"2\ncups\n")
        self.assertEqual(document["labels"], ["PREP", "PREP"])
        limit = document["positions"][0]["reasons"][0]
        self.assertEqual(limit["kind"], "limit")
        self.assertAlmostEqual(limit["difference"], 20)

    def test_a_sequence_without_a_labelling_is_said_so_and_the_others_are_explained(self):
        rules = self.file("rules", "start QTY\nend UNIT\n")
        options = ("explain", "-m", self.model, "--constrain", rules)
        done = croft(*options, "--json", stdin=b"leek\n\n2\ncups\n")
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assert_one_message(done.stderr.decode(), ["<stdin>:1:", "no labelling"])
        documents = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([d["labels"] for d in documents], [None, ["QTY", "UNIT"]])
        self.assertIn("error", documents[0])
        done = croft(*options, stdin=b"leek\n\n2\ncups\n")
        self.assertIn(b"<stdin>:1: no labelling", done.stdout)

    def test_text_has_the_numbers_of_json_in_a_hundred_columns(self):
        options = ("--top", 4, "--unknown")
        text = self.run_ok("explain", "-m", self.model, *options, TEST)
        lines = [line for line in text.splitlines() if not line.startswith(str(TEST))]
        self.assertLessEqual(max(map(len, lines)), 100)
        blocks = [block.splitlines() for block in text.strip().split("\n\n")]
        blocks = [block for block in blocks if block[0][:1].isdigit()]
        positions = [p for d in self.explain(self.model, *options, TEST) for p in d["positions"]]
        self.assertEqual(len(blocks), len(positions))
        for lines, position in zip(blocks, positions):
            self.assertEqual(lines[0], f"{position['position']}  {position['row']}")
            self.assertIn(f"{position['label']} {position['probability']:.6f}", lines[1])
            self.assertIn(f"not {position['other']} {position['other_probability']:.6f}", lines[1])
            in_all = next(line for line in lines if line.endswith("  in all"))
            self.assertTrue(math.isclose(float(in_all.split()[0]), position["difference"],
                                         abs_tol=6e-5))
            table = lines[3:lines.index(in_all)]
            shown = [*position["reasons"]]
            if position["rest"]["attributes"]:
                shown.append(position["rest"])
            self.assertEqual(len(table), len(shown))
            for line, reason in zip(table, shown):
                for cell, name in zip(line.split(), ("difference", "label", "other")):
                    self.assertTrue(math.isclose(float(cell), reason[name], abs_tol=6e-5), line)


class RefusalTest(ExplainTest):
    def test_what_makes_no_sense_is_refused_by_name(self):
        model = self.train("m.croft", "--max-iterations", 1, TRAIN)
        explain = ("explain", "-m", model)
        self.fails(WRONG_USAGE, *explain, "--against", "QYT", self.words,
                   mentions=["--against", '"QYT"', '"QTY"'])
        for positions in ("", "x", "1,", "2-1", "-1", "1-", "1 2", "99999999999999999999"):
            self.fails(WRONG_USAGE, *explain, f"--positions={positions}", self.words,
                       mentions=["--positions"])
        for top in ("-1", "many", "1.5"):
            self.fails(WRONG_USAGE, *explain, f"--top={top}", self.words, mentions=["top"])
        self.fails(WRONG_USAGE, *explain, "--format", "attributes", self.words,
                   mentions=["--format attributes", "columns"])
        self.fails(WRONG_USAGE, *explain, "--format", "csv", self.words, mentions=["--format"])
        self.fails(WRONG_USAGE, "explain", self.words, mentions=["--model"])
        self.fails(BAD_INPUT, "explain", "-m", self.words, self.words, mentions=[self.words])
        self.fails(BAD_INPUT, *explain, self.folder / "none", mentions=["none"])
        self.run_ok(*explain, "--format", "columns", self.words)


if __name__ == "__main__":
    main()
