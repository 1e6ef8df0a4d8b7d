"""croft calibrate, what predict and evaluate make of its models, and pictures of reliability."""

import json
import math
import xml.etree.ElementTree as ElementTree

from subjects import SubjectsTest, documents
from support import BAD_INPUT, INGREDIENTS, WRONG_USAGE, croft, main

def pooled(examples):
    """The never decreasing function of least squares at the points of (s, right), by max-min."""
    points = sorted({s for s, _ in examples})
    sums = [[sum(right for s, right in examples if s == x), sum(1 for s, _ in examples if s == x)]
            for x in points]
    out = []
    for k in range(len(points)):
        best = -1.0
        for i in range(k + 1):
            right = count = 0
            least = 2.0
            for j in range(i, len(points)):
                right, count = right + sums[j][0], count + sums[j][1]
                if j >= k:
                    least = min(least, right / count)
            best = max(best, least)
        out.append(best)
    return dict(zip(points, out))


class CalibrateTest(SubjectsTest):
    def calibrate(self, name, model, method, data, *arguments):
        path = self.folder / name
        text = self.run_ok("calibrate", "-m", model, "--method", method, data, "-o", path, "--json",
                           *arguments)
        return path, json.loads(text)

    def section(self, model):
        return json.loads(self.run_ok("inspect", "-m", model, "--json"))["calibration"]


class TemperatureTest(CalibrateTest):
    def test_training_that_goes_on_from_a_calibrated_model_says_what_is_lost(self):
        data = self.file("held.tsv", documents(200, 2))
        model = self.model("m.croft")
        calibrated, _ = self.calibrate("c.croft", model, "temperature", data)
        for start, says in ((model, False), (calibrated, True)):
            done = croft("train", "--model", "naive-bayes", "--format", "text", "--init", start,
                         "-o", self.folder / "n.croft", data)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(b"c.croft is calibrated, and the new model will not be" in done.stderr, says)

    def test_it_is_the_one_of_least_log_loss_and_makes_powers_of_probabilities(self):
        text = documents(200, 2)
        gold = [line.split("\t")[0] for line in text.splitlines()]
        data = self.file("held.tsv", text)
        model = self.model("m.croft")
        calibrated, report = self.calibrate("c.croft", model, "temperature", data)
        p = self.posteriors(model, data)

        def tempered(row, t):
            powers = {label: value ** (1 / t) for label, value in row.items()}
            return {label: value / sum(powers.values()) for label, value in powers.items()}

        def loss(t):
            return -sum(math.log(tempered(row, t)[y]) for row, y in zip(p, gold)) / len(gold)

        low, high = 0.01, 100.0
        for _ in range(200):
            a, b = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, b) if loss(a) < loss(b) else (a, high)
        self.assertAlmostEqual(report["temperature"], low, places=5)
        self.assertGreater(report["temperature"], 1.2)  # naive Bayes is too sure of itself
        self.assertAlmostEqual(report["before"]["log_loss"], loss(1), places=9)
        self.assertAlmostEqual(report["after"]["log_loss"], loss(low), places=9)
        for found, row in zip(self.posteriors(calibrated, data), p):
            for label, value in tempered(row, report["temperature"]).items():
                self.assertAlmostEqual(found[label], value, places=10)
        self.assertAlmostEqual(self.evaluated(calibrated, data)["log_loss"], loss(low), places=9)
        self.assertLess(report["after"]["expected_calibration_error"],
                        report["before"]["expected_calibration_error"])

    def test_no_prediction_of_a_chain_changes_and_its_log_loss_falls(self):
        test = INGREDIENTS / "test.txt"
        for order in (1, 2):
            model = self.train("m.croft", "--order", order, "--l2", 0.001, "--max-iterations", 60,
                               INGREDIENTS / "train.txt")
            calibrated, report = self.calibrate("c.croft", model, "temperature", test)
            self.assertEqual(self.run_ok("predict", "-m", calibrated, test),
                             self.run_ok("predict", "-m", model, test))
            self.assertLess(report["after"]["log_loss"], report["before"]["log_loss"])
            self.assertEqual(report["after"]["accuracy"], report["before"]["accuracy"])

    def test_hmm_and_memm_have_one_too(self):
        train, test = INGREDIENTS / "train.txt", INGREDIENTS / "test.txt"
        for kind in ("hmm", "memm"):
            model = self.train(f"{kind}.croft", "--model", kind, train)
            calibrated, report = self.calibrate("c.croft", model, "temperature", test)
            self.assertLessEqual(report["after"]["log_loss"], report["before"]["log_loss"])
            self.assertAlmostEqual(self.evaluated(calibrated, test)["log_loss"],
                                   report["after"]["log_loss"], places=9)
            self.assertEqual(self.run_ok("predict", "-m", calibrated, test),
                             self.run_ok("predict", "-m", model, test))

    def test_where_every_label_is_right_there_is_none(self):
        data = self.file("d.tsv", "A\tone\nB\ttwo\n")
        model = self.train("m.croft", "--model", "naive-bayes", "--format", "text", data)
        self.fails(BAD_INPUT, "calibrate", "-m", model, data, "-o", self.folder / "c.croft",
                   mentions=["no temperature is best", "--method platt"])
        self.assertFalse((self.folder / "c.croft").exists())

    def test_threads_do_not_change_a_byte(self):
        data = self.file("held.tsv", documents(200, 2))
        model = self.model("m.croft")
        one, _ = self.calibrate("1.croft", model, "temperature", data)
        two, _ = self.calibrate("2.croft", model, "temperature", data, "--threads", 2)
        self.assertEqual(one.read_bytes(), two.read_bytes())


