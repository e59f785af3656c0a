"""A webhook and a receiver that fails, hangs and comes back: every step arrives once, in order, signed."""

import hmac
import json
import urllib.request
from base64 import b64decode, b64encode
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from device import webhook as module
from device.app import PlayOptions, serving
from device.commands.doctor import webhook as check
from device.doctor.problems import Level
from device.doctor.system import Machine, System
from device.errors import UsageError
from device.settings import Settings
from device.webhook import WEBHOOK_FILE, Courier, Receiver, Webhook, parse_receiver, send_to_webhook
from game.commands import (
    Bank,
    CorrectThrow,
    EnterThrow,
    KeepDice,
    RecordEvent,
    Redo,
    StartMatch,
    Undo,
)
from game.journal.history import Feed, History
from game.journal.journal import JOURNAL_FILE
from game.match.events import Renamed, ScoreSet
from game.stats.step_events import step_events
from tests.device.mqtt.conftest import TapTable
from tests.device.receiver_server import fake_receiver
from tests.waiting import PATIENCE_S, until

SECRET = "whsec_" + b64encode(bytes(range(32))).decode()
ROLL = (1, 1, 2, 3, 4, 6)


@pytest.fixture
def table(tmp_path):
    table = TapTable(tmp_path)
    yield table
    table.close()


@pytest.fixture
def receiver():
    with fake_receiver() as receiver:
        yield receiver


@pytest.fixture
def secret(tmp_path):
    file = tmp_path / "webhook.toml"
    file.touch(mode=0o600)
    file.write_text(f'secret = "{SECRET}"\n')
    return str(file)


@contextmanager
def sending(table, folder, url, secret="", timeout_s=PATIENCE_S):
    """Run a webhook with short pauses."""
    webhook = Webhook(
        table, Feed(folder / JOURNAL_FILE), parse_receiver(url, secret=secret), folder,
        first_retry_s=0.02, timeout_s=timeout_s,
    )  # fmt: skip
    webhook.start()
    with closing(webhook):
        yield webhook


def delivered(webhook):
    """Return whether the receiver's answer to the last request has arrived, and was good."""
    report = webhook.deliveries.report()
    return report.attempts and report.trouble is None


def recorded(folder):
    """Return the events of all matches in the journal."""
    feed = Feed(folder / JOURNAL_FILE)
    return [
        event
        for number, *_ in feed.match_sizes()
        for line in feed.whole(number)
        for event in step_events(line)
    ]


def signed_with(headers, body):
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = b64decode(SECRET.removeprefix("whsec_"))
    return "v1," + b64encode(hmac.digest(key, text, "sha256")).decode()


def test_every_step_arrives_once_in_order_and_signed_although_the_receiver_fails_and_hangs(
    table, receiver, secret, tmp_path
):
    with sending(table, tmp_path, receiver.url, secret, timeout_s=0.4):
        table.do(StartMatch(["Anna", "Ben"]))
        until(lambda: len(receiver.bodies) == 1)
        for behaviour in ("fail", "drop", "hang", "hang up", "busy"):
            receiver.behaviour = behaviour
            n_requests = len(receiver.requests)
            table.do(EnterThrow(ROLL))
            table.do(Undo())
            table.do(Redo())
            table.do(Bank())
            until(lambda n=n_requests: len(receiver.requests) > n + 1)
            receiver.behaviour = "accept"
            until(lambda: receiver.events == recorded(tmp_path))

    assert len(receiver.bodies) == 21 < len(receiver.requests)
    assert [e["id"] for e in receiver.events] == list(
        dict.fromkeys(e["id"] for e in receiver.events)
    )
    for headers, body in receiver.requests:
        assert headers["webhook-signature"] == signed_with(headers, body)


