"""esker.rebuild and `esker repair --rebuild`: an .idx rebuilt from its block files."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_openvisus_matrix import expect_equal_in_openvisus

import esker
from datasets import FieldSpec, random_array, write

GOLDEN = Path(__file__).parents[1] / "golden" / "openvisus"
EXTENT = (40, 30)
FIELDS = {"a": FieldSpec("float32"), "b": FieldSpec("uint16", 2)}
STEPS = 3
BLOCKS = {"bits_per_block": 6, "blocks_per_file": 8}


def arrays(seed: int) -> list[dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    return [{name: random_array(spec, EXTENT, rng) for name, spec in FIELDS.items()} for _ in range(STEPS)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "run.idx", EXTENT, FIELDS, arrays(3), **BLOCKS)
    return tmp_path / "run.idx"


@pytest.fixture
def like(tmp_path: Path) -> Path:
    (tmp_path / "other").mkdir()
    write(tmp_path / "other/other.idx", EXTENT, FIELDS, arrays(4)[:1], **BLOCKS)
    return tmp_path / "other/other.idx"


def assert_steps(path: Path, steps: int = STEPS) -> None:
    ds = esker.open(path)
    assert len(ds.steps) == steps
    for step, expected in enumerate(arrays(3)[:steps]):
        for name, array in expected.items():
            np.testing.assert_array_equal(ds[name].read(step=step), array)
    assert esker.verify(path).good


def damage(path: Path, how: str) -> None:
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "garbage":
        path.write_bytes(bytes(range(256)) * 8)
    elif how == "empty":
        path.write_bytes(b"")
    else:
        path.write_bytes(content[: len(content) // 3])


WAYS = ["missing", "garbage", "empty", "truncated"]


@pytest.mark.parametrize("how", WAYS)
def test_from_another_idx(path: Path, like: Path, how: str) -> None:
    before = path.read_bytes()
    damage(path, how)
    damaged = path.read_bytes() if path.exists() else None
    found = esker.rebuild(path, like, times=[0, 1, 2], write=True)
    assert found.written and found.steps == STEPS and not found.given_up
    assert path.read_bytes() == before
    assert_steps(path)
    assert (Path(found.old_file).read_bytes() if found.old_file else None) == damaged


@pytest.mark.parametrize("how", WAYS)
def test_from_the_schema_file(path: Path, how: str) -> None:
    before = path.read_bytes()
    damage(path, how)
    assert esker.rebuild(path, times=[0, 1, 2], write=True, **BLOCKS).source.endswith("run.schema.json")
    assert path.read_bytes() == before
    assert_steps(path)


def test_nothing_changes_unless_asked_to(path: Path, like: Path, esker_command: Any) -> None:
    path.unlink()
    before = sorted(path.parent.rglob("*"))
    done = esker_command("repair", path, "--rebuild", "--like", like, "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["steps"] == STEPS and not facts["written"]
    assert "time values" in facts["given_up"][0] and facts["given_up"][0].endswith("(--time)")
    assert sorted(path.parent.rglob("*")) == before
    done = esker_command("repair", path, "--rebuild", "--like", like, "--write")
    assert done.returncode == 0 and "written" in done.stdout
    assert_steps(path)


@pytest.mark.parametrize("old, new", [("0 2 time", "0 0 time"), ("0 2 time", "0 9 time")])
def test_an_idx_that_lists_other_steps_than_there_are(path: Path, old: str, new: str) -> None:
    before = path.read_bytes()
    path.write_text(path.read_text().replace(old, new))
    assert path.read_bytes() != before
    found = esker.rebuild(path, write=True)
    assert path.read_bytes() == before and not found.given_up
    assert_steps(path)


def test_incomplete_steps_are_lost(path: Path, like: Path) -> None:
    damaged = sorted(path.parent.glob("run/time_0001/*.bin"))[1]
    content = bytearray(damaged.read_bytes())
    content[-1] ^= 1
    damaged.write_bytes(content)
    path.unlink()
    found = esker.rebuild(path, like, times=[0], write=True)
    assert found.steps == 1 and found.given_up[0].startswith("step 1: ") and damaged.name in found.given_up[0]
    assert found.given_up[1].startswith("step 2: ")
    assert damaged.exists() and (path.parent / "run/time_0002").exists()
    ds = esker.open(path)
    np.testing.assert_array_equal(ds["b"].read(step=0), arrays(3)[0]["b"])


def test_a_missing_block_file_loses_its_step(path: Path, like: Path) -> None:
    sorted(path.parent.glob("run/time_0002/*.bin"))[0].unlink()
    path.unlink()
    assert esker.rebuild(path, like, times=[0, 1], write=True).steps == 2
    assert_steps(path, 2)


def test_what_cannot_be_known_is_an_error_that_says_what_to_give(path: Path, like: Path) -> None:
    path.unlink()
    with pytest.raises(OSError, match="--blocks-per-file"):
        esker.rebuild(path, write=True, bits_per_block=6, blocks_per_file=4)
    with pytest.raises(ValueError, match="2 time values given, expected one for each of the 3"):
        esker.rebuild(path, like, times=[0, 1], write=True)
    (path.parent / "run.schema.json").unlink()
    with pytest.raises(ValueError, match="--like"):
        esker.rebuild(path, write=True)
    (path.parent / "run.esker-lock").write_text("")
    with pytest.raises(FileExistsError):
        esker.rebuild(path, like, write=True)
    assert not path.exists()


def test_another_box_than_that_of_the_schema_file(path: Path, like: Path) -> None:
    write(
        like, (39, 30), FIELDS, [{k: v[:, :39] for k, v in arrays(4)[0].items()}], overwrite="true", **BLOCKS
    )
    path.unlink()
    with pytest.raises(ValueError, match="another box than .*run.schema.json"):
        esker.rebuild(path, like, write=True)
    assert not path.exists()


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A dataset of three .idx: fields of two grids, one of them at every second step, and a fixed one."""
    path = tmp_path / "two.idx"
    with esker.Writer(path, dims={"x": 40, "y": 30, "z": 5}, report="none", **BLOCKS) as writer:
        temp = writer.field("temp", "f4")
        plane = writer.grid("xy", ["x", "y"])
        topg = writer.field("topg", "f4", grid=plane, fixed=True)
        thk = writer.field("thk", "f4", grid=plane, every=2, components=20)
        for n in range(STEPS):
            with writer.step(10.0 * n) as step:
                step.put(temp, np.full((5, 30, 40), n, "f4"))
                if n == 0:
                    step.put(topg, np.full((30, 40), 7, "f4"))
                if n % 2 == 0:
                    step.put(thk, np.full((30, 40, 20), n + 0.5, "f4"))
    return path


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("name", ["xyz", "xy", "xy_fixed"])
def test_a_part_of_several(parts: Path, name: str, how: str) -> None:
    idx = parts.with_suffix("") / f"{name}.idx"
    before = idx.read_bytes()
    damage(idx, how)
    found = esker.rebuild(idx, write=True)
    assert found.written and not found.given_up and found.source.endswith("schema.json")
    assert idx.read_bytes() == before
    assert esker.verify(parts).good
    with esker.Writer.append(parts, report="none") as writer, writer.step(30.0) as step:
        step.put(writer.field("temp"), np.zeros((5, 30, 40), "f4"))


