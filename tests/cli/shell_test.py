"""croft completion and croft manual: all options of --help, in words that bash and man take."""

import re
import shutil
import subprocess

from support import WRONG_USAGE, CliTest, croft, main


def options_of(verb):
    """The long options that help lists."""
    return set(re.findall(r"^ *(?:-\w,)?(--[a-z][a-z0-9-]*)", croft(verb, "--help").stdout.decode(), re.M))


class ShellTest(CliTest):

    @classmethod
    def setUpClass(cls):
        text = croft("--help").stdout.decode()
        cls.verbs = re.findall(r"^  ([a-z-]+) {2,}", text[text.index("Subcommands"):text.index("Example")], re.M)

    def complete(self, *words):
        script = self.file("croft.bash", self.run_ok("completion", "bash"))
        quoted = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(["bash", "-c", f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1};"
                               '_croft 2> /dev/null; printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True,
                              check=True, cwd=self.folder)
        return done.stdout.split()

    def test_bash_completes_verbs_options_and_values(self):
        self.assertGreater(len(self.verbs), 15)
        self.assertEqual(set(self.complete("croft", "")), {*self.verbs, "--help", "--version"})
        for verb in self.verbs:
            found = set(self.complete("croft", verb, "--"))
            self.assertLessEqual(options_of(verb), found, verb)
        self.assertEqual(self.complete("croft", "train", "--model", "max"), ["maxent"])
        self.assertEqual(self.complete("croft", "train", "--model", "=", "max"), ["maxent"])
        self.file("some.txt", "")
        self.assertIn("some.txt", self.complete("croft", "train", "--template", "so"))
        self.assertEqual(self.complete("croft", "train", "--l2", ""), [])

    def test_the_other_shells_read_theirs(self):
        for shell in ("zsh", "fish"):
            text = self.run_ok("completion", shell)
            for verb in self.verbs:
                self.assertIn(verb, text)
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.file(shell, text)], check=True)
        self.fails(WRONG_USAGE, "completion", "tcsh", mentions=["bash, zsh, fish"])

    def test_manual_pages_have_every_option_and_man_reads_them(self):
        for verb in self.verbs:
            page = self.run_ok("manual", verb)
            plain = page.replace("\\-", "-")
            for option in options_of(verb) - {"--help"}:
                self.assertIn(option, plain, verb)
            if shutil.which("man"):
                done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z",
                                       self.file("page.1", page)], capture_output=True, text=True)
                self.assertEqual(done.stderr, "", verb)
        whole = self.run_ok("manual").replace("\\-", "-")
        for verb in self.verbs:
            self.assertIn(f"croft-{verb} (1)", whole)
        self.fails(WRONG_USAGE, "manual", "trian", mentions=["trian"])


if __name__ == "__main__":
    main()
