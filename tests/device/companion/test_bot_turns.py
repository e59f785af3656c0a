"""The turns of bots in a session with a real journal: when they act, what is refused, undo, corrections."""

from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from device.companion.bot_turns import BotTurns
from device.session.live_match import LiveMatch
from device.session.session import Session
from game.commands import (
    Bank,
    CorrectThrow,
    EnterThrow,
    KeepDice,
    ReadAgain,
    RecordEvent,
    Redo,
    Rematch,
    StartMatch,
    Undo,
)
from game.errors import IllegalMove, JournalError, OddsError
from game.journal.journal import Journal
from game.match.events import Banked, Bot, BotDice, BotLevel, Kept, PlayerStyle, Skipped, Thrown
from game.practice.strategy import strategy_of
from game.rules import rule_files
from game.situation import Situation, TableError
from tests.clock import Clock
from tests.device.session.sessions import RULES, answer, hold, message, press, read, row, state
from tests.tray_reader import FakeTrayReader

PAUSE_S = 2.0
CAREFUL = PlayerStyle("Anna", (300,) * 6, 1)
BY_TRAY, SIMULATED = Bot(BotDice.TRAY, CAREFUL), Bot(BotDice.SIMULATED, CAREFUL)
TAKER = Bot(BotDice.TRAY, replace(CAREFUL, takes_over=True))


class BotTable:
    """A session with a bot on seat 1, and a clock."""

    def __init__(self, session, clock, **options):
        self.session, self.clock = session, clock
        self.bots = BotTurns(session, PAUSE_S, clock=clock, **options)

    def let_act(self, steps=1):
        for _ in range(steps):
            if self.bots.wait_s() is None:
                return
            self.clock.now_s += PAUSE_S
            self.bots.act()

    def let_play(self):
        """Let the bot play until it is a person's turn."""
        self.let_act(100)
        assert self.bots.wait_s() is None

    @property
    def events(self):
        return self.session.live_match.match.timeline


@contextmanager
def bot_table(path, bot, rules=RULES, **options):
    clock = Clock()
    with closing(Journal.open(path)) as journal:
        session = Session(
            LiveMatch(journal),
            rules,
            FakeTrayReader(),
        )
        session.camera_found()
        session.do(StartMatch(("Anna", "Bot"), bots=(None, bot)))
        yield BotTable(session, clock, **options)


@pytest.fixture
def simulated(tmp_path, monkeypatch):
    monkeypatch.setattr("device.session.match_starts.secrets.randbits", lambda _: 1)
    with bot_table(tmp_path / "journal.db", SIMULATED) as table:
        yield table


@pytest.fixture
def by_tray(tmp_path):
    with bot_table(tmp_path / "journal.db", BY_TRAY) as table:
        yield table


def farkle(table):
    table.session.do(EnterThrow((2, 2, 3, 3, 4, 6)))


def test_a_bot_waits_before_each_step_so_that_people_can_follow(simulated):
    assert simulated.bots.wait_s() is None
    farkle(simulated)

    assert simulated.session.table.situation is Situation.BOT
    assert simulated.bots.wait_s() == PAUSE_S
    simulated.clock.now_s += 1.5
    assert simulated.bots.wait_s() == pytest.approx(0.5)

    simulated.let_act()

    assert isinstance(simulated.events[-1], Thrown)
    assert simulated.bots.wait_s() == PAUSE_S


def test_a_bot_with_simulated_dice_plays_its_whole_turn(simulated):
    farkle(simulated)
    simulated.let_play()

    assert state(simulated.session).turn.seat == 0
    assert [turn.seat for turn in state(simulated.session).turns] == [0, 1]
    assert simulated.session.table.situation is Situation.TURN_OVER


def test_a_bot_announces_what_it_keeps_and_throws(by_tray):
    farkle(by_tray)
    read(by_tray.session, 1, 2, 3, 4, 4, 6)
    by_tray.let_act()

    assert message(by_tray.session) == ("Bot keeps 1 and has 100 at risk: throw five dice for Bot.")


def test_a_bot_announces_its_bank_like_a_player(by_tray):
    farkle(by_tray)
    read(by_tray.session, 1, 1, 1, 4, 4, 6)
    by_tray.let_act()

    assert message(by_tray.session) == "Bot banks 1,000. Anna throws."


def test_a_person_throws_the_dice_of_a_bot_in_the_tray(by_tray):
    farkle(by_tray)
    assert by_tray.session.table.situation is Situation.TURN_OVER
    read(by_tray.session, 1, 2, 3, 4, 4, 6)
    assert by_tray.session.table.situation is Situation.BOT
    by_tray.let_act()

    assert by_tray.events[-1] == Kept((1,))
    assert by_tray.session.table.situation is Situation.ACCEPTED

    read(by_tray.session, 2, 2, 3, 3, 6, y=300)

    assert state(by_tray.session).turn.seat == 0


