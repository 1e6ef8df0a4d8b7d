"""croft train --documents: what a first pass says of the same word elsewhere in its document, in one model."""

import json

from made_documents import documents, text_of
from support import BAD_INPUT, WRONG_USAGE, CliTest, croft, main

MARK = "--documents=-DOCSTART-"
PARTS = ["--document-parts", "3"]


def accuracy(gold, labels):
    pairs = [(row.split()[-1], label) for row, label in zip(gold.split("\n"), labels.split("\n")) if row.strip()]
    return sum(a == b for a, b in pairs) / len(pairs)


def without_labels(text):
    return "".join(line.rsplit(" ", 1)[0] + "\n" if line else "\n" for line in text.split("\n")[:-1])


class DocumentsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.docs = documents(8, 1)
        self.data = self.file("train", text_of(self.docs))
        self.test = text_of(documents(5, 2))
        self.new = self.file("new", without_labels(self.test))
        self.template = self.file("t", "U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nB\n")

    def model(self, name, *options):
        return self.train(name, MARK, *PARTS, "--template", self.template, *options, self.data)

    def without_record(self, model):
        """The weights: what the hold-out scored stands in the record."""
        return self.run_ok("inspect", "--weights", "-m", self.file("w.croft", model))

    def labels(self, model, data=None, *options):
        return self.run_ok("predict", "-m", model, "--to", "labels", *options, data or self.new)

    def test_it_labels_as_the_two_models_do_of_which_it_is_made(self):
        """Attribute lines of stack, without its posteriors of the word itself, make the same second model."""
        model = self.model("m.croft")
        first = self.train("first.croft", "--template", self.template, self.data)

        def lines(name, *options):
            out = self.run_ok("stack", "-m", first, "--elsewhere", "--group-by=-DOCSTART-", "--template",
                              self.template, *options)
            return self.file(name, "".join("\t".join(item for item in line.split("\t") if not item.startswith("chain="))
                                           + "\n" for line in out.split("\n")[:-1]))
        second = self.train("second.croft", "--format", "attributes", "--features", "all",
                            lines("a", "--jackknife", "3", self.data))
        self.assertEqual(self.labels(model), self.labels(second, lines("b", self.new)))
        probability = [json.loads(line)["probability"] for line in self.run_ok(
            "predict", "-m", model, "--to", "json", "--probability", self.new).splitlines()]
        composed = [json.loads(line)["probability"] for line in self.run_ok(
            "predict", "-m", second, "--to", "json", "--probability", lines("b", self.new)).splitlines()]
        for one, other in zip(probability, composed):
            self.assertAlmostEqual(one, other, delta=1e-4)

    def test_what_only_another_sentence_says_is_found(self):
        plain = self.train("plain.croft", "--template", self.template, self.data)
        self.assertLess(accuracy(self.test, self.labels(plain)), 0.95)
        nodes = self.file("nodes", "U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\n")
        for kind in ("chain", "maxent", "memm", "segment", "hidden-chain", "boosted-chain"):
            model = self.train("m.croft", MARK, *PARTS, "--model", kind, "--template",
                               nodes if kind in ("maxent", "boosted-chain") else self.template, self.data)
            self.assertEqual(accuracy(self.test, self.labels(model)), 1, kind)

    def test_each_document_is_labelled_by_itself(self):
        model = self.model("m.croft")
        together = self.labels(model)
        alone = ""
        for n, doc in enumerate(documents(5, 2)):
            alone += self.labels(model, self.file(f"new{n}", without_labels(text_of([doc]))))
        self.assertEqual(together, alone)
        piped = croft("predict", "-m", model, "--to", "labels", "-", stdin=self.new.read_bytes())
        self.assertEqual(together, piped.stdout.decode())
        for threads in ("1", "3"):
            self.assertEqual(together, self.labels(model, None, "--threads", threads))

    def test_the_same_bytes_for_any_threads(self):
        one = self.model("one.croft", "--threads", "1")
        three = self.model("three.croft", "--threads", "3")
        self.assertEqual(one.read_bytes(), three.read_bytes())

    def test_documents_are_told_in_other_ways_too(self):
        expected = self.labels(self.model("m.croft", "--seed", "1"))
        docs, new = self.docs, documents(5, 2)
        skipped = self.train("s.croft", MARK, *PARTS, "--template", self.template, "--ignore-lines", "^-DOCSTART-",
                             self.data)
        rows = [row for row in expected.split("\n")]
        marks = [n for n, row in enumerate(self.new.read_text().split("\n")) if row == "-DOCSTART-"]
        kept = "\n".join(row for n, row in enumerate(rows) if n not in marks and n - 1 not in marks)
        self.assertEqual(self.labels(skipped).strip().split(), kept.strip().split())

        def blank(docs):
            return "\n".join(text_of([doc[1:]]) for doc in docs)

        def numbered(docs):
            return "".join("\n".join(f"{n} {row}" if row else "" for row in text_of([doc[1:]]).split("\n")[:-1]) + "\n"
                           for n, doc in enumerate(docs))
        blanks = self.train("b.croft", "--documents", "blank-lines", *PARTS, "--template", self.template,
                            self.file("blank", blank(docs)))
        gaps = self.labels(blanks, self.file("newblank", without_labels(blank(new))))
        self.assertEqual(gaps.split(), kept.split())
        other = self.file("t1", "U0:%x[0,1]\nU1:%x[-1,1]\nU2:%x[1,1]\nB\n")
        columns = self.train("c.croft", "--documents", "0", "--document-column", "1", *PARTS, "--template", other,
                             self.file("columns", numbered(docs)))
        self.assertEqual(self.labels(columns, self.file("newc", without_labels(numbered(new)))).split(), kept.split())

    def test_lines_of_spans_have_a_key(self):
        def spans(docs):
            lines = []
            for n, doc in enumerate(docs):
                for sentence in doc[1:]:
                    rows = [row.split() for row in sentence.strip().split("\n")]
                    found = [{"start": t, "end": t + 1, "label": row[1][2:]}
                             for t, row in enumerate(rows) if row[1] != "O"]
                    lines.append(json.dumps({"doc": n, "tokens": [row[0] for row in rows], "spans": found}))
            return "\n".join(lines) + "\n"
        data = self.file("train.jsonl", spans(self.docs))
        model = self.train("m.croft", "--format", "spans", "--documents", "doc", *PARTS, "--template", self.template,
                           data)
        found = json.loads(self.run_ok("evaluate", "-m", model, "--json", self.file("t.jsonl", spans(documents(5, 2)))))
        self.assertEqual(found["chunk"]["f1"], 1)

    def test_verbs_that_read_data_look_at_its_documents(self):
        model = self.model("m.croft")
        data = self.file("test", self.test)
        self.assertEqual(json.loads(self.run_ok("evaluate", "-m", model, "--json", data))["tokens"]["accuracy"], 1)
        self.assertIn("elsewhere.best=", self.run_ok("explain", "-m", model, "--top", "10", data))
        self.assertIn("documents", self.run_ok("inspect", "-m", model))
        described = json.loads(self.run_ok("inspect", "--json", "-m", model))
        self.assertEqual(described["extraction"]["documents"]["by"], "-DOCSTART-")
        self.assertEqual(described["training"]["document_parts"], 3)
        plain = self.train("plain.croft", "--template", self.template, self.data)
        compared = json.loads(self.run_ok("compare", "-m", model, "-m", plain, data, "--json"))
        self.assertTrue(compared)
        self.run_ok("errors", "-m", model, data)
        self.run_ok("suggest", "-m", model, self.new)
        self.assertIn("--documents -DOCSTART-", self.run_ok("card", "-m", model).replace("'", "").replace("=", " "))
        self.run_ok("inspect", "--verify", "-m", model)
        searched = json.loads(self.run_ok("search", MARK, *PARTS, "--template", self.template, "--values",
                                          "l2=0.5,1", "--group-by=-DOCSTART-", "--folds", "2", "--smallest", "1",
                                          "--json", "--quiet", self.data))
        self.assertTrue(searched)

    def test_a_hold_out_keeps_documents_whole(self):
        log = self.folder / "log"
        self.model("m.croft", "--holdout", "0.3", "--log", log)
        events = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual(max(e["holdout"]["token_accuracy"] if "holdout" in e else e.get("holdout_accuracy", 0)
                             for e in events), 1)
        self.train("f.croft", MARK, *PARTS, "--holdout", self.file("dev", self.test), self.data)

    def test_labels_that_are_held_out_say_nothing(self):
        """Swapped in one document after the other, they change the model unless they are held out."""
        def bytes_of(docs):
            return self.train("h.croft", MARK, *PARTS, "--template", self.template, "--holdout", "0.3",
                              self.file("h", text_of(docs))).read_bytes()
        whole = bytes_of(self.docs)
        same = 0
        for n, doc in enumerate(self.docs):
            swapped = [s.replace("PER", "X").replace("LOC", "PER").replace("X", "LOC") for s in doc]
            changed = bytes_of([*self.docs[:n], swapped, *self.docs[n + 1:]])
            same += self.without_record(changed) == self.without_record(whole)
        self.assertEqual(same, 2, "of eight documents three tenths are held out")

    def test_other_models_of_it_are_trained_as_it_was(self):
        model = self.model("m.croft")
        lines = self.run_ok("stack", "-m", model, "--jackknife", "2", "--group-by=-DOCSTART-", self.data)
        self.assertIn("chain=B-LOC", lines)
        checkpoint = self.folder / "state"
        self.assertEqual(self.model("c.croft", "--checkpoint", checkpoint, "--checkpoint-interval", "0").read_bytes(),
                         model.read_bytes())
        nodes = self.file("nodes", "U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\n")
        self.train("b.croft", MARK, *PARTS, "--model", "boosted-chain", "--holdout", "0.3", "--early-stop", "2",
                   "--template", nodes, self.data)
        self.run_ok("search", MARK, "--document-parts", "2", "--values", "l2=0.5,1", "--folds", "2", "--smallest", "1",
                    "--quiet", self.data)

    def test_a_bad_row_ends_it_before_its_document(self):
        model = self.model("m.croft")
        bad = self.file("bad", self.new.read_text() + "-DOCSTART-\n\nabout\nKora\n\ntoo many cells here\n")
        done = croft("predict", "-m", model, "--to", "labels", bad)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertEqual(done.stdout.decode(), self.labels(model))

    def test_it_goes_with_weights_and_known_sets_of_labels(self):
        count = len(self.data.read_text().strip().split("\n\n"))
        self.model("w.croft", "--weights", self.file("w", "2\n" * count))
        partial = self.file("p", self.data.read_text().replace("B-LOC", "B-LOC|B-PER", 1))
        self.train("p.croft", MARK, *PARTS, "--partial", partial)

    def test_what_cannot_be_done_is_refused(self):
        def refused(*options, status=WRONG_USAGE, mentions=()):
            self.fails(status, "train", "--quiet", "-o", self.folder / "no.croft", *options, mentions=mentions)
        refused("--documents=NOMARK", self.data, mentions=["--documents NOMARK", "nothing in the data"])
        refused(MARK, "--document-parts", "20", self.data, mentions=["8 documents", "--document-parts 20"])
        refused(MARK, "--document-parts", "1", self.data, mentions=["--document-parts"])
        refused(MARK, "--document-column", "1", self.data, mentions=["--document-column 1", "1 column"])
        refused("--document-column", "0", self.data, mentions=["--documents"])
        refused(MARK, "--format", "attributes", self.data, mentions=["--documents", "attributes"])
        refused(MARK, "--model", "hmm", self.data, mentions=["--documents", "hmm"])
        refused("--documents", "1", self.data, mentions=["--documents 1", "1 column", "labels"])
        spans = self.file("s.jsonl", '{"d":1,"tokens":["a"],"spans":[]}\n{"tokens":["a"],"spans":[]}\n')
        refused("--documents", "d", "--format", "spans", spans, status=BAD_INPUT, mentions=["s.jsonl:2", 'key "d"'])
        model = self.model("m.croft")
        refused("--init", model, self.data, mentions=["looks at documents"])
        refused(MARK, "--init", model, self.data, mentions=["--init", "--documents"])
        refused(MARK, "--unlabelled", self.new, "--entropy", "1", self.data, mentions=["--unlabelled"])
        refused(MARK, "--objective", "perceptron", "--optimizer", "voted-perceptron", self.data,
                mentions=["no probabilities"])
        self.fails(WRONG_USAGE, "convert", "--to", "crfsuite", model, "-o", self.folder / "c", mentions=["documents"])
        self.assertFalse((self.folder / "no.croft").exists())


if __name__ == "__main__":
    main()
