"""What croft says, and leaves behind, when an option, a file or a disk is wrong.

Every refusal is one line on stderr, with nothing on stdout and no file written in part.
"""

import os
import random
import resource
import stat
import subprocess

from support import BAD_INPUT, CROFT, DONE, INGREDIENTS, WRONG_USAGE, CliTest, croft, main

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"


class UsageTest(CliTest):
    def wrong_training(self, *options, mentions=()):
        with self.subTest(options=options):
            self.refuses_to_train(WRONG_USAGE, *options, TRAIN, mentions=mentions)

    def test_no_verb_or_an_unknown_one(self):
        self.fails(WRONG_USAGE)
        self.fails(WRONG_USAGE, "traim", mentions=["traim"])

    def test_unknown_options(self):
        self.wrong_training("--lambda", 1, mentions=["--lambda"])
        self.fails(WRONG_USAGE, "predict", "-m", "m.croft", "--nbest", 3, mentions=["--nbest"])
        self.fails(WRONG_USAGE, "evaluate", "--nbest", mentions=["--nbest"])

    def test_an_unknown_option_is_told_before_what_is_missing(self):
        self.fails(WRONG_USAGE, "train", "--bogus", mentions=['unknown option "--bogus"'])

    def test_what_may_have_been_meant(self):
        self.fails(WRONG_USAGE, "prdict", mentions=['(did you mean "predict"?)'])
        for option, value, meant in (("--modle", "m", "--model"), ("--optimizer", "lbgfs", "lbfgs"),
                                     ("--objective", "likelyhood", "likelihood"), ("--format", "colunms", "columns")):
            self.wrong_training(option, value, mentions=[f'(did you mean "{meant}"?)'])
        for arguments, meant in (("convert --to spnas t.conll", "spans"), ("search --values l22=1,2 t.conll", "l2"),
                                 ("infer --task marginal g.bif", "marginals"), ("infer --format biff g", "bif"),
                                 ("convert --from raw --to spans --tokenizer word t.txt", "words")):
            self.fails(WRONG_USAGE, *arguments.split(" "), mentions=[f'(did you mean "{meant}"?)'])
        self.refuses_to_train(BAD_INPUT, "--constrain", "biose", TRAIN, mentions=['(did you mean "bioes"?)'])
        self.fails(WRONG_USAGE, "predict", "--best=3", mentions=['"--best" (did you mean "--k-best"?)'])
        graph = self.file("g.uai", "MARKOV\n1\n2\n1\n1 0\n2\n1 1\n")
        self.fails(WRONG_USAGE, "infer", "--method", "junction-tre", graph, mentions=['(did you mean "junction-tree"?'])
        self.assertNotIn("did you mean", self.fails(WRONG_USAGE, "stack", "--json"))
        self.fails(WRONG_USAGE, "predict", "--xyzzy", mentions=['"--xyzzy"; see croft predict --help'])

    def test_a_conversion_says_what_is_missing(self):
        self.fails(WRONG_USAGE, "convert", "t.conll", mentions=["of data --to is required", "of models --output"])

    def test_a_setting_of_another_optimizer_says_that_this_one_is_the_default(self):
        data = self.file("d", "a x\nb y\n\n")
        self.fails(WRONG_USAGE, "train", "--gamma", "2", "-o", self.folder / "m", data,
                   mentions=["--gamma", "default"])

    def test_missing_values_and_files(self):
        self.fails(WRONG_USAGE, "train", TRAIN, mentions=["--output"])
        self.fails(WRONG_USAGE, "train", "-o", self.folder / "m.croft", mentions=["DATA"])
        self.fails(WRONG_USAGE, "train", "-o", self.folder / "m.croft", TRAIN, "--l2",
                   mentions=["--l2"])
        self.fails(WRONG_USAGE, "predict", TEST, mentions=["--model"])
        self.fails(WRONG_USAGE, "predict", "-m", mentions=["--model"])
        self.fails(WRONG_USAGE, "bugs", "m.bug", "--inits", "a", "b", "c",
                   mentions=["write it before each of several"])

    def test_values_that_are_not_numbers(self):
        for option in ("--l1", "--l2", "--tolerance", "--max-iterations", "--min-count",
                       "--threads", "--seed", "--early-stop", "--window"):
            self.wrong_training(option, "much", mentions=[option, "much"])
        self.wrong_training("--max-iterations", "1.5", mentions=["--max-iterations"])

    def test_values_out_of_range(self):
        for option, value in (("--l1", "-1"), ("--l2", "-0.5"), ("--l1", "nan"), ("--l2", "inf"),
                              ("--tolerance", "-1e-5"), ("--gradient-tolerance", "-1"),
                              ("--window", "0"), ("--history", "0"), ("--min-count", "0"),
                              ("--threads", "-1"), ("--threads", "100000"), ("--holdout", "1.5"),
                              ("--holdout", "0"), ("--holdout", "-0.1")):
            self.wrong_training(option, value)

    def test_a_negative_count_is_not_a_huge_one(self):
        self.wrong_training("--max-iterations", "-3", mentions=["--max-iterations", "-3"])
        self.wrong_training("--min-count", "-1", mentions=["--min-count", "-1"])
        self.wrong_training("--window", "-1", mentions=["--window", "-1"])
        self.wrong_training("--history", "-1", mentions=["--history"])
        self.wrong_training("--early-stop", "-1", "--holdout", "0.2", mentions=["--early-stop"])

    def test_names_that_do_not_exist_list_those_that_do(self):
        self.wrong_training("--format", "xml", mentions=["xml", "columns", "attributes"])
        self.wrong_training("--features", "some", mentions=["some", "observed", "all"])
        self.wrong_training("--precision", "half", mentions=["half", "single", "double"])
        self.wrong_training("--template-language", "perl", mentions=["perl", "crfpp", "wapiti"])
        model = self.train("m.croft", "--max-iterations", 0, TRAIN)
        self.fails(WRONG_USAGE, "predict", "-m", model, "--to", "xml", TEST,
                   mentions=["xml", "columns", "labels", "json"])
        self.fails(WRONG_USAGE, "predict", "-m", model, "--marginals=some", TEST,
                   mentions=["some", "all"])
        self.fails(WRONG_USAGE, "evaluate", "-m", model, "--chunks", "xml", TEST,
                   mentions=["xml", "bio", "bioes"])

    def test_only_documented_names_are_names(self):
        self.wrong_training("--format", "0")
        self.wrong_training("--precision", "0")
        self.wrong_training("--template-language", "0", "--template", self.file("t", "U:%x[0,0]\n"))

    def test_options_that_contradict_each_other(self):
        template = self.file("t", "U:%x[0,0]\nB\n")
        self.wrong_training("--early-stop", 3, mentions=["--early-stop", "--holdout"])
        self.wrong_training("--format", "attributes", "--template", template,
                            mentions=["--template", "columns"])

    def test_an_option_that_would_be_ignored(self):
        self.wrong_training("--template-language", "wapiti", mentions=["--template"])
        data = self.file("data.attributes", "X\ta\n")
        with self.subTest(format="attributes"):
            self.refuses_to_train(WRONG_USAGE, "--format", "attributes", "--template-language",
                                  "crfpp", data, mentions=["--template"])


