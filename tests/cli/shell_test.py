"""croft completion and croft manual: all that --help has, in words that shells and man take."""

import re
import shutil
import subprocess

from support import WRONG_USAGE, CliTest, croft, main

WIDTH = 34  # of the first column of help

# What stands behind each line at least, and whether nothing else does.
FORMATS = {"spans", "columns", "text", "doccano", "prodigy", "brat", "segmented", "html", "chain", "maxent", "memm",
           "crfsuite", "wapiti", "crfpp", "csv", "conllu", "huggingface"}
COMPLETIONS = [
    ("card m.croft ", {"some.txt"}, False),
    ("inspect ", {"some.txt"}, False),
    ("train -o ", {"some.txt"}, False),
    ("train --template so", {"some.txt"}, True),
    ("train --he", {"--help"}, True),
    ("train --standard", {"--standardise", "--standardize"}, True),
    ("train --model max", {"maxent"}, True),
    ("train --model=max", {"maxent"}, True),
    ("train --intercept=", {"penalised", "unpenalised"}, True),
    ("train --intercept ", {"some.txt"}, False),
    ("train --objective ma", {"marginal", "max-margin"}, True),
    ("train --tokenizer ", {"words", "blanks", "characters"}, True),
    ("train --class-weights ", {"balanced", "some.txt"}, False),
    ("predict --constrain ", {"bio", "bioes", "some.txt"}, False),
    ("train --delimiter ", {"comma", ",", "tab", "semicolon", ";"}, True),
    ("train --l2 ", set(), True),
    ("convert --to ", FORMATS, True),
    ("infer --task ", {"partition", "marginals", "map", "marginal-map", "sample"}, True),
    ("infer --method belief-p", {"belief-propagation"}, True),
    ("completion ", {"bash", "zsh", "fish"}, True),
    ("manual learn", {"learning-curve"}, True),
    ("manual train --", {"--help", "--threads", "--seed", "--quiet"}, True),
]
# Options that take other words than those that the program's tables of completions name.
OPEN = {"objective", "optimizer", "tokenizer", "constrain", "prior-probabilities", "experts", "code", "kernel",
        "pieces", "search", "method"}

# The widget of completion writes what it would offer, and ends the shell.
ZSH_HITS = r"""
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- $'\n'HIT:$^hits
}
finish() { print -r -- $'\n'END; exit }
comppostfuncs=(finish)
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
"""
ZSH_CAPTURE = r"""
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT=; fpath=($1 \$fpath); autoload compinit; compinit -u -d $1/dump; source $1/hits.zsh"
zpty -w -n z "$2"$'\t'
while zpty -r z line; do print -r -- "$line"; done
"""


def help_of(verb):
    return croft(verb, "--help=all").stdout.decode()


def options_of(verb):
    """The long options that help lists."""
    return set(re.findall(r"^ *(?:-\w,)?(--[a-z][a-z0-9-]*)", help_of(verb), re.M))


def entries_of_help(text):
    """Positionals and options as {names and value: description}."""
    entries, lines = {}, text.split("\n")
    options = lines.index("Options:")
    for number, (line, after) in enumerate(zip(lines, [*lines[1:], ""])):
        if not re.match(r"  -" if number > options else r"  \S", line):
            continue
        head, description = (line, after) if after.startswith(" " * WIDTH) else (line[:WIDTH], line)
        entries[head.strip()] = description[WIDTH:]
    return entries


def plain(roff):
    return re.sub(r"\\f.", "", roff).replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")


def entries_of_manual(page):
    """The same of a manual page, written as help writes it."""
    entries = {}
    for entry in plain(page[page.index(".SH SYNOPSIS"):page.index(".SH NOTES")]).split("\n.TP\n")[1:]:
        head, *lines = re.split(r"\n\.S[HS] ", entry)[0].rstrip("\n").split("\n")
        if lines[-1] == "Required.":
            head += " REQUIRED"
            lines.pop()
        entries[head.replace(", -", ",-")] = "\n".join(lines)
    return entries