def test_what_a_part_has_lost_is_absent_and_the_other_parts_keep_it(parts: Path) -> None:
    directory = parts.with_suffix("")
    shutil.rmtree(directory / "xyz/time_0001")
    (directory / "xyz.idx").unlink()
    found = esker.rebuild(directory / "xyz.idx", write=True)
    assert found.given_up == ("step 1: field 'temp' has no blocks",)
    ds = esker.open(parts)
    assert [ds["temp"].has(n) for n in range(STEPS)] == [True, False, True]
    assert (ds["temp"].read(step=2) == 2).all() and (ds["thk"].read(step=2) == 2.5).all()


def test_the_parts_of_a_directory_are_rebuilt_one_by_one(parts: Path) -> None:
    with pytest.raises(ValueError, match="directory of several .idx files: name the one"):
        esker.rebuild(parts)
    with pytest.raises(ValueError, match="time values cannot be given: they are stored in .*esker.json"):
        esker.rebuild(parts.with_suffix("") / "xy.idx", times=[0, 1, 2])
    Path(f"{parts.with_suffix('')}.esker-lock").write_text("")
    with pytest.raises(FileExistsError):
        esker.rebuild(parts.with_suffix("") / "xy.idx")


def test_other_fields_than_those_of_the_schema_file(path: Path, like: Path) -> None:
    write(like, EXTENT, {**FIELDS, "b": FieldSpec("int16", 2)}, [arrays(4)[0] | {"b": arrays(4)[0]["b"].astype("i2")}],
          overwrite="true", **BLOCKS)  # fmt: skip
    path.unlink()
    with pytest.raises(ValueError, match="other fields than .*run.schema.json"):
        esker.rebuild(path, like, write=True)


