"""Two tables play one match, and every message between them can be lost."""

import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.addresses import NetworkAddress
from device.shared_match import conversation, shared_matches
from device.shared_match.conversation import VERSION, Conversation, Refusal, Sealed, Sync
from device.shared_match.links import MatchSide, keys_of
from device.shared_match.transports import UNKNOWN_CODE, UnknownHereError, UnreachableError
from game.commands import (
    Bank,
    CorrectThrow,
    EnterThrow,
    FollowStep,
    KeepDice,
    RecordEvent,
    Rematch,
    ReopenMatch,
    SetJustDice,
    StartMatch,
    Undo,
)
from game.errors import GameError, IllegalMove
from game.journal.entry import OTHER_TRAY
from game.match.events import Joined, Renamed, ScoreSet, Thrown
from game.message import Message
from game.situation import TableError
from tests.device.shared_match.tables import open_table
from tests.examples import SHARED_FIXTURES
from web.contracts import SharedPhase, UnknownCodeError
from web.pages.matches import throw_positions


@pytest.fixture(scope="module", autouse=True)
def _one_code():
    """Deriving the keys of a code takes long on purpose, so all tests use the same code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_matches, "new_code", lambda: "K7QM2XRT9D")
        yield


class Pair:
    """A host and a guest, and the messages between them."""

    def __init__(self, stack, folder):
        self._stack, self._folder = stack, folder
        self.host, self.guest = self._open("host"), self._open("guest")

    def _open(self, name):
        table = self._stack.enter_context(open_table(self._folder / name))
        table.shared.connect(table)
        table.shared.refresh()
        return table

    def restart(self, name):
        """Stop a side as a power cut does: what it has not written is lost."""
        getattr(self, name).close()
        setattr(self, name, self._open(name))

    def begin(self, hosts=("Anna",), guests=("Ben",)):
        self.host.shared.invite(hosts, None, None, None)
        self.guest.shared.join(self.host.shared.invitation("http://host/"), guests)
        self.exchange()

    def exchange(self, *, lose_request=False, lose_answer=False):
        """Let the guest send one message, and the host answer it."""
        self.guest.shared.refresh()
        link = self.guest.shared.link
        request = Sealed.parse(self.guest.shared.message(link).sealed(link.keys).encode())
        if lose_request:
            return
        answer = self.host.shared.exchange(request.id, request.text, request.mac)
        if not lose_answer:
            sealed = Sealed.parse(answer.encode())
            self.guest.shared.hear(link, Sync.opened(sealed, link.keys, MatchSide.HOST))

    def publish(self):
        """Let each side send one message that the other only hears, as over a broker."""
        for source, target in ((self.host, self.guest), (self.guest, self.host)):
            source.shared.refresh()
            link, to = source.shared.link, target.shared.link
            sealed = Sealed.parse(source.shared.message(link).sealed(link.keys).encode())
            target.shared.hear(to, Sync.opened(sealed, to.keys, link.side))

    def settle(self):
        for _ in range(12):
            self.exchange()

    @property
    def on_turn(self):
        return self.guest if self.host.is_elsewhere else self.host

    @property
    def waiting(self):
        return self.host if self.on_turn is self.guest else self.guest

    @property
    def agree(self):
        return bool(self.host.entries()) and self.host.entries() == self.guest.entries()


class Wire:
    """HTTP between the trays, on which a test sees each request, and can interrupt it.

    Attributes:
        hosts: The tables that answer, by the name in their address.
        n_requests: Number of requests to each name.
        on_answer: Called when an answer is on its way.
    """

    def __init__(self):
        self.hosts, self.n_requests = {}, Counter()
        self.on_answer = lambda: None

    def send(self, address, message):
        name = NetworkAddress.parse(address).host
        self.n_requests[name] += 1
        if name not in self.hosts:
            raise UnreachableError(Message("No tray answers."))
        sealed = Sealed.parse(message.encode())
        try:
            answer = self.hosts[name].shared.exchange(sealed.id, sealed.text, sealed.mac)
        except UnknownCodeError:
            raise UnknownHereError(UNKNOWN_CODE) from None
        self.on_answer()
        return answer.encode()

    def abort(self):
        """Do nothing, because a request takes no time."""

    def talk(self, table, n=1, every_s=1.0):
        """Let a table send what is due `n` times, at intervals of its clock."""
        for _ in range(n):
            table.shared._talker.talk()
            table.clock.now_s += every_s


@pytest.fixture
def wire(monkeypatch):
    wire = Wire()
    monkeypatch.setattr(shared_matches, "HostTransport", lambda: wire)
    return wire


@pytest.fixture
def wired(wire, pair):
    """Return the pair, whose guest reaches the host over the wire."""
    wire.hosts["host"] = pair.host
    return pair


@pytest.fixture
def pair(tmp_path):
    with ExitStack() as stack:
        yield Pair(stack, tmp_path)


def throw(table, random):
    """Throw the dice in hand; if there was an earlier throw, first take its best keep."""
    state = table.match.state
    if state.turn.last and state.keeps and not state.turn.last.keep:
        table.do(KeepDice(state.keeps[0].dice))
    n = table.match.state.dice_in_hand
    table.do(EnterThrow(tuple(random.randint(1, 6) for _ in range(n))))


def play(pair, random):
    """Let the current player throw or bank, at that player's tray."""
    table = pair.on_turn
    state = table.match.state
    best = state.best_bank_keep if state.turn.last else None
    if best and not state.bank_refusal() and state.turn.locked_points + best.score >= 300:
        table.do(Bank())
    else:
        throw(table, random)


