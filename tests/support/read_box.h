// read_box: a box at a level, dense, from the layer below the API.
#pragma once

#include <vector>

#include "formats/idx/idx_part.h"
#include "grid/selection.h"
#include "read/opened_dataset.h"

namespace esker::testing_support {

inline Status read_box(const OpenedDataset& dataset, int field, Index step, const Box& box, int level,
                       std::byte* out, const ReadContext& context = {}) {
  const auto samples = dataset.samples_up_to(field, clip(box, dataset.box(field)), level);
  if (!samples.ok()) return samples.status();
  const Index sample_bytes = dataset.schema.fields()[static_cast<std::size_t>(field)].sample_bytes();
  return dataset.read(field, step, ReadTarget::dense(*samples, level, out, sample_bytes), context);
}

inline Status read_box(const idx::IdxPart& part, const std::vector<int>& columns, Index step, const Box& box,
                       int level, std::byte* out, const ReadContext& context = {}) {
  Index sample_bytes = 0;
  for (const int column : columns) sample_bytes += part.header().fields[column].sample_bytes();
  return part.read(columns, step, ReadTarget::dense(part.select(box, level), level, out, sample_bytes),
                   context);
}

}  // namespace esker::testing_support
