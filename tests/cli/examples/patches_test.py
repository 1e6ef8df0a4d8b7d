"""examples/patches: max-margin training and cuts, beside likelihoods, on grids of patches."""

import re
import subprocess

from support import CROFT, SOURCE, CliTest, main

DEMO = SOURCE / "examples" / "patches" / "demo.sh"


class PatchesTest(CliTest):
    def test_the_demo_shows_what_its_readme_says(self):
        done = subprocess.run([DEMO, CROFT, self.folder], check=True, stdout=subprocess.PIPE,
                              text=True, timeout=280)
        accuracy = {name: float(figure) for name, figure in
                    re.findall(r"^(\w+) +([\d.]+) %", done.stdout, re.MULTILINE)}
        loss = {name: float(figure) for name, figure in
                re.findall(r"^(\w+) +[\d.]+ % +(\d\.\d+)", done.stdout, re.MULTILINE)}
        two_labels = done.stdout.split("4. Four labels")[0]
        weights = [float(w) for w in
                   re.findall(r"^clique\t.*\t(-?[\d.]+(?:e-?\d+)?)$", two_labels, re.MULTILINE)]
        self.assertEqual(len(weights), 8)
        likelihood, pseudo, margin, joint = (weights[k:k + 2] for k in range(0, 8, 2))

        self.assertLess(loss["likelihood"], min(loss["pseudo"], loss["margin"]))
        for other in (pseudo, margin, joint):
            self.assertGreater(max(abs(a - b) for a, b in zip(likelihood, other)), 0.05)
        for weight, known in zip(margin, (1, 0)):  # the minimum, by its gap
            self.assertAlmostEqual(weight, known, places=6)

        self.assertGreater(accuracy["land_margin"], accuracy["land_bethe"])
        self.assertGreater(accuracy["land_bethe"], accuracy["alone"] + 10)
        self.assertLess(accuracy["land_pseudo"], accuracy["alone"])


if __name__ == "__main__":
    main()
