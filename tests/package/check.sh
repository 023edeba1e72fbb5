#!/usr/bin/env bash
# Tests of Esker as a package, each in a separate scratch directory.
#
#   tests/package/check.sh static       installs the build tree; programs outside the tree use the installation by CMake
#                                       and by pkg-config, and again after it was moved
#   tests/package/check.sh shared       the same with shared libraries, in a separate build tree; and their exported names
#   tests/package/check.sh system       programs use the libraries that are installed in /usr (tests/package/debian.sh)
#   tests/package/check.sh subproject   a project takes Esker by add_subdirectory: configured, and some of it compiled
#   tests/package/check.sh subproject_whole     the same, all of it, and run (minutes)
#   tests/package/check.sh compilers    both, by gcc and clang, with ESKER_UNITY on and off, and warnings as errors; the
#                                       library is compiled for each
#   tests/package/check.sh dist         a release archive holds the Fortran module, and needs no fypp
#
# The environment names the build (tests/package/CMakeLists.txt): PACKAGE_BUILD, PACKAGE_MPI, CC, CXX, MPICXX, MPIEXEC,
# MPI_SUFFIX; and FC, where there is a Fortran compiler.
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$tests/../.." && pwd)
work=$PACKAGE_BUILD/package/$1
components=
[ "$PACKAGE_MPI" = OFF ] || components=MPI
[ -z "${FC:-}" ] || components="$components;Fortran"

fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# run_programs DIRECTORY: writes and reads with the programs that were built there.
run_programs() {
  rm -rf "$work/data" && mkdir -p "$work/data/serial" "$work/data/mpi"
  "$1/write_read" "$work/data/serial/run.idx"
  if [ "$PACKAGE_MPI" = ON ]; then
    "$MPIEXEC" -n 2 "$1/write_mpi" "$work/data/mpi/run.idx"
    diff -r --exclude='*.report.json' "$work/data/serial" "$work/data/mpi"
  fi
  if [ -n "${FC:-}" ]; then
    mkdir "$work/data/fortran"
    "$1/write_read_f90" "$work/data/fortran/run.idx"
    diff -r --exclude='*.report.json' "$work/data/serial" "$work/data/fortran"
  fi
}

configure_consumer() {  # BUILD OPTION...
  cmake -G Ninja -S "$tests/consumer" -B "$@" >"$work/configure.log" 2>&1
}

use_by_cmake() {  # PREFIX
  rm -rf "$work/cmake"
  configure_consumer "$work/cmake" -DCMAKE_PREFIX_PATH="$1" -DCONSUMER_COMPONENTS="$components" ||
    { cat "$work/configure.log"; fail "find_package failed"; }
  cmake --build "$work/cmake"
  run_programs "$work/cmake"
}

