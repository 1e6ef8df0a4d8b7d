"""Croft reaches the optima of CRFsuite and CRF++ on CoNLL-2000 chunking.

Objectives are those at which the peers stop with the same features and the same penalty.  Skipped
where the data is absent.
"""

import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import DATA, croft, main, read_log

CORPUS = DATA / "conll2000"
ATTRIBUTES_TOOL = DATA / "tools" / "chunking_attributes.py"
CRFPP = CORPUS / "chunking.crfpp.template"
WAPITI = CORPUS / "chunking.wapiti.pattern"
FOLDER = None  # of the attributes, models and logs of this run


def setUpModule():
    global FOLDER
    for path in (ATTRIBUTES_TOOL, CRFPP, WAPITI, CORPUS / "train.txt", CORPUS / "test.txt"):
        if not path.is_file():
            raise unittest.SkipTest(f"there is no {path}; CROFT_DATA names the folder of the data")
    FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="croft-conll2000-"))
    unittest.addModuleCleanup(shutil.rmtree, FOLDER)
    for part in ("train", "test"):
        with open(CORPUS / f"{part}.txt", "rb") as columns, \
                open(FOLDER / f"{part}.attributes", "wb") as attributes:
            subprocess.run([sys.executable, ATTRIBUTES_TOOL], stdin=columns, stdout=attributes,
                           check=True)


class Run:
    """A training on two threads: its log and the counts that it reports."""

    def __init__(self, name, data, options):
        self.model = FOLDER / f"{name}.croft"
        log = FOLDER / f"{name}.jsonl"
        done = croft("train", "-o", self.model, "--log", log, "--threads", 2, *options, data)
        message = done.stderr.decode("utf-8")
        if done.returncode != 0:
            raise AssertionError(message)
        self.iterations, self.end = read_log(log)
        self.attributes = int(re.search(r"(\d+) attributes", message).group(1))
        self.weights = int(re.search(r"(\d+) weights", message).group(1))
        self.objective = self.end["objective"]
        self.nonzero = self.end["active_features"]
        print(f"\n{name}: objective {self.objective:.4f}, {self.weights} weights, "
              f"{self.nonzero} not zero, {self.end['iterations']} iterations, "
              f"{self.end['evaluations']} evaluations, {self.end['seconds']:.1f} s "
              f"({self.end['reason']})", flush=True)

    def f1(self):
        test = CORPUS / "test.txt" if self.columns() else FOLDER / "test.attributes"
        done = croft("evaluate", "--json", "--threads", 2, "-m", self.model, test)
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode("utf-8"))
        score = json.loads(done.stdout)
        print(f"{self.model.stem}: chunk F1 {score['chunk']['f1']:.6f}, token accuracy "
              f"{score['tokens']['accuracy']:.6f}", flush=True)
        return score["chunk"]["f1"]

    def columns(self):
        return self.model.stem.startswith("columns")


@functools.cache
def attributes_run(name, *options):
    return Run(f"attributes-{name}", FOLDER / "train.attributes",
               ("--format", "attributes", *options))


@functools.cache
def columns_run(name, *options):
    return Run(f"columns-{name}", CORPUS / "train.txt", options)


def l2_run():
    return attributes_run("l2", "--l2", 1)


def crfpp_run():
    return columns_run("crfpp", "--template", CRFPP, "--l2", 1)


class Conll2000Test(unittest.TestCase):
    def test_the_attributes_give_the_features_that_crfsuite_counts(self):
        run = l2_run()
        self.assertEqual(run.attributes, 335_674)
        self.assertEqual(run.weights, 452_755)

    def test_l2_of_1_reaches_crfsuites_objective_and_f1(self):
        run = l2_run()
        self.assertLessEqual(run.objective, 9118.90 * (1 + 1e-4))
        self.assertGreaterEqual(run.objective, 9100)  # below the optimum: the objective is wrong
        self.assertGreaterEqual(run.f1(), 0.936)

    def test_l2_of_2_reaches_crfsuites_objective_and_f1(self):
        run = attributes_run("l2-of-2", "--l2", 2)
        self.assertLessEqual(run.objective, 13139.36 * (1 + 1e-4))
        self.assertGreaterEqual(run.objective, 13110)
        self.assertAlmostEqual(run.f1(), 0.9362, delta=0.001)

    def test_l1_reaches_crfsuites_objective_with_as_few_weights(self):
        run = attributes_run("l1", "--l1", 1, "--l2", 0)
        self.assertLessEqual(run.objective, 16889.46 * (1 + 1e-4))
        self.assertLessEqual(run.nonzero, 1.05 * 9685)
        self.assertGreaterEqual(run.f1(), 0.9355)

    def test_all_features_of_the_crfpp_template_reach_crfpps_objective_and_f1(self):
        run = crfpp_run()
        self.assertEqual(run.weights, 7_448_606)
        self.assertLessEqual(run.objective, 7713.6)
        self.assertGreaterEqual(run.f1(), 0.937)

    def test_min_count_3_leaves_crfpps_number_of_weights_and_reaches_its_objective(self):
        run = columns_run("min-count-3", "--template", CRFPP, "--l2", 1, "--min-count", 3)
        self.assertEqual(run.weights, 1_679_700)
        self.assertLessEqual(run.objective, 9042 * (1 + 1e-4))
        self.assertGreaterEqual(run.f1(), 0.937)

    def test_the_wapiti_pattern_makes_the_same_model_as_the_crfpp_template(self):
        # Ten iterations: the strings differ, the function that is minimised does not.
        ten = ("--l2", 1, "--optimizer", "lbfgs", "--max-iterations", 10)
        run = columns_run("wapiti", "--template", WAPITI, *ten)
        self.assertEqual(run.weights, crfpp_run().weights)
        expected = columns_run("crfpp-10", "--template", CRFPP, *ten).objective
        print(f"after 10 iterations: crfpp {expected!r}, wapiti {run.objective!r}")
        self.assertAlmostEqual(run.objective / expected, 1, delta=1e-9)

    def test_single_and_double_precision_take_the_same_way_down(self):
        twenty = ("--l2", 1, "--optimizer", "sgd-lbfgs", "--max-iterations", 20, "--precision")
        double = attributes_run("double", *twenty, "double")
        single = attributes_run("single", *twenty, "single").objective
        print(f"after 20 iterations: single {single!r}, double {double.objective!r}")
        self.assertAlmostEqual(single / double.objective, 1, delta=1e-4)


if __name__ == "__main__":
    main()
