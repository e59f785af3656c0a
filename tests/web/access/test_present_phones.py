"""What people call the phones that are present."""

import pytest

from tests.web.conftest import as_scorekeeper, make_app
from web.access.present_phones import (
    ABSENT_AFTER_S,
    MAX_PHONES,
    PhoneKind,
    PresentPhones,
    phone_kind,
)

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"
IPAD = "Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148"
ANDROID = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36"
)
ANDROID_TABLET = (
    "Mozilla/5.0 (Linux; Android 13; SM-X200) AppleWebKit/537.36 Chrome/120.0 Safari/537.36"
)
LINUX = "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0"
MAC = (
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_4) AppleWebKit/605.1.15 Version/17.4 Safari/605.1.15"
)


@pytest.fixture
def phones(clock):
    return PresentPhones(clock)


@pytest.mark.parametrize(
    ("user_agent", "kind"),
    [
        (IPHONE, PhoneKind.IPHONE),
        (IPAD, PhoneKind.TABLET),
        (ANDROID, PhoneKind.ANDROID),
        (ANDROID_TABLET, PhoneKind.TABLET),
        (LINUX, PhoneKind.COMPUTER),
        (MAC, PhoneKind.COMPUTER),
        ("curl/8.5", PhoneKind.OTHER),
        ("", PhoneKind.OTHER),
    ],
)
def test_kind_of_a_phone_is_known_from_its_user_agent(user_agent, kind):
    assert phone_kind(user_agent) is kind


def test_phones_of_one_kind_are_numbered_as_long_as_they_are_present(phones, clock):
    phones.mark_seen("a", IPHONE)
    phones.mark_seen("b", ANDROID)
    assert [str(phones.label(phone)) for phone in "ab"] == ["An iPhone", "An Android phone"]

    phones.mark_seen("c", IPHONE)
    assert [str(phones.label(phone)) for phone in "ac"] == ["iPhone 1", "iPhone 2"]

    clock.now_s += ABSENT_AFTER_S - 1
    phones.mark_seen("c", IPHONE)
    clock.now_s += 2
    assert str(phones.label("c")) == "An iPhone"


def test_new_phone_gets_the_number_of_one_that_left(phones, clock):
    phones.mark_seen("a", IPHONE)
    clock.now_s += 1
    phones.mark_seen("b", IPHONE)
    clock.now_s += ABSENT_AFTER_S - 0.5
    phones.mark_seen("c", IPHONE)

    assert [str(phones.label(phone)) for phone in "bc"] == ["iPhone 2", "iPhone 1"]


def test_only_so_many_phones_are_remembered(phones):
    for n in range(MAX_PHONES + 5):
        phones.mark_seen(str(n), IPHONE)

    assert not phones.is_present("0")
    assert phones.is_present(str(MAX_PHONES + 4))


def test_phone_that_was_never_seen_is_a_phone(phones):
    assert str(phones.label("x")) == "A phone"


def ask(app, user_agent):
    client = app.test_client()
    client.post("/api/v1/scorekeeper/ask", headers={"User-Agent": user_agent})
    return client


def test_scorekeeper_sees_the_kind_of_phone_that_asks(table):
    app = make_app(table)
    holder = as_scorekeeper(app)
    holder.get("/", headers={"User-Agent": ANDROID})
    ask(app, IPHONE)

    assert "An iPhone is asking to keep score" in holder.get("/").text
    german = holder.get("/", headers={"Accept-Language": "de"}).text
    assert "Ein iPhone bittet um die Steuerung" in german


def test_phone_that_asks_and_the_scorekeeper_see_the_same_number(table):
    app = make_app(table)
    holder = as_scorekeeper(app)
    holder.get("/", headers={"User-Agent": IPHONE})
    asking = ask(app, IPHONE)

    answers = [
        client.get("/api/v1/scorekeeper", headers={"User-Agent": IPHONE}).json
        for client in (holder, asking)
    ]
    assert [answer["asker"] for answer in answers] == ["iPhone 2"] * 2
    assert app.test_client().get("/api/v1/scorekeeper").json["asker"] == ""
