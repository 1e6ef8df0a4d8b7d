"""croft card: a page whose figures are those of evaluate, and whose command makes the same model."""

import json
import shlex

from people_and_towns import sentences
from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, main


class CardTest(CliTest):
    def test_its_figures_are_those_of_the_other_verbs(self):
        data, test = (self.file(f"{n}.conll", sentences(30, n)) for n in (1, 2))
        model = self.train("m.croft", "--max-iterations", 5, data)
        card = json.loads(self.run_ok("card", model, test, "--json"))
        scores = json.loads(self.run_ok("evaluate", "-m", model, "--json", test))
        self.assertEqual(card["scores"], scores)
        self.assertEqual(card["errors"]["kinds"],
                         json.loads(self.run_ok("errors", "-m", model, "--json", test))["kinds"])
        found = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", 5))
        self.assertEqual(card["training"], found["training"])
        for label, features in card["features"].items():
            self.assertEqual(features, found["top"]["node"][label]["largest"][:5])
        text = self.run_ok("card", model, test)
        self.assertIn(f"| F1 of chunks | {100 * scores['chunk']['f1']:.2f} % |", text)

    def test_its_command_makes_the_same_model(self):
        for options in ([], ["--l2", "0.5", "--optimizer", "lbfgs", "--seed", "3"], ["--model", "memm"],
                        ["--l1", "0.5", "--l2", "0"], ["--min-count", "2", "--tokenizer", "blanks"]):
            model = self.train("m.croft", *options, INGREDIENTS / "train.txt")
            command = json.loads(self.run_ok("card", model, "--json"))["reproduce"]
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
            words = shlex.split(json.loads(self.run_ok("card", model, "--json"))["reproduce"])
            again = self.train("again.croft", *words[2:-3], data)
            self.assertEqual(again.read_bytes(), model.read_bytes(), options)

    def test_its_command_names_the_files_that_the_kind_needs(self):
        data = self.file("chunks.conll", sentences(20, 1))
        classes = self.file("classes", "B-PER\tperson\nI-PER\tperson\n")
        template = self.file("joint", "ua:%x[0,0] * %y\nub:%x[0,0] * %y[class]\n")
        experts = [self.train(f"{kind}.croft", "--model", kind, data) for kind in ("naive-bayes", "maxent")]
        joint = ["--model", "maxent", "--joint-template", template, "--label-classes", classes]
        mixture = ["--model", "mixture", "--expert", experts[0], "--expert", experts[1]]
        for options, files in ((joint, [template, classes]), (mixture, experts), (["--model", "hmm"], [])):
            model = self.train("m.croft", *options, data)
            words = shlex.split(json.loads(self.run_ok("card", model, "--json"))["reproduce"])
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
        self.assertEqual(self.run_ok("card", model, other, "--notes", notes, "-o", page), "")
        html = page.read_text()
        self.assertNotIn("<b>", html)
        self.assertNotIn("<i>", html)
        self.assertIn("&lt;i&gt;", html)
        self.assertIn("For *tests* alone.\n\tIn two lines.\n", html)
        markdown = self.run_ok("card", model, other, "--notes", notes)
        self.assertIn("\nFor *tests* alone.\n\tIn two lines.\n", markdown)
        self.assertIn("\\<b\\>\\|\\*x\\*", markdown)

    def test_misuse(self):
        model = self.train("m.croft", "--max-iterations", 1, INGREDIENTS / "train.txt")
        self.fails(WRONG_USAGE, "card", model, "-", mentions=["twice"])
        self.fails(WRONG_USAGE, "card", model, "-o", model, mentions=["--output"])
        self.fails(WRONG_USAGE, "card", mentions=["--model"])
        self.fails(BAD_INPUT, "card", model, self.folder / "none", mentions=["none"])
        self.assertIn("Model m", self.run_ok("card", model, "--format", "html"))


if __name__ == "__main__":
    main()
