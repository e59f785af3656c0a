"""The layout of the project: directions of imports, and names."""

import ast
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MAY_IMPORT = {
    "game": set(),
    "vision": set(),
    "calibration": {"vision"},
    "web": {"game"},
    "device": {"game", "vision", "calibration", "web"},
    "bench": {"game", "vision", "calibration", "web", "device"},
}

PURE = {"game": {"cv2", "numpy", "flask", "gpiozero", "click"}, "vision": {"flask", "gpiozero"}}
"""Libraries that a pure package does not import."""

ARITHMETIC = {ROOT / "game" / "odds": {"numpy"}}
"""Exceptions: chances are arrays of numbers."""

WHEN_USED = {
    "picamera2": ["picamera.py"],
    "gpiozero.pins.lgpio": ["pins.py"],
    "paho.mqtt.client": ["client.py"],
}
"""Optional libraries, each imported in one module, only when used."""

BESIDE = ("hardware", "watching", "storage", "coach", "mqtt", "webhook")
"""Folders of `device` that do not import each other; `companion` and `app` connect them."""

LAYERS = {
    "game": ("rules", "match", "journal", "odds", "practice", "stats"),
    "web": ("contracts", "i18n", "state_json", "access", "pages", "api", "club"),
}
"""Folders from the lowest layer up; none imports one above it."""

MOVED_ASIDE = {"device/calibrating/profile_file.py", "device/log_file.py"}
"""Modules that move a file aside: one that is unreadable and will be replaced, or a log that has become large."""

SHARED_NAMES = {
    "app": "puts a program together from its parts",
    "bench": "the benchmarks of this machine",
    "backup": "matches, calibration and settings in one file",
    "club": "the club board",
    "errors": "what a package can refuse",
    "matches": "looking back on matches",
    "networks": "the small networks",
    "odds": "chances and best play",
    "scorekeeper": "who may change the match",
    "pin": "the number with which a phone becomes the scorekeeper",
    "rules": "rule sets",
    "settings": "what can be set",
}
"""File names that occur in several folders, with the one meaning that each has."""


def files(*packages):
    """Return the files of packages and the files of single modules, each named by its path without `.py`."""
    found = []
    for package in packages:
        module = ROOT / f"{package}.py"
        found += [module] if module.exists() else sorted((ROOT / package).rglob("*.py"))
    return found


@cache
def modules(file):
    """Return the full names of the modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def imports(file):
    return {module.partition(".")[0] for module in modules(file)}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_each_package_imports_only_what_it_may(package):
    for file in files(package):
        others = imports(file) & set(MAY_IMPORT) - {package}

        assert others <= MAY_IMPORT[package], file


@pytest.mark.parametrize("package", PURE)
def test_pure_packages_import_no_hardware_or_web_library(package):
    for file in files(package):
        assert not imports(file) & PURE[package] - ARITHMETIC.get(file.parent, set()), file


@pytest.mark.parametrize("module", WHEN_USED)
def test_optional_libraries_are_imported_in_one_module_when_used(module):
    users = [
        file.name
        for file in files(*MAY_IMPORT)
        if f'import_module("{module}")' in file.read_text("utf-8")
    ]

    assert users == WHEN_USED[module]
    assert not any(
        module.partition(".")[0] in imports(file) - {"gpiozero"} for file in files(*MAY_IMPORT)
    )


@pytest.mark.parametrize(
    ("package", "lower", "upper"),
    [
        (package, lower, upper)
        for package, layers in LAYERS.items()
        for k, lower in enumerate(layers)
        for upper in layers[k + 1 :]
    ],
)
def test_no_folder_imports_one_from_a_higher_layer(package, lower, upper):
    for file in files(f"{package}/{lower}"):
        above = {m for m in modules(file) if f"{m}.".startswith(f"{package}.{upper}.")}

        assert not above, file


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_folders_do_not_import_each_other_in_a_circle(package):
    TopologicalSorter(neighbours(package)).prepare()  # names the circle


def neighbours(package):
    """Return the folders that the files of each folder import."""
    folders = [
        folder.name for folder in (ROOT / package).iterdir() if (folder / "__init__.py").exists()
    ]
    known = {
        folder: {
            m.split(".")[1]
            for file in files(f"{package}/{folder}")
            for m in modules(file)
            if m.startswith(f"{package}.")
        }
        for folder in folders
    }
    return {folder: found & set(folders) - {folder} for folder, found in known.items()}


@pytest.mark.parametrize("folder", BESIDE)
def test_independent_folders_do_not_import_each_other(folder):
    others = tuple(f"device.{other}." for other in BESIDE if other != folder)
    for file in files(f"device/{folder}"):
        assert not {m for m in modules(file) if m.startswith(others)}, file


def test_the_session_is_pure():
    for file in files("device/session"):
        ours = {m for m in modules(file) if m.partition(".")[0] in MAY_IMPORT}

        assert all(m.startswith(("game.", "vision.reading.", "device.session.")) for m in ours), (
            file
        )
        assert not imports(file) & {"threading", "queue", "time", "cv2", "numpy", "gpiozero"}, file


def test_files_are_replaced_in_only_one_module():
    places = {
        str(file.relative_to(ROOT))
        for file in files(*MAY_IMPORT)
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and takes_a_place(call)
    }

    assert places == {"game/file_io.py", *MOVED_ASIDE}


def takes_a_place(call):
    """Whether a call is `os.replace(a, b)`, `path.replace(b)`, or creates a temporary name."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    of_os = ast.unparse(call.func) == "os.replace"
    of_path = name == "replace" and len(call.args) == 1 and not call.keywords
    return of_os or of_path or name in {"mkstemp", "NamedTemporaryFile"}


def test_a_file_name_means_one_thing():
    places = defaultdict(list)
    for file in files(*MAY_IMPORT, "training"):
        if file.name != "__init__.py":
            places[file.stem].append(file)
    repeated = {stem for stem, found in places.items() if len(found) > 1}

    assert repeated == set(SHARED_NAMES)


def test_a_public_class_name_means_one_thing():
    classes = defaultdict(list)
    for file in files(*MAY_IMPORT, "training"):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(str(file.relative_to(ROOT)))

    assert {name: found for name, found in classes.items() if len(found) > 1} == {}
