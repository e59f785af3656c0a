"""Who becomes the scorekeeper, and whose phone is whose, without HTTP."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from game.situation import TableError
from tests.clock import Clock
from tests.waiting import PATIENCE_S
from tests.web.conftest import as_scorekeeper, make_app
from web.access.scorekeeper import (
    ABSENT_AFTER_S,
    MAX_PHONES,
    REQUEST_S,
    PhoneKind,
    PresentPhones,
    Scorekeeper,
    ScorekeeperRecord,
    phone_kind,
)

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"
IPAD = "Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"
ANDROID = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36"
)
ANDROID_TABLET = (
    "Mozilla/5.0 (Linux; Android 13; SM-X200) AppleWebKit/537.36 Chrome/120.0 Safari/537.36"
)
LINUX = "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0"
MAC = (
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_4) AppleWebKit/605.1.15 Version/17.4 Safari/605.1.15"
)


@pytest.fixture
def phones(clock):
    return PresentPhones(clock)


@pytest.mark.parametrize(
    ("user_agent", "kind"),
    [
        (IPHONE, PhoneKind.IPHONE),
        (IPAD, PhoneKind.TABLET),
        (ANDROID, PhoneKind.ANDROID),
        (ANDROID_TABLET, PhoneKind.TABLET),
        (LINUX, PhoneKind.COMPUTER),
        (MAC, PhoneKind.COMPUTER),
        ("curl/8.5", PhoneKind.OTHER),
        ("", PhoneKind.OTHER),
    ],
)
def test_kind_of_a_phone_is_known_from_its_user_agent(user_agent, kind):
    assert phone_kind(user_agent) is kind


def test_phones_of_one_kind_are_numbered_as_long_as_they_are_present(phones, clock):
    phones.mark_seen("a", IPHONE)
    phones.mark_seen("b", ANDROID)
    assert [str(phones.label(phone)) for phone in "ab"] == ["An iPhone", "An Android phone"]

    phones.mark_seen("c", IPHONE)
    assert [str(phones.label(phone)) for phone in "ac"] == ["iPhone 1", "iPhone 2"]

    clock.now_s += ABSENT_AFTER_S - 1
    phones.mark_seen("c", IPHONE)
    clock.now_s += 2
    assert str(phones.label("c")) == "An iPhone"


def test_new_phone_gets_the_number_of_one_that_left(phones, clock):
    phones.mark_seen("a", IPHONE)
    clock.now_s += 1
    phones.mark_seen("b", IPHONE)
    clock.now_s += ABSENT_AFTER_S - 0.5
    phones.mark_seen("c", IPHONE)

    assert [str(phones.label(phone)) for phone in "bc"] == ["iPhone 2", "iPhone 1"]


def test_only_so_many_phones_are_remembered(phones):
    for n in range(MAX_PHONES + 5):
        phones.mark_seen(str(n), IPHONE)

    assert not phones.is_present("0")
    assert phones.is_present(str(MAX_PHONES + 4))


def test_phone_that_was_never_seen_is_a_phone(phones):
    assert str(phones.label("x")) == "A phone"


def ask(app, user_agent):
    client = app.test_client()
    client.post("/api/v1/scorekeeper/ask", headers={"User-Agent": user_agent})
    return client


def test_scorekeeper_sees_the_kind_of_phone_that_asks(table):
    app = make_app(table)
    holder = as_scorekeeper(app)
    holder.get("/", headers={"User-Agent": ANDROID})
    ask(app, IPHONE)

    assert "An iPhone is asking to keep score" in holder.get("/").text
    german = holder.get("/", headers={"Accept-Language": "de"}).text
    assert "Ein iPhone bittet um die Steuerung" in german


def test_phone_that_asks_and_the_scorekeeper_see_the_same_number(table):
    app = make_app(table)
    holder = as_scorekeeper(app)
    holder.get("/", headers={"User-Agent": IPHONE})
    asking = ask(app, IPHONE)

    answers = [
        client.get("/api/v1/scorekeeper", headers={"User-Agent": IPHONE}).json
        for client in (holder, asking)
    ]
    assert [answer["asker"] for answer in answers] == ["iPhone 2"] * 2
    assert app.test_client().get("/api/v1/scorekeeper").json["asker"] == ""


@pytest.fixture
def scorekeeper(clock):
    return Scorekeeper(clock=clock)


def make_scorekeeper(scorekeeper, phone):
    scorekeeper.ask(phone)
    assert scorekeeper.press_button()


def test_nobody_is_the_scorekeeper_at_first(scorekeeper):
    assert not scorekeeper.is_held_by("anna")
    assert not scorekeeper.is_held_by("")


def test_next_press_makes_the_phone_that_asks_the_scorekeeper(scorekeeper):
    scorekeeper.ask("anna")
    assert scorekeeper.view().by_button
    assert scorekeeper.press_button()

    assert scorekeeper.is_held_by("anna")
    assert scorekeeper.view().asking == ""


def test_press_without_a_request_makes_nobody_the_scorekeeper(scorekeeper):
    assert not scorekeeper.press_button()


def test_only_the_first_press_hands_over(scorekeeper):
    make_scorekeeper(scorekeeper, "anna")

    assert not scorekeeper.press_button()


def test_request_expires_after_half_a_minute(scorekeeper, clock):
    scorekeeper.ask("anna")
    clock.now_s += REQUEST_S

    assert not scorekeeper.press_button()
    assert scorekeeper.view().asking == ""


def test_active_scorekeeper_is_asked_and_cannot_be_pushed_out(scorekeeper):
    make_scorekeeper(scorekeeper, "anna")
    scorekeeper.ask("ben")

    assert scorekeeper.view().by_holder
    assert not scorekeeper.view().by_button
    assert not scorekeeper.press_button()
    assert not scorekeeper.prove("ben")
    assert scorekeeper.is_held_by("anna")


def test_scorekeeper_hands_over(scorekeeper):
    make_scorekeeper(scorekeeper, "anna")
    scorekeeper.ask("ben")
    scorekeeper.answer(give=True)

    assert scorekeeper.is_held_by("ben")


def test_scorekeeper_refuses(scorekeeper):
    make_scorekeeper(scorekeeper, "anna")
    scorekeeper.ask("ben")
    scorekeeper.answer(give=False)

    assert scorekeeper.is_held_by("anna")
    with pytest.raises(TableError, match="nobody is asking"):
        scorekeeper.answer(give=True)


def test_scorekeeper_unseen_for_two_minutes_gives_way_to_a_press(scorekeeper, clock):
    make_scorekeeper(scorekeeper, "anna")
    clock.now_s += ABSENT_AFTER_S - 1
    scorekeeper.mark_seen("anna")
    clock.now_s += ABSENT_AFTER_S - 1
    scorekeeper.ask("ben")
    assert not scorekeeper.press_button()

    clock.now_s += 1
    assert scorekeeper.view().by_button
    assert scorekeeper.press_button()
    assert scorekeeper.is_held_by("ben")


def test_second_phone_cannot_ask_while_the_first_one_waits(scorekeeper, clock):
    scorekeeper.ask("anna")
    with pytest.raises(TableError, match="try again"):
        scorekeeper.ask("ben")
    clock.now_s += REQUEST_S
    scorekeeper.ask("ben")

    assert scorekeeper.view().asking == "ben"


def test_scorekeeper_survives_a_restart_and_gives_way_only_while_unseen(clock):
    kept = []
    make_scorekeeper(Scorekeeper(save=kept.append, clock=clock), "anna")
    after = Scorekeeper(kept[-1], clock=clock)
    assert after.is_held_by("anna")

    after.mark_seen("anna")
    after.ask("ben")
    assert not after.press_button()


def test_released_role_goes_to_the_next_proof(scorekeeper):
    make_scorekeeper(scorekeeper, "anna")
    scorekeeper.release()

    assert scorekeeper.prove("ben")


def test_record_is_saved_only_when_it_changes(clock):
    kept = []
    scorekeeper = Scorekeeper(save=kept.append, clock=clock)
    make_scorekeeper(scorekeeper, "anna")
    for _ in range(10):
        scorekeeper.mark_seen("anna")
        scorekeeper.prove("anna")

    assert len(kept) == 1


def test_view_does_not_wait_for_saving(clock):
    pool = ThreadPoolExecutor(1)
    views = []
    scorekeeper = Scorekeeper(
        save=lambda _: views.append(pool.submit(scorekeeper.view).result(PATIENCE_S)), clock=clock
    )
    scorekeeper.assign_player("bens phone", "Ben")

    assert views == [scorekeeper.view()]


def test_only_a_change_is_announced(clock):
    announced = []
    scorekeeper = Scorekeeper(on_change=lambda: announced.append(1), clock=clock)
    for _ in range(5):
        scorekeeper.assign_player("bens phone", "Ben")
        scorekeeper.ask("bens phone")

    assert len(announced) == 2


def test_new_request_after_an_expired_one_is_announced(clock):
    announced = []
    scorekeeper = Scorekeeper(on_change=lambda: announced.append(1), clock=clock)
    scorekeeper.ask("anna")
    clock.now_s += REQUEST_S
    scorekeeper.ask("anna")

    assert len(announced) == 2


def test_players_own_phone_may_act_only_if_own_turns_are_allowed(scorekeeper):
    scorekeeper.assign_player("bens phone", "Ben")
    assert not scorekeeper.may_act("bens phone", "Ben")
    scorekeeper.allow_own_turns(on=True)

    assert scorekeeper.may_act("bens phone", "Ben")
    assert not scorekeeper.may_act("bens phone", "Anna")


def test_player_has_one_phone_until_the_phones_are_cleared(scorekeeper):
    scorekeeper.assign_player("first", "Ben")
    with pytest.raises(TableError, match="Ben already has another phone"):
        scorekeeper.assign_player("second", "Ben")
    scorekeeper.forget_players()
    scorekeeper.assign_player("second", "Ben")

    assert scorekeeper.view().players == (("second", "Ben"),)


def test_phone_follows_its_renamed_player(scorekeeper):
    scorekeeper.assign_player("bens phone", "Ben")
    scorekeeper.assign_player("annas phone", "Anna")
    scorekeeper.rename_players({"Ben": "Benjamin"})

    assert dict(scorekeeper.view().players) == {"bens phone": "Benjamin", "annas phone": "Anna"}


def test_renamed_player_replaces_an_earlier_player_of_that_name(scorekeeper):
    scorekeeper.assign_player("bens phone", "Ben")
    scorekeeper.assign_player("cleos phone", "Cleo")
    scorekeeper.rename_players({"Cleo": "Ben"})

    assert scorekeeper.view().players == (("cleos phone", "Ben"),)


PHONES = st.sampled_from(["anna", "ben", "cleo"])


class AnyEvening(RuleBasedStateMachine):
    """Whatever phones do, an active scorekeeper is never pushed out."""

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
    def active_scorekeeper_stays(self):
        now = self.scorekeeper.view().holder
        if self.holder and now != self.holder:
            assert self.clock.now_s - self.seen_s[self.holder] >= ABSENT_AFTER_S
        if now != self.holder:
            self.holder, self.seen_s[now] = now, self.clock.now_s


AnyEvening.TestCase.settings = settings(max_examples=50, stateful_step_count=30)
test_any_evening = AnyEvening.TestCase
