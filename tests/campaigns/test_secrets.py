"""Passwords are planted in every setting that may contain one, and are then looked for in everything that leaves the program."""

import base64
import json
import random
import re
import signal
import string
from contextlib import ExitStack, closing
from dataclasses import fields
from functools import partial
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Thread
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import HTTPCookieProcessor, build_opener
from zipfile import ZipFile

import pytest

from device.addresses import reduce_urls
from device.app import PlayOptions, serving
from device.cli import main
from device.commands.play import in_safe_mode
from device.failed_starts import LIMIT, StartRecord
from device.hardware.choices import camera_name
from device.lan import as_page_url
from device.mqtt.client import parse_address
from device.settings import Settings, parse
from device.shared_match.links import TrayInvitation
from device.storage.daily_backup import FOLDER as BACKUPS
from device.webhook import parse_receiver
from game.errors import GameError
from tests.campaigns.phone import Played
from tests.campaigns.size import count
from tests.handled_tray import HandledTray
from tests.mjpeg_server import MjpegServer
from tests.mosquitto import PASSWORD, PROGRAM, Listener, mosquitto
from tests.waiting import PATIENCE_S, until
from tests.web.conftest import MemoryTable, make_app
from tests.web.guest import ENDLESS, filled, routes
from web.app import new_link

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(7200)]

PRIVATE = {f.name for f in fields(Settings) if f.metadata.get("private")}
PLAIN = {
    *("rules", "host", "hosts", "state", "picture", "threads", "burst_frames", "lamp"),
    *("mqtt_tray", "mqtt_ca"),
}
"""Settings with text that is no password: words, host names and the names of files."""

NAMES = ("pwd", "pass", "pw", "p", "auth", "password", "token", "key", "user", "x")
URL = re.compile(r"\w+://[^\s\"'<>]+")
"""What a report can recognise as an address in any text."""

MARK = re.compile(r"zq[a-z0-9]{6}qz")


def new_mark(rng):
    return f"zq{''.join(rng.choices(string.ascii_lowercase + string.digits, k=6))}qz"


def marks_in(text):
    """Return the passwords in a text, also those in base64."""
    found = set(MARK.findall(text.lower()))
    for word in re.findall(r"[A-Za-z0-9+/]{12,}={0,2}", text):
        try:
            decoded = base64.b64decode(word + "=" * (-len(word) % 4))
        except ValueError:
            continue
        found |= set(MARK.findall(decoded.decode("latin-1").lower()))
    return found


def password(rng):
    """Return a password that contains a mark and, often, characters with a meaning in an address."""
    odd = "".join(rng.choices("#/?@%:;=&_,+! \\[]0123456789ab", k=rng.randint(0, 4)))
    return f"{odd}{new_mark(rng)}" if rng.random() < 0.7 else f"{new_mark(rng)}{odd}"


def address(rng, schemes=("http", "https", "rtsp", "rtsps", "mqtt", "mqtts")):
    """Return an address with a password somewhere, encoded or not, often with a typing mistake."""
    coded = (lambda text: quote(text, safe="")) if rng.random() < 0.4 else (lambda text: text)
    host = rng.choice(("10.0.0.7", "den.local", "[fe80::1%25eth0]", "localhost", "cam-1"))
    port = rng.choice(("", ":554", ":8080", ":99999", ":", ":80a"))
    url = f"{host}{port}"
    place = rng.choice(("user", "password", "path", "query", "name", "fragment"))
    if place in ("user", "password") or rng.random() < 0.3:
        user = coded(password(rng)) if place == "user" else rng.choice(("admin", "", "me"))
        url = f"{user}:{coded(password(rng))}@{url}"
    if place == "path":
        url += rng.choice(
            ("/user=admin_password={}_channel=1_stream=0.sdp", "/{}", "/a/{}/b")
        ).format(coded(password(rng)))
    else:
        url += rng.choice(("", "/", "/video", "/live/ch0"))
    if place == "query":
        url += f"?a=b&{rng.choice(NAMES)}={coded(password(rng))}"
    elif place == "name":
        url += f"?{coded(password(rng))}"
    elif place == "fragment":
        url += f"#{password(rng)}"
    before = rng.choice(("://",) * 12 + (":/", ":", "//", "", ":///"))
    scheme = rng.choice((*schemes, *schemes, "HTTP", "rstp", "ftp", "http "))
    return rng.choice(("",) * 9 + (" ",)) + scheme + before + url


def lines_with(name, url, rng):
    """Return a settings file with an address, which may have a mistake of its own."""
    text = json.dumps(url, ensure_ascii=False)
    return rng.choice(
        (text,) * 6
        + (
            *(
                url,
                f"'{url}",
                f'"{url}',
                f"[{text}]",
                f'"""{url}\n"""',
                "zqabcdefqz",
                f"{{a = {text}}}",
            ),
            f"{text} {text}",
        )
    ).join((f"{name} = ", "\n"))


