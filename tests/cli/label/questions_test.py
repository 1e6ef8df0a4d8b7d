"""What `predict` answers beyond labels, and what may limit them: k-best, spans, samples, constraints,
partial labels, penalties, rules.

The numbers themselves are checked against enumerations in C++; here it is what is asked for that must
come out, in every output, and what makes no sense that must be refused.
"""

import functools
import json
import math
import pathlib
import re
import shutil
import tempfile
import unittest

from support import BAD_INPUT, DONE, INGREDIENTS, WRONG_USAGE, CliTest, croft, main, sequences_of

TRAIN, TEST, NEW = (INGREDIENTS / name for name in ("train.txt", "test.txt", "new.txt"))
SHARED = None  # the folder of models that several tests use


def setUpModule():
    global SHARED
    SHARED = pathlib.Path(tempfile.mkdtemp(prefix="croft-cli-"))
    unittest.addModuleCleanup(shutil.rmtree, SHARED)


def with_chunk_labels(text):
    """Columns with BIO labels: each run of a label is a chunk, OTHER is outside."""
    lines, last = [], None
    for line in text.split("\n"):
        word, _, label = line.partition(" ")
        if label:
            chunk = f"{'I' if label == last else 'B'}-{label}"
            line = f"{word} {'O' if label == 'OTHER' else chunk}"
        last = label
        lines.append(line)
    return "\n".join(lines)


def chunks_of(labels):
    """(begin, end, type) of BIO labels; an I that continues nothing starts a chunk."""
    chunks, begin = [], None
    for t, label in enumerate([*labels, "O"]):
        goes_on = label[0] == "I" and begin is not None and label[2:] == labels[begin][2:]
        if begin is not None and not goes_on:
            chunks.append((begin, t, labels[begin][2:]))
            begin = None
        if label != "O" and begin is None:
            begin = t
    return chunks


def obeys_bio(labels):
    return all(label[0] != "I" or (before != "O" and before[2:] == label[2:])
               for before, label in zip(["O", *labels], labels))


@functools.cache
def bio_model():
    """A weak model of BIO labels, whose best labellings break BIO now and then, and its data."""
    data = {}
    for name, path in (("train", TRAIN), ("test", TEST)):
        data[name] = SHARED / f"{name}.bio"
        data[name].write_text(with_chunk_labels(path.read_text("utf-8")), "utf-8")
    template = SHARED / "weak.template"
    template.write_text("U0:%x[0,0]\nB\n", "utf-8")
    model = SHARED / "bio.croft"
    done = croft("train", "--quiet", "--max-iterations", 6, "--template", template, "-o", model,
                 data["train"])
    assert done.returncode == DONE, done.stderr
    return model, data["test"]


class QuestionTest(CliTest):
    def setUp(self):
        super().setUp()
        self.model, self.data = bio_model()

    def predict(self, *arguments, **options):
        return self.run_ok("predict", "-m", self.model, *arguments, **options)

    def documents(self, *arguments, **options):
        text = self.predict("--to", "json", *arguments, **options)
        return [json.loads(line) for line in text.splitlines()]

    def labels(self, *arguments, **options):
        return sequences_of(self.predict("--to", "labels", *arguments, **options))

    def refused(self, *arguments, mentions=()):
        with self.subTest(arguments=arguments):
            self.fails(WRONG_USAGE, "predict", "-m", self.model, *arguments, self.data,
                       mentions=mentions)


