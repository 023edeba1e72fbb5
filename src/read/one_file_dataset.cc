#include "read/one_file_dataset.h"

#include <filesystem>

#include "base/macros.h"

namespace esker {

Status OneFileDataset::list_parts() {
  for (std::size_t g = 0; g < schema.grids().size(); ++g) {
    for (const bool fixed : {false, true}) {
      const Grid& grid = schema.grids()[g];
      PartInfo info{grid.name + (fixed ? "_fixed" : ""),         path_, {}, schema.box_of(grid), {}, 0, 0, 0,
                    fixed ? 1 : static_cast<Index>(times.size())};
      for (const Field& field : schema.fields()) {
        if (field.grid == static_cast<int>(g) && field.fixed == fixed) info.fields.push_back(field.name);
      }
      if (info.fields.empty()) continue;
      ESKER_ASSIGN_OR_RETURN(const Bitmask mask, Bitmask::longest_first(info.box.rank, info.box.hi));
      info.bitmask = mask.to_string();
      infos.push_back(std::move(info));
    }
  }
  return {};
}

bool OneFileDataset::has_samples(int field) const {
  return !is_ours_ || !field_at(field).fixed || !times.empty();
}

bool OneFileDataset::has(int field, Index step) const {
  return field_at(field).fixed || step % field_at(field).every == 0;
}

Box OneFileDataset::box(int field) const {
  return schema.box_of(schema.grids()[static_cast<std::size_t>(field_at(field).grid)]);
}

Result<Bitmask> OneFileDataset::bitmask(int field) const {
  const Box grid = box(field);
  return Bitmask::longest_first(grid.rank, grid.hi);
}

void OneFileDataset::look_for_writer(Findings& findings) const {
  const std::string lock = std::filesystem::path(path_).replace_extension(".esker-lock").string();
  const auto locked = store_->exists(lock);
  if (is_ours_ && locked.ok() && *locked) findings.warning(lock, "a writer is at work, or one was killed");
}

}  // namespace esker
