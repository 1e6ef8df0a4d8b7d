"""Texts of other programs: into sequences with offsets, and back."""

import json
import pathlib

from support import BAD_INPUT, SOURCE, WRONG_USAGE, CliTest, main

TEXT = "Ada Lovelace, née Byron, lived in  London.\n\n  It's 2,5 km to Zürich–Oerlikon 🚋 (HB).\n"


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def jsonl(*objects):
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


def spans_of(words):
    """(begin, end) of each word, in characters of the text without blanks."""
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    return list(zip(ends, ends[1:]))


class TextsTest(CliTest):
    def convert(self, source, target, path, *options, **more):
        return self.run_ok("convert", "--from", source, "--to", target, *options, path, **more)

    def test_tokens_have_the_characters_that_they_are_and_nothing_is_dropped(self):
        path = self.file("text.txt", TEXT)
        for tokenizer in ("words", "blanks", "characters", r"regex:\w+", "regex:[A-Z]"):
            found = lines_of(self.convert("raw", "spans", path, "--tokenizer", tokenizer))
            self.assertEqual([each["line"] for each in found], [1, 3])
            for each, line in zip(found, (TEXT.splitlines()[0], TEXT.splitlines()[2])):
                self.assertEqual(each["text"], line)
                self.assertEqual([line[b:e] for b, e in each["offsets"]], each["tokens"])
                self.assertEqual("".join(each["tokens"]).replace(" ", ""), "".join(line.split()))
        words = lines_of(self.convert("raw", "spans", path))
        self.assertEqual(words[1]["tokens"], ["It's", "2", ",", "5", "km", "to", "Zürich", "–", "Oerlikon", "🚋", "(",
                                              "HB", ")", "."])

    def test_doccano_and_prodigy_there_and_back_are_what_they_were(self):
        doccano = jsonl({"text": "Ana 🚋 vive en  Vigo.", "label": [[0, 3, "PER"], [15, 19, "LOC"]], "id": 7},
                        {"text": "Nada.", "label": [], "id": 8})
        path = self.file("d.jsonl", doccano)
        spans = self.file("s.jsonl", self.convert("doccano", "spans", path))
        first = lines_of(spans.read_text())[0]
        self.assertEqual(first["spans"], [[0, 1, "PER"], [4, 5, "LOC"]])
        self.assertEqual(first["tokens"], ["Ana", "🚋", "vive", "en", "Vigo", "."])
        self.assertEqual(lines_of(self.convert("spans", "doccano", spans)), lines_of(doccano))
        prodigy = self.file("p.jsonl", self.convert("spans", "prodigy", spans))
        again = lines_of(prodigy.read_text())[0]
        self.assertEqual(again["spans"][1], {"start": 15, "end": 19, "token_start": 4, "token_end": 4, "label": "LOC"})
        self.assertEqual(again["tokens"][3], {"text": "en", "start": 11, "end": 13, "id": 3, "ws": True})
        self.assertEqual(lines_of(self.convert("prodigy", "spans", prodigy)), lines_of(spans.read_text()))

    def test_prodigy_takes_what_was_accepted(self):
        path = self.file("p.jsonl", jsonl({"text": "a b", "answer": "reject"}, {"text": "c d", "answer": "accept"},
                                          {"text": "e", "answer": "ignore"}, {"text": "f"}))
        found = lines_of(self.convert("prodigy", "spans", path))
        self.assertEqual([(each["text"], each.get("spans")) for each in found], [("c d", []), ("f", None)])

    def test_prodigy_labels_of_whole_texts_are_no_spans(self):
        path = self.file("p.jsonl", jsonl({"text": "a b", "label": "X", "answer": "accept"},
                                          {"text": "c d", "accept": ["Y"], "answer": "accept"}))
        self.assertEqual(self.convert("prodigy", "text", path), "X\ta b\nY\tc d\n")
        self.assertNotIn("spans", lines_of(self.convert("prodigy", "spans", path))[0])
        self.refuses_to_train(BAD_INPUT, "--format", "prodigy", path)

    def test_brat_there_and_back_is_what_it_was(self):
        text = "Ada 🚋 kam.\n\nSie traf Charles Babbage in London.\n"
        annotations = ("T1\tPER 0 3\tAda\nT2\tPER 21 36\tCharles Babbage\nR1\tmet Arg1:T1 Arg2:T2\n"
                       "T3\tLOC 40 46\tLondon\n")
        path = self.file("a.txt", text)
        self.file("a.ann", annotations)
        found = lines_of(self.convert("brat", "spans", path))
        self.assertEqual([(each["document"], each["start"], each["spans"]) for each in found],
                         [("a", 0, [[0, 1, "PER"]]), ("a", 12, [[2, 4, "PER"], [5, 6, "LOC"]])])
        spans = self.file("s.jsonl", self.convert("brat", "spans", self.folder))
        again = self.convert("spans", "brat", spans).splitlines()
        self.assertEqual(again, [line for line in annotations.splitlines() if line.startswith("T")])

    def test_brat_that_does_not_fit_its_text_is_an_error(self):
        path = self.file("b.txt", "Ada kam.\nSie ging.\n")
        for annotation, said in [("T1\tPER 0 4\tAda\n", "is not what stands at its offsets"),
                                 ("T1\tPER 0 3;4 7\tAda kam\n", "several pieces"),
                                 ("T1\tPER 4 12\tkam. Sie\n", "over a line end"),
                                 ("T1\tPER 0 99\tAda\n", "behind its text"), ("T1 PER\n", "no annotation")]:
            self.file("b.ann", annotation)
            self.fails(BAD_INPUT, "convert", "--from", "brat", "--to", "spans", path, mentions=["b.ann:1", said])

    def test_a_span_inside_of_a_token_is_refused_widened_or_dropped(self):
        path = self.file("d.jsonl", jsonl({"text": "Londoners walk", "label": [[0, 6, "LOC"], [9, 14, "X"]]}))
        self.fails(BAD_INPUT, "convert", "--from", "doccano", "--to", "spans", path,
                   mentions=["d.jsonl:1", "London (LOC)", "--misaligned"])
        wide = lines_of(self.convert("doccano", "spans", path, "--misaligned", "widen"))
        self.assertEqual(wide[0]["spans"], [[0, 1, "LOC"], [1, 2, "X"]])
        self.assertEqual(lines_of(self.convert("doccano", "spans", path, "--misaligned", "drop"))[0]["spans"],
                         [[1, 2, "X"]])
        overlap = self.file("o.jsonl", jsonl({"text": "a b c", "label": [[0, 3, "X"], [2, 5, "Y"]]}))
        self.fails(BAD_INPUT, "convert", "--from", "doccano", "--to", "spans", overlap, mentions=["overlap"])

    def test_hugging_faces_numbers_have_names(self):
        data = self.file("h.jsonl", jsonl({"id": "0", "tokens": ["Ana", "vive"], "ner_tags": [1, 0]},
                                          {"id": "1", "tokens": ["en", "A", "Coruña"], "ner_tags": [0, 3, 4]}))
        names = self.file("names", "O\nB-PER\nI-PER\nB-LOC\nI-LOC\n")
        self.assertEqual(self.convert("huggingface", "columns", data, "--label-names", names),
                         "Ana B-PER\nvive O\n\nen O\nA B-LOC\nCoruña I-LOC\n\n")
        found = lines_of(self.convert("huggingface", "spans", data, "--label-names", names))
        self.assertEqual([each["spans"] for each in found], [[[0, 1, "PER"]], [[1, 3, "LOC"]]])
        self.fails(BAD_INPUT, "convert", "--from", "huggingface", "--to", "spans", data, mentions=["--label-names"])

    def test_conllu_gives_its_words(self):
        data = self.file("u.conllu", "# sent_id = s1\n# text = Vámonos ya\n1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
                         "1\tVamos\tir\tVERB\tVMM\t_\t0\troot\t_\t_\n2\tnos\tnosotros\tPRON\tPP\t_\t1\tobj\t_\t_\n"
                         "2.1\tx\tx\tX\t_\t_\t_\t_\t_\t_\n3\tya\tya\tADV\tRG\t_\t1\tadvmod\t_\t_\n\n")
        self.assertEqual(self.convert("conllu", "columns", data), "Vamos VERB\nnos PRON\nya ADV\n\n")
        self.assertEqual(self.convert("conllu", "columns", data, "--cells", "form,lemma", "--label-column", "xpos"),
                         "Vamos ir VMM\nnos nosotros PP\nya ya RG\n\n")
        self.fails(WRONG_USAGE, "convert", "--from", "conllu", "--to", "columns", "--label-column", "pos", data,
                   mentions=["upos"])
        self.fails(BAD_INPUT, "convert", "--from", "conllu", "--to", "columns", self.file("x", "1\tab\n"),
                   mentions=["x:1", "ten fields"])
        self.fails(WRONG_USAGE, "convert", "--from", "conllu", "--to", "spans", data, mentions=["--label-scheme raw"])

    def test_columns_lose_lines_and_choose_their_label(self):
        data = self.file("c", "# a comment\na B-X n\nb O n\n\n# another\nc I-X m\n")
        self.assertEqual(self.convert("columns", "columns", data, "--ignore-lines", "^#", "--label-column", "2"),
                         "a n B-X\nb n O\n\nc m I-X\n\n")
        self.fails(WRONG_USAGE, "convert", "--from", "columns", "--to", "columns", "--ignore-lines", "(", data,
                   mentions=["no regular expression"])

    def test_a_table_with_texts_becomes_labelled_texts(self):
        data = self.file("r.csv", 'id,review,stars\n1,"Good, ""really""\nand more",5\n2,Bad,1\n')
        self.assertEqual(self.convert("csv", "text", data, "--text-column", "review", "--label-column", "stars"),
                         '5\tGood, "really" and more\n1\tBad\n')
        self.fails(WRONG_USAGE, "convert", "--from", "csv", "--to", "text", "--text-column", "text", data,
                   mentions=["id, review, stars"])

    def test_a_page_shows_text_and_never_html(self):
        spans = self.file("s.jsonl", jsonl({"tokens": ["<b>", "Ana", "&"], "spans": [[1, 2, "<i>"]]}))
        page = self.run_ok("convert", "--to", "html", spans)
        self.assertIn('&lt;b&gt; <mark class="k0">Ana<small>&lt;i&gt;</small></mark> &amp;', page)
        self.assertNotIn("<b>", page)
        self.assertTrue(page.endswith("</html>\n"))

    def test_a_model_labels_raw_text_with_its_own_tokenizer(self):
        train = self.file("t.txt", "\n".join("".join(f"{w} {l}\n" for w, l in sentence) for sentence in
                                             [[("Ana", "B-PER"), ("vive", "O"), ("en", "O"), ("Vigo", "B-LOC")]] * 4))
        model = self.train("m.croft", train, "--tokenizer", "blanks")
        text = self.file("new.txt", "Ana vive en Vigo\nVigo, Ana\n")
        out = self.folder / "out.jsonl"
        self.assertEqual(self.run_ok("predict", "-m", model, "--format", "raw", "-o", out, text), "")
        found = lines_of(out.read_text())
        self.assertEqual(found[0]["spans"], [[0, 1, "PER"], [3, 4, "LOC"]])
        self.assertEqual(found[1]["tokens"], ["Vigo,", "Ana"])
        self.assertEqual(found[1]["offsets"], [[0, 5], [6, 9]])
        again = self.run_ok("predict", "-m", model, "--format", "raw", "--tokenizer", "words", text)
        self.assertEqual(lines_of(again)[1]["tokens"], ["Vigo", ",", "Ana"])
        doccano = self.file("d.jsonl", jsonl({"text": "Ana vive en Vigo", "label": [[0, 3, "PER"], [12, 16, "LOC"]]}))
        scores = json.loads(self.run_ok("evaluate", "-m", model, "--format", "doccano", "--json", doccano))
        self.assertEqual(scores["chunk"]["f1"], 1.0)
        self.fails(WRONG_USAGE, "predict", "-m", model, "--tokenizer", "words", train, mentions=["--format raw"])
        self.fails(WRONG_USAGE, "predict", "-m", model, "-o", train, train, mentions=["--output"])
        self.refuses_to_train(WRONG_USAGE, "--tokenizer", "word", train, mentions=["words, blanks"])

    def test_a_segmenter_takes_templates_of_the_users_or_of_the_model_to_go_on_from(self):
        train = SOURCE / "examples" / "segmenter" / "train.txt"
        template = self.file("template", "U1:%x[-1,0]\nB\n")
        few = ("--format", "segmented", "--max-iterations", 3, train)
        model = self.train("t.croft", "--template", template, *few)
        # The first position has CRF++'s name, and not Wapiti's.
        self.assertIn("U1:_B-1", self.run_ok("inspect", "-m", model, "--weights"))
        self.train("u.croft", "--init", model, *few)
        self.train("v.croft", "--prior", model, *few)

    def test_a_segmenter_finds_the_words_of_a_text_without_spaces(self):
        example = SOURCE / "examples" / "segmenter"
        model = self.train("seg.croft", "--format", "segmented", example / "train.txt")
        score = json.loads(self.run_ok("evaluate", "-m", model, "--format", "segmented", "--json",
                                       example / "test.txt"))["chunk"]
        self.assertGreater(score["f1"], 0.9)
        gold = (example / "test.txt").read_text("utf-8")
        raw = self.file("raw.txt", gold.replace(" ", ""))
        tokenizer = ("--tokenizer", f"model:{model}")
        found = lines_of(self.convert("raw", "spans", raw, *tokenizer))
        for each in found:
            self.assertEqual([each["text"][b:e] for b, e in each["offsets"]], each["tokens"])
            self.assertEqual("".join(each["tokens"]), each["text"])
        words = [line.split() for line in self.convert("raw", "segmented", raw, *tokenizer).splitlines()]
        self.assertEqual(words, [each["tokens"] for each in found])
        # The same by labelling the characters.
        spans = self.run_ok("predict", "-m", model, "--format", "raw", raw)
        again = self.run_ok("convert", "--to", "segmented", "-", stdin=spans.encode())
        self.assertEqual([line.split() for line in again.splitlines()], words)
        right = sum(len(set(spans_of(a)) & set(spans_of(b))) for a, b in zip(words, map(str.split, gold.splitlines())))
        self.assertEqual(right, score["correct"])
        self.assertEqual(self.run_ok("convert", "--from", "segmented", "--to", "segmented", example / "test.txt"), gold)
        self.fails(WRONG_USAGE, "convert", "--from", "raw", "--to", "spans", "--tokenizer",
                   "model:" + str(self.train("two.croft", self.file("two", "a b B-X\nc d O\n"))), raw,
                   mentions=["one character a row"])

    def without_format(self, model):
        """What is in a model, but for the format of its data."""
        found = json.loads(self.run_ok("inspect", "--json", "-m", model))
        for key in ("file_bytes", "sections"):
            del found[key]
        found["training"].pop("format", None)
        return found, self.run_ok("inspect", "--weights", "-m", model).replace(str(model), "")

    def test_training_reads_them_as_what_they_are_converted_to(self):
        doccano = self.file("d.jsonl", jsonl(*[{"text": "Ana vive en Vigo.", "label": [[0, 3, "PER"], [12, 16, "LOC"]],
                                               "doc": k} for k in range(4)]))
        spans = self.file("s.jsonl", self.convert("doccano", "spans", doccano))
        direct = self.train("a.croft", "--format", "doccano", doccano)
        other = self.train("b.croft", "--format", "spans", "--tokenizer", "words", spans)
        self.assertEqual(self.without_format(direct), self.without_format(other))
        grouped = ["--holdout", "0.5", "--group-by", "doc"]
        ours = self.train("e.croft", "--format", "spans", "--tokenizer", "words", *grouped, spans)
        direct = self.train("c.croft", "--format", "doccano", *grouped, doccano)
        self.assertEqual(self.without_format(direct), self.without_format(ours))
        conllu = self.file("u.conllu", "1\ta\ta\tDET\t_\t_\t2\tdet\t_\t_\n2\tb\tb\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
        columns = self.file("c.txt", "a DET\nb NOUN\n\n")
        self.assertEqual(self.without_format(self.train("u.croft", "--format", "conllu", conllu)),
                         self.without_format(self.train("v.croft", columns)))
        self.assertEqual(self.run_ok("predict", "-m", self.folder / "u.croft", "--format", "conllu", conllu),
                         "a DET DET\nb NOUN NOUN\n\n")
        self.refuses_to_train(WRONG_USAGE, "--format", "doccano", "--model", "hmm", doccano, mentions=["--format"])
        self.fails(WRONG_USAGE, "search", "--format", "doccano", "-o", "x", "--range", "l2=0.1:1", doccano,
                   mentions=["croft convert"])

    def test_options_of_other_formats_are_refused(self):
        path = self.file("t.txt", "a b\n")
        for options in (["--text-column", "x"], ["--ignore-lines", "^#"], ["--cells", "form"],
                        ["--misaligned", "widen"], ["--unlabelled"]):
            self.fails(WRONG_USAGE, "convert", "--from", "raw", "--to", "spans", *options, path,
                       mentions=[options[0], "raw"])
        self.fails(WRONG_USAGE, "convert", "--from", "columns", "--to", "spans", "--tokenizer", "words", path,
                   mentions=["--tokenizer"])
        self.fails(WRONG_USAGE, "convert", "--from", "raw", "--to", "croft", path, mentions=["spans", "brat"])
        self.fails(BAD_INPUT, "convert", "--from", "raw", "--to", "spans", self.file("bad", b"\xff\xfe\n"),
                   mentions=["bad:1", "UTF-8"])
        self.fails(BAD_INPUT, "convert", "--from", "spans", "--to", "doccano",
                   self.file("s.jsonl", '{"tokens": ["a"]}\n'), mentions=["s.jsonl:1", "offsets"])
        self.assertEqual(sorted(p.name for p in pathlib.Path(self.folder).iterdir()), ["bad", "s.jsonl", "t.txt"])

    def refuses(self, source, text, said, *options, target="spans", status=BAD_INPUT, name="data"):
        out = self.folder / "refused"
        self.fails(status, "convert", "--from", source, "--to", target, "-o", out, *options, self.file(name, text),
                   mentions=[said] if isinstance(said, str) else said)
        self.assertFalse(out.exists())

    def test_tokens_of_prodigy_are_those_of_the_text(self):
        first, last = {"start": 0, "end": 1, "text": "a"}, {"start": 4, "end": 5, "text": "c"}
        self.refuses("prodigy", jsonl({"text": "a b c", "tokens": [first, last]}),
                     ["data:1", "tokens that leave out characters of the text", '" b "'])
        self.refuses("prodigy", jsonl({"text": "a c", "tokens": [first]}), ["data:1", "leave out", '" c"'])
        self.refuses("prodigy", jsonl({"text": "x   c", "tokens": [first, last]}),
                     ["data:1", "a token whose text is not what stands at its offsets"])
        found = self.convert("prodigy", "spans", self.file("p", jsonl({"text": "a   c", "tokens": [first, last]})))
        self.assertEqual(lines_of(found)[0]["offsets"], [[0, 1], [4, 5]])

    def test_raw_text_says_where_its_lines_begin_and_brat_counts_from_there(self):
        text = "\ufeffAda 🚋 kam.\r\n\n  \nSie traf Babbage in London.\n"
        path = self.file("a.txt", text)
        found = lines_of(self.convert("raw", "spans", path))
        self.assertEqual([(each["line"], each["start"]) for each in found], [(1, 1), (4, 17)])
        found[0]["spans"], found[1]["spans"] = [[0, 1, "PER"]], [[2, 3, "PER"], [4, 5, "LOC"]]
        annotations = self.convert("spans", "brat", self.file("s.jsonl", jsonl(*found)))
        self.assertEqual(annotations, "T1\tPER 1 4\tAda\nT2\tPER 26 33\tBabbage\nT3\tLOC 37 43\tLondon\n")
        self.file("a.ann", annotations)
        again = lines_of(self.convert("brat", "spans", path))
        self.assertEqual([(each["start"], each["spans"]) for each in again],
                         [(each["start"], each["spans"]) for each in found])

    def test_annotations_of_brat_are_of_one_text(self):
        for text in ("a.txt", "b.txt"):
            self.file(text, "Ada kam.\n")
            self.file(text.replace("txt", "ann"), "T1\tPER 0 3\tAda\n")
        self.refuses("spans", self.convert("brat", "spans", self.folder), ["data:2", "of another text"], target="brat")
        line = self.convert("raw", "spans", self.folder / "a.txt")
        self.refuses("spans", line + line, ["data:2", "of another text"], target="brat")

    def test_what_brat_cannot_say_is_an_error(self):
        for label in ("", "a b", "a\tb", "a\nb"):
            self.refuses("spans", jsonl({"tokens": ["a"], "spans": [[0, 1, label]], "text": "a", "offsets": [[0, 1]]}),
                         ["data:1", "a label that is empty or has a blank"], target="brat")
        line = jsonl({"text": "Ada\nLovelace\r\nkam", "label": [[0, 12, "PER"]]})
        self.assertEqual(self.convert("doccano", "brat", self.file("d.jsonl", line)), "T1\tPER 0 12\tAda Lovelace\n")
        blank = self.file("c.txt", "a\n  \nb\n")
        self.file("c.ann", "T1\tX 0 1\ta\nT2\tX 2 4\t  \n")
        self.fails(BAD_INPUT, "convert", "--from", "brat", "--to", "spans", blank,
                   mentions=["c.ann:2", "an annotation of blanks alone"])
        self.fails(BAD_INPUT, "convert", "--from", "brat", "--to", "spans", self.folder / "none",
                   mentions=["none: cannot open: No such file or directory"])

    def test_gold_the_text_and_its_label_stay(self):
        lines = jsonl({"tokens": ["a", "b"], "spans": [[0, 1, "X"]], "gold": [[0, 2, "Y"]], "text": "a b", "id": 1},
                      {"tokens": ["a"], "gold": [], "label": "L"}, {"tokens": ["a"], "label": 3})
        path = self.file("s.jsonl", lines)
        self.assertEqual(lines_of(self.convert("spans", "spans", path)), lines_of(lines))
        self.refuses("spans", jsonl({"tokens": ["a"], "offsets": [[0, 1]]}), ["data:1", '"offsets" without a "text"'])
        whole = jsonl({"text": "Gut.", "label": ["good"], "id": 1})
        for form in ("spans", "prodigy"):
            between = self.file("b.jsonl", self.convert("doccano", form, self.file("w.jsonl", whole)))
            self.assertEqual(self.convert(form, "text", between), "good\tGut.\n")
        spans = self.file("b.jsonl", self.convert("doccano", "spans", self.file("w.jsonl", whole)))
        self.assertEqual(lines_of(self.convert("spans", "doccano", spans))[0]["label"], ["good"])

    def test_nothing_is_left_out_of_columns_and_texts_silently(self):
        empty = jsonl({"tokens": ["a"], "ner_tags": ["O"]}, {"tokens": [], "ner_tags": []})
        self.refuses("huggingface", empty, ["data:2", "a sequence without a token",
                                             "columns cannot have empty sequences"], target="columns")
        self.refuses("spans", jsonl({"tokens": ["a"]}), ["data:1", "without the text", "--to text writes texts"],
                     target="text")
        self.refuses("csv", "t\na\n", ["--tokenizer", "--to text"], "--text-column", "t", "--tokenizer", "blanks",
                     target="text", status=WRONG_USAGE)
        self.refuses("csv", "t,t\na,b\n", ["data:1", "there twice"], "--text-column", "t", target="text")
        self.refuses("csv", b"t,u\na,\xff\n", ["data:2:3", "a cell that is not UTF-8"], "--text-column", "t")

    def test_labels_of_tokens_are_spelled_in_the_scheme_asked(self):
        rows = "a B-X\nb I-X\nc B-X\nd O\n\ne B-Y\n\n"
        bioes = "a B-X\nb E-X\nc S-X\nd O\n\ne S-Y\n\n"
        path = self.file("c.txt", rows)
        self.assertEqual(self.convert("columns", "columns", path), rows)
        self.assertEqual(self.convert("columns", "columns", path, "--label-scheme", "bioes"), bioes)
        tags = jsonl({"tokens": list("abcd"), "ner_tags": ["B-X", "I-X", "B-X", "O"]},
                     {"tokens": ["e"], "ner_tags": ["B-Y"]})
        self.assertEqual(self.convert("huggingface", "columns", self.file("h", tags), "--label-scheme", "bioes"), bioes)
        conllu = "".join(f"{k}\t{w}\t_\t{l}\t_\t_\t_\t_\t_\t_\n" for k, (w, l) in
                         enumerate((row.split() for row in rows.split("\n\n")[0].splitlines()), 1))
        self.assertEqual(self.convert("conllu", "columns", self.file("u", conllu), "--label-scheme", "bio1"),
                         "a I-X\nb I-X\nc B-X\nd O\n\n")
        usage = dict(status=WRONG_USAGE)
        self.refuses("columns", "a NOUN\n", "spell no chunks", "--label-scheme", "bio", target="columns", **usage)
        self.refuses("columns", rows, "chunks cannot be written", "--label-scheme", "raw", target="columns", **usage)
        self.refuses("columns", rows, "--unlabelled says", "--label-scheme", "bio", "--unlabelled", **usage)
        self.refuses("columns", rows, "--unlabelled says", "--label-column", "1", "--unlabelled", **usage)
        doccano = jsonl({"text": "a", "label": []})
        for target in ("spans", "brat", "html"):
            self.refuses("doccano", doccano, ["--label-scheme", "doccano to " + target], "--label-scheme", "bio",
                         target=target, **usage)
        self.fails(WRONG_USAGE, "convert", "--to", "html", "--label-scheme", "bio",
                   self.file("s.jsonl", '{"tokens": ["a"]}\n'), mentions=["--label-scheme", "spans to html"])

    def test_sequences_stay_in_order_and_those_that_nobody_labelled_are_not_labelled(self):
        path = self.file("h", jsonl({"tokens": ["a"]}, {"tokens": ["b"], "ner_tags": ["B-X"]}, {"tokens": ["c"]}))
        found = lines_of(self.convert("huggingface", "spans", path))
        self.assertEqual(found, [{"tokens": ["a"]}, {"tokens": ["b"], "spans": [[0, 1, "X"]]}, {"tokens": ["c"]}])
        raw = self.convert("raw", "prodigy", self.file("t.txt", "a b\n"))
        self.assertNotIn("spans", lines_of(raw)[0])
        self.assertNotIn("spans", lines_of(self.convert("prodigy", "spans", self.file("p", raw)))[0])

    def test_labels_of_doccano_are_of_one_kind(self):
        entity = {"start_offset": 0, "end_offset": 1, "label": "X"}
        for line, said in (({"label": ["good", [0, 1, "X"]]}, "labels of spans beside one of the whole text"),
                           ({"label": [[0, 1, "X"]], "entities": []}, 'labels under "entities" and under "label"'),
                           ({"label": "good", "entities": [entity]}, 'labels under "entities" and under "label"'),
                           ({"label": [], "labels": ["good"]}, 'labels under "label" and under "labels"')):
            self.refuses("doccano", jsonl({"text": "a b", **line}), ["data:1", said])
        found = self.convert("doccano", "spans", self.file("d", jsonl({"text": "a b", "entities": [entity]})))
        self.assertEqual(lines_of(found)[0]["spans"], [[0, 1, "X"]])

    def test_a_line_that_is_not_json_says_where(self):
        for source in ("doccano", "prodigy", "huggingface", "spans"):
            self.refuses(source, '{"text": "a",}\n', ["data:1:14: ", "from here on"])
            self.refuses(source, '{"text": "a", "text": "b"}\n', ["data:1: ", "a key that stands twice", '"text"'])
            self.refuses(source, '{"x": ' + "[" * 99 + "]" * 99 + "}\n", ["data:1: ", "64 deep"])
            self.refuses(source, "[1]\n", ["data:1: ", "no JSON object"])

    def test_lines_that_are_no_plain_text_are_errors_of_every_format(self):
        for source in ("raw", "segmented", "columns", "conllu"):
            for text, said in ((b"a\0b\n", "data:1:2: a NUL byte"), (b"a\rb\n", "data:1:2: a carriage return"),
                               (b"\n\xff\n", "data:2: a line that is not UTF-8")):
                self.refuses(source, text, said)

    def test_a_page_keeps_the_lines_of_a_text(self):
        path = self.file("d.jsonl", jsonl({"text": "Ada\n\tLovelace", "label": []}))
        self.assertIn("<p>Ada\n\tLovelace</p>", self.convert("doccano", "html", path))

    def test_options_that_would_be_ignored_are_refused(self):
        train = self.file("t.txt", "a B-X\nb O\n\n" * 4)
        model = self.train("m.croft", train)
        self.fails(WRONG_USAGE, "evaluate", "--tokenizer", "words", train, mentions=["--tokenizer", "-m"])
        text = self.file("new.txt", "a b\n")
        found = self.run_ok("predict", "-m", model, "--format", "raw", "--chunks", "bio", text)
        self.assertEqual(lines_of(found)[0]["spans"], [[0, 1, "X"]])
        conllu = self.file("u", "1\ta\ta\tB-X\t_\t_\t0\troot\t_\t_\n")
        self.fails(WRONG_USAGE, "predict", "-m", model, "--format", "conllu", "--chunks", "bio", conllu,
                   mentions=["--chunks"])
        self.fails(BAD_INPUT, "evaluate", "-m", model, "--format", "doccano", "-",
                   stdin=jsonl({"text": "a"}).encode(), mentions=["<stdin>:1: "])


if __name__ == "__main__":
    main()
