from device.bench.start import start


def test_a_start_is_timed_to_the_page(capsys):
    start(runs=1)

    said = capsys.readouterr().out
    assert "play to page: median" in said
    assert "libraries alone" in said
