"""croft infer --task map: settings of its searches, and proofs on public instances.

CROFT_DATA names the folder of the data.
"""

import itertools
import json
import math
import random
import unittest

from support import BAD_INPUT, DATA, WRONG_USAGE, CliTest, main

GRAPHS = DATA / "graphs"

# Best scores as other programs have proved them, or this one alone (beyond).
PROVED = {"Segmentation_11": -312.75966, "Segmentation_12": -51.150653,
          "Segmentation_13": -49.858745, "Segmentation_14": -92.333556,
          "ProteinFolding_15": -118.70204, "ImageAlignment_12": -1005.4685,
          "Promedas_24": -28.87974, "Promedas_43": -17.3529}
BEYOND = {"Grids_26": 3051.0128, "ProteinFolding_11": 4517.3158}


def frustrated_grid(side, seed=1):
    """Binary, pairs that like to be equal or different."""
    pick = random.Random(seed)
    lines = ["MARKOV", str(side * side), "2 " * (side * side)]
    pairs = [(v, v + 1) for v in range(side * side) if v % side < side - 1]
    pairs += [(v, v + side) for v in range(side * (side - 1))]
    lines += [str(len(pairs))] + [f"2 {a} {b}" for a, b in pairs]
    for _ in pairs:
        equal, other = (pick.uniform(0.2, 3) for _ in range(2))
        lines.append(f"4 {equal} {other} {other} {equal * pick.uniform(0.9, 1.1)}")
    return "\n".join(lines) + "\n"


def forbidding_grid(side, seed=1):
    """Of three states; of neighbours each state forbids one of the other, and the others have factors."""
    pick = random.Random(seed)
    pairs = [(v, v + 1) for v in range(side * side) if v % side < side - 1]
    pairs += [(v, v + side) for v in range(side * (side - 1))]
    lines = ["MARKOV", str(side * side), "3 " * (side * side), str(len(pairs))]
    lines += [f"2 {a} {b}" for a, b in pairs]
    for _ in pairs:
        shift = pick.randrange(3)
        lines.append("9 " + " ".join("0" if (a + b) % 3 == shift else str(pick.uniform(0.1, 1))
                                     for a in range(3) for b in range(3)))
    return "\n".join(lines) + "\n"


