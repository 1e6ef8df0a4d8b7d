"""Named entities (WORD ... LABEL, a blank line after each sentence) as tables of a database.

    python3 database.py OUT.sqlite --group 20 train.txt

token(id, document, sentence, position, word, label)  sentence and position count from 0
feature(token, name)                                  what is seen of a word and its neighbours
The data has no documents: each 20 sentences that follow one another are taken for one.
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
            rows.append((cells[0], cells[-1]))
        elif rows:
            yield rows
            rows = []


def shape(word):
    kinds = re.sub("[a-zñçà-öø-ÿ]", "a", re.sub("[A-ZÑÇÀ-ÖØ-Þ]", "A", re.sub("[0-9]", "0", word)))
    return re.sub(r"(.)\1+", r"\1", kinds)


def features(words, at):
    word = words[at]
    yield "word=" + word
    yield "lower=" + word.lower()
    yield "shape=" + shape(word)
    for length in (2, 3, 4):
        if len(word) > length:
            yield "prefix=" + word[:length].lower()
            yield "suffix=" + word[-length:].lower()
    for step in (-2, -1, 1, 2):
        other = words[at + step].lower() if 0 <= at + step < len(words) else "(none)"
        yield f"lower[{step}]={other}"
        if abs(step) == 1:
            yield f"shape[{step}]=" + (shape(words[at + step]) if 0 <= at + step < len(words) else "(none)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--group", type=int, default=20, help="sentences that make a document")
    parser.add_argument("--limit", type=int, help="sentences that are read")
    options = parser.parse_args()
    options.out.unlink(missing_ok=True)
    db = sqlite3.connect(options.out)
    db.executescript("""
      create table token(id integer primary key, document integer, sentence integer,
                         position integer, word text, label text);
      create table feature(token integer, name text);
    """)
    token = 0
    every = itertools.chain.from_iterable(map(sentences, options.data))
    for number, rows in enumerate(itertools.islice(every, options.limit)):
        words = [word for word, _ in rows]
        for at, (word, label) in enumerate(rows):
            db.execute("insert into token values (?, ?, ?, ?, ?, ?)",
                       (token, number // options.group, number, at, word, label))
            db.executemany("insert into feature values (?, ?)",
                           [(token, name) for name in features(words, at)])
            token += 1
    db.execute("create index by_word on token(document, word)")
    db.commit()


main()
