"""Messages are data objects that are translated where they are shown."""

import pickle
from dataclasses import FrozenInstanceError

import pytest

from game.errors import GameError, IllegalMove, LaterStepError, TraykeeperError, reason
from game.message import (
    Message,
    Paragraph,
    Percentage,
    Plural,
    Sentence,
    Verbatim,
    join_with_and,
    join_with_or,
)
from game.names import default_name, display_name

WORDS = {
    "%(name)s banks %(points)s": "von %(name)s geschrieben: %(points)s",
    "one point": "ein Punkt",
    "%(n)s points": "%(n)s Punkte",
    "%(share)s of %(size)s MB": "%(share)s von %(size)s MB",
}


class German:
    """The few German texts that these tests need."""

    def template(self, english):
        return WORDS[english]

    def plural(self, one, many, n):
        return WORDS[one if n == 1 else many]

    def whole(self, number):
        return f"{number:,}".replace(",", ".")

    def decimal(self, number):
        return f"{number:.1f}".replace(".", ",")

    def percent(self, share):
        return f"{100 * share.value:.{share.digits}f} %"


@pytest.mark.parametrize(
    ("message", "english"),
    [
        (Message("%(name)s banks %(points)s.", name="Anna", points=1250), "Anna banks 1,250."),
        (Message("%(dice)s lie there", dice=(1, 1, 5)), "1 1 5 lie there"),
        (Message("%(size)s MB", size=3.14), "3.1 MB"),
        (Message("%(share)s of a die", share=Percentage(0.123)), "12% of a die"),
        (Message("%(share)s of it", share=Percentage(0.00123, 1)), "0.1% of it"),
        (Message("print it at 100 %%"), "print it at 100 %"),
        (Message("%(name)s throws.", name="%(x)s {y} 100%"), "%(x)s {y} 100% throws."),
        (Message("Going on: %(what)s", what=Message("%(n)s left", n=2)), "Going on: 2 left"),
        (Plural("one step", "%(n)s steps", n=1), "one step"),
        (Plural("one step", "%(n)s steps", n=0), "0 steps"),
        (Plural("one %(what)s", "%(n)s %(what)ss", n=1000, what="die"), "1,000 dies"),
        (Sentence(Message("throw first")), "Throw first."),
        (Sentence(Message("Are there dice?")), "Are there dice?"),
        (Paragraph(Message("A."), None, Paragraph(Message("B."), Message("C."))), "A. B. C."),
        (Verbatim("100% theirs"), "100% theirs"),
    ],
)
def test_english_text_follows_the_template(message, english):
    assert str(message) == english


def test_every_part_of_a_message_is_translated():
    points = Plural("one point", "%(n)s points", n=1250)
    whole = Paragraph(
        Sentence(Message("%(name)s banks %(points)s", name="Anna", points=points)),
        Message("%(share)s of %(size)s MB", size=2.5, share=Percentage(0.5)),
        Verbatim("one point"),
    )

    assert whole.translate(German()) == (
        "Von Anna geschrieben: 1.250 Punkte. 50 % von 2,5 MB one point"
    )


def test_messages_with_equal_content_are_equal():
    one, other = (Message("%(name)s throws.", name="Anna") for _ in range(2))

    assert one == other
    assert len({one, other, Message("%(name)s throws.", name="Ben")}) == 2
    assert Message("one step", n=1) != Plural("one step", "%(n)s steps", n=1)


def test_a_message_is_immutable():
    with pytest.raises(FrozenInstanceError):
        Message("Undone.").template = "Redone."


def test_a_paragraph_lists_its_sentences():
    first, second = Message("A."), Message("B.")

    assert Paragraph(first, second).sentences == (first, second)
    assert first.sentences == (first,)


@pytest.mark.parametrize(
    ("listed", "english"),
    [
        (join_with_and(["Anna"]), "Anna"),
        (join_with_and(["Anna", "Ben", "Cleo"]), "Anna, Ben and Cleo"),
        (join_with_or([5, 6]), "5 or 6"),
    ],
)
def test_values_are_joined(listed, english):
    assert str(listed) == english


def test_a_default_name_is_translated():
    assert display_name(default_name(2)) == Message("Player %(n)s", n=3)
    assert display_name("Anna") == "Anna"
    assert display_name("Player of the year") == "Player of the year"


def test_an_error_has_its_message_and_english_text():
    error = IllegalMove(Message("throw first: it is %(name)s's turn", name="Ben"))

    assert str(error) == "throw first: it is Ben's turn"
    assert error.message.values == (("name", "Ben"),)
    assert isinstance(error, TraykeeperError)
    assert isinstance(error, ValueError)


def test_an_error_can_be_pickled():
    error = pickle.loads(pickle.dumps(GameError(Message("%(n)s is odd", n=3))))  # noqa: S301

    assert error.message == Message("%(n)s is odd", n=3)


def test_a_later_step_error_names_the_step_and_the_reason():
    error = LaterStepError(Message("Anna's throw"), Message("it is too late"))

    assert str(error) == "Anna's throw would no longer be possible: it is too late"


def test_the_reason_of_an_error_stays_a_message_if_it_has_one():
    message = Message("there is no match")

    assert reason(GameError(message)) == message
    assert reason(OSError("two\n lines")) == Verbatim("two lines")
    assert len(str(reason(OSError("x" * 2000)))) == 200
