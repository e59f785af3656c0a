"""What people read about the checks of a frame, and about corners that they dragged."""

from calibration.outline import OutlineFault
from calibration.picture_checks import CheckName, PictureCheck, PictureFinding, PictureSide
from game.message import Message, Percentage, Value, join_with_and

_SIDES = {
    PictureSide.LEFT: Message("left"),
    PictureSide.RIGHT: Message("right"),
    PictureSide.TOP: Message("top"),
    PictureSide.BOTTOM: Message("bottom"),
}

_FAULTS = {
    OutlineFault.OUTSIDE: Message("a corner lies outside the picture: drag it back in"),
    OutlineFault.CROSSED: Message("the corners cross each other: drag them back into order"),
    OutlineFault.TOO_CLOSE: Message("the corners lie too close together: drag them apart"),
}

_ADVICE = {
    PictureFinding.CUT_OFF: Message(
        "Hang the camera higher, or move the tray to the middle of the picture."
    ),
    PictureFinding.FAR_AWAY: Message(
        "Hang the camera lower, or take a lens that sees less around the tray."
    ),
    PictureFinding.FROM_THE_SIDE: Message(
        "Move it over the middle of the tray, looking straight down."
    ),
    PictureFinding.TIGHT: Message(
        "With the camera a little higher, the tray may be nudged without being cut off."
    ),
    PictureFinding.DARK: Message("Add light from the side, best two lamps left and right."),
    PictureFinding.TOO_BRIGHT: Message(
        "Dim the lamp or move it away, then let the camera find its exposure again."
    ),
    PictureFinding.UNEVEN: Message("Put the lamp farther away, or a second one on the other side."),
    PictureFinding.MIRRORED: Message(
        "Move the lamp to the side, or put paper in front of it; matt felt mirrors nothing."
    ),
    PictureFinding.BARE: Message("Put the dice in it."),
    PictureFinding.SOFT: Message(
        "Wipe the lens and let the camera focus again; turn the ring of a lens that has one."
    ),
}


def advice(check: PictureCheck) -> Message | None:
    """Return what to do about a check; None if nothing is wrong."""
    return _ADVICE.get(check.finding)


def verdict(check: PictureCheck) -> Message:
    """Return what a check found, in one sentence."""
    match check.name:
        case CheckName.FRAMING:
            return _framing(check)
        case CheckName.LIGHT:
            return _light(check)
        case CheckName.GLARE:
            return _glare(check)
        case CheckName.FOCUS:
            return _focus(check)


def _framing(check: PictureCheck) -> Message:
    die_px = round(check.die_px)
    match check.finding:
        case PictureFinding.CUT_OFF:
            return Message("The tray is cut off at the %(sides)s.", sides=_sides(check))
        case PictureFinding.FAR_AWAY:
            return Message(
                "The tray is far away: it fills %(share)s of the picture, a die is %(n)s px.",
                share=Percentage(check.share),
                n=die_px,
            )
        case PictureFinding.FROM_THE_SIDE:
            return Message("The camera looks at the tray from the side.")
        case PictureFinding.TIGHT:
            return Message(
                "The tray is all in view, with no room at the %(sides)s.", sides=_sides(check)
            )
    return Message("The tray is all in view; a die is about %(n)s px.", n=die_px)


def _light(check: PictureCheck) -> Message:
    share = Percentage(check.share)
    match check.finding:
        case PictureFinding.DARK:
            return Message(
                "It is dark: the tray reaches %(share)s of full brightness.", share=share
            )
        case PictureFinding.TOO_BRIGHT:
            return Message(
                "It is too bright: %(share)s of the tray is at full brightness.", share=share
            )
        case PictureFinding.UNEVEN:
            return Message(
                "The light is uneven: one end of the tray gets %(n)s times that of another.",
                n=round(check.ratio),
            )
    return Message("The light is good.")


def _glare(check: PictureCheck) -> Message:
    if check.finding is PictureFinding.MIRRORED:
        share = Percentage(check.share, 1)
        return Message("A lamp is mirrored in %(share)s of the tray.", share=share)
    return Message("Nothing is mirrored.")


def _focus(check: PictureCheck) -> Message:
    share = Percentage(check.share)
    match check.finding:
        case PictureFinding.BARE:
            return Message("There is nothing in the tray to focus on.")
        case PictureFinding.SOFT:
            return Message(
                "The picture is soft: edges are blurred over %(share)s of a die.", share=share
            )
    return Message("The picture is sharp: edges are blurred over %(share)s of a die.", share=share)


def _sides(check: PictureCheck) -> Value:
    return join_with_and([_SIDES[side] for side in check.sides])


def describe_fault(found: OutlineFault) -> Message:
    """Return why four corners make no outline, and what to do."""
    return _FAULTS[found]
