"""What each verb does with good input: every format, every output, every way to hand data over."""

import functools
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import unittest

from support import CROFT, DONE, INGREDIENTS, WRONG_USAGE, CliTest, croft, main, sequences_of

TRAIN, TEST, NEW = (INGREDIENTS / name for name in ("train.txt", "test.txt", "new.txt"))
LABELS = {"QTY", "UNIT", "NAME", "PREP", "COMMENT", "OTHER"}
SHARED = None  # the folder of models that several tests use


def setUpModule():
    global SHARED
    SHARED = pathlib.Path(tempfile.mkdtemp(prefix="croft-cli-"))
    unittest.addModuleCleanup(shutil.rmtree, SHARED)


@functools.cache
def ingredients_model():
    model = SHARED / "ingredients.croft"
    done = croft("train", "--quiet", "-o", model, TRAIN)
    assert done.returncode == DONE, done.stderr
    return model


def with_chunk_labels(text):
    """Columns with BIO labels: each run of a label is a chunk, OTHER is outside."""
    lines, last = [], None
    for line in text.split("\n"):
        word, _, label = line.partition(" ")
        if label and label != "OTHER":
            line = f"{word} {'I' if label == last else 'B'}-{label}"
        elif label:
            line = f"{word} O"
        last = label
        lines.append(line)
    return "\n".join(lines)


def chunks_of(labels):
    """(begin, end, type) of BIO labels; an I that continues nothing starts a chunk."""
    chunks, begin = set(), None
    for t, label in enumerate([*labels, "O"]):
        kind = label[2:]
        goes_on = label[0] == "I" and begin is not None and kind == labels[begin][2:]
        if begin is not None and not goes_on:
            chunks.add((begin, t, labels[begin][2:]))
            begin = None
        if label != "O" and begin is None:
            begin = t
    return chunks


class HelpTest(CliTest):
    def test_help_lists_the_verbs_and_shows_an_example(self):
        text = self.run_ok("--help")
        for verb in ("train", "predict", "evaluate", "inspect", "explain"):
            self.assertRegex(text, rf"(?m)^  {verb} ")
        self.assertIn("Example:", text)
        self.assertIn("Exit status", text)

    def test_help_of_each_verb_shows_its_options_and_an_example(self):
        options = {
            "train": "-o --format --template --template-language --boundaries --features "
                     "--min-count --l1 --l2 --max-iterations --tolerance --holdout --early-stop "
                     "--init --log",
            "predict": "-m -o --to --marginals --probability",
            "evaluate": "-m --json --chunks",
            "inspect": "-m --json --top --weights --verify",
            "explain": "-m --against --positions --top --unknown --json --format",
            "convert": "-o --to",
            "stack": "-m --jackknife --template",
        }
        for verb, names in options.items():
            with self.subTest(verb=verb):
                text = self.run_ok(verb, "--help=all")
                self.assertIn(f"Usage: croft {verb}", text)
                self.assertRegex(text, rf"Example:\n  croft {verb} ")
                for name in [*names.split(), "--threads", "--seed"]:
                    self.assertRegex(text, rf"(?m)^ +{name}\b")

    def test_a_model_stands_behind_m_in_every_verb(self):
        model = ingredients_model()
        for verb in ("predict", "inspect", "card", "errors", "explain", "stack", "calibrate", "suggest", "compare",
                     "serve"):
            text = self.run_ok(verb, "--help")
            self.assertRegex(text, r"(?m)^  -m,--model FILE", verb)
            self.assertIn("REQUIRED", text, verb)
        for verb in ("inspect", "card", "serve"):
            self.fails(WRONG_USAGE, verb, model, mentions=["the model is named with -m"])

    def test_o_is_the_file_that_is_written_in_every_verb(self):
        for verb in ("train", "predict", "convert", "calibrate", "card", "cluster", "search", "logic", "bugs"):
            self.assertRegex(self.run_ok(verb, "--help"), r"(?m)^  -o,--output ", verb)
        # `--output json` is the form, as `--to json` is.
        for verb, form, *data in (("predict", "json", "-m", ingredients_model(), TEST),
                                  ("infer", "uai", INGREDIENTS.parent / "graphs/sprinkler.bif")):
            self.assertEqual(self.run_ok(verb, "--output", form, *data), self.run_ok(verb, "--to", form, *data))
        model, written = ingredients_model(), self.folder / "answer.json"
        self.run_ok("predict", "-m", model, "--output", "json", "-o", written, TEST)
        self.assertEqual(written.read_text(), self.run_ok("predict", "-m", model, "--to", "json", TEST))
        self.fails(WRONG_USAGE, "predict", "-m", model, "-o", written, "-o", self.folder / "other", TEST,
                   mentions=["--output is given twice"])

    def test_every_verb_has_quiet(self):
        for verb in re.findall(r"(?m)^  ([a-z][a-z-]+) {2,}[A-Z]", self.run_ok("--help")):
            self.assertIn("--quiet", self.run_ok(verb, "--help"), verb)

    def test_help_of_train_is_short_and_all_of_it_is_there_on_request(self):
        short, whole = self.run_ok("train", "--help"), self.run_ok("train", "--help=all")
        self.assertLess(short.count("\n"), 70)
        self.assertLess(max(map(len, short.split("\n"))), 121)
        self.assertIn("--help=all", short)
        self.assertGreater(whole.count("\n"), 300)
        self.assertNotIn("--induce-batch", short)
        self.assertIn("--induce-batch", whole)
        hmm = self.run_ok("train", "--model", "hmm", "--help")
        self.assertIn("--smoothing", hmm)
        self.assertNotIn("--l2", hmm)
        self.assertIn("--term-weights", self.run_ok("train", "--format", "text", "--help"))
        self.assertEqual(self.run_ok("predict", "--help=all"), self.run_ok("predict", "--help"))

    def test_verbs_that_are_not_built_yet_are_unknown(self):
        text = self.run_ok("--help")
        for verb in ("teach",):
            self.assertNotRegex(text, rf"(?m)^  {verb} ")
            self.fails(WRONG_USAGE, verb)

    def test_version_is_a_number(self):
        self.assertRegex(self.run_ok("--version"), r"^\d+\.\d+\.\d+\n$")


