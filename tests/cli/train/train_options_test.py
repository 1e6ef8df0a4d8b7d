"""Partial labels, weights, costs, constraints and groups of transitions in training, end to end."""

import json
import random

from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, main, read_log, sequences_of

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"


def chunk_data(count, seed):
    """Sequences of a word and a BIO label; the words leave doubts."""
    chance = random.Random(seed)
    lines = []
    for _ in range(count):
        label = "O"
        for _ in range(chance.randint(1, 7)):
            inside = [] if label == "O" else ["I" + label[1:]]
            label = chance.choice(["O", "B-X", "B-Y", *inside, *inside])
            word = label if chance.random() < 0.6 else chance.choice("pqr")
            lines.append(f"{word} {label}\n")
        lines.append("\n")
    return "".join(lines)


def breaks_bio(labels):
    """Whether some I-X follows neither B-X nor I-X."""
    pairs = zip(["O", *labels], labels)
    return any(y[0] == "I" and x[1:] != y[1:] for x, y in pairs)


class OptionsTest(CliTest):
    def record(self, model):
        return json.loads(self.run_ok("inspect", "--json", "-m", model))["training"]

    def transitions(self, model):
        """(from, to) → weight, as text."""
        rows = [row.split("\t") for row in self.run_ok("inspect", "--weights", "-m",
                                                       model).splitlines()]
        return {(row[2], row[3]): row[4] for row in rows if row[0] == "transition"}

    def refused(self, status, *arguments, mentions):
        with self.subTest(arguments=arguments):
            self.refuses_to_train(status, *arguments, mentions=mentions)


class PartialTest(OptionsTest):
    def test_full_labels_give_the_same_bytes(self):
        plain = self.train("a.croft", TRAIN).read_bytes()
        self.assertEqual(self.train("b.croft", "--partial", TRAIN).read_bytes(), plain)

    def test_sets_and_unknown_labels_teach_what_they_can(self):
        text = ""
        for n, rows in enumerate(sequences_of(TRAIN.read_text("utf-8"))):
            for t, row in enumerate(rows):
                word, label = row.split()
                if n % 2 == 1:
                    label = "?" if t % 3 == 0 else f"NAME/{label}" if label != "NAME" else label
                text += f"{word} {label}\n"
            text += "\n"
        data = self.file("partial.txt", text)
        model = self.train("m.croft", "--partial", "--partial-separator", "/", data)
        self.assertGreater(self.record(model)["partial_positions"], 500)
        labels = json.loads(self.run_ok("inspect", "--json", "-m", model))["labels"]
        self.assertEqual(sorted(labels), ["COMMENT", "NAME", "OTHER", "PREP", "QTY", "UNIT"])
        score = json.loads(self.run_ok("evaluate", "--json", "-m", model, TEST))
        self.assertGreater(score["tokens"]["accuracy"], 0.88)

    def test_a_hold_out_counts_the_positions_with_one_label(self):
        held = self.file("held.txt", "2 QTY\ncups ?\n\n1 QTY\nlarge NAME|UNIT\nleek QTY\n")
        log = self.folder / "log"
        model = self.train("m.croft", "--partial", "--holdout", held, "--log", log, TRAIN)
        self.assertAlmostEqual(self.record(model)["holdout"]["token_accuracy"], 2 / 3)
        self.assertAlmostEqual(read_log(log)[0][-1]["holdout_accuracy"], 2 / 3)
        self.train("m.croft", "--partial", "--holdout", "0.2", TRAIN)
        unknown = self.file("unknown.txt", "2 ?\n")
        self.refused(BAD_INPUT, "--partial", "--holdout", unknown, TRAIN,
                     mentions=[unknown, "one label"])
        broken = self.file("broken.txt", "2 QTY\ncups A|\n")
        self.refused(BAD_INPUT, "--partial", "--holdout", broken, TRAIN,
                     mentions=[f"{broken}:2:", "empty label"])

    def test_errors(self):
        data = self.file("data.txt", "a X\nb X|\n")
        self.refused(BAD_INPUT, "--partial", data, mentions=[f"{data}:2:", "empty label"])
        twice = self.file("twice.txt", "a X\n\nb X|Y|X\n")
        self.refused(BAD_INPUT, "--partial", twice, mentions=[f"{twice}:3:", "twice"])
        nothing = self.file("nothing.txt", "a ?\n")
        self.refused(BAD_INPUT, "--partial", nothing, mentions=["label"])
        self.refused(WRONG_USAGE, "--partial-separator", "/", TRAIN, mentions=["--partial"])
        for separator in ("", "ab", "?", " "):
            self.refused(WRONG_USAGE, "--partial", "--partial-separator", separator, TRAIN,
                         mentions=["--partial-separator"])
        old = self.train("old.croft", self.file("old.txt", "a X|Y\nb Z\n"))
        self.refused(WRONG_USAGE, "--partial", "--init", old, TRAIN, mentions=["X|Y", old])


