"""ncdump, nccopy, NCO, CDO and netCDF4-python read datasets of Esker through the plug-in for netCDF-C, unchanged."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

import esker
from esker.integrations import netcdf

try:
    netcdf.plugin()
except FileNotFoundError as absent:
    pytest.skip(str(absent), allow_module_level=True)

RNG = np.random.default_rng(29)
NX, NY, NZ, STEPS = 40, 24, 6, 3
TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
TEMP = RNG.normal(260, 9, (STEPS, NZ, NY, NX)).astype("f4")
THK = RNG.random((NY, NX))
VEL = RNG.integers(-999, 999, (STEPS, NY, NX, 3)).astype("i2")
COUNTS = {dtype: RNG.integers(0, 100, (NY, NX)).astype(dtype) for dtype in TYPES}
ATTRS: dict[str, Any] = {
    "title": "a run",
    "names": ["north", "south"],
    "limits": np.array([1.5, 2.5], "f4"),
    "x": {"units": "m", "standard_name": "projection_x_coordinate"},
    "time": {"units": "days since 2001-01-01", "calendar": "standard"},
}
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of two grids, with every type, and doors to it."""
    folder = tmp_path_factory.mktemp("plugin")
    coords = {"x": 5.0 * np.arange(NX), "y": -2.0 * np.arange(NY)}
    with esker.Writer(
        folder / "run.idx", dims={"x": NX, "y": NY, "z": NZ}, coords=coords, attrs=ATTRS, report="none"
    ) as w:
        xy = w.grid("xy", ("x", "y"))
        w.scalar("crs", 7, {"grid_mapping_name": "polar_stereographic"})
        w.field("temp", "f4", units="K", attrs={"_FillValue": np.float32(-9)})
        w.field("vel", "i2", grid=xy, components=3)
        w.field("seldom", "f4", grid=xy, every=2)
        w.field("thk", "f8", grid=xy, fixed=True)
        for dtype in TYPES:
            w.field(f"n_{dtype}", dtype, grid=xy, fixed=True)
        for number in range(STEPS):
            with w.step(10.0 * number) as s:
                s.put("temp", TEMP[number])
                s.put("vel", VEL[number])
                if number % 2 == 0:
                    s.put("seldom", THK.astype("f4") + number)
                if number == 0:
                    s.put("thk", THK)
                    for dtype in TYPES:
                        s.put(f"n_{dtype}", COUNTS[dtype])
    esker.write(folder / "one.idx", {"temp": TEMP[0]})
    ds = esker.open(folder / "run.idx")
    netcdf.write_door(folder / "run.idx", folder / "full.nc")
    netcdf.write_door(folder / "run.idx", folder / "coarse.nc", ds["temp"].max_level - 3)
    netcdf.write_door(folder / "run.idx", folder / "box.nc", box=((5, 2, 1), (17, 20, 4)))
    return folder


