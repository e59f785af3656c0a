"""A voice that speaks the messages on the page, using espeak-ng and any loudspeaker.

The voice never delays the match: espeak-ng runs in its own process, and a new message interrupts the previous one.
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

MISSING = Message("there is no voice, because espeak-ng is missing: sudo apt install espeak-ng")

_SILENT = (
    Indicator.STARTING,
    Indicator.WAITING,
    Indicator.BANK,
    Indicator.UNDO,
    Indicator.SHUT_DOWN,
)
"""States that are not announced, because they last only a moment."""

MAX_SPEECH_S = 30.0
"""Longest time for one message, in seconds. Only a sound card that hangs takes longer."""


def spoken_text(message: Message, advice: tuple[Message, ...] = ()) -> str:
    """Join a message and its advice without repeating a sentence.

    Args:
        message: The message on the page.
        advice: The advice below it.

    >>> cocked, again = Message("A die is cocked."), Message("Throw it again.")
    >>> spoken_text(cocked, (cocked, again))
    'A die is cocked. Throw it again.'
    """
    return " ".join(map(str, dict.fromkeys((message, *advice))))


def without_separators(words: str) -> str:
    """Remove thousands separators, so that espeak-ng does not read one number as two.

    >>> without_separators("Anna banks 1,000, and throws.")
    'Anna banks 1000, and throws.'
    """
    return re.sub(r"(?<=\d),(?=\d{3})", "", words)


class VoiceMissingError(TraykeeperError, FileNotFoundError):
    """Raised when espeak-ng is not installed. The message names the package to install."""


class Voice:
    """An output that speaks the latest message.

    Args:
        language: Name of one of espeak-ng's voices.
        to_file: File that the sound is written to, for tests; None plays it.

    Raises:
        VoiceMissingError: If espeak-ng is not installed.
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
        """Implement `Output.show`. A message that is the same as the last one is not repeated."""
        if indicator in _SILENT or words in ("", self._last):
            return
        with self._changed:
            self._last = self._next = words
            self._interrupt()
            self._changed.notify()

    def close(self) -> None:
        """Implement `Output.close`."""
        with self._changed:
            self._closed = True
            self._interrupt()
            self._changed.notify()
        self._thread.join(1)

    def _interrupt(self) -> None:
        if self._speaking:
            self._speaking.terminate()

    def _run(self) -> None:
        while (words := self._wait()) is not None:
            try:
                self._speak(words)
            except OSError:
                log.exception("the voice failed")

    def _wait(self) -> str | None:
        """Wait for the next message to speak; return None once the voice is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._next is not None)
            words, self._next = self._next, None
            return None if self._closed else words

    def _speak(self, words: str) -> None:
        with self._changed:
            if self._next is not None or self._closed:
                return  # newer words have arrived
            self._speaking = subprocess.Popen(  # noqa: S603 - the words are passed on stdin
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        try:
            self._speaking.communicate(without_separators(words), timeout=MAX_SPEECH_S)
        except subprocess.TimeoutExpired:
            self._speaking.kill()
            self._speaking.wait()
        finally:
            with self._changed:
                self._speaking = None
