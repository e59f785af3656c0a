"""`traykeeper odds`: chances under a rule set, solving a match, and questions about a turn."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

import click
import platformdirs

from device.commands.options import rules_option, state_option
from device.errors import UsageError
from device.files import as_owner_of, state_folder
from device.settings import find, load
from game.errors import quoted
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE
from game.match.apply_event import apply_event
from game.match.events import Skipped
from game.match.state import State
from game.message import Message
from game.odds.advice import MatchPosition, TurnOdds, TurnOption, turn_odds
from game.odds.compiled_rules import compile_rules
from game.odds.match_model import unsolvable_reason
from game.odds.match_odds import MatchOdds, first_player_with_piggyback, is_exact, left_out_of_match
from game.odds.race import cached_race, chances_of_others, points_race
from game.odds.review import is_race, position_of, turn_odds_of
from game.odds.several_players import end_game
from game.odds.simulation import play_out
from game.odds.table_store import TableStore
from game.odds.turn_odds import (
    chances_to_reach,
    farkle_within,
    left_out_of_turn,
    long_run_average,
    points_table,
    throw_chances,
)
from game.practice.handicap import (
    HeadStart,
    even_head_start,
    fair_head_starts,
    start_state,
    win_share,
)
from game.practice.learning import MAX_MATCHES, Imitation, earlier_matches, style_of
from game.practice.strategy import StylePlay
from game.rules import rule_files, scoring
from game.rules.ruleset import Dice, Piggyback, Ruleset
from game.rules.scoring import Keep

_EXAMPLE = '"3200 2950 turn 450 dice 3", or with "throw 11355" for its keeps'
_MOST = 1_000_000
_FEWEST_PLAYERS, _MOST_PLAYERS = 2, 6
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")

_SAVE_INTERVAL_S = 20

_MAX_ERRORS = 4
"""Largest difference, in standard errors, that counts as chance: one correct simulation in 16,000 exceeds it."""

_TWO = 2


@dataclass(frozen=True, slots=True)
class OddsQuestion:
    """A question about a turn.

    Attributes:
        scores: Scores of the players in the order of their turns, that of the current player first.
        place: Place of the current player in the round, from 0.
        at_risk: Points at risk in this turn before the throw.
        n_dice: Number of dice in hand.
        hot: Whether all dice have scored, so that the player may throw all of them again.
        throw: The throw to decide about; None if the question names none.
        keeps: Legal keeps of the throw, best first.
        bonus: Points that the rules give for the throw in addition to any keep.
    """

    scores: tuple[int, ...]
    place: int
    at_risk: int
    n_dice: int
    hot: bool
    throw: Dice | None
    keeps: tuple[Keep, ...]
    bonus: int

    @property
    def table(self) -> MatchPosition:
        """The position of two players: the current one and the best of the others."""
        return MatchPosition(self.scores[0], max(self.scores[1:]), second=self.place > 0)

    def most(self, rules: Ruleset) -> int:
        """Return the most points that can be at risk after the throw and a keep."""
        best = max((keep.score for keep in self.keeps), default=0)
        return self.at_risk + best + rules.last_die_twice


def parse(text: str, rules: Ruleset) -> OddsQuestion:
    """Parse a question about a turn.

    Args:
        text: Two to six scores, then keywords with their values, such as "3200 2950 turn 450 dice 3".
        rules: The rule set.

    Raises:
        UsageError: If a word is not understood.
        ThrowError: If the dice are not a throw under these rules.
    """
    words = text.split()
    n = next((i for i, word in enumerate(words) if not word[0].isdigit()), len(words))
    scores = tuple(int(_figures(words, i)) for i in range(max(n, _FEWEST_PLAYERS)))
    if n > _MOST_PLAYERS:
        raise UsageError(f"--from: two to six scores, not {n}: write {_EXAMPLE}")
    values = _values(words[n:])
    place = max((_PLACES.index(word) for word in values if word in _PLACES), default=0)
    if place >= n:
        raise UsageError(f"--from: with {n} players nobody is {_PLACES[place]}")
    n_dice = int(values.get("dice", rules.n_dice))
    if not 1 <= n_dice <= rules.n_dice:
        raise UsageError(f"--from: dice must be 1 to {rules.n_dice}, not {n_dice}")
    at_risk = int(values.get("turn", 0))
    throw = scoring.checked_dice(map(int, values["throw"]), rules) if "throw" in values else None
    if throw and "dice" in values and len(throw) != n_dice:
        raise UsageError(
            f"--from: dice is {n_dice}, but the throw has {len(throw)}: leave out dice"
        )
    keeps = scoring.legal_keeps(throw, rules) if throw else ()
    if throw and not keeps:
        raise UsageError("--from: this throw is a farkle, so there is nothing to decide")
    step = scoring.points_step(rules)
    if odd := next((points for points in (*scores, at_risk) if points % step), 0):
        raise UsageError(
            f"--from: no throw under these rules leads to {odd}: write multiples of {step}"
        )
    return OddsQuestion(
        scores,
        place,
        at_risk,
        n_dice,
        hot=n_dice == rules.n_dice and at_risk > 0,
        throw=throw,
        keeps=keeps,
        bonus=rules.last_die_twice if throw and len(throw) == 1 else 0,
    )


def _values(words: list[str]) -> dict[str, str]:
    """Return the value of each keyword: the number after it, or "" for the place in the round, which takes none."""
    found: dict[str, str] = {}
    i = 0
    while i < len(words):
        word = words[i]
        if word in _PLACES:
            found[word] = ""
            i += 1
        elif word in ("turn", "dice", "throw"):
            found[word] = _figures(words, i + 1)
            i += 2
        else:
            raise UsageError(f"--from: {quoted(word)} is not understood: write {_EXAMPLE}")
    return found


def _figures(words: list[str], i: int) -> str:
    word = words[i].replace(",", "") if i < len(words) else ""
    if not (word.isascii() and word.isdigit() and len(word) <= len(str(_MOST))):
        found = quoted(words[i]) if i < len(words) else "nothing"
        raise UsageError(f"--from: {found} where a number is expected: write {_EXAMPLE}")
    return word


def tables() -> TableStore:
    """Return the store of the match solutions that have been computed on this computer."""
    return TableStore(Path(platformdirs.user_cache_dir("traykeeper")) / "odds")


def to_json(rules: Ruleset, target: int, wins: MatchOdds | None) -> dict[str, Any]:
    """Return the public JSON form of the chances under a rule set.

    Args:
        rules: The rule set.
        target: Target score of the match.
        wins: The solution of a match to this target, which may be incomplete; None if there is none.
    """
    table = points_table(rules)
    return {
        "rules": rules.name,
        "dice": {
            str(n): {"farkle": str(c.farkle), "hot": str(c.hot), "mean": float(c.mean)}
            for n, c in throw_chances(rules).items()
        },
        "turn": {
            "value": table.value,
            "average": long_run_average(rules),
            "open": _open(rules),
            "left_out": list(map(str, left_out_of_turn(rules))),
        },
        "match": _match_json(target, wins) if is_exact(rules) else None,
    }


def _match_json(target: int, wins: MatchOdds | None) -> dict[str, Any] | None:
    if wins is None or not wins.solved:
        return None
    return {
        "target": target,
        "first_player_wins": wins.first_player,
        "left_out": list(map(str, left_out_of_match(wins.rules))),
    }


def _open(rules: Ruleset) -> float:
    """Return the chance of reaching the points needed for the first bank, in a turn that aims only for them."""
    compiled = compile_rules(rules)
    needed = compiled.needed(opened=False)
    return float(chances_to_reach(compiled, needed, needed)[needed])


def show(rules: Ruleset, name: str, target: int, *, as_json: bool) -> None:
    """Print the chances under a rule set.

    Args:
        rules: The rule set.
        name: Name or file of the rule set, as the user wrote it.
        target: Target score of the match.
        as_json: Whether to print JSON.
    """
    wins = tables().find(rules, target)
    if as_json:
        click.echo(json.dumps(to_json(rules, target, wins)))
        return
    click.echo(f"{rules.title}\n")
    _show_throws(rules)
    _show_turn(rules)
    _show_match(rules, name, target, wins)


def _show_throws(rules: Ruleset) -> None:
    click.echo("One throw")
    head = f"  {'dice':>4}{'farkle':>10}{'':>15}{'all score':>11}{'':>15}{'mean':>8}"
    click.echo(f"{head}   farkle within 2, 3 throws")
    for n, chances in throw_chances(rules).items():
        more = "".join(f"{float(farkle_within(rules, n, k)):>9.2%}" for k in (2, 3))
        click.echo(
            f"  {n:>4}{float(chances.farkle):>10.2%}{_fraction(chances.farkle):>15}"
            f"{float(chances.hot):>11.2%}{_fraction(chances.hot):>15}"
            f"{float(chances.mean):>8.1f}{more}"
        )


def _fraction(chance: object) -> str:
    return f"  {chance}"


def _show_turn(rules: Ruleset) -> None:
    table = points_table(rules)
    click.echo("\nOne turn, played for points alone")
    _show_left_out(left_out_of_turn(rules))
    click.echo(f"  {table.value:>10.3f}  points on average")
    if rules.three_farkles:
        click.echo(
            f"  {long_run_average(rules):>10.3f}  in the long run, less the penalties for farkles in a row"
        )
    needed = max(rules.opening, rules.minimum_bank)
    if needed:
        click.echo(
            f"  {_open(rules):>10.2%}  chance of banking the first {needed:,} when going for it"
        )
    for n in range(rules.n_dice, 0, -1):
        click.echo(f"  {_limit(rules, n):>10}  with {n} {'dice' if n > 1 else 'die'} to throw")


def _limit(rules: Ruleset, n_dice: int) -> str:
    """Return up to how many points at risk it is best to throw this many dice: "always", "never" or, say, "to 450"."""
    table = points_table(rules)
    step = table.throws.step
    start = max(step, table.throws.minimum * step)
    most = table.far.top * step
    stops = [at for at in range(start, most + step, step) if table.throwing(at, n_dice) <= at]
    if not stops:
        return "always"
    if stops[0] == start:
        return "never"
    return f"to {stops[0] - step:,}"


def _show_match(rules: Ruleset, name: str, target: int, wins: MatchOdds | None) -> None:
    if refusal := unsolvable_reason(rules):
        click.echo(f"\nA match of {rules.rounds} turns each is not solved: {refusal}")
        return
    length = f"of {rules.rounds} turns each" if rules.rounds else f"to {target:,}"
    click.echo(f"\nA match of two {length}, played to win")
    if wins is None or not wins.solved:
        click.echo(f"  {_unsolved(name, target)}")
        return
    click.echo(f"  {wins.first_player:>10.3%}  chance of the player who begins")
    _show_left_out(left_out_of_match(rules))
    if rules.piggyback is not Piggyback.NO:
        click.echo(f"  {'':>10}  {_piggyback_error(wins, name)}")


def _piggyback_error(wins: MatchOdds, name: str) -> str:
    """Return a line with the error of the chance of winning that results from leaving out piggybacking."""
    share = first_player_with_piggyback(wins.rules, wins.target)
    if share is None:
        return (
            f"to measure the error: traykeeper odds simulate --rules {name} --target {wins.target}"
        )
    return f"with it the chance is {share:.1%}: an error of {wins.first_player - share:+.1%}"


def _show_left_out(what: tuple[Message, ...]) -> None:
    if what:
        click.echo(f"  {'':>10}  left out: {', '.join(map(str, what))}")


def _unsolved(name: str, target: int) -> str:
    return f"not solved yet: run traykeeper odds solve --rules {name} --target {target}"


def solve(rules: Ruleset, target: int) -> None:
    """Compute the best play for a match and show a progress bar.

    The result so far is saved every 20 seconds and when the command is stopped.

    Args:
        rules: The rule set.
        target: Target score of the match.
    """
    store = tables()
    wins = store.begin(rules, target)
    if not wins.solved:
        _solve(store, wins)
    click.echo(f"{wins.first_player:.3%} for the player who begins")
    _show_left_out(left_out_of_match(rules))


def _solve(store: TableStore, wins: MatchOdds) -> None:
    saved_s = monotonic()
    label = f"{wins.rules.name} to {wins.target:,}"
    with click.progressbar(length=1000, label=label) as bar:
        try:
            for share in wins.solve():
                bar.update(int(1000 * share) - bar.pos)
                if monotonic() - saved_s > _SAVE_INTERVAL_S:
                    store.save(wins)
                    saved_s = monotonic()
        finally:
            store.save(wins)


def simulate(rules: Ruleset, name: str, target: int, matches: int, seed: int) -> int:
    """Simulate matches and compare the result with the solution of the match.

    Args:
        rules: The rule set.
        name: Name or file of the rule set, as the user wrote it.
        target: Target score of the match.
        matches: Number of matches.
        seed: Seed for the random dice.

    Returns:
        The exit code: 1 if chance cannot explain the difference, otherwise 0.
    """
    outcome = play_out(solved(rules, name, target), matches, seed)
    if rules.piggyback is not Piggyback.NO:
        click.echo(
            f"{outcome.first_won:,} of {matches:,} won by the player who began: {outcome.share:.3%}, "
            f"solved without piggybacking {outcome.expected:.3%}: an error of"
            f" {outcome.expected - outcome.share:+.1%}, give or take {outcome.error:.2%}"
        )
        return 0
    click.echo(
        f"{outcome.first_won:,} of {matches:,} won by the player who began: {outcome.share:.3%}, "
        f"solved {outcome.expected:.3%}, a difference of {outcome.off:+.1f} standard errors"
    )
    return int(abs(outcome.off) > _MAX_ERRORS)


def solved(rules: Ruleset, name: str, target: int) -> MatchOdds:
    """Return the solution of a match, computed earlier by `traykeeper odds solve`.

    Args:
        rules: The rule set.
        name: Name or file of the rule set, as the user wrote it.
        target: Target score of the match.

    Raises:
        UsageError: If the match has not been solved. The message names the command that solves it.
    """
    wins = tables().find(rules, target)
    if wins is None or not wins.solved:
        raise UsageError(_unsolved(name, target))
    return wins


def answer(rules: Ruleset, name: str, target: int, text: str, *, as_json: bool) -> None:
    """Print the answer to a question about a turn.

    Args:
        rules: The rule set.
        name: Name or file of the rule set, as the user wrote it.
        target: Target score of the match.
        text: The question, such as "3200 2950 turn 450 dice 3".
        as_json: Whether to print JSON.
    """
    question = parse(text, rules)
    wins = tables().find(rules, target)
    odds, chances, solved_exactly = _odds_of(replace(rules, target=target), wins, question)
    exact = solved_exactly and not left_out_of_match(rules)
    found = _options(odds, question)
    if as_json:
        click.echo(json.dumps(_answer_json(rules, target, question, found, chances, exact=exact)))
        return
    click.echo(
        f"{rules.title}, {target:,} to win: {' : '.join(f'{score:,}' for score in question.scores)}"
    )
    for option in found:
        _show_option(option)
    if chances and len(chances) > _TWO:
        each = ", ".join(f"{chance:.1%}" for chance in chances)
        click.echo(
            f"to win, the player to throw first: {each} ({'exact' if exact else 'estimates'})"
        )
    if rules.rounds:
        click.echo("the chance of winning depends on the number of turns that are left")
    elif wins is None or not wins.solved:
        click.echo(_unsolved(name, target))
    else:
        _show_left_out(left_out_of_match(rules))


def _odds_of(
    rules: Ruleset, wins: MatchOdds | None, question: OddsQuestion
) -> tuple[TurnOdds, list[float] | None, bool]:
    """Return the odds of the turn, the chance of each player, the one to throw first, and whether none is an estimate.

    Args:
        rules: The rules with the target of the match.
        wins: The solution of a match of two to this target, or None.
        question: The question.

    Raises:
        UsageError: If one of several players has reached the target.
    """
    most, scores = question.most(rules), question.scores
    if rules.rounds:
        return turn_odds(rules, question.table, None, most=most), None, False
    if len(scores) == _TWO:
        odds = turn_odds(rules, question.table, wins, most=most)
        win = _options(odds, question)[0].win
        if win is None:
            return odds, None, False
        return odds, [win, 1 - win], True
    if max(scores) >= rules.target:
        raise UsageError(
            f"--from: with more than two players, scores must be below {rules.target:,}"
        )
    state = _state(rules, scores, question.place)
    if end := end_game(rules, rules.target, scores, question.place):
        chances, turn = end
        points = points_table(rules, opened=state.player.opened)
        odds = TurnOdds(rules, position_of(state), points, turn.banked, turn.worth)
        win = _options(odds, question)[0].win or 0.0
        first, *others = chances
        at_start = win == odds.option(0, rules.n_dice).win
        return odds, [win, *_scaled(others, win, first)], at_start
    odds = turn_odds_of(state, wins, most=most, estimate=True)
    win = _options(odds, question)[0].win
    if win is None:
        return odds, None, False
    race = cached_race(wins) if wins and wins.solved and is_race(state) else points_race(rules)
    at = [min(score // race.throws.step, race.goal - 1) for score in scores]
    first = odds.option(0, rules.n_dice).win or 0.0
    others = chances_of_others(race, at, len(scores) - 1 - question.place, first)
    return odds, [win, *_scaled(others, win, first)], False


def _scaled(others: list[float], win: float, first: float) -> list[float]:
    """Return the chances of the other players if the player to throw wins with another chance.

    Args:
        others: Chances of the other players at the start of the turn.
        win: Chance of the player to throw now.
        first: Chance of the player to throw at the start of the turn.
    """
    scale = (1 - win) / (1 - first) if first < 1 else 0.0
    return [chance * scale for chance in others]


def _state(rules: Ruleset, scores: tuple[int, ...], place: int) -> State:
    """Return the state of a match in which the player at position `place` in the order of turns is about to throw."""
    n = len(scores)
    state = start_state(rules, n, head_starts=[scores[(seat - place) % n] for seat in range(n)])
    for _ in range(place):
        state = apply_event(state, Skipped())
    return state


def _options(odds: TurnOdds, question: OddsQuestion) -> tuple[TurnOption, ...]:
    """Return the player's options, best first: one for each keep, or a single one if no throw is given."""
    if question.throw is None:
        return (odds.option(question.at_risk, question.n_dice, hot=question.hot),)
    return odds.options(question.at_risk, question.keeps, question.bonus)


