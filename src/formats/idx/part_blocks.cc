#include "formats/idx/part_blocks.h"

#include <algorithm>

namespace esker::idx {

bool is_stored(const Part& part, const std::vector<bool>& present) {
  return std::any_of(part.columns.begin(), part.columns.end(),
                     [&](const Column& column) { return present[static_cast<std::size_t>(column.field)]; });
}

bool is_sparse(const Part& part, const std::vector<bool>& present, const KeptFields& kept) {
  if (kept.empty()) return false;
  return std::any_of(part.columns.begin(), part.columns.end(), [&](const Column& column) {
    const auto field = static_cast<std::size_t>(column.field);
    return present[field] && kept[field].blocks;
  });
}

std::vector<StoredColumn> stored_columns(const Part& part, const std::vector<bool>& present,
                                         const KeptFields& kept) {
  const auto all = std::make_shared<const BlockSet>(part.blocks);
  std::vector<StoredColumn> columns;
  for (const Column& column : part.columns) {
    const auto field = static_cast<std::size_t>(column.field);
    const KeptField of_field = kept.empty() ? KeptField() : kept[field];
    if (!present[field]) {
      columns.emplace_back();
    } else if (of_field.blocks) {
      columns.push_back({of_field.blocks, of_field.num_primary});
    } else {
      columns.push_back({all, part.header.box.num_samples()});
    }
  }
  return columns;
}

}  // namespace esker::idx
