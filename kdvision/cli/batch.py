"""`kdvision batch`: all photos of an event, read and kept safe, with standings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kdvision.cli.options import Size
from kdvision.cli.progress import Ticker
from kdvision.cli.variant_options import variant_options
from kdvision.errors import ExitCode
from kdvision.game.rules import board_variants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kdvision.batch.outputs import RunSummary
    from kdvision.batch.review import ReviewItem
    from kdvision.batch.run import BatchOptions, BatchRun
    from kdvision.batch.standings import Ranking
    from kdvision.batch.workers import Executor

EVENT_VARIANTS: Final = board_variants("kingdomino")

SHOWN: Final = 5
"""So many places of the first standing are printed; the report has all of them."""


@variant_options(EVENT_VARIANTS)
def batch(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Photos, in it and in all folders below.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="A folder for the results.")],
    event: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The event's file; by default FOLDER/event.toml, if it is there."),
    ] = None,
    variants: tuple[str, ...] = (),
    size: Annotated[
        Size | None, typer.Option("--size", help="The games' side; by default what the boards show.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Read in so many processes; by default one a core.")
    ] = None,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Read on the Dask cluster there.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Read all photos again.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on reading photos as they arrive, until Ctrl-C.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 6 where a person should look.")] = False,
) -> None:
    """Score all photos of an event: standings, what needs a look, what failed, and a report.

    Names tell round, table and player, as in round1/table3/ann.jpg; docs/events.md tells more. Each result is safe as
    soon as it is read: a run that was stopped goes on when it is called again. Corrections: kdvision review OUT.
    """
    from kdvision.batch.result_folder import ResultFolder
    from kdvision.batch.rules import Rules
    from kdvision.batch.run import BatchOptions

    rules = Rules(variants, int(size.value) if size else None) if variants or size else None
    options = BatchOptions(folder, out, event, rules, force)
    _check(options)
    with ResultFolder(out).lock():
        written = _run(options, _make_executor(workers, dask), watching=watch)
    put_written(written, out)
    if written.failures:
        raise typer.Exit(ExitCode.PARTIAL_FAILURE)
    if strict and written.review_items:
        raise typer.Exit(ExitCode.NEEDS_REVIEW)


def put_written(written: "RunSummary", out: Path) -> None:
    """Print what a run came to: who leads, how much there is to look at, and where all of it lies."""
    if written.rankings:
        _put_ranking(written.rankings[0])
    typer.echo(f"{_count(written.photos, 'photo')}, {_count(written.kingdoms, 'kingdom')}.")
    if written.failures:
        typer.echo(f"{len(written.failures)} failed: {out / 'errors.csv'}")
    if written.review_items:
        typer.echo(f"{_to_look_at(written.review_items)}: kdvision review {out}")
    typer.echo(f"The report: {out / 'report.html'}")


def _to_look_at(items: "Sequence[ReviewItem]") -> str:
    from kdvision.batch.review import select_with_impact

    few = len(select_with_impact(items))
    more = f"; {len(items) - few} more would change nothing, as far as is known" if len(items) > few else ""
    return f"{few} to look at{more}"


def _check(options: "BatchOptions") -> None:
    """Raise for what cannot be meant, before anything is read or written."""
    from dataclasses import replace

    from kdvision.batch import folder
    from kdvision.batch.rules import Rules

    folder.check_folder(options.folder)
    if options.out.resolve() == options.folder.resolve():
        raise typer.BadParameter("the results need a folder of their own", param_hint="--out")
    event = replace(options, rules=None).load_event()
    if options.rules is not None and event.rules != Rules():
        raise typer.BadParameter("the event's file tells the rules already", param_hint=_join_options())


def _join_options() -> str:
    options = ["--size", *(f"--{variant.id}" for variant in EVENT_VARIANTS)]
    return f"{', '.join(options[:-1])} and {options[-1]}"


def _make_executor(workers: int | None, dask: str | None) -> "Executor":
    if dask is not None:
        from kdvision.batch.cluster import DaskExecutor

        return DaskExecutor(dask)
    from kdvision.batch.workers import PoolExecutor

    return PoolExecutor(workers)


def _run(options: "BatchOptions", executor: "Executor", *, watching: bool) -> "RunSummary":
    """What the run came to. Ctrl-C ends it in good order: what was read is written out."""
    from kdvision.batch.run import BatchRun

    ticker = Ticker()

    def say(text: str) -> None:
        typer.echo(f"kdvision: {text}.", err=True)

    run = BatchRun(options, executor, on_progress=ticker, on_message=say)
    try:
        return _watch(run, ticker) if watching else _run_once(run, ticker)
    finally:
        ticker.end()
        run.close()


def _run_once(run: "BatchRun", ticker: Ticker) -> "RunSummary":
    try:
        return run.run()
    except KeyboardInterrupt:
        ticker.end()
        typer.echo("kdvision: stopped; what was read is kept. The same command goes on from here.", err=True)
        put_written(run.finish(run.list_folder()), run.options.out)
        raise typer.Exit(ExitCode.ERROR) from None


def _watch(run: "BatchRun", ticker: Ticker) -> "RunSummary":
    last: list[RunSummary] = []

    def ready(written: "RunSummary") -> None:
        ticker.end()
        last[:] = [written]
        first = f": {written.rankings[0].verdict}" if written.rankings and written.rankings[0].verdict else ""
        typer.echo(f"kdvision: {_count(written.photos, 'photo')} read{first}.", err=True)

    typer.echo(f"kdvision: watching {run.options.folder}; Ctrl-C ends it.", err=True)
    try:
        run.watch(ready)
    except KeyboardInterrupt:
        ticker.end()
    return last[0] if last else run.apply_corrections()


def _put_ranking(ranking: "Ranking") -> None:
    verdict = ranking.verdict[:1].upper() + ranking.verdict[1:]
    typer.echo(f"{ranking.title}. {verdict}." if verdict else f"{ranking.title}.")
    for row in ranking.rows[:SHOWN]:
        place = "–" if row.place is None else row.place
        points = "–" if row.points is None else row.points
        typer.echo(f"  {place}. {row.player}  {points}" + (f"  ({row.note})" if row.note else ""))
    if len(ranking.rows) > SHOWN:
        typer.echo(f"  … and {len(ranking.rows) - SHOWN} more")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
