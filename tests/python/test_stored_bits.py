"""Fields with stored_bits: what is read, recorded, compared, converted, and what other programs see."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from test_compression import smooth

import esker
from esker.cli import esker as command

SHAPES = [(37, 100), (7, 13), (17, 33, 20), (3, 5, 7), (64, 64, 64)]
"""Slowest first."""


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_more_bits_are_closer(tmp_path: Path, shape: tuple[int, ...], dtype: str) -> None:
    values = smooth(shape, dtype) if dtype.startswith("f") else (smooth(shape, "f8") * 1e6).astype(dtype)
    esker.write(tmp_path / "run.idx", {"v": values}, stored_bits=32, bits_per_block=9)
    field = esker.open(tmp_path / "run.idx")["v"]
    assert field.stored_bits == 32 and field.compression == "none"
    found = [np.abs(field.read(bits=bits).astype("f8") - values).max() for bits in (4, 8, 16, 32)]
    assert found == sorted(found, reverse=True) and found[-1] < found[0]
    np.testing.assert_array_equal(field.read(), field.read(bits=32))
    errors = field.errors()
    assert errors is not None and errors.largest == errors.rms
    assert found[-1] <= errors.largest <= found[-1] * (1 + 1e-5)


def test_levels_boxes_and_strides_are_those_of_all_samples(tmp_path: Path) -> None:
    values = smooth((17, 33, 20), "f8")
    esker.write(tmp_path / "run.idx", {"v": values}, stored_bits=16, bits_per_block=9)
    field = esker.open(tmp_path / "run.idx")["v"]
    whole = field.read(bits=4)
    np.testing.assert_array_equal(field.read(bits=4, box=((3, 5, 1), (18, 30, 14))), whole[1:14, 5:30, 3:18])
    np.testing.assert_array_equal(field.read(bits=4, stride=(2, 3, 5)), whole[::5, ::3, ::2])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_that_become_infinite_are_a_warning(tmp_path: Path, dtype: str) -> None:
    checkered = np.where(np.indices((8, 8, 8)).sum(0) % 2, 1.0, -0.9) * np.finfo(dtype).max
    path, all_bits = tmp_path / "run.idx", 8 * np.dtype(dtype).itemsize
    with esker.Writer(path, dims={"x": 8, "y": 8, "z": 8}) as writer:
        bits_of = {"few": 1, "all": all_bits, "small": 1}
        fields = [writer.field(name, dtype, stored_bits=bits) for name, bits in bits_of.items()]
        for step in range(3):
            with writer.step(float(step)) as at:
                for field, values in zip(fields, (checkered if step else 0 * checkered, checkered, checkered / 1e6)):
                    at.put(field, values.astype(dtype))
    assert np.isinf(esker.open(path)["few"].read(step=1)).any()
    (warning,) = json.loads(path.with_suffix(".report.json").read_text())["warnings"]
    assert warning == (
        f"field 'few', from step 1: values near the largest of {dtype} are read as infinity; store more bits"
    )


def test_wrong_numbers_of_bits(tmp_path: Path) -> None:
    values = smooth((17, 33, 20), "f4")
    with pytest.raises(ValueError, match="expected 1, 2, 4, 8, 16 or 32 for float32"):
        esker.write(tmp_path / "run.idx", {"v": values}, stored_bits=64)
    esker.write(tmp_path / "run.idx", {"v": values, "w": values}, stored_bits={"v": 8})
    dataset = esker.open(tmp_path / "run.idx")
    for bits in (0, 9, -1):
        with pytest.raises(IndexError, match=f"{bits} bits requested, expected 1 to 8"):
            dataset["v"].read(bits=bits)
    with pytest.raises(ValueError, match="only fields written with stored_bits"):
        dataset["w"].read(bits=8)
    with pytest.raises(ValueError, match="stored_bits: no field 'z'; there are v"):
        esker.write(tmp_path / "other.idx", {"v": values}, stored_bits={"z": 8})


def test_openvisus_opens_the_other_fields_and_refuses_these(tmp_path: Path) -> None:
    openvisus = pytest.importorskip("OpenVisus")
    values = smooth((17, 33, 20), "f4")
    esker.write(tmp_path / "run.idx", {"bits": values, "plain": values}, stored_bits={"bits": 8})
    parts = {part.name: part for part in esker.open(tmp_path / "run.idx").parts}
    assert {part.name: tuple(part.fields) for part in parts.values()} == {
        "xyz": ("plain",),
        "xyz_cells": ("bits",),
    }
    found = openvisus.LoadDataset(parts["xyz"].path).read(field="plain")
    np.testing.assert_array_equal(found, values)
    with pytest.raises(Exception, match="."):  # noqa: B017: whatever OpenVisus throws
        openvisus.LoadDataset(parts["xyz_cells"].path).read(field="bits")


def test_verify_compares_with_the_original(tmp_path: Path) -> None:
    values = smooth((17, 33, 20), "f8")
    path = tmp_path / "run.idx"
    esker.write(path, {"v": values}, stored_bits=16, bits_per_block=9)
    report = esker.verify(path, against={"v": values})
    assert report.good and report.blocks_compared == report.blocks > 1
    other = values.copy()
    other[9, 20, 11] += 1
    findings = esker.verify(path, against={"v": other}).findings
    assert len(findings) == 1 and "differs from the original by up to" in findings[0].text


def test_convert_and_info(tmp_path: Path) -> None:
    values = smooth((17, 33, 20), "f8")
    esker.write(tmp_path / "raw.idx", {"v": values, "w": values})
    run("convert", str(tmp_path / "raw.idx"), str(tmp_path / "bits.idx"), "--stored-bits", "v:16")
    facts = json.loads(run("info", str(tmp_path / "bits.idx"), "--json"))
    assert {field["name"]: field["stored_bits"] for field in facts["fields"]} == {"v": 16, "w": None}
    assert "16 bits" in run("info", str(tmp_path / "bits.idx"))
    dataset = esker.open(tmp_path / "bits.idx")
    np.testing.assert_array_equal(dataset["w"].read(), values)
    run("convert", str(tmp_path / "bits.idx"), str(tmp_path / "back.nc"))
    np.testing.assert_array_equal(esker.open(tmp_path / "back.nc")["v"].read(), dataset["v"].read())


def test_appending_keeps_the_bits(tmp_path: Path) -> None:
    shape = (17, 33, 20)
    with esker.Writer(tmp_path / "run.idx", dims=dict(zip("xyz", reversed(shape)))) as w:
        w.field("v", "f8", stored_bits=16)
        with w.step(0.0) as s:
            s.put("v", smooth(shape, "f8", 0))
    with esker.Writer.append(tmp_path / "run.idx") as w, w.step(1.0) as s:
        s.put("v", smooth(shape, "f8", 1))
    field = esker.open(tmp_path / "run.idx")["v"]
    for step in (0, 1):
        errors = field.errors(step)
        assert errors is not None
        assert np.abs(field.read(step) - smooth(shape, "f8", step)).max() <= errors.largest


def test_a_lost_header_is_rebuilt(tmp_path: Path) -> None:
    values = smooth((17, 33, 20), "f8")
    path = tmp_path / "run.idx"
    esker.write(path, {"v": values}, stored_bits=16)
    before, text = esker.open(path)["v"].read(), path.read_text()
    path.unlink()
    run("repair", "--rebuild", "--write", str(path))
    assert path.read_text() == text
    np.testing.assert_array_equal(esker.open(path)["v"].read(), before)
