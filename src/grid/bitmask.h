// Bitmask: the order in which a grid's axes are bisected, from the coarsest split to the finest.
//
//   Bitmask mask = Bitmask::for_extent(2, {100, 37}).value();   // "V0101010101010"
//
// It determines the multiresolution structure: Z and HZ addresses (hz.h), blocks (blocks.h). Source:
// docs/formats/idx.md, section 2.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"
#include "esker/types/status.hpp"

namespace esker {

inline constexpr int kMaxLevel = 62;  ///< maximum digits of a mask: addresses are 64 bit, signed

class Bitmask {
 public:
  Bitmask() = default;

  /// "V" followed by axis digits; position 1 is the first digit. The number of axes is the largest digit + 1.
  /// More than kMaxRank axes are kUnsupported; 1 ... kMaxLevel digits are allowed. "F..." masks are
  /// kUnsupported, anything else is kInvalidArgument.
  static Result<Bitmask> parse(std::string_view text);

  /// OpenVisus' choice for samples [0, extent): rounds each extent up to a power of two, then cycles over the
  /// axes x, y, z ..., appending a digit and halving that axis until all are 1. An axis of extent 1 gets one
  /// digit, first in the mask, so that shapes keep all their axes. Errors: kInvalidArgument for an extent < 1
  /// or more than kMaxLevel digits.
  static Result<Bitmask> for_extent(int rank, const Point& extent);
  /// The same digits in another order: first the extra digits of longer axes, then all axes in turn, down to
  /// the finest split, which is on the last axis longer than 1. Samples of every level thus have nearly the
  /// same distance on all axes, blocks are compact, and the finest levels keep complete rows of x. Errors as
  /// above.
  static Result<Bitmask> longest_first(int rank, const Point& extent);

  [[nodiscard]] int rank() const { return rank_; }
  /// Number of digits m, which is also the finest level.
  [[nodiscard]] int max_level() const { return max_level_; }
  /// Axis at position 1 ... max_level().
  [[nodiscard]] int digit(int position) const { return digits_[position - 1]; }
  /// How often `axis` occurs at positions first ... last (both ends; empty range: 0).
  [[nodiscard]] int num_digits(int axis, int first, int last) const {
    return first > last ? 0 : num_up_to_[last][axis] - num_up_to_[first - 1][axis];
  }
  /// 2^num_digits(axis, first, last) for all axes.
  [[nodiscard]] Point pow2_sizes(int first, int last) const;
  /// w(position) = 2^(occurrences of its axis at later positions): the coordinate offset of that split.
  [[nodiscard]] Index weight(int position) const {
    return Index{1} << num_digits(digit(position), position + 1, max_level_);
  }
  /// The power-of-two box [0, 2^digits) that the mask addresses.
  [[nodiscard]] Box pow2_box() const;
  /// "V0101..."
  [[nodiscard]] std::string to_string() const;

  /// Samples of all levels <= `level`: origin 0, stride S(level), over the complete pow2 box.
  [[nodiscard]] Lattice samples_up_to(int level) const;
  /// Samples that level `level` adds (level 0: the one sample at the origin).
  [[nodiscard]] Lattice samples_new_at(int level) const;

  friend bool operator==(const Bitmask& a, const Bitmask& b) {
    return a.max_level_ == b.max_level_ && a.rank_ == b.rank_ && a.digits_ == b.digits_;
  }

 private:
  Bitmask(int rank, const std::vector<int>& digits);

  int rank_ = 0;
  int max_level_ = 0;
  std::array<std::int8_t, kMaxLevel> digits_{};
  /// [i][axis]: occurrences of axis at positions 1 ... i.
  std::array<std::array<std::int8_t, kMaxRank>, kMaxLevel + 1> num_up_to_{};
};

}  // namespace esker
