"""Documents of made-up people and places, as columns with a mark before each."""

import random


def documents(count, seed, shared=4):
    """Names are made up for each document: some sentences say what a name is, others do not."""
    generator = random.Random(seed)
    def name():
        return "".join(generator.choice("bdfgklmnprst") + generator.choice("aeiou") for _ in range(3)).capitalize()
    out = []
    for _ in range(count):
        person, place = name(), name()
        lines = ["-DOCSTART- O\n"]
        told = [f"Mr O|{person} B-PER|came O", f"in O|{place} B-LOC|today O"]
        untold = [f"about O|{person} B-PER|again O", f"about O|{place} B-LOC|again O"] * shared
        sentences = told + untold
        generator.shuffle(sentences)
        lines += [sentence.replace("|", "\n") + "\n" for sentence in sentences]
        out.append(lines)
    return out


def text_of(docs):
    return "".join("\n".join(doc) + "\n" for doc in docs)