class WeightTest(OptionsTest):
    def test_a_weight_of_two_is_the_sequence_twice(self):
        first, rest = self.file("first.txt", "a X\nb Y\n"), self.file("rest.txt", "b X\na X\n")
        exact = ("--tolerance", 0, "--gradient-tolerance", "1e-7", "--precision", "double")
        weights = self.file("weights.txt", "2\n1\n")
        weighted = self.train("w.croft", *exact, "--weights", weights, first, rest)
        twice = self.train("t.croft", *exact, first, first, rest)
        self.assertAlmostEqual(self.record(weighted)["objective_value"],
                               self.record(twice)["objective_value"], places=6)
        self.assertEqual(self.record(weighted)["total_weight"], 3)
        self.assertNotIn("total_weight", self.record(twice))

    def test_weights_of_one_change_nothing(self):
        plain = self.train("a.croft", TRAIN).read_bytes()
        count = len(sequences_of(TRAIN.read_text("utf-8")))
        weights = self.file("weights.txt", "1\n" * count)
        self.assertEqual(self.train("b.croft", "--weights", weights, TRAIN).read_bytes(), plain)

    def test_weights_go_by_the_order_of_the_data_and_not_of_what_is_left_of_it(self):
        # A hold-out takes some sequences away: those that stay keep their weights.
        text, weights, total = "", "", 0
        for n in range(60):
            weight = 1 + n % 7
            text += f"w{weight} {'XY'[n % 2]}\n\n"
            weights += f"{weight}\n"
            total += weight
        data = self.file("data.txt", text)
        model = self.train("m.croft", "--weights", self.file("weights.txt", weights), "--holdout",
                           "0.5", "--max-iterations", 0, data)
        record = self.record(model)
        self.assertNotEqual(record["total_weight"], record["sequences"])
        self.assertLess(record["total_weight"], total)

    def test_errors(self):
        count = len(sequences_of(TRAIN.read_text("utf-8")))
        for other in (count - 1, count + 2):
            weights = self.file("weights.txt", "1\n" * other)
            self.refused(BAD_INPUT, "--weights", weights, TRAIN,
                         mentions=[weights, other, f"{count} sequences"])
        for line in ("0", "-1", "x", "", "inf"):
            weights = self.file("weights.txt", f"1\n{line}\n1\n")
            self.refused(BAD_INPUT, "--weights", weights, TRAIN, mentions=[f"{weights}:2:"])
        large = self.file("weights.txt", "1e16\n")
        self.refused(BAD_INPUT, "--weights", large, TRAIN, mentions=[f"{large}:1:", "1e15"])
        self.refused(BAD_INPUT, "--weights", self.folder / "none", TRAIN, mentions=["none"])
        data = self.file("d.attributes", "X\ta\n\n@weight:1\nY\tb\n")
        weights = self.file("weights.txt", "1\n1\n")
        self.refused(BAD_INPUT, "--format", "attributes", "--weights", weights, data,
                     mentions=[f"{data}:4:", "--weights"])


