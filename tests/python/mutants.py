"""Datasets with damage, each opened, described, read, verified and converted in a separate process with limits.

    python tests/python/mutants.py FOLDER COUNT SEED        prints the mutants with a wrong outcome

A mutant may be read, or refused by an error of Esker. It must not end the process, use more than PROCESSOR_SECONDS,
take MOST_BYTES of memory, raise another exception, or hang, which is detected after SECONDS.
"""

from __future__ import annotations

import faulthandler
import os
import random
import resource
import shutil
import signal
import struct
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

import esker
from esker.cli.info import describe
from esker.convert.conversion import convert, size_of
from esker.convert.opening import open_source

GOLDEN = Path(__file__).parents[1] / "golden" / "openvisus"
PROCESSOR_SECONDS = 10
SECONDS = 60
MOST_BYTES = 256 << 20
_MOST_READ = 16 << 20  # bytes of samples that one call asks for
_REFUSALS = (OSError, ValueError, KeyError, IndexError, NotImplementedError)


@dataclass(frozen=True)
class Base:
    """A good dataset."""

    name: str
    path: Path
    files: tuple[Path, ...]
    """Its files, those first that say most."""


@dataclass(frozen=True)
class Finding:
    """A mutant with a wrong outcome; its file is kept."""

    path: Path
    text: str


def bases(folder: Path) -> list[Base]:
    """Small datasets of every format, of Esker and of other programs."""
    makers = (_esker_files, _levels_files, _openvisus_files, _netcdf_files, _h5py_files)
    return [base for make in makers for base in make(folder)]


def _esker_files(folder: Path) -> Iterator[Base]:
    rng = np.random.default_rng(5)
    for name, options in {
        "raw.idx": {"bits_per_block": 6},
        "cdf1.nc": {"format": "cdf"},
        "cdf5.nc": {"format": "cdf5"},
        "four.nc": {"format": "netcdf4"},
        "chunks.nc": {"format": "netcdf4", "chunks": "3,5,4"},
    }.items():
        path = folder / name
        axes = {"x": 9, "y": 7, "z": 5}
        coords = {"x": np.arange(9.0)}
        with esker.Writer(path, dims=axes, coords=coords, attrs={"title": "a"}, report="none", **options) as w:
            w.field("t", "i2", attrs={"units": "K"})
            if path.suffix == ".nc":
                xy = w.grid("xy", ("x", "y"))
                w.field("v", "f4", grid=xy, components=2)
                w.field("h", "f8", grid=xy, fixed=True)
            for step in range(2):
                with w.step(step * 0.5) as s:
                    s.put("t", rng.integers(0, 9, (5, 7, 9)).astype("i2"))
                    if path.suffix == ".nc":
                        s.put("v", rng.random((7, 9, 2)).astype("f4"))
                        if step == 0:
                            s.put("h", rng.random((7, 9)))
        blocks = sorted(path.with_suffix("").rglob("*.bin")) if path.suffix == ".idx" else []
        sidecars = [side] if (side := path.with_suffix(".schema.json")).exists() else []
        yield Base(name, path, (path, *sidecars, *blocks[:2]))


def _levels_files(folder: Path) -> Iterator[Base]:
    """A mesh of two levels as a series of VTKHDF files."""
    rng = np.random.default_rng(6)
    path = folder / "levels.vtkhdf.series"
    with esker.Writer(path, dims={}, format="vtkhdf", report="none") as w:
        mesh = w.mesh("amr", {"x": 8, "y": 6}, ratios=[2])
        rho = w.field("rho", "f8", grid=mesh)
        velocity = w.field("velocity", "f4", grid=mesh, components=2)
        for step in range(2):
            with w.step(step * 0.5) as s:
                for level, offset, shape in ((0, (0, 0), (6, 8)), (1, (2, 4), (4, 6)), (1, (8, 4), (6, 2))):
                    s.put(rho, rng.random(shape), offset=offset, level=level)
                    s.put(velocity, rng.random((*shape, 2)).astype("f4"), offset=offset, level=level)
    yield Base(path.name, path, (path, *sorted((folder / "levels.vtkhdf.steps").iterdir())))


def _openvisus_files(folder: Path) -> Iterator[Base]:
    for name in (
        "d2_np2_f32_zip_hz",
        "d2_np2_f32x3_lz4_rm",
        "d3_2fields_3times_mixed",
        "d3_arco_zip",
        "d3_zfp_reversible_hz",
    ):
        shutil.copytree(GOLDEN / name, folder, dirs_exist_ok=True)
        path = folder / f"{name}.idx"
        yield Base(path.name, path, (path, *sorted((folder / name).rglob("*.bin"))[:2]))


