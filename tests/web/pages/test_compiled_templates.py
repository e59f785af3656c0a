"""The cache of compiled templates."""

import sys

import pytest
from jinja2 import Environment, FileSystemLoader

from web.pages.compiled_templates import CompiledTemplates


@pytest.fixture
def templates(tmp_path, monkeypatch):
    """A folder with one template, where Python may write bytecode."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / "page.html").write_text("Hello {{ name }}", "utf-8")
    return tmp_path


def rendered(templates):
    """Render the template in a new environment, as after a restart."""
    loader = FileSystemLoader(templates)
    environment = Environment(
        loader=loader, autoescape=True, bytecode_cache=CompiledTemplates(templates)
    )
    return environment.get_template("page.html").render(name="Anna")


def cached(templates):
    return list(templates.glob("__pycache__/*.jinja"))


def test_next_start_uses_the_cache(templates, monkeypatch):
    rendered(templates)
    monkeypatch.delattr(Environment, "compile")

    assert rendered(templates) == "Hello Anna"


def test_changed_template_is_compiled_again(templates):
    rendered(templates)
    (templates / "page.html").write_text("Good bye {{ name }}", "utf-8")

    assert rendered(templates) == "Good bye Anna"
    assert len(cached(templates)) == 1


@pytest.mark.parametrize("cut", [0, 20, 40, -1])
def test_truncated_cache_file_is_replaced(templates, cut):
    rendered(templates)
    (file,) = cached(templates)
    whole = file.read_bytes()
    file.write_bytes(whole[:cut])

    assert rendered(templates) == "Hello Anna"
    assert file.read_bytes() == whole


def test_nothing_is_cached_if_python_writes_no_bytecode(templates, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    assert rendered(templates) == "Hello Anna"
    assert cached(templates) == []


def test_unwritable_cache_folder_is_ignored(templates):
    (templates / "__pycache__").write_text("in the way", "utf-8")

    assert rendered(templates) == "Hello Anna"
