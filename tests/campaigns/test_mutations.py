"""Whatever a camera or a file delivers, the reader does not fail."""

import cv2
import numpy as np
import pytest
from numpy.random import Generator

from device.cameras.simulated.tray_geometry import LOOKS
from tests.campaigns.size import count
from tests.vision.painted import Put, photograph
from vision import Quad, Reading, read

PARTS, EACH = count(1, 20), count(100, 5_000)
SIDES = (1, 2, 3, 17, 64, 200, 320)


def _cropped(image, chance: Generator):
    height, width = image.shape[:2]
    x, y = int(chance.integers(width)), int(chance.integers(height))
    return image[y : y + 1 + int(chance.integers(height)), x : x + 1 + int(chance.integers(width))]


def _stretched(image, chance: Generator):
    return cv2.resize(image, (int(chance.choice(SIDES)), int(chance.choice(SIDES))))


def _noisy(image, chance: Generator):
    noise = chance.normal(0, chance.uniform(0, 120), image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def _levelled(image, chance: Generator):
    levels = image * chance.uniform(-3, 3) + chance.uniform(-200, 300)
    return np.clip(levels, 0, 255).astype(np.uint8)


def _blurred(image, chance: Generator):
    return cv2.GaussianBlur(image, (0, 0), float(chance.uniform(0.3, 30)))


def _struck_out(image, chance: Generator):
    out = image.copy()
    height, width = out.shape[:2]
    for _ in range(int(chance.integers(1, 9))):
        corners = chance.integers(-20, max(width, height) + 20, (4, 2)).astype(np.int32)
        cv2.fillPoly(out, [corners], [int(v) for v in chance.integers(0, 256, 3)])
    return out


def _shuffled(image, chance: Generator):
    rows = chance.permutation(image.shape[0]) if chance.random() < 0.5 else slice(None, None, -1)
    return image[rows][:, ::-1]


def _grey(image, chance: Generator):
    grey = image.mean(axis=2).astype(np.uint8)
    return grey if chance.random() < 0.5 else np.dstack([image, grey])


MUTATIONS = (_cropped, _stretched, _noisy, _levelled, _blurred, _struck_out, _shuffled)


def _tray(chance: Generator, width: int) -> Quad | None:
    """Return None or four corners, which may be anywhere, even on one line or point."""
    if chance.random() < 0.4:
        return None
    a, b, c, d = (chance.normal(0, 1, (4, 2)) * width * chance.choice([0, 0.3, 1, 1e4])).tolist()
    return Quad((tuple(a), tuple(b), tuple(c), tuple(d)))


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_mutated_picture_breaks_the_reader(part):
    chance = np.random.default_rng([1, part])
    dice = [Put(v, 38 * v - 133, 5.0 * v, 11.0 * v) for v in range(1, 7)]
    seeds = [photograph(dice, look).scaled(0.4).image for look in LOOKS.values()]

    for number in range(EACH):
        image = seeds[number % len(seeds)]
        for _ in range(int(chance.integers(1, 5))):
            image = MUTATIONS[int(chance.integers(len(MUTATIONS)))](image, chance)
        if chance.random() < 0.1:
            image = _grey(image, chance)
        reading = read(np.ascontiguousarray(image), _tray(chance, image.shape[1]))
        assert isinstance(reading, Reading)
        assert all(np.isfinite([die.x, die.y, die.w, die.angle]).all() for die in reading.dice)

    print(f"\n{EACH:,} mutated pictures read, none broke the reader")
