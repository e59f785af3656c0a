"""The board shows the state of every tray and asks for the entries that it missed."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.self_play import SelfPlay
from game.match.match import Match
from game.match.state import Series
from game.stats.summary import summary
from tests.examples import SHARED_FIXTURES
from tests.web.club.conftest import EVENING_S, RULES
from web.club.tray_inbox import MAX_OPEN_REQUESTS, RETRY_S, TrayRequests

ID = "00000000000000aa"


@pytest.fixture
def tape():
    tape = SelfPlay(Match.start(RULES, ["Anna", "Ben"]), ID, EVENING_S)
    random = Random(7)
    for _ in range(9):
        tape.play(random)
    return tape


def send(inbox, kind, data, tray="t1"):
    inbox.on_message(tray, kind, data if isinstance(data, bytes) else json.dumps(data).encode())


def state_of(tape, **changes):
    last = tape.entries[-1]
    known = {"match": last.match, "seq": last.seq, "chain": last.chain}
    texts = {"situation": "throw accepted", "message": "Anna throws.", "question": None, "page": ""}
    return known | texts | summary(tape.match) | changes


def shown(trays, name="t1"):
    return next(tray for tray in trays.snapshot().trays if tray.name == name)


def test_events_update_the_tray(inbox, trays, tape):
    for entry in tape.entries:
        send(inbox, "event", entry.to_json())

    assert shown(trays).summary == summary(tape.match)
    assert shown(trays).seq == 9


def test_tray_that_comes_online_is_asked_for_its_matches(inbox, trays, asked, tape):
    send(inbox, "availability", b"online")
    send(inbox, "answer", {"from": 0, "matches": [[ID, 9]], "more": False})

    assert asked == [("t1", {"from": 0}), ("t1", {"match": ID, "after": -1})]
    send(
        inbox,
        "answer",
        {"match": ID, "entries": [e.to_json() for e in tape.entries[:4]], "more": True},
    )
    assert asked[-1] == ("t1", {"match": ID, "after": 3})
    send(
        inbox,
        "answer",
        {"match": ID, "entries": [e.to_json() for e in tape.entries[4:]], "more": False},
    )
    send(inbox, "state", state_of(tape))
    assert shown(trays).summary == summary(tape.match)
    assert len(asked) == 3


def test_match_at_two_trays_is_shown_at_both_and_faults_of_either_are_still_logged(
    inbox, trays, asked, tape, caplog
):
    for entry in tape.entries:
        send(inbox, "event", entry.to_json(), "host")
        send(inbox, "event", entry.to_json(), "guest")
    for tray in ("host", "guest"):
        send(inbox, "state", state_of(tape), tray)

    assert shown(trays, "host").summary == shown(trays, "guest").summary == summary(tape.match)
    assert asked == []
    assert caplog.messages == []
    send(inbox, "event", b"no entry", "guest")
    assert [message.partition(":")[0] for message in caplog.messages] == ["guest"]


def test_score_of_a_series_is_right_although_its_first_match_arrives_last(inbox, trays, client):
    series = Series(3, "5" * 16)
    first = SelfPlay(
        Match.start(RULES, ["Anna", "Ben"], series=series), "00000000000000bb", EVENING_S
    )
    random = Random(3)
    while first.match.state.winner is None:
        first.play(random)
    second = SelfPlay(
        Match.start(RULES, ["Anna", "Ben"], first=1, series=series), ID, EVENING_S + 600
    )
    send(inbox, "availability", b"online")
    for entry in second.entries:
        send(inbox, "event", entry.to_json())
    assert shown(trays).summary["series"]["wins"] == [0, 0]
    entries = [entry.to_json() for entry in first.entries]
    send(inbox, "answer", {"match": first.entries[0].match, "entries": entries, "more": False})
    expected = [int(first.match.state.winner == seat) for seat in (0, 1)]

    assert shown(trays).summary["series"]["wins"] == expected
    assert shown(trays).summary["series"]["match"] == 2
    screen = client.get("/board").text
    assert screen.count('class="won"></i>') == 1
    assert "best of 3" in screen


def test_state_of_an_unknown_match_is_shown_until_its_entries_arrive(inbox, trays, asked, tape):
    send(inbox, "state", state_of(tape))

    assert shown(trays).seq == -1
    assert shown(trays).summary == summary(tape.match)
    assert asked == [("t1", {"match": ID, "after": -1})]


def test_missing_entry_is_requested_once(inbox, trays, asked, tape):
    for entry in (*tape.entries[:3], *tape.entries[5:]):
        send(inbox, "event", entry.to_json())

    assert asked == [("t1", {"match": ID, "after": 2})]
    send(
        inbox,
        "answer",
        {"match": ID, "entries": [e.to_json() for e in tape.entries[3:]], "more": False},
    )
    assert shown(trays).seq == 9


def test_request_is_repeated_when_a_tray_comes_online_again(inbox, asked, tape):
    send(inbox, "availability", b"online")
    send(inbox, "availability", b"offline")
    send(inbox, "availability", b"online")

    assert asked == [("t1", {"from": 0})] * 2


def test_all_entries_are_requested_when_the_tray_has_another_history(inbox, asked, tape):
    for entry in tape.entries:
        send(inbox, "event", entry.to_json())
    send(inbox, "state", state_of(tape, chain="0" * 12))

    assert asked == [("t1", {"match": ID, "after": -1})]


def test_availability_shows_and_removes_a_tray(inbox, trays):
    send(inbox, "availability", b"online")
    assert shown(trays).online
    send(inbox, "availability", b"offline")
    assert not shown(trays).online
    send(inbox, "availability", b"")
    assert trays.snapshot().trays == ()


FIVE_DAYS_S = 5 * 24 * 3600


def start_s(standings):
    (match,) = standings.matches()
    return match.began_s


@pytest.mark.parametrize("off_s", [-FIVE_DAYS_S, FIVE_DAYS_S])
def test_match_of_a_tray_with_a_wrong_clock_is_dated_tonight(inbox, tape, clock, standings, off_s):
    clock.now_s = EVENING_S - off_s
    send(inbox, "availability", b"online")
    send(inbox, "state", state_of(tape, match=None, players=[]))
    send(inbox, "event", tape.entries[0].to_json())

    assert start_s(standings) == clock.now_s


def test_clock_that_is_slightly_off_is_used(inbox, tape, clock, standings):
    clock.now_s = EVENING_S + 60
    send(inbox, "state", state_of(tape, match=None, players=[]))
    send(inbox, "event", tape.entries[0].to_json())

    assert start_s(standings) == EVENING_S


def test_match_played_offline_keeps_the_date_of_the_tray(inbox, tape, clock, standings):
    clock.now_s = EVENING_S + FIVE_DAYS_S
    send(inbox, "state", state_of(tape, match=None, players=[]))
    send(inbox, "availability", b"online")
    send(inbox, "event", tape.entries[0].to_json())
    send(inbox, "state", state_of(tape))

    assert start_s(standings) == EVENING_S


def test_waiting_screen_wakes_up_only_for_a_change(inbox, trays):
    version = trays.snapshot().version

    assert trays.wait(version, 0.01) is None
    send(inbox, "availability", b"online")
    assert trays.wait(version, 1).trays[0].online


def test_link_that_is_not_a_web_address_is_dropped(inbox, trays, tape):
    send(inbox, "state", state_of(tape, page="javascript:alert(1)"))
    assert shown(trays).page == ""
    send(inbox, "state", state_of(tape, page="http://10.0.0.2:8000/"))
    assert shown(trays).page == "http://10.0.0.2:8000/"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
KINDS = st.sampled_from(["state", "event", "answer", "availability"])


@settings(suppress_health_check=SHARED_FIXTURES)
@given(KINDS, st.binary(max_size=60) | JSON.map(lambda data: json.dumps(data).encode()))
def test_any_payload_is_survived(inbox, kind, payload):
    inbox.on_message("evil", kind, payload)


@settings(suppress_health_check=SHARED_FIXTURES)
@given(st.data())
def test_message_with_one_invalid_field_is_survived(inbox, trays, tape, data):
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
    send(inbox, kind, message | {key: data.draw(JSON)})
    for tray in trays.snapshot().trays:
        assert len(tray.message) <= 300


@pytest.mark.parametrize("kind", ["state", "event", "answer"])
def test_deeply_nested_payload_is_survived(inbox, kind, tape):
    known = json.dumps(state_of(tape) | {"match": ID, "seq": 0, "chain": "", "from": 0})[:-1]
    for depth in range(300, 1_100, 10):
        nested = f'{known}, "players": {"[" * depth}{"]" * depth}}}'
        inbox.on_message("t1", kind, nested.encode())


def test_long_texts_of_a_tray_are_cut_off(inbox, trays, tape):
    send(inbox, "state", state_of(tape, match="b" * 16, message="x" * 1_000))

    assert shown(trays).message == "x" * 300


def test_number_of_trays_is_limited(inbox, trays):
    for number in range(1_500):
        send(inbox, "availability", b"offline", f"t{number}")

    assert len(trays.snapshot().trays) == 1_000


def is_online(_tray):
    return True


@pytest.fixture
def sent():
    return []


@pytest.fixture
def requests(sent, clock):
    return TrayRequests(lambda tray, request: sent.append((tray, request["after"])), clock)


def test_unanswered_request_is_repeated(requests, sent, clock):
    requests.send("t1", "m", {"after": 3})
    requests.send("t1", "m", {"after": 4})
    requests.retry(is_online)
    assert sent == [("t1", 3)]

    clock.now_s += RETRY_S
    requests.retry(is_online)
    requests.retry(is_online)
    assert sent == [("t1", 3), ("t1", 3)]


def test_request_to_an_offline_tray_is_not_repeated(requests, sent, clock):
    requests.send("t1", "m", {"after": 3})
    clock.now_s += RETRY_S
    requests.retry(lambda _tray: False)

    assert sent == [("t1", 3)]


def test_answered_request_is_not_repeated(requests, sent, clock):
    requests.send("t1", "m", {"after": 3})
    requests.close("t1", "m")
    clock.now_s += RETRY_S
    requests.retry(is_online)

    assert sent == [("t1", 3)]


def test_forgotten_request_can_be_sent_at_once(requests, sent, clock):
    requests.send("t1", "m", {"after": 3})
    requests.send("t2", "m", {"after": 5})
    requests.forget("t1")
    requests.send("t1", "m", {"after": 4})
    clock.now_s += RETRY_S
    requests.forget()
    requests.retry(is_online)

    assert sent == [("t1", 3), ("t2", 5), ("t1", 4)]


def test_number_of_open_requests_is_limited(requests, sent):
    for number in range(2 * MAX_OPEN_REQUESTS):
        requests.send("t1", str(number), {"after": 0})

    assert len(sent) == 2 * MAX_OPEN_REQUESTS
    assert len(requests._open) <= MAX_OPEN_REQUESTS + 1