def test_every_setting_either_is_private_or_cannot_be_a_password():
    texts = {f.name for f in fields(Settings) if isinstance(f.default, str)}

    assert texts == PRIVATE | PLAIN


def test_no_error_and_no_name_contains_a_password(tmp_path, capsys, monkeypatch):
    """Addresses are generated; what is accepted, and what is refused, shows nothing of them."""
    monkeypatch.setattr("device.doctor.system.fetch", lambda _: None)
    rng, n = random.Random(59), count(400, 60_000)
    accepted, zips = 0, count(2, 40)
    file = tmp_path / "settings.toml"
    for number in range(n):
        name, url = rng.choice(sorted(PRIVATE)), address(rng)
        text = lines_with(name, url, rng)
        try:
            said = repr(parse(text, "settings.toml"))
            accepted += 1
        except (GameError, ValueError) as error:
            said = f"{error} {error!r}"
        assert not marks_in(said), text
        said = " ".join(shown_of(url))
        assert not marks_in(said), url
        if number < zips * 10 and number % 10 == 0:
            file.write_text(text)
            said = doctor(tmp_path, capsys, "--settings", str(file))
            assert not marks_in(said), text
    assert n / 20 < accepted < n
    print(f"\n{n:,} settings with a password: {accepted:,} accepted, the password seen 0 times")


def shown_of(url):
    """Yield what each part of the program says of an address."""
    for read in (camera_name, parse_address, parse_receiver, as_page_url, invitation, reduce_urls):
        try:
            found = read(url)
        except (GameError, ValueError) as error:
            yield f"{error} {error!r}"
        else:
            if read is not reduce_urls or URL.fullmatch(url):
                yield f"{found} {found!r}"


def invitation(link):
    return TrayInvitation.parse(f"{link}#0123456789")


def doctor(tmp_path, capsys, *options):
    """Return all that the doctor says and packs."""
    report = tmp_path / "report.zip"
    report.unlink(missing_ok=True)
    said = []
    for more in (("--zip", str(report)), ("--json",)):
        with pytest.raises(SystemExit):
            main(["doctor", *more, *options])
        said += capsys.readouterr()
    with ZipFile(report) as pack:
        said += [pack.read(name).decode() for name in pack.namelist()]
    assert len(said) >= 9
    return "\n".join(said)


def pages(app, get):
    """Return every page and every answer of a table, by its path."""
    said = {}
    for name in routes(app):
        method, _, path = name.partition(" ")
        if method == "GET" and path != "/api/v1/backup" and not ENDLESS.search(path):
            said[path] = get(filled(path))
    assert {"/", "/health", "/healthz", "/api/v1/state"} <= said.keys()
    return said


@pytest.fixture(scope="module")
def app():
    return make_app(MemoryTable())


def test_a_start_that_fails_and_the_safe_mode_after_it_do_not_show_the_password(
    tmp_path, capfd, monkeypatch, app
):
    """The service is started three times with a refused address; then it starts in safe mode."""
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    rng, n = random.Random(60), count(2, 60)
    for number in range(n):
        state, file = tmp_path / f"{number}", tmp_path / "settings.toml"
        state.mkdir()
        text, said = refused_settings(rng), []
        file.write_text(f'{text}\nstate = "{state}"\n')
        for _ in range(LIMIT):
            with pytest.raises(SystemExit) as ended:
                main(["play", "--settings", str(file), "--port", "0"])
            assert ended.value.code == 2
        usual = PlayOptions(state=str(state), port=0, settings_file=str(file))
        record = StartRecord.of_service(state)
        assert record.is_safe_mode_due
        with serving(in_safe_mode(usual, record)) as (_, server):
            client = server.app.test_client()
            token = new_link(server.app).partition("=")[2]
            client.post("/api/v1/scorekeeper/link", json={"token": token})
            shown = pages(app, partial(got_in_process, client))
            assert "Safe mode" in shown["/health"]
            said += shown.values()
        said += [*capfd.readouterr(), doctor(tmp_path, capfd, "--settings", str(file))]
        said += stored(state)
        assert not marks_in("\n".join(said)), text
    print(f"\n{n} services that do not start, {n * LIMIT} failed starts: the password seen 0 times")


def got_in_process(client, path):
    with client.get(path) as answer:
        return answer.get_data().decode("latin-1")


def refused_settings(rng):
    while True:
        text = lines_with(rng.choice(sorted(PRIVATE)), address(rng), rng)
        try:
            parse(text, "settings.toml")
        except (GameError, ValueError):
            if MARK.search(text):
                return text


def stored(state):
    """Return the files in the state folder as text; only the backups contain settings, on purpose."""
    files = [file for file in state.rglob("*") if file.is_file() and BACKUPS not in file.parts]
    return [file.read_bytes().decode("latin-1") for file in files]


