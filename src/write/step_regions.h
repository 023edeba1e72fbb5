// StepRegions: which blocks a sparse step stores, by the rules of all ranks.
//
// Fields with the same rules form a group. Each rank evaluates the rules on the samples that it puts, tile by
// tile, and marks the blocks that hold primary samples (adaptive/). The union of all marks is the set of
// blocks of the group. Where a region reaches samples of other ranks, because it is dilated, because a rank
// named boxes that others did not, or because fields of a grid are put in different boxes, the ranks first
// tell each other the levels that they keep there, so that primary samples are counted exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "adaptive/count_primary.h"
#include "comm/comm.h"
#include "esker/types/schema.hpp"
#include "exchange/directory.h"
#include "exchange/patch_list.h"
#include "format/format_writer.h"
#include "layout/choose_block_bits.h"
#include "plan/field_boxes.h"
#include "write/keep_call.h"

namespace esker {

class StepRegions {
 public:
  struct Inputs {
    const Schema& schema;
    const FormatWriter& format;
    const std::string& format_name;         ///< for errors
    const std::vector<KeepCall>& calls;     ///< of this rank
    const std::vector<PatchList>& patches;  ///< likewise, [position in Schema::fields()]
    const std::vector<bool>& due;           ///< likewise
    int default_level = 0;                  ///< of fields for which no rank has a rule; 0: stored completely
    Index scratch_bytes = 0;                ///< limit of what dilation needs
    Index levels_bytes = 0;                 ///< limit of the levels that are sent, and of those received
    bool partial = false;                   ///< ranks may leave out samples
  };

  /// All references must outlive this object. Collective: `stale` tells whether the boxes of this rank are
  /// not those that it shared. Errors are those of all ranks: levels out of range, a range on a field that is
  /// not put, samples that this rank does not put, a format that stores fields completely.
  StepRegions(Comm& comm, const Inputs& inputs) : comm_(comm), in_(inputs) {}
  Status agree_on_rules(bool stale, bool& any_stale);

  /// Tells other ranks what the rules of this rank keep of their samples. `holders` of all fields that are
  /// due; the directory knows, or learns, which ranks these are. Collective, after agree_on_rules().
  Status share_levels(Directory& directory, const BoxesOfField& holders);
  /// Chooses bits_per_block of the parts for which `format` has a choice, and has none yet: the largest with
  /// which the blocks of the step take little more space than what is asked for. Collective, after
  /// share_levels(). Layouts made before are invalid.
  Status choose_block_bits(FormatWriter& format);
  /// Empty if all fields are stored completely. Collective, after share_levels().
  Result<KeptFields> find();

  /// The coarsest level that was asked for and raised to that of block 0; 0: none. The same on all ranks.
  [[nodiscard]] int raised_from() const { return raised_from_; }

 private:
  /// Fields that have the same rules and blocks.
  struct Group {
    int grid = -1;
    int own_field = -1;       // the field with its own rules; -1: those of the grid only
    int everywhere = kNone;   // the finest level that is kept everywhere, on any rank
    int coarsest = 0;         // that any rank asks for
    std::vector<int> fields;  // due
    BlockGrid blocks;
    std::vector<LevelPatch> of_others = {};
  };
  static constexpr int kNone = -1000;
  [[nodiscard]] static KeptLevel everywhere_in(const Group& group) {
    return group.everywhere == kNone ? kNotKept : static_cast<KeptLevel>(group.everywhere);
  }
  /// What the ranks tell each other about their rules.
  struct Agreed;
  /// [group] those in which its blocks are found: with blocks of different sizes, or none.
  using GridsOfGroups = std::vector<std::vector<BlockGrid>>;
  /// The blocks of all groups in all of their grids.
  struct Sets {
    GridsOfGroups grids;
    BlockRuns runs;                   // of all sets; the ordinals of a set follow those of the set before it
    std::vector<double> num_primary;  // of each set, in two halves: see halves_of()
  };

  Status check_calls(std::vector<int>& coarsest) const;
  Status check_call(const KeepCall& call, int& coarsest) const;
  Status check_levels(const KeepCall& call, int max_level, int& coarsest) const;
  Status check_scratch(const KeepCall& call, const Bitmask& mask) const;
  [[nodiscard]] std::vector<int> due_fields_of(int grid) const;
  [[nodiscard]] std::vector<int> fields_of(const KeepCall& call) const;
  [[nodiscard]] Index num_put(int field, const Box& box) const;
  [[nodiscard]] bool applies(const KeepCall& call, const Group& group) const;
  [[nodiscard]] std::uint64_t hash_of_boxes() const;
  [[nodiscard]] bool looks_beyond(const KeepCall& call) const;
  Status make_groups(Agreed& agreed);
  [[nodiscard]] LevelRules rules_of(const Group& group) const;
  [[nodiscard]] std::vector<Box> reach_of(const Group& group) const;
  [[nodiscard]] Result<std::map<int, std::vector<std::byte>>> levels_for_others(
      const BoxesOfField& holders) const;
  void take_levels(std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<MarkedBlocks> mark(const Group& group, std::span<const BlockGrid> grids) const;
  [[nodiscard]] Sets mark(GridsOfGroups grids) const;
  Status unite_sets(Sets& sets);
  [[nodiscard]] std::vector<std::vector<KeptField>> kept_by(const Sets& sets) const;
  [[nodiscard]] KeptFields all_kept() const;
  [[nodiscard]] std::vector<StoredByBits> stored_by(const std::vector<int>& choices, const Sets& sets) const;
  Status choose_bits_of(FormatWriter& format, int field);

  Comm& comm_;
  Inputs in_;
  std::vector<Group> groups_;
  bool levels_travel_ = false, boxes_travel_ = false;
  int raised_from_ = 0;
};

}  // namespace esker