def _netcdf_files(folder: Path) -> Iterator[Base]:
    import netCDF4

    for name, model in {
        "other1.nc": "NETCDF3_CLASSIC",
        "other2.nc": "NETCDF3_64BIT_OFFSET",
        "other5.nc": "NETCDF3_64BIT_DATA",
        "other4.nc": "NETCDF4",
    }.items():
        with netCDF4.Dataset(folder / name, "w", format=model) as file:
            for dim, size in {"time": None, "y": 6, "x": 10, "n": 4}.items():
                file.createDimension(dim, size)
            file.title = "a file of others"
            is_4 = model == "NETCDF4"
            times = file.createVariable("time", "f8", ("time",))
            times.units = "days since 2000-01-01"
            x = file.createVariable("x", "f4", ("x",))
            options = {"zlib": True, "shuffle": True, "chunksizes": (1, 3, 5)} if is_4 else {}
            t = file.createVariable("t", "i2", ("time", "y", "x"), fill_value=-9, **options)
            t.scale_factor = 0.5
            h = file.createVariable("h", "f8", ("y", "x"), **({"fletcher32": True} if is_4 else {}))
            file.createVariable("crs", "i4", ()).grid_mapping_name = "polar"
            names = file.createVariable("names", "S1", ("n",))
            if is_4:
                file.createVariable("texts", str, ("n",))[:] = np.array(["a", "bb", "", "c"], object)
                file.createGroup("deep").createVariable("w", "i8", ("y",))[:] = range(6)
                file["deep"].list = ["one", "two"]
            names[:] = np.array(list("abcd"), "S1")
            x[:], h[:] = np.arange(10), np.ones((6, 10))
            times[:] = [0, 1, 2]
            t[:] = np.arange(180).reshape(3, 6, 10)
        yield Base(name, folder / name, (folder / name,))


def _h5py_files(folder: Path) -> Iterator[Base]:
    import h5py

    for name, version in {"old.h5": "earliest", "new.h5": "latest"}.items():
        with h5py.File(folder / name, "w", libver=version) as file:
            file.attrs["title"] = "by h5py"
            file["x"] = np.arange(8.0)
            file["x"].make_scale("x")
            t = file.create_dataset(
                "t", (4, 6, 8), "f4", maxshape=(None, 6, None), chunks=(1, 3, 4), compression="gzip"
            )
            t[...] = np.arange(192).reshape(4, 6, 8)
            t.dims[2].attach_scale(file["x"])
            file.create_dataset("whole", data=np.arange(48, dtype="u2").reshape(6, 8))
            file.create_dataset("empty", (6, 8), "i4", fillvalue=7)
            file.create_dataset("text", (3,), h5py.string_dtype(), fillvalue="none")
            file.create_dataset("pairs", (3,), np.dtype([("a", "i4"), ("b", "f8")]))
            file.create_dataset("sparse", (100, 100), "u1", chunks=(10, 10))[5, 5] = 1
            file.create_group("deep/er")["z"] = np.arange(3)
        yield Base(name, folder / name, (folder / name,))


# ---- damage ----

_LARGE = (0, 1, 0x7F, 0xFF, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 62), (1 << 63) - 1, (1 << 64) - 1)


def mutate(content: bytes, rng: random.Random) -> bytes:
    """The bytes after one to three changes, as by a bad disk, a broken transfer or an attacker."""
    damaged = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if damaged:
            rng.choice((_flip, _flip, _set_byte, _set_number, _set_number, _copy_range, _zero_range, _cut))(
                damaged, rng
            )
    return bytes(damaged)


def _place(content: bytearray, size: int, rng: random.Random) -> int:
    """A position in `size` bytes, preferably not in padding."""
    for _ in range(50):
        at = rng.randrange(len(content) - size + 1)
        if any(content[at : at + size]):
            break
    return at


def _flip(content: bytearray, rng: random.Random) -> None:
    content[_place(content, 1, rng)] ^= 1 << rng.randrange(8)


def _set_byte(content: bytearray, rng: random.Random) -> None:
    content[_place(content, 1, rng)] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))


def _set_number(content: bytearray, rng: random.Random) -> None:
    size = rng.choice((2, 4, 8))
    if len(content) >= size:
        at = _place(content, size, rng)
        number = (rng.choice(_LARGE) + rng.choice((0, 0, -1, 1))) % (1 << 8 * size)
        code = rng.choice("<>") + {2: "H", 4: "I", 8: "Q"}[size]
        content[at : at + size] = struct.pack(code, number)


def _copy_range(content: bytearray, rng: random.Random) -> None:
    size = min(rng.choice((4, 16, 64)), len(content))
    source, target = _place(content, size, rng), _place(content, size, rng)
    content[target : target + size] = content[source : source + size]


def _zero_range(content: bytearray, rng: random.Random) -> None:
    size = min(rng.choice((4, 8, 32)), len(content))
    at = _place(content, size, rng)
    content[at : at + size] = bytes(size)


