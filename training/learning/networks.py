"""The small networks: the finder sees the whole picture, the others one die."""

import torch
from torch import Tensor, nn
from torch.nn import functional

FINDER = ("heat", "hand", "size", "offset_x", "offset_y", "turn_c", "turn_s", "trouble")
# After these, six channels for the faces.


def block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(True)
    )


class Finder(nn.Module):
    """(n, 3, h, w) BGR 0..1 to (n, 14, h/4, w/4): where dice are; h and w multiples of 32."""

    def __init__(self, widths: tuple[int, ...] = (12, 24, 32, 48, 64), neck: int = 24) -> None:
        super().__init__()
        a, b, c, d, e = widths
        self.s4 = nn.Sequential(block(3, a, 2), block(a, b, 2))
        self.s8 = nn.Sequential(block(b, c, 2), block(c, c), block(c, c))
        self.s16 = nn.Sequential(block(c, d, 2), block(d, d), block(d, d))
        self.s32 = nn.Sequential(block(d, e, 2), block(e, e), block(e, e))
        self.side = nn.ModuleList(nn.Conv2d(w, neck, 1) for w in (b, c, d, e))
        self.mix = block(neck, neck)
        self.out = nn.Conv2d(neck, len(FINDER) + 6, 1)
        with torch.no_grad():
            self.out.bias[:2] = -3.0

    def forward(self, x: Tensor) -> Tensor:
        """Logits and numbers for each cell."""
        s4 = self.s4(x)
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        top = self.side[3](self.s32(s16))
        for level, features in ((2, s16), (1, s8), (0, s4)):
            top = functional.interpolate(top, scale_factor=2.0, mode="nearest")
            top = functional.relu(top + self.side[level](features))
        out: Tensor = self.out(self.mix(top))
        return out


WIDTHS = {48: (12, 24, 48, 64), 64: (16, 32, 56, 80)}
"""Of readers, by the edge of their patches."""


class OfOneDie(nn.Module):
    """(n, inputs, p, p) to (n, outputs)."""

    def __init__(
        self, patch_px: int, widths: tuple[int, ...], inputs: int, outputs: int, drop: float
    ) -> None:
        super().__init__()
        a, b, c, d = widths
        self.body = nn.Sequential(
            block(inputs, a, 2), block(a, b), block(b, b),
            block(b, c, 2), block(c, c),
            block(c, d, 2), block(d, d), nn.Dropout2d(drop),
        )  # fmt: skip
        flat = d * (patch_px // 8) ** 2
        self.out = nn.Sequential(
            nn.Flatten(), nn.Linear(flat, 64), nn.ReLU(True), nn.Linear(64, outputs)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Logits and numbers."""
        out: Tensor = self.out(self.body(x))
        return out


class Reader(OfOneDie):
    """(n, 6, p, p): a patch and its lean to (n, 13).

    No die, the six faces; cocked, hidden, stacked; how far the face is off the middle, in edges,
    and the log of how much larger it is.
    """

    def __init__(self, patch_px: int) -> None:
        super().__init__(patch_px, WIDTHS[patch_px], inputs=6, outputs=13, drop=0.1)


class TiltNetwork(OfOneDie):
    """(n, 4, 64, 64): a patch and what a flat die would cover, to (n, 4).

    Log odds of cocked and of stacked; how far the top is off a flat die's, in edges.
    """

    def __init__(self) -> None:
        super().__init__(64, (16, 24, 48, 64), inputs=4, outputs=4, drop=0.05)


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


class Side(nn.Module):
    """(n, 3, along, across) to (n, 1, along, across): larger where an end of the floor is likelier."""

    def __init__(self, widths: tuple[int, ...] = (16, 32, 48, 64)) -> None:
        super().__init__()
        a, b, c, d = widths
        self.s1 = block(3, a)
        self.s2 = nn.Sequential(block(a, b, 2), block(b, b))
        self.s4 = nn.Sequential(block(b, c, 2), block(c, c))
        self.s8 = nn.Sequential(block(c, d, 2), block(d, d), block(d, d))
        self.up = nn.ModuleList((nn.Conv2d(b, a, 1), nn.Conv2d(c, b, 1), nn.Conv2d(d, c, 1)))
        self.mix = nn.ModuleList(block(w, w) for w in (a, b, c))
        self.out = nn.Conv2d(a, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Logits along each look across."""
        s1 = self.s1(x)
        s2 = self.s2(s1)
        s4 = self.s4(s2)
        top = self.s8(s4)
        for level, features in ((2, s4), (1, s2), (0, s1)):
            top = self.mix[level](functional.relu(features + _doubled(self.up[level](top))))
        out: Tensor = self.out(top)
        return out


def _doubled(features: Tensor) -> Tensor:
    return functional.interpolate(features, scale_factor=2.0, mode="nearest")
