"""The OpenAPI document: it is complete, and every answer that schemathesis provokes conforms to it."""

import re
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from game.commands import EnterThrow, StartMatch
from tests.web.conftest import PHONE_COOKIE, MemoryTable, make_app
from web.access.phone import COOKIE
from web.api.openapi import document
from web.route import declared_routes

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def table_in_play():
    table = MemoryTable()
    app = make_app(table)
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    return app


schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", table_in_play())


def described():
    with table_in_play().app_context():
        return document(declared_routes())


def test_document_describes_every_route_and_no_other():
    routes = {
        (re.sub("<(?:[^<]*:)?(.*?)>", r"{\1}", rule.rule), method.lower())
        for rule in table_in_play().url_map.iter_rules()
        if rule.rule.startswith("/api/") or rule.rule == "/healthz"
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    described_routes = {
        (path, method) for path, methods in described()["paths"].items() for method in methods
    }

    assert described_routes == routes


def test_every_json_answer_has_a_schema():
    answers = {
        (method, path): operation["responses"]["200"]["content"].get(
            "application/json", {"schema": 1}
        )
        for path, methods in described()["paths"].items()
        for method, operation in methods.items()
    }

    assert len(answers) > 80
    assert [name for name, content in answers.items() if not content.get("schema")] == []
    names = [each["operationId"] for p in described()["paths"].values() for each in p.values()]
    assert len(names) == len(set(names))


def test_query_parameters_are_described():
    (before,) = described()["paths"]["/api/v1/matches"]["get"]["parameters"]

    assert (before["name"], before["in"], before["required"]) == ("before", "query", False)
    assert before["schema"]["type"] == "integer"


def test_routes_read_no_undeclared_query_parameters():
    api = Path(__file__).parents[3] / "web" / "api"

    assert [
        file.name for file in api.glob("*.py") if "request.args" in file.read_text("utf-8")
    ] == []


@pytest.mark.parametrize("path", ["state", "scorekeeper"])
def test_watching_needs_no_permission(path):
    assert "security" not in described()["paths"][f"/api/v1/{path}"]["get"]


of_the_scorekeeper = schema.exclude(path_regex="/events$|lay-down$|own-turn$|give$")
boundaries = settings(
    phases=[Phase.explicit], derandomize=True, suppress_health_check=list(HealthCheck)
)
"""Only the requests that schemathesis derives from the bounds of each schema, some forty for a route."""


def check_answer_to_scorekeeper(case):
    """Check that the answer to a request of the scorekeeper conforms, and is not one that only a watcher gets."""
    case.cookies = {COOKIE: PHONE_COOKIE}
    assert "watches" not in case.call_and_validate(checks=CHECKS).text


@of_the_scorekeeper.parametrize()
@boundaries
def test_every_answer_conforms_to_the_document(case):
    check_answer_to_scorekeeper(case)


@pytest.mark.long
@of_the_scorekeeper.parametrize()
@settings(max_examples=15, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_answer_to_a_random_request_conforms_to_the_document(case):
    check_answer_to_scorekeeper(case)


@schema.include(path_regex="/(bank|undo|score)$").parametrize()
@settings(max_examples=5, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_refusal_of_a_watcher_conforms_to_the_document(case):
    case.cookies = {COOKIE: "x"}
    answer = case.call_and_validate(checks=CHECKS)

    assert case.method != "POST" or answer.status_code in {400, 403, 415}
