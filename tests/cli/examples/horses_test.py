"""examples/horses: a grid beats pixels by themselves, on images made and on photographs."""

import re
import shutil
import subprocess
import unittest

from support import CROFT, DATA, SOURCE, CliTest, main

DEMO = SOURCE / "examples" / "horses" / "demo.sh"


def python_draws():
    """Whether one of the Pythons that the demo tries has numpy and PIL."""
    for python in ("python3", "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", "import numpy, PIL"], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0:
                return True
        except FileNotFoundError:
            continue
    return False


@unittest.skipUnless(python_draws(), "needs numpy and PIL: python3-numpy, python3-pil")
class HorsesTest(CliTest):
    def scores(self, *images):
        done = subprocess.run([DEMO, CROFT, self.folder, *images], check=True,
                              stdout=subprocess.PIPE, text=True, timeout=280)
        self.assertTrue((self.folder / "horses.png").read_bytes().startswith(b"\x89PNG"))
        return {name: (float(accuracy), float(overlap)) for name, accuracy, overlap in
                re.findall(r"^(\w+) +([\d.]+) % +([\d.]+) ", done.stdout, re.MULTILINE)}

    def test_a_grid_beats_single_pixels_and_the_potts_model_on_images_made(self):
        scores = self.scores()
        for k in (0, 1):
            self.assertGreater(scores["grid"][k], scores["independent"][k])
            self.assertGreater(scores["grid"][k], scores["potts"][k])

    @unittest.skipUnless((DATA / "horses").is_dir(), "CROFT_DATA names the folder of the data")
    def test_a_grid_beats_single_pixels_and_the_potts_model_on_horses(self):
        some = self.folder / "some"  # half: quicker
        for kind in ("gray", "mask"):
            (some / kind).mkdir(parents=True)
            for image in sorted((DATA / "horses" / kind).iterdir())[::2]:
                shutil.copy(image, some / kind)
        scores = self.scores(some)
        self.assertGreater(scores["grid"][0], 89)
        self.assertGreater(scores["grid"][1], 0.62)
        for k in (0, 1):
            self.assertGreater(scores["grid"][k], scores["independent"][k])
            self.assertGreater(scores["grid"][k], scores["potts"][k])


if __name__ == "__main__":
    main()
