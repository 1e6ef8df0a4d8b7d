"""What is in a model: the summary, the strongest features, and the weights, checked by brute force."""

import itertools
import json
import math

from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, CliTest, main

TRAIN, TEST = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"
TEMPLATE = "U0:%x[-1,0]\nU1:%x[0,0]\nB\n"


class SummaryTest(CliTest):
    def summary(self, *options):
        model = self.train("m.croft", "--max-iterations", 5, *options)
        return json.loads(self.run_ok("inspect", "-m", model, "--json")), model

    def test_json_has_the_documented_fields(self):
        summary, model = self.summary("--l2", 2, TRAIN)
        self.assertLessEqual({"kind", "file_bytes", "labels", "transitions", "node", "edge",
                              "extraction", "training", "sections"}, set(summary))
        self.assertEqual(summary["kind"], "chain")
        self.assertEqual(summary["file_bytes"], model.stat().st_size)
        self.assertEqual(set(summary["labels"]),
                         {"QTY", "UNIT", "NAME", "PREP", "COMMENT", "OTHER"})
        training = summary["training"]
        self.assertEqual((training["l1"], training["l2"]), (0, 2))
        self.assertEqual((training["sequences"], training["positions"]), (573, 3356))
        self.assertEqual(training["weights"], sum(summary[part]["weights"]
                                                  for part in ("transitions", "node", "edge")))
        self.assertIsNone(summary["extraction"]["template"])

    def test_the_template_is_shown(self):
        template = self.file("t", TEMPLATE)
        summary, model = self.summary("--template", template, TRAIN)
        shown = summary["extraction"]["template"]
        self.assertEqual(shown, {"language": "crfpp", "lines": TEMPLATE.splitlines()})
        self.assertIn("U0:%x[-1,0]", self.run_ok("inspect", "-m", model))

    def test_the_text_has_the_same_facts(self):
        summary, model = self.summary(TRAIN)
        text = self.run_ok("inspect", "-m", model)
        for label in summary["labels"]:
            self.assertIn(label, text)
        self.assertIn(str(summary["node"]["weights"]), text)
        self.assertIn("default features for words", text)

    def test_the_record_holds_no_time_path_or_machine(self):
        _, model = self.summary(TRAIN)
        content = model.read_bytes()
        for secret in (str(TRAIN), str(self.folder), "seconds", "threads"):
            self.assertNotIn(secret.encode(), content)


class WeightsTest(CliTest):
    DATA = ("X\ta:0.5\tb:-2\nY\tc\nZ\ta\n\nY\ta:-1.5\tc:3\nX\tb\n\nZ\tb:0.25\nZ\ta:2\nX\tc\n")

    def dump(self, model):
        """Node and transition weights by (attribute, label) and (from, to)."""
        node, transition = {}, {}
        for line in self.run_ok("inspect", "-m", model, "--weights").splitlines():
            kind, attribute, *labels, weight = line.split("\t")
            if kind == "node":
                node[attribute, *labels] = float(weight)
            else:
                self.assertEqual((kind, attribute), ("transition", ""))
                transition[tuple(labels)] = float(weight)
        return node, transition

    def test_probabilities_are_those_of_the_weights_by_brute_force(self):
        data = self.file("train.attributes", self.DATA)
        model = self.train("m.croft", "--format", "attributes", "--l2", 0.1, data)
        node, transition = self.dump(model)
        documents = self.run_ok("predict", "-m", model, "--to", "json", "--probability",
                                "--marginals=all", data).splitlines()
        sequences = [[line.split("\t")[1:] for line in block.splitlines()]
                     for block in self.DATA.split("\n\n")]
        self.assertEqual(len(documents), len(sequences))
        for sequence, document in zip(sequences, map(json.loads, documents)):
            score = {}
            for y in itertools.product("XYZ", repeat=len(sequence)):
                total = sum(transition.get(pair, 0) for pair in zip(y, y[1:]))
                for label, attributes in zip(y, sequence):
                    for attribute in attributes:
                        name, _, value = attribute.partition(":")
                        total += float(value or 1) * node.get((name, label), 0)
                score[y] = math.exp(total)
            z = sum(score.values())
            best = max(score, key=score.get)
            self.assertEqual(document["labels"], list(best))
            self.assertAlmostEqual(document["probability"], score[best] / z, places=6)
            for t, row in enumerate(document["marginals"]):
                for label in "XYZ":
                    expected = sum(s for y, s in score.items() if y[t] == label) / z
                    self.assertAlmostEqual(row[label], expected, places=6)

    def test_zero_weights_are_not_in_the_file(self):
        log = self.folder / "log"
        model = self.train("m.croft", "--l1", 1, "--l2", 0, "--log", log, TRAIN)
        nonzero = json.loads(log.read_text().splitlines()[-1])["active_features"]
        lines = self.run_ok("inspect", "-m", model, "--weights").splitlines()
        self.assertEqual(len(lines), nonzero)
        self.assertNotIn(0.0, [float(line.rsplit("\t", 1)[1]) for line in lines])

    def test_top_features_are_the_largest_of_the_dump(self):
        model = self.train("m.croft", TRAIN)
        top = json.loads(self.run_ok("inspect", "-m", model, "--top", 3, "--json"))
        top = top.get("top", top)
        node = self.dump(model)[0]
        for label in ("QTY", "NAME"):
            weights = sorted((w for (_, y), w in node.items() if y == label), reverse=True)
            largest = [x["weight"] for x in top["node"][label]["largest"]]
            self.assertEqual(len(largest), 3)
            for found, expected in zip(largest, weights):
                self.assertAlmostEqual(found, expected, places=6)


class VerifyTest(CliTest):
    def test_damage_in_a_bulk_section_is_found(self):
        model = self.train("m.croft", "--max-iterations", 3, TRAIN)
        self.run_ok("inspect", "-m", model, "--verify")
        content = model.read_bytes()
        for offset in range(130, len(content), len(content) // 12):
            damaged = bytearray(content)
            damaged[offset] ^= 1
            path = self.file("damaged.croft", bytes(damaged))
            self.fails(BAD_INPUT, "inspect", "-m", path, "--verify", mentions=[path])

    def test_bad_models_and_options_are_refused(self):
        self.fails(BAD_INPUT, "inspect", "-m", TRAIN, mentions=[TRAIN, "not a Croft model"])
        self.fails(WRONG_USAGE, "inspect")
        model = self.train("m.croft", "--max-iterations", 0, TRAIN)
        self.fails(WRONG_USAGE, "inspect", "-m", model, "--top", "-3")
        self.fails(WRONG_USAGE, "inspect", "-m", model, "--top", "many")


if __name__ == "__main__":
    main()
