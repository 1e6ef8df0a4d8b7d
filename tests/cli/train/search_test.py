"""croft search: settings by cross-validation with successive halving."""

import json
import random
import signal
import subprocess
import unittest

from support import BAD_INPUT, CROFT, DONE, INTERRUPTED, WRONG_USAGE, CliTest, croft


def texts(noise, count=200, seed=1):
    draw = random.Random(seed)
    lines = []
    for _ in range(count):
        word = draw.randrange(6)
        label = draw.randrange(2) if draw.random() < noise else word % 2
        lines.append(f"{'odd' if label else 'even'}\tw{word} x{draw.randrange(3)}\n")
    return "".join(lines)


def sentences(count=120, seed=2):
    draw = random.Random(seed)
    blocks = []
    for _ in range(count):
        rows, inside = [], False
        for _ in range(draw.randrange(2, 7)):
            noun = draw.random() < 0.4
            word = draw.choice(["cat", "dog", "Rome"] if noun else ["runs", "the", "in"])
            rows.append(f"{word} {('I-NP' if inside else 'B-NP') if noun else 'O'}\n")
            inside = noun
        blocks.append("".join(rows))
    return "\n".join(blocks)


class SearchTest(CliTest):
    def search(self, *arguments):
        return json.loads(self.run_ok("search", "--json", "--quiet", *arguments))

    def test_the_best_setting_is_printed_as_a_command_that_trains_it(self):
        data = self.file("train.tsv", texts(1.0))
        out = self.run_ok("search", data, "--format", "text", "--model", "maxent", "--quiet",
                          "--values", "l2=0.001,1000", "--metric", "log-loss")
        self.assertIn("log-loss of 3 folds of 200 sequences", out)
        command = out.strip().splitlines()[-1]
        self.assertEqual(command, "croft train -o MODEL --model=maxent --format=text --l2=1000 "
                                  f"{data}")
        model = self.folder / "m.croft"
        self.run_ok(*command.replace("MODEL", str(model)).split()[1:])
        self.assertTrue(model.exists())

    def test_o_trains_the_best_setting_on_all_of_the_data(self):
        data = self.file("train.tsv", texts(0.0))
        best, again = self.folder / "best.croft", self.folder / "again.croft"
        found = self.search(data, "--format", "text", "--model", "maxent", "--values",
                            "l2=0.01,100", "--metric", "log-loss", "-o", best, "--plot",
                            self.folder / "s.svg")
        self.assertEqual(found["candidates"][0]["settings"], {"l2": "0.01"})
        self.run_ok("train", "-o", again, "--quiet", "--format", "text", "--model", "maxent",
                    "--l2", "0.01", data)
        self.assertEqual(best.read_bytes(), again.read_bytes())
        self.assertIn("<svg", (self.folder / "s.svg").read_text())

    def test_of_settings_within_one_standard_error_the_preferred_one_is_chosen(self):
        data = self.file("train.tsv", texts(0.2))
        options = [data, "--format", "text", "--model", "maxent", "--values", "l2=0.01,0.1,1,3,10,30,300", "--eta", "7",
                   "--smallest", "1"]
        found = self.search(*options)
        last = [each for each in found["candidates"] if len(each["scores"]) == len(found["rungs"])]
        best = last[0]["scores"][-1]
        near = [each["settings"]["l2"] for each in last
                if abs(each["scores"][-1]["mean"] - best["mean"]) <= best["standard_error"]]
        self.assertGreater(len(near), 1)
        for prefer, wanted in (("l2", max(near, key=float)), ("l2:smallest", min(near, key=float))):
            chosen = self.search(*options, "--prefer", prefer)
            self.assertEqual(chosen["chosen"], [wanted])
            self.assertIn(f"--l2={wanted} ", chosen["command"])
            self.assertEqual(chosen["candidates"], found["candidates"])
        for wrong in ("l1", "l2:largest", ""):
            self.fails(WRONG_USAGE, "search", *options, "--prefer", wrong, mentions=["--prefer"])
        self.fails(WRONG_USAGE, "search", data, "--format", "text", "--values", "analyzer=word,char", "--prefer",
                   "analyzer", mentions=["no numbers"])

    def test_a_file_of_ones_own_takes_the_place_of_folds(self):
        data, dev = self.file("train.tsv", texts(0.2)), self.file("dev.tsv", texts(0.2, 80, 7))
        options = ["--format", "text", "--model", "maxent"]
        found = self.search(data, *options, "--values", "l2=0.1,30", "--dev", dev, "--smallest", "1", "--eta", "2",
                            "--metric", "log-loss")
        self.assertEqual(found["folds"], 1)
        for each in found["candidates"]:
            model = self.train("one.croft", *options, "--l2", each["settings"]["l2"], data)
            score = json.loads(self.run_ok("evaluate", "-m", model, "--json", dev))["log_loss"]
            self.assertAlmostEqual(each["scores"][-1]["mean"], score, places=12)
        text = self.run_ok("search", "--quiet", data, *options, "--values", "l2=1,3", "--dev", dev)
        self.assertIn("of a file, trained on 200 sequences", text)
        for more in (["--folds", "4"], ["--contiguous"], ["--prefer", "l2"], ["--plot", dev]):
            self.fails(WRONG_USAGE, "search", data, *options, "--values", "l2=1,3", "--dev", dev, *more,
                       mentions=[more[0]])
        self.fails(BAD_INPUT, "search", data, *options, "--values", "l2=1,3", "--dev", self.folder / "none",
                   mentions=["none"])

    def test_it_searches_over_any_option_of_any_kind(self):
        columns = self.file("train.conll", sentences())
        tsv = self.file("train.tsv", texts(0.2))
        runs = [
            ("chain", [columns, "--values", "min-count=1,2", "--range", "l2=0.1:10:log",
                       "--candidates", "4", "--metric", "chunk-f1"]),
            ("memm", [columns, "--range", "l2=0.1:10:log", "--candidates", "3"]),
            ("hmm", [columns, "--range", "smoothing=0.1:2", "--candidates", "3"]),
            ("naive-bayes", [tsv, "--format", "text", "--values", "alpha=0.1,1,5"]),
            ("maxent", [tsv, "--format", "text", "--values", "ngrams=1,1-2"]),
        ]
        for kind, arguments in runs:
            with self.subTest(kind=kind):
                found = self.search("--model", kind, *arguments)
                self.assertTrue(found["complete"])
                self.assertGreater(found["candidates"][0]["scores"][-1]["mean"], 0.5)

    def test_the_result_depends_on_the_seed_and_not_on_threads(self):
        data = self.file("train.conll", sentences())
        arguments = [data, "--range", "l2=0.01:10:log", "--range", "l1=0:1", "--candidates", "6"]
        one = self.search(*arguments, "--seed", "3")
        self.assertEqual(self.search(*arguments, "--seed", "3", "--threads", "3"), one)
        self.assertNotEqual(self.search(*arguments, "--seed", "4"), one)

    def test_a_killed_search_goes_on_to_the_same_table(self):
        data = self.file("train.conll", sentences(400))
        arguments = ["search", data, "--range", "l2=0.01:10:log", "--candidates", "9", "--folds",
                     "3"]
        whole = self.run_ok(*arguments, "--quiet")
        state = self.folder / "state.json"
        for how, expected in [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, INTERRUPTED)]:
            resume = ["--resume"] if state.exists() else []
            before = len(json.loads(state.read_text())["scores"]) if state.exists() else 0
            command = [CROFT, *map(str, arguments), "--state", str(state), *resume]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(6):  # some scores have been written
                process.stderr.readline()
            process.send_signal(how)
            out, error = process.communicate(timeout=120)
            if process.returncode == DONE:
                self.skipTest("the search was done before the signal")
            self.assertEqual(process.returncode, expected, error)
            self.assertGreater(len(json.loads(state.read_text())["scores"]), before)
        self.assertIn(b"--resume", error)
        self.assertEqual(self.run_ok(*arguments, "--quiet", "--state", state, "--resume"), whole)

    def test_a_state_of_another_search_is_refused(self):
        data = self.file("train.conll", sentences(30))
        state = self.folder / "state.json"
        self.run_ok("search", data, "--values", "l2=1,2", "--quiet", "--state", state)
        done = croft("search", data, "--values", "l2=1,3", "--quiet", "--state", state, "--resume")
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(b"state of a search of other data", done.stderr)
        done = croft("search", data, "--values", "l2=1,2", "--quiet", "--state", state)
        self.assertEqual(done.returncode, WRONG_USAGE)
        self.assertIn(b"--resume", done.stderr)
        self.file("state.json", "not json")
        done = croft("search", data, "--values", "l2=1,2", "--quiet", "--state", state, "--resume")
        self.assertEqual(done.returncode, BAD_INPUT)

    def test_wrong_searches_are_refused_before_any_training(self):
        data = self.file("train.conll", sentences(20))
        cases = [
            ([], b"nothing to search over"),
            (["--range", "l2=3:1"], b"lower end"),
            (["--range", "l2=0:1:log"], b"logarithmic"),
            (["--range", "nonsense=0:1"], b"no option of train"),
            (["--values", "induce=1,2"], b"no option of train"),
            (["--values", "l2=1,2", "--l2", "3"], b"leave it out"),
            (["--values", "l2=1,x"], b"finite number"),
            (["--values", "l2=1,-2"], b'croft: --l2: "-2" is not a finite number from 0 on'),
            (["--range", "l2=-1:2"], b'croft: --l2: "-1" is not a finite number from 0 on'),
            (["--values", "order=1,2", "--model", "maxent"], b"--order has no meaning for --model maxent"),
            (["--values", "l2=1,2", "--range", "l2=1:2"], b"two ranges"),
            (["--values", "l2=1,2", "--folds", "1"], b"whole number"),
            (["--values", "l2=1,2", "--folds", "100"], b"sequences"),
            (["--values", "l2=1,2", "--resume"], b"--state"),
            (["--values", "l2=1,2", "--resource", "iterations"], b"--max-iterations"),
            (["--values", "l2=1,2", "--budget", "1.1", "--candidates", "2",
              "--smallest", "1"], b"--budget"),
            (["--values", "l2=1,2", "-o", data], b"would replace the input"),
            (["--values", "l2=1,2", "--checkpoint", "folder"], b"unknown option"),
            (["--values", "l2=1,2", "--smallest", "2"], b"--smallest 2"),
            (["--values", "max-iterations=1,2", "--resource", "iterations"], b"what grows"),
            (["--values", "spec=a,b", "--model", "graph", "--spec", "x"], b"leave it out"),
        ]
        for arguments, message in cases:
            with self.subTest(arguments=arguments):
                done = croft("search", data, "--quiet", *arguments)
                self.assertEqual(done.returncode, WRONG_USAGE, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stdout, b"")

    # Each document has words of its own, whose labels are drawn: only who has seen the document knows them.
    def documents(self, marks=True, count=12):
        draw = random.Random(5)
        blocks = []
        for document in range(count):
            if marks:
                blocks.append("-DOCSTART- O\n")
            words = [(f"w{document}x{k}", draw.choice("ABCD")) for k in range(8)]
            blocks += ["".join(f"{word} {label}\n" for word, label in words)] * 5
        return "\n".join(blocks)

    def test_scores_of_groups_are_those_of_documents_that_no_model_has_seen(self):
        data = self.file("train.conll", self.documents())
        arguments = [data, "--values", "l2=0.1"]
        mixed = self.search(*arguments)["candidates"][0]["scores"][-1]["mean"]
        found = self.search(*arguments, "--group-by", "-DOCSTART-")
        self.assertEqual((found["groups"], found["sequences"]), (12, 72))
        self.assertGreater(mixed, 0.95)
        self.assertLess(found["candidates"][0]["scores"][-1]["mean"], 0.6)
        self.assertIn(" of 3 folds of 72 sequences in 12 groups\n",
                      self.run_ok("search", "--quiet", *arguments, "--group-by", "-DOCSTART-"))
        apart = self.search(*arguments, "--contiguous", "--folds", "4")["candidates"][0]["scores"][-1]
        self.assertLess(apart["mean"], 0.6)  # 4 folds of 3 whole documents
        self.assertEqual(len(apart["folds"]), 4)

    def test_marks_of_documents_without_groups_are_warned_of(self):
        data = self.file("train.conll", self.documents(count=4))
        arguments = ["search", data, "--quiet", "--values", "l2=1", "--folds", "2"]
        warned = croft(*arguments)
        self.assertEqual(warned.returncode, DONE)
        self.assertIn(b"train.conll:1: a mark of documents, -DOCSTART-", warned.stderr)
        for how in (["--group-by", "-DOCSTART-"], ["--contiguous"]):
            self.assertEqual(croft(*arguments, *how).stderr, b"")
        plain = self.file("plain.conll", self.documents(marks=False, count=4))
        self.assertEqual(croft("search", plain, *arguments[2:]).stderr, b"")

    def test_groups_that_are_not_there_are_refused(self):
        data = self.file("train.conll", sentences(20))
        table = self.file("t.csv", "a,label\n1,x\n2,y\n1,x\n2,y\n")
        spans = self.file("s.jsonl", '{"tokens": ["a"], "spans": [], "doc": 1}\n{"tokens": ["b"], "spans": []}\n')
        maxent = ["--format", "csv", "--model", "maxent"]
        for status, arguments, message in [
                (WRONG_USAGE, [data, "--group-by", "-DOC-"], "-DOC-: no sequence of the data begins with"),
                (BAD_INPUT, [data, "--group-by", "7"], "train.conll:1: --group-by 7: no column of this number"),
                (WRONG_USAGE, [table, *maxent, "--group-by", "b"], "b: the table has no column of this name"),
                (BAD_INPUT, [spans, "--format", "spans", "--folds", "2", "--group-by", "doc"],
                 "s.jsonl:2: --group-by doc: the line has no such key"),
                (WRONG_USAGE, [table, *maxent, "--group-by", "label"], "--folds 3: the data has 2 groups")]:
            self.fails(status, "search", *arguments, "--quiet", "--values", "l2=1,2", mentions=[message])

    def test_a_hold_out_that_nothing_asks_for_is_refused(self):
        data = self.file("train.conll", sentences(40))
        arguments = ["search", data, "--quiet", "--values", "l2=1,2", "--holdout", "0.2"]
        self.fails(WRONG_USAGE, *arguments, mentions=["--holdout: a search scores settings on its folds"])
        self.run_ok(*arguments, "--early-stop", "2")

    def test_a_hold_out_of_a_training_divides_no_group_either(self):
        data = self.file("train.conll", self.documents())
        stopped = ["--holdout", "0.3", "--early-stop", "2"]
        best, by_hand = self.folder / "best.croft", self.folder / "by_hand.croft"
        for how in (["--group-by=-DOCSTART-"], ["--contiguous"], ["--group-by=-DOCSTART-", "--contiguous"]):
            done = croft("search", data, "--quiet", "--values", "l2=1", *stopped, *how, "-o", best)
            self.assertEqual((done.returncode, done.stderr), (DONE, b""))
            for option in how:
                self.assertIn(option, done.stdout.decode().splitlines()[-1])
            self.run_ok("train", "--quiet", "--l2", "1", *stopped, *how, "-o", by_hand, data)
            self.assertEqual(best.read_bytes(), by_hand.read_bytes())

    def test_iterations_can_be_what_grows(self):
        data = self.file("train.conll", sentences())
        found = self.search(data, "--values", "l2=0.1,1,10", "--resource", "iterations",
                            "--max-iterations", "27")
        self.assertEqual([rung["iterations"] for rung in found["rungs"]], [9, 27])
        self.assertIn("--max-iterations=27", found["command"])

    def test_a_budget_beyond_all_candidates_is_no_more_than_all(self):
        data = self.file("train.tsv", texts(0.2, 40))
        arguments = [data, "--format", "text", "--model", "maxent", "--smallest", "1",
                     "--range", "min-count=1:3:int"]
        few = self.search(*arguments, "--candidates", "9999")
        self.assertEqual(len(few["candidates"]), 3)
        for budget in ("2000", "1e18"):
            self.assertEqual(self.search(*arguments, "--budget", budget), few)

    def test_a_state_knows_what_is_in_the_files_of_options(self):
        data = self.file("train.conll", sentences(30))
        words = self.file("words.txt", "Rome\tCITY\n")
        kit = self.file("kit.toml",
                        '[[gazetteer]]\nname = "g"\ncolumn = 0\nfile = "words.txt"\n')
        template = self.file("template", "U:%x[0,0]\nB\n")
        other = self.file("other", "U:%x[0,0]\n")
        state = self.folder / "state.json"
        arguments = ["search", data, "--kit", kit, "--values", f"template={template},{other}",
                     "--quiet", "--state", state]
        self.run_ok(*arguments)
        self.run_ok(*arguments, "--resume")
        for path, text in [(words, "cat\tPET\n"), (kit, kit.read_text() + "# more\n"),
                           (other, "U:%x[0,0]\nB\n")]:
            before = path.read_text()
            path.write_text(text)
            self.fails(BAD_INPUT, *arguments, "--resume",
                       mentions=["state of a search of other data"])
            path.write_text(before)
        self.run_ok(*arguments, "--resume")

    def test_nothing_is_chosen_among_infinite_log_losses(self):
        data = self.file("train.tsv", texts(0.0, 60) + "once\tw1 x1\n")
        out = self.folder / "m.croft"
        arguments = ["search", data, "--format", "text", "--model", "maxent", "--quiet", "--values",
                     "l2=1,2", "--smallest", "1", "-o", out]
        self.assertIn("croft train", self.run_ok(*arguments))
        out.unlink()
        for json_too in ([], ["--json"]):
            done = croft(*arguments, "--metric", "log-loss", *json_too)
            self.assertEqual(done.returncode, BAD_INPUT)
            self.assertNotIn(b"croft train", done.stdout)
            self.assertFalse(out.exists())
            for text in ("train.tsv:61: ", '"once"', "--metric", "--folds"):
                self.assertIn(text, done.stderr.decode())
        document = json.loads(done.stdout)
        self.assertNotIn("command", document)
        self.assertFalse(document["complete"])
        self.assertIn("infinite", document["failure"])

    def test_bad_data_is_named_by_the_users_file_and_line(self):
        rows = sentences(40).split("\n")
        rows[70] = rows[70].split(" ")[0] or "lonely"
        good = self.file("good.conll", sentences(10))
        bad = self.file("bad.conll", "\n" + "\n".join(rows))
        self.assertEqual(len(bad.read_text().split("\n")[71].split()), 1)
        for data in ([bad], [good, bad]):
            self.fails(BAD_INPUT, "search", *data, "--quiet", "--values", "l2=1,2",
                       mentions=["bad.conll:72"])
        table = self.file("t.csv", "a,label\n1,x\n" + "\n2,y\n1,x" * 20 + "\n1,2,x\n")
        self.fails(BAD_INPUT, "search", table, "--format", "csv", "--model", "maxent", "--quiet",
                   "--values", "l2=1,2", mentions=["t.csv:44"])

    def test_standard_input_is_data_and_is_named_once(self):
        data = self.file("train.conll", sentences(20))
        kit = self.file("kit.toml", '[[forms]]\nname = "f"\n')
        for arguments in (["-", "--kit", "-"], [data, "--kit", "-"], [data, "--template", "-"],
                          [data, "--values", f"template=-,{kit}"], ["-", "-"]):
            with self.subTest(arguments=arguments):
                self.fails(WRONG_USAGE, "search", *arguments, "--values", "l2=1,2", "--quiet",
                           stdin=data.read_bytes(), mentions=["standard input"])
        for arguments in (["-", "--kit", "-"], [data, "--kit", "-"]):
            self.fails(WRONG_USAGE, "train", "-o", self.folder / "m.croft", "--quiet", *arguments,
                       stdin=data.read_bytes(), mentions=["--kit -"])
        arguments = ["--values", "l2=1,2", "--quiet"]
        self.assertEqual(
            self.run_ok("search", "-", *arguments, stdin=data.read_bytes()),
            self.run_ok("search", data, *arguments).replace(f" {data}\n", " -\n"))

    def test_no_two_files_are_written_over_each_other(self):
        data = self.file("train.conll", sentences(20))
        template = self.file("template", "U:%x[0,0]\n")
        x = self.folder / "x"
        y = f"{self.folder}/./x"
        for arguments in (["-o", x, "--plot", y], ["--state", x, "--plot", y],
                          ["-o", x, "--state", y]):
            self.fails(WRONG_USAGE, "search", data, "--quiet", "--values", "l2=1,2", *arguments,
                       mentions=["both write"])
            self.assertFalse(x.exists())
        self.fails(WRONG_USAGE, "search", data, "--quiet", "--values", "l2=1,2", "--template",
                   template, "--plot", template, mentions=["--plot", "would replace the input", template])
        self.fails(WRONG_USAGE, "search", data, "--quiet", "--values", "l2=1,2", "--state", data,
                   mentions=["would replace the input"])

    def test_the_plot_has_numbers_as_one_writes_them(self):
        data = self.file("train.tsv", texts(0.2, 60))
        plot = self.folder / "s.svg"
        self.search(data, "--format", "text", "--model", "maxent", "--candidates", "4", "--range",
                    "max-iterations=1000:1006:int", "--range", "l2=0:2000", "--plot", plot)
        svg = plot.read_text()
        self.assertNotIn("e+02 %", svg)
        self.assertIn(">100 %<", svg)
        for tick in ("1000", "1002", "1003", "1005", "1006", "500", "2000"):
            self.assertIn(f">{tick}<", svg)


if __name__ == "__main__":
    unittest.main()
