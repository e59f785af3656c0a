"""The sections of the live pages, rendered once for each version of the table and each language.

A section is a template `_NAME.html`. Its digest tells a phone whether the section has changed.
"""

from hashlib import blake2s

from flask import Flask
from flask_babel import force_locale
from jinja2 import Environment

from game.match.match import Match
from game.match.timeline import TimelineRow, timeline_rows
from game.message import FarkleReport, Message, Translate
from web.contracts.table import Snapshot
from web.i18n.languages import LANGUAGES, language
from web.i18n.translate import translate
from web.state.json_schema import StateJson
from web.state.state_json import state_json
from web.stream import format_event
from web.version_cache import VersionCache

SECTIONS = (
    "scores",
    "scorekeeper",
    "lamp",
    "turn",
    "moment",
    "result",
    "message",
    "steps",
    "advice",
    "fit",
    "other_tray",
    "question",
    "throw",
    "keeps",
    "coach",
    "tip",
    "enter",
    "dice",
    "rolloff",
    "setup",
    "shaker",
    "dock",
    "does",
    "players",
    "turns",
    "join",
)

TV = ("tv",)
"""The section of the television board, which has no controls."""

OVERLAY = ("overlay",)
"""The section of the page for video streams, which has no controls."""

STORY = ("scorekeeper", "message", "question", "story")
"""The sections of the page of turns, including answers to corrections made there."""

MAX_STATUS_CHARACTERS = 40
"""Number of characters that fit next to two buttons on a screen that is 360 CSS pixels wide."""


class Sections:
    """The sections of a live page in one language.

    Args:
        app: The application that has the templates.
        names: The sections in their order.
        language: Code of the language.
    """

    def __init__(self, app: Flask, names: tuple[str, ...] = SECTIONS, language: str = "en") -> None:
        self._app, self._names, self._language = app, names, language
        self.sections = VersionCache(self._sections)
        self.event = VersionCache(self._event)

    def html(self, snapshot: Snapshot) -> str:
        """Return all sections, one after the other, for a phone that replaces the changed ones."""
        return "\n".join(self.sections(snapshot).values())

    def _event(self, snapshot: Snapshot) -> str:
        return format_event("board", self.html(snapshot))

    def _sections(self, snapshot: Snapshot) -> dict[str, str]:
        match = snapshot.match
        with self._app.app_context(), force_locale(self._language):
            state = state_json(snapshot, translate)
            line = status_line(snapshot.message, translate, _farkle(state))
            log = snapshot.just_dice
            troubles = [translate(trouble.sentences[0]) for trouble in snapshot.troubles]
            return {
                name: render_section(
                    self._app.jinja_env,
                    name,
                    f"_{name}.html",
                    state=state,
                    line=line,
                    troubles=troubles,
                    match=match,
                    fair=None if log is None else log.fairness,
                    entries=_entries(name, match),
                )
                for name in self._names
            }


def render_section(templates: Environment, name: str, template: str, **values: object) -> str:
    """Return a section of a live page with its digest.

    Args:
        templates: The templates.
        name: Name of the section.
        template: Name of the template of its content.
        values: The values of that template.
    """
    inner = templates.get_template(template).render(**values).strip()
    digest = blake2s(inner.encode(), digest_size=6).hexdigest()
    section = templates.get_template("_section.html")
    return section.render(name=name, digest=digest, inner=inner).strip()


def _entries(name: str, match: Match | None) -> list[TimelineRow]:
    """Return the timeline for the section that shows it; other sections skip the costly replay of the match."""
    return timeline_rows(match) if match and name == "story" else []


def _farkle(state: StateJson) -> str:
    """Return the points that the farkle at the end of a turn has just cost, as a phrase, or an empty string."""
    found = state["highlight"]
    return found["words"] if found and found["kind"] == "farkle" else ""


def status_line(message: Message, say: Translate, farkle: str = "") -> str:
    """Return a message shortened to one line.

    If the whole message is too long and reports a farkle, return its sentence about the farkle or, if
    that is too long as well, `farkle`. Otherwise, return the longest of its sentences that fits or, if
    none fits, the shortest.

    Args:
        message: The message.
        say: Turns a message into text.
        farkle: What a farkle cost, in a few words. Empty if no farkle has just ended a turn.
    """
    text = say(message)
    if len(text) <= MAX_STATUS_CHARACTERS:
        return text
    reports = [say(each) for each in message.sentences if isinstance(each, FarkleReport)]
    if farkle and reports:
        return reports[0] if len(reports[0]) <= MAX_STATUS_CHARACTERS else farkle
    sentences = [say(sentence) for sentence in message.sentences]
    fitting = [sentence for sentence in sentences if len(sentence) <= MAX_STATUS_CHARACTERS]
    return max(fitting, key=len) if fitting else min(sentences, key=len)


class SectionsByLanguage:
    """The sections of a live page in every language, rendered only when somebody reads them.

    Args:
        app: The application that has the templates.
        names: The sections in their order.
    """

    def __init__(self, app: Flask, names: tuple[str, ...] = SECTIONS) -> None:
        self._boards = {language: Sections(app, names, language) for language in LANGUAGES}

    def current(self) -> Sections:
        """Return the sections in the language of the request."""
        return self._boards[language()]