def test_the_players_of_both_trays_sit_alternately(pair):
    pair.begin(("Anna", "Cleo", "Dora"), ("Ben",))
    names = [player.name for player in pair.guest.match.state.players]

    assert names == ["Anna", "Ben", "Cleo", "Dora"]
    assert pair.host.shared.view().seats == (1,)
    assert pair.guest.shared.view().seats == (0, 2, 3)
    assert pair.agree


def test_a_whole_match_is_the_same_in_both_journals(pair):
    pair.begin()
    random = Random(1)
    while pair.host.match.state.winner is None:
        play(pair, random)
        pair.exchange()
        pair.exchange()
    scores = [player.score for player in pair.host.match.state.players]

    assert max(scores) >= 2_000
    assert [player.score for player in pair.guest.match.state.players] == scores
    assert pair.agree


@pytest.mark.parametrize("lost", ["lose_request", "lose_answer"])
@pytest.mark.parametrize("cut", range(8))
def test_a_match_begins_and_continues_whichever_message_is_lost(pair, lost, cut):
    pair.host.shared.invite(("Anna",), None, None, None)
    pair.guest.shared.join(pair.host.shared.invitation("http://host/"), ("Ben",))
    random = Random(cut)
    for n in range(8):
        pair.exchange(**{lost: n == cut})
        if n > cut and pair.guest.match and pair.host.match:
            play(pair, random)
    pair.settle()

    assert len(pair.host.entries()) > 1 or cut == 7
    assert pair.agree


@settings(
    max_examples=15,
    suppress_health_check=SHARED_FIXTURES,
)
@given(
    steps=st.lists(
        st.sampled_from(
            ["play", "play", "play", "send", "send", "lose_request", "lose_answer", "undo", "correct",
             "set", "restart host", "restart guest"]
        ),
        max_size=40,
    ),
    seed=st.integers(0, 2**16),
)  # fmt: skip
def test_both_journals_agree_whatever_is_lost_or_restarted(tmp_path_factory, steps, seed):
    random = Random(seed)
    with ExitStack() as stack:
        pair = Pair(stack, tmp_path_factory.mktemp("pair"))
        pair.begin()
        for step in steps:
            try:
                act(pair, step, random)
            except (GameError, TableError):
                continue  # the rules forbid it, or it is the other tray's turn
        pair.settle()

        assert pair.agree
        requests = pair.host.history.requests(pair.host.history.newest()[0])
        assert set(requests) <= {OTHER_TRAY}


def act(pair, step, random):
    table = random.choice((pair.host, pair.guest))
    match step:
        case "play":
            play(pair, random)
        case "send":
            pair.exchange()
        case "lose_request" | "lose_answer":
            pair.exchange(**{step: True})
        case "undo":
            table.do(Undo())
        case "correct" if table.match.last_throw:
            n = len(table.match.last_throw.dice)
            table.do(CorrectThrow(tuple(random.randint(1, 6) for _ in range(n))))
        case "set":
            table.session.do(RecordEvent(ScoreSet(0, 50 * random.randint(0, 9))))
        case "restart host" | "restart guest":
            pair.restart(step.split()[1])


def test_only_the_tray_of_the_current_player_accepts_throws(pair):
    pair.begin()

    with pytest.raises(TableError, match="It is Anna's turn at the other tray"):
        pair.guest.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    pair.guest.session.release_button(0.1)
    assert str(pair.guest.session.table.message) == "It is Anna's turn at the other tray."
    assert pair.guest.session.table.overlay is None


