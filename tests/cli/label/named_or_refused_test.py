"""Data that is read is used; what cannot be used is named, or refused with a remedy."""

import gzip
import json
import select
import subprocess

from support import BAD_INPUT, CROFT, DONE, WRONG_USAGE, CliTest, croft, main

NAMES = "Ana PER\nvive O\nen O\nVigo LOC\n\nLeo PER\nlee O\n\n"


def jsonl(*objects):
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def conllu(*rows):
    """Rows of an ID, a form and a part of speech."""
    return "".join("\t".join([number, form, "_", upos] + ["_"] * 6) + "\n" for number, form, upos in rows) + "\n"


class LabelsOfOtherPrograms(CliTest):
    def refuses(self, source, said, *objects, verbs=("spans", "columns", "text")):
        data = self.file("data.jsonl", jsonl(*objects))
        for to in verbs:
            self.fails(BAD_INPUT, "convert", "--from", source, "--to", to, data, mentions=["data.jsonl:1", *said])
        if source != "huggingface":
            self.refuses_to_train(BAD_INPUT, "--format", source, data, mentions=["data.jsonl:1"])

    def test_several_choices_of_prodigy_are_refused(self):
        self.refuses("prodigy", ['2 choices in "accept"', "leave one of them"],
                     {"text": "a b", "accept": ["X", "Y"], "answer": "accept"})

    def test_no_choice_of_prodigy_is_a_text_without_labels(self):
        data = self.file("data.jsonl", jsonl({"text": "a b", "accept": [], "answer": "accept"}))
        self.assertNotIn("spans", json.loads(self.run_ok("convert", "--from", "prodigy", "--to", "spans", data)))
        self.assertEqual(self.run_ok("convert", "--from", "prodigy", "--to", "columns", data), "a\nb\n\n")
        self.refuses_to_train(BAD_INPUT, "--format", "prodigy", data, mentions=["a text without its spans"])

    def test_choices_beside_spans_are_somebody_elses(self):
        data = self.file("data.jsonl", jsonl({"text": "a b", "accept": ["X", "Y"], "answer": "accept",
                                              "spans": [{"start": 0, "end": 1, "label": "L"}]}))
        found = json.loads(self.run_ok("convert", "--from", "prodigy", "--to", "spans", data))
        self.assertEqual((found["spans"], found["accept"]), ([[0, 1, "L"]], ["X", "Y"]))

    def test_answers_and_choices_that_prodigy_does_not_give_are_refused(self):
        self.refuses("prodigy", ['"answer" that Prodigy does not give'], {"text": "a b", "spans": [], "answer": "yes"})
        self.refuses("prodigy", ['"accept" that is no list'], {"text": "a b", "accept": "X", "answer": "accept"})

    def test_lines_that_are_left_out_are_counted(self):
        spans = {"text": "Ana", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}
        data = self.file("data.jsonl", jsonl(spans, {**spans, "answer": "reject"}, {**spans, "answer": "ignore"}))
        for verb in (["convert", "--from", "prodigy", "--to", "spans", data],
                     ["train", "-o", self.folder / "m.croft", "--format", "prodigy", data]):
            said = croft(*verb).stderr.decode("utf-8")
            self.assertIn('2 lines with another "answer" than "accept" were left out', said)

    def test_annotations_of_brat_that_are_no_spans_are_counted(self):
        folder = self.folder / "br"
        folder.mkdir()
        (folder / "a.txt").write_text("Ana saw Leo.\n", "utf-8")
        notes = folder / "a.ann"
        notes.write_text("T1\tPER 0 3\tAna\nT2\tPER 8 11\tLeo\nR1\tSaw Arg1:T1 Arg2:T2\n", "utf-8")
        done = croft("convert", "--from", "brat", "--to", "spans", folder)
        self.assertIn(b"1 annotation that is no span", done.stderr)
        notes.write_text("T1\tPER 0 3\tAna\nT1\tPER 8 11\tLeo\n", "utf-8")
        self.fails(BAD_INPUT, "convert", "--from", "brat", "--to", "spans", folder,
                   mentions=["a.ann:2", "number was there before"])
        notes.rename(folder / "b.ann")
        self.fails(BAD_INPUT, "convert", "--from", "brat", "--to", "spans", folder,
                   mentions=["b.ann", "annotations without their text"])

    def test_labels_of_texts_are_no_spans(self):
        for source, label in (("doccano", {"label": ["good"]}), ("prodigy", {"accept": ["good"], "answer": "accept"})):
            data = self.file("data.jsonl", jsonl({"text": "a b", **label}))
            self.refuses_to_train(BAD_INPUT, "--format", source, data,
                                  mentions=["a label of the whole text", f"croft convert --from {source} --to text"])

    def test_a_table_names_its_column_of_labels_and_asks_about_its_header(self):
        def said(text):
            path = self.file("d.csv", text)
            return croft("train", "--format", "csv", "-o", self.folder / "m.croft", path).stderr.decode("utf-8")
        self.assertIn('the labels are the column "hours"', said("sex,age,hours\nm,3,1\nf,4,2\n"))
        self.assertIn('the labels are the column "Class"', said("Class,age,hours\nm,3,1\nf,4,2\n"))
        self.assertIn('a column of numbers is called "39": is the header missing?',
                      said("39,clerk,low\n22,chef,high\n"))
        self.assertNotIn("is the header missing", said("0,1,label\n22,3,high\n4,5,low\n"))
        rows = "".join(f"{k},{k % 7},{'ab'[k % 2]}\n" for k in range(30))
        self.assertIn('the column "z" has 30 numbers and also "NA"', said("y,z,label\n" + rows + "1,NA,a\n"))
        self.assertIn("60 labels at 60 positions", said("x,label\n" + "".join(f"{k % 3},l{k}\n" for k in range(60))))
        path = self.file("d.csv", "label,a\nx,1\nNA,2\n")
        self.refuses_to_train(BAD_INPUT, "--format", "csv", "--missing", "NA", path,
                              mentions=["d.csv:3", "without its label"])

    def test_json_lines_are_no_columns(self):
        path = self.file("d.txt", '{"text":"great movie","label":"pos"}\n{"text":"bad movie","label":"neg"}\n')
        self.refuses_to_train(BAD_INPUT, path, mentions=["d.txt:1", "looks like JSON lines"])

    def test_forgotten_empty_lines_are_asked_about(self):
        path = self.file("d.txt", "a X\nb Y\n" * 600)
        said = croft("train", "--max-iterations", 1, "-o", self.folder / "m.croft", path).stderr.decode("utf-8")
        self.assertIn("1 sequence of 1200 positions: are empty lines missing?", said)
        self.assertIn("are empty lines missing?", self.run_ok("check", path))

    def test_what_stands_behind_packed_data_is_refused(self):
        path = self.file("d.gz", gzip.compress(b"a X\n\n") + bytes(20))
        self.run_ok("check", path)
        path.write_bytes(path.read_bytes() + b"b Y\n")
        self.fails(BAD_INPUT, "check", path, mentions=["something else stands behind"])
        self.fails(BAD_INPUT, "check", self.file("e.xz", b"\xfd7z"), mentions=["the file ends too early"])

    def test_annotations_of_older_doccano_are_refused(self):
        self.refuses("doccano", ['a list "annotations"', "export the data again"],
                     {"text": "Ana", "annotations": [{"label": 1, "start_offset": 0, "end_offset": 3, "user": 1}]})

    def test_data_of_another_program_is_refused_with_its_name(self):
        doccano = {"text": "Ana", "label": [[0, 3, "PER"]]}
        prodigy = {"text": "Ana", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}
        self.refuses("prodigy", ['a list "label"', "is read as doccano"], doccano)
        self.refuses("prodigy", ['a list "entities"', "is read as doccano"],
                     {"text": "Ana", "entities": [{"start_offset": 0, "end_offset": 3, "label": "PER"}]})
        self.refuses("doccano", ['a list "spans"', "is read as prodigy"], prodigy)
        self.refuses("doccano", ['a list "accept"', "is read as prodigy"], {"text": "Ana", "accept": ["PER"]})
        self.refuses("huggingface", ['a list "spans"'], {"tokens": ["Ana"], "spans": [[0, 1, "PER"]]})
        self.refuses("spans", ['a list "ner_tags"', "is read as huggingface"],
                     {"tokens": ["Ana"], "ner_tags": ["B-PER"]}, verbs=("columns", "spans"))

    def test_a_label_of_a_whole_text_is_not_dropped_from_columns(self):
        data = self.file("data.jsonl", jsonl({"text": "a b", "label": "X"}))
        for to in ("columns", "conllu"):
            self.fails(BAD_INPUT, "convert", "--from", "doccano", "--to", to, data,
                       mentions=["a label of the whole text", '"X"'])


