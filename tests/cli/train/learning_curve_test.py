"""croft learning-curve: its points are trainings that one can do by hand; groups are never split."""

import csv
import io
import json
import xml.dom.minidom

from people_and_towns import sentences
from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, croft, main

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"


class LearningCurveTest(CliTest):
    def curve(self, *arguments):
        return json.loads(self.run_ok("learning-curve", "--quiet", "--json", *arguments))

    def test_the_whole_is_the_training_that_one_does_by_hand(self):
        found = self.curve(TRAIN, "--test", TEST, "--shares", "0.2,1", "--repeats", "2", "--max-iterations", "20")
        model = self.train("m.croft", "--max-iterations", "20", TRAIN)
        score = json.loads(self.run_ok("evaluate", "-m", model, "--json", TEST))["tokens"]["accuracy"]
        small, whole = found["points"]
        self.assertEqual((whole["scores"], whole["sequences"]), ([score], 573))
        self.assertEqual((len(small["scores"]), small["sequences"]), (2, 115))
        self.assertLess(small["mean"], whole["mean"])
        mean = sum(small["scores"]) / 2
        self.assertAlmostEqual(small["mean"], mean)
        self.assertAlmostEqual(small["standard_error"], abs(small["scores"][0] - mean))
        again = self.curve(TRAIN, "--test", TEST, "--shares", "0.2,1", "--repeats", "2", "--max-iterations", "20")
        self.assertEqual(again, found)

    def test_no_share_divides_a_document(self):
        blocks = sentences(12, 3).strip().split("\n\n")
        mark = "-DOCSTART- " + " ".join(["O"] * (len(blocks[0].splitlines()[0].split()) - 1))
        data = self.file("d.conll", "".join(f"{mark}\n\n" + "".join(b + "\n\n" for b in blocks[k:k + 3])
                                            for k in range(0, 12, 3)))
        test = self.file("t.conll", sentences(5, 4))
        found = self.curve(data, "--test", test, "--group-by", "-DOCSTART-", "--shares", "0.25,0.3,1", "--repeats", "1",
                           "--max-iterations", "3")
        self.assertEqual([point["sequences"] for point in found["points"]], [4, 8, 16])

    def test_a_contiguous_share_is_a_run_of_neighbours(self):
        # Each word has a label of its own, which only a training that has the word can know.
        words = [f"w{k} L{k}\n\n" for k in range(8)]
        data, even = self.file("d.conll", "".join(words)), self.file("t.conll", "".join(words[::2]))
        options = [data, "--test", even, "--template", self.file("template", "U:%x[0,0]\n"), "--l2", "0.01", "--shares",
                   "0.5", "--repeats", "6"]
        self.assertEqual(self.curve(*options, "--contiguous")["points"][0]["scores"], [0.5] * 6)
        self.assertNotEqual(self.curve(*options)["points"][0]["scores"], [0.5] * 6)

    def test_marks_and_hold_outs_that_nothing_uses(self):
        mark = self.file("m.conll", "-DOCSTART- O\n\na O\nb X\n\n" * 3)
        options = ["learning-curve", "--quiet", "--shares", "1", "--repeats", "1", "--test", mark, mark]
        self.assertIn(b"m.conll:1: a mark of documents", croft(*options).stderr)
        self.assertEqual(croft(*options, "--group-by=-DOCSTART-").stderr, b"")
        self.fails(WRONG_USAGE, *options, "--holdout", "0.3", mentions=["--holdout: a learning curve scores on --test"])

    def test_table_csv_and_picture_say_the_same(self):
        options = [TRAIN, "--test", TEST, "--shares", "0.1,0.5", "--repeats", "2", "--max-iterations", "5"]
        points = self.curve(*options)["points"]
        picture = self.folder / "c.svg"
        rows = list(csv.DictReader(io.StringIO(self.run_ok("learning-curve", "--quiet", "--csv", "--plot", picture,
                                                           *options))))
        self.assertEqual([float(row["accuracy"]) for row in rows], [point["mean"] for point in points])
        self.assertEqual([float(row["standard_error"]) for row in rows], [p["standard_error"] for p in points])
        self.assertEqual(len(xml.dom.minidom.parse(str(picture)).getElementsByTagName("circle")), 2)
        table = self.run_ok("learning-curve", "--quiet", *options)
        for point in points:
            self.assertIn(f"{100 * point['mean']:.2f} %", table)

    def test_misuse(self):
        for options, said in ((["--shares", "0.5,0.2"], "--shares"), (["--shares", "a"], "--shares"),
                              (["--shares", "0,1"], "--shares"), (["--format", "doccano"], "croft convert"),
                              (["--model", "graph"], "graph"), (["--plot", TEST], "--plot"),
                              (["--metric", "chunk-f1", "--max-iterations", "1", "--shares", "1"], "chunk")):
            self.fails(WRONG_USAGE, "learning-curve", "--quiet", TRAIN, "--test", TEST, *options, mentions=[said])
        self.fails(WRONG_USAGE, "learning-curve", TRAIN, mentions=["--test"])
        self.fails(WRONG_USAGE, "learning-curve", "-", "--test", TEST, mentions=["again"])
        self.fails(BAD_INPUT, "learning-curve", "--quiet", TRAIN, "--test", self.folder / "none", "--shares", "0.1",
                   "--max-iterations", "1", mentions=["none"])


if __name__ == "__main__":
    main()
