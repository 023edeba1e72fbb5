#include "write/step_regions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "adaptive/dilate.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "exchange/unite_runs.h"
#include "grid/points.h"
#include "grid/tiles.h"

namespace esker {
namespace {

/// Numbers whose maximum over the ranks is taken: levels are shifted to be at least 1, and 0 means none.
constexpr int kShift = 200;

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

std::vector<Patch> patches_of(const PatchList& list) {
  std::vector<Patch> patches;
  for (const Patch& patch : list) patches.push_back(patch);
  return patches;
}

/// The upper and the lower 32 bits of a number that is not negative. Sums of halves over fewer than 2^21
/// ranks are exact in doubles; sums of numbers above 2^53 are not.
std::array<double, 2> halves_of(Index number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return {static_cast<double>(bits >> 32), static_cast<double>(bits & 0xffffffff)};
}
Index number_of(double upper, double lower) {
  return (static_cast<Index>(upper) << 32) + static_cast<Index>(lower);
}

}  // namespace

/// Maxima over the ranks, in one list: three numbers of each grid and then of each field, and a few more.
struct StepRegions::Agreed {
  explicit Agreed(std::size_t n_targets) : values(3 * n_targets + 4) {}

  [[nodiscard]] std::uint64_t& has_rule(std::size_t target) { return values[3 * target]; }
  /// Of the finest level that is kept everywhere; 0: none.
  [[nodiscard]] std::uint64_t& everywhere(std::size_t target) { return values[3 * target + 1]; }
  /// The largest distance of a level from the finest.
  [[nodiscard]] std::uint64_t& coarsest(std::size_t target) { return values[3 * target + 2]; }
  [[nodiscard]] std::uint64_t& stale() { return values[values.size() - 4]; }
  [[nodiscard]] std::uint64_t& looks_beyond() { return values[values.size() - 3]; }
  /// Hash of the boxes, and its complement: equal on all ranks if the maxima are complements.
  [[nodiscard]] std::uint64_t& boxes() { return values[values.size() - 2]; }
  [[nodiscard]] std::uint64_t& not_boxes() { return values[values.size() - 1]; }

  /// `coarsest_level`: that the rule asks for.
  void add(std::size_t target, const KeepRule& rule, int coarsest_level) {
    has_rule(target) = 1;
    coarsest(target) = std::max(coarsest(target), static_cast<std::uint64_t>(-coarsest_level));
    if (rule.region != KeepRule::Region::kEverywhere) return;
    everywhere(target) = std::max(everywhere(target), static_cast<std::uint64_t>(rule.level + kShift));
  }
  [[nodiscard]] int level_everywhere(std::size_t target) {
    return everywhere(target) == 0 ? kNone : static_cast<int>(everywhere(target)) - kShift;
  }

