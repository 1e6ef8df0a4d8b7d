"""Bayesian networks in use: other programs' files, doubtful findings, queries, decisions, cases."""

import csv
import io
import itertools
import json
import math
import xml.etree.ElementTree

from support import BAD_INPUT, SOURCE, WRONG_USAGE, CliTest, croft, main

SPRINKLER = SOURCE / "examples" / "graphs" / "sprinkler.bif"
GARDEN = """net { }
node rain { states = ("yes" "no"); }
node forecast { states = ("good" "bad"); }
decision water { states = ("now" "later"); }
utility worth { }
potential (rain) { data = ( 0.3 0.7 ); }
potential (forecast | rain) { data = (( 0.2 0.8 )( 0.9 0.1 )); }
potential (water | forecast) { }
potential (worth | rain water) { data = (( -5 20 )( 40 -30 )); }
"""
XML = """<BIF VERSION="0.3"><NETWORK><NAME>n</NAME>
<VARIABLE TYPE="nature"><NAME>a</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>b</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>
<DEFINITION><FOR>a</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>
<DEFINITION><FOR>b</FOR><GIVEN>a</GIVEN><TABLE>0.1 0.9 0.6 0.4</TABLE></DEFINITION>
</NETWORK></BIF>
"""


class NetworkTest(CliTest):
    def infer(self, *arguments, **options):
        return json.loads(self.run_ok("infer", "--json", "--quiet", *arguments, **options))

    def joint(self):
        """{assignment: p} of the sprinkler network, by all of its best assignments."""
        found = self.infer(SPRINKLER, "--task", "map", "--k-best", 1000)
        return {tuple(each["assignment"]): each["probability"] for each in found["k_best"]}


class QueryTest(NetworkTest):
    def test_likelihoods_weigh_the_states(self):
        names = ["season", "rain", "sprinkler", "grass", "slippery"]
        weights = {x: p * {"dry": 0.2, "damp": 0.5, "soaked": 0.9}[x[3]]
                   for x, p in self.joint().items()}
        found = self.infer(SPRINKLER, "--observe", "grass=0.2:0.5:0.9", "--task", "marginals")
        self.assertAlmostEqual(math.exp(found["log_partition"]), sum(weights.values()), places=10)
        for v, name in enumerate(names):
            for state, p in zip(found["states"][v], found["marginals"][v], strict=True):
                wanted = sum(w for x, w in weights.items() if x[v] == state)
                self.assertAlmostEqual(p, wanted / sum(weights.values()), places=10)

    def test_a_query_has_the_probability_of_its_assignments(self):
        p = self.joint()
        found = self.infer(SPRINKLER, "--query", "rain=yes, grass!=dry", "--query",
                           "rain=slippery", "--observe", "sprinkler=off")["queries"]
        z = sum(q for x, q in p.items() if x[2] == "off")
        wanted = [sum(q for x, q in p.items() if x[2] == "off" and x[1] == "yes" and x[3] != "dry"),
                  sum(q for x, q in p.items() if x[2] == "off" and x[1] == x[4])]
        for answer, each in zip(found, wanted, strict=True):
            self.assertEqual(answer["kind"], "exact")
            self.assertAlmostEqual(answer["probability"], each / z, places=10)

    def test_entropy_and_sensitivity(self):
        entropy = -sum(p * math.log(p) for p in self.joint().values() if p > 0)
        self.assertAlmostEqual(self.infer(SPRINKLER, "--entropy")["entropy"]["entropy"], entropy,
                               places=8)
        answer = self.infer(SPRINKLER, "--sensitivity", "rain=yes", "--observe",
                            "slippery=yes")["sensitivity"]
        for each in answer["parameters"]:
            p = (each["a"] * each["value"] + each["b"]) / (each["c"] * each["value"] + each["d"])
            self.assertAlmostEqual(p, answer["probability"], places=10)
        table = self.run_ok("infer", SPRINKLER, "--sensitivity", "rain=yes", "--top", 2)
        self.assertIn("more, with smaller derivatives", table)

    def test_what_makes_no_sense_is_refused(self):
        for wrong in (["--query", "rain"], ["--query", "rain=maybe"], ["--observe", "rain=0.5:x"],
                      ["--observe", "rain=1:1:1"], ["--decide"], ["--entropy", "--samples", 3],
                      ["--query", "rain=yes", "--task", "marginals"], ["--top", 3]):
            self.fails(WRONG_USAGE, "infer", SPRINKLER, *wrong)


