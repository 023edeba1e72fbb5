"""Compressed datasets: OpenVisus reads them, errors are bounds, and all tools keep or restore them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from marks import mostly_slow
from test_openvisus_matrix import TYPES, expect_equal_in_openvisus

import esker

LOSSLESS = [(codec, dtype) for codec in ("zip", "lz4") for dtype in TYPES]
LOSSLESS += [("zip-Z_BEST_SPEED", "float32"), ("zip-Z_BEST_COMPRESSION", "float32")]
ZFP_TYPES = ["float32", "float64", "int32", "int64"]
ZFP = ["zfp-reversible", "zfp-accuracy=0.01", "zfp-precision=18"]
SHAPES = [(101,), (2,), (37, 100), (7, 13), (1, 9), (17, 33, 20), (31, 2, 9), (3, 5, 7), (16, 16, 16)]
"""Slowest first."""
LARGE = (17, 33, 20)
BOUND = 1e-3


def smooth(shape: tuple[int, ...], dtype: str, step: int = 0, components: int = 1) -> np.ndarray:
    """Waves that compress, in a range that all types can hold; different at each step and component."""
    position = sum((1 + axis) * index / 17 for axis, index in enumerate(np.indices(shape)))
    values = [50 + 40 * np.sin(position + step + 2 * c) for c in range(components)]
    array = np.stack(values, axis=-1) if components > 1 else values[0]
    return array.astype(dtype)


def true_errors(field: esker.Field, original: np.ndarray, step: int = -1) -> tuple[float, float]:
    difference = np.abs(field.read(step).astype("f8") - original.astype("f8"))
    return float(difference.max()), float(np.sqrt(np.mean(difference**2)))


def assert_bounds(field: esker.Field, original: np.ndarray, step: int = -1) -> None:
    """The recorded errors are not below the true ones, and not far above."""
    errors = field.errors(step)
    assert errors is not None
    for bound, true in zip(errors, true_errors(field, original, step)):
        assert true <= bound <= true * (1 + 1e-5)


def write_steps(path: Path, fields: dict[str, str], n_steps: int = 3, **options: Any) -> None:
    """`temp` and the vector `vel`, compressed as `fields` says; dims of LARGE."""
    sizes = dict(zip("xyz", reversed(LARGE)))
    options = {"report": "none", "bits_per_block": 9, **options}
    with esker.Writer(path, dims=sizes, **options) as w:
        w.field("temp", "f8", compression=fields.get("temp", ""))
        w.field("vel", "f4", components=3, compression=fields.get("vel", ""))
        put_steps(w, range(n_steps))


def put_steps(w: esker.Writer, steps: range) -> None:
    for step in steps:
        with w.step(10.0 * step) as s:
            s.put("temp", smooth(LARGE, "f8", step))
            s.put("vel", smooth(LARGE, "f4", step, 3))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Three steps of a lossy field and a lossless vector."""
    path = tmp_path / "run.idx"
    write_steps(path, {"temp": f"zfp-accuracy={BOUND}", "vel": "zfp-reversible"})
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# ---- OpenVisus ----


def read_by_openvisus(
    openvisus: Any, path: Path, shape: tuple[int, ...], fields: dict[str, tuple[str, int]], **options: Any
) -> list[dict[str, np.ndarray]]:
    """Writes two steps; OpenVisus must read every block, and the values that Esker reads. Returns these."""
    dims = dict(zip("zyx"[-len(shape) :], shape))
    with esker.Writer(path, dims=dict(reversed(dims.items())), report="none", **options) as w:
        for name, (dtype, components) in fields.items():
            w.field(name, dtype, components=components)
        for step in range(2):
            with w.step(step) as s:
                for name, (dtype, components) in fields.items():
                    s.put(name, smooth(shape, dtype, step, components))
    ds = esker.open(path, verify=True)
    found = [{name: ds[name].read(step) for name in fields} for step in range(2)]
    expect_equal_in_openvisus(openvisus, path, found)
    return found


def block_bits(shape: tuple[int, ...]) -> tuple[int, int]:
    """Small blocks, but not thousands of them, and Esker's choice."""
    return (5 if np.prod(shape) < 2000 else 9), 0


@pytest.mark.parametrize("codec, dtype", mostly_slow(LOSSLESS, lambda case: case[1] in ("float32", "uint8")))
def test_openvisus_reads_lossless_fields(openvisus: Any, tmp_path: Path, dtype: str, codec: str) -> None:
    fields = {"a": (dtype, 1), "b": (dtype, 3)}
    for shape in SHAPES:
        for bits in block_bits(shape):
            path = tmp_path / f"{'x'.join(map(str, shape))}-{bits}.idx"
            found = read_by_openvisus(
                openvisus, path, shape, fields, compression=codec, bits_per_block=bits, blocks_per_file=3
            )
            for step, arrays in enumerate(found):
                for name, (_, components) in fields.items():
                    np.testing.assert_array_equal(arrays[name], smooth(shape, dtype, step, components))


