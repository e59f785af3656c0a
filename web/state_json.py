"""A snapshot of the table and the coach's advice as JSON, in the shapes of `web.json_schema`."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import Any, TypeVar, cast

from game.dice_log import DiceLog
from game.match.apply_event import best_opponent, leader
from game.match.events import Bot, BotDice
from game.match.keep_hints import keep_hint
from game.match.match import Match
from game.match.state import State, Throw, Turn
from game.message import Message, Translate
from game.odds.advice import TurnOption, is_as_good
from game.odds.review import ReviewedMoment
from game.rules.rule_files import differing_lines
from game.rules.ruleset import Dice, LastRound
from game.stats.announcements import highlight
from game.stats.awards import closing_sentence
from game.stats.summary import at_risk, series_summary
from web.contracts import Coaching, Photo, ScorekeeperView, Snapshot
from web.json_schema import (
    BankJson,
    CoachJson,
    DiceThrowJson,
    HighlightJson,
    JustDiceJson,
    KeepJson,
    LastRoundJson,
    LastThrowJson,
    LeftOverJson,
    MatchJson,
    MomentJson,
    OddsJson,
    OtherTrayJson,
    PhotoDieJson,
    PhotoJson,
    PlayerJson,
    RollOffJson,
    RulesJson,
    ScorekeeperJson,
    StateJson,
    ThrowJson,
    TurnJson,
)

PLAIN_TYPES = frozenset({NoneType, bool, int, float, str})

Shape = TypeVar("Shape", bound=Mapping[str, Any])

MAX_DICE_THROWS = 50
"""How many of the throws without a match the state lists."""

NO_MATCH_JSON: MatchJson = {
    "rules": None,
    "players": [],
    "turn": None,
    "at_risk": 0,
    "dice_to_throw": 0,
    "throw": None,
    "keeps": [],
    "bank": None,
    "turns": [],
    "can_undo": False,
    "can_redo": False,
    "last_round": None,
    "left_over": None,
    "highlight": None,
    "winner": None,
    "closing": None,
    "series": None,
}


def plain(value: Any, translate: Translate = str) -> Any:
    """Return a value as plain JSON: dataclasses as objects, tuples as lists, messages as text.

    Args:
        value: The value to convert.
        translate: Translates messages.
    """
    if type(value) in PLAIN_TYPES:  # an enum of strings is not exactly a string
        return value
    if isinstance(value, Message):
        return translate(value)
    if isinstance(value, tuple):
        return [plain(each, translate) for each in value]
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name), translate) for each in fields(value)}
    return value


def shaped(shape: type[Shape], source: object, translate: Translate = str, **given: Any) -> Shape:
    """Return a JSON object with the fields of a shape.

    A field that is not given is the source's attribute of the same name, as plain JSON.

    Args:
        shape: A TypedDict of `web.json_schema`.
        source: The object that the JSON describes.
        translate: Translates messages.
        given: The fields that differ from the attributes of the source, or that it lacks.
    """
    found = {
        name: given[name] if name in given else plain(getattr(source, name), translate)
        for name in shape.__annotations__
    }
    return cast("Shape", found)


def coach_json(coaching: Coaching, translate: Translate = str) -> CoachJson:
    """Return what the coach says about the match, without the odds of individual keeps.

    Args:
        coaching: The coach's advice.
        translate: Translates messages.
    """
    figures = coaching.figures
    return shaped(
        CoachJson,
        coaching,
        translate,
        solved=figures is not None and figures.solved,
        trouble=plain(coaching.trouble, translate) or "",
        win=figures.win if figures else None,
        caveats=plain(figures.caveats) if figures else [],
        left_out=plain(figures.left_out, translate) if figures else [],
        before=_odds(figures.before, None, translate) if figures and figures.before else None,
        turn=[moment_json(moment) for moment in figures.turn] if figures else [],
        decision=moment_json(figures.decision) if figures and figures.decision else None,
    )


def odds_by_keep(coaching: Coaching, translate: Translate = str) -> dict[Dice, OddsJson]:
    """Return the odds after each possible keep of the last throw, the best keep first.

    Args:
        coaching: The coach's advice.
        translate: Translates messages.
    """
    options = coaching.figures.keeps if coaching.figures else ()
    return {
        option.keep.dice: _odds(option, _rank(option, options), translate)
        for option in options
        if option.keep is not None
    }


def _rank(option: TurnOption, options: tuple[TurnOption, ...]) -> str | None:
    if option is options[0]:
        return "best"
    return "tie" if is_as_good(option, options[0]) else None


def _odds(option: TurnOption, rank: str | None, translate: Translate) -> OddsJson:
    return shaped(
        OddsJson,
        option,
        translate,
        dice=option.n_dice,
        bank=option.win_banked,
        throw=option.win_thrown,
        farkle=float(option.farkle),
        best="tie" if option.is_tie else "bank" if option.should_bank else "throw",
        rank=rank,
    )


def moment_json(moment: ReviewedMoment) -> MomentJson:
    """Return a throw or a decision of a reviewed match as JSON."""
    return shaped(MomentJson, moment)


def state_json(snapshot: Snapshot, translate: Translate = str) -> StateJson:
    """Return the whole state of the table.

    Args:
        snapshot: The table.
        translate: Translates messages; by default they stay in English, as other programs receive them.
    """
    match = _match(snapshot.match, snapshot, translate) if snapshot.match else _no_match(snapshot)
    return shaped(
        StateJson,
        snapshot,
        translate,
        notice=plain(snapshot.notice, translate) or "",
        safe_mode=snapshot.safe_mode,
        photo=_photo(snapshot.photo) if snapshot.photo else None,
        just_dice=_just_dice(snapshot.just_dice) if snapshot.just_dice is not None else None,
        rolloff=shaped(RollOffJson, snapshot.rolloff) if snapshot.rolloff else None,
        scorekeeper=_scorekeeper(snapshot.scorekeeper, translate),
        other_tray=_other_tray(snapshot, translate) if snapshot.other_tray else None,
        coach=coach_json(snapshot.coach, translate),
        **match,
    )


def _no_match(snapshot: Snapshot) -> MatchJson:
    can_undo_die = snapshot.rolloff is not None and snapshot.rolloff.before is not None
    can_undo_throw = snapshot.just_dice is not None and snapshot.just_dice.last is not None
    can_undo = can_undo_die or can_undo_throw or snapshot.can_undo_more
    return {**NO_MATCH_JSON, "can_undo": can_undo}


def _just_dice(log: DiceLog) -> JustDiceJson:
    newest = log.throws[: -MAX_DICE_THROWS - 1 : -1]
    return shaped(
        JustDiceJson,
        log,
        throws=[
            shaped(DiceThrowJson, throw, tapped_in=throw.is_entered_by_hand) for throw in newest
        ],
        p=log.fairness.p,
    )


def _match(match: Match, snapshot: Snapshot, translate: Translate) -> MatchJson:
    state = match.state
    found = highlight(match)
    return {
        "rules": _rules(state),
        "players": _players(state),
        "turn": _turn(state.turn),
        "at_risk": at_risk(state),
        "dice_to_throw": state.dice_in_hand,
        "throw": _last_throw(state),
        "keeps": _keeps(state, odds_by_keep(snapshot.coach, translate), translate),
        "bank": _bank(match, translate),
        "turns": [_turn(turn) for turn in state.turns],
        "can_undo": match.can_undo or snapshot.can_undo_more,
        "can_redo": match.can_redo,
        "last_round": _last_round(state),
        "left_over": shaped(LeftOverJson, state.offer) if state.offer else None,
        "highlight": shaped(HighlightJson, found, translate) if found else None,
        "winner": state.winner,
        "closing": plain(closing_sentence(match), translate),
        "series": series_summary(state),
    }


def _rules(state: State) -> RulesJson:
    changed = [line for line in differing_lines(state.rules) if not line.startswith("target ")]
    return shaped(RulesJson, state.rules, changed=changed)


def _players(state: State) -> list[PlayerJson]:
    current_seat = state.turn.seat if state.winner is None else None
    return [
        shaped(PlayerJson, player, seat=seat, on_turn=seat == current_seat, bot=_bot(player.bot))
        for seat, player in enumerate(state.players)
    ]


def _bot(bot: Bot | None) -> str:
    if bot is None:
        return ""
    return bot.style.player if bot.style else str(bot.level)


def _turn(turn: Turn) -> TurnJson:
    return {
        "seat": turn.seat,
        "throws": [_throw(throw) for throw in turn.throws],
        "points": turn.points if turn.ending else turn.at_risk,
        "locked_points": turn.locked_points,
        "penalty": turn.penalty + sum(throw.penalty for throw in turn.throws),
        "ending": turn.ending.value if turn.ending else None,
        "broken_off": turn.broken_off,
    }


def _throw(throw: Throw) -> ThrowJson:
    return {
        "index": throw.index,
        "dice": list(throw.dice),
        "kept": list(throw.keep.dice) if throw.keep else None,
        "score": throw.keep.score if throw.keep else 0,
        "assumed": throw.assumed,
    }


def _last_throw(state: State) -> LastThrowJson | None:
    """Return the last throw of this turn or, until the next throw, of the previous turn, if any."""
    for turn in (state.turn, *state.turns[:-2:-1]):
        if turn.last:
            return {
                **_throw(turn.last),
                "tapped_in": turn.last.is_entered_by_hand,
                "simulated": _is_simulated(state.players[turn.seat].bot, turn.last),
                "seat": turn.seat,
                "turn_points": turn.points,
                "ending": turn.ending.value if turn.ending else None,
            }
    return None


def _is_simulated(bot: Bot | None, throw: Throw) -> bool:
    return bot is not None and bot.dice is BotDice.SIMULATED and throw.is_entered_by_hand


def _keeps(state: State, odds: Mapping[Dice, OddsJson], translate: Translate) -> list[KeepJson]:
    keeps = () if state.winner is not None or state.player.bot else state.keeps
    return [
        shaped(
            KeepJson,
            keep,
            combos=[str(combo) for combo in keep.combos],
            effect=plain(keep_hint(state, keep), translate) or "",
            odds=odds.get(keep.dice),
        )
        for keep in keeps
    ]


def _bank(match: Match, translate: Translate) -> BankJson | None:
    """Return what banking would do with the keep that a player chose, or with the best one if none was chosen."""
    state = match.state
    if state.winner is not None or state.player.bot:
        return None
    last = state.turn.last
    chosen = last.keep if last and not last.assumed else None
    keep = chosen or state.best_bank_keep
    refusal = state.bank_refusal(keep)
    points = state.bank_points(keep)
    banked = match.bank(keep.dice).state if keep and not refusal else None
    return {
        "dice": list(keep.dice) if keep else [],
        "points": points,
        "total": banked.players[state.turn.seat].score if banked else state.player.score + points,
        "refusal": plain(refusal, translate),
        "short": _missing_points(state, points) if keep else 0,
        "winner": banked.winner if banked else None,
    }


def _missing_points(state: State, points: int) -> int:
    """Return how many points the turn lacks for the opening or the minimum bank."""
    opening = 0 if state.player.opened else state.rules.opening
    return max(opening - points, state.rules.minimum_bank - points, 0)


def _last_round(state: State) -> LastRoundJson | None:
    left = list(state.to_follow)
    if state.closer is None or not left:
        return None
    ahead = leader(state, state.closer)
    winning_score = state.players[best_opponent(state)].score + 1
    return {
        "closer": state.closer,
        "leader": ahead,
        "to_beat": state.players[ahead].score,
        "left": left,
        "needed": max(0, winning_score - state.player.score - at_risk(state)),
        "decides": set(left) <= {state.turn.seat}
        and state.rules.last_round is not LastRound.UNTIL_UNBEATEN,
    }


def _photo(photo: Photo) -> PhotoJson:
    url = f"/api/v1/photo/{photo.id}"
    return shaped(
        PhotoJson,
        photo,
        url=f"{url}.jpg",
        clip=f"{url}.mjpeg" if photo.has_clip else None,
        dice=[
            shaped(PhotoDieJson, die, url=f"{url}/{number}.jpg")
            for number, die in enumerate(photo.dice)
        ],
    )


def _other_tray(snapshot: Snapshot, translate: Translate) -> OtherTrayJson | None:
    view, match = snapshot.other_tray, snapshot.match
    if view is None:
        return None
    is_in_play = match is not None and match.state.winner is None
    throws = match is not None and is_in_play and match.state.turn.seat in view.seats
    trouble = snapshot.other_tray_trouble
    return shaped(
        OtherTrayJson,
        view,
        translate,
        seats=list(view.seats),
        throws=throws,
        trouble=plain(trouble, translate),
        waits_for_match=snapshot.keeps_other_tray_waiting,
    )


def _scorekeeper(view: ScorekeeperView, translate: Translate) -> ScorekeeperJson:
    players = [{"phone": phone, "name": name} for phone, name in view.players]
    return shaped(ScorekeeperJson, view, translate, players=players)
