"""One sequence of hundreds of thousands of positions: its labels, and the memory that they take."""

import os
import subprocess

from support import CROFT, INGREDIENTS, CliTest, main

TRAIN = INGREDIENTS / "train.txt"
WORDS = [line.split()[0] for line in TRAIN.read_text("utf-8").splitlines() if line]


class LongSequenceTest(CliTest):
    def peak(self, positions):
        """Bytes that predict takes for a sequence of so many positions, and its labels."""
        data = self.file(f"{positions}.txt", "\n".join(WORDS[k % len(WORDS)] for k in range(positions)) + "\n\n")
        out = self.folder / f"{positions}.out"
        with open(out, "wb") as file:
            done = subprocess.Popen([CROFT, "predict", "--to", "labels", "-m", self.model, data], stdout=file)
            _, status, usage = os.wait4(done.pid, 0)
            done.returncode = status
        self.assertEqual(status, 0)
        return usage.ru_maxrss * 1024, out.read_text("utf-8").split()

    def test_memory_is_that_of_attributes_and_scores(self):
        self.model = self.folder / "m.croft"
        self.run_ok("train", "--quiet", "--max-iterations", "5", "-o", self.model, TRAIN)
        short, few = self.peak(2000)
        long, many = self.peak(400_000)
        self.assertEqual(len(many), 400_000)
        self.assertEqual(many[:1900], few[:1900])  # the last ones have other neighbours
        self.assertLess((long - short) / 400_000, 900)


if __name__ == "__main__":
    main()
