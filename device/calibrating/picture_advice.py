"""Messages about the checks on a frame, and about corners that a person has dragged."""

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
    OutlineFault.OUTSIDE: Message("a corner is outside the picture: drag it back in"),
    OutlineFault.CROSSED: Message("the corners are in the wrong order: drag them back"),
    OutlineFault.TOO_CLOSE: Message("the corners are too close together: drag them apart"),
}

_ADVICE = {
    PictureFinding.CUT_OFF: Message(
        "Mount the camera higher, or move the tray to the middle of the picture."
    ),
    PictureFinding.FAR_AWAY: Message("Mount the camera lower, or use a lens with a narrower view."),
    PictureFinding.FROM_THE_SIDE: Message(
        "Move it over the middle of the tray so that it looks straight down."
    ),
    PictureFinding.TIGHT: Message(
        "With the camera a little higher, a nudge would not push the tray out of the picture."
    ),
    PictureFinding.DARK: Message(
        "Add light from the side, ideally from two lamps on the left and right."
    ),
    PictureFinding.TOO_BRIGHT: Message(
        "Dim the lamp or move it away, then let the camera adjust its exposure again."
    ),
    PictureFinding.UNEVEN: Message(
        "Move the lamp farther away, or add a second one on the other side."
    ),
    PictureFinding.MIRRORED: Message(
        "Move the lamp to the side, or put paper in front of it. Matt felt does not reflect."
    ),
    PictureFinding.BARE: Message("Put the dice in the tray."),
    PictureFinding.SOFT: Message(
        "Wipe the lens and let the camera focus again. If the lens has a focus ring, turn it."
    ),
}


def advice(check: PictureCheck) -> Message | None:
    """Return advice about the problem that a check has found; None if there is no problem."""
    return _ADVICE.get(check.finding)


def verdict(check: PictureCheck) -> Message:
    """Return the result of a check as a message of one sentence."""
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
                "The tray is too far away: it fills %(share)s of the picture, and a die is "
                "only %(n)s px wide.",
                share=Percentage(check.share),
                n=die_px,
            )
        case PictureFinding.FROM_THE_SIDE:
            return Message("The camera looks at the tray from the side.")
        case PictureFinding.TIGHT:
            return Message(
                "The whole tray is visible, but there is no margin at the %(sides)s.",
                sides=_sides(check),
            )
    return Message("The whole tray is visible; a die is about %(n)s px wide.", n=die_px)


def _light(check: PictureCheck) -> Message:
    share = Percentage(check.share)
    match check.finding:
        case PictureFinding.DARK:
            return Message(
                "It is too dark: the tray reaches only %(share)s of full brightness.", share=share
            )
        case PictureFinding.TOO_BRIGHT:
            return Message("It is too bright: %(share)s of the tray is overexposed.", share=share)
        case PictureFinding.UNEVEN:
            return Message(
                "The light is uneven: one part of the tray gets %(n)s times as much as another.",
                n=round(check.ratio),
            )
    return Message("The light is good.")


def _glare(check: PictureCheck) -> Message:
    if check.finding is PictureFinding.MIRRORED:
        share = Percentage(check.share, 1)
        return Message("A lamp is reflected in %(share)s of the tray.", share=share)
    return Message("There are no reflections.")


def _focus(check: PictureCheck) -> Message:
    share = Percentage(check.share)
    match check.finding:
        case PictureFinding.BARE:
            return Message("There is nothing in the tray to focus on.")
        case PictureFinding.SOFT:
            return Message(
                "The picture is blurred: edges are %(share)s of a die wide.", share=share
            )
    return Message("The picture is sharp: edges are only %(share)s of a die wide.", share=share)


def _sides(check: PictureCheck) -> Value:
    return join_with_and([_SIDES[side] for side in check.sides])


def describe_fault(found: OutlineFault) -> Message:
    """Return a message saying why four corners do not form a valid outline, and what to do."""
    return _FAULTS[found]
