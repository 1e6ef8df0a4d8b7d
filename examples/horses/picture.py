"""Images side by side: photograph, truth, and what each table of predictions says.

    python3 picture.py OUT.png DATABASE IMAGES TABLE ...

IMAGES: how many, spread evenly.  A row for each.  Needs numpy and PIL.
"""
import sqlite3
import sys

import numpy
from PIL import Image

ZOOM, GAP = 2, 4


def drawn(db, image, value):
    rows = db.execute(f"select row, column, {value} from pixel left join shown "
                      "on shown.domain = 'pixel' and shown.id = pixel.id where image = ? order by row, column", (image,)).fetchall()
    shape = rows[-1][0] + 1, rows[-1][1] + 1
    pixels = numpy.array([255 * row[2] for row in rows]).reshape(shape)
    return Image.fromarray(pixels.astype(numpy.uint8)).resize(
        (ZOOM * shape[1], ZOOM * shape[0]), Image.Resampling.NEAREST)


def main():
    out, database, count, *tables = sys.argv[1:]
    db = sqlite3.connect(database)
    images = [name for name, in db.execute("select distinct image from pixel order by image")]
    count = min(int(count), len(images))
    images = [images[k * len(images) // count] for k in range(count)]
    columns = []
    for value, table in [("grey", None), ("pixel.label = 'figure'", None),
                         *(("shown.label = 'figure'", table) for table in tables)]:
        db.execute("drop view if exists temp.shown")
        db.execute("create temp view shown as " + (
            f"select domain, id, label from {table}" if table else "select '' as domain, 0 as id, '' as label"))
        columns.append([drawn(db, image, value) for image in images])
    width = max(picture.width for picture in columns[0])
    heights = [picture.height for picture in columns[0]]
    sheet = Image.new("L", (len(columns) * (width + GAP) + GAP,
                            sum(heights) + GAP * (len(heights) + 1)), 160)
    for c, column in enumerate(columns):
        for r, picture in enumerate(column):
            sheet.paste(picture, (GAP + c * (width + GAP), GAP * (r + 1) + sum(heights[:r])))
    sheet.save(out)
    print(f"{out}: photograph, truth, {', '.join(tables)}")


main()
