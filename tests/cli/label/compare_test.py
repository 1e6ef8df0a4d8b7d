"""croft compare: two models on one file."""

import json
import unittest

from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, croft

TEST = INGREDIENTS / "test.txt"


def of_two(first, second, *more):
    return ["-m", first, "-m", second, *more]


class CompareTest(CliTest):
    def setUp(self):
        super().setUp()
        self.words = self.train("words.croft", "--model", "maxent", INGREDIENTS / "train.txt", "--max-iterations", 20)
        self.chain = self.train("chain.croft", INGREDIENTS / "train.txt", "--max-iterations", 20)

    def compare(self, *arguments):
        return json.loads(self.run_ok("compare", "--json", *of_two(*arguments)))

    def test_its_metrics_are_those_of_evaluate(self):
        found = self.compare(self.words, self.chain, TEST)
        for side, model in (("first", self.words), ("second", self.chain)):
            alone = json.loads(self.run_ok("evaluate", "--json", "-m", model, TEST))
            self.assertEqual(found["metrics"]["accuracy"][side], alone["tokens"]["accuracy"])
            self.assertEqual(found["metrics"]["sequence_accuracy"][side], alone["sequences"]["accuracy"])
        self.assertNotIn("chunk_f1", found["metrics"])
        for each in found["metrics"].values():
            self.assertLessEqual(each["low"], each["difference"])
            self.assertLessEqual(each["difference"], each["high"])
        self.assertEqual(found, self.compare(self.words, self.chain, TEST, "--threads", 2))

    def test_differences_are_shown_with_lines_and_labels(self):
        found = self.compare(self.words, self.chain, TEST, "--show", 1)
        self.assertEqual(len(found["differences"]), 1)
        shown = found["differences"][0]
        lines = TEST.read_text("utf-8").splitlines()
        for each in shown["labels"]:
            word, label = lines[shown["line"] - 1 + each["position"]].split()
            self.assertEqual((each["text"], each["gold"]), (word, label))
            self.assertNotEqual(each["first"], each["second"])
        text = self.run_ok("compare", "-m", self.words, "-m", self.chain, TEST, "--show", 1)
        self.assertIn(f"line {shown['line']}: {len(shown['labels'])} labels differ", text)

    def test_a_model_does_not_differ_from_itself(self):
        found = self.compare(self.chain, self.chain, TEST)
        self.assertEqual((found["differing"], found["differences"]), (0, []))
        self.assertEqual({each["p"] for each in found["metrics"].values()}, {1})

    def test_what_cannot_be_compared_is_an_error(self):
        texts = self.file("texts", "good\tnice day\nbad\tawful rain\n")
        other = self.train("texts.croft", "--model", "maxent", "--format", "text", texts)
        for arguments, status, message in (
                ((self.chain, other, TEST), BAD_INPUT, ""),
                ((self.chain, self.words, "-"), WRONG_USAGE, "reads DATA twice"),
                ((self.chain, self.words, self.folder / "none"), BAD_INPUT, "cannot open"),
                ((self.chain, self.words, TEST, "--draws", 0), WRONG_USAGE, "--draws"),
                ((self.chain, self.words, TEST, "--confidence", 1), WRONG_USAGE, "--confidence"),
                ((self.chain, self.words), WRONG_USAGE, "DATA")):
            with self.subTest(arguments=arguments):
                done = croft("compare", *of_two(*arguments))
                self.assertEqual((done.returncode, done.stdout), (status, b""), done.stderr)
                self.assertIn(message, done.stderr.decode("utf-8"))
                self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
