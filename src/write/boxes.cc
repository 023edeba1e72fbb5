#include "write/boxes.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "grid/coverage.h"

namespace esker {
namespace {

/// Per field: the number of boxes, then lo and hi of each.
std::vector<Index> encode(const std::vector<std::vector<Box>>& boxes) {
  std::vector<Index> numbers;
  for (const auto& of_field : boxes) {
    numbers.push_back(static_cast<Index>(of_field.size()));
    for (const Box& box : of_field) {
      numbers.insert(numbers.end(), box.lo.begin(), box.lo.begin() + box.rank);
      numbers.insert(numbers.end(), box.hi.begin(), box.hi.begin() + box.rank);
    }
  }
  return numbers;
}

Box decode_box(const Index*& next, int rank) {
  Box box;
  box.rank = rank;
  for (int a = 0; a < rank; ++a) box.lo[a] = *next++;
  for (int a = 0; a < rank; ++a) box.hi[a] = *next++;
  return box;
}

BoxesOfField decode(const Schema& schema, const std::vector<int>& fields, const Gathered& all) {
  std::vector<BoxesOfRanks> gathered(fields.size());
  for (const auto& bytes : all.of_rank) {
    std::vector<Index> numbers(bytes.size() / sizeof(Index));
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    const Index* next = numbers.data();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const int rank = schema.rank_of(schema.grids()[schema.fields()[fields[f]].grid]);
      std::vector<Box>& boxes = gathered[f].emplace_back();
      for (Index left = *next++; left > 0; --left) boxes.push_back(decode_box(next, rank));
    }
  }
  // Most fields are put in the boxes of the field before, and then share them.
  BoxesOfField shared;
  std::shared_ptr<const BoxListDistribution> last;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Box domain = schema.box_of(schema.grids()[schema.fields()[fields[f]].grid]);
    const bool same = last && last->domain() == domain && last->of_rank() == gathered[f];
    if (!same) last = std::make_shared<const BoxListDistribution>(domain, std::move(gathered[f]));
    shared[fields[f]] = last;
  }
  return shared;
}

Status describe(const Field& field, const CoverageDefect& defect, const std::vector<int>& rank_of,
                const std::vector<Box>& boxes) {
  if (defect.second < 0) {
    return error(Code::kInvalidArgument,
                 "field '{}': no rank put the samples {}; together the ranks' patches must cover the grid "
                 "exactly once",
                 field.name, defect.where.to_string());
  }
  return error(Code::kInvalidArgument,
               "field '{}': patches overlap in {}: rank {} put {}, rank {} put {}; each sample must be put "
               "exactly once",
               field.name, defect.where.to_string(), rank_of[defect.first], boxes[defect.first].to_string(),
               rank_of[defect.second], boxes[defect.second].to_string());
}

Status check_field(const Field& field, const Distribution& holders, int n_ranks) {
  std::vector<Box> boxes;
  std::vector<int> rank_of;
  for (int r = 0; r < n_ranks; ++r) {
    for (const Box& box : holders.boxes_of(r)) {
      boxes.push_back(box);
      rank_of.push_back(r);
    }
  }
  if (boxes.empty()) {
    return error(Code::kInvalidArgument, "field '{}' is due but no rank put it", field.name);
  }
  const auto defect = find_coverage_defect(holders.domain(), boxes);
  return defect ? describe(field, *defect, rank_of, boxes) : Status();
}

}  // namespace

bool is_due(const Field& field, Index step) { return field.fixed ? step == 0 : step % field.every == 0; }

std::vector<std::vector<Box>> boxes_of(const std::vector<std::vector<Patch>>& patches,
                                       const std::vector<int>& fields) {
  std::vector<std::vector<Box>> boxes(fields.size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (const Patch& patch : patches[fields[f]]) boxes[f].push_back(patch.box);
  }
  return boxes;
}

Result<BoxesOfField> gather_boxes(Comm& comm, const Schema& schema, const std::vector<int>& fields,
                                  const std::vector<std::vector<Box>>& mine) {
  std::vector<Index> numbers_of_mine;
  ESKER_RETURN_IF_ERROR(all_do(comm, "gather boxes", [&] {
    numbers_of_mine = encode(mine);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(const Gathered all, gather(comm, std::as_bytes(std::span(numbers_of_mine))));
  BoxesOfField boxes;
  ESKER_RETURN_IF_ERROR(all_do(comm, "gather boxes", [&] {
    boxes = decode(schema, fields, all);
    return Status();
  }));
  return boxes;
}

std::vector<FieldPatches> patches_of_columns(const std::vector<StepLayouts::Column>& columns,
                                             const BoxesOfField& boxes) {
  std::vector<FieldPatches> patches;
  for (const auto& column : columns) {
    patches.push_back({column.layout, column.layout_field, boxes.at(column.field)});
  }
  return patches;
}

int num_holders(const std::vector<FieldPatches>& fields, int n_ranks) {
  int holders = 0;
  for (int r = 0; r < n_ranks; ++r) {
    holders += std::any_of(fields.begin(), fields.end(),
                           [&](const FieldPatches& field) { return !field.holders->boxes_of(r).empty(); });
  }
  return holders;
}

Status check_coverage(const Schema& schema, const BoxesOfField& boxes, int n_ranks) {
  std::set<const Distribution*> checked;
  for (const auto& [f, holders] : boxes) {
    if (!checked.insert(holders.get()).second || holders->covers_domain()) continue;
    ESKER_RETURN_IF_ERROR(check_field(schema.fields()[f], *holders, n_ranks));
  }
  return {};
}

}  // namespace esker