def test_the_other_tray_undoes_what_only_it_can_undo(pair):
    pair.begin()
    pair.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    pair.host.do(Bank())
    pair.settle()
    assert pair.host.is_elsewhere
    pair.host.do(Undo())
    said = str(pair.host.session.table.message)
    pair.settle()

    assert said == "The other tray is being asked to change that."
    assert not pair.host.is_elsewhere
    assert pair.host.match.state.turn.last.dice == (1, 1, 1, 2, 3, 4)
    assert pair.agree


def test_the_other_tray_changes_the_match_and_not_the_practice_throws(pair):
    pair.begin()
    pair.host.do(EnterThrow((2, 3, 3, 4, 6, 6)))
    pair.settle()
    pair.guest.do(EnterThrow((1, 1, 2, 2, 3, 4)))
    pair.guest.do(SetJustDice(on=True))
    pair.guest.do(EnterThrow((6, 6, 5)))
    practice = pair.guest.session.table
    pair.settle()
    pair.host.do(Undo())
    pair.settle()
    undone = pair.host.match.state.turn.last
    pair.host.do(CorrectThrow((2, 3, 4, 4, 6, 6), 0))
    pair.settle()

    assert undone is None
    assert pair.host.match.last_throw.dice == (2, 3, 4, 4, 6, 6)
    assert pair.agree
    table = pair.guest.session.table
    assert (table.dice_log, table.message) == (practice.dice_log, practice.message)


def test_a_throw_is_corrected_after_its_turn_has_passed(pair):
    pair.begin()
    pair.host.do(EnterThrow((2, 3, 3, 4, 6, 6)))
    pair.settle()
    assert pair.host.is_elsewhere
    pair.host.do(CorrectThrow((1, 3, 3, 4, 6, 6), pair.host.match.last_throw.index))
    pair.settle()

    assert pair.guest.match.last_throw.dice == (1, 3, 3, 4, 6, 6)
    assert pair.agree


def test_no_change_is_requested_from_a_tray_that_cannot_be_reached(pair):
    pair.begin()
    pair.guest.clock.now_s += 60

    with pytest.raises(TableError, match="not reachable"):
        pair.guest.do(Undo())


def test_the_view_says_that_the_match_waits_while_the_other_tray_is_silent(pair):
    pair.begin()
    assert pair.guest.shared.view().trouble is None
    pair.guest.clock.now_s += 60
    silent = pair.guest.shared.view()
    pair.exchange()

    assert str(silent.trouble) == "The other tray is not reachable: the match is waiting."
    assert not silent.is_reachable
    assert pair.guest.shared.view().trouble is None


@pytest.mark.parametrize("name", ["Anna  Lena", " Anna", "Zoe\u0308"])
def test_a_host_whose_name_was_typed_with_other_spaces_or_accents_plays_at_its_own_tray(pair, name):
    pair.begin((name,))
    pair.settle()
    pair.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))

    assert pair.host.shared.view().seats == (1,)
    assert pair.guest.shared.view().seats == (0,)


@pytest.mark.parametrize("name", ["anna", "Anna ", "  ANNA"])
def test_players_with_the_same_name_cannot_begin(pair, name):
    pair.begin(("Anna",), (name,))

    assert pair.host.match is None
    assert f"{name.strip()} would play at both trays" in str(pair.host.shared.view().trouble)
    assert "same name" in str(pair.guest.shared.view().trouble)


def test_a_name_that_an_older_guest_sends_as_it_was_typed_is_compared(pair):
    pair.host.shared.invite(("Anna",), None, None, None)
    sent = Sync(MatchSide.GUEST, names=("Anna ",))

    assert pair.host.shared.hear(pair.host.shared.link, sent) is Refusal.SAME_NAME


def test_the_guest_is_informed_that_a_match_cannot_begin_with_so_many_players(pair):
    pair.begin(("Anna", "Cleo"), tuple(f"P{n}" for n in range(19)))

    assert "2 to 20 players, not 21" in str(pair.host.shared.view().trouble)
    assert "the page of the other tray says why" in str(pair.guest.shared.view().trouble)
    assert pair.host.match is None


