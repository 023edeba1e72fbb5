// Cells: 4 samples along each of 2 or 3 axes, coded by zfp with a fixed number of bits, and their bits in
// groups.
//
// The stream of a cell is embedded: its first b * 16 (b * 64) bits are the stream of the same cell with b
// bits per sample. So the bits of many cells can be put in groups: first those that 1 bit per sample needs,
// of all cells, then those that 2, 4 ... bits need in addition. A prefix of the groups decodes to all samples
// with fewer bits.
//
//   group  bits per sample up to here  bytes of a cell (3 axes; 2 axes: a quarter)
//   0      1                           8
//   1      2                           8
//   2      4                           16
//   g      2^g                         4 * 2^g
//
// Source: docs/formats/idx.md, sections 10 and 13; P. Lindstrom, Fixed-Rate Compressed Floating-Point Arrays,
// 2014.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/sample_type.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Cells of any number of bits, one after the other, without padding between them.
struct FixedRate {
  SampleType type = SampleType::kFloat32;
  int rank = 3;           ///< 2 or 3
  int bits_per_cell = 0;  ///< a multiple of 8
};

/// kUnsupported for types that zfp does not code, and for rates that zfp cannot keep (too few bits for an
/// exponent, or more than the samples have).
Status check_fixed_rate(const FixedRate& rate);
/// `cells` are complete cells, x fastest in each. Deterministic for one version of zfp.
Result<std::vector<std::byte>> encode_fixed_rate(const FixedRate& rate, std::span<const std::byte> cells);
/// kDataLoss unless `stored` holds exactly as many cells as `cells` has room for.
Status decode_fixed_rate(const FixedRate& rate, std::span<const std::byte> stored,
                         std::span<std::byte> cells);

inline constexpr int kMaxBitGroups = 7;  ///< 1, 2, 4 ... 64 bits

/// The form of the cells of a field: R bits per sample, where R is a power of two.
struct CellForm {
  SampleType type = SampleType::kFloat32;
  int rank = 3;  ///< 2 or 3
  int bits = 0;  ///< R

  [[nodiscard]] Index num_samples() const { return Index{1} << (2 * rank); }
  [[nodiscard]] Index sample_bytes() const { return num_samples() * size_bytes(type); }  ///< decoded
  /// Coded bytes of a cell, if only `b` bits per sample are used.
  [[nodiscard]] Index bytes_at(int b) const { return num_samples() * b / 8; }
  [[nodiscard]] Index coded_bytes() const { return bytes_at(bits); }
  [[nodiscard]] FixedRate rate_at(int b) const { return {type, rank, static_cast<int>(num_samples()) * b}; }
  [[nodiscard]] int num_groups() const { return groups_for(bits); }
  /// The number of groups that hold `b` bits per sample, 1 <= b <= bits.
  [[nodiscard]] static int groups_for(int b);
  /// Bytes of a cell in the groups before group `g`.
  [[nodiscard]] Index bytes_before(int g) const { return g == 0 ? 0 : bytes_at(1 << (g - 1)); }

  friend bool operator==(const CellForm&, const CellForm&) = default;
};

/// kInvalidArgument unless the rate is a power of two up to the bits of the type (the message lists them),
/// the type is float32, float64, int32 or int64, and the grid has 2 or 3 axes. All of these are legal for
/// zfp: the smallest cell has 16 bits, the longest exponent 12.
Status check_cell_form(const CellForm& form);

/// Bytes of the groups of `num_cells` cells that hold `b` bits per sample: a prefix of the block.
Index prefix_bytes(const CellForm& form, Index num_cells, int b);
/// The bytes of group `g` in a block of `num_cells` cells.
struct GroupBytes {
  Index first = 0, last = 0;  ///< [first, last)
};
GroupBytes group_bytes(const CellForm& form, Index num_cells, int g);

/// Rearranges coded cells: from one after the other to groups. Both have prefix_bytes(form, n, form.bits).
void split_into_groups(const CellForm& form, std::span<const std::byte> cells, std::span<std::byte> groups);
/// Decodes `num_cells` cells from a prefix of their groups with `b` bits per sample. kDataLoss unless
/// `groups` has prefix_bytes(form, num_cells, b). `samples` has num_cells * form.sample_bytes().
Status decode_groups(const CellForm& form, Index num_cells, int b, std::span<const std::byte> groups,
                     std::span<std::byte> samples);

}  // namespace esker
