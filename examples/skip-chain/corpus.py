"""A corpus made up at random, in columns (WORD LABEL, a blank line after each sentence).

    python3 corpus.py OUT.txt --documents 60 --seed 1

A document is six sentences about a person, a town and a firm, whose names are made up for it. Each
is named in a sentence that tells what it is, and in another that could be about any of them.
"""
import argparse
import pathlib
import random

TELLING = {
    "PER": ["Mr {} smiled and left .", "the singer {} was ill .", "{} , aged 40 , spoke first ."],
    "LOC": ["it rained in {} all day .", "the mayor of {} was ill .", "roads near {} were closed ."],
    "ORG": ["shares of {} fell again .", "{} Ltd hired ten people .", "the board of {} met ."],
}
OPEN = ["{} was in the news .", "nobody had heard of {} before .", "they wrote about {} again .",
        "it was all about {} this time .", "{} had a good year ."]
SYLLABLES = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zan", "der", "fil"]


def name(draw):
    return "".join(draw.choices(SYLLABLES, k=3)).capitalize()


def document(draw):
    sentences = []
    for kind, telling in TELLING.items():
        each = name(draw)
        sentences += [(draw.choice(telling), kind, each), (draw.choice(OPEN), kind, each)]
    draw.shuffle(sentences)
    return sentences


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with open(options.out, "w", encoding="utf-8") as out:
        for _ in range(options.documents):
            for text, kind, each in document(draw):
                for word in text.split():
                    print(*((each, "B-" + kind) if word == "{}" else (word, "O")), file=out)
                print(file=out)


main()
