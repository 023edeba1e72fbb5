#include "format/kept_samples.h"

#include "grid/cells.h"

namespace esker {
namespace {

/// Of a field that is stored completely. Fields with stored bits have blocks of cells.
StoredSamples all_samples(const BlockGrid& blocks, const Schema& schema, const Field& field,
                          Index num_primary) {
  const Box grid = schema.box_of(schema.grid_of(field));
  const Index per_place = field.stored_bits > 0 ? cell_samples(grid.rank) : 1;
  const Index in_blocks = blocks.num_existing() * blocks.samples_per_block() * per_place;
  return {num_primary, grid.num_samples() - num_primary, in_blocks - grid.num_samples(),
          blocks.num_existing()};
}

}  // namespace

std::vector<StoredSamples> samples_of_fields(const FormatWriter& format, const Schema& schema,
                                             const std::vector<int>& fields, const KeptFields& kept) {
  std::vector<StoredSamples> samples;
  const BlockSet* before = nullptr;  // fields of one grid mostly have the same
  for (const int f : fields) {
    const KeptField& of_field = kept[static_cast<std::size_t>(f)];
    if (!of_field.blocks) {
      const Field& field = schema.fields()[static_cast<std::size_t>(f)];
      samples.push_back(all_samples(*format.blocks_of(f), schema, field, of_field.num_primary));
    } else if (of_field.blocks.get() == before) {
      samples.push_back(samples.back());
    } else {
      samples.push_back(stored_samples_of(*of_field.blocks, of_field.num_primary));
    }
    before = of_field.blocks.get();
  }
  return samples;
}

}  // namespace esker
