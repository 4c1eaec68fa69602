"""The endpoints: each checks what was asked for, hands it to the engine, and answers."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from kdvision.gamefile.model import of_data
from kdvision.gamefile.write import text_of
from kdvision.report.game import format_game, game_to_dict
from kdvision.web.bodies import json_of
from kdvision.web.jobs import address_of, desk_of, photo_job, tap
from kdvision.web.limits import MAX_KEY, Refused
from kdvision.web.openapi import description
from kdvision.web.pairing import COOKIE, Pairing
from kdvision.web.request import corners_of, named_of, rules_of_body, rules_of_query
from kdvision.web.response import json_answer
from kdvision.web.rules_info import everything
from kdvision.web.service import Outcome

GAME: Final = "the game"
TOML: Final = "application/toml"
TEXT: Final = "text/plain"


async def read(request: Request) -> Response:
    """Read a photo: the kingdoms in it, as `kdvision score --json` tells them, and what is needed to go on."""
    desk, rules, corners = desk_of(request), rules_of_query(request.query_params), corners_of(request.query_params)
    return await photo_job(request, lambda content, tell: desk.read(content, rules, corners, tell))


async def picture(request: Request) -> Response:
    """Turn a photo that the browser cannot show into a JPEG."""
    desk = desk_of(request)
    return await photo_job(request, lambda content, _: desk.picture(content))


async def decide(request: Request) -> Response:
    """Decide again with the squares that people have named."""
    desk, body = desk_of(request), await json_of(request)
    named, rules = named_of(body), rules_of_body(body)
    outcome: Outcome = await tap(request, lambda: desk.decide(named, rules))
    return json_answer(outcome.body, outcome.status)


async def score(request: Request) -> Response:
    """Score a whole game, as `kdvision game` does: as JSON, as a table, or as the game file itself."""
    body = await json_of(request)
    wanted = request.headers.get("accept", "")
    if TOML in wanted:
        return Response(await tap(request, lambda: text_of(of_data(body, name=GAME))), media_type=TOML)
    if TEXT in wanted:
        return Response(await tap(request, lambda: format_game(of_data(body, name=GAME), GAME)), media_type=TEXT)
    return json_answer(await tap(request, lambda: game_to_dict(of_data(body, name=GAME), GAME)))


async def rules(request: Request) -> Response:
    """Tell what the rules know: games, squares, buildings, clauses; and whether this server keeps photos."""
    return json_answer(everything() | {"keeps": desk_of(request).keep is not None})


async def openapi(_: Request) -> Response:
    """Tell what this API is."""
    return json_answer(description())


async def invite(request: Request) -> Response:
    """Tell the link that other phones come in by, and its QR code."""
    import segno  # only who invites needs it

    link = desk_of(request).link
    rows: list[Any] = [] if link is None else [*segno.make(link, error="m").matrix]
    return json_answer({"link": link, "qr": ["".join(map(str, row)) for row in rows]})


async def pair(request: Request) -> Response:
    """Let a phone in that brings the key."""
    pairing: Pairing = request.app.state.pairing
    key = (await json_of(request, most=MAX_KEY)).get("key")
    if not isinstance(key, str) or not pairing.fits(key, address_of(request)):
        raise Refused(401, "that is not the key", hint="open the link that kdvision serve printed, or type its key")
    answer = json_answer({"paired": True})
    answer.set_cookie(COOKIE, pairing.cookie, max_age=86_400, httponly=True, samesite="lax")
    return answer