class ConlluTest(CliTest):
    def refuses(self, said, *rows):
        data = self.file("data.conllu", conllu(*rows))
        self.fails(BAD_INPUT, "convert", "--from", "conllu", "--to", "columns", data, mentions=[said])
        self.refuses_to_train(BAD_INPUT, "--format", "conllu", data, mentions=[said])

    def test_ids_count_the_words_of_a_sentence(self):
        words = ("1", "dogs", "NOUN"), ("2", "bark", "VERB")
        self.refuses("an ID that is no number", ("ID", "FORM", "UPOS"), *words)
        self.refuses("data.conllu:3: the ID 1 where 3 comes next", *words, *words)
        self.refuses("data.conllu:1: the ID 2 where 1 comes next", words[1])
        self.refuses("data.conllu:1: a range of words up to 3 in a sentence of 1 word", ("1-3", "du", "_"), words[0])
        self.refuses("two ranges of words that overlap", ("1-2", "a", "_"), words[0], ("2-3", "b", "_"), words[1],
                     ("3", "c", "X"))
        self.refuses("a range of words that ends before it begins", ("1-0", "a", "_"), words[0])
        self.refuses("the ID 2.1 where 1 comes next", words[0], ("2.1", "x", "_"))
        whole = self.file("whole.conllu", conllu(("0.1", "x", "_"), ("1-2", "du", "_"), words[0], words[1],
                                                 ("2.1", "x", "_"), ("2.2", "y", "_")))
        self.assertEqual(self.run_ok("convert", "--from", "conllu", "--to", "columns", whole),
                         "dogs NOUN\nbark VERB\n\n")

    def test_words_without_a_part_of_speech_are_not_labelled(self):
        self.refuses_to_train(BAD_INPUT, "--format", "conllu",
                              self.file("none.conllu", conllu(("1", "dogs", "_"), ("2", "bark", "_"))),
                              mentions=["none.conllu: every word has _ as its upos"])
        self.refuses("data.conllu:2: a word without upos", ("1", "dogs", "NOUN"), ("2", "bark", "_"))
        data = self.file("train.conllu", conllu(("1", "dogs", "NOUN"), ("2", "bark", "VERB")))
        model = self.train("m.croft", "--format", "conllu", data)
        new = self.file("new.conllu", conllu(("1", "dogs", "_"), ("2", "bark", "_")))
        self.assertEqual(self.run_ok("predict", "-m", model, new), "dogs NOUN\nbark VERB\n\n")
        # One sentence has labels, one none, one some: all are labelled, and _ stays where nothing is known.
        some = self.file("some.conllu", "".join(conllu(*rows) for rows in (
            (("1", "dogs", "NOUN"), ("2", "bark", "VERB")), (("1", "dogs", "_"), ("2", "bark", "_")),
            (("1", "dogs", "NOUN"), ("2", "bark", "_")))))
        self.assertEqual(self.run_ok("predict", "-m", model, some),
                         "dogs NOUN NOUN\nbark VERB VERB\n\ndogs _ NOUN\nbark _ VERB\n\n"
                         "dogs NOUN NOUN\nbark _ VERB\n\n")
        first = self.file("first.conllu", new.read_text("utf-8") + some.read_text("utf-8"))
        self.assertEqual(self.run_ok("predict", "-m", model, first), "dogs NOUN\nbark VERB\n\n" * 4)

    def test_a_column_that_says_nothing_is_none_of_labels(self):
        data = self.file("data.conllu", conllu(("1", "dogs", "NOUN"), ("2", "bark", "VERB")))
        self.refuses_to_train(BAD_INPUT, "--format", "conllu", "--label-column", "xpos", data,
                              mentions=["every word has _ as its xpos", "--label-column names"])

    def test_the_column_of_labels_has_a_name_everywhere(self):
        def rows(*words):
            return "".join("\t".join([str(k + 1), form, "_", "X", xpos] + ["_"] * 5) + "\n"
                           for k, (form, xpos) in enumerate(words)) + "\n"
        data = self.file("data.conllu", rows(("dogs", "NNS"), ("bark", "VBP")))
        model = self.train("m.croft", "--format", "conllu", "--label-column", "xpos", data)
        self.assertEqual(self.run_ok("predict", "-m", model, data), "dogs NNS NNS\nbark VBP VBP\n\n")
        self.assertIn("100.00 %   2 correct", self.run_ok("evaluate", "-m", model, data))
        self.assertIn("0.00 %   0 correct", self.run_ok("evaluate", "-m", model, "--label-column", "upos", data))
        self.assertIn("2 labels: NNS 1, VBP 1", self.run_ok("check", "--format", "conllu", "--label-column", "xpos",
                                                            data))
        self.refuses_to_train(WRONG_USAGE, "--format", "conllu", "--label-column", "pos", data, mentions=["upos, xpos"])
        self.refuses_to_train(WRONG_USAGE, "--label-column", "xpos", data, mentions=["it is a number, from 1 on"])


