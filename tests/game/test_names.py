"""Names that players may have."""

import pytest

from game.errors import IllegalMove
from game.names import MAX_NAME, clean_name, clean_names


@pytest.mark.parametrize(
    "name",
    [
        "Zoë",
        "李雷",
        "محمد",
        "علی\u200cرضا",
        "O'Neil #2",
        "👨\u200d👩\u200d👧\u200d👦",
        "🏳\ufe0f\u200d🌈",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "🇩🇪",
        "👋🏽 Mia",
        "\U0001fae8",
        "x" * MAX_NAME,
    ],
)
def test_names_in_any_script_and_emoji_are_accepted(name):
    assert clean_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " \u00a0\u3000 ",
        "\u200d",
        "\u200b",
        "\u3164",
        "\u2800",
        "\u0301",
        "\ufe0f",
        "A\x00",
        "A\x1b[2J",
        "A\u202eB",
        "A\u2066B",
        "A\u200fB",
        "A\ufeffB",
        "A\udc80",
        "A\ue000",
    ],
)
def test_unreadable_names_are_refused(name):
    with pytest.raises(IllegalMove, match="not a valid name: use 1 to 24 printable characters"):
        clean_name(name)


def test_name_that_is_too_long_is_refused_with_its_length():
    with pytest.raises(IllegalMove, match="a name has at most 24 characters, not 25: 'x"):
        clean_name("x" * (MAX_NAME + 1))


def test_names_that_look_the_same_are_equal():
    with pytest.raises(IllegalMove, match="two players are called Zoë"):
        clean_names(["Zoë", " Zoe\u0308\u200d "])
