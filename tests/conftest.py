"""What tests of more than one room need."""

import cv2
import pytest
from flask import Flask
from jinja2 import FileSystemBytecodeCache

from tests.browser import chromium
from tests.clock import Clock

cv2.setNumThreads(1)
"""Several tests run at once: threads of each would only stand in the others' way."""


def pytest_collection_modifyitems(items):
    """What takes long begins early, or one core waits for it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(scope="session", autouse=True)
def _compiled_templates(tmp_path_factory):
    """Templates are compiled once, not for every app that a test makes."""
    folder = tmp_path_factory.getbasetemp() / "templates"
    folder.mkdir(exist_ok=True)
    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(str(folder))}


@pytest.fixture(scope="session")
def _chromium():
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(_chromium):
    """The one Chromium of this run, with nothing open."""
    yield _chromium
    for context in _chromium.contexts:
        context.close()