class ColumnsTest(CliTest):
    def test_rows_of_columns_are_no_attributes(self):
        data = self.file("train.conll", "dogs NNS\nbark VBP\n\n")
        self.refuses_to_train(BAD_INPUT, "--format", "attributes", data,
                              mentions=["train.conll:1: no line has a TAB", '"dogs NNS"', "--format columns"])
        alone = self.file("alone.txt", "A\nB\n\nA\nB\n\n")
        done = croft("train", "--format", "attributes", "-o", self.folder / "m.croft", alone)
        self.assertEqual(done.returncode, DONE)
        self.assertIn(b"no item has an attribute: the model knows labels and their transitions alone", done.stderr)

    def test_cells_and_columns_of_a_table_have_attributes_of_their_own(self):
        for cells in ("1", "x"):
            data = self.file("t.csv", f"city,city=London,label\nLondon,{cells},A\nParis,{cells},B\n")
            self.refuses_to_train(BAD_INPUT, "--format", "csv", data, mentions=[
                't.csv:1: the column "city=London" and the cell "London" of the column "city"', "rename one"])
            self.train("m.croft", "--format", "csv", "--ignore", "city", data)
        numbers = self.file("n.csv", "city,city=London,label\n1,1,A\n2,3,B\n")
        self.train("m.croft", "--format", "csv", numbers)

    def test_a_tsv_has_tabs_between_its_cells(self):
        data = self.file("t.tsv", "city\tn\tlabel\nSt. Gallen, CH\t1\tA\nParis\t2\tB\n")
        model = self.train("m.croft", "--format", "csv", data)
        self.assertEqual(self.run_ok("predict", "-m", model, data), "A\nB\n")
        self.assertIn("2 sequences", self.run_ok("check", "--format", "csv", data))
        commas = self.file("commas.tsv", "city,n,label\nBern,1,A\nParis,2,B\n")
        self.train("m.croft", "--format", "csv", "--delimiter", "comma", commas)

    def test_other_formats_are_named_where_columns_are_read(self):
        for text, said in (('{"text": "a b", "label": []}\n{"text": "a b c d", "label": []}\n', "--format spans"),
                           ("a,b\nc,d\n", "--format csv"), ("a;b\nc;d\n", "--delimiter semicolon"),
                           ("spam\tfree entry\nham\tsee you later then\n", "--format text"),
                           (conllu(("1", "a b", "X"), ("2", "b", "X")), "--format conllu")):
            self.refuses_to_train(BAD_INPUT, self.file("data", text), mentions=[said])
        for name, meant in (("conll", "columns"), ("conll2003", "columns"), ("crfsuite", "attributes"),
                            ("tsv", "csv"), ("jsonl", "spans"), ("conlu", "conllu")):
            self.refuses_to_train(WRONG_USAGE, "--format", name, self.file("data", NAMES),
                                  mentions=[f'did you mean "{meant}"?'])

    def test_evaluation_without_a_model_needs_labels_of_the_same_thing(self):
        data = self.file("test.conll", NAMES)
        self.fails(BAD_INPUT, "evaluate", data,
                   mentions=["test.conll: the last two columns have no label in common", "--model names the model"])
        self.run_ok("evaluate", self.file("wrong", "A B\nB A\n\n"))
        self.run_ok("evaluate", self.file("one", "A B\nA B\n\n"))

    def test_evaluation_needs_labels(self):
        model = self.train("m.croft", self.file("train.conll", NAMES))
        self.fails(BAD_INPUT, "evaluate", "-m", model, self.file("new.txt", "Ana\nvive\n\n"),
                   mentions=["the column of labels seems to be missing", "croft predict"])

    def test_a_value_is_no_text_of_a_template(self):
        data = self.file("train.conll", "a 1.5 X\nb 2.5 Y\n\n")
        kit = self.file("kit.toml", '[[number]]\nname = "val"\ncolumn = 1\n')
        template = self.file("template", "U0:%x[0,0]\nU1:%x[0,val]\n")
        self.refuses_to_train(BAD_INPUT, "--kit", kit, "--template", template, data,
                              mentions=["kit.toml", '"val"', "give it bins or cuts"])
        backoff = self.file("backoff.toml", '[[number]]\nname = "val"\ncolumn = 1\n'
                            '[[backoff]]\nname = "b"\nlevels = ["0", "val"]\n')
        self.refuses_to_train(BAD_INPUT, "--kit", backoff, data, mentions=["backoff.toml", '"val"'])
        bins = self.file("bins.toml", '[[number]]\nname = "val"\ncolumn = 1\ncuts = [2]\n')
        self.train("m.croft", "--kit", bins, "--template", template, data)


class SpansInTextsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("train.jsonl", jsonl({"text": "Ana lives", "label": [[0, 3, "PER"]]},
                                                   {"text": "in Vigo", "label": [[3, 7, "LOC"]]}))
        self.bad = self.file("bad.jsonl", jsonl({"text": "Ana lives", "label": [[0, 2, "PER"]]},
                                                {"text": "in Vigo", "label": [[3, 7, "LOC"]]}))
        self.model = self.train("m.croft", "--format", "doccano", self.data)

    def test_misaligned_is_an_option_wherever_it_is_recommended(self):
        self.refuses_to_train(BAD_INPUT, "--format", "doccano", self.bad, mentions=["--misaligned"])
        self.fails(BAD_INPUT, "evaluate", "-m", self.model, self.bad, mentions=["--misaligned"])
        for how, word in (("widen", b"widened"), ("drop", b"dropped")):
            for verb in (["train", "--format", "doccano", "-o", self.folder / "w.croft"],
                         ["predict", "-m", self.model], ["evaluate", "-m", self.model], ["explain", "-m", self.model],
                         ["suggest", "-m", self.model]):
                done = croft(*verb, "--misaligned", how, self.bad)
                self.assertEqual(done.returncode, DONE, (verb, done.stderr))
                self.assertIn(b"1 span began or ended inside of a token, and was " + word if how == "widen" else word,
                              done.stderr, verb)
            self.run_ok("check", "--format", "doccano", "--misaligned", how, self.bad)
        plain = self.file("plain", NAMES)
        self.refuses_to_train(WRONG_USAGE, "--misaligned", "drop", plain, mentions=["prodigy, doccano, brat"])
        self.fails(WRONG_USAGE, "predict", "-m", self.train("c.croft", plain), "--misaligned", "drop", plain,
                   mentions=["prodigy, doccano, brat"])

    def test_predict_needs_no_gold_span(self):
        done = croft("predict", "-m", self.model, self.bad)
        self.assertEqual(done.returncode, DONE, done.stderr)
        first, second = lines_of(done.stdout.decode())
        self.assertNotIn("gold", first)
        self.assertEqual(second["gold"], [[1, 2, "LOC"]])
        self.assertIn(b"1 sequence was read without labels, as spans do not fit the tokens: ", done.stderr)
        self.assertIn(b"bad.jsonl:1", done.stderr)

    def test_check_takes_what_train_takes(self):
        self.assertIn("B-PER 1", self.run_ok("check", "--format", "doccano", self.data))
        self.file("a.txt", "Ana lives\n")
        self.file("a.ann", "T1\tPER 0 3\tAna\n")
        self.assertIn("B-PER 1", self.run_ok("check", "--format", "brat", self.folder / "a.txt"))
        self.assertIn("2 sequences", self.run_ok("check", "--format", "segmented", self.file("w", "a b\nc d\n")))
        self.fails(WRONG_USAGE, "check", "--tokenizer", "blanks", self.file("c", NAMES), mentions=["--tokenizer"])

    def test_texts_are_labelled_line_by_line(self):
        with subprocess.Popen([CROFT, "predict", "-m", str(self.model), "--format", "raw", "-"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for line in ("Ana lives\n", "in Vigo\n"):
                process.stdin.write(line.encode())
                process.stdin.flush()
                self.assertTrue(select.select([process.stdout], [], [], 60)[0])
                self.assertEqual(json.loads(process.stdout.readline())["text"], line[:-1])
            process.stdin.close()
        self.assertEqual(process.returncode, DONE)


class LoopOfAnnotation(CliTest):
    """What suggest writes goes on to where people label, and comes back."""

    def test_rows_with_suggested_labels_become_any_format(self):
        model = self.train("m.croft", self.file("train.conll", "Ana B-PER\nvive O\nen O\nVigo B-LOC\n\n" * 3))
        pool = self.file("pool.txt", "Ana\nvive\n\nVigo\n\n")
        suggested = self.file("s.jsonl", self.run_ok("suggest", "-m", model, "--top", 2, pool))
        order = [each["rows"] for each in lines_of(suggested.read_text())]
        rows = self.run_ok("convert", "--from", "suggested", "--to", "columns", suggested)
        self.assertEqual([block.split("\n") for block in rows.strip().split("\n\n")],
                         [[f"{row} {dict(Ana='B-PER', vive='O', Vigo='B-LOC')[row]}" for row in each]
                          for each in order])
        spans = lines_of(self.run_ok("convert", "--from", "suggested", "--to", "spans", suggested))
        self.assertEqual([each["tokens"] for each in spans], order)
        again = self.file("again.conllu", self.run_ok("convert", "--from", "suggested", "--to", "conllu", suggested))
        self.assertEqual(self.run_ok("convert", "--from", "conllu", "--to", "columns", again), rows)
        again = self.file("again.jsonl", self.run_ok("convert", "--from", "suggested", "--to", "huggingface",
                                                     suggested))
        self.assertEqual(lines_of(again.read_text())[0]["ner_tags"],
                         [row.split()[1] for row in rows.split("\n\n")[0].split("\n")])
        self.assertEqual(self.run_ok("convert", "--from", "huggingface", "--to", "columns", again), rows)

    def test_labelled_rows_are_suggested_without_their_labels(self):
        model = self.train("m.croft", self.file("train.conll", NAMES))
        found = lines_of(self.run_ok("suggest", "-m", model, self.file("pool.txt", NAMES)))
        self.assertEqual(sorted(each["rows"] for each in found), [["Ana", "vive", "en", "Vigo"], ["Leo", "lee"]])

    def test_texts_keep_their_offsets(self):
        data = self.file("train.jsonl", jsonl({"text": "Ana  lives", "label": [[0, 3, "PER"]]}))
        model = self.train("m.croft", "--format", "doccano", data)
        suggested = self.file("s.jsonl", self.run_ok("suggest", "-m", model, "--format", "raw",
                                                     self.file("new.txt", "Ana  lives\n")))
        found = json.loads(self.run_ok("convert", "--from", "spans", "--to", "doccano", suggested))
        self.assertEqual((found["text"], found["label"]), ("Ana  lives", [[0, 3, "PER"]]))

    def test_texts_with_one_label_become_tables_and_come_back(self):
        text = "spam\tbuy, \"now\"\nham\tsee you\n" * 3
        model = self.train("m.croft", "--format", "text", self.file("train.tsv", text))
        suggested = self.file("s.jsonl", self.run_ok("suggest", "-m", model, self.file("new", "buy, \"now\"\nsee\n")))
        lines = self.run_ok("convert", "--from", "suggested", "--to", "text", suggested)
        self.assertEqual(sorted(lines.splitlines()), ["ham\tsee", "spam\tbuy, \"now\""])
        table = self.file("t.csv", self.run_ok("convert", "--from", "suggested", "--to", "csv", suggested))
        self.assertEqual(table.read_text().splitlines()[0], "text,label")
        self.assertEqual(self.run_ok("convert", "--from", "csv", "--text-column", "text", "--label-column", "label",
                                     "--to", "text", table), lines)


if __name__ == "__main__":
    main()
