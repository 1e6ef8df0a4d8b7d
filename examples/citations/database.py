"""Makes papers that cite each other, and their words, as tables of a database.

    python3 database.py OUT.sqlite --papers 1000 --seed 1

paper(id, field, known)  known: whether the field may be looked at when others are predicted
word(paper, term)        a few terms are likelier in a field than elsewhere
cites(source, target)    source < target, whoever cites whom; most are of the same field
"""
import argparse
import pathlib
import random
import sqlite3

FIELDS = ["theory", "vision", "language", "robots", "genes"]
TERMS = 400
TYPICAL = 40  # terms of a field that are likelier in its papers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--papers", type=int, default=1000)
    parser.add_argument("--words", type=int, default=12, help="terms of a paper")
    parser.add_argument("--citations", type=int, default=3, help="of a paper, at most")
    parser.add_argument("--own", type=float, default=0.6,
                        help="share of citations that are of the same field on purpose")
    parser.add_argument("--known", type=float, default=0.3, help="share of papers")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    language = random.Random(0)  # which terms are typical: the same for all seeds
    typical = {field: language.sample(range(TERMS), TYPICAL) for field in FIELDS}

    fields = [rng.choice(FIELDS) for _ in range(options.papers)]
    options.out.unlink(missing_ok=True)
    db = sqlite3.connect(options.out)
    db.executescript("""
      create table paper(id integer primary key, field text, known integer);
      create table word(paper integer, term text);
      create table cites(source integer, target integer, unique(source, target));
    """)
    by_field = {field: [p for p, f in enumerate(fields) if f == field] for field in FIELDS}
    for paper, field in enumerate(fields):
        known = int(rng.random() < options.known)
        db.execute("insert into paper values (?, ?, ?)", (paper, field, known))
        terms = {rng.choice(typical[field]) if rng.random() < 0.25 else rng.randrange(TERMS)
                 for _ in range(options.words)}
        db.executemany("insert into word values (?, ?)", [(paper, f"t{t}") for t in sorted(terms)])
        for _ in range(rng.randint(1, options.citations)):
            own = rng.random() < options.own
            target = rng.choice(by_field[field]) if own else rng.randrange(options.papers)
            if target != paper:
                pair = (min(paper, target), max(paper, target))
                db.execute("insert or ignore into cites values (?, ?)", pair)
    db.commit()


main()
