"""The files of the page, read once and served from memory: no path of a client ever meets the disk."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from kdvision.web.limits import Refused

FOLDER: Final = Path(__file__).parent / "static"

TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""What the page is made of; other files in its folder are not served."""

HOME: Final = "/index.html"

PAIRING: Final = frozenset({"/pair.html", "/pair.css", "/pair.js", "/strings.js", "/icons/icon.svg", "/api/pair"})
"""All that a phone without the key gets."""


@dataclass(frozen=True)
class File:
    """One file of the page as it is sent, small and plain, and the tag that tells its content."""

    content: bytes
    packed: bytes
    kind: str
    tag: str

    def answer(self, request: Request | None = None, *, status: int = 200) -> Response:
        """The file, or nothing where the browser has it already."""
        headers = {"Cache-Control": "no-cache", "ETag": self.tag, "Vary": "Accept-Encoding"}
        if request is not None and request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        if request is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self.packed, status, headers | {"Content-Encoding": "gzip"}, self.kind)
        return Response(self.content, status, headers, self.kind)


@cache
def files() -> Mapping[str, File]:
    """The files of the page by their paths, `/index.html`."""
    found = sorted(path for path in FOLDER.rglob("*") if path.suffix in TYPES)
    return MappingProxyType({f"/{path.relative_to(FOLDER).as_posix()}": _file(path) for path in found})


def page(path: str) -> File:
    """One file of the page; raises Refused (404)."""
    found = files().get(HOME if path == "/" else path)
    if found is None:
        raise Refused(404, "there is no such page", hint="open the first page, /")
    return found


async def serve_page(request: Request) -> Response:
    """The file that a request names."""
    return page(request.url.path).answer(request)


def _file(path: Path) -> File:
    content = path.read_bytes()
    tag = f'W/"{hashlib.sha256(content).hexdigest()[:16]}"'
    return File(content, gzip.compress(content, mtime=0), TYPES[path.suffix], tag)
