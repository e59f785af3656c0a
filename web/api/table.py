"""The HTTP API, version 1: the state, its stream, and all that one can do at the table."""

from collections.abc import Callable

from flask import Response, g

from game.commands import (
    AcknowledgeDamage,
    AnswerQuestion,
    Bank,
    Command,
    CorrectDie,
    CorrectThrow,
    DropEvents,
    EnterThrow,
    Hold,
    InsertTurn,
    KeepDice,
    MarkForeignObject,
    MoveSimulatedButton,
    Press,
    ReadAgain,
    RecordEvent,
    Redo,
    Rematch,
    ReopenMatch,
    SetCoachMode,
    SetJustDice,
    StartMatch,
    ThrowSimulatedDice,
    Undo,
)
from game.match.events import (
    Event,
    Farkled,
    Joined,
    Left,
    Renamed,
    Reordered,
    ScoreSet,
    Skipped,
    TookOver,
    TurnSet,
)
from game.match.match import Match
from game.match.match_text import to_text
from game.match.roster import MAX_TEAM
from game.match.step import MAX_SCORE
from game.message import Message
from game.rules.rule_files import to_toml
from game.rules.ruleset import Ruleset
from web.api.exports import as_csv, as_json
from web.contracts.coach import CoachMode
from web.contracts.table import Snapshot, Table
from web.fields import (
    Faces,
    Field,
    Names,
    Number,
    Object,
    OneOf,
    Optional,
    Text,
    Whole,
    Wholes,
    Yes,
)
from web.pages.match_form import option_values
from web.problem import HttpProblem
from web.response import json_response, state_response, state_text
from web.route import Routes, Who
from web.stream import Streams, format_event
from web.version_cache import VersionCache

MAX_HOLD_S = 10.0
"""Twice what the longest hold needs."""

MAX_SEAT = 1_000
MAX_INDEX = 1_000_000
MAX_TARGET = 1_000_000
HIGHEST = 2**53
"""Beyond it numbers in JSON are no longer exact."""

SEAT, INDEX, OWN = Whole(0, MAX_SEAT), Whole(0, MAX_INDEX), Who.OWN_TURN
STEP = Whole(0, HIGHEST)


def create_api(table: Table, streams: Streams, rules: tuple[Ruleset, ...]) -> Routes:
    """The routes of the table."""
    api = Routes("api")
    _add_reading(api, table, streams, rules)
    _add_exports(api, table)
    _add_commands(api, table)
    _add_events(api, table)
    return api


def _add_reading(api: Routes, table: Table, streams: Streams, rules: tuple[Ruleset, ...]) -> None:
    stream_event: VersionCache[Snapshot, str] = VersionCache(
        lambda snapshot: format_event("state", state_text(snapshot))
    )

    @api.reads("/state", "The whole state of the table", is_state=True)
    def state() -> Response:
        return state_response(table.snapshot())

    @api.reads(
        "/events", "The state now and after every change", kind="text/event-stream", refused=(503,)
    )
    def events() -> Response:
        return streams.open(table, stream_event)

    @api.reads(
        "/photo/<photo_id>.jpg", "The annotated photo that the state names",
        kind="image/jpeg", refused=(404,),
    )  # fmt: skip
    def photo(photo_id: str) -> Response:
        return _picture(table.photo(photo_id))

    @api.reads(
        "/photo/<photo_id>/<int:die>.jpg", "One die of that photo, at full resolution",
        kind="image/jpeg", refused=(404,),
    )  # fmt: skip
    def photo_die(photo_id: str, die: int) -> Response:
        return _picture(table.photo_die(photo_id, die))

    @api.reads(
        "/view.jpg",
        "What the camera sees of the tray now, small",
        kind="image/jpeg",
        refused=(404,),
    )
    def view() -> Response:
        jpeg = table.view()
        if jpeg is None:
            raise HttpProblem(
                404,
                Message(
                    "there is no camera now, or its tray is not known yet: calibrate it, or tap the "
                    "dice in"
                ),
            )
        return Response(jpeg, headers={"Cache-Control": "no-store"}, mimetype="image/jpeg")

    @api.reads("/rules", "The rule sets on offer")
    def published() -> Response:
        return json_response([_published(each) for each in rules])

    @api.reads("/rules.toml", "The rules in force, as a house file", kind="application/toml")
    def house_rules() -> Response:
        match = table.snapshot().match
        text = to_toml(match.rules if match else rules[0])
        headers = {"Content-Disposition": 'attachment; filename="house.toml"'}
        return Response(text, headers=headers, mimetype="application/toml")


def _picture(jpeg: bytes | None) -> Response:
    """Its address is made of what it shows, so it may be kept for good."""
    if jpeg is None:
        raise HttpProblem(
            404, Message("only the last few photos are kept: the state names the newest")
        )
    kept = {"Cache-Control": "private, max-age=86400, immutable"}
    return Response(jpeg, headers=kept, mimetype="image/jpeg")


def _published(rules: Ruleset) -> dict[str, object]:
    return {
        "name": rules.name,
        "title": rules.title,
        "target": rules.target,
        "options": option_values(rules),
    }