class EchoReceiver(ThreadingHTTPServer):
    """A receiver of steps that repeats, in its refusal, what it was sent.

    Attributes:
        is_kind: Whether it accepts the steps.
        paths: The path of each request.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Echo)
        self.is_kind, self.paths = True, []
        Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class _Echo(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.paths.append(self.path)
        self.send_response(204 if self.server.is_kind else 404, f"Nothing at {self.path}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Planted:
    """Settings with a password in every place, for servers that all exist."""

    def __init__(self, folder, rng, port, *, camera, receiver, broker):
        self.marks = [new_mark(rng) for _ in range(8)]
        user, word, path, key, hook, value, secret, name = self.marks
        name = rng.choice((*NAMES, name))
        at = f"{quote(user)}:{quote(f'{word}#/?@%', safe='')}@"
        self.camera = camera.url.replace("//", f"//{at}").replace(
            "/video", f"/user=admin_password={path}_stream=0.sdp?{name}={key}"
        )
        self.webhook = f"http://127.0.0.1:{receiver.server_port}/{hook}?{name}={value}"
        webhook_secret = folder / "webhook.toml"
        webhook_secret.touch(mode=0o600)
        coded = base64.b64encode(f"{secret}{'x' * 24}".encode()).decode()
        webhook_secret.write_text(f'secret = "whsec_{coded}"\n')
        self.file = folder / "settings.toml"
        settings = {
            "camera": self.camera,
            "webhook": self.webhook,
            "webhook_secret": str(webhook_secret),
            "readers": "http://foundry.local:30000",
            "port": port,
        }
        settings |= {"mqtt_tray": "t1"} | broker.settings() if broker else {}
        self.file.write_text("".join(f"{k} = {json.dumps(v)}\n" for k, v in settings.items()))


def test_a_table_whose_settings_are_full_of_passwords_shows_none(tmp_path, capsys, app):
    """The camera, the webhook and the broker work at first; then they fail, each in its own words."""
    rng, n = random.Random(61), count(1, 30)
    for number in range(n):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        shown = play_with_passwords(folder, rng, capsys, app)
        assert not marks_in(shown)
        assert PASSWORD not in shown
    print(f"\n{n} tables with eight passwords each: seen 0 times")


def play_with_passwords(folder, rng, capsys, app):
    """Return all that leaves a table while it is played."""
    tray, said = HandledTray(seed=1), []
    with ExitStack() as stack:
        camera = stack.enter_context(closing(MjpegServer(lambda: tray.capture().image)))
        receiver = stack.enter_context(closing(EchoReceiver()))
        broker = stack.enter_context(mosquitto(folder / "broker")) if PROGRAM else None
        listener = stack.enter_context(closing(Listener(broker))) if broker else None
        with closing(EchoReceiver()) as free:
            port = free.server_port
        planted = Planted(folder, rng, port, camera=camera, receiver=receiver, broker=broker)
        cookies, options = CookieJar(), ("--settings", str(planted.file))
        stderr = stack.enter_context((folder / "stderr").open("w"))
        table = Played(folder / "state", cookies, *options, "--port", str(port), stderr=stderr)
        get = getter(port, cookies)
        try:
            until(lambda: table.state()["camera"])
            table.post("match", names=["Anna", "Ben"])
            table.post("dice", dice=[1, 1, 2, 3, 4, 6])
            until(lambda: receiver.paths)
            said += pages(app, get).values()
            said.append(doctor(folder, capsys, *options))
            camera.fault, receiver.is_kind = "refuse", False
            if broker:
                broker.kill()
            table.post("undo")
            until(lambda: table.state()["camera"] is None)
            until(lambda: "404 Not Found" in get("/health"))
            said += pages(app, get).values()
            said.append(doctor(folder, capsys, *options))
            backup = get("/api/v1/backup", raw=True)
        finally:
            table.process.send_signal(signal.SIGTERM)
            said.append(table.process.communicate(timeout=PATIENCE_S)[0])
        said.append(doctor(folder, capsys, *options))
        assert broker is None or any("homeassistant" in topic for topic, *_ in listener.heard)
        said += [f"{topic} {text!r}" for topic, text, _ in (listener.heard if listener else ())]
    user, word, path, key, hook, value, secret, _ = planted.marks
    with ZipFile(BytesIO(backup)) as pack:
        kept = "\n".join(pack.read(name).decode("latin-1") for name in pack.namelist())
    assert marks_in(kept) >= {user, word, path, key, hook, value}
    assert secret not in marks_in(kept)
    assert hook in receiver.paths[0]
    return "\n".join([*said, (folder / "stderr").read_text(), *stored(folder / "state")])


def getter(port, cookies):
    """Return a function that fetches a page as the phone that started the match."""
    opener = build_opener(HTTPCookieProcessor(cookies))

    def get(path, *, raw=False):
        try:
            with opener.open(f"http://localhost:{port}{path}", timeout=PATIENCE_S) as answer:
                data = answer.read()
        except HTTPError as refusal:
            with refusal:
                data = refusal.read()
        return data if raw else data.decode("latin-1")

    return get
