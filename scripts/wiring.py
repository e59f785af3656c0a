"""Draw docs/pictures/wiring.svg: how to connect the button, lamp and buzzer to the pins that the code uses.

.venv/bin/python scripts/wiring.py
"""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from device.hardware.choices import BLUE_PIN, BUTTON_PIN, BUZZER_PIN, GREEN_PIN, RED_PIN
from device.hardware.pins import HEADER

TARGET = Path(__file__).parents[1] / "docs" / "pictures" / "wiring.svg"

WIDTH, HEIGHT = 1000, 980
TOP, PITCH = 130, 38
ODD_X, EVEN_X = 395, 433
RIGHT_X = 660

INK, PALE, PAPER = "#22313f", "#8fa1b3", "#ffffff"
RED, GREEN, BLUE, YELLOW, BLACK, GREY = (
    "#d63b3b",
    "#2f9e55",
    "#2f6fd6",
    "#c98a00",
    "#2b2b2b",
    "#7a5cc2",
)
KINDS = {"3.3 V": "#e8a33d", "5 V": "#d63b3b", "ground": "#2b2b2b"}
"""Colours of the power and ground pins."""


@dataclass(frozen=True, slots=True)
class Wire:
    """A wire in the drawing, from a header pin to the button, lamp or buzzer.

    Attributes:
        header: Number of the header pin.
        colour: Colour of the wire.
        to: Coordinates of the end of the wire.
        lane: Horizontal position of the vertical part of the wire.
        across: Whether the wire leaves an odd pin to the right, between two rows of pins.
    """

    header: int
    colour: str
    to: tuple[float, float]
    lane: float
    across: bool = False


def header_of(bcm: int) -> int:
    """Return the number of the header pin to which a BCM GPIO number belongs."""
    return next(number for number, name in HEADER.items() if name == f"GPIO{bcm}")


def draw() -> str:
    """Return the drawing of the wiring as SVG."""
    parts = [_title(), _header(), _button(), _lamp(), _buzzer()]
    parts += [*map(_wire, _wires()), *map(_label, HEADER), _legend()]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="15" role="img">\n'
        "<title>Button, RGB LED and buzzer on the header of a Raspberry Pi</title>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="16" fill="{PAPER}"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _wires() -> list[Wire]:
    """Return all wires. Wires from odd pins run to the left of the header, wires from even pins to the right."""
    button, red, green, blue, buzzer = map(
        header_of, (BUTTON_PIN, RED_PIN, GREEN_PIN, BLUE_PIN, BUZZER_PIN)
    )
    return [
        Wire(9, BLACK, (150, 282), 250),
        Wire(button, YELLOW, (150, 320), 250),
        Wire(14, BLACK, (RIGHT_X, 300), 590),
        Wire(green, GREEN, (RIGHT_X, 360), 605),
        Wire(red, RED, (RIGHT_X, 420), 605, across=True),
        Wire(blue, BLUE, (RIGHT_X, 480), 590),
        Wire(buzzer, GREY, (RIGHT_X, 700), 590),
        Wire(34, BLACK, (RIGHT_X, 738), 590),
    ]


def _pin_at(number: int) -> tuple[float, float]:
    return (ODD_X if number % 2 else EVEN_X), TOP + (number - 1) // 2 * PITCH


def _wire(wire: Wire) -> str:
    x, y = _pin_at(wire.header)
    to_x, to_y = wire.to
    out_y = y + PITCH / 2 if wire.across else y
    path = f"M{x} {y}V{out_y}H{wire.lane}V{to_y}H{to_x}"
    return (
        f'<path d="{path}" fill="none" stroke="{PAPER}" stroke-width="8" stroke-linejoin="round"/>'
        f'<path d="{path}" fill="none" stroke="{wire.colour}" stroke-width="4"'
        ' stroke-linejoin="round" stroke-linecap="round"/>'
        f'<circle cx="{x}" cy="{y}" r="6" fill="{wire.colour}"/>'
    )


def _text(x: float, y: float, words: str, **style: str) -> str:
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x}" y="{y}"{attributes}>{escape(words)}</text>'


def _title() -> str:
    return _text(
        40, 52, "Traykeeper: the wiring", font_size="26", font_weight="bold", fill=INK
    ) + _text(
        40,
        80,
        "Header pin 1 is the one at the corner with the square pad, beside the SD card.",
        fill=PALE,
    )


def _header() -> str:
    rows = (max(HEADER) + 1) // 2
    board = (
        f'<rect x="{ODD_X - 28}" y="{TOP - 26}" width="{EVEN_X - ODD_X + 56}"'
        f' height="{(rows - 1) * PITCH + 52}" rx="10" fill="#eef2f6" stroke="{PALE}"/>'
    )
    return board + "".join(_pin(number, name) for number, name in HEADER.items())


