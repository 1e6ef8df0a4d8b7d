"""A first Ctrl-C ends training with a valid model; a second one ends the process."""

import json
import random
import signal
import subprocess
import time

from support import CROFT, INGREDIENTS, INTERRUPTED, CliTest, main

LABELS, ROWS = 120, 12_000


def slow_data():
    """Attributes whose labels are chance, and so many that an iteration takes a good while."""
    chance = random.Random(3)
    rows = [f"L{chance.randrange(LABELS)}\ta{chance.randrange(3000)}\tb{chance.randrange(300)}"
            for _ in range(ROWS)]
    return "\n\n".join("\n".join(rows[k:k + 20]) for k in range(0, ROWS, 20)) + "\n"


class InterruptTest(CliTest):
    def start(self, *arguments, **options):
        process = subprocess.Popen([CROFT, *map(str, arguments)], stderr=subprocess.PIPE,
                                   **options)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_verbs_without_work_to_keep_end_where_they_stand(self):
        model, other, data = self.folder / "m.croft", self.folder / "n.croft", self.folder / "big.txt"
        for each in model, other:
            self.train(each, INGREDIENTS / "train.txt", "--max-iterations", 3)
        data.write_text((INGREDIENTS / "train.txt").read_text("utf-8") * 600, "utf-8")
        for verb in (["errors", "-m", model, data], ["compare", "-m", model, "-m", other, data], ["check", data],
                     ["card", "-m", model, data], ["explain", "-m", model, data], ["evaluate", "-m", model, data],
                     ["predict", "-m", model, "--samples", 1000, data],
                     ["calibrate", "-m", model, data, "-o", self.folder / "c.croft"]):
            with self.subTest(verb=verb[0]):
                process = self.start(*verb, stdout=subprocess.DEVNULL)
                time.sleep(0.7)
                self.assertIsNone(process.poll(), "it ended too early for this test")
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(timeout=20), INTERRUPTED)
                self.assertIn(b"interrupted", process.stderr.read())
        self.assertFalse((self.folder / "c.croft").exists())

    def start_training(self):
        """A training that will not end by itself, once it is under way."""
        self.model, self.log = self.folder / "m.croft", self.folder / "log.jsonl"
        self.log.unlink(missing_ok=True)
        self.data = self.file("slow.attributes", slow_data())
        process = self.start("train", "-o", self.model, "--format", "attributes", "--log", self.log,
                             "--tolerance", 0, "--gradient-tolerance", 0, "--max-iterations",
                             1_000_000, "--l2", 0.001, "--precision", "double", self.data)
        give_up = time.monotonic() + 60
        while not self.log.exists() or self.log.read_text().count("\n") < 3:
            self.assertIsNone(process.poll(), "training ended by itself")
            self.assertLess(time.monotonic(), give_up, "no iteration after a minute")
            time.sleep(0.02)
        return process

    def test_the_first_signal_saves_a_model_that_works(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                process = self.start_training()
                process.send_signal(number)
                self.assertEqual(process.wait(60), INTERRUPTED)
                self.assertIn(b"wrote", process.stderr.read())
                lines = self.log.read_text().splitlines()
                end, last = json.loads(lines[-1]), json.loads(lines[-2])
                self.assertEqual((end["event"], end["reason"]), ("done", "stopped"))
                self.assertEqual(end["objective"], last["objective"])
                labels = self.run_ok("predict", "-m", self.model, self.data)
                self.assertEqual(labels.count("L"), ROWS)
                self.assertEqual(len(list(self.folder.iterdir())), 3)
                self.model.unlink()

    def test_a_signal_before_the_first_iteration_leaves_the_model_that_was_there(self):
        data = self.file("big.txt", (INGREDIENTS / "train.txt").read_text("utf-8") * 80)
        model = self.file("m.croft", "the model before")
        process = self.start("train", "-o", model, "--optimizer", "lbfgs", "--threads", 1, data)
        for line in process.stderr:
            if b"(read in" in line:  # the first sums begin
                break
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), INTERRUPTED)
        self.assertIn(b"there is no model to keep yet", process.stderr.read())
        self.assertEqual(model.read_text("utf-8"), "the model before")

    def test_a_second_signal_ends_the_process_at_once(self):
        # The first one may find training between two iterations and be done with it: try again.
        for first, second in ((signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGTERM),
                              (signal.SIGINT, signal.SIGTERM)):
            with self.subTest(first=first, second=second):
                for attempt in range(40):
                    process = self.start_training()
                    process.send_signal(first)
                    time.sleep(0.001 * (1 + attempt % 10))
                    process.send_signal(second)
                    status = process.wait(60)
                    if status != INTERRUPTED:
                        break
                self.assertEqual(status, -second)

    def test_a_signal_while_reading_says_that_there_is_no_model(self):
        model = self.folder / "m.croft"
        process = self.start("train", "-o", model, "-", stdin=subprocess.PIPE)
        process.stdin.write(b"a X\nb Y\n\n" * 5000)
        process.stdin.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        try:
            process.stdin.write(b"a X\nb Y\n\n" * 5000)
            process.stdin.close()
        except BrokenPipeError:
            pass
        self.assertEqual(process.wait(60), INTERRUPTED)
        self.assert_one_message(process.stderr.read().decode("utf-8"), ["no model"])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_signal_ends_a_verb_that_waits_for_input(self):
        model = self.train("m.croft", "--max-iterations", 0, INGREDIENTS / "train.txt")
        for verb in (("predict", "-m", model), ("train", "-o", self.folder / "other.croft"),
                     ("evaluate", "-m", model)):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(verb=verb[0], signal=number):
                    process = self.start(*verb, "-", stdin=subprocess.PIPE,
                                         stdout=subprocess.DEVNULL)
                    self.addCleanup(process.stdin.close)
                    time.sleep(0.3)
                    process.send_signal(number)
                    try:
                        status = process.wait(5)
                    except subprocess.TimeoutExpired:
                        self.fail("still waiting for input 5 seconds after the signal")
                    self.assertIn(status, (INTERRUPTED, -number))


if __name__ == "__main__":
    main()