def test_the_receiver_hears_who_won_if_a_change_by_hand_makes_another_player_the_winner(
    table, receiver, tmp_path
):
    with sending(table, tmp_path, receiver.url):
        table.do(StartMatch(["Anna", "Ben"], options={"last_round": "none"}))
        table.do(RecordEvent(ScoreSet(0, 10_000)))
        table.do(RecordEvent(ScoreSet(1, 12_000)))
        until(lambda: receiver.events == recorded(tmp_path))

    wins = [event["table"] for event in receiver.events if event["kind"] == "won"]
    assert [now["players"][now["winner"]]["name"] for now in wins] == ["Anna", "Ben"]


def test_a_receiver_that_was_away_gets_what_it_missed(table, receiver, tmp_path):
    port = receiver.server_port
    with sending(table, tmp_path, receiver.url) as webhook:
        table.do(StartMatch(["Anna", "Ben"]))
        until(lambda: delivered(webhook))
        receiver.shutdown()
        receiver.server_close()
        table.do(EnterThrow(ROLL))
        table.do(Bank())
        until(lambda: webhook.deliveries.report().trouble)
        with fake_receiver(port) as again:
            until(lambda: receiver.events + again.events == recorded(tmp_path))
            until(lambda: webhook.deliveries.report().trouble is None)


def test_a_tray_that_was_off_continues_where_it_stopped(table, receiver, tmp_path):
    with sending(table, tmp_path, receiver.url) as webhook:
        table.do(StartMatch(["Anna", "Ben"]))
        until(lambda: delivered(webhook))
    table.do(EnterThrow(ROLL))
    with sending(table, tmp_path, receiver.url):
        until(lambda: receiver.events == recorded(tmp_path))

    assert len(receiver.requests) == len(receiver.bodies)


def test_a_match_that_the_rules_no_longer_allow_does_not_hold_up_the_next_one(
    table, receiver, tmp_path
):
    with sending(table, tmp_path, receiver.url) as webhook:
        table.do(StartMatch(["Anna", "Ben"], rules="welfare"))
        until(lambda: delivered(webhook))
    table.journal.append(1, ScoreSet(1, 10_050))
    table.journal.append(1, Renamed(0, "Anne"))
    table.do(StartMatch(["Cleo", "Dan"]))
    with sending(table, tmp_path, receiver.url):
        until(lambda: len(receiver.bodies) == 2)
        table.do(EnterThrow(ROLL))
        until(lambda: len(receiver.bodies) == 3)

    assert receiver.events == recorded(tmp_path)


def test_lost_progress_sends_the_newest_match_again_with_the_same_ids(table, receiver, tmp_path):
    with sending(table, tmp_path, receiver.url):
        table.do(StartMatch(["Anna", "Ben"]))
        table.do(EnterThrow(ROLL))
        until(lambda: receiver.events == recorded(tmp_path))
    (tmp_path / WEBHOOK_FILE).write_text("[" * 1000)
    with sending(table, tmp_path, receiver.url):
        until(lambda: len(receiver.requests) == 4)

    assert receiver.events == recorded(tmp_path)


def test_a_correction_amends_the_roll_that_it_corrects(table, receiver, tmp_path):
    with sending(table, tmp_path, receiver.url):
        table.do(StartMatch(["Anna", "Ben"]))
        table.do(EnterThrow(ROLL))
        table.do(KeepDice((1, 1)))
        table.do(EnterThrow((2, 3, 4, 5)))
        table.do(CorrectThrow((1, 1, 5, 3, 4, 6), 0))
        until(lambda: receiver.events == recorded(tmp_path))
    read = next(e for e in receiver.events if e["kind"] == "read")
    corrected = next(e for e in receiver.events if e["kind"] == "corrected")

    assert corrected["roll"]["id"] == read["roll"]["id"]
    assert corrected["roll"]["dice"] == [1, 1, 3, 4, 5, 6]


def test_a_restored_journal_is_sent_from_where_it_continues(table, receiver, tmp_path):
    with sending(table, tmp_path, receiver.url):
        table.do(StartMatch(["Anna", "Ben"]))
        copy = History(tmp_path / JOURNAL_FILE).copy()
        table.do(EnterThrow(ROLL))
        until(lambda: len(receiver.bodies) == 2)
        table.journal.restore(copy)
        table.reload()
        table.do(EnterThrow((5, 5, 5, 2, 3, 4)))
        until(
            lambda: (
                receiver.events[-2]["roll"]
                and receiver.events[-2]["roll"]["dice"] == [2, 3, 4, 5, 5, 5]
            )
        )

    assert len({e["id"] for e in receiver.events}) == len(receiver.events)


