"""Texts, sparse numbers and tables from the command line: trained, predicted, evaluated, explained."""

import csv
import io
import json
import random

from support import BAD_INPUT, WRONG_USAGE, CliTest, croft, main

TOPICS = {"sport": ["goal", "team", "league", "coach", "Größe"], "food": ["bread", "soup", "Salt", "oven", "naïve"],
          "law": ["court", "judge", "plea", "appeal", "statute"]}
COMMON = ["the", "a", "of", "said", "today", "more"]


def documents(count, seed):
    """(label, text) with two words of the label's topic each."""
    generator = random.Random(seed)
    made = []
    for _ in range(count):
        label = generator.choice(sorted(TOPICS))
        words = generator.choices(TOPICS[label], k=2) + generator.choices(COMMON, k=6)
        generator.shuffle(words)
        made.append((label, " ".join(words)))
    return made


def as_text(pairs):
    return "".join(f"{label}\t{text}\n" for label, text in pairs)


def table(count, seed):
    """Rows whose class follows from age and job; a quarter of the ages is missing."""
    generator = random.Random(seed)
    rows = []
    for number in range(count):
        age = generator.randint(18, 80)
        job = generator.choice(["clerk", "cook, chef", 'so-called "guru"', "two\nlines"])
        old = age > 50 or job == "cook, chef"
        rows.append({"id": number, "age": "NA" if generator.random() < 0.25 and not old else age, "job": job,
                     "zip": generator.choice([1000, 2000]), "label": "old" if old else "young"})
    return rows


def as_csv(rows, columns=("id", "age", "job", "zip", "label"), **form):
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n", **form)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


