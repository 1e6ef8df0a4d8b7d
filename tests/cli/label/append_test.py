"""croft predict --append: the input comes back with the label and its probability."""

import json

from support import BAD_INPUT, WRONG_USAGE, CliTest, croft, main

ROWS = "".join(f"{word}\t{'L' if word < 'c' else 'H'}\n" + ("\n" if k % 3 == 2 else "")
               for k, word in enumerate("abcdabdcabcd" * 4))
TEXTS = "".join(f"{'good' if k % 2 else 'bad'}\t{'fine nice' if k % 2 else 'awful poor'} thing {k % 5}\n"
                for k in range(40))


class AppendTest(CliTest):
    def setUp(self):
        super().setUp()
        self.model = self.train("m.croft", "--ignore-lines", "^#", self.file("train.txt", ROWS))

    def append(self, model, *arguments, **options):
        return self.run_ok("predict", "-m", model, "--append", *arguments, **options)

    def test_what_is_added_to_rows_is_all_that_is_added(self):
        text = "\ufeff# one\na\tL\r\n# inside\nd\tH\n\n\n \t\nb\tL  \n\r\n# last\n\nc\tH\n# end\n\n"
        found = self.append(self.model, self.file("d.txt", text))
        stripped = []
        rows = 0
        for line in found.split("\n"):
            if line.strip("\ufeff \t\r") == "" or line.lstrip("\ufeff").startswith("#"):
                stripped.append(line)
                continue
            rows += 1
            end = "\r" if line.endswith("\r") else ""
            *cells, label, probability = line.rstrip("\r").split("\t")
            self.assertIn(label, ("L", "H"))
            self.assertGreater(float(probability), 0.5)
            stripped.append("\t".join(cells) + end)
        self.assertEqual("\n".join(stripped), text)
        self.assertEqual(rows, 4)

    def test_the_numbers_are_those_of_marginals_and_blanks_separate_what_blanks_separated(self):
        rows = self.file("d.txt", "a L\nd H\n\nc H")
        self.assertEqual(self.append(self.model, rows) + "\n\n",
                         self.run_ok("predict", "-m", self.model, "--marginals", rows))
        self.assertEqual(self.append(self.model, stdin=b"").strip(), "")
        self.assertEqual(self.append(self.model, stdin=b"# only\n"), "# only\n")

    def test_rows_without_a_label_get_one(self):
        found = self.append(self.model, self.file("d.txt", "a\nd\n"))
        self.assertEqual([line.split(" ")[:2] for line in found.splitlines()], [["a", "L"], ["d", "H"]])

    def test_files_follow_each_other_as_sequences_of_their_own(self):
        first, second = self.file("1.txt", "a\nb"), self.file("2.txt", "# two\nc\n\n")
        alone = [self.append(self.model, path) for path in (first, second)]
        self.assertEqual(self.append(self.model, first, second), "\n\n".join(alone))
        self.assertEqual(self.append(self.model, second, first), "".join(reversed(alone)))

    def test_threads_do_not_change_a_byte(self):
        path = self.file("d.txt", "# x\n" + ROWS * 60)
        self.assertEqual(self.append(self.model, path, "--threads", 1), self.append(self.model, path, "--threads", 4))

    def test_a_sequence_without_a_labelling_keeps_its_rows(self):
        rules = self.file("rules", "forbid L L\n")
        done = self.fails_with_output("predict", "-m", self.model, "--append", "--rule", "exactly 9 label L",
                                      self.file("d.txt", "a\n# b\nb\n"))
        self.assertEqual(done, "a ? nan\n# b\nb ? nan\n")
        self.assertTrue(rules.exists())

    def fails_with_output(self, *arguments):
        done = croft(*arguments)
        self.assertEqual(done.returncode, BAD_INPUT)
        return done.stdout.decode()

    def test_texts_get_two_fields_more(self):
        model = self.train("t.croft", "--format", "text", self.file("t.tsv", TEXTS))
        for text in ("good\tnice thing\nbad\tpoor thing", "\nnice thing\n\nfine thing\n"):
            path = self.file("d.tsv", text)
            found = self.append(model, path)
            labelled = self.run_ok("predict", "-m", model, "--marginals", path).splitlines()
            lines = text.splitlines()
            lines = [line for line in lines if line or not text.startswith("good")]
            self.assertEqual(found.splitlines(), [f"{line}\t{label}" for line, label in zip(lines, labelled)])

    def test_tables_get_two_columns_under_names_that_are_free(self):
        table = "".join(f"{k % 3},{'x' if k % 2 else 'y'},{'A' if k % 2 else 'B'}\n" for k in range(30))
        model = self.train("c.croft", "--model", "maxent", "--format", "csv", self.file("t.csv", "n,c,label\n" + table))
        labelled = self.append(model, self.file("d.csv", 'c,n,label\n"x",1,A\n\ny,2,B\n')).splitlines()
        self.assertEqual(labelled[0], "c,n,label,predicted_label,probability")
        self.assertTrue(labelled[1].startswith('"x",1,A,A,0.'), labelled)
        self.assertEqual(labelled[2], "")
        first, second = self.file("1.csv", "n,c\n1,x\n"), self.file("2.csv", "n,c\n2,y\n")
        both = self.append(model, first, second).splitlines()
        self.assertEqual(both, self.append(model, first).splitlines() + self.append(model, second).splitlines()[1:])
        self.assertEqual(both[0], "n,c,label,probability")
        other = croft("predict", "-m", model, "--append", self.file("3.csv", "c,n\nx,1\n"), first)
        self.assertEqual(other.returncode, BAD_INPUT)
        self.assertIn(b"1.csv:1: a header that is not that of the first table", other.stderr)

    def test_json_lines_come_back_with_spans_and_their_probabilities(self):
        data = "".join(json.dumps({"id": k, "tokens": ["in", "Rome", "now"], "spans": [[1, 2, "LOC"]]}) + "\n"
                       for k in range(8))
        model = self.train("s.croft", "--format", "spans", self.file("s.jsonl", data))
        path = self.file("d.jsonl", json.dumps({"id": 7, "tokens": ["in", "Rome"], "meta": {"by": "me"}}) + "\n")
        found = json.loads(self.append(model, path))
        self.assertEqual([found["id"], found["tokens"], found["meta"]], [7, ["in", "Rome"], {"by": "me"}])
        self.assertEqual([found["spans"][0][key] for key in ("start", "end", "label")], [1, 2, "LOC"])
        self.assertGreater(found["spans"][0]["probability"], 0.5)
        self.assertGreater(found["probability"], 0.5)
        prodigy = self.file("p.jsonl", json.dumps({"text": "in Rome", "meta": 1}) + "\n")
        found = json.loads(self.append(model, "--format", "prodigy", prodigy))
        self.assertEqual([found["text"], found["meta"], found["spans"][0]["label"]], ["in Rome", 1, "LOC"])
        self.fails(WRONG_USAGE, "predict", "-m", model, "--append", "--format", "raw", prodigy,
                   mentions=["--append gives lines of columns, spans"])

    def test_what_makes_no_sense_is_refused(self):
        rows = self.file("d.txt", "a\n")
        for option in (["--to", "json"], ["--probability"], ["--k-best", "2"], ["--marginals"]):
            self.fails(WRONG_USAGE, "predict", "-m", self.model, "--append", *option, rows, mentions=["--append"])
        model = self.train("a.croft", "--format", "attributes", self.file("a.txt", "L\ta\nH\tb\n"))
        self.fails(WRONG_USAGE, "predict", "-m", model, "--append", self.file("b.txt", "\ta\n"),
                   mentions=["another field of a line of attributes"])


if __name__ == "__main__":
    main()
