#include "esker/dataset.hpp"

#include <algorithm>

#include "api/within_memory.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "read/idx_dataset.h"

namespace esker {

class Dataset::Impl {
 public:
  Impl(idx::IdxDataset opened, const OpenOptions& options)
      : data(std::move(opened)), verify(options.verify) {}

  struct Located {
    const idx::IdxPart* part = nullptr;  // null: written with the first step, and there is none
    const Field* field = nullptr;
    idx::IdxDataset::Place place;
  };

  [[nodiscard]] Result<Located> find(const std::string& name) const {
    const Field* field = data.schema.find_field(name);
    if (!field) return error(Code::kNotFound, "no field '{}'; there are: {}", excerpt(name), known_fields());
    const auto& place = data.places[static_cast<std::size_t>(field - data.schema.fields().data())];
    return Located{place.part < 0 ? nullptr : data.parts[place.part].get(), field, place};
  }

  /// The same for a field that has samples.
  [[nodiscard]] Result<Located> locate(const std::string& name) const {
    ESKER_ASSIGN_OR_RETURN(Located located, find(name));
    if (located.part) return located;
    return error(Code::kNotFound, "field '{}' is written with the first step; there is none yet", name);
  }

  /// A query with all defaults resolved.
  struct Resolved {
    Located at;
    Index step = 0;
    Box box;
    int level = 0;
  };

  [[nodiscard]] Result<Resolved> resolve(const Query& query) const {
    Resolved resolved;
    ESKER_ASSIGN_OR_RETURN(resolved.at, locate(query.field));
    const idx::Header& header = resolved.at.part->header();
    ESKER_ASSIGN_OR_RETURN(resolved.step, resolve_step(query, resolved.at.place.fixed));
    resolved.box = query.box.value_or(header.box);
    if (resolved.box.rank != header.box.rank) {
      return error(Code::kInvalidArgument, "field '{}': box has {} axes, the grid has {}", query.field,
                   resolved.box.rank, header.box.rank);
    }
    const int max_level = header.bitmask.max_level();
    resolved.level = query.level.value_or(max_level);
    if (resolved.level < 0 || resolved.level > max_level) {
      return error(Code::kOutOfRange, "field '{}': level {}, expected 0 to {}", query.field, resolved.level,
                   max_level);
    }
    if (!resolved.at.place.fixed &&
        !resolved.at.part->has(resolved.at.place.columns.front(), resolved.step)) {
      return error(Code::kNotFound, "field '{}' was not written at step {}", query.field, resolved.step);
    }
    return resolved;
  }

  idx::IdxDataset data;
  bool verify;

 private:
  [[nodiscard]] std::string known_fields() const {
    constexpr std::size_t kMostNamed = 50;
    const auto& fields = data.schema.fields();
    std::string text;
    for (std::size_t f = 0; f < std::min(fields.size(), kMostNamed); ++f) {
      text += (f == 0 ? "" : ", ") + fields[f].name;
    }
    return fields.size() > kMostNamed ? fmt::format("{} and {} more", text, fields.size() - kMostNamed)
                                      : text;
  }

  [[nodiscard]] Result<Index> resolve_step(const Query& query, bool fixed) const {
    const auto num_steps = static_cast<Index>(data.times.size());
    const Index step = query.step < 0 ? query.step + num_steps : query.step;
    if (fixed && query.step == -1) return Index{0};
    if (step < 0 || step >= num_steps) {
      return error(Code::kOutOfRange, "field '{}': step {}, the dataset has {}", query.field, query.step,
                   num_steps);
    }
    return fixed ? 0 : step;
  }
};

Dataset::Dataset(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset&&) noexcept = default;
Dataset::~Dataset() = default;

Result<Dataset> Dataset::open(const std::string& path, const OpenOptions& options) {
  return within_memory([&]() -> Result<Dataset> {
    ESKER_ASSIGN_OR_RETURN(auto opened, idx::IdxDataset::open(posix_store(), path));
    return Dataset(std::make_unique<Impl>(std::move(opened), options));
  });
}

const Schema& Dataset::schema() const { return impl_->data.schema; }
const std::vector<double>& Dataset::steps() const { return impl_->data.times; }
const std::vector<PartInfo>& Dataset::parts() const { return impl_->data.infos; }
const std::vector<std::string>& Dataset::warnings() const { return impl_->data.warnings; }

Result<bool> Dataset::has(const std::string& field, Index step) const {
  ESKER_ASSIGN_OR_RETURN(const auto at, impl_->locate(field));
  if (step < 0 || step >= static_cast<Index>(steps().size())) {
    return error(Code::kOutOfRange, "step {}, the dataset has {}", step, steps().size());
  }
  return at.place.fixed || at.part->has(at.place.columns.front(), step);
}

// Before its first step a field may have no .idx: its grid is known all the same.
Result<int> Dataset::max_level(const std::string& field) const {
  ESKER_ASSIGN_OR_RETURN(const auto at, impl_->find(field));
  if (at.part) return at.part->header().bitmask.max_level();
  const Box grid = schema().box_of(schema().grids()[at.field->grid]);
  ESKER_ASSIGN_OR_RETURN(const Bitmask mask, Bitmask::for_extent(grid.rank, grid.hi));
  return mask.max_level();
}

Result<Box> Dataset::box(const std::string& field) const {
  ESKER_ASSIGN_OR_RETURN(const auto at, impl_->find(field));
  return at.part ? at.part->header().box : schema().box_of(schema().grids()[at.field->grid]);
}

Result<Lattice> Dataset::select(const Query& query) const {
  ESKER_ASSIGN_OR_RETURN(const auto resolved, impl_->resolve(query));
  return resolved.at.part->select(resolved.box, resolved.level);
}

Status Dataset::read(const Query& query, void* out, std::size_t out_bytes) const {
  ESKER_ASSIGN_OR_RETURN(const auto resolved, impl_->resolve(query));
  const Lattice selection = resolved.at.part->select(resolved.box, resolved.level);
  const auto needed = static_cast<std::size_t>(selection.num_samples() * resolved.at.field->sample_bytes());
  if (needed != out_bytes) {
    return error(Code::kInvalidArgument, "field '{}': the buffer has {} bytes, the answer {}", query.field,
                 out_bytes, needed);
  }
  const auto read = [&] {
    return resolved.at.part->read(resolved.at.place.columns, resolved.step, resolved.box, resolved.level,
                                  static_cast<std::byte*>(out), impl_->verify);
  };
  return within_memory(read).with_context(
      fmt::format("read field '{}', step {}", query.field, resolved.step));
}

Result<StorageInfo> Dataset::storage() const {
  return within_memory([&]() -> Result<StorageInfo> {
    StorageInfo info;
    for (std::size_t p = 0; p < impl_->data.parts.size(); ++p) {
      ESKER_RETURN_IF_ERROR(impl_->data.parts[p]->add_storage(info, impl_->data.infos[p].num_steps));
    }
    return info;
  });
}

}  // namespace esker
