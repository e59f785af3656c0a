"""The chance of winning after each way in which a turn can end, in a two-player match."""

from dataclasses import dataclass

import numpy as np

from game.odds.compiled_rules import CompiledRules, Floats, Indices
from game.odds.match_model import MatchEnding, MatchModel, Positions
from game.odds.player_standings import Standings
from game.odds.throw_odds import chances_to_reach, values_to_reach
from game.odds.turn_odds import asymptote
from game.odds.turn_solver import REFUSED, Stakes, dice_after_keep, n_rows

_NEGLIGIBLE = 1e-10
"""Largest gain in the chance of winning that may be missed by assuming that a player banks."""

UNLIMITED = 10**9
"""A number of steps at risk that no turn can reach."""


@dataclass(frozen=True, slots=True)
class MatchStakes:
    """The stakes of turns in one match: the values of banking, farkling and throwing again.

    Attributes:
        model: The match.
        escape: Chance that points at risk are banked in the end although the dice must be thrown,
            indexed by the number of dice.
        reaching: Chance that a whole turn banks at least n steps (usually 50 points each), indexed
            by whether the player is on the board (0 or 1) and by n.
        striving: Chance of banking at least n more steps, indexed by n and the number of dice in
            the next throw.
    """

    model: MatchModel
    escape: Floats
    reaching: Floats
    striving: Floats

    @classmethod
    def of(cls, throws: CompiledRules, ending: MatchEnding, standings: Standings) -> "MatchStakes":
        """Return the stakes of a match, from which the value of each of its turns can be calculated.

        Args:
            throws: The compiled rules.
            ending: How the match ends.
            standings: All standings that a player can have when a turn begins.
        """
        both = [
            chances_to_reach(throws, ending.goal, throws.needed(opened=opened))[: ending.goal + 1]
            for opened in (False, True)
        ]
        most = ending.goal - standings.floor
        striving = values_to_reach(throws, most, 1).thrown[: most + 1, :, 0][::-1]
        model = MatchModel(throws, ending, standings)
        return cls(model, asymptote(throws).slope, np.stack(both), striving)

    def on_solved(self, boards: Positions, wins: Floats, most: int = 0) -> Stakes:
        """Return the values of all ways in which a turn can end, in positions whose chances are known.

        Args:
            boards: The positions at the start of the turns, as `sorted_by_top` orders them.
            wins: Chance of winning for the current player, in all positions of the match.
            most: Highest number of steps at risk that the values must cover; they may cover more.
        """
        return self.stakes(boards, wins, self.model.value_of_farkle(boards, wins), most)

    def stakes(
        self,
        boards: Positions,
        wins: Floats,
        lost: Floats,
        most: int = 0,
        highest: int = UNLIMITED,
    ) -> Stakes:
        """Return the values of all ways in which a turn can end, given the value of a farkle.

        A player who is above a target that must be hit exactly may prefer a farkle, and can keep
        throwing until one comes.

        Args:
            boards: The positions at the start of the turns, as `sorted_by_top` orders them.
            wins: Chance of winning for the current player, in all positions of the match.
            lost: Chance of winning after a farkle, in each position.
            most: Highest number of steps at risk that the values must cover; they may cover more.
            highest: Steps at risk from which a player is assumed to bank or to go for the target.
        """
        model, ending = self.model, self.model.ending
        needed = model.needed(boards)
        top = np.maximum(self.top(boards, wins), most)
        is_capped = bool((top > np.maximum(highest, needed)).any())
        top = np.minimum(top, np.maximum(highest, needed))
        steps = np.arange(n_rows(model.throws, int(top.max())))[:, None]
        score = model.standings.score[boards.mine] + steps
        short_of_goal = np.minimum(score, ending.goal - 1)
        bank = model.value_after(boards, wins, model.standings.after_bank(short_of_goal))
        has_reached = score >= ending.goal
        nothing = lost if model.standings.is_static else model.value_of_nothing(boards, wins)
        bank[has_reached] = self._reached(boards, score, nothing)[has_reached]
        above = self._thrown_above(bank, lost)
        if is_capped and not ending.exactly:
            above = self._going_for_target(boards, score, lost, above)
        over = None
        if ending.exactly:
            over = score > ending.goal
            farkled = np.broadcast_to(lost, bank.shape)
            above = dict.fromkeys(range(model.throws.n_dice), farkled) | {
                left: np.maximum(value, lost) for left, value in above.items()
            }
        bank[steps < needed] = REFUSED
        if over is not None:
            bank = np.where(over, self._overshot(boards, wins, steps, nothing), bank)
        reset = np.zeros(len(boards))
        if model.throws.reset.any():
            reset = model.value_after(boards, wins, model.standings.reset[boards.mine])
        return Stakes(bank, lost, reset, top, above, over)

    def top(self, boards: Positions, wins: Floats) -> Indices:
        """Return, for each position, the number of steps at risk from which every player banks.

        With this many steps, the target is reached or, if the other player may follow, the lead is
        so large that one more throw risks more than further points can gain.

        Args:
            boards: The positions at the start of the turns.
            wins: Chance of winning for the current player, in all positions of the match. Some may
                be unknown.
        """
        ending = self.model.ending
        mine, theirs = self.model.scores(boards)
        to_goal = np.maximum(ending.goal - mine, self.model.needed(boards))
        if ending.exactly:
            most = ending.goal - mine
            past_both = np.maximum(most, ending.goal - theirs + 1)
            return past_both if ending.welfare else most
        followed = np.array(ending.followed)[boards.seat]
        if not followed.any():
            return to_goal
        safe = self._safe_lead(boards, wins) + theirs - mine
        return np.where(followed, np.maximum(to_goal, safe), to_goal)

    def sorted_by_top(self, boards: Positions, wins: Floats) -> Positions:
        """Return the positions in descending order of `top`, as `solve_turn` expects them.

        Args:
            boards: The positions at the start of the turns.
            wins: Chance of winning for the current player, in all positions of the match. Some may
                be unknown.
        """
        return boards.at(np.argsort(-self.top(boards, wins), kind="stable"))

    def _thrown_above(self, bank: Floats, lost: Floats) -> dict[int, Floats]:
        """Return, by dice left, the value of throwing only until banking is allowed again.

        Args:
            bank: Value of banking, indexed by [steps at risk, position].
            lost: Value of a farkle, in each position.
        """
        throws = self.model.throws
        escape = self.escape[dice_after_keep(throws)]
        return {
            left: escape[left] * bank + (1 - escape[left]) * lost
            for left in {0, *throws.must_throw}
        }

    def _going_for_target(
        self, boards: Positions, score: Indices, lost: Floats, above: dict[int, Floats]
    ) -> dict[int, Floats]:
        """Return, by dice left, the value of throwing until the target is reached, or `above` if higher.

        Args:
            boards: The positions at the start of the turns.
            score: Score after banking, indexed by [steps at risk, position].
            lost: Value of a farkle, in each position.
            above: Value of throwing until banking is allowed, by dice left.
        """
        goal = self.model.ending.goal
        won = self._reached(boards, np.full((1, len(boards)), goal), lost)
        to_go, gain = np.maximum(goal - score, 0), won - lost
        found = dict(above)
        for left, dice in enumerate(dice_after_keep(self.model.throws)):
            value = self.striving[to_go, dice]
            value *= gain
            value += lost
            found[left] = np.maximum(value, above[left]) if left in above else value
        return found

    def _reached(self, boards: Positions, score: Indices, nothing: Floats) -> Floats:
        """Return the value of banking a score that reaches the target.

        Args:
            boards: The positions at the start of the turns.
            score: Score after banking, indexed by [steps at risk, position].
            nothing: Value of a turn without points, in each position.
        """
        ending = self.model.ending
        if ending.exactly:
            return np.where(score == ending.goal, 1.0, nothing)
        followed = np.array(ending.followed)[boards.seat]
        lead = score - self.model.standings.score[boards.theirs]
        survives = ending.lead_survives(lead, self.model.opened(boards.theirs))
        return np.where(followed, survives, 1.0)

    def _overshot(self, boards: Positions, wins: Floats, steps: Indices, nothing: Floats) -> Floats:
        """Return the value of a turn that overshoots an exact target, indexed by [steps, position].

        Args:
            boards: The positions at the start of the turns.
            wins: Chance of winning for the current player, in all positions of the match.
            steps: Points of the turn, in steps.
            nothing: Value of a turn without points, in each position.
        """
        ending, standings = self.model.ending, self.model.standings
        given = standings.score[boards.theirs] + steps
        if not ending.welfare:
            return np.broadcast_to(nothing, given.shape)
        theirs = standings.after_gift(boards.theirs, np.minimum(given, ending.goal - 1))
        value = 1.0 - wins[self.model.swapped(boards).seat, theirs, standings.idle[boards.mine]]
        return np.where(given < ending.goal, value, np.where(given > ending.goal, nothing, 0))

    def _safe_lead(self, boards: Positions, wins: Floats) -> Indices:
        """Return, for each position, the lead from which any throw is a greater risk than banking.

        The risk of banking is that the other player's last turn overtakes the lead.
        """
        throws = self.model.throws
        least = 0.0 if throws.must_throw else float(throws.farkle[1:].min())
        risk = np.maximum(least * self._min_chance_of_other(boards, wins), _NEGLIGIBLE)
        catching = self.model.ending.catching[self.model.opened(boards.theirs)]
        lead: Indices = (catching > risk[:, None]).sum(axis=1)
        return lead

    def _min_chance_of_other(self, boards: Positions, wins: Floats) -> Floats:
        """Return a lower bound on the other player's chance of winning if this turn scores nothing.

        The bound is half the chance in the position where the current player has one more step. If
        there is no such position, it is the chance of reaching the target at once with a lead of
        one step.
        """
        ending, swapped = self.model.ending, self.model.swapped(boards)
        mine, theirs = self.model.scores(boards)
        above = self.model.standings.after_bank(np.minimum(mine + 1, ending.goal - 1))
        solved = wins[swapped.seat, boards.theirs, above]
        to_go = np.minimum(ending.goal - theirs, ending.goal)
        at_once = self.reaching[self.model.opened(boards.theirs), to_go]
        survives = ending.lead_survives(np.array([1]), [1])[0]
        return np.where(mine + 1 < ending.goal, np.nan_to_num(solved) / 2, at_once * survives)
