"""croft logic: a Markov logic network and evidence to answers."""

import json
import math
import random
import re
import shlex
import signal
import subprocess
import time

from support import BAD_INPUT, CROFT, INTERRUPTED, SOURCE, WRONG_USAGE, CliTest, main

FRIENDS = """// who smokes
person = {Anna, Bob}
Friends(person, person)
Smokes(person)
Cancer(person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x, y) ^ Smokes(x) => Smokes(y)
"""
FACTS = "Friends(Anna, Bob)\nSmokes(Bob)\n!Smokes(Anna)\n"


class LogicTest(CliTest):
    def ask(self, *options, network=FRIENDS, facts=FACTS):
        paths = [self.file("friends.mln", network)]
        if facts:
            paths += ["-e", self.file("friends.db", facts)]
        return json.loads(self.run_ok("logic", *paths, "--json", "--quiet", *options))

    def test_probabilities_of_atoms(self):
        document = self.ask("--query", "Cancer, Smokes(Bob)")
        found = {each["atom"]: each["probability"] for each in document["atoms"]}
        self.assertAlmostEqual(found["Cancer(Bob)"], 1 / (1 + math.exp(-1.5)), places=9)
        self.assertAlmostEqual(found["Cancer(Anna)"], 0.5, places=9)
        self.assertEqual(found["Smokes(Bob)"], 1)
        self.assertEqual(document["kind"], "exact")

    def test_a_hard_disjunction_leaves_three_worlds(self):
        network = "thing = {A}\nH(thing)\nS(thing)\nH(x) v S(x).\n"
        document = self.ask(network=network, facts="")
        self.assertEqual([round(each["probability"], 9) for each in document["atoms"]],
                         [round(2 / 3, 9)] * 2)
        self.assertAlmostEqual(document["log_partition"], math.log(3), places=9)

    def test_weights_have_two_meanings(self):
        network = "t = {A}\nP(t)\nQ(t)\n2 P(x) <=> Q(x)\n"
        found = [self.ask("--task", "partition", *options, network=network, facts="")
                 for options in ((), ("--weights", "clausal"), ("--dialect", "alchemy"))]
        self.assertAlmostEqual(found[0]["log_partition"], math.log(2 * math.exp(2) + 2), places=9)
        for each in found[1:]:
            self.assertAlmostEqual(each["log_partition"],
                                   math.log(2 * math.exp(2) + 2 * math.exp(1)), places=9)

    def test_slice_sampling_says_what_its_estimates_are_worth(self):
        document = self.ask("--query", "Cancer", "--method", "mc-sat", "--max-iterations", "2000")
        found = {each["atom"]: each for each in document["atoms"]}["Cancer(Bob)"]
        self.assertAlmostEqual(found["probability"], 1 / (1 + math.exp(-1.5)), delta=5 * found["standard_error"] + 1e-3)
        self.assertEqual((document["kind"], document["converged"]), ("estimate", True))
        self.assertGreaterEqual(document["effective_samples"], 100)

    def test_slice_sampling_goes_on_until_its_chains_agree(self):
        # A hidden state that changes rarely, over 60 steps of time: no atom alone can turn it.
        network = ("time = {0, ..., 59}\nOn(time)\nSeen(time)\nOn(t) => On(t + 1) v Seen(t).\n"
                   "On(t + 1) => On(t) v Seen(t).\n0.4 On(5)\n")
        facts = "Seen(30)\n"
        drawn, exact = (self.ask("--query", "On", *options, network=network, facts=facts)
                        for options in (("--method", "mc-sat"), ()))
        self.assertTrue(drawn["converged"])
        for mine, true in zip(drawn["atoms"], exact["atoms"]):
            self.assertAlmostEqual(mine["probability"], true["probability"], delta=5 * mine["standard_error"] + 1e-6)

    def test_chains_that_hard_rules_keep_apart_have_no_error_of_zero(self):
        # Two of 14 atoms demand all others: of a slice some atoms are held, and none can move.
        constants = ", ".join(f"C{i}" for i in range(14))
        network = (f"t = {{{constants}}}\nP(t)\nP(x) ^ P(y) ^ x != y => P(z).\n"
                   "!P(x) ^ !P(y) ^ x != y => !P(z).\n0.1 P(x)\n")
        drawn = self.ask("--method", "mc-sat", "--max-iterations", "400", network=network, facts="")
        self.assertFalse(drawn["converged"])
        self.assertRegex(" ".join(drawn["warnings"]), "has not converged|standard errors are unknown")
        for each in drawn["atoms"]:
            self.assertTrue(each["standard_error"] is None or each["standard_error"] > 0.2, each)

    def test_facts_may_have_probabilities(self):
        network = "t = {A, B}\nP(t)\nQ(t)\n1.5 P(x) => Q(x)\n"
        document = self.ask("--query", "P, Q", network=network, facts="0.9 P(A)\n!Q(A)\n0.3 !P(B)\nQ(B)\n")
        found = {each["atom"]: each["probability"] for each in document["atoms"]}
        self.assertAlmostEqual(found["P(A)"], 9 / (9 + math.exp(1.5)), places=9)
        self.assertAlmostEqual(found["P(B)"], 0.7, places=9)
        explained = self.ask("--explain", "P(A)", network=network, facts="0.9 P(A)\n!Q(A)\n")
        self.assertEqual({each["rule"]: round(each["amount"], 9) for each in explained["reasons"]},
                         {"(weighted evidence)": round(math.log(9), 9), "P(x) => Q(x)": -1.5})
        self.fails(BAD_INPUT, "logic", self.file("f.mln", network), "-e", self.file("f.db", "0.9 P(A)\n"), "--learn",
                   "likelihood", "--query", "P", "-o", self.folder / "x.mln",
                   mentions=["f.db:1:1: a fact with a probability is for questions, not for learning"])

    def test_a_probability_does_not_close_its_predicate(self):
        document = self.ask(network="t = {A, B}\nP(t)\n1.0 P(x)\n", facts="0.9 P(A)\n")
        found = {each["atom"]: each["probability"] for each in document["atoms"]}
        self.assertAlmostEqual(found["P(A)"], 1 / (1 + math.exp(-1) / 9), places=9)
        self.assertAlmostEqual(found["P(B)"], 1 / (1 + math.exp(-1)), places=9)

    def test_dialects_are_told_apart(self):
        network = "p(t)\nlog(0.8/0.2) p(?x)\n#fixweight\n0.5 p(anna)\n"
        document = self.ask("--dialect", "pracmln", network=network, facts="t = {bob}\n")
        found = {each["atom"]: each["probability"] for each in document["atoms"]}
        self.assertAlmostEqual(found["p(bob)"], 0.8, places=9)
        self.assertAlmostEqual(found["p(anna)"], 1 / (1 + math.exp(-math.log(4) - 0.5)), places=9)
        for dialect in ("alchemy", "tuffy", "lomrf"):
            self.fails(BAD_INPUT, "logic", self.file("f.mln", network), "--dialect", dialect,
                       mentions=["f.mln:2:1: a sign of the dialect pracmln"])

    def test_a_walk_finds_the_best_world(self):
        document = self.ask("--task", "map", "--method", "max-walk-sat", "--set", "tries=2")
        self.assertEqual((document["cost"], document["clause_cost"], document["kind"]), (0, 0, "estimate"))
        self.assertIn("nothing proves", document["notes"][0])

    def test_methods_answer_their_tasks_and_have_their_settings(self):
        paths = self.file("f.mln", FRIENDS), "-e", self.file("f.db", FACTS)
        for options, mention in ((("--method", "mc-sat", "--task", "map"), "does not answer --task map"),
                                 (("--method", "max-walk-sat", "--task", "map", "--set", "depth=3"), "no setting"),
                                 (("--method", "mc-sat", "--tolerance", "1"), "no use for --tolerance")):
            self.fails(WRONG_USAGE, "logic", *paths, *options, mentions=[mention])

    def test_lazy_grounding_has_the_same_answers_of_fewer_clauses(self):
        constants = ", ".join(f"C{i}" for i in range(30))
        network = f"t = {{{constants}}}\nR(t, t)\n2 R(x, y) ^ R(y, z) => R(x, z)\n1 !R(x, y)\n"
        facts = "R(C0, C1)\nR(C1, C2)\nR(C2, C3)\n"
        lazy, full = (self.ask("--query", "R", "--task", "map", "--grounding", how, network=network, facts=facts)
                      for how in ("lazy", "full"))
        self.assertEqual(lazy["atoms"], full["atoms"])
        self.assertAlmostEqual(lazy["cost"], full["cost"], places=9)
        self.assertLess(lazy["ground_clauses"], 20)
        self.assertGreater(full["ground_clauses"], 20_000)
        network = "t = {A, B}\nR(t, t)\n2 R(x, y) => R(y, x)\n1 !R(x, y)\n"
        drawn = self.ask("--query", "R", "--grounding", "lazy", "--max-iterations", "4000", network=network, facts="")
        exact = self.ask("--query", "R", network=network, facts="")
        self.assertEqual(drawn["method"], "mc-sat")
        for mine, true in zip(drawn["atoms"], exact["atoms"]):
            self.assertAlmostEqual(mine["probability"], true["probability"], delta=0.03)

    def test_lazy_grounding_is_refused_where_it_has_no_meaning(self):
        paths = self.file("f.mln", FRIENDS), "-e", self.file("f.db", FACTS), "--grounding", "lazy"
        for options, mention in ((("--task", "partition"), "log Z needs all clauses"),
                                 (("--method", "gibbs"), "by mc-sat, not by gibbs"),
                                 (("--inspect",), "--grounding is for"),
                                 (("--explain", "Cancer(Anna)"), "--grounding is for")):
            self.fails(WRONG_USAGE, "logic", *paths, *options, mentions=[mention])

    def test_time_ends_the_reading_of_facts(self):
        facts = self.file("many.db", "".join(f"Friends(C{i}, C{i + 1})\n" for i in range(100_000)))
        begin = time.monotonic()
        self.fails(BAD_INPUT, "logic", self.file("f.mln", FRIENDS.replace("person = {Anna, Bob}\n", "")), "-e", facts,
                   "--query", "Smokes", "--time", "0.02", mentions=["longer than --time allows"])
        self.assertLess(time.monotonic() - begin, 10)

    def test_train_writes_what_logic_learns(self):
        path, out = self.file("f.mln", FRIENDS), self.folder / "train.mln"
        facts = [self.file("a.db", FACTS), self.file("b.db", "Smokes(Carl)\nCancer(Carl)\n")]
        logic = ["--evidence", facts[0], "--evidence", facts[1]]
        for train, learn in ((["--objective", "likelihood", "--l2", "0.3"], ["--learn", "likelihood", "--l2", "0.3"]),
                             (["--l2", "0.1", "--reading", "clausal", "--prior-mean", "written"],
                              ["--learn", "pseudo-likelihood", "--l2", "0.1", "--weights", "clausal", "--prior",
                               "written"]),
                             (["--objective", "diagonal-newton", "--max-iterations", "3", "--set", "samples=10",
                               "--seed", "7"],
                              ["--learn", "diagonal-newton", "--max-iterations", "3", "--set", "samples=10", "--seed",
                               "7"]),
                             (["--worlds", "--l2", "0.1"], ["--learn", "pseudo-likelihood", "--l2", "0.1"])):
            databases = [f"--world={each}" for each in facts] if "--worlds" in train else logic
            self.run_ok("logic", path, *databases, "--query", "Smokes, Cancer", *learn, "--quiet", "-o",
                        self.folder / "logic.mln")
            self.run_ok("train", "--model", "logic", "--program", path, "--query", "Smokes, Cancer", *train, "--quiet",
                        "-o", out, *facts)
            self.assertEqual(out.read_text("utf-8"), (self.folder / "logic.mln").read_text("utf-8"))

    def test_train_says_what_learning_needs(self):
        path, facts = self.file("f.mln", FRIENDS), self.file("a.db", FACTS)
        base = ["train", "--model", "logic", "-o", self.folder / "out.mln"]
        for options, mention in ((["--program", path, facts], "needs --query"),
                                 (["--query", "Cancer", facts], "needs --program"),
                                 (["--program", path, "--query", "Cancer"], "DATA is required"),
                                 (["--program", path, "--query", "Cancer", "--objective", "per-edge", facts],
                                  "it is one of pseudo-likelihood"),
                                 (["--program", path, "--query", "Cancer", "--checkpoint", "c", facts],
                                  "no meaning for --model logic")):
            self.fails(WRONG_USAGE, *base, *options, mentions=[mention])
        self.fails(WRONG_USAGE, "train", "-o", self.folder / "m.croft", "--program", path, facts,
                   mentions=["--program has no meaning for --model chain"])

    def test_weights_are_learnt_and_written(self):
        network = "t = {A, B, C, D}\nP(t)\nQ(t)\n7 P(x)\nQ(x) => P(x).\n"
        path, facts = self.file("f.mln", network), self.file("f.db", "P(A)\nP(B)\nP(C)\nQ(A)\n")
        out = self.folder / "out.mln"
        done = json.loads(self.run_ok("logic", path, "-e", facts, "--learn", "likelihood", "--query", "P", "-o", out,
                                      "--json", "--quiet"))
        # Q is known; of B, C and D, which are free, two are true.
        self.assertAlmostEqual(done["weights"][0], math.log(2), places=5)
        self.assertAlmostEqual(done["log_likelihood"], 2 * math.log(2 / 3) + math.log(1 / 3), places=9)
        answer = json.loads(self.run_ok("logic", out, "-e", self.file("q.db", "Q(A)\n"), "--query", "P", "--json",
                                        "--quiet"))
        self.assertEqual([round(each["probability"], 4) for each in answer["atoms"]], [1, 0.6667, 0.6667, 0.6667])

    def test_learning_says_what_it_needs(self):
        path = self.file("f.mln", FRIENDS)
        for options, mention in ((("--learn", "likelihood"), "--output"), (("-o", "x.mln"), "--learn"),
                                 (("--learn", "likelihood", "-o", "x.mln"), "--query"),
                                 (("--learn", "likelihood", "-o", "x.mln", "--task", "map"), "--task")):
            self.fails(WRONG_USAGE, "logic", path, *options, mentions=[mention])
        self.fails(BAD_INPUT, "logic", self.file("g.mln", "t = {A}\nP(t)\nQ(t)\n1 Q(x)\nP(x).\n"), "--learn",
                   "likelihood", "-o", self.folder / "x.mln", "--query", "P", mentions=["breaks a hard rule"])

    def test_hard_rules_have_no_learnt_weight(self):
        network = "t = {A, B, C, D}\nP(t)\nQ(t)\nQ(x) => P(x).\nP(x)\n"
        path, facts = self.file("f.mln", network), self.file("f.db", "P(A)\nP(B)\nP(C)\nQ(A)\n")
        done = json.loads(self.run_ok("logic", path, "-e", facts, "--learn", "likelihood", "--query", "P", "-o",
                                      self.folder / "out.mln", "--json", "--quiet"))
        self.assertEqual(len(done["weights"]), 1)
        self.assertAlmostEqual(done["weights"][0], math.log(2), places=5)

    def test_objectives_by_draws_and_best_worlds(self):
        path, facts = self.file("f.mln", "t = {A, B, C, D}\nP(t)\nP(x)\n"), self.file("f.db", "P(A)\nP(B)\nP(C)\n")
        for objective, options in (("diagonal-newton", ("--set", "samples=50")), ("scaled-conjugate-gradient", ()),
                                   ("contrastive-divergence", ("--set", "chains=20")),
                                   ("perceptron", ("--max-iterations", "50")), ("max-margin", ("--l2", "1"))):
            with self.subTest(objective=objective):
                run = [self.run_ok("logic", path, "-e", facts, "--learn", objective, "--query", "P", "-o",
                                   self.folder / "out.mln", "--json", "--quiet", *options, *threads)
                       for threads in ((), ("--threads", "2"))]
                self.assertEqual(*run)
                weight = json.loads(run[0])["weights"][0]
                if objective.endswith(("newton", "gradient", "divergence")):
                    self.assertAlmostEqual(weight, math.log(3), delta=0.25)
                else:
                    self.assertGreater(weight, 0)
        for options, mention in ((("--learn", "max-margin"), "needs --l2"),
                                 (("--learn", "perceptron", "--set", "chains=3"), "no setting"),
                                 (("--learn", "perceptron", "--hidden", "P"), "without hidden"),
                                 (("--learn", "hinge"), "none of")):
            self.fails(WRONG_USAGE, "logic", path, "-e", facts, "--query", "P", "-o", self.folder / "x.mln", *options,
                       mentions=[mention])

    def test_each_world_has_constants_of_its_own(self):
        path = self.file("f.mln", "P(t)\nQ(t)\nP(x)\nQ(x) => P(x).\n")
        worlds = []
        for number, text in enumerate(("Q(A)\nP(A)\nP(B)\n!P(C)\n", "P(D)\n!P(E)\n!P(F)\n!P(G)\n")):
            worlds += ["--world", self.file(f"{number}.db", text)]
        done = json.loads(self.run_ok("logic", path, *worlds, "--learn", "likelihood", "--query", "P", "-o",
                                      self.folder / "out.mln", "--json", "--quiet"))
        # Of B to G, which are free, two hold.
        self.assertAlmostEqual(done["weights"][0], math.log(2 / 4), places=5)
        self.assertEqual(done["ground_atoms"], 7)

    def test_rules_are_learnt(self):
        facts = "".join(f"Q(C{i})\nP(C{i})\n" for i in range(20)) + "".join(f"!P(D{i})\n" for i in range(20))
        done = json.loads(self.run_ok("logic", self.file("f.mln", "P(t)\nQ(t)\nR(t)\n"), "-e",
                                      self.file("f.db", facts), "--learn-structure", "--query", "P", "-o",
                                      self.folder / "out.mln", "--json", "--quiet", "--set", "literals=2"))
        self.assertRegex(done["clauses"][0]["clause"], r"P\(x\) v !?Q\(x\)")
        self.assertIn("P(x)", (self.folder / "out.mln").read_text())
        self.fails(WRONG_USAGE, "logic", self.file("f.mln", "P(t)\n"), "--learn-structure", "--query", "P", "-o",
                   self.folder / "x.mln", "--set", "depth=2", mentions=["no setting"])

    def test_rules_with_their_true_groundings(self):
        text = self.run_ok("logic", self.file("f.mln", FRIENDS), "-e", self.file("f.db", FACTS), "--inspect")
        self.assertEqual(text.splitlines()[1], "1.5\t1\t2\tSmokes(x) => Cancer(x)")
        rules = json.loads(self.run_ok("logic", self.file("f.mln", FRIENDS), "-e", self.file("f.db", FACTS),
                                       "--inspect", "--json"))["rules"]
        self.assertEqual([(each["true"], each["groundings"]) for each in rules], [(1, 2), (4, 4)])

    def test_what_speaks_for_an_atom(self):
        picture = self.folder / "bob.svg"
        found = self.ask("--explain", "Cancer(Bob)", "--picture", picture)
        self.assertEqual([(each["clause"], each["amount"]) for each in found["reasons"]], [("Cancer(Bob)", 1.5)])
        self.assertAlmostEqual(found["log_odds"], 1.5)
        self.assertIn("Cancer(Bob)", picture.read_text())
        self.fails(WRONG_USAGE, "logic", self.file("f.mln", FRIENDS), "--explain", "Cancer", "--quiet",
                   mentions=["several"])

    def test_hard_rules_may_be_made_soft(self):
        network = "t = {A}\nP(t)\nP(x).\n!P(x).\n1 P(x)\n"
        self.assertEqual(self.ask("--soft-hard", "20", "--task", "map", network=network, facts="")["cost"], 20)

    def test_the_best_world_as_text(self):
        text = self.run_ok("logic", self.file("f.mln", FRIENDS), "-e", self.file("f.db", FACTS),
                           "--task", "map", "--query", "Cancer", "--quiet")
        self.assertIn("Cancer(Bob)\n", text)
        self.assertEqual(self.ask("--task", "map", "--query", "Cancer")["cost"], 0)

    def test_the_examples_print_what_their_pages_say(self):
        for example, count in (("friends", 2), ("advisors", 4)):
            folder = SOURCE / "examples" / example
            page = (folder / "README.md").read_text()
            commands = re.findall(r"^\$ croft (.*)\n((?:(?!```|\$).*\n)*)", page, re.MULTILINE)
            self.assertEqual(len(commands), count)
            for command, output in commands:
                arguments = [str(folder / word) if (folder / word).is_file() else
                             str(self.folder / word) if word == "learnt.mln" else word
                             for word in shlex.split(command)]
                self.assertEqual(self.run_ok(*arguments), output)

    def test_included_files_are_beside_the_one_that_includes_them(self):
        self.file("rest.mln", "1 P(x)\n")
        document = self.ask(network='t = {A}\nP(t)\n#include "rest.mln"\n', facts="")
        self.assertAlmostEqual(document["atoms"][0]["probability"], 1 / (1 + math.exp(-1)),
                               places=9)

    def test_a_signal_ends_sampling_within_a_step(self):
        chance = random.Random(3)
        atoms = [chance.choice(["", "!"]) + f"P({chance.randint(1, 3000)})" for _ in range(27000)]
        rules = "".join(" v ".join(atoms[i:i + 3]) + ".\n" for i in range(0, len(atoms), 3))
        network = self.file("f.mln", "t = {1, ..., 3000}\nP(t)\n" + rules)
        for sent, seconds in ((signal.SIGINT, 0.8), (signal.SIGTERM, 4)):
            with subprocess.Popen([CROFT, "logic", network, "--method", "mc-sat", "--json"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                time.sleep(seconds)
                begin = time.monotonic()
                process.send_signal(sent)
                answer, message = process.communicate()
                took = time.monotonic() - begin
            self.assertEqual(process.returncode, INTERRUPTED, message)
            self.assertLess(took, 2)  # a tenth of a second where the machine has nothing else to do
            if not answer:
                self.assertRegex(message.decode("utf-8"), "interrupted|stopped before it had counted samples")

    def test_faults_say_where(self):
        for network, facts, open_, text in (
                ("P(t)\nP(x) => .\n", "", "P", "friends.mln:2:9: "),
                (FRIENDS, "Smoke(Anna)\n", "Smokes", "friends.db:1:1: the network has no predicate"),
                ("t = {A}\nP(t)\nP(x).\n", "!P(A)\n", "P",
                 "friends.mln:3:1: the evidence contradicts this hard rule where x = A")):
            with self.subTest(text=text):
                self.fails(BAD_INPUT, "logic", self.file("friends.mln", network), "-e",
                           self.file("friends.db", facts), "--open", open_, mentions=[text])
        self.fails(WRONG_USAGE, "logic", self.file("f.mln", FRIENDS), "--closed", "Nobody",
                   mentions=['no predicate "Nobody"'])
        self.fails(WRONG_USAGE, "logic", self.file("f.mln", FRIENDS), "--task", "sample",
                   mentions=["none of marginals, map, partition"])
        self.fails(BAD_INPUT, "logic", self.file("f.mln", ""),
                   mentions=["f.mln: a network without a predicate; declare one"])

    def test_faults_of_the_network_say_where(self):
        for network, text in (
                ("t = {A}\nP(t)\nnan P(x)\n", "f.mln:3:1: a weight is a number from -1e9 to 1e9"),
                ("t = {A}\nP(t)\n-inf P(x)\n", "f.mln:3:2: a weight is a number from -1e9 to 1e9"),
                ("t = {A}\nP(t)\n1 P(B)\n", "f.mln:3:1: the constants of the type t are listed, and this is none"),
                ('#include "/dev/zero"\n', "this is a device, which may have no end")):
            with self.subTest(text=text):
                self.fails(BAD_INPUT, "logic", self.file("f.mln", network), mentions=[text])

    def test_hard_rules_in_conflict_are_named_where_no_step_finds_it(self):
        network = ("t = {A}\nP(t)\nQ(t)\nR(t)\nP(x) v Q(x).\n!P(x) v !Q(x).\nP(x) v !Q(x).\n!P(x) v Q(x).\n"
                   "P(x) v R(x).\n1 R(x)\n")
        message = self.fails(BAD_INPUT, "logic", self.file("f.mln", network), "--task", "partition", "--method",
                             "belief-propagation", mentions=["no world keeps these hard rules", "f.mln:8:1"])
        self.assertNotIn("f.mln:9:1", str(message))

    def test_hard_rules_that_contradict_each_other_are_named(self):
        network = "t = {A}\nP(t)\nQ(t)\nP(x).\nQ(x) => P(x).\nP(x) => Q(x).\n!Q(x).\n"
        self.fails(BAD_INPUT, "logic", self.file("f.mln", network), mentions=[
            "f.mln:4:1", "P(x) => Q(x).", "f.mln:7:1"])


if __name__ == "__main__":
    main()
