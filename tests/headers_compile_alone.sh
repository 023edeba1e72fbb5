#!/usr/bin/env bash
# Every header compiles alone: it includes all that it needs.
#
#   tests/headers_compile_alone.sh COMPILER INCLUDE_DIRECTORY...     run in the root of the sources
#
# Headers that need mpi.h are left out: the MPI tests include them; those that need hdf5.h where there is none.
set -euo pipefail
compiler=$1
shift
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Werror -I.)
for directory in "$@"; do flags+=("-I$directory"); done
headers=$(find include src tests/support -name '*.h' -o -name '*.hpp' | grep -v -e 'src/comm/mpi/' -e 'esker/mpi\.hpp' -e 'esker_mpi\.h' -e '_fixture\.h')
if ! echo '#include <hdf5.h>' | "$compiler" "${flags[@]}" -x c++ - 2>/dev/null; then
  headers=$(grep -v 'src/format/hdf5/' <<<"$headers")
fi
[ "$(wc -l <<<"$headers")" -gt 50 ] || { echo "only these headers were found: $headers"; exit 1; }
xargs -P "$(nproc)" -I{} sh -c \
  'echo "#include \"{}\"" | "$@" -x c++ - || { echo "{} does not compile alone"; exit 255; }' \
  compile "$compiler" "${flags[@]}" <<<"$headers"

# The C interface in C99, too.
for header in include/esker/esker.h include/esker/types/export.h include/esker/version.h; do
  printf '#include "%s"\nextern int something;\n' "$header" | "$compiler" -x c -std=c99 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only \
    -I. -Iinclude - || { echo "$header is not C99"; exit 1; }
done
