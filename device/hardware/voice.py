"""A voice that says what the page shows, through espeak-ng on any speaker.

It never delays the match: it speaks in a process of its own, and the newest words cut off the
older ones.
"""

import logging
import re
import shutil
import subprocess
from pathlib import Path
from threading import Condition, Thread

from device.session.indicator import Indicator
from game.errors import TraykeeperError
from game.message import Message

log = logging.getLogger(__name__)

MISSING = Message("no voice: espeak-ng is missing: sudo apt install espeak-ng")

_NEVER_SAID = (
    Indicator.STARTING,
    Indicator.WAITING,
    Indicator.BANK,
    Indicator.UNDO,
    Indicator.SHUT_DOWN,
)
"""What passes in a moment."""

LONGEST_S = 30.0
"""No sentence takes so long: a sound card that hangs does."""


def spoken_text(message: Message, advice: tuple[Message, ...] = ()) -> str:
    """What is said of a message and of advice; no sentence twice.

    >>> cocked, again = Message("A die is cocked."), Message("Throw it again.")
    >>> spoken_text(cocked, (cocked, again))
    'A die is cocked. Throw it again.'
    """
    return " ".join(map(str, dict.fromkeys((message, *advice))))


def spoken(words: str) -> str:
    """The same for the ear: a thousand is one number.

    >>> spoken("Anna banks 1,000, and throws.")
    'Anna banks 1000, and throws.'
    """
    return re.sub(r"(?<=\d),(?=\d{3})", "", words)


class VoiceMissingError(TraykeeperError, FileNotFoundError):
    """There is no program that speaks; the message names the package."""


class Voice:
    """Speaks the newest words.

    Args:
        language: a voice of espeak-ng.
        to_file: write the sound there instead of playing it; for tests.

    Raises:
        VoiceMissingError: espeak-ng is not installed.
    """

    def __init__(self, language: str = "en", *, to_file: Path | None = None) -> None:
        program = shutil.which("espeak-ng")
        if program is None:
            raise VoiceMissingError(MISSING)
        self._command = [program, "-v", language]
        if to_file:
            self._command += ["-w", str(to_file)]
        self._changed = Condition()
        self._next: str | None = None
        self._last = ""
        self._closed = False
        self._speaking: subprocess.Popen[str] | None = None
        self._thread = Thread(target=self._run, name="voice", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<Voice {self._last!r}>"

    def show(self, indicator: Indicator, words: str, *, banked: bool = False) -> None:  # noqa: ARG002
        """Say these words, unless they were said last; returns at once."""
        if indicator in _NEVER_SAID or words in ("", self._last):
            return
        with self._changed:
            self._last = self._next = words
            self._hush()
            self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._hush()
            self._changed.notify()
        self._thread.join(1)

    def _hush(self) -> None:
        if self._speaking:
            self._speaking.terminate()

    def _run(self) -> None:
        while (words := self._wait()) is not None:
            try:
                self._say(words)
            except OSError:
                log.exception("the voice fails")

    def _wait(self) -> str | None:
        """The next words; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._next is not None)
            words, self._next = self._next, None
            return None if self._closed else words

    def _say(self, words: str) -> None:
        with self._changed:
            if self._next is not None or self._closed:
                return  # newer words came meanwhile
            self._speaking = subprocess.Popen(  # noqa: S603 - the words go in by stdin
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        try:
            self._speaking.communicate(spoken(words), timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            self._speaking.kill()
            self._speaking.wait()
        finally:
            with self._changed:
                self._speaking = None