  std::vector<std::uint64_t> values;
};

std::vector<int> StepRegions::due_fields_of(int grid) const {
  std::vector<int> fields;
  for (std::size_t f = 0; f < in_.due.size(); ++f) {
    if (in_.due[f] && in_.schema.fields()[f].grid == grid) fields.push_back(static_cast<int>(f));
  }
  return fields;
}

/// The due fields that the rule is for.
std::vector<int> StepRegions::fields_of(const KeepCall& call) const {
  if (call.field < 0) return due_fields_of(call.grid);
  return in_.due[static_cast<std::size_t>(call.field)] ? std::vector{call.field} : std::vector<int>();
}

/// Of the samples of a field in `box`, those that this rank puts.
Index StepRegions::num_put(int field, const Box& box) const {
  Index sum = 0;
  for (const Box& put : in_.patches[static_cast<std::size_t>(field)].boxes()) {
    sum += intersect(put, box).num_samples();
  }
  return sum;
}

/// `coarsest`: [call] the coarsest level that it asks for.
Status StepRegions::check_calls(std::vector<int>& coarsest) const {
  for (const KeepCall& call : in_.calls) {
    const std::string where =
        call.field >= 0 ? "keep '" + in_.schema.fields()[static_cast<std::size_t>(call.field)].name + "'"
                        : "keep grid '" + in_.schema.grids()[static_cast<std::size_t>(call.grid)].name + "'";
    coarsest.push_back(call.rule.level);
    ESKER_RETURN_IF_ERROR(check_call(call, coarsest.back()).with_context(where));
  }
  return {};
}

Status StepRegions::check_call(const KeepCall& call, int& coarsest) const {
  const std::vector<int> fields = fields_of(call);
  if (fields.empty()) {
    return call.field < 0 ? Status() : Status(Code::kWrongOrder, "the field is not put in this step");
  }
  ESKER_RETURN_IF_ERROR(in_.format.check_sparse(fields.front()).with_context(in_.format_name));
  const Bitmask& mask = in_.format.blocks_of(fields.front())->mask();
  const int max_level = mask.max_level();
  if (call.rule.level < -max_level) {
    return error(Code::kOutOfRange, "level {}, expected {} to 0", call.rule.level, -max_level);
  }
  ESKER_RETURN_IF_ERROR(check_scratch(call, mask));
  if (call.rule.region == KeepRule::Region::kRange &&
      !in_.due[static_cast<std::size_t>(call.rule.field.index)]) {
    return error(Code::kWrongOrder, "the range is of field '{}', which is not put in this step",
                 in_.schema.fields()[static_cast<std::size_t>(call.rule.field.index)].name);
  }
  return call.rule.region == KeepRule::Region::kLevels ? check_levels(call, max_level, coarsest) : Status();
}

/// The levels of a tile and of the samples around it, and the scratch memory of their dilation.
Status StepRegions::check_scratch(const KeepCall& call, const Bitmask& mask) const {
  if (call.rule.dilate == 0 || call.rule.region == KeepRule::Region::kBoxes) return {};
  const Box grid = in_.schema.box_of(in_.schema.grids()[static_cast<std::size_t>(call.grid)]);
  const Index distance = dilation_of(call.rule, grid);
  Point extents = tile_extent(mask, mask.max_level(), kTileDigits);
  double bytes = 1;
  for (int a = 0; a < grid.rank; ++a) {
    extents[a] = std::min(grid.extent(a), extents[a] + 2 * distance);
    bytes *= static_cast<double>(extents[a]);
  }
  bytes += static_cast<double>(dilate_scratch(Box::from_extent(grid.rank, extents), distance));
  if (bytes <= static_cast<double>(in_.scratch_bytes)) return {};
  return error(Code::kOutOfMemory,
               "dilate {}: needs {:.0f} bytes of memory; an eighth of memory_budget, {} bytes, is for that",
               call.rule.dilate, bytes, in_.scratch_bytes);
}

Status StepRegions::check_levels(const KeepCall& call, int max_level, int& coarsest) const {
  const Patch& levels = call.rule.levels;
  Index covered = 0;
  for (const int field : due_fields_of(call.grid)) covered = std::max(covered, num_put(field, levels.box));
  if (covered != levels.box.num_samples()) {
    return error(
        Code::kInvalidArgument,
        "the levels are given for {}: expected a box that this rank puts of a field of the grid, but "
        "it puts at most {} of these {} samples",
        levels.box.to_string(), covered, levels.box.num_samples());
  }
  Status valid;
  coarsest = 0;
  for_each_index_point(levels.box, [&](const Point& p) {
    const auto* at = static_cast<const std::int8_t*>(levels.data);
    for (int a = 0; a < levels.box.rank; ++a) at += (p[a] - levels.box.lo[a]) * levels.stride_bytes[a];
    if (*at == KeepRule::kDropped || !valid.ok()) return;
    coarsest = std::min<int>(coarsest, *at);
    if (*at <= 0 && *at >= -max_level) return;
    valid = error(Code::kOutOfRange, "a sample has level {}, expected {} to 0, or {} for none", *at,
                  -max_level, KeepRule::kDropped);
  });
  return valid;
}

/// Whether the rule may reach samples that other ranks put: it is dilated, or a field that it is for is put
/// in other boxes than those that it looks at.
bool StepRegions::looks_beyond(const KeepCall& call) const {
  const KeepRule& rule = call.rule;
  const bool is_range = rule.region == KeepRule::Region::kRange;
  if (!is_range && rule.region != KeepRule::Region::kLevels) return false;
  const std::vector<int> fields = fields_of(call);
  return std::any_of(fields.begin(), fields.end(), [&](int field) {
    if (rule.dilate > 0) return true;
    if (!is_range) return num_put(field, rule.levels.box) != rule.levels.box.num_samples();
    const PatchBoxes& looked_at = in_.patches[static_cast<std::size_t>(rule.field.index)].boxes();
    return !(in_.patches[static_cast<std::size_t>(field)].boxes() == looked_at);
  });
}

/// Of the boxes that may reach samples of other ranks. The rules of a mesh are inside this rank's patches.
std::uint64_t StepRegions::hash_of_boxes() const {
  std::uint64_t hash = 0;
  for (const KeepCall& call : in_.calls) {
    const bool is_mesh = in_.schema.grids()[static_cast<std::size_t>(call.grid)].mesh.has_value();
    if (call.rule.region != KeepRule::Region::kBoxes || is_mesh) continue;
    for (const Index number :
         {Index{call.grid}, Index{call.field}, Index{call.rule.level}, call.rule.dilate}) {
      hash = hash_text(hash, bytes_of(number));
    }
    for (const Box& box : call.rule.boxes) {
      hash = hash_text(hash_text(hash, bytes_of(box.lo)), bytes_of(box.hi));
    }
  }
  return hash;
}

Status StepRegions::agree_on_rules(bool stale, bool& any_stale) {
  const std::size_t n_grids = in_.schema.grids().size();
  std::optional<Agreed> agreed;
  const auto describe = [&]() -> Status {
    std::vector<int> coarsest;
    ESKER_RETURN_IF_ERROR(check_calls(coarsest));
    agreed.emplace(n_grids + in_.schema.fields().size());
    for (std::size_t c = 0; c < in_.calls.size(); ++c) {
      const KeepCall& call = in_.calls[c];
      const auto target =
          static_cast<std::size_t>(call.field < 0 ? call.grid : static_cast<int>(n_grids) + call.field);
      agreed->add(target, call.rule, coarsest[c]);
      if (looks_beyond(call)) agreed->looks_beyond() = 1;
    }
    agreed->stale() = stale ? 1 : 0;
    agreed->boxes() = hash_of_boxes();
    agreed->not_boxes() = ~agreed->boxes();
    return {};
  };
  ESKER_RETURN_IF_ERROR(all_do(comm_, "keep", describe));
  comm_.all_reduce_max(std::span<std::uint64_t>(agreed->values));
  any_stale = agreed->stale() != 0;
  levels_travel_ = comm_.size() > 1 && agreed->looks_beyond() != 0;
  boxes_travel_ = comm_.size() > 1 && agreed->boxes() != ~agreed->not_boxes();
  return all_do(comm_, "keep", [&] { return make_groups(*agreed); });
}

Status StepRegions::make_groups(Agreed& agreed) {
  const std::size_t n_grids = in_.schema.grids().size();
  std::vector<const BlockGrid*> blocks_of_group;
  for (std::size_t f = 0; f < in_.due.size(); ++f) {
    if (!in_.due[f]) continue;
    const Field& field = in_.schema.fields()[f];
    const auto grid = static_cast<std::size_t>(field.grid);
    const bool has_own = agreed.has_rule(n_grids + f) != 0;
    const bool has_rules = has_own || agreed.has_rule(grid) != 0;
    if (!has_rules && in_.default_level == 0) continue;
    const auto number = static_cast<int>(f);
    ESKER_RETURN_IF_ERROR(in_.format.check_sparse(number).with_context(in_.format_name));
    const BlockGrid* blocks = in_.format.blocks_of(number);
    const auto same = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
      return !has_own && group.own_field < 0 && group.grid == field.grid &&
             blocks_of_group[static_cast<std::size_t>(&group - groups_.data())] == blocks;
    });
    if (same != groups_.end()) {
      same->fields.push_back(number);
      continue;
    }
    Group group{field.grid, has_own ? number : -1, in_.default_level, 0, {number}, *blocks};
    Index coarsest = -in_.default_level;
    if (has_rules) {
      group.everywhere = std::max(agreed.level_everywhere(grid), agreed.level_everywhere(n_grids + f));
      coarsest = static_cast<Index>(std::max(agreed.coarsest(grid), agreed.coarsest(n_grids + f)));
    }
    const int max_level = blocks->mask().max_level();
    if (group.everywhere != kNone) group.everywhere = std::max(0, max_level + group.everywhere);
    group.coarsest = max_level - static_cast<int>(coarsest);
    groups_.push_back(std::move(group));
    blocks_of_group.push_back(blocks);
  }
  return {};
}