class KBestTest(QuestionTest):
    def test_json_lists_distinct_labellings_by_falling_probability(self):
        plain = self.documents("--probability", self.data)
        for one, document in zip(plain, self.documents("--k-best", 5, self.data)):
            self.assertEqual(set(document), {"labels", "k_best"})
            best = document["k_best"]
            self.assertEqual(best[0]["labels"], document["labels"])
            self.assertEqual(document["labels"], one["labels"])
            self.assertAlmostEqual(best[0]["probability"], one["probability"], delta=1e-12)
            probabilities = [b["probability"] for b in best]
            self.assertEqual(probabilities, sorted(probabilities, reverse=True))
            self.assertLessEqual(sum(probabilities), 1 + 1e-9)
            self.assertEqual(len({tuple(b["labels"]) for b in best}), 5)
            for entry in best:
                self.assertEqual(set(entry), {"labels", "probability", "log_probability"})
                self.assertAlmostEqual(math.exp(entry["log_probability"]), entry["probability"],
                                       delta=1e-12)

    def test_more_than_there_are_lists_them_all_with_probabilities_that_sum_to_1(self):
        two = self.documents("--k-best", 1000000, stdin=b"cups\nof\n")[0]["k_best"]
        count = len({label for b in two for label in b["labels"]})
        self.assertEqual(len(two), count ** 2)
        self.assertAlmostEqual(sum(b["probability"] for b in two), 1, delta=1e-9)

    def test_text_has_a_block_for_each_behind_its_rank_and_probability(self):
        text = self.predict("--k-best", 3, "--marginals", NEW)
        documents = self.documents("--k-best", 3, "--marginals=all", NEW)
        blocks = sequences_of(text)
        self.assertEqual(len(blocks), 3 * len(documents))
        for n, document in enumerate(documents):
            for k, entry in enumerate(document["k_best"]):
                head, *rows = blocks[3 * n + k]
                self.assertRegex(head, rf"^# {k + 1} \S+$")
                self.assertAlmostEqual(float(head.split()[2]), entry["probability"],
                                       delta=1e-5 * entry["probability"] + 1e-12)
                self.assertEqual([row.split()[-2] for row in rows], entry["labels"])
                for t, row in enumerate(rows):  # of this labelling's own labels
                    marginal = document["marginals"][t][entry["labels"][t]]
                    self.assertAlmostEqual(float(row.split()[-1]), marginal, delta=6e-7)


class SpanTest(QuestionTest):
    def test_spans_are_the_predicted_chunks_in_json_by_default(self):
        for line in self.predict("--spans", self.data).splitlines():
            document = json.loads(line)
            self.assertEqual(set(document), {"labels", "spans"})
            spans = document["spans"]
            for span in spans:
                self.assertEqual(set(span), {"start", "end", "label", "probability"})
                self.assertTrue(0 < span["probability"] <= 1)
            self.assertEqual([(s["start"], s["end"], s["label"]) for s in spans],
                             chunks_of(document["labels"]))

    def test_a_span_is_at_least_as_probable_as_the_labelling(self):
        for document in self.documents("--spans", "--probability", self.data):
            for span in document["spans"]:
                self.assertGreaterEqual(span["probability"], document["probability"] - 1e-9)

    def test_a_chunk_of_one_position_has_the_marginal_of_its_label(self):
        # Alone in its sequence it cannot go on, and B-X is the only way to write it under BIO.
        document = self.documents("--spans", "--marginals", "--constrain", "bio", stdin=b"cups\n")[0]
        self.assertAlmostEqual(document["spans"][0]["probability"], document["marginals"][0],
                               delta=1e-12)

    def test_the_scheme_can_be_named(self):
        for document in self.documents("--spans", "--chunks", "raw", self.data):
            self.assertEqual([(s["start"], s["label"]) for s in document["spans"]],
                             [(t, y) for t, y in enumerate(document["labels"]) if y != "O"])

    def test_refused_where_they_cannot_be_written_or_found(self):
        for output in ("columns", "labels"):
            self.refused("--spans", "--output", output, mentions=["--spans", "json"])
        plain = self.train("plain.croft", "--max-iterations", 1, TRAIN)
        self.fails(WRONG_USAGE, "predict", "-m", plain, "--spans", NEW,
                   mentions=["--spans", "--chunks raw"])
        self.run_ok("predict", "-m", plain, "--spans", "--chunks", "raw", NEW)
        self.refused("--chunks", "raw", mentions=["--chunks", "--spans"])
        self.refused("--spans", "--chunks", "xml", mentions=["xml", "bioes"])


