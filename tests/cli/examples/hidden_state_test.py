"""examples/hidden-state: hidden states tell gestures apart that a plain chain does not."""

import re
import subprocess
import sys

from support import SOURCE, CliTest, main, read_log

EXAMPLE = SOURCE / "examples" / "hidden-state"


class HiddenStateTest(CliTest):
    def script(self, *arguments, text=None):
        return subprocess.run([sys.executable, "-B", EXAMPLE / "gestures.py", *map(str, arguments)],
                              input=text, check=True, stdout=subprocess.PIPE, text=True,
                              timeout=300).stdout

    def right(self, spec, tables, *options):
        """Share of test gestures that are right, and the log."""
        model, log = self.folder / "m.croft", self.folder / "log.jsonl"
        self.run_ok("train", "--quiet", "--model", "graph", "--spec", EXAMPLE / spec,
                    *self.databases("train", tables), "--l2", 0.1, "--log", log, "-o", model,
                    *options)
        predicted = self.run_ok("predict", "-m", model, "--decode", "marginal",
                                *self.databases("test", tables))
        found = re.match(r"(\d+) of (\d+)",
                         self.script("score", self.folder / "test", text=predicted))
        return int(found[1]) / int(found[2]), read_log(log)

    def databases(self, part, tables):
        return [x for t in tables for x in ("--database", self.folder / part / f"{t}.csv")]

    def test_hidden_states_beat_the_plain_chain_and_em_never_loses(self):
        self.script("make", self.folder, 1, 60)
        plain, _ = self.right("plain.toml", ["frame"])
        both = ["frame", "gesture"]
        direct, (_, end) = self.right("hidden.toml", both, "--tolerance", 1e-2)
        self.assertGreater(direct, plain + 0.04)
        self.assertGreater(direct, 0.9)
        # A few steps of EM: the marginal likelihood gets better with each.
        _, (steps, last) = self.right("hidden.toml", both, "--em-iterations", 12)
        objectives = [step["objective"] for step in steps]
        self.assertEqual(len(objectives), 13)
        for before, after in zip(objectives, objectives[1:]):
            self.assertLessEqual(after, before)
        self.assertLess(objectives[-1], objectives[0] - 1)
        self.assertGreater(last["evaluations"], 2 * 12)
        self.assertGreater(end["evaluations"], 10)

    def test_em_is_refused_where_nothing_is_hidden(self):
        self.script("make", self.folder, 1, 4)
        self.fails(2, "train", "--quiet", "--model", "graph", "--spec", EXAMPLE / "plain.toml",
                   *self.databases("train", ["frame"]), "--em-iterations", 3, "-o",
                   self.folder / "m.croft", mentions=["--em-iterations"])


if __name__ == "__main__":
    main()
