"""Under which names and addresses this machine is called, and which other pages may not call it."""

import ipaddress
import socket
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers

OWN_SITES: Final = ("", "none", "same-origin")
"""What `Sec-Fetch-Site` says of requests of our own page, of people themselves, and of programs."""


def own_name(host: str, *, lan: bool) -> bool:
    """Whether a Host header names this machine.

    An address does, and a few names; any other name may be a stranger's that he points at this machine to get at it
    from his own page (DNS rebinding).
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    try:
        loopback = ipaddress.ip_address(name).is_loopback
        return lan or loopback
    except ValueError:
        return name == "localhost" or (lan and name in _names())


def is_loopback(address: str) -> bool:
    """Whether an address is of this machine itself."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def foreign(headers: Headers, scheme: str) -> bool:
    """Whether a page of another origin sent this, except to follow a link to ours."""
    origin = headers.get("origin")
    if origin is not None:
        return origin != f"{scheme}://{headers.get('host', '')}"
    return headers.get("sec-fetch-site", "") not in OWN_SITES and headers.get("sec-fetch-mode") != "navigate"


def address() -> str | None:
    """The address of this machine in its network; None without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # asks for the way there (RFC 5737: nowhere); nothing is sent
            found = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if ipaddress.ip_address(found).is_loopback else found


def _names() -> set[str]:
    name = socket.gethostname().lower()
    return {name, f"{name}.local"}
