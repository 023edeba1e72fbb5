"""esker bench amr: runs the programs and prints their results."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from esker.bench import amr, jobs, peers


@dataclass(frozen=True)
class AmrRun:
    """What is measured."""

    ranks: int
    steps: int
    repeat: int
    directory: str
    writer_options: tuple[str, ...]
    cases: tuple[str, ...]
    with_peers: bool
    program: str | None
    mpiexec: str | None


def measure(
    run: AmrRun,
    start: Callable[[list[str], int], dict[str, Any]],
    scratch_below: Callable[[str], AbstractContextManager[str]],
) -> dict[str, Any]:
    """The results. `start(command, repeat)` runs a program and returns its output."""
    programs = [_program(amr.PROGRAM, run.program)]
    if run.with_peers:
        programs.append(_program(amr.PEER_PROGRAM, run.program))
    cases = {program: _cases_of(program, run.cases) for program in programs}
    runs: dict[str, list[dict[str, Any]]] = {program: [] for program in programs}
    for repetitions in peers.turns(run.repeat) if run.with_peers else [run.repeat]:
        for program in programs:
            with scratch_below(run.directory) as scratch:
                arguments = _arguments(run, program, repetitions, scratch, cases[program])
                mpiexec = run.mpiexec or jobs.output_of(program, "--mpiexec")
                runs[program].append(
                    start(amr.command(program, mpiexec, run.ranks, arguments), repetitions)
                )
    return amr.results(
        runs[programs[0]], run.directory, runs[programs[1]] if run.with_peers else ()
    )


def _program(name: str, program: str | None) -> str:
    found = program if program and name == amr.PROGRAM else amr.find_program(name, program)
    if found is None:
        raise click.ClickException(f"{name} is not installed; build Esker from its repository with MPI")
    return found


def _cases_of(program: str, wanted: tuple[str, ...]) -> list[str]:
    """Those of a program that are wanted, and the limits; none: all."""
    if not wanted:
        return []
    return [name for name in jobs.cases_of(program) if name in wanted or name.startswith("posix")]


def _arguments(run: AmrRun, program: str, repeat: int, directory: str, cases: list[str]) -> list[str]:
    line = ["--steps", str(run.steps), "--repeat", str(repeat), "--dir", directory]
    if program.endswith(amr.PROGRAM):
        for option in run.writer_options:
            line += ["--option", option]
    for case in cases:
        line += ["--case", case]
    return line


def print_results(results: dict[str, Any]) -> None:
    """A table of the cases, and one of the targets."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    config = results["config"]
    console.print(
        f"amr: {config['ranks']} ranks, {config['steps']} steps, {config['repeat']} repetitions, "
        f"{results['machine']['file_system']}"
    )
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("case")
    for column in ("write GB/s", "read GB/s", "/ posix", "/ posix_shared", "stored/data", "files"):
        table.add_column(column, justify="right")
    for case in results["cases"]:
        table.add_row(
            case["name"],
            f"{case['write_GBps']:.3f}",
            f"{case['read_GBps']:.3f}",
            _ratio(case["over_posix"]),
            _ratio(case["over_posix_shared"]),
            f"{case['stored_over_data']:.3f}",
            str(case["files"]),
        )
    console.print(table)
    for target in results["targets"]:
        console.print(
            f"{target['case']} / {target['over']}: {_ratio(target)}, target {target['target']:g}, "
            f"lower quartile {target['quarter']:.2f}"
        )


def _ratio(ratio: dict[str, float] | None) -> str:
    return f"{ratio['median']:.2f} ({ratio['min']:.2f}-{ratio['max']:.2f})" if ratio else ""
