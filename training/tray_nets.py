"""The two small networks that find the tray: where its floor is, and where a side of it ends."""

from torch import Tensor, nn
from torch.nn import functional

from training.nets import block


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