def test_a_step_that_could_not_be_sent_for_an_unknown_reason_is_sent_before_the_next_one(
    table, receiver, tmp_path, monkeypatch, caplog
):
    failures = iter([RuntimeError("not foreseen")])

    def deliver(courier, delivery_id, body, really=Courier.deliver):
        for failure in failures:
            raise failure
        really(courier, delivery_id, body)

    monkeypatch.setattr(Courier, "deliver", deliver)
    with sending(table, tmp_path, receiver.url):
        table.do(StartMatch(("Anna", "Ben")))
        until(lambda: "the webhook failed" in caplog.text)
        table.do(EnterThrow(ROLL))
        until(lambda: receiver.events == recorded(tmp_path))


def test_closing_does_not_wait_for_a_receiver_that_hangs(table, receiver, tmp_path, monkeypatch):
    """The receiver hangs until the test is over, and the webhook would wait for it as long as that."""
    monkeypatch.setattr(module, "Courier", partial(Courier, timeout_s=3600))
    receiver.behaviour = "hang"
    table.do(StartMatch(["Anna", "Ben"]))
    settings = Settings(webhook=receiver.url)
    with ExitStack() as block:
        block.enter_context(send_to_webhook(settings, table, tmp_path, pytest.fail))
        until(lambda: receiver.requests)
        leaving = Thread(target=block.pop_all().close)
    leaving.start()
    leaving.join(PATIENCE_S)

    assert not leaving.is_alive()
    assert len(receiver.requests) == 1
    assert receiver.bodies == {}


def test_the_log_has_the_newest_attempts_and_not_the_secret_path(table, receiver, tmp_path):
    receiver.behaviour = "fail"
    with sending(table, tmp_path, receiver.url) as webhook:
        table.do(StartMatch(["Anna", "Ben"]))
        until(lambda: len(receiver.requests) > 2)
        receiver.behaviour = "accept"
        until(lambda: receiver.bodies)
        report = until(lambda: (r := webhook.deliveries.report()).trouble is None and r)

    newest, before, *_ = report.attempts
    assert (newest.step, newest.trouble) == ("started, wanted", None)
    assert str(before.trouble) == "it answered 500 Internal Server Error"
    assert before.wait_s > 0
    assert "abc" not in repr(report)


def health_page(state, **settings):
    """Return how to get the health page of a companion, as text without empty lines."""
    options = PlayOptions(camera="usb:97", host="127.0.0.1", port=0, state=str(state), **settings)

    @contextmanager
    def served():
        with serving(options) as (companion, server):

            def page():
                url = f"http://127.0.0.1:{server.port}/health"
                with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                    return answer.read().decode()

            yield companion, page

    return served()


def test_a_receiver_that_wants_no_more_steps_is_not_asked_again_and_the_health_page_says_so(
    receiver, tmp_path
):
    receiver.behaviour = "gone"
    with health_page(tmp_path, webhook=receiver.url) as (companion, page):
        assert "nothing has been sent to" in page()
        companion.do(StartMatch(("Anna", "Ben")))
        until(lambda: "it answered 410 Gone" in page())
        companion.do(EnterThrow(ROLL))
        until(lambda: "the webhook wants no more steps" in page() or "delete or correct" in page())
        assert len(receiver.requests) == 1
        assert "not sent again before the next start" in page()


def test_the_health_page_names_a_webhook_setting_that_is_refused(tmp_path, capsys):
    with health_page(tmp_path, webhook="ftp://homeserver") as (_, page):
        assert "webhook is not an address" in page()
        assert "Correct <code>webhook</code>" in page()
    assert "playing without the webhook" in capsys.readouterr().err


