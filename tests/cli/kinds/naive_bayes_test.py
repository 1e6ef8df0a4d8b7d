"""croft train --model naive-bayes, and what the other verbs make of its models."""

import json
import math
import random
from collections import Counter, defaultdict
from fractions import Fraction

from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, main

WORDS = ["ball", "goal", "vote", "law", "team", "party"]


def documents(count, seed):
    """(label, words) of two subjects."""
    generator = random.Random(seed)
    out = []
    for _ in range(count):
        label = generator.choice(["sport", "politics"])
        weights = [5, 4, 1, 1, 4, 2] if label == "sport" else [1, 1, 5, 4, 2, 4]
        out.append((label, generator.choices(WORDS, weights, k=generator.randint(1, 8))))
    return out


def attributes(data):
    return "".join(label + "".join(f"\t{word}:{n}" for word, n in Counter(words).items()) + "\n\n"
                   for label, words in data)


class NaiveBayesTest(CliTest):
    def bayes(self, name, *arguments):
        self.run_ok("train", "--model", "naive-bayes", "-o", self.folder / name, "--quiet", *arguments)
        return self.folder / name

    def posteriors(self, model, path):
        lines = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", path).splitlines()
        return [json.loads(line)["marginals"][0] for line in lines]


class MultinomialTest(NaiveBayesTest):
    def test_options_of_other_event_models_are_refused(self):
        data = self.file("d", "A\tx:1\n\nB\ty:1\n\n")
        for event, option in (("multinomial", ("--binarize", 1)), ("auto", ("--variance-floor", 1)),
                              ("bernoulli", ("--complement-norm",)), ("gaussian", ("--alpha", 1)),
                              ("complement", ("--binarize", 0))):
            self.fails(WRONG_USAGE, "train", "--quiet", "--model", "naive-bayes", "--event", event,
                       *option, "--format", "attributes", "-o", self.folder / "m.croft", data,
                       mentions=[option[0], event])

    def test_bernoulli_terms_with_other_values_than_0_and_1_are_not_converted(self):
        data = self.file("texts", "A\tone one two\nB\ttwo three\n")
        for options in (("--norm", "l2"), ("--binarize", 1), ("--hash-bits", 8)):
            model = self.train("n.croft", "--model", "naive-bayes", "--event", "bernoulli",
                               "--format", "text", *options, data)
            self.fails(WRONG_USAGE, "convert", model, "-o", self.folder / "c.croft",
                       mentions=["0 and 1"])
        self.assertFalse((self.folder / "c.croft").exists())

    def test_posteriors_are_those_of_counts(self):
        """By exact fractions."""
        data = documents(60, 1)
        path = self.file("data", attributes(data))
        model = self.bayes("m.croft", "--format", "attributes", "--alpha", "2", path)
        counts, labels = defaultdict(Counter), Counter(label for label, _ in data)
        for label, words in data:
            counts[label].update(words)
        for row, (_, words) in zip(self.posteriors(model, path), data):
            joint = {}
            for label in labels:
                joint[label] = Fraction(labels[label], len(data))
                for word in words:
                    joint[label] *= Fraction(counts[label][word] + 2, sum(counts[label].values()) + 2 * len(WORDS))
            for label, p in joint.items():
                self.assertAlmostEqual(row[label], float(p / sum(joint.values())), places=6)

    def test_data_that_is_added_gives_the_model_of_all_of_it(self):
        data = documents(80, 2)
        first, second = self.file("first", attributes(data[:50])), self.file("second", attributes(data[50:]))
        for event in ("multinomial", "bernoulli", "complement", "gaussian"):
            how = ("--format", "attributes", "--event", event)
            whole = self.bayes("whole.croft", *how, first, second)
            part = self.bayes("part.croft", *how, first)
            added = self.bayes("added.croft", "--format", "attributes", "--init", part, second)
            if event != "gaussian":  # sums of counts are exact
                self.assertEqual(whole.read_bytes(), added.read_bytes())
            for a, b in zip(self.posteriors(whole, second), self.posteriors(added, second)):
                self.assertAlmostEqual(a["sport"], b["sport"], places=6)

    def test_new_labels_and_attributes_may_come_later(self):
        one = self.bayes("one.croft", "--format", "attributes", self.file("1", "a\tx\n\n"))
        two = self.bayes("two.croft", "--format", "attributes", "--init", one, self.file("2", "b\ty\n\n"))
        document = json.loads(self.run_ok("inspect", "-m", two, "--json"))
        self.assertEqual(document["labels"], ["a", "b"])
        self.assertEqual(document["attributes"], 2)
        self.assertEqual(document["training"]["sequences"], 2)

    def test_evaluate_and_columns(self):
        train, test = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"
        model = self.bayes("m.croft", "--event", "bernoulli", train)
        result = json.loads(self.run_ok("evaluate", "-m", model, "--json", test))
        self.assertGreater(result["tokens"]["accuracy"], 0.7)
        self.assertIn("log_loss", result)


