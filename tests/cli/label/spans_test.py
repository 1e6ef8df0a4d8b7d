"""Spans: data of tokens and labelled spans, in training, prediction, evaluation and conversion."""

import json
import math

from people_and_towns import TEMPLATE, sentences
from support import BAD_INPUT, WRONG_USAGE, CliTest, main


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


class SpansTest(CliTest):
    def setUp(self):
        super().setUp()
        self.columns, self.test_columns = (self.file(f"{n}.conll", sentences(60 - 40 * (n - 1), n))
                                           for n in (1, 2))
        self.data, self.test = (self.file(f"{n}.jsonl", self.run_ok("convert", "--to", "spans", path))
                                for n, path in ((1, self.columns), (2, self.test_columns)))

    def evaluation(self, *arguments, **options):
        return json.loads(self.run_ok("evaluate", "--json", *arguments, **options))

    def test_conversion_there_and_back_is_what_it_was(self):
        self.assertEqual(self.run_ok("convert", "--to", "columns", self.data), self.columns.read_text())
        bioes = self.run_ok("convert", "--to", "columns", "--label-scheme", "bioes", self.data)
        self.assertIn(" S-", bioes)
        self.assertEqual(self.run_ok("convert", "--to", "spans", "-", stdin=bioes.encode()),
                         self.data.read_text())
        out = self.folder / "out"
        self.assertEqual(self.run_ok("convert", "--to", "columns", "-o", out, self.data), "")
        self.assertEqual(out.read_text(), self.columns.read_text())
        rows = b"a b\nc d\n"
        self.assertEqual(self.run_ok("convert", "--to", "spans", "--unlabelled", "-", stdin=rows),
                         '{"tokens":[["a","b"],["c","d"]]}\n')

    def test_models_of_spans_are_those_of_columns(self):
        for options in ([], ["--model", "segment", "--segment-template",
                             self.file("whole.template", TEMPLATE)], ["--model", "maxent"]):
            options += ["--l2", 0.5, "--max-iterations", 30]
            spans = self.train("s.croft", "--format", "spans", *options, self.data)
            columns = self.train("c.croft", *options, self.columns)
            records = [json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]
                       for model in (spans, columns)]
            self.assertEqual(records[0].pop("spans"), "bio")
            self.assertEqual(*records)
            answers = self.run_ok("predict", "-m", columns, "--to", "json", self.test_columns)
            for model, form in ((spans, []), (columns, ["--format", "spans"])):
                got = self.run_ok("predict", "-m", model, *form, "--to", "json", self.test)
                self.assertEqual(got, answers)
            scores = [self.evaluation("-m", spans, self.test), self.evaluation("-m", columns, self.test_columns),
                      self.evaluation("-m", spans, "--format", "columns", self.test_columns)]
            self.assertEqual(scores[0], scores[1])
            self.assertEqual(scores[0], scores[2])

    def test_predictions_are_spans_beside_all_that_the_line_had(self):
        model = self.train("m.croft", "--format", "spans", "--model", "segment", self.data)
        first = lines_of(self.test.read_text())[0]
        text = json.dumps({"id": "é1", "tokens": first["tokens"], "meta": {"n": [1, 2.5, None]}}) + "\n"
        done = self.run_ok("predict", "-m", model, "-", stdin=text.encode())
        found = json.loads(done)
        self.assertEqual(list(found), ["id", "tokens", "meta", "spans"])
        self.assertEqual((found["id"], found["meta"]), ("é1", {"n": [1, 2.5, None]}))
        self.assertEqual(found["spans"], first["spans"])
        # Again, with what was found as gold; and the gold stays what it was.
        twice = json.loads(self.run_ok("predict", "-m", model, "-", stdin=done.encode()))
        self.assertEqual(twice["gold"], found["spans"])
        again = json.loads(self.run_ok("predict", "-m", model, "-", stdin=json.dumps(twice).encode()))
        self.assertEqual(again, twice)

    def test_a_scored_file_says_what_the_model_says(self):
        model = self.train("m.croft", "--format", "spans", "--max-iterations", 3, self.data)
        written = self.file("found.jsonl", self.run_ok("predict", "-m", model, self.test))
        alone = self.evaluation("--format", "spans", written)
        whole = self.evaluation("-m", model, self.test)
        self.assertEqual(alone["chunk"], whole["chunk"])
        self.assertEqual(alone["tokens"], whole["tokens"])
        # Gold is what is compared with, whatever the last prediction was.
        self.assertEqual(self.evaluation("-m", model, written), whole)
        self.fails(BAD_INPUT, "evaluate", "--format", "spans", self.test, mentions=["1:", "gold"])

    def test_answers_are_spans_too(self):
        model = self.train("m.croft", "--format", "spans", "--model", "segment", self.data)
        ask = ["--k-best", 3, "--samples", 2, "--probability", "--marginals", "--entropy"]
        found = lines_of(self.run_ok("predict", "-m", model, *ask, self.test))
        for one in found:
            self.assertEqual(one["k_best"][0]["spans"], one["spans"])
            self.assertNotIn("labels", one["k_best"][0])
            self.assertNotIn("labels", one)
            self.assertAlmostEqual(one["k_best"][0]["probability"], one["probability"], places=9)
            self.assertEqual(len(one["marginals"]), len(one["tokens"]))
            for spans in one["samples"]:
                ends = [0] + [end for _, end, _ in spans]
                self.assertTrue(all(b >= a for (b, _, _), a in zip(spans, ends)))
        scored = lines_of(self.run_ok("predict", "-m", model, "--spans", self.test))
        for plain, one in zip(found, scored):
            self.assertEqual([[s["start"], s["end"], s["label"]] for s in one["spans"]], plain["spans"])
            self.assertTrue(all(0 < s["probability"] <= 1 for s in one["spans"]))
        # Such spans are read as well.
        self.run_ok("predict", "-m", model, "-", stdin=json.dumps(scored[0]).encode())
        rows = lines_of(self.run_ok("predict", "-m", model, "--format", "columns", "--to", "spans",
                                    self.test_columns))
        for plain, one in zip(found, rows):
            self.assertEqual((one["tokens"], one["spans"], one["gold"]),
                             (plain["tokens"], plain["spans"], plain["gold"]))

    def test_schemes_spell_the_same_spans(self):
        for scheme in ("bio", "bio1", "ioe", "bioes"):
            model = self.train("m.croft", "--format", "spans", "--label-scheme", scheme, self.data)
            labels = json.loads(self.run_ok("inspect", "-m", model, "--json"))["labels"]
            self.assertEqual("E-LOC" in labels, scheme in ("ioe", "bioes"))
            self.assertGreater(self.evaluation("-m", model, self.test)["chunk"]["f1"],
                               0.6 if scheme == "bio1" else 0.85)
            written = self.run_ok("predict", "-m", model, self.test).encode()
            self.assertEqual(self.evaluation("--format", "spans", "-", stdin=written)["chunk"]["types"],
                             self.evaluation("-m", model, self.test)["chunk"]["types"])

    def test_tokens_may_be_anything_and_nothing(self):
        text = ('{"tokens": []}\n{"tokens": ["New\\tHam", "x y"], "spans": [[0, 1, "a b"]]}\n'
                '{"tokens": ["Ulm", "!"], "spans": []}\n')
        labelled = text.replace("[]}", '[], "spans": []}', 1)
        model = self.train("m.croft", "--format", "spans", "-", stdin=labelled.encode())
        found = lines_of(self.run_ok("predict", "-m", model, "-", stdin=text.encode()))
        self.assertEqual([one["spans"] for one in found], [[], [[0, 1, "a b"]], []])
        self.fails(WRONG_USAGE, "predict", "-m", model, "--to", "columns", "-", stdin=text.encode(),
                   mentions=["has a space"])
        plain = self.train("p.croft", "--format", "spans", "-",
                           stdin=labelled.replace('"a b"', '"ab"').encode())
        self.fails(BAD_INPUT, "predict", "-m", plain, "--to", "columns", "-",
                   stdin=text.splitlines()[1].encode(), mentions=["line 1", "--to spans"])
        self.refuses_to_train(BAD_INPUT, "--format", "spans", "-", stdin=b'{"tokens": [], "spans": []}\n',
                              mentions=["no data"])

    def test_hold_out_weights_and_several_files(self):
        lines = self.data.read_text().splitlines(keepends=True)
        one, two = self.file("one", "".join(lines[:30])), self.file("two", "".join(lines[30:]))
        weights = self.file("weights", "1\n" * len(lines))
        whole = self.run_ok("inspect", "--weights", "-m", self.train("w.croft", "--format", "spans", self.data))
        parts = self.train("p.croft", "--format", "spans", "--weights", weights, one, two)
        self.assertEqual(self.run_ok("inspect", "--weights", "-m", parts), whole)
        model = self.train("h.croft", "--format", "spans", "--holdout", self.test, self.data)
        record = json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]
        self.assertGreater(record["holdout"]["chunk_f1"], 0.9)

    def test_other_verbs_read_them(self):
        model = self.train("m.croft", "--format", "spans", "--max-iterations", 5, self.data)
        self.assertIn("in all", self.run_ok("explain", "-m", model, "--positions", 0, self.test))
        noisy = self.file("noisy.jsonl", self.test.read_text().replace("PER", "LOC", 5))
        self.run_ok("calibrate", "-m", model, "-o", self.folder / "k.croft", noisy)
        rows = self.run_ok("stack", "-m", model, self.test).count("\n")
        self.assertEqual(rows, self.test_columns.read_text().count("\n"))
        found = json.loads(self.run_ok("search", "--json", "--quiet", self.data, "--format", "spans", "--values",
                                       "l2=0.1,1", "--folds", 2, "--max-iterations", 5))
        self.assertEqual(len(found["candidates"]), 2)

    def test_what_is_wrong_is_said(self):
        bad = self.file("bad.jsonl", self.data.read_text() + '{"tokens": ["a"], "spans": [[0, 2, "X"]]}\n')
        self.refuses_to_train(BAD_INPUT, "--format", "spans", bad,
                              mentions=["bad.jsonl:61", "ends at 2", "count from 0"])
        bare = self.file("bare.jsonl", '{"tokens": ["a"]}\n')
        self.refuses_to_train(BAD_INPUT, "--format", "spans", bare, mentions=["bare.jsonl:1", 'without "spans"'])
        for kind in ("hmm", "naive-bayes"):
            self.refuses_to_train(WRONG_USAGE, "--format", "spans", "--model", kind, self.data,
                                  mentions=["--to columns"])
        self.refuses_to_train(WRONG_USAGE, "--format", "spans", "--partial", self.data, mentions=["--partial"])
        self.refuses_to_train(WRONG_USAGE, "--format", "spans", "--label-scheme", "raw", self.data,
                              mentions=["cannot spell"])
        self.refuses_to_train(WRONG_USAGE, "--label-scheme", "bioes", self.columns, mentions=["--label-scheme"])
        self.refuses_to_train(BAD_INPUT, "--format", "spans", "--model", "segment", "--max-length", "LOC=2",
                              self.data, mentions=["4 positions", "raise --max-length"])
        plain = self.train("p.croft", self.file("plain", sentences(20, 3).replace("B-", "").replace("I-", "")))
        self.fails(WRONG_USAGE, "predict", "-m", plain, "--format", "spans", self.test, mentions=["give columns"])
        self.fails(WRONG_USAGE, "predict", "-m", plain, "--format", "attributes", self.test,
                   mentions=["trained on columns"])
        rows = self.file("rows.attributes", "B-X\ta\nO\tb\n")
        model = self.train("a.croft", "--format", "attributes", rows)
        self.fails(WRONG_USAGE, "predict", "-m", model, "--to", "spans", rows, mentions=["json"])
        self.fails(WRONG_USAGE, "convert", "--to", "spans", "--label-scheme", "bio", "--unlabelled", self.columns,
                   mentions=["--label-scheme"])
        latin = self.file("latin.conll", "caf\xe9 O\n".encode("latin-1"))
        self.fails(BAD_INPUT, "convert", "--to", "spans", latin, mentions=["latin.conll:1", "UTF-8"])
        self.fails(WRONG_USAGE, "convert", "--to", "columns", "-o", self.data, self.data,
                   mentions=["would replace"])


