"""The pages of the club board: table, players, records, matches and tournaments."""

from flask import Blueprint, abort, redirect, render_template, request
from werkzeug.wrappers import Response

from game.match.match_text import to_text
from game.match.state import Turn
from game.rules import rule_files
from web.club.draw import TournamentKind, TournamentPlan
from web.club.match_history import MatchHistory
from web.club.people import People
from web.club.standings import League
from web.club.steward import Steward
from web.club.tournament_calls import TournamentCalls
from web.club.trays import Trays

MAX_TARGET = 1_000_000


def create_pages(history: MatchHistory, people: People, standings: League) -> Blueprint:
    """Create the blueprint of the pages that anyone may read.

    Args:
        history: The matches with all their entries.
        people: The players of the club.
        standings: The results of all matches.
    """
    pages = Blueprint("club", __name__)

    @pages.get("/table")
    def table() -> str:
        return render_template("club/table.html", standings=standings.table())

    @pages.get("/records")
    def records() -> str:
        return render_template("club/records.html", records=standings.records())

    @pages.get("/players/<int:player>")
    def player(player: int) -> str:
        person = people.person(player) or abort(404)
        standing = next((s for s in standings.table() if s.player == player), None)
        return render_template(
            "club/player.html",
            person=person,
            standing=standing,
            rivalries=standings.rivalries(player),
            matches=standings.matches(player=player),
            everybody=people.all(),
        )

    @pages.get("/matches/<match_id>")
    def match(match_id: str) -> str:
        stored = history.get(match_id) or abort(404)
        played = standings.match(match_id) or abort(404)
        state = stored.match.state
        turns = [*state.turns] if state.winner is not None else [*state.turns, state.turn]
        rows = [(number, turn, _points(turn)) for number, turn in enumerate(turns, 1)]
        return render_template(
            "club/match.html", played=played, rules=state.rules, players=state.players, rows=rows
        )

    @pages.get("/matches/<match_id>.txt")
    def as_text(match_id: str) -> Response:
        stored = history.get(match_id) or abort(404)
        return Response(to_text(stored.match), mimetype="text/plain")

    return pages


def _points(turn: Turn) -> int:
    """Return the points of a finished turn, or the points at risk in a turn that is not over."""
    return turn.points if turn.ending else turn.at_risk


def create_tournament_pages(
    calls: TournamentCalls, people: People, steward: Steward, trays: Trays
) -> Blueprint:
    """Create the blueprint of the tournaments, which the steward draws.

    Args:
        calls: The tournaments, and the calls of their players to trays.
        people: The players of the club.
        steward: Decides who may draw a tournament.
        trays: The current state of every tray; after a change, it is published again for the screen.
    """
    pages = Blueprint("cups", __name__, url_prefix="/tournaments")
    tournaments = calls.tournaments

    @pages.get("")
    def listed() -> str:
        return render_template(
            "club/tournaments.html",
            tournaments=tournaments.all(),
            everybody=people.all(),
            kinds=list(TournamentKind),
            rules=[rule_files.published(name) for name in rule_files.names()],
        )

    @pages.get("/<int:tournament>")
    def one(tournament: int) -> str:
        cup = tournaments.get(tournament) or abort(404)
        return render_template("club/tournament.html", cup=cup)

    @pages.post("")
    @steward.required
    def draw() -> Response:
        form = request.form
        target = form.get("target", type=int)
        names = [line for line in form.get("names", "").splitlines() if line.strip()]
        plan = TournamentPlan(
            TournamentKind.KNOCK_OUT
            if form.get("kind") == TournamentKind.KNOCK_OUT
            else TournamentKind.ROUND_ROBIN,
            tuple(people.add(name) for name in names),
            form.get("rules", "walnut-studiolo"),
            min(max(target, 1), MAX_TARGET) if target else None,
        )
        drawn = tournaments.draw(form.get("name", ""), plan)
        trays.refresh()
        return redirect(f"/tournaments/{drawn}", 303)

    @pages.post("/<int:tournament>/<int:pairing>/withdraw")
    @steward.required
    def withdraw(tournament: int, pairing: int) -> Response:
        calls.call_again(tournament, pairing)
        trays.refresh()
        return redirect(f"/tournaments/{tournament}", 303)

    return pages