class LabelCurvesTest(CalibrateTest):
    def log_odds(self, model, data):
        return [{label: math.log(p) - math.log(sum(q for other, q in row.items() if other != label))
                 for label, p in row.items()} for row in self.posteriors(model, data)]

    def test_platt_is_a_sigmoid_for_each_label_normalised(self):
        data = self.file("held.tsv", documents(200, 2))
        for kind in ("naive-bayes", "maxent"):
            model = self.model("m.croft", kind=kind)
            calibrated, report = self.calibrate("c.croft", model, "platt", data)
            section = self.section(calibrated)
            labels = json.loads(self.run_ok("inspect", "-m", model, "--json"))["labels"]
            self.assertEqual(section["method"], "platt")
            for row, found in zip(self.log_odds(model, data), self.posteriors(calibrated, data)):
                g = {label: 1 / (1 + math.exp(-(f["slope"] * row[label] + f["offset"])))
                     for label, f in zip(labels, section["functions"])}
                for label in labels:
                    self.assertAlmostEqual(found[label], g[label] / sum(g.values()), places=7)
            self.assertLess(report["after"]["log_loss"], report["before"]["log_loss"] + 1e-3)

    def test_isotonic_pools_adjacent_violators_of_each_label(self):
        text = documents(150, 2)
        gold = [line.split("\t")[0] for line in text.splitlines()]
        data = self.file("held.tsv", text)
        model = self.model("m.croft")
        calibrated, _ = self.calibrate("c.croft", model, "isotonic", data)
        odds = self.log_odds(model, data)
        labels = json.loads(self.run_ok("inspect", "-m", model, "--json"))["labels"]
        n = len(gold)
        # Equal texts have equal log-odds but for rounding.
        curves = {y: pooled([(round(row[y], 6), g == y) for row, g in zip(odds, gold)])
                  for y in labels}
        p = self.posteriors(model, data)
        for row, own, found in zip(odds, p, self.posteriors(calibrated, data)):
            g = {y: min(max(curves[y][round(row[y], 6)], 1 / (n + 2)), (n + 1) / (n + 2))
                 for y in labels}
            q = {y: (1 - 1e-6) * g[y] + 1e-6 * own[y] for y in labels}
            for y in labels:
                self.assertAlmostEqual(found[y], q[y] / sum(q.values()), places=9)

    def test_one_curve_says_both_of_two_labels(self):
        labels = ("sport", "politics")
        data = self.file("held.tsv", documents(200, 2, labels))
        model = self.model("m.croft", labels=labels)
        for method in ("platt", "isotonic"):
            calibrated, _ = self.calibrate("c.croft", model, method, data)
            self.assertEqual(len(self.section(calibrated)["functions"]), 1)
            for row in self.posteriors(calibrated, data):
                self.assertAlmostEqual(sum(row.values()), 1, places=12)

    def test_the_label_is_the_one_that_the_calibrated_probabilities_favour(self):
        data = self.file("held.tsv", documents(200, 2))
        model = self.model("m.croft")
        for method in ("platt", "isotonic"):
            calibrated, report = self.calibrate("c.croft", model, method, data)
            labels = self.run_ok("predict", "-m", calibrated, data).split()
            for label, row in zip(labels, self.posteriors(calibrated, data)):
                self.assertAlmostEqual(row[label], max(row.values()), places=12)
            evaluated = self.evaluated(calibrated, data)
            self.assertAlmostEqual(evaluated["brier"], report["after"]["brier"], places=12)

    def test_a_kind_that_labels_sequences_has_no_curves(self):
        model = self.train("m.croft", "--max-iterations", 3, INGREDIENTS / "train.txt")
        for method in ("platt", "isotonic"):
            self.fails(WRONG_USAGE, "calibrate", "-m", model, "--method", method,
                       INGREDIENTS / "test.txt", "-o", self.folder / "c.croft",
                       mentions=[method, "--method temperature", "chain"])


