"""croft card: a page whose figures are those of evaluate, and whose command makes the same model."""

import json
import re
import shlex

from people_and_towns import sentences
from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, main


CONLLU = "".join("1\tAnna\tAnna\tPROPN\t_\t_\t2\tnsubj\t_\t_\n2\tsaw\tsee\tVERB\t_\t_\t0\troot\t_\t_\n"
                 f"3\ttown{k}\ttown\tNOUN\t_\t_\t2\tobj\t_\t_\n\n" for k in range(6))


def jsonl(*objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


class CardTest(CliTest):
    def test_its_figures_are_those_of_the_other_verbs(self):
        data, test = (self.file(f"{n}.conll", sentences(30, n)) for n in (1, 2))
        model = self.train("m.croft", "--max-iterations", 5, data)
        card = json.loads(self.run_ok("card", "-m", model, test, "--json"))
        scores = json.loads(self.run_ok("evaluate", "-m", model, "--json", test))
        self.assertEqual(card["scores"], scores)
        self.assertEqual(card["errors"]["kinds"],
                         json.loads(self.run_ok("errors", "-m", model, "--json", test))["kinds"])
        found = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", 5))
        self.assertEqual(card["training"], found["training"])
        for label, features in card["features"].items():
            self.assertEqual(features, found["top"]["node"][label]["largest"][:5])
        text = self.run_ok("card", "-m", model, test)
        self.assertIn(f"| F1 of chunks | {100 * scores['chunk']['f1']:.2f} % |", text)

    def test_its_command_makes_the_same_model(self):
        for options in ([], ["--l2", "0.5", "--optimizer", "lbfgs", "--seed", "3"], ["--model", "memm"],
                        ["--l1", "0.5", "--l2", "0"], ["--min-count", "2", "--tokenizer", "blanks"]):
            model = self.train("m.croft", *options, INGREDIENTS / "train.txt")
            command = json.loads(self.run_ok("card", "-m", model, "--json"))["reproduce"]
            words = shlex.split(command)
            self.assertEqual((words[:2], words[-3:]), (["croft", "train"], ["-o", "m.croft", "DATA"]))
            again = self.train("again.croft", *words[2:-3], INGREDIENTS / "train.txt")
            self.assertEqual(again.read_bytes(), model.read_bytes(), options)

    def test_its_command_has_the_settings_of_the_record(self):
        data = self.file("chunks.conll", sentences(20, 1))
        for options in (["--order", "2", "--histories", "allowed", "--constrain", "bio", "--max-iterations", "4"],
                        ["--objective", "softmax-margin", "--cost", "2", "--max-iterations", "3", "--boundaries"],
                        ["--objective", "composite", "--block", "3", "--max-iterations", "3"],
                        ["--intercept=unpenalised", "--max-iterations", "5"]):
            model = self.train("m.croft", *options, data)
            words = shlex.split(json.loads(self.run_ok("card", "-m", model, "--json"))["reproduce"])
            again = self.train("again.croft", *words[2:-3], data)
            self.assertEqual(again.read_bytes(), model.read_bytes(), options)

    def check_its_command(self, data, *options, files=()):
        """A training as the card of the first one says; the model, and what the card says."""
        model = self.train("m.croft", *options, data)
        command = json.loads(self.run_ok("card", "-m", model, "--json"))["reproduce"]
        left = list(map(str, files))
        words = [re.sub("FILE$", lambda _: left.pop(0), word) for word in shlex.split(command)[2:-3]]
        self.assertEqual(left, [], command)
        self.assertEqual(self.train("again.croft", *words, data).read_bytes(), model.read_bytes(), (options, command))
        return model, command

    def test_its_command_has_every_option_that_was_given(self):
        texts = self.file("t.tsv", "".join(f"{'ab'[k % 2]}\tThe {'cat dog'.split()[k % 2]} sat {k % 3}\n"
                                           for k in range(12)))
        table = self.file("t.csv", "a,b,c,label\n" + "".join(f"{k % 3},{k},{'?' if k % 4 == 0 else k / 2},"
                                                            f"{'xy'[k % 2]}\n" for k in range(12)))
        chunks = self.file("c.conll", sentences(20, 1))
        partial = self.file("p.conll", "a X\nb ?\n\na X/Y\nc Y\n\nb Y\n\n")
        hidden = self.file("u.conll", "a b\nc d\n\na d\nc b\n\n")
        for data, options in (
                (texts, "--model naive-bayes --event bernoulli --alpha 0.3 --format text --ngrams 1-2 --keep-case"),
                (texts, "--format text --ngrams 1-2 --term-weights tf-idf"),
                (texts, "--format text --min-documents 2 --max-documents 0.9 --stop-words english --seed 4"),
                (table, "--model maxent --format csv --standardise --ignore b --missing ? --tolerance 1e-3"),
                (table, "--model maxent --format csv --categorical a --numeric b,c --missing=? --label label"),
                (chunks, "--model segment --max-length 2 --max-length LOC=4 --segment-template none"),
                (chunks, "--optimizer sgd --step 0.3 --decay 0.5 --schedule constant --max-iterations 3"),
                (chunks, "--max-iterations 500 --history 3 --window 2"),
                (chunks, "--target 1e300"),
                (chunks, "--holdout 0.4 --early-stop 2"),
                (chunks, "--model pool --experts random:2 --experts all --max-iterations 5"),
                (chunks, "--model error-correcting --code all-pairs --decoder marginal --max-iterations 4"),
                (chunks, "--model hidden-chain --hidden-states 2 --hidden-states O=1 --em-iterations 3"),
                (chunks, "--no-intercept --boundaries --precision double --max-iterations 5"),
                (partial, "--partial --partial-separator / --max-iterations 5"),
                (hidden, "--model hmm --states 2 --em-iterations 3")):
            with self.subTest(options):
                self.check_its_command(data, *options.split())

    def test_its_command_has_a_place_for_every_file(self):
        data, held_out = self.file("c.conll", sentences(20, 1)), self.file("h.conll", sentences(9, 2))
        weights, lists = self.file("weights", "2\n1\n" * 10), self.file("places", "Ulm\nBad Sulz\n")
        whole = self.file("whole", "U1:%length\nU2:%gazetteer[fold]\n")
        groups = self.file("groups", "* I-* inside\n")
        start = self.train("start.croft", data)
        for options, files in ((("--holdout", held_out, "--early-stop", 2), [held_out]),
                               (("--weights", weights, "--max-iterations", 5), [weights]),
                               (("--init", start, "--l2", 3, "--max-iterations", 5), [start]),
                               (("--prior", start, "--max-iterations", 5), [start]),
                               (("--transition-groups", groups, "--max-iterations", 5), [groups]),
                               (("--unlabelled", held_out, "--unlabelled", data, "--entropy", 0.5,
                                 "--max-iterations", 5), [held_out, data]),
                               (("--model", "segment", "--segment-template", whole, "--gazetteer", f"towns={lists}"),
                                [lists, whole]),
                               (("--model", "pool", "--expert", start, "--expert", start, "--pool-weights", "uniform"),
                                [start, start])):
            with self.subTest(options):
                _, command = self.check_its_command(data, *options, files=files)
                self.assertNotIn(str(self.folder), command)

    def test_its_command_has_the_format_of_other_programs(self):
        text = "Anna saw Ulm"
        doccano = jsonl(*({"text": f"{text} {k}", "label": [[0, 4, "PER"], [9, 12, "LOC"]]} for k in range(6)))
        prodigy = jsonl(*({"text": f"{text} {k}", "spans": [{"start": 0, "end": 4, "label": "PER"}]}
                          for k in range(6)))
        self.file("b.ann", "T1\tPER 0 4\tAnna\n")
        for name, content, options in (("d.jsonl", doccano, "--format doccano --label-scheme bioes"),
                                       ("p.jsonl", prodigy, "--format prodigy --tokenizer blanks"),
                                       ("c.conllu", CONLLU, "--format conllu"),
                                       ("b.txt", text + "\n", "--format brat"),
                                       ("s.txt", "Anna saw Ulm\nUlm saw Anna\n" * 3, "--format segmented")):
            with self.subTest(options):
                _, command = self.check_its_command(self.file(name, content), *options.split())
                self.assertIn(f"--format {options.split()[1]} ", command)

    def test_a_record_repeats_nothing_and_has_nothing_of_the_run(self):
        data = self.file("chunks.conll", sentences(20, 1))
        model, _ = self.check_its_command(data, "--l2", "0.50", "--max-iterations", "3", "--threads", "2",
                                          "--precision", "auto", "--checkpoint", self.folder / "state", "--log",
                                          self.folder / "log")
        self.assertNotIn("options", json.loads(self.run_ok("card", "-m", model, "--json"))["training"])
        model, _ = self.check_its_command(data, "--step", "0.30", "--optimizer", "sgd", "--max-iterations", "3")
        self.assertEqual(json.loads(self.run_ok("card", "-m", model, "--json"))["training"]["options"], {"step": 0.3})

    def test_a_jackknife_trains_with_the_options_that_were_given(self):
        data = self.file("chunks.conll", sentences(30, 1))
        model = self.train("m.croft", "--optimizer", "sgd", "--step", "0.01", "--max-iterations", "2", data)
        other = self.train("o.croft", "--optimizer", "sgd", "--max-iterations", "2", data)
        stacked = self.run_ok("stack", "-m", model, "--jackknife", "2", data)
        self.assertEqual(stacked, self.run_ok("stack", "-m", other, "--jackknife", "2", "--step", "0.01", data))
        self.assertNotEqual(stacked, self.run_ok("stack", "-m", other, "--jackknife", "2", data))

    def test_a_calibration_is_told_and_made_again(self):
        data = self.file("1.conll", sentences(30, 1))
        held_out = self.file("2.conll", sentences(30, 2).replace("met O", "met B-PER", 2))
        plain, calibrated = self.train("m.croft", data), self.folder / "c.croft"
        self.run_ok("calibrate", "-m", plain, "-o", calibrated, held_out)
        card = json.loads(self.run_ok("card", "-m", calibrated, "--json"))
        temperature = card["calibration"]["temperature"]
        self.assertIn(f"calibrated: temperature {temperature:.6g}, fitted to 30 sequences",
                      self.run_ok("card", "-m", calibrated))
        train, calibrate = map(shlex.split, card["reproduce"].splitlines())
        self.assertEqual((train[-2], calibrate[1]), ("c-uncalibrated.croft", "calibrate"))
        again = self.train(train[-2], *train[2:-3], data)
        names = {train[-2]: again, "c.croft": self.folder / "again.croft", "HELDOUT": held_out}
        self.run_ok(*(names.get(word, word) for word in calibrate[1:]))
        self.assertEqual((self.folder / "again.croft").read_bytes(), calibrated.read_bytes())

    def test_segments_have_strongest_features_and_an_infinite_loss_is_said(self):
        data = self.file("chunks.conll", sentences(30, 1))
        model = self.train("m.croft", "--model", "segment", data)
        features = json.loads(self.run_ok("card", "-m", model, "--json"))["features"]
        parts = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", 5))["top"]
        node = next(part["largest"] for part in parts if part["part"] == "node")
        for label in ("PER", "B-PER"):
            weights = [each["weight"] for each in features[label]]
            self.assertEqual(weights, sorted(weights, reverse=True))
        own = [each for each in node if each["label"] == "B-PER"]
        self.assertEqual([{"label": "B-PER", **each} for each in features["B-PER"]], own)
        self.assertIn("## Strongest features", self.run_ok("card", "-m", model))
        long = self.file("long.conll", "Bad B-LOC\n" + "See I-LOC\n" * 4 + "\nthe O\n")
        page = self.run_ok("card", "-m", model, long)
        self.assertIn("inf: gold labels have probability 0 in 1 of the sequences", page)
        self.assertIn(f"Its file has {model.stat().st_size} bytes.", page)

    def test_notes_are_markdown_in_html(self):
        model = self.train("m.croft", "--max-iterations", 1, INGREDIENTS / "train.txt")
        notes = self.file("notes.md", "# Use & limits\n**bold**, *soft* and `a<b` of a_b_c \\*\n\n"
                                      "- one\n- two\n  more\n1. first\n\n```\n<i>*x*\n```\n[page](https://a.b/?c&d) "
                                      "[bad](javascript:alert(1)) <script>\n## Deeper\n")
        page = self.run_ok("card", "-m", model, "--format", "html", "--notes", notes)
        for part in ("<h2>Use &amp; limits</h2>", "<strong>bold</strong>, <em>soft</em> and <code>a&lt;b</code>",
                     "of a_b_c *</p>", "<ul>\n<li>one</li>\n<li>two\nmore</li>\n</ul>",
                     "<ol>\n<li>first</li>\n</ol>", "<pre>&lt;i&gt;*x*\n</pre>",
                     '<a href="https://a.b/?c&amp;d">page</a>', "[bad](javascript:alert(1)) &lt;script&gt;",
                     "<h3>Deeper</h3>"):
            self.assertIn(part, page)
        self.assertNotIn("href=\"javascript", page)

    def test_the_name_of_the_file_says_its_form(self):
        model = self.train("m.croft", "--max-iterations", 1, INGREDIENTS / "train.txt")
        for name, begins in (("c.htm", "<!doctype html>"), ("c.html", "<!doctype html>"), ("c.json", "{"),
                             ("c.md", "# Model m"), ("c", "# Model m")):
            self.run_ok("card", "-m", model, "-o", self.folder / name)
            self.assertTrue((self.folder / name).read_text().startswith(begins), name)
        for options in (("--format", "html", "-o", "x.md"), ("--format", "markdown", "-o", "x.htm"),
                        ("--format", "html", "-o", "x.json"), ("--json", "-o", "x.html")):
            self.fails(WRONG_USAGE, "card", "-m", model, *options, mentions=["rename the file"])
        self.fails(WRONG_USAGE, "card", "-m", model, "--json", "--format", "html", mentions=["--json", "--format"])

    def test_its_command_names_the_files_that_the_kind_needs(self):
        data = self.file("chunks.conll", sentences(20, 1))
        classes = self.file("classes", "B-PER\tperson\nI-PER\tperson\n")
        template = self.file("joint", "ua:%x[0,0] * %y\nub:%x[0,0] * %y[class]\n")
        experts = [self.train(f"{kind}.croft", "--model", kind, data) for kind in ("naive-bayes", "maxent")]
        joint = ["--model", "maxent", "--joint-template", template, "--label-classes", classes]
        mixture = ["--model", "mixture", "--expert", experts[0], "--expert", experts[1]]
        for options, files in ((joint, [template, classes]), (mixture, experts), (["--model", "hmm"], [])):
            model = self.train("m.croft", *options, data)
            words = shlex.split(json.loads(self.run_ok("card", "-m", model, "--json"))["reproduce"])
            left = list(files)
            words = [left.pop(0) if word == "FILE" else word for word in words[2:-3]]
            self.assertEqual(left, [], words)
            self.assertEqual(self.train("again.croft", *words, data).read_bytes(), model.read_bytes(), options)

    def test_text_of_data_is_neither_markup_nor_html(self):
        data = self.file("d", "<b>|*x*\tB-<i>\n_\tO\n\n" * 3)
        model = self.train("m.croft", data)
        other = self.file("o", "<b>|*x*\tO\n_\tO\n\n")
        notes = self.file("notes.md", "For *tests* alone.\n\tIn two lines.\n")
        page = self.folder / "m.html"
        self.assertEqual(self.run_ok("card", "-m", model, other, "--notes", notes, "-o", page), "")
        html = page.read_text()
        self.assertNotIn("<b>", html)
        self.assertNotIn("<i>", html)
        self.assertIn("&lt;i&gt;", html)
        self.assertIn("<p>For <em>tests</em> alone.\nIn two lines.</p>", html)
        markdown = self.run_ok("card", "-m", model, other, "--notes", notes)
        self.assertIn("\nFor *tests* alone.\n\tIn two lines.\n", markdown)
        self.assertIn("\\<b\\>\\|\\*x\\*", markdown)

    def test_misuse(self):
        model = self.train("m.croft", "--max-iterations", 1, INGREDIENTS / "train.txt")
        self.fails(WRONG_USAGE, "card", "-m", model, "-", mentions=["twice"])
        self.fails(WRONG_USAGE, "card", "-m", model, "-o", model, mentions=["--output"])
        self.fails(WRONG_USAGE, "card", "-m", mentions=["--model"])
        self.fails(BAD_INPUT, "card", "-m", model, self.folder / "none", mentions=["none"])
        self.assertIn("Model m", self.run_ok("card", "-m", model, "--format", "html"))


if __name__ == "__main__":
    main()
