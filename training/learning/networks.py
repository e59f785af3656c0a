"""The small networks: the finder sees the whole picture, two others one die each; two find the tray."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.learning.samples.die_sizes import DIE_SIZES, PARTS
from vision.crops import PLANES

FINDER = {"heat": 1, "hand": 1, "size": 1, "offset": 2, "turn": 2, "trouble": 1, "thing": 1}
"""Channels of what the finder says of each cell of 4 pixels.

Log odds of a die's middle, of a hand, of a die that is not to be trusted, and of a thing that is neither
ground nor die nor hand; the log of the die's edge in pixels, where its middle is in cells, cosine and
sine of four times the turn of its edges.
"""
DIE = {"shown": 7, "leaning": 1, "hidden": 1, "stacked": 1, "off": 3, "tilt": 1, "stand": 2}
"""Numbers that are said of one die.

`shown`: of no die and the six faces, to be compared. Log odds of leaning by more than 10 degrees, of being
hidden in part, of lying on another die. How far its top is off the middle of the patch, in edges, and
the log of how much larger it is. By how many tens of degrees it leans. How much further than that of a flat
die its top stands off its foot, in edges; how far at all, where it is not told how the camera stands.
"""
FINDER_INPUTS = 7
"""Blue, green, red of the picture and of the empty tray, and whether that is known."""
HALF = "_half"
"""At the end of the name of a weight of 16 bits, in an exported file."""
DIE_WIDTHS, DIE_NECK, DIE_LAST = (24, 32, 72, 128), 40, 96


def slices(outputs: Mapping[str, int]) -> dict[str, slice]:
    """Where each of the outputs is."""
    out, begin = {}, 0
    for name, count in outputs.items():
        out[name] = slice(begin, begin + count)
        begin += count
    return out


def named(out: Tensor, outputs: Mapping[str, int]) -> dict[str, Tensor]:
    """(n, channels, ...) by name; a single channel without its axis."""
    return {
        name: out[:, where] if outputs[name] > 1 else out[:, where.start]
        for name, where in slices(outputs).items()
    }


def block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(True)
    )


class Residual(nn.Module):
    """What comes in, and what two more looks at it add."""

    def __init__(self, width: int) -> None:
        super().__init__()
        last = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.adds = nn.Sequential(block(width, width), last, nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """The same shape."""
        return functional.relu(x + self.adds(x))


class Finder(nn.Module):
    """(n, 7, h, w) of 0..1 to (n, 9, h/4, w/4): where dice are; h and w multiples of 32."""

    def __init__(self, widths: tuple[int, ...] = (16, 32, 48, 80, 128), neck: int = 32) -> None:
        super().__init__()
        a, b, c, d, e = widths
        self.s4 = nn.Sequential(block(FINDER_INPUTS, a, 2), block(a, b, 2))
        self.s8 = nn.Sequential(block(b, c, 2), Residual(c))
        self.s16 = nn.Sequential(block(c, d, 2), Residual(d))
        self.s32 = nn.Sequential(block(d, e, 2), Residual(e))
        self.side = nn.ModuleList(nn.Conv2d(w, neck, 1) for w in (b, c, d, e))
        self.mix = block(neck, neck)
        self.out = nn.Conv2d(neck, sum(FINDER.values()), 1)
        with torch.no_grad():
            for rare in ("heat", "hand", "thing"):
                self.out.bias[slices(FINDER)[rare]] = -3.0

    def forward(self, x: Tensor) -> Tensor:
        """Logits and numbers for each cell."""
        s4 = self.s4(x)
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        top = self.side[3](self.s32(s16))
        for level, features in ((2, s16), (1, s8), (0, s4)):
            top = functional.relu(_doubled(top) + self.side[level](features))
        out: Tensor = self.out(self.mix(top))
        return out


class ChangeNet(nn.Module):
    """(n, 6, h, w) of 0..1 to (n, 1, h/4, w/4): the logit of something that stands there.

    The picture and the empty tray in the light of the picture; h and w multiples of 16.
    """

    def __init__(self, widths: tuple[int, ...] = (12, 24, 32, 40), neck: int = 16) -> None:
        super().__init__()
        a, b, c, d = widths
        self.s4 = nn.Sequential(block(6, a, 2), block(a, b, 2), block(b, b))
        self.s8 = nn.Sequential(block(b, c, 2), block(c, c))
        self.s16 = nn.Sequential(block(c, d, 2), block(d, d))
        self.side = nn.ModuleList(nn.Conv2d(w, neck, 1) for w in (b, c, d))
        self.mix = block(neck, neck)
        self.out = nn.Conv2d(neck, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Logits."""
        s4 = self.s4(x)
        s8 = self.s8(s4)
        top = self.side[2](self.s16(s8))
        for level, features in ((1, s8), (0, s4)):
            top = functional.relu(_doubled(top) + self.side[level](features))
        out: Tensor = self.out(self.mix(top))
        return out