class FileTest(NetworkTest):
    def test_a_file_of_another_program_is_recognised_and_trained_on(self):
        net = self.file("net.xml", XML)
        found = self.infer(net, "--task", "marginals")
        self.assertAlmostEqual(found["marginals"][1][0], 0.25 * 0.1 + 0.75 * 0.6, places=12)
        cases = self.file("cases.csv", self.run_ok("infer", net, "--task", "sample", "--samples",
                                                   400, "--to", "csv", "--quiet"))
        out = self.folder / "fitted.bif"
        self.run_ok("train", "--quiet", "--model", "bayes-net", "--structure", net, "-o", out, cases)
        again = self.infer(out, "--task", "marginals")
        self.assertAlmostEqual(again["marginals"][1][0], found["marginals"][1][0], delta=0.1)

    def test_a_document_that_is_no_network_has_one_error(self):
        self.fails(BAD_INPUT, "infer", self.file("n.xml", XML.replace("0.9", "0.8")),
                   mentions=["n.xml:5:", "add up to"])
        bomb = "<!DOCTYPE BIF [<!ENTITY a 'aa'>]>" + XML
        self.fails(BAD_INPUT, "infer", self.file("n.xml", bomb), mentions=["entities"])


class DecisionTest(NetworkTest):
    def test_the_best_decisions_have_the_largest_expected_utility(self):
        net = self.file("garden.net", GARDEN)
        answer = self.infer(net, "--decide")["decide"]
        rain, forecast = {"yes": 0.3, "no": 0.7}, {"yes": (0.2, 0.8), "no": (0.9, 0.1)}
        worth = {"yes": (-5, 20), "no": (40, -30)}
        best = max(sum(rain[r] * forecast[r][f] * worth[r][rule[f]] for r in rain for f in (0, 1))
                   for rule in itertools.product((0, 1), repeat=2))
        self.assertAlmostEqual(answer["expected_utility"], best, places=10)
        rules = answer["decisions"][0]["rules"]
        self.assertEqual([(each["given"], each["best"]) for each in rules],
                         [(["good"], "now"), (["bad"], "later")])
        taken = self.infer(net, "--decide", "--observe", "water=now")["decide"]
        self.assertAlmostEqual(taken["expected_utility"], 0.3 * -5 + 0.7 * 40, places=10)

    def test_other_questions_need_the_decisions(self):
        net = self.file("garden.net", GARDEN)
        self.fails(WRONG_USAGE, "infer", net, mentions=["water", "--decide"])
        found = self.infer(net, "--observe", "water=now", "--task", "marginals")
        self.assertAlmostEqual(found["marginals"][0][0], 0.3, places=12)
        self.fails(WRONG_USAGE, "infer", net, "--save", self.folder / "g.bif",
                   mentions=["decisions"])


