"""A snapshot of the table as JSON, in the shapes of `web.state.json_schema`."""

from collections.abc import Mapping
from dataclasses import replace

from game.dice_log import DiceLog
from game.match.bot import Bot, BotDice
from game.match.keep_hints import best_opponent, keep_hint
from game.match.match import Match
from game.match.state import State, Throw, Turn
from game.message import Translate
from game.rules.rule_files import differing_lines
from game.rules.ruleset import Dice
from game.rules.scoring import Keep
from game.stats.awards import closing_moment
from game.stats.highlight import highlight
from game.stats.summary import at_risk
from web.contracts.table import Photo, ScorekeeperView, Snapshot
from web.state.coach_json import coach_json, odds_by_keep
from web.state.json_schema import (
    BankJson,
    DiceThrowJson,
    HighlightJson,
    JustDiceJson,
    KeepJson,
    LastRoundJson,
    LastThrowJson,
    MatchJson,
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
from web.state.plain_json import plain, shaped

MAX_DICE_THROWS = 50
"""How many of the throws without a match the state lists."""

NO_MATCH: MatchJson = {
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
    "highlight": None,
    "winner": None,
    "closing": None,
}


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
    can_undo = can_undo_die or can_undo_throw or snapshot.has_ignored_objects
    return {**NO_MATCH, "can_undo": can_undo}


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
        "can_undo": match.can_undo or snapshot.has_ignored_objects,
        "can_redo": match.can_redo,
        "last_round": _last_round(state),
        "highlight": shaped(HighlightJson, found, translate) if found else None,
        "winner": state.winner,
        "closing": plain(closing_moment(match), translate),
    }


def _rules(state: State) -> RulesJson:
    changed = [line for line in differing_lines(state.rules) if not line.startswith("target ")]
    return shaped(RulesJson, state.rules, changed=changed)


def _players(state: State) -> list[PlayerJson]:
    seat_on_turn = state.turn.seat if state.winner is None else None
    return [
        shaped(PlayerJson, player, seat=seat, on_turn=seat == seat_on_turn, bot=_bot(player.bot))
        for seat, player in enumerate(state.players)
    ]


def _bot(bot: Bot | None) -> str:
    if bot is None:
        return ""
    return bot.style.player if bot.style else "best"


def _turn(turn: Turn) -> TurnJson:
    return {
        "seat": turn.seat,
        "throws": [_throw(throw) for throw in turn.throws],
        "points": turn.points if turn.ending else turn.at_risk,
        "locked_points": replace(turn, throws=turn.throws[:-1]).at_risk,
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
    points = state.locked_points + keep.score if keep else 0
    return {
        "dice": list(keep.dice) if keep else [],
        "points": points,
        "total": state.bank_total(keep) if keep else state.player.score,
        "refusal": plain(refusal, translate),
        "short": _missing_points(state, points) if keep else 0,
        "winner": _winner_after(match, keep) if keep and not refusal else None,
    }


def _missing_points(state: State, points: int) -> int:
    """Return how many points the turn lacks for the opening or the minimum bank."""
    opening = 0 if state.player.opened else state.rules.opening
    return max(opening - points, state.rules.minimum_bank - points, 0)


def _winner_after(match: Match, keep: Keep) -> int | None:
    """Return the seat that would win the match if this keep were banked, or None."""
    state = match.state
    is_last = state.closer is not None or state.rules.rounds > 0
    may_end = is_last or state.bank_total(keep) >= state.rules.target
    return match.bank(keep.dice).state.winner if may_end else None


def _last_round(state: State) -> LastRoundJson | None:
    left = list(state.to_follow)
    if state.closer is None or not left:
        return None
    leader = max(range(len(state.players)), key=lambda seat: state.players[seat].score)
    winning_score = state.players[best_opponent(state)].score + 1
    return {
        "closer": state.closer,
        "leader": leader,
        "to_beat": state.players[leader].score,
        "left": left,
        "needed": max(0, winning_score - state.player.score - at_risk(state)),
        "decides": len(left) == 1,
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
    is_on_turn = match is not None and match.state.winner is None
    throws = match is not None and is_on_turn and match.state.turn.seat in view.seats
    return shaped(OtherTrayJson, view, translate, seats=list(view.seats), throws=throws)


def _scorekeeper(view: ScorekeeperView, translate: Translate) -> ScorekeeperJson:
    players = [{"phone": phone, "name": name} for phone, name in view.players]
    return shaped(ScorekeeperJson, view, translate, players=players)
