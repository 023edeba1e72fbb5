"""esker bench: compares Esker with plain files and other libraries on the I/O of simulations."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from esker.bench import figures, jobs, peers, python_peers, scaling, summary
from esker.bench.launching import removed_at_end
from esker.cli import bench_amr
from esker.cli.arguments import collected_in, kind_of_picture
from esker.cli.bench_report import print_results
from esker.cli.errors import as_exit_status

_AMR_STEPS = 4
_STEPS = ", ".join(f"{name} {steps}" for name, steps in (*jobs.WORKLOADS.items(), ("amr", _AMR_STEPS)))

_EPILOG = """\b
    Examples:
      esker bench s3d --ranks 4 --dir /dev/shm --json s3d.json --plot s3d.png
      esker bench s3d --block 60 --repeat 5 --option aggregators=2
      esker bench icesheet --steps 1 --repeat 5 --dir /dev/shm
      esker bench s3d --peers --dir /dev/shm
      esker bench s3d --levels --peers --dir /dev/shm
      esker bench s3d_whole --ranks 1,2,4,8 --dir /dev/shm
      esker bench s3d_adaptive --block 128 --dir /dev/shm --plot adaptive.png
      esker bench s3d --smooth --case idx_two_phase --case idx_zip --case idx_zfp_accuracy --dir /dev/shm
      esker bench amr --peers --dir /dev/shm
      esker bench icesheet --peers --case cdf5 --case netcdf_gather --dir /dev/shm
    Quote the ratios rather than the speeds: both values of a ratio come from the same run, so that other
    work on the machine matters less."""


class Points(click.ParamType):
    name = "N|X,Y,Z"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int, int]:
        try:
            numbers = [int(text) for text in value.split(",")]
            x, y, z = numbers * 3 if len(numbers) == 1 else numbers
        except ValueError:
            self.fail(f"expected one number or three such as 64,64,64, found {value!r}", param, ctx)
        return x, y, z


class Ranks(click.ParamType):
    name = "N[,N...]"

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        try:
            numbers = tuple(int(text) for text in str(value).split(","))
        except ValueError:
            numbers = ()
        if not numbers or min(numbers) < 1 or len(set(numbers)) < len(numbers):
            self.fail(f"expected a number of ranks, or several such as 1,2,4,8, found {value!r}", param, ctx)
        return numbers


@dataclass(frozen=True)
class BenchOptions:
    """Arguments of `esker bench`."""

    workload: str
    ranks: tuple[int, ...]
    block: tuple[int, int, int] | None
    steps: int | None
    repeat: int
    directory: str
    json_path: Path | None
    plot_path: Path | None
    writer_options: tuple[str, ...]
    with_peers: bool
    levels: bool
    smooth: bool
    store_rate: float | None
    store_contention: float
    overlap: float | None
    cases: tuple[str, ...]
    program: str | None
    mpiexec: str | None


@click.command(epilog=_EPILOG)
@click.argument("workload", type=click.Choice(sorted([*jobs.WORKLOADS, "amr"])))
@click.option(
    "--ranks",
    default="4",
    show_default=True,
    type=Ranks(),
    help="MPI ranks; several numbers measure scaling.",
)
@click.option(
    "--block",
    type=Points(),
    help="Points per rank (s3d) or in total; geodesic: cells X,Y of a panel, layers Z.",
)
@click.option("--steps", type=click.IntRange(1, 64), help=f"Steps per repetition.  [default: {_STEPS}]")
@click.option("--repeat", default=15, show_default=True, type=click.IntRange(1), help="Timed repetitions.")
@click.option("--dir", "directory", default=".", show_default=True, help="Directory for the data files.")
@click.option(
    "--json",
    "json_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the results to this file.",
)
@click.option(
    "--plot",
    "plot_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the results to this PNG, PDF or SVG file.",
)
@click.option(
    "--option", "writer_options", multiple=True, metavar="KEY=VALUE", help="Writer option; repeatable."
)
@click.option(
    "--peers",
    "with_peers",
    is_flag=True,
    help="Also measure PnetCDF, HDF5, netCDF, zarr-python and TensorStore, alternating with Esker.",
)
@click.option("--levels", is_flag=True, help="Also read 1/2, 1/4, 1/8 and 1/64 of the samples.")
@click.option(
    "--smooth", is_flag=True, help="Values are a smooth field with a little noise, as compression needs it."
)
@click.option(
    "--store-rate",
    type=click.FloatRange(min=0, min_open=True),
    metavar="BYTES",
    help="Storage takes this many bytes per second from each rank, as on large machines.",
)
@click.option(
    "--store-contention",
    default=0.0,
    type=click.FloatRange(min=0),
    metavar="PART",
    help="With --store-rate: each other rank that writes at the same time slows a rank down by this part.",
)
@click.option(
    "--overlap",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MS",
    help="A model computes for so many milliseconds before each step, so that cases like idx_async can store meanwhile.",
)
@click.option(
    "--case", "cases", multiple=True, metavar="NAME", help="Run only this case and posix; repeatable."
)
@click.option("--program", help="Path of esker-bench.  [default: the one in this package, or in PATH]")
@click.option("--mpiexec", help="MPI launcher.  [default: that of the program's MPI]")
@collected_in(BenchOptions)
def bench_command(options: BenchOptions) -> None:
    """Compare Esker with plain files on the I/O of a simulation.

    \b
    s3d           a combustion checkpoint: 16 float64 components, 64^3 points per rank
    s3d_adaptive  the same with a flame that moves from step to step: what steps cost that store a part of it
    s3d_whole     the same as s3d, 128^3 points in total
    icesheet      600 x 600 x 301 points, one 3-D field with z fastest in memory, and ten 2-D fields
    icesheet_yxz  the same, with z fastest in the files as well
    ocean         360 x 240 x 42 points, four 3-D and four 2-D fields, split into map blocks with full columns
    amr           patches of an AMR code on three levels, new ones in each step, 8 coarse patches per rank
    geodesic      10 x 4^8 + 2 cells, four variables (cells, 8 layers) and two (cells), split by cell ranges

    Writes and reads the cases in turn, --repeat times. The exit status is 1 if a value was wrong.

    If --ranks lists several numbers, the runs alternate between them. Workloads with points per rank (s3d)
    then measure weak scaling, the others strong scaling. With --levels each rank also reads its box at four
    lower levels.

    \b
    limits            posix (one file per rank), posix_shared (one file for all ranks), memcpy
    Esker, IDX        idx_one_phase (without checksums), idx_two_phase, idx_three_phase (restructured),
                      idx_vectors (components interleaved)
    Esker, others     cdf5, cdf5_and_idx (both), netcdf4, hdf5 (one chunk per field), hdf5_decomposition (one
                      chunk per rank and field), zarr
    amr               posix, posix_shared; flat, full, file-per-patch, level-by-level; with --peers
                      hdf5_collective, hdf5_independent (patches back to back, as AMReX and Chombo write)
    with --peers      mpi_io (a plain file, collective), pnetcdf, pnetcdf_nonblocking, pnetcdf_cdf2, hdf5,
                      hdf5_chunked, netcdf4, netcdf_gather (one rank writes); Python processes: zarr_python,
                      tensorstore, both also _sharded; other programs measure them, each next to its own posix
    only with --case  ior, ior_shared (posix, posix_shared in transfers of 1 MiB, as IOR); cdf5_scatter (one
                      rank reads for all), cdf5_read_in_two_phases, idx_read_in_two_phases,
                      idx_read_by_messages, idx_read_by_get (two phases with that transport); idx_zip, idx_lz4,
                      idx_zfp_reversible, idx_zfp_accuracy (1e-3), hdf5_zip, zarr_zstd (compressed; with
                      --smooth), idx_32_bits, idx_16_bits ... idx_4_bits, idx_1_bit (stored_bits), zarr_levels,
                      zarr_means; idx_adaptive (keeps the flame at full resolution, what is near at 1/64, the
                      rest at 1/512), idx_1_of_2 ... idx_1_of_64 (reduced resolution): the cases of
                      s3d_adaptive; with --peers also hdf5_deflate (chunked, with shuffle and deflate),
                      netcdf_redefine, and with free space in the header netcdf_redefine_padded (each variable
                      is defined when it is written); zarr_python_zstd, tensorstore_zstd
    """
    if options.workload == "amr":
        _bench_amr(options)
        return
    programs = _find_programs(options)
    cases = _chosen_cases(options.cases, programs, jobs.CASES.get(options.workload, ()))
    picture_kind = kind_of_picture(options.plot_path) if options.plot_path else None
    _check_writable(options.json_path, options.plot_path)
    by_ranks = _measure(options, list(cases), cases)
    results = by_ranks[0] if len(by_ranks) == 1 else scaling.results(by_ranks)
    if options.json_path:
        with as_exit_status():
            options.json_path.write_text(json.dumps(results, indent=2) + "\n")
    for one in by_ranks:
        print_results(one)
    if options.plot_path:
        figure = figures.figure if len(by_ranks) == 1 else scaling.figure
        with as_exit_status():
            figure(results).savefig(options.plot_path, format=picture_kind)
    sys.exit(1 if any(case["bad_values"] for one in by_ranks for case in one["cases"]) else 0)


def _bench_amr(options: BenchOptions) -> None:
    others = (options.block, options.plot_path, options.store_rate, options.overlap)
    if options.levels or options.smooth or len(options.ranks) > 1 or any(o is not None for o in others):
        raise click.UsageError(
            "amr: --block, --plot, --store-rate, --overlap, --levels, --smooth and lists of ranks do not apply"
        )
    _check_writable(options.json_path)
    run = bench_amr.AmrRun(
        ranks=options.ranks[0],
        steps=options.steps or _AMR_STEPS,
        repeat=options.repeat,
        directory=options.directory,
        writer_options=options.writer_options,
        cases=options.cases,
        with_peers=options.with_peers,
        program=options.program,
        mpiexec=options.mpiexec,
    )
    results = bench_amr.measure(run, _run, _scratch_below)
    if options.json_path:
        with as_exit_status():
            options.json_path.write_text(json.dumps(results, indent=2) + "\n")
    bench_amr.print_results(results)


def _find_programs(options: BenchOptions) -> list[str]:
    """Paths of esker-bench and, with --peers, of esker-bench-peers, and the module of the peers in Python."""
    program = options.program or jobs.find_program()
    if program is None:
        raise click.ClickException(
            "esker-bench is not installed; build Esker with MPI, or give the program's path with --program"
        )
    if shutil.which(program) is None:
        raise click.ClickException(f"{program}: program not found")
    if not options.with_peers:
        return [program]
    if options.store_rate is not None:
        raise click.UsageError("--store-rate slows Esker and plain files down, but not the libraries of --peers")
    peer_program = peers.find_program(program)
    if peer_program is None:
        raise click.ClickException(peers.MISSING)
    return [program, peer_program, python_peers.PROGRAM]


def _check_writable(*outputs: Path | None) -> None:
    """Fails before the run instead of after it."""
    for output in filter(None, outputs):
        with as_exit_status():
            output.open("a").close()


def _measure(options: BenchOptions, programs: list[str], cases: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Runs the programs and returns the results for each number of ranks.

    With several programs or numbers of ranks, the repetitions alternate between them.
    """
    runs: dict[tuple[str, int], list[dict[str, Any]]] = {(p, n): [] for p in programs for n in options.ranks}
    for repetitions in peers.turns(options.repeat) if len(runs) > 1 else [options.repeat]:
        for n in options.ranks:
            for program in programs:
                runs[program, n].append(_run_job(options, program, n, repetitions, cases[program]))
    return [
        summary.results(
            runs[programs[0], n], options.directory, *(runs[program, n] for program in programs[1:])
        )
        for n in options.ranks
    ]


