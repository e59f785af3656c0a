"""Ten thousand random rule files and match texts, given to the command line: one line, or an end."""

import random

import pytest

from bench.self_play import whole_match
from device.cli import main
from game.match.match_text import to_text
from game.rules import rule_files
from tests.campaigns.mutants import mutant
from tests.campaigns.rule_texts import rule_text
from tests.campaigns.size import count
from tests.campaigns.test_fuzz_text import RULES

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(7200)]

DONE, CHECK_FAILED, BAD_INPUT = 0, 1, 2
SHORT = {"target": 1_500}


def told(args, capsys):
    """Run a command, and return its exit code and what it printed to stdout and stderr."""
    with pytest.raises(SystemExit) as ended:
        main(args)
    printed = capsys.readouterr()
    return ended.value.code or DONE, printed.out, printed.err


def check(code, out, err, about):
    """A refusal is one line, a failed check one for each fault; anything else prints an answer."""
    lines = err.splitlines()
    assert code in (DONE, CHECK_FAILED, BAD_INPUT), about
    assert all(line.startswith("traykeeper: ") for line in lines), about
    assert "Traceback" not in out, about
    if code == DONE:
        assert out.strip(), about
    else:
        assert len(lines) == 1 or (code == CHECK_FAILED and lines), about


def give_all(texts, args, path, capsys):
    """Write each text to the file, run the command on it, and return how often each code came."""
    codes = dict.fromkeys((DONE, CHECK_FAILED, BAD_INPUT), 0)
    for number, data in enumerate(texts):
        path.write_bytes(data)
        code, out, err = told([*args, str(path)], capsys)
        check(code, out, err, f"text {number}: {data!r}\n{out}{err}")
        codes[code] += 1
    return codes


def rule_files_of(n):
    """Yield random rule files and mutants of the published ones, by turns."""
    rng = random.Random(48)
    published = [file.read_bytes() for file in sorted(RULES.glob("*.toml"))]
    for number in range(n):
        yield mutant(rng.choice(published), rng) if number % 2 else rule_text(rng).encode()


def match_texts(n):
    """Yield mutants of matches under several rule sets, and whole ones now and then."""
    rng = random.Random(49)
    names = ["walnut-studiolo", "zilch", "stirler", "greed-five", "kcd"]
    known = [name for name in names if name in rule_files.names()]
    rules = [rule_files.with_options(rule_files.load(name), SHORT) for name in known]
    whole = [
        to_text(whole_match(each, ["Anna", "Ben"], seed, 0).match).encode()
        for seed, each in enumerate(rules)
    ]
    for number in range(n):
        text = rng.choice(whole)
        yield mutant(text, rng) if number % 10 else text


def test_a_rule_file_is_checked_in_one_line_or_to_an_end(tmp_path, capsys):
    n = count(60, 5_000)
    codes = give_all(rule_files_of(n), ["rules", "check"], tmp_path / "house.toml", capsys)

    assert codes[BAD_INPUT] + codes[CHECK_FAILED] > n / 10
    assert codes[DONE] > n / 20
    print(f"\n{n:,} rule files: exit codes {codes}")


def test_a_match_text_is_refused_in_one_line_or_played_to_an_end(tmp_path, capsys):
    n = count(60, 5_000)
    codes = give_all(match_texts(n), ["match"], tmp_path / "evening.txt", capsys)

    assert codes[BAD_INPUT] > n / 10
    assert codes[DONE] >= n / 10
    print(f"\n{n:,} match texts: exit codes {codes}")
