"""The versions of the library, of the C ABI and of the records in files are those that docs/guide/versions.md names."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from conftest import ROOT

PAGE = ROOT / "docs" / "guide" / "versions.md"

CONSTANTS = {
    "the line `(esker)` of an `.idx`": ("src/formats/idx/commit_record.h", "kFormat"),
    "catalog of several grids, `run/esker.json`": ("src/formats/idx/catalog.h", "kFormat"),
    "schema, `run.schema.json`": ("src/format/schema_json.cc", "kSchemaFormat"),
    "outline, in netCDF files": ("src/formats/netcdf/model/outline.cc", "kOutlineFormat"),
    "list of the parts of a NetCDF-4 dataset": ("src/formats/netcdf/hdf5/parts.cc", "kFormat"),
    "series of VTKHDF files": ("src/formats/vtkhdf/series.h", "kFormat"),
    "attribute `esker` of a Zarr group": ("src/formats/zarr/metadata.h", "kFormat"),
    "measurements of `tune`": ("src/tune/knowledge.cc", "kFormat"),
}
"""Row of the page's table -> where the newest version of the record is defined."""


def test_the_page_lists_the_records_and_their_versions() -> None:
    rows = re.findall(r"^\| (.+?) \| \[.+?\]\(.+?\) \| (\d+) \|$", PAGE.read_text(), re.MULTILINE)
    defined = {}
    for row, (file, name) in CONSTANTS.items():
        found = re.search(rf"\b{name} = (\d+);", (ROOT / file).read_text())
        assert found, f"{file}: no constant {name}"
        defined[row] = found[1]
    assert dict(rows) == defined


def test_each_record_with_a_version_is_in_the_table() -> None:
    """A new record calls check_format, and has to be listed above."""
    layers = {Path(file).parts[1:-1] for file, _ in CONSTANTS.values()}
    for file in (ROOT / "src").rglob("*.cc"):
        if re.search(r"\bcheck_format\((?!const Json)", file.read_text()):
            assert file.relative_to(ROOT).parts[1:-1] in layers, file


def test_the_shared_library_is_named_by_major_and_minor_version() -> None:
    text = (ROOT / "cmake" / "EskerTargets.cmake").read_text()
    assert "SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}" in text
    version = re.search(r'ESKER_VERSION "(\d+\.\d+)\.', (ROOT / "include/esker/version.h").read_text())
    assert version and f"`libesker.so.{version[1]}`" in PAGE.read_text()


@pytest.fixture(scope="module")
def c_abi() -> ModuleType:
    for program in ("gcc", "abidw", "abidiff"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} (Debian: gcc abigail-tools)")
    spec = importlib.util.spec_from_file_location("c_abi", ROOT / "scripts" / "c_abi.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_c_abi_is_the_recorded_one() -> None:
    command = [sys.executable, ROOT / "scripts" / "c_abi.py", "compare"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + "allowed before a release: scripts/c_abi.py record"
    recorded = ROOT / "packaging" / "abi"
    assert sum(file.stat().st_size for file in recorded.iterdir()) < 200_000


def differences_after(c_abi: ModuleType, old: str, new: str, folder: Path) -> str:
    """What the comparison says of esker.h in which `old` is replaced by `new`."""
    include = folder / "include"
    c_abi.copy_headers(include, None)
    header = include / "esker" / "esker.h"
    text = header.read_text()
    assert text.count(old) == 1
    header.write_text(text.replace(old, new))
    recorded = c_abi.RECORDED / "esker_c.abi", c_abi.RECORDED / "constants.txt"
    return c_abi.differences(recorded, c_abi.make(include, folder))


VERSION = "ESKER_API const char* esker_version(void);"
TYPE_NAME = "ESKER_API const char* esker_type_name(esker_type type);"


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (TYPE_NAME, TYPE_NAME.replace("esker_type type", "int64_t type"), "esker_type_name"),
        (TYPE_NAME, TYPE_NAME.replace("type)", "type, int n)"), "esker_type_name"),
        (VERSION, VERSION.replace("const char*", "int"), "esker_version"),
        (VERSION, "", "esker_version"),
        ("ESKER_FLOAT64 = 9", "ESKER_FLOAT64 = 19", "constant changed or removed: ESKER_FLOAT64 = 9"),
    ],
    ids=["parameter", "one more parameter", "result", "removed", "constant"],
)
def test_a_change_of_the_c_abi_is_found(
    c_abi: ModuleType, tmp_path: Path, old: str, new: str, named: str
) -> None:
    assert named in differences_after(c_abi, old, new, tmp_path)


def test_new_functions_and_constants_are_allowed(c_abi: ModuleType, tmp_path: Path) -> None:
    new = f"{VERSION}\nenum {{ ESKER_NEW = 7 }};\nESKER_API int esker_new(esker_type type);"
    assert differences_after(c_abi, VERSION, new, tmp_path) == ""