class CasesTest(NetworkTest):
    def cases(self):
        return self.file("cases.csv", "rain,grass,slippery\nno,dry,\nyes,,yes\n,soaked,yes\n")

    def test_each_row_gets_what_inference_says_of_it(self):
        text = self.run_ok("predict", "-m", SPRINKLER, "--target", "rain", self.cases())
        rows = list(csv.DictReader(io.StringIO(text)))
        known = [["grass=dry"], ["slippery=yes"], ["grass=soaked", "slippery=yes"]]
        for row, observed in zip(rows, known, strict=True):
            options = [word for each in observed for word in ("--observe", each)]
            p = self.infer(SPRINKLER, "--task", "marginals", *options)["marginals"][1]
            self.assertAlmostEqual(float(row["p(yes)"]), p[1], places=5)
            self.assertEqual(row["rain"], "yes" if p[1] > p[0] else "no")
        lines = self.run_ok("predict", "-m", SPRINKLER, "--target", "rain", "--to", "json",
                            "--threads", 2, self.cases()).splitlines()
        self.assertEqual([json.loads(each)["label"] for each in lines],
                         [row["rain"] for row in rows])

    def test_an_evaluation_has_likelihood_and_confusion(self):
        found = json.loads(self.run_ok("evaluate", "-m", SPRINKLER, "--target", "rain", "--json",
                                       self.cases()))
        wanted = 0
        for observed in (["rain=no", "grass=dry"], ["rain=yes", "slippery=yes"],
                         ["grass=soaked", "slippery=yes"]):
            options = [word for each in observed for word in ("--observe", each)]
            wanted += self.infer(SPRINKLER, *options)["log_partition"]
        self.assertAlmostEqual(found["log_likelihood"], wanted, places=9)
        self.assertAlmostEqual(found["bic"], wanted - math.log(3) / 2 * found["parameters"],
                               places=9)
        self.assertEqual(found["target"]["unknown"], 1)
        self.assertEqual(sum(sum(row.values()) for row in found["target"]["confusion"].values()),
                         2)
        self.assertIn("log-likelihood", self.run_ok("evaluate", "-m", SPRINKLER, self.cases()))

    def test_an_impossible_row_has_no_label_and_a_warning(self):
        net = self.file("n.xml", XML.replace("0.25 0.75", "1 0").replace("0.1 0.9", "0 1"))
        cases = self.file("cases.csv", "a,b\n,y\ny,x\n")
        done = croft("predict", "-m", net, "--target", "b", cases)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.decode().splitlines(), ["b,p(x),p(y)", "y,0,1", ",,"])
        self.assertIn("1 case impossible", done.stderr.decode())

    def test_what_a_network_has_no_use_for_is_refused(self):
        for wrong in (["--decode", "best"], ["--probability"], ["--database", "x.sqlite"]):
            self.fails(WRONG_USAGE, "predict", "-m", SPRINKLER, "--target", "rain", *wrong,
                       self.cases(), mentions=["Bayesian network"])
        self.fails(WRONG_USAGE, "predict", "-m", SPRINKLER, self.cases(), mentions=["--target"])
        self.fails(WRONG_USAGE, "predict", "-m", SPRINKLER, "--target", "snow", self.cases(),
                   mentions=["snow"])
        self.fails(BAD_INPUT, "predict", "-m", SPRINKLER, "--target", "rain",
                   self.file("c.csv", "rain\nmaybe\n"), mentions=["c.csv:2", "maybe"])


class PictureTest(NetworkTest):
    SPACE = "{http://www.w3.org/2000/svg}"

    def draw(self, *arguments):
        path = self.folder / "g.svg"
        self.run_ok("infer", "--quiet", *arguments, "--picture", path)
        return xml.etree.ElementTree.parse(path).getroot()

    def test_effects_stand_below_their_causes(self):
        root = self.draw(SPRINKLER)
        names = [each.text for each in root.iter(self.SPACE + "text")]
        y = dict(zip(names, (float(each.get("cy")) for each in root.iter(self.SPACE + "ellipse")),
                     strict=True))
        for cause, effect in (("season", "rain"), ("season", "sprinkler"), ("rain", "grass"),
                              ("sprinkler", "grass"), ("grass", "slippery")):
            self.assertLess(y[cause] + 26, y[effect])

    def test_places_of_the_file_are_kept(self):
        text = SPRINKLER.read_text()
        for k, name in enumerate(("season", "rain", "sprinkler", "grass", "slippery")):
            place = f"property position = ({200 * k}, {300 - 70 * k});"
            text = text.replace("variable " + name + " {", "variable " + name + " { " + place)
        root = self.draw(self.file("n.bif", text))
        x = [float(each.get("cx")) for each in root.iter(self.SPACE + "ellipse")]
        for k in range(4):
            self.assertAlmostEqual(x[k + 1] - x[k], 200, delta=0.2)

    def test_bars_are_as_long_as_the_probabilities_and_decisions_are_boxes(self):
        root = self.draw(SPRINKLER, "--observe", "slippery=yes", "--task", "marginals")
        bars = [(each.find(self.SPACE + "title").text, float(each.get("width")))
                for each in root.iter(self.SPACE + "rect")
                if each.find(self.SPACE + "title") is not None]
        self.assertEqual(len(bars), 11)
        p = {title.rsplit(": ", 1)[0]: width for title, width in bars[-2:]}
        self.assertGreater(p["yes"], 40)
        self.assertLess(p["no"], 1)
        net = self.file("garden.net", GARDEN)
        root = self.draw(net)
        self.assertEqual(len(list(root.iter(self.SPACE + "polygon"))), 1)
        self.assertIn("worth", [each.text for each in root.iter(self.SPACE + "text")])
        page = self.folder / "g.html"
        self.run_ok("infer", net, "--picture", page)
        self.assertIn("<svg", page.read_text())


if __name__ == "__main__":
    main()
