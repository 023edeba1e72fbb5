"""The command line: exit statuses, one-line errors, JSON, pictures."""

from __future__ import annotations

import json
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from http_files import serve

import esker

Run = Callable[..., subprocess.CompletedProcess[str]]
ESKER = Path(sys.executable).with_name("esker")
THREE_D = "d3_2fields_3times_raw_rm"
FLAT = "d2_pow2_u8_raw_rm"


@pytest.fixture
def path_3d(golden_path: Callable[[str], Path]) -> Path:
    return golden_path(THREE_D)


def png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 5000
    return struct.unpack(">II", data[16:24])


def assert_fails(done: subprocess.CompletedProcess[str], status: int, *words: str) -> None:
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("esker"), done.stderr
    for word in words:
        assert word in done.stderr


def test_info_json(esker_command: Run, path_3d: Path) -> None:
    done = esker_command("info", path_3d, "--json")
    assert done.returncode == 0 and done.stderr == ""
    facts = json.loads(done.stdout)
    assert list(facts) == [
        "path",
        "attributes",
        "time_attributes",
        "dimension_attributes",
        "steps",
        "time_dim",
        "time_dtype",
        "scalars",
        "grids",
        "fields",
        "parts",
        "checked",
        "warnings",
        "storage",
    ]
    assert facts["steps"] == [0, 1, 2]
    assert [dim["size"] for dim in facts["grids"][0]["dims"]] == [24, 20, 16]
    p, vel = facts["fields"]
    assert (p["name"], p["dtype"], p["components"], p["shape"]) == ("p", "float32", 1, [16, 20, 24])
    assert (vel["name"], vel["components"], vel["shape"]) == ("vel", 3, [16, 20, 24, 3])
    assert p["box"] == [[0, 0, 0], [24, 20, 16]] and p["max_level"] == 14 and p["steps"] == [0, 1, 2]
    assert p["data_bytes"] == 24 * 20 * 16 * 4 * 3
    (part,) = facts["parts"]
    assert part["bitmask"] == "V01201201201201" and part["bits_per_block"] == 9 and part["blocks"] == 28
    assert facts["storage"]["files"] == 24
    assert facts["storage"]["bytes"] >= facts["storage"]["data_bytes"] == 24 * 20 * 16 * 16 * 3


@pytest.mark.parametrize(
    ("name", "options", "word", "said"),
    [
        ("a.idx", {}, "checksums", "with checksums"),
        ("a.idx", {"checksums": False}, "readable", "no checksums, so changed values are not detected"),
        ("a.idx", {"partition_index": "local", "partitions": "1"}, "checksums", "with checksums"),
        ("a.nc", {}, "readable", "no checksums, so changed values are not detected"),
    ],
    ids=str,
)
def test_info_says_what_verify_can_check(
    esker_command: Run, tmp_path: Path, name: str, options: dict[str, Any], word: str, said: str
) -> None:
    path = tmp_path / name
    esker.write(path, {"f": np.ones((8, 16))}, **options)
    facts = json.loads(esker_command("info", path, "--json").stdout)
    assert facts["checked"] == word == esker.verify(path).checked
    assert f"; {said}" in " ".join(esker_command("info", path).stdout.split())


def test_info_text(esker_command: Run, path_3d: Path) -> None:
    done = esker_command("info", path_3d)
    assert done.returncode == 0 and done.stderr == ""
    for text in (
        str(path_3d),
        "p",
        "vel",
        "float32[3]",
        "16 × 20 × 24",
        "0-14",
        "V01201201201201",
        "24 files",
    ):
        assert text in done.stdout
    assert all(len(line) <= 120 for line in done.stdout.splitlines())


