"""What training must not destroy, carry on, or report of other weights than those it keeps."""

import json

from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, main

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"


class OutputsOverInputsTest(CliTest):
    def test_the_model_must_not_replace_what_it_is_made_from(self):
        data = self.file("data.txt", TRAIN.read_bytes())
        for options in ((data,), (TEST, "--holdout", data), (TEST, "--template", data)):
            with self.subTest(options=options):
                self.fails(WRONG_USAGE, "train", "-o", data, *options, mentions=["--output"])
                self.assertEqual(data.read_bytes(), TRAIN.read_bytes())

    def test_the_log_must_not_replace_what_training_reads_or_writes(self):
        data = self.file("data.txt", TRAIN.read_bytes())
        model = self.folder / "m.croft"
        self.fails(WRONG_USAGE, "train", "-o", model, "--log", data, data, mentions=["--log"])
        self.assertEqual(data.read_bytes(), TRAIN.read_bytes())
        self.fails(WRONG_USAGE, "train", "-o", model, "--log", model, data, mentions=["--log"])
        self.fails(WRONG_USAGE, "train", "-o", model, "--log", "-", data,
                   mentions=["--log -: a log cannot be standard"])
        self.assertFalse(model.exists())

    def test_standard_input_can_be_read_once_only(self):
        self.fails(WRONG_USAGE, "train", "-o", self.folder / "m.croft", "-", "-", mentions=["twice"])


class NumbersTest(CliTest):
    def test_numbers_too_large_to_train_on_name_file_and_line(self):
        data = self.file("big.txt", "X\ta\n\nX\ta:1e30\n")
        self.fails(BAD_INPUT, "train", "--format", "attributes", "-o", self.folder / "m.croft", data,
                   mentions=["big.txt:3", "1e+30"])

    def test_the_objective_that_is_printed_is_that_of_the_model_that_is_kept(self):
        model = self.folder / "m.croft"
        log = self.folder / "log"
        for value, options in (("1e6", []), ("1e13", []), ("1e14", ["--optimizer", "newton"]),
                               ("1e14", ["--optimizer", "truncated-newton"]),
                               ("1e14", ["--optimizer", "sdca"])):
            with self.subTest(value=value, options=options):
                data = self.file("large.txt", f"X\ta:{value}\nY\tb:{value}\n")
                self.run_ok("train", "--format", "attributes", *options, "-o", model, "--log", log,
                            data)
                done = json.loads(log.read_text().splitlines()[-1])
                summary = json.loads(self.run_ok("evaluate", "--json", "-m", model, data))
                self.assertLessEqual(summary["log_loss"] * 2, done["objective"] + 1e-5)
                self.assertLess(summary["log_loss"], 0.01)  # it has learnt

    # From weights of 0 a line search would have to shorten its first step by more than it does; the
    # methods above, whose steps know the curvature, need none.
    def test_training_that_gets_nowhere_is_an_error_without_a_model(self):
        data = self.file("large.txt", "X\ta:1e14\nY\tb:1e14\n")
        model = self.folder / "m.croft"
        self.fails(BAD_INPUT, "train", "--quiet", "--format", "attributes", "-o", model, data,
                   mentions=["training got nowhere", "scale"])
        self.assertFalse(model.exists())

    def test_early_stopping_reports_the_objective_of_the_weights_it_keeps(self):
        model, log = self.folder / "m.croft", self.folder / "log"
        self.run_ok("train", "--l2", 0.01, "--holdout", TEST, "--early-stop", 2, "-o", model, "--log",
                    log, TRAIN)
        events = [json.loads(line) for line in log.read_text().splitlines()]
        kept = events[-1].get("kept_iteration", events[-1]["iterations"])
        self.assertEqual(events[-1]["objective"], events[kept]["objective"])


class DamageTest(CliTest):
    def test_training_does_not_start_from_a_damaged_model(self):
        model = self.folder / "m.croft"
        self.run_ok("train", "--quiet", "--max-iterations", 5, "-o", model, TRAIN)
        image = bytearray(model.read_bytes())
        image[-40] ^= 1  # in the last bulk section, which opening alone does not read
        damaged = self.file("damaged.croft", bytes(image))
        self.fails(BAD_INPUT, "train", "--init", damaged, "-o", self.folder / "n.croft", TRAIN,
                   mentions=["damaged.croft"])

    def test_labels_with_spaces_are_not_written_as_columns(self):
        data = self.file("spaces.txt", "X Y\tx\nZ Z\tz\n")
        model = self.folder / "m.croft"
        self.run_ok("train", "--quiet", "--format", "attributes", "-o", model, data)
        self.fails(WRONG_USAGE, "predict", "-m", model, "--to", "columns", data, mentions=["X Y"])
        self.assertEqual(self.run_ok("predict", "-m", model, data), "X Y\nZ Z\n\n")


if __name__ == "__main__":
    main()
