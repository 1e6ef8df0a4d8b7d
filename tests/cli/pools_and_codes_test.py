"""Pools of experts and error-correcting codes: croft train --model pool and --model error-correcting."""

import json

from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, main


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
        pool = self.pool("pool.croft", "--expert", chain, "--pool-weights", "unit")
        self.assertEqual(self.run_ok("predict", "-m", pool, "--probability", self.test),
                         self.run_ok("predict", "-m", chain, "--probability", self.test))

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
        self.refuses_to_train(WRONG_USAGE, *start, "--holdout", "0.1", self.data, mentions=["minimum-loss"])
        self.refuses_to_train(WRONG_USAGE, "--code", "all-pairs", self.data, mentions=["--code"])
        chain = self.train("chain.croft", "--max-iterations", "2", self.data)
        self.fails(WRONG_USAGE, "predict", "-m", chain, "--decoder", "bits", self.test, mentions=["--decoder"])


if __name__ == "__main__":
    main()
