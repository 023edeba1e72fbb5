#include "formats/idx/upsampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "base/macros.h"
#include "base/with_type.h"
#include "grid/copy_samples.h"
#include "grid/points.h"
#include "grid/selection.h"
#include "grid/tiles.h"

namespace esker::idx {
namespace {

constexpr int kAnswerDigits = 20;  // of samples that are answered together

/// Copies the samples that two dense answers have in common.
void copy_common(const Lattice& from, const std::byte* source, const ReadTarget& target, Index sample_bytes) {
  const auto common = common_samples(from, target);
  if (!common) return;
  ReadTarget of_source = ReadTarget::dense(from, 0, const_cast<std::byte*>(source), sample_bytes);
  for (int a = 0; a < from.rank; ++a) {
    of_source.out += common->indices.lo[a] * of_source.strides[a] * sample_bytes;
    of_source.strides[a] *= common->step[a];
  }
  const Box indices = common->target.samples.all_indices();
  copy_samples(sample_bytes, of_source.out, SampleMap::strided(indices, of_source.stride_bytes()),
               common->target.out, SampleMap::strided(indices, common->target.stride_bytes()));
}

/// w0 * a + w1 * b, of integers rounded to the nearest one that the type has.
template <class T>
T weighted(T a, double w0, T b, double w1) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(w0 * static_cast<double>(a) + w1 * static_cast<double>(b));
  } else {
    using Wide = long double;
    const Wide value = std::nearbyint(static_cast<Wide>(w0) * static_cast<Wide>(a) +
                                      static_cast<Wide>(w1) * static_cast<Wide>(b));
    const Wide least = static_cast<Wide>(std::numeric_limits<T>::min());
    const Wide most = static_cast<Wide>(std::numeric_limits<T>::max());
    return static_cast<T>(std::clamp(value, least, most));
  }
}

template <class T>
void weigh_sample(const std::byte* a, double w0, const std::byte* b, double w1, int components,
                  std::byte* out) {
  for (int c = 0; c < components; ++c) {
    T first, second;
    std::memcpy(&first, a + static_cast<std::size_t>(c) * sizeof(T), sizeof(T));
    std::memcpy(&second, b + static_cast<std::size_t>(c) * sizeof(T), sizeof(T));
    const T value = weighted(first, w0, second, w1);
    std::memcpy(out + static_cast<std::size_t>(c) * sizeof(T), &value, sizeof(T));
  }
}

using Weigh = void (*)(const std::byte*, double, const std::byte*, double, int, std::byte*);

Weigh weigh_of(SampleType type) {
  return with_type(type, [](auto value) -> Weigh { return weigh_sample<decltype(value)>; });
}

}  // namespace

Result<std::vector<Index>> Upsampling::missing_blocks(const Box& box, int level) {
  std::vector<Index> missing;
  Status status;
  column_.blocks.for_each_block_meeting(box, level, [&](Index block) {
    if (!status.ok()) return;
    if (column_.stored) {
      if (!column_.stored->contains(block)) missing.push_back(block);
      return;
    }
    const auto stored = column_.files.find(column_.number, block, column_.time);
    status = stored.status();
    if (stored.ok() && stored->absent) missing.push_back(block);
  });
  ESKER_RETURN_IF_ERROR(status);
  return missing;
}

Result<bool> Upsampling::any_missing(const Box& box, int last_level) {
  const int coarsest = column_.blocks.bits_per_block();
  for (int level = coarsest; level <= std::max(last_level, coarsest); ++level) {
    ESKER_ASSIGN_OR_RETURN(const auto missing, missing_blocks(box, level));
    if (!missing.empty()) return true;
  }
  return false;
}

Status Upsampling::read(const ReadTarget& target) {
  const Box bounds = target.samples.bounds();
  ESKER_ASSIGN_OR_RETURN(const bool is_missing, any_missing(bounds, target.level));
  if (!is_missing) {
    return BlockQuery(column_, target, context_).run(bounds, target.start_level, target.level);
  }
  const Bitmask& mask = column_.blocks.mask();
  Index done = 0;
  Status status;
  for_each_tile(mask, bounds, target.level, kAnswerDigits, [&](const Box& tile) {
    const Box indices = target.samples.indices_in(tile);
    if (indices.empty() || !status.ok()) return;
    const ReadTarget part = target.sub(indices);
    const auto found = answer(part.samples.bounds(), target.level);
    status = found.status();
    if (!status.ok()) return;
    copy_common(found->samples, found->bytes.data(), part, field_.sample_bytes());
    done += indices.num_samples();
    const double fraction = static_cast<double>(done) / static_cast<double>(target.samples.num_samples());
    if (context_.progress && !context_.progress(fraction)) status = Status(Code::kCancelled, "cancelled");
  });
  ESKER_RETURN_IF_ERROR(status);
  return target.is_stored ? clear_mask(target) : Status();
}

/// Sets the flags of samples that are not stored to 0.
Status Upsampling::clear_mask(const ReadTarget& target) {
  constexpr std::byte kNotStored{0};
  const int coarsest = column_.blocks.bits_per_block();
  for (int level = coarsest; level <= std::max(target.level, coarsest); ++level) {
    ESKER_ASSIGN_OR_RETURN(const auto missing, missing_blocks(target.samples.bounds(), level));
    for (const Index block : missing) column_.form.fill(block, {&kNotStored, 1}, target.of_mask());
  }
  return {};
}

/// The stored samples of some levels; others get the fill value.
Status Upsampling::read_levels(const Box& box, int first_level, int level, Answer& into) {
  const ReadTarget target = ReadTarget::dense(into.samples, level, into.bytes.data(), field_.sample_bytes());
  ReadContext context = context_;
  context.progress = {};
  return BlockQuery(column_, target, context).run(box, first_level, level);
}

