"""--kit with --format text: texts of unseen words are known by their neighbours, lists and synonyms."""

import json

from support import BAD_INPUT, WRONG_USAGE, CliTest, main

# Words of two topics lie in two directions; training has the first of each.
VECTORS = """7 2
goal 1 0.1
match 0.9 0
striker 0.95 0.2
minister 0.1 1
vote 0 0.9
senator 0.2 0.95
strikers 0.9 0.1
"""
TEXTS = "sport\tA goal in the match\nsport\tthe match\npolitics\tthe minister\npolitics\ta vote of the minister\n"
NEW = "a striker\nSenator!\n"


class KitTextsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("texts.tsv", TEXTS)
        self.new = self.file("new.txt", NEW)
        self.file("vectors.txt", VECTORS)

    def learn(self, kit, *options, name="m.croft", format="text"):
        return self.train(name, "--format", format, "--kit", self.file("kit.toml", kit), *options, self.data)

    def labels(self, model, data=None):
        return self.run_ok("predict", "-m", model, "--to", "labels", data or self.new).split()

    def weights(self, model):
        lines = self.run_ok("inspect", "-m", model, "--weights").splitlines()
        return {tuple(line.split("\t")[1:3]) for line in lines}

    def test_a_text_of_unseen_words_is_known_by_its_averaged_vector(self):
        plain = self.train("plain.croft", "--format", "text", self.data)
        self.assertEqual(len(set(self.labels(plain))), 1)  # it knows no word of these
        model = self.learn('[[embeddings]]\nname = "vec"\nfile = "vectors.txt"\n')
        self.assertEqual(self.labels(model), ["sport", "politics"])
        self.assertIn(("vec.1", "politics"), self.weights(model))

    def test_and_by_the_nearest_words_that_training_had(self):
        model = self.learn('[[embeddings]]\nname = "near"\nfile = "vectors.txt"\naverage = false\nnearest = 2\n')
        self.assertEqual(self.labels(model), ["sport", "politics"])
        names = {name for name, _ in self.weights(model) if name.startswith("near")}
        self.assertEqual(names, {"near=goal", "near=match", "near=minister", "near=vote"})
        self.assertIn("7 words, 2 numbers each; the nearest 2 of 4 known words", self.run_ok("inspect", "-m", model))

    def test_clusters_lists_and_synonyms_bring_in_what_training_had_too(self):
        self.file("clusters.txt", "00\tgoal\n00\tmatch\n01\tstriker\n10\tminister\n10\tvote\n11\tsenator\n")
        self.file("list.txt", "goal\tBALL\nthe match\tBALL\nstriker\tBALL\n"
                  "minister\tSTATE\nvote\tSTATE\nsenator\tSTATE\n")
        self.file("synonyms.txt", "goal\tstriker\tscore\nminister\tsenator\n")
        for kit, name in (('[[clusters]]\nname = "c"\nfile = "clusters.txt"\nprefixes = [1]\n', "c.1=0"),
                          ('[[gazetteer]]\nname = "list"\nfile = "list.txt"\n', "list=BALL"),
                          ('[[synonyms]]\nname = "s"\nfile = "synonyms.txt"\nvalues = "binary"\n', "s=goal")):
            model = self.learn(kit)
            self.assertEqual(self.labels(model), ["sport", "politics"], kit)
            self.assertIn((name, "sport"), self.weights(model))

    def test_the_model_keeps_all_that_it_needs_and_threads_change_nothing(self):
        kit = '[[embeddings]]\nname = "vec"\nfile = "vectors.txt"\nnearest = 3\nvalues = "share"\n'
        options = ["--term-weights", "tf-idf", "--ngrams", "1-2", "--stop-words", "english"]
        model = self.learn(kit, *options)
        again = self.learn(kit, *options, "--threads", 3, name="again.croft")
        self.assertEqual(model.read_bytes(), again.read_bytes())
        before = self.run_ok("predict", "-m", model, "--probability", self.new)
        for file in ("kit.toml", "vectors.txt"):
            (self.folder / file).unlink()
        self.assertEqual(self.run_ok("predict", "-m", model, "--probability", "--threads", 2, self.new), before)
        shown = json.loads(self.run_ok("inspect", "--json", "-m", model))["extraction"]["kit"]["features"][0]
        self.assertEqual((shown["nearest"], shown["known"], shown["average"]), (3, 4, True))

    def test_more_training_goes_on_with_the_kit_of_the_model(self):
        model = self.learn('[[embeddings]]\nname = "vec"\nfile = "vectors.txt"\nnearest = 2\n')
        (self.folder / "vectors.txt").unlink()
        more = self.train("more.croft", "--format", "text", "--init", model, self.data)
        self.assertEqual(self.labels(more), ["sport", "politics"])

    def test_every_kind_that_takes_texts_and_a_kit_has_it(self):
        vectors = '[[embeddings]]\nname = "vec"\nfile = "vectors.txt"\n'
        for kind in ("maxent", "chain", "memm", "error-correcting"):
            model = self.learn(vectors, "--model", kind)
            self.assertEqual(self.labels(model), ["sport", "politics"], kind)
        trees = self.learn(vectors, "--model", "boosted-maxent", "--rounds", 2)
        self.assertIn("embeddings  vec: 7 words", self.run_ok("inspect", "-m", trees))

    def test_what_a_text_cannot_have_is_refused(self):
        def fails(kit, *mentions, status=BAD_INPUT, options=("--format", "text"), data=self.data):
            self.fails(status, "train", "--quiet", "-o", self.folder / "x.croft", *options, "--kit",
                       self.file("bad.toml", kit), data, mentions=["bad.toml:", *mentions])
        self.file("clusters.txt", "0\tgoal\n")
        clusters = '[[clusters]]\nname = "c"\nfile = "clusters.txt"\n'
        fails('[[forms]]\nname = "f"\nforms = ["lower"]\n', "cells of positions", "[[embeddings]]")
        fails(clusters + "at = [-1]\n", "no positions")
        fails(clusters + "column = 1\n", "column")
        fails('columns = ["w"]\n' + clusters, "columns = [...]")
        fails(clusters + 'values = "some"\n', "counts, binary, share")
        vectors = '[[embeddings]]\nname = "e"\nfile = "vectors.txt"\n'
        fails(vectors + 'values = "share"\n', "nearest words")
        fails(vectors + "average = false\n", "no effect")
        rows = self.file("rows.txt", "goal X\nvote Y\n\n")
        for more in ('values = "share"\n', "nearest = 3\n", "average = false\n"):
            fails((clusters if more.startswith("values") else vectors) + more, "words of texts", options=(), data=rows)
        self.file("synonyms.txt", "goal\n")
        self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "x.croft", "--format", "text", "--kit",
                   self.file("bad.toml", '[[synonyms]]\nname = "s"\nfile = "synonyms.txt"\n'), self.data,
                   mentions=["synonyms.txt:1", "without a synonym"])

    def test_keys_of_averages_are_refused_where_there_are_none(self):
        for key in ('unknown = "mean"', 'scale = "length"', 'unknown-word = "w"', "factor = 2"):
            kit = self.file("kit.toml", '[[embeddings]]\nname = "v"\nfile = "none.vec"\naverage = false\nnearest = 2\n'
                            + key + "\n")
            self.refuses_to_train(BAD_INPUT, "--model", "maxent", "--format", "text", "--kit", kit,
                                  self.file("d.tsv", "A\tw\nB\tv\n"), mentions=["is of averages"])

    def test_naive_bayes_has_no_kit(self):
        self.fails(WRONG_USAGE, "train", "--quiet", "-o", self.folder / "x.croft", "--format", "text", "--model",
                   "naive-bayes", "--kit", self.file("k.toml", ""), self.data, mentions=["--kit has no meaning"])


if __name__ == "__main__":
    main()
