// PIDX' own header keys: chunks of samples, partitions, and PIDX features that are not read.
//
// They are kept in Header::other, as in the file; this file interprets them. Source: docs/formats/idx.md,
// section 10.
#pragma once

#include <optional>
#include <string>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
#include "formats/idx/header.h"

namespace esker::idx {

inline constexpr int kPidxAxes = 3;  ///< of chunks and of partitions

/// If (compression type) is 1 (raw chunks) or 2 (zfp), sets header.cells, and then header.bitmask to the
/// bitmask of the samples. kUnsupported: other types, big-endian samples, raw dumps and particles (neither is
/// stored in blocks), headers that describe chunks as samples. kDataLoss: a bit rate that is not a whole
/// number of bytes.
Status resolve_pidx(Header& header);

/// One .idx of a partitioned dataset, in local coordinates.
struct PidxPartition {
  Point offset{};                ///< position of its sample (0, 0, 0) in the complete dataset
  std::optional<Index> index{};  ///< the number in its file name
};

/// Number of partitions if this header describes a partitioned dataset: it has no blocks itself, they are in
/// name_0.idx ... All other headers give 1. kDataLoss: malformed numbers.
Result<Index> num_pidx_partitions(const Header& whole);

/// Absent if the header is not that of a partition. kDataLoss: malformed numbers.
Result<std::optional<PidxPartition>> pidx_partition(const Header& header);

/// Whether the offsets of this mode's partitions are known to be in local coordinates.
bool has_local_partitions(const Header& whole);

/// (filename_template), for `stem` as in parse_header. PIDX writes an absolute path, or one relative to the
/// working directory of the program, but always stores blocks in a directory next to the .idx with its name.
std::string pidx_filename_template(const Header& header, const std::string& stem);

}  // namespace esker::idx
