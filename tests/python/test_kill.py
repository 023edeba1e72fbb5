"""kill -9 of a rank under mpiexec, at each phase of a step: the dataset opens, also in other software for its format,
holds exactly the committed steps and verifies. The continued run gives the bytes of an uninterrupted run.

OpenVisus only reads the .idx files: between the rename of the first and that of the catalog it may see a
step more than esker. With two formats, a step may be in the NetCDF file or the series, but not yet in the IDX dataset. A
NetCDF-4 file whose run was killed while its journal was applied is complete again after esker has opened it to
append; until then other software may refuse it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kills import (
    NAMES,
    expect_killed,
    expect_levels,
    expect_netcdf_steps,
    expect_nothing_new_in_shared_memory,
    expect_openvisus_agrees,
    expect_same_arrays,
    expect_same_files,
    files_below,
    has_idx,
    has_levels,
    has_netcdf,
    named_in_shared_memory,
    netcdf_of,
    netcdf_reads,
    series_of,
)

import esker

N_STEPS = 3
KILLED_STEP = 1


@dataclass(frozen=True)
class Case:
    """The point at which a run is killed: of one grid, of two ("several"), or of one with stored bits ("bits"), some
    blocks ("sparse") or of a mesh ("mesh"); phases are those of tests/tools/kill_run.cc."""

    form: str
    phase: str
    victim: int
    kind: str = "several"
    ranks: int = 4
    compression: str = "none"
    committed: int = KILLED_STEP
    """The steps after which esker continues."""
    seen: int | None = KILLED_STEP
    """Steps that netCDF, or a reader of the series, sees before; None: it may refuse the file. One more: OpenVisus may
    see that."""

    def __str__(self) -> str:
        packed = "" if self.compression == "none" else f"-{self.compression}"
        return f"{self.form}{packed}-{self.kind}-{self.ranks}-{self.phase}-{self.victim}"


def case(form: str, phase: str, victim: int = 0, **more: Any) -> Case:
    return Case(form, phase, victim, **{"seen": more.get("committed", KILLED_STEP), **more})


IDX_CASES = [
    case("idx", "write:.bin", 3, kind="one"),
    case("idx", "rename:run.idx>any:", kind="one", committed=2),
    case("idx", "close:.bin", 1),
    case("idx", "rename:esker.json>any:", committed=2),
    case("idx", "rename:esker.json", ranks=1, seen=2),
]
SLOW_IDX_CASES = [
    case("idx", "open:.bin", 1),
    case("idx", "rename:xy.idx", seen=2),
    *[case("idx", phase, 3, kind="one") for phase in ("open:.bin", "close:.bin")],
    case("idx", "rename:run.idx", kind="one"),
    case("idx", "write:.bin", 1),
    case("idx", "rename:xyz.idx"),
    case("idx", "rename:esker.json", seen=2),
    case("idx", "rename:xy.idx", ranks=2, seen=2),
    case("idx", "close:.bin", 1, kind="one", ranks=2),
    case("idx", "rename:run.idx", kind="one", ranks=1),
]

COMPRESSED_CASES = [
    case("idx", "write:.bin", 3, compression="zip"),
    case("netcdf4", "rename:-journal>write:.nc:2", compression="zip", committed=2, seen=None),
]
SLOW_COMPRESSED_CASES = [
    case("idx", "write:.bin:2", 0, kind="one", compression="lz4"),  # headers
    case("idx", "close:.bin", 1, compression="zip"),
    case("idx", "rename:esker.json", compression="zip", seen=2),
    case("netcdf4", "write:.nc", 0, compression="zip"),
    case("netcdf4", "rename:-journal", compression="zip"),
    case("netcdf4", "remove:-journal", compression="zip", committed=2),
    case("cdf5+idx", "write:.bin", 3, compression="zip"),
]

PARTIAL_CASES = [
    case("idx", "write:blocks.set", kind="sparse"),
    case("idx", "rename:run.idx>any:", kind="sparse", committed=2),
]
SLOW_PARTIAL_CASES = [
    case("idx", "close:.bin", 3, kind="bits"),
    case("idx", "close:blocks.set", kind="mesh"),
    *[case("idx", "write:.bin", 3, kind=kind) for kind in ("bits", "sparse", "mesh")],
    *[case("idx", "rename:run.idx", kind=kind) for kind in ("bits", "sparse", "mesh")],
    *[case("idx", "open:blocks.set", kind=kind) for kind in ("sparse", "mesh")],
    case("idx", "rename:run.idx>any:", kind="mesh", committed=2),
]

# Rank 0 holds no data of these steps: its first sync is that of values, its second of their number.
NUMBER_OF_RECORDS = "sync:.nc>write:.nc"
CDF_CASES = [
    case("cdf5", "write:.nc", 3),
    case("cdf5", NUMBER_OF_RECORDS),
    case("cdf5", "sync:.nc>sync:.nc", committed=2),
]
LONG_CDF_CASES = [
    *[case("cdf5", phase, 3) for phase in ("open:.nc", "sync:.nc", "close:.nc")],
    *[case("cdf5", phase, 0) for phase in ("write:.nc", "write:.nc:3", "sync:.nc")],
    case("cdf5", "close:.nc", committed=2),
    case("cdf5", "write:.nc", 0, kind="one"),
    case("cdf5", "write:.nc:3", ranks=1),
]

JOURNAL_CASES = [
    case("netcdf4", "write:.nc", 3),
    case("netcdf4", "rename:-journal>write:.nc:2", committed=2, seen=None),
    case("hdf5", "rename:-journal>write:.h5:5", committed=2, seen=None),
]
SLOW_JOURNAL_CASES = [
    case("netcdf4", "remove:-journal", committed=2),
    case("netcdf4", "rename:-journal"),
    case("netcdf4", "rename:-journal>any:", committed=2, seen=1),
]
LONG_JOURNAL_CASES = [
    *[case("netcdf4", phase, 3) for phase in ("open:.nc", "sync:.nc", "close:.nc")],
    *[case("netcdf4", f"{call}:-journal.tmp") for call in ("open", "write", "sync", "close")],
    *[case("netcdf4", f"rename:-journal>write:.nc:{n}", committed=2, seen=None) for n in (1, 3, 8, 12)],
    *[case("netcdf4", f"rename:-journal>{call}:.nc", committed=2) for call in ("sync", "close")],
    case("netcdf4", "remove:-journal>any:", committed=2),
    case("netcdf4", "rename:-journal>write:.nc:2", kind="one", committed=2, seen=None),
    case("netcdf4", "rename:-journal>write:.nc:2", ranks=1, committed=2, seen=None),
    *[case("hdf5", phase, 3) for phase in ("open:.h5", "write:.h5", "sync:.h5", "close:.h5")],
    case("hdf5", "remove:-journal", committed=2),
]

DUAL_CASES = [
    case("cdf5+idx", NUMBER_OF_RECORDS),
    case("cdf5+idx", "rename:esker.json", seen=2),
]
SLOW_DUAL_CASES = [case("cdf5+idx", "rename:esker.json>any:", committed=2)]
LONG_DUAL_CASES = [
    case("cdf5+idx", "write:.nc", 1),
    case("cdf5+idx", "write:.bin", 3),
    case("cdf5+idx", "close:.bin", 3),
    case("cdf5+idx", "sync:.nc>sync:.nc", seen=2),
    case("cdf5+idx", "rename:xyz.idx", seen=2),
    case("cdf5+idx", "rename:run.idx", kind="one", seen=2),
    case("cdf5+idx", "rename:run.idx>any:", kind="one", committed=2),
    case("netcdf4+idx", "rename:-journal>write:.nc:2", seen=None),
    case("netcdf4+idx", "rename:esker.json", seen=2),
]

LEVELS_CASES = [
    case("vtkhdf", "write:.vtkhdf", kind="mesh"),  # metadata: rank 0 stores no samples of this step
    case("vtkhdf", "rename:.vtkhdf.series>any:", kind="mesh", committed=2),
    case("vtkhdf+idx", "rename:.vtkhdf.series>any:", kind="mesh", seen=2),  # between the commits
]
SLOW_LEVELS_CASES = [
    case("vtkhdf", "write:.vtkhdf", 2, kind="mesh"),
    case("vtkhdf", "rename:.vtkhdf.series", kind="mesh"),
    case("vtkhdf+idx", "write:.vtkhdf", 2, kind="mesh"),
    case("vtkhdf+idx", "rename:.vtkhdf.series", kind="mesh"),
    case("vtkhdf+idx", "rename:run.idx", kind="mesh", seen=2),
    case("vtkhdf+idx", "rename:run.idx>any:", kind="mesh", committed=2),
]
LONG_LEVELS_CASES = [
    *[case("vtkhdf", phase, 2, kind="mesh") for phase in ("open:.vtkhdf", "sync:.vtkhdf", "close:.vtkhdf")],
    *[case("vtkhdf", f"{call}:.vtkhdf.series.tmp", kind="mesh") for call in ("open", "write", "sync", "close")],
    case("vtkhdf", "sync:.vtkhdf>write:.vtkhdf", kind="mesh", ranks=1),
    case("vtkhdf+idx", "write:blocks.set", kind="mesh"),
    case("vtkhdf+idx", "rename:.vtkhdf.series>any:", kind="mesh", ranks=2, seen=2),
]
CASES = [
    *[*IDX_CASES, *COMPRESSED_CASES, *PARTIAL_CASES, *CDF_CASES, *JOURNAL_CASES, *DUAL_CASES, *LEVELS_CASES],
    *(
        pytest.param(case, marks=pytest.mark.slow)
        for case in [
            *[*SLOW_IDX_CASES, *SLOW_COMPRESSED_CASES, *SLOW_PARTIAL_CASES],
            *[*SLOW_JOURNAL_CASES, *SLOW_DUAL_CASES, *SLOW_LEVELS_CASES],
        ]
    ),
    *(
        pytest.param(case, marks=pytest.mark.long)
        for case in [*LONG_CDF_CASES, *LONG_JOURNAL_CASES, *LONG_DUAL_CASES, *LONG_LEVELS_CASES]
    ),
]

WAYS = [
    "transport=messages",
    "transport=shared",
    "transport=all_to_all",
    "transport=put",
    "transport=put_fence",
]
SLOW_WAYS = {"transport=messages", "transport=put"}
"""Marked slow; `transport=shared` is not, and the others are long."""
RELAYED = ["restructure=default", "max_fan_in=2"]
MOVING = [("8", 1), ("open:.bin", 3), ("write:.bin", 3), ("close:.bin", 1), ("rename:run.idx", 0)]
"""Phases of a step that plans: 8 is a call of the communicator in the middle of planning."""
N_CALLS = 120
"""More than a step makes of the communicator."""

Run = Callable[..., subprocess.CompletedProcess[str]]
Undisturbed = Callable[..., Path]


def run_steps(
    kill_run: Run, ranks: int, path: Path, kind: str, first: int, end: int, form: str = "idx", *options: str
) -> None:
    """A run without a kill."""
    done = kill_run(ranks, path, kind, first, end, "none", 0, 0, f"format={form}", *options)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def one_step(kill_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a dataset with one step, to be copied."""
    folder = tmp_path_factory.mktemp("one-step") / "data"
    run_steps(kill_run, 1, folder / "run.idx", "one", 0, 1)
    return folder