class FilesTest(CalibrateTest):
    def test_a_calibration_is_replaced_by_the_next(self):
        data = self.file("held.tsv", documents(200, 2))
        model = self.model("m.croft")
        once, _ = self.calibrate("1.croft", model, "temperature", data)
        platt, _ = self.calibrate("2.croft", model, "platt", data)
        again, _ = self.calibrate("3.croft", platt, "temperature", data)
        self.assertEqual(once.read_bytes(), again.read_bytes())

    def test_inspect_shows_it(self):
        data = self.file("held.tsv", documents(200, 2))
        model = self.model("m.croft")
        temperature, report = self.calibrate("1.croft", model, "temperature", data)
        self.assertIn(f"calibration   temperature {report['temperature']:.6g}, fitted to 200",
                      self.run_ok("inspect", "-m", temperature))
        self.assertNotIn("calibration", self.run_ok("inspect", "-m", model))
        platt, _ = self.calibrate("2.croft", model, "platt", data)
        self.assertIn("  sport  slope ", self.run_ok("inspect", "-m", platt))

    def test_labels_that_the_model_does_not_know_are_left_out_and_counted(self):
        text = documents(100, 2)
        model = self.model("m.croft")
        plain, _ = self.calibrate("1.croft", model, "platt", self.file("a.tsv", text))
        more, report = self.calibrate("2.croft", model, "platt",
                                      self.file("b.tsv", text + "opera\tsong stage\n"))
        self.assertEqual(report["unknown_labels"], 1)
        self.assertEqual(report["sequences"], 100)
        self.assertEqual(self.section(plain)["functions"], self.section(more)["functions"])
        self.fails(BAD_INPUT, "calibrate", "-m", model, self.file("c.tsv", "opera\tsong\n"),
                   "-o", self.folder / "3.croft", mentions=["no sequence"])

    def test_the_figures_are_of_what_it_was_fitted_to(self):
        text = documents(100, 2)
        model = self.model("m.croft")
        known = self.file("a.tsv", text)
        _, plain = self.calibrate("1.croft", model, "temperature", known)
        more = self.file("b.tsv", text + "opera\tsong stage\n" * 150)
        done = croft("calibrate", "-m", model, more, "-o", self.folder / "2.croft", "--json")
        report = json.loads(done.stdout)
        for when in ("before", "after"):
            self.assertEqual(report[when], plain[when])
            self.assertLess(report[when]["log_loss"], 10)
        self.assertEqual(len(report["warnings"]), 1)
        self.assertIn("150 sequences of 250", report["warnings"][0])
        self.assertEqual(done.stderr.decode(), f"warning: {report['warnings'][0]}\n")
        self.assertEqual(plain["warnings"], [])

    def test_few_examples_and_figures_that_got_worse_are_told(self):
        model = self.model("m.croft")
        _, few = self.calibrate("1.croft", model, "temperature", self.file("a.tsv", documents(30, 2)))
        self.assertTrue(any("30 examples are few" in each for each in few["warnings"]))
        names = {"log-loss": "log_loss", "Brier score": "brier",
                 "expected calibration error": "expected_calibration_error"}
        told = 0
        for seed in range(2, 12):
            for method in ("temperature", "platt"):
                _, report = self.calibrate("2.croft", model, method,
                                           self.file("b.tsv", documents(100, seed)))
                for name, field in names.items():
                    worse = report["after"][field] > report["before"][field] + 1.1e-4
                    warned = any(f"the {name} of" in each for each in report["warnings"])
                    told += worse
                    if worse:
                        self.assertTrue(warned, (seed, method, name))
                    elif report["after"][field] <= report["before"][field]:
                        self.assertFalse(warned, (seed, method, name))
        self.assertGreater(told, 0)

    def test_the_output_replaces_no_input(self):
        data = self.file("held.tsv", documents(20, 2))
        model = self.model("m.croft")
        for output in (model, data):
            self.fails(WRONG_USAGE, "calibrate", "-m", model, data, "-o", output,
                       mentions=["replace the input"])

    def test_it_is_neither_converted_nor_explained(self):
        data = self.file("held.tsv", documents(200, 2))
        bayes, _ = self.calibrate("1.croft", self.model("m.croft"), "platt", data)
        self.fails(WRONG_USAGE, "convert", bayes, "-o", self.folder / "x.croft",
                   mentions=["calibrated"])
        maxent, _ = self.calibrate("2.croft", self.model("e.croft", kind="maxent"), "platt", data)
        self.fails(WRONG_USAGE, "explain", "-m", maxent, data, mentions=["calibrated"])