class CostTest(OptionsTest):
    def test_the_record_says_the_objective_and_its_cost(self):
        plain = self.record(self.train("a.croft", TRAIN))
        self.assertEqual(plain["objective"], "likelihood")
        self.assertNotIn("cost", plain)
        margin = self.record(self.train("b.croft", "--objective", "softmax-margin", TRAIN))
        self.assertEqual((margin["objective"], margin["cost"]), ("softmax-margin", 1))
        self.assertGreater(margin["objective_value"], plain["objective_value"])
        none = self.record(self.train("c.croft", "--objective", "softmax-margin", "--cost", 0,
                                      TRAIN))
        self.assertEqual(none["objective_value"], plain["objective_value"])

    def test_a_file_of_costs_is_the_number_that_it_says_everywhere(self):
        one = self.train("a.croft", "--objective", "softmax-margin", "--cost", 0.5, TRAIN)
        costs = self.file("costs", "* * 0.5\n")
        other = self.train("b.croft", "--objective", "softmax-margin", "--cost", costs, TRAIN)
        self.assertEqual(self.record(other)["cost"], "file")
        self.assertEqual(self.run_ok("inspect", "--weights", "-m", one),
                         self.run_ok("inspect", "--weights", "-m", other))

    def test_what_costs_more_to_miss_is_found_more_often(self):
        data = self.file("data.txt", chunk_data(300, 1))
        costs = self.file("costs", "B-X * 4\n")
        recalls = []
        for options in ((), ("--objective", "softmax-margin", "--cost", costs)):
            model = self.train("m.croft", *options, data)
            score = json.loads(self.run_ok("evaluate", "--json", "-m", model, data))
            recalls.append(score["labels"]["B-X"]["recall"])
        self.assertGreater(recalls[1], recalls[0] + 0.02)

    def test_errors(self):
        self.refused(WRONG_USAGE, "--cost", 1, TRAIN, mentions=["--cost", "softmax-margin"])
        self.refused(WRONG_USAGE, "--objective", "hinge", TRAIN,
                     mentions=["hinge", "likelihood", "softmax-margin"])
        margin = ("--objective", "softmax-margin", "--cost")
        for number in ("-1", "inf", "nan"):
            self.refused(WRONG_USAGE, "--objective", "softmax-margin", f"--cost={number}", TRAIN,
                         mentions=["--cost", number])
        self.refused(BAD_INPUT, *margin, self.folder / "none", TRAIN, mentions=["none"])
        bad = self.file("costs", "QTY UNIT 1\nQTY UNIT\n")
        self.refused(BAD_INPUT, *margin, bad, TRAIN, mentions=[f"{bad}:2:"])
        unknown = self.file("costs", "QTY UNITS 1\n")
        self.refused(BAD_INPUT, *margin, unknown, TRAIN, mentions=[f"{unknown}:1:", '"UNITS"'])


