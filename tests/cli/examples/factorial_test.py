"""examples/factorial: two labels of a word found jointly, against one after the other.

Skipped where the data is absent.
"""

import re
import subprocess
import unittest

from support import CROFT, DATA, SOURCE, CliTest, main

EXAMPLE = SOURCE / "examples" / "factorial"
CORPUS = DATA / "conll2000"


def setUpModule():
    if not (CORPUS / "train.txt").is_file():
        raise unittest.SkipTest(f"there is no {CORPUS}; CROFT_DATA names the folder of the data")


class FactorialTest(CliTest):
    def test_parts_of_speech_and_chunks_are_better_found_jointly(self):
        done = subprocess.run(["bash", EXAMPLE / "demo.sh", CROFT, self.folder, CORPUS, "200"],
                              check=True, stdout=subprocess.PIPE, encoding="utf-8", timeout=800)
        cascade, joint = map(float, re.findall(r"^both +([\d.]+) %", done.stdout, re.MULTILINE))
        self.assertGreater(cascade, 70)
        self.assertGreater(joint, cascade)


if __name__ == "__main__":
    main()
