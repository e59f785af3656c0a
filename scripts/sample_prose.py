"""Draw docstrings, sentences from the docs, and messages at random, for a reader to judge.

    python scripts/sample_prose.py --seed 1 > sample.txt

The reader marks every text that is unclear or unidiomatic. For the same commit, the same seed gives the same sample.
"""

import argparse
import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("bench", "game", "vision", "calibration", "device", "web", "training", "scripts")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs")
Definition = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings() -> Iterator[str]:
    """Yield every docstring in the packages, with its file and the signature that it describes."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, Definition) and (text := ast.get_docstring(node)):
                    place = path.relative_to(ROOT)
                    yield f"{place}: {signature(node)}\n{text}"


def signature(node: Definition) -> str:
    """Return the first line of a class or function, with its name and arguments, or "module" for a module."""
    match node:
        case ast.ClassDef():
            return f"class {node.name}"
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            return f"def {node.name}({ast.unparse(node.args)}){returns}"
        case _:
            return "module"


def sentences() -> Iterator[str]:
    """Yield every sentence of prose in the documents, excluding code, headings, pictures and table headers."""
    for root in DOCUMENTS:
        path = ROOT / root
        for document in [path] if path.is_file() else sorted(path.rglob("*.md")):
            text = re.sub(r"(?ms)^```.*?^```$", "", document.read_text("utf-8"))
            text = re.sub(r"(?m)^(    .*|#.*|!\\[.*|\|[-|]*\|)$", "", text)
            for block in re.split(r"\n\s*\n|\n(?=[-|0-9*])", text):
                for sentence in re.split(r"(?<=[.:?!]) +(?=[A-Z`*])", " ".join(block.split())):
                    if len(sentence.split()) > 3:  # noqa: PLR2004 - shorter ones are names
                        yield f"{document.relative_to(ROOT)}: {sentence}"


def messages() -> Iterator[str]:
    """Yield every English message of the page from the catalogue of translations."""
    catalogue = (ROOT / "web/translations/de/LC_MESSAGES/messages.po").read_text("utf-8")
    for entry in re.findall(r"(?m)^msgid (.*(?:\n\".*)*)", catalogue):
        text = "".join(ast.literal_eval(line) for line in entry.splitlines())
        if text:
            yield text


def draw(texts: Iterator[str], count: int, source: random.Random) -> list[str]:
    """Draw texts at random without repetition.

    Args:
        texts: All texts to choose from.
        count: Number of texts to draw. If there are fewer, all of them are drawn.
        source: Source of random numbers.
    """
    every = sorted(set(texts))
    return source.sample(every, min(count, len(every)))


def main() -> None:
    """Print a random sample of docstrings, sentences and messages, each with a number."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--docstrings", type=int, default=100)
    options.add_argument("--sentences", type=int, default=60)
    options.add_argument("--messages", type=int, default=10_000)
    chosen = options.parse_args()
    source = random.Random(chosen.seed)
    for title, texts, count in (
        ("Docstrings", docstrings(), chosen.docstrings),
        ("Sentences of the docs", sentences(), chosen.sentences),
        ("Messages", messages(), chosen.messages),
    ):
        print(f"\n## {title}\n")
        for number, text in enumerate(draw(texts, count, source), 1):
            print(f"{number}. {text}\n")


if __name__ == "__main__":
    main()
