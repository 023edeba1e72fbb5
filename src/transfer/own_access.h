// Reads and writes boxes of arrays in a file by this rank alone. Local.
#pragma once

#include <span>
#include <vector>

#include "esker/types/status.hpp"
#include "store/store.h"
#include "transfer/file_array.h"

namespace esker {

/// Writes the samples of a patch, converted to the array's type: one write per contiguous part of the file,
/// in pieces of at most 1 MiB, which is the memory that it needs. `all_fit` is set to false if values did not
/// fit, and became the fill value.
Status write_alone(File& file, const FileArray& array, const Patch& patch, bool& all_fit);

/// Reads the samples of a patch, converted to its type. Parts of the file that lie close to each other are
/// read together, up to 1 MiB. `all_fit` is set to false if values do not fit in the patch's type; they
/// become `misfit`, one value of that type. Samples after the end of the file are zero.
Status read_alone(const File& file, const FileArray& array, const MutablePatch& patch,
                  std::span<const std::byte> misfit, bool& all_fit);

}  // namespace esker
