"""Arrays of CuPy and PyTorch on a GPU, and of PyTorch on the host: put, and read(out=).

What is not installed, and packages for a GPU where there is none, are skipped by name. scripts/gpu.sh runs this.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import esker

SHAPE = (6, 40, 50)
DIMS = {"x": 50, "y": 40, "z": 6}
DTYPES = ["f4", "f8", "i2"]
N_CHANGES = 50
"""Kernels that are under way when an array is used."""


def imported(module: str, name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CuPy's about a missing toolkit
        try:
            return importlib.import_module(module)
        except ImportError as error:
            is_missing = isinstance(error, ModuleNotFoundError) and error.name == module
            pytest.skip(f"{name} is not installed" if is_missing else f"{name} cannot be imported: {error}")


class CuPy:
    def __init__(self) -> None:
        self.cupy = imported("cupy", "CuPy")
        try:
            n_devices = self.cupy.cuda.runtime.getDeviceCount()
        except self.cupy.cuda.runtime.CUDARuntimeError:
            n_devices = 0
        if n_devices == 0:
            pytest.skip("CuPy: no GPU here")

    def array(self, values: np.ndarray) -> Any:
        return self.cupy.asarray(values)

    def values(self, array: Any) -> np.ndarray:
        return self.cupy.asnumpy(array)

    def stream(self) -> AbstractContextManager[Any]:
        return self.cupy.cuda.Stream(non_blocking=True)


class PyTorch:
    def __init__(self, device: str = "cuda") -> None:
        self.torch, self.device = imported("torch", "PyTorch"), device
        if device == "cuda" and not self.torch.cuda.is_available():
            pytest.skip("PyTorch: no GPU here")

    def array(self, values: np.ndarray) -> Any:
        return self.torch.tensor(values, device=self.device)

    def values(self, array: Any) -> np.ndarray:
        return array.cpu().numpy()

    def stream(self) -> AbstractContextManager[Any]:
        return self.torch.cuda.stream(self.torch.cuda.Stream()) if self.device == "cuda" else nullcontext()


Package = CuPy | PyTorch
PACKAGES: dict[str, Callable[[], Package]] = {
    "CuPy": CuPy,
    "PyTorch": PyTorch,
    "PyTorch on the host": lambda: PyTorch("cpu"),
}


@pytest.fixture(params=PACKAGES)
def package(request: pytest.FixtureRequest) -> Package:
    return PACKAGES[request.param]()


def ramp(dtype: str = "f4", shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return (np.arange(np.prod(shape)) % 1009).reshape(shape).astype(dtype)


def whole(package: Package, values: np.ndarray) -> Any:
    return package.array(values)


def within_ghost_cells(package: Package, values: np.ndarray) -> Any:
    return package.array(np.pad(values, 2, constant_values=99))[2:-2, 2:-2, 2:-2]


def every_second(package: Package, values: np.ndarray) -> Any:
    return package.array(np.repeat(values, 2, axis=2))[:, :, ::2]


def transposed(package: Package, values: np.ndarray) -> Any:
    return package.array(values.swapaxes(0, 2).copy()).swapaxes(0, 2)


LAYOUTS = [whole, within_ghost_cells, every_second, transposed]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_put(
    package: Package, tmp_path: Path, dtype: str, layout: Callable[[Package, np.ndarray], Any]
) -> None:
    values = ramp(dtype)
    array = layout(package, values)
    with esker.Writer(tmp_path / "run.idx", dims=DIMS, report="none") as w:
        field = w.field("a", dtype)
        with w.step(0) as s:
            s.put(field, array[:, :15])
            s.put(field, array[:, 15:], offset=(0, 15, 0))
        with w.step(1) as s:
            s.put(field, array, buffered=True)
    for step in range(2):
        np.testing.assert_array_equal(esker.open(tmp_path / "run.idx")["a"].read(step), values)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_read(
    package: Package, tmp_path: Path, dtype: str, layout: Callable[[Package, np.ndarray], Any]
) -> None:
    values = ramp(dtype)
    esker.write(tmp_path / "run.idx", {"a": values})
    field, reader = esker.open(tmp_path / "run.idx")["a"], esker.Reader(tmp_path / "run.idx")
    out = layout(package, np.zeros_like(values))
    assert field.read(out=out) is out
    np.testing.assert_array_equal(package.values(out), values)

    box = ((5, 3, 1), (40, 31, 6))
    coarse = field.read(box=box, level=10)
    for read in (field.read, lambda box, level, out: reader.read({"a": box}, level=level, out={"a": out})):
        out = layout(package, np.zeros_like(coarse))
        read(box=box, level=10, out=out)
        np.testing.assert_array_equal(package.values(out), coarse)


def test_samples_are_those_after_what_the_stream_does(package: Package, tmp_path: Path) -> None:
    shape = (64, 256, 256)
    with esker.Writer(tmp_path / "run.idx", dims={"x": 256, "y": 256, "z": 64}, report="none") as w:
        field = w.field("a", "f4")
        array = package.array(np.zeros(shape, "f4"))
        for buffered in (False, True):
            with w.step(buffered) as s, package.stream():
                for _ in range(N_CHANGES):
                    array += 1
                s.put(field, array, buffered=buffered)
    read = esker.open(tmp_path / "run.idx")["a"].read
    assert (read(0) == N_CHANGES).all() and (read(1) == 2 * N_CHANGES).all()
    with package.stream():
        for _ in range(N_CHANGES):
            array += 1
        read(0, out=array)
        array += 1
        assert (package.values(array) == N_CHANGES + 1).all()


def test_wrong_arrays_are_refused(package: Package, tmp_path: Path) -> None:
    esker.write(tmp_path / "run.idx", {"a": ramp()})
    read = esker.open(tmp_path / "run.idx")["a"].read
    with pytest.raises(ValueError, match=r"read 'a': out: expected float32 of shape .*found float64"):
        read(out=package.array(ramp("f8")))
    with pytest.raises(ValueError, match=r"expected float32 of shape \(6, 40, 50\), found .*\(6, 40, 49\)"):
        read(out=package.array(ramp())[:, :, 1:])


def test_types_that_numpy_does_not_have_are_named(package: Package, tmp_path: Path) -> None:
    if not isinstance(package, PyTorch):
        pytest.skip("CuPy has no such types")
    array = package.array(ramp()).to(package.torch.bfloat16)
    with (
        pytest.raises(
            TypeError,
            match="put 'a': a Tensor (on a GPU whose type NumPy does not have|that NumPy cannot use)",
        ),
        esker.Writer(tmp_path / "run.idx", dims=DIMS) as w,
    ):
        field = w.field("a", "f4")
        with w.step(0) as s:
            s.put(field, array)
