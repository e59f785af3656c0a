"""The Foundry module against a stand-in for Foundry's dice fulfilment, with a real tray's event stream.

The module is installed from the files of a release, as Foundry installs a module by address.
"""

import json
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Thread
from urllib.request import urlopen
from zipfile import ZipFile

import pytest

from game.commands import CorrectThrow, EnterThrow, SetJustDice
from scripts import release
from tests.web.conftest import MemoryTable, make_app
from web.server import Server

VERSION = "1.2.3"
FOUNDRY = """
  const hooks = {}, settings = {};
  globalThis.heard = []; globalThis.inputs = [];
  globalThis.Hooks = { once: (name, call) => { hooks[name] = call; } };
  globalThis.CONFIG = { Dice: { fulfillment: { methods: {} } } };
  globalThis.game = {
    settings: { register: (id, key, data) => { settings[key] = data; }, get: () => ADDRESS },
    i18n: { format: (key, data) => `${key} ${data.dice}` },
  };
  globalThis.ui = { notifications: { warn: (text) => heard.push(text) } };
  // A resolver has one input for each die that is wanted. A result goes to the first empty one of its method and
  // denomination. When all are filled, the resolver closes, and Roll.registerResult returns undefined.
  globalThis.ask = (...denominations) => { inputs = denominations.map((each) => ({ method: "traykeeper", each, value: "" })); };
  globalThis.done = null;
  globalThis.Roll = { defaultImplementation: { registerResult(method, denomination, result) {
    if (!inputs.length) return undefined;
    const input = inputs.find((one) => one.method === method && one.each === denomination && one.value === "");
    if (!input) { heard.push(`${denomination} roll was not needed by the resolver.`); return false; }
    input.value = `${result}`;
    if (inputs.every((one) => one.value !== "")) { done = inputs.map((one) => one.value); inputs = []; }
    return true;
  } } };
  const RealSource = EventSource;
  globalThis.EventSource = class extends RealSource {
    constructor(url) { super(url); this.onopen = () => { globalThis.is_open = true; }; }
  };
  await import("/scripts/traykeeper.mjs");
  hooks.init(); hooks.ready();
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def serving(server):
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def installed(tmp_path):
    """Install the module of a release by address, and return its folder."""
    pages = tmp_path / "pages"
    for folder in (
        latest := pages / "releases/latest/download",
        pages / f"releases/download/v{VERSION}",
    ):
        folder.mkdir(parents=True)
    with serving(
        ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(pages)))
    ) as page:
        _, archive = release.foundry_module(latest, VERSION, page)
        archive.rename(pages / f"releases/download/v{VERSION}" / archive.name)
        with urlopen(f"{page}/releases/latest/download/module.json") as answer:  # noqa: S310
            manifest = json.load(answer)
        with urlopen(manifest["download"]) as answer, ZipFile(BytesIO(answer.read())) as pack:  # noqa: S310
            pack.extractall(tmp_path / manifest["id"])
    return tmp_path / manifest["id"]


@pytest.mark.browser
def test_dice_in_the_tray_fulfil_the_waiting_roll_and_a_correction_is_announced(browser, installed):
    table = MemoryTable()
    table.do(SetJustDice(on=True))
    foundry = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(installed)))
    with serving(foundry) as origin:
        server = Server(make_app(table, readers=(origin,)), "127.0.0.1", 0)
        server.start()
        try:
            page = browser.new_page()
            page.goto(f"{origin}/module.json")
            address = json.dumps(f"http://127.0.0.1:{server.port}/")
            page.evaluate(f"async () => {{ {FOUNDRY.replace('ADDRESS', address)} }}")
            page.wait_for_function("() => globalThis.is_open")
            page.evaluate("ask('d6', 'd6', 'd6')")
            table.do(EnterThrow((2, 3, 6)))
            page.wait_for_function("() => done")
            table.do(CorrectThrow((2, 3, 5)))
            page.wait_for_function("() => heard.length === 1")
            table.do(EnterThrow((1, 1)))
            page.wait_for_function("() => heard.length === 2")
            page.evaluate("ask('d6', 'd20')")
            table.do(EnterThrow((4, 4)))
            page.wait_for_function("() => heard.length === 4")
            method = page.evaluate("CONFIG.Dice.fulfillment.methods.traykeeper")
            done, inputs, heard = page.evaluate("[done, inputs, heard]")
        finally:
            server.stop()

    assert done == ["2", "3", "6"]
    assert [each["value"] for each in inputs] == ["4", ""]
    assert heard == [
        "TRAYKEEPER.Corrected 2 3 5",
        "TRAYKEEPER.Spare 1 1",
        "d6 roll was not needed by the resolver.",
        "TRAYKEEPER.Spare 4",
    ]
    assert method["interactive"] is True


def test_installed_module_has_every_file_and_every_text_and_finds_its_next_version(installed):
    manifest = json.loads((installed / "module.json").read_text("utf-8"))
    script = (installed / manifest["esmodules"][0]).read_text("utf-8")
    texts = json.loads((installed / manifest["languages"][0]["path"]).read_text("utf-8"))

    assert (manifest["id"], manifest["version"]) == ("traykeeper", VERSION)
    assert manifest["manifest"] == f"{manifest['url']}/releases/latest/download/module.json"
    assert all(f'"{key}"' in script for key in texts)
    assert (installed / "LICENSE").exists()


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/somebody/traykeeper", "https://github.com/somebody/traykeeper.git/",
        "https://me:secret@github.com/somebody/traykeeper", "git@github.com:somebody/traykeeper.git",
        "ssh://git@github.com/somebody/traykeeper",
    ],
)  # fmt: skip
def test_page_of_the_project_is_found_from_where_git_finds_it(address):
    assert release.page_of(address) == "https://github.com/somebody/traykeeper"


@pytest.mark.parametrize("address", ["", "/srv/git/traykeeper", "../traykeeper.git"])
def test_repository_without_a_page_gives_the_module_no_addresses(address, tmp_path):
    manifest, _ = release.foundry_module(tmp_path, VERSION, release.page_of(address))

    assert not {"url", "manifest", "download"} & set(json.loads(manifest.read_text("utf-8")))


def test_only_named_pages_may_read_and_none_may_change():
    client = make_app(MemoryTable(), readers=("http://foundry.local:30000",)).test_client()
    named, other = {"Origin": "http://foundry.local:30000"}, {"Origin": "http://evil.example"}

    allowed = "Access-Control-Allow-Origin"
    assert client.get("/api/v1/state", headers=named).headers[allowed] == named["Origin"]
    assert allowed not in client.get("/api/v1/state", headers=other).headers
    assert allowed not in client.get("/healthz", headers=named).headers
    assert client.post("/api/v1/undo", json={}, headers=named).status_code == 403
