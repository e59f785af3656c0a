"""Who may: the rules of the pencil, without any request."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from game.situation import TableError
from tests.clock import Clock
from web.access.scorekeeper import ASK_S, UNSEEN_S, Scorekeeper, ScorekeeperRecord


@pytest.fixture
def pencil(clock):
    return Scorekeeper(clock=clock)


def given_to(pencil, phone):
    pencil.ask(phone)
    assert pencil.press()


def test_nobody_holds_it_at_first(pencil):
    assert not pencil.holds("anna")
    assert not pencil.holds("")


def test_a_phone_that_asks_gets_it_by_the_next_press(pencil):
    pencil.ask("anna")
    assert pencil.view().by_button
    assert pencil.press()

    assert pencil.holds("anna")
    assert pencil.view().asking == ""


def test_a_press_that_nobody_asked_for_gives_nothing(pencil):
    assert not pencil.press()


def test_a_press_gives_it_once_and_then_reads_again(pencil):
    given_to(pencil, "anna")

    assert not pencil.press()


def test_a_press_after_half_a_minute_reads_dice_again(pencil, clock):
    pencil.ask("anna")
    clock.now_s += ASK_S

    assert not pencil.press()
    assert pencil.view().asking == ""


def test_a_holder_who_is_here_is_asked_and_cannot_be_pushed_out(pencil):
    given_to(pencil, "anna")
    pencil.ask("ben")

    assert pencil.view().by_holder
    assert not pencil.view().by_button
    assert not pencil.press()
    assert not pencil.prove("ben")
    assert pencil.holds("anna")


def test_the_holder_hands_it_over(pencil):
    given_to(pencil, "anna")
    pencil.ask("ben")
    pencil.answer(give=True)

    assert pencil.holds("ben")


def test_the_holder_keeps_it(pencil):
    given_to(pencil, "anna")
    pencil.ask("ben")
    pencil.answer(give=False)

    assert pencil.holds("anna")
    with pytest.raises(TableError, match="nobody asks"):
        pencil.answer(give=True)


def test_a_holder_unseen_for_two_minutes_gives_way_to_a_press(pencil, clock):
    given_to(pencil, "anna")
    clock.now_s += UNSEEN_S - 1
    pencil.seen("anna")
    clock.now_s += UNSEEN_S - 1
    pencil.ask("ben")
    assert not pencil.press()

    clock.now_s += 1
    assert pencil.view().by_button
    assert pencil.press()
    assert pencil.holds("ben")


def test_another_phone_waits_while_one_is_asking(pencil, clock):
    pencil.ask("anna")
    with pytest.raises(TableError, match="try again"):
        pencil.ask("ben")
    clock.now_s += ASK_S
    pencil.ask("ben")

    assert pencil.view().asking == "ben"


def test_it_survives_a_restart_and_gives_way_only_while_unseen(clock):
    kept = []
    given_to(Scorekeeper(keep=kept.append, clock=clock), "anna")
    after = Scorekeeper(kept[-1], clock=clock)
    assert after.holds("anna")

    after.seen("anna")
    after.ask("ben")
    assert not after.press()


def test_laid_down_it_is_free(pencil):
    given_to(pencil, "anna")
    pencil.lay_down()

    assert pencil.prove("ben")


def test_nothing_is_written_where_nothing_changed(clock):
    kept = []
    pencil = Scorekeeper(keep=kept.append, clock=clock)
    given_to(pencil, "anna")
    for _ in range(10):
        pencil.seen("anna")
        pencil.prove("anna")

    assert len(kept) == 1


def test_who_looks_waits_for_no_write(clock):
    looks = ThreadPoolExecutor(1)
    seen = []
    pencil = Scorekeeper(
        keep=lambda _: seen.append(looks.submit(pencil.view).result(5)), clock=clock
    )
    pencil.sit("bens phone", "Ben")

    assert seen == [pencil.view()]


def test_only_a_change_is_told(clock):
    told = []
    pencil = Scorekeeper(changed=lambda: told.append(1), clock=clock)
    for _ in range(5):
        pencil.sit("bens phone", "Ben")
        pencil.ask("bens phone")

    assert len(told) == 2


def test_a_phone_that_asks_again_later_is_told_again(clock):
    told = []
    pencil = Scorekeeper(changed=lambda: told.append(1), clock=clock)
    pencil.ask("anna")
    clock.now_s += ASK_S
    pencil.ask("anna")

    assert len(told) == 2


def test_a_players_own_phone_may_act_only_where_the_holder_lets_it(pencil):
    pencil.sit("bens phone", "Ben")
    assert not pencil.plays("bens phone", "Ben")
    pencil.let_own_turns(on=True)

    assert pencil.plays("bens phone", "Ben")
    assert not pencil.plays("bens phone", "Anna")


def test_a_name_is_one_phones_until_it_is_freed(pencil):
    pencil.sit("first", "Ben")
    with pytest.raises(TableError, match="another phone is Ben's"):
        pencil.sit("second", "Ben")
    pencil.free()
    pencil.sit("second", "Ben")

    assert pencil.view().players == (("second", "Ben"),)


def test_a_phone_follows_the_new_name_of_its_player(pencil):
    pencil.sit("bens phone", "Ben")
    pencil.sit("annas phone", "Anna")
    pencil.rename({"Ben": "Benjamin"})

    assert dict(pencil.view().players) == {"bens phone": "Benjamin", "annas phone": "Anna"}


def test_who_bore_that_name_in_an_earlier_match_gives_way(pencil):
    pencil.sit("bens phone", "Ben")
    pencil.sit("cleos phone", "Cleo")
    pencil.rename({"Cleo": "Ben"})

    assert pencil.view().players == (("cleos phone", "Ben"),)


PHONES = st.sampled_from(["anna", "ben", "cleo"])


class AnyEvening(RuleBasedStateMachine):
    """Whatever phones do, a holder who is here is never pushed out."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.pencil = Scorekeeper(ScorekeeperRecord(), clock=self.clock)
        self.seen_s: dict[str, float] = {}
        self.holder = ""

    @rule(seconds=st.sampled_from([1, ASK_S, UNSEEN_S]))
    def wait(self, seconds):
        self.clock.now_s += seconds

    @rule(phone=PHONES)
    def seen(self, phone):
        self.pencil.seen(phone)
        self.seen_s[phone] = self.clock.now_s

    @rule(phone=PHONES)
    def ask(self, phone):
        try:
            self.pencil.ask(phone)
        except TableError:
            assert self.pencil.view().asking

    @rule()
    def press(self):
        asking = self.pencil.view().asking
        assert not self.pencil.press() or self.pencil.holds(asking)

    @rule(phone=PHONES)
    def prove(self, phone):
        try:
            assert self.pencil.prove(phone) == self.pencil.holds(phone)
        except TableError:
            assert self.pencil.view().by_holder

    @invariant()
    def a_holder_who_is_here_stays(self):
        now = self.pencil.view().holder
        if self.holder and now != self.holder:
            assert self.clock.now_s - self.seen_s[self.holder] >= UNSEEN_S
        if now != self.holder:
            self.holder, self.seen_s[now] = now, self.clock.now_s


AnyEvening.TestCase.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
test_any_evening = AnyEvening.TestCase
