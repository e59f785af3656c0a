"""Any sequence of moves under any rules: undo works, totals add up, and text can be read back."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from game.errors import GameError, IllegalMove, NotationError
from game.match.events import (
    Corrected,
    Farkled,
    Joined,
    Left,
    Renamed,
    Reordered,
    ScoreSet,
    Skipped,
    Spliced,
    TookOver,
    TurnSet,
    from_json,
    to_json,
)
from game.match.match import Match
from game.match.match_text import from_text, inserted_turn, to_text, write_throw
from game.match.repair import repairs
from game.match.state import Throw, TurnEnding
from game.rules import scoring
from tests.campaigns.size import count
from tests.game.rules_strategy import rulesets

SEATS = st.integers(-1, 4)


class MatchMachine(RuleBasedStateMachine):
    """A player of random moves, both legal and illegal."""

    @initialize(
        rules=rulesets(),
        n=st.integers(2, 4),
        teams=st.sampled_from([None, (0, 1, 0, 1), (None, 5, None, 5)]),
        first=st.integers(0, 1),
    )
    def begin(self, rules, n, teams, first):
        names = ["Anna", "Ben #2", "Cle|o", "Dan%"][:n]
        self.match = Match.start(rules, names, first=first, teams=teams and teams[:n])

    def attempt(self, *actions):
        """Push actions. A `GameError` is a valid result; any other error is a bug."""
        try:
            after = self.match.push(*actions)
        except GameError:
            return
        if not any(isinstance(action, Corrected | Spliced) for action in actions):
            assert after.undo().state == self.match.state
        assert after.undo().redo() == after
        assert [from_json(json.loads(json.dumps(to_json(a)))) for a in actions] == list(actions)
        self.match = after

    @rule(data=st.data())
    def throw(self, data):
        state = self.match.state
        unkept = state.turn.last and not state.turn.last.keep
        if unkept and state.keeps and state.winner is None:
            self.match = self.match.keep(data.draw(st.sampled_from(state.keeps)).dice)
        n = self.match.state.dice_in_hand
        dice = tuple(data.draw(st.lists(st.integers(1, 6), min_size=n, max_size=n)))
        try:
            self.match = self.match.throw(dice)
        except IllegalMove:
            assert state.winner is not None

    @rule()
    def bank(self):
        refusal = self.match.state.bank_refusal()
        if refusal is None:
            self.match = self.match.bank()
        else:
            with pytest.raises(IllegalMove, match=re.escape(str(refusal))):
                self.match.bank()

    @rule(data=st.data())
    def keep_some(self, data):
        keeps = self.match.state.keeps
        if keeps and self.match.state.winner is None:
            self.match = self.match.keep(data.draw(st.sampled_from(keeps)).dice, assumed=True)

    @rule(
        event=st.one_of(
            st.just(Farkled()),
            st.just(Skipped()),
            st.just(TookOver()),
            st.builds(Joined, st.sampled_from(["Eve", "Anna", ""]), st.none() | st.integers(0, 2)),
            st.builds(Left, SEATS),
            st.builds(Renamed, SEATS, st.sampled_from(["Zoë", "Ben #2", "\x00"])),
            st.builds(Reordered, st.permutations(range(3)).map(tuple)),
            st.builds(ScoreSet, SEATS, st.integers(-1000, 12_000)),
            st.builds(TurnSet, SEATS, st.integers(-1, 900), st.integers(0, 7)),
        )
    )
    def anything_else(self, event):
        self.attempt(event)

    @rule(index=st.integers(0, 40), dice=st.lists(st.integers(1, 6), min_size=1, max_size=6))
    def correct(self, index, dice):
        self.attempt(Corrected(index, tuple(dice)))

    @rule(index=st.integers(0, 40), dice=st.lists(st.integers(1, 6), min_size=6, max_size=6))
    def repair(self, index, dice):
        try:
            offered = repairs(self.match, Corrected(index, tuple(dice)))
        except GameError:
            return
        for repair in offered:
            assert self.match.push(repair.action).undo().state == self.match.state

    @rule(start=st.integers(0, 20), n=st.integers(0, 2))
    def drop(self, start, n):
        self.attempt(Spliced(start, start + n, ()))

    @rule(dice=st.lists(st.integers(1, 6), min_size=1, max_size=6), data=st.data())
    def insert(self, dice, data):
        """Insert a turn by hand, which is refused or acts like its line at the end of the text."""
        throw = Throw(tuple(sorted(dice)))
        keeps = scoring.keep_table(self.match.rules).get(throw.dice, ())
        if keeps:
            throw = replace(throw, keep=data.draw(st.sampled_from(keeps)))
        line = write_throw(throw, data.draw(st.sampled_from(TurnEnding)))
        try:
            after = self.match.push(inserted_turn(self.match, line))
        except GameError:
            with pytest.raises(NotationError):
                from_text(to_text(self.match) + line)
            return
        assert from_text(to_text(self.match) + line).state == after.state
        self.match = after

    @precondition(lambda self: self.match.can_undo)
    @rule()
    def undo(self):
        before = self.match
        self.match = before.undo()
        assert self.match.redo().state == before.state

    @precondition(lambda self: self.match.can_redo)
    @rule()
    def redo(self):
        self.match = self.match.redo()

    @invariant()
    def text_reads_back(self):
        if hasattr(self, "match"):
            text = to_text(self.match)
            again = from_text(text)
            assert again.state == self.match.state, text
            assert to_text(again) == text

    @invariant()
    def turns_add_up(self):
        """Check that a score is the sum of the points and penalties of the team's turns.

        Matches in which a person set a score or a turn are left out.
        """
        if not hasattr(self, "match"):
            return
        state, timeline = self.match.state, self.match.timeline
        by_hand = any(isinstance(event, ScoreSet | TurnSet | Joined) for event in timeline)
        if by_hand or not state.rules.below_zero:
            return
        for seat, player in enumerate(state.players):
            mates = state.team_seats(seat)
            assert player.score == _recount(state, mates)


def _recount(state, mates):
    """Add up the turns of these seats again from their throws."""
    total = 0
    for turn in (*state.turns, state.turn):
        if turn.given_to in mates:
            total += turn.given
        if turn.seat not in mates:
            continue
        total += sum(throw.penalty for throw in turn.throws)
        if turn.ending is TurnEnding.RESET:
            total = 0
        if turn.ending is TurnEnding.BANK:
            assert turn.points in (turn.at_risk, 0)
            total += turn.points
        total += turn.penalty
    return total


TestMatch = pytest.mark.campaign(MatchMachine.TestCase)
TestMatch.settings = settings(
    max_examples=count(40, 1000),
    stateful_step_count=40,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
