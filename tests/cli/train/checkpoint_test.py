"""--checkpoint and --resume: after kill -9 the very model of a training without a break."""

import random
import re
import subprocess
import time

from support import BAD_INPUT, CROFT, INGREDIENTS, WRONG_USAGE, CliTest, croft, main, noise

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"
# Each with as many iterations as take a second or less.
METHODS = [("likelihood", name) for name in (
    "sgd-lbfgs", "lbfgs", "owlqn", "steepest-descent", "cg", "preconditioned-cg", "mixed-cg",
    "truncated-newton", "gis", "iis", "sgd", "averaged-sgd", "adagrad", "adagrad-rda", "smd", "sag",
    "async-sgd", "dual-ascent", "sdca", "eg", "batch-eg")] + [
        ("max-margin", "frank-wolfe"), ("max-margin", "smo"), ("max-margin", "eg"),
        ("perceptron", "perceptron"), ("perceptron", "averaged-perceptron"),
        ("perceptron", "pass-perceptron"), ("perceptron", "voted-perceptron"),
        ("passive-aggressive", "pa-1"), ("passive-aggressive", "mira"), ("arow", "arow")]

POOL = ["--model", "pool", "--experts", "all", "--experts", "random:2", "--experts", "labels",
        "--holdout", 0.2]
CODE = ["--model", "error-correcting", "--threads", 2, "--code"]
HIDDEN = ["--model", "hidden-chain", "--starts", 3]
PARTS = [POOL, [*POOL, "--pool-weights", "dirichlet", "--l1", 0.1], [*CODE, "random:8"],
         [*CODE, "minimum-loss:6:9", "--optimizer", "sgd"], HIDDEN,
         [*HIDDEN, "--holdout", 0.2, "--early-stop", 4], [*HIDDEN, "--em-iterations", 8]]


# The tables of a chain a -> b -> c of three states each.
CHAIN = "network chain { }\n" + "".join(
    f"variable {name} {{ type discrete [ 3 ] {{ x, y, z }}; }}\n" for name in "abc") + """
probability ( a ) { table 0.2, 0.3, 0.5; }
""" + "".join(f"probability ( {child} | {parent} ) {{ (x) 0.6, 0.3, 0.1; (y) 0.2, 0.2, 0.6; (z) 0.3, 0.4, 0.3; }}\n"
              for parent, child in ("ab", "bc"))


