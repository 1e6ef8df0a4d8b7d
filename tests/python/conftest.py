"""Data that the tests of the Python package share."""
import random

import pytest

WORDS = ["the", "a", "old", "red", "cat", "dog", "sees", "likes", "Zürich", "Oslo"]
TAGS = {"the": "D", "a": "D", "old": "J", "red": "J", "cat": "N", "dog": "N", "sees": "V", "likes": "V",
        "Zürich": "N", "Oslo": "N"}


def sentences(count, seed, noise=0.05):
    """Words and their tags, now and then a wrong one."""
    generator = random.Random(seed)
    words = [[generator.choice(WORDS) for _ in range(generator.randint(1, 9))] for _ in range(count)]
    tags = [[generator.choice("DJNV") if generator.random() < noise else TAGS[word] for word in sentence]
            for sentence in words]
    return words, tags


def items(words):
    """Attributes of each position as dicts with every kind of value."""
    return [[{"word": word, "length": len(word) / 4, "upper": word[0].isupper(),
              "near": {"left": sentence[t - 1] if t else "^", "ends": [word[-1], word[-2:]]}}
             for t, word in enumerate(sentence)] for sentence in words]


@pytest.fixture(scope="session")
def data():
    words, y = sentences(120, 1)
    return items(words), y


@pytest.fixture(scope="session")
def new_data():
    words, y = sentences(40, 2)
    return items(words), y


class Number:
    """A number that does something when it is asked for."""

    def __init__(self, act):
        self.act = act

    def __float__(self):
        self.act()
        return 0.5
