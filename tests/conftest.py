"""What tests of several packages need."""

import os
import re
import sys
from collections.abc import Iterator
from functools import partialmethod
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import pytest
from babel.support import Translations
from flask.templating import Environment
from hypothesis import HealthCheck, settings
from jinja2 import StrictUndefined
from werkzeug.routing import Rule

from tests.browser import TRACES, chromium
from tests.clock import Clock

cv2.setNumThreads(1)
"""One thread per test, because several tests run at once."""

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
"""An example may take as long as a busy machine needs."""

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""Modules, tests and templates are compiled once, not by every worker, program and app again."""


Environment.__init__ = partialmethod(Environment.__init__, undefined=StrictUndefined)
"""In a test, a template that uses an unknown name fails. For a user, it leaves a gap instead of an error page."""


def pytest_collection_modifyitems(items):
    """Start slow tests first, so that no core has to wait for one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that all users can reach.

    pytest makes its own folders private when another run of tests starts.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture(scope="session", autouse=True)
def _apps_made_quickly():
    """Werkzeug compiles the routes of each app, and Babel reads its catalogues; hundreds of tests make the same app."""
    compile_one, read = Rule.compile, Translations.load
    compiled, catalogues = {}, {}

    def compile_once(rule):
        kind = type(rule), rule.rule, rule.host, rule.subdomain, rule.is_leaf, rule.merge_slashes
        if rule.defaults or rule.map.host_matching:
            compile_one(rule)
            return
        if kind not in compiled:
            compile_one(rule)
            compiled[kind] = {name: getattr(rule, name) for name in COMPILED}
        vars(rule).update(compiled[kind])

    def read_once(folder, locales, domain=None):
        name = str(folder), *map(str, locales), domain
        if name not in catalogues:
            catalogues[name] = read(folder, locales, domain)
        return catalogues[name]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "compile", compile_once)
        patch.setattr(Translations, "load", read_once)
        yield


COMPILED = ("_parts", "_trace", "_converters", "_build", "_build_unknown", "arguments")
"""What compiling a route sets in it."""


@pytest.fixture(scope="session")
def _chromium():
    with chromium() as browser:
        yield browser


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture
def browser(_chromium, request):
    """The one Chromium of this run, without a page. If `TRACES` is set, it records what a failing test did.

    The context that tests of a module share stays open.
    """
    shared = list(_chromium.contexts)
    yield _chromium
    for number, context in enumerate(_chromium.contexts):
        if TRACES and request.node.stash.get(FAILED, False):
            name = re.sub(r"\W+", "-", request.node.nodeid)
            context.tracing.stop(path=Path(TRACES) / f"{name}-{number}.zip")
            context.tracing.start(snapshots=True, screenshots=True)
        if context not in shared:
            context.close()
