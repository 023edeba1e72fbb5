"""kill -9 of a rank under mpiexec, at each phase of a step: what stands opens, in OpenVisus too, holds exactly the
committed steps, verifies, and goes on to the bytes of a run that nobody killed.

OpenVisus knows the .idx files alone. Between the rename of the first and that of the catalog it may see a step
more than esker, which is all there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

ROOT = Path(__file__).parents[2]
DEFAULT_PROGRAM = ROOT / "build" / "release" / "tests" / "mpi" / "kill_run"
N_STEPS = 3
KILLED_STEP = 1

COMMITTED = {"idx-done", "catalog-done"}
"""Phases behind the rename that commits."""
AHEAD = {"second-idx", "catalog"}
"""Phases with an .idx in place before the catalog."""

CASES = [
    *[("one", 4, phase, 3) for phase in ("open", "write", "close")],
    *[("one", 4, phase, 0) for phase in ("idx", "idx-done")],
    *[("several", 4, phase, 1) for phase in ("open", "write", "close")],
    *[("several", 4, phase, 0) for phase in ("first-idx", "second-idx", "catalog", "catalog-done")],
    ("several", 2, "second-idx", 0),
    ("one", 2, "close", 1),
    ("several", 1, "catalog", 0),
    ("one", 1, "idx", 0),
]

WAYS = ["transport=messages", "transport=shared", "transport=all_to_all", "transport=put", "transport=put_fence"]
QUICK_WAYS = {"transport=messages", "transport=shared", "transport=put"}
RELAYED = ["restructure=default", "max_fan_in=2"]
MOVING = [(phase, victim) for phase, victim in (("8", 1), ("open", 3), ("write", 3), ("close", 1), ("idx", 0))]
"""Phases of a step that plans: 8 is a call of the communicator in the middle of planning."""
N_CALLS = 120
"""More than a step makes of the communicator."""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def kill_run() -> Run:
    """Runs the program of tests/tools on some ranks; KILL_PROGRAM names it, and then it must be there."""
    program = Path(os.environ.get("KILL_PROGRAM", DEFAULT_PROGRAM))
    if "KILL_PROGRAM" not in os.environ and not program.exists():
        pytest.skip("build/release/tests/mpi/kill_run is not built")
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }

    def run(ranks: int, *arguments: Any) -> subprocess.CompletedProcess[str]:
        command = ["mpiexec.openmpi", "-n", str(ranks), str(program), *map(str, arguments)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

    return run


@pytest.fixture(scope="module")
def one_step(kill_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a dataset with one step, to be copied."""
    folder = tmp_path_factory.mktemp("one-step") / "data"
    done = kill_run(1, folder / "run.idx", "one", 0, 1)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def undisturbed(kill_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Path of a whole run on one rank, by kind."""
    made: dict[str, Path] = {}

    def path_of(kind: str) -> Path:
        if kind not in made:
            path = tmp_path_factory.mktemp(f"undisturbed-{kind}") / "run.idx"
            done = kill_run(1, path, kind, 0, N_STEPS)
            assert done.returncode == 0, done.stderr
            made[kind] = path
        return made[kind]

    return path_of


def files_below(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def processes_of(path: Path) -> list[str]:
    """Command lines that name the path."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:  # it has just ended
            continue
        if str(path).encode() in words:
            found.append(b" ".join(words).decode())
    return found


def wait_until_gone(path: Path) -> None:
    deadline = time.monotonic() + 10
    while processes_of(path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_of(path) == []


def named_in_shared_memory() -> set[str]:
    """What stands in the node's shared memory by a name of ours, or of another program of ours."""
    folder = Path("/dev/shm")
    return {str(p) for p in folder.glob("*esker*")} if folder.is_dir() else set()


def expect_same_arrays(ds: esker.Dataset, whole: esker.Dataset) -> None:
    assert ds.steps == whole.steps[: len(ds.steps)]
    for name, field in ds.fields.items():
        for step in range(len(ds.steps)):
            if field.has(step):
                np.testing.assert_array_equal(field.read(step=step), whole[name].read(step=step))


def expect_openvisus_agrees(ds: esker.Dataset, whole: esker.Dataset, openvisus: Any, may_be_ahead: bool) -> None:
    compared = 0
    for part in ds.parts:
        db = openvisus.LoadDataset(part.path)
        lo, hi = part.box
        times = db.getTimesteps()
        assert len(times) == part.num_steps or (may_be_ahead and len(times) == part.num_steps + 1)
        for name in part.fields:
            if name not in ds:  # a column of a field that OpenVisus cannot take in one
                continue
            for step, number in enumerate(times):
                if not whole[name].has(step):
                    continue
                theirs = db.read(logic_box=(list(lo), list(hi)), time=number, field=name)
                ours = whole[name].read(step=step)  # also of a step that is not committed yet
                np.testing.assert_array_equal(ours, theirs.reshape(ours.shape), f"{name} {step}")
                compared += 1
    assert compared >= len(ds.steps)


@pytest.mark.parametrize("kind,ranks,phase,victim", CASES)
def test_kill(
    kind: str,
    ranks: int,
    phase: str,
    victim: int,
    kill_run: Run,
    undisturbed: Callable[[str], Path],
    openvisus: Any,
    esker_command: Run,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "data"
    path = folder / "run.idx"
    killed = kill_run(ranks, path, kind, 0, N_STEPS, phase, victim, KILLED_STEP)
    assert killed.returncode != 0
    assert "signal 9" in killed.stdout + killed.stderr
    wait_until_gone(path)

    whole = esker.open(undisturbed(kind))
    ds = esker.open(path)
    assert len(ds.steps) == KILLED_STEP + (1 if phase in COMMITTED else 0)
    expect_same_arrays(ds, whole)
    verified = esker_command("verify", path)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    expect_openvisus_agrees(ds, whole, openvisus, may_be_ahead=phase in AHEAD)

    other = {1: 2, 2: 4, 4: 2}[ranks]
    done = kill_run(other, path, kind, len(ds.steps), N_STEPS)
    assert done.returncode == 0, done.stderr
    assert esker.verify(path).findings == ()
    files, expected = files_below(folder), files_below(undisturbed(kind).parent)
    assert sorted(files) == sorted(expected)
    assert [name for name in files if files[name] != expected[name]] == []


def kill_in_appending(
    kill_run: Run, one_step: Path, whole: Path, folder: Path, phase: str, victim: int, options: list[str]
) -> bool:
    """Whether a rank was killed in the step that a run appends to a dataset of one; checks what stands then."""
    shutil.copytree(one_step, folder)
    path = folder / "run.idx"
    named_before = named_in_shared_memory()
    killed = kill_run(4, path, "one", 1, 2, phase, victim, 1, "aggregators=4", "memory_budget=192K", *options)
    if killed.returncode == 0:
        return False
    assert "signal 9" in killed.stdout + killed.stderr
    wait_until_gone(path)
    assert named_in_shared_memory() <= named_before
    ds = esker.open(path)
    assert len(ds.steps) in (1, 2)
    expect_same_arrays(ds, esker.open(whole))
    assert esker.verify(path).num_errors == 0
    done = kill_run(1, path, "one", len(ds.steps), N_STEPS)
    assert done.returncode == 0, done.stderr
    assert esker.verify(path).findings == ()
    files, expected = files_below(folder), files_below(whole.parent)
    assert sorted(files) == sorted(expected)
    assert [name for name in files if files[name] != expected[name]] == []
    return True


@pytest.mark.parametrize(
    "options",
    [*(pytest.param([way], marks=[] if way in QUICK_WAYS else [pytest.mark.long]) for way in WAYS), RELAYED],
    ids=lambda options: options[0].split("=")[1],
)
def test_kill_with_every_transport(
    options: list[str], kill_run: Run, one_step: Path, undisturbed: Callable[[str], Path], tmp_path: Path
) -> None:
    for phase, victim in MOVING:
        folder = tmp_path / phase
        assert kill_in_appending(kill_run, one_step, undisturbed("one"), folder, phase, victim, options), phase


@pytest.mark.long
@pytest.mark.parametrize("options", [*([way] for way in WAYS), RELAYED], ids=lambda options: options[0].split("=")[1])
def test_kill_at_every_call_of_the_communicator(
    options: list[str], kill_run: Run, one_step: Path, undisturbed: Callable[[str], Path], tmp_path: Path
) -> None:
    for call in range(N_CALLS):
        folder = tmp_path / str(call)
        if not kill_in_appending(kill_run, one_step, undisturbed("one"), folder, str(call), call % 4, options):
            break
    assert 20 < call < N_CALLS - 1