def run(folder: Path, *program: str | Path, level: int | None = None) -> str:
    """The output of a program that loads the plug-in."""
    if shutil.which(program[0]) is None:
        pytest.skip(f"{program[0]} is not installed")
    done = subprocess.run(
        program,
        cwd=folder,
        env=netcdf.preloaded(os.environ, level),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "esker:" not in done.stderr
    return done.stdout


def assert_copies(path: Path, level: int | None = None) -> None:
    """Every value of a netCDF file is that of the dataset."""
    ds = esker.open(path.parent / "run.idx")
    stride = ds["temp"].select(level=level).stride[::-1]
    plane = tuple(slice(None, None, s) for s in stride[1:])
    space = tuple(slice(None, None, s) for s in stride)
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        np.testing.assert_array_equal(file["temp"][:], TEMP[:, *space])
        np.testing.assert_array_equal(file["vel"][:], VEL[:, *plane])
        np.testing.assert_array_equal(file["thk"][:], THK[plane])
        np.testing.assert_array_equal(file["seldom"][2], (THK.astype("f4") + np.float32(2))[plane])
        np.testing.assert_array_equal(
            file["seldom"][1], np.full_like(THK[plane], netCDF4.default_fillvals["f4"], "f4")
        )
        for dtype in TYPES:
            found = file[f"n_{dtype}"]
            assert found.dtype == dtype
            np.testing.assert_array_equal(found[:], COUNTS[dtype][plane])
        np.testing.assert_array_equal(file["x"][:], 5.0 * np.arange(NX)[:: stride[2]])
        np.testing.assert_array_equal(file["time"][:], [0, 10, 20])
        assert file["time"].units == ATTRS["time"]["units"] and file.title == "a run"
        assert file["crs"][...] == 7 and file["crs"].grid_mapping_name == "polar_stereographic"
        assert list(file.names) == ["north", "south"] and file.limits.dtype == "f4"
        assert file["temp"]._FillValue == -9 and file.dimensions["time"].isunlimited()


@pytest.mark.parametrize("program", [("nccopy", "-k", "nc4"), ("ncks", "-O", "-4")], ids=lambda p: p[0])
def test_a_copy_has_every_value(folder: Path, program: tuple[str, ...]) -> None:
    run(folder, *program, "full.nc", f"{program[0]}.copy")
    assert_copies(folder / f"{program[0]}.copy")


def test_a_copy_at_a_level(folder: Path) -> None:
    run(folder, "nccopy", "-k", "nc4", "coarse.nc", "coarse.copy")
    assert_copies(folder / "coarse.copy", esker.open(folder / "run.idx")["temp"].max_level - 3)


@pytest.mark.parametrize("level", [None, 9])
def test_an_idx_file_needs_no_door(folder: Path, level: int | None) -> None:
    run(folder, "nccopy", "-k", "nc4", "one.idx", "one.copy", level=level)
    with netCDF4.Dataset(folder / "one.copy") as file:
        expected = esker.open(folder / "one.idx")["temp"].read(level=level)
        np.testing.assert_array_equal(file["temp"][0], expected)


def test_a_box(folder: Path) -> None:
    run(folder, "nccopy", "-k", "nc4", "box.nc", "box.copy")
    with netCDF4.Dataset(folder / "box.copy") as file:
        np.testing.assert_array_equal(file["temp"][:], TEMP[:, 1:4, 2:20, 5:17])
        np.testing.assert_array_equal(file["vel"][:], VEL[:, 2:20, 5:17])
        np.testing.assert_array_equal(file["y"][:], -2.0 * np.arange(2, 20))


def test_nco_reads_slabs(folder: Path) -> None:
    slab = ["-d", "time,1", "-d", "z,1,5,2", "-d", "y,3,20,5", "-d", "x,2,37,7"]
    run(folder, "ncks", "-O", "-4", *slab, "full.nc", "slab.copy")
    with netCDF4.Dataset(folder / "slab.copy") as file:
        np.testing.assert_array_equal(file["temp"][:], TEMP[1:2, 1:6:2, 3:21:5, 2:38:7])
        np.testing.assert_array_equal(file["vel"][:], VEL[1:2, 3:21:5, 2:38:7])


def test_cdo_reads_a_door(folder: Path) -> None:
    assert f"points={NX * NY} ({NX}x{NY})" in run(folder, "cdo", "-s", "sinfo", "full.nc")
    largest = run(
        folder, "cdo", "-s", "outputf,%.9g,1", "-fldmax", "-sellevidx,2", "-selname,temp", "full.nc"
    )
    np.testing.assert_allclose(
        [float(value) for value in largest.split()], TEMP[:, 1].max(axis=(1, 2)), rtol=1e-7
    )


def test_gdal_reads_a_door(folder: Path) -> None:
    said = run(folder, "gdalinfo", "-stats", "NETCDF:full.nc:thk")
    assert f"Size is {NX}, {NY}" in said and f"STATISTICS_MAXIMUM={THK.max():.9g}"[:24] in said


@pytest.mark.slow
def test_paraviews_own_reader_reads_doors(folder: Path) -> None:
    """NetCDFReader, without the plug-in for ParaView."""

    def read(door: str, dimensions: str) -> Any:
        script = Path(__file__).with_name("paraview_netcdf.py")
        run(folder, "pvpython", script, door, dimensions, f"{door}.npz")
        return np.load(folder / f"{door}.npz")

    full, box = read("full.nc", "(z, y, x)"), read("box.nc", "(z, y, x)")
    coarse = read("coarse.nc", "(y, x, component_3)")
    assert full["times"].tolist() == [0, 10, 20]
    assert full["bounds"].tolist() == [0, 5 * (NX - 1), -2 * (NY - 1), 0, 0, NZ - 1]
    assert box["bounds"].tolist() == [25, 80, -38, -4, 0, 2]
    for step in range(STEPS):
        np.testing.assert_array_equal(full[f"{step}/temp"], TEMP[step].ravel())
        np.testing.assert_array_equal(box[f"{step}/temp"], TEMP[step, 1:4, 2:20, 5:17].ravel())
        np.testing.assert_array_equal(coarse[f"{step}/vel"], VEL[step, ::2, ::2].ravel())


PYTHON = """
import sys
import netCDF4, numpy as np
import xarray as xr
file = netCDF4.Dataset(sys.argv[1])
file.set_auto_mask(False)
np.save("temp.npy", file["temp"][1:, ::2, 3:20:4, ::8])
np.save("picked.npy", file["temp"][2, [0, 4], 5, 1:33:3])
np.save("vel.npy", file["vel"][..., 1])
print(file["temp"].chunking(), file.file_format, file.data_model)
with xr.open_dataset(sys.argv[1], engine="netcdf4") as ds:
    np.save("mean.npy", ds["temp"].mean("time").values)
try:
    netCDF4.Dataset(sys.argv[1], "r+")
except OSError as error:
    print(error)
"""


def test_python_reads_parts(folder: Path) -> None:
    """The package brings a library of netCDF-C with another name."""
    said = run(folder, sys.executable, "-c", PYTHON, "full.nc")
    assert f"[1, {NZ}, {NY}, {NX}] NETCDF4" in said and "read only" in said
    np.testing.assert_array_equal(np.load(folder / "temp.npy"), TEMP[1:, ::2, 3:20:4, ::8])
    np.testing.assert_array_equal(np.load(folder / "picked.npy"), TEMP[2][[0, 4], 5, 1:33:3])
    np.testing.assert_array_equal(np.load(folder / "vel.npy"), VEL[..., 1])
    np.testing.assert_allclose(np.load(folder / "mean.npy"), TEMP.mean(axis=0), rtol=1e-6)


FORMATS = """
import ctypes, sys
ctypes.CDLL("libnetcdf.so.19", ctypes.RTLD_GLOBAL)
functions = ctypes.CDLL(None)
slot, mode, number, found = ctypes.c_int(), ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
for path in sys.argv[1:]:
    assert functions.nc_open(path.encode(), 0, ctypes.byref(number)) == 0
    assert functions.nc_inq_format_extended(number, ctypes.byref(slot), ctypes.byref(mode)) == 0
    in_slot = ctypes.create_string_buffer(9)
    flag = {8: 0x40, 9: 0x80}[slot.value]
    assert functions.nc_inq_user_format(flag, ctypes.byref(found), in_slot) == 0
    assert open(path, "rb").read(8) == in_slot.raw[:8], (path, slot, in_slot.raw)
    assert mode.value & (0x40 | 0x80) == flag
    print(slot.value)
"""


def test_the_format_is_the_slot_of_the_file(folder: Path) -> None:
    """nc_inq_format_extended() tells in which of the slots of user-defined formats a file's magic number is."""
    try:
        ctypes.CDLL("libnetcdf.so.19")
    except OSError:
        pytest.skip("netCDF-C is not installed: no libnetcdf.so.19")
    said = run(folder, sys.executable, "-c", FORMATS, "one.idx", "full.nc", "one.idx")
    assert sorted(set(said.split())) == ["8", "9"]


def test_ncrc_names_the_plugin(folder: Path) -> None:
    """netCDF-C 4.10 loads plug-ins by itself. How it was built says which function it expects."""
    if tuple(int(part) for part in netCDF4.__netcdf4libversion__.split(".")[:2]) < (4, 10):
        pytest.skip("netCDF4-python brings a netCDF-C before 4.10")
    home = folder / "home"
    home.mkdir()
    program = "import sys, netCDF4; print(*(netCDF4.Dataset(path)['temp'].shape for path in sys.argv[1:]))"
    said = []
    for function in ("esker_netcdf_init", "esker_netcdf_table"):
        (home / ".ncrc").write_text(f"NETCDF.UDF0.LIBRARY={netcdf.plugin()}\nNETCDF.UDF0.INIT={function}\n")
        command = [sys.executable, "-c", program, "one.idx", "full.nc"]
        environment = {**os.environ, "HOME": str(home)}
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60
        )
        assert done.stdout == f"(1, {NZ}, {NY}, {NX}) ({STEPS}, {NZ}, {NY}, {NX})\n"
        said.append(done.stderr)
    assert "" in said


