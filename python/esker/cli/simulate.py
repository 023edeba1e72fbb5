"""esker simulate: what a step costs on a machine, and measuring a machine file."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from esker.base.counts import count_of, size_text
from esker.cli.arguments import collected_in, kind_of_picture
from esker.cli.errors import as_exit_status
from esker.cli.step_arguments import StepOptions, step_options
from esker.cli.tables import console, show, table
from esker.tune import baselines, calibration, machine, simulation


@dataclass(frozen=True)
class SimulateOptions(StepOptions):
    """Arguments of `esker simulate`."""

    machine: str | None
    ranks_per_node: int | None
    sync: bool
    case: str
    read: bool
    read_level: int | None
    machines: bool
    calibrate: Path | None
    output: Path | None
    repeat: int
    mpiexec: str | None
    plot: Path | None
    as_json: bool

    def check(self) -> None:
        """Raises UsageError unless the arguments go together."""
        super().check()
        if self.machine is None:
            raise click.UsageError("expected --machine with a file or one of " + ", ".join(machine.names()))
        if self.lists_several():
            raise click.UsageError("--keep, --keep-order and --bits-per-block: expected single values")


@click.command(
    epilog="""\b
    Examples:
      esker simulate --machine mira --ranks 262144 --block 32,32,32 --fields 32 --bits-per-block 15
      esker simulate --machine site.toml --ranks 4096 --block 64,64,64 --json --plot step.png
      esker simulate --machines
      esker simulate --calibrate /scratch --output here.toml"""
)
@click.option("--machine", help="A machine file, or the name of a machine that Esker comes with.")
@click.option(
    "--ranks-per-node",
    type=click.IntRange(min=1),
    help="Number of ranks on a node.  [default: one per core; more if the machine has too few nodes]",
)
@click.option(
    "--sync", is_flag=True, help="Files are synced before the step is committed, as with fsync=step."
)
@click.option(
    "--case",
    type=click.Choice(baselines.CASES),
    default="esker",
    show_default=True,
    help="How the step is written. one-phase: each rank writes its own parts of blocks; file-per-process, shared-file: "
    "its samples as they are; pnetcdf: CDF-5, by collective writes of ROMIO to all targets.",
)
@click.option("--read", is_flag=True, help="The step is read back by the ranks that wrote it.")
@click.option(
    "--read-level",
    type=click.IntRange(max=0),
    help="Only this level is read, e.g. -9: every eighth sample along each of three axes.",
)
@step_options
@click.option("--machines", is_flag=True, help="List the machines that Esker comes with.")
@click.option(
    "--calibrate",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Measure this machine, with files below this directory, and print its machine file.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --calibrate: write the machine file here, and name the machine after it.",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=2),
    default=9,
    show_default=True,
    help="With --calibrate: repetitions.",
)
@click.option(
    "--mpiexec", help="With --calibrate: MPI launcher for two ranks.  [default: that of esker-bench]"
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the phases and their ranges.")
@click.option("--json", "as_json", is_flag=True, help="Print the facts as one JSON object.")
@collected_in(SimulateOptions)
def simulate_command(options: SimulateOptions) -> None:
    """Estimate the seconds of writing a step on a machine that you may not have.

    Counts what the step asks of nodes, files and storage targets, as `esker plan` does, and computes from it and
    the bandwidths and costs of the machine how long each phase takes, and what bounds it. Each result is a range:
    mid with the values of the machine file, low and high at the ends of their ranges. Values that are
    not published are assumed, and the file says so. Nothing is measured.

    With --calibrate nothing is simulated: rates of copying, writing, creating and syncing files, coding samples and
    sending messages are measured where the command runs, and make a machine file of one node.
    """
    if options.machines:
        _list_machines()
        return
    if options.calibrate:
        _calibrate(options, options.calibrate)
        return
    options.check()
    assert options.machine is not None
    kind = kind_of_picture(options.plot) if options.plot else None
    with as_exit_status():
        ranks, arguments = options.arguments()
        facts = simulation.simulate(
            options.machine,
            ranks,
            ranks_per_node=options.ranks_per_node,
            sync=options.sync,
            case=options.case,
            read=options.read,
            read_level=options.read_level,
            **arguments,
        )
        if options.plot:
            simulation.figure(facts).savefig(options.plot, format=kind)
    if options.as_json:
        click.echo(json.dumps(facts, indent=2))
    else:
        _print(facts)


def _calibrate(options: SimulateOptions, directory: Path) -> None:
    with as_exit_status():
        found = calibration.calibrate(
            directory,
            name=options.output.stem if options.output else "here",
            repeat=options.repeat,
            mpiexec=options.mpiexec,
            notify=lambda what: click.echo(f"measuring: {what}", err=True),
        )
        text = machine.to_toml(found)
        if options.output:
            options.output.write_text(text, encoding="utf-8")
        else:
            click.echo(text, nl=False)


def _list_machines() -> None:
    made = table("machine", "description")
    for name in machine.names():
        made.add_row("", name, machine.read(name).description)
    show(console(), made)


def _print(facts: dict[str, Any]) -> None:
    out, found, rates, sources = console(), facts["statistics"], facts["GBps"], facts["sources"]
    out.print(
        f"{facts['machine']}, simulated: one step on "
        f"{count_of(facts['ranks'], 'rank')} and {count_of(facts['nodes'], 'node')}, "
        f"{size_text(found['data_bytes'])} of data in {count_of(found['files'], 'file')}"
    )
    made = table("phase", "low s", "mid s", "high s", "bound by", right=("low s", "mid s", "high s"))
    for name, phase in facts["phases"].items():
        if phase["seconds"]["high"] > 0:
            made.add_row("", name, *map(_digits, phase["seconds"].values()), phase["bound"])
    if facts["hidden_seconds"]["high"] > 0:
        hidden = (f"-{_digits(s)}" if s > 0 else "0" for s in facts["hidden_seconds"].values())
        made.add_row("", "hidden by overlap", *hidden, "")
    made.add_row("", "step", *map(_digits, facts["seconds"].values()), "")
    show(out, made)
    out.print(
        f"{_digits(rates['low'])} to {_digits(rates['high'])} GB/s, mid {_digits(rates['mid'])}; parameters: "
        + ", ".join(f"{count} {source}" for source, count in sources.items())
    )


def _digits(value: float) -> str:
    """Three digits, without an exponent: 0.0123, 1.23, 12.3, 1230."""
    if value <= 0 or not math.isfinite(value):
        return f"{value:g}"
    digits = max(0, 2 - math.floor(math.log10(value)))
    return f"{value:.{digits}f}"
