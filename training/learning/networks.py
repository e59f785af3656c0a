"""The small networks that find dice, read one die, recognise changes in a tray, and find the tray."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.learning.samples.die_sizes import PART_COUNT, PATCH_SIZES
from vision.crops import PLANES

FINDER_OUTPUTS = {"heat": 1, "hand": 1, "size": 1, "offset": 2, "turn": 2, "trouble": 1, "thing": 1}
"""Channels of the finder's output for each cell of 4 by 4 pixels.

`heat`, `hand`, `trouble` and `thing` are the log odds of the centre of a die, of a hand, of a die that is not trustworthy
(cocked, hidden, stacked or cut off), and of a foreign object. `size` is the logarithm of the die's edge in pixels,
`offset` the offset of its centre in cells, and `turn` the cosine and sine of four times the rotation of its edges.
"""
DIE_OUTPUTS = {"shown": 7, "leaning": 1, "hidden": 1, "stacked": 1, "off": 3, "tilt": 1, "stand": 2}
"""Numbers in the output for one die.

`shown`: logits of no die and the six faces. `leaning`, `hidden` and `stacked`: log odds that the die is cocked by more
than 10 degrees, is partly hidden, and lies on another die. `off`: offset of the top face from the centre of the patch in
die edges, and the logarithm of its relative size. `tilt`: tilt in tens of degrees. `stand`: displacement of the top from
the foot beyond that of a flat die, in die edges, or the whole displacement if the camera pose is unknown.
"""
VIEW_OUTPUTS = {"low": 3, "side": 1}
"""Further numbers in the output of `deep`, which are used only for upright patches: log odds that the camera sees the die from
more than each angle of LOW_DEG, and log odds that the place is a side of a die.
"""
LOW_DEG = (35.0, 45.0, 55.0)
"""Angles between straight down and the direction in which a camera sees a die."""
FINDER_PLANES = 7
"""Channels of the finder's input: blue, green and red of the image and of the empty-tray image, and whether the latter
is known."""
IMAGE_PLANES = 3
"""Channels of the input of a network that sees only the image."""
ALONE_WIDTHS = (12, 24, 32, 48, 64)
"""Channels of the finder without the empty-tray image at each scale."""
HALF_SUFFIX = "_half"
"""Suffix of the names of 16-bit weights in an exported file."""
DIE_NECK, DIE_LAST = 40, 96
VIEW_NECK, VIEW_LAST = 24, 48
MOBILE_STEM = 32
MOBILE_STAGES = (
    (16, 1, 1, 1, 3),
    (24, 2, 6, 2, 3),
    (40, 2, 6, 2, 5),
    (80, 3, 6, 1, 3),
    (112, 3, 6, 1, 5),
)
"""First stages of EfficientNet-Lite0: output channels, blocks, expansion, stride of the first block, and size of the
depthwise kernel. The stage with 80 channels has a stride of 1 instead of 2, because the patches are small."""
MOBILE_EPSILON, MOBILE_MOMENTUM = 1e-3, 0.05
HAND_WIDTHS = (32, 64, 128, 256, 256)
"""Channels of the body of `hand` at each scale: those of MediaPipe's palm detector."""
HAND_BLOCKS, HAND_LAST = 4, 64
"""Blocks of the body at each scale, and channels of its new layer."""


def die_outputs(kind: str) -> dict[str, int]:
    """Return the number of channels of each output of a network that reads one die, by name."""
    return DIE_OUTPUTS | VIEW_OUTPUTS if kind == "deep" else DIE_OUTPUTS


def output_slices(outputs: Mapping[str, int]) -> dict[str, slice]:
    """Return the slice of channels for each output by name, given each output's number of channels."""
    out, begin = {}, 0
    for name, count in outputs.items():
        out[name] = slice(begin, begin + count)
        begin += count
    return out


def split_outputs(out: Tensor, outputs: Mapping[str, int]) -> dict[str, Tensor]:
    """Return each output (n, channels, ...) of a network by name. A single channel has no channel axis.

    Args:
        out: Output of the network.
        outputs: Number of channels of each output.
    """
    return {
        name: out[:, where] if outputs[name] > 1 else out[:, where.start]
        for name, where in output_slices(outputs).items()
    }


def conv_block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """Return a 3 by 3 convolution with batch normalisation and ReLU.

    Args:
        inputs: Number of input channels.
        outputs: Number of output channels.
        stride: Stride of the convolution.
    """
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(True)
    )


