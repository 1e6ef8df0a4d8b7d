"""examples/language-model: the trigram model is a distribution, and joint features beat it."""

import json
import re
import subprocess
import sys

from support import SOURCE, CliTest, main

EXAMPLE = SOURCE / "examples" / "language-model"


class LanguageModelTest(CliTest):
    def script(self, name, *arguments):
        return subprocess.run([sys.executable, "-B", EXAMPLE / name, *map(str, arguments)],
                              check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout

    def test_joint_features_beat_the_smoothed_trigram_model(self):
        text = (EXAMPLE / "text.txt").read_text("utf-8")
        some = self.file("text.txt", "\n\n".join(text.split("\n\n")[:110]))  # a third: quicker
        self.script("columns.py", some, self.folder)
        lines = self.script("trigram.py", self.folder)
        trigram = dict(re.findall(r"trigram, (.*): perplexity ([\d.]+)", lines))
        model = self.train("words.croft", "--model", "maxent",
                           "--joint-template", EXAMPLE / "words.template",
                           "--label-classes", self.folder / "classes.tsv", "--l2", "1.5",
                           "--tolerance", "1e-3", self.folder / "train.txt")
        result = json.loads(self.run_ok("evaluate", "-m", model, "--json",
                                        self.folder / "test.txt"))
        self.assertGreater(result["tokens"]["count"], 500)
        self.assertLess(result["perplexity"], float(trigram["modified Kneser-Ney"]))
        self.assertLess(result["perplexity"], float(trigram["Jelinek-Mercer"]))

    def test_text_is_made_of_documents(self):
        page = self.file("page.md", "# Title\n\nA chain has *labels*, says [a page](x.md): 3 of "
                                    "them, in `code`. No\nsecond sentence ends here.\n\n```\nnot "
                                    "this line.\n```\n\n## Next\n\n* A list has points too.\n")
        self.assertEqual(self.script("sentences.py", page),
                         "a chain has labels , says a page : <num> of them , in <code> .\n"
                         "no second sentence ends here .\n\na list has points too .\n\n")


if __name__ == "__main__":
    main()
