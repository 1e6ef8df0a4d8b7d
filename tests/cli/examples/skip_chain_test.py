"""examples/skip-chain: edges between equal words carry over what one occurrence tells."""

import os
import re
import subprocess
import sys

from support import CROFT, SOURCE, CliTest, main

EXAMPLE = SOURCE / "examples" / "skip-chain"


class SkipChainTest(CliTest):
    def script(self, name, *arguments):
        return subprocess.run([sys.executable, "-B", EXAMPLE / name, *map(str, arguments)],
                              check=True, stdout=subprocess.PIPE, timeout=300).stdout

    def test_skip_edges_find_names_that_a_plain_chain_cannot_tell(self):
        done = subprocess.run(["bash", EXAMPLE / "demo.sh", CROFT, self.folder], check=True,
                              stdout=subprocess.PIPE, encoding="utf-8", timeout=300,
                              cwd=os.getcwd())
        chain, skip = map(float, re.findall(r"all chunks +[\d.]+ +[\d.]+ +([\d.]+)", done.stdout))
        self.assertLess(chain, 75)  # half of the names have nothing that tells, and a third is luck
        self.assertGreater(skip, 95)
        weights = re.findall(r"skip\t\(bias\)\tB-\w+\t([-\d.]+)", done.stdout)
        self.assertEqual(len(weights), 3)
        self.assertTrue(all(float(weight) > 1 for weight in weights), weights)

    def test_columns_are_the_data_with_the_predictions(self):
        data = self.file("data.txt", "El O\nRey B-PER\n\nEl O\n\n")
        database = self.folder / "data.sqlite"
        self.script("database.py", database, "--group", "1", data)
        model = self.train("chain.croft", "--model", "graph", "--spec", EXAMPLE / "chain.toml",
                           "--database", database, "--l2", "0.01")
        self.run_ok("predict", "-m", model, "--database", database, "--table")
        self.assertEqual(self.script("columns.py", database).decode("utf-8"),
                         "El\tO\tO\nRey\tB-PER\tB-PER\n\nEl\tO\tO\n")


if __name__ == "__main__":
    main()
