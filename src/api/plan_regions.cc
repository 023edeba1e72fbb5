#include "api/plan_regions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "adaptive/count_primary.h"
#include "base/error.h"
#include "base/macros.h"
#include "layout/choose_block_bits.h"
#include "write/keep_call.h"

namespace esker {
namespace {

using Rules = std::vector<KeepRule>;

/// Fields of one grid that share their blocks.
struct PartRules {
  std::vector<int> fields;
  Rules rules;
};

Status check_rules(const Schema& schema, int grid, const Rules& rules) {
  for (const KeepRule& rule : rules) {
    if (rule.region == KeepRule::Region::kRange || rule.region == KeepRule::Region::kLevels) {
      return error(Code::kInvalidArgument,
                   "a plan has no samples to look at: expected rules for boxes, or for everywhere");
    }
    ESKER_RETURN_IF_ERROR(check_rule(schema, {grid, -1, rule}));
  }
  return {};
}

/// [position in Schema::grids()] those of the caller.
Result<std::vector<Rules>> rules_of_grids(const Schema& schema, const KeepOfGrid& keep) {
  std::vector<Rules> rules;
  for (const Grid& grid : schema.grids()) {
    rules.push_back(keep ? keep(grid) : Rules());
    ESKER_RETURN_IF_ERROR(check_rules(schema, static_cast<int>(rules.size()) - 1, rules.back())
                              .with_context("keep grid '" + grid.name + "'"));
  }
  return rules;
}

Status check_levels(const Grid& grid, const BlockGrid& blocks, const Rules& rules) {
  const int max_level = blocks.mask().max_level();
  for (const KeepRule& rule : rules) {
    if (rule.level >= -max_level) continue;
    return error(Code::kOutOfRange, "keep grid '{}': level {}, expected {} to 0", grid.name, rule.level,
                 -max_level);
  }
  return {};
}

/// Of the fields that do not store everything by definition.
Result<std::vector<PartRules>> rules_of_parts(const Schema& schema, const std::vector<Rules>& of_grids,
                                              const Options& options, const FormatWriter& format) {
  std::vector<PartRules> parts;
  std::map<const BlockGrid*, std::size_t> part_of;
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const auto grid = static_cast<std::size_t>(schema.fields()[f].grid);
    const Rules& rules = of_grids[grid];
    if (rules.empty() && options.keep_level == 0) continue;
    const auto field = static_cast<int>(f);
    ESKER_RETURN_IF_ERROR(format.check_sparse(field).with_context(options.format));
    const BlockGrid* blocks = format.blocks_of(field);
    const auto [found, is_new] = part_of.try_emplace(blocks, parts.size());
    if (is_new) {
      ESKER_RETURN_IF_ERROR(check_levels(schema.grids()[grid], *blocks, rules));
      parts.push_back({{}, rules.empty() ? Rules{KeepRule::everywhere(options.keep_level)} : rules});
    }
    parts[found->second].fields.push_back(field);
  }
  return parts;
}

/// In each of several grids with blocks of different sizes.
std::vector<KeptField> kept_in(std::span<const BlockGrid> grids, const Rules& rules,
                               const std::function<void()>& pulse) {
  const BlockGrid& blocks = grids.front();
  LevelRules levels;
  for (const KeepRule& rule : rules) {
    if (rule.region == KeepRule::Region::kBoxes) {
      add_boxes(rule, blocks, levels);
    } else {
      const int level = std::max(0, blocks.mask().max_level() + rule.level);
      levels.everywhere = std::max(levels.everywhere, static_cast<KeptLevel>(level));
    }
  }
  const Box grid = blocks.box();
  std::vector<MarkedBlocks> marked = count_primary(grids, levels, {}, {&grid, 1}, pulse);
  std::vector<KeptField> kept;
  for (std::size_t n = 0; n < grids.size(); ++n) {
    add_everywhere(grids[n], levels.everywhere, marked[n].runs);
    kept.push_back(
        {std::make_shared<const BlockSet>(grids[n], std::move(marked[n].runs)), marked[n].num_primary});
  }
  return kept;
}

/// Sets bits_per_block of a part for which `format` has a choice.
Status choose_bits(const Schema& schema, const PartRules& part, FormatWriter& format,
                   const std::function<void()>& pulse) {
  const int field = part.fields.front();
  const std::vector<int> choices = format.choices_of_block_bits(field);
  if (choices.empty()) return {};
  const std::vector<BlockGrid> grids = grids_with(*format.blocks_of(field), choices);
  const std::vector<KeptField> kept = kept_in(grids, part.rules, pulse);
  std::vector<StoredByBits> stored;
  for (std::size_t n = 0; n < choices.size(); ++n) {
    stored.push_back({choices[n]});
    for (const int f : part.fields) {
      stored.back().add(kept[n], schema.fields()[static_cast<std::size_t>(f)].sample_bytes());
    }
  }
  return format.set_block_bits(field, choose_block_bits(stored));
}

}  // namespace

Result<PlannedRegions> plan_regions(const Schema& schema, const KeepOfGrid& keep, const Options& options,
                                    FormatWriter& format, const std::function<void()>& pulse) {
  ESKER_ASSIGN_OR_RETURN(const std::vector<Rules> of_grids, rules_of_grids(schema, keep));
  ESKER_ASSIGN_OR_RETURN(const std::vector<PartRules> parts,
                         rules_of_parts(schema, of_grids, options, format));
  for (const PartRules& part : parts) ESKER_RETURN_IF_ERROR(choose_bits(schema, part, format, pulse));
  PlannedRegions planned;
  if (parts.empty()) return planned;
  for (const Field& field : schema.fields()) {
    const Grid& grid = schema.grid_of(field);
    planned.fields.push_back({nullptr, schema.box_of(grid).num_samples()});
  }
  for (const PartRules& part : parts) {
    const BlockGrid& blocks = *format.blocks_of(part.fields.front());
    KeptField kept = kept_in({&blocks, 1}, part.rules, pulse).front();
    const bool is_all = kept.blocks->size() == blocks.num_existing();
    if (is_all) kept.blocks = nullptr;
    planned.is_sparse = planned.is_sparse || !is_all;
    for (const int f : part.fields) planned.fields[static_cast<std::size_t>(f)] = kept;
  }
  return planned;
}

}  // namespace esker