class DataTest(CliTest):
    def bad_columns(self, text, *mentions, options=()):
        path = self.file("bad.txt", text)
        self.refuses_to_train(BAD_INPUT, *options, path, mentions=[path, *mentions])

    def bad_attributes(self, text, *mentions):
        path = self.file("bad.attributes", text)
        self.refuses_to_train(BAD_INPUT, "--format", "attributes", path, mentions=[path, *mentions])

    def test_rows_with_other_columns_than_the_first(self):
        self.bad_columns("a P X\nb Q\n", "bad.txt:2:", "2 columns", '"b Q"', "; give every row")
        self.bad_columns("a X\n\nb Q Y\n", "bad.txt:3:", "3 columns", '"b Q Y"')
        good = self.file("good.txt", "a X\n")
        bad = self.file("bad.txt", "a P X\n")
        self.refuses_to_train(BAD_INPUT, good, bad, mentions=[f"{bad}:1:", "3 columns"])

    def test_bytes_that_are_not_text(self):
        self.bad_columns(b"a X\nb\0 Y\n", "bad.txt:2:2:", "NUL")
        self.bad_columns("a X\r\r\nb Y\n", "bad.txt:1:", "carriage return")
        self.bad_columns("a X\n b Y\n", "bad.txt:2:1:", "starts with a blank")
        self.bad_columns("a X\n".encode("utf-16"), "NUL")

    def test_rows_without_a_label(self):
        self.bad_columns("a\nb\n", "bad.txt:1:", '"a"', "; add the label")
        self.bad_attributes("\ta:1\n", "bad.attributes:1:1:", "no label")
        self.bad_attributes("X\ta\n\tb\n", "bad.attributes:2:1:", "no label")

    def test_values_that_are_not_finite_numbers(self):
        for value in ("nan", "NaN", "inf", "-Infinity", "1e999"):
            self.bad_attributes(f"X\ta:1\nY\tb\tc:{value}\n", "bad.attributes:2:5:", f'"c:{value}"')
        for value in ("x", "1x", "0x10", " 1", "1,5"):
            self.bad_attributes(f"X\ta:{value}\n", "bad.attributes:1:3:", f'"a:{value}"', ";")

    def test_values_that_would_overflow_are_refused_in_training_and_in_prediction(self):
        self.bad_attributes("X\ta\n\nX\ta:1e16\nY\tb\n", "bad.attributes:3:", "1e15", "1e+16")
        data = self.file("good.attributes", "X\ta\nY\tb\n")
        model = self.train("values.croft", "--format", "attributes", data)
        large = self.file("large.attributes", "\ta\n\n\ta:-1e16\n")
        done = croft("predict", "-m", model, large)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assert_one_message(done.stderr.decode(), [f"{large}:3:", "1e15", "-1e+16"])

    def test_attributes_that_crfsuite_would_repair(self):
        self.bad_attributes("X\ta:1:2\n", "bad.attributes:1:3:", "second colon")
        self.bad_attributes("X\t:1\n", "bad.attributes:1:3:", "without a name")
        self.bad_attributes("B:1\ta\n", "bad.attributes:1:1:", "colon in a label")
        for weight in ("@weight:-1", "@weight:nan", "@weight:0", "@weight:", "@wait:1"):
            self.bad_attributes(f"{weight}\nX\ta\n", "bad.attributes:1:1:")

    def test_nothing_to_read(self):
        for text in ("", "\n\n", " \t\n"):
            self.bad_columns(text, "no data")
        self.bad_attributes("", "no data")
        model = self.train("m.croft", "--max-iterations", 0, TRAIN)
        self.assertEqual(self.run_ok("predict", "-m", model, "-"), "")  # a stream may have nothing to say
        self.fails(BAD_INPUT, "predict", "-m", model, self.file("none", ""), mentions=["none", "no data"])
        self.fails(BAD_INPUT, "evaluate", "-", mentions=["<stdin>", "no data"])

    def test_files_that_cannot_be_read(self):
        model = self.train("m.croft", "--max-iterations", 0, TRAIN)
        for path, reason in ((self.folder / "missing", "No such file"),
                             (self.folder, "Is a directory")):
            self.refuses_to_train(BAD_INPUT, path, mentions=[path, reason])
            for option in ("--init", "--holdout"):
                self.refuses_to_train(BAD_INPUT, option, path, TRAIN, mentions=[path, reason])
            self.refuses_to_train(BAD_INPUT, "--template", path, TRAIN, mentions=[path])
            self.fails(BAD_INPUT, "predict", "-m", model, path, mentions=[path, reason])
            self.fails(BAD_INPUT, "evaluate", "-m", model, path, mentions=[path, reason])
            self.fails(BAD_INPUT, "evaluate", path, mentions=[path, reason])

    def test_data_that_does_not_fit_the_model(self):
        model = self.train("m.croft", "--max-iterations", 0, TRAIN)
        wide = self.file("wide.txt", "a b c\n")
        self.fails(BAD_INPUT, "predict", "-m", model, wide, mentions=[f"{wide}:1:", "3 columns"])
        words = self.file("words.txt", "a\n")
        self.fails(BAD_INPUT, "evaluate", "-m", model, words, mentions=[f"{words}:1:", "1 column"])
        self.fails(BAD_INPUT, "evaluate", words, mentions=[f"{words}:1:", "one column"])
        self.refuses_to_train(BAD_INPUT, "--holdout", wide, TRAIN, mentions=[f"{wide}:1:"])
        self.refuses_to_train(BAD_INPUT, "--holdout", "1e-9", TRAIN, mentions=["hold-out"])

    def test_what_came_before_a_bad_row_is_predicted(self):
        model = self.train("m.croft", TRAIN)
        data = self.file("data.txt", "2\ncups\n\n2\ncups of\n")
        done = croft("predict", "-m", model, data)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertEqual(done.stdout, b"2 QTY\ncups UNIT\n\n")
        self.assert_one_message(done.stderr.decode("utf-8"), [f"{data}:5:"])


