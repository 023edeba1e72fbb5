"""esker.copy, esker.move, esker.adopt and their commands; datasets that were copied or renamed by hand."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from marks import mostly_slow

import esker
from esker.files import copying, moving

FORMATS = ["idx", "directory", "cdf5", "netcdf4", "zarr", "cdf5+idx", "zarr+idx", "cdf5+zarr", "vtkhdf", "vtkhdf+idx"]
ENDINGS = {
    "idx": ".idx", "directory": "", "cdf5": ".nc", "netcdf4": ".nc", "zarr": ".zarr", "cdf5+idx": "", "zarr+idx": "", "cdf5+zarr": "", "vtkhdf": ".vtkhdf.series", "vtkhdf+idx": "",
}
SECOND = {"cdf5+idx": ".nc", "zarr+idx": ".zarr", "cdf5+zarr": ".zarr", "vtkhdf+idx": ".vtkhdf.series"}
"""The suffix of the other file of a dataset in two formats."""
ARRAY = np.arange(900, dtype="f8").reshape(30, 30)


def write(folder: Path, form: str, name: str = "run", add: float = 0, **more: Any) -> Path:
    """A dataset of two steps, with units; the path to open."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}{ENDINGS[form]}"
    options = {"format": "idx" if form == "directory" else form, "report": "none", **more}
    is_mesh = "vtkhdf" in form
    with esker.Writer(path, dims={} if is_mesh else {"x": 30, "y": 30}, **options) as writer:
        if form == "directory":
            writer.field("topg", "f8", fixed=True, units="m")
        grid = writer.mesh("mesh", {"x": 30, "y": 30}, []) if is_mesh else None
        writer.field("thk", "f8", grid=grid, units="m")
        for time in (0.0, 10.0):
            with writer.step(time) as step:
                if form == "directory" and time == 0:
                    step.put("topg", -ARRAY)
                step.put("thk", ARRAY + time + add, **({"level": 0} if is_mesh else {}))
    return path


def assert_is_whole(path: Path, add: float = 0) -> None:
    ds = esker.open(path, verify=True)
    assert ds.steps == [0.0, 10.0] and ds.warnings == [] and ds["thk"].attrs["units"] == "m"
    for step, time in enumerate(ds.steps):
        np.testing.assert_array_equal(ds["thk"].read(step=step), ARRAY + time + add)
    assert esker.verify(path).findings == ()


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("verb", ["cp", "mv"])
def test_cp_and_mv_take_all_that_belongs_to_a_dataset(tmp_path: Path, esker_command: Any, form: str, verb: str) -> None:
    source = write(tmp_path, form)
    before = files(tmp_path)
    target = tmp_path / f"final{ENDINGS[form]}"
    done = esker_command(verb, source, target)
    assert done.returncode == 0, done.stderr
    assert_is_whole(target)
    if form in SECOND:
        assert_is_whole(tmp_path / f"final{SECOND[form]}")
    if verb == "cp":
        assert_is_whole(source)
    shutil.rmtree(tmp_path / "elsewhere", ignore_errors=True)
    as_written = files(write(tmp_path / "elsewhere", form, "final").parent)
    now = {name: data for name, data in files(tmp_path).items() if not name.startswith("elsewhere")}
    assert {name: data for name, data in now.items() if name.startswith("final")} == as_written
    assert {name: data for name, data in now.items() if name.startswith("run")} == (before if verb == "cp" else {})


class Killed(BaseException):
    """A simulated kill: only the next command runs after it."""


def count_calls(monkeypatch: pytest.MonkeyPatch, kill_at: int) -> list[str]:
    """Counts the calls that change a file, and kills at number `kill_at`."""
    calls: list[str] = []

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **options: Any) -> Any:
            calls.append(name)
            if len(calls) == kill_at:
                raise Killed
            return call(*arguments, **options)

        return wrapper

    for module, name in ((os, "rename"), (os, "replace"), (os, "unlink"), (os, "fsync"), (os, "mkdir"), (os, "rmdir")):
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    return calls


@dataclass(frozen=True)
class Case:
    verb: Callable[..., Path]
    form: str
    across: bool
    """Between file systems."""


