"""Words with labels (WORD LABEL, a blank line after each line) as tables of a database, and as attributes.

    python3 database.py train.txt OUT.sqlite OUT.attributes

token(id, line, position, word, label)   line and position count from 0
feature(token, name)                     what is seen of a word and its neighbours
OUT.attributes has the same features in the format of croft train --format attributes.
"""
import itertools
import pathlib
import sqlite3
import sys


def lines(path):
    rows = []
    for line in itertools.chain(open(path, encoding="utf-8"), ["\n"]):
        cells = line.split()
        if cells:
            rows.append(cells)
        elif rows:
            yield rows
            rows = []


def features(words, at):
    word = words[at].lower()
    yield "word=" + word
    yield "suffix=" + word[-2:]
    if any(c.isdigit() for c in word):
        yield "digit"
    yield "before=" + (words[at - 1].lower() if at > 0 else "(none)")
    yield "after=" + (words[at + 1].lower() if at + 1 < len(words) else "(none)")


def main():
    data, database, attributes = map(pathlib.Path, sys.argv[1:])
    database.unlink(missing_ok=True)
    db = sqlite3.connect(database)
    db.executescript("""
      create table token(id integer primary key, line integer, position integer, word text, label text);
      create table feature(token integer, name text);
    """)
    token = 0
    with open(attributes, "w", encoding="utf-8") as out:
        for number, rows in enumerate(lines(data)):
            words = [row[0] for row in rows]
            for at, (word, label) in enumerate(rows):
                names = list(features(words, at))
                db.execute("insert into token values (?, ?, ?, ?, ?)", (token, number, at, word, label))
                db.executemany("insert into feature values (?, ?)", [(token, name) for name in names])
                escaped = [name.replace("\\", "\\\\").replace(":", "\\:") for name in names]
                print(label, *escaped, sep="\t", file=out)
                token += 1
            print(file=out)
    db.commit()


main()
