"""Makes pictures of patches as tables: seen from above, a grid of patches, each of one label.

    python3 patches.py FOLDER [SEED]

FOLDER/grass-{train,test}.sqlite: two labels, grass and other, 8 x 8
FOLDER/land-{train,test}.sqlite: four labels, 16 x 16
  patch(id, grid, row, column, label, ...)   pair(a, b): neighbours, to the right and below
"""
import pathlib
import random
import sqlite3
import sys


def smooth(side, times):
    """Noise whose neighbours are alike, of mean about 0."""
    noise = [[random.gauss(0, 1) for _ in range(side)] for _ in range(side)]
    for _ in range(times):
        noise = [[sum(noise[min(max(r + i, 0), side - 1)][min(max(c + j, 0), side - 1)]
                      for i, j in ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))) / 5
                  for c in range(side)] for r in range(side)]
    return noise


def grass(side=8):
    """Rows of (label, green): green is 1 or -1, and wrong in places that lie together (shade)."""
    height, shade = smooth(side, 3), smooth(side, 1)
    for r in range(side):
        for c in range(side):
            label = "grass" if height[r][c] > 0 else "other"
            seen = (1 if label == "grass" else -0.6) + 0.8 * shade[r][c] + random.gauss(0, 0.8)
            yield r, c, label, 1 if seen > 0 else -1


COLOURS = {"grass": (0.35, 0.5, 0.3), "water": (0.3, 0.4, 0.5),  # red, green, blue
           "road": (0.5, 0.5, 0.45), "roof": (0.5, 0.35, 0.35)}


def land(side=16):
    """Rows of (label, red, green, blue): fields, lakes and roofs, which two roads cut through."""
    centres = [(random.uniform(0, side), random.uniform(0, side),
                random.choice(["grass", "grass", "water", "roof"])) for _ in range(6)]
    across, down = random.randrange(side), random.randrange(side)
    for r in range(side):
        for c in range(side):
            label = min(centres, key=lambda p: (p[0] - r) ** 2 + (p[1] - c) ** 2)[2]
            if r == across or c == down:
                label = "road"
            yield r, c, label, *(random.gauss(m, 0.15) for m in COLOURS[label])


def write(path, columns, grids):
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.execute(f"create table patch(id integer primary key, grid, row, column, label, {columns})")
    for number, grid in enumerate(grids, 1):
        for row in grid:
            db.execute(f"insert into patch values (null, ?{', ?' * len(row)})", (number, *row))
    db.executescript("""
        create index place on patch(grid, row, column);
        create table pair as
          select a.id as a, b.id as b from patch a join patch b
          on b.grid = a.grid and (b.row = a.row and b.column = a.column + 1
                                  or b.row = a.row + 1 and b.column = a.column);""")
    db.commit()
    patches, = db.execute("select count(*) from patch").fetchone()
    print(f"{path}: {number} grids, {patches} patches")


folder = pathlib.Path(sys.argv[1])
random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
folder.mkdir(parents=True, exist_ok=True)
for part in ("train", "test"):
    write(folder / f"grass-{part}.sqlite", "green", [list(grass()) for _ in range(100)])
for part in ("train", "test"):
    write(folder / f"land-{part}.sqlite", "red, green, blue", [list(land()) for _ in range(40)])