class PredictOutputTest(CliTest):
    def predict(self, *arguments, **options):
        return self.run_ok("predict", "-m", ingredients_model(), *arguments, **options)

    def test_columns_are_the_rows_as_read_and_the_label(self):
        rows = [row for s in sequences_of(NEW.read_text("utf-8")) for row in s]
        labelled = [row for s in sequences_of(self.predict(NEW)) for row in s]
        self.assertEqual(len(labelled), len(rows))
        for row, output in zip(rows, labelled):
            self.assertTrue(output.startswith(row + " "))
            self.assertIn(output[len(row) + 1:], LABELS)

    def test_columns_keep_tabs_as_separators(self):
        path = self.file("tabs.txt", "2\tQTY\ncups\tUNIT\n")
        self.assertEqual(self.predict(path), "2\tQTY\tQTY\ncups\tUNIT\tUNIT\n\n")

    def test_rows_with_and_without_the_label_column_get_the_same_labels(self):
        text = TEST.read_text("utf-8")
        words = self.file("words.txt", re.sub(r"(?m) \S+$", "", text))
        wrong = self.file("wrong.txt", re.sub(r"(?m) \S+$", " QTY", text))
        expected = self.predict("--to", "labels", TEST)
        self.assertEqual(self.predict("--to", "labels", words), expected)
        self.assertEqual(self.predict("--to", "labels", wrong), expected)

    def test_labels_are_the_last_column_alone(self):
        columns = re.sub(r"(?m)^.* ", "", self.predict(TEST))
        self.assertEqual(self.predict("--to", "labels", TEST), columns)

    def test_json_is_one_object_a_sequence_with_what_was_asked_for(self):
        labels = sequences_of(self.predict("--to", "labels", TEST))
        documents = [json.loads(x) for x in self.predict("--to", "json", TEST).splitlines()]
        self.assertEqual([set(d) for d in documents], [{"labels"}] * len(labels))
        self.assertEqual([d["labels"] for d in documents], labels)
        text = self.predict("--to", "json", "--probability", "--marginals", TEST)
        for document in map(json.loads, text.splitlines()):
            self.assertEqual(set(document), {"labels", "probability", "marginals"})
            self.assertEqual(len(document["marginals"]), len(document["labels"]))
            # A labelling is at most as likely as the least likely of its labels.
            self.assertGreater(document["probability"], 0)
            self.assertLessEqual(document["probability"], min(document["marginals"]) + 1e-9)

    def test_marginals_of_all_labels_sum_to_1(self):
        text = self.predict("--to", "json", "--marginals=all", TEST)
        of_predicted = self.predict("--to", "json", "--marginals", TEST)
        for all_labels, predicted in zip(map(json.loads, text.splitlines()),
                                         map(json.loads, of_predicted.splitlines())):
            for t, row in enumerate(all_labels["marginals"]):
                self.assertEqual(set(row), LABELS)
                self.assertAlmostEqual(sum(row.values()), 1, delta=1e-6)
                self.assertGreaterEqual(min(row.values()), 0)
                self.assertAlmostEqual(row[all_labels["labels"][t]], predicted["marginals"][t],
                                       delta=1e-12)

    def test_marginals_in_columns_are_those_of_json(self):
        columns = sequences_of(self.predict("--marginals", TEST))
        every = sequences_of(self.predict("--marginals=all", "--to", "labels", TEST))
        text = self.predict("--to", "json", "--marginals=all", TEST)
        for rows, label_rows, document in zip(columns, every, map(json.loads, text.splitlines())):
            for row, label_row, marginals in zip(rows, label_rows, document["marginals"]):
                label, probability = row.split(" ")[-2:]
                self.assertAlmostEqual(float(probability), marginals[label], delta=6e-7)
                shown = dict(cell.rsplit(":", 1) for cell in label_row.split("\t")[1:])
                self.assertEqual(set(shown), LABELS)
                for name, value in shown.items():
                    self.assertAlmostEqual(float(value), marginals[name], delta=6e-7)

    def test_the_probability_stands_before_each_sequence(self):
        lines = self.predict("--probability", NEW)
        documents = self.predict("--probability", "--to", "json", NEW).splitlines()
        found = re.findall(r"(?m)^# probability (\S+)$", lines)
        self.assertEqual(len(found), len(documents))
        for number, document in zip(found, map(json.loads, documents)):
            self.assertAlmostEqual(float(number), document["probability"], delta=1e-5)
        self.assertEqual(re.sub(r"(?m)^# probability .*\n", "", lines), self.predict(NEW))

    def test_an_option_with_an_optional_value_never_swallows_the_file_name(self):
        expected = self.predict(NEW, "--marginals")
        self.assertEqual(self.predict("--marginals", NEW), expected)
        named_all = self.file("all", NEW.read_bytes())
        done = subprocess.run([CROFT, "predict", "-m", ingredients_model(), "--marginals", "all"],
                              cwd=named_all.parent, capture_output=True, check=False)
        self.assertEqual(done.stdout.decode("utf-8"), expected)

    def test_the_number_of_threads_does_not_change_the_output(self):
        big = self.file("big.txt", (TEST.read_bytes() + b"\n") * 30)
        options = ("--marginals", "--probability", big)
        expected = self.predict(*options)
        for threads in (2, 3, 7):
            self.assertEqual(self.predict("--threads", threads, *options), expected)


