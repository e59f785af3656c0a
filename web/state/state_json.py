"""A snapshot as JSON: the shapes of `web.state.json_schema`, and nothing that is not asked of the match."""

from collections.abc import Mapping
from dataclasses import replace

from game.dice_log import DiceLog
from game.match.keep_hints import best_opponent, keep_hint
from game.match.match import Match
from game.match.rolloff import RollOff
from game.match.state import State, Throw, Turn
from game.message import Translate
from game.rules.rule_files import differing_lines
from game.rules.ruleset import Dice
from game.rules.scoring import Keep
from game.stats.highlight import highlight
from game.stats.summary import at_risk
from web.contracts.table import Photo, ScorekeeperView, Snapshot
from web.state.coach_json import coach_json, odds_by_keep
from web.state.json_schema import (
    BankJson,
    HighlightJson,
    JustDiceJson,
    KeepJson,
    LastRoundJson,
    LastThrowJson,
    MatchJson,
    OddsJson,
    PencilJson,
    PhotoDieJson,
    PhotoJson,
    PlayerJson,
    RollOffJson,
    RulesJson,
    StateJson,
    ThrowJson,
    TurnJson,
)

SHOWN = 50
"""Of the throws without a match."""

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
}


def state_json(snapshot: Snapshot, say: Translate = str) -> StateJson:
    """All that a phone needs to draw the table; other programs are told in English."""
    lamp = snapshot.lamp
    return {
        **(_match(snapshot.match, snapshot, say) if snapshot.match else _no_match(snapshot)),
        "version": snapshot.version,
        "step": snapshot.step,
        "situation": snapshot.situation.value,
        "message": say(snapshot.message),
        "advice": [*map(say, snapshot.advice)],
        "lamp": {"colour": lamp.colour, "blink": lamp.blink, "meaning": say(lamp.meaning)},
        "simulated": snapshot.simulated,
        "camera": snapshot.camera,
        "hands_off": snapshot.hands_off,
        "join_url": snapshot.join_url,
        "calibrated": snapshot.calibrated,
        "notice": say(snapshot.notice) if snapshot.notice else "",
        "troubles": [*map(say, snapshot.troubles)],
        "question": say(snapshot.question) if snapshot.question else None,
        "choices": [{"id": each.id, "label": say(each.label)} for each in snapshot.choices],
        "photo": _photo(snapshot.photo) if snapshot.photo else None,
        "just_dice": _just_dice(snapshot.just_dice) if snapshot.just_dice is not None else None,
        "rolloff": _rolloff(snapshot.rolloff) if snapshot.rolloff else None,
        "pencil": _pencil(snapshot.scorekeeper),
        "coach": coach_json(snapshot.coach, say),
    }


def _no_match(snapshot: Snapshot) -> MatchJson:
    rolled = snapshot.rolloff is not None and snapshot.rolloff.before is not None
    thrown = snapshot.just_dice is not None and snapshot.just_dice.last is not None
    return {**NO_MATCH, "can_undo": rolled or thrown or snapshot.has_ignored_objects}


def _just_dice(log: DiceLog) -> JustDiceJson:
    return {
        "n_throws": log.n_throws,
        "throws": [
            {
                "index": throw.index,
                "dice": [*throw.dice],
                "thrown": [*throw.thrown],
                "sum": throw.sum,
                "tapped_in": throw.is_entered_by_hand,
            }
            for throw in log.throws[: -SHOWN - 1 : -1]
        ],
        "counts": [*log.counts],
        "p": log.fairness.p,
    }


def _match(match: Match, snapshot: Snapshot, say: Translate) -> MatchJson:
    state = match.state
    return {
        "rules": _rules(state),
        "players": _players(state),
        "turn": _turn(state.turn),
        "at_risk": at_risk(state),
        "dice_to_throw": state.dice_in_hand,
        "throw": _last_throw(state),
        "keeps": _keeps(state, odds_by_keep(snapshot.coach, say), say),
        "bank": _bank(match, say),
        "turns": [_turn(turn) for turn in state.turns],
        "can_undo": match.can_undo or snapshot.has_ignored_objects,
        "can_redo": match.can_redo,
        "last_round": _last_round(state),
        "highlight": _highlight(match, say),
        "winner": state.winner,
    }


def _rules(state: State) -> RulesJson:
    rules = state.rules
    return {
        "name": rules.name,
        "title": rules.title,
        "n_dice": rules.n_dice,
        "target": rules.target,
        "rounds": rules.rounds,
        "opening": rules.opening,
        "changed": [line for line in differing_lines(rules) if not line.startswith("target ")],
    }