@pytest.mark.parametrize("names", [("A name of more than 24 characters",), ("Ben", "Ben ")])
def test_names_that_no_match_accepts_are_refused_before_the_trays_meet(pair, names):
    with pytest.raises(IllegalMove):
        pair.guest.shared.join("http://host/shared#K7QM2-XRT9D", names)

    assert pair.guest.shared.view() is None


def test_the_guest_is_informed_that_the_host_is_playing_another_match(pair):
    pair.begin()
    pair.host.do(StartMatch(("Cleo", "Dora")))
    pair.exchange()

    assert "playing another match" in str(pair.guest.shared.view().trouble)
    assert pair.host.shared.view() is None


def test_a_tray_that_continues_alone_accepts_all_throws(pair):
    pair.begin()
    pair.guest.shared.leave()
    pair.guest.do(EnterThrow((1, 1, 1, 2, 3, 4)))

    assert pair.guest.shared.view() is None
    assert pair.guest.match.state.turn.last.dice == (1, 1, 1, 2, 3, 4)


def test_copies_of_a_match_that_differ_are_reported(pair):
    pair.begin()
    pair.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    pair.guest.session.live_match.do(Thrown((5, 5, 5, 2, 3, 4)))
    pair.exchange()

    assert "differs between the two trays from step 1 on" in str(pair.host.shared.view().trouble)


def test_a_step_from_the_tray_whose_turn_it_is_not_is_refused(pair, caplog):
    pair.begin()
    pair.settle()
    link = pair.guest.shared.link
    sync = pair.guest.shared.message(link)
    thrown = pair.guest.entries()[-1].then(Thrown((1, 1, 1, 2, 3, 4)))
    confused = replace(sync, seq=thrown.seq, chain=thrown.chain, entries=(thrown,))
    for _ in range(2):
        pair.host.shared.hear(pair.host.shared.link, confused)

    assert pair.host.match.state.turn.last is None
    refusal = "sent step 1 although it is Anna's turn at this tray"
    assert refusal in str(pair.host.snapshot().other_tray_trouble)
    assert caplog.text.count(refusal) == 1
    pair.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    pair.settle()
    assert pair.agree


def test_a_message_without_the_code_is_refused(pair):
    pair.begin()
    link = pair.guest.shared.link
    forged = pair.guest.shared.message(link)
    for keys in (keys_of("0000000000"), replace_id(keys_of("0000000000"), link.keys.id)):
        data = json.loads(forged.sealed(keys))
        with pytest.raises(UnknownCodeError):
            pair.host.shared.exchange(data["id"], data["text"], data["mac"])


def replace_id(keys, name):
    return type(keys)(name, keys.keys)


def test_a_host_does_not_accept_its_own_messages(pair):
    pair.begin()
    link = pair.host.shared.link
    sealed = Sealed.parse(pair.host.shared.message(link).sealed(link.keys).encode())

    with pytest.raises(UnknownCodeError):
        pair.host.shared.exchange(sealed.id, sealed.text, sealed.mac)


def test_a_signature_that_is_no_text_counts_as_a_wrong_code(pair):
    pair.begin()
    for text, mac in (("{}", "\ud800"), ("\ud800", "00")):
        with pytest.raises(UnknownCodeError):
            pair.host.shared.exchange(pair.host.shared.link.id, text, mac)


def test_both_trays_say_that_only_the_guest_has_been_updated(wired, wire, caplog, monkeypatch):
    wired.begin()
    seal = Sync.sealed
    newer = lambda sync, keys: seal(  # noqa: E731 - replaces a method
        replace(sync, version=VERSION + (sync.side is MatchSide.GUEST)), keys
    )
    monkeypatch.setattr(Sync, "sealed", newer)
    opened = Sync.opened.__func__

    def open_as(cls, sealed, keys, side):
        monkeypatch.setattr(conversation, "VERSION", VERSION + (side is MatchSide.HOST))
        return opened(cls, sealed, keys, side)

    monkeypatch.setattr(Sync, "opened", classmethod(open_as))
    wire.talk(wired.guest, 20)

    for table in (wired.host, wired.guest):
        assert "install the same version on both trays" in str(table.shared.view().trouble)
    assert [record.exc_info for record in caplog.records] == [None, None]


def test_a_guest_says_that_the_host_no_longer_knows_the_code(wired, wire):
    wired.begin()
    wired.host.shared._links.forget(wired.host.shared.link.match)
    wire.talk(wired.guest, 20)

    assert "does not know this code" in str(wired.guest.shared.view().trouble)


