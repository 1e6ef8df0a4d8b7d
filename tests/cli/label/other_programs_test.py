"""Models that CRFsuite, Wapiti and CRF++ have trained give the answers of these programs.

Labels are the same; scores, probabilities and marginals to the last digit that the programs print.
Skipped where the data is absent (its README.md says what each file is).
"""

import gzip
import json
import math
import shutil
import tempfile
import pathlib
import unittest

from support import DATA, CliTest, croft, main

MODELS = DATA / "models"
FOLDER = None  # of the unpacked files


def setUpModule():
    global FOLDER
    if not (MODELS / "crfsuite" / "usaddr.crfsuite").is_file():
        raise unittest.SkipTest(f"there is no {MODELS}; CROFT_DATA names the folder of the data")
    FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="croft-models-"))
    unittest.addModuleCleanup(shutil.rmtree, FOLDER)


def plain(name):
    """A file of the folder, unpacked."""
    path = MODELS / name
    if path.is_file():
        return path
    out = FOLDER / name.replace("/", "-")
    if not out.is_file():
        with gzip.open(f"{path}.gz") as packed, open(out, "wb") as file:
            shutil.copyfileobj(packed, file)
    return out


def blocks(name):
    """The lines of each sequence."""
    return [block.split("\n") for block in plain(name).read_text("utf-8").strip("\n").split("\n\n")]


def six(number):
    return f"{number:.6f}"


