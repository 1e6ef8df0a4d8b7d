"""Templates of measurements: Gaussian mixtures beside a Markov random field, from the program."""

import json
import math
import random
import subprocess
import time

from support import BAD_INPUT, CROFT, WRONG_USAGE, CliTest, main, read_log

SPEC = """
[[variables]]
domain = "pixel"
query = "select id, strip as instance, label from pixel"

[[templates]]
name = "colour"
variables = ["pixel"]
query = "select id, grey from pixel"
mixture = MIXTURE

[[templates]]
name = "next"
variables = ["pixel", "pixel"]
interaction = "same"
query = "select a.id, b.id from pixel a join pixel b on b.strip = a.strip and b.at = a.at + 1"
"""


class MixtureTest(CliTest):
    def pixels(self, name, strips, seed, labelled=True):
        """Strips of labels that go on, 'fore' with two greys around the one of 'back'."""
        chance = random.Random(seed)
        rows, truth = ["id,strip,at,grey,label"], []
        for n in range(strips):
            label = chance.choice(("back", "fore"))
            for t in range(8):
                if chance.random() < 0.1:
                    label = "fore" if label == "back" else "back"
                centre = 0 if label == "back" else chance.choice((-2.5, 2.5))
                truth.append(label)
                rows.append(f"{len(truth)},{n},{t},{centre + chance.gauss(0, 1)},"
                            f"{label if labelled else ''}")
        (self.folder / name).mkdir(exist_ok=True)
        path = self.file(f"{name}/pixel.csv", "\n".join(rows) + "\n")
        return path, truth

    def accuracy(self, mixture, *options):
        spec = self.file("s.toml", SPEC.replace("MIXTURE", mixture))
        train, _ = self.pixels("train", 60, 1)
        test, truth = self.pixels("test", 60, 2, labelled=False)
        model = self.folder / "m.croft"
        self.run_ok("train", "--quiet", "--model", "graph", "--spec", spec, "--database", train,
                    "--l2", 0.1, "-o", model, *options)
        lines = self.run_ok("predict", "-m", model, "--database", test).splitlines()
        found = dict(line.split("\t")[:2] for line in lines)
        return sum(found[str(k + 1)] == y for k, y in enumerate(truth)) / len(truth), model

    def test_a_field_with_mixtures_labels_what_measurements_show(self):
        two, model = self.accuracy("{ components = 2 }")
        one, _ = self.accuracy("{ components = 1 }")
        self.assertGreater(two, 0.89)
        self.assertGreater(two, one)  # one Gaussian of 'fore' covers 'back'
        conditional, _ = self.accuracy("{ components = 2, generative = false }")
        self.assertGreater(conditional, 0.89)
        other, _ = self.accuracy('{ components = 2, covariance = "diagonal", variance-floor = 0.01, '
                                 'seed = 4 }')
        self.assertAlmostEqual(other, two, delta=0.03)

    def test_weights_of_the_field_are_those_of_the_labels_alone(self):
        _, model = self.accuracy("{ components = 2 }")
        weights = self.run_ok("inspect", "-m", model, "--weights").splitlines()
        self.assertEqual(len(weights), 1, weights)
        # Neighbours are equal nine times of ten.
        self.assertAlmostEqual(float(weights[0].split("\t")[-1]), math.log(9), delta=0.5)
        source = json.loads(self.run_ok("inspect", "-m", model, "--json"))["source"]
        densities = source["templates"][0]["mixture"]["densities"]["labels"]
        self.assertEqual([len(each["weights"]) for each in densities], [2, 2])
        self.assertAlmostEqual(abs(densities[1]["means"][0]), 2.5, delta=0.4)

    def test_em_finds_labels_that_nobody_knows(self):
        """Two Gaussians and neighbours that go on: EM needs a few labels, or none."""
        chance = random.Random(5)
        rows, truth = ["id,strip,at,grey,label"], []
        for n in range(100):
            label = chance.choice(("back", "fore"))
            for t in range(8):
                if chance.random() < 0.1:
                    label = "fore" if label == "back" else "back"
                truth.append(label)
                rows.append(f"{len(truth)},{n},{t},{(3 if label == 'fore' else 0) + chance.gauss(0, 1)},")
        (self.folder / "em").mkdir()
        data = self.file("em/pixel.csv", "\n".join(rows) + "\n")
        spec = self.file("em.toml",
                         '[labels]\npixel = ["back", "fore"]\n' + SPEC.replace("MIXTURE", "{ components = 1 }"))
        train = ["train", "--quiet", "--model", "graph", "--spec", spec, "--database", data, "--l2", 0.1]
        self.fails(BAD_INPUT, *train, "-o", self.folder / "no.croft", mentions=["template 'colour'", "--em-iterations"])
        self.fails(WRONG_USAGE, *train, "-o", self.folder / "no.croft", "--em-iterations", 5, "--optimizer", "sgd",
                   mentions=["M steps"])
        log, model = self.folder / "log", self.folder / "em.croft"
        self.run_ok(*train, "-o", model, "--em-iterations", 60, "--log", log)
        objectives = [each["objective"] for each in read_log(log)[0]]
        self.assertGreater(len(objectives), 4)
        self.assertTrue(all(a >= b for a, b in zip(objectives, objectives[1:])), objectives)
        found = [line.split("\t")[1] for line in self.run_ok("predict", "-m", model, "--database", data).splitlines()]
        right = sum(a == b for a, b in zip(found, truth)) / len(truth)
        self.assertGreater(max(right, 1 - right), 0.93)  # which label is which nobody has said
        weight = float(self.run_ok("inspect", "-m", model, "--weights").splitlines()[0].split("\t")[-1])
        self.assertAlmostEqual(weight, math.log(9), delta=0.6)
        # Killed, it goes on to the same file.
        state, part = self.folder / "state", self.folder / "part.croft"
        begun = [*train, "-o", part, "--em-iterations", 60, "--checkpoint", state, "--checkpoint-interval", 0]
        process = subprocess.Popen([CROFT, *map(str, begun)])
        while process.poll() is None and not (state / "checkpoint").exists():
            time.sleep(0.001)
        process.kill()
        process.wait()
        self.assertTrue((state / "checkpoint").exists())
        self.run_ok(*begun, "--resume")
        self.assertEqual(part.read_bytes(), model.read_bytes())

    def test_what_is_wrong_is_named(self):
        train, _ = self.pixels("train", 4, 3)

        def refused(spec, *mentions):
            self.fails(BAD_INPUT, "train", "--quiet", "--model", "graph", "--spec",
                       self.file("s.toml", spec), "--database", train, "-o",
                       self.folder / "refused.croft", mentions=mentions)

        good = SPEC.replace("MIXTURE", "{ components = 2 }")
        refused(good.replace("components", "component"), "component", "covariance")
        refused(good.replace("= 2", "= 0"), "components")
        refused(good.replace("{ comp", '{ covariance = "round", comp'), "round", "diagonal")
        refused(good.replace("{ comp", "{ variance-floor = -1, comp"), "variance floor")
        refused(good.replace("mixture =", "bias = false\nmixture ="), "bias")
        refused(good.replace("select id, grey", "select id"), "measurement")
        refused(good.replace("select id, grey", "select id, label"), "a text")
        refused(good.replace("select id, grey from", "select id, 1.0 as one from"), "equal")
        refused(good.replace("select id, grey from pixel",
                             "select id, grey from pixel union all select id, 9.0 from pixel"),
                "twice")


if __name__ == "__main__":
    main()
