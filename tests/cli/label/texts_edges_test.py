"""Texts of other programs: nothing at all, line ends, what has no label, what is no annotation; segmenters kept."""

import json

from support import BAD_INPUT, SOURCE, WRONG_USAGE, CliTest, croft, main

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"
ENTITIES = "Ana B-PER\nvive O\nen O\nVigo B-LOC\n\n" * 4


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def jsonl(*objects):
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


class TextsEdgesTest(CliTest):
    def convert(self, source, target, path, *options, **more):
        return self.run_ok("convert", "--from", source, "--to", target, *options, path, **more)

    def refuses(self, source, text, said, *options, target="spans", name="data"):
        out = self.folder / "refused"
        self.fails(BAD_INPUT, "convert", "--from", source, "--to", target, "-o", out, *options, self.file(name, text),
                   mentions=said)
        self.assertFalse(out.exists())

    # --- nothing

    def test_nothing_on_a_stream_is_no_error_and_an_empty_file_is_one(self):
        model = self.train("m.croft", self.file("t", ENTITIES))
        sources = ("raw", "conllu", "prodigy", "doccano", "segmented")
        for nothing in (b"", b"\n\n"):
            for source in sources:
                self.assertEqual(self.run_ok("predict", "-m", model, "--format", source, "-", stdin=nothing), "")
                self.assertEqual(self.convert(source, "spans", "-", stdin=nothing), "")
                self.fails(BAD_INPUT, "train", "-o", self.folder / "n.croft", "--format",
                           "doccano" if source == "raw" else source, "-", stdin=nothing, mentions=["no data"])
                self.fails(BAD_INPUT, "evaluate", "-m", model, "--format", source, "-", stdin=nothing,
                           mentions=["no data"])
            for target in ("spans", "columns", "text", "doccano", "prodigy", "brat", "segmented"):
                self.assertEqual(self.run_ok("convert", "--to", target, "-", stdin=nothing), "")
            page = self.run_ok("convert", "--to", "html", "-", stdin=nothing)
            self.assertTrue(page.startswith("<!doctype html>") and page.endswith("</body>\n</html>\n"))
            empty = self.file("empty", nothing)
            for target in ("spans", "columns", "brat", "html"):
                self.fails(BAD_INPUT, "convert", "--to", target, empty, mentions=["empty: no data"])
            self.fails(BAD_INPUT, "predict", "-m", model, "--format", "raw", empty, mentions=["empty: no data"])

    def test_no_half_page_is_written_of_what_is_no_data(self):
        model = self.train("m.croft", self.file("t", ENTITIES))
        self.fails(BAD_INPUT, "convert", model, "--to", "html", mentions=["m.croft:1"])

    def test_lines_of_prodigy_that_all_were_rejected_are_said_to_be(self):
        text = jsonl({"text": "a", "answer": "reject"}, {"text": "b", "answer": "ignore"})
        said = ["data: no line was accepted", "in all of them (2)"]
        self.refuses("prodigy", text, said)
        self.refuses_to_train(BAD_INPUT, "--format", "prodigy", self.folder / "data", mentions=said)

    # --- BRAT

    def test_offsets_of_brat_count_the_file_as_it_stands(self):
        text = "\ufeffAnn met Bob.\r\nBob left Rome.\r\n"
        path = self.file("a.txt", text)
        whole = "T1\tPER 1 4\tAnn\nT2\tPER 9 12\tBob\nT3\tPER 15 18\tBob\nT4\tLOC 24 28\tRome\n"
        for line in whole.splitlines():
            begin, end = map(int, line.split("\t")[1].split()[1:])
            self.assertEqual(text[begin:end], line.split("\t")[2])
        in_lines = "T1\tPER 0 3\tAnn\nT2\tPER 8 11\tBob\nT3\tPER 13 16\tBob\nT4\tLOC 22 26\tRome\n"
        for annotations in (whole, in_lines):
            self.file("a.ann", annotations)
            spans = self.convert("brat", "spans", path)
            self.assertEqual([each["spans"] for each in lines_of(spans)],
                             [[[0, 1, "PER"], [2, 3, "PER"]], [[0, 1, "PER"], [2, 3, "LOC"]]])
            self.assertEqual(self.run_ok("convert", "--to", "brat", "-", stdin=spans.encode()), whole)
        # Of raw text, too: what predict --format raw hands on.
        raw = lines_of(self.convert("raw", "spans", path))
        raw[0]["spans"], raw[1]["spans"] = [[0, 1, "PER"], [2, 3, "PER"]], [[0, 1, "PER"], [2, 3, "LOC"]]
        self.assertEqual(self.run_ok("convert", "--to", "brat", "-", stdin=jsonl(*raw).encode()), whole)
        # One way of counting for all.
        self.file("a.ann", whole.splitlines()[0] + "\n" + in_lines.splitlines()[2] + "\n")
        self.fails(BAD_INPUT, "convert", "--from", "brat", "--to", "spans", path,
                   mentions=["a.ann:2", "not what stands at its offsets", "a carriage return and a newline are two"])

    def test_lines_of_brat_that_are_no_annotations_are_errors(self):
        path = self.file("a.txt", "Ada kam.\n")
        known = ("T1\tPER 0 3\tAda\n\nR1\tmet Arg1:T1 Arg2:T1\nE1\tBe:T1\nA1\tOld T1\nM1\tOld T1\n"
                 "N1\tReference T1 W:1\tAda\n#1\tAnnotatorNotes T1\tsure\n*\tEquiv T1 T1\n")
        self.file("a.ann", known)
        self.assertEqual(lines_of(self.convert("brat", "spans", path))[0]["spans"], [[0, 1, "PER"]])
        for line in ("garbage", "Rubbish of any kind", "X1\tPER 0 3\tAda"):
            self.file("a.ann", known + line + "\n")
            self.fails(BAD_INPUT, "convert", "--from", "brat", "--to", "spans", path,
                       mentions=["a.ann:10", "a line that is no annotation"])

    def test_a_pointer_of_git_lfs_is_named_before_its_annotations_are_missed(self):
        self.fails(BAD_INPUT, "convert", "--from", "brat", "--to", "spans", self.file("a.txt", LFS),
                   mentions=["a.txt: a pointer of Git LFS"])

    def test_spans_of_blanks_alone_are_dropped_where_that_is_asked_for(self):
        data = self.file("d", jsonl({"text": "a   b", "label": [[1, 3, "X"], [4, 5, "Y"]]}))
        done = croft("convert", "--from", "doccano", "--to", "spans", "--misaligned", "drop", data)
        self.assertEqual(lines_of(done.stdout.decode())[0]["spans"], [[1, 2, "Y"]])
        self.assertIn("note: 1 span began or ended inside of a token or was blank, and was dropped: ",
                      done.stderr.decode())
        self.fails(BAD_INPUT, "convert", "--from", "doccano", "--to", "spans", data,
                   mentions=["a span of blanks alone", "--misaligned drop"])
        text = self.file("c.txt", "a\n  \nb\n")
        self.file("c.ann", "T1\tX 0 1\ta\nT2\tX 2 4\t  \nT3\tX 5 6\tb\n")
        done = croft("convert", "--from", "brat", "--to", "spans", "--misaligned", "drop", text)
        self.assertEqual([each["spans"] for each in lines_of(done.stdout.decode())], [[[0, 1, "X"]], [[0, 1, "X"]]])
        self.assertIn("note: 1 span ", done.stderr.decode())

    # --- labels of whole texts

    def test_texts_have_labels_or_have_none(self):
        choice = self.file("p", jsonl({"text": "Bad\tone", "accept": ["NEG"], "answer": "accept"},
                                      {"text": "Good", "accept": ["POS"], "answer": "accept"}))
        self.assertEqual(self.convert("prodigy", "text", choice), "NEG\tBad\tone\nPOS\tGood\n")
        self.refuses("prodigy", choice.read_text() + jsonl({"text": "So", "accept": ["POS", "NEG"]}),
                     ["data:3", '2 choices in "accept"'], target="text")
        spans = jsonl({"text": "Ann met Bob", "label": [[0, 3, "PER"]]})
        self.refuses("doccano", spans, ["data:1", "labelled spans, and no label of the whole text"], target="text")
        path = self.file("a.txt", "Ada\tkam.\nSie ging.\n")
        self.file("a.ann", "")
        self.assertEqual(self.convert("brat", "text", path), "\tAda\tkam.\nSie ging.\n")
        self.file("a.ann", "T1\tPER 0 3\tAda\n")
        self.fails(BAD_INPUT, "convert", "--from", "brat", "--to", "text", path, mentions=["a.txt:1", "labelled spans"])

    def test_tables_have_the_delimiter_that_is_said(self):
        semicolons = self.file("r.csv", "id;text;stars\n1;Good, really;5\n2;Bad;1\n")
        columns = ("--text-column", "text", "--label-column", "stars")
        for named in ("semicolon", ";"):
            self.assertEqual(self.convert("csv", "text", semicolons, *columns, "--delimiter", named),
                             "5\tGood, really\n1\tBad\n")
        self.fails(WRONG_USAGE, "convert", "--from", "csv", "--to", "text", "--text-column", "text", semicolons,
                   mentions=["has one column, id;text;stars; --delimiter"])
        tabs = self.file("r.tsv", "text\tstars\nGood, really\t5\n")
        self.assertEqual(self.convert("csv", "text", tabs, *columns), "5\tGood, really\n")
        commas = self.file("s.tsv", "text,stars\nGood,5\n")
        self.assertEqual(self.convert("csv", "text", commas, *columns, "--delimiter", "comma"), "5\tGood\n")
        self.fails(WRONG_USAGE, "convert", "--from", "raw", "--to", "spans", "--delimiter", "tab", tabs,
                   mentions=["--delimiter has no meaning for data of format raw"])
        self.assertEqual(self.convert("columns", "columns", self.file("c.tsv", "a\tX\n")), "a X\n\n")
        self.refuses("csv", 'text,stars\n"a\nb",5\nc,\n', ["data:4", "without a label"], *columns, target="text")

    # --- segmenters

    def test_a_model_keeps_its_segmenter(self):
        train = SOURCE / "examples" / "segmenter" / "train.txt"
        segmenter = self.train("seg.croft", "--format", "segmented", "--max-iterations", 20, train)
        words = "".join("\n".join(f"{word} {'O' if k % 3 else 'B-X'}" for k, word in enumerate(line.split())) + "\n\n"
                        for line in train.read_text("utf-8").splitlines()[:9])
        data = self.file("words", words)
        model = self.train("m.croft", data, "--tokenizer", f"model:{segmenter}")
        text = self.file("new.txt", "今天老师没有来学校。\n")
        predict = ("predict", "--format", "raw", "-m")
        cut = lines_of(self.convert("raw", "spans", text, "--tokenizer", f"model:{segmenter}"))[0]["tokens"]
        segmenter.rename(self.folder / "moved.croft")
        self.assertEqual(lines_of(self.run_ok(*predict, model, text))[0]["tokens"], cut)
        self.assertNotIn(b"seg.croft", model.read_bytes())
        self.assertIn("--tokenizer model:FILE", self.run_ok("card", "-m", model))
        # What goes on from it, or is made of it, keeps it, too.
        calibrated = self.folder / "calibrated.croft"
        held_out = self.file("held-out", "".join(row + "\n" if k % 7 else "这 B-X\n这 O\n"
                                                 for k, row in enumerate(words.splitlines())))
        self.run_ok("calibrate", "-m", model, "-o", calibrated, held_out)
        self.assertEqual(lines_of(self.run_ok(*predict, calibrated, text))[0]["tokens"], cut)
        again = self.train("n.croft", data, "--tokenizer", f"model:{self.folder / 'moved.croft'}")
        self.assertEqual(again.read_bytes(), model.read_bytes())
        self.run_ok("inspect", "--verify", "-m", model)

    def test_a_model_of_names_is_no_segmenter(self):
        model = self.train("ner.croft", self.file("t", ENTITIES))
        text = self.file("new.txt", "Ana vive en Vigo\n")
        said = ["ner.croft: it labels", "where words begin", "train --format segmented"]
        self.fails(WRONG_USAGE, "convert", "--from", "raw", "--to", "spans", "--tokenizer", f"model:{model}", text,
                   mentions=said)
        self.refuses_to_train(WRONG_USAGE, "--tokenizer", f"model:{model}", self.folder / "t", mentions=said)


if __name__ == "__main__":
    main()