BIG = """(version)
6
(box)
0 20479 0 20479 0 20479
(fields)
a float32 default_compression() format(0)
(bits)
V012012012012012012012012012012012012012012012
(bitsperblock)
15
(blocksperfile)
32
(filename_template)
./big/%02x/%04x.bin
"""


def test_a_dataset_that_no_memory_holds(tmp_path: Path) -> None:
    """34 TB of float32, of which no block was stored yet."""
    (tmp_path / "big.idx").write_text(BIG)
    assert run(tmp_path, "ncdump", "-h", "big.idx").count("= 20480 ;") == 3
    cut = [part for dim in ("x", "y", "z") for part in ("-d", f"{dim},20479")]
    run(tmp_path, "ncks", "-O", "-C", "-v", "a", *cut, "big.idx", "cut.nc")
    with netCDF4.Dataset(tmp_path / "cut.nc") as file:
        assert file["a"][:].tolist() == [[[[0]]]]


def test_grids_with_different_coordinates(tmp_path: Path) -> None:
    """The second grid's dimensions get its name."""
    with esker.Writer(tmp_path / "run.idx", dims={"x": 8, "y": 4}, report="none") as w:
        a = w.grid("a", ("x", "y"), coords={"x": np.arange(8.0)})
        b = w.grid("b", ("x", "y"), coords={"x": np.arange(8.0) + 0.5})
        w.field("at_a", "f4", grid=a, fixed=True)
        w.field("at_b", "f4", grid=b, fixed=True)
        with w.step(0) as s:
            s.put("at_a", np.ones((4, 8), "f4"))
            s.put("at_b", np.ones((4, 8), "f4"))
    netcdf.write_door(tmp_path / "run.idx", tmp_path / "run.nc")
    said = run(tmp_path, "ncdump", "run.nc")
    assert "at_a(y, x)" in said and "at_b(y, x_b)" in said and "x_b = 0.5, 1.5" in said