class InputTest(CliTest):
    def predict(self, *arguments, **options):
        return self.run_ok("predict", "-m", ingredients_model(), *arguments, **options)

    def test_several_files_are_read_one_after_the_other(self):
        self.assertEqual(self.predict(NEW, TEST), self.predict(NEW) + self.predict(TEST))
        text = TRAIN.read_text("utf-8")
        cut = text.index("\n\n", len(text) // 2) + 2
        parts = self.file("a.txt", text[:cut]), self.file("b.txt", text[cut:])
        short = ("--max-iterations", 5)
        self.assertEqual(self.train("parts.croft", *short, *parts).read_bytes(),
                         self.train("whole.croft", *short, TRAIN).read_bytes())

    def test_standard_input_is_a_hyphen_or_no_file_at_all(self):
        expected = self.predict(NEW)
        self.assertEqual(self.predict("-", stdin=NEW.read_bytes()), expected)
        self.assertEqual(self.predict(stdin=NEW.read_bytes()), expected)
        evaluation = self.run_ok("evaluate", "-m", ingredients_model(), TEST)
        self.assertEqual(self.run_ok("evaluate", "-m", ingredients_model(),
                                     stdin=TEST.read_bytes()), evaluation)
        short = ("--max-iterations", 5)
        self.assertEqual(self.train("a.croft", *short, "-", stdin=TRAIN.read_bytes()).read_bytes(),
                         self.train("b.croft", *short, TRAIN).read_bytes())

    def test_line_ends_and_blank_lines_do_not_matter(self):
        text = TRAIN.read_text("utf-8").strip("\n")
        variants = {
            "carriage returns": text.replace("\n", "\r\n") + "\r\n",
            "no final newline": text,
            "byte order mark": "\ufeff" + text + "\n",
            "many blank lines": "\n\n" + text.replace("\n\n", "\n \t\n\n") + "\n\n\n",
        }
        short = ("--max-iterations", 5)
        expected = self.train("lf.croft", *short, TRAIN).read_bytes()
        for name, variant in variants.items():
            with self.subTest(name):
                path = self.file("variant.txt", variant)
                self.assertEqual(self.train("m.croft", *short, path).read_bytes(), expected)
        words = NEW.read_bytes().strip(b"\n")
        labels = self.predict("--to", "labels", NEW)
        for variant in (words, words.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + words):
            path = self.file("new.txt", variant)
            self.assertEqual(self.predict("--to", "labels", path), labels)

    def test_labels_and_features_may_be_any_utf8(self):
        data = "naïve ÉTAT\n東京 地名\n½ ЧИСЛО\n\n東京 地名\nнет ЧИСЛО\n"
        path = self.file("données.txt", data)
        model = self.train("modèle.croft", path)
        labelled = self.run_ok("predict", "-m", model, path)
        self.assertEqual(labelled, re.sub(r"(?m)( \S+)$", r"\1\1", data) + "\n")
        text = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", path)
        for document in map(json.loads, text.splitlines()):
            for row in document["marginals"]:
                self.assertEqual(set(row), {"ÉTAT", "地名", "ЧИСЛО"})
        score = json.loads(self.run_ok("evaluate", "--json", "-m", model, path))
        self.assertEqual(set(score["labels"]), {"ÉTAT", "地名", "ЧИСЛО"})

    def test_a_line_of_a_million_bytes_and_a_sequence_of_50000_rows_are_ordinary(self):
        word = "x" * 1_000_000
        path = self.file("long.txt", f"{word} A\nb B\n\n" + "b B\n" * 50_000)
        model = self.train("m.croft", "--max-iterations", 3, path)
        rows = sequences_of(self.run_ok("predict", "-m", model, path))
        self.assertEqual([len(s) for s in rows], [2, 50_000])
        self.assertTrue(rows[0][0].startswith(word + " A "))


class AttributesTest(CliTest):
    DATA = ("X\tword=a\tlength:0.5\tslope:-2\nY\tword=b\tlength:1.5\n\n"
            "Y\tword=b\tslope:2e-1\nX\tword=a\ttime\\:zone:3\n")

    def model(self, data=DATA, *options):
        path = self.file("train.attributes", data)
        return self.train("m.croft", "--format", "attributes", *options, path)

    def test_labels_come_alone_or_behind_the_reference(self):
        data = self.file("new.attributes", self.DATA)
        model = self.model()
        self.assertEqual(self.run_ok("predict", "-m", model, data), "X\nY\n\nY\nX\n\n")
        self.assertEqual(self.run_ok("predict", "-m", model, "--to", "columns", data),
                         "X\tX\nY\tY\n\nY\tY\nX\tX\n\n")
        unlabelled = self.file("unlabelled.attributes", re.sub(r"(?m)^[XY]", "", self.DATA))
        self.assertEqual(self.run_ok("predict", "-m", model, unlabelled), "X\nY\n\nY\nX\n\n")

    def test_evaluate_reads_attributes_too(self):
        data = self.file("test.attributes", self.DATA)
        score = json.loads(self.run_ok("evaluate", "--json", "-m", self.model(), data))
        self.assertEqual(score["tokens"], {"count": 4, "correct": 4, "accuracy": 1})

    def test_values_decide_not_only_names(self):
        # One attribute, whose sign tells the label.
        data = "".join(f"{'P' if v > 0 else 'N'}\tv:{v}\n\n" for v in (1.5, -0.5, 2, -1, 0.25, -3))
        model = self.model(data, "--l2", 0.01)
        text = self.run_ok("predict", "-m", model, stdin=b"\tv:0.5\n\n\tv:-0.5\n")
        self.assertEqual(text, "P\n\nN\n\n")

    def test_a_weight_of_2_is_the_sequence_twice(self):
        first, second = self.DATA.split("\n\n")
        once = self.model(f"@weight:2\n{first}\n\n{second}")
        a = self.run_ok("predict", "-m", once, "--marginals", stdin=self.DATA.encode())
        twice = self.model(f"{first}\n\n{first}\n\n{second}")
        b = self.run_ok("predict", "-m", twice, "--marginals", stdin=self.DATA.encode())
        plain = self.model(self.DATA)
        c = self.run_ok("predict", "-m", plain, "--marginals", stdin=self.DATA.encode())
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)