def test_steps_are_signed_with_a_new_secret_without_a_restart(table, receiver, secret, tmp_path):
    new_key = bytes(range(1, 33))
    with sending(table, tmp_path, receiver.url, secret) as webhook:
        table.do(StartMatch(["Anna", "Ben"]))
        until(lambda: delivered(webhook))
        Path(secret).write_text("secret = 3")
        table.do(EnterThrow(ROLL))
        until(lambda: webhook.deliveries.report().trouble)
        Path(secret).write_text(f'secret = "whsec_{b64encode(new_key).decode()}"\n')
        until(lambda: len(receiver.bodies) == 2)
    headers, body = receiver.requests[-1]
    expected = Receiver("http", "h", 80, key=new_key).headers(
        headers["webhook-id"], float(headers["webhook-timestamp"]), body
    )

    assert headers["webhook-signature"] == expected["webhook-signature"]


def test_without_an_address_nothing_is_sent(table, tmp_path):
    with send_to_webhook(Settings(), table, tmp_path, pytest.fail) as deliveries:
        assert deliveries is None
    assert not (tmp_path / WEBHOOK_FILE).exists()


@pytest.mark.parametrize(
    "url", ["dice", "ftp://h/", "http://", "http://h:x/", "http://h/a b", "http://h/\r\nX: y", "http://[::1/"]
)  # fmt: skip
def test_a_wrong_address_is_named_without_repeating_it(table, tmp_path, url):
    warnings = []
    with send_to_webhook(Settings(webhook=url), table, tmp_path, warnings.append):
        pass

    assert [w.count("http://homeserver.local:8080/dice") for w in warnings] == [1]


@pytest.mark.parametrize(
    "text", ["", "secret = 3", 'secret = "short"', 'secret = "whsec_####"', "["]
)
def test_a_wrong_secret_names_the_file_and_does_not_repeat_the_secret(tmp_path, text):
    file = tmp_path / "webhook.toml"
    file.touch(mode=0o600)
    file.write_text(text)

    with pytest.raises(UsageError, match="write one line, secret") as refused:
        parse_receiver("http://h/", secret=str(file))
    assert "short" not in str(refused.value)


def test_a_secret_that_others_can_read_is_refused(tmp_path):
    file = tmp_path / "webhook.toml"
    file.write_text(f'secret = "{SECRET}"')
    file.chmod(0o644)

    with pytest.raises(UsageError, match="chmod 600"):
        parse_receiver("http://h/", secret=str(file))


def test_the_signature_follows_the_specification():
    """Compare with the worked example that libraries for Standard Webhooks test."""
    key = b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    body = b'{"test": 2432232314}'
    headers = Receiver("http", "h", 80, key=key).headers(
        "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body
    )

    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_body_is_json_as_documented(table, receiver, tmp_path):
    with sending(table, tmp_path, receiver.url):
        table.do(StartMatch(["Anna", "Ben"]))
        until(lambda: receiver.requests)
    body = json.loads(receiver.requests[0][1])

    assert (body["type"], body["version"], bool(body["tray"])) == ("traykeeper.step", 1, True)


def examined(tmp_path, **settings):
    return check(System(Machine(tmp_path), Settings(**settings), None, None, None, installed=False))


def test_doctor_says_whether_requests_are_signed(tmp_path, secret):
    found = [
        examined(tmp_path),
        examined(tmp_path, webhook="http://den.local:8080/a-secret-path"),
        examined(tmp_path, webhook="http://den.local:8080/", webhook_secret=secret),
    ]

    assert [str(each.line) for each in found] == [
        "no webhook is set",
        "steps go to http://den.local:8080, not signed: see `webhook_secret`",
        "steps go to http://den.local:8080, signed",
    ]


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"webhook": "den.local"}, "webhook is not an address"),
        ({"webhook": "http://den.local/", "webhook_secret": "/nowhere.toml"}, "does not exist"),
    ],
)
def test_doctor_finds_a_webhook_that_cannot_be_used(tmp_path, settings, line):
    found = examined(tmp_path, **settings)

    assert found.level is Level.FAILED
    assert line in str(found.line)