# Static: what the archives need comes from the .pc files. Shared: the programs find the libraries by their rpath.
use_by_pkg_config() {  # PREFIX
  export PKG_CONFIG_PATH=$1/lib/pkgconfig
  local out=$work/pkg-config example flags=(-std=c++20 -Wall -Wextra -Werror "-Wl,-rpath,$1/lib")
  rm -rf "$out" && mkdir "$out"
  "$CXX" "${flags[@]}" "$tests/consumer/write_read.cc" -o "$out/write_read" $(pkg-config --cflags --libs esker)
  if [ "$PACKAGE_MPI" = ON ]; then
    "$MPICXX" "${flags[@]}" "$tests/consumer/write_mpi.cc" -o "$out/write_mpi" $(pkg-config --cflags --libs esker-mpi)
  fi
  for example in "$project"/examples/*.c; do
    if [ -e "$example" ] && ! grep -q '#include.*mpi[.]h' "$example"; then
      "$CC" -std=c99 "-Wl,-rpath,$1/lib" "$example" -o "$out/example" $(pkg-config --cflags --libs esker)
    fi
  done
  if [ -n "${FC:-}" ]; then
    "$FC" "-Wl,-rpath,$1/lib" -J "$out" "$(pkg-config --variable=fortran esker)" "$tests/consumer/write_read.f90" \
      -o "$out/write_read_f90" $(pkg-config --cflags --libs esker)
  fi
  run_programs "$out"
}

# guide_block PAGE LANGUAGE: the first block of that language in a page of the guide.
guide_block() {
  awk -v begin="\`\`\`$2" '$0 == begin { inside = 1; next } /^```$/ { if (inside) exit } inside' "$project/docs/guide/$1"
}

# The lines of the guide for CMake, pkg-config and plain Makefiles build the examples unchanged.
use_as_the_guide_says() {  # PREFIX
  local out=$work/guide page
  [ "$PACKAGE_MPI" = ON ] || return 0
  export PKG_CONFIG_PATH=$1/lib/pkgconfig
  rm -rf "$out"
  for page in install ${FC:+fortran}; do
    mkdir -p "$out/$page"
    guide_block "$page.md" cmake >"$out/$page/CMakeLists.txt"
    cp "$project/examples/write.cc" "$out/$page/model.cc"
    cp "$project/examples/read.cc" "$out/$page/read.cc"
    cp "$project/examples/write.f90" "$out/$page/model.f90"
    cmake -G Ninja -S "$out/$page" -B "$out/$page/build" -DCMAKE_PREFIX_PATH="$1" >"$out/$page/log" 2>&1 &&
      cmake --build "$out/$page/build" >>"$out/$page/log" 2>&1 ||
      { cat "$out/$page/log"; fail "the CMake lines of $page.md do not build the example"; }
    (cd "$out/$page" && "$MPIEXEC" -n 2 build/model) || fail "the program of $page.md does not run"
  done
  (
    cd "$out/install"
    grep -E '^    (mpicxx|g\+\+) ' "$project/docs/guide/install.md" | sed "s/mpicxx/${MPICXX//\//\\/}/" >by_hand.sh
    [ "$(wc -l <by_hand.sh)" = 2 ] && bash -eu by_hand.sh
    rm -rf model run run.*
    guide_block install.md make | sed "s|^ESKER = .*|ESKER = $1|; s|mpicxx|$MPICXX|" >Makefile
    make model && LD_LIBRARY_PATH=$1/lib "$MPIEXEC" -n 2 ./model  # for shared libraries, without an rpath
  ) || fail "the commands of install.md do not compile"
  [ -z "${FC:-}" ] || (
    cd "$out/fortran"
    grep -E '^    mpifort ' "$project/docs/guide/fortran.md" | sed "s|mpifort|mpifort$MPI_SUFFIX|" >by_hand.sh
    [ "$(wc -l <by_hand.sh)" = 1 ] && bash -eu by_hand.sh
  ) || fail "the command of fortran.md does not compile"
}

# refuses TEXT OPTION...: find_package fails and says so.
refuses() {
  local text=$1
  shift
  rm -rf "$work/refused"
  ! configure_consumer "$work/refused" "$@" || fail "find_package took what it must refuse: $*"
  tr -s ' \n' ' ' <"$work/configure.log" | grep -qF "$text" || { cat "$work/configure.log"; fail "not said: $text"; }
}

check_refusals() {  # PREFIX
  refuses "component 'HDF5'" -DCMAKE_PREFIX_PATH="$1" -DCONSUMER_COMPONENTS=HDF5
  refuses "needs the language" -DCMAKE_PREFIX_PATH="$1" -DCONSUMER_COMPONENTS=Fortran -DCONSUMER_WITHOUT_FORTRAN=ON
  refuses 'requested version "99.0"' -DCMAKE_PREFIX_PATH="$1" -DCONSUMER_VERSION=99.0
  [ "$PACKAGE_MPI" = ON ] || refuses "built without MPI" -DCMAKE_PREFIX_PATH="$1" -DCONSUMER_COMPONENTS=MPI
}

# Loading the module is enough for CMake and pkg-config, wherever the installation is; unloading it takes all back.
use_by_module() {  # PREFIX
  local modules=/usr/share/modules/init/bash
  [ -e "$modules" ] || fail "no $modules (Debian: environment-modules)"
  (
    unset CMAKE_PREFIX_PATH PKG_CONFIG_PATH
    set +u
    . "$modules"
    before=$LD_LIBRARY_PATH
    module use "$1/share/modulefiles" && module load esker
    [ "$(pkg-config --variable=includedir esker | xargs realpath)" = "$(realpath "$1/include")" ] &&
      [ "$CMAKE_PREFIX_PATH" = "$(realpath "$1")" ] && [[ $LD_LIBRARY_PATH == "$(realpath "$1")/lib"* ]] ||
      fail "the module does not lead to $1"
    module help esker 2>&1 | grep -q "Esker [0-9]" || fail "the module says nothing about itself"
    module unload esker
    [ "$LD_LIBRARY_PATH$CMAKE_PREFIX_PATH" = "$before" ] || fail "unloading the module leaves something"
  )
}

use_and_move() {  # PREFIX
  use_by_cmake "$1"
  use_by_pkg_config "$1"
  mv "$1" "$1-moved"
  ! grep -rlF "$1" "$1-moved" || fail "these files hold the path of the installation"
  use_by_cmake "$1-moved"
  use_by_pkg_config "$1-moved"
  use_by_module "$1-moved"
  use_as_the_guide_says "$1-moved"
  check_refusals "$1-moved"
}

# Every name that a shared library defines for others is in the namespace esker or in C begins with esker_, and is declared
# in a public header; the rest (V, W, u) is what compilers emit everywhere.
check_exports() {  # PREFIX
  local library names name
  for library in "$1"/lib/libesker*.so; do
    names=$(nm --dynamic --demangle --defined-only "$library" | sed -n 's/^[0-9a-f]* [TDBR] //p')
    [ -n "$names" ] || fail "$library exports nothing"
    while read -r name; do
      [[ "$name" != @(Comm|CallWatch) ]] || continue  # internal types that both libraries share
      grep -rqw "$name" "$1/include/esker" || fail "$library exports '$name', which no public header has"
    done < <(sed -E 's/^(typeinfo|vtable)( name)? for //; s/^esker::(\w+).*/\1/' <<<"$names" | sort -u)
  done
}

