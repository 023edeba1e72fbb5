"""esker.verify, esker.repair and their commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import esker
from datasets import FieldSpec, add_steps, random_array, start, write
from esker import _core
from esker.cli import esker as command

GOLDEN = Path(__file__).parents[1] / "golden" / "openvisus"
EXTENT = (40, 30)
FIELDS = {"a": FieldSpec("float32"), "b": FieldSpec("uint16", 2)}


def arrays(number: int) -> list[dict[str, np.ndarray]]:
    rng = np.random.default_rng(3)
    return [{name: random_array(spec, EXTENT, rng) for name, spec in FIELDS.items()} for _ in range(number)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "run.idx", EXTENT, FIELDS, arrays(3), bits_per_block=6, blocks_per_file=8)
    return tmp_path / "run.idx"


def flip(path: Path, position: int = -1) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("num_errors", "num_unreadable", "verdict"),
    [
        (0, 0, "good: 1 step, 1 file, 1 block, "),
        (1, 0, "DAMAGED (1 error): "),
        (2, 2, "UNREADABLE (2 errors"),
        (3, 1, "DAMAGED (3 errors, 1 of reading): "),
    ],
)
def test_what_cannot_be_read_is_not_called_damaged(
    monkeypatch: pytest.MonkeyPatch, num_errors: int, num_unreadable: int, verdict: str
) -> None:
    found = esker.Verification((), num_errors, 0, 1, 1, 1, 100, 1, 0, num_unreadable=num_unreadable)
    monkeypatch.setattr(esker, "verify", lambda *_, **__: found)
    done = CliRunner().invoke(command, ["verify", "run.idx"])
    assert done.exit_code == (1 if num_errors else 0)
    assert f"run.idx: {verdict}" in done.output


@pytest.mark.parametrize("idx", sorted(GOLDEN.glob("*/*.idx")), ids=lambda path: path.stem)
def test_datasets_of_openvisus_are_good(idx: Path) -> None:
    found = esker.verify(idx)
    assert found.good and not found.findings
    assert found.blocks > 0 and found.blocks_with_checksum == 0


def test_a_good_dataset(path: Path, esker_command: Any) -> None:
    found = esker.verify(path)
    assert found.good and found.findings == () and found.steps == 3
    assert found.blocks == found.blocks_with_checksum > 0
    done = esker_command("verify", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "good: 3 steps" in done.stdout


def test_damage_is_exit_status_1_and_names_the_file(path: Path, esker_command: Any) -> None:
    damaged = sorted(path.parent.glob("run/time_0001/*.bin"))[1]
    flip(damaged)
    done = esker_command("verify", path)
    assert done.returncode == 1
    assert damaged.name in done.stdout and "checksum" in done.stdout and "DAMAGED" in done.stdout
    facts = json.loads(esker_command("verify", path, "--json").stdout)
    assert not facts["good"] and facts["num_errors"] == 1
    assert facts["findings"][0]["path"] == str(damaged)
    esker.open(path)["b"].read(step=1)
    with pytest.raises(OSError, match=f"{damaged.name}.*checksum"):
        esker.open(path, verify=True)["b"].read(step=1)
    esker.open(path, verify=True)["b"].read(step=0)


def test_a_dataset_that_does_not_open(path: Path, esker_command: Any) -> None:
    path.write_text(path.read_text().replace("(bits)", "(bots)"))
    done = esker_command("verify", path, "--json")
    assert done.returncode == 1
    assert "(bits)" in json.loads(done.stdout)["error"]
    assert esker_command("verify", path).returncode == 1
    assert esker_command("verify", path.parent / "none.idx").returncode == 2


def test_progress_ends_with_all_of_it(path: Path) -> None:
    seen: list[float] = []
    esker.verify(path, seen.append)
    assert seen == sorted(seen) and seen[-1] == 1


def test_leftovers_are_warnings_until_repaired(path: Path, esker_command: Any) -> None:
    (path.parent / "run/time_0003").mkdir()
    (path.parent / "run/time_0003/0000.bin").write_bytes(b"half")
    (path.parent / "run.idx.tmp").write_text("")
    done = esker_command("verify", path)
    assert done.returncode == 0 and done.stdout.count("warning: ") == 2
    done = esker_command("repair", path)
    assert done.returncode == 0, done.stderr
    assert "3 steps" in done.stdout and "2 files removed" in done.stdout
    for leftover in ("run/time_0003/0000.bin", "run.idx.tmp"):
        assert f"removed {path.parent / leftover}\n" in done.stdout
    assert esker.verify(path).findings == ()
    assert not (path.parent / "run/time_0003").exists()


def test_repair_to_a_time_drops_the_steps_after_it(path: Path, esker_command: Any) -> None:
    expected = [esker.open(path)["a"].read(step=step) for step in range(2)]
    done = esker_command("repair", path, "--to-time", 1.5)
    assert done.returncode == 0, done.stderr
    ds = esker.open(path)
    assert ds.steps == [0, 1]
    for step, array in enumerate(expected):
        np.testing.assert_array_equal(ds["a"].read(step=step), array)
    assert esker.verify(path).findings == ()
    assert esker_command("repair", path.parent / "none.idx").returncode == 2


def test_repair_does_not_touch_what_others_wrote(esker_command: Any) -> None:
    done = esker_command("repair", next(GOLDEN.glob("*/*.idx")))
    assert done.returncode != 0


def test_a_dataset_without_steps_opens_and_can_be_continued(tmp_path: Path, esker_command: Any) -> None:
    path = tmp_path / "run.idx"
    writer = _core.create(str(path), {"report": "none"})
    grid = writer.def_grid("map", [writer.def_dim("x", 10)])
    writer.def_field(grid, "topg", "float32", 1, True)
    writer.def_field(grid, "species", "float64", 11)
    writer.close()
    ds = esker.open(path)
    assert ds.steps == [] and set(ds.fields) == {"topg", "species"}
    assert ds["topg"].shape == (10,) and ds["topg"].max_level == ds["species"].max_level
    with pytest.raises(KeyError, match="first step"):
        ds["topg"].read()
    assert esker_command("info", path).returncode == 0
    assert esker.verify(path).good

    topg, species = np.ones(10, "f4"), np.arange(110, dtype="f8").reshape(10, 11)
    add_steps(_core.append(str(path), {"report": "none"}), [{"topg": topg, "species": species}])
    ds = esker.open(path)
    np.testing.assert_array_equal(ds["topg"].read(), topg)
    np.testing.assert_array_equal(ds["species"].read(), species)
    assert esker.verify(path).findings == ()


def test_an_active_writer_is_not_disturbed(tmp_path: Path) -> None:
    path = tmp_path / "run.idx"
    writer = start(path, EXTENT, FIELDS, {"bits_per_block": 6})
    with pytest.raises((FileNotFoundError, FileExistsError)):
        esker.repair(path)
    add_steps(writer, arrays(1))
    esker.repair(path)
    assert esker.open(path).steps == [0]


@pytest.mark.parametrize("kind", ["cdf5", "netcdf4"])
def test_files_without_checksums_say_so(esker_command: Any, tmp_path: Path, kind: str) -> None:
    esker.write(tmp_path / "run.nc", {"v": np.ones((30, 40))}, format=kind)
    done = esker_command("verify", tmp_path / "run.nc")
    assert done.returncode == 0 and "no checksums, so changed values are not detected" in done.stdout
    assert "blocks" not in done.stdout
    esker.write(tmp_path / "run.idx", {"v": np.ones((30, 40))})
    assert "no checksums" not in esker_command("verify", tmp_path / "run.idx").stdout


ANOTHER_BOOT = "esker-unsynced 1 2 00000000-0000-0000-0000-000000000000\n"


@pytest.mark.parametrize("mark", [ANOTHER_BOOT, "esker-unsy", ""], ids=["whole", "torn", "empty"])
def test_unsynced_steps_stay_if_checksums_show_that_they_are_whole(path: Path, esker_command: Any, mark: str) -> None:
    marked = path.with_name("run.esker-unsynced")
    marked.write_text(mark)
    block = path.with_name("run") / "time_0002" / "0000.bin"
    flip(block)
    done = esker_command("repair", path)
    first = 2 if mark == ANOTHER_BOOT else 0
    assert done.returncode == 1 and f"only the first {first} steps" in done.stderr and "--to-time" in done.stderr
    assert marked.exists()
    flip(block)
    assert esker.repair(path) == (str(marked),)
    assert esker.open(path).warnings == [] and len(esker.open(path).steps) == 3


@pytest.mark.parametrize("form", ["cdf5+idx", "cdf5", "netcdf4"])
def test_steps_that_a_power_failure_may_have_damaged(tmp_path: Path, form: str) -> None:
    """The values of netCDF files have no checksums: repair says the same by all paths of a dataset."""
    with esker.Writer(tmp_path / "run", dims={"x": 8, "y": 6}, format=form, report="none") as writer:
        writer.field("thk", "f8")
        for time in (0.0, 1.0, 2.0):
            with writer.step(time) as step:
                step.put("thk", np.full((6, 8), time))
    marked = tmp_path / "run.esker-unsynced"
    marked.write_text(ANOTHER_BOOT)
    names = ["run.nc", *(["run.idx", "run"] if form == "cdf5+idx" else [])]
    for name in names:
        with pytest.raises(OSError, match=f"{name}: .*only the first 2 steps.*{name} --to-time"):
            esker.repair(tmp_path / name)
        assert marked.exists()
    assert str(marked) in esker.repair(tmp_path / names[-1], to_time=1.0)
    for name in names:
        assert esker.open(tmp_path / name).steps == [0.0, 1.0]
        assert esker.open(tmp_path / name).warnings == []