@pytest.mark.parametrize("codec", ZFP)
@pytest.mark.parametrize("dtype", mostly_slow(ZFP_TYPES, lambda dtype: dtype == "float32"))
def test_openvisus_reads_fields_of_zfp(openvisus: Any, tmp_path: Path, dtype: str, codec: str) -> None:
    fields = {"a": (dtype, 1), "b": (dtype, 3)}
    for shape in (shape for shape in SHAPES if len(shape) > 1):
        for bits in block_bits(shape):
            path = tmp_path / f"{'x'.join(map(str, shape))}-{bits}.idx"
            found = read_by_openvisus(
                openvisus, path, shape, fields, compression=codec, bits_per_block=bits, blocks_per_file=5
            )
            for step, arrays in enumerate(found):
                for name, (_, components) in fields.items():
                    off = np.abs(arrays[name] - smooth(shape, dtype, step, components).astype("f8")).max()
                    assert off <= {"zfp-reversible": 0, "zfp-accuracy=0.01": 0.01}.get(codec, 1 << 40)


def test_openvisus_reads_blocks_that_are_raw_again(openvisus: Any, tmp_path: Path) -> None:
    """Random samples do not shrink, and zfp cannot code NaN: such blocks are raw among compressed ones."""
    array = smooth(LARGE, "f8")
    array[:8, :8, :8] = np.random.default_rng(1).random((8, 8, 8))
    array[-1, -1, -1] = np.inf
    for codec in ("zip", "lz4", "zfp-accuracy=1e-3"):
        path = tmp_path / f"{codec}.idx"
        esker.write(path, {"a": array}, compression=codec, bits_per_block=6)
        stored = esker.open(path)["a"].read()
        assert np.isinf(stored[-1, -1, -1]) and np.abs(stored[:-1] - array[:-1]).max() <= 1e-3
        expect_equal_in_openvisus(openvisus, path, [{"a": stored}])


# ---- errors ----


def test_errors_are_bounds(run: Path) -> None:
    ds = esker.open(run)
    for step in range(3):
        assert_bounds(ds["temp"], smooth(LARGE, "f8", step), step)
        errors = ds["temp"].errors(step)
        assert isinstance(errors, esker.FieldErrors) and 0 < errors.rms < errors.largest <= BOUND
        assert ds["temp"].largest_errors[step] == errors.largest
    assert ds["temp"].errors() == ds["temp"].errors(2) == ds["temp"].errors(-1)
    assert ds["vel"].errors() is None and ds["vel"].largest_errors == []
    assert ds["temp"].compression == "zfp-accuracy=0.001" and ds["vel"].compression == "zfp-reversible"
    with pytest.raises(IndexError):
        ds["temp"].errors(3)


def test_errors_of_vectors_cover_all_components(tmp_path: Path) -> None:
    path = tmp_path / "run.idx"
    write_steps(path, {"vel": "zfp-precision=14"})
    ds = esker.open(path)
    for step in range(3):
        assert_bounds(ds["vel"], smooth(LARGE, "f4", step, 3), step)
    assert ds["temp"].compression == "none" and ds["temp"].errors() is None


def test_absent_and_fixed_fields(tmp_path: Path) -> None:
    path, array = tmp_path / "run.idx", smooth(LARGE, "f8")
    with esker.Writer(path, dims=dict(zip("xyz", reversed(LARGE))), report="none") as w:
        w.field("t", "f8", every=2, compression="zfp-accuracy=1e-3")
        w.field("still", "f8", fixed=True, compression="zfp-accuracy=1e-2")
        for step in range(3):
            with w.step(step) as s:
                if step % 2 == 0:
                    s.put("t", array)
                if step == 0:
                    s.put("still", array)
    ds = esker.open(path)
    assert_bounds(ds["still"], array)
    assert_bounds(ds["t"], array, 2)
    largest = ds["t"].largest_errors
    assert largest[0] == largest[2] > 0 and largest[1] == 0
    with pytest.raises(KeyError):
        ds["t"].errors(1)


def test_write_takes_a_codec_for_each_field(tmp_path: Path) -> None:
    path = tmp_path / "run.idx"
    arrays = {"a": smooth(LARGE, "f8"), "mask": smooth(LARGE, "u1"), "raw": smooth(LARGE, "f4")}
    esker.write(path, arrays, compression={"a": "zfp-accuracy=1e-3", "mask": "zip"})
    ds = esker.open(path)
    assert [ds[name].compression for name in arrays] == ["zfp-accuracy=1e-3", "zip", "none"]
    assert_bounds(ds["a"], arrays["a"])
    for name in ("mask", "raw"):
        np.testing.assert_array_equal(ds[name].read(), arrays[name])


