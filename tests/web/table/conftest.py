"""A phone at a table."""

import pytest

from tests.phones import Phone
from tests.webserver import Client


@pytest.fixture
def phone(client: Client) -> Phone:
    """A phone at a table of its own."""
    return Phone(client, client.post("/api/tables", {"new": True}).json["table"])
