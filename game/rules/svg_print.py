"""Text and documents of printed SVG, whose fonts and printers are not known."""

from collections.abc import Sequence
from html import escape

WIDTH_REGULAR, WIDTH_BOLD = 0.56, 0.66
"""Width of an average letter as a share of the font size, in the widest common fonts, regular and
bold."""


def fitting(text: str, width: float, size: float) -> float:
    """Return the size, or a smaller one at which bold text fits the width.

    Args:
        text: The text.
        width: The width, in mm.
        size: The size of the text, in mm.
    """
    return min(size, width / (WIDTH_BOLD * max(1, len(text))))


def svg_text(
    x: float,
    y: float,
    text: str,
    size: float,
    *,
    bold: bool = False,
    end: bool = False,
    upwards: bool = False,
) -> str:
    """Return a line of text as SVG.

    Args:
        x: Left edge, in mm; the right edge if `end` is true.
        y: Baseline, in mm.
        text: The text.
        size: Size of the text, in mm.
        bold: Whether the text is bold.
        end: Whether the text ends at `x`.
        upwards: Whether the text runs upwards.
    """
    weight = ' font-weight="700"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    turned = f' transform="rotate(-90 {x:.2f} {y:.2f})"' if upwards else ""
    place = f'x="{x:.2f}" y="{y:.2f}" font-size="{size:.2f}"'
    return f"<text {place}{weight}{anchor}{turned}>{escape(text)}</text>"


def svg_document(width: float, height: float, parts: Sequence[str], size: tuple[str, str]) -> str:
    """Return a document with a white ground as SVG.

    Args:
        width: Width, in mm.
        height: Height, in mm.
        parts: SVG elements.
        size: Width and height as SVG writes them.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>\n"])
