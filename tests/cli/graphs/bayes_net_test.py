"""croft train --model bayes-net: tables of a Bayesian network from tables of cases."""

import json
import math
import re

from support import BAD_INPUT, WRONG_USAGE, CliTest, croft, main, read_log

# Lauritzen and Spiegelhalter's (1988) clinic: the tables are theirs.
ASIA = """network asia { }
variable asia { type discrete [ 2 ] { yes, no }; }
variable tub { type discrete [ 2 ] { yes, no }; }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable lung { type discrete [ 2 ] { yes, no }; }
variable bronc { type discrete [ 2 ] { yes, no }; }
variable either { type discrete [ 2 ] { yes, no }; }
variable xray { type discrete [ 2 ] { yes, no }; }
variable dysp { type discrete [ 2 ] { yes, no }; }
probability ( asia ) { table 0.01, 0.99; }
probability ( tub | asia ) { (yes) 0.05, 0.95; (no) 0.01, 0.99; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( lung | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
probability ( bronc | smoke ) { (yes) 0.6, 0.4; (no) 0.3, 0.7; }
probability ( either | lung, tub ) {
  (yes, yes) 1.0, 0.0; (no, yes) 1.0, 0.0; (yes, no) 1.0, 0.0; (no, no) 0.0, 1.0;
}
probability ( xray | either ) { (yes) 0.98, 0.02; (no) 0.05, 0.95; }
probability ( dysp | bronc, either ) {
  (yes, yes) 0.9, 0.1; (no, yes) 0.7, 0.3; (yes, no) 0.8, 0.2; (no, no) 0.1, 0.9;
}
"""
NAMES = ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"]

PARENTS = {"asia": [], "smoke": [], "tub": ["asia"], "lung": ["smoke"], "bronc": ["smoke"],
           "either": ["lung", "tub"], "xray": ["either"], "dysp": ["bronc", "either"]}

RAIN = """network rain { }
variable rain { type discrete [ 2 ] { yes, no }; }
variable grass { type discrete [ 2 ] { wet, dry }; }
probability ( rain ) { table 0.5, 0.5; }
probability ( grass | rain ) { (yes) 0.5, 0.5; (no) 0.5, 0.5; }
"""


def tables(text):
    """{(child, parents' states): [probabilities]} of a BIF file."""
    found = {}
    for child, block in re.findall(r"probability \( (\S+)[^)]*\) \{([^}]*)\}", text):
        for states, numbers in re.findall(r"(?:\(([^)]*)\)|table) ([^;]*);", block):
            found[child, states] = [float(n) for n in numbers.split(",")]
    return found


