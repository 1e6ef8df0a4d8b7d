"""croft train --kit: the features of docs/features.md, and that page itself; croft cluster."""

import json
import os
import pathlib
import random
import re
import subprocess
import unittest

from support import BAD_INPUT, CROFT, SOURCE, WRONG_USAGE, CliTest, croft

PLACES = "New York\tLOC\nParis\tLOC\nAnna\tPER\n"
KIT = """columns = ["word", "size"]
[[gazetteer]]
name = "list"
file = "lists/places.txt"
at = [-1, 0, 1]
[[clusters]]
name = "brown"
file = "lists/brown.txt"
prefixes = [1, 3]
[[embeddings]]
name = "vec"
file = "lists/vectors.txt"
scale = "standardise"
unknown = "mean"
[[ngrams]]
name = "chars"
[[forms]]
name = "form"
forms = ["lower", "shape", "long-shape"]
prefixes = [2]
suffixes = [5]
[[pattern]]
name = "year"
pattern = '^\\d{4}$'
[[number]]
name = "bin"
column = "size"
bins = 3
missing = ["?"]
[[number]]
name = "scaled"
column = 1
missing = ["?"]
[[backoff]]
name = "b"
levels = ["word", "form.lower", "brown.3"]
conjunctions = [[-1, 0]]
mixed = true
"""


def sentences(seed, count=60):
    """Columns word, size, label, of which the words say the labels with the neighbours' help."""
    draw = random.Random(seed)
    names = {"LOC": ["New York", "Paris", "Oslo", "Rome"], "PER": ["Anna", "Peter", "Mary Ann"]}
    text = []
    for _ in range(count):
        rows = []
        for _ in range(draw.randint(1, 4)):
            if draw.random() < 0.5:
                kind = draw.choice(sorted(names))
                for k, word in enumerate(draw.choice(names[kind]).split()):
                    rows.append((word, ("B-" if k == 0 else "I-") + kind))
            rows.append((draw.choice(["went", "to", "in", "1999", "saw"]), "O"))
        size = lambda: draw.choice(["?", "1", "2.5", "30", "-4"])
        text += [f"{word} {size()} {label}" for word, label in rows] + [""]
    return "\n".join(text) + "\n"