class SumTest(QuestionTest):
    def test_with_smallest_0_all_pairs_of_labels_are_written(self):
        for line in self.predict("--marginals=edges", "--smallest", 0, self.data).splitlines():
            for table in json.loads(line)["edge_marginals"]:
                values = [p for row in table.values() for p in row.values()]
                self.assertEqual(len(values), len(table) ** 2)
                self.assertAlmostEqual(sum(values), 1, delta=1e-9)
        self.refused("--smallest", -1, mentions=["--smallest"])
        for others in ([], ["--marginals"], ["--marginals=all", "--probability"]):
            self.refused("--smallest", 0.1, *others, mentions=["--marginals=edges", "--expected-counts"])
        self.predict("--expected-counts", "--smallest", 0.1, self.data)

    def test_edges_sum_to_the_marginals_of_both_their_labels(self):
        edges = [json.loads(x) for x in self.predict("--marginals=edges", self.data).splitlines()]
        for document, all_labels in zip(edges, self.documents("--marginals=all", self.data)):
            self.assertEqual(set(document), {"labels", "edge_marginals"})
            self.assertEqual(len(document["edge_marginals"]), len(document["labels"]) - 1)
            for t, table in enumerate(document["edge_marginals"]):
                values = [p for row in table.values() for p in row.values()]
                self.assertGreaterEqual(min(values), 1e-6)
                for label, p in all_labels["marginals"][t].items():
                    self.assertAlmostEqual(sum(table.get(label, {}).values()), p, delta=2e-5)
                for label, p in all_labels["marginals"][t + 1].items():
                    self.assertAlmostEqual(sum(row.get(label, 0) for row in table.values()), p,
                                           delta=2e-5)
        for output in ("columns", "labels"):
            self.refused("--marginals=edges", "--output", output,
                         mentions=["--marginals=edges", "json"])

    def test_expected_counts_are_sums_of_marginals(self):
        documents = self.documents("--expected-counts", "--marginals=all", self.data)
        for document in documents:
            counts = document["expected_counts"]
            self.assertEqual(set(counts), {"labels", "transitions"})
            for label, value in counts["labels"].items():
                expected = sum(row[label] for row in document["marginals"])
                self.assertAlmostEqual(value, expected, delta=1e-9)
            total = sum(v for row in counts["transitions"].values() for v in row.values())
            self.assertAlmostEqual(total, len(document["labels"]) - 1, delta=1e-3)
        lines = re.findall(r"(?m)^# expected_counts\t(.*)$",
                           self.predict("--expected-counts", self.data))
        self.assertEqual(len(lines), len(documents))
        for line, document in zip(lines, documents):
            shown = dict(cell.rsplit(":", 1) for cell in line.split("\t"))
            labels = document["expected_counts"]["labels"]
            self.assertEqual(set(shown), set(labels))
            for label, value in shown.items():
                self.assertAlmostEqual(float(value), labels[label], delta=1e-5)

    def test_the_entropy_is_that_of_all_labellings(self):
        entry = self.documents("--entropy", "--k-best", 1000000, stdin=b"cups\nof\n")[0]
        expected = -sum(b["probability"] * b["log_probability"] for b in entry["k_best"])
        self.assertAlmostEqual(entry["entropy"], expected, delta=1e-9)
        text = self.predict("--entropy", stdin=b"cups\nof\n")
        self.assertAlmostEqual(float(re.match(r"# entropy (\S+)\n", text)[1]), expected, delta=1e-4)


