"""Segments by dual ascent: the optimum of L-BFGS, a true gap, the same bytes for any threads."""

from people_and_towns import TEMPLATE, sentences
from support import WRONG_USAGE, CliTest, main, read_log

RICH = TEMPLATE + "U5:%length[1,2-]\nU6:%value[log]\nU7:%shape\n"
SHARED = "P\nU1:%length\n"  # positions with weights by the segment's label, too


class SegmentAscentTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("train", sentences(400, 1))

    def learn(self, name, template, *options):
        """The model, and the last line of the log."""
        log = self.folder / f"{name}.jsonl"
        path = self.file(f"{name}.template", template)
        model = self.train(f"{name}.croft", "--model", "segment", "--segment-template", path,
                           "--log", log, *options, self.data)
        return model, *read_log(log)

    def test_reaches_the_optimum_of_lbfgs_and_knows_how_far_it_is(self):
        for name, template in ("length", "U1:%length\n"), ("rich", RICH), ("shared", SHARED):
            for l2 in 0.1, 10:
                with self.subTest(template=name, l2=l2):
                    _, _, best = self.learn("lbfgs", template, "--l2", l2, "--optimizer", "lbfgs",
                                            "--tolerance", 1e-12, "--gradient-tolerance", 1e-8)
                    _, steps, end = self.learn("dual", template, "--l2", l2, "--optimizer",
                                               "dual-ascent", "--gap", 1e-6)
                    self.assertEqual(end["reason"], "converged_gap", end)
                    lowest = best["objective"]
                    for step in steps:
                        # P - gap P is a lower bound of the minimum, P an upper one.
                        primal = step["objective"]
                        self.assertGreaterEqual(primal, lowest * (1 - 1e-7))
                        self.assertLessEqual(primal * (1 - step["gap"]), lowest * (1 + 1e-7))
                    self.assertLess(end["objective"], lowest * (1 + 1e-6))

    def test_weights_of_sequences_count(self):
        weights = self.file("weights", "".join(f"{1 + k % 3}\n" for k in range(400)))
        ends = [self.learn(f"w{k}", RICH, "--weights", weights, *options)[2]["objective"]
                for k, options in enumerate((["--optimizer", "lbfgs", "--tolerance", 1e-12],
                                             ["--optimizer", "dual-ascent", "--gap", 1e-6]))]
        self.assertAlmostEqual(ends[0] / ends[1], 1, delta=2e-6)

    def test_threads_do_not_change_the_model(self):
        one, two = (self.learn(f"t{threads}", RICH, "--optimizer", "dual-ascent", "--threads",
                               threads)[0].read_bytes() for threads in (1, 3))
        self.assertEqual(one, two)

    def test_goes_on_where_it_was(self):
        folder = self.folder / "checkpoints"
        whole = self.learn("whole", RICH, "--optimizer", "dual-ascent", "--gap", 1e-7)[0]
        begun = ["--optimizer", "dual-ascent", "--gap", 1e-7, "--checkpoint", folder]
        self.learn("begun", RICH, *begun, "--max-iterations", 2)
        resumed = self.learn("resumed", RICH, *begun, "--resume")[0]
        self.assertEqual(self.weights_of(whole), self.weights_of(resumed))

    def weights_of(self, model):
        return self.run_ok("inspect", "-m", model, "--weights")

    def test_refuses_what_it_has_not(self):
        path = self.file("pairs.template", "U1:%length\nB1:%length\n")
        message = self.fails(WRONG_USAGE, "train", "--quiet", "-o", self.folder / "no", "--model", "segment",
                             "--optimizer", "dual-ascent", "--segment-template", path, self.data)
        self.assertIn("lines B", message)
        partial = self.file("partial", "Anna B-PER\nsaw ?\nUlm B-LOC\n")
        self.fails(WRONG_USAGE, "train", "--quiet", "-o", self.folder / "no", "--model", "segment", "--partial",
                   "--optimizer", "dual-ascent", partial)


if __name__ == "__main__":
    main()
