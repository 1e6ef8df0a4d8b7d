"""Sentences with people and towns, and a template whose segments find them."""

import random

FIRST = ["Anna", "Otto", "Ida", "Max"]
LAST = ["Berg", "Feld", "Stein"]
TOWNS = [["New", "Ham"], ["Ulm"], ["Bad", "Sulz", "am", "See"], ["Kiel"]]
OTHERS = ["saw", "met", "and", "in", "near", "the", "of", "am", "a"]
TEMPLATE = "U1:%length\nU2:%lower\nU3:%last[1,0]\nU4:%seen[fold]\n"


def sentences(count, seed, label=lambda kind, k, d: ("B-" if k == 0 else "I-") + kind):
    """Columns: words with people and towns among them."""
    draw = random.Random(seed)
    blocks = []
    for _ in range(count):
        rows = []
        for _ in range(draw.randint(2, 5)):
            kind = draw.choice(["PER", "LOC", None, None])
            words = ([draw.choice(FIRST), draw.choice(LAST)][:draw.randint(1, 2)] if kind == "PER"
                     else draw.choice(TOWNS) if kind else [draw.choice(OTHERS)])
            rows += [(w, label(kind, k, len(words)) if kind else "O") for k, w in enumerate(words)]
        blocks.append("".join(f"{word} {tag}\n" for word, tag in rows))
    return "\n".join(blocks) + "\n"
