"""xarray's tests of backends, as far as they test what Esker stores: numbers and texts on named dimensions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import xarray as xr

import esker.xarray  # noqa: F401

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about marks in xarray's configuration
    from xarray.tests import test_backends
    from xarray.tests.test_backends import CFEncodedBase, create_test_data


def numbers_alone(*arguments: Any, **others: Any) -> xr.Dataset:
    """xarray's test data without the unused time."""
    return create_test_data(*arguments, **others).drop_vars(["time"])


@pytest.fixture(autouse=True)
def numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_backends, "create_test_data", numbers_alone)


TEXTS_ARE_STR = "texts are read as str, without an encoding"
MISSING_TEXTS = "missing texts are refused"
TYPES_OF_ATTRIBUTES = "attributes that are reals are float64"
LEFT_OUT = {
    "test_append_overwrite_values": "a dataset is written at once, steps apart",
    "test_append_with_invalid_dim_raises": "a dataset is written at once, steps apart",
    "test_append_write": "a dataset is written at once, steps apart",
    "test_encoding_kwarg": "about texts, too; what is unknown is refused",
    "test_encoding_kwarg_fixed_width_string": TEXTS_ARE_STR,
    "test_encoding_unlimited_dims": "the time is the dimension that can grow",
    "test_invalid_dataarray_names_raise": "a TypeError, in other words",
    "test_load_async": "needs a plugin of pytest",
    "test_roundtrip_None_variable": "names are texts",
    "test_roundtrip_bytes_with_fill_value": TEXTS_ARE_STR,
    "test_roundtrip_coordinates_with_space": "names have no spaces",
    "test_roundtrip_empty_vlen_string_array": "dimensions have a size",
    "test_roundtrip_object_dtype": "objects other than texts are refused",
    "test_roundtrip_string_encoded_characters": TEXTS_ARE_STR,
    "test_roundtrip_string_with_fill_value_nchar": "fill values of texts are stored",
    "test_roundtrip_stringdtype_nulls": MISSING_TEXTS,
    "test_roundtrip_timedelta_data_via_dtype": "needs fixtures of xarray's conftest.py",
    "test_string_object_warning": "texts need no warning",
    "test_vectorized_indexing_negative_step": "needs fixtures of xarray's conftest.py",
    "test_write_store": "the engine has no store",
    "test_zero_dimensional_variable": TEXTS_ARE_STR,
}


@pytest.fixture(autouse=True)
def left_out(request: pytest.FixtureRequest) -> None:
    name = request.node.originalname
    if name == "test_roundtrip_mask_and_scale" and request.node.callspec.params["dtype"] == "float32":
        pytest.skip(TYPES_OF_ATTRIBUTES)
    if name in LEFT_OUT:
        pytest.skip(LEFT_OUT[name])


@pytest.mark.filterwarnings("ignore")
class TestEskerBackend(CFEncodedBase):  # type: ignore[misc]
    engine = "esker"

    def save(self, dataset: Any, path: Any, **arguments: Any) -> None:
        dataset.to_esker(f"{path}.idx", overwrite=True, **arguments)

    @contextmanager
    def open(self, path: Any, **arguments: Any) -> Iterator[xr.Dataset]:
        with xr.open_dataset(f"{path}.idx", engine="esker", **arguments) as dataset:
            yield dataset
