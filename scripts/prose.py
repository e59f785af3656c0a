"""Check the prose of docstrings, comments and docs: archaic phrases, and arguments without a description.

Spelling is checked by `typos` and the form of docstrings by ruff; both are set up in pyproject.toml.

    python scripts/prose.py game vision README.md docs
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PHRASES = {
    r"as ever": "as before, or leave it out",
    r"in vain": "without success",
    r"anew": "again",
    r"heeds?": "acknowledge, or obey",
    r"whoever": "name the person: the player, the user",
    r"thither|hither|hence|thus|thereof|herein|wherein|whereby|whence|lest|ere|nigh|albeit|forthwith": (
        "a plain word: so, there, of it, in which"
    ),
    r"upon|amongst|whilst|shall|aught|naught|nought|unto": "on, among, while, must, anything, nothing, to",
    r"(?:he|she|it|they|that|what|who) (?:is|are|was|were) told": "say who tells whom, or use a plain verb",
    r"(?:lies?|lay|lying) (?:well|ill)": "is flat, or is cocked",
    r"the one of before": "the previous one",
    r"the same of": "say what is the same",
    r"what is none": "name the thing that is rejected",
}
"""Phrases that are archaic or hide the subject, and what to write instead."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Finding(NamedTuple):
    """A place in a file that needs rewriting, and the reason."""

    path: Path
    line: int
    what: str

    def __str__(self) -> str:
        """Return the finding as `path:line: what`, which editors can jump to."""
        return f"{self.path}:{self.line}: {self.what}"


def prose_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line of docstrings and comments, or of each line of prose in a document."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from lines_outside_fences(source)
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = node.value.value
            if isinstance(text, str):
                for offset, line in enumerate(text.splitlines()):
                    yield node.lineno + offset, line


def lines_outside_fences(document: str) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line in a Markdown document that is not in a fenced code block."""
    is_code = False
    for number, line in enumerate(document.splitlines(), 1):
        is_code ^= line.lstrip().startswith("```")
        if not is_code:
            yield number, line


def without_code(text: str) -> str:
    """Return a text without its code spans, because the names in them cannot be rewritten."""
    return re.sub(r"`[^`]*`", "", text)


def archaic(path: Path) -> Iterator[Finding]:
    """Yield a finding for each archaic phrase in the prose of a file."""
    for line, text in prose_of(path):
        for phrase, remedy in PHRASES.items():
            found = re.search(rf"\b(?:{phrase})\b", without_code(text), re.IGNORECASE)
            if found:
                yield Finding(path, line, f"{found[0]!r}: write {remedy}")


def public_functions(body: list[ast.stmt]) -> Iterator[Function]:
    """Yield the public functions of a module and the public methods of its public classes."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node.body)
        elif isinstance(node, Function) and not node.name.startswith("_"):
            yield node


def undescribed(path: Path) -> Iterator[Finding]:
    """Yield a finding for each public function whose docstring has an Args section that leaves out an argument."""
    for function in public_functions(ast.parse(path.read_text(encoding="utf-8")).body):
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        names = [a.arg for a in every if a.arg not in {"self", "cls"} and not a.arg.startswith("_")]
        text = ast.get_docstring(function) or ""
        _, has_section, section = text.partition("Args:\n")
        missing = [n for n in names if not re.search(rf"^\s+{n}: ", section, re.MULTILINE)]
        if has_section and missing:
            problem = f"{function.name} does not describe {', '.join(missing)}"
            yield Finding(path, function.lineno, problem)


def files_of(roots: list[str]) -> Iterator[Path]:
    """Yield the files named by the roots, and all Python and Markdown files in the folders named by them."""
    for root in map(Path, roots):
        if root.is_file():
            yield root
        else:
            yield from sorted(p for p in root.rglob("*") if p.suffix in {".py", ".md"})


def main(roots: list[str]) -> int:
    """Print all findings, and return the exit status: 1 if there are any, otherwise 0."""
    findings = [
        finding
        for path in files_of(roots)
        for check in ((archaic, undescribed) if path.suffix == ".py" else (archaic,))
        for finding in check(path)
    ]
    print(*findings, sep="\n", end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
