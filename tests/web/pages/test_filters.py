import pytest

from web.pages.filters import (
    chance,
    n_dice,
    percent,
    points,
    qr_code,
    seat_colour,
    seat_shape,
    sentence,
)


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0%"), (1, "100%"), (0.5, "50.0%"), (0.002, "0.20%"), (1e-9, "<0.01%"), (1 - 1e-9, ">99.99%")],
)  # fmt: skip
def test_what_is_nearly_sure_is_not_called_sure(share, said):
    assert chance(share) == said


def test_points_have_commas_and_a_true_minus():
    assert [points(n) for n in (0, 12_345, -500)] == ["0", "12,345", "−500"]


def test_twenty_seats_never_look_alike():
    looks = {(seat_colour(seat), seat_shape(seat)) for seat in range(20)}

    assert len(looks) == 20


def test_a_bar_stays_within_its_ends():
    assert [percent(n, 200) for n in (-5, 50, 400)] == [0, 25, 100]


def test_dice_are_counted_in_words():
    assert [n_dice(n) for n in (1, 6, 7)] == ["one die", "six dice", "7 dice"]


def test_the_code_to_join_is_an_svg_without_its_text():
    svg = qr_code("http://traykeeper.local/<&")

    assert svg.startswith("<svg")
    assert "traykeeper" not in svg


def test_a_sentence_begins_with_a_capital_and_keeps_its_others():
    assert [sentence(text) for text in ("heiße Würfel", "hot dice", "")] == [
        "Heiße Würfel",
        "Hot dice",
        "",
    ]
