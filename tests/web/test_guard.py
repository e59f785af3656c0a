import pytest

from tests.web.conftest import holding, make_app


@pytest.mark.parametrize(
    "path", ["/", "/new", "/api/v1/state", "/api/v1/nothing", "/static/act.js"]
)
def test_every_answer_forbids_what_is_not_ours(client, path):
    with client.get(path) as answer:
        headers = answer.headers

    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_another_sites_page_cannot_press(client, table):
    answer = client.post("/api/v1/press", json={}, headers={"Origin": "http://elsewhere.example"})

    assert answer.status_code == 403
    assert table.done == []


def test_our_own_page_can(client):
    answer = client.post("/api/v1/press", json={}, headers={"Origin": "http://localhost"})

    assert answer.status_code == 200


def test_trusted_hosts_keep_other_names_out(table):
    client = holding(make_app(table, trusted_hosts=["traykeeper.local"]))

    assert client.get("/", base_url="http://traykeeper.local:8080").status_code == 200
    answer = client.get("/api/v1/state", base_url="http://rebound.example")
    assert (answer.status_code, answer.mimetype) == (400, "application/problem+json")