class GoOnTest(CliTest):
    """--init and --prior of segments, and their explanation."""

    OPTIONS = ["--model", "segment", "--optimizer", "lbfgs", "--precision", "double"]
    SHARP = ["--tolerance", 0, "--gradient-tolerance", "1e-7"]

    def setUp(self):
        super().setUp()
        self.data, self.more, self.test = (self.file(str(n), sentences(40, n)) for n in (1, 2, 3))
        self.template = self.file("whole.template", TEMPLATE + "B1:%length[1,2-]\nU5:%gazetteer[fold]\n"
                                                    "U6:%gazetteer[overlap]\nU7:%gazetteer[edit]\n")
        self.whole = ["--segment-template", self.template, "--gazetteer",
                      self.file("town", "new ham\nBad Sulz am See\nUlm\n")]

    def record(self, model):
        return json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]

    def labels(self, model, data):
        return self.run_ok("predict", "-m", model, "--to", "labels", data)

    def test_training_from_the_optimum_stops_at_once(self):
        for features in ("observed", "all"):
            options = [*self.OPTIONS, *self.SHARP, "--features", features]
            first = self.train("f.croft", *options, *self.whole, self.data)
            log = self.folder / "log"
            second = self.train("s.croft", *options, "--init", first, "--log", log, self.data)
            one, two = self.record(first), self.record(second)
            self.assertEqual(one["weights"], two["weights"])
            self.assertLessEqual(two["iterations"], 2)
            at_start = json.loads(log.read_text().splitlines()[0])
            self.assertEqual(at_start["iteration"], 0)
            # The model has its weights in single precision.
            self.assertAlmostEqual(at_start["objective"], one["objective_value"], delta=1e-4)
            self.assertEqual(self.labels(first, self.test), self.labels(second, self.test))

    def test_a_strong_prior_of_itself_leaves_the_model_as_it_is(self):
        # What %seen sees may change with the data; the same data leaves it as it is.
        plain = self.file("plain.template", self.template.read_text().replace("U4:%seen[fold]\n", ""))
        ask = ["--to", "json", "--spans", "--probability"]
        for template, new in ((self.template, self.data), (plain, self.more)):
            first = self.train("f.croft", *self.OPTIONS, *self.whole[2:], "--segment-template", template, self.data)
            second = self.train("s.croft", *self.OPTIONS, "--prior", first, "--l2", "1e8", new)
            self.assertTrue(self.record(second)["prior"])
            for a, b in zip(lines_of(self.run_ok("predict", "-m", first, *ask, self.test)),
                            lines_of(self.run_ok("predict", "-m", second, *ask, self.test))):
                self.assertEqual(a["labels"], b["labels"])
                self.assertAlmostEqual(a["probability"], b["probability"], places=4)

    def test_a_weak_prior_goes_to_the_new_data(self):
        first = self.train("f.croft", *self.OPTIONS, self.data)
        swapped = self.file("swapped", sentences(40, 2).replace("PER", "X").replace("LOC", "PER")
                            .replace("X", "LOC"))
        second = self.train("s.croft", *self.OPTIONS, "--prior", first, "--l2", 0.1, swapped)
        self.assertNotEqual(self.labels(first, swapped), self.labels(second, swapped))

    def test_new_labels_and_longer_segments_have_their_place(self):
        first = self.train("f.croft", *self.OPTIONS, *self.whole, self.data)
        more = self.file("new", "Acme B-ORG\nof I-ORG\nthe I-ORG\nNew I-ORG\nHam I-ORG\nInc I-ORG\nsaw O\n\n"
                         "Anna B-PER\nBerg I-PER\n")
        second = self.train("s.croft", *self.OPTIONS, "--init", first, "--l2", 0.1, more)
        summary = json.loads(self.run_ok("inspect", "-m", second, "--json"))
        self.assertEqual({each["name"]: each["longest"] for each in summary["segments"]},
                         {"PER": 2, "LOC": 4, "O": 1, "ORG": 6})
        self.assertEqual(self.labels(second, more).split()[:7], ["B-ORG"] + ["I-ORG"] * 5 + ["O"])

    def test_threads_and_a_checkpoint_do_not_change_it(self):
        first = self.train("f.croft", *self.OPTIONS, *self.whole, "--max-iterations", 5, self.data)
        options = [*self.OPTIONS, "--prior", first, self.more]
        whole = self.train("1.croft", "--threads", 1, *options).read_bytes()
        self.assertEqual(whole, self.train("2.croft", "--threads", 2, *options).read_bytes())
        folder = self.folder / "state"
        self.train("p.croft", "--checkpoint", folder, "--checkpoint-interval", 0, "--max-iterations", 4,
                   *options)
        self.assertEqual(self.train("r.croft", "--checkpoint", folder, *options).read_bytes(), whole)

    def test_what_does_not_go_together_is_refused(self):
        first = self.train("f.croft", *self.OPTIONS, "--max-iterations", 5, self.data)
        chain = self.train("c.croft", "--max-iterations", 5, self.data)
        self.refuses_to_train(BAD_INPUT, "--model", "segment", "--init", chain, self.data, mentions=["chain"])
        self.refuses_to_train(WRONG_USAGE, "--model", "segment", "--init", first, "--prior", first, self.data,
                              mentions=["leave out --init"])
        self.refuses_to_train(WRONG_USAGE, "--model", "segment", "--prior", first, "--l2", 0, self.data,
                              mentions=["--l2"])
        bioes = self.file("bioes", "a S-PER\nb B-LOC\nc E-LOC\n")
        self.refuses_to_train(WRONG_USAGE, "--model", "segment", "--init", first, "--label-scheme", "raw", bioes,
                              mentions=["--label-scheme"])

    def test_variances_are_those_of_names(self):
        variances = self.file("variances", "U2:*\t1e-12\n")
        model = self.train("m.croft", *self.OPTIONS, *self.whole, "--variances", variances, self.data)
        weights = [line.split("\t") for line in self.run_ok("inspect", "-m", model, "--weights").splitlines()]
        small = [abs(float(row[3])) for row in weights if row[0] == "segment" and row[1].startswith("U2:")]
        large = [abs(float(row[3])) for row in weights if row[0] == "segment" and row[1].startswith("U1:")]
        self.assertTrue(small and max(small) < 1e-6 < max(large))

    def test_an_explanation_adds_up_to_the_odds(self):
        model = self.train("m.croft", *self.OPTIONS, *self.whole, self.data)
        explained = lines_of(self.run_ok("explain", "-m", model, "--json", "--top", 1000, self.test))
        best = lines_of(self.run_ok("predict", "-m", model, "--to", "json", "--k-best", 200, "--spans",
                                    self.test))
        seen = 0
        for found, one in zip(explained, best):
            k_best = {tuple(each["labels"]): each["log_probability"] for each in one["k_best"]}
            self.assertAlmostEqual(math.log(found["probability"]), one["k_best"][0]["log_probability"],
                                   places=4)
            spans = {(s["start"], s["end"]): s["probability"] for s in one["spans"]}
            for segment in found["explained"]:
                total = sum(reason["difference"] for reason in segment["reasons"])
                self.assertAlmostEqual(total, segment["difference"], places=9)
                self.assertEqual(segment["rest"]["count"], 0)
                self.assertGreaterEqual(segment["difference"], -1e-9)
                if segment["label"] != "O":
                    self.assertAlmostEqual(segment["probability"], spans[segment["start"], segment["end"]],
                                           places=5)
                labels = list(one["labels"])
                for begin, end, label in segment["other"]:
                    labels[begin:end] = ["O"] if label == "O" else (
                        ["B-" + label] + ["I-" + label] * (end - begin - 1))
                odds = k_best.get(tuple(labels))
                if odds is None:
                    continue
                seen += 1
                self.assertAlmostEqual(one["k_best"][0]["log_probability"] - odds, segment["difference"],
                                       places=3)
        self.assertGreater(seen, 100)

    def test_an_explanation_is_for_people_too(self):
        model = self.train("m.croft", *self.OPTIONS, *self.whole, self.data)
        new = self.file("new", "near\nNew\nHam\nsaw\nzzz\n")
        text = self.run_ok("explain", "-m", model, "--unknown", "--top", 3, new)
        self.assertIn("1-2  New Ham\n  LOC ", text)
        self.assertIn("in all", text)
        self.assertIn("unknown to the model", text)
        against = lines_of(self.run_ok("explain", "-m", model, "--json", "--against", "PER", "--positions", 1,
                                       new))[0]["explained"]
        self.assertEqual([(one["start"], one["end"]) for one in against], [(1, 3)])
        self.assertEqual({label for _, _, label in against[0]["other"]}, {"PER"})
        self.fails(WRONG_USAGE, "explain", "-m", model, "--against", "B-PER", new, mentions=["PER"])
        self.fails(WRONG_USAGE, "explain", "-m", model, "--constrain", "bio", new, mentions=["constraints"])


if __name__ == "__main__":
    main()