class KitTest(CliTest):
    def setUp(self):
        super().setUp()
        (self.folder / "lists").mkdir()
        self.file("lists/places.txt", PLACES)
        self.file("lists/brown.txt", "0010\twent\t5\n0011\tto\n01\tin\n110\tparis\n111\tOslo\n")
        self.file("lists/vectors.txt", "4 2\nparis 1 0.5\nrome 0.9 0.4\nto -1 2\nin -0.5 2\n")
        self.kit = self.file("kit.toml", KIT)
        self.data = self.file("train.txt", sentences(1))

    def test_a_model_needs_no_file_of_the_kit(self):
        model = self.train("m.croft", "--kit", self.kit, "--max-iterations", 20, self.data)
        new = self.file("new.txt", sentences(2))
        before = self.run_ok("predict", "-m", model, "--marginals", new)
        for name in ("places.txt", "brown.txt", "vectors.txt"):
            (self.folder / "lists" / name).unlink()
        self.kit.unlink()
        moved = model.rename(self.folder / "moved.croft")
        self.assertEqual(self.run_ok("predict", "-m", moved, "--marginals", new), before)
        self.assertIn("B-LOC", before)
        self.run_ok("inspect", "--verify", "-m", moved)
        text = self.run_ok("inspect", "-m", moved)
        self.assertIn("kit           9 features\n", text)
        self.assertIn("gazetteer   list: 3 entries of 4 different tokens\n", text)
        self.assertIn("embeddings  vec: 4 words, 2 numbers each\n", text)
        kit = json.loads(self.run_ok("inspect", "-m", moved, "--json"))["extraction"]["kit"]
        self.assertEqual(kit["features"][0]["types"], ["LOC", "PER"])
        self.assertEqual(len(kit["features"]), 9)

    def test_the_same_model_every_time_and_for_any_number_of_threads(self):
        models = [self.train(f"m{k}.croft", "--kit", self.kit, "--max-iterations", 10, "--threads", k,
                             self.data).read_bytes() for k in (1, 2)]
        self.assertEqual(models[0], models[1])

    def test_data_from_a_pipe_is_read_for_the_numbers_and_again(self):
        piped = self.folder / "piped.croft"
        self.run_ok("train", "--quiet", "--kit", self.kit, "--max-iterations", 10, "-o", piped, "-",
                    stdin=self.data.read_bytes())
        model = self.train("m.croft", "--kit", self.kit, "--max-iterations", 10, self.data)
        self.assertEqual(piped.read_bytes(), model.read_bytes())

    def test_training_goes_on_with_the_kit_of_the_model(self):
        model = self.train("m.croft", "--kit", self.kit, "--max-iterations", 5, self.data)
        more = self.train("more.croft", "--init", model, "--max-iterations", 5, self.data)
        kits = [json.loads(self.run_ok("inspect", "--json", "-m", m))["extraction"]["kit"]
                for m in (model, more)]
        self.assertEqual(kits[0], kits[1])
        self.fails(WRONG_USAGE, "train", "--quiet", "-o", "x.croft", "--init", model, "--kit", self.kit,
                   self.data, mentions=["has a feature kit"])

    def test_templates_name_computed_columns(self):
        template = self.file("t", "U1:%x[0,list]/%x[-1,brown.3]\nU2:%x[0,word]\nB\n")
        kit = self.file("small.toml", '[[gazetteer]]\nname = "list"\nfile = "lists/places.txt"\n'
                        '[[clusters]]\nname = "brown"\nfile = "lists/brown.txt"\nprefixes = [3]\n')
        kit.write_text('columns = ["word", "size"]\n' + kit.read_text())
        model = self.train("m.croft", "--kit", kit, "--template", template, self.data)
        weights = self.run_ok("inspect", "-m", model, "--weights")
        self.assertIn("U1:B-LOC/001", weights)
        self.assertNotIn("list[0]", weights)

    def test_attribute_lines_and_tables(self):
        kit = self.file("a.toml", '[[clusters]]\nname = "brown"\ncolumn = "w"\nfile = "lists/brown.txt"\n'
                        'prefixes = [2]\nat = [-1, 0]\n[[number]]\nname = "n"\ncolumn = "age"\nbins = 2\n')
        data = self.file("a.txt", "X\tw=went\tage:4\nY\tw=in\tage:9\n\nY\tw=to\n\n")
        weights = self.run_ok("inspect", "-m", self.train(
            "a.croft", "--format", "attributes", "--kit", kit, data), "--weights")
        for name in ("brown.2[-1]=00", "brown.2[0]=01", "n[0]=0", "n[0]=1", "n[0]=missing"):
            self.assertIn(name, weights)
        table = self.file("t.csv", "w,age,label\nwent,4,X\nin,9,Y\nto,,Y\n")
        weights = self.run_ok("inspect", "-m", self.train(
            "c.croft", "--format", "csv", "--model", "maxent", "--kit", kit, table), "--weights")
        for name in ("brown.2[0]=01", "n[0]=1", "n[0]=missing"):
            self.assertIn(name, weights)

    def test_faults_are_one_message_with_the_place(self):
        def fails(kit, *mentions, status=BAD_INPUT, data=None):
            self.fails(status, "train", "--quiet", "-o", self.folder / "x.croft", "--kit",
                       self.file("bad.toml", kit), data or self.data, mentions=mentions)
        fails("[[gazetteer]\n", "bad.toml:1", "no TOML")
        fails("", "declares no feature")
        fails('[[gazeteer]]\nname = "g"\n', "bad.toml:1:3", "no such feature", "[[gazetteer]]")
        fails('[[pattern]]\nname = "p"\npatern = "x"\n', "pattern", "is missing")
        fails('[[pattern]]\nname = "p"\npattern = "x"\nwhen = 1\n', "bad.toml:4:1", "no such key")
        fails('[[pattern]]\nname = "p"\npattern = "("\n', "bad.toml:1", "bad pattern")
        fails('[[pattern]]\nname = "p"\npattern = "x"\nat = [0, "a"]\n', "bad.toml:4:10", "offset")
        fails('[[gazetteer]]\nname = "g"\nfile = "nowhere"\n', "nowhere", "cannot open")
        fails('[[number]]\nname = "n"\ncolumn = 0\n', "train.txt:1", "no finite one")
        fails('[[pattern]]\nname = "p"\npattern = "x"\ncolumn = 5\n', "bad.toml:1", "names column 5")
        fails('[[pattern]]\nname = "w"\npattern = "x"\n', "bad.toml:1", "default features")
        fails('columns = ["a"]\n[[pattern]]\nname = "p"\npattern = "x"\n', "bad.toml:1", "names 1 columns")
        self.file("lists/places.txt", "a\tb\tc\n")
        fails('[[gazetteer]]\nname = "g"\nfile = "lists/places.txt"\n', "places.txt:1")
        self.fails(WRONG_USAGE, "train", "--quiet", "-o", self.folder / "x", "--kit", self.kit, "--model",
                   "hmm", self.data, mentions=["--kit"])
        # The model must not replace what it is made of.
        self.fails(WRONG_USAGE, "train", "--quiet", "-o", self.folder / "lists" / "brown.txt", "--kit",
                   self.kit, self.data)

    def test_keys_without_effect_are_refused(self):
        def fails(kit, *mentions):
            self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "x.croft", "--kit",
                       self.file("bad.toml", kit), self.data, mentions=["bad.toml:", *mentions])
        fails('[[ngrams]]\nname = "n"\nat = []\n', "no effect")
        fails('columns = ["a", "b"]\n[[ngrams]]\nname = "n"\n', "nothing uses")
        for key in ("fold-case", "boundaries"):
            fails(f'[[forms]]\nname = "f"\nforms = ["lower"]\n{key} = true\n', "bad.toml:4", key)
        fails('[[forms]]\nname = "f"\nforms = ["lower", "lower"]\n', "bad.toml:3", "twice")
        fails('[[backoff]]\nname = "b"\nlevels = [0, 1]\nmixed = true\n', "conjunctions")
        fails('[[backoff]]\nname = "b"\nlevels = [0, 0]\n', "level twice")
        fails('[[gazetteer]]\nname = "g"\nfiles = ["lists/places.txt", "lists/places.txt"]\n', "twice")
        fails('[[gazetteer]]\nname = "g"\nfiles = ["lists/places.txt"]\nfile = "lists/places.txt"\n', "too")

    def test_a_column_that_attributes_and_tables_do_not_have_is_refused(self):
        def fails(column, arguments, *mentions):
            kit = self.file("k.toml", f'[[forms]]\nname = "f"\ncolumn = {column}\nforms = ["lower"]\n')
            self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "x.croft", "--kit", kit, *arguments,
                       mentions=["k.toml:1", '"f"', *mentions])
        attributes = ["--format", "attributes", self.file("a.txt", "X\tw=went\tage:4\n\nY\tw=in\n\n")]
        fails('"nix"', attributes, "no attribute nix=… or nix in the data")
        fails("0", attributes, "no attribute 0=")
        for kind in ("boosted-chain", "hidden-chain", "error-correcting"):
            fails('"nix"', ["--model", kind, *attributes], "no attribute nix=")
        fails("7", ["--format", "svmlight", "--model", "maxent", self.file("s", "1 1:2 3:1\n2 1:1\n")],
              "no attribute 7=")
        table = ["--format", "csv", "--model", "maxent", self.file("t.csv", "w,age,id,label\na,4,1,X\nb,9,2,Y\n")]
        fails('"nix"', table, '"nix"', "there is none", '"w", "age", "id"')
        fails('"label"', table, "is the label")
        fails('"id"', [*table, "--ignore", "id"], "is ignored", '"w", "age"')
        fails("1", table, '"1"', "there is none")

    def test_a_kit_sees_the_numbers_of_the_file_though_the_table_is_standardised(self):
        rows = "".join(f"{age / 10},{'XY'[age > 30]}\n" for age in range(0, 60, 3))
        table = self.file("t.csv", "age,label\n" + rows)
        kit = self.file("n.toml", '[[number]]\nname = "old"\ncolumn = "age"\ncuts = [1.5, 3.3]\n'
                        '[[number]]\nname = "own"\ncolumn = "age"\n')
        def weights(*options):
            model = self.train("m.croft", "--format", "csv", "--model", "maxent", "--kit", kit, *options, table)
            lines = self.run_ok("inspect", "-m", model, "--weights").splitlines()
            return {tuple(line.split("\t")[1:3]) for line in lines}, self.run_ok(
                "predict", "-m", model, "--probability", "--to", "json", table)
        plain, standardised = weights(), weights("--standardise")
        self.assertEqual(plain[0], standardised[0])
        self.assertLessEqual({("old[0]=0", "X"), ("old[0]=2", "Y"), ("own[0]", "X")}, plain[0])
        own = [[json.loads(line)["labels"] for line in text.splitlines()] for _, text in (plain, standardised)]
        self.assertEqual(*own)

    def test_a_template_names_what_a_kit_computes_and_counts_the_columns_of_the_data(self):
        kit = self.file("f.toml", '[[forms]]\nname = "f"\nforms = ["lower"]\n')
        data = self.file("one.txt", "Went X\nin Y\n\nwent X\n\n")
        for column in (1, 2):
            self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "x.croft", "--kit", kit, "--template",
                       self.file("number", f"U0:%x[0,{column}]\n"), data,
                       mentions=["number:1", f"column {column}", "1 column besides"])
        model = self.train("m.croft", "--kit", kit, "--template", self.file("name", "U0:%x[0,f.lower]\n"), data)
        self.assertIn("U0:went\tX", self.run_ok("inspect", "-m", model, "--weights"))

    def test_every_kind_of_model_shows_its_kit(self):
        kit = self.file("g.toml", '[[gazetteer]]\nname = "list"\nfile = "lists/places.txt"\n')
        for kind in ("chain", "maxent", "memm", "pool", "segment", "boosted-chain", "boosted-maxent",
                     "hidden-chain", "error-correcting"):
            size = ["--rounds", 2] if kind.startswith("boosted") else ["--max-iterations", 2]
            size += ["--experts", "random:2"] if kind == "pool" else []
            model = self.train(f"{kind}.croft", "--model", kind, "--kit", kit, *size, self.data)
            self.assertIn("kit           1 feature\n  gazetteer   list: 3 entries",
                          self.run_ok("inspect", "-m", model), kind)
            shown = json.loads(self.run_ok("inspect", "--json", "-m", model))["extraction"]["kit"]
            self.assertEqual(shown["features"][0]["types"], ["LOC", "PER"], kind)

    def test_embeddings_with_another_number_of_columns_are_refused(self):
        kit = self.file("e.toml", '[[embeddings]]\nname = "e"\nfile = "lists/vectors.txt"\n')
        for text in ("a 1 2\nb 1 2 3\n", "2 2\na 1 2\nb 1 2 3\n", "a 1 2\nb 1\n"):
            self.file("lists/vectors.txt", text)
            line = text.count("\n")
            self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "x.croft", "--kit", kit, self.data,
                       mentions=[f"vectors.txt:{line}", "than 2 numbers"])

    def test_a_bad_number_in_new_data_is_shown_with_its_line(self):
        model = self.train("m.croft", "--kit", self.kit, "--max-iterations", 3, self.data)
        bad = self.file("bad.txt", "house tall O\n\n")
        self.fails(BAD_INPUT, "predict", "-m", model, bad, mentions=["bad.txt:1", '"tall"'])

    def test_stack_writes_the_features_of_a_kit(self):
        kit = self.file("g.toml", '[[gazetteer]]\nname = "list"\nfile = "lists/places.txt"\n')
        text = self.file("two.txt", "went O\nParis B-LOC\n\nAnna B-PER\n\n")
        hmm = self.folder / "h.croft"
        self.run_ok("train", "--quiet", "--model", "hmm", "-o", hmm, text)
        lines = self.run_ok("stack", "-m", hmm, "--kit", kit, text).splitlines()
        self.assertIn("\tlist[0]=B-LOC\t", lines[1])
        self.assertIn("hmm=B-LOC", lines[1])