def test_info_breaks_no_names_and_says_units(
    esker_command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "tendency_of_sea_ice_thickness_due_to_thermodynamics_and_dynamics_and_what_else_there_is_to_say"
    attrs = {"time": {"units": "hours since 2000-01-01"}, "x": {"units": "km"}}
    dims, coords = {"x": 4, "y": 3}, {"x": np.arange(4.0)}
    path = tmp_path / "long.idx"
    with esker.Writer(path, dims=dims, coords=coords, attrs=attrs, report="none") as writer:
        field = writer.field(long, "f4", attrs={"long_name": "as long as its name " * 5, "units": "m s-1"})
        with writer.step(1.5) as step:
            step.put(field, np.ones((3, 4), "f4"))
    wide = esker_command("info", path).stdout
    assert long in wide and "1, at 1.5 [hours since 2000-01-01]" in wide and "x 0 to 3 km" in wide
    monkeypatch.setenv("COLUMNS", "60")
    narrow = esker_command("info", path).stdout
    assert long in narrow and "as long as its name " * 5 not in narrow
    monkeypatch.setenv("COLUMNS", "400")
    assert "as long as its name " * 5 in esker_command("info", path).stdout


def test_an_empty_file_is_called_empty(esker_command: Run, tmp_path: Path) -> None:
    for name in ("empty.nc", "empty.h5", "empty"):
        (tmp_path / name).touch()
        assert_fails(esker_command("info", tmp_path / name), 1, name, "the file is empty")
    with pytest.raises(ValueError, match="path is empty"):
        esker.write("", {"thk": np.ones((5, 8))})


def test_plot_map(esker_command: Run, golden_path: Callable[[str], Path], tmp_path: Path) -> None:
    done = esker_command("plot", golden_path(FLAT), "density")
    assert done.returncode == 0 and done.stderr == "" and done.stdout == "density.png\n"
    width, height = png_size(tmp_path / "density.png")
    assert 1024 <= width <= 1400 and height < width  # 64 x 32 samples: twice as wide as high


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--section", "z=7", "--step", "0"],
        ["--section", "y=19", "--level", "9", "--log", "--cmap", "magma"],
        ["--section", "x=3", "--box", "2:10,0:20,4:16"],
    ],
)
def test_plot_sections(esker_command: Run, path_3d: Path, tmp_path: Path, options: list[str]) -> None:
    done = esker_command("plot", path_3d, "p", "-o", "p.png", *options)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert 1024 <= max(png_size(tmp_path / "p.png")) <= 1400


@pytest.mark.parametrize("suffix, start", [("pdf", b"%PDF"), ("SVG", b"<?xml"), ("png", b"\x89PNG")])
def test_plot_writes_what_the_suffix_says(
    esker_command: Run, path_3d: Path, tmp_path: Path, suffix: str, start: bytes
) -> None:
    done = esker_command("plot", path_3d, "p", "-o", f"p.{suffix}")
    assert done.returncode == 0 and done.stdout == f"p.{suffix}\n", done.stderr
    assert (tmp_path / f"p.{suffix}").read_bytes().startswith(start)


def test_plot_vectors(esker_command: Run, path_3d: Path, tmp_path: Path) -> None:
    for component in ([], ["--component", "2"]):
        assert esker_command("plot", path_3d, "vel", *component).returncode == 0
        assert (tmp_path / "vel.png").exists()
        (tmp_path / "vel.png").unlink()


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["info", "nothing.idx"], ["nothing.idx"]),
        (["info"], ["PATH"]),
        (["info", "--nonsense"], ["--nonsense"]),
        (["info", "--config", "run.idx"], ["--config"]),
        (["frobnicate"], ["frobnicate"]),
    ],
)
def test_wrong_usage_is_2(esker_command: Run, arguments: list[str], words: list[str]) -> None:
    assert_fails(esker_command(*arguments), 2, *words)


@pytest.mark.parametrize(
    "options, words",
    [
        (["nope"], ["nope", "p, vel"]),
        (["p", "--level", "99"], ["99"]),
        (["p", "--step", "3"], ["3"]),
        (["p", "--section", "w=1"], ["w"]),
        (["p", "--section", "z=16"], ["z=16", "indices 0 to 15"]),
        (["p", "--section", "z"], ["y=280"]),
        (["p", "--section", "z=1.5"], ["no coordinates", "index"]),
        (["p", "--box", "0:10"], ["box"]),
        (["p", "--box", "0:99,0:20,0:16"], ["exceeds the grid"]),
        (["p", "--box", "0-10"], ["0:100,50:90"]),
        (["p", "--cmap", "no_such"], ["no_such"]),
        (["vel", "--component", "3"], ["3"]),
        (["p", "-o", "p.xyz"], ["p.xyz", "png"]),
        (["p", "--box", "10:0,0:20,0:16"], ["(10, 0, 0)"]),
    ],
)
def test_wrong_plot_arguments_are_2(
    esker_command: Run, path_3d: Path, options: list[str], words: list[str], tmp_path: Path
) -> None:
    assert_fails(esker_command("plot", path_3d, *options), 2, *words)
    assert not list(tmp_path.iterdir())