class ConstraintTest(OptionsTest):
    def setUp(self):
        super().setUp()
        self.data = self.file("data.txt", chunk_data(150, 2))
        self.noise = self.file("noise.txt", "".join(
            "".join(f"{random.Random(n * 10 + t).choice('pqr')}\n" for t in range(6)) + "\n"
            for n in range(40)))

    def predicted(self, model, *options):
        text = self.run_ok("predict", "-m", model, "--to", "labels", *options, self.noise)
        return sequences_of(text)

    def test_a_model_keeps_its_constraint(self):
        model = self.train("m.croft", "--constrain", "bio", self.data)
        self.assertEqual(self.record(model)["constraint"], "bio")
        summary = json.loads(self.run_ok("inspect", "--json", "-m", model))["constraint"]
        self.assertEqual(sorted(summary["start"]), ["B-X", "B-Y", "O"])
        self.assertEqual(len(summary["end"]), 5)
        self.assertEqual(summary["transitions"], 5 * 3 + 4)
        self.assertIn("19 of 25 transitions", self.run_ok("inspect", "-m", model))
        self.assertFalse([y for y in self.predicted(model) if breaks_bio(y)])
        free = self.train("free.croft", self.data)
        self.assertIsNone(json.loads(self.run_ok("inspect", "--json", "-m", free))["constraint"])

    def test_probabilities_are_those_of_valid_labellings(self):
        model = self.train("m.croft", "--constrain", "bio", self.data)
        text = self.run_ok("predict", "-m", model, "--to", "json", "--k-best", 2000,
                           self.file("four.txt", "p\nq\nr\nB-X\n"))
        best = json.loads(text)["k_best"]
        self.assertAlmostEqual(sum(one["probability"] for one in best), 1, places=5)
        self.assertFalse([one for one in best if breaks_bio(one["labels"])])
        self.assertLess(len(best), 5 ** 4)

    def test_log_loss_is_normalised_over_valid_labellings(self):
        # Nothing learnt: every valid labelling is as likely.  One position has 3 of them, two have
        # 3 * 3 + 2.
        model = self.train("m.croft", "--constrain", "bio", "--max-iterations", 0, self.data)
        gold = self.file("gold.txt", "p O\nq B-X\n")
        score = json.loads(self.run_ok("evaluate", "--json", "-m", model, gold))
        self.assertAlmostEqual(score["log_loss"], 0.5 * 2.3978952728, places=6)

    def test_it_meets_the_constraint_of_predict(self):
        model = self.train("m.croft", "--constrain", "bio", self.data)
        rules = self.file("rules", "! * -> B-Y\n! start B-Y\n")
        labels = self.predicted(model, "--constrain", rules)
        self.assertFalse([y for y in labels if breaks_bio(y) or "B-Y" in y])

    def test_files_of_rules_are_constraints(self):
        rules = self.file("rules", "start O B-*\n* -> O B-*\nB-{same} I-{same} -> I-{same}\n")
        by_file = self.train("a.croft", "--constrain", rules, self.data)
        by_name = self.train("b.croft", "--constrain", "bio", self.data)
        self.assertEqual(self.record(by_file)["constraint"], "file")
        for show in ("--weights", "--json"):
            one, other = (self.run_ok("inspect", show, "-m", m) for m in (by_file, by_name))
            if show == "--json":
                one, other = (json.loads(x)["constraint"] for x in (one, other))
            self.assertEqual(one, other)

    def test_a_warm_start_keeps_it(self):
        model = self.train("m.croft", "--constrain", "bio", self.data)
        again = self.train("n.croft", "--init", model, "--max-iterations", 2, self.data)
        self.assertFalse([y for y in self.predicted(again) if breaks_bio(y)])

    def test_higher_order_partial_and_costs_go_with_it(self):
        text = self.data.read_text("utf-8").replace("B-Y\n", "?\n", 40)
        partial = self.file("partial.txt", text)
        model = self.train("m.croft", "--constrain", "bio", "--partial", "--order", 2,
                           "--histories", "allowed", "--objective", "softmax-margin", partial)
        self.assertFalse([y for y in self.predicted(model) if breaks_bio(y)])

    def test_gold_labels_that_break_it_are_an_error_with_their_line(self):
        bad = self.file("bad.txt", "a O\n\nb B-X\nc O\nd I-X\n")
        self.refused(BAD_INPUT, "--constrain", "bio", self.data, bad,
                     mentions=[f"{bad}:5:", '"I-X" may not follow "O"'])
        start = self.file("start.txt", "a B-X\nb I-X\n\nb I-X\n")
        self.refused(BAD_INPUT, "--constrain", "bio", start,
                     mentions=[f"{start}:4:", "may not start"])
        partial = self.file("partial.txt", "a ?\nb O\nc I-X|I-Y\nd B-X\ne B-Y\n")
        self.refused(BAD_INPUT, "--constrain", "bio", "--partial", partial,
                     mentions=[f"{partial}:3:", "no label that fits"])
        data = self.file("bad.attributes", "O\ta\n\n@weight:2\nB-X\ta\nI-Y\tb\n")
        self.refused(BAD_INPUT, "--constrain", "bio", "--format", "attributes", data,
                     mentions=[f"{data}:5:"])

    def test_errors(self):
        self.refused(BAD_INPUT, "--constrain", "bio", TRAIN, mentions=["bio", "B-X"])
        self.refused(BAD_INPUT, "--constrain", "bioes", self.data, mentions=["bioes"])
        self.refused(BAD_INPUT, "--constrain", self.folder / "none", self.data, mentions=["none"])
        rules = self.file("rules", "start O\nO -> I-Z\n")
        self.refused(BAD_INPUT, "--constrain", rules, self.data,
                     mentions=[f"{rules}:2:", '"I-Z"'])
        self.refused(WRONG_USAGE, "--constrain", "-", "-", mentions=["standard input"])
        other = self.file("other.txt", "a B-Z\n")
        model = self.train("m.croft", "--constrain", "bio", self.data)
        self.refused(WRONG_USAGE, "--init", model, other, mentions=[model, "B-Z", "--constrain"])


