"""A club board on a temporary database, with recorded matches instead of trays."""

from contextlib import closing
from dataclasses import replace

import pytest

from bench.self_play import whole_match
from game.rules.rule_files import load
from tests.clock import Clock
from web.club.app import create_club
from web.club.match_history import MatchHistory
from web.club.people import People
from web.club.standings import League
from web.club.steward import Steward
from web.club.store import ClubStore
from web.club.tournaments import TournamentCalls, Tournaments
from web.club.tray_inbox import TrayInbox, Trays

RULES = replace(load("walnut-studiolo"), target=2_000)
EVENING_S = 1_764_000_000


@pytest.fixture
def rules():
    return RULES


@pytest.fixture
def clock():
    """The clock of the board."""
    return Clock(EVENING_S)


@pytest.fixture
def store(tmp_path):
    with closing(ClubStore.open(tmp_path / "club.db")) as store:
        yield store


@pytest.fixture
def people(store):
    return People(store)


@pytest.fixture
def history(store, people, clock):
    return MatchHistory(store, people, clock)


@pytest.fixture
def standings(store):
    return League(store)


@pytest.fixture
def asked():
    """Requests that were sent to trays."""
    return []


@pytest.fixture
def trays():
    return Trays()


@pytest.fixture
def inbox(trays, history, asked):
    return TrayInbox(trays, history, lambda tray, request: asked.append((tray, request)))


@pytest.fixture
def steward(tmp_path):
    return Steward.load(tmp_path / "steward.key")


@pytest.fixture
def called():
    """Matches that were called to trays."""
    return []


@pytest.fixture
def tournaments(store, people, clock):
    return Tournaments(store, people, clock)


@pytest.fixture
def calls(store, people, tournaments, called):
    return TournamentCalls(
        store, people, tournaments, lambda tray, match: called.append((tray, match))
    )


@pytest.fixture
def new_app(store, history, trays, calls, steward):
    """Create the application anew, as a restart does."""
    return lambda: create_club(store, history, People(store), trays, calls, steward=steward)


@pytest.fixture
def app(new_app):
    return new_app()


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def played(history):
    """Plays a whole match and adds it to the history."""

    def play(names, seed, tray="t1", **setup):
        tape = whole_match(RULES, names, seed, EVENING_S + 60 * seed, **setup)
        for entry in tape.entries:
            history.add(tray, entry)
        return tape

    return play
