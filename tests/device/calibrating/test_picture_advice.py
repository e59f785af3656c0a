"""The messages about the checks on a frame, and about corners."""

import pytest

from calibration.outline import OutlineFault
from calibration.picture_checks import CheckName, PictureCheck, PictureFinding, PictureSide
from device.calibrating.wizard import advice, describe_fault, verdict

FOUND = {
    CheckName.FRAMING: (
        PictureFinding.WHOLE, PictureFinding.TIGHT, PictureFinding.CUT_OFF, PictureFinding.FAR_AWAY, PictureFinding.FROM_THE_SIDE,
    ),
    CheckName.LIGHT: (PictureFinding.WELL_LIT, PictureFinding.DARK, PictureFinding.TOO_BRIGHT, PictureFinding.UNEVEN),
    CheckName.GLARE: (PictureFinding.MATT, PictureFinding.MIRRORED),
    CheckName.FOCUS: (PictureFinding.SHARP, PictureFinding.SOFT, PictureFinding.BARE),
}  # fmt: skip
GOOD = (
    PictureFinding.WHOLE,
    PictureFinding.TIGHT,
    PictureFinding.WELL_LIT,
    PictureFinding.MATT,
    PictureFinding.SHARP,
)


def checks():
    """One check for each finding."""
    sides = (PictureSide.LEFT, PictureSide.TOP)
    return [
        PictureCheck(name, finding in GOOD, finding, sides, 0.125, 7.3, 31.4)
        for name, found in FOUND.items()
        for finding in found
    ]


def test_each_finding_has_its_own_sentence_and_each_failed_check_has_advice():
    sentences = [str(verdict(check)) for check in checks()]

    assert {check.finding for check in checks()} == set(PictureFinding)
    assert len(set(sentences)) == len(PictureFinding)
    assert all(line.endswith(".") for line in sentences)
    assert all(advice(check) for check in checks() if not check.ok)


@pytest.mark.parametrize(
    ("name", "finding", "sentences"),
    [
        (CheckName.FRAMING, PictureFinding.CUT_OFF, "The tray is cut off at the left and top."),
        (CheckName.GLARE, PictureFinding.MIRRORED, "A lamp is reflected in 12.5% of the tray."),
        (
            CheckName.LIGHT,
            PictureFinding.UNEVEN,
            "one part of the tray gets 7 times as much as another.",
        ),
    ],
)
def test_numbers_are_rounded_for_people(name, finding, sentences):
    found = next(check for check in checks() if (check.name, check.finding) == (name, finding))

    assert str(verdict(found)).endswith(sentences)


@pytest.mark.parametrize("found", OutlineFault)
def test_each_fault_of_corners_names_its_remedy(found):
    assert str(describe_fault(found)).partition(": ")[2].startswith("drag")
