"""The calibration page and its API."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, g, render_template

from game.message import Message
from web.contracts import Calibration, CalibrationState, CalibrationStep, Points, Table
from web.fields import boolean, corners, one_of, optional
from web.i18n import translate
from web.response import fresh, image_response, json_response, required
from web.route import Permission, Routes
from web.state_json import plain

BUTTON_USES = ("", "button", "learn", "test")
COLOURS = ("red", "green", "blue")

STEPS = {
    CalibrationStep.FIND: "Look for the tray",
    CalibrationStep.PROPOSE: "Propose a set-aside area",
    CalibrationStep.CHECK: "Check the quality of a new image",
    CalibrationStep.FOCUS: "Set focus and exposure again",
    CalibrationStep.THROW: "Throw all simulated dice",
    CalibrationStep.LEARN: "Learn from the dice of one throw",
    CalibrationStep.FORGET: "Forget the dice, to learn them again",
    CalibrationStep.TEST: "Read one throw of the self-test",
    CalibrationStep.RETEST: "Start the self-test again",
    CalibrationStep.SAVE: "Save the profile",
    CalibrationStep.DISCARD: "Go back to the saved profile",
}

Call = Callable[[Calibration], CalibrationState]


def create_calibration_page(table: Table, calibration: Calibration | None) -> Blueprint:
    """Create the calibration page.

    Args:
        table: The companion.
        calibration: The calibration; if it is None, requests for the page are refused.
    """
    blueprint = Blueprint("calibration", __name__)

    @blueprint.get("/calibrate")
    def page() -> Response:
        state = _required(calibration).state()
        html = render_template("calibrate.html", state=state, join_url=table.snapshot().join_url)
        return fresh(html)

    return blueprint


def create_calibration(calibration: Calibration | None) -> Routes:
    """Create the routes under /api/v1/calibration. If `calibration` is None, every request is refused."""
    routes = Routes("calibrating", "/api/v1/calibration")

    def answer(call: Call) -> Response:
        return json_response(_state_json(call(_required(calibration))))

    @routes.read("", "The state of the calibration", errors=(409,), answers=CalibrationState)
    def state() -> Response:
        if g.is_scorekeeper:  # watchers must not take the button and the lamp from the match
            _required(calibration).keep_alive()
        return answer(lambda c: c.state())

    @routes.read(
        "/picture.jpg", "The whole image of the camera",
        media_type="image/jpeg", permission=Permission.SCOREKEEPER, errors=(403, 404, 409),
    )  # fmt: skip
    def picture() -> Response:
        missing = Message("no camera is connected: Traykeeper tries again every few seconds")
        return image_response(_required(calibration).picture(), missing)

    for step, summary in STEPS.items():
        routes.command(f"/{step}", summary, answers=CalibrationState)(_step_view(answer, step))
    _add_inputs(routes, answer)
    return routes


def _required(calibration: Calibration | None) -> Calibration:
    why = Message("there is nothing to calibrate: this Traykeeper has no camera of its own")
    return required(calibration, why, 409)


def _step_view(answer: Callable[[Call], Response], step: CalibrationStep) -> Callable[[], Response]:
    def view() -> Response:
        return answer(lambda c: c.do(step))

    view.__name__ = str(step)
    return view


def _add_inputs(routes: Routes, answer: Callable[[Call], Response]) -> None:
    areas = {"tray": corners(), "aside": optional(corners())}

    @routes.command(
        "/place",
        "Set the corners of the tray and the set-aside area",
        areas,
        answers=CalibrationState,
    )
    def place(tray: Points, aside: Points | None) -> Response:
        return answer(lambda c: c.set_corners(tray, aside))

    @routes.command(
        "/listen",
        "Set what a press of the button does",
        {"to": one_of(BUTTON_USES)},
        answers=CalibrationState,
    )
    def listen(to: str) -> Response:
        return answer(lambda c: c.set_button_use(to))

    @routes.command(
        "/show",
        "Show a colour on the lamp",
        {"colour": one_of(("", *COLOURS))},
        answers=CalibrationState,
    )
    def show(colour: str) -> Response:
        return answer(lambda c: c.show_colour(colour))

    report = {"colour": one_of(COLOURS), "seen": boolean()}

    @routes.command(
        "/lamp", "Report whether the lamp showed the colour", report, answers=CalibrationState
    )
    def lamp(colour: str, seen: bool) -> Response:  # noqa: FBT001 - a field of the body
        return answer(lambda c: c.confirm_colour(colour, seen=seen))


def _state_json(state: CalibrationState) -> dict[str, Any]:
    """Return the state as JSON, with messages in the phone's language; a missing message is ""."""
    found: dict[str, Any] = plain(state, translate)
    found["drift"] = found["drift"] or ""
    found["learning"]["words"] = found["learning"]["words"] or ""
    for check in found["checks"]:
        check["advice"] = check["advice"] or ""
    return found
