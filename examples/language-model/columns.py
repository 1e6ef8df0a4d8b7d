#!/usr/bin/env python3
"""Cuts text (sentences.py) into train.txt, held.txt and test.txt, columns WORD CLASS WORD, and writes
classes.tsv, the class of each word of the vocabulary.

  examples/language-model/columns.py TEXT FOLDER [MIN_COUNT]

A section is a sequence; every tenth goes to held.txt, the one after it to test.txt.  The vocabulary is
what train.txt has MIN_COUNT times (3) or more; every other word, in all files, is <unk>.  </s> ends a
sentence, and is predicted as a word is.
"""
import collections
import os
import sys

CLOSED = {
    "article": "a an the this that these those each every any no some both all another such",
    "preposition": "of in to for with by from on at as than over under between into about without "
                   "before after within through against along beside per",
    "conjunction": "and or but if where when while because so since though whether unless until",
    "pronoun": "it its they them their which what who whose one ones itself there he you your we our",
    "auxiliary": "is are was were be been being has have had does do did can could may might must will "
                 "would should cannot",
    "adverb": "not only also then too here now more most less least very as still once again never "
              "always just as",
}


def word_class(word):
    if not word[0].isalpha():
        return word
    for name, words in CLOSED.items():
        if word in words.split():
            return name
    for ending, name in (("ly", "adverb"), ("ing", "ing"), ("ed", "ed"), ("s", "s")):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return name
    return "word"


def main(text, folder, min_count=3):
    os.makedirs(folder, exist_ok=True)
    sections = [s.split("\n") for s in open(text, encoding="utf-8").read().strip().split("\n\n")]
    parts = {"train": [], "held": [], "test": []}
    for number, section in enumerate(sections):
        words = [w for sentence in section for w in sentence.split() + ["</s>"]]
        parts[{8: "held", 9: "test"}.get(number % 10, "train")].append(words)
    counts = collections.Counter(w for section in parts["train"] for w in section)
    known = {w for w, n in counts.items() if n >= int(min_count)}
    for name, part in parts.items():
        with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as out:
            for section in part:
                for word in section:
                    word = word if word in known else "<unk>"
                    out.write(f"{word} {word_class(word)} {word}\n")
                out.write("\n")
    with open(os.path.join(folder, "classes.tsv"), "w", encoding="utf-8") as out:
        for word in sorted(known | {"<unk>"}):
            out.write(f"{word}\t{word_class(word)}\n")
    tokens = {name: sum(map(len, part)) for name, part in parts.items()}
    print(f"{tokens['train']} tokens to train on, {tokens['held']} held out, {tokens['test']} to test; "
          f"{len(known) + 1} words")


main(*sys.argv[1:])