def _run_job(
    options: BenchOptions, program: str, ranks: int, repetitions: int, cases: list[str]
) -> dict[str, Any]:
    is_peer = Path(program).name == peers.PROGRAM or program == python_peers.PROGRAM
    with _scratch_below(options.directory) as scratch:
        job = jobs.Job(
            program=program,
            mpiexec=options.mpiexec,
            workload=options.workload,
            ranks=ranks,
            block=options.block,
            steps=options.steps,
            repeat=repetitions,
            directory=scratch,
            writer_options=() if is_peer else options.writer_options,
            cases=cases,
            halvings=jobs.HALVINGS if options.levels else (),
            smooth=options.smooth,
            store_rate=options.store_rate,
            store_contention=options.store_contention,
            overlap_ms=options.overlap,
        )
        if program == python_peers.PROGRAM:
            bench_program = options.program or jobs.find_program()
            return _run(python_peers.command(job, str(bench_program)), repetitions, "zarr-python, TensorStore")
        return _run(job.command(), repetitions)


def _chosen_cases(
    wanted: tuple[str, ...], programs: list[str], default: tuple[str, ...] = ()
) -> dict[str, list[str]]:
    """The cases to run by program; an empty list runs the program's default cases. Programs of peers that would only
    measure posix are left out."""
    wanted = wanted or default
    if not wanted:
        cases: dict[str, list[str]] = {program: [] for program in programs}
        if python_peers.PROGRAM in programs:
            cases[python_peers.PROGRAM] = _that_can_run(python_peers.cases(on_request=False))
        return _that_measure(cases)
    known = {
        program: python_peers.cases() if program == python_peers.PROGRAM else jobs.cases_of(program)
        for program in programs
    }
    for name in wanted:
        if not any(name in names for names in known.values()):
            listed = ", ".join(dict.fromkeys(sum(known.values(), [])))
            raise click.BadParameter(f"unknown case {name!r}; expected one of {listed}", param_hint="--case")
    chosen = {
        program: [name for name in names if name in wanted or name == "posix"]
        for program, names in known.items()
    }
    if python_peers.PROGRAM in chosen:
        chosen[python_peers.PROGRAM] = _that_can_run(chosen[python_peers.PROGRAM])
    return _that_measure(chosen)