class DieReader(nn.Module):
    """(n, 7, 64, 64), see `vision.crops`, to (n, 16): what a die shows and how it lies.

    While it learns `parts` come after that, flat: log odds for each of PARTS_PX by PARTS_PX spots that they
    are the die, its top, another die. Who must say where the sides are sees how they lie.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        a, b, c, d = DIE_WIDTHS
        self.body = nn.Sequential(
            block(PLANES, a, 2), block(a, b), Residual(b),
            block(b, c, 2), Residual(c),
            block(c, d, 2), Residual(d), nn.Dropout2d(0.05),
        )  # fmt: skip
        self.neck = nn.Sequential(nn.Conv2d(d, DIE_NECK, 1), nn.ReLU(True))
        self.parts = nn.Sequential(nn.Conv2d(d, 4 * PARTS, 1), nn.PixelShuffle(2))
        flat = DIE_NECK * (DIE_SIZES[kind][0] // 8) ** 2
        self.out = nn.Sequential(
            nn.Flatten(), nn.Linear(flat, DIE_LAST), nn.ReLU(True), nn.Linear(DIE_LAST, sum(DIE.values()))
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        """Logits and numbers."""
        seen = self.body(x)
        out: Tensor = self.out(self.neck(seen))
        return torch.cat([out, self.parts(seen).flatten(1)], 1) if self.training else out


class Floor(nn.Module):
    """(n, 3, h, w) BGR 0..1 to (n, 1, h/2, w/2): the logit of floor; h and w multiples of 32."""

    def __init__(self, widths: tuple[int, ...] = (12, 24, 32, 48, 64), neck: int = 24) -> None:
        super().__init__()
        a, b, c, d, e = widths
        self.s2 = block(3, a, 2)
        self.s4 = nn.Sequential(block(a, b, 2), block(b, b))
        self.s8 = nn.Sequential(block(b, c, 2), block(c, c))
        self.s16 = nn.Sequential(block(c, d, 2), block(d, d), block(d, d))
        self.s32 = nn.Sequential(block(d, e, 2), block(e, e), block(e, e))
        self.side = nn.ModuleList(nn.Conv2d(width, neck, 1) for width in widths)
        self.mix = block(neck, neck)
        self.out = nn.Conv2d(neck, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Logits."""
        s2 = self.s2(x)
        s4 = self.s4(s2)
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        top = self.side[4](self.s32(s16))
        for level, features in ((3, s16), (2, s8), (1, s4), (0, s2)):
            top = functional.relu(_doubled(top) + self.side[level](features))
        out: Tensor = self.out(self.mix(top))
        return out


class FrameEnds(nn.Module):
    """(n, 3, h, w) BGR 0..1 to (n, 4, h, w), h and w multiples of 32: larger where a side's end is likelier.

    While it learns a fifth plane comes with them: the logit of floor.
    """

    def __init__(
        self, widths: tuple[int, ...] = (16, 32, 48, 80, 112, 128), neck: int = 40
    ) -> None:
        super().__init__()
        a, b, c, d, e, f = widths
        self.s1 = block(3, a)
        self.s2 = nn.Sequential(block(a, b, 2), block(b, b))
        self.s4 = nn.Sequential(block(b, c, 2), Residual(c))
        self.s8 = nn.Sequential(block(c, d, 2), Residual(d), Residual(d))
        self.s16 = nn.Sequential(block(d, e, 2), Residual(e), Residual(e))
        self.s32 = nn.Sequential(block(e, f, 2), Residual(f), Residual(f))
        self.side = nn.ModuleList(nn.Conv2d(width, neck, 1) for width in widths[1:])
        self.mix = nn.ModuleList(block(neck, neck) for _ in range(4))
        self.last = nn.Conv2d(neck, a, 1)
        self.fine = block(a, a)
        self.out = nn.Conv2d(a, 5, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Logits."""
        s1 = self.s1(x)
        s2 = self.s2(s1)
        s4 = self.s4(s2)
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        top = self.side[4](self.s32(s16))
        for level, features in ((3, s16), (2, s8), (1, s4), (0, s2)):
            top = self.mix[level](functional.relu(_doubled(top) + self.side[level](features)))
        out: Tensor = self.out(self.fine(functional.relu(s1 + _doubled(self.last(top)))))
        return out if self.training else out[:, :4]


def _doubled(features: Tensor) -> Tensor:
    return functional.interpolate(features, scale_factor=2.0, mode="nearest")
