"""croft logic on networks of others: what it finds, and what their worlds cost by its own count.

CROFT_DATA names the folder of the data.
"""

import gzip
import json
import unittest

from support import BAD_INPUT, DATA, CliTest, main

MLN = DATA / "mln"
CSE = MLN / "tuffy" / "cse"


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
