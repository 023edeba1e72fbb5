#include "formats/idx/block_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/macros.h"
#include "codec/measure.h"
#include "grid/copy_samples.h"
#include "model/prior_errors.h"

namespace esker::idx {
namespace {

/// Values that are not finite are stored without loss: all must be the same, apart from the kind of NaN.
template <class Value>
bool are_same(std::span<const std::byte> a, std::span<const std::byte> b) {
  const auto* x = reinterpret_cast<const Value*>(a.data());
  const auto* y = reinterpret_cast<const Value*>(b.data());
  return std::equal(x, x + a.size() / sizeof(Value), y,
                    [](Value v, Value w) { return v == w || (std::isnan(v) && std::isnan(w)); });
}

/// The errors of dense samples; infinite if values that are not finite differ.
BlockErrors measured(const BlockShape& shape, std::span<const std::byte> original,
                     std::span<const std::byte> stored) {
  if (!all_finite(shape.type, original) || !all_finite(shape.type, stored)) {
    const bool same = shape.type == SampleType::kFloat32 ? are_same<float>(original, stored)
                                                         : are_same<double>(original, stored);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return same ? BlockErrors() : BlockErrors{kInfinity, kInfinity};
  }
  const MeasuredErrors errors =
      measure_errors(shape, Box::from_extent(shape.rank, shape.count), original, stored);
  const float largest = rounded_up(errors.max);
  return {largest, std::min(rounded_up(errors.rms), largest)};
}

}  // namespace

Result<bool> BlockComparison::read_original(int column, Index step, const Lattice& samples,
                                            std::span<std::byte> out) const {
  const Column& place = columns_[static_cast<std::size_t>(column)];
  const Field& field = *place.field;
  const Index column_bytes = part_.header().fields[static_cast<std::size_t>(column)].sample_bytes();
  if (column_bytes == field.sample_bytes()) return original_(field.name, step, samples, out);
  std::vector<std::byte> all(static_cast<std::size_t>(samples.num_samples() * field.sample_bytes()));
  ESKER_ASSIGN_OR_RETURN(const bool found, original_(field.name, step, samples, all));
  const std::byte* from = all.data() + place.first_component * size_bytes(field.type);
  for (std::byte* to = out.data(); to != out.data() + out.size(); to += column_bytes) {
    std::copy_n(from, column_bytes, to);
    from += field.sample_bytes();
  }
  return found;
}

Result<std::optional<BlockErrors>> BlockComparison::measure(int column, Index block, Index step,
                                                            const Lattice& samples, const StoredBlock& stored,
                                                            std::span<const std::byte> loaded) const {
  const FieldEntry& entry = part_.header().fields[static_cast<std::size_t>(column)];
  std::vector<std::byte> here(static_cast<std::size_t>(samples.num_samples() * entry.sample_bytes()));
  std::vector<std::byte> there(here.size());
  const int level = part_.header().bitmask.max_level();
  part_.place_block({column, step, block}, stored, loaded,
                    ReadTarget::dense(samples, level, here.data(), entry.sample_bytes()));
  ESKER_ASSIGN_OR_RETURN(const bool found, read_original(column, step, samples, there));
  if (!found) return std::optional<BlockErrors>();
  return std::optional(measured({entry.type, entry.components, samples.rank, samples.count}, there, here));
}

Result<bool> BlockComparison::run(int column, Index block, Index step, const StoredBlock& stored,
                                  std::span<const std::byte> loaded) const {
  const FieldEntry& entry = part_.header().fields[static_cast<std::size_t>(column)];
  const auto& cells = part_.header().cells;
  const bool is_exact = stored.codec.lossless() && !(cells && cells->pidx_zfp_bits > 0);
  const bool has_bound = stored.errors || is_exact;
  if (!has_bound || !columns_[static_cast<std::size_t>(column)].field) return false;
  const Field& field = *columns_[static_cast<std::size_t>(column)].field;
  const BlockErrors own = stored.errors.value_or(BlockErrors());
  const FieldErrors bound = *sum_of(FieldErrors{own.largest, own.rms}, prior_errors(field));
  if (std::isnan(bound.largest)) return false;
  for (const Lattice& samples : part_.samples_of_block({column, step, block})) {
    if (samples.num_samples() == 0) continue;
    ESKER_ASSIGN_OR_RETURN(const auto errors, measure(column, block, step, samples, stored, loaded));
    if (!errors) return false;
    if (errors->largest <= bound.largest && errors->rms <= bound.rms) continue;
    return error(Code::kDataLoss,
                 "field '{}', step {}, block {}: differs from the original by up to {} (RMS {}), but the "
                 "recorded errors are {} (RMS {})",
                 entry.name, step, block, errors->largest, errors->rms, bound.largest, bound.rms);
  }
  return true;
}

}  // namespace esker::idx