class EventsTest(NaiveBayesTest):
    def test_tables_have_measurements_and_categories(self):
        rows = ["height,colour,label"]
        generator = random.Random(3)
        for _ in range(40):
            label = generator.choice("AB")
            height = f"{generator.gauss(1 if label == 'A' else 3, 1):.3f}" if generator.random() < 0.9 else ""
            rows.append(f"{height},{generator.choice('rrg' if label == 'A' else 'rgg')},{label}")
        path = self.file("t.csv", "\n".join(rows) + "\n")
        model = self.bayes("m.croft", "--format", "csv", path)
        document = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", "2"))
        self.assertEqual(document["events"], {"gaussian": 1, "categorical": 2})
        self.assertEqual(document["top"]["gaussian"][0]["attribute"], "height")
        cells = [row.split(",") for row in rows[1:]]
        for row, (height, colour, _) in zip(self.posteriors(model, path), cells):
            joint = {}
            for label in "AB":
                own = [c for c in cells if c[2] == label]
                p = len(own) / len(cells)
                p *= (sum(c[1] == colour for c in own) + 1) / (len(own) + 2)
                if height:
                    values = [float(c[0]) for c in own if c[0]]
                    mean = sum(values) / len(values)
                    variance = sum((v - mean) ** 2 for v in values) / len(values)
                    p *= math.exp(-(float(height) - mean) ** 2 / (2 * variance)) / math.sqrt(variance)
                joint[label] = p
            self.assertAlmostEqual(row["A"], joint["A"] / sum(joint.values()), places=6)

    def test_throws_of_a_coin(self):
        data = self.file("coin", "".join(f"c\t{'heads' if k < 10 else 'tails'}\n\n" for k in range(100)))
        model = self.bayes("m.croft", "--format", "attributes", "--event", "bernoulli", "--alpha", "0", data)
        lines = self.run_ok("inspect", "-m", model, "--weights").splitlines()
        found = {line.split("\t")[1]: float(line.split("\t")[3]) for line in lines if line.startswith("bernoulli")}
        self.assertAlmostEqual(math.exp(found["heads"]), 0.1)
        self.assertAlmostEqual(math.exp(found["tails"]), 0.9)

    def test_priors(self):
        data = self.file("d", "a\tx\n\na\tx\n\na\ty\n\nb\ty\n\n")
        prior = lambda *how: json.loads(self.run_ok("inspect", "--json", "-m", self.bayes(
            "m.croft", "--format", "attributes", *how, data)))["prior_probabilities"]
        self.assertAlmostEqual(prior()[0], 0.75)
        self.assertEqual(prior("--prior-probabilities", "uniform"), [0.5, 0.5])
        for given in ("b=0.9,a=0.1", self.file("p", "a\t0.1\nb\t0.9\n")):
            for found, expected in zip(prior("--prior-probabilities", given), [0.1, 0.9]):
                self.assertAlmostEqual(found, expected)

    def test_em_raises_the_likelihood_and_counts_what_has_no_label(self):
        data = documents(200, 4)
        known = [(label if n < 20 else "?", words) for n, (label, words) in enumerate(data)]
        log = self.folder / "log"
        model = self.bayes("m.croft", "--format", "attributes", "--partial", "--log", log,
                           self.file("d", attributes(known)))
        values = [json.loads(line) for line in log.read_text().splitlines()]
        steps = [line["objective"] for line in values if line["event"] == "iteration"]
        self.assertGreater(len(steps), 2)
        self.assertEqual(values[-1]["reason"], "converged")
        for a, b in zip(steps, steps[1:]):
            self.assertLessEqual(b, a + 1e-9 * abs(a))
        right = self.run_ok("predict", "-m", model, self.file("all", attributes(data))).split()
        self.assertGreater(sum(a == label for a, (label, _) in zip(right, data)), 160)
        lines = self.run_ok("inspect", "-m", model)
        self.assertIn("partial positions       180", lines)


