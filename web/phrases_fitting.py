"""What the calibration says, for the catalogues; the more particular ones first."""


def _(phrase: str) -> str:
    """Marks a phrase for the catalogues."""
    return phrase


PHRASES = (
    # The tray
    _("The tray was not looked for yet."),
    _("The tray was found: are the corners where floor and walls meet?"),
    _("Not sure where the tray is: drag the corners to where floor and walls meet."),
    _("The mat tells: %(size)s."),
    _("the floor is %(wide)s by %(deep)s mm"),
    _("Then take the mat out."),
    _("The corners are where you set them."),
    _("The corners are as they were saved."),
    _("Of %(what)s, %(why)s."),
    _("the tray"),
    _("the zone"),
    _("a corner lies outside the picture: drag it back in"),
    _("the corners cross each other: keep them in order around"),
    _("the corners lie too close together: drag them apart"),
    _(
        "There is no room beside the tray: hang the camera higher, or move the tray to one side of "
        "the picture."
    ),
    _("There is no camera now: it is tried again every few seconds."),
    # Framing
    _("The tray is cut off at the %(sides)s."),
    _("Hang the camera higher, or move the tray to the middle of the picture."),
    _("The tray is far away: it fills %(share)s of the picture, a die is %(n)s px."),
    _("Hang the camera lower, or take a lens that sees less around the tray."),
    _("The camera looks at the tray from the side."),
    _("Move it over the middle of the tray, looking straight down."),
    _("The tray is all in view, with no room at the %(sides)s."),
    _("A little more height would let it be nudged without being cut off."),
    _("The tray is all in view; a die is about %(n)s px."),
    _("left"),
    _("right"),
    _("top"),
    _("bottom"),
    # Light
    _("It is dark: the tray reaches %(share)s of full brightness."),
    _("Add light from the side, best two lamps left and right."),
    _("It is too bright: %(share)s of the tray is at full brightness."),
    _("Dim the lamp or move it away, then let the camera find its exposure again."),
    _("The light is uneven: one end of the tray gets %(n)s times that of another."),
    _("Put the lamp farther away, or a second one on the other side."),
    _("The light is good."),
    # Glare
    _("A lamp is mirrored in %(share)s of the tray."),
    _("Move the lamp to the side, or put paper in front of it; matt felt mirrors nothing."),
    _("Nothing is mirrored."),
    # Focus
    _("There is nothing in the tray to focus on."),
    _("Lay the dice in it."),
    _("The picture is soft: edges are blurred over %(share)s of a die."),
    _("Wipe the lens and let the camera focus again; turn the ring of a lens that has one."),
    _("The picture is sharp: edges are blurred over %(share)s of a die."),
    _("This camera cannot be set from here: turn the ring of its lens."),
    # Dice
    _("%(body)s dice with %(pips)s pips, %(n)s of them in a row as wide as the tray"),
    _("black"),
    _("white"),
    _("grey"),
    _("red"),
    _("orange"),
    _("yellow"),
    _("green"),
    _("blue"),
    _("These dice are real: throw them yourself."),
    _("No die was read for sure: throw again, and look at the checks."),
    _("The tray is not still: take your hand away, then read again."),
    _("The tray is empty: throw the dice, then read them."),
    _("the set has so many"),
    _("Read: %(dice)s."),
    # Saving
    _("The profile cannot be written (%(why)s): is the disk full, or read-only?"),
    # Two sides at once
    _("%(one)s and %(more)s"),
)