class TemplateTest(CliTest):
    CRFPP = "U0:%x[-1,0]\nU1:%x[0,0]\nU2:%x[0,0]/%x[1,0]\nB\nB1:%x[0,0]\n"
    WAPITI = "u:U0:%x[-1,0]\nu:U1:%x[0,0]\nu:U2:%x[0,0]/%x[1,0]\nb\nb:B1:%x[0,0]\n"

    def test_both_languages_make_the_same_model_of_the_same_features(self):
        done = [croft("train", "-o", self.folder / name, "--template", self.file("t", text),
                      "--max-iterations", 20, TRAIN)
                for name, text in (("c.croft", self.CRFPP), ("w.croft", self.WAPITI))]
        weights = [re.search(rb"objective \S+, \d+ weights", d.stderr).group() for d in done]
        self.assertEqual(*weights)
        labels = [self.run_ok("predict", "-m", self.folder / name, "--marginals", TEST)
                  for name in ("c.croft", "w.croft")]
        self.assertEqual(*labels)

    def test_the_language_can_be_named(self):
        # A CRF++ comment starts a line; behind a template it is text, in Wapiti's language it is not.
        template = self.file("t", "U0:%x[0,0] #note\nB\n")
        models = [self.run_ok("inspect", "--weights", "-m", self.train(
            f"{language}.croft", "--template", template, "--template-language", language, "--max-iterations", 2, TRAIN))
                  for language in ("auto", "crfpp", "wapiti")]
        self.assertEqual(models[0], models[1])
        self.assertNotEqual(models[1], models[2])

    def test_the_model_carries_its_template(self):
        template = self.file("t", self.CRFPP)
        model = self.train("m.croft", "--template", template, "--max-iterations", 5, TRAIN)
        expected = self.run_ok("predict", "-m", model, NEW)
        template.unlink()
        self.assertEqual(self.run_ok("predict", "-m", model, NEW), expected)


