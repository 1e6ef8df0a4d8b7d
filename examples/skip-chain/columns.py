"""Predictions in a database as columns (WORD LABEL PREDICTED), for croft evaluate.

    croft predict -m m.croft --database test.sqlite --table
    python3 columns.py test.sqlite | croft evaluate
"""
import sqlite3
import sys


def main():
    db = sqlite3.connect(sys.argv[1])
    last = 0
    for sentence, *row in db.execute("""
        select t.sentence, t.word, t.label, p.label
        from token t join predictions p on p.id = t.id order by t.id"""):
        if sentence != last:
            print()
        print(*row, sep="\t")
        last = sentence


main()
