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

    from kdvision.batch.options import Plan
    from kdvision.batch.outputs import Written
    from kdvision.batch.pool import Crew
    from kdvision.batch.review import Look
    from kdvision.batch.run import Night
    from kdvision.batch.standings import Ranking

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
    from kdvision.batch.event import Rules
    from kdvision.batch.options import Plan
    from kdvision.batch.result_folder import Place

    rules = Rules(variants, int(size.value) if size else None) if variants or size else None
    plan = Plan(folder, out, event, rules, force)
    _check(plan)
    with Place(out).held():
        written = _run(plan, _crew(workers, dask), watching=watch)
    put_written(written, out)
    if written.failures:
        raise typer.Exit(ExitCode.PARTIAL_FAILURE)
    if strict and written.looks:
        raise typer.Exit(ExitCode.NEEDS_REVIEW)


def put_written(written: "Written", out: Path) -> None:
    """Print what a run came to: who leads, how much there is to look at, and where all of it lies."""
    if written.rankings:
        _put_ranking(written.rankings[0])
    typer.echo(f"{_count(written.photos, 'photo')}, {_count(written.kingdoms, 'kingdom')}.")
    if written.failures:
        typer.echo(f"{len(written.failures)} failed: {out / 'errors.csv'}")
    if written.looks:
        typer.echo(f"{_to_look_at(written.looks)}: kdvision review {out}")
    typer.echo(f"The report: {out / 'report.html'}")


def _to_look_at(looks: "Sequence[Look]") -> str:
    from kdvision.batch.review import decisive

    few = len(decisive(looks))
    more = f"; {len(looks) - few} more would change nothing, as far as is known" if len(looks) > few else ""
    return f"{few} to look at{more}"


def _check(plan: "Plan") -> None:
    """Raise for what cannot be meant, before anything is read or written."""
    from dataclasses import replace

    from kdvision.batch import folder
    from kdvision.batch.event import Rules

    folder.check(plan.folder)
    if plan.out.resolve() == plan.folder.resolve():
        raise typer.BadParameter("the results need a folder of their own", param_hint="--out")
    told = replace(plan, rules=None).told()
    if plan.rules is not None and told.rules != Rules():
        raise typer.BadParameter("the event's file tells the rules already", param_hint=_join_options())


def _join_options() -> str:
    options = ["--size", *(f"--{variant.id}" for variant in EVENT_VARIANTS)]
    return f"{', '.join(options[:-1])} and {options[-1]}"


def _crew(workers: int | None, dask: str | None) -> "Crew":
    if dask is not None:
        from kdvision.batch.cluster import Cluster

        return Cluster(dask)
    from kdvision.batch.pool import Pool

    return Pool(workers)


def _run(plan: "Plan", crew: "Crew", *, watching: bool) -> "Written":
    """What the run came to. Ctrl-C ends it in good order: what was read is written out."""
    from kdvision.batch.run import Night

    ticker = Ticker()
    night = Night(plan, crew, tell=ticker, say=lambda text: typer.echo(f"kdvision: {text}.", err=True))
    try:
        return _watched(night, ticker) if watching else _once(night, ticker)
    finally:
        ticker.end()
        night.close()


def _once(night: "Night", ticker: Ticker) -> "Written":
    from kdvision.batch.folder import walk

    try:
        return night.once()
    except KeyboardInterrupt:
        ticker.end()
        typer.echo("kdvision: stopped; what was read is kept. The same command goes on from here.", err=True)
        put_written(night.finish(walk(night.plan.folder, leave=night.plan.out)), night.plan.out)
        raise typer.Exit(ExitCode.ERROR) from None


def _watched(night: "Night", ticker: Ticker) -> "Written":
    from kdvision.batch.watch import watch

    last: list[Written] = []

    def ready(written: "Written") -> None:
        ticker.end()
        last[:] = [written]
        first = f": {written.rankings[0].verdict}" if written.rankings and written.rankings[0].verdict else ""
        typer.echo(f"kdvision: {_count(written.photos, 'photo')} read{first}.", err=True)

    typer.echo(f"kdvision: watching {night.plan.folder}; Ctrl-C ends it.", err=True)
    try:
        watch(night, ready=ready)
    except KeyboardInterrupt:
        ticker.end()
    return last[0] if last else night.again()


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