@pytest.mark.parametrize(
    "times", [[3.0, 1.0, 2.0], [1.0, 1.0, 2.0], [float("nan"), 1.0, 2.0], [0.0, 1.0, float("inf")]]
)
def test_times_that_no_writer_would_take(path: Path, like: Path, times: list[float]) -> None:
    path.unlink()
    with pytest.raises(ValueError, match="in ascending order"):
        esker.rebuild(path, like, times=times, write=True)
    assert not path.exists()


def test_a_box_with_fewer_blocks(path: Path) -> None:
    (path.parent / "run.schema.json").unlink()
    text = path.read_text().replace("0 39 0 29", "0 32 0 17")
    path.write_text(text)
    with pytest.raises(ValueError, match="edited or damaged.*--like"):
        esker.rebuild(path)
    path.write_text(re.sub(r',"sum":"[0-9a-f]{16}"', "", text).replace('"format":2', '"format":1'))
    with pytest.raises(OSError, match="outside the box"):
        esker.rebuild(path)


def test_no_truncated_idx_gives_wrong_samples(path: Path) -> None:
    (path.parent / "run.schema.json").unlink()
    text = path.read_text()
    rebuilt = 0
    for end in range(0, len(text) - 1, 3):
        path.write_text(text[:end])
        try:
            found = esker.rebuild(path)
        except (ValueError, OSError):
            continue
        rebuilt += 1
        path.write_text(found.text)
        assert "Esker's record" in found.given_up[-1]
        np.testing.assert_array_equal(esker.open(path)["b"].read(step=0), arrays(3)[0]["b"])
    assert rebuilt > 0


def test_openvisus_opens_what_was_rebuilt(openvisus: Any, path: Path, like: Path) -> None:
    path.unlink()
    esker.rebuild(path, like, write=True)
    expect_equal_in_openvisus(openvisus, path, arrays(3))


def test_another_idx_that_is_missing(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        esker.rebuild(path, path.parent / "none.idx")


@pytest.mark.parametrize("name", ["d3_2fields_3times_raw_rm", "d2_np2_f32_zip_hz"])
def test_a_dataset_of_openvisus(tmp_path: Path, name: str) -> None:
    shutil.copytree(GOLDEN / name, tmp_path / "theirs")
    idx = next((tmp_path / "theirs").glob("*.idx"))
    ds = esker.open(idx)
    expected = {(f, s): ds[f].read(step=s) for f in ds.fields for s in range(len(ds.steps))}
    like = tmp_path / "like.idx"
    idx.rename(like)
    with pytest.raises(ValueError, match="--like"):
        esker.rebuild(idx, write=True)
    assert esker.rebuild(idx, like, write=True).steps == len(ds.steps)
    ds = esker.open(idx)
    for (field, step), array in expected.items():
        np.testing.assert_array_equal(ds[field].read(step=step), array)
