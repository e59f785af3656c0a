"""The filters and functions for templates."""

import pytest

from web.pages.filters import (
    bar_percent,
    capitalised,
    chance,
    n_dice,
    points,
    qr_code,
    seat_colour,
    seat_shape,
)


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (1, "100%"), (0.5, "50.0%"), (0.002, "0.20%"), (1e-9, "<0.01%"), (1 - 1e-9, ">99.99%")],
)  # fmt: skip
def test_almost_certain_chance_is_not_shown_as_certain(share, text):
    assert chance(share) == text


def test_points_have_commas_and_a_minus_sign():
    assert [points(n) for n in (0, 12_345, -500)] == ["0", "12,345", "−500"]


def test_twenty_seats_all_look_different():
    looks = {(seat_colour(seat), seat_shape(seat)) for seat in range(20)}

    assert len(looks) == 20


def test_bar_is_clipped_to_its_ends():
    assert [bar_percent(n, 200) for n in (-5, 50, 400)] == [0, 25, 100]


def test_number_of_dice_is_written_in_words():
    assert [n_dice(n) for n in (1, 6, 7)] == ["one die", "six dice", "7 dice"]


def test_qr_code_is_an_svg_that_does_not_contain_its_text():
    svg = qr_code("http://traykeeper.local/<&")

    assert svg.startswith("<svg")
    assert "traykeeper" not in svg


def test_first_letter_becomes_a_capital_and_others_stay():
    assert [capitalised(text) for text in ("heiße Würfel", "hot dice", "")] == [
        "Heiße Würfel",
        "Hot dice",
        "",
    ]
