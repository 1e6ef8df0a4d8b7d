"""croft stack: parts of a jackknife are trained as the model was, of any kind; the labels of a word elsewhere."""

import json

from made_documents import documents, text_of
from support import BAD_INPUT, WRONG_USAGE, CliTest, croft, main

SMALLEST = 1e-4


def parsed(lines):
    """Sequences of positions: the label, and its attributes with their values."""
    out = [[]]
    for line in lines.splitlines():
        if not line:
            out.append([])
            continue
        label, *items = line.split("\t")
        values = {}
        for item in items:
            name, _, value = item.replace("\\:", "\0").partition(":")
            values[name.replace("\0", ":")] = float(value or 1)
        out[-1].append((label, values))
    return [sequence for sequence in out if sequence]


class StackTest(CliTest):
    def parts(self, docs, count):
        for part in range(count):
            yield (part, text_of([doc for n, doc in enumerate(docs) if n % count != part]),
                   text_of([doc for n, doc in enumerate(docs) if n % count == part]))

    def check_jackknife(self, options, passed=(), count=3, docs=None):
        """The lines of each part are those of a model that was trained on the others by the same options."""
        docs = docs or documents(7, 1)
        data = self.file("all", text_of(docs))
        model = self.train("m.croft", *options, data)
        found = parsed(self.run_ok("stack", "-m", model, "--jackknife", count, "--group-by=-DOCSTART-", *passed, data))
        first = [0]
        for doc in docs:
            first.append(first[-1] + len(doc))
        for part, others, own in self.parts(docs, count):
            other = self.train("part.croft", *options, self.file("others", others))
            expected = parsed(self.run_ok("stack", "-m", other, self.file("own", own)))
            got = [s for n in range(part, len(docs), count) for s in found[first[n]:first[n + 1]]]
            self.assertEqual(got, expected, options)

    def test_every_kind_is_retrained_as_it_was_by_whole_documents(self):
        for options, passed in (([], []), (["--l2", "0.3", "--features", "all"], []),
                                (["--model", "memm"], []), (["--model", "maxent", "--no-intercept"], []),
                                (["--model", "maxent", "--intercept=unpenalised"], []), (["--intercept"], []),
                                (["--model", "hmm", "--suffix", "2"], []), (["--model", "segment"], []),
                                (["--objective", "softmax-margin", "--cost", "2"], []),
                                (["--optimizer", "sgd", "--max-iterations", "5"], []),
                                (["--max-iterations", "4"], []), (["--constrain", "bio"], []),
                                (["--order", "2"], []),
                                (["--boundaries", "--tolerance", "0.01"], ["--tolerance", "0.01"]),
                                (["--model", "hidden-chain", "--hidden-states", "2", "--max-iterations", "8"],
                                 ["--hidden-states", "2"]),
                                (["--model", "boosted-chain", "--rounds", "3", "--depth", "2"], []),
                                (["--induce", "--induce-rounds", "1"], ["--induce", "--induce-rounds", "1"])):
            with self.subTest(options=options):
                self.check_jackknife(options, passed)

    def test_templates_and_kits_are_those_of_the_model(self):
        self.file("list.txt", "Mr\tTITLE\n")
        kit = self.file("kit.toml", '[[gazetteer]]\nname = "list"\nfile = "list.txt"\nat = [-1]\n')
        template = self.file("t", "U0:%x[0,0]\nU1:%x[-1,0]\nB\n")
        self.check_jackknife(["--kit", kit, "--template", template])

    def test_without_groups_sequences_are_dealt_out_one_by_one(self):
        docs = documents(1, 3)
        data = self.file("all", text_of(docs))
        model = self.train("m.croft", data)
        done = croft("stack", "-m", model, "--jackknife", "2", data)
        self.assertIn("all:1: a mark of documents", done.stderr.decode())
        sequences = [s + "\n\n" for s in text_of(docs).strip().split("\n\n")]
        found = parsed(done.stdout.decode())
        for part in range(2):
            others = "".join(s for n, s in enumerate(sequences) if n % 2 != part)
            other = self.train("part.croft", self.file("others", others))
            own = self.file("own", "".join(s for n, s in enumerate(sequences) if n % 2 == part))
            self.assertEqual(found[part::2], parsed(self.run_ok("stack", "-m", other, own)))

    def test_elsewhere_is_the_mean_of_the_posteriors_at_the_other_positions_of_the_word(self):
        docs = documents(3, 5)
        docs[1][2] = docs[1][2].replace("about", "About")
        text = text_of(docs)
        data = self.file("all", text)
        model = self.train("m.croft", self.file("train", text_of(documents(4, 6))))
        plain = parsed(self.run_ok("stack", "-m", model, data))
        found = parsed(self.run_ok("stack", "-m", model, "--elsewhere", "--group-by=-DOCSTART-", data))
        words = [[row.split()[0].lower() for row in s.split("\n")] for s in text.strip().split("\n\n")]
        document, n = [], -1
        for sequence in words:
            n += sequence[0] == "-docstart-"
            document.append(n)
        seen = 0
        for s, sequence in enumerate(words):
            for t, word in enumerate(sequence):
                others = [plain[r][u][1] for r, other in enumerate(words) for u, w in enumerate(other)
                          if w == word and document[r] == document[s] and (r, u) != (s, t)]
                values = dict(plain[s][t][1])
                means = {}
                for label in ("O", "B-PER", "B-LOC"):
                    if others:
                        means[label] = sum(o.get(f"chain={label}", 0) for o in others) / len(others)
                got = dict(found[s][t][1])
                best = [name for name in got if name.startswith("elsewhere.best=")]
                self.assertEqual(len(best), bool(others))
                if best:
                    seen += 1
                    self.assertAlmostEqual(means[best[0][len("elsewhere.best="):]], max(means.values()), delta=1e-5)
                    del got[best[0]]
                for label, mean in means.items():
                    value = got.pop(f"elsewhere={label}", 0)
                    self.assertAlmostEqual(value, mean, delta=2e-4 if min(value, mean) == 0 else 1e-5)
                self.assertEqual(got, values)
        self.assertGreater(seen, 50)

    def test_what_a_name_is_elsewhere_in_its_document_tells_what_it_is(self):
        train, test = self.file("train", text_of(documents(30, 7))), self.file("test", text_of(documents(30, 8)))
        template = self.file("template", "U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nB\n")
        first = self.train("first.croft", "--template", template, train)
        context = ["--elsewhere", "--group-by=-DOCSTART-", "--template", template]
        learn = self.file("train.attributes", self.run_ok("stack", "-m", first, "--jackknife", 3, *context, train))
        second = self.train("second.croft", "--format", "attributes", learn)
        ask = self.file("test.attributes", self.run_ok("stack", "-m", first, *context, test))
        def f1(model, data):
            return json.loads(self.run_ok("evaluate", "-m", model, "--json", data))["chunk"]["f1"]
        self.assertLess(f1(first, test), 0.8)
        self.assertGreater(f1(second, ask), 0.95)

    def test_data_of_another_program_is_read_as_the_model_was_trained(self):
        conllu = "".join("".join(f"{t + 1}\t{row.split()[0]}\t_\t{row.split()[-1]}\t_\t_\t_\t_\t_\t_\n"
                                 for t, row in enumerate(block.splitlines())) + "\n"
                         for block in text_of(documents(6, 3)).split("\n\n") if block and "DOCSTART" not in block)
        theirs = self.file("d.conllu", conllu)
        ours = self.file("d.txt", self.run_ok("convert", "--from", "conllu", "--to", "columns", theirs))
        found = []
        for form, data in (("conllu", theirs), ("columns", ours)):
            model = self.train(form, "--format", form, "--max-iterations", 5, data)
            found.append([self.run_ok("stack", "-m", model, *options, data) for options in ([], ["--jackknife", 3])])
        self.assertEqual(*found)
        self.assertNotEqual(*found[0])

    def test_threads_and_pipes_change_nothing(self):
        text = text_of(documents(5, 9))
        data = self.file("all", text)
        model = self.train("m.croft", data)
        arguments = ["stack", "-m", model, "--jackknife", 2, "--elsewhere=0", "--group-by=-DOCSTART-"]
        whole = self.run_ok(*arguments, data)
        self.assertEqual(self.run_ok(*arguments, "--threads", 3, data), whole)
        self.assertEqual(self.run_ok(*arguments, stdin=text.encode()), whole)

    def test_what_cannot_be_done_is_refused(self):
        text = text_of(documents(3, 10))
        data = self.file("all", text)
        model = self.train("m.croft", data)
        def fails(*arguments, mentions, status=WRONG_USAGE, m=model, d=data):
            self.fails(status, "stack", "-m", m, *arguments, d, mentions=mentions)
        fails("--elsewhere", mentions=["--elsewhere", "--group-by"])
        fails("--elsewhere=1", "--group-by=-DOCSTART-", mentions=["--elsewhere 1", "1 column"])
        fails("--elsewhere=word", "--group-by=-DOCSTART-", mentions=["--elsewhere", "whole number"])
        fails("--elsewhere", "--group-by=-DOC-", mentions=["--group-by -DOC-"])
        fails("--group-by=-DOCSTART-", mentions=["--group-by", "--jackknife"])
        fails("--l2", 2, mentions=["--l2", "--jackknife"])
        fails("--jackknife", 4, "--group-by=-DOCSTART-", mentions=["--jackknife 4", "3 groups"])
        parts = ["--jackknife", 2, "--group-by=-DOCSTART-"]
        fails(*parts, "--objective", "nothing", mentions=["no objective"])
        fails(*parts, "--l2", 2, mentions=["differs from", "l2 (1.0 and 2.0)"])
        cost = self.file("cost", "O\tB-PER\t2\n")
        costly = self.train("c.croft", "--objective", "softmax-margin", "--cost", cost, data)
        fails(*parts, m=costly, mentions=["cost"])
        self.run_ok("stack", "-m", costly, *parts, "--cost", cost, data)
        calibrated = self.folder / "calibrated.croft"
        self.run_ok("calibrate", "-m", model, "-o", calibrated, self.file("dev", text_of(documents(20, 12))))
        fails(*parts, m=calibrated, mentions=["calibrated"])
        lines = self.file("a", self.run_ok("stack", "-m", model, data))
        of_lines = self.train("a.croft", "--format", "attributes", lines)
        fails("--elsewhere", "--group-by=blank-lines", m=of_lines, d=lines, mentions=["--elsewhere", "attribute lines"])
        again = self.run_ok("stack", "-m", model, "--elsewhere", "--group-by=-DOCSTART-", data)
        named = self.train("e.croft", "--format", "attributes", self.file("e", again.replace("chain=", "first=")))
        self.run_ok("stack", "-m", named, self.folder / "e")
        once = self.file("once", "-DOCSTART-\n")
        fails("--jackknife", 2, status=BAD_INPUT, d=once, mentions=["once:1", "1 column where 2"])


if __name__ == "__main__":
    main()