def test_info_shows_codecs_and_errors(run: Path, esker_command: Any) -> None:
    facts = json.loads(esker_command("info", run, "--json").stdout)
    temp, vel = facts["fields"]
    assert temp["compression"] == "zfp-accuracy=0.001" and vel["compression"] == "zfp-reversible"
    assert temp["largest_error"] == max(esker.open(run)["temp"].largest_errors)
    assert vel["largest_error"] is None
    assert facts["storage"]["bytes"] < facts["storage"]["data_bytes"]
    text = esker_command("info", run).stdout
    assert "largest error" in text and "zfp-accuracy=0.001" in text and "× the samples" in text


# ---- verify against the original ----


def originals(folder: Path, form: str) -> Any:
    """What write_steps() wrote, in another form."""
    arrays = {
        "temp": np.stack([smooth(LARGE, "f8", step) for step in range(3)]),
        "vel": np.stack([smooth(LARGE, "f4", step, 3) for step in range(3)]),
    }
    if form == "arrays":
        return arrays
    if form == "npy":
        np.save(folder / "temp.npy", arrays["temp"].astype(">f8"))
        return folder / "temp.npy"
    path = folder / f"original.{form}"
    write_steps(path, {}, **({"format": "cdf5", "bits_per_block": None} if form == "nc" else {}))
    return path


