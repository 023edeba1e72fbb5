"""Arrays of Zarr say where they are on a map: the conventions `spatial` and `proj`, for GDAL and QGIS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray as xr

import esker

X, Y = np.arange(60) * 5000.0 - 150e3, 2e6 - np.arange(40) * 5000.0
THK = np.arange(2400, dtype="f4").reshape(40, 60)
WKT = (
    'PROJCRS["polar",BASEGEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,'
    '298.257223563]]],CONVERSION["polar",METHOD["Polar Stereographic (variant B)"],'
    'PARAMETER["Latitude of standard parallel",70,ANGLEUNIT["degree",0.0174532925199433]],'
    'PARAMETER["Longitude of origin",-45,ANGLEUNIT["degree",0.0174532925199433]],'
    'PARAMETER["False easting",0,LENGTHUNIT["metre",1]],PARAMETER["False northing",0,LENGTHUNIT["metre",1]]],'
    'CS[Cartesian,2],AXIS["(E)",south,MERIDIAN[45,ANGLEUNIT["degree",0.0174532925199433]]],'
    'AXIS["(N)",south,MERIDIAN[135,ANGLEUNIT["degree",0.0174532925199433]]],LENGTHUNIT["metre",1],'
    'ID["EPSG",3413]]'
)
ATTRS = {
    "x": {"standard_name": "projection_x_coordinate", "units": "m"},
    "y": {"standard_name": "projection_y_coordinate", "units": "m"},
}


def put_step(w: esker.Writer, number: int) -> None:
    with w.step(float(number)) as step:
        step.put("thk", THK + np.float32(number))
        step.put("temp", np.full((3, 40, 60), number, "f8"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A map and a volume on the same x and y, in several chunks of a shard."""
    made = tmp_path / "run.zarr"
    how: dict[str, Any] = {"chunks": "16,16,1", "compression": "zstd", "report": "none"}
    dims, coords = {"x": 60, "y": 40, "z": 3}, {"x": X, "y": Y}
    with esker.Writer(made, dims=dims, coords=coords, attrs=ATTRS, **how) as w:
        w.scalar("crs", 0, {"grid_mapping_name": "polar_stereographic", "crs_wkt": WKT})
        w.field("thk", "f4", grid=w.grid("xy", ("x", "y")), grid_mapping="crs", units="m")
        w.field("temp", "f8", grid_mapping="crs")
        for number in range(2):
            put_step(w, number)
    return made


def arrays(path: Path) -> dict[str, dict[str, Any]]:
    """The metadata of all arrays, which are the same in the group and in the files of arrays."""
    of_group = json.loads((path / "zarr.json").read_text())["consolidated_metadata"]["metadata"]
    assert of_group == {name: json.loads((path / name / "zarr.json").read_text()) for name in of_group}
    return of_group


def test_arrays_are_on_a_map(path: Path) -> None:
    found = arrays(path)
    for name in ("thk", "temp"):
        attrs = found[name]["attributes"]
        assert attrs["spatial:dimensions"] == ["y", "x"] and attrs["spatial:shape"] == [40, 60]
        assert attrs["spatial:transform"] == [5000, 0, -152.5e3, 0, -5000, 2002.5e3]
        assert attrs["spatial:bbox"] == [-152.5e3, 1802.5e3, 147.5e3, 2002.5e3]
        assert attrs["proj:code"] == "EPSG:3413" and attrs["proj:wkt2"] == WKT
        assert attrs["grid_mapping"] == "crs"
    assert "zarr_conventions" not in found["x"]["attributes"] | found["crs"]["attributes"]


def test_the_conventions_are_followed(path: Path) -> None:
    spatial = pytest.importorskip("zarr_cm.spatial", reason="zarr-cm checks the attributes")
    proj = pytest.importorskip("zarr_cm.proj")
    metadata = arrays(path)["temp"]
    for convention in (spatial, proj):
        assert convention.detect(metadata["attributes"])
        convention.validate_array_metadata(metadata)
    metadata["attributes"]["spatial:shape"] = [40]
    with pytest.raises(ValueError):
        spatial.validate_array_metadata(metadata)


def test_a_writer_that_appends_keeps_them(path: Path) -> None:
    before = arrays(path)["thk"]["attributes"]
    with esker.Writer.append(path, report="none") as w:
        put_step(w, 2)
    assert arrays(path)["thk"]["attributes"] == before


def test_fields_do_not_have_them(path: Path) -> None:
    """They follow from the coordinates and the grid mapping, which all formats have."""
    assert dict(esker.open(path)["thk"].attrs) == {"grid_mapping": "crs", "units": "m"}


def test_xarray_writes_netcdf_without_the_list_of_conventions(path: Path, tmp_path: Path) -> None:
    """As docs/guide/zarr.md says: netCDF has no attributes of objects."""
    pytest.importorskip("zarr")
    with xr.open_zarr(path) as ds:
        with pytest.raises(TypeError, match="zarr_conventions"):
            ds.to_netcdf(tmp_path / "run.nc")
        for variable in ds.variables.values():
            variable.attrs.pop("zarr_conventions", None)
        ds.to_netcdf(tmp_path / "run.nc")
    with netCDF4.Dataset(tmp_path / "run.nc") as file:
        np.testing.assert_array_equal(file["thk"][1], THK + 1)


def test_gdal_reads_a_sharded_group(path: Path) -> None:
    # Of the wheels of 2026-11, rasterio's has GDAL 3.12, and that of GDAL 3.13 lacks the driver of Zarr.
    gdal = pytest.importorskip("osgeo.gdal", reason="no wheel has GDAL 3.13 with Zarr: install it by hand")
    version = int(gdal.VersionInfo())
    if version < 3_13_00_00 or gdal.GetDriverByName("Zarr") is None:
        pytest.skip(f"GDAL {version}: expected 3.13 or later, which reads shards, with the driver of Zarr")
    gdal.UseExceptions()
    array = gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER).GetRootGroup().OpenMDArray("thk")
    np.testing.assert_array_equal(array.ReadAsArray()[1], THK + 1)
    dataset = array.AsClassicDataset(2, 1)
    assert dataset.GetGeoTransform() == (-152.5e3, 5000, 0, 2002.5e3, 0, -5000)
    assert dataset.GetSpatialRef().GetAuthorityCode(None) == "3413"
