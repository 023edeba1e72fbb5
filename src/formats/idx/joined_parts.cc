#include "formats/idx/joined_parts.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/dataset_parts.h"
#include "grid/move_box.h"
#include "grid/selection.h"

namespace esker::idx {

// A level of the complete dataset consists of other levels of the parts, different for each: all of them are
// read.
Status read_joined_parts(const std::vector<JoinedPart>& parts, int field, Index time,
                         const ReadTarget& target, const ReadContext& context) {
  const auto count = static_cast<Index>(parts.size());
  for (Index number = 0; number < count; ++number) {
    const JoinedPart& joined = parts[static_cast<std::size_t>(number)];
    const Box indices = target.samples.indices_in(joined.box);
    if (indices.empty()) continue;
    ReadTarget local = target.sub(indices);
    local.samples = moved_from(joined.offset, local.samples);
    local.level = coarsest_level_with(joined.part->header().bitmask, local.samples);
    local.start_level = 0;
    ESKER_RETURN_IF_ERROR(
        joined.part->read({field}, joined.part->step_at(time), local, context.piece(number, count)));
  }
  return {};
}

Result<JoinedPart> place_part(std::unique_ptr<IdxPart> part, const CatalogPart& named) {
  const PartPlace& place = *named.place;
  const Box& box = part->header().box;
  const Box expected = Box::from_extent(place.box.rank, place.box.extents());
  if (!(box == expected)) {
    return error(Code::kDataLoss, "{}: expected the box {}, which {} lists for part '{}', found {}",
                 part->idx_path(), expected.to_string(), kCatalogName, named.name, box.to_string());
  }
  const std::vector<Index> corner(place.box.lo.begin(), place.box.lo.begin() + place.box.rank);
  if (!part->record() || part->record()->corner != corner) {
    return error(Code::kDataLoss,
                 "{}: is not the part '{}' that {} lists, but one of another place in the grid: a file was "
                 "copied or renamed by hand; restore the files of the directory from a copy",
                 part->idx_path(), named.name, kCatalogName);
  }
  return JoinedPart{std::move(part), place.box.lo, place.box};
}

Result<std::unique_ptr<IdxPart>> join_parts(std::shared_ptr<Store> store, const std::string& path,
                                            const std::vector<const CatalogPart*>& named,
                                            std::vector<JoinedPart> parts) {
  // A tiny part may be stored in another way than the other ones.
  const auto largest = std::max_element(
      parts.begin(), parts.end(),
      [](const JoinedPart& a, const JoinedPart& b) { return a.box.num_samples() < b.box.num_samples(); });
  const IdxPart& first = *largest->part;
  std::optional<CommitRecord> record = first.record();
  const auto alike = [](const FieldEntry& a, const FieldEntry& b) {
    return a.name == b.name && a.type == b.type && a.components == b.components && a.order == b.order;
  };
  Header header = first.header();
  header.box = box_of_partitions(named);
  header.bitmask = named.front()->place->mask;
  header.physic_box.clear();
  for (const JoinedPart& joined : parts) {
    const auto& fields = joined.part->header().fields;
    if (!std::equal(fields.begin(), fields.end(), header.fields.begin(), header.fields.end(), alike)) {
      return error(Code::kDataLoss, "{}: its fields differ from those of {}", joined.part->idx_path(),
                   first.idx_path());
    }
    header.bits_per_block = std::max(header.bits_per_block, joined.part->header().bits_per_block);
    header.blocks_per_file = std::max(header.blocks_per_file, joined.part->header().blocks_per_file);
  }
  header.bits_per_block = std::min(header.bits_per_block, header.bitmask.max_level());
  return IdxPart::of_parts(std::move(store), path, std::move(header), std::move(record), std::move(parts));
}

}  // namespace esker::idx