def _pin(number: int, name: str) -> str:
    x, y = _pin_at(number)
    used = number in {wire.header for wire in _wires()}
    colour = KINDS.get(name, "#c9d3dd")
    return (
        f'<rect x="{x - 9}" y="{y - 9}" width="18" height="18" rx="{2 if number == 1 else 9}"'
        f' fill="{colour}" stroke="{INK}" stroke-width="{1.5 if used else 0.5}"/>'
    )


def _label(number: int) -> str:
    """Return the label of a header pin as SVG, above the pin's wire and drawn over all wires."""
    x, y = _pin_at(number)
    name, odd = HEADER[number], number % 2
    used = number in {wire.header for wire in _wires()}
    crowded = number in {wire.header + 3 for wire in _wires() if wire.across}
    above = -7 if used and not crowded else 19 if used else 5
    return _text(
        x - 36 if odd else x + 36,
        y + above,
        f"{name} · {number}" if odd else f"{number} · {name}",
        text_anchor="end" if odd else "start",
        font_size="13",
        fill=INK if used else PALE,
        font_weight="bold" if used else "normal",
        stroke=PAPER,
        stroke_width="4",
        paint_order="stroke",
    )


def _box(frame: tuple[float, float, float, float], title: str, below: str) -> str:
    x, y, width, height = frame
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="14" fill="#f7f9fb" stroke="{PALE}"/>'
        + _text(x + 18, y + 30, title, font_weight="bold", font_size="17", fill=INK)
        + _text(x + 18, y + height - 16, below, font_size="13", fill=INK)
    )


def _button() -> str:
    return (
        _box((30, 195, 190, 200), "Push-button", "either way round")
        + f'<circle cx="90" cy="301" r="38" fill="#dfe6ed" stroke="{INK}" stroke-width="2"/>'
        + f'<circle cx="90" cy="301" r="24" fill="{RED}" stroke="{INK}" stroke-width="2"/>'
        + f'<path d="M121 280L150 282M121 322L150 320" stroke="{INK}" stroke-width="3"/>'
    )


def _lamp() -> str:
    rows = (
        ("longest leg", 300, None),
        ("green", 360, GREEN),
        ("red", 420, RED),
        ("blue", 480, BLUE),
    )
    legs = "".join(_leg(name, y, colour) for name, y, colour in rows)
    return (
        _box(
            (RIGHT_X - 20, 222, 330, 320),
            "RGB LED, common cathode",
            "330 Ω in each colour, none in ground",
        )
        + legs
        + f'<path d="M850 275H860A92 115 0 0 1 860 505H850Z" fill="#fdfdfd" stroke="{INK}" stroke-width="2"/>'
        + f'<circle cx="887" cy="383" r="13" fill="{RED}"/><circle cx="907" cy="383" r="13" fill="{GREEN}"'
        f' fill-opacity=".85"/><circle cx="897" cy="399" r="13" fill="{BLUE}" fill-opacity=".85"/>'
    )


def _leg(name: str, y: float, colour: str | None) -> str:
    line = f'<path d="M{RIGHT_X} {y}H850" stroke="{colour or BLACK}" stroke-width="4"/>'
    if colour:
        line += (
            f'<rect x="{RIGHT_X + 35}" y="{y - 9}" width="62" height="18" rx="5" fill="#f2e3c6" stroke="{INK}"/>'
            + _text(RIGHT_X + 66, y + 5, "330 Ω", text_anchor="middle", font_size="12", fill=INK)
        )
    return line + _text(RIGHT_X + 150, y - 7, name, text_anchor="middle", font_size="13", fill=INK)


def _buzzer() -> str:
    return (
        _box(
            (RIGHT_X - 20, 630, 330, 180),
            "Buzzer (if you like), 3 V",
            "the leg marked + at the GPIO",
        )
        + f'<path d="M{RIGHT_X} 700H800M{RIGHT_X} 738H800" stroke="{INK}" stroke-width="3"/>'
        + _text(RIGHT_X + 60, 692, "+", font_size="18", font_weight="bold", fill=INK)
        + f'<circle cx="838" cy="719" r="44" fill="#3a4652" stroke="{INK}" stroke-width="2"/>'
        + f'<circle cx="838" cy="719" r="7" fill="{PAPER}"/>'
    )


def _legend() -> str:
    lines = (
        "Common anode: the longest leg to 3.3 V (header 1) instead, and common_anode = true.",
        'One colour: only the red leg and ground, and lamp = "one".',
    )
    return "".join(
        _text(40, 922 + 24 * i, line, fill=INK, font_size="14") for i, line in enumerate(lines)
    )


if __name__ == "__main__":
    TARGET.write_text(draw(), "utf-8")
    print(f"drew {TARGET}")