def test_a_hold_does_not_bank_for_a_bot(by_tray):
    farkle(by_tray)
    read(by_tray.session, 1, 2, 3, 4, 4, 6)
    with pytest.raises(TableError, match="Bot is a bot and is playing now: please wait"):
        hold(by_tray.session)
    by_tray.let_act()
    by_tray.session.tray_reader.has_tumbled = False

    with pytest.raises(IllegalMove, match="Bot is a bot and decides by itself"):
        hold(by_tray.session)


@pytest.mark.parametrize("command", [KeepDice((1,)), Bank()])
def test_nobody_keeps_or_banks_for_a_bot(by_tray, command):
    farkle(by_tray)
    read(by_tray.session, 1, 2, 3, 4, 4, 6)

    with pytest.raises(IllegalMove, match="decides by itself"):
        by_tray.session.do(command)


@pytest.mark.parametrize("command", [EnterThrow((1, 2, 3, 4, 4, 6)), ReadAgain()])
def test_nobody_throws_simulated_dice_for_a_bot(simulated, command):
    farkle(simulated)

    with pytest.raises(TableError, match="Bot is a bot and is playing now"):
        simulated.session.do(command)


def test_dice_that_settle_while_a_bot_plays_are_not_its_throw(simulated):
    farkle(simulated)
    simulated.session.dice_settled()

    assert simulated.session.tray_reader.requests == 0


def test_simulated_dice_leave_the_dice_in_the_tray_as_they_were(simulated):
    read(simulated.session, 2, 2, 3, 3, 4, 6)
    simulated.let_play()
    press(simulated.session)
    answer(simulated.session, row([2, 2, 3, 3, 4, 6]))

    assert message(simulated.session) == "Not thrown yet: the dice have not moved."


def test_undo_takes_back_the_step_of_the_person_and_what_the_bot_did_since(simulated):
    simulated.session.do(EnterThrow((1, 1, 1, 4, 4, 6)))
    simulated.session.do(Bank())
    simulated.let_play()
    simulated.session.do(Undo())

    assert state(simulated.session).turn.seat == 0
    assert state(simulated.session).turn.last.dice == (1, 1, 1, 4, 4, 6)
    assert simulated.bots.wait_s() is None


def test_redo_restores_what_the_bot_did_too(simulated):
    simulated.session.do(EnterThrow((1, 1, 1, 4, 4, 6)))
    simulated.session.do(Bank())
    simulated.let_play()
    before = simulated.events
    simulated.session.do(Undo())
    simulated.session.do(Redo())

    assert simulated.events == before


def test_a_bot_throws_the_same_dice_again_after_undo(simulated):
    farkle(simulated)
    simulated.let_play()
    before = simulated.events
    simulated.session.do(Undo())
    farkle(simulated)
    simulated.let_play()

    assert simulated.events == before


def test_a_bot_decides_again_after_a_correction_of_its_throw(by_tray):
    farkle(by_tray)
    read(by_tray.session, 1, 1, 1, 4, 4, 6)
    by_tray.let_act()
    assert isinstance(by_tray.events[-1], Banked)
    index = len(by_tray.events) - 2
    by_tray.session.do(CorrectThrow((1, 2, 3, 4, 4, 6), index))

    assert by_tray.session.table.situation is Situation.BOT
    by_tray.let_act()

    assert by_tray.events[-2:] == (
        Thrown((1, 2, 3, 4, 4, 6), by_tray.events[-2].places),
        Kept((1,)),
    )


def test_a_decision_stays_if_an_older_throw_of_a_bot_is_corrected(by_tray):
    farkle(by_tray)
    read(by_tray.session, 1, 1, 1, 4, 4, 6)
    by_tray.let_act()
    read(by_tray.session, 2, 3, 4, 5, 5, 6, y=300)
    by_tray.session.do(CorrectThrow((1, 1, 1, 2, 4, 6), 1))

    assert [type(event) for event in by_tray.events] == [Thrown, Thrown, Banked, Thrown]


def test_a_bot_is_the_same_after_a_restart(tmp_path):
    path = tmp_path / "journal.db"
    with bot_table(path, SIMULATED) as table:
        farkle(table)
        table.let_act(2)
        before, bot = table.events, state(table.session).players[1].bot
        table.let_play()
        after = table.events
    with closing(Journal.open(path)) as journal:
        match_id, match = journal.newest()

        assert match.timeline == after
        assert match.state.players[1].bot == bot

        live_match, clock = LiveMatch(journal), Clock()
        live_match.resume(match_id, match)
        session = Session(live_match, RULES, FakeTrayReader())
        session.do(Undo())
        table = BotTable(session, clock)
        farkle(table)
        table.let_play()

        assert session.live_match.match.timeline[: len(before)] == before


def test_a_rematch_keeps_the_bot_with_other_dice(tmp_path):
    with bot_table(tmp_path / "journal.db", SIMULATED) as table:
        first = state(table.session).players[1].bot
        table.session.do(StartMatch(("Anna", "Bot"), target=500, bots=(None, SIMULATED)))
        table.session.do(EnterThrow((1, 1, 1, 4, 4, 6)))
        table.session.do(Bank())
        while table.session.table.situation is not Situation.WON:
            table.let_play()
            if table.session.table.situation is not Situation.WON:
                farkle(table)
        table.session.do(Rematch())
        again = state(table.session).players[1].bot

        assert again.style == CAREFUL
        assert again.seed != first.seed
        assert table.session.table.situation is Situation.BOT