class SampleTest(QuestionTest):
    def test_samples_are_the_same_for_any_number_of_threads_and_split_of_the_data(self):
        text = self.data.read_text("utf-8") + "\n"
        big = self.file("big.bio", text * 5)
        options = ("--to", "json", "--samples", 3, "--seed", 7)
        expected = self.predict(*options, big)
        for threads in (2, 5):
            self.assertEqual(self.predict(*options, "--threads", threads, big), expected)
        parts = [self.file(f"part{n}.bio", text) for n in range(5)]
        self.assertEqual(self.predict(*options, *parts), expected)
        self.assertNotEqual(self.predict("--to", "json", "--samples", 3, big), expected)

    def test_they_come_as_often_as_the_marginals_say(self):
        document = self.documents("--samples", 20000, "--marginals=all", stdin=b"cups\nof\n")[0]
        self.assertEqual(len(document["samples"]), 20000)
        for t, row in enumerate(document["marginals"]):
            for label, p in row.items():
                share = sum(sample[t] == label for sample in document["samples"]) / 20000
                self.assertAlmostEqual(share, p, delta=5 * math.sqrt(p * (1 - p) / 20000) + 1e-6)

    def test_text_has_a_block_for_each_behind_the_labelling(self):
        documents = self.documents("--samples", 2, NEW)
        blocks = sequences_of(self.predict("--to", "labels", "--samples", 2, NEW))
        self.assertEqual(len(blocks), 3 * len(documents))
        for n, document in enumerate(documents):
            self.assertEqual(blocks[3 * n], document["labels"])
            for k, sample in enumerate(document["samples"]):
                self.assertEqual(blocks[3 * n + k + 1], [f"# sample {k + 1}", *sample])


class DecodeTest(QuestionTest):
    def test_marginal_takes_each_positions_most_probable_label(self):
        for document in self.documents("--decode", "marginal", "--marginals=all", self.data):
            self.assertEqual(document["labels"],
                             [max(row, key=row.get) for row in document["marginals"]])

    def test_risk_is_marginal_decoding_that_obeys_the_constraint(self):
        free = self.documents("--decode", "marginal", self.data)
        self.assertFalse(all(obeys_bio(d["labels"]) for d in free))  # or the next shows nothing
        self.assertEqual(self.documents("--decode", "risk", self.data), free)
        bio = self.documents("--decode", "risk", "--constrain", "bio", self.data)
        self.assertTrue(all(obeys_bio(d["labels"]) for d in bio))

    def test_what_may_disobey_or_would_be_ignored_is_refused(self):
        self.refused("--decode", "marginal", "--constrain", "bio", mentions=["--decode risk"])
        self.refused("--decode", "marginal", "--rule", "occurs O", mentions=["--decode risk"])
        self.refused("--decode", "risk", "--k-best", 2, mentions=["--k-best", "--decode viterbi"])
        self.refused("--decode", "risk", "--rule", "agree 0", mentions=["--decode", "agree"])
        self.refused("--decode", "best", mentions=["best", "viterbi", "marginal", "risk"])


class ConstraintTest(QuestionTest):
    def test_bio_by_name_and_by_file_is_the_same_and_obeyed_by_all_answers(self):
        free = self.documents("--k-best", 4, self.data)
        self.assertFalse(all(obeys_bio(b["labels"]) for d in free for b in d["k_best"]))
        rules = self.file("bio.rules", "start O B-*\n* -> O B-*\nB-{same} I-{same} -> I-{same}\n")
        options = ("--k-best", 4, "--samples", 3, "--marginals=all", self.data)
        by_name = self.documents("--constrain", "bio", *options)
        self.assertEqual(self.documents("--constrain", rules, *options), by_name)
        for document in by_name:
            every = [document["labels"], *(b["labels"] for b in document["k_best"]),
                     *document["samples"]]
            self.assertTrue(all(map(obeys_bio, every)))
            self.assertEqual(max(p for y, p in document["marginals"][0].items() if y[0] == "I"), 0)
        self.assertEqual(self.labels("--constrain", "bio", self.data),
                         [d["labels"] for d in by_name])

    def test_probabilities_are_normalised_over_what_is_allowed(self):
        two = self.documents("--constrain", "bio", "--k-best", 1000000, stdin=b"cups\nof\n")[0]
        self.assertAlmostEqual(sum(b["probability"] for b in two["k_best"]), 1, delta=1e-9)

    def test_one_that_does_not_fit_the_labels_is_an_error(self):
        plain = self.train("plain.croft", "--max-iterations", 1, TRAIN)
        self.fails(BAD_INPUT, "predict", "-m", plain, "--constrain", "bio", NEW, mentions=["bio"])
        self.fails(BAD_INPUT, "predict", "-m", self.model, "--constrain", "bioes", NEW,
                   mentions=["bioes"])
        rules = self.file("bad.rules", "start O\nB-QTY -> I-QTZ\n")
        self.fails(BAD_INPUT, "predict", "-m", self.model, "--constrain", rules, NEW,
                   mentions=[f"{rules}:2:", "I-QTZ"])
        self.fails(BAD_INPUT, "predict", "-m", self.model, "--constrain", "bioo", NEW,
                   mentions=["bioo", "No such file"])


