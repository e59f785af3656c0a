"""A series of matches, from the button, a phone or another tray to every screen and every program that shows its score."""

from contextlib import closing
from dataclasses import replace
from urllib.error import HTTPError

import pytest

from device.mqtt.tray_messages import tray_state_json
from device.session.indicator import UNDO_S
from game.commands import RecordEvent, Rematch, ReopenMatch, StartMatch
from game.journal.history import Feed, History
from game.journal.journal import Journal
from game.match.events import Left, Renamed, ScoreSet
from game.match.match_text import from_text, to_text
from game.rules import rule_files
from game.stats.announcements import announcements
from game.stats.step_events import step_events
from tests.device.rig import open_rig
from tests.device.shared_match.test_two_companions import Cable, companion, on_turn
from tests.throws import FARKLE
from tests.waiting import until
from web.app import create_app

THOUSAND = (1, 1, 1, 2, 3, 4)
TO_A_THOUSAND = replace(rule_files.load("walnut-studiolo"), target=1000)


@pytest.fixture
def table(tmp_path):
    with open_rig(tmp_path, rules=TO_A_THOUSAND) as rig:
        yield rig


def win(rig, seat: int) -> None:
    """Play a match at the tray, with the button alone, until this player has won it."""
    while rig.state.winner is None:
        if rig.state.turn.seat == seat and not rig.state.players[seat].score:
            rig.throw(*THOUSAND)
            rig.hold()
        else:
            rig.throw(*FARKLE)
    assert rig.state.winner == seat


def wins(rig) -> list[int]:
    return [rig.state.series_wins(seat) for seat in range(len(rig.state.players))]


def test_best_of_three_with_the_button_is_shown_on_every_screen_and_sent_to_every_program(
    table, tmp_path
):
    app = create_app(table.companion, rules=(TO_A_THOUSAND,))
    phone = app.test_client()

    def shown() -> tuple[list[int], list[int], int | None]:
        pages = [phone.get(page).get_data(as_text=True) for page in ("/", "/board", "/overlay")]
        line = list(Feed(tmp_path / "journal.db").after(0))[-1]
        series = phone.get("/api/v1/state").json["series"]
        for other in (
            step_events(line)[-1]["table"]["series"],
            tray_state_json(table.companion.snapshot(), line)["series"],
        ):
            assert other == series
        dots = [page.count('class="won"></i>') for page in pages]
        return series["wins"], dots, series["winner"]

    table.companion.do(StartMatch(("Anna", "Ben"), best_of=3))
    assert shown() == ([0, 0], [0, 0, 0], None)
    win(table, 0)
    assert shown()[0] == [1, 0]
    table.hold()
    assert table.state.player.name == "Ben"
    assert shown() == ([1, 0], [2, 1, 1], None)  # the page shows it in the strip and in the card
    win(table, 1)
    table.hold()
    assert table.state.player.name == "Anna"
    win(table, 0)
    assert shown()[::2] == ([2, 1], 0)
    lines = Feed(tmp_path / "journal.db").after(0)
    moments = [each for line in lines for each in announcements(line.before, line.match)]
    kinds = [moment["event_type"] for moment in moments]
    assert (kinds.count("won"), kinds.count("series_won")) == (3, 1)
    assert moments[-1] == {"event_type": "series_won", "player": "Anna", "points": 2}
    assert "Wins the series" in phone.get("/board").get_data(as_text=True)
    assert "wins the series" in phone.get("/overlay").get_data(as_text=True)
    assert str(table.companion.snapshot().message).endswith("That wins the series!")
    table.hold()
    assert shown() == ([0, 0], [0, 0, 0], None)
    assert str(table.companion.snapshot().message) == "New series: Ben begins."


