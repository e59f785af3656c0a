"""A whole match on a phone: real Chromium, real HTTP, dice read from frames."""

from time import sleep

import pytest
from playwright.sync_api import Page, expect

from device.app import PlayOptions, serving
from game.match.match import Match
from game.rules import rule_files
from game.situation import Situation
from tests.browser import PHONE, chromium
from tests.device.player import play_to_the_end
from tests.device.rig import ASKS_IF_THROWN
from web.app import new_link

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TRIES = 8


@pytest.fixture
def table(tmp_path):
    options = PlayOptions(
        camera="sim",
        host="127.0.0.1",
        port=0,
        state=str(tmp_path),
        still_s=0.15,
        roll_s=0.7,
        seed=4,
    )
    with serving(options) as (companion, server):
        yield companion, f"http://127.0.0.1:{server.port}/{new_link(server.app)}"


@pytest.fixture
def phone(table):
    errors = []
    with chromium() as browser:
        page = browser.new_page(viewport=PHONE)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(table[1])
        expect(page.locator("html.holder")).to_be_attached()
        yield page
    assert errors == []


class Hands:
    """Plays on the page, and looks at what the page says."""

    def __init__(self, companion, phone: Page):
        self.companion, self.phone, self.tray = companion, phone, companion.simulated_tray

    def set_up(self, *names: str) -> None:
        for seat, name in enumerate(names):
            self.phone.locator(f"#name-{seat}").fill(name)
        self.phone.locator("#start").click()
        expect(self.phone.locator(".hero h1")).to_contain_text(names[0])

    def throw(self, account: Match) -> None:
        if account.state.turn.last:
            keep = account.state.keeps[0]
            self.phone.locator(f"#keep-{''.join(map(str, keep.dice))}").click()
            self.expect_at_risk(account.state.locked_points + keep.score)
        self.phone.locator("#throw-dice").click()
        while not self.tray.rolling:
            sleep(0.01)

    def press(self) -> None:
        for _ in range(TRIES):
            before = self.companion.snapshot().version
            self.phone.locator("#tray-button").click()
            snapshot = self.companion.wait(before, 10)
            while snapshot.situation is Situation.WAITING or snapshot.version < before + 2:
                snapshot = self.companion.wait(snapshot.version, 10)
            expect(self.phone.locator("#message")).to_contain_text(snapshot.message)
            if any(words in (snapshot.question or "") for words in ASKS_IF_THROWN):
                self.phone.locator("#choice-1").click()
                return
            if snapshot.situation is not Situation.ATTENTION:
                return
            self.tray.nudge(hand=True)
            sleep(1.5)
        raise AssertionError(snapshot)

    def bank(self) -> None:
        self.phone.locator("#bank").click()

    def check(self, account: Match) -> None:
        state = account.state
        if state.winner is not None:
            expect(self.phone.locator(".hero h1")).to_contain_text("wins")
        elif state.turn.last:
            self.expect_at_risk(state.locked_points + state.keeps[0].score)
        else:
            expect(self.phone.locator(".hero h1")).to_contain_text(state.player.name)

    def expect_at_risk(self, points: int) -> None:
        at_risk = self.phone.locator(".hero .big")
        expect(at_risk, self.companion.snapshot().message).to_have_text(f"{points:,}")


@pytest.mark.timeout(600)
def test_match_to_ten_thousand_on_the_page(table, phone):
    companion, _ = table
    hands = Hands(companion, phone)
    hands.set_up("Anna", "Ben")
    account = play_to_the_end(
        hands.tray,
        Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben"]),
        mark=hands.press,
        bank=hands.bank,
        throw=hands.throw,
        check=hands.check,
    )

    scores = phone.locator(".players .score").all_inner_texts()
    assert scores == [f"{player.score:,}" for player in account.state.players]
    winner = account.state.players[account.state.winner]
    assert winner.name in phone.locator(".hero h1").inner_text()
    assert winner.score >= 10_000
