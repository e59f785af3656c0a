from bench.web import command


def test_every_phone_receives_every_action(capsys):
    assert command.callback(phones=5, seconds=3) == 0

    output = capsys.readouterr().out
    assert "action to the last of 5 phones" in output
    assert "0 snapshots missed" in output