@pytest.fixture(scope="module")
def undisturbed(kill_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Path of a whole run on one rank, by format, kind and compression."""
    made: dict[tuple[str, str, str], Path] = {}

    def path_of(form: str, kind: str, compression: str = "none") -> Path:
        key = form, kind, compression
        if key not in made:
            path = tmp_path_factory.mktemp("-".join(("undisturbed", *key))) / NAMES[form]
            run_steps(kill_run, 1, path, kind, 0, N_STEPS, form, f"compression={compression}")
            made[key] = path
        return made[key]

    return path_of


def expect_in_idx(path: Path, whole_path: Path, n_steps: int, may_be_ahead: bool, openvisus: Any) -> None:
    whole, ds = esker.open(whole_path), esker.open(path)
    assert len(ds.steps) == n_steps
    expect_same_arrays(ds, whole)
    if not any(field.stored_bits or field.is_sparse() for field in whole.fields.values()):
        expect_openvisus_agrees(ds, whole, openvisus, may_be_ahead)


def expect_in_netcdf(path: Path, whole_path: Path, seen: int | None) -> None:
    """Checks the file before Esker continues it. With a journal next to it, Esker sees the state that others see later."""
    has_journal = path.with_name(path.name + ".esker-journal").exists()
    ds = esker.open(path)
    assert len(ds.steps) == (KILLED_STEP + 1 if has_journal else seen)
    expect_same_arrays(ds, esker.open(whole_path))
    if seen is None:
        assert has_journal, "the sign of a file that may be torn"
        netcdf_reads(path)  # or not
        return
    expect_netcdf_steps(path, whole_path, seen)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_kill(
    case: Case, kill_run: Run, undisturbed: Undisturbed, openvisus: Any, esker_command: Run, tmp_path: Path
) -> None:
    folder, form = tmp_path / "data", case.form
    whole = undisturbed(form, case.kind, case.compression)
    path = folder / NAMES[form]
    arguments = (path, case.kind, 0, N_STEPS, case.phase, case.victim, KILLED_STEP)
    options = (f"format={form}", f"compression={case.compression}")
    expect_killed(kill_run(case.ranks, *arguments, *options), path)

    if has_idx(form):
        ahead = case.seen != case.committed
        expect_in_idx(path, whole, case.committed, ahead, openvisus)
    if has_netcdf(form):
        expect_in_netcdf(netcdf_of(path), netcdf_of(whole), case.seen)
    if has_levels(form):
        assert case.seen is not None
        expect_levels(series_of(path), series_of(whole), case.seen)
    verified = esker_command("verify", path)
    assert verified.returncode == 0, verified.stdout + verified.stderr

    other = {1: 2, 2: 4, 4: 2}[case.ranks]
    run_steps(kill_run, other, path, case.kind, N_STEPS, N_STEPS, form)  # appends no step
    assert not [name for name in files_below(folder) if "journal" in name or "-lock" in name or "tmp" in name]
    if has_netcdf(form):
        expect_netcdf_steps(netcdf_of(path), netcdf_of(whole), case.committed)
    if has_levels(form):
        expect_levels(series_of(path), series_of(whole), case.committed)
    run_steps(kill_run, other, path, case.kind, case.committed, N_STEPS, form)
    assert esker.verify(path).findings == ()
    expect_same_files(folder, whole.parent)


def kill_in_appending(
    kill_run: Run, one_step: Path, whole: Path, folder: Path, phase: str, victim: int, options: list[str]
) -> bool:
    """Whether a rank was killed in the step that a run appends to a dataset of one; checks the dataset."""
    shutil.copytree(one_step, folder)
    path = folder / "run.idx"
    named_before = named_in_shared_memory()
    killed = kill_run(4, path, "one", 1, 2, phase, victim, 1, "aggregators=4", "memory_budget=192K", *options)
    if killed.returncode == 0:
        return False
    expect_killed(killed, path)
    expect_nothing_new_in_shared_memory(named_before)
    ds = esker.open(path)
    assert len(ds.steps) in (1, 2)
    expect_same_arrays(ds, esker.open(whole))
    assert esker.verify(path).num_errors == 0
    run_steps(kill_run, 1, path, "one", len(ds.steps), N_STEPS)
    assert esker.verify(path).findings == ()
    expect_same_files(folder, whole.parent)
    return True


def marks_of(way: str) -> list[pytest.MarkDecorator]:
    if way == "transport=shared":
        return []
    return [pytest.mark.slow if way in SLOW_WAYS else pytest.mark.long]


@pytest.mark.parametrize(
    "options",
    [
        *(pytest.param([way], marks=marks_of(way)) for way in WAYS),
        pytest.param(RELAYED, marks=pytest.mark.slow),
    ],
    ids=lambda options: options[0].split("=")[1],
)
def test_kill_with_every_transport(
    options: list[str], kill_run: Run, one_step: Path, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    whole = undisturbed("idx", "one")
    for phase, victim in MOVING:
        folder = tmp_path / re.sub(r"\W", "-", phase)
        assert kill_in_appending(kill_run, one_step, whole, folder, phase, victim, options), phase


@pytest.mark.long
@pytest.mark.parametrize(
    "options", [*([way] for way in WAYS), RELAYED], ids=lambda options: options[0].split("=")[1]
)
def test_kill_at_every_call_of_the_communicator(
    options: list[str], kill_run: Run, one_step: Path, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    whole = undisturbed("idx", "one")
    for call in range(N_CALLS):
        folder = tmp_path / str(call)
        if not kill_in_appending(kill_run, one_step, whole, folder, str(call), call % 4, options):
            break
    assert 20 < call < N_CALLS - 1


CREATING = [
    *[("cdf5", phase) for phase in ("write:.nc.tmp", "rename:run.nc", "rename:run.nc>any:")],
    *[("netcdf4", phase) for phase in ("write:.nc.tmp", "rename:run.nc>any:")],
    *[("cdf5+idx", phase) for phase in ("rename:run.nc>any:", "rename:esker.json")],
]


@pytest.mark.parametrize(
    "form,phase", [CREATING[0], *(pytest.param(*case, marks=pytest.mark.long) for case in CREATING[1:])]
)
def test_kill_in_creating(
    form: str, phase: str, kill_run: Run, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """There is no dataset, or one without steps, which the next run replaces without leftovers."""
    folder, whole = tmp_path / "data", undisturbed(form, "several")
    path = folder / NAMES[form]
    expect_killed(kill_run(4, path, "several", 0, N_STEPS, phase, 0, 0, f"format={form}"), path)
    if netcdf_of(path).exists():
        expect_netcdf_steps(netcdf_of(path), netcdf_of(whole), 0)
    run_steps(kill_run, 2, path, "several", 0, N_STEPS, form, "overwrite=true")
    expect_same_files(folder, whole.parent)


@pytest.mark.long
@pytest.mark.parametrize("phase", ["write:.nc.tmp", "rename:run.nc"])
@pytest.mark.parametrize("form", ["cdf5", "netcdf4"])
def test_kill_in_replacing(
    form: str, phase: str, kill_run: Run, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """The old dataset is complete until the new one is."""
    folder, old = tmp_path / "data", undisturbed(form, "one")
    shutil.copytree(old.parent, folder)
    path = folder / NAMES[form]
    arguments = (path, "several", 0, N_STEPS, phase, 0, 0, f"format={form}", "overwrite=true")
    expect_killed(kill_run(4, *arguments), path)
    assert path.read_bytes() == old.read_bytes()
    run_steps(kill_run, 2, path, "one", N_STEPS, N_STEPS, form)
    expect_same_files(folder, old.parent)


N_STORE_CALLS = 400
"""More than a rank makes of the file system in a step."""


@pytest.mark.long
@pytest.mark.parametrize("victim", [0, 3])
@pytest.mark.parametrize("form", ["cdf5", "netcdf4", "cdf5+idx", "vtkhdf"])
def test_kill_at_every_call_of_the_file_system(
    form: str, victim: int, kill_run: Run, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """Kills a run that appends a step to a dataset of one step."""
    kind = "mesh" if has_levels(form) else "several"
    if has_levels(form) and victim == 3:
        victim = 2  # stores samples of whole levels, and rank 3 none
    whole, before = undisturbed(form, kind), tmp_path / "before"
    run_steps(kill_run, 1, before / NAMES[form], kind, 0, 1, form)
    committed = [1]
    for call in range(1, N_STORE_CALLS):
        folder = tmp_path / str(call)
        shutil.copytree(before, folder)
        path = folder / NAMES[form]
        killed = kill_run(4, path, kind, 1, 2, f"any::{call}", victim, 1, f"format={form}")
        if killed.returncode == 0:
            break
        expect_killed(killed, path)
        run_steps(kill_run, 2, path, kind, N_STEPS, N_STEPS, form)  # appends no step
        committed.append(len(esker.open(path).steps))
        if has_levels(form):
            expect_levels(series_of(path), series_of(whole), committed[-1])
        else:
            expect_netcdf_steps(netcdf_of(path), netcdf_of(whole), committed[-1])
        run_steps(kill_run, 2, path, kind, committed[-1], N_STEPS, form)
        expect_same_files(folder, whole.parent)
        shutil.rmtree(folder)
    assert 4 < call < N_STORE_CALLS - 1
    assert committed == sorted(committed)
    assert set(committed) <= ({1, 2} if victim == 0 else {1})
    assert victim != 0 or committed[-1] == 2


@pytest.mark.long
@pytest.mark.parametrize("replaces", [False, True], ids=["new", "replacing"])
@pytest.mark.parametrize(
    "form,kind",
    [("idx", "one"), ("idx", "several"), ("cdf5", "several"), ("netcdf4", "several"), ("cdf5+idx", "one")],
)
def test_kill_at_every_call_of_creating(
    form: str, kind: str, replaces: bool, kill_run: Run, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """Kills a new run; a restarted program appends or, without a dataset, creates one."""
    whole, old = undisturbed(form, kind), undisturbed(form, "several" if kind == "one" else "one")
    options = [f"format={form}", *(["overwrite=true"] if replaces else [])]
    found = set()
    for call in range(1, N_STORE_CALLS):
        folder = tmp_path / str(call)
        if replaces:
            shutil.copytree(old.parent, folder)
        path = folder / NAMES[form]
        killed = kill_run(2, path, kind, 0, 1, f"any::{call}", 0, 0, *options)
        if killed.returncode == 0:
            break
        expect_killed(killed, path)
        appended = kill_run(
            1, path, kind, N_STEPS, N_STEPS, "none", 0, 0
        )  # no step; the format is the files'
        if appended.returncode != 0:
            assert "no dataset to append to" in appended.stderr
            found.add("nothing")
            run_steps(kill_run, 2, path, kind, 0, N_STEPS, form)
            expect_same_files(folder, whole.parent)
        elif len(esker.open(path).steps) == N_STEPS:
            found.add("old")
            expect_same_files(folder, old.parent)
        else:
            found.add("new")
            n_steps = len(esker.open(path).steps)
            appended = kill_run(2, path, kind, f"+{n_steps}", N_STEPS, "none", 0, 0)
            assert appended.returncode == 0, appended.stderr
            expect_same_files(folder, whole.parent)
        shutil.rmtree(folder)
    assert 4 < call < N_STORE_CALLS - 1
    assert found == ({"old", "new"} if replaces else {"nothing", "new"})
