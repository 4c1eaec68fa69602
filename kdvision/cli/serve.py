"""`kdvision serve`: the page at the table."""

import io
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kdvision.errors import KdvisionError

if TYPE_CHECKING:
    from kdvision.web.server import Listener


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")] = 8000,
    lan: Annotated[bool, typer.Option("--lan", help="Let phones of the local network in, by a key.")] = False,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="DIR", exists=True, file_okay=False, writable=True, help="Keep the photos that are sent."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No line on stderr for each request.")] = False,
) -> None:
    """Serve the page: everybody takes photos with a phone, corrects by touch, and sees the standing.

    Without --lan the page is for this machine alone. With it, phones come in by the link, or its QR code, that is
    printed. Photos stay in memory unless --keep names a folder. Ctrl+C stops it.
    """
    try:
        from kdvision.web.server import Settings, open_listener, run_server
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("kdvision"):
            raise
        hint = "install them: pip install 'kdvision[web]'"
        raise KdvisionError(f"the page needs packages that are not installed ({error.name})", hint=hint) from error
    listener = open_listener(Settings(port=port, lan=lan, keep=keep))
    _greet(listener)
    if not quiet:
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    run_server(listener)


def _greet(listener: "Listener") -> None:
    """Print where the page is, and for phones the QR code of the link."""
    if listener.settings.lan:
        typer.echo(f"On this machine: {listener.local_url}")
    if listener.link:
        typer.echo(f"For phones:      {listener.link}\n\n{_qr_code(listener.link)}")
        typer.echo(f"\nOr open {listener.link.partition('#')[0]} and type the key {listener.settings.key}")
    elif listener.settings.lan:
        typer.echo("This machine is in no network, so phones cannot reach it.")
    else:
        typer.echo(f"The page: {listener.local_url}")
    typer.echo("Ctrl+C stops it.")
    sys.stdout.flush()


def _qr_code(link: str) -> str:
    """The QR code of a link as text, dark on light whichever way the terminal's colours are."""
    import segno

    out = io.StringIO()
    segno.make(link, error="m").terminal(out, compact=True)
    lines = out.getvalue().splitlines()
    return "\n".join(f"\x1b[97;40m{line}\x1b[0m" if sys.stdout.isatty() else line for line in lines)
