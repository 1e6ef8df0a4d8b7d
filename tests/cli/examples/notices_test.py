"""examples/notices: the ten commands of its page print what the page says; its data is what the page says, too."""

import os
import pathlib
import re
import shutil
import subprocess

from support import CROFT, SOURCE, CliTest, main

EXAMPLE = SOURCE / "examples" / "notices"
NUMBER = re.compile(r"([-+]?\d+\.\d+)")


def blocks(page, language):
    """What stands between the fences of this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def commands(page):
    """Pairs of a command, which may go on over lines, and of what it prints."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            end = next(k for k, line in enumerate(lines) if not line.endswith(("\\", "|"))) + 1
            yield "\n".join(lines[:end]), "\n".join(lines[end:])


class NoticesTest(CliTest):
    def assert_as_said(self, found, said, command=""):
        """Equal, but for what … leaves out; numbers with a point may differ a little, as they do between processors."""
        pattern = re.escape(NUMBER.sub("#", said.strip("\n"))).replace("…", ".*?")
        self.assertRegex(NUMBER.sub("#", found.strip("\n")), re.compile(f"^{pattern}$", re.DOTALL), command)
        for one, other in zip(NUMBER.findall(found), NUMBER.findall(said)):
            self.assertAlmostEqual(float(one), float(other), delta=0.02 + 0.005 * abs(float(other)), msg=command)

    def test_the_commands_print_what_the_page_says(self):
        page = (EXAMPLE / "README.md").read_text("utf-8")
        folder = self.folder / "notices"
        shutil.copytree(EXAMPLE, folder)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "croft").symlink_to(pathlib.Path(CROFT).resolve())
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        run = list(commands(page))
        self.assertEqual(len(run), 10)
        for command, said in run:
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, timeout=120, text=True,
                                  env={**os.environ, "PATH": path}, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, (command, done.stdout))
            self.assert_as_said(done.stdout, said, command)
        card = (folder / "lists.md").read_text("utf-8")
        for lines in blocks(page, "markdown"):
            for part in lines.strip("\n").split("\n\n"):
                shown = next(each for each in card.split("\n\n") if each[:20] == part[:20])
                self.assert_as_said(shown, part, "card")

    def test_names_are_where_the_annotations_say(self):
        page = (EXAMPLE / "README.md").read_text("utf-8")
        for name in "train", "test":
            text = (EXAMPLE / f"{name}.txt").read_text("utf-8")
            marked = [line.split("\t") for line in (EXAMPLE / f"{name}.ann").read_text("utf-8").splitlines()]
            for _, place, shown in marked:
                kind, begin, end = place.split()
                self.assertIn(kind, ("PER", "LOC", "ORG", "DATE"))
                self.assertEqual(text[int(begin):int(end)], shown)
            documents = text.split("\n").count("-DOCSTART-")
            self.assertRegex(page, rf"`{name}.ann` \| {documents} notices .* {len(marked)} names")


if __name__ == "__main__":
    main()