check_static() {
  cmake --install "$PACKAGE_BUILD" --prefix "$work/prefix" >"$work/install.log"
  use_and_move "$work/prefix"
}

# Next to the build tree, so that the paths relative to it, and with them ccache's objects, are the same.
check_shared() {
  local build=$PACKAGE_BUILD-shared
  cmake -G Ninja -S "$project" -B "$build" -DBUILD_SHARED_LIBS=ON -DESKER_MINIAPPS=OFF -DESKER_MPI="$PACKAGE_MPI" \
    -DMPI_EXECUTABLE_SUFFIX="$MPI_SUFFIX" -DCMAKE_BUILD_TYPE="$BUILD_TYPE" -DESKER_WERROR="$WERROR" >"$work/configure.log"
  cmake --build "$build" >"$work/build.log" || { cat "$work/build.log"; fail "the shared libraries were not built"; }
  cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
  [ -L "$work/prefix/lib/libesker.so" ] || fail "no libesker.so"
  check_exports "$work/prefix"
  use_and_move "$work/prefix"
}

check_system() {
  use_by_cmake /usr
  use_by_pkg_config /usr
  use_as_the_guide_says /usr
  check_refusals /usr
}

configure_subproject() {
  configure_consumer "$work/build" -DCONSUMER_ESKER_SOURCE="$project" -DCONSUMER_COMPONENTS="$components" \
    -DMPI_EXECUTABLE_SUFFIX="$MPI_SUFFIX" -DCMAKE_BUILD_TYPE=Debug || { cat "$work/configure.log"; fail "not configured"; }
}

