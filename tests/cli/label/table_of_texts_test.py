"""Tables with a column of texts: every verb reads them as the same texts in lines."""

import csv
import io
import json
import random
import re

from support import WRONG_USAGE, CliTest, croft, main

TABLE = ["--format", "csv", "--text-column", "review", "--label", "stars"]
WORDS = {"good": ["fine", "great", "lovely"], "bad": ["dull", "poor", "Broken"]}


def reviews(count, seed):
    generator = random.Random(seed)
    rows = []
    for number in range(count):
        label, topic = generator.choices(sorted(WORDS), k=2)
        words = generator.choices(WORDS[topic if number % 5 == 0 else label], k=2)
        words += generator.choices(["a", "the", "it,", '"was"'], k=4)
        generator.shuffle(words)
        rows.append({"id": number, "review": ("\n" if number % 9 == 0 else " ").join(words), "stars": label})
    return rows


def as_csv(rows, columns=("id", "review", "stars"), delimiter=","):
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n", delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_text(rows, labelled=True):
    return "".join((row["stars"] + "\t" if labelled else "") + row["review"].replace("\n", " ") + "\n" for row in rows)


class TablesOfTexts(CliTest):
    def setUp(self):
        super().setUp()
        self.rows, self.new = reviews(120, 1), reviews(40, 2)
        self.table = self.file("train.csv", as_csv(self.rows))
        self.test = self.file("test.csv", as_csv(self.new))
        self.lines = self.file("train.tsv", as_text(self.rows))
        self.test_lines = self.file("test.tsv", as_text(self.new))
        options = ["--ngrams", "1-2", "--term-weights", "tf-idf", "--l2", "2"]
        self.of_table = self.train("t.croft", *TABLE, *options, self.table)
        self.of_lines = self.train("l.croft", "--format", "text", *options, self.lines)

    def both(self, verb, *options, data=None):
        """What a verb says of the table and of the lines, but for their numbers."""
        table, lines = data or (self.test, self.test_lines)
        return [re.sub(re.escape(str(path)) + r":\d+", "DATA:", self.run_ok(verb, "-m", model, *options, path))
                for model, path in ((self.of_table, table), (self.of_lines, lines))]

    def test_every_verb_has_of_a_table_what_it_has_of_its_texts(self):
        for verb, *options in (["predict", "--probability"], ["evaluate", "--json"], ["evaluate", "--confusion"],
                               ["explain", "--top", "2"]):
            with self.subTest(verb=verb):
                of_table, of_lines = self.both(verb, *options)
                self.assertEqual(of_table, of_lines)

    def test_verbs_without_a_format_read_what_the_model_was_trained_on(self):
        calibrated = []
        for model, data in ((self.of_table, self.test), (self.of_lines, self.test_lines)):
            path = model.with_suffix(".calibrated")
            self.run_ok("calibrate", "-m", model, "-o", path, data)
            calibrated.append(self.run_ok("predict", "-m", path, "--marginals", data))
        self.assertEqual(*calibrated)
        errors = [json.loads(each)["errors"] for each in self.both("errors", "--json")]
        self.assertEqual(*([{key: value for key, value in each.items() if key != "line"} for each in of_one]
                           for of_one in errors))
        self.assertGreater(len(errors[0]), 0)
        compared = [json.loads(self.run_ok("compare", "--json", "-m", model, "-m", model, data)) for model, data in
                    ((self.of_table, self.test), (self.of_lines, self.test_lines))]
        self.assertEqual(*(each["metrics"] for each in compared))

    def test_a_table_to_be_labelled_needs_no_labels(self):
        bare = self.file("bare.csv", as_csv(self.new, ("review", "id")))
        lines = self.file("bare.txt", as_text(self.new, labelled=False))
        self.assertEqual(*self.both("predict", data=(bare, lines)))
        self.assertEqual(self.run_ok("predict", "-m", self.of_table, "-", stdin=bare.read_bytes()),
                         self.run_ok("predict", "-m", self.of_table, bare))
        self.fails(WRONG_USAGE, "evaluate", "-m", self.of_table, bare,
                   mentions=['no column "stars" of labels', "has the columns review, id"])

    def test_a_model_of_lines_labels_a_table(self):
        text = self.run_ok("predict", "-m", self.of_lines, "--format", "csv", "--text-column", "review", self.test)
        self.assertEqual(text, self.run_ok("predict", "-m", self.of_table, self.test))
        self.assertEqual(self.run_ok("predict", "-m", self.of_table, "--format", "text", self.test_lines),
                         self.run_ok("predict", "-m", self.of_lines, self.test_lines))
        self.fails(WRONG_USAGE, "predict", "-m", self.of_lines, "--format", "csv", self.test,
                   mentions=["--text-column names the column that has the texts"])
        self.fails(WRONG_USAGE, "predict", "-m", self.of_lines, "--text-column", "review", self.test,
                   mentions=["--text-column is of --format csv"])

    def test_the_label_is_the_column_of_that_name_and_lines_are_those_of_rows(self):
        table = self.file("l.csv", "text;label\nfine;good\n\"so\nso\";bad\ngreat;good\npoor;bad\n")
        model = self.train("m.croft", "--format", "csv", "--text", "text", "--delimiter", ";", table)
        found = json.loads(self.run_ok("errors", "-m", model, "--json", table))
        self.assertEqual(found["errors"], [])
        wrong = self.file("w.csv", "text;label\nfine;good\n\"so\nso\";good\n")
        found = json.loads(self.run_ok("errors", "-m", model, "--json", wrong))
        self.assertEqual([each["line"] for each in found["errors"]], [3])

    def test_search_and_learning_curve_divide_its_rows(self):
        for verb, *options in (["search", "--values", "l2=1,4", "--folds", "3"],
                               ["learning-curve", "--shares", "0.5,1", "--test"]):
            with self.subTest(verb=verb):
                held = [[], []] if verb == "search" else [[self.test], [self.test_lines]]
                found = [json.loads(self.run_ok(verb, *form, "--json", *options, *own, data)) for form, data, own in
                         ((TABLE, self.table, held[0]), (["--format", "text"], self.lines, held[1]))]
                key = "candidates" if verb == "search" else "points"
                self.assertEqual(*(each[key] for each in found))

    def test_groups_are_those_of_another_column(self):
        rows = [{**row, "shop": f"s{n // 4}"} for n, row in enumerate(self.rows)]
        table = self.file("g.csv", as_csv(rows, ("id", "review", "stars", "shop")))
        done = croft("train", *TABLE, "--holdout", 0.3, "--group-by", "shop", "-o", self.folder / "g", table)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(int(re.findall(rb"; (\d+) held out", done.stderr)[0]) % 4, 0)
        self.refuses_to_train(WRONG_USAGE, *TABLE, "--holdout=0.3", "--group-by=shops", table,
                              mentions=["no column of this name"])
        self.refuses_to_train(WRONG_USAGE, *TABLE, "--holdout=0.3", "--group-by=shop", "-", mentions=["give a file"],
                              stdin=table.read_bytes())

    def test_check_looks_at_the_texts(self):
        table = json.loads(self.run_ok("check", "--json", *TABLE, self.table, self.test))
        lines = json.loads(self.run_ok("check", "--json", "--format", "text", self.lines, self.test_lines))
        self.assertEqual(table["train"]["labels"], lines["train"]["labels"])
        self.assertEqual(set(table["tests"][0]["findings"]), set(lines["tests"][0]["findings"]))

    def test_the_card_has_the_command_that_trains_it_again(self):
        card = self.run_ok("card", "-m", self.of_table, self.test)
        for words in ("--format csv", "--text-column review", "--label stars"):
            self.assertIn(words, card)

    def test_what_has_no_meaning_is_an_error(self):
        for options, words in ((["--text-column=reviews", "--label=stars"], "has the columns id, review, stars"),
                               (["--text-column=review"], "no column is called label or class"),
                               (["--text-column=review", "--label=review"], "texts and their labels"),
                               (["--format=text", "--text-column=review"], "--text-column goes with --format csv"),
                               (["--format=columns", "--text-column=review"], "--text-column goes with --format csv"),
                               ([*TABLE[2:], "--numeric=id"], "--numeric is of columns that are features"),
                               (["--ngrams=2", "--label=stars"], "--ngrams goes with --format text")):
            with self.subTest(options=options):
                form = [] if options[0].startswith("--format") else ["--format=csv"]
                self.refuses_to_train(WRONG_USAGE, *form, *options, self.table, mentions=[words])


if __name__ == "__main__":
    main()
