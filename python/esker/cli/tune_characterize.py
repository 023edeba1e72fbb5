"""esker tune characterize: measures how a machine writes, one setting after the other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from esker.cli.arguments import collected_in, kind_of_picture
from esker.cli.bench import Ranks
from esker.cli.errors import as_exit_status
from esker.cli.measurements import measurement_options, program_and_launcher
from esker.tune import machine
from esker.tune.characterize import design, measuring, simulated, sweep, table, views


@dataclass(frozen=True)
class CharacterizeOptions:
    """Arguments of `esker tune characterize`."""

    output: Path
    directory: str
    minutes: float
    ranks: tuple[int, ...]
    modes: tuple[str, ...]
    machine: str
    simulate: tuple[str, ...]
    seed: int
    repeat: int
    store_rate: float | None
    program: str | None
    mpiexec: str | None
    plot: Path | None
    quiet: bool


@click.command(
    "characterize",
    short_help="Measure how settings change the time of a step.",
    epilog="""\b
    Examples:
      esker tune characterize here.parquet --dir /scratch --minutes 20 --ranks 1,2,4 --plot views.png
      esker tune characterize mira.parquet --simulate mira --ranks 1024,8192,65536 --minutes 5""",
)
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--minutes", default=15.0, show_default=True, type=click.FloatRange(min=0, min_open=True), help="Budget."
)
@click.option("--ranks", default="1,2,4", show_default=True, type=Ranks(), help="Numbers of MPI ranks.")
@click.option(
    "--mode",
    "modes",
    multiple=True,
    type=click.Choice(design.MODES),
    help="network: without a device; storage: packed buffers; both. Repeatable.  [default: all]",
)
@click.option(
    "--machine",
    default="laptop",
    show_default=True,
    help="Machine file of the cost model (esker simulate --calibrate), or one that Esker comes with.",
)
@click.option(
    "--simulate",
    multiple=True,
    metavar="MACHINE",
    help="Measure nothing: compute the table of a machine that you do not have. Repeatable.",
)
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Of the design.")
@measurement_options(repeat=5)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw four views of the table.")
@click.option("--quiet", is_flag=True, help="Do not print each run.")
@collected_in(CharacterizeOptions)
def characterize_command(options: CharacterizeOptions) -> None:
    """Measure settings of the writer on this machine, and write a table for `esker tune fit` to OUTPUT (Parquet).

    Each run of esker-bench measures the default and some settings in turn, so that a row has the ratio of both
    under the same load of the machine. The runs change one option at a time, and fill the space of sizes and
    options. They go on until the time is over.

    Finished runs are appended to OUTPUT.log. The same command continues a sweep that ended or was killed; remove
    OUTPUT.log to begin again.

    With --simulate the seconds are those of a machine that is drawn from the ranges of a machine file, with 5 %
    noise.
    """
    kind = kind_of_picture(options.plot) if options.plot else None
    with as_exit_status():
        made = _simulated(options) if options.simulate else _measured(options)
        if options.plot:
            views.figure(made).savefig(options.plot, format=kind)
    about = made.about
    click.echo(f"{options.output}: {len(made)} rows, {about['kind']}: {about['machine_kind']}")


def _notify(options: CharacterizeOptions, text: str) -> None:
    if not options.quiet:
        click.echo(text, err=True)


def _simulated(options: CharacterizeOptions) -> table.Table:
    machines = [machine.read(name) for name in options.simulate]
    minutes = options.minutes / len(machines)
    made = simulated.joined(
        [
            simulated.simulate(of, options.ranks, options.seed, minutes, lambda text: _notify(options, text))
            for of in machines
        ]
    )
    table.write(made, options.output)
    return made


def _measured(options: CharacterizeOptions) -> table.Table:
    program, mpiexec = program_and_launcher(options.program, options.mpiexec)
    bench = measuring.Bench(
        program, mpiexec, options.directory, repeat=options.repeat, store_rate=options.store_rate
    )
    runs = design.runs(options.ranks, options.seed, modes=options.modes or design.MODES)
    return sweep.sweep(
        options.output,
        runs,
        bench,
        machine.read(options.machine),
        options.minutes,
        notify=lambda text: _notify(options, text),
    )
