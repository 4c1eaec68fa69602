"""The endpoints: each checks the request, passes it to the service and returns the response."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from kdvision.gamefile.model import game_from_dict
from kdvision.gamefile.write import write_game_text
from kdvision.report.game import format_game, game_to_dict
from kdvision.web.jobs import run_photo_job, run_quick_job, service_of
from kdvision.web.limits import MAX_KEY_BYTES, Refusal
from kdvision.web.openapi import describe_api
from kdvision.web.pairing import COOKIE, Pairing, client_address
from kdvision.web.request import parse_decide, parse_options, parse_outlines, read_json
from kdvision.web.response import json_response
from kdvision.web.rules_info import rules_data
from kdvision.web.service import Outcome

GAME_NAME: Final = "the game"
"""How messages call a game: no name comes from a client."""

TOML: Final = "application/toml"
TEXT: Final = "text/plain"

COOKIE_SECONDS: Final = 86_400


async def read(request: Request) -> Response:
    """Read a photo: its kingdoms as `kdvision score --json` prints them, and what /api/decide needs."""
    service = service_of(request)
    options, outlines = parse_options(request.query_params), parse_outlines(request.query_params)
    return await run_photo_job(request, lambda content, report: service.read(content, options, outlines, report))


async def picture(request: Request) -> Response:
    """Convert a photo that the browser cannot show to JPEG."""
    service = service_of(request)
    return await run_photo_job(request, lambda content, _: service.convert_picture(content))


async def decide(request: Request) -> Response:
    """Decide kingdoms again with the squares that people have named."""
    observations, options = parse_decide(await read_json(request))
    service = service_of(request)
    outcome: Outcome = await run_quick_job(request, lambda: service.decide(observations, options))
    return json_response(outcome.body, outcome.status)


async def score(request: Request) -> Response:
    """Score a game, as `kdvision game` does: as JSON, as a table, or as the game file itself."""
    body = await read_json(request)
    accept = request.headers.get("accept", "")

    def build() -> Any:
        game = game_from_dict(body, name=GAME_NAME)
        if TOML in accept:
            return write_game_text(game)
        return format_game(game, GAME_NAME) if TEXT in accept else game_to_dict(game, GAME_NAME)

    result = await run_quick_job(request, build)
    if isinstance(result, str):
        return Response(result, media_type=TOML if TOML in accept else TEXT)
    return json_response(result)


async def rules(request: Request) -> Response:
    """The games, squares, buildings and clauses that the rules know, and whether this server keeps photos."""
    return json_response(rules_data() | {"keeps": service_of(request).keep_folder is not None})


async def openapi(_: Request) -> Response:
    """The OpenAPI description of this API."""
    return json_response(describe_api())


async def invite(request: Request) -> Response:
    """The link for other phones and its QR code."""
    import segno

    link = service_of(request).link
    rows: list[Any] = [] if link is None else [*segno.make(link, error="m").matrix]
    return json_response({"link": link, "qr": ["".join(map(str, row)) for row in rows]})


async def pair(request: Request) -> Response:
    """Give a phone that brings the key the cookie."""
    pairing: Pairing = request.app.state.pairing
    key = (await read_json(request, max_bytes=MAX_KEY_BYTES)).get("key")
    if not isinstance(key, str) or not pairing.is_key(key, client_address(request)):
        raise Refusal(401, "that is not the key", hint="open the link that kdvision serve printed, or type its key")
    response = json_response({"paired": True})
    response.set_cookie(COOKIE, pairing.cookie, max_age=COOKIE_SECONDS, httponly=True, samesite="lax")
    return response