def _add_exports(api: Routes, table: Table) -> None:
    def match() -> Match:
        match = table.snapshot().match
        if match is None:
            raise HttpProblem(404, Message("there is no match yet: set one up first"))
        return match

    @api.reads("/match.txt", "The match as text", kind="text/plain", refused=(404,))
    def match_text() -> Response:
        return Response(to_text(match()), mimetype="text/plain")

    @api.reads("/match.csv", "Its turns for a spreadsheet", kind="text/csv", refused=(404,))
    def match_csv() -> Response:
        return Response(as_csv(match()), mimetype="text/csv")

    @api.reads("/match.json", "Its turns for programs", refused=(404,))
    def match_json() -> Response:
        return json_response(as_json(match()))


def _add_commands(api: Routes, table: Table) -> None:
    """Each route is a command; its fields are those of the body, by their own names or as said."""

    def does(
        path: str, summary: str, make: Callable[..., Command], who: Who = Who.HOLDER,
        **fields: Field | Optional,
    ) -> None:  # fmt: skip
        def view(**found: object) -> Response:
            return state_response(table.do(make(**found), g.request_mark))

        view.__name__ = path.strip("/")
        api.does(path, summary, fields, who=who, is_state=True)(view)

    does("/press", "Press the button", Press, OWN)
    does("/hold", "Hold the button so long", Hold, seconds=Number(0, MAX_HOLD_S))
    does(
        "/button", "The simulated button goes down, or up", MoveSimulatedButton,
        down=Yes(), seconds=Optional(Number(0, MAX_HOLD_S)),
    )  # fmt: skip
    does("/throw", "Throw the simulated dice", ThrowSimulatedDice, OWN)
    does("/reread", "Look once more at the throw in view", ReadAgain, OWN)
    does("/dice", "A throw tapped in", EnterThrow, OWN, dice=Faces(), step=Optional(STEP))
    does("/keep", "Set these aside", KeepDice, OWN, dice=Faces(), throw=Optional(INDEX))
    does(
        "/bank", "Bank the best keep, or this one", Bank, OWN,
        dice=Optional(Faces()), throw=Optional(INDEX),
    )  # fmt: skip
    does(
        "/correct", "A throw showed other dice", CorrectThrow, OWN,
        dice=Faces(), index=Optional(INDEX),
    )  # fmt: skip
    does(
        "/face", "A die of the newest photo shows this", CorrectDie, OWN,
        photo=Text(), die=SEAT, face=Whole(1, 6),
    )  # fmt: skip
    does(
        "/not-a-die", "A thing that is ringed on the newest photo is no die", MarkForeignObject, OWN,
        photo=Text(), die=SEAT,
    )  # fmt: skip
    does("/answer", "One of the state's choices", AnswerQuestion, OWN, choice=Text())
    does("/undo", "A step back", Undo, step=Optional(STEP))
    does("/redo", "A step forth again", Redo)
    does(
        "/match", "A new match", StartMatch,
        names=Names(), rules=Optional(Text()), target=Optional(Whole(1, MAX_TARGET)),
        options=Optional(Object()), teams=Optional(Wholes(0, MAX_TEAM)),
    )  # fmt: skip
    does(
        "/just-dice",
        "Throws are read and counted without a match, or no longer",
        SetJustDice,
        on=Yes(),
    )
    does("/rematch", "The same players again, once a match is won", Rematch)
    does(
        "/reopen", "Go on with an older match",
        ReopenMatch, match=Whole(1, HIGHEST),
    )  # fmt: skip
    does(
        "/insert", "A turn that nobody pressed for",
        InsertTurn, turn=Text(), before=Optional(INDEX),
    )  # fmt: skip
    does("/drop", "These events never happened", DropEvents, start=INDEX, stop=INDEX)
    does("/coach", "How much the coach says", SetCoachMode, mode=OneOf(tuple(CoachMode)))
    does("/heed", "Somebody has read that the journal was damaged", AcknowledgeDamage)


def _add_events(api: Routes, table: Table) -> None:
    """What no camera sees: who plays, whose turn it is, points."""

    def says(
        path: str, summary: str, make: Callable[..., Event], **fields: Field | Optional
    ) -> None:
        def view(on_turn: int | None = None, **found: object) -> Response:
            return state_response(table.do(RecordEvent(make(**found), on_turn), g.request_mark))

        view.__name__ = path.strip("/")
        api.does(path, summary, fields, is_state=True)(view)

    on_turn = Optional(SEAT)
    says("/skip", "The player on turn is passed over", Skipped, on_turn=on_turn)
    says("/farkle", "The player on turn farkled", Farkled, on_turn=on_turn)
    says("/takeover", "The player on turn takes over what was banked", TookOver)
    says("/join", "One more player", Joined, name=Text(), team=Optional(Whole(0, MAX_TEAM)))
    says("/leave", "A player goes", Left, seat=SEAT)
    says("/rename", "A player is called that", Renamed, seat=SEAT, name=Text())
    says(
        "/order", "They throw in this order",
        lambda seats: Reordered(order=seats), seats=Wholes(0, MAX_SEAT),
    )  # fmt: skip
    says("/score", "A score set by hand", ScoreSet, seat=SEAT, score=Whole(-MAX_SCORE, MAX_SCORE))
    says(
        "/turn", "Whose turn, points at risk, dice to throw", TurnSet,
        seat=SEAT, points=Whole(0, MAX_SCORE), dice=Whole(1, 6),
    )  # fmt: skip
