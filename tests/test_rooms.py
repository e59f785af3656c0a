"""The one direction in which the rooms know of each other."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MAY_IMPORT = {
    "game": set(),
    "vision": set(),
    "calibration": {"vision"},
    "web": {"game"},
    "device": {"game", "vision", "calibration", "web"},
}

PURE = {"game": {"cv2", "numpy", "flask", "gpiozero", "click"}, "vision": {"flask", "gpiozero"}}
"""What a ground floor has no use for."""

ARITHMETIC = {ROOT / "game" / "odds": {"numpy"}}
"""What a part of it may have all the same: chances are arrays of numbers."""

WHEN_USED = {
    "picamera2": ["picamera.py"],
    "gpiozero.pins.lgpio": ["pins.py"],
    "paho.mqtt.client": ["link.py"],
}
"""Not everywhere installed: imported in one module each, only when used."""


def imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_room_imports_only_what_it_stands_on(room):
    for file in (ROOT / room).rglob("*.py"):
        others = imports(file) & set(MAY_IMPORT) - {room}

        assert others <= MAY_IMPORT[room], file


@pytest.mark.parametrize("room", PURE)
def test_ground_floor_is_pure(room):
    for file in (ROOT / room).rglob("*.py"):
        assert not imports(file) & PURE[room] - ARITHMETIC.get(file.parent, set()), file


@pytest.mark.parametrize("module", WHEN_USED)
def test_libraries_not_everywhere_installed_are_imported_in_one_module_when_used(module):
    files = [file for room in MAY_IMPORT for file in (ROOT / room).rglob("*.py")]
    users = [file.name for file in files if f'import_module("{module}")' in file.read_text("utf-8")]

    assert users == WHEN_USED[module]
    assert not any(module.partition(".")[0] in imports(file) - {"gpiozero"} for file in files)
