"""`kdvision evaluate`: measures the models on labelled photos."""

from pathlib import Path
from typing import Annotated

import typer

from kdvision.cli.inputs import load_networks


def evaluate(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", exists=True, file_okay=False, help="Photos, each with a JSON file of its true boards."
        ),
    ],
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write one row per photo to this file.")] = None,
    stress: Annotated[bool, typer.Option("--stress", help="Corrupt every photo in 24 ways first.")] = False,
    seed: Annotated[
        list[int] | None,
        typer.Option(min=0, metavar="N", help="With --stress: the random seed. Repeatable."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="The number of processes.")] = 1,
) -> None:
    """Measure accuracy on labelled photos. Prints the figures by room, or by corruption with --stress."""
    if seed and not stress:
        raise typer.BadParameter("seeds need --stress as well", param_hint="--seed")
    from kdvision.cli.progress import ProgressDisplay
    from kdvision.evaluate.evaluate import evaluate as evaluate_photos
    from kdvision.files import check_writable

    if csv is not None:
        check_writable(csv.parent)
    load_networks()
    with ProgressDisplay() as display:
        report = evaluate_photos(
            directory, csv=csv, stress=stress, seeds=seed or [0], workers=workers, progress=display.update
        )
    typer.echo(report)
