"""mpirun croft train: processes that each have all of the data share out the sums, and make one process's model."""

import contextlib
import os
import signal
import sqlite3

from distributed_test import ENDLESS, MISSING, READY, DistributedTest, attributes, chains, chosen, columns, command
from support import INTERRUPTED, WRONG_USAGE, main

JOINT = """u1:%x[0,0] * %y
u2:%x[-1,0] * %y[suffix,1]
u3:%x[0,1] * %y
"""
SPEC = """
[[variables]]
domain = "label"
query = "select id, sentence as instance, label from token"

[[templates]]
name = "word"
variables = ["label"]
query = "select id from token"

  [[templates.features]]
  query = "select id, word from token"

[[templates]]
name = "next"
variables = ["label", "label"]
query = "select a.id, b.id from token a join token b on b.sentence = a.sentence and b.id = a.id + 1"
"""


class SharedWorkTest(DistributedTest):
    def setUp(self):
        super().setUp()
        self.data = self.data_of(columns)

    def check_both(self, *options, **how):
        return self.check(*options, processes=(1, 3), **how)

    def test_segments(self):
        self.check_both("--model", "segment", self.data, iterations=2)
        rest = self.file("rest", columns(chains(2000, seed=2)))
        self.check_both("--model", "segment", "--l1", 0.5, "--holdout", rest, self.data, optimizer="owlqn",
                        iterations=2)

    def test_pools_of_experts_and_their_weights(self):
        rest = self.file("rest", columns(chains(4000, seed=2)))
        self.check_both("--model", "pool", "--experts", "all", "--experts", "random:2", "--holdout", rest, self.data,
                        iterations=2)

    def test_joint_features(self):
        template = self.file("joint.template", JOINT)
        self.check_both("--model", "maxent", "--joint-template", template, self.data)
        self.check_both("--model", "maxent", "--joint-template", template, "--l1", 0.5, self.data, optimizer="owlqn")

    def test_chains_that_look_at_all_of_the_data(self):
        data = ("--format", "attributes", self.data_of(attributes))
        more = self.file("more", attributes(chains(3000, seed=3)))
        self.check_both("--model", "maxent", "--class-weights", "balanced", *data)
        self.check_both("--holdout", 0.2, "--group-by", 0, self.data)
        self.check_both("--unlabelled", more, "--entropy", 0.5, *data, iterations=2)
        self.check_both("--unlabelled", more, "--self-training", 1, "--confidence", 0.5, *data, iterations=2)

    def test_features_that_change(self):
        data = ("--format", "attributes", self.file("few", attributes(chains(20_000, labels=64))))
        self.check_both("--induce", *data, iterations=2)
        self.check_both("--select", "l1:0.5", *data, iterations=2)

    def test_hidden_markov_models_by_em(self):
        data = self.file("labelled", columns(self.sequences[:1500]))
        more = self.file("more", columns(self.sequences[1500:]))
        options = ("--model", "hmm", "--em-iterations", 3, "--unlabelled", more, data)
        alone = self.alone(*options)
        for processes in chosen((1, 3)):
            self.assertTrue(self.shared(processes, *options) == alone, "another model")

    def graph(self):
        database = self.folder / "tokens.sqlite"
        rows = [(n, word, label) for n, rows in enumerate(chains(1500, labels=8)) for label, word, _ in rows]
        with contextlib.closing(sqlite3.connect(database)) as tables:
            tables.execute("create table token(id integer primary key, sentence integer, word text, label text)")
            tables.executemany("insert into token(sentence, word, label) values (?, ?, ?)", rows)
            tables.commit()
        return "--model", "graph", "--spec", self.file("spec.toml", SPEC), "--database", database

    def test_graphs(self):
        graph = self.graph()
        for objective in chosen(("pseudolikelihood", "piecewise", "bethe", "tree-reweighted", "likelihood")):
            self.check_both(*graph, "--objective", objective)
        self.check_both(*graph, "--objective", "max-margin", optimizer="cutting-plane")
        self.check_both(*graph, "--holdout", 0.2, "--early-stop", 1, iterations=5)
        output = ("--quiet", "-o", self.model, *graph)
        self.check_error(2, WRONG_USAGE, *output, "--objective", "gibbs", mentions=("has no optimizer for several",))

    def check_resumed(self, *options):
        """Stopped on two processes, and on three to its end."""
        options = (*options, *ENDLESS)
        whole = self.alone("--optimizer", "lbfgs", *options)
        kept = ("--checkpoint", self.kept, "--checkpoint-interval", 0)
        self.log.unlink(missing_ok=True)
        job = self.start(command(2, "train", "--quiet", "-o", self.model, "--log", self.log, *kept, *options))
        os.kill(self.wait_for_iterations(job)[1], signal.SIGTERM)
        job.communicate(timeout=60)
        self.assertEqual(job.returncode, INTERRUPTED)
        self.assertTrue(self.shared(3, *kept, "--resume", *options) == whole, "another model")

    def test_checkpoints_go_on_with_another_number_of_processes(self):
        self.check_resumed("--model", "segment", "--max-iterations", 40,
                           self.file("few", columns(chains(12_000, labels=64))))
        # Messages go on from those of the last iteration, which each process keeps for its instances.
        self.check_resumed(*self.graph(), "--objective", "bethe", "--max-iterations", 60)

    def test_methods_that_go_their_own_way_on_a_part_are_refused(self):
        self.check_error(2, WRONG_USAGE, "--quiet", "-o", self.model, "--model", "segment", "--optimizer",
                         "dual-ascent", self.data,
                         mentions=("--optimizer dual-ascent is for one process alone where each has all of the data",
                                   "lbfgs, owlqn"))


if __name__ == "__main__":
    if READY:
        main()
    print(MISSING)