class ConversionTest(NaiveBayesTest):
    def test_the_logistic_regression_has_the_same_posterior(self):
        path = self.file("d", attributes(documents(60, 5)))
        for event in ("multinomial", "complement"):
            model = self.bayes("m.croft", "--format", "attributes", "--event", event, path)
            self.run_ok("convert", model, "-o", self.folder / "maxent.croft")
            for a, b in zip(self.posteriors(model, path), self.posteriors(self.folder / "maxent.croft", path)):
                self.assertAlmostEqual(a["sport"], b["sport"], places=5)
        summary = json.loads(self.run_ok("inspect", "-m", self.folder / "maxent.croft", "--json"))
        self.assertEqual(summary["kind"], "maxent")

    def test_of_texts_terms_are_there_or_not(self):
        """Words that occur twice in a text say no more than once."""
        path = self.file("d", "".join(f"{label}\t{' '.join(words)}\n" for label, words in documents(60, 9)))
        model = self.bayes("m.croft", "--format", "text", "--event", "bernoulli", path)
        self.run_ok("convert", model, "-o", self.folder / "maxent.croft")
        for a, b in zip(self.posteriors(model, path), self.posteriors(self.folder / "maxent.croft", path)):
            self.assertAlmostEqual(a["sport"], b["sport"], places=5)

    def test_measurements_have_none(self):
        path = self.file("d", "a\tx:1.5\n\nb\tx:2\n\na\tx:1\n\nb\tx:3\n\n")
        model = self.bayes("m.croft", "--format", "attributes", "--event", "gaussian", path)
        self.fails(WRONG_USAGE, "convert", model, "-o", self.folder / "c.croft", mentions=["squares"])


class InspectTest(NaiveBayesTest):
    def dump(self, model):
        return [line.split("\t") for line in self.run_ok("inspect", "-m", model, "--weights").splitlines()]

    def test_the_dump_has_the_probabilities_of_counts(self):
        data = documents(60, 6)
        model = self.bayes("m.croft", "--format", "attributes", self.file("d", attributes(data)))
        found = {tuple(line[:3]): float(line[3]) for line in self.dump(model) if line[0] == "multinomial"}
        self.assertEqual(len(found), 2 * len(WORDS))
        for label in ("sport", "politics"):
            counts = Counter(word for y, words in data if y == label for word in words)
            for word in WORDS:
                p = (counts[word] + 1) / (sum(counts.values()) + len(WORDS))
                self.assertAlmostEqual(found["multinomial", word, label], math.log(p), places=12)
        priors = [math.exp(float(line[2])) for line in self.dump(model) if line[0] == "prior"]
        self.assertAlmostEqual(sum(priors), 1)

    def test_measurements_have_mean_and_variance(self):
        data = self.file("d", "".join(f"{y}\tx:{x}\tz:{z}\n\n" for y, x, z in
                                      [("a", 1, 5), ("a", 3, 6), ("b", 7, 5), ("b", 9, 6)]))
        model = self.bayes("m.croft", "--format", "attributes", "--event", "gaussian", "--variance-floor", "0", data)
        self.assertEqual([line for line in self.dump(model) if line[0] == "gaussian"],
                         [["gaussian", "x", "a", "2", "1"], ["gaussian", "x", "b", "8", "1"],
                          ["gaussian", "z", "a", "5.5", "0.25"], ["gaussian", "z", "b", "5.5", "0.25"]])
        top = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", "5"))["top"]["gaussian"]
        self.assertEqual([each["attribute"] for each in top], ["x"])  # z tells nothing apart
        self.assertEqual(top[0]["labels"]["b"], {"mean": 8, "variance": 1})
        self.assertIn("x: mean and standard deviation", self.run_ok("inspect", "-m", model, "--top", "5"))

    def test_top_attributes_stand_out_most(self):
        model = self.bayes("m.croft", "--format", "attributes", self.file("d", attributes(documents(80, 7))))
        logs = defaultdict(dict)
        for line in self.dump(model):
            if line[0] == "multinomial":
                logs[line[1]][line[2]] = float(line[3])
        top = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", "2"))["top"]["attributes"]
        for label, listed in top.items():
            above = {word: p[label] - sum(p.values()) / 2 for word, p in logs.items()}
            self.assertEqual([each["attribute"] for each in listed], sorted(above, key=above.get, reverse=True)[:2])
            self.assertAlmostEqual(listed[0]["above_mean"], max(above.values()), places=9)

    def test_verify_finds_damage(self):
        model = self.bayes("m.croft", "--format", "attributes", self.file("d", attributes(documents(20, 8))))
        self.assertIn("every section's checksum is right", self.run_ok("inspect", "-m", model, "--verify"))
        content = bytearray(model.read_bytes())
        content[-1] ^= 1
        self.fails(BAD_INPUT, "inspect", "-m", self.file("bad.croft", bytes(content)), "--verify",
                   mentions=["bad.croft"])


