"""examples/ising: an Ising model is recovered from its own samples."""

import json
import re
import subprocess
import sys

from support import SOURCE, CliTest, main

EXAMPLE = SOURCE / "examples" / "ising"


class IsingTest(CliTest):
    def script(self, *arguments):
        return subprocess.run([sys.executable, "-B", EXAMPLE / "ising.py", *map(str, arguments)],
                              check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout

    def samples(self, side, count):
        self.script("make", self.folder, side, 3)
        drawn = self.run_ok("infer", "--quiet", "--task", "sample", "--samples", count, "--json",
                            self.folder / "truth.uai")
        self.file("samples.json", drawn)
        self.assertEqual(len(json.loads(drawn)["samples"]), count)
        self.script("tables", self.folder)

    def weights(self, edges, *options):
        model = self.folder / "m.croft"
        self.run_ok("train", "--quiet", "--model", "graph", "--spec", EXAMPLE / "ising.toml",
                    "--database", self.folder / "spin.csv", "--database", self.folder / edges,
                    "--l2", 0, "-o", model, *options)
        return self.file("weights.tsv", self.run_ok("inspect", "-m", model, "--weights"))

    def test_parameters_are_recovered_within_standard_errors(self):
        self.samples(4, 2000)
        for objective in ("pseudolikelihood", "likelihood"):
            weights = self.weights("edge.csv", "--objective", objective)
            text = self.script("compare", self.folder, weights)
            count, one, two, squares, largest = re.search(
                r"(\d+) parameters: (\d+)% within one standard error, (\d+)% within two; mean of "
                r"z\^2 ([\d.]+), largest \|z\| ([\d.]+)", text).groups()
            self.assertEqual(int(count), 16 + 24)
            self.assertGreater(int(one), 45)
            self.assertGreater(int(two), 84)
            self.assertTrue(0.4 < float(squares) < 1.8, text)
            self.assertLess(float(largest), 4.5)

    def test_the_edges_are_found_among_all_pairs(self):
        self.samples(4, 1500)
        sparse = self.weights("pairs/edge.csv", "--objective", "pseudolikelihood", "--l1", 200)
        found = self.script("select", self.folder, sparse)
        self.assertIn("24 of the 24 true ones", found)
        refitted = self.weights("found/edge.csv", "--objective", "pseudolikelihood")
        kept = self.script("significant", self.folder, refitted)
        self.assertTrue(kept.startswith("24 edges, 24 of the 24 true ones"), found + kept)


if __name__ == "__main__":
    main()
