"""No verb writes over a file that it reads, nor two things into one file: whatever the options, by whatever name."""

import re
import subprocess

from support import BAD_INPUT, CROFT, WRONG_USAGE, CliTest, croft, main

# Options that write, in any verb; all others with a file read it.
WRITE = {"output", "checkpoint", "log", "edges", "state", "plot", "plots", "picture", "save", "reliability",
         "confusion-svg", "labelled"}
FILES = re.compile(r"^ +(?:-\w, *)?--([\w-]+)(?:,--[\w-]+)* (\[?[A-Z=\]|a-z.]*(?:FILE|FOLDER|MODEL|OUT)\S*)")

# (verb and what it needs, option that writes, option that reads; a name without dashes stands alone)
CLASHES = [
    (["logic"], "output", "NETWORK"),
    (["logic", "f.mln"], "output", "evidence"),
    (["logic", "f.mln", "--learn", "likelihood"], "output", "world"),
    (["logic", "f.mln", "--explain", "P(A)"], "picture", "query-file"),
    (["logic", "--explain", "P(A)"], "picture", "NETWORK"),
    (["bugs"], "plots", "PROGRAM"),
    (["bugs", "p.bug"], "log", "data"),
    (["bugs", "p.bug"], "picture", "inits"),
    (["train", "d.conll", "-o", "m.croft"], "log", "template"),
    (["train", "d.conll", "-o", "m.croft"], "log", "constrain"),
    (["train", "-o", "m.croft"], "checkpoint", "DATA"),
    (["train", "d.conll"], "output", "holdout"),
    (["predict", "d.conll"], "output", "model"),
    (["predict", "d.conll", "-m", "m.croft"], "output", "penalties"),
    (["predict", "d.conll", "-m", "m.croft"], "output", "costs"),
    (["evaluate", "d.conll"], "reliability", "model"),
    (["evaluate", "-m", "m.croft"], "confusion-svg", "DATA"),
    (["inspect", "-m", "m.croft"], "picture", "database"),
    (["convert", "--from", "columns", "--to", "spans"], "output", "INPUT"),
    (["convert", "d.conll", "--from", "columns", "--to", "spans"], "output", "label-names"),
    (["infer", "g.uai"], "save", "evidence"),
    (["infer", "g.uai"], "picture", "data"),
    (["calibrate", "d.conll"], "output", "model"),
    (["search", "d.conll", "--values", "l2=1"], "plot", "dev"),
    (["search", "d.conll", "--values", "l2=1"], "state", "template"),
    (["cluster", "--clusters", "2"], "output", "DATA"),
    (["serve", "-m", "m.croft", "--queue", "q.txt"], "labelled", "train"),
    (["card", "-m", "m.croft", "d.conll"], "output", "notes"),
    (["learning-curve", "d.conll"], "plot", "test"),
]


def argument(option, path):
    return [path] if option.isupper() else [f"--{option}={path}"]


