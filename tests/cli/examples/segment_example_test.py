"""examples/segments: durations tell phases apart that a chain does not."""

import json
import subprocess
import sys

from support import SOURCE, CliTest, main

EXAMPLE = SOURCE / "examples" / "segments"


class SegmentExampleTest(CliTest):
    def accuracy(self, *options):
        model = self.train("m.croft", "--template", EXAMPLE / "noise.template", *options,
                           self.folder / "train.columns")
        done = self.run_ok("evaluate", "-m", model, "--json", self.folder / "test.columns")
        return json.loads(done)["tokens"]["accuracy"]

    def test_segments_know_how_long_a_phase_lasts(self):
        subprocess.run([sys.executable, "-B", EXAMPLE / "washing.py", "make", self.folder],
                       check=True, timeout=300)
        chain = self.accuracy()
        segments = self.accuracy("--model", "segment", "--segment-template",
                                 EXAMPLE / "length.template")
        self.assertGreater(segments, chain + 0.03)


if __name__ == "__main__":
    main()
