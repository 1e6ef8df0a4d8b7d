"""croft logic on networks of others: what it finds, and what their worlds cost by its own count.

CROFT_DATA names the folder of the data.
"""

import gzip
import json
import re
import unittest

from support import BAD_INPUT, DATA, CliTest, main

MLN = DATA / "mln"
CSE = MLN / "tuffy" / "cse"
UWCSE = MLN / "uwcse" / "fold3"
PREDICATES = {name.lower(): name for name in ("Student", "Professor", "Publication", "TaughtBy", "Ta", "InPhase",
                                              "HasPosition", "TempAdvisedBy", "AdvisedBy")}
ADVISORS = """Student(person)
Professor(person)
Publication(title, person)
TaughtBy(course, person, quarter)
Ta(course, person, quarter)
InPhase(person, phase)
HasPosition(person, position)
TempAdvisedBy(person, person)
AdvisedBy(person, person)
AdvisedBy(s, p) => Student(s) ^ Professor(p).
Student(s) ^ Professor(p) => AdvisedBy(s, p)
TaughtBy(c, p, q) ^ Ta(c, s, q) ^ Student(s) ^ Professor(p) => AdvisedBy(s, p)
Publication(t, s) ^ Publication(t, p) ^ Student(s) ^ Professor(p) => AdvisedBy(s, p)
(EXIST t Publication(t, s) ^ Publication(t, p)) ^ Student(s) ^ Professor(p) => AdvisedBy(s, p)
InPhase(s, +h) ^ Professor(p) => AdvisedBy(s, p)
HasPosition(p, +h) ^ Student(s) => AdvisedBy(s, p)
TempAdvisedBy(s, p) ^ Professor(q) => AdvisedBy(s, q)
"""


@unittest.skipUnless(MLN.is_dir(), "CROFT_DATA names the folder of the data")
class LogicDataTest(CliTest):
    def answer(self, network, databases, *options):
        evidence = [word for path in databases for word in ("-e", path)]
        return json.loads(self.run_ok("logic", network, *evidence, "--json", "--quiet", *options))

    def test_worlds_of_caviar_cost_no_more_than_those_of_another_program(self):
        """The other program's worlds are evidence, so that a hard clause that they break is an error."""
        golden = sorted(MLN.glob("lomrf/caviar/DN_HI_meet/fold_*/*.mws.golden.gz"))
        self.assertEqual(len(golden), 8)
        for path in golden:
            network = path.parent / "meet_trained_func.mln"
            facts = path.with_name(path.name.replace(".mws.golden.gz", ".db.gz"))
            database = self.file("facts.db", gzip.decompress(facts.read_bytes()))
            atoms = [line.rsplit(" ", 1) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
            world = self.file("world.db", "".join(("!" if truth == "0" else "") + atom + "\n" for atom, truth in atoms))
            ask = ("--query", "HoldsAt", "--task", "map")
            theirs = self.answer(network, [database, world], *ask)
            self.assertEqual(theirs["ground_clauses"], 0)
            for method in ("auto", "max-walk-sat"):
                ours = self.answer(network, [database], *ask, "--method", method)
                self.assertEqual(ours["ground_atoms"], len(atoms))
                self.assertLessEqual(ours["cost"], theirs["cost"] + 1e-6, path)

    def facts(self, *names):
        lines = []
        for name in names:
            for line in gzip.decompress((UWCSE / name).read_bytes()).decode().splitlines():
                predicate, terms = re.fullmatch(r"(\w+)\((.*)\)\.", line.strip()).groups()
                if predicate in PREDICATES:
                    terms = ",".join(term.strip().capitalize() for term in terms.split(","))
                    lines.append(f"{PREDICATES[predicate]}({terms})")
        return lines

    def precision_of_advisors(self, rules, *learn):
        """Of rules of four departments of UW-CSE, the average precision in the fifth one, and its base rate."""
        known = self.facts("train/train_facts.txt.gz", "train/train_pos.txt.gz")
        train = self.file("train.db", "\n".join(known) + "\n")
        test = self.file("test.db", "\n".join(self.facts("test/test_facts.txt.gz")) + "\n")
        out = self.folder / "out.mln"
        self.run_ok("logic", self.file("rules.mln", rules), "-e", train, *learn, "--query", "AdvisedBy", "-o", out,
                    "--quiet")
        atoms = self.answer(out, [test], "--query", "AdvisedBy")["atoms"]
        found = {each["atom"]: each["probability"] for each in atoms}
        true = set(self.facts("test/test_pos.txt.gz"))
        asked = true | set(self.facts("test/test_neg.txt.gz"))
        hits, precision = 0, 0
        # Of equal probabilities the false ones come first.
        for rank, (_, is_true) in enumerate(sorted((-found[atom], atom in true) for atom in asked), 1):
            hits += is_true
            precision += is_true * hits / rank / len(true)
        return precision, len(true) / len(asked)

    def test_advisors_of_another_department_are_foretold(self):
        precision, base = self.precision_of_advisors(ADVISORS, "--learn", "pseudo-likelihood", "--l2", "0.1")
        self.assertGreater(precision, 0.4)
        self.assertGreater(precision, 10 * base)

    def test_clauses_of_three_variables_are_learnt_that_foretell_advisors(self):
        declarations = "".join(line + "\n" for line in ADVISORS.splitlines()[:9])
        precision, base = self.precision_of_advisors(declarations, "--learn-structure", "--set", "literals=3", "--set",
                                                     "variables=3", "--set", "beam=8")
        self.assertGreater(precision, 10 * base)

    def test_rules_in_conflict_are_few(self):
        folder = MLN / "tuffy" / "rc1000"
        ask = ("logic", folder / "prog.mln", "-e", folder / "evidence.db", "--query", "category", "--task", "map")
        message = self.fails(BAD_INPUT, *ask, "--quiet", mentions=["no world keeps these hard rules", "--soft-hard"])
        self.assertLessEqual(message.count("prog.mln:"), 3)
        found = json.loads(self.run_ok(*ask, "--quiet", "--json", "--soft-hard", "20"))
        self.assertEqual(found["kind"], "estimate")

    def test_a_walk_on_cse_costs_less_than_that_of_alchemy(self):
        found = self.answer(CSE / "prog.mln", [CSE / "evidence.db"], "--query", "advisedBy,tempAdvisedBy",
                            "--task", "map")
        self.assertEqual(found["method"], "max-walk-sat")
        self.assertIn("2^", found["reason"])
        self.assertEqual((found["ground_atoms"], found["ground_clauses"]), (9237, 479403))
        self.assertLess(found["clause_cost"], 4045)  # Alchemy: 4765.55


if __name__ == "__main__":
    main()