class PartialTest(QuestionTest):
    def with_labels(self, name, labels):
        words = ["cups", "of", "flour", "and", "salt"]
        return self.file(name, "".join(f"{w} {y}\n" for w, y in zip(words, labels)))

    def test_any_forced_and_one_of_some(self):
        free = self.with_labels("free", "?????")
        self.assertEqual(self.labels("--partial", free), self.labels(free))
        forced = self.with_labels("forced", ["?", "B-QTY", "I-QTY|O", "?", "B-UNIT|B-QTY|O"])
        options = ("--partial", "--k-best", 20, "--samples", 20, "--marginals=all", forced)
        document = self.documents(*options)[0]
        every = [document["labels"], *(b["labels"] for b in document["k_best"]),
                 *document["samples"]]
        for labels in every:
            self.assertEqual(labels[1], "B-QTY")
            self.assertIn(labels[2], ("I-QTY", "O"))
            self.assertIn(labels[4], ("B-UNIT", "B-QTY", "O"))
        self.assertAlmostEqual(document["marginals"][1]["B-QTY"], 1, delta=1e-12)
        text = self.predict("--partial", forced)
        self.assertTrue(text.split("\n")[1].startswith("of B-QTY B-QTY"))

    def test_the_probability_of_what_is_given_is_that_before_it_is_imposed(self):
        all_labels = self.documents("--marginals=all", self.with_labels("x", "OOOOO"))[0]
        one = self.with_labels("one", ["?", "B-NAME|O", "?", "?", "?"])
        document = self.documents("--partial", "--probability", one)[0]
        self.assertAlmostEqual(
            document["partial_probability"],
            all_labels["marginals"][1]["B-NAME"] + all_labels["marginals"][1]["O"], delta=1e-9)
        text = self.predict("--partial", "--probability", one)
        shown = float(re.search(r"(?m)^# partial_probability (\S+)$", text)[1])
        self.assertAlmostEqual(shown, document["partial_probability"], delta=1e-5)
        # A whole labelling: its own probability; and what is left is certain.
        fifth = self.documents("--k-best", 5, one)[0]["k_best"][4]
        whole = self.with_labels("whole", fifth["labels"])
        document = self.documents("--partial", "--probability", whole)[0]
        self.assertEqual(document["labels"], fifth["labels"])
        self.assertAlmostEqual(document["probability"], 1, delta=1e-12)
        self.assertAlmostEqual(document["partial_probability"], fifth["probability"], delta=1e-12)

    def test_another_separator(self):
        data = self.with_labels("x", ["?", "B-QTY/O", "?", "?", "?"])
        self.assertIn(self.labels("--partial", "--partial-separator", "/", data)[0][1],
                      ("B-QTY", "O"))

    def test_what_cannot_be_read_names_the_line_after_what_came_before(self):
        data = self.file("x", "cups ?\n\nof B-QTY\nflour B-QTZ\n")
        done = croft("predict", "-m", self.model, "--partial", data)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertRegex(done.stdout.decode(), r"^cups \? \S+\n\n$")
        self.assert_one_message(done.stderr.decode(), [f"{data}:4:", '"B-QTZ"', '"?"'])
        self.fails(BAD_INPUT, "predict", "-m", self.model, "--partial", "-", stdin=b"cups\n",
                   mentions=["<stdin>:1:", "without labels"])
        self.refused("--partial-separator", "/", mentions=["--partial"])
        for text in ("", "ab", " ", "?", "é"):
            self.refused("--partial", "--partial-separator", text, mentions=["separator"])

    def test_attribute_lines(self):
        train = self.file("train.attributes", "X\ta\nY\tb\n\nY\tb\nX\ta\nZ\tc\n")
        model = self.train("m.croft", "--format", "attributes", train)
        text = self.run_ok("predict", "-m", model, "--partial", "--to", "columns",
                           stdin=b"?\ta\nX|Z\tb\nZ\ta\n")
        rows = [row.split("\t") for row in sequences_of(text)[0]]
        self.assertEqual([row[0] for row in rows], ["?", "X|Z", "Z"])
        self.assertIn(rows[1][1], ("X", "Z"))
        self.assertEqual(rows[2][1], "Z")


