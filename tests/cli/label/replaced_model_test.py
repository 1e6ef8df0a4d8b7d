"""A model whose file is changed while it labels: the old answers, or an error; never wrong labels without a word."""

import os
import shutil
import subprocess

from support import BAD_INPUT, CROFT, DONE, INGREDIENTS, CliTest, main

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"


class ReplacedModelTest(CliTest):
    def setUp(self):
        super().setUp()
        self.model, self.other = self.folder / "m.croft", self.folder / "other.croft"
        pairs = [f"U{a}{b}:%x[{a},0]/%x[{b},0]\n" for a in range(-4, 5) for b in range(a + 1, 5)]
        template = self.file("t.template", "".join(pairs) + "B\n")
        for path, penalty in ((self.model, "0.1"), (self.other, "10")):
            self.run_ok("train", "--quiet", "--features", "all", "--max-iterations", "5", "--l2", penalty,
                        "--template", template, "-o", path, TRAIN)
        self.assertGreater(self.model.stat().st_size, 1 << 20)  # a smaller one is copied
        self.first, self.second = (TEST.read_text("utf-8").split("\n\n")[k] + "\n\n" for k in (0, 1))

    def change_after_one_sequence(self, change):
        """(status, labels, messages) of a tagger whose model is changed between two sequences."""
        with subprocess.Popen([CROFT, "predict", "--to", "labels", "-m", self.model, "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tagger:
            tagger.stdin.write(self.first.encode())
            tagger.stdin.flush()
            begun = os.read(tagger.stdout.fileno(), 1)
            change()
            rest, errors = tagger.communicate(self.second.encode())
        return tagger.returncode, (begun + rest).decode(), errors.decode()

    def test_a_model_that_is_replaced_as_a_whole_goes_on_answering(self):
        expected = self.run_ok("predict", "--to", "labels", "-m", self.model, "-",
                               stdin=(self.first + self.second).encode())
        status, labels, _ = self.change_after_one_sequence(lambda: os.rename(self.other, self.model))
        self.assertEqual((status, labels), (DONE, expected))

    def test_a_model_that_is_written_over_is_an_error(self):
        status, _, errors = self.change_after_one_sequence(lambda: shutil.copyfile(self.other, self.model))
        self.assertEqual(status, BAD_INPUT)
        self.assertIn("mv NEW FILE", errors)

    def test_a_model_that_is_cut_off_is_an_error(self):
        status, _, errors = self.change_after_one_sequence(lambda: os.truncate(self.model, 100))
        self.assertEqual(status, BAD_INPUT)
        self.assertIn("changed while it was in use", errors)

    def run_while_it_changes(self, arguments, change):
        """(status, output, messages) of a verb that reads its data from a pipe; its model changes meanwhile."""
        data = (TRAIN.read_text("utf-8") * 5).encode()
        self.assertGreater(len(data), 1 << 17)  # more than a pipe holds: the verb has opened its model
        with subprocess.Popen([CROFT, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as verb:
            verb.stdin.write(data)
            verb.stdin.flush()
            change()
            out, errors = verb.communicate()
        return verb.returncode, out.decode(), errors.decode()

    def test_evaluation_by_a_model_that_changes_is_an_error(self):
        for change in (lambda: shutil.copyfile(self.other, self.model), lambda: os.truncate(self.model, 0)):
            status, out, errors = self.run_while_it_changes(["evaluate", "-m", self.model, "-"], change)
            self.assertEqual((status, out), (BAD_INPUT, ""))
            self.assertIn("changed while it was in use", errors)

    def test_training_goes_on_from_the_model_that_it_has_opened(self):
        keep = self.folder / "keep.croft"
        shutil.copyfile(self.model, keep)
        for option in ("--init", "--prior"):
            made = []
            for change in (lambda: None, lambda: os.truncate(self.model, 0)):
                shutil.copyfile(keep, self.model)
                out = self.folder / f"{len(made)}.croft"
                status, _, errors = self.run_while_it_changes(
                    ["train", "--quiet", option, self.model, "--max-iterations", "2", "-o", out, "-"], change)
                self.assertEqual((status, errors), (DONE, ""))
                made.append(out.read_bytes())
            self.assertEqual(made[0], made[1])

    def test_calibration_is_of_the_model_that_it_has_opened(self):
        keep, made = self.folder / "keep.croft", []
        shutil.copyfile(self.model, keep)
        for change in (lambda: None, lambda: os.truncate(self.model, 0)):
            shutil.copyfile(keep, self.model)
            out = self.folder / f"{len(made)}.croft"
            status, _, errors = self.run_while_it_changes(["calibrate", "-m", self.model, "-o", out, "-"], change)
            self.assertEqual(status, DONE, errors)
            made.append(out.read_bytes())
        self.assertEqual(made[0], made[1])


if __name__ == "__main__":
    main()
