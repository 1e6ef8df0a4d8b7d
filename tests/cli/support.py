"""What the tests of the command line share: running croft, a folder for files, the shape of an error.

Environment: CROFT, the program to test; CROFT_DATA, the folder of larger data sets.
By hand: PYTHONPATH=tests/cli python3 tests/cli/FOLDER/NAME_test.py
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
INGREDIENTS = SOURCE / "examples" / "ingredients"
CROFT = os.environ.get("CROFT", str(SOURCE / "build" / "release" / "croft"))
DATA = pathlib.Path(os.environ.get("CROFT_DATA", SOURCE.parent / "shared" / "data"))

DONE, BAD_INPUT, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


def croft(*arguments, stdin=b"", env=None, timeout=600, stdout=subprocess.PIPE):
    """The finished process, stdout and stderr as bytes.  `env` is added to the environment."""
    command = [CROFT, *map(str, arguments)]
    return subprocess.run(command, input=stdin, stdout=stdout, stderr=subprocess.PIPE,
                          env={**os.environ, **(env or {})}, timeout=timeout, check=False)


def read_log(path):
    """The objects of a --log file: the iterations, and the last line."""
    lines = [json.loads(line) for line in pathlib.Path(path).read_text("utf-8").splitlines()]
    return lines[:-1], lines[-1]


def noise(sequences):
    """Sequences of ten words with labels that have nothing to do with them."""
    chance = random.Random(1)
    return "".join("".join(f"a{chance.randrange(40)} {chance.choice('AB')}\n" for _ in range(10)) + "\n"
                   for _ in range(sequences))


def sequences_of(text):
    """Rows of each sequence, without the blank lines between them."""
    return [block.split("\n") for block in text.strip("\n").split("\n\n")]


class CliTest(unittest.TestCase):
    """A test with a folder of its own."""

    maxDiff = 2000

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="croft-cli-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, name, content):
        """Writes `content`, text or bytes, and returns the path."""
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def run_ok(self, *arguments, **options):
        """stdout as text of a run that must succeed."""
        done = croft(*arguments, **options)
        self.assertEqual(done.returncode, DONE, (arguments, done.stderr.decode("utf-8", "replace")))
        return (done.stdout or b"").decode("utf-8")

    def train(self, model, *arguments, **options):
        """Trains quietly into the folder; the model's path."""
        path = self.folder / model
        self.run_ok("train", "--quiet", "-o", path, *arguments, **options)
        self.assertTrue(path.is_file())
        return path

    def fails(self, status, *arguments, mentions=(), **options):
        """Runs what must fail: the status, nothing on stdout, one line on stderr that has `mentions`."""
        done = croft(*arguments, **options)
        message = done.stderr.decode("utf-8", "replace")
        self.assertEqual(done.returncode, status, (arguments, message))
        self.assertFalse(done.stdout, arguments)
        self.assert_one_message(message, mentions)
        return message

    def assert_one_message(self, message, mentions=()):
        self.assertEqual(message.count("\n"), 1, message)
        self.assertTrue(message.startswith("croft: ") and message.endswith("\n"), message)
        for text in mentions:
            self.assertIn(str(text), message)

    def refuses_to_train(self, status, *arguments, mentions=(), **options):
        """A training that must fail without leaving a model, or part of one, behind."""
        before = sorted(self.folder.iterdir())
        message = self.fails(status, "train", "--quiet", "-o", self.folder / "refused.croft",
                             *arguments, mentions=mentions, **options)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        return message


def main():
    if not os.access(CROFT, os.X_OK):
        raise SystemExit(f"there is no program {CROFT}; name it in the environment variable CROFT")
    unittest.main(verbosity=2)