class PenaltyTest(QuestionTest):
    def penalties(self, text):
        return self.file("penalties.txt", text)

    def test_a_huge_penalty_is_like_a_prohibition_and_a_huge_bonus_like_force(self):
        labels = self.labels("--penalties", self.penalties("* *-QTY 1000\n"), self.data)
        self.assertNotIn("QTY", {y[2:] for sequence in labels for y in sequence})
        forced = self.penalties("0=cups O -1000\n")
        rows = [row.split() for s in sequences_of(self.predict("--penalties", forced, self.data))
                for row in s]
        self.assertIn(["cups", "B-UNIT", "O"], rows)
        self.assertEqual({row[-1] for row in rows if row[0] == "cups"}, {"O"})

    def test_a_penalty_divides_the_odds(self):
        before = self.documents("--marginals=all", stdin=b"cups\n")[0]["marginals"][0]
        penalties = self.penalties(f"* B-UNIT {math.log(4)}\n")
        after = self.documents("--marginals=all", "--penalties", penalties,
                               stdin=b"cups\n")[0]["marginals"][0]
        odds = [m["B-UNIT"] / m["O"] for m in (before, after)]
        self.assertAlmostEqual(odds[0] / odds[1], 4, delta=1e-6)

    def test_attribute_lines_are_tested_by_attribute(self):
        train = self.file("train.attributes", "X\ta\nY\tb\n\nY\tb\nX\ta\n")
        model = self.train("m.croft", "--format", "attributes", train)
        text = self.run_ok("predict", "-m", model, "--penalties", self.penalties("b Y 1000\n"),
                           stdin=train.read_bytes())
        self.assertEqual(text, "X\nX\n\nX\nX\n\n")

    def test_wrong_lines_are_named(self):
        for text, mention in (("* O\n", "TEST LABEL PENALTY"), ("* O 1\n* Q 1\n", '"Q"'),
                              ("1=cups O 1\n", "no column 1"), ("* O inf\n", '"inf"'),
                              ("cups O 1\n", "COLUMN=TEXT"), ("", "no penalty")):
            path = self.penalties(text)
            self.fails(BAD_INPUT, "predict", "-m", self.model, "--penalties", path, self.data,
                       mentions=[path, mention])