class GroupTest(OptionsTest):
    def test_a_map_of_single_transitions_gives_the_same_bytes(self):
        labels = ["COMMENT", "NAME", "OTHER", "PREP", "QTY", "UNIT"]
        text = "".join(f"{i} {j} {i}{j}\n" for i in labels for j in labels)
        plain = self.train("a.croft", TRAIN).read_bytes()
        groups = self.file("groups", text)
        grouped = self.train("b.croft", "--transition-groups", groups, TRAIN)
        self.assertEqual(grouped.read_bytes(), plain)

    def test_groups_share_a_weight_and_the_last_line_counts(self):
        data = self.file("data.txt", chunk_data(150, 3))
        groups = self.file("groups", "* I-* inside\n\n* O out\nB-X O -\n")
        model = self.train("m.croft", "--transition-groups", groups, data)
        weight = self.transitions(model)
        self.assertEqual(len({weight[i, j] for i in ("B-X", "I-X", "O") for j in ("I-X", "I-Y")}), 1)
        self.assertEqual(len({weight[i, "O"] for i in ("B-Y", "I-X", "I-Y", "O")}), 1)
        self.assertNotIn(("B-X", "O"), weight)
        self.assertNotEqual(weight["O", "B-X"], weight["O", "B-Y"])
        record = self.record(model)
        self.assertEqual((record["shared_transitions"], record["dropped_transitions"]), (14, 1))

    def test_every_row_of_a_template_is_grouped_alike(self):
        template = self.file("template", "U:%x[0,0]\nB\nB2\n")
        groups = self.file("groups", "* * all\n")
        model = self.train("m.croft", "--template", template, "--transition-groups", groups, TRAIN)
        rows = [row.split("\t") for row in self.run_ok("inspect", "--weights", "-m",
                                                       model).splitlines()]
        rows = [(row[1], row[4]) for row in rows if row[0] == "transition"]
        self.assertEqual(len(rows), 72)
        self.assertEqual(len(set(rows)), 2)

    def test_without_transitions_positions_are_labelled_alone(self):
        groups = self.file("groups", "* * -\n")
        model = self.train("m.croft", "--transition-groups", groups, TRAIN)
        self.assertEqual(self.transitions(model), {})

    def test_a_warm_start_goes_on_where_it_ended(self):
        groups = self.file("groups", "* NAME name\n")
        options = ("--transition-groups", groups)
        first = self.train("a.croft", *options, TRAIN)
        again = self.train("b.croft", *options, "--init", first, "--max-iterations", 0, TRAIN)
        self.assertEqual(self.transitions(first), self.transitions(again))

    def test_errors(self):
        for text, line, what in (("NAME QTY\n", 1, "FROM TO GROUP"),
                                 ("NAME QTY g\n\nNAME Q g\n", 3, '"Q"'),
                                 ("X-* QTY g\n", 1, '"X-*"')):
            groups = self.file("groups", text)
            self.refused(BAD_INPUT, "--transition-groups", groups, TRAIN,
                         mentions=[f"{groups}:{line}:", what])
        empty = self.file("groups", "\n")
        self.refused(BAD_INPUT, "--transition-groups", empty, TRAIN, mentions=[empty])
        self.refused(BAD_INPUT, "--transition-groups", self.folder / "none", TRAIN,
                     mentions=["none"])
        template = self.file("template", "U:%x[0,0]\n")
        self.refused(WRONG_USAGE, "--template", template, "--transition-groups",
                     self.file("groups", "* * g\n"), TRAIN,
                     mentions=["--transition-groups", "template"])


class FileTest(OptionsTest):
    def test_neither_model_nor_log_replaces_what_is_read(self):
        weights = self.file("weights", "1\n")
        data = self.file("data.txt", "a X\n")
        self.fails(WRONG_USAGE, "train", "-o", weights, "--weights", weights, data,
                   mentions=["weights", "--output"])
        self.fails(WRONG_USAGE, "train", "-o", self.folder / "m.croft", "--log", weights,
                   "--weights", weights, data, mentions=["weights", "--log"])
        self.assertEqual(weights.read_text(), "1\n")


class FlagTest(OptionsTest):
    def test_a_flag_takes_no_value(self):
        for flag in ("--boundaries=3", "--boundaries=no", "--partial=0", "--resume=x"):
            self.refused(WRONG_USAGE, flag, TRAIN, mentions=[f"{flag.split('=')[0]} takes no value"])
        model = self.train("m.croft", "--intercept=unpenalised", "--max-iterations", 2, TRAIN)
        for verb, flag in (("predict", "--probability=2"), ("inspect", "--json=2"), ("evaluate", "--json=false")):
            self.fails(WRONG_USAGE, verb, "-m", model, flag, TEST, mentions=[flag.split("=")[0], "no value"])
        self.fails(WRONG_USAGE, "search", TRAIN, "--values", "l2=1,2", "--boundaries=3",
                   mentions=["--boundaries", "no value"])


if __name__ == "__main__":
    main()