def _show_option(option: TurnOption) -> None:
    if option.keep:
        click.echo(f"keep {' '.join(map(str, option.keep.dice))}: {option.keep.score:,}")
    bank = option.refused or f"{_percent(option.win_banked)} to win"
    if option.at_risk:
        click.echo(f"  bank {option.at_risk:<6,} {bank}")
    click.echo(
        f"  throw {option.n_dice:<5} {_percent(option.win_thrown)} to win, "
        f"{float(option.farkle):.2%} to farkle, {option.points:,.1f} points on average"
    )
    if option.at_risk:
        click.echo(f"  {_verdict(option)}")


def _verdict(option: TurnOption) -> str:
    if option.refused:
        return "throw: these points cannot be banked"
    measure = "to win" if option.win_thrown is not None else "for points"
    if option.is_tie:
        return f"a tie {measure}: both are equally good"
    return f"{'bank' if option.should_bank else 'throw'} {measure}"


def _percent(chance: float | None) -> str:
    return "?" if chance is None else f"{chance:.3%}"


def _answer_json(
    rules: Ruleset,
    target: int,
    question: OddsQuestion,
    found: tuple[TurnOption, ...],
    chances: list[float] | None,
    *,
    exact: bool,
) -> dict[str, Any]:
    return {
        "rules": rules.name,
        "target": target,
        "mine": question.table.mine,
        "theirs": question.table.theirs,
        "win": chances,
        "exact": exact,
        "left_out": list(map(str, left_out_of_match(rules))),
        "options": [_option_json(option) for option in found],
    }