class SearchTest(CliTest):
    def setUp(self):
        super().setUp()
        self.path = self.file("grid.uai", frustrated_grid(9))

    def best(self, method, *options):
        return json.loads(self.run_ok("infer", self.path, "--task", "map", "--quiet", "--json",
                                      "--method", method, *options))

    def test_settings_change_what_a_search_does(self):
        exact = self.best("junction-tree")["log_score"]
        cold = self.best("annealing", "--max-iterations", 20, "--set", "first-temperature=1e-9")
        warm = self.best("annealing", "--max-iterations", 500)
        self.assertEqual((cold["iterations"], warm["iterations"]), (20, 500))
        self.assertLess(cold["log_score"], warm["log_score"])
        self.assertLessEqual(warm["log_score"], exact + 1e-9)
        near = self.best("branch-and-bound", "--set", "gap=1000")
        self.assertEqual(near["iterations"], 0)
        self.assertGreaterEqual(near["bound"], exact - 1e-9)
        short = self.best("branch-and-bound", "--set", "root-iterations=1", "--set",
                          "annealing-sweeps=0", "--set", "restarts=0")
        self.assertEqual(short["kind"], "exact")
        self.assertAlmostEqual(short["log_score"], exact, places=7)

    def test_the_k_best_have_probabilities_and_are_the_same_by_each_method(self):
        first = self.best("junction-tree", "--k-best", 7)
        self.assertEqual(len(first["k_best"]), 7)
        self.assertEqual(first["k_best"][0]["assignment"], first["assignment"])
        scores = [each["log_score"] for each in first["k_best"]]
        self.assertEqual(scores, sorted(scores, reverse=True))
        for each in first["k_best"]:
            self.assertAlmostEqual(math.log(each["probability"]), each["log_score"] - first["log_partition"])
        second = self.best("branch-and-bound", "--k-best", 7)
        self.assertEqual((second["kind"], len(second["k_best"])), ("exact", 7))
        for one, other in zip(scores, second["k_best"]):
            self.assertAlmostEqual(one, other["log_score"], places=7)
        self.assertLessEqual(second["bound_of_others"], scores[-1] + 1e-6)

    def test_the_k_best_of_a_small_graph_are_all_of_its_assignments(self):
        path = self.file("two.uai", "MARKOV\n2\n2 2\n1\n2 0 1\n4 0.4 0.3 0.3 0\n")
        found = json.loads(self.run_ok("infer", path, "--task", "map", "--k-best", 9, "--json", "--quiet"))
        self.assertEqual([each["assignment"] for each in found["k_best"]], [[0, 0], [0, 1], [1, 0]])
        self.assertAlmostEqual(sum(each["probability"] for each in found["k_best"]), 1)
        table = self.run_ok("infer", path, "--task", "map", "--k-best", 2, "--quiet")
        self.assertIn("rank  log score      probability  0  1", table)
        observed = json.loads(self.run_ok("infer", path, "--task", "map", "--k-best", 9, "--json", "--quiet",
                                          "--observe", "0=0"))
        self.assertEqual([each["assignment"] for each in observed["k_best"]], [[0, 0], [0, 1]])

    def test_the_k_best_are_for_methods_and_tasks_that_have_them(self):
        for options, said in [(("--task", "marginals"), "--k-best is for --task map"),
                              (("--task", "map", "--method", "trw-s"), "trw-s has no use for --k-best"),
                              (("--task", "map", "--to", "uai"), "--to uai has one assignment"),
                              (("--task", "map", "--k-best", "0"), "--k-best")]:
            self.fails(WRONG_USAGE, "infer", self.path, "--k-best", "3", *options, mentions=(said,))

    def test_the_best_states_of_some_variables_are_those_of_the_sums_over_all_others(self):
        path, over = self.file("small.uai", frustrated_grid(4)), "5,0,10,15,3"
        joint = self.sums(path, over)
        best = max(joint, key=joint.get)
        for options in ((), ("--method", "and-or-search"), ("--method", "branch-and-bound"),
                        ("--method", "brute-force"), ("--k-best", 40)):
            found = json.loads(self.run_ok("infer", path, "--task", "marginal-map", "--over", over, "--json",
                                           "--quiet", *options))
            self.assertEqual((found["kind"], found["over"]), ("exact", over.split(",")))
            self.assertEqual(tuple(found["assignment"]), best)
            self.assertAlmostEqual(found["log_score"], joint[best], places=9)
            self.assertAlmostEqual(math.log(found["probability"]), joint[best] - found["log_partition"], places=9)
        ranked = [(tuple(each["assignment"]), each["log_score"]) for each in found["k_best"]]
        self.assertEqual(len(ranked), 32)
        for states, score in ranked:
            self.assertAlmostEqual(joint[states], score, places=9)
        self.assertEqual([s for _, s in ranked], sorted((s for _, s in ranked), reverse=True))
        uai = self.run_ok("infer", path, "--task", "marginal-map", "--over", over, "--to", "uai", "--quiet")
        self.assertEqual(uai.split("\n")[1], "5 " + " ".join(f"{v} {s}" for v, s in zip(over.split(","), best)))

    def sums(self, path, over):
        """log Z with the states of some variables observed, by the states."""
        found = {}
        for states in itertools.product((0, 1), repeat=len(over.split(","))):
            seen = [option for v, s in zip(over.split(","), states) for option in ("--observe", f"{v}={s}")]
            found[states] = json.loads(self.run_ok("infer", path, "--json", "--quiet", *seen))["log_partition"]
        return found

    def test_sums_that_do_not_fit_are_searched_with_a_bound(self):
        path = self.file("large.uai", frustrated_grid(14))
        over = ",".join(str(v) for v in range(0, 196, 3))
        ask = ("infer", path, "--task", "marginal-map", "--over", over, "--json", "--memory", "2M", "--time", 2)
        found = json.loads(self.run_ok(*ask, "--quiet"))
        self.assertEqual(found["method"], "and-or-search")
        self.assertIn("a search has an assignment and a bound", found["reason"])
        self.assertGreaterEqual(found["bound"], found["log_score"])
        self.fails(BAD_INPUT, *ask, "--method", "branch-and-bound", mentions=("other variables", "and-or-search"))

    def test_a_search_of_sums_is_not_below_the_best_assignment_of_all_variables(self):
        path = self.file("large.uai", frustrated_grid(13))
        whole = json.loads(self.run_ok("infer", path, "--task", "map", "--json", "--quiet"))
        self.assertEqual(whole["kind"], "exact")
        for step in (2, 5):
            over = ",".join(str(v) for v in range(0, 169, step))
            ask = ("infer", path, "--task", "marginal-map", "--over", over, "--memory", "2M", "--time", 0.5, "--quiet")
            found = json.loads(self.run_ok(*ask, "--json"))
            self.assertGreater(found["log_score"], whole["log_score"])
            self.assertLess(found["seconds"], 1)
            if found["kind"] != "exact":
                self.assertAlmostEqual(found["gap"], found["bound"] - found["log_score"])
                self.assertIn("\ngap ", self.run_ok(*ask))

    def test_a_search_of_sums_has_an_assignment_where_most_are_forbidden(self):
        path = self.file("zeros.uai", forbidding_grid(16))
        over = ",".join(str(v) for v in range(0, 256, 2))
        for seconds in (0.05, 0.5):
            found = json.loads(self.run_ok("infer", path, "--task", "marginal-map", "--over", over, "--json",
                                           "--quiet", "--memory", "4M", "--time", seconds))
            self.assertEqual(len(found["assignment"]), 128)
            self.assertTrue(math.isfinite(found["log_score"]))
            self.assertLess(found["seconds"], seconds + 0.5)

    def test_the_variables_that_are_asked_for_are_needed_and_each_once(self):
        for options, said in [(("--task", "marginal-map"), "needs --over"),
                              (("--task", "map", "--over", "1"), "--over is for --task marginal-map"),
                              (("--task", "marginal-map", "--over", "1,1"), "twice"),
                              (("--task", "marginal-map", "--over", "99"), "no variable")]:
            self.fails(WRONG_USAGE, "infer", self.path, *options, mentions=(said,))

    def test_memory_limits_the_tables_of_branch_and_bound_and_not_its_answer(self):
        exact = self.best("junction-tree")["log_score"]
        for memory in ("1K", "2M", "1G"):
            found = self.best("branch-and-bound", "--memory", memory)
            self.assertEqual(found["kind"], "exact")
            self.assertAlmostEqual(found["log_score"], exact, places=7)

    def test_values_that_make_no_sense_are_errors_that_say_why(self):
        for method, setting, said in (
                ("annealing", "first-temperature=-1", "temperatures"),
                ("annealing", "first-temperature=hot", "first-temperature"),
                ("annealing", "last-temperature=1e9", "give a first temperature"),
                ("annealing", "cooling=0.9", "last-temperature"),
                ("branch-and-bound", "gap=-1", "gap"),
                ("branch-and-bound", "gap=nan", "gap"),
                ("branch-and-bound", "root-iterations=0", "root_iterations"),
                ("branch-and-bound", "annealing-sweeps=-5", "annealing-sweeps"),
                ("branch-and-bound", "restarts=1.5", "restarts"),
                ("lazy-flipper", "subset=0", "subset"),
                ("dual-decomposition", "step=2", "step"),
                ("trw-s", "decode-every=0", "decode_every"),
                ("mplp", "decode-every=0", "decode_every")):
            self.fails(WRONG_USAGE, "infer", self.path, "--task", "map", "--method", method,
                       "--set", setting, mentions=[said])


@unittest.skipUnless(GRAPHS.is_dir(), "CROFT_DATA names the folder of the data")
class InstancesTest(CliTest):
    def prove(self, name, score, *options):
        graph = GRAPHS / "uai-map" / f"{name}.uai"
        found = json.loads(self.run_ok("infer", graph, "--evidence", f"{graph}.evid", "--task",
                                       "map", "--quiet", "--json", *options))
        self.assertEqual(found["kind"], "exact", name)
        self.assertAlmostEqual(found["log_score"], score, delta=1e-6 * abs(score), msg=name)

    def test_best_assignments_that_others_have_proved(self):
        for name, score in PROVED.items():
            self.prove(name, score)
            self.prove(name, score, "--method", "branch-and-bound")

    def test_best_assignments_of_frustrated_tori(self):
        for name, score in BEYOND.items():
            self.prove(name, score, "--method", "branch-and-bound")


if __name__ == "__main__":
    main()
