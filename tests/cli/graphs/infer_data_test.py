"""Exact answers on public instances: log10 Z, ln Z and marginals as their references have them.

CROFT_DATA names the folder of the data.  CROFT_LARGE=1: also those of more than 2^25 joint states.
"""

import json
import os
import unittest

from support import BAD_INPUT, DATA, CliTest, main

GRAPHS = DATA / "graphs"
LARGE = os.environ.get("CROFT_LARGE") == "1"

# ln Z, as two exact engines have it to all digits shown.
UAI_MAR = {"Grids_12": 697.88120553, "Segmentation_11": -55.25304418,
           "Promedus_13": -10.37781609, "Promedus_15": -8.37374674, "Promedus_24": -13.49731893,
           "Promedus_28": -18.72351389, "CSP_12": 37.88574964, "Pedigree_12": -26.37714311,
           "Pedigree_13": -35.02891490, "relational_3": 867.42194968,
           "Alchemy_11": 1396.00944578, "Grids_11": 390.07716647}
UAI_MAR_LARGE = {"DBN_11": 134.77183233, "ObjectDetection_11": -172.41840464,
                 "CSP_11": 31.22995453}
# Their files have another number than their references.
WRONG_REFERENCE = {"relational_3"}
# ln Z is 0 but for what rounding of the tables leaves.
BNLEARN = {"alarm": -0.00000001, "insurance": 0, "hailfinder": 0, "win95pts": 0,
           "water": -0.0000001, "andes": 0, "pigs": 0, "pathfinder": -0.0000001,
           "munin": -0.00000028, "mildew": -0.00000011}
BNLEARN_LARGE = {"link": 0}
# ln of the probability of 15 % of the variables.
EVIDENCE = {"alarm": -7.05012303, "child": -2.92927668, "insurance": -2.55977377,
            "hailfinder": -10.80638925, "win95pts": -6.38734519, "hepar2": -6.87527334,
            "water": -1.43941062, "andes": -12.77916938, "pigs": -61.02716135,
            "pathfinder": -4.22031021, "munin": -115.88256389, "mildew": -8.94221796,
            "barley": -9.28453951, "link": -37.58249304}
EVIDENCE_LARGE = {"munin1": -44.29476105}
UAI_PR = ("grid10x10.f10",)
UAI_PR_LARGE = ("c432.isc.cnf", "c880.isc.cnf")


def half_unit(text):
    """Half of a unit of the last digit that is printed."""
    mantissa, _, exponent = text.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return 0.5 * 10.0 ** (int(exponent or 0) - digits)


def read_marginals(path):
    """Texts of the numbers, by variable."""
    words = path.read_text("utf-8").split()
    assert words[0] == "MAR"
    found, at = [], 2
    for _ in range(int(words[1])):
        states = int(words[at])
        found.append(words[at + 1:at + 1 + states])
        at += 1 + states
    assert at == len(words), path
    return found


