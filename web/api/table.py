"""The HTTP API of the table: its state, its event stream, its commands, and a phone's picture of the dice."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from threading import Lock
from typing import Any

from flask import Response, g, request

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
    LeaveSafeMode,
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
    SubmitPhoto,
    ThrowSimulatedDice,
    Undo,
)
from game.match.apply_event import MAX_SCORE, MAX_TEAM
from game.match.events import (
    Bot,
    BotDice,
    BotLevel,
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
from game.match.state import Turn, keeps_after
from game.message import Message
from game.practice.handicap import HeadStart
from game.rules import rule_files
from game.rules.rule_files import to_toml
from game.rules.rule_options import MAX_POINTS
from game.rules.ruleset import Ruleset
from game.situation import NO_MATCH_YET
from web.api.matches import add_exports
from web.contracts import Coach, CoachMode, Snapshot, Table
from web.fields import (
    MAX_EXACT,
    MAX_PART,
    Field,
    QueryInteger,
    any_object,
    boolean,
    dice,
    file_part,
    integer,
    integers,
    number,
    one_of,
    optional,
    series_length,
    text,
    texts,
)
from web.json_schema import RulesetJson, StateJson
from web.pages.match_form import option_values
from web.pages.matches import require_coach
from web.picture_check import MAX_PICTURE_BYTES, TOO_MANY_BYTES, check_picture, check_type
from web.response import (
    MOTION_JPEG,
    HttpProblem,
    download,
    image_response,
    json_response,
    required,
    state_response,
    state_text,
)
from web.route import Permission, Routes
from web.stream import MIMETYPE, StepStream, Streams, VersionCache, format_event

LIKE = "like"
"""Chooses a bot that plays like a person, instead of one of the levels."""

BOT_NAME = "Bot"
MAX_NAME = 24

MAX_HOLD_S = 10.0
"""Longest hold that a request may ask for, in seconds: twice the longest hold that has an effect."""

MAX_UPLOADS = 3
"""Pictures that may be uploaded at the same time. Of more, the one that has waited longest is dropped."""

MAX_SEAT = 1_000
MAX_INDEX = 1_000_000

NO_SUCH_THROW = Message(
    "give one face from 1 to 6 for each die, and no more dice than the match has"
)
NO_VIEW = Message(
    "no camera is connected, or the tray has not been calibrated: calibrate it, or tap the dice in"
)
NO_PHOTO = Message("only the last few photos are kept: the state contains the newest one")

NO_CLIP = Message(
    "there is no clip of that roll: a camera must see it, the setting `clips` must be on, and only the "
    "last few photos have one"
)

CACHE_PHOTO = "private, max-age=86400, immutable"
"""Browsers may keep a photo, because its id is a hash of what it shows."""

SEAT, INDEX, STEP = integer(0, MAX_SEAT), integer(0, MAX_INDEX), integer(0, MAX_EXACT)
CURRENT_PLAYER = Permission.CURRENT_PLAYER


def _start_match(
    offered: tuple[Ruleset, ...],
    coach: Coach | None,
    /,
    *,
    names: tuple[str, ...],
    bot: str | None = None,
    like: str | None = None,
    bot_dice: str | None = None,
    **setup: Any,
) -> StartMatch:
    """Return the match to start. A bot sits in the last seat.

    Args:
        offered: The rule sets to choose from, the default first.
        coach: Knows how people play; None if there is no coach.
        names: The players' names, by seat, without the bot.
        bot: A level, or `LIKE`; None means a match without a bot.
        like: Name of the person whom the bot imitates; None if it imitates nobody.
        bot_dice: Who throws the bot's dice; None means that they are simulated.
        **setup: Other fields of `StartMatch`, such as the rules and the target.

    Raises:
        HttpProblem: If the bot cannot play.
        OddsError: If too little is known about the person.
    """
    if bot is None:
        return StartMatch(names, **setup)
    if setup.get("teams"):
        raise HttpProblem(
            400,
            Message("bot: a bot cannot play in a team. Leave out the bot or the teams."),
        )
    dice = BotDice(bot_dice or BotDice.SIMULATED)
    if bot != LIKE:
        name, player = BOT_NAME, Bot(dice, level=BotLevel(bot))
    else:
        if not like or not like.strip():
            raise HttpProblem(400, Message("like: name the person whom the bot should imitate"))
        rules = _chosen_rules(
            offered, setup.get("rules"), setup.get("target"), setup.get("options")
        )
        style = require_coach(coach).style(like.strip(), rules)
        name, player = f"{BOT_NAME} {style.player}"[:MAX_NAME], Bot(dice, style)
    return StartMatch((*names, name), bots=(*(None,) * len(names), player), **setup)


def _chosen_rules(
    offered: tuple[Ruleset, ...],
    name: str | None,
    target: int | None,
    options: Mapping[str, Any] | None,
) -> Ruleset:
    """Return a rule set with other options, preferably one of those on offer; no name means the first of them."""
    known = (each for each in offered if name in (None, each.name))
    chosen = next(known, None) or rule_files.published(str(name))
    return rule_files.with_options(chosen, options or {}, target=target)


def create_picture(table: Table) -> Routes:
    """Create the routes under /api/v1/picture."""
    routes = Routes("picture", "/api/v1/picture")
    uploads = PictureUploads()

    @routes.command(
        "/part", "Send a part of a picture as base64, with its offset in bytes",
        {"at": integer(0, MAX_PICTURE_BYTES), "part": file_part(), "upload": optional(text())},
        Permission.CURRENT_PLAYER, max_body_bytes=MAX_PART, answers={"at": int},
    )  # fmt: skip
    def receive(at: int, part: bytes, upload: str | None) -> Response:
        return json_response({"at": uploads.add(upload or "", at, part)})

    @routes.command(
        "", "Read the picture that was sent", {"step": optional(STEP), "upload": optional(text())},
        Permission.CURRENT_PLAYER, answers=StateJson,
    )  # fmt: skip
    def read(step: int | None, upload: str | None) -> Response:
        picture = uploads.take(upload or "")
        check_picture(picture)
        return state_response(table.do(SubmitPhoto(picture, step=step), g.request_mark))

    return routes


class PictureUploads:
    """The pictures that are being uploaded, each in parts. Any thread may call its methods."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._received: dict[str, bytearray] = {}

    def __repr__(self) -> str:
        return f"<PictureUploads: {sum(map(len, self._received.values()))} bytes>"

    def add(self, upload: str, offset: int, part: bytes) -> int:
        """Append a part of a picture and return the offset of the next one.

        Args:
            upload: Id of the upload, chosen by its sender.
            offset: Offset of the part, in bytes; 0 starts a new picture.
            part: The bytes of the part.

        Raises:
            HttpProblem: If another part is expected, or if the picture is too large or of the wrong type.
        """
        with self._lock:
            data = self._received.pop(upload, bytearray())
            if offset == 0:
                data.clear()
                check_type(part)
            if offset + len(part) > MAX_PICTURE_BYTES:
                raise HttpProblem(413, TOO_MANY_BYTES)
            is_next = offset == len(data)
            if is_next:
                data += part
            if data:
                self._received[upload] = data
            while len(self._received) > MAX_UPLOADS:
                del self._received[next(iter(self._received))]
            if not is_next:
                raise HttpProblem(
                    409, Message("Another photo is being sent: try again in a moment.")
                )
            return len(data)

    def take(self, upload: str) -> bytes:
        """Return a whole picture and forget it."""
        with self._lock:
            return bytes(self._received.pop(upload, b""))