VERBS = [(esker.copy, False), (esker.move, False), (esker.move, True)]
CASES = [Case(verb, form, across) for verb, across in VERBS for form in FORMATS]
# `make test` has a format of several files, and one of a single file.
every_case = pytest.mark.parametrize(
    "case",
    mostly_slow(CASES, lambda case: case.form in ("idx", "cdf5")),
    ids=lambda case: f"{case.verb.__name__}-{case.form}" + "-across" * case.across,
)


def link_a_step(source: Path, storage: Path) -> None:
    """Moves the first step of an IDX dataset to other storage."""
    for step in sorted(source.with_suffix("").rglob("time_0000")):
        shutil.move(step, storage)
        step.symlink_to(storage)


def kills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case, *, linked: bool = False
) -> Iterator[tuple[Path, Path, bool]]:
    """A dataset and its target after each possible kill of a command with relative names, and last without a kill.

    Yields in a working directory that has another dataset under the same names, which each repeat must leave alone.
    """
    original = write(tmp_path / "original", case.form).parent
    elsewhere = write(tmp_path / "elsewhere", case.form, add=7).parent
    others = files(elsewhere)
    if case.across:
        monkeypatch.setattr(moving, "can_be_renamed", lambda *_: False)
    for kill_at in range(1, 300):
        folder = tmp_path / "here"
        shutil.copytree(original, folder)
        here, there = folder / f"run{ENDINGS[case.form]}", folder / f"final{ENDINGS[case.form]}"
        if linked:
            link_a_step(here, folder / "storage")
        killed = False
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            count_calls(patch, kill_at)
            try:
                case.verb(here.name, there.name)
            except Killed:
                killed = True
        with monkeypatch.context() as patch:
            patch.chdir(elsewhere)
            yield here, there, killed
        assert files(elsewhere) == others
        shutil.rmtree(folder)
        if not killed:
            assert kill_at > 5
            return
    pytest.fail("more than 300 calls")


@every_case
@pytest.mark.parametrize("linked", [False, True], ids=["", "linked"])
def test_a_kill_at_any_call_loses_nothing_and_the_command_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case, linked: bool
) -> None:
    for here, there, killed in kills(tmp_path, monkeypatch, case, linked=linked):
        if case.verb is esker.copy:
            assert_is_whole(here)
        try:
            esker.open(there)
        except OSError:
            pass
        else:
            if case.form not in SECOND:  # whose halves appear one after the other
                assert_is_whole(there)
        if killed:
            assert str(case.verb(here, there)).startswith(str(there))
        assert_is_whole(there)
        if case.form in SECOND:
            assert_is_whole(there.with_name(f"final{SECOND[case.form]}"))
        assert list(there.parent.glob("*.esker-*")) == []
        if case.verb is esker.move:
            assert list(here.parent.glob("run*")) == []
        if linked and case.form in ("idx", "directory", "cdf5+idx", "zarr+idx", "vtkhdf+idx"):
            assert {path.name for path in (here.parent / "storage").iterdir()} - {"blocks.set"} == {"0000.bin"}


@every_case
def test_a_source_that_was_written_again_since_the_kill_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    refused = 0
    for here, there, killed in kills(tmp_path, monkeypatch, case):
        if not killed:
            continue
        try:
            write(here.parent, case.form, add=100, overwrite=True)
        except OSError:  # Esker must not replace its remaining files
            continue
        try:
            case.verb(here, there)
        except OSError as error:
            refused += "changed after" in str(error)
            assert_is_whole(here, add=100)
        else:
            assert_is_whole(here if case.verb is esker.copy else there, add=100)
    assert refused or case.verb is esker.copy


@every_case
def test_a_target_that_another_program_made_since_the_kill_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    for here, there, killed in kills(tmp_path, monkeypatch, case):
        if not killed or [path for path in there.parent.glob("final*") if path.suffix != ".esker-moving"]:
            continue
        write(there.parent, case.form, "final", add=100)
        with pytest.raises(OSError, match="exists"):
            case.verb(here, there)
        assert_is_whole(there, add=100)
        assert_is_whole(here)


