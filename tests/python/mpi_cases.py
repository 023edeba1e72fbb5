"""The cases that test_mpi.py runs under mpiexec: python mpi_cases.py FOLDER RANKS. A failure on any rank ends the job.

Each case is a function of a communicator and a folder that they share.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from mpi4py import MPI

import esker

SIZES = {"x": 31, "y": 23, "z": 5}
OPTIONS = {"bits_per_block": 6, "blocks_per_file": 8, "report": "none"}


def temp(number: int) -> np.ndarray:
    return np.random.default_rng(number).random((5, 23, 31))


def wind(number: int) -> np.ndarray:
    return np.random.default_rng(100 + number).random((23, 31, 2), np.float32)


def rows(comm: MPI.Intracomm, n: int) -> slice:
    """This rank's part of n rows; unequal ones, none for some."""
    return slice(n * comm.rank**2 // comm.size**2, n * (comm.rank + 1) ** 2 // comm.size**2)


def put_step(w: esker.Writer, comm: MPI.Intracomm, number: int) -> None:
    part = rows(comm, SIZES["y"])
    with w.step(number) as s:
        s.put("temp", temp(number)[:, part], offset=(0, part.start, 0))
        s.put("wind", np.asfortranarray(wind(number)[part]), offset=(0, part.start))


def define(w: esker.Writer) -> None:
    w.field("temp", "f8", units="K")
    w.field("wind", "f4", grid=w.grid("xy", ("x", "y")), components=2)


def run(path: Path, comm: MPI.Intracomm | None, ranks: MPI.Intracomm) -> None:
    with esker.Writer(path, comm, dims=SIZES, aggregators=3, **OPTIONS) as w:
        define(w)
        for number in range(2):
            put_step(w, ranks, number)


def everywhere(comm: MPI.Intracomm, error: BaseException) -> None:
    """Expects the same error on all ranks."""
    assert len(set(comm.allgather((type(error), str(error))))) == 1, repr(error)


@contextmanager
def fails(comm: MPI.Intracomm, victim: int, local: type[BaseException], words: str) -> Iterator[None]:
    """In the body, the victim gets the error `local`, and the others an error with these words."""
    caught: BaseException | None = None
    try:
        yield
    except BaseException as error:
        caught = error
    if comm.rank == victim:
        assert type(caught) is local, repr(caught)
    else:
        assert isinstance(caught, Exception) and words in str(caught), repr(caught)
    others = comm.Split(comm.rank == victim)
    assert caught is not None
    everywhere(others, caught)
    others.Free()


def case_bytes_are_those_of_one_process(comm: MPI.Intracomm, folder: Path) -> None:
    run(folder / "ranks" / "run.idx", comm, comm)
    if comm.rank == 0:
        run(folder / "alone" / "run.idx", None, MPI.COMM_SELF)
        found, expected = (
            {p.relative_to(top): p.read_bytes() for p in top.rglob("*") if p.is_file()}
            for top in (folder / "ranks", folder / "alone")
        )
        assert len(expected) > 10 and found == expected
        ds = esker.open(folder / "ranks" / "run.idx")
        np.testing.assert_array_equal(ds["temp"].read(step=1), temp(1))
        np.testing.assert_array_equal(ds["wind"].read(step=0), wind(0))
        assert esker.verify(folder / "ranks" / "run.idx").good


def case_reading_together(comm: MPI.Intracomm, folder: Path) -> None:
    """Reads rows other than those written, overlapping, none on some ranks; levels; and an error on one rank."""
    run(folder / "run.idx", comm, comm)
    for aggregate in ("true", "false", "auto"):
        reader = esker.Reader(folder / "run.idx", comm, aggregate_reads=aggregate, verify=True)
        lo, hi = comm.rank, min(23, comm.rank + 9)
        wanted = {} if comm.rank == 1 else {"temp": ((0, lo, 1), (31, hi, 4)), "wind": None}
        arrays: dict[str, np.ndarray] = {}
        for step in range(2):
            given = {"temp": arrays["temp"].copy()} if arrays else {}
            arrays = reader.read(wanted, step=step, out=given)
            assert set(arrays) == set(wanted)
            assert all(arrays[name] is array for name, array in given.items())
            if arrays:
                np.testing.assert_array_equal(arrays["temp"], temp(step)[1:4, lo:hi])
                np.testing.assert_array_equal(arrays["wind"], wind(step))
        level = reader.dataset["temp"].max_level - 3
        coarse = reader.read({"temp": None}, step=0, level=level)["temp"]
        np.testing.assert_array_equal(coarse, reader.dataset["temp"].read(step=0, level=level))
        assert reader.last_read.data_bytes == comm.size * coarse.nbytes
        for victim in range(comm.size):
            with fails(comm, victim, KeyError, f"rank {victim}: KeyError"):
                reader.read({"none" if comm.rank == victim else "temp": None})
        reader.read({})


def case_reading_zarr_of_others_together(comm: MPI.Intracomm, folder: Path) -> None:
    """Chunks of several steps, compressed; plain ones in the other byte order; missing ones."""
    import zarr

    values = np.random.default_rng(5).random((5, 9, 14, 11)).astype("f4")
    path = folder / "theirs.zarr"
    if comm.rank == 0:
        group = zarr.open_group(path, mode="w", zarr_format=2)
        for name, dtype, chunks, how in [
            ("packed", "<f4", (2, 4, 5, 6), {}),
            ("plain", ">f4", (1, 4, 5, 6), {"compressors": None}),
            ("missing", "<f4", (1, 4, 5, 6), {"fill_value": 7}),
        ]:
            array = group.create_array(name, shape=values.shape, chunks=chunks, dtype=dtype, **how)
            array.attrs["_ARRAY_DIMENSIONS"] = ["time", "z", "y", "x"]
            if name != "missing":
                array[...] = values
    comm.barrier()
    rows = slice(14 * comm.rank // comm.size, 14 * (comm.rank + 1) // comm.size)
    box = ((0, rows.start, 0), (11, rows.stop, 9))
    for aggregate in ("true", "false", "auto"):
        reader = esker.Reader(path, comm, aggregate_reads=aggregate)
        for step in (0, 3):
            found = reader.read(dict.fromkeys(("packed", "plain", "missing"), box), step=step)
            for name in ("packed", "plain"):
                np.testing.assert_array_equal(found[name], values[step, :, rows])
            assert (found["missing"] == 7).all()


def case_append_and_report(comm: MPI.Intracomm, folder: Path) -> None:
    run(folder / "run.idx", comm, comm)
    with esker.Writer.append(folder / "run.idx", comm, report="none") as w:
        w.rewind(0)
        put_step(w, comm, 1)
        put_step(w, comm, 2)
        report = w.report()
        assert report["ranks"] == comm.size and len(report["steps"]) == 2
    assert esker.open(folder / "run.idx").steps == [0, 1, 2]


def case_parts_of_the_ranks(comm: MPI.Intracomm, folder: Path) -> None:
    """Communicators of some of the ranks write separate datasets at the same time."""
    part = comm.Split(comm.rank % 2)
    run(folder / f"{comm.rank % 2}.idx", part, part)
    comm.barrier()
    for name in range(min(2, comm.size)):
        np.testing.assert_array_equal(esker.open(folder / f"{name}.idx")["temp"].read(step=1), temp(1))
    part.Free()


def case_a_rank_that_raises_in_a_step(comm: MPI.Intracomm, folder: Path) -> None:
    with esker.Writer(folder / "run.idx", comm, dims=SIZES, **OPTIONS) as w:
        define(w)
        put_step(w, comm, 0)
        for victim in range(comm.size):
            with (
                fails(comm, victim, ZeroDivisionError, f"rank {victim}: ZeroDivisionError: mine"),
                w.step(1) as s,
            ):
                if comm.rank == victim:
                    raise ZeroDivisionError("mine")
                s.put("temp", temp(1), offset=(0, 0, 0))
            with fails(comm, victim, ValueError, f"rank {victim}: ValueError: put 'temp'"), w.step(1) as s:
                s.put("temp", temp(1).astype("f4") if comm.rank == victim else temp(1))
            with (
                fails(comm, victim, ValueError, f"rank {victim}: "),
                w.step(-1 if comm.rank == victim else 1),
            ):
                pass
            with fails(comm, victim, KeyboardInterrupt, f"rank {victim}: KeyboardInterrupt"), w.step(1):
                if comm.rank == victim:
                    raise KeyboardInterrupt
        put_step(w, comm, 1)
    assert esker.open(folder / "run.idx").steps == [0, 1]


def case_a_rank_that_leaves(comm: MPI.Intracomm, folder: Path) -> None:
    """A rank leaves before or after the first step; the others make one or two calls before they leave."""
    for victim in range(comm.size):
        for n_steps in (0, 1):
            path = folder / f"{victim}_{n_steps}.idx"
            with (
                fails(comm, victim, OSError, "close(OSError: mine)"),
                esker.Writer(path, comm, dims=SIZES, **OPTIONS) as w,
            ):
                define(w)
                for number in range(n_steps):
                    put_step(w, comm, number)
                if comm.rank == victim:
                    raise OSError("mine")
                with suppress(RuntimeError):
                    put_step(w, comm, 5)
                put_step(w, comm, 6)
            comm.barrier()
            assert not (path.with_suffix(".esker-lock")).exists()
            assert path.with_suffix("").exists() == (n_steps > 0)


def case_a_text_that_is_no_utf8_reaches_the_others(comm: MPI.Intracomm, folder: Path) -> None:
    for victim in range(comm.size):
        with (
            fails(comm, victim, ValueError, "ValueError: \\udcff"),
            esker.Writer(folder / f"{victim}.idx", comm, dims=SIZES, **OPTIONS) as w,
        ):
            define(w)
            if comm.rank == victim:
                raise ValueError("\udcff")
            put_step(w, comm, 0)


def case_a_rank_that_closes_early(comm: MPI.Intracomm, folder: Path) -> None:
    if comm.size == 1:
        return
    for victim in range(comm.size):
        try:
            with esker.Writer(folder / f"{victim}.idx", comm, dims=SIZES, **OPTIONS) as w:
                define(w)
                put_step(w, comm, 0)
                if comm.rank != victim:
                    put_step(w, comm, 1)
        except RuntimeError as error:
            everywhere(comm, error)
            assert f"close() on rank {victim}" in str(error), error
        else:
            raise AssertionError("the ranks made different calls")
        comm.barrier()
        assert esker.open(folder / f"{victim}.idx").steps == [0]


def case_compressed_bytes_are_those_of_one_process(comm: MPI.Intracomm, folder: Path) -> None:
    y, x = np.mgrid[0:23, 0:31]
    wave = np.stack([np.sin(x / 5 + z) * np.cos(y / 7) for z in range(5)])

    def write(path: Path, group: MPI.Intracomm | None, ranks: MPI.Intracomm) -> None:
        part = rows(ranks, SIZES["y"])
        with esker.Writer(path, group, dims=SIZES, compression="zip", **OPTIONS) as w:
            w.field("a", "f8", compression="zfp-accuracy=1e-3")
            w.field("b", "f4")
            for number in range(2):
                with w.step(number) as s:
                    s.put("a", (number + wave)[:, part], offset=(0, part.start, 0))
                    s.put("b", wave[:, part].astype("f4"), offset=(0, part.start, 0))

    write(folder / "ranks" / "run.idx", comm, comm)
    if comm.rank == 0:
        write(folder / "alone" / "run.idx", None, MPI.COMM_SELF)
        found, expected = (
            {p.relative_to(top): p.read_bytes() for p in top.rglob("*") if p.is_file()}
            for top in (folder / "ranks", folder / "alone")
        )
        assert len(expected) > 3 and found == expected
        ds = esker.open(folder / "ranks" / "run.idx")
        errors = ds["a"].errors(1)
        assert errors and np.abs(ds["a"].read(1) - (1 + wave)).max() <= errors.largest <= 1e-3
        original = {"a": np.stack([wave, 1 + wave]), "b": np.stack([wave.astype("f4")] * 2)}
        found = esker.verify(folder / "ranks" / "run.idx", against=original)
        assert found.good and found.blocks_compared == found.blocks


def case_definitions_that_differ(comm: MPI.Intracomm, folder: Path) -> None:
    for victim in range(comm.size):
        with (
            fails(comm, victim, ValueError, "size 0"),
            esker.Writer(
                folder / "run.idx", comm, dims={"x": 0 if comm.rank == victim else 4}, **OPTIONS
            ) as w,
        ):
            w.field("a", "f4")
            with w.step(0):
                pass
        with (
            fails(comm, victim, ValueError, "float16"),
            esker.Writer(folder / "run.idx", comm, dims={"x": 4}, **OPTIONS) as w,
        ):
            w.field("a", "f2" if comm.rank == victim else "f4")
            with w.step(0):
                pass
        with fails(comm, victim, ValueError, f"rank {victim}: "):
            esker.Writer(folder / "run.idx", comm, dims={}, bits_per_block=99 if comm.rank == victim else 3)
        with fails(comm, victim, ValueError, f"rank {victim}: "):
            esker.Writer(
                folder / "run.idx", comm, dims={}, compression="zfp" if comm.rank == victim else None
            )
    comm.barrier()
    assert not list(folder.iterdir())


def case_communicators_that_are_none(comm: MPI.Intracomm, folder: Path) -> None:
    for wrong, exception in ((MPI.COMM_NULL, (ValueError, TypeError)), (7, TypeError)):
        try:
            esker.Writer(folder / "run.idx", wrong, dims=SIZES)  # type: ignore[arg-type]
        except exception:
            continue
        raise AssertionError(wrong)


def main() -> None:
    folder, comm = Path(sys.argv[1]), MPI.COMM_WORLD
    assert comm.size == int(sys.argv[2]), "an mpiexec of another MPI"
    cases: dict[str, Callable[[MPI.Intracomm, Path], None]] = {
        name: case for name, case in globals().items() if name.startswith("case_")
    }
    for name, case in cases.items():
        here = folder / name
        if comm.rank == 0:
            here.mkdir(parents=True)
            print(name, flush=True)
        comm.barrier()
        try:
            case(comm, here)
        except BaseException:
            print(f"rank {comm.rank}, {name}:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
            comm.Abort(1)
        comm.barrier()
    assert "libmpi" in Path(f"/proc/{os.getpid()}/maps").read_text()


if __name__ == "__main__":
    main()