def test_a_rematch_keeps_the_head_starts_and_undo_takes_them_back(table):
    phone = create_app(table.companion, rules=(TO_A_THOUSAND,)).test_client()
    table.companion.do(StartMatch(("Anna", "Ben"), head_starts=(0, 300), best_of=3))
    win(table, 0)
    assert "Next match: Ben starts with 300." in phone.get("/").get_data(as_text=True)
    table.hold()
    assert str(table.companion.snapshot().message) == (
        "Ben begins the next match of the series. Ben starts with 300."
    )
    assert table.scores == [0, 300]
    table.hold(UNDO_S + 0.2)

    assert table.scores == [0, 0]
    assert wins(table) == [1, 0]


def test_a_team_keeps_its_head_start_when_the_player_who_got_it_has_left(table):
    table.companion.do(StartMatch(("Anna", "Ben", "Cleo"), teams=(0, 1, 0)))
    table.companion.do(RecordEvent(ScoreSet(2, 700)))
    table.companion.do(RecordEvent(ScoreSet(0, 300)))
    table.throw(*FARKLE)
    table.companion.do(RecordEvent(Left(0)))
    win(table, 1)
    table.hold()

    assert [player.name for player in table.state.players] == ["Ben", "Cleo"]
    assert table.scores == [0, 300]


def test_scores_of_a_finished_match_entered_by_hand_do_not_decide_the_rematch(table):
    table.companion.do(StartMatch(("Anna", "Ben")))
    table.companion.do(RecordEvent(ScoreSet(1, 900)))
    table.companion.do(RecordEvent(ScoreSet(0, 1_000)))
    table.throw(*FARKLE)
    table.throw(*FARKLE)
    assert table.state.winner == 0
    table.hold()

    assert table.state.winner is None
    assert table.scores == [0, 0]


def test_undo_goes_back_through_the_rematch_and_takes_the_win_with_it(table):
    table.companion.do(StartMatch(("Anna", "Ben"), best_of=3))
    win(table, 0)
    table.hold()
    table.hold(UNDO_S + 0.2)
    assert (table.state.winner, wins(table)) == (0, [1, 0])
    table.hold(UNDO_S + 0.2)
    assert (table.state.winner, wins(table)) == (None, [0, 0])
    table.throw(*THOUSAND)
    table.hold()
    while table.state.winner is None:
        table.throw(*FARKLE)

    assert sum(wins(table)) == 1


def test_a_match_that_was_set_aside_or_got_another_winner_counts_as_it_is_now(table):
    table.companion.do(StartMatch(("Anna", "Ben"), best_of=5))
    win(table, 0)
    table.companion.do(Rematch())
    table.companion.do(StartMatch(("Cleo", "Dora")))
    assert table.state.series is None
    table.companion.do(ReopenMatch(2))
    assert wins(table) == [1, 0]
    table.companion.do(ReopenMatch(1, undo=True))
    while table.state.player.name != "Ben":
        table.throw(*FARKLE)
    table.throw(1, 1, 1, 1, 2, 3)
    table.hold()
    while table.state.winner is None:
        table.throw(*FARKLE)
    assert table.state.players[table.state.winner].name == "Ben"
    table.companion.do(ReopenMatch(2))
    assert wins(table) == [0, 1]
    win(table, 1)
    assert wins(table) == [0, 2]


def test_the_list_of_matches_names_the_series_of_each_match(table, tmp_path):
    table.companion.do(StartMatch(("Anna", "Ben"), best_of=3))
    win(table, 0)
    table.hold()
    win(table, 1)
    table.companion.do(StartMatch(("Anna", "Ben", "Cleo"), best_of=5))
    table.throw(*FARKLE)
    table.companion.do(StartMatch(("Anna", "Ben")))
    table.throw(*FARKLE)
    history = History(tmp_path / "journal.db")
    app = create_app(table.companion, rules=(TO_A_THOUSAND,), history=history)
    phone = app.test_client()
    page = phone.get("/matches").get_data(as_text=True)
    single, longer, *both = (each["series"] for each in phone.get("/api/v1/matches").json)

    assert (page.count("best of 3"), page.count("first to win 3 matches")) == (2, 1)
    assert (single, longer["best_of"], both[0]) == (None, 5, both[1])