class Residual(nn.Module):
    """A residual block with two convolutions."""

    def __init__(self, width: int) -> None:
        super().__init__()
        last = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.adds = nn.Sequential(conv_block(width, width), last, nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """Return the features of the block, which have the shape of its input."""
        return functional.relu(x + self.adds(x))


class DepthwiseConv(nn.Conv2d):
    """A convolution that filters each channel. On a CPU, it multiplies in 32 bits, because 16 bits are slower."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the filtered channels."""
        if x.device.type != "cpu":
            return super().forward(x)
        with torch.autocast("cpu", enabled=False):
            return super().forward(x.float())


class InvertedResidual(nn.Module):
    """A block of EfficientNet-Lite: it expands the channels, filters each of them, and projects them back.

    Sources: Sandler and others, *MobileNetV2* (2018); Tan and Le, *EfficientNet* (2019).
    """

    def __init__(self, inputs: int, outputs: int, expansion: int, stride: int, kernel: int) -> None:
        super().__init__()
        inner = inputs * expansion
        self.adds = nn.Sequential(
            *(_mobile_conv(inputs, inner, 1) if expansion > 1 else ()),
            *_mobile_conv(inner, inner, kernel, stride, groups=inner),
            *_mobile_conv(inner, outputs, 1)[:-1],
        )
        self.keeps_shape = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        """Return the features of the block, added to its input if both have the same shape."""
        added: Tensor = self.adds(x)
        return x + added if self.keeps_shape else added


class FinderNet(nn.Module):
    """A network that finds dice: it maps images (n, planes, h, w) to outputs (n, 9, h/4, w/4).

    The values of the input are from 0 to 1. Its height and width are multiples of 32.
    """

    def __init__(
        self,
        planes: int = FINDER_PLANES,
        widths: tuple[int, ...] = (16, 24, 32, 48, 64),
        neck: int = 24,
    ) -> None:
        super().__init__()
        a, b, c, d, e = widths
        self.s4 = nn.Sequential(conv_block(planes, a, 2), conv_block(a, b, 2))
        self.s8 = nn.Sequential(conv_block(b, c, 2), conv_block(c, c), conv_block(c, c))
        self.s16 = nn.Sequential(conv_block(c, d, 2), conv_block(d, d), conv_block(d, d))
        self.s32 = nn.Sequential(conv_block(d, e, 2), conv_block(e, e), conv_block(e, e))
        self.side = nn.ModuleList(nn.Conv2d(w, neck, 1) for w in (b, c, d, e))
        self.mix = conv_block(neck, neck)
        self.out = nn.Conv2d(neck, sum(FINDER_OUTPUTS.values()), 1)
        with torch.no_grad():
            for rare in ("heat", "hand", "thing"):
                self.out.bias[output_slices(FINDER_OUTPUTS)[rare]] = -3.0

    def forward(self, x: Tensor) -> Tensor:
        """Return the channels of FINDER_OUTPUTS for each cell."""
        s4 = self.s4(x)
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        top = self.side[3](self.s32(s16))
        for level, features in ((2, s16), (1, s8), (0, s4)):
            top = functional.relu(_upsampled(top) + self.side[level](features))
        out: Tensor = self.out(self.mix(top))
        return out


class ChangeNet(nn.Module):
    """A network that tells objects from shadows: it maps images (n, 6, h, w) to logits (n, 1, h/4, w/4).

    The input is an image and the empty-tray image, adapted to the brightness of the image, with values from 0 to 1.
    Its height and width are multiples of 16.
    """

    def __init__(self, widths: tuple[int, ...] = (12, 24, 32, 40), neck: int = 16) -> None:
        super().__init__()
        a, b, c, d = widths
        self.s4 = nn.Sequential(conv_block(6, a, 2), conv_block(a, b, 2), conv_block(b, b))
        self.s8 = nn.Sequential(conv_block(b, c, 2), conv_block(c, c))
        self.s16 = nn.Sequential(conv_block(c, d, 2), conv_block(d, d))
        self.side = nn.ModuleList(nn.Conv2d(w, neck, 1) for w in (b, c, d))
        self.mix = conv_block(neck, neck)
        self.out = nn.Conv2d(neck, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return, for each cell, the logit of the probability that it shows an object."""
        s4 = self.s4(x)
        s8 = self.s8(s4)
        top = self.side[2](self.s16(s8))
        for level, features in ((1, s8), (0, s4)):
            top = functional.relu(_upsampled(top) + self.side[level](features))
        out: Tensor = self.out(self.mix(top))
        return out


class DieNet(nn.Module):
    """A network that reads one die: it maps patches (n, 7, 64, 64; see `vision.crops`) to numbers (n, 16 or 20).

    Its body consists of the first layers of EfficientNet-Lite0, so that training can start with weights from real photographs.

    During training, the output is followed by log odds for a grid of PART_GRID by PART_GRID cells: whether each cell
    shows the die, its top, or another die. A network that has to find the sides of a die learns better how the die lies.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.body, d = _mobile_body()
        self.neck = nn.Sequential(nn.Conv2d(d, DIE_NECK, 1), nn.ReLU(True))
        self.parts = nn.Sequential(nn.Conv2d(d, 4 * PART_COUNT, 1), nn.PixelShuffle(2))
        flat = DIE_NECK * (PATCH_SIZES[kind][0] // 8) ** 2
        self.out = nn.Sequential(
            nn.Flatten(), nn.Linear(flat, DIE_LAST), nn.ReLU(True), nn.Linear(DIE_LAST, sum(DIE_OUTPUTS.values()))
        )  # fmt: skip
        self.view = _view_head(d, PATCH_SIZES[kind][0] // 8) if kind == "deep" else None

    def forward(self, x: Tensor) -> Tensor:
        """Return the numbers of `die_outputs` for each patch, followed during training by the log odds of the parts."""
        seen = self.body(x)
        out: Tensor = self.out(self.neck(seen))
        if self.view is not None:
            out = torch.cat([out, self.view(seen)], 1)
        return torch.cat([out, self.parts(seen).flatten(1)], 1) if self.training else out


class PalmBlock(nn.Module):
    """A block of MediaPipe's palm detector: it filters each channel, mixes the channels, and adds its input.

    Source: Bazarevsky and others, *BlazeFace* (2019). If the stride is 2, the block adds the largest of four values of the input. The
    palm detector then pads its input on one side more than on the other. A kernel of 6 by 6 values does the same without that.
    """

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.inputs, self.stride, self.has_new = inputs, stride, outputs > inputs
        self.adds = nn.Sequential(
            nn.Conv2d(inputs, inputs, 4 + stride, stride, 2, groups=inputs, bias=False),
            nn.Conv2d(inputs, outputs, 1),
        )
        self.active = nn.PReLU(outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return the features of the block."""
        added = self.adds(x)
        kept = x if self.stride == 1 else functional.max_pool2d(x, 2)
        if self.has_new:
            old, new = added[:, : self.inputs], added[:, self.inputs :]
            added = torch.cat([kept + old, new], 1)
        else:
            added = kept + added
        out: Tensor = self.active(added)
        return out


class HandNet(nn.Module):
    """A network that finds hands: it maps images (n, 3, h, w) to log odds (n, 1, h/16, w/16) that each cell shows a hand.

    The input is BGR from 0 to 1. Its height and width are multiples of 32. The layers of the body are those of MediaPipe's palm
    detector, so that training can start with weights from photographs of hands.
    """

    def __init__(self) -> None:
        super().__init__()
        stem, *widths = HAND_WIDTHS
        layers: list[nn.Module] = [nn.Conv2d(3, stem, 6, 2, 2), nn.PReLU(stem)]
        layers += [PalmBlock(stem, stem) for _ in range(HAND_BLOCKS)]
        scales = [nn.Sequential(*layers)]
        for inputs, outputs in zip(HAND_WIDTHS, widths, strict=False):
            blocks = [PalmBlock(outputs, outputs) for _ in range(HAND_BLOCKS)]
            scales.append(nn.Sequential(PalmBlock(inputs, outputs, 2), *blocks))
        last = widths[-1]
        self.scales = nn.ModuleList(scales)
        self.side = nn.Sequential(nn.Conv2d(last, last, 1), nn.PReLU(last))
        self.mix = nn.Sequential(PalmBlock(last, last), PalmBlock(last, last))
        self.out = nn.Sequential(
            nn.Dropout2d(0.2), nn.Conv2d(last, HAND_LAST, 1, bias=False), nn.BatchNorm2d(HAND_LAST), nn.ReLU(True),
            nn.Conv2d(HAND_LAST, 1, 1),
        )  # fmt: skip

    def body(self, x: Tensor) -> Tensor:
        """Return the features (n, 256, h/16, w/16) from which the last layers find hands."""
        finer = x
        for scale in self.scales:
            finer, x = x, scale(x)
        larger = functional.interpolate(x, scale_factor=2.0, mode="bilinear")
        out: Tensor = self.mix(finer + self.side(larger))
        return out

    def forward(self, x: Tensor) -> Tensor:
        """Return, for each cell of 16 by 16 pixels, the log odds that it shows a hand."""
        out: Tensor = self.out(self.body(x))
        return out


class FloorNet(nn.Module):
    """A network that finds the floor of a tray: it maps images (n, 3, h, w) to logits (n, 1, h/2, w/2).

    The input is BGR from 0 to 1. Its height and width are multiples of 32.
    """

    def __init__(self, widths: tuple[int, ...] = (12, 24, 32, 48, 64), neck: int = 24) -> None:
        super().__init__()
        a, b, c, d, e = widths
        self.s2 = conv_block(3, a, 2)
        self.s4 = nn.Sequential(conv_block(a, b, 2), conv_block(b, b))
        self.s8 = nn.Sequential(conv_block(b, c, 2), conv_block(c, c))
        self.s16 = nn.Sequential(conv_block(c, d, 2), conv_block(d, d), conv_block(d, d))
        self.s32 = nn.Sequential(conv_block(d, e, 2), conv_block(e, e), conv_block(e, e))
        self.side = nn.ModuleList(nn.Conv2d(width, neck, 1) for width in widths)
        self.mix = conv_block(neck, neck)
        self.out = nn.Conv2d(neck, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return, for each cell of 2 by 2 pixels, the logit of the probability that it shows the floor."""
        s2 = self.s2(x)
        s4 = self.s4(s2)
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        top = self.side[4](self.s32(s16))
        for level, features in ((3, s16), (2, s8), (1, s4), (0, s2)):
            top = functional.relu(_upsampled(top) + self.side[level](features))
        out: Tensor = self.out(self.mix(top))
        return out


class FrameNet(nn.Module):
    """A network that finds the edges of a tray's floor: it maps images (n, 3, h, w) to scores (n, 4, h, w).

    Each of the four sides has a channel in which a larger value means that a pixel is more likely to lie on the edge of
    the floor. During training, a fifth channel follows: the logit of the floor. The input is BGR from 0 to 1. Its
    height and width are multiples of 32.
    """

    def __init__(
        self, widths: tuple[int, ...] = (16, 32, 48, 80, 112, 128), neck: int = 40
    ) -> None:
        super().__init__()
        a, b, c, d, e, f = widths
        self.s1 = conv_block(3, a)
        self.s2 = nn.Sequential(conv_block(a, b, 2), conv_block(b, b))
        self.s4 = nn.Sequential(conv_block(b, c, 2), Residual(c))
        self.s8 = nn.Sequential(conv_block(c, d, 2), Residual(d), Residual(d))
        self.s16 = nn.Sequential(conv_block(d, e, 2), Residual(e), Residual(e))
        self.s32 = nn.Sequential(conv_block(e, f, 2), Residual(f), Residual(f))
        self.side = nn.ModuleList(nn.Conv2d(width, neck, 1) for width in widths[1:])
        self.mix = nn.ModuleList(conv_block(neck, neck) for _ in range(4))
        self.last = nn.Conv2d(neck, a, 1)
        self.fine = conv_block(a, a)
        self.out = nn.Conv2d(a, 5, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return a score for the edge of the floor, for each side and pixel; in training, also return logits for the floor."""
        s1 = self.s1(x)
        s2 = self.s2(s1)
        s4 = self.s4(s2)
        s8 = self.s8(s4)
        s16 = self.s16(s8)
        top = self.side[4](self.s32(s16))
        for level, features in ((3, s16), (2, s8), (1, s4), (0, s2)):
            top = self.mix[level](functional.relu(_upsampled(top) + self.side[level](features)))
        out: Tensor = self.out(self.fine(functional.relu(s1 + _upsampled(self.last(top)))))
        return out if self.training else out[:, :4]


def _view_head(inputs: int, side: int) -> nn.Sequential:
    """Return the layers that give VIEW_OUTPUTS, from features (n, inputs, side, side)."""
    return nn.Sequential(
        nn.Conv2d(inputs, VIEW_NECK, 1), nn.ReLU(True), nn.Flatten(),
        nn.Linear(VIEW_NECK * side**2, VIEW_LAST), nn.ReLU(True), nn.Linear(VIEW_LAST, sum(VIEW_OUTPUTS.values())),
    )  # fmt: skip


def _mobile_body() -> tuple[nn.Sequential, int]:
    """Return the body of a network that reads one die, and how many channels it ends with."""
    layers, inputs = [*_mobile_conv(PLANES, MOBILE_STEM, 3, 2)], MOBILE_STEM
    for outputs, count, expansion, stride, kernel in MOBILE_STAGES:
        for k in range(count):
            layers.append(
                InvertedResidual(inputs, outputs, expansion, stride if k == 0 else 1, kernel)
            )
            inputs = outputs
    return nn.Sequential(*layers, nn.Dropout2d(0.05)), inputs


def _mobile_conv(
    inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1
) -> tuple[nn.Module, ...]:
    """Return a convolution of EfficientNet-Lite, its batch normalisation and its activation."""
    convolution = nn.Conv2d if groups == 1 else DepthwiseConv
    return (
        convolution(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs, MOBILE_EPSILON, MOBILE_MOMENTUM),
        nn.ReLU6(True),
    )


def _upsampled(features: Tensor) -> Tensor:
    return functional.interpolate(features, scale_factor=2.0, mode="nearest")