class TemplateTest(CliTest):
    def bad_template(self, text, *mentions):
        path = self.file("bad.template", text)
        self.refuses_to_train(BAD_INPUT, "--template", path, TRAIN, mentions=[path, *mentions])

    def test_a_column_that_the_data_lacks(self):
        self.bad_template("U0:%x[0,0]\nU1:%x[0,7]\n", ":2:", '"U1:%x[0,7]"', "1 column")
        self.bad_template("U0:%x[0,1]\n", ":1:", '"U0:%x[0,1]"')  # the labels

    def test_macros_that_do_not_exist(self):
        self.bad_template("U0:%x[0,0]\nU1:%q[0,0]\n", ":2:", '"U1:%q[0,0]"', "%q")
        self.bad_template("u0:%y[0,0]\n", ":1:", "%y")
        self.bad_template("U0:%x[0]\n", ":1:", '"U0:%x[0]"')
        self.bad_template("U0:%x[-9,0]\n", ":1:", "-9")
        self.bad_template("V0:%x[0,0]\n", ":1:", '"V0:%x[0,0]"')

    def test_expressions_that_mean_nothing(self):
        self.bad_template('u0:%m[0,0,"*a"]\n', ":1:", "regular expression")
        self.bad_template('u0:%x[0,0]\nu1:%t[0,0,"a**"]\n', ":2:", "regular expression", "a**")
        self.bad_template('u0:%m[0,0,"a]\n', ":1:")

    def test_an_empty_template(self):
        self.bad_template("", "empty")
        self.bad_template("# only a comment\n")


