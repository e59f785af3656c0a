"""The calibration page, and its part of the HTTP API."""

from collections.abc import Callable

from flask import Blueprint, Response, g, make_response, render_template

from game.message import Message
from web.contracts.calibration import (
    Calibration,
    CalibrationState,
    CalibrationStep,
    Points,
    calibration_json,
)
from web.contracts.table import Table
from web.fields import Corners, OneOf, Optional, Yes
from web.i18n.translate import translate
from web.problem import HttpProblem
from web.response import json_response
from web.route import Routes, Who

LISTENS = ("", "button", "learn", "test")
COLOURS = ("red", "green", "blue")

STEPS = {
    CalibrationStep.FIND: "Look for the tray",
    CalibrationStep.PROPOSE: "Propose a set-aside zone",
    CalibrationStep.CHECK: "How good a new picture is",
    CalibrationStep.FOCUS: "Find focus and exposure again",
    CalibrationStep.THROW: "Throw all simulated dice",
    CalibrationStep.LEARN: "Look at the dice of one throw",
    CalibrationStep.FORGET: "Learn again",
    CalibrationStep.TEST: "Read one throw of the self-test",
    CalibrationStep.RETEST: "Test again",
    CalibrationStep.SAVE: "Write the profile",
    CalibrationStep.DISCARD: "Back to what is saved",
}

Ask = Callable[[Calibration], CalibrationState]


def create_calibration_page(table: Table, calibration: Calibration | None) -> Blueprint:
    """The page; without a calibration it is refused."""
    blueprint = Blueprint("calibration", __name__)

    @blueprint.get("/calibrate")
    def page() -> Response:
        state = _there(calibration).state()
        html = render_template("calibrate.html", state=state, join_url=table.snapshot().join_url)
        response = make_response(html)
        response.headers["Cache-Control"] = "no-store"
        return response

    return blueprint


def create_calibration(calibration: Calibration | None) -> Routes:
    """The routes of /api/v1/calibration; without a calibration all are refused."""
    routes = Routes("calibrating", "/api/v1/calibration")

    def answer(ask: Ask) -> Response:
        return json_response(calibration_json(ask(_there(calibration)), translate))

    @routes.reads("", "Where the calibration stands", refused=(409,))
    def state() -> Response:
        if g.is_scorekeeper:  # whoever else looks keeps button and lamp from no match
            _there(calibration).keep_alive()
        return answer(lambda c: c.state())

    @routes.reads(
        "/picture.jpg", "All that the camera sees now, for the holder",
        kind="image/jpeg", who=Who.HOLDER, refused=(403, 404, 409),
    )  # fmt: skip
    def picture() -> Response:
        jpeg = _there(calibration).picture()
        if jpeg is None:
            raise HttpProblem(
                404, Message("there is no camera now: it is tried again every few seconds")
            )
        return Response(jpeg, headers={"Cache-Control": "no-store"}, mimetype="image/jpeg")

    for step, summary in STEPS.items():
        routes.does(f"/{step}", summary)(_step(answer, step))
    _add_told(routes, answer)
    return routes


def _there(calibration: Calibration | None) -> Calibration:
    if calibration is None:
        raise HttpProblem(
            409, Message("this table cannot be calibrated: it has no camera of its own")
        )
    return calibration


def _step(answer: Callable[[Ask], Response], step: CalibrationStep) -> Callable[[], Response]:
    def view() -> Response:
        return answer(lambda c: c.do(step))

    view.__name__ = str(step)
    return view


def _add_told(routes: Routes, answer: Callable[[Ask], Response]) -> None:
    @routes.does("/place", "The corners", {"tray": Corners(), "aside": Optional(Corners())})
    def place(tray: Points, aside: Points | None) -> Response:
        return answer(lambda c: c.set_corners(tray, aside))

    @routes.does("/listen", "What presses are for", {"to": OneOf(LISTENS)})
    def listen(to: str) -> Response:
        return answer(lambda c: c.set_button_use(to))

    @routes.does("/show", "Show a colour", {"colour": OneOf(("", *COLOURS))})
    def show(colour: str) -> Response:
        return answer(lambda c: c.show_colour(colour))

    @routes.does("/lamp", "What a person saw", {"colour": OneOf(COLOURS), "seen": Yes()})
    def lamp(colour: str, seen: bool) -> Response:  # noqa: FBT001 - a field of the body
        return answer(lambda c: c.confirm_colour(colour, seen=seen))