class ErrorsTest(NaiveBayesTest):
    def refused(self, status, *arguments, mentions):
        self.fails(status, "train", "--model", "naive-bayes", "--quiet", "-o", self.folder / "m.croft", *arguments,
                   mentions=mentions)

    def test_options_of_other_kinds_are_refused(self):
        path = self.file("d", "a\tx\n\n")
        self.refused(WRONG_USAGE, "--format", "attributes", "--l2", "1", path, mentions=["--l2", "naive-bayes"])
        self.refused(WRONG_USAGE, "--format", "attributes", "--optimizer", "lbfgs", path, mentions=["--optimizer"])
        self.refused(WRONG_USAGE, "--format", "attributes", "--em-iterations", "3", path, mentions=["--partial"])
        self.fails(WRONG_USAGE, "train", "-o", self.folder / "m.croft", "--alpha", "1", path,
                   mentions=["--alpha", "chain"])

    def test_bad_numbers_and_data(self):
        path = self.file("d", "b\ty\n\na\tz\na\tx:-1\n\n")
        self.refused(BAD_INPUT, "--format", "attributes", path, mentions=[f"{path}:4: a value below 0, -1", "gaussian"])
        self.refused(WRONG_USAGE, "--format", "attributes", "--alpha", "-1", path, mentions=["--alpha"])
        self.refused(WRONG_USAGE, "--event", "poisson", path, mentions=["poisson"])
        good = self.file("g", "a\tx\n\nb\ty\n\n")
        for prior, mention in (("a=0.5", '"b" has no probability'), ("a=0.5,c=0.5", '"c" is no label'),
                               ("a=0.5,b=0.6", "sum to 1.1")):
            self.refused(WRONG_USAGE, "--format", "attributes", "--prior-probabilities", prior, good,
                         mentions=[mention])
        self.refused(BAD_INPUT, "--format", "attributes", "--prior-probabilities", "a=0.5,b=x", good, mentions=["b=x"])

    def test_numbers_of_a_table_are_categories_where_the_event_says_so(self):
        generator = random.Random(1)
        rows = [(code, "odd" if code % 2 else "even") for code in generator.choices(range(8), k=200)]
        path = self.file("codes.csv", "code,label\n" + "".join(f"{c},{y}\n" for c, y in rows))
        event = self.bayes("event.croft", "--format", "csv", "--event", "categorical", path)
        named = self.bayes("named.croft", "--format", "csv", "--categorical", "code", path)
        self.assertEqual(self.posteriors(event, path), self.posteriors(named, path))
        result = json.loads(self.run_ok("evaluate", "-m", event, "--json", path))
        self.assertEqual(result["tokens"]["accuracy"], 1)

    def test_categorical_needs_columns_and_values(self):
        table = self.file("t.csv", "code,label\n1,a\n2,b\n")
        for option in (("--numeric", "code"), ("--standardise",)):
            self.refused(WRONG_USAGE, "--format", "csv", "--event", "categorical", *option, table,
                         mentions=[option[0], "categorical"])
        for form, text in (("text", "a\tone two\nb\ttwo\n"), ("svmlight", "1 1:2\n2 1:3\n")):
            self.refused(WRONG_USAGE, "--format", form, "--event", "categorical", self.file("d", text),
                         mentions=["COLUMN=VALUE", form])
        path = self.file("d", "a\tx\n\nb\ty\n\n")
        self.refused(BAD_INPUT, "--format", "attributes", "--event", "categorical", path,
                     mentions=["COLUMN=VALUE", '"x"'])

    def test_inspect_shows_how_texts_become_attributes_a_field_a_line(self):
        model = self.bayes("t.croft", "--format", "text", self.file("d.tsv", "a\tone two\nb\ttwo\n"))
        text = self.run_ok("inspect", "-m", model)
        self.assertRegex(text, r"(?m)^  text analyzer +word$")
        for absent in ("columns", "language", '{"'):
            self.assertNotIn(absent, text)
        self.assertIn(" nats a document;", self.run_ok("evaluate", "-m", model, self.folder / "d.tsv"))
        table = self.file("t.csv", "code,label\n1,a\n2,b\n")
        model = self.bayes("c.croft", "--format", "csv", "--event", "categorical", table)
        self.assertIn(" nats an example;", self.run_ok("evaluate", "-m", model, table))

    def test_options_of_tables_beside_init_are_named(self):
        table = self.file("t.csv", "code,label\n1,a\n2,b\n")
        model = self.bayes("one.croft", "--format", "csv", table)
        self.refused(WRONG_USAGE, "--format", "csv", "--init", model, "--label", "label", table,
                     mentions=["--label"])

    def test_what_counts_depend_on_cannot_change(self):
        path = self.file("d", "a\tx\n\nb\ty\n\n")
        model = self.bayes("one.croft", "--format", "attributes", path)
        self.refused(WRONG_USAGE, "--format", "attributes", "--init", model, "--event", "bernoulli", path,
                     mentions=["--event"])
        self.refused(WRONG_USAGE, "--format", "attributes", "--init", model, "--binarize", "1", path,
                     mentions=["--binarize"])
        self.refused(WRONG_USAGE, "--init", model, path, mentions=["--format"])

    def test_templates_with_transitions_are_refused(self):
        template = self.file("t", "U0:%x[0,0]\nB\n")
        self.refused(WRONG_USAGE, "--template", template, INGREDIENTS / "train.txt", mentions=["no transitions"])


if __name__ == "__main__":
    main()
