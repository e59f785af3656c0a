"""A match as text: the text can be read back, and errors name the line."""

import pytest

from game.errors import GameError, IllegalMove, NotationError
from game.match.events import Banked, Joined, Kept, Renamed, Spliced, Thrown
from game.match.match import Match
from game.match.match_text import from_text, inserted_turn, to_text
from game.rules import rule_files

HEAD = "traykeeper match 1\nrules walnut-studiolo\nplayer Anna\nplayer Ben\n"


def test_a_turn_is_one_line():
    match = Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben"])
    match = match.throw((1, 1, 3, 3, 3, 5)).keep((1, 3, 3, 3)).throw((2, 6))

    assert to_text(match).splitlines()[4].startswith("113335: 333 1 = 400 | 26: farkle  ")


def test_an_assumed_keep_and_a_bank_are_marked():
    match = from_text(HEAD + "115234: ~11 = 200 | 5556: 555 = 500, bank")
    first, second = match.state.turns[0].throws

    assert first.assumed
    assert not second.assumed
    assert match.timeline[-1] == Banked((5, 5, 5))
    assert match.state.players[0].score == 700


def test_names_may_have_any_character():
    match = Match.start(rule_files.load("standard"), ["a|b", "50% #1"])

    assert from_text(to_text(match)) == match


def test_a_rules_file_name_may_have_any_character():
    rules = rule_files.parse('extends = "zilch"', name="zilch # 50% | mine", where="x")
    match = Match.start(rules, ["Anna", "Ben"])

    assert from_text(to_text(match)) == match


def test_events_in_mid_turn_keep_their_place():
    match = Match.start(rule_files.load("standard"), ["Anna", "Ben"])
    match = match.push(Thrown((1, 2, 3, 4, 6, 6)), Joined("Cleo"), Kept((1,)), Renamed(0, "A"))

    assert "123466: | !join Cleo | : 1 = 100 | !rename 1 A" in to_text(match)
    assert from_text(to_text(match)).state == match.state


def test_the_text_includes_house_rules():
    rules = rule_files.parse(
        'extends = "walnut-studiolo"\nopening = 350\ntriples = { 1 = 300 }', name="house", where="x"
    )
    match = Match.start(rules, ["Anna", "Ben"])

    assert from_text(to_text(match)).rules == rules


@pytest.mark.parametrize("name", rule_files.names())
def test_a_published_rule_set_takes_one_line(name):
    text = to_text(Match.start(rule_files.load(name), ["Anna", "Ben"]))

    assert "option" not in text
    assert from_text(text).rules == rule_files.load(name)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("113335: 333 1 = 450", "line 5: 333 1 scores 400 in Farkle (Walnut"),
        ("113335: 4 = 400", "line 5: there is no 4 in this throw"),
        ("113337", "line 5: '113337' is not a throw"),
        ("113335: bank it", "line 5: 'bank it' is not a keep"),
        ("113335: farkle", "the line says farkle, but the throw does not end the turn"),
        (
            "223446:",
            "the line says that the turn continues, but the throw ends the turn: farkle",
        ),
        (
            "112346: 11 = 200, bank",
            "line 5: 200 is 300 short of the 500 needed to get on the board",
        ),
        ("!dance", "line 5: '!dance' is unknown"),
        ("!leave x", "line 5: '!leave x' is unknown"),
        ("1133: 11 = 200", "line 5: expected 6 dice, not 4"),
        (": 11 = 200", "is not a keep"),
        (":", "'' is not a keep"),
        ("113335: ~ = 5", "'~ = 5' is not a keep"),
        (": farkle", "'farkle' is not a keep"),
        ("155534: ~555 = 500, bank", "the line says 500, but 1 5 5 5 = 600 is banked"),
        ("111234: 111 = ١٠٠٠, bank", "is not a keep"),
        ("!score 1 1_000", "is unknown"),
        ("!score 1 99999999", "a score can be at most 1,000,000"),
        ("!leave 3", "that player is not in the match"),
        ("!join/101 Cleo", "team numbers are 0 to 100"),
        ("x" * 5000, "is not a throw"),
    ],
)
def test_an_unreadable_line_is_named(line, message):
    with pytest.raises(NotationError) as error:
        from_text(HEAD + line)

    assert message in str(error.value)
    assert len(str(error.value)) < 200


def test_a_turn_is_inserted_before_another():
    match = from_text(HEAD + "113335: 333 11 5 = 550, bank\n223446: farkle")
    after = match.push(inserted_turn(match, "111234: 111 = 1000, bank", before=0))

    assert [player.score for player in after.state.players] == [1000, 550]
    assert after.undo() == match
    assert inserted_turn(match, "223446: farkle") == Spliced(3, 3, (Thrown((2, 2, 3, 4, 4, 6)),))