class DamageTest(CliTest):
    def test_a_damaged_kit_is_an_error_or_a_wrong_answer(self):
        self.file("places.txt", PLACES)
        kit = self.file("kit.toml", '[[gazetteer]]\nname = "g"\nfile = "places.txt"\n')
        data = self.file("d.txt", "New O\nYork O\nParis L\n\n")
        model = self.train("m.croft", "--kit", kit, "--max-iterations", 5, data)
        good = model.read_bytes()
        at = good.index(b'"kind": "gazetteer"')
        model.write_bytes(good[:at] + b"?" + good[at + 1:])
        self.fails(BAD_INPUT, "predict", "-m", model, data, mentions=["kit"])
        draw = random.Random(1)
        for _ in range(40):
            place = draw.randrange(64, len(good))
            model.write_bytes(good[:place] + bytes([draw.randrange(256)]) + good[place + 1:])
            self.assertIn(croft("predict", "-m", model, data).returncode, (0, BAD_INPUT))


class ClusterTest(CliTest):
    TEXT = "".join(f"on {day} {who} {verb}\n" for day in ("monday", "friday") for who in ("he", "she")
                   for verb in ("came", "went"))

    def test_clusters_of_text_columns_and_a_pipe_are_the_same(self):
        text = self.file("t.txt", self.TEXT)
        columns = self.file("t.conll", "".join(
            "".join(f"{word} X\n" for word in line.split()) + "\n" for line in self.TEXT.splitlines()))
        results = []
        for arguments, stdin in (([text], b""), (["--format", "columns", columns], b""),
                                 ([], self.TEXT.encode())):
            out = self.folder / "out.txt"
            self.run_ok("cluster", "--quiet", "--clusters", 3, "-o", out, *arguments, stdin=stdin)
            results.append(out.read_text())
        self.assertEqual(len(set(results)), 1)
        rows = [line.split("\t") for line in results[0].splitlines()]
        self.assertEqual({word for _, word, _ in rows}, set(self.TEXT.split()))
        self.assertEqual(len({path for path, _, _ in rows}), 3)
        self.assertEqual(sum(int(count) for _, _, count in rows), len(self.TEXT.split()))
        self.assertEqual([path for path, _, _ in rows], sorted(path for path, _, _ in rows))

    def test_rare_words_and_capitals(self):
        out = self.folder / "out.txt"
        text = self.file("t.txt", self.TEXT + "Once\nON monday\n")
        self.run_ok("cluster", "--quiet", "--clusters", 3, "--min-count", 2, "-o", out, text)
        words = {line.split("\t")[1] for line in out.read_text().splitlines()}
        self.assertFalse(words & {"Once", "ON"})
        self.run_ok("cluster", "--quiet", "--clusters", 3, "--fold-case", "-o", out, text)
        self.assertIn("\ton\t9\n", out.read_text())

    def test_errors(self):
        text = self.file("t.txt", self.TEXT)
        out = self.folder / "out.txt"
        self.fails(WRONG_USAGE, "cluster", "-o", out, "--clusters", 0, text, mentions=["--clusters"])
        self.fails(WRONG_USAGE, "cluster", "-o", out, "--column", 1, text, mentions=["--column"])
        self.fails(WRONG_USAGE, "cluster", "-o", text, text, mentions=["give the clusters another name"])
        self.fails(BAD_INPUT, "cluster", "--quiet", "-o", out, "--min-count", 99, text, mentions=["t.txt"])
        self.fails(BAD_INPUT, "cluster", "--quiet", "-o", out, self.file("bad", b"a \xff\n"),
                   mentions=["bad:1", "UTF-8"])
        self.fails(BAD_INPUT, "cluster", "--quiet", "-o", out, "--format", "columns", "--column", 3,
                   self.file("c", "a b\n\n"), mentions=["c:1", "no column 3"])
        self.assertFalse(out.exists())


class PageTest(CliTest):
    """docs/features.md: its files are written, its commands run, and their output compared."""

    def test_every_example_of_the_page_runs(self):
        page = (SOURCE / "docs" / "features.md").read_text("utf-8")
        commands = 0
        environment = {**os.environ, "LC_ALL": "C", "PATH": f"{pathlib.Path(CROFT).parent}:{os.environ['PATH']}"}
        for kind, name, body in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", page, re.M | re.S):
            if name:
                self.file(name, body)
            if kind != "console":
                continue
            for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M):
                done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=environment,
                                      capture_output=True, text=True, check=False, timeout=300)
                self.assertEqual(done.stderr, "", command)
                self.assertEqual(done.stdout, expected, command)
                commands += 1
        self.assertGreater(commands, 20)


if __name__ == "__main__":
    unittest.main()