@pytest.mark.parametrize("leaves", [True, False])
def test_a_guest_that_leaves_or_starts_another_match_says_so_to_the_host(wired, wire, leaves):
    wired.begin()
    wire.talk(wired.guest, 3)
    del wire.hosts["host"]
    if leaves:
        wired.guest.shared.leave()
    else:
        wired.guest.do(StartMatch(("Ben", "Cleo")))
    wire.talk(wired.guest, 30)
    wire.hosts["host"] = wired.host
    wire.talk(wired.guest, 30)
    n_requests = wire.n_requests["host"]
    wire.talk(wired.guest, 30)
    expected = "has left this match" if leaves else "is now playing another match"

    assert expected in str(wired.host.shared.view().trouble)
    assert wire.n_requests["host"] == n_requests < 12


def test_a_guest_whose_match_was_set_aside_can_continue_it(wired, wire):
    wired.begin()
    wire.talk(wired.guest)
    number = wired.guest.history.newest()[0]
    wired.guest.do(StartMatch(("Ben", "Cleo")))
    wire.talk(wired.guest, 20)
    wired.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    wired.guest.do(ReopenMatch(number))
    wire.talk(wired.guest, 3)

    assert wired.agree
    assert wired.host.shared.view().trouble is None


@pytest.mark.parametrize("change", [Undo(), RecordEvent(Renamed(1, "Benno"))], ids=["undo", "name"])
def test_the_old_host_learns_of_a_change_while_the_guest_waits_for_a_new_one(
    wired, wire, tmp_path, change
):
    wired.begin()
    win(wired)
    with open_table(tmp_path / "new host") as new:
        new.shared.connect(new)
        wire.hosts["new"] = new
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(shared_matches, "new_code", lambda: "ZZZZZZZZZZ")
            new.shared.invite(("Cleo",), None, None, None)
        new.do(StartMatch(("Cleo", "Dora")))
        new.do(EnterThrow((1, 1, 1, 2, 3, 4)))
        wired.guest.shared.join("http://new/shared#ZZZZZ-ZZZZZ", ("Ben",))
        wire.talk(wired.guest, 5)
        wired.guest.do(change)
        before = wire.n_requests.copy()
        wire.talk(wired.guest, 400, every_s=0.05)

    assert wired.agree
    assert (wire.n_requests - before)["new"] <= 21
    assert (wire.n_requests - before)["host"] <= 21


def test_a_rematch_does_not_replace_the_match_of_another_host_for_which_the_guest_waits(
    wired, wire
):
    wired.begin()
    win(wired)
    wire.talk(wired.guest)
    wired.guest.shared.join("http://new/shared#ZZZZZ-ZZZZZ", ("Ben",))
    wired.guest.do(RecordEvent(Renamed(1, "Benno")))
    wired.host.do(Rematch())
    wire.talk(wired.guest, 30)
    assert wired.guest.shared.view().phase is SharedPhase.JOINING
    assert wired.guest.match.state.winner == 1
    wired.guest.shared.leave()
    wire.talk(wired.guest, 3)

    assert wired.agree
    assert wired.guest.match.state.winner is None


@pytest.mark.parametrize("is_lost", [False, True])
@pytest.mark.parametrize("invited_again", [False, True])
def test_a_guest_that_cancels_joins_nothing_although_an_answer_is_on_its_way(
    wired, wire, invited_again, is_lost
):
    wired.host.shared.invite(("Anna",), None, None, None)
    guest = wired.guest.shared
    guest.join(wired.host.shared.invitation("http://host/"), ("Ben",))

    def cancel():
        guest.leave()
        if invited_again:
            guest.join("http://other/shared#ZZZZZ-ZZZZZ", ("Ben",))
        if is_lost:
            raise UnreachableError(Message("No tray answers."))

    wire.on_answer = cancel
    wire.talk(wired.guest)

    assert wired.guest.match is None
    assert wired.guest.snapshot().other_tray_trouble is None
    assert (guest.view() is not None) is invited_again


def test_a_match_goes_on_when_the_guest_enters_the_new_address_of_the_host(wired, wire):
    wired.begin()
    wire.talk(wired.guest)
    wire.hosts = {"moved": wired.host}
    wired.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    wire.talk(wired.guest, 20)
    assert not wired.agree
    wired.guest.shared.join(wired.host.shared.invitation("http://moved:8000/"), ("Ben",))
    wire.talk(wired.guest, 2)
    wired.restart("guest")
    wire.talk(wired.guest, 2)

    assert wired.agree
    assert wired.guest.shared.view().is_reachable