class CheckpointTest(CliTest):
    data, suffix = TRAIN, ".croft"
    rules = ["--tolerance", 0, "--gradient-tolerance", 0]

    def arguments(self, model, *options):
        iterations = [] if "--em-iterations" in options else ["--max-iterations", 25]
        return ["train", "--quiet", "-o", model, *options, *self.rules, *iterations, self.data]

    def start_and_kill(self, model, folder, options, resume, states=1):
        """Kills the training as soon as it has kept new states; False where it ended before."""
        state = folder / "checkpoint"
        before = state.stat().st_mtime_ns if state.exists() else 0
        process = subprocess.Popen([CROFT, *map(str, self.arguments(
            model, *options, "--checkpoint", folder, "--checkpoint-interval", 0,
            *(["--resume"] if resume else [])))], stderr=subprocess.DEVNULL)
        while process.poll() is None:
            try:
                if (last := state.stat().st_mtime_ns) != before:
                    before, states = last, states - 1
                if states == 0:
                    break
            except FileNotFoundError:
                pass
            time.sleep(0.001)
        process.kill()
        process.wait()
        return not model.exists()

    def check(self, options, most_kills=4, states=1):
        whole, model, folder = (self.folder / name for name in (
            "w" + self.suffix, "m" + self.suffix, "state"))
        self.run_ok(*self.arguments(whole, *options))
        kills = 0
        while kills < most_kills and self.start_and_kill(model, folder, options, kills > 0, states):
            kills += 1
        if not model.exists():
            self.run_ok(*self.arguments(model, *options, "--checkpoint", folder, "--resume"))
        self.assertEqual(model.read_bytes(), whole.read_bytes())
        self.assertFalse((folder / "checkpoint").exists())
        model.unlink()
        return kills

    def test_a_checkpoint_and_a_model_have_two_names(self):
        self.fails(WRONG_USAGE, "train", "--quiet", "-o", self.folder / "x", "--checkpoint", self.folder / "x", TRAIN,
                   mentions=["--output and --checkpoint both write"])
        self.assertFalse((self.folder / "x").exists())

    def test_every_optimizer_goes_on_to_the_same_bytes(self):
        kills = 0
        for objective, optimizer in METHODS:
            with self.subTest(objective=objective, optimizer=optimizer):
                kills += self.check(["--objective", objective, "--optimizer", optimizer])
        self.assertGreater(kills, len(METHODS))

    def test_dual_ascent_that_gives_way_to_lbfgs_too(self):
        self.data = self.file("noise.txt", noise(2000))
        self.assertGreater(self.check([], most_kills=6), 4)

    def test_an_active_set_too(self):
        self.check(["--l1", 0.5, "--l2", 0, "--features", "all"])

    def test_early_stopping_too(self):
        self.check(["--holdout", 0.2, "--early-stop", 5])

    def test_joint_features_too(self):
        template = self.file("joint.template", "u1:%x[0,0] * %y\nu2:%x[-1,0] * %y\n")
        self.assertGreater(self.check(["--model", "maxent", "--joint-template", template]), 0)

    def test_joint_features_stop_early_too(self):
        template = self.file("joint.template", "u1:%x[0,0] * %y\nu2:%x[-1,0] * %y\n")
        self.assertGreater(self.check(["--model", "maxent", "--joint-template", template, "--holdout", 0.2,
                                       "--early-stop", 5, "--optimizer", "lbfgs"]), 0)

    def test_joint_features_with_triggers_from_a_model_too(self):
        template = self.file("joint.template", "u1:%x[0,0] * %y\nany %x[-20..-1,0] = oil * %y\n")
        joint = ["--model", "maxent", "--joint-template", template, "--optimizer", "lbfgs"]
        first = self.train("first.croft", *joint, "--l2", 9, "--max-iterations", 5, TRAIN)
        self.assertGreater(self.check([*joint, "--init", first]), 0)

    def test_em_of_generative_models_too(self):
        lines = TRAIN.read_text("utf-8").splitlines()
        partial = self.file("partial.txt", "\n".join(
            re.sub(r"\S+$", "?", line) if n % 4 else line for n, line in enumerate(lines)) + "\n")
        chance = random.Random(1)
        cases = self.file("cases.csv", "a,b,c\n" + "".join(
            ",".join(chance.choice(["x", "y", "z", "", ""]) for _ in "abc") + "\n" for _ in range(300)))
        net = self.file("net.bif", CHAIN)
        self.rules = ["--tolerance", 0]
        early = ["--holdout", TEST, "--early-stop", 6]
        hmm = ["--model", "hmm", "--partial", "--em-iterations"]
        bayes = ["--model", "naive-bayes", "--partial", "--em-iterations", 30]
        network = ["--model", "bayes-net", "--structure", net, "--em-iterations", 200]
        for data, options in (
                (TRAIN, ["--model", "hmm", "--states", 4, "--starts", 3, "--em-iterations", 8]),
                (partial, [*hmm, 30]), (partial, [*hmm, 30, *early]),
                (TRAIN, ["--model", "hmm", "--objective", "hybrid", "--em-iterations", 12]),
                (partial, ["--model", "hmm", "--partial", "--objective", "conditional", "--em-iterations", 12, *early]),
                (partial, bayes), (partial, [*bayes, *early]),
                (cases, [*network, "--starts", 3]), (cases, [*network, "--holdout", cases, "--early-stop", 5])):
            with self.subTest(options):
                self.data, self.suffix = data, ".bif" if data == cases else ".croft"
                self.assertGreater(self.check(options), 0)

    def test_em_of_other_data_is_another_training(self):
        self.rules = ["--tolerance", 0]
        model, folder = self.folder / "m.croft", self.folder / "state"
        begun = ["--model", "hmm", "--states", 4, "--em-iterations", 30]
        self.assertTrue(self.start_and_kill(model, folder, begun, False))
        for other in (["--seed", 2], ["--smoothing", 0.3], ["--starts", 2]):
            self.fails(BAD_INPUT, *self.arguments(model, "--checkpoint", folder, "--resume", *begun, *other),
                       mentions=["another training"])

    def test_where_nothing_is_to_be_found_out_there_is_no_state(self):
        for kind in ("hmm", "naive-bayes"):
            self.refuses_to_train(WRONG_USAGE, "--model", kind, "--checkpoint", self.folder / "state", TRAIN,
                                  mentions=["--checkpoint", "--partial"])

    def test_trainings_of_several_parts_too(self):
        for options in PARTS:
            with self.subTest(options):
                # Far enough apart to end in each of the parts, and in what comes behind them.
                self.assertGreaterEqual(self.check(options, most_kills=12, states=7), 3)

    def test_other_parts_are_another_training(self):
        model, folder = self.folder / "m.croft", self.folder / "state"
        changes = {"pool": (["--experts", "random:2"], ["--experts", "random:3"]),
                   "error-correcting": (["--code", "random:8"], ["--code", "random:9"]),
                   "hidden-chain": (["--hidden-states", 2], ["--hidden-states", 3])}
        for kind, (options, others) in changes.items():
            with self.subTest(kind):
                begun = ["--model", kind, *options]
                self.assertTrue(self.start_and_kill(model, folder, begun, False))
                for other in (["--model", kind, *others], [*begun, "--seed", 2], [*begun, "--l2", 0.3]):
                    self.fails(BAD_INPUT, *self.arguments(model, "--checkpoint", folder, "--resume", *other),
                               mentions=["another training"])
                self.run_ok(*self.arguments(model, "--checkpoint", folder, "--resume", *begun))
                model.unlink()

    def test_what_does_not_fit_is_refused(self):
        model, folder = self.folder / "m.croft", self.folder / "state"
        self.assertTrue(self.start_and_kill(model, folder, [], False))
        done = croft(*self.arguments(model, "--checkpoint", folder))
        self.assertEqual(done.returncode, WRONG_USAGE)
        self.assertIn(b"--resume", done.stderr)
        done = croft(*self.arguments(model, "--checkpoint", folder, "--resume", "--l2", 2))
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(b"another training", done.stderr)
        (folder / "checkpoint").write_bytes(b"CROFTCP1 and so on, but not for long")
        done = croft(*self.arguments(model, "--checkpoint", folder, "--resume"))
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(b"damaged", done.stderr)
        done = croft(*self.arguments(model, "--resume"))
        self.assertEqual(done.returncode, WRONG_USAGE)
        self.assertFalse(model.exists())

    def test_a_refused_resume_creates_no_folder(self):
        folder = self.folder / "nowhere"
        for _ in range(2):
            self.refuses_to_train(WRONG_USAGE, "--checkpoint", folder, "--resume", TRAIN, mentions=["not there"])
        self.assertFalse(folder.exists())

    def test_an_interval_is_of_a_checkpoint(self):
        for seconds in (0, 30):
            self.refuses_to_train(WRONG_USAGE, "--checkpoint-interval", seconds, TRAIN,
                                  mentions=["--checkpoint-interval", "--checkpoint"])

    def test_other_settings_around_the_optimizer_are_of_another_training(self):
        held = self.file("held.txt", "2 QTY\ncups UNIT\n\n1 QTY\nleek NAME\n")
        other = self.file("other.txt", "2 QTY\ncups NAME\n\n1 QTY\nleek NAME\n")
        rules = self.file("rules", "* -> *\n")
        groups = self.file("groups", "QTY UNIT g\nUNIT NAME g\n")
        variances = self.file("variances", "bias 2\n")
        old = self.train("old.croft", "--max-iterations", 2, TRAIN)
        base = {"--holdout": held, "--early-stop": 20, "--constrain": rules,
                "--transition-groups": groups, "--variances": variances, "--init": old}
        words = lambda options: [word for pair in options.items() for word in pair]
        model, folder = self.folder / "m.croft", self.folder / "state"
        self.assertTrue(self.start_and_kill(model, folder, words(base), False))
        changes = {
            "--holdout": other, "--early-stop": 19,
            "--constrain": self.file("fewer", "* -> *\n! UNIT -> QTY\n"),
            "--transition-groups": self.file("regrouped", "QTY UNIT g\nNAME UNIT g\n"),
            "--variances": self.file("looser", "bias 3\n"),
            "--init": self.train("newer.croft", "--max-iterations", 3, TRAIN)}
        for option, value in changes.items():
            with self.subTest(option):
                self.fails(BAD_INPUT, *self.arguments(
                    model, "--checkpoint", folder, "--resume", *words({**base, option: value})),
                    mentions=["another training", folder / "checkpoint"])
        self.run_ok(*self.arguments(model, "--checkpoint", folder, "--resume", *words(base)))
        whole = self.folder / "whole.croft"
        self.run_ok(*self.arguments(whole, *words(base)))
        self.assertEqual(model.read_bytes(), whole.read_bytes())

    def test_other_names_of_labels_are_another_training(self):
        model, folder = self.folder / "m.croft", self.folder / "state"
        data = TRAIN.read_text("utf-8")
        self.assertTrue(self.start_and_kill(model, folder, [], False))
        renamed = self.file("renamed.txt", data.replace(" UNIT\n", " MEASURE\n"))
        self.assertNotEqual(renamed.read_text("utf-8"), data)
        arguments = self.arguments(model, "--checkpoint", folder, "--resume")
        self.assertEqual(arguments.pop(), TRAIN)
        self.fails(BAD_INPUT, *arguments, renamed, mentions=["another training"])


if __name__ == "__main__":
    main()