def test_a_step_that_cannot_be_written_is_tried_again_after_a_pause(simulated, monkeypatch):
    farkle(simulated)
    live_match = simulated.session.live_match
    with monkeypatch.context() as patch:
        patch.setattr(live_match, "do", _fail)
        with pytest.raises(JournalError):
            simulated.let_act()

    assert simulated.bots.wait_s() == PAUSE_S
    simulated.let_act()
    assert isinstance(simulated.events[-1], Thrown)


def _fail(*_, **__):
    raise JournalError("the card is full")


def test_a_bot_that_is_still_thinking_waits_for_its_decision(tmp_path):
    thought = Future()
    with bot_table(tmp_path / "journal.db", BY_TRAY, think=lambda *_: thought) as table:
        farkle(table)
        read(table.session, 1, 2, 3, 4, 4, 6)
        table.let_act(3)
        assert isinstance(table.events[-1], Thrown)
        thought.set_result(Kept((1,)))
        table.let_act()

        assert table.events[-1] == Kept((1,))


def test_a_bot_decides_by_points_if_its_decision_was_lost(tmp_path):
    thought = Future()
    thought.set_exception(RuntimeError("the process has ended"))
    with bot_table(tmp_path / "journal.db", BY_TRAY, think=lambda *_: thought) as table:
        farkle(table)
        read(table.session, 1, 1, 1, 4, 4, 6)
        table.let_act()

        assert table.events[-1] == Banked((1, 1, 1))


def test_a_bot_whose_style_does_not_fit_the_rules_goes_on_with_the_best_play(tmp_path):
    misfit = Bot(BotDice.TRAY, PlayerStyle("Anna", (300,), 1))
    with bot_table(tmp_path / "journal.db", misfit, think=failing_think) as table:
        farkle(table)
        read(table.session, 1, 1, 1, 4, 4, 6)
        table.let_act()

        assert table.events[-1] == Banked((1, 1, 1))


EVERY_FACE = {"singles": {"1": 100, "2": 10, "3": 10, "4": 10, "5": 50, "6": 10}}


@pytest.mark.parametrize("options", [EVERY_FACE, {"singles": {"1": 101}}])
@pytest.mark.parametrize("level", list(BotLevel))
def test_a_bot_plays_on_under_rules_without_odds(tmp_path, options, level):
    """If every face scores, no turn has best play; if 8,000 points come in steps of one, they are too many."""
    rules = rule_files.with_options(rule_files.load("zilch"), options)
    bot = Bot(BotDice.SIMULATED, level=level)
    with bot_table(tmp_path / "journal.db", bot, rules, think=failing_think) as table:
        table.session.do(RecordEvent(Skipped()))
        table.let_play()

        assert [turn.seat for turn in table.session.live_match.match.state.turns] == [0, 1]


def failing_think(bot, state):
    """Compute the decision at once, and store any error in the future, as the worker process does."""
    thought = Future()
    try:
        thought.set_result(strategy_of(bot, state.rules).decide(state))
    except (IndexError, OddsError) as error:
        thought.set_exception(error)
    return thought


def test_a_bot_with_dice_in_the_tray_takes_over_only_if_its_style_does(tmp_path):
    rules = rule_files.load("stirler")
    for bot, at_risk in ((TAKER, 300), (BY_TRAY, 0)):
        with bot_table(tmp_path / f"{at_risk}.db", bot, rules) as table:
            table.session.do(EnterThrow((3, 3, 3, 4, 4, 6)))
            table.session.do(Bank())
            table.let_play()

            assert state(table.session).turn.at_risk == at_risk


@pytest.mark.parametrize(("score", "at_risk"), [(9_650, 300), (9_700, 0)])
def test_a_bot_does_not_take_over_what_can_only_exceed_an_exact_target(tmp_path, score, at_risk):
    exactly = {"win": "exactly", "last_round": "none"}
    rules = rule_files.with_options(rule_files.load("stirler"), exactly)
    with bot_table(tmp_path / "journal.db", TAKER, rules) as table:
        names, bots = ("Anna", "Bot"), (None, TAKER)
        table.session.do(StartMatch(names, bots=bots, head_starts=(0, score)))
        table.session.do(EnterThrow((3, 3, 3, 4, 4, 6)))
        table.session.do(Bank())
        table.let_play()
        table.session.live_match.reload()

        assert state(table.session).turn.at_risk == at_risk


def test_a_match_of_bots_only_is_refused(simulated):
    with pytest.raises(IllegalMove, match="a match needs at least one person"):
        simulated.session.do(StartMatch(("Bot", "Tob"), bots=(SIMULATED, SIMULATED)))


def test_a_head_start_is_on_the_scoreboard_and_in_the_message(simulated):
    simulated.session.do(StartMatch(("Anna", "Ben"), head_starts=(0, 650)))

    assert [player.score for player in state(simulated.session).players] == [0, 650]
    assert message(simulated.session) == "New match: Anna begins. Ben starts with 650."
