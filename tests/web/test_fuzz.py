"""Requests generated from the API description: no server error, and every response matches the description.

KDVISION_FUZZ=500 sends 500 requests to each operation instead of a few.
"""

import json
import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kdvision.web.openapi import describe_api, make_component_schemas
from tests.conftest import Run
from tests.paths import ROOT
from tests.phones import LiveStream, Phone
from tests.webserver import TIMEOUT_SECONDS, Client

MAX_EXAMPLES = int(os.environ.get("KDVISION_FUZZ", "6"))


def test_responses_match_the_description(client: Client) -> None:
    # Imported here, since it takes longer than all other imports of the tests.
    schemathesis: Any = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    checks = [
        schemathesis.checks.not_a_server_error,
        schemathesis.checks.status_code_conformance,
        schemathesis.checks.content_type_conformance,
        schemathesis.checks.response_schema_conformance,
    ]
    operations = [result.ok() for result in schemathesis.openapi.from_dict(describe_api()).get_all_operations()]
    assert len(operations) >= len(describe_api()["paths"])
    for operation in operations:

        @given(case=operation.as_strategy())
        @settings(
            max_examples=MAX_EXAMPLES,
            derandomize=MAX_EXAMPLES < 100,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def send_requests(case: Any) -> None:
            url = f"http://127.0.0.1:{client.port}"
            case.call_and_validate(base_url=url, checks=checks, timeout=TIMEOUT_SECONDS)

        send_requests()


@pytest.fixture(scope="module")
def phone(client: Client) -> Phone:
    """A phone at a table with the kingdom of the demo photo."""
    phone = Phone(client)
    phone.photograph((ROOT / "samples" / "demo.jpg").read_bytes())
    return phone


@given(
    squares=st.dictionaries(
        st.builds("{},{}".format, st.integers(-1, 6), st.integers(-1, 6)),
        st.sampled_from(
            ["w", "w1", "f", "f1", "l", "l1", "g", "g2", "s", "s2", "m", "m3", "w9", "t", "t2", "#", ".", "?"]
        ),
        min_size=1,
        max_size=30,
    ),
    has_duplicate=st.booleans(),
)
@settings(max_examples=MAX_EXAMPLES, derandomize=MAX_EXAMPLES < 100, suppress_health_check=list(HealthCheck))
def test_any_squares_can_be_set(phone: Phone, squares: dict[str, str], has_duplicate: bool) -> None:
    """Also squares that no game has, several castles or none, and a kingdom twice. They stay as they were set."""
    start = phone.look()["game"]["rounds"][0][0]
    if has_duplicate:
        phone.change("add_kingdom", reading=start["seen"]["reading"])
    changes = [{"op": "set_square", "kingdom": start["id"], "at": at, "cell": cell} for at, cell in squares.items()]
    answer = phone.send(*changes)
    assert answer.status == 200
    live = LiveStream(phone.client, phone.table)
    state = live.wait_for("state", lambda state: not state["deciding"])
    live.close()
    cells = state["game"]["rounds"][0][0]["cells"]
    assert {at: cells.get(at, ".") for at in squares} == squares
    while phone.look()["undo"]["step"] > 1:
        phone.change("undo")


def test_the_description_has_the_refusals_of_wrong_keys_and_of_photos_for_another_game() -> None:
    """Any request may bring a wrong key."""
    operations = {path: operation for path, item in describe_api()["paths"].items() for operation in item.values()}
    assert [path for path, operation in operations.items() if "429" not in operation["responses"]] == []
    assert "409" in operations["/api/tables/{table}/photos"]["responses"]


def test_the_command_line_prints_the_same_schema(run: Run) -> None:
    validator = pytest.importorskip("jsonschema_rs")
    result = run("type", "w1 w / # f", "# l1 / l l", "--harmony", "--json")
    schema = {"$ref": "#/components/schemas/Result", "components": {"schemas": make_component_schemas()}}
    validator.validator_for(schema).validate(json.loads(result.out))