def _option_json(option: TurnOption) -> dict[str, Any]:
    return {
        "keep": list(option.keep.dice) if option.keep else None,
        "at_risk": option.at_risk,
        "dice": option.n_dice,
        "farkle": str(option.farkle),
        "points": option.points,
        "refused": str(option.refused) if option.refused else None,
        "win_banked": option.win_banked,
        "win_thrown": option.win_thrown,
        "best": "bank" if option.should_bank else "throw",
        "tie": option.is_tie,
    }


Command = Callable[..., Any]

_target_option = click.option(
    "--target",
    type=click.IntRange(1, 1_000_000),
    help="Target score, instead of the one in the rule set.",
)


def _matches_option(
    default: int, *, most: int, text: str = "Number of matches to play."
) -> Callable[[Command], Command]:
    return click.option(
        "--matches",
        type=click.IntRange(100, most),
        default=default,
        show_default=True,
        help=text,
    )


@click.group(invoke_without_command=True)
@rules_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--from",
    "question",
    metavar="TEXT",
    help='Question about a turn, such as "3200 2950 turn 450 dice 3"; see docs/odds.md.',
)
@_target_option
@click.pass_context
def odds(
    context: click.Context,
    rules: str,
    as_json: bool,  # noqa: FBT001
    question: str | None,
    target: int | None,
) -> None:
    """Print exact chances and the best play under a rule set.

    \b
    traykeeper odds --rules zilch
    traykeeper odds --rules zilch --json
    traykeeper odds --rules zilch --from "3200 2950 turn 450 dice 3"
    traykeeper odds solve --rules house.toml --target 5000
    """
    if context.invoked_subcommand is not None:
        return
    ruleset = rule_files.load(rules)
    if question is None:
        show(ruleset, rules, target or ruleset.target, as_json=as_json)
    else:
        answer(ruleset, rules, target or ruleset.target, question, as_json=as_json)


