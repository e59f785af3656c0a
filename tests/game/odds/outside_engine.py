"""An independent solution of a two-player match, written without knowledge of this program.

The game has five dice: a 1 is 100, a 5 is 50, three 2s are 200, and nothing else scores. All boards
are recalculated until nothing changes. Points are whole numbers and are not counted in steps.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import product

N = 5


@dataclass(frozen=True)
class Game:
    """The options of a game. By default the first player to reach the target wins."""

    target: int
    opening: int = 0
    third_farkle: int = 0
    four_twos_lose_all: bool = False
    five_ones_win: bool = False
    one_more_turn: bool = False


@dataclass(frozen=True)
class Player:
    """A player's points, whether the player is on the board, and the number of farkles in a row."""

    points: int = 0
    on_board: bool = False
    farkles: int = 0


def what_scores(dice):
    """Return every way to set dice aside, as points and number of dice."""
    ones, fives, triple = dice.count(1), dice.count(5), dice.count(2) >= 3
    return {
        (100 * i + 50 * j + 200 * k, i + j + 3 * k)
        for i in range(ones + 1)
        for j in range(fives + 1)
        for k in range(triple + 1)
        if i + j + k
    }


@cache
def throws(n):
    """Return the keeps, the effect (winning or losing the score) and the chance of each throw of n dice."""
    return Counter(
        (tuple(sorted(what_scores(dice))), n >= 4 and dice.count(2) >= 4, dice.count(1) == N)
        for dice in product(range(1, 7), repeat=n)
    )


def turn(game, bank, *, farkled, all_lost, least, most):
    """Return the value of a turn. With more than `most` points at risk, the player banks."""

    @cache
    def before(points, n):
        worth = 0.0
        for (ways, twos, ones), count in throws(n).items():
            if ones and game.five_ones_win:
                worth += count
            elif twos and game.four_twos_lose_all:
                worth += count * all_lost
            else:
                worth += count * max(
                    (after(points + more, n - used) for more, used in ways), default=farkled
                )
        return worth / 6**n

    @cache
    def after(points, left):
        stop = bank(points) if points >= least else 0.0
        return stop if points > most else max(stop, before(points, left or N))

    return before(0, N)


def after_farkle(game, player):
    if not game.third_farkle:
        return player
    if player.farkles < 2:
        return Player(player.points, player.on_board, player.farkles + 1)
    return Player(max(player.points - game.third_farkle, 0), player.on_board)


@cache
def caught(game, lead, *, on_board):
    """Return the chance that one more turn scores more points than the lead."""
    least = 50 if on_board else max(game.opening, 50)
    return turn(
        game,
        lambda points: float(points > lead),
        farkled=0.0,
        all_lost=0.0,
        least=least,
        most=max(lead, least) + 400,
    )


def chances(game, guess):
    """Return the current player's chance of winning, by (mine, theirs).

    There is only one solution, and iteration from any guess converges to it.
    """
    scores = range(0, game.target, 50)
    rows = range(3 if game.third_farkle else 1)
    players = [Player(0, on_board=False, farkles=f) for f in rows]
    players += [
        Player(p, on_board=True, farkles=f)
        for p in scores
        for f in rows
        if p or game.third_farkle or game.four_twos_lose_all
    ]
    boards = sorted(product(players, repeat=2), key=lambda both: -both[0].points - both[1].points)
    worth = {(mine, theirs): guess(mine, theirs) for mine, theirs in boards}
    moved = 1.0
    while moved > 1e-10:
        moved = 0.0
        for mine, theirs in boards:
            found = _board(game, worth, mine, theirs)
            moved = max(moved, abs(found - worth[mine, theirs]))
            worth[mine, theirs] = found
    return worth


def _board(game, worth, mine, theirs):
    def bank(points):
        total = mine.points + points
        if total < game.target:
            return 1 - worth[theirs, Player(total, on_board=True)]
        if not game.one_more_turn:
            return 1.0
        return 1 - caught(game, total - theirs.points, on_board=theirs.on_board)

    farkled = 1 - worth[theirs, after_farkle(game, mine)]
    all_lost = 0.0
    if game.four_twos_lose_all:
        all_lost = 1 - worth[theirs, Player(0, mine.on_board)]
    least = 50 if mine.on_board else max(game.opening, 50)
    most = max(game.target - mine.points, least) + (600 if game.one_more_turn else 0)
    return turn(game, bank, farkled=farkled, all_lost=all_lost, least=least, most=most)