def test_bad_data_is_1(esker_command: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.idx"
    bad.write_text("(version)\n6\n(box)\n0 what\n")
    assert_fails(esker_command("info", bad), 1, "bad.idx")


def test_unwritable_output_is_1(esker_command: Run, path_3d: Path) -> None:
    assert_fails(esker_command("plot", path_3d, "p", "-o", "no/such/folder.png"), 1, "no/such/folder.png")


@pytest.mark.parametrize("verb", [[], ["export"], ["info"], ["plot"], ["repair"], ["verify"]])
def test_help_has_examples(esker_command: Run, verb: list[str]) -> None:
    done = esker_command(*verb, "--help")
    assert done.returncode == 0 and done.stderr == ""
    assert not verb or f"  esker {verb[0]} run.idx" in done.stdout


def test_version_says_how_it_was_built(esker_command: Run) -> None:
    first, *facts = esker_command("--version").stdout.splitlines()
    assert first == f"esker, version {esker.__version__}"
    names, values = zip(*(line.split(": ", 1) for line in facts))
    assert names == ("compiler", "codecs", "HDF5", "GPU memory", "MPI", "Python")
    assert re.match(r"(GNU|Clang) [0-9.]+, \w+, \w+$", values[0])
    assert re.match(r"zlib [0-9.]+, lz4 [0-9.]+, zstd [0-9.]+, zfp [0-9.]+, blosc [0-9.]+$", values[1])
    assert re.match(r"[0-9.]+$|none$", values[2])
    assert (values[3] == "none") == (find_spec("esker._mpi") is None)


def test_standard_output(esker_command: Run, path_3d: Path, tmp_path: Path) -> None:
    field = json.loads(esker_command("info", path_3d, "--json").stdout)["fields"][0]["name"]
    done = subprocess.run(
        [ESKER, "export", path_3d, field, "-o", "-", "--format", "raw"], capture_output=True, check=True
    )
    assert done.stdout == np.ascontiguousarray(esker.open(path_3d)[field].read()).tobytes()
    assert b"C order" in done.stderr


@pytest.mark.parametrize(
    "arguments", [["info", "--config"], ["completion", "bash"], ["info", "DATASET", "--json"]]
)
def test_a_full_disk_is_one_line(path_3d: Path, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [ESKER, *(str(path_3d) if a == "DATASET" else a for a in arguments)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["esker: output: No space left on device"]


def test_a_directory_that_cannot_be_made_is_one_line(esker_command: Run) -> None:
    assert_fails(esker_command("manual", "-o", "/proc/nothing/here"), 1, "/proc/nothing")


def test_ctrl_c_prints_one_line(tmp_path: Path) -> None:
    np.save(tmp_path / "large.npy", np.zeros((512, 512, 256)))
    process = subprocess.Popen(
        [ESKER, "convert", tmp_path / "large.npy", tmp_path / "out.idx"], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".out*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 130 and text.splitlines()[-1] == "esker: interrupted"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.npy"]


def test_info_of_a_url(esker_command: Run, path_3d: Path) -> None:
    pytest.importorskip("aiohttp")
    with serve(path_3d.parent) as server:
        url = f"{server.url}/{path_3d.name}"
        done = esker_command("info", url)
        assert done.returncode == 0 and "files cannot be listed" in done.stdout, done.stderr
        assert json.loads(esker_command("info", url, "--json").stdout)["storage"]["files"] is None


def test_files_that_are_no_datasets(esker_command: Run, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print(1)")
    assert_fails(esker_command("info", tmp_path / "script.py"), 1, "not a dataset of a known format (IDX datasets, netCDF files, HDF5 files, VTKHDF series, Zarr groups)")
