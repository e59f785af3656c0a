"""The calibration page, and its part of the HTTP API."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request

from game.situation import TableError
from web.contracts.calibration import Calibration, CalibrationState, calibration_json
from web.contracts.table import Table
from web.i18n.translate import say
from web.problem import HttpProblem
from web.request import RequestBody
from web.response import json_answer

N_CORNERS = 4
LISTENS = ("", "button", "learn", "test")
COLOURS = ("red", "green", "blue")

Ask = Callable[[Calibration], CalibrationState]


def create_calibrating(table: Table, calibration: Calibration | None) -> Blueprint:
    """The blueprint of /calibrate and /api/v1/calibration; without a calibration all is refused."""
    blueprint = Blueprint("calibrating", __name__)

    def there() -> Calibration:
        if calibration is None:
            raise HttpProblem(409, "this table cannot be calibrated: it has no camera of its own")
        return calibration

    def answer(ask: Ask) -> Response:
        try:
            state = ask(there())
        except TableError as error:
            raise TableError(say(str(error), "fitting")) from None
        return json_answer(calibration_json(said(state)))

    @blueprint.get("/calibrate")
    def page() -> Response:
        state = there().state()
        html = render_template("calibrate.html", state=state, join_url=table.snapshot().join_url)
        response = make_response(html)
        response.headers["Cache-Control"] = "no-store"
        return response

    @blueprint.get("/api/v1/calibration")
    def state() -> Response:
        return answer(lambda c: c.state())

    @blueprint.get("/api/v1/calibration/picture.jpg")
    def picture() -> Response:
        jpeg = there().picture()
        if jpeg is None:
            raise HttpProblem(404, "there is no camera now: it is tried again every few seconds")
        return Response(jpeg, headers={"Cache-Control": "no-store"}, mimetype="image/jpeg")

    _add_plain(blueprint, answer)
    _add_told(blueprint, answer)
    return blueprint


def said(state: CalibrationState) -> CalibrationState:
    """Its sentences in the language of the phone that asks."""

    def tell(text: str) -> str:
        return say(text, "fitting")

    return replace(
        state,
        words=tell(state.words),
        drift=tell(state.drift),
        checks=tuple(
            replace(check, verdict=tell(check.verdict), advice=tell(check.advice))
            for check in state.checks
        ),
        learning=replace(state.learning, words=tell(state.learning.words)),
        trials=tuple(replace(trial, words=tell(trial.words)) for trial in state.trials),
    )


def _add_plain(blueprint: Blueprint, answer: Callable[[Ask], Response]) -> None:
    """What is asked without a body."""
    asks: dict[str, Ask] = {
        "find": lambda c: c.find(),
        "propose": lambda c: c.propose_aside(),
        "check": lambda c: c.check(),
        "focus": lambda c: c.focus(),
        "throw": lambda c: c.throw(),
        "learn": lambda c: c.learn(),
        "forget": lambda c: c.forget(),
        "test": lambda c: c.test(),
        "retest": lambda c: c.retest(),
        "save": lambda c: c.save(),
        "discard": lambda c: c.discard(),
    }
    for name, ask in asks.items():
        blueprint.add_url_rule(
            f"/api/v1/calibration/{name}", name, _plain(answer, ask), methods=["POST"]
        )


def _plain(answer: Callable[[Ask], Response], ask: Ask) -> Callable[[], Response]:
    def view() -> Response:
        RequestBody.of(request)
        return answer(ask)

    return view


def _add_told(blueprint: Blueprint, answer: Callable[[Ask], Response]) -> None:
    @blueprint.post("/api/v1/calibration/place")
    def place() -> Response:
        body = RequestBody.of(request, "tray", "aside")
        tray = body.points("tray", N_CORNERS)
        aside = body.points("aside", N_CORNERS) if "aside" in body else None
        return answer(lambda c: c.place(tray, aside))

    @blueprint.post("/api/v1/calibration/listen")
    def listen() -> Response:
        to = _one_of(RequestBody.of(request, "to").text("to"), "to", LISTENS)
        return answer(lambda c: c.listen(to))

    @blueprint.post("/api/v1/calibration/show")
    def show() -> Response:
        colour = _one_of(RequestBody.of(request, "colour").text("colour"), "colour", ("", *COLOURS))
        return answer(lambda c: c.show(colour))

    @blueprint.post("/api/v1/calibration/lamp")
    def lamp() -> Response:
        body = RequestBody.of(request, "colour", "seen")
        colour = _one_of(body.text("colour"), "colour", COLOURS)
        seen = body.boolean("seen")
        return answer(lambda c: c.lamp(colour, seen=seen))


def _one_of(value: Any, name: str, known: tuple[str, ...]) -> str:
    if value not in known:
        words = ", ".join(word or '""' for word in known)
        raise HttpProblem(400, f"{name}: one of {words}, not {str(value)[:40]!r}")
    return str(value)
