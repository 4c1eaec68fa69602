"""`kdvision serve`: serves the web page."""

import io
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kdvision.errors import KdvisionError
from kdvision.files import check_writable

if TYPE_CHECKING:
    from kdvision.web.server import Listener


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 chooses a free one.")] = 8000,
    lan: Annotated[bool, typer.Option("--lan", help="Let phones on the local network connect, with a key.")] = False,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="DIR", exists=True, file_okay=False, help="Store uploaded photos in this folder."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", envvar="KDVISION_DATA", file_okay=False, help="Keep the games in this folder."),
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Keep no games after the server stops.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not log requests to stderr.")] = False,
) -> None:
    """Serve the web page. Take photos with a phone, correct squares by touch, and see the standing.

    Without --lan only this machine can open the page. With --lan, phones open the printed link or its QR code and
    join the same table. Games are kept for the next start, photos only if --keep names a folder. Ctrl+C stops the
    server.
    """
    try:
        from kdvision.web.server import Settings, open_listener, run_server
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("kdvision"):
            raise
        hint = "install them: pip install 'kdvision[web]'"
        raise KdvisionError(f"the page needs packages that are not installed ({error.name})", hint=hint) from error
    if keep is not None:
        check_writable(keep)
    folder = None if forget else data or Path(typer.get_app_dir("kdvision"))
    listener = open_listener(Settings(port=port, lan=lan, keep=keep, data=folder))
    _print_links(listener)
    if not quiet:
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    run_server(listener)


def _print_links(listener: "Listener") -> None:
    """Print the address of the page, and for phones the QR code of the link, in a terminal always dark on light."""
    import segno

    if listener.settings.lan:
        typer.echo(f"On this machine: {listener.local_url}")
    if listener.link:
        code = io.StringIO()
        segno.make(listener.link, error="m").terminal(code, compact=True)
        lines = [f"\x1b[97;40m{line}\x1b[0m" if sys.stdout.isatty() else line for line in code.getvalue().splitlines()]
        typer.echo(f"For phones:      {listener.link}\n")
        typer.echo("\n".join(lines))
        typer.echo(f"\nOr open {listener.link.partition('#')[0]} and type the key {listener.settings.key}")
    elif listener.settings.lan:
        typer.echo("This machine is not connected to a network, so phones cannot reach it.")
    else:
        typer.echo(f"The page: {listener.local_url}")
    if listener.settings.data is not None:
        typer.echo(listener.tables.storage.notice or f"Games are kept in {listener.settings.data}")
    typer.echo("Ctrl+C stops the server.")
    sys.stdout.flush()