@pytest.mark.parametrize("form", ["idx", "directory", "cdf5+idx"])
def test_relative_links_keep_their_targets(tmp_path: Path, form: str) -> None:
    source = write(tmp_path / "here", form)
    step = next(source.with_suffix("").rglob("time_0000"))
    shutil.move(step, tmp_path / "storage")
    step.symlink_to(os.path.relpath(tmp_path / "storage", step.parent))
    renamed = esker.move(source, source.with_stem("other"))
    assert_is_whole(renamed)
    assert [path.is_symlink() for path in renamed.with_suffix("").rglob("time_0000")] == [True]
    (tmp_path / "far/away").mkdir(parents=True)
    assert_is_whole(esker.move(renamed, tmp_path / "far/away"))
    assert (tmp_path / "storage/0000.bin").exists()


@pytest.mark.parametrize("target, text", [("missing", "or a link to one of these"), (".", "contains it")])
def test_links_that_cannot_be_followed_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, text: str
) -> None:
    source = write(tmp_path, "idx")
    (tmp_path / "run/link").symlink_to(target)
    with pytest.raises(OSError, match=f"run/link: .*{text}"):
        esker.copy(source, tmp_path / "saved.idx")
    monkeypatch.setattr(moving, "can_be_renamed", lambda *_: False)
    with pytest.raises(OSError, match=f"run/link: .*{text}"):
        esker.move(source, tmp_path / "saved.idx")
    assert not (tmp_path / "saved.idx").exists()
    assert_is_whole(source)


def test_a_copy_that_lacks_block_files_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path, "idx")
    tree = copying._tree
    monkeypatch.setattr(copying, "_tree", lambda *place: (pair for pair in tree(*place) if "0001" not in str(pair[0])))
    with pytest.raises(OSError, match="expected 2 block files with .*, found 1"):
        esker.copy(source, tmp_path / "saved.idx")
    assert not (tmp_path / "saved.idx").exists()


def test_a_source_that_changes_while_it_is_copied_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path, "idx")
    block = tmp_path / "run/time_0001/0000.bin"
    with pytest.raises(OSError, match="0000.bin: changed while it was copied"):
        esker.copy(source, tmp_path / "saved.idx", lambda _: os.utime(block, (1, 1)))
    assert not (tmp_path / "saved.idx").exists()


@pytest.mark.parametrize("path", ["run.idx", "run.nc4", "run"])
def test_the_netcdf_file_of_a_dataset_in_two_formats_has_any_suffix(tmp_path: Path, path: str) -> None:
    with esker.Writer(tmp_path / "run.nc4", dims={"x": 8, "y": 6}, format="netcdf4+idx", report="none") as writer:
        writer.field("thk", "f8")
        with writer.step(0.0) as step:
            step.put("thk", ARRAY[:6, :8])
    assert esker.move(tmp_path / path, tmp_path / "final.h5") == tmp_path / "final.idx"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["final", "final.idx", "final.nc4", "final.schema.json"]
    with esker.Writer.append(tmp_path / "final.nc4") as writer, writer.step(1.0) as step:
        step.put("thk", ARRAY[:6, :8])
    assert esker.open(tmp_path / "final.idx").steps == esker.open(tmp_path / "final.nc4").steps == [0.0, 1.0]


def test_a_netcdf_file_that_was_not_written_with_an_idx_is_another_dataset(tmp_path: Path) -> None:
    write(tmp_path, "idx")
    write(tmp_path, "cdf5", add=5)
    assert esker.move(tmp_path / "run.idx", tmp_path / "final.idx") == tmp_path / "final.idx"
    assert_is_whole(tmp_path / "run.nc", add=5)
    assert_is_whole(tmp_path / "final.idx")
    assert not (tmp_path / "final.nc").exists()


def test_a_copy_that_lacks_step_files_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path, "vtkhdf")
    tree = copying._tree
    monkeypatch.setattr(copying, "_tree", lambda *of: [pair for pair in tree(*of) if pair[0].name != "000001.vtkhdf"])
    with pytest.raises(OSError, match="000001.vtkhdf"):
        esker.copy(source, tmp_path / "final.vtkhdf.series")
    assert not list(tmp_path.glob("final.vtkhdf*"))