def create_api(
    table: Table,
    streams: Streams,
    steps: StepStream,
    rules: tuple[Ruleset, ...],
    coach: Coach | None = None,
) -> Routes:
    """Create the routes of the table.

    Args:
        table: The companion.
        streams: The event streams that are open.
        steps: The steps of the match, which an event stream also sends if a program asks for them.
        rules: The rule sets to choose from, the default first.
        coach: Knows how people play, and works out head starts; None if there is no coach.
    """
    api = Routes("api")
    _add_reading(api, table, streams, steps)
    _add_rules(api, table, rules)
    add_exports(
        api, "/match", "the match", lambda: required(table.snapshot().match, NO_MATCH_YET), 404
    )
    _add_commands(api, table, rules, coach)
    _add_events(api, table)
    return api


def _add_reading(api: Routes, table: Table, streams: Streams, step_stream: StepStream) -> None:
    stream_event: VersionCache[Snapshot, str] = VersionCache(
        lambda snapshot: format_event("state", state_text(snapshot))
    )

    @api.read("/state", "The whole state of the table", answers=StateJson)
    def state() -> Response:
        return state_response(table.snapshot())

    @api.read(
        "/events", "The state now and after every change, and each step as well if `steps` is 1",
        media_type=MIMETYPE, errors=(503,), query={"steps": QueryInteger(0, 1, 0)},
    )  # fmt: skip
    def events(steps: int) -> Response:
        if not steps:
            return streams.open(table, stream_event)
        new_steps = step_stream.follower(request.headers.get("Last-Event-ID", ""))
        return streams.open(table, lambda snapshot: stream_event(snapshot) + new_steps(snapshot))

    @api.read(
        "/photo/<photo_id>.jpg", "The annotated photo that the state names",
        media_type="image/jpeg", errors=(404,),
    )  # fmt: skip
    def photo(photo_id: str) -> Response:
        return image_response(table.album.photo(photo_id), NO_PHOTO, CACHE_PHOTO)

    @api.read(
        "/photo/<photo_id>.mjpeg", "How the dice on that photo came to rest, as JPEG frames",
        media_type=MOTION_JPEG, errors=(404,),
    )  # fmt: skip
    def photo_clip(photo_id: str) -> Response:
        return image_response(table.album.clip(photo_id), NO_CLIP, CACHE_PHOTO, MOTION_JPEG)

    @api.read(
        "/photo/<photo_id>/<int:die>.jpg", "One die of that photo, at full resolution",
        media_type="image/jpeg", errors=(404,),
    )  # fmt: skip
    def photo_die(photo_id: str, die: int) -> Response:
        return image_response(table.album.die(photo_id, die), NO_PHOTO, CACHE_PHOTO)

    @api.read("/view.jpg", "A small live image of the tray", media_type="image/jpeg", errors=(404,))
    def view() -> Response:
        return image_response(table.view(), NO_VIEW)

    @api.read(
        "/points/<faces>", "The best points of a throw that shows these faces, such as 1335",
        errors=(404,), answers={"points": int},
    )  # fmt: skip
    def points(faces: str) -> Response:
        match = required(table.snapshot().match, NO_MATCH_YET)
        shown = [int(face) for face in faces if face in "123456"]
        if len(shown) != len(faces) or len(shown) > match.rules.n_dice:
            raise HttpProblem(404, NO_SUCH_THROW)
        keeps = keeps_after(_turn_before(match, len(shown)), tuple(sorted(shown)), match.rules)
        return json_response({"points": keeps[0].score if keeps else 0})


