"""croft errors: kinds of mistakes are those of an independent count over what predict writes."""

import json
from collections import Counter
from xml.etree import ElementTree

from people_and_towns import sentences
from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, main


def chunks(labels):
    """(begin, end, type) of BIO labels."""
    found = []
    for t, label in enumerate(labels):
        if label.startswith("B-") or (label.startswith("I-") and (t == 0 or labels[t - 1][2:] != label[2:])):
            found.append([t, t + 1, label[2:]])
        elif label.startswith("I-"):
            found[-1][1] = t + 1
    return [tuple(each) for each in found]


def kinds_of(gold, predicted):
    """The kind of each error of one sequence."""
    told, out = set(), []
    for g in gold:
        if g in predicted:
            told.add(g)
            continue
        shared = [(min(g[1], p[1]) - max(g[0], p[0]), -p[0], p) for p in predicted]
        shared = [each for each in shared if each[0] > 0]
        if not shared:
            out.append("missed")
            continue
        p = max(shared)[2]
        told.add(p)
        out.append("boundary" if p[2] == g[2] else "type" if p[:2] == g[:2] else "both")
    return out + ["invented" for p in predicted if p not in told]


class ErrorsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("train.conll", sentences(40, 1))
        noisy = sentences(60, 2).replace("B-PER", "B-LOC", 7).replace(" I-PER", " O", 5).replace("B-LOC", "O", 3)
        self.test = self.file("test.conll", noisy)
        self.model = self.train("m.croft", "--max-iterations", 4, self.data)

    def errors(self, *options):
        return json.loads(self.run_ok("errors", "-m", self.model, "--json", *options, self.test))

    def test_data_of_another_program_is_read_as_the_model_was_trained(self):
        def prodigy(name, path):
            out = ""
            for block in path.read_text("utf-8").strip().split("\n\n"):
                words, labels = zip(*(row.split() for row in block.splitlines()))
                ends = [len(" ".join(words[:t + 1])) for t in range(len(words))]
                out += json.dumps({"text": " ".join(words), "answer": "accept", "spans": [
                    {"start": ends[b] - len(words[b]), "end": ends[e - 1], "label": kind}
                    for b, e, kind in chunks(labels)]}) + "\n"
            return self.file(name, out)

        def spans(name, path):
            return self.file(name, self.run_ok("convert", "--from", "prodigy", "--to", "spans", "--tokenizer",
                                               "blanks", path))
        options = ["--max-iterations", 4, "--tokenizer", "blanks"]
        data, test = prodigy("train.jsonl", self.data), prodigy("test.jsonl", self.test)
        one = self.train("p.croft", "--format", "prodigy", *options, data)
        same = self.train("s.croft", "--format", "spans", *options, spans("train.spans", data))
        for verb in (["errors", "--json"], ["card", "--json"], ["compare", "--json"]):
            with self.subTest(verb=verb):
                found = []
                for model, data in ((one, test), (same, spans("test.spans", test))):
                    models = ["-m", model, "-m", model] if verb[0] == "compare" else ["-m", model]
                    document = json.loads(self.run_ok(*verb, *models, data))
                    found.append({key: value for key, value in document.items() if key in
                                  ("kinds", "counts", "errors", "scores", "evaluation", "metrics")})
                self.assertTrue(found[0])
                self.assertEqual(*found)

    def test_labels_without_types_are_chunks_where_training_says_so(self):
        lines = ["the cat sat on a mat", "a dog sat", "on the mat sat a cat", "the dog"] * 5
        data = self.file("words.txt", "\n".join(lines) + "\n")
        test = self.file("test.txt", "the cat on a dog\nmats sat\n")
        model = self.train("seg.croft", "--format", "segmented", "--max-iterations", 3, data)
        self.assertIn("chunks", self.run_ok("errors", "-m", model, test))
        self.assertIn("chunk", json.loads(self.run_ok("card", "--json", "-m", model, test))["scores"])
        compared = json.loads(self.run_ok("compare", "--json", "-m", model, "-m", model, test))["metrics"]
        self.assertTrue(any("f1" in str(each).lower() for each in compared), compared)

    def test_kinds_are_those_of_an_independent_count(self):
        text = self.run_ok("predict", "-m", self.model, self.test)
        counted, wrong, gold_count, found = Counter(), 0, 0, 0
        for block in text.strip().split("\n\n"):
            rows = [line.split() for line in block.splitlines()]
            gold, predicted = [[row[k] for row in rows] for k in (-2, -1)]
            counted.update(kinds_of(chunks(gold), chunks(predicted)))
            wrong += gold != predicted
            gold_count += len(chunks(gold))
            found += len(set(chunks(gold)) & set(chunks(predicted)))
        report = self.errors("--top", 1000)
        self.assertGreater(len(counted), 2)
        self.assertEqual({k: v for k, v in report["kinds"].items() if v}, dict(counted))
        self.assertEqual((report["wrong_sequences"], report["gold"], report["found"]), (wrong, gold_count, found))
        self.assertEqual(len(report["errors"]), sum(counted.values()))
        sure = [each["probability"] for each in report["errors"]]
        self.assertEqual(sure, sorted(sure, reverse=True))
        score = json.loads(self.run_ok("evaluate", "-m", self.model, "--json", self.test))["chunk"]
        self.assertEqual((report["found"], report["gold"]), (score["correct"], score["support"]))

    def test_confusions_are_drawn_into_a_file_of_their_own(self):
        picture = self.folder / "c.svg"
        self.run_ok("evaluate", "-m", self.model, "--confusion-svg", picture, self.test)
        text = "".join(ElementTree.parse(picture).getroot().itertext())
        for label in ("B-PER", "I-PER", "B-LOC", "O"):
            self.assertIn(label, text)
        for taken in (self.model, self.test):
            before = taken.read_bytes()
            self.fails(WRONG_USAGE, "evaluate", "-m", self.model, "--confusion-svg", taken, self.test,
                       mentions=["--confusion-svg"])
            self.assertEqual(taken.read_bytes(), before)
        both = ("--reliability", picture, "--confusion-svg", picture)
        self.fails(WRONG_USAGE, "evaluate", "-m", self.model, *both, self.test, mentions=["--confusion-svg"])

    def test_models_without_probabilities_say_none(self):
        self.model = self.train("p.croft", "--objective", "perceptron", "--optimizer", "voted-perceptron",
                                "--max-iterations", 2, self.data)
        report = self.errors("--top", 1000)
        self.assertEqual(len(report["errors"]), sum(report["kinds"].values()))
        self.assertNotEqual(report["errors"], [])
        for each in report["errors"]:
            self.assertNotIn("probability", each)
        lines = [(each["sequence"], each["kind"] == "invented") for each in report["errors"]]
        self.assertEqual(lines, sorted(lines))
        self.assertNotIn("1.0000", self.run_ok("errors", "-m", self.model, self.test))
        self.assertIn("| missed |", self.run_ok("card", "-m", self.model, self.test))

    def test_data_without_words_shows_positions(self):
        data = self.file("d.attributes", "B-X\ta\nI-X\tb\nO\tc\n\n" * 5)
        self.model = self.train("a.croft", "--format", "attributes", data)
        self.test = self.file("t.attributes", "B-Y\ta\nI-Y\tb\nB-X\tc\n\n")
        found = self.errors()["errors"]
        self.assertEqual([(e["gold"], e["predicted"], e["context"]) for e in sorted(found, key=lambda e: e["line"])],
                         [("Y at positions 1 to 2", "X at positions 1 to 2", ""), ("X at position 3", "", "")])
        self.fails(WRONG_USAGE, "errors", "-m", self.model, "--train", data, self.test,
                   mentions=["a.croft reads attributes data", "data of columns"])

    def test_lines_are_those_of_the_file_and_words_are_told_unseen(self):
        lines = self.test.read_text().splitlines()
        known = {line.split()[0] for line in self.data.read_text().splitlines() if line}
        report = self.errors("--train", self.data, "--top", 1000)
        self.assertEqual(report["seen"]["gold"] + report["unseen"]["gold"], report["gold"])
        for each in report["errors"]:
            words = (each["gold"] or each["predicted"]).split(" ", 1)[1].split()
            if each["kind"] in ("missed", "invented", "type"):
                self.assertEqual([line.split()[0] for line in lines[each["line"] - 1:][:len(words)]], words)
                self.assertEqual(each["unseen"], any(word not in known for word in words))
            self.assertIn("[", each["context"])

    def test_one_kind_and_why(self):
        for each in self.errors("--kind", "missed", "--explain", "--top", 3)["errors"]:
            self.assertEqual((each["kind"], each["predicted"]), ("missed", ""))
            ((start, end),) = [(s["start"], s["end"]) for s in each["why"]["stretches"]]
            self.assertIn(each["position"], range(start, end))
        text = self.run_ok("errors", "-m", self.model, "--explain", "--top", 1, self.test)
        self.assertIn("difference", text)

    def test_a_wrong_chunk_is_explained_as_a_whole_by_chains_and_segments(self):
        self.test = self.file("wrong.conll", "saw O\nAnna O\nBerg O\nand O\n")
        (error,) = self.errors("--explain", "--top", 1)["errors"]
        self.assertEqual((error["kind"], error["predicted"]), ("invented", "PER Anna Berg"))
        (stretch,) = error["why"]["stretches"]
        self.assertEqual((stretch["start"], stretch["end"]), (1, 3))
        self.assertEqual((stretch["labels"], stretch["other"]), (["B-PER", "I-PER"], ["O", "O"]))
        parts = [*stretch["reasons"], stretch["rest"]]
        self.assertAlmostEqual(sum(part["difference"] for part in parts), stretch["difference"], places=9)
        self.assertEqual([(r["start"], r["labels"], r["other_labels"]) for r in sorted(
            (r for r in stretch["reasons"] if r["kind"] == "transition"), key=lambda r: r["start"])],
            [(0, ["O", "B-PER"], ["O", "O"]), (1, ["B-PER", "I-PER"], ["O", "O"]), (2, ["I-PER", "O"], ["O", "O"])])
        text = self.run_ok("errors", "-m", self.model, "--explain", self.test)
        self.assertIn("\n1-2  Anna Berg\n  B-PER ", text)
        self.assertIn("   difference  B-PER I-PER          O O\n", text)
        self.model = self.train("s.croft", "--model", "segment", self.data)
        (error,) = self.errors("--explain", "--top", 1)["errors"]
        (stretch,) = error["why"]["stretches"]
        self.assertEqual((stretch["segments"], stretch["other"]), ([[1, 3, "PER"]], [[1, 2, "O"], [2, 3, "O"]]))
        self.assertIn("difference       PER:2         O O\n",
                      self.run_ok("errors", "-m", self.model, "--explain", self.test))

    def test_a_label_that_the_model_does_not_know_is_said(self):
        self.test = self.file("new.conll", "saw O\nAnna B-NEW\n")
        self.assertIn('\n  the model does not know the label "B-NEW"\n',
                      self.run_ok("errors", "-m", self.model, "--explain", self.test))
        self.model = self.train("s.croft", "--model", "segment", self.data)
        (error,) = self.errors("--explain")["errors"]
        self.assertEqual(error["why"]["stretches"][0]["error"], 'the model does not know the label "B-NEW"')

    def test_train_is_for_words_of_columns(self):
        data = self.file("texts.tsv", "a\tgood day\nb\tbad night\n" * 4)
        model = self.train("t.croft", "--model", "naive-bayes", "--format", "text", data)
        self.fails(WRONG_USAGE, "errors", "-m", model, "--train", data, data,
                   mentions=["data of columns", "t.croft reads text data"])

    def test_confusions_of_chunks_are_in_text_and_json(self):
        self.test = self.file("wrong.conll", "saw O\nAnna O\nBerg O\nand O\nUlm B-PER\n")
        found = json.loads(self.run_ok("evaluate", "-m", self.model, "--confusion", "--json", self.test))
        self.assertEqual(found["chunk_confusion"], {"(none)": {"PER": 1}, "PER": {"LOC": 1}})
        self.assertEqual(found["confusion"]["O"], {"O": 2, "B-PER": 1, "I-PER": 1})
        text = self.run_ok("evaluate", "-m", self.model, "--confusion", self.test)
        self.assertIn("\nchunks, gold  predicted      mistakes\n"
                      "(none)        PER                   1\n"
                      "PER           LOC                   1\n", text)

    def test_labels_that_spell_no_chunks_are_counted_one_by_one(self):
        model = self.train("i.croft", INGREDIENTS / "train.txt", "--max-iterations", 5)
        report = json.loads(self.run_ok("errors", "-m", model, "--json", "--top", 3, INGREDIENTS / "test.txt"))
        tokens = json.loads(self.run_ok("evaluate", "-m", model, "--json", INGREDIENTS / "test.txt"))["tokens"]
        self.assertEqual(report["kinds"], {"label": tokens["total"] - tokens["correct"]}
                         if "total" in tokens else {"label": report["gold"] - tokens["correct"]})
        self.assertEqual((report["of"], len(report["errors"])), ("labels", 3))
        self.fails(WRONG_USAGE, "errors", "-m", model, "--kind", "missed", INGREDIENTS / "test.txt", mentions=["label"])
        self.fails(WRONG_USAGE, "errors", "-m", model, "--kind", "mised", INGREDIENTS / "test.txt", mentions=["missed"])
        self.fails(WRONG_USAGE, "errors", "-m", model, "-", mentions=["twice"])
        self.fails(BAD_INPUT, "errors", "-m", model, self.folder / "none", mentions=["none"])


if __name__ == "__main__":
    main()
