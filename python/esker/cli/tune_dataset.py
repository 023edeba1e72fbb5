"""esker tune dataset: measures options that change the bytes of the files, for a dataset that does not exist yet."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from esker.cli.arguments import collected_in, kind_of_picture
from esker.cli.bench import Points
from esker.cli.errors import as_exit_status
from esker.cli.measurements import measurement_options, program_and_launcher
from esker.cli.tables import console, show, table
from esker.tune import dataset_search
from esker.tune.characterize import design, measuring, workloads
from esker.tune.dataset_search import Found, Tried, figure_of, text_of

_WORKLOADS = (*workloads.MICROBENCHMARK, *workloads.APPLICATIONS)
_TIMEOUT_S = 3600


@dataclass(frozen=True)
class DatasetOptions:
    """Arguments of `esker tune dataset`."""

    workload: str
    block: tuple[int, int, int]
    ranks: int
    format: str
    chosen: tuple[str, ...]
    directory: str
    repeat: int
    store_rate: float | None
    program: str | None
    mpiexec: str | None
    plot: Path | None
    as_json: bool


@click.command(
    "dataset",
    short_help="Measure options that need a new dataset or writer.",
    epilog="""\b
    Examples:
      esker tune dataset s3d --block 64,64,64 --ranks 4 --dir /scratch
      esker tune dataset icesheet --block 600,600,301 --ranks 16 --dir /scratch --option bits_per_block
      esker tune dataset boxes_4 --block 64,64,64 --ranks 4 --format netcdf4 --option compression""",
)
@click.argument("workload", type=click.Choice(_WORKLOADS))
@click.option(
    "--block",
    type=Points(),
    required=True,
    help="Points per rank (boxes, s3d) or in total; geodesic: cells X,Y of a panel, layers Z.",
)
@click.option("--ranks", default=4, show_default=True, type=click.IntRange(1), help="MPI ranks.")
@click.option(
    "--format", default="idx", show_default=True, type=click.Choice(dataset_search.FORMATS), help="Of the files."
)
@click.option(
    "--option",
    "chosen",
    multiple=True,
    metavar="NAME",
    help="Option to measure. Repeatable.  [default: all of the format except compression]",
)
@measurement_options(repeat=dataset_search.REPEAT)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the ratios.")
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
@collected_in(DatasetOptions)
def dataset_command(options: DatasetOptions) -> None:
    """Measure options that change the bytes of the files (block size, blocks per file, compression ...) or need a new
    writer (partitions), for a dataset that does not exist yet. tune=auto never touches them.

    WORKLOAD is written to temporary files in --dir with the default and with other values in turn, one option after
    the other. A value is taken if it is proven to be faster; it is then part of what the next option is measured
    with. Last, all that was taken is measured against the default once more. Only time is judged: reading may want
    other blocks, and what is stored is in the table.

    Compression depends on the data: it is measured only with --option compression, on a smooth field with a little
    noise, and only without loss.
    """
    kind = kind_of_picture(options.plot) if options.plot else None
    work = design.Work(options.workload, options.block, options.ranks, options.format)
    with as_exit_status():
        found = dataset_search.search(_bench(options), work, _names(options, work), _tell)
        if options.plot:
            figure_of(found).savefig(options.plot, format=kind)
    if options.as_json:
        click.echo(json.dumps({"work": asdict(work), **_facts(found)}, indent=2))
    else:
        _print(found)


def _names(options: DatasetOptions, work: design.Work) -> list[str]:
    space = dataset_search.options_of(work)
    if unknown := [name for name in options.chosen if name not in space]:
        raise click.UsageError(
            f"--option {unknown[0]}: expected options of a new dataset with values for this step: {', '.join(space)}"
        )
    return list(options.chosen) or [name for name in space if name not in dataset_search.ON_REQUEST]


def _bench(options: DatasetOptions) -> measuring.Bench:
    program, mpiexec = program_and_launcher(options.program, options.mpiexec)
    return measuring.Bench(
        program,
        mpiexec,
        options.directory,
        repeat=options.repeat,
        store_rate=options.store_rate,
        timeout_s=_TIMEOUT_S,
        smooth="compression" in options.chosen,
    )


def _tell(tried: Tried) -> None:
    told = tried.failure or f"{tried.ratio:.2f} of the time of a step"
    click.echo(f"{text_of(tried.setting)}: {told}", err=True)


def _facts(found: Found) -> dict[str, object]:
    def facts_of(tried: Tried) -> dict[str, object]:
        numbers = asdict(tried)
        return {name: None if isinstance(v, float) and math.isnan(v) else v for name, v in numbers.items()}

    return {
        "tried": [facts_of(tried) for tried in found.tried],
        "best": dict(found.best),
        "whole": facts_of(found.whole) if found.whole else None,
    }


def _print(found: Found) -> None:
    out = console()
    made = table("setting", "step time", "quartiles", "stored/data", "", right=("step time", "stored/data"))
    for tried in found.tried:
        if tried.failure:
            made.add_row("", text_of(tried.setting), "-", "", "", "cannot be written")
            continue
        verdict = "faster" if tried.is_faster else ""
        quartiles = f"{tried.low:.2f}-{tried.high:.2f}"
        made.add_row(
            "", text_of(tried.setting), f"{tried.ratio:.2f}", quartiles, f"{tried.stored_over_data:.3f}", verdict
        )
    show(out, made)
    if found.whole:
        told = found.whole.failure or f"{found.whole.ratio:.2f} ({found.whole.low:.2f}-{found.whole.high:.2f})"
        out.print(f"All that was taken, measured again: {told} of the time with the default.")
    if not found.best:
        out.print("Nothing is proven to be faster than the default.")
        return
    out.print("For esker.toml:")
    for option, value in found.best.items():
        out.print(f'    {option} = "{value}"', markup=False)
