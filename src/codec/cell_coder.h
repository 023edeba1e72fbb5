// CellCoder: codes one cell after the other, and measures the error of what it coded.
//
//   CellCoder coder({SampleType::kFloat64, 3, 8});
//   if (!coder.encode(samples, {4, 4, 4}, coded)) ...   // not finite
//   coder.add_errors(samples, {4, 4, 4}, coded, errors);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/cells.h"
#include "codec/zfp_stream.h"

namespace esker {

/// Largest absolute errors, one per group of bits, as float32 rounded up.
using GroupErrors = std::array<float, kMaxBitGroups>;

/// Owns a stream of zfp: one object per thread. No function allocates.
class CellCoder {
 public:
  /// `form` is valid (check_cell_form). May throw.
  explicit CellCoder(const CellForm& form);

  [[nodiscard]] const CellForm& form() const { return form_; }
  /// Whether zfp can code the first count[a] samples of each axis of a cell: not if one is infinite or not a
  /// number, or an integer of which the highest two bits differ (zfp's transform would overflow).
  [[nodiscard]] bool can_code(const std::byte* samples, const Point& count) const;
  /// Codes a cell to form.coded_bytes(). `samples` are the complete cell, x fastest. Only the first count[a]
  /// samples of each axis are used; the others are replaced as zfp does at the end of an array. False, and
  /// nothing coded, unless can_code().
  [[nodiscard]] bool encode(const std::byte* samples, const Point& count, std::byte* coded);
  /// Decodes a cell with `b` bits per sample.
  void decode(const std::byte* coded, int b, std::byte* samples);
  /// Raises errors[g] to the largest absolute error of the first count[a] samples of each axis, if they are
  /// decoded from groups 0 ... g. Returns whether samples that are decoded from all groups are finite.
  bool add_errors(const std::byte* samples, const Point& count, const std::byte* coded, GroupErrors& errors);

 private:
  static constexpr std::size_t kMostBytes = 64 * 8;  // of a cell, coded or not

  void set_bits(int b);

  CellForm form_;
  ZfpStream stream_;
  std::vector<std::uint64_t> words_;  // with what zfp reads ahead; does not move with the object
  ZfpBits bits_;
  std::array<std::uint64_t, kMostBytes / 8> decoded_{};
};

}  // namespace esker
