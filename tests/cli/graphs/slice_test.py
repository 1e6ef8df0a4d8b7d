"""Dynamic Bayesian networks: a stream of evidence against the unrolled network."""

import csv
import io
import json
import math
import subprocess

from support import BAD_INPUT, CROFT, SOURCE, WRONG_USAGE, CliTest, croft, main

HARBOUR = SOURCE / "examples" / "graphs" / "harbour.bif"
DAYS = SOURCE / "examples" / "graphs" / "harbour.csv"


class SliceTest(CliTest):
    def stream(self, *arguments, days=DAYS):
        return [json.loads(line) for line in
                self.run_ok("infer", HARBOUR, "--stream", days, "--json", *arguments).splitlines()]

    def unrolled(self, slices, rows, task="marginals"):
        """The answer of the plain network, given these rows."""
        observed = [("--observe", f"{name}_{t}={cell}") for t, row in enumerate(rows) for name, cell in row.items()
                    if cell]
        return json.loads(self.run_ok("infer", HARBOUR, "--unroll", slices, "--task", task, "--json", "--quiet",
                                      *[each for pair in observed for each in pair]))

    def rows(self):
        with open(DAYS, encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def assert_slice(self, found, unrolled, t):
        for name, of in found["marginals"].items():
            v = unrolled["variables"].index(f"{name}_{t}")
            for state, p in of.items():
                wanted = unrolled["marginals"][v][unrolled["states"][v].index(state)]
                self.assertAlmostEqual(p, wanted, places=10)

    def test_each_row_is_answered_by_what_has_come_so_far(self):
        rows = self.rows()
        for t, found in enumerate(self.stream()):
            self.assertEqual(found["slice"], t)
            wanted = self.unrolled(t + 1, rows[:t + 1])
            self.assertAlmostEqual(found["log_likelihood"], wanted["log_partition"], places=9)
            self.assert_slice(found, wanted, t)

    def test_lag_smoothing_and_prediction_are_those_of_the_unrolled_network(self):
        rows = self.rows()
        n = len(rows)
        whole = self.unrolled(n, rows)
        smooth = self.stream("--smooth")
        self.assertEqual([each["slice"] for each in smooth], list(range(n)))
        for t, found in enumerate(smooth):
            self.assert_slice(found, whole, t)
        lagged = self.stream("--lag", 2)
        self.assertEqual([each["slice"] for each in lagged], list(range(n)))
        for t, found in enumerate(lagged):
            seen = min(n, t + 3)
            self.assert_slice(found, self.unrolled(seen, rows[:seen]), t)
        ahead = self.stream("--ahead", 2)
        self.assertEqual([each["slice"] for each in ahead], list(range(2, n + 2)))
        for t, found in enumerate(ahead):
            self.assert_slice(found, self.unrolled(t + 3, rows[:t + 1]), t + 2)
        self.assertEqual([each["slice"] for each in self.stream("--lag", 100)], list(range(n)))

    def test_the_best_path_and_the_likelihood_are_those_of_the_unrolled_network(self):
        rows = self.rows()
        *path, total = self.stream("--task", "map")
        best = self.unrolled(len(rows), rows, "map")
        self.assertAlmostEqual(total["log_score"], best["log_score"], places=9)
        for t, each in enumerate(path):
            for name, state in each["assignment"].items():
                self.assertEqual(state, best["assignment"][best["variables"].index(f"{name}_{t}")])
        whole = self.unrolled(len(rows), rows)
        self.assertAlmostEqual(self.stream("--task", "partition")[0]["log_likelihood"], whole["log_partition"],
                               places=9)

    def test_the_table_has_the_numbers_of_json(self):
        text = self.run_ok("infer", HARBOUR, "--stream", DAYS)
        for row, found in zip(csv.DictReader(io.StringIO(text)), self.stream(), strict=True):
            self.assertEqual(int(row["slice"]), found["slice"])
            self.assertAlmostEqual(float(row["log_likelihood"]), found["log_likelihood"], places=7)
            self.assertAlmostEqual(float(row["p(weather=storm)"]), found["marginals"]["weather"]["storm"], places=5)
        header, first, *_ = self.run_ok("infer", HARBOUR, "--stream", DAYS, "--task", "map").splitlines()
        self.assertEqual(header, "slice,weather,glass,master,flag,boats")
        self.assertEqual(first, "0,fair,steady,there,down,out")

    def test_rows_are_answered_before_the_next_one_comes(self):
        with subprocess.Popen([CROFT, "infer", HARBOUR, "--stream", "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            process.stdin.write("boats\nin\n")
            process.stdin.flush()
            self.assertTrue(process.stdout.readline().startswith("slice,log_likelihood,p(weather=fair)"))
            self.assertTrue(process.stdout.readline().startswith("0,-"))
            process.stdin.write("out\n")
            process.stdin.flush()
            self.assertTrue(process.stdout.readline().startswith("1,-"))
            process.stdin.close()
            self.assertEqual(process.wait(), 0)

    def test_an_empty_line_under_one_column_is_a_slice_of_which_nothing_is_known(self):
        days = self.file("one.csv", "weather\nfair\n\n\nfair\n")
        found = self.stream(days=days)
        self.assertEqual([each["slice"] for each in found], [0, 1, 2, 3])
        wanted = self.unrolled(4, [{"weather": "fair"}, {}, {}, {"weather": "fair"}])
        self.assertAlmostEqual(found[-1]["log_likelihood"], wanted["log_partition"], places=9)

    def test_bad_evidence_has_its_place(self):
        for text, fault in [("flag\nup\nsideways\n", ':3:1: no state of "flag"'),
                            ("flag,tide\n", ':1:6: a column that is no variable of the network'),
                            ("weather,boats\nstorm,in\nstorm,out\n",
                             ":3: the evidence of slice 1 has probability 0 given the slices before it"),
                            ("glass\n1:2\n", ':2:1: no state and no likelihoods of "glass"')]:
            path = self.file("bad.csv", text)
            done = croft("infer", HARBOUR, "--stream", path)
            self.assertEqual(done.returncode, BAD_INPUT)
            self.assert_one_message(done.stderr.decode(), [f"{path}{fault}"])

    def test_what_a_lag_keeps_back_is_told_before_the_fault(self):
        path = self.file("bad.csv", "flag\nup\ndown\nsideways\n")
        done = croft("infer", HARBOUR, "--stream", path, "--lag", "2")
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertEqual([line.split(",")[0] for line in done.stdout.decode().splitlines()], ["slice", "0", "1"])
        self.assert_one_message(done.stderr.decode(), [":4:1: no state"])

    def test_a_far_future_is_the_stationary_one(self):
        path = self.file("one.csv", "flag\nup\n")
        far, farther = (self.stream("--ahead", k, days=path)[0]["marginals"] for k in (2000, 1_000_000))
        for name, of in far.items():
            for state, p in of.items():
                self.assertAlmostEqual(p, farther[name][state], places=9)
        self.fails(WRONG_USAGE, "infer", HARBOUR, "--stream", path, "--ahead", 1_000_001, mentions=["--ahead"])

    def test_an_unrolled_network_has_its_memory_predicted(self):
        self.fails(BAD_INPUT, "infer", HARBOUR, "--unroll", 1_000_000, "--memory", "10M",
                   mentions=["takes about", "or --stream"])

    def test_options_of_other_questions_are_refused(self):
        for arguments, fault in [(("--stream", DAYS, "--observe", "boats_0=in"), "--observe has no meaning beside"),
                                 (("--stream", DAYS, "--task", "sample"), "--stream answers --task marginals"),
                                 (("--stream", DAYS, "--task", "map", "--lag", "1"), "--lag is for --task marginals"),
                                 (("--lag", "1"), "--lag"),
                                 (("--slice-endings", "a,b"), "--slice-endings is for --stream and --unroll"),
                                 (("--unroll", "3", "--slice-endings", "x,y"), "ends in neither"),
                                 (("--unroll", "3", "--slice-endings", "x"), "with a comma between them")]:
            self.fails(WRONG_USAGE, "infer", HARBOUR, *arguments, mentions=[fault])

    def test_an_unrolled_network_is_saved_and_is_again_one_of_two_slices(self):
        path = self.folder / "long.bif"
        self.run_ok("infer", HARBOUR, "--unroll", "2", "--save", path)
        again = json.loads(self.run_ok("infer", path, "--stream", DAYS, "--task", "partition", "--json"))
        self.assertTrue(math.isclose(again["log_likelihood"],
                                     self.stream("--task", "partition")[0]["log_likelihood"], rel_tol=1e-12))


if __name__ == "__main__":
    main()