def test_the_new_address_of_the_host_is_saved_although_the_guest_plays_another_match(wired, wire):
    wired.begin()
    wire.talk(wired.guest)
    shared_match = wired.guest.history.newest()[0]
    wire.hosts = {"moved": wired.host}
    wired.guest.do(StartMatch(("Ben", "Carl")))
    wire.talk(wired.guest, 3)
    with pytest.raises(TableError, match="choose it in the list of matches"):
        wired.guest.shared.join(wired.host.shared.invitation("http://moved:8000/"), ("Ben",))
    wire.talk(wired.guest)
    assert "now playing another match" in str(wired.host.shared.view().trouble)
    wired.restart("guest")
    wired.guest.do(ReopenMatch(shared_match))
    wire.talk(wired.guest, 2)

    assert wired.agree
    assert wired.guest.shared.view().is_reachable
    assert wired.host.shared.view().trouble is None


def test_a_second_tray_with_the_same_code_cannot_join_during_the_match(wired, wire):
    wired.begin()
    wire.talk(wired.guest, 2)
    other = wired._open("other")
    other.shared.join(wired.host.shared.invitation("http://host/"), ("Zoe",))
    for _ in range(3):
        wire.talk(other)
        wire.talk(wired.guest)

    assert other.match is None
    assert "Another match is being played at the other tray" in str(other.shared.view().trouble)
    assert wired.host.shared.view().trouble is None


def test_a_guest_that_has_lost_everything_joins_its_match_again_with_the_same_names(wired, wire):
    wired.begin()
    wire.talk(wired.guest)
    wired.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    wired.host.do(Bank())
    new = wired._open("new card")
    new.shared.join(wired.host.shared.invitation("http://host/"), ("Ben ",))
    wire.talk(new, 3)

    assert new.entries() == wired.host.entries()
    assert not new.is_elsewhere


def test_rules_that_mean_something_else_in_another_version_are_refused(pair, monkeypatch):
    message = Conversation.message
    monkeypatch.setattr(Conversation, "message", lambda self: replace(message(self), rules="older"))
    pair.begin()

    assert pair.guest.match is None
    assert "same version" in str(pair.guest.shared.view().trouble)


def throw_at(pair, name):
    """Let one tray throw, and return the tables that threw and watched, and where the throw is in their journals."""
    pair.begin()
    if name == "guest":
        pair.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
        pair.host.do(Bank())
        pair.settle()
    thrower, watcher = pair.on_turn, pair.waiting
    thrower.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    position = thrower.history.version[1]
    pair.exchange()
    pair.exchange()
    return thrower, watcher, position, watcher.history.version[1]


@pytest.mark.parametrize("way", ["exchange", "publish"])
@pytest.mark.parametrize("thrower", ["host", "guest"])
def test_picture_and_clip_of_a_throw_cross_to_the_other_tray_in_parts(pair, thrower, way):
    thrower, watcher, position, copy = throw_at(pair, thrower)
    picture, clip = bytes(range(256)) * 400, b"clip" * 20_000
    thrower.files[position], thrower.clips[position] = picture, clip
    for _ in range(12):
        getattr(pair, way)()

    assert (watcher.files[copy], watcher.clips[copy]) == (picture, clip)
    newest = watcher.history.matches(limit=1)[0]
    assert copy in throw_positions(watcher.history, newest.id).values()
    shown = watcher.photos[-1]
    assert (shown.picture, shown.clip) == (picture, clip)
    assert shown.index == watcher.match.last_throw.index


def test_the_next_part_of_a_picture_is_requested_without_a_pause(pair):
    thrower, watcher, position, _ = throw_at(pair, "host")
    pair.exchange()
    assert not watcher.shared.conversation.has_news

    thrower.files[position] = bytes(range(256)) * 400
    pair.exchange()

    assert watcher.shared.conversation.has_news


@pytest.mark.parametrize("lost", ["lose_request", "lose_answer"])
@pytest.mark.parametrize("cut", range(4))
@pytest.mark.parametrize("thrower", ["host", "guest"])
def test_a_picture_arrives_whole_whichever_message_is_lost(pair, thrower, cut, lost):
    watcher = {"host": "guest", "guest": "host"}[thrower]
    table, _, position, copy = throw_at(pair, thrower)
    table.files[position] = picture = bytes(range(256)) * 400
    for _ in range(cut):
        pair.exchange()
    pair.exchange(**{lost: True})
    pair.restart(watcher)  # forgets the parts that have arrived
    pair.settle()

    assert getattr(pair, watcher).files.get(copy) == picture


