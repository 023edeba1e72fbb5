"""esker bench: its ratios, and a small run of all cases."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from started import assert_ends_with_its_programs

from esker.bench import figures, jobs, summary

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("BENCH_PROGRAM", ROOT / "build/release/bench/esker-bench"))
CASES = [
    "posix",
    "posix_shared",
    "memcpy",
    "idx_one_phase",
    "idx_two_phase",
    "idx_three_phase",
    "idx_vectors",
    "cdf5",
    "cdf5_and_idx",
    "netcdf4",
    "hdf5",
    "hdf5_decomposition",
    "zarr",
]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def program() -> Path:
    if "BENCH_PROGRAM" not in os.environ and not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    return PROGRAM


def case(name: str, write_s: list[float], read_s: list[float], bad_values: int = 0) -> dict[str, Any]:
    return {
        "name": name,
        "write_s": write_s,
        "read_s": read_s,
        "stored_bytes_per_step": 1_500_000_000,
        "extra_bytes_per_rank": 2**20,
        "bad_values": bad_values,
        "reports": [],
    }


def measurement(workload: str, cases: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "workload": workload,
        "ranks": 4,
        "steps": 2,
        "repeat": 3,
        "grids": {"xyz": [64, 64, 256]},
        "data_bytes_per_step": 1_000_000_000,
        "mpi": "Open MPI v4.1.4, package",
        "cases": cases,
    }


def test_ratios_are_of_pairs_and_rates_of_medians(tmp_path: Path) -> None:
    cases = [
        case("posix", [1.0, 2.0, 4.0], [1.0, 1.0, 1.0]),
        case("idx_two_phase", [4.0, 4.0, 4.0], [2.0, 4.0, 5.0], bad_values=3),
    ]
    results = summary.results([measurement("s3d", cases)], str(tmp_path))
    two_phase = results["cases"][1]
    assert two_phase["write_GBps"] == pytest.approx(0.5)
    assert two_phase["read_GBps"] == pytest.approx(0.5)
    assert two_phase["ratio_to_posix_write"] == {"median": 0.5, "min": 0.25, "max": 1.0}
    assert two_phase["ratio_to_posix_read"] == {"median": 0.25, "min": 0.2, "max": 0.5}
    assert two_phase["stored_over_data"] == 1.5
    assert two_phase["bad_values"] == 3
    assert results["machine"]["mpi"] == "Open MPI v4.1.4"


@pytest.mark.parametrize("workload", sorted(jobs.WORKLOADS.keys() - jobs.CASES.keys()))
def test_a_small_run_checks_every_case(
    esker_command: Run, program: Path, tmp_path: Path, workload: str
) -> None:
    done = esker_command(
        "bench", workload, "--ranks", 2, "--block", "9,8,7", "--steps", 2, "--repeat", 2,
        "--program", program, "--json", "results.json", "--plot", "results.png",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert set(results) == {"machine", "config", "cases"}
    assert [case["name"] for case in results["cases"]] == CASES
    for found in results["cases"]:
        assert found["bad_values"] == 0
        assert found["write_GBps"] > 0 and found["read_GBps"] > 0
        for ratio in (found["ratio_to_posix_write"], found["ratio_to_posix_read"]):
            assert 0 < ratio["min"] <= ratio["median"] <= ratio["max"]
        assert found["name"] in done.stdout
    one_phase, two_phase, three_phase, vectors = results["cases"][3:7]
    assert one_phase["options"] == {"format": "idx", "checksums": "false", "aggregate": "false", "report": "none"}
    assert two_phase["options"] == vectors["options"] == {"format": "idx", "report": "none"}
    assert three_phase["options"] == {"format": "idx", "restructure": "default", "report": "none"}
    assert two_phase["phases_s_per_step"]["end_step"] > 0
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.json", "results.png"]


def test_chosen_cases_run_and_posix_with_them(esker_command: Run, program: Path, tmp_path: Path) -> None:
    done = esker_command(
        "bench", "icesheet", "--ranks", 3, "--block", "9,8,7", "--repeat", 1, "--program", program,
        "--case", "cdf5_scatter", "--case", "cdf5", "--json", "results.json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert [case["name"] for case in results["cases"]] == ["posix", "cdf5", "cdf5_scatter"]
    assert all(case["bad_values"] == 0 for case in results["cases"])


def test_few_bits_are_stored_and_their_errors_checked(
    esker_command: Run, program: Path, tmp_path: Path
) -> None:
    done = esker_command(
        "bench", "s3d", "--ranks", 2, "--block", "32,32,32", "--steps", 1, "--repeat", 1, "--smooth",
        "--program", program, "--case", "idx_4_bits", "--case", "idx_1_bit", "--json", "results.json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    cases = json.loads((tmp_path / "results.json").read_text())["cases"]
    found = {case["name"]: case["stored_over_data"] for case in cases[1:]}
    assert found == {"idx_4_bits": pytest.approx(4 / 64, rel=0.1), "idx_1_bit": pytest.approx(1 / 64, rel=0.3)}
    assert all(case["bad_values"] == 0 for case in cases)


def test_transfers_of_ior_are_read_back(esker_command: Run, program: Path, tmp_path: Path) -> None:
    done = esker_command(
        "bench", "s3d", "--ranks", 3, "--block", "61,60,59", "--steps", 2, "--repeat", 1,
        "--program", program, "--case", "ior", "--case", "ior_shared", "--json", "results.json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    cases = json.loads((tmp_path / "results.json").read_text())["cases"]
    assert [case["name"] for case in cases] == ["posix", "ior", "ior_shared"]
    assert all(case["bad_values"] == 0 and case["stored_over_data"] == 1 for case in cases)


def sparse_report(stored: int, plan_s: float, end_step_s: float) -> dict[str, Any]:
    return {
        "total": {"stored_bytes": stored},
        "phases_s": {"plan": {"mean": plan_s}, "end_step": {"mean": end_step_s}},
        "configuration": {},
    }


def test_the_time_of_sparse_steps_is_compared_with_full_ones(tmp_path: Path) -> None:
    full = case("idx_two_phase", [4.0, 4.0, 8.0], [1.0] * 3)
    full["reports"] = [sparse_report(1000, 0.5, 4.0) for _ in range(3)]
    half = {**case("idx_1_of_2", [2.0, 3.0, 4.0], [1.0] * 3), "is_sparse": True}
    half["reports"] = [sparse_report(500, 0.25, 2.0), sparse_report(600, 0.3, 3.0), sparse_report(400, 1, 4.0)]
    cases = [case("posix", [1.0] * 3, [1.0] * 3), full, half]
    results = summary.results([measurement("s3d_adaptive", cases)], str(tmp_path))
    assert "over_full" not in results["cases"][1]
    found = results["cases"][2]
    assert found["stored_over_full"] == pytest.approx(0.5)
    assert found["over_full"] == {"median": 0.5, "min": 0.5, "max": 0.75}
    assert found["write_over_proportional"] == pytest.approx({"median": 1.25, "min": 1.0, "max": 1.25})
    assert found["planning"] == pytest.approx({"median": 0.125, "min": 0.1, "max": 0.25})
    figures.figure(results).savefig(tmp_path / "sparse.png")


def test_sparse_steps_are_measured_by_default(esker_command: Run, program: Path, tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    small = ("--ranks", "2", "--block", "16,16,32", "--steps", "2", "--repeat", "2")
    done = esker_command(
        "bench", "s3d_adaptive", *small, "--program", program, "--dir", tmp_path, "--json", output
    )
    assert done.returncode == 0, done.stderr
    assert "Sparse steps" in done.stdout
    cases = {case["name"]: case for case in json.loads(output.read_text())["cases"]}
    assert tuple(cases) == jobs.CASES["s3d_adaptive"]
    assert all(case["bad_values"] == 0 for case in cases.values())
    assert cases["idx_1_of_8"]["stored_over_full"] == pytest.approx(1 / 8)
    assert 0.1 < cases["idx_adaptive"]["stored_over_full"] < 1


def tuned_report(seconds: list[float], verdicts: list[str] | None = None) -> dict[str, Any]:
    report: dict[str, Any] = {"phases_s": {}, "configuration": {}, "steps": [{"seconds": s} for s in seconds]}
    if verdicts is not None:
        probes = [{"verdict": verdict} for verdict in verdicts]
        report["tuning"] = {"probes": probes, "best": {"aggregators": "1"}, "state": "settled"}
    return report


def test_runs_that_tune_themselves_are_compared_with_the_default(tmp_path: Path) -> None:
    default, tuned = case("idx_two_phase", [8.0] * 2, [1.0] * 2), case("idx_tuned", [4.0, 8.0], [1.0] * 2)
    default["reports"] = [tuned_report([1.0] * 8)] * 2
    verdicts = ["not tried: predicted 3", "better", "not better"]
    tuned["reports"] = [tuned_report([1.0] * 3 + [0.25] * 5, verdicts), tuned_report([1.0] * 8, [])]
    results = summary.results([measurement("s3d", [default, tuned])], str(tmp_path))
    assert "over_default" not in results["cases"][0]
    found = results["cases"][1]
    assert found["over_default"] == {"median": 1.5, "min": 1.0, "max": 2.0}
    assert found["last_steps_over_default"] == {"median": 2.5, "min": 1.0, "max": 4.0}
    assert found["probes"] == [2, 0]
    assert found["settled_on"][0] == {"aggregators": "1"}


def test_a_store_that_suffers_from_several_writers(esker_command: Run, program: Path, tmp_path: Path) -> None:
    def write_s(*options: str) -> float:
        done = esker_command(
            "bench", "s3d", "--ranks", "2", "--block", "16,16,16", "--steps", "2", "--repeat", "1",
            "--program", program, "--case", "idx_two_phase", "--store-rate", "5e6",
            "--option", "aggregators=2", "--json", "out.json", *options,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        results = json.loads((tmp_path / "out.json").read_text())
        assert results["config"].get("store_contention", 0) == (4 if options else 0)
        return 1 / next(c["write_GBps"] for c in results["cases"] if c["name"] == "idx_two_phase")

    assert write_s("--store-contention", "4") > 2 * write_s()


def test_slow_storage_and_peers_do_not_go_together(esker_command: Run) -> None:
    done = esker_command("bench", "s3d", "--peers", "--store-rate", "5e7")
    assert done.returncode == 2
    assert "but not the libraries of --peers" in done.stderr


def test_the_time_of_a_level_is_compared_with_its_part_of_the_samples(tmp_path: Path) -> None:
    def with_level(name: str, read_s: list[float], level_s: list[float]) -> dict[str, Any]:
        levels = [{"halvings": 2, "data_bytes_per_step": 250_000_000, "read_s": level_s}]
        return {**case(name, read_s, read_s), "levels": levels}

    measured = {
        "workload": "s3d",
        "ranks": 4,
        "steps": 2,
        "repeat": 2,
        "grids": {"xyz": [64, 64, 256]},
        "data_bytes_per_step": 1_000_000_000,
        "mpi": "Open MPI v4.1.4, package",
        "cases": [
            with_level("posix", [1.0, 2.0], [1.0, 2.0]),
            with_level("idx_two_phase", [2.0, 4.0], [0.5, 2.0]),
        ],
    }
    (level,) = summary.results([measured, measured], str(tmp_path))["cases"][1]["levels"]
    assert level["fraction"] == 0.25
    assert level["read_ms_per_step"] == pytest.approx(625)
    assert level["over_proportional"] == {"median": 1.5, "min": 1.0, "max": 2.0}
    assert level["ratio_to_posix_read"] == {"median": 1.5, "min": 1.0, "max": 2.0}


def test_levels_are_read_on_several_numbers_of_ranks(
    esker_command: Run, program: Path, tmp_path: Path
) -> None:
    done = esker_command(
        "bench", "s3d_whole", "--ranks", "1,2", "--block", "9,8,7", "--repeat", 1, "--steps", 1, "--levels",
        "--program", program, "--case", "idx_two_phase", "--json", "results.json", "--plot", "results.png",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert [run["config"]["ranks"] for run in results["runs"]] == [1, 2]
    for run in results["runs"]:
        assert run["config"]["grids"] == {"xyz": [9, 8, 7]}
        assert [case["name"] for case in run["cases"]] == ["posix", "idx_two_phase"]
        for found in run["cases"]:
            assert found["bad_values"] == 0
            assert [level["halvings"] for level in found["levels"]] == [1, 2, 3, 6]
            assert found["levels"][0]["fraction"] == pytest.approx(4 / 7)
    assert "1/64" in done.stdout
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_files_and_no_ranks(program: Path, tmp_path: Path, number: signal.Signals) -> None:
    command = ["bench", "s3d", "--block", "24", "--repeat", "10000", "--program", str(program)]
    assert_ends_with_its_programs([*command, "--dir", str(tmp_path)], tmp_path, number)


@pytest.mark.parametrize("ranks", ["0", "2,2", "two"])
def test_wrong_numbers_of_ranks_are_wrong_usage(esker_command: Run, program: Path, ranks: str) -> None:
    done = esker_command("bench", "s3d", "--ranks", ranks, "--program", program)
    assert done.returncode == 2
    assert "1,2,4,8" in done.stderr


def test_an_unknown_case_is_wrong_usage(esker_command: Run, program: Path) -> None:
    done = esker_command("bench", "s3d", "--case", "cdf7", "--program", program)
    assert done.returncode == 2
    assert "unknown case 'cdf7'" in done.stderr
    for name in [*CASES, "cdf5_scatter", "idx_read_in_two_phases", "cdf5_read_in_two_phases"]:
        assert name in done.stderr


def test_failures_have_status_1(esker_command: Run, program: Path) -> None:
    done = esker_command("bench", "s3d", "--block", "4", "--program", program, "--option", "aggregators=few")
    assert done.returncode == 1
    assert "aggregators" in done.stderr and "failed with exit status 1" in done.stderr


def test_wrong_usage(esker_command: Run) -> None:
    assert esker_command("bench", "pond").returncode == 2
    assert esker_command("bench", "s3d", "--block", "8,8").returncode == 2
    missing = esker_command("bench", "s3d", "--program", "/nowhere/esker-bench")
    assert missing.returncode == 1
    assert missing.stderr == "esker: /nowhere/esker-bench: program not found\n"
