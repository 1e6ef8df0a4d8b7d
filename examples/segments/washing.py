"""A washing machine by its noises: data for examples/segments.

    washing.py make FOLDER [SEED]     writes train.columns and test.columns

A machine washes, rinses and spins.  Washing and rinsing make the same noises; but washing takes seven minutes or
so, rinsing three, and which of them comes when is left to chance.  One line is a minute: noise, phase.
"""

import pathlib
import random
import sys

NOISES = {"wash": ["slosh", "hum", "slosh", "click"], "rinse": ["slosh", "hum", "slosh", "click"],
          "spin": ["whirr", "hum", "whirr", "rattle"], "pause": ["silence", "hum", "silence", "click"]}
MINUTES = {"wash": (6, 8), "rinse": (2, 4), "spin": (2, 5), "pause": (1, 3)}


def programme(draw):
    """Phases with their minutes: after washing or rinsing there is a pause or a spin."""
    phases = []
    for _ in range(draw.randint(3, 6)):
        phases.append(draw.choice(["wash", "rinse"]))
        phases.append(draw.choice(["pause", "spin"]))
    return [(phase, draw.randint(*MINUTES[phase])) for phase in phases]


def make(folder, seed):
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    for part, count in (("train", 150), ("test", 100)):
        with open(folder / f"{part}.columns", "w", encoding="utf-8") as out:
            for _ in range(count):
                for phase, minutes in programme(draw):
                    for _ in range(minutes):
                        out.write(f"{draw.choice(NOISES[phase])} {phase}\n")
                out.write("\n")


def main(arguments):
    if len(arguments) < 2 or arguments[0] != "make":
        sys.exit(__doc__)
    make(pathlib.Path(arguments[1]), int(arguments[2]) if len(arguments) > 2 else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