@unittest.skipUnless(GRAPHS.is_dir(), "CROFT_DATA names the folder of the data")
class InstancesTest(CliTest):
    def infer(self, graph, evidence, task):
        found = json.loads(self.run_ok("infer", graph, "--evidence", evidence, "--task", task,
                                       "--memory", "8G", "--json", "--quiet"))
        self.assertEqual((found["method"], found["kind"]), ("junction-tree", "exact"), graph)
        return found

    def assert_reference(self, value, text, what, slack=1e-9):
        self.assertLessEqual(abs(value - float(text)), half_unit(text) * (1 + slack) + 1e-12, what)

    def check(self, graph, evidence, log_partition, log10_text, marginals):
        found = self.infer(graph, evidence, "marginals" if marginals else "partition")
        if log_partition is not None:
            self.assertLessEqual(abs(found["log_partition"] - log_partition), 1e-6, graph)
        if log10_text is not None:
            self.assert_reference(found["log10_partition"], log10_text, graph)
        if marginals is None:
            return
        reference = read_marginals(marginals)
        self.assertEqual([len(p) for p in reference], [len(p) for p in found["marginals"]])
        for v, (texts, p) in enumerate(zip(reference, found["marginals"], strict=True)):
            # The references were rounded from a double: a tie may have gone either way.
            for text, value in zip(texts, p, strict=True):
                self.assert_reference(value, text, (graph, v), 1e-3)

    def check_uai(self, instances):
        for name, log_partition in instances.items():
            graph = GRAPHS / "uai-mar" / f"{name}.uai"
            wrong = name in WRONG_REFERENCE
            text = (graph.parent / f"{name}.uai.PR").read_text("utf-8").split()[1]
            self.check(graph, f"{graph}.evid", log_partition, None if wrong else text,
                       None if wrong else graph.parent / f"{name}.uai.MAR")

    def check_partition(self, names):
        for name in names:
            graph = GRAPHS / "uai-pr" / f"{name}.uai"
            text = (graph.parent / f"{name}.uai.PR").read_text("utf-8").split()[1]
            self.check(graph, f"{graph}.evid", None, text, None)

    def check_bnlearn(self, instances, evidence, reference):
        for name, log_partition in instances.items():
            graph = GRAPHS / "bnlearn" / f"{name}.uai"
            marginals = graph.parent / (name + reference)
            self.check(graph, f"{graph}{evidence}", log_partition, None,
                       marginals if marginals.is_file() else None)

    def test_competition_instances(self):
        self.check_uai(UAI_MAR)
        self.check_partition(UAI_PR)

    def test_bayesian_networks(self):
        self.check_bnlearn(BNLEARN, ".evid", ".uai.MAR")

    def test_bayesian_networks_with_evidence(self):
        self.check_bnlearn(EVIDENCE, ".evid2", ".ev.MAR")

    @unittest.skipUnless(LARGE, "CROFT_LARGE=1 runs the large instances")
    def test_large_instances(self):
        self.check_uai(UAI_MAR_LARGE)
        self.check_partition(UAI_PR_LARGE)
        self.check_bnlearn(BNLEARN_LARGE, ".evid", ".uai.MAR")
        self.check_bnlearn(EVIDENCE_LARGE, ".evid2", ".ev.MAR")

    def test_an_ising_grid_without_a_field(self):
        found = self.infer(GRAPHS / "ising20_J0.3.uai", self.file("none", "0"), "partition")
        self.assertAlmostEqual(found["log_partition"], 314.0675, delta=5e-5)

    def test_factors_without_variables_count(self):
        # Some of this file's are 0, and so is Z, whatever its reference says.
        graph = GRAPHS / "uai-pr" / "sat-grid-pbl-0010.cnf.uai"
        self.assertIsNone(self.infer(graph, f"{graph}.evid", "partition")["log_partition"])
        self.fails(BAD_INPUT, "infer", graph, "--task", "map", "--quiet",
                   mentions=["no assignment"])

    def test_graphs_of_libdai(self):
        text = (GRAPHS / "libdai" / "testfast.out").read_text("utf-8")
        found = json.loads(self.run_ok("infer", GRAPHS / "libdai" / "testfast.fg", "--quiet",
                                       "--json", "--task", "marginals"))
        exact = text.split("EXACT")[1].split("\n\n")[0].splitlines()[1:]
        seen = 0
        for line in exact:
            if not line.startswith("# ({x") or line.count("x") != 1:
                break
            label, numbers = line.removeprefix("# ({x").split("}, (")
            for value, number in zip(found["marginals"][int(label)],
                                     numbers.rstrip(") \n").split(","), strict=True):
                self.assertAlmostEqual(value, float(number), delta=5.01e-4 * max(value, 1e-3))
            seen += 1
        self.assertGreaterEqual(seen, 10)
        for path in sorted((GRAPHS / "libdai").glob("*.fg")):
            self.run_ok("infer", path, "--quiet", "--task", "map")


if __name__ == "__main__":
    main()
