import re

from device.bench.start import start


def test_a_start_is_timed_to_the_page(capsys):
    start(runs=1)

    said = capsys.readouterr().out
    assert "play to page: median" in said
    assert "libraries alone" in said
    assert re.search(r"keeps 1 1 5: median \d+ ms of 1; python -c pass \d+ ms: [\d.]+ times", said)
