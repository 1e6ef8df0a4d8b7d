"""croft check: what is strange in labelled data."""

import json
import unittest

from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, croft

TRAIN = """Ann B-PER
left O

Ann B-PER
left O

Rome I-LOC
fell O

Ann O
left O

New B-LOC
York I-PER

"""
TEST = """Ann B-PER
left O

Ann O
left O

Eve B-ORG
left O

"""


class CheckTest(CliTest):
    def check(self, *arguments):
        return json.loads(self.run_ok("check", "--json", *arguments))

    def cases(self, findings, name):
        return [(case["line"], case.get("what"), case.get("other_line")) for case in findings[name]["cases"]]

    def test_each_finding_has_its_lines(self):
        found = self.check(self.file("train", TRAIN), self.file("test", TEST))
        train, test = found["train"], found["tests"][0]
        self.assertEqual((train["sequences"], train["positions"], train["longest"]), (5, 10, 2))
        self.assertEqual(train["labels"], {"B-PER": 2, "O": 5, "I-LOC": 1, "B-LOC": 1, "I-PER": 1})
        self.assertEqual(set(train["findings"]), {"invalid_chunks", "labelled_differently", "repeated_sequences",
                                                  "labels_seen_once"})
        self.assertEqual(self.cases(train["findings"], "invalid_chunks"),
                         [(7, "I-LOC at the start", None), (14, "I-PER after B-LOC", None)])
        self.assertEqual(self.cases(train["findings"], "repeated_sequences"), [(4, "Ann left", 1)])
        self.assertEqual(self.cases(train["findings"], "labelled_differently"), [(10, "Ann: O, and B-PER", 1)])
        self.assertEqual(sorted(self.cases(train["findings"], "labels_seen_once")),
                         [(7, "I-LOC", None), (13, "B-LOC", None), (14, "I-PER", None)])
        self.assertEqual(self.cases(test["findings"], "labels_not_in_training"), [(7, "B-ORG", None)])
        self.assertEqual(self.cases(test["findings"], "in_training_data"), [(1, "Ann left", 1), (4, "Ann left", 1)])
        self.assertEqual(self.cases(test["findings"], "labelled_differently_in_training"), [(4, "Ann left", 1)])
        self.assertEqual(test["findings"]["words_not_in_training"]["count"], 1)

    def test_a_slip_in_one_label_hides_no_wrong_chunk(self):
        findings = self.check(self.file("slip", "Ada B-PER\nx O\nBob I-PER\ny O\n\nz B_PER\n\nw B-PER\n\n"))["train"][
            "findings"]
        self.assertEqual(self.cases(findings, "labels_beside_chunks"), [(6, "B_PER", None)])
        self.assertEqual(self.cases(findings, "invalid_chunks"), [(3, "I-PER after O", None)])
        tags = self.check(self.file("tags", "Ada N\nx V\nBob B-N\ny V\n\n"))["train"]["findings"]
        self.assertNotIn("labels_beside_chunks", tags)

    def test_each_wrong_chunk_of_a_sequence_counts(self):
        rows = "a B-PER\nb I-LOC\nc O\nd B-PER\ne I-LOC\nf O\n\n"
        findings = self.check(self.file("two", rows))["train"]["findings"]
        self.assertEqual(self.cases(findings, "invalid_chunks"), [(2, "I-LOC after B-PER", None),
                                                                  (5, "I-LOC after B-PER", None)])

    def test_lines_are_those_of_the_file(self):
        left_out = self.file("left_out", "# c\na X Q\n\nb Y P\n# d\nb Y R\n\n")
        findings = self.check("--ignore-lines", "^#", left_out)["train"]["findings"]
        self.assertEqual(sorted(self.cases(findings, "labels_seen_once")),
                         [(2, "Q", None), (4, "P", None), (6, "R", None)])
        spans = self.file("s.jsonl", '{"tokens": ["a", "b"], "spans": [[0, 1, "X"]]}\n\n'
                                     '{"tokens": ["a", "c"], "spans": [[0, 1, "Y"]]}\n')
        findings = self.check("--format", "spans", spans)["train"]["findings"]
        self.assertEqual(sorted(self.cases(findings, "labels_seen_once")), [(1, "B-X", None), (3, "B-Y", None)])

    def test_data_in_which_chunks_begin_with_i_is_not_wrong_for_that(self):
        found = self.check(self.file("bio1", "Ann I-PER\nleft O\n\nRome I-LOC\nOslo B-LOC\nfell O\n\n"))
        self.assertNotIn("invalid_chunks", found["train"]["findings"])

    def test_other_formats(self):
        texts = self.file("texts", "good\tnice day\nbad\tnice day\ngood\tnice day\n")
        findings = self.check("--format", "text", texts)["train"]["findings"]
        self.assertEqual(self.cases(findings, "labelled_differently"), [(2, "nice day: bad, and good", 1)])
        self.assertEqual(self.cases(findings, "repeated_sequences"), [(3, "nice day", 1)])
        lines = self.file("lines", "A\tw=a\tx\nB\tw=b\n\nA\tw=a\tx\nA\tw=b\n")
        findings = self.check("--format", "attributes", lines)["train"]["findings"]
        self.assertEqual(self.cases(findings, "labelled_differently"), [(5, "w=b: A, and B", 1)])
        spans = self.file("spans", '{"tokens": ["a", "b"], "spans": [[0, 1, "X"]]}\n')
        self.assertEqual(self.check("--format", "spans", spans)["train"]["labels"], {"B-X": 1, "O": 1})

    def test_tables_and_sparse_numbers_are_read_as_training_reads_them(self):
        table = self.file("t.csv", "age;job;class\n31;clerk;yes\n31;clerk;no\n?;cook;yes\n")
        test = self.file("u.csv", "age;job;class\n31;clerk;yes\n40;cook;maybe\n")
        options = ("--format", "csv", "--delimiter", "semicolon", "--missing", "?")
        found = self.check(*options, table, test)
        self.assertEqual(found["train"]["labels"], {"yes": 2, "no": 1})
        self.assertEqual(self.cases(found["train"]["findings"], "labelled_differently"),
                         [(3, "age:31 job=clerk: no, and yes", 2)])
        self.assertEqual(self.cases(found["tests"][0]["findings"], "labels_not_in_training"), [(3, "maybe", None)])
        self.assertEqual(self.cases(found["tests"][0]["findings"], "in_training_data"),
                         [(2, "age:31 job=clerk", 2)])
        self.assertEqual(self.check(*options, "--label", "job", table)["train"]["labels"], {"clerk": 2, "cook": 1})
        numbers = self.file("n.svm", "a 1:0.5 3:2\nb 1:0.5 3:2\n")
        findings = self.check("--format", "svmlight", numbers)["train"]["findings"]
        self.assertEqual(self.cases(findings, "labelled_differently"), [(2, "1:0.5 3:2: b, and a", 1)])

    def test_columns_of_another_size_than_the_others_are_found_the_farthest_first(self):
        rows = "".join(f"{k % 3},{k % 2},{2 - k % 2},{40000 + k},0.00{1 + k % 2},{'no' if k % 2 else 'yes'}\n"
                       for k in range(20))
        table = self.file("t.csv", "a,b,c,income,rate,class\n" + rows)
        cases = self.cases(self.check("--format", "csv", table)["train"]["findings"], "uneven_values")
        self.assertEqual([(line, what.split(":")[0]) for line, what, _ in cases], [(21, "income"), (3, "rate")])
        self.assertEqual(cases[0][1], "income: about 4e+04")
        for other in (("--ignore", "income,rate"), ("--standardise",)):
            self.assertNotIn("uneven_values", self.check("--format", "csv", *other, table)["train"]["findings"])
        lines = self.file("lines", "A\tw=a\tx:0.01\nB\tw=b\tx:0.01\n\nA\ty:300\n")
        findings = self.check("--format", "attributes", lines)["train"]["findings"]
        self.assertEqual([what for _, what, _ in self.cases(findings, "uneven_values")],
                         ["y: about 300", "x: about 0.01"])

    def test_sizes_are_those_of_all_rows_and_of_numbers(self):
        def uneven(text, *options):
            findings = self.check("--format", "csv", *options, self.file("t.csv", text))["train"]["findings"]
            return self.cases(findings, "uneven_values") if "uneven_values" in findings else []
        self.assertEqual(uneven("x,y,class\n" + "1,1,a\n" * 100 + "200,1,b\n" * 2), [])
        towns = "".join(f"town{k},{50000 + k},{'no' if k % 2 else 'yes'}\n" for k in range(20))
        self.assertEqual(uneven("town,income,class\n" + towns), [(21, "income: about 5e+04", None)])
        self.assertEqual(uneven("x,y,z,class\n1e200,1,2,a\n3e200,2,1,b\n")[0], (3, "x: about 2.24e+200", None))
        self.assertEqual(uneven("x,y,zero,class\n1,2,0,a\n3,1,0,b\n"), [])

    def test_rows_of_a_table_are_no_sequence_and_no_words(self):
        table = self.file("t.csv", "a,b,class\nx b=y,,I-1\nx,y,B-1\n,,I-1\n,,B-2\n")
        findings = self.check("--format", "csv", table)["train"]["findings"]
        self.assertNotIn("invalid_chunks", findings)
        self.assertEqual([(line, other) for line, _, other in self.cases(findings, "labelled_differently")], [(5, 4)])

    def test_numbers_that_differ_in_their_last_digits_are_not_the_same(self):
        table = self.file("t.csv", "x,class\n48211.123456,yes\n48211.123457,no\n")
        self.assertNotIn("labelled_differently", self.check("--format", "csv", table)["train"]["findings"])

    def test_options_of_another_format_are_refused(self):
        table = self.file("t.csv", "age,class\n31,yes\n30,no\n")
        self.fails(WRONG_USAGE, "check", "--label", "age", table,
                   mentions=["--label goes with --format csv, and the format is columns"])
        self.fails(WRONG_USAGE, "check", "--format", "csv", "--ignore-lines", "^#", table, mentions=["rows of columns"])
        self.fails(BAD_INPUT, "check", "--format", "csv", "--label", "salary", table, mentions=["salary"])
        self.fails(BAD_INPUT, "check", "--format", "attributes", self.file("a", "A\tx:y\n"), mentions=["a:1", "y"])

    def test_bytes_that_are_no_utf8_are_found(self):
        path = self.folder / "latin"
        path.write_bytes(b"caf\xe9 N\n\nbar N\n")
        self.assertEqual(self.cases(self.check(path)["train"]["findings"], "invalid_utf8"), [(1, None, None)])

    def test_as_many_cases_as_are_asked_for(self):
        path = self.file("train", TRAIN)
        text = self.run_ok("check", path, "--show", 1)
        self.assertIn("  labels that do not spell chunks of bio: 2\n    line 7: I-LOC at the start\n    … and 1 more\n",
                      text)
        self.assertNotIn("line 7", self.run_ok("check", path, "--show", 0))
        self.assertIn("nothing that is strange", self.run_ok("check", INGREDIENTS / "train.txt"))

    def test_what_cannot_be_checked_is_an_error(self):
        for arguments, status, message in (((self.folder / "none",), BAD_INPUT, "cannot open"),
                                           ((self.file("one", "word\n"),), BAD_INPUT, "a row without a label"),
                                           ((self.file("empty", "\n"),), BAD_INPUT, "empty"),
                                           (("-",), WRONG_USAGE, "reads its data twice"),
                                           (("--format", "csv", self.file("t", "a,b\n")), BAD_INPUT, "no row below it"),
                                           (("--format", "raw", self.file("r", "a b\n")), WRONG_USAGE, "raw"),
                                           ((), WRONG_USAGE, "TRAIN")):
            with self.subTest(arguments=arguments):
                done = croft("check", *arguments)
                self.assertEqual((done.returncode, done.stdout), (status, b""), done.stderr)
                self.assertIn(message, done.stderr.decode("utf-8"))
                self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
