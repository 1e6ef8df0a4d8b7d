"""Images side by side: photograph, truth, and what each table of predictions says.

    python3 picture.py OUT.png DATABASE IMAGES TABLE ...

IMAGES: how many, spread evenly.  A row for each.  Needs numpy and PIL.
"""
import sqlite3
import sys

import numpy
from PIL import Image

ZOOM, GAP = 2, 4


def drawn(rows):
    """An image of rows (row, column, value in 0 ... 1), in order."""
    shape = rows[-1][0] + 1, rows[-1][1] + 1
    pixels = numpy.array([255 * value for _, _, value in rows]).reshape(shape)
    return Image.fromarray(pixels.astype(numpy.uint8)).resize(
        (ZOOM * shape[1], ZOOM * shape[0]), Image.Resampling.NEAREST)


def main():
    out, database, count, *tables = sys.argv[1:]
    db = sqlite3.connect(database)
    images = [name for name, in db.execute("select distinct image from pixel order by image")]
    count = min(int(count), len(images))
    pixels = [db.execute("select row, column, id, grey, label from pixel where image = ? "
                         "order by row, column", (images[k * len(images) // count],)).fetchall()
              for k in range(count)]
    columns = [[drawn([(r, c, grey) for r, c, _, grey, _ in image]) for image in pixels],
               [drawn([(r, c, label == "figure") for r, c, _, _, label in image])
                for image in pixels]]
    for table in tables:
        label_of = dict(db.execute(f"select id, label from {table}"))
        columns.append([drawn([(r, c, label_of[id_] == "figure") for r, c, id_, _, _ in image])
                        for image in pixels])
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
