"""A server for the tests of a module."""

from collections.abc import Iterator

import pytest

from kdvision.web.server import Settings
from tests.webserver import Client, running_server


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A client of a server for this machine only, without a key."""
    with running_server(Settings(port=0)) as server_client:
        yield server_client


@pytest.fixture(autouse=True)
def read_once(read_from_cache: None) -> None:
    """Most tests send the same few photos."""
