"""esker bench --peers: how the runs of two programs become one result, and a small run of both."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from started import assert_ends_with_its_programs

from esker.bench import jobs, peers, summary

ROOT = Path(__file__).parents[2]
OF_PYTHON = ["posix_of_python", "zarr_python", "zarr_python_sharded", "tensorstore", "tensorstore_sharded"]
PROGRAM = Path(os.environ.get("BENCH_PROGRAM", ROOT / "build/release/bench/esker-bench"))
Run = Callable[..., subprocess.CompletedProcess[str]]


def run(extra_bytes: int = 2**20, bad_values: int = 0, **seconds: list[float]) -> dict[str, Any]:
    """The output of a program; reading takes twice as long as writing."""
    return {
        "workload": "s3d",
        "ranks": 4,
        "steps": 2,
        "repeat": len(next(iter(seconds.values()))),
        "grids": {"xyz": [64, 64, 256]},
        "data_bytes_per_step": 10**9,
        "mpi": "Open MPI v4.1.4, package",
        "libraries": {"pnetcdf": "1.12.3", "hdf5": "1.10.8", "netcdf": "4.9.0", "mpi_io": "romio321"},
        "cases": [
            {
                "name": name,
                "write_s": write_s,
                "read_s": [2 * s for s in write_s],
                "stored_bytes_per_step": 10**9,
                "extra_bytes_per_rank": extra_bytes,
                "bad_values": bad_values,
                "reports": [],
            }
            for name, write_s in seconds.items()
        ],
    }


def test_turns_make_up_the_repetitions() -> None:
    assert peers.turns(15) == [3, 3, 3, 3, 3]
    assert peers.turns(7) == [3, 3, 1]
    assert peers.turns(1) == [1]


def test_runs_are_put_one_after_the_other() -> None:
    whole = peers.merged([run(extra_bytes=5, bad_values=1, posix=[1.0, 2.0]), run(bad_values=2, posix=[3.0])])
    (posix,) = whole["cases"]
    assert whole["repeat"] == 3
    assert posix["write_s"] == [1.0, 2.0, 3.0]
    assert posix["read_s"] == [2.0, 4.0, 6.0]
    assert posix["extra_bytes_per_rank"] == 2**20
    assert posix["bad_values"] == 3
    assert posix["stored_bytes_per_step"] == 10**9


def test_runs_of_different_cases_are_not_merged() -> None:
    with pytest.raises(ValueError):
        peers.merged([run(posix=[1.0]), run(hdf5=[1.0])])
    with pytest.raises(ValueError):
        peers.merged([run(posix=[1.0], hdf5=[1.0]), run(posix=[1.0])])


def test_each_is_compared_with_the_posix_of_its_process(tmp_path: Path) -> None:
    # In the second turn the machine is four times as slow for the peers' program, and as fast for Esker's.
    esker_runs = [
        run(posix=[1.0, 1.0, 1.0], idx_two_phase=[2.0, 2.0, 2.0]),
        run(posix=[1.0], idx_two_phase=[2.5]),
    ]
    peer_runs = [run(posix=[1.0, 1.0, 1.0], hdf5=[4.0, 4.0, 4.0]), run(posix=[4.0], hdf5=[20.0])]
    results = summary.results(esker_runs, str(tmp_path), peer_runs)
    assert [case["name"] for case in results["cases"]] == ["posix", "idx_two_phase", "posix_of_peers", "hdf5"]
    assert [case["ratio_to_posix_write"]["median"] for case in results["cases"]] == [1.0, 0.5, 1.0, 0.25]
    assert results["cases"][3]["ratio_to_posix_read"] == {"median": 0.25, "min": 0.2, "max": 0.25}
    assert results["config"]["peers"] == peer_runs[0]["libraries"]
    assert results["config"]["repeat"] == 4
    assert results["esker_over_peers"] == [
        {
            "case": "idx_two_phase",
            "peer": "hdf5",
            "write": {"quotient": 2.0, "min": 2.0, "max": 2.0},
            "read": {"quotient": 2.0, "min": 2.0, "max": 2.0},
        }
    ]


def test_the_range_is_of_the_turns() -> None:
    esker_runs = [run(posix=[1.0], idx_one_phase=[2.0]), run(posix=[1.0], idx_one_phase=[1.0])]
    peer_runs = [run(posix=[1.0], pnetcdf=[4.0]), run(posix=[1.0], pnetcdf=[4.0])]
    (pair,) = peers.over_peers(esker_runs, peer_runs)
    assert pair["write"] == {"quotient": 3.0, "min": 2.0, "max": 4.0}


def test_peers_with_names_of_cases_get_another_name(tmp_path: Path) -> None:
    seconds = {"posix": [1.0], "hdf5": [2.0]}
    results = summary.results([run(**seconds)], str(tmp_path), [run(**seconds, hdf5_chunked=[1.0])])
    assert [case["name"] for case in results["cases"]] == [
        "posix", "hdf5", "posix_of_peers", "hdf5_of_peers", "hdf5_chunked"
    ]  # fmt: skip
    assert [(pair["case"], pair["peer"]) for pair in results["esker_over_peers"]] == [
        ("hdf5", "hdf5_of_peers"), ("hdf5", "hdf5_chunked")
    ]  # fmt: skip


def test_results_without_peers(tmp_path: Path) -> None:
    results = summary.results([run(posix=[1.0])], str(tmp_path))
    assert "esker_over_peers" not in results and "peers" not in results["config"]


def test_missing_peers_are_one_line(esker_command: Run, tmp_path: Path) -> None:
    if shutil.which(peers.PROGRAM):
        pytest.skip(f"{peers.PROGRAM} is in PATH")
    lonely = tmp_path / "esker-bench"
    lonely.write_text("#!/bin/sh\nexit 3\n")
    lonely.chmod(0o755)
    done = esker_command("bench", "s3d", "--peers", "--program", lonely)
    assert done.returncode == 1
    assert done.stderr == f"esker: {peers.MISSING}\n"
    for package in ("libpnetcdf-dev", "libhdf5-openmpi-dev", "libnetcdf-mpi-dev"):
        assert package in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_peers(tmp_path: Path, number: signal.Signals) -> None:
    if not PROGRAM.with_name(peers.PROGRAM).exists():
        pytest.skip(f"{peers.PROGRAM} is not built")
    command = ["bench", "s3d", "--peers", "--case", "mpi_io", "--ranks", "2", "--block", "64", "--repeat", "1000"]
    command += ["--program", str(PROGRAM), "--dir", str(tmp_path)]
    assert_ends_with_its_programs(command, tmp_path, number, written="esker-bench-*/**/mpi_io*")


# The peers have no cases of s3d_adaptive: they do not store a part of a step.
@pytest.mark.slow
@pytest.mark.parametrize("workload", sorted(set(jobs.WORKLOADS) - {"s3d_adaptive"}))
def test_a_small_run_of_both_programs(esker_command: Run, tmp_path: Path, workload: str) -> None:
    if not PROGRAM.with_name(peers.PROGRAM).exists():
        pytest.skip(f"{peers.PROGRAM} is not built")
    done = esker_command(
        "bench", workload, "--peers", "--ranks", 2, "--block", "8,8,7", "--steps", 1, "--repeat", 4,
        "--program", PROGRAM, "--json", "results.json", "--plot", "results.png",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    names = [case["name"] for case in results["cases"]]
    assert names[names.index("posix_of_peers") :] == [
        "posix_of_peers",
        "mpi_io",
        "pnetcdf",
        "pnetcdf_nonblocking",
        "pnetcdf_cdf2",
        "hdf5_of_peers",
        "hdf5_chunked",
        "netcdf4_of_peers",
        "netcdf_gather",
        *OF_PYTHON,
    ]
    assert all(case["bad_values"] == 0 for case in results["cases"])
    assert results["config"]["repeat"] == 4
    assert len(results["esker_over_peers"]) == 10 * (8 + 4)
    for pair in results["esker_over_peers"]:
        assert 0 < pair["write"]["quotient"] and 0 < pair["read"]["quotient"]
    assert "romio" in results["config"]["peers"]["mpi_io"] and "romio" in done.stdout
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_chosen_cases_of_both_programs(esker_command: Run, tmp_path: Path) -> None:
    if not PROGRAM.with_name(peers.PROGRAM).exists():
        pytest.skip(f"{peers.PROGRAM} is not built")
    done = esker_command(
        "bench", "icesheet", "--peers", "--ranks", 2, "--block", "8,8,7", "--repeat", 2, "--program", PROGRAM,
        "--case", "cdf5", "--case", "netcdf_redefine_padded", "--case", "netcdf_redefine",
        "--json", "results.json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert [case["name"] for case in results["cases"]] == [
        "posix", "cdf5", "posix_of_peers", "netcdf_redefine", "netcdf_redefine_padded"
    ]  # fmt: skip
    assert all(case["bad_values"] == 0 for case in results["cases"])
    plain, padded = results["cases"][3:]
    assert padded["stored_over_data"] > plain["stored_over_data"]  # by the room in the header