def _that_can_run(cases: list[str]) -> list[str]:
    """The peers in Python whose packages are installed; names the others."""
    skipped = python_peers.skipped(cases)
    for name, package in skipped.items():
        click.echo(f"{name}: skipped, because the package {package} is not installed", err=True)
    return [name for name in cases if name not in skipped]


def _that_measure(cases: dict[str, list[str]]) -> dict[str, list[str]]:
    """The first program, which is Esker's, and those that measure more than posix."""
    esker_program = next(iter(cases))
    return {
        program: names for program, names in cases.items() if program == esker_program or names != ["posix"]
    }


@contextmanager
def _scratch_below(directory: str) -> Iterator[str]:
    with as_exit_status():
        scratch = jobs.make_scratch(directory)
    with removed_at_end(scratch):
        yield scratch


def _run(command: list[str], repeat: int, name: str | None = None) -> dict[str, Any]:
    """Starts the ranks of a program and returns what they measured."""
    name = name or Path(command[3]).name
    console = Console(stderr=True)
    launcher = command[0]
    if shutil.which(launcher) is None:
        raise click.ClickException(f"{launcher}: MPI launcher not found; give its path with --mpiexec")
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "measured.json"
        with console.status(f"{name}: 1 warm-up and {repeat} timed repetitions"):
            status = jobs.call([*command, "--json", str(output)])
        if not output.exists() or status not in (0, 1):
            raise click.ClickException(f"{name} failed with exit status {status}")
        return json.loads(output.read_text())
