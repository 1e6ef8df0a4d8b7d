"""No verb writes over a file that it reads, nor two things into one file: whatever the options, by whatever name."""

import re

from support import WRONG_USAGE, CliTest, croft, main

# Of each verb: options that write, and those that read.  In help, all others take no file.
WRITE = {
    "train": {"output", "checkpoint", "log", "edges"},
    "predict": {"result"},
    "evaluate": {"reliability", "confusion-svg"},
    "inspect": {"picture"},
    "convert": {"output"},
    "stack": {"output", "checkpoint", "log", "edges"},
    "infer": {"picture", "save"},
    "calibrate": {"output"},
    "search": {"output", "plot", "state"},
    "cluster": {"output"},
    "logic": {"output", "picture"},
    "bugs": {"output", "plots", "picture", "checkpoint", "log"},
    "serve": {"labelled"},
    "card": {"output"},
    "learning-curve": {"plot"},
}
FILES = re.compile(r"^ +(?:-\w, *)?--([\w-]+)(?:,--[\w-]+)* (\[?[A-Z=\]|a-z.]*(?:FILE|FOLDER|MODEL|OUT)\S*)", re.MULTILINE)

# (verb and what it needs, option that writes, option that reads; a name without dashes stands alone)
CLASHES = [
    (["logic"], "output", "NETWORK"),
    (["logic", "f.mln"], "output", "evidence"),
    (["logic", "f.mln"], "output", "world"),
    (["logic", "f.mln"], "picture", "query-file"),
    (["logic"], "picture", "NETWORK"),
    (["bugs"], "plots", "PROGRAM"),
    (["bugs", "p.bug"], "log", "data"),
    (["bugs", "p.bug"], "picture", "inits"),
    (["train", "d.conll", "-o", "m.croft"], "log", "template"),
    (["train", "d.conll", "-o", "m.croft"], "log", "constrain"),
    (["train", "-o", "m.croft"], "checkpoint", "DATA"),
    (["train", "d.conll"], "output", "holdout"),
    (["predict", "d.conll"], "result", "model"),
    (["predict", "d.conll", "-m", "m.croft"], "result", "penalties"),
    (["predict", "d.conll", "-m", "m.croft"], "result", "costs"),
    (["evaluate", "d.conll"], "reliability", "model"),
    (["evaluate", "-m", "m.croft"], "confusion-svg", "DATA"),
    (["inspect", "m.croft"], "picture", "database"),
    (["convert", "--from", "columns", "--to", "spans"], "output", "INPUT"),
    (["convert", "d.conll", "--from", "columns", "--to", "spans"], "output", "label-names"),
    (["stack", "d.conll", "-o", "x"], "log", "kit"),
    (["infer", "g.uai"], "save", "evidence"),
    (["infer", "g.uai"], "picture", "data"),
    (["calibrate", "d.conll"], "output", "model"),
    (["search", "d.conll", "--values", "l2=1"], "plot", "dev"),
    (["search", "d.conll", "--values", "l2=1"], "state", "template"),
    (["cluster", "--clusters", "2"], "output", "DATA"),
    (["serve", "m.croft", "--queue", "q.txt"], "labelled", "train"),
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

    def test_two_outputs_are_two_files(self):
        for verb, one, other in (("infer", "picture", "save"), ("bugs", "plots", "picture"), ("search", "plot", "state"),
                                 ("evaluate", "reliability", "confusion-svg")):
            with self.subTest(verb=verb):
                path, same = self.folder / "x.svg", self.folder / "." / "x.svg"
                message = self.fails(WRONG_USAGE, verb, f"--{one}={path}", f"--{other}={same}", "f", "-m", "m",
                                     mentions=["both write"]) if verb == "evaluate" else self.fails(
                                         WRONG_USAGE, verb, f"--{one}={path}", f"--{other}={same}", "f",
                                         *(["--values", "l2=1"] if verb == "search" else []), mentions=["both write"])
                self.assertIn(one, str(message))

    def test_files_that_a_network_includes_are_read(self):
        rules = self.file("rules.mln", "t = {A}\nP(t)\n1 P(x)\n")
        network = self.file("main.mln", '#include "rules.mln"\n')
        for options in (["--learn", "likelihood", "-o", rules], ["--explain", "P(A)", "--picture", rules]):
            self.fails(WRONG_USAGE, "logic", network, "--query", "P", *options,
                       mentions=[f"{rules} would replace the input"])
        self.assertIn("1 P(x)", rules.read_text("utf-8"))

    def test_every_option_with_a_file_is_known_to_read_or_to_write(self):
        verbs = re.findall(r"^  ([a-z-]+) ", croft("--help").stdout.decode("utf-8"), re.MULTILINE)
        self.assertIn("logic", verbs)
        writes = re.compile(r"[Ww]rite|[Dd]raw|[Kk]eep|goes|go,|page goes|densities|JSON lines:|graph with plates|A folder for")
        for verb in verbs:
            text = croft(verb, "--help").stdout.decode("utf-8")
            entries = re.split(r"\n(?=  +(?:-\w, *)?--)", text)
            for entry in entries:
                named = FILES.match(entry)
                if named is None:
                    continue
                with self.subTest(verb=verb, option=named[1]):
                    if named[1] in WRITE.get(verb, set()):
                        self.assertRegex(entry, writes)
                    else:
                        self.assertNotRegex(" ".join(entry[named.end():].split())[:60],
                                            r"^(Write|Draw|Where (the|these|it) .*go|File to write|Model file to write)")


if __name__ == "__main__":
    main()
