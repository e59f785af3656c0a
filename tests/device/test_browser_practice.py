"""Practice alone on a small phone: matches against both bots, from the set-up to the win."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import cycle

import pytest
from playwright.sync_api import Page, expect

from bench.self_play import whole_match
from device.app import PlayOptions, serving
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE, Journal
from game.match.events import BotDice
from game.match.match import Match
from game.rules import rule_files
from game.situation import Situation
from tests.browser import open_as_scorekeeper, wait_before_taps
from tests.waiting import COACH_PATIENCE_S
from web.app import new_link

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SMALL = {"width": 360, "height": 640}
TARGET = 1_000
MOST_TURNS = 60
THROWS = cycle([(1, 5, 5, 2, 3, 4), (2, 2, 3, 4, 6, 6), (5, 5, 5, 1, 2, 2), (1, 2, 1, 3, 4, 4)])
"""What the person throws, for both; the second is a farkle."""


def remember_matches_of_anna(folder) -> None:
    """Write matches that Anna has played into the journal, from which her style is learnt."""
    with closing(Journal.open(folder / JOURNAL_FILE)) as journal:
        for seed in range(4):
            match = whole_match(rule_files.load("complete-guide"), ["Anna", "Ben"], seed, 0).match
            number = journal.start(Match(match.start_state, (), match.start_state))
            for event in match.timeline:
                journal.append(number, event)


class Practice:
    """A person on the page, and the companion that the page belongs to."""

    def __init__(self, page: Page, companion):
        self.page, self.companion = page, companion

    @property
    def match(self) -> Match:
        return self.companion.snapshot().match

    def set_up(self, bot: str, dice: BotDice) -> None:
        page = self.page
        page.goto(f"{page.url.partition('#')[0]}new")
        expect(page.locator("html.holder")).to_be_attached()
        page.locator("#name-0").fill("Cleo")
        page.locator("select[name=rules]").select_option("complete-guide")
        page.locator("input[name=target]").fill(str(TARGET))
        page.locator("#bot").select_option(bot)
        if bot == "like":
            page.locator("#bot-like").fill("anna")
        page.locator("#bot-dice").select_option(dice)
        page.locator("#start").click()
        expect(page.locator(".hero h1")).to_contain_text("Cleo", timeout=COACH_PATIENCE_S * 1000)

    def tap_in(self, dice) -> None:
        page = self.page
        page.locator("[data-enter]").first.click()
        for face in dice:
            page.locator(f"#pad [data-face='{face}']").click()
        with page.expect_response("**/dice"):
            page.locator("#pad-enter").click()
        expect(page.locator("#pad")).to_be_hidden()

    def play_turn(self) -> None:
        """Throw once, and bank if anything scored. The bot's dice are thrown the same way."""
        seat, turns = self.match.state.turn.seat, len(self.match.state.turns)
        self.tap_in(next(THROWS)[: self.match.state.dice_in_hand])
        if seat == 0 and len(self.match.state.turns) == turns:
            with self.page.expect_response("**/bank"):
                self.page.locator("#bank").click()
        self.wait_for_bot()

    def wait_for_bot(self) -> None:
        """Wait until the bot has played, and the page shows who is next or has won."""
        while (snapshot := self.companion.snapshot()).situation is Situation.BOT:
            assert self.companion.wait(snapshot.version, COACH_PATIENCE_S)
        state = snapshot.match.state
        expect(self.page.locator(f".hero[data-step='{snapshot.step}']")).to_be_visible()
        if state.winner is None:
            expect(self.page.locator(".hero h1")).to_contain_text(state.player.name)
            expect(self.page.locator("#go-on")).to_have_count(0)

    def play_to_the_end(self) -> None:
        for _ in range(MOST_TURNS):
            if self.match.state.winner is not None:
                return
            self.play_turn()
        raise AssertionError(self.match)


@contextmanager
def practice(browser, folder) -> Iterator[Practice]:
    errors: list[str] = []
    options = PlayOptions(
        camera="phone", host="127.0.0.1", port=0, state=str(folder), bot_pause_s=0.0
    )
    with serving(options) as (companion, server):
        page = browser.new_page(viewport=SMALL, reduced_motion="reduce")
        page.on("pageerror", lambda error: errors.append(str(error)))
        wait_before_taps(page)
        open_as_scorekeeper(page, f"http://127.0.0.1:{server.port}/{new_link(server.app)}")
        expect(page.locator("html.holder")).to_be_attached()
        yield Practice(page, companion)
        page.close()
    assert errors == []


@pytest.mark.parametrize(
    ("bot", "dice", "plays"),
    [
        pytest.param("best", BotDice.SIMULATED, "plays best", marks=pytest.mark.long),
        ("like", BotDice.TRAY, "plays like Anna"),
    ],
)
def test_practice_is_played_to_the_end(browser, tmp_path, bot, dice, plays):
    remember_matches_of_anna(tmp_path)
    with practice(browser, tmp_path) as played:
        played.set_up(bot, dice)
        expect(played.page.locator(".players")).to_contain_text(plays)
        played.play_to_the_end()
        state = played.match.state

        expect(played.page.locator(".hero h1")).to_contain_text("wins")
        assert {turn.seat for turn in state.turns} == {0, 1}
        assert played.page.evaluate("document.documentElement.scrollWidth") == SMALL["width"]
        assert History(tmp_path / JOURNAL_FILE).matches()[0].result.winner == state.winner
