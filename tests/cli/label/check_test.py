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

    def test_bytes_that_are_no_utf8_are_found(self):
        path = self.folder / "latin"
        path.write_bytes(b"caf\xe9 N\n\nbar N\n")
        self.assertEqual(self.cases(self.check(path)["train"]["findings"], "invalid_utf8"), [(1, None, None)])

    def test_as_many_cases_as_are_asked_for(self):
        path = self.file("train", TRAIN)
        text = self.run_ok("check", path, "--show", 1)
        self.assertIn("  2 labels that do not spell chunks of bio\n    line 7: I-LOC at the start\n    … and 1 more\n",
                      text)
        self.assertNotIn("line 7", self.run_ok("check", path, "--show", 0))
        self.assertIn("nothing that is strange", self.run_ok("check", INGREDIENTS / "train.txt"))

    def test_what_cannot_be_checked_is_an_error(self):
        for arguments, status, message in (((self.folder / "none",), BAD_INPUT, "cannot open"),
                                           ((self.file("one", "word\n"),), BAD_INPUT, "a row without a label"),
                                           ((self.file("empty", "\n"),), BAD_INPUT, "empty"),
                                           (("-",), WRONG_USAGE, "reads its data twice"),
                                           (("--format", "csv", self.file("t", "a,b\n")), WRONG_USAGE, "csv"),
                                           ((), WRONG_USAGE, "TRAIN")):
            with self.subTest(arguments=arguments):
                done = croft("check", *arguments)
                self.assertEqual((done.returncode, done.stdout), (status, b""), done.stderr)
                self.assertIn(message, done.stderr.decode("utf-8"))
                self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
