"""How many words have the right part of speech, the right chunk, and both.

    croft predict -m m.croft --database test.sqlite --table
    python3 score.py test.sqlite [TABLE_OF_POS TABLE_OF_CHUNKS]
"""
import sqlite3
import sys


def right(db, domain, table):
    return dict(db.execute(f"""
        select t.id, p.label = t.{domain} from {table} p join token t on t.id = p.id
        where p.domain = '{domain}'"""))


def main():
    database, *tables = sys.argv[1:]
    db = sqlite3.connect(database)
    pos, chunk = (right(db, *one) for one in zip(("pos", "chunk"), tables or ["predictions"] * 2))
    assert pos.keys() == chunk.keys(), "both tables are to have the same words"
    both = {token: pos[token] and chunk[token] for token in pos}
    for name, found in (("part of speech", pos), ("chunk", chunk), ("both", both)):
        print(f"{name:15} {100 * sum(found.values()) / len(found):6.2f} %")


main()