def test_without_the_plugin_a_door_says_what_it_is(folder: Path) -> None:
    with netCDF4.Dataset(folder / "full.nc") as file:
        assert file.esker_door == "run.idx" and "esker run --netcdf" in file.description
        assert not file.variables


def changed(content: bytes, name: bytes, value: bytes) -> bytes:
    """A door with another value of the same length."""
    assert content.count(name) == 1 and len(name) == len(value)
    return content.replace(name, value)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (b"run.idx", b"/et.idx", "not below the directory"),
        (b"run.idx", b"../.idx", "not below the directory"),
        (b"run.idx", b"full.nc", "is a door, too"),
        (b"run.idx", b"not.idx", "No such file"),
        (b"esker_door", b"esker_doom", "'esker_door' is missing"),
        (b"level\0\0\0\0\0\0\4\0\0\0\1\0\0", b"level\0\0\0\0\0\0\4\0\0\0\1\x7f\0", "no level"),
    ],
)
def test_hostile_doors(folder: Path, tmp_path: Path, name: bytes, value: bytes, said: str) -> None:
    door = folder / f"hostile_{tmp_path.name}.nc"
    door.write_bytes(changed((folder / "coarse.nc").read_bytes(), name, value))
    found = refused(folder, door.name)
    assert said.lower() in found.lower() and found.count("esker: ") == 1


