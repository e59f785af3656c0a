"""What the club remembers, as pages: the table, players, records, single matches."""

from flask import Blueprint, Response, render_template
from werkzeug.exceptions import NotFound

from game.state import Turn
from game.text import to_text
from web.club.history import MatchHistory
from web.club.league import League
from web.club.people import People


def create_pages(history: MatchHistory, people: People, league: League) -> Blueprint:
    """The blueprint of everything but the live screen."""
    pages = Blueprint("club", __name__)

    @pages.get("/table")
    def table() -> str:
        return render_template("club/table.html", standings=league.table())

    @pages.get("/records")
    def records() -> str:
        return render_template("club/records.html", records=league.records())

    @pages.get("/players/<int:player>")
    def player(player: int) -> str:
        person = people.person(player)
        if person is None:
            raise NotFound
        standing = next((s for s in league.table() if s.player == player), None)
        return render_template(
            "club/player.html",
            person=person,
            standing=standing,
            rivalries=league.rivalries(player),
            matches=league.matches(player=player),
            everybody=people.all(),
        )

    @pages.get("/matches/<match_id>")
    def match(match_id: str) -> str:
        held, played = history.held(match_id), league.match(match_id)
        if held is None or played is None:
            raise NotFound
        state = held.match.state
        turns = [*state.turns] if state.winner is not None else [*state.turns, state.turn]
        rows = [(number, turn, _points(turn)) for number, turn in enumerate(turns, 1)]
        return render_template("club/match.html", played=played, players=state.players, rows=rows)

    @pages.get("/matches/<match_id>.txt")
    def as_text(match_id: str) -> Response:
        held = history.held(match_id)
        if held is None:
            raise NotFound
        return Response(to_text(held.match), mimetype="text/plain")

    return pages


def _points(turn: Turn) -> int:
    """Of a finished turn what it brought, of the one that is played what is at risk."""
    return turn.points if turn.ending else turn.at_risk