class RuleTest(QuestionTest):
    def chunk_counts(self, documents, kind):
        return [sum(c[2] == kind for c in chunks_of(d["labels"])) for d in documents]

    def test_counts_of_chunks_and_labels_are_exact(self):
        free = self.documents(self.data)
        self.assertGreater(max(self.chunk_counts(free, "NAME")), 1)
        for rule, holds in (("at-most 1 NAME", lambda n: n <= 1), ("exactly 2 NAME", lambda n: n == 2),
                            ("at-least 1 NAME", lambda n: n >= 1)):
            # A sequence of one position cannot have two chunks.
            documents = [d for d in map(json.loads, croft(
                "predict", "-m", self.model, "--to", "json", "--rule", rule,
                self.data).stdout.splitlines()) if d["labels"]]
            self.assertGreater(len(documents), 100)
            self.assertTrue(all(map(holds, self.chunk_counts(documents, "NAME"))), rule)
            self.assertTrue(all(d["search"] == {"exact": True, "gap": 0, "drawn": 0}
                                for d in documents))
        for d in self.documents("--rule", "at-most 1 label B-*", self.data):
            self.assertLessEqual(sum(y[0] == "B" for y in d["labels"]), 1)
        for d in self.documents("--rule", "occurs O", "--rule", "at-most 2 label O", self.data):
            self.assertIn(d["labels"].count("O"), (1, 2))
        for d in self.documents("--rule", "not-both B-NAME B-UNIT", self.data):
            self.assertFalse({"B-NAME", "B-UNIT"} <= set(d["labels"]))

    def test_everything_else_is_asked_of_the_labellings_that_obey(self):
        options = ("--rule", "at-most 1 NAME", "--constrain", "bio", "--k-best", 5, "--samples", 5,
                   "--spans", "--probability", "--decode", "viterbi", self.data)
        for document in self.documents(*options):
            every = [b["labels"] for b in document["k_best"]] + document["samples"]
            for labels in every:
                self.assertTrue(obeys_bio(labels))
                self.assertLessEqual(sum(c[2] == "NAME" for c in chunks_of(labels)), 1)
            self.assertAlmostEqual(document["k_best"][0]["probability"], document["probability"],
                                   delta=1e-9)

    def test_equal_cells_agree(self):
        data = self.file("x", "salt\nof\ncups\nof\nsalt\nof\nflour\n")
        document = self.documents("--rule", "agree 0", "--probability", data)[0]
        labels = document["labels"]
        self.assertEqual(labels[0], labels[4])
        self.assertEqual({labels[1], labels[3], labels[5]}, {labels[1]})
        self.assertTrue(document["search"]["exact"])
        self.assertGreater(document["search"]["drawn"], 0)
        both = self.documents("--rule", "agree 0", "--rule", "at-most 1 *", data)[0]
        self.assertLessEqual(len(chunks_of(both["labels"])), 1)

    def test_equal_attributes_of_a_prefix_agree(self):
        train = self.file("train.attributes", "X\tw=a\tp=1\nY\tw=b\tp=2\n\nY\tw=b\tp=2\n")
        model = self.train("m.croft", "--format", "attributes", train)
        data = b"\tw=a\tp=1\n\tw=a\tp=2\n\tw=a\tp=2\n"
        labels = sequences_of(self.run_ok("predict", "-m", model, "--rule", "agree w=", stdin=data))
        self.assertEqual(len(set(labels[0])), 1)
        free = sequences_of(self.run_ok("predict", "-m", model, stdin=data))
        self.assertEqual(len(set(free[0])), 2)

    def test_a_search_that_is_cut_short_says_how_far_it_may_be_from_the_best(self):
        # Words that nobody has seen, so that everything depends on neighbours that must agree.
        words = "a b c d e f g h".split()
        data = self.file("x", "".join(f"{w}\n" for k in range(6) for w in words[k:] + words[:k]))
        rule = ("--penalties", self.file("p", "0=a O 3\n0=b B-NAME 4\n0=c B-QTY 2\n0=d O -2\n"),
                "--rule", "agree 0", data)
        cut = self.documents("--limit", 4, *rule)[0]
        self.assertFalse(cut["search"]["exact"])
        self.assertGreater(cut["search"]["gap"], 0)
        self.assertLessEqual(cut["search"]["drawn"], 4)
        text = self.predict("--limit", 4, *rule)
        self.assertAlmostEqual(float(re.match(r"# gap (\S+)\n", text)[1]), cut["search"]["gap"],
                               delta=1e-4 * cut["search"]["gap"])

    def test_a_count_beyond_any_product_is_searched(self):
        options = ("--rule", "at-most 500000 NAME", "--rule", "at-least 1 label O", self.data)
        searched = self.documents(*options)
        product = self.documents("--rule", "at-least 1 label O", self.data)
        self.assertTrue(all(d["search"]["exact"] for d in searched))
        self.assertGreater(max(d["search"]["drawn"] for d in searched), 1)
        self.assertEqual([d["labels"] for d in searched], [d["labels"] for d in product])

    def test_refused_before_anything_is_read(self):
        for rule, mention in (("at-most NAME", "write at-most"), ("at-most two NAME", '"two"'),
                              ("occurs Q", '"Q"'), ("at-most 1 Q", '"Q"'), ("agree 1", "column"),
                              ("agree 99", "column"), ("not-both O O", "itself"), ("", "its value is empty")):
            self.refused("--rule", rule, mentions=["--rule", mention])
        self.refused("--rule", "agree 0", "--k-best", 2, mentions=["--k-best"])
        self.refused("--rule", "agree 0", "--samples", 2, mentions=["--samples"])
        self.refused("--limit", 5, mentions=["--limit", "--rule"])
        self.refused("--rule", "agree 0", "--limit", 0, mentions=["--limit"])