def test_events_of_a_reopened_match_have_the_score_of_that_moment(table, tmp_path):
    table.companion.do(StartMatch(("Anna", "Ben"), best_of=5))
    win(table, 0)
    table.hold()
    win(table, 1)
    table.companion.do(ReopenMatch(1, undo=True))
    lines = list(Feed(tmp_path / "journal.db").after(0))
    won = [step_events(line)[-1]["table"]["series"]["wins"] for line in lines]

    assert won[0] == [0, 0]
    assert won[-3:] == [[1, 1], [1, 1], [0, 1]]  # won, reopened, without the winning throw


def test_teams_count_as_one_and_a_renamed_player_keeps_the_wins(table):
    table.companion.do(StartMatch(("Anna", "Ben", "Cleo", "Dora"), teams=(1, 2, 1, 2), best_of=3))
    win(table, 0)
    table.companion.do(RecordEvent(Renamed(2, "Clara")))
    table.hold()
    assert wins(table) == [1, 0, 1, 0]
    while table.state.player.name != "Clara":
        table.throw(*FARKLE)
    table.throw(*THOUSAND)
    table.hold()
    while table.state.winner is None:
        table.throw(*FARKLE)

    assert wins(table) == [2, 0, 2, 0]
    assert table.state.series_winner == 0


def test_of_three_players_the_first_to_win_two_matches_wins_best_of_three(table):
    table.companion.do(StartMatch(("Anna", "Ben", "Cleo"), best_of=3))
    for seat in (0, 1, 2):
        win(table, seat)
        assert table.state.series_winner is None
        table.hold()
    assert wins(table) == [1, 1, 1]
    win(table, 2)

    assert table.state.series_winner == 2


def test_the_score_survives_a_restart_and_the_text_of_a_match_names_its_series(tmp_path):
    with open_rig(tmp_path, rules=TO_A_THOUSAND) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben"), best_of=3))
        win(rig, 1)
        rig.hold()
    with closing(Journal.open(tmp_path / "journal.db")) as journal:
        _, match = journal.newest()

    assert match.state.series.other_wins == {"Ben": 1}
    assert from_text(to_text(match)) == match
    assert f"series 3 {match.state.series.id}\n" in to_text(match)


def begins_rematch(host) -> bool:
    """Ask for a rematch, which the host refuses until it knows that the guest has the last step."""
    try:
        host.post("rematch")
    except HTTPError:
        return False
    return True


@pytest.mark.slow
def test_two_trays_over_http_play_best_of_three_with_the_same_score(tmp_path):
    with companion(tmp_path / "host") as host, companion(tmp_path / "guest") as guest:
        with closing(Cable(host.port)) as cable:
            host.post(
                "shared-match/invite", names=["Anna"], target=1_000,
                options={"opening": 0, "last_round": "none"}, best_of=3,
            )  # fmt: skip
            link = host.get("shared-match")["link"].replace(f":{host.port}/", f":{cable.port}/")
            guest.post("shared-match/join", invitation=link, names=["Ben"])
            until(lambda: host.state["turn"] and guest.state["turn"])
            for number, winner in enumerate((host, guest, guest), 1):
                while pair := on_turn(host, guest):
                    if pair[0] is winner:
                        winner.post("dice", dice=THOUSAND)
                        winner.post("bank")
                    else:
                        pair[0].post("dice", dice=FARKLE)
                    until(lambda: host.entries == guest.entries)
                scores = [phone.state["series"] for phone in (host, guest)]
                assert scores[0] == scores[1]
                assert scores[0]["match"] == number
                if number < 3:
                    until(lambda: begins_rematch(host))
                    until(lambda: guest.state["winner"] is None and host.entries == guest.entries)
        pages = [phone.page("board") for phone in (host, guest)]
        texts = [phone.download("match.txt") for phone in (host, guest)]

    assert (scores[0]["wins"], scores[0]["winner"]) == ([1, 2], 1)
    assert all("Wins the series" in page for page in pages)
    assert texts[0] == texts[1]