class Texts(CliTest):
    def setUp(self):
        super().setUp()
        self.pairs = documents(200, 1)
        self.new = documents(50, 2)
        self.data = self.file("train.tsv", as_text(self.pairs))
        self.labelled = self.file("new.tsv", as_text(self.new))
        self.unlabelled = self.file("new.txt", "".join(text + "\n" for _, text in self.new))

    def accuracy(self, model):
        return json.loads(self.run_ok("evaluate", "-m", model, "--json", self.labelled))["tokens"]["accuracy"]

    def test_texts_without_spaces_are_told_apart_by_their_characters(self):
        fruit, vehicles = "苹果 香蕉 橘子 西瓜 葡萄".split(), "汽车 飞机 火车 轮船 单车".split()
        draw = random.Random(1)

        def texts(count):
            rows = [(label, "我" + draw.choice(["喜欢", "要买", "看见了"]) + draw.choice(things) +
                     draw.choice(["。", "和" + draw.choice(things) + "！"]))
                    for label, things in (draw.choice([("fruit", fruit), ("vehicle", vehicles)]) for _ in range(count))]
            return "".join(f"{label}\t{text}\n" for label, text in rows)
        data, test = self.file("zh", texts(40)), self.file("zh-test", texts(30))
        done = croft("train", "--format", "text", "-o", self.folder / "w", data)
        self.assertIn("--analyzer mixed makes terms of their characters", done.stderr.decode())
        self.assertIn("a model of kind maxent, as each text has a label of its own", done.stderr.decode())
        done = croft("train", "--format", "text", "--analyzer", "mixed", "-o", self.folder / "m", data)
        self.assertNotIn("warning", done.stderr.decode())
        scores = [json.loads(self.run_ok("evaluate", "-m", self.folder / name, "--json", test))["tokens"]["accuracy"]
                  for name in ("w", "m")]
        self.assertLess(scores[0], 0.9)
        self.assertGreater(scores[1], 0.95)
        self.assertIn("喜欢", self.run_ok("inspect", "-m", self.folder / "m", "--weights"))

    def test_every_weighting_learns_to_tell_topics(self):
        for options in ([], ["--term-weights", "tf-idf"], ["--term-weights", "binary", "--min-documents", "2"],
                        ["--ngrams", "1-2", "--stop-words", "english"], ["--hash-bits", "12"],
                        ["--analyzer", "char_wb", "--ngrams", "2-4"], ["--norm", "l2", "--sublinear"],
                        ["--analyzer", "char", "--ngrams", "3", "--max-documents", "0.5", "--max-terms", "400"],
                        ["--hash-bits", "12", "--term-weights", "tf-idf"], ["--keep-case"]):
            with self.subTest(options=options):
                model = self.train("m.croft", "--format", "text", "--l2", "0.1", *options, self.data)
                self.assertGreater(self.accuracy(model), 0.9)
                predicted = self.run_ok("predict", "-m", model, self.unlabelled)
                self.assertEqual(predicted, self.run_ok("predict", "-m", model, self.labelled))
                lines = predicted.split("\n")
                self.assertEqual(lines.pop(), "")
                self.assertEqual(len(lines), len(self.new))  # one label a line, and nothing between
                right = sum(line == label for line, (label, _) in zip(lines, self.new))
                self.assertAlmostEqual(right / len(lines), self.accuracy(model))
                self.run_ok("inspect", "--verify", "-m", model)

    def test_every_line_of_unlabelled_text_has_an_answer(self):
        model = self.train("m.croft", "--format", "text", self.data)
        lines = self.run_ok("predict", "-m", model, "-", stdin=b"\nthe soup\n\nthe judge\n").split("\n")
        self.assertEqual(len(lines), 5)
        self.assertEqual((lines[1], lines[3], lines[4]), ("food", "law", ""))
        self.assertEqual(lines[0], lines[2])

    def test_answers_have_the_forms_of_other_formats(self):
        model = self.train("m.croft", "--format", "text", self.data)
        out = self.run_ok("predict", "-m", model, "--to", "columns", "--marginals", "-", stdin=b"law\ta judge\n")
        self.assertRegex(out, r"\Alaw\tlaw\t0\.\d{6}\n\Z")
        out = self.run_ok("predict", "-m", model, "--k-best", "2", "-", stdin=b"a judge\nsoup\n")
        self.assertRegex(out, r"\A(# 1 0\.\d+\n\w+\n# 2 0\.\d+\n\w+\n){2}\Z")
        out = self.run_ok("predict", "-m", model, "--to", "json", "--probability", "-", stdin=b"a judge\n")
        self.assertEqual(json.loads(out)["labels"], ["law"])

    def test_the_model_is_the_same_from_a_file_and_from_standard_input(self):
        options = ["--format", "text", "--term-weights", "tf-idf", "--min-documents", "0.02"]
        a = self.train("a.croft", *options, self.data).read_bytes()
        b = self.train("b.croft", *options, "-", stdin=self.data.read_bytes()).read_bytes()
        self.assertEqual(a, b)
        half = as_text(self.pairs[:90]), as_text(self.pairs[90:])
        c = self.train("c.croft", *options, "--threads", "2", self.file("1", half[0]), self.file("2", half[1]))
        self.assertEqual(c.read_bytes(), a)

    def test_stop_words_come_from_a_file(self):
        words = self.file("stop.txt", "the\n\n said \njudge\n")
        model = self.train("m.croft", "--format", "text", "--stop-words", words, self.data)
        shown = self.run_ok("explain", "-m", model, "--top", "50", "--unknown", "-", stdin=b"the judge said court\n")
        self.assertIn("court", shown)
        for word in ("judge", "said"):
            self.assertNotIn(word, shown)

    def test_explain_names_the_terms(self):
        model = self.train("m.croft", "--format", "text", "--ngrams", "1-2", self.data)
        document = json.loads(self.run_ok("explain", "-m", model, "--json", "-", stdin=b"a judge and SALT\n"))
        self.assertIn("judge", json.dumps(document))
        self.assertIn("salt", json.dumps(document))

    def test_training_goes_on_from_a_model_with_its_own_terms(self):
        first = self.train("a.croft", "--format", "text", "--term-weights", "tf-idf", "--ngrams", "1-2", self.data)
        second = self.train("b.croft", "--format", "text", "--init", first, self.labelled)
        self.assertGreater(self.accuracy(second), 0.9)
        self.refuses_to_train(WRONG_USAGE, "--format", "text", "--init", first, "--ngrams", "2", self.data,
                              mentions=["leave out the options of --format text"])

    def test_a_holdout_is_read_with_the_terms_of_the_data(self):
        log = self.folder / "log"
        self.train("m.croft", "--format", "text", "--term-weights", "tf-idf", "--holdout", self.labelled, "--log", log,
                   self.data)
        last = [json.loads(line) for line in log.read_text().splitlines()][-2]
        self.assertGreater(last["holdout_accuracy"], 0.9)

    def test_bad_lines_are_errors(self):
        self.refuses_to_train(BAD_INPUT, "--format", "text", "-", stdin=b"a\tx y\nno label\n", mentions=["<stdin>:2:1"])
        self.refuses_to_train(BAD_INPUT, "--format", "text", "--term-weights", "tf-idf", "-", stdin=b"a\t?\n",
                              mentions=["no term of the 1 texts is left"])
        self.refuses_to_train(BAD_INPUT, "--format", "text", "--min-documents", "2", "-", stdin=b"",
                              mentions=["no data"])
        empty = self.file("stop.txt", "\n")
        self.refuses_to_train(BAD_INPUT, "--format", "text", "--stop-words", empty, self.data,
                              mentions=["no stop words"])

    def test_a_damaged_vocabulary_is_found_or_harmless(self):
        model = self.train("m.croft", "--format", "text", "--term-weights", "tf-idf", self.data)
        bytes_ = bytearray(model.read_bytes())
        generator = random.Random(1)
        for _ in range(40):
            damaged = bytearray(bytes_)
            damaged[generator.randrange(len(damaged))] ^= 1 << generator.randrange(8)
            path = self.file("damaged.croft", bytes(damaged))
            done = croft("predict", "-m", path, self.unlabelled)
            self.assertIn(done.returncode, (0, BAD_INPUT), done.stderr)


