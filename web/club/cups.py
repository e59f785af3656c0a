"""The pages of tournaments: the draw, the fixtures, and what the steward does about them."""

from flask import Blueprint, redirect, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from game import rulefile
from web.club.draw import TournamentKind, TournamentPlan
from web.club.people import People
from web.club.screen import Following
from web.club.steward import Steward
from web.club.tournaments import Tournaments

MAX_TARGET = 1_000_000


def create_cups(
    tournaments: Tournaments, people: People, steward: Steward, hall: Following
) -> Blueprint:
    """The blueprint of tournaments."""
    pages = Blueprint("cups", __name__, url_prefix="/tournaments")

    @pages.get("")
    def listed() -> str:
        return render_template(
            "club/tournaments.html",
            tournaments=tournaments.all(),
            everybody=people.all(),
            kinds=list(TournamentKind),
            rules=[rulefile.published(name) for name in rulefile.names()],
        )

    @pages.get("/<int:tournament>")
    def one(tournament: int) -> str:
        found = tournaments.get(tournament)
        if found is None:
            raise NotFound
        return render_template("club/tournament.html", cup=found)

    @pages.post("")
    @steward.only
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
        hall.refresh()
        return redirect(f"/tournaments/{drawn}", 303)

    @pages.post("/<int:tournament>/<int:pairing>/withdraw")
    @steward.only
    def withdraw(tournament: int, pairing: int) -> Response:
        tournaments.withdraw(tournament, pairing)
        hall.refresh()
        return redirect(f"/tournaments/{tournament}", 303)

    return pages
