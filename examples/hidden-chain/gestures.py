"""Streams of gestures for a chain with hidden states.  The standard library alone.

    gestures.py STREAMS SEED > DATA        columns: what a frame shows, the gesture

A stream is one to four gestures.  A gesture passes through three postures, each for some frames; a frame shows its
posture, or in one of five cases any.  All gestures have the same postures, in other orders: no frame says which it is.
"""

import random
import sys

GESTURES = {"wave": "pqr", "push": "rqp", "grab": "qrp", "turn": "prq"}
NOISE = 0.2


def frames_of(gesture, chance):
    for posture in GESTURES[gesture]:
        for _ in range(chance.randint(3, 8)):
            yield chance.choice("pqr") if chance.random() < NOISE else posture


def main(streams, seed):
    chance = random.Random(seed)
    for _ in range(streams):
        for _ in range(chance.randint(1, 4)):
            gesture = chance.choice(sorted(GESTURES))
            for shown in frames_of(gesture, chance):
                print(f"{shown}\t{gesture}")
        print()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]))