def test_the_clip_of_a_throw_follows_its_picture(pair):
    thrower, watcher, position, copy = throw_at(pair, "host")
    thrower.clips[position] = b"clip" * 20_000
    pair.exchange()
    pair.exchange()
    thrower.files[position] = b"picture"
    pair.settle()

    shown = watcher.photos[-1]
    assert (shown.picture, shown.clip) == (b"picture", b"clip" * 20_000)
    assert watcher.clips[copy] == shown.clip


def test_a_picture_that_does_not_exist_is_not_requested_forever(pair):
    pair.begin()
    pair.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    for _ in range(30):
        pair.exchange()

    assert pair.guest.shared.conversation.message().want is None


def test_a_pending_invitation_survives_a_restart(pair):
    pair.host.shared.invite(("Anna",), None, 3_000, None)
    pair.guest.shared.join(pair.host.shared.invitation("http://host/"), ("Ben",))
    pair.restart("host")
    pair.restart("guest")
    assert pair.host.shared.view().phase is SharedPhase.INVITING
    assert pair.guest.shared.view().phase is SharedPhase.JOINING
    pair.exchange()

    assert pair.agree
    assert pair.guest.match.rules.target == 3_000


@pytest.mark.parametrize("asker", ["host", "guest"])
def test_a_rematch_begins_at_both_trays_whoever_asks_for_it(pair, asker):
    pair.begin(("Anna", "Cleo"))
    pair.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    pair.host.do(RecordEvent(ScoreSet(0, 1_900)))
    pair.host.do(Bank())
    pair.settle()
    play_to_the_end(pair)
    first = pair.host.history.newest()
    if asker == "host":
        pair.host.do(Rematch())
    else:
        with pytest.raises(TableError, match="being asked to begin the rematch"):
            pair.guest.do(Rematch())
    pair.settle()
    names = [player.name for player in pair.guest.match.state.players]

    assert pair.host.history.newest() != first
    assert pair.agree
    assert len(pair.guest.entries()) == 1
    assert [names[seat] for seat in pair.host.shared.view().seats] == ["Ben"]
    assert pair.on_turn.match.state.player.name == names[pair.host.match.state.turn.seat]


def win(pair):
    """Let the guest win the match."""
    pair.host.do(RecordEvent(ScoreSet(1, 1_900)))
    pair.host.do(EnterThrow((2, 3, 3, 4, 6, 6)))
    pair.settle()
    pair.guest.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    pair.guest.do(Bank())
    pair.settle()
    pair.host.do(EnterThrow((2, 3, 3, 4, 6, 6)))
    pair.settle()


def troubles(pair):
    return [str(table.snapshot().other_tray_trouble) for table in (pair.host, pair.guest)]


@pytest.mark.parametrize("way", ["exchange", "publish"])
def test_both_trays_say_so_if_one_takes_back_the_win_while_the_other_begins_a_rematch(pair, way):
    pair.begin()
    win(pair)
    first = pair.host.history.newest()[0]
    pair.guest.do(Undo())
    pair.host.do(Rematch())
    for _ in range(4):
        getattr(pair, way)()
    assert all("is now playing another match" in trouble for trouble in troubles(pair))
    pair.host.do(ReopenMatch(first))
    for _ in range(4):
        getattr(pair, way)()

    assert troubles(pair) == ["None", "None"]
    assert pair.agree


@pytest.mark.parametrize("is_over", [False, True])
def test_both_trays_say_so_if_the_host_returns_to_the_match_before_the_rematch(pair, is_over):
    pair.begin()
    win(pair)
    first = pair.host.history.newest()[0]
    pair.host.do(Rematch())
    pair.exchange()
    pair.exchange()
    assert troubles(pair) == ["None", "None"]
    second = pair.host.history.newest()[0]
    if is_over:
        play_to_the_end(pair)
    pair.host.do(ReopenMatch(first))
    pair.settle()
    assert all("is now playing another match" in trouble for trouble in troubles(pair))
    pair.host.do(ReopenMatch(second))
    pair.settle()

    assert troubles(pair) == ["None", "None"]
    assert pair.agree


def test_a_rematch_waits_until_the_other_tray_is_reachable(pair):
    pair.begin()
    win(pair)
    pair.host.clock.now_s += 60

    with pytest.raises(TableError, match="not reachable"):
        pair.host.do(Rematch())


