"""`kdvision batch`: scores all photos of an event, with standings and a report."""

from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kdvision.batch.event import EVENT_VARIANTS
from kdvision.cli.inputs import load_networks, parse_path
from kdvision.cli.options import Size, Strict, add_options
from kdvision.cli.output import ProgressDisplay, print_line, print_message
from kdvision.errors import ExitCode
from kdvision.text import capitalise, count_noun, join_words, quote_path

if TYPE_CHECKING:
    from kdvision.batch.outcome import EventOutcome
    from kdvision.batch.run import BatchRun

MAX_PRINTED_PLACES: Final = 5
"""How many places of the first standing are printed; the report has all."""


@add_options(EVENT_VARIANTS)
def batch(
    folder: Annotated[
        Path, typer.Argument(parser=parse_path, metavar="PHOTOS", help="A folder of photos, subfolders included.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", parser=parse_path, metavar="RESULTS", help="A folder for the results.")
    ],
    event: Annotated[
        Path | None,
        typer.Option(
            parser=parse_path, metavar="FILE", help="The event file; by default PHOTOS/event.toml if it exists."
        ),
    ] = None,
    variants: tuple[str, ...] = (),
    size: Size = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The number of processes; by default one per core.")
    ] = None,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Read photos on this Dask cluster.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Read all photos again.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Keep reading new photos until Ctrl-C.")] = False,
    strict: Strict = False,
) -> None:
    """Score all photos of an event. Writes standings, a list of what to check, and a report.

    File names give round, table and player, as in round1/table3/ann.jpg; docs/events.md describes them. Each result is
    saved at once: after an interruption, run the same command again to continue. To correct results, run kdvision
    review RESULTS.
    """
    from kdvision.batch.event import Rules
    from kdvision.batch.photos import check_folder
    from kdvision.batch.reading.workers import DaskExecutor, PoolExecutor
    from kdvision.batch.run import BatchOptions, BatchRun
    from kdvision.batch.store.folder import ResultFolder

    options = BatchOptions(folder, out, event, Rules(variants, size) if variants or size else None, force)
    check_folder(folder)
    if out.resolve() == folder.resolve():
        raise typer.BadParameter("the results need a folder of their own", param_hint="--out")
    if (file := options.find_foreign_file()) is not None:
        message = f"no run has written {file}: name a new folder, or move the file elsewhere"
        raise typer.BadParameter(message, param_hint="--out")
    if replace(options, rules=None).load_event().rules != Rules() and options.rules is not None:
        names = dict.fromkeys(f"--{variant.group or variant.id}" for variant in EVENT_VARIANTS)
        raise typer.BadParameter("the event file already sets the rules", param_hint=join_words(["--size", *names]))
    load_networks()
    executor = PoolExecutor(workers) if dask is None else DaskExecutor(dask)
    with closing(executor), ResultFolder(out).lock(), closing(ProgressDisplay()) as display:
        run = BatchRun(options, executor.run, on_progress=display.update, on_message=print_message)
        try:
            if watch:
                _watch(run, display)
            outcome = run.stop() if watch else run.run()
        except KeyboardInterrupt:
            display.close()
            print_message("stopped; what was read is kept. Run the same command again to continue")
            print_summary(run.stop(), out)
            raise typer.Exit(ExitCode.ERROR) from None
    print_summary(outcome, out)
    if outcome.failures:
        raise typer.Exit(ExitCode.PARTIAL_FAILURE)
    if strict and any(item.impact or item.kingdom for item in outcome.review_items):
        raise typer.Exit(ExitCode.NEEDS_REVIEW)


def _watch(run: "BatchRun", display: ProgressDisplay) -> None:
    """Read new photos until Ctrl-C."""

    def print_progress(outcome: "EventOutcome") -> None:
        display.close()
        verdict = "".join(f": {ranking.verdict}" for ranking in outcome.standings.rankings[:1] if ranking.verdict)
        read_count = sum(photo.error is None for photo in outcome.standings.photos)
        print_message(f"{count_noun(read_count, 'photo')} read{verdict}")

    print_message(f"watching {run.options.folder}; press Ctrl-C to stop")
    with suppress(KeyboardInterrupt):
        run.watch(print_progress)


def print_summary(outcome: "EventOutcome", out: Path) -> None:
    """Print who leads, how much there is to check, and where the files are."""
    for ranking in outcome.standings.rankings[:1]:
        verdict = f" {capitalise(ranking.verdict)}." if ranking.verdict else ""
        print_line(f"{ranking.title}.{verdict}")
        for row in ranking.rows[:MAX_PRINTED_PLACES]:
            place = "–" if row.place is None else row.place
            points = "–" if row.points is None else row.points
            print_line(f"  {place}. {row.player}  {points}" + (f"  ({row.note})" if row.note else ""))
        if len(ranking.rows) > MAX_PRINTED_PLACES:
            print_line(f"  … and {len(ranking.rows) - MAX_PRINTED_PLACES} more")
    kingdoms = len(outcome.standings.counted_kingdoms)
    print_line(f"{count_noun(len(outcome.standings.photos), 'photo')}, {count_noun(kingdoms, 'kingdom')}.")
    if outcome.failures:
        print_line(f"{len(outcome.failures)} without a result: {out / 'errors.csv'}")
    if outcome.review_items:
        count = len(outcome.decisive_items)
        other_count = len(outcome.review_items) - count
        addition = f"; {other_count} more without a known effect on the points" if other_count else ""
        print_line(f"{count} to review{addition}: kdvision review {quote_path(out)}")
    print_line(f"The report: {out / 'report.html'}")
