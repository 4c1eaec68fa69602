"""The files of the page, read once and served from memory: no path that a client sends reaches the disk."""

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

from kdvision.web.limits import Refusal

FOLDER: Final = Path(__file__).parent / "static"

MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""Media types by suffix; files with other suffixes are not served."""

HOME: Final = "/index.html"

OPEN_PATHS: Final = frozenset({"/pair.html", "/pair.css", "/pair.js", "/strings.js", "/icons/icon.svg", "/api/pair"})
"""The pairing page: what a client without the key may request."""


@dataclass(frozen=True)
class StaticFile:
    """One file of the page, plain and compressed, with its media type and entity tag."""

    content: bytes
    compressed: bytes
    media_type: str
    etag: str

    def response(self, request: Request | None = None, *, status: int = 200) -> Response:
        """The file, or 304 if the browser has this version."""
        headers = {"Cache-Control": "no-cache", "ETag": self.etag, "Vary": "Accept-Encoding"}
        if request is not None and request.headers.get("if-none-match") == self.etag:
            return Response(status_code=304, headers=headers)
        if request is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(self.compressed, status, headers | {"Content-Encoding": "gzip"}, self.media_type)
        return Response(self.content, status, headers, self.media_type)


@cache
def load_files() -> Mapping[str, StaticFile]:
    """The files of the page by their URL path, such as `/index.html`."""
    found = sorted(path for path in FOLDER.rglob("*") if path.suffix in MEDIA_TYPES)
    return MappingProxyType({f"/{path.relative_to(FOLDER).as_posix()}": _load_file(path) for path in found})


def find_file(path: str) -> StaticFile:
    """One file of the page by its URL path; raises Refusal (404)."""
    found = load_files().get(HOME if path == "/" else path)
    if found is None:
        raise Refusal(404, "there is no such page", hint="open the first page, /")
    return found


async def serve_page(request: Request) -> Response:
    """The file that a request names."""
    return find_file(request.url.path).response(request)


def _load_file(path: Path) -> StaticFile:
    content = path.read_bytes()
    etag = f'W/"{hashlib.sha256(content).hexdigest()[:16]}"'
    return StaticFile(content, gzip.compress(content, mtime=0), MEDIA_TYPES[path.suffix], etag)
