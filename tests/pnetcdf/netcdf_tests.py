"""Builds netCDF-C's own tests of its PnetCDF dispatch from Debian's sources, and runs them with Esker's library."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

# What its configure finds; tests include it as config.h.
CONFIG = """
#define USE_PNETCDF 1
#define USE_PARALLEL 1
#define USE_NETCDF4 1
#define ENABLE_CDF5 1
#define USE_CDF5 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_UNISTD_H 1
#define HAVE_STDIO_H 1
#define HAVE_STDBOOL_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_FCNTL_H 1
#define ERANGE_FILL 1
#define SIZEOF_SIZE_T 8
#define SIZEOF_OFF_T 8
#define TEMP_LARGE "."
"""
#: As in its run_pnetcdf_tests.sh: ranks, program, arguments. Without nc_test, which expects that nc_abort() keeps records that
#: were not complete.
RUNS: tuple[tuple[int, str, str], ...] = (
    (1, "tst_pnetcdf", ""),
    (1, "tst_addvar", "tst_pnetcdf.nc"),
    (2, "tst_parallel2", ""),
    (4, "tst_parallel2", ""),
    (1, "t_nc", ""),
    (1, "tst_atts3", ""),
    (1, "tst_nofill", ""),
    (1, "tst_default_format_pnetcdf", ""),
    (1, "tst_small", ""),
    (1, "tst_formatx_pnetcdf", ""),
    (1, "tst_cdf5format", ""),
)


def run_netcdf_tests(build: Path, library: Path) -> int:
    """The number of errors, which are printed. `build`: build/pnetcdf; `library`: the directory of Esker's library."""
    source = next((build / "source").glob("netcdf-*/"), None)
    header = next(Path("/usr/lib").glob("*/netcdf/pnetcdf/include"), None)
    if source is None or header is None:
        print("skipped: netCDF-C's tests, which need its sources and libnetcdf-pnetcdf-dev")
        return 0
    output = build / "netcdf"
    output.mkdir(exist_ok=True)
    (output / "config.h").write_text(CONFIG, encoding="ascii")
    for name in {name for _, name, _ in RUNS}:
        command = ["mpicc.openmpi", "-w", "-DHAVE_CONFIG_H", "-D_GNU_SOURCE"]
        command += [f"-I{folder}" for folder in (output, header, source / "nc_test", source / "include")]
        command += [str(source / f"nc_test/{name}.c"), "-o", str(output / name), "-lnetcdf_pnetcdf", "-lpnetcdf", "-lm"]
        subprocess.run(command, check=True)
    wrong = 0
    environment = dict(os.environ) | {"LD_LIBRARY_PATH": str(library)}
    with tempfile.TemporaryDirectory(prefix="netcdf") as folder:  # the second reads a file of the first
        for ranks, name, argument in RUNS:
            command = ["mpiexec.openmpi", "-n", str(ranks), str(output / name), *argument.split()]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"error: netCDF-C: {name} on {ranks} ranks: {(done.stdout + done.stderr)[:500]}")
                wrong += 1
    print(f"netCDF-C: {len(RUNS) - wrong} of {len(RUNS)} runs of its tests pass")
    return wrong
