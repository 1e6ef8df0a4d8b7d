"""Every kind of model is shown as text and as JSON, with the same names and numbers."""

import json

from support import WRONG_USAGE, CliTest, main

SENTENCES = [["the D", "dog N", "sleeps V", ". O"], ["a D", "cat N", "sees V", "the D", "dog N", ". O"],
             ["the D", "cat N", "runs V", ". O"], ["a D", "dog N", "runs V", ". O"]]
CHUNKS = [["Ann B-PER", "Lee I-PER", "met O", "Bob B-PER", ". O"], ["Bob B-PER", "went O", "to O", "Rome B-LOC"],
          ["New B-LOC", "York I-LOC", "is O", "big O"]]
SHORT = ("--max-iterations", 4)
KINDS = {
    "chain": SHORT, "maxent": SHORT, "memm": SHORT,
    "pool": ("--experts", "all", "--experts", "position", *SHORT),
    "error-correcting": ("--code", "one-vs-rest", *SHORT),
    "hidden-chain": ("--hidden-states", 2, *SHORT),
    "segment": SHORT,
    "boosted-chain": ("--rounds", 3), "boosted-maxent": ("--rounds", 3), "boosted-segment": ("--rounds", 3),
    "hmm": (), "naive-bayes": (),
}
WEIGHTS = ("weight", "probability", "above_mean", "gain")
FORMATS = ("{:.5f}", "{:+.5g}", "{:.4f}", "{:+.4f}", "{:.2f}")


def text_of(sentences):
    return "\n\n".join("\n".join(rows) for rows in sentences) + "\n"


def members(value):
    """(key, value) of all objects within a value."""
    if isinstance(value, dict):
        yield from value.items()
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from members(each)


class KindsTest(CliTest):
    def trained(self, kind, options):
        data = self.file("data", text_of(CHUNKS if kind.endswith("segment") else SENTENCES))
        return self.train("m.croft", "--model", kind, *options, data)

    def views(self, model, *options):
        """The document, the summary as text and the rest as text."""
        document = json.loads(self.run_ok("inspect", "-m", model, "--json", *options))
        text, summary = self.run_ok("inspect", "-m", model, *options), self.run_ok("inspect", "-m", model)
        self.assertTrue(text.startswith(summary))
        return document, summary, text[len(summary):]

    def check(self, kind, model):
        document, summary, top = self.views(model, "--top", 3)
        self.assertEqual(document["kind"], kind)
        lines = summary.splitlines()
        self.assertIn(f"kind          {kind}", lines)
        self.assertIn(f"file size     {document['file_bytes']} bytes", lines)
        for section in document["sections"]:
            self.assertIn(f"{section['name']:<24}{section['bytes']:>14}", lines)
        for name, value in document["training"].items():
            if isinstance(value, str):
                self.assertIn(f"  {name.replace('_', ' '):<23} {value}", lines)
        numbers = [value for key, value in members(document["top"]) if key in WEIGHTS]
        self.assertGreater(len(numbers), 0)
        for number in numbers:
            self.assertTrue(any(form.format(number) in top for form in FORMATS), (number, top))

    def test_each_kind_has_the_same_numbers_in_text_and_json(self):
        for kind, options in KINDS.items():
            with self.subTest(kind):
                self.check(kind, self.trained(kind, options))

    def test_so_have_joint_features(self):
        template = self.file("t", "u1:%x[-1,0] * %y\nu2 * %y in %x[..-1,0]\n")
        data = self.file("data", text_of(SENTENCES))
        self.check("joint-maxent", self.train("m.croft", "--model", "maxent", "--joint-template", template,
                                              *SHORT, data))

    def test_so_have_mixtures(self):
        data = self.file("data", text_of(SENTENCES))
        experts = [part for kind in ("maxent", "naive-bayes")
                   for part in ("--expert", self.train(f"{kind}.croft", "--model", kind, *KINDS[kind], data))]
        self.check("mixture", self.train("m.croft", "--model", "mixture", *experts, data))

    def test_each_weight_is_a_line_and_a_kind_without_weights_says_so(self):
        for kind, options in KINDS.items():
            model = self.trained(kind, options)
            with self.subTest(kind):
                if kind == "hmm":
                    self.fails(WRONG_USAGE, "inspect", "-m", model, "--weights", mentions=["has probabilities"])
                    continue
                lines = self.run_ok("inspect", "-m", model, "--weights").splitlines()
                self.assertGreater(len(lines), 10)
                for line in lines:
                    float(line.split("\t")[-1])


if __name__ == "__main__":
    main()