class ModelFileTest(CliTest):
    def setUp(self):
        super().setUp()
        self.good = self.train("good.croft", "--max-iterations", 3, TRAIN)
        self.bytes = self.good.read_bytes()

    def refused(self, content, *mentions):
        path = self.file("bad.croft", content)
        for command in (("predict", "-m", path, TEST), ("evaluate", "-m", path, TEST)):
            self.fails(BAD_INPUT, *command, mentions=[path, *mentions])
        self.refuses_to_train(BAD_INPUT, "--init", path, TRAIN, mentions=[path, *mentions])

    def test_missing_and_foreign_files(self):
        for path in (self.folder / "missing.croft", self.folder):
            self.fails(BAD_INPUT, "predict", "-m", path, TEST, mentions=[path])
        self.refused(TRAIN.read_bytes(), "not a Croft model")
        self.refused(b"", "not a Croft model", "empty")
        self.refused(b"lCRF" + bytes(200), "no CRFsuite model")
        self.refused(b"#mdl#2#7\n#rdr#", "the number of patterns is expected")
        self.refused(b"\x64" + bytes(200), "the model ends before the file does")
        self.refused(b"version: 100\nmaxid: 7\n", "the file ends before the model does")
        self.refused(b"version: 100\nmaxid: 7", "no newline ends the last line: the file may be cut")

    def test_truncated_files_and_files_with_something_behind_the_end(self):
        for length in (1, 8, 63, 64, 200, len(self.bytes) // 2, len(self.bytes) - 1):
            self.refused(self.bytes[:length])
        self.refused(self.bytes[:5000], "truncated")
        self.refused(self.bytes + b"\0")

    def test_a_damaged_header_or_section_table(self):
        for offset in (0, 7, 8, 12, 16, 40, 48, 63, 64, 100, 127):
            damaged = bytearray(self.bytes)
            damaged[offset] ^= 0x10
            self.refused(bytes(damaged))

    def test_damage_anywhere_never_crashes(self):
        chance = random.Random(7)
        for trial in range(60):
            damaged = bytearray(self.bytes)
            for _ in range(chance.choice((1, 1, 40))):
                damaged[chance.randrange(128, len(damaged))] = chance.randrange(256)
            path = self.file("damaged.croft", bytes(damaged))
            done = croft("predict", "-m", path, "--marginals", TEST)
            self.assertIn(done.returncode, (0, BAD_INPUT), done.stderr)
            with self.subTest(trial=trial):
                if done.returncode == BAD_INPUT:
                    self.assert_one_message(done.stderr.decode("utf-8", "replace"), [path])


class DiskTest(CliTest):
    """The disk, and what stands where the model should go."""

    def test_a_full_disk_is_an_error(self):
        # Results of any length: the last few bytes fail only when they are flushed.
        model = self.train("m.croft", "--max-iterations", 3, TRAIN)
        one = self.file("one.txt", "2\n")
        for command in (("predict", "-m", model, TEST), ("predict", "-m", model, one),
                        ("evaluate", "-m", model, TEST), ("--help",), ("train", "--help"),
                        ("--version",)):
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                done = croft(*command, stdout=full)
                self.assertEqual(done.returncode, BAD_INPUT)
                self.assert_one_message(done.stderr.decode("utf-8"), ["No space left"])

    def test_a_log_that_cannot_be_written_is_an_error(self):
        missing = self.folder / "missing" / "log"
        self.refuses_to_train(BAD_INPUT, "--log", missing, TRAIN, mentions=[missing])

    def test_a_disk_that_is_full_for_the_log_does_not_end_a_training(self):
        model = self.folder / "m.croft"
        done = croft("train", "--quiet", "-o", model, "--max-iterations", 3, "--log", "/dev/full", TRAIN)
        self.assertEqual((done.returncode, done.stderr.count(b"warning: /dev/full")), (DONE, 1), done.stderr)
        self.run_ok("evaluate", "-m", model, TEST)

    def test_a_write_that_fails_leaves_the_old_model_and_nothing_else(self):
        model = self.file("m.croft", b"the old one")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        # The signal of a file that is too long stays ignored, as Python has it: the write fails.
        done = subprocess.run([CROFT, "train", "--quiet", "-o", model, "--max-iterations", "2",
                               TRAIN], preexec_fn=limit, restore_signals=False,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, BAD_INPUT, done.stderr)
        self.assert_one_message(done.stderr.decode("utf-8"), [model, "File too large"])
        self.assertEqual(model.read_bytes(), b"the old one")
        self.assertEqual(list(self.folder.iterdir()), [model])

    def test_bad_data_leaves_the_old_model(self):
        model = self.file("m.croft", b"the old one")
        bad = self.file("bad.txt", "a X\nb\n")
        self.fails(BAD_INPUT, "train", "--quiet", "-o", model, bad)
        self.assertEqual(model.read_bytes(), b"the old one")

    def test_a_new_model_replaces_the_old_one_and_keeps_its_mode(self):
        model = self.file("m.croft", b"the old one")
        model.chmod(0o640)
        self.train("m.croft", "--max-iterations", 0, TRAIN)
        self.assertTrue(model.read_bytes().startswith(b"CROFT"))
        self.assertEqual(stat.S_IMODE(model.stat().st_mode), 0o640)

    def test_a_link_goes_on_pointing_at_the_model(self):
        target = self.file("target.croft", b"the old one")
        link = self.folder / "link.croft"
        link.symlink_to(target)
        self.train("link.croft", "--max-iterations", 0, TRAIN)
        self.assertTrue(link.is_symlink())
        self.assertTrue(target.read_bytes().startswith(b"CROFT"))

    def test_an_output_that_is_no_file_stays_what_it_is(self):
        # A pipe stands for the devices: renaming a model over one of those breaks the machine.
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.fails(BAD_INPUT, "train", "--quiet", "-o", pipe, "--max-iterations", 0, TRAIN,
                   mentions=[pipe], timeout=60)
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
        self.assertEqual(list(self.folder.iterdir()), [pipe])

    def test_an_output_that_cannot_be_written_is_known_before_training(self):
        log = self.folder / "log"
        for output in (self.folder / "missing" / "m.croft", self.folder):
            with self.subTest(output=output):
                self.fails(BAD_INPUT, "train", "--quiet", "-o", output, "--log", log, TRAIN,
                           mentions=[output])
                self.assertNotIn("iteration", log.read_text() if log.exists() else "")


if __name__ == "__main__":
    main()
