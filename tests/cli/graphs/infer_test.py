"""croft infer on small graphs, against enumeration in these lines."""

import itertools
import json
import math
import re
import signal
import subprocess
import time
import xml.etree.ElementTree

from support import BAD_INPUT, CROFT, INTERRUPTED, SOURCE, WRONG_USAGE, CliTest, main

SPRINKLER = SOURCE / "examples" / "graphs" / "sprinkler.bif"
GRID = "MARKOV\n4\n2 2 3 2\n5\n2 0 1\n2 1 2\n2 2 3\n2 3 0\n1 2\n" \
       "4 1 2 3 4\n6 5 1 2 2 0.5 3\n6 1 2 0 4 5 6\n4 2 1 1 2\n3 0.5 1 2\n"


def read_uai(text):
    """States of the variables, and (scope, table) of the factors."""
    words = iter(text.split())
    next(words)
    states = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))]
              for _ in range(int(next(words)))]
    return states, [(scope, [float(next(words)) for _ in range(int(next(words)))])
                    for scope in scopes]


def enumerate_graph(text, evidence=()):
    """Weights of the assignments that agree with the evidence."""
    states, factors = read_uai(text)
    weights = {}
    for x in itertools.product(*map(range, states)):
        if any(x[v] != s for v, s in evidence):
            continue
        weight = 1.0
        for scope, table in factors:
            place = 0
            for v in scope:
                place = place * states[v] + x[v]
            weight *= table[place]
        weights[x] = weight
    return states, weights


def marginals_of(states, weights):
    total = sum(weights.values())
    return [[sum(w for x, w in weights.items() if x[v] == s) / total for s in range(n)]
            for v, n in enumerate(states)]


def random_grid(side, seed=7):
    """A square of pairs that no exact method finishes when it is large."""
    value = seed
    numbers = []
    pairs = [(r * side + c, r * side + c + d) for r in range(side) for c in range(side)
             for d in ([1] if c + 1 < side else []) + ([side] if r + 1 < side else [])]
    for _ in range(4 * len(pairs)):
        value = (1103515245 * value + 12345) % 2**31
        numbers.append(math.exp(4 * (value / 2**31 - 0.5)))
    lines = ["MARKOV", str(side * side), " ".join(["2"] * side * side), str(len(pairs))]
    lines += [f"2 {a} {b}" for a, b in pairs]
    for k in range(len(pairs)):
        lines.append("4 " + " ".join(f"{n:.6g}" for n in numbers[4 * k:4 * k + 4]))
    return "\n".join(lines) + "\n"


class InferTest(CliTest):
    def infer(self, *arguments, **options):
        return json.loads(self.run_ok("infer", "--json", "--quiet", *arguments, **options))

    def grid(self):
        return self.file("grid.uai", GRID)


class ExactTest(InferTest):
    METHODS = ("auto", "junction-tree", "brute-force")

    def test_sums_marginals_and_the_best_are_those_of_all_assignments(self):
        for evidence in ((), ((2, 1),), ((0, 1), (3, 0))):
            states, weights = enumerate_graph(GRID, evidence)
            observed = [option for v, s in evidence for option in ("--observe", f"{v}={s}")]
            total = sum(weights.values())
            for method in self.METHODS:
                ask = lambda task: self.infer(self.grid(), *observed, "--task", task,
                                              "--method", method)
                result = ask("partition")
                self.assertEqual((result["task"], result["kind"], result["converged"]),
                                 ("partition", "exact", True))
                self.assertAlmostEqual(result["log_partition"], math.log(total), places=10)
                self.assertAlmostEqual(result["log10_partition"], math.log10(total), places=10)
                for found, expected in zip(ask("marginals")["marginals"],
                                           marginals_of(states, weights), strict=True):
                    for p, q in zip(found, expected, strict=True):
                        self.assertAlmostEqual(p, q, places=10)
                best = ask("map")
                self.assertAlmostEqual(best["log_score"], math.log(max(weights.values())),
                                       places=10)
                self.assertAlmostEqual(math.log(weights[tuple(best["assignment"])]),
                                       best["log_score"], places=10)

    def test_samples_agree_with_the_evidence_and_come_as_often_as_they_should(self):
        _, weights = enumerate_graph(GRID, ((3, 1),))
        ask = (self.grid(), "--observe", "3=1", "--task", "sample", "--samples", 4000)
        samples = [tuple(x) for x in self.infer(*ask)["samples"]]
        self.assertEqual(len(samples), 4000)
        total = sum(weights.values())
        for x, weight in weights.items():
            p = weight / total
            self.assertLess(abs(samples.count(x) / 4000 - p), 6 * math.sqrt(p / 4000) + 1e-9)
        self.assertTrue(set(samples) <= set(weights))
        self.assertEqual(samples, [tuple(x) for x in self.infer(*ask)["samples"]])
        self.assertNotEqual(samples,
                            [tuple(x) for x in self.infer(*ask, "--seed", 2)["samples"]])

    def test_an_impossible_observation_has_the_partition_sum_0(self):
        path = self.file("g.uai", "MARKOV 2 2 2 1 2 0 1 4 1 0 1 1")
        both = ("--observe", "0=0", "--observe", "1=1")
        self.assertIsNone(self.infer(path, *both)["log_partition"])
        self.assertIn("-inf", self.run_ok("infer", path, *both, "--to", "uai"))
        for task in ("marginals", "map", "sample"):
            self.fails(BAD_INPUT, "infer", "--quiet", path, *both, "--task", task,
                       mentions=["no assignment is allowed"])

    def test_memory_is_predicted_and_the_message_says_what_would_do(self):
        path = self.file("large.uai", random_grid(30))
        message = self.fails(BAD_INPUT, "infer", "--quiet", path, "--method", "junction-tree",
                             "--memory", "1M", mentions=["needs", "1.0 MB are allowed", "--memory"])
        enough = message.split("give --memory ")[1].split(",")[0]
        self.assertGreater(int(enough.rstrip("M")), 1)
        result = self.infer(self.file("small.uai", random_grid(12)), "--memory", "1G")
        self.assertLess(result["memory_bytes"], 2**30)
        for size in ("", "x", "1Q", "-1", "0", "1GB"):
            self.fails(WRONG_USAGE, "infer", path, f"--memory={size}")


