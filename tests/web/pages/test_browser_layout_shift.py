"""Nothing on the scoreboard moves while people play, measured as layout shift in Chromium."""

import pytest

from game.commands import Bank, EnterThrow, KeepDice
from game.situation import Choice, Situation
from tests.web.conftest import PHONE_COOKIE, make_app
from tests.web.screens import NAMES, THROW, begins, photo_of
from web.access.phone import COOKIE
from web.contracts import CoachMode
from web.server import Server
from web.stream import Streams

pytestmark = pytest.mark.browser

MOST = 0.01
"""The largest sum of layout shifts for one event. A good page has at most 0.1 in all, says web.dev/cls."""

SIZES = {
    "small phone": (360, 640),
    "phone": (412, 915),
    "tablet": (820, 1180),
    "desktop": (1920, 1080),
}

OUTERMOST = ("small phone", "desktop")
"""The sizes that the usual tests measure; the long tests measure the others."""

RECORD = """
window.shifts = [];
window.swaps = 0;
document.addEventListener("swapped", () => { swaps += 1; });
const moved = ({ node, previousRect, currentRect }) =>
  `${node?.id || node?.className}: ${Math.round(previousRect.top)} to ${Math.round(currentRect.top)}, ${Math.round(previousRect.height)} to ${Math.round(currentRect.height)} high`;
const note = (list) => { for (const each of list) shifts.push([each.value, each.sources.map(moved)]); };
window.watcher = new PerformanceObserver((list) => note(list.getEntries()));
watcher.observe({ type: "layout-shift" });
window.taken = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
  note(watcher.takeRecords());
  done(shifts.splice(0));
}))));
"""

PHONE_PX = 700
"""A narrower page shows the scores below the dice. They begin behind the dock, where nobody sees them move."""

TOP_PX = "selector => document.querySelector(selector).getBoundingClientRect().top"


def throw(*dice):
    def act(table):
        table.do(EnterThrow(dice))
        table.show(photo=photo_of(dice, index=table.match.last_throw.index))

    return act


def question(table):
    choices = (Choice("1", "Yes, Anna banked 550"), Choice("2", "No, Anna threw again"))
    table.show(
        situation=Situation.QUESTION, question="Did Anna bank 550?", message="Did Anna bank 550?",
        choices=choices, photo=photo_of((2, 2, 3, 4, 4, 6), index=None),
    )  # fmt: skip


def answered(table):
    shown = table.match.last_throw
    table.show(
        situation=Situation.ACCEPTED, question=None, choices=(), message="Anna threw again.",
        photo=photo_of(shown.dice, index=shown.index), advice=(),
    )  # fmt: skip


def doubtful(table):
    advice = ("The circled die is not flat: throw that die again.",)
    table.show(
        situation=Situation.ATTENTION, message=advice[0], advice=advice,
        photo=photo_of(THROW, index=None, problem="cocked"),
    )  # fmt: skip


EVENTS = (
    ("first throw", throw(1, 1, 1, 2, 3, 4)),
    ("phone asks", lambda table: table.scorekeeper.ask("guest")),
    ("phone is forgotten", lambda table: table.scorekeeper.answer(give=False)),
    ("on the board", lambda table: table.do(Bank())),
    ("next player throws", throw(*THROW)),
    ("keeps", lambda table: table.do(KeepDice((1, 1)))),
    ("throws again", throw(1, 2, 4, 6)),
    ("offer", lambda table: table.show(choices=(Choice("1", "Did Anna bank 550 first?"),))),
    ("offer goes", lambda table: table.show(choices=())),
    ("question", question),
    ("answer", answered),
    ("uncertain die", doubtful),
    ("read", answered),
    ("trouble", lambda table: table.show(notice="The tray has moved.")),
    ("trouble goes", lambda table: table.show(notice=None)),
    ("farkle", lambda table: (table.do(KeepDice((1,))), throw(2, 3, 4)(table))),
    ("hot dice", throw(1, 1, 1, 5, 5, 5)),
    ("last round", lambda table: (table.do(KeepDice((1, 1, 1, 5, 5, 5))), throw(1, 1, 1, 1, 1, 1)(table), table.do(Bank()))),
    ("last throw", throw(*THROW)),
    ("win", lambda table: table.do(Bank())),
)  # fmt: skip


@pytest.mark.parametrize(
    "size",
    [pytest.param(each, marks=[] if each in OUTERMOST else pytest.mark.long) for each in SIZES],
)
def test_nothing_moves_when_something_happens(browser, table, size):
    begins(table, NAMES, target=5_000)
    table.show(join_url="http://traykeeper.local/")
    table.advise(CoachMode.LIVE)
    app = make_app(table, streams=Streams(check_s=0.1, limit=8))
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}])
    context.add_init_script(RECORD)
    page = context.new_page()
    moved = {}
    with Server(app, "127.0.0.1", 0) as server:
        page.goto(f"http://127.0.0.1:{server.port}/")
        page.wait_for_function("() => swaps > 0")
        if width < PHONE_PX:
            page.evaluate("document.querySelector('.beside').style.visibility = 'hidden'")
        page.evaluate("taken()")
        for name, act in EVENTS:
            before = page.evaluate("swaps")
            with table.at_once():
                act(table)
            page.wait_for_function("before => swaps > before", arg=before)
            found = page.evaluate("taken()")
            if width < PHONE_PX:
                assert page.evaluate(TOP_PX, ".beside .card") >= page.evaluate(TOP_PX, ".dock")
            if sum(value for value, _ in found) > MOST:
                moved[name] = found
        page.evaluate(
            "document.dispatchEvent(new Event('lost')); document.getElementById('link').hidden = false"
        )
        lost = page.evaluate("taken()")
    context.close()

    assert moved == {}
    assert lost == []