class OtherPrograms(CliTest):
    def answers(self, model, data, *options):
        """An object for each sequence."""
        lines = self.run_ok("predict", "-m", plain(model), "--to", "json", *options, plain(data))
        return [json.loads(line) for line in lines.splitlines()]

    def same(self, expected, found, what):
        """Equal but for the last digit of a number that lies in the middle of two."""
        differ = [(k, e, f) for k, (e, f) in enumerate(zip(expected, found, strict=True)) if e != f]
        self.assertEqual(differ[:5], [], f"{what}: {len(differ)} of {len(expected)} differ")

    def check_crfsuite(self, name):
        expected, labels, found, found_labels = [], [], [], []
        for score, probability, *rows in blocks(f"crfsuite/{name}.tags"):
            expected += score.split("\t")[1:] + [probability.split("\t")[1]]
            for row in rows:
                label, marginal = row.rsplit(":", 1)
                labels.append(label)
                expected.append(marginal)
        for answer in self.answers("crfsuite/usaddr.crfsuite", f"crfsuite/{name}.attributes",
                                   "--score", "--probability", "--marginals"):
            found += [six(answer[key]) for key in ("score", "log_partition", "probability")]
            found += [six(marginal) for marginal in answer["marginals"]]
            found_labels += answer["labels"]
        self.same(labels, found_labels, "labels")
        self.same(expected, found, "numbers")

    def test_crfsuite_addresses(self):
        self.check_crfsuite("cook")

    def test_crfsuite_chosen_addresses(self):
        self.check_crfsuite("cases")

    def test_crfsuite_all_marginals(self):
        expected = []
        for rows in blocks("crfsuite/cases.marginals"):
            for row in rows:
                if not row.startswith("@"):
                    expected += [tuple(cell.rsplit(":", 1)) for cell in row.split("\t")[1:]]
        found = []
        for answer in self.answers("crfsuite/usaddr.crfsuite", "crfsuite/cases.attributes",
                                   "--marginals=all"):
            for marginals in answer["marginals"]:
                found += [(label, six(p)) for label, p in marginals.items()]
        self.same(sorted(expected), sorted(found), "marginals")

    def test_labels_alone_are_the_same(self):
        """Without a question they are found in single precision."""
        for name in ("cook", "cases"):
            labels = [row.rsplit(":", 1)[0] for rows in blocks(f"crfsuite/{name}.tags")
                      for row in rows if not row.startswith("@")]
            found = self.run_ok("predict", "-m", plain("crfsuite/usaddr.crfsuite"),
                                "--to", "labels", plain(f"crfsuite/{name}.attributes"))
            self.same(labels, [line.split("\t")[-1] for line in found.splitlines() if line], name)

    def check_wapiti(self, model, data, labels_file):
        """`wapiti label -s -p`: the labels by their marginals, and these multiplied."""
        expected, labels, found, found_labels = [], [], [], []
        for head, *rows in blocks(labels_file):
            expected.append(head.split()[2])
            for row in rows:
                label, marginal = row.split("\t")[-1].rsplit("/", 1)
                labels.append(label)
                expected.append(marginal)
        for answer in self.answers(model, data, "--decode", "marginal", "--marginals"):
            found.append(six(math.prod(answer["marginals"])))
            found += [six(marginal) for marginal in answer["marginals"]]
            found_labels += answer["labels"]
        self.same(labels, found_labels, "labels")
        self.same(expected, found, "scores and marginals")

    def test_wapiti_figures(self):
        self.check_wapiti("wapiti/figure.wapiti", "wapiti/figure.columns", "wapiti/figure.labels")

    def test_wapiti_chunks_of_the_older_header(self):
        self.check_wapiti("wapiti/ch.mod", "wapiti/ch.columns", "wapiti/ch.labels")

    def test_crfpp_references(self):
        expected, labels, found, found_labels = [], [], [], []
        for head, *rows in blocks("crfpp/references.labels"):
            expected.append(head.split()[1])
            for row in rows:
                label, marginal = row.split("\t")[-1].rsplit("/", 1)
                labels.append(label)
                expected.append(marginal)
        for answer in self.answers("crfpp/references.model", "crfpp/references.columns",
                                   "--probability", "--marginals"):
            found.append(six(answer["probability"]))
            found += [six(marginal) for marginal in answer["marginals"]]
            found_labels += answer["labels"]
        self.same(labels, found_labels, "labels")
        self.same(expected, found, "numbers")

    def test_crfpp_three_best(self):
        expected, found = [], []
        for head, *rows in blocks("crfpp/references.3best"):
            expected += [head.split()[2], *(row.split("\t")[-1] for row in rows)]
        rows = plain("crfpp/references.columns").read_bytes().split(b"\n")[:3000]
        (FOLDER / "rows").write_bytes(b"\n".join(rows) + b"\n")
        lines = self.run_ok("predict", "-m", plain("crfpp/references.model"), "--to", "json",
                            "--k-best", 3, FOLDER / "rows")
        for line in lines.splitlines():
            for one in json.loads(line)["k_best"]:
                found += [six(one["probability"]), *one["labels"]]
        self.same(expected, found, "labellings")

    def test_a_converted_model_gives_the_same_answers(self):
        for model, data in (("crfsuite/usaddr.crfsuite", "crfsuite/cases.attributes"),
                            ("wapiti/figure.wapiti", "wapiti/figure.columns"),
                            ("crfpp/references.model", "crfpp/references.columns")):
            own = self.folder / "own.croft"
            self.run_ok("convert", plain(model), "-o", own)
            ask = ("--to", "json", "--score", "--marginals=all", plain(data))
            self.assertEqual(self.run_ok("predict", "-m", plain(model), *ask),
                             self.run_ok("predict", "-m", own, *ask), model)
            self.run_ok("inspect", "--verify", "--top", 3, "-m", own)

    def test_a_model_is_written_for_its_program_again(self):
        for to, model, data in (("crfsuite", "crfsuite/usaddr.crfsuite", "crfsuite/cases.attributes"),
                                ("wapiti", "wapiti/figure.wapiti", "wapiti/figure.columns"),
                                ("wapiti", "wapiti/ch.mod", "wapiti/ch.columns"),
                                ("crfpp", "crfpp/references.model", "crfpp/references.columns")):
            again = self.folder / "again"
            self.run_ok("convert", plain(model), "--to", to, "-o", again)
            ask = ("--score", "--marginals", "--to", "json", plain(data))
            self.assertEqual(self.run_ok("predict", "-m", plain(model), *ask),
                             self.run_ok("predict", "-m", again, *ask), model)

    def test_training_goes_on_from_the_file(self):
        """Of data with the labels that the model gives; not all of it is UTF-8."""
        for kind, model, data in (("attributes", "crfsuite/usaddr.crfsuite", "crfsuite/cases.attributes"),
                                  ("columns", "crfpp/references.model", "crfpp/references.columns")):
            rows = plain(data).read_bytes().split(b"\n")
            ask = ("predict", "--to", "labels", plain(data), "-m")
            labels = croft(*ask, plain(model)).stdout
            for t, label in enumerate(labels.split(b"\n")):
                if label:
                    rows[t] = rows[t].replace(b"_", label, 1) if kind == "attributes" else rows[t] + b" " + label
            same = self.train("same.croft", "--init", plain(model), "--format", kind,
                              "--max-iterations", 0, self.file("data", b"\n".join(rows)))
            self.assertEqual(croft(*ask, same).stdout, labels, model)

    def test_other_verbs_take_the_file(self):
        model, data = plain("crfsuite/usaddr.crfsuite"), plain("crfsuite/cases.attributes")
        document = json.loads(self.run_ok("inspect", "--json", "-m", model))
        self.assertEqual(document["training"], {"program": "CRFsuite", "file": "usaddr.crfsuite"})
        self.assertEqual(len(document["labels"]), 29)
        weights = self.run_ok("inspect", "--weights", "-m", model)
        self.assertGreater(weights.count("\n"), 1000)
        self.assertIn("AddressNumber", self.run_ok("explain", "-m", model, data))


if __name__ == "__main__":
    main()