Result<Upsampling::Answer> Upsampling::answer(const Box& box, int level) {
  Answer here{select_samples(column_.blocks.mask(), box, level), {}, {}};
  const Index num_samples = here.samples.num_samples();
  here.bytes.resize(static_cast<std::size_t>(num_samples * field_.sample_bytes()));
  here.is_known.assign(static_cast<std::size_t>(num_samples), 1);
  if (num_samples == 0) return here;
  const Box bounds = here.samples.bounds();
  const int coarsest = column_.blocks.bits_per_block();
  ESKER_ASSIGN_OR_RETURN(const bool is_missing, any_missing(bounds, level));
  if (!is_missing || level <= coarsest) {
    ESKER_RETURN_IF_ERROR(read_levels(bounds, 0, level, here));
    if (is_missing) std::fill(here.is_known.begin(), here.is_known.end(), std::uint8_t{0});
    return here;
  }
  ESKER_ASSIGN_OR_RETURN(const Answer below, answer(box_below(bounds, level), level - 1));
  ESKER_RETURN_IF_ERROR(read_levels(bounds, level, level, here));
  copy_common(below.samples, below.bytes.data(),
              ReadTarget::dense(here.samples, level, here.bytes.data(), field_.sample_bytes()),
              field_.sample_bytes());
  copy_common(below.samples, reinterpret_cast<const std::byte*>(below.is_known.data()),
              ReadTarget::dense(here.samples, level, reinterpret_cast<std::byte*>(here.is_known.data()), 1),
              1);
  ESKER_ASSIGN_OR_RETURN(const auto missing, missing_blocks(bounds, level));
  for (const Index block : missing) derive(column_.blocks.lattice(block), level, below, here);
  return here;
}

/// A box with the samples of the level below that missing samples in `box` are derived from: their neighbors
/// on the axis that the level refines, and at the end of the grid the two last ones.
Box Upsampling::box_below(const Box& box, int level) const {
  const int axis = column_.blocks.mask().digit(level);
  const Index step = column_.blocks.mask().samples_up_to(level - 1).stride[axis];
  const Box& grid = column_.blocks.box();
  Box below = box;
  below.lo[axis] = std::max(grid.lo[axis], box.lo[axis] - (method_ == MissingBlocks::kLinear ? 2 : 1) * step);
  below.hi[axis] = std::min(grid.hi[axis], box.hi[axis] + step);
  return below;
}

/// The values, and what is known of them, of the samples that are `half` lower on the axis: all are in
/// `below`.
void Upsampling::copy_lower(const ReadTarget& gap, int axis, Index half, const Answer& below,
                            Answer& here) const {
  ReadTarget lower = gap;
  lower.samples.origin[axis] -= half;
  copy_common(below.samples, below.bytes.data(), lower, field_.sample_bytes());
  const Index first = (gap.out - here.bytes.data()) / field_.sample_bytes();
  lower.out = reinterpret_cast<std::byte*>(here.is_known.data()) + first;
  lower.sample_stride_bytes = 1;
  copy_common(below.samples, reinterpret_cast<const std::byte*>(below.is_known.data()), lower, 1);
}

/// Values for the samples of a missing block, which are new at `level`.
void Upsampling::derive(const Lattice& missing, int level, const Answer& below, Answer& here) const {
  const Index bytes = field_.sample_bytes();
  const ReadTarget target = ReadTarget::dense(here.samples, level, here.bytes.data(), bytes);
  const auto common = common_samples(missing, target);
  if (!common) return;
  const int axis = column_.blocks.mask().digit(level);
  const Index half = missing.stride[axis] / 2;
  if (method_ == MissingBlocks::kNearest && column_.blocks.box().lo[axis] == 0) {
    return copy_lower(common->target, axis, half, below, here);
  }
  const Weigh weigh = weigh_of(field_.type);
  const ReadTarget source = ReadTarget::dense(below.samples, level - 1, nullptr, 1);
  // The number of a sample of the level below; -1 if it is missing, or nothing is known of it.
  const auto find = [&](Point p, Index on_axis) -> Index {
    p[axis] = on_axis;
    Index number = 0;
    for (int a = 0; a < missing.rank; ++a) {
      const Index offset = p[a] - below.samples.origin[a];
      if (offset < 0 || offset >= below.samples.count[a] * below.samples.stride[a]) return -1;
      number += offset / below.samples.stride[a] * source.strides[a];
    }
    return below.is_known[static_cast<std::size_t>(number)] != 0 ? number : -1;
  };
  const auto sample = [&](Index number) { return below.bytes.data() + number * bytes; };
  const ReadTarget& gap = common->target;
  for_each_index_point(gap.samples.all_indices(), [&](const Point& index) {
    const Point p = gap.samples.point(index);
    std::byte* out = gap.out + gap.position(index) * bytes;
    const Index low = find(p, p[axis] - half), high = find(p, p[axis] + half);
    here.is_known[static_cast<std::size_t>((out - here.bytes.data()) / bytes)] =
        low >= 0 || high >= 0 ? 1 : 0;
    if (method_ == MissingBlocks::kLinear && low >= 0 && high >= 0) {
      weigh(sample(low), 0.5, sample(high), 0.5, field_.components, out);
      return;
    }
    const Index before = method_ == MissingBlocks::kLinear && low >= 0 ? find(p, p[axis] - 3 * half) : -1;
    if (before >= 0 && p[axis] + half >= column_.blocks.box().hi[axis]) {
      weigh(sample(low), 1.5, sample(before), -0.5, field_.components, out);
    } else if (low >= 0 || high >= 0) {
      std::memcpy(out, sample(low >= 0 ? low : high), static_cast<std::size_t>(bytes));
    }
  });
}

}  // namespace esker::idx
