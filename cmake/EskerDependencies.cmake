# What Esker is made with. Libraries that its code links also stand in eskerConfig.cmake.in (a program that links the
# static library needs them), and all of them in packaging/spack; a test compares.
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zfp 1.0 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ESKER_LZ4 REQUIRED IMPORTED_TARGET liblz4)
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