bool StepRegions::applies(const KeepCall& call, const Group& group) const {
  return call.grid == group.grid && (call.field < 0 || call.field == group.own_field);
}

LevelRules StepRegions::rules_of(const Group& group) const {
  const int max_level = group.blocks.mask().max_level();
  const Box& grid = group.blocks.box();
  LevelRules rules;
  rules.everywhere = everywhere_in(group);
  for (const KeepCall& call : in_.calls) {
    if (!applies(call, group)) continue;
    const KeepRule& rule = call.rule;
    const auto level = static_cast<KeptLevel>(max_level + rule.level);
    const Index dilate = dilation_of(rule, grid);
    if (rule.region == KeepRule::Region::kBoxes) {
      add_boxes(rule, group.blocks, rules);
    } else if (rule.region == KeepRule::Region::kRange) {
      const auto field = static_cast<std::size_t>(rule.field.index);
      rules.ranges.push_back({rule.low, rule.high, level,
                              rule.drop_nan ? kNotKept : static_cast<KeptLevel>(max_level),
                              patches_of(in_.patches[field]), in_.schema.fields()[field].components, dilate});
    } else if (rule.region == KeepRule::Region::kLevels) {
      rules.levels.push_back({{rule.levels}, static_cast<KeptLevel>(max_level), dilate});
    }
  }
  return rules;
}

