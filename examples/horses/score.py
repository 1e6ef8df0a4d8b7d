"""Accuracy of pixels, and intersection over union of the figure, of tables of predictions.

    python3 score.py DATABASE TABLE ...
"""
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
print(f"{'':16}accuracy     IoU   IoU, mean of images")
for table in sys.argv[2:]:
    # Of each image: pixels, those that are right, figure in both, figure in either.
    counts = db.execute(f"""
        select count(*), sum(p.label = t.label),
               sum(p.label = 'figure' and t.label = 'figure'),
               sum(p.label = 'figure' or t.label = 'figure')
        from pixel t join {table} p using (id) group by image""").fetchall()
    pixels, right, both, either = map(sum, zip(*counts))
    mean = sum(b / e if e else 1 for _, _, b, e in counts) / len(counts)
    print(f"{table:16}{100 * right / pixels:6.2f} %  {both / either:.4f}   {mean:.4f}")
