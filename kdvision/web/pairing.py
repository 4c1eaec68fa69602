"""Access from the network: a client has to bring the key that `kdvision serve --lan` printed."""

import hmac
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import HTTPConnection

from kdvision.web.limits import Refusal

COOKIE: Final = "kdvision"

KEY_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without I, L, O, 0 and 1, which people mistake for each other."""

KEY_LENGTH: Final = 8
"""Letters. At ten tries a minute nobody gets through 31 ** 8 keys."""

MAX_WRONG_KEYS: Final = 10
WRONG_KEYS_SECONDS: Final = 60.0
"""After so many wrong keys within this time, an address has to wait."""

MAX_ADDRESSES: Final = 1000
"""Addresses whose wrong keys are remembered; the oldest is forgotten first."""


def new_key() -> str:
    """A random key as it is printed, such as `K7QX-2MPA`."""
    letters = "".join(secrets.choice(KEY_LETTERS) for _ in range(KEY_LENGTH))
    return f"{letters[:4]}-{letters[4:]}"


def normalise_key(key: str) -> bytes:
    """A key in capitals and without its dash, however a person typed it."""
    return "".join(letter for letter in key.upper() if letter.isalnum()).encode()


def client_address(request: HTTPConnection) -> str:
    """The network address that a request came from."""
    return request.client.host if request.client else ""


@dataclass
class Pairing:
    """The key of this run (None: no key is needed) and the recent wrong keys by address."""

    key: str | None
    clock: Callable[[], float] = time.monotonic
    _wrong: dict[str, deque[float]] = field(default_factory=dict)

    @property
    def cookie(self) -> str:
        """The cookie of a paired phone: derived from the key, without revealing it."""
        return hmac.new(normalise_key(self.key or ""), b"kdvision, paired", "sha256").hexdigest()

    def is_paired(self, request: HTTPConnection) -> bool:
        """True if no key is needed, or the request has the cookie, or the key as a bearer token."""
        if self.key is None:
            return True
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.is_key(token, client_address(request))
        return hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), self.cookie.encode())

    def is_key(self, text: str, address: str) -> bool:
        """True if the text is the key; raises Refusal (429) for an address with too many wrong keys."""
        wrong = self._wrong.setdefault(address, deque(maxlen=MAX_WRONG_KEYS))
        now = self.clock()
        if len(wrong) == MAX_WRONG_KEYS and now - wrong[0] < WRONG_KEYS_SECONDS:
            raise Refusal(429, "too many wrong keys", hint="wait a minute", retry_after=int(WRONG_KEYS_SECONDS))
        if hmac.compare_digest(normalise_key(text), normalise_key(self.key or "")):
            del self._wrong[address]
            return True
        wrong.append(now)
        while len(self._wrong) > MAX_ADDRESSES:
            del self._wrong[next(iter(self._wrong))]
        return False