/// Boxes that hold all samples which rules on samples of this rank may reach.
std::vector<Box> StepRegions::reach_of(const Group& group) const {
  std::vector<Box> reach;
  const LevelRules rules = rules_of(group);
  const auto add = [&](const auto& rule) {
    for (const Patch& patch : rule.patches)
      reach.push_back(grown(patch.box, rule.dilate, group.blocks.box()));
  };
  for (const RangeRule& rule : rules.ranges) add(rule);
  for (const SampleLevelsRule& rule : rules.levels) add(rule);
  return reach;
}

/// What the rules keep of the samples of this rank, in each of `grids`. If ranks may leave out samples, boxes
/// may hold blocks where no rank puts any sample.
std::vector<MarkedBlocks> StepRegions::mark(const Group& group, std::span<const BlockGrid> grids) const {
  const LevelRules rules = rules_of(group);
  const PatchBoxes& put = in_.patches[static_cast<std::size_t>(group.fields.front())].boxes();
  std::vector<MarkedBlocks> marked = count_primary(grids, rules, group.of_others, {put.begin(), put.end()});
  for (std::size_t n = 0; n < grids.size() && in_.partial; ++n) {
    BlockMarks also(grids[n], rules.everywhere);
    for (const LevelBox& rule : rules.boxes) also.add_blocks(rule.box, rule.level);
    marked[n].runs = unite(marked[n].runs, also.take_runs());
  }
  return marked;
}

StepRegions::Sets StepRegions::mark(GridsOfGroups grids) const {
  Sets sets;
  Index first_ordinal = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::vector<MarkedBlocks> marked = mark(groups_[g], grids[g]);
    for (std::size_t n = 0; n < marked.size(); ++n) {
      for (const BlockRun& run : marked[n].runs) {
        sets.runs.push_back({run.first + first_ordinal, run.last + first_ordinal});
      }
      const std::array<double, 2> halves = halves_of(marked[n].num_primary);
      sets.num_primary.insert(sets.num_primary.end(), halves.begin(), halves.end());
      first_ordinal += grids[g][n].num_existing() + 1;  // no run crosses a gap
    }
  }
  sets.grids = std::move(grids);
  return sets;
}

/// Of all ranks: one union of all sets. Collective.
Status StepRegions::unite_sets(Sets& sets) {
  ESKER_RETURN_IF_ERROR(unite_over_ranks(comm_, sets.runs));
  comm_.all_reduce_sum(sets.num_primary);
  return {};
}

std::vector<std::vector<KeptField>> StepRegions::kept_by(const Sets& sets) const {
  std::vector<std::vector<KeptField>> kept(groups_.size());
  std::size_t next = 0, number = 0;
  Index first_ordinal = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const BlockGrid& grid : sets.grids[g]) {
      MarkedBlocks marked{{}, number_of(sets.num_primary[number], sets.num_primary[number + 1])};
      number += 2;
      const Index end_ordinal = first_ordinal + grid.num_existing() + 1;
      for (; next < sets.runs.size() && sets.runs[next].first < end_ordinal; ++next) {
        const BlockRun& run = sets.runs[next];
        marked.runs.push_back({run.first - first_ordinal, run.last - first_ordinal});
      }
      first_ordinal = end_ordinal;
      add_everywhere(grid, everywhere_in(groups_[g]), marked.runs);
      kept[g].push_back({std::make_shared<BlockSet>(grid, std::move(marked.runs)), marked.num_primary});
    }
  }
  return kept;
}

