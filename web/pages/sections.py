"""The board as HTML: sections that phones swap one by one, rendered once for each version.

A section is `templates/_NAME.html`; its digest tells a phone whether it shows it already.
"""

from hashlib import blake2s

from flask import Flask
from flask_babel import force_locale

from game.match.match import Match
from game.match.timeline import TimelineRow, timeline_rows
from web.contracts.table import Snapshot
from web.i18n.languages import LANGUAGES, language
from web.i18n.translate import translate
from web.pages.phone_summary import status_line
from web.state.state_json import state_json
from web.stream import format_event
from web.version_cache import VersionCache

SECTIONS = (
    "scores",
    "pencil",
    "lamp",
    "turn",
    "moment",
    "message",
    "steps",
    "advice",
    "fit",
    "question",
    "throw",
    "keeps",
    "coach",
    "tip",
    "enter",
    "dice",
    "rolloff",
    "setup",
    "dock",
    "players",
    "turns",
    "join",
)

TV = ("tv",)
"""The board for a screen that all look at: one section, no controls."""

STORY = ("pencil", "message", "question", "story")
"""The page of all turns: a correction there says what it did, or asks what else is true."""


class Sections:
    """Renders the sections of the board.

    Args:
        app: whose templates they are.
        names: the sections, in their order.
        language: in which they are written.
    """

    def __init__(self, app: Flask, names: tuple[str, ...] = SECTIONS, language: str = "en") -> None:
        self._app, self._names, self._language = app, names, language
        self.sections = VersionCache(self._sections)
        self.event = VersionCache(self._event)

    def html(self, snapshot: Snapshot) -> str:
        """All sections one after the other, for a phone that is to swap them."""
        return "\n".join(self.sections(snapshot).values())

    def _event(self, snapshot: Snapshot) -> str:
        return format_event("board", self.html(snapshot))

    def _sections(self, snapshot: Snapshot) -> dict[str, str]:
        match = snapshot.match
        with self._app.app_context(), force_locale(self._language):
            state = state_json(snapshot, translate)
            line = status_line(snapshot.message, translate)
            log = snapshot.just_dice
            troubles = [translate(trouble.sentences[0]) for trouble in snapshot.troubles]
            return {
                name: self._section(
                    name,
                    state=state,
                    line=line,
                    troubles=troubles,
                    match=match,
                    fair=None if log is None else log.fairness,
                    entries=_entries(name, match),
                )
                for name in self._names
            }

    def _section(self, name: str, **shown: object) -> str:
        inner = self._render(f"_{name}.html", **shown)
        digest = blake2s(inner.encode(), digest_size=6).hexdigest()
        return self._render("_section.html", name=name, digest=digest, inner=inner)

    def _render(self, template: str, **values: object) -> str:
        return self._app.jinja_env.get_template(template).render(**values).strip()


def _entries(name: str, match: Match | None) -> list[TimelineRow]:
    """Told only where they are shown: that goes through the whole match."""
    return timeline_rows(match) if match and name == "story" else []


class SectionsByLanguage:
    """The same sections in every language, each rendered only where somebody looks at it."""

    def __init__(self, app: Flask, names: tuple[str, ...] = SECTIONS) -> None:
        self._boards = {language: Sections(app, names, language) for language in LANGUAGES}

    def here(self) -> Sections:
        """The one for the phone that asks."""
        return self._boards[language()]
