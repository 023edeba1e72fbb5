"""Spack's recipe for Esker. Its source is the clone that contains it (see packaging/spack/README.md).

Dependencies and their versions are those of cmake/EskerDependencies.cmake; tests/package/lists_agree.py compares.
"""

from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Esker(CMakePackage):
    """Parallel I/O for simulation codes: multiresolution datasets, readable at any resolution and without MPI."""

    git = Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("mpi", default=True, description="Build esker_mpi, for writing from the ranks of an MPI program")
    variant("hdf5", default=True, description="Write NetCDF-4 files")
    variant("shared", default=True, description="Build shared libraries")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("tomlplusplus@3.3:", type="build")
    depends_on("py-fypp", type="build")  # generates the Fortran module

    depends_on("fmt@9:")
    depends_on("isa-l")
    depends_on("c-blosc@1.16:")
    depends_on("lz4")
    depends_on("xxhash@0.8:")
    depends_on("zfp@1.0:")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("hdf5@1.10.3:", when="+hdf5")
    depends_on("mpi", when="+mpi")

    conflicts("%gcc@:11", msg="Esker needs C++20: gcc 12 or later")
    conflicts("%clang@:13", msg="Esker needs C++20: clang 14 or later")

    def cmake_args(self):
        return [
            self.define_from_variant("ESKER_MPI", "mpi"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("ESKER_HDF5", "hdf5" if self.spec.satisfies("+hdf5") else "OFF"),
            self.define("ESKER_TESTS", False),
            self.define("ESKER_MINIAPPS", False),
            self.define("ESKER_BENCH", False),
        ]
