"""Security headers, and refused requests of other sites."""

import pytest


@pytest.mark.parametrize(
    "path", ["/", "/new", "/api/v1/state", "/api/v1/nothing", "/static/actions.js"]
)
def test_every_answer_forbids_foreign_content(client, path):
    with client.get(path) as answer:
        headers = answer.headers

    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_page_of_another_site_cannot_press_the_button(client, table):
    answer = client.post("/api/v1/press", json={}, headers={"Origin": "http://elsewhere.example"})

    assert answer.status_code == 403
    assert table.done == []


def test_own_page_can_press_the_button(client):
    answer = client.post("/api/v1/press", json={}, headers={"Origin": "http://localhost"})

    assert answer.status_code == 200
