"""The Foundry module against a stand-in for Foundry's dice fulfilment, with a real tray's event stream."""

import json
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from game.commands import CorrectThrow, EnterThrow, SetJustDice
from tests.web.conftest import MemoryTable, make_app
from web.server import Server

MODULE = Path(__file__).parents[2] / "integrations" / "foundry"
FOUNDRY = """
  const hooks = {}, settings = {};
  globalThis.heard = []; globalThis.open_dice = 0; globalThis.results = [];
  globalThis.Hooks = { once: (name, call) => { hooks[name] = call; } };
  globalThis.CONFIG = { Dice: { fulfillment: { methods: {} } } };
  globalThis.game = {
    settings: { register: (id, key, data) => { settings[key] = data; }, get: () => ADDRESS },
    i18n: { format: (key, data) => `${key} ${data.dice}` },
  };
  globalThis.ui = { notifications: { warn: (text) => heard.push(text) } };
  globalThis.Roll = { defaultImplementation: { registerResult(method, denomination, result) {
    if (!open_dice) return undefined;
    open_dice -= 1; results.push([method, denomination, result]); return true;
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


@pytest.mark.browser
def test_dice_in_the_tray_fulfil_the_waiting_roll_and_a_correction_is_announced(browser):
    table = MemoryTable()
    table.do(SetJustDice(on=True))
    foundry = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(MODULE)))
    with serving(foundry) as origin:
        server = Server(make_app(table, readers=(origin,)), "127.0.0.1", 0)
        server.start()
        try:
            page = browser.new_page()
            page.goto(f"{origin}/module.json")
            address = json.dumps(f"http://127.0.0.1:{server.port}/")
            page.evaluate(f"async () => {{ {FOUNDRY.replace('ADDRESS', address)} }}")
            page.wait_for_function("() => globalThis.is_open")
            page.evaluate("open_dice = 3")
            table.do(EnterThrow((2, 3, 6)))
            page.wait_for_function("() => results.length === 3")
            table.do(CorrectThrow((2, 3, 5)))
            page.wait_for_function("() => heard.length === 1")
            table.do(EnterThrow((1, 1)))
            page.wait_for_function("() => heard.length === 2")
            method = page.evaluate("CONFIG.Dice.fulfillment.methods.traykeeper")
            results, heard = page.evaluate("[results, heard]")
        finally:
            server.stop()

    assert results == [["traykeeper", "d6", face] for face in (2, 3, 6)]
    assert heard == ["TRAYKEEPER.Corrected 2 3 5", "TRAYKEEPER.Spare 1 1"]
    assert method["interactive"] is True


def test_manifest_names_files_that_exist_and_every_text():
    manifest = json.loads((MODULE / "module.json").read_text("utf-8"))
    script = (MODULE / manifest["esmodules"][0]).read_text("utf-8")
    texts = json.loads((MODULE / manifest["languages"][0]["path"]).read_text("utf-8"))

    assert manifest["id"] == "traykeeper"
    assert all(f'"{key}"' in script for key in texts)


def test_only_named_pages_may_read_and_none_may_change():
    client = make_app(MemoryTable(), readers=("http://foundry.local:30000",)).test_client()
    named, other = {"Origin": "http://foundry.local:30000"}, {"Origin": "http://evil.example"}

    allowed = "Access-Control-Allow-Origin"
    assert client.get("/api/v1/state", headers=named).headers[allowed] == named["Origin"]
    assert allowed not in client.get("/api/v1/state", headers=other).headers
    assert allowed not in client.get("/healthz", headers=named).headers
    assert client.post("/api/v1/undo", json={}, headers=named).status_code == 403