@odds.command("solve")
@rules_option
@_target_option
def odds_solve(rules: str, target: int | None) -> None:
    """Compute the best play for winning a match. You can stop the command and continue later.

    \b
    traykeeper odds solve --rules house.toml --target 5000
    """
    ruleset = rule_files.load(rules)
    solve(ruleset, target or ruleset.target)


@odds.command("simulate")
@rules_option
@_target_option
@_matches_option(100_000, most=10_000_000)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Seed for the random dice; a different seed gives different matches.",
)
def odds_simulate(rules: str, target: int | None, matches: int, seed: int) -> int:
    """Simulate matches between two players who both use the best play; exit 1 if they contradict the solution.

    \b
    traykeeper odds simulate --rules zilch --matches 100000
    """
    ruleset = rule_files.load(rules)
    return simulate(ruleset, rules, target or ruleset.target, matches, seed)


@contextmanager
def _history(state: str | None) -> Iterator[History]:
    folder = state_folder(state or load(find()).state)
    with as_owner_of(folder):
        yield History(folder / JOURNAL_FILE)


@odds.command("like")
@click.argument("name")
@rules_option
@state_option
@_matches_option(10_000, most=1_000_000)
def odds_like(name: str, rules: str, state: str | None, matches: int) -> None:
    """Learn from the journal how a person plays, and how often a bot that plays the same way wins.

    The bot plays the person's matches again with simulated dice, against bots that play like the
    person's opponents.

    \b
    traykeeper odds like Anna --rules facebook
    """
    ruleset = rule_files.load(rules)
    with _history(state) as history:
        played = list(islice(earlier_matches(history, name, ruleset), MAX_MATCHES))
    imitation = Imitation.of(played, name)
    style, won = imitation.style, imitation.won
    click.echo(
        f"Points at which {name} banks half of the time, by the number of dice left to throw:"
    )
    for dice, points in enumerate(style.thresholds, 1):
        click.echo(f"  {dice} {points:>6,} points, give or take {style.spread}")
    click.echo(f"One more die for the next throw is worth {style.worth_of_die} points.")
    click.echo(f"{style.lapse:.0%} of the decisions do not depend on the points.")
    with click.progressbar(imitation.games(matches), length=matches, label="playing") as games:
        bot = win_share(games)
    click.echo(
        f"{won.share:7.1%}  won by {name}: {won.won} of {won.matches} matches,"
        f" give or take {won.error:.1%}"
    )
    click.echo(
        f"{bot.share:7.1%}  won by the bot: {bot.won:,} of {bot.matches:,},"
        f" give or take {bot.error:.1%}"
    )
    click.echo(f"{abs(bot.share - won.share):7.1%}  apart")


