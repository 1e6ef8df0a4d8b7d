"""Writes growth-data.R: heights that the model of growth.bug could have made, four of them missing."""
import random

PLANTS, DAYS = 14, [3, 7, 12, 18, 25, 33]
MISSING = {(2, 5), (6, 2), (6, 3), (11, 5)}  # plant, day: from 0 on


def main():
    draw = random.Random(7)
    rows = []
    for plant in range(PLANTS):
        middle, rate = draw.gauss(24, 3), draw.gauss(0.9, 0.15)
        rows.append([middle + rate * (day - sum(DAYS) / len(DAYS)) + draw.gauss(0, 1) for day in DAYS])
    values = ["NA" if (i, j) in MISSING else f"{rows[i][j]:.1f}" for j in range(len(DAYS)) for i in range(PLANTS)]
    lines = [", ".join(values[begin:begin + PLANTS]) for begin in range(0, len(values), PLANTS)]
    with open("growth-data.R", "w", encoding="utf-8") as out:
        out.write(f"plants <- {PLANTS}\ndays <- {len(DAYS)}\nday <- c({', '.join(map(str, DAYS))})\n")
        joined = ",\n".join(lines)  # a line for each day
        out.write(f"height <- structure(c(\n{joined}), .Dim = c({PLANTS}, {len(DAYS)}))\n")


if __name__ == "__main__":
    main()
