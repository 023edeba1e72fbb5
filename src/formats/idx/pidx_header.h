// PIDX' own keys: chunks of samples, partitions, and what of PIDX is not read.
//
// They stay among Header::other, as in the file; here is what they mean. Source: docs/formats/idx.md,
// section 10.
#pragma once

#include <optional>
#include <string>

#include "esker/box.hpp"
#include "esker/status.hpp"
#include "formats/idx/header.h"

namespace esker::idx {

inline constexpr int kChunkEdge = 4;  ///< samples on each of three axes
inline constexpr Index kChunkSamples = Index{kChunkEdge} * kChunkEdge * kChunkEdge;
inline constexpr int kChunkLevels = 6;  ///< levels inside a chunk: log2(kChunkSamples)

/// Sets header.chunks, and then header.bitmask to that of the samples, where (compression type) is 1 (raw
/// chunks) or 2 (zfp). kUnsupported: other types, big-endian samples, raw dumps and particles (both are no
/// blocks), headers that show chunks as samples. kDataLoss: a bit rate that is no whole number of bytes.
Status resolve_pidx(Header& header);

/// One .idx of a partitioned dataset, in coordinates of its own.
struct PidxPartition {
  Point offset{};                ///< of its sample (0, 0, 0) in the whole dataset
  std::optional<Index> index{};  ///< the number in its file name
};

/// Partitions that this header is the whole of: it has no blocks of its own, name_0.idx ... have them. 1 for
/// all other headers. kDataLoss: numbers that are none.
Result<Index> num_pidx_partitions(const Header& whole);

/// Absent if the header is not that of a partition. kDataLoss: numbers that are none.
Result<std::optional<PidxPartition>> pidx_partition(const Header& header);

/// Whether the offsets of this mode's partitions are known to be those of local coordinates.
bool has_local_partitions(const Header& whole);

/// (filename_template), for `stem` as in parse_header. PIDX writes it relative to where the program ran, or
/// absolute, but always stores blocks in a directory beside the .idx that has its name.
std::string pidx_filename_template(const Header& header, const std::string& stem);

}  // namespace esker::idx
