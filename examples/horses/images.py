"""Makes small grey photographs of nothing: a figure of blobs before a ground, both with texture.

    python3 images.py FOLDER [--images 60] [--side 40] [--seed 1]

FOLDER/gray/NNN.png, FOLDER/mask/NNN.png (white: figure).  Needs numpy and PIL.
"""
import argparse
import pathlib

import numpy
from PIL import Image


def smooth(noise, times):
    """The mean of each pixel and its four neighbours, again and again."""
    for _ in range(times):
        edge = numpy.pad(noise, 1, mode="edge")
        noise = (noise + edge[:-2, 1:-1] + edge[2:, 1:-1] + edge[1:-1, :-2] + edge[1:-1, 2:]) / 5
    return noise / noise.std()


def figure(random, side):
    """A body of three ellipses that overlap, somewhere near the middle."""
    y, x = numpy.mgrid[0:side, 0:side] / side
    centre = random.uniform(0.4, 0.6, 2)
    mask = numpy.zeros((side, side), dtype=bool)
    for _ in range(3):
        cy, cx = centre + random.uniform(-0.15, 0.15, 2)
        ry, rx = random.uniform(0.08, 0.22, 2)
        angle = random.uniform(0, numpy.pi)
        u = numpy.cos(angle) * (x - cx) + numpy.sin(angle) * (y - cy)
        v = numpy.cos(angle) * (y - cy) - numpy.sin(angle) * (x - cx)
        mask |= (u / rx) ** 2 + (v / ry) ** 2 < 1
    return mask


def photograph(random, mask):
    """Ground: coarse, of middle grey, brighter at the top.  Figure: striped, dark or bright."""
    side = mask.shape[0]
    y, x = numpy.mgrid[0:side, 0:side]
    ground = 0.6 - 0.15 * y / side + 0.06 * smooth(random.normal(size=mask.shape), 12)
    level = random.choice([0.32, 0.78])
    stripes = 0.05 * numpy.sin((x * random.uniform(0.5, 1.2) + y * random.uniform(0.5, 1.2)))
    grey = numpy.where(mask, level + stripes, ground) + random.normal(0, 0.09, mask.shape)
    return grey.clip(0, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--images", type=int, default=60)
    parser.add_argument("--side", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random = numpy.random.default_rng(options.seed)
    for part in ("gray", "mask"):
        (options.folder / part).mkdir(parents=True, exist_ok=True)
    for n in range(1, options.images + 1):
        mask = figure(random, options.side)
        for part, picture in (("gray", photograph(random, mask)), ("mask", mask)):
            pixels = (255 * picture).round().astype(numpy.uint8)
            Image.fromarray(pixels).save(options.folder / part / f"{n:03}.png")
    print(f"{options.images} images of {options.side} x {options.side} in {options.folder}")


main()
