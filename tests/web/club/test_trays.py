"""The hall shows every tray as it stands, and asks for what it missed."""

import json
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.bench.self_play import SelfPlay
from game.match.match import Match
from game.stats.summary import summary
from tests.web.club.conftest import EVENING_S, RULES

ID = "00000000000000aa"


@pytest.fixture
def tape():
    tape = SelfPlay(Match.start(RULES, ["Anna", "Ben"]), ID, EVENING_S)
    random = Random(7)
    for _ in range(9):
        tape.play(random)
    return tape


def say(trays, kind, data, tray="t1"):
    trays.heard(tray, kind, data if isinstance(data, bytes) else json.dumps(data).encode())


def state_of(tape, **changes):
    last = tape.entries[-1]
    known = {"match": last.match, "seq": last.seq, "chain": last.chain}
    said = {"situation": "throw accepted", "message": "Anna throws.", "question": None, "page": ""}
    return known | said | summary(tape.match) | changes


def shown(trays, name="t1"):
    return next(tray for tray in trays.snapshot().trays if tray.name == name)


def test_events_are_shown_as_they_come(trays, tape):
    for entry in tape.entries:
        say(trays, "event", entry.to_json())

    assert shown(trays).summary == summary(tape.match)
    assert shown(trays).seq == 9


def test_a_tray_that_comes_is_asked_which_matches_it_has(trays, asked, tape):
    say(trays, "availability", b"online")
    say(trays, "answer", {"from": 0, "matches": [[ID, 9]], "more": False})

    assert asked == [("t1", {"from": 0}), ("t1", {"match": ID, "after": -1})]
    say(
        trays,
        "answer",
        {"match": ID, "entries": [e.to_json() for e in tape.entries[:4]], "more": True},
    )
    assert asked[-1] == ("t1", {"match": ID, "after": 3})
    say(
        trays,
        "answer",
        {"match": ID, "entries": [e.to_json() for e in tape.entries[4:]], "more": False},
    )
    say(trays, "state", state_of(tape))
    assert shown(trays).summary == summary(tape.match)
    assert len(asked) == 3


def test_a_tray_of_a_version_that_knows_no_rounds_is_shown(trays, tape):
    said = state_of(tape)
    del said["rounds"]
    say(trays, "state", said)

    assert shown(trays).summary["rounds"] == 0


def test_until_the_answer_comes_the_trays_own_word_is_shown(trays, asked, tape):
    say(trays, "state", state_of(tape))

    assert shown(trays).seq == -1
    assert shown(trays).summary == summary(tape.match)
    assert asked == [("t1", {"match": ID, "after": -1})]


def test_a_step_that_is_missing_is_asked_for_once(trays, asked, tape):
    for entry in (*tape.entries[:3], *tape.entries[5:]):
        say(trays, "event", entry.to_json())

    assert asked == [("t1", {"match": ID, "after": 2})]
    say(
        trays,
        "answer",
        {"match": ID, "entries": [e.to_json() for e in tape.entries[3:]], "more": False},
    )
    assert shown(trays).seq == 9


def test_a_tray_that_was_away_when_it_was_asked_is_asked_again(trays, asked, tape):
    say(trays, "availability", b"online")
    say(trays, "availability", b"offline")
    say(trays, "availability", b"online")

    assert asked == [("t1", {"from": 0})] * 2


def test_a_tray_with_another_past_is_asked_for_all_of_it(trays, asked, tape):
    for entry in tape.entries:
        say(trays, "event", entry.to_json())
    say(trays, "state", state_of(tape, chain="0" * 12))

    assert asked == [("t1", {"match": ID, "after": -1})]


def test_presence_and_leaving(trays):
    say(trays, "availability", b"online")
    assert shown(trays).online
    say(trays, "availability", b"offline")
    assert not shown(trays).online
    say(trays, "availability", b"")
    assert trays.snapshot().trays == ()


FIVE_DAYS_S = 5 * 24 * 3600


def said_to_have_begun(standings):
    (match,) = standings.matches()
    return match.began_s


@pytest.mark.parametrize("off_s", [-FIVE_DAYS_S, FIVE_DAYS_S])
def test_a_tray_whose_clock_is_days_off_plays_tonight(trays, tape, clock, standings, off_s):
    clock.now_s = EVENING_S - off_s
    say(trays, "availability", b"online")
    say(trays, "state", state_of(tape, match=None, players=[]))
    say(trays, "event", tape.entries[0].to_json())

    assert said_to_have_begun(standings) == clock.now_s


def test_a_clock_that_is_a_little_off_is_believed(trays, tape, clock, standings):
    clock.now_s = EVENING_S + 60
    say(trays, "state", state_of(tape, match=None, players=[]))
    say(trays, "event", tape.entries[0].to_json())

    assert said_to_have_begun(standings) == EVENING_S


def test_what_a_tray_played_while_it_was_away_was_not_played_tonight(trays, tape, clock, standings):
    clock.now_s = EVENING_S + FIVE_DAYS_S
    say(trays, "state", state_of(tape, match=None, players=[]))
    say(trays, "availability", b"online")
    say(trays, "event", tape.entries[0].to_json())
    say(trays, "state", state_of(tape))

    assert said_to_have_begun(standings) == EVENING_S


def test_a_screen_hears_of_a_change_and_not_of_none(trays):
    version = trays.snapshot().version

    assert trays.wait(version, 0.01) is None
    say(trays, "availability", b"online")
    assert trays.wait(version, 1).trays[0].online


def test_a_link_leads_to_a_tray_and_nowhere_else(trays, tape):
    say(trays, "state", state_of(tape, page="javascript:alert(1)"))
    assert shown(trays).page == ""
    say(trays, "state", state_of(tape, page="http://10.0.0.2:8000/"))
    assert shown(trays).page == "http://10.0.0.2:8000/"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
KINDS = st.sampled_from(["state", "event", "answer", "availability"])


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(KINDS, st.binary(max_size=60) | JSON.map(lambda data: json.dumps(data).encode()))
def test_whatever_is_said_on_its_topics_the_hall_stands(trays, kind, payload):
    trays.heard("evil", kind, payload)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_message_with_one_part_turned_bad_leaves_the_hall_standing(trays, tape, data):
    kind, message = data.draw(
        st.sampled_from(
            [
                ("state", state_of(tape)),
                ("event", tape.entries[0].to_json()),
                ("event", tape.entries[1].to_json()),
                ("answer", {"match": ID, "entries": [tape.entries[0].to_json()], "more": True}),
                ("answer", {"from": 0, "matches": [[ID, 9]], "more": True}),
            ]
        )
    )
    key = data.draw(st.sampled_from(sorted(message)))
    say(trays, kind, message | {key: data.draw(JSON)})
    for tray in trays.snapshot().trays:
        assert len(tray.message) <= 300


def test_a_flood_of_tray_names_ends_somewhere(trays):
    for number in range(1_500):
        say(trays, "availability", b"offline", f"t{number}")

    assert len(trays.snapshot().trays) == 1_000
