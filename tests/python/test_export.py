"""esker export: the file holds the samples that read() returns."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.base import pieces
from esker.cli import main

Run = Callable[..., subprocess.CompletedProcess[str]]
SHAPE = (17, 20, 33)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    fields = {"p": rng.random(SHAPE, np.float32), "vel": rng.random((*SHAPE, 3))}
    with esker.Writer(tmp_path / "run.idx", dims={"x": 33, "y": 20, "z": 17}, bits_per_block=8) as w:
        made = w.field("p", "f4", units="Pa"), w.field("vel", "f8", components=3)
        for time in (0, 5):
            with w.step(time) as s:
                for field in made:
                    s.put(field, fields[field.name] + np.array(time, field.dtype))
    return tmp_path / "run.idx"


CASES: list[tuple[str, list[str], dict[str, Any]]] = [
    ("p", [], {}),
    ("p", ["--step", "0"], {"step": 0}),
    ("p", ["--level", "9"], {"level": 9}),
    ("p", ["--box", "3:30,2:19,5:6"], {"box": ((3, 2, 5), (30, 19, 6))}),
    ("vel", ["--box", "0:33,1:20,3:17", "--level", "11"], {"box": ((0, 1, 3), (33, 20, 17)), "level": 11}),
    (
        "p",
        ["--box", "1:2,1:2,1:2", "--level", "0"],
        {"box": ((1, 1, 1), (2, 2, 2)), "level": 0},
    ),  # no samples
]


@pytest.mark.parametrize("kind", ["npy", "raw"])
@pytest.mark.parametrize("field, arguments, query", CASES)
def test_the_file_holds_what_read_returns(
    esker_command: Run,
    path: Path,
    tmp_path: Path,
    kind: str,
    field: str,
    arguments: list[str],
    query: dict[str, Any],
) -> None:
    done = esker_command("export", path, field, "-o", f"out.{kind}", *arguments)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    expected = esker.open(path)[field].read(**query)
    found = (
        np.load(tmp_path / "out.npy") if kind == "npy" else np.fromfile(tmp_path / "out.raw", expected.dtype)
    )
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found if kind == "npy" else found.reshape(expected.shape), expected)
    assert f"z: {expected.shape[0]}, y: {expected.shape[1]}, x: {expected.shape[2]}" in done.stdout
    assert "C order" in done.stdout and expected.dtype.str in done.stdout


def test_json_says_what_the_bytes_are(esker_command: Run, path: Path, tmp_path: Path) -> None:
    done = esker_command("export", path, "vel", "-o", "v.bin", "--component", 1, "--level", 10, "--json")
    facts = json.loads(done.stdout)
    field = esker.open(path)["vel"]
    expected = field.read(level=10)[..., 1]
    found = np.fromfile(tmp_path / "v.bin", facts["dtype"]).reshape(facts["shape"])
    np.testing.assert_array_equal(found, expected)
    assert facts["bytes"] == expected.nbytes and facts["dims"] == ["z", "y", "x"] and facts["order"] == "C"
    assert facts["time"] == 5 and facts["level"] == 10 and facts["format"] == "raw"
    selection = field.select(level=10)
    assert (tuple(facts["origin"]), tuple(facts["stride"])) == (selection.origin, selection.stride)


@pytest.mark.parametrize("max_bytes", [1, 400, 3000, 100_000])
def test_larger_than_memory_is_read_piece_by_piece(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, max_bytes: int
) -> None:
    asked: list[int] = []
    read = esker.Field.read

    def counting(self: esker.Field, *arguments: Any) -> np.ndarray:
        array = read(self, *arguments)
        asked.append(array.nbytes)
        return array

    monkeypatch.setattr(esker.Field, "read", counting)
    monkeypatch.setattr(pieces, "PIECE_BYTES", max_bytes)
    with pytest.raises(SystemExit) as done:
        main(
            [
                "export",
                str(path),
                "vel",
                "-o",
                str(tmp_path / "v.npy"),
                "--level",
                "10",
                "--box",
                "1:33,0:20,2:17",
            ]
        )
    assert not done.value.code
    assert max(asked) <= max(max_bytes, 24)
    expected = read(esker.open(path)["vel"], box=((1, 0, 2), (33, 20, 17)), level=10)
    assert sum(asked) == expected.nbytes
    np.testing.assert_array_equal(np.load(tmp_path / "v.npy"), expected)


@pytest.mark.parametrize(
    "arguments, status, words",
    [
        (["nope", "-o", "a.npy"], 2, ["nope", "p, vel"]),
        (["p"], 2, ["--output"]),
        (["p", "-o", "a.txt"], 2, ["a.txt", ".raw", ".nc4", "--format"]),
        (["p", "-o", "a.idx"], 2, ["a.idx", "--format"]),
        (["p", "-o", "a.nc4", "--component", "0"], 2, ["--component is not supported"]),
        (["p", "-o", "a.npy", "--level", "99"], 2, ["99"]),
        (["p", "-o", "a.npy", "--step", "2"], 2, ["2"]),
        (["p", "-o", "a.npy", "--box", "9:3,0:1,0:1"], 2, ["(9, 0, 0)"]),
        (["p", "-o", "a.npy", "--box", "9"], 2, ["0:100"]),
        (["p", "-o", "a.npy", "--box", "-5:33,0:20,0:17"], 2, ["[-5,33)", "exceeds the grid"]),
        (["vel", "-o", "a.npy", "--component", "3"], 2, ["component 3"]),
        (["p", "-o", "no/such/a.npy"], 1, ["no/such/a.npy"]),
    ],
)
def test_wrong_arguments(
    esker_command: Run, path: Path, tmp_path: Path, arguments: list[str], status: int, words: list[str]
) -> None:
    before = sorted(tmp_path.iterdir())
    done = esker_command("export", path, *arguments)
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert len(done.stderr.splitlines()) == 1 and all(word in done.stderr for word in words), done.stderr
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("suffix, kind", [(".nc", "netcdf"), (".nc4", "netcdf4"), (".h5", "netcdf4")])
def test_suffixes_of_netcdf(esker_command: Run, path: Path, tmp_path: Path, suffix: str, kind: str) -> None:
    out = tmp_path / f"a{suffix}"
    done = esker_command("export", path, "p", "-o", out, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["format"] == kind
    np.testing.assert_array_equal(esker.open(out)["p"].read(), esker.open(path)["p"].read())


def test_what_cannot_be_read_leaves_the_old_file(esker_command: Run, path: Path, tmp_path: Path) -> None:
    (tmp_path / "p.npy").write_text("old")
    for block_file in path.parent.rglob("*.bin"):
        block_file.write_bytes(block_file.read_bytes()[:100])
    done = esker_command("export", path, "p", "-o", "p.npy")
    assert done.returncode == 1 and ".bin" in done.stderr
    assert (tmp_path / "p.npy").read_text() == "old" and not list(tmp_path.glob(".*partial"))


def test_a_full_disk_is_an_error(esker_command: Run, path: Path) -> None:
    done = esker_command("export", path, "p", "-o", "/dev/full", "--format", "raw")
    assert done.returncode == 1 and "/dev/full: No space left on device" in done.stderr