class EvaluateTest(CliTest):
    def score(self, *arguments, **options):
        return json.loads(self.run_ok("evaluate", "--json", *arguments, **options))

    def bio_model_and_data(self):
        data = self.file("test.bio", with_chunk_labels(TEST.read_text("utf-8")))
        train = self.file("train.bio", with_chunk_labels(TRAIN.read_text("utf-8")))
        return self.train("bio.croft", "--max-iterations", 30, train), data

    def test_a_predicted_file_scores_like_the_model(self):
        model, data = self.bio_model_and_data()
        predicted = self.file("predicted.txt", self.run_ok("predict", "-m", model, data))
        of_model, of_file = self.score("-m", model, data), self.score(predicted)
        for field in ("tokens", "sequences", "chunk", "labels", "macro", "micro"):
            self.assertEqual(of_model[field], of_file[field], field)
        self.assertGreater(of_model["log_loss"], 0)
        self.assertIsNone(of_file["log_loss"])

    def test_the_counts_are_those_of_the_predicted_labels(self):
        model, data = self.bio_model_and_data()
        rows = [[row.split(" ")[-2:] for row in s]
                for s in sequences_of(self.run_ok("predict", "-m", model, data))]
        pairs = [pair for s in rows for pair in s]
        score = self.score("-m", model, data)
        correct = sum(g == p for g, p in pairs)
        self.assertEqual(score["tokens"], {"count": len(pairs), "correct": correct,
                                           "accuracy": correct / len(pairs)})
        for label in {g for g, _ in pairs} | {p for _, p in pairs}:
            both = sum(g == p == label for g, p in pairs)
            gold = sum(g == label for g, _ in pairs)
            predicted = sum(p == label for _, p in pairs)
            found = score["labels"][label]
            self.assertEqual((found["correct"], found["predicted"], found["support"]),
                             (both, predicted, gold))
            self.assertAlmostEqual(found["precision"], both / max(1, predicted))
            self.assertAlmostEqual(found["recall"], both / max(1, gold))
            self.assertAlmostEqual(found["f1"], 2 * both / (gold + predicted))
        gold = [chunks_of([g for g, _ in s]) for s in rows]
        predicted = [chunks_of([p for _, p in s]) for s in rows]
        chunk = score["chunk"]
        self.assertEqual((chunk["correct"], chunk["predicted"], chunk["support"]),
                         (sum(len(g & p) for g, p in zip(gold, predicted)),
                          sum(map(len, predicted)), sum(map(len, gold))))
        self.assertAlmostEqual(chunk["f1"],
                               2 * chunk["correct"] / (chunk["predicted"] + chunk["support"]))

    def test_chunks_are_counted_only_where_labels_are_chunk_labels(self):
        self.assertNotIn("chunk", self.score("-m", ingredients_model(), TEST))
        _, data = self.bio_model_and_data()
        gold_twice = self.file("gold.txt", re.sub(r"(?m)( \S+)$", r"\1\1", data.read_text("utf-8")))
        score = self.score(gold_twice)
        self.assertEqual((score["chunk"]["scheme"], score["chunk"]["f1"]), ("bio", 1))
        self.assertNotIn("chunk", self.score("--chunks", "none", gold_twice))
        raw = self.score("--chunks", "raw", gold_twice)["chunk"]
        outside = score["labels"]["O"]["support"]
        self.assertEqual(raw["support"], score["tokens"]["count"] - outside)

    def test_the_table_shows_the_same_figures_as_percentages(self):
        score = self.score("-m", ingredients_model(), TEST)
        table = self.run_ok("evaluate", "-m", ingredients_model(), TEST)
        self.assertRegex(table, rf"tokens +850 +accuracy +{100 * score['tokens']['accuracy']:.2f} %")
        for label in LABELS:
            self.assertRegex(table, rf"(?m)^{label} +{100 * score['labels'][label]['precision']:.2f}")

    def test_threads_do_not_change_the_score(self):
        expected = self.score("-m", ingredients_model(), TEST)
        for threads in (2, 7):
            self.assertEqual(self.score("--threads", threads, "-m", ingredients_model(), TEST),
                             expected)


