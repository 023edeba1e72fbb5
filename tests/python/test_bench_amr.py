"""esker bench amr: its ratios, and a small run of all modes."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from started import assert_ends_with_its_programs

from esker.bench import amr
from esker.cli import esker as command

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("BENCH_AMR_PROGRAM", ROOT / "build/release/bench/esker-bench-amr"))


def case(name: str, write_s: list[float], data_bytes: int = 1_000_000_000) -> dict[str, Any]:
    return {
        "name": name,
        "write_s": write_s,
        "read_s": [1.0] * len(write_s),
        "data_bytes_per_step": data_bytes,
        "stored_bytes_per_step": 1_500_000_000,
        "files": 4,
    }


def measurement(*cases: dict[str, Any], repeat: int = 2) -> dict[str, Any]:
    shared = {"workload": "amr", "ranks": 4, "steps": 2, "levels": 3, "coarse_patches": [4, 4, 2]}
    libraries = {"hdf5": "1.10.8"}
    return {**shared, "repeat": repeat, "mpi": "Open MPI, x", "cases": list(cases), "libraries": libraries}


def test_rates_count_each_stored_sample_once() -> None:
    flat = case("flat", [4.0, 8.0], data_bytes=900_000_000)
    by_levels = case("level-by-level", [12.0, 16.0])
    measured = measurement(case("posix", [2.0, 2.0]), case("posix_shared", [1.0, 4.0]), flat, by_levels)
    results = amr.results([measured], ".")
    found = {one["name"]: one for one in results["cases"]}
    assert found["flat"]["write_GBps"] == pytest.approx(0.9 * 2 / 6)
    assert found["flat"]["over_posix"]["max"] == pytest.approx(0.9 * 2 / 4)
    assert found["flat"]["over_posix"]["min"] == pytest.approx(0.9 * 2 / 8)
    assert found["posix"]["over_posix_shared"]["median"] == pytest.approx((0.5 + 2) / 2)
    assert [(one["case"], one["over"]) for one in results["targets"]] == [
        ("flat", "posix"),
        ("flat", "level-by-level"),
    ]
    assert results["targets"][1]["median"] == pytest.approx((3 + 2) / 2)


def test_turns_are_joined_and_peers_have_their_own_limits() -> None:
    turns = [measurement(case("posix", [1.0])), measurement(case("posix", [3.0]))]
    others = [measurement(case("posix", [2.0]), case("hdf5_collective", [4.0])) for _ in range(2)]
    results = amr.results(turns, ".", others)
    assert results["config"]["repeat"] == 4
    assert [one["name"] for one in results["cases"]] == ["posix", "posix_of_peers", "hdf5_collective"]
    assert results["cases"][0]["write_s"] == [1.0, 3.0]
    assert results["cases"][2]["over_posix"]["median"] == pytest.approx(0.5)


@pytest.mark.slow
def test_all_modes_run(tmp_path: Path) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    arguments = ["amr", "--ranks", "2", "--steps", "1", "--repeat", "1", "--dir", str(tmp_path)]
    arguments += ["--program", str(PROGRAM), "--json", str(tmp_path / "amr.json")]
    result = CliRunner().invoke(command, ["bench", *arguments])
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "amr.json").read_text())
    names = [one["name"] for one in found["cases"]]
    assert names[:2] == ["posix", "posix_shared"]
    assert {"flat", "full", "file-per-patch", "level-by-level"} <= set(names)
    by_name = {one["name"]: one for one in found["cases"]}
    assert by_name["flat"]["data_MiB_per_step"] < by_name["posix"]["data_MiB_per_step"]
    assert by_name["posix"]["stored_over_data"] == 1 and by_name["posix"]["files"] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["amr.json"]


def test_options_that_do_not_apply_are_named() -> None:
    for given in (["--block", "64"], ["--levels"], ["--smooth"], ["--ranks", "1,2"]):
        result = CliRunner().invoke(command, ["bench", "amr", *given])
        assert result.exit_code == 2 and "do not apply" in result.output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_files_and_no_ranks(tmp_path: Path, number: signal.Signals) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    words = [
        "bench",
        "amr",
        "--ranks",
        "2",
        "--repeat",
        "1000",
        "--program",
        str(PROGRAM),
        "--dir",
        str(tmp_path),
    ]
    assert_ends_with_its_programs(words, tmp_path, number, "esker-bench-*/*")