def _turn_before(match: Match, n_dice: int) -> Turn:
    """Return the turn before a throw of this many dice, its last throw with the keep that leaves them."""
    turn = match.state.turn
    *before, last = turn.throws or (None,)
    if last is None or last.keep:
        return turn
    keeps = (k for k in match.state.keeps if (k.dice_left or match.rules.n_dice) == n_dice)
    return replace(turn, throws=(*before, replace(last, keep=next(keeps, None))))


def _add_rules(api: Routes, table: Table, rules: tuple[Ruleset, ...]) -> None:
    @api.read("/rules", "The rule sets to choose from", answers=list[RulesetJson])
    def rule_sets() -> Response:
        return json_response([_rules_json(each) for each in rules])

    @api.read("/rules.toml", "The rules in force, as a house file", media_type="application/toml")
    def house_rules() -> Response:
        match = table.snapshot().match
        toml = to_toml(match.rules if match else rules[0])
        return download(toml, "house.toml", "application/toml")


def _rules_json(rules: Ruleset) -> RulesetJson:
    return {
        "name": rules.name,
        "title": rules.title,
        "target": rules.target,
        "options": option_values(rules),
    }


def _add_commands(
    api: Routes, table: Table, rules: tuple[Ruleset, ...], coach: Coach | None
) -> None:
    """Add a route for each command; the fields of the body are the fields of the command."""

    def add(
        path: str, summary: str, make: Callable[..., Command],
        permission: Permission = Permission.SCOREKEEPER, **fields: Field,
    ) -> None:  # fmt: skip
        def view(**values: object) -> Response:
            return state_response(table.do(make(**values), g.request_mark))

        view.__name__ = path.strip("/")
        api.command(path, summary, fields, permission, answers=StateJson)(view)

    add("/press", "Press the button", Press, CURRENT_PLAYER)
    add(
        "/hold", "Hold the button for some seconds", Hold,
        seconds=number(0, MAX_HOLD_S), step=optional(STEP),
    )  # fmt: skip
    add(
        "/button", "Press or release the simulated button", MoveSimulatedButton,
        down=boolean(), seconds=optional(number(0, MAX_HOLD_S)),
    )  # fmt: skip
    add("/throw", "Throw the simulated dice", ThrowSimulatedDice, CURRENT_PLAYER)
    add("/reread", "Read the throw in view again", ReadAgain, CURRENT_PLAYER)
    add(
        "/dice", "Enter a throw by hand", EnterThrow, CURRENT_PLAYER,
        dice=dice(), step=optional(STEP),
    )  # fmt: skip
    add(
        "/keep", "Set dice aside", KeepDice, CURRENT_PLAYER,
        dice=dice(), throw=optional(INDEX), step=optional(STEP),
    )  # fmt: skip
    add(
        "/bank", "Bank the best keep, or the given one", Bank, CURRENT_PLAYER,
        dice=optional(dice()), throw=optional(INDEX), step=optional(STEP),
        points=optional(integer(0, MAX_SCORE)),
    )  # fmt: skip
    add(
        "/takeover", "Let the current player take over the points of the turn just banked",
        lambda step: RecordEvent(TookOver(), step=step), CURRENT_PLAYER, step=optional(STEP),
    )  # fmt: skip
    add(
        "/correct", "Correct the dice of a throw", CorrectThrow, CURRENT_PLAYER,
        dice=dice(), index=optional(INDEX), step=optional(STEP),
    )  # fmt: skip
    add(
        "/face", "Correct the face of a die on the newest photo", CorrectDie, CURRENT_PLAYER,
        photo=text(), die=SEAT, face=integer(1, 6),
    )  # fmt: skip
    add(
        "/not-a-die", "Mark an object on the newest photo as not a die", MarkForeignObject, CURRENT_PLAYER,
        photo=text(), die=SEAT,
    )  # fmt: skip
    add(
        "/answer",
        "Answer with one of the state's choices",
        AnswerQuestion,
        CURRENT_PLAYER,
        choice=text(),
    )
    add("/undo", "Undo the last step", Undo, step=optional(STEP))
    add("/redo", "Redo the step that was undone last", Redo, step=optional(STEP))
    add(
        "/match", "Start a match", partial(_start_match, rules, coach),
        names=texts(), rules=optional(text()), target=optional(integer(1, MAX_POINTS)),
        options=optional(any_object()), teams=optional(integers(0, MAX_TEAM)),
        bot=optional(one_of((*BotLevel, LIKE))), like=optional(text()),
        bot_dice=optional(one_of(tuple(BotDice))),
        head_starts=optional(integers(0, MAX_SCORE)), best_of=optional(series_length()),
    )  # fmt: skip

    @api.command(
        "/head-start", "Work out the head start that gives two players the same chance of winning",
        {
            "rules": optional(text()), "target": optional(integer(1, MAX_POINTS)),
            "options": optional(any_object()),
        },
        answers=HeadStart,
    )  # fmt: skip
    def head_start(**values: Any) -> Response:
        known = require_coach(coach)
        chosen = _chosen_rules(rules, values["rules"], values["target"], values["options"])
        return json_response(asdict(known.head_start(chosen)))

    add(
        "/just-dice", "Read and count throws without a match, or stop it", SetJustDice, on=boolean()
    )
    add("/rematch", "Start a match with the same players after one is won", Rematch)
    add(
        "/reopen", "Continue an older match; `undo` takes back the last step of one that was won",
        lambda match, undo: ReopenMatch(match, undo=bool(undo)),
        match=integer(1, MAX_EXACT), undo=optional(boolean()),
    )  # fmt: skip
    add(
        "/insert", "Insert a turn that was not recorded", InsertTurn,
        turn=text(), before=optional(INDEX), step=optional(STEP),
    )  # fmt: skip
    add(
        "/drop", "Delete events of the match", DropEvents,
        start=INDEX, stop=INDEX, step=optional(STEP),
    )  # fmt: skip
    add("/coach", "Set how much the coach says", SetCoachMode, mode=one_of(tuple(CoachMode)))
    add("/heed", "Confirm the notice that the journal was damaged", AcknowledgeDamage)
    add("/leave-safe-mode", "Start again normally, in safe mode", LeaveSafeMode)


