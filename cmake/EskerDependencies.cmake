# What Esker is made with. Libraries that its code links are also listed in eskerConfig.cmake.in (a program that links the
# static library needs them), and all of them in packaging/spack; a test compares.
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zfp 1.0 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ESKER_LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ESKER_ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(ESKER_XXHASH REQUIRED IMPORTED_TARGET libxxhash>=0.8)
# Some builds of it choose the fastest body for the processor at run time.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::ESKER_XXHASH)
check_cxx_source_compiles("#include <xxh_x86dispatch.h>
int main() { return static_cast<int>(XXH3_64bits_withSeed_dispatch(\"\", 0, 0)); }" ESKER_XXHASH_DISPATCH)
unset(CMAKE_REQUIRED_LIBRARIES)

# Only headers of these are used, so who links Esker needs neither.
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)

# NetCDF-4 files. Debian's name for the serial library comes first: its plain "hdf5" may be a parallel one, which would
# bring MPI with it, and is taken only by name. ESKER_HDF5_NAME: what was found.
set(ESKER_HDF5_NAME "")
set(ESKER_HDF5_FOUND FALSE)
if(ESKER_HDF5 STREQUAL AUTO)
  set(ESKER_HDF5_NAME hdf5-serial)
  pkg_check_modules(ESKER_HDF5 QUIET IMPORTED_TARGET hdf5-serial>=1.10.3)
  if(NOT ESKER_HDF5_FOUND)
    set(ESKER_HDF5_NAME hdf5)
    pkg_check_modules(ESKER_HDF5 QUIET IMPORTED_TARGET hdf5>=1.10.3)
  endif()
  if(ESKER_HDF5_FOUND)
    include(CheckSymbolExists)
    set(CMAKE_REQUIRED_INCLUDES ${ESKER_HDF5_INCLUDE_DIRS})
    check_symbol_exists(H5_HAVE_PARALLEL H5pubconf.h ESKER_HDF5_IS_PARALLEL)
    unset(CMAKE_REQUIRED_INCLUDES)
  endif()
  if(ESKER_HDF5_IS_PARALLEL)
    set(ESKER_HDF5_FOUND FALSE)
  endif()
elseif(ESKER_HDF5)
  set(ESKER_HDF5_NAME ${ESKER_HDF5})
  pkg_check_modules(ESKER_HDF5 REQUIRED IMPORTED_TARGET ${ESKER_HDF5}>=1.10.3)
endif()
if(NOT ESKER_HDF5_FOUND)
  set(ESKER_HDF5_NAME "")
  message(STATUS "Esker: no HDF5 library (Debian: libhdf5-dev), so HDF5 (NetCDF-4) files are neither written nor read")
endif()
