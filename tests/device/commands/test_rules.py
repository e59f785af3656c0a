"""What `traykeeper match` prints."""

from click.testing import CliRunner

from device.commands.rules import match

OVERSHOT = """rules standard
option win = "exactly"
player Anna
player Ben
!score 1 9500
111234: 111 = 1000, bank
"""


def test_a_turn_that_overshoots_is_not_shown_as_a_bank(tmp_path):
    file = tmp_path / "evening.txt"
    file.write_text(OVERSHOT)

    shown = CliRunner().invoke(match, [str(file)]).output

    assert "1 1 1 2 3 4 kept 1 1 1: overshoots with 1,000" in shown
    assert "bank" not in shown
