"""Photographs with figure and ground as tables of pixels and of pairs of neighbours.

    python3 database.py OUT.sqlite FOLDER [--images 1:100] [--side 48]

FOLDER has gray/ and mask/, files of the same names.
pixel(id, image, row, column, label, border, place, grey, ...)   a row for each pixel
pair(a, b, image, way, contrast, product)                        neighbours: to the right, below
Needs numpy and PIL.
"""
import argparse
import pathlib
import sqlite3

import numpy
from PIL import Image

BINS = 5    # of a histogram
PLACES = 8  # cells of an image, across and down


def scaled(path, side):
    """[rows, columns] in 0 ... 1: the picture, its longer side of so many pixels."""
    picture = Image.open(path).convert("L")
    scale = side / max(picture.size)
    size = tuple(max(1, round(length * scale)) for length in picture.size)
    return numpy.asarray(picture.resize(size, Image.Resampling.BOX), dtype=float) / 255


def around(grey, reach=2):
    """[rows, columns, 25]: the 5 x 5 pixels around each; the image's edge is repeated."""
    width = 2 * reach + 1
    windows = numpy.lib.stride_tricks.sliding_window_view(
        numpy.pad(grey, reach, mode="edge"), (width, width))
    return windows.reshape(*grey.shape, -1)


def pixel_features(grey):
    """Columns of the table, by name: each [rows, columns]."""
    windows = around(grey)
    down, right = numpy.gradient(grey)
    rows, columns = grey.shape
    y, x = numpy.mgrid[0:rows, 0:columns]
    border = numpy.full(grey.shape, None, dtype=object)
    border[0], border[-1], border[:, 0], border[:, -1] = "top", "bottom", "left", "right"
    features = {
        "border": border,  # the neighbour outside is ground: a label known at the image's edge
        "place": PLACES * (PLACES * y // rows) + PLACES * x // columns,
        "grey": grey,
        "relative": (grey - grey.mean()) / (grey.std() + 1e-6),
        "mean": windows.mean(axis=2),
        "spread": windows.std(axis=2),
        "right": numpy.abs(right),
        "down": numpy.abs(down),
        "gradient": numpy.hypot(down, right),
    }
    bin_of = numpy.minimum((windows * BINS).astype(int), BINS - 1)
    for k in range(BINS):
        features[f"bin{k}"] = (bin_of == k).mean(axis=2)
    return features


def rows_of(columns):
    return zip(*(column.ravel().tolist() for column in columns))


def pairs(grey, ids):
    """Rows of neighbours: contrast exp(-beta |x_a - x_b|^2), 1 / beta twice the mean square."""
    across, down = numpy.diff(grey, axis=1) ** 2, numpy.diff(grey, axis=0) ** 2
    beta = 0.5 / (numpy.concatenate([across.ravel(), down.ravel()]).mean() + 1e-12)
    for way, square, here, there in (("right", across, numpy.s_[:, :-1], numpy.s_[:, 1:]),
                                     ("down", down, numpy.s_[:-1, :], numpy.s_[1:, :])):
        for a, b, *numbers in rows_of([ids[here], ids[there], numpy.exp(-beta * square),
                                       grey[here] * grey[there]]):
            yield a, b, way, *numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--images", default="1:100", help="first:last of the files by name")
    parser.add_argument("--side", type=int, default=48, help="pixels of the longer side")
    options = parser.parse_args()
    first, last = map(int, options.images.split(":"))
    names = sorted(path.name for path in (options.folder / "gray").iterdir())[first - 1:last]

    options.out.unlink(missing_ok=True)
    db = sqlite3.connect(options.out)
    next_id = 0
    for name in names:
        grey = scaled(options.folder / "gray" / name, options.side)
        mask = scaled(options.folder / "mask" / name, options.side) > 0.5
        features = pixel_features(grey)
        if next_id == 0:
            db.execute("create table pixel(id integer primary key, image, row, column, label, "
                       + ", ".join(features) + ")")
            db.execute("create table pair(a, b, image, way, contrast, product)")
        ids = numpy.arange(grey.size).reshape(grey.shape) + next_id
        next_id += grey.size
        y, x = numpy.mgrid[0:grey.shape[0], 0:grey.shape[1]]
        labels = numpy.where(mask, "figure", "ground")
        db.executemany(f"insert into pixel values (?{', ?' * (len(features) + 4)})",
                       ((row[0], name, *row[1:])
                        for row in rows_of([ids, y, x, labels, *features.values()])))
        db.executemany("insert into pair values (?, ?, ?, ?, ?, ?)",
                       ((a, b, name, *rest) for a, b, *rest in pairs(grey, ids)))
    db.commit()
    print(f"{len(names)} images, {next_id} pixels in {options.out}")


main()
