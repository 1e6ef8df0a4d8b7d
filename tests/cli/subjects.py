"""Texts of three subjects, models of them, and what these models say."""

import json
import random

from support import CliTest

WORDS = ["ball", "goal", "vote", "law", "team", "party", "song", "stage"]
SUBJECTS = {"sport": [5, 4, 2, 1, 4, 2, 1, 1], "politics": [1, 2, 5, 4, 2, 4, 1, 1],
            "music": [1, 1, 1, 1, 3, 3, 5, 5]}


def documents(count, seed, labels=("sport", "politics", "music")):
    """Lines LABEL TAB TEXT; each word comes several times, which naive Bayes takes for evidence."""
    generator = random.Random(seed)
    lines = []
    for _ in range(count):
        label = generator.choice(labels)
        words = generator.choices(WORDS, SUBJECTS[label], k=generator.randint(1, 4))
        lines.append(f"{label}\t{' '.join(words * generator.randint(1, 3))}\n")
    return "".join(lines)


class SubjectsTest(CliTest):
    def model(self, name, *arguments, labels=("sport", "politics", "music"), kind="naive-bayes"):
        return self.train(name, "--model", kind, "--format", "text", *arguments,
                          self.file(name + ".tsv", documents(300, 1, labels)))

    def posteriors(self, model, data):
        lines = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", data)
        return [json.loads(line)["marginals"][0] for line in lines.splitlines()]

    def evaluated(self, model, data):
        return json.loads(self.run_ok("evaluate", "-m", model, "--json", data))