class NoLabellingTest(QuestionTest):
    DATA = "cups ?\n\nof O\nflour I-NAME\n\nsalt ?\n\ncups O\nof I-UNIT\n"

    def test_the_stream_goes_on_and_the_run_fails_with_the_line_of_the_first(self):
        path = self.file("x", self.DATA)
        options = ("predict", "-m", self.model, "--partial", "--constrain", "bio")
        done = croft(*options, "--to", "json", path)
        self.assertEqual(done.returncode, BAD_INPUT)
        documents = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([d["labels"] is None for d in documents], [False, True, False, True])
        self.assertEqual(set(documents[1]), {"labels", "error"})
        self.assert_one_message(done.stderr.decode(),
                                [f"{path}:3:", "no labelling", "2 sequences", "loosen"])
        for output in ("columns", "labels"):
            done = croft(*options, "--output", output, "--probability", path)
            self.assertEqual(done.returncode, BAD_INPUT)
            blocks = sequences_of(done.stdout.decode())
            self.assertEqual(len(blocks), 4)
            for k, block in enumerate(blocks):
                self.assertEqual(block == ["# error no labelling of this sequence is allowed"],
                                 k in (1, 3), block)

    def test_it_may_be_the_only_answer(self):
        self.fails_with_output(b"cups\n", "--rule", "exactly 2 NAME", says="is allowed")

    def test_a_search_that_finds_none_says_that_it_was_cut_short(self):
        self.fails_with_output(b"cups\nof\nflour\n", "--rule", "at-most 600000 NAME", "--rule",
                               "at-least 4 label O", "--limit", 2, says="that were tried",
                               remedy="--limit")

    def fails_with_output(self, stdin, *arguments, says, remedy="loosen"):
        done = croft("predict", "-m", self.model, *arguments, stdin=stdin)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(says, done.stdout.decode())
        self.assert_one_message(done.stderr.decode(), ["<stdin>:1:", says, remedy])


class TogetherTest(QuestionTest):
    def test_the_number_of_threads_changes_nothing(self):
        big = self.file("big.bio", (self.data.read_text("utf-8") + "\n") * 8)
        options = ("--to", "json", "--k-best", 3, "--spans", "--samples", 2, "--entropy",
                   "--expected-counts", "--marginals=edges", "--probability", "--constrain", "bio",
                   "--rule", "at-most 2 NAME", big)
        expected = self.predict(*options)
        self.assertEqual(self.predict(*options, "--threads", 3), expected)

    def test_values_that_are_not_counts_are_refused(self):
        for option in ("--k-best", "--samples"):
            for value in ("0", "-1", "many", "1.5"):
                self.refused(option, value, mentions=[option, value])

    def test_the_help_has_every_option(self):
        text = self.run_ok("predict", "--help")
        for name in ("--k-best", "--spans", "--entropy", "--expected-counts", "--samples",
                     "--decode", "--constrain", "--partial", "--partial-separator", "--penalties",
                     "--rule", "--limit", "--chunks"):
            self.assertRegex(text, rf"(?m)^ +{name}\b")


if __name__ == "__main__":
    main()