@pytest.mark.parametrize("form", ["arrays", "npy", "nc", "idx"])
def test_verify_against(run: Path, tmp_path: Path, form: str, esker_command: Any) -> None:
    original = originals(tmp_path, form)
    found = esker.verify(run, against=original)
    assert found.good and found.findings == ()
    assert found.blocks_compared == (found.blocks if form != "npy" else found.blocks // 4)
    if form == "arrays":
        return
    done = esker_command("verify", run, "--against", original)
    assert done.returncode == 0 and f"{found.blocks_compared} of them compared" in done.stdout


def test_verify_against_names_the_block(run: Path, tmp_path: Path, esker_command: Any) -> None:
    array = np.stack([smooth(LARGE, "f8", step) for step in range(3)])
    array[1, 9, 20, 11] += 1.1 * BOUND + 1
    np.save(tmp_path / "temp.npy", array)
    done = esker_command("verify", run, "--against", tmp_path / "temp.npy", "--json")
    assert done.returncode == 1
    facts = json.loads(done.stdout)
    (finding,) = facts["findings"]
    assert "time_0001" in finding["path"]
    assert finding["text"].startswith("field 'temp', step 1, block ")
    assert esker_command("verify", run, "--against", tmp_path / "temp.npy").returncode == 1


def test_originals_that_do_not_fit(run: Path, tmp_path: Path) -> None:
    good = originals(tmp_path, "arrays")["temp"]
    for wrong, words in (
        (good[0], r"shape \(3, 17, 33, 20\)"),
        (good.astype("f4"), "type float64"),
        (good[:, ::-1, 1:], "shape"),
    ):
        with pytest.raises(ValueError, match=words):
            esker.verify(run, against={"temp": wrong})
    pytest.raises(KeyError, esker.verify, run, against={"pressure": good})
    np.save(tmp_path / "other.npy", good)
    with pytest.raises(ValueError, match=r"no field 'other'"):
        esker.verify(run, against=tmp_path / "other.npy")
    esker.write(tmp_path / "other.idx", {"pressure": good[0]})
    with pytest.raises(ValueError, match="no field and step"):
        esker.verify(run, against=tmp_path / "other.idx")
    esker.write(tmp_path / "run.nc", {"temp": good[0]})
    with pytest.raises(NotImplementedError, match="diff"):
        esker.verify(tmp_path / "run.nc", against=run)


# ---- tools ----


@pytest.mark.parametrize("how", ["missing", "edited"])
def test_rebuild_restores_the_index(run: Path, how: str, esker_command: Any) -> None:
    before = run.read_bytes()
    if how == "missing":
        run.unlink()
        arguments = ["--time", "0", "--time", "10", "--time", "20", "--bits-per-block", "9"]
    else:
        run.write_bytes(before.replace(b'"errors":{"temp":[', b'"errors":{"temp":[9', 1))
        arguments = ["--bits-per-block", "9"]
    done = esker_command("repair", run, "--rebuild", "--write", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert run.read_bytes() == before
    with esker.Writer.append(run, report="none") as w:
        put_steps(w, range(3, 4))
    whole = run.parent / "whole" / "run.idx"
    write_steps(whole, {"temp": f"zfp-accuracy={BOUND}", "vel": "zfp-reversible"}, 4)
    run.with_suffix(".idx.old").unlink(missing_ok=True)
    found = {name: data for name, data in files(run.parent).items() if not name.startswith("whole")}
    assert found == files(whole.parent)


def test_append_and_rewind_keep_the_errors(run: Path) -> None:
    errors = esker.open(run)["temp"].largest_errors
    with esker.Writer.append(run, report="none", compression="none") as w:
        w.rewind(10.0)
        put_steps(w, range(2, 5))
    ds = esker.open(run)
    assert ds["temp"].largest_errors[:3] == errors and len(ds["temp"].largest_errors) == 5
    assert_bounds(ds["temp"], smooth(LARGE, "f8", 4))
    assert esker.verify(run).good


def test_copies_are_the_same(run: Path, tmp_path: Path, esker_command: Any) -> None:
    errors = esker.open(run)["temp"].errors()
    assert esker_command("cp", run, tmp_path / "copy.idx").returncode == 0
    assert esker_command("mv", tmp_path / "copy.idx", tmp_path / "moved.idx").returncode == 0
    moved = tmp_path / "moved.idx"
    assert esker.open(moved)["temp"].errors() == errors
    assert esker.verify(moved).good
    assert esker_command("diff", run, moved).returncode == 0
    with esker.Writer.append(moved, report="none") as w:
        put_steps(w, range(3, 4))
    assert esker_command("diff", run, moved, "--json").returncode == 1


def test_diff_takes_the_bound_as_tolerance(run: Path, tmp_path: Path, esker_command: Any) -> None:
    write_steps(tmp_path / "raw.idx", {})
    assert esker_command("diff", run, tmp_path / "raw.idx").returncode == 1
    assert esker_command("diff", run, tmp_path / "raw.idx", "--atol", BOUND).returncode == 0


def test_convert_compresses(run: Path, tmp_path: Path, esker_command: Any) -> None:
    write_steps(tmp_path / "raw.nc", {}, format="cdf5", bits_per_block=None)
    done = esker_command(
        *("convert", tmp_path / "raw.nc", tmp_path / "out.idx", "--option", "bits_per_block=9"),
        *("--compression", "zip", "--compression", f"temp:zfp-accuracy={BOUND}"),
    )
    assert done.returncode == 0, done.stderr
    ds = esker.open(tmp_path / "out.idx")
    assert ds["temp"].compression == "zfp-accuracy=0.001" and ds["vel"].compression == "zip"
    assert ds["temp"].errors() == esker.open(run)["temp"].errors()
    assert esker.verify(tmp_path / "out.idx", against=tmp_path / "raw.nc").good
    unknown = esker_command("convert", tmp_path / "raw.nc", tmp_path / "no.idx", "--compression", "u:zip")
    assert unknown.returncode != 0 and "no field 'u'" in unknown.stderr
    done = esker_command("convert", run, tmp_path / "back.nc")
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(
        esker.open(tmp_path / "back.nc")["temp"].read(), esker.open(run)["temp"].read()
    )


def test_export_and_xarray(run: Path, tmp_path: Path, esker_command: Any) -> None:
    xr = pytest.importorskip("xarray")
    import esker.xarray  # noqa: F401

    stored = esker.open(run)["temp"].read()
    done = esker_command("export", run, "temp", "-o", tmp_path / "temp.npy")
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "temp.npy"), stored)
    with xr.open_dataset(run, engine="esker") as ds:
        np.testing.assert_array_equal(ds["temp"][-1], stored)
        ds.to_esker(
            tmp_path / "again.idx",
            compression="zip",
            encoding={"vel": {"compression": "none"}, "temp": {"compression": "zfp-precision=20"}},
        )
        pytest.raises(ValueError, ds.to_esker, tmp_path / "no.idx", encoding={"time": {"compression": "zip"}})
    again = esker.open(tmp_path / "again.idx")
    assert again["temp"].compression == "zfp-precision=20" and again["vel"].compression == "none"
    before = max(esker.open(run)["temp"].largest_errors)
    assert again["temp"].errors().largest == pytest.approx(
        before + true_errors(again["temp"], stored)[0], rel=1e-5
    )


def test_ranges_are_read_from_part_of_the_blocks(run: Path) -> None:
    field = esker.open(run)["temp"]
    whole = field.read()
    for level in range(field.max_level + 1):
        selection = field.select(level=level)
        grid = np.ix_(*(selection.indices(dim) for dim in selection.dims))
        np.testing.assert_array_equal(field.read(level=level), whole[grid])
    np.testing.assert_array_equal(field[-1, 3:9, 30:33, 5:6], whole[3:9, 30:33, 5:6])
