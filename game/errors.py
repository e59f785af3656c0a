"""The errors of the game. Every message says what is wrong and what to do about it.

TraykeeperError is the root of all errors that are shown to people, in every package.

GameError (ValueError)
├── FileError             a file cannot be read as text
├── RulesetError          a rule set is not valid
├── ThrowError            impossible dice: a 7, too many, none
├── IllegalMove           the rules forbid the move at this point
│   └── LaterStepError    a change to an earlier step makes a later step impossible
├── NotationError         the text of a turn or a match cannot be read
├── JournalError          the journal cannot be read or written
│   ├── DamagedJournal    the journal no longer contains what was written to it
│   └── IllegalStepError  the rules do not allow a step in the journal
└── OddsError             chances or statistics cannot be calculated
"""

from typing import LiteralString

from game.message import Message, Value, Verbatim


class TraykeeperError(Exception):
    """An error that is shown to people.

        raise IllegalMove("seat %(seat)s does not exist", seat=3)

    Args:
        message: What went wrong, and what to do: the template of a message, or a message.
        values: The value of each placeholder of the template.

    Attributes:
        message: What went wrong, and what to do.
    """

    def __init__(self, message: Message | LiteralString, /, **values: Value) -> None:
        self.message = Message(message, **values) if isinstance(message, str) else message
        super().__init__(self.message)


class GameError(TraykeeperError, ValueError):
    """The root of all errors that the package `game` raises."""


class FileError(GameError):
    """A file that cannot be read as text."""


class RulesetError(GameError):
    """A rule set that is not valid. The message names the file, the key and the allowed values."""


class ThrowError(GameError):
    """A throw with an impossible face, or with more dice than the rules use."""


class IllegalMove(GameError):  # noqa: N818 - the name says that it is an error
    """A move that the rules forbid at this point."""


class LaterStepError(IllegalMove):
    """A change to an earlier step that makes a later step, named in the message, impossible."""

    def __init__(self, step: Message, why: Message) -> None:
        super().__init__(
            Message("%(step)s would no longer be possible: %(why)s", step=step, why=why)
        )


class NotationError(GameError):
    """The text of a turn or a match that cannot be read. The message names the line."""


class JournalError(GameError):
    """A journal that cannot be read or written."""


class DamagedJournal(JournalError):  # noqa: N818 - the name says that it is an error
    """A journal that no longer contains what was written to it. A backup has to be restored."""


class IllegalStepError(JournalError):
    """A match in the journal with a step that the rules of this version do not allow. The message names the match."""


class OddsError(GameError):
    """Chances or statistics that cannot be calculated for these rules, this match or this question."""


_LONGEST_REASON = 200


def reason(error: Exception) -> Message:
    """Return the message of an error, for use inside another message.

    The text of an error from a library is shortened and put on one line.
    """
    if isinstance(error, TraykeeperError):
        return error.message
    return Verbatim(" ".join(str(error).split())[:_LONGEST_REASON])


_LONGEST = 60


def quoted(found: object) -> str:
    """Return the `repr` of a value for a message, shortened to fit on one line."""
    text = repr(found)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…{text[-1]}"
