"""Pictures of every shape, and what is left of files: a reading or a refusal, never anything else."""

import math
import os
import random
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.campaigns.mutants import mutant
from tests.campaigns.size import count
from vision import Quad, Reading, read
from vision.images import ImageError, load

pytestmark = [pytest.mark.long, pytest.mark.campaign, pytest.mark.timeout(7200)]

DOCS = Path(__file__).parents[2] / "docs" / "pictures"
LARGEST_PX = 1000


def photos():
    """Real ones where there are some; else those of the docs."""
    folder = os.environ.get("TRAYKEEPER_PICTURES")
    found = sorted(Path(folder, "photos").glob("*.jpg")) if folder else []
    return found or sorted(DOCS.glob("*.jpg"))


@pytest.fixture(scope="module")
def pictures():
    """Small enough that thousands of them are read in reasonable time."""
    found = []
    for path in random.Random(1).sample(photos(), min(len(photos()), count(4, 60))):
        image = cv2.imread(str(path))
        scale = LARGEST_PX / max(image.shape)
        found.append(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    return found


def changed(image, rng):  # noqa: C901, PLR0911 - one case a line
    """Another picture, made of this one."""
    height, width = image.shape[:2]
    match rng.randrange(10):
        case 0:
            y, x = rng.randrange(height), rng.randrange(width)
            return image[y : y + rng.randint(1, height), x : x + rng.randint(1, width)]
        case 1:
            size = (rng.choice((1, 2, 3, 7, 64, 700)), rng.choice((1, 2, 5, 33, 900)))
            return cv2.resize(image, size)
        case 2:
            return image[:: rng.choice((-1, 2, 3, -2)), :: rng.choice((-1, 1, 2, 5))]
        case 3:
            return np.asfortranarray(image)
        case 4:
            return np.rot90(image, rng.randrange(4))
        case 5:
            noise = np.frombuffer(rng.randbytes(image.size), np.uint8).reshape(image.shape)
            return cv2.addWeighted(image, rng.random(), noise, rng.random(), 0)
        case 6:
            return image[..., :: rng.choice((1, -1))] ^ np.uint8(rng.choice((0, 255, 128)))
        case 7:
            image = image.copy()
            for _ in range(rng.randint(1, 30)):
                at = (rng.randrange(width), rng.randrange(height))
                colour = [rng.randrange(256) for _ in range(3)]
                cv2.circle(image, at, rng.randint(1, 90), colour, rng.choice((-1, 1, 5)))
            return image
        case 8:
            return np.full_like(image, rng.randrange(256))
        case _:
            return cv2.GaussianBlur(image, (0, 0), rng.uniform(0.5, 30))


def odd(image, rng):  # noqa: PLR0911 - one case a line
    """The same with other channels, or another type: most are refused."""
    match rng.randrange(9):
        case 0:
            return image[..., 0]
        case 1:
            return cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_BGR2BGRA)
        case 2:
            return image[..., :1]
        case 3:
            return image[..., :2]
        case 4:
            return image.astype(rng.choice((np.float32, np.float64, np.uint16, np.int8, bool)))
        case 5:
            return image[:0]
        case 6:
            return image[None]
        case 7:
            return np.zeros(rng.choice(((), (5,), (3, 0), (0, 3, 3), (4, 4, 5))), np.uint8)
        case _:
            image = np.array(image)
            image.flags.writeable = False
            return image


def somewhere(rng, image):
    """A tray, sensible or not."""
    height, width = (*image.shape, 10, 10)[:2]
    reach = rng.choice((1, 1, 1, 5, 100))
    return Quad(
        tuple((rng.uniform(-1, 2) * width * reach, rng.uniform(-1, 2) * height) for _ in range(4))
    )


def one_line(error):
    """A refusal that a person can read."""
    assert "\n" not in str(error)
    return 1


def check(reading, image):
    assert isinstance(reading, Reading)
    for die in reading.dice:
        assert die.value in (None, 1, 2, 3, 4, 5, 6)
        assert 0 <= die.confidence <= 1
        assert all(map(math.isfinite, (die.x, die.y, die.w, die.h, die.angle)))
        assert die.value is not None or die.problem is not None


def test_pictures_of_every_shape_are_read_or_refused(pictures):
    rng, n = random.Random(2), count(30, 10_000)
    refused = 0
    for number in range(n):
        image = changed(rng.choice(pictures), rng)
        image = odd(image, rng) if rng.random() < 0.25 else image
        tray = somewhere(rng, image) if rng.random() < 0.3 else None
        before = image.copy()
        try:
            check(read(image, tray, aside=tray), image)
        except ValueError as error:
            refused += one_line(error)
        except Exception as error:
            np.save(f"finding-{number}.npy", image)
            raise AssertionError(f"picture {number}: {image.shape} {image.dtype} {tray}") from error
        assert np.array_equal(before, image)
    print(f"\n{n:,} pictures: {n - refused:,} read, {refused:,} refused, 0 findings")


def test_truncated_files_are_read_or_refused(tmp_path):
    rng, n, refused = random.Random(3), count(100, 20_000), 0
    files = [path.read_bytes() for path in photos()[:20]]
    small = cv2.imread(str(photos()[0]))[:200, :200]
    for ending in (".jpg", ".png", ".bmp", ".webp", ".tif"):
        files += [cv2.imencode(ending, small)[1].tobytes()] * 4
    for number in range(n):
        data = mutant(rng.choice(files), rng)
        data = data[: rng.randrange(len(data) + 1)] if rng.random() < 0.2 else data
        path = tmp_path / "picture"
        path.write_bytes(data)
        try:
            image = load(path)
        except ImageError as error:
            refused += one_line(error)
        except Exception as error:
            raise AssertionError(f"file {number}: {data[:80]!r}") from error
        else:
            assert image.dtype == np.uint8
            assert image.ndim == 3
    print(f"\n{n:,} files: {n - refused:,} decoded, {refused:,} refused, 0 findings")