class BayesNetTest(CliTest):
    def fit(self, structure, cases, *options):
        """The fitted network's tables, and the text on stderr."""
        out = self.folder / "fitted.bif"
        done = self.run_ok_both("train", "--model", "bayes-net", "--structure", structure, "-o",
                                out, *options, cases)
        return tables(out.read_text()), done

    def run_ok_both(self, *arguments):
        done = croft(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertFalse(done.stdout)
        return done.stderr.decode()

    def cases_of_asia(self, count, seed=1, hide=None):
        """Cases drawn from the network, with cells emptied where hide(row, column) says so."""
        net = self.file("asia.bif", ASIA)
        drawn = json.loads(self.run_ok("infer", "--task", "sample", "--samples", count, "--seed",
                                       seed, "--json", "--quiet", net))["samples"]
        lines = [",".join(NAMES)]
        for n, row in enumerate(drawn):
            cells = [s if isinstance(s, str) else ("yes", "no")[s]
                     for s in (row.values() if isinstance(row, dict) else row)]
            lines.append(",".join("" if hide and hide(n, k) else c for k, c in enumerate(cells)))
        return net, self.file(f"cases{seed}.csv", "\n".join(lines) + "\n")

    def entropy_of_asia(self):
        t = {key: value[0] for key, value in tables(ASIA).items()}
        yes = "yes"
        entropy = 0
        for n in range(2 ** len(NAMES)):
            v = {name: ("yes", "no")[n >> k & 1] for k, name in enumerate(NAMES)}
            p = 1
            for (child, states), q in t.items():
                wanted = [s.strip() for s in states.split(",")] if states else []
                if [v[x] for x in PARENTS[child]] == wanted:
                    p *= q if v[child] == yes else 1 - q
            entropy -= p * math.log(p) if p > 0 else 0
        return entropy

    def test_counts_are_shares(self):
        net = self.file("rain.bif", RAIN)
        cases = self.file("cases.csv", "grass,rain\nwet,yes\nwet,yes\ndry,yes\ndry,no\n")
        fitted, text = self.fit(net, cases)
        self.assertEqual(fitted["rain", ""], [0.75, 0.25])
        self.assertAlmostEqual(fitted["grass", "yes"][0], 2 / 3)
        self.assertEqual(fitted["grass", "no"], [0, 1])
        expected = 3 * math.log(.75) + math.log(.25) + 2 * math.log(2 / 3) + math.log(1 / 3)
        self.assertIn(f"log-likelihood {expected:.4f}", text)
        self.assertIn("3 free parameters", text)
        smoothed, _ = self.fit(net, cases, "--smoothing", 1)
        self.assertAlmostEqual(smoothed["grass", "no"][0], 1 / 3)

    def test_written_networks_are_read_again(self):
        net, cases = self.cases_of_asia(500)
        once, text = self.fit(net, cases, "--smoothing", 0.5)
        first = (self.folder / "fitted.bif").read_text()
        self.fails(WRONG_USAGE, "train", "--quiet", "--model", "bayes-net", "--structure", self.folder / "fitted.bif",
                   "-o", self.folder / "fitted.bif", cases, mentions=["--output"])
        once_fitted = self.file("once.bif", first)
        again, text_again = self.fit(once_fitted, cases, "--smoothing", 0.5)
        self.assertEqual(once, again)
        self.assertEqual(first, (self.folder / "fitted.bif").read_text())
        likelihood = r"log-likelihood \S+"
        self.assertEqual(re.search(likelihood, text)[0], re.search(likelihood, text_again)[0])
        uai = self.folder / "fitted.uai"
        self.run_ok("train", "--quiet", "--model", "bayes-net", "--structure", net, "-o", uai,
                    "--smoothing", 0.5, cases)
        self.assertTrue(uai.read_text().startswith("BAYES"))

    def test_asia_is_recovered_from_its_samples(self):
        count = 20000
        net, cases = self.cases_of_asia(count)
        fitted, _ = self.fit(net, cases)
        truth = tables(ASIA)
        rows = [line.split(",") for line in cases.read_text().splitlines()[1:]]
        squares = []
        for (child, states), row in truth.items():
            wanted = [s.strip() for s in states.split(",")] if states else []
            total = sum([r[NAMES.index(p)] for p in PARENTS[child]] == wanted for r in rows)
            for p, found in zip(row, fitted[child, states]):
                if p in (0, 1):
                    self.assertTrue(found == p or total == 0)
                elif total > 20:
                    z = (found - p) / math.sqrt(p * (1 - p) / total)
                    self.assertLess(abs(z), 4.5, (child, states))
                    squares.append(z * z)
        self.assertGreater(len(squares), 20)
        self.assertLess(sum(squares) / len(squares), 2)

    def test_a_share_of_the_cases_can_be_held_out(self):
        net, cases = self.cases_of_asia(1000)
        _, text = self.fit(net, cases, "--smoothing", 1, "--holdout", 0.25, "--seed", 3)
        kept, held = (int(re.search(pattern, text)[1]) for pattern in (r"(\d+) rows, 8", r"held out: (\d+) rows"))
        self.assertEqual(kept + held, 1000)
        self.assertTrue(200 < held < 300, held)

    def test_missing_values_are_found_by_em_that_never_loses(self):
        net, cases = self.cases_of_asia(3000, hide=lambda n, k: (7 * n + 3 * k) % 5 == 0 or k == 5)
        log = self.folder / "log.jsonl"
        fitted, text = self.fit(net, cases, "--log", log, "--smoothing", 0.1, "--starts", 2,
                                "--em-iterations", 200, "--holdout",
                                self.cases_of_asia(2000, seed=2, hide=lambda n, k: k == 5)[1])
        steps, last = read_log(log)
        for start in (0, 1):
            objective = [s["objective"] for s in steps if s["start"] == start]
            self.assertGreater(len(objective), 3)
            for a, b in zip(objective, objective[1:]):
                self.assertLessEqual(b, a + 1e-9 * abs(a))
        self.assertEqual(last["reason"], "converged")
        self.assertAlmostEqual(fitted["smoke", ""][0], 0.5, delta=0.06)
        self.assertAlmostEqual(fitted["bronc", "yes"][0], 0.6, delta=0.08)
        held = float(re.search(r"held out: 2000 rows, log-likelihood (\S+),", text)[1])
        # What the network itself expects of a case; `either` follows from lung and tub.
        self.assertAlmostEqual(held / 2000, -self.entropy_of_asia(), delta=0.1)

    def test_em_goes_on_from_given_tables(self):
        net, cases = self.cases_of_asia(300, hide=lambda n, k: (n + k) % 3 == 0)
        log = self.folder / "log.jsonl"
        self.fit(net, cases, "--init", net, "--log", log)
        steps, _ = read_log(log)
        self.assertLess(steps[-1]["objective"], steps[0]["objective"])

    def test_any_number_of_threads_gives_the_same_file(self):
        net, cases = self.cases_of_asia(400, hide=lambda n, k: (n + k) % 4 == 0)
        texts = set()
        for threads in (1, 3):
            self.fit(net, cases, "--threads", threads, "--em-iterations", 15)
            texts.add((self.folder / "fitted.bif").read_bytes())
        self.assertEqual(len(texts), 1)

    def test_other_words_for_a_missing_cell_and_other_delimiters(self):
        net = self.file("rain.bif", RAIN)
        cases = self.file("cases.csv", "rain;grass\nyes;NA\nno;dry\nyes; wet \n")
        fitted, text = self.fit(net, cases, "--delimiter", ";", "--missing", "NA")
        self.assertIn("1 value is missing", text)
        self.assertAlmostEqual(fitted["grass", "yes"][0], 1, delta=1e-3)

    def test_wrong_cases_name_their_place(self):
        net = self.file("rain.bif", RAIN)
        out = self.folder / "refused.bif"

        def refused(status, content, *options, mentions):
            cases = self.file("cases.csv", content)
            self.fails(status, "train", "--model", "bayes-net", "--quiet", "--structure", net,
                       "-o", out, *options, cases, mentions=mentions)
            self.assertFalse(out.exists())

        refused(BAD_INPUT, "rain,snow\nyes,no\n", mentions=["cases.csv:1:6", "snow", "grass"])
        refused(BAD_INPUT, "rain,rain\nyes,no\n", mentions=["two columns"])
        refused(BAD_INPUT, "rain,grass\nyes,damp\n", mentions=["cases.csv:2:5", "damp", "dry"])
        refused(BAD_INPUT, "rain,grass\nyes\n", mentions=["cases.csv:2", "1 cell"])
        refused(BAD_INPUT, "rain,grass\n", mentions=["no row"])
        refused(BAD_INPUT, "", mentions=["header"])
        complete = "rain,grass\nyes,wet\n"
        for option in (["--starts", 3], ["--em-iterations", 3], ["--tolerance", 1]):
            refused(WRONG_USAGE, complete, *option, mentions=[option[0], "missing"])
        refused(WRONG_USAGE, complete, "--init", net, mentions=["--init"])

    def test_options_of_others_are_refused(self):
        net = self.file("rain.bif", RAIN)
        cases = self.file("cases.csv", "rain,grass\nyes,wet\n")
        base = ["train", "--model", "bayes-net", "--quiet", cases]
        self.fails(WRONG_USAGE, *base, "-o", self.folder / "a.bif", mentions=["--structure"])
        base += ["--structure", net]
        self.fails(WRONG_USAGE, *base, "-o", self.folder / "a.croft", mentions=[".bif"])
        self.fails(WRONG_USAGE, *base, "-o", self.folder / "a.bif", "--l2", 1, mentions=["--l2"])
        self.fails(WRONG_USAGE, *base, "-o", self.folder / "a.bif", "--format", "columns",
                   mentions=["csv"])
        self.fails(WRONG_USAGE, "train", "--quiet", "-o", self.folder / "m.croft", "--structure",
                   net, cases, mentions=["--structure"])
        markov = self.file("m.uai", "MARKOV 1 2 1 1 0 2 1 1")
        self.fails(WRONG_USAGE, "train", "--quiet", "--model", "bayes-net", "--structure", markov,
                   "-o", self.folder / "a.bif", cases, mentions=["m.uai"])

    def learnt(self, cases, *options, out="learnt.bif"):
        text = self.run_ok_both("train", "--model", "bayes-net", "-o", self.folder / out, *options, cases)
        return (self.folder / out).read_text(), text

    def test_edges_are_learnt_from_samples(self):
        _, cases = self.cases_of_asia(20000)
        skeleton = {frozenset((child, parent)) for child, parents in PARENTS.items() for parent in parents}
        for options in (["hill-climbing", "--starts", 3], ["exact", "--max-parents", 3],
                        ["exact", "--network-score", "bdeu", "--equivalent-sample-size", 1]):
            bif, text = self.learnt(cases, "--learn-structure", *options)
            found = {frozenset((child, parent.strip())) for child, parents in
                     re.findall(r"probability \( (\w+) \| ([^)]*)\)", bif) for parent in parents.split(",")}
            self.assertLessEqual(len(found ^ skeleton), 2, (options, found))
            self.assertIn("structure: " + options[0], text)
        # The best score is at least that of hill climbing.
        best = float(re.search(r"bic (\S+)", self.learnt(cases, "--learn-structure", "exact")[1])[1])
        climbed = float(re.search(r"edges, bic (\S+)", self.learnt(cases, "--learn-structure", "hill-climbing")[1])[1])
        self.assertGreaterEqual(best, climbed - 1e-6)

    def test_tests_of_independence_find_a_collider(self):
        rows = [f"{a},{b},{(a + b) % 2 if n % 9 else n // 9 % 2}" for n in range(900) for a in (0, 1) for b in (0, 1)]
        cases = self.file("cases.csv", "a,b,c\n" + "\n".join(rows) + "\n")
        # Each pair is independent: no edge is left, where a score sees that the three belong together.
        bif, text = self.learnt(cases, "--learn-structure", "pc")
        self.assertNotIn("|", bif)
        self.assertIn("pc, 0 edges", text)
        bif, _ = self.learnt(cases, "--learn-structure", "exact")
        self.assertIn("|", bif)

    def test_samples_give_the_confidence_of_edges_as_a_table(self):
        _, cases = self.cases_of_asia(5000)
        edges = self.folder / "edges.csv"
        options = ["--learn-structure", "hill-climbing", "--bootstrap", 10, "--edges", edges]
        once = self.learnt(cases, *options)[0]
        table = edges.read_text().splitlines()
        self.assertEqual(table[0], "from,to,confidence,direction,learnt")
        shares = [float(line.split(",")[2]) for line in table[1:]]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertEqual(shares[0], 1)
        self.assertEqual(self.learnt(cases, *options, "--threads", 2, out="again.bif")[0], once)
        self.assertEqual(edges.read_text().splitlines(), table)

    def test_cases_that_are_not_complete_are_left_out_of_the_structure_alone(self):
        cases = self.file("cases.csv", "a,b\n" + "x,x\ny,y\n" * 30 + "x,\n,y\n")
        bif, text = self.learnt(cases, "--learn-structure", "hill-climbing")
        self.assertIn("2 cases are not complete", text)
        self.assertIn("1 edge", text)
        self.assertIn("|", bif)

    def test_a_structure_gives_states_and_an_earlier_network_edges(self):
        net, cases = self.cases_of_asia(500)
        start = self.learnt(cases, "--learn-structure", "exact", out="start.bif")[1]
        again = self.learnt(cases, "--structure", net, "--init", self.folder / "start.bif", "--learn-structure",
                            "hill-climbing", "--tabu", 0)[1]
        score = r"edges, bic (\S+)"
        self.assertEqual(re.search(score, start)[1], re.search(score, again)[1])

    def test_what_a_method_does_not_look_at_is_refused(self):
        cases = self.file("cases.csv", "a,b\n0,1\n1,0\n")
        out = self.folder / "refused.bif"

        def refused(*options, mentions):
            self.fails(WRONG_USAGE, "train", "--quiet", "--model", "bayes-net", "-o", out, *options, cases,
                       mentions=mentions)
            self.assertFalse(out.exists())

        refused("--learn-structure", "pc", "--tabu", 3, mentions=["--tabu", "hill-climbing"])
        refused("--learn-structure", "exact", "--significance", 0.1, mentions=["--significance", "pc"])
        refused("--learn-structure", "pc", "--network-score", "bic", mentions=["--network-score"])
        refused("--learn-structure", "exact", "--equivalent-sample-size", 3, mentions=["bdeu"])
        refused("--tabu", 3, mentions=["--learn-structure"])
        refused("--learn-structure", "exact", "--edges", self.folder / "e.csv", mentions=["--bootstrap"])
        refused("--learn-structure", "exact", "--bootstrap", 2, "--edges", out, mentions=["--edges"])
        wide = self.file("wide.csv", ",".join(f"v{k}" for k in range(21)) + "\n" + ",".join("0" * 21) + "\n")
        self.fails(WRONG_USAGE, "train", "--quiet", "--model", "bayes-net", "-o", out, "--learn-structure", "exact",
                   wide, mentions=["20 variables", "21", "hill-climbing"])


if __name__ == "__main__":
    main()
