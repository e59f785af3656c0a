"""The host names under which the server answers."""

import pytest

from web.access.origin import AllowedHosts
from web.app import create_app

HOSTS = AllowedHosts("den.example", "10.0.0.1", "Other.Example.", name="traykeeper")


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LOCALHOST:8000", "traykeeper", "traykeeper.local", "Traykeeper.Local.:80"),
        *("traykeeper.fritz.box", "traykeeper.home.arpa:8000", "traykeeper-2.local"),
        *("127.0.0.1:8000", "192.168.178.44", "[::1]:8000", "[fe80::1%eth0]", "::1"),
        *("den.example", "other.example:443", ""),
    ],
)
def test_own_names_and_addresses_are_allowed(host):
    assert HOSTS.allows(host)


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "traykeeper.evil.example", "traykeeper.local.evil.example"),
        *("127.0.0.1.evil.example", "localhost.evil.example", "eviltraykeeper.local"),
        *(
            "traykeeper-x.local",
            "0x7f.1",
            "[::1].evil.example",
            "evil.example:8000",
            "a:b:c",
            "[",
            "\x00",
        ),
    ],
)
def test_any_other_name_is_not_allowed(host):
    assert not HOSTS.allows(host)


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/state", "/healthz", "/static/actions.js", "/nowhere"]
)
def test_request_for_a_foreign_name_gets_only_the_remedy(table, path):
    client = create_app(table, hosts=HOSTS).test_client()
    answer = client.get(path, headers={"Host": "rebound.example:8000"})

    assert answer.status_code == 403
    assert answer.json["detail"] == (
        "this Traykeeper is not called 'rebound.example': open it as traykeeper.local or by its "
        "address, or add the name to `hosts` in the settings"
    )
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert client.get("/", headers={"Host": "traykeeper.local:8000"}).status_code == 200


def test_post_for_a_foreign_name_is_refused(table):
    client = create_app(table, hosts=HOSTS).test_client()
    headers = {"Host": "rebound.example", "Origin": "http://rebound.example"}

    assert client.post("/api/v1/press", headers=headers).status_code == 403
    assert table.done == []


def test_a_machine_that_is_renamed_answers_to_its_new_name_at_once(monkeypatch):
    hosts = AllowedHosts()
    monkeypatch.setattr("socket.gethostname", lambda: "traykeeper")
    assert hosts.allows("traykeeper.local:8000")
    monkeypatch.setattr("socket.gethostname", lambda: "Den.fritz.box")

    assert hosts.allows("den.local")
    assert hosts.allows("den-2.local")
    assert hosts.allows("den.fritz.box")
    assert not hosts.allows("traykeeper.local:8000")
    assert not hosts.allows("den.evil.example")
