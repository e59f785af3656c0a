from device.bench.web import web


def test_every_phone_is_told_of_every_action(capsys):
    assert web(phones=5, seconds=3)

    said = capsys.readouterr().out
    assert "action to the last of 5 phones" in said
    assert "0 snapshots missed" in said