def test_a_series_keeps_its_format(tmp_path: Path) -> None:
    source = write(tmp_path, "vtkhdf")
    with pytest.raises(ValueError, match="is the suffix of another format"):
        esker.copy(source, tmp_path / "final.nc")
    assert esker.copy(source, tmp_path / "final") == tmp_path / "final.vtkhdf.series"
    (tmp_path / "run.vtkhdf.series").write_text('{"file-series-version": "1.0", "files": []}')
    with pytest.raises(OSError, match="Esker did not write"):
        esker.move(source, tmp_path / "other")


@pytest.mark.parametrize("suffix", [".nc", ".vtkhdf.series"])
def test_a_group_keeps_its_format(tmp_path: Path, suffix: str) -> None:
    source = write(tmp_path, "zarr")
    with pytest.raises(ValueError, match="is the suffix of another format"):
        esker.copy(source, tmp_path / f"final{suffix}")
    with pytest.raises(ValueError, match="is the suffix of another format"):
        esker.copy(write(tmp_path, "cdf5", "other"), tmp_path / "final.zarr")
    assert esker.copy(source, tmp_path / "final") == tmp_path / "final.zarr"
    assert_is_whole(tmp_path / "final.zarr")


@pytest.mark.parametrize("verb", [esker.copy, esker.move])
@pytest.mark.parametrize("suffix", [".nc", ".zarr"])
def test_both_halves_go_together(tmp_path: Path, verb: Callable[..., Path], suffix: str) -> None:
    source = write(tmp_path, "cdf5+zarr").with_suffix(suffix)
    assert verb(source, tmp_path / f"final{suffix}") == tmp_path / "final.nc"
    with esker.Writer.append(tmp_path / f"final{suffix}", report="none") as writer, writer.step(20.0) as step:
        step.put("thk", ARRAY)
    assert [len(esker.open(tmp_path / f"final{end}").steps) for end in (".nc", ".zarr")] == [3, 3]


def test_a_netcdf_file_of_another_run_leaves_the_group(tmp_path: Path) -> None:
    group, source = write(tmp_path, "zarr"), write(tmp_path, "cdf5")
    esker.move(source, tmp_path / "final.nc")
    assert_is_whole(group)
    assert not (tmp_path / "final.zarr").exists()


def test_a_group_is_no_directory_to_put_others_into(tmp_path: Path) -> None:
    source, other = write(tmp_path, "zarr"), write(tmp_path, "zarr", "other", add=7)
    before = files(tmp_path)
    for verb in (esker.copy, esker.move):
        for target in (other, source):
            with pytest.raises(FileExistsError):
                verb(source, target)
    with pytest.raises(ValueError):
        esker.copy(write(tmp_path / "elsewhere", "cdf5"), other)
    assert {name: data for name, data in files(tmp_path).items() if not name.startswith("elsewhere")} == before


def test_a_copy_that_lacks_shards_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path, "zarr")
    tree = copying._tree
    lost = source / "thk/c/1/0/0"
    assert lost.is_file()
    monkeypatch.setattr(copying, "_tree", lambda *of: [pair for pair in tree(*of) if pair[0] != lost])
    with pytest.raises(OSError, match="shard files"):
        esker.copy(source, tmp_path / "final.zarr")
    assert not (tmp_path / "final.zarr").exists()


@pytest.mark.parametrize("form", ["directory", "zarr"])
def test_into_a_directory(tmp_path: Path, form: str) -> None:
    (tmp_path / "archive").mkdir()
    made = esker.copy(write(tmp_path, form), tmp_path / "archive")
    assert made == tmp_path / f"archive/run{ENDINGS[form]}"
    assert_is_whole(made)