def test_a_rematch_waits_until_the_other_tray_knows_that_the_match_is_over(pair):
    pair.begin()
    pair.host.do(RecordEvent(ScoreSet(1, 9_900)))
    pair.settle()
    pair.host.do(EnterThrow((2, 2, 3, 4, 6, 6)))
    assert pair.host.match.state.winner == 1
    with pytest.raises(TableError, match="has not received the last step yet"):
        pair.host.do(Rematch())
    pair.settle()
    pair.host.do(Rematch())
    pair.settle()

    assert pair.agree
    assert len(pair.guest.entries()) == 1


def test_both_trays_keep_the_head_starts_in_a_rematch_until_the_player_on_turn_takes_them_back(
    pair,
):
    pair.begin()
    pair.host.do(RecordEvent(ScoreSet(1, 300)))
    pair.settle()
    play_to_the_end(pair)
    pair.host.do(Rematch())
    pair.settle()
    assert pair.agree
    assert [player.score for player in pair.guest.match.state.players] == [0, 300]
    pair.on_turn.do(Undo())
    pair.settle()

    assert pair.agree
    assert [player.score for player in pair.host.match.state.players] == [0, 0]


@pytest.mark.parametrize("name", ["host", "guest"])
def test_a_match_in_play_is_not_replaced_by_one_at_two_trays(pair, name):
    pair.host.shared.invite(("Anna",), None, None, None)
    pair.guest.shared.join(pair.host.shared.invitation("http://host/"), ("Ben",))
    table = getattr(pair, name)
    table.do(StartMatch(("Carl", "Dora")))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    pair.settle()

    assert [player.name for player in table.match.state.players] == ["Carl", "Dora"]
    other = pair.guest if table is pair.host else pair.host
    assert "finish it, or set it aside" in str(table.snapshot().other_tray_trouble)
    assert "has to be finished or set aside there first" in str(other.snapshot().other_tray_trouble)
    assert other.match is None
    assert len(table.shared._links._links) <= 2

    table.shared.set_aside()
    pair.restart(name)
    pair.settle()
    table = getattr(pair, name)
    assert pair.agree
    assert [player.name for player in table.match.state.players] == ["Anna", "Ben"]
    assert table.snapshot().other_tray_trouble is None
    assert [len(table.history.matches(limit=9)), len(other.history.matches(limit=9))] == [2, 1]


def test_a_second_invitation_waits_until_the_match_is_over(pair):
    pair.begin()
    with pytest.raises(GameError, match="finish it, or play on alone first"):
        pair.host.shared.invite(("Anna",), None, None, None)
    pair.settle()

    assert pair.agree


def play_to_the_end(pair):
    random = Random(3)
    while pair.host.match.state.winner is None:
        play(pair, random)
        pair.exchange()
        pair.exchange()
    pair.settle()


def test_nobody_can_join_a_match_between_two_trays(pair):
    pair.begin()

    with pytest.raises(TableError, match="Nobody can join"):
        pair.host.do(RecordEvent(Joined("Cleo")))


def test_a_step_that_arrives_twice_while_the_companion_is_busy_is_carried_out_once(pair):
    pair.begin()
    number = pair.guest.history.newest()[0]
    for _ in range(2):
        pair.guest.do(FollowStep(number, (Thrown((1, 1, 1, 2, 3, 4)),), "1"))

    assert len(pair.guest.match.timeline) == 1


@pytest.mark.parametrize("name", ["host", "guest"])
def test_a_tray_that_lost_steps_gets_them_back_from_the_other_one(pair, name):
    pair.begin()
    random = Random(8)
    play_some(pair, random, 2)
    table = getattr(pair, name)
    copy = table.history.copy()
    play_some(pair, random, 4)
    before = pair.host.entries()
    table.journal.restore(copy)
    table.session.reload()
    assert table.entries() != before
    pair.settle()

    assert pair.host.entries() == before
    assert pair.agree


def test_pictures_of_throws_that_a_restored_backup_lacks_are_not_requested(pair):
    pair.begin()
    copy = pair.guest.history.copy()
    pair.host.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    pair.exchange()
    pair.exchange()
    conversation = pair.guest.shared.conversation
    assert conversation.message().want
    pair.guest.journal.restore(copy)
    pair.guest.session.reload()
    pair.guest.shared.refresh()

    assert pair.guest.shared.conversation is conversation
    assert conversation.message().want is None


def play_some(pair, random, n):
    for _ in range(n):
        play(pair, random)
        pair.exchange()
        pair.exchange()
