"""Labels papers by their words, and by words and the labels of neighbours, iterated.

    python3 iterative.py CROFT TRAIN.sqlite TEST.sqlite FOLDER [--use-known] [--rounds 10]

Iterative classification (Neville & Jensen 2000; Sen et al. 2008).  Two classifiers by croft train
--model maxent: of words, and of words and the number of neighbours with each label.  The first one
labels the test papers; the second one labels them again and again, each time all of them, by the
labels that the neighbours have had.  With --use-known those of papers that are known never change.
Writes content.tsv and iterative.tsv into FOLDER: paper TAB label.
"""
import argparse
import collections
import pathlib
import sqlite3
import subprocess


class Graph:
    def __init__(self, path):
        db = sqlite3.connect(path)
        self.field, self.known = {}, {}
        for paper, field, known in db.execute("select id, field, known from paper order by id"):
            self.field[paper] = field
            if known:
                self.known[paper] = field
        self.words = collections.defaultdict(list)
        for paper, term in db.execute("select paper, term from word"):
            self.words[paper].append(term)
        self.neighbours = collections.defaultdict(list)
        for source, target in db.execute("select source, target from cites"):
            self.neighbours[source].append(target)
            self.neighbours[target].append(source)

    # An example a paper: its field, its words and, with labels, those of its neighbours.
    def write(self, path, labels=None):
        with open(path, "w", encoding="utf-8") as out:
            for paper in self.field:
                cells = [self.field[paper]] + self.words[paper]
                if labels is not None:
                    count = collections.Counter(labels[n] for n in self.neighbours[paper])
                    cells += [f"neighbours={label}:{n}" for label, n in sorted(count.items())]
                print(*cells, sep="\t", end="\n\n", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("croft")
    parser.add_argument("train", type=Graph)
    parser.add_argument("test", type=Graph)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--use-known", action="store_true")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    folder, test = options.folder, options.test
    known = test.known if options.use_known else {}

    def train(name, labels=None):
        options.train.write(folder / "train.attributes", labels)
        subprocess.run([options.croft, "train", "--quiet", "--model", "maxent", "--format",
                        "attributes", "--features", "all", "-o", folder / name,
                        folder / "train.attributes"], check=True)

    def predict(name, labels=None):
        test.write(folder / "test.attributes", labels)
        text = subprocess.run([options.croft, "predict", "-m", folder / name,
                               folder / "test.attributes"], check=True,
                              stdout=subprocess.PIPE, encoding="utf-8").stdout
        found = [line.strip() for line in text.splitlines() if line]
        assert len(found) == len(test.field)
        return {**dict(zip(test.field, found)), **known}

    def keep(name, labels):
        with open(folder / name, "w", encoding="utf-8") as out:
            for paper, label in labels.items():
                print(paper, label, sep="\t", file=out)

    train("content.croft")
    train("neighbours.croft", options.train.field)
    labels = predict("content.croft")
    keep("content.tsv", labels)
    for _ in range(options.rounds):
        before, labels = labels, predict("neighbours.croft", labels)
        if labels == before:
            break
    keep("iterative.tsv", labels)


main()
