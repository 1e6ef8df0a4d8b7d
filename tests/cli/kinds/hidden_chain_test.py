"""Hidden states: croft train --model hidden-chain, and what predict, evaluate and inspect make of it."""

import json
import random

from support import BAD_INPUT, WRONG_USAGE, CliTest, main, read_log

ORDERS = {"wave": "pqr", "push": "rqp", "grab": "qrp", "turn": "prq"}
TEMPLATE = "U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nB\n"


def gestures(count, seed):
    """Gestures pass through three postures that no label names; all have the same ones, in other orders."""
    chance = random.Random(seed)
    text = ""
    for _ in range(count):
        gesture = chance.choice(sorted(ORDERS))
        for posture in ORDERS[gesture]:
            for _ in range(chance.randint(3, 6)):
                shown = chance.choice("pqr") if chance.random() < 0.15 else posture
                text += f"{shown}\t{gesture}\n"
        text += "\n"
    return text


class HiddenChainTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("train", gestures(60, 1))
        self.test = self.file("test", gestures(60, 2))
        self.template = self.file("template", TEMPLATE)
        self.options = ["--template", self.template, "--l2", "0.1"]
        self.hidden = ["--model", "hidden-chain", "--hidden-states", "3", *self.options]

    def accuracy(self, model):
        report = json.loads(self.run_ok("evaluate", "-m", model, "--json", self.test))
        return report["tokens"]["accuracy"]

    def test_states_find_what_a_chain_does_not_see(self):
        plain = self.train("plain.croft", *self.options, self.data)
        hidden = self.train("hidden.croft", *self.hidden, "--starts", "2", "--tolerance", "1e-4", self.data)
        self.assertGreater(self.accuracy(hidden), self.accuracy(plain) + 0.05)

    def test_the_same_seed_gives_the_same_bytes_whatever_the_threads(self):
        models = [self.train(f"m{threads}.croft", *self.hidden, "--max-iterations", "5", "--threads", threads,
                             self.data).read_bytes() for threads in (1, 3)]
        self.assertEqual(*models)
        other = self.train("other.croft", *self.hidden, "--max-iterations", "5", "--seed", "2", self.data)
        self.assertNotEqual(models[0], other.read_bytes())

    def test_em_goes_down_only(self):
        log = self.folder / "log.jsonl"
        self.train("em.croft", *self.hidden, "--em-iterations", "6", "--log", log, self.data)
        iterations, done = read_log(log)
        objectives = [each["objective"] for each in iterations]
        self.assertEqual(len(objectives), 7)
        self.assertEqual(objectives, sorted(objectives, reverse=True))
        self.assertEqual(done["objective"], objectives[-1])

    def test_a_label_may_have_states_of_its_own_number(self):
        model = self.train("m.croft", "--model", "hidden-chain", "--hidden-states", "1", "--hidden-states",
                           "wave=2", *self.options, "--max-iterations", "3", self.data)
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", "1"))
        self.assertEqual(summary["kind"], "hidden-chain")
        self.assertEqual(dict(zip(summary["labels"], summary["states"])),
                         {"wave": 2, "push": 1, "grab": 1, "turn": 1})
        self.assertIn("wave#2", [each["state"] for each in summary["top"]["states"]])
        lines = self.run_ok("inspect", "-m", model, "--weights").splitlines()
        self.assertEqual({line.split("\t")[0] for line in lines}, {"transition", "node"})
        self.assertIn("states        5", self.run_ok("inspect", "-m", model))

    def test_questions_are_answered_in_labels(self):
        model = self.train("m.croft", *self.hidden, "--max-iterations", "20", self.data)
        new = self.file("new", "p\np\nq\n\n")
        found = json.loads(self.run_ok("predict", "-m", model, "--to", "json", "--decode", "labelling",
                                       "--k-best", "256", "--probability", "--marginals=all", new))
        total = sum(each["probability"] for each in found["k_best"])
        self.assertEqual(len(found["k_best"]), 64)
        self.assertAlmostEqual(total, 1, 4)
        first = found["marginals"][0]
        for label, p in first.items():
            own = sum(each["probability"] for each in found["k_best"] if each["labels"][0] == label)
            self.assertAlmostEqual(own, p, 4)
        self.fails(WRONG_USAGE, "predict", "-m", model, "--entropy", new, mentions=["hidden states"])
        self.fails(WRONG_USAGE, "predict", "-m", model, "--k-best", "2", new, mentions=["--decode labelling"])
        self.fails(WRONG_USAGE, "explain", "-m", model, new, mentions=["hidden"])

    def test_options_of_other_kinds_are_refused(self):
        for option in (["--order", "2"], ["--smoothing", "1"], ["--init", "m.croft"]):
            self.refuses_to_train(WRONG_USAGE, *self.hidden, *option, self.data, mentions=[option[0]])
        self.refuses_to_train(WRONG_USAGE, "--hidden-states", "2", self.data, mentions=["--hidden-states"])
        self.refuses_to_train(WRONG_USAGE, "--model", "hidden-chain", "--hidden-states", "x=y", self.data,
                              mentions=["x=y"])
        self.refuses_to_train(WRONG_USAGE, "--model", "hidden-chain", "--hidden-states", "nod=2", self.data,
                              mentions=["nod"])
        self.refuses_to_train(WRONG_USAGE, *self.hidden, "--optimizer", "frank-wolfe", self.data)
        self.refuses_to_train(WRONG_USAGE, *self.hidden, "--em-iterations", "5", "--max-iterations", "5",
                              self.data, mentions=["--em-iterations"])

    def test_states_are_given_once_and_starts_need_some(self):
        start = ["--model", "hidden-chain", *self.options]
        for first, second in (("2", "3"), ("wave=2", "wave=3")):
            self.refuses_to_train(WRONG_USAGE, *start, "--hidden-states", first, "--hidden-states", second,
                                  self.data, mentions=["--hidden-states", "twice"])
        one = [*start, "--hidden-states", "1"]
        each = [option for label in sorted(ORDERS) for option in ("--hidden-states", f"{label}=1")]
        for states in (one, [*start, *each]):
            for option in (["--starts", "3"], ["--start-deviation", "0.5"]):
                self.refuses_to_train(WRONG_USAGE, *states, *option, self.data, mentions=[option[0], "one state"])
        self.refuses_to_train(WRONG_USAGE, *one, "--start-deviation", "0.1", self.data,
                              mentions=["--start-deviation"])

    def test_the_default_optimizer_is_named_as_it_is(self):
        message = self.refuses_to_train(WRONG_USAGE, *self.hidden, "--schedule", "constant", self.data,
                                        mentions=["--optimizer lbfgs, which is the default here"])
        self.assertNotIn("--optimizer sgd-lbfgs", message)

    def test_a_search_says_whether_it_reached_the_end(self):
        model = self.train("m.croft", *self.hidden, "--max-iterations", "20", self.data)
        for question in ([], ["--k-best", "3"]):
            ask = ["predict", "-m", model, "--decode", "labelling", *question]
            cut = [json.loads(line) for line in self.run_ok(*ask, "--limit", "1", "--to", "json",
                                                            self.test).splitlines()]
            remarks = self.run_ok(*ask, "--limit", "1", self.test).count("# gap")
            self.assertEqual(sum(not each["search"]["exact"] for each in cut), remarks)
            self.assertGreater(remarks, 0)
            for each in cut:
                self.assertEqual(each["search"]["exact"], each["search"]["gap"] == 0, each["search"])
            whole = [json.loads(line) for line in self.run_ok(*ask, "--to", "json", self.test).splitlines()]
            self.assertTrue(all(each["search"]["exact"] for each in whole))
            for short, full in zip(cut, whole):  # what claims to be exact is
                if short["search"]["exact"]:
                    self.assertEqual(short["labels"], full["labels"])
        marginal = json.loads(self.run_ok("predict", "-m", model, "--to", "json", self.test).splitlines()[0])
        self.assertNotIn("search", marginal)

    def test_a_chain_has_no_search_for_labellings(self):
        plain = self.train("plain.croft", *self.options, "--max-iterations", "3", self.data)
        self.fails(WRONG_USAGE, "predict", "-m", plain, "--decode", "labelling", self.test,
                   mentions=["hidden states"])

    def test_damage_is_an_error(self):
        model = self.train("m.croft", *self.hidden, "--max-iterations", "2", self.data)
        content = bytearray(model.read_bytes())
        content[len(content) // 3] ^= 0xFF
        broken = self.file("broken.croft", bytes(content))
        self.fails(BAD_INPUT, "inspect", "-m", broken, "--verify")


if __name__ == "__main__":
    main()
