"""esker bench --peers: zarr-python and TensorStore, one process per rank."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker
from esker.bench import jobs, peers, python_peers, zarr_cases
from esker.bench.parts import Chunks, Part, Salt, chunks_of, count_bad, parts_of_rank

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("BENCH_PROGRAM", ROOT / "build/release/bench/esker-bench"))
Run = Callable[..., subprocess.CompletedProcess[str]]


def two_halves() -> dict[str, Any]:
    """Two ranks with halves of a small volume, z fastest in memory, and of a map."""
    return {
        "workload": "icesheet",
        "data_bytes_per_step": 8 * (2 * 6 * 5 * 4 + 6 * 5),
        "grids": {"xyz": [6, 5, 4], "xy": [6, 5]},
        "fields": [
            {"name": "wind", "grid": "xyz", "components": 2, "fastest_first": [2, 0, 1]},
            {"name": "thk", "grid": "xy", "components": 1, "fastest_first": [0, 1]},
        ],
        "boxes": [
            [[[0, 0, 0], [3, 5, 4]], [[0, 0], [3, 5]]],
            [[[3, 0, 0], [6, 5, 4]], [[3, 0], [6, 5]]],
        ],
    }


def test_parts_are_in_the_order_of_memory() -> None:
    first, second, thk = parts_of_rank(two_halves(), 1)
    assert [part.name for part in (first, second, thk)] == ["wind_0", "wind_1", "thk"]
    assert (first.shape, first.lo, first.hi) == ((4, 5, 6), (0, 0, 3), (4, 5, 6))
    memory = first.memory()
    assert memory.shape == (4, 5, 3)
    assert memory.strides == (8, 8 * 4 * 3, 8 * 4)  # z fastest, then x
    assert thk.memory().strides == (8 * 3, 8)


@pytest.mark.parametrize("is_smooth", [False, True])
def test_values_tell_places_fields_and_steps_apart(is_smooth: bool) -> None:
    parts = [part for rank in range(2) for part in parts_of_rank(two_halves(), rank)]
    found = []
    for salt in (Salt(0, 0), Salt(0, 1), Salt(1, 0)):
        for part in parts:
            samples = part.memory()
            part.compute(salt, samples, is_smooth)
            found += samples.ravel().tolist()
            assert count_bad(part, samples, salt, is_smooth) == 0
            assert count_bad(part, samples, Salt(2, 2), is_smooth) == samples.size
            samples[(0,) * samples.ndim] += 1
            assert count_bad(part, samples, salt, is_smooth) == 1
            assert count_bad(part, samples[..., :-1], salt, is_smooth) == samples.size
    assert len(set(found)) == len(found)


def test_a_part_of_a_grid_has_the_values_of_the_grid() -> None:
    parts = two_halves()
    whole = Part("wind_1", 0, 1, (4, 5, 6), (0, 0, 0), (4, 5, 6), (0, 1, 2), None)
    for is_smooth in (False, True):
        expected = whole.memory()
        whole.compute(Salt(3, 2), expected, is_smooth)
        for rank in range(2):
            part = parts_of_rank(parts, rank)[1]
            found = part.memory()
            part.compute(Salt(3, 2), found, is_smooth)
            np.testing.assert_array_equal(found, expected[part.index])


def test_chunks_end_where_parts_end() -> None:
    # The ice sheet on 4 ranks: Esker has chunks of 76 x 75 x 75, too.
    quarters = [((0, y, x), (301, y + 300, x + 300)) for y in (0, 300) for x in (0, 300)]
    assert chunks_of((301, 600, 600), quarters) == Chunks((76, 75, 75), (304, 300, 300))
    small = [((0, 0), (4, 8)), ((4, 0), (7, 8))]
    assert chunks_of((7, 8), small) == Chunks((4, 8), (4, 8))
    assert chunks_of((7, 8), [((0, 0), (3, 8)), ((3, 0), (7, 8))]) is None


def run_program(directory: Path, *cases: str, **settings: Any) -> dict[str, Any]:
    scratch = directory / "scratch"
    scratch.mkdir()
    (directory / "parts.json").write_text(json.dumps(settings.pop("parts", two_halves())))
    command = [sys.executable, "-m", python_peers.PROGRAM, "--parts", "parts.json", "--dir", str(scratch)]
    command += ["--steps", "2", "--repeat", "2", "--json", "out.json"]
    for case in cases:
        command += ["--case", case]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, **settings)
    assert done.returncode == 0, done.stderr
    assert not [path for path in scratch.iterdir() if path.is_dir()]
    return json.loads((directory / "out.json").read_text())


def test_every_case_reads_what_it_wrote(tmp_path: Path) -> None:
    names = [name for name in python_peers.cases() if not zarr_cases.lacks(name)]
    found = run_program(tmp_path, *names)
    assert [case["name"] for case in found["cases"]] == names
    assert found["ranks"] == 2 and found["chunks"] == {"xyz": [3, 5, 4], "xy": [3, 5]}
    for case in found["cases"]:
        assert case["bad_values"] == 0
        assert len(case["write_s"]) == len(case["read_s"]) == 2 and min(case["write_s"]) > 0
        assert case["stored_bytes_per_step"] >= found["data_bytes_per_step"] or "zstd" in case["name"]


def test_parts_that_are_no_shards_leave_posix(tmp_path: Path) -> None:
    parts = two_halves()
    parts["boxes"] = [
        [[[0, 0, 0], [2, 5, 4]], [[0, 0], [2, 5]]],
        [[[2, 0, 0], [6, 5, 4]], [[2, 0], [6, 5]]],
    ]
    found = run_program(tmp_path, "posix", "zarr_python", parts=parts)
    assert [case["name"] for case in found["cases"]] == ["posix"]


def test_a_failed_process_ends_the_others(tmp_path: Path) -> None:
    (tmp_path / "parts.json").write_text(json.dumps(two_halves()))
    command = [sys.executable, "-m", python_peers.PROGRAM, "--parts", "parts.json", "--dir", "missing"]
    command += ["--steps", "1", "--repeat", "1", "--json", "out.json", "--case", "posix"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "FileNotFoundError" in done.stderr


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zarr_cases, "find_spec", lambda name: None if name == "tensorstore" else object())
    assert python_peers.skipped(python_peers.cases(on_request=False)) == {
        "tensorstore": "tensorstore",
        "tensorstore_sharded": "tensorstore",
    }


@pytest.mark.slow
def test_chosen_cases_of_python(esker_command: Run, tmp_path: Path) -> None:
    if not PROGRAM.with_name(peers.PROGRAM).exists():
        pytest.skip(f"{peers.PROGRAM} is not built")
    pytest.importorskip("zarr")
    pytest.importorskip("tensorstore")
    done = esker_command(
        "bench", "ocean", "--peers", "--ranks", 2, "--block", "16,8,7", "--steps", 1, "--repeat", 1, "--smooth",
        "--program", PROGRAM, "--case", "zarr_zstd", "--case", "zarr_python_zstd", "--case", "tensorstore_zstd",
        "--json", "results.json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    assert [case["name"] for case in results["cases"]] == [
        "posix", "zarr_zstd", "posix_of_python", "zarr_python_zstd", "tensorstore_zstd"
    ]  # fmt: skip
    assert all(case["bad_values"] == 0 for case in results["cases"])
    assert [(pair["case"], pair["peer"]) for pair in results["esker_over_peers"]] == [
        ("zarr_zstd", "zarr_python_zstd"), ("zarr_zstd", "tensorstore_zstd")
    ]  # fmt: skip
    assert set(results["config"]["peers"]) == {"zarr", "tensorstore"}
    assert results["config"]["chunks_of_peers"] == {"xyz": [8, 8, 7], "xy": [8, 8]}


def test_every_workload_has_parts(tmp_path: Path) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    for workload in set(jobs.WORKLOADS) - {"s3d_adaptive"}:
        job = jobs.Job(str(PROGRAM), workload, 4, 1, str(tmp_path), cases=["posix"])
        line = python_peers.command(job, str(PROGRAM))
        parts = json.loads(Path(line[line.index("--parts") + 1]).read_text())
        held = sum(part.nbytes for rank in range(4) for part in parts_of_rank(parts, rank))
        assert held == parts["data_bytes_per_step"]
        assert all(part.chunks for part in parts_of_rank(parts, 0))


def test_the_level_of_zstd_is_that_of_esker(tmp_path: Path) -> None:
    esker.write(tmp_path / "run.zarr", {"v": np.zeros((4, 5))}, compression="zstd")
    (shards,) = json.loads((tmp_path / "run.zarr/v/zarr.json").read_text())["codecs"]
    levels = [one["configuration"].get("level") for one in shards["configuration"]["codecs"]]
    assert levels == [None, zarr_cases.ZSTD_LEVEL]
