"""Pools of experts and error-correcting codes: croft train --model pool and --model error-correcting."""

import json
import re
import signal
import subprocess
import time

from support import BAD_INPUT, CROFT, INGREDIENTS, INTERRUPTED, WRONG_USAGE, CliTest, main


def some(name, sequences):
    blocks = (INGREDIENTS / name).read_text("utf-8").split("\n\n")
    return "\n\n".join(blocks[:sequences]) + "\n\n"


class PoolTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("train", some("train.txt", 150))
        self.test = self.file("test", some("test.txt", 80))

    def pool(self, name, *options):
        return self.train(name, "--model", "pool", "--max-iterations", "25", *options, self.data)

    def test_a_pool_is_a_chain_with_its_experts_in_the_record(self):
        model = self.pool("m.croft", "--experts", "all", "--experts", "random:2", "--experts", "position")
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        self.assertEqual(summary["kind"], "pool")
        experts = summary["training"]["experts"]
        self.assertEqual([each["name"] for each in experts],
                         ["all", "random:2 1", "random:2 2", "past", "present", "future"])
        self.assertTrue(all(each["divergence"] >= 0 for each in experts))
        chain = self.folder / "chain.croft"
        self.run_ok("convert", model, "-o", chain)
        self.assertEqual(json.loads(self.run_ok("inspect", "-m", chain, "--json"))["kind"], "chain")
        for question in (["--probability"], ["--marginals=all"], ["--k-best", "3"]):
            self.assertEqual(self.run_ok("predict", "-m", model, *question, self.test),
                             self.run_ok("predict", "-m", chain, *question, self.test))

    def test_an_expert_with_weight_one_is_the_pool(self):
        chain = self.train("chain.croft", "--l2", "1", "--max-iterations", "10", self.data)
        pool = self.train("pool.croft", "--model", "pool", "--expert", chain, "--pool-weights", "unit", self.data)
        self.assertEqual(self.run_ok("predict", "-m", pool, "--probability", self.test),
                         self.run_ok("predict", "-m", chain, "--probability", self.test))

    def test_a_pool_computes_the_conjunctions_of_its_experts(self):
        rows = [(0, 0), (0, 0), (0, 0), (0, 1), (1, 0), (1, 1)] * 10
        data = self.file("xor", "".join(f"a{a} b{b} {'XY'[a == b]}\n\n" for a, b in rows))
        template = self.file("template", "Ua:%x[0,0]\nUb:%x[0,1]\nB\n")
        own = ["--template", template, data]
        plain = self.train("plain.croft", "--l2", "0.1", *own)
        induced = self.train("induced.croft", "--l2", "0.1", "--induce", *own)
        pool = self.train("pool.croft", "--model", "pool", "--expert", induced, "--pool-weights",
                          "unit", *own)
        found, expected, other = (self.run_ok("predict", "-m", model, "--probability", data)
                                  for model in (pool, induced, plain))
        self.assertEqual(found, expected)
        self.assertNotEqual(other, expected)
        self.refuses_to_train(WRONG_USAGE, "--model", "pool", "--expert", plain, "--expert", induced, *own,
                              mentions=["plain.croft", "induced.croft", "conjunctions"])

    def test_a_pool_computes_the_kit_of_its_experts(self):
        words = self.file("words.txt", "cup\tUNIT\ncups\tUNIT\nsalt\tFOOD\n")
        kit = self.file("kit.toml",
                        '[[gazetteer]]\nname = "g"\ncolumn = 0\nfile = "words.txt"\n')
        own = {"kit": ["--kit", kit], "plain": []}
        chains = {name: self.train(f"{name}.croft", "--max-iterations", "10", *options, self.data)
                  for name, options in own.items()}
        words.write_text("sugar\tFOOD\n")
        other = self.train("other.croft", "--kit", kit, "--max-iterations", "2", self.data)
        pool = self.train("pool.croft", "--model", "pool", "--expert", chains["kit"], "--pool-weights",
                          "unit", self.data)
        found, expected, without = (self.run_ok("predict", "-m", model, "--probability", self.test)
                                    for model in (pool, chains["kit"], chains["plain"]))
        self.assertEqual(found, expected)
        self.assertNotEqual(without, expected)
        two = self.pool("two.croft", "--expert", chains["kit"], "--experts", "all")
        self.run_ok("predict", "-m", two, self.test)
        start = ["--model", "pool", "--expert", chains["kit"]]
        for name, second in (("plain", chains["plain"]), ("other", other)):
            self.refuses_to_train(WRONG_USAGE, *start, "--expert", second, self.data,
                                  mentions=["kit.croft", f"{name}.croft", "feature kits"])
        self.refuses_to_train(WRONG_USAGE, *start, "--kit", kit, self.data, mentions=["another way"])
        self.refuses_to_train(WRONG_USAGE, "--model", "pool", "--expert", chains["plain"], "--kit", kit,
                              self.data, mentions=["another way"])

    def test_threads_do_not_change_a_byte(self):
        models = [self.pool(f"m{n}.croft", "--experts", "random:3:0.5", "--pool-weights", "dirichlet",
                            "--dirichlet", "2", "--holdout", "0.2", "--threads", n).read_bytes() for n in (1, 3)]
        self.assertEqual(*models)

    def test_what_makes_no_sense_is_refused(self):
        start = ["--model", "pool"]
        self.refuses_to_train(WRONG_USAGE, *start, self.data, mentions=["--experts"])
        self.refuses_to_train(WRONG_USAGE, *start, "--experts", "few", self.data, mentions=["few"])
        self.refuses_to_train(WRONG_USAGE, *start, "--experts", "all", "--dirichlet", "2", self.data,
                              mentions=["--dirichlet"])
        self.refuses_to_train(WRONG_USAGE, *start, "--experts", "all", "--early-stop", "3", self.data,
                              mentions=["--early-stop"])
        self.refuses_to_train(WRONG_USAGE, "--experts", "all", self.data, mentions=["--experts"])
        template = self.file("template", "U0:%x[0,0]\nB\n")
        other = self.train("other.croft", "--template", template, "--max-iterations", "2", self.data)
        self.refuses_to_train(WRONG_USAGE, *start, "--expert", other, self.data, mentions=["another way"])

    def test_where_nothing_is_trained_its_options_are_refused(self):
        chains = [self.train(f"{n}.croft", "--l2", n, "--max-iterations", "10", self.data) for n in (1, 2)]
        given = ["--model", "pool", "--expert", chains[0], "--expert", chains[1]]
        for option in (["--l1", "1"], ["--l2", "1"], ["--optimizer", "lbfgs"], ["--features", "all"],
                       ["--min-count", "2"], ["--history", "3"], ["--precision", "single"],
                       ["--objective", "likelihood"]):
            self.refuses_to_train(WRONG_USAGE, *given, *option, self.data,
                                  mentions=[option[0], "nothing is trained"])
        for option in (["--max-iterations", "5"], ["--tolerance", "1e-3"], ["--window", "3"],
                       ["--checkpoint", self.folder / "state"]):
            self.refuses_to_train(WRONG_USAGE, *given, "--pool-weights", "unit", *option, self.data,
                                  mentions=[option[0], "fixed"])

        def record(*options):
            model = self.train("pool.croft", *given, *options, self.data)
            return json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]
        free, bounded = record(), record("--max-iterations", "1")
        self.assertGreater(free["iterations"], 1)
        self.assertEqual((bounded["iterations"], bounded["stop"]), (1, "max_iterations"))
        self.assertLess(free["pool_loss"], bounded["pool_loss"])
        for unused in ("objective", "optimizer", "l1", "l2", "features", "min_count"):
            self.assertNotIn(unused, free)

    def test_classes_are_of_labels_that_the_data_has(self):
        labels = sorted({line.split()[-1] for line in self.data.read_text("utf-8").splitlines() if line})
        classes = "".join(f"{label} {n % 2}\n" for n, label in enumerate(labels[:-1]))
        self.pool("m.croft", "--experts", "labels", "--label-classes", self.file("classes", classes))
        self.refuses_to_train(WRONG_USAGE, "--model", "pool", "--experts", "labels", "--label-classes",
                              self.file("more", classes + "NOD 1\n"), self.data, mentions=["NOD"])

    def test_the_optimizer_goes_with_the_objective(self):
        model = self.pool("m.croft", "--experts", "all", "--objective", "perceptron")
        training = json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]
        self.assertEqual(training["optimizer"], "averaged-perceptron")


class CodeTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("train", some("train.txt", 150))
        self.test = self.file("test", some("test.txt", 80))

    def coded(self, name, *options):
        return self.train(name, "--model", "error-correcting", "--max-iterations", "20", *options, self.data)

    def accuracy(self, model, *options):
        report = json.loads(self.run_ok("evaluate", "-m", model, "--json", *options, self.test))
        return report["tokens"]["accuracy"], report

    def test_every_code_and_decoder_labels(self):
        for code in ("one-vs-rest", "all-pairs", "random:12", "minimum-loss:8:14"):
            model = self.coded("m.croft", "--code", code, "--threads", "2")
            for decoder in ("product", "marginal", "distance", "bits"):
                accuracy, report = self.accuracy(model, "--decoder", decoder)
                self.assertGreater(accuracy, 0.6, (code, decoder))
                self.assertEqual("log_loss" in report and report["log_loss"] is not None,
                                 decoder in ("product", "marginal"))

    def test_the_decoder_of_training_is_the_one_of_predict(self):
        model = self.coded("m.croft", "--code", "random:12", "--decoder", "bits")
        self.assertEqual(self.run_ok("predict", "-m", model, self.test),
                         self.run_ok("predict", "-m", model, "--decoder", "bits", self.test))
        self.fails(WRONG_USAGE, "predict", "-m", model, "--probability", self.test, mentions=["--decoder product"])
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        self.assertEqual((summary["bits"], summary["decoder"]), (12, "bits"))
        self.assertTrue(all(len(word) == 12 for word in summary["words"]))
        self.assertIn("node\t", self.run_ok("inspect", "-m", model, "--weights"))
        self.assertIn("bit 12", self.run_ok("inspect", "-m", model, "--top", "2"))

    def test_threads_do_not_change_a_byte(self):
        models = [self.coded(f"m{n}.croft", "--code", "random:10", "--threads", n).read_bytes() for n in (1, 3)]
        self.assertEqual(*models)

    def test_a_user_has_a_code(self):
        model = self.coded("m.croft", "--code", "one-vs-rest")
        labels = json.loads(self.run_ok("inspect", "-m", model, "--json"))["labels"]
        width = len(labels).bit_length()
        words = "".join(f"{label}\t{n:0{width}b}\n" for n, label in enumerate(labels, 1))
        code = self.file("code", words)
        own = self.coded("own.croft", "--code", code)
        found = json.loads(self.run_ok("inspect", "-m", own, "--json"))
        self.assertEqual(dict(zip(found["labels"], found["words"])),
                         dict(line.split("\t") for line in words.splitlines()))
        self.refuses_to_train(BAD_INPUT, "--model", "error-correcting", "--code", self.file("bad", "A 012\n"),
                              self.data, mentions=["bad:1", "LABEL BITS"])
        self.refuses_to_train(WRONG_USAGE, "--model", "error-correcting", "--code",
                              self.file("less", words.split("\n")[0] + "\n"), self.data, mentions=["no word"])

    def test_what_makes_no_sense_is_refused(self):
        start = ["--model", "error-correcting"]
        self.refuses_to_train(WRONG_USAGE, *start, "--constrain", "bio", self.data, mentions=["--constrain"])
        self.refuses_to_train(WRONG_USAGE, *start, "--code", "random:1", self.data, mentions=["random bits"])
        for code in ("minimum-loss:2", "minimum-loss:2:30"):
            self.refuses_to_train(WRONG_USAGE, *start, "--code", code, self.data, mentions=["labels apart"])
        self.refuses_to_train(WRONG_USAGE, *start, "--holdout", "0.1", self.data, mentions=["minimum-loss"])
        self.refuses_to_train(WRONG_USAGE, "--code", "all-pairs", self.data, mentions=["--code"])
        chain = self.train("chain.croft", "--max-iterations", "2", self.data)
        self.fails(WRONG_USAGE, "predict", "-m", chain, "--decoder", "bits", self.test, mentions=["--decoder"])

    def test_words_of_bits_have_no_marginals_to_decode_by(self):
        model = self.coded("m.croft", "--code", "random:8")
        for decoder in ("bits", "distance"):
            for decode in ("risk", "marginal"):
                self.fails(WRONG_USAGE, "predict", "-m", model, "--decoder", decoder, "--decode", decode,
                           self.test, mentions=[f"--decode {decode}", "--decoder product"])
            self.run_ok("predict", "-m", model, "--decoder", decoder, "--decode", "viterbi", self.test)
        self.run_ok("predict", "-m", model, "--decode", "risk", self.test)

    def interrupted(self, code, *options):
        """The end of a training that would go on for long, stopped after its second bit."""
        model, log = self.folder / "stopped.croft", self.folder / "log.jsonl"
        process = subprocess.Popen(
            [CROFT, "train", "--model", "error-correcting", "--code", code, "--log", str(log), *options,
             "-o", str(model), str(self.data)], stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        give_up = time.monotonic() + 60
        while not log.exists() or log.read_text().count("\n") < 2:
            self.assertIsNone(process.poll(), "training ended by itself")
            self.assertLess(time.monotonic(), give_up, "no two bits after a minute")
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), INTERRUPTED)
        return model, process.stderr.read().decode()

    def test_a_signal_keeps_the_code_of_the_trained_bits(self):
        bits = 1000
        model, said = self.interrupted(f"random:{bits}", "--l2", "0.01")
        trained, planned = map(int, re.search(r"stopped: (\d+) of (\d+) bits trained", said).groups())
        self.assertEqual(planned, bits)
        self.assertLess(trained, bits)
        if not model.exists():  # so few that two labels have the same word
            self.assertIn("do not tell all labels apart", said)
            return
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        self.assertEqual(summary["bits"], trained)
        self.assertEqual(summary["training"]["stop"], "stopped")
        self.run_ok("predict", "-m", model, self.test)

    def test_bits_that_do_not_tell_labels_apart_are_no_model(self):
        labels = sorted({line.split()[-1] for line in self.data.read_text("utf-8").splitlines() if line})
        # Of these bits the first 500 are the same one.
        width = (len(labels) - 1).bit_length()
        words = "".join(f"{label} {'01'[n == 0] * 500}{n:0{width}b}\n" for n, label in enumerate(labels))
        model, said = self.interrupted(str(self.file("code", words)), "--threads", "1")
        self.assertRegex(said, rf"stopped: \d+ of {500 + width} bits trained, which do not tell all labels apart")
        self.assertFalse(model.exists())


if __name__ == "__main__":
    main()