/// All of the grid, for each field.
KeptFields StepRegions::all_kept() const {
  KeptFields kept;
  for (const Field& field : in_.schema.fields()) {
    const Grid& grid = in_.schema.grid_of(field);
    kept.push_back({nullptr, in_.schema.box_of(grid).num_samples()});
  }
  return kept;
}

Result<KeptFields> StepRegions::find() {
  Sets sets;
  ESKER_RETURN_IF_ERROR(all_do(comm_, "keep", [&] {
    GridsOfGroups grids;
    for (const Group& group : groups_) grids.push_back({group.blocks});
    sets = mark(std::move(grids));
    return Status();
  }));
  ESKER_RETURN_IF_ERROR(unite_sets(sets));
  KeptFields kept;
  ESKER_RETURN_IF_ERROR(all_do(comm_, "keep", [&] {
    kept = all_kept();
    bool any_sparse = false;
    const std::vector<std::vector<KeptField>> found = kept_by(sets);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const BlockGrid& blocks = groups_[g].blocks;
      if (groups_[g].coarsest < blocks.bits_per_block()) {
        raised_from_ = std::min(raised_from_, groups_[g].coarsest - blocks.mask().max_level());
      }
      if (found[g].front().blocks->size() == blocks.num_existing()) continue;
      any_sparse = true;
      for (const int field : groups_[g].fields) kept[static_cast<std::size_t>(field)] = found[g].front();
    }
    if (!any_sparse) kept.clear();
    return Status();
  }));
  return kept;
}

/// What the groups of a part store with each of `choices`; sets.grids has a grid for each, of these groups.
std::vector<StoredByBits> StepRegions::stored_by(const std::vector<int>& choices, const Sets& sets) const {
  std::vector<StoredByBits> stored;
  for (const int bits : choices) stored.push_back({bits});
  const std::vector<std::vector<KeptField>> kept = kept_by(sets);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t n = 0; n < kept[g].size(); ++n) {
      for (const int f : groups_[g].fields) {
        stored[n].add(kept[g][n], in_.schema.fields()[static_cast<std::size_t>(f)].sample_bytes());
      }
    }
  }
  return stored;
}

/// For the part that has the blocks of `field`. Collective.
Status StepRegions::choose_bits_of(FormatWriter& format, int field) {
  std::vector<int> choices;
  Sets sets;
  const auto try_choices = [&] {
    choices = format.choices_of_block_bits(field);
    GridsOfGroups grids;
    for (const Group& group : groups_) {
      const bool is_of_part = format.blocks_of(group.fields.front()) == format.blocks_of(field);
      grids.push_back(is_of_part ? grids_with(group.blocks, choices) : std::vector<BlockGrid>());
    }
    sets = mark(std::move(grids));
    return Status();
  };
  ESKER_RETURN_IF_ERROR(all_do(comm_, "keep", try_choices));
  ESKER_RETURN_IF_ERROR(unite_sets(sets));
  return all_do(comm_, "keep", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(format.set_block_bits(field, esker::choose_block_bits(stored_by(choices, sets))));
    for (Group& group : groups_) group.blocks = *format.blocks_of(group.fields.front());
    return {};
  });
}

Status StepRegions::choose_block_bits(FormatWriter& format) {
  std::vector<int> fields;  // one of each part with a choice
  ESKER_RETURN_IF_ERROR(all_do(comm_, "keep", [&] {
    std::set<const BlockGrid*> parts;
    for (const Group& group : groups_) {
      const int field = group.fields.front();
      const bool is_new = parts.insert(format.blocks_of(field)).second;
      if (is_new && !format.choices_of_block_bits(field).empty()) fields.push_back(field);
    }
    return Status();
  }));
  for (const int field : fields) ESKER_RETURN_IF_ERROR(choose_bits_of(format, field));
  return {};
}

}  // namespace esker