class ShellTest(CliTest):

    @classmethod
    def setUpClass(cls):
        text = croft("--help").stdout.decode()
        cls.verbs = re.findall(r"^  ([a-z-]+) {2,}", text[text.index("Subcommands"):text.index("Example")], re.M)

    def complete(self, *words):
        """What bash offers for the last word."""
        script = self.file("croft.bash", self.run_ok("completion", "bash"))
        quoted = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(["bash", "-c", f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1};"
                               '_croft 2> /dev/null; printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True,
                              check=True, cwd=self.folder)
        return done.stdout.split()

    def complete_in_bash(self, line):
        return self.complete("croft", *line.replace("=", " = ").split(" "))

    def complete_in_fish(self, line):
        script = self.file("croft.fish", self.run_ok("completion", "fish"))
        done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C 'croft {line}'"],
                              capture_output=True, text=True, check=True, cwd=self.folder)
        return [each.partition("\t")[0].rpartition("=")[2] for each in done.stdout.splitlines()]

    def complete_in_zsh(self, line):
        self.file("_croft", self.run_ok("completion", "zsh"))
        self.file("hits.zsh", ZSH_HITS)
        done = subprocess.run(["zsh", "-f", "-c", ZSH_CAPTURE, "zsh", self.folder, "croft " + line],
                              capture_output=True, text=True, check=True, cwd=self.folder, timeout=60)
        self.assertIn("END", done.stdout, line)
        return [each.replace("\\;", ";") for each in re.findall(r"HIT:([^\r\n]*)", done.stdout)]

    def test_bash_completes_verbs_options_and_values(self):
        self.assertGreater(len(self.verbs), 15)
        self.assertEqual(set(self.complete("croft", "")), {*self.verbs, "-h", "--help", "--version"})
        for verb in self.verbs:
            found = set(self.complete("croft", verb, "--"))
            self.assertLessEqual(options_of(verb), found, verb)

    def test_every_shell_that_is_there_completes_arguments_and_values(self):
        self.file("some.txt", "")
        for shell, complete in (("bash", self.complete_in_bash), ("zsh", self.complete_in_zsh),
                                ("fish", self.complete_in_fish)):
            if not shutil.which(shell):
                continue
            for line, words, alone in COMPLETIONS:
                with self.subTest(shell=shell, line=line):
                    found = set(complete(line))
                    (self.assertEqual if alone else self.assertLessEqual)(words, found)

    def test_the_other_shells_read_theirs(self):
        for shell in ("zsh", "fish"):
            text = self.run_ok("completion", shell)
            for verb in self.verbs:
                self.assertIn(verb, text)
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.file(shell, text)], check=True)
        message = self.fails(WRONG_USAGE, "completion", "tcsh", mentions=["bash, zsh, fish"])
        self.assertNotIn("did you mean", message)

    def test_zsh_and_fish_have_every_option_with_the_beginning_of_its_help(self):
        fish = re.findall(r"^complete -c croft -n '__croft_verb (\S+)'(.*?) -d '(.*)'$",
                          self.run_ok("completion", "fish"), re.M)
        zsh = self.run_ok("completion", "zsh")
        for verb in self.verbs:
            helps = entries_of_help(help_of(verb))
            texts = {name: text for head, text in helps.items() for name in re.findall(r"--[\w-]+", head.split(" ")[0])}
            found = {name: text for own, names, text in fish if own == verb for name in re.findall(r" -l (\S+)", names)}
            self.assertEqual({"--" + name for name in found}, set(texts), verb)
            specs = re.search(rf"^    {verb}\) _arguments (.*?);;$", zsh, re.M | re.S)[1]
            self.assertEqual(set(re.findall(r"(--[\w-]+)[=-]*\[", specs)), set(texts), verb)
            for name, text in found.items():
                begin, cut, _ = text.replace("'\\''", "'").partition(" …")
                rest = texts["--" + name].removeprefix(begin)
                self.assertLess(len(rest), len(texts["--" + name]), (verb, name))  # it begins so
                self.assertRegex(rest, r"^[ ,:;(]" if cut else r"^($|\. | \(required)", (verb, name))
                self.assertLess(len(begin), 85)

    def test_words_of_open_options_stand_in_the_help(self):
        texts = {verb: help_of(verb) for verb in self.verbs}
        offers = re.findall(r"^complete -c croft -n '__croft_verb (\S+)'.* -l ([\w-]+)(?: -\w+)? -a '(.*?)'",
                            self.run_ok("completion", "fish"), re.M)
        kept = [(verb, words.split()) for verb, option, words in offers if option in OPEN]
        self.assertGreater(len(kept), len(OPEN))
        for verb, words in kept:
            for word in words:
                self.assertIn(word, texts[verb] + texts["infer"] + texts["logic"], verb)

    def test_manual_pages_say_what_help_says(self):
        for verb in self.verbs:
            with self.subTest(verb=verb):
                text, page = help_of(verb), self.run_ok("manual", verb)
                self.assertEqual("Usage: " + plain(re.search(r"\.SH SYNOPSIS\n(.*)", page)[1]),
                                 re.search(r"Usage: .*", text)[0])
                helps = {head: each if each.endswith(".") else each + "." for head, each in
                         entries_of_help(text).items()}
                self.assertEqual(entries_of_manual(page), helps)

    def test_man_reads_the_manual_pages(self):
        for verb in self.verbs:
            if shutil.which("man"):
                page = self.file("page.1", self.run_ok("manual", verb))
                done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page],
                                      capture_output=True, text=True)
                self.assertEqual(done.stderr, "", verb)
        whole = plain(self.run_ok("manual"))
        for name in ("--help", "--version", *(f"croft-{verb} (1)" for verb in self.verbs)):
            self.assertIn(name, whole)
        self.fails(WRONG_USAGE, "manual", "trian", mentions=["trian", '(did you mean "train"?)'])


if __name__ == "__main__":
    main()
