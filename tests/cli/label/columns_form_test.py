"""--label-column and --ignore-lines: rows of columns as others write them."""

import json

from support import BAD_INPUT, WRONG_USAGE, CliTest, croft, main, noise

WORDS = [(word, word.upper(), "L" if word < "c" else "H") for word in "abcdabdcabcd" * 3]


def data(order, comments=False):
    """Sequences of three rows; order: which of word, tag and label stands where."""
    text = ""
    for k, row in enumerate(WORDS):
        if comments and k % 3 == 0:
            text += f"# sequence {k // 3} of many words\n"
        text += " ".join(row[i] for i in order) + "\n" + ("\n" if k % 3 == 2 else "")
    return text


class ColumnsFormTest(CliTest):
    def weights(self, model):
        return self.run_ok("inspect", "--weights", "-m", model)

    def test_a_label_in_any_column_trains_the_model_of_one_in_the_last(self):
        template = self.file("template", "U0:%x[0,0]\nU1:%x[0,1]\nU2:%x[-1,1]\nB\n")
        plain = self.train("plain.croft", "--template", template, self.file("plain.txt", data((0, 1, 2))))
        for order, column in (((2, 0, 1), 1), ((0, 2, 1), 2), ((0, 1, 2), 3)):
            other = self.train("other.croft", "--template", template, "--label-column", column, "--ignore-lines", "^# ",
                               self.file("other.txt", data(order, comments=True)))
            self.assertEqual(self.weights(other), self.weights(plain))
            form = json.loads(self.run_ok("inspect", "--json", "-m", other))["extraction"]
            self.assertEqual((form["label_column"], form["ignored_lines"]), (column, "^# "))

    def test_the_model_reads_later_data_by_what_it_was_told(self):
        model = self.train("m.croft", "--label-column", 1, "--ignore-lines", "^#",
                           self.file("train.txt", data((2, 0, 1), comments=True)))
        labelled = self.file("test.txt", "# x\nL a A\nH d D\n")
        self.assertEqual(json.loads(self.run_ok("evaluate", "-m", model, "--json", labelled))["tokens"]["accuracy"], 1)
        self.assertEqual(self.run_ok("predict", "-m", model, labelled), "L a A L\nH d D H\n\n")
        self.assertEqual(self.run_ok("predict", "-m", model, self.file("new.txt", "a A\n#\nd D\n")),
                         "a A L\nd D H\n\n")
        last = self.file("last.txt", "% x\na A L\nd D H\n")
        told = ["--label-column", 3, "--ignore-lines", "^%"]
        found = json.loads(self.run_ok("evaluate", "-m", model, "--json", *told, last))["tokens"]
        self.assertEqual(found, {"count": 2, "correct": 2, "accuracy": 1})
        self.assertEqual(self.run_ok("predict", "-m", model, *told, last), "a A L L\nd D H H\n\n")
        self.run_ok("explain", "-m", model, labelled)
        self.run_ok("suggest", "-m", model, labelled)
        again = self.train("again.croft", "--init", model, self.file("more.txt", data((2, 0, 1), comments=True)))
        self.assertEqual(self.run_ok("predict", "-m", again, labelled), "L a A L\nH d D H\n\n")

    def test_a_line_that_is_not_utf8_is_warned_of_unless_the_model_is_of_such(self):
        latin = self.folder / "latin.txt"
        latin.write_bytes(b"a A L\n\nd\xe9 D H\n\n\xe9 D H\n\n")
        plain = self.train("plain.croft", self.file("train.txt", data((0, 1, 2))))
        said = f"warning: {latin}:3: a line that is not UTF-8".encode()
        for verb in (["predict"], ["evaluate"], ["explain"]):
            done = croft(*verb, "-m", plain, latin)
            self.assertEqual((done.returncode, done.stderr.count(b"not UTF-8")), (0, 1), done.stderr)
            self.assertIn(said, done.stderr)
        done = croft("train", "--quiet", "-o", self.folder / "own.croft", latin)
        self.assertIn(said, done.stderr)
        done = croft("predict", "-m", self.folder / "own.croft", latin)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_models_of_every_kind_keep_it(self):
        train = self.file("train.txt", data((2, 0, 1), comments=True))
        rows = ("--label-column", 1, "--ignore-lines", "^#")
        joint = self.file("joint", "u:%x[0,0] * %y\n")
        maxent = self.train("maxent.croft", "--model", "maxent", *rows, train)
        bayes = self.train("bayes.croft", "--model", "naive-bayes", *rows, train)
        hmm = self.train("hmm.croft", "--model", "hmm", *rows, train)
        chain = self.folder / "chain.croft"
        self.run_ok("convert", "--to", "chain", hmm, "-o", chain)
        first = self.train("joint.croft", "--model", "maxent", "--joint-template", joint, *rows, train)
        whole = self.train("segment.croft", "--model", "segment", *rows, train)
        models = [hmm, chain, first, whole,
                  self.train("init.croft", "--model", "maxent", "--joint-template", joint, "--init", first, train),
                  self.train("more.croft", "--model", "segment", "--init", whole, train),
                  # Of its components, or of its own.
                  self.train("mixed.croft", "--model", "mixture", "--expert", maxent, "--expert", bayes, train),
                  self.train("own.croft", "--model", "mixture", "--expert", maxent, "--expert", bayes,
                             "--label-column", 3, "--ignore-lines", "^%", self.file("last", data((0, 1, 2))))]
        for model in models[:-1]:
            tokens = json.loads(self.run_ok("evaluate", "-m", model, "--json", train))["tokens"]
            self.assertEqual((tokens["count"], tokens["accuracy"]), (len(WORDS), 1), model)
        form = json.loads(self.run_ok("inspect", "--json", "-m", models[-1]))["extraction"]
        self.assertEqual((form["label_column"], form["ignored_lines"]), (3, "^%"))

    def test_the_parts_of_a_jackknife_are_read_as_the_whole(self):
        train = self.file("train.txt", data((2, 0, 1), comments=True))
        model = self.train("m.croft", "--label-column", 1, "--ignore-lines", "^#", train)
        plain = self.file("plain.txt", data((0, 1, 2)))
        same = self.train("same.croft", plain)
        self.assertEqual(self.run_ok("stack", "-m", model, "--jackknife", 3, train),
                         self.run_ok("stack", "-m", same, "--jackknife", 3, plain))
        self.assertIn("--label-column 1 --ignore-lines '^#'", self.run_ok("card", "-m", model))

    def test_predictions_are_evaluated_against_the_labels_of_a_named_column(self):
        model = self.train("m.croft", "--label-column", 1, self.file("train.txt", data((2, 0, 1))))
        predicted = self.file("p.txt", self.run_ok("predict", "-m", model, self.file("t.txt", "L a A\nL d D\n")))
        found = json.loads(self.run_ok("evaluate", "--json", "--label-column", 1, predicted))
        self.assertEqual(found["tokens"], {"count": 2, "correct": 1, "accuracy": 0.5})
        self.assertEqual(found["labels"]["L"]["support"], 2)

    def test_check_search_and_learning_curve_read_the_same_rows(self):
        train = self.file("train.txt", data((2, 0, 1), comments=True))
        told = ["--label-column", 1, "--ignore-lines", "^#"]
        found = json.loads(self.run_ok("check", "--json", *told, train))
        self.assertEqual(found["train"]["labels"], {"H": 18, "L": 18})
        self.assertEqual(found["train"]["sequences"], 12)
        self.run_ok("search", "--quiet", *told, "--folds", 2, "--values", "l2=0.1,1", train)
        self.run_ok("learning-curve", *told, "--shares", "0.5,1", "--repeats", 1, train, "--test", train)

    def test_what_makes_no_sense_is_refused(self):
        rows = self.file("d.txt", "a A L\n")
        model = self.folder / "m.croft"
        self.fails(BAD_INPUT, "train", "-o", model, "--label-column", 4, rows,
                   mentions=["3 columns, and the label is to be in column 4"])
        self.fails(WRONG_USAGE, "train", "-o", model, "--ignore-lines", "(", rows,
                   mentions=["is no regular expression"])
        self.fails(WRONG_USAGE, "train", "-o", model, "--ignore-lines", "^$", rows, mentions=["an empty line"])
        text = self.file("t.tsv", "x\ta b\ny\tc d\n" * 3)
        for option in (["--label-column", 1], ["--ignore-lines", "^#"]):
            self.fails(WRONG_USAGE, "train", "-o", model, "--format", "text", *option, text, mentions=[option[0]])
            trained = self.train("t.croft", "--format", "text", text)
            self.fails(WRONG_USAGE, "predict", "-m", trained, *option, text, mentions=[option[0]])

    def test_without_these_options_a_model_is_what_it_was(self):
        train = self.file("train.txt", noise(20))
        plain = self.train("a.croft", train).read_bytes()
        self.assertNotIn(b"label_column", plain)
        self.assertNotIn(b"ignored_lines", plain)


if __name__ == "__main__":
    main()
