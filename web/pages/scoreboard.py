"""The scoreboard, the television board and the page of turns, with their live streams.

Each page consists of sections, rendered once for each version of the table and each language. A section is a template
`_NAME.html`. Its digest tells a phone whether the section has changed.
"""

from collections.abc import Callable, Mapping
from hashlib import blake2s
from math import inf

from flask import Blueprint, Flask, Response, render_template
from flask_babel import force_locale
from jinja2 import Environment

from game.match.match import Match, TimelineRow, timeline_rows
from game.message import Headline, Message, Translate
from web.contracts import Snapshot, Table
from web.i18n import LANGUAGES, language, translate
from web.json_schema import StateJson
from web.pages.templates import build, capitalised, may_take_over
from web.response import fresh
from web.state_json import state_json
from web.stream import Streams, VersionCache, format_event

SECTIONS = (
    "scores",
    "scorekeeper",
    "lamp",
    "turn",
    "message",
    "steps",
    "advice",
    "fit",
    "other_tray",
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
"""The sections of the scoreboard, each of which the page replaces if it has changed."""

TV = ("tv",)
"""The section of the television board, which has no controls."""

OVERLAY = ("overlay",)
"""The section of the page for video streams, which has no controls."""

STORY = ("scorekeeper", "message", "question", "story")
"""The sections of the page of turns, including answers to corrections made there."""

MAX_STATUS_CHARACTERS = 40
"""Number of characters that fit next to two buttons on a screen that is 360 CSS pixels wide."""

HEARTBEAT = "event: beat\ndata:\n\n"
"""A heartbeat is an event rather than a comment, so that the page notices if no heartbeat arrives."""


OVERLAY_HEARTBEAT_S = 3.0
"""Seconds of silence before a heartbeat is sent to the overlay.

The overlay notices after 9 s that it has heard nothing, and waits at most 5 s for an answer. So it shows within 15 s
that the tray cannot be reached, even if the network drops every packet.
"""


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
        """Return all sections as HTML, for a phone that replaces the changed ones."""
        return join_sections(self.sections(snapshot))

    def _event(self, snapshot: Snapshot) -> str:
        return format_event("board", self.html(snapshot))

    def _sections(self, snapshot: Snapshot) -> dict[str, str]:
        match = snapshot.match
        with self._app.app_context(), force_locale(self._language):
            state = state_json(snapshot, translate)
            line = status_line(snapshot.message, translate, _headline(state))
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


def join_sections(sections: Mapping[str, str]) -> str:
    """Return the sections of a live page, one after the other, as its script expects them.

    Before them is the mark of this version, because sections of another version may not fit an open page.
    """
    mark = f'<i hidden data-build="{build()}"></i>'
    return "\n".join((mark, *sections.values()))


def _entries(name: str, match: Match | None) -> list[TimelineRow]:
    """Return the timeline for the section that shows it; other sections skip the costly replay of the match."""
    return timeline_rows(match) if match and name == "story" else []


def _headline(state: StateJson) -> str:
    """Return what the last farkle cost, or what the next player may take over, in a few words; "" if there is neither."""
    highlight, left_over = state["highlight"], state["left_over"]
    if highlight and highlight["kind"] == "farkle":
        return highlight["words"]
    return capitalised(may_take_over(left_over)) if left_over else ""


def status_line(message: Message, say: Translate, headline: str = "") -> str:
    """Return a message shortened to one line.

    If the whole message is too long and has a headline, return the headline or, if that is too long as
    well, `headline`. Otherwise, return the longest of its sentences that fits or, if none fits, the
    shortest.

    Args:
        message: The message.
        say: Turns a message into text.
        headline: The headline in a few words. Empty if the message has none.
    """
    text = say(message)
    if len(text) <= MAX_STATUS_CHARACTERS:
        return text
    headlines = [say(each) for each in message.sentences if isinstance(each, Headline)]
    if headline and headlines:
        return headlines[0] if len(headlines[0]) <= MAX_STATUS_CHARACTERS else headline
    sentences = [say(sentence) for sentence in message.sentences]
    fitting = [sentence for sentence in sentences if len(sentence) <= MAX_STATUS_CHARACTERS]
    return max(fitting, key=len) if fitting else min(sentences, key=len)


Boards = Mapping[str, Sections]
"""The sections of a live page by language, rendered only when somebody reads them."""


def _in_every_language(app: Flask, names: tuple[str, ...] = SECTIONS) -> Boards:
    return {language: Sections(app, names, language) for language in LANGUAGES}


def create_scoreboard(
    table: Table, streams: Streams, app: Flask, *, has_overlay: bool = True
) -> Blueprint:
    """Create the blueprint of the live pages.

    Args:
        table: The table to show.
        streams: The live streams.
        app: The application that has the templates.
        has_overlay: Whether there is a page for video streams.
    """
    page = Blueprint("page", __name__)
    boards = _in_every_language(app)
    _add_board(page, table, streams, _in_every_language(app, TV), name="board", template="tv.html")
    _add_board(
        page, table, streams, _in_every_language(app, STORY), name="turns", template="story.html"
    )
    if has_overlay:
        overlays = _in_every_language(app, OVERLAY)
        _add_board(
            page, table, streams, overlays,
            name="overlay", template="overlay.html", heartbeat_s=OVERLAY_HEARTBEAT_S,
        )  # fmt: skip

    @page.get("/")
    def scoreboard() -> Response:
        snapshot = table.snapshot()
        sections = boards[language()].sections(snapshot)
        return fresh(render_template("board.html", sections=sections, state=snapshot))

    @page.get("/new")
    def new_match() -> Response:
        snapshot = table.snapshot()
        current = snapshot.match.rules if snapshot.match else None
        return fresh(render_template("new.html", state=state_json(snapshot), current=current))

    @page.get("/join")
    def join_card() -> Response:
        """Show the card to print and stick on the tray."""
        return fresh(render_template("join.html", state=state_json(table.snapshot())))

    @page.get("/manifest.webmanifest")
    def manifest() -> Response:
        """Describe the page for phones that install it as an app."""
        text = render_template("manifest.json")
        return Response(text, mimetype="application/manifest+json")

    _add_stream(page, table, streams, boards)
    return page


def _add_board(
    page: Blueprint,
    table: Table,
    streams: Streams,
    boards: Boards,
    *,
    name: str,
    template: str,
    heartbeat_s: float = inf,
) -> None:
    """Add a page of sections at /NAME, with its own stream."""

    def whole() -> Response:
        snapshot = table.snapshot()
        sections = boards[language()].sections(snapshot)
        return fresh(render_template(template, sections=sections, state=state_json(snapshot)))

    page.add_url_rule(f"/{name}", name, whole)
    _add_stream(page, table, streams, boards, name, heartbeat_s=heartbeat_s)


def _add_stream(
    page: Blueprint,
    table: Table,
    streams: Streams,
    boards: Boards,
    name: str = "",
    *,
    heartbeat_s: float = inf,
) -> None:
    """Add the stream of a page of sections, and the same data for phones that do not receive the stream."""
    prefix = f"/{name}" if name else ""

    @page.get(f"{prefix}/live", endpoint=f"{name}_live")
    def live() -> Response:
        return streams.open(table, boards[language()].event, HEARTBEAT, heartbeat_s)

    @page.get(f"{prefix}/sections", endpoint=f"{name}_sections")
    def sections() -> Response:
        return fresh(boards[language()].html(table.snapshot()))


def page_renderer(table: Table) -> Callable[..., Response]:
    """Return a function that renders a template with the current snapshot of the table."""

    def show(template: str, **values: object) -> Response:
        return fresh(render_template(template, state=table.snapshot(), **values))

    return show
