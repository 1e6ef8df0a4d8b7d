"""croft bugs: a program, data and scripts to summaries, draws and pictures."""

import json
import math
import signal
import subprocess
import time

from support import BAD_INPUT, CROFT, INTERRUPTED, WRONG_USAGE, CliTest, croft, main, read_log

LINE = """model {
  for (i in 1:N) { y[i] ~ dnorm(alpha + beta * (x[i] - mean(x[])), tau) }
  alpha ~ dnorm(0, 1.0E-6)
  beta ~ dnorm(0, 1.0E-6)
  tau ~ dgamma(0.001, 0.001)
}
"""
DATA = '"x" <- 1:5\n"y" <- c(1, 3, 3, 3, 5)\n"N" <- 5\n'
SCRIPT = """/* a line */
model in line.bug
data in "line-data.R"
compile, nchains(2)
inits in line-inits.R
initialize
update 500
monitor alpha, thin(2)
monitor beta
update 1000
coda *, stem(line)
samplers to samplers.txt
"""


class BugsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.program = self.file("line.bug", LINE)
        self.data = self.file("line-data.R", DATA)

    def ask(self, *options):
        return json.loads(self.run_ok("bugs", self.program, "--data", self.data, "--json", "--quiet", *options))

    def test_means_are_those_of_least_squares(self):
        document = self.ask("--monitor", "alpha,beta", "--samples", "4000")
        nodes = {each["name"]: each for each in document["nodes"]}
        for name, value in (("alpha", 3), ("beta", 0.8)):
            self.assertLess(abs(nodes[name]["mean"] - value), 5 * nodes[name]["mcse"])
            self.assertLess(nodes[name]["r_hat"], 1.02)
        self.assertEqual(nodes["alpha"]["draws"], 16000)
        self.assertEqual((document["observed"], document["unobserved"], document["exact"]), (5, 3, False))

    def test_threads_do_not_change_the_draws(self):
        self.assertEqual(self.ask("--samples", "200", "--threads", "1"), self.ask("--samples", "200", "--threads", "3"))

    def test_data_as_json_and_csv(self):
        columns = self.file("xy.csv", "x,y\n1,1\n2,3\n3,3\n4,3\n5,5\n")
        size = self.file("n.json", '{"N": 5}')
        other = json.loads(self.run_ok("bugs", self.program, "--data", columns, "--data", size, "--json", "--quiet",
                                       "--samples", "50"))
        self.assertEqual(other, self.ask("--samples", "50"))

    def test_a_folder_has_everything(self):
        out = self.folder / "out"
        table = self.run_ok("bugs", self.program, "--data", self.data, "--samples", "100", "--chains", "2", "--thin",
                            "5", "-o", out, "--plots", self.folder / "p.html", "--picture", self.folder / "p.svg",
                            "--log", self.folder / "log")
        self.assertIn("r_hat", table)
        self.assertRegex(table, r"(?m)^mean deviance .* DIC ")
        self.assertEqual(sorted(each.name for each in out.iterdir()),
                         ["CODAchain1.txt", "CODAchain2.txt", "CODAindex.txt", "draws.csv", "result.json",
                          "summary.csv"])
        index = (out / "CODAindex.txt").read_text().splitlines()
        self.assertEqual([line.split()[1:] for line in index], [["1", "20"], ["21", "40"], ["41", "60"]])
        self.assertEqual((out / "CODAchain1.txt").read_text().split()[0], "1005")
        self.assertEqual(len((out / "draws.csv").read_text().splitlines()), 41)
        self.assertEqual((self.folder / "p.html").read_text().count("<svg"), 3)
        self.assertIn("i in 1:N", (self.folder / "p.svg").read_text())
        lines, last = read_log(self.folder / "log")
        self.assertEqual(lines[0]["event"], "start")
        self.assertEqual(last["event"], "done")
        drawn = [node for line in lines if line["event"] == "sampler" for node in line["nodes"]]
        self.assertEqual(sorted(drawn), ["alpha", "beta", "tau"])

    def test_scripts_of_jags_run(self):
        self.file("line-inits.R", "alpha <- 0\nbeta <- 0\ntau <- 1\n")
        script = self.file("test.cmd", SCRIPT)
        self.run_ok("bugs", script, "--quiet", "-o", self.folder / "coda")
        index = (self.folder / "coda" / "lineindex.txt").read_text()
        self.assertEqual(index, "alpha 1 500\nbeta 501 1500\n")
        self.assertIn("\ttau", (self.folder / "coda" / "samplers.txt").read_text())
        found = self.fails(WRONG_USAGE, "bugs", script, "--data", self.data)
        self.assertIn("--data stands beside a script", found)

    def test_coda_has_what_was_monitored_up_to_it(self):
        self.file("line-inits.R", "alpha <- 0\nbeta <- 0\ntau <- 1\n")
        script = self.file("twice.cmd", SCRIPT.replace("update 1000\n", "update 100\ncoda beta, stem(first)\n"
                                                       "update 200\n"))
        self.run_ok("bugs", script, "--quiet", "-o", self.folder / "coda")
        self.assertEqual((self.folder / "coda" / "firstindex.txt").read_text(), "beta 1 100\n")
        self.assertEqual((self.folder / "coda" / "lineindex.txt").read_text(), "alpha 1 150\nbeta 151 450\n")
        first = (self.folder / "coda" / "firstchain2.txt").read_text()
        self.assertTrue(first.startswith("501 ") and first in (self.folder / "coda" / "linechain2.txt").read_text())

    def test_a_wrong_monitor_of_a_script_has_its_place(self):
        self.file("line-inits.R", "alpha <- 0\n")
        script = self.file("wrong.cmd", SCRIPT.replace("monitor beta", "monitor gamma"))
        self.assertIn('wrong.cmd:9:9: the program has no such name: "gamma"', self.fails(BAD_INPUT, "bugs", script))

    def test_a_list_of_winbugs_is_read_row_by_row(self):
        program = self.file("rows.bug", "model { for (i in 1:2) { for (j in 1:3) { Y[i,j] ~ dnorm(m[i], 1000) } "
                            "m[i] ~ dnorm(0, 1.0E-6) } }")
        array = "structure(.Data = c(1, 1, 1, 9, 9, 9), .Dim = c(2, 3))"
        rows, columns = self.file("rows.txt", f"list(Y = {array})"), self.file("columns.R", f"Y <- {array}")
        means = {}
        for data in (rows, columns):
            found = croft("bugs", program, "--data", data, "--json", "--samples", "200")
            means[data] = [round(each["mean"]) for each in json.loads(found.stdout)["nodes"]]
            self.assertEqual(found.stderr.count(b'"Y" is read row by row'), 1 if data == rows else 0, found.stderr)
        self.assertEqual(means, {rows: [1, 9], columns: [4, 6]})

    def test_what_is_no_number_is_told(self):
        program = self.file("log.bug", "model { k ~ dcat(p)\n z <- log(k - 2) }")
        data = self.file("p.json", '{"p": [0.5, 0.3, 0.2]}')
        found = croft("bugs", program, "--data", data, "--monitor", "z", "--json")
        self.assertIn(b'no number (NaN) is the value of "z" (probability 0.5)', found.stderr)
        node = json.loads(found.stdout)["nodes"][0]
        self.assertEqual((node["values"], node["mean"], node["no_number"]), (["-inf", 0, None], None, 0.5))
        program = self.file("beyond.bug", "model {\n k ~ dcat(p)\n z <- p[k + 1]\n}")
        self.assertIn('beyond.bug:3:7: a subscript is 4 where k is 3, and has to be from 1 to 3: "p"',
                      self.fails(BAD_INPUT, "bugs", program, "--data", data))

    def test_finite_models_are_exact(self):
        program = self.file("z.bug", "model { z ~ dbern(0.3)\n y ~ dbern(0.2 + 0.5 * z) }")
        data = self.file("z.json", '{"y": 1}')
        document = json.loads(self.run_ok("bugs", program, "--data", data, "--json"))
        self.assertTrue(document["exact"])
        self.assertAlmostEqual(document["nodes"][0]["probabilities"][1], 0.6, places=12)
        table = self.run_ok("bugs", program, "--data", data)
        self.assertRegex(table, r"(?m)^z\t1\t0\.6")
        sampled = json.loads(self.run_ok("bugs", program, "--data", data, "--json", "--method", "sampling"))
        self.assertFalse(sampled["exact"])

    def test_infer_reads_a_finite_model_as_a_factor_graph(self):
        program = self.file("wet.bug", "model {\n  rain ~ dbern(0.2)\n  sprinkler ~ dbern(p[rain + 1])\n"
                            "  wet ~ dbern(q[rain + 1, sprinkler + 1])\n}\n")
        data = self.file("wet.json", '{"p": [0.4, 0.01], "q": [[0, 0.9], [0.8, 0.99]], "wet": 1}')
        evidence = 0.8 * 0.4 * 0.9 + 0.2 * 0.99 * 0.8 + 0.2 * 0.01 * 0.99
        answer = json.loads(self.run_ok("infer", program, "--data", data, "--json", "--quiet"))
        self.assertAlmostEqual(answer["log_partition"], math.log(evidence), places=12)
        answer = json.loads(self.run_ok("infer", program, "--data", data, "--task", "marginals", "--json", "--quiet"))
        self.assertAlmostEqual(answer["marginals"][0][0], 0.8 * 0.4 * 0.9 / evidence, places=12)
        self.assertRegex(self.fails(BAD_INPUT, "infer", program), r"wet\.bug:3:\d+: .*\"p\"")

    def test_random_effects_need_no_initial_values(self):
        program = self.file("effects.bug", "model {\n  for (j in 1:10) { y[j] ~ dbin(p[j], 10); logit(p[j]) <- a[j]\n"
                            "    a[j] ~ dnorm(mu, pow(sigma, -2)) }\n"
                            "  mu ~ dnorm(0, 1.0E-4)\n  sigma ~ dunif(0, 100)\n}\n")
        data = self.file("effects.json", '{"y": [6, 7, 4, 9, 8, 5, 7, 10, 6, 3]}')
        for seed in range(1, 4):
            document = json.loads(self.run_ok("bugs", program, "--data", data, "--monitor", "mu,sigma", "--samples",
                                              "1000", "--json", "--quiet", "--seed", seed))
            for node, right in zip(document["nodes"], (0.7478, 1.0549), strict=True):  # by quadrature
                self.assertLess(abs(node["mean"] - right), 5 * node["mcse"])

    def test_chains_that_disagree_are_said(self):
        program = self.file("classes.bug", "model {\n  for (i in 1:6) { z[i] ~ dcat(p[]); y[i] ~ dnorm(mu[z[i]], 1) }\n"
                            "  for (k in 1:2) { mu[k] ~ dnorm(0, 1.0E-4) }\n}\n")
        data = self.file("classes.json", '{"y": [-9, -8, -9.5, 8, 9, 8.5], "p": [0.5, 0.5]}')
        starts = [self.file("1.json", '{"mu": [-9, 9]}'), self.file("2.json", '{"mu": [9, -9]}')]
        run = croft("bugs", program, "--data", data, "--inits", starts[0], "--inits", starts[1], "--chains", "2",
                    "--monitor", "mu", "--samples", "200", "--quiet")
        self.assertRegex(run.stderr.decode(), r'warning: the chains disagree about "mu\[[12]\]" \(R-hat ')

    def test_until_stops(self):
        document = self.ask("--until", "rhat=1.05,ess=300", "--samples", "1000000")
        self.assertLess(document["iterations"], 100000)
        for node in document["nodes"]:
            self.assertGreaterEqual(node["effective_samples"], 300)

    def test_a_checkpoint_resumes_to_the_same(self):
        whole = self.ask("--samples", "2000")
        state = self.folder / "state"
        self.ask("--samples", "700", "--checkpoint", state)
        resumed = self.ask("--samples", "2000", "--checkpoint", state, "--resume")
        self.assertEqual(resumed["nodes"], whole["nodes"])

    def test_a_signal_keeps_what_was_drawn(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            command = [CROFT, "bugs", self.program, "--data", self.data, "--samples", "2000000000", "--thin", "100",
                       "--json"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                time.sleep(0.5)
                process.send_signal(number)
                out, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, INTERRUPTED)
            document = json.loads(out)
            self.assertTrue(document["stopped"])
            self.assertGreater(document["nodes"][0]["draws"], 0)

    def test_faults_have_a_place_and_a_remedy(self):
        program = self.file("bad.bug", "model {\n  x ~ dnorm(0, 1\n}\n")
        self.assertIn("bad.bug:3:1: ) is expected here", self.fails(BAD_INPUT, "bugs", program))
        undefined = self.file("undefined.bug", "model {\n  x ~ dnorm(mu, 1)\n}\n")
        self.assertRegex(self.fails(BAD_INPUT, "bugs", undefined), r"undefined\.bug:2:\d+: .*mu")
        both = [self.program, "--data", self.data]
        for options, text in ((("--until", "rhat=0.5"), "R-hat"), (("--until", "foo=3"), "neither"),
                              (("--monitor", "a[1"), "without its ]"),
                              (("--plots", "p.png"), ".html or .svg"), (("--resume",), "--checkpoint"),
                              (("--picture", "p.png"), ".svg"),
                              (("--inits", self.data, "--inits", self.data), "chains")):
            self.assertIn(text, self.fails(WRONG_USAGE, "bugs", *both, *options))
        self.assertNotEqual(croft("bugs", *both, "--monitor", "gamma").returncode, 0)


if __name__ == "__main__":
    main()
