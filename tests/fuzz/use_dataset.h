// Opens, verifies and reads a file that may be a dataset.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/registry/open_dataset.h"
#include "formats/registry/verify.h"
#include "fuzz/fuzz.h"
#include "support/read_box.h"

namespace esker::fuzz {

/// Samples of the coarser levels, and a few at both ends of the grid.
inline void read_some(const OpenedDataset& dataset, int field, Index step) {
  constexpr Index kMostSamples = 1 << 16;
  const auto mask = dataset.bitmask(field);
  require_short_message(mask.status());
  if (!mask.ok() || !dataset.has_samples(field) || !dataset.has(field, step)) return;
  const Field& of = dataset.schema.fields()[static_cast<std::size_t>(field)];
  const Box grid = dataset.box(field);
  Box corner = grid;
  for (int a = 0; a < grid.rank; ++a) corner.lo[a] = std::max<Index>(0, grid.hi[a] - 3);
  for (const Box& box : {grid, corner}) {
    for (const int level : {0, mask->max_level() / 2, mask->max_level()}) {
      Index n = 1;
      for (int a = 0; a < box.rank; ++a) {
        const Index stride = mask->samples_up_to(level).stride[a];
        n = std::min(kMostSamples + 1, n) * (std::min(kMostSamples, box.extent(a) / stride) + 1);
      }
      if (n > kMostSamples) continue;
      std::vector<std::byte> out(static_cast<std::size_t>(n * of.sample_bytes()));
      require_short_message(
          testing_support::read_box(dataset, field, step, box, level, out.data(), {.verify = true}));
    }
  }
}

inline void use_stored(const std::shared_ptr<Store>& store, const std::string& path) {
  const auto dataset = open_dataset(store, path);
  require_short_message(dataset.status());
  if (!dataset.ok()) return;
  (void)verify_dataset(store, path);
  const auto num_fields = static_cast<int>((*dataset)->schema.fields().size());
  const auto num_steps = static_cast<Index>((*dataset)->times.size());
  for (int field = 0; field < std::min(num_fields, 4); ++field) {
    const bool fixed = (*dataset)->schema.fields()[static_cast<std::size_t>(field)].fixed;
    if (fixed || num_steps > 0) read_some(**dataset, field, fixed ? 0 : num_steps - 1);
  }
}

/// The input is the whole file.
inline void use_file(std::span<const std::byte> bytes) {
  const auto store = memory_store();
  const auto file = store->open("run.nc", OpenMode::kWrite);
  if (!file.ok() || !(*file)->write_at(bytes, 0).ok()) return;
  use_stored(store, "run.nc");
}

}  // namespace esker::fuzz