@pytest.mark.parametrize(
    ("corners", "said"),
    [((5, 2, 1, 5, 20, 4), "the box is empty"), ((5, 2, 1, 4, 20, 4), "the box is empty"), ((0.5,), "0.5 is no index"),
     ((float("nan"),), "nan is no index"), ((1e300,), "1e+300 is no index"), ((0, 0, 0, 1, 99, 1), "exceeds the grid")],
)  # fmt: skip
def test_hostile_boxes(folder: Path, corners: tuple[float, ...], said: str) -> None:
    content = (folder / "box.nc").read_bytes()
    at = content.index(b"box\0") + 4 + 8
    values = struct.pack(f">{len(corners)}d", *corners)
    (folder / "hostile_box.nc").write_bytes(content[:at] + values + content[at + len(values) :])
    found = refused(folder, "hostile_box.nc")
    assert said in found and found.count("esker: ") == 1


def test_damaged_doors(folder: Path) -> None:
    content = (folder / "coarse.nc").read_bytes()
    for cut in range(9, len(content), 7):
        (folder / "cut.nc").write_bytes(content[:cut])
        assert "door 'cut.nc'" in refused(folder, "cut.nc")
    (folder / "cut.nc").write_bytes(content + bytes(1 << 16))
    assert "larger than 64 KiB" in refused(folder, "cut.nc")


def refused(folder: Path, path: str) -> str:
    done = subprocess.run(
        ["ncdump", path],
        cwd=folder,
        env=netcdf.preloaded(os.environ),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1 and not done.stdout
    return done.stderr


def test_the_commands(folder: Path, esker_command: Run) -> None:
    done = esker_command("door", folder / "run.idx", folder / "by_command.nc", "--level", "9")
    assert (done.returncode, done.stderr) == (0, "")
    done = esker_command("run", "--netcdf", "--", "ncdump", "-h", folder / "by_command.nc")
    assert done.returncode == 0 and "temp(time, z, y, x)" in done.stdout
    done = esker_command("run", "--netcdf", "--level", "9", "ncdump", "-h", folder / "one.idx")
    assert done.returncode == 0 and done.stdout.startswith("netcdf one {")  # -h is the program's
    assert f"x = {NX} ;" not in done.stdout
    assert (
        "NC_LEVEL: expected a number"
        in subprocess.run(
            ["ncdump", folder / "one.idx"],
            env={**netcdf.preloaded(os.environ), "ESKER_NC_LEVEL": "9x"},
            capture_output=True,
            text=True,
        ).stderr
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run.idx", "new.nc", "--level", "99"), "level 99, expected 0 to"),
        (("run.idx", "new.nc", "--box", "0:99,0:9,0:3"), "exceeds the grid"),
        (("run.idx", "other/new.nc"), "directory of its dataset"),
        (("https://example.org/run.idx", "new.nc"), "URL"),
        (("no.idx", "new.nc"), "no.idx"),
    ],
)
def test_doors_that_cannot_be(
    folder: Path, esker_command: Run, arguments: tuple[str, ...], said: str
) -> None:
    (folder / "other").mkdir(exist_ok=True)
    paths = [
        folder / name if name.endswith((".nc", ".idx")) and ":" not in name else name for name in arguments
    ]
    done = esker_command("door", *paths)
    assert done.returncode == 2 and said in done.stderr and not (folder / "new.nc").exists()


def test_a_door_replaces_no_file(folder: Path, esker_command: Run) -> None:
    before = (folder / "full.nc").read_bytes()
    done = esker_command("door", folder / "one.idx", folder / "full.nc")
    assert (
        done.returncode == 1 and "File exists" in done.stderr and (folder / "full.nc").read_bytes() == before
    )


def test_run_needs_to_know_what_for(esker_command: Run) -> None:
    done = esker_command("run", "--", "ncdump")
    assert done.returncode == 2 and "--netcdf" in done.stderr
    done = esker_command("run", "--netcdf", "--", "no-such-program")
    assert done.returncode == 2 and "no-such-program" in done.stderr