class MethodsTest(InferTest):
    """Every method that --help lists, on a square that a minimum cut solves, too."""

    def square(self):
        """Nine binary variables; pairs like to be equal."""
        lines = ["MARKOV", "9", "2 " * 9, "21"]
        pairs = [(v, v + 1) for v in range(9) if v % 3 < 2] + [(v, v + 3) for v in range(6)]
        lines += [f"1 {v}" for v in range(9)] + [f"2 {a} {b}" for a, b in pairs]
        lines += [f"2 {1 + (7 * v) % 5} {1 + (5 * v) % 4}" for v in range(9)]
        lines += [f"4 {2 + k % 3} 1 1.5 {2 + k % 2}" for k in range(12)]
        return "\n".join(lines) + "\n"

    SPECIAL = {"likelihood-weighting", "swendsen-wang"}  # for graphs of other kinds

    def methods_of(self, task):
        text = self.run_ok("infer", "--help")
        line = next(line for line in text.splitlines() if line.startswith(f"  {task} "))
        names = line.replace(task, "", 1).replace(" ", "").split(",")
        return [name for name in names if name not in self.SPECIAL]

    def setUp(self):
        super().setUp()
        self.path = self.file("square.uai", self.square())
        self.states, self.weights = enumerate_graph(self.square())

    def test_a_partition_sum_is_what_its_kind_says(self):
        exact = math.log(sum(self.weights.values()))
        for method in self.methods_of("partition"):
            result = self.infer(self.path, "--method", method)
            found = result["log_partition"]
            if result["kind"] == "exact":
                self.assertAlmostEqual(found, exact, places=9, msg=method)
            elif result["kind"] == "lower bound":
                self.assertLessEqual(found, exact + 1e-9, method)
            elif result["kind"] == "upper bound":
                self.assertGreaterEqual(found, exact - 1e-9, method)
            self.assertAlmostEqual(found, exact, delta=2, msg=method)

    def test_marginals_are_those_of_all_assignments_or_near_them(self):
        expected = marginals_of(self.states, self.weights)
        for method in self.methods_of("marginals"):
            result = self.infer(self.path, "--method", method, "--task", "marginals")
            tolerance = 1e-9 if result["kind"] == "exact" else 0.2
            for v, (found, wanted) in enumerate(zip(result["marginals"], expected, strict=True)):
                self.assertAlmostEqual(sum(found), 1, places=9, msg=method)
                for s, (p, q) in enumerate(zip(found, wanted, strict=True)):
                    self.assertAlmostEqual(p, q, delta=tolerance, msg=method)
                    if "standard_errors" in result:
                        error = result["standard_errors"][v][s]
                        self.assertLess(abs(p - q), 6 * error + 1e-9, method)

    def test_weighted_draws_are_for_bayesian_networks_and_clusters_for_pairs_that_agree(self):
        exact = self.infer(SPRINKLER, "--observe", "slippery=yes")["log_partition"]
        drawn = self.infer(SPRINKLER, "--observe", "slippery=yes", "--method",
                           "likelihood-weighting", "--max-iterations", 20000)
        self.assertEqual(drawn["kind"], "estimate")
        self.assertAlmostEqual(drawn["log_partition"], exact, delta=0.1)
        self.fails(WRONG_USAGE, "infer", self.path, "--method", "likelihood-weighting",
                   mentions=["no Bayesian network"])
        potts = self.file("potts.uai", "MARKOV 3 2 2 2 3 1 0 2 0 1 2 1 2 2 1 3 4 2 1 1 2 4 3 1 1 3")
        states, weights = enumerate_graph("MARKOV 3 2 2 2 3 1 0 2 0 1 2 1 2 "
                                          "2 1 3 4 2 1 1 2 4 3 1 1 3")
        found = self.infer(potts, "--method", "swendsen-wang", "--task", "marginals")
        for p, q, e in zip(found["marginals"], marginals_of(states, weights),
                           found["standard_errors"]):
            self.assertLess(abs(p[0] - q[0]), 6 * e[0] + 1e-9)
        self.fails(WRONG_USAGE, "infer", self.path, "--method", "swendsen-wang", "--task",
                   "marginals", mentions=["Swendsen-Wang is for pairs"])

    def test_a_network_without_evidence_has_log_z_0_however_wide_it_is(self):
        parents = [[(v * 7 + k * 13) % v for k in range(3)] if v >= 60 else [] for v in range(400)]
        scopes = [sorted(set(p)) + [v] for v, p in enumerate(parents)]
        text = f"BAYES 400 {'2 ' * 400}400 " + " ".join(
            f"{len(s)} {' '.join(map(str, s))}" for s in scopes)
        for scope in scopes:
            text += f" {2 ** len(scope)}" + " 0.25 0.75 0.625 0.375" * (2 ** len(scope) // 4)
            text += " 0.5 0.5" if len(scope) == 1 else ""
        result = self.infer(self.file("wide.uai", text))
        self.assertEqual(result["kind"], "exact")
        self.assertAlmostEqual(result["log_partition"], 0, places=9)

    def test_a_formula_is_counted_by_search_where_no_junction_tree_fits(self):
        # Of 40 variables at most one is 1.
        pairs = [(u, v) for u in range(40) for v in range(u)]
        path = self.file("none.uai", f"MARKOV 40 {'2 ' * 40}{len(pairs)} " +
                         " ".join(f"2 {u} {v}" for u, v in pairs) + " 4 1 1 1 0" * len(pairs))
        result = self.infer(path)
        self.assertEqual((result["method"], result["kind"]), ("counting-search", "exact"))
        self.assertAlmostEqual(result["log_partition"], math.log(41), places=9)
        for p in self.infer(path, "--task", "marginals")["marginals"]:
            self.assertAlmostEqual(p[1], 1 / 41, places=9)

    def test_an_estimate_uses_its_time_and_is_between_bounds(self):
        path = self.file("wide.uai", random_grid(26))
        result = self.infer(path, "--time", 1, "--memory", "16M")
        self.assertGreaterEqual(result["seconds"], 1)  # draws go on until then
        self.assertLess(result["seconds"], 30)  # 1.0 when idle
        self.assertEqual(result["kind"], "estimate")
        self.assertLessEqual(result["log_partition_least"], result["log_partition"])
        self.assertLessEqual(result["log_partition"], result["log_partition_most"])

    def test_messages_do_not_leave_the_bound_where_mini_buckets_are_too_narrow(self):
        pairs = [(u, v) for u in range(300) for v in range(u)]
        path = self.file("all.uai", f"MARKOV 300 {'2 ' * 300}{len(pairs)} " +
                         " ".join(f"2 {u} {v}" for u, v in pairs) + " 4 1 2 1 3" * len(pairs))
        result = self.infer(path, "--time", 1)
        bound = len(pairs) * math.log(3) + 300 * math.log(2)
        self.assertLessEqual(result["log_partition_most"], bound + 1e-6)
        self.assertLessEqual(result["log_partition"], bound)

    def colouring(self, variables, colours):
        """Of a graph whose variables all differ."""
        unequal = " ".join("0" if s == t else "1" for s in range(colours) for t in range(colours))
        pairs = [(u, v) for u in range(variables) for v in range(u)]
        return self.file(f"{variables}.uai", f"MARKOV {variables} {f'{colours} ' * variables}{len(pairs)} " +
                         " ".join(f"2 {u} {v}" for u, v in pairs) + f" {colours ** 2} {unequal}" * len(pairs))

    def test_draws_that_do_not_hit_are_no_answer(self):
        self.fails(BAD_INPUT, "infer", "--quiet", self.colouring(12, 12), "--method",
                   "annealed-importance-sampling", "--max-iterations", 3,
                   mentions=["does not mean that there is none"])
        for method in ("annealed-importance-sampling", "counting-search"):
            self.assertIsNone(self.infer(self.colouring(6, 5), "--method", method)["log_partition"])

    def test_time_ends_a_junction_tree_with_what_is_known(self):
        path = self.file("wide.uai", random_grid(26))
        self.fails(BAD_INPUT, "infer", "--quiet", path, "--method", "junction-tree", "--memory",
                   "128G", "--time", 0.5, mentions=["stopped with about", "give it more --time"])
        small = self.file("small.uai", random_grid(12))
        exact = self.infer(small)["log_partition"]
        for method in ("recursive-conditioning", "cutset-conditioning"):
            result = self.infer(small, "--method", method, "--memory", "60K")
            self.assertAlmostEqual(result["log_partition"], exact, places=7)
            self.assertLessEqual(result["memory_bytes"], 60 * 1024)

    def test_a_best_assignment_has_its_score_and_its_bound_holds(self):
        best = math.log(max(self.weights.values()))
        for method in self.methods_of("map"):
            result = self.infer(self.path, "--method", method, "--task", "map")
            score = result["log_score"]
            self.assertAlmostEqual(score, math.log(self.weights[tuple(result["assignment"])]),
                                   places=9, msg=method)
            self.assertLessEqual(score, best + 1e-9, method)
            if result["kind"] == "exact":
                self.assertAlmostEqual(score, best, places=9, msg=method)
            self.assertGreaterEqual(result.get("bound", math.inf), best - 1e-9, method)

    def test_samples_are_assignments_that_are_allowed(self):
        for method in self.methods_of("sample"):
            result = self.infer(self.path, "--method", method, "--task", "sample",
                                "--samples", 20, "--observe", "4=1")
            self.assertEqual(len(result["samples"]), 20, method)
            for x in result["samples"]:
                self.assertGreater(self.weights[tuple(x)], 0, method)
                self.assertEqual(x[4], 1, method)

    def test_what_is_observed_stays_so_in_every_task(self):
        for task in ("marginals", "map"):
            for method in self.methods_of(task):
                result = self.infer(self.path, "--method", method, "--task", task,
                                    "--observe", "0=1", "--observe", "8=0")
                if task == "map":
                    self.assertEqual([result["assignment"][v] for v in (0, 8)], [1, 0], method)
                else:
                    self.assertEqual([result["marginals"][v] for v in (0, 8)],
                                     [[0, 1], [1, 0]], method)

    def test_a_contradiction_is_said_by_every_method_and_no_variables_are_no_fault(self):
        contradiction = self.file("no.uai", "MARKOV 2 2 2 2 2 0 1 2 0 1 4 1 0 0 0 4 0 1 1 1")
        empty = self.file("empty.uai", "MARKOV 0 0")
        zero = self.file("zero.uai", "MARKOV 0 1 0 1 0")  # of no variables, and Z = 0
        for task in ("partition", "marginals", "map", "sample"):
            for method in self.methods_of(task):
                ask = ("--task", task, "--method", method)
                best = self.infer(empty, *ask).get("log_score")
                self.assertEqual(best, 0 if task == "map" else None, method)
                if task == "partition":
                    self.assertIsNone(self.infer(zero, *ask)["log_partition"], method)
                else:
                    self.fails(BAD_INPUT, "infer", "--quiet", zero, *ask, mentions=["allowed"])
                if task == "partition":
                    self.assertIsNone(self.infer(contradiction, *ask)["log_partition"], method)
                elif method != "graph-cut":  # which does not take these factors
                    self.fails(BAD_INPUT, "infer", "--quiet", contradiction, *ask,
                               mentions=["allowed"])

    def test_settings_reach_their_method_and_others_are_refused(self):
        damped = self.infer(self.path, "--method", "belief-propagation", "--set", "damping=0.9",
                            "--set", "schedule=parallel")
        plain = self.infer(self.path, "--method", "belief-propagation",
                           "--set", "schedule=parallel")
        self.assertGreater(damped["iterations"], plain["iterations"])
        self.assertAlmostEqual(damped["log_partition"], plain["log_partition"], places=6)
        for setting in ("damp=1", "damping", "damping=x", "damping=1", "schedule=none"):
            self.fails(WRONG_USAGE, "infer", self.path, "--method", "belief-propagation", "--set",
                       setting, mentions=["damping" if setting != "schedule=none" else "residual"])
        self.fails(WRONG_USAGE, "infer", self.path, "--set", "damping=0.5", mentions=["--method"])
        one = self.infer(self.path, "--method", "belief-propagation", "--max-iterations", 1,
                         "--set", "schedule=parallel")
        self.assertEqual((one["iterations"], one["converged"]), (1, False))


class OptionsTest(InferTest):
    """Each method with each option: it is used, or an error that lists the methods that use it."""

    VALUES = {"--max-iterations": 100, "--tolerance": 1e-3, "--time": 60, "--memory": "1G"}
    # Potts pairs, and a Bayesian network for the one method that needs it.
    POTTS = "MARKOV 3 2 2 2 3 1 0 2 0 1 2 1 2 2 1 3 4 2 1 1 2 4 3 1 1 3"

    def setUp(self):
        super().setUp()
        self.potts = self.file("potts.uai", self.POTTS)
        text = self.run_ok("infer", "--help")
        tasks, methods = text.split("\nMethods by task:\n")[1].split(
            "\nMethods and their settings:\n")
        self.methods_of = {}
        for line in tasks.splitlines():
            task, names = line.strip().split(" ", 1)
            self.methods_of[task] = names.replace(" ", "").split(",")[1:]  # without auto
        self.takes, self.settings = {}, {}
        for line in methods.split("\nExample:")[0].splitlines():
            if line.startswith("  ") and line[2] != " ":
                name = line.strip().split(":")[0]
                self.takes[name], self.settings[name] = [], []
            elif line.strip().startswith("takes "):
                self.takes[name] = line.strip()[len("takes "):].split(", ")
            elif line.strip().startswith("--set "):
                self.settings[name] = re.findall(r"([a-z-]+)=((?:[^,]|,(?! [a-z-]+=))+)",
                                                 line.strip()[len("--set "):])
        self.assertIn("belief-propagation", self.takes)
        self.assertEqual(set(self.takes), {m for names in self.methods_of.values() for m in names})

    def ask(self, method, task):
        graph = SPRINKLER if method == "likelihood-weighting" else self.potts
        return (graph, "--task", task, "--method", method, *self.over(task))

    def over(self, task):
        return ("--over", "2,0") if task == "marginal-map" else ()

    def all_methods(self):
        return [(task, method) for task, names in self.methods_of.items() for method in names]

    def test_an_option_is_taken_or_an_error_that_lists_who_takes_it(self):
        for task, method in self.all_methods():
            for option, value in self.VALUES.items():
                ask = (*self.ask(method, task), option, value)
                if option in self.takes[method]:
                    self.infer(*ask)
                    continue
                others = [m for m in self.methods_of[task] if option in self.takes[m]]
                self.fails(WRONG_USAGE, "infer", "--quiet", *ask,
                           mentions=[option, method, *(others or ["none for this task"])])
            if task == "sample":
                self.assertEqual(len(self.infer(*self.ask(method, task), "--samples",
                                                7)["samples"]), 7)
            else:
                self.fails(WRONG_USAGE, "infer", "--quiet", *self.ask(method, task), "--samples", 7,
                           mentions=["--task sample"])

    def test_a_number_of_iterations_is_kept(self):
        for task, method in self.all_methods():
            if "--max-iterations" not in self.takes[method]:
                continue
            few, more = (self.infer(*self.ask(method, task), "--max-iterations", n)
                         for n in (70, 100))
            if more["iterations"] > 100:  # with those before the first that is counted
                self.assertEqual(more["iterations"] - few["iterations"], 30)
            else:
                self.assertLessEqual(few["iterations"], min(70, more["iterations"]))
                if more["iterations"] > 70:
                    self.assertGreater(more["iterations"], few["iterations"])

    def test_time_ends_every_method_that_takes_it(self):
        wide = self.file("wide.uai", random_grid(40))
        for task, method in self.all_methods():
            if "--time" not in self.takes[method] or method in MethodsTest.SPECIAL:
                continue
            # Without a limit of iterations, which may be reached first: neither converged nor stopped.
            others = [word for option, value in (("--memory", "64G"), ("--max-iterations", "1000000000"))
                      if option in self.takes[method] for word in (option, value)]
            begin = time.monotonic()
            run = subprocess.run([CROFT, "infer", "--json", "--quiet", wide, "--task", task,
                                  "--method", method, "--time", "0.2", *self.over(task), *others],
                                 capture_output=True, text=True, timeout=60)
            self.assertLess(time.monotonic() - begin, 30)
            if run.returncode == 0:
                result = json.loads(run.stdout)
                self.assertTrue(result["converged"] or result.get("stopped"), result["kind"])
                if result["converged"]:  # before, Z may be 0 yet, whose logarithm is null
                    self.assertNotIn("null", run.stdout)
            else:
                self.assertEqual(run.returncode, BAD_INPUT)
                self.assertRegex(run.stderr, "stopped|joint states|are allowed|no allowed")

    def test_every_setting_that_is_listed_is_read_and_nonsense_is_refused(self):
        values = {"last-temperature": "0.001", "loop-length": "3", "hottest": "5",
                  "clusters": "factors", "temperatures": "3"}
        for task, method in self.all_methods():
            for name, kind in self.settings[method]:
                value = values.get(name) or (kind.split("|")[0] if "|" in kind else
                                             "0.5" if ".." in kind else "2")
                self.infer(*self.ask(method, task), "--set", f"{name}={value}")
                for nonsense in ("", "?", "nan", "-1"):
                    if name == "gap" and nonsense == "nan":
                        continue
                    self.fails(WRONG_USAGE, "infer", "--quiet", *self.ask(method, task), "--set",
                               f"{name}={nonsense}")
            self.fails(WRONG_USAGE, "infer", *self.ask(method, task), "--set", "colour=red",
                       mentions=["colour", *(name for name, _ in self.settings[method])])

    def test_an_option_of_inference_is_an_error_where_there_is_none(self):
        for alone in (("--blanket", "rain"), ("--independent", "rain;grass"),
                      ("--picture", self.folder / "g.svg"), ("--save", self.folder / "g.uai")):
            for option in (("--method", "gibbs"), ("--memory", "1G"), ("--time", 1),
                           ("--tolerance", 0.1), ("--max-iterations", 9), ("--set", "a=b"),
                           ("--to", "uai")):
                self.fails(WRONG_USAGE, "infer", SPRINKLER, *alone, *option,
                           mentions=[option[0], "--task"])


class ExtremesTest(InferTest):
    """Graphs that are odd, for every method: an answer that is right, or one clear error."""

    def all_of(self, path, **options):
        for task in ("partition", "marginals", "map", "sample"):
            text = self.run_ok("infer", "--help")
            line = next(line for line in text.splitlines() if line.startswith(f"  {task} "))
            for method in line.replace(task, "", 1).replace(" ", "").split(","):
                run = subprocess.run([CROFT, "infer", "--json", "--quiet", path, "--task", task,
                                      "--method", method], capture_output=True, text=True,
                                     timeout=120, **options)
                self.assertIn(run.returncode, (0, BAD_INPUT, WRONG_USAGE), run.stderr)
                if run.returncode == 0:
                    yield task, method, json.loads(run.stdout)
                else:
                    self.assertTrue(run.stderr.startswith("croft: "), run.stderr)
                    self.assertEqual(run.stderr.count("\n"), 1, run.stderr)

    def test_scores_of_1e299_are_scores(self):
        path = self.file("huge.LG", "MARKOV 3 2 2 2 3 2 0 1 2 1 2 1 0 4 1e299 -1e299 0 5 "
                                    "4 1e150 -1e200 3 1 2 1e299 -1e299")
        seen = 0
        for task, method, result in self.all_of(path):
            seen += 1
            for value in ("log_partition", "log_score"):
                if value in result:
                    self.assertAlmostEqual(result[value] / 2e299, 1, places=9)
            if task == "marginals":
                self.assertAlmostEqual(result["marginals"][0][0], 1, places=6)
        self.assertGreater(seen, 40)

    def test_pieces_that_nothing_joins_are_answered_apart(self):
        text = "MARKOV 4 2 2 2 3 2 2 0 1 1 3 4 3 1 1 3 3 1 2 3"
        states, weights = enumerate_graph(text)
        for task, method, result in self.all_of(self.file("pieces.uai", text)):
            if task == "marginals":
                found = sum(result["marginals"], [])
                errors = sum(result.get("standard_errors", []), []) or [0.02] * len(found)
                for p, q, e in zip(found, sum(marginals_of(states, weights), []), errors,
                                   strict=True):
                    self.assertAlmostEqual(p, q, delta=6 * e + 1e-9, msg=method)
            elif task == "map":
                self.assertAlmostEqual(result["log_score"], math.log(9))
            elif task == "partition":
                self.assertAlmostEqual(result["log_partition"], math.log(sum(weights.values())),
                                       delta=0.3)

    def test_a_very_wide_graph_gets_an_approximate_method_at_once(self):
        value, pairs = 5, set()
        while len(pairs) < 9000:
            value = (1103515245 * value + 12345) % 2**31
            a, b = value % 3000, value // 3000 % 3000
            if a != b:
                pairs.add((min(a, b), max(a, b)))
        path = self.file("wide.uai", "\n".join(
            ["MARKOV", "3000", "2 " * 3000, str(len(pairs)),
             *(f"2 {a} {b}" for a, b in sorted(pairs)), *(["4 2 1 1 2"] * len(pairs))]))
        begin = time.monotonic()
        result = self.infer(path)
        self.assertLess(time.monotonic() - begin, 60)  # it was minutes; half a second when idle
        self.assertIn("at least 2^", result["reason"])
        self.assertEqual(result["method"], "belief-propagation")
        for method in ("junction-tree", "cutset-conditioning", "recursive-conditioning"):
            self.fails(BAD_INPUT, "infer", "--quiet", path, "--method", method, "--memory", "1G",
                       mentions=["at least 2^", "approximate"])


class LimitsTest(InferTest):
    def test_without_memory_auto_takes_another_method_and_says_why(self):
        path = self.file("large.uai", random_grid(14))
        for task in ("partition", "marginals", "map", "sample"):
            result = self.infer(path, "--task", task, "--memory", "1K")
            self.assertNotEqual(result["method"], "junction-tree")
            self.assertIn("1 KB are allowed", result["reason"])
            said = subprocess.run([CROFT, "infer", path, "--task", task, "--memory", "1K"],
                                  capture_output=True, check=True).stderr.decode()
            self.assertIn(result["reason"], said)
        exact = self.infer(path, "--task", "map")
        self.assertEqual((exact["method"], exact["kind"]), ("junction-tree", "exact"))
        bounded = self.infer(path, "--task", "map", "--memory", "1K")
        self.assertLessEqual(bounded["log_score"], exact["log_score"] + 1e-9)
        self.assertGreaterEqual(bounded["bound"], exact["log_score"] - 1e-9)

    def test_time_ends_a_search_with_what_it_has(self):
        path = self.file("large.uai", random_grid(100))
        begin = time.monotonic()
        result = self.infer(path, "--task", "map", "--time", 1)
        self.assertLess(time.monotonic() - begin, 60)
        self.assertTrue(result["stopped"])
        self.assertFalse(result["converged"])
        self.assertEqual(result["kind"], "lower bound")
        self.assertLess(result["log_score"], result["bound"])

    def test_an_interrupt_ends_a_search_with_what_it_has(self):
        path = self.file("large.uai", random_grid(100))
        process = subprocess.Popen([CROFT, "infer", path, "--task", "map", "--method",
                                    "branch-and-bound", "--json"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        process.stderr.readline()  # of its progress: the search has begun
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, INTERRUPTED)
        result = json.loads(out)
        self.assertTrue(result["stopped"])
        self.assertEqual(len(result["assignment"]), 10000)


class NamesTest(InferTest):
    def test_names_of_variables_and_states_are_everywhere(self):
        result = self.infer(SPRINKLER, "--observe", "grass=soaked", "--task", "map")
        self.assertEqual(result["variables"],
                         ["season", "rain", "sprinkler", "grass", "slippery"])
        self.assertEqual(result["states"][3], ["dry", "damp", "soaked"])
        self.assertEqual(result["assignment"], ["wet", "yes", "off", "soaked", "yes"])
        table = self.run_ok("infer", SPRINKLER, "--task", "marginals", "--observe", "rain=1")
        rows = [line.split() for line in table.splitlines()]
        self.assertIn(["rain", "yes", "1"], rows)
        self.assertIn(["rain", "no", "0"], rows)

    def test_the_probability_of_evidence_is_the_partition_sum(self):
        self.assertAlmostEqual(self.infer(SPRINKLER)["log_partition"], 0, places=12)
        p = math.exp(self.infer(SPRINKLER, "--observe", "season=wet",
                                "--observe", "rain=yes")["log_partition"])
        self.assertAlmostEqual(p, 0.4 * 0.7, places=12)

    def test_formats_say_the_same_of_one_network(self):
        saved = {name: self.folder / f"g.{name}" for name in ("uai", "LG", "bif")}
        for path in saved.values():
            self.assertEqual(self.run_ok("infer", SPRINKLER, "--save", path), "")
        expected = self.infer(SPRINKLER, "--observe", "slippery=yes", "--task", "marginals")
        for name, path in saved.items():
            found = self.infer(path, "--observe", "slippery=yes" if name == "bif" else "4=1",
                               "--task", "marginals")
            for p, q in zip(sum(found["marginals"], []), sum(expected["marginals"], []),
                            strict=True):
                self.assertAlmostEqual(p, q, places=12)

    def test_evidence_of_a_file_and_of_the_command_line_add_up(self):
        evidence = self.file("g.evid", "1\n1 2 1\n")
        one = self.infer(self.grid(), "--evidence", evidence, "--observe", "0=1")
        other = self.infer(self.grid(), "--observe", "2=1", "--observe", "0=1")
        self.assertEqual(one["log_partition"], other["log_partition"])
        self.fails(WRONG_USAGE, "infer", self.grid(), "--evidence", evidence, "--observe", "2=0",
                   mentions=["observed in two states"])

    def test_standard_input_is_read_by_its_first_word_or_by_format(self):
        expected = self.infer(self.grid())["log_partition"]
        self.assertEqual(self.infer("-", stdin=GRID.encode())["log_partition"], expected)
        self.assertEqual(self.infer("-", "--format", "uai", stdin=GRID.encode())["log_partition"],
                         expected)
        self.assertAlmostEqual(self.infer("-", stdin=SPRINKLER.read_bytes())["log_partition"], 0)
        self.fails(BAD_INPUT, "infer", "-", stdin=b"hello\n", mentions=["<stdin>:1", "--format"])


class ShapeTest(InferTest):
    def ask(self, question, *arguments, graph=SPRINKLER):
        answer = self.infer(graph, "--independent", question, *arguments)
        said = self.run_ok("infer", graph, "--independent", question, *arguments)
        self.assertTrue(said.startswith("yes: " if answer["independent"] else "no: "), said)
        return answer["independent"]

    def test_independence_in_a_directed_graph_is_d_separation(self):
        self.assertFalse(self.ask("rain;sprinkler"))
        self.assertTrue(self.ask("rain;sprinkler|season"))
        self.assertTrue(self.ask("rain; sprinkler", "--observe", "season=wet"))
        self.assertFalse(self.ask("rain;sprinkler|season,slippery"))
        self.assertTrue(self.ask("season,rain;slippery|grass"))

    def test_independence_in_an_undirected_graph_is_separation(self):
        self.assertFalse(self.ask("0;2|1", graph=self.grid()))
        self.assertTrue(self.ask("0;2|1,3", graph=self.grid()))

    def test_the_markov_blanket(self):
        self.assertEqual(self.run_ok("infer", SPRINKLER, "--blanket", "rain").split(),
                         ["season", "sprinkler", "grass"])
        self.assertEqual(self.infer(self.grid(), "--blanket", "0")["markov_blanket"], ["1", "3"])

    def test_what_is_no_question_is_refused(self):
        for question in ("rain", "rain;snow", "rain;rain", "rain;grass|rain", ";"):
            self.fails(WRONG_USAGE, "infer", SPRINKLER, "--independent", question)


class OutputTest(InferTest):
    def test_the_format_of_the_competitions(self):
        states, weights = enumerate_graph(GRID)
        ask = lambda task: self.run_ok("infer", self.grid(), "--task", task,
                                       "--to", "uai").split()
        self.assertEqual(ask("partition")[0], "PR")
        self.assertAlmostEqual(float(ask("partition")[1]), math.log10(sum(weights.values())))
        words = ask("marginals")
        self.assertEqual(words[:2], ["MAR", "4"])
        expected = []
        for p in marginals_of(states, weights):
            expected += [len(p), *p]
        for found, wanted in zip(words[2:], expected, strict=True):
            self.assertAlmostEqual(float(found), wanted, places=9)
        self.assertEqual(ask("map"), ["MPE", "4", *map(str, max(weights, key=weights.get))])
        self.fails(WRONG_USAGE, "infer", self.grid(), "--task", "sample", "--to", "uai",
                   mentions=["samples"])

    def test_the_svg_is_a_document_with_every_variable_and_edge(self):
        svg, dot = self.folder / "g.svg", self.folder / "g.dot"
        self.run_ok("infer", SPRINKLER, "--picture", svg, "--observe", "rain=yes")
        self.run_ok("infer", SPRINKLER, "--picture", dot, "--observe", "rain=yes")
        root = xml.etree.ElementTree.parse(svg).getroot()
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual([node.text for node in root.iter(space + "text")],
                         ["season", "rain", "sprinkler", "grass", "slippery"])
        arrows = [node for node in root.iter(space + "path") if node.get("marker-end")]
        self.assertEqual(len(arrows), 5)
        grey = [node for node in root.iter(space + "ellipse") if node.get("fill") == "#cccccc"]
        self.assertEqual(len(grey), 1)
        width, height = float(root.get("width")), float(root.get("height"))
        places = [(float(node.get("cx")), float(node.get("cy")))
                  for node in root.iter(space + "ellipse")]
        for (x, y), (u, v) in itertools.combinations(places, 2):
            self.assertGreater(math.hypot(x - u, y - v), 20)
        self.assertTrue(all(0 < x < width and 0 < y < height for x, y in places))
        text = dot.read_text("utf-8")
        self.assertEqual(text.count("->"), 5)
        self.assertEqual(text.count("lightgrey"), 1)
        self.assertIn('label="sprinkler"', text)
        first = svg.read_bytes()
        self.run_ok("infer", SPRINKLER, "--picture", svg, "--observe", "rain=yes")
        self.assertEqual(svg.read_bytes(), first)

    def test_two_files_have_two_names_or_none_is_written(self):
        one = self.folder / "g.svg"
        self.fails(WRONG_USAGE, "infer", SPRINKLER, "--picture", one, "--save", f"{self.folder}/./g.svg",
                   mentions=["both write"])
        self.fails(WRONG_USAGE, "infer", SPRINKLER, "--picture", one, "--save", self.folder / "g.txt",
                   mentions=["neither .uai"])
        self.assertFalse(one.exists())

    def test_a_picture_does_not_replace_the_graph_and_has_a_known_ending(self):
        path = self.file("g.dot", GRID)
        self.fails(WRONG_USAGE, "infer", path, "--picture", path, mentions=["would replace"])
        self.assertEqual(path.read_text("utf-8"), GRID)
        self.fails(WRONG_USAGE, "infer", path, "--picture", self.folder / "g.png",
                   mentions=[".dot", ".svg"])
        self.fails(WRONG_USAGE, "infer", path, "--save", self.folder / "g.txt", mentions=[".uai"])
        self.fails(WRONG_USAGE, "infer", path, "--save", self.folder / "g.bif",
                   mentions=["directed"])


class ErrorsTest(InferTest):
    def test_bad_files_are_named_with_their_place(self):
        self.fails(BAD_INPUT, "infer", self.file("a.uai", GRID[:-10]),
                   mentions=["a.uai:", "cut off"])
        self.fails(BAD_INPUT, "infer", self.file("b.bif", "variable x { type real; }"),
                   mentions=["b.bif:1:19"])
        self.fails(BAD_INPUT, "infer", self.file("c.fg", "1\n1\n0\n2\n1\n0 -1\n"),
                   mentions=["c.fg:6:3"])
        self.fails(BAD_INPUT, "infer", self.folder / "none.uai", mentions=["none.uai"])
        self.fails(BAD_INPUT, "infer", self.grid(), "--evidence", self.file("e", "1 9 0"),
                   mentions=["e:1:3", "no such variable"])

    def test_what_does_not_go_together_lists_what_does(self):
        grid = self.grid()
        self.fails(WRONG_USAGE, "infer", grid, "--task", "sums",
                   mentions=["partition, marginals, map, marginal-map, sample"])
        self.fails(WRONG_USAGE, "infer", grid, "--method", "magic", mentions=["junction-tree"])
        self.fails(WRONG_USAGE, "infer", grid, "--method", "brute-force", "--task", "sample",
                   mentions=["junction-tree"])
        self.fails(WRONG_USAGE, "infer", grid, "--format", "xml", mentions=["uai, lg, fg, bif"])
        self.fails(WRONG_USAGE, "infer", grid, "--method", "junction-tree", "--tolerance", "1e-3",
                   mentions=["--tolerance"])
        self.fails(WRONG_USAGE, "infer", grid, "--task", "sample", "--tolerance", "1e-3",
                   mentions=["--tolerance"])
        self.fails(WRONG_USAGE, "infer", grid, "--method", "brute-force", "--time", "1",
                   mentions=["--time", "junction-tree"])
        self.fails(WRONG_USAGE, "infer", grid, "--samples", "3", mentions=["--task sample"])
        self.fails(WRONG_USAGE, "infer", grid, "--observe", "7=0", mentions=["numbered from 0"])
        self.fails(WRONG_USAGE, "infer", grid, "--observe", "2=3", mentions=["numbered from 0"])

    def test_help_lists_the_methods_of_each_task(self):
        text = self.run_ok("infer", "--help")
        for task in ("partition", "marginals", "map", "marginal-map", "sample"):
            line = next(line for line in text.splitlines() if line.startswith(f"  {task} "))
            self.assertIn("auto, junction-tree", line)


if __name__ == "__main__":
    main()
