"""esker.Writer in one process: written samples are read back, and errors keep earlier steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

DIMS = {"x": 7, "y": 5, "z": 3}
SHAPE = (3, 5, 7)
DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def ramp(dtype: str = "f4", shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return (np.arange(np.prod(shape)) % 101 + 1).reshape(shape).astype(dtype)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.idx"


def test_every_dtype(path: Path) -> None:
    with esker.Writer(path, dims=DIMS, report="none") as w:
        fields = {dtype: w.field(f"field_{dtype}", dtype) for dtype in DTYPES}
        with w.step(0) as s:
            for dtype, field in fields.items():
                s.put(field, ramp(dtype))
    ds = esker.open(path)
    for dtype in DTYPES:
        assert ds[f"field_{dtype}"].dtype == np.dtype(dtype)
        np.testing.assert_array_equal(ds[f"field_{dtype}"].read(), ramp(dtype))


def test_creating_an_idx_with_several_parts_names_the_directory(path: Path, capfd: Any) -> None:
    """A fixed field has a separate .idx; there is no message with `report="none"`, or with one grid."""
    for fixed, report in [(False, ""), (True, "none"), (True, "")]:
        with esker.Writer(path, dims=DIMS, overwrite=True, report=report) as w:
            w.field("temp", "f4")
            mask = w.field("mask", "u1", fixed=fixed)
            with w.step(0) as s:
                s.put("temp", ramp())
                s.put(mask, ramp("u1"))
        said = capfd.readouterr().err
        if not fixed or report:
            assert said == ""
            continue
        assert said.startswith("esker: note: the dataset run has several grids, fixed fields, or stored_bits")
        assert "is a directory, not run.idx: open run, or in other programs run/xyz_fixed.idx" in said
        named = said.strip().split("other programs ")[1].split(", ")
        assert len(named) == 2 and all((path.parent / name).is_file() for name in named)


def test_a_dataset_without_fields_has_steps_and_scalars(path: Path, capfd: Any) -> None:
    with esker.Writer(path, dims={}) as w:
        w.scalar("gravity", 9.81)
        with w.step(5.0):
            pass
    assert capfd.readouterr().err == ""
    ds = esker.open(path)
    assert ds.steps == [5.0] and not ds.fields and ds.scalars["gravity"].value == 9.81


def test_grids_fields_attributes_and_coordinates(path: Path) -> None:
    xs, ys = np.linspace(0, 3000, 7), np.arange(5.0)
    with esker.Writer(path, dims=DIMS, coords={"x": xs}, attrs={"title": "a run", "levels": [1, 2]}) as w:
        temp = w.field("temp", "f8", units="K", valid_range=np.array([0.0, 400.0]))
        xy = w.grid("xy", ("x", "y"), coords={"y": ys})
        topg = w.field("topg", "f4", grid=xy, fixed=True)
        mask = w.field("mask", "u1", grid=xy, every=2)
        vel = w.field("vel", "f4", components=3)
        assert (
            w.fields["temp"] == temp
            and w.field("vel") == vel
            and list(w.fields) == ["temp", "topg", "mask", "vel"]
        )
        assert (vel.components, topg.fixed, mask.every, topg.grid, temp.grid) == (3, True, 2, "xy", "xyz")
        for number in range(3):
            with w.step(time=10.0 * number) as s:
                s.put(temp, ramp("f8") + number)
                s.put("vel", ramp(shape=(*SHAPE, 3)))
                if number == 0:
                    s.put(topg, ramp(shape=(5, 7)))
                if number % 2 == 0:
                    s.put(mask, ramp("u1", (5, 7)))
        assert w.num_steps == 3
    ds = esker.open(path)
    assert ds.steps == [0, 10, 20] and ds["mask"].steps == [0, 20] and ds["topg"].fixed
    assert dict(ds.attrs) == {"title": "a run", "levels": [1, 2]}
    assert dict(ds["temp"].attrs) == {"units": "K", "valid_range": [0.0, 400.0]}
    np.testing.assert_array_equal(ds["topg"].coords("x"), xs)
    np.testing.assert_array_equal(ds["topg"].coords("y"), ys)
    np.testing.assert_array_equal(ds["temp"].coords("x"), xs)
    np.testing.assert_array_equal(ds["temp"].coords("y"), np.arange(5))
    np.testing.assert_array_equal(ds["temp"].read(step=1), ramp("f8") + 1)
    np.testing.assert_array_equal(ds["vel"].read(step=2), ramp(shape=(*SHAPE, 3)))
    assert ds["vel"].grid.name == "xyz" and list(ds["vel"].grid.dims) == ["z", "y", "x"]


def layouts() -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    """Different memory layouts of the same values."""

    def within(array: np.ndarray) -> np.ndarray:
        padded = np.full([n + 4 for n in array.shape], -1, array.dtype)
        inner = padded[tuple(slice(2, -2) for _ in array.shape)]
        inner[...] = array
        return inner

    def member(array: np.ndarray) -> np.ndarray:
        """Strides that are not multiples of the item size, at odd addresses."""
        records = np.zeros(array.shape, [("a", "i1"), ("b", array.dtype)])
        records["b"] = array
        return records["b"]

    def read_only(array: np.ndarray) -> np.ndarray:
        copy = array.copy()
        copy.flags.writeable = False
        return copy

    return {
        "fortran": np.asfortranarray,
        "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
        "every other": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
        "ghosts": within,
        "member": member,
        "read only": read_only,
        "broadcast": lambda a: a,
    }


@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize("components", [1, 2])
def test_arrays_of_any_strides(path: Path, layout: str, components: int) -> None:
    values = ramp("f8", (*SHAPE, components) if components > 1 else SHAPE)
    array = layouts()[layout](values)
    if layout == "broadcast":
        values = array = np.broadcast_to(values[:1], values.shape)
        assert 0 in array.strides
    np.testing.assert_array_equal(array, values)
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f8", components=components)
        with w.step(0) as s:
            s.put(field, array[:, :2], offset=(0, 0, 0))
            s.put(field, array[:, 2:], offset=(0, 2, 0))
            s.put(field, array[:, :0])  # nothing
    np.testing.assert_array_equal(esker.open(path)["a"].read(), values)


def test_arrays_are_kept_by_reference_until_the_step_ends(path: Path) -> None:
    array = ramp()
    references = sys.getrefcount(array)
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f4")
        with w.step(0) as s:
            s.put(field, array)
            assert sys.getrefcount(array) > references
            array[:] = 3  # before the data move, so this is what is written
        assert sys.getrefcount(array) == references
    np.testing.assert_array_equal(esker.open(path)["a"].read(), np.full(SHAPE, 3))


class Custom(Exception):
    pass


class Speechless(Exception):
    def __str__(self) -> str:
        raise NotImplementedError


def wrong_puts() -> dict[str, tuple[Callable[[], Any], type[Exception], str]]:
    return {
        "dtype": (lambda: (ramp("f8"), None), ValueError, "float32.*float64"),
        "bytes": (lambda: (ramp(">f4"), None), ValueError, "float32.*>f4"),
        "masked": (lambda: (np.ma.masked_equal(ramp(), 3), None), TypeError, "MaskedArray"),
        "list": (lambda: ([1.0], None), TypeError, "list"),
        "axes": (lambda: (ramp(shape=(5, 7)), (0, 0)), ValueError, "axes"),
        "offset": (lambda: (ramp(), (0, 0)), ValueError, "offset"),
        "offset of reals": (lambda: (ramp(), (0, 0, 0.5)), TypeError, "float"),
        "negative": (lambda: (ramp(), (0, 0, -1)), IndexError, "exceeds the grid"),
        "outside": (lambda: (ramp(), (1, 0, 0)), IndexError, "exceeds the grid"),
    }


@pytest.mark.parametrize("wrong", wrong_puts())
def test_a_wrong_put_fails_the_step_also_when_caught(path: Path, wrong: str) -> None:
    make, exception, words = wrong_puts()[wrong]
    array, offset = make()
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f4", units="m")
        with w.step(0) as s:
            s.put(field, ramp())
        with pytest.raises(exception, match=words), w.step(1) as s:
            s.put(field, array, offset)
        with pytest.raises(Exception, match=r"^(?!rank )"), w.step(1) as s:  # of one rank: it is not named
            with pytest.raises(exception, match=words):
                s.put(field, array, offset)
            s.put(field, ramp())
        with w.step(1) as s:
            s.put(field, ramp() + 1)
    ds = esker.open(path)
    assert ds.steps == [0, 1]
    np.testing.assert_array_equal(ds["a"].read(), ramp() + 1)
    assert esker.verify(path).good


def test_an_exception_in_a_step_discards_it(path: Path) -> None:
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f4")
        for error in (Custom("mine"), KeyboardInterrupt(), Speechless()):
            with pytest.raises(type(error)), w.step(0) as s:
                s.put(field, ramp())
                raise error
        with w.step(0) as s:
            s.put(field, ramp())
        with pytest.raises(ValueError, match="no rank put"), w.step(1):
            pass
    assert esker.open(path).steps == [0]


def test_an_exception_in_the_writer_keeps_what_is_committed(path: Path) -> None:
    with pytest.raises(Custom), esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f4")
        with w.step(0) as s:
            s.put(field, ramp())
        raise Custom
    assert esker.open(path).steps == [0]
    assert not path.with_name("run.esker-lock").exists()
    with pytest.raises(RuntimeError, match="closed"), w.step(1):
        pass


def test_steps_within_steps_are_refused(path: Path) -> None:
    with esker.Writer(path, dims=DIMS) as w:
        field = w.field("a", "f4")
        with pytest.raises(RuntimeError, match="still open"), w.step(0) as s:
            s.put(field, ramp())
            with w.step(1):
                pass
        with pytest.raises(ValueError, match="nan"), w.step(float("nan")):
            pass
        with w.step(0) as s:
            s.put(field, ramp())
        with pytest.raises(ValueError, match="does not follow"), w.step(0):
            pass
        with pytest.raises(RuntimeError, match="no step is open"):
            s.put(field, ramp())
        with pytest.raises(RuntimeError, match="no step is open"), w.step(1) as s:
            s.put(field, ramp())
        with w.step(1) as s:
            s.put(field, ramp())
    assert esker.open(path).steps == [0, 1]


def test_append_and_rewind_end_in_the_bytes_of_one_run(tmp_path: Path) -> None:
    def add(w: esker.Writer, numbers: range) -> None:
        for number in numbers:
            with w.step(number) as s:
                s.put("a", ramp() + number)

    def files(name: str) -> dict[str, bytes]:
        found = [tmp_path / name / "run.idx", *(tmp_path / name / "run").rglob("*.bin")]
        return {str(file.relative_to(tmp_path / name)): file.read_bytes() for file in found}

    for name in ("once", "twice"):
        (tmp_path / name).mkdir()
        with esker.Writer(tmp_path / name / "run.idx", dims=DIMS, report="none") as w:
            w.field("a", "f4")
            add(w, range(4 if name == "once" else 3))
    with esker.Writer.append(tmp_path / "twice" / "run.idx", report="none") as w:
        assert w.num_steps == 3 and list(w.fields) == ["a"]
        w.rewind(1)
        assert w.num_steps == 2
        with pytest.raises(KeyError, match="no field 'b'.*a"):
            w.field("b")
        add(w, range(2, 4))
    assert len(files("once")) > 4
    assert files("once") == files("twice")


def test_steps_are_stored_while_the_program_goes_on(path: Path) -> None:
    with esker.Writer(path, dims=DIMS, report="none") as w:
        w.field("a", "f4")
        for number in range(4):
            array = ramp() + number
            with w.step(number, wait=False) as s:
                s.put("a", array)
            array[:] = -1  # the memory is the program's again
            assert w.num_steps == number + 1
            assert len(esker.open(path).steps) == number
            if number == 2:
                w.flush()
                assert len(esker.open(path).steps) == 3
    ds = esker.open(path)
    assert all(np.array_equal(ds["a"].read(step=n), ramp() + n) for n in range(4))


def test_append_to_nothing(path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="run.idx"):
        esker.Writer.append(path)


def test_existing_datasets_are_overwritten_only_on_request(path: Path) -> None:
    for time in (1, 2):
        with esker.Writer(path, dims=DIMS, overwrite=time == 2) as w, w.step(time) as s:
            s.put(w.field("a", "f4"), ramp())  # fields may be defined until the first step ends
    assert esker.open(path).steps == [2]
    with pytest.raises(FileExistsError, match="run.idx"):
        esker.Writer(path, dims=DIMS)


def test_reports(path: Path) -> None:
    with esker.Writer(path, dims=DIMS, bits_per_block=9) as w:
        field = w.field("a", "f4")
        with w.step(5) as s:
            s.put(field, ramp())
        report = w.report()
        assert report["steps"][0]["time"] == 5 and report["steps"][0]["data_bytes"] == ramp().nbytes
        assert "step" in w.report_text()
    assert path.with_name("run.report.json").exists()


@pytest.mark.parametrize(
    "options, exception, words",
    [
        ({"format": "gif"}, ValueError, "format.*idx.*gif"),
        ({"bits_per_blok": 3}, ValueError, "did you mean 'bits_per_block'"),
        ({"bits_per_block": "many"}, ValueError, "many"),
        ({"compression": "zfp"}, ValueError, "zfp-reversible"),
        ({"comm": 3}, TypeError, "mpi4py"),
        ({"dims": {"x": 0}}, ValueError, "0"),
        ({"dims": {"x": 2.5}}, TypeError, "float"),
        ({"coords": {"w": [1.0]}}, ValueError, "'w'"),
        ({"attrs": {"a": object()}}, TypeError, "'a'"),
        ({"attrs": {"a": 1 << 64}}, TypeError, "'a'"),
    ],
)
def test_wrong_arguments_leave_nothing(
    path: Path, options: dict[str, Any], exception: type[Exception], words: str
) -> None:
    with pytest.raises(exception, match=words):
        esker.Writer(path, **{"dims": DIMS, **options})
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize(
    "define, exception, words",
    [
        (lambda w: w.field("a", "f2"), ValueError, "float16"),
        (lambda w: w.field("a", ">f4"), ValueError, "byte order"),
        (lambda w: w.field("a/b", "f4"), ValueError, "a/b"),
        (lambda w: w.field("a", "f4", components=0), ValueError, "components"),
        (lambda w: w.grid("g", ("x", "w")), ValueError, "'w'"),
        (lambda w: w.grid("g", "xy"), TypeError, "'xy'"),
        (lambda w: w.grid("g", ("x",), coords={"x": [1.0]}), ValueError, "7"),
        (lambda w: w.field("nope"), KeyError, "nope"),
    ],
)
def test_wrong_definitions(path: Path, define: Any, exception: type[Exception], words: str) -> None:
    with pytest.raises(exception, match=words), esker.Writer(path, dims=DIMS) as w:
        define(w)
    assert not list(path.parent.glob("*lock"))


def test_options_of_the_environment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ESKER_BITS_PER_BLOCK", "4")
    monkeypatch.setenv("ESKER_BLOCKS_PER_FILE", "2")
    with esker.Writer(path, dims=DIMS, blocks_per_file=3, in_block=None) as w, w.step(0) as s:
        s.put(w.field("a", "f4"), ramp())
    (part,) = esker.open(path).parts
    assert (part.bits_per_block, part.blocks_per_file) == (4, 3)


def test_coordinates_that_no_field_has_are_named(path: Path) -> None:
    with (
        pytest.warns(UserWarning, match="coords: no field has the dimension 'z'$"),
        esker.Writer(path, dims={"x": 4, "y": 3, "z": 2}, coords={"x": np.arange(4.0), "z": [0.0, 1.0]}) as w,
    ):
        v = w.field("v", "f4", grid=w.grid("xy", ("x", "y")))
        with w.step(0.0) as s:
            s.put(v, np.zeros((3, 4), "f4"))
    w.close()
    assert dict(esker.open(path)["v"].grid.coords).keys() == {"x"}


@pytest.mark.parametrize("given", ["f8", "i2", "u8", "f4"])
def test_buffered_arrays_are_converted_and_free_at_once(path: Path, given: str) -> None:
    vectors = ramp(given, (*SHAPE, 2))
    with esker.Writer(path, dims=DIMS, report="none") as w:
        a, v = w.field("a", "f4"), w.field("v", "i4", components=2)
        with w.step(0) as s:
            array = np.asfortranarray(ramp(given))
            s.put(a, array[:, ::-1, :], buffered=True)
            s.put(v, vectors, buffered=True)
            array[:] = vectors[:] = 0
        copied = w.report()["per_rank"]["copied_bytes"]["max"]
    assert copied == 3 * 5 * 7 * (4 + 8)
    ds = esker.open(path)
    np.testing.assert_array_equal(ds["a"].read(), ramp("f4")[:, ::-1, :])
    np.testing.assert_array_equal(ds["v"].read(), ramp("i4", (*SHAPE, 2)))


def test_errors_of_buffered_puts_are_named(path: Path) -> None:
    with esker.Writer(path, dims=DIMS, report="none", memory_budget="64K") as w:
        field, large = w.field("a", "u1", every=2), w.field("b", "f8", every=3)
        array = ramp("f8")
        array[1, 2, 3] = 256
        with pytest.raises(IndexError, match=r"sample \(3, 2, 1\) is 256, which uint8 cannot hold"), w.step(0) as s:
            s.put(field, array, buffered=True)
        with pytest.raises(ValueError, match=r"buffered=True or astype"), w.step(0) as s:
            s.put(field, array)
        with pytest.raises(MemoryError, match=r"set memory_budget to \d+ bytes"), w.step(0) as s:
            for _ in range(100):
                s.put(large, array, buffered=True)
        with w.step(0) as s:
            s.put(field, ramp("i8"), buffered=True)
            s.put(large, array, buffered=True)
    np.testing.assert_array_equal(esker.open(path)["b"].read(), array)


def test_broadcast_arrays_are_written_and_windows_that_slide_are_not(path: Path) -> None:
    with esker.Writer(path, dims=DIMS, report="none") as w:
        field = w.field("a", "f4")
        line = np.arange(7, dtype="f4")
        with w.step(0) as s:
            s.put(field, np.broadcast_to(line, SHAPE))
        with w.step(1) as s:
            s.put(field, np.broadcast_to(np.float32(3), SHAPE))
        windows = np.lib.stride_tricks.sliding_window_view(np.arange(11, dtype="f4"), 7)
        with pytest.raises(ValueError, match="share memory"), w.step(2) as s:
            s.put(field, np.broadcast_to(windows, SHAPE))
    ds = esker.open(path)
    np.testing.assert_array_equal(ds["a"].read(step=0), np.broadcast_to(line, SHAPE))
    assert (ds["a"].read(step=1) == 3).all()


def test_a_field_whose_attributes_are_refused_is_not_there(path: Path) -> None:
    with esker.Writer(path, dims=DIMS, report="none") as w:
        w.field("temp", "f4")
        with pytest.raises(TypeError):
            w.field("u", "f4", foo=[object()])
        with w.step(0) as s:
            s.put("temp", ramp())
    assert list(esker.open(path).fields) == ["temp"]
