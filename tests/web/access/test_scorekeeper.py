"""Who may: the rules of the scorekeeper, without any request."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from game.situation import TableError
from tests.clock import Clock
from web.access.scorekeeper import ABSENT_AFTER_S, REQUEST_S, Scorekeeper, ScorekeeperRecord


@pytest.fixture
def scorekeeper(clock):
    return Scorekeeper(clock=clock)


def given_to(scorekeeper, phone):
    scorekeeper.ask(phone)
    assert scorekeeper.press_button()


def test_nobody_holds_it_at_first(scorekeeper):
    assert not scorekeeper.is_held_by("anna")
    assert not scorekeeper.is_held_by("")


def test_a_phone_that_asks_gets_it_by_the_next_press(scorekeeper):
    scorekeeper.ask("anna")
    assert scorekeeper.view().by_button
    assert scorekeeper.press_button()

    assert scorekeeper.is_held_by("anna")
    assert scorekeeper.view().asking == ""


def test_a_press_that_nobody_asked_for_gives_nothing(scorekeeper):
    assert not scorekeeper.press_button()


def test_a_press_gives_it_once_and_then_reads_again(scorekeeper):
    given_to(scorekeeper, "anna")

    assert not scorekeeper.press_button()


def test_a_press_after_half_a_minute_reads_dice_again(scorekeeper, clock):
    scorekeeper.ask("anna")
    clock.now_s += REQUEST_S

    assert not scorekeeper.press_button()
    assert scorekeeper.view().asking == ""


def test_a_holder_who_is_here_is_asked_and_cannot_be_pushed_out(scorekeeper):
    given_to(scorekeeper, "anna")
    scorekeeper.ask("ben")

    assert scorekeeper.view().by_holder
    assert not scorekeeper.view().by_button
    assert not scorekeeper.press_button()
    assert not scorekeeper.prove("ben")
    assert scorekeeper.is_held_by("anna")


def test_the_holder_hands_it_over(scorekeeper):
    given_to(scorekeeper, "anna")
    scorekeeper.ask("ben")
    scorekeeper.answer(give=True)

    assert scorekeeper.is_held_by("ben")


def test_the_holder_keeps_it(scorekeeper):
    given_to(scorekeeper, "anna")
    scorekeeper.ask("ben")
    scorekeeper.answer(give=False)

    assert scorekeeper.is_held_by("anna")
    with pytest.raises(TableError, match="nobody asks"):
        scorekeeper.answer(give=True)


def test_a_holder_unseen_for_two_minutes_gives_way_to_a_press(scorekeeper, clock):
    given_to(scorekeeper, "anna")
    clock.now_s += ABSENT_AFTER_S - 1
    scorekeeper.mark_seen("anna")
    clock.now_s += ABSENT_AFTER_S - 1
    scorekeeper.ask("ben")
    assert not scorekeeper.press_button()

    clock.now_s += 1
    assert scorekeeper.view().by_button
    assert scorekeeper.press_button()
    assert scorekeeper.is_held_by("ben")


def test_another_phone_waits_while_one_is_asking(scorekeeper, clock):
    scorekeeper.ask("anna")
    with pytest.raises(TableError, match="try again"):
        scorekeeper.ask("ben")
    clock.now_s += REQUEST_S
    scorekeeper.ask("ben")

    assert scorekeeper.view().asking == "ben"


def test_it_survives_a_restart_and_gives_way_only_while_unseen(clock):
    kept = []
    given_to(Scorekeeper(save=kept.append, clock=clock), "anna")
    after = Scorekeeper(kept[-1], clock=clock)
    assert after.is_held_by("anna")

    after.mark_seen("anna")
    after.ask("ben")
    assert not after.press_button()


def test_laid_down_it_is_free(scorekeeper):
    given_to(scorekeeper, "anna")
    scorekeeper.release()

    assert scorekeeper.prove("ben")


def test_nothing_is_written_where_nothing_changed(clock):
    kept = []
    scorekeeper = Scorekeeper(save=kept.append, clock=clock)
    given_to(scorekeeper, "anna")
    for _ in range(10):
        scorekeeper.mark_seen("anna")
        scorekeeper.prove("anna")

    assert len(kept) == 1


def test_who_looks_waits_for_no_write(clock):
    looks = ThreadPoolExecutor(1)
    seen = []
    scorekeeper = Scorekeeper(
        save=lambda _: seen.append(looks.submit(scorekeeper.view).result(5)), clock=clock
    )
    scorekeeper.players.assign("bens phone", "Ben")

    assert seen == [scorekeeper.view()]


def test_only_a_change_is_told(clock):
    told = []
    scorekeeper = Scorekeeper(on_change=lambda: told.append(1), clock=clock)
    for _ in range(5):
        scorekeeper.players.assign("bens phone", "Ben")
        scorekeeper.ask("bens phone")

    assert len(told) == 2


def test_a_phone_that_asks_again_later_is_told_again(clock):
    told = []
    scorekeeper = Scorekeeper(on_change=lambda: told.append(1), clock=clock)
    scorekeeper.ask("anna")
    clock.now_s += REQUEST_S
    scorekeeper.ask("anna")

    assert len(told) == 2


def test_a_players_own_phone_may_act_only_where_the_holder_lets_it(scorekeeper):
    scorekeeper.players.assign("bens phone", "Ben")
    assert not scorekeeper.players.may_act("bens phone", "Ben")
    scorekeeper.players.allow_own_turns(on=True)

    assert scorekeeper.players.may_act("bens phone", "Ben")
    assert not scorekeeper.players.may_act("bens phone", "Anna")


def test_a_name_is_one_phones_until_it_is_freed(scorekeeper):
    scorekeeper.players.assign("first", "Ben")
    with pytest.raises(TableError, match="another phone is Ben's"):
        scorekeeper.players.assign("second", "Ben")
    scorekeeper.players.clear()
    scorekeeper.players.assign("second", "Ben")

    assert scorekeeper.view().players == (("second", "Ben"),)


def test_a_phone_follows_the_new_name_of_its_player(scorekeeper):
    scorekeeper.players.assign("bens phone", "Ben")
    scorekeeper.players.assign("annas phone", "Anna")
    scorekeeper.players.rename({"Ben": "Benjamin"})

    assert dict(scorekeeper.view().players) == {"bens phone": "Benjamin", "annas phone": "Anna"}


def test_who_bore_that_name_in_an_earlier_match_gives_way(scorekeeper):
    scorekeeper.players.assign("bens phone", "Ben")
    scorekeeper.players.assign("cleos phone", "Cleo")
    scorekeeper.players.rename({"Cleo": "Ben"})

    assert scorekeeper.view().players == (("cleos phone", "Ben"),)


PHONES = st.sampled_from(["anna", "ben", "cleo"])


class AnyEvening(RuleBasedStateMachine):
    """Whatever phones do, a holder who is here is never pushed out."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.scorekeeper = Scorekeeper(ScorekeeperRecord(), clock=self.clock)
        self.seen_s: dict[str, float] = {}
        self.holder = ""

    @rule(seconds=st.sampled_from([1, ABSENT_AFTER_S, REQUEST_S]))
    def wait(self, seconds):
        self.clock.now_s += seconds

    @rule(phone=PHONES)
    def seen(self, phone):
        self.scorekeeper.mark_seen(phone)
        self.seen_s[phone] = self.clock.now_s

    @rule(phone=PHONES)
    def ask(self, phone):
        try:
            self.scorekeeper.ask(phone)
        except TableError:
            assert self.scorekeeper.view().asking

    @rule()
    def press(self):
        asking = self.scorekeeper.view().asking
        assert not self.scorekeeper.press_button() or self.scorekeeper.is_held_by(asking)

    @rule(phone=PHONES)
    def prove(self, phone):
        try:
            assert self.scorekeeper.prove(phone) == self.scorekeeper.is_held_by(phone)
        except TableError:
            assert self.scorekeeper.view().by_holder

    @invariant()
    def a_holder_who_is_here_stays(self):
        now = self.scorekeeper.view().holder
        if self.holder and now != self.holder:
            assert self.clock.now_s - self.seen_s[self.holder] >= ABSENT_AFTER_S
        if now != self.holder:
            self.holder, self.seen_s[now] = now, self.clock.now_s


AnyEvening.TestCase.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
test_any_evening = AnyEvening.TestCase
