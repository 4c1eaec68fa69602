"""Who may come in from the network: whoever brings the key that `kdvision serve --lan` printed."""

import hmac
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import HTTPConnection

from kdvision.web.limits import Refused

COOKIE: Final = "kdvision"

LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""No I, L, O, 0 or 1, which people mistake for each other."""

LENGTH: Final = 8
"""Letters of a key: 31 ** 8 keys, more than anybody can try in an evening at this rate."""

TRIES: Final = 10
SECONDS: Final = 60.0
"""So many wrong keys of one address in so many seconds, and it has to wait."""

ADDRESSES: Final = 1000


def new_key() -> str:
    """A key as it is printed, `K7QX-2MPA`."""
    letters = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
    return f"{letters[:4]}-{letters[4:]}"


def plain(key: str) -> bytes:
    """A key without its dash and in capitals, as people may type it."""
    return "".join(letter for letter in key.upper() if letter.isalnum()).encode()


@dataclass
class Pairing:
    """The key of this run, None where none is asked for, and who tried wrong ones lately."""

    key: str | None
    clock: Callable[[], float] = time.monotonic
    _wrong: dict[str, deque[float]] = field(default_factory=dict)

    @property
    def cookie(self) -> str:
        """What a paired phone keeps: it follows from the key and does not tell it."""
        return hmac.new(plain(self.key or ""), b"kdvision, paired", "sha256").hexdigest()

    def paired(self, request: HTTPConnection) -> bool:
        """True where no key is asked for, or the request brings the cookie, or the key as a bearer's token."""
        if self.key is None:
            return True
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.fits(token, _address(request))
        return hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), self.cookie.encode())

    def fits(self, key: str, address: str) -> bool:
        """Whether this is the key; raises Refused (429) for an address that tried too many others."""
        wrong = self._wrong.setdefault(address, deque(maxlen=TRIES))
        now = self.clock()
        if len(wrong) == TRIES and now - wrong[0] < SECONDS:
            raise Refused(429, "too many wrong keys", hint="wait a minute", wait=int(SECONDS))
        if hmac.compare_digest(plain(key), plain(self.key or "")):
            del self._wrong[address]
            return True
        wrong.append(now)
        while len(self._wrong) > ADDRESSES:
            del self._wrong[next(iter(self._wrong))]
        return False


def _address(request: HTTPConnection) -> str:
    return request.client.host if request.client else ""
