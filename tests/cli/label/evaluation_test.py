"""croft evaluate: what it calls things, probabilities, and sequences that have no labelling."""

import json
import math

from subjects import SubjectsTest, documents
from support import BAD_INPUT, WRONG_USAGE, croft, main


class EvaluationTest(SubjectsTest):
    def test_documents_and_examples_are_called_so_and_tokens_stay_in_json(self):
        data = self.file("d.tsv", documents(30, 2))
        table = self.run_ok("evaluate", "-m", self.model("m.croft"), data)
        self.assertRegex(table, r"^documents +30   accuracy")
        self.assertNotIn("tokens", table)
        self.assertNotIn("sequences", table)
        self.assertIn("nats a document", table)
        rows = self.file("d.csv", "x,y\n1,A\n2,B\n1,A\n")
        model = self.train("c.croft", "--model", "naive-bayes", "--format", "csv", rows)
        self.assertRegex(self.run_ok("evaluate", "-m", model, rows), r"^examples +3   accuracy")
        self.assertEqual(self.evaluated(model, rows)["tokens"]["count"], 3)

    def test_perplexity_is_the_exponential_of_the_log_loss(self):
        data = self.file("d.tsv", documents(30, 2))
        found = self.evaluated(self.model("m.croft"), data)
        self.assertAlmostEqual(found["perplexity"], math.exp(found["log_loss"]), places=12)

    def test_brier_is_over_all_labels(self):
        text = documents(60, 2)
        data = self.file("d.tsv", text)
        model = self.model("m.croft")
        expected = sum(sum((p - (label == line.split("\t")[0])) ** 2 for label, p in row.items())
                       for line, row in zip(text.splitlines(), self.posteriors(model, data))) / 60
        self.assertAlmostEqual(self.evaluated(model, data)["brier"], expected, places=12)

    def test_a_text_of_probability_0_counts_as_wrong_and_the_others_as_they_are(self):
        train = self.file("t.tsv", "A\tone two\nB\tthree four\n")
        model = self.train("m.croft", "--model", "naive-bayes", "--alpha", 0, "--format", "text", train)
        data = self.file("d.tsv", "A\tone\nB\tone three\nB\tfour\n")
        found = self.evaluated(model, data)
        self.assertEqual(found["tokens"], {"count": 3, "correct": 2, "accuracy": 2 / 3})
        self.assertEqual(found["unlabelled_sequences"], 1)
        self.assertEqual(found["impossible_sequences"], 1)
        self.assertIsNone(found["log_loss"])
        self.assertIsNone(found["perplexity"])
        self.assertEqual(found["labels"]["B"]["predicted"], 1)
        self.assertEqual(found["labels"]["B"]["support"], 2)
        table = self.run_ok("evaluate", "-m", model, data)
        self.assertIn("1   documents without a labelling", table)
        done = self.run_fails_after_output("predict", "-m", model, data)
        self.assertEqual(done[0].splitlines()[0], "A")
        self.assertTrue(done[0].splitlines()[1].startswith("# error the model gives every"))
        self.assertEqual(done[0].splitlines()[2], "B")
        for text in (":2", "--alpha"):
            self.assertIn(text, done[1])

    def test_an_infinite_log_loss_names_the_labels_of_probability_0(self):
        model = self.train("m.croft", self.file("train", "a\tA\nb\tB\n\na\tA\n"))
        test = self.file("test", "a\tQ\nb\tR\n\na\tQ\n\na\tA\n")
        text = self.run_ok("evaluate", "-m", model, test)
        self.assertIn('2   sequences with gold labels of probability 0: "Q" (2), "R" (1)', text)
        found = json.loads(self.run_ok("evaluate", "--json", "-m", model, test))
        self.assertEqual(found["impossible_labels"], {"Q": 2, "R": 1})
        self.assertIn("of the sequences: Q, R", self.run_ok("card", "-m", model, test))

    def test_evaluate_limits_and_decodes_as_predict_does(self):
        data = "a\tB-X\nb\tI-X\nc\tO\n\nc\tO\nb\tI-X\n\na\tB-X\nc\tO\n"
        model, test = self.train("m.croft", self.file("train", data)), self.file("test", data)
        for options in (["--decode", "marginal"], ["--decode", "risk"], ["--constrain", "bio"],
                        ["--rule", "at-most 0 X", "--limit", "5"]):
            with self.subTest(options=options):
                labels = [line.split("\t") for line in
                          self.run_ok("predict", "-m", model, *options, test).split("\n") if line]
                right = sum(gold == found for _, gold, found in labels)
                shown = json.loads(self.run_ok("evaluate", "--json", "-m", model, *options, test))
                self.assertEqual(shown["tokens"], {"count": 7, "correct": right, "accuracy": right / 7})
        for options in (["--decode", "marginal"], ["--constrain", "bio"], ["--rule", "at-most 0 X"]):
            self.fails(WRONG_USAGE, "evaluate", *options, test, mentions=[options[0], "name the model with -m"])
        self.fails(WRONG_USAGE, "evaluate", "-m", model, "--limit", 5, test, mentions=["--limit"])
        self.fails(BAD_INPUT, "evaluate", "-m", model, "--constrain", "BIO", test, mentions=['did you mean "bio"'])
        self.fails(BAD_INPUT, "train", "-o", self.folder / "n", "--constrain", "BIOES", test,
                   mentions=['did you mean "bioes"'])

    def test_an_unsmoothed_hmm_is_evaluated_to_the_end(self):
        train = self.file("t", "a\tX\nb\tY\n\n")
        model = self.train("h.croft", "--model", "hmm", "--smoothing", 0, "--rare", 0, train)
        data = self.file("d", "a\tX\nb\tY\n\nb\tX\n\na\tX\n\n")
        found = self.evaluated(model, data)
        self.assertGreaterEqual(found["impossible_sequences"], 1)
        self.assertEqual(found["sequences"]["count"], 3)
        self.assertIsNone(found["log_loss"])
        self.assertIn("inf", self.run_ok("evaluate", "-m", model, data))

    def run_fails_after_output(self, *arguments):
        done = croft(*arguments)
        self.assertEqual(done.returncode, BAD_INPUT)
        return done.stdout.decode(), done.stderr.decode()


if __name__ == "__main__":
    main()
