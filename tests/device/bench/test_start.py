import re

from device.bench.start import start


def test_a_start_is_timed_to_the_page_and_rest_is_weighed(capsys):
    start(runs=1, rest_s=0.5)

    said = capsys.readouterr().out
    assert "play to page: median" in said
    assert "libraries alone" in said
    assert re.search(r"keeps 1 1 5: median \d+ ms of 1; python -c pass \d+ ms: [\d.]+ times", said)
    assert re.search(
        r"at rest: [\d.]+ % of a core in 0\.5 s, \d+ MB of its own; libraries alone \d+ MB", said
    )


def test_where_no_system_says_what_rest_takes_the_rest_is_measured_all_the_same(
    capsys, monkeypatch
):
    monkeypatch.setattr("device.bench.start.can_tell", lambda: False)

    start(runs=1, rest_s=0.5)

    said = capsys.readouterr().out
    assert "play to page: median" in said
    assert "at rest: not measured" in said
