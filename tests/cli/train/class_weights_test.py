"""croft train --class-weights."""

import json

from subjects import SubjectsTest, documents
from support import BAD_INPUT, WRONG_USAGE, main


class ClassWeightsTest(SubjectsTest):
    def weights(self, model):
        return [line.split("\t") for line in
                self.run_ok("inspect", "-m", model, "--weights").splitlines()]

    def assert_same_weights(self, one, other):
        a, b = self.weights(one), self.weights(other)
        self.assertEqual([row[:-1] for row in a], [row[:-1] for row in b])
        for x, y in zip(a, b):
            self.assertAlmostEqual(float(x[-1]), float(y[-1]), places=3)

    def test_a_weight_of_two_is_the_label_s_rows_twice(self):
        text = documents(60, 3)
        twice = "".join(line * (2 if line.startswith("sport") else 1)
                        for line in text.splitlines(keepends=True))
        file = self.file("w", "sport\t2\n")
        for kind, options in (("maxent", ("--tolerance", 1e-9)), ("naive-bayes", ())):
            weighted = self.train("w.croft", "--model", kind, "--format", "text", "--term-weights",
                                  "counts", "--class-weights", file, *options, self.file("a", text))
            doubled = self.train("d.croft", "--model", kind, "--format", "text", "--term-weights",
                                 "counts", *options, self.file("b", twice))
            self.assert_same_weights(weighted, doubled)

    def test_they_multiply_the_weights_of_sequences(self):
        text = "A\tx:1\n\nB\ty:1\n\nB\tx:1\n\n"
        data = self.file("d", text)
        both = self.train("1.croft", "--model", "naive-bayes", "--format", "attributes",
                          "--weights", self.file("w", "1\n3\n1\n"),
                          "--class-weights", self.file("c", "B\t2\n"), data)
        one = self.train("2.croft", "--model", "naive-bayes", "--format", "attributes",
                         "--weights", self.file("v", "1\n6\n2\n"), data)
        self.assertEqual(self.weights(both), self.weights(one))

    def test_balanced_gives_all_labels_the_same_weight_together(self):
        data = self.file("d", "A\tx\n\nB\ty\n\nB\tx\n\nB\ty\n\n")
        model = self.train("m.croft", "--model", "naive-bayes", "--format", "attributes",
                           "--class-weights", "balanced", data)
        shown = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        self.assertEqual(shown["prior_probabilities"], [0.5, 0.5])
        self.assertEqual(shown["training"]["class_weights"], "balanced")

    def test_positions_of_a_sequence_have_the_weights_of_their_own_labels(self):
        together, apart = "A\tx\nB\ty\nB\tx\n\n", "A\tx\n\nB\ty\n\nB\tx\n\n"
        file = self.file("w", "B\t3\n")
        for kind in ("maxent", "naive-bayes"):
            models = [self.train(f"{n}.croft", "--model", kind, "--format", "attributes",
                                 "--class-weights", file, self.file(f"d{n}", text))
                      for n, text in enumerate((together, apart))]
            self.assertEqual(self.weights(models[0]), self.weights(models[1]))

    def test_what_the_file_says_wrong_is_said_with_its_line(self):
        data = self.file("d", "A\tx\n\nB\ty\n\n")
        for text, mentions in (("A\t1\nC\t2\n", [":2:", '"C"', "does not have"]),
                               ("A\t0\n", [":1:", '"0"']), ("A 1\n", [":1:", "LABEL TAB WEIGHT"]),
                               ("A\t1\nA\t2\n", [":2:", "earlier"]), ("\n", ["no weight"])):
            for kind in ("maxent", "naive-bayes"):
                self.fails(BAD_INPUT, "train", "--quiet", "--model", kind, "--format", "attributes",
                           "-o", self.folder / "m.croft", "--class-weights", self.file("w", text),
                           data, mentions=mentions)

    def test_kinds_of_whole_sequences_and_partial_labels_refuse_them(self):
        data = self.file("d", "A\tx\n\nB\ty\n\n")
        for kind in ("chain", "memm", "hmm"):
            self.fails(WRONG_USAGE, "train", "--model", kind, "--format", "attributes", "-o",
                       self.folder / "m.croft", "--class-weights", "balanced", data,
                       mentions=["whole sequences", f"--model {kind}"])
        for kind in ("maxent", "naive-bayes"):
            self.fails(WRONG_USAGE, "train", "--model", kind, "--format", "attributes", "-o",
                       self.folder / "m.croft", "--class-weights", "balanced", "--partial", data,
                       mentions=["--partial"])


if __name__ == "__main__":
    main()
