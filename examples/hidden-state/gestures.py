"""Makes the gestures of this example, and scores predictions of them.  The standard library alone.

    gestures.py make FOLDER [SEED [GESTURES]]   frame.csv and gesture.csv in FOLDER/train and FOLDER/test
    gestures.py score FOLDER < PREDICTIONS      of croft predict, against FOLDER/gesture.csv

A gesture passes through three postures, each for some frames; a frame shows its posture, or noise.  Gestures are made
of the same postures in other orders: what a frame shows says nothing of its gesture, and its neighbours say little,
since a posture lasts longer than a few frames.
"""

import collections
import csv
import pathlib
import random
import sys

GESTURES = {"wave": "pqr", "push": "rqp", "grab": "qrp", "turn": "prq"}
POSTURES = "pqr"
NOISE = 0.2


def frames_of(gesture, chance):
    shown = ""
    for posture in GESTURES[gesture]:
        for _ in range(chance.randint(3, 8)):
            shown += chance.choice(POSTURES) if chance.random() < NOISE else posture
    return shown


def write(path, header, rows):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def make(folder, seed, gestures):
    chance = random.Random(seed)
    for part, count in (("train", gestures), ("test", 5 * gestures)):
        (folder / part).mkdir(parents=True, exist_ok=True)
        labels = [chance.choice(sorted(GESTURES)) for _ in range(count)]
        frames = []
        for n, label in enumerate(labels):
            shown = frames_of(label, chance)
            for t, posture in enumerate(shown):
                frames.append([f"{n}-{t}", n, t, posture, shown[max(t - 2, 0):t], shown[t + 1:t + 3],
                               label])
        write(folder / part / "gesture.csv", ["id", "label"], enumerate(labels))
        write(folder / part / "frame.csv",
              ["id", "gesture", "time", "posture", "before", "after", "label"], frames)
        print(f"{part}: {count} gestures, {len(frames)} frames")


def score(folder):
    """Of predictions of gestures, or of frames: the label that most of a gesture's frames have."""
    with (folder / "gesture.csv").open(newline="") as file:
        truth = {row["id"]: row["label"] for row in csv.DictReader(file)}
    votes = collections.defaultdict(collections.Counter)
    for line in sys.stdin:
        cells = line.rstrip("\n").split("\t")
        if cells[0] == "gesture":  # the domain first, where there are two
            votes[cells[1]][cells[2]] += 1
        elif cells[0] != "state":
            votes[cells[0].split("-")[0]][cells[1]] += 1
    right = sum(found.most_common(1)[0][0] == truth[n] for n, found in votes.items())
    print(f"{right} of {len(truth)} gestures are right, {right / len(truth):.1%}")


def main(verb, folder, *arguments):
    if verb == "make":
        seed, gestures = [int(a) for a in arguments] + [1, 100][len(arguments):]
        make(pathlib.Path(folder), seed, gestures)
    elif verb == "score":
        score(pathlib.Path(folder))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