class Svmlight(CliTest):
    def rows(self, count, seed, group=0):
        generator = random.Random(seed)
        lines = []
        for number in range(count):
            label = generator.choice(["+1", "-1"])
            first = 1 if label == "+1" else 2
            values = sorted({first, *generator.sample(range(3, 20), 3)})
            qid = f" qid:{number // group}" if group else ""
            lines.append(label + qid + "".join(f" {index}:{generator.uniform(0.5, 2):.3f}" for index in values))
        return lines

    def test_rows_are_learnt_and_labelled(self):
        train = self.file("train.svm", "# made\n" + "\n".join(self.rows(200, 1)) + "\n")
        new = self.rows(40, 2)
        model = self.train("m.croft", "--format", "svmlight", train)
        predicted = self.run_ok("predict", "-m", model, "-", stdin="\n".join(new).encode()).splitlines()
        self.assertEqual(predicted, [row.split()[0] for row in new])
        bare = "\n".join(row.split(" ", 1)[1] for row in new).encode()
        self.assertEqual(self.run_ok("predict", "-m", model, "-", stdin=bare).splitlines(), predicted)
        report = json.loads(self.run_ok("evaluate", "-m", model, "--json", "-", stdin="\n".join(new).encode()))
        self.assertEqual(report["tokens"]["accuracy"], 1)

    def test_rows_with_a_qid_are_sequences_with_blank_lines_between(self):
        train = self.file("train.svm", "\n".join(self.rows(200, 1, group=4)) + "\n")
        new = self.rows(8, 2, group=4)
        model = self.train("m.croft", "--format", "svmlight", train)
        blocks = self.run_ok("predict", "-m", model, "-", stdin="\n".join(new).encode()).split("\n\n")
        self.assertEqual([len(block.splitlines()) for block in blocks], [4, 4, 0])

    def test_bad_rows_are_errors(self):
        self.refuses_to_train(BAD_INPUT, "--format", "svmlight", "-", stdin=b"a 1:1\nb 3:1 2:1\n",
                              mentions=["<stdin>:2:7", "sort each row"])
        self.refuses_to_train(WRONG_USAGE, "--format", "svmlight", "--template", "t", "-",
                              mentions=["--template goes with --format columns"])