class FilesTest(CliTest):
    """The refusals come before anything is read."""

    def test_no_output_replaces_an_input(self):
        original = self.file("input.svg", "what is read")
        link = self.folder / "link.svg"
        link.symlink_to(original)
        for verb, written, read in CLASHES:
            for path in (original, link):
                with self.subTest(verb=verb, written=written, read=read, path=path.name):
                    self.fails(WRONG_USAGE, *verb, *argument(written, path), *argument(read, original),
                               mentions=[f"--{written} {path} would replace the input {original}"])
                    self.assertEqual(original.read_text("utf-8"), "what is read")

    def test_names_inside_of_a_folder_and_implied_ones_are_files_that_are_read_too(self):
        folder = self.folder / "br"
        folder.mkdir()
        (folder / "a.txt").write_text("Anna lives here.\n", "utf-8")
        (folder / "a.ann").write_text("T1\tPER 0 4\tAnna\n", "utf-8")
        for given in (folder, folder / "a.txt"):
            for name in ("a.ann", "a.txt"):
                self.fails(WRONG_USAGE, "convert", "--from", "brat", "--to", "spans", given, "-o", folder / name,
                           mentions=[f"--output {folder / name} would replace the input"])
        program = self.file("p.bug", "model { y ~ dnorm(0, 1) }\n")
        draws = self.file("draws.csv", "z\n1\n")
        self.fails(WRONG_USAGE, "bugs", program, "--data", draws, "-o", self.folder,
                   mentions=[f"--output {self.folder} would replace the input {draws}", "another folder"])
        self.assertEqual(draws.read_text("utf-8"), "z\n1\n")
        self.assertIn("PER", (folder / "a.ann").read_text("utf-8"))

    def test_standard_input_and_output_are_files_where_they_are_some(self):
        data = self.file("d.txt", "a X\nb Y\n\n" * 50)
        for verb in (["train", "-o", data], ["predict", "-m", self.train("m.croft", data), "-o", data]):
            with self.subTest(verb=verb[0]), data.open("rb") as given:
                done = subprocess.run([CROFT, *map(str, verb), "-"], stdin=given, capture_output=True, check=False)
                self.assertEqual(done.returncode, WRONG_USAGE)
                self.assertIn(b"would replace the input /dev/stdin", done.stderr)
        with data.open("ab") as grows:
            done = subprocess.run([CROFT, "predict", "-m", str(self.folder / "m.croft"), str(data)], stdout=grows,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, WRONG_USAGE)
        self.assertIn(f"standard output is the input {data}".encode(), done.stderr)
        self.assertEqual(data.read_text("utf-8"), "a X\nb Y\n\n" * 50)

    def test_a_folder_of_results_is_made_before_the_draws(self):
        program = self.file("p.bug", "model { x ~ dnorm(0, 1) }\n")
        out = self.folder / "out"
        self.fails(WRONG_USAGE, "bugs", program, "-o", out, "--log", out / "draws.csv", mentions=["both write"])
        self.fails(BAD_INPUT, "bugs", program, "-o", program / "out", mentions=["cannot make this folder"])
        self.fails(BAD_INPUT, "bugs", self.file("bad.bug", "model { x ~ \n"), "-o", out)
        self.assertFalse(out.exists())

    def test_two_outputs_are_two_files(self):
        for verb, one, other in (("infer", "picture", "save"), ("bugs", "plots", "picture"),
                                 ("search", "plot", "state"), ("evaluate", "reliability", "confusion-svg")):
            with self.subTest(verb=verb):
                path, same = self.folder / "x.svg", f"{self.folder}/./x.svg"
                needed = {"evaluate": ["-m", "m"], "search": ["--values", "l2=1"]}.get(verb, [])
                self.fails(WRONG_USAGE, verb, f"--{one}={path}", f"--{other}={same}", "f", *needed,
                           mentions=["both write", f"--{one}", f"--{other}"])

    def test_files_that_a_network_includes_are_read(self):
        rules = self.file("rules.mln", "t = {A}\nP(t)\n1 P(x)\n")
        network = self.file("main.mln", '#include "rules.mln"\n')
        for options in (["--learn", "likelihood", "-o", rules], ["--explain", "P(A)", "--picture", rules]):
            self.fails(WRONG_USAGE, "logic", network, "--query", "P", *options,
                       mentions=[f"{rules} would replace the input"])
        self.assertIn("1 P(x)", rules.read_text("utf-8"))

    def test_no_other_option_says_that_it_writes_a_file(self):
        verbs = re.findall(r"^  ([a-z-]+) ", croft("--help").stdout.decode("utf-8"), re.MULTILINE)
        self.assertIn("logic", verbs)
        for verb in verbs:
            text = croft(verb, "--help=all").stdout.decode("utf-8")
            for entry in re.split(r"\n(?=  +(?:-\w, *)?--)", text):
                named = FILES.match(entry)
                if named is not None and named[1] not in WRITE:
                    with self.subTest(verb=verb, option=named[1]):
                        self.assertNotRegex(" ".join(entry[named.end():].split()), r"^(Write|Draw|Keep)|to write$")


if __name__ == "__main__":
    main()
