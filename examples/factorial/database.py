"""Words with parts of speech and chunks (WORD POS CHUNK) as tables of a database.

    python3 database.py OUT.sqlite train.txt

token(id, sentence, position, word, pos, chunk)   sentence and position count from 0
feature(token, name)                              what is seen of a word and its neighbours
"""
import argparse
import itertools
import pathlib
import re
import sqlite3


def sentences(path):
    rows = []
    for line in itertools.chain(open(path, encoding="utf-8"), ["\n"]):
        cells = line.split()
        if cells:
            rows.append(cells[:3])
        elif rows:
            yield rows
            rows = []


def features(words, at):
    word = words[at]
    yield "word=" + word.lower()
    for length in (1, 2, 3):
        if len(word) > length + 1:
            yield "suffix=" + word[-length:].lower()
    if len(word) > 3:
        yield "prefix=" + word[:2].lower()
    if word[0].isupper():
        yield "capital" if at else "first capital"
    if re.search("[0-9]", word):
        yield "digit"
    if "-" in word:
        yield "hyphen"
    for step in (-1, 1):
        yield f"word[{step}]=" + (words[at + step].lower() if 0 <= at + step < len(words) else "(none)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("data")
    parser.add_argument("--limit", type=int, help="sentences that are read")
    options = parser.parse_args()
    options.out.unlink(missing_ok=True)
    db = sqlite3.connect(options.out)
    db.executescript("""
      create table token(id integer primary key, sentence integer, position integer, word text,
                         pos text, chunk text);
      create table feature(token integer, name text);
    """)
    token = 0
    for number, rows in enumerate(itertools.islice(sentences(options.data), options.limit)):
        words = [row[0] for row in rows]
        for at, row in enumerate(rows):
            db.execute("insert into token values (?, ?, ?, ?, ?, ?)", (token, number, at, *row))
            db.executemany("insert into feature values (?, ?)",
                           [(token, name) for name in features(words, at)])
            token += 1
    db.commit()


main()
