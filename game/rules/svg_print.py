"""Text and documents in SVG, for printing with unknown fonts on unknown printers."""

from collections.abc import Sequence
from html import escape

WIDTH_REGULAR, WIDTH_BOLD = 0.56, 0.66
"""Width of an average letter as a share of the font size, in the widest common fonts, regular and
bold."""


def fitting(text: str, width: float, size: float) -> float:
    """Return the preferred text size, reduced as far as needed for bold text to fit the width.

    Args:
        text: The text.
        width: The width, in mm.
        size: The preferred size of the text, in mm.
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
        end: Whether the text ends at `x`, instead of beginning there.
        upwards: Whether the text runs upwards, instead of to the right.
    """
    weight = ' font-weight="700"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    turned = f' transform="rotate(-90 {x:.2f} {y:.2f})"' if upwards else ""
    place = f'x="{x:.2f}" y="{y:.2f}" font-size="{size:.2f}"'
    return f"<text {place}{weight}{anchor}{turned}>{escape(text)}</text>"


def svg_document(width: float, height: float, parts: Sequence[str], size: tuple[str, str]) -> str:
    """Return an SVG document with a white background.

    Args:
        width: Width of the drawing area, in mm.
        height: Height of the drawing area, in mm.
        parts: SVG elements.
        size: Width and height of the document as SVG attributes, such as `85mm`.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>\n"])
