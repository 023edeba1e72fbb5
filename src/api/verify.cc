#include "esker/verify.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "api/dataset_impl.h"
#include "api/within_memory.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/registry/verify.h"
#include "grid/selection.h"
#include "store/source_store.h"

namespace esker {
namespace {

std::shared_ptr<Store> store_for(std::shared_ptr<const ByteSource> source) {
  return source ? source_store(std::move(source)) : posix_store();
}

/// Reads the samples of a dataset's fields from another dataset.
class OriginalDataset {
 public:
  OriginalDataset(const Dataset& dataset, const Dataset& original)
      : dataset_(dataset), original_(Dataset::Impl::of(original)) {
    const std::vector<double>& theirs = original_.data->times;
    bool any_is_same = false;
    for (const double time : dataset.steps()) {
      const auto same = std::find(theirs.begin(), theirs.end(), time);
      any_is_same = any_is_same || same != theirs.end();
      steps_.push_back(same - theirs.begin());
    }
    for (std::size_t step = 0; step < steps_.size() && !any_is_same; ++step) {
      steps_[step] = static_cast<Index>(step);
    }
  }

  /// Fields that both have must be the same, except their values.
  [[nodiscard]] Status check() const {
    for (const Field& ours : dataset_.schema().fields()) {
      const Field* theirs = find(ours.name);
      if (!theirs) continue;
      ESKER_ASSIGN_OR_RETURN(const Box box, dataset_.box(ours.name));
      const Box their_box = original_.data->box(number_of(*theirs));
      if (ours.type == theirs->type && ours.components == theirs->components && box == their_box) continue;
      return error(Code::kInvalidArgument,
                   "field '{}': expected an original of type {}[{}] in the box {}, found {}[{}] in {}",
                   ours.name, name(ours.type), ours.components, box.to_string(), name(theirs->type),
                   theirs->components, their_box.to_string());
    }
    return {};
  }

  /// See ReadOriginal.
  [[nodiscard]] Result<bool> read(const std::string& field_name, Index step, const Lattice& samples,
                                  std::span<std::byte> out) const {
    const Field* field = find(field_name);
    if (!field) return false;
    const int number = number_of(*field);
    const auto their_step = step_of(*field, step);
    if (!their_step || !original_.data->has_samples(number) || !original_.data->has(number, *their_step))
      return false;
    ESKER_ASSIGN_OR_RETURN(const Bitmask mask, original_.data->bitmask(number));
    const ReadTarget target = ReadTarget::dense(samples, coarsest_level_with(mask, samples), out.data(),
                                                field->sample_bytes());
    ESKER_RETURN_IF_ERROR(original_.data->read(number, *their_step, target, {}).with_context("original"));
    return true;
  }

 private:
  [[nodiscard]] const Field* find(const std::string& name) const {
    return original_.data->schema.find_field(name);
  }
  [[nodiscard]] int number_of(const Field& field) const {
    return static_cast<int>(&field - original_.data->schema.fields().data());
  }
  [[nodiscard]] std::optional<Index> step_of(const Field& theirs, Index step) const {
    if (theirs.fixed) return 0;
    if (step >= static_cast<Index>(steps_.size())) return std::nullopt;
    const Index found = steps_[static_cast<std::size_t>(step)];
    if (found >= static_cast<Index>(original_.data->times.size())) return std::nullopt;
    return found;
  }

  const Dataset& dataset_;
  const Dataset::Impl& original_;
  std::vector<Index> steps_;  // of the original, for each step of the dataset; its number of steps: none
};

}  // namespace

Result<VerifyReport> verify(const std::string& path, const std::function<void(double)>& progress,
                            std::shared_ptr<const ByteSource> source) {
  return within_memory([&] { return verify_dataset(store_for(std::move(source)), path, progress); });
}

Result<VerifyReport> verify_against(const std::string& path, const ReadOriginal& original,
                                    const std::function<void(double)>& progress,
                                    std::shared_ptr<const ByteSource> source) {
  return within_memory(
      [&] { return verify_dataset(store_for(std::move(source)), path, progress, &original); });
}

Result<VerifyReport> verify_against(const std::string& path, const Dataset& original,
                                    const std::function<void(double)>& progress,
                                    std::shared_ptr<const ByteSource> source) {
  return within_memory([&]() -> Result<VerifyReport> {
    const auto store = store_for(std::move(source));
    ESKER_ASSIGN_OR_RETURN(const Dataset dataset, Dataset::Impl::open(store, path, {}));
    const OriginalDataset reader(dataset, original);
    ESKER_RETURN_IF_ERROR(reader.check());
    const ReadOriginal read = [&](const std::string& field, Index step, const Lattice& samples,
                                  std::span<std::byte> out) {
      return reader.read(field, step, samples, out);
    };
    return verify_dataset(store, path, progress, &read);
  });
}

}  // namespace esker