# The programs' objects see the headers, a layer sees its own; nothing of Esker is installed or tested by the project.
check_subproject() {
  configure_subproject
  cmake --build "$work/build" --target CMakeFiles/write_read.dir/write_read.cc.o esker_base
  [ -z "$(cmake --install "$work/build" --prefix "$work/prefix" | grep Installing)" ] || fail "Esker installs itself"
  [ "$(cmake --build "$work/build" --target help | grep -c '^unit_')" = 0 ] || fail "Esker's tests are built"
}

check_subproject_whole() {
  configure_subproject
  cmake --build "$work/build"
  run_programs "$work/build"
}

# Not optimized, which is what takes most of the time: the presets compile the same sources with it.
check_compilers() {
  local cc cxx unity build
  cmake --install "$PACKAGE_BUILD" --prefix "$work/prefix" --component library >"$work/install.log"
  for cc in gcc clang-14; do
    cxx=${cc/gcc/g++}
    cxx=${cxx/clang/clang++}
    command -v "$cxx" >/dev/null || fail "no $cxx (Debian: clang-14)"
    build=$work/installed-$cc
    configure_consumer "$build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCONSUMER_COMPONENTS="${components%;Fortran}" \
      -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" || { cat "$work/configure.log"; fail "$cxx: not configured"; }
    cmake --build "$build" || fail "$cxx: a program does not compile with the installed library"
    for unity in ON OFF; do
      build=$work/source-$cc-$unity
      configure_consumer "$build" -DCONSUMER_ESKER_SOURCE="$project" -DCONSUMER_COMPONENTS="${components%;Fortran}" \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DMPI_EXECUTABLE_SUFFIX="$MPI_SUFFIX" \
        -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DESKER_UNITY=$unity -DESKER_WERROR=ON ||
        { cat "$work/configure.log"; fail "$cxx, ESKER_UNITY=$unity: not configured"; }
      cmake --build "$build" || fail "$cxx, ESKER_UNITY=$unity: Esker does not compile in another project"
    done
  done
}

# configure_archive OPTION...: the unpacked release archive, without fypp.
configure_archive() {
  rm -rf "$work/build"
  cmake -G Ninja -S "$work"/esker-* -B "$work/build" -DESKER_FYPP=OFF -DESKER_MPI=OFF -DESKER_TESTS=OFF \
    -DESKER_MINIAPPS=OFF "$@" >"$work/configure.log" 2>&1
}

compiles_fortran() { ninja -C "$work/build" -t query esker_fortran >"$work/query.log" 2>&1; }

check_dist() {
  local module=fortran/esker.f90
  cmake --build "$PACKAGE_BUILD" --target dist >"$work/dist.log" || { cat "$work/dist.log"; fail "no archive"; }
  tar -xzf "$PACKAGE_BUILD"/esker-*.tar.gz -C "$work"
  configure_archive || { cat "$work/configure.log"; fail "the archive cannot be configured without fypp"; }
  cmake --build "$work/build" --target esker_fortran_source >"$work/build.log"
  cmp "$PACKAGE_BUILD/$module" "$work/build/$module" || fail "the archive holds another Fortran module"
  mv "$work"/esker-*/"$module" "$work/module.f90"
  ! configure_archive -DESKER_FORTRAN=ON || fail "configured with ESKER_FORTRAN, but without the module"
  grep -q "ESKER_FORTRAN needs fypp" "$work/configure.log" || fail "not said: ESKER_FORTRAN needs fypp"
  configure_archive -DESKER_MINIAPPS=ON || fail "without the module, Esker for C++ cannot be configured"
  grep -q "no Fortran module, because" "$work/configure.log" || fail "not said: no Fortran module"
  ! compiles_fortran || fail "compiles a module that it does not have"
  mv "$work/module.f90" "$(dirname "$work"/esker-*/fortran/esker.fypp)/esker.f90"
  cmake "$work/build" >"$work/configure.log" && compiles_fortran || fail "does not compile a module that is found later"
}

rm -rf "$work"
mkdir -p "$work"
"check_$1"
