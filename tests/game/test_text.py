"""A match as text: what is written reads back, and what cannot be read is named."""

import pytest

from game import rulefile
from game.errors import NotationError
from game.events import Banked, Joined, Kept, Renamed, Spliced, Thrown
from game.match import Match
from game.text import from_text, insertion, to_text

HEAD = "traykeeper match 1\nrules walnut-studiolo\nplayer Anna\nplayer Ben\n"


def test_a_turn_is_one_line():
    match = Match.start(rulefile.load("walnut-studiolo"), ["Anna", "Ben"])
    match = match.throw((1, 1, 3, 3, 3, 5)).keep((1, 3, 3, 3)).throw((2, 6))

    assert to_text(match).splitlines()[4].startswith("113335: 333 1 = 400 | 26: farkle  ")


def test_an_assumed_keep_and_a_bank_are_marked():
    match = from_text(HEAD + "115234: ~11 = 200 | 5556: 555 = 500, bank")
    first, second = match.state.turns[0].throws

    assert first.assumed
    assert not second.assumed
    assert match.timeline[-1] == Banked((5, 5, 5))
    assert match.state.players[0].score == 700


def test_names_may_hold_any_sign():
    match = Match.start(rulefile.load("standard"), ["a|b", "50% #1"])

    assert from_text(to_text(match)) == match


def test_what_happens_in_mid_turn_stays_in_its_place():
    match = Match.start(rulefile.load("standard"), ["Anna", "Ben"])
    match = match.push(Thrown((1, 2, 3, 4, 6, 6)), Joined("Cleo"), Kept((1,)), Renamed(0, "A"))

    assert "123466: | !join Cleo | : 1 = 100 | !rename 1 A" in to_text(match)
    assert from_text(to_text(match)).state == match.state


def test_house_rules_travel_with_the_match():
    rules = rulefile.parse(
        'extends = "walnut-studiolo"\nopening = 350\ntriples = { 1 = 300 }', name="house", where="x"
    )
    match = Match.start(rules, ["Anna", "Ben"])

    assert from_text(to_text(match)).rules == rules


@pytest.mark.parametrize("name", rulefile.names())
def test_every_published_set_is_named_in_one_line(name):
    text = to_text(Match.start(rulefile.load(name), ["Anna", "Ben"]))

    assert "option" not in text
    assert from_text(text).rules == rulefile.load(name)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("113335: 333 1 = 450", "line 5: 333 1 is 400 in Farkle / 10,000"),
        ("113335: 4 = 400", "line 5: there are no 4 in this throw"),
        ("113337", "line 5: '113337' is no throw"),
        ("113335: bank it", "line 5: 'bank it' is no keep of a throw"),
        ("113335: farkle", "says farkle, but the throw does not end the turn"),
        ("223446:", "says that the turn goes on, but the throw ends the turn: farkle"),
        ("112346: 11 = 200, bank", "line 5: 200 is 300 short of the opening"),
        ("!dance", "line 5: '!dance' is not known"),
        ("!leave x", "line 5: '!leave x' is not known"),
        ("1133: 11 = 200", "line 5: expected 6 dice, not 4"),
        (": 11 = 200", "is no keep of a throw"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(line, message):
    with pytest.raises(NotationError) as error:
        from_text(HEAD + line)

    assert message in str(error.value)


def test_a_turn_is_put_in_before_another():
    match = from_text(HEAD + "113335: 333 11 5 = 550, bank\n223446: farkle")
    after = match.push(insertion(match, "111234: 111 = 1000, bank", before=0))

    assert [player.score for player in after.state.players] == [1000, 550]
    assert after.undo() == match
    assert insertion(match, "223446: farkle") == Spliced(3, 3, (Thrown((2, 2, 3, 4, 4, 6)),))


@pytest.mark.parametrize("line", ["115234: 11 = ,", "!score x y", "!order a"])
def test_figures_that_are_none_are_refused(line):
    with pytest.raises(NotationError, match="line 5"):
        from_text(HEAD + line)


def test_superscript_figures_are_refused():
    with pytest.raises(NotationError, match="whole numbers"):
        from_text("traykeeper match 1\nplayer Anna\nplayer Ben\nfirst ²\n115234:")
