"""examples/citations: who labels papers together labels them better than by their words alone."""

import re
import subprocess
import sys

from support import CROFT, SOURCE, CliTest, main

EXAMPLE = SOURCE / "examples" / "citations"


class CitationsTest(CliTest):
    def test_labelling_papers_together_beats_their_words_alone(self):
        text = subprocess.run([sys.executable, "-B", EXAMPLE / "compare.py", CROFT, self.folder,
                               "--seeds", "2", "--papers", "400"],
                              check=True, stdout=subprocess.PIPE, text=True, timeout=250).stdout
        tables = text.split("\n\n")[:2]
        for table, least in zip(tables, (3, 5)):
            mean = {row: float(number) for row, number in
                    re.findall(r"^(\S.*?) {2,}(\d+\.\d+) ± .* %", table, re.MULTILINE)}
            self.assertEqual(len(mean), 6, table)
            content = mean["content only"]
            for row in ("iterative classification", "piecewise, Gibbs",
                        "piecewise, belief propagation"):
                self.assertGreater(mean[row], content + least, table)
            self.assertGreater(mean["piecewise, belief propagation"],
                               mean["iterative classification"], table)


if __name__ == "__main__":
    main()
