"""The board as HTML: sections that phones swap one by one, rendered once for each version.

A section is `templates/_NAME.html`; its digest tells a phone whether it shows it already.
"""

from hashlib import blake2s

from jinja2 import Environment

from game.match import Match
from web.once import OncePerVersion
from web.shape import StateJson
from web.story import Entry, story
from web.stream import event_text
from web.table import Snapshot
from web.view import state_json

SECTIONS = (
    "pencil",
    "lamp",
    "turn",
    "message",
    "steps",
    "advice",
    "fit",
    "question",
    "throw",
    "keeps",
    "enter",
    "rolloff",
    "setup",
    "dock",
    "players",
    "turns",
    "join",
)

TV = ("tv",)
"""The board for a screen that all look at: one section, no controls."""

STORY = ("pencil", "story")
"""The page of all turns."""


class Board:
    """Renders the sections of the board.

    Args:
        templates: where they are.
        names: the sections, in their order.
    """

    def __init__(self, templates: Environment, names: tuple[str, ...] = SECTIONS) -> None:
        self._templates, self._names = templates, names
        self.sections = OncePerVersion(self._sections)
        self.event = OncePerVersion(self._event)

    def html(self, snapshot: Snapshot) -> str:
        """All sections one after the other, for a phone that is to swap them."""
        return "\n".join(self.sections(snapshot).values())

    def _event(self, snapshot: Snapshot) -> str:
        return event_text("board", self.html(snapshot))

    def _sections(self, snapshot: Snapshot) -> dict[str, str]:
        state = state_json(snapshot)
        match = snapshot.match
        return {name: self._section(name, state, match) for name in self._names}

    def _section(self, name: str, state: StateJson, match: Match | None) -> str:
        inner = self._render(
            f"_{name}.html", state=state, match=match, entries=_entries(name, match)
        )
        digest = blake2s(inner.encode(), digest_size=6).hexdigest()
        return self._render("_section.html", name=name, digest=digest, inner=inner)

    def _render(self, template: str, **values: object) -> str:
        return self._templates.get_template(template).render(**values).strip()


def _entries(name: str, match: Match | None) -> list[Entry]:
    """Told only where they are shown: that goes through the whole match."""
    return story(match) if match and name == "story" else []
