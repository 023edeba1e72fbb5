"""bench/current_results.py: the table of the current results, and its place in the page."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "bench" / "current_results.py"
BENCH_PROGRAM = Path(os.environ.get("BENCH_PROGRAM", ROOT / "build/release/bench/esker-bench"))


@pytest.fixture(scope="module")
def current() -> ModuleType:
    spec = importlib.util.spec_from_file_location("current_results", PROGRAM)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def case(name: str, ratio: float, bad_values: int = 0) -> dict[str, Any]:
    return {
        "name": name,
        "write_GBps": 4 * ratio,
        "read_GBps": 5 * ratio,
        "ratio_to_posix_write": {"median": ratio, "min": ratio - 0.1, "max": ratio + 0.1},
        "ratio_to_posix_read": {"median": ratio + 0.2, "min": ratio + 0.1, "max": ratio + 0.3},
        "bad_values": bad_values,
    }


def run(workload: str, *cases: dict[str, Any]) -> dict[str, Any]:
    facts = {
        "date": "2026-11-27",
        "processor": "AMD EPYC",
        "cores": 2,
        "memory_GiB": 23.5,
        "file_system": "tmpfs",
    }
    return {
        "machine": {**facts, "mpi": "Open MPI v4.1.4"},
        "config": {
            "workload": workload,
            "ranks": 4,
            "steps": 5,
            "repeat": 15,
            "grids": {"xyz": [64, 128, 128]},
            "esker": "0.1.0",
            "peers": {"pnetcdf": "1.12.3"},
        },
        "cases": list(cases),
    }


def rows(table: str) -> dict[str, list[str]]:
    """The cells behind the first column, by its text."""
    lines = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| `")]
    return {cells[0].strip(): [cell.strip() for cell in cells[1:]] for cells in lines}


def test_each_case_has_a_row_with_its_ratios(current: ModuleType) -> None:
    peer_cases = (case("posix_of_peers", 1), case("hdf5_of_peers", 0.3), case("pnetcdf", 0.2))
    s3d = run("s3d", case("posix", 1), case("hdf5", 0.5), *peer_cases)
    icesheet = run("icesheet", case("posix", 1), case("cdf5", 0.4), case("hdf5", 0.6, bad_values=2))
    table = current.made_table({"commit": "abc", "runs": [s3d, icesheet]})
    found = rows(table)
    assert list(found) == ["`posix`", "`hdf5`", "`cdf5`", "`hdf5_of_peers`", "`pnetcdf`"]
    assert found["`posix`"] == ["limit", "1", "1", "1", "1"]
    assert found["`hdf5`"] == [
        "Esker",
        "0.50 (0.40–0.60)",
        "0.70 (0.60–0.80)",
        "wrong values",
        "wrong values",
    ]
    assert found["`cdf5`"] == ["Esker", "", "", "0.40 (0.30–0.50)", "0.60 (0.50–0.70)"]
    assert found["`hdf5_of_peers`"] == ["peer", "0.30 (0.20–0.40)", "0.50 (0.40–0.60)", "", ""]
    for fact in (
        "2026-11-27",
        "AMD EPYC",
        "4 ranks",
        "Esker 0.1.0 (commit abc)",
        "Open MPI v4.1.4",
        "pnetcdf 1.12.3",
    ):
        assert fact in table
    assert "`posix` 4.0 and 5.0 GB/s" in table
    formats, others = table.splitlines()[-2:]
    assert "idx_two_phase" in formats and "cdf5," not in formats
    assert "mpi_io" in others and "hdf5," not in others and "pnetcdf," not in others


def test_nothing_is_missing_if_all_cases_ran(current: ModuleType) -> None:
    ours = [case(name, 1) for name in ("posix", *current.FORMATS)]
    theirs = [case(f"{name}_of_peers" if name in current.FORMATS else name, 1) for name in current.PEERS]
    table = current.made_table(
        {"commit": None, "runs": [run("s3d", *ours, case("posix_of_peers", 1), *theirs)]}
    )
    assert len(rows(table)) == 1 + len(ours) - 1 + len(theirs)
    assert "not measured" not in table
    assert "commit not recorded" in table


def test_runs_of_two_days_make_no_table(current: ModuleType) -> None:
    later = run("icesheet", case("posix", 1))
    later["machine"]["date"] = "2026-11-28"
    with pytest.raises(ValueError, match="the runs differ in machine"):
        current.made_table({"commit": None, "runs": [run("s3d", case("posix", 1)), later]})


def test_only_the_text_between_the_comments_changes(current: ModuleType) -> None:
    page = f"# Results\n{current.BEGIN}\nold\n{current.END}\nBelow\n"
    renewed = current.renewed(page, "new")
    assert renewed == f"# Results\n{current.BEGIN}\nnew\n{current.END}\nBelow\n"
    assert current.renewed(renewed, "new") == renewed
    for wrong in ("no comments", page + current.END, page.replace(current.END, ""), page + page):
        with pytest.raises(ValueError):
            current.renewed(wrong, "new")


def test_results_of_bench_and_of_the_program_are_read(current: ModuleType, tmp_path: Path) -> None:
    runs = [run(workload, case("posix", 1)) for workload in ("s3d", "icesheet")]
    paths = [tmp_path / name for name in ("s3d.json", "icesheet.json", "2026-11-27-current.json")]
    for path, content in zip(paths, [*runs, {"commit": "abc", "runs": runs}]):
        path.write_text(json.dumps(content))
    assert current.read_current(paths[:2]) == {"commit": None, "runs": runs}
    assert current.read_current(paths[2:]) == {"commit": "abc", "runs": runs}


def test_the_page_of_results_has_a_place_for_the_table(current: ModuleType) -> None:
    page = (current.RESULTS / "README.md").read_text("utf-8")
    assert rows(page.partition(current.BEGIN)[2].partition(current.END)[0])
    current.renewed(page, "new")


@pytest.mark.slow
def test_a_small_run_prints_the_table(current: ModuleType, tmp_path: Path) -> None:
    if "BENCH_PROGRAM" not in os.environ and not BENCH_PROGRAM.exists():
        pytest.skip(f"{BENCH_PROGRAM} is not built")
    command = [sys.executable, str(PROGRAM), "--small", "--ranks", "2", "--program", str(BENCH_PROGRAM)]
    done = subprocess.run([*command, "--dir", str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert {f"`{name}`" for name in current.FORMATS} < set(rows(done.stdout))
