#include "grid/bitmask.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/error.h"
#include "base/macros.h"

namespace esker {

Bitmask::Bitmask(int rank, const std::vector<int>& digits)
    : rank_(rank), max_level_(static_cast<int>(digits.size())) {
  for (int position = 1; position <= max_level_; ++position) {
    const int axis = digits[position - 1];
    digits_[position - 1] = static_cast<std::int8_t>(axis);
    num_up_to_[position] = num_up_to_[position - 1];
    ++num_up_to_[position][axis];
  }
}

Result<Bitmask> Bitmask::parse(std::string_view text) {
  const std::string_view shown = text.substr(0, 80);  // masks come from files: no error of a megabyte
  if (text.starts_with('F')) {
    return error(Code::kUnsupported, "bitmask '{}': full-resolution blocks (F masks) are not supported",
                 shown);
  }
  if (!text.starts_with('V')) {
    return error(Code::kInvalidArgument, "bitmask '{}' does not begin with V", shown);
  }
  const std::size_t n_digits = text.size() - 1;
  if (n_digits < 1 || n_digits > kMaxLevel) {
    return error(Code::kInvalidArgument, "bitmask '{}' has {} digits, expected 1 to {}", shown, n_digits,
                 kMaxLevel);
  }
  std::vector<int> digits;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9')
      return error(Code::kInvalidArgument, "bitmask '{}': expected a digit, found '{}'", shown, c);
    digits.push_back(c - '0');
  }
  const int rank = *std::max_element(digits.begin(), digits.end()) + 1;
  if (rank > kMaxRank) {
    return error(Code::kUnsupported, "bitmask '{}' has {} axes; at most {} are supported", shown, rank,
                 kMaxRank);
  }
  return Bitmask(rank, digits);
}

/// Checks the extent and calls deal(halvings per axis, digits) to put the axes in order.
template <class Deal>
Result<std::vector<int>> make_digits(int rank, const Point& extent, const Deal& deal) {
  if (rank < 1 || rank > kMaxRank) {
    return error(Code::kInvalidArgument, "grid of {} axes, expected 1 to {}", rank, kMaxRank);
  }
  std::vector<int> digits;
  std::vector<int> halvings;
  for (int a = 0; a < rank; ++a) {
    if (extent[a] < 1)
      return error(Code::kInvalidArgument, "extent {} on axis {}, expected 1 or more", extent[a], a);
    if (extent[a] == 1) digits.push_back(a);
    halvings.push_back(std::bit_width(static_cast<std::uint64_t>(extent[a] - 1)));
  }
  deal(halvings, digits);
  if (digits.size() > kMaxLevel) {
    return error(Code::kInvalidArgument, "grid {} needs {} address bits; at most {} are supported",
                 Box::from_extent(rank, extent).to_string(), digits.size(), kMaxLevel);
  }
  return digits;
}

Result<Bitmask> Bitmask::for_extent(int rank, const Point& extent) {
  const auto in_turn = [&](const std::vector<int>& halvings, std::vector<int>& digits) {
    const int most = *std::max_element(halvings.begin(), halvings.end());
    for (int turn = 0; turn < most; ++turn) {
      for (int a = 0; a < rank; ++a) {
        if (halvings[a] > turn) digits.push_back(a);
      }
    }
  };
  ESKER_ASSIGN_OR_RETURN(const std::vector<int> digits, make_digits(rank, extent, in_turn));
  return Bitmask(rank, digits);
}

Result<Bitmask> Bitmask::longest_first(int rank, const Point& extent) {
  const auto longest_first = [&](const std::vector<int>& halvings, std::vector<int>& digits) {
    for (int left = *std::max_element(halvings.begin(), halvings.end()); left > 0; --left) {
      for (int a = 0; a < rank; ++a) {
        if (halvings[a] >= left) digits.push_back(a);
      }
    }
  };
  ESKER_ASSIGN_OR_RETURN(const std::vector<int> digits, make_digits(rank, extent, longest_first));
  return Bitmask(rank, digits);
}

Point Bitmask::pow2_sizes(int first, int last) const {
  Point sizes;
  for (int a = 0; a < kMaxRank; ++a) sizes[a] = Index{1} << num_digits(a, first, last);
  return sizes;
}

Box Bitmask::pow2_box() const { return Box::from_extent(rank_, pow2_sizes(1, max_level_)); }

std::string Bitmask::to_string() const {
  std::string text = "V";
  for (int position = 1; position <= max_level_; ++position) text += static_cast<char>('0' + digit(position));
  return text;
}

Lattice Bitmask::samples_up_to(int level) const {
  assert(0 <= level && level <= max_level_);
  return Lattice{.rank = rank_, .stride = pow2_sizes(level + 1, max_level_), .count = pow2_sizes(1, level)};
}

Lattice Bitmask::samples_new_at(int level) const {
  if (level == 0) return samples_up_to(0);
  assert(1 <= level && level <= max_level_);
  Lattice lattice{.rank = rank_, .stride = pow2_sizes(level, max_level_), .count = pow2_sizes(1, level - 1)};
  lattice.origin[digit(level)] = weight(level);
  return lattice;
}

}  // namespace esker