class StreamTest(CliTest):
    def test_an_answer_comes_before_the_input_ends(self):
        for options in ((), ("--threads", "2"), ("--to", "json", "--marginals")):
            with self.subTest(options=options):
                self.answer_while_open(options)

    def answer_while_open(self, options):
        process = subprocess.Popen([CROFT, "predict", "-m", ingredients_model(), *options, "-"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            for _ in range(3):
                process.stdin.write("2 QTY\ncups UNIT\n\n".encode())
                process.stdin.flush()
                ready, _, _ = select.select([process.stdout], [], [], 20)
                self.assertTrue(ready, "no answer while the input is open")
                self.assertIn(b"UNIT", process.stdout.read1(65536))
            process.stdin.close()
            self.assertEqual(process.wait(20), DONE)
            self.assertEqual(process.stdout.read(), b"")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def test_all_that_is_whole_is_answered_although_a_part_of_the_next_one_is_there(self):
        whole, part = "2 QTY\ncups UNIT\n\n" * 3000, "half"  # more than a pipe holds, and than a block
        process = subprocess.Popen([CROFT, "predict", "-m", ingredients_model(), "-"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            process.stdin.write((whole + part).encode())
            process.stdin.flush()
            answers = 0
            while answers < 3000 and select.select([process.stdout], [], [], 20)[0]:
                answers += process.stdout.read1(65536).count(b"cups")
            self.assertEqual(answers, 3000)
        finally:
            process.stdin.close()
            process.kill()
            process.wait()
            process.stdout.close()

    def test_where_the_reader_leaves_early_it_ends_by_sigpipe_without_a_word(self):
        model = ingredients_model()
        big = self.file("big.txt", (TEST.read_bytes() + b"\n") * 60)
        verbs = (["predict", "-m", model, big], ["predict", "-m", model, "--threads", "2", big],
                 ["inspect", "-m", model, "--weights"], ["explain", "-m", model, big],
                 ["stack", "-m", model, big])
        before = sorted(self.folder.iterdir())
        for verb in verbs:
            with self.subTest(verb=verb[0]):
                process = subprocess.Popen([CROFT, *map(str, verb)], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE)
                self.assertTrue(process.stdout.readline())
                process.stdout.close()
                self.assertEqual(process.stderr.read(), b"")
                self.assertEqual(process.wait(30), -signal.SIGPIPE)
                process.stderr.close()
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_head_is_served_by_a_shell_script_that_stops_at_errors(self):
        model = ingredients_model()
        done = subprocess.run(["sh", "-ec", '"$0" "$@" | head -n 1', CROFT, "inspect", "-m",
                               str(model), "--weights"], capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (DONE, b""))
        self.assertEqual(done.stdout.count(b"\n"), 1)

    def test_what_it_writes_to_a_file_is_whole_when_nobody_reads_the_results(self):
        def run(name, stdout):
            picture = self.folder / name
            process = subprocess.Popen([CROFT, "evaluate", "-m", str(ingredients_model()),
                                        "--reliability", str(picture), str(TEST)], stdout=stdout,
                                       stderr=subprocess.PIPE)
            self.assertEqual(process.communicate()[1], b"")
            return process.returncode, picture.read_bytes()

        status, whole = run("whole.svg", subprocess.DEVNULL)
        self.assertEqual(status, DONE)
        read, write = os.pipe()
        os.close(read)
        status, alone = run("alone.svg", write)
        os.close(write)
        self.assertEqual(status, -signal.SIGPIPE)
        self.assertEqual(alone, whole)
        self.assertEqual(len(list(self.folder.iterdir())), 2)


class SimdTest(CliTest):
    def test_a_wrong_target_is_wrong_usage_and_lists_the_valid_ones(self):
        message = self.fails(WRONG_USAGE, "predict", "-m", ingredients_model(), NEW,
                             env={"CROFT_SIMD": "ABACUS"}, mentions=["CROFT_SIMD", '"ABACUS"'])
        targets = message.split("choose one of ")[1].strip().split(", ")
        self.assertTrue(targets)
        expected = self.run_ok("predict", "-m", ingredients_model(), TEST)
        for target in targets:
            with self.subTest(target=target):
                env = {"CROFT_SIMD": target}
                self.assertEqual(
                    self.run_ok("predict", "-m", ingredients_model(), TEST, env=env), expected)
                self.train("m.croft", "--max-iterations", 3, TRAIN, env=env)


if __name__ == "__main__":
    main()
