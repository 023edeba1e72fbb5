#include "shared_cdf/access_arrays.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/model/fill.h"
#include "formats/netcdf/model/values.h"

namespace esker::cdf {
namespace {

/// The dimensions of a variable: of records, of its arrays one by one, and of each array; slowest first.
struct Shape {
  bool has_records = false;
  std::size_t first_of_array =
      0;  // the dimensions before it and after that of records have one array per index
  std::vector<Index> lengths;
  std::uint64_t value_bytes;

  Shape(const Header& header, const Variable& variable)
      : has_records(header.is_record(variable)),
        value_bytes(static_cast<std::uint64_t>(netcdf::size_bytes(variable.type))) {
    for (const int dim : variable.dims) lengths.push_back(header.dims[static_cast<std::size_t>(dim)].length);
    const std::size_t first = has_records ? 1 : 0;
    const std::size_t inner = std::min<std::size_t>(lengths.size() - first, kMaxRank);
    first_of_array = lengths.size() - inner;
  }
  [[nodiscard]] int rank() const { return static_cast<int>(lengths.size() - first_of_array); }
};

Index step_of(const Access& access, std::size_t dim) { return access.step.empty() ? 1 : access.step[dim]; }

/// The bytes that the values of a box reach in memory; nothing if they do not fit in 63 bits.
std::optional<Index> memory_bytes(const Access& access, const AccessBox& box) {
  std::optional<Index> bytes = size_bytes(access.memory_type);
  for (std::size_t d = 0; d < box.count.size() && bytes; ++d) {
    if (access.map_bytes.empty()) {
      bytes = checked_mul(*bytes, box.count[d]);
      continue;
    }
    if (access.map_bytes[d] == std::numeric_limits<Index>::min()) return std::nullopt;
    const auto reach = checked_mul(box.count[d], std::abs(access.map_bytes[d]));
    bytes = reach ? checked_add(*bytes, *reach) : std::nullopt;
  }
  return bytes;
}

/// Bytes between values in memory along each dimension.
std::vector<Index> memory_strides(const Access& access, const AccessBox& box) {
  if (!access.map_bytes.empty()) return access.map_bytes;
  std::vector<Index> strides(box.count.size());
  Index bytes = size_bytes(access.memory_type);
  for (std::size_t d = strides.size(); d-- > 0;) {
    strides[d] = bytes;
    bytes *= box.count[d];
  }
  return strides;
}

/// Calls visit(position) for the positions [0, count) of some dimensions, the last one fastest; once if there
/// are none.
template <class Visit>
void for_each_position(const std::vector<Index>& counts, const Visit& visit) {
  std::vector<Index> at(counts.size());
  while (true) {
    visit(at);
    std::size_t d = counts.size();
    while (d > 0 && ++at[d - 1] == counts[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

/// The patches of one access.
class Cutter {
 public:
  Cutter(const Header& header, const Access& access, int number, std::vector<KeyedPatch>& patches)
      : access_(access),
        shape_(header, header.variables[static_cast<std::size_t>(access.variable)]),
        number_(number),
        patches_(patches) {}

  void cut() {
    const std::size_t n_dims = shape_.lengths.size();
    for (std::size_t b = 0; b < access_.num_boxes(n_dims); ++b) {
      box_ = access_.box(b, n_dims);
      if (!box_.has_values()) continue;
      strides_ = memory_strides(access_, box_);
      for_each_position(single_counts(), [&](const std::vector<Index>& at) { add(at); });
      box_first_byte_ += *memory_bytes(access_, box_);
    }
  }

  /// Adds the patches and bytes of all boxes, until there are more than `most` patches.
  void count(PatchAmount& amount, std::uint64_t most) {
    const std::size_t n_dims = shape_.lengths.size();
    for (std::size_t b = 0; b < access_.num_boxes(n_dims) && amount.patches <= most; ++b) {
      box_ = access_.box(b, n_dims);
      if (!box_.has_values()) continue;
      std::uint64_t patches = 1, bytes = shape_.value_bytes;
      for (const Index n : single_counts()) {
        patches = static_cast<std::uint64_t>(n) <= most / patches ? patches * static_cast<std::uint64_t>(n)
                                                                  : most + 1;
      }
      for (const Index n : box_.count) bytes *= static_cast<std::uint64_t>(n);
      amount.patches += patches;
      amount.bytes += bytes;
    }
  }

 private:
  /// The counts of the dimensions that are cut to single indices; sets `singles_`.
  std::vector<Index> single_counts() {
    std::vector<Index> counts;
    singles_.clear();
    for (std::size_t d = 0; d < box_.count.size(); ++d) {
      const bool is_apart = d < shape_.first_of_array || (step_of(access_, d) > 1 && box_.count[d] > 1);
      singles_.push_back(is_apart);
      if (is_apart) counts.push_back(box_.count[d]);
    }
    return counts;
  }

  void add(const std::vector<Index>& at) {
    KeyedPatch patch;
    patch.access = number_;
    patch.first_byte = box_first_byte_;
    patch.key.variable = access_.variable;
    patch.box.rank = std::max(shape_.rank(), 1);
    std::size_t next = 0;
    for (std::size_t d = 0; d < singles_.size(); ++d) {
      const Index position = singles_[d] ? at[next++] : 0;
      const Index index = box_.start[d] + position * step_of(access_, d);
      patch.first_byte += position * strides_[d];
      if (shape_.has_records && d == 0) {
        patch.key.record = index;
      } else if (d < shape_.first_of_array) {
        patch.key.outer = patch.key.outer * shape_.lengths[d] + index;
      } else {
        const std::size_t axis = singles_.size() - 1 - d;
        patch.box.lo[axis] = index;
        patch.box.hi[axis] = index + (singles_[d] ? 1 : box_.count[d]);
        patch.stride_bytes[axis] = strides_[d];
      }
    }
    patches_.push_back(patch);
  }

  const Access& access_;
  Shape shape_;
  int number_;
  std::vector<KeyedPatch>& patches_;
  // Of one box:
  AccessBox box_;
  Index box_first_byte_ = 0;
  std::vector<Index> strides_;
  std::vector<bool> singles_;
};

/// Whether a box is in a variable; records may be beyond those that the file has.
Status check_box(const Header& header, const Variable& variable, const Access& access, const AccessBox& box) {
  for (std::size_t d = 0; d < box.count.size(); ++d) {
    const Index start = box.start[d], count = box.count[d], step = step_of(access, d);
    if (count < 0 || step < 1) {
      return error(Code::kInvalidArgument, "variable '{}', dimension {}: count {}, step {}", variable.name, d,
                   count, step);
    }
    const Index length = header.dims[static_cast<std::size_t>(variable.dims[d])].length;
    const bool is_record = d == 0 && header.is_record(variable);
    const Index most = is_record ? std::numeric_limits<Index>::max() : length;
    if (start >= 0 && start <= most &&
        (count == 0 || (count - 1 <= (most - 1 - start) / step && start < most)))
      continue;
    return error(Code::kOutOfRange,
                 "variable '{}', dimension {} of length {}: start {}, count {}, step {} leave it",
                 variable.name, d, length, start, count, step);
  }
  return {};
}

}  // namespace

Status check_access(const Header& header, const Access& access) {
  if (access.variable < 0 || access.variable >= std::ssize(header.variables)) {
    return error(Code::kNotFound, "variable {} does not exist", access.variable);
  }
  const Variable& variable = header.variables[static_cast<std::size_t>(access.variable)];
  const std::size_t n = variable.dims.size();
  const auto fits = [&](const std::vector<Index>& list) { return list.size() == n || list.empty(); };
  const std::size_t n_boxes = access.num_boxes(n);
  const bool has_boxes = access.start.size() == n_boxes * n && (n_boxes == 1 || access.map_bytes.empty());
  if (!has_boxes || access.count.size() != access.start.size() || !fits(access.step) ||
      !fits(access.map_bytes)) {
    return error(Code::kInvalidArgument, "variable '{}' has {} dimensions: lists have another length",
                 variable.name, n);
  }
  std::optional<Index> bytes = 0;
  for (std::size_t b = 0; b < n_boxes; ++b) {
    const AccessBox box = access.box(b, n);
    ESKER_RETURN_IF_ERROR(check_box(header, variable, access, box));
    if (!box.has_values()) continue;
    const std::optional<Index> of_box = memory_bytes(access, box);
    bytes = of_box && bytes ? checked_add(*bytes, *of_box) : std::nullopt;
  }
  if (bytes) return {};
  return error(Code::kInvalidArgument, "variable '{}': the values in memory are more than 63 bits apart",
               variable.name);
}

Status check_num_records(const Header& header, Index num_records) {
  const Index most = header.version == Version::kData64 ? std::numeric_limits<Index>::max()
                                                        : std::numeric_limits<std::int32_t>::max();
  Index last = 0;
  for (const Variable& variable : header.variables) {
    if (header.is_record(variable)) last = std::max(last, variable.begin);
  }
  const auto bytes = checked_mul(num_records, header.record_bytes());
  if (num_records <= most && bytes && checked_add(*bytes, last)) return {};
  return error(Code::kOutOfRange, "a CDF-{} file of such variables cannot have {} records",
               static_cast<int>(header.version), num_records);
}

std::vector<KeyedPatch> patches_of(const Header& header, std::span<const Access> accesses) {
  std::vector<KeyedPatch> patches;
  for (std::size_t a = 0; a < accesses.size(); ++a) {
    Cutter(header, accesses[a], static_cast<int>(a), patches).cut();
  }
  return patches;
}

PatchAmount amount_of(const Header& header, std::span<const Access> accesses, std::uint64_t most) {
  PatchAmount amount;
  std::vector<KeyedPatch> none;
  for (const Access& access : accesses) Cutter(header, access, 0, none).count(amount, most);
  return amount;
}

SampleType sample_type(Type type) {
  return type == Type::kChar ? SampleType::kUint8 : *netcdf::sample_type_of(type);
}

FileArray array_of(const Header& header, Index record_bytes, const ArrayKey& key) {
  const Variable& variable = header.variables[static_cast<std::size_t>(key.variable)];
  const Shape shape(header, variable);
  FileArray array;
  array.type = sample_type(variable.type);
  array.rank = std::max(shape.rank(), 1);
  Index samples = 1;
  for (int a = 0; a < shape.rank(); ++a) {
    const auto axis = static_cast<std::size_t>(a);
    array.extent[axis] = shape.lengths[shape.lengths.size() - 1 - axis];
    samples *= array.extent[axis];
  }
  array.offset_bytes = variable.begin + std::max<Index>(key.record, 0) * record_bytes +
                       key.outer * samples * array.sample_bytes();
  array.fill = netcdf::fill_in_memory(variable);
  return array;
}

Index records_needed(const Header& header, std::span<const Access> accesses) {
  Index needed = 0;
  for (const Access& access : accesses) {
    const Variable& variable = header.variables[static_cast<std::size_t>(access.variable)];
    if (!header.is_record(variable)) continue;
    const std::size_t n = variable.dims.size();
    for (std::size_t b = 0; b < access.num_boxes(n); ++b) {
      const AccessBox box = access.box(b, n);
      if (!box.has_values()) continue;
      needed = std::max(needed, box.start[0] + (box.count[0] - 1) * step_of(access, 0) + 1);
    }
  }
  return needed;
}

}  // namespace esker::cdf