@odds.command("handicap")
@click.argument("names", nargs=-1)
@rules_option
@_target_option
@state_option
@_matches_option(
    2_000, most=100_000, text="Number of matches to play for each head start that is tried."
)
def odds_handicap(
    names: tuple[str, ...], rules: str, target: int | None, state: str | None, matches: int
) -> None:
    """Work out how many points of head start a player needs for both players to win equally often.

    Without names, the head start is for two equally good players and comes from the solved match.
    With two names, it is for those people and comes from how they played in the journal's matches.
    The player named first begins.

    \b
    traykeeper odds handicap --rules zilch
    traykeeper odds handicap Anna Ben --rules zilch
    """
    ruleset = rule_files.load(rules)
    if target is not None:
        ruleset = rule_files.with_options(ruleset, {"target": target})
    if not names:
        _echo_head_start(
            even_head_start(solved(ruleset, rules, ruleset.target)),
            ("the player who begins", "the player who throws second"),
        )
    elif len(names) == len({name.casefold() for name in names}) == _TWO:
        _echo_head_start(_fair(ruleset, names, state, matches), names)
    else:
        raise click.UsageError("Name two different people, or nobody.")


def _fair(ruleset: Ruleset, names: tuple[str, ...], state: str | None, matches: int) -> HeadStart:
    with _history(state) as history:
        styles = [style_of(history, name, ruleset) for name in names]
    tried = fair_head_starts(
        ruleset, lambda number: [StylePlay(style, number) for style in styles], matches
    )
    found = []
    for start in tried:
        click.echo(
            f"  {names[start.seat]} starts with {start.points:,}:"
            f" {names[0]} wins {start.first_wins:.1%}",
            err=True,
        )
        found.append(start)
    return min(found, key=lambda start: abs(start.first_wins - 1 / 2))


def _echo_head_start(start: HeadStart, names: tuple[str, ...]) -> None:
    name = names[start.seat]
    click.echo(
        f"{name[0].upper()}{name[1:]} starts with {start.points:,}: {names[0]} wins"
        f" {start.first_wins:.1%}, {names[1]} {1 - start.first_wins:.1%}"
    )
