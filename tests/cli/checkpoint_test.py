"""--checkpoint and --resume: after kill -9 the very model of a training without a break."""

import subprocess
import time

from support import BAD_INPUT, CROFT, INGREDIENTS, WRONG_USAGE, CliTest, croft, main

TRAIN = INGREDIENTS / "train.txt"
# Each with as many iterations as take a second or less.
METHODS = [("likelihood", name) for name in (
    "sgd-lbfgs", "lbfgs", "owlqn", "steepest-descent", "cg", "preconditioned-cg", "mixed-cg",
    "truncated-newton", "gis", "iis", "sgd", "averaged-sgd", "adagrad", "adagrad-rda", "smd", "sag",
    "async-sgd", "sdca", "eg", "batch-eg")] + [
        ("max-margin", "frank-wolfe"), ("max-margin", "smo"), ("max-margin", "eg"),
        ("perceptron", "perceptron"), ("perceptron", "averaged-perceptron"),
        ("perceptron", "pass-perceptron"), ("perceptron", "voted-perceptron"),
        ("passive-aggressive", "pa-1"), ("passive-aggressive", "mira"), ("arow", "arow")]


class CheckpointTest(CliTest):
    def arguments(self, model, *options):
        return ["train", "--quiet", "-o", model, *options, "--tolerance", 0,
                "--gradient-tolerance", 0, "--max-iterations", 25, TRAIN]

    def start_and_kill(self, model, folder, options, resume):
        """Kills the training as soon as it has kept a new state; False where it ended before."""
        state = folder / "checkpoint"
        before = state.stat().st_mtime_ns if state.exists() else 0
        process = subprocess.Popen([CROFT, *map(str, self.arguments(
            model, *options, "--checkpoint", folder, "--checkpoint-interval", 0,
            *(["--resume"] if resume else [])))], stderr=subprocess.DEVNULL)
        while process.poll() is None:
            try:
                if state.stat().st_mtime_ns != before:
                    break
            except FileNotFoundError:
                pass
            time.sleep(0.001)
        process.kill()
        process.wait()
        return not model.exists()

    def check(self, options):
        whole, model, folder = (self.folder / name for name in ("w.croft", "m.croft", "state"))
        self.run_ok(*self.arguments(whole, *options))
        kills = 0
        while kills < 4 and self.start_and_kill(model, folder, options, kills > 0):
            kills += 1
        if not model.exists():
            self.run_ok(*self.arguments(model, *options, "--checkpoint", folder, "--resume"))
        self.assertEqual(model.read_bytes(), whole.read_bytes())
        self.assertFalse((folder / "checkpoint").exists())
        model.unlink()
        return kills

    def test_every_optimizer_goes_on_to_the_same_bytes(self):
        kills = 0
        for objective, optimizer in METHODS:
            with self.subTest(objective=objective, optimizer=optimizer):
                kills += self.check(["--objective", objective, "--optimizer", optimizer])
        self.assertGreater(kills, len(METHODS))

    def test_an_active_set_too(self):
        self.check(["--l1", 0.5, "--l2", 0, "--features", "all"])

    def test_early_stopping_too(self):
        self.check(["--holdout", 0.2, "--early-stop", 5])

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


if __name__ == "__main__":
    main()
