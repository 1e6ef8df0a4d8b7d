"""croft train --model graph --unlabelled: entropy, expectations, bounds and self-training of graphs from tables."""

import json
import random
import sqlite3

from support import BAD_INPUT, WRONG_USAGE, CliTest, croft, main

SPEC = """
[[variables]]
domain = "tag"
query = "select id, sentence as instance, label from token"

[[templates]]
name = "word"
variables = ["tag"]
query = "select id, word from token"

[[templates]]
name = "next"
variables = ["tag", "tag"]
query = '''
  select a.id, b.id from token a join token b
  on b.sentence = a.sentence and b.position = a.position + 1
'''
"""


def tokens(seed, sentences, labelled=1.0):
    """Rows of runs of A and B, whose words say which, mostly; a share of the labels."""
    draw = random.Random(seed)
    rows = []
    for sentence in range(sentences):
        label = draw.choice("AB")
        for position in range(draw.randint(3, 7)):
            label = label if draw.random() < 0.8 else "AB"["BA".index(label)]
            word = label.lower() if draw.random() < 0.8 else "ab"[draw.randrange(2)]
            rows.append((len(rows), sentence, position, f"{word}{draw.randrange(9)}",
                         label if draw.random() < labelled else None))
    return rows


class GraphUnlabelled(CliTest):
    def setUp(self):
        super().setUp()
        self.spec = self.file("s.toml", SPEC)
        self.few = self.database("few.sqlite", tokens(1, 6))
        self.more = self.database("more.sqlite", tokens(2, 80))
        self.test = self.database("test.sqlite", tokens(3, 80))

    def database(self, name, rows):
        path = self.folder / name
        with sqlite3.connect(path) as db:
            db.execute("create table token(id integer primary key, sentence, position, word text, label text)")
            db.executemany("insert into token values (?, ?, ?, ?, ?)", rows)
        db.close()
        return path

    def arguments(self, *options, data=None):
        return ("train", "--quiet", "--model", "graph", "--spec", self.spec, "--database", data or self.few, *options)

    def train(self, *options, data=None, name="m"):
        model = self.folder / name
        self.run_ok(*self.arguments(*options, "-o", model, data=data))
        return model

    def evaluated(self, model):
        return json.loads(self.run_ok("evaluate", "-m", model, "--json", "--database", self.test))

    def accuracy(self, model):
        return self.evaluated(model)["variables"]["accuracy"]

    def record(self, model):
        return json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]["unlabelled"]

    def marginals(self, model, database):
        lines = self.run_ok("predict", "-m", model, "--database", database, "--to", "json", "--marginals")
        return [json.loads(line)["marginals"] for line in lines.splitlines()]

    def refused(self, status, text, *options, data=None):
        done = croft(*self.arguments(*options, "-o", self.folder / "x", data=data))
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(text, done.stderr.decode())

    def test_entropy_makes_a_model_surer_of_what_has_no_labels(self):
        sure = []
        for weight in ("0", "1", "3"):
            options = ("--unlabelled", self.more, "--entropy", weight) if weight != "0" else ()
            model = self.train(*options)
            each = [max(of.values()) for of in self.marginals(model, self.more)]
            sure.append(sum(each) / len(each))
        self.assertLess(sure[0], sure[1])
        self.assertLess(sure[1], sure[2])
        self.assertEqual(self.record(model), {"instances": 80, "entropy": 3})

    def test_the_labels_of_the_other_database_are_not_looked_at(self):
        other = self.database("other.sqlite", [(*row[:4], "C") for row in tokens(2, 80)])
        models = [self.train("--unlabelled", more, "--entropy", "1", name=name).read_bytes()
                  for name, more in (("one", self.more), ("two", other))]
        self.assertEqual(*models)

    def test_null_labels_are_data_without_labels_too(self):
        rows = tokens(1, 6) + [(row[0] + 1000, row[1] + 1000, *row[2:4], None) for row in tokens(2, 80)]
        together = self.database("together.sqlite", rows)
        model = self.train("--entropy", "1", "--start-deviation", "0", data=together)
        self.assertEqual(self.record(model), {"entropy": 1})
        apart = self.train("--unlabelled", self.more, "--entropy", "1", name="apart")
        # The words of both have weights in the one, those of the few in the other.
        self.assertLess(abs(self.accuracy(model) - self.accuracy(apart)), 0.1)

    def test_expectations_move_the_shares(self):
        shares = self.file("shares.tsv", "word:(bias)\tA=0.9\tB=0.1\n")
        model = self.train("--unlabelled", self.more, "--expectations", shares, "--expectations-weight", "20")
        of = [each["A"] for each in self.marginals(model, self.more)]
        self.assertAlmostEqual(sum(of) / len(of), 0.9, delta=0.05)
        self.assertEqual(self.record(model), {"instances": 80, "expectations": "file", "expectations_weight": 20})
        bounds = self.file("bounds.tsv", "word:(bias)\tA>=0.8\n")
        model = self.train("--unlabelled", self.more, "--expectations", bounds, "--expectations-weight", "20")
        of = [each["A"] for each in self.marginals(model, self.more)]
        self.assertGreater(sum(of) / len(of), 0.7)

    def test_known_words_help_where_labels_are_few(self):
        alone = self.accuracy(self.train())
        lines = "".join(f"word:word={label.lower()}{k}\t{label}=0.9\n" for label in "AB" for k in range(9))
        words = self.file("words.tsv", lines)
        # Words that the few do not have, have no weights: all are in the data, without a label.
        rows = tokens(1, 6) + [(row[0] + 1000, row[1] + 1000, *row[2:4], None) for row in tokens(2, 80)]
        together = self.database("together.sqlite", rows)
        helped = self.accuracy(self.train("--expectations", words, data=together))
        self.assertGreater(helped, alone)

    def test_labelled_data_says_what_to_expect(self):
        model = self.train("--unlabelled", self.more, "--expectations", "labelled:5")
        self.assertEqual(self.record(model)["expectations"], 5)

    def test_a_chain_of_tables_has_the_weights_of_model_chain(self):
        def attributes(name, database):
            with sqlite3.connect(database) as db:
                rows = db.execute("select sentence, word, label from token order by id").fetchall()
            db.close()
            lines = [f"{row[2]}\tword={row[1]}\n" + ("\n" if after is None or after[0] != row[0] else "")
                     for row, after in zip(rows, rows[1:] + [None])]
            return self.file(name, "".join(lines))
        few = self.database("words.sqlite", [(*row[:3], f"{row[3][0]}{row[0] % 3}", row[4]) for row in tokens(1, 6)])
        more = self.database("others.sqlite", [(*row[:3], f"{row[3][0]}{row[0] % 3}", row[4])
                                               for row in tokens(2, 30)])
        words = 'select id, word from token"'
        spec = self.file("plain.toml", SPEC.replace(words, words + "\nbias = false"))
        exact = ("--tolerance", "0", "--gradient-tolerance", "1e-8", "--entropy", "0.5", "--expectations", "labelled:2")
        graph, chain = self.folder / "graph", self.folder / "chain"
        self.run_ok("train", "--quiet", "--model", "graph", "--spec", spec, "--database", few, "--unlabelled", more,
                    *exact, "-o", graph)
        self.run_ok("train", "--quiet", "--format", "attributes", "--features", "all", "--precision", "double",
                    "--optimizer", "lbfgs", "--unlabelled", attributes("others", more), *exact, "-o", chain,
                    attributes("words", few))
        values = [json.loads(self.run_ok("inspect", "-m", model, "--json"))["training"]["objective_value"]
                  for model in (graph, chain)]
        self.assertAlmostEqual(*values, delta=1e-6)

    def test_self_training(self):
        model = self.train("--unlabelled", self.more, "--self-training", "2", "--confidence", "0.8")
        record = self.record(model)
        self.assertEqual((record["instances"], record["confidence"], record["rounds"]), (80, 0.8, 2))
        self.assertGreater(record["positions"], 50)
        half = self.database("half.sqlite", tokens(4, 40, labelled=0.3))
        record = self.record(self.train("--self-training", "1", "--confidence", "0.8", data=half))
        self.assertGreater(record["positions"], 20)

    def test_the_same_seed_gives_the_same_bytes(self):
        for options in (("--entropy", "1", "--expectations", "labelled:4"), ("--self-training", "1")):
            models = [self.train("--unlabelled", self.more, *options, "--threads", threads).read_bytes()
                      for threads in ("1", "3")]
            self.assertEqual(*models)

    def test_goes_with_other_objectives_priors_and_l1(self):
        start = self.train(name="start")
        for options in (("--objective", "pseudolikelihood"), ("--prior", start), ("--l1", "0.1"),
                        ("--optimizer", "cg"), ("--holdout", self.test, "--early-stop", "3")):
            self.train("--unlabelled", self.more, "--entropy", "0.5", *options)

    def test_a_tree_that_is_too_wide_is_refused(self):
        spec = self.file("all.toml", SPEC.replace("b.position = a.position + 1", "b.position > a.position"))
        few = self.database("short.sqlite", [row for row in tokens(1, 6) if row[2] < 3])
        wide = self.database("wide.sqlite", [(n, 1, n, f"a{n % 9}", None) for n in range(45)])
        arguments = ("train", "--quiet", "--model", "graph", "--spec", spec, "--database", few, "--unlabelled", wide,
                     "-o", self.folder / "x")
        for option in ("--entropy", "1"), ("--expectations", "labelled"):
            done = croft(*arguments, *option)
            self.assertEqual(done.returncode, WRONG_USAGE, done.stderr)
            self.assertIn("an instance with 45 hidden variables takes 5.6e+05 GB", done.stderr.decode())
            self.assertIn("divide it into smaller instances", done.stderr.decode())

    def test_refusals(self):
        unlabelled = ("--unlabelled", self.more)
        self.refused(WRONG_USAGE, "give one", *unlabelled)
        self.refused(WRONG_USAGE, "leave labels empty", "--entropy", "1")
        self.refused(WRONG_USAGE, "not with --objective max-margin", *unlabelled, "--entropy", "1", "--objective",
                     "max-margin")
        self.refused(WRONG_USAGE, "has no use for data without labels", *unlabelled, "--entropy", "1", "--optimizer",
                     "sgd")
        self.refused(WRONG_USAGE, "does not go with --em-iterations", *unlabelled, "--entropy", "1",
                     "--em-iterations", "3")
        self.refused(WRONG_USAGE, "needs all labels", *unlabelled, "--self-training", "1", "--objective",
                     "pseudolikelihood")
        self.refused(WRONG_USAGE, "--view", *unlabelled, "--self-training", "1", "--view", "a*")
        expect = lambda text: self.file("e.tsv", text)
        self.refused(BAD_INPUT, "no variable without a label has", *unlabelled, "--expectations",
                     expect("word:x\tA=1\n"))
        self.refused(BAD_INPUT, "each label of one variable", *unlabelled, "--expectations",
                     expect("next:(bias)\tA=1\n"))
        given = self.file("given.toml", SPEC + '''
[[templates]]
name = "prior"
variables = ["tag"]
query = "select id from token"
weights = [["(bias)", "A", 0.5]]
''')
        done = croft("train", "--model", "graph", "--spec", given, "--database", self.few, *unlabelled, "--entropy",
                     "1", "-o", self.folder / "x")
        self.assertEqual(done.returncode, WRONG_USAGE, done.stderr)
        self.assertIn("the template 'prior' has scores that are given", done.stderr.decode())


if __name__ == "__main__":
    main()
