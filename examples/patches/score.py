"""Patches that are right, of each label, and log-loss where there are marginals.

    python3 score.py DATABASE TABLE ...        tables that croft predict made
"""
import math
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
there = {name for name, in db.execute("select name from sqlite_master")}
labels = [name for name, in db.execute("select distinct label from patch order by label")]
print(f"{'':18}accuracy  log-loss" + "".join(f"{label:>9}" for label in labels))
for table in sys.argv[2:]:
    right = {label: share for label, share in db.execute(
        f"select t.label, avg(p.label = t.label) from patch t join {table} p "
        "on p.id = t.id and p.domain = 'patch' group by t.label")}
    accuracy, = db.execute(f"select avg(p.label = t.label) from patch t join {table} p "
                           "on p.id = t.id and p.domain = 'patch'").fetchone()
    loss = "        "
    if f"{table}_marginals" in there:
        rows = db.execute(f"select m.probability from patch t join {table}_marginals m "
                          "on m.id = t.id and m.domain = 'patch' and m.label = t.label").fetchall()
        loss = f"{sum(-math.log(p) for p, in rows) / len(rows):8.4f}"
    print(f"{table:16}{100 * accuracy:8.2f} %  {loss}"
          + "".join(f"{100 * right[label]:7.1f} %" for label in labels))
