"""Past matches in a real journal, and a coach that calculates everything at once."""

import random
from functools import cache
from pathlib import Path

from game.errors import JournalError
from game.journal.entry import Result
from game.journal.history import History
from game.journal.journal import Journal
from game.match.match import Match
from game.message import Message
from game.odds.review import Review, caveats, review
from game.rules.rule_files import load
from game.stats.counts import DiceSetPeriod, MatchCounter
from tests.game.shipped import shipped
from tests.web.conftest import RULES
from web.contracts import ReviewedMatch

THREE = ("Anna", "Ben", "Cleo")
SHORT = load("greed")
"""Played to 3,000, so that odds for several players are calculated quickly."""


def played(names, seed=1, rules=RULES):
    """Play a whole match in which players bank 500 points or more."""
    dice = random.Random(seed)
    match = Match.start(rules, names)
    while match.state.winner is None:
        match = match.throw(dice.choices(range(1, 7), k=match.state.dice_in_hand))
        state = match.state
        if state.winner is None and state.keeps and state.turn.last:
            best = state.keeps[0]
            enough = state.turn.locked_points + best.score >= 500
            match = match.bank(best.dice) if enough else match.keep(best.dice)
    return match


def journal_of(folder: Path, *matches: Match) -> History:
    """Make a journal with these matches, each written as one step."""
    journal = Journal.open(folder / "journal.db")
    for match in matches:
        players = match.start_state.players
        names, teams = [player.name for player in players], [player.team for player in players]
        bots = [player.bot for player in players]
        number = journal.start(Match.start(match.rules, names, teams=teams, bots=bots))
        journal.append(number, *match.timeline, result=Result.of(match))
    journal.close()
    return History(journal.path)


@cache
def reviewed(match: Match) -> Review:
    """Review a match, once for all tests."""
    return review(match, shipped(match.rules))


class AtOnce:
    """A `web.contracts.Coach` that calculates everything at once."""

    def __init__(self, history):
        self._history = history
        self.sets = [DiceSetPeriod("")]
        self.ready = True
        self.solving = []

    def review(self, match_id, steps):
        match = self._history.match(match_id)
        known = shipped(match.rules) is not None
        return ReviewedMatch(reviewed(match), known, caveats(match)) if self.ready else None

    def has_review(self, match_id, steps):
        return self.ready

    def solve(self, match_id):
        if match_id != 1:
            raise JournalError(Message("there is no match %(n)s", n=match_id))
        self.solving.append(match_id)

    def counts(self):
        counting = MatchCounter(self._history)
        list(counting.update())
        return counting.counts(self.sets) if self.ready else None

    def start_dice_set(self, name):
        self.sets.append(DiceSetPeriod(name, 10**6))
