"""croft train --model hmm, and what the other verbs make of it: predict, evaluate, inspect, convert, stack."""

import json
import math
import random
import signal
import subprocess
import time
import unittest

from support import BAD_INPUT, CROFT, DATA, INTERRUPTED, WRONG_USAGE, CliTest, croft, read_log, sequences_of

TRAIN = """the D
dog N
barks V

the D
cat N

dogs N
bark V
the D
dog N

"""


def tagged_text(sequences, seed):
    """Columns word, tag: tags follow each other, words have endings by tag."""
    draw = random.Random(seed)
    endings = {"N": ["ion", "er"], "V": ["ing", "ed"], "D": ["e"]}
    follow = {"D": "NNNV", "N": "VVVD", "V": "DDDN"}
    text = []
    for _ in range(sequences):
        tag = draw.choice("DNV")
        for _ in range(draw.randint(3, 9)):
            stem = "".join(draw.choice("abcdefgh") for _ in range(2))
            text.append(f"{stem}{draw.choice(endings[tag])} {tag}")
            tag = draw.choice(follow[tag])
        text.append("")
    return "\n".join(text) + "\n"


class HmmTest(CliTest):
    def train(self, *options, data=TRAIN, name="hmm.croft"):
        path = self.folder / name
        self.run_ok("train", "--model", "hmm", "-o", path, "--quiet", *options,
                    data if not isinstance(data, str) else self.file("train", data))
        return path

    def marginals(self, model, text):
        """[sequence][position]{label: p}"""
        out = self.run_ok("predict", "-m", model, "--to", "json", "--marginals=all", "-",
                          stdin=text.encode())
        return [json.loads(line)["marginals"] for line in out.splitlines()]

    def assert_fails(self, status, *needles, arguments, stdin=b""):
        done = croft(*arguments, stdin=stdin)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, status, message)
        for needle in needles:
            self.assertIn(needle, message)

    def test_options_of_baum_welch_need_labels_that_are_not_known(self):
        data = self.file("d", "a\tX\nb\tY\n\n")
        for option in (("--starts", 3), ("--em-iterations", 5), ("--tolerance", 1e-3)):
            self.fails(WRONG_USAGE, "train", "--quiet", "--model", "hmm", *option, "-o",
                       self.folder / "m.croft", data, mentions=[option[0], "--partial"])
            self.run_ok("train", "--quiet", "--model", "hmm", *option, "--partial", "-o",
                        self.folder / "m.croft", data)

    def test_objectives_are_in_the_file_and_each_raises_its_own(self):
        data, log = self.file("d", tagged_text(60, 3)), self.folder / "log"
        for objective in ("likelihood", "conditional", "multi-conditional", "hybrid"):
            model = self.train("--objective", objective, "--suffix", "2", "--log", log, data=data)
            record = json.loads(self.run_ok("inspect", "--json", "-m", model))["training"]
            self.assertEqual(record.get("objective", "likelihood"), objective)
            objectives = [line["objective"] for line in read_log(log)[0]]
            self.assertEqual(objectives, sorted(objectives, reverse=True))
            self.assertEqual(len(objectives) > 5, objective != "likelihood")
        self.assertIn("--suffix 2 --coupling 1.0 --em-iterations 100 --tolerance 1e-05 -o",
                      self.run_ok("card", "-m", model))

    def test_objectives_have_options_of_their_own(self):
        data = self.file("d", TRAIN)

        def fails(*options, mentions):
            self.fails(WRONG_USAGE, "train", "--quiet", "--model", "hmm", *options, "-o", self.folder / "m.croft",
                       data, mentions=mentions)
        fails("--objective", "perceptron", mentions=["perceptron", "likelihood, conditional, multi-conditional"])
        fails("--coupling", 2, mentions=["--coupling is of --objective hybrid"])
        fails("--generative-weight", 2, mentions=["--generative-weight is of --objective multi-conditional"])
        fails("--objective", "hybrid", "--coupling", -1, mentions=["--coupling", "from 0 on"])
        fails("--objective", "hybrid", "--states", 7, mentions=["--states", "--objective likelihood"])
        fails("--objective", "conditional", "--partial", "--starts", 7, mentions=["--starts"])
        fails("--objective", "conditional", "--unlabelled", data, mentions=["--unlabelled", "hybrid"])

    def test_hybrids_learn_from_data_without_labels(self):
        few, more = self.file("few", tagged_text(5, 3)), self.file("more", tagged_text(60, 4))
        for objective in ("multi-conditional", "hybrid"):
            models = [self.train("--objective", objective, *more_options, data=few, name=name)
                      for name, more_options in (("a", []), ("b", ["--unlabelled", more]),
                                                 ("c", ["--unlabelled", more, "--threads", "3"]))]
            a, b, c = [model.read_bytes() for model in models]
            self.assertNotEqual(a, b)
            self.assertEqual(b, c)

    def test_it_labels_by_counts(self):
        model = self.train()
        out = self.run_ok("predict", "-m", model, "-", stdin=b"the\ndog\nbarks\n\n")
        self.assertEqual(out, "the D\ndog N\nbarks V\n\n")

    def test_every_question_is_answered_and_the_answers_agree(self):
        model = self.train()
        out = self.run_ok("predict", "-m", model, "--to", "json", "--k-best", "9", "--probability",
                          "--marginals=all", "--samples", "3", "--entropy", "-", stdin=b"the\nfox\n\n")
        answer = json.loads(out)
        total = sum(each["probability"] for each in answer["k_best"])
        self.assertAlmostEqual(total, 1, places=9)
        second = sum(e["probability"] for e in answer["k_best"] if e["labels"][1] == "N")
        self.assertAlmostEqual(second, answer["marginals"][1]["N"], places=9)
        entropy = -sum(e["probability"] * math.log(e["probability"]) for e in answer["k_best"])
        self.assertAlmostEqual(entropy, answer["entropy"], places=9)
        self.assertEqual(len(answer["samples"]), 3)

    def test_evaluate_and_constraints_work_as_with_any_model(self):
        model = self.train()
        report = json.loads(self.run_ok("evaluate", "-m", model, "--json", self.file("t", TRAIN)))
        self.assertEqual(report["tokens"]["accuracy"], 1)
        self.assertTrue(0 < report["log_loss"] < 1)
        out = self.run_ok("predict", "-m", model, "--partial", "-", stdin=b"the N\ndog ?\n\n")
        self.assertTrue(out.startswith("the N N\n"))

    def test_threads_and_seeds_make_the_same_bytes(self):
        data = self.file("data", tagged_text(60, 3))
        models = [self.train("--states", "3", "--em-iterations", "5", "--threads", t, "--seed", s,
                             data=data, name=f"m{t}{s}").read_bytes()
                  for t, s in (("1", "1"), ("2", "1"), ("1", "2"))]
        self.assertEqual(models[0], models[1])
        self.assertNotEqual(models[0], models[2])

    def test_suffixes_tell_unknown_words_apart(self):
        data, test = self.file("train", tagged_text(40, 1)), self.file("test", tagged_text(40, 2))

        def accuracy(*options):
            model = self.train(*options, data=data)
            return json.loads(self.run_ok("evaluate", "-m", model, "--json", "--chunks", "none",
                                          test))["tokens"]["accuracy"]
        plain, suffix = accuracy(), accuracy("--suffix", "3")
        self.assertGreater(suffix, 0.97)
        self.assertGreater(suffix, plain)

    def test_the_objective_of_baum_welch_never_increases_in_the_log(self):
        log = self.folder / "log"
        self.train("--states", "4", "--starts", "2", "--em-iterations", "25", "--tolerance", "0",
                   "--log", log, data=self.file("data", tagged_text(50, 4)))
        lines, last = read_log(log)
        for start in (0, 1):
            objectives = [line["objective"] for line in lines if line["start"] == start]
            self.assertGreater(len(objectives), 3)
            for before, after in zip(objectives, objectives[1:]):
                self.assertLessEqual(after, before + 1e-9 * abs(before))
        best = min(line["objective"] for line in lines)
        self.assertAlmostEqual(last["objective"], best, places=6)

    def test_partial_labels_and_unlabelled_files_are_used(self):
        labelled = self.file("labelled", tagged_text(4, 5))
        unlabelled = self.file("more", "\n".join(row.split(" ")[0] for row in tagged_text(200, 6).split("\n")))
        test = self.file("test", tagged_text(60, 7))

        def loss(*options):
            model = self.train(*options, data=labelled)
            return json.loads(self.run_ok("evaluate", "-m", model, "--json", "--chunks", "none", test))["log_loss"]
        self.assertLess(loss("--unlabelled", unlabelled), loss())
        partial = self.file("partial", "the D\ndog ?\nbarks V|N\n\nthe D\ncat N\n\nx V\n\n")
        model = self.train("--partial", data=partial)
        summary = json.loads(self.run_ok("inspect", "-m", model, "--json"))
        self.assertEqual(summary["training"]["hidden_positions"], 2)
        self.assertEqual(sorted(summary["labels"]), ["D", "N", "V"])

    def test_labels_of_an_unlabelled_file_are_not_looked_at(self):
        base = self.file("base", tagged_text(10, 8))
        more = tagged_text(20, 9)
        with_labels = self.file("with", more)
        wrong = self.file("wrong", more.replace(" N", " V"))
        a = self.train("--unlabelled", with_labels, data=base, name="a").read_bytes()
        b = self.train("--unlabelled", wrong, data=base, name="b").read_bytes()
        self.assertEqual(a, b)

    def test_attribute_lines_have_a_track_for_each_name(self):
        lines = "D\tw=the\tc=lower\nN\tw=Dog\tc=upper\n\nD\tw=the\nN\tw=Cat\tc=upper\n\n"
        model = self.train("--format", "attributes", data=lines)
        self.assertEqual(json.loads(self.run_ok("inspect", "-m", model, "--json"))["tracks"], ["w", "c"])
        out = self.run_ok("predict", "-m", model, "-", stdin=b"\tw=the\n\tw=Fox\tc=upper\n\n")
        self.assertEqual(out, "D\nN\n\n")

    def test_inspect_shows_the_likeliest(self):
        model = self.train("--smoothing", "0", "--rare", "0", "--boundaries")
        document = json.loads(self.run_ok("inspect", "-m", model, "--json", "--top", "2", "--verify"))
        self.assertEqual(document["kind"], "hmm")
        self.assertTrue(document["verified"])
        top = document["top"]
        self.assertEqual([e["label"] for e in top["start"]], ["D", "N"])
        self.assertAlmostEqual(top["start"][0]["probability"], 2 / 3)
        self.assertEqual(top["transitions"]["D"], [{"label": "N", "probability": 1.0}])
        self.assertEqual(top["emissions"]["U0"]["N"][0], {"value": "dog", "probability": 0.5})
        text = self.run_ok("inspect", "-m", model, "--top", "1")
        self.assertIn("kind          hmm", text)
        self.assertIn("dog", text)
        self.assert_fails(WRONG_USAGE, "--top", arguments=["inspect", "-m", model, "--weights"])

    def test_a_converted_model_gives_the_same_posteriors(self):
        data = self.file("train", tagged_text(50, 10))
        new = "\n".join(row.split(" ")[0] for row in tagged_text(30, 11).split("\n")) + "\n"
        for options in ([], ["--suffix", "3"], ["--boundaries", "--suffix", "2", "--rare", "1"]):
            model = self.train(*options, data=data)
            chain = self.folder / "chain.croft"
            self.run_ok("convert", model, "-o", chain)
            self.assertEqual(json.loads(self.run_ok("inspect", "-m", chain, "--json"))["kind"], "chain")
            for a, b in zip(self.marginals(model, new), self.marginals(chain, new)):
                for p, q in zip(a, b):
                    for label in p:
                        self.assertAlmostEqual(p[label], q[label], delta=1e-5)

    def test_convert_says_what_there_is(self):
        model = self.train()
        chain = self.folder / "chain.croft"
        self.run_ok("convert", model, "--to", "chain", "-o", chain)
        out = self.folder / "out"
        self.assert_fails(WRONG_USAGE, "chain", "hmm to chain", arguments=["convert", chain, "-o", out])
        self.assert_fails(WRONG_USAGE, "maxent", arguments=["convert", model, "--to", "maxent", "-o", out])
        self.assert_fails(WRONG_USAGE, "replace", arguments=["convert", model, "-o", model])
        zero = self.train("--smoothing", "0", "--rare", "0")
        self.assert_fails(BAD_INPUT, "--smoothing", arguments=["convert", zero, "-o", out])
        self.assertFalse(out.exists())

    def test_stack_writes_posteriors_beside_the_attributes(self):
        model = self.train()
        template = self.file("template", "U0:%x[0,0]\nB\n")
        out = self.run_ok("stack", "-m", model, "--template", template, self.file("new", "the D\ndog N\n\n"))
        rows = [line.split("\t") for line in sequences_of(out)[0]]
        self.assertEqual([row[0] for row in rows], ["D", "N"])
        self.assertEqual(rows[0][1], "U0\\:the")
        marginals = self.marginals(model, "the\ndog\n\n")[0]
        for row, p in zip(rows, marginals):
            found = {f.split(":")[0]: float(f.split(":")[1]) if ":" in f else 1.0 for f in row[2:]}
            for label, value in p.items():
                if value >= 1.1e-4:
                    self.assertAlmostEqual(found["hmm=" + label], value, places=4)

    def test_attribute_lines_are_stacked_as_they_are(self):
        lines = "D\tw=the:2\tx\nN\tw=dog\n\n@weight:2\nD\tw=a\nN\tw=cat\n\n"
        data, chain = self.file("data", lines), self.folder / "chain"
        self.run_ok("train", "-o", chain, "--quiet", "--format", "attributes", "--boundaries", data)
        out = self.run_ok("stack", "-m", chain, data)
        rest = ["\t".join(f for f in line.split("\t") if not f.startswith("chain=")) for line in out.split("\n")]
        self.assertEqual("\n".join(rest), lines)
        self.assertEqual(out.count("chain=D"), 4)
        self.run_ok("train", "-o", self.folder / "m", "--quiet", "--format", "attributes", self.file("out", out))

    def test_an_attribute_with_the_name_of_a_posterior_is_refused(self):
        data, chain = self.file("data", "D\tw=the\tchain=more\nN\tw=dog\n\n"), self.folder / "chain"
        self.run_ok("train", "-o", chain, "--quiet", "--format", "attributes", data)
        once = self.file("once", self.run_ok("stack", "-m", chain, data))
        self.assert_fails(BAD_INPUT, '"chain=', arguments=["stack", "-m", chain, once])  # they would add up

    def test_a_jackknife_labels_each_part_by_a_model_of_the_others(self):
        text = tagged_text(12, 12)
        model = self.train("--suffix", "2", data=self.file("all", text))
        out = self.run_ok("stack", "-m", model, "--jackknife", "3", self.file("all", text))
        stacked = sequences_of(out)
        sequences = [s + "\n\n" for s in text.strip().split("\n\n")]
        for part in range(3):
            others = "".join(s for n, s in enumerate(sequences) if n % 3 != part)
            of_others = self.train("--suffix", "2", data=self.file("others", others), name="others.croft")
            for n in range(part, 12, 3):
                alone = self.run_ok("stack", "-m", of_others, self.file("one", sequences[n]))
                self.assertEqual(sequences_of(alone)[0], stacked[n])
        own = self.run_ok("stack", "-m", model, self.file("all", text))
        self.assertNotEqual(out, own)

    def test_a_crf_learns_from_stacked_posteriors(self):
        """Of little labelled data: the tagger's posteriors know tags by suffix, the CRF's template does not."""
        train, test = self.file("train", tagged_text(60, 13)), self.file("test", tagged_text(60, 14))
        hmm = self.train("--suffix", "3", data=train)
        template = self.file("template", "U0:%x[0,0]\n")

        def accuracy(stack):
            options, data = ["--template", template], [train, test]
            if stack:
                data = [self.file("a", self.run_ok("stack", "-m", hmm, "--jackknife", "5", "--template",
                                                   template, train)),
                        self.file("b", self.run_ok("stack", "-m", hmm, "--template", template, test))]
                options = ["--format", "attributes"]
            self.run_ok("train", "-o", self.folder / "crf", "--quiet", *options, data[0])
            return json.loads(self.run_ok("evaluate", "-m", self.folder / "crf", "--json", "--chunks", "none",
                                          data[1]))["tokens"]["accuracy"]
        self.assertGreater(accuracy(True), accuracy(False) + 0.1)

    def test_what_makes_no_sense_is_refused(self):
        data, out = self.file("data", TRAIN), self.folder / "m"
        base = ["train", "--model", "hmm", "-o", out]
        for option in (["--l2", "3"], ["--optimizer", "lbfgs"], ["--template", data], ["--order", "2"]):
            self.assert_fails(WRONG_USAGE, option[0], "hmm", arguments=[*base, *option, data])
        for option in (["--smoothing", "1"], ["--suffix", "3"], ["--states", "3"]):
            self.assert_fails(WRONG_USAGE, option[0], "chain", arguments=["train", "-o", out, *option, data])
        self.assert_fails(WRONG_USAGE, "--smoothing", arguments=[*base, "--smoothing", "-1", data])
        self.assert_fails(WRONG_USAGE, "--suffix", "--rare", arguments=[*base, "--suffix", "3", "--rare", "0", data])
        self.assert_fails(WRONG_USAGE, "replace", arguments=["train", "--model", "hmm", "-o", data, data])
        self.assert_fails(WRONG_USAGE, "sequences", arguments=[*base, "--format", "csv", data])
        negative = self.file("negative", "A\tw=x:-1\n\n")
        self.assert_fails(BAD_INPUT, "negative:1", "occurrences", arguments=[*base, "--format", "attributes", negative])
        self.assertFalse(out.exists())
        model = self.train()
        self.assert_fails(WRONG_USAGE, "weights of features",
                          arguments=["explain", "-m", model, data])
        self.assert_fails(BAD_INPUT, "hmm", arguments=["train", "--init", model, "-o", out, data])
        chain = self.folder / "chain"
        self.run_ok("train", "-o", chain, "--quiet", data)
        self.assert_fails(WRONG_USAGE, "--jackknife", arguments=["stack", "-m", chain, "--jackknife", "99", data])

    def test_an_interrupted_training_keeps_its_model(self):
        data, log, model = self.file("data", tagged_text(300, 15)), self.folder / "log", self.folder / "m"
        process = subprocess.Popen([CROFT, "train", "--model", "hmm", "-o", model, "--states", "40", "--log", log,
                                    "--em-iterations", "1000000", "--tolerance", "0", "--smoothing", "0.001", data],
                                   stderr=subprocess.PIPE)
        try:
            for _ in range(600):
                if log.exists() and log.read_text().count("\n") >= 2:
                    break
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            process.kill()
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(read_log(log)[1]["reason"], "interrupted")
        self.assertEqual(len(json.loads(self.run_ok("inspect", "-m", model, "--json"))["labels"]), 40)

    def test_values_that_cannot_be_leave_a_sequence_without_a_label(self):
        model = self.train("--smoothing", "0", "--rare", "0")
        done = croft("predict", "-m", model, "-", stdin=b"unicorn\n\nthe\ndog\n\n")
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(b"the D\ndog N\n", done.stdout)

    def test_a_damaged_model_is_noticed(self):
        model = self.train("--suffix", "2")
        good = model.read_bytes()
        for cut in (10, 200, len(good) // 2, len(good) - 1):
            model.write_bytes(good[:cut])
            self.assert_fails(BAD_INPUT, "hmm.croft", arguments=["predict", "-m", model, "-"], stdin=b"the\n\n")
        at = good.rindex(b"U0") if b"U0" in good else len(good) - 100
        model.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
        self.assert_fails(BAD_INPUT, "checksum", arguments=["inspect", "-m", model, "--verify"])


@unittest.skipUnless((DATA / "conll2000").is_dir(), "CROFT_DATA names the folder of the data")
class Conll2000Test(CliTest):
    def columns(self, name, *which):
        rows = (DATA / "conll2000" / name).read_text().split("\n")
        return self.file(name, "\n".join(" ".join(row.split(" ")[c] for c in which) if row else "" for row in rows))

    def accuracy(self, which, *options):
        model = self.folder / "m"
        self.run_ok("train", "--model", "hmm", "-o", model, "--quiet", *options, self.columns("train.txt", *which))
        report = self.run_ok("evaluate", "-m", model, "--json", self.columns("test.txt", *which))
        return json.loads(report)

    def test_parts_of_speech(self):
        """TnT-like taggers reach some 96 to 97 % with 1.2 million words; here there are 0.2 million."""
        self.assertGreater(self.accuracy([0, 1], "--suffix", "4")["tokens"]["accuracy"], 0.953)

    def test_chunks_from_parts_of_speech(self):
        report = self.accuracy([1, 2])
        self.assertGreater(report["tokens"]["accuracy"], 0.85)
        self.assertGreater(report["chunk"]["f1"], 0.77)  # the CoNLL-2000 baseline

    def test_a_holdout_without_labels_is_refused(self):
        words = self.file("words.txt", "a\nb\nc\n\na\na\nb\n\nc\nb\n\na\nc\nb\n\nb\nb\n")
        self.fails(BAD_INPUT, "train", "--quiet", "-o", self.folder / "m.croft", "--model", "hmm", "--states", 2,
                   "--holdout", 0.3, words, mentions=["0.3", "hold out sequences whose labels are known"])


if __name__ == "__main__":
    unittest.main()
