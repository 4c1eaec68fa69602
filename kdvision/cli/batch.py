"""`kdvision batch`: scores all photos of an event, with standings and a report."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kdvision.cli.inputs import load_networks
from kdvision.cli.options import Size
from kdvision.cli.output import print_line, print_message
from kdvision.cli.variant_options import variant_options
from kdvision.errors import ExitCode
from kdvision.game.rules import board_variants
from kdvision.text import count_noun, join_words

if TYPE_CHECKING:
    from kdvision.batch.outcome import EventOutcome
    from kdvision.batch.reading.workers import Executor
    from kdvision.batch.run import BatchOptions, BatchRun
    from kdvision.batch.standings import Ranking
    from kdvision.cli.progress import ProgressDisplay

EVENT_VARIANTS: Final = board_variants("kingdomino")

MAX_PRINTED_PLACES: Final = 5
"""Places of the first standing that are printed; the report has all of them."""


@variant_options(EVENT_VARIANTS)
def batch(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of photos, subfolders included.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="A folder for the results.")],
    event: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The event file; by default FOLDER/event.toml if it exists."),
    ] = None,
    variants: tuple[str, ...] = (),
    size: Size = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The number of processes; by default one per core.")
    ] = None,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Read photos on this Dask cluster.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Read all photos again.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Keep reading new photos until Ctrl-C.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 6 if a person should check something.")] = False,
) -> None:
    """Score all photos of an event. Writes standings, a list of what to check, and a report.

    File names give round, table and player, as in round1/table3/ann.jpg; docs/events.md describes them. Each result is
    saved as soon as it is read: if a run is stopped, the same command continues it. To correct results, run kdvision
    review OUT.
    """
    from kdvision.batch.rules import Rules
    from kdvision.batch.run import BatchOptions
    from kdvision.batch.store.folder import ResultFolder

    rules = Rules(variants, int(size) if size else None) if variants or size else None
    options = BatchOptions(folder, out, event, rules, force)
    _check_options(options)
    load_networks()
    with ResultFolder(out).lock():
        outcome = _run(options, _make_executor(workers, dask), watching=watch)
    print_summary(outcome, out)
    if outcome.failures:
        raise typer.Exit(ExitCode.PARTIAL_FAILURE)
    if strict and outcome.review_items:
        raise typer.Exit(ExitCode.NEEDS_REVIEW)


def print_summary(outcome: "EventOutcome", out: Path) -> None:
    """Print who leads, how much there is to check, and where the files are."""
    if outcome.standings.rankings:
        _print_ranking(outcome.standings.rankings[0])
    kingdoms = len(outcome.standings.seating.counting)
    print_line(f"{count_noun(len(outcome.standings.seating.photos), 'photo')}, {count_noun(kingdoms, 'kingdom')}.")
    if outcome.failures:
        print_line(f"{len(outcome.failures)} failed: {out / 'errors.csv'}")
    if outcome.review_items:
        count = len(outcome.decisive_items)
        others = len(outcome.review_items) - count
        more = f"; {others} more without a known effect on the points" if others else ""
        print_line(f"{count} to review{more}: kdvision review {out}")
    print_line(f"The report: {out / 'report.html'}")


def _check_options(options: "BatchOptions") -> None:
    """Raise an error for impossible options, before anything is read or written."""
    from dataclasses import replace

    from kdvision.batch.photos import check_folder
    from kdvision.batch.rules import Rules

    check_folder(options.folder)
    if options.out.resolve() == options.folder.resolve():
        raise typer.BadParameter("the results need a folder of their own", param_hint="--out")
    event = replace(options, rules=None).load_event()
    if options.rules is not None and event.rules != Rules():
        raise typer.BadParameter("the event file already sets the rules", param_hint=_join_rule_options())


def _join_rule_options() -> str:
    return join_words(["--size", *dict.fromkeys(f"--{variant.group or variant.id}" for variant in EVENT_VARIANTS)])


def _make_executor(workers: int | None, dask: str | None) -> "Executor":
    from kdvision.batch.reading.workers import DaskExecutor, PoolExecutor

    return PoolExecutor(workers) if dask is None else DaskExecutor(dask)


def _run(options: "BatchOptions", executor: "Executor", *, watching: bool) -> "EventOutcome":
    """Run the batch. After Ctrl-C, what was read is still written."""
    from kdvision.batch.run import BatchRun
    from kdvision.cli.progress import ProgressDisplay

    with ProgressDisplay() as display, closing(executor):
        run = BatchRun(options, executor.run, on_progress=display.update, on_message=print_message)
        return _watch(run, display) if watching else _run_once(run, display)


def _run_once(run: "BatchRun", display: "ProgressDisplay") -> "EventOutcome":
    try:
        return run.run()
    except KeyboardInterrupt:
        display.close()
        print_message("stopped; what was read is kept. Run the same command again to continue")
        print_summary(run.finish(run.list_folder()), run.options.out)
        raise typer.Exit(ExitCode.ERROR) from None


def _watch(run: "BatchRun", display: "ProgressDisplay") -> "EventOutcome":
    """Read new photos until Ctrl-C."""
    outcomes: list[EventOutcome] = []

    def print_progress(outcome: "EventOutcome") -> None:
        display.close()
        outcomes[:] = [outcome]
        verdict = next((ranking.verdict for ranking in outcome.standings.rankings), "")
        print_message(
            f"{count_noun(len(outcome.standings.seating.photos), 'photo')} read{f': {verdict}' if verdict else ''}"
        )

    print_message(f"watching {run.options.folder}; press Ctrl-C to stop")
    try:
        run.watch(print_progress)
    except KeyboardInterrupt:
        display.close()
    return outcomes[0] if outcomes else run.apply_corrections()


def _print_ranking(ranking: "Ranking") -> None:
    verdict = ranking.verdict[:1].upper() + ranking.verdict[1:]
    print_line(f"{ranking.title}. {verdict}." if verdict else f"{ranking.title}.")
    for row in ranking.rows[:MAX_PRINTED_PLACES]:
        place = "–" if row.place is None else row.place
        points = "–" if row.points is None else row.points
        print_line(f"  {place}. {row.player}  {points}" + (f"  ({row.note})" if row.note else ""))
    if len(ranking.rows) > MAX_PRINTED_PLACES:
        print_line(f"  … and {len(ranking.rows) - MAX_PRINTED_PLACES} more")