def _cut(content: bytearray, rng: random.Random) -> None:
    if rng.random() < 0.3:
        del content[rng.randrange(len(content)) :]


# ---- the use of a mutant ----


def use(path: Path) -> None:
    """All operations of users on a dataset; each may be refused."""
    warnings.simplefilter("ignore", esker.DatasetWarning)
    for action in (_read_all, _read_levels, _describe, _open_in_xarray, esker.verify, _convert):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about parts that are left out
                action(path)
        except _REFUSALS as error:
            if isinstance(error, UnicodeError):
                raise


def _read_all(path: Path) -> None:
    for dataset in (esker.open(path), esker.open(path, verify=True)):
        _read_fields(dataset)


def _read_fields(dataset: esker.Dataset) -> None:
    for field in dataset.fields.values():
        steps = [0] if field.fixed else [0, len(dataset.steps) - 1]
        for step in steps:
            for level in {0, field.max_level // 2, field.max_level}:
                try:
                    selection = field.select(level=level)
                    if selection.nbytes <= _MOST_READ:
                        field.read(step=step, level=level)
                    low, high = field.box
                    box = (tuple(max(a, b - 3) for a, b in zip(low, high)), high)
                    field.read(step=step, box=box)
                except _REFUSALS:
                    pass


def _read_levels(path: Path) -> None:
    for field in esker.open(path).fields.values():
        for step in (0, 1):
            for patch in field.patches(step)[:20]:
                field.read(step=step, box=(patch.lo, patch.hi), mesh_level=patch.level)


def _describe(path: Path) -> None:
    describe(esker.open(path))


def _open_in_xarray(path: Path) -> None:
    with xr.open_dataset(path, engine="esker") as dataset:
        for variable in dataset.variables.values():
            if variable.nbytes <= _MOST_READ:
                variable.isel({dim: slice(0, 2) for dim in variable.dims}).load()


def _convert(path: Path) -> None:
    esker.open(path)
    source = open_source(str(path))
    if size_of(source) <= _MOST_READ:
        convert(source, path.parent / "converted.idx", "idx", lambda _: None)


def use_in_child(path: Path) -> str:
    """The error in the outcome of a mutant; empty if there is none."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        _be_used(path, write_end)
    os.close(write_end)
    end = time.monotonic() + SECONDS
    text = ""
    while not (done := os.wait4(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.wait4(child, 0)
            os.close(read_end)
            return f"did not end within {SECONDS} s"
        time.sleep(0.002)
    with os.fdopen(read_end, "rb") as stream:
        text = stream.read().decode()
    _, status, _ = done
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return f"took more than {PROCESSOR_SECONDS} s of processor time"
    if os.WIFSIGNALED(status):
        return f"ended by signal {os.WTERMSIG(status)}"
    return text if os.WEXITSTATUS(status) else ""


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _be_used(path: Path, write_end: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    faulthandler.disable()
    before = _resident_bytes()  # less than that of the parent: a child does not have the pages of mapped files yet
    status = 0
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        use(path)
        taken = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10) - before
        if taken > MOST_BYTES:
            raise MemoryError(f"{taken >> 20} MiB of memory taken")
    except BaseException:
        status = 1
        os.write(write_end, traceback.format_exc()[-4000:].encode())
    os._exit(status)


def run(folder: Path, count: int, seed: int, keep: Callable[[str], bool] = lambda _: True) -> list[Finding]:
    """Runs `count` mutants of the bases whose name `keep` accepts; the same for the same seed."""
    findings = []
    (folder / "good").mkdir(parents=True)
    good = [base for base in bases(folder / "good") if keep(base.name)]
    use(good[0].path)  # triggers xarray's lazy imports once for all children
    for base in good:
        if wrong := use_in_child(base.path):
            findings.append(Finding(base.path, wrong))
    for n in range(count):
        base, rng = good[n % len(good)], random.Random(f"{seed} {n}")
        place = folder / f"mutant_{n}"
        for file in [base.path, *base.path.parent.glob(f"{base.path.stem}.*"), base.path.with_suffix("")]:
            _copy(file, place / file.relative_to(folder / "good"))
        weights = [4, *[2] * (len(base.files) - 1)]
        damaged = place / rng.choices(base.files, weights)[0].relative_to(folder / "good")
        damaged.write_bytes(mutate(damaged.read_bytes(), rng))
        if wrong := use_in_child(place / base.path.name):
            findings.append(Finding(place / base.path.name, wrong))
        else:
            shutil.rmtree(place)
    return findings


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _main(folder: str, count: str, seed: str, *names: str) -> None:
    found = run(Path(folder), int(count), int(seed), lambda name: not names or name in names)
    for finding in found:
        print(f"== {finding.path}\n{finding.text}")
    print(f"{count} mutants, {len(found)} findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    _main(*sys.argv[1:])