class ReliabilityTest(CalibrateTest):
    def test_the_picture_has_a_point_and_a_bar_for_each_bin(self):
        data = self.file("held<&>.tsv", documents(200, 2))
        model = self.model("m.croft")
        picture = self.folder / "r.svg"
        shown = json.loads(self.run_ok("evaluate", "-m", model, "--json", "--reliability", picture,
                                       data))["calibration"]
        svg = "{http://www.w3.org/2000/svg}"
        root = ElementTree.parse(picture).getroot()
        texts = ["".join(each.itertext()) for each in root.iter(svg + "text")]
        self.assertIn("Reliability: m.croft on held<&>.tsv", texts)
        self.assertTrue(any("expected calibration error "
                            f"{100 * shown['expected_calibration_error']:.2f} %" in t for t in texts))
        bins = [each for each in shown["bins"] if each["count"] > 0]
        circles = list(root.iter(svg + "circle"))
        self.assertEqual(len(circles), len(bins))
        for circle, each in zip(circles, bins):
            self.assertAlmostEqual(float(circle.get("cx")), 70 + 400 * each["mean_probability"],
                                   delta=0.06)
            self.assertAlmostEqual(float(circle.get("cy")), 64 + 400 * (1 - each["accuracy"]),
                                   delta=0.06)
            self.assertIn(str(each["count"]), texts)

    def test_it_needs_a_model_and_another_file(self):
        data = self.file("d.tsv", documents(20, 2))
        model = self.model("m.croft")
        self.fails(WRONG_USAGE, "evaluate", "--reliability", self.folder / "r.svg", data)
        for output in (model, data):
            self.fails(WRONG_USAGE, "evaluate", "-m", model, "--reliability", output, data,
                       mentions=["replace the input"])
        self.fails(BAD_INPUT, "evaluate", "-m", model, "--reliability", self.folder / "no" / "r.svg",
                   data)


if __name__ == "__main__":
    main()