@pytest.mark.parametrize("line", ["115234: 11 = ,", "!score x y", "!order a"])
def test_invalid_numbers_are_refused(line):
    with pytest.raises(NotationError, match="line 5"):
        from_text(HEAD + line)


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("", "line 1: a match needs 2 to 20 players, not 0"),
        ("\n\nplayer Anna\n\n", "line 3: a match needs 2 to 20 players, not 1"),
        ("113335:", "line 1: a match needs 2 to 20 players, not 0"),
        ("player Anna\nplayer Anna\nfirst 2", "line 2: two players are called Anna"),
        ("player\nplayer Ben", "line 1: '' is not a valid name: use 1 to 24"),
        ("player/x Anna\nplayer Ben", "line 1: 'x' is not a whole number"),
        ("player/1 Anna\nplayer/1 Ben", "line 2: a match needs at least two teams"),
        ("player Anna\nplayer Ben\nfirst ²", "line 3: '²' is not a whole number"),
        ("player Anna\nfirst 3\nplayer Ben", "line 2: seat 3 cannot begin"),
        ("# ours\nrules walnut\nplayer Anna", "line 2: there is no rule set 'walnut'"),
        ("rules walnut\noption target = 5000", "line 1: there is no rule set 'walnut'"),
        ("rules zilch\n\noption opening = -5", "line 3: opening is -5"),
        ("option target = 5\noption opening = ", "line 2: not valid TOML: Invalid value"),
        ("option target = " + "9" * 5000, "line 1: not valid TOML: a value is too long"),
        ("option target =\n\noption target = [", "line 1: not valid TOML: Invalid value"),
        ("traykeeper match 2\nplayer Anna", "line 1: unknown line 'traykeeper match 2'"),
        ("player Anna\nplayer Ben\n113335:\nrules zilch", "line 4: 'rules zilch' is not a throw"),
    ],
)
def test_an_error_in_the_header_is_named_with_its_line(head, message):
    with pytest.raises(GameError) as error:
        from_text(head, where="evening.txt")

    assert str(error.value).startswith("evening.txt")
    assert message in str(error.value)


def test_an_alias_stands_for_its_published_rule_set():
    match = from_text("rules 5000\noption target = 3000\nplayer Anna\nplayer Ben\n")

    assert match.rules == rule_files.with_options(
        rule_files.load("five-thousand"), {"target": 3000}
    )


def test_a_house_file_is_not_mistaken_for_a_published_alias():
    rules = rule_files.parse('extends = "zilch"\ntitle = "Ours"', name="5000", where="5000.toml")
    match = Match.start(rules, ["Anna", "Ben"])

    assert from_text(to_text(match)) == match


def test_windows_line_endings_count_as_one_line():
    with pytest.raises(NotationError, match="line 3: 'x' is not a throw"):
        from_text("player A\x0cnna\r\nplayer Ben\r\nx\r\n")


MUST_BANK = HEAD + "option must_bank_after_triple = true\noption opening = 0\n"


@pytest.mark.parametrize("line", ["122346: 1 = 100, bank", "222346: ~222 = 200, bank  # Anna"])
def test_an_inserted_turn_is_played_like_a_replayed_one(line):
    match = from_text(MUST_BANK)

    assert match.push(inserted_turn(match, line)).state == from_text(MUST_BANK + line).state


@pytest.mark.parametrize(
    "line",
    [
        "113346: farkle",
        "223446:",
        "222346: 222 = 200",
        "112224: 1 = 100, bank",
        ":",
        "!score 1 9999999",
    ],
)
def test_an_impossible_turn_cannot_be_inserted(line):
    match = from_text(MUST_BANK)

    with pytest.raises(GameError) as replayed:
        from_text(MUST_BANK + line)
    with pytest.raises(GameError) as put_in:
        inserted_turn(match, line)
    assert str(replayed.value) == f"match, line 7: {put_in.value}"


def test_a_turn_cannot_be_inserted_before_a_missing_event():
    with pytest.raises(IllegalMove, match="there are no events 3 to 0, only 0 in all"):
        inserted_turn(from_text(HEAD), "223446: farkle", before=3)


def test_a_keep_is_inserted_after_its_throw():
    match = from_text(HEAD + "113334: 11 = 200 | 5226: 5 = 50")
    after = match.push(inserted_turn(from_text(HEAD + "113334:"), ": 11 = 200"))

    assert after.state == match.state
