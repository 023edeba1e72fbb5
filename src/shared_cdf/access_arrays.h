// Accesses as arrays and patches: what a transfer moves of the variables of a file.
//
// A fixed variable, or one record of a variable, is an array of the file. A variable with more than kMaxRank
// other dimensions is one for each index of the slowest of them. Values that are apart in the file are single
// patches.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/netcdf/cdf/header.h"
#include "shared_cdf/access.h"
#include "transfer/file_array.h"

namespace esker::cdf {

/// An array of a file. In the order of the file, if its fixed variables come before its records.
struct ArrayKey {
  Index record = -1;  ///< -1: of a fixed variable
  Index variable = 0;
  Index outer = 0;  ///< position among the arrays of the variable or record

  friend auto operator<=>(const ArrayKey&, const ArrayKey&) = default;
};

/// A box of such an array in the caller's memory.
struct KeyedPatch {
  ArrayKey key;
  Box box;
  Index first_byte = 0;  ///< of the caller's memory, from the value at Access::start on
  std::array<Index, kMaxRank> stride_bytes{};
  int access = 0;  ///< position in the list
};

/// kOutOfRange: an access leaves its variable; records may be beyond those that the file has.
/// kInvalidArgument: lists of a wrong length, negative counts, steps below 1, memory beyond 63 bits. Local,
/// pure.
Status check_access(const Header& header, const Access& access);

/// kOutOfRange: the version does not have that many records, or offsets would exceed 63 bits. Local, pure.
Status check_num_records(const Header& header, Index num_records);

/// The patches of accesses that passed check_access(), in their order. Local, pure.
std::vector<KeyedPatch> patches_of(const Header& header, std::span<const Access> accesses);

/// More patches of a rank would make a plan too large.
inline constexpr std::uint64_t kMostPlannedPatches = 4096;

/// How many patches accesses have, and the bytes of their values in the file. Not all are counted if the
/// patches are more than `most`. Local, pure; O(boxes).
struct PatchAmount {
  std::uint64_t patches = 0, bytes = 0;
};
PatchAmount amount_of(const Header& header, std::span<const Access> accesses, std::uint64_t most);

/// Where an array is, its type and fill value. `record_bytes`: header.record_bytes(), which walks all
/// variables.
FileArray array_of(const Header& header, Index record_bytes, const ArrayKey& key);

/// The type of values in memory or in a file; characters are uint8.
SampleType sample_type(Type type);

/// The number of records that a list of accesses needs: one more than the highest; 0 without records.
Index records_needed(const Header& header, std::span<const Access> accesses);

}  // namespace esker::cdf