def test_what_is_refused(tmp_path: Path, esker_command: Any) -> None:
    source = write(tmp_path, "idx")
    other = write(tmp_path, "idx", "other")
    with pytest.raises(FileExistsError, match=r"other\.(idx|schema\.json): already exists"):
        esker.copy(source, other)
    with pytest.raises(FileExistsError, match="the same"):
        esker.move(source, source)
    with pytest.raises(FileNotFoundError, match="no such dataset"):
        esker.copy(tmp_path / "nothing.idx", tmp_path / "new.idx")
    (tmp_path / "run.esker-lock").write_text("elsewhere 1 - 1\n")
    assert esker_command("mv", source, "new.idx").returncode == 1
    assert source.exists() and not (tmp_path / "new.idx").exists()


def test_a_copy_by_hand_does_not_read_the_blocks_of_the_original(tmp_path: Path, esker_command: Any) -> None:
    write(tmp_path, "idx")
    shutil.copytree(tmp_path / "run", tmp_path / "backup")
    shutil.copy(tmp_path / "run.idx", tmp_path / "backup.idx")
    shutil.copy(tmp_path / "run.schema.json", tmp_path / "backup.schema.json")
    with pytest.raises(OSError, match="filename_template names the blocks of 'run'.*esker cp.*--adopt"):
        esker.open(tmp_path / "backup.idx")
    done = esker_command("info", "backup.idx")
    assert done.returncode == 1 and "--adopt" in done.stderr
    with pytest.raises(OSError, match="filename_template names the blocks of 'run'"):
        esker.Writer.append(tmp_path / "backup.idx")
    assert esker_command("repair", "backup.idx", "--adopt").returncode == 0
    shutil.rmtree(tmp_path / "run")
    assert_is_whole(tmp_path / "backup.idx")
    with pytest.raises(FileNotFoundError):
        shutil.copy(tmp_path / "backup.idx", tmp_path / "third.idx")
        esker.adopt(tmp_path / "third.idx")


def test_symbolic_links_to_an_idx_are_followed(tmp_path: Path) -> None:
    path = write(tmp_path / "data", "idx")
    (tmp_path / "near").mkdir()
    (tmp_path / "near/other.idx").symlink_to(path)
    (tmp_path / "near/run.idx").symlink_to("other.idx")
    (tmp_path / "data/latest.idx").symlink_to("run.idx")
    for link in ("near/other.idx", "near/run.idx", "data/latest.idx"):
        assert_is_whole(tmp_path / link)
    with pytest.raises(ValueError, match="symbolic link; append to"):
        esker.Writer.append(tmp_path / "data/latest.idx")
    # An .idx that is kept elsewhere under another name, with its blocks next to the link.
    shutil.move(path, tmp_path / "stored-7f3a")
    path.symlink_to(tmp_path / "stored-7f3a")
    assert_is_whole(path)


@pytest.mark.parametrize("form", ["idx", "directory"])
def test_a_missing_schema_file_is_said_once(tmp_path: Path, esker_command: Any, form: str) -> None:
    path = write(tmp_path, form)
    schema = tmp_path / ("run/schema.json" if form == "directory" else "run.schema.json")
    schema.unlink()
    with pytest.warns(esker.DatasetWarning, match="schema.json: missing.*units"):
        ds = esker.open(path)
    assert len(ds.warnings) == 1 and "copy it too" in ds.warnings[0]
    np.testing.assert_array_equal(ds["thk"].read(step=0), ARRAY)
    done = esker_command("info", path)
    assert done.returncode == 0 and "schema.json: missing" in done.stdout
    assert done.stderr.count("schema.json: missing") == 1 and done.stderr.startswith("esker: warning:")


def test_info_of_a_dataset_whose_blocks_are_gone_fails(tmp_path: Path, esker_command: Any) -> None:
    path = write(tmp_path, "idx")
    shutil.move(tmp_path / "run", tmp_path / "elsewhere")
    done = esker_command("info", path)
    assert done.returncode == 1 and "all of its block files are missing" in done.stderr


def test_a_name_with_a_percent_sign_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    esker.write(tmp_path / "run.idx", {"thk": np.ones((5, 8))})
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ValueError, match="names with '%' are not supported"):
        esker.copy(tmp_path / "run.idx", tmp_path / "a%04d.idx")
    assert sorted(tmp_path.iterdir()) == before
