import sys

import pytest
from jinja2 import Environment, FileSystemLoader

from web.pages.compiled_templates import CompiledTemplates


@pytest.fixture
def templates(tmp_path, monkeypatch):
    """A folder with one template; Python may keep what it compiled, beside it."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / "page.html").write_text("Hello {{ name }}", "utf-8")
    return tmp_path


def said(templates):
    """By a program that was just started."""
    loader = FileSystemLoader(templates)
    environment = Environment(
        loader=loader, autoescape=True, bytecode_cache=CompiledTemplates(templates)
    )
    return environment.get_template("page.html").render(name="Anna")


def kept(templates):
    return list(templates.glob("__pycache__/*.jinja"))


def test_the_next_start_compiles_nothing(templates, monkeypatch):
    said(templates)
    monkeypatch.delattr(Environment, "compile")

    assert said(templates) == "Hello Anna"


def test_a_changed_template_is_compiled_anew(templates):
    said(templates)
    (templates / "page.html").write_text("Good bye {{ name }}", "utf-8")

    assert said(templates) == "Good bye Anna"
    assert len(kept(templates)) == 1


@pytest.mark.parametrize("cut", [0, 20, 40, -1])
def test_what_a_power_cut_left_is_not_run(templates, cut):
    said(templates)
    (file,) = kept(templates)
    whole = file.read_bytes()
    file.write_bytes(whole[:cut])

    assert said(templates) == "Hello Anna"
    assert file.read_bytes() == whole


def test_nothing_is_kept_where_python_keeps_nothing(templates, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    assert said(templates) == "Hello Anna"
    assert kept(templates) == []


def test_a_folder_that_is_not_ours_is_no_trouble(templates):
    (templates / "__pycache__").write_text("in the way", "utf-8")

    assert said(templates) == "Hello Anna"
