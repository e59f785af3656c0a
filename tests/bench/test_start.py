import re

import pytest

from bench.start import command

pytestmark = pytest.mark.long


def test_start_measures_the_time_to_the_page_and_the_idle_load(capsys):
    command.callback(runs=1, rest_s=0.5)

    output = capsys.readouterr().out
    assert "play to page: median" in output
    assert "libraries alone" in output
    assert re.search(
        r"keeps 1 1 5: median \d+ ms of 1; python -c pass \d+ ms: [\d.]+ times", output
    )
    assert re.search(
        r"at rest: [\d.]+ % of a core in 0\.5 s, \d+ MB of its own; libraries alone \d+ MB", output
    )


def test_start_measures_the_other_times_where_the_system_does_not_report_the_load(
    capsys, monkeypatch
):
    monkeypatch.setattr("bench.start.has_proc", lambda: False)

    command.callback(runs=1, rest_s=0.5)

    output = capsys.readouterr().out
    assert "play to page: median" in output
    assert "at rest: not measured" in output