def _add_events(api: Routes, table: Table) -> None:
    """Add a route for each event that no camera sees: about players, turns and points."""

    def add(path: str, summary: str, make: Callable[..., Event], **fields: Field) -> None:
        def view(on_turn: int | None = None, step: int | None = None, **values: object) -> Response:
            event = RecordEvent(make(**values), on_turn, step=step)
            return state_response(table.do(event, g.request_mark))

        view.__name__ = path.strip("/")
        api.command(path, summary, fields | {"step": optional(STEP)}, answers=StateJson)(view)

    on_turn = optional(SEAT)
    add("/skip", "Skip the current player", Skipped, on_turn=on_turn)
    add("/farkle", "Record a farkle of the current player", Farkled, on_turn=on_turn)
    add("/join", "Add a player", Joined, name=text(), team=optional(integer(0, MAX_TEAM)))
    add("/leave", "Remove a player", Left, seat=SEAT)
    add("/rename", "Rename a player", Renamed, seat=SEAT, name=text())
    add(
        "/order", "Set the order in which the players throw",
        lambda seats: Reordered(order=seats), seats=integers(0, MAX_SEAT),
    )  # fmt: skip
    add("/score", "Set a score by hand", ScoreSet, seat=SEAT, score=integer(-MAX_SCORE, MAX_SCORE))
    add(
        "/turn", "Set the current player, the points at risk and the dice to throw", TurnSet,
        seat=SEAT, points=integer(0, MAX_SCORE), dice=integer(1, 6),
    )  # fmt: skip
