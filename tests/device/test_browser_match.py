"""A whole match on a phone: real Chromium, real HTTP, dice read from frames."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, Response, expect

from game.match.match import Match
from game.rules import rule_files
from game.situation import Situation
from tests.browser import PHONE, open_as_scorekeeper, wait_before_taps
from tests.campaigns.size import count
from tests.device.player import play_to_the_end
from tests.device.rig import ASKS_IF_THROWN, NUDGE_S, TRIES, Rig, open_rig
from web.app import create_app, new_link
from web.contracts import Snapshot
from web.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long, pytest.mark.campaign]
RULES = replace(rule_files.load("walnut-studiolo"), target=count(3_000, 10_000))
"""`test_whole_match` plays to 10,000 in the usual tests too."""


@pytest.fixture
def rig(tmp_path):
    with open_rig(tmp_path, seed=51) as rig:
        yield rig


@pytest.fixture
def phone(browser, rig):
    errors = []
    app = create_app(rig.companion, rules=(RULES,), scorekeeper=rig.companion.scorekeeper)
    page = browser.new_page(viewport=PHONE, reduced_motion="reduce")
    page.on("pageerror", lambda error: errors.append(str(error)))
    wait_before_taps(page)
    with Server(app, "127.0.0.1", 0) as server:
        open_as_scorekeeper(page, f"http://127.0.0.1:{server.port}/{new_link(app)}")
        rig.step()
        expect(page.locator("html.holder")).to_be_attached()
        yield page
    assert errors == []


def is_let_go(response: Response) -> bool:
    return response.url.endswith("/button") and '"down":false' in response.request.post_data


def needs_saying(snapshot: Snapshot) -> bool:
    """Return whether the page asks if the dice were thrown; yes is the first choice."""
    is_asked = any(words in str(snapshot.question) for words in ASKS_IF_THROWN)
    return is_asked or (bool(snapshot.choices) and "only moved" in str(snapshot.message))


class Hands:
    """Plays on the page, and compares the page with the account."""

    def __init__(self, rig: Rig, phone: Page):
        self.rig, self.phone = rig, phone

    def set_up(self, *names: str) -> None:
        for seat, name in enumerate(names):
            self.phone.locator(f"#name-{seat}").fill(name)
        self.phone.locator("#start").click()
        expect(self.phone.locator(".hero h1")).to_contain_text(names[0])

    def throw(self, account: Match) -> None:
        if account.state.turn.last:
            keep = account.state.keeps[0]
            self.phone.locator(f"#keep-{''.join(map(str, keep.dice))}").click()
            self.expect_at_risk(account.state.turn.locked_points + keep.score)
        with self.phone.expect_response("**/throw"):
            self.phone.locator("#throw-dice").click()

    def press(self) -> None:
        for _ in range(TRIES):
            with self.phone.expect_response(is_let_go):
                self.phone.locator("#tray-button").click()
            snapshot = self.rig.settled()
            expect(self.phone.locator("#message")).to_contain_text(str(snapshot.message))
            if needs_saying(snapshot):
                self.phone.locator("#choice-1").click()
                return
            if snapshot.situation is not Situation.ATTENTION:
                return
            self.rig.tray.nudge(hand=True)
            self.rig.wait_s(NUDGE_S)
        raise AssertionError(snapshot)

    def bank(self) -> None:
        self.phone.locator("#bank").click()

    def check(self, account: Match) -> None:
        state = account.state
        if state.winner is not None:
            expect(self.phone.locator(".hero h1")).to_contain_text("wins")
        elif state.turn.last:
            self.expect_at_risk(state.turn.locked_points + state.keeps[0].score)
        else:
            expect(self.phone.locator(".hero h1")).to_contain_text(state.player.name)

    def expect_at_risk(self, points: int) -> None:
        at_risk = self.phone.locator(".hero .big")
        expect(at_risk, str(self.rig.companion.snapshot().message)).to_have_text(f"{points:,}")


@pytest.mark.timeout(600)
def test_a_match_is_played_on_the_page(rig, phone):
    hands = Hands(rig, phone)
    hands.set_up("Anna", "Ben")
    account = play_to_the_end(
        rig.tray,
        Match.start(RULES, ["Anna", "Ben"]),
        mark=hands.press,
        bank=hands.bank,
        throw=hands.throw,
        check=hands.check,
        pause=rig.wait_s,
    )

    scores = phone.locator(".players .score").all_inner_texts()
    assert scores == [f"{player.score:,}" for player in account.state.players]
    winner = account.state.players[account.state.winner]
    assert winner.name in phone.locator(".hero h1").inner_text()
    assert winner.score >= RULES.target