def _players(state: State) -> list[PlayerJson]:
    return [
        {
            "seat": seat,
            "name": player.name,
            "score": player.score,
            "opened": player.opened,
            "team": player.team,
            "here": player.here,
            "on_turn": state.winner is None and seat == state.turn.seat,
        }
        for seat, player in enumerate(state.players)
    ]


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
    """This turn's last throw, or that of the turn before while nobody has thrown since."""
    for turn in (state.turn, *state.turns[:-2:-1]):
        if turn.last:
            ending = turn.ending.value if turn.ending else None
            return {
                **_throw(turn.last),
                "tapped_in": turn.last.is_entered_by_hand,
                "seat": turn.seat,
                "turn_points": turn.points,
                "ending": ending,
            }
    return None


def _keeps(state: State, odds: Mapping[Dice, OddsJson], say: Translate) -> list[KeepJson]:
    if state.winner is not None:
        return []
    return [
        {
            "dice": list(keep.dice),
            "score": keep.score,
            "combos": [str(combo) for combo in keep.combos],
            "dice_left": keep.dice_left,
            "hot": keep.hot,
            "effect": say(told) if (told := keep_hint(state, keep)) else "",
            "odds": odds.get(keep.dice),
        }
        for keep in state.keeps
    ]


def _bank(match: Match, say: Translate) -> BankJson | None:
    """A keep that was tapped, else the best one."""
    state = match.state
    if state.winner is not None:
        return None
    last = state.turn.last
    tapped = last.keep if last and not last.assumed else None
    keep = tapped or state.best_bank_keep
    why = state.bank_refusal(keep)
    points = state.locked_points + keep.score if keep else 0
    return {
        "dice": list(keep.dice) if keep else [],
        "points": points,
        "total": state.bank_total(keep) if keep else state.player.score,
        "refusal": say(why) if why else None,
        "short": _short(state, points) if keep else 0,
        "winner": _winner_of(match, keep) if keep and not why else None,
    }


def _short(state: State, points: int) -> int:
    """What is missing before the turn may be banked."""
    opening = 0 if state.player.opened else state.rules.opening
    return max(opening - points, state.rules.minimum_bank - points, 0)


def _winner_of(match: Match, keep: Keep) -> int | None:
    """Who has won once this is banked."""
    state = match.state
    last = state.closer is not None or state.rules.rounds > 0
    may_end = last or state.bank_total(keep) >= state.rules.target
    return match.bank(keep.dice).state.winner if may_end else None


def _last_round(state: State) -> LastRoundJson | None:
    left = list(state.to_follow)
    if state.closer is None or not left:
        return None
    leader = max(range(len(state.players)), key=lambda seat: state.players[seat].score)
    ahead = state.players[best_opponent(state)].score + 1
    return {
        "closer": state.closer,
        "leader": leader,
        "to_beat": state.players[leader].score,
        "left": left,
        "needed": max(0, ahead - state.player.score - at_risk(state)),
        "decides": len(left) == 1,
    }


def _highlight(match: Match, say: Translate) -> HighlightJson | None:
    found = highlight(match)
    if found is None:
        return None
    return {
        "kind": found.kind.value,
        "seat": found.seat,
        "points": found.points,
        "words": say(found.words),
    }


def _photo(photo: Photo) -> PhotoJson:
    return {
        "id": photo.id,
        "url": f"/api/v1/photo/{photo.id}.jpg",
        "width": photo.width,
        "height": photo.height,
        "index": photo.index,
        "dice": [_photo_die(photo, i) for i in range(len(photo.dice))],
    }


def _photo_die(photo: Photo, number: int) -> PhotoDieJson:
    die = photo.dice[number]
    return {
        "value": die.value,
        "x": die.x,
        "y": die.y,
        "w": die.w,
        "h": die.h,
        "angle": die.angle,
        "zone": die.zone,
        "problem": die.problem,
        "slot": die.slot,
        "url": f"/api/v1/photo/{photo.id}/{number}.jpg",
    }


def _rolloff(rolloff: RollOff) -> RollOffJson:
    return {
        "rolls": [list(dice) for dice in rolloff.rolls],
        "open": rolloff.open,
        "seat": rolloff.seat,
        "first": rolloff.first,
    }


def _pencil(pencil: ScorekeeperView) -> PencilJson:
    return {
        "holder": pencil.holder,
        "asking": pencil.asking,
        "asker": pencil.asker,
        "by_button": pencil.by_button,
        "by_holder": pencil.by_holder,
        "own_turn": pencil.own_turn,
        "players": [{"phone": phone, "name": name} for phone, name in pencil.players],
    }