class Tables(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("train.csv", as_csv(table(300, 1)))
        self.rows = table(60, 2)

    def test_a_table_without_a_row_is_said_to_be_one(self):
        data = self.file("d.csv", "a,b,label\n")
        for kind in ("maxent", "naive-bayes"):
            self.fails(BAD_INPUT, "train", "--quiet", "--model", kind, "--format", "csv", "-o",
                       self.folder / "m.croft", data, mentions=["a header, and no row below it"])

    def test_columns_of_both_kinds_are_learnt(self):
        for options in (["--standardise"], ["--categorical", "zip", "--standardize"]):
            model = self.train("m.croft", "--format", "csv", "--ignore", "id", "--missing", "NA", *options, self.data)
            new = self.file("new.csv", as_csv(self.rows))
            report = json.loads(self.run_ok("evaluate", "-m", model, "--json", new))
            self.assertGreater(report["tokens"]["accuracy"], 0.85)
            predicted = self.run_ok("predict", "-m", model, new)
            self.assertEqual(len(predicted.splitlines()), len(self.rows))
            # Columns in another order, the ignored one and the label left out.
            other = self.file("other.csv", as_csv(self.rows, ("job", "zip", "age")))
            self.assertEqual(self.run_ok("predict", "-m", model, other), predicted)
            shown = self.run_ok("explain", "-m", model, "--top", "9", other)
            self.assertIn("job=cook, chef", shown)
            self.assertIn("zip" if options[0] == "--standardise" else "zip=", shown)

    def test_delimiters_and_labels_are_stated(self):
        for name, delimiter in (("tab", "\t"), ("semicolon", ";"), (";", ";"), ("comma", ",")):
            data = self.file("d.csv", as_csv(table(100, 1), delimiter=delimiter))
            model = self.train("m.croft", "--format", "csv", "--delimiter", name, "--label", "zip",
                               "--ignore", "id,age", data)
            self.assertLessEqual(set(self.run_ok("predict", "-m", model, data).split()), {"1000", "2000"})

    def test_a_name_with_a_comma_stands_in_quotes(self):
        data = self.file("d.csv", '"a, b",c,y\n1,2,p\n3,4,q\n')
        model = self.train("m.croft", "--format", "csv", "--ignore", '"a, b"', data)
        self.assertNotIn("a, b", self.run_ok("explain", "-m", model, data))
        self.refuses_to_train(BAD_INPUT, "--format", "csv", "--ignore", "a", "--ignore", "b", data,
                              mentions=['no column "a", which --ignore names'])

    def test_the_model_is_the_same_from_a_file_and_from_standard_input(self):
        options = ["--format", "csv", "--missing", "NA", "--standardise"]
        a = self.train("a.croft", *options, self.data).read_bytes()
        b = self.train("b.croft", *options, "-", stdin=self.data.read_bytes()).read_bytes()
        self.assertEqual(a, b)

    def test_training_goes_on_from_a_model_with_its_own_columns(self):
        first = self.train("a.croft", "--format", "csv", "--missing", "NA", "--standardise", self.data)
        self.train("b.croft", "--format", "csv", "--init", first, self.file("new.csv", as_csv(self.rows)))
        self.refuses_to_train(WRONG_USAGE, "--format", "csv", "--init", first, "--ignore", "id", self.data,
                              mentions=["leave out the options of --format csv"])

    def test_other_columns_are_one_error(self):
        model = self.train("m.croft", "--format", "csv", "--missing", "NA", self.data)
        self.fails(BAD_INPUT, "predict", "-m", model, "-", stdin=b"id,age,wage\n1,2,3\n",
                   mentions=['"job", "zip"', '"wage" unknown'])
        self.fails(BAD_INPUT, "evaluate", "-m", model, "-", stdin=b"id,age,job,zip\n1,2,a,1\n",
                   mentions=['"label" missing'])
        self.fails(BAD_INPUT, "predict", "-m", model, "-", stdin=b"id,age,job,zip\n1,x,a,1\n",
                   mentions=["<stdin>:2:3", 'numeric column "age"'])


class DataThatTheModelDoesNotKnow(CliTest):
    WARNING = "warning: the model knows no attribute of the data, the first of which is "

    def predicted(self, model, *arguments, stdin):
        """(labels, what is said on standard error)"""
        done = croft("predict", "-m", model, *arguments, "-", stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stdout.decode().splitlines() if line], done.stderr.decode()

    def expect_warning(self, model, unknown, first, known, labels, *arguments):
        shown, said = self.predicted(model, *arguments, stdin=unknown)
        self.assertEqual(len(shown), labels)
        self.assertEqual(len(set(shown)), 1)  # the same whatever they are
        self.assertEqual(said.count("warning"), 1, said)
        self.assertTrue(said.startswith(f'{self.WARNING}"{first}"'), said)
        # One attribute that is known is enough.
        shown, said = self.predicted(model, *arguments, stdin=known)
        self.assertEqual((len(shown), said), (labels, ""))

    def test_numbers(self):
        data = self.file("d.svm", "a 1:1 2:1\nb 2:1 3:1\n")
        for kind in ("maxent", "naive-bayes"):
            model = self.train("m.croft", "--model", kind, "--format", "svmlight", data)
            self.expect_warning(model, b"a 7:1 8:1\nb 9:2\n", "7", b"a 7:1 8:1\nb 3:2\n", 2)
            self.assertEqual(self.predicted(model, stdin=b"a\n")[1], "")  # nothing there to be known

    def test_tables(self):
        data = self.file("d.csv", "u,v,label\nx,p,a\ny,q,b\n")
        for kind in ("maxent", "naive-bayes"):
            model = self.train("m.croft", "--model", kind, "--format", "csv", data)
            self.expect_warning(model, b"u,v\nnew,other\nz,z\n", "u=new", b"u,v\nnew,other\nz,q\n", 2)

    def test_texts(self):
        data = self.file("d.tsv", "a\tthe goal\nb\tthe soup\n")
        model = self.train("m.croft", "--format", "text", data)
        self.expect_warning(model, b"never seen\nat all\n", "never", b"never seen\nat all soup\n", 2)

    def test_attributes(self):
        data = self.file("d.txt", "a\tu=x\n\nb\tu=y\nb\tu=z\n")
        for kind in ("chain", "maxent", "memm"):
            model = self.train("m.croft", "--model", kind, "--format", "attributes", data)
            self.expect_warning(model, b"\tw=x\n\n\tw=y\n", "w=x", b"\tw=x\n\n\tu=y\n", 2, "--to", "json")

    def test_it_is_said_once_for_several_files(self):
        model = self.train("m.croft", "--format", "svmlight", self.file("d.svm", "a 1:1 2:1\nb 2:1 3:1\n"))
        new, known = self.file("new.svm", "7:1\n"), self.file("known.svm", "3:1\n")
        done = croft("predict", "-m", model, new, new)
        self.assertEqual((done.stderr.count(b"warning"), len(done.stdout.split())), (1, 2))
        self.assertEqual(croft("predict", "-m", model, new, known).stderr, b"")

    def test_columns_are_as_new_as_they_are(self):
        data = self.file("d.conll", "x a\ny b\n\n")
        model = self.train("m.croft", "--features", "observed", "--template", self.file("t", "U:%x[0,0]\nB\n"), data)
        self.assertEqual(croft("predict", "-m", model, "-", stdin=b"new\n").stderr, b"")


class Options(CliTest):
    def test_an_option_of_another_format_is_a_usage_error(self):
        for arguments in (["--format", "csv", "--analyzer", "char"], ["--ngrams", "2"],
                          ["--format", "svmlight", "--label", "x"],
                          ["--format", "text", "--delimiter", "tab"], ["--format", "attributes", "--keep-case"],
                          ["--format", "text", "--standardise"], ["--format", "svmlight", "--hash-bits", "3"]):
            with self.subTest(arguments=arguments):
                self.refuses_to_train(WRONG_USAGE, *arguments, "-", mentions=["goes with --format"])

    def test_values_that_make_no_sense_are_usage_errors(self):
        for arguments in (["--ngrams", "2-1"], ["--ngrams", "x"], ["--ngrams", "1-2-3"], ["--min-documents", "0"],
                          ["--max-documents", "1.5"], ["--min-documents", "many"], ["--hash-bits", "29"],
                          ["--max-terms", "0"],
                          ["--hash-bits", "5", "--max-terms", "3"], ["--term-weights", "binary", "--sublinear"],
                          ["--analyzer", "char", "--stop-words", "english"], ["--norm", "l3"]):
            with self.subTest(arguments=arguments):
                done = croft("train", "-o", self.folder / "m", "--format", "text", *arguments, "-")
                self.assertEqual(done.returncode, WRONG_USAGE, done.stderr)
        for arguments in (["--delimiter", "|"], ["--numeric", "a", "--ignore", "a"],
                          ["--label", "a", "--numeric", "a"]):
            with self.subTest(arguments=arguments):
                done = croft("train", "-o", self.folder / "m", "--format", "csv", *arguments, "-", stdin=b"a,y\n1,2\n")
                self.assertEqual(done.returncode, WRONG_USAGE, done.stderr)

    def test_help_shows_the_groups_and_an_example(self):
        shown = self.run_ok("train", "--help=all")
        for text in ("Texts (--format text)", "Tables (--format csv)", "--term-weights", "--standardise",
                     "croft train -o m.croft --format text"):
            self.assertIn(text, shown)


if __name__ == "__main__":
    main()
