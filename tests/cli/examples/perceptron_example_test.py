"""examples/perceptron: exact search learns two triangles that max-product and TRW-S never learn."""

import subprocess
import sys

from support import CROFT, SOURCE, CliTest, main

EXAMPLE = SOURCE / "examples" / "perceptron"


class PerceptronExampleTest(CliTest):
    def script(self, name, *arguments):
        return subprocess.run([sys.executable, "-B", EXAMPLE / name, *map(str, arguments)],
                              check=True, stdout=subprocess.PIPE, text=True, timeout=250).stdout

    # The rows of passes.py: [pass, weight, weight, wrong by the search, wrong by exact search].
    def passes(self, search, numbers):
        text = self.script("passes.py", CROFT, self.folder / "triangles", search, numbers)
        rows = [[float(cell) for cell in line.split()] for line in text.splitlines()
                if line.split()[0].isdigit()]
        return rows, "it has learned" in text

    def test_exact_search_learns_the_triangles(self):
        self.script("cases.py", self.folder)
        rows, learned = self.passes("junction-tree", "100")
        self.assertTrue(learned)
        self.assertEqual(rows[-1][3:], [0, 0])
        self.assertGreater(2 * rows[-1][2], 8 * rows[-1][1])  # what the second triangle needs

    def test_approximate_searches_never_learn_them(self):
        self.script("cases.py", self.folder)
        for search in ("max-product", "trw-s"):
            rows, learned = self.passes(search, "10,100,300")
            self.assertFalse(learned, search)
            for row in rows:
                self.assertGreaterEqual(row[3], 1, (search, row))
            self.assertGreater(rows[2][2], 2 * rows[1][2])  # weights grow and grow


if __name__ == "__main__":
    main()
